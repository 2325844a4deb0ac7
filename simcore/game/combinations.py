# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""What some cards form, and what beats what: kernels. Twin: tests/reference.py."""

import numpy as np

from simcore.foundation.bits import (
    highest_index,
    lowest_index,
    nibble,
    popcount,
    rank_set,
    ranks_with_four,
    ranks_with_three,
    ranks_with_two,
)
from simcore.foundation.jit import inlined, kernel
from simcore.game import kinds as K
from simcore.game.groups import two_pair_strength
from simcore.game.straights import flush_strength, straight_strength

NOTHING = (K.PASS, 0)
SINGLES = 1  # as a set of kinds: they are the first in every rule set


@inlined
def allowed(rules, kind):
    """Whether the rule set has this kind."""
    return rules.position[kind] >= 0


@inlined
def _classify_five(rules, mask):
    """Kind and strength of five cards."""
    ranks = rank_set(mask)
    suit = lowest_index(mask) & 3
    suited = mask & ~(0x1111111111111 << suit) == 0
    held = np.int64(rules.straights_of[ranks])
    if held:
        i = lowest_index(held)
        tie = lowest_index(nibble(mask, rules.straight_ranks[i, 0]))
        if suited and rules.royal >> i & 1:
            return K.ROYAL_FLUSH, straight_strength(rules.straights_compare_suited, i, suit)
        if suited and allowed(rules, K.STRAIGHT_FLUSH):
            return K.STRAIGHT_FLUSH, straight_strength(rules.straights_compare_suited, i, suit)
        if allowed(rules, K.STRAIGHT) and not (suited and allowed(rules, K.FLUSH)):
            return K.STRAIGHT, straight_strength(rules.straights_compare, i, tie)
    if suited and allowed(rules, K.FLUSH):
        return K.FLUSH, flush_strength(rules, mask)
    four = ranks_with_four(mask)
    if four and allowed(rules, K.FOUR_OF_A_KIND):
        return K.FOUR_OF_A_KIND, lowest_index(four) >> 2
    three = ranks_with_three(mask)
    if popcount(ranks) == 2 and not four and allowed(rules, K.FULL_HOUSE):
        return K.FULL_HOUSE, lowest_index(three) >> 2
    return NOTHING


@kernel
def classify(rules, mask):
    """(kind, strength) of the cards of a mask, (PASS, 0) if they form no allowed combination.

    rules: record RULES; mask: int64. Thirteen different ranks are a Dragon wherever the rule set
    has one; whether it may be played (a fresh hand) is up to the caller.
    """
    n = popcount(mask)
    top = highest_index(mask)
    if n == 1 and allowed(rules, K.SINGLE):
        return K.SINGLE, top
    if n == 5:
        return _classify_five(rules, mask)
    ranks = popcount(rank_set(mask))
    if n == 2 and ranks == 1 and allowed(rules, K.PAIR):
        return K.PAIR, top
    if n == 3 and ranks == 1 and allowed(rules, K.TRIPLE):
        return K.TRIPLE, top >> 2
    if n == 4 and ranks == 1 and allowed(rules, K.BARE_FOUR):
        return K.BARE_FOUR, top >> 2
    if n == 4 and popcount(ranks_with_two(mask)) == 2 and allowed(rules, K.TWO_PAIR):
        return K.TWO_PAIR, two_pair_strength(rules, mask)
    if n == 13 and ranks == 13 and allowed(rules, K.DRAGON):
        if allowed(rules, K.FLUSH_DRAGON) and mask == 0x1111111111111 << (lowest_index(mask) & 3):
            return K.FLUSH_DRAGON, 0
        return K.DRAGON, 0
    return NOTHING


@inlined
def answers(rules, kind, strength):
    """Set of kinds (by position) that may beat a standing play; kind PASS: that may be led."""
    found = rules.answers[np.uint64(kind)]
    if rules.answers_by_cards:
        found = answers_to_cards(rules, kind, strength)
    if kind == K.SINGLE and rules.kinds_unbeatable_singles >> strength & 1:
        found &= rules.dragons
    return found


@kernel
def answers_to_cards(rules, kind, strength):
    """`answers` where 2s, or a card that beats every play, have answers of their own."""
    found = rules.answers[np.uint64(kind)]
    if all_twos(kind, strength):
        found = rules.answers_to_twos[np.uint64(kind)]
    if kind == K.SINGLE and rules.kinds_singles_beat_all >> strength & 1:
        found &= rules.dragons | SINGLES
    return found


@inlined
def all_twos(kind, strength):
    """Whether a play is made of 2s: a single, a pair, a triple, or a bare four."""
    if kind == K.SINGLE or kind == K.PAIR:
        return strength >> 2 == 12
    return (kind == K.TRIPLE or kind == K.BARE_FOUR) and strength == 12


@inlined
def answering_singles(rules, cards, kind):
    """Of the cards that may be played alone, those that may answer a standing play of a kind."""
    return cards & rules.singles_answer if kind > K.SINGLE else cards


@kernel
def beats(rules, kind, strength, table_kind, table_strength):
    """Whether one classified play beats another; strengths decide inside one kind."""
    if not answers(rules, table_kind, table_strength) >> rules.position[kind] & 1:
        return False
    if kind == K.SINGLE and not answering_singles(rules, np.int64(1) << strength, table_kind):
        return False
    return kind != table_kind or strength > table_strength
