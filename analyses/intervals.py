"""Confidence intervals for means over deals.

The unit is the deal: all playouts of one deal are one observation, so the standard error comes from
the variance between deals (a cluster-robust variance; Liang and Zeger, Biometrika 1986).
"""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

LEVEL = 0.95
ROUNDING = 1e-14  # of sums of squares
PRIOR = 0.5  # observations; chosen by coverage at 20 to 1,000 deals (tests/statistical)


@dataclass(frozen=True)
class Estimate:
    """A mean with its interval.

    The bounds are NaN where the deals say nothing about the spread: one deal, or all the same.
    """

    mean: float
    low: float
    high: float
    n_deals: int


def t_quantile(level: float, degrees: int) -> float:
    """Two-sided Student t quantile, by the expansion of Abramowitz and Stegun 26.7.5.

    Within 1 % from 4 degrees of freedom on; exact formulas for 1 and 2, and 3 by the expansion.
    """
    p = (1 + level) / 2
    if degrees == 1:
        return math.tan(math.pi * (p - 0.5))
    if degrees == 2:
        return (2 * p - 1) * math.sqrt(2 / (4 * p * (1 - p)))
    z, v = NormalDist().inv_cdf(p), degrees
    return (
        z
        + (z**3 + z) / (4 * v)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * v**4)
    )


def known(value: float, n_deals: int) -> Estimate:
    """A mean that is the same in every run, not an estimate."""
    return Estimate(value, value, value, n_deals)


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
    # In integers as long as possible: n Σx² - (Σx)² is exact and never negative.
    spread = n_deals * total_squares - total * total
    if n_deals == 1 or spread <= 0:
        return Estimate(mean, math.nan, math.nan, n_deals)
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


def share_over_deals(
    x: int, n: int, xx: int, xn: int, nn: int, n_deals: int, most: float = 1.0, level: float = LEVEL
) -> Estimate:
    """Share Σx / Σn of two sums over deals, such as wins per playout in a seat, inside 0 to most.

    Arguments as in `ratio_over_deals`; most: the largest that the share can be, 1 / k where at most
    one of k seats that count can win. Wilson's score interval on the effective number.
    """
    if n == 0:
        return Estimate(math.nan, math.nan, math.nan, n_deals)
    ratio = x / n
    clusters = n * n / nn  # deals, those with few playouts in the cell for less
    if n_deals < 2 or clusters < 2:
        return Estimate(ratio, math.nan, math.nan, n_deals)
    residuals = max(0.0, xx - 2 * ratio * xn + ratio * ratio * nn)
    variance = clusters / (clusters - 1) * residuals / (n * most) ** 2
    share = min(1.0, ratio / most)
    number = effective_number(share, variance, n * most, clusters, level)
    low, high = wilson(share, number, level)
    return Estimate(ratio, low * most, high * most, n_deals)


def effective_number(
    share: float, variance: float, number: float, n_deals: float, level: float = LEVEL
) -> float:
    """How many independent observations a share with this variance over deals is worth.

    number: of observations that there are. share (1 - share) / variance, which may be more than
    `number`: where seatings of a deal balance each other. Little seen says little of the variance,
    so it is weighed with PRIOR observations of which those of one deal always agree; where nothing
    was seen that leaves the number of deals. With the degrees-of-freedom factor of Korn and Graham,
    Survey Methodology 1998.
    """
    seen = number * min(share, 1 - share)
    independent = share * (1 - share) / number
    effect = seen * variance / independent if independent > 0 else 0.0
    effect = (effect + PRIOR * number / n_deals) / (seen + PRIOR)
    many, few = (t_quantile(level, max(1, round(m) - 1)) for m in (number, n_deals))
    return number / effect * (many / few) ** 2


def wilson(share: float, number: float, level: float = LEVEL) -> tuple[float, float]:
    """Score interval of a share seen in `number` (effective) observations (Wilson, JASA 1927)."""
    z2 = NormalDist().inv_cdf((1 + level) / 2) ** 2
    centre = (share + z2 / 2 / number) / (1 + z2 / number)
    half = math.sqrt(z2 * (share * (1 - share) / number + z2 / 4 / number**2)) / (1 + z2 / number)
    return (0.0 if share == 0 else centre - half), (1.0 if share == 1 else centre + half)


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
