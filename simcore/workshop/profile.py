"""Where the time of a playout goes.

Some playouts are recorded, and a kernel follows the record, doing only some phases of the work
(simcore.simulation.phases). Each phase is measured on top of those before it, so that it finds
caches and branch predictions as it does in play, and costs what it adds. Writing and adding up are
timed as they are done, on the rows of the same playouts. The engine's own time for the same deals
is taken in the same rounds; that it is near the sum of the phases is the check of the method.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import median
from time import thread_time

import numpy as np

from simcore.runs.executors import Tally, empty_summary
from simcore.runs.parts import encode
from simcore.runs.schema import to_table
from simcore.simulation.phases import CHOICE, DEAL, LEGAL, PAYOFF, TURNS, follow_deals
from simcore.simulation.playout import MAX_TURNS
from simcore.simulation.sandbox import in_sandbox
from simcore.simulation.setup import Setup, Workspace
from simcore.strategies.direct import LINEAR, LISTED

# In the order in which they are added: the long ones last, so that their noise is in no other.
LISTING = {
    "deal": DEAL,
    "bookkeeping": TURNS,
    "payoff": PAYOFF,
    "legal plays": LEGAL,
    "choice": CHOICE,
}
SHORTCUT = {
    "deal": DEAL,
    "bookkeeping": TURNS,
    "payoff": PAYOFF,
    "legal plays and choice": LEGAL | CHOICE,  # in one: the engine's shortcut lists only some
}
MAX_DEALS = 2_000  # recorded: too many for a processor to learn by heart
RECORD_SECONDS = 1.0
ROUNDS = 15
WRITTEN_ROWS = 100_000


@dataclass(frozen=True)
class Profile:
    """Costs in nanoseconds of processor time a playout, medians over rounds."""

    phases: dict[str, float]
    sums: float  # adding up
    write: float  # Parquet, compressed, in memory
    engine: float  # a playout without sums and writing, as the engine plays it
    decisions: float  # questions a playout that have more than one answer
    deals: int  # recorded

    @property
    def total(self) -> float:
        """All phases but sums and writing, to compare with `engine`."""
        return sum(self.phases.values())

    @property
    def decision(self) -> float:
        """Nanoseconds of legal plays and choice for each question with more than one answer.

        A shortcut of the engine's keeps its own books, so theirs are in the figure.
        """
        if "choice" in self.phases:
            spent = self.phases["legal plays"] + self.phases["choice"]
        else:
            spent = self.engine - self.phases["deal"] - self.phases["payoff"]
        return spent / max(self.decisions, 1e-9)


class Record(Workspace):
    """Playouts of deals 0 … n_deals - 1 under seating 0, and the kernel that follows them."""

    def __init__(self, setup: Setup, n_deals: int) -> None:
        super().__init__(setup, traced=n_deals)
        self.n_deals = n_deals
        shortcuts = self._direct.copy()
        self._direct[:] = LISTED  # so that the record has the number of options
        self.rows = self.play(0, n_deals, 0)
        self._direct[:] = shortcuts
        self.has_shortcuts = bool((shortcuts > LINEAR).all())
        self.decisions = float((self.trace.n_plays > 1).sum() / n_deals)
        turns = self.rows["plays"] + self.rows["passes"]
        self._ends = np.arange(n_deals) * MAX_TURNS + turns
        self._dealt = np.zeros((n_deals, 4), np.int64)
        self.follow(DEAL)

    @in_sandbox
    def follow(self, phases: int) -> float:
        """Do some phases of all recorded playouts; the seconds that it took."""
        rows, started = self.rows, thread_time()
        follow_deals(
            self._table[0], self.setup.players, np.uint64(self.setup.seed), self.n_deals, phases,
            self._dealt, self._ends, *self._asking, self._scratch, *self._kept, rows.block8,
            rows.block16, rows.block32,
        )  # fmt: skip
        return thread_time() - started


class Timed(Workspace):
    """A workspace that says how long it plays."""

    @in_sandbox
    def seconds(self, n_deals: int) -> float:
        """Of deals 0 … n_deals - 1, under seating 0."""
        return _seconds(partial(self.play, 0, n_deals, 0))


def _seconds(work: Callable[[], object]) -> float:
    started = thread_time()
    work()
    return thread_time() - started


def profile(setup: Setup, rounds: int = ROUNDS, seconds: float = RECORD_SECONDS) -> Profile:
    """Measure the phases of a setup's playouts in seating 0, in one thread.

    seconds: time, roughly, to record playouts, and to play the rows that are written. Raises
    StrategyError.
    """
    plain = Timed(setup)
    plain.play(0, 1, 0)
    playout = plain.seconds(20) / 20
    n = max(20, min(MAX_DEALS, int(seconds / playout)))
    record = Record(setup, n)
    phases = SHORTCUT if record.has_shortcuts else LISTING
    levels = np.cumsum([0, *phases.values()]).tolist()
    added: list[list[float]] = []
    engine = []
    for _ in range(rounds):
        added.append(np.diff([record.follow(level) for level in levels]).tolist())
        engine.append(plain.seconds(n) - plain.seconds(0))
    costs = [1e9 * median(column) / n for column in zip(*added, strict=True)]
    rows = plain.play(0, min(WRITTEN_ROWS, max(n, int(seconds / playout))), 0)
    sums, write = [], []
    table, empty = partial(to_table, rows, setup.needed), empty_summary(setup)
    for _ in range(rounds):
        sums.append(_seconds(lambda: Tally(setup).add(rows, len(rows))))
        write.append(_seconds(lambda: encode("profile", 0, len(rows), empty, table())))
    return Profile(
        dict(zip(phases, costs, strict=True)),
        1e9 * median(sums) / len(rows),
        1e9 * median(write) / len(rows),
        1e9 * median(engine) / n,
        record.decisions,
        n,
    )
