"""Guards the front door: help, versions, examples, names in Python, packages of the user's."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main

import simcore
from cli.examples import EXAMPLES, GROUPS
from cli.main import COMMANDS, app
from cli.options import read_count
from simcore.packages import ROOT
from simcore.strategies.source import source_hash
from tests.command import PATIENCE, data, line, refuse


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1000", 1000), ("1e6", 10**6), ("2m", 2 * 10**6), ("500k", 500_000), ("1.5k", 1500),
        ("1,000,000", 10**6), ("1_000", 1000), ("2.5", None), ("1e-3", None), ("", None),
        ("many", None), ("1e30", None), ("-3", -3), ("0.5e1", 5), ("9" * 60, None),
    ],
)  # fmt: skip
def test_counts_as_people_write_them(text: str, number: int | None) -> None:
    assert read_count(text) == number


def test_a_count_that_is_none_is_refused() -> None:
    refuse(line("simulate --lineup dump --deals many"), "'many' is no whole number", "2m or 1e6")
    refuse(line("compare dump keep --deals 0"), "less than 1", "see bigtwo compare --help")


def test_a_count_is_what_it_says() -> None:
    assert data("simulate --lineup dump --deals 0.1k")["deals"] == 100


def test_versions() -> None:
    found = line("--version")
    assert found.status == 0 and found.out.startswith(f"bigtwo {simcore.__version__} ")


def test_every_command_is_in_one_group() -> None:
    listed = [name for names in GROUPS.values() for name in names]
    assert sorted(listed) == sorted(COMMANDS)
    shown = line("-h").out
    assert all(name in shown for name in (*listed, *GROUPS, "For example"))


def _leaves(command, name: str = ""):  # type: ignore[no-untyped-def]
    inner = getattr(command, "commands", None)
    if not inner:
        yield name, command
    for word, each in (inner or {}).items():
        yield from _leaves(each, f"{name} {word}".strip())


LEAVES = dict(_leaves(typer.main.get_command(app)))


@pytest.mark.parametrize("name", LEAVES)
def test_help_shows_two_examples(name: str) -> None:
    result = line(f"{name} -h")
    assert result.status == 0
    if name in EXAMPLES or name.startswith("analyse "):
        assert result.out.count(f"bigtwo {name} ") + result.out.count(f"bigtwo {name}\n") >= 2


@pytest.mark.parametrize("example", [e for both in EXAMPLES.values() for e in both])
def test_examples_are_commands(example: str) -> None:
    """Every option of theirs is there; nothing is run."""
    import shlex

    words = shlex.split(example)
    name = next(n for n in (" ".join(words[:2]), words[0]) if n in LEAVES)
    context = LEAVES[name].make_context(name, words[len(name.split()) :])
    assert context.params


@pytest.mark.parametrize(
    ("command", "own"),
    [
        ("runs show", "bigtwo runs show"),
        ("simulate --lineup", "bigtwo simulate"),
        ("analyse rare --foo x", "bigtwo analyse rare"),
        ("nonsense", "bigtwo"),
    ],
)
def test_a_usage_error_points_to_its_own_help(command: str, own: str) -> None:
    refuse(line(command), f"see {own} --help")


def test_a_reader_that_goes_is_no_error(tmp_path: Path) -> None:
    line("simulate --lineup dump,keep --deals 200 --out {out}", out=tmp_path / "r")
    for form in ("", "--json", "--csv"):
        code = f"{sys.executable} -m simcore.command analyse distributions {tmp_path / 'r'} {form}"
        done = subprocess.run(
            f"({code}; echo $? >&2) | head -c 10", shell=True, capture_output=True, text=True,
            timeout=PATIENCE, cwd=ROOT, check=False,
        )  # fmt: skip
        assert done.stderr.strip() == "0"


def test_a_report_on_the_folder_of_a_comparison(tmp_path: Path) -> None:
    line("compare dump keep random --tables 2v2 --deals 40 --out {out}", out=tmp_path / "c")
    page = tmp_path / "page.md"
    assert line("report {c} --deals 0 -o {page}", c=tmp_path / "c", page=page).status == 0
    assert page.read_text("utf-8").count("\n## ") >= 3


def test_markdown_needs_no_plotting_packages(tmp_path: Path) -> None:
    """And a page says what is missing before it reads anything."""
    line("simulate --lineup dump,keep --deals 40 --out {out}", out=tmp_path / "r")
    without = "import sys; sys.modules['altair'] = sys.modules['vl_convert'] = None; "
    code = f"{without}from cli.main import run; sys.exit(run(sys.argv[1:]))"

    def report(*more: str) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "-c", code, "report", "r", "--deals", "0", *more]
        return subprocess.run(
            words, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip

    assert report("-o", "r.md").returncode == 0
    assert "dump" in (tmp_path / "r.md").read_text("utf-8")
    refused = report("-o", "r.html")
    assert refused.returncode == 2 and "pip install '.[report]'" in refused.stderr
    assert not (tmp_path / "r.html").exists()


# --------------------------------------------------------------------------- Python


def test_functions_do_what_commands_do(tmp_path: Path) -> None:
    """The same names, arguments and figures."""
    played = simcore.compare(["dump", "keep"], deals=200, rules="royal", seed=3)
    shown = data("compare dump keep --deals 200 --rules royal --seed 3")
    assert played.deals == shown["deals"] == 200
    assert played.verdict == shown["verdict"]
    assert played.scores["estimate"].round(9).tolist() == [
        round(row["estimate"], 9) for row in shown["scores"]
    ]
    rated = simcore.rate(["dump", "keep", "random"], deals=100, seed=1)
    shown = data("rate dump keep random --deals 100 --seed 1")
    assert rated.ratings["strategy"].tolist() == [row["strategy"] for row in shown["ratings"]]
    rules = simcore.compare_rules(["douque", "royal"], "dump", deals=100)
    shown = data("compare-rules douque royal --lineup dump --deals 100")
    assert len(rules.measures) == len(shown["measures"])
    assert [setup.rules.name for setup in rules.setups] == shown["rules"]


def test_tables_take_a_folder_a_run_and_a_summary(tmp_path: Path) -> None:
    run = simcore.simulate("douque", "dump,keep", 60, seed=1, out=tmp_path / "r")
    own = simcore.analyses
    for make in (own.strategy_table, own.seat_table, own.differences):
        whole = make(run)
        assert whole.equals(make(str(tmp_path / "r"))) and whole.equals(make(run.summary))
    found = simcore.verify(run)
    assert found.deals == 60
    assert simcore.export(str(tmp_path / "r"), "csv", tmp_path / "r.csv").is_file()
    assert "<html" in simcore.report([str(tmp_path / "r")])


def test_what_a_notebook_shows() -> None:
    run = simcore.simulate("douque", "dump,keep", 20, seed=1)
    assert repr(run) == "<Run douque: dump,keep,dump,keep; 20 deals, in memory>"
    shown = simcore.decide("douque", "dump", "3c 3d 5h")._repr_html_()
    assert shown.count("played") == 1 and "3c 3d" in shown


def test_packages_of_the_user_break_nothing(tmp_path: Path) -> None:
    """A cli.py, an analyses/ and a tests/ of theirs beside them, on the path before ours."""
    (tmp_path / "cli.py").write_text("raise SystemExit('theirs')\n", "utf-8")
    for name in ("analyses", "tests"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("mine = 7\n", "utf-8")
    line("simulate --lineup dump,keep --deals 20 --out {out}", out=tmp_path / "r")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}

    def run(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, *words], cwd=tmp_path, env=environment, capture_output=True, text=True,
            timeout=PATIENCE, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "douque" in run("-m", "simcore.command", "rules", "list")
    assert "dump" in run("-m", "simcore.command", "analyse", "means", "r")
    code = (
        "import analyses, simcore; assert analyses.mine == 7; "
        "print(simcore.analyses.strategy_table('r').strategy.tolist()); "
        "print(simcore.compare(['dump', 'keep'], deals=40).verdict); assert analyses.mine == 7"
    )
    assert "['dump', 'keep']" in run("-c", code)
    code = "import simcore; print(simcore.analyses.quantiles('r').shape[0] > 0); import analyses"
    assert "True" in run("-c", code)


@pytest.mark.parametrize("plain", [True, False])
def test_a_strategy_file_imports_its_neighbours(tmp_path: Path, plain: bool) -> None:
    """And is known by them too: another helper is another strategy."""
    head = "" if plain else "from simcore import strategy\nfrom simcore.foundation import jit\n"
    own = "def bot(position):\n    return pick(position.plays)\n"
    if not plain:
        own = "@strategy\ndef bot(view, plays, n_plays, params, rng):\n    return pick(n_plays)\n"
    helper = "def pick(plays):\n    return plays[0]\n"
    if not plain:
        helper = "import numba\n\n@numba.njit\ndef pick(n):\n    return 0 * n\n"
    (tmp_path / "bot.py").write_text(f"{head}from helper_{plain} import pick\n\n{own}", "utf-8")
    file = tmp_path / f"helper_{plain}.py"
    file.write_text(helper, "utf-8")
    before = source_hash(tmp_path / "bot.py")
    found = data("simulate --lineup {bot}:bot,dump --deals 4 --seed 1", bot=tmp_path / "bot.py")
    assert found["complete"]
    file.write_text(helper + "\n# changed\n", "utf-8")
    assert source_hash(tmp_path / "bot.py") != before
    (tmp_path / "alone.py").write_text("import json\n", "utf-8")
    whole = hashlib.sha256((tmp_path / "alone.py").read_bytes()).hexdigest()[:16]
    assert source_hash(tmp_path / "alone.py") == whole
