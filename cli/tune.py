"""`bigtwo tune`: better parameters for a strategy."""

from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from cli.options import Json, Rules, Threads, count
from cli.output import err, note, out, print_json
from cli.playing import announce_compilation, on_interrupt


def tune(
    strategy: Annotated[
        str, typer.Argument(help="NAME or file.py:attribute; its parameters are the start.")
    ],
    rules: Rules = "douque",
    against: Annotated[
        str, typer.Option(help="Opponents, A,B,C; with more than seats they take turns.")
    ] = "dump,keep,lowest",
    budget: Annotated[
        int, typer.Option(help="Playouts in all: 500k, 10m …", parser=count(1))
    ] = 10_000_000,
    to: Annotated[Path, typer.Option("--out", help="Weights file to write.")] = Path(
        "weights.toml"
    ),
    seed: Annotated[int, typer.Option(help="Names the deals and the search.")] = 0,
    population: Annotated[
        int | None, typer.Option(help="Candidates in a generation. Default: 4 + 3 ln n.")
    ] = None,
    deals: Annotated[
        int, typer.Option(help="Deals of each candidate and generation.", parser=count())
    ] = 1000,
    verdict_deals: Annotated[
        int, typer.Option(help="Held-out deals that judge the result.", parser=count())
    ] = 10_000,
    only: Annotated[str | None, typer.Option(help="Change these parameters only: a,b,c.")] = None,
    players: Annotated[
        int | None, typer.Option(help="Default: 4, or what the rules allow.")
    ] = None,
    threads: Threads = None,
    as_json: Json = False,
) -> None:
    """Tune a strategy's parameters for a rule set: CMA-ES over the payoff on common deals.

    Writes a weights file, which `--lineup linear:weights=weights.toml` plays, and beside it a log,
    from which the same command goes on after a stop.
    """
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from simcore.runs.collect import usable_cores
    from simcore.workshop.tuning import Tuner

    tuner = Tuner(
        strategy, rules, against, budget, to, seed, population, deals, verdict_deals,
        only, players, threads or usable_cores(),
    )  # fmt: skip
    announce_compilation(tuner.base)

    def stop(signal_number: int, frame: FrameType | None) -> None:
        tuner.stop = True

    bar = Progress(
        TextColumn("generation {task.completed} of {task.total}, mean payoff {task.fields[mean]}"),
        BarColumn(),
        TimeRemainingColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    )
    with on_interrupt(stop), bar:
        task = bar.add_task("", total=tuner.generations, mean="…")
        tuned = tuner.run(lambda playouts, mean: bar.update(task, advance=1, mean=f"{mean:+.3f}"))
    v = tuned.verdict
    if as_json:
        print_json(
            {
                "weights": tuned.weights,
                "file": str(to),
                "playouts": tuned.playouts,
                "complete": tuned.complete,
                "verdict": {
                    "deals": v.deals, "payoff_before": v.before, "payoff_after": v.after,
                    "gain": v.gain, "gain_low": v.gain - v.gain_half_width,
                    "gain_high": v.gain + v.gain_half_width,
                },
            }
        )  # fmt: skip
    else:
        out.print(
            f"{tuner.start.name} in {tuner.base.rules.name}: payoff {v.after:+.3f} a playout "
            f"(before: {v.before:+.3f}), gain {v.gain:+.3f} ± {v.gain_half_width:.3f} over "
            f"{v.deals:,} held-out deals",
            highlight=False,
        )
        if v.gain < v.gain_half_width:
            out.print("That is no certain gain: keep the start, or raise the budget.")
    note(f"weights in {to}, played by --lineup {tuner.start.strategy.name}:weights={to}")
    if not tuned.complete:
        note("stopped; the same command goes on")
        raise typer.Exit(130)
