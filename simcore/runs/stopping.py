"""When a run is long enough: a fixed number of deals, a narrow enough interval, a time.

`half-width` rules are checked at deal counts that depend on nothing but the rule, always on the
deals before that count, so where a run stops depends on its seed alone. A fixed-width interval
reached by looking repeatedly keeps its coverage asymptotically (Chow and Robbins, Annals of
Mathematical Statistics 1965); the first look is at 1,024 deals.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from simcore.errors import InputError, nearest
from simcore.runs.summary import METRICS, Summary

FIRST_LOOK = 1024
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


@dataclass(frozen=True)
class Until:
    """Go on until the 95 % interval of a metric is at most `half_width` to either side."""

    half_width: float
    metric: str = "win_rate"  # one of METRICS
    strategy: str | None = None  # None: of every strategy

    def met(self, summary: Summary) -> bool:
        """Whether the deals of `summary` are enough."""
        if summary.n_drawn < 2:
            return False
        names = summary.groups if self.strategy is None else [self.strategy]
        found = (summary.estimate(self.metric, name) for name in names)
        return all((e.high - e.low) / 2 <= self.half_width for e in found)


def parse_until(text: str, strategies: list[str]) -> Until:
    """Read "half-width=0.002:metric=win_rate:strategy=dump". Raises InputError."""
    # A strategy's own parameters have colons as well, so it is taken whole, up to the next key.
    parts = re.split(r":(?=(?:half-width|metric|strategy)=)", text)
    values: dict[str, str] = {}
    for part in parts:
        key, equals, value = part.partition("=")
        if not equals or key not in ("half-width", "metric", "strategy"):
            raise InputError(
                f"--until {text!r}: {part!r} is none of half-width=…, metric=…, strategy=…, as in "
                "half-width=0.002:metric=win_rate:strategy=dump"
            )
        values[key] = value
    try:
        half_width = float(values["half-width"])
    except (KeyError, ValueError):
        raise InputError(
            f"--until {text!r}: give half-width=NUMBER, as in half-width=0.002"
        ) from None
    if not (half_width > 0 and math.isfinite(half_width)):
        raise InputError(f"--until {text!r}: half-width {half_width:g} must be above 0")
    metric = values.get("metric", "win_rate")
    if metric not in METRICS:
        raise InputError(f"--until {text!r}: unknown metric; {nearest(metric, METRICS)}")
    strategy = values.get("strategy")
    if strategy is not None and strategy not in strategies:
        raise InputError(f"--until {text!r}: not in the lineup; {nearest(strategy, strategies)}")
    return Until(half_width, metric, strategy)


def parse_time(text: str) -> float:
    """Seconds of "90", "90s", "10m", "2h", "1d". Raises InputError."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhd]?)", text.strip())
    seconds = float(match[1]) * _UNITS[match[2]] if match else 0.0
    if seconds <= 0:
        raise InputError(f"time {text!r}: write a number and s, m, h or d, as in 10m")
    return seconds


def looks(deals: int) -> Iterator[int]:
    """Deal counts at which a rule is checked: an eighth more each time, up to `deals`."""
    n = FIRST_LOOK
    while n < deals:
        yield n
        n += max(FIRST_LOOK, n // 8 // FIRST_LOOK * FIRST_LOOK)
    yield deals
