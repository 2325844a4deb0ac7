"""Guards what the engine plays: twenty playouts of each rule set, pinned in golden/playouts.json.

Whoever changes one on purpose raises ENGINE_VERSION, says so in the change log, and rewrites the
file with `pytest tests/test_golden.py --update-golden`. The same playouts come out of the plain
Python code, with the compiler switched off.

`python -m tests.test_golden` prints them, and those of the strategies that need no compiler.
"""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import simcore
from tests.support import RULE_SETS

FOLDER = Path(__file__).parent / "golden"
GOLDEN = FOLDER / "playouts.json"
BY_STRATEGY = FOLDER / "strategies.json"
PLAYED = ("keep", "minplays", "smart", "control", "linear", "rollout:samples=24", "noisy:base=dump")
STRATEGIES = ("random", "lowest", "highest", "dump", "timeout")
SEED = 20_240
PLAYOUTS = 20
PLAIN = ("keep", "smart", "linear", "noisy:base=dump")  # play without the compiler too

Record = dict[str, Any]


def record(name: str, deal: int) -> Record:
    """One playout in a few numbers: table sizes, lineups and seatings take turns."""
    sizes = simcore.load_rules(name).players
    players = sizes[deal % len(sizes)]
    lineup = [STRATEGIES[(deal + slot) % len(STRATEGIES)] for slot in range(players)]
    played = simcore.replay(name, lineup, SEED, deal, seating=deal % 2, players=players)
    turns = [[turn["seat"], turn["kind"], " ".join(turn["cards"])] for turn in played.turns]
    return {
        "deal": deal,
        "lineup": ",".join(lineup),
        "starter": played.starter,
        "winner": played.winner,
        "payoffs": played.payoffs,
        "turns": len(turns),
        "hash": hashlib.sha256(json.dumps([played.hands, turns]).encode()).hexdigest()[:16],
    }


def records(playouts: int) -> dict[str, list[Record]]:
    return {name: [record(name, deal) for deal in range(playouts)] for name in RULE_SETS}


def write_golden() -> None:
    lines = [
        f'    "{name}": [\n'
        + ",\n".join(f"      {json.dumps(one)}" for one in playouts)
        + "\n    ]"
        for name, playouts in records(PLAYOUTS).items()
    ]
    text = f'{{\n  "engine_version": {simcore.ENGINE_VERSION},\n  "playouts": {{\n'
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text(text + ",\n".join(lines) + "\n  }\n}\n", encoding="utf-8")


def of_strategy(name: str, strategy: str) -> list[str]:
    """Hashes of three playouts among dump and random, one of them with as few players as may be."""
    hashes = []
    for deal in range(3):
        players = min(simcore.load_rules(name).players) if deal == 2 else 4
        lineup = [strategy, "dump", strategy, "random"][:players]
        played = simcore.replay(name, lineup, SEED, deal, players=players)
        turns = [[turn["seat"], " ".join(turn["cards"])] for turn in played.turns]
        hashes.append(hashlib.sha256(json.dumps(turns).encode()).hexdigest()[:12])
    return hashes


def write_strategies() -> None:
    found = {name: {s: of_strategy(name, s) for s in PLAYED} for name in RULE_SETS}
    BY_STRATEGY.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


@pytest.mark.parametrize("name", RULE_SETS)
def test_golden_playouts_of_each_strategy(name: str, request: pytest.FixtureRequest) -> None:
    """Weights that ship are part of it: tuning them anew is a line in the change log too."""
    if request.config.getoption("--update-golden"):
        write_strategies()
    pinned = json.loads(BY_STRATEGY.read_text("utf-8"))
    assert {s: of_strategy(name, s) for s in PLAYED} == pinned[name]


@pytest.fixture(scope="module")
def golden(request: pytest.FixtureRequest) -> dict[str, Any]:
    if request.config.getoption("--update-golden"):
        write_golden()
    pinned: dict[str, Any] = json.loads(GOLDEN.read_text("utf-8"))
    return pinned


def test_the_golden_playouts_belong_to_this_engine_version(golden: dict[str, Any]) -> None:
    assert golden["engine_version"] == simcore.ENGINE_VERSION
    assert set(golden["playouts"]) == set(RULE_SETS)


@pytest.mark.parametrize("name", RULE_SETS)
def test_golden_playouts(name: str, golden: dict[str, Any]) -> None:
    pinned = golden["playouts"][name]
    assert len(pinned) == PLAYOUTS
    for deal, wanted in enumerate(pinned):
        assert record(name, deal) == wanted


def test_the_golden_playouts_come_out_of_plain_python(golden: dict[str, Any]) -> None:
    """In a process of its own, because the compiler is switched off when numba is imported."""
    root = Path(__file__).resolve().parents[1]
    done = subprocess.run(
        [sys.executable, "-m", "tests.test_golden"], cwd=root, capture_output=True, text=True,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["compiled"] is False
    assert found["playouts"] == golden["playouts"]
    pinned = json.loads(BY_STRATEGY.read_text("utf-8"))
    assert found["strategies"] == {name: {s: pinned[name][s] for s in PLAIN} for name in RULE_SETS}


if __name__ == "__main__":
    from simcore.foundation.jit import JIT

    strategies = {name: {s: of_strategy(name, s) for s in PLAIN} for name in RULE_SETS}
    playouts = records(PLAYOUTS)
    print(json.dumps({"compiled": JIT, "playouts": playouts, "strategies": strategies}))
