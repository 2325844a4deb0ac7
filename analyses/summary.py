"""The tables of one run, from its exact sums."""

import pandas as pd

from analyses.intervals import LEVEL, Estimate, known, mean_over_deals, share_over_deals
from simcore.runs.reading import Source, read_run
from simcore.runs.summary import METRICS, Summary


def run_summary(run: Source) -> Summary:
    """The summary of a run (its folder, or what `simulate` returned): its parts' sums, added.

    Raises RunError.
    """
    return read_run(run).summary


def strategy_table(summary: Summary, level: float = LEVEL) -> pd.DataFrame:
    """One row per strategy: win rate, mean payoff and cards left, each with its interval.

    Columns: strategy, deals, playouts, and for each of win_rate, payoff, cards_left the mean and
    <name>_low, <name>_high. Estimators: analyses.intervals.share_over_deals and mean_over_deals, per
    playout and seat. A strategy in every seat wins its equal share, and its payoffs cancel: exact.
    """
    rows = []
    for g, name in enumerate(summary.groups):
        playouts = summary.playouts_per_deal * summary.slots[g]
        row: dict[str, object] = {
            "strategy": name,
            "deals": summary.n_deals,
            "playouts": summary.n_deals * playouts,
        }
        for metric, label in zip(METRICS, ("win_rate", "payoff", "cards_left"), strict=True):
            scale = summary.stake if metric == "payoff" else 1
            found = strategy_estimate(summary, g, metric, level)
            row[label] = found.mean * scale
            row[f"{label}_low"] = found.low * scale
            row[f"{label}_high"] = found.high * scale
        rows.append(row)
    return pd.DataFrame(rows)


def strategy_estimate(summary: Summary, g: int, metric: str, level: float = LEVEL) -> Estimate:
    """One of METRICS of strategy g per playout and seat, at stake 1."""
    n, per_deal = summary.n_deals, summary.playouts_per_deal * summary.slots[g]
    i = METRICS.index(metric)
    total, squares = summary.arrays["sums"][i, g], summary.arrays["products"][i, g, g]
    if n and summary.slots[g] == summary.players and metric != "cards_left":
        return known(1 / summary.players if metric == "win" else 0.0, n)  # it sits in every seat
    if metric == "win":
        sums = (total, n * per_deal, squares, per_deal * total, n * per_deal**2)
        return share_over_deals(*sums, n, 1 / summary.slots[g], level)
    return mean_over_deals(total, squares, n, per_deal, level)


def seat_table(summary: Summary, level: float = LEVEL) -> pd.DataFrame:
    """One row per strategy and seat counted from the starter (0): win share with its interval.

    Estimator: analyses.intervals.share_over_deals.
    """
    rows = []
    seats = summary.arrays["seat_products"]
    for g, name in enumerate(summary.groups):
        for seat in range(summary.players):
            count = summary.arrays["seat_count"][g, seat]
            nn, xn, xx = (seats[i, g, seat] for i in range(3))
            wins = summary.arrays["seat_wins"][g, seat]
            found = share_over_deals(wins, count, xx, xn, nn, summary.n_deals, level=level)
            rows.append(
                {
                    "strategy": name,
                    "seat_from_starter": seat,
                    "playouts": count,
                    "win_share": found.mean,
                    "win_share_low": found.low,
                    "win_share_high": found.high,
                }
            )
    return pd.DataFrame(rows)
