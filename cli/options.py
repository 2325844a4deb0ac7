"""Options that several commands share."""

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print one tidy table as CSV.")]
Rules = Annotated[
    str, typer.Option("--rules", help="Rule set: a name, a .toml file, or name:key=value.")
]
Runs = Annotated[list[str], typer.Argument(metavar="RUN…", help="Folders of runs, or URLs.")]

Trust = Annotated[
    bool,
    typer.Option(
        "--trust",
        help="Execute the code of strategies that are not the laboratory's, which the run names.",
    ),
]

# Of commands that play many tables on the same deals.
Entrants = Annotated[
    list[str], typer.Argument(metavar="STRATEGY…", help="Names, NAME:key=value, file.py:my_bot.")
]
Deals = Annotated[int, typer.Option(help="Number of deals, the same at every table.", min=1)]
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


def check_runs(runs: list[str]) -> None:
    """Refuse a run that is given twice. Raises InputError."""
    from simcore.errors import InputError

    if len(set(runs)) < len(runs):
        raise InputError(f"run {max(runs, key=runs.count)!r} is given twice; give each run once")


def check_format(as_json: bool, as_csv: bool) -> None:
    """Refuse two formats at once. Raises InputError."""
    from simcore.errors import InputError

    if as_json and as_csv:
        raise InputError("--json and --csv exclude each other; give one of them")
