"""Whole distributions: payoffs, cards left, lengths, winning plays; shares, tails, quantiles."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from analyses.intervals import LEVEL, Estimate, mean_over_deals, share_over_deals
from simcore.errors import InputError, nearest
from simcore.game.kinds import KINDS
from simcore.runs.reading import Block, Source, blocks
from simcore.statistics import t_quantile

PER_SEAT = ("payoff", "cards_left")  # by strategy
PER_PLAYOUT = ("plays", "passes", "tricks", "winner_multiplier", "last_kind")  # strategy "all"
VARIABLES = PER_SEAT + PER_PLAYOUT
QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)


class _Histogram:
    """The values of one variable for one strategy: m in every deal.

    Counting the number of a deal's values up to v, C(v), needs no table of deals and values: if the
    deal's values are sorted, C(v)² is the sum of 2k - 1 over its k-th values that are at most v.
    The same within equal values gives the squares of the counts of one value.
    """

    def __init__(self) -> None:
        self.per_deal = 0
        self.deals = 0
        self.moments = np.zeros(5)  # over deals: Σa, Σb, Σa², Σab, Σb²; a = Σx, b = Σx² of a deal
        self._pieces: list[Any] = []

    def add(self, values: Any) -> None:
        """Add int64[D, m] values."""
        values = np.sort(values, axis=1)
        n_deals, self.per_deal = values.shape
        self.deals += n_deals
        flat = values.astype(np.float64)
        a, b = flat.sum(axis=1), (flat * flat).sum(axis=1)
        self.moments += [a.sum(), b.sum(), (a * a).sum(), (a * b).sum(), (b * b).sum()]
        rank = np.broadcast_to(np.arange(self.per_deal), values.shape)
        starts = np.ones(values.shape, bool)
        starts[:, 1:] = values[:, 1:] != values[:, :-1]
        first = np.maximum.accumulate(np.where(starts, rank, 0), axis=1)
        keys, index = np.unique(values, return_inverse=True)
        index = index.ravel()
        weights = [None, (2 * rank + 1).ravel(), (2 * (rank - first) + 1).ravel()]
        counts = [np.bincount(index, w, len(keys)) for w in weights]
        self._pieces.append(np.stack([keys, *counts]))

    def table(self) -> tuple[Any, Any, Any, Any, Any]:
        """(values, ΣC, ΣC², Σc, Σc²) over deals; c: of a value, C: of all values up to it."""
        whole = np.concatenate(self._pieces, axis=1)
        keys, index = np.unique(whole[0], return_inverse=True)
        counts, up_to, equal = (np.bincount(index, row, len(keys)) for row in whole[1:])
        return keys, np.cumsum(counts), np.cumsum(up_to), counts, equal

    def share(self, total: Any, squares: Any, level: float) -> Estimate:
        """A share of the values from sums over deals of counts and of their squares."""
        n, m = self.deals, self.per_deal
        return share_over_deals(total, n * m, squares, m * total, n * m * m, n, level=level)


def _histograms(run: Source, names: tuple[str, ...]) -> dict[tuple[str, str], _Histogram]:
    """The histogram of each (variable, strategy), in one pass over the run."""
    found: dict[tuple[str, str], _Histogram] = {}
    for block in blocks(run, names):
        for name in names:
            for strategy, values in _values(block, name):
                found.setdefault((name, strategy), _Histogram()).add(values)
    return found


def _values(block: Block, name: str) -> Iterator[tuple[str, Any]]:
    """(strategy, int64[D, m]) of one variable."""
    values = block.columns[name].reshape(len(block), -1)
    if name in PER_PLAYOUT:
        yield "all", values.astype(np.int64)
        return
    groups = block.group.reshape(len(block), -1)
    for g, strategy in enumerate(block.strategies):
        per_deal = int((groups[0] == g).sum())
        # Every deal has as many: boolean indexing keeps the order, deal by deal.
        yield strategy, values[groups == g].reshape(-1, per_deal).astype(np.int64)


def _asked(variable: str | None) -> tuple[str, ...]:
    if variable is None:
        return VARIABLES
    if variable not in VARIABLES:
        raise InputError(f"unknown variable {variable!r}; {nearest(variable, VARIABLES)}")
    return (variable,)


def distributions(run: Source, variable: str | None = None, level: float = LEVEL) -> pd.DataFrame:
    """Every value of a variable (one of VARIABLES, default all): how often, and both tails.

    Payoffs and cards left by strategy, lengths and winning plays over all playouts. Columns:
    variable, strategy, value, count, share, at_most (share of values up to this one), at_least (NaN
    for last_kind, which has no order), each share with _low and _high, deals.

    Interval: analyses.intervals.share_over_deals.
    """
    found = _histograms(run, _asked(variable))
    rows = []
    for (name, strategy), h in found.items():
        values, below, below2, counts, counts2 = h.table()
        n, m = h.deals, h.per_deal
        for i, value in enumerate(values):
            c, c2 = (below[i - 1], below2[i - 1]) if i else (0.0, 0.0)
            row: dict[str, Any] = {
                "variable": name,
                "strategy": strategy,
                "value": KINDS[int(value)] if name == "last_kind" else int(value),
                "count": int(counts[i]),
            }
            for label, sums in (
                ("share", (counts[i], counts2[i])),
                ("at_most", (below[i], below2[i])),
                ("at_least", (n * m - c, n * m * m - 2 * m * c + c2)),
            ):
                e = h.share(*sums, level)
                if name == "last_kind" and label != "share":
                    e = Estimate(math.nan, math.nan, math.nan, n)  # kinds have no order
                row |= {label: e.mean, f"{label}_low": e.low, f"{label}_high": e.high}
            rows.append(row | {"deals": n})
    return pd.DataFrame(rows)


def quantiles(
    run: Source,
    variable: str | None = None,
    at: tuple[float, ...] = QUANTILES,
    level: float = LEVEL,
) -> pd.DataFrame:
    """Mean, standard deviation, extremes and quantiles of the variables (not of last_kind).

    Columns: variable, strategy, figure ("mean", "sd", "minimum", "q0.5", …, "maximum"), value, low,
    high, deals. The extremes are those seen and have no interval.

    Mean: analyses.intervals.mean_over_deals. Standard deviation: from the first two moments, with
    the linearised variance over deals (delta method). Quantiles: the values whose share of values
    up to them has the quantile in its interval (Woodruff, JASA 1952; Francisco and Fuller, Annals
    of Statistics 1991); it covers with at least `level` where few values are possible. A bound
    beyond all values seen is NaN.
    """
    if variable == "last_kind":
        raise InputError("variable 'last_kind' has no order, so no quantiles; use distributions")
    names = tuple(name for name in _asked(variable) if name != "last_kind")
    found = _histograms(run, names)
    rows = []
    for (name, strategy), h in found.items():
        values, below, below2, _, _ = h.table()
        n, m = h.deals, h.per_deal
        a, _, aa, _, _ = h.moments
        mean = mean_over_deals(a, aa, n, m, level)  # type: ignore[arg-type]
        figures: list[tuple[str, float, float, float]] = [
            ("mean", mean.mean, mean.low, mean.high),
            ("sd", *_deviation(h, level)),
            ("minimum", values[0], math.nan, math.nan),
        ]
        shares = [h.share(*sums, level) for sums in zip(below, below2, strict=True)]
        share, lowest, highest = (
            np.array([getattr(e, bound) for e in shares]) for bound in ("mean", "low", "high")
        )
        for q in at:
            # The values whose share of values up to them may be q.
            low, high = (_reaches(values, bounds, q) for bounds in (highest, lowest))
            figures.append((f"q{q:g}", _reaches(values, share, q), low, high))
        figures.append(("maximum", values[-1], math.nan, math.nan))
        for figure, value, low, high in figures:
            rows.append(
                {
                    "variable": name, "strategy": strategy, "figure": figure,
                    "value": float(value), "low": float(low), "high": float(high), "deals": n,
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


def _reaches(values: Any, share: Any, q: float) -> float:
    """The first value whose share of values up to it is q or more; NaN if none was seen."""
    reached = np.flatnonzero(share >= q - 1e-12)
    return float(values[reached[0]]) if len(reached) else math.nan


def _deviation(h: _Histogram, level: float) -> tuple[float, float, float]:
    """(standard deviation over all values, low, high)."""
    n, m = h.deals, h.per_deal
    a, b, aa, ab, bb = h.moments
    mean = a / n / m
    variance = max(0.0, b / n / m - mean * mean)
    if n < 2:
        return math.sqrt(variance), math.nan, math.nan
    # Linearised: a deal's share in the variance is b - 2 mean a (up to a constant).
    squares = bb - 4 * mean * ab + 4 * mean * mean * aa - (b - 2 * mean * a) ** 2 / n
    error = math.sqrt(max(0.0, squares) / (n - 1) / n) / m
    sd = math.sqrt(variance)
    if not error > 0:
        return sd, math.nan, math.nan
    half = t_quantile(level, n - 1) * error / (2 * sd)
    return sd, max(0.0, sd - half), sd + half
