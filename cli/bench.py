"""`bigtwo bench`: how fast is this machine."""

from typing import Annotated, Any

import typer

from cli.ask import Json
from cli.output import err, out, print_json, table

CASES = [(rules, name) for rules in ("douque", "maceplay") for name in ("random", "lowest", "dump")]


def bench(
    seconds: Annotated[float, typer.Option(help="Time for each measurement.")] = 1.0,
    as_json: Json = False,
) -> None:
    """Measure playouts and turns per second, with one thread and with all."""
    from cli.simulate import announce_compilation
    from simcore.errors import InputError
    from simcore.runs.collect import Collector, usable_cores
    from simcore.runs.provenance import machine
    from simcore.simulation.setup import make_setup

    if not 0 < seconds <= 600:
        raise InputError(f"{seconds} seconds are out of bounds: more than 0, at most 600")
    results: list[dict[str, Any]] = []
    announce_compilation(make_setup("douque", "random"))
    cores = usable_cores()
    for rules, name in CASES:
        setup = make_setup(rules, name)
        for threads in sorted({1, cores}):
            with err.status(f"{rules}, {name} × {setup.players}, {threads} threads …"):
                rate = Collector(setup, 20_000, threads, summary_only=True).run()
                deals = max(20_000, int(20_000 * seconds / rate.seconds))
                run = Collector(setup, deals, threads, summary_only=True).run()
            turns = int(run.summary.arrays["lengths"][:2].sum())
            results.append(
                {
                    "rules": rules,
                    "lineup": [e.name for e in setup.lineup],
                    "threads": threads,
                    "playouts_per_second": round(run.played / run.seconds),
                    "turns_per_second": round(turns / run.seconds),
                }
            )
    if as_json:
        print_json({"results": results, "machine": machine()})
        return
    rows = table("rules", "lineup", ">threads", ">playouts/s", ">turns/s", ">ns a turn and thread")
    for r in results:
        rows.add_row(
            r["rules"],
            f"{r['lineup'][0]} × {len(r['lineup'])}",
            str(r["threads"]),
            f"{r['playouts_per_second']:,}",
            f"{r['turns_per_second']:,}",
            f"{1e9 * r['threads'] / r['turns_per_second']:.1f}",
        )
    out.print(rows)
    about = machine()
    out.print(
        f"{about['processor']}, {about['cores']} cores, {about['system']}",
        style="dim",
        highlight=False,
    )
