"""`bigtwo analyse …`: one tidy table per question, from the playouts of a run or several."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from cli.options import Csv, Json, Runs, Trust, check_format, check_runs, count
from cli.output import err, note, out, print_csv, print_frame, print_json
from cli.playing import dealt

if TYPE_CHECKING:
    import pandas as pd

    from simcore.runs.reading import RunReader

app = typer.Typer(
    help="Answers from runs: one table each, with 95 % intervals over deals.", no_args_is_help=True
)
Deals = Annotated[
    int, typer.Option(help="Deals whose hands are looked at; 0.1 ms a hand.", parser=count())
]
Metric = Annotated[str, typer.Option(help="payoff or win_rate.")]
Variable = Annotated[
    str | None,
    typer.Option(
        help="payoff, cards_left, plays, passes, tricks, winner_multiplier or last_kind. "
        "Default: all."
    ),
]


def _answer(
    runs: list[str],
    as_json: bool,
    as_csv: bool,
    analysis: "Callable[[RunReader], pd.DataFrame]",
    remark: str = "Intervals cover 95 %, over deals.",
    warn: bool = False,
) -> None:
    """Print what an analysis says of each run, one under the other.

    warn: also say of which payoffs the intervals may be too narrow.
    """
    import pandas as pd

    from simcore.runs.reading import read_run

    check_format(as_json, as_csv)
    check_runs(runs)
    frames, readers = [], []  # each run is opened once, however many questions are asked of it
    for run in runs:
        with err.status(f"reading {run} …"):
            readers.append(read_run(run))
            frame = analysis(readers[-1])
        if len(runs) > 1:
            frame.insert(0, "run", run)
        frames.append(frame)
    found = pd.concat(frames, ignore_index=True)
    if as_json:
        from analyses.cells import records

        print_json({"rows": records(found)})
    elif as_csv:
        print_csv(found)
    else:
        print_frame(found)
        out.print(remark, style="dim", highlight=False)
    for run, reader in zip(runs, readers, strict=True) if warn else ():
        from analyses import convergence_checks
        from analyses.checks import warnings

        for text in warnings(convergence_checks(reader)):
            note(text if len(runs) == 1 else f"{run}: {text}")


def _metric(metric: str) -> str:
    from simcore.errors import InputError, nearest

    if metric not in ("payoff", "win_rate"):
        raise InputError(f"unknown metric {metric!r}; {nearest(metric, ('payoff', 'win_rate'))}")
    return metric


@app.command("means")
def means(
    runs: Runs,
    by: Annotated[
        str, typer.Option(help="strategy, seat_from_starter, upstream, downstream; with commas.")
    ] = "strategy",
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Win rate, payoff and cards left by strategy, seat from the starter, or neighbour."""
    from analyses import means

    keys = tuple(key.strip() for key in by.split(",") if key.strip())
    _answer(runs, as_json, as_csv, lambda run: means(run, keys), warn=True)


@app.command("turns")
def turns(
    runs: Runs,
    about: Annotated[
        str | None, typer.Option(help="leads, twos, passes or worth. Default: all.")
    ] = None,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """What is led, when 2s go, who passes though able, what a turn is worth; needs --turns."""
    from analyses import turns

    _answer(runs, as_json, as_csv, lambda run: turns(run, about))


@app.command("differences")
def differences(
    runs: Runs, metric: Metric = "payoff", as_json: Json = False, as_csv: Csv = False
) -> None:
    """Every strategy less every other, on the same deals."""
    from analyses import differences, run_summary

    _metric(metric)
    _answer(runs, as_json, as_csv, lambda run: differences(run_summary(run), metric))


@app.command("distributions")
def distributions(
    runs: Runs, variable: Variable = None, as_json: Json = False, as_csv: Csv = False
) -> None:
    """How often each payoff, number of cards left, length or winning play; both tails."""
    from analyses import distributions

    _answer(runs, as_json, as_csv, lambda run: distributions(run, variable))


@app.command("quantiles")
def quantiles(
    runs: Runs, variable: Variable = None, as_json: Json = False, as_csv: Csv = False
) -> None:
    """Mean, standard deviation, quantiles and extremes of the same variables."""
    from analyses import quantiles

    _answer(runs, as_json, as_csv, lambda run: quantiles(run, variable))


@app.command("hands")
def hands(runs: Runs, deals: Deals = 20_000, as_json: Json = False, as_csv: Csv = False) -> None:
    """What the dealt cards are worth: payoff by number of 2s, aces, pairs, bombs, …"""
    from analyses import hand_values

    _answer(runs, as_json, as_csv, lambda run: hand_values(run, dealt(run, deals)))


@app.command("regression")
def regression(
    runs: Runs,
    deals: Deals = 20_000,
    metric: Metric = "payoff",
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """What one more 2, ace, pair … is worth, and the R² on deals that the fit has not seen."""
    from analyses import hand_regression

    _metric(metric)
    _answer(runs, as_json, as_csv, lambda run: hand_regression(run, dealt(run, deals), metric))


@app.command("luck")
def luck(runs: Runs, as_json: Json = False, as_csv: Csv = False) -> None:
    """Luck against skill: what share of the variance the strategies, seats and cards have."""
    from analyses import variance_shares

    _answer(runs, as_json, as_csv, variance_shares)


@app.command("ahead")
def ahead(
    runs: Runs,
    probability: Annotated[float, typer.Option(help="That the better one is ahead.")] = 0.95,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """How many playouts until the better of two strategies is ahead with a probability."""
    from analyses import playouts_until_ahead

    _answer(runs, as_json, as_csv, lambda run: playouts_until_ahead(run, probability))


@app.command("session")
def session(
    runs: Runs,
    playouts: Annotated[int, typer.Option(help="Playouts in a row.", parser=count())] = 100,
    bankroll: Annotated[
        float | None, typer.Option(help="Points. Default: 20 standard deviations of one playout.")
    ] = None,
    sessions: Annotated[
        int, typer.Option(help="How many sessions are drawn.", parser=count())
    ] = 4000,
    seed: Annotated[int, typer.Option(help="Of the draws.")] = 0,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """An evening of so many playouts: its total, its worst stretch, the risk of ruin."""
    from analyses import session

    _answer(runs, as_json, as_csv, lambda run: session(run, playouts, bankroll, sessions, seed))


@app.command("rare")
def rare(runs: Runs, as_json: Json = False, as_csv: Csv = False) -> None:
    """How often rare things happen, with exact intervals."""
    from analyses import rare_events

    _answer(
        runs,
        as_json,
        as_csv,
        rare_events,
        "Intervals cover at least 95 % (Clopper and Pearson); example: deal/seating, for replay.",
    )


@app.command("blunders")
def blunders(
    runs: Runs,
    playouts: Annotated[
        int, typer.Option(help="Playouts of a run that are played again and looked at.")
    ] = 400,
    trust: Trust = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """How often strategies make plays that are wrong whatever the others hold."""
    from analyses import blunders
    from simcore.blunders import BLUNDERS

    meanings = "; ".join(f"{name}: {text}" for name, text in BLUNDERS.items())
    _answer(
        runs,
        as_json,
        as_csv,
        lambda run: blunders(run, playouts, trust=trust),
        f"Intervals cover 95 %, over deals. {meanings}.",
    )
