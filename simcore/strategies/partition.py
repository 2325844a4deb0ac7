"""The least number of plays that a hand falls into: kernels.

Exact, by dynamic programming over all subsets of the hand: the highest card of a subset goes out in
some group, and the rest is a smaller subset, so asking for the groups of one card loses nothing.
2**13 subsets take about 0.1 ms. A flat count: whether a play would beat anything is not asked.
Twin: brute force in tests/test_partition.py.
"""

import numpy as np

from simcore.foundation.bits import gather_bits, popcount
from simcore.foundation.jit import kernel
from simcore.game import kinds as K
from simcore.game.groups import ZERO
from simcore.game.plays import list_legal

LEAD = np.int64(K.PASS)


@kernel
def list_groups(rules, hand, groups):
    """List everything that the hand could lead (Dragons apart); returns the number of groups.

    rules: record RULES; groups: records PLAY, at least `buffer_size` of the hand's cards.
    """
    kinds = rules.answers[K.PASS] & ~rules.dragons
    return list_legal(rules, hand, LEAD, ZERO, kinds, ZERO, ZERO, groups)[0]


@kernel
def fill_least_plays(hand, groups, n_groups, members, least):
    """Fill least[subset] with the least number of plays, for every subset of the hand.

    A subset is a bit set of positions in the hand, low to high (`gather_bits(cards, hand)`).
    groups[:n_groups]: records PLAY of the hand; members: int64 scratch space, n_groups items;
    least: int8[2**cards]. All subsets with the same highest card lie side by side.
    """
    least[0] = 0
    for top in range(popcount(hand)):
        n_members = 0
        for i in range(n_groups):
            group = gather_bits(groups[i].mask, hand)
            if group >> top == 1:
                members[n_members] = group
                n_members += 1
        for subset in range(1 << top, 2 << top):
            best = np.int8(127)
            for i in range(n_members):
                group = members[i]
                if group & ~subset == 0:
                    best = min(best, least[subset ^ group])
            least[subset] = best + 1
