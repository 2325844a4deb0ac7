"""Every strategy of a run against every other: differences on the same deals."""

from typing import Any

import pandas as pd

from analyses.intervals import LEVEL, mean_over_deals
from analyses.summary import run_summary
from simcore.renamed import current
from simcore.runs.reading import Source
from simcore.runs.summary import METRICS, Summary


def differences(
    run: Source | Summary, metric: str = "payoff", level: float = LEVEL
) -> pd.DataFrame:
    """The payoff (or win rate) of the row's strategy less the column's, per playout and seat.

    metric: one of METRICS. Columns: row, column, <metric>, low, high, deals. Paired: a deal's value
    is the difference of its two means, so what its cards bring to both cancels out. Estimator:
    mean_over_deals, with the products of two strategies' sums that a summary keeps.
    """
    summary = run_summary(run)
    m = METRICS.index(current(metric))
    sums, products = summary.arrays["sums"][m], summary.arrays["products"][m]
    scale = summary.stake if metric == "payoff" else 1
    rows: list[dict[str, Any]] = []
    for g, row in enumerate(summary.groups):
        for h, column in enumerate(summary.groups):
            if g == h:
                continue
            # One slot of each: a deal's value is a / slots(g) - b / slots(h), times both slots.
            u, v = summary.slots[h], summary.slots[g]
            total = u * sums[g] - v * sums[h]
            squares = u * u * products[g, g] - 2 * u * v * products[g, h] + v * v * products[h, h]
            e = mean_over_deals(
                total, squares, summary.n_deals, summary.playouts_per_deal * u * v, level
            )
            rows.append(
                {
                    "row": row, "column": column, metric: e.mean * scale, "low": e.low * scale,
                    "high": e.high * scale, "deals": e.n_deals,
                }
            )  # fmt: skip
    return pd.DataFrame(rows, columns=["row", "column", metric, "low", "high", "deals"])
