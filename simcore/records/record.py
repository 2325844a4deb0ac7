"""A record as an object: read generously, checked strictly, written in one form."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import IO, Any, NamedTuple

from simcore.errors import InputError, nearest
from simcore.game.cards import cards_in
from simcore.game.ruleset import RuleSet
from simcore.plain_data import Unreadable, parse_json
from simcore.records.format import NAMES, VERSION
from simcore.records.rules import Rules, rules_of

LONGEST_LINE = 1 << 22  # bytes; a review of a long hand takes a tenth
MOST_TURNS = 1000  # four times as many as a hand can have
PASSES = ("", "pass", "-", "--", "p")
ECHO = 60  # characters of a value that a message repeats

Hand = tuple[str, ...]  # cards in notation, in the order given


class Turn(NamedTuple):
    """One choice: cards in notation, none for a pass; seat None: the seat whose turn it is."""

    seat: int | None
    cards: Hand


@dataclass(frozen=True)
class Record:
    """One hand written down. What is not known is None; see format.py for each field."""

    players: int
    turns: tuple[Turn, ...]
    hands: tuple[Hand | None, ...]
    rules: Rules | None = None  # a name, or the keys of a rule file
    names: tuple[str | None, ...] | None = None
    starter: int | None = None
    first_hand: bool = True  # False: the opening card did not decide who starts
    payoffs: tuple[float, ...] | None = None
    stake: float = 1
    id: str | int | None = None
    time: str | None = None
    values: tuple[Mapping[str, Any] | None, ...] | None = None
    notes: Any = None
    line: int = field(default=0, compare=False)  # where it stood, from 1

    def rule_set(self) -> RuleSet:
        """The rules that the record names or holds. Raises InputError."""
        if self.rules is None:
            raise InputError(
                f"line {self.line}: field 'rules' is missing; say by which rules it was played"
            )
        return _rule_set(json.dumps(self.rules))

    def as_dict(self) -> dict[str, Any]:
        """Plain data in the one form that is written; fields that say nothing are left out."""
        data = {
            "bigtwo_record": VERSION,
            "rules": self.rules,
            "names": self.names and list(self.names),
            "hands": [hand if hand is None else " ".join(hand) for hand in self.hands],
            "starter": self.starter,
            "first_hand": None if self.first_hand else False,
            "turns": [
                _written(turn) if turn.seat is None else [turn.seat, _written(turn)]
                for turn in self.turns
            ],
            "payoffs": self.payoffs and list(self.payoffs),
            "stake": None if self.stake == 1 else self.stake,
            "id": self.id,
            "time": self.time,
            "values": self.values and list(self.values),
            "notes": self.notes,
        }
        return {name: value for name, value in data.items() if value is not None}

    def as_line(self) -> str:
        """The record as a line of a file, without its end."""
        return json.dumps(self.as_dict(), ensure_ascii=False)

    @classmethod
    def from_dict(cls, data: Any, line: int = 0) -> "Record":
        """A record out of plain data. Raises InputError, naming line and field."""
        if not isinstance(data, dict) or "bigtwo_record" not in data:
            raise InputError(
                f"line {line} is no record: it must be an object with "
                f'"bigtwo_record": {VERSION}, but is {_short(data)}'
            )
        version = data["bigtwo_record"]
        if version != VERSION or isinstance(version, bool):
            raise InputError(
                f"line {line}: field 'bigtwo_record' is {_short(version)}; this program reads "
                f"version {VERSION}"
            )
        if unknown := data.keys() - NAMES:
            name = sorted(unknown)[0]
            raise InputError(
                f"line {line}: unknown field {_short(name)}; {nearest(name, NAMES)} "
                "(what is nobody's business goes into 'notes')"
            )
        return _Reader(data, line).record()


def read(file: str | Path | IO[bytes]) -> Iterator[Record]:
    """The records of a file, one after another; empty lines are skipped.

    Raises InputError for a file that cannot be read or a line that is no record.
    """
    try:
        if isinstance(file, str | Path):
            with Path(file).open("rb") as opened:
                yield from _records(opened)
        else:
            yield from _records(file)
    except OSError as error:
        raise InputError(
            f"records {str(file)!r} cannot be read: {error.strerror or error}; check the path"
        ) from None


def _records(file: IO[bytes]) -> Iterator[Record]:
    number = 0
    while text := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(text) > LONGEST_LINE:
            raise InputError(f"line {number} is longer than {LONGEST_LINE:,} bytes: no record")
        if not text.strip():
            continue
        yield parse_line(text, number)


def parse_line(text: bytes | str, number: int = 0) -> Record:
    """The record of one line. Raises InputError."""
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8-sig" if number == 1 else "utf-8")
        data = parse_json(text)
    except UnicodeDecodeError:
        raise InputError(f"line {number} is not UTF-8 text: no record") from None
    except Unreadable as error:
        raise InputError(f"line {number}: {error}: each line must be one record") from None
    return Record.from_dict(data, number)


def _written(turn: Turn) -> str:
    return " ".join(turn.cards) or "pass"


def printable(text: str) -> str:
    """A stranger's text for a terminal: not too long, and without control characters."""
    kept = "".join(letter if letter.isprintable() else "?" for letter in text[:ECHO])
    return kept if len(text) <= ECHO else f"{kept[:-1]}…"


def _short(value: Any) -> str:
    """A value for a message, not too long and without control characters."""
    text = repr(value)
    return text if len(text) <= ECHO else f"{text[: ECHO - 1]}…"


@lru_cache(maxsize=64)
def _rule_set(text: str) -> RuleSet:
    """Rules as JSON, remembered. Raises InputError."""
    return rules_of(json.loads(text))


@lru_cache(maxsize=1 << 16)
def _cards(text: str) -> Hand:
    """Cards of a text, none for a pass. Raises InputError."""
    if text.strip().casefold() in PASSES:
        return ()
    return tuple(cards_in(text))


@lru_cache(maxsize=1 << 16)
def _turn_of(seat: int, text: str) -> Turn:
    """A turn in the form that is written: most of what is read. Raises InputError."""
    return Turn(seat, _cards(text))


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


class _Reader:
    """The fields of one line; every complaint names line and field."""

    def __init__(self, data: dict[str, Any], line: int) -> None:
        self.data = data
        self.line = line
        self.players = self._count()
        self.names = self._names()

    def record(self) -> Record:
        data = self.data
        turns = self._turns()
        stake = 1 if data.get("stake") is None else data["stake"]
        if not _number(stake) or stake <= 0:
            raise self.fail("stake", f"{_short(stake)} is no number above 0")
        for name, kinds in (("id", (str, int)), ("time", (str,)), ("rules", (str, dict))):
            value = data.get(name)
            if value is not None and (not isinstance(value, kinds) or isinstance(value, bool)):
                words = {str: "a text", int: "a whole number", dict: "an object"}
                may_be = " or ".join(words[kind] for kind in kinds)
                raise self.fail(name, f"{_short(value)} is not {may_be}")
        return Record(
            players=self.players,
            turns=turns,
            hands=self._hands(),
            rules=data.get("rules"),
            names=self.names,
            starter=None if data.get("starter") is None else self._seat("starter", data["starter"]),
            first_hand=self._first_hand(),
            payoffs=self._payoffs(),
            stake=stake,
            id=data.get("id"),
            time=data.get("time"),
            values=self._values(len(turns)),
            notes=data.get("notes"),
            line=self.line,
        )

    def fail(self, name: str, problem: str) -> InputError:
        return InputError(f"line {self.line}: field {name!r}: {problem}")

    def _count(self) -> int:
        """Number of seats, on which names, hands and payoffs agree."""
        counts = {}
        for name in ("names", "hands", "payoffs"):
            value = self.data.get(name)
            if isinstance(value, list):
                counts[name] = len(value)
            elif value is not None:
                raise self.fail(name, f"{_short(value)} is not a list with one item for each seat")
        if not counts:
            raise self.fail("names", "is missing; give names, hands or payoffs of all seats")
        (name, number), *others = counts.items()
        for other, another in others:
            if another != number:
                raise self.fail(other, f"has {another} seats, but {name!r} has {number}")
        if not 2 <= number <= 4:
            raise self.fail(name, f"has {number} seats; Big Two is played by 2 to 4")
        return number

    def _names(self) -> tuple[str | None, ...] | None:
        names = self.data.get("names")
        if names is None:
            return None
        for name in names:
            if name is not None and not isinstance(name, str):
                raise self.fail("names", f"{_short(name)} is not a text; write null if unknown")
        return tuple(names)

    def _hands(self) -> tuple[Hand | None, ...]:
        hands = self.data.get("hands")
        if hands is None:
            return (None,) * self.players
        return tuple(None if hand is None else self.cards("hands", hand) for hand in hands)

    def cards(self, name: str, value: Any) -> Hand:
        """Cards as a text or a list of texts."""
        if isinstance(value, list) and all(isinstance(card, str) for card in value):
            value = " ".join(value)
        if not isinstance(value, str):
            raise self.fail(name, f'{_short(value)} are no cards; write them as in "3c Td 2s"')
        try:
            return _cards(value)
        except InputError as error:
            raise self.fail(name, _shortened(str(error))) from None

    def _seat(self, name: str, value: Any) -> int:
        """A seat as its number or its name."""
        if isinstance(value, str) and self.names is not None and self.names.count(value) == 1:
            return self.names.index(value)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < self.players:
            return value
        raise self.fail(
            name,
            f"{_short(value)} is no seat: 0 to {self.players - 1}, or one of the names",
        )

    def _turns(self) -> tuple[Turn, ...]:
        turns = self.data.get("turns")
        if not isinstance(turns, list):
            raise self.fail("turns", "is missing: a list of plays and passes")
        if len(turns) > MOST_TURNS:
            raise self.fail("turns", f"{len(turns)} turns; no hand has more than {MOST_TURNS}")
        return tuple([self._turn(number, turn) for number, turn in enumerate(turns, 1)])

    def _turn(self, number: int, turn: Any) -> Turn:
        seat: Any = None
        if isinstance(turn, list) and len(turn) == 2 and isinstance(turn[0], int):
            seat, cards = turn
            if type(seat) is int and 0 <= seat < self.players and isinstance(cards, str):
                try:
                    return _turn_of(seat, cards)
                except InputError as error:
                    raise self.fail("turns", _shortened(str(error))) from None
        if isinstance(turn, list) and len(turn) == 2 and not isinstance(turn[0], str):
            seat, turn = turn
        elif isinstance(turn, dict):
            if turn.keys() - {"seat", "cards"} or "cards" not in turn:
                raise self.fail(
                    "turns", f'turn {number}: {_short(turn)} is not {{"seat": 0, "cards": "3c"}}'
                )
            seat, turn = turn.get("seat"), turn["cards"]
        if seat is not None and not (type(seat) is int and 0 <= seat < self.players):
            seat = self._seat("turns", seat)
        return Turn(seat, () if turn is None else self.cards("turns", turn))

    def _first_hand(self) -> bool:
        value = self.data.get("first_hand")
        if value is not None and not isinstance(value, bool):
            raise self.fail("first_hand", f"{_short(value)} is neither true nor false")
        return value is not False

    def _payoffs(self) -> tuple[float, ...] | None:
        payoffs = self.data.get("payoffs")
        if payoffs is None:
            return None
        for payoff in payoffs:
            if not _number(payoff):
                raise self.fail("payoffs", f"{_short(payoff)} is no number")
        return tuple(payoffs)

    def _values(self, turns: int) -> tuple[Mapping[str, Any] | None, ...] | None:
        values = self.data.get("values")
        if values is None:
            return None
        if not isinstance(values, list) or len(values) != turns:
            raise self.fail("values", f"must be a list with one item for each of {turns} turns")
        found = []
        for value in values:
            if value is not None and not (
                isinstance(value, dict) and all(map(_is_value, value.values()))
            ):
                raise self.fail(
                    "values",
                    f'{_short(value)} is not {{"3c": points, "pass": [points, low, high], …}}',
                )
            found.append(
                value
                and {
                    " ".join(self.cards("values", play)) or "pass": worth
                    for play, worth in value.items()
                }
            )
        return tuple(found)


def _is_value(value: Any) -> bool:
    """A number of points, or with its interval."""
    if isinstance(value, list):
        return len(value) == 3 and all(map(_number, value))
    return _number(value)


def _shortened(text: str) -> str:
    return text if len(text) <= 4 * ECHO else f"{text[: 4 * ECHO - 1]}…"
