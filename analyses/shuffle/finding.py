"""What a test of dealt hands says, and what it could have found."""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from scipy.optimize import brentq

POWER = 0.8


class Finding(NamedTuple):
    """One test: what it counts, what came out, and, for a level, what it could have found."""

    test: str
    measure: str  # what statistic and expected are
    statistic: float
    expected: float
    p: float
    could_find: Callable[[float], str]


# Tails


def binomial(counts: Any, n: int, p: float) -> Any:
    """Two-sided p-values, twice the smaller tail."""
    lower, upper = stats.binom.cdf(counts, n, p), stats.binom.sf(counts - 1, n, p)
    return np.minimum(1, 2 * np.minimum(lower, upper))


def two_sided(total: float, n: int, mean: float, sd: float, skew: float) -> float:
    """p of a sum of n independent figures with these moments."""
    z = (total - n * mean) / (sd * math.sqrt(n))
    curve = stats.pearson3(skew / math.sqrt(n))
    return float(min(1.0, 2 * min(curve.cdf(z), curve.sf(z))))


def at_least(count: int, mean: float) -> float:
    """p of so many or more, where a few are rare: Poisson."""
    return float(stats.poisson.sf(count - 1, mean))


def quadratic(off: Any, covariance: Any) -> tuple[float, int]:
    """(chi-square, degrees of freedom) of counts that are off their means by so much."""
    spread, axes = np.linalg.eigh(covariance)
    free = spread > 1e-9 * spread[-1]  # the others are sums that cannot change
    return float(((off @ axes[:, free]) ** 2 / spread[free]).sum()), int(free.sum())


# Sizes that can be found


@lru_cache(maxsize=256)
def noncentrality(df: int, level: float) -> float:
    """What a chi-square must be shifted by, to exceed its bound at `level` with 80 %."""
    bound = stats.chi2.isf(level, df)

    def lacking(shift: float) -> float:
        return float(stats.ncx2.sf(bound, df, shift)) - POWER

    return float(brentq(lacking, 1e-6, 200 + 40 * math.sqrt(df)))


def shift(level: float) -> float:
    """The same for a two-sided normal test, in standard errors."""
    return float(stats.norm.isf(level / 2) + stats.norm.ppf(POWER))


def alone(covariance: Any, df: int, level: float) -> float:
    """How far the first of some counts must be off, the others as they should be."""
    return math.sqrt(noncentrality(df, level) / float(np.linalg.pinv(covariance)[0, 0]))


def percent(share: float) -> str:
    """12.5 %"""
    return f"{100 * share:.3g} %"


def binomial_bounds(n: int, p: float, level: float) -> tuple[float, float]:
    """Chances below and above p that `binomial` finds with 80 %; beyond 0 and 1 where it cannot."""
    low, high = stats.binom.ppf(level / 2, n, p) - 1, stats.binom.isf(level / 2, n, p) + 1
    return (
        float(stats.beta.ppf(1 - POWER, low + 1, n - low)) if low >= 0 else -1.0,
        float(stats.beta.ppf(POWER, high, n - high + 1)) if high <= n else 2.0,
    )


def share_off(what: str, bounds: tuple[float, float], whole: str) -> str:
    """A share below or above these bounds, in words."""
    words = []
    if bounds[1] < 1:
        words.append(f"more than {percent(bounds[1])}")
    if bounds[0] > 0:
        words.append(f"less than {percent(bounds[0])}")
    return f"{what} in {' or '.join(words)} of {whole}" if words else "nothing yet"


def figure_off(what: str, mean: float, off: float) -> str:
    """A mean that is off by so much, in words."""
    less = f"less than {mean - off:.4g} or " if mean > off else ""
    return f"{less}more than {mean + off:.4g} {what}"
