"""A run's folder: run.json, the lock, and its parts.

results/<name>/run.json                         identity and provenance
results/<name>/playouts/part-A-B-CRC.parquet    deals A … B - 1, one row per playout
results/<name>/tallies/part-A-B-CRC.json        the same for a summary-only run
results/<name>/seatings.parquet                 who sits where, for joins; not part of the run
results/<name>/set-aside/                       files that were damaged or belong elsewhere
"""

import os
import random
import secrets
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import portalocker
import pyarrow as pa
import pyarrow.parquet as pq

from simcore.columns import FORMAT
from simcore.errors import RunError
from simcore.plain_data import Unreadable
from simcore.runs import document
from simcore.runs.parts import MOST_BYTES, Expected, Part, by_deal, decode
from simcore.runs.planning import merged, missing
from simcore.runs.run import differences, run_id
from simcore.runs.schema import seatings_table
from simcore.runs.storage import TEMPORARY, NoFile, Storage

LOCK = "run.lock"  # in an object store: run.lock.TOKEN, one for each who wants it
LOCK_TRIES = 4
SEATINGS = "seatings.parquet"


def _is_ours(name: str) -> bool:
    """Whether a file may be in a folder in which no run was begun yet."""
    return name == LOCK or name.startswith(f"{LOCK}.") or TEMPORARY in name


class Store:
    """One run's folder, opened to read (`open`) or, with the lock held, to write (`create`)."""

    def __init__(self, storage: Storage, document: dict[str, Any]) -> None:
        self.storage = storage
        self.document = document
        self._lock: IO[str] | None = None
        self._mark = ""  # its name in an object store

    # ------------------------------------------------------------------ opening

    @classmethod
    def open(cls, place: str | Path) -> "Store":
        """Open an existing run for reading. Raises RunError."""
        storage = Storage(place)
        try:
            if "run.json" not in storage.names():
                raise RunError(f"{str(place)!r} holds no run (no run.json); check the folder")
            return cls(storage, document.decode(storage.read("run.json", document.MOST_BYTES)))
        except OSError as error:
            raise RunError(
                f"{storage.path('run.json')!r} cannot be read ({error.strerror or error}); "
                "see to the folder, or use another"
            ) from None
        except (NoFile, Unreadable) as error:
            raise RunError(
                f"{storage.path('run.json')!r} is damaged: {error}; restore it from a copy, or use "
                "another folder"
            ) from None

    @classmethod
    def create(
        cls,
        place: str | Path,
        identity: dict[str, Any],
        keeps: str,
        provenance: dict[str, Any],
        form: int = FORMAT,
    ) -> "Store":
        """Open a run's folder for writing: a new one, or one that holds the same run.

        form: the format of a new one; one that is there keeps its own.

        Raises RunError for another run's folder, one in use, or one that cannot be written.
        """
        storage = Storage(place)
        store = cls(storage, {})
        try:
            storage.make_folder()
            strangers = [name for name in storage.names() if not _is_ours(name)]
            if strangers and "run.json" not in strangers:
                raise RunError(
                    f"folder {storage.place!r} is not empty and holds no run "
                    f"({strangers[0]!r}, …); "
                    "choose another --out"
                )
            store._take_lock()
        except OSError as error:
            store.close()
            raise storage.failure(error) from None
        try:
            if store._has_parts():
                store.document = cls.open(place).document
            else:
                store.document = {
                    "format": form, "id": run_id(identity), "keeps": keeps, "identity": identity,
                    **provenance,
                }  # fmt: skip
                store.write_document()
            store._must_match(identity, keeps)
            storage.make_folder(keeps)
            store._write_seatings(new=not store._has_parts())
        except OSError as error:
            store.close()
            raise storage.failure(error) from None
        except BaseException:
            store.close()
            raise
        return store

    def _write_seatings(self, new: bool) -> None:
        """Say who sits where in a file of its own, no part of the run, for those who join."""
        who = self.document["identity"]
        lineup = [entrant["name"] for entrant in who.get("lineup", ())]
        there = not new and SEATINGS in self.storage.names()
        if there or not lineup or self.keeps != "playouts":
            return
        sink = pa.BufferOutputStream()
        pq.write_table(seatings_table(lineup, who["players"]), sink)
        self.storage.write(SEATINGS, sink.getvalue().to_pybytes())

    def _has_parts(self) -> bool:
        """Whether anything was played: a folder without parts may become another run's."""
        return bool(self.storage.names("playouts") or self.storage.names("tallies"))

    def _must_match(self, identity: dict[str, Any], keeps: str) -> None:
        found = differences(self.document["identity"], identity)
        if found:
            raise RunError(
                f"folder {self.storage.place!r} holds another run ({'; '.join(found[:3])}); "
                "choose another --out"
            )
        if self.document["keeps"] != keeps:
            raise RunError(
                f"folder {self.storage.place!r} keeps {self.document['keeps']}, this "
                f"command {keeps}; "
                "change --summary-only, or choose another --out"
            )

    def _take_lock(self) -> None:
        """Hold the folder's lock, or say who does. The system frees it when its process dies."""
        mine = f"pid {os.getpid()} on {socket.gethostname()}"
        folder = self.storage.local
        if folder is None:
            self._leave_mark(mine)
            return
        file = (folder / LOCK).open("a+", encoding="utf-8")
        file.seek(0)
        try:
            portalocker.lock(file, portalocker.LOCK_EX | portalocker.LOCK_NB)
        except (OSError, portalocker.LockException):
            holder = file.read().strip()
            file.close()
            raise self._in_use(holder) from None
        holder = file.read().strip()
        if holder and not holder.endswith(f" on {socket.gethostname()}"):
            file.close()  # another machine's, which this system's locks may not show
            raise self._in_use(holder, LOCK)
        file.truncate(0)
        file.write(mine)
        file.flush()
        self._lock = file

    def _leave_mark(self, mine: str) -> None:
        """Hold the lock of an object store, which has none of its own.

        Whoever wants it first writes a mark, then looks, and takes the mark back where there is
        another one. So of two, one at least sees the other, and never do both go on; that both
        give way is possible, hence the tries. It needs a store that lists what was written (as
        S3, GCS and Azure do). The mark of a process that died stays.
        """
        holder = ""
        for attempt in range(LOCK_TRIES):
            time.sleep(attempt * random.uniform(0.1, 0.5))
            self._mark = f"{LOCK}.{secrets.token_hex(8)}"
            self.storage.write(self._mark, mine.encode())
            others = [n for n in self.storage.names() if n.startswith(LOCK) and n != self._mark]
            if not others:
                return
            self.close()
            with suppress(OSError, NoFile):  # it may have given way
                holder = self.storage.read(others[0], 4096).decode("utf-8", "replace")
        raise self._in_use(holder, others[0])

    def _in_use(self, holder: str, stale_mark: str = "") -> RunError:
        stale = f" (if that process has ended, remove {self.storage.path(stale_mark)})"
        return RunError(
            f"folder {self.storage.place!r} is in use by {holder or 'another process'}; "
            "wait for it, "
            f"or choose another --out{stale if stale_mark else ''}"
        )

    def close(self) -> None:
        """Give the lock back."""
        if self._lock is not None:
            self._lock.truncate(0)
            self._lock.close()
            self._lock = None
        elif self._mark:
            with suppress(OSError):  # the store is out of reach: the next one hears whose it was
                self.storage.remove(self._mark)
            self._mark = ""

    # ------------------------------------------------------------------ files

    @property
    def id(self) -> str:
        """The run's id."""
        return str(self.document["id"])

    @property
    def form(self) -> int:
        """The format that the run was begun with: which columns it has (simcore.columns)."""
        return int(self.document.get("format", 1))

    @property
    def keeps(self) -> str:
        """What its parts hold, and their folder: playouts or tallies."""
        return str(self.document["keeps"])

    def write_document(self) -> None:
        """Write run.json. Raises OSError."""
        self.storage.write("run.json", document.encode(self.document))

    def write_part(self, name: str, data: bytes) -> None:
        """Write one part. Raises RunError if the disk refuses it."""
        try:
            self.storage.write(f"{self.keeps}/{name}", data)
        except OSError as error:
            raise self.storage.failure(error) from None

    def part_path(self, part: Part) -> str:
        """Path of a part within the storage."""
        return self.storage.path(f"{self.keeps}/{part.name}")

    def parts(self) -> tuple[list[Part], list[str]]:
        """(good parts by deal, a sentence for each file that is none).

        A file that is damaged, belongs to another run, or holds deals that an earlier part holds
        already, is not counted.
        """
        good: list[Part] = []
        bad: list[str] = []
        expected = Expected(self.id, self.form, self.document["identity"])
        for name in sorted(self.storage.names(self.keeps), key=by_deal):
            if name.startswith("."):
                continue
            try:
                data = self.storage.read(f"{self.keeps}/{name}", MOST_BYTES)
                problem, part = decode(name, data, expected)
            except NoFile as error:
                problem, part = str(error), None
            except OSError as error:  # it may well be whole
                raise RunError(
                    f"{self.storage.path(f'{self.keeps}/{name}')!r} cannot be read "
                    f"({error.strerror or error}); see to its permissions and the disk"
                ) from None
            if part is not None and good and part.first < good[-1].end:
                problem, part = f"its deals are in {good[-1].name} already", None
            if part is None:
                bad.append(f"{name}: {problem}")
            else:
                good.append(part)
        return good, bad

    def ranges(self) -> list[tuple[int, int]]:
        """Deals first … end - 1 that the names of its parts say are there; nothing is opened."""
        found = (by_deal(name)[:2] for name in sorted(self.storage.names(self.keeps), key=by_deal))
        return merged((first, end) for first, end in found if first >= 0)

    def gaps(self) -> list[tuple[int, int]]:
        """Deals that run.json says were played, and that no part holds."""
        claimed = [(int(a), int(b)) for a, b in self.document.get("ranges", [])]
        there = self.ranges()
        return [gap for first, end in claimed for gap in missing(there, first, end)]

    def good_parts(self) -> list[Part]:
        """The parts of a run that is whole and not empty. Raises RunError for any other."""
        good, bad = self.parts()
        if bad:
            raise RunError(
                f"run {self.storage.place!r}: {bad[0]}; run its command again, which sets the file "
                "aside and plays its deals anew"
            )
        if not good:
            raise RunError(
                f"run {self.storage.place!r} has no finished part yet; run its command again"
            )
        gaps = self.gaps()
        if gaps:
            which = ", ".join(f"{first} to {end - 1}" for first, end in gaps[:3])
            raise RunError(
                f"run {self.storage.place!r}: the parts with deals {which} are gone; run its "
                "command again, which plays them anew, or put them back"
            )
        return good

    def set_aside(self) -> tuple[list[Part], list[str]]:
        """Move every file that is no good part out of the way.

        Returns (the good parts by deal, a sentence for each file that was moved or removed).
        """
        notes = []
        for folder in ("", f"{self.keeps}/"):
            for name in self.storage.names(folder.rstrip("/")):
                if name.endswith(TEMPORARY):
                    self.storage.remove(folder + name)
                    notes.append(
                        f"{name}: removed, an unfinished write of a process that has ended"
                    )
        good, bad = self.parts()
        for problem in bad:
            name = problem.split(":", 1)[0]
            target = f"set-aside/{name}"
            self.storage.make_folder("set-aside")
            while target.removeprefix("set-aside/") in self.storage.names("set-aside"):
                target += "~"
            self.storage.move(f"{self.keeps}/{name}", target)
            notes.append(f"{problem}; moved to {target}, not counted")
        return good, notes
