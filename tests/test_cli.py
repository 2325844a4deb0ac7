"""Guards the command line: what each command prints, what bad input gets, runs in a folder."""

import io
import json
import os
import pty
import re
import select
import shlex
import signal
import subprocess
import sys
import sysconfig
import tomllib
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from itertools import permutations
from math import prod
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cli.main import run
from simcore import load_rules
from simcore.game.ruleset import rule_set_names
from tests import reference
from tests.support import RULE_SETS, reference_rules

SCRIPT = str(Path(sysconfig.get_path("scripts")) / "bigtwo")
PATIENCE = 120  # seconds until a process counts as hung


@dataclass(frozen=True)
class Result:
    """What a command left behind."""

    status: int
    out: str
    err: str


def call(*arguments: object) -> Result:
    """Run one command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = run([str(argument) for argument in arguments])
    return Result(status, out.getvalue(), err.getvalue())


def line(text: str, **places: object) -> Result:
    """Run a command line; {name} stands for one of the places."""
    return call(*(word.format(**places) for word in shlex.split(text)))


def data(text: str, **places: object) -> Any:
    """The JSON that a command prints: one document, alone on one line of stdout."""
    result = line(f"{text} --json", **places)
    assert result.status == 0, result.err
    assert result.out.endswith("\n") and result.out.count("\n") == 1
    return json.loads(result.out)


def refuse(result: Result, *fragments: str) -> None:
    """Bad input: exit status 2, nothing on stdout, one sentence on stderr with these fragments."""
    assert result.status == 2
    assert result.out == ""
    assert result.err.startswith("bigtwo: ") and result.err.endswith("\n")
    assert result.err.count("\n") == 1
    assert "Traceback" not in result.err
    for fragment in fragments:
        assert fragment in result.err


def script(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the installed command in a process of its own."""
    return subprocess.run(
        [SCRIPT, *(str(argument) for argument in arguments)],
        capture_output=True, text=True, timeout=PATIENCE, check=False, **options,
    )  # fmt: skip


def stored(folder: object) -> pd.DataFrame:
    """All playouts of a run's folder, in one order whatever the parts."""
    frame = pd.read_parquet(Path(str(folder)) / "playouts")
    return frame.sort_values(["deal", "seating"], ignore_index=True)


def parts(folder: Path) -> dict[str, bytes]:
    """Every file of playouts with its content."""
    return {path.name: path.read_bytes() for path in (folder / "playouts").iterdir()}


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """Compile once, so that no other command has a remark to make about it."""
    assert line("simulate --lineup random --deals 1").status == 0


@pytest.fixture(autouse=True)
def plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Output as into a file, whatever the terminal of the test run."""
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "PYTHONIOENCODING"):
        monkeypatch.delenv(name, raising=False)


# ------------------------------------------------------------------ questions about rules


def test_plays_as_json() -> None:
    assert data("plays --hand '4h 3d 3c'") == {
        "plays": [
            {"cards": ["3c"], "kind": "single"},
            {"cards": ["3d"], "kind": "single"},
            {"cards": ["4h"], "kind": "single"},
            {"cards": ["3c", "3d"], "kind": "pair"},
        ],
        "may_pass": False,
    }
    assert data("plays --hand '4h 3d 3c' --table 3h") == {
        "plays": [{"cards": ["4h"], "kind": "single"}],
        "may_pass": True,
    }
    assert data("plays --hand '4h 3d 3c' --table 2s") == {"plays": [], "may_pass": True}


def test_plays_in_the_opening_contain_the_opening_card() -> None:
    hand = "--hand '3c 3d 4h' --rules maceplay"
    found = data(f"plays {hand} --opening")["plays"]
    assert [play["cards"] for play in found] == [["3c"], ["3c", "3d"]]
    assert len(data(f"plays {hand}")["plays"]) == 4


def test_plays_before_a_last_card_are_the_highest_single() -> None:
    hand = "--hand '3c 4d 4h' --rules lockout"
    found = data(f"plays {hand} --next-left 1")["plays"]
    assert [play["cards"] for play in found] == [["4h"], ["4d", "4h"]]
    assert len(data(f"plays {hand} --next-left 2")["plays"]) == 4


KINDS = [
    ("douque", "3c", "single"),
    ("douque", "3c 3s", "pair"),
    ("douque", "3c 3s 4d", None),
    ("douque", "3c 3d 3h", None),
    ("maceplay", "3c 3d 3h", "triple"),
    ("douque", "3c 4d 5h 6s 7c", "straight"),
    ("douque", "Jc Qd Kh As 2c", None),
    ("maceplay", "3c 5c 7c 9c Jc", "flush"),
    ("douque", "3c 5c 7c 9c Jc", None),
    ("douque", "3c 3d 3h 4c 4d", "full_house"),
    ("douque", "3c 3d 3h 3s 4d", "four_of_a_kind"),
    ("douque", "3c 3d 3h 3s", None),
    ("douque", "3c 4c 5c 6c 7c", "straight_flush"),
    ("douque", "Tc Jc Qc Kc Ac", "straight_flush"),
    ("royal", "Tc Jc Qc Kc Ac", "royal_flush"),
    ("douque", "3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ac 2d", "dragon"),
    ("douque", "3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ac 2c", "flush_dragon"),
    ("maceplay", "3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ac 2c", None),
]


@pytest.mark.parametrize(("rules", "cards", "kind"), KINDS)
def test_classify(rules: str, cards: str, kind: str | None) -> None:
    asked = f"classify --rules {rules} '{cards}'"
    assert data(asked) == {"legal": kind is not None, "kind": kind}
    shown = line(asked)
    assert (shown.status, shown.err) == (0, "")
    assert (kind.replace("_", " ") if kind else "no combination") in shown.out


BEATEN = [
    ("douque", "4c", "3s", True, "rank"),
    ("douque", "3c", "3s", False, "weaker"),
    ("douque", "4c 4d", "3s", False, "number of cards must be the same"),
    ("douque", "4c 5d", "3s", False, "4c 5d is no combination"),
    ("douque", "3c 3d 3h 3s 4d", "2s", True, "is a bomb"),
    ("lockout", "3c 3d 3h 3s 4d", "2s", False, "Nothing beats a single 2s"),
    ("lockout", "3c 3d 3h 3s 4d", "2d 2s", True, "is a bomb"),
    ("maceplay", "3c 5c 7c 9c Jc", "Td Jd Qh Ks As", True, "ranks above"),
    ("maceplay", "Td Jd Qh Ks As", "3c 5c 7c 9c Jc", False, "ranks below"),
    ("royal", "Th Jh Qh Kh Ah", "Tc Jc Qc Kc Ac", False, "Nothing beats a royal flush"),
    ("douque", "3c 3d 3h 4c 4d", "5c 6d 7h 8s 9c", False, "its own kind"),
]


@pytest.mark.parametrize(("rules", "play", "table", "beaten", "why"), BEATEN)
def test_beats_says_why(rules: str, play: str, table: str, beaten: bool, why: str) -> None:
    asked = f"beats --rules {rules} '{play}' '{table}'"
    found = data(asked)
    assert list(found) == ["beats", "why"]
    assert found["beats"] is beaten and why in found["why"]
    assert found["why"].endswith(".") and "\n" not in found["why"]
    shown = " ".join(line(asked).out.split())
    assert shown == f"{'yes' if beaten else 'no'}. {found['why']}"


PAYOFFS = [
    # The worked example of the source, and a Dragon with the opening card that wins at once.
    (
        "--last '2s 2h' --left '4c 5c 7d' --left '3d 4d 5d 6c 7c 9c 9d Jc 2c' "
        "--left '3h 4h 5h 6h 8c 8d Td Th Qc 2d' --stake 10",
        [3960, -120, -1440, -2400],
    ),
    (
        "--last '3c 4d 5d 6d 7d 8d 9d Td Jd Qd Kd Ad 2d' --left 5s --left 6s --left 7s "
        "--grand-slam",
        [48, -16, -16, -16],
    ),
    ("--last 4d --left '3c 3d 3h 3s 5c' --left 2c --left '2d 2h'", [20, -10, -2, -8]),
    ("--rules lockout --last 4c --left '5c 6c' --left '2c 2d 2h'", [5, -2, -3]),
]


@pytest.mark.parametrize(("hand", "payoffs"), PAYOFFS)
def test_payoff_is_the_product_of_its_items(hand: str, payoffs: list[int]) -> None:
    found = data(f"payoff {hand}")
    assert list(found) == ["payoffs", "items"]
    assert found["payoffs"] == payoffs
    stake = 10 if "--stake 10" in hand else 1
    total = [item["times"] for item in found["items"] if item["item"] == "all"]
    winner = [item for item in found["items"] if item["who"] == "winner" and item["item"] != "all"]
    assert total == [prod(item["times"] for item in winner)]
    for number, payoff in enumerate(payoffs[1:], 1):
        items = [item for item in found["items"] if item["who"] == f"loser {number}"]
        (cards,) = [item["cards"] for item in items if item["item"] == "cards_left"]
        assert payoff == -stake * cards * prod(item["times"] for item in items) * total[0]
    shown = line(f"payoff {hand}")
    assert shown.status == 0 and shown.err == ""
    for value in payoffs:
        assert f"{value:+,d}" in shown.out


SPELLINGS = [
    "3c Td 2s", "3C TD 2S", "3c,Td,2s", "3c, 10d; 2s", "c3 d10 s2", "♣3 ♦10 ♠2", "3♣10♦2♠",
    "3cTd2s", "3♧ T♢ 2♤", "3♣\ufe0f T♦\ufe0f 2♠\ufe0f", "  3c\tTd\n2s ", "2s Td 3c", "S2TDC3",
]  # fmt: skip


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_cards_are_read_in_any_usual_spelling(spelling: str) -> None:
    result = call("plays", "--hand", spelling, "--json")
    assert [p["cards"] for p in json.loads(result.out)["plays"]] == [["3c"], ["Td"], ["2s"]]


# Commands whose output is for people: fragments that stand on stdout; nothing on stderr.
SHOWN = [
    ("plays --hand '3c 3d 4h'", ["single (3)", "pair (1)", "3♣ 3♦", "4 legal plays"]),
    ("plays --hand '3c' --table 2s", ["0 legal plays, or pass"]),
    ("plays --hand '3c'", ["1 legal play\n"]),
    ("replay --lineup random,lowest,dump,highest --deal 3 --seed 7",
     ["douque, seed 7, deal 3, seating 0", "starts", "trick 1\n", "wins", "cards left, payoff"]),
    ("rules list", rule_set_names()),
    ("rules show lockout", ["pass locks", "unbeatable singles", "2s"]),
    ("rules check capsa", ["capsa: correct"]),
    ("strategies list", ["random", "lowest", "highest", "dump", "timeout"]),
    ("strategies show dump", ["dump\n", "most cards"]),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "fragments"), SHOWN, ids=[asked for asked, _ in SHOWN])
def test_output_for_people(asked: str, fragments: list[str]) -> None:
    result = line(asked)
    assert (result.status, result.err) == (0, "")
    for fragment in fragments:
        assert fragment in result.out
    assert "\x1b" not in result.out


# ------------------------------------------------------------------ rules, strategies, bench, help


def test_rules_as_json() -> None:
    listed = data("rules list")["rules"]
    assert [rules["name"] for rules in listed] == rule_set_names()
    for rules in listed:
        assert list(rules) == ["name", "title", "players"]
        shown = data(f"rules show {rules['name']}")
        assert shown == json.loads(json.dumps(load_rules(rules["name"]).as_dict()))
        assert data(f"rules check {rules['name']}") == {"ok": True, "name": rules["name"]}
    assert data("rules show royal:deal=13")["deal"] == 13


@pytest.mark.parametrize("name", RULE_SETS)
def test_a_printed_rule_file_is_a_rule_file(name: str, tmp_path: Path) -> None:
    text = line(f"rules show {name} --file").out
    assert tomllib.loads(text)["name"] == name
    (tmp_path / "copy.toml").write_text(text, "utf-8")
    assert data("rules show {copy}", copy=tmp_path / "copy.toml") == data(f"rules show {name}")


def test_strategies_as_json() -> None:
    listed = data("strategies list")["strategies"]
    assert [s["name"] for s in listed][:5] == ["random", "lowest", "highest", "dump", "timeout"]
    for strategy in listed[:5]:
        shown = data(f"strategies show {strategy['name']}")
        assert list(shown) == ["name", "definition", "parameters", "source"]
        assert shown["name"] == strategy["name"] and shown["parameters"] == strategy["parameters"]
        assert len(shown["definition"]) > 20


def test_bench() -> None:
    found = data("bench --seconds 0.01")
    assert list(found) == ["results", "machine"]
    assert {"processor", "cores"} <= set(found["machine"])
    cases = set()
    for result in found["results"]:
        assert list(result) == [
            "rules", "lineup", "threads", "playouts_per_second", "turns_per_second",
        ]  # fmt: skip
        assert result["turns_per_second"] > result["playouts_per_second"] > 0
        assert len(result["lineup"]) == 4
        cases.add((result["rules"], *set(result["lineup"]), result["threads"]))
    threads = {result["threads"] for result in found["results"]}
    wanted = [(r, s) for r in ("douque", "maceplay") for s in ("random", "lowest", "dump")]
    assert 1 in threads and len(threads) <= 2
    assert cases == {(r, s, n) for r, s in wanted for n in threads}
    shown = line("bench --seconds 0.01")
    assert shown.status == 0 and "turns/s" in shown.out and "maceplay" in shown.out


COMMANDS = [
    "simulate", "plays", "classify", "beats", "payoff", "replay", "rules", "rules list",
    "rules show", "rules check", "strategies", "strategies list", "strategies show", "bench",
    "runs", "runs list", "runs show", "runs verify", "runs combine", "runs export",
]  # fmt: skip


def test_help_of_every_command() -> None:
    everything = line("--help")
    assert (everything.status, everything.err) == (0, "")
    for command in COMMANDS:
        assert f"  {command.split()[0]} " in everything.out
        result = line(f"{command} --help")
        assert (result.status, result.err) == (0, "")
        assert re.match(rf"Usage: .*\b{command} ", result.out)
        group = "Commands:" in result.out
        assert group or "--json" in result.out


@pytest.mark.parametrize("arguments", [[], ["rules"], ["strategies"], ["runs"]])
def test_no_command_shows_what_there_is(arguments: list[str]) -> None:
    result = call(*arguments)
    assert (result.status, result.out) == (2, "")
    assert "Commands:" in result.err and "Traceback" not in result.err


@pytest.mark.parametrize("arguments", [[], ["simulate"], ["replay"], ["runs"]])
def test_help_waits_for_no_compiler(arguments: list[str]) -> None:
    program = (
        "import sys; from cli.main import run; status = run(sys.argv[1:]); "
        "slow = {'numba', 'llvmlite', 'numpy', 'pandas', 'pyarrow', 'dask'} & set(sys.modules); "
        "sys.exit(f'imported {sorted(slow)}' if slow else status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments, "--help"],
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: ")


# ------------------------------------------------------------------ bad input


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A run, a summary-only run, a file, a folder with strange files, an empty folder."""
    base = tmp_path_factory.mktemp("bad")
    found = {name: base / name for name in ("run", "tally", "strange", "empty", "file")}
    lineup = "--lineup random,lowest,dump,highest --deals 20"
    assert line(f"simulate {lineup} --out {{run}}", **found).status == 0
    assert line(f"simulate {lineup} --out {{tally}} --summary-only", **found).status == 0
    found["strange"].mkdir()
    (found["strange"] / "letter.txt").write_text("dear", "utf-8")
    found["empty"].mkdir()
    found["file"].write_text("not TOML\n", "utf-8")
    found["house"] = base / "house.toml"
    found["house"].write_text('extends = "douque"\nkinds.alowed = ["single"]\n', "utf-8")
    found["clash"] = base / "clash.toml"
    found["clash"].write_text('extends = "lockout"\n[kinds]\nbombs = ["flush"]\n', "utf-8")
    return found


FOUR = "random,lowest,dump,highest"
LOSERS = "--left 4c --left 5c --left 6c"
SIM = f"simulate --lineup {FOUR} --deals 20"

# A command line, and what its sentence contains: the value, then the bound or the remedy.
BAD: list[tuple[str, str, str]] = [
    # cards
    ("plays --hand '3c 4d 3c'", "3c", "once"),
    ("plays --hand '3c ♣3'", "3c", "once"),
    ("plays --hand '3c 4d' --table 4d", "4d", "once"),
    ("plays --hand '3c 1d'", "'1d'", "3 4 5 6 7 8 9 T J Q K A 2"),
    ("plays --hand 3x", "'3x'", "c d h s"),
    ("plays --hand 7", "'7'", "c d h s"),
    ("plays --hand h", "'h'", "3 4 5 6 7 8 9 T J Q K A 2"),
    ("plays --hand 'hello world'", "'hello'", "as in '3c"),
    ("plays --hand ''", "hand is empty", "at least one card"),
    ("plays --hand ' , '", "hand is empty", "at least one card"),
    ("plays --hand 3c --table ''", "table is empty", "at least one card"),
    ("plays --hand 3c --table '4c 5c'", "'4c 5c'", "allowed: single"),
    ("plays --hand 3c --table '4c 4d 4h'", "'4c 4d 4h'", "allowed: single"),
    ("plays --hand 3c --table '4c 4c'", "4c", "once"),
    ("plays --hand '3c3d3h3s4c4d4h4s5c5d5h5s6c6d'", "14 cards", "at most 13"),
    ("plays --rules lockout --hand '3c3d3h3s4c4d4h4s5c5d5h5s6c6d6h6s7c7d7h'", "19", "at most 18"),
    ("plays --hand 3c --next-left 0", "0", "1 to 13"),
    ("plays --hand 3c --next-left 14", "14", "1 to 13"),
    ("plays --hand 3c --opening --table 4c", "opening", "leave out"),
    ("plays --hand 4c --opening --rules maceplay", "'4c'", "3c"),
    ("classify ''", "empty", "at least one card"),
    ("classify '3c 3c'", "3c", "once"),
    ("classify 3z", "'3z'", "c d h s"),
    ("beats 3c 3c", "3c", "once"),
    ("beats '' 3c", "empty", "at least one card"),
    ("beats 3c '4c 5d'", "'4c 5d'", "allowed: single"),
    ("beats 3c 3q", "'3q'", "c d h s"),
    (f"payoff --last '3c 7d' {LOSERS}", "'3c 7d'", "allowed: single"),
    (f"payoff --last '' {LOSERS}", "last play is empty", "at least one card"),
    (f"payoff --last 4c {LOSERS}", "4c", "once"),
    ("payoff --last 3c --left 4c --left 5c --left 4c", "4c", "once"),
    ("payoff --last 3c --left 4c --left '' --left 5c", "loser 2", "at least one card"),
    ("payoff --last 3c --left 4c --left 5c", "2 losers", "3"),
    ("payoff --last 3c --left '3d3h3s4c4d4h4s5c5d5h5s6c6d6h' --left 7c --left 8c", "14", "13"),
    (f"payoff --last 3c {LOSERS} --stake 0", "0", "at least 1"),
    (f"payoff --last 3c {LOSERS} --stake -5", "-5", "at least 1"),
    # rule sets and strategies
    ("plays --hand 3c --rules duoque", "'duoque'", "did you mean douque"),
    ("simulate --lineup random --deals 5 --rules zzzz", "'zzzz'", "known: capsa, douque"),
    ("rules show lokout", "'lokout'", "did you mean lockout"),
    ("rules show royal:deal=99", "99", "1 to 13"),
    ("rules show royal:dael=13", "'dael'", "did you mean deal"),
    ("rules check nowhere.toml", "'nowhere.toml'", "check the path"),
    ("rules check {file}", "file", "line 1"),
    ("rules check {house}", "house.toml: unknown key 'kinds.alowed'", "kinds.allowed"),
    ("rules check {clash}", "clash.toml: key 'kinds.bombs': 'flush'", "add it"),
    ("strategies show hihgest", "'hihgest'", "did you mean highest"),
    ("simulate --lineup randum --deals 5", "'randum'", "did you mean random"),
    ("simulate --lineup zzzz --deals 5", "'zzzz'", "known: dump, highest"),
    ("simulate --lineup random:depth=2 --deals 5", "'depth'", "no parameters"),
    ("simulate --lineup nowhere.py:bot --deals 5", "'nowhere.py'", "check the path"),
    ("simulate --lineup no_such_module:bot --deals 5", "'no_such_module'", "does not load"),
    ("simulate --lineup simcore:bot --deals 5", "'bot'", "check the name"),
    ("simulate --lineup simcore:__version__ --deals 5", "simcore:__version__", "@strategy"),
    # lineups and tables
    ("simulate --lineup random,lowest --deals 5", "2 strategies", "played by 4"),
    ("simulate --lineup random,lowest,dump,dump,dump --deals 5", "5 strategies", "played by 4"),
    ("simulate --lineup random,lowest,dump --players 4 --deals 5", "3 strategies", "give 1"),
    (f"simulate --rules royal --lineup {FOUR} --players 3 --deals 5", "4 strategies", "or 3"),
    ("simulate --lineup '' --deals 5", "has an empty place", "name one"),
    ("simulate --lineup random --players 3 --deals 5", "3 players", "played by 4"),
    ("simulate --lineup random --players 0 --deals 5", "0 players", "played by 4"),
    ("simulate --rules lockout --lineup random --players 5 --deals 5", "5 players", "3 or 4"),
    # numbers
    ("simulate --lineup random --deals 0", "0 deals", "1 to"),
    ("simulate --lineup random --deals -5", "-5 deals", "1 to"),
    (f"simulate --lineup random --deals {10**30}", str(10**30), "1 to"),
    ("simulate --lineup random --deals 5 --threads -1", "-1 threads", "1 to"),
    ("simulate --lineup random --deals 5 --seed -1", "seed -1", "0 to"),
    (f"simulate --lineup random --deals 5 --seed {2**64}", str(2**64), str(2**64 - 1)),
    ("simulate --lineup random --deals 5 --stake 0", "stake 0", "1 to"),
    (f"simulate --lineup random --deals 5 --stake {10**9}", str(10**9), "32 bits"),
    ("simulate --lineup random --deals 5 --seatings ballanced", "'ballanced'", "did you mean"),
    ("bench --seconds 0", "0.0 seconds", "more than 0"),
    ("bench --seconds nan", "nan", "more than 0"),
    ("simulate --lineup random --deals 5 --first-deal -1", "first deal -1", "0 to"),
    ("simulate --lineup random --until soon", "'soon'", "half-width=0.002"),
    ("simulate --lineup random --until half-width=0", "0", "above 0"),
    ("simulate --lineup random --max-time later", "'later'", "10m"),
    ("simulate --lineup random --deals 5 --executor dusk", "'dusk'", "did you mean dask"),
    # folders
    (f"{SIM} --out {{run}} --seed 1", "seed: 0 → 1", "another --out"),
    (f"{SIM} --out {{run}} --stake 2", "stake: 1 → 2", "another --out"),
    (f"{SIM} --out {{run}} --seatings all", "seatings: balanced → all", "another --out"),
    ("simulate --lineup dump --deals 20 --out {run}", f"{FOUR} → dump", "another --out"),
    (f"{SIM} --out {{run}} --summary-only", "playouts", "--summary-only"),
    (f"{SIM} --out {{tally}}", "tallies", "--summary-only"),
    (f"{SIM} --out {{strange}}", "'letter.txt'", "another --out"),
    (f"{SIM} --out {{file}}", "file", "another --out"),
    (f"{SIM} --out {{file}}/below", "below", "another --out"),
    # replays
    ("replay --deal 1", "missing", "--lineup"),
    ("replay {empty} --deal 1", "empty", "check the folder"),
    ("replay {run} --deal -1", "deal -1", "0 to"),
    (f"replay {{run}} --deal {10**30}", str(10**30), "0 to"),
    ("replay {run} --deal 1 --seating 24", "seating 24", "0 to 23"),
    ("replay {run} --deal 1 --seating -1", "seating -1", "0 to 23"),
    ("replay --rules lockout --lineup random --players 3 --deal 1 --seating 6", "6", "0 to 5"),
    ("replay {run} --deal 1 --seed 5", "--seed", "leave out"),
    ("replay --lineup random,lowest --deal 1", "2 strategies", "played by 4"),
    # runs on disk
    ("runs show {empty}", "empty", "check the folder"),
    ("runs verify {strange}", "strange", "check the folder"),
    ("runs list {strange}/nowhere", "nowhere", "give the folder"),
    ("runs export {run} --to excel", "'excel'", "csv"),
    ("runs combine {run} {tally} --out {empty}/whole", "tally", "run"),
    # the command line itself
    ("frobnicate", "'frobnicate'", "--help"),
    ("rules frobnicate", "'frobnicate'", "--help"),
    ("plays", "--hand", "--help"),
    ("plays --hand", "--hand", "--help"),
    ("plays --hand 3c --frob", "--frob", "--help"),
    ("classify 3c 4c", "4c", "--help"),
    ("simulate --lineup random", "missing", "deals"),
]  # fmt: skip
# The sentence about an option that is no number shows which, but not what was given.
NO_NUMBER = [
    ("simulate --lineup random --deals ten", "--deals", "ten"),
    ("simulate --lineup random --deals 1.5", "--deals", "1.5"),
    ("plays --hand 3c --next-left few", "--next-left", "few"),
    ("bench --seconds long", "--seconds", "long"),
]


@pytest.mark.parametrize(
    ("asked", "value", "remedy"),
    [*BAD, *NO_NUMBER],
    ids=[row[0][:70] for row in (*BAD, *NO_NUMBER)],
)
def test_bad_input_gets_one_sentence(
    asked: str, value: str, remedy: str, places: dict[str, Path]
) -> None:
    refuse(line(asked, **places), value, remedy)


def test_bad_input_leaves_folders_as_they_were(places: dict[str, Path]) -> None:
    assert sorted(path.name for path in places["strange"].iterdir()) == ["letter.txt"]
    assert not list(places["empty"].iterdir())
    assert places["file"].read_text("utf-8") == "not TOML\n"
    assert len(stored(places["run"])) == 80


def test_no_threads(places: dict[str, Path]) -> None:
    refuse(line("simulate --lineup random --deals 5 --threads 0"), "0 threads", "1 to")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_folder_without_the_right_to_write(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    refuse(line(f"{SIM} --out {{place}}", place=tmp_path / "run"), "Permission denied", "--out")


@pytest.mark.parametrize(
    "asked", ["classify '3c 3c'", "simulate --lineup randum --deals 5", "plays", "frobnicate"]
)
def test_bad_input_in_the_installed_command(asked: str, tmp_path: Path) -> None:
    done = script(*shlex.split(asked), cwd=tmp_path)
    refuse(Result(done.returncode, done.stdout, done.stderr))
    assert line(asked).err == done.stderr


@settings(max_examples=300)
@given(st.one_of(st.text(max_size=30), st.text("3456789TJQKA210cdhsCDHS♣♦♥♠ ,;-=[]/", max_size=40)))
@example("[/red]")
@example("\ud800")
@example("3c\n4x")
@example(":smile:")
def test_no_text_for_cards_breaks_the_command(text: str) -> None:
    result = call("classify", "--json", "--", text)
    if result.status == 0:
        assert json.loads(result.out).keys() == {"legal", "kind"} and result.err == ""
    else:
        refuse(result)


# ------------------------------------------------------------------ replays


REPLAYED = {
    "douque": f"--lineup {FOUR} --seed 5",
    "maceplay": "--rules maceplay --lineup timeout,random,lowest,dump --seatings rotations",
    "lockout": "--rules lockout --lineup random,random,dump --seatings all --seed 9",
    "royal": "--rules royal:deal=13 --lineup random,lowest,highest --seed 18446744073709551615",
}


def check_turns(found: dict[str, Any], rules: str) -> None:
    """Every turn of a replay is the next seat's, legal, and of the kind that it says."""
    known = reference_rules(load_rules(rules))
    hands = [set(hand) for hand in found["hands"]]
    assert len(set().union(*hands)) == sum(map(len, hands))
    standing: list[str] = []
    seat = by = found["starter"]
    locked: set[int] = set()
    for turn in found["turns"]:
        assert turn["seat"] == seat and list(turn) == ["seat", "cards", "kind"]
        if turn["cards"]:
            combination = reference.classify(known, turn["cards"])
            assert combination is not None and combination[0] == turn["kind"]
            assert set(turn["cards"]) <= hands[seat]
            assert not standing or reference.beats(known, turn["cards"], standing)
            hands[seat] -= set(turn["cards"])
            standing, by = turn["cards"], seat
        else:
            assert turn["kind"] == "pass" and standing
            if len(standing) in known.lock_sizes:
                locked.add(seat)
        seat = (seat + 1) % len(hands)
        while seat in locked and seat != by:
            seat = (seat + 1) % len(hands)
        if seat == by:
            standing, locked = [], set()
    assert by == found["winner"] == found["turns"][-1]["seat"]
    assert [len(hand) for hand in hands] == found["cards_left"]
    assert [left == 0 for left in found["cards_left"]] == [
        s == found["winner"] for s in range(len(hands))
    ]
    assert sum(found["payoffs"]) == 0


@pytest.mark.parametrize("name", REPLAYED)
def test_a_replay_is_the_stored_playout(name: str, tmp_path: Path) -> None:
    """From the run's folder and from its address; the stake is the run's."""
    given = REPLAYED[name]
    words = shlex.split(given)
    address = " ".join(
        f"{key} {value}"
        for key, value in zip(words[::2], words[1::2], strict=True)
        if key != "--seatings"
    )
    assert line(f"simulate {given} --deals 12 --stake 3 --out {{run}}", run=tmp_path).status == 0
    rows = stored(tmp_path)
    lineup = words[words.index("--lineup") + 1].split(",")
    players = len(lineup)
    rules = words[1] if words[0] == "--rules" else "douque"
    for row in rows.iloc[::5].to_dict("records"):
        where = f"--deal {row['deal']} --seating {row['seating']}"
        found = data(f"replay {{run}} {where}", run=tmp_path)
        assert list(found) == [
            "rules", "seed", "deal", "seating", "lineup", "hands", "starter", "turns", "winner",
            "cards_left", "payoffs",
        ]  # fmt: skip
        assert (found["deal"], found["seating"]) == (row["deal"], row["seating"])
        assert found["lineup"] == lineup and len(found["hands"]) == players
        for key in ("starter", "winner"):
            assert found[key] == row[key]
        for seat in range(players):
            assert found["cards_left"][seat] == row[f"cards_left_{seat}"]
            assert found["payoffs"][seat] == row[f"payoff_{seat}"]
        kinds = [turn["kind"] for turn in found["turns"]]
        assert kinds.count("pass") == row["passes"]
        assert len(kinds) - kinds.count("pass") == row["plays"]
        assert kinds[-1] == row["last_kind"]
        check_turns(found, rules)
        again = data(f"replay {address} {where}")
        assert [3 * payoff for payoff in again.pop("payoffs")] == found.pop("payoffs")
        assert again == found
        shown = line(f"replay {{run}} {where}", run=tmp_path).out.splitlines()
        assert sum(text.startswith("trick ") for text in shown) == row["tricks"]
        turns = [text for text in shown if re.match(r"  seat \d .*(pass$|, \d+ left$)", text)]
        assert len(turns) == len(kinds)
        order = list(permutations(range(players)))[row["seating"]]
        for seat in range(players):
            assert shown[1 + seat].startswith(f"seat {seat} {lineup[order[seat]]}")


def test_every_seating_of_a_deal_has_the_same_hands() -> None:
    asked = f"replay --lineup {FOUR} --deal 17"
    found = [data(f"{asked} --seating {seating}") for seating in range(24)]
    assert all(one["hands"] == found[0]["hands"] for one in found)
    assert len({json.dumps(one["turns"]) for one in found}) > 1


def test_suits_have_colours_on_a_terminal_only() -> None:
    asked = shlex.split(f"replay --lineup {FOUR} --deal 3")
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen([SCRIPT, *asked], stdout=slave, env=environment)
    os.close(slave)
    seen = read_until(master, None)
    assert process.wait(PATIENCE) == 0
    os.close(master)
    colours = {suit: set(re.findall(rf"\x1b\[([\d;]*)m[3-9TJQKA2]{suit}", seen)) for suit in "♣♦♥♠"}
    assert all(len(found) == 1 for found in colours.values())
    assert len(set(map(str, colours.values()))) == 4
    plain = call(*asked).out
    assert [text.rstrip() for text in re.sub(r"\x1b\[[\d;]*m", "", seen).splitlines()] == [
        text.rstrip() for text in plain.splitlines()
    ]


def test_suits_without_symbols() -> None:
    done = script(
        *shlex.split(f"replay --lineup {FOUR} --deal 3"),
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 0 and "Traceback" not in done.stderr


def test_a_reader_that_leaves_early() -> None:
    suited = "3c4c5c6c7c8c9cTcJcQcKcAc2c"
    process = subprocess.Popen(
        [SCRIPT, "plays", "--rules", "maceplay", "--hand", suited],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None and process.stderr is not None
    process.stdout.read(1)
    process.stdout.close()
    assert process.wait(PATIENCE) in (0, 1, -signal.SIGPIPE)
    assert process.stderr.read() == b""
    process.stderr.close()


# ------------------------------------------------------------------ strategies from a file


BOT = '''
from simcore import strategy

@strategy(hold=0.0, spare=1.5)
def my_bot(view, plays, n_plays, params, rng):
    """Play the last of the list, a pass if there is one, when told to hold."""
    if params[0] > 0.5:
        return n_plays - 1
    return 0
'''


@pytest.fixture
def bot(tmp_path: Path) -> str:
    """The lineup name of a strategy in a file."""
    (tmp_path / "my_bot.py").write_text(BOT, "utf-8")
    return f"{tmp_path}/my_bot.py:my_bot"


def test_a_strategy_from_a_file(bot: str, tmp_path: Path) -> None:
    lineup = f"{bot},{bot}:hold=1,random,lowest"
    found = data(f"simulate --deals 60 --lineup '{lineup}' --out {{run}}", run=tmp_path / "run")
    assert found["lineup"] == [bot, f"{bot}:hold=1", "random", "lowest"]
    rates = {row["strategy"]: row["win_rate"] for row in found["strategies"]}
    assert rates[bot] > rates[f"{bot}:hold=1"]
    assert sum(rates.values()) == pytest.approx(1)
    identity = json.loads((tmp_path / "run" / "run.json").read_text("utf-8"))["identity"]
    assert [e["params"] for e in identity["lineup"]] == [
        {"hold": 0.0, "spare": 1.5}, {"hold": 1.0, "spare": 1.5}, {}, {},
    ]  # fmt: skip
    replayed = data("replay {run} --deal 3", run=tmp_path / "run")
    assert replayed == data(f"replay --lineup '{lineup}' --deal 3")
    shown = data(f"strategies show '{bot}'")
    assert shown["parameters"] == {"hold": 0.0, "spare": 1.5}
    assert shown["definition"].startswith("Play the last of the list")


def test_a_changed_strategy_is_another_run(bot: str, tmp_path: Path) -> None:
    asked = ("simulate", "--deals", 20, "--lineup", bot, "--out", tmp_path / "run")
    assert call(*asked).status == 0
    (tmp_path / "my_bot.py").write_text(BOT.replace("> 0.5", "> 0.6"), "utf-8")
    done = script(*asked)
    refuse(Result(done.returncode, done.stdout, done.stderr), "code changed", "another --out")


def test_names_in_tables_stand_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("b.py").write_text(BOT.replace("my_bot", "fire"), "utf-8")
    shown = line("simulate --deals 5 --lineup b.py:fire:hold=1")
    assert shown.status == 0 and "b.py:fire:hold=1" in shown.out


def test_names_in_tables_are_whole(bot: str, tmp_path: Path) -> None:
    lineup = f"{bot},{bot}:hold=1,lowest,random"
    shown = line(f"simulate --deals 20 --lineup '{lineup}' --out {{run}}", run=tmp_path / "run")
    assert f"{bot} " in shown.out and f"{bot}:hold=1 " in shown.out
    assert f"{tmp_path}/run" in line("runs list {place}", place=tmp_path).out


HEAD = "from simcore import strategy\n\n@strategy\ndef bot(view, plays, n_plays, params, rng):\n"
PLACE = "in deal 0, seating 0, turn"
# Source of bot.py, and what the sentence says.
BROKEN = {
    "syntax": ("def bot(:\n    pass\n", "bot.py", "SyntaxError"),
    "import": ("raise ValueError('no coffee')\n", "bot.py", "ValueError: no coffee"),
    "missing module": ("import no_such_module\n", "bot.py", "no_such_module"),
    "missing attribute": (HEAD.replace("bot", "bott") + "    return 0\n", "'bot'", "mean bott"),
    "no strategy": ("bot = 3\n", "bot.py:bot", "@strategy"),
    "does not compile": (HEAD + "    return open('x')\n", "'bot'", "does not compile"),
    "unknown field": (HEAD + "    return view.cards\n", "'bot'", "cards"),
    "wrong arguments": (HEAD.replace(", rng", "") + "    return 0\n", "'bot'", "5 argument"),
    "index too large": (HEAD + "    return n_plays\n", "bot.py:bot", PLACE),
    "index negative": (HEAD + "    return -1\n", "index -1", PLACE),
    "reads beyond plays": (HEAD + "    return plays[99999].kind\n", "IndexError", PLACE),
    "reads beyond params": (HEAD + "    return int(params[7])\n", "IndexError", PLACE),
    "raises": (HEAD + "    if n_plays > 1:\n        raise ValueError('lost')\n    return 0\n",
               "bot.py:bot' raised ValueError: lost", PLACE),
}  # fmt: skip
# These get no clear sentence yet.
UNCLEAR = {
    "two lines": ("raise ValueError('no coffee\\nno tea')\n", "bot.py", "no coffee"),
    "exit": ("raise SystemExit(3)\n", "bot.py", "SystemExit"),
    "raises only": (HEAD + "    raise ValueError('lost')\n", "bot", "bot"),
}


@pytest.mark.parametrize(
    ("source", "value", "problem"),
    [*BROKEN.values(), *UNCLEAR.values()],
    ids=[*BROKEN, *UNCLEAR],
)
def test_a_broken_strategy_gets_one_sentence(
    source: str, value: str, problem: str, tmp_path: Path
) -> None:
    (tmp_path / "bot.py").write_text(source, "utf-8")
    name = f"{tmp_path}/bot.py:bot"
    refuse(call("simulate", "--deals", 20, "--lineup", name, "--threads", 1), value, problem)


@pytest.mark.parametrize(
    ("parameter", "value", "remedy"),
    [
        ("hodl=1", "'hodl'", "did you mean hold"),
        ("hold=much", "'much'", "number"),
        ("hold=nan", "'nan'", "finite"),
    ],
)
def test_a_bad_parameter(bot: str, parameter: str, value: str, remedy: str) -> None:
    refuse(call("simulate", "--deals", 5, "--lineup", f"{bot}:{parameter}"), value, remedy)


# ------------------------------------------------------------------ runs


def test_simulate_prints_data_on_stdout_and_notes_on_stderr(tmp_path: Path) -> None:
    result = line(f"{SIM} --out {{run}}", run=tmp_path / "run")
    assert result.status == 0
    assert "20 deals, 80 playouts" in result.out
    for name in FOUR.split(","):
        assert len(re.findall(rf"^{name} .*±", result.out, re.M)) == 2
    assert "win share" in result.out and "starter" in result.out
    assert "80 playouts in" in result.err and "run" in result.err
    assert "±" not in result.err and "playouts in" not in result.out
    kept_nothing = line(SIM)
    assert kept_nothing.out == result.out
    assert "--out" in kept_nothing.err


def test_simulate_as_json_agrees_with_the_tables() -> None:
    found = data(f"{SIM} --seed 3 --stake 2")
    assert found["rules"] == "douque" and found["lineup"] == FOUR.split(",")
    assert (found["seed"], found["players"], found["stake"]) == (3, 4, 2)
    assert (found["seatings"], found["deals"], found["complete"]) == ("balanced", 20, True)
    shown = line(f"{SIM} --seed 3 --stake 2").out
    for row in found["strategies"]:
        assert row["deals"] == 20 and row["playouts"] == 80
        half = (row["payoff_high"] - row["payoff_low"]) / 2
        (text,) = re.findall(rf"^{row['strategy']} .*$", shown.split("win share")[0], re.M)
        assert f"{row['payoff']:.3f} ± {half:.3f}" in text
    assert len(found["seats"]) == 16
    assert sum(row["payoff"] for row in found["strategies"]) == pytest.approx(0, abs=1e-9)


def test_one_deal_has_no_interval() -> None:
    found = data("simulate --lineup random --deals 1")
    (row,) = found["strategies"]
    assert row["payoff"] == 0 and row["payoff_low"] is None and row["win_rate_high"] is None
    shown = line("simulate --lineup random --deals 1")
    assert shown.status == 0 and "0.2500 ± ?" in shown.out and "nan" not in shown.out


def test_one_name_fills_all_seats() -> None:
    assert data("simulate --lineup dump --deals 9") == data(
        "simulate --lineup dump,dump,dump,dump --deals 9"
    )
    found = data("simulate --rules lockout --lineup dump --players 3 --deals 9")
    assert found["lineup"] == ["dump"] * 3 and found["seatings"] == "fixed"


@pytest.mark.parametrize(
    ("plan", "seatings"), [("fixed", 1), ("rotations", 4), ("balanced", 4), ("all", 24)]
)
def test_seating_plans(plan: str, seatings: int, tmp_path: Path) -> None:
    found = data(f"{SIM} --seatings {plan} --out {{run}}", run=tmp_path)
    assert found["seatings"] == plan
    rows = stored(tmp_path)
    assert rows.groupby("deal").seating.nunique().eq(seatings).all()
    assert len(rows) == 20 * seatings
    # Seat by seat, every slot comes up equally often in each deal, but for `fixed`.
    order = list(permutations(range(4)))
    for _, deal in rows.groupby("deal"):
        for seat in range(4):
            slots = [order[k][seat] for k in deal.seating]
            assert {slots.count(s) for s in set(slots)} == {max(1, seatings // 4)}
    if plan == "rotations":
        assert set(rows.seating) == {order.index((*range(s, 4), *range(s))) for s in range(4)}


def test_the_same_command_plays_nothing_and_a_larger_one_extends(tmp_path: Path) -> None:
    asked = f"simulate --lineup {FOUR} --seed 4 --threads 2 --out {{run}}"
    first = line(f"{asked} --deals 300", run=tmp_path / "run")
    kept = parts(tmp_path / "run")
    again = line(f"{asked} --deals 300", run=tmp_path / "run")
    assert again.out == first.out
    assert re.search(r"^0 playouts", again.err, re.M)
    assert parts(tmp_path / "run") == kept
    larger = line(f"{asked} --deals 700", run=tmp_path / "run")
    assert re.search(r"^1,600 playouts", larger.err, re.M)
    assert parts(tmp_path / "run").items() >= kept.items()
    whole = line(f"{asked} --deals 700", run=tmp_path / "whole")
    assert larger.out == whole.out
    pd.testing.assert_frame_equal(stored(tmp_path / "run"), stored(tmp_path / "whole"))
    smaller = line(f"{asked} --deals 300", run=tmp_path / "run")
    assert smaller.status == 0 and re.search(r"^0 playouts", smaller.err, re.M)
    assert re.search(r"\b400 deals\b", smaller.err) and smaller.out == whole.out


def test_a_summary_only_run_has_the_same_tables(tmp_path: Path) -> None:
    full = line(f"{SIM} --out {{run}}", run=tmp_path / "full")
    short = line(f"{SIM} --out {{run}} --summary-only", run=tmp_path / "short")
    assert short.status == 0 and short.out == full.out
    assert not list((tmp_path / "short").rglob("*.parquet"))
    assert "give --out" not in short.err
    larger = line(
        f"simulate --lineup {FOUR} --deals 50 --summary-only --out {{run}}", run=tmp_path / "short"
    )
    assert re.search(r"^120 playouts", larger.err, re.M)
    assert larger.out == line(f"simulate --lineup {FOUR} --deals 50").out


def test_run_json_says_what_was_played(tmp_path: Path) -> None:
    line(f"{SIM} --out {{run}} --seed 6", run=tmp_path)
    document = json.loads((tmp_path / "run.json").read_text("utf-8"))
    identity = document["identity"]
    assert identity["seed"] == 6 and identity["players"] == 4
    assert [entrant["name"] for entrant in identity["lineup"]] == FOUR.split(",")
    assert all(re.fullmatch("[0-9a-f]+", entrant["source"]) for entrant in identity["lineup"])
    assert identity["rules"] == data("rules show douque")
    assert {"bigtwo", "python", "numba", "pyarrow"} <= document["software"].keys()
    assert document["machine"].keys() >= {"processor", "cores"}


def test_runs_on_disk(tmp_path: Path) -> None:
    asked = f"simulate --lineup {FOUR} --out {{run}} --deals"
    whole = data(f"{asked} 40", run=tmp_path / "whole")
    data(f"{asked} 15", run=tmp_path / "one")
    data(f"{asked} 25 --first-deal 15", run=tmp_path / "two")
    assert data("runs combine {a}/one {a}/two --out {a}/both", a=tmp_path)["deals"] == 40
    pd.testing.assert_frame_equal(stored(tmp_path / "both"), stored(tmp_path / "whole"))
    listed = data("runs list {a}", a=tmp_path)["runs"]
    assert [Path(run["folder"]).name for run in listed] == ["both", "one", "two", "whole"]
    assert [run["deals"] for run in listed] == [40, 15, 25, 40]
    assert len({run["id"] for run in listed}) == 1
    shown = data("runs show {a}/both", a=tmp_path)
    assert shown["strategies"] == whole["strategies"] and shown["deals"] == 40
    assert shown["identity"]["seed"] == 0
    verified = data("runs verify {a}/both --sample 10", a=tmp_path)
    assert verified["deals"] == 40
    exported = data("runs export {a}/both --to csv --out {a}/both.csv", a=tmp_path)
    assert exported["bytes"] == (tmp_path / "both.csv").stat().st_size
    exact = pd.read_csv(tmp_path / "both.csv")[["deal", "payoff_0"]]
    assert exact.sort_values(["deal", "payoff_0"]).to_numpy().tolist() == (
        stored(tmp_path / "whole")[["deal", "payoff_0"]]
        .sort_values(["deal", "payoff_0"]).to_numpy().tolist()
    )  # fmt: skip
    for command, fragment in [
        ("runs list {a}", "balanced"), ("runs show {a}/both", "40 deals, 160 playouts"),
        ("runs verify {a}/both --sample 5", "20 playouts of 5 deals"),
    ]:  # fmt: skip
        result = line(command, a=tmp_path)
        assert (result.status, result.err) == (0, "") and fragment in result.out


# ------------------------------------------------------------------ stopping


def read_until(terminal: int, pattern: str | None) -> str:
    """What a process writes to its terminal, up to a pattern or the end."""
    seen = ""
    while pattern is None or not re.search(pattern, seen):
        ready, _, _ = select.select([terminal], [], [], PATIENCE)
        try:
            found = os.read(terminal, 65536) if ready else b""
        except OSError:  # the other side is closed
            found = b""
        if not found:
            assert pattern is None, f"{pattern!r} did not come: {seen[-300:]!r}"
            break
        seen += found.decode("utf-8", "replace")
    return seen


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_keeps_what_was_played(number: signal.Signals, tmp_path: Path) -> None:
    """A run that would take hours is stopped, then finished, and compared with one in one go."""
    asked = ("simulate", "--lineup", "lowest,dump,lowest,highest", "--seatings", "fixed",
             "--threads", 2, "--seed", 8, "--out")  # fmt: skip
    assert call(*asked, tmp_path / "run", "--deals", 2000).status == 0
    kept = parts(tmp_path / "run")
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [SCRIPT, *map(str, asked), "run", "--deals", "9000000000"],
        stdout=subprocess.PIPE, stderr=slave, cwd=tmp_path,
    )  # fmt: skip
    try:
        os.close(slave)
        seen = read_until(master, r"\d\d,\d{3} of 9,000,000,000")
        refuse(
            line("simulate --lineup lowest --deals 5 --out {run}", run=tmp_path / "run"),
            f"pid {process.pid}",
        )
        process.send_signal(number)
        seen += read_until(master, None)
        output, _ = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        os.close(master)
    assert process.returncode == 130, seen[-500:]
    assert "/s" in seen and "stopped" in seen and "Traceback" not in seen
    assert "lowest" in output.decode()
    assert parts(tmp_path / "run").items() > kept.items()
    assert all(name.startswith("part-") for name in parts(tmp_path / "run"))
    before = stored(tmp_path / "run")
    assert len(before) > 10_000 and not before.deal.duplicated().any()
    deals = int(before.deal.max()) + 1000
    finished = call(*asked, tmp_path / "run", "--deals", deals)
    whole = call(*asked, tmp_path / "whole", "--deals", deals)
    assert finished.status == whole.status == 0
    assert finished.out == whole.out
    pd.testing.assert_frame_equal(stored(tmp_path / "run"), stored(tmp_path / "whole"))
