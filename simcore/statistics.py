"""Student's t quantile, for every interval that is shown."""

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
