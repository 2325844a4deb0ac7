"""`bigtwo evaluate`: what each play of a position is worth."""

from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, Any

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
    Threads,
    ToBeat,
    Trick,
    Turn,
    count,
    numbers,
)
from cli.output import cards, note, out, print_json, table

if TYPE_CHECKING:
    from rich.console import Group

    from simcore.worths import Evaluation

LONGEST = 12  # plays shown while the table grows
ENDS = {
    "half_width": "the difference of the best two is known to ± {half_width:.2g}",
    "max_time": "the time is up",
    "samples": "the samples are used up",
    "exact": "these are all arrangements of the hidden cards, so the values are exact",
}


def evaluate(
    hand: Hand,
    rules: Rules = "douque",
    table: ToBeat = None,
    policy: Annotated[
        str, typer.Option(help="Who plays on: one strategy, or one for each seat, oneself first.")
    ] = "linear",
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
    half_width: Annotated[
        float, typer.Option(help="End when the difference of the best two is known to ± this.")
    ] = 0.1,
    max_time: Annotated[
        str | None, typer.Option(help="End after this time: 2s, 1m. Default: no limit.")
    ] = None,
    samples: Annotated[
        int,
        typer.Option(help="End after so many arrangements of the hidden cards.", parser=count()),
    ] = 200_000,
    alpha: Annotated[
        float, typer.Option(help="Chance at most that the best play is called worse.")
    ] = 0.05,
    threads: Threads = None,
    decision_limit: DecisionLimit = "60s",
    as_json: Json = False,
) -> None:
    """Say what each play of a position is worth: payoff, chance to win, distance to the best."""
    import simcore
    from simcore.runs.stopping import parse_time

    growing = out.is_terminal and not as_json
    with _growing() if growing else nullcontext() as live:
        found = simcore.evaluate(
            rules,
            hand,
            table,
            policy=policy,
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
            half_width=half_width,
            max_time=None if max_time is None else parse_time(max_time),
            samples=samples,
            alpha=alpha,
            threads=threads,
            decision_limit=parse_time(decision_limit),
            progress=(lambda now: live.update(_tables(now, LONGEST))) if live else None,
        )
    if as_json:
        print_json(found.as_dict())
        return
    out.print(_tables(found))
    note(
        f"{found.samples:,} arrangements of the hidden cards: "
        f"{ENDS[found.stopped].format(half_width=found.half_width)}."
    )
    if not found.exact:
        note(
            "± is half a 95 % interval; a play that is not best is worse than the best, with "
            f"{100 * (1 - found.alpha):g} % confidence for all plays together."
        )


def _growing() -> Any:
    """A table that grows and vanishes when the last one is printed."""
    from rich.live import Live

    return Live(console=out, transient=True, refresh_per_second=8)


def _tables(found: "Evaluation", longest: int | None = None) -> "Group":
    """The plays, best first, and what the others may hold."""
    from rich.console import Group

    from simcore.simulation.drawn import HOLDINGS
    from simcore.worths import HEADINGS, figure

    solved = any(w.solved == w.solved for w in found.plays)
    headings = HEADINGS if solved else HEADINGS[:-1]
    plays = table(headings[0], *(f">{name}" for name in headings[1:]))
    for w in found.plays[:longest]:
        cells = [figure(w, name) for name in ("payoff", "win", "multiplied", "difference")]
        cells += ["yes" if w.may_be_best else "no", f"{w.samples:,}"]
        if solved:
            cells.append("–" if w.solved != w.solved else f"{w.solved:.3f}")
        plays.add_row(cards(w.play.cards) if w.play else "pass", *cells)
    others = table(">seat", ">cards left", *(f">{name}" for name in HOLDINGS))
    for h in found.others:
        others.add_row(str(h.seat), str(h.cards_left), *(figure(h, name) for name in HOLDINGS))
    return Group(plays, "", others)
