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
from tests.reference_rules import (  # noqa: F401
    KINDS,
    NOTHING,
    OLDER,
    RANKS,
    RULES,
    SIZES,
    Effect,
    Rules,
)

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
        second = (ranks[0],) if rules.kinds_two_pair_tie == "second_pair" else ()
        yield "two_pair", (top_rank, *second, top_suit)
    elif shape == [4]:
        yield "bare_four", (top_rank,)
    elif shape == [3, 2]:
        yield "full_house", (most_common,)
    elif shape == [4, 1]:
        yield "four_of_a_kind", (most_common,)
    elif shape == [1] * 5:
        straight = _straight_strength(rules, cards, rules.straights_compare)
        flush = _straight_strength(rules, cards, rules.straights_compare_suited)
        if suited and {RANKS[rank] for rank in ranks} == set("TJQKA") and flush is not None:
            yield "royal_flush", flush
        if suited and flush is not None:
            yield "straight_flush", flush
        if suited:
            yield "flush", _flush_strength(rules, cards)
        if straight is not None:
            yield "straight", straight
    elif shape == [1] * 13:
        if suited:
            yield "flush_dragon", ()
        yield "dragon", ()


def _straight_strength(rules: Rules, cards: list[Card], compare: str) -> tuple[int, ...] | None:
    """Place in the list of straights and the suit of the tie-break card, or the place alone."""
    suit_of = {RANKS[rank]: suit for rank, suit in cards}
    for place, (sequence, tie_break) in enumerate(rules.straights_order):
        if set(sequence) == set(suit_of):
            suit = suit_of[tie_break]
            return {"place": (place, suit), "suit": (suit, place), "place_only": (place,)}[compare]
    return None


def _flush_strength(rules: Rules, cards: list[Card]) -> tuple[int, ...]:
    """By ranks: five ranks high to low, then suit. Else by the highest card, or suit and that."""
    suit = cards[0][1]
    ranks = [rank for rank, _ in cards]
    if rules.flush_two == "low":  # 2 3 4 .. K A instead of 3 4 .. K A 2
        ranks = [(rank + 1) % 13 for rank in ranks]
    ranks.sort(reverse=True)
    by = {"ranks": (*ranks, suit), "suit": (suit, ranks[0]), "top_card": (ranks[0], suit)}
    return by[rules.flush_first]


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
        if kind in rules.kinds_allowed:
            return kind, strength
    return None


def outranks(rules: Rules, play: Combination, table: Combination) -> bool:
    """Who beats what, for two combinations of the rule set."""
    (kind, strength), (table_kind, table_strength) = play, table
    if table_kind in ("dragon", "flush_dragon"):
        return False  # nothing beats a Dragon
    if kind in ("dragon", "flush_dragon"):
        return True  # and it may be played on any table
    if table_kind in rules.kinds_unbeatable:
        return False
    if table_kind == "single" and table_strength in parse(rules, rules.kinds_unbeatable_singles):
        return False
    if kind == table_kind:
        return strength > table_strength
    beat_all = parse(rules, rules.kinds_singles_beat_all)
    if table_kind == "single" and table_strength in beat_all:
        return False  # such a card is beaten by a higher one of them, that is by a single
    if kind == "single" and strength in beat_all:
        return True
    if kind in rules.kinds_bombs and table_kind in rules.kinds_bombs:
        return rules.kinds_bombs.index(kind) > rules.kinds_bombs.index(table_kind)
    if kind in rules.kinds_bombs and bombs(rules, kind, table_kind, table_strength):
        return True
    if kind in rules.kinds_ladder and table_kind in rules.kinds_ladder:
        return rules.kinds_ladder.index(kind) > rules.kinds_ladder.index(table_kind)
    return False


def bombs(rules: Rules, bomb: str, table_kind: str, table_strength: tuple[int, ...]) -> bool:
    """Whether a bomb beats a regular play: one of its sizes, and made of 2s if it must be."""
    sizes = dict(rules.kinds_bombs_each).get(bomb, rules.kinds_bombs_beat)
    of_twos = table_kind in ("single", "pair", "triple", "bare_four") and table_strength[0] == 12
    return SIZES[table_kind] in sizes and (of_twos or bomb not in rules.kinds_bombs_twos_only)


def beats(rules: Rules, play_cards: Cards, table_cards: Cards) -> bool:
    """Whether the play may be put on the standing play."""
    play, table = classify(rules, play_cards), classify(rules, table_cards)
    return play is not None and table is not None and outranks(rules, play, table)


# Legal plays


def kind_position(rules: Rules, kind: str) -> tuple[int, int, int]:
    """Canonical order of kinds: number of cards, then the ladder, then the order of KINDS."""
    ladder = rules.kinds_ladder
    on_ladder = ladder.index(kind) if kind in ladder else len(ladder)
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
    for sequence in {"TJQKA", *(text for text, _ in rules.straights_order)}:
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
        if must_include is not None and rules.opening_alone and len(candidate) > 1:
            continue  # or is that card
        one_left = rules.last_card_highest_single and next_left == 1
        if one_left and kind == "single" and cards[0] != highest_card:
            continue  # last-card rule: a single must be the highest card of the hand
        legal.append((kind_position(rules, kind), strength, cards[::-1], kind))
    return [(show(rules, cards[::-1]), kind) for _, _, cards, kind in sorted(legal)]


def beats_with_highest(rules: Rules, hand: Cards, to_beat: Cards | None) -> bool:
    """Whether a single stands that the highest card of the hand beats."""
    highest = show(rules, parse(rules, hand))[-1:]
    return to_beat is not None and len(to_beat) == 1 and beats(rules, highest, to_beat)


def may_pass(
    rules: Rules, hand: Cards, to_beat: Cards | None = None, next_left: int | None = None
) -> bool:
    """One may pass when following, but where the last-card rule forbids it."""
    forbidden = rules.last_card_no_pass and next_left == 1
    return to_beat is not None and not (forbidden and beats_with_highest(rules, hand, to_beat))


def lets_out(rules: Rules, hand: Cards, to_beat: Cards | None, next_left: int, play: Cards) -> bool:
    """Last-card rule: whether who plays so (no cards: a pass) pays, if the next one goes out."""
    if not rules.last_card_pays or next_left != 1:
        return False
    if not play:
        return beats_with_highest(rules, hand, to_beat)
    return len(play) == 1 and tuple(play) != show(rules, parse(rules, hand))[-1:]


# The same list by its definition: every subset of the hand, filtered.
legal_plays_by_definition = partial(legal_plays, candidates=by_definition)


# Payoffs


def twos(cards: Iterable[str]) -> int:
    """How many 2s."""
    return sum(card[0] == "2" for card in cards)


def has_monster(rules: Rules, left: Cards) -> bool:
    """Whether the cards left can form a Monster. Exactly four of a rank alone cannot."""
    return any(
        (combination := classify(rules, subset)) is not None
        and combination[0] in rules.payoff_monsters
        for size in {SIZES[kind] for kind in rules.payoff_monsters}
        for subset in combinations(left, size)
    )


def together(effects: Iterable[Effect]) -> Effect:
    """What several items do: their multipliers are multiplied, their points added."""
    times, points = zip(NOTHING, *effects, strict=True)
    return prod(times), sum(points)


def loser_effect(rules: Rules, left: Cards, idle: bool) -> Effect:
    """Each 2 left, any 2 (once), the highest, an unplayed Monster (once), no card played."""
    effects = [rules.payoff_two_left] * twos(left)
    effects += [rules.payoff_any_two_left] * (twos(left) > 0)
    effects += [rules.payoff_highest_two_left] * ("2" + rules.suits[3] in left)
    if rules.payoff_monster_left != NOTHING and has_monster(rules, left):
        effects.append(rules.payoff_monster_left)
    effects += [rules.payoff_nothing_played] * idle
    return together(effects)


def winner_effect(rules: Rules, last_play: Cards, grand_slam: bool = False) -> Effect:
    """What the last play and a Grand Slam do for every loser."""
    combination = classify(rules, last_play)
    if combination is None:
        raise ValueError(f"not a combination of {rules.name}: {last_play}")
    effects = [rules.payoff_finish_two] * twos(last_play)
    if combination[0] == "flush_dragon":
        effects.append(rules.payoff_finish_flush_dragon)
    elif combination[0] == "dragon" or combination[0] in rules.payoff_monsters:
        effects.append(rules.payoff_finish_monster)
    effects += [rules.payoff_finish_opening_card] * (rules.opening_card in last_play)
    effects += [rules.payoff_grand_slam] * grand_slam
    return together(effects)


def owed(rules: Rules, left: Cards, winners: Effect, idle: bool = False) -> int:
    """(cards left x tier x the loser's multiplier + points) x the winner's multiplier + points.

    The tier goes by the number of cards; each counts one, or what its rank is worth.
    """
    tiers = [factor for from_cards, factor in sorted(rules.payoff_tiers) if len(left) >= from_cards]
    times, points = loser_effect(rules, left, idle)
    value = dict(rules.payoff_card_values)
    worth = sum(value.get(card[0], 1) for card in left)
    return (worth * tiers[-1] * times + points) * winners[0] + winners[1]


def payoffs(
    rules: Rules,
    winner: int,
    hands_left: Sequence[Cards],
    last_play: Cards,
    grand_slam: bool = False,
    stake: int = 1,
    idle: Iterable[int] = (),
    payer: int | None = None,
) -> list[int]:
    """Each loser pays the winner what it owes, or every pair settles the difference.

    idle: the seats that have played no card; payer: the seat that pays what the others would lose.
    """
    effect = winner_effect(rules, last_play, grand_slam)
    owes = [
        stake * owed(rules, left, effect, seat in idle) if left else 0
        for seat, left in enumerate(hands_left)
    ]
    if rules.payoff_settlement == "pairwise":
        result = [sum(other - mine for other in owes) for mine in owes]
    else:
        result = [sum(owes) if seat == winner else -due for seat, due in enumerate(owes)]
    if payer is None:
        return result
    kept = [max(0, points) for points in result]
    kept[payer] = -(sum(kept) - kept[payer])
    return kept
