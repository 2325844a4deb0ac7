"""Dealt hands out of files, for the audit of a shuffle: records of play, or CSV.

Records are JSON Lines, one deal a line; of their fields only `hands` and `turns` are looked at. CSV
has a header and one hand a row: `cards`, and `deal` and `seat`, which may be left out. Rows of one
deal stand together. Without `deal` a deal ends where a seat comes again, without both after as many
hands as a deck has room for (four of 13 cards, three of 17).
"""

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from analyses.shuffle.fair import Layout
from simcore.errors import InputError
from simcore.game.cards import SUITS, card_name, parse_cards

LEAST_DEALS = 20
LEAST_CARDS = 5
LONGEST_LINE = 1 << 20  # bytes; a record of a long hand has some thousand
LONGEST_HAND = 400  # characters
PASSES = ("", "pass", "-", "--", "p")
_CARDS = {card_name(card, SUITS): card for card in range(52)}

Hand = list[int]


@dataclass(frozen=True)
class Deals:
    """Deals of one table in their order: `hands` int8[D, n, m] as the cards lay in each hand.

    pile: int8[D, 52], the cards of each deal in the order in which they were played, then -1; None
    where nothing says so. A card is rank * 4 + suit, suits c d h s.
    """

    hands: Any
    layout: Layout
    pile: Any = None
    notes: tuple[str, ...] = ()


def read_deals(file: str | Path) -> Deals:
    """The deals of a file of records or CSV. Raises InputError, naming line and field."""
    reader = _Gatherer(str(file))
    lines = _lines(file)
    first = next(((number, text) for number, text in lines if text.strip()), None)
    if first is None:
        raise InputError(f"{str(file)!r} is empty; give records of play or CSV with a header")
    if first[1].lstrip().startswith(("{", "[")):
        _read_records(first, lines, reader)
    else:
        _read_csv(first, lines, reader)
    return reader.deals()


def _lines(file: str | Path) -> Iterator[tuple[int, str]]:
    """(number from 1, text) of every line."""
    try:
        with Path(file).open("rb") as opened:
            number = 0
            while line := opened.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) > LONGEST_LINE:
                    raise InputError(
                        f"line {number} of {str(file)!r} is longer than {LONGEST_LINE:,} bytes; "
                        "give one deal or one hand a line"
                    )
                try:
                    text = line.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError:
                    text = "\0"
                if "\0" in text:
                    raise InputError(
                        f"line {number} of {str(file)!r} is no text in UTF-8; give records of play "
                        "(JSON Lines) or CSV"
                    )
                yield number, text
    except OSError as error:
        raise InputError(
            f"{str(file)!r} cannot be read: {error.strerror or error}; check the path"
        ) from None


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _cards(value: Any, place: str) -> Hand:
    """Cards of a text or a list of texts, in the order given."""
    words = value.split() if isinstance(value, str) else value
    try:
        return [_CARDS[word] for word in words]
    except (KeyError, TypeError):
        pass
    listed = isinstance(value, list) and all(isinstance(card, str) for card in value)
    text = " ".join(value) if listed else value
    if not isinstance(text, str):
        raise InputError(f"{place} is {_short(value)}; give cards, as in '3c Td 2s'")
    if len(text) > LONGEST_HAND:
        raise InputError(f"{place} has {len(text):,} characters; a hand has {LONGEST_HAND} at most")
    try:
        return parse_cards(text, SUITS)
    except InputError as error:
        raise InputError(f"{place}: {error}") from None


class _Gatherer:
    """Deals one after another, each compared with the first."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.skipped = 0  # deals with a hand that nobody wrote down
        self._hands: list[list[Hand]] = []
        self._piles: list[Hand] = []
        self._lines: list[int] = []
        self._sizes: list[int] = []

    def add(self, line: int, field: str, hands: list[Hand], pile: Hand) -> None:
        """One deal. Raises InputError unless it is a deal like the first."""
        if not 2 <= len(hands) <= 4:
            raise InputError(f"line {line}, {field}: a deal has 2 to 4 hands, not {len(hands)}")
        if self._hands and len(hands) != len(self._hands[0]):
            raise InputError(
                f"line {line}, {field}: {len(hands)} hands, where line {self._lines[0]} has "
                f"{len(self._hands[0])}; give the deals of one number of players"
            )
        sizes = sorted(map(len, hands))
        self._sizes = self._sizes or sizes
        if sizes[0] < 1 or sizes[0] != sizes[-2] or sizes[-1] > sizes[0] + 1:
            raise InputError(
                f"line {line}, {field}: hands of {', '.join(str(len(h)) for h in hands)} cards; "
                "all must have the same number, or one of them one card more"
            )
        if not LEAST_CARDS <= sizes[0] <= 26:
            raise InputError(
                f"line {line}, {field}: hands of {sizes[0]} cards; audit takes hands of "
                f"{LEAST_CARDS} to 26"
            )
        if sizes != self._sizes:
            raise InputError(
                f"line {line}, {field}: hands of {sizes[-1]} cards, where line {self._lines[0]} "
                f"has {self._sizes[-1]}; give the deals of one rule"
            )
        flat = [card for hand in hands for card in hand]
        if len(set(flat)) < len(flat):
            twice = next(card for i, card in enumerate(flat) if card in flat[:i])
            raise InputError(
                f"line {line}, {field}: card {card_name(twice, SUITS)!r} is dealt twice; "
                "a card lies in one hand"
            )
        if not set(pile) <= set(flat) or len(set(pile)) < len(pile):
            raise InputError(
                f"line {line}, field 'turns': a card is played that was not dealt, or twice"
            )
        self._hands.append(hands)
        self._piles.append(pile)
        self._lines.append(line)

    def deals(self) -> Deals:
        """All deals as arrays."""
        n_deals = len(self._hands)
        partly = f" ({self.skipped:,} more are not wholly known)" if self.skipped else ""
        if n_deals < LEAST_DEALS:
            raise InputError(
                f"{self.file!r} has {n_deals} whole deals{partly}, too few to say anything; give "
                f"{LEAST_DEALS} or more"
            )
        notes = []
        if self.skipped:
            notes.append(f"{self.skipped:,} deals with unknown hands were left out.")
        if self._sizes[0] != self._sizes[-1]:
            notes.append(self._set_aside())
        pile = None
        if any(self._piles):
            pile = np.full((n_deals, 52), -1, np.int8)
            for i, cards in enumerate(self._piles):
                pile[i, : len(cards)] = cards
        hands = np.array(self._hands, np.int8)
        return Deals(hands, layout_of(hands), pile, tuple(notes))

    def _set_aside(self) -> str:
        """Take the card out that makes a hand the longer one; returns what to say about it."""
        longest = [max(hands, key=len) for hands in self._hands]
        common = set(longest[0]).intersection(*longest[1:])
        if not common:
            raise InputError(
                f"the longer hands of {self.file!r} have no card in common; where the cards do not "
                "divide, audit can tell only deals that give one card, the opening card, to the "
                "longer hand"
            )
        odd = min(common)
        for hand, pile in zip(longest, self._piles, strict=True):
            hand.remove(odd)
            if odd in pile:
                pile.remove(odd)
        return (
            f"{card_name(odd, SUITS)} lies in every longer hand, as the opening card does where "
            "cards do not divide: it is set aside."
        )


def layout_of(hands: Any) -> Layout:
    """Players, cards of a hand, and the deck: the cards seen if no others are, else all 52."""
    seen = np.unique(hands)
    dealt = hands.shape[1] * hands.shape[2]
    deck = tuple(int(card) for card in seen) if len(seen) == dealt else tuple(range(52))
    return Layout(hands.shape[1], hands.shape[2], deck)


# Records of play


def _read_records(
    first: tuple[int, str], lines: Iterator[tuple[int, str]], reader: _Gatherer
) -> None:
    for number, text in _with(first, lines):
        try:
            record = json.loads(text)
        except (ValueError, RecursionError) as error:
            why = getattr(error, "msg", "too deep")
            raise InputError(f"line {number} is no JSON ({why}); give one record a line") from None
        if not isinstance(record, dict) or "hands" not in record:
            raise InputError(
                f"line {number}: field 'hands' is missing; a record is an object as in "
                '{"hands": ["3c 4d …", "5h …"]}'
            )
        if record.get("bigtwo_record", 1) != 1:
            raise InputError(
                f"line {number}, field 'bigtwo_record': version "
                f"{_short(record['bigtwo_record'])}; this program reads version 1"
            )
        hands = record["hands"]
        if not isinstance(hands, list):
            raise InputError(f"line {number}, field 'hands': {_short(hands)} is no list of hands")
        if None in hands:
            reader.skipped += 1
            continue
        places = [f"line {number}, field 'hands', seat {seat}" for seat in range(len(hands))]
        found = [_cards(hand, place) for hand, place in zip(hands, places, strict=True)]
        pile = _pile(record.get("turns"), f"line {number}, field 'turns'")
        reader.add(number, "field 'hands'", found, pile)


def _with(first: tuple[int, str], lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """All lines that are not empty, the first one too."""
    yield first
    for number, text in lines:
        if text.strip():
            yield number, text


def _pile(turns: Any, place: str) -> Hand:
    """The cards of a record's turns, in the order in which they were played."""
    if turns is None:
        return []
    if not isinstance(turns, list):
        raise InputError(f"{place}: {_short(turns)} is no list of turns")
    pile: Hand = []
    for turn in turns:
        if isinstance(turn, dict):
            turn = turn.get("cards")
        elif isinstance(turn, list) and len(turn) == 2 and not isinstance(turn[0], str):
            turn = turn[1]
        if turn is not None and not (isinstance(turn, str) and turn.strip().lower() in PASSES):
            pile += _cards(turn, place)
    return pile


# CSV


class _Row(NamedTuple):
    """One hand of a CSV."""

    line: int
    deal: str | None
    seat: str | None
    cards: Hand


def _read_csv(first: tuple[int, str], lines: Iterator[tuple[int, str]], reader: _Gatherer) -> None:
    group: list[_Row] = []
    seats: dict[str, int] = {}
    known: set[str] = set()
    for row in _rows(first, lines):
        if group and _ends(group, row):
            seats = seats or _places(group)
            _add_rows(reader, group, seats)
            group = []
        if not group and row.deal is not None:
            if row.deal in known:
                raise InputError(
                    f"line {row.line}, column 'deal': {_short(row.deal)} begins again; the hands "
                    "of a deal stand together"
                )
            known.add(row.deal)
        group.append(row)
    if group:
        _add_rows(reader, group, seats or _places(group))


def _rows(first: tuple[int, str], lines: Iterator[tuple[int, str]]) -> Iterator[_Row]:
    delimiter = max(",;\t", key=first[1].count)
    head = [name.strip().lower() for name in _cells(first, delimiter)]
    if "cards" not in head:
        raise InputError(
            f"line {first[0]}: column 'cards' is missing; the header names the columns, as in "
            "deal,seat,cards"
        )
    at = {name: head.index(name) for name in ("deal", "seat", "cards") if name in head}
    for number, text in lines:
        if not text.strip():
            continue
        cells = [cell.strip() for cell in _cells((number, text), delimiter)]
        for name, place in at.items():
            if place >= len(cells) or not cells[place]:
                raise InputError(f"line {number}, column {name!r} is empty; fill it in")
        deal, seat = (cells[at[name]] if name in at else None for name in ("deal", "seat"))
        yield _Row(number, deal, seat, _cards(cells[at["cards"]], f"line {number}, column 'cards'"))


def _ends(group: list[_Row], row: _Row) -> bool:
    """Whether a row begins another deal."""
    if row.deal is not None:
        return row.deal != group[0].deal
    if row.seat is not None:
        return any(row.seat == other.seat for other in group)
    return len(group) == max(2, 52 // len(group[0].cards))


def _cells(line: tuple[int, str], delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line[1]], delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise InputError(f"line {line[0]} is no CSV: {error}") from None


def _places(group: list[_Row]) -> dict[str, int]:
    """Place of each seat of the first deal: by number where all are numbers, else as they come."""
    seats = [row.seat for row in group if row.seat is not None]
    if all(seat.isdecimal() for seat in seats):
        seats.sort(key=int)
    return {seat: place for place, seat in enumerate(seats)}


def _add_rows(reader: _Gatherer, group: list[_Row], seats: dict[str, int]) -> None:
    for i, row in enumerate(group):
        if row.seat is not None and row.seat not in seats:
            raise InputError(
                f"line {row.line}, column 'seat': {_short(row.seat)} is no seat of the first deal "
                f"({', '.join(seats)})"
            )
        if row.seat is not None and any(row.seat == other.seat for other in group[:i]):
            raise InputError(
                f"line {row.line}, column 'seat': {_short(row.seat)} stands twice in its deal"
            )
    group = sorted(group, key=lambda row: 0 if row.seat is None else seats[row.seat])
    line = min(row.line for row in group)
    reader.add(line, "column 'cards'", [row.cards for row in group], [])
