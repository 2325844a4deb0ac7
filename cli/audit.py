"""`bigtwo audit`: whether dealt hands can come from a fair deal."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.options import Json
from cli.output import note, out, print_json, table

if TYPE_CHECKING:
    from analyses.audit import Audit


def audit(
    file: Annotated[
        Path,
        typer.Argument(
            help="Records of play (JSON Lines), or CSV with one hand a row under a header: cards, "
            "and deal and seat where rows do not come seat by seat."
        ),
    ],
    alpha: Annotated[
        float, typer.Option(help="How often a fair deal may be suspected, all tests together.")
    ] = 0.01,
    as_json: Json = False,
) -> None:
    """Test whether dealt hands can come from a fair deal, and say what the sample could have shown.

    Exit status 1 if they cannot. Hands are taken in the order of the file, cards within a hand in
    the order in which they were dealt, unless hands are sorted.
    """
    from analyses.audit import audit as run_audit
    from analyses.cells import records

    found = run_audit(file, alpha)
    if as_json:
        print_json(
            {
                "verdict": found.verdict, "fair": found.fair, "deals": found.deals,
                "players": found.players, "cards": found.cards, "alpha": found.alpha,
                "tests": records(found.tests), "notes": found.notes,
            }
        )  # fmt: skip
    else:
        _print(found)
    if not found.fair:
        raise typer.Exit(1)


def _print(found: "Audit") -> None:
    out.print(found.verdict, style="bold")
    out.print()
    rows = table("test", "measure", ">found", ">expected", ">p", ">p adjusted", "could have found")
    for row in found.tests.to_dict("records"):
        rows.add_row(
            row["test"], row["measure"], _number(row["statistic"]), _number(row["expected"]),
            _p(row["p"]), _p(row["p_adjusted"]) + ("*" if row["found"] else " "),
            row["could_have_found"],
        )  # fmt: skip
    out.print(rows)
    for text in found.notes:
        note(text)


def _number(value: float) -> str:
    if 0 < value < 0.001:
        return f"{value:.0e}"
    return f"{value:,.0f}" if value == round(value) or value >= 100 else f"{value:.3g}"


def _p(value: float) -> str:
    if value < 1e-99:
        return "<1e-99"
    return f"{value:.3f}" if value >= 0.001 else f"{value:.0e}"
