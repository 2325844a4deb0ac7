"""Questions about rules: what is it, does it beat that, what may I play, who pays."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simcore.errors import InputError
from simcore.foundation.jit import records
from simcore.game import combinations
from simcore.game import kinds as K
from simcore.game import payoffs as payoff_kernels
from simcore.game import plays as play_kernels
from simcore.game.cards import card_names, card_numbers, to_mask
from simcore.game.groups import PLAY
from simcore.game.rule_format import NO_ITEM
from simcore.game.rule_table import rule_table
from simcore.game.ruleset import ITEMS, RuleSet, load_rules
from simcore.simulation.setup import check_payoffs, largest_hand

Cards = str | Iterable[str] | int | Iterable[int]  # in notation, as a mask, or by numbers


@dataclass(frozen=True)
class Combination:
    """Cards that form a combination: `.cards` in notation, low to high, and `.kind`."""

    cards: tuple[str, ...]
    kind: str


def read_cards(rules: RuleSet, cards: Cards, what: str) -> int:
    """Mask of at least one card, given in any form of `Cards`. Raises InputError."""
    mask = to_mask(card_numbers(cards, rules.suits))
    if not mask:
        raise InputError(f"the {what} is empty; give at least one card, as in '3c'")
    return mask


def notation(rules: RuleSet, mask: int) -> str:
    """The cards of a mask."""
    return " ".join(card_names(mask, rules.suits))


def _combination(rules: RuleSet, mask: int, kind: int) -> Combination:
    return Combination(tuple(card_names(mask, rules.suits)), K.KINDS[kind])


def classified(rules: RuleSet, table: Any, mask: int, what: str) -> tuple[int, int]:
    """(kind, strength) of cards that must form a combination. Raises InputError."""
    kind, strength = combinations.classify(table, mask)
    if kind == K.PASS:
        raise InputError(
            f"the {what} {notation(rules, mask)!r} is no legal combination in rule set "
            f"{rules.name!r}; "
            f"allowed: {', '.join(rules.kinds_allowed)}"
        )
    return int(kind), int(strength)


def classify(rules: str | RuleSet, cards: Cards) -> Combination | None:
    """What the cards form under these rules; None if that is no combination.

    Thirteen cards are taken as a fresh hand, so they may be a Dragon.
    """
    rules = load_rules(rules)
    mask = to_mask(card_numbers(cards, rules.suits))
    if not mask:
        return None
    kind, _ = combinations.classify(rule_table(rules)[0], mask)
    return _combination(rules, mask, kind) if kind != K.PASS else None


def explain_beats(rules: str | RuleSet, play: Cards, to_beat: Cards) -> tuple[bool, str]:
    """Whether `play` beats the standing play `to_beat`, and one sentence why."""
    rules = load_rules(rules)
    table = rule_table(rules)[0]
    mine, theirs = read_cards(rules, play, "play"), read_cards(rules, to_beat, "table")
    if mine & theirs:
        raise InputError(
            f"card {notation(rules, mine & theirs)} is in the play and on the table; a card "
            "exists once: take it out of one"
        )
    their_kind, their_strength = classified(rules, table, theirs, "table")
    kind, strength = (int(x) for x in combinations.classify(table, mine))
    if kind == K.PASS:
        return False, f"{notation(rules, mine)} is no combination in rule set {rules.name!r}."
    beaten = bool(combinations.beats(table, kind, strength, their_kind, their_strength))
    return beaten, _reason(rules, beaten, (kind, strength), (their_kind, their_strength))


def _reason(rules: RuleSet, beaten: bool, mine: tuple[int, int], theirs: tuple[int, int]) -> str:
    """The rule that decides between two classified plays."""
    (kind, strength), (their_kind, their_strength) = mine, theirs
    a, b = (K.KINDS[k].replace("_", " ") for k in (kind, their_kind))
    if kind in K.DRAGONS and their_kind not in K.DRAGONS:
        return f"A {a} may be played on any table, and nothing beats it."
    if their_kind in K.DRAGONS:
        return f"Nothing beats a {b}."
    if K.KINDS[their_kind] in rules.kinds_unbeatable:
        return f"Nothing beats a {b} in rule set {rules.name!r}."
    if (
        not beaten
        and their_kind == K.SINGLE
        and notation(rules, 1 << their_strength) in rules.kinds_unbeatable_singles
    ):
        card = notation(rules, 1 << their_strength)
        return f"Nothing beats a single {card} in rule set {rules.name!r}."
    beat_all = rules.kinds_singles_beat_all
    if beaten and kind == K.SINGLE and notation(rules, 1 << strength) in beat_all:
        card = notation(rules, 1 << strength)
        return f"A single {card} beats every play in rule set {rules.name!r}."
    if their_kind == K.SINGLE and notation(rules, 1 << their_strength) in beat_all:
        card = notation(rules, 1 << their_strength)
        return f"Only a higher card beats a single {card} in rule set {rules.name!r}."
    if kind == their_kind:
        order = (
            "stronger"
            if strength > their_strength
            else "weaker"
            if strength < their_strength
            else "equal"
        )
        return f"Both are a {a}, and the play is {order} by {_criterion(rules, kind)}."
    if (
        K.SIZES[kind] == K.SIZES[their_kind]
        and kind in _numbers(rules.kinds_ladder)
        and their_kind in _numbers(rules.kinds_ladder)
    ):
        return f"Among five-card plays, a {a} ranks {'above' if beaten else 'below'} a {b}."
    if K.KINDS[kind] in rules.kinds_bombs:
        verb = "beats" if beaten else "does not beat"
        against = " against 2s" * (K.KINDS[kind] in rules.kinds_bombs_twos_only)
        return f"A {a} is a bomb{against} in rule set {rules.name!r}, and {verb} a {b}."
    if K.SIZES[kind] != K.SIZES[their_kind]:
        return (
            f"{K.SIZES[kind]} cards cannot answer {K.SIZES[their_kind]}: "
            "the number of cards must be the same."
        )
    or_bomb = " or a bomb" if rules.kinds_bombs else ""
    return f"A {b} is beaten by its own kind{or_bomb} only, not by a {a}."


def _numbers(kinds: Sequence[str]) -> list[int]:
    return [K.KINDS.index(k) for k in kinds]


def _criterion(rules: RuleSet, kind: int) -> str:
    """By what two plays of one kind are compared."""
    if kind in (K.STRAIGHT, K.STRAIGHT_FLUSH, K.ROYAL_FLUSH):
        suited = kind != K.STRAIGHT
        compare = rules.straights_compare_suited if suited else rules.straights_compare
        return {
            "place": "the order of straights, then the suit of the tie-break card",
            "suit": "the suit of the tie-break card, then the order of straights",
            "place_only": "the order of straights alone",
        }[compare]
    if kind == K.FLUSH:
        return {
            "ranks": "ranks from high to low, then suit",
            "suit": "suit, then the highest card",
            "top_card": "the highest card's rank, then its suit",
        }[rules.flush_first]
    if kind == K.TWO_PAIR and rules.kinds_two_pair_tie == "second_pair":
        return "the higher pair's rank, the lower pair's, then the highest card's suit"
    if kind in (K.SINGLE, K.PAIR, K.TWO_PAIR):
        return "rank, then the highest card's suit"
    return "rank"


def beats(rules: str | RuleSet, play: Cards, to_beat: Cards) -> bool:
    """Whether `play` beats the standing play `to_beat`. Raises InputError for a bad table."""
    return explain_beats(rules, play, to_beat)[0]


def legal_plays(
    rules: str | RuleSet,
    hand: Cards,
    to_beat: Cards | None = None,
    opening: bool = False,
    next_left: int | None = None,
    fresh: bool | None = None,
) -> list[Combination]:
    """Every legal play of a hand, weakest first; the pass is not listed.

    to_beat: the standing play, None to lead; opening: this is the first play of the hand (it must
    contain the opening card where the rule set says so; where that may be out of play, what takes
    its place); next_left: cards of the next player, for the last-card rule; fresh:
    nothing played from this hand yet, default: the hand has the size of an initial hand.
    Raises InputError.
    """
    rules = load_rules(rules)
    table = rule_table(rules)[0]
    mask = read_cards(rules, hand, "hand")
    size = mask.bit_count()
    largest = max(largest_hand(rules, n) for n in rules.players)
    if size > largest:
        raise InputError(
            f"a hand of {size} cards: {rules.name!r} deals at most {largest}; take some out"
        )
    if next_left is not None and not 1 <= next_left <= largest:
        raise InputError(f"next-left {next_left} is out of bounds: 1 to {largest} cards")
    kind = strength = 0
    if to_beat is not None:
        theirs = read_cards(rules, to_beat, "table")
        if theirs & mask:
            raise InputError(
                f"card {notation(rules, theirs & mask)} is in hand and on the table; a card "
                "exists once: take it out of one"
            )
        kind, strength = classified(rules, table, theirs, "table")
    required = 0
    if opening:
        if to_beat is not None:
            raise InputError("the opening play is a lead; leave out the table or the opening")
        required = opening_card_of(rules, table, mask)
    if fresh is None:
        fresh = size in {hand_size for n in rules.players for hand_size in initial_sizes(rules, n)}
    found = records(PLAY, play_kernels.buffer_size(size))
    n = play_kernels.legal_plays(
        table, mask, kind, strength, required, next_left or 0, fresh, found
    )
    return [_combination(rules, int(p.mask), int(p.kind)) for p in found[:n] if p.mask]


def initial_sizes(rules: RuleSet, players: int) -> set[int]:
    """How many cards a seat may be dealt."""
    return {rules.deal or 52 // players, largest_hand(rules, players)}


def opening_card_of(rules: RuleSet, table: Any, hand: int) -> int:
    """One-card mask that the first play must contain; 0 where there is no such rule."""
    if not rules.opening_must_include:
        return 0
    suit = 0x1111111111111 << (int(table.opening_card) & 3)
    candidates = hand & suit & -(1 << int(table.opening_card))
    if rules.opening_not_dealt == "lowest" and not hand >> int(table.opening_card) & 1:
        candidates = hand
    may_be_out_of_play = rules.deal and any(rules.deal * n < 52 for n in rules.players)
    if not hand >> int(table.opening_card) & 1 and not (may_be_out_of_play and candidates):
        raise InputError(
            f"the hand {notation(rules, hand)!r} does not hold the opening card "
            f"{rules.opening_card}; whoever holds it opens"
        )
    return candidates & -candidates


def payoffs(
    rules: str | RuleSet,
    winner: int,
    left: Sequence[Cards],
    last_play: Cards,
    grand_slam: bool = False,
    stake: int = 1,
    idle: Collection[int] | None = None,
    payer: int | None = None,
) -> list[int]:
    """Payoff of every seat, zero-sum. left: cards left by seat (the winner's is empty).

    idle: the seats that have played no card, where the rules ask (default: those that hold as many
    as they were dealt); payer: the seat that pays for all by the last-card rule. Raises InputError
    for cards that stand twice, a last play that is none, an empty loser, a payer where there is no
    such rule, or where one cannot tell who is idle.
    """
    if not 0 <= winner < len(left):
        raise InputError(f"winner {winner} is out of bounds: 0 to {len(left) - 1}")
    losers = [cards for seat, cards in enumerate(left) if seat != winner]
    if left[winner]:
        raise InputError(
            f"seat {winner} won, so it has no cards left; it was given {left[winner]!r}"
        )
    numbers = None if idle is None else loser_numbers(idle, winner, len(left))
    pays = None if payer is None else loser_numbers([payer], winner, len(left))[0]
    result, _ = itemised_payoffs(rules, last_play, losers, grand_slam, stake, numbers, pays)
    return [*result[1 : winner + 1], result[0], *result[winner + 1 :]]


def loser_numbers(seats: Collection[int], winner: int, players: int) -> list[int]:
    """Seats as numbers of losers, from 1. Raises InputError."""
    for seat in seats:
        if not 0 <= seat < players or seat == winner:
            raise InputError(f"seat {seat} is no loser: 0 to {players - 1}, not {winner}")
    return [seat + (seat < winner) for seat in seats]


def itemised_payoffs(
    rules: str | RuleSet,
    last_play: Cards,
    left: Sequence[Cards],
    grand_slam: bool = False,
    stake: int = 1,
    idle: Collection[int] | None = None,
    payer: int | None = None,
) -> tuple[list[int], list[dict[str, Any]]]:
    """(payoffs: winner first, then the losers as given; items: each multiplier and from what).

    idle: numbers of the losers, from 1, that have played no card; payer: number of the loser that
    pays for all; see `payoffs`.
    """
    rules = load_rules(rules)
    table = rule_table(rules)[0]
    players = len(left) + 1
    if players not in rules.players:
        allowed = " or ".join(str(n - 1) for n in rules.players)
        raise InputError(
            f"{len(left)} losers: in rule set {rules.name!r} there are {allowed}; give "
            "--left for each"
        )
    if payer is not None and not rules.last_card_pays:
        raise InputError(
            f"in rule set {rules.name!r} nobody pays for all; leave out the payer, or set "
            "last_card.pays"
        )
    if payer is not None and not 1 <= payer < players:
        raise InputError(f"payer {payer} is out of bounds: loser 1 to {players - 1}")
    check_payoffs(rules, players, stake)
    last = read_cards(rules, last_play, "last play")
    last_kind, _ = classified(rules, table, last, "last play")
    hands = np.zeros(players, np.int64)
    known = last
    largest = largest_hand(rules, players)
    for i, cards in enumerate(left, 1):
        mask = read_cards(rules, cards, f"hand of loser {i}")
        if mask & known:
            raise InputError(
                f"card {notation(rules, mask & known)} is given twice; "
                "a card exists once: take it out of one"
            )
        if mask.bit_count() > largest:
            raise InputError(
                f"loser {i} has {mask.bit_count()} cards of at most {largest}: take some out"
            )
        known |= mask
        hands[i] = mask
    if idle is None:
        idle = range(1, players) if grand_slam else _idle(rules, players, hands)
    for i in idle:
        if not 1 <= i < players:
            raise InputError(f"idle {i} is out of bounds: loser 1 to {players - 1}")
    played = sum(1 << i for i in range(players) if i not in idle)
    result = np.zeros(players, np.int64)
    times, monsters = payoff_kernels.settle(
        table, players, hands, 0, last, last_kind, grand_slam, played, result
    )
    payoff_kernels.pay_for_all(players, -1 if payer is None else payer, result)
    counts = payoff_kernels.counts_last(table, last, last_kind, grand_slam)
    kind = K.KINDS[last_kind].replace("_", " ")
    items = _items(rules, "winner", counts, kind=kind, card=rules.opening_card)
    items.append({"who": "winner", "item": "all", "times": int(times)})
    for i in range(1, players):
        facts = bool(monsters >> i & 1), i in idle
        items += _loser_items(rules, table, i, int(hands[i]), *facts)
    return [int(x) * stake for x in result], items


def _items(rules: RuleSet, who: str, counts: Any, **facts: str) -> list[dict[str, Any]]:
    """A line for each item that counts and changes something. facts: for its words."""
    found = []
    for name, count in zip(counts._fields, counts, strict=True):
        times, points = rules.payoff_items[name]
        effect = {"times": times ** int(count), "points": points * int(count)}
        if effect != {"times": 1, "points": 0}:
            why = ITEMS[name].why.format(count=count, **facts)
            found.append({"who": who, "item": name, **effect, "why": why})
    return found


def _idle(rules: RuleSet, players: int, hands: Any) -> list[int]:
    """Numbers of the losers that hold as many cards as they were dealt. Raises InputError."""
    sizes = [int(hand).bit_count() for hand in hands]
    few, most = min(initial_sizes(rules, players)), max(initial_sizes(rules, players))
    found = [i for i in range(1, players) if sizes[i] in (few, most)]
    # Where cards do not divide, one seat was dealt more; only if that is known, all is.
    if rules.payoff_nothing_played != NO_ITEM and few < most and most not in sizes and found:
        raise InputError(
            f"loser {found[0]} has {few} cards: dealt {few}, or {most} with some played; say who "
            "is idle"
        )
    return found


def _loser_items(
    rules: RuleSet, table: Any, number: int, hand: int, monster: bool, idle: bool
) -> list[dict[str, Any]]:
    who = f"loser {number}"
    left = hand.bit_count()
    worth = sum(int(table.payoff_card_values[c >> 2]) for c in range(52) if hand >> c & 1)
    counting = f", which count {worth}" * (worth != left)
    tier = {
        "who": who,
        "item": "cards_left",
        "cards": left,
        "worth": worth,
        "times": int(table.payoff_tiers[left]),
        "why": f"{left} card{'s' * (left > 1)} left{counting}",
    }
    return [tier, *_items(rules, who, payoff_kernels.counts_left(hand, monster, idle))]
