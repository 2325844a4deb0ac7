"""The forms of values in a rule file, and which rules contradict each other.

A `Form` says what a value must be, reads it (a file's list becomes a tuple, "all" a number …), and
turns it back into what a file would hold. `simcore.game.ruleset` says which key has which form.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from simcore.errors import InputError, nearest, shown
from simcore.game import kinds as K
from simcore.game.cards import RANKS, SUITS, card_name, parse_cards

if TYPE_CHECKING:
    from simcore.game.ruleset import RuleSet

PLAYABLE = K.KINDS[1:]
FIVE_CARD = tuple(K.KINDS[k] for k in K.FIVE_CARD)
DRAGONS = tuple(K.KINDS[k] for k in K.DRAGONS)
STRAIGHTS_EXAMPLE = '"A2345:2"'
MOST_STRAIGHTS = 15
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


A_TEXT, TEXTS = 'a text, "…"', 'a list of texts, ["…", …]'
TEXT = Form(words=A_TEXT, fits=_is_text, read=_read_text)
NAME = Form(words=A_TEXT, fits=_is_text, read=_read_name)
FLAG = Form(words="true or false", fits=lambda value: isinstance(value, bool), read=bool)
DEAL = Form(
    words='"all" or a number of cards per player',
    fits=lambda value: value == "all" or _is_integer(value),
    read=_read_deal,
    plain=lambda value: value or "all",
)
SUIT_ORDER = Form(words=A_TEXT, fits=_is_text, read=_read_suits)
CARD = Form(words=A_TEXT, fits=_is_text, read=_read_card)
CARDS = Form(words=TEXTS, fits=_are_texts, read=_read_cards)
STRAIGHTS = Form(
    words=TEXTS,
    fits=_are_texts,
    read=_read_straights,
    plain=lambda value: [":".join(straight) for straight in value],
)
TIERS = Form(
    words="a list of [from cards left, multiplier], as in [[1, 1], [10, 2]]",
    fits=_are_tiers,
    read=_read_tiers,
)


def choice(known: Mapping[str, str]) -> Form:
    """One of some words. known: word -> what it means."""

    def read(value: str) -> str:
        if value not in known:
            raise InputError(f"{shown(value)} is none of {', '.join(known)}")
        return value

    return Form(words=A_TEXT, fits=_is_text, read=read, known=known)


def kinds(*known: str) -> Form:
    """A list of kinds of combination."""

    def read(values: list[str]) -> tuple[str, ...]:
        for n, value in enumerate(values):
            if value not in known:
                raise InputError(f"unknown {shown(value)}; {nearest(value, known)}")
            if value in values[:n]:
                raise InputError(f"{shown(value)} is listed twice; list it once")
        return tuple(values)

    return Form(words=TEXTS, fits=_are_texts, read=read)


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

    return Form(words="a list of whole numbers, [1, …]", fits=_are_integers, read=read)


def item(who: str, of: str, most: int, why: str) -> ItemForm:
    """An item of the payoff; see `ItemForm`."""
    return ItemForm(
        words="{ times = 2, points = 0 }, either of them optional",
        fits=_is_item,
        read=_read_item,
        plain=lambda value: value._asdict(),
        who=who,
        of=of,
        most=most,
        why=why,
    )


def in_words(value: Any) -> str:
    """A rule's value, as a file holds it, in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        times, points = value["times"], value["points"]
        parts = [f"× {times}"] * (times != 1) + [f"{points:+d} points"] * (points != 0)
        return ", ".join(parts) or "–"
    if isinstance(value, list):
        listed = (" = ".join(map(str, v)) if isinstance(v, list) else str(v) for v in value)
        return ", ".join(listed) or "–"
    return str(value)


# --------------------------------------------------------------------------- several keys


def kind_order(allowed: tuple[str, ...], ladder: tuple[str, ...]) -> tuple[str, ...]:
    """Weakest first: by number of cards, then by the ladder, then by the usual order."""

    def position(kind: str) -> tuple[int, int, int]:
        number = K.KINDS.index(kind)
        return K.SIZES[number], ladder.index(kind) if kind in ladder else 0, number

    return tuple(sorted(allowed, key=position))


def contradictions(rules: "RuleSet") -> Iterator[tuple[str, str]]:
    """(key, problem) wherever keys that are right by themselves do not go together."""
    players, allowed = max(rules.players), rules.kinds_allowed
    if rules.deal > 52 // players:
        yield (
            "deal",
            f'{rules.deal} cards for {players} players: 1 to {52 // players}, or "all"',
        )
    if "single" not in allowed:
        yield "kinds.allowed", "'single' is missing; without it a hand may have no lead"
    for kind, needed in (("royal_flush", "straight_flush"), ("flush_dragon", "dragon")):
        if kind in allowed and needed not in allowed:
            yield "kinds.allowed", f"{kind} needs {needed}; add it"
    for key, listed in (
        ("kinds.ladder", rules.kinds_ladder),
        ("kinds.bombs", rules.kinds_bombs),
        ("kinds.unbeatable", rules.kinds_unbeatable),
        ("payoff.monsters", rules.payoff_monsters),
    ):
        for kind in listed:
            if kind not in allowed:
                yield key, f"{kind!r} is not in kinds.allowed; add it there, or take it out here"
    yield from _about_ladder_and_bombs(rules)
    yield from _about_straights(rules)
    for name, found in (
        ("monster_left", bool(rules.payoff_monsters)),
        ("finish_flush_dragon", "flush_dragon" in allowed),
    ):
        if rules.payoff_items[name] != NO_ITEM and not found:
            yield (
                f"payoff.{name}",
                "is set, but no such kind is in payoff.monsters or kinds.allowed",
            )


def _about_ladder_and_bombs(rules: "RuleSet") -> Iterator[tuple[str, str]]:
    ladder, bombs = rules.kinds_ladder, rules.kinds_bombs
    missing = [k for k in FIVE_CARD if k in rules.kinds_allowed and k not in ladder]
    if ladder and missing:
        yield (
            "kinds.ladder",
            f"{missing[0]!r} is allowed but not in it; place it, or leave the ladder empty",
        )
    if [k for k in bombs if k in ladder] != [k for k in ladder if k in bombs]:
        yield (
            "kinds.bombs",
            f"order {', '.join(bombs)} contradicts kinds.ladder; use the ladder's order",
        )
    if bombs and not rules.kinds_bombs_beat:
        yield (
            "kinds.bombs_beat",
            "is empty, but kinds.bombs is not; give the sizes that bombs beat",
        )
    if rules.kinds_bombs_beat and not bombs:
        yield (
            "kinds.bombs_beat",
            "gives sizes, but kinds.bombs is empty; name the bombs or empty it",
        )


def _about_straights(rules: "RuleSet") -> Iterator[tuple[str, str]]:
    needing = [k for k in ("straight", "straight_flush", "royal_flush") if k in rules.kinds_allowed]
    if needing and not rules.straights_order:
        yield "straights.order", f"is empty, but {needing[0]} is allowed; list the straights"
    if "royal_flush" in needing and not any(
        set(r) == set("TJQKA") for r, _ in rules.straights_order
    ):
        yield "straights.order", "royal_flush is allowed, so 'TJQKA:A' must be listed"
