"""What a run has come to."""

from dataclasses import dataclass, field
from html import escape
from typing import Any

import pandas as pd
import pyarrow as pa

from simcore.errors import InputError
from simcore.runs.reading import read_run
from simcore.runs.run import identity
from simcore.runs.summary import Summary
from simcore.simulation.setup import Setup


@dataclass(repr=False)
class Run:
    """A run that has been played: its summary, and its playouts in memory or on disk."""

    setup: Setup
    summary: Summary
    folder: str | None
    complete: bool  # False: stopped before its end
    seconds: float
    played: int  # playouts played by this call
    notes: list[str] = field(default_factory=list)
    tables: list[pa.Table] = field(default_factory=list, repr=False)

    def __repr__(self) -> str:
        setup, deals = self.setup, self.summary.n_deals
        lineup = ",".join(entrant.name for entrant in setup.lineup)
        stopped = "" if self.complete else ", stopped before its end"
        where = self.folder or "in memory"
        return f"<Run {setup.rules.name}: {lineup}; {deals:,} deals, {where}{stopped}>"

    def _repr_html_(self) -> str:
        setup = self.setup
        lineup = ", ".join(entrant.name for entrant in setup.lineup)
        about = (
            f"{setup.rules.name}: {lineup}; seed {setup.seed}, {setup.seatings} seatings, "
            f"{self.folder or 'in memory'}{'' if self.complete else ', stopped before its end'}"
        )
        return f"<p>{escape(about)}</p>{self.summary._repr_html_()}"

    @property
    def identity(self) -> dict[str, Any]:
        """What determines its playouts (runs.run)."""
        return identity(self.setup)

    def playouts(self) -> pd.DataFrame:
        """One row per playout, by deal and seating. Raises InputError for a summary-only run."""
        reader = read_run(self)
        if not reader.keeps_playouts:
            raise InputError("a summary-only run keeps no playouts; simulate without summary_only")
        frame: pd.DataFrame = pa.concat_tables(reader.tables()).to_pandas()
        return frame
