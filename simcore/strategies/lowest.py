# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""`lowest`: sheds its lowest single, never passes."""

from simcore.game import kinds as K
from simcore.strategies.direct import LOWEST
from simcore.strategies.helpers import dragon_index, weakest_follow
from simcore.strategies.interface import strategy


@strategy(direct=LOWEST)
def lowest(view, plays, n_plays, params, rng):
    """Lead the lowest single, follow with the weakest play, never pass by choice.

    Leads its lowest legal single. Follows with the weakest legal play: kinds in the rule set's
    order, then strength, then the lower cards (the lower mask), which is the first play of the
    canonical order. A bomb on a table of another kind is played only if it empties the hand; with
    nothing but such bombs it passes. A Dragon is played at once.
    """
    dragon = dragon_index(plays, n_plays)
    if dragon >= 0:
        return dragon
    if view.to_beat_kind == K.PASS:
        return 0  # every rule set has singles, and they come first
    return weakest_follow(view, plays, n_plays)
