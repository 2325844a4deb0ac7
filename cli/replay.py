"""`bigtwo replay`: one playout, turn by turn."""

from math import factorial
from typing import TYPE_CHECKING, Annotated

import typer

from cli.options import Json, Trust
from cli.output import cards, kind_name, note, out, print_json

if TYPE_CHECKING:
    from simcore.simulation.replay import Replay


def replay(
    deal: Annotated[int, typer.Option(help="Number of the deal under the seed.")],
    run: Annotated[str | None, typer.Argument(help="A run's folder.", show_default=False)] = None,
    rules: Annotated[str | None, typer.Option(help="Rule set, instead of a run.")] = None,
    lineup: Annotated[
        str | None, typer.Option(help="Strategies by slot, instead of a run.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed, instead of a run.")] = None,
    players: Annotated[int | None, typer.Option(help="Table size, instead of a run.")] = None,
    seating: Annotated[
        int | None,
        typer.Option(help="Permutation of the slots. Default: the run's first for the deal, or 0."),
    ] = None,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Play one deal again and show every turn; from a run's folder, or --rules and --lineup."""
    from simcore.errors import InputError
    from simcore.runs.run import setup_of
    from simcore.runs.store import Store
    from simcore.simulation.replay import replay_setup, seatings_of
    from simcore.simulation.setup import make_setup

    if run is not None:
        given = {"--rules": rules, "--lineup": lineup, "--seed": seed, "--players": players}
        extra = [name for name, value in given.items() if value is not None]
        if extra:
            raise InputError(
                f"{extra[0]} and a run are given; the run says it already: leave out one"
            )
        store = Store.open(run)
        setup = setup_of(store.document["identity"], trust)
        played = seatings_of(setup, deal)
        if seating is None:
            seating = played[0]
        elif seating not in played and 0 <= seating < factorial(setup.players):
            which = ", ".join(str(k) for k in played)
            note(f"seating {seating} of deal {deal} is not part of the run; its seatings: {which}")
        if not any(first <= deal < end for first, end in store.ranges()):
            note(f"deal {deal} is not part of the run, which could be extended to it")
    elif lineup is None:
        raise InputError(
            "what to replay is missing: give a run's folder, or --rules, --lineup and --seed"
        )
    else:
        setup = make_setup(rules or "douque", lineup, seed or 0, players, "fixed")
    found = replay_setup(setup, deal, seating or 0)
    if as_json:
        data = found.as_dict()
        data.pop("slots")
        print_json(data)
    else:
        _show(found)


def _show(found: "Replay") -> None:
    """The playout as a page: hands, a line a turn, the result."""
    names = [found.lineup[slot] for slot in found.slots]
    width = max(len(name) for name in names)
    out.print(
        f"{found.rules}, seed {found.seed}, deal {found.deal}, seating {found.seating}",
        style="bold",
        highlight=False,
    )
    for seat, hand in enumerate(found.hands):
        starts = "  starts" if seat == found.starter else ""
        out.print(
            f"seat {seat} {names[seat]:{width}s} ", cards(hand), starts, sep="", highlight=False
        )
    trick = 0
    left = [len(hand) for hand in found.hands]
    for turn in found.turns:
        seat = turn["seat"]
        if turn["trick"] != trick:
            trick = turn["trick"]
            out.print(f"trick {trick}", style="dim", highlight=False)
        if turn["cards"]:
            left[seat] -= len(turn["cards"])
        what = cards(turn["cards"]) if turn["cards"] else "pass"
        kind = f"  {kind_name(turn['kind'])}, {left[seat]} left" if turn["cards"] else ""
        out.print(f"  seat {seat} {names[seat]:{width}s} ", what, kind, sep="", highlight=False)
    out.print(f"seat {found.winner} ({names[found.winner]}) wins", style="bold", highlight=False)
    for seat, payoff in enumerate(found.payoffs):
        out.print(
            f"  seat {seat} {names[seat]:{width}s} {found.cards_left[seat]:2d} cards "
            f"left, payoff {payoff:+,d}",
            highlight=False,
        )
