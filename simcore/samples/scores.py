"""What every deal brought each strategy of a table: the sample that comparisons stand on.

All seatings of a deal are one observation, so a table's playouts shrink to a few exact integers a
deal. Without the compiler, so that `analyses` may read it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
import pyarrow as pa

MEASURES = ("payoff", "win_share")


@dataclass(frozen=True)
class Scores:
    """The deals first … of one table, by group: the distinct strategies of the lineup, in order."""

    kind: str  # of table: "mixed", "1v3", "2v2", … or "field"
    lineup: tuple[str, ...]  # by slot
    first: int  # number of the first deal
    seatings: Any  # int8[deals, seatings per deal]
    sums: Any  # int32 or int64[measures, deals, groups]: over seatings and the group's slots
    products: Any  # float64[measures, groups, groups]: of two groups' means, summed over playouts

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


def score_table(
    kind: str, lineup: Sequence[str], seatings_per_deal: int, playouts: pa.Table
) -> Scores:
    """The scores of whole deals: stored playouts, ordered by deal."""
    players = len(lineup)
    groups = list(dict.fromkeys(lineup))
    rows = playouts.num_rows
    seating = playouts["seating"].to_numpy()
    orders = np.array(list(permutations(range(players))), np.int8)[seating]
    group = np.array([groups.index(name) for name in lineup], np.int8)[orders]  # [rows, seats]
    payoff = np.column_stack([playouts[f"payoff_{s}"].to_numpy() for s in range(players)])
    won = playouts["winner"].to_numpy()[:, None] == np.arange(players)
    sums = np.empty((len(MEASURES), rows // seatings_per_deal, len(groups)), np.int64)
    products = np.empty((len(MEASURES), len(groups), len(groups)))
    slots = np.array([lineup.count(name) for name in groups])
    for m, values in enumerate((payoff.astype(np.int64), won.astype(np.int64))):
        by_group = np.column_stack(
            [np.where(group == g, values, 0).sum(axis=1) for g in range(len(groups))]
        )
        sums[m] = by_group.reshape(-1, seatings_per_deal, len(groups)).sum(axis=1)
        means = by_group / slots
        products[m] = means.T @ means
    if np.abs(sums).max(initial=0) < 2**31:  # half the memory, as good as always
        sums = sums.astype(np.int32)
    first = int(playouts["deal"][0].as_py()) if rows else 0
    return Scores(
        kind, tuple(lineup), first, seating.reshape(-1, seatings_per_deal), sums, products
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
