"""Means in cells, such as a strategy's in one seat: ratios of two sums over deals."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from analyses.intervals import ratio_over_deals


def cell_sums(cells: Any, n_cells: int, values: Sequence[Any]) -> Any:
    """float64[3 + 3 values, cell], to be added up over blocks; exact below 2**53.

    cells: int[deals, …], the cell of each observation; values: arrays of the same shape. Rows:
    deals, Σn, Σn², then Σx, Σx², Σxn of each value, n and x being sums over the cell in a deal.
    """
    n_deals = len(cells)
    index = (cells.reshape(n_deals, -1) + n_cells * np.arange(n_deals)[:, None]).ravel()

    def per_deal(weights: Any = None) -> Any:
        return np.bincount(index, weights, n_deals * n_cells).reshape(n_deals, n_cells)

    n = per_deal().astype(np.float64)
    rows = [(n > 0).sum(axis=0), n.sum(axis=0), (n * n).sum(axis=0)]
    for value in values:
        x = per_deal(value.ravel())
        rows += [x.sum(axis=0), (x * x).sum(axis=0), (x * n).sum(axis=0)]
    return np.array(rows)


def cell_means(sums: Any, names: Sequence[str], level: float) -> dict[str, Any]:
    """deals, playouts, and of each value <name>, <name>_low, <name>_high, from a cell's sums.

    deals: those in which the cell occurs. Estimator: `ratio_over_deals`, which is the
    cluster-robust variance of a cell mean (Liang and Zeger, Biometrika 1986).
    """
    deals, n, nn, *products = sums
    row: dict[str, Any] = {"deals": int(deals), "playouts": int(n)}
    for m, name in enumerate(names):
        x, xx, xn = products[3 * m : 3 * m + 3]
        e = ratio_over_deals(x, n, xx, xn, nn, int(deals), level)
        row |= {name: e.mean, f"{name}_low": e.low, f"{name}_high": e.high}
    return row
