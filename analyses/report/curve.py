"""The curve of a training, as a picture."""

from pathlib import Path

import altair as alt
import pandas as pd


def draw_curve(curve: pd.DataFrame, file: Path) -> None:
    """Draw what a network in training was worth; curve: of analyses.training."""
    base = alt.Chart(curve).encode(x=alt.X("playouts:Q", title="playouts learnt from"))
    band = base.mark_area(opacity=0.25).encode(
        y=alt.Y("gain_low:Q", title="points a playout over its opponent"), y2="gain_high:Q"
    )
    line = base.mark_line(point=True).encode(y="gain:Q")
    opponent = curve["against"].iloc[0]
    title = f"Seats of the network against seats of {opponent}, on deals that it never learnt from"
    chart = (band + line).properties(width=560, height=300, title=title)
    chart.save(str(file))
