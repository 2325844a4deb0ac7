"""`bigtwo compare`: which strategy is better, by how much, how sure."""

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.options import (
    Csv,
    Deals,
    Entrants,
    Field,
    FirstDeal,
    Json,
    Out,
    Players,
    Rules,
    Seatings,
    Seed,
    Tables,
    Threads,
    check_format,
)
from cli.output import (
    counted,
    in_columns,
    interval,
    note,
    out,
    print_csv,
    print_json,
    table,
)
from cli.playing import announce_compilation, progress_of

if TYPE_CHECKING:
    import pandas as pd

    from analyses.compare import Comparison
    from analyses.sequential import Sequential

DIGITS = {"payoff": 3, "win_rate": 4}
TITLES = {"payoff": "payoff", "win_rate": "win rate"}


def compare(
    entrants: Entrants,
    deals: Deals = 10_000,
    rules: Rules = "douque",
    tables: Tables = "all",
    field: Field = None,
    seed: Seed = 0,
    seatings: Seatings = "balanced",
    players: Players = None,
    control: Annotated[
        bool,
        typer.Option("--control", help="Take off what the dealt hands explain (control variates)."),
    ] = False,
    sequential: Annotated[
        str | None,
        typer.Option(help="Stop when certain: alpha=0.05:beta=0.05:delta=0.1; --deals at most."),
    ] = None,
    threads: Threads = None,
    out_folder: Out = None,
    first_deal: FirstDeal = 0,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Play strategies against each other on the same deals, and say which is better.

    Every figure is a mean over deals with a 95 % interval; differences are paired on common deals.
    """
    from analyses.played import compare

    check_format(as_json, as_csv)
    if control and sequential is None:
        note("playing as many other deals, for the coefficients of the control variates")
    played = compare(
        entrants, deals, rules, tables, field, seed, seatings, players, control, sequential,
        threads, out_folder, first_deal, progress_of, announce_compilation,
    )  # fmt: skip
    plan, found, rule, state = played.tables, played.found, played.rule, played.decided
    about = {
        "rules": plan[0].setup.rules.name,
        "seed": seed,
        "players": plan[0].setup.players,
        "seatings": seatings,
        "tables": [{"kind": t.kind, "lineup": list(t.names)} for t in plan],
        "first_deal": first_deal,
        "deals": played.deals,
        "playouts": played.deals * sum(t.setup.seatings_per_deal for t in plan),
        "control": control,
    }
    if as_json:
        from analyses.cells import records

        looked = {} if state is None else {"sequential": records(state)}
        print_json({**about, **looked, **found.as_dict()})
    elif as_csv:
        print_csv(found.tidy() if state is None else state)
    else:
        _print(found, about, None if rule is None or state is None else (rule, state))
    if out_folder is not None:
        note(f"{counted(len(plan), 'run')} in {out_folder}")


# --------------------------------------------------------------------------- printing


def cell(row: dict[Any, Any]) -> str:
    """An estimate with half its interval."""
    return interval(row["estimate"], row["low"], row["high"], DIGITS[row["measure"]])


def p_text(p: float) -> str:
    """A p-value as one prints it."""
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def _print(
    found: "Comparison",
    about: dict[str, Any],
    sequential: "tuple[Sequential, pd.DataFrame] | None",
) -> None:
    if sequential is None:
        out.print(found.verdict, style="bold", highlight=False)
    else:
        rule, state = sequential
        for row in state.to_dict("records"):
            out.print(rule.sentence(row), style="bold", highlight=False)
        out.print(
            "The tables below have ordinary intervals: after stopping at will they are too narrow.",
            style="dim",
        )
    for cycle in found.cycles:
        out.print(f"A cycle: {' > '.join([*cycle, cycle[0]])}, head to head.", highlight=False)
    out.print(
        f"{about['rules']}, {about['players']} players, seed {about['seed']}, {about['seatings']} "
        f"seatings: {counted(about['deals'], 'deal')} at {counted(len(about['tables']), 'table')}, "
        f"{about['playouts']:,} playouts",
        highlight=False,
    )
    _print_scores(found.scores)
    _print_matrix(found.matrix)
    _print_differences(found.differences)
    if len(found.swaps):
        first, second = found.differences.loc[0, ["first", "second"]]
        _print_swaps(found.swaps, str(first), str(second))
    if len(found.gains):
        _print_gains(found.gains)
    out.print(
        "± is half a 95 % interval over deals, payoffs in points a playout; intervals of "
        "differences hold together (Šidák), their p is Holm's.",
        style="dim",
    )
    if about["deals"] < 100:
        out.print(
            "Fewer than 100 deals: the intervals are rough; one deal has none (?).", style="dim"
        )


def _print_scores(scores: "pd.DataFrame") -> None:
    kinds = list(dict.fromkeys(scores["kind"]))
    for measure in DIGITS:
        part = scores[scores["measure"] == measure]
        at = {(r["strategy"], r["kind"]): cell(r) for r in part.to_dict("records")}
        rows = table(TITLES[measure], *(f">{kind}" for kind in kinds))
        means = part[part["kind"] == kinds[0]].sort_values("estimate", ascending=False)
        for name in means["strategy"]:
            rows.add_row(name, *(at[name, kind] for kind in kinds))
        out.print()
        out.print(rows)


def _print_matrix(matrix: "pd.DataFrame") -> None:
    for (kind, measure), part in matrix.groupby(["kind", "measure"], sort=False):
        names = list(dict.fromkeys(part["strategy"]))
        opponents = list(dict.fromkeys(part["opponent"]))
        opponents.sort(key=lambda name: names.index(name) if name in names else -1)
        at = {(r["strategy"], r["opponent"]): cell(r) for r in part.to_dict("records")}
        for shown in in_columns(opponents, 4):
            rows = table(f"{TITLES[str(measure)]}, {kind}", *(f">against {n}" for n in shown))
            for name in names:
                rows.add_row(name, *(at.get((name, other), "–") for other in shown))
            out.print()
            out.print(rows)


def _print_differences(differences: "pd.DataFrame") -> None:
    rows = table("difference", *(h for m in DIGITS for h in (f">{TITLES[m]}", ">p")))
    for (first, second), part in differences.groupby(["first", "second"], sort=False):
        at = {r["measure"]: r for r in part.to_dict("records")}
        cells = [text for m in DIGITS for text in (cell(at[m]), p_text(at[m]["p_holm"]))]
        rows.add_row(f"{first} - {second}", *cells)
    out.print()
    out.print(rows)


def _print_swaps(swaps: "pd.DataFrame", first: str, second: str) -> None:
    rows = table(f"{first} instead of {second} beside", *(f">{TITLES[m]}" for m in DIGITS))
    for opponents, part in swaps.groupby("opponents", sort=False):
        at = {r["measure"]: r for r in part.to_dict("records")}
        rows.add_row(str(opponents), *(cell(at[m]) for m in DIGITS))
    out.print()
    out.print(rows)


def _print_gains(gains: "pd.DataFrame") -> None:
    """The geometric mean over pairs; one below 1 costs more than independent playouts."""
    steps = ["seatings", "pairing", "control", "playouts", "deals"]
    rows = table("saved", "measure", *(f">{step}" for step in steps))
    for (kind, measure), part in gains.groupby(["kind", "measure"], sort=False):
        cells = [f"× {math.exp(part[step].map(math.log).mean()):.2f}" for step in steps]
        rows.add_row(str(kind), TITLES[str(measure)], *cells)
    out.print()
    out.print(rows)
    out.print(
        "How many times fewer playouts and deals than with every playout on a deal of its own, for "
        "the same interval (geometric mean over pairs): by all seatings of a deal, by sharing "
        "deals among tables and by control variates.",
        style="dim",
    )
