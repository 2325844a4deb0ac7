"""What a rule set makes of every deal: the sample that comparisons of rules stand on.

Without the compiler, so that `analyses` may read it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
import pyarrow as pa

PER_DEAL = (
    "starter_win_share",  # share of the deal's playouts that the starter wins
    "starter_payoff",  # points
    "plays",
    "turns",  # plays and passes
    "tricks",
    "square",  # mean squared payoff of a seat
    "within",  # variance of a seat's payoff over the seatings: same cards, other players
)


@dataclass(frozen=True)
class HandMeasures:
    """Deals of one run: per deal the means over its seatings, and every payoff."""

    columns: dict[str, Any]  # PER_DEAL -> float64[deals]; `within` is NaN with one seating
    payoffs: Any  # int32[deals, seatings x seats]
    slots: Any  # float64[deals, slots]: mean payoff of each slot of the lineup


def measure_hands(players: int, seatings_per_deal: int, playouts: pa.Table) -> HandMeasures:
    """The measures of whole deals: stored playouts, ordered by deal."""
    rows = playouts.num_rows
    shape = (rows // seatings_per_deal, seatings_per_deal)
    payoff = np.column_stack([playouts[f"payoff_{s}"].to_numpy() for s in range(players)])
    starter = playouts["starter"].to_numpy()
    plays = playouts["plays"].to_numpy().astype(float)
    by_seat = payoff.astype(float).reshape(*shape, players)
    values = {
        "starter_win_share": (playouts["winner"].to_numpy() == starter).astype(float),
        "starter_payoff": payoff[np.arange(rows), starter].astype(float),
        "plays": plays,
        "turns": plays + playouts["passes"].to_numpy(),
        "tricks": playouts["tricks"].to_numpy().astype(float),
    }
    found = {name: value.reshape(shape).mean(axis=1) for name, value in values.items()}
    found["square"] = (by_seat**2).mean(axis=(1, 2))
    found["within"] = (
        by_seat.var(axis=1, ddof=1).mean(axis=1)
        if seatings_per_deal > 1
        else np.full(shape[0], np.nan)
    )
    orders = np.array(list(permutations(range(players))))[playouts["seating"].to_numpy()]
    by_slot = np.empty((rows, players))
    np.put_along_axis(by_slot, orders, payoff, axis=1)
    slots = by_slot.reshape(*shape, players).mean(axis=1)
    return HandMeasures(found, payoff.reshape(shape[0], -1), slots)


def join_measures(parts: Sequence[HandMeasures]) -> HandMeasures:
    """Consecutive deals of one run as one."""
    return HandMeasures(
        {name: np.concatenate([part.columns[name] for part in parts]) for name in PER_DEAL},
        np.concatenate([part.payoffs for part in parts]),
        np.concatenate([part.slots for part in parts]),
    )
