"""Guards strategies in plain Python, and any strategy that never returns, as runs meet them."""

import os
import pty
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import simcore
from simcore.errors import StrategyError
from simcore.runs import planning
from simcore.simulation.setup import Workspace, make_setup
from simcore.strategies.registry import load_strategy
from tests import reference, reference_playout
from tests.command import (
    BOT,
    PATIENCE,
    SCRIPT,
    SPY,
    Result,
    call,
    data,
    read_until,
    refuse,
    script,
    spied,
    stored,
)
from tests.support import RULE_SETS, opening_of, same_rows

BOTS = '''
import os
import sys
from simcore import strategy

class chance:
    """Uniform over the legal plays."""

    def __init__(self):
        print("a model is loaded", file=sys.stderr)
        print("and this does no harm")

    def choose(self, position):
        return position.rng.choice(position.plays)

def weakest(position, hold=0):
    """The weakest play, or the last of the list with many cards."""
    return position.plays[-1 if len(position.hand) > 13 - hold else 0]

def draws(position):
    rng = position.rng
    assert len({rng.below(1000) for _ in range(50)}) > 30
    assert all(0 <= rng.uniform() < 1 for _ in range(50))
    items = list(range(30))
    rng.shuffle(items)
    assert sorted(items) == list(range(30)) != items
    rng.below(0)

def rare(position):
    """Whether a first play with all four 2s is asked for: in about one deal of two hundred."""
    return position.fresh and sum(card[0] == "2" for card in position.hand) > 3

def raises(position):
    return position.plays[0] if not rare(position) else 1 / 0

def says_nothing(position):
    return None if rare(position) else position.plays[0]

def hangs(position):
    while rare(position):
        pass
    return position.plays[0]

def dies(position):
    if rare(position):
        os._exit(7)
    return position.plays[0]

def leaves(position):
    sys.exit(3)

def no_default(position, hold):
    return position.plays[0]

def a_word(position, mode="fast"):
    return position.plays[0]

@strategy
def first(view, plays, n_plays, params, rng):
    """As `weakest`, compiled."""
    return 0

@strategy
def hangs_compiled(view, plays, n_plays, params, rng):
    """Never returns when it holds all four 2s."""
    i = 0
    while view.fresh and view.hand >> 48 == 15:
        i += 1
    return 0
'''


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("bots") / "bots.py"
    path.write_text(BOTS + SPY, "utf-8")
    return str(path)


@pytest.fixture
def tiny_parts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(planning, "PART_ROWS", 40)
    monkeypatch.setattr(planning, "MIN_PART_ROWS", 40)
    yield


def test_it_plays_as_its_compiled_twin(bots: str) -> None:
    """The same draws of the same streams, in every rule set."""
    for name, players in [*((name, 4) for name in RULE_SETS), ("royal", 3), ("hongkong", 2)]:
        rows = []
        for twin in (f"{bots}:chance", "random"):
            lineup = [twin, "dump", "lowest", twin][:players]
            rows.append(Workspace(make_setup(name, lineup, 6, players)).play(0, 12))
        assert same_rows(*rows), name


@pytest.mark.parametrize(("name", "players"), [*((n, 4) for n in RULE_SETS), ("lockout", 3)])
def test_a_position_holds_what_its_seat_may_know(name: str, players: int, bots: str) -> None:
    rules = reference.RULES[name]
    for deal in range(2):
        dealt = simcore.replay(name, f"{bots}:spy", 3, deal, players=players)
        found: list[simcore.Position] = spied(f"{bots}:spy")
        wanted: list[reference_playout.Position] = []

        def choose(position: Any, plays: list[Any], may_pass: bool) -> Any:
            options = [*plays, ((), "pass")] if may_pass else plays
            wanted.append(position)  # noqa: B023
            mine = found[len(wanted) - 1]  # noqa: B023
            assert [(p.cards, p.kind) for p in mine.plays] == options
            chosen = options[(position.turn * 7 + 3) % len(options)]
            return chosen if chosen[0] else None

        opening = opening_of(name, dealt.hands) if rules.opening_must_include else None
        reference_playout.play_out(rules, dealt.hands, dealt.starter, opening, [choose] * players)
        assert len(wanted) == len(found) > 10
        for theirs, mine in zip(wanted, found, strict=True):
            assert mine.hand == theirs.hand and set(mine.seen) == set(theirs.seen)
            assert (mine.to_beat.cards if mine.to_beat else None) == theirs.to_beat
            assert mine.to_beat_by == (theirs.to_beat_owner or 0)
            assert (mine.cards_left, mine.required) == (theirs.cards_left, theirs.must_include)
            assert (mine.passed, mine.locked) == (theirs.passed, theirs.locked)
            assert (mine.starter, mine.fresh) == (theirs.starter, theirs.fresh)
            assert (mine.turn, mine.trick) == (theirs.turn, theirs.trick)
            assert (mine.players, mine.rules.name) == (players, name)


def test_its_random_numbers_are_in_bounds_and_differ(bots: str) -> None:
    with pytest.raises(StrategyError, match=r"raised ValueError: below\(0\) is out of bounds"):
        simcore.replay("maceplay", f"{bots}:draws", 3, 0)


def test_a_run_is_the_same_with_any_number_of_processes(bots: str, tmp_path: Path) -> None:
    """And it can be extended, replayed and verified like any other; a model is loaded once."""
    lineup = f"{bots}:chance,dump"
    asked = ("simulate", "--lineup", lineup, "--seed", 4, "--decision-limit", "50s")
    done = script(*asked, "--deals", 60, "--threads", 2, "--out", tmp_path / "two")
    assert done.returncode == 0, done.stderr
    assert f"{bots}:chance: played in 2 processes" in done.stderr
    assert "/s on 2 processes" in done.stderr
    assert done.stderr.count("a model is loaded") == 3, "once in each process, and to compile"
    assert "does no harm" not in done.stdout.split("\n", 1)[1]
    simcore.simulate("douque", lineup, 20, seed=4, threads=1, out=tmp_path / "one")
    run = simcore.simulate("douque", lineup, 60, seed=4, threads=1, out=tmp_path / "one")
    assert run.played == 160
    pd.testing.assert_frame_equal(stored(tmp_path / "one"), stored(tmp_path / "two"))
    twin = simcore.simulate("douque", "random,dump", 60, seed=4)
    pd.testing.assert_frame_equal(stored(tmp_path / "two"), twin.playouts())
    assert data("runs verify {run}", run=tmp_path / "two")
    replayed = data("replay {run} --deal 3 --trust", run=tmp_path / "two")
    assert replayed["lineup"][0] == f"{bots}:chance"


def test_its_parameters_are_keywords(bots: str) -> None:
    found = data(f"strategies show {bots}:weakest")
    assert found["parameters"] == {"hold": 0.0} and found["definition"].startswith("The weakest")
    turns = [data(f"replay --lineup {bots}:weakest:hold={n} --deal 3")["turns"] for n in (0, 9)]
    assert turns[0] != turns[1]
    noisy = data(f"replay --lineup noisy:base={bots}:weakest:epsilon=1 --deal 3 --seed 2")
    noisy_twin = data("replay --lineup noisy:base=lowest:epsilon=1 --deal 3 --seed 2")
    assert noisy["turns"] == noisy_twin["turns"]
    refuse(call("strategies", "show", f"{bots}:no_default"), "no strategy", "choose(position)")
    refuse(call("strategies", "show", f"{bots}:a_word"), "mode", "number")
    refuse(call("simulate", "--deals", 5, "--lineup", f"{bots}:weakest:hodl=1"), "'hodl'", "hold")


@pytest.mark.parametrize(
    ("bot", "words"),
    [
        ("raises", "raised ZeroDivisionError: division by zero in deal"),
        ("says_nothing", "returned None, which is none of position.plays in deal"),
        ("hangs", "gave no answer for 5 seconds in deal"),
    ],
)
def test_a_bad_strategy_is_named_and_finished_parts_stay(
    bot: str, words: str, bots: str, tmp_path: Path, tiny_parts: None
) -> None:
    with pytest.raises(StrategyError, match=words) as failed:
        simcore.simulate(
            "maceplay", f"{bots}:{bot},random", 400, seed=3, threads=1, out=tmp_path / "run",
            decision_limit=5,
        )  # fmt: skip
    assert f"{bots}:{bot}'" in str(failed.value) and "seating" in str(failed.value)
    kept = stored(tmp_path / "run")
    assert len(kept) >= 40, "parts before the fault"
    twin = simcore.simulate("maceplay", f"{bots}:first,random", len(kept) // 4, seed=3)
    pd.testing.assert_frame_equal(kept, twin.playouts())


def test_one_that_dies_is_named_with_its_deal_and_turn(bots: str, tmp_path: Path) -> None:
    with pytest.raises(
        StrategyError, match=r"dies' ended its process \(exit status 7\) in deal \d+, seating"
    ):
        simcore.simulate("maceplay", f"{bots}:dies,random", 400, seed=3, out=tmp_path / "run")


def test_one_that_leaves_python_is_named(bots: str) -> None:
    asked = ("simulate", "--deals", 5, "--lineup", f"{bots}:leaves")
    refuse(call(*asked), "leaves' raised SystemExit: 3 in deal 0")


def test_the_same_text_in_two_places_is_two_strategies(tmp_path: Path) -> None:
    """Each may have a model beside it."""
    source = (
        "from pathlib import Path\n\nclass bot:\n    def __init__(self):\n"
        "        self.at = int((Path(__file__).parent / 'model.txt').read_text())\n"
        "    def choose(self, position):\n        return position.plays[self.at]\n"
    )
    for folder, model in (("a", "0"), ("b", "-1")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "bot.py").write_text(source, "utf-8")
        (tmp_path / folder / "model.txt").write_text(model, "utf-8")
    first, last = (
        str(simcore.decide("maceplay", f"{tmp_path}/{folder}/bot.py:bot", "4d 5d", "3c"))
        for folder in "ab"
    )
    assert (first, last) == ("4d", "pass")


def test_a_hanging_strategy_ends_the_command(bots: str, tmp_path: Path) -> None:
    """Not only the call: no thread that cannot be stopped keeps the process."""
    done = script(
        "simulate", "--rules", "maceplay", "--lineup", f"{bots}:hangs_compiled", "--seed", 3,
        "--deals", 100_000, "--first-deal", 30, "--decision-limit", "1s", "--out", tmp_path / "run",
    )  # fmt: skip
    found = Result(done.returncode, done.stdout, done.stderr.splitlines(True)[-1])
    refuse(found, "hangs_compiled", "no answer for 1 seconds", "deal", "--decision-limit")


def test_ctrl_c_keeps_what_the_processes_have_played(bots: str, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [SCRIPT, "simulate", "--lineup", f"{bots}:weakest", "--deals", "10000000", "--out", folder],
        stdout=subprocess.DEVNULL, stderr=slave,
    )  # fmt: skip
    os.close(slave)
    read_until(master, r" [1-9]\d* of 10,000,000")
    process.send_signal(signal.SIGINT)
    said = read_until(master, None)
    os.close(master)
    assert process.wait(PATIENCE) == 130 and "the same command goes on" in said
    assert len(stored(folder)) > 0 and call("runs", "verify", folder).status == 0


def test_a_lineup_object_of_a_file_that_is_gone_is_named(tmp_path: Path) -> None:
    path = tmp_path / "gone.py"
    path.write_text("def gone(position):\n    return position.plays[0]\n", "utf-8")
    load_strategy(f"{path}:gone")
    path.unlink()
    with pytest.raises(simcore.BigTwoError, match=r"gone\.py' does not exist"):
        simcore.simulate("douque", f"{path}:gone", 5)


def test_the_files_of_both_kinds_mix(bots: str, tmp_path: Path) -> None:
    (tmp_path / "my_bot.py").write_text(BOT, "utf-8")
    lineup = f"{tmp_path}/my_bot.py:my_bot,{bots}:weakest"
    found = data(f"simulate --lineup {lineup} --deals 10")
    assert found["deals"] == 10 and len(found["strategies"]) == 2
