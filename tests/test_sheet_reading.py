"""Guards the reading of score sheets: usual forms are read, mistakes are named by their place."""

import codecs
import math
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from analyses.sheet.read import number, read_table
from simcore.game.ruleset import load_rules
from tests.command import line, refuse

NAN = math.nan


def written(folder: Path, text: str | bytes, name: str = "club.csv") -> Path:
    """A sheet's file."""
    raw = text if isinstance(text, bytes) else text.encode()
    (folder / name).write_bytes(raw)
    return folder / name


READINGS: list[tuple[str, str | bytes, str, list[list[float]]]] = [
    ("comma", "A,B,C,D\n0,1,2,3\n4,0,5,6\n", "cards", [[0, 1, 2, 3], [4, 0, 5, 6]]),
    ("semicolon", "A;B;C;D\r\n0;1;2;3\r\n", "cards", [[0, 1, 2, 3]]),
    ("tab and BOM", codecs.BOM_UTF8 + b"A\tB\tC\tD\n0\t1\t2\t3\n", "cards", [[0, 1, 2, 3]]),
    ("UTF-16", "A\tB\tC\tD\n0\t1\t2\t3\n".encode("utf-16"), "cards", [[0, 1, 2, 3]]),
    ("blank lines and columns", "\n\nA,B,C,D,,\n\n0,1,2,3,,\n,,,,,\n", "cards", [[0, 1, 2, 3]]),
    ("a spreadsheet's first line", "sep=;\nA;B;C;D\n0;1;2;3\n", "cards", [[0, 1, 2, 3]]),
    ("points", "A,B,C,D\n6,-1,-2,-3\n", "points", [[6, -1, -2, -3]]),
    ("other signs", "A;B;C;D\n+6;−1;(2);- 3\n", "points", [[6, -1, -2, -3]]),
    ("decimal comma", "A;B;C;D\n1,5;-0,5;-1;0\n", "points", [[1.5, -0.5, -1, 0]]),
    ("thousands", "A;B;C;D\n1.234,5;-1.000,5;-234;0\n", "points", [[1234.5, -1000.5, -234, 0]]),
    ("quoted thousands", 'A,B,C,D\n"1,500",-600,-900,0\n', "points", [[1500, -600, -900, 0]]),
    ("thousands by a space", "A;B;C;D\n1 500;-1 500;0;0\n", "points", [[1500, -1500, 0, 0]]),
    ("a spreadsheet's decimals", "A,B,C,D\n0.0,1.0,2.0,13.00\n", "cards", [[0, 1, 2, 13]]),
    ("a dash", "A,B,C,D,E\n0,1,–,2,3\n3,-,0,1,5\n", "cards",
     [[0, 1, NAN, 2, 3], [3, NAN, 0, 1, 5]]),
    ("short rows", "A,B,C,D,E\n0,1,2,3\n", "cards", [[0, 1, 2, 3]]),
    ("no players", "Hand,A,B,C,D,Notes\n1,0,1,2,3,late\n", "cards", [[0, 1, 2, 3]]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "values"), [r[1:] for r in READINGS],
                         ids=[r[0] for r in READINGS])  # fmt: skip
def test_sheets_are_read(
    text: str | bytes, kind: str, values: list[list[float]], tmp_path: Path
) -> None:
    table = read_table(written(tmp_path, text), load_rules("maceplay"))
    assert table.kind == kind
    np.testing.assert_array_equal(table.values, values)
    assert table.players == list("ABCDE")[: len(values[0])]


def test_dates_lines_and_names(tmp_path: Path) -> None:
    text = 'Date,"Ann  Lee",Bo,Cy,Di,Nobody\n1.3.26,0,1,2,3,\n\n,4,0,5,6,\n8.3.26,1,2,3,0,\n'
    table = read_table(written(tmp_path, text), load_rules("douque"))
    assert table.players == ["Ann Lee", "Bo", "Cy", "Di"] and table.idle == ["Nobody"]
    assert table.dates == ["1.3.26", "1.3.26", "8.3.26"]
    assert table.lines == [2, 4, 5]


def test_numbers() -> None:
    for text, value in (("1.234", "1.234"), ("1,234", "1234"), ("1'234.5", "1234.5")):
        assert number(text, ".") == Decimal(value)
    for text in ("", "x", "1,23", "1e5", "nan", "1.2.3", "--1", "0x1", "1,2345", "²", "9" * 40):
        assert number(text, ".") is None


BAD: list[tuple[str, str | bytes, str, list[str]]] = [
    ("beyond the hand", "A,B,C,D\n0,1,2,14\n", "maceplay",
     ["line 2, column 4 (D): 14 cards left", "0 to 13"]),
    ("beyond the hand of three", "A,B,C,D\n0,1,19,\n", "royal", ["line 2, column 3", "0 to 18"]),
    ("half a card", "A,B,C,D\n0,1,2,2.5\n", "maceplay", ["column 4 (D): 2.5 cards", "whole"]),
    ("a number below 0", "A,B,C,D\n0,1,2,3\n0,1,2,3\n-1,0,4,3\n", "maceplay",
     ["line 4, column 1 (A): -1 cards left", "0 to 13"]),
    ("no winner", "A,B,C,D\n0,1,2,3\n4,1,2,3\n", "maceplay", ["line 3: nobody has 0 cards left"]),
    ("two winners", "A,B,C,D\n0,1,0,3\n", "maceplay",
     ["line 2, column 3 (C): A has 0 cards left too", "one winner"]),
    ("three players of four", "A,B,C,D\n0,1,2,3\n0,,2,3\n", "maceplay",
     ["line 3: 3 players", "'maceplay' is played by 4"]),
    ("five players", "A,B,C,D,E\n0,1,2,3,4\n", "royal", ["line 2: 5 players", "by 3 or 4"]),
    ("too many cards", "A,B,C\n0,18,18\n", "lockout", ["line 2: 36 cards left", "at most 35"]),
    ("points that do not sum to 0", "A,B,C,D\n6,-1,-2,-3\n6,-1,-2,-4\n", "maceplay",
     ["line 3: the points sum to -1", "0"]),
    ("points without a winner", "A,B,C,D\n3,3,-2,-4\n", "maceplay",
     ["line 2, column 2 (B): A has as many points (3)"]),
    ("names twice", "Ann,Ben,ann,Di\n0,1,2,3\n", "maceplay",
     ["line 1, column 3 (ann): 'ann' is the name of column 1 too"]),
    ("no number", "A,B,C,D\n0,1,x,3\n", "maceplay", ["line 2, column 3 (C): 'x' is no number"]),
    ("a total below", "Date,A,B,C,D\n1.1.,0,1,2,3\nTotal,0,1,?,3\n", "maceplay",
     ["line 3, column 4 (C): '?' is no number"]),
    ("no names", "0,1,2,3\n1,0,2,3\n", "maceplay",
     ["line 1, column 1 (0): '0' is no name", "name the players"]),
    ("a value without a name", "A,B,C,D,\n0,1,2,3,7\n", "maceplay",
     ["line 2, column 5: '7' stands below no name"]),
    ("a row too long", "A,B,C,D\n0,1,2,3,,9\n", "maceplay", ["line 2, column 6: '9'"]),
    ("no hands", "A,B,C,D\n\n", "maceplay", ["no hand below the names"]),
    ("empty hands", "Date,A,B,C,D\n1.1.,,,,\n", "maceplay", ["nobody played a hand"]),
    ("nobody played", "A,B,C,D\n0,1,2,3\n-,-,-,-\n", "maceplay", ["line 3: nobody played"]),
    ("an empty file", "\n \n", "maceplay", ["the sheet is empty"]),
    ("one column", "A\n0\n", "maceplay", ["line 1: 1 player named", "semicolons"]),
    ("two columns of dates", "Date,A,B,C,D,day\n1,0,1,2,3,1\n", "maceplay",
     ["line 1, column 6 (day)", "second column of dates"]),
    ("another encoding", "A,B,C,D\n0,1,2,3\n".replace("B", "Bö").encode("latin-1"), "maceplay",
     ["line 1: this is not UTF-8 text"]),
    ("an open quotation mark", 'A,B,C,D\n0,1,2,3\n0,"1,2,3\n', "maceplay",
     ["line 3", "quotation mark"]),
    ("two decimal signs", "A;B;C;D\n1,5;-1,5;0;0\n1.5;-1.5;0;0\n", "maceplay",
     ["line 3, column 1 (A): '1.5' and '1,5' have different decimal signs"]),
    ("thousands or decimals", "A;B;C;D\n1.500;-1.500;0;0\n", "maceplay",
     ["line 2, column 1 (A): '1.500' may be", "between thousands"]),
    ("an escape", "A\x1b[31m,B,C,D\n0,1,2,3\n", "maceplay", ["line 1: column 1", "printable"]),
    ("another rule set", "A,B,C,D\n0,1,2,3\n", "maceplayy", ["unknown rule set", "maceplay"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "rules", "fragments"), [b[1:] for b in BAD],
                         ids=[b[0] for b in BAD])  # fmt: skip
def test_bad_sheets(text: str | bytes, rules: str, fragments: list[str], tmp_path: Path) -> None:
    file = written(tmp_path, text)
    refuse(line(f"sheet '{file}' --rules {rules} -o {tmp_path}/page.html"), *fragments)
    assert [path.name for path in tmp_path.iterdir()] == ["club.csv"]


def test_bad_options(tmp_path: Path) -> None:
    file = written(tmp_path, "A,B,C,D\n0,1,2,3\n")
    asked = f"sheet '{file}' --rules maceplay"
    refuse(line(f"{asked} --values money"), "'money'", "points")
    refuse(line(f"{asked} --deals -1"), "-1 deals", "0 to")
    refuse(line(f"{asked} --seed -1"), "seed -1", "0 to")
    refuse(line(f"{asked} --deals 10 --strategies dumb"), "'dumb'", "dump")
    refuse(line(f"{asked} -o {tmp_path}/no/page.html"), "does not exist")
    refuse(line("sheet nowhere.csv --rules maceplay"), "'nowhere.csv' cannot be read", "path")
    refuse(line(f"sheet '{tmp_path}' --rules maceplay"), "cannot be read")
    refuse(line(f"sheet '{file}'"), "--rules")
    refuse(line(f"{asked} --values points"), "line 2: the points sum to +6")
