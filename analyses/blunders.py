"""Plays that need no opinion to be called wrong, counted for every strategy of a run."""

from typing import Any

import numpy as np
import pandas as pd

from analyses.intervals import LEVEL, Estimate, share_over_deals
from simcore.runs.reading import Source

PLAYOUTS = 400


def blunders(
    run: Source, playouts: int = PLAYOUTS, level: float = LEVEL, trust: bool = False
) -> pd.DataFrame:
    """How often each strategy of a run blunders, where it could: simcore.blunders.

    playouts: how many are played again and looked at, from the run's first deal on, all seatings of
    a deal together. Columns: strategy, blunder, decisions (that were looked at), possible (in which
    it could be made), made, share (of those; NaN: never possible) with share_low, share_high, deals
    and per_hundred decisions. Interval: Wilson's on the effective number over deals. trust: as
    for `replay`. Raises RunError, InputError, StrategyError.
    """
    from simcore.blunders import count_blunders

    names, kinds, n, counts = count_blunders(run, playouts, trust)
    return _frame(names, kinds, n, counts, level)


def _frame(names: list[str], kinds: list[str], n: Any, counts: Any, level: float) -> pd.DataFrame:
    rows = []
    for who, name in enumerate(names):
        for k, kind in enumerate(kinds):
            possible, made = counts[:, k, who]
            share = _share(made, possible, level)
            rows.append(
                {
                    "strategy": name,
                    "blunder": kind,
                    "decisions": int(n[who].sum()),
                    "possible": int(possible.sum()),
                    "made": int(made.sum()),
                    "share": share.mean,
                    "share_low": share.low,
                    "share_high": share.high,
                    "deals": n.shape[1],
                    "per_hundred": 100 * made.sum() / n[who].sum() if n[who].sum() else np.nan,
                }
            )
    return pd.DataFrame(rows)


def _share(x: Any, n: Any, level: float) -> Estimate:
    """Of numbers by deal: those made of those possible."""
    return share_over_deals(
        int(x.sum()), int(n.sum()), int((x * x).sum()), int((x * n).sum()), int((n * n).sum()),
        int((n > 0).sum()), level=level,
    )  # fmt: skip
