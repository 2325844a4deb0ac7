"""Plain data, bytes, rule files, lineups and weights, bent at random."""

import json
import random
import re
from pathlib import Path
from typing import Any

from simcore.game.ruleset import KEYS, rule_file, rule_set_names
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
        said.append(".".join(map(str, (*path, last))))
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


# ------------------------------------------------------------------ texts

_SNIPPETS = (
    *("[" * 600 + "]" * 600, "{" * 600, "9" * 4301, "0x" + "f" * 9000, "1e999", "nan", "-inf"),
    *("payoff={}", "payoff = {}", "kinds = 1", "[payoff]", "[[payoff]]", "[payoff.tiers]", "{}"),
    *("a." * 3000 + "a = 1", "opening.card." + "a." * 2000 + "a = 1", "x" * 300_000, "=", '"""'),
    *('name = ""', 'name = "a\\nb"', 'name = "\\u001b[2J"', 'title = ""', "deal = 13", "deal = 1"),
    *(
        'name = "' + "y" * 200_000 + '"',
        "tiers = [[1, 1000]]",
        "tiers = [[1, 0]]",
        "\x00",
        "\ufeff",
    ),
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
            piece = rng.choice(
                ('"', "[", "]", "{", "}", "=", ",", ".", "#", "0", "-", "\\", "\x1b")
            )
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
        value = rng.choice(
            (*_SNIPPETS, "all", "1", '"a"', "[1]", "[1]\n x = 2", "royal", "{times=2}")
        )
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


def records_of(rng: random.Random, file: Path, written: list[str]) -> str:
    """A file of records of which some lines are bent."""
    lines = rng.sample(written, 3)
    said = []
    for number in range(rng.choice((1, 1, 3))):
        record = json.loads(lines[number])
        if rng.random() < 0.3:
            record["rules"] = rng.choice(({"extends": "royal", "name": "x", "deal": 12}, "royal"))
        said.append(bend(rng, rng.choice((record, record, record["turns"], record["hands"]))))
        lines[number] = as_json(record)
    data = "\n".join(lines).encode("utf-8", "surrogatepass")
    file.write_bytes(flip(rng, data) if rng.random() < 0.15 else data)
    return f"records: {'; '.join(said)}"
