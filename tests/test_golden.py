"""Guards what the engine plays: twenty playouts of each rule set, pinned in golden/playouts.json.

Whoever changes one on purpose raises ENGINE_VERSION, says so in the change log, and rewrites the
file with `pytest tests/test_golden.py --update-golden`. The same playouts come out of the plain
Python code, with the compiler switched off. What each built-in strategy chooses is pinned with its
version in golden/strategies.json.

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
from simcore.simulation.replay import replay_setup
from simcore.simulation.setup import make_setup
from simcore.strategies.registry import BUILT_IN, NOISY, load_strategy
from tests import reference
from tests.support import RULE_SETS

FOLDER = Path(__file__).parent / "golden"
GOLDEN = FOLDER / "playouts.json"
BY_STRATEGY = FOLDER / "strategies.json"
WRITTEN = {"rollout": "rollout:samples=24", "noisy": "noisy:base=dump"}  # else by their names
UPDATE = "pytest tests/test_golden.py --update-golden"
STRATEGIES = ("random", "lowest", "highest", "dump", "timeout")
SEED = 20_240
PLAYOUTS = 20
# What the names meant when the playouts were pinned: their first revisions.
PINNED = {name: f"{name}@1" if f"{name}@1" in reference.OLDER else name for name in RULE_SETS}
PLAIN = ("keep", "smart", "linear", "noisy")  # play without the compiler too

Record = dict[str, Any]
Choices = dict[str, list[str]]  # by rule set: a hash of the weights, then one of each playout
Pinned = dict[str, Any]  # version, choices


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
    return {name: [record(now, deal) for deal in range(playouts)] for name, now in PINNED.items()}


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


def choices_of(written: str) -> Choices:
    """In each rule set, hashes of the weights and of three playouts in which it plays all seats."""
    found: Choices = {}
    for name, pinned in PINNED.items():
        sizes = simcore.load_rules(pinned).players
        tables = [make_setup(pinned, written, SEED, size) for size in (max(sizes), min(sizes))]
        entrant = tables[0].lineup[0]
        changed: dict[str, float | str] = {
            p.name: value
            for p, value in zip(entrant.strategy.parameters, entrant.params, strict=True)
            if value != p.default
        }
        if entrant.network is not None:
            changed["network"] = entrant.network.hash
        playouts = [replay_setup(tables[deal // 2], deal) for deal in range(3)]
        turns = [[[t["seat"], " ".join(t["cards"])] for t in one.turns] for one in playouts]
        found[name] = [_hash(changed), *map(_hash, turns)]
    return found


def _hash(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:12]


def what_changed(written: str, pinned: Pinned | None, version: int, now: Choices) -> str:
    """What somebody who changed a strategy has to do; "" if it chooses as it is pinned."""
    name = written.split(":")[0]
    if pinned is None:
        return f"{name} is not pinned yet: {UPDATE}"
    for rules, (weights, *hashes) in now.items():
        old_weights, *old_hashes = pinned["choices"].get(rules, [weights, *hashes])
        if hashes != old_hashes and pinned["version"] == version:
            if weights == old_weights:
                return (
                    f"{name} chooses otherwise in {rules}: raise its version and add a line to "
                    f"CHANGELOG, with those of what calls it (version={version + 1}), or mend it"
                )
            return f"the weights of {name} in {rules} changed: a line in CHANGELOG, then {UPDATE}"
    if pinned != {"version": version, "choices": now}:
        return f"the golden data of {name} are those of another version or rule set: {UPDATE}"
    return ""


@pytest.mark.parametrize("name", [*BUILT_IN, NOISY])
def test_golden_choices(name: str, request: pytest.FixtureRequest) -> None:
    """Changing a choice takes a new version: stored runs know a built-in strategy by that."""
    written = WRITTEN.get(name, name)
    version, now = load_strategy(name).version, choices_of(written)
    assert version is not None
    pinned: dict[str, Pinned] = json.loads(BY_STRATEGY.read_text("utf-8"))
    trouble = what_changed(written, pinned.get(name), version, now)
    if UPDATE in trouble and request.config.getoption("--update-golden"):
        pinned[name] = {"version": version, "choices": now}
        BY_STRATEGY.write_text(as_text(pinned), encoding="utf-8")
    elif trouble:
        pytest.fail(trouble)


def as_text(pinned: dict[str, Pinned]) -> str:
    """A line for each strategy and rule set."""
    return (
        json.dumps(pinned, indent=1)
        .replace("[\n    ", "[")
        .replace(',\n    "', ', "')
        .replace("\n   ]", "]")
        + "\n"
    )


def test_a_changed_choice_asks_for_another_version() -> None:
    now = {"douque": ["w", "a", "b", "c"]}
    pinned: Pinned = {"version": 1, "choices": now}
    assert not what_changed("keep", pinned, 1, now)
    other = {"douque": ["w", "a", "b", "d"]}
    for written in ("keep", "noisy:base=dump"):
        said = what_changed(written, pinned, 1, other)
        assert said.startswith(f"{written.split(':')[0]} chooses otherwise in douque")
        assert "raise its version and add a line to CHANGELOG" in said and UPDATE not in said
    assert UPDATE in what_changed("keep", pinned, 2, other)
    assert UPDATE in what_changed("keep", pinned, 2, now)
    assert UPDATE in what_changed("keep", None, 1, now)
    assert UPDATE in what_changed("keep", pinned, 1, now | {"new": ["w", "a", "b", "c"]})
    tuned = what_changed("keep", pinned, 1, {"douque": ["v", "a", "b", "d"]})
    assert UPDATE in tuned and "weights" in tuned


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
        assert record(PINNED[name], deal) == wanted


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
    assert found["choices"] == {name: pinned[name]["choices"] for name in PLAIN}


if __name__ == "__main__":
    from simcore.foundation.jit import JIT

    choices = {name: choices_of(WRITTEN.get(name, name)) for name in PLAIN}
    playouts = records(PLAYOUTS)
    print(json.dumps({"compiled": JIT, "playouts": playouts, "choices": choices}))
