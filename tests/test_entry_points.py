"""Guards strategies that installed packages bring: the example package, and a broken one."""

import json
import os
import tomllib
from pathlib import Path

import pytest

from tests.command import PATIENCE, script, stored

PACKAGE = Path(__file__).parent / "example_package"


def install(target: Path, source: str, entry_points: dict[str, str], name: str) -> None:
    """What an installer does with a package of one module: the module, and its metadata."""
    (target / f"{name}.py").write_text(source, "utf-8")
    info = target / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", "utf-8")
    lines = ["[bigtwo.strategies]", *(f"{key} = {value}" for key, value in entry_points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines), "utf-8")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with the example package installed."""
    target = tmp_path / "site"
    target.mkdir()
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text("utf-8"))
    (module,) = project["tool"]["setuptools"]["py-modules"]
    source = (PACKAGE / f"{module}.py").read_text("utf-8")
    install(target, source, project["project"]["entry-points"]["bigtwo.strategies"], module)
    return target


def bigtwo(site: Path, *arguments: object) -> tuple[int, str, str]:
    """Run the command where that folder is among the installed packages."""
    done = script(*arguments, env={**os.environ, "PYTHONPATH": str(site)})
    return done.returncode, done.stdout, done.stderr


def test_a_strategy_of_a_package_is_listed_and_played(site: Path, tmp_path: Path) -> None:
    status, out, err = bigtwo(site, "strategies", "list")
    assert status == 0 and err == ""
    assert "\npatient " in out and "Lead the weakest play" in out
    status, out, err = bigtwo(
        site, "simulate", "--lineup", "patient,patient:patience=2,dump,random", "--deals", 50,
        "--out", tmp_path / "run", "--json",
    )  # fmt: skip
    assert status == 0, err
    found = json.loads(out)
    assert found["lineup"] == ["patient", "patient:patience=2", "dump", "random"]
    assert len(stored(tmp_path / "run")) == 200
    status, out, err = bigtwo(
        site,
        "strategies",
        "check",
        "patient",
        "--rules",
        "douque",
        "--decision-limit",
        f"{PATIENCE}s",
    )
    assert status == 0, out
    status, out, err = bigtwo(tmp_path, "strategies", "list")
    assert status == 0 and "patient" not in out, "it is not installed there"


def test_a_broken_package_does_not_hide_the_others(site: Path) -> None:
    install(site, "import no_such_module\n", {"broken": "broken_bigtwo:bot"}, "broken_bigtwo")
    status, out, err = bigtwo(site, "strategies", "list")
    assert status == 0 and "\npatient " in out and "broken" not in out
    assert "broken is installed, but cannot be played" in err and "no_such_module" in err
    status, out, err = bigtwo(site, "simulate", "--lineup", "broken", "--deals", 5)
    assert status == 2 and err.count("\n") == 1 and "no_such_module" in err
