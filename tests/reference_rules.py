"""The rule sets of the rulebook in reference.py, as data: written by hand, not read from files.

Independent of the package, like reference.py itself. Standard library only.
"""

from dataclasses import dataclass, replace

RANKS = "3456789TJQKA2"
KINDS = (
    *("single", "pair", "triple", "two_pair", "bare_four"),
    *("straight", "flush", "full_house", "four_of_a_kind", "straight_flush", "royal_flush"),
    *("dragon", "flush_dragon"),
)
SIZES = dict(zip(KINDS, (1, 2, 3, 4, 4, 5, 5, 5, 5, 5, 5, 13, 13), strict=True))


Effect = tuple[int, int]  # (multiplier, points) of an item of the payoff
NOTHING = (1, 0)


@dataclass(frozen=True, eq=False)
class Rules:
    """One rule set as data: key `opening.card` of a rule file is `opening_card`."""

    name: str
    suits: str  # low to high
    opening_card: str
    kinds_allowed: frozenset[str]
    straights_order: tuple[tuple[str, str], ...]  # low to high: (ranks, rank of the tie-break card)
    opening_must_include: bool = False  # the first play must contain the opening card
    opening_alone: bool = False  # and be that card alone
    opening_not_dealt: str = "next_of_suit"  # or "lowest": what takes its place if it is not dealt
    leftover: str = "to_opening_card_holder"  # or "opening_card_first": it is dealt before the rest
    straights_compare: str = "place"  # then suit; "suit": then place; "place_only": no suit
    straights_compare_suited: str = "place"  # the same of straight flushes and royal flushes
    # "ranks": five ranks, then suit; "suit": suit, then highest card; "top_card": highest card
    session_hands: int = 1  # played one after another by the same seats
    session_lead: str = "opening_card"  # or "winner", "random": who starts all but the first
    flush_first: str = "ranks"
    flush_two: str = "high"  # or "low"
    kinds_two_pair_tie: str = "suit"  # or "second_pair": its rank, then the suit
    kinds_ladder: tuple[str, ...] = ()  # five-card kinds, a later one beats an earlier one
    kinds_bombs: tuple[str, ...] = ()  # low to high
    kinds_bombs_beat: tuple[int, ...] = ()  # sizes of the regular plays that a bomb beats
    kinds_bombs_each: tuple[tuple[str, tuple[int, ...]], ...] = ()  # a bomb, the sizes it beats
    kinds_bombs_twos_only: frozenset[str] = frozenset()  # bombs that beat only 2s
    kinds_unbeatable: frozenset[str] = frozenset()
    kinds_unbeatable_singles: tuple[str, ...] = ()  # cards, when played as a single
    kinds_singles_beat_all: tuple[str, ...] = ()  # cards that beat any play, as singles
    passing_locks_on: tuple[int, ...] = ()  # a pass on a play of this size: out until the next lead
    last_card_highest_single: bool = False
    last_card_no_pass: bool = False  # while the next has one card: a single that can be beaten is
    last_card_pays: bool = False  # who lets the next player go out with one card pays for all
    payoff_settlement: str = "winner_takes"  # or "pairwise"
    payoff_tiers: tuple[tuple[int, int], ...] = ((1, 1),)  # (from this many cards left, multiplier)
    payoff_card_values: tuple[tuple[str, int], ...] = ()  # what a card left counts, else one
    payoff_monsters: frozenset[str] = frozenset()  # what the payoff calls a Monster
    payoff_two_left: Effect = NOTHING  # for each 2 left
    payoff_any_two_left: Effect = NOTHING  # once, however many
    payoff_highest_two_left: Effect = NOTHING  # the 2 of the highest suit
    payoff_monster_left: Effect = NOTHING  # once, however many
    payoff_nothing_played: Effect = NOTHING  # a loser who has played no card
    payoff_finish_two: Effect = NOTHING  # for each 2 in the last play
    payoff_finish_monster: Effect = NOTHING  # Monster or Dragon
    payoff_finish_flush_dragon: Effect = NOTHING  # instead of payoff_finish_monster
    payoff_finish_opening_card: Effect = NOTHING
    payoff_grand_slam: Effect = NOTHING


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
    kinds_allowed=SIX_KINDS | {"dragon", "flush_dragon"},
    straights_order=_tie_highest("A2345", *NO_TWO, "23456"),
    kinds_bombs=MONSTERS,
    kinds_bombs_beat=(1, 2, 5),
    payoff_tiers=((1, 1), (8, 2), (10, 3), (13, 4)),
    payoff_monsters=frozenset(MONSTERS),
    payoff_two_left=(2, 0),
    payoff_monster_left=(2, 0),
    payoff_finish_two=(2, 0),
    payoff_finish_monster=(2, 0),
    payoff_finish_flush_dragon=(20, 0),
    payoff_finish_opening_card=(2, 0),
    payoff_grand_slam=(2, 0),
)
_MACEPLAY = Rules(
    name="maceplay",
    suits="cdhs",
    opening_card="3c",
    opening_must_include=True,
    kinds_allowed=SIX_KINDS | {"triple", "flush"},
    straights_order=_tie_highest(*NO_TWO, "A2345", "23456"),
    kinds_ladder=LADDER,
    payoff_tiers=((1, 1), (10, 2), (13, 3)),
)
_LOCKOUT = Rules(
    name="lockout",
    suits="cdhs",
    opening_card="3c",
    opening_must_include=True,
    kinds_allowed=SIX_KINDS,
    straights_order=_tie_last("A2345", *NO_TWO, "23456"),
    kinds_bombs=MONSTERS,
    kinds_bombs_beat=(1, 2, 5),
    kinds_unbeatable_singles=("2s",),
    passing_locks_on=(2, 5),
    last_card_highest_single=True,
    leftover="opening_card_first",
)
_ROYAL = Rules(
    name="royal",
    suits="dchs",
    opening_card="3d",
    opening_must_include=True,
    kinds_allowed=SIX_KINDS | {"triple", "flush", "royal_flush"},
    straights_order=_tie_last("A2345", "23456", *NO_TWO),
    flush_first="suit",
    flush_two="low",
    kinds_ladder=(*LADDER, "royal_flush"),
    kinds_unbeatable=frozenset(("royal_flush",)),
)
_HONGKONG = replace(
    _MACEPLAY,
    name="hongkong",
    suits="dchs",
    opening_card="3d",
    opening_not_dealt="lowest",
    straights_order=_tie_highest(*NO_TWO, "23456", "A2345"),
    last_card_highest_single=True,
)
_PAGAT = replace(
    _ROYAL,
    name="pagat",
    kinds_allowed=_ROYAL.kinds_allowed - {"royal_flush"},
    kinds_ladder=LADDER,
    kinds_unbeatable=frozenset(),
    flush_two="high",
    payoff_tiers=((1, 1), (10, 2), (13, 3)),
)
_PUSOY = replace(
    _MACEPLAY,
    name="pusoy",
    suits="cshd",
    opening_card="3c",
    opening_not_dealt="lowest",
    straights_order=_tie_highest(*NO_TWO, "JQKA2"),
    flush_first="suit",
    payoff_tiers=Rules.payoff_tiers,
)
_CAPSA = replace(
    _MACEPLAY,
    name="capsa",
    suits="dchs",
    opening_card="3d",
    opening_not_dealt="lowest",
    flush_first="top_card",
    kinds_allowed=_HONGKONG.kinds_allowed | {"royal_flush"},
    straights_order=_tie_highest(*NO_TWO),
    kinds_ladder=(*LADDER, "royal_flush"),
    passing_locks_on=(1, 2, 3, 4, 5),
    payoff_tiers=((1, 1), (9, 2), (13, 3)),
)
RULES: dict[str, Rules] = {
    rules.name: rules
    for rules in (_DOUQUE, _MACEPLAY, _LOCKOUT, _ROYAL, _HONGKONG, _PAGAT, _PUSOY, _CAPSA)
}

# What shipped under a name before a revision changed it.
_HONGKONG_1 = replace(
    _HONGKONG,
    name="hongkong@1",
    opening_not_dealt="next_of_suit",
    last_card_highest_single=False,
)
_PUSOY_1 = replace(
    _HONGKONG_1,
    name="pusoy@1",
    suits="cshd",
    opening_card="3c",
    passing_locks_on=(1, 2, 3, 4, 5),
    payoff_tiers=Rules.payoff_tiers,
)
_CAPSA_1 = replace(_CAPSA, name="capsa@1", opening_not_dealt="next_of_suit", flush_first="ranks")
OLDER: dict[str, Rules] = {
    rules.name: rules
    for rules in (_HONGKONG_1, replace(_PAGAT, name="pagat@1", flush_two="low"), _PUSOY_1, _CAPSA_1)
}
