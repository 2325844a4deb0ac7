"""Guards statistics at their edges: what the rules cannot bring, what few deals cannot say."""

import math

import numpy as np
import pandas as pd
import pytest

import analyses
from analyses.hands import _robust, hand_regression
from analyses.rare import EVENTS
from simcore import simulate
from tests.samples import block

FIELD = "random,lowest,dump,highest"


@pytest.mark.parametrize(
    ("rules", "left_out"),
    [
        ("douque", set()),
        ("maceplay", {"won with a dragon", "won with a flush dragon", "payoffs multiplied"}),
        ("lockout", {"won with a dragon", "won with a flush dragon", "payoffs multiplied"}),
        ("royal:deal=9", {"won with a dragon", "won with a flush dragon", "payoffs multiplied",
                          "every loser left"}),
    ],
)  # fmt: skip
def test_events_that_the_rules_cannot_bring_are_left_out(rules: str, left_out: set[str]) -> None:
    found = set(analyses.rare_events(simulate(rules, "dump", 20, players=4))["event"])
    every = {event.words for event in EVENTS.values()}
    assert found == {e for e in every if not any(e.startswith(words) for words in left_out)}


def test_nothing_seen_is_no_certainty() -> None:
    run = simulate("douque", "random,dump,dump,dump", 110, 6)
    for frame in (
        analyses.seat_table(run.summary),
        analyses.means(run, ("strategy", "seat_from_starter")),
    ):
        row = frame[(frame["strategy"] == "random") & (frame["seat_from_starter"] == 0)].iloc[0]
        assert (row["win_rate"], row["win_rate_low"]) == (0, 0)
        assert row["win_rate_high"] == pytest.approx(0.0337, abs=1e-4)
        assert (frame["win_rate_low"] < frame["win_rate_high"]).all()
        assert frame["win_rate_low"].ge(0).all() and frame["win_rate_high"].le(1).all()
    table = analyses.strategy_table(run.summary).set_index("strategy")
    assert table.loc["dump", "win_rate_high"] < 1 / 3  # three of them, and one wins


def test_the_mean_of_a_session_is_exact() -> None:
    run = simulate("maceplay", FIELD, 300, 2)
    means = analyses.means(run).set_index("strategy")
    for seed in (0, 1):
        found = analyses.session(run, 50, 100, 100, seed).query("figure == 'mean'")
        mine = found.set_index("strategy")
        for bound, column in (("value", "payoff"), ("low", "payoff_low"), ("high", "payoff_high")):
            assert mine[bound].to_numpy() == pytest.approx(50 * means[column].to_numpy())


def test_intervals_of_sessions_hardly_depend_on_the_seed() -> None:
    run = simulate("maceplay", FIELD, 1000, 2)
    widths = pd.concat(
        [
            found["high"] - found["low"]
            for seed in range(3)
            if len(found := analyses.session(run, 20, 100, seed=seed).set_index(
                ["strategy", "figure"]))
        ],
        axis=1,
    )  # fmt: skip
    same = widths.loc[(slice(None), ["mean", "sd", "ruin_diffusion", "ruin_ever"]), :]
    assert same.nunique(axis=1).eq(1).all()
    drawn = widths.loc[(slice(None), ["q0.5", "worst_run"]), :]
    assert (drawn.max(axis=1) / drawn.min(axis=1)).max() < 1.25


def test_robust_errors_and_degrees_of_freedom() -> None:
    """CR2 and its degrees of freedom by plain matrices, all rows at once."""
    rng = np.random.default_rng(1)
    deals, rows, terms = 7, 4, 3
    n = deals * rows
    x = np.column_stack([np.ones(n), rng.normal(size=n), rng.random(n) < 0.15])
    errors, inverse = rng.normal(size=n), np.linalg.inv(x.T @ x)
    hat = np.eye(n) - x @ inverse @ x.T
    variance, columns = np.zeros(terms), []
    for deal in range(deals):
        own = slice(deal * rows, (deal + 1) * rows)
        values, vectors = np.linalg.eigh(hat[own, own])
        adjusted = vectors @ np.diag(values**-0.5) @ vectors.T @ x[own] @ inverse
        variance += (adjusted.T @ errors[own]) ** 2
        columns.append(hat[own].T @ adjusted)
    found, degrees = _robust(x, errors, inverse, deals)
    assert found == pytest.approx(np.sqrt(variance))
    for term in range(terms):
        forms = np.array([column[:, term] for column in columns])
        values = np.linalg.eigvalsh(forms @ forms.T)
        assert degrees[term] == pytest.approx(values.sum() ** 2 / (values**2).sum())


def test_a_term_that_one_deal_carries_has_no_interval() -> None:
    rng = np.random.default_rng(2)
    deals = 60
    payoff = rng.integers(-9, 9, (deals, 1, 4))
    payoff[:, :, 3] = -payoff[:, :, :3].sum(axis=2)
    run = block(payoff, np.tile(np.arange(4), (1, 1)), rng.integers(0, 4, deals))
    hands = pd.DataFrame(
        {
            "deal": np.repeat(np.arange(deals), 4), "seat": np.tile(np.arange(4), deals),
            "starts": 0, "twos": rng.integers(0, 3, 4 * deals), "aces": 0, "pairs": 0,
            "triples": 0, "bombs": 0, "dragon": False, "least_plays": 7,
        }
    )  # fmt: skip
    hands.loc[2, "bombs"] = 1
    found = hand_regression(run, hands).set_index("term")
    assert math.isnan(found.loc["bombs", "low"])
    assert found.loc[["constant", "twos"], "low"].notna().all()
