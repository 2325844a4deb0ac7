"""`bigtwo decide`: what a strategy plays in one position."""

from typing import Annotated

import typer

from cli.options import (
    By,
    CardsLeft,
    DecisionLimit,
    FirstHand,
    Fresh,
    Hand,
    Json,
    Locked,
    Passed,
    Required,
    Rules,
    Seen,
    Starter,
    TableSize,
    ToBeat,
    Trick,
    Turn,
    numbers,
)
from cli.output import cards, kind_name, out, print_json


def decide(
    strategy: Annotated[str, typer.Option(help="As in a lineup: a name, or file.py:attribute.")],
    hand: Hand,
    rules: Rules = "douque",
    table: ToBeat = None,
    by: By = None,
    cards_left: CardsLeft = None,
    seen: Seen = None,
    passed: Passed = None,
    locked: Locked = None,
    starter: Starter = None,
    fresh: Fresh = None,
    first_hand: FirstHand = True,
    required: Required = None,
    turn: Turn = None,
    trick: Trick = 1,
    players: TableSize = None,
    seed: Annotated[int, typer.Option(help="Of its random numbers.")] = 0,
    deal: Annotated[int, typer.Option(help="Of its random numbers.")] = 0,
    slot: Annotated[int, typer.Option(help="Of its random numbers.")] = 0,
    drawn: Annotated[
        int | None, typer.Option(help="Random words that it has used. Default: by the turn.")
    ] = None,
    decision_limit: DecisionLimit = "60s",
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
        cards_left=numbers("cards-left", cards_left, "5,13,13,13"),
        seen=seen,
        passed=numbers("passed", passed, "2,3"),
        locked=numbers("locked", locked, "2,3"),
        starter=starter,
        fresh=fresh,
        first_hand=first_hand,
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
