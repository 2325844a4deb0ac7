"""Means over deals of linear combinations of results: what every comparison here is made of.

A contrast weighs the results of groups at tables that were played on the same deals. Its value is
computed deal by deal, so the variance between deals already holds every correlation between tables,
seatings and strategies (cluster-robust by deal; Liang and Zeger, Biometrika 1986), and differences
are paired on common deals.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from analyses.intervals import LEVEL, Estimate
from simcore.errors import InputError
from simcore.samples.scores import MEASURES, Scores
from simcore.statistics import effective_number, t_quantile, wilson

ROUNDING = 1e-9  # results are fractions of small integers: what is smaller cancelled out


@dataclass(frozen=True)
class Contrast:
    """constant + Σ weight × mean result per playout and seat of a group at a table."""

    weights: Mapping[tuple[int, int], float] = field(default_factory=dict)  # by (table, group)
    constant: float = 0.0

    def __add__(self, other: "Contrast") -> "Contrast":
        weights = dict(self.weights)
        for key, weight in other.weights.items():
            weights[key] = weights.get(key, 0.0) + weight
        return Contrast(weights, self.constant + other.constant)

    def __mul__(self, factor: float) -> "Contrast":
        return Contrast(
            {key: factor * weight for key, weight in self.weights.items()}, factor * self.constant
        )

    def __sub__(self, other: "Contrast") -> "Contrast":
        return self + other * -1.0


def mean_of(contrasts: Sequence[Contrast]) -> Contrast:
    """The average of some contrasts."""
    return sum(contrasts, Contrast()) * (1 / len(contrasts))


class Sample:
    """Tables played on the same deals, and what may be taken off their noise.

    control: float[deals, k] of variables with mean 0 that were known before a card was played, with
    the pilot (another Sample, of other deals, with its own control) that their coefficients come
    from. Raises InputError if the tables were not played on the same deals.
    """

    def __init__(
        self, tables: Sequence[Scores], control: Any = None, pilot: "Sample | None" = None
    ) -> None:
        if not tables:
            raise InputError("there is no table to compare; play one at least")
        self.tables = list(tables)
        self.control, self.pilot = control, pilot
        head = self.tables[0]
        self.n_deals, self.players = head.n_deals, len(head.lineup)
        if any((t.first, t.n_deals) != (head.first, head.n_deals) for t in tables):
            raise InputError("the tables were not played on the same deals; play them together")
        first = (table.lineup[0] for table in self.tables)
        every = (name for table in self.tables for name in table.groups)
        self.names = list(dict.fromkeys([*first, *every]))  # a field comes last

    def constant(self, measure: str) -> float:
        """What a strategy gets per seat at a table of itself: payoffs cancel, wins are equal."""
        return 0.0 if measure == "payoff" else 1 / self.players

    def values(self, contrast: Contrast, measure: str) -> Any:
        """float64[deals]: the contrast on each deal, less its control variates."""
        found = self._raw(contrast, measure)
        if self.control is not None and self.pilot is not None:
            found = found - self.control @ self.pilot._coefficients(contrast, measure)
        return found

    def estimate(self, contrast: Contrast, measure: str, level: float = LEVEL) -> Estimate:
        """The contrast of one group's results with its interval, for win rates inside 0 to 1."""
        values = self.values(contrast, measure)
        if measure != "win_rate" or not contrast.weights:
            return mean_with_interval(values, level)
        each = self.tables[0].seatings_per_deal
        return share_with_interval(values, self.tables_of(contrast) * each, level)

    def _raw(self, contrast: Contrast, measure: str) -> Any:
        found = np.full(self.n_deals, contrast.constant)
        for (t, g), weight in contrast.weights.items():
            if weight:
                found += weight * self.tables[t].column(measure, g)
        found[np.abs(found) < ROUNDING] = 0.0
        return found

    def _coefficients(self, contrast: Contrast, measure: str) -> Any:
        """Least squares of the contrast on the control variates of this sample's own deals."""
        values = self._raw(contrast, measure)
        design = np.column_stack([np.ones(self.n_deals), self.control])
        return np.linalg.lstsq(design, values, rcond=1e-9)[0][1:]

    def independent_variance(self, contrast: Contrast, measure: str) -> float:
        """Variance of the contrast from one playout of each table, every one on a deal of its own.

        From all playouts: Σ over tables of E[x²] - E[x]², x the contrast's share of one playout.
        """
        total = 0.0
        for t, table in enumerate(self.tables):
            weights = np.array(
                [contrast.weights.get((t, g), 0.0) for g in range(len(table.groups))]
            )
            if weights.any():
                number = table.n_deals * table.seatings_per_deal
                mean = float(table.values(measure).mean(axis=0) @ weights)
                square = float(weights @ table.products[MEASURES.index(measure)] @ weights)
                total += max(0.0, square / number - mean**2)
        return total

    def separate_variance(self, contrast: Contrast, measure: str) -> float:
        """Variance of the contrast from one deal for each table, in all its seatings."""
        shares: dict[int, dict[tuple[int, int], float]] = {}
        for (t, g), weight in contrast.weights.items():
            shares.setdefault(t, {})[t, g] = weight
        return sum(variance(self._raw(Contrast(part), measure)) for part in shares.values())

    def tables_of(self, contrast: Contrast) -> int:
        """How many tables the contrast is made of."""
        return len({t for (t, _), weight in contrast.weights.items() if weight})


def variance(values: Any) -> float:
    """Sample variance; NaN for fewer than two deals. Rounding noise of equal values counts as 0."""
    if len(values) < 2:
        return math.nan
    found = float(np.var(values, ddof=1))
    return found if found > 1e-20 * float(np.mean(values**2)) else 0.0


def mean_with_interval(
    values: Any, level: float = LEVEL, family: int = 1, most: float = math.inf
) -> Estimate:
    """Mean over deals with its t interval; the bounds are NaN for one deal.

    family: number of intervals that shall hold together (see `t_quantile`); most: the largest size
    that the mean can have, 1 for a difference of shares.
    """
    n, mean = len(values), float(np.mean(values))
    if n < 2:
        return Estimate(mean, math.nan, math.nan, n)
    half = t_quantile(level, n - 1, family) * math.sqrt(variance(values) / n)
    return Estimate(mean, max(-most, mean - half), min(most, mean + half), n)


def share_with_interval(values: Any, per_deal: float, level: float = LEVEL) -> Estimate:
    """Mean over deals of shares, with Wilson's interval on the effective number, inside 0 to 1.

    per_deal: observations behind one deal's share. The bounds are NaN for one deal.
    """
    n, mean = len(values), float(np.mean(values))
    if n < 2:
        return Estimate(mean, math.nan, math.nan, n)
    share = min(1.0, max(0.0, mean))  # control variates may carry it past the ends
    number = effective_number(share, variance(values) / n, n * per_deal, n, level)
    low, high = wilson(share, number, level)
    return Estimate(mean, min(low, mean), max(high, mean), n)


def p_value(values: Any) -> float:
    """Two-sided t test of mean 0 over deals; 1 for one deal.

    Where all deals agree exactly there is no spread to judge by: then that of the sign test,
    2^(1 - deals).
    """
    from scipy.special import stdtr

    n, mean = len(values), float(np.mean(values))
    if n < 2 or mean == 0:
        return 1.0
    spread = variance(values)
    if spread == 0:
        return 2.0 ** (1 - n)
    return min(1.0, 2 * float(stdtr(n - 1, -abs(mean) / math.sqrt(spread / n))))


def holm(p: Sequence[float]) -> list[float]:
    """p-values adjusted for their number (Holm, Scandinavian Journal of Statistics 1979)."""
    adjusted, running = [0.0] * len(p), 0.0
    for rank, i in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        running = max(running, min(1.0, (len(p) - rank) * p[i]))
        adjusted[i] = running
    return adjusted
