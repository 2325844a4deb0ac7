"""`bigtwo bench`: how fast is this machine."""

from statistics import median
from typing import Annotated, Any

import typer

from cli.ask import Json
from cli.output import err, out, print_json, table

ROUNDS = 4  # the first finds how many deals take the time; the median of the others counts
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
    counts = sorted({1, usable_cores()})
    for rules, name in CASES:
        setup = make_setup(rules, name)
        rates: dict[int, list[float]] = {threads: [] for threads in counts}
        turns = 0.0
        # One and all threads take turns, so that a busy moment of the machine hits both.
        for _ in range(ROUNDS):
            for threads in counts:
                with err.status(f"{rules}, {name} × {setup.players}, threads: {threads} …"):
                    deals = max(20_000, int(rates[threads][-1] * seconds) if rates[threads] else 0)
                    run = Collector(setup, deals, threads, summary_only=True).run()
                rates[threads].append(run.played / run.seconds)
                turns = int(run.summary.arrays["lengths"][:2].sum()) / run.played
        for threads in counts:
            rate = median(rates[threads][1:])  # the first round finds the number of deals
            results.append(
                {
                    "rules": rules,
                    "lineup": [e.name for e in setup.lineup],
                    "threads": threads,
                    "playouts_per_second": round(rate),
                    "turns_per_second": round(rate * turns),
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
