"""Parts of a run as bytes: Parquet for playouts, JSON for tallies, each with its own stamp.

A part's name says which deals it holds and the CRC-32 of its bytes, so that a torn or altered file
is seen at once and without a manifest that could disagree with the folder.
"""

import json
import re
import zlib
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from simcore.columns import COLUMNS
from simcore.game.seatings import PLANS, seatings_per_deal
from simcore.plain_data import parse_json
from simcore.runs.schema import arrow_schema
from simcore.runs.summary import Summary

PART = re.compile(r"part-(\d{15,})-(\d{15,})-([0-9a-f]{8})\.(parquet|json)$")
SUFFIX = {"playouts": "parquet", "tallies": "json"}
METADATA_KEY = b"bigtwo"
ROW_GROUP = 131_072  # rows at least, where there are as many
WRITE_BATCH = 65_536  # rows encoded at once
MOST_BYTES = 1 << 28  # of a part; one of PART_ROWS rows has some 10 MB
MOST_PLAYOUTS = 1 << 20  # of a part; the longest that was ever planned has 3 in 4 of these
MOST_STAMP = 1 << 24  # bytes
MOST_DEAL = 2**62
SUM_DIGITS = 256  # bits of a sum of squares


@dataclass(frozen=True, order=True)
class Part:
    """Deals first … end - 1 of a run, on disk."""

    first: int
    end: int
    name: str
    summary: Summary = field(compare=False)


def by_deal(name: str) -> tuple[int, int, str]:
    """Sort key of the files of a folder: by their deals, what is no part first."""
    match = PART.match(name)
    return (int(match[1]), int(match[2]), name) if match else (-1, -1, name)


def part_name(first: int, end: int, data: bytes, keeps: str) -> str:
    """File name of a part; names sort by deal."""
    return f"part-{first:015d}-{end:015d}-{zlib.crc32(data):08x}.{SUFFIX[keeps]}"


def encode(run: str, first: int, end: int, summary: Summary, table: pa.Table | None) -> bytes:
    """The bytes of a part: with a table of playouts Parquet, without one JSON."""
    stamp = json.dumps({"run": run, "first": first, "end": end, "summary": summary.as_dict()})
    if table is None:
        return stamp.encode()
    # Small integers: splitting their bytes is quicker than a dictionary, and as small compressed.
    encodings = {
        f.name: "BYTE_STREAM_SPLIT" for f in table.schema if f.type in (pa.int8(), pa.int16())
    } | {"deal": "DELTA_BINARY_PACKED"}
    groups = max(1, table.num_rows // ROW_GROUP)
    sink = pa.BufferOutputStream()
    pq.write_table(
        table.replace_schema_metadata({METADATA_KEY: stamp}),
        sink,
        row_group_size=-(-table.num_rows // groups),
        compression="zstd",
        compression_level=1,
        use_dictionary=[name for name in table.schema.names if name not in encodings],
        column_encoding=encodings,
        write_batch_size=WRITE_BATCH,
        write_statistics=["deal"],
    )
    return bytes(sink.getvalue())


class Expected:
    """What the parts of a run have in common; identity: checked (runs.document)."""

    def __init__(self, run: str, form: int, identity: dict[str, Any]) -> None:
        self.run = run
        self.players = int(identity["players"])
        self.per_deal = seatings_per_deal(PLANS.index(identity["seatings"]), self.players)
        names = [entrant["name"] for entrant in identity["lineup"]]
        self.groups = list(dict.fromkeys(names))
        self.slots = [names.count(name) for name in self.groups]
        self.stake = int(identity["stake"])
        self.session_hands = int(identity["rules"].get("session_hands", 1))
        kinds = {c.where for c in COLUMNS if c.where}
        self.schemas = [
            arrow_schema(self.players, some, form)
            for n in range(len(kinds) + 1)
            for some in combinations(sorted(kinds), n)
        ]

    def fault(self, first: int, end: int, rows: int | None, sums: dict[str, Any]) -> str:
        """What is wrong with a part of deals first … end - 1, "" for nothing."""
        deals = end - first
        if end > MOST_DEAL or deals * self.per_deal > MOST_PLAYOUTS:
            return f"it has more than {MOST_PLAYOUTS:,} playouts, or deals beyond {MOST_DEAL:,}"
        if first % self.session_hands or end % self.session_hands:
            return f"it does not hold whole sessions of {self.session_hands} hands"
        if rows is not None and rows != deals * self.per_deal:
            return f"it has {rows:,} rows, not {deals * self.per_deal:,}"
        stated: dict[str, Any] = {"n_deals": deals, "players": self.players}
        stated["playouts_per_deal"] = self.per_deal
        stated |= {"groups": self.groups, "slots": self.slots, "stake": self.stake}
        # As text: 1, 1.0 and true are equal, and not the same.
        if self.session_hands > 1:
            stated["session_hands"] = self.session_hands
        elif "session_hands" in sums:
            return "its sums are of another run (session_hands)"
        wrong = [key for key, value in stated.items() if json.dumps(sums[key]) != json.dumps(value)]
        return f"its sums are of another run ({wrong[0]})" if wrong else ""


def decode(name: str, data: bytes, expected: Expected) -> tuple[str, Part | None]:
    """("", part), or (what is wrong with the file, None)."""
    match = PART.match(name)
    if not match:
        return "it is not a part of a run", None
    first, end = int(match[1]), int(match[2])
    if zlib.crc32(data) != int(match[3], 16):
        return "it is damaged: its checksum is not the one in its name", None
    rows = None
    try:
        if match[4] == "json":
            text = data
        else:
            file = pq.ParquetFile(pa.BufferReader(data))
            text, rows = file.metadata.metadata[METADATA_KEY], file.metadata.num_rows
            groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
            if sum(group.num_rows for group in groups) != rows:
                return "its footer contradicts itself: rows", None
            if sum(group.total_byte_size for group in groups) > MOST_BYTES:
                return f"its rows have more than {MOST_BYTES:,} bytes", None
            if not any(file.schema_arrow.equals(schema) for schema in expected.schemas):
                return "its columns are not those of the run", None
        if len(text) > MOST_STAMP:
            return f"its sums have more than {MOST_STAMP:,} bytes", None
        stamp = parse_json(text, SUM_DIGITS)
        if stamp["run"] != expected.run:
            return f"it belongs to run {stamp['run']!s:.40}", None
        if (stamp["first"], stamp["end"]) != (first, end) or not 0 <= first < end:
            return "it holds other deals than its name says", None
        fault = expected.fault(first, end, rows, stamp["summary"])
        if fault:
            return fault, None
        summary = Summary.from_dict(stamp["summary"])
        contradiction = summary.contradiction()
        if contradiction:
            return f"its sums contradict each other ({contradiction!r})", None
        return "", Part(first, end, name, summary)
    except (OSError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError,
            ValueError, pa.ArrowException):  # fmt: skip
        return "it is damaged: it cannot be read", None
