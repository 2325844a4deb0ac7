"""`bigtwo decide`: what a strategy plays in one position."""

from typing import Annotated

import typer

from cli.options import Json, Rules
from cli.output import cards, kind_name, out, print_json


def decide(
    strategy: Annotated[str, typer.Option(help="As in a lineup: a name, or file.py:attribute.")],
    hand: Annotated[str, typer.Option(help="Its cards, as in '3c Td 2s'.")],
    rules: Rules = "douque",
    table: Annotated[
        str | None, typer.Option(help="The standing play; without it, it leads.")
    ] = None,
    by: Annotated[
        int | None,
        typer.Option(help="Who made it, counted from the strategy: 1 is next. Default: the last."),
    ] = None,
    cards_left: Annotated[
        str | None, typer.Option(help="Cards of every seat, its own first: 5,13,13,13.")
    ] = None,
    seen: Annotated[str | None, typer.Option(help="All cards played so far.")] = None,
    passed: Annotated[
        str | None, typer.Option(help="Seats that passed since: 2,3. Default: those between.")
    ] = None,
    locked: Annotated[
        str | None, typer.Option(help="Seats that are locked out. Default: by the rules.")
    ] = None,
    starter: Annotated[int | None, typer.Option(help="Who started, counted likewise.")] = None,
    fresh: Annotated[
        bool | None,
        typer.Option("--fresh/--no-fresh", help="It has not played yet. Default: by its cards."),
    ] = None,
    required: Annotated[
        str | None, typer.Option(help="Card that the first play must contain. Default: by rules.")
    ] = None,
    turn: Annotated[int | None, typer.Option(help="Turns taken so far, passes included.")] = None,
    trick: Annotated[int, typer.Option(help="Number of the trick.")] = 1,
    players: Annotated[int | None, typer.Option(help="Table size.")] = None,
    seed: Annotated[int, typer.Option(help="Of its random numbers.")] = 0,
    deal: Annotated[int, typer.Option(help="Of its random numbers.")] = 0,
    slot: Annotated[int, typer.Option(help="Of its random numbers.")] = 0,
    drawn: Annotated[
        int | None, typer.Option(help="Random words that it has used. Default: by the turn.")
    ] = None,
    decision_limit: Annotated[
        str, typer.Option(help="Time until the strategy counts as never returning.")
    ] = "60s",
    as_json: Json = False,
) -> None:
    """Say what a strategy plays in a position."""
    import simcore
    from simcore.runs.stopping import parse_time

    found = simcore.decide(
        rules,
        strategy,
        hand,
        table,
        to_beat_by=by,
        cards_left=_numbers("cards-left", cards_left, "5,13,13,13"),
        seen=seen,
        passed=_numbers("passed", passed, "2,3"),
        locked=_numbers("locked", locked, "2,3"),
        starter=starter,
        fresh=fresh,
        required=required,
        turn=turn,
        trick=trick,
        players=players,
        seed=seed,
        deal=deal,
        slot=slot,
        drawn=drawn,
        decision_limit=parse_time(decision_limit),
    )
    if as_json:
        print_json(
            {
                "play": {"cards": list(found.play.cards), "kind": found.play.kind},
                "plays": [{"cards": list(p.cards), "kind": p.kind} for p in found.plays],
                "drawn": found.drawn,
            }
        )
    elif found.play:
        out.print(cards(found.play.cards), f" {kind_name(found.play.kind)}", sep="")
    else:
        out.print("pass")


def _numbers(option: str, text: str | None, example: str) -> list[int] | None:
    """Read 2,3; an empty text is no number at all."""
    from simcore.errors import InputError

    if text is None:
        return None
    parts = text.replace(",", " ").split()
    if not all(part.isdecimal() for part in parts):
        raise InputError(f"--{option} {text!r}: write whole numbers, as in {example}")
    return [int(part) for part in parts]
