"""A run as arrays of whole deals, piece by piece: what the analyses add up."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from analyses.load import PER_SEAT
from simcore.errors import RunError
from simcore.runs.schema import KIND_NAMES
from simcore.runs.store import Store


@dataclass(frozen=True)
class Block:
    """Whole deals of a run: D deals, each in the same number of seatings K, at a table of n seats.

    columns: the stored ones that were asked for, [D, K] per playout, [D, K, n] per seat; last_kind
    as an index into KINDS.
    """

    strategies: tuple[str, ...]  # distinct names, in slot order
    slots: tuple[int, ...]  # how many slots each has
    dealt: int  # cards of each seat at the start; the starter's may be more
    deals: Any  # int64[D]
    group: Any  # int8[D, K, n]: index of the strategy at each seat
    columns: dict[str, Any]

    def __len__(self) -> int:
        return len(self.deals)

    @property
    def seatings(self) -> int:
        """Playouts of each deal."""
        return int(self.group.shape[1])

    @property
    def players(self) -> int:
        """Seats of the table."""
        return int(self.group.shape[2])

    @property
    def position(self) -> Any:
        """int8[D, K, n]: each seat counted from the starter (needs the column starter)."""
        seats = np.arange(self.players, dtype=np.int8)
        return (seats - self.columns["starter"][:, :, None]) % np.int8(self.players)

    @property
    def won(self) -> Any:
        """bool[D, K, n] (needs the column winner)."""
        return self.columns["winner"][:, :, None] == np.arange(self.players, dtype=np.int8)

    def per_strategy(self, values: Any) -> Any:
        """[D, G]: the sum of values[D, K, n] over each strategy's playouts and slots."""
        flat, groups = values.reshape(len(self), -1), self.group.reshape(len(self), -1)
        return np.stack(
            [(flat * (groups == g)).sum(axis=1) for g in range(len(self.slots))],
            axis=1,
        )

    def take(self, chosen: Any) -> "Block":
        """The block of some deals, by index, numbered anew; for resampling."""
        return Block(
            self.strategies,
            self.slots,
            self.dealt,
            np.arange(len(chosen)),
            self.group[chosen],
            {name: values[chosen] for name, values in self.columns.items()},
        )


KINDS: tuple[str, ...] = tuple(KIND_NAMES.to_pylist())

Source = str | Path | Any  # a run's folder, what `simulate` returned, or a Block


def blocks(run: Source, columns: Sequence[str]) -> Iterator[Block]:
    """The deals of a run in order, a part at a time, so that any run fits into memory.

    columns: stored names, those per seat without their number ("payoff"). Raises RunError for a
    run that keeps no playouts.
    """
    if isinstance(run, Block):
        yield run
        return
    place = getattr(run, "folder", run)
    if place is None:
        played: Any = run  # in memory
        setup = played.setup
        names = [entrant.name for entrant in setup.lineup]
        yield _block(played.playouts(), names, setup.players, setup.rules.deal, columns)
        return
    store = Store.open(place)
    if store.keeps != "playouts":
        raise RunError(
            f"run {str(place)!r} keeps sums only; simulate it into another folder without "
            "--summary-only"
        )
    who = store.document["identity"]
    names, players = [entrant["name"] for entrant in who["lineup"]], int(who["players"])
    wanted = ["deal", "seating"]
    for name in columns:
        wanted += [f"{name}_{s}" for s in range(players)] if name in PER_SEAT else [name]
    for part in store.good_parts():
        table = pq.read_table(
            store.part_path(part), columns=wanted, filesystem=store.storage.filesystem
        )
        yield _block(table.to_pandas(), names, players, int(who["rules"]["deal"]), columns)


def _block(
    frame: pd.DataFrame, names: list[str], players: int, dealt: int, columns: Sequence[str]
) -> Block:
    """Playouts, sorted by deal, as arrays; dealt: cards per seat, 0 for all that divide."""
    deals = frame["deal"].to_numpy()
    n_deals = 1 + int((np.diff(deals) != 0).sum())
    shape = (n_deals, len(deals) // n_deals)
    if "last_kind" in columns:
        kinds = frame["last_kind"].cat
        at = np.array([KINDS.index(kind) for kind in kinds.categories], np.int8)
        frame = frame.assign(last_kind=at[kinds.codes.to_numpy()])
    groups = list(dict.fromkeys(names))
    order = np.array(list(permutations(range(players))), np.int8)
    group_of = np.array([groups.index(name) for name in names], np.int8)[order]
    found = {
        name: np.stack(
            [frame[f"{name}_{seat}"].to_numpy().reshape(shape) for seat in range(players)], axis=2
        )
        if name in PER_SEAT
        else frame[name].to_numpy().reshape(shape)
        for name in columns
    }
    return Block(
        tuple(groups),
        tuple(names.count(name) for name in groups),
        dealt or 52 // players,
        deals.reshape(shape)[:, 0],
        group_of[frame["seating"].to_numpy()].reshape(*shape, players),
        found,
    )
