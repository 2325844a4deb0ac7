"""Guards what is handed out: the wheel, installed without extras where nothing else is.

Each Python that the machine has makes an environment of its own, from another folder.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import PATIENCE

ROOT = Path(__file__).resolve().parents[1]
VERSIONS = ("3.11", "3.12", "3.13")


def interpreter(version: str) -> str | None:
    """A Python of this version, if the machine has one that starts."""
    if version == f"{sys.version_info.major}.{sys.version_info.minor}":
        return sys.executable
    homes = Path.home().glob(f".pyenv/versions/{version}.*/bin/python")
    for found in (shutil.which(f"python{version}"), *map(str, homes)):
        if found and subprocess.run([found, "-c", ""], capture_output=True).returncode == 0:
            return found
    return None


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    tree = out / "tree"  # building leaves a folder behind
    for name in ("simcore", "cli", "analyses"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, tree / name)
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(out), str(tree)]
    subprocess.run(command, check=True, timeout=PATIENCE)
    (found,) = out.glob("*.whl")
    return found


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
def test_the_wheel_answers_from_another_folder(version: str, wheel: Path, tmp_path: Path) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"no Python {version} here")
    subprocess.run([python, "-m", "venv", str(tmp_path / "env")], check=True, timeout=PATIENCE)
    within = tmp_path / "env" / "bin"
    install = [str(within / "python"), "-m", "pip", "install", "-q", str(wheel)]
    subprocess.run(install, check=True, timeout=PATIENCE)
    away = tmp_path / "elsewhere"
    away.mkdir()
    environment = {**os.environ, "BIGTWO_CACHE_DIR": str(tmp_path / "cache")}
    environment.pop("PYTHONPATH", None)

    def bigtwo(words: str, status: int = 0) -> str:
        done = subprocess.run(
            [str(within / "bigtwo"), *words.split()], cwd=away, env=environment,
            capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
        assert done.returncode == status, f"{words}: {done.stderr}"
        return done.stdout + done.stderr

    assert "royal" in bigtwo("rules list")
    bigtwo("simulate --lineup net,control,dump,random --deals 200 --out run")
    assert "net" in bigtwo("runs show run --check")
    bigtwo("runs verify run --sample 20")
    bigtwo("analyse rare run")
    bigtwo("analyse session run")
    bigtwo("compare dump keep --deals 50")
    bigtwo("rate dump keep --deals 50")
    bigtwo("compare-rules douque royal --lineup dump --deals 50")
    bigtwo("decide --rules royal --strategy net --hand 3d --cards-left 1,2,3,4")
    bigtwo("evaluate --rules royal --hand 3d,9s --cards-left 2,2,3,4 --samples 50")
    bigtwo("records write run --deals 0:2 --out hands.jsonl")
    bigtwo("records check hands.jsonl")
    bigtwo("replay run --deal 1")
    bigtwo("strategies show net")
    assert "'bigtwo-lab[report]'" in bigtwo("report run", 2)
