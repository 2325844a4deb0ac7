# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""`minplays`: plays so that the rest of the hand needs the fewest plays."""

import numpy as np

from simcore.foundation.bits import gather_bits, popcount
from simcore.game import kinds as K
from simcore.strategies.estimate import estimate_plays
from simcore.strategies.helpers import (
    cards_in,
    dragon_index,
    is_bomb_on_another_kind,
    least_opponent,
)
from simcore.strategies.interface import strategy
from simcore.strategies.parameters import Parameter
from simcore.strategies.partition import MOST_CARDS, least_cost, partition_of


@strategy(
    danger=Parameter(2.0, "an opponent with at most so many cards makes it play the best it has")
)
def minplays(view, plays, n_plays, params, rng):
    """Leave the hand that falls into the fewest plays; pass rather than spoil it.

    Leads the play after which the least number of plays is left (partition.py); among those the
    one with most cards, then the first in canonical order. Follows with the play that leaves the
    fewest plays, first in canonical order, if that is one fewer than now; a bomb on another kind
    only if at most one play is left then. Otherwise passes, unless an opponent has at most `danger`
    cards left: then it plays the best there is. A Dragon is played at once. Hands of more than 18
    cards (two players, every card dealt) are estimated (estimate.py).

    Cost: about 1.3 µs. Source: the strategy notes of several Big Two programs; the exact
    partition is ours.
    """
    dragon = dragon_index(plays, n_plays)
    if dragon >= 0:
        return dragon
    hand = view.hand
    cards = popcount(hand)
    exact = cards <= MOST_CARDS
    _, members, _, starts, known = partition_of(view.rules, hand if exact else hand & 0)
    costs = np.ones(len(members), np.int64)
    leads = view.to_beat_kind == K.PASS
    in_danger = least_opponent(view) <= params[AT.danger]
    best = -1
    fewest = np.int64(127)
    if not leads and not in_danger:
        if exact:
            fewest = least_cost((1 << cards) - 1, members, starts, costs, known)
        else:
            fewest = estimate_plays(view.rules, hand)[0]
    size = 0
    for i in range(n_plays):
        if plays[i].mask == 0:
            continue
        rest = hand & ~plays[i].mask
        if exact:
            left = least_cost(gather_bits(rest, hand), members, starts, costs, known)
        else:
            left = estimate_plays(view.rules, rest)[0]
        if not leads and is_bomb_on_another_kind(view, plays[i]) and left > 1 and not in_danger:
            continue
        if left < fewest or (leads and left == fewest and cards_in(plays[i]) > size):
            best, fewest, size = i, left, cards_in(plays[i])
    return best if best >= 0 else n_plays - 1


AT = minplays.places
