"""What every deal brought each strategy of a table: the sample that comparisons stand on.

All seatings of a deal are one observation, so a table's playouts shrink to a few exact integers a
deal. Without the compiler, so that `analyses` may read it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from simcore.runs.reading import block_of

MEASURES = ("payoff", "win_rate")


@dataclass(frozen=True)
class Scores:
    """The deals first … of one table, by group: the distinct strategies of the lineup, in order.

    Where hands are played in sessions, "deals" are sessions, with all their hands in all seatings.
    """

    kind: str  # of table: "mixed", "1v3", "2v2", … or "field"
    lineup: tuple[str, ...]  # by slot
    first: int  # number of the first deal
    seatings: NDArray[np.int8]  # [deals, seatings per deal]
    sums: NDArray[
        np.signedinteger[Any]
    ]  # [measures, deals, groups]: over seatings and the group's slots
    products: NDArray[np.float64]  # [measures, groups, groups]: of two groups' means, summed

    @property
    def groups(self) -> list[str]:
        """Distinct strategies, in slot order."""
        return list(dict.fromkeys(self.lineup))

    @property
    def n_deals(self) -> int:
        """Number of deals."""
        return len(self.seatings)

    @property
    def seatings_per_deal(self) -> int:
        """Playouts of each deal."""
        return int(self.seatings.shape[1])

    def column(self, measure: str, group: int) -> Any:
        """float64[deals]: mean of a measure per playout and seat that a group holds."""
        seats = self.seatings_per_deal * self.lineup.count(self.groups[group])
        return self.sums[MEASURES.index(measure), :, group] / seats

    def values(self, measure: str) -> Any:
        """float64[deals, groups]: the columns of all groups."""
        return np.column_stack([self.column(measure, g) for g in range(len(self.groups))])


def score_table(kind: str, lineup: Sequence[str], playouts: pa.Table, hands: int = 1) -> Scores:
    """The scores of whole deals: stored playouts, ordered by deal; hands: of a session."""
    block = block_of(playouts, lineup, ("seating", "winner", "payoff"), hands=hands)
    sums, products = [], []
    for values in (block.columns["payoff"], block.won):
        by_strategy = block.by_strategy(values.astype(np.int64))
        sums.append(by_strategy.sum(axis=1))
        means = by_strategy.reshape(-1, len(block.slots)) / block.slots
        products.append(means.T @ means)
    both = np.array(sums)
    if np.abs(both).max(initial=0) < 2**31:  # half the memory, as good as always
        both = both.astype(np.int32)
    return Scores(
        kind, tuple(lineup), int(block.deals[0]), block.columns["seating"], both, np.array(products)
    )


def join_scores(parts: Sequence[Scores]) -> Scores:
    """Consecutive deals of one table as one."""
    head = parts[0]
    return Scores(
        head.kind,
        head.lineup,
        head.first,
        np.concatenate([part.seatings for part in parts]),
        np.concatenate([part.sums for part in parts], axis=1),
        np.sum([part.products for part in parts], axis=0),
    )
