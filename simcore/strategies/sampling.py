# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Hands that the others may hold, drawn from what one seat knows: kernels."""

from simcore.foundation.bits import FULL, popcount
from simcore.foundation.jit import kernel
from simcore.foundation.rng import below


@kernel
def hidden_cards(rules, view, cards):
    """(number of the unseen cards, card that the starter must hold as a mask, or 0).

    Fills cards (int64[52]) with one-card masks. Where every card is dealt, the starter of a first
    hand holds the opening card until it is seen.
    """
    unseen = FULL & ~(view.seen | view.hand)
    opening = unseen & 1 << rules.opening_card
    if rules.deal or not view.first_hand or view.starter == 0 or view.cards_left[view.starter] == 0:
        opening = 0
    unseen &= ~opening
    n = 0
    while unseen:
        cards[n] = unseen & -unseen
        unseen &= unseen - 1
        n += 1
    return n, opening


@kernel
def deal_hidden(view, cards, n, opening, rng, hands):
    """Deal the unseen cards to the other seats, uniformly among what fits their numbers.

    view: record VIEW; cards[:n], opening: of `hidden_cards`; rng: record STREAM; hands: int64, one
    for each seat counted from oneself, [0] own. Cards beyond the others' numbers are out of play.
    """
    hands[0] = view.hand
    place = 0
    for k in range(1, view.players):
        hand = view.hand & 0
        if opening and view.starter == k:
            hand |= opening
        for _ in range(view.cards_left[k] - popcount(hand)):
            other = place + below(rng, n - place)
            card = cards[other]
            cards[other] = cards[place]
            cards[place] = card
            hand |= card
            place += 1
        hands[k] = hand
