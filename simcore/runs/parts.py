"""Parts of a run as bytes: Parquet for playouts, JSON for tallies, each with its own stamp.

A part's name says which deals it holds and the CRC-32 of its bytes, so that a torn or altered file
is seen at once and without a manifest that could disagree with the folder.
"""

import json
import re
import zlib
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

PART = re.compile(r"part-(\d{15,})-(\d{15,})-([0-9a-f]{8})\.(parquet|json)$")
SUFFIX = {"playouts": "parquet", "tallies": "json"}
METADATA_KEY = b"bigtwo"
ROW_GROUP = 131_072  # rows at least, where there are as many
WRITE_BATCH = 65_536  # rows encoded at once


@dataclass(frozen=True, order=True)
class Part:
    """Deals first … end - 1 of a run, on disk."""

    first: int
    end: int
    name: str
    summary: dict[str, Any] = field(compare=False)  # runs.summary.Summary.as_dict


def by_deal(name: str) -> tuple[int, int, str]:
    """Sort key of the files of a folder: by their deals, what is no part first."""
    match = PART.match(name)
    return (int(match[1]), int(match[2]), name) if match else (-1, -1, name)


def part_name(first: int, end: int, data: bytes, keeps: str) -> str:
    """File name of a part; names sort by deal."""
    return f"part-{first:015d}-{end:015d}-{zlib.crc32(data):08x}.{SUFFIX[keeps]}"


def encode(
    run: str, first: int, end: int, summary: dict[str, Any], table: pa.Table | None
) -> bytes:
    """The bytes of a part: with a table of playouts Parquet, without one JSON."""
    stamp = json.dumps({"run": run, "first": first, "end": end, "summary": summary})
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


def decode(name: str, data: bytes, run: str) -> tuple[str, Part | None]:
    """("", part), or (what is wrong with the file, None)."""
    match = PART.match(name)
    if not match:
        return "it is not a part of a run", None
    first, end = int(match[1]), int(match[2])
    if zlib.crc32(data) != int(match[3], 16):
        return "it is damaged: its checksum is not the one in its name", None
    try:
        if match[4] == "json":
            stamp = json.loads(data)
        else:
            stamp = json.loads(pq.read_metadata(pa.BufferReader(data)).metadata[METADATA_KEY])
        if stamp["run"] != run:
            return f"it belongs to run {stamp['run']}", None
        if (stamp["first"], stamp["end"]) != (first, end) or not 0 <= first < end:
            return (
                f"it holds deals {stamp['first']} to {stamp['end'] - 1}, as its name does not",
                None,
            )
        return "", Part(first, end, name, stamp["summary"])
    except (OSError, ValueError, KeyError, TypeError, pa.ArrowException):
        return "it is damaged: it cannot be read", None
