"""`bigtwo replay`: one playout, turn by turn."""

from math import factorial
from pathlib import Path
from typing import Annotated

import typer

from cli.options import Json, Trust
from cli.output import note, print_frame, print_json
from cli.shown import show_hand


def replay(
    run: Annotated[str | None, typer.Argument(help="A run's folder.", show_default=False)] = None,
    deal: Annotated[
        int | None, typer.Option(help="Number of the deal under the seed.", show_default=False)
    ] = None,
    what: Annotated[
        str | None,
        typer.Option(
            "--find",
            metavar="WHAT,…",
            help="List playouts of the run by what happened: grand_slam, dragon, 'plays < 12', "
            "'payoff < -100 and cards_left == 13', …",
        ),
    ] = None,
    most: Annotated[int, typer.Option(help="How many to list.", min=1)] = 20,
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
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page that shows it on a table.")
    ] = None,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Play one deal again and show every turn; from a run's folder, or --rules and --lineup.

    With --find, list deals of a run by what happened in them, as the events of `analyse rare`:
    dragon, flush_dragon, bomb, grand_slam, stuck, rout, multiplied; the kind of the last play; or
    a condition on the columns, of which those of a seat hold for some seat.
    """
    from simcore.errors import InputError
    from simcore.records.table_page import told, write_page
    from simcore.records.writing import of_replay
    from simcore.runs.run import setup_of
    from simcore.runs.store import Store
    from simcore.simulation.replay import replay_setup, seatings_of
    from simcore.simulation.setup import make_setup

    if what is not None:
        _find(run, deal, what, most, as_json)
        return
    if deal is None:
        raise InputError("--deal is missing: which deal to replay (--find lists some)")
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
        return
    record = of_replay(found, setup)
    if html is not None:
        write_page(record, html)
        note(f"page in {html}")
        return
    title = f"{found.rules}, seed {found.seed}, deal {found.deal}, seating {found.seating}"
    show_hand({**told(record), "title": title})


def _find(run: str | None, deal: int | None, what: str, most: int, as_json: bool) -> None:
    """List playouts by what happened."""
    from analyses import find
    from analyses.cells import records
    from simcore.errors import InputError

    if run is None or deal is not None:
        raise InputError("--find looks through a run: give its folder, and leave out --deal")
    found = find(run, what, most)
    if as_json:
        print_json({"playouts": records(found)})
    elif found.empty:
        note("no playout of the run is like that")
    else:
        print_frame(found)
        if len(found) == most:
            note(f"the first {most}; --most lists more")
