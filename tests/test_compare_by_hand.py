"""Guards comparisons on hand-worked tables."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from analyses.compare import (
    difference_frame,
    duel_frame,
    gain_frame,
    matrix_frame,
    score_frame,
    swap_frame,
)
from analyses.contrasts import Sample
from simcore.errors import InputError
from simcore.samples.scores import Scores
from tests.samples import by_hand, cell, close

# A alone against three B: +6, 0, +3 for A; B alone against three A: -3, +3, -3 for B.
HAND = [
    by_hand("1v3", "ABBB", [[6, -6], [0, 0], [3, -3]], [[1, 0], [0, 1], [1, 0]]),
    by_hand("1v3", "BAAA", [[-3, 3], [3, -3], [-3, 3]], [[0, 1], [1, 0], [0, 1]]),
]


def test_matrix_by_hand() -> None:
    """Means (6 + 0 + 3) / 3 and (-3 + 3 - 3) / 3, standard deviations 3 and √12, t of 2: 4.3027."""
    frame = matrix_frame(Sample(HAND))
    t = 4.302652729696142
    close(cell(frame, strategy="A", measure="payoff"), 3.0, t * 3 / math.sqrt(3))
    close(cell(frame, strategy="B", measure="payoff"), -1.0, t * math.sqrt(12) / math.sqrt(3))
    assert cell(frame, strategy="A", measure="win_rate")["estimate"] == pytest.approx(2 / 3)
    assert set(frame["opponent"]) == {"A", "B"} and set(frame["deals"]) == {3}


def test_scores_by_hand_count_the_field_of_oneself() -> None:
    """A meets fields of A (exactly 0) and of B: half of 3; wins half of 1/4 + 2/3."""
    frame = score_frame(Sample(HAND))
    assert cell(frame, strategy="A", measure="payoff")["estimate"] == 1.5
    assert cell(frame, strategy="B", measure="payoff")["estimate"] == -0.5
    wins = cell(frame, strategy="A", measure="win_rate")["estimate"]
    assert wins == pytest.approx((1 / 4 + 2 / 3) / 2)


def test_differences_by_hand_are_paired() -> None:
    """Deal by deal (6 + 3) / 2, (0 - 3) / 2, (3 + 3) / 2: mean 2, variance 9.75."""
    row = cell(difference_frame(Sample(HAND)), measure="payoff")
    close(row, 2.0, 4.302652729696142 * math.sqrt(9.75 / 3))
    assert row["p"] == pytest.approx(stats.ttest_1samp([4.5, -1.5, 3.0], 0).pvalue, rel=1e-9)
    assert row["p_holm"] == row["p"]


def test_swaps_by_hand() -> None:
    """Beside three B: A got 3, B gets 0. Beside three A: A gets 0, B got -1."""
    frame = swap_frame(Sample(HAND), "A", "B")
    assert cell(frame, opponents="B, B, B", measure="payoff")["estimate"] == 3.0
    assert cell(frame, opponents="A, A, A", measure="payoff")["estimate"] == 1.0
    assert cell(frame, opponents="mean", measure="payoff")["estimate"] == 2.0
    assert len(frame) == 6


def test_swap_needs_the_same_opponents() -> None:
    """ABCD and EBCD differ in one seat, ABCD and EBCC in two."""
    one = by_hand("mixed", "ABCD", [[6, -2, -2, -2]] * 2, [[1, 0, 0, 0]] * 2)
    other = by_hand("mixed", "EBCD", [[2, -2, 2, -2]] * 2, [[1, 0, 0, 0]] * 2)
    wrong = by_hand("mixed", "EBCC", [[2, -1, -1]] * 2, [[1, 0, 0]] * 2)
    frame = swap_frame(Sample([one, other, wrong]), "A", "E")
    assert frame["opponents"].tolist() == ["B, C, D"] * 2
    assert frame["estimate"].tolist() == [4.0, 0.0]
    assert swap_frame(Sample([one, wrong]), "A", "E").empty


def test_mixed_score_is_the_mean_over_its_tables() -> None:
    tables = [
        by_hand("mixed", "ABCD", [[4, 0, 0, -4], [0, 0, 0, 0]], [[1, 0, 0, 0]] * 2),
        by_hand("mixed", "ABCE", [[8, -8, 0, 0], [4, 0, 0, -4]], [[1, 0, 0, 0]] * 2),
    ]
    sample = Sample(tables)
    assert sample.names == list("ABCDE")
    assert score_frame(sample).query("measure == 'payoff'")["estimate"].tolist() == [
        4,
        -2,
        0,
        -2,
        -2,
    ]
    shared = duel_frame(sample)
    assert cell(shared, first="A", second="D", measure="payoff")["estimate"] == 4.0
    assert not ((shared["first"] == "D") & (shared["second"] == "E")).any()


def test_duels_are_at_tables_of_two_where_there_are_any() -> None:
    mixed = by_hand("mixed", "ABCD", [[9, -3, -3, -3]] * 2, [[1, 0, 0, 0]] * 2)
    two = by_hand("2v2", "ABAB", [[4, -4], [8, -8]], [[1, 0]] * 2)
    for tables, expected in (([mixed], 12), ([mixed, two], 6)):
        frame = duel_frame(Sample(tables))
        assert cell(frame, first="A", second="B", measure="payoff")["estimate"] == expected


def test_a_field_is_its_own_baseline() -> None:
    tables = [
        by_hand("field", "AFFF", [[3, -3], [9, -9]], [[1, 0], [0, 1]]),
        by_hand("field", "BFFF", [[3, -3], [3, -3]], [[1, 0], [1, 0]]),
    ]
    sample = Sample(tables)
    assert sample.names == ["A", "B", "F"]
    frame = score_frame(sample)
    assert frame.query("measure == 'payoff'")["estimate"].tolist() == [6, 3, 0]
    assert frame.query("measure == 'win_rate'")["estimate"].tolist() == [0.5, 1, 0.25]
    differences = difference_frame(sample)
    assert cell(differences, first="A", second="B", measure="payoff")["estimate"] == 3


def test_gains_by_hand() -> None:
    """2v2 with two seatings a deal: playouts -1, 3, 3, 3 for A, so deals of 1 and 3.

    Difference A - B = 2 A: variance of deals 8, of playouts 4 · 3 = 12: 12 / 8 = 1.5 times fewer
    deals, each of two playouts: 0.75.
    """
    payoff = np.array([-1, 3, 3, 3])
    products = np.zeros((2, 2, 2))
    products[0] = [[(payoff**2).sum(), -(payoff**2).sum()], [-(payoff**2).sum(), (payoff**2).sum()]]
    sums = np.zeros((2, 2, 2), np.int64)
    sums[0] = [[4, -4], [12, -12]]  # two seats and two seatings each
    table = Scores("2v2", tuple("ABAB"), 0, np.zeros((2, 2), np.int8), sums, products)
    row = cell(gain_frame(Sample([table])), measure="payoff")
    assert row["deals"] == pytest.approx(1.5) and row["playouts"] == pytest.approx(0.75)
    assert row["seatings"] == pytest.approx(0.75) and row["pairing"] == pytest.approx(1)


def test_nothing_and_different_deals_are_refused() -> None:
    with pytest.raises(InputError, match="no table"):
        Sample([])
    with pytest.raises(InputError, match="same deals"):
        Sample([HAND[0], replace(HAND[1], first=7)])
