"""Random and nasty positions, each with what legal plays depend on.

Hands full of pairs, of one suit, of consecutive ranks, 4-4-4-1, Dragons; tables of every kind;
opening card, last-card rule, fresh or not; one to eighteen cards.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from tests import reference
from tests.reference import RANKS, Rules

DECK = range(52)


@dataclass
class Position:
    """Everything that legal plays depend on; the table as cards, None to lead."""

    hand: tuple[str, ...]
    to_beat: tuple[str, ...] | None = None
    must_include: str | None = None
    next_left: int | None = None
    fresh: bool = False


# Hands


def sizes(rng: random.Random) -> int:
    """Mostly the sizes of ordinary hands, small ones more often because they are many in play."""
    return rng.choice((1, 2, 3, 4, 5, 5, 6, 7, 8, 9, 10, 11, 12, 13, 13))


def random_hand(rng: random.Random) -> list[int]:
    return rng.sample(DECK, sizes(rng))


def few_ranks(rng: random.Random) -> list[int]:
    ranks = rng.sample(range(13), rng.choice((2, 3, 4, 5, 6)))
    pool = [card for card in DECK if card // 4 in ranks]
    return rng.sample(pool, min(sizes(rng), len(pool)))


def few_suits(rng: random.Random) -> list[int]:
    suits = rng.sample(range(4), rng.choice((1, 2, 2)))
    pool = [card for card in DECK if card % 4 in suits]
    return rng.sample(pool, min(rng.choice((5, 6, 7, 8, 9)), len(pool)))


def long_suit(rng: random.Random) -> list[int]:
    """Up to all thirteen cards of a suit."""
    suit, length = rng.randrange(4), rng.choice((9, 10, 11, 12, 13))
    hand = rng.sample([card for card in DECK if card % 4 == suit], length)
    return hand + rng.sample([card for card in DECK if card % 4 != suit], 13 - length)


def neighbours(rng: random.Random) -> list[int]:
    """Consecutive ranks, around the ace and the 2 as well."""
    start = rng.randrange(13)
    ranks = {(start + step) % 13 for step in range(rng.choice((5, 6, 7)))}
    pool = [card for card in DECK if card // 4 in ranks]
    return rng.sample(pool, min(rng.choice((5, 6, 8, 10, 13)), len(pool)))


def three_fours(rng: random.Random) -> list[int]:
    ranks = rng.sample(range(13), 4)
    return [4 * rank + suit for rank in ranks[:3] for suit in range(4)] + [4 * ranks[3]]


def dragon(rng: random.Random) -> list[int]:
    suits = [rng.randrange(4)] * 13 if rng.random() < 0.2 else rng.choices(range(4), k=13)
    return [4 * rank + suit for rank, suit in enumerate(suits)]


def large(rng: random.Random) -> list[int]:
    return rng.sample(DECK, rng.choice((17, 18)))


HANDS: list[tuple[Callable[[random.Random], list[int]], float]] = [
    (random_hand, 45),
    (few_ranks, 20),
    (few_suits, 14),
    (neighbours, 14),
    (three_fours, 1.5),
    (dragon, 3),
    (large, 1.5),
    (long_suit, 0.7),
]


# Tables


@lru_cache(maxsize=60)
def tables(rules: Rules) -> dict[str, list[tuple[str, ...]]]:
    """A few hundred combinations of each kind, found by the reference."""
    rng = random.Random(5)
    deck = reference.full_deck(rules)
    found: dict[str, list[tuple[str, ...]]] = {}
    for kind in ("single", "pair", "triple", "bare_four"):
        size = reference.SIZES[kind]
        groups = [[card for card in deck if card[0] == rank] for rank in RANKS]
        found[kind] = [cards for group in groups for cards in combinations(group, size)]
    chosen = [card for make in (few_ranks, neighbours, few_suits) for card in [make] * 25]
    for make in chosen:
        hand = [deck[card] for card in make(rng)]
        for cards, kind in rng.sample(
            plays := reference.legal_plays(rules, hand), min(30, len(plays))
        ):
            if len(cards) > 3:
                found.setdefault(kind, []).append(cards)
    for suit in rules.suits:  # the rare ones
        for sequence, _ in rules.straights_order:
            cards = tuple(rank + suit for rank in sequence)
            if combination := reference.classify(rules, cards):
                found.setdefault(combination[0], []).append(cards)
    return {kind: plays for kind, plays in found.items() if kind in rules.kinds_allowed and plays}


def positions(rules: Rules, rng: random.Random) -> Iterator[Position]:
    """Random positions of the rule set without end, four for each hand."""
    makers, weights = zip(*HANDS, strict=True)
    deck = reference.full_deck(rules)
    while True:
        hand = {deck[card] for card in rng.choices(makers, weights)[0](rng)}
        for _ in range(4):
            yield position(rules, rng, hand)


def position(rules: Rules, rng: random.Random, hand: set[str]) -> Position:
    """A random table or lead for the hand."""
    deck = reference.full_deck(rules)
    chosen = Position(tuple(sorted(hand)), fresh=rng.random() < 0.5)
    if rng.random() < 0.4:
        chosen.next_left = rng.choice((1, 1, 2, 13))
    if rng.random() < 0.75:
        pool = tables(rules)
        standing = pool[rng.choice(list(pool))]
        for _ in range(20):
            cards = rng.choice(standing)
            if hand.isdisjoint(cards):
                chosen.to_beat = cards
                break
        if "dragon" in rules.kinds_allowed and rng.random() < 0.01:
            others = [[c for c in deck if c[0] == rank and c not in hand] for rank in RANKS]
            if all(others):
                chosen.to_beat = tuple(rng.choice(group) for group in others)
    elif rng.random() < 0.3:
        chosen.must_include = rng.choice((min(hand, key=deck.index), rng.choice(chosen.hand)))
    return chosen
