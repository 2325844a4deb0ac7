"""Turns of a run on disk: `turns/part-A-B-CRC.parquet`, one row for each turn.

They are an addition to playouts, outside the run's identity: every N-th deal of A … B - 1 has its
turns there, and each row can be recomputed from its playout.
"""

import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from simcore.columns import TURN_COLUMNS
from simcore.errors import RunError
from simcore.plain_data import Unreadable, parse_json
from simcore.runs.parts import METADATA_KEY, MOST_BYTES, MOST_STAMP, PART, by_deal
from simcore.runs.reading import by_seat
from simcore.runs.schema import KIND_NAMES, arrow_type, kind_numbers
from simcore.runs.storage import NoFile, Storage

FOLDER = "turns"


@dataclass(frozen=True, order=True)
class TurnPart:
    """The turns of every N-th deal of first … end - 1, on disk."""

    first: int
    end: int
    name: str
    every: int
    rows: int


def turn_schema(players: int) -> pa.Schema:
    """The Arrow schema of turns; a field's metadata says its unit and its meaning."""
    return pa.schema(
        [
            pa.field(
                name, arrow_type(c), nullable=False, metadata={"unit": c.unit, "meaning": c.meaning}
            )
            for c in TURN_COLUMNS
            for name in c.names(players)
        ]
    )


def to_turn_table(rows: Any, players: int) -> pa.Table:
    """Records TURN_ROW (simulation.turn_rows) as an Arrow table."""
    arrays = []
    for c in TURN_COLUMNS:
        for seat in range(players if c.per_seat else 1):
            values = np.ascontiguousarray(rows[c.name][:, seat] if c.per_seat else rows[c.name])
            if c.type == "kind":
                arrays.append(pa.DictionaryArray.from_arrays(pa.array(values), KIND_NAMES))
            else:
                arrays.append(pa.array(values))
    return pa.Table.from_arrays(arrays, schema=turn_schema(players))


def encode_turns(run: str, first: int, end: int, every: int, table: pa.Table) -> tuple[str, bytes]:
    """(file name, bytes) of a part."""
    stamp = json.dumps({"run": run, "first": first, "end": end, "every": every})
    wide = [f.name for f in table.schema if f.type in (pa.int64(), pa.int32())]
    narrow = [f.name for f in table.schema if f.type in (pa.int8(), pa.int16())]
    packed = ("deal", "drawn")
    sink = pa.BufferOutputStream()
    pq.write_table(
        table.replace_schema_metadata({METADATA_KEY: stamp}),
        sink,
        compression="zstd",
        compression_level=1,
        use_dictionary=[f.name for f in table.schema if pa.types.is_dictionary(f.type)],
        column_encoding=dict.fromkeys((*narrow, *wide), "BYTE_STREAM_SPLIT")
        | dict.fromkeys(packed, "DELTA_BINARY_PACKED"),
        write_statistics=["deal"],
    )
    data = bytes(sink.getvalue())
    return f"part-{first:015d}-{end:015d}-{zlib.crc32(data):08x}.parquet", data


def _decode(name: str, data: bytes, run: str, schema: pa.Schema) -> tuple[str, TurnPart | None]:
    """("", part), or (what is wrong with the file, None)."""
    match = PART.match(name)
    if not match or match[4] != "parquet":
        return "it is not a part of turns", None
    first, end = int(match[1]), int(match[2])
    if zlib.crc32(data) != int(match[3], 16):
        return "it is damaged: its checksum is not the one in its name", None
    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
        if sum(group.total_byte_size for group in groups) > MOST_BYTES:
            return f"its rows have more than {MOST_BYTES:,} bytes", None
        if not file.schema_arrow.equals(schema):
            return "its columns are not those of turns", None
        text = file.metadata.metadata[METADATA_KEY]
        if len(text) > MOST_STAMP:
            return "its stamp is too long", None
        stamp = parse_json(text)
        if stamp["run"] != run:
            return f"it belongs to run {stamp['run']!s:.40}", None
        if (stamp["first"], stamp["end"]) != (first, end) or not 0 <= first < end:
            return "it holds other deals than its name says", None
        every = stamp["every"]
        if not isinstance(every, int) or isinstance(every, bool) or every < 1:
            return "it does not say which deals it holds", None
        return "", TurnPart(first, end, name, every, file.metadata.num_rows)
    except (OSError, AttributeError, LookupError, TypeError, ValueError, Unreadable,
            pa.ArrowException):  # fmt: skip
        return "it is damaged: it cannot be read", None


def turn_parts(storage: Storage, run: str, players: int) -> tuple[list[TurnPart], list[str]]:
    """(good parts of turns by deal, a sentence for each file that is none)."""
    good: list[TurnPart] = []
    bad = []
    schema = turn_schema(players)
    for name in sorted(storage.names(FOLDER), key=by_deal):
        if name.startswith("."):
            continue
        try:
            problem, part = _decode(name, storage.read(f"{FOLDER}/{name}", MOST_BYTES), run, schema)
        except (NoFile, OSError) as error:
            problem, part = f"it cannot be read ({error})", None
        if part is not None and good and part.first < good[-1].end:
            problem, part = f"its deals are in {good[-1].name} already", None
        if part is not None and good and part.every != good[-1].every:
            problem, part = f"it holds every {part.every} deals, others {good[-1].every}", None
        if part is None:
            bad.append(f"{name}: {problem}")
        else:
            good.append(part)
    return good, bad


def good_turn_parts(storage: Storage, run: str, players: int) -> list[TurnPart]:
    """The parts of turns of a run that has some. Raises RunError for none, or a damaged one."""
    good, bad = turn_parts(storage, run, players)
    if bad:
        raise RunError(
            f"run {storage.place!r}: turns/{bad[0]}; run its command again with --turns, which "
            "sets the file aside and writes its turns anew"
        )
    if not good:
        raise RunError(
            f"run {storage.place!r} has no turns; run its command again with --turns, which writes "
            "them from the same playouts"
        )
    return good


def read_turns(storage: Storage, part: TurnPart, columns: Sequence[str] | None = None) -> pa.Table:
    """The rows of one part. Raises RunError."""
    path = storage.path(f"{FOLDER}/{part.name}")
    try:
        return pq.read_table(path, columns=columns, filesystem=storage.filesystem)
    except (OSError, pa.ArrowException) as error:
        raise RunError(
            f"{path!r} cannot be read ({str(error).splitlines()[0]:.200}); run the run's command "
            "again with --turns"
        ) from None


def turn_arrays(reader: Any, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Columns of the turns of a run, part by part: [turns], or [turns, players] per seat.

    reader: runs.reading.RunReader; columns: those per seat without their number. Kinds are places
    in KINDS. Raises RunError for a run without turns.
    """
    if reader.store is None:
        raise RunError("a run in memory has no turns; simulate with out= and turns=True")
    storage = reader.store.storage
    asked = [c for c in TURN_COLUMNS if c.name in columns]
    stored = [name for c in asked for name in c.names(reader.players)]
    for part in good_turn_parts(storage, reader.store.id, reader.players):
        table = read_turns(storage, part, stored)
        yield {
            c.name: by_seat(table, c.name, reader.players)
            if c.per_seat
            else kind_numbers(table[c.name])
            if c.type == "kind"
            else table[c.name].to_numpy()
            for c in asked
        }
