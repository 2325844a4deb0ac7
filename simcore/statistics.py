"""Quantiles and intervals that the engine and the analyses share."""

import math
from statistics import NormalDist

SMALL = 200  # degrees of freedom below which the expansion is no good


def t_quantile(level: float, degrees: int, family: int = 1) -> float:
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


def wilson(share: float, number: float, level: float = 0.95) -> tuple[float, float]:
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
