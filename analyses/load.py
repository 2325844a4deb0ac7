"""Reading a run back: the tidy frame, one row per playout and seat."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from simcore.errors import InputError, RunError, nearest
from simcore.runs.store import Store

# tidy column -> stored columns that it is made of; {} stands for the seat
PER_PLAYOUT = (
    "deal", "seating", "starter", "winner", "plays", "passes", "tricks", "last_kind",
    "winner_multiplier",
)  # fmt: skip
PER_SEAT = ("cards_left", "payoff", "twos_left", "monster_left")
DERIVED = {
    "seat": (),
    "slot": ("seating",),
    "strategy": ("seating",),
    "seat_from_starter": ("starter",),
    "won": ("winner",),
}


def load(
    run: str | Path | Any, columns: Sequence[str] | None = None, tidy: bool = True
) -> pd.DataFrame:
    """The playouts of a run, by deal and seating.

    run: its folder, or what `simulate` returned. tidy: one row per playout and seat, with seat,
    slot, strategy, seat_from_starter, won, cards_left, payoff (and twos_left, monster_left); else
    one row per playout, as stored. columns: only these; two columns of ten million playouts take
    seconds. Raises RunError, InputError.
    """
    store, files = _open(run)
    return _frame(store, files, columns, tidy)


def batches(
    run: str | Path | Any, columns: Sequence[str] | None = None, tidy: bool = True
) -> Iterator[pd.DataFrame]:
    """The same frame in pieces, part by part: for runs that are larger than the memory.

    Every piece holds whole deals, so sums over deals may be added up piece by piece.
    """
    store, files = _open(run)
    for file in files:
        yield _frame(store, [file], columns, tidy)


def _open(run: str | Path | Any) -> tuple[Store, list[str]]:
    """The run's folder and the paths of its parts."""
    place = getattr(run, "folder", run)
    if place is None:
        raise InputError("this run is in memory only: use its .playouts(), or simulate with out=")
    store = Store.open(place)
    if store.document["keeps"] != "playouts":
        raise RunError(f"run {str(place)!r} keeps tallies only; use analyses.run_summary")
    return store, [store.part_path(part) for part in store.good_parts()]


def _frame(
    store: Store, files: list[str], columns: Sequence[str] | None, tidy: bool
) -> pd.DataFrame:
    """Some parts as one frame."""
    read = partial(pq.read_table, files, filesystem=store.storage.filesystem)
    stored = pq.read_schema(files[0], filesystem=store.storage.filesystem).names
    if not tidy:
        _known(columns or (), stored)
        frame: pd.DataFrame = read(columns=list(columns) if columns else None).to_pandas()
        return frame
    available = [
        c
        for c in (*PER_PLAYOUT, *DERIVED, *PER_SEAT)
        if c in PER_PLAYOUT or c in DERIVED or f"{c}_0" in stored
    ]
    wanted = list(columns) if columns else available
    _known(wanted, available)
    players = int(store.document["identity"]["players"])
    needed: set[str] = set()
    for name in wanted:
        if name in PER_SEAT:
            needed |= {f"{name}_{seat}" for seat in range(players)}
        else:
            needed |= set(DERIVED.get(name, (name,)))
    table = read(columns=[c for c in stored if c in needed or (not needed and c == "seating")])
    names = [entrant["name"] for entrant in store.document["identity"]["lineup"]]
    return pd.DataFrame({name: _column(name, table, players, names) for name in wanted}, copy=False)


def _known(asked: Sequence[str], available: Sequence[str]) -> None:
    for name in asked:
        if name not in available:
            raise InputError(f"unknown column {name!r}; {nearest(name, available)}")


def _column(name: str, table: Any, players: int, names: list[str]) -> Any:
    """One tidy column: seats vary fastest."""
    rows = table.num_rows
    if name in PER_SEAT:
        found = np.empty((rows, players), table[f"{name}_0"].to_pandas().dtype)
        for seat in range(players):
            found[:, seat] = table[f"{name}_{seat}"].to_numpy()
        return found.ravel()
    seats = np.arange(players, dtype=np.int8)
    if name == "seat":
        return np.tile(seats, rows)
    if name in ("slot", "strategy"):
        order = np.array(list(permutations(range(players))), np.int8)
        slots = order[table["seating"].to_numpy()].ravel()
        if name == "slot":
            return slots
        groups = list(dict.fromkeys(names))
        codes = np.array([groups.index(n) for n in names], np.int8)
        return pd.Categorical.from_codes(codes[slots], pd.Index(groups))
    if name == "seat_from_starter":
        return ((seats - table["starter"].to_numpy()[:, None]) % players).astype(np.int8).ravel()
    if name == "won":
        return (table["winner"].to_numpy()[:, None] == seats).ravel()
    column = table[name].to_pandas()
    if isinstance(column.dtype, pd.CategoricalDtype):
        return pd.Categorical.from_codes(
            np.repeat(column.cat.codes.to_numpy(), players), dtype=column.dtype
        )
    return np.repeat(column.to_numpy(), players)
