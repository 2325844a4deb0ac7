"""Shares of payoffs and cards left, made ready for a report's plots."""

import math

import numpy as np
import pandas as pd

from simcore.runs.summary import Summary


def payoff_bins(found: pd.DataFrame, number: int = 40) -> tuple[dict[str, pd.DataFrame], int]:
    """(strategy -> bins of the payoffs but the outermost 2 %, width of a bin in points)."""
    pooled = found.groupby("value")["count"].sum()
    at_most = pooled.cumsum() / pooled.sum()
    inner = [int(v) for v in pooled.index[(at_most >= 0.01) & (at_most.shift(fill_value=0) < 0.99)]]
    low, high = inner[0], inner[-1]
    step = max(1, -(-(high - low + 1) // number))
    first = math.floor(low / step)
    last = max(first, math.floor(high / step))
    frames = {}
    for name, mine in found.groupby("strategy", sort=False):
        at = (mine["value"].astype(int) // step).clip(first, last)
        share = mine.groupby(at)["share"].sum().reindex(range(first, last + 1), fill_value=0.0)
        start = np.array(share.index) * step
        frames[str(name)] = pd.DataFrame(
            {
                "from": start, "to": start + step, "last": start + step - 1,
                "share": share.to_numpy(), "deals": int(mine["deals"].iloc[0]),
            }
        )  # fmt: skip
    return frames, step


def thinned(tails: pd.DataFrame, points: int = 300) -> pd.DataFrame:
    """About so many losses of each strategy at most, evenly on a logarithmic scale."""
    kept: list[pd.DataFrame] = []
    for _, mine in tails.groupby("strategy", sort=False):
        place = np.round(np.log(mine["loss"]) / math.log(mine["loss"].max() + 1) * points)
        kept.append(mine[~place.duplicated() | (mine["loss"] == mine["loss"].max())])
    return pd.concat(kept)


def from_summary(summary: Summary, variable: str) -> pd.DataFrame:
    """`analyses.distributions` of payoff or cards_left from sums: shares without intervals."""
    rows = []
    for g, name in enumerate(summary.groups):
        counts: dict[int, int] = {}
        if variable == "payoff":
            for seat in summary.payoffs[g]:
                for payoff, n in seat.items():
                    value = payoff * summary.stake
                    counts[value] = counts.get(value, 0) + n
        else:
            left = summary.arrays["left"][g].sum(axis=0)
            counts = {cards: int(n) for cards, n in enumerate(left) if n}
        whole, below = sum(counts.values()), 0
        for value, n in sorted(counts.items()):
            row = {"variable": variable, "strategy": name, "value": value, "count": n}
            shares = {"share": n, "at_most": below + n, "at_least": whole - below}
            for label, count in shares.items():
                row |= {label: count / whole, f"{label}_low": math.nan, f"{label}_high": math.nan}
            rows.append(row | {"deals": summary.n_drawn})
            below += n
    return pd.DataFrame(rows)
