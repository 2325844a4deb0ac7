"""Guards what is compiled: which files, what the cache of kernels knows of them, and whose fault it
is when compiled code raises.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import simcore
from simcore.foundation import jit
from simcore.foundation.jit import kernel, keyed_files
from simcore.simulation.asking import Asking
from simcore.simulation.setup import Workspace, make_setup
from simcore.strategies.interface import strategy
from simcore.strategies.registry import Entrant
from tests.test_architecture import ROOT, imports, module_name, sources

NOT_KEYED = {
    "simcore.errors",
    "simcore.html",
    "simcore.plain_data",
}  # kernels are made of nothing in there


def decorators(path: Path) -> set[str]:
    """What a file takes to compile its functions."""
    found = set()
    for line in path.read_text("utf-8").splitlines():
        for place, names in (
            ("from simcore.foundation.jit import ", ("kernel", "inlined")),
            ("from simcore.strategies.interface import ", ("strategy",)),
        ):
            if line.startswith(place):
                found |= {n for n in names if n in line.removeprefix(place).split(", ")}
    return found


def kernel_modules() -> dict[str, Path]:
    return {module_name(path): path for path in sources("simcore") if decorators(path)}


MARK = "# mypy: allow-untyped-defs, "


def test_kernels_and_only_they_are_typed_by_numba_alone() -> None:
    """Their first line says so to mypy, which is strict with all other modules."""
    marked = {
        module_name(path) for path in sources("simcore") if path.read_text("utf-8").startswith(MARK)
    }
    assert marked == kernel_modules().keys()


def test_the_cache_depends_on_every_file_that_kernels_are_made_of() -> None:
    paths = {module_name(path): path for path in sources("simcore")}
    keyed = {module_name(path) for path in keyed_files()}
    reached, waiting = set(), list(kernel_modules())
    while waiting:
        module = waiting.pop()
        if module not in reached and module in paths and module != "simcore":
            reached.add(module)
            waiting += imports(paths[module])
    assert reached - NOT_KEYED <= keyed


ASK = """
import simcore
from simcore.foundation import jit
from simcore.game.turns import pass_locks
from simcore.game.rule_table import rule_table
from simcore.game.ruleset import load_rules
pass_locks(rule_table(load_rules("lockout"))[0], 1)
print(jit.CACHE.name, sum(pass_locks.stats.cache_hits.values()))
"""


def test_comments_and_docstrings_compile_nothing_anew(tmp_path: Path) -> None:
    """A change of the code does; so does a helper in another file."""
    shutil.copytree(ROOT / "simcore", tmp_path / "simcore")

    def ask() -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", ASK], cwd=tmp_path, capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONPATH": str(tmp_path), "BIGTWO_CACHE_DIR": str(tmp_path)},
        )  # fmt: skip
        return done.stdout.split()

    def edit(name: str, old: str, new: str) -> None:
        path = tmp_path / "simcore" / name
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    key, hits = ask()
    assert hits == "0" and ask() == [key, "1"]
    edit("game/turns.py", "import numpy as np", "# Moves every line.\n\nimport numpy as np")
    edit("game/turns.py", "Whether a pass on this", "If a pass on that")
    assert ask() == [key, "1"]
    edit("game/kinds.py", "PASS", "PASS ")  # blanks are no code either
    assert ask() == [key, "1"]
    edit("columns.py", "\n\n\n", "\n\n\nNEW = 1\n")
    assert ask()[0] != key


@kernel
def broken(*arguments):  # type: ignore[no-untyped-def]
    """A kernel with a typo."""
    return arguments[0].lokcs


@strategy
def first(view, plays, n_plays, params, rng):  # type: ignore[no-untyped-def]
    return 0


@strategy
def dividing(view, plays, n_plays, params, rng):  # type: ignore[no-untyped-def]
    return n_plays // (view.turn - view.turn)


def test_a_bug_of_the_engine_is_blamed_on_no_strategy(monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes out as it is: where deals are played, and where play goes on from a turn."""
    setup = make_setup("douque", [Entrant("first", first, ()), "random"], 4, 4, "fixed")
    asking = Asking(setup)
    turn = asking.turns(0, 0)[0]
    monkeypatch.setattr("simcore.simulation.setup.play_deals", broken)
    monkeypatch.setattr("simcore.simulation.setup.play_out", broken)
    with pytest.raises(KeyError, match="lokcs"):
        asking.play(0, 1)
    with pytest.raises(KeyError, match="lokcs"):
        asking.play_from(turn)


def test_a_bug_in_a_strategy_of_the_engine_s_is_the_engine_s() -> None:
    """Compiled as a user's, so that it raises, and marked as one of the engine's own."""
    own = replace(dividing, own=True)
    vars(own)["function"] = dividing.function
    for chosen, error in ((own, ZeroDivisionError), (dividing, simcore.StrategyError)):
        with pytest.raises(error):
            Workspace(make_setup("douque", [Entrant("own", chosen, ()), "random"], 4)).play(0, 1)


def test_a_broken_note_of_a_key_is_written_anew(tmp_path: Path) -> None:
    key = jit._cache_key(tmp_path)
    (note,) = tmp_path.glob("*.key")
    note.write_text("", encoding="ascii")
    assert jit._cache_key(tmp_path) == key == note.read_text("ascii") == jit.CACHE.name
