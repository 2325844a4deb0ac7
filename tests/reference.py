"""The rulebook of Big Two, written to be read: slow, plain, and independent of the package.

The fast kernels are compared with this file, so it has nothing in common with them: cards are
tuples, plays are found with itertools, and every function says which rule it states. Standard
library only. At the interface a card is a string, rank then suit (`3c`, `Td`, `2s`); inside it is
(rank 0..12 for 3 .. 2, suit 0..3 in the rule set's own order, low to high).

reference_rules.py holds the rule sets, reference_playout.py plays whole deals by these rules.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import combinations, product
from math import prod

# All that a reader of the rulebook looks for here.
from tests.reference_rules import KINDS, RANKS, RULES, SIZES, Rules  # noqa: F401

Card = tuple[int, int]
Cards = Sequence[str]
Combination = tuple[str, tuple[int, ...]]
Play = tuple[tuple[str, ...], str]


# Cards and combinations


def parse(rules: Rules, cards: Iterable[str]) -> list[Card]:
    """Cards low to high: rank first, then suit, in the order of the rule set."""
    return sorted((RANKS.index(card[0]), rules.suits.index(card[1])) for card in cards)


def show(rules: Rules, cards: Iterable[Card]) -> tuple[str, ...]:
    """The same cards as strings."""
    return tuple(RANKS[rank] + rules.suits[suit] for rank, suit in cards)


def full_deck(rules: Rules) -> list[str]:
    """All 52 cards, low to high."""
    return [rank + suit for rank in RANKS for suit in rules.suits]


def _readings(rules: Rules, cards: list[Card]) -> Iterator[Combination]:
    """Everything that these cards (low to high) could be called, the better name first."""
    ranks = [rank for rank, _ in cards]
    suited = len({suit for _, suit in cards}) == 1
    top_rank, top_suit = cards[-1]
    count = Counter(ranks)
    shape = sorted(count.values(), reverse=True)
    most_common = max(count, key=lambda rank: count[rank])
    if shape == [1]:
        yield "single", (top_rank, top_suit)
    elif shape == [2]:
        yield "pair", (top_rank, top_suit)  # rank, then the higher suit
    elif shape == [3]:
        yield "triple", (top_rank,)
    elif shape == [2, 2]:
        yield "two_pair", (top_rank, top_suit)
    elif shape == [4]:
        yield "bare_four", (top_rank,)
    elif shape == [3, 2]:
        yield "full_house", (most_common,)
    elif shape == [4, 1]:
        yield "four_of_a_kind", (most_common,)
    elif shape == [1] * 5:
        straight = _straight_strength(rules, cards)
        if suited and {RANKS[rank] for rank in ranks} == set("TJQKA"):
            yield "royal_flush", (top_suit,)
        if suited and straight is not None:
            yield "straight_flush", straight
        if suited:
            yield "flush", _flush_strength(rules, cards)
        if straight is not None:
            yield "straight", straight
    elif shape == [1] * 13:
        if suited:
            yield "flush_dragon", ()
        yield "dragon", ()


def _straight_strength(rules: Rules, cards: list[Card]) -> tuple[int, int] | None:
    """Place in the list of straights, then the suit of the tie-break card."""
    suit_of = {RANKS[rank]: suit for rank, suit in cards}
    for place, (sequence, tie_break) in enumerate(rules.straights):
        if set(sequence) == set(suit_of):
            return place, suit_of[tie_break]
    return None


def _flush_strength(rules: Rules, cards: list[Card]) -> tuple[int, ...]:
    """By ranks: five ranks high to low, then suit. By suit: suit, then only the highest card."""
    suit = cards[0][1]
    ranks = [rank for rank, _ in cards]
    if rules.two_low_in_flush:  # 2 3 4 .. K A instead of 3 4 .. K A 2
        ranks = [(rank + 1) % 13 for rank in ranks]
    ranks.sort(reverse=True)
    return (suit, ranks[0]) if rules.flush_order == "suit" else (*ranks, suit)


def classify(rules: Rules, cards: Cards) -> Combination | None:
    """(kind, strength) of the cards, or None where the rule set knows no such combination.

    A kind that the rule set lacks falls back: royal flush, straight flush, flush, straight; and
    flush dragon, dragon. Thirteen cards are taken as a whole hand that has played nothing yet.
    """
    return _classified(rules, tuple(cards))


@lru_cache(maxsize=100_000)
def _classified(rules: Rules, cards: tuple[str, ...]) -> Combination | None:
    """`classify`, remembered: the same small plays come up over and over."""
    if not cards or len(set(cards)) != len(cards):
        return None
    for kind, strength in _readings(rules, parse(rules, cards)):
        if kind in rules.kinds:
            return kind, strength
    return None


def outranks(rules: Rules, play: Combination, table: Combination) -> bool:
    """Who beats what, for two combinations of the rule set."""
    (kind, strength), (table_kind, table_strength) = play, table
    if table_kind in ("dragon", "flush_dragon"):
        return False  # nothing beats a Dragon
    if kind in ("dragon", "flush_dragon"):
        return True  # and it may be played on any table
    if table_kind in rules.unbeatable_kinds:
        return False
    if table_kind == "single" and table_strength in parse(rules, rules.unbeatable_cards):
        return False
    if kind == table_kind:
        return strength > table_strength
    if kind in rules.bombs and table_kind in rules.bombs:
        return rules.bombs.index(kind) > rules.bombs.index(table_kind)
    if kind in rules.bombs and SIZES[table_kind] in rules.bomb_over:
        return True
    if kind in rules.ladder and table_kind in rules.ladder:
        return rules.ladder.index(kind) > rules.ladder.index(table_kind)
    return False


def beats(rules: Rules, play_cards: Cards, table_cards: Cards) -> bool:
    """Whether the play may be put on the standing play."""
    play, table = classify(rules, play_cards), classify(rules, table_cards)
    return play is not None and table is not None and outranks(rules, play, table)


# Legal plays


def kind_position(rules: Rules, kind: str) -> tuple[int, int, int]:
    """Canonical order of kinds: number of cards, then the ladder, then the order of KINDS."""
    on_ladder = rules.ladder.index(kind) if kind in rules.ladder else len(rules.ladder)
    return SIZES[kind], on_ladder, KINDS.index(kind)


def by_kind(rules: Rules, hand: Cards) -> Iterator[Cards]:
    """Card sets that can be a combination, built kind by kind; some come more than once."""
    by_rank = {rank: [card for card in hand if card[0] == rank] for rank in RANKS}
    by_suit = {suit: [card for card in hand if card[1] == suit] for suit in rules.suits}
    alike = {
        size: [group for rank in RANKS for group in combinations(by_rank[rank], size)]
        for size in (1, 2, 3, 4)
    }
    for size in (1, 2, 3, 4):
        yield from alike[size]
    for low, high in combinations(alike[2], 2):  # two pair
        yield low + high
    for triple, pair in product(alike[3], alike[2]):  # full house
        yield triple + pair
    for four, fifth in product(alike[4], alike[1]):  # four of a kind
        yield four + fifth
    for sequence in {"TJQKA", *(text for text, _ in rules.straights)}:
        yield from product(*(by_rank[rank] for rank in sequence))
    for suit in rules.suits:
        yield from combinations(by_suit[suit], 5)
    if len(hand) == 13:  # dragons
        yield tuple(hand)


def by_definition(rules: Rules, hand: Cards) -> Iterator[Cards]:
    """Every subset of the hand whose size some combination has."""
    return (subset for size in (1, 2, 3, 4, 5, 13) for subset in combinations(hand, size))


def legal_plays(
    rules: Rules,
    hand: Cards,
    to_beat: Cards | None = None,
    must_include: str | None = None,
    next_left: int | None = None,
    fresh: bool = False,
    candidates: Callable[[Rules, Cards], Iterator[Cards]] = by_kind,
) -> list[Play]:
    """Legal plays in canonical order: kind, strength, then the set of cards, highest card first.

    `to_beat` is None for the leader; passing is not listed. `must_include` is the opening card
    while the first play is to be made, `next_left` the number of cards of the next seat, `fresh`
    whether the hand has played nothing yet.
    """
    table = None if to_beat is None else classify(rules, to_beat)
    if to_beat is not None and table is None:
        raise ValueError(f"not a combination of {rules.name}: {to_beat}")
    highest_card = parse(rules, hand)[-1]
    legal = []
    for candidate in {tuple(sorted(cards)) for cards in candidates(rules, hand)}:
        combination = classify(rules, candidate)
        if combination is None or (table is not None and not outranks(rules, combination, table)):
            continue
        (kind, strength), cards = combination, parse(rules, candidate)
        if SIZES[kind] == 13 and not (fresh and len(hand) == 13):
            continue  # a Dragon is the whole hand, and nothing has been played from it
        if must_include is not None and must_include not in candidate:
            continue  # the first play contains the opening card
        one_left = rules.last_card_rule and next_left == 1
        if one_left and kind == "single" and cards[0] != highest_card:
            continue  # last-card rule: a single must be the highest card of the hand
        legal.append((kind_position(rules, kind), strength, cards[::-1], kind))
    return [(show(rules, cards[::-1]), kind) for _, _, cards, kind in sorted(legal)]


# The same list by its definition: every subset of the hand, filtered.
legal_plays_by_definition = partial(legal_plays, candidates=by_definition)


# Payoffs


def twos(cards: Iterable[str]) -> int:
    """How many 2s."""
    return sum(card[0] == "2" for card in cards)


def has_monster(rules: Rules, left: Cards) -> bool:
    """Whether the cards left can form a Monster. Exactly four of a rank alone cannot."""
    return any(
        (combination := classify(rules, subset)) is not None and combination[0] in rules.monsters
        for size in {SIZES[kind] for kind in rules.monsters}
        for subset in combinations(left, size)
    )


def loser_multiplier(rules: Rules, left: Cards) -> int:
    """One tier of cards left, each 2 left, an unplayed Monster (once); all multiplied."""
    multiplier = 1
    for from_cards, tier in sorted(rules.tiers):
        if len(left) >= from_cards:
            multiplier = tier  # only the highest tier reached applies
    multiplier *= prod([rules.two_left] * twos(left))
    if rules.monster_left != 1 and has_monster(rules, left):
        multiplier *= rules.monster_left
    return multiplier


def winner_multiplier(rules: Rules, last_play: Cards, grand_slam: bool = False) -> int:
    """What the last play and a Grand Slam multiply for every loser."""
    combination = classify(rules, last_play)
    if combination is None:
        raise ValueError(f"not a combination of {rules.name}: {last_play}")
    multiplier = prod([rules.finish_two] * twos(last_play))
    if combination[0] == "flush_dragon":
        multiplier *= rules.finish_flush_dragon
    elif combination[0] == "dragon" or combination[0] in rules.monsters:
        multiplier *= rules.finish_monster
    if rules.opening_card in last_play:
        multiplier *= rules.finish_opening_card
    if grand_slam:
        multiplier *= rules.grand_slam
    return multiplier


def payoffs(
    rules: Rules,
    winner: int,
    hands_left: Sequence[Cards],
    last_play: Cards,
    grand_slam: bool = False,
    stake: int = 1,
) -> list[int]:
    """Each loser pays the winner stake x cards left x loser multiplier x winner multiplier."""
    factor = stake * winner_multiplier(rules, last_play, grand_slam)
    result = [-factor * len(left) * loser_multiplier(rules, left) for left in hands_left]
    result[winner] = 0
    result[winner] = -sum(result)
    return result
