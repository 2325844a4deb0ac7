"""Win rate, payoff and cards left by strategy, seat and neighbour; and how the mean settles."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from analyses.intervals import (
    LEVEL,
    Estimate,
    known,
    ratio_over_deals,
    share_over_deals,
)
from simcore.errors import InputError
from simcore.runs.reading import Block, Source, blocks
from simcore.runs.summary import METRICS

KEYS = ("strategy", "seat_from_starter", "upstream", "downstream")
_COLUMNS = ("starter", "winner", "payoff", "cards_left")


def means(run: Source, by: Sequence[str] = ("strategy",), level: float = LEVEL) -> pd.DataFrame:
    """Win rate, mean payoff and mean cards left of every cell of `by`, per playout and seat.

    by: some of KEYS; seat_from_starter 0 is the starter; upstream is the strategy that plays just
    before, downstream the one just after. Columns: the keys, deals (in which the cell occurs),
    playouts, and for each metric its mean and <metric>_low, <metric>_high.

    Estimator: the ratio of two sums over deals with its linearised variance (Cochran, Sampling
    Techniques, 1977, section 6.4), which is the cluster-robust variance of a cell mean (Liang and
    Zeger, Biometrika 1986); Student t with the cell's deals - 1 degrees of freedom. Win rates:
    analyses.intervals.share_over_deals, with that variance.
    """
    for key in by:
        if key not in KEYS:
            raise InputError(f"unknown key {key!r} to group by; give some of {', '.join(KEYS)}")
    if not by or len(set(by)) < len(by):
        raise InputError(f"keys {','.join(by)!r}: give one or more of {', '.join(KEYS)}, once each")
    total: Any = None
    for block in blocks(run, _COLUMNS):
        sizes = [block.players if k == "seat_from_starter" else len(block.slots) for k in by]
        found = _sums(block, _cells(block, by, sizes), math.prod(sizes))
        total = found if total is None else total + found
    rows = []
    for cell, index in enumerate(np.ndindex(*sizes)):
        deals, n, nn, playouts, *products = total[:, cell]
        if deals == 0:
            continue
        row: dict[str, Any] = {
            key: i if key == "seat_from_starter" else block.strategies[i]
            for key, i in zip(by, index, strict=True)
        }
        row |= {"deals": int(deals), "playouts": int(n)}
        for m, metric in enumerate(METRICS):
            x, xx, xn = products[3 * m : 3 * m + 3]
            e = _estimate(metric, (x, n, xx, xn, nn), int(deals), playouts, block.players, level)
            row |= {metric: e.mean, f"{metric}_low": e.low, f"{metric}_high": e.high}
        rows.append(row)
    return pd.DataFrame(rows)


def _estimate(
    metric: str, sums: Any, deals: int, playouts: float, players: int, level: float
) -> Estimate:
    """One metric of a cell; sums: Σx, Σn, Σx², Σxn, Σn²; playouts: in which the cell occurs."""
    x, n, xx, xn, nn = sums
    if n == players * playouts and metric != "cards_left":  # every seat: payoffs cancel
        return known(1 / players if metric == "win_rate" else 0.0, deals)
    if metric == "win_rate":
        return share_over_deals(x, n, xx, xn, nn, deals, playouts / n, level)
    return ratio_over_deals(x, n, xx, xn, nn, deals, level)


def _cells(block: Block, by: Sequence[str], sizes: list[int]) -> Any:
    """int64[D, K, n]: the cell of each seat."""
    keys = {
        "strategy": lambda: block.group,
        "seat_from_starter": lambda: block.position,
        "upstream": lambda: np.roll(block.group, 1, axis=2),
        "downstream": lambda: np.roll(block.group, -1, axis=2),
    }
    return np.ravel_multi_index([keys[k]().astype(np.int64) for k in by], sizes)


def _sums(block: Block, cells: Any, n_cells: int) -> Any:
    """float64[13, cell]: deals, Σn, Σn², playouts, then Σx, Σx², Σxn of each metric.

    n: seats of the cell in the playouts of a deal. Exact below 2**53.
    """
    n_deals = len(block)
    index = (np.arange(n_deals)[:, None, None] * n_cells + cells).ravel()

    def per_deal(values: Any = None) -> Any:
        return np.bincount(index, values, n_deals * n_cells).reshape(n_deals, n_cells)

    n = per_deal().astype(np.float64)
    by_seat = np.moveaxis(cells, 2, 0)
    first = [~(by_seat[:s] == by_seat[s]).any(axis=0) for s in range(block.players)]
    occurs = sum(np.bincount(by_seat[s][new], minlength=n_cells) for s, new in enumerate(first))
    rows = [(n > 0).sum(axis=0), n.sum(axis=0), (n * n).sum(axis=0), occurs]
    for values in (block.won, block.columns["payoff"], block.columns["cards_left"]):
        x = per_deal(values.ravel())
        rows += [x.sum(axis=0), (x * x).sum(axis=0), (x * n).sum(axis=0)]
    return np.array(rows)


def convergence(run: Source, points: int = 60, level: float = LEVEL) -> pd.DataFrame:
    """Mean payoff and win rate of each strategy after the first 10, … deals of the run.

    points: about how many numbers of deals, evenly on a logarithmic scale. Columns: strategy,
    deals, and payoff and win_rate with <metric>_low, <metric>_high. Each interval is that of
    `means` for that number of deals alone: the band covers the truth with 95 % at each
    point, not everywhere at once.
    """
    rows: list[dict[str, Any]] = []
    done, step = 0, 10 ** (5 / points)
    sums: Any = 0.0
    look = 10.0
    for block in blocks(run, ("winner", "payoff")):
        values = np.stack(
            [block.per_strategy(block.columns["payoff"]), block.per_strategy(block.won)]
        ).astype(np.float64)
        cumulated = sums + np.cumsum(np.stack([values, values**2]), axis=2)
        while round(look) <= done + len(block):
            if round(look) > done:
                rows += _point(block, round(look), cumulated[:, :, round(look) - done - 1], level)
            look *= step
        done += len(block)
        sums = cumulated[:, :, -1:]
    if not rows or rows[-1]["deals"] < done:
        rows += _point(block, done, sums[:, :, 0], level)
    return pd.DataFrame(rows)


def _point(block: Block, deals: int, sums: Any, level: float) -> list[dict[str, Any]]:
    """Rows of one number of deals; sums: [value or square, metric, strategy]."""
    rows = []
    for g, name in enumerate(block.strategies):
        row: dict[str, Any] = {"strategy": name, "deals": deals}
        n = block.seatings * block.slots[g]
        for m, metric in enumerate(("payoff", "win_rate")):
            x, xx = sums[0, m, g], sums[1, m, g]
            products = (x, n * deals, xx, n * x, n * n * deals)
            e = _estimate(metric, products, deals, deals * block.seatings, block.players, level)
            row |= {metric: e.mean, f"{metric}_low": e.low, f"{metric}_high": e.high}
        rows.append(row)
    return rows
