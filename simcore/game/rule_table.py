"""A rule set as one compact record of numbers, so that one compiled kernel serves every rule set.

Kinds are addressed by *position*: their place in the rule set's own order, weakest first. A set of
kinds is an int64 with bit `position`.
"""

from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from simcore.foundation.jit import records
from simcore.game import kinds as K
from simcore.game.cards import RANKS, SUITS, parse_mask
from simcore.game.rule_format import MOST_STRAIGHTS, NO_ITEM, STRAIGHT_ORDERS
from simcore.game.ruleset import ITEMS, RuleSet

MAX_KINDS = 14
SESSION_LEADS = ("opening_card", "winner", "random")
LOSER_ITEMS = tuple(name for name, form in ITEMS.items() if form.who == "loser")
WINNER_ITEMS = tuple(name for name, form in ITEMS.items() if form.who == "winner")

# What version 0.1.0 called some fields; strategies of users may read them.
OLD_FIELDS = {
    "bombs": "kinds_bombs",
    "unbeatable_singles": "kinds_unbeatable_singles",
    "flush_suit_first": "flush_first_suit",
    "must_include": "opening_must_include",
    "locks": "passing_locks_on",
    "last_card_rule": "last_card_highest_single",
    "opening_card_first": "leftover_opening_card_first",
    "pairwise": "payoff_settlement_pairwise",
    "tier": "payoff_tiers",
    "monsters": "payoff_monsters",
    "monster_items": "leftovers",
}

_FIELDS: list[Any] = [
    # kinds
    ("kind_at", np.int64, (MAX_KINDS,)),  # position -> kind
    ("position", np.int64, (MAX_KINDS,)),  # kind -> position, -1: not allowed
    # standing kind -> set of kinds that may beat it, itself included; [PASS]: what may be led
    ("answers", np.int64, (MAX_KINDS,)),
    ("answers_to_twos", np.int64, (MAX_KINDS,)),  # the same where it is all 2s
    ("answers_by_cards", np.int64),  # 1: what answers a play depends on its cards
    # singles and pairs as a set of kinds, if those are the first two and their answers are the
    # same whatever the cards; else no kinds
    ("simple", np.int64),
    ("kinds_bombs", np.int64),  # set of kinds
    ("dragons", np.int64),  # set of kinds
    # sets of kinds that need four of a rank, three of a rank, a straight, five of a suit
    ("by_four", np.int64),
    ("by_three", np.int64),
    ("by_straight", np.int64),
    ("by_suit", np.int64),
    ("kinds_unbeatable_singles", np.int64),  # mask
    ("kinds_singles_beat_all", np.int64),  # mask
    ("singles_answer", np.int64),  # mask: the singles that may answer another kind, if any may
    ("kinds_two_pair_second", np.int64),
    # straights, low to high; ranks: the tie-break's first, then from high to low
    ("straight_ranks", np.int64, (MOST_STRAIGHTS, 5)),
    ("straight_set", np.int64, (MOST_STRAIGHTS,)),  # its rank set
    ("straights_of", np.int16, (8192,)),  # rank set -> set of straights within it
    ("royal", np.int64),  # set of straights whose suited form is a royal flush
    ("suited", np.int64),  # set of straights whose suited form is not a plain straight
    ("no_flush", np.int64),  # set of straights whose suited form is not a plain flush
    ("strengths_differ", np.int64),  # 1: some of the next two, or kinds_two_pair_second, is not 0
    ("straights_compare", np.int64),  # place of the choice in STRAIGHT_ORDERS
    ("straights_compare_suited", np.int64),
    ("flush_first_suit", np.int64),
    ("flush_first_top_card", np.int64),
    ("flush_two_low", np.int64),
    # turns
    ("opening_card", np.int64),
    ("opening_must_include", np.int64),
    ("opening_alone", np.int64),
    ("opening_not_dealt_lowest", np.int64),
    ("session_hands", np.int64),
    ("session_lead", np.int64),  # place of the choice: 0: the opening card decides in every hand
    ("passing_locks_on", np.int64),  # set of sizes
    ("last_card_highest_single", np.int64),
    ("last_card_no_pass", np.int64),
    ("last_card_pays", np.int64),
    ("looks_at_next", np.int64),  # 1: a rule asks how many cards the next player has
    # dealing
    ("deck", np.int64, (52,)),  # rank * 4 + suit in the order c d h s -> mask in these rules
    ("deal", np.int64),  # cards per player, 0: all
    ("leftover_opening_card_first", np.int64),
    # payoff
    ("payoff_settlement_pairwise", np.int64),
    ("payoff_tiers", np.int64, (53,)),  # cards left -> multiplier
    ("payoff_card_values", np.int64, (13,)),  # of a rank
    ("payoff_monsters", np.int64),  # set of *kinds by number*, not position
    # 1: the payoff looks at which cards are left; 2: also at more than LOSER_ITEMS[:2]
    ("leftovers", np.int64),
    # of each item: those of LOSER_ITEMS, then those of WINNER_ITEMS
    ("times", np.int64, (len(ITEMS),)),
    ("points", np.int64, (len(ITEMS),)),
]
_FORMATS = {name: rest for name, *rest in _FIELDS}
RULES = np.dtype(
    [*_FIELDS, *((old, *_FORMATS[new]) for old, new in OLD_FIELDS.items())], align=True
)


def _answers(rules: RuleSet, twos: bool) -> list[int]:
    """For each kind that may stand, the set of positions that may beat it; twos: it is all 2s."""
    position = {kind: i for i, kind in enumerate(rules.kinds_allowed)}
    dragons = [k for k in ("dragon", "flush_dragon") if k in position]
    answers = [0] * MAX_KINDS
    answers[K.PASS] = sum(1 << p for p in position.values())
    for kind in rules.kinds_allowed:
        number = K.KINDS.index(kind)
        beaten_by: set[str] = set(dragons)  # a Dragon goes on any table; nothing beats it
        if kind in dragons:
            beaten_by = set()
        elif kind not in rules.kinds_unbeatable:
            beaten_by.add(kind)
            if kind in rules.kinds_ladder:
                beaten_by.update(rules.kinds_ladder[rules.kinds_ladder.index(kind) + 1 :])
            if kind in rules.kinds_bombs:
                beaten_by.update(rules.kinds_bombs[rules.kinds_bombs.index(kind) + 1 :])
            else:
                beaten_by.update(_bombs_on(rules, K.SIZES[number], twos))
            if rules.kinds_singles_beat_all:
                beaten_by.add("single")
        answers[number] = sum(1 << position[k] for k in beaten_by)
    return answers


def _bombs_on(rules: RuleSet, size: int, twos: bool) -> list[str]:
    """The bombs that beat a regular play of a size; twos: it is all 2s."""
    each = dict(rules.kinds_bombs_each)
    return [
        bomb
        for bomb in rules.kinds_bombs
        if size in each.get(bomb, rules.kinds_bombs_beat)
        and (twos or bomb not in rules.kinds_bombs_twos_only)
    ]


@lru_cache(maxsize=256)
def rule_table(rules: RuleSet) -> Any:
    """Record array of one item (dtype RULES), read-only, with everything that the kernels need."""
    table = records(RULES, 1)
    r = table[0]
    r.position[:] = -1
    for i, kind in enumerate(rules.kinds_allowed):
        r.kind_at[i] = K.KINDS.index(kind)
        r.position[K.KINDS.index(kind)] = i
    has = set(rules.kinds_allowed)

    def positions(kinds: tuple[str, ...]) -> int:
        return sum(1 << rules.kinds_allowed.index(k) for k in kinds if k in has)

    r.answers[:] = _answers(rules, twos=False)
    r.answers_to_twos[:] = _answers(rules, twos=True)
    r.kinds_singles_beat_all = parse_mask(rules.kinds_singles_beat_all, rules.suits)
    r.singles_answer = r.kinds_singles_beat_all or (1 << 52) - 1
    r.answers_by_cards = bool(rules.kinds_singles_beat_all or rules.kinds_bombs_twos_only)
    # What takes singles and pairs together takes for granted that their cards do not matter.
    simple = rules.kinds_allowed[:2] == ("single", "pair") and not r.answers_by_cards
    r.simple = 3 if simple else 0
    r.kinds_bombs = positions(rules.kinds_bombs)
    r.dragons = positions(("dragon", "flush_dragon"))
    r.by_four = positions(("bare_four", "four_of_a_kind"))
    r.by_three = positions(("triple", "full_house"))
    r.by_straight = positions(("straight", "straight_flush", "royal_flush"))
    r.by_suit = positions(("flush", "straight_flush", "royal_flush"))
    r.kinds_unbeatable_singles = parse_mask(rules.kinds_unbeatable_singles, rules.suits)

    every = (1 << len(rules.straights_order)) - 1
    royal = 0
    rank_sets = []
    for i, (ranks, tie) in enumerate(rules.straights_order):
        found = sorted((RANKS.index(c) for c in ranks), reverse=True)
        if rules.straights_compare != "place_only":  # else no card breaks a tie
            found.remove(RANKS.index(tie))
            found.insert(0, RANKS.index(tie))
        r.straight_ranks[i] = found
        rank_sets.append(sum(1 << RANKS.index(c) for c in ranks))
        r.straight_set[i] = rank_sets[-1]
        if set(ranks) == set("TJQKA") and "royal_flush" in has:
            royal = 1 << i
    for held in range(8192):
        r.straights_of[held] = sum(1 << i for i, s in enumerate(rank_sets) if held & s == s)
    # A suited straight is a straight flush where that kind exists, else a flush, else a straight.
    r.royal = royal
    r.no_flush = every if "straight_flush" in has else royal
    r.suited = every if has & {"straight_flush", "flush"} else royal

    orders = list(STRAIGHT_ORDERS)
    r.straights_compare = orders.index(rules.straights_compare)
    r.straights_compare_suited = orders.index(rules.straights_compare_suited)
    r.kinds_two_pair_second = rules.kinds_two_pair_tie == "second_pair"
    r.strengths_differ = bool(
        r.straights_compare or r.straights_compare_suited or r.kinds_two_pair_second
    )
    r.flush_first_suit = rules.flush_first == "suit"
    r.flush_first_top_card = rules.flush_first == "top_card"
    r.flush_two_low = rules.flush_two == "low"
    r.opening_card = parse_mask(rules.opening_card, rules.suits).bit_length() - 1
    r.opening_must_include = rules.opening_must_include
    r.opening_alone = rules.opening_alone
    r.opening_not_dealt_lowest = rules.opening_not_dealt == "lowest"
    r.session_hands = rules.session_hands
    r.session_lead = SESSION_LEADS.index(rules.session_lead)
    r.passing_locks_on = sum(1 << size for size in rules.passing_locks_on)
    r.last_card_highest_single = rules.last_card_highest_single
    r.last_card_no_pass = rules.last_card_no_pass
    r.last_card_pays = rules.last_card_pays
    r.looks_at_next = rules.last_card_highest_single or rules.last_card_no_pass

    for rank in range(13):
        for suit, letter in enumerate(SUITS):
            r.deck[rank * 4 + suit] = 1 << (rank * 4 + rules.suits.index(letter))
    r.deal = rules.deal
    r.leftover_opening_card_first = rules.leftover == "opening_card_first"

    r.payoff_settlement_pairwise = rules.payoff_settlement == "pairwise"
    for left in range(1, 53):
        r.payoff_tiers[left] = [times for start, times in rules.payoff_tiers if start <= left][-1]
    r.payoff_card_values[:] = 1
    for letter, worth in rules.payoff_card_values:
        r.payoff_card_values[RANKS.index(letter)] = worth
    r.payoff_monsters = sum(1 << K.KINDS.index(k) for k in rules.payoff_monsters)
    for i, (times, points) in enumerate(rules.payoff_items.values()):
        r.times[i], r.points[i] = times, points
    more = any(rules.payoff_items[name] != NO_ITEM for name in LOSER_ITEMS[2:])
    r.leftovers = 2 if more or rules.payoff_card_values else int(uses_leftovers(rules))
    for old, new in OLD_FIELDS.items():
        r[old] = r[new]
    table.flags.writeable = False
    return table


def uses_leftovers(rules: RuleSet) -> bool:
    """Whether the payoff looks at which cards are left, not only at how many."""
    items = any(rules.payoff_items[name] != NO_ITEM for name in LOSER_ITEMS)
    return items or bool(rules.payoff_card_values)


def max_payoff(rules: RuleSet, players: int, cards: int) -> int:
    """A bound on the size of any payoff at stake 1; `cards` is the largest initial hand."""
    items = rules.payoff_items
    largest: dict[tuple[str, int], int] = {}  # items of the same thing share its number
    for name, form in ITEMS.items():
        shared = form.of, form.most
        largest[shared] = max(largest.get(shared, 1), items[name].times)
    factor: int = prod(times**most for (_, most), times in largest.items())
    points = sum(abs(items[name].points) * form.most for name, form in ITEMS.items())
    tier = max(1, *(times for start, times in rules.payoff_tiers if start <= cards))
    worth = max(1, *(worth for _, worth in (*rules.payoff_card_values, ("", 1))))
    due = (cards * worth * tier + points) * factor + points
    if rules.payoff_settlement != "pairwise":
        return due * (players - 1)
    return due * (players * (players - 1) // 2 if rules.last_card_pays else players)
