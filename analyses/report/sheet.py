"""What the page on a score sheet shows: sentences, plots and tables."""

import platform
import shlex
from collections.abc import Sequence
from importlib.metadata import version

import altair as alt
import pandas as pd

from analyses.cells import columns
from analyses.report.content import Chapter, Plot, Section, Table, facts_table
from analyses.report.page import Report
from analyses.report.plot import (
    COLOURS,
    DASHES,
    INK,
    LINE,
    SHAPES,
    data,
    interval_tips,
    plot,
    tip,
    zero_line,
)
from analyses.sheet import Sheet
from analyses.sheet.figures import LEAST_HANDS
from analyses.sheet.words import about

SHOWN = 8  # players in the plot of totals: as many colours
NEAREST = 3  # strategies beside the cards left
METHODS = (
    (
        "Hands, not seats",
        "The results of all who sit at a table in one hand sum to 0, so the hand is one "
        "observation. A 95 % interval misses the truth one time in twenty; with fewer than "
        f"{LEAST_HANDS} hands there is none.",
    ),
    (
        "Standings",
        "Points a hand: the mean over the hands that somebody played, with Student's t. Win rate: "
        "Wilson's score interval (JASA 1927). The first two: their difference by its linearised "
        "variance over hands, together at a table or not; hands until they are told apart: "
        "n = (1.96 s / d)², as if the difference stayed as it is.",
    ),
    (
        "Who sat at the table",
        "Adjusted: least squares, in which a hand's points are one's own figure less the mean of "
        "the opponents'; rating: Elo points of a Plackett-Luce model of who wins (Maystre and "
        "Grossglauser, NeurIPS 2015). Mean 0 over the seats; intervals by a bootstrap over hands "
        "(Efron and Tibshirani, 1993).",
    ),
    (
        "Luck and skill",
        "The variance between players by the method of moments (Searle, Casella and McCulloch, "
        "1992), from products of one player's results in different hands; interval by the "
        "delete-a-group jackknife (Wolter, 2007).",
    ),
    (
        "Nearest strategy",
        "Distance: multinomial deviance per hand between the losers' cards left and those at "
        "simulated tables where everybody plays one strategy, with as many players. p value: how "
        "often hands of that strategy come as far or further from it, by a parametric bootstrap "
        "that draws whole hands.",
    ),
)


def make_report(sheet: Sheet, file: str, command: Sequence[str]) -> Report:
    """The page on a score sheet."""
    n = int(sheet.hands["hand"].max())
    read = about(sheet.hands, sheet.rules.name, sheet.kind)
    summary = [f"**{sheet.sentences[0]}**", *sheet.sentences[1:], f"{read}.", *sheet.notes]
    sections = [_standings(sheet), _ratings(sheet), _totals(sheet), _luck(sheet), _cards(sheet)]
    facts = {
        "score sheet": file,
        "rules": sheet.rules.title,
        "hands": f"{n:,}",
        "software": f"bigtwo-lab {version('bigtwo-lab')}, Python {platform.python_version()}",
    }
    provenance = facts_table("Sheet", facts)
    return Report(
        f"Score sheet: {n:,} hands of {sheet.rules.name}",
        None,
        [Chapter(file, sheet.rules.name, summary, [s for s in sections if s.plots or s.tables])],
        provenance,
        [shlex.join(command)],
        METHODS,
        "hands",
    )


def players_plot(frame: pd.DataFrame, figure: str, title: str, axis: str, caption: str) -> Plot:
    """Dot and interval of each player, as ordered in the frame; figure: the column."""
    frame = frame[frame[figure].notna()]
    base = alt.Chart(data(frame)).encode(
        y=alt.Y("player:N", sort=frame["player"].tolist(), title=None),
        tooltip=[tip("player", "player"), *interval_tips(figure, title, "+,.2f", "hands")],
    )
    x = alt.X(f"{figure}:Q", title=axis, axis=alt.Axis(tickCount=6))
    ends = base.mark_rule(strokeWidth=3, opacity=0.5, color=COLOURS[0]).encode(
        x=alt.X(f"{figure}_low:Q", title=axis), x2=f"{figure}_high:Q"
    )
    dots = base.mark_point(filled=True, size=90, opacity=1, color=COLOURS[0]).encode(x=x)
    return plot(zero_line("x") + ends + dots, title, caption, 26 * max(2, len(frame)) + 10)


def _standings(sheet: Sheet) -> Section:
    dots = players_plot(
        sheet.standings, "payoff", "Points a hand", "mean points a hand",
        "Mean over the hands that each has played, with 95 % intervals.",
    )  # fmt: skip
    tables = [Table("Standings", columns(sheet.standings))]
    if len(sheet.first_two):
        shown = sheet.first_two.assign(told_apart=str(sheet.first_two["told_apart"][0]).lower())
        tables.append(Table("The first two", columns(shown)))
    return Section("Standings", [], [dots], tables)


def _ratings(sheet: Sheet) -> Section:
    rated = sheet.ratings
    plots: list[Plot | None] = []
    if rated["adjusted"].notna().any():
        plots.append(
            players_plot(
                rated, "adjusted", "Points against average opponents",
                "points a hand against average opponents",
                "What is left of points a hand when the strength of those at the table is allowed "
                "for.",
            )
        )  # fmt: skip
    if rated["rating"].notna().any():
        plots.append(
            players_plot(
                rated.sort_values("rating", ascending=False), "rating", "Rating of who wins",
                "rating (Elo points)",
                "400 points are ten times the strength; points won or lost do not count here.",
            )
        )  # fmt: skip
    return Section("Who sat at the table", [], plots, [Table("Ratings", columns(rated))])


def _totals(sheet: Sheet) -> Section:
    most = sheet.standings.sort_values("hands", ascending=False, kind="stable")["player"][:SHOWN]
    names = [player for player in sheet.standings["player"] if player in set(most)]
    frame = sheet.hands[sheet.hands["player"].isin(names)]
    frame = frame.assign(total=frame.groupby("player")["payoff"].cumsum())
    colour = alt.Scale(domain=names, range=COLOURS)
    dash = alt.Scale(domain=names, range=DASHES)
    chart = (
        alt.Chart(data(frame[["hand", "player", "total"]]))
        .mark_line(strokeWidth=2, interpolate="step-after")
        .encode(
            x=alt.X(
                "hand:Q",
                title="hand",
                scale=alt.Scale(nice=False),
                axis=alt.Axis(tickMinStep=1, tickCount=8),
            ),
            y=alt.Y("total:Q", title="total (points)"),
            color=alt.Color("player:N", scale=colour, legend=alt.Legend(**LINE)),
            strokeDash=alt.StrokeDash("player:N", scale=dash, legend=alt.Legend(**LINE)),
            tooltip=[tip("player", "player"), tip("hand", "hand", ",d"),
                     tip("total", "total", "+,.2f")],
        )
    )  # fmt: skip
    caption = "Points won so far." + (
        f" The {SHOWN} who have played most." if sheet.standings.shape[0] > SHOWN else ""
    )
    return Section(
        "How the totals came about", [], [plot(zero_line("y") + chart, "Totals", caption, 300)]
    )


def _luck(sheet: Sheet) -> Section:
    tables = [Table("Where the variance of points comes from", columns(sheet.luck))]
    return Section("Luck and skill", [], [], tables if len(sheet.luck) else [])


def _cards(sheet: Sheet) -> Section:
    if not len(sheet.cards_left):
        return Section("How the club plays")
    frame = sheet.cards_left
    names = sheet.strategies["strategy"].tolist()[:NEAREST] if len(sheet.strategies) else []
    axis = alt.Axis(labelAngle=0, labelOverlap=True, labelSeparation=6)
    base = alt.Chart(data(frame)).encode(
        x=alt.X("cards_left:O", title="cards left", axis=axis),
        tooltip=[
            tip("cards_left", "cards left"),
            *interval_tips("share", "share", ".2%", "hands"),
        ],
    )
    share = alt.Y("share:Q", title="share of losers (%)", axis=alt.Axis(format="%"))
    chart = base.mark_bar(color=COLOURS[7], opacity=0.35).encode(y=share) + base.mark_rule(
        color=INK, opacity=0.7
    ).encode(y="share_low:Q", y2="share_high:Q")
    caption = "Bars: the sheet, with 95 % intervals for each by itself."
    if names:
        long = pd.concat(
            frame[["cards_left"]].assign(strategy=name, share=frame[f"expected_{name}"])
            for name in names
        )
        colour = alt.Scale(domain=names, range=COLOURS[:NEAREST])
        shape = alt.Scale(domain=names, range=SHAPES[:NEAREST])
        dots = alt.Chart(data(long)).encode(
            x=alt.X("cards_left:O", title="cards left", axis=axis),
            y=share,
            color=alt.Color("strategy:N", scale=colour),
            tooltip=[tip("strategy", "strategy"), tip("share", "share", ".2%")],
        )
        chart += dots.mark_line(strokeWidth=1.5, opacity=0.6) + dots.mark_point(
            filled=True, size=60, opacity=1
        ).encode(shape=alt.Shape("strategy:N", scale=shape))
        caption += " Points: tables at which everybody plays one of the nearest strategies."
    tables = [Table("Cards left", columns(frame))]
    if len(sheet.strategies):
        fits = sheet.strategies["fits"].map({True: "yes", False: "no"})
        tables.insert(
            0, Table("Strategies, nearest first", columns(sheet.strategies.assign(fits=fits)))
        )
    return Section("How the club plays", [], [plot(chart, "Cards left", caption, 280)], tables)
