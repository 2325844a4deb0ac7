"""The plots of a report, as Vega-Lite specifications by Altair.

Colours are CSS variables of the page, so that one plot serves light, dark and paper. Strategies
have the colours of Okabe and Ito (2008), which the colour-blind tell apart, and shapes and dashes.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd

from analyses.cells import digits_for, number

COLOURS = [f"var(--c{i})" for i in range(8)]
DASHES = [[1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [5, 5], [12, 4], [3, 6], [1, 3]]
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "stroke", "wedge"]
INK, FAINT, PAPER = "var(--ink)", "var(--line)", "var(--paper)"
_FONT = "system-ui, sans-serif"
_CONFIG = {
    "background": "transparent",
    "font": _FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK, "titleColor": INK, "gridColor": FAINT, "domainColor": FAINT,
        "tickColor": FAINT, "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal",
        "titlePadding": 8,
    },
    "legend": {
        "labelColor": INK, "titleColor": INK, "orient": "top", "labelFontSize": 12, "title": None,
        "symbolSize": 90, "symbolOpacity": 1, "columns": 4, "labelLimit": 150,
    },
    "title": {"color": INK, "fontSize": 13, "fontWeight": "normal", "anchor": "start"},
}  # fmt: skip


@dataclass(frozen=True)
class Plot:
    """One plot: its specification, what it shows in a sentence, and whether it fills the page."""

    spec: str  # JSON
    title: str
    caption: str
    wide: bool = True


def _plot(chart: Any, title: str, caption: str, height: int, wide: bool = True) -> Plot:
    found = chart.properties(width="container", height=height).to_dict(validate=False)
    found["autosize"] = {"type": "fit-x", "contains": "padding"}
    found["config"] = _CONFIG
    found["description"] = f"{title}. {caption}"  # for those who cannot see it
    # A < could end the script that holds it.
    return Plot(json.dumps(found, allow_nan=False).replace("<", "\\u003c"), title, caption, wide)


def _data(frame: pd.DataFrame) -> Any:
    """Plain rows; what is not known is null, which Vega leaves out."""
    rows = [
        {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in row.items()}
        for row in frame.to_dict("records")
    ]
    return alt.Data(values=rows)


def _tip(field: str, title: str, spec: str | None = None) -> Any:
    kind = "nominal" if spec is None else "quantitative"
    return alt.Tooltip(field, type=kind, title=title, **({"format": spec} if spec else {}))


_SPARSE = {"labelAngle": 0, "labelOverlap": True, "labelSeparation": 6}
_LINE = {"symbolType": "stroke", "symbolSize": 500, "symbolStrokeWidth": 2.5}


def _colour(names: Sequence[str], legend: dict[str, Any] | None) -> Any:
    scale = alt.Scale(domain=list(names), range=[COLOURS[i % 8] for i in range(len(names))])
    return alt.Color("strategy:N", scale=scale, legend=legend)


def _shape(names: Sequence[str]) -> Any:
    scale = alt.Scale(domain=list(names), range=[SHAPES[i % 8] for i in range(len(names))])
    return alt.Shape("strategy:N", scale=scale)


def _dash(names: Sequence[str]) -> Any:
    scale = alt.Scale(domain=list(names), range=[DASHES[i % 8] for i in range(len(names))])
    return alt.StrokeDash("strategy:N", scale=scale, legend=_LINE)


def _interval_tips(name: str, title: str, spec: str, unit: str = "deals") -> list[Any]:
    return [
        _tip(name, title, spec), _tip(f"{name}_low", "95 % from", spec),
        _tip(f"{name}_high", "to", spec), _tip(unit, unit, ",d"),
    ]  # fmt: skip


def _zero(axis: str) -> Any:
    """A line at zero."""
    rule = alt.Chart(alt.Data(values=[{"at": 0}])).mark_rule(color=INK, opacity=0.5)
    return rule.encode(**{axis: alt.X("at:Q") if axis == "x" else alt.Y("at:Q")})


def strategies(frame: pd.DataFrame, metric: str, title: str, spec: str, zero: bool) -> Plot:
    """Dot and interval of each strategy, best first; frame: analyses.means or strategy_table."""
    order, names = frame.sort_values(metric)["strategy"].tolist()[::-1], frame["strategy"].tolist()
    base = alt.Chart(_data(frame)).encode(
        y=alt.Y("strategy:N", sort=order, title=None),
        color=_colour(names, None),
        tooltip=[
            _tip("strategy", "strategy"),
            *_interval_tips(metric, title, ".2%" if "%" in spec else "+,.3f"),
        ],
    )
    x = alt.X(
        f"{metric}:Q",
        title=title,
        axis=alt.Axis(format=spec, tickCount=6),
        scale=alt.Scale(zero=False),
    )
    ends = {"x": alt.X(f"{metric}_low:Q", title=title), "x2": f"{metric}_high:Q"}
    chart = base.mark_rule(strokeWidth=4, opacity=0.5).encode(**ends) + base.mark_point(
        filled=True, size=90, opacity=1
    ).encode(x=x, shape=_shape(names).legend(None))
    if zero:
        chart = _zero("x") + chart
    caption = "With 95 % intervals, where they are wider than the dot."
    return _plot(chart, title.partition(" (")[0].capitalize(), caption, 34 * len(names) + 10, False)


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
    base = alt.Chart(_data(frame)).encode(
        x=alt.X("column:N", sort=against, title=None, axis=heading),
        y=alt.Y("row:N", sort=rows, title=None),
        tooltip=[
            _tip("row", "row"), _tip("column", "column"), _tip(value, unit, f"+,.{digits + 1}f"),
            _tip("low", "95 % from", f"+,.{digits + 1}f"),
            _tip("high", "to", f"+,.{digits + 1}f"), _tip("certain", "differs from 0"),
            _tip("deals", "deals", ",d"),
        ],
    )  # fmt: skip
    scale = alt.Scale(
        domain=[-top, 0, top], range=["#b35806", "#f7f7f7", "#2166ac"], interpolate="lab"
    )
    strong = alt.expr.abs(alt.datum[value]) > 0.6 * top
    text = alt.condition(strong, alt.value("#ffffff"), alt.value("#1a1a1a"))
    cells = base.mark_rect(stroke=PAPER, strokeWidth=2).encode(
        color=alt.Color(
            f"{value}:Q",
            scale=scale,
            legend=alt.Legend(title=unit, gradientLength=160, format=f"+,.{digits}f"),
        )
    )
    numbers = base.mark_text(dy=-7, fontSize=13).encode(
        text=alt.Text(f"{value}:Q", format=f"+,.{digits}f"), color=text
    )
    halves = base.mark_text(dy=9, fontSize=11).encode(text="half:N", color=text)
    return _plot(cells + numbers + halves, title, caption, 52 * len(rows))


def seats(frame: pd.DataFrame, players: int) -> Plot:
    """Win share by seat; frame: strategy, seat_from_starter, win_share with bounds, deals."""
    names = list(dict.fromkeys(frame["strategy"]))
    labels = ["starter", "next", *(f"{k} on" for k in range(2, players))]
    frame = frame.assign(seat=[labels[k] for k in frame["seat_from_starter"]])
    order = {"sort": labels}
    base = alt.Chart(_data(frame)).encode(
        x=alt.X(
            "seat:N", title="seat, counted from the starter", axis=alt.Axis(labelAngle=0), **order
        ),
        xOffset=alt.XOffset("strategy:N", sort=names),
        color=_colour(names, {}),
        tooltip=[
            _tip("strategy", "strategy"), _tip("seat", "seat"),
            *_interval_tips("win_share", "win share", ".2%"),
        ],
    )  # fmt: skip
    y = alt.Y("win_share:Q", title="win share (% of playouts)", axis=alt.Axis(format="%"))
    ends = {"y": alt.Y("win_share_low:Q"), "y2": "win_share_high:Q"}
    fair = alt.Chart(alt.Data(values=[{"fair": 1 / players}]))
    chart = (
        fair.mark_rule(strokeDash=[4, 4], color=INK, opacity=0.6).encode(y="fair:Q")
        + base.mark_rule(strokeWidth=3, opacity=0.5).encode(**ends)
        + base.mark_point(filled=True, size=70, opacity=1).encode(y=y, shape=_shape(names))
    )
    caption = (
        "Share of playouts won in each seat, with 95 % intervals. Dashed: an equal share, "
        f"{100 / players:.3g} %."
    )
    return _plot(chart, "Win share by seat", caption, 260)


def bars(
    frame: pd.DataFrame, strategy: str, index: int, x: str, title: str, caption: str, top: float
) -> Plot:
    """Shares of each value for one strategy; frame: analyses.distributions of one variable."""
    base = alt.Chart(_data(frame)).encode(
        x=alt.X(
            "value:O", title=x, axis=alt.Axis(labelAngle=0, labelOverlap=True, labelSeparation=6)
        ),
        tooltip=[_tip("value", x), *_interval_tips("share", "share", ".3%")],
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
    return _plot(chart, f"{title}{f': {strategy}' if strategy else ''}", caption, 170, False)


def payoff_bars(frame: pd.DataFrame, strategy: str, index: int, top: float, step: int) -> Plot:
    """Histogram of payoffs; frame: low, high (bounds of a bin), share, deals."""
    base = alt.Chart(_data(frame)).encode(
        x=alt.X("from:Q", title="payoff (points per playout)"),
        x2="to:Q",
        y2=alt.datum(0),
        tooltip=[
            _tip("from", "points from", ",d"), _tip("last", "to", ",d"),
            _tip("share", "share", ".2%"), _tip("deals", "deals", ",d"),
        ],
    )  # fmt: skip
    chart = _zero("x") + base.mark_bar(color=COLOURS[index % 8], stroke=PAPER).encode(
        y=alt.Y(
            "share:Q",
            title="share (% of playouts)",
            axis=alt.Axis(format="%"),
            scale=alt.Scale(domain=[0, top]),
        )
    )
    caption = f"Bins of {step} points; the outermost hold everything beyond."
    return _plot(chart, f"Payoffs: {strategy}", caption, 170, False)


def tails(frame: pd.DataFrame) -> Plot:
    """How often a playout costs so much or more; frame: strategy, loss, share, bounds, deals."""
    names = list(dict.fromkeys(frame["strategy"]))
    base = alt.Chart(_data(frame)).encode(
        x=alt.X(
            "loss:Q",
            title="loss of at least (points, logarithmic)",
            scale=alt.Scale(type="log"),
            axis=alt.Axis(format="~s", tickCount=6),
        ),
        color=_colour(names, _LINE),
    )
    y = alt.Y(
        "share:Q",
        title="share of playouts (logarithmic)",
        scale=alt.Scale(type="log"),
        axis=alt.Axis(format="~%", tickCount=6),
    )
    tips = [
        _tip("strategy", "strategy"), _tip("loss", "loss of at least", ",d"),
        *_interval_tips("share", "share", ".4%"),
    ]  # fmt: skip
    chart = (
        base.mark_area(opacity=0.18).encode(y=alt.Y("share_low:Q"), y2="share_high:Q")
        + base.mark_line(strokeWidth=2).encode(y=y, strokeDash=_dash(names))
        + base.mark_point(opacity=0, size=120).encode(y=y, tooltip=tips)
    )
    return _plot(chart, "Large losses", "How often a playout costs so many points or more.", 260)


def convergence(frame: pd.DataFrame) -> Plot:
    """The estimate as deals come in; frame: analyses.convergence."""
    names = list(dict.fromkeys(frame["strategy"]))
    base = alt.Chart(_data(frame)).encode(
        x=alt.X(
            "deals:Q",
            title="deals played (logarithmic)",
            scale=alt.Scale(type="log", nice=False),
            axis=alt.Axis(format="~s", tickCount=6),
        ),
        color=_colour(names, _LINE),
    )
    y = alt.Y("payoff:Q", title="mean payoff (points per playout)")
    chart = (
        base.mark_area(opacity=0.2).encode(y=alt.Y("payoff_low:Q"), y2="payoff_high:Q")
        + base.mark_line(strokeWidth=2).encode(y=y, strokeDash=_dash(names))
        + base.mark_point(opacity=0, size=120).encode(
            y=y,
            tooltip=[
                _tip("strategy", "strategy"),
                *_interval_tips("payoff", "mean payoff", "+,.3f"),
            ],
        )
    )
    caption = "With the 95 % interval that those deals alone give."
    return _plot(chart, "Mean payoff after so many deals", caption, 260)


def rare(frame: pd.DataFrame) -> Plot:
    """Rates of rare events; frame: analyses.rare_events."""
    floor = float(frame["rate_high"].min()) / 20
    frame = frame.assign(
        low=frame["rate_low"].clip(lower=floor),
        shown=frame["rate"].where(frame["rate"] > 0, math.nan),
    )
    base = alt.Chart(_data(frame)).encode(
        y=alt.Y(
            "event:N",
            sort=frame["event"].tolist(),
            title=None,
            axis=alt.Axis(labels=False, ticks=False),
        ),
        tooltip=[
            _tip("event", "event"), _tip("playouts", "playouts with it", ",d"),
            *_interval_tips("rate", "share of playouts", ".5%"),
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
    return _plot(chart, "How often", caption, 44 * len(frame))


def shares(frame: pd.DataFrame) -> Plot:
    """What the variance comes from; frame: analyses.variance_shares."""
    order = frame["source"].tolist()
    base = alt.Chart(_data(frame)).encode(
        y=alt.Y("source:N", sort=order, title=None),
        tooltip=[_tip("source", "source"), *_interval_tips("share", "share", ".2%")],
    )
    x = alt.X("share:Q", title="share of the variance of a payoff (%)", axis=alt.Axis(format="%"))
    chart = base.mark_bar(color=COLOURS[0], opacity=0.8).encode(x=x) + base.mark_rule(
        color=INK, strokeWidth=2
    ).encode(x="share_low:Q", x2="share_high:Q")
    caption = "What one seat's payoff in one playout depends on, with 95 % intervals."
    return _plot(chart, "Where the variance of a payoff comes from", caption, 150)


def sessions(frame: pd.DataFrame, bankroll: str) -> Plot:
    """Totals of sessions; frame: strategy, and figures of analyses.session as columns."""
    names = frame["strategy"].tolist()
    base = alt.Chart(_data(frame)).encode(
        y=alt.Y("strategy:N", sort=names, title=None),
        color=_colour(names, None),
        tooltip=[
            _tip("strategy", "strategy"), _tip("q0_05", "one in twenty below", "+,.0f"),
            _tip("q0_5", "half below", "+,.0f"), _tip("q0_95", "one in twenty above", "+,.0f"),
            _tip("loss", "ends below 0", ".1%"), _tip("worst_run", "mean worst run", ",.0f"),
            _tip("ruin", f"loses {bankroll}", ".2%"), _tip("deals", "deals", ",d"),
        ],
    )  # fmt: skip
    x = alt.X("q0_05:Q", title="total after 100 playouts (points)")
    chart = (
        _zero("x")
        + base.mark_rule(strokeWidth=5, opacity=0.45).encode(x=x, x2="q0_95:Q")
        + base.mark_point(filled=True, size=90, opacity=1).encode(
            x="q0_5:Q", shape=_shape(names).legend(None)
        )
    )
    caption = "Dot: half of the sessions end above. Bar: nine in ten end within."
    return _plot(chart, "What a session brings", caption, 34 * len(names) + 10)


def hand(frame: pd.DataFrame, feature: str, x: str) -> Plot:
    """Payoff by one feature of the dealt hand; frame: analyses.hand_values of that feature."""
    base = alt.Chart(_data(frame)).encode(
        x=alt.X("value:O", title=x, axis=alt.Axis(labelAngle=0)),
        tooltip=[
            _tip("value", x), _tip("hands", "hands", ",d"),
            *_interval_tips("payoff", "mean payoff", "+,.2f"),
        ],
    )  # fmt: skip
    chart = (
        _zero("y")
        + base.mark_rule(strokeWidth=3, opacity=0.5, color=COLOURS[0]).encode(
            y="payoff_low:Q", y2="payoff_high:Q"
        )
        + base.mark_point(filled=True, size=70, opacity=1, color=COLOURS[0]).encode(
            y=alt.Y("payoff:Q", title="mean payoff (points)")
        )
    )
    return _plot(chart, feature, "Over all strategies, with 95 % intervals.", 170, False)
