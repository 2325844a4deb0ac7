"""The lock of a place without locks: an object store, played by files below a folder."""

import random
import threading
import time
from pathlib import Path
from typing import Any

import pyarrow.fs as pafs
import pytest

from simcore import RunError, simulate
from simcore.runs import storage
from simcore.runs.store import LOCK, Store

PLACE = "s3://bucket/run"


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that stands for the bucket."""

    class Remote:
        """What pyarrow does, without a claim to be local."""

        @staticmethod
        def from_uri(place: str) -> tuple[Any, str]:
            assert place == PLACE
            return pafs.SubTreeFileSystem(str(tmp_path), pafs.LocalFileSystem()), "run"

    monkeypatch.setattr(storage.pafs, "FileSystem", Remote)
    return tmp_path / "run"


def create() -> Store:
    return Store.create(PLACE, {"seed": 1}, "playouts", {})


def marks(bucket: Path) -> list[str]:
    return sorted(path.name for path in bucket.iterdir() if path.name.startswith(LOCK))


def test_a_run_holds_its_mark_and_gives_it_back(bucket: Path) -> None:
    seen: list[list[str]] = []
    run = simulate(
        "douque", "dump", 50, out=PLACE, threads=1, progress=lambda *_: seen.append(marks(bucket))
    )
    assert run.complete and seen and all(len(found) == 1 for found in seen)
    assert marks(bucket) == []
    assert simulate("douque", "dump", 80, out=PLACE, threads=1).played == 30


def test_of_three_at_once_never_two_go_on(bucket: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever stands between a look and a write."""
    rng = random.Random(5)
    write, names = storage.Storage.write, storage.Storage.names

    def late_write(self: storage.Storage, name: str, data: bytes) -> None:
        time.sleep(rng.uniform(0, 0.02))
        write(self, name, data)

    def late_names(self: storage.Storage, folder: str = "") -> list[str]:
        found = names(self, folder)
        time.sleep(rng.uniform(0, 0.02))
        return found

    monkeypatch.setattr(storage.Storage, "write", late_write)
    monkeypatch.setattr(storage.Storage, "names", late_names)
    won = 0
    for _ in range(4):
        inside, most, refused = [0], [0], []

        def enter() -> None:
            try:
                store = create()
            except RunError as error:
                refused.append(str(error))  # noqa: B023
                return
            inside[0] += 1  # noqa: B023
            most[0] = max(most[0], inside[0])  # noqa: B023
            time.sleep(1)
            inside[0] -= 1  # noqa: B023
            store.close()

        threads = [threading.Thread(target=enter) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert most[0] <= 1
        won += most[0]
        assert all("is in use by pid" in text and LOCK in text for text in refused)
        assert marks(bucket) == []
    assert won >= 3, "the tries are there so that one goes on"


def test_a_mark_that_was_left_is_named(bucket: Path) -> None:
    """Also one of the first version, which had no token."""
    for name in (LOCK, f"{LOCK}.0123"):
        store = create()
        store.close()
        (bucket / name).write_text("pid 17 on elsewhere", "utf-8")
        with pytest.raises(RunError, match=rf"in use by pid 17 on elsewhere.*remove run/{name}\)"):
            create()
        assert marks(bucket) == [name]
        (bucket / name).unlink()
