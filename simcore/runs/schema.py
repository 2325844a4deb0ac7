"""Every column of a run's playouts, once: name, type, unit, meaning.

The compiled batch kernel fills blocks (simulation.batch); this is the only place that knows which
row of which block is which column. results/README.md is generated from here.
"""

from dataclasses import dataclass

import pyarrow as pa

from simcore.game.kinds import KINDS

KIND_TYPE = pa.dictionary(pa.int8(), pa.string())


@dataclass(frozen=True)
class Column:
    """One column: `block` 64 is the deal index, 8/16/32 the kernel's blocks; `row` within it."""

    name: str
    type: pa.DataType
    unit: str
    meaning: str
    block: int
    row: int


def columns(players: int, leftovers: bool) -> list[Column]:
    """The columns of a run. leftovers: its payoff looks at 2s and Monsters left."""
    int8, int16, int32 = pa.int8(), pa.int16(), pa.int32()
    found = [
        Column("deal", pa.int64(), "index", "address of the deal under the run's seed", 64, 0),
        Column(
            "seating", int8, "index",
            "k-th permutation p of the slots, in lexicographic order; slot p[seat] sits at seat",
            8, 0,
        ),
        Column("starter", int8, "seat", "seat that led the first trick", 8, 1),
        Column("winner", int8, "seat", "seat that played its last card", 8, 2),
        Column("plays", int16, "plays", "plays made by all seats", 16, 0),
        Column("passes", int16, "passes", "passes of all seats; locked-out ones make none", 16, 1),
        Column("tricks", int16, "tricks", "tricks led", 16, 2),
        Column("last_kind", KIND_TYPE, "kind", "kind of the winning play", 8, 3),
        Column(
            "winner_multiplier", int32, "factor",
            "multiplier that the winner's last play set for every loser", 32, 0,
        ),
    ]  # fmt: skip
    seats = range(players)
    found += [
        Column(f"cards_left_{s}", int8, "cards", f"cards left in the hand of seat {s}", 8, 4 + s)
        for s in seats
    ]
    found += [
        Column(
            f"payoff_{s}",
            int32,
            "points",
            f"zero-sum result of seat {s}, stake included",
            32,
            1 + s,
        )
        for s in seats
    ]
    if leftovers:
        found += [
            Column(
                f"twos_left_{s}",
                int8,
                "cards",
                f"2s left in the hand of seat {s}",
                8,
                4 + players + s,
            )
            for s in seats
        ]
        found += [
            Column(
                f"monster_left_{s}", pa.bool_(), "yes/no", f"seat {s} was left with a Monster",
                8, 4 + 2 * players + s,
            )
            for s in seats
        ]  # fmt: skip
    return found


def arrow_schema(players: int, leftovers: bool) -> pa.Schema:
    """The Arrow schema of a run's parts, without metadata."""
    return pa.schema(
        [pa.field(c.name, c.type, nullable=False) for c in columns(players, leftovers)]
    )


KIND_NAMES = pa.array(KINDS)


def markdown() -> str:
    """The column reference, as results/README.md holds it."""
    lines = [
        "# Results",
        "",
        "Each run is a folder here: `run.json` says what was played and how, and",
        '`pandas.read_parquet("results/<name>/playouts")` reads one row per playout:',
        "",
        "| column | type | unit | meaning |",
        "|---|---|---|---|",
    ]
    for c in columns(4, True):
        if c.name[-1].isdigit() and not c.name.endswith("_0"):
            continue
        name = c.name.replace("_0", "_0 …") if c.name.endswith("_0") else c.name
        kind = str(c.type).replace(
            "dictionary<values=string, indices=int8, ordered=0>", "dictionary"
        )
        meaning = c.meaning.replace("seat 0", "that seat")
        lines.append(f"| `{name}` | {kind} | {c.unit} | {meaning} |")
    lines += [
        "",
        "Columns that end in a number stand once for each seat. `twos_left` and `monster_left` are",
        "there where the payoff rule looks at them. A run is one sample of deals: all rows of one",
        "`deal` are one observation, so average over a deal before you estimate an error.",
        "",
        "This page is generated: `python -m simcore.runs.schema > results/README.md`.",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(markdown(), end="")
