"""A real Dask scheduler and two real workers on loopback, one of them killed on the way."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest

from simcore import RunError, simulate
from simcore.runs import dask, planning
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
        for _ in range(2):
            self.start_worker()

    def start_worker(self) -> None:
        self._start(
            "worker", "--scheduler-file", self.file, "--nthreads", "1", "--nworkers", "1",
            "--no-nanny", "--no-dashboard", "--host", "127.0.0.1",
            "--local-directory", str(self.folder / f"worker{len(self.processes)}"),
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

    def start_scheduler_again(self, missed: Callable[[], bool]) -> None:
        """At the same address once the old one is missed, with a worker of its own."""
        address = self.address
        for process in self.processes:
            process.kill()
            process.wait()
        while not missed():
            time.sleep(0.1)
        port = address.rpartition(":")[2]
        Path(self.file).unlink()
        self._start(
            "scheduler", "--host", "127.0.0.1", "--port", port, "--scheduler-file", self.file
        )
        self.start_worker()

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


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "PART_ROWS", 8_000)
    monkeypatch.setattr(planning, "MIN_PART_ROWS", 8_000)


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


def test_a_scheduler_that_is_started_again_gets_the_rest(
    cluster: Cluster, tmp_path: Path, small_parts: None
) -> None:
    """Who waits is told at once for what."""
    executor, _ = dask_executor(cluster.address, timeout=PATIENCE)
    killed = False

    def progress(done: int, wanted: int | None) -> None:
        nonlocal killed
        if done > 20_000 and not killed:
            killed = True
            cluster.start_scheduler_again(lambda: executor.waiting()[0] != "")

    with pytest.warns(RuntimeWarning) as said:
        run = simulate(
            "douque", LINEUP, 50_000, seed=2, out=tmp_path / "run", executor=executor, threads=2,
            progress=progress,
        )  # fmt: skip
    words = [str(warning.message) for warning in said]
    assert any("waiting for" in text and cluster.address in text for text in words)
    assert any("is there again" in text for text in words)
    assert run.complete and run.summary == simulate("douque", LINEUP, 50_000, seed=2).summary


def test_without_workers_a_run_gives_up_and_keeps_its_parts(
    cluster: Cluster, tmp_path: Path, small_parts: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask, "WAIT_LIMIT", 5.0)
    executor, _ = dask_executor(cluster.address, timeout=PATIENCE)
    killed: list[float] = []

    def progress(done: int, wanted: int | None) -> None:
        if done > 20_000 and not killed:
            for process in cluster.processes[1:]:
                process.kill()
            killed.append(time.monotonic())

    with (
        pytest.warns(RuntimeWarning, match="waiting for a worker of the Dask scheduler"),
        pytest.raises(RunError, match=r"waited 5 seconds for a worker .*the same command again"),
    ):
        simulate(
            "douque", LINEUP, 50_000, seed=2, out=tmp_path / "run", executor=executor, threads=2,
            progress=progress,
        )  # fmt: skip
    kept = len(pd.read_parquet(tmp_path / "run" / "playouts"))
    assert kept >= 20_000
    run = simulate("douque", LINEUP, 50_000, seed=2, out=tmp_path / "run")
    assert run.played == 200_000 - kept
    assert run.summary == simulate("douque", LINEUP, 50_000, seed=2).summary


def test_no_scheduler_is_one_sentence() -> None:
    with pytest.raises(RunError, match="no Dask cluster"):
        dask_executor("tcp://127.0.0.1:9", timeout=1)
