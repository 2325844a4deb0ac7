"""Guards the structure: imports go down only, one place configures the compiler, files stay short.

And what a strategy must not know: cards that it has not seen change none of its choices.
"""

import ast
import random
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import simcore
from tests import reference_playout
from tests.support import RULE_SETS, play_hands, reference

ROOT = Path(__file__).resolve().parents[1]
LONGEST_FILE = 400

# Low to high; a room may import itself and every room before it. `simcore` itself, the public
# face, holds two version numbers, and imports whatever else it shows on first use.
ROOMS = [
    "simcore",
    "simcore.errors",
    "simcore.packages",
    "simcore.command",
    "simcore.plain_data",
    "simcore.foundation",
    "simcore.game",
    "simcore.columns",
    "simcore.strategies",
    "simcore.simulation",
    "simcore.rulebook",
    "simcore.settlement",
    "simcore.described",
    "simcore.decision",
    "simcore.env",
    "simcore.worths",
    "simcore.evaluation",
    "simcore.runs",
    "simcore.records",
    "simcore.blunders",
    "simcore.reviewing",
    "simcore.samples",
    "simcore.workshop",
    "analyses",
    "cli",
]
ANALYSES_MAY_READ = (
    "simcore.samples.measures",
    "simcore.columns",
    "simcore.game.kinds",
    "simcore.game.rule_format",
    "simcore.game.ruleset",
    "simcore.runs.reading",
    "simcore.samples.scores",
    "simcore.runs.store",
    "simcore.runs.summary",
    "simcore.runs.turn_parts",
    "simcore.records",
    "simcore.blunders",
    "simcore.reviewing",
    "simcore.errors",
    "simcore.game.cards",
    "simcore.renamed",
    "simcore.statistics",
    "analyses",
)

# `analyses.played` plays what is to be compared; what it needs for that it imports when it does.
MAY_PLAY = (
    "simcore.samples.matches",
    "simcore.samples.rule_variants",
    "simcore.samples.dealt",
    "simcore.simulation.setup",
    "simcore.strategies.registry",
    "simcore.runs.stopping",
)


def sources(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_within(module: str, room: str) -> bool:
    return module == room or module.startswith(f"{room}.")


def room_of(module: str) -> str:
    """The room of a module of the project."""
    return max((room for room in ROOMS if is_within(module, room)), key=len)


@cache
def is_module(name: str) -> bool:
    place = ROOT.joinpath(*name.split("."))
    return place.with_suffix(".py").is_file() or place.is_dir()


def imports(path: Path, typing_too: bool = False) -> Iterator[str]:
    """Names of the modules that a file imports, at its top or inside a function."""
    tree = ast.parse(path.read_text("utf-8"))
    skipped = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            skipped.update(id(inner) for part in node.body for inner in ast.walk(part))
    for node in ast.walk(tree):
        if id(node) in skipped and not typing_too:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            for alias in node.names:
                inner = f"{module}.{alias.name}"
                own = module.split(".")[0] in ("simcore", "analyses", "cli")
                yield inner if own and is_module(inner) else module


@pytest.mark.parametrize("path", sources("simcore", "analyses", "cli"), ids=module_name)
def test_imports_go_down_only(path: Path) -> None:
    own = room_of(module_name(path))
    allowed = ROOMS[: ROOMS.index(own) + 1]
    for module in imports(path):
        if module.split(".")[0] in ("simcore", "analyses", "cli"):
            assert room_of(module) in allowed, f"{module_name(path)} imports {module}"


@pytest.mark.parametrize("path", sources("analyses"), ids=module_name)
def test_analyses_read_schema_store_and_summaries_only(path: Path) -> None:
    for module in imports(path, typing_too=True):
        assert module.split(".")[0] not in ("numba", "llvmlite", "cli")
        if module.split(".")[0] in ("simcore", "analyses"):
            # and the public face, which brings the compiler only when something is played
            readable = ANALYSES_MAY_READ + (MAY_PLAY if path.name == "played.py" else ())
            allowed = module == "simcore" or any(is_within(module, r) for r in readable)
            assert allowed, module


def test_commands_do_not_import_from_other_commands() -> None:
    """A module that the command line is made of is imported by `cli.main` alone."""
    shared = {"cli.output"}
    commands = {m for m in imports(ROOT / "cli" / "main.py") if m.startswith("cli.")} - shared
    assert "cli.simulate" in commands
    for path in sources("simcore", "analyses", "cli"):
        if module_name(path) != "cli.main":
            assert not commands & set(imports(path, typing_too=True)), path


def test_analyses_never_load_the_compiler() -> None:
    """Not through anything that they import either."""
    modules = [module_name(path) for path in sources("analyses")]
    code = f"import sys, {', '.join(modules)}; sys.exit('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_importing_simcore_does_not_load_the_compiler() -> None:
    code = "import sys, simcore; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_every_public_name_is_there() -> None:
    assert set(simcore.__all__) == {*simcore._HOME, "analyses"}
    assert set(simcore.__all__) <= set(dir(simcore))
    for name in simcore.__all__:
        assert getattr(simcore, name).__name__ == name
    with pytest.raises(AttributeError, match="did you mean payoffs"):
        simcore.payoff  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        getattr(simcore, "nothing_of_the_kind")  # noqa: B009


def test_only_one_file_calls_the_compiler() -> None:
    """numba.njit, numba.jit and the like stand in foundation/jit.py alone."""
    callers = set()
    for path in sources("simcore", "analyses", "cli", "tests"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = set()
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                names = {node.attr} if node.value.id == "numba" else set()
            elif isinstance(node, ast.ImportFrom) and node.module == "numba":
                names = {alias.name for alias in node.names}
            if names & {"njit", "jit", "vectorize", "guvectorize", "cfunc", "stencil"}:
                callers.add(module_name(path))
    assert callers == {"simcore.foundation.jit"}


def test_the_engine_has_no_other_source_of_chance() -> None:
    """No kernel or game module imports a generator of random numbers."""
    for path in sources("simcore"):
        own = room_of(module_name(path))
        if own in ROOMS[ROOMS.index("simcore.foundation") : ROOMS.index("simcore.described")]:
            assert not {"random", "secrets", "numpy.random"} & set(imports(path)), path
            assert "np.random" not in path.read_text("utf-8"), path


def test_the_reference_is_independent_of_the_package() -> None:
    for name in ("reference.py", "reference_rules.py", "reference_playout.py"):
        for module in imports(ROOT / "tests" / name):
            top = module.split(".")[0]
            own = module in ("tests.reference", "tests.reference_rules")
            assert top in sys.stdlib_module_names or own


@pytest.mark.parametrize("path", sources("simcore", "analyses", "cli", "tests"), ids=module_name)
def test_files_stay_short(path: Path) -> None:
    lines = len(path.read_text("utf-8").splitlines())
    assert lines <= LONGEST_FILE, f"{lines} lines"


# Hidden cards


@pytest.mark.parametrize("name", RULE_SETS)
@pytest.mark.parametrize(
    "lineup",
    [
        "lowest,highest,dump,timeout",
        "keep,minplays,smart,control:solve=10:draws=4",
        "linear,rollout:samples=12,noisy:base=linear,net",
    ],
)
def test_unseen_cards_change_no_choice(name: str, lineup: str) -> None:
    """Two opponents exchange cards that they still hold when a seat chooses: it chooses the same.

    As long as both playouts were the same until then, so that the seat has seen the same. What
    draws at random draws the same numbers, so its choice is the same too, not only its odds.
    """
    rules = reference.RULES[name]
    rng = random.Random(f"{name} {lineup}")
    compared = tried = 0
    while compared < 20:
        tried += 1
        assert tried < 600
        deck = reference.full_deck(rules)
        rng.shuffle(deck)
        hands = [deck[13 * seat : 13 * seat + 13] for seat in range(4)]
        opening = reference_playout.opening_card_in_play(rules, hands)
        starter = next(seat for seat in range(4) if opening in hands[seat])
        must_include = opening if rules.opening_must_include else None
        turns = play_hands(name, hands, starter, must_include, lineup).turns
        at = rng.randrange(len(turns))
        seat = turns[at][0]
        one, other = rng.sample([s for s in range(4) if s != seat], 2)
        gone = {card for _, played, _ in turns[:at] for card in played} | {opening}
        mine = [card for card in hands[one] if card not in gone]
        theirs = [card for card in hands[other] if card not in gone]
        number = min(len(mine), len(theirs), rng.choice((1, 1, 2, 13)))
        given, taken = rng.sample(mine, number), rng.sample(theirs, number)
        changed = [list(hand) for hand in hands]
        changed[one] = [card for card in hands[one] if card not in given] + taken
        changed[other] = [card for card in hands[other] if card not in taken] + given
        again = play_hands(name, changed, starter, must_include, lineup).turns
        if number and again[:at] == turns[:at]:
            assert again[at] == turns[at]
            compared += 1
