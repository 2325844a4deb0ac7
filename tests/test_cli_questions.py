"""Guards the commands that answer questions about rules, and their JSON."""

import json
import subprocess
import sys
import tomllib
from math import prod
from pathlib import Path

import pytest

from simcore import load_rules
from simcore.game.ruleset import rule_set_names
from simcore.strategies.registry import BUILT_IN
from simcore.workshop import speed
from tests.command import PATIENCE, call, data, line
from tests.support import RULE_SETS


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
    ("rules show lockout", ["passing.locks_on", "kinds.unbeatable_singles", "2s"]),
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
    names = [*BUILT_IN, "noisy"]
    assert [s["name"] for s in listed][: len(names)] == names
    for strategy in listed[: len(names)]:
        shown = data(f"strategies show {strategy['name']}")
        assert list(shown) == [
            "name", "definition", "parameters", "meanings", "bounds", "words", "version", "source",
        ]  # fmt: skip
        assert shown["version"] >= 1
        assert list(shown["meanings"]) == list(shown["parameters"])
        assert all(len(meaning) > 4 for meaning in shown["meanings"].values())
        assert shown["name"] == strategy["name"] and shown["parameters"] == strategy["parameters"]
        assert len(shown["definition"]) > 20


def test_bench(monkeypatch: pytest.MonkeyPatch) -> None:
    found = data("bench --seconds 0.01")
    assert list(found) == ["calibration_rounds_per_second", "results", "machine"]
    assert {"processor", "cores"} <= set(found["machine"])
    assert found["calibration_rounds_per_second"] > 0
    cases = set()
    for result in found["results"]:
        assert list(result) == [
            "what", "rules", "strategy", "threads", "figure", "unit", "rounds", "goal", "reached",
        ]  # fmt: skip
        assert result["unit"] in ("playouts/s", "×", "ns")
        assert result["figure"] > 0 or result["unit"] == "ns"
        assert (result["goal"] is None) == (result["reached"] is None)
        cases.add((result["what"], result["rules"], result["strategy"]))
    for rules in ("douque", "maceplay", "lockout", "royal"):
        assert ("playouts", rules, "random") in cases
    for strategy in ("lowest", "dump"):
        assert ("playouts", "douque", strategy) in cases
    assert ("a decision", "douque", "minplays") in cases
    monkeypatch.setattr(speed, "MEASURES", (speed.one_thread,))  # they have all been tried
    shown = line("bench --seconds 0.01")
    assert shown.status == 0 and "playouts/s" in shown.out and "maceplay" in shown.out


def test_bench_profile() -> None:
    results = data("bench --seconds 0.05 --profile --strategy random --strategy keep")["results"]
    assert [r["strategy"] for r in results] == ["random", "keep"]
    shared = {"deal", "bookkeeping", "payoff", "sums", "write"}
    assert set(results[0]["ns_per_playout"]) == shared | {"legal plays and choice"}
    assert set(results[1]["ns_per_playout"]) == shared | {"legal plays", "choice"}
    assert all(r["engine_ns"] > 0 and r["decisions_per_playout"] > 1 for r in results)
    shown = line("bench --seconds 0.05 --profile --strategy lowest")
    assert shown.status == 0 and "bookkeeping" in shown.out


def test_bench_growth() -> None:
    results = data("bench --growth 1,300")["results"]
    asked = [(r["players"], r["keeps"], r["deals"]) for r in results]
    assert asked == [(p, k, d) for p in (3, 4) for k in ("sums", "playouts") for d in (1, 300)]
    for r in results:
        assert r["playouts_per_second"] > 0 and r["peak_bytes"] > 1e7
        assert (r["disk_bytes"] > 0) == (r["keeps"] == "playouts")


COMMANDS = [
    "simulate", "plays", "classify", "beats", "payoff", "replay", "rules", "rules list",
    "rules show", "rules check", "strategies", "strategies list", "strategies show", "bench",
    "runs", "runs list", "runs show", "runs verify", "runs combine", "runs export",
    "analyse", "analyse means", "analyse luck", "analyse session", "report",
]  # fmt: skip


def test_help_of_every_command() -> None:
    everything = line("--help")
    assert (everything.status, everything.err) == (0, "")
    for command in COMMANDS:
        assert f"│ {command.split()[0]} " in everything.out
        result = line(f"{command} --help")
        assert (result.status, result.err) == (0, "")
        assert f"Usage: bigtwo {command} " in result.out
        group = "─ Commands ─" in result.out
        assert group or "--json" in result.out


@pytest.mark.parametrize("arguments", [[], ["rules"], ["strategies"], ["runs"]])
def test_no_command_shows_what_there_is(arguments: list[str]) -> None:
    result = call(*arguments)
    shown = result.out + result.err
    assert result.status == 2 and "Usage: bigtwo" in shown and "Traceback" not in shown


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
    assert "Usage: " in done.stdout
