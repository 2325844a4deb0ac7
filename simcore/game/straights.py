# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Listing and counting kernels for straights, flushes, straight flushes and royal flushes.

The same conventions as groups.py. A rule set's straights are a list, low to high, looked up by the
13-bit set of ranks in hand, so that any list of straights costs the same. Twin: tests/reference.py.
"""

import numpy as np

from simcore.foundation.bits import (
    FULL,
    ONES,
    highest_index,
    lowest_index,
    nibble,
    popcount,
    rank_set,
)
from simcore.foundation.jit import inlined, kernel
from simcore.game import kinds as K
from simcore.game.groups import ANY, ONE, ZERO, merge_sorted, put

FIVE_OF = np.array([n * (n - 1) * (n - 2) * (n - 3) * (n - 4) // 120 for n in range(53)], np.int64)


BY_PLACE, BY_SUIT, PLACE_ONLY = range(3)  # places in rule_format.STRAIGHT_ORDERS
ALL_SUITS = np.int64(15)


@inlined
def straight_strength(compare, straight, suit):
    """Strength of a straight by its place in the rule set's list and its tie-break card's suit."""
    if compare == BY_SUIT:
        return suit << 4 | straight
    return 4 * straight + (0 if compare == PLACE_ONLY else suit)


@inlined
def straights_in(rules, hand, compare, above):
    """Set of straights whose ranks the hand holds, less those that are weaker than `above`."""
    held = np.int64(rules.straights_of[rank_set(hand)])
    if above >= 0 and compare != BY_SUIT:
        held &= -1 << (above >> 2)
    return held


@inlined
def tie_suits(rules, hand, straight, compare, above):
    """Suits of the tie-break card that make this straight stronger than `above`."""
    q = nibble(hand, rules.straight_ranks[straight, 0])
    if above >= 0:
        if compare == BY_SUIT:
            q &= -1 << ((above >> 4) + np.int64(straight <= above & 15))
        elif above >> 2 == straight:
            q &= 0 if compare == PLACE_ONLY else -2 << (above & 3)
    return q


@kernel
def list_straights_by_rules(rules, hand, above, plays, n, limit):
    """Straights by strength, then mask, whatever decides between them."""
    if rules.straights_compare != BY_SUIT:
        return list_straights(rules, hand, ALL_SUITS, above, plays, n, limit)
    for suit in range(4):
        n = list_straights(rules, hand, ONE << suit, above, plays, n, limit)
    return n


@kernel
def list_straights(rules, hand, suits, above, plays, n, limit):
    """Straights whose tie-break card is of some suits (four bits), place by place.

    Loops: the tie-break card outermost, then ranks from high to low, so masks ascend.
    """
    compare = rules.straights_compare
    held = straights_in(rules, hand, compare, above)
    while held and n < limit:
        i = lowest_index(held)
        plain = rules.suited >> i & 1
        held &= held - 1
        r0 = 4 * rules.straight_ranks[i, 0]
        r1 = 4 * rules.straight_ranks[i, 1]
        r2 = 4 * rules.straight_ranks[i, 2]
        r3 = 4 * rules.straight_ranks[i, 3]
        r4 = 4 * rules.straight_ranks[i, 4]
        q0 = tie_suits(rules, hand, i, compare, above) & suits
        while q0:
            b0 = q0 & -q0
            q0 ^= b0
            strength = straight_strength(compare, i, lowest_index(b0))
            q1 = hand >> r1 & 15
            while q1:
                b1 = q1 & -q1
                q1 ^= b1
                q2 = hand >> r2 & 15
                while q2:
                    b2 = q2 & -q2
                    q2 ^= b2
                    m2 = b0 << r0 | b1 << r1 | b2 << r2
                    q3 = hand >> r3 & 15
                    while q3:
                        b3 = q3 & -q3
                        q3 ^= b3
                        q4 = hand >> r4 & 15
                        if plain:
                            q4 &= ~(b0 & b1 & b2 & b3)
                        while q4 and n < limit:
                            b4 = q4 & -q4
                            q4 ^= b4
                            n = put(plays, n, m2 | b3 << r3 | b4 << r4, K.STRAIGHT, strength)
    return n


@inlined
def weakest_straight(rules, hand, above, plays):
    """Mask of the weakest straight, 0 if there is none; plays is scratch space."""
    compare = rules.straights_compare
    held = straights_in(rules, hand, compare, above)
    while held:
        i = lowest_index(held)
        held &= held - 1
        q = tie_suits(rules, hand, i, compare, above)
        if q and compare != BY_SUIT:
            mask = (q & -q) << (4 * rules.straight_ranks[i, 0])
            suits = q & -q
            for j in range(1, 5):
                q = nibble(hand, rules.straight_ranks[i, j])
                mask |= (q & -q) << (4 * rules.straight_ranks[i, j])
                suits &= q & -q
            if suits == 0 or not rules.suited >> i & 1:
                return mask
        if q:
            # The lowest cards are all of one suit, and that is another kind, or suits come first:
            # list to find it.
            if list_straights_by_rules(rules, hand, above, plays, ZERO, ONE):
                return plays[0].mask
            return ZERO
    return ZERO


@inlined
def suits_of_straight(rules, hand, straight, first):
    """Suits in which the whole straight is in hand, among the tie-break suits `first`."""
    return (
        first
        & nibble(hand, rules.straight_ranks[straight, 1])
        & nibble(hand, rules.straight_ranks[straight, 2])
        & nibble(hand, rules.straight_ranks[straight, 3])
        & nibble(hand, rules.straight_ranks[straight, 4])
    )


@inlined
def count_straights(rules, hand, above):
    """Number of straights: products of suits, less the suited ones where those are another kind."""
    compare = rules.straights_compare
    held = straights_in(rules, hand, compare, above)
    total = 0
    while held:
        i = lowest_index(held)
        held &= held - 1
        q0 = tie_suits(rules, hand, i, compare, above)
        product = popcount(q0)
        for j in range(1, 5):
            product *= popcount(nibble(hand, rules.straight_ranks[i, j]))
        if rules.suited >> i & 1:
            product -= popcount(suits_of_straight(rules, hand, i, q0))
        total += product
    return total


@inlined
def suited_straights_in(rules, hand, kind, compare, above):
    """Set of straights that the kind (straight or royal flush) is made of, as `straights_in`."""
    held = straights_in(rules, hand, compare, above)
    return held & rules.royal if kind == K.ROYAL_FLUSH else held & ~rules.royal


@inlined
def list_straight_flushes(rules, hand, kind, compare, above, plays, n, limit):
    """Straight flushes, or royal flushes (where those are their own kind, they are no others)."""
    held = suited_straights_in(rules, hand, kind, compare, above)
    while held and n < limit:
        i = lowest_index(held)
        held &= held - 1
        q = suits_of_straight(rules, hand, i, tie_suits(rules, hand, i, compare, above))
        while q and n < limit:
            mask = 0
            for j in range(5):
                mask |= (q & -q) << (4 * rules.straight_ranks[i, j])
            n = put(plays, n, mask, kind, straight_strength(compare, i, lowest_index(q)))
            q &= q - 1
    return n


@kernel
def list_suited_by_suit(rules, hand, kind, above, plays, n, limit):
    """`list_straight_flushes` where suits come first."""
    for suit in range(4):
        held = suited_straights_in(rules, hand, kind, BY_SUIT, above)
        while held and n < limit:
            i = lowest_index(held)
            held &= held - 1
            first = tie_suits(rules, hand, i, BY_SUIT, above) & ONE << suit
            if suits_of_straight(rules, hand, i, first):
                mask = 0
                for j in range(5):
                    mask |= 1 << (4 * rules.straight_ranks[i, j] + suit)
                n = put(plays, n, mask, kind, straight_strength(BY_SUIT, i, suit))
    return n


@inlined
def count_straight_flushes(rules, hand, kind, above):
    """Number of plays that `list_straight_flushes` would list."""
    compare = rules.straights_compare_suited
    held = suited_straights_in(rules, hand, kind, compare, above)
    total = 0
    while held:
        i = lowest_index(held)
        held &= held - 1
        first = tie_suits(rules, hand, i, compare, above)
        total += popcount(suits_of_straight(rules, hand, i, first))
    return total


# --------------------------------------------------------------------------- flushes


@inlined
def two_lowest(hand):
    """The hand with its 2s moved below its 3s: the order of flushes where 2 is low."""
    return hand << 4 & FULL | hand >> 48


@inlined
def two_highest(hand):
    """Undo `two_lowest`."""
    return hand >> 4 | hand << 48 & FULL


@inlined
def flush_strength(rules, mask):
    """Strength of five suited cards: ranks, then suit; or suit and the highest card's rank."""
    value = two_lowest(mask) if rules.flush_two_low else mask
    suit = lowest_index(mask) & 3
    if rules.flush_first_suit:
        return suit << 13 | highest_index(value) >> 2
    if rules.flush_first_top_card:
        return highest_index(value) & 60 | suit
    return rank_set(value) << 2 | suit


@kernel
def list_suit_flushes(rules, cards, above, plays, n, limit):
    """Flushes out of cards of one suit, by strength, then mask; straight flushes left out."""
    value = two_lowest(cards) if rules.flush_two_low else cards
    suit = lowest_index(cards) & 3
    back = rules.flush_two_low and not (rules.flush_first_suit or rules.flush_first_top_card)
    top = value
    while top and n < limit:
        t = top & -top
        top ^= t
        rest = value & (t - 1)
        five = two_highest(t) if rules.flush_two_low else t
        if popcount(rest) < 4 or flush_bound(rules, t, suit) <= above:
            continue
        if rules.flush_two_low and not back:
            rest = two_highest(rest)
        a = rest
        while a:
            c4 = a & -a
            a ^= c4
            b = rest & (c4 - 1)
            while b:
                c3 = b & -b
                b ^= c3
                c = rest & (c3 - 1)
                while c:
                    c2 = c & -c
                    c ^= c2
                    d = rest & (c2 - 1)
                    while d and n < limit:
                        four = (d & -d) | c2 | c3 | c4
                        d &= d - 1
                        mask = five | (two_highest(four) if back else four)
                        if np.int64(rules.straights_of[rank_set(mask)]) & rules.no_flush:
                            continue
                        strength = flush_strength(rules, mask)
                        if strength > above:
                            n = put(plays, n, mask, K.FLUSH, strength)
    return n


@inlined
def flush_bound(rules, top, suit):
    """No flush of `suit` with this highest card (in the flush's own order) is stronger."""
    rank = lowest_index(top) >> 2
    if rules.flush_first_suit:
        return suit << 13 | rank
    if rules.flush_first_top_card:
        return rank << 2 | suit
    return ((2 << rank) - 1) << 2 | suit


@inlined
def list_flushes(rules, hand, above, plays, n, limit):
    """Flushes by strength, then mask; suits are merged where they do not come first."""
    start = n
    if rules.flush_first_suit:
        for suit in range(4):
            cards = hand & (ONES << suit)
            if popcount(cards) >= 5 and n < limit:
                n = list_suit_flushes(rules, cards, above, plays, n, limit)
        return n
    room = limit - start
    for suit in range(4):
        cards = hand & (ONES << suit)
        if popcount(cards) < 5:
            continue
        first = n
        n = list_suit_flushes(rules, cards, above, plays, n, first + room)
        if first > start:
            merge_sorted(plays, start, first, n)
            n = min(n, start + room)
    return n


@inlined
def count_all_flushes(rules, hand):
    """Number of flushes in hand, straight flushes left out."""
    total = 0
    for suit in range(4):
        cards = hand & (ONES << suit)
        total += FIVE_OF[popcount(cards)]
    if total:
        held = straights_in(rules, hand, 0, ANY) & rules.no_flush
        while held:
            i = lowest_index(held)
            held &= held - 1
            first = nibble(hand, rules.straight_ranks[i, 0])
            total -= popcount(suits_of_straight(rules, hand, i, first))
    return total
