"""What the commands share that play many tables on the same deals: options, and the playing."""

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from cli.output import note
from cli.simulate import announce_compilation, playing

if TYPE_CHECKING:
    import pandas as pd

    from simcore.samples.matches import Table
    from simcore.samples.scores import Scores

Entrants = Annotated[
    list[str], typer.Argument(metavar="STRATEGY…", help="Names, NAME:key=value, file.py:my_bot.")
]
Deals = Annotated[int, typer.Option(help="Number of deals, the same at every table.", min=1)]
Rules = Annotated[str, typer.Option(help="Rule set: a name, a .toml file, or name:key=value.")]
Seed = Annotated[int, typer.Option(help="A deal is a function of seed and number.")]
Tables = Annotated[
    str,
    typer.Option(help="all, mixed (all different), 1v3 (one against three of another), 2v2, …"),
]
Field = Annotated[
    str | None, typer.Option(help="Each strategy alone against this one in all other seats.")
]
Players = Annotated[int | None, typer.Option(help="Table size. Default: 4, or the rule set's.")]
Seatings = Annotated[str, typer.Option(help="balanced, all, rotations or fixed.")]
Threads = Annotated[int | None, typer.Option(help="Default: all cores.")]
Out = Annotated[
    str | None,
    typer.Option(
        "--out", help="Folder for one run a table; the same command again goes on from there."
    ),
]
FirstDeal = Annotated[int, typer.Option(help="Number of the first deal.", min=0)]
Csv = Annotated[bool, typer.Option("--csv", help="Print one tidy table as CSV.")]


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


def play(
    tables: "Sequence[Table]", deals: int, first_deal: int, threads: int | None, out: str | None
) -> "list[Scores]":
    """Play all tables on the same deals, with a progress bar."""
    from simcore.samples.matches import play_tables

    announce_compilation(tables[0].setup)
    wanted = deals * sum(table.setup.seatings_per_deal for table in tables)
    with progress_of(wanted, out) as watched:
        return play_tables(tables, deals, first_deal, threads, out, *watched)


def check_format(as_json: bool, as_csv: bool) -> None:
    """Refuse two formats at once. Raises InputError."""
    from simcore.errors import InputError

    if as_json and as_csv:
        raise InputError("--json and --csv exclude each other; give one of them")


def print_csv(frame: "pd.DataFrame") -> None:
    """A frame on stdout; what is unknown is an empty field."""
    frame.to_csv(sys.stdout, index=False)
