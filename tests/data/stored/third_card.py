"""A compiled strategy of a user's, kept with the runs that it played: never edit this file."""

from simcore import strategy
from simcore.foundation.bits import popcount


@strategy(hold=4.0)
def third_card(view, plays, n_plays, params, rng):
    """Play the weakest; pass on what costs a 2 while more than `hold` cards are left."""
    if plays[0].mask >> 48 and popcount(view.hand) > params[0] and view.to_beat:
        return n_plays - 1
    return 0
