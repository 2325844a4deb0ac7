"""A run's folder: run.json, the lock, and parts that appear complete or not at all.

results/<name>/run.json                       identity and provenance
results/<name>/playouts/part-A-B.parquet      deals A … B - 1, one row per playout
results/<name>/tallies/part-A-B.json          the same for a summary-only run
results/<name>/set-aside/                     files that were damaged or belong elsewhere
"""

import errno
import fcntl
import json
import os
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from simcore.errors import RunError
from simcore.runs.run import differences, run_id

PART = re.compile(r"part-(\d{15})-(\d{15})\.(parquet|json)$")
METADATA_KEY = b"bigtwo"
ROW_GROUP = 131_072


@dataclass(frozen=True, order=True)
class Part:
    """Deals first … end - 1 of a run, on disk."""

    first: int
    end: int
    path: Path
    summary: dict[str, Any]  # simulation.summary.Summary.as_dict


def part_name(first: int, end: int, suffix: str) -> str:
    """File name of a part; names sort by deal."""
    return f"part-{first:015d}-{end:015d}.{suffix}"


class Store:
    """One run's folder, opened to read (`open`) or, with the lock held, to write (`create`)."""

    def __init__(self, folder: Path, document: dict[str, Any]) -> None:
        self.folder = folder
        self.document = document
        self._lock: IO[str] | None = None

    # ------------------------------------------------------------------ opening

    @classmethod
    def open(cls, folder: str | Path) -> "Store":
        """Open an existing run for reading. Raises RunError."""
        folder = Path(folder)
        file = folder / "run.json"
        if not file.is_file():
            raise RunError(f"{str(folder)!r} holds no run (no run.json); check the folder")
        try:
            document = json.loads(file.read_text("utf-8"))
            assert run_id(document["identity"]) == document["id"]
            assert document["keeps"] in ("playouts", "tallies")
        except (OSError, ValueError, KeyError, TypeError, AssertionError):
            raise RunError(
                f"{str(file)!r} is damaged; restore it from a copy, or use another folder"
            ) from None
        return cls(folder, document)

    @classmethod
    def create(
        cls, folder: str | Path, identity: dict[str, Any], keeps: str, provenance: dict[str, Any]
    ) -> "Store":
        """Open a run's folder for writing: a new one, or one that holds the same run.

        Raises RunError for another run's folder, one in use, or one that cannot be written.
        """
        folder = Path(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            strangers = sorted(p.name for p in folder.iterdir() if p.name != "run.lock")
            if strangers and "run.json" not in strangers:
                raise RunError(
                    f"folder {str(folder)!r} is not empty and holds no run ({strangers[0]!r}, …); "
                    "choose another --out"
                )
            lock = _take_lock(folder)
        except OSError as error:
            raise _unwritable(folder, error) from None
        try:
            if (folder / "run.json").exists():
                store = cls.open(folder)
                store._must_match(identity, keeps)
            else:
                document = {
                    "id": run_id(identity),
                    "keeps": keeps,
                    "identity": identity,
                    **provenance,
                }
                store = cls(folder, document)
                store.write_document()
            store.parts_folder.mkdir(exist_ok=True)
        except OSError as error:
            lock.close()
            raise _unwritable(folder, error) from None
        except BaseException:
            lock.close()
            raise
        store._lock = lock
        return store

    def _must_match(self, identity: dict[str, Any], keeps: str) -> None:
        found = differences(self.document["identity"], identity)
        if found:
            raise RunError(
                f"folder {str(self.folder)!r} holds another run ({'; '.join(found[:3])}); "
                "choose another --out"
            )
        if self.document["keeps"] != keeps:
            raise RunError(
                f"folder {str(self.folder)!r} keeps {self.document['keeps']}, this "
                f"command {keeps}; "
                "change --summary-only, or choose another --out"
            )

    def close(self) -> None:
        """Give the lock back."""
        if self._lock is not None:
            self._lock.truncate(0)
            self._lock.close()
            self._lock = None

    # ------------------------------------------------------------------ files

    @property
    def parts_folder(self) -> Path:
        """Where the parts are."""
        return self.folder / str(self.document["keeps"])

    def write_document(self) -> None:
        """Write run.json."""
        text = json.dumps(self.document, indent=2, ensure_ascii=False)
        _write_whole(self.folder / "run.json", lambda path: path.write_text(text + "\n", "utf-8"))

    def write_playouts(
        self, first: int, end: int, table: pa.Table, summary: dict[str, Any]
    ) -> Part:
        """Write one Parquet part of complete deals. Raises RunError if the disk refuses it."""
        metadata = {METADATA_KEY: json.dumps(self._stamp(first, end, summary))}
        table = table.replace_schema_metadata(metadata)
        encodings = {f.name: "DELTA_BINARY_PACKED" for f in table.schema if f.name == "deal"}

        def write(path: Path) -> None:
            pq.write_table(
                table,
                path,
                row_group_size=ROW_GROUP,
                compression="zstd",
                compression_level=1,
                use_dictionary=[f.name for f in table.schema if f.name != "deal"],
                column_encoding=encodings,
                write_statistics=["deal"],
                write_page_checksum=True,
            )

        return self._write_part(first, end, "parquet", write, summary)

    def write_tally(self, first: int, end: int, summary: dict[str, Any]) -> Part:
        """Write one part of a summary-only run. Raises RunError as `write_playouts`."""
        text = json.dumps(self._stamp(first, end, summary))
        return self._write_part(
            first, end, "json", lambda path: path.write_text(text, "utf-8"), summary
        )

    def _stamp(self, first: int, end: int, summary: dict[str, Any]) -> dict[str, Any]:
        return {"run": self.document["id"], "first": first, "end": end, "summary": summary}

    def _write_part(
        self,
        first: int,
        end: int,
        suffix: str,
        write: Callable[[Path], object],
        summary: dict[str, Any],
    ) -> Part:
        path = self.parts_folder / part_name(first, end, suffix)
        try:
            _write_whole(path, write)
        except OSError as error:
            raise _unwritable(self.folder, error) from None
        return Part(first, end, path, summary)

    # ------------------------------------------------------------------ reading parts

    def parts(self) -> tuple[list[Part], list[str]]:
        """(good parts by deal, a sentence for each file that is none).

        A file that cannot be read, belongs to another run, or holds deals that an earlier part
        holds already, is not counted.
        """
        good: list[Part] = []
        bad: list[str] = []
        if not self.parts_folder.is_dir():
            return good, bad
        for path in sorted(self.parts_folder.iterdir()):
            if path.name.startswith("."):
                continue
            problem, part = self._read_part(path)
            if part is not None and good and part.first < good[-1].end:
                problem, part = f"its deals are in {good[-1].path.name} already", None
            if part is None:
                bad.append(f"{path.name}: {problem}")
            else:
                good.append(part)
        return good, bad

    def _read_part(self, path: Path) -> tuple[str, Part | None]:
        """(problem, None) or ("", part)."""
        match = PART.match(path.name)
        if not match:
            return "not a part of a run", None
        try:
            if path.suffix == ".json":
                stamp = json.loads(path.read_text("utf-8"))
            else:
                metadata = pq.read_metadata(path)
                stamp = json.loads(metadata.metadata[METADATA_KEY])
                if (
                    metadata.num_rows
                    != (stamp["end"] - stamp["first"]) * stamp["summary"]["playouts_per_deal"]
                ):
                    return "its rows are not those that it should hold", None
            if stamp["run"] != self.document["id"]:
                return f"it belongs to run {stamp['run']}", None
            if (stamp["first"], stamp["end"]) != (int(match[1]), int(match[2])):
                return (
                    f"it holds deals {stamp['first']} to {stamp['end'] - 1}, not what its "
                    "name says",
                    None,
                )
            return "", Part(stamp["first"], stamp["end"], path, stamp["summary"])
        except (OSError, ValueError, KeyError, TypeError, pa.ArrowException):
            return "it is damaged", None

    def set_aside(self) -> list[str]:
        """Move every file that is no good part out of the way; returns a sentence for each."""
        notes = []
        for path in sorted(self.parts_folder.glob(".*.tmp")):
            path.unlink()
            notes.append(f"{path.name}: removed, an unfinished write of a process that has ended")
        for problem in self.parts()[1]:
            name = problem.split(":", 1)[0]
            target = self.folder / "set-aside" / name
            target.parent.mkdir(exist_ok=True)
            while target.exists():
                target = target.with_name(target.name + "~")
            (self.parts_folder / name).rename(target)
            notes.append(f"{problem}; moved to {target.relative_to(self.folder)}, not counted")
        return notes


def _write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file under another name, flush it to the disk, then rename it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        write(temporary)
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _unwritable(folder: Path, error: OSError) -> RunError:
    if error.errno == errno.ENOSPC:
        return RunError(
            f"the disk that holds {str(folder)!r} is full; finished parts are kept: free "
            "some space and "
            "run the same command again"
        )
    return RunError(
        f"folder {str(folder)!r} cannot be written: {error.strerror or error}; choose another --out"
    )


def _take_lock(folder: Path) -> IO[str]:
    """Hold the folder's lock, or say who does. The system frees it when its process dies."""
    file = (folder / "run.lock").open("a+", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.seek(0)
        holder = file.read().strip() or "another process"
        file.close()
        raise RunError(
            f"folder {str(folder)!r} is in use by {holder}; wait for it, or choose another --out"
        ) from None
    file.seek(0)
    file.truncate(0)
    file.write(f"pid {os.getpid()} on {socket.gethostname()}")
    file.flush()
    return file
