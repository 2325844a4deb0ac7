"""Win rate, payoff and cards left by strategy, seat and neighbour; and how the mean settles."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from analyses.intervals import (
    LEVEL,
    Estimate,
    known,
    mean_over_deals,
    share_over_deals,
)
from analyses.ratios import cell_means, cell_sums
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
        values = (block.won, block.columns["payoff"], block.columns["cards_left"])
        cells, number = _cells(block, by, sizes), math.prod(sizes)
        found = np.vstack([cell_sums(cells, number, values), _playouts(cells, number)])
        total = found if total is None else total + found
    rows = []
    for cell, index in enumerate(np.ndindex(*sizes)):
        if total[0, cell] == 0:
            continue
        row: dict[str, Any] = {
            key: i if key == "seat_from_starter" else block.strategies[i]
            for key, i in zip(by, index, strict=True)
        }
        sums, playouts = total[:-1, cell], total[-1, cell]
        row |= cell_means(sums, METRICS, level)
        rows.append(row | _bounded(sums, playouts, block.players, level))
    return pd.DataFrame(rows)


def _bounded(sums: Any, playouts: float, players: int, level: float) -> dict[str, float]:
    """What is no plain mean over deals of a cell: win rates, and payoffs that always cancel.

    sums: those of `cell_sums` for METRICS; playouts: in which the cell occurs.
    """
    deals, n, nn, x, xx, xn = sums[:6].tolist()
    if n == players * playouts:  # every seat: one of them wins, and their payoffs cancel
        each = {"win_rate": 1 / players, "payoff": 0.0}
        return {k: v for m, x in each.items() for k, v in _columns(m, known(x, int(deals))).items()}
    e = share_over_deals(x, n, xx, xn, nn, int(deals), playouts / n, level)
    return _columns("win_rate", e)


def _columns(name: str, e: Estimate) -> dict[str, float]:
    return {name: e.mean, f"{name}_low": e.low, f"{name}_high": e.high}


def _cells(block: Block, by: Sequence[str], sizes: list[int]) -> Any:
    """int64[D, K, n]: the cell of each seat."""
    keys: dict[str, Callable[[], Any]] = {
        "strategy": lambda: block.group,
        "seat_from_starter": lambda: block.position,
        "upstream": lambda: np.roll(block.group, 1, axis=2),
        "downstream": lambda: np.roll(block.group, -1, axis=2),
    }
    return np.ravel_multi_index([keys[k]().astype(np.int64) for k in by], sizes)


def _playouts(cells: Any, n_cells: int) -> Any:
    """int64[cell]: playouts in which the cell occurs; cells: int64[D, K, n]."""
    found = np.zeros(n_cells, np.int64)
    for seat in range(cells.shape[2]):
        new = ~(cells[:, :, :seat] == cells[:, :, seat : seat + 1]).any(axis=2)
        found += np.bincount(cells[:, :, seat][new], minlength=n_cells)
    return found


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
        (payoff, won), (payoff2, won2) = sums[:, :, g]
        row |= _columns("payoff", mean_over_deals(payoff, payoff2, deals, n, level))
        wins = np.array([deals, n * deals, n * n * deals, won, won2, n * won])
        rows.append(row | _bounded(wins, deals * block.seatings, block.players, level))
    return rows
