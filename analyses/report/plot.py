"""What every plot of a report shares: colours of the page, tooltips, the Vega-Lite of one plot.

Colours are CSS variables of the page, so that one plot serves light, dark and paper. Strategies
have the colours of Okabe and Ito (2008), which the colour-blind tell apart, and shapes and dashes.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import altair as alt
import pandas as pd

from analyses.report.content import Plot

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
        "titlePadding": 8, "labelSeparation": 8,
    },
    "legend": {
        "labelColor": INK, "titleColor": INK, "orient": "top", "labelFontSize": 12, "title": None,
        "symbolSize": 90, "symbolOpacity": 1, "labelLimit": 300,
    },
    "title": {"color": INK, "fontSize": 13, "fontWeight": "normal", "anchor": "start"},
}  # fmt: skip


def plot(
    chart: Any, title: str, caption: str, height: int, wide: bool = True, figures: str = ""
) -> Plot:
    """A chart as a plot; figures: its numbers in words."""
    found = chart.properties(width="container", height=height).to_dict(validate=False)
    found["autosize"] = {"type": "fit-x", "contains": "padding"}
    found["config"] = _CONFIG
    result = Plot("", title, caption, wide, figures)
    found["description"] = result.alternative
    # A < could end the script that holds it.
    return replace(result, spec=json.dumps(found, allow_nan=False).replace("<", "\\u003c"))


MOST_TOLD = 24  # rows of a plot that its alternative names


def told(frame: pd.DataFrame, label: str, figure: str, spec: str) -> str:
    """ "dump: 10.9, 10.8 to 11.1; …": the rows of a frame; with bounds where it has such."""
    rows = frame.head(MOST_TOLD).to_dict("records")
    parts = []
    for row in rows:
        x, low, high = (row.get(f"{figure}{end}") for end in ("", "_low", "_high"))
        if x is None or x != x:
            continue
        bounds = f", {low:{spec}} to {high:{spec}}" if low is not None and low == low else ""
        parts.append(f"{row[label]}: {x:{spec}}{bounds}")
    more = f"; and {len(frame) - MOST_TOLD} more" if len(frame) > MOST_TOLD else ""
    return "; ".join(parts) + more + "." if parts else ""


def signed(spec: str) -> dict[str, Any]:
    """An axis of figures with their sign, and a 0 without."""
    return {"labelExpr": f"datum.value === 0 ? '0' : format(datum.value, '{spec}')"}


def data(frame: pd.DataFrame) -> Any:
    """Plain rows; what is not known is null, which Vega leaves out."""
    rows = [
        {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in row.items()}
        for row in frame.to_dict("records")
    ]
    return alt.Data(values=rows)


def tip(field: str, title: str, spec: str | None = None) -> Any:
    kind = "nominal" if spec is None else "quantitative"
    return alt.Tooltip(field, type=kind, title=title, **({"format": spec} if spec else {}))


LINE = {"symbolType": "stroke", "symbolSize": 500, "symbolStrokeWidth": 2.5}


def colour(names: Sequence[str], legend: dict[str, Any] | None) -> Any:
    if legend is not None:
        legend = {**legend, "columns": legend_columns(names)}
    scale = alt.Scale(domain=list(names), range=[COLOURS[i % 8] for i in range(len(names))])
    return alt.Color("strategy:N", scale=scale, legend=legend)


def legend_columns(names: Sequence[str]) -> int:
    """As many as fit beside each other on a small screen, so that no name is cut."""
    return max(1, min(4, 52 // (max(map(len, names)) + 7)))


def shape(names: Sequence[str]) -> Any:
    scale = alt.Scale(domain=list(names), range=[SHAPES[i % 8] for i in range(len(names))])
    return alt.Shape("strategy:N", scale=scale, legend=alt.Legend(columns=legend_columns(names)))


def dash(names: Sequence[str]) -> Any:
    scale = alt.Scale(domain=list(names), range=[DASHES[i % 8] for i in range(len(names))])
    return alt.StrokeDash(
        "strategy:N", scale=scale, legend={**LINE, "columns": legend_columns(names)}
    )


def interval_tips(name: str, title: str, spec: str, unit: str = "deals") -> list[Any]:
    return [
        tip(name, title, spec), tip(f"{name}_low", "95 % from", spec),
        tip(f"{name}_high", "to", spec), tip(unit, unit, ",d"),
    ]  # fmt: skip


def zero_line(axis: str) -> Any:
    """A line at zero."""
    rule = alt.Chart(alt.Data(values=[{"at": 0}])).mark_rule(color=INK, opacity=0.5)
    return rule.encode(**{axis: alt.X("at:Q") if axis == "x" else alt.Y("at:Q")})
