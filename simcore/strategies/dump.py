# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""`dump`: sheds as many cards as it can when it leads."""

from simcore.game import kinds as K
from simcore.strategies.direct import DUMP
from simcore.strategies.helpers import dragon_index, largest_weakest, weakest_follow
from simcore.strategies.interface import strategy


@strategy(direct=DUMP)
def dump(view, plays, n_plays, params, rng):
    """Lead the play with the most cards, among those the weakest; follow like `lowest`.

    Weakest: first in the canonical order (kind in the rule set's order, strength, lower mask). A
    Dragon is played at once.
    """
    dragon = dragon_index(plays, n_plays)
    if dragon >= 0:
        return dragon
    if view.to_beat_kind != K.PASS:
        return weakest_follow(view, plays, n_plays)
    return largest_weakest(plays, n_plays)
