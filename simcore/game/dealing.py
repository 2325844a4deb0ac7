# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Dealing: kernels. Twin: reference.deal; facts: exact probabilities of a dealt hand.

The deck is shuffled as physical cards (rank, suit letter), so that every rule set sees the same
cards under one (seed, deal_index), whatever its suit order.
"""

import numpy as np

from simcore.foundation.bits import FULL, ONES, lowest_index
from simcore.foundation.jit import inlined, kernel
from simcore.foundation.rng import DEALING, WORDS, below, refill, start_stream, three_below


@inlined
def _swap(deck, i, j):
    """Exchange two cards."""
    # Unsigned: numba need not ask whether an index counts from the end.
    i, j = np.uint64(i), np.uint64(j)
    card = deck[j]
    deck[j] = deck[i]
    deck[i] = card


@inlined
def _shuffle(rng, deck, first, end):
    """Move random cards to deck[first:end] (Fisher and Yates), three to a random word."""
    k = first
    used = rng.used  # here in a register: each draw would wait for the one before
    while k + 3 <= end:
        if used >= WORDS:
            refill(rng)
            used = np.int64(0)
        a, b, c, fair = three_below(np.uint64(rng.words[np.uint64(used)]), 52 - k)
        used += 1
        if fair:
            _swap(deck, k, k + a)
            _swap(deck, k + 1, k + 1 + b)
            _swap(deck, k + 2, k + 2 + c)
            k += 3
    rng.used = used
    while k < end:
        _swap(deck, k, k + below(rng, 52 - k))
        k += 1


@kernel
def deal(rules, players, seed, deal_index, rng, deck, hands):
    """Deal one deal: fills hands[:players] (int64 masks).

    rules: record RULES; seed: uint64; rng: record STREAM; deck: int64[52] scratch space. With all
    cards dealt, those that do not divide go to the holder of the opening card, which is either
    dealt first (to a uniform seat) or looked for afterwards.
    """
    start_stream(rng, seed, deal_index, DEALING)
    for k in range(52):
        deck[k] = rules.deck[k]
    each = rules.deal if rules.deal else 52 // players
    left_over = 0 if rules.deal else 52 - each * players
    first = 0
    lucky = -1
    if left_over and rules.leftover_opening_card_first:
        # Put the opening card in front, and give it to a uniform seat before all others.
        lucky = below(rng, players)
        opening = 1 << rules.opening_card
        for k in range(52):
            if deck[k] == opening:
                deck[k] = deck[0]
                deck[0] = opening
        first = 1
    # With every card dealt, the last hand is what the others leave.
    whole = first + each * players == 52
    _shuffle(rng, deck, first, first + each * (players - 1 if whole else players))
    dealt = deck[0] if lucky >= 0 else deck[0] & 0
    for seat in range(players):
        hand = deck[0] & 0
        if whole and seat == players - 1:
            hand = FULL & ~dealt
        else:
            for k in range(first + seat * each, first + (seat + 1) * each):
                hand |= deck[np.uint64(k)]
        hands[seat] = hand
        dealt |= hand
    if lucky >= 0:
        hands[lucky] |= deck[0]
    elif left_over:
        holder, _ = opening_seat(rules, players, hands)
        hands[holder] |= FULL & ~dealt


@kernel
def is_first_hand(rules, deal_index):
    """Whether the opening card decides who starts: in a session's first hand, or in all of them."""
    return rules.session_lead == 0 or deal_index % rules.session_hands == 0


@kernel
def opening_seat(rules, players, hands):
    """(starter, opening card in play as a one-card mask).

    The opening card. If it is out of play, by the rules the lowest card in play, or the next higher
    one of its suit, and so on; if that whole suit is out of play, the lowest card in play.
    """
    in_play = hands[0]
    for seat in range(1, players):
        in_play |= hands[seat]
    suit = rules.opening_card & 3
    candidates = in_play & (ONES << suit) & (-1 << rules.opening_card)
    if candidates == 0:
        candidates = in_play & (ONES << suit)
    if candidates == 0 or (
        rules.opening_not_dealt_lowest and in_play >> rules.opening_card & 1 == 0
    ):
        candidates = in_play
    card = 1 << lowest_index(candidates)
    for seat in range(players):
        if hands[seat] & card:
            return seat, card
    return 0, card
