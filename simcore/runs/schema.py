"""The columns of simcore.columns as Arrow and Parquet have them, and as results/README.md does."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from simcore.columns import COLUMNS, FORMAT, TURN_COLUMNS, Column, columns
from simcore.game.kinds import KINDS
from simcore.game.seatings import N_ORDERS, ORDER

KIND_NAMES = pa.array(KINDS)
_TYPES = {
    "kind": pa.dictionary(pa.int8(), pa.string()),
    "bool": pa.bool_(),
    **{f"int{bits}": getattr(pa, f"int{bits}")() for bits in (8, 16, 32, 64)},
}


def arrow_type(column: Column) -> pa.DataType:
    """The Arrow type of a column."""
    return _TYPES[column.type]


def arrow_schema(players: int, needed: Collection[str], form: int = FORMAT) -> pa.Schema:
    """The Arrow schema of the parts of a run of a format.

    From format 2 on, a field's metadata says its unit and its meaning.
    """
    fields = []
    for c in columns(needed, form):
        about = {"unit": c.unit, "meaning": c.meaning} if form > 1 else None
        fields += [
            pa.field(name, _TYPES[c.type], nullable=False, metadata=about)
            for name in c.names(players)
        ]
    return pa.schema(fields)


def to_table(rows: Any, needed: Collection[str], form: int = FORMAT) -> pa.Table:
    """Rows of the engine as an Arrow table; integer columns are views of its blocks, no copies.

    rows: simulation.setup.Rows; needed, form: as in `columns`.
    """
    arrays = []
    for c in columns(needed, form):
        for values in rows[c.name] if c.per_seat else [rows[c.name]]:
            if c.type == "kind":
                arrays.append(pa.DictionaryArray.from_arrays(pa.array(values), KIND_NAMES))
            else:
                arrays.append(pa.array(values.view(bool) if c.type == "bool" else values))
    return pa.Table.from_arrays(arrays, schema=arrow_schema(rows.players, needed, form))


def seatings_table(lineup: Sequence[str], players: int) -> pa.Table:
    """Who sits where: a row for each seating and seat, to be joined with playouts by SQL."""
    rows = [
        {"seating": seating, "seat": seat, "slot": int(slot), "strategy": lineup[slot]}
        for seating in range(int(N_ORDERS[players]))
        for seat, slot in enumerate(ORDER[players, seating, :players])
    ]
    types = {"seating": pa.int8(), "seat": pa.int8(), "slot": pa.int8(), "strategy": pa.string()}
    return pa.Table.from_pylist(rows, schema=pa.schema(list(types.items())))


def fill_rows(rows: Any, table: pa.Table, needed: Collection[str], form: int = FORMAT) -> None:
    """Undo `to_table`: rows, simulation.setup.Rows of as many rows, get the table's values."""
    for c in columns(needed, form):
        for seat, name in enumerate(c.names(rows.players)):
            target = rows[c.name][seat] if c.per_seat else rows[c.name]
            if c.type == "kind":
                target[:] = kind_numbers(table[name])
            else:
                target[:] = table[name].to_numpy()


def kind_numbers(column: Any) -> Any:
    """int8 by row: the number in KINDS of each kind of a stored column. Raises ValueError."""
    kinds = column.combine_chunks()
    at = np.array([KINDS.index(kind) for kind in kinds.dictionary.to_pylist()], np.int8)
    return at[kinds.indices.to_numpy()]


def _column_lines(listed: list[Column]) -> list[str]:
    """A Markdown table of columns."""
    lines = ["| column | type | unit | meaning |", "|---|---|---|---|"]
    for c in listed:
        kind = "dictionary" if c.type == "kind" else str(_TYPES[c.type])
        name = f"{c.name}{'_0 …' if c.per_seat else ''}"
        lines.append(f"| `{name}` | {kind} | {c.unit} | {c.meaning} |")
    return lines


def markdown() -> str:
    """The column reference, as results/README.md holds it."""
    lines = [
        "# Results",
        "",
        "Each run is a folder here: `run.json` says what was played and how, and",
        '`pandas.read_parquet("results/<name>/playouts")` reads one row per playout:',
        "",
        *_column_lines(COLUMNS),
        "",
        "Columns that end in a number stand once for each seat. `twos_left` and `monster_left` are",
        "there where the payoff rule looks at them, `payer` where one may pay for all. A run is a",
        "sample of deals: all rows of one `deal` (or session, where hands are played in such) are",
        "one observation, so average over it before you estimate an error.",
        "",
        "A run keeps the format that it was begun with, `format` in its `run.json`: when a later",
        "version adds a column, a run of before goes on without it.",
        "",
        "With `--turns`, `turns/` holds one row for each turn (with `--turns-every N` of each N-th",
        "deal). Each can be recomputed from its playout, and `runs verify` does that:",
        "",
        *_column_lines(TURN_COLUMNS),
        "",
        "This page is generated: `python -m simcore.runs.schema > results/README.md`.",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(markdown(), end="")
