"""What rules do to the game: the same cards and strategies under several rule sets.

Every measure has an influence on each deal (its linearised value), so that an interval comes from
the variance between deals and a difference of two rule sets is paired deal by deal (Särndal,
Swensson and Wretman, Model Assisted Survey Sampling, 1992, section 5.5). Quantiles have none that
is simple: theirs are percentiles of a bootstrap over deals, with the same draws for all rule sets;
payoffs are integers, so they hold the truth somewhat more often than they say.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analyses.contrasts import share_with_interval, variance
from analyses.intervals import LEVEL
from analyses.rate import percentiles
from simcore.errors import InputError
from simcore.samples.measures import DealMeasures
from simcore.statistics import t_quantile

BIG_LOSS = 39  # points: three times a hand of 13 cards
BLOCKS, RESAMPLES = 200, 500

# measure -> (unit, what it is)
MEASURES = {
    "starter_win_rate": ("share", "playouts that the starter wins"),
    "starter_payoff": ("points", "mean payoff of the starter"),
    "plays": ("plays", "plays in a playout"),
    "turns": ("turns", "plays and passes in a playout"),
    "tricks": ("tricks", "tricks in a playout"),
    "payoff_sd": ("points", "standard deviation of a seat's payoff"),
    "payoff_q05": ("points", "payoff that a seat stays below in 5 % of the playouts"),
    "payoff_q95": ("points", "payoff that a seat exceeds in 5 % of the playouts"),
    "big_losses": ("share", "seats that lose at least so many points"),
    "luck": ("share", "variance of a seat's payoff that the deal explains"),
}
SHARES = {name for name, (unit, _) in MEASURES.items() if unit == "share"}
QUANTILES = {"payoff_q05": 0.05, "payoff_q95": 0.95}


@dataclass(frozen=True)
class Linearised:
    """An estimate, with what each deal adds to it: float64[deals] of mean 0."""

    estimate: float
    influence: Any


def linearised(measured: DealMeasures, measure: str, big_loss: int = BIG_LOSS) -> Linearised:
    """A measure of MEASURES, quantiles aside.

    payoff_sd: root of the mean square (payoffs have mean 0). luck: the variance component of the
    deal and seat in a two-way analysis of variance of payoffs by cell (deal and seat) and slot,
    over the whole variance (Searle, Casella and McCulloch, Variance Components, 1992): with E[w]
    the variance within cells of s seatings, and M the mean squared mean of the slots,
    1 - (E[w] - M / (s - 1)) / E[square]. NaN where a measure does not exist.
    """
    columns = measured.columns
    square = columns["square"]
    mean = float(square.mean())
    if measure in columns:
        values = columns[measure]
    elif measure == "big_losses":
        values = (measured.payoffs <= -big_loss).mean(axis=1)
    elif measure == "payoff_sd":
        sd = math.sqrt(mean)
        return Linearised(sd, (square - mean) / (2 * sd) if sd else 0 * square)
    elif measure == "luck":
        seatings = measured.payoffs.shape[1] // measured.slots.shape[1]
        if seatings == 1 or not mean:
            return Linearised(math.nan, np.nan * square)
        means = measured.slots.mean(axis=0)
        skill = float((means**2).mean()) / (seatings - 1)
        rest = (float(columns["within"].mean()) - skill) / mean
        of_skill = 2 * ((measured.slots - means) * means).mean(axis=1) / (seatings - 1)
        of_rest = columns["within"] - columns["within"].mean() - of_skill - rest * (square - mean)
        return Linearised(1 - rest, -of_rest / mean)
    else:
        raise InputError(f"unknown measure {measure!r}; known: {', '.join(MEASURES)}")
    return Linearised(float(values.mean()), values - values.mean())


def _bounds(
    estimate: float, influence: Any, level: float, least: float, most: float
) -> tuple[float, float]:
    """Student's t interval over deals, inside what there can be; NaN for one deal."""
    n = len(influence)
    if n < 2:
        return math.nan, math.nan
    half = t_quantile(level, n - 1) * math.sqrt(variance(influence) / n)
    return max(least, estimate - half), min(most, estimate + half)


def _histogram(payoffs: Any) -> tuple[Any, Any]:
    """(values [v], counts float64[blocks, v]) of payoffs by block of consecutive deals."""
    n = len(payoffs)
    values, codes = np.unique(payoffs, return_inverse=True)
    blocks = min(n, BLOCKS)
    block = np.repeat(np.arange(n) * blocks // n, payoffs.shape[1])
    flat = np.bincount(block * len(values) + codes.ravel(), minlength=blocks * len(values))
    return values, flat.reshape(blocks, len(values)).astype(float)


def _quantiles(values: Any, counts: Any, q: float) -> Any:
    """The q-quantile of each row of counts: the least value with a share of q at or below it."""
    cumulated = np.cumsum(counts, axis=-1)
    return values[(cumulated >= q * cumulated[..., -1:]).argmax(axis=-1)]


def rules_frame(
    measured: Mapping[str, DealMeasures],
    big_loss: int = BIG_LOSS,
    level: float = LEVEL,
    seed: int = 0,
) -> pd.DataFrame:
    """Every measure under every rule set, and its difference to the first rule set.

    measured: by name of the rule set, all of the same deals. Columns: rules, measure, estimate,
    low, high, difference, difference_low, difference_high, deals. The first rule set's differences
    are NaN, and so is what one deal cannot tell. Raises InputError if the deals are not as many.
    """
    if not measured:
        raise InputError("there is no rule set to compare; give one at least")
    names = list(measured)
    n = len(measured[names[0]].payoffs)
    if any(len(m.payoffs) != n for m in measured.values()):
        raise InputError("the rule sets were not played on the same deals; play them together")
    blocks = min(n, BLOCKS)
    draws = np.random.default_rng(seed).multinomial(blocks, np.full(blocks, 1 / blocks), RESAMPLES)
    histograms = {name: _histogram(m.payoffs) for name, m in measured.items()}
    rows: list[dict[str, Any]] = []
    for measure in MEASURES:
        first: Any = None
        for name in names:
            if measure in QUANTILES:
                values, counts = histograms[name]
                q = QUANTILES[measure]
                estimate = float(_quantiles(values, counts.sum(axis=0), q))
                again = _quantiles(values, draws @ counts, q).astype(float)
                low, high = percentiles(again, level) if n > 1 else (math.nan, math.nan)
                found = (estimate, again)
            else:
                one = linearised(measured[name], measure, big_loss)
                estimate = one.estimate
                least, most = (0.0, 1.0) if measure in SHARES else (-math.inf, math.inf)
                low, high = _bounds(estimate, one.influence, level, least, most)
                each = measured[name].payoffs.shape[1]
                if measure == "starter_win_rate":
                    each //= measured[name].slots.shape[1]
                if measure in ("starter_win_rate", "big_losses"):
                    share = share_with_interval(estimate + one.influence, each, level)
                    low, high = share.low, share.high
                found = (estimate, one.influence)
            row = {
                "rules": name,
                "measure": measure,
                "estimate": estimate,
                "low": low,
                "high": high,
            }
            difference, below, above = math.nan, math.nan, math.nan
            if first is None:
                first = found
            else:
                difference = estimate - first[0]
                spread = found[1] - first[1]
                if measure not in QUANTILES:
                    wide = 1.0 if measure in SHARES else math.inf
                    below, above = _bounds(difference, spread, level, -wide, wide)
                elif n > 1:
                    below, above = percentiles(spread, level)
            row |= {
                "difference": difference,
                "difference_low": float(below),
                "difference_high": float(above),
                "deals": n,
            }
            rows.append(row)
    return pd.DataFrame(rows)
