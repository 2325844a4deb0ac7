"""The loop of a run: plan what is missing, play it, write it, add it up.

`Collector.iter_collect` is the whole loop as an iterator over finished parts; `Collector.run` goes
to the end.
"""

import os
import queue
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from simcore.columns import FORMAT
from simcore.errors import BigTwoError, InputError, RunError, check_whole
from simcore.runs import provenance
from simcore.runs.dask import DaskCluster
from simcore.runs.executors import Finished, Task, Worker, empty_summary, encoded, play_task
from simcore.runs.planning import PART_ROWS, merged, missing, plan_parts
from simcore.runs.processes import RemoteWorker, plain_names
from simcore.runs.result import Run
from simcore.runs.run import identity, run_id
from simcore.runs.stopping import Until, looks, parse_time, parse_until
from simcore.runs.store import Store
from simcore.runs.summary import Summary
from simcore.simulation.setup import MAX_DEALS, Setup
from simcore.simulation.watch import DECISION_LIMIT

PART_SECONDS = 20.0  # a part is written at least this often, so that a crash loses little
RETRIES = 3  # of a task whose worker was lost

Progress = Callable[[int, int | None], None]  # (playouts done, playouts wanted, None: unknown)


def usable_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Collector:
    """One call of `simulate`: workers that play parts, and what has come of them.

    Setting `stop` ends it within a step; what the threads had played by then is written first.
    """

    def __init__(
        self,
        setup: Setup,
        deals: int | None,
        threads: int | None = None,
        out: str | Path | None = None,
        summary_only: bool = False,
        first_deal: int = 0,
        executor: Executor | None = None,
        until: str | Until | None = None,
        max_time: str | float | None = None,
        decision_limit: str | float = DECISION_LIMIT,
    ) -> None:
        if deals is None and until is None and max_time is None:
            raise InputError("how long to play is missing: give --deals, --until or --max-time")
        if not 0 <= first_deal < MAX_DEALS:
            raise InputError(f"first deal {first_deal} is out of bounds: 0 to {MAX_DEALS - 1}")
        self.hands = hands = setup.session_hands
        most = (MAX_DEALS - first_deal) // hands * hands
        if deals is not None and not 1 <= deals <= most:
            raise InputError(f"{deals} deals are out of bounds: 1 to {most}")
        check_whole("the first deal", first_deal, hands)
        check_whole("the number of deals", deals or 0, hands)
        self.setup = setup
        self.bounded = deals is not None
        self.first, self.end = first_deal, first_deal + (deals or most)
        self.threads = usable_cores() if threads is None else threads
        if not 1 <= self.threads <= 1024:
            raise InputError(f"{self.threads} threads are out of bounds: 1 to 1024")
        names = [e.name for e in setup.lineup]
        self.until = parse_until(until, names) if isinstance(until, str) else until
        self.max_seconds = parse_time(max_time) if isinstance(max_time, str) else max_time
        self.limit = (
            parse_time(decision_limit) if isinstance(decision_limit, str) else decision_limit
        )
        self.plain = plain_names(setup)
        self.keeps = "tallies" if summary_only else "playouts"
        self.executor = executor
        self.stop = threading.Event()
        self.out_of_time = False
        self.notes: list[str] = []
        self.tables: list[pa.Table] = []
        self.summary = empty_summary(setup)
        self._parts: list[tuple[int, int, Summary]] = []
        self.store: Store | None = None
        self._call: dict[str, Any] = {}
        if out is not None:
            about = {
                "software": provenance.software(),
                "machine": provenance.machine(),
                "calls": [],
            }
            self.store = Store.create(out, identity(setup), self.keeps, about)
            try:
                parts, notes = self.store.set_aside()
                self.notes += notes
                for part in parts:
                    self._add(part.first, part.end, part.summary)
                # At once: of a call that is killed, its command is known all the same.
                self._call = {
                    "command": provenance.command(),
                    "started": provenance.now(),
                    "threads": self.threads,
                    "executor": self.executor_name,
                }
                self.store.document["calls"].append(self._call)
                self.store.write_document()
            except OSError as error:
                self.store.close()
                raise self.store.storage.failure(error) from None
        self._already = self.summary.playouts
        self._workers: queue.SimpleQueue[Worker | RemoteWorker] = queue.SimpleQueue()
        self._played = 0
        self._count = threading.Lock()

    @property
    def form(self) -> int:
        """The format of the run, that of its first day."""
        return self.store.form if self.store is not None else FORMAT

    @property
    def wanted(self) -> int | None:
        """Playouts there will be at the end, where that is known."""
        if not self.bounded:
            return None
        gaps = missing(self._ranges(), self.first, self.end)
        return self.summary.playouts + sum(b - a for a, b in gaps) * self.setup.seatings_per_deal

    @property
    def executor_name(self) -> str:
        """Where the workers are."""
        if self.executor is not None:
            return type(self.executor).__name__
        return "processes" if self.plain else "threads"

    @property
    def played(self) -> int:
        """Playouts that this call has played so far."""
        return self._played

    def _ranges(self) -> list[tuple[int, int]]:
        return sorted((a, b) for a, b, _ in self._parts)

    def _add(self, first: int, end: int, summary: Summary) -> None:
        self._parts.append((first, end, summary))
        self.summary += summary

    def _progress(self, playouts: int) -> None:
        with self._count:
            self._played += playouts

    # ------------------------------------------------------------------ tasks

    def _play_here(self, first: int, end: int) -> Finished:
        """Play one part in a worker of this thread (or its process), and write it."""
        try:
            worker = self._workers.get_nowait()
        except queue.Empty:
            worker = (RemoteWorker if self.plain else Worker)(self.setup, self.limit, self.form)
        try:
            keep_rows = self.keeps == "playouts"
            done = worker.play(first, end, keep_rows, self.stop, PART_SECONDS, self._progress)
        finally:
            self._workers.put(worker)
        if self.store is None or done.end == first:
            return done
        part = encoded(self.store.id, self.keeps, done)
        assert part.data is not None
        self.store.write_part(part.name, part.data)
        return Finished(part.first, part.end, part.summary)

    def _submit(self, pool: Executor, first: int, end: int) -> "Future[Any]":
        """Hand out one part: to a thread of ours, or as plain data to the caller's executor."""
        if self.executor is None:
            return pool.submit(self._play_here, first, end)
        shared = self.store is not None and self.store.storage.shared
        place = self.store.storage.place if self.store is not None and shared else None
        who = identity(self.setup)
        run = self.store.id if self.store is not None else run_id(who)
        task = Task(run, self.form, who, first, end, self.keeps, PART_SECONDS, self.limit, place)
        return pool.submit(play_task, task)

    def _received(self, result: Any) -> Finished:
        """What a task gave back; parts that came as bytes are written here."""
        if isinstance(result, Finished):
            return result
        first, end, summary, name, data = result
        done = Finished(first, end, Summary.from_dict(summary))
        self._progress(done.summary.playouts)
        if data is not None and self.store is not None:
            self.store.write_part(name, data)
        elif data is not None and self.keeps == "playouts":
            table = pq.read_table(pa.BufferReader(data)).replace_schema_metadata(None)
            return Finished(first, end, done.summary, table)
        return done

    def _collect(
        self, pool: Executor, end: int, tick: Callable[[], None] | None
    ) -> Iterator[Finished]:
        """Play what is missing before deal `end`."""
        gaps = missing(self._ranges(), self.first, end)
        todo = plan_parts(
            gaps, self.setup.seatings_per_deal, self.threads, self.keeps != "tallies", self.hands
        )
        again: list[tuple[int, int]] = []  # parts that came back short, or not at all
        in_flight = self.threads if self.executor is None else 2 * self.threads
        pending: dict[Future[Any], tuple[int, int]] = {}
        lost: dict[tuple[int, int], int] = {}
        failure: BaseException | None = None
        while True:
            try:
                while len(pending) < in_flight and not self.stop.is_set() and self._reachable:
                    next_part = again.pop() if again else next(todo, None)
                    if next_part is None:
                        break
                    pending[self._submit(pool, *next_part)] = next_part
                if not pending and (self._reachable or self.stop.is_set()):
                    break
                finished, _ = wait(pending, timeout=0.1, return_when=FIRST_COMPLETED)
                if failure is None:
                    if isinstance(self.executor, DaskCluster) and self.executor.tasks_are_lost():
                        again += [part for f, part in pending.items() if f not in finished]
                        pending = {f: pending[f] for f in finished}
                    if tick is not None:
                        tick()
            except BaseException as error:  # Ctrl-C above all: stop, but lose nothing
                failure = failure or error
                self.stop.set()
                continue
            if self.stop.is_set() and self.executor is not None:
                for future in pending.keys() - finished if self._reachable else ():
                    future.cancel()  # elsewhere nobody hears `stop`
                pending = {f: pending[f] for f in finished}
            for future in finished:
                part = pending.pop(future)
                try:
                    done = self._received(future.result())
                except BaseException as error:
                    lost[part] = lost.get(part, 0) + self._reachable
                    if self._may_retry(error) and lost[part] <= RETRIES and failure is None:
                        again.append(part)
                        self.notes.append(
                            f"deals {part[0]} to {part[1] - 1} are played again: the "
                            "worker was lost"
                        )
                        continue
                    failure = failure or error
                    self.stop.set()
                    continue
                if done.end < part[1]:
                    again.append((done.end, part[1]))
                if done.end > done.first:
                    self._add(done.first, done.end, done.summary)
                    if done.table is not None:
                        self.tables.append(done.table)
                    yield done
        if failure is not None:
            raise (
                failure
                if isinstance(failure, BigTwoError) or self.executor is None
                else RunError(
                    f"the executor failed: {type(failure).__name__}: {failure}; finished "
                    "parts are kept: "
                    "run the same command again"
                )
            ) from failure

    @property
    def _reachable(self) -> bool:
        """Whether somebody is there to play."""
        return not isinstance(self.executor, DaskCluster) or not self.executor.waiting()[0]

    def _may_retry(self, error: BaseException) -> bool:
        """Whether a task failed for a reason of its worker, not of the run."""
        own = isinstance(error, BigTwoError) or not isinstance(error, Exception)
        return self.executor is not None and not own

    # ------------------------------------------------------------------ the loop

    def iter_collect(self, tick: Callable[[], None] | None = None) -> Iterator[Finished]:
        """Play what is missing; yields every part when it is finished and, with `out`, on disk.

        tick is called about ten times a second; an exception raised from it ends the run, after
        what the threads had played is written and yielded.
        """
        started = time.monotonic()

        def watch() -> None:
            if self.max_seconds is not None and time.monotonic() - started > self.max_seconds:
                self.out_of_time = True
                self.stop.set()
            if tick is not None:
                tick()

        pool = self.executor or ThreadPoolExecutor(self.threads)
        try:
            for end in self._stages():
                yield from self._collect(pool, end, watch)
                if self.stop.is_set():
                    break
                if self.until is not None and self.until.met(self._before(end)):
                    self.end, self.bounded = end, True
                    break
        finally:
            if self.executor is None:
                pool.shutdown()
                while not self._workers.empty():
                    self._workers.get().close()
            elif self.store is not None and self.store.storage.shared:  # of lost workers
                self.notes += self.store.set_aside()[1]

    def _stages(self) -> Iterator[int]:
        """Deal numbers up to which to play before looking at the stopping rule, or at the clock."""
        if self.until is not None:
            for sessions in looks((self.end - self.first) // self.hands):
                yield self.first + sessions * self.hands
        elif self.bounded:
            yield self.end
        else:
            sessions = 2 * self.threads * PART_ROWS // (self.setup.seatings_per_deal * self.hands)
            step = max(1, sessions) * self.hands
            yield from range(self.first + step, self.end, step)

    def _before(self, end: int) -> Summary:
        """Summary of the deals first … end - 1, whatever the parts are."""
        total = empty_summary(self.setup)
        for a, b, summary in self._parts:
            if self.first <= a and b <= end:
                total += summary
            elif a < end and b > self.first:  # a part of another call reaches further
                worker = Worker(self.setup, self.limit)
                low, high = max(a, self.first), min(b, end)
                total += worker.play(
                    low, high, False, threading.Event(), float("inf"), lambda playouts: None
                ).summary
        return total

    def close(self, seconds: float) -> None:
        """Note this call in run.json and give the folder back."""
        if self.store is None:
            return
        self._call |= {
            "ended": provenance.now(),
            "seconds": round(seconds, 3),
            "playouts": self._played,
        }
        try:
            self.store.document["deals"] = self.summary.n_deals
            self.store.document["ranges"] = [list(pair) for pair in merged(self._ranges())]
            self.store.write_document()
        except OSError as error:
            self.notes.append(
                f"run.json could not be updated ({error.strerror}); the parts are whole"
            )
        finally:
            self.store.close()

    def run(self, progress: Progress | None = None) -> Run:
        """Play to the end (or until stopped) and close the folder."""
        started = time.monotonic()
        wanted = self.wanted
        there = merged(self._ranges())
        asked = sum(max(0, min(b, self.end) - max(a, self.first)) for a, b in there)
        beyond = sum(b - a for a, b in there) - asked
        if beyond:
            which = ", ".join(f"{a:,} to {b - 1:,}" for a, b in there)
            self.notes.append(
                f"the folder holds {beyond:,} deals beyond those asked for; counted too: {which}"
            )

        def tick() -> None:
            if progress is not None:
                progress(self._already + self._played, wanted)

        try:
            for _ in self.iter_collect(tick):
                tick()
        finally:
            seconds = time.monotonic() - started
            self.close(seconds)
        return Run(
            self.setup,
            self.summary,
            self.store.storage.place if self.store else None,
            not self.stop.is_set() or self.out_of_time,
            seconds,
            self._played,
            self.notes,
            self.tables,
        )
