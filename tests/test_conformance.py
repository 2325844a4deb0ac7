"""Guards `bigtwo strategies check`: all that ship pass, and every kind of bad one is found out."""

import json
import math
import re
import shlex
import sys
from pathlib import Path
from types import FrameType

import pytest

from simcore.simulation import conformance
from simcore.simulation.conformance import CHECKS, Report, check_strategy
from simcore.strategies.plain import Caller
from simcore.strategies.registry import BUILT_IN
from tests.command import PATIENCE, call, data, line, refuse, script

COMPILED = "from simcore import strategy\nfrom simcore.foundation.bits import popcount\n"
HEAD = COMPILED + "@strategy(weight=0.5)\ndef bot(view, plays, n_plays, params, rng):\n"
PLAIN = "def bot(position, weight=0.5):\n"


@pytest.mark.parametrize("name", [*BUILT_IN, "noisy:base=keep:epsilon=0.3"])
def test_every_built_in_strategy_passes(name: str) -> None:
    report = check_strategy(name, seconds=0.005, limit=PATIENCE)
    assert [finding for finding in report.findings.values() if not finding.passed] == []
    assert report.tables == 17 and report.decisions > 100


@pytest.mark.parametrize("option", [[], ["--plain"]])
def test_a_new_strategy_passes_and_plays(
    option: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("strategies", "new", "my_bot.py", *option).status == 0
    text = Path("my_bot.py").read_text("utf-8")
    assert 25 <= len(text.splitlines()) <= 35 and "my_bot.py:my_bot" in text
    assert max(map(len, text.splitlines())) <= 100
    found = data(
        "strategies check my_bot.py:my_bot --rules lockout --rules hongkong "
        f"--decision-limit {PATIENCE}s"
    )
    assert found["passed"] and found["tables"] == 5
    assert {check["check"] for check in found["checks"]} == set(CHECKS)
    shown = data("strategies show my_bot.py:my_bot")
    assert shown["parameters"] == {"hold": 4.0} and shown["definition"].startswith("Lead the play")
    kept = [data(f"replay --lineup my_bot.py:my_bot:hold={n} --deal 3") for n in (0, 13)]
    assert kept[0]["turns"] != kept[1]["turns"], "the parameter changes something"
    refuse(call("strategies", "new", "my_bot.py", *option), "'my_bot.py'", "exists")
    assert Path("my_bot.py").read_text("utf-8") == text


@pytest.mark.parametrize("name", ["class.py", "my-bot.py", "my_bot.txt", "3.py", "no/such/bot.py"])
def test_a_new_strategy_needs_a_good_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refuse(call("strategies", "new", name), repr(name), "give")
    assert list(tmp_path.iterdir()) == []


# Source of bot.py, the check that finds it out, and words of what it says.
BAD = {
    "index too large": (HEAD + "    return n_plays\n", "legality", "index"),
    "index now and then": (HEAD + "    return n_plays if view.turn > 20 else 0", "legality", "ind"),
    "raises": (HEAD + "    if n_plays > 1:\n        raise ValueError('lost')\n    return 0\n",
               "legality", "raised ValueError: lost"),
    "writes to params": (HEAD + "    params[0] += 1\n    return 0\n", "no scribbling", "params"),
    "writes to view.rules": (HEAD + "    view.rules.deal = 7\n    return 0\n", "no scribbling",
                             "view.rules"),
    "writes to plays": (HEAD + "    plays[0].mask = 0\n    return 0\n", "no scribbling", "plays"),
    "writes to view": (HEAD + "    view.seen = 0\n    return 0\n", "no scribbling", "view"),
    "counts by numpy's generator": (
        COMPILED.replace("\n", "\nimport numpy as np\n", 1) + HEAD.removeprefix(COMPILED)
        + "    return np.random.randint(n_plays)\n", "determinism", "asked"),
    "plain, raises": (PLAIN + "    raise KeyError('lost')\n", "legality", "raised KeyError"),
    "plain, nothing": (PLAIN + "    pass\n", "legality", "returned None"),
    "plain, an index": (PLAIN + "    return 0\n", "legality", "returned 0, which is none of"),
    "plain, another play": (
        "import dataclasses\n" + PLAIN
        + "    return dataclasses.replace(position.plays[0], cards=('2s',), kind='pair')\n",
        "legality", "none of position.plays"),
    "plain, keeps state": (
        "class bot:\n    n = 0\n    def choose(self, position):\n        self.n += 1\n"
        "        return position.plays[self.n % len(position.plays)]\n", "determinism", "asked"),
    "plain, state of a playout": (
        "class bot:\n    last = None\n    def choose(self, position):\n"
        "        if position.to_beat is None:\n            self.last = len(position.plays) % 2\n"
        "        return position.plays[0 if self.last else -1]\n"
        , "determinism", "asked"),
    "plain, its own chance": ("import random\n" + PLAIN
                              + "    return random.choice(position.plays)\n",
                              "determinism", "asked"),
    "plain, peeks": (  # what asks it does: in a process of its own it sees nothing
        PLAIN + "    return position.plays[0]  # peeks\n", "hidden cards", "more than its view"),
}  # fmt: skip


def peek(self: Caller, view: int, plays: int, n_plays: int, stream: int) -> int:
    """In place of Caller.ask: an answer that follows from a hand which the seat cannot see."""
    frame: FrameType | None = sys._getframe()
    while frame is not None and not hasattr(frame.f_locals.get("self"), "_scratch"):
        frame = frame.f_back
    assert frame is not None
    return int(frame.f_locals["self"]._scratch[1, 0]) % n_plays


@pytest.fixture(autouse=True)
def peeking(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever says that it peeks does."""
    if "peeks" in request.node.name or "names_the_command" in request.node.name:
        monkeypatch.setattr(Caller, "ask", peek)


def checked(source: str, folder: Path) -> Report:
    """What is found on two deals of each table, however long that takes."""
    (folder / "bot.py").write_text(source, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conformance, "MOST_DEALS", 2)
        return check_strategy(f"{folder}/bot.py:bot", ["maceplay"], math.inf, PATIENCE)


@pytest.mark.parametrize(("source", "check", "words"), BAD.values(), ids=BAD)
def test_a_bad_strategy_is_found_out(source: str, check: str, words: str, tmp_path: Path) -> None:
    report = checked(source, tmp_path)
    finding = report.findings[check]
    assert not report.passed and not finding.passed, report
    assert words in finding.what
    if "wrote to its params" in finding.what or "view.rules" in finding.what:
        return
    place = re.search(r"deal (\d+), seating (\d+), turn (\d+)", finding.what)
    assert place is not None
    if check != "legality":
        assert f"--deal {place[1]} --seating {place[2]}" in finding.look
    else:  # the command that is named makes the strategy fail once more
        refuse(line(finding.look.removeprefix("bigtwo ")), words, f"turn {place[3]}")


@pytest.mark.parametrize(
    "source",
    [
        HEAD + "    i = 0\n    while view.turn > 9:\n        i += 1\n    return 0\n",
        PLAIN + "    while position.turn > 9:\n        pass\n    return position.plays[0]\n",
    ],
)
def test_a_strategy_that_never_returns_is_found_out(source: str, tmp_path: Path) -> None:
    """In a process of its own, which ends although that thread does not."""
    (tmp_path / "bot.py").write_text(source, "utf-8")
    asked = ("--rules", "maceplay", "--decision-limit", "1s", "--json")
    done = script("strategies", "check", f"{tmp_path}/bot.py:bot", *asked)
    assert done.returncode == 1, done.stderr
    legality = json.loads(done.stdout)["checks"][0]
    assert "gave no answer for 1 seconds in deal" in legality["what"]
    turn = re.findall(r"turn (\d+)", legality["what"])[0]
    assert f"--turn {turn} " in legality["look"]


def test_a_finding_names_the_command_that_shows_the_deal(tmp_path: Path) -> None:
    """It is run as it stands, and the strategy's choice at that turn is the one it names."""
    report = checked(BAD["plain, peeks"][0], tmp_path)
    finding = report.findings["hidden cards"]
    words = shlex.split(finding.look)
    assert words[0] == "bigtwo"
    replayed = data(shlex.join(words[1:]))
    turn = int(re.findall(r"turn (\d+)", finding.what)[0])
    chosen = re.findall(r"it chose (.*?), but", finding.what)[0]
    assert (" ".join(replayed["turns"][turn]["cards"]) or "pass") == chosen


def test_the_command_says_what_failed_and_exits_with_one(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(BAD["index now and then"][0], "utf-8")
    shown = line("strategies check {place}/bot.py:bot --rules royal", place=tmp_path)
    assert shown.status == 1
    assert re.search(r"legality +FAILED", shown.out)
    assert "bigtwo decide --rules royal" in shown.out
    found = line("strategies check {place}/bot.py:bot --rules royal --json", place=tmp_path)
    assert found.status == 1 and '"passed": false' in found.out
    refuse(line("strategies check nobody"), "'nobody'", "unknown strategy")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("    return 0.5 * n_plays\n", "returns a float64"),
        ("    if n_plays > 3:\n        return 0\n", "returns nothing"),
        ("    pass\n", "returns nothing"),
        ("    return view.turn > 3\n", "returns a bool"),
        ("    return (0, 1)\n", "whole number"),
    ],
)
def test_what_is_no_index_does_not_compile(source: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(HEAD + source, "utf-8")
    for command in ("strategies check", "strategies show", "simulate --deals 5 --lineup"):
        refuse(call(*command.split(), f"{tmp_path}/bot.py:bot"), "'bot' ", words)


@pytest.mark.parametrize("value", ["plays[0].kind * 0", "np.int8(0)"])
def test_any_whole_number_is_an_index(value: str, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(f"import numpy as np\n{HEAD}    return {value}\n", "utf-8")
    (tmp_path / "first.py").write_text(f"{HEAD}    return 0\n", "utf-8")
    found = [
        data(f"replay --lineup {tmp_path}/{file}:bot --deal 1")["turns"]
        for file in ("bot.py", "first.py")
    ]
    assert found[0] == found[1]


def test_a_broken_strategy_does_not_stop_the_others_in_its_file(tmp_path: Path) -> None:
    broken = HEAD.replace("bot", "broken") + "    return open('x')\n"
    (tmp_path / "bots.py").write_text(
        f"{broken}\n{HEAD.removeprefix(COMPILED)}    return 0\n", "utf-8"
    )
    assert data(f"simulate --deals 5 --lineup {tmp_path}/bots.py:bot")["deals"] == 5
    refuse(call("simulate", "--deals", 5, "--lineup", f"{tmp_path}/bots.py:broken"), "'broken'")
