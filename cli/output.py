"""What every command shares: JSON and tables on stdout, notes on stderr, cards in colour."""

import json
import math
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    import pandas as pd

WIDTH = 10_000  # of a file or a pipe: nothing is cropped or wrapped


def _console(stream: str) -> Console:
    """A console that prints names as they are, and does not crop them where nobody is looking."""
    found = Console(stderr=stream == "stderr", emoji=False, markup=False)
    if not found.is_terminal:
        found.width = max(found.width, WIDTH)
    return found


out, err = _console("stdout"), _console("stderr")
_COLOURS = {"c": "green", "d": "blue", "h": "red", "s": "default"}


def print_json(data: Any) -> None:
    """One JSON document on stdout."""
    sys.stdout.write(json.dumps(data, ensure_ascii=False) + "\n")


def note(text: str) -> None:
    """A remark on stderr."""
    err.print(Text(text, style="dim"), highlight=False, soft_wrap=True)


def cards(names: Iterable[str]) -> Text:
    """Cards with their suit symbol in colour, where the terminal has it: 3♣ T♦."""
    from simcore.game.cards import SYMBOLS

    text = Text()
    for i, name in enumerate(names):
        if i:
            text.append(" ")
        text.append(name[0] + SYMBOLS[name[1]], style=f"bold {_COLOURS[name[1]]}")
    return text


def kind_name(kind: str) -> str:
    """straight_flush -> straight flush"""
    return kind.replace("_", " ")


def table(*headings: str, title: str | None = None) -> Table:
    """An empty table; a heading that begins with > is for figures, set to the right."""
    found = Table(title=title, title_justify="left", box=None, header_style="bold", pad_edge=False)
    for heading in headings:
        right = heading.startswith(">")
        found.add_column(
            heading.removeprefix(">"),
            justify="right" if right else "left",
            no_wrap=right,
            overflow="fold",
        )
    return found


def interval(mean: float, low: float, high: float, digits: int) -> str:
    """mean ± half the interval; without an interval, where one deal cannot give one."""
    if low != low:
        return f"{mean:.{digits}f} ± ?"
    return f"{mean:.{digits}f} ± {(high - low) / 2:.{digits}f}"


def records(frame: "pd.DataFrame") -> list[dict[str, Any]]:
    """The rows of a frame as plain data; what is unknown or without end is null."""
    return [
        {
            str(key): None if isinstance(x, float) and not math.isfinite(x) else x
            for key, x in row.items()
        }
        for row in frame.to_dict("records")
    ]


def print_frame(frame: "pd.DataFrame") -> None:
    """A tidy frame as a table: x, x_low and x_high stand in one column, with as many digits as the
    interval is worth."""
    columns: list[tuple[str, list[str], bool]] = []
    names = [str(name) for name in frame.columns]
    for i, name in enumerate(names):
        low, high = f"{name}_low", f"{name}_high"
        if name.endswith(("_low", "_high")) or name in ("low", "high"):
            continue
        if low not in names and names[i + 1 : i + 3] == ["low", "high"]:
            low, high = "low", "high"
        values = frame[name].tolist()
        if low in names:
            found = _with_intervals(values, frame[low].tolist(), frame[high].tolist())
        else:
            found = [_figure(value) for value in values]
        columns.append((name, found, not isinstance(values[0], str)))
    rows = table(*((">" if right else "") + kind_name(name) for name, _, right in columns))
    for cells in zip(*(found for _, found, _ in columns), strict=True):
        rows.add_row(*cells)
    out.print(rows)


def _figure(value: Any) -> str:
    """One figure without an interval, with four digits that count, or a name."""
    if isinstance(value, float):
        whole = value == 0 or not math.isfinite(value) or value == round(value)
        return number(value, 0 if whole else max(0, 3 - math.floor(math.log10(abs(value)))))
    return f"{value:,}" if isinstance(value, int) else kind_name(str(value))


def number(value: float, digits: int) -> str:
    """A figure; ∞ where there is no end, ? where it is not known."""
    if math.isnan(value):
        return "?"
    return f"{value:,.{digits}f}" if math.isfinite(value) else "∞"


def _with_intervals(values: list[float], low: list[float], high: list[float]) -> list[str]:
    """mean ± half, or mean [low, high] for a whole column in which that is not the same."""
    triples = list(zip(values, low, high, strict=True))
    skewed = any(
        math.isinf(b) or abs((a + b) / 2 - x) > 0.05 * (b - a) for x, a, b in triples if a == a
    )
    found = []
    for x, a, b in triples:
        half = (b - a) / 2
        if isinstance(x, int) or half == 0 == x - round(x):
            digits = 0
        elif math.isfinite(half) and half > 0:
            digits = min(7, max(0, 1 - math.floor(math.log10(half))))
        else:
            digits = 4
        if x != x or (skewed and a != a):
            found.append(number(x, digits))
        elif skewed:
            found.append(f"{number(x, digits)} [{number(a, digits)}, {number(b, digits)}]")
        else:
            found.append(f"{number(x, digits)} ± {number(half, digits)}")
    return found
