"""Options that several commands share."""

import re
from collections.abc import Callable
from typing import Annotated, Any

import typer


def count(least: int | None = None) -> Callable[[Any], int]:
    """A parser of whole numbers as people write them: 1000, 1e6, 2m, 500k, 1,000,000."""

    def parse(value: Any) -> int:
        found = value if isinstance(value, int) else read_count(str(value))
        if found is None:
            text = str(value)[:40]
            raise typer.BadParameter(
                f"{text!r} is no whole number; write it as in 1000, 500k, 2m or 1e6"
            )
        if least is not None and found < least:
            raise typer.BadParameter(f"{value} is less than {least}")
        return found

    parse.__name__ = "COUNT"
    return parse


def read_count(text: str) -> int | None:
    """A whole number with k, m, g behind it or an exponent; None if it is none."""
    match = re.fullmatch(r"(-?[\d,_]*\.?\d+)(e\+?\d{1,2})?([kmg]?)", text.strip().lower())
    if match is None or len(text) > 40:
        return None
    digits = match[1].replace(",", "").replace("_", "")
    if "." not in digits and not match[2]:
        return int(digits) * _FACTORS[match[3]]
    value = float(digits + (match[2] or "")) * _FACTORS[match[3]]
    return int(value) if value.is_integer() and abs(value) < 1e18 else None


_FACTORS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}

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
Deals = Annotated[
    int,
    typer.Option(help="Number of deals, the same at every table: 1000, 20k …", parser=count(1)),
]
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
FirstDeal = Annotated[int, typer.Option(help="Number of the first deal.", parser=count(0))]

# A position, seats counted from the one whose turn it is.
Hand = Annotated[str, typer.Option(help="The hand, as in '3c Td 2s'.")]
ToBeat = Annotated[str | None, typer.Option(help="The standing play; without it, one leads.")]
By = Annotated[
    int | None,
    typer.Option(help="Who made it, counted from oneself: 1 is next. Default: the last."),
]
CardsLeft = Annotated[
    str | None, typer.Option(help="Cards of every seat, one's own first: 5,13,13,13.")
]
Seen = Annotated[str | None, typer.Option(help="All cards played so far.")]
Passed = Annotated[
    str | None, typer.Option(help="Seats that passed since: 2,3. Default: those between.")
]
Locked = Annotated[
    str | None, typer.Option(help="Seats that are locked out. Default: by the rules.")
]
Starter = Annotated[int | None, typer.Option(help="Who started, counted likewise.")]
Fresh = Annotated[
    bool | None,
    typer.Option("--fresh/--no-fresh", help="One has not played yet. Default: by the cards."),
]
FirstHand = Annotated[
    bool,
    typer.Option(
        "--first-hand/--later-hand",
        help="The opening card's holder started, or whoever leads a later hand of a session.",
    ),
]
Required = Annotated[
    str | None, typer.Option(help="Card that the first play must contain. Default: by rules.")
]
Turn = Annotated[int | None, typer.Option(help="Turns taken so far, passes included.")]
Trick = Annotated[int, typer.Option(help="Number of the trick.")]
TableSize = Annotated[int | None, typer.Option(help="Table size.")]
DecisionLimit = Annotated[
    str, typer.Option(help="Time until a strategy counts as never returning.")
]


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


def numbers(option: str, text: str | None, example: str) -> list[int] | None:
    """Read 2,3; an empty text is no number at all. Raises InputError."""
    from simcore.errors import InputError

    if text is None:
        return None
    parts = text.replace(",", " ").split()
    if not all(part.isdecimal() for part in parts):
        raise InputError(f"--{option} {text!r}: write whole numbers, as in {example}")
    return [int(part) for part in parts]
