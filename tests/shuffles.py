"""Deals of a known kind, fair and not: what the audit of a shuffle must tell apart."""

import random
from collections.abc import Callable
from functools import cmp_to_key
from typing import Any

import numpy as np

from analyses.shuffle.dealt import Deals, layout_of
from analyses.shuffle.fair import Layout, draw

FOUR = Layout(4, 13, tuple(range(52)))
NEW_DECK = np.array([rank * 4 + suit for suit in range(4) for rank in (11, 12, *range(11))])


def fair(deals: int, rng: Any, layout: Layout = FOUR) -> Any:
    """int8[deals, n, m] hands from fair deals."""
    return draw(layout, deals, rng)


def card_by_card(decks: Any) -> Any:
    """Hands of four players out of int[D, 52] decks, dealt one card at a time."""
    return decks.reshape(len(decks), 13, 4).transpose(0, 2, 1).astype(np.int8)


def hand_by_hand(decks: Any) -> Any:
    """The same, thirteen cards at a time."""
    return decks.reshape(len(decks), 4, 13).astype(np.int8)


def as_deals(hands: Any, in_order: bool = True, pile: Any = None) -> Deals:
    """Deals to audit; with hands sorted where their order is not to be known."""
    return Deals(hands if in_order else np.sort(hands, axis=2), layout_of(hands), pile)


def riffle(deck: Any, rng: Any) -> Any:
    """One riffle of Gilbert, Shannon and Reeds: all interleavings of a binomial cut alike."""
    left = rng.permutation(52) < rng.binomial(52, 0.5)
    mixed = np.empty(52, deck.dtype)
    mixed[left], mixed[~left] = deck[: left.sum()], deck[left.sum() :]
    return mixed


def _collected(deals: int, rng: Any, mix: Callable[[Any, Any], Any]) -> Any:
    """One deck from deal to deal: hands picked up one by one, mixed, dealt card by card."""
    deck = rng.permutation(52)
    hands = np.empty((deals, 4, 13), np.int8)
    for i in range(deals):
        deck = mix(deck, rng)
        hands[i] = card_by_card(deck[None])[0]
        deck = hands[i].ravel().astype(np.int64)
    return hands


def cut(deals: int, rng: Any) -> Any:
    """A deck that is cut, and not shuffled."""
    return _collected(deals, rng, lambda deck, rng: np.roll(deck, rng.integers(1, 52)))


def riffles(times: int) -> Callable[[int, Any], Any]:
    """A deck that is riffled some times."""

    def mix(deck: Any, rng: Any) -> Any:
        for _ in range(times):
            deck = riffle(deck, rng)
        return deck

    return lambda deals, rng: _collected(deals, rng, mix)


def comparator(deals: int, rng: Any) -> Any:
    """A new deck, sorted by a comparison that answers at random."""
    chance = random.Random(int(rng.integers(1 << 62)))
    key = cmp_to_key(lambda _a, _b: chance.choice((-1, 1)))
    return card_by_card(np.array([sorted(NEW_DECK.tolist(), key=key) for _ in range(deals)]))


def _swapped(deals: int, rng: Any, low: Callable[[int], int], high: Callable[[int], int]) -> Any:
    """A new deck, in which every place i swaps with a random one of low(i) to high(i) - 1."""
    decks = np.tile(NEW_DECK, (deals, 1))
    rows = np.arange(deals)
    for i in range(52):
        if low(i) < high(i):
            j = rng.integers(low(i), high(i), deals)
            decks[rows, i], decks[rows, j] = decks[rows, j], decks[rows, i].copy()
    return card_by_card(decks)


def sattolo(deals: int, rng: Any) -> Any:
    """Fisher and Yates with j from i + 1: every order is one cycle."""
    return _swapped(deals, rng, lambda i: i + 1, lambda i: 52)


def naive(deals: int, rng: Any) -> Any:
    """Swaps with any place."""
    return _swapped(deals, rng, lambda i: 0, lambda i: 52)


def short(deals: int, rng: Any) -> Any:
    """Fisher and Yates that forgets the last place."""
    return _swapped(deals, rng, lambda i: i, lambda i: max(i + 1, 51))


def seeded(bits: int) -> Callable[[int, Any], Any]:
    """A good shuffle whose generator has 2^bits starting values."""

    def dealt(deals: int, rng: Any) -> Any:
        seeds = rng.integers(0, 1 << bits, deals)
        decks = [np.random.Generator(np.random.SFC64(int(s))).permutation(52) for s in seeds]
        return card_by_card(np.array(decks))

    return dealt


def tricks(times: int) -> Callable[[int, Any], tuple[Any, Any]]:
    """Hands and the pile of what was played: near ranks in a row, riffled some times, dealt."""

    def dealt(deals: int, rng: Any) -> tuple[Any, Any]:
        deck = rng.permutation(52)
        hands, piles = np.empty((deals, 4, 13), np.int8), np.empty((deals, 52), np.int8)
        for i in range(deals):
            hands[i] = card_by_card(deck[None])[0]
            piles[i] = np.argsort((np.arange(52) >> 2) + rng.normal(0, 2, 52))
            deck = piles[i].astype(np.int64)
            for _ in range(times):
                deck = riffle(deck, rng)
        return hands, piles

    return dealt
