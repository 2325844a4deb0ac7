# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""`keep`: leads like `dump`, follows without breaking its groups."""

from simcore.foundation.bits import lowest_index, nibble, popcount
from simcore.game import kinds as K
from simcore.strategies.helpers import (
    cards_in,
    dragon_index,
    is_bomb_on_another_kind,
    largest_weakest,
    least_opponent,
    weakest_follow,
)
from simcore.strategies.interface import strategy
from simcore.strategies.parameters import Parameter

MANY = 10  # cards, from which on most payoff tiers charge each of them twice


@strategy(
    danger=Parameter(2.0, "an opponent with at most so many cards makes it follow like `lowest`"),
    alarm=Parameter(4.0, "the same, while it has ten cards or more itself"),
)
def keep(view, plays, n_plays, params, rng):
    """Lead like `dump`; follow with the weakest play that breaks no pair, triple or four.

    A single, pair or triple breaks a group if the hand holds more cards of its rank than it plays;
    other kinds break nothing. Among the plays that break nothing, the first in canonical order; a
    bomb on another kind only if it empties the hand. If there is none it passes, unless an
    opponent has at most `danger` cards left, or at most `alarm` while it has ten or more itself:
    then it follows like `lowest`. A Dragon is played at once.

    Cost: a few ns for each legal play. Source: human guides ("do not break your pairs").
    """
    dragon = dragon_index(plays, n_plays)
    if dragon >= 0:
        return dragon
    if view.to_beat_kind == K.PASS:
        return largest_weakest(plays, n_plays)
    least = least_opponent(view)
    if least <= params[AT.danger] or (least <= params[AT.alarm] and popcount(view.hand) >= MANY):
        return weakest_follow(view, plays, n_plays)
    for i in range(n_plays - 1):
        if plays[i].mask == view.hand:
            return i
        if is_bomb_on_another_kind(view, plays[i]):
            continue
        size = cards_in(plays[i])
        held = popcount(nibble(view.hand, lowest_index(plays[i].mask) >> 2))
        if size > 3 or held == size:
            return i
    return n_plays - 1


AT = keep.places
