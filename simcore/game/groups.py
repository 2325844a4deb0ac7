"""Listing and counting kernels for plays of equal ranks: singles, pairs, triples, fours, full houses.

Every list_* kernel takes (rules,) hand int64, above int64 (-1, or the strength to exceed), plays
(record array of dtype PLAY), n (plays already there), limit (stop when n reaches it) and returns
the new n. Plays come out in the canonical order: strength, then mask. Twin: tests/reference.py.
"""

import numpy as np

from simcore.foundation.bits import (
    ONES,
    lowest_index,
    nibble,
    popcount,
    ranks_with_four,
    ranks_with_three,
    ranks_with_two,
)
from simcore.foundation.jit import inlined, kernel
from simcore.game import kinds as K

PLAY = np.dtype([("mask", np.int64), ("kind", np.int32), ("strength", np.int32)], align=True)

# For each four-bit suit set: how many pairs and triples it holds, and which, ascending.
_TWOS = [[s for s in range(16) if s & q == s and s.bit_count() == 2] for q in range(16)]
_THREES = [[s for s in range(16) if s & q == s and s.bit_count() == 3] for q in range(16)]
ANY = np.int64(-1)  # an `above` that every strength exceeds
N_PAIRS = np.array([len(s) for s in _TWOS], np.int64)
N_TRIPLES = np.array([len(s) for s in _THREES], np.int64)
PAIR_AT = np.array([s + [0] * (6 - len(s)) for s in _TWOS], np.int64)
TRIPLE_AT = np.array([s + [0] * (4 - len(s)) for s in _THREES], np.int64)
TOP_SUIT = np.array([max(q.bit_length() - 1, 0) for q in range(16)], np.int64)


@inlined
def put(plays, n, mask, kind, strength):
    """Write one play and return the new number of plays."""
    plays[n].mask = mask
    plays[n].kind = kind
    plays[n].strength = strength
    return n + 1


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
    """Pairs; strength = the higher card."""
    m = ranks_with_two(hand) & (-1 << (4 * (above >> 2))) if above >= 0 else ranks_with_two(hand)
    while m and n < limit:
        r = lowest_index(m) >> 2
        m &= m - 1
        q = nibble(hand, r)
        for i in range(N_PAIRS[q]):
            two = PAIR_AT[q, i]
            strength = 4 * r + TOP_SUIT[two]
            if strength > above and n < limit:
                n = put(plays, n, two << (4 * r), K.PAIR, strength)
    return n


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
def list_triples(hand, above, plays, n, limit):
    """Triples; strength = rank."""
    m = ranks_with_three(hand) & ranks_above(above)
    while m and n < limit:
        r = lowest_index(m) >> 2
        m &= m - 1
        q = nibble(hand, r)
        for i in range(N_TRIPLES[q]):
            if n < limit:
                n = put(plays, n, TRIPLE_AT[q, i] << (4 * r), K.TRIPLE, r)
    return n


@inlined
def count_triples(hand, above):
    """Number of triples above a rank: one for three of a rank, four for all four."""
    above = ranks_above(above)
    return popcount(ranks_with_three(hand) & above) + 3 * popcount(ranks_with_four(hand) & above)


@kernel
def list_two_pairs(hand, above, plays, n, limit):
    """Two pairs as a four-card play; strength = the top card of the higher pair."""
    high = ranks_with_two(hand)
    while high and n < limit:
        r = lowest_index(high) >> 2
        high &= high - 1
        q = nibble(hand, r)
        for i in range(N_PAIRS[q]):
            top = PAIR_AT[q, i]
            strength = 4 * r + TOP_SUIT[top]
            if strength <= above:
                continue
            low = ranks_with_two(hand) & ~(-1 << (4 * r))
            while low:
                s = lowest_index(low) >> 2
                low &= low - 1
                for j in range(N_PAIRS[nibble(hand, s)]):
                    two = PAIR_AT[nibble(hand, s), j]
                    if n < limit:
                        n = put(plays, n, top << (4 * r) | two << (4 * s), K.TWO_PAIR, strength)
    return n


@inlined
def list_bare_fours(hand, above, plays, n, limit):
    """Four of a rank without a fifth card; strength = rank."""
    m = ranks_with_four(hand) & ranks_above(above)
    while m and n < limit:
        r = lowest_index(m) >> 2
        m &= m - 1
        n = put(plays, n, 15 << (4 * r), K.BARE_FOUR, r)
    return n


@kernel
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
def count_fours(hand, above):
    """Number of fours of a kind, each with any other card of the hand."""
    return popcount(ranks_with_four(hand) & ranks_above(above)) * (popcount(hand) - 4)


@kernel
def list_full_houses(hand, above, plays, n, limit):
    """Full houses; strength = rank of the triple.

    Mask order inside one strength: pairs below the triple first (triple outermost), then pairs
    above it (pair outermost).
    """
    m = ranks_with_three(hand) & ranks_above(above)
    twos = ranks_with_two(hand)
    while m and n < limit:
        r = lowest_index(m) >> 2
        m &= m - 1
        q = nibble(hand, r)
        below = twos & ~(-1 << (4 * r))
        for i in range(N_TRIPLES[q]):
            three = TRIPLE_AT[q, i] << (4 * r)
            p = below
            while p and n < limit:
                s = lowest_index(p) >> 2
                p &= p - 1
                w = nibble(hand, s)
                for j in range(N_PAIRS[w]):
                    if n < limit:
                        n = put(plays, n, three | PAIR_AT[w, j] << (4 * s), K.FULL_HOUSE, r)
        p = twos & ranks_above(r)
        while p and n < limit:
            s = lowest_index(p) >> 2
            p &= p - 1
            w = nibble(hand, s)
            for j in range(N_PAIRS[w]):
                for i in range(N_TRIPLES[q]):
                    if n < limit:
                        mask = TRIPLE_AT[q, i] << (4 * r) | PAIR_AT[w, j] << (4 * s)
                        n = put(plays, n, mask, K.FULL_HOUSE, r)
    return n


@inlined
def count_full_houses(hand, above):
    """Number of full houses: for each triple, the pairs of the other ranks."""
    m = ranks_with_three(hand) & ranks_above(above)
    total = 0
    if m:
        pairs = count_pairs(hand, ANY)
        while m:
            q = nibble(hand, lowest_index(m) >> 2)
            m &= m - 1
            total += N_TRIPLES[q] * (pairs - N_PAIRS[q])
    return total
