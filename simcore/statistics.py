"""Intervals of means and shares over deals, from exact sums.

The unit is the deal: all playouts of one deal are one observation, so the standard error comes from
the variance between deals (a cluster-robust variance; Liang and Zeger, Biometrika 1986).
"""

import math
from dataclasses import dataclass
from statistics import NormalDist

LEVEL = 0.95
PRIOR = 0.5  # observations; chosen by coverage at 20 to 1,000 deals (tests/statistical)

SMALL = 200  # degrees of freedom below which the expansion is no good


@dataclass(frozen=True)
class Estimate:
    """A mean with its interval.

    The bounds are NaN where the deals say nothing about the spread: one deal, or all the same.
    """

    mean: float
    low: float
    high: float
    n_deals: int


def t_quantile(level: float, degrees: float, family: int = 1) -> float:
    """Two-sided Student t quantile. family: so many intervals hold together.

    By the expansion of Abramowitz and Stegun 26.7.5, which is good to nine digits from SMALL
    degrees of freedom on. family: Šidák's bound (Journal of the American Statistical Association
    1967), which is valid for correlated t statistics too.
    """
    p = (1 + level ** (1 / family)) / 2
    if degrees < SMALL:
        from scipy.special import stdtrit  # here: it takes a moment to load

        return float(stdtrit(degrees, p))
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
    many, few = (t_quantile(level, max(1.0, m - 1)) for m in (number, n_deals))
    return number / effect * (many / few) ** 2


def wilson(share: float, number: float, level: float = LEVEL) -> tuple[float, float]:
    """Score interval of a share seen in `number` (effective) observations (Wilson, JASA 1927)."""
    z2 = NormalDist().inv_cdf((1 + level) / 2) ** 2
    centre = (share + z2 / 2 / number) / (1 + z2 / number)
    half = math.sqrt(z2 * (share * (1 - share) / number + z2 / 4 / number**2)) / (1 + z2 / number)
    return (0.0 if share == 0 else centre - half), (1.0 if share == 1 else centre + half)


def always_valid_half_width(v: float, n: int, level: float, delta: float) -> float:
    """Half the width of the always-valid interval around a mean of n observations with variance v.

    level: the chance that it ever misses; delta: where it is narrowest. See analyses.sequential.
    """
    small = v / n
    if small == 0:
        return 0.0
    ratio = (small + delta**2) / small
    return math.sqrt(2 * small * (small + delta**2) / delta**2 * math.log(math.sqrt(ratio) / level))
