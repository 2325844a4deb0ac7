"""A score sheet as clubs keep it, read with care: what cannot be is named by line and column.

One row a hand, one column a player, empty where somebody did not play. Columns called as in DATES,
NUMBERS and REMARKS are no players. The separator is the heading's tab, semicolon or comma.
"""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from analyses.sheet.settlement import hand_sizes
from simcore.errors import InputError, nearest
from simcore.game.ruleset import RuleSet

VALUES = ("auto", "cards", "points")
DATES = ("date", "day", "datum", "日期")
NUMBERS = ("hand", "no", "no.", "nr", "nr.", "#", "round", "game")
REMARKS = ("note", "notes", "remark", "remarks", "comment", "comments")
EMPTY = ("", "-", "–", "—")  # ways to write that somebody did not play
MINUS = str.maketrans({"−": "-", "–": "-", "\u00a0": " ", "\u202f": " ", "\u2009": " ", "’": "'"})


@dataclass(frozen=True)
class Cell:
    """What stands in one place of the file; columns are counted from 1."""

    column: int
    name: str
    text: str


@dataclass(frozen=True)
class Row:
    """One hand as it is written; line: of the file, from 1."""

    line: int
    date: str
    cells: list[Cell]  # of the players who played


@dataclass(frozen=True)
class Table:
    """A sheet that has been checked.

    values: float64[hands, players], NaN where somebody did not play; cards left, or points.
    dates: as they are written, "" without; one that is left out is that of the hand before.
    """

    kind: str  # "cards" or "points"
    players: list[str]
    lines: list[int]
    dates: list[str]
    values: Any
    idle: list[str]  # names whose column is empty


def read_table(file: str | Path, rules: RuleSet, values: str = "auto") -> Table:
    """Read and check a sheet; values: what its cells hold, one of VALUES (auto: points where half
    of the hands or more have a number below 0). Raises InputError.
    """
    if values not in VALUES:
        raise InputError(f"unknown values {values!r}; {nearest(values, VALUES)}")
    reader = _Reader(str(file))
    names, rows = reader.rows()
    numbers, kind = reader.numbers(rows, values)
    for row, found in zip(rows, numbers, strict=True):
        reader.check_players(row, rules)
        if kind == "cards":
            reader.check_cards(row, found, rules)
        else:
            reader.check_points(row, found)
    seen = [name for name in names if any(c.name == name for row in rows for c in row.cells)]
    place = {name: i for i, name in enumerate(seen)}
    table = np.full((len(rows), len(seen)), np.nan)
    for h, (row, found) in enumerate(zip(rows, numbers, strict=True)):
        for cell, number in zip(row.cells, found, strict=True):
            table[h, place[cell.name]] = float(number)
    idle = [name for name in names if name not in place]
    return Table(kind, seen, [row.line for row in rows], [row.date for row in rows], table, idle)


def number(text: str, decimal: str) -> Decimal | None:
    """The number that a cell holds under a decimal sign, "." or ","; None where it holds none.

    Thousands may be set apart by the other sign, a space or an apostrophe; (12) is -12.
    """
    text = text.translate(MINUS).strip()
    if text.startswith("(") and text.endswith(")"):
        text = "-" + text[1:-1].strip()
    groups = re.escape("," if decimal == "." else ".") + " '"
    point = re.escape(decimal)
    whole = rf"(?:\d{{1,15}}|\d{{1,3}}(?:[{groups}]\d{{3}}){{1,4}})"
    if not re.fullmatch(rf"[+-]? ?{whole}(?:{point}\d{{0,9}})?", text, re.ASCII):
        return None
    return Decimal(re.sub(rf"[{groups}]", "", text).replace(decimal, "."))


class _Reader:
    """The steps of reading one file; every complaint names it."""

    def __init__(self, file: str) -> None:
        self.file = file

    def fail(self, line: int, cell: Cell | None, what: str) -> NoReturn:
        """Raises InputError with line, and column where it is one cell's fault."""
        place = f", column {cell.column}" if cell else ""
        name = f" ({cell.name})" if cell and cell.name else ""
        raise InputError(f"{self.file}, line {line}{place}{name}: {what}")

    def text(self) -> str:
        """The file's text, as UTF-8 or with the mark of UTF-16."""
        try:
            raw = Path(self.file).read_bytes()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(
                f"score sheet {self.file!r} cannot be read: {reason}; check the path"
            ) from None
        code = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
        try:
            return raw.decode(code)
        except UnicodeDecodeError as error:
            line = raw[: error.start].count(b"\n") + 1
            self.fail(line, None, "this is not UTF-8 text; save the sheet as CSV in UTF-8")

    def records(self) -> list[tuple[int, list[str]]]:
        """(line, cells) of every line that is not empty."""
        lines = self.text().splitlines(keepends=True)
        said = re.fullmatch(r"sep=(.)\s*", lines[0]) if lines else None  # a spreadsheet's own word
        heading = next((line for line in lines[1 if said else 0 :] if line.strip(",;\t \r\n")), "")
        separator = said[1] if said else next((s for s in "\t;" if s in heading), ",")
        reader = csv.reader(lines, delimiter=separator, strict=True, skipinitialspace=True)
        found, line = [], 1
        try:
            for cells in reader:
                cells = [" ".join(cell.split()) for cell in cells]
                if any(cells) and not (said and line == 1):
                    found.append((line, cells))
                line = reader.line_num + 1
        except csv.Error as error:
            self.fail(line, None, f"{error}; close every quotation mark that is opened")
        return found

    def rows(self) -> tuple[list[str], list[Row]]:
        """(names of the players, hands)."""
        records = self.records()
        if not records:
            raise InputError(f"{self.file}: the sheet is empty; name the players in its first line")
        line, headings = records[0]
        names = self._names(line, headings)
        if len(records) == 1:
            raise InputError(
                f"{self.file}: there is no hand below the names; write one a line, as in '0,3,5,2'"
            )
        date, rows = "", []
        for line, cells in records[1:]:
            found = []
            for i, text in enumerate(cells):
                heading = headings[i] if i < len(headings) else ""
                cell = Cell(i + 1, heading, text)
                if not heading and text:
                    self.fail(
                        line, cell, f"{text!r} stands below no name; name the column or empty it"
                    )
                if heading.casefold() in DATES:
                    date = text or date
                elif i in names and text not in EMPTY:
                    found.append(cell)
            if found:
                rows.append(Row(line, date, found))
            elif any(cells[i] in EMPTY[1:] for i in names if i < len(cells)):
                self.fail(line, None, "nobody played; take the line out")
        if not rows:
            raise InputError(f"{self.file}: nobody played a hand; write cards left or points")
        return [headings[i] for i in sorted(names)], rows

    def _names(self, line: int, headings: Sequence[str]) -> set[int]:
        """Places of the players' columns."""
        places: dict[str, int] = {}
        for i, name in enumerate(headings):
            key = name.casefold()
            cell = Cell(i + 1, name, name)
            if not name or key in NUMBERS + REMARKS:
                continue
            if number(name, ".") is not None:
                self.fail(
                    line, cell, f"{name!r} is no name; the first line has to name the players"
                )
            if not name.isprintable():
                self.fail(line, None, f"column {i + 1}: {name!r} is no printable name")
            if key in places:
                self.fail(
                    line,
                    cell,
                    f"{name!r} is the name of column {places[key] + 1} too; give each player one "
                    "column and each column another name",
                )
            places[key] = i
        players = {i for key, i in places.items() if key not in DATES}
        dated = [i for key, i in places.items() if key in DATES]
        if len(dated) > 1:
            cell = Cell(dated[1] + 1, headings[dated[1]], "")
            self.fail(line, cell, "this is a second column of dates; keep one")
        if len(players) < 2:
            self.fail(
                line,
                None,
                f"{len(players)} player{'s' * (len(players) != 1)} named; name two or more, set "
                "apart by commas, semicolons or tabs",
            )
        return players

    # ------------------------------------------------------------------ numbers

    def numbers(self, rows: list[Row], values: str) -> tuple[list[list[Decimal]], str]:
        """(numbers of each row, "cards" or "points"), under the decimal sign that fits."""
        read = {sign: [[number(c.text, sign) for c in row.cells] for row in rows] for sign in ".,"}
        self._check_readable(rows, read)
        readings = {
            sign: found
            for sign, found in read.items()
            if all(x is not None for row in found for x in row)
        }
        kinds = {sign: _kind(found, values) for sign, found in readings.items()}
        if len(readings) == 2 and read["."] != read[","]:
            fitting = [sign for sign in readings if _fits(readings[sign], kinds[sign])]
            if len(fitting) != 1:
                row, cell = next(
                    (rows[h], rows[h].cells[k])
                    for h, pair in enumerate(zip(read["."], read[","], strict=True))
                    for k, (a, b) in enumerate(zip(*pair, strict=True))
                    if a != b
                )
                self.fail(
                    row.line, cell,
                    f"{cell.text!r} may be {number(cell.text, '.')} or {number(cell.text, ',')}; "
                    "write numbers without signs between thousands",
                )  # fmt: skip
            readings = {fitting[0]: readings[fitting[0]]}
        sign = next(iter(readings))
        return [[x for x in row if x is not None] for row in readings[sign]], kinds[sign]

    def _check_readable(self, rows: list[Row], read: Any) -> None:
        """Every cell is a number, and all of them under one decimal sign."""
        only: dict[str, Cell] = {}  # decimal sign -> a cell that needs it
        for h, row in enumerate(rows):
            for k, cell in enumerate(row.cells):
                can = [sign for sign in ".," if read[sign][h][k] is not None]
                if not can:
                    self.fail(
                        row.line, cell,
                        f"{cell.text!r} is no number; give cards left (the winner's 0) or points, "
                        "and leave the cell empty where somebody did not play",
                    )  # fmt: skip
                if len(can) == 1:
                    only.setdefault(can[0], cell)
                if len(only) == 2:
                    other = only["." if can[0] == "," else ","].text
                    self.fail(
                        row.line, cell,
                        f"{cell.text!r} and {other!r} have different decimal signs; use one",
                    )  # fmt: skip

    # ------------------------------------------------------------------ hands

    def check_players(self, row: Row, rules: RuleSet) -> None:
        """The rule set is played by so many."""
        n = len(row.cells)
        if n not in rules.players:
            allowed = " or ".join(str(k) for k in rules.players)
            self.fail(
                row.line, None,
                f"{n} player{'s' * (n != 1)}; rule set {rules.name!r} is played by {allowed}: "
                "leave a cell empty only where somebody did not play",
            )  # fmt: skip

    def check_cards(self, row: Row, found: list[Decimal], rules: RuleSet) -> None:
        """Whole numbers within the hand, one winner, no more cards than were dealt."""
        smallest, largest = hand_sizes(rules, len(found))
        for cell, left in zip(row.cells, found, strict=True):
            if left != int(left) or not 0 <= left <= largest:
                self.fail(
                    row.line, cell,
                    f"{cell.text} cards left; allowed are whole numbers from 0 to {largest} (the "
                    f"largest hand with {len(found)} players of {rules.name!r})",
                )  # fmt: skip
        winners = [cell for cell, left in zip(row.cells, found, strict=True) if left == 0]
        if not winners:
            self.fail(row.line, None, "nobody has 0 cards left; a hand has one winner")
        if len(winners) > 1:
            self.fail(
                row.line, winners[1],
                f"{winners[0].name} has 0 cards left too; a hand has one winner, and an empty cell "
                "means that somebody did not play",
            )  # fmt: skip
        most = largest + smallest * (len(found) - 2)
        if sum(found) > most:
            self.fail(
                row.line, None,
                f"{sum(found)} cards left; the losers are dealt at most {most} among them",
            )  # fmt: skip

    def check_points(self, row: Row, found: list[Decimal]) -> None:
        """Zero-sum, and one who has most."""
        if sum(found):
            self.fail(
                row.line, None,
                f"the points sum to {sum(found):+}; what some lose others win, so a hand sums to 0",
            )  # fmt: skip
        best = [cell for cell, x in zip(row.cells, found, strict=True) if x == max(found)]
        if len(best) > 1:
            self.fail(
                row.line, best[1],
                f"{best[0].name} has as many points ({best[0].text}); the winner of a hand has "
                "more than anybody else",
            )  # fmt: skip


def _kind(found: list[list[Decimal | None]], values: str) -> str:
    """What numbers are, "cards" or "points"."""
    if values != "auto":
        return values
    below = sum(any(x is not None and x < 0 for x in row) for row in found)
    return "points" if 2 * below >= len(found) else "cards"


def _fits(found: list[list[Decimal | None]], kind: str) -> bool:
    """Whether a reading can be right as far as its size goes."""
    rows = [[x for x in row if x is not None] for row in found]
    if kind == "cards":
        return all(x <= 52 for row in rows for x in row)
    return not any(sum(row) for row in rows)
