"""Reading a run back: the tidy frame, one row per playout and seat."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from simcore.columns import PER_PLAYOUT, PER_SEAT
from simcore.errors import InputError, nearest
from simcore.runs.reading import RunReader, Source, by_seat, read_run, slots_at

# tidy columns that are made of stored ones
DERIVED = {
    "seat": (),
    "slot": ("seating",),
    "strategy": ("seating",),
    "seat_from_starter": ("starter",),
    "won": ("winner",),
}


def load(run: Source, columns: Sequence[str] | None = None, tidy: bool = True) -> pd.DataFrame:
    """The playouts of a run, by deal and seating.

    run: its folder, or what `simulate` returned. tidy: one row per playout and seat, with seat,
    slot, strategy, seat_from_starter, won, cards_left, payoff (and twos_left, monster_left); else
    one row per playout, as stored. columns: only these; two columns of ten million playouts take
    seconds. Raises RunError, InputError.
    """
    reader, wanted, stored = _plan(run, columns, tidy)
    return _frame(pa.concat_tables(reader.tables(stored)), reader, wanted)


def batches(
    run: Source, columns: Sequence[str] | None = None, tidy: bool = True
) -> Iterator[pd.DataFrame]:
    """The same frame in pieces, part by part: for runs that are larger than the memory.

    Every piece holds whole deals, so sums over deals may be added up piece by piece.
    """
    reader, wanted, stored = _plan(run, columns, tidy)
    for table in reader.tables(stored):
        yield _frame(table, reader, wanted)


def _plan(
    run: Source, columns: Sequence[str] | None, tidy: bool
) -> tuple[RunReader, list[str] | None, list[str] | None]:
    """(the run, tidy columns or None, stored columns that they need, None: all)."""
    reader = read_run(run)
    there = reader.column_names
    if not tidy:
        return reader, None, _known(columns, there) if columns else None
    available = [name for name in PER_PLAYOUT if name in there]
    available += [*DERIVED, *(name for name in PER_SEAT if f"{name}_0" in there)]
    wanted = _known(columns, available) if columns else available
    needed: set[str] = set()
    for name in wanted:
        if name in PER_SEAT:
            needed |= {f"{name}_{seat}" for seat in range(reader.players)}
        else:
            needed |= set(DERIVED.get(name, (name,)))
    return reader, wanted, [c for c in there if c in (needed or ("seating",))]


def _known(asked: Sequence[str], available: Sequence[str]) -> list[str]:
    for name in asked:
        if name not in available:
            raise InputError(f"unknown column {name!r}; {nearest(name, available)}")
    return list(asked)


def _frame(table: pa.Table, reader: RunReader, wanted: list[str] | None) -> pd.DataFrame:
    """Stored rows as a frame."""
    if wanted is None:
        frame: pd.DataFrame = table.to_pandas()
        return frame
    return pd.DataFrame({name: _column(name, table, reader) for name in wanted}, copy=False)


def _column(name: str, table: pa.Table, reader: RunReader) -> Any:
    """One tidy column: seats vary fastest."""
    players = reader.players
    if name in PER_SEAT:
        return by_seat(table, name, players).ravel()
    seats = np.arange(players, dtype=np.int8)
    if name == "seat":
        return np.tile(seats, table.num_rows)
    if name in ("slot", "strategy"):
        slots = slots_at(players, table["seating"].to_numpy()).ravel()
        if name == "slot":
            return slots
        groups = list(dict.fromkeys(reader.lineup))
        codes = np.array([groups.index(n) for n in reader.lineup], np.int8)
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
