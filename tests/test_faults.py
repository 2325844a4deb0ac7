"""Runs never lose a result: kills, full disks, damaged and foreign files, two processes at once.

Every fault is followed by the same command again, and the playouts must then be those of a run
that nothing happened to.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from simcore import RunError, simulate
from simcore.runs import planning
from simcore.runs.store import Store
from tests.command import PATIENCE
from tests.victim import LINEUP, STAGES

DEALS = 6000
ROOT = Path(__file__).resolve().parents[1]
KILLS = 25  # seeded random moments


@pytest.fixture(scope="module", autouse=True)
def small_parts() -> Iterator[None]:
    old = planning.PART_ROWS, planning.MIN_PART_ROWS
    planning.PART_ROWS = planning.MIN_PART_ROWS = 800
    yield
    planning.PART_ROWS, planning.MIN_PART_ROWS = old


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """What every run must end as."""
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    simulate("douque", LINEUP, DEALS, seed=5, out=folder)
    return playouts(folder)


def playouts(folder: Path) -> pd.DataFrame:
    """Stored playouts by deal and seating."""
    frame = pd.read_parquet(folder / "playouts")
    return frame.sort_values(["deal", "seating"], ignore_index=True)


def again(folder: Path, deals: int = DEALS) -> list[str]:
    """The same command again; returns its notes."""
    run = simulate("douque", LINEUP, deals, seed=5, out=folder)
    assert run.complete and run.summary.n_deals == deals
    return run.notes


def victim(folder: Path, *where: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tests.victim", str(folder), str(DEALS), *where]
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )


def wait_until_ready(process: "subprocess.Popen[str]") -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"


def n_parts(folder: Path) -> int:
    return len(list((folder / "playouts").glob("part-*.parquet")))


# ------------------------------------------------------------------ kills


def kill_moments() -> list[tuple[str, float]]:
    """Half of the moments by the clock, half inside a write; drawn from one seed."""
    rng = random.Random(20260101)
    clock = [("clock", round(rng.uniform(0.0, 0.4), 3)) for _ in range(KILLS // 2)]
    writes = [(rng.choice(STAGES), rng.randint(1, 28)) for _ in range(KILLS - len(clock))]
    return clock + writes


@pytest.mark.parametrize(("stage", "moment"), kill_moments())
def test_killed_run_is_finished_by_the_same_command(
    tmp_path: Path, undisturbed: pd.DataFrame, stage: str, moment: float
) -> None:
    folder = tmp_path / "run"
    if stage == "clock":
        process = victim(folder)
        wait_until_ready(process)
        time.sleep(moment)
        process.kill()
    else:
        process = victim(folder, stage, str(int(moment)))
        wait_until_ready(process)
    assert process.wait(PATIENCE) in (-signal.SIGKILL, 0)
    before = n_parts(folder) if (folder / "playouts").exists() else 0
    run = simulate("douque", LINEUP, DEALS, seed=5, out=folder)
    pd.testing.assert_frame_equal(playouts(folder), undisturbed)
    assert run.played <= (DEALS - before) * 4, "finished parts were played again"
    assert not list(folder.rglob("*.unfinished"))


# ------------------------------------------------------------------ damaged and foreign files


def one_part(folder: Path) -> Path:
    return sorted((folder / "playouts").glob("part-*.parquet"))[3]


def truncate(part: Path, other: Path) -> None:
    part.write_bytes(part.read_bytes()[:-100])


def flip_a_byte(part: Path, other: Path) -> None:
    data = bytearray(part.read_bytes())
    data[len(data) // 3] ^= 4
    part.write_bytes(data)


def flip_a_byte_of_the_footer(part: Path, other: Path) -> None:
    data = bytearray(part.read_bytes())
    data[-60] ^= 1
    part.write_bytes(data)


def put_another_runs_part_in_its_place(part: Path, other: Path) -> None:
    part.unlink()
    shutil.copy(other, part.parent / other.name)


def copy_it_under_another_range(part: Path, other: Path) -> None:
    shutil.copy(part, part.with_name(part.name.replace("part-0", "part-1", 1)))


def copy_it_as_somebody_would(part: Path, other: Path) -> None:
    shutil.copy(part, part.with_name(f"{part.stem} (copy).parquet"))


def empty_it(part: Path, other: Path) -> None:
    part.write_bytes(b"")


def leave_notes_there(part: Path, other: Path) -> None:
    (part.parent / "notes.txt").write_text("mine")


@pytest.mark.parametrize(
    "damage",
    [
        truncate,
        flip_a_byte,
        flip_a_byte_of_the_footer,
        put_another_runs_part_in_its_place,
        copy_it_under_another_range,
        copy_it_as_somebody_would,
        empty_it,
        leave_notes_there,
    ],
)
def test_bad_file_is_named_set_aside_and_not_counted(
    tmp_path: Path, undisturbed: pd.DataFrame, damage: object
) -> None:
    folder = tmp_path / "run"
    simulate("douque", LINEUP, DEALS, seed=5, out=folder)
    simulate("douque", LINEUP, DEALS, seed=6, out=tmp_path / "other")
    before = {p.name: p.read_bytes() for p in (folder / "playouts").iterdir()}
    damage(one_part(folder), one_part(tmp_path / "other"))  # type: ignore[operator]
    changed = [
        p.name for p in (folder / "playouts").iterdir() if before.get(p.name) != p.read_bytes()
    ]
    assert len(changed) == 1
    with pytest.raises(RunError, match=r"run its command again") as refused:
        Store.open(folder).good_parts()
    assert changed[0] in str(refused.value)
    bad = (folder / "playouts" / changed[0]).read_bytes()
    notes = again(folder)
    assert any(changed[0] in note and "set-aside" in note for note in notes)
    assert (folder / "set-aside" / changed[0]).read_bytes() == bad, "nothing is deleted"
    pd.testing.assert_frame_equal(playouts(folder), undisturbed)


def test_a_part_with_deals_of_two_others_is_not_counted_twice(
    tmp_path: Path, undisturbed: pd.DataFrame
) -> None:
    """The overlapping part is whole and of this run: only its deals give it away."""
    folder, other = tmp_path / "run", tmp_path / "other"
    simulate("douque", LINEUP, DEALS, seed=5, out=folder)
    simulate("douque", LINEUP, 300, seed=5, out=other, first_deal=100)
    for part in (other / "playouts").iterdir():
        shutil.copy(part, folder / "playouts" / part.name)
    notes = again(folder)
    assert any("already" in note for note in notes)
    pd.testing.assert_frame_equal(playouts(folder), undisturbed)


def test_damaged_run_json_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    simulate("douque", LINEUP, 50, seed=5, out=folder)
    text = (folder / "run.json").read_text()
    (folder / "run.json").write_text(text.replace('"seed": 5', '"seed": 6'))
    with pytest.raises(RunError, match=r"run\.json.*damaged"):
        simulate("douque", LINEUP, 50, seed=5, out=folder)


# ------------------------------------------------------------------ two at once


def test_second_process_is_refused_with_pid_and_host(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    code = (
        "import os, time; from simcore.runs.run import identity\n"
        "from simcore.runs.store import Store; from simcore.simulation.setup import make_setup\n"
        f"who = identity(make_setup('douque', {LINEUP!r}, 4))\n"
        f"store = Store.create({str(folder)!r}, who, 'playouts', {{}})\n"
        "print(os.getpid(), flush=True); time.sleep(3600)"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert holder.stdout is not None
        pid = holder.stdout.readline().strip()
        with pytest.raises(RunError, match=rf"in use by pid {pid} on {os.uname().nodename}"):
            simulate("douque", LINEUP, 50, seed=5, out=folder)
    finally:
        holder.kill()
        holder.wait()
    # The holder is dead: its lock is gone with it, and a folder where nothing was played is free.
    again(folder, 50)


def test_stale_lock_of_a_dead_process_is_recovered(
    tmp_path: Path, undisturbed: pd.DataFrame
) -> None:
    folder = tmp_path / "run"
    process = victim(folder, "renamed", "5")
    process.wait(PATIENCE)
    assert "pid" in (folder / "run.lock").read_text()
    again(folder)
    assert (folder / "run.lock").read_text() == ""
    pd.testing.assert_frame_equal(playouts(folder), undisturbed)


def test_lock_of_another_machine_is_respected(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    simulate("douque", LINEUP, 50, seed=5, out=folder)
    (folder / "run.lock").write_text("pid 17 on elsewhere")
    with pytest.raises(RunError, match=r"pid 17 on elsewhere.*remove .*run\.lock"):
        simulate("douque", LINEUP, 50, seed=5, out=folder)


# ------------------------------------------------------------------ disks


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 192 KiB."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=192k", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("mounting a tmpfs needs root")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_full_disk_keeps_finished_parts_and_says_what_to_do(
    small_disk: Path, tmp_path: Path, undisturbed: pd.DataFrame
) -> None:
    folder = small_disk / "run"
    with pytest.raises(RunError, match=r"disk .* is full.*free some space"):
        simulate("douque", LINEUP, DEALS, seed=5, out=folder)
    kept = n_parts(folder)
    assert kept > 2
    assert not list(folder.rglob("*.unfinished"))
    subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk)], check=True)
    again(folder)
    assert n_parts(folder) > kept
    pd.testing.assert_frame_equal(playouts(folder), undisturbed)


def test_read_only_folder_is_one_sentence(small_disk: Path) -> None:
    folder = small_disk / "run"
    simulate("douque", LINEUP, 50, seed=5, out=folder)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(RunError, match="cannot be written: Read-only file system"):
        simulate("douque", LINEUP, 500, seed=5, out=folder)
    assert len(playouts(folder)) == 200, "and it can still be read"


# ------------------------------------------------------------------ stopping


def test_exception_from_the_progress_callback_loses_nothing(
    tmp_path: Path, undisturbed: pd.DataFrame
) -> None:
    folder = tmp_path / "run"

    def interrupt(done: int, wanted: int | None) -> None:
        if done > 4000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate("douque", LINEUP, DEALS, seed=5, out=folder, progress=interrupt)
    assert 0 < len(playouts(folder)) < len(undisturbed)
    again(folder)
    pd.testing.assert_frame_equal(playouts(folder), undisturbed)
