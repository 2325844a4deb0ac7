"""The rule sets as data for the rulebook of reference.py.

Written down a second time, independent of the package, like reference.py itself. Standard library
only.
"""

from dataclasses import dataclass, replace

RANKS = "3456789TJQKA2"
KINDS = (
    *("single", "pair", "triple", "two_pair", "bare_four"),
    *("straight", "flush", "full_house", "four_of_a_kind", "straight_flush", "royal_flush"),
    *("dragon", "flush_dragon"),
)
SIZES = dict(zip(KINDS, (1, 2, 3, 4, 4, 5, 5, 5, 5, 5, 5, 13, 13), strict=True))


@dataclass(frozen=True, eq=False)
class Rules:
    """One rule set as data. A payoff multiplier of 1 means that the rule set does not use it."""

    name: str
    suits: str  # low to high
    opening_card: str
    must_include: bool  # the first play must contain the opening card
    kinds: frozenset[str]
    straights: tuple[tuple[str, str], ...]  # low to high: (sequence, rank of its tie-break card)
    flush_order: str = "ranks"  # "ranks": five ranks, then suit; "suit": suit, then highest card
    two_low_in_flush: bool = False
    ladder: tuple[str, ...] = ()  # five-card kinds, a later one beats an earlier one
    bombs: tuple[str, ...] = ()  # low to high
    bomb_over: tuple[int, ...] = ()  # sizes of the regular plays that a bomb beats
    unbeatable_cards: tuple[str, ...] = ()  # when played as a single
    unbeatable_kinds: frozenset[str] = frozenset()
    lock_sizes: tuple[int, ...] = ()  # passing on a play of this size locks out until the next lead
    last_card_rule: bool = False
    opening_card_first: bool = False  # an uneven deal hands out the opening card before the rest
    tiers: tuple[tuple[int, int], ...] = ()  # (from this many cards left, multiplier)
    monsters: frozenset[str] = frozenset()  # what the payoff calls a Monster
    two_left: int = 1  # for each 2 left
    monster_left: int = 1  # once, however many
    finish_two: int = 1  # for each 2 in the last play
    finish_monster: int = 1  # Monster or Dragon
    finish_flush_dragon: int = 1  # instead of finish_monster
    finish_opening_card: int = 1
    grand_slam: int = 1


# The eight straights without a 2 below the ace: 34567 .. TJQKA.
NO_TWO = tuple(RANKS[i : i + 5] for i in range(8))
MONSTERS = ("four_of_a_kind", "straight_flush")
SIX_KINDS = frozenset(("single", "pair", "straight", "full_house", *MONSTERS))
LADDER = ("straight", "flush", "full_house", *MONSTERS)


def _tie_highest(*sequences: str) -> tuple[tuple[str, str], ...]:
    """Equal straights compare the suit of the highest game rank (the 2 in A2345 and 23456)."""
    return tuple((text, max(text, key=RANKS.index)) for text in sequences)


def _tie_last(*sequences: str) -> tuple[tuple[str, str], ...]:
    """Equal straights compare the suit of the last card of the sequence (the 5 in A2345)."""
    return tuple((text, text[-1]) for text in sequences)


_DOUQUE = Rules(
    name="douque",
    suits="cdhs",
    opening_card="3c",
    must_include=False,
    kinds=SIX_KINDS | {"dragon", "flush_dragon"},
    straights=_tie_highest("A2345", *NO_TWO, "23456"),
    bombs=MONSTERS,
    bomb_over=(1, 2, 5),
    tiers=((8, 2), (10, 3), (13, 4)),
    monsters=frozenset(MONSTERS),
    two_left=2,
    monster_left=2,
    finish_two=2,
    finish_monster=2,
    finish_flush_dragon=20,
    finish_opening_card=2,
    grand_slam=2,
)
_MACEPLAY = Rules(
    name="maceplay",
    suits="cdhs",
    opening_card="3c",
    must_include=True,
    kinds=SIX_KINDS | {"triple", "flush"},
    straights=_tie_highest(*NO_TWO, "A2345", "23456"),
    ladder=LADDER,
    tiers=((10, 2), (13, 3)),
)
_LOCKOUT = Rules(
    name="lockout",
    suits="cdhs",
    opening_card="3c",
    must_include=True,
    kinds=SIX_KINDS,
    straights=_tie_last("A2345", *NO_TWO, "23456"),
    bombs=MONSTERS,
    bomb_over=(1, 2, 5),
    unbeatable_cards=("2s",),
    lock_sizes=(2, 5),
    last_card_rule=True,
    opening_card_first=True,
)
_ROYAL = Rules(
    name="royal",
    suits="dchs",
    opening_card="3d",
    must_include=True,
    kinds=SIX_KINDS | {"triple", "flush", "royal_flush"},
    straights=_tie_last("A2345", "23456", *NO_TWO),
    flush_order="suit",
    two_low_in_flush=True,
    ladder=(*LADDER, "royal_flush"),
    unbeatable_kinds=frozenset(("royal_flush",)),
)
_HONGKONG = replace(
    _MACEPLAY,
    name="hongkong",
    suits="dchs",
    opening_card="3d",
    straights=_tie_highest(*NO_TWO, "23456", "A2345"),
)
_PAGAT = replace(
    _ROYAL,
    name="pagat",
    kinds=_ROYAL.kinds - {"royal_flush"},
    ladder=LADDER,
    unbeatable_kinds=frozenset(),
    tiers=((10, 2), (13, 3)),
)
_PUSOY = replace(
    _HONGKONG, name="pusoy", suits="cshd", opening_card="3c", lock_sizes=(1, 2, 3, 4, 5), tiers=()
)
_CAPSA = replace(
    _HONGKONG,
    name="capsa",
    kinds=_HONGKONG.kinds | {"royal_flush"},
    straights=_tie_highest(*NO_TWO),
    ladder=(*LADDER, "royal_flush"),
    lock_sizes=(1, 2, 3, 4, 5),
    tiers=((9, 2), (13, 3)),
)
RULES: dict[str, Rules] = {
    rules.name: rules
    for rules in (_DOUQUE, _MACEPLAY, _LOCKOUT, _ROYAL, _HONGKONG, _PAGAT, _PUSOY, _CAPSA)
}
