"""Playing a range of deals: what a worker does, in a thread here or a process elsewhere."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from simcore.columns import FORMAT
from simcore.foundation import jit
from simcore.game.rule_table import max_payoff
from simcore.game.seatings import ORDER
from simcore.runs.parts import encode, part_name
from simcore.runs.run import setup_of
from simcore.runs.schema import to_table
from simcore.runs.storage import Storage
from simcore.runs.summary import METRICS, SMALL_PAYOFF, Summary
from simcore.simulation.setup import Rows, Setup, Workspace, largest_hand
from simcore.simulation.tally import tally_rows
from simcore.simulation.watch import DECISION_LIMIT, watched

STEP_SECONDS = 0.1  # how often a worker looks whether it should stop
MAX_STEP_ROWS = 32_768


@dataclass(frozen=True)
class Finished:
    """Deals first … end - 1, played: their summary and, where kept, the rows as Arrow or bytes."""

    first: int
    end: int
    summary: Summary
    table: pa.Table | None = None
    data: bytes | None = None  # of a part that is yet to be written
    name: str = ""  # of the part


def empty_summary(setup: Setup) -> Summary:
    """The summary of no deals."""
    names = [e.name for e in setup.lineup]
    groups = list(dict.fromkeys(names))
    slots = [names.count(name) for name in groups]
    return Summary(
        groups, setup.players, setup.seatings_per_deal, slots, setup.stake, setup.session_hands
    )


class Tally:
    """Int64 sums over the deals of one part, turned into a summary of exact integers at its end."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.summary = empty_summary(setup)
        names = self.summary.groups
        self._groups = np.array([names.index(e.name) for e in setup.lineup], np.int64)
        by_seat = (len(names), setup.players)
        shapes = ((len(METRICS), len(names)), by_seat, by_seat)
        self._scratch = [np.zeros(shape, np.int64) for shape in shapes]
        self._small = np.zeros((*by_seat, 2 * SMALL_PAYOFF + 1), np.int64)
        self._sums = [np.zeros(a.shape, np.int64) for a in self.summary.arrays.values()]
        self._room = self._max_deals = max_step_deals(setup)

    def add(self, rows: Rows, n_deals: int) -> None:
        """Add complete deals, at most `max_step_deals` at once."""
        if n_deals > self._room:
            self._flush()
        self._room -= n_deals
        setup = self.setup
        found, n_large = tally_rows(
            setup.players, self._groups, setup.stake, setup.session_hands, rows.deals,
            rows.block8, rows.block16, rows.block32, *self._scratch, self._small, *self._sums,
        )  # fmt: skip
        self.summary.n_deals += int(found)
        if n_large:
            self._add_large_payoffs(rows)

    def _add_large_payoffs(self, rows: Rows) -> None:
        """Count the payoffs that the table of small ones has no room for."""
        setup = self.setup
        for seat in range(setup.players):
            payoffs = rows["payoff"][seat].astype(np.int64) // setup.stake
            for row in np.flatnonzero(np.abs(payoffs) > SMALL_PAYOFF):
                slot = ORDER[setup.players, rows["seating"][row], seat]
                position = (seat - int(rows["starter"][row])) % setup.players
                group = int(self._groups[slot])
                self.summary.count_payoff(group, position, int(payoffs[row]), 1)

    def _flush(self) -> None:
        """Move the sums into the summary, before a square could overflow."""
        for total, array in zip(self.summary.arrays.items(), self._sums, strict=True):
            self.summary.arrays[total[0]] += array
            array[:] = 0
        self._room = self._max_deals

    def finish(self) -> Summary:
        """The summary of everything added."""
        self._flush()
        self.summary.add_payoffs(self._small)
        self._small[:] = 0
        return self.summary


def max_step_deals(setup: Setup) -> int:
    """Deals, in whole sessions, whose squared payoffs an int64 sum holds for certain."""
    bound = max_payoff(setup.rules, setup.players, largest_hand(setup.rules, setup.players))
    most = bound * setup.session_hands * setup.seatings_per_deal * setup.players
    return int(max(1, 2**62 // most**2)) * setup.session_hands


class Worker:
    """What one thread keeps between tasks."""

    def __init__(self, setup: Setup, limit: float = DECISION_LIMIT, form: int = FORMAT) -> None:
        self.setup = setup
        self.limit = limit  # seconds that a strategy may take for a decision
        self.form = form  # of the run: which columns its rows have
        self.workspace = Workspace(setup)
        hands = setup.session_hands
        self.step = hands  # deals per call into the kernel, whole sessions; adapts to STEP_SECONDS
        sessions = max(1, MAX_STEP_ROWS // (setup.seatings_per_deal * hands))
        self.max_step = min(sessions * hands, max_step_deals(setup))

    def play(
        self,
        first: int,
        end: int,
        keep_rows: bool,
        stop: threading.Event,
        seconds: float,
        progress: Callable[[int], None],
    ) -> Finished:
        """Play deals first … end - 1, or fewer when told to stop or out of time.

        Raises StrategyError, also for a strategy that does not return. progress is called with the
        number of playouts after each step.
        """
        play = partial(self._play, first, end, keep_rows, stop, seconds, progress)
        return watched(self.workspace, play, self.limit)

    def close(self) -> None:
        """Nothing to give back."""

    def _play(
        self,
        first: int,
        end: int,
        keep_rows: bool,
        stop: threading.Event,
        seconds: float,
        progress: Callable[[int], None],
    ) -> Finished:
        setup = self.setup
        tally = Tally(setup)
        pieces: list[pa.Table] = []
        begun = time.monotonic()
        position = first
        while position < end and not stop.is_set() and time.monotonic() - begun < seconds:
            n = min(self.step, end - position, self.max_step)
            started = time.monotonic()
            rows = self.workspace.play(position, n)
            tally.add(rows, n)
            position += n
            if keep_rows:
                pieces.append(to_table(rows, setup.needed, self.form))
            progress(len(rows))
            taken = time.monotonic() - started
            if taken < STEP_SECONDS / 2:
                self.step = min(self.step * 2, self.max_step)
            elif taken > STEP_SECONDS:
                hands = setup.session_hands
                self.step = max(1, self.step // hands // 2) * hands
        table = pa.concat_tables(pieces) if pieces else None  # no copies
        return Finished(first, position, tally.finish(), table)


def compile_engine(setup: Setup, limit: float = DECISION_LIMIT) -> float:
    """Compile (or load from the cache) everything that a run calls; returns the seconds taken."""
    started = time.monotonic()
    with jit.uncollected():
        Worker(setup, limit).play(
            0, setup.session_hands, False, threading.Event(), 60.0, lambda playouts: None
        )
    jit.mark_warm("engine")
    return time.monotonic() - started


def encoded(run: str, keeps: str, done: Finished) -> Finished:
    """The same, with the bytes and the name of its part instead of the table."""
    data = encode(run, done.first, done.end, done.summary, done.table)
    name = part_name(done.first, done.end, data, keeps)
    return Finished(done.first, done.end, done.summary, data=data, name=name)


# --------------------------------------------------------------------------- elsewhere


@dataclass(frozen=True)
class Task:
    """A range of deals for another process: plain data, so that any executor can carry it."""

    run: str  # its id
    form: int  # its format
    identity: dict[str, Any]
    first: int
    end: int
    keeps: str
    seconds: float
    limit: float  # of a decision, in seconds
    place: str | None  # shared storage that the worker writes to itself; None: send the bytes back


_workers: dict[str, Worker] = {}  # of this process, by run


def play_task(task: Task) -> tuple[int, int, dict[str, Any], str, bytes | None]:
    """Play a task; returns (first, end, summary, name of the part, its bytes unless written).

    Raises RunError if this process would not play the run as the one that sent the task.
    """
    worker = _workers.pop(task.run, None) or Worker(
        setup_of(task.identity, trust=True), task.limit, task.form
    )
    try:
        done = worker.play(
            task.first, task.end, task.keeps == "playouts", threading.Event(), task.seconds,
            lambda playouts: None,
        )  # fmt: skip
    finally:
        _workers[task.run] = worker
    part = encoded(task.run, task.keeps, done)
    data = part.data
    if task.place is not None and data is not None:
        Storage(task.place).write(f"{task.keeps}/{part.name}", data)
        data = None
    return part.first, part.end, part.summary.as_dict(), part.name, data
