"""What a rule set makes of every deal: the sample that comparisons of rules stand on.

Without the compiler, so that `analyses` may read it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from simcore.runs.reading import block_of

PER_DEAL = (
    "starter_win_rate",  # share of the deal's playouts that the starter wins
    "starter_payoff",  # points
    "plays",
    "turns",  # plays and passes
    "tricks",
    "square",  # mean squared payoff of a seat
    "within",  # variance of a seat's payoff over the seatings: same cards, other players
)


@dataclass(frozen=True)
class DealMeasures:
    """Deals of one run: per deal the means over its seatings, and every payoff."""

    columns: dict[str, NDArray[np.float64]]  # PER_DEAL -> [deals]; `within` is NaN with one seating
    payoffs: NDArray[np.int32]  # [deals, seatings x seats]
    slots: NDArray[np.float64]  # [deals, slots]: mean payoff of each slot of the lineup


def measure_deals(lineup: Sequence[str], playouts: pa.Table, hands: int = 1) -> DealMeasures:
    """The measures of whole deals: stored playouts, ordered by deal; lineup: names by slot.

    hands: deals that are taken together, as sessions; then `within` does not exist.
    """
    per_playout = ("seating", "starter", "winner", "plays", "passes", "tricks")
    block = block_of(playouts, lineup, (*per_playout, "payoff"), hands=hands)
    starter, winner, plays, passes, tricks = (block.columns[name] for name in per_playout[1:])
    payoff = block.columns["payoff"].astype(float)
    values = {
        "starter_win_rate": winner == starter,
        "starter_payoff": np.take_along_axis(payoff, starter[:, :, None].astype(int), 2)[:, :, 0],
        "plays": plays,
        "turns": plays.astype(float) + passes,
        "tricks": tricks,
    }
    found = {name: value.astype(float).mean(axis=1) for name, value in values.items()}
    found["square"] = (payoff**2).mean(axis=(1, 2))
    found["within"] = (
        payoff.var(axis=1, ddof=1).mean(axis=1)
        if block.seatings > 1 and hands == 1
        else np.full(len(block), np.nan)
    )
    by_slot = np.empty_like(payoff)
    np.put_along_axis(by_slot, block.slot.astype(int), payoff, axis=2)
    whole = block.columns["payoff"].reshape(len(block), -1)
    return DealMeasures(found, whole, by_slot.mean(axis=1))


def join_measures(parts: Sequence[DealMeasures]) -> DealMeasures:
    """Consecutive deals of one run as one."""
    return DealMeasures(
        {name: np.concatenate([part.columns[name] for part in parts]) for name in PER_DEAL},
        np.concatenate([part.payoffs for part in parts]),
        np.concatenate([part.slots for part in parts]),
    )
