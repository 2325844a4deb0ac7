"""Whether a mean payoff can be trusted yet: few deals, or a long tail, may carry it."""

import math
from typing import Any

import numpy as np
import pandas as pd

from simcore.runs.reading import Block, Source, blocks, read_run
from simcore.runs.summary import METRICS, Summary

MOST_VOV = 0.1
LEAST_SLOPE = 2.0
LEAST_DEALS = 1000  # for a slope
WORDS = {
    "vov": "few deals carry it",
    "slope": "the tail is so long that rarer deals may change it",
}


def convergence_checks(run: Source | Summary) -> pd.DataFrame:
    """Whether each strategy's mean payoff has settled, as Monte Carlo transport codes check it.

    run: a run, or its summary. Columns: strategy, deals, payoff, vov (variance of the variance,
    Σd⁴ / (Σd²)² - 1 / deals of the deals' distances d from their mean), half_from (how many deals
    make up half of the variance), slope (of the tail: Hill's index of the heavier tail's √deals
    largest distances; the chance of a distance above x falls like x to the power of -slope; NaN
    below LEAST_DEALS), warning ("" where there is none).

    A warning means that the interval may be too narrow: vov above MOST_VOV, so that about ten deals
    or fewer carry it, or a slope below LEAST_SLOPE, with which the variance has no end. These are
    two of MCNP's ten checks (X-5 Monte Carlo Team, LA-UR-03-1987, 2003, section 2.VI; its slope is
    that of the density, one more). Deals that are rarer than one in the run cannot be foreseen.

    From sums alone (a summary, or a run that keeps no playouts) vov is that of playouts, divided by
    the number that they are worth as independent ones; half_from and slope are NaN, and vov too for
    a strategy in several slots, whose payoffs in a playout depend on each other.
    """
    if isinstance(run, Summary):
        return _frame([_from_sums(run, g) for g in range(len(run.groups))])
    if not isinstance(run, Block):
        run = read_run(run)
        if not run.keeps_playouts:
            return convergence_checks(run.summary)
    pieces: list[list[Any]] = []
    for block in blocks(run, ("payoff",)):
        per_deal = block.per_strategy(block.columns["payoff"].astype(np.int64)).T
        pieces = pieces or [[] for _ in block.strategies]
        for mine, values in zip(pieces, per_deal, strict=True):
            mine.append(np.unique(values, return_counts=True))
    return _frame(
        [
            {"strategy": name, **_of_deals(mine, block.seatings * slots)}
            for name, slots, mine in zip(block.strategies, block.slots, pieces, strict=True)
        ]
    )


def warnings(checks: pd.DataFrame) -> list[str]:
    """One sentence for each kind of warning in `convergence_checks`."""
    found = []
    for words, rows in checks[checks["warning"] != ""].groupby("warning", sort=False):
        names = [
            row["strategy"]
            if math.isnan(row["half_from"])
            else f"{row['strategy']} (half of the variance is from {row['half_from']:,.0f} of "
            f"{row['deals']:,} deals)"
            for row in rows.to_dict("records")
        ]
        listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
        found.append(f"The payoff's interval may be too narrow for {listed}: {words}.")
    return found


def _frame(rows: list[dict[str, Any]]) -> pd.DataFrame:
    for row in rows:
        row["warning"] = (
            WORDS["vov"] if row["vov"] > MOST_VOV
            else WORDS["slope"] if row["slope"] < LEAST_SLOPE
            else ""
        )  # fmt: skip
    return pd.DataFrame(rows)


def _of_deals(pieces: list[Any], per_deal: int) -> dict[str, Any]:
    """The figures of one strategy; pieces: (values, counts) of some deals each."""
    values, index = np.unique(np.concatenate([v for v, _ in pieces]), return_inverse=True)
    counts = np.bincount(index, np.concatenate([c for _, c in pieces]))
    deals = int(counts.sum())
    mean = float(values @ counts) / deals
    away = values - mean
    squares = counts * away**2
    total = float(squares.sum())
    found = {"deals": deals, "payoff": mean / per_deal}
    if total == 0:
        return found | {"vov": math.nan, "half_from": math.nan, "slope": math.nan}
    order = np.argsort(-np.abs(away))
    done = np.cumsum(squares[order])
    i = int(np.searchsorted(done, total / 2))
    before = float(done[i - 1]) if i else 0.0
    half = float(counts[order[:i]].sum()) + math.ceil((total / 2 - before) / away[order[i]] ** 2)
    return found | {
        "vov": float(counts @ away**4) / total**2 - 1 / deals,
        "half_from": half,
        "slope": min(_slope(away, counts), _slope(-away, counts)),
    }


def _slope(away: Any, counts: Any) -> float:
    """Hill's index of the √deals largest of the distances (Hill, Annals of Statistics 1975)."""
    deals = int(counts.sum())
    if deals < LEAST_DEALS:
        return math.nan
    number = math.isqrt(deals)
    order = np.argsort(-away)
    last = int(np.searchsorted(np.cumsum(counts[order]), number + 1))
    largest = np.repeat(away[order[: last + 1]], counts[order[: last + 1]].astype(int))
    if largest[number] <= 0:
        return math.inf
    mean = float(np.log(largest[:number] / largest[number]).mean())
    return 1 / mean if mean > 0 else math.inf


def _from_sums(summary: Summary, g: int) -> dict[str, Any]:
    """The figures of strategy g; squares of distances over playouts, scaled to the deals'."""
    name, n = summary.groups[g], summary.n_drawn
    counts: dict[int, int] = {}
    for seat in summary.payoffs[g]:
        for payoff, number in seat.items():
            counts[payoff] = counts.get(payoff, 0) + number
    e = summary.estimate("payoff", name)
    found = {"strategy": name, "deals": n, "payoff": e.mean, "vov": math.nan}
    total = sum(counts.values())
    if n > 1 and summary.slots[g] == 1:
        mean = sum(x * k for x, k in counts.items()) / total
        second, fourth = (
            sum(k * (x - mean) ** p for x, k in counts.items()) / total for p in (2, 4)
        )
        i = METRICS.index("payoff")
        sums, squares = summary.arrays["sums"][i, g], summary.arrays["products"][i, g, g]
        between = (squares - sums * sums / n) / (n - 1) * n / total**2
        if between > 0:
            found["vov"] = (fourth / second**2 - 1) / (second / between)
    return found | {"half_from": math.nan, "slope": math.nan}
