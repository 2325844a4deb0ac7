"""Dealing: kernels. Twin: reference.deal; facts: exact probabilities of a dealt hand.

The deck is shuffled as physical cards (rank, suit letter), so that every rule set sees the same
cards under one (seed, deal_index), whatever its suit order.
"""

from simcore.foundation.bits import lowest_index
from simcore.foundation.jit import inlined, kernel
from simcore.foundation.rng import DEALING, below, start_stream

NO_SUIT_CARD = 0x1111111111111


@inlined
def _draw(rng, deck, first, count):
    """Move `count` random cards to deck[first:first + count] and return their mask."""
    mask = deck[0] & 0
    for k in range(first, first + count):
        j = k + below(rng, 52 - k)
        card = deck[j]
        deck[j] = deck[k]
        deck[k] = card
        mask |= card
    return mask


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
    if left_over and rules.opening_card_first:
        # Put the opening card in front, and give it to a uniform seat before all others.
        lucky = below(rng, players)
        opening = 1 << rules.opening_card
        for k in range(52):
            if deck[k] == opening:
                deck[k] = deck[0]
                deck[0] = opening
        first = 1
    dealt = deck[0] & 0
    for seat in range(players - 1):
        hands[seat] = _draw(rng, deck, first, each)
        first += each
        dealt |= hands[seat]
    if first + each == 52:
        hands[players - 1] = ((1 << 52) - 1) & ~dealt
        if lucky >= 0:
            hands[players - 1] &= ~deck[0]
    else:
        hands[players - 1] = _draw(rng, deck, first, each)
        dealt |= hands[players - 1]
    if lucky >= 0:
        hands[lucky] |= deck[0]
    elif left_over:
        holder, _ = opening_seat(rules, players, hands)
        hands[holder] |= ((1 << 52) - 1) & ~dealt


@kernel
def opening_seat(rules, players, hands):
    """(starter, opening card in play as a one-card mask).

    The opening card, or if it is out of play the next higher one of its suit, and so on; if that
    whole suit is out of play, the lowest card in play.
    """
    in_play = hands[0]
    for seat in range(1, players):
        in_play |= hands[seat]
    suit = rules.opening_card & 3
    candidates = in_play & (NO_SUIT_CARD << suit) & (-1 << rules.opening_card)
    if candidates == 0:
        candidates = in_play & (NO_SUIT_CARD << suit)
    if candidates == 0:
        candidates = in_play
    card = 1 << lowest_index(candidates)
    for seat in range(players):
        if hands[seat] & card:
            return seat, card
    return 0, card
