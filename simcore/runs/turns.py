"""Writing the turns of a run, and playing some of them again.

A run's playouts are there first; then each deal that is wanted is played once more with its turns
written down. So a run that was played without turns gets them by the same command later, and what
stands there can always be recomputed.
"""

import queue
import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Any

import numpy as np

from simcore.errors import InputError, RunError
from simcore.runs.planning import missing
from simcore.runs.run import identity
from simcore.runs.storage import TEMPORARY
from simcore.runs.store import Store
from simcore.runs.turn_parts import (
    FOLDER,
    TurnPart,
    encode_turns,
    good_turn_parts,
    read_turns,
    to_turn_table,
    turn_parts,
)
from simcore.simulation.setup import MAX_DEALS, Setup
from simcore.simulation.tracing import Tracing
from simcore.simulation.watch import DECISION_LIMIT, watched

PART_PLAYOUTS = 8_192  # of a part of turns: some 400,000 rows
PART_SECONDS = 20.0
SAMPLE_DEALS, SAMPLE_SECONDS = 64, 1.0  # that say beforehand how much disk is needed
Progress = Callable[[int], None]  # deals done


def turns_wanted(turns: bool, every: int | None, out: Any) -> int:
    """Of which deals turns are to be written: of every so many; 0: of none. Raises InputError."""
    if every is not None and not 1 <= every <= MAX_DEALS:
        raise InputError(f"turns of every {every} deals: out of bounds, 1 to {MAX_DEALS}")
    if not turns and every is None:
        return 0
    if out is None:
        raise InputError("turns are written into the run's folder; give --out DIR")
    return every or 1


def disk_needed(setup: Setup, first: int, deals: int | None, every: int) -> str:
    """A sentence on the size of the turns to be written, from a few deals played beforehand."""
    work = Tracing(setup)

    def sample() -> tuple[int, int, int]:
        nothing = work.turns(first, 0).copy()  # compiles
        begun, n, pieces = time.monotonic(), 0, [nothing]
        most = SAMPLE_DEALS if deals is None else min(deals, SAMPLE_DEALS)
        while n < most and (n == 0 or time.monotonic() - begun < SAMPLE_SECONDS):
            pieces.append(work.turns(first + n, 1).copy())
            n += 1
        table = to_turn_table(np.concatenate(pieces), setup.players)
        whole, empty = (len(encode_turns("", 0, n, 1, t)[1]) for t in (table, table[:0]))
        return n, table.num_rows, whole - empty

    n, rows, size = watched(work, sample)
    if deals is None:
        return f"turns: about {size / n / every / 1000:,.2f} kB of disk for each deal"
    chosen = -(-deals // every)
    return (
        f"turns: about {rows * chosen // n:,} rows, {size * chosen / n / 1e6:,.1f} MB of disk "
        f"({size / rows:.1f} bytes a turn)"
    )


class Filling:
    """Writes the turns that a run's folder lacks."""

    def __init__(
        self,
        folder: str,
        setup: Setup,
        every: int,
        threads: int,
        stop: threading.Event | None = None,
        limit: float = DECISION_LIMIT,
    ) -> None:
        """Takes the folder's lock. Raises RunError."""
        self.setup, self.every, self.threads, self.limit = setup, every, threads, limit
        self.stop = stop or threading.Event()
        self.notes: list[str] = []
        self._workers: queue.SimpleQueue[Tracing] = queue.SimpleQueue()
        self.store = Store.create(folder, identity(setup), Store.open(folder).keeps, {})
        try:
            self.todo = self._missing()
        except BaseException:
            self.store.close()
            raise

    @property
    def deals(self) -> int:
        """Deals whose turns are missing, of those that are wanted."""
        return sum(len(self._chosen(a, b)) for a, b in self.todo)

    def _chosen(self, first: int, end: int) -> range:
        return range(-(-first // self.every) * self.every, end, self.every)

    def _missing(self) -> list[tuple[int, int]]:
        """Ranges of deals without turns, cut into parts; damaged files are set aside."""
        storage = self.store.storage
        good, bad = turn_parts(storage, self.store.id, self.setup.players)
        if good and good[0].every != self.every:
            raise RunError(
                f"run {storage.place!r} has the turns of every {good[0].every} deals, not of every "
                f"{self.every}; give --turns-every {good[0].every}, or remove its folder turns"
            )
        for name in storage.names(FOLDER):
            if name.endswith(TEMPORARY):  # of a process that has ended
                storage.remove(f"{FOLDER}/{name}")
        for problem in bad:
            name = problem.split(":", 1)[0]
            storage.make_folder("set-aside")
            storage.move(f"{FOLDER}/{name}", f"set-aside/turns-{name}")
            self.notes.append(f"turns/{problem}; moved to set-aside/turns-{name}, not counted")
        storage.make_folder(FOLDER)
        size = max(1, PART_PLAYOUTS // self.setup.seatings_per_deal) * self.every
        there = [(part.first, part.end) for part in good]
        return [
            (a, min(a + size, end))
            for first, last in self.store.ranges()
            for start, end in missing(there, first, last)
            for a in range(start, end, size)
        ]

    def run(self, progress: Progress | None = None) -> bool:
        """Write all of them, or until stopped; returns whether all are there. Raises RunError."""
        todo, done = list(reversed(self.todo)), 0
        pending: set[Future[Any]] = set()
        try:
            with ThreadPoolExecutor(self.threads) as pool:
                try:
                    while pending or (todo and not self.stop.is_set()):
                        while todo and len(pending) < self.threads and not self.stop.is_set():
                            pending.add(pool.submit(self._write, *todo.pop()))
                        finished, pending = wait(pending, 0.1, FIRST_COMPLETED)
                        for future in finished:
                            first, position, end = future.result()
                            done += len(self._chosen(first, position))
                            if position < end:
                                todo.append((position, end))
                        if progress is not None:
                            progress(done)
                except BaseException:
                    self.stop.set()  # what was played by then is written
                    raise
        except OSError as error:
            raise self.store.storage.failure(error) from None
        finally:
            self.store.close()
        return not todo

    def _write(self, first: int, end: int) -> tuple[int, int, int]:
        """Write a part, shorter if told to stop; (its first deal, its end, the end asked for)."""
        try:
            work = self._workers.get_nowait()
        except queue.Empty:
            work = Tracing(self.setup)
        position, rows = watched(work, partial(self._play, work, first, end), self.limit)
        self._workers.put(work)
        if position > first:
            table = to_turn_table(rows, self.setup.players)
            name, data = encode_turns(self.store.id, first, position, self.every, table)
            self.store.storage.write(f"{FOLDER}/{name}", data)
        return first, position, end

    def _play(self, work: Tracing, first: int, end: int) -> tuple[int, Any]:
        """(where it ended, records TURN_ROW)."""
        pieces, position, begun = [work.turns(0, 0)], first, time.monotonic()
        while position < end and not self.stop.is_set():
            if time.monotonic() - begun > PART_SECONDS:
                break
            if self.every == 1:
                number = min(work.most_deals, end - position)
                pieces.append(work.turns(position, number).copy())
                position += number
                continue
            chosen = self._chosen(position, end)
            if chosen:
                pieces.append(work.turns(chosen[0], 1).copy())
            position = chosen[1] if len(chosen) > 1 else end
        return position, np.concatenate(pieces)


def verify_turns(
    store: Store, setup: Setup | None, players: int, sample: int, seed: int
) -> tuple[int, int]:
    """(parts, turns played again) of a run's turns; setup: None: nothing is played.

    Raises RunError for a damaged part, deals that are not those of its name, or a row that its
    playout does not give.
    """
    storage = store.storage
    if not storage.names(FOLDER):
        return 0, 0
    parts = good_turn_parts(storage, store.id, players)
    compared, work = 0, Tracing(setup) if setup is not None else None
    rng = random.Random(f"{seed} turns")
    each = -(-sample // len(parts))
    for part in parts:
        deals = read_turns(storage, part, ["deal"])["deal"].to_numpy()
        due = np.arange(-(-part.first // part.every) * part.every, part.end, part.every)
        if not np.array_equal(np.unique(deals), due) or (np.diff(deals) < 0).any():
            raise _untrue(store, part, "its deals are not those that it should hold, in order")
        if work is None or not len(due):
            continue
        table = read_turns(storage, part)
        for deal in sorted(rng.sample(due.tolist(), min(each, len(due)))):
            low, high = np.searchsorted(deals, (deal, deal + 1))
            stored = table.slice(low, high - low).to_pylist()
            played = to_turn_table(work.turns(deal, 1), players).to_pylist()
            if stored != played:
                raise _untrue(store, part, _difference(deal, stored, played))
            compared += len(played)
    return len(parts), compared


def _difference(deal: int, stored: list[Any], played: list[Any]) -> str:
    """The first row and column that differ."""
    for old, new in zip(stored, played, strict=False):
        for column, value in new.items():
            if old[column] != value:
                return (
                    f"deal {deal}, seating {new['seating']}, turn {new['turn']}, column {column!r} "
                    f"is {old[column]!r}, played again {value!r}"
                )
    return f"deal {deal} has {len(stored)} turns, played again {len(played)}"


def _untrue(store: Store, part: TurnPart, what: str) -> RunError:
    return RunError(f"run {store.storage.place!r}: turns/{part.name}: {what}; do not trust it")
