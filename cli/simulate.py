"""`bigtwo simulate`: play many deals, write them, print a table with intervals."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.ask import Json
from cli.output import err, interval, note, out, print_json, table

if TYPE_CHECKING:
    import threading
    from concurrent.futures import Executor

    from simcore.runs.collect import Collector
    from simcore.runs.result import Run
    from simcore.runs.summary import Summary
    from simcore.simulation.setup import Setup


def simulate(
    lineup: Annotated[
        str,
        typer.Option(help="Strategies by slot, NAME:key=value; A,B fills four seats as A,B,A,B."),
    ],
    deals: Annotated[int | None, typer.Option(help="Number of deals.")] = None,
    rules: Annotated[
        str, typer.Option(help="Rule set: a name, a .toml file, or name:key=value.")
    ] = "douque",
    seed: Annotated[int, typer.Option(help="A deal is a function of seed and number.")] = 0,
    seatings: Annotated[
        str | None,
        typer.Option(help="fixed, rotations, balanced or all. Default: balanced if mixed."),
    ] = None,
    players: Annotated[
        int | None, typer.Option(help="Table size. Default: the lineup's, or 4.")
    ] = None,
    threads: Annotated[int | None, typer.Option(help="Default: all cores.")] = None,
    stake: Annotated[int, typer.Option(help="Factor on every payoff.")] = 1,
    out_folder: Annotated[
        str | None,
        typer.Option("--out", help="Folder (or URL) for the run. Without it, nothing is written."),
    ] = None,
    summary_only: Annotated[
        bool, typer.Option("--summary-only", help="Keep exact sums instead of one row per playout.")
    ] = False,
    first_deal: Annotated[
        int, typer.Option(help="Number of the first deal, to share a run among machines.")
    ] = 0,
    until: Annotated[
        str | None,
        typer.Option(
            help="Go on until half-width=0.002:metric=win_rate:strategy=NAME (or payoff)."
        ),
    ] = None,
    max_time: Annotated[str | None, typer.Option(help="Stop after 90s, 10m, 2h …")] = None,
    decision_limit: Annotated[
        str, typer.Option(help="Time for one decision, until a strategy counts as never returning.")
    ] = "60s",
    executor: Annotated[str, typer.Option(help="threads, or dask for a cluster.")] = "threads",
    scheduler: Annotated[
        str | None, typer.Option(help="Address of the Dask scheduler, tcp://host:8786.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Play many deals with different strategies and sum them up.

    The same command again finishes a run that was stopped; with more --deals it extends it.
    """
    from simcore.runs.collect import Collector
    from simcore.simulation.setup import make_setup

    setup = make_setup(rules, lineup, seed, players, seatings, stake)
    cluster, workers = _executor(executor, scheduler)
    collector = Collector(
        setup,
        deals,
        workers if threads is None else threads,
        out_folder,
        summary_only or out_folder is None,
        first_deal,
        cluster,
        until,
        max_time,
        decision_limit,
    )
    if cluster is None:
        announce_compilation(setup, collector.limit)
    if collector.plain and cluster is None:
        note(
            f"{' and '.join(collector.plain)} in plain Python: played in {collector.threads} "
            "processes, some hundred times slower than compiled"
        )
    run = _play(collector)
    for text in run.notes:
        note(text)
    if as_json:
        print_json(_as_json(run))
    elif run.summary.n_deals:
        print_summary(run.summary, setup.rules.name, setup.seed, setup.seatings)
    rate = f", {run.played / run.seconds:,.0f}/s" if run.played else ""
    where = collector.executor_name if cluster is None else executor
    note(f"{run.played:,} playouts in {run.seconds:.2f} s{rate} on {collector.threads} {where}")
    if run.folder is not None and collector.store is not None:
        note(f"run {collector.store.id} in {run.folder}")
    elif not summary_only:
        note("nothing written: give --out DIR to keep every playout")
    if not run.complete:
        kept = (
            f"; what was played is in {run.folder}, the same command goes on" if run.folder else ""
        )
        note(f"stopped{kept}")
        raise typer.Exit(130)


def _executor(name: str, scheduler: str | None) -> tuple["Executor | None", int | None]:
    """(executor, its workers) of a cluster; (None, None) for threads here."""
    from simcore.errors import InputError, nearest

    if name not in ("threads", "dask"):
        raise InputError(f"unknown executor {name!r}; {nearest(name, ('threads', 'dask'))}")
    if (name == "dask") != (scheduler is not None):
        raise InputError(
            "--executor dask and --scheduler ADDRESS go together; give both or neither"
        )
    if scheduler is None:
        return None, None
    from simcore.runs.dask import dask_executor

    return dask_executor(scheduler)


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

    warm = jit.is_warm("engine")
    # In a thread: this one must stay free for Ctrl-C, should a strategy never return.
    with on_interrupt(leave), ThreadPoolExecutor(1) as pool:
        compiling = pool.submit(compile_engine, setup, limit)
        if warm:
            _wait_for(compiling)
            return
        with err.status("compiling the engine once on this machine (about 15 s) …"):
            if not err.is_terminal:
                note("compiling the engine once on this machine (about 15 s) …")
            seconds = _wait_for(compiling)
    note(f"compiled in {seconds:.1f} s; later runs start at once")


def _wait_for(future: "Future[float]") -> float:
    """The result, waiting in small steps, between which signals are heard."""
    while not wait([future], timeout=0.1).done:
        pass
    return future.result()


@contextmanager
def playing(stop: "threading.Event", wanted: int | None) -> Iterator[Callable[[int], None]]:
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


def _play(collector: "Collector") -> "Run":
    """Run with a progress bar."""
    with playing(collector.stop, collector.wanted) as show:
        return collector.run(lambda done, wanted: show(done))


def summary_records(summary: "Summary") -> dict[str, Any]:
    """The tables of a summary as plain data; an interval that is unknown is null."""
    from analyses import seat_table, strategy_table
    from analyses.cells import records

    return {
        "deals": summary.n_deals,
        "strategies": records(strategy_table(summary)),
        "seats": records(seat_table(summary)),
    }


def _as_json(run: "Run") -> dict[str, Any]:
    setup = run.setup
    return {
        "rules": setup.rules.name,
        "lineup": [e.name for e in setup.lineup],
        "seed": setup.seed,
        "players": setup.players,
        "seatings": setup.seatings,
        "stake": setup.stake,
        "complete": run.complete,
        "folder": run.folder,
        **summary_records(run.summary),
    }


def print_summary(summary: "Summary", rules: str, seed: int, seatings: str) -> None:
    """The table of a run, per strategy, with 95 % intervals over deals."""
    from analyses import seat_table, strategy_table

    out.print(
        f"{rules}, {summary.players} players, seed {seed}, {seatings} seatings: "
        f"{summary.n_deals:,} deals, {summary.playouts:,} playouts",
        highlight=False,
    )
    seats = seat_table(summary)
    rows = table("strategy", ">playouts", ">win rate", ">payoff", ">cards left")
    for row in strategy_table(summary).to_dict("records"):
        rows.add_row(
            row["strategy"],
            f"{row['playouts']:,}",
            interval(row["win_rate"], row["win_rate_low"], row["win_rate_high"], 4),
            interval(row["payoff"], row["payoff_low"], row["payoff_high"], 3),
            interval(row["cards_left"], row["cards_left_low"], row["cards_left_high"], 3),
        )
    out.print(rows)
    out.print()
    names = ["starter", "next", *(f"{k} on" for k in range(2, summary.players))]
    shares = table("win share", *(f">{name}" for name in names))
    for name, group in seats.groupby("strategy", sort=False):
        cells = [
            interval(r["win_share"], r["win_share_low"], r["win_share_high"], 4)
            if r["playouts"]
            else "–"
            for r in group.to_dict("records")
        ]
        shares.add_row(str(name), *cells)
    out.print(shares)
    out.print(
        "± is half a 95 % interval over deals; seats are counted from the starter.", style="dim"
    )
    if summary.n_deals < 100:
        out.print(
            "Fewer than 100 deals: the intervals are rough; one deal has none (?).", style="dim"
        )
