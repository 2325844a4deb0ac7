"""The tables of a run, for `bigtwo simulate` and `bigtwo runs show`."""

from typing import TYPE_CHECKING, Any

from cli.output import counted, out, table

if TYPE_CHECKING:
    import pandas as pd

    from simcore.runs.summary import Summary


def described_call(call: dict[str, Any]) -> tuple[str, str]:
    """When a call of `simulate` ended, and what it was."""
    words = " ".join(call["command"])
    if "ended" not in call:
        return f"{call.get('started', '?')}", f"{words} (begun, and not ended)"
    return call["ended"], f"{words} ({call['playouts']:,} playouts in {call['seconds']} s)"


def summary_records(summary: "Summary") -> dict[str, Any]:
    """The tables of a summary as plain data; an interval that is unknown is null."""
    from analyses import convergence_checks, seat_table, strategy_table
    from analyses.cells import records
    from analyses.checks import warnings

    return {
        "deals": summary.n_deals,
        **({"sessions": summary.n_drawn} if summary.session_hands > 1 else {}),
        "strategies": records(strategy_table(summary)),
        "seats": records(seat_table(summary)),
        "warnings": warnings(convergence_checks(summary)),
    }


def print_summary(summary: "Summary", rules: str, seed: int, seatings: str) -> None:
    """The table of a run, per strategy, with 95 % intervals over deals."""
    from analyses import convergence_checks, seat_table, strategy_table
    from analyses.checks import warnings
    from simcore.runs.summary import METRICS

    one = "session" if summary.session_hands > 1 else "deal"
    many = f" in {summary.n_drawn:,} sessions" if summary.session_hands > 1 else ""
    out.print(
        f"{rules}, {summary.players} players, seed {seed}, {seatings} seatings: "
        f"{counted(summary.n_deals, 'deal')}{many}, {counted(summary.playouts, 'playout')}",
        highlight=False,
    )
    seats = seat_table(summary)
    frame = strategy_table(summary)
    rows = table("strategy", ">playouts", ">win rate", ">payoff", ">cards left")
    texts = [_texts(frame, metric, d) for metric, d in zip(METRICS, (4, 3, 3), strict=True)]
    for name, playouts, *cells in zip(frame["strategy"], frame["playouts"], *texts, strict=True):
        rows.add_row(name, f"{playouts:,}", *cells)
    out.print(rows)
    out.print()
    names = ["starter", "next", *(f"{k} on" for k in range(2, summary.players))]
    shares = table("win rate", *(f">{name}" for name in names))
    by_seat = _texts(seats, "win_rate", 4)
    for g, name in enumerate(summary.groups):
        at = range(g * summary.players, (g + 1) * summary.players)
        shares.add_row(name, *(by_seat[i] if seats["playouts"][i] else "–" for i in at))
    out.print(shares)
    ends = ", [ ] its ends" if any("[" in text for text in by_seat + texts[0]) else ""
    out.print(
        f"± is half a 95 % interval over {one}s{ends}; seats are counted from the starter.",
        style="dim",
        highlight=False,
    )
    for text in warnings(convergence_checks(summary)):
        out.print(text, style="dim", highlight=False)
    if summary.n_drawn < 100:
        out.print(
            f"Fewer than 100 {one}s: the intervals are rough; one {one} has none (?).",
            style="dim",
        )


def _texts(frame: "pd.DataFrame", name: str, digits: int) -> list[str]:
    """A column with its intervals."""
    from analyses.cells import with_intervals

    values, low, high = (frame[f"{name}{end}"].tolist() for end in ("", "_low", "_high"))
    return with_intervals(values, low, high, digits)
