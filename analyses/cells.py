"""A tidy frame as plain data, and as text with every figure beside its interval."""

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd

from simcore.renamed import RENAMED


@dataclass(frozen=True)
class Column:
    """A column to show: one text per row, and the values to sort by."""

    heading: str
    texts: list[str]
    values: list[Any]
    is_figure: bool


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame as plain data; what is unknown or without end is null."""
    return [
        {
            str(key): None if isinstance(x, float) and not math.isfinite(x) else x
            for key, x in row.items()
        }
        for row in frame.to_dict("records")
    ]


def columns(frame: pd.DataFrame) -> list[Column]:
    """The columns of a tidy frame; x, x_low and x_high (or low and high behind x) become one."""
    found = []
    names = [str(name) for name in frame.columns]
    for i, name in enumerate(names):
        low, high = f"{name}_low", f"{name}_high"
        if name.endswith(("_low", "_high")) or name in ("low", "high"):
            continue
        if RENAMED.get(name) in names:  # there under its old name as well
            continue
        if low not in names and names[i + 1 : i + 3] == ["low", "high"]:
            low, high = "low", "high"
        values = frame[name].tolist()
        if low in names:
            texts = with_intervals(values, frame[low].tolist(), frame[high].tolist())
        else:
            texts = [_plain(value) for value in values]
        is_figure = not any(isinstance(value, str) for value in values)
        found.append(Column(name.replace("_", " "), texts, values, is_figure))
    return found


def _plain(value: Any) -> str:
    """One figure without an interval, with four digits that count, or a name."""
    if isinstance(value, float):
        whole = value == 0 or not math.isfinite(value) or value == round(value)
        return number(value, 0 if whole else max(0, 3 - math.floor(math.log10(abs(value)))))
    return f"{value:,}" if isinstance(value, int) else str(value).replace("_", " ")


def number(value: float, digits: int) -> str:
    """A figure; ∞ where there is no end, ? where it is not known."""
    if math.isnan(value):
        return "?"
    return f"{value:,.{digits}f}" if math.isfinite(value) else "∞"


def digits_for(value: float, half: float) -> int:
    """Digits behind the point of a figure whose interval reaches `half` to either side."""
    if isinstance(value, int) or not math.isfinite(value):
        return 0
    if not half > 0 and value == round(value):
        return 0
    if math.isfinite(half) and half > 0:
        return min(7, max(0, 1 - math.floor(math.log10(half))))
    return 4


def with_intervals(
    values: list[float], low: list[float], high: list[float], digits: int | None = None
) -> list[str]:
    """mean ± half, or mean [low, high] for a whole column in which that is not the same.

    digits: behind the point; default those that the interval leaves certain. What is known without
    an error stands alone.
    """
    triples = list(zip(values, low, high, strict=True))
    skewed = any(
        math.isinf(b) or abs((a + b) / 2 - x) > 0.05 * (b - a) for x, a, b in triples if a == a
    )
    found = []
    for x, a, b in triples:
        half = (b - a) / 2
        whole = all(v != v or v == math.inf or v == round(v) for v in (x, a, b))  # a quantile
        n = digits if digits is not None else 0 if whole and skewed else digits_for(x, half)
        if x != x or (skewed and a != a and b != b) or (a == b and not skewed):
            found.append(number(x, n))
        elif skewed:
            found.append(f"{number(x, n)} [{number(a, n)}, {number(b, n)}]")
        else:
            found.append(f"{number(x, n)} ± {number(half, n)}")
    return found
