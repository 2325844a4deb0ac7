"""Confidence intervals for means over deals.

The unit is the deal: all playouts of one deal are one observation, so the standard error comes from
the variance between deals (a cluster-robust variance; Liang and Zeger, Biometrika 1986).
"""

import math
from typing import Any

from simcore.statistics import (
    LEVEL,
    Estimate,
    effective_number,
    known,
    mean_over_deals,
    share_over_deals,
    t_quantile,
    wilson,
)

__all__ = [
    "LEVEL",
    "Estimate",
    "clopper_pearson",
    "effective_number",
    "heavy_tailed_ratio",
    "known",
    "mean_over_deals",
    "ratio_over_deals",
    "share_over_deals",
    "wilson",
]

ROUNDING = 1e-14  # of sums of squares


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
    residuals = xx - 2 * ratio * xn + ratio * ratio * nn
    if residuals <= ROUNDING * (xx + ratio * ratio * nn):
        return Estimate(ratio, math.nan, math.nan, n_deals)
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
