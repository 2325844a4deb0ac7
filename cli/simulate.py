"""`bigtwo simulate`: play many deals, write them, print a table with intervals."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.options import Json, Rules, Seed, Threads, count
from cli.output import note, print_json
from cli.playing import announce_compilation, playing
from cli.summary import print_summary, summary_records

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from simcore.runs.collect import Collector
    from simcore.runs.result import Run


def simulate(
    lineup: Annotated[
        str,
        typer.Option(help="Strategies by slot, NAME:key=value; A,B fills four seats as A,B,A,B."),
    ],
    deals: Annotated[
        int | None, typer.Option(help="Number of deals: 1000, 500k, 2m, 1e6 …", parser=count())
    ] = None,
    rules: Rules = "douque",
    seed: Seed = 0,
    seatings: Annotated[
        str | None,
        typer.Option(help="fixed, rotations, balanced or all. Default: balanced if mixed."),
    ] = None,
    players: Annotated[
        int | None, typer.Option(help="Table size. Default: the lineup's, or 4.")
    ] = None,
    threads: Threads = None,
    stake: Annotated[int, typer.Option(help="Factor on every payoff.")] = 1,
    out_folder: Annotated[
        str | None,
        typer.Option("--out", help="Folder (or URL) for the run. Without it, nothing is written."),
    ] = None,
    summary_only: Annotated[
        bool, typer.Option("--summary-only", help="Keep exact sums instead of one row per playout.")
    ] = False,
    first_deal: Annotated[
        int,
        typer.Option(
            help="Number of the first deal, to share a run among machines.", parser=count()
        ),
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
    turns: Annotated[
        bool, typer.Option("--turns", help="Also write one row for each turn, into OUT/turns.")
    ] = False,
    turns_every: Annotated[
        int | None,
        typer.Option(help="Turns of every so many deals only; implies --turns.", parser=count()),
    ] = None,
    as_json: Json = False,
) -> None:
    """Play many deals with different strategies and sum them up.

    The same command again finishes a run that was stopped; with more --deals it extends it.
    """
    from simcore.runs.collect import Collector
    from simcore.runs.turns import disk_needed, turns_wanted
    from simcore.simulation.setup import make_setup

    every = turns_wanted(turns, turns_every, out_folder)
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
            f"{' and '.join(collector.plain)}: played in {collector.threads} "
            "processes, some hundred times slower than compiled"
        )
    if every:
        note(disk_needed(setup, first_deal, deals, every))
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
    if every and run.complete and run.folder is not None:
        run.complete = _write_turns(run.folder, collector, every)
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


def _play(collector: "Collector") -> "Run":
    """Run with a progress bar."""
    with playing(collector.stop, collector.wanted) as show:
        return collector.run(lambda done, wanted: show(done))


def _write_turns(folder: str, collector: "Collector", every: int) -> bool:
    """Write the turns that are missing, with a progress bar; whether all are there now."""
    from simcore.runs.turns import Filling

    filling = Filling(
        folder, collector.setup, every, collector.threads, collector.stop, collector.limit
    )
    for text in filling.notes:
        note(text)
    deals = filling.deals
    with playing(collector.stop, deals) as show:
        complete = filling.run(show)
    if complete:
        note(f"turns of {deals:,} deals written, in {folder}/turns")
    return complete


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
