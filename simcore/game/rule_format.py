"""The forms of values in a rule file.

A `Form` says what a value must be, reads it (a file's list becomes a tuple, "all" a number …), and
turns it back into what a file would hold. `simcore.game.rule_keys` says which key has which form.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from simcore.errors import InputError, nearest, shown
from simcore.game import kinds as K
from simcore.game.cards import RANKS, SUITS, card_name, parse_cards

PLAYABLE = K.KINDS[1:]
FIVE_CARD = tuple(K.KINDS[k] for k in K.FIVE_CARD)
DRAGONS = tuple(K.KINDS[k] for k in K.DRAGONS)
STRAIGHTS_EXAMPLE = '"A2345:2"'
MOST_STRAIGHTS = 15
STRAIGHT_ORDERS = {
    "place": "the place in straights.order, then the suit of the tie-break card",
    "suit": "the suit of the tie-break card, then the place in straights.order",
    "place_only": "the place in straights.order; equal ones do not beat each other",
}
MOST_TEXT = 2000  # characters of a name or title; changes behind a name are part of it


class Item(NamedTuple):
    """What one item of the payoff does."""

    times: int = 1
    points: int = 0


NO_ITEM = Item()


def _listed(value: Any) -> Any:
    """A field's value as a file holds it: tuples are lists."""
    return [_listed(v) for v in value] if isinstance(value, tuple) else value


@dataclass(frozen=True, kw_only=True)
class Form:
    """What the values of a key are like."""

    words: str  # what a value must be
    fits: Callable[[Any], bool]  # whether a file's value is of the right type
    read: Callable[[Any], Any]  # a file's value as a field's; InputError says what is wrong
    plain: Callable[[Any], Any] = _listed  # undoes `read`
    known: Mapping[str, str] | None = None  # the words that a value may be, with their meanings
    # JSON Schema of a file's values, with examples, the first of them fit for a page
    schema: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ItemForm(Form):
    """An item of the payoff. No more than `most` of the thing `of` are counted in one playout."""

    who: str  # "loser": counted in the cards left; "winner": in the last play
    of: str
    most: int
    why: str  # what was counted, in words, with {count}, {kind} and {card}


# --------------------------------------------------------------------------- types of values


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(_is_text(v) for v in value)


def _are_integers(value: Any) -> bool:
    return isinstance(value, list) and all(_is_integer(v) for v in value)


def _are_tiers(value: Any) -> bool:
    return isinstance(value, list) and all(_are_integers(v) and len(v) == 2 for v in value)


def _is_item(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and set(value) <= set(Item._fields)
        and all(_is_integer(v) for v in value.values())
    )


def _are_values_of_ranks(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_integer, value.values()))


def _are_sizes_of_kinds(value: Any) -> bool:
    return isinstance(value, dict) and all(_are_integers(v) for v in value.values())


# --------------------------------------------------------------------------- values


def _read_suits(value: str) -> str:
    if sorted(value) != sorted(SUITS):
        raise InputError(f"{shown(value)} must name c, d, h and s once each, low to high")
    return value


def _read_deal(value: Any) -> int:
    if value == "all":
        return 0
    if value < 1:
        raise InputError(f'{value} cards: 1 to 13 for 4 players, 17 for 3, 26 for 2, or "all"')
    return int(value)


def _read_text(value: str) -> str:
    if len(value) > MOST_TEXT:
        raise InputError(f"{shown(value)} has {len(value):,} characters; at most {MOST_TEXT:,}")
    return value


def _read_name(value: str) -> str:
    if not value.strip() or not value.isprintable():
        raise InputError(
            f"{shown(value)} is no name: give letters that can be printed, in one line"
        )
    return _read_text(value)


def _read_card(value: str) -> str:
    try:
        (card,) = parse_cards(value[:8], SUITS)
    except ValueError:
        raise InputError(
            f"{shown(value)} is no card; write a rank and a suit, as in '3c'"
        ) from None
    return card_name(card, SUITS)


def _read_cards(values: list[str]) -> tuple[str, ...]:
    found = tuple(map(_read_card, values))
    if len(set(found)) < len(found):
        raise InputError(f"{shown(values)} lists a card twice; list it once")
    return found


def _read_straights(values: list[str]) -> tuple[tuple[str, str], ...]:
    found: list[tuple[str, str]] = []
    if len(values) > MOST_STRAIGHTS:
        raise InputError(f"lists {len(values)} straights; at most {MOST_STRAIGHTS} are possible")
    for value in values:
        ranks, _, tie = value.partition(":")
        if len(set(ranks)) != 5 or len(ranks) != 5 or not set(ranks) <= set(RANKS):
            raise InputError(
                f"{shown(value)} is not five different ranks and a tie-break rank, as in "
                f"{STRAIGHTS_EXAMPLE}"
            )
        if len(tie) != 1 or tie not in ranks:
            raise InputError(
                f"{shown(value)} needs the rank of its tie-break card, one of its own, as in "
                f"{STRAIGHTS_EXAMPLE}"
            )
        if any(set(ranks) == set(other) for other, _ in found):
            raise InputError(f"the straight {ranks} is listed twice; list it once")
        found.append((ranks, tie))
    return tuple(found)


def _read_tiers(values: list[list[int]]) -> tuple[tuple[int, int], ...]:
    tiers = tuple((start, times) for start, times in values)
    if not tiers or tiers[0][0] != 1:
        raise InputError("must begin with 1 card left, as in [[1, 1], [10, 2]]")
    for (low, _), (high, _) in pairwise(tiers):
        if high <= low:
            raise InputError(f"tier {high} follows {low}; order them by cards left, rising")
    for start, times in tiers:
        if start > 52 or not 0 <= times <= 1000:
            raise InputError(f"[{start}, {times}] is out of bounds: 1 to 52 cards, × 0 to 1000")
    return tiers


def _read_item(value: dict[str, int]) -> Item:
    found = Item(**value)
    if not 0 <= found.times <= 1000 or not -10000 <= found.points <= 10000:
        raise InputError(
            f"times {found.times}, points {found.points}: times is 0 to 1000, points -10000 to "
            "10000"
        )
    return found


def _schema(kind: str, *examples: Any, **more: Any) -> dict[str, Any]:
    """A JSON Schema of a type of value."""
    return {"type": kind, **more, "examples": list(examples)}


A_TEXT, TEXTS = 'a text, "…"', 'a list of texts, ["…", …]'
A_CARD = {"type": "string", "minLength": 2, "maxLength": 8}
TEXT = Form(
    words=A_TEXT, fits=_is_text, read=_read_text,
    schema=_schema("string", "What is played at our table", maxLength=MOST_TEXT),
)  # fmt: skip
NAME = Form(
    words=A_TEXT, fits=_is_text, read=_read_name,
    schema=_schema("string", "house", minLength=1, maxLength=MOST_TEXT),
)  # fmt: skip
FLAG = Form(
    words="true or false", fits=lambda value: isinstance(value, bool), read=bool,
    schema=_schema("boolean", True),
)  # fmt: skip
DEAL = Form(
    words='"all" or a number of cards per player',
    fits=lambda value: value == "all" or _is_integer(value),
    read=_read_deal,
    plain=lambda value: value or "all",
    schema={
        "anyOf": [{"const": "all"}, {"type": "integer", "minimum": 1, "maximum": 26}],
        "examples": [13, "all"],
    },
)
SUIT_ORDER = Form(
    words=A_TEXT, fits=_is_text, read=_read_suits,
    schema=_schema("string", "dchs", pattern="^[cdhs]{4}$"),
)  # fmt: skip
CARD = Form(
    words=A_TEXT, fits=_is_text, read=_read_card, schema={**A_CARD, "examples": ["3d"]},
)  # fmt: skip
CARDS = Form(
    words=TEXTS, fits=_are_texts, read=_read_cards,
    schema=_schema("array", ["2s"], items=A_CARD, uniqueItems=True),
)  # fmt: skip
STRAIGHTS = Form(
    words=TEXTS,
    fits=_are_texts,
    read=_read_straights,
    plain=lambda value: [":".join(straight) for straight in value],
    schema=_schema(
        "array",
        ["34567:7", "A2345:2"],
        items={"type": "string", "pattern": f"^[{RANKS}]{{5}}:[{RANKS}]$"},
        maxItems=MOST_STRAIGHTS,
        uniqueItems=True,
    ),
)
TIERS = Form(
    words="a list of [from cards left, multiplier], as in [[1, 1], [10, 2]]",
    fits=_are_tiers,
    read=_read_tiers,
    schema=_schema(
        "array",
        [[1, 1], [10, 2]],
        items=_schema("array", [10, 2], items={"type": "integer"}, minItems=2, maxItems=2),
        minItems=1,
    ),
)


def whole(least: int, most: int, example: int) -> Form:
    """A whole number from `least` to `most`."""

    def read(value: int) -> int:
        if not least <= value <= most:
            raise InputError(f"{value} is outside {least} to {most}")
        return value

    return Form(
        words=f"a whole number, {least} to {most}", fits=_is_integer, read=read,
        schema=_schema("integer", example, minimum=least, maximum=most),
    )  # fmt: skip


def choice(known: Mapping[str, str]) -> Form:
    """One of some words. known: word -> what it means."""

    def read(value: str) -> str:
        if value not in known:
            raise InputError(f"{shown(value)} is none of {', '.join(known)}")
        return value

    words = list(known)
    return Form(
        words=A_TEXT, fits=_is_text, read=read, known=known,
        schema=_schema("string", words[-1], enum=words),
    )  # fmt: skip


def kinds(*known: str) -> Form:
    """A list of kinds of combination."""

    def read(values: list[str]) -> tuple[str, ...]:
        for n, value in enumerate(values):
            if value not in known:
                raise InputError(f"unknown {shown(value)}; {nearest(value, known)}")
            if value in values[:n]:
                raise InputError(f"{shown(value)} is listed twice; list it once")
        return tuple(values)

    items = {"type": "string", "enum": list(known)}
    return Form(
        words=TEXTS, fits=_are_texts, read=read,
        schema=_schema("array", list(known[-2:]), items=items, uniqueItems=True),
    )  # fmt: skip


def numbers(least: int, most: int, empty: bool = True) -> Form:
    """A list of whole numbers from `least` to `most`."""

    def read(values: list[int]) -> tuple[int, ...]:
        for value in values:
            if not least <= value <= most:
                raise InputError(f"{value} is outside {least} to {most}")
        if len(set(values)) < len(values):
            raise InputError(f"{shown(values)} lists a number twice; list it once")
        if not values and not empty:
            raise InputError(f"is empty; give at least one number from {least} to {most}")
        return tuple(sorted(values))

    items = {"type": "integer", "minimum": least, "maximum": most}
    more = {} if empty else {"minItems": 1}
    return Form(
        words="a list of whole numbers, [1, …]", fits=_are_integers, read=read,
        schema=_schema("array", [least, most], items=items, uniqueItems=True, **more),
    )  # fmt: skip


def item(who: str, of: str, most: int, why: str) -> ItemForm:
    """An item of the payoff; see `ItemForm`."""
    return ItemForm(
        words="{ times = 2, points = 0 }, either of them optional",
        fits=_is_item,
        read=_read_item,
        plain=lambda value: value._asdict(),
        schema=_schema(
            "object",
            {"times": 2},
            properties={
                "times": {"type": "integer", "minimum": 0, "maximum": 1000},
                "points": {"type": "integer", "minimum": -10000, "maximum": 10000},
            },
            additionalProperties=False,
        ),
        who=who,
        of=of,
        most=most,
        why=why,
    )


def _read_sizes(value: dict[str, list[int]]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    names = kinds(*(kind for kind in PLAYABLE if kind not in DRAGONS)).read(list(value))
    sizes = numbers(1, 5, empty=False)
    return tuple((name, sizes.read(value[name])) for name in sorted(names))


def _read_values(value: dict[str, int]) -> tuple[tuple[str, int], ...]:
    for rank, worth in value.items():
        if rank not in tuple(RANKS):
            raise InputError(f"{shown(rank)} is no rank; ranks are {' '.join(RANKS)}")
        if not 0 <= worth <= 1000:
            raise InputError(f"{rank} = {worth} is out of bounds: 0 to 1000")
    return tuple((rank, value[rank]) for rank in RANKS if rank in value)


RANK_VALUES = Form(
    words="a table of ranks and what they count, { A = 11, 2 = 20 }",
    fits=_are_values_of_ranks,
    read=_read_values,
    plain=dict,
    schema=_schema(
        "object",
        {"T": 10, "2": 20},
        propertyNames={"enum": list(RANKS)},
        additionalProperties={"type": "integer", "minimum": 0, "maximum": 1000},
    ),
)
SIZES_OF_KINDS = Form(
    words="a table of kinds and their sizes, { bare_four = [1, 2] }",
    fits=_are_sizes_of_kinds,
    read=_read_sizes,
    plain=lambda value: {kind: list(sizes) for kind, sizes in value},
    schema=_schema(
        "object",
        {"four_of_a_kind": [1, 2]},
        propertyNames={"enum": [kind for kind in PLAYABLE if kind not in DRAGONS]},
        additionalProperties=numbers(1, 5, empty=False).schema,
    ),
)
