"""`bigtwo train`: a network for a rule set, by playing against itself."""

from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.options import Json, Rules, Seed, Threads, count, numbers
from cli.output import check_place, err, note, out, print_json
from cli.playing import announce_compilation, on_interrupt

if TYPE_CHECKING:
    from simcore.workshop.judging import Judgement
    from simcore.workshop.training import Trained, Trainer


def train(
    rules: Rules = "douque",
    to: Annotated[
        Path, typer.Option("--out", "-o", help="File of weights to write, NAME.npz.")
    ] = Path("net.npz"),
    budget: Annotated[str, typer.Option(help="How long: 90s, 20m, 1h …")] = "20m",
    playouts: Annotated[
        int | None,
        typer.Option(help="How many playouts instead, 2m, 500k …", parser=count(1)),
    ] = None,
    players: Annotated[
        str | None, typer.Option(help="Table sizes, as in 3,4. Default: all that the rules allow.")
    ] = None,
    seed: Seed = 0,
    threads: Threads = None,
    verdict_deals: Annotated[
        int, typer.Option(help="Held-out deals that judge the result.", parser=count(10))
    ] = 4_000,
    plot: Annotated[
        Path | None, typer.Option(help="Also draw the curve of its strength, as .svg or .png.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Train a network for a rule set by playing against itself; `net:weights=net.npz` plays it.

    Beside the file lie a log, one line of JSON a round, and a checkpoint: the same command goes on
    where it was stopped, and with a larger budget it goes on learning.
    """
    from rich.progress import BarColumn, Progress, TextColumn

    from simcore.runs.collect import usable_cores
    from simcore.runs.stopping import parse_time
    from simcore.workshop.training import Budget, Trainer

    limit = Budget(playouts) if playouts is not None else Budget(seconds=parse_time(budget))
    trainer = Trainer(
        rules, to, limit, seed, numbers("players", players, "3,4"),
        usable_cores() if threads is None else threads, verdict_deals=verdict_deals,
    )  # fmt: skip
    if plot is not None:
        from analyses.report import check_curve

        check_place(plot)
        check_curve(plot)
    announce_compilation(trainer.first_table())

    def stop(signal_number: int, frame: FrameType | None) -> None:
        trainer.stop = True

    bar = Progress(
        TextColumn("{task.fields[playouts]} playouts, {task.fields[gain]} over control"),
        BarColumn(),
        TextColumn("{task.percentage:.0f} %"),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    )
    with on_interrupt(stop), bar:
        task = bar.add_task("", total=1.0, playouts="0", gain="…")

        def show(now: "Trainer", share: float) -> None:
            gain = f"{now.curve[-1].gain:+.2f}" if now.curve else "…"
            bar.update(task, completed=share, playouts=f"{now.playouts:,}", gain=gain)

        trained = trainer.run(show)
    if plot is not None:
        from analyses.report import draw_training

        draw_training(to, plot)
    if as_json:
        print_json(_as_json(trained, to))
    else:
        for judgement in trained.verdict:
            out.print(_sentence(judgement), highlight=False)
    note(
        f"weights in {to}, played by --lineup net:weights={to}; {trained.playouts:,} playouts in "
        f"{trained.seconds:,.0f} s"
    )
    if not trained.complete:
        note("stopped; the same command goes on")
        raise typer.Exit(130)


def _sentence(found: "Judgement") -> str:
    return (
        f"net against {found.against}, {found.players} players: {found.gain:+.3f} ± "
        f"{found.gain_half_width:.3f} points a playout over {found.deals:,} held-out deals"
    )


def _as_json(trained: "Trained", to: Path) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "file": str(to),
        "network": trained.network.hash,
        "playouts": trained.playouts,
        "seconds": round(trained.seconds, 1),
        "complete": trained.complete,
        "verdict": [asdict(judgement) for judgement in trained.verdict],
        "curve": [asdict(judgement) for judgement in trained.curve],
    }
