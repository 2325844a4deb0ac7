"""Playing a range of deals: the task that one worker does, and the threads that do it here."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from simcore.runs.schema import KIND_NAMES, KIND_TYPE, arrow_schema, columns
from simcore.runs.summary import METRICS, Summary
from simcore.simulation.setup import Rows, Setup, Workspace
from simcore.simulation.tally import tally_rows

STEP_SECONDS = 0.1  # how often a worker looks whether it should stop
MAX_STEP_ROWS = 32_768


@dataclass(frozen=True)
class Finished:
    """Deals first … end - 1, played: their summary and, where kept, the rows."""

    first: int
    end: int
    summary: Summary
    table: pa.Table | None


def to_table(setup: Setup, rows: Rows) -> pa.Table:
    """The rows as an Arrow table; integer columns are views of the kernel's blocks, no copies."""
    blocks = {8: rows.block8, 16: rows.block16, 32: rows.block32}
    arrays = []
    for column in columns(setup.players, setup.leftovers):
        values = rows.deals if column.block == 64 else blocks[column.block][column.row]
        if column.type == KIND_TYPE:
            arrays.append(pa.DictionaryArray.from_arrays(pa.array(values), KIND_NAMES))
        elif column.type == pa.bool_():
            arrays.append(pa.array(values.view(np.bool_)))
        else:
            arrays.append(pa.array(values))
    return pa.Table.from_arrays(arrays, schema=arrow_schema(setup.players, setup.leftovers))


def empty_summary(setup: Setup) -> Summary:
    """The summary of no deals."""
    names = [e.name for e in setup.lineup]
    groups = list(dict.fromkeys(names))
    slots = [names.count(name) for name in groups]
    return Summary(groups, setup.players, setup.seatings_per_deal, slots, setup.stake)


def add_rows(summary: Summary, setup: Setup, rows: Rows) -> None:
    """Add some complete deals to a summary."""
    groups = np.array([summary.groups.index(e.name) for e in setup.lineup], np.int64)
    part = {name: np.zeros(array.shape, np.int64) for name, array in summary.arrays.items()}
    by_seat = (len(summary.groups), setup.players)
    scratch = [
        np.zeros(s, np.int64) for s in ((len(METRICS), len(summary.groups)), by_seat, by_seat)
    ]
    summary.n_deals += tally_rows(
        setup.players, groups, setup.stake, rows.deals, rows.block8, rows.block16, rows.block32,
        *scratch, *part.values(),
    )  # fmt: skip
    for name, array in part.items():
        summary.arrays[name] += array


class Worker:
    """What one thread keeps between tasks."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.workspace = Workspace(setup)
        self.step = 16  # deals per call into the kernel; adapts to STEP_SECONDS

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

        Raises StrategyError. progress is called with the number of playouts after each step.
        """
        setup = self.setup
        summary = empty_summary(setup)
        pieces: list[Rows] = []
        begun = time.monotonic()
        position = first
        while position < end and not stop.is_set() and time.monotonic() - begun < seconds:
            n = min(self.step, end - position, max(1, MAX_STEP_ROWS // setup.seatings_per_deal))
            started = time.monotonic()
            rows = self.workspace.play(position, n)
            add_rows(summary, setup, rows)
            position += n
            if keep_rows:
                pieces.append(rows)
            progress(len(rows))
            taken = time.monotonic() - started
            if taken < STEP_SECONDS / 2:
                self.step = min(self.step * 2, MAX_STEP_ROWS)
            elif taken > STEP_SECONDS:
                self.step = max(1, self.step // 2)
        table = None
        if keep_rows:
            table = pa.concat_tables([to_table(setup, rows) for rows in pieces]) if pieces else None
        return Finished(first, position, summary, table)
