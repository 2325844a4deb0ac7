# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""The cheapest way to cut a hand into plays: kernels.

Exact: the highest card of a subset of the hand goes out in some group, and the rest is a smaller
subset, so asking for the groups of one card loses nothing. Only subsets that are reached that way
are looked at, each once. A flat count: whether a play would beat anything is not asked, unless the
costs say so. Twin: brute force in tests/test_partition.py.
"""

import numpy as np

from simcore.foundation.bits import gather_bits, highest_index, popcount
from simcore.foundation.jit import inlined_with_arrays, kernel
from simcore.game import kinds as K
from simcore.game.groups import PLAY, ZERO
from simcore.game.plays import buffer_size, list_legal

LEAD = np.int64(K.PASS)
MOST_CARDS = (
    18  # of a hand that is cut exactly; larger ones (two players, every card) are estimated
)


@kernel
def list_groups(rules, hand, groups):
    """List everything that the hand could lead (Dragons apart); returns the number of groups.

    rules: record RULES; groups: records PLAY, at least `buffer_size` of the hand's cards.
    """
    kinds = rules.answers[K.PASS] & ~rules.dragons
    return list_legal(rules, hand, LEAD, ZERO, kinds, ZERO, ZERO, groups)[0]


@kernel
def sort_members(hand, groups, n_groups, members, places, starts):
    """Sort the groups by their highest card, as subsets of the hand.

    A subset is a bit set of positions in the hand, low to high (`gather_bits(cards, hand)`).
    members[:n_groups] (int64): the subsets; places[:n_groups] (int64): their indices in `groups`;
    members[starts[top]:starts[top + 1]] have their highest card at position `top`.
    """
    cards = popcount(hand)
    starts[: cards + 1] = 0
    for i in range(n_groups):
        starts[highest_index(gather_bits(groups[i].mask, hand)) + 1] += 1
    for top in range(cards):
        starts[top + 1] += starts[top]
    for i in range(n_groups):
        subset = gather_bits(groups[i].mask, hand)
        top = highest_index(subset)
        members[starts[top]] = subset
        places[starts[top]] = i
        starts[top] += 1
    for top in range(cards, 0, -1):
        starts[top] = starts[top - 1]
    starts[0] = 0


@inlined_with_arrays
def partition_of(rules, hand):
    """(groups, members, places, starts, known) of a hand, ready for `least_cost`; allocates."""
    cards = popcount(hand)
    groups = np.empty(buffer_size(cards), PLAY)
    n_groups = list_groups(rules, hand, groups)
    members, places = np.empty(n_groups, np.int64), np.empty(n_groups, np.int64)
    starts = np.empty(cards + 1, np.int64)
    sort_members(hand, groups, n_groups, members, places, starts)
    known = np.full(1 << cards, -1, np.int16)
    known[0] = 0
    return groups, members, places, starts, known


@kernel
def least_cost(subset, members, starts, costs, known):
    """The least sum of costs with which the subset falls into groups.

    members, starts: of `sort_members`; costs: int64, positive, one for each member; known:
    int16[2**cards] with known[0] = 0 and -1 for what is not known yet, filled on the way.
    """
    found = np.int64(known[subset])
    if found >= 0:
        return found
    top = highest_index(subset)
    best = np.int64(32767)
    for i in range(starts[top], starts[top + 1]):
        group = members[i]
        if group & ~subset == 0:
            rest = np.int64(known[subset ^ group])
            if rest < 0:  # a call less where it is known
                rest = least_cost(subset ^ group, members, starts, costs, known)
            best = min(best, costs[i] + rest)
    known[subset] = best
    return best


@kernel
def least_plays(rules, hand, groups, members, places, starts, costs, known):
    """The least number of plays that a hand of at most MOST_CARDS cards falls into.

    groups: records PLAY; members, places, costs: int64, all at least `buffer_size` of the cards;
    starts: int64[cards + 1]; known: int16[2**cards]; scratch space, all of them.
    """
    n_groups = list_groups(rules, hand, groups)
    sort_members(hand, groups, n_groups, members, places, starts)
    costs[:n_groups] = 1
    whole = (1 << popcount(hand)) - 1
    known[: whole + 1] = -1
    known[0] = 0
    return least_cost(whole, members, starts, costs, known)
