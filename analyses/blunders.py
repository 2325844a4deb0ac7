"""Plays that need no opinion to be called wrong, counted for every strategy of a run."""

from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

from analyses.intervals import LEVEL, Estimate, share_over_deals
from simcore.errors import InputError
from simcore.runs.reading import Source, read_run

PLAYOUTS = 400


def blunders(
    run: Source, playouts: int = PLAYOUTS, level: float = LEVEL, trust: bool = False
) -> pd.DataFrame:
    """How often each strategy of a run blunders, where it could: simcore.blunders.

    playouts: how many are played again and looked at, from the run's first deal on, all seatings of
    a deal together. Columns: strategy, blunder, decisions (that were looked at), possible (in which
    it could be made), made, share (of those; NaN: never possible) with share_low, share_high, and
    per_hundred decisions. Interval: Wilson's on the effective number over deals. trust: as
    for `replay`. Raises RunError, InputError, StrategyError.
    """
    from simcore.blunders import BLUNDERS
    from simcore.blunders import blunders as found_in
    from simcore.records.writing import deal_ranges
    from simcore.runs.run import setup_of
    from simcore.simulation.asking import Asking
    from simcore.simulation.replay import seatings_of

    if playouts < 1:
        raise InputError(f"playouts {playouts} is out of bounds: at least 1")
    reader = read_run(run)
    setup = setup_of(reader.identity, trust or reader.store is None)
    work = Asking(setup)
    most = -(-playouts // setup.seatings_per_deal)
    every = (n for first, end in deal_ranges(reader, None) for n in range(first, end))
    deals = list(islice(every, most))
    names = [entrant.name for entrant in setup.lineup]
    known = list(dict.fromkeys(names))
    n = np.zeros((len(known), len(deals)), np.int64)
    counts = np.zeros((2, len(BLUNDERS), len(known), len(deals)), np.int64)
    kinds = list(BLUNDERS)
    for d, deal in enumerate(deals):
        for seating in seatings_of(setup, deal):
            for turn in work.turns(deal, seating):
                plays = work.show(turn.hands, turn.state)
                if len(plays) < 2:
                    continue
                who = known.index(names[turn.slot])
                n[who, d] += 1
                judged = found_in(work, plays, turn.play)
                for which, names_of in enumerate((judged.possible, judged.made)):
                    for name in names_of:
                        counts[which, kinds.index(name), who, d] += 1
    return _frame(known, kinds, n, counts, level)


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
