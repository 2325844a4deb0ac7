"""A real Dask scheduler and two real workers on loopback, one of them killed on the way."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from simcore import RunError, simulate
from simcore.runs import planning
from simcore.runs.dask import dask_executor
from tests.command import PATIENCE

LINEUP = "random,lowest,dump,highest"
ROOT = Path(__file__).resolve().parents[1]


class Cluster:
    """Processes and the scheduler's address."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        self._start(
            "scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", self.file
        )
        for i in range(2):
            self._start(
                "worker", "--scheduler-file", self.file, "--nthreads", "1", "--nworkers", "1",
                "--no-nanny", "--no-dashboard", "--host", "127.0.0.1",
                "--local-directory", str(folder / f"worker{i}"),
            )  # fmt: skip

    @property
    def file(self) -> str:
        return str(self.folder / "scheduler.json")

    @property
    def address(self) -> str:
        import json

        for _ in range(10 * PATIENCE):
            if Path(self.file).exists():
                return str(json.loads(Path(self.file).read_text())["address"])
            time.sleep(0.1)
        raise TimeoutError("no scheduler")

    def _start(self, what: str, *options: str) -> None:
        command = [sys.executable, "-m", "distributed.cli.dask_" + what, *options]
        if what == "scheduler":
            command.append("--no-dashboard")
        with (self.folder / f"{what}{len(self.processes)}.log").open("wb") as log:
            self.processes.append(
                subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
            )

    def kill_a_worker(self) -> None:
        self.processes[1].kill()

    def stop(self) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    found = Cluster(tmp_path)
    yield found
    found.stop()


@pytest.mark.parametrize("shared", [False, True])
def test_dask_run_survives_a_killed_worker_and_is_the_same_run(
    cluster: Cluster, tmp_path: Path, shared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "PART_ROWS", 20_000)
    monkeypatch.setattr(planning, "MIN_PART_ROWS", 20_000)
    deals = 150_000
    executor, _ = dask_executor(cluster.address, timeout=PATIENCE)
    killed = False

    def progress(done: int, wanted: int | None) -> None:
        nonlocal killed
        if done > 100_000 and not killed:
            killed = True
            cluster.kill_a_worker()

    out = f"file://{tmp_path}/run" if shared else str(tmp_path / "run")
    run = simulate(
        "douque", LINEUP, deals, seed=2, out=out, executor=executor, threads=2, progress=progress
    )
    assert killed and run.complete
    here = simulate("douque", LINEUP, deals, seed=2)
    stored = pd.read_parquet(tmp_path / "run" / "playouts")
    pd.testing.assert_frame_equal(
        stored.sort_values(["deal", "seating"], ignore_index=True), here.playouts()
    )
    assert run.summary == here.summary


def test_no_scheduler_is_one_sentence() -> None:
    with pytest.raises(RunError, match="no Dask cluster"):
        dask_executor("tcp://127.0.0.1:9", timeout=1)
