"""`bigtwo rate`: one number for each of many strategies, with the Nash average beside it."""

from typing import TYPE_CHECKING, Any

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
from cli.output import counted, note, out, print_csv, print_json, table
from cli.playing import announce_compilation, progress_of

if TYPE_CHECKING:
    import pandas as pd


def rate(
    entrants: Entrants,
    deals: Deals = 10_000,
    rules: Rules = "douque",
    tables: Tables = "all",
    field: Field = None,
    seed: Seed = 0,
    seatings: Seatings = "balanced",
    players: Players = None,
    threads: Threads = None,
    out_folder: Out = None,
    first_deal: FirstDeal = 0,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Rate strategies by who wins at their tables (Plackett-Luce), with intervals.

    Nash averaging of the head-to-head payoffs stands beside it; `bigtwo compare` with the same
    --out shows the matrix that both are made from.
    """
    from analyses.cells import records
    from analyses.played import rate

    check_format(as_json, as_csv)
    rated = rate(
        entrants, deals, rules, tables, field, seed, seatings, players, threads, out_folder,
        first_deal, progress_of, announce_compilation,
    )  # fmt: skip
    ratings, nash, plan = rated.ratings, rated.nash, rated.tables
    if as_json:
        print_json(
            {
                "rules": plan[0].setup.rules.name,
                "seed": seed,
                "deals": rated.deals,
                "ratings": records(ratings),
                "nash": None if nash is None else records(nash),
            }
        )
    elif as_csv:
        both = ratings if nash is None else ratings.merge(nash, "left", "strategy", suffixes=_BOTH)
        print_csv(both)
    else:
        name = plan[0].setup.rules.name
        _print(ratings, nash, f"{name}, seed {seed}: {counted(rated.deals, 'deal')}", len(plan))
    if out_folder is not None:
        note(f"{counted(len(plan), 'run')} in {out_folder}")


_BOTH = ("_rating", "_nash")


def _print(ratings: "pd.DataFrame", nash: "pd.DataFrame | None", about: str, tables: int) -> None:
    best, second = ratings.iloc[0], ratings.iloc[1]
    clear = best["lead_low"] > 0
    out.print(
        f"{best['strategy']} is rated highest, {best['lead']:.0f} points above "
        f"{second['strategy']} ({span(best['lead_low'], best['lead_high'], 0)})"
        f"{'' if clear else '; that is not certain'}.",
        style="bold",
        highlight=False,
    )
    out.print(f"{about} at {counted(tables, 'table')}", highlight=False)
    headings = (">weight", ">95 %", ">payoff", ">95 %") if nash is not None else ()
    rows = table("strategy", ">rating", ">95 %", ">expected wins", *headings)
    at = {} if nash is None else {r["strategy"]: r for r in nash.to_dict("records")}
    for row in ratings.to_dict("records"):
        other = at.get(row["strategy"])
        cells = [] if other is None else [
            f"{other['weight']:.2f}", span(other["weight_low"], other["weight_high"], 2),
            f"{other['payoff']:.2f}", span(other["low"], other["high"], 2),
        ]  # fmt: skip
        rows.add_row(
            row["strategy"], f"{row['rating']:.0f}", span(row["low"], row["high"], 0),
            f"{row['expected']:.3f}", *cells,
        )  # fmt: skip
    out.print()
    out.print(rows)
    out.print(
        "Rating: Elo points of a Plackett-Luce model of who wins, mean 0; expected wins: with "
        "average opponents.",
        style="dim",
    )
    if nash is not None:
        out.print(
            "Weight and payoff: the mixture that nobody gains against, and what one loses to it "
            "per playout (Nash averaging).",
            style="dim",
        )
    out.print("Intervals: bootstrap over deals.", style="dim")


def span(low: Any, high: Any, digits: int) -> str:
    """low to high; ? where one deal cannot tell."""
    return "?" if low != low else f"{low:.{digits}f} to {high:.{digits}f}"
