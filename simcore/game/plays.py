# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Every legal play of a position: kernels.

Plays come out in the canonical order: kinds as the rule set orders them (weakest first), then
strength, then mask; the pass, when there is one, comes last. Twin: reference.legal_plays.
"""

import numpy as np

from simcore.foundation.bits import (
    ONES,
    highest_index,
    lowest_index,
    popcount,
    rank_set,
    ranks_with_four,
    ranks_with_three,
)
from simcore.foundation.jit import inlined, kernel
from simcore.game import kinds as K
from simcore.game.combinations import answering_singles, answers, classify
from simcore.game.groups import (
    ALL,
    ANY,
    ONE,
    ZERO,
    count_fours,
    count_full_houses,
    count_pairs,
    count_triples,
    list_bare_fours,
    list_fours,
    list_full_houses,
    list_pairs,
    list_singles,
    list_triples,
    list_two_pairs,
    list_two_pairs_by_second,
    put,
    weakest_four,
    weakest_full_house,
    weakest_pair,
    weakest_triple,
)
from simcore.game.straights import (
    ALL_SUITS,
    BY_PLACE,
    BY_SUIT,
    count_all_flushes,
    count_straight_flushes,
    count_straights,
    list_flushes,
    list_straight_flushes,
    list_straights,
    list_straights_by_rules,
    list_suited_by_suit,
    straights_in,
    weakest_straight,
)
from simcore.game.turns import beats_with_highest


@kernel
def buffer_size(cards):
    """Plays that a hand of so many cards cannot exceed: its subsets of 1 to 5 cards, and a pass."""
    total, subsets = 3, 1
    for k in range(1, 6):
        subsets = subsets * (cards - k + 1) // k
        total += subsets
    return total


@kernel
def list_usual_kind(rules, hand, kind, above, plays, n, limit):
    """`list_kind` where the rules compare straights by place, and two pairs by suit."""
    if kind == K.SINGLE:
        return list_singles(hand, above, plays, n, limit)
    if kind == K.PAIR:
        return list_pairs(hand, above, plays, n, limit)
    if kind == K.TRIPLE:
        return list_triples(hand, above, plays, n, limit)
    if kind == K.TWO_PAIR:
        return list_two_pairs(hand, above, plays, n, limit)
    if kind == K.BARE_FOUR:
        return list_bare_fours(hand, above, plays, n, limit)
    if kind == K.STRAIGHT:
        return list_straights(rules, hand, ALL_SUITS, above, plays, n, limit)
    if kind == K.FLUSH:
        return list_flushes(rules, hand, above, plays, n, limit)
    if kind == K.FULL_HOUSE:
        return list_full_houses(hand, above, plays, n, limit)
    if kind == K.FOUR_OF_A_KIND:
        return list_fours(hand, above, plays, n, limit)
    if kind == K.STRAIGHT_FLUSH or kind == K.ROYAL_FLUSH:
        return list_straight_flushes(rules, hand, kind, BY_PLACE, above, plays, n, limit)
    found, strength = classify(rules, hand)
    return put(plays, n, hand, kind, strength) if found == kind else n


@kernel
def list_kind_by_rules(rules, hand, kind, above, plays, n, limit):
    """`list_kind`, with the strengths of kinds that the rules compare otherwise."""
    if kind == K.TWO_PAIR and rules.kinds_two_pair_second:
        return list_two_pairs_by_second(rules, hand, above, plays, n, limit)
    if kind == K.STRAIGHT:
        return list_straights_by_rules(rules, hand, above, plays, n, limit)
    if kind == K.STRAIGHT_FLUSH or kind == K.ROYAL_FLUSH:
        compare = rules.straights_compare_suited
        if compare == BY_SUIT:
            return list_suited_by_suit(rules, hand, kind, above, plays, n, limit)
        return list_straight_flushes(rules, hand, kind, compare, above, plays, n, limit)
    return list_usual_kind(rules, hand, kind, above, plays, n, limit)


@inlined
def list_any_kind(rules, hand, kind, above, plays, n, limit):
    """`list_kind` for kernels; most rules pay only for what they need."""
    if rules.strengths_differ:
        return list_kind_by_rules(rules, hand, kind, above, plays, n, limit)
    return list_usual_kind(rules, hand, kind, above, plays, n, limit)


@kernel
def list_kind(rules, hand, kind, above, plays, n, limit):
    """List the plays of one kind that are stronger than `above` (-1: all of them).

    hand: int64; plays: records PLAY, written from index n on; limit: stop when n reaches it.
    Returns the new n. Dragons need a fresh hand, which is for the caller to see to.
    """
    return list_any_kind(rules, hand, kind, above, plays, n, limit)


@kernel
def count_kind(rules, hand, kind, above, plays):
    """Number of plays that `list_kind` would list; plays is scratch space."""
    if kind == K.SINGLE:
        return popcount(hand & (-1 << (above + 1)))
    if kind == K.PAIR:
        return count_pairs(hand, above)
    if kind == K.TRIPLE:
        return count_triples(hand, above)
    if kind == K.STRAIGHT:
        return count_straights(rules, hand, above)
    if kind == K.FULL_HOUSE:
        return count_full_houses(hand, above)
    if kind == K.FOUR_OF_A_KIND:
        return count_fours(hand, above)
    if kind == K.STRAIGHT_FLUSH or kind == K.ROYAL_FLUSH:
        return count_straight_flushes(rules, hand, kind, above)
    if kind == K.FLUSH and above < 0:
        return count_all_flushes(rules, hand)
    return list_any_kind(rules, hand, kind, above, plays, ZERO, ALL)


@kernel
def weakest_of_kind(rules, hand, kind, above, plays):
    """(mask, strength) of the first play that `list_kind` would list, (0, 0) if there is none."""
    if kind == K.SINGLE:
        mask = hand & (-1 << (above + 1))
        mask &= -mask
    elif kind == K.PAIR:
        mask = weakest_pair(hand, above)
    elif kind == K.TRIPLE:
        mask = weakest_triple(hand, above)
    elif kind == K.FULL_HOUSE:
        mask = weakest_full_house(hand, above)
    elif kind == K.FOUR_OF_A_KIND:
        mask = weakest_four(hand, above)
    elif kind == K.STRAIGHT:
        mask = weakest_straight(rules, hand, above, plays)
    elif list_any_kind(rules, hand, kind, above, plays, ZERO, ONE):
        return plays[0].mask, np.int64(plays[0].strength)
    else:
        return ZERO, ZERO
    if mask == 0:
        return ZERO, ZERO
    return mask, classify(rules, mask)[1]


@inlined
def kinds_to_try(rules, hand, kind, strength, fresh):
    """Set of kinds (by position) worth listing against a standing play; kind PASS: to lead.

    fresh: the hand has played nothing yet; Dragons need that, and thirteen different ranks.
    """
    kinds = answers(rules, kind, strength)
    if kinds & rules.dragons and not (fresh and is_dragon(hand)):
        kinds &= ~rules.dragons
    return kinds


@inlined
def formable_kinds(rules, hand):
    """Set of kinds that a fresh hand may form: all but those that lack what they are made of."""
    kinds = ANY
    if ranks_with_four(hand) == 0:
        kinds &= ~rules.by_four
    if ranks_with_three(hand) == 0:
        kinds &= ~rules.by_three
    if straights_in(rules, hand, 0, ANY) == 0:
        kinds &= ~rules.by_straight
    longest = ZERO
    for suit in range(4):
        longest = max(longest, popcount(hand & ONES << suit))
    if longest < 5:
        kinds &= ~rules.by_suit
    if not is_dragon(hand):
        kinds &= ~rules.dragons
    return kinds


@inlined
def is_dragon(hand):
    """Whether the hand is thirteen cards of thirteen ranks."""
    return popcount(hand) == 13 and rank_set(hand) == 8191


@inlined
def playable_singles(rules, hand, next_left):
    """Last-card rule: when the next seat has one card left, a single must be one's highest."""
    if rules.last_card_highest_single and next_left == 1:
        return 1 << highest_index(hand)
    return hand


@inlined
def must_answer(rules, hand, kind, strength, next_left):
    """Last-card rule: whether one may not pass, as one's highest card beats the standing single."""
    return (
        rules.last_card_no_pass
        and next_left == 1
        and beats_with_highest(rules, hand, kind, strength)
    )


@inlined
def keep_required(plays, start, n, required, alone):
    """Opening rule: keep only the plays that contain the required card, or the one that is it.

    Returns the new n.
    """
    kept = start
    for i in range(start, n):
        if plays[i].mask & required and (not alone or plays[i].mask == required):
            kept = put(plays, kept, plays[i].mask, plays[i].kind, plays[i].strength)
    return kept


@kernel
def list_legal(rules, hand, kind, strength, kinds, required, next_left, plays):
    """List the legal plays of some kinds, and the pass. Returns (number of them, not formed).

    kinds: set of kinds by position, out of `kinds_to_try`; not formed: the kinds of which the hand
    has none at any strength, so that smaller hands out of it have none either. The rest as in
    `legal_plays`.
    """
    n = not_formed = ZERO
    while kinds:
        p = lowest_index(kinds)
        kinds &= kinds - 1
        tried = rules.kind_at[p]
        before = n
        cards = hand
        if tried == K.SINGLE:
            cards = answering_singles(rules, playable_singles(rules, hand, next_left), kind)
        n = list_any_kind(rules, cards, tried, strength if tried == kind else ANY, plays, n, ALL)
        if n == before and tried != kind and tried != K.SINGLE:
            not_formed |= 1 << p
    if required:
        n = keep_required(plays, ZERO, n, required, rules.opening_alone)
    if kind != K.PASS and not must_answer(rules, hand, kind, strength, next_left):
        n = put(plays, n, ZERO, K.PASS, ZERO)
    return n, not_formed


@kernel
def legal_plays(rules, hand, kind, strength, required, next_left, fresh, plays):
    """List every legal play, and the pass behind them where one may pass. Returns their number.

    rules: record RULES; hand: int64 mask; kind, strength: the standing play (PASS, 0 to lead);
    required: one-card mask that the play must contain, 0 for none; next_left: cards of the next
    seat (0: unknown); fresh: nothing played from this hand yet; plays: records PLAY with at least
    `buffer_size` items. Every subset of the hand that `classify` accepts and `beats` prefers is
    there exactly once. Source: the rule set's document; twin: reference.legal_plays.
    """
    kinds = kinds_to_try(rules, hand, kind, strength, fresh)
    return list_legal(rules, hand, kind, strength, kinds, required, next_left, plays)[0]
