"""Card notation and masks.

A card is `rank * 4 + suit` (0..51); ranks 0..12 are 3 4 5 6 7 8 9 T J Q K A 2; suits 0..3 follow
the rule set's own order, so every function that reads or writes a suit takes that order as a
string, low to high ("cdhs"). A mask is an int with bit `card` set for each card.
"""

import re
from collections.abc import Iterable
from typing import SupportsIndex, TypeGuard

from simcore.errors import InputError, shown

RANKS = "3456789TJQKA2"
SUITS = "cdhs"
SYMBOLS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
_SUIT_OF = {
    **{s: s for s in SUITS},
    **{v: k for k, v in SYMBOLS.items()},
    **dict(zip("♧♢♡♤", SUITS, strict=True)),
}
_SEPARATOR = re.compile(r"[\s,;\ufe0e\ufe0f]+")  # the last two choose how ♦ is drawn


def card_name(card: int, suits: str) -> str:
    """Notation of one card: rank then suit, "Td"."""
    return RANKS[card >> 2] + suits[card & 3]


def card_names(mask: int, suits: str) -> list[str]:
    """Notation of every card of a mask, lowest first."""
    mask = int(mask)
    return [card_name(card, suits) for card in range(52) if mask >> card & 1]


def to_mask(cards: Iterable[int]) -> int:
    """Mask of some cards."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def _unknown(part: str, text: str) -> InputError:
    return InputError(
        f"unknown card {part!r} in {shown(text)}: a card is a rank (3 4 5 6 7 8 9 T J Q K A 2) "
        "and a suit "
        "(c d h s), as in '3c Td 2s'"
    )


def cards_in(text: str | Iterable[str]) -> list[str]:
    """Notation of the cards of a text in any usual spelling, in the order given.

    A card may stand twice, which is for the caller to see to. Raises InputError for anything else.
    """
    whole = text if isinstance(text, str) else " ".join(text)
    cards: list[str] = []
    rest = whole
    while rest := _SEPARATOR.sub("", rest, count=1) if _SEPARATOR.match(rest) else rest:
        start = rest
        rank = suit = None
        while rest and (rank is None or suit is None):
            if rank is None and rest.startswith("10"):
                rank, rest = "T", rest[2:]
            elif rank is None and rest[0].upper() in RANKS:
                rank, rest = rest[0].upper(), rest[1:]
            elif suit is None and rest[0].lower() in _SUIT_OF:
                suit, rest = _SUIT_OF[rest[0].lower()], rest[1:].lstrip("\ufe0e\ufe0f")
            else:
                break
        if rank is None or suit is None:
            raise _unknown(_SEPARATOR.split(start)[0][:12], whole)
        cards.append(rank + suit)
    return cards


def parse_cards(text: str | Iterable[str], suits: str) -> list[int]:
    """Read cards in any usual spelling ("3c Td", "10d,♦10", "S2"), in the order given.

    Raises InputError for an unknown card or one that is given twice.
    """
    whole = text if isinstance(text, str) else " ".join(text)
    cards: list[int] = []
    for name in cards_in(whole):
        card = RANKS.index(name[0]) * 4 + suits.index(name[1])
        if card in cards:
            raise InputError(f"card {name} stands twice in {shown(whole)}: give each card once")
        cards.append(card)
    return cards


def card_numbers(cards: object, suits: str) -> list[int]:
    """Cards given in notation, by numbers (rank * 4 + suit), or as a mask. Raises InputError."""
    if isinstance(cards, str):
        return parse_cards(cards, suits)
    if _is_number(cards):
        mask = int(cards)
        if not 0 <= mask < 1 << 52:
            raise InputError(f"mask {shown(mask)} is out of bounds: 0 to 2**52 - 1")
        return [card for card in range(52) if mask >> card & 1]
    try:
        given = list(cards)  # type: ignore[call-overload]
    except TypeError:
        raise InputError(
            f"{shown(cards)} are no cards: give '3c Td', ['3c', 'Td'], numbers or a mask"
        ) from None
    if not given or not all(map(_is_number, given)):
        if not all(isinstance(card, str) for card in given):
            raise InputError(f"{shown(given)} mixes or is no cards: give names or numbers")
        return parse_cards(given, suits)
    numbers = [int(card) for card in given]
    for card in numbers:
        if not 0 <= card < 52:
            raise InputError(f"card number {shown(card)} is out of bounds: 0 to 51")
        if numbers.count(card) > 1:
            raise InputError(
                f"card {card_name(card, suits)} stands twice in {shown(numbers)}: give it once"
            )
    return numbers


def _is_number(value: object) -> TypeGuard[SupportsIndex]:
    """Whether a value is a whole number, also one of numpy's."""
    return (
        hasattr(value, "__index__")
        and not isinstance(value, bool)
        and not hasattr(value, "__len__")
    )


def parse_mask(text: str | Iterable[str], suits: str) -> int:
    """Mask of the cards in `text`; see `parse_cards`."""
    return to_mask(parse_cards(text, suits))
