"""Stopping as soon as the answer is certain, however often one looks.

The interval around a mean of n deals with variance v per deal,

    half² = 2 V (V + δ²) / δ² · ln(√((V + δ²) / V) / α),   V = v / n,

holds at all n at once with probability 1 - α: the normal mixture of Robbins (Annals of Mathematical
Statistics 1970) with prior variance δ², which is valid with an estimated variance as n grows
(asymptotic confidence sequences: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Annals of
Statistics 2024). It is narrowest about where half = δ. So one may look at any time and stop when

- it excludes 0 at level α: one of the two is better, or
- it lies within ±δ at level β: no difference larger than δ.
"""

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import pandas as pd

from analyses.compare import score
from analyses.contrasts import Sample, variance
from simcore.errors import InputError, nearest
from simcore.renamed import current
from simcore.samples.scores import MEASURES
from simcore.statistics import always_valid_half_width

KEYS = ("alpha", "beta", "delta", "measure")
FEWEST = 256  # deals before anything is called certain: the variance must be known by then
EXAMPLE = "alpha=0.05:beta=0.05:delta=0.1"


@dataclass(frozen=True)
class Sequential:
    """When to stop: error rates of saying "better" (alpha) and "no difference" (beta) wrongly.

    delta: the smallest difference that matters, in points (or shares of wins) per playout.
    """

    alpha: float = 0.05
    beta: float = 0.05
    delta: float = 0.1
    measure: str = "payoff"

    def decide(self, values: Any, pairs: int = 1) -> dict[str, Any]:
        """What is certain about the mean of one pair's differences by deal.

        pairs: number of pairs under test, among which both error rates are shared (Bonferroni).
        Returns estimate, low, high (always valid at 1 - alpha), deals, and decision: "better",
        "worse", "no difference" or "" (not certain, or fewer than FEWEST deals).
        """
        n, mean = len(values), float(values.mean())
        v = variance(values)
        row = {"estimate": mean, "low": math.nan, "high": math.nan, "deals": n, "decision": ""}
        if n < 2 or (v == 0 and mean != 0):  # nothing to judge the spread by
            return row
        half = always_valid_half_width(v, n, self.alpha / pairs, self.delta)
        row |= {"low": mean - half, "high": mean + half}
        if n < FEWEST:
            return row
        if abs(mean) > half:
            row["decision"] = "better" if mean > 0 else "worse"
        elif abs(mean) + always_valid_half_width(v, n, self.beta / pairs, self.delta) < self.delta:
            row["decision"] = "no difference"
        return row

    def look(self, sample: Sample) -> pd.DataFrame:
        """Every pair's state: first, second, estimate, low, high, deals, decision."""
        pairs = list(combinations(sample.names, 2))
        rows = []
        for a, b in pairs:
            contrast = score(sample, a, self.measure) - score(sample, b, self.measure)
            found = self.decide(sample.values(contrast, self.measure), len(pairs))
            rows.append({"first": a, "second": b, **found})
        return pd.DataFrame(rows)

    def sentence(self, row: dict[Any, Any]) -> str:
        """What a row of `look` says."""
        unit = "points" if self.measure == "payoff" else "of the wins"
        a, b, by = row["first"], row["second"], row["estimate"]
        low, high = row["low"], row["high"]
        if row["decision"] == "worse":
            a, b, by, low, high = b, a, -by, -high, -low
        span = f"{by:.3g} {unit} a playout ({low:.3g} to {high:.3g}, always valid)"
        deals = f"after {row['deals']:,} deals"
        if row["decision"] in ("better", "worse"):
            return f"{a} is better than {b} by {span}, {deals}."
        if row["decision"] == "no difference":
            return f"{a} and {b}: no difference larger than {self.delta:g}, {deals}: {span}."
        return f"{a} and {b}: not certain yet {deals}: {span}."


def parse_sequential(text: str) -> Sequential:
    """Read "alpha=0.05:beta=0.05:delta=0.1" (and measure=win_rate). Raises InputError."""
    values: dict[str, str] = {}
    for part in text.split(":"):
        key, equals, value = part.partition("=")
        if not equals or key not in KEYS:
            raise InputError(
                f"--sequential {text!r}: {part!r} is none of alpha=…, beta=…, delta=…, "
                f"measure=…, as in {EXAMPLE}"
            )
        if key in values:
            raise InputError(f"--sequential {text!r}: {key} is given twice; give it once")
        values[key] = value
    measure = current(values.pop("measure", "payoff"))
    if measure not in MEASURES:
        raise InputError(f"--sequential: unknown measure {measure!r}; {nearest(measure, MEASURES)}")
    numbers: dict[str, float] = {"delta": 0.1 if measure == "payoff" else 0.01}
    for key, value in values.items():
        try:
            numbers[key] = float(value)
        except ValueError:
            numbers[key] = math.nan
        most = math.inf if key == "delta" else 0.5
        if not 0 < numbers[key] < most:
            bound = "above 0" if key == "delta" else "between 0 and 0.5"
            raise InputError(f"--sequential: {key} is {value!r}; give a number {bound}")
    return Sequential(measure=measure, **numbers)
