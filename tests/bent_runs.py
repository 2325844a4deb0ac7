"""Runs as a stranger could hand them over, bent at random: each function changes one folder."""

import json
import os
import random
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from simcore.game.kinds import KINDS
from simcore.runs.parts import METADATA_KEY
from simcore.runs.run import identity_text, run_id
from tests.mutations import as_json, bend, flip


def bend_document(rng: random.Random, run: Path) -> str:
    """run.json: its bytes, or values in it, with id and checksum made right or not."""
    path = run / "run.json"
    data = path.read_bytes()
    if rng.random() < 0.2:
        path.write_bytes(flip(rng, data))
        return "bytes of run.json"
    document = json.loads(data)
    within = rng.choice((document, document["identity"], document["identity"]["rules"],
                         document["identity"]["lineup"], document["calls"]))  # fmt: skip
    said = bend(rng, within)
    document.pop("checksum", None)
    honest = rng.random() < 0.15
    text = as_json(document)
    if not honest:
        try:
            read = json.loads(text)
            read["id"] = run_id(read["identity"])
            read["checksum"] = f"{zlib.crc32(identity_text(read).encode()):08x}"
            if rng.random() < 0.9:
                text = as_json(read)
        except (ValueError, RecursionError, TypeError, KeyError):
            pass
    if rng.random() < 0.1:
        text = text.replace("{", '{"seed": 3, "format": 1, "calls": [], ', rng.choice((1, 3)))
    path.write_text(text, "utf-8")
    return f"run.json: {said}"


def _part(rng: random.Random, run: Path) -> Path:
    return rng.choice(sorted(p for k in ("playouts", "tallies") for p in run.glob(f"{k}/part-*")))


def _store(path: Path, data: bytes, name: str | None = None) -> None:
    """Write a part's bytes under a name that has their checksum."""
    path.unlink()
    first, end = path.name.split("-")[1:3]
    name = name or f"part-{first}-{end}-{zlib.crc32(data):08x}{path.suffix}"
    path.with_name(name).write_bytes(data)


def bend_bytes(rng: random.Random, run: Path) -> str:
    """Bytes of a part, most often of its footer."""
    path = _part(rng, run)
    data = path.read_bytes()
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    _store(path, flip(rng, data, max(0, footer) if rng.random() < 0.6 else 0))
    return "bytes of a part"


def _parquet(table: pa.Table, stamp: str | bytes, **options: Any) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table.replace_schema_metadata({METADATA_KEY: stamp}), sink, **options)
    return bytes(sink.getvalue())


def _stamp(path: Path) -> Any:
    if path.suffix == ".json":
        return json.loads(path.read_bytes())
    return json.loads(pq.read_schema(path).metadata[METADATA_KEY])


def bend_stamp(rng: random.Random, run: Path) -> str:
    """What a part says of itself."""
    path = _part(rng, run)
    stamp = _stamp(path)
    said = bend(rng, stamp if rng.random() < 0.3 else stamp["summary"])
    text = as_json(stamp)
    if path.suffix == ".json":
        data = text.encode()
    else:
        data = _parquet(pq.read_table(path), text)
    if rng.random() < 0.1:
        data = flip(rng, data)
    _store(path, data)
    return f"stamp: {said}"


def _scale(value: Any, factor: int) -> Any:
    """All counts of a summary times a factor, so that they agree with each other."""
    if isinstance(value, list):
        return [_scale(v, factor) for v in value]
    return value * factor


def bend_rows(rng: random.Random, run: Path) -> str:
    """Rows and columns of a part, the stamp and the name's checksum right."""
    path = _part(rng, run)
    if path.suffix == ".json":  # sums only: as many deals as one likes, which agree
        stamp = _stamp(path)
        factor, sums = 10 ** rng.randrange(1, 60), stamp["summary"]
        for key in ("n_deals", "sums", "products", "seat_count", "seat_wins", "seat_products",
                    "left", "kinds", "lengths"):  # fmt: skip
            sums[key] = _scale(sums[key], factor)
        sums["payoffs"] = [
            [[[p, n * factor] for p, n in c] for c in seats] for seats in sums["payoffs"]
        ]
        stamp["end"] = stamp["first"] + sums["n_deals"]
        data = json.dumps(stamp).encode()
        name = f"part-{stamp['first']:015d}-{stamp['end']:015d}-{zlib.crc32(data):08x}.json"
        _store(path, data, name)
        return f"sums × {factor}"
    table, stamp = pq.read_table(path), json.dumps(_stamp(path))
    column = rng.choice(table.schema.names)
    at = table.schema.get_field_index(column)
    field = table.schema.field(at)
    how = rng.randrange(11)
    options: dict[str, Any] = {}
    name = None
    if how <= 3:  # values
        n = table.num_rows
        if pa.types.is_dictionary(field.type):
            words = rng.choice(
                (list(KINDS), ["zzz", "pass", "single"], ["x" * 100_000, "dragon"], ["", "\x1b"])
            )
            indices = pa.array([rng.randrange(len(words)) for _ in range(n)], pa.int8())
            values: Any = pa.DictionaryArray.from_arrays(indices, pa.array(words))
        elif pa.types.is_boolean(field.type):
            values = pa.array([rng.random() < 0.5 for _ in range(n)])
        else:
            info = np.iinfo(field.type.to_pandas_dtype())
            some = (info.min, info.max, -1, 0, 1, 53)
            old = table[column].to_numpy()
            values = pa.array(
                [rng.choice(some) if rng.random() < 0.3 else int(x) for x in old], field.type
            )
        table = table.set_column(at, field, values)
    elif how == 4:
        table = table.take(pa.array(rng.sample(range(table.num_rows), table.num_rows)))
    elif how == 5:
        table = pa.concat_tables([table] * rng.choice((2, 3, 50_000)))
    elif how == 6:
        table = table.drop_columns([column])
    elif how == 7:
        table = table.rename_columns([n if n != column else "zzz" for n in table.schema.names])
    elif how == 8:
        kind = rng.choice((pa.int64(), pa.string(), pa.float64(), pa.list_(pa.int8())))
        table = table.set_column(at, pa.field(column, kind), pa.nulls(table.num_rows, kind))
    elif how == 9:  # very many rows, and deals to match
        table = pa.concat_tables([table] * rng.choice((1000, 100_000))).combine_chunks()
        first = int(path.name.split("-")[1])
        end = first + table.num_rows // max(1, _stamp(path)["summary"]["playouts_per_deal"])
        changed = _stamp(path)
        changed["end"] = changed["summary"]["n_deals"] = end
        stamp = json.dumps(changed)
        data = _parquet(table, stamp)
        name = f"part-{first:015d}-{end:015d}-{zlib.crc32(data):08x}.parquet"
    else:
        options = {"compression": rng.choice(("gzip", "brotli", "none", "snappy", "lz4")),
                   "row_group_size": rng.choice((1, 7, 10**6))}  # fmt: skip
        table = table.slice(0, rng.randrange(table.num_rows + 1))
    _store(path, _parquet(table, stamp, **options), name)
    return f"rows of {column}, {how}"


def bend_files(rng: random.Random, run: Path) -> str:
    """Names of parts, and what stands under them."""
    path = _part(rng, run)
    data = path.read_bytes()
    crc, suffix = f"{zlib.crc32(data):08x}", path.suffix
    first, end = path.name.split("-")[1:3]
    name = rng.choice((
        f"part-{first}-{'9' * 180}-{crc}{suffix}", f"part-{end}-{first}-{crc}{suffix}",
        f"part-{'0' * 100}{first}-{end}-{crc}{suffix}", f"part-{first}-{end}-{crc}.txt",
        f"part-{first}-{end}-{crc}{suffix}~", "\x1b[2J", "x\ny", ".hidden", "é" * 100,
        f"part-{2**63:015d}-{2**63 + 5:015d}-{crc}{suffix}", f"part-{first}-{end}-00000000{suffix}",
        f"part-{10**15:015d}-{2**62:015d}-{crc}{suffix}", f"part-٠{first[1:]}-{end}-{crc}{suffix}",
    ))  # fmt: skip
    how = rng.randrange(6)
    other = path.with_name(name)
    if how <= 1:
        path.rename(other)
    elif how == 2:
        other.write_bytes(data)
    elif how == 3:
        path.unlink()
        what = rng.choice(("folder", "pipe", "loop", "endless", "empty"))
        if what == "folder":
            path.mkdir()
        elif what == "pipe":
            os.mkfifo(path)
        elif what == "empty":
            path.write_bytes(b"")
        else:
            path.symlink_to(path if what == "loop" else "/dev/zero")
    elif how == 4:
        path.unlink()
    else:
        for each in path.parent.iterdir():
            each.unlink()
        path.parent.rmdir()
        what = rng.choice(("nothing", "file", "loop"))
        if what == "file":
            path.parent.write_text("x", "utf-8")
        elif what == "loop":
            path.parent.symlink_to(path.parent)
    return f"files, {how}: {name!r:.60}"


RUN_KINDS: dict[str, Callable[[random.Random, Path], str]] = {
    "document": bend_document,
    "bytes": bend_bytes,
    "stamp": bend_stamp,
    "rows": bend_rows,
    "files": bend_files,
}
