"""The plots of a report, as Vega-Lite specifications by Altair."""

import math

import altair as alt
import pandas as pd

from analyses.cells import digits_for, number
from analyses.report.content import Plot
from analyses.report.plot import (
    COLOURS,
    INK,
    LINE,
    PAPER,
    colour,
    dash,
    data,
    interval_tips,
    plot,
    shape,
    signed,
    tip,
    told,
    zero_line,
)


def strategies(frame: pd.DataFrame, metric: str, title: str, spec: str, zero: bool) -> Plot:
    """Dot and interval of each strategy, best first; frame: analyses.means or strategy_table."""
    order, names = frame.sort_values(metric)["strategy"].tolist()[::-1], frame["strategy"].tolist()
    base = alt.Chart(data(frame)).encode(
        y=alt.Y("strategy:N", sort=order, title=None),
        color=colour(names, None),
        tooltip=[
            tip("strategy", "strategy"),
            *interval_tips(metric, title, ".2%" if "%" in spec else "+,.3f"),
        ],
    )
    x = alt.X(
        f"{metric}:Q",
        title=title,
        axis=alt.Axis(format=spec, tickCount=6, **(signed(spec) if zero else {})),
        scale=alt.Scale(zero=False),
    )
    ends = {"x": alt.X(f"{metric}_low:Q", title=title), "x2": f"{metric}_high:Q"}
    chart = base.mark_rule(strokeWidth=4, opacity=0.5).encode(**ends) + base.mark_point(
        filled=True, size=90, opacity=1
    ).encode(x=x, shape=shape(names).legend(None))
    if zero:
        chart = zero_line("x") + chart
    caption = "With 95 % intervals, where they are wider than the dot."
    heading = title.partition(" (")[0].capitalize()
    figures = told(
        frame.sort_values(metric)[::-1], "strategy", metric, ".1%" if "%" in spec else ".2f"
    )
    return plot(chart, heading, caption, 34 * len(names) + 10, False, figures)


def matrix(
    frame: pd.DataFrame, title: str, caption: str, value: str = "payoff", unit: str = "points"
) -> Plot:
    """Heat map of every strategy (row) against every other, or in every run (column).

    frame: columns row, column, <value>, low, high, deals; a cell without interval has NaN bounds.
    """
    top = float(frame[value].abs().max()) or 1.0
    half = (frame["high"] - frame["low"]) / 2
    digits = 2 if top < 10 else 1 if top < 100 else 0
    frame = frame.assign(
        half=[f"± {number(h, digits_for(h, h))}" if h == h else "" for h in half],
        certain=[
            "no interval" if a != a else "yes" if a > 0 or b < 0 else "no"
            for a, b in zip(frame["low"], frame["high"], strict=True)
        ],
    )
    rows, against = list(dict.fromkeys(frame["row"])), list(dict.fromkeys(frame["column"]))
    if set(rows) == set(against):
        against = rows
    fits = len(against) * max(len(name) for name in against) < 80  # characters, on a small screen
    heading = alt.Axis(orient="top", labelAngle=0 if fits else -45, labelLimit=220)
    base = alt.Chart(data(frame)).encode(
        x=alt.X("column:N", sort=against, title=None, axis=heading),
        y=alt.Y("row:N", sort=rows, title=None),
        tooltip=[
            tip("row", "row"), tip("column", "column"), tip(value, unit, f"+,.{digits + 1}f"),
            tip("low", "95 % from", f"+,.{digits + 1}f"),
            tip("high", "to", f"+,.{digits + 1}f"), tip("certain", "differs from 0"),
            tip("deals", "deals", ",d"),
        ],
    )  # fmt: skip
    scale = alt.Scale(
        domain=[-top, 0, top], range=["#b35806", "#f7f7f7", "#2166ac"], interpolate="lab"
    )
    # Either contrasts with any colour by 4.5 (WCAG 2.2); at this luminance they meet.
    dark = f"luminance(scale('color', datum['{value}'])) < 0.179"
    text = alt.condition(dark, alt.value("#ffffff"), alt.value("#000000"))
    cells = base.mark_rect(stroke=PAPER, strokeWidth=2).encode(
        color=alt.Color(
            f"{value}:Q",
            scale=scale,
            legend=alt.Legend(title=unit, gradientLength=160, **signed(f"+,.{digits}f")),
        )
    )
    numbers = base.mark_text(dy=-7, fontSize=13).encode(
        text=alt.Text(f"{value}:Q", format=f"+,.{digits}f"), color=text
    )
    halves = base.mark_text(dy=9, fontSize=11).encode(text="half:N", color=text)
    pairs = frame.assign(
        pair=frame["row"] + " against " + frame["column"],
        **{f"{value}_low": frame["low"], f"{value}_high": frame["high"]},
    )
    figures = told(pairs, "pair", value, f"+.{digits}f")
    return plot(cells + numbers + halves, title, caption, 52 * len(rows), True, figures)


def seats(frame: pd.DataFrame, players: int) -> Plot:
    """Win rate by seat; frame: strategy, seat_from_starter, win_rate with bounds, deals."""
    names = list(dict.fromkeys(frame["strategy"]))
    labels = ["starter", "next", *(f"{k} on" for k in range(2, players))]
    frame = frame.assign(seat=[labels[k] for k in frame["seat_from_starter"]])
    order = {"sort": labels}
    base = alt.Chart(data(frame)).encode(
        x=alt.X(
            "seat:N", title="seat, counted from the starter", axis=alt.Axis(labelAngle=0), **order
        ),
        xOffset=alt.XOffset("strategy:N", sort=names),
        color=colour(names, {}),
        tooltip=[
            tip("strategy", "strategy"), tip("seat", "seat"),
            *interval_tips("win_rate", "win rate", ".2%"),
        ],
    )  # fmt: skip
    y = alt.Y("win_rate:Q", title="win rate (% of playouts)", axis=alt.Axis(format="%"))
    ends = {"y": alt.Y("win_rate_low:Q"), "y2": "win_rate_high:Q"}
    fair = alt.Chart(alt.Data(values=[{"fair": 1 / players}]))
    chart = (
        fair.mark_rule(strokeDash=[4, 4], color=INK, opacity=0.6).encode(y="fair:Q")
        + base.mark_rule(strokeWidth=3, opacity=0.5).encode(**ends)
        + base.mark_point(filled=True, size=70, opacity=1).encode(y=y, shape=shape(names))
    )
    caption = (
        "Share of playouts won in each seat, with 95 % intervals. Dashed: an equal share, "
        f"{100 / players:.3g} %."
    )
    seated = frame.assign(who=frame["strategy"] + ", " + frame["seat"])
    return plot(
        chart, "Win rate by seat", caption, 260, True, told(seated, "who", "win_rate", ".1%")
    )


def bars(
    frame: pd.DataFrame, strategy: str, index: int, x: str, title: str, caption: str, top: float
) -> Plot:
    """Shares of each value for one strategy; frame: analyses.distributions of one variable."""
    base = alt.Chart(data(frame)).encode(
        x=alt.X(
            "value:O", title=x, axis=alt.Axis(labelAngle=0, labelOverlap=True, labelSeparation=6)
        ),
        tooltip=[tip("value", x), *interval_tips("share", "share", ".3%")],
    )
    share = alt.Y(
        "share:Q",
        title="share (% of playouts)",
        axis=alt.Axis(format="%"),
        scale=alt.Scale(domain=[0, top]),
    )
    chart = base.mark_bar(color=COLOURS[index % 8]).encode(y=share) + base.mark_rule(
        color=INK, opacity=0.7
    ).encode(y="share_low:Q", y2="share_high:Q")
    heading = f"{title}{f': {strategy}' if strategy else ''}"
    return plot(chart, heading, caption, 170, False, told(frame, "value", "share", ".1%"))


def payoff_bars(frame: pd.DataFrame, strategy: str, index: int, top: float, step: int) -> Plot:
    """Histogram of payoffs; frame: low, high (bounds of a bin), share, deals."""
    base = alt.Chart(data(frame)).encode(
        x=alt.X("from:Q", title="payoff (points per playout)"),
        x2="to:Q",
        y2=alt.datum(0),
        tooltip=[
            tip("from", "points from", ",d"), tip("last", "to", ",d"),
            tip("share", "share", ".2%"), tip("deals", "deals", ",d"),
        ],
    )  # fmt: skip
    chart = zero_line("x") + base.mark_bar(color=COLOURS[index % 8], stroke=PAPER).encode(
        y=alt.Y(
            "share:Q",
            title="share (% of playouts)",
            axis=alt.Axis(format="%"),
            scale=alt.Scale(domain=[0, top]),
        )
    )
    caption = f"Bins of {step} points; the outermost hold everything beyond."
    bins = frame.assign(
        bin=[f"{a:,} to {b:,}" for a, b in zip(frame["from"], frame["last"], strict=True)]
    )
    figures = told(bins[bins["share"] >= 0.01], "bin", "share", ".0%")
    return plot(chart, f"Payoffs: {strategy}", caption, 170, False, figures)


def tails(frame: pd.DataFrame) -> Plot:
    """How often a playout costs so much or more; frame: strategy, loss, share, bounds, deals."""
    names = list(dict.fromkeys(frame["strategy"]))
    base = alt.Chart(data(frame)).encode(
        x=alt.X(
            "loss:Q",
            title="loss of at least (points, logarithmic)",
            scale=alt.Scale(type="log", nice=False),
            axis=alt.Axis(format="~s", tickCount=6),
        ),
        color=colour(names, LINE),
    )
    y = alt.Y(
        "share:Q",
        title="share of playouts (logarithmic)",
        scale=alt.Scale(type="log"),
        axis=alt.Axis(format="~%", tickCount=6),
    )
    tips = [
        tip("strategy", "strategy"), tip("loss", "loss of at least", ",d"),
        *interval_tips("share", "share", ".4%"),
    ]  # fmt: skip
    chart = (
        base.mark_area(opacity=0.18, interpolate="step-before").encode(
            y=alt.Y("share_low:Q"), y2="share_high:Q"
        )
        + base.mark_line(strokeWidth=2, interpolate="step-before").encode(
            y=y, strokeDash=dash(names)
        )
        + base.mark_point(opacity=0, size=120).encode(y=y, tooltip=tips)
    )
    caption = (
        "How often a playout costs so many points or more: a step at every loss that was seen; "
        "each line ends at the largest."
    )
    worst = frame.loc[frame.groupby("strategy", sort=False)["loss"].idxmax()]
    figures = "Largest loss: " + told(worst, "strategy", "loss", ",.0f")
    return plot(chart, "Large losses", caption, 260, True, figures)


def convergence(frame: pd.DataFrame) -> Plot:
    """The estimate as deals come in; frame: analyses.convergence."""
    names = list(dict.fromkeys(frame["strategy"]))
    base = alt.Chart(data(frame)).encode(
        x=alt.X(
            "deals:Q",
            title="deals played (logarithmic)",
            scale=alt.Scale(type="log", nice=False),
            axis=alt.Axis(format="~s", tickCount=6),
        ),
        color=colour(names, LINE),
    )
    y = alt.Y("payoff:Q", title="mean payoff (points per playout)", axis=alt.Axis(**signed("+,~f")))
    chart = (
        base.mark_area(opacity=0.2).encode(y=alt.Y("payoff_low:Q"), y2="payoff_high:Q")
        + base.mark_line(strokeWidth=2).encode(y=y, strokeDash=dash(names))
        + base.mark_point(opacity=0, size=120).encode(
            y=y,
            tooltip=[
                tip("strategy", "strategy"),
                *interval_tips("payoff", "mean payoff", "+,.3f"),
            ],
        )
    )
    caption = "With the 95 % interval that those deals alone give."
    last = frame[frame["deals"] == frame["deals"].max()]
    figures = "In the end: " + told(last, "strategy", "payoff", ".2f")
    return plot(chart, "Mean payoff after so many deals", caption, 260, True, figures)


def rare(frame: pd.DataFrame) -> Plot:
    """Rates of rare events; frame: analyses.rare_events."""
    floor = float(frame["rate_high"].min()) / 20
    frame = frame.assign(
        low=frame["rate_low"].clip(lower=floor),
        shown=frame["rate"].where(frame["rate"] > 0, math.nan),
    )
    base = alt.Chart(data(frame)).encode(
        y=alt.Y(
            "event:N",
            sort=frame["event"].tolist(),
            title=None,
            axis=alt.Axis(labels=False, ticks=False),
        ),
        tooltip=[
            tip("event", "event"), tip("playouts", "playouts with it", ",d"),
            *interval_tips("rate", "share of playouts", ".5%"),
        ],
    )  # fmt: skip
    x = alt.X(
        "low:Q",
        title="share of playouts (logarithmic)",
        scale=alt.Scale(type="log"),
        axis=alt.Axis(format="~%", tickCount=5),
    )
    chart = (
        base.mark_rule(strokeWidth=5, opacity=0.4, color=COLOURS[0], yOffset=6).encode(
            x=x, x2="rate_high:Q"
        )
        + base.mark_point(filled=True, size=80, opacity=1, color=COLOURS[0], yOffset=6).encode(
            x="shown:Q"
        )
        + base.mark_text(align="left", dy=-10, fontSize=12, color=INK).encode(
            x=alt.value(4), text="event:N"
        )
    )
    caption = (
        "Share of playouts with at least 95 % intervals; no dot: not seen, only an upper bound."
    )
    return plot(
        chart, "How often", caption, 44 * len(frame), True, told(frame, "event", "rate", ".3%")
    )


def shares(frame: pd.DataFrame) -> Plot:
    """What the variance comes from; frame: analyses.variance_shares."""
    order = frame["source"].tolist()
    base = alt.Chart(data(frame)).encode(
        y=alt.Y("source:N", sort=order, title=None),
        tooltip=[tip("source", "source"), *interval_tips("share", "share", ".2%")],
    )
    x = alt.X("share:Q", title="share of the variance of a payoff (%)", axis=alt.Axis(format="%"))
    chart = base.mark_bar(color=COLOURS[0], opacity=0.8).encode(x=x) + base.mark_rule(
        color=INK, strokeWidth=2
    ).encode(x="share_low:Q", x2="share_high:Q")
    caption = "What one seat's payoff in one playout depends on, with 95 % intervals."
    figures = told(frame, "source", "share", ".1%")
    return plot(chart, "Where the variance of a payoff comes from", caption, 150, True, figures)


def sessions(frame: pd.DataFrame, bankroll: str) -> Plot:
    """Totals of sessions; frame: strategy, and figures of analyses.session as columns."""
    names = frame["strategy"].tolist()
    base = alt.Chart(data(frame)).encode(
        y=alt.Y("strategy:N", sort=names, title=None),
        color=colour(names, None),
        tooltip=[
            tip("strategy", "strategy"), tip("q0_05", "one in twenty below", "+,.0f"),
            tip("q0_5", "half below", "+,.0f"), tip("q0_95", "one in twenty above", "+,.0f"),
            tip("loss", "ends below 0", ".1%"), tip("worst_run", "mean worst run", ",.0f"),
            tip("ruin", f"loses {bankroll}", ".2%"), tip("ruin_low", "95 % from", ".2%"),
            tip("ruin_high", "to", ".2%"), tip("deals", "deals", ",d"),
        ],
    )  # fmt: skip
    x = alt.X("q0_05:Q", title="total after 100 playouts (points)")
    chart = (
        zero_line("x")
        + base.mark_rule(strokeWidth=5, opacity=0.45).encode(x=x, x2="q0_95:Q")
        + base.mark_point(filled=True, size=90, opacity=1).encode(
            x="q0_5:Q", shape=shape(names).legend(None)
        )
    )
    caption = "Dot: half of the sessions end above. Bar: nine in ten end within."
    middle = told(frame.rename(columns={"q0_5": "half"}), "strategy", "half", "+,.0f")
    ruin = told(frame, "strategy", "ruin", ".1%")
    figures = f"Half of the sessions end above: {middle} They lose {bankroll}: {ruin}"
    return plot(chart, "What a session brings", caption, 34 * len(names) + 10, True, figures)


def hand(frame: pd.DataFrame, feature: str, x: str) -> Plot:
    """Payoff by one feature of the dealt hand; frame: analyses.hand_values of that feature."""
    base = alt.Chart(data(frame)).encode(
        x=alt.X("value:O", title=x, axis=alt.Axis(labelAngle=0)),
        tooltip=[
            tip("value", x), tip("hands", "hands", ",d"),
            *interval_tips("payoff", "mean payoff", "+,.2f"),
        ],
    )  # fmt: skip
    chart = (
        zero_line("y")
        + base.mark_rule(strokeWidth=3, opacity=0.5, color=COLOURS[0]).encode(
            y="payoff_low:Q", y2="payoff_high:Q"
        )
        + base.mark_point(filled=True, size=70, opacity=1, color=COLOURS[0]).encode(
            y=alt.Y("payoff:Q", title="mean payoff (points)")
        )
    )
    caption = "Over all strategies, with 95 % intervals."
    return plot(chart, feature, caption, 170, False, told(frame, "value", "payoff", "+.1f"))
