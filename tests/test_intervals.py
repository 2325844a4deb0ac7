"""Guards the estimators: against scipy, on huge integers, and their coverage."""

import math
from collections.abc import Callable
from itertools import permutations
from math import nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from analyses import strategy_table
from analyses.intervals import (
    Estimate,
    heavy_tailed_ratio,
    mean_over_deals,
    ratio_over_deals,
    share_over_deals,
)
from simcore import simulate
from simcore.statistics import t_quantile
from tests.support import expected_share

# name: (rules, lineup, seatings, stake); the table sizes, repeated strategies, every plan


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95, 0.99])
def test_t_quantile(level: float) -> None:
    for degrees in [*range(1, 220), 1000, 10**6, 10**12]:
        exact = stats.t.ppf((1 + level) / 2, degrees)
        assert t_quantile(level, degrees) == pytest.approx(exact, rel=1e-8)
        for family in (6, 100):
            exact = stats.t.ppf((1 + level ** (1 / family)) / 2, degrees)
            assert t_quantile(level, degrees, family) == pytest.approx(exact, rel=1e-8)


def mean_of(values: Any, per_deal: float = 1, level: float = 0.95) -> Estimate:
    """The estimator, fed as it asks: exact sums in Python integers."""
    whole = [int(value) for value in values]
    return mean_over_deals(sum(whole), sum(v * v for v in whole), len(whole), per_deal, level)


def ratio_of(x: Any, n: Any, level: float = 0.95) -> Estimate:
    """The estimator of Σx / Σn, fed as it asks."""
    xs, ns = [int(value) for value in x], [int(value) for value in n]
    pairs = list(zip(xs, ns, strict=True))
    return ratio_over_deals(
        sum(xs), sum(ns), sum(a * a for a in xs), sum(a * b for a, b in pairs),
        sum(b * b for b in ns), len(xs), level,
    )  # fmt: skip


@pytest.mark.parametrize("n", [5, 6, 20, 500])
@pytest.mark.parametrize("spread", [1, 1000, 10**8])
def test_mean_over_deals(n: int, spread: int) -> None:
    rng = np.random.default_rng([n, spread])
    values = rng.integers(-spread, 3 * spread, n)
    for level in (0.9, 0.95):
        found = mean_of(values, 4, level)
        exact = stats.t.interval(level, n - 1, values.mean() / 4, stats.sem(values / 4))
        assert found.n_deals == n
        assert found.mean == pytest.approx(values.mean() / 4, rel=1e-12)
        half = (found.high - found.low) / 2
        assert half == pytest.approx((exact[1] - exact[0]) / 2, rel=0.01)
        error = half / t_quantile(level, n - 1)
        assert error == pytest.approx(stats.sem(values / 4), rel=1e-9)


@pytest.mark.parametrize("n", [5, 20, 500])
def test_ratio_over_deals(n: int) -> None:
    rng = np.random.default_rng(n)
    counts = rng.integers(0, 5, n)
    wins = rng.binomial(counts, 0.3)
    found = ratio_of(wins, counts)
    ratio = wins.sum() / counts.sum()
    error = np.std(wins - ratio * counts, ddof=1) * math.sqrt(n) / counts.sum()
    assert found.mean == pytest.approx(ratio, rel=1e-12)
    half = (found.high - found.low) / 2
    assert half == pytest.approx(t_quantile(0.95, n - 1) * error, rel=1e-9)
    assert half == pytest.approx(stats.t.ppf(0.975, n - 1) * error, rel=0.01)


def test_ratio_with_equal_counts_is_the_mean() -> None:
    wins = np.random.default_rng(1).integers(0, 5, 80)
    ratio, mean = ratio_of(wins, np.full(80, 4)), mean_of(wins, 4)
    assert (ratio.mean, ratio.low, ratio.high) == pytest.approx((mean.mean, mean.low, mean.high))


@given(st.lists(st.integers(-(10**30), 10**30), min_size=2, max_size=30))
def test_huge_integers_lose_nothing(values: list[int]) -> None:
    """Squares of 10**60, and a small spread on a large mean: no overflow, no cancellation."""
    shifted = [10**40 + value for value in values]
    for sample, whole in [(values, sum(values)), (shifted, sum(shifted))]:
        found = mean_of(sample)
        assert found.mean == pytest.approx(whole / len(sample), rel=1e-12, abs=1e-300)
        assert found.low <= found.mean <= found.high or len(set(values)) == 1
    n = len(values)
    spread = n * sum(v * v for v in values) - sum(values) ** 2
    total = sum(shifted)
    assert n * sum(v * v for v in shifted) - total**2 == spread
    half = t_quantile(0.95, n - 1) * math.sqrt(spread / n / n / (n - 1))
    found = mean_of(values)
    if spread:
        assert (found.high - found.low) / 2 == pytest.approx(
            half, rel=1e-9, abs=1e-13 * abs(found.mean)
        )


def test_values_that_never_vary_say_nothing_of_the_spread() -> None:
    """No interval of no width: the deals to come may differ."""
    for value in (0, 7, -(10**25), 10**18 + 1):
        found = mean_of([value] * 12, 4)
        assert found.mean == value / 4 and math.isnan(found.low) and math.isnan(found.high)
    for value, count in [(0, 3), (3, 3), (1, 3)]:
        found = ratio_of([value] * 12, [count] * 12)
        assert found.mean == value / count and math.isnan(found.low) and math.isnan(found.high)


def share_of(x: Any, n: Any, most: float = 1.0, level: float = 0.95) -> Estimate:
    """The estimator of a share Σx / Σn, fed as it asks."""
    xs, ns = [int(value) for value in x], [int(value) for value in n]
    pairs = list(zip(xs, ns, strict=True))
    return share_over_deals(
        sum(xs), sum(ns), sum(a * a for a in xs), sum(a * b for a, b in pairs),
        sum(b * b for b in ns), len(xs), most, level,
    )  # fmt: skip


@pytest.mark.parametrize("n", [5, 20, 500])
@pytest.mark.parametrize("most", [1.0, 1 / 2])
def test_share_over_deals(n: int, most: float) -> None:
    rng = np.random.default_rng(n)
    counts = rng.integers(0, 5, n) * round(1 / most)
    wins = rng.binomial((counts * most).astype(int), rng.beta(1, 3, n))
    for level in (0.9, 0.95):
        found = share_of(wins, counts, most, level)
        assert found.mean == pytest.approx(wins.sum() / counts.sum(), rel=1e-12)
        bounds = expected_share(wins, counts, most, level)
        assert (found.low, found.high) == pytest.approx(bounds, rel=1e-9)


def test_where_nothing_was_seen_a_share_is_worth_its_deals() -> None:
    """Four playouts of a deal may all agree: 0 of 110 deals, whatever the playouts."""
    for per_deal in (1, 4):
        counts = np.full(110, per_deal)
        none, all_of = share_of(0 * counts, counts), share_of(counts, counts)
        _, high = proportion_confint(0, 110, method="wilson")
        factor = (stats.t.ppf(0.975, 110 * per_deal - 1) / stats.t.ppf(0.975, 109)) ** 2
        assert none.high == pytest.approx(high, rel=2 * (1 - factor) + 1e-9)
        assert (none.low, all_of.high) == (0, 1) and all_of.low == pytest.approx(1 - none.high)
    half = share_of(2 * counts, 4 * counts, 1 / 2)  # two seats, one of which always wins
    assert half.high == 1 / 2 and 0.45 < half.low < 0.49


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=40),
    st.sampled_from([0.5, 0.95, 0.99]),
)
def test_shares_stay_inside(deals: list[tuple[int, int]], level: float) -> None:
    counts, wins = [a + b for a, b in deals], [a for a, _ in deals]
    found = share_of(wins, counts, 1.0, level)
    if sum(counts) ** 2 >= 2 * sum(n * n for n in counts) > 0:  # worth two deals
        assert 0 <= found.low <= found.mean <= found.high <= 1
        assert found.low < found.high


def test_too_few_deals_have_no_interval() -> None:
    def shape(found: Estimate) -> list[float]:
        return [found.mean, found.low, found.high, found.n_deals]

    np.testing.assert_equal(shape(mean_of([])), [nan, nan, nan, 0])
    np.testing.assert_equal(shape(mean_of([6], 4)), [1.5, nan, nan, 1])
    np.testing.assert_equal(shape(ratio_of([], [])), [nan, nan, nan, 0])
    np.testing.assert_equal(shape(ratio_of([1], [4])), [0.25, nan, nan, 1])
    np.testing.assert_equal(shape(ratio_of([0, 0], [0, 0])), [nan, nan, nan, 2])


def test_heavy_tailed_ratio() -> None:
    """The jackknife's variance, deal by deal; Student's t with fewer degrees for heavy tails."""
    rng = np.random.default_rng(5)
    x, n = rng.exponential(2.0, 400) ** 2, rng.exponential(3.0, 400)
    found = heavy_tailed_ratio(x, n)
    left_out = [np.delete(x, i).sum() / np.delete(n, i).sum() for i in range(400)]
    error = math.sqrt(399 / 400 * sum((r - np.mean(left_out)) ** 2 for r in left_out))
    kurtosis = stats.kurtosis(x - found.mean * n, fisher=False)
    degrees = int(800 / (kurtosis - 1))
    assert 5 < degrees < 100
    assert found.mean == pytest.approx(x.sum() / n.sum())
    assert (found.high - found.low) / 2 == pytest.approx(
        stats.t.ppf(0.975, degrees) * error, rel=0.01
    )


def test_light_tails_have_the_usual_interval() -> None:
    rng = np.random.default_rng(6)
    x, n = rng.integers(0, 5, 3000), rng.integers(1, 9, 3000)
    usual, found = ratio_of(x.tolist(), n.tolist()), heavy_tailed_ratio(x, n)
    assert found.mean == usual.mean
    assert found.high - found.low == pytest.approx(usual.high - usual.low, rel=0.005)


def test_heavy_tailed_ratio_of_next_to_nothing() -> None:
    for x, n in (([], []), ([1.0, 2.0], [1.0, 1.0]), ([1.0, 2.0, 3.0], [0.0, 0.0, 2.0])):
        found = heavy_tailed_ratio(np.array(x), np.array(n))
        assert math.isnan(found.low) and math.isnan(found.high) and found.n_deals == len(x)
    same = heavy_tailed_ratio(np.ones(9), np.ones(9))
    assert (same.low, same.mean, same.high) == (1.0, 1.0, 1.0)


def covered(
    estimate: Callable[[Any, Any], Estimate],
    draw: Callable[[np.random.Generator], Any],
    truth: float,
) -> float:
    """Share of 4,000 seeded experiments whose 95 % interval holds the truth."""
    rng = np.random.default_rng(2024)
    found = [estimate(*draw(rng)) for _ in range(4000)]
    return float(np.mean([e.low <= truth <= e.high for e in found]))


def clustered(rng: np.random.Generator) -> tuple[Any, Any]:
    """Wins and playouts of 80 deals; each deal has its own chance, 0.3 on average."""
    chance = rng.beta(0.6, 1.4, 80)
    counts = np.full(80, 4)
    return rng.binomial(counts, chance), counts


def uneven(rng: np.random.Generator) -> tuple[Any, Any]:
    """As `clustered`, but deals with a better chance also bring more playouts in the seat."""
    chance = rng.beta(2, 2, 200)
    counts = rng.binomial(4, chance)
    return rng.binomial(counts, chance), counts


# E(x) / E(n) of `uneven`: the second moment over the first of Beta(2, 2), 0.3 / 0.5.
TRUTH = 0.6


def test_mean_intervals_cover_the_truth() -> None:
    """4,000 experiments: the share has a standard error of 0.35 %."""
    assert 0.94 <= covered(lambda x, n: mean_of(x, 4), clustered, 0.3) <= 0.96


def test_share_intervals_cover_the_truth() -> None:
    assert 0.94 <= covered(share_of, clustered, 0.3) <= 0.97
    assert 0.94 <= covered(share_of, uneven, TRUTH) <= 0.96
    few = covered(share_of, lambda rng: (rng.binomial(1, 0.06, 20), np.ones(20)), 0.06)
    assert 0.94 <= few <= 0.98


def test_ratio_intervals_cover_the_truth() -> None:
    assert 0.94 <= covered(ratio_of, clustered, 0.3) <= 0.96
    assert 0.94 <= covered(ratio_of, uneven, TRUTH) <= 0.96


def test_intervals_over_playouts_would_not_cover() -> None:
    """What the deal as the unit is for: playouts of one deal are far from independent."""

    def naive(x: Any, n: Any) -> Estimate:
        return mean_of(np.repeat([1, 0], [x.sum(), (n - x).sum()]))

    assert covered(naive, clustered, 0.3) < 0.9


@pytest.mark.parametrize("strategy", ["dump", "random"])
def test_intervals_cover_with_real_playouts(strategy: str) -> None:
    """1,600 samples of 50 deals each, against the mean of all 80,000 (standard error 0.54 %)."""
    run = simulate("douque", "dump,random,lowest,highest", 80_000, 31, "balanced")
    rows = run.playouts()
    slots = np.array(list(permutations(range(4))))[rows.seating]
    slot = ["dump", "random"].index(strategy)
    seat = (slots == slot).argmax(1)
    wins = (rows.winner.to_numpy() == seat).reshape(-1, 50, 4).sum(2)
    truth = wins.mean() / 4
    found = [mean_of(sample, 4) for sample in wins]
    assert 0.93 <= np.mean([e.low <= truth <= e.high for e in found]) <= 0.97
    row = strategy_table(run.summary).set_index("strategy").loc[strategy]
    assert row.win_rate == pytest.approx(truth, rel=1e-12)
