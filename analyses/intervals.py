"""Confidence intervals for means over deals.

The unit is the deal: all playouts of one deal are one observation, so the standard error comes from
the variance between deals (a cluster-robust variance; Liang and Zeger, Biometrika 1986).
"""

import math
from dataclasses import dataclass
from typing import Any

from simcore.statistics import t_quantile

LEVEL = 0.95


@dataclass(frozen=True)
class Estimate:
    """A mean with its interval; the bounds are NaN where one deal or none was seen."""

    mean: float
    low: float
    high: float
    n_deals: int


def mean_over_deals(
    total: int, total_squares: int, n_deals: int, per_deal: float, level: float = LEVEL
) -> Estimate:
    """Mean per playout from exact sums over deals.

    total, total_squares: sums of the deals' values and of their squares; per_deal: how many
    playouts (times slots) one deal's value adds up.
    """
    if n_deals == 0:
        return Estimate(math.nan, math.nan, math.nan, 0)
    mean = total / n_deals / per_deal
    if n_deals == 1:
        return Estimate(mean, math.nan, math.nan, 1)
    # In integers as long as possible: n Σx² - (Σx)² is exact and never negative.
    spread = n_deals * total_squares - total * total
    variance = spread / n_deals / (n_deals - 1)
    half = t_quantile(level, n_deals - 1) * math.sqrt(variance / n_deals) / per_deal
    return Estimate(mean, mean - half, mean + half, n_deals)


def ratio_over_deals(
    x: int, n: int, xx: int, xn: int, nn: int, n_deals: int, level: float = LEVEL
) -> Estimate:
    """Ratio Σx / Σn of two sums over deals, such as wins per playout in a seat.

    xx, xn, nn: sums over deals of the products. Linearised variance of a ratio estimator (Cochran,
    Sampling Techniques, 1977, section 6.4).
    """
    if n == 0:
        return Estimate(math.nan, math.nan, math.nan, n_deals)
    ratio = x / n
    if n_deals < 2:
        return Estimate(ratio, math.nan, math.nan, n_deals)
    residuals = max(0.0, xx - 2 * ratio * xn + ratio * ratio * nn)
    variance = n_deals / (n_deals - 1) * residuals / n**2
    half = t_quantile(level, n_deals - 1) * math.sqrt(variance)
    return Estimate(ratio, ratio - half, ratio + half, n_deals)


def heavy_tailed_ratio(x: Any, n: Any, level: float = LEVEL) -> Estimate:
    """Ratio Σx / Σn of float64[deals] of which a few deals make up much, as squares of payoffs do.

    Variance by the jackknife, leaving out one deal at a time (Efron and Tibshirani, An Introduction
    to the Bootstrap, 1993, chapter 11). Student's t with as many degrees of freedom as a variance
    from so many deals of that kurtosis is worth, 2 deals / (kurtosis - 1) (Satterthwaite,
    Biometrics 1946): with heavy tails, far fewer than there are deals.
    """
    deals, others = len(x), n.sum() - n
    ratio = float(x.sum() / n.sum()) if n.sum() else math.nan
    if deals < 3 or math.isnan(ratio) or not others.all():
        return Estimate(ratio, math.nan, math.nan, deals)
    rest = (x.sum() - x) / others
    variance = float((deals - 1) / deals * ((rest - rest.mean()) ** 2).sum())
    errors = x - ratio * n
    spread = float((errors**2).mean())
    kurtosis = float((errors**4).mean()) / spread**2 if spread > 0 else 1.0
    degrees = min(deals - 1, max(1, int(2 * deals / max(kurtosis - 1, 1e-9))))
    half = t_quantile(level, degrees) * math.sqrt(variance)
    return Estimate(ratio, ratio - half, ratio + half, deals)


def effective_number(share: float, variance: float, n_deals: int, most: float) -> float:
    """How many independent observations a share with this variance is worth: p (1 - p) / variance.

    At most `most`, the observations that there are; without variance the number of deals. With the
    degrees-of-freedom factor of Korn and Graham, Survey Methodology 1998.
    """
    if not 0 < share < 1 or variance <= 0:
        return float(n_deals)
    found = share * (1 - share) / variance
    if n_deals > 1 and most > 1:
        factor = t_quantile(LEVEL, max(1, round(most) - 1)) / t_quantile(LEVEL, n_deals - 1)
        found *= factor * factor
    return min(found, most)


def clopper_pearson(count: float, number: float, level: float = LEVEL) -> tuple[float, float]:
    """Exact interval of a share: `count` of `number` observations (Clopper and Pearson, Biometrika
    1934); it covers with at least `level`, and more where counts are small.

    Fractional counts, from an effective number of observations, are those of Korn and Graham,
    Survey Methodology 1998.
    """
    from scipy.special import betaincinv  # here: it takes a moment to load

    tail = (1 - level) / 2
    low = float(betaincinv(count, number - count + 1, tail)) if count > 0 else 0.0
    high = float(betaincinv(count + 1, number - count, 1 - tail)) if count < number else 1.0
    return low, high
