"""`bigtwo records write | check | show`."""

from pathlib import Path
from typing import Annotated

import typer

from cli.options import Json, Trust
from cli.output import counted, note, out, print_json
from cli.shown import show_hand

app = typer.Typer(
    help="Records of play, one hand a line: write a run's, check anybody's, show one.",
    no_args_is_help=True,
)
File = Annotated[Path, typer.Argument(metavar="FILE", help="Records, one a line (JSON Lines).")]


@app.command("write")
def write(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run's folder, or its URL.")],
    deals: Annotated[
        str | None, typer.Option(metavar="A:B", help="Deals A to B - 1. Default: all of the run.")
    ] = None,
    seating: Annotated[
        int | None, typer.Option(help="Only this seating. Default: all that the run plays.")
    ] = None,
    out_file: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Default: standard output.")
    ] = None,
    trust: Trust = False,
) -> None:
    """Write playouts of a run as records."""
    from simcore.records import playouts, write

    wanted = None if deals is None else _range(deals)
    if out_file is None:
        for record in playouts(run, wanted, seating, trust):
            typer.echo(record.as_line())
    else:
        number = write(run, out_file, wanted, seating, trust)
        note(f"{counted(number, 'record')} in {out_file}")


def _range(text: str) -> tuple[int, int]:
    """The numbers of "A:B". Raises InputError."""
    from simcore.errors import InputError

    first, colon, end = text.partition(":")
    if not colon or not first.isdecimal() or not end.isdecimal():
        raise InputError(f"deals {text!r} are no range; write A:B, as in 0:100 for the first 100")
    return int(first), int(end)


@app.command("check")
def check(
    file: File,
    rules: Annotated[
        str | None,
        typer.Option(help="Rule set to judge by. Default: what each record says."),
    ] = None,
    most: Annotated[int, typer.Option(help="How many faults to print.")] = 20,
    as_json: Json = False,
) -> int:
    """Check every turn of every record; the first fault of each. Exit status 1 if there is any."""
    from simcore.records import check

    found = check(file, rules)
    if as_json:
        print_json(found.as_dict())
        return int(bool(len(found.faults)))
    for sentence in found.faults["sentence"][:most]:
        out.print(sentence, highlight=False, soft_wrap=True)
    if len(found.faults) > most:
        note(f"and {len(found.faults) - most:,} more (--most, --json)")
    faulty = found.faults["fault"].value_counts()
    out.print(
        f"{counted(found.records, 'record')}, {counted(found.turns, 'turn')}: "
        + (f"{len(found.faults):,} with a fault" if len(faulty) else "no fault"),
        style="bold",
        highlight=False,
    )
    for fault, number in faulty.items():
        out.print(f"  {str(fault).replace('_', ' ')}: {number:,}", highlight=False)
    if found.unknown:
        note(f"hands not all known, so checked as far as one can: {found.unknown:,}")
    if found.unsettled:
        note(f"payoffs not given, or not determined by the known cards: {found.unsettled:,}")
    return int(bool(len(found.faults)))


@app.command("show")
def show(
    file: File,
    hand: Annotated[int, typer.Option(help="Which record of the file, from 1.")] = 1,
    rules: Annotated[
        str | None, typer.Option(help="Rule set. Default: what the record says.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Write a page that shows it on a table.")
    ] = None,
) -> None:
    """Show one hand of a file of records, turn by turn."""
    from itertools import islice

    from simcore.errors import InputError
    from simcore.records import read
    from simcore.records.table_page import told, write_page

    record = next(islice(read(file), max(hand, 1) - 1, None), None) if hand > 0 else None
    if record is None:
        raise InputError(f"hand {hand} is not in {str(file)!r}; count its records from 1")
    if html is None:
        show_hand(told(record, rules))
    else:
        write_page(record, html, rules)
        note(f"page in {html}")
