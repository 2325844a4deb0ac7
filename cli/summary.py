"""The tables of a run, for `bigtwo simulate` and `bigtwo runs show`."""

from typing import TYPE_CHECKING, Any

from cli.output import interval, out, table

if TYPE_CHECKING:
    from simcore.runs.summary import Summary


def described_call(call: dict[str, Any]) -> tuple[str, str]:
    """When a call of `simulate` ended, and what it was."""
    words = " ".join(call["command"])
    if "ended" not in call:
        return f"{call.get('started', '?')}", f"{words} (begun, and not ended)"
    return call["ended"], f"{words} ({call['playouts']:,} playouts in {call['seconds']} s)"


def summary_records(summary: "Summary") -> dict[str, Any]:
    """The tables of a summary as plain data; an interval that is unknown is null."""
    from analyses import seat_table, strategy_table
    from analyses.cells import records

    return {
        "deals": summary.n_deals,
        "strategies": records(strategy_table(summary)),
        "seats": records(seat_table(summary)),
    }


def print_summary(summary: "Summary", rules: str, seed: int, seatings: str) -> None:
    """The table of a run, per strategy, with 95 % intervals over deals."""
    from analyses import seat_table, strategy_table

    out.print(
        f"{rules}, {summary.players} players, seed {seed}, {seatings} seatings: "
        f"{summary.n_deals:,} deals, {summary.playouts:,} playouts",
        highlight=False,
    )
    seats = seat_table(summary)
    rows = table("strategy", ">playouts", ">win rate", ">payoff", ">cards left")
    for row in strategy_table(summary).to_dict("records"):
        rows.add_row(
            row["strategy"],
            f"{row['playouts']:,}",
            interval(row["win_rate"], row["win_rate_low"], row["win_rate_high"], 4),
            interval(row["payoff"], row["payoff_low"], row["payoff_high"], 3),
            interval(row["cards_left"], row["cards_left_low"], row["cards_left_high"], 3),
        )
    out.print(rows)
    out.print()
    names = ["starter", "next", *(f"{k} on" for k in range(2, summary.players))]
    shares = table("win rate", *(f">{name}" for name in names))
    for name, group in seats.groupby("strategy", sort=False):
        cells = [
            interval(r["win_rate"], r["win_rate_low"], r["win_rate_high"], 4)
            if r["playouts"]
            else "–"
            for r in group.to_dict("records")
        ]
        shares.add_row(str(name), *cells)
    out.print(shares)
    out.print(
        "± is half a 95 % interval over deals; seats are counted from the starter.", style="dim"
    )
    if summary.n_deals < 100:
        out.print(
            "Fewer than 100 deals: the intervals are rough; one deal has none (?).", style="dim"
        )
