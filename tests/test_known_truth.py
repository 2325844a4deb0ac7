"""Guards the analyses with models whose truth is known."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analyses.luck import playouts_until_ahead, variance_shares
from analyses.session import first_passage, session
from tests.samples import block


def additive(deals: int, seed: int, strategy: float, seat: float, cards: float, rest: float) -> Any:
    """A field of four in all rotations, payoffs of independent parts with these variances."""
    rng = np.random.default_rng(seed)
    group = (np.arange(4) + np.arange(4)[:, None]) % 4
    effects = np.array([1, -1, 1, -1])
    starter = rng.integers(0, 4, deals)
    position = (np.arange(4) - starter[:, None]) % 4
    y = (
        math.sqrt(strategy) * effects[group]
        + math.sqrt(seat) * effects[position][:, None, :]
        + math.sqrt(cards) * _zero_sum(rng.normal(size=(deals, 1, 4)))
        + math.sqrt(rest) * _zero_sum(rng.normal(size=(deals, 4, 4)))
    )
    return block(y, group, starter)


def _zero_sum(x: Any) -> Any:
    """Of variance 1, with sum zero over the seats."""
    return (x - x.mean(axis=2, keepdims=True)) / math.sqrt(3 / 4)


@pytest.mark.parametrize("parts", [(1, 1, 1, 1), (4, 0, 1, 3), (0, 0, 0, 1), (0.1, 0.2, 5, 0.5)])
def test_variance_shares_of_a_known_model(parts: tuple[float, ...]) -> None:
    found = variance_shares(additive(20_000, 5, *parts))
    for share, part in zip(found.to_dict("records"), parts, strict=True):
        assert share["share"] == pytest.approx(part / sum(parts), abs=0.01), share
        assert share["share_low"] <= share["share"] <= share["share_high"]
        assert share["variance"] == pytest.approx(part, abs=0.05 * sum(parts))


def test_a_fair_field_shows_no_skill() -> None:
    """Without strategies or seats, their shares are within noise of 0, and 0 in their intervals."""
    found = variance_shares(additive(300, 8, 0, 0, 1, 1)).set_index("source")
    for source in ("strategy", "seat"):
        assert found.loc[source, "share_low"] == 0 and found.loc[source, "share"] < 0.01


def test_chance_adds_nothing_to_the_shares() -> None:
    """Estimates of nothing are below 0 as often as not, even from few deals, so they show as 0."""
    found = pd.concat([variance_shares(additive(12, seed, 0, 0, 1, 1)) for seed in range(40)])
    zeros = found[found["share"] == 0].groupby("source").size()
    assert zeros["strategy"] > 12 and zeros["seat"] > 12


def test_twins_never_get_ahead() -> None:
    """The same payoffs under two names: no number of playouts is enough."""
    y = np.random.default_rng(2).normal(0, 1, (50, 1, 2))
    twins = block(np.concatenate([y, y[:, :, ::-1]], axis=1), [[0, 1], [0, 1]], np.zeros(50))
    found = playouts_until_ahead(twins).iloc[0]
    assert found["playouts"] == found["duplicate_deals"] == math.inf


def test_playouts_until_ahead_of_a_known_model() -> None:
    """One strategy is 0.5 points better in payoffs with a standard deviation of 3."""
    rng = np.random.default_rng(4)
    half = rng.normal(0.25, 1.5, (20_000, 2))
    y = np.stack([half, -half], axis=2)
    y[:, 1] = -y[:, 1]
    found = playouts_until_ahead(block(y, [[0, 1], [1, 0]], np.zeros(len(y)))).iloc[0]
    z = stats.norm.ppf(0.95)
    assert (found["better"], found["worse"]) == ("a", "b")
    assert found["difference"] == pytest.approx(0.5, abs=0.05)
    assert found["playouts_low"] <= (z * 3 / 0.5) ** 2 <= found["playouts_high"]
    assert found["duplicate_deals_low"] <= (z * 3 / math.sqrt(2) / 0.5) ** 2
    # Drawn: after so many playouts the better one is ahead in 95 %.
    n = int(found["playouts"])
    totals = rng.normal(0.5, 3, (20_000, n)).sum(axis=1)
    assert (totals > 0).mean() == pytest.approx(0.95, abs=0.01)


def test_the_better_one_may_be_unknown() -> None:
    y = np.random.default_rng(1).normal(0, 1, (200, 1, 1)) * np.array([1.0, -1.0])
    found = playouts_until_ahead(block(y, [[0, 1]], np.zeros(200))).iloc[0]
    assert found["playouts_high"] == math.inf and found["playouts_low"] > 0


def test_sessions_of_a_fair_coin() -> None:
    """Steps of ±1: the total's and the ruin's probabilities are exact."""
    steps = np.where(np.arange(2000) % 2, 1, -1)[:, None, None] * np.array([1, -1])
    found = session(block(steps, [[0, 1]], np.zeros(2000)), 25, 5, 20_000)
    a = found[found["strategy"] == "a"].set_index("figure")["value"]
    assert a["mean"] == 0 and a["sd"] == 5
    assert a["loss"] == pytest.approx(0.5, abs=0.015)
    # Reflection: P(reaches -5 within 25) = 2 P(S < -5) + P(S = -5), S the total.
    total = stats.binom(25, 0.5)
    ruin = 2 * total.cdf(9) + total.pmf(10)
    assert a["ruin"] == pytest.approx(ruin, abs=0.015)
    assert a["ruin_diffusion"] == pytest.approx(2 * stats.norm.cdf(-1), abs=1e-9)
    assert a["ruin_ever"] == 1
    assert a["worst_run"] > 5 and a["bankroll"] == 5


@pytest.mark.parametrize(("mean", "sd", "bankroll"), [(0.1, 1, 3), (-0.1, 2, 5), (1, 3, 10)])
def test_first_passage_is_the_inverse_gaussian(mean: float, sd: float, bankroll: float) -> None:
    """The time at which Brownian motion falls by the bankroll, given that it ever does."""
    ever = first_passage(mean, sd, bankroll, math.inf)
    assert ever == pytest.approx(min(1, math.exp(-2 * mean * bankroll / sd**2)))
    scale = (bankroll / sd) ** 2
    time = stats.invgauss(bankroll / abs(mean) / scale, scale=scale)
    for n in (1, 10, 300):
        assert first_passage(mean, sd, bankroll, n) == pytest.approx(ever * time.cdf(n), rel=1e-6)
