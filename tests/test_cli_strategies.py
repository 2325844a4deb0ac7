"""Guards strategies from a file, good and broken, through the command line."""

import json
from pathlib import Path

import pytest

from tests.command import (
    BOT,
    Result,
    call,
    data,
    line,
    refuse,
    script,
)


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
    replayed = data("replay {run} --deal 3 --seating 0 --trust", run=tmp_path / "run")
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


def test_two_strategies_fill_four_seats_by_turns() -> None:
    found = data("replay --lineup dump,lowest --deal 3 --seating 5")
    assert found["lineup"] == ["dump", "lowest", "dump", "lowest"]
    assert found == data("replay --lineup dump,lowest,dump,lowest --deal 3 --seating 5")
    assert len(data("replay --rules hongkong --lineup dump,lowest --deal 3")["lineup"]) == 2
    four = data("replay --rules hongkong --players 4 --lineup dump,lowest --deal 3")
    assert four["lineup"] == found["lineup"]
