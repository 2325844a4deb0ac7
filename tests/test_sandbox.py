"""A compiled strategy of a user's plays in a process apart: a crash there is a sentence here."""

import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import simcore
from simcore.errors import StrategyError
from simcore.simulation import sandbox
from simcore.simulation.setup import Workspace, make_setup
from tests.command import call, refuse
from tests.test_hosted import _children

BOTS = """
import os
from pathlib import Path

import numba
from simcore import strategy
from simcore.strategies.dump import dump as engine

with Path(__file__).with_name("loaded.txt").open("a") as file:
    print(os.getpid(), file=file)

@numba.njit("int64(int64)")
def for_ever(n):
    return for_ever(n + 1) + 1 if n > -1 else n

@strategy
def recurses(view, plays, n_plays, params, rng):
    return for_ever(n_plays) if view.turn > 4 else 0

@strategy
def leaves(view, plays, n_plays, params, rng):
    if view.turn > 4:
        with numba.objmode():
            os._exit(0)
    return 0

@strategy
def waits(view, plays, n_plays, params, rng):
    while view.turn >= 0:
        pass
    return 0

copy = strategy(engine.plain)
"""
DEAD = {
    "recurses": "crashed: its process was killed by SIGSEGV",
    "leaves": "ended its process (exit status 0)",
}


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("sandbox") / "bots.py"
    path.write_text(BOTS, "utf-8")
    return str(path)


@pytest.mark.parametrize(
    "words",
    [
        "simulate --deals 20 --lineup BOT,dump",
        "compare dump BOT --deals 20",
        "rate dump BOT --deals 20",
        "replay --deal 3 --lineup BOT,dump",
        "decide --strategy BOT --hand '4d 5d' --table 3c --turn 6",
        "evaluate --policy BOT --hand '4d 5d 6d 7s' --table 3c --cards-left 4,3,3,3 --turn 6",
    ],
)
@pytest.mark.parametrize("bot", DEAD)
def test_its_end_names_strategy_deal_and_turn(words: str, bot: str, bots: str) -> None:
    done = call(*[w.replace("BOT", f"{bots}:{bot}") for w in shlex.split(words)])
    where = "sample " if words.startswith("evaluate") else "deal "
    refuse(done, f":{bot}'", DEAD[bot], where, ", turn ", "mend it")


def test_strategies_check_says_where_it_ends(bots: str) -> None:
    done = call("strategies", "check", f"{bots}:recurses", "--rules", "maceplay")
    assert done.status == 1 and "Traceback" not in done.err
    assert DEAD["recurses"] in done.out and "bigtwo decide --rules maceplay" in done.out


def test_the_next_question_is_not_concerned(bots: str) -> None:
    for _ in range(2):
        with pytest.raises(StrategyError, match="SIGSEGV in deal 7, seating 0, turn "):
            simcore.replay("maceplay", f"{bots}:recurses,dump", 3, 7)
    assert simcore.replay("maceplay", f"{bots}:copy,lowest", 3, 7).turns


def test_it_is_never_loaded_in_here(bots: str) -> None:
    note = Path(bots).with_name("loaded.txt")
    note.unlink(missing_ok=True)
    simcore.simulate("maceplay", f"{bots}:copy,dump", 4, threads=1)
    simcore.decide("maceplay", f"{bots}:copy", "4d 5d", "3c")
    loaded = note.read_text().split()
    assert loaded and str(os.getpid()) not in loaded


def test_it_plays_as_it_would_in_here(bots: str) -> None:
    """The same rows as the engine's own function, in a lineup with noise, nets and plain Python."""
    others = "noisy:base=control:epsilon=0.2,net,smart"
    guest, own = (
        Workspace(make_setup("maceplay", f"{who},{others}", 5)).play(100, 40)
        for who in (f"{bots}:copy", "dump")
    )
    for block in ("deals", "block8", "block16", "block32"):
        assert np.array_equal(getattr(guest, block), getattr(own, block)), block


def test_one_that_never_returns_is_ended(bots: str) -> None:
    with pytest.raises(StrategyError, match="waits' gave no answer for 1 seconds in deal 0"):
        simcore.simulate("maceplay", f"{bots}:waits", 4, threads=1, decision_limit=1)
    for _ in range(100):
        if not _busy():
            return
        time.sleep(0.1)
    raise AssertionError("it goes on")


def _busy() -> list[int]:
    """Children of ours that still run a sandbox and serve nobody."""
    idle = {p._popen.pid for found in sandbox._idle.values() for p in found}
    found = []
    for child in _children(os.getpid()):
        words = Path(f"/proc/{child}/cmdline").read_bytes()
        state = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0]
        if b"simulation.sandboxed" in words and child not in idle and state == "R":
            found.append(child)
    return found


def test_its_process_serves_again_and_ends_with_ours(bots: str) -> None:
    code = (
        "import sys, time; from simcore.simulation.setup import Workspace, make_setup\n"
        "from simcore.simulation import sandbox\n"
        f"make = lambda: Workspace(make_setup('maceplay', '{bots}:copy', 5))\n"
        "work = make(); first = work.sandbox._process; del work\n"
        "work = make(); print(work.sandbox._process is first, first._popen.pid, flush=True)\n"
        "time.sleep(600)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        same, pid = process.stdout.readline().split()
        assert same == "True"
    finally:
        process.kill()
        process.wait()
    for _ in range(200):
        if not Path(f"/proc/{pid}").exists():
            return
        time.sleep(0.1)
    raise AssertionError("it lives on")
