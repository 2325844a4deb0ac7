"""`bigtwo compare-rules`: what rules do to the game, on the same cards."""

import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.options import (
    Csv,
    Deals,
    FirstDeal,
    Json,
    Out,
    Players,
    Seed,
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

DIGITS = {"starter_win_rate": 4, "big_losses": 4, "luck": 3, "payoff_q05": 0, "payoff_q95": 0}
TITLES = {
    "starter_win_rate": "starter wins",
    "starter_payoff": "starter's payoff",
    "plays": "plays",
    "turns": "turns",
    "tricks": "tricks",
    "payoff_sd": "payoff, sd",
    "payoff_q05": "payoff, 5 %",
    "payoff_q95": "payoff, 95 %",
    "big_losses": "big losses",
    "luck": "luck",
}


def compare_rules(
    rules: Annotated[
        list[str],
        typer.Argument(metavar="RULES…", help="Names, .toml files, or name:key=value."),
    ],
    lineup: Annotated[
        str, typer.Option(help="Strategies A,B,C,D by slot; one name fills all seats.")
    ],
    deals: Deals = 10_000,
    vary: Annotated[
        str | None,
        typer.Option(
            help="One rule set with one rule changed at a time: opening.must_include,"
            "passing.locks_on,deal=13."
        ),
    ] = None,
    big_loss: Annotated[int, typer.Option(help="Points that make a loss a big one.", min=1)] = 39,
    seed: Seed = 0,
    seatings: Annotated[
        str | None,
        typer.Option(help="fixed, rotations, balanced or all. Default: balanced if mixed."),
    ] = None,
    players: Players = None,
    threads: Threads = None,
    out_folder: Out = None,
    first_deal: FirstDeal = 0,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Play the same cards with the same strategies under several rules, and compare.

    Differences to the first rule set are paired deal by deal; intervals are 95 % over deals.
    """
    from analyses.cells import records
    from analyses.played import compare_rules

    check_format(as_json, as_csv)
    found = compare_rules(
        rules, lineup, deals, vary, big_loss, seed, seatings, players, threads, out_folder,
        first_deal, progress_of, announce_compilation,
    )  # fmt: skip
    frame, setups = found.measures, found.setups
    names = [setup.rules.name for setup in setups]
    about = {
        "rules": names,
        "lineup": [entrant.name for entrant in setups[0].lineup],
        "seed": seed,
        "players": setups[0].players,
        "seatings": setups[0].seatings,
        "first_deal": first_deal,
        "deals": deals,
        "big_loss": big_loss,
    }
    if as_json:
        print_json({**about, "measures": records(frame)})
    elif as_csv:
        print_csv(frame)
    else:
        _print(frame, about)
    if out_folder is not None:
        note(f"{counted(len(setups), 'run')} in {out_folder}")


def _sentence(name: str, base: str, rows: list[dict[str, Any]], big_loss: int) -> str:
    """What is certain about a rule set against the first."""
    lost = f"losses of {big_loss} points or more are"
    words = {  # measure -> (what more of it is, what less of it is, factor)
        "starter_win_rate": ("the starter wins {} % points more", "… {} % points less", 100),
        "plays": ("a playout is {} plays longer", "… {} plays shorter", 1),
        "turns": ("it takes {} turns more", "… {} turns less", 1),
        "payoff_sd": ("payoffs spread {} points wider", "… {} points less", 1),
        "big_losses": (f"{lost} {{}} % points more frequent", "… {} % points less frequent", 100),
        "luck": ("luck's share is {} % points larger", "… {} % points smaller", 100),
    }
    said = []
    for row in rows:
        if row["measure"] in words and row["difference_low"] * row["difference_high"] > 0:
            more, less, factor = words[row["measure"]]
            text = more if row["difference"] > 0 else more.split("{}")[0] + less.removeprefix("… ")
            size = text.format(f"{abs(row['difference']) * factor:.2g}")
            said.append(re.sub(r"\b1 (play|turn|point)s", r"1 \1", size))
    if rows[0]["deals"] < 2:
        return f"{name} against {base}: one deal tells nothing."
    return f"{name} against {base}: {', '.join(said) or 'no difference is certain'}."


def _print(frame: "pd.DataFrame", about: dict[str, Any]) -> None:
    base, *others = about["rules"]
    short = {name: name.removeprefix(f"{base}:") for name in about["rules"]}  # of varied rules
    for name in others:
        rows = frame[frame["rules"] == name].to_dict("records")
        out.print(
            _sentence(short[name], base, [{str(k): v for k, v in r.items()} for r in rows],
                      about["big_loss"]),
            style="bold", highlight=False,
        )  # fmt: skip
    out.print(
        f"{','.join(about['lineup'])}, seed {about['seed']}, {about['seatings']} seatings: "
        f"{counted(about['deals'], 'deal')} under {len(about['rules'])} rule sets",
        highlight=False,
    )
    for title, part, names in (("measure", "", about["rules"]), (f"less {base}", "less", others)):
        for shown in in_columns(names, 3):
            rows_of = table(title, *(f">{short[name]}" for name in shown))
            for measure, group in frame.groupby("measure", sort=False):
                at = {row["rules"]: row for row in group.to_dict("records")}
                cells = [_cell(at[name], str(measure), part) for name in shown]
                rows_of.add_row(TITLES[str(measure)], *cells)
            out.print()
            out.print(rows_of)
    out.print(
        f"± is half a 95 % interval over deals. Big losses: shares of the seats that lose "
        f"{about['big_loss']} points or more. Luck: share of the variance of payoffs that the deal "
        "explains; it needs several seatings (–).",
        style="dim",
    )


def _cell(row: dict[Any, Any], measure: str, part: str) -> str:
    mean, low, high = (
        (row["estimate"], row["low"], row["high"])
        if not part
        else (row["difference"], row["difference_low"], row["difference_high"])
    )
    if mean != mean:
        return "–"
    return interval(mean, low, high, DIGITS.get(measure, 3))
