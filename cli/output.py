"""What every command shares: JSON and tables on stdout, notes on stderr, cards in colour."""

import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.segment import Segment
from rich.text import Text

from cli.tables import Legend, Table

if TYPE_CHECKING:
    import pandas as pd

_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # how a spreadsheet knows one
WIDTH = 10_000  # of a file or a pipe: nothing is cropped or wrapped


# Characters that command a terminal, or turn the direction of what follows.
_COMMANDS = dict.fromkeys((*range(9), *range(11, 32), *range(127, 160)), "�")
_COMMANDS |= dict.fromkeys((*range(8234, 8239), *range(8294, 8298)), "�")


class _Plain(Console):
    """A console on which no name, message or exception can command the terminal."""

    def __init__(self, **options: Any) -> None:
        super().__init__(emoji=False, markup=False, highlight=False, **options)
        self.legend = Legend()  # of the names that this command's tables have shortened

    def render(self, *arguments: Any, **options: Any) -> Iterator[Segment]:
        for segment in super().render(*arguments, **options):
            if segment.control:
                yield segment
            else:
                yield Segment(segment.text.translate(_COMMANDS), segment.style)


def _console(stream: str) -> Console:
    """A console that prints names as they are, and does not crop them where nobody is looking."""
    found = _Plain(stderr=stream == "stderr")
    if not found.is_terminal:
        found.width = max(found.width, WIDTH)
    return found


out, err = _console("stdout"), _console("stderr")
_COLOURS = {"c": "green", "d": "blue", "h": "red", "s": "default"}


def print_json(data: Any) -> None:
    """One JSON document on stdout."""
    text = json.dumps(data, ensure_ascii=False)
    sys.stdout.write(re.sub("[\x7f-\x9f]", lambda m: f"\\u{ord(m[0]):04x}", text) + "\n")


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


def table(*headings: str) -> Table:
    """An empty table; a heading that begins with > is for figures, set to the right."""
    return Table(*headings)


def interval(mean: float, low: float, high: float, digits: int) -> str:
    """mean ± half the interval; without an interval, where one deal cannot give one."""
    if low != low:
        return f"{mean:.{digits}f} ± ?"
    return f"{mean:.{digits}f} ± {(high - low) / 2:.{digits}f}"


def counted(number: int, what: str) -> str:
    """3 deals, 1 deal"""
    return f"{number:,} {what}{'s' * (number != 1)}"


def in_columns(names: Sequence[str], at_most: int) -> Iterator[Sequence[str]]:
    """Some names at a time, so that a table of them fits on a screen."""
    for first in range(0, len(names), at_most):
        yield names[first : first + at_most]


def print_frame(frame: "pd.DataFrame") -> None:
    """A tidy frame as a table, each figure with its interval in one column."""
    from analyses.cells import columns

    found = columns(frame)
    rows = table(*((">" if column.is_figure else "") + column.heading for column in found))
    for cells in zip(*(column.texts for column in found), strict=True):
        rows.add_row(*cells)
    out.print(rows)


def check_place(file: Path) -> None:
    """Before long work: raises RunError where the file's folder is not there."""
    from simcore.errors import RunError

    if not file.parent.is_dir():
        raise RunError(f"folder {str(file.parent)!r} does not exist; create it first")


def write_out(file: Path, text: str) -> None:
    """Write a file of the user's, whole or not at all, and say so. Raises RunError."""
    from simcore.runs.storage import write_file

    write_file(file, text.encode())
    note(f"{file} ({file.stat().st_size:,} bytes)")


def print_csv(frame: "pd.DataFrame") -> None:
    """A frame on stdout; what is unknown is an empty field.

    A text that a spreadsheet would take for a formula gets an apostrophe in front.
    """
    safe = frame.rename(columns=no_formula).map(no_formula)
    safe.to_csv(sys.stdout, index=False)


def no_formula(value: Any) -> Any:
    """A cell of CSV: texts that begin like a formula are marked as texts."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
