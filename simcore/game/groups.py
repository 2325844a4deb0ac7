# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Listing and counting kernels for singles, pairs, triples, fours and full houses.

Every list_* kernel takes (rules,) hand int64, above int64 (-1, or the strength to exceed), plays
(record array of dtype PLAY), n (plays already there), limit (stop when n reaches it) and returns
the new n. Plays come out in the canonical order: strength, then mask. count_* returns how many that
would be, weakest_* the mask of the first of them (0: none). Twin: tests/reference.py.
"""

import numpy as np

from simcore.foundation.bits import (
    ONES,
    highest_index,
    lowest_index,
    popcount,
    ranks_with_four,
    ranks_with_three,
    select_bit,
)
from simcore.foundation.jit import inlined, kernel
from simcore.game import kinds as K

PLAY = np.dtype([("mask", np.int64), ("kind", np.int32), ("strength", np.int32)], align=True)

# Typed, because numba would compile every kernel once more for a literal number.
ZERO, ONE = np.int64(0), np.int64(1)
ANY = np.int64(-1)  # an `above` that every strength exceeds
ALL = np.int64(1 << 40)  # a limit that is none


@inlined
def put(plays, n, mask, kind, strength):
    """Write one play and return the new number of plays."""
    play = plays[n]
    play.mask = mask
    play.kind = kind
    play.strength = strength
    return n + 1


@kernel
def merge_sorted(plays, start, middle, end):
    """Insert plays[middle:end] into the sorted plays[start:middle], by strength, then mask."""
    for i in range(middle, end):
        mask, kind, strength = plays[i].mask, plays[i].kind, plays[i].strength
        j = i
        while j > start:
            before = plays[j - 1]
            if before.strength < strength or (before.strength == strength and before.mask < mask):
                break
            put(plays, j, before.mask, before.kind, before.strength)
            j -= 1
        put(plays, j, mask, kind, strength)


@inlined
def ranks_above(rank):
    """Mask of ONES for the ranks above `rank`; all of them for -1."""
    return ONES & (-1 << (4 * (rank + 1)))


@inlined
def list_singles(hand, above, plays, n, limit):
    """Single cards; strength = card."""
    m = hand & (-1 << (above + 1))
    while m and n < limit:
        n = put(plays, n, m & -m, K.SINGLE, lowest_index(m))
        m &= m - 1
    return n


@inlined
def list_pairs(hand, above, plays, n, limit):
    """Pairs; strength = the higher card. For each card, the lower ones of its rank."""
    m = hand & (-1 << (above + 1))
    while m and n < limit:
        high = m & -m
        m ^= high
        card = lowest_index(high)
        low = hand & (high - 1) & (15 << (card & 60))
        while low and n < limit:
            n = put(plays, n, high | (low & -low), K.PAIR, card)
            low &= low - 1
    return n


@inlined
def pair_tops(hand, above):
    """The cards above a strength that have a lower one of their rank."""
    tops = hand & (
        hand << 1 & 0xEEEEEEEEEEEEE | hand << 2 & 0xCCCCCCCCCCCCC | hand << 3 & 0x8888888888888
    )
    return tops & (-1 << (above + 1))


@inlined
def pair_at(hand, above, index):
    """The pair at an index of those that `list_pairs` would list."""
    tops = pair_tops(hand, above)
    while True:
        high = tops & -tops
        tops ^= high
        low = hand & (high - 1) & (15 << (lowest_index(high) & 60))
        index -= popcount(low)
        if index < 0 or tops == 0:
            return high | select_bit(low, index + popcount(low))


@inlined
def weakest_pair(hand, above):
    """The lowest card that has a lower one of its rank, and the lowest of those."""
    tops = pair_tops(hand, above)
    if tops == 0:
        return tops
    high = tops & -tops
    low = hand & (high - 1) & (15 << (lowest_index(high) & 60))
    return high | (low & -low)


@inlined
def count_pairs(hand, above):
    """Number of pairs above a strength: for each higher card, the lower ones of its rank."""
    m = hand & (-1 << (above + 1))
    return (
        popcount(m & hand << 1 & 0xEEEEEEEEEEEEE)
        + popcount(m & hand << 2 & 0xCCCCCCCCCCCCC)
        + popcount(m & hand << 3 & 0x8888888888888)
    )


@inlined
def triple_of(cards, i):
    """The i-th triple (ascending) out of three or four cards of one rank: all but one of four."""
    if popcount(cards) == 3:
        return cards
    return cards & ~((cards & -cards) << (3 - i))


@inlined
def list_triples(hand, above, plays, n, limit):
    """Triples; strength = rank."""
    m = ranks_with_three(hand) & ranks_above(above)
    while m and n < limit:
        r = lowest_index(m) >> 2
        m &= m - 1
        cards = hand & (15 << (4 * r))
        for i in range(4 if popcount(cards) == 4 else 1):
            if n < limit:
                n = put(plays, n, triple_of(cards, i), K.TRIPLE, r)
    return n


@inlined
def lowest_three(hand, rank_bit):
    """The lowest three cards of a rank (one bit of ONES) of which the hand has three or four."""
    cards = hand & rank_bit * 15
    return cards if popcount(cards) == 3 else cards & ~(rank_bit * 8)


@inlined
def weakest_triple(hand, above):
    """The lowest three cards of the lowest rank that has three."""
    m = ranks_with_three(hand) & ranks_above(above)
    return lowest_three(hand, m & -m) if m else m


@inlined
def count_triples(hand, above):
    """Number of triples above a rank: one for three of a rank, four for all four."""
    above = ranks_above(above)
    return popcount(ranks_with_three(hand) & above) + 3 * popcount(ranks_with_four(hand) & above)


@inlined
def two_pair_strength(rules, mask):
    """The top card of the higher pair, or its rank, the lower pair's rank, then the top suit."""
    top = highest_index(mask)
    if rules.kinds_two_pair_second:
        return ((top >> 2) * 13 + (lowest_index(mask) >> 2)) << 2 | top & 3
    return top


@inlined
def list_two_pairs(hand, above, plays, n, limit):
    """Two pairs as a four-card play; strength = the top card of the higher pair."""
    start = n
    n = list_pairs(hand, above, plays, n, ALL)
    pairs = n - start
    # Behind the higher pairs, list every two pairs; then move them down over the pairs.
    for i in range(start, start + pairs):
        high = plays[i].mask
        card = plays[i].strength
        first = n
        n = list_pairs(hand & ~(-1 << (card & 60)), ANY, plays, n, ALL)
        for j in range(first, n):
            put(plays, j, plays[j].mask | high, K.TWO_PAIR, card)
    for j in range(start + pairs, n):
        put(plays, j - pairs, plays[j].mask, K.TWO_PAIR, plays[j].strength)
    return min(n - pairs, limit)


@kernel
def list_two_pairs_by_second(rules, hand, above, plays, n, limit):
    """Two pairs by both ranks, then the suit of the highest card."""
    start = n
    end = list_two_pairs(hand, ANY, plays, n, ALL)
    for j in range(start, end):
        strength = two_pair_strength(rules, plays[j].mask)
        if strength > above:
            n = put(plays, n, plays[j].mask, K.TWO_PAIR, strength)
    merge_sorted(plays, start, start, n)
    return min(n, limit)


@inlined
def list_bare_fours(hand, above, plays, n, limit):
    """Four of a rank without a fifth card; strength = rank."""
    m = ranks_with_four(hand) & ranks_above(above)
    while m and n < limit:
        r = lowest_index(m) >> 2
        m &= m - 1
        n = put(plays, n, 15 << (4 * r), K.BARE_FOUR, r)
    return n


@inlined
def list_fours(hand, above, plays, n, limit):
    """Four of a kind with any fifth card; strength = rank of the four."""
    m = ranks_with_four(hand) & ranks_above(above)
    while m and n < limit:
        r = lowest_index(m) >> 2
        m &= m - 1
        four = 15 << (4 * r)
        fifth = hand & ~four
        while fifth and n < limit:
            n = put(plays, n, four | (fifth & -fifth), K.FOUR_OF_A_KIND, r)
            fifth &= fifth - 1
    return n


@inlined
def weakest_four(hand, above):
    """The lowest four of a kind with the lowest other card."""
    m = ranks_with_four(hand) & ranks_above(above)
    if m == 0:
        return m
    four = (m & -m) * 15
    fifth = hand & ~four
    return four | (fifth & -fifth) if fifth else fifth


@inlined
def count_fours(hand, above):
    """Number of fours of a kind, each with any other card of the hand."""
    return popcount(ranks_with_four(hand) & ranks_above(above)) * (popcount(hand) - 4)


@inlined
def list_full_houses(hand, above, plays, n, limit):
    """Full houses; strength = rank of the triple."""
    m = ranks_with_three(hand) & ranks_above(above)
    while m and n < limit:
        r = lowest_index(m) >> 2
        m &= m - 1
        cards = hand & (15 << (4 * r))
        start = n
        for i in range(4 if popcount(cards) == 4 else 1):
            three = triple_of(cards, i)
            first = n
            n = list_pairs(hand & ~cards, ANY, plays, n, ALL)
            for j in range(first, n):
                put(plays, j, plays[j].mask | three, K.FULL_HOUSE, r)
            merge_sorted(plays, start, first, n)  # a pair above the triple outweighs it
    return min(n, limit)


@inlined
def weakest_full_house(hand, above):
    """The lowest triple with the lowest pair of another rank."""
    m = ranks_with_three(hand) & ranks_above(above)
    while m:  # at most twice: only a lone triple has no pair beside it
        rank_bit = m & -m
        m ^= rank_bit
        two = weakest_pair(hand & ~(rank_bit * 15), ANY)
        if two:
            return lowest_three(hand, rank_bit) | two
    return m


@inlined
def count_full_houses(hand, above):
    """Number of full houses: for each triple, the pairs of the other ranks."""
    m = ranks_with_three(hand) & ranks_above(above)
    total = 0
    while m:
        cards = hand & (m & -m) * 15
        m &= m - 1
        total += (4 if popcount(cards) == 4 else 1) * count_pairs(hand & ~cards, ANY)
    return total
