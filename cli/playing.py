"""What the commands share that play: compiling, Ctrl-C, progress bars, tables on the same deals."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

from cli.output import err, note

if TYPE_CHECKING:
    import pandas as pd

    from simcore.runs.reading import Source
    from simcore.simulation.setup import Setup


@contextmanager
def on_interrupt(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Ctrl-C and SIGTERM call `handler` meanwhile."""
    before = {n: signal.signal(n, handler) for n in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def announce_compilation(setup: "Setup", limit: float = 60.0) -> None:
    """Compile the engine, with a line on stderr where that takes more than a moment."""
    from simcore.foundation import jit
    from simcore.runs.executors import compile_engine

    def leave(signal_number: int, frame: FrameType | None) -> None:
        """A compiler that is interrupted halfway is in no state to go on; nothing is played yet."""
        note("stopped before the first deal; nothing was played")
        sys.stderr.flush()
        os._exit(130)

    for text in setup.notes:
        note(text)
    warm = jit.is_warm("engine")
    # In a thread: this one must stay free for Ctrl-C, should a strategy never return.
    with on_interrupt(leave), ThreadPoolExecutor(1) as pool:
        compiling = pool.submit(compile_engine, setup, limit)
        if warm:
            _wait_for(compiling)
            return
        with err.status("compiling the engine once on this machine (about half a minute) …"):
            if not err.is_terminal:
                note("compiling the engine once on this machine (about half a minute) …")
            seconds = _wait_for(compiling)
    note(f"compiled in {seconds:.1f} s; later runs start at once")


def _wait_for(future: "Future[float]") -> float:
    """The result, waiting in small steps, between which signals are heard."""
    while not wait([future], timeout=0.1).done:
        pass
    return future.result()


@contextmanager
def playing(stop: threading.Event, wanted: int | None) -> Iterator[Callable[[int], None]]:
    """A progress bar, moved by calling what this gives with the number of playouts done.

    Ctrl-C and SIGTERM set `stop`, a second one ends the process at once.
    """
    from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Rate(ProgressColumn):
        """Playouts per second."""

        def render(self, task: Any) -> Text:
            speed = task.finished_speed or task.speed
            return Text(f"{speed:,.0f}/s" if speed else "")

    def interrupt(signal_number: int, frame: FrameType | None) -> None:
        if stop.is_set():  # a strategy that never returns cannot be asked to
            note("stopped at once; finished parts are kept")
            sys.stderr.flush()
            os._exit(130)
        stop.set()

    bar = Progress(
        TextColumn("playouts"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f}"),
        Rate(),
        TimeRemainingColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    )
    with on_interrupt(interrupt), bar:
        task = bar.add_task("", total=wanted)
        yield lambda done: bar.update(task, completed=done)


@contextmanager
def progress_of(
    wanted: int, out: str | None
) -> Iterator[tuple[Callable[[int], None], threading.Event, list[str]]]:
    """A progress bar over all tables, as the last arguments of `play_tables`.

    To be called with playouts that are new; the stop event; what there is to note at the end.
    """
    stop, notes = threading.Event(), list[str]()
    done = 0
    with playing(stop, wanted) as show:

        def progress(playouts: int) -> None:
            nonlocal done
            done += playouts
            show(done)

        try:
            yield progress, stop, notes
        except KeyboardInterrupt:
            kept = f"; what was played is in {out}, the same command goes on" if out else ""
            note(f"stopped{kept}")
            raise
        finally:
            for text in notes:
                note(text)


def dealt(run: "Source", most: int) -> "pd.DataFrame":
    """The dealt hands of a run, with a progress bar."""
    from rich.progress import Progress

    from simcore.foundation import jit
    from simcore.samples.hands import KERNEL, dealt_hands

    if not jit.is_warm(KERNEL):
        note("compiling once on this machine (about 5 s) …")
    with Progress(console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task("hands")
        return dealt_hands(
            run, most, lambda done, wanted: bar.update(task, completed=done, total=wanted)
        )
