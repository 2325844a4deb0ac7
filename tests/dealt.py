"""What the tests of dealing share: many deals at once, and features of hands by plain counting."""

from functools import lru_cache
from math import comb
from typing import Any

import numpy as np

from simcore.foundation.jit import kernel, records
from simcore.foundation.rng import STREAM
from simcore.game.dealing import deal, opening_seat
from tests.support import table

DEALS = 100_000
HANDS = comb(52, 13)
LIMIT = 4


@kernel
def _deal_many(rules, players, seed, first, rng, deck, hands, starters, openings):
    for i in range(len(hands)):
        deal(rules, players, seed, first + i, rng, deck, hands[i])
        starters[i], openings[i] = opening_seat(rules, players, hands[i])


class Deals:
    """Many deals: hands int64[deals, players] as masks, starters, opening cards in play."""

    def __init__(self, name: str, players: int, n: int = DEALS, seed: int = 1, first: int = 0):
        self.hands = np.zeros((n, players), np.int64)
        self.starters = np.zeros(n, np.int64)
        self.openings = np.zeros(n, np.int64)
        stream, deck = records(STREAM, 1)[0], np.zeros(52, np.int64)
        _deal_many(
            *(table(name), players, np.uint64(seed), first, stream, deck),
            *(self.hands, self.starters, self.openings),
        )


@lru_cache(maxsize=12)
def deals(name: str, players: int = 4, n: int = DEALS, seed: int = 1) -> Deals:
    return Deals(name, players, n, seed)


def popcount(masks: Any) -> Any:
    return np.bitwise_count(np.asarray(masks, np.int64))


def rank_counts(hands: Any) -> Any:
    """int[hands, 13]: how many cards of each rank."""
    return popcount(hands[:, None] >> (4 * np.arange(13)) & 15)


def in_suits(hands: Any) -> Any:
    """bool[hands, 4, 13]: which cards are held."""
    cards = np.arange(13) * 4 + np.arange(4)[:, None]
    return (hands[:, None, None] >> cards & 1).astype(bool)


WINDOWS = np.array(
    [[11, 12, 0, 1, 2], [12, 0, 1, 2, 3], *([r + i for i in range(5)] for r in range(8))]
)


def has_straight(held: Any) -> Any:
    """Whether all five ranks of one of the ten sequences are held; last axis: 13 ranks."""
    return held[..., WINDOWS].all(axis=-1).any(axis=-1)


PROBABILITIES = {
    "no_pair": 4**13 / HANDS,
    "triple": 311_410_338_096 / HANDS,
    "four": 21_717_689_136 / HANDS,
    "full_house": 307_061_893_424 / HANDS,
    "straight": 355_161_047_872 / HANDS,
    "five_of_a_suit": 412_247_470_340 / HANDS,
    "straight_flush": 10_644_616_240 / HANDS,
    "four_or_straight_flush": 32_135_585_392 / HANDS,
    "no_five_cards_without_flush": 105_482_810_624 / HANDS,
}


def features(hands: Any) -> dict[str, Any]:
    """Which hands hold what, by counting ranks and suits."""
    counts, suits = rank_counts(hands), in_suits(hands)
    held = counts > 0
    triple, four = (counts >= 3).any(axis=1), (counts == 4).any(axis=1)
    full = triple & ((counts >= 2).sum(axis=1) >= 2)
    straight, straight_flush = has_straight(held), has_straight(suits).any(axis=1)
    return {
        "no_pair": held.all(axis=1),
        "triple": triple,
        "four": four,
        "full_house": full,
        "straight": straight,
        "five_of_a_suit": (suits.sum(axis=2) >= 5).any(axis=1),
        "straight_flush": straight_flush,
        "four_or_straight_flush": four | straight_flush,
        "no_five_cards_without_flush": ~(full | straight | four | straight_flush),
    }
