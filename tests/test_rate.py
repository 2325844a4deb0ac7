"""Guards ratings and Nash averaging: exact cases, known truth, scipy's maximum likelihood."""

import math
from itertools import permutations

import numpy as np
import pytest
from scipy.optimize import minimize

from analyses.contrasts import Sample
from analyses.rate import (
    BLOCKS,
    ELO,
    block_sums,
    nash_frame,
    nash_mixture,
    percentiles,
    rating_frame,
    resampled,
    strengths,
)
from simcore.errors import InputError
from tests.samples import all_tables, cut, scored

STRENGTH = {"A": 4.0, "B": 2.0, "C": 1.0, "D": 0.5}
SKILL = {"A": 0, "B": 1, "C": 2, "D": 3}


def test_two_strategies_by_hand() -> None:
    """Three wins to one, half a win each besides: strengths 3.5 : 1.5."""
    theta = strengths(np.array([[0.0, 3.0], [1.0, 0.0]]))
    assert theta[0] - theta[1] == pytest.approx(math.log(3.5 / 1.5), abs=1e-6)
    assert theta.sum() == pytest.approx(0, abs=1e-9)


def test_strengths_are_the_maximum_of_the_likelihood() -> None:
    rng = np.random.default_rng(1)
    wins = rng.integers(1, 50, (5, 5)).astype(float)
    np.fill_diagonal(wins, 0)
    used = wins + 0.5 * (wins + wins.T > 0)

    def loss(theta: np.ndarray) -> float:
        return float(
            -sum(
                used[i, j] * (theta[i] - np.logaddexp(theta[i], theta[j]))
                for i, j in permutations(range(5), 2)
            )
        )

    best = minimize(loss, np.zeros(5), tol=1e-12).x
    assert strengths(wins) == pytest.approx(best - best.mean(), abs=1e-4)


def test_who_never_wins_is_rated_last_and_finite() -> None:
    theta = strengths(np.array([[0.0, 5, 5], [0, 0, 3], [0, 2, 0]]))
    assert np.isfinite(theta).all() and theta[0] > theta[1] > theta[2]


def test_ratings_find_the_truth() -> None:
    """400 points for ten times the strength, whatever the payoffs."""
    sample = Sample(all_tables("ABCD", 3000, skill=SKILL, strength=STRENGTH))
    frame = rating_frame(sample, resamples=200)
    assert frame["strategy"].tolist() == list("ABCD")
    log = np.log(list(STRENGTH.values()))
    truth = ELO * (log - log.mean())
    error = (frame["high"] - frame["low"]) / 2 / 1.96
    assert (np.abs(frame["rating"] - truth) < 4 * error).all()
    leads = frame["lead"].to_numpy()
    assert leads[:3] == pytest.approx(-np.diff(frame["rating"])) and math.isnan(leads[3])
    assert (frame["lead_low"][:3] < leads[:3]).all() and (leads[:3] < frame["lead_high"][:3]).all()
    strength = 10 ** (frame["rating"][0] / 400)
    assert frame["expected"][0] == pytest.approx(strength / (strength + 3))


def test_copies_are_rated_alike() -> None:
    frame = rating_frame(Sample(all_tables("ABCD", 500, skill=SKILL)), resamples=200)
    assert (frame["low"] <= 3).all() and (frame["high"] >= -3).all()


def test_nash_of_known_games() -> None:
    stone = np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    assert nash_mixture(stone) == pytest.approx([1 / 3] * 3, abs=1e-6)
    ladder = np.array([[0.0, 1, 2], [-1, 0, 1], [-2, -1, 0]])
    assert nash_mixture(ladder) == pytest.approx([1, 0, 0], abs=1e-6)
    # a beats b by 1, b beats c by 2, c beats a by 3: weights 2 : 3 : 1
    skewed = np.array([[0.0, 1, -3], [-1, 0, 2], [3, -2, 0]])
    assert nash_mixture(skewed) == pytest.approx([2 / 6, 3 / 6, 1 / 6], abs=1e-6)
    assert nash_mixture(np.zeros((4, 4))) == pytest.approx([0.25] * 4)


def test_copies_share_the_weight_of_one() -> None:
    stone = np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    doubled = stone[np.ix_([0, 1, 2, 2], [0, 1, 2, 2])]
    assert nash_mixture(doubled) == pytest.approx([1 / 3, 1 / 3, 1 / 6, 1 / 6], abs=1e-5)


def test_nobody_gains_against_the_mixture() -> None:
    rng = np.random.default_rng(1)
    for size in (2, 3, 5, 8):
        half = rng.normal(size=(size, size)) * 100
        game = half - half.T
        mixture = nash_mixture(game)
        assert mixture.sum() == pytest.approx(1) and (mixture >= 0).all()
        assert (game @ mixture).max() < 1e-3


def test_nash_frame_of_a_cycle_and_of_a_ladder() -> None:
    pairs = [("A", "B"), ("B", "C"), ("C", "A")]
    cycle = [scored("2v2", 2 * (a + b), 800, skill={a: 2, b: 0}) for a, b in pairs]
    frame = nash_frame(Sample(cycle), resamples=100)
    assert frame["weight"].to_numpy() == pytest.approx([1 / 3] * 3, abs=0.05)
    width = frame["weight_high"] - frame["weight_low"]
    assert (np.abs(frame["weight"] - 1 / 3) < width).all() and (width < 0.05).all()
    assert frame["payoff"].to_numpy() == pytest.approx([0] * 3, abs=1e-6)
    ladder = nash_frame(Sample(all_tables("ABCD", 800, skill=SKILL)), resamples=100)
    best = ladder.iloc[0]
    assert (best["strategy"], best["weight"], best["weight_low"]) == ("D", 1, 1)
    # head to head 4 · (3 - skill) a seat
    at = ladder.set_index("strategy")["payoff"]
    assert [at[name] for name in "CBA"] == pytest.approx([-4, -8, -12], rel=0.1)


def test_nash_needs_pairs_that_met() -> None:
    tables = [scored("field", a + "FFF", 10, skill={a: 0, "F": 0}) for a in "AB"]
    with pytest.raises(InputError, match="A and B never sat at one table"):
        nash_frame(Sample(tables))
    assert len(rating_frame(Sample(tables), resamples=20)) == 3


def test_one_deal_and_one_strategy() -> None:
    tables = [cut(t, 0, 1) for t in all_tables("ABCD", 2, skill=SKILL)]
    frame = rating_frame(Sample(tables))
    assert frame["low"].isna().all() and frame["rating"].notna().all()
    assert nash_frame(Sample(tables))["weight_low"].isna().all()
    with pytest.raises(InputError, match="give two or more"):
        rating_frame(Sample([scored("field", "AAAA", 5, skill={"A": 0})]))


def test_blocks_hold_all_deals() -> None:
    values = np.random.default_rng(1).normal(size=(2 * BLOCKS + 7, 3))
    blocks = block_sums(values)
    assert blocks.shape == (BLOCKS, 3)
    assert blocks.sum(axis=0) == pytest.approx(values.sum(axis=0))
    assert block_sums(values[:5]) == pytest.approx(values[:5])


def test_percentiles_hold_a_new_draw_as_often_as_they_say() -> None:
    """Of 39 draws the least and the largest: a fortieth is in between with probability 38 / 40."""
    low, high = percentiles(np.arange(39.0)[::-1], 0.95)
    assert (low, high) == pytest.approx((0, 38))
    draws = np.random.default_rng(1).normal(size=(40, 20_000))
    low, high = percentiles(draws[1:], 0.95)
    assert ((low < draws[0]) & (draws[0] < high)).mean() == pytest.approx(0.95, abs=0.006)


def test_bootstrap_has_the_spread_of_a_sum() -> None:
    values = np.random.default_rng(1).normal(size=(5000, 1))
    draws = resampled(block_sums(values), 4000, 1)
    assert draws.std() == pytest.approx(values.std() * math.sqrt(5000), rel=0.06)
    assert (draws == resampled(block_sums(values), 4000, 1)).all()
