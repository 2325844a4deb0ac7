"""What a stranger could hand over: real runs, rule files, lineups and weights, bent at random."""

import json
import os
import random
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from simcore.game.kinds import KINDS
from simcore.game.ruleset import KEYS, rule_file, rule_set_names
from simcore.runs.parts import METADATA_KEY
from simcore.runs.run import identity_text, run_id
from simcore.strategies.registry import strategy_names

RAW = "\ue000"  # in front of a text that is to stand in JSON without its quotes
TEXTS = (
    *("", " ", "x" * 300_000, "\x1b[2J\x07", "a\nb\r\nc", "\x00", "\ud800", "\u202e", "🂡" * 50),
    *("../../x", "/dev/zero", "=1+1", "<script>", "[red]", "%s{0}", "noisy:base=dump", "-1"),
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 3, 127, 128, 1.5, -0.0, 1e308, float("nan"), float("inf")),
    *(2**31, 2**53, 2**63 - 1, 2**63, 2**64, -(2**63), 10**18, 10**30, 10**400, 10**4000),
    *([], {}, [[]], [None], [1, 2, 3], {"a": 1}, [[1, 2]] * 3, ["random"] * 5),
    *(f"{RAW}{'9' * 5000}", f"{RAW}{'[' * 900}{']' * 900}", f"{RAW}{'[' * 90_000}"),
    *(RAW + '{"a":' * 700 + "1" + "}" * 700, f"{RAW}1e999", f"{RAW}-1e999"),
)


# ------------------------------------------------------------------ plain data


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths to every value within plain data."""
    found = [path] if path else []
    inner = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        inner = enumerate(value[:40])
    for key, each in inner:
        found += _places(each, (*path, key))
    return found


def bend(rng: random.Random, value: Any) -> str:
    """Change plain data in one to three places; says where."""
    said = []
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        places = _places(value)
        if not places:
            break
        *path, last = rng.choice(places)
        inside = value
        for key in path:
            inside = inside[key]
        how = rng.randrange(8)
        old = inside[last]
        if how == 0 and isinstance(inside, dict):
            del inside[last]
        elif how == 1 and isinstance(inside, list):
            inside.insert(rng.randrange(len(inside) + 1), old)
        elif how == 2 and isinstance(inside, list):
            del inside[last]
        elif how == 3 and isinstance(old, int | float):
            inside[last] = rng.choice((-old, old + 1, old * 2**20, old / 3, str(old), [old]))
        elif how == 4 and isinstance(old, str):
            inside[last] = rng.choice((old * 2, old[1:], old.upper(), old + rng.choice(TEXTS)))
        elif how == 5:
            inside[last] = rng.choice(TEXTS)
        else:
            inside[last] = rng.choice(VALUES)
        said.append(".".join(map(str, (*path, last))) + f" = {inside.get(last) if isinstance(inside, dict) else '…'!r:.40}")  # fmt: skip
    return "; ".join(said)


def as_json(value: Any) -> str:
    """JSON in which what RAW marks stands as it is."""
    text = json.dumps(value)
    return re.sub(r'"\\ue000((?:[^"\\]|\\.)*)"', lambda m: m[1].replace('\\"', '"'), text)


def flip(rng: random.Random, data: bytes, least: int = 0) -> bytes:
    """Some bytes changed, cut out or put in, from `least` on."""
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5, 30))):
        at = rng.randrange(least, max(len(found), least + 1))
        how = rng.randrange(4)
        if how == 0:
            found[at : at + 1] = bytes([rng.randrange(256)])
        elif how == 1 and at < len(found):
            found[at] ^= 1 << rng.randrange(8)
        elif how == 2:
            del found[at : at + rng.choice((1, 1, 4, 100))]
        else:
            found[at:at] = rng.randbytes(rng.choice((1, 1, 4, 100)))
    return bytes(found)


# ------------------------------------------------------------------ runs


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
        rng.choice((path.mkdir, lambda: os.mkfifo(path), lambda: path.symlink_to(path),
                    lambda: path.symlink_to("/dev/zero"), lambda: path.write_bytes(b"")))()  # fmt: skip
    elif how == 4:
        path.unlink()
    else:
        for each in path.parent.iterdir():
            each.unlink()
        path.parent.rmdir()
        rng.choice((lambda: None, lambda: path.parent.write_text("x"),
                    lambda: path.parent.symlink_to(path.parent)))()  # fmt: skip
    return f"files, {how}: {name!r:.60}"


RUN_KINDS: dict[str, Callable[[random.Random, Path], str]] = {
    "document": bend_document,
    "bytes": bend_bytes,
    "stamp": bend_stamp,
    "rows": bend_rows,
    "files": bend_files,
}

# ------------------------------------------------------------------ texts

_SNIPPETS = (
    *("[" * 600 + "]" * 600, "{" * 600, "9" * 4301, "0x" + "f" * 9000, "1e999", "nan", "-inf"),
    *("payoff={}", "payoff = {}", "kinds = 1", "[payoff]", "[[payoff]]", "[payoff.tiers]", "{}"),
    *("a." * 3000 + "a = 1", "opening.card." + "a." * 2000 + "a = 1", "x" * 300_000, "=", '"""'),
    *('name = ""', 'name = "a\\nb"', 'name = "\\u001b[2J"', 'title = ""', "deal = 13", "deal = 1"),
    *('name = "' + "y" * 200_000 + '"', "tiers = [[1, 1000]]", "tiers = [[1, 0]]", "\x00", "\ufeff"),
    *('extends = "douque"', 'extends = "me.toml"', 'extends = "./me.toml"', 'extends = ""'),
    *('extends = "."', 'extends = "/dev/zero"', "extends = []", 'extends = "~/x.toml"', "[x.y.z]"),
    *("players = [2]", "players = [2, 3]", "1979-05-27T07:32:00Z", "two_left = {times = 1000}"),
    *("finish_two = { times = 1000, points = 10000 }", "inf", "true", "[]", "[[]]", '"3C"', "3c"),
    *("suits = 'shdc'", 'order = ["' + "3" * 70_000 + '"]', "players = [" + "4," * 30_000 + "4]"),
)


def bend_text(rng: random.Random, text: str) -> str:
    """Lines of a text doubled, dropped, swapped, and pieces put in or exchanged."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        lines = text.split("\n")
        at = rng.randrange(len(lines))
        how = rng.randrange(8)
        if how == 0:
            lines.insert(rng.randrange(len(lines) + 1), lines[at])
        elif how == 1:
            del lines[at]
        elif how == 2:
            lines.insert(at, rng.choice(_SNIPPETS))
        elif how in (3, 4) and "=" in lines[at]:
            lines[at] = lines[at].partition("=")[0] + "= " + rng.choice(_SNIPPETS)
        elif how == 5 and "=" in lines[at]:
            lines[at] = rng.choice(tuple(KEYS)) + " = " + lines[at].partition("=")[2]
        elif how == 6:
            other = rng.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        else:
            place = rng.randrange(len(lines[at]) + 1)
            piece = rng.choice(('"', "[", "]", "{", "}", "=", ",", ".", "#", "0", "-", "\\", "\x1b"))
            lines[at] = lines[at][:place] + piece + lines[at][place + rng.randrange(3) :]
        text = "\n".join(lines)
    return text


def rules_of(rng: random.Random, folder: Path) -> str:
    """A rule set as a command is given one: a bent file, or a name with bent changes behind it."""
    names = rule_set_names()
    if rng.random() < 0.6:
        text = rule_file(rng.choice(names))[1]
        if rng.random() < 0.4:
            text = f'extends = "{rng.choice(names)}"\nname = "house"\n'
        file = folder / "me.toml"
        data = bend_text(rng, text).encode("utf-8", "surrogatepass")
        file.write_bytes(flip(rng, data) if rng.random() < 0.15 else data)
        name = str(file)
        if rng.random() < 0.7:
            return name
    else:
        name = rng.choice((*names, "", "zzz", "x" * 100_000, str(folder), "/dev/null", "\x00"))
    for _ in range(rng.choice((1, 1, 2))):
        key = rng.choice((*KEYS, *KEYS, "payoff", "extends", "zzz", "", "name", "deal", "kinds"))
        value = rng.choice((*_SNIPPETS, "all", "1", '"a"', "[1]", "[1]\n x = 2", "royal", "{times=2}"))
        name += f":{key}={value}"
    return name


_LINEUP_PIECES = (
    *(":", ":", ",", "=", "base=", "epsilon=", "epsilon=0.2", "weights=", "noisy", "noisy:base="),
    *("inf", "nan", "1e999", "-1", "0", "0.5", "1" * 5000, " ", "\t", "\n", "\x00", "\x1b[2J"),
    *("é", "🂡", "x" * 300, "x" * 100_000, "/", "..", ".py", "/dev/zero", "a.b", "os:abort", "%s"),
    *("hold=1", "lead_pair=2", "danger=3", "samples=2", "json:loads", "[", "]", "\ud800"),
)


def lineup_of(rng: random.Random, folder: Path) -> str:
    """A lineup out of pieces of its grammar."""
    names = (*strategy_names(), str(folder), str(folder / "pipe"), str(folder / "binary.py"))
    pieces = [
        rng.choice(names if rng.random() < 0.4 else _LINEUP_PIECES)
        for _ in range(rng.choice((1, 2, 3, 4, 6, 10)))
    ]
    if rng.random() < 0.1:
        pieces = ["noisy:base="] * rng.choice((2, 50, 5000)) + pieces
    return "".join(pieces)


def weights_of(rng: random.Random, folder: Path, shipped: str) -> str:
    """A lineup with a bent weights file."""
    file = folder / "weights.toml"
    data = bend_text(rng, shipped).encode("utf-8", "surrogatepass")
    file.write_bytes(flip(rng, data) if rng.random() < 0.2 else data)
    return f"linear:weights={file}"
