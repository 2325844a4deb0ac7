"""Racing: several candidates on common samples, and those that are certainly not the best stop.

All that still race are tried on the same samples, so they are compared by paired differences.
A candidate is dropped once the always-valid interval of (best so far - candidate) lies above 0: the
racing of O. Maron and A. Moore (Artificial Intelligence Review 11, 1997), with the confidence
sequence of `statistics.always_valid_half_width` in place of Hoeffding's bound. With n candidates
each interval has level alpha / (n - 1), so the chance that the truly best one is ever dropped is at
most alpha, however often one looks; asymptotically, hence not before FEWEST samples.
"""

import math
from typing import Any

import numpy as np

from simcore.statistics import always_valid_half_width

FEWEST = 256  # samples before anything is certain: the variance must be known by then
NARROWEST = 2000  # samples about which the always-valid intervals are narrowest for their level


class Race:
    """Candidates 0 … n - 1 with what they have scored on samples 0, 1, 2, …"""

    def __init__(self, n: int, alpha: float) -> None:
        self.level = alpha / max(1, n - 1)
        self.active = list(range(n))  # those that still race
        self.worse: set[int] = set()  # those that are certainly not the best
        self.values: list[Any] = [np.empty(0, np.int32) for _ in range(n)]  # by sample

    def add(self, values: Any) -> None:
        """What those that race scored on the next samples: [len(active), samples]."""
        for i, mine in zip(self.active, values, strict=True):
            self.values[i] = np.concatenate([self.values[i], mine])

    @property
    def samples(self) -> int:
        """Samples of those that race."""
        return len(self.values[self.active[0]])

    def ranked(self) -> list[int]:
        """Those that race, best mean first; the first of equals."""
        means = {i: float(self.values[i].mean()) for i in self.active}
        return sorted(self.active, key=lambda i: (-means[i], i))

    def difference(self, a: int, b: int) -> tuple[float, float, int]:
        """(mean, variance, number) of a - b on their common samples."""
        n = min(len(self.values[a]), len(self.values[b]))
        found = np.subtract(self.values[a][:n], self.values[b][:n], dtype=np.float64)
        return float(found.mean()), float(found.var(ddof=1)) if n > 1 else math.nan, n

    def drop(self) -> tuple[int, int | None]:
        """Drop who is certainly worse than the best so far; returns the best and the runner-up.

        The runner-up is the next best that does not always score the same as the best; it races on
        even where it is certainly worse, so that its distance becomes known. None if there is none.
        """
        best, *rest = self.ranked()
        runner_up: int | None = None
        for i in rest:
            mean, variance, n = self.difference(best, i)
            if runner_up is None and not mean == variance == 0:
                runner_up = i
            if n < FEWEST or variance == 0:
                continue
            if mean > always_valid_half_width(
                variance, n, self.level, math.sqrt(variance / NARROWEST)
            ):
                self.worse.add(i)
        self.active = [i for i in self.active if i not in self.worse or i == runner_up]
        return best, runner_up
