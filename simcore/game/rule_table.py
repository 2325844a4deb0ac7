"""A rule set as one compact record of numbers, so that one compiled kernel serves every rule set.

Kinds are addressed by *position*: their place in the rule set's own order, weakest first. A set of
kinds is an int64 with bit `position`.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from simcore.foundation.jit import records
from simcore.game import kinds as K
from simcore.game.cards import RANKS, SUITS, parse_mask
from simcore.game.rule_format import LEFTOVERS, PAYOFF_ITEMS
from simcore.game.ruleset import RuleSet

MAX_KINDS = 14
MAX_STRAIGHTS = 15
N_ITEMS = len(PAYOFF_ITEMS)
ITEM = {name: i for i, name in enumerate(PAYOFF_ITEMS)}

RULES = np.dtype(
    [
        # kinds
        ("kind_at", np.int64, (MAX_KINDS,)),  # position -> kind
        ("position", np.int64, (MAX_KINDS,)),  # kind -> position, -1: not allowed
        # standing kind -> set of kinds that may beat it, itself included; [PASS]: what may be led
        ("answers", np.int64, (MAX_KINDS,)),
        # singles and pairs as a set of kinds, if those are the first two; else no kinds
        ("simple", np.int64),
        ("bombs", np.int64),  # set of kinds
        ("dragons", np.int64),  # set of kinds
        # sets of kinds that need four of a rank, three of a rank, a straight, five of a suit
        ("by_four", np.int64),
        ("by_three", np.int64),
        ("by_straight", np.int64),
        ("by_suit", np.int64),
        ("unbeatable_singles", np.int64),  # mask
        # straights, low to high; ranks: the tie-break's first, then from high to low
        ("straight_ranks", np.int64, (MAX_STRAIGHTS, 5)),
        ("straight_set", np.int64, (MAX_STRAIGHTS,)),  # its rank set
        ("straights_of", np.int16, (8192,)),  # rank set -> set of straights within it
        ("royal", np.int64),  # set of straights whose suited form is a royal flush
        ("suited", np.int64),  # set of straights whose suited form is not a plain straight
        ("no_flush", np.int64),  # set of straights whose suited form is not a plain flush
        ("flush_suit_first", np.int64),
        ("flush_two_low", np.int64),
        # turns
        ("opening_card", np.int64),
        ("must_include", np.int64),
        ("locks", np.int64),  # set of sizes
        ("last_card_rule", np.int64),
        # dealing
        ("deck", np.int64, (52,)),  # rank * 4 + suit in the order c d h s -> mask in these rules
        ("deal", np.int64),  # cards per player, 0: all
        ("opening_card_first", np.int64),
        # payoff
        ("pairwise", np.int64),
        ("tier", np.int64, (53,)),  # cards left -> multiplier
        ("monsters", np.int64),  # set of *kinds by number*, not position
        ("monster_items", np.int64),  # 1: the payoff looks at 2s and Monsters left
        ("times", np.int64, (N_ITEMS,)),
        ("points", np.int64, (N_ITEMS,)),
    ],
    align=True,
)


def _answers(rules: RuleSet) -> list[int]:
    """For each kind that may stand, the set of positions that may beat it."""
    position = {kind: i for i, kind in enumerate(rules.kinds)}
    dragons = [k for k in ("dragon", "flush_dragon") if k in position]
    answers = [0] * MAX_KINDS
    answers[K.PASS] = sum(1 << p for p in position.values())
    for kind in rules.kinds:
        number = K.KINDS.index(kind)
        beaten_by: set[str] = set(dragons)  # a Dragon goes on any table; nothing beats it
        if kind in dragons:
            beaten_by = set()
        elif kind not in rules.unbeatable_kinds:
            beaten_by.add(kind)
            if kind in rules.ladder:
                beaten_by.update(rules.ladder[rules.ladder.index(kind) + 1 :])
            if kind in rules.bombs:
                beaten_by.update(rules.bombs[rules.bombs.index(kind) + 1 :])
            elif K.SIZES[number] in rules.bombs_beat:
                beaten_by.update(rules.bombs)
        answers[number] = sum(1 << position[k] for k in beaten_by)
    return answers


@lru_cache(maxsize=256)
def rule_table(rules: RuleSet) -> Any:
    """Record array of one item (dtype RULES), read-only, with everything that the kernels need."""
    table = records(RULES, 1)
    r = table[0]
    r.position[:] = -1
    for i, kind in enumerate(rules.kinds):
        r.kind_at[i] = K.KINDS.index(kind)
        r.position[K.KINDS.index(kind)] = i
    has = set(rules.kinds)

    def positions(kinds: tuple[str, ...]) -> int:
        return sum(1 << rules.kinds.index(k) for k in kinds if k in has)

    r.answers[:] = _answers(rules)
    r.simple = 3 if rules.kinds[:2] == ("single", "pair") else 0
    r.bombs = positions(rules.bombs)
    r.dragons = positions(("dragon", "flush_dragon"))
    r.by_four = positions(("bare_four", "four_of_a_kind"))
    r.by_three = positions(("triple", "full_house"))
    r.by_straight = positions(("straight", "straight_flush", "royal_flush"))
    r.by_suit = positions(("flush", "straight_flush", "royal_flush"))
    r.unbeatable_singles = parse_mask(rules.unbeatable_singles, rules.suits)

    every = (1 << len(rules.straights)) - 1
    royal = 0
    rank_sets = []
    for i, (ranks, tie) in enumerate(rules.straights):
        found = sorted((RANKS.index(c) for c in ranks), reverse=True)
        found.remove(RANKS.index(tie))
        r.straight_ranks[i] = [RANKS.index(tie), *found]
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

    r.flush_suit_first = rules.flush_first == "suit"
    r.flush_two_low = rules.flush_two == "low"
    r.opening_card = parse_mask(rules.opening_card, rules.suits).bit_length() - 1
    r.must_include = rules.opening_must_include
    r.locks = sum(1 << size for size in rules.pass_locks)
    r.last_card_rule = rules.last_card_rule

    for rank in range(13):
        for suit, letter in enumerate(SUITS):
            r.deck[rank * 4 + suit] = 1 << (rank * 4 + rules.suits.index(letter))
    r.deal = rules.deal
    r.opening_card_first = rules.leftover == LEFTOVERS[0]

    r.pairwise = rules.settlement == "pairwise"
    for left in range(1, 53):
        r.tier[left] = [times for start, times in rules.tiers if start <= left][-1]
    r.monsters = sum(1 << K.KINDS.index(k) for k in rules.monsters)
    for name, times, points in rules.items:
        r.times[ITEM[name]] = times
        r.points[ITEM[name]] = points
    r.monster_items = uses_leftovers(rules)
    table.flags.writeable = False
    return table


def uses_leftovers(rules: RuleSet) -> bool:
    """Whether the payoff looks at 2s or Monsters among the cards left."""
    return any(n in ("two_left", "monster_left") and (t, p) != (1, 0) for n, t, p in rules.items)


def max_payoff(rules: RuleSet, players: int, cards: int) -> int:
    """A bound on the size of any payoff at stake 1; `cards` is the largest initial hand."""
    times = {name: max(1, t) for name, t, _ in rules.items}
    points = sum(
        abs(p) * (4 if name in ("two_left", "finish_two") else 1) for name, _, p in rules.items
    )
    factor = (
        max(times["two_left"], times["finish_two"]) ** 4  # there are four 2s, left or played
        * times["monster_left"]
        * max(times["finish_monster"], times["finish_flush_dragon"])  # one instead of the other
        * times["finish_opening_card"]
        * times["grand_slam"]
    )
    tier = max(1, *(t for start, t in rules.tiers if start <= cards))
    due = (cards * tier + points) * factor + points
    return due * (players if rules.settlement == "pairwise" else players - 1)
