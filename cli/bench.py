"""`bigtwo bench`: how fast is this machine, and where the time goes."""

from typing import Annotated, Any

import typer

from cli.options import Json
from cli.output import err, note, out, print_json, table
from cli.playing import announce_compilation

PROFILED = ("random", "linear")
SHORT_GROWTH = "10000,1000000"


def bench(
    seconds: Annotated[float, typer.Option(help="Time for each measurement.")] = 1.0,
    phases: Annotated[
        bool, typer.Option("--profile", help="Show where the time of a playout goes instead.")
    ] = False,
    strategy: Annotated[
        list[str] | None,
        typer.Option(help="With --profile: the strategy in all seats; may be given again."),
    ] = None,
    rules: Annotated[str, typer.Option(help="With --profile: the rule set.")] = "douque",
    growth: Annotated[
        str | None,
        typer.Option(
            help="Show speed, memory and disk of whole runs with so many deals instead, as in "
            f"{SHORT_GROWTH}; 3 and 4 players, with and without playouts."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure the speed of this machine against goals that hold on any machine."""
    from simcore.errors import InputError
    from simcore.simulation.setup import make_setup

    if not 0 < seconds <= 600:
        raise InputError(f"{seconds} seconds are out of bounds: more than 0, at most 600")
    if phases and growth is not None:
        raise InputError("--profile and --growth are two questions; ask one at a time")
    if strategy and not phases:
        raise InputError("--strategy is for --profile; add that, or leave it out")
    announce_compilation(make_setup("douque", "random"))
    if phases:
        _profile(rules, strategy or list(PROFILED), seconds, as_json)
    elif growth is not None:
        _growth(growth, as_json)
    else:
        _figures(seconds, as_json)


def _figures(seconds: float, as_json: bool) -> None:
    """The table of goals."""
    from simcore.runs.provenance import machine
    from simcore.workshop.speed import MEASURES, calibration

    figures = []
    for measure in MEASURES:
        found = measure(seconds)
        with err.status(f"{(measure.__doc__ or '').splitlines()[0]} …"):
            figures += list(found)
    rounds = calibration()
    if as_json:
        results = [f.as_dict() for f in figures]
        print_json(
            {"calibration_rounds_per_second": rounds, "results": results, "machine": machine()}
        )
        return
    rows = table("what", "rules", "lineup", ">threads", ">figure", ">goal", "", ">rounds each")
    for f in figures:
        rows.add_row(
            f.what,
            f.rules,
            f"{f.strategy} × 4",
            str(f.threads),
            _quantity(f.figure, f.unit),
            ""
            if f.goal is None
            else f"{'≤' if f.unit == 'ns' else '≥'} {_quantity(f.goal, f.unit)}",
            "" if f.reached is None else "reached" if f.reached else "missed",
            "" if f.rounds is None else f"{f.rounds:,.1f}",
        )
    out.print(rows)
    about = machine()
    out.print(
        f"{about['processor']}, {about['cores']} cores, {about['system']}; "
        f"{rounds / 1e6:.1f} million calibration rounds/s",
        style="dim",
        highlight=False,
    )


def _quantity(value: float, unit: str) -> str:
    """A figure with its unit."""
    return f"{value:.2f} ×" if unit == "×" else f"{value:,.0f} {unit}"


def _profile(rules: str, strategies: list[str], seconds: float, as_json: bool) -> None:
    """The phases of one playout for each strategy."""
    from simcore.simulation.setup import make_setup
    from simcore.workshop.profile import profile

    results: list[dict[str, Any]] = []
    for name in strategies:
        setup = make_setup(rules, name)
        with err.status(f"{rules}, {name} × {setup.players} …"):
            found = profile(setup, seconds=seconds / 4)
        phases = found.phases | {"sums": found.sums, "write": found.write}
        results.append(
            {
                "rules": setup.rules.name,
                "strategy": name,
                "players": setup.players,
                "deals": found.deals,
                "ns_per_playout": {phase: round(ns, 1) for phase, ns in phases.items()},
                "engine_ns": round(found.engine, 1),
                "phases_over_engine": round(found.total / found.engine, 3),
                "decisions_per_playout": round(found.decisions, 2),
                "ns_per_decision": round(found.decision, 1),
            }
        )
    if as_json:
        print_json({"results": results})
        return
    for r in results:
        whole = sum(r["ns_per_playout"].values())
        out.print(
            f"{r['rules']}, {r['strategy']} × {r['players']}, one thread, {r['deals']:,} deals",
            highlight=False,
        )
        rows = table("phase", ">ns a playout", ">share")
        for phase, ns in r["ns_per_playout"].items():
            rows.add_row(phase, f"{ns:,.0f}", f"{ns / whole:.1%}")
        rows.add_row("sum", f"{whole:,.0f}", "")
        out.print(rows)
        out.print(
            f"The phases without sums and write are {r['phases_over_engine']:.2f} × the engine's "
            f"{r['engine_ns']:,.0f} ns a playout; {r['decisions_per_playout']:.1f} decisions of "
            f"{r['ns_per_decision']:,.0f} ns.\n",
            style="dim",
            highlight=False,
        )


def _growth(text: str, as_json: bool) -> None:
    """Whole runs of different lengths."""
    from dataclasses import asdict

    from simcore.errors import InputError
    from simcore.workshop.speed import growth

    try:
        sizes = [int(part) for part in text.split(",")]
    except ValueError:
        raise InputError(
            f"--growth {text!r} is no list of numbers of deals; write {SHORT_GROWTH}"
        ) from None
    if not all(1 <= n <= 10**10 for n in sizes):
        raise InputError(f"--growth {text!r} is out of bounds: 1 to {10**10} deals each")
    results = []
    for players in (3, 4):
        for keep in (False, True):
            for deals in sizes:
                with err.status(f"{deals:,} deals, {players} players …"):
                    results.append(growth(deals, players, keep))
    if as_json:
        print_json({"results": [asdict(r) for r in results]})
        return
    rows = table(">players", "keeps", ">deals", ">playouts/s", ">peak memory", ">on disk")
    for r in results:
        rows.add_row(
            str(r.players),
            r.keeps,
            f"{r.deals:,}",
            f"{r.playouts_per_second:,.0f}",
            f"{r.peak_bytes / 1e6:,.0f} MB",
            f"{r.disk_bytes / 1e6:,.1f} MB" if r.keeps == "playouts" else "",
        )
    out.print(rows)
    note("royal, random in all seats, all cores; each run in a process of its own")
