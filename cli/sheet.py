"""`bigtwo sheet`: what a club's score sheet says."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.options import Json, Rules, count
from cli.output import check_place, err, out, print_frame, print_json, write_out

if TYPE_CHECKING:
    import pandas as pd

    from analyses.sheet import Sheet


def sheet(
    file: Annotated[
        Path, typer.Argument(help="CSV: one column a player, one row a hand, empty: did not play.")
    ],
    rules: Rules,
    values: Annotated[
        str, typer.Option(help="What the cells hold: cards (left), points, or auto.")
    ] = "auto",
    strategies: Annotated[
        str | None, typer.Option(help="Compare cards left with these. Default: the quick ones.")
    ] = None,
    deals: Annotated[
        int,
        typer.Option(help="Deals simulated of each strategy; 0 leaves that out.", parser=count()),
    ] = 20_000,
    seed: Annotated[int, typer.Option(help="Of the simulation and the bootstrap.")] = 0,
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="Letters for names, by order of appearance.")
    ] = False,
    page: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write one self-contained HTML page, too.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Standings, ratings, luck and skill of a club, from the score sheet that it keeps.

    Cells hold cards left (the winner's 0), settled by the rule set, or points that sum to 0. A
    column named "date", "hand" or "notes" is no player. Separators: comma, semicolon or tab.
    """
    from analyses.sheet import sheet
    from analyses.sheet.tables import STRATEGIES

    if page is not None:
        check_place(page)
    with err.status("reading …") as status:
        found = sheet(
            file, rules, values, anonymous, STRATEGIES if strategies is None else strategies,
            deals, seed, progress=lambda what: status.update(f"{what} …"),
        )  # fmt: skip
        text = None
        if page is not None:
            from analyses.report import sheet_page

            status.update("writing …")
            command = ["bigtwo", "sheet", str(file), "--rules", rules, "--values", found.kind]
            command += [] if strategies is None else ["--strategies", strategies]
            command += ["--deals", str(deals), "--seed", str(seed)]
            command += ["--anonymous"] if anonymous else []
            text = sheet_page(found, str(file), command)
    if page is not None and text is not None:
        write_out(page, text)
    if as_json:
        print_json(_plain(found))
    else:
        _print(found)


def _plain(found: "Sheet") -> dict[str, object]:
    from analyses.cells import records

    frames = ("standings", "first_two", "ratings", "luck", "cards_left", "strategies")
    return {
        "rules": found.rules.name,
        "values": found.kind,
        "hands": int(found.hands["hand"].max()),
        "sentences": found.sentences,
        "notes": found.notes,
        **{name: records(getattr(found, name)) for name in frames},
    }


def _print(found: "Sheet") -> None:
    from analyses.sheet.words import about

    out.print(found.sentences[0], style="bold", highlight=False)
    for sentence in found.sentences[1:]:
        out.print(sentence, highlight=False)
    out.print(about(found.hands, found.rules.name, found.kind), highlight=False)
    for frame in (found.standings, ratings_shown(found.ratings), found.luck):
        if len(frame):
            out.print()
            print_frame(frame)
    if len(found.strategies):
        best = [f"expected_{name}" for name in found.strategies["strategy"][:3]]
        out.print()
        print_frame(found.strategies.assign(fits=found.strategies["fits"].map(_YES)))
        out.print()
        shown = ["cards_left", "losers", "share", "share_low", "share_high", *best]
        print_frame(found.cards_left[shown])
    out.print()
    out.print(
        "Intervals cover 95 %, over hands. Adjusted: points a hand against average opponents. "
        "Rating: Elo points of who wins.",
        style="dim",
    )
    for text in found.notes:
        out.print(text, style="dim", highlight=False)


_YES = {True: "yes", False: "no"}


def ratings_shown(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Without the groups where there is one."""
    return frame.drop(columns="group") if frame["group"].max() == 1 else frame
