"""What a run has come to."""

from dataclasses import dataclass, field
from html import escape

import pandas as pd
import pyarrow as pa

from simcore.errors import InputError
from simcore.runs.store import Store
from simcore.runs.summary import Summary
from simcore.simulation.setup import Setup


@dataclass
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

    def _repr_html_(self) -> str:
        setup = self.setup
        lineup = ", ".join(entrant.name for entrant in setup.lineup)
        about = (
            f"{setup.rules.name}: {lineup}; seed {setup.seed}, {setup.seatings} seatings, "
            f"{self.folder or 'in memory'}{'' if self.complete else ', stopped before its end'}"
        )
        return f"<p>{escape(about)}</p>{self.summary._repr_html_()}"

    def playouts(self) -> pd.DataFrame:
        """One row per playout, by deal and seating. Raises InputError for a summary-only run."""
        if self.folder is not None:
            store = Store.open(self.folder)
            if store.keeps == "playouts":
                paths = [store.part_path(part) for part in store.good_parts()]
                return pd.concat(
                    [pd.read_parquet(p, filesystem=store.storage.filesystem) for p in paths],
                    ignore_index=True,
                )
        if not self.tables:
            raise InputError("a summary-only run keeps no playouts; simulate without summary_only")
        frame: pd.DataFrame = pa.concat_tables(self.tables).sort_by("deal").to_pandas()
        return frame
