"""`bigtwo review`: what every decision of real hands cost, and what was luck."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.options import Json, Threads, count
from cli.output import check_place, err, note, out, print_frame, print_json, write_out

if TYPE_CHECKING:
    from rich.progress import Progress

    from analyses.review import Review

SHOWN = 10  # costliest turns
ENDINGS = {".html", ".jsonl"}


def review(
    file: Annotated[Path, typer.Argument(help="Records of play, one hand a line (JSON Lines).")],
    rules: Annotated[
        str | None, typer.Option(help="By which rules. Default: what each record says.")
    ] = None,
    strategy: Annotated[
        str, typer.Option(help="Who plays on after each play that is tried, at all seats.")
    ] = "linear",
    half_width: Annotated[
        float, typer.Option(help="How well the difference of the best two is known, in points.")
    ] = 0.3,
    samples: Annotated[
        int,
        typer.Option(
            help="Arrangements of the hidden cards a decision, at most.", parser=count()
        ),
    ] = 20_000,
    seed: Annotated[int, typer.Option(help="Of its random numbers.")] = 0,
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="Letters for names, by order of appearance.")
    ] = False,
    to: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o",
            help="Write page.html, or reviewed.jsonl: the records with the values of their plays.",
        ),
    ] = None,
    threads: Threads = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Say what each decision cost against the best play, what each player loses, what was luck."""
    from analyses.review import review
    from simcore.errors import RunError

    if to is not None and to.suffix not in ENDINGS:
        raise RunError(f"file {str(to)!r} ends in neither .html nor .jsonl; name it by what it is")
    if to is not None:
        check_place(to)
    with _watched() as bar:
        task = bar.add_task("reviewing", total=None)
        found = review(
            file, rules, strategy, half_width=half_width, samples=samples, seed=seed,
            anonymous=anonymous, threads=threads,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )  # fmt: skip
    if to is not None:
        write_out(to, _text(found, to, file))
    if as_json:
        from analyses.cells import records

        frames = {name: records(frame) for name, frame in found.frames().items()}
        print_json({"rules": found.rules, "policy": found.policy, "notes": found.notes, **frames})
    else:
        _print(found)


def _watched() -> "Progress":
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Remaining()
    return Progress(*columns, console=err, transient=True, disable=not err.is_terminal)


def _text(found: "Review", to: Path, file: Path) -> str:
    if to.suffix == ".jsonl":
        return "".join(record.as_line() + "\n" for record in found.records)
    from analyses.report import review_page

    return review_page(found, file.name)


def _print(found: "Review") -> None:
    from analyses.review import costliest

    if len(found.players):
        print_frame(found.players)
    if len(found.differences):
        out.print()
        print_frame(found.differences)
    made = found.blunders[found.blunders["possible"] > 0]
    if len(made):
        out.print()
        print_frame(made)
    worst = costliest(found.decisions, SHOWN)
    out.print()
    if len(worst):
        print_frame(worst)
    else:
        out.print("No turn certainly cost anything.", highlight=False)
    out.print()
    err.print(
        f"Values are those under {found.policy}, which plays on at all seats. lost: points a hand "
        "against the best plays; adjusted: payoff without the luck of the cards. Intervals cover "
        "95 %, over hands; of the turns called costly at most 5 % are not, on average.",
        style="dim",
        highlight=False,
    )
    for text in found.notes:
        note(text)
