"""Guards tables on narrow terminals: no figure is cut and no name lost, whatever the command."""

import re
import shlex
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from rich.cells import cell_len
from rich.console import Group
from typer.main import get_command

from cli import output
from cli.main import app, run
from cli.tables import Legend, Table
from simcore import simulate
from simcore.workshop import speed
from tests.command import BOT, FOUR, call, script

WIDTHS = (60, 80, 100, 200)
# Every command that prints a table, with one that makes it wide.
TABLES = [
    "analyse means {run}", "analyse differences {run}",
    "analyse distributions {run} --variable plays", "analyse blunders {run} --playouts 24",
    "analyse turns {turns}", "review {hands} --samples 64 --half-width 5",
    "analyse quantiles {run}", "analyse hands {run}", "analyse regression {run}",
    "analyse luck {run}", "analyse ahead {run}", "analyse session {run} --sessions 100",
    "analyse rare {run} {other}", "audit {hands}", "bench",
    "compare {one} {two} dump --deals 8 --tables 2v2",
    "compare-rules royal --lineup dump --deals 8 --vary opening.must_include,passing.locks_on",
    "evaluate --hand '3c 4d 5h Td Jd Qd Kd Ad' --samples 60", "payoff --last 2s --left '3c 4c 2d'"
    " --left '5c 6c 7c 8c 9c Tc Jc Qc Kc Ac' --left 9s",
    "rate {one} {two} dump --deals 8 --tables 2v2", "replay {run} --find 'payoff > 20' --most 3",
    "rules list", "rules show pusoy",
    "runs list {runs}", "runs show {run}", "sheet {sheet} --rules maceplay --deals 20",
    "simulate --lineup {one},{two},dump,lowest --deals 8", "strategies list",
    "strategies check {one} --rules lockout",
]  # fmt: skip
NO_TABLE = {
    "beats", "classify", "decide", "plays", "records check", "records show", "records write",
    "report", "rules check", "rules diff", "rules keys", "rules schema", "runs combine",
    "runs export", "runs verify", "strategies new", "strategies show", "train",
    "tune",
}  # fmt: skip


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    base = tmp_path_factory.mktemp("a_folder_with_a_long_name")
    found = {"runs": base / "runs", "run": base / "runs/first", "other": base / "runs/other"}
    found |= {"hands": base / "hands.jsonl", "sheet": base / "sheet.csv"}
    simulate("douque", FOUR, 60, 1, out=found["run"])
    simulate("maceplay", "dump", 20, 1, out=found["other"])
    found["turns"] = base / "runs/turns"
    simulate("maceplay", "dump,linear,keep,lowest", 4, 1, out=found["turns"], turns=True)
    assert call("records", "write", found["other"], "--out", found["hands"]).status == 0
    hands = ["2026-01-01,0,3,5,12", "2026-01-02,4,0,1,7"] * 5
    found["sheet"].write_text("\n".join(["date,Ann,Ben,Cleopatra Philopator,Dan", *hands]))
    for key, name in (("one", "a_bot_of_my_own"), ("two", "another_bot_of_my_own")):
        (base / f"{name}.py").write_text(BOT)
        found[key] = base / f"{name}.py:my_bot:hold=1"
    return found


def names(words: Any, prefix: str = "") -> Iterator[str]:
    for name, command in words.commands.items():
        if hasattr(command, "commands"):
            yield from names(command, f"{name} ")
        else:
            yield prefix + name


def test_every_command_is_here() -> None:
    known = [" ".join(line.split()[:2]) for line in TABLES]
    for name in names(get_command(app)):
        assert name in NO_TABLE or any(f"{line} ".startswith(f"{name} ") for line in known), name


def drawn(calls: list[tuple[Any, Any]], width: int, capsys: Any, monkeypatch: Any) -> str:
    """What a command prints on a terminal of this width."""
    monkeypatch.setattr(output.out, "width", width)
    output.out.legend = Legend()
    for arguments, options in calls:
        output.out.print(*arguments, **options)
    return str(capsys.readouterr().out)


@pytest.mark.parametrize("command", TABLES)
def test_nothing_is_lost(
    command: str, places: dict[str, Path], capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[Any, Any]] = []
    some = speed.Figure("one thread", "douque", "random", 1, 1_234_567.0, "playouts/s", 9, 1e6)
    measure = Mock(return_value=[some, some], __doc__="One thread.")
    monkeypatch.setattr(speed, "MEASURES", (measure,))
    monkeypatch.setattr(speed, "calibration", lambda: 1e6)
    with monkeypatch.context() as patched:
        patched.setattr(output.out, "print", lambda *a, **options: calls.append((a, options)))
        assert run([word.format(**places) for word in shlex.split(command)]) == 0
    wide = drawn(calls, output.WIDTH, capsys, monkeypatch)
    assert any(isinstance(shown, (Table, Group)) for given, _ in calls for shown in given)
    for width in WIDTHS:
        text = drawn(calls, width, capsys, monkeypatch)
        assert max(map(cell_len, text.splitlines())) <= width
        figures = Counter(re.findall(r"(?<!\S)[^\w\s]*\d[\d.,/e+-]*[^\w\s]*(?!\S)", wide))
        assert not figures - Counter(text.split()), width
        squeezed, seen = "".join(text.split()), set(re.split(r":?[\s,]+", text))
        for name in set(re.split(r":?[\s,]+", wide)):
            assert name in seen or (len(name) > 16 and name in squeezed), (width, name)


def test_a_pipe_is_as_wide_as_it_takes() -> None:
    for columns in ({}, {"COLUMNS": "20"}):
        done = script("rules", "list", env={"PATH": "/usr/bin", "HOME": "/", **columns})
        assert done.returncode == 0, done.stderr
        assert (
            "\ndouque    4        Douque: Taiwanese, Monsters and Dragons, multiplied"
            in done.stdout
        )


def test_names_that_are_shortened_alike_are_told_apart() -> None:
    legend = Legend()
    names = [f"a_first_half_{middle}_and_a_second_half" for middle in ("one", "two")]
    short = [legend.short(name, 16) for name in names]
    assert len(set(short)) == 2 and all(len(name) <= 16 for name in short)
    assert [str(line) for line in legend.lines(set(short))] == [
        f"{a} = {b}" for a, b in zip(short, names, strict=True)
    ]
