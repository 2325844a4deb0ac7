"""The sections of a run's chapter, in the order of the page, and the methods behind them."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import pandas as pd

import analyses
from analyses.cells import columns
from analyses.checks import warnings
from analyses.hands import R2
from analyses.report.content import RunReport, Section, Table
from analyses.report.drawn import charts
from analyses.report.shares import from_summary, payoff_bins, thinned
from analyses.report.words import percent, points
from simcore.errors import BigTwoError

Fill = Callable[[RunReport, Section], None]


@dataclass(frozen=True)
class Builder:
    """What makes a section; one that is left empty does not show."""

    title: str
    fill: Fill
    needs_playouts: bool  # a run of sums has no such section


BUILDERS: list[Builder] = []  # in the order of the page, which is that of this file


def titled(title: str, needs_playouts: bool = True) -> Callable[[Fill], Fill]:
    """Make a function fill the section of this title."""

    def register(fill: Fill) -> Fill:
        BUILDERS.append(Builder(title, fill, needs_playouts))
        return fill

    return register


@titled("Strategies", needs_playouts=False)
def strategies(run: RunReport, section: Section) -> None:
    table = run.strategies
    if len(run.names) > 1:
        section.plots += [
            charts.strategies(table, "payoff", "mean payoff (points)", "+,~f", True),
            charts.strategies(table, "win_rate", "win rate (% of playouts)", "~%", False),
        ]
    section.text += warnings(analyses.convergence_checks(run.reader))
    section.tables.append(Table("By strategy", columns(table)))


@titled("Against each other", needs_playouts=False)
def matrix(run: RunReport, section: Section) -> None:
    if len(run.names) < 2:
        return
    found = analyses.differences(run.summary)
    section.plots.append(
        charts.matrix(
            found,
            "Payoff of the row's strategy less the column's",
            "Points per playout at the same table on the same deals, with half of the 95 % "
            "interval. Blue: the row earns more.",
            unit="points",
        )
    )
    section.tables.append(Table("Differences", columns(found)))


@titled("Seats and neighbours", needs_playouts=False)
def seats(run: RunReport, section: Section) -> None:
    seats = analyses.seat_table(run.summary).assign(deals=run.summary.n_drawn)
    seats = seats[seats["playouts"] > 0]
    section.plots.append(charts.seats(seats, run.summary.players))
    if not run.has_playouts:
        section.tables.append(Table("By seat from the starter", columns(seats)))
        return
    table = analyses.means(run.reader, ("seat_from_starter",))
    starter = table.to_dict("records")[0]
    run.sentences.append(
        f"The **starter** wins {percent(starter, 'win_rate')} of the playouts (an equal share "
        f"is {100 / run.summary.players:.3g} %) and earns {points(starter, 'payoff')}."
    )
    section.tables += [
        Table("By seat from the starter, all strategies", columns(table)),
        Table(
            "By strategy and seat",
            columns(analyses.means(run.reader, ("strategy", "seat_from_starter"))),
        ),
    ]
    if len(run.names) > 1:
        for key, words in (("upstream", "plays just before"), ("downstream", "plays just after")):
            found = analyses.means(run.reader, ("strategy", key))
            section.tables.append(Table(f"By neighbour who {words} ({key})", columns(found)))


def _distribution(run: RunReport, variable: str) -> pd.DataFrame:
    if run.has_playouts:
        return analyses.distributions(run.reader, variable)
    return from_summary(run.summary, variable)


@titled("Payoffs", needs_playouts=False)
def payoffs(run: RunReport, section: Section) -> None:
    found = _distribution(run, "payoff")
    bins, step = payoff_bins(found)
    top = max(float(b["share"].max()) for b in bins.values())
    for i, name in enumerate(run.names):
        section.plots.append(charts.payoff_bars(bins[name], name, i, top * 1.05, step))
    losses = found[(found["value"] < 0) & (found["at_most"] > 0)]
    if len(losses):
        tails = losses.assign(
            loss=-losses["value"], share=losses["at_most"], share_low=losses["at_most_low"],
            share_high=losses["at_most_high"],
        )  # fmt: skip
        section.plots.append(charts.tails(thinned(tails)))
    if run.has_playouts:
        table = analyses.quantiles(run.reader, "payoff").drop(columns="variable")
        section.tables.append(Table("Payoff in figures", columns(table)))


@titled("Cards left", needs_playouts=False)
def cards_left(run: RunReport, section: Section) -> None:
    found = _distribution(run, "cards_left")
    top = float(np.nanmax(found[["share", "share_high"]].to_numpy())) * 1.02
    for i, name in enumerate(run.names):
        mine = found[found["strategy"] == name]
        caption = "0 cards: won."
        section.plots.append(charts.bars(mine, name, i, "cards left", "Cards left", caption, top))
    table = found[["strategy", "value", "count", "share", "share_low", "share_high", "deals"]]
    section.tables.append(Table("Cards left", columns(table)))


@titled("Length and last play")
def lengths(run: RunReport, section: Section) -> None:
    for variable, x in (("plays", "plays of all seats"), ("tricks", "tricks")):
        found = analyses.distributions(run.reader, variable)
        top = float(np.nanmax(found[["share", "share_high"]].to_numpy())) * 1.02
        caption = f"Length of a playout in {variable}, with 95 % intervals."
        title = f"{variable.capitalize()} per playout"
        section.plots.append(charts.bars(found, "", 0, x, title, caption, top))
    kinds = analyses.distributions(run.reader, "last_kind")
    keep = ["value", "count", "share", "share_low", "share_high", "deals"]
    section.tables.append(Table("The last play", columns(kinds[keep])))
    times = analyses.distributions(run.reader, "winner_multiplier")
    if len(times) > 1:
        section.tables.append(
            Table("What the last play multiplies payoffs by", columns(times[keep]))
        )
    figures = pd.concat(
        [analyses.quantiles(run.reader, v) for v in ("plays", "passes", "tricks")]
    ).drop(columns="strategy")
    section.tables.append(Table("Lengths in figures", columns(figures)))


@titled("How the estimate settles")
def convergence(run: RunReport, section: Section) -> None:
    found = analyses.convergence(run.reader)
    if len(run.names) == 1:
        section.text.append("One strategy in all seats: its mean payoff is 0 in every deal.")
    elif found["deals"].nunique() < 2:
        section.text.append("Fewer than 11 deals: nothing to draw yet.")
    else:
        section.plots.append(charts.convergence(found))


@titled("Luck and skill")
def luck(run: RunReport, section: Section) -> None:
    if len(run.names) > 1:
        ahead = analyses.playouts_until_ahead(run.reader)
        shown = ahead.assign(**{"better than": ahead["worse"]})
        first = ["better", "better than"]
        order = [*first, *(c for c in shown.columns if c not in (*first, "worse"))]
        section.tables.append(
            Table("Playouts until the better one is ahead with 95 %", columns(shown[order]))
        )
    found = analyses.variance_shares(run.reader)
    section.plots.append(charts.shares(found))
    section.tables.insert(0, Table("Where the variance comes from", columns(found)))
    share = found.set_index("source").to_dict("index")
    run.sentences.append(
        f"Of the variance of a payoff, {percent(share['cards'], 'share')} comes from the "
        f"**cards** and {percent(share['strategy'], 'share')} from the **strategy**."
    )


@titled("An evening of 100 playouts")
def session(run: RunReport, section: Section) -> None:
    hands = run.summary.session_hands
    playouts = max(1, round(100 / hands)) * hands
    if hands > 1:
        section.text.append(f"Here it is {playouts} playouts: whole sessions of {hands} hands.")
    # One bankroll for all, so that risks compare: what is usual for the wildest of them.
    usual = analyses.session(run.reader, playouts, sessions=100)
    bankroll = float(usual[usual["figure"] == "bankroll"]["value"].max())
    found = analyses.session(run.reader, playouts, bankroll=bankroll, sessions=2000)
    wide = found.pivot(index="strategy", columns="figure", values="value").loc[run.names]
    ruin = found[found["figure"] == "ruin"].set_index("strategy")
    wide = wide.assign(ruin_low=ruin["low"], ruin_high=ruin["high"])
    section.text.append(
        f"Everybody begins with a bankroll of {bankroll:,.0f} points: 20 standard deviations of "
        "one playout's payoff, of the strategy whose payoffs spread widest."
    )
    for name, row in wide.to_dict("index").items():
        section.text.append(
            f"**{name}**: half of the sessions end above {row['q0.5']:+,.0f} points, nine in "
            f"ten between {row['q0.05']:+,.0f} and {row['q0.95']:+,.0f}; the bankroll is lost in "
            f"{percent(row, 'ruin')}."
        )
    wide.columns = wide.columns.str.replace(".", "_")
    wide = wide.reset_index().assign(deals=run.summary.n_drawn)
    section.plots.append(charts.sessions(wide, "the bankroll"))
    rows = found[found["figure"] != "bankroll"]
    section.tables.append(Table(f"Sessions of {playouts} playouts", columns(rows)))


@titled("What the dealt cards are worth")
def hands(run: RunReport, section: Section) -> None:
    if run.hands is None:
        return
    values = analyses.hand_values(run.reader, run.hands)
    labels = {
        "twos": "2s dealt", "aces": "aces dealt", "pairs": "ranks held twice or more",
        "triples": "ranks held three times or more", "bombs": "bombs dealt",
        "least_plays": "least number of plays",
    }  # fmt: skip
    for feature, label in labels.items():
        mine = values[values["feature"] == feature]
        # A handful of hands says nothing, and its interval flattens all the others.
        mine = mine[mine["deals"] >= min(30, mine["deals"].max())]
        section.plots.append(charts.hand(mine, f"Payoff by {label}", label))
    section.tables.append(Table("By what was dealt", columns(values)))
    fit = analyses.hand_regression(run.reader, run.hands)
    r2 = fit[fit["term"] == R2].to_dict("records")[0]
    section.text.append(
        f"A regression on these features explains **{percent(r2, 'estimate', 'low', 'high')}** "
        "of the variance between the seats of deals that it has not seen."
    )
    section.tables.append(Table("What one more is worth, points", columns(fit)))


@titled("Rare events")
def rare(run: RunReport, section: Section) -> None:
    found = analyses.rare_events(run.reader)
    section.plots.append(charts.rare(found))
    section.tables.append(Table("How often", columns(found)))
    section.hands.extend(_examples(run, found))


def _examples(run: RunReport, events: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """A page of the example of each event; none where the run cannot be played again."""
    from simcore.records import page, playouts

    with suppress(BigTwoError):
        for event, example in zip(events["event"], events["example"], strict=True):
            if example:
                deal, seating = map(int, example.split("/"))
                for record in playouts(run.reader.place, (deal, deal + 1), seating):
                    yield f"{event}: deal {deal}, seating {seating}", page(record)


METHODS = [
    (
        "Deals, not playouts",
        "All playouts of one deal share its cards, so a deal is one observation: each ± and every "
        "bracket comes from the spread between deals (cluster-robust variance; Liang and Zeger, "
        "Biometrika 1986), with Student's t. A 95 % interval misses the truth one time in twenty.",
    ),
    (
        "Means, seats and neighbours",
        "Ratios of two sums over deals with their linearised variance (Cochran, Sampling "
        "Techniques, 1977, section 6.4).",
    ),
    (
        "Differences",
        "Paired: both strategies' means of the same deal are subtracted first, so the luck of the "
        "cards that they share cancels out.",
    ),
    (
        "Shares and quantiles",
        "Wilson's score interval (JASA 1927) on the effective number of playouts (Korn and Graham, "
        "Survey Methodology 1998); quantiles by Woodruff's method (JASA 1952). These are for each "
        "value by itself, not for all at once.",
    ),
    (
        "Settling",
        "The band is the interval that so many deals alone would give; it covers with 95 % at each "
        "point, not everywhere at once.",
    ),
    (
        "Luck and skill",
        "Variance components by the method of moments (Searle, Casella and McCulloch, 1992): cards "
        "and seat are the covariance of different strategies' payoffs with the same cards; "
        "intervals by the delete-a-group jackknife (Wolter, 2007). Rest: how cards and strategies "
        "suit each other, neighbours, chance in the strategies. Until the better one is ahead: "
        "n = (z s / d)², from the central limit theorem.",
    ),
    (
        "Sessions",
        "Playouts are drawn from the run, 95 % intervals from a bootstrap over groups of deals; "
        "ruin diffusion is the same risk for Brownian motion (Cox and Miller, 1965), which knows "
        "no heavy tails: where the two differ, trust the drawn one.",
    ),
    (
        "Dealt cards",
        "The hands of the run's first deals, dealt again. Regression: least squares on every "
        "second deal, intervals clustered by deal; R² on the other deals.",
    ),
    (
        "Rare events",
        "Exact intervals (Clopper and Pearson, Biometrika 1934), on deals or on the effective "
        "number of playouts; they cover with at least 95 %.",
    ),
]
