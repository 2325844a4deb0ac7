"""The loop of a run: plan what is missing, play it, write it, add it up.

`iter_collect` is the whole loop as an iterator over finished parts; `simulate` runs it to the end.
"""

import os
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import pyarrow as pa

from simcore.errors import InputError
from simcore.foundation import jit
from simcore.game.ruleset import RuleSet
from simcore.runs import provenance
from simcore.runs.executors import Finished, Worker, empty_summary
from simcore.runs.run import identity
from simcore.runs.store import Store
from simcore.runs.summary import Summary
from simcore.simulation.setup import MAX_DEALS, Setup, make_setup
from simcore.strategies.registry import Entrant

PART_ROWS = 524_288
MIN_PART_ROWS = 131_072
PART_SECONDS = 20.0  # a part is written at least this often, so that a crash loses little

Progress = Callable[[int, int], None]  # (playouts done, playouts wanted)


@dataclass
class Run:
    """A run that has been played: its summary, and its playouts in memory or on disk."""

    setup: Setup
    summary: Summary
    folder: Path | None
    complete: bool  # False: stopped early
    seconds: float
    played: int  # playouts played by this call
    notes: list[str] = field(default_factory=list)
    tables: list[pa.Table] = field(default_factory=list, repr=False)

    def playouts(self) -> pd.DataFrame:
        """One row per playout, by deal and seating. Raises InputError for a summary-only run."""
        if self.folder is not None and (self.folder / "playouts").is_dir():
            return pd.read_parquet(self.folder / "playouts")
        if not self.tables:
            raise InputError("a summary-only run keeps no playouts; simulate without summary_only")
        frame: pd.DataFrame = pa.concat_tables(self.tables).sort_by("deal").to_pandas()
        return frame


def missing(done: Iterable[tuple[int, int]], deals: int) -> list[tuple[int, int]]:
    """Ranges of 0 … deals - 1 that no part holds; done: sorted, disjoint (first, end)."""
    gaps = []
    position = 0
    for first, end in done:
        if first > position:
            gaps.append((position, min(first, deals)))
        position = max(position, end)
        if position >= deals:
            break
    if position < deals:
        gaps.append((position, deals))
    return [(a, b) for a, b in gaps if a < b]


def plan_parts(
    gaps: Iterable[tuple[int, int]], seatings: int, threads: int
) -> list[tuple[int, int]]:
    """Cut the gaps into parts: large enough for Parquet, small enough to keep every thread busy."""
    gaps = list(gaps)
    rows = sum(b - a for a, b in gaps) * seatings
    part_rows = max(MIN_PART_ROWS, min(PART_ROWS, -(-rows // (2 * threads))))
    if rows < threads * MIN_PART_ROWS:
        part_rows = max(1, -(-rows // threads))
    deals = max(1, part_rows // seatings)
    return [(a, min(a + deals, end)) for first, end in gaps for a in range(first, end, deals)]


def usable_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Collector:
    """One call of `simulate`: threads that play parts, and what has come of them."""

    def __init__(
        self,
        setup: Setup,
        deals: int,
        threads: int | None = None,
        out: str | Path | None = None,
        summary_only: bool = False,
    ) -> None:
        if not 1 <= deals <= MAX_DEALS:
            raise InputError(f"{deals} deals are out of bounds: 1 to {MAX_DEALS}")
        self.threads = usable_cores() if threads is None else threads
        if not 1 <= self.threads <= 1024:
            raise InputError(f"{threads} threads are out of bounds: 1 to 1024")
        self.setup = setup
        self.deals = deals
        self.summary_only = summary_only
        self.stop = threading.Event()
        self.store: Store | None = None
        self.notes: list[str] = []
        self.summary = empty_summary(setup)
        self.tables: list[pa.Table] = []
        done: list[tuple[int, int]] = []
        if out is not None:
            self.store = self._open(Path(out))
            parts, _ = self.store.parts()
            for part in parts:
                self.summary += Summary.from_dict(part.summary)
                done.append((part.first, part.end))
        self.already = self.summary.playouts
        beyond = sum(end - max(first, deals) for first, end in done if end > deals)
        if beyond:
            self.notes.append(
                f"the folder holds {beyond} deals more than asked for; they are counted"
            )
        self.gaps = missing(done, deals)
        self.wanted = self.already + sum(b - a for a, b in self.gaps) * setup.seatings_per_deal
        self._workers: queue.SimpleQueue[Worker] = queue.SimpleQueue()
        self._played = 0
        self._count = threading.Lock()

    def _open(self, folder: Path) -> Store:
        keeps = "tallies" if self.summary_only else "playouts"
        about = {"software": provenance.software(), "machine": provenance.machine(), "calls": []}
        store = Store.create(folder, identity(self.setup), keeps, about)
        self.notes += store.set_aside()
        return store

    @property
    def played(self) -> int:
        """Playouts played by this call so far."""
        return self._played

    def _progress(self, playouts: int) -> None:
        with self._count:
            self._played += playouts

    def _task(self, first: int, end: int) -> Finished:
        """Play one part in a worker of this thread, and write it."""
        try:
            worker = self._workers.get_nowait()
        except queue.Empty:
            worker = Worker(self.setup)
        try:
            done = worker.play(
                first, end, not self.summary_only, self.stop, PART_SECONDS, self._progress
            )
        finally:
            self._workers.put(worker)
        if self.store is not None and done.end > done.first:
            summary = done.summary.as_dict()
            if done.table is not None:
                self.store.write_playouts(done.first, done.end, done.table, summary)
                return Finished(done.first, done.end, done.summary, None)
            self.store.write_tally(done.first, done.end, summary)
        return done

    def iter_collect(self, tick: Callable[[], None] | None = None) -> Iterator[Finished]:
        """Play what is missing; yields every part when it is finished and, with `out`, on disk.

        tick is called about ten times a second. Setting `stop`, or an exception raised from tick,
        ends the run within a step; what the workers had played is written and yielded first.
        """
        todo = plan_parts(self.gaps, self.setup.seatings_per_deal, self.threads)[::-1]
        pending: dict[Future[Finished], tuple[int, int]] = {}
        failure: BaseException | None = None
        with ThreadPoolExecutor(self.threads) as pool:
            while pending or (todo and not self.stop.is_set()):
                try:
                    while todo and len(pending) < self.threads and not self.stop.is_set():
                        first, end = todo.pop()
                        pending[pool.submit(self._task, first, end)] = (first, end)
                    finished, _ = wait(pending, timeout=0.1, return_when=FIRST_COMPLETED)
                    if tick is not None and failure is None:
                        tick()
                except BaseException as error:  # Ctrl-C above all: stop, but lose nothing
                    failure = failure or error
                    self.stop.set()
                    continue
                for future in finished:
                    first, end = pending.pop(future)
                    try:
                        done = future.result()
                    except BaseException as error:
                        failure = failure or error
                        self.stop.set()
                        continue
                    if done.end < end:
                        todo.append((done.end, end))
                    if done.end > done.first:
                        self.summary += done.summary
                        if done.table is not None:
                            self.tables.append(done.table)
                        yield done
        if failure is not None:
            raise failure

    def close(self, seconds: float) -> None:
        """Note this call in run.json and give the folder back."""
        if self.store is None:
            return
        call = {
            "command": provenance.command(),
            "ended": provenance.now(),
            "seconds": round(seconds, 3),
            "threads": self.threads,
            "playouts": self._played,
        }
        try:
            self.store.document["calls"].append(call)
            self.store.document["deals"] = self.summary.n_deals
            self.store.write_document()
        except OSError as error:
            self.notes.append(
                f"run.json could not be updated: {error.strerror}; the parts are whole"
            )
        finally:
            self.store.close()

    def run(self, progress: Progress | None = None) -> Run:
        """Play to the end (or until stopped) and close the folder."""
        started = time.monotonic()

        def tick() -> None:
            if progress is not None:
                progress(self.already + self._played, self.wanted)

        try:
            for _ in self.iter_collect(tick):
                tick()
        finally:
            seconds = time.monotonic() - started
            self.close(seconds)
        return Run(
            self.setup,
            self.summary,
            self.store.folder if self.store else None,
            not self.stop.is_set(),
            seconds,
            self._played,
            self.notes,
            self.tables,
        )


def compile_engine(setup: Setup) -> float:
    """Compile (or load from the cache) everything that a run calls; returns the seconds taken."""
    started = time.monotonic()
    Worker(setup).play(0, 1, False, threading.Event(), 60.0, lambda playouts: None)
    jit.mark_warm("engine")
    return time.monotonic() - started


def simulate(
    rules: str | RuleSet,
    lineup: str | Iterable[str | Entrant],
    deals: int,
    seed: int = 0,
    seatings: str | None = None,
    players: int | None = None,
    threads: int | None = None,
    out: str | Path | None = None,
    summary_only: bool = False,
    stake: int = 1,
    progress: Progress | None = None,
) -> Run:
    """Play `deals` deals, each under every seating of the plan, and add up the results.

    seatings: fixed, rotations, balanced or all (default: balanced for a mixed lineup, fixed for
    one strategy); threads: default all cores; out: the run's folder, where the same call again
    finishes or extends the run; without it, playouts stay in memory (summary_only: only the sums).
    Raises InputError, StrategyError, RunError.
    """
    setup = make_setup(rules, lineup, seed, players, seatings, stake)
    return Collector(setup, deals, threads, out, summary_only).run(progress)
