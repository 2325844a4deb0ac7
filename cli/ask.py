"""`bigtwo plays | classify | beats | payoff`: questions about rules."""

from typing import Annotated

import typer

from cli.options import Json, Rules
from cli.output import cards, counted, kind_name, out, print_json, table


def plays(
    hand: Annotated[str, typer.Option(help="Own cards, as in '3c Td 2s'.")],
    rules: Rules = "douque",
    table: Annotated[
        str | None, typer.Option(help="The standing play; without it, one leads.")
    ] = None,
    opening: Annotated[
        bool, typer.Option("--opening", help="This is the first play of the hand.")
    ] = False,
    next_left: Annotated[
        int | None, typer.Option(help="Cards of the next player (last-card rule).")
    ] = None,
    as_json: Json = False,
) -> None:
    """List every legal play of a hand, weakest first."""
    from simcore import legal_plays

    found = legal_plays(rules, hand, table, opening, next_left)
    if as_json:
        print_json(
            {
                "plays": [{"cards": list(p.cards), "kind": p.kind} for p in found],
                "may_pass": table is not None,
            }
        )
        return
    kind = ""
    for play in found:
        if play.kind != kind:
            kind = play.kind
            number = sum(p.kind == kind for p in found)
            out.print(f"{kind_name(kind)} ({number})", style="bold", highlight=False)
        out.print("  ", cards(play.cards), sep="")
    out.print(counted(len(found), "legal play") + (", or pass" if table is not None else ""))


def classify(
    play: Annotated[str, typer.Argument(help="Cards, as in '3c 3d'.")],
    rules: Rules = "douque",
    as_json: Json = False,
) -> None:
    """Say what some cards form."""
    from simcore import classify

    found = classify(rules, play)
    if as_json:
        print_json({"legal": found is not None, "kind": found.kind if found else None})
    elif found is None:
        out.print("no combination", highlight=False)
    else:
        out.print(cards(found.cards), f": {kind_name(found.kind)}", sep="")


def beats(
    play: Annotated[str, typer.Argument(help="The play, as in '4c 4d'.")],
    to_beat: Annotated[str, typer.Argument(metavar="TABLE", help="The standing play.")],
    rules: Rules = "douque",
    as_json: Json = False,
) -> None:
    """Say whether a play beats the standing one, and why."""
    from simcore.rulebook import explain_beats

    beaten, why = explain_beats(rules, play, to_beat)
    if as_json:
        print_json({"beats": beaten, "why": why})
    else:
        out.print("yes." if beaten else "no.", why, highlight=False)


def payoff(
    last: Annotated[str, typer.Option(help="The winner's last play.")],
    left: Annotated[list[str], typer.Option(help="Cards left of one loser; once for each.")],
    rules: Rules = "douque",
    grand_slam: Annotated[
        bool, typer.Option("--grand-slam", help="The starter won and nobody else played a card.")
    ] = False,
    stake: Annotated[int, typer.Option(help="Factor on every payment.")] = 1,
    idle: Annotated[
        list[int] | None,
        typer.Option(help="Number of a loser, from 1, who has played no card; once for each."),
    ] = None,
    payer: Annotated[
        int | None, typer.Option(help="Number of the loser, from 1, who pays for all.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Settle a finished hand, item by item."""
    from simcore.rulebook import itemised_payoffs

    result, items = itemised_payoffs(rules, last, left, grand_slam, stake, idle, payer)
    if as_json:
        print_json({"payoffs": result, "items": items})
        return
    rows = table("who", "item", ">effect", "because of")
    for item in items:
        effect = f"× {item['times']}" + (f" + {item['points']}" if item.get("points") else "")
        rows.add_row(item["who"], kind_name(item["item"]), effect, item.get("why", "all of these"))
    out.print(rows)
    out.print()
    for i, value in enumerate(result):
        out.print(f"{'winner' if i == 0 else f'loser {i}':10s}{value:+,d}", highlight=False)
