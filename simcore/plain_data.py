"""JSON and TOML that anybody may have written, as plain data within bounds.

What passes here can be walked, printed and turned back into text: it is not deep, its numbers have
few digits, its texts are Unicode. What the values mean is checked where they are used.
"""

import errno
import json
import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from simcore.errors import shown

MOST_TEXT = 1 << 18  # bytes of a file in TOML
MOST_STRING = 100_000  # characters of one text
MOST_DEPTH = 40  # of lists and tables in each other
MOST_DIGITS = 64  # bits of a number, unless the caller knows better
MOST_DOTS = 250_000  # sum of squares over the lines: so long the parser takes for dotted keys


class Unreadable(ValueError):
    """A text that is none of ours: what is wrong, in a few words."""


def is_file(path: str | Path) -> bool:
    """Whether a text names a file; one that no file system takes does not."""
    try:
        return Path(path).is_file()
    except OSError:
        return False


def read_text(path: Path) -> str:
    """The text of a file. Raises OSError, Unreadable for what is no file, too long, or no UTF-8."""
    if not is_file(path):
        if path.exists() and not path.is_dir():
            raise Unreadable("it is no ordinary file")
        number = errno.EISDIR if path.is_dir() else errno.ENOENT
        raise OSError(number, os.strerror(number))
    with path.open("rb") as file:
        data = file.read(MOST_TEXT + 1)
    if len(data) > MOST_TEXT:
        raise Unreadable(f"it has more than {MOST_TEXT:,} bytes")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise Unreadable("it is not UTF-8 text") from None


def parse_toml(text: str) -> dict[str, Any]:
    """A document in TOML. Raises Unreadable."""
    if len(text) > MOST_TEXT:
        raise Unreadable(f"it has more than {MOST_TEXT:,} characters")
    if sum(line.count(".") ** 2 for line in text.split("\n")) > MOST_DOTS:
        raise Unreadable("it has too many dots in a line")
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Unreadable(f"not valid TOML: {error!s:.200}") from None
    except RecursionError:
        raise Unreadable(f"brackets stand in each other more than {MOST_DEPTH} deep") from None
    except ValueError:
        raise Unreadable("a number in it has too many digits") from None
    _check(found, MOST_DIGITS)
    return found


def parse_json(data: str | bytes, digits: int = MOST_DIGITS) -> Any:
    """A document in JSON. digits: bits of a number at most. Raises Unreadable."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"it is no JSON ({error!s:.80})") from None
    _check(found, digits)
    return found


def _check(document: Any, digits: int) -> None:
    """Level by level, so that no depth is too deep to be found out. Raises Unreadable."""
    level = [document]
    for _ in range(MOST_DEPTH):
        level = [inner for value in level for inner in _inside(value, digits)]
        if not level:
            return
    raise Unreadable(f"lists and tables stand in each other more than {MOST_DEPTH} deep")


def _inside(value: Any, digits: int) -> Iterator[Any]:
    """What a value holds. Raises Unreadable for a value that holds nothing and is out of bounds."""
    if isinstance(value, dict):
        yield from value.keys()
        yield from value.values()
    elif isinstance(value, list):
        yield from value
    elif isinstance(value, int) and value.bit_length() > digits:
        raise Unreadable(f"a number in it has {value.bit_length():,} bits of at most {digits}")
    elif isinstance(value, str):
        if len(value) > MOST_STRING:
            raise Unreadable(f"a text in it has more than {MOST_STRING:,} characters")
        if any("\ud800" <= letter <= "\udfff" for letter in value):
            raise Unreadable(f"a text in it is no Unicode ({shown(value)})")
