"""Guards the analyses: tiny runs worked by hand, other libraries, small and strange runs."""

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import analyses
from analyses.intervals import clopper_pearson, effective_number
from analyses.luck import playouts_until_ahead, variance_shares
from analyses.session import session
from simcore import InputError, RunError, simulate
from simcore.game.kinds import KINDS
from simcore.runs.reading import Block, blocks
from simcore.statistics import wilson
from tests.samples import block
from tests.support import expected_share

FOUR = "random,lowest,dump,highest"


# Two players change seats; a's payoffs are 4, -2 | -1, -3 | 5, 6.
TINY = block([[[4, -4], [2, -2]], [[-1, 1], [3, -3]], [[5, -5], [-6, 6]]],
             [[0, 1], [1, 0]], [0, 1, 0])  # fmt: skip


@pytest.fixture(scope="module")
def field(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("field")
    return simulate("douque", FOUR, 700, 3, out=folder, threads=1)


# ------------------------------------------------------------------ by hand


def test_means_by_hand() -> None:
    a, b = analyses.means(TINY).to_dict("records")
    # Means of a's deals: 1, -2, 5.5; their variance 14.25; Student's t with 2 degrees: 4.3027.
    half = 4.302653 * math.sqrt(14.25 / 3)
    assert (a["deals"], a["playouts"], a["payoff"]) == (3, 6, 1.5)
    assert (a["payoff_low"], a["payoff_high"]) == pytest.approx((1.5 - half, 1.5 + half), rel=1e-4)
    assert b["payoff"] == -1.5 and a["win_rate"] == b["win_rate"] == 0.5
    assert a["cards_left"] == 2.5

    seats = analyses.means(TINY, ("strategy", "seat_from_starter")).to_dict("records")
    # a leads in seat 0 of deals 0 and 2 and seat 1 of deal 1: 4, 5 and -3.
    assert seats[0]["payoff"] == 2 and seats[0]["win_rate"] == pytest.approx(2 / 3)
    assert [row["seat_from_starter"] for row in seats] == [0, 1, 0, 1]
    neighbours = analyses.means(TINY, ("upstream",)).to_dict("records")
    assert [row["payoff"] for row in neighbours] == [-1.5, 1.5]  # after a sits b


def test_distributions_by_hand() -> None:
    found = analyses.distributions(TINY, "payoff")
    a = found[found["strategy"] == "a"]
    assert a["value"].tolist() == [-3, -2, -1, 4, 5, 6] and a["count"].tolist() == [1] * 6
    assert a["at_most"].tolist() == pytest.approx([k / 6 for k in range(1, 7)])
    assert a["at_least"].tolist() == pytest.approx([k / 6 for k in range(6, 0, -1)])
    figures = analyses.quantiles(TINY, "payoff").query("strategy == 'a'").set_index("figure")
    assert figures.loc["mean", "value"] == 1.5
    assert figures.loc["sd", "value"] == pytest.approx(np.std([4, -2, -1, -3, 5, 6]))
    assert figures.loc[["minimum", "q0.5", "maximum"], "value"].tolist() == [-3, -1, 6]
    kinds = analyses.distributions(TINY, "last_kind")
    assert kinds[["value", "count", "share"]].to_numpy().tolist() == [["single", 6, 1.0]]


def test_rare_events_by_hand() -> None:
    one = block(
        [[[9, -4, -5], [-3, 7, -4]]] * 3, [[0, 1, 2], [1, 2, 0]], [0, 0, 1],
        cards_left=[[[0, 13, 13], [2, 0, 13]]] * 3,
        last_kind=[[KINDS.index("dragon"), KINDS.index("bare_four")]] * 3,
        winner_multiplier=[[2, 1]] * 3,
    )  # fmt: skip
    one.columns["last_kind"] = np.array(one.columns["last_kind"])
    found = analyses.rare_events(
        Block(*(getattr(one, f) for f in ("strategies", "slots", "dealt", "deals", "group")),
              {k: np.asarray(v) for k, v in one.columns.items()})
    ).set_index("event")  # fmt: skip
    expected = {"won with a dragon": 3, "won with a flush dragon": 0, "a loser left": 6}
    for start, count in expected.items():
        (row,) = [row for event, row in found.iterrows() if str(event).startswith(start)]
        assert row["playouts"] == count
    # Seat 0 won its deals 0 and 1 as the starter while the others held everything; in deal 2 seat
    # 1 was the starter.
    (slam,) = [row for event, row in found.iterrows() if str(event).startswith("grand slam")]
    assert (slam["playouts"], slam["deals_with"], slam["deals"]) == (2, 2, 3)
    low, high = proportion_confint(2, 3, method="beta")
    assert (slam["deal_rate_low"], slam["deal_rate_high"]) == pytest.approx((low, high))


# ------------------------------------------------------------------ other libraries


@pytest.mark.parametrize(("count", "number"), [(0, 10), (1, 10), (5, 9), (9, 9), (3, 5000)])
def test_intervals_of_shares_are_those_of_statsmodels(count: int, number: int) -> None:
    for mine, method in [
        (clopper_pearson(count, number), "beta"), (wilson(count / number, number), "wilson"),
    ]:  # fmt: skip
        expected = proportion_confint(count, number, method=method)
        assert mine == pytest.approx(expected, abs=1e-12)


def test_clusters_of_equal_playouts_are_worth_one_each() -> None:
    """Ten playouts that always agree are one observation."""
    share, deals = 0.3, 400
    variance = share * (1 - share) / (deals - 1)
    assert effective_number(share, variance, 10 * deals, deals) == pytest.approx(deals, rel=0.01)
    assert effective_number(0.0, 0.0, 10 * deals, deals) == pytest.approx(deals, rel=0.01)


def test_seatings_that_balance_each_other_are_worth_more_than_one_each() -> None:
    """Not capped: half the variance of independent playouts makes twice their number."""
    assert effective_number(0.5, 0.25 / 800, 400, 100) == pytest.approx(800, rel=0.05)


@pytest.mark.parametrize("by", [("strategy",), ("strategy", "seat_from_starter"), ("upstream",)])
def test_means_are_those_of_a_clustered_regression(field: Any, by: tuple[str, ...]) -> None:
    (whole,) = blocks(field, ("starter", "winner", "payoff", "cards_left"))
    rows = pd.DataFrame(
        {
            "deal": np.repeat(whole.deals, whole.seatings * whole.players),
            "strategy": np.array(whole.strategies)[whole.group.ravel()],
            "seat_from_starter": whole.position.ravel(),
            "upstream": np.array(whole.strategies)[np.roll(whole.group, 1, axis=2).ravel()],
            "payoff": whole.columns["payoff"].ravel().astype(float),
        }
    )
    found = analyses.means(field, by).set_index(list(by))
    assert len(found) == len(rows.groupby(list(by)))
    for cell, own in rows.groupby(list(by)):
        fit = sm.OLS(own["payoff"], np.ones(len(own))).fit(
            cov_type="cluster", cov_kwds={"groups": own["deal"]}, use_t=True
        )
        mine = found.loc[cell if len(by) > 1 else cell[0]]
        assert mine["payoff"] == pytest.approx(fit.params.iloc[0])
        half = fit.bse.iloc[0] * stats.t.ppf(0.975, own["deal"].nunique() - 1)
        assert (mine["payoff_high"] - mine["payoff_low"]) / 2 == pytest.approx(half, rel=1e-4)


def test_distributions_are_those_of_pandas(field: Any) -> None:
    tidy = analyses.load(field)
    found = analyses.distributions(field)
    for name in ("payoff", "cards_left"):
        for strategy, own in tidy.groupby("strategy", observed=True):
            mine = found[(found["variable"] == name) & (found["strategy"] == strategy)]
            counts = own[name].value_counts().sort_index()
            assert mine["value"].tolist() == counts.index.tolist()
            assert mine["count"].tolist() == counts.tolist()
            # Each share's variance by plain clusters, and the tails as plain means.
            value = mine["value"].iloc[len(mine) // 2]
            for column, hits in [("share", own[name] == value), ("at_most", own[name] <= value),
                                 ("at_least", own[name] >= value)]:  # fmt: skip
                share = hits.mean()
                row = mine[mine["value"] == value].iloc[0]
                assert row[column] == pytest.approx(share)
                bounds = (row[f"{column}_low"], row[f"{column}_high"])
                wins = hits.groupby(own["deal"]).agg(["sum", "count"]).to_numpy()
                assert bounds == pytest.approx(expected_share(*wins.T), rel=1e-9)
    playouts = tidy[tidy["seat"] == 0]
    figures = analyses.quantiles(field, "plays").set_index("figure")["value"]
    for q in (0.01, 0.5, 0.95):
        expected = np.quantile(playouts["plays"], q, method="inverted_cdf")
        assert figures[f"q{q:g}"] == expected
    assert figures["sd"] == pytest.approx(playouts["plays"].std(ddof=0))


def test_differences_are_paired_t_intervals(field: Any) -> None:
    tidy = analyses.load(field)
    deals = tidy.pivot_table("payoff", "deal", "strategy", observed=True)
    for row in analyses.differences(field.summary).to_dict("records"):
        d = deals[row["row"]] - deals[row["column"]]
        low, high = stats.t.interval(0.95, len(d) - 1, d.mean(), stats.sem(d))
        assert row["payoff"] == pytest.approx(d.mean())
        assert (row["low"], row["high"]) == pytest.approx((low, high), rel=1e-4, abs=1e-4)


def test_repeated_strategies_count_by_slot() -> None:
    run = simulate("lockout", "dump,random,dump,lowest", 200, 2, stake=3)
    tidy = run.playouts()
    found = analyses.differences(run.summary).set_index(["row", "column"])
    table = analyses.strategy_table(run.summary).set_index("strategy")["payoff"]
    assert found.loc[("dump", "random"), "payoff"] == pytest.approx(table["dump"] - table["random"])
    assert len(tidy) == 800
    means = analyses.means(run).set_index("strategy")
    assert means["payoff"].to_dict() == pytest.approx(table.to_dict())


# ------------------------------------------------------------------ reading runs


ALL: dict[str, Callable[[Any], pd.DataFrame]] = {
    "means": lambda run: analyses.means(run, ("strategy", "downstream")),
    "distributions": analyses.distributions,
    "quantiles": analyses.quantiles,
    "variance_shares": variance_shares,
    "playouts_until_ahead": playouts_until_ahead,
    "rare_events": analyses.rare_events,
    "session": lambda run: session(run, 10, 50, 200),
    "convergence": analyses.convergence,
}


@pytest.mark.parametrize("name", ALL)
@pytest.mark.usefixtures("small_parts")
def test_parts_and_memory_make_no_difference(name: str, tmp_path: Any) -> None:
    """A run in many parts, the same in memory, and as one block."""
    on_disk = simulate("maceplay", FOUR, 1000, 4, out=tmp_path)
    assert len(list((tmp_path / "playouts").iterdir())) > 3
    in_memory = simulate("maceplay", FOUR, 1000, 4)
    expected = ALL[name](in_memory)
    for run in (str(tmp_path), on_disk):
        pd.testing.assert_frame_equal(ALL[name](run), expected, rtol=1e-9)


def test_convergence_is_the_table_of_so_many_deals(field: Any) -> None:
    found = analyses.convergence(field)
    assert found["deals"].min() == 10 and found["deals"].max() == 700
    assert found["deals"].is_monotonic_increasing
    for deals in (10, 700):
        table = analyses.strategy_table(simulate("douque", FOUR, deals, 3).summary)
        mine = found[found["deals"] == deals]
        for column in ("payoff", "payoff_low", "win_rate_high"):
            assert mine[column].tolist() == pytest.approx(table[column].tolist())


def test_two_runs_of_the_same_give_the_same_sessions(field: Any) -> None:
    pd.testing.assert_frame_equal(session(field, 10), session(field, 10))
    other = session(field, 10, seed=1)
    assert not other.equals(session(field, 10))


# ------------------------------------------------------------------ nothing to see


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("lineup", ["random", FOUR])
@pytest.mark.parametrize("deals", [1, 2, 12])
def test_tiny_runs(name: str, lineup: str, deals: int) -> None:
    """A sensible answer or a sentence; a mean of one deal has no interval."""
    run = simulate("douque", lineup, deals, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            found = ALL[name](run)
        except RunError as error:
            assert name in ("variance_shares", "playouts_until_ahead")
            assert "; " in str(error) or "two or more" in str(error)
            return
    assert len(found)
    if "variable" in found:
        found = found[found["variable"] != "last_kind"]  # kinds have no order, so no tails
    figures = found.select_dtypes("number")
    bounds = [c for c in figures if c.endswith(("low", "high"))]
    assert figures.drop(columns=bounds).notna().all(axis=None)
    if deals == 1 and name == "rare_events":
        assert figures.notna().all(axis=None)
    elif deals == 1:
        low, high = (figures[[c for c in bounds if c.endswith(end)]] for end in ("low", "high"))
        known = low.to_numpy() == high.to_numpy()  # not from these deals: one strategy, a bankroll
        assert (known | low.isna().to_numpy() & high.isna().to_numpy()).all()
    elif name in ("convergence", "rare_events", "session"):
        assert figures.notna().all(axis=None)


def test_the_same_payoff_in_every_deal() -> None:
    """No spread that could be seen: no interval."""
    same = block([[[3, -3], [-3, 3]]] * 20, [[0, 1], [1, 0]], [0] * 20)
    found = analyses.means(same)
    assert found["payoff"].tolist() == [3, -3] and found["payoff_low"].isna().all()
    ahead = playouts_until_ahead(same).iloc[0]
    assert (ahead["better"], ahead["playouts"], ahead["playouts_high"]) == ("a", 1, 1)
    shares = variance_shares(same).set_index("source")["share"]
    assert shares["strategy"] == pytest.approx(1) and shares["cards"] == pytest.approx(0)
    totals = session(same, 10, 100, 200).set_index(["strategy", "figure"])
    assert totals.loc[("a", "q0.5"), "value"] == 30 and totals.loc[("b", "loss"), "value"] == 1


def test_no_payoffs_at_all_say_so() -> None:
    nothing = block(np.zeros((20, 2, 2)), [[0, 1], [1, 0]], [0] * 20)
    with pytest.raises(RunError, match="every payoff of the run is the same"):
        variance_shares(nothing)
    ahead = playouts_until_ahead(nothing).iloc[0]
    assert ahead["playouts"] == math.inf


def test_bad_input() -> None:
    for call, what in [
        (
            lambda: analyses.means(TINY, ("seat",)),
            "unknown key 'seat' to group by; give",
        ),
        (lambda: analyses.means(TINY, ("strategy", "strategy")), "once each"),
        (lambda: analyses.distributions(TINY, "pay"), "unknown variable 'pay'.*payoff"),
        (lambda: analyses.quantiles(TINY, "last_kind"), "no order"),
        (lambda: session(TINY, 0), "0 playouts are out of bounds: 1 to"),
        (lambda: session(TINY, 10, -1), "bankroll -1 is out of bounds: above 0"),
        (lambda: session(TINY, 10, 1, 5), "5 sessions are out of bounds: 100 to"),
        (lambda: playouts_until_ahead(TINY, 0.4), "probability 0.4 is out of bounds"),
    ]:
        with pytest.raises(InputError, match=what):
            call()


def test_a_run_of_sums_says_what_to_do(tmp_path: Any) -> None:
    simulate("douque", "random", 5, out=tmp_path, summary_only=True)
    with pytest.raises(RunError, match=r"keeps sums only; .* simulate it into another folder"):
        analyses.means(tmp_path)
