"""The tables of one run, from its exact sums."""

import pandas as pd

from analyses.intervals import LEVEL, share_over_deals
from simcore.runs.reading import Source, read_run
from simcore.runs.summary import METRICS, Summary


def run_summary(run: Source | Summary) -> Summary:
    """The summary of a run (its folder, or what `simulate` returned): its parts' sums, added.

    A summary is its own. Raises RunError.
    """
    return run if isinstance(run, Summary) else read_run(run).summary


def strategy_table(run: Source | Summary, level: float = LEVEL) -> pd.DataFrame:
    """One row per strategy of a run: win rate, mean payoff and cards left, each with its interval.

    Columns: strategy, deals, playouts, and for each of win_rate, payoff, cards_left the mean and
    <name>_low, <name>_high. Estimators: share_over_deals and mean_over_deals of analyses.intervals,
    per playout and seat. A strategy in every seat wins its equal share, its payoffs cancel: that is
    known, without an error.
    """
    summary, rows = run_summary(run), []
    for g, name in enumerate(summary.groups):
        playouts = summary.playouts_per_deal * summary.slots[g]
        row: dict[str, object] = {
            "strategy": name,
            "deals": summary.n_drawn,
            "playouts": summary.n_deals * playouts,
        }
        for metric in METRICS:
            e = summary.estimate(metric, name, level)
            row |= {metric: e.mean, f"{metric}_low": e.low, f"{metric}_high": e.high}
        rows.append(row)
    return pd.DataFrame(rows)


def seat_table(run: Source | Summary, level: float = LEVEL) -> pd.DataFrame:
    """One row per strategy and seat counted from the starter (0): win rate with its interval.

    Its columns stand there under the names of version 0.1.0 (win_share) too, until version 0.3.

    Estimator: analyses.intervals.share_over_deals.
    """
    summary, rows = run_summary(run), []
    seats = summary.arrays["seat_products"]
    for g, name in enumerate(summary.groups):
        for seat in range(summary.players):
            count = summary.arrays["seat_count"][g, seat]
            nn, xn, xx = (seats[i, g, seat] for i in range(3))
            wins = summary.arrays["seat_wins"][g, seat]
            found = share_over_deals(wins, count, xx, xn, nn, summary.n_drawn, level=level)
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
