"""Guards the dealer: exact probabilities of dealt hands, fair seats.

Statistical tests have fixed seeds. Each compares with an exact probability and fails beyond
|z| = 4, which a right dealer passes with probability 0.99994; a chi-squared test is turned into a
normal deviate. The last test shows that they catch a well-known wrong shuffle.
"""

from typing import Any

import numpy as np
import pytest

from tests.dealt import (
    DEALS,
    LIMIT,
    PROBABILITIES,
    deals,
    features,
    in_suits,
    popcount,
    rank_counts,
)
from tests.support import RULE_SETS, z_of_counts, z_of_mean, z_of_share

# One hand


@pytest.mark.parametrize("seat", range(4))
def test_probabilities_of_a_dealt_hand(seat: int) -> None:
    """100,000 hands of each seat, nine events with exact probabilities, |z| < 4."""
    found = features(deals("maceplay").hands[:, seat])
    for event, probability in PROBABILITIES.items():
        assert abs(z_of_share(found[event], probability)) < LIMIT, event


LONGEST_SUIT = {
    4: 0.350805248,
    5: 0.443396600,
    6: 0.165476860,
    7: 0.035266400,
    8: 0.004667610,
    9: 0.000370445,
    10: 1.64642e-5,
    11: 3.64074e-7,
}
DIFFERENT_RANKS = {
    4: 6.305e-7,
    5: 1.5144e-4,
    6: 0.00551114,
    7: 0.0583089,
    8: 0.2298846,
    9: 0.3742307,
    10: 0.2562021,
    11: 0.0694225,
    12: 0.00618234,
    13: 1.0568e-4,
}
RANKS_HELD_TWICE = [
    1.0568e-4,
    0.01303014,
    0.14802368,
    0.40991574,
    0.34212890,
    0.08276134,
    0.00403452,
]


@pytest.mark.parametrize("seat", range(4))
def test_longest_suit_and_ranks_of_a_dealt_hand(seat: int) -> None:
    """Chi-squared over the whole distributions, |z| < 4."""
    hands = deals("maceplay").hands[:, seat]
    longest = in_suits(hands).sum(axis=2).max(axis=1)
    seen = np.bincount(longest, minlength=14)[4:12]
    assert abs(z_of_counts(seen, list(LONGEST_SUIT.values()))) < LIMIT
    counts = rank_counts(hands)
    seen = np.bincount((counts > 0).sum(axis=1), minlength=14)[4:]
    assert abs(z_of_counts(seen, list(DIFFERENT_RANKS.values()))) < LIMIT
    seen = np.bincount((counts >= 2).sum(axis=1), minlength=7)
    assert abs(z_of_counts(seen, RANKS_HELD_TWICE)) < LIMIT


@pytest.mark.parametrize("seat", range(4))
def test_sum_of_ranks_and_number_of_twos_of_a_dealt_hand(seat: int) -> None:
    """The rank index sums to 78 on average, spread sqrt(2366 / 17); one 2 on average."""
    counts = rank_counts(deals("maceplay").hands[:, seat])
    rank_sum = counts @ np.arange(13)
    assert abs(z_of_mean(rank_sum, 78)) < LIMIT
    assert abs(z_of_mean((rank_sum - 78.0) ** 2, 2366 / 17)) < LIMIT
    twos = [0.3038175270, 0.4388475390, 0.2134933974, 0.0412004802, 0.0026410564]
    assert abs(z_of_counts(np.bincount(counts[:, 12], minlength=5), twos)) < LIMIT


# Cards and seats


def check_cards_in_seats(hands: Any) -> None:
    """Each card is in each seat equally often: chi-squared for each card, |z| < 4.5 for all 52."""
    for card in range(52):
        seats = (hands >> card & 1).sum(axis=0)
        assert seats.sum() == len(hands)
        assert abs(z_of_counts(seats, [0.25] * 4)) < 4.5, card


def check_twos_and_ranks(hands: Any) -> None:
    """Every seat has one 2 and a rank sum of 78 on average: |z| < 4."""
    for seat in range(4):
        counts = rank_counts(hands[:, seat])
        assert abs(z_of_mean(counts[:, 12], 1)) < LIMIT, f"2s of seat {seat}"
        assert abs(z_of_mean(counts @ np.arange(13), 78)) < LIMIT, f"ranks of seat {seat}"


@pytest.mark.parametrize("seed", [0, 2, 2**63 + 5])
def test_every_card_is_in_every_seat_equally_often(seed: int) -> None:
    hands = deals("maceplay", 4, 40_000, seed).hands
    check_cards_in_seats(hands)
    check_twos_and_ranks(hands)


def test_neighbouring_cards_of_the_deck_are_dealt_independently() -> None:
    """Two given cards meet in one hand with probability 12/51: |z| < 4.5 for 52 neighbours."""
    hands = deals("maceplay").hands
    for card in range(52):
        pair = 1 << card | 1 << (card + 1) % 52
        together = ((hands & pair) == pair).any(axis=1)
        assert abs(z_of_share(together, 12 / 51)) < 4.5, card


def test_successive_deals_are_independent() -> None:
    """A card is in the same seat as in the deal before in a quarter of the deals: |z| < 4."""
    for card in (0, 13, 51):
        seat = (deals("maceplay").hands >> card & 1).argmax(axis=1)
        assert abs(z_of_share(seat[1:] == seat[:-1], 0.25)) < LIMIT


@pytest.mark.parametrize("name", RULE_SETS)
def test_the_starter_s_seat_is_uniform(name: str) -> None:
    starters = deals(name, 4, 40_000).starters
    assert abs(z_of_counts(np.bincount(starters, minlength=4), [0.25] * 4)) < LIMIT


def test_the_starter_has_fewer_twos_than_the_others() -> None:
    """Whoever holds the 3 of clubs has 48/51 twos, each other seat 52/51."""
    all_deals = deals("maceplay")
    twos = popcount(all_deals.hands >> 48)
    each = np.arange(DEALS)
    own = twos[each, all_deals.starters]
    assert abs(z_of_mean(own, 48 / 51)) < LIMIT
    pmf = [0.3291356543, 0.4388475390, 0.1957022809, 0.0343337335, 0.0019807923]
    assert abs(z_of_counts(np.bincount(own, minlength=5), pmf)) < LIMIT
    other = twos[each, (all_deals.starters + 1) % 4]
    assert abs(z_of_mean(other, 52 / 51)) < LIMIT
    pmf = [0.2953781513, 0.4388475390, 0.2194237695, 0.0434893958, 0.0028611445]
    assert abs(z_of_counts(np.bincount(other, minlength=5), pmf)) < LIMIT
    highest = all_deals.hands[each, all_deals.starters] >> 51 & 1
    assert abs(z_of_share(highest, 12 / 51)) < LIMIT


def test_how_the_twos_are_split_over_the_four_hands() -> None:
    twos = np.sort(popcount(deals("maceplay").hands >> 48), axis=1)[:, ::-1]
    splits = [(4, 0, 0, 0), (3, 1, 0, 0), (2, 2, 0, 0), (2, 1, 1, 0), (1, 1, 1, 1)]
    seen = [(twos == split).all(axis=1).sum() for split in splits]
    pmf = [0.0105642257, 0.1648019208, 0.1348379352, 0.5842977191, 0.1054981993]
    assert sum(seen) == DEALS
    assert abs(z_of_counts(seen, pmf)) < LIMIT


def test_a_four_and_a_dragon_among_four_hands() -> None:
    hands = deals("maceplay").hands
    counts = [rank_counts(hands[:, seat]) for seat in range(4)]
    four = np.any([(c == 4).any(axis=1) for c in counts], axis=0)
    assert abs(z_of_share(four, 0.1281472212)) < LIMIT
    dragon = np.any([(c > 0).all(axis=1) for c in counts], axis=0)
    assert abs(z_of_share(dragon, 0.0004225996)) < LIMIT


# The positive control


def naive_deals(n: int) -> Any:
    """The wrong shuffle: card i changes places with any card; dealt in blocks of thirteen."""
    rng = np.random.default_rng(1)
    deck = np.tile(np.arange(52), (n, 1))[:, ::-1].copy()
    deck = 51 - deck  # sorted from 3 to 2
    rows = np.arange(n)
    for i in range(52):
        j = rng.integers(52, size=n)
        deck[rows, i], deck[rows, j] = deck[rows, j], deck[rows, i].copy()
    bits = np.left_shift(np.int64(1), deck)
    return bits.reshape(n, 4, 13).sum(axis=2)


def test_the_naive_shuffle_is_caught() -> None:
    """Its mean 2s are 0.80, 0.92, 1.08 and 1.20: 3,000 deals are enough for both tests."""
    hands = naive_deals(20_000)
    assert (np.bitwise_or.reduce(hands, axis=1) == (1 << 52) - 1).all()
    means = popcount(hands >> 48).mean(axis=0)
    assert sorted(means.round(1).tolist()) == [0.8, 0.9, 1.1, 1.2]
    with pytest.raises(AssertionError, match="2s of seat"):
        check_twos_and_ranks(hands[:3_000])
    with pytest.raises(AssertionError):
        check_cards_in_seats(hands[:3_000])
