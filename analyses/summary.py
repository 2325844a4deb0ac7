"""The tables of one run, from its exact sums."""

import pandas as pd

from analyses.intervals import LEVEL, mean_over_deals, ratio_over_deals
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
    <name>_low, <name>_high. Estimator: analyses.intervals.mean_over_deals, per playout and seat.
    """
    rows = []
    for g, name in enumerate(summary.groups):
        playouts = summary.playouts_per_deal * summary.slots[g]
        row: dict[str, object] = {
            "strategy": name,
            "deals": summary.n_deals,
            "playouts": summary.n_deals * playouts,
        }
        for i, metric in enumerate(METRICS):
            scale = summary.stake if metric == "payoff" else 1
            found = mean_over_deals(
                summary.arrays["sums"][i, g],
                summary.arrays["products"][i, g, g],
                summary.n_deals,
                playouts,
                level,
            )
            row[metric] = found.mean * scale
            row[f"{metric}_low"] = found.low * scale
            row[f"{metric}_high"] = found.high * scale
        rows.append(row)
    return pd.DataFrame(rows)


def seat_table(summary: Summary, level: float = LEVEL) -> pd.DataFrame:
    """One row per strategy and seat counted from the starter (0): win rate with its interval.

    Its columns stand there under the names of version 0.1.0 (win_share) too, until version 0.3.

    Estimator: analyses.intervals.ratio_over_deals.
    """
    rows = []
    seats = summary.arrays["seat_products"]
    for g, name in enumerate(summary.groups):
        for seat in range(summary.players):
            count = summary.arrays["seat_count"][g, seat]
            nn, xn, xx = (seats[i, g, seat] for i in range(3))
            wins = summary.arrays["seat_wins"][g, seat]
            found = ratio_over_deals(wins, count, xx, xn, nn, summary.n_deals, level)
            rows.append(
                {
                    "strategy": name,
                    "seat_from_starter": seat,
                    "playouts": count,
                    "win_rate": found.mean,
                    "win_rate_low": found.low,
                    "win_rate_high": found.high,
                    "win_share": found.mean,
                    "win_share_low": found.low,
                    "win_share_high": found.high,
                }
            )
    return pd.DataFrame(rows)
