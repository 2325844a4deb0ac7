"""Records for the tests of the referee: good ones of every table, mutations, and a judge beside it.

The judge follows a record by the independent rulebook (tests/reference.py).
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from io import BytesIO

from simcore import simulate
from simcore.records import Checked, Record, Turn, check, playouts
from tests import reference
from tests.reference import Rules
from tests.reference_playout import begin
from tests.support import reference_rules

Mutation = Callable[[random.Random, Record, "Followed"], Record | None]


@lru_cache(maxsize=50)
def good_records(rules: str, players: int, deals: int = 12, lineup: str = "") -> tuple[Record, ...]:
    """Playouts of a table as records."""
    lineup = lineup or ",".join(["random", "lowest", "dump", "keep"][:players])
    return tuple(playouts(simulate(rules, lineup, deals, seed=7)))


def checked(records: Sequence[Record], rules: str | None = None) -> Checked:
    """What the referee says of some records."""
    lines = "\n".join(record.as_line() for record in records)
    return check(BytesIO(lines.encode()), rules)


def rules_of(record: Record) -> Rules:
    """The record's rules for the reference."""
    return reference_rules(record.rule_set())


@dataclass(frozen=True)
class Step:
    """How the table was before a turn."""

    seat: int  # whose turn it is
    hand: tuple[str, ...]
    to_beat: tuple[str, ...] | None
    must_include: str | None
    next_left: int
    fresh: bool
    locked: frozenset[int]
    left: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Followed:
    """fault: index of the first turn that is not legal, the number of turns if it ends early."""

    fault: int | None
    steps: list[Step]  # before every turn up to the fault, locked-out seats' passes included
    payoffs: list[int] | None


def follow(record: Record) -> Followed:
    """A record with all hands and seats known, followed by the reference."""
    rules, players = rules_of(record), record.players
    hands = [list(hand or ()) for hand in record.hands]
    begins, must_include = begin(rules, hands, int(not record.first_hand), record.starter)
    seat = starter = record.starter or 0 if begins is None else begins
    left = [list(hand) for hand in hands]
    standing: tuple[str, ...] | None = None
    by, cursor, played = -1, starter, set()
    locked: set[int] = set()
    steps: list[Step] = []
    payer = let_out = None
    for index, (given, cards) in enumerate(record.turns):
        required = None if steps else must_include
        step = Step(
            seat, tuple(left[seat]), standing, required,
            len(left[(seat + 1) % players]), seat not in played, frozenset(locked),
            tuple(map(tuple, left)),
        )  # fmt: skip
        steps.append(step)
        if not all(left):
            return Followed(index, steps, None)
        if given != seat:
            skipped = []
            while cursor != seat:
                skipped.append(cursor)
                cursor = (cursor + 1) % players
            if cards or given not in skipped:
                return Followed(index, steps, None)
            cursor = (given + 1) % players
            continue
        if cards and not is_legal(rules, step, cards):
            return Followed(index, steps, None)
        if not cards and not reference.may_pass(rules, step.hand, standing, step.next_left):
            return Followed(index, steps, None)
        payer = let_out if let_out == (seat - 1) % players else None
        broken = reference.lets_out(rules, step.hand, standing, step.next_left, cards)
        let_out = seat if broken else None
        if cards:
            left[seat] = [card for card in left[seat] if card not in cards]
            standing, by = cards, seat
            played.add(seat)
        elif standing is not None and len(standing) in rules.passing_locks_on:
            locked.add(seat)
        cursor = seat = (seat + 1) % players
        while seat in locked:
            seat = (seat + 1) % players
        if seat == by and all(left):
            standing, locked = None, set()
    if all(left):
        return Followed(len(record.turns), steps, None)
    slam = played == {by} == {starter}
    assert standing is not None
    idle = set(range(players)) - played
    payoffs = reference.payoffs(rules, by, left, standing, slam, record.stake, idle, payer)
    return Followed(None, steps, payoffs)


def is_legal(rules: Rules, step: Step, cards: tuple[str, ...]) -> bool:
    """Whether the reference lists these cards among the legal plays."""
    if len(set(cards)) < len(cards) or not set(cards) <= set(step.hand):
        return False
    found = reference.legal_plays(
        rules, step.hand, step.to_beat, step.must_include, step.next_left, step.fresh,
        candidates=lambda _rules, _hand: iter([cards]),
    )  # fmt: skip
    return bool(found)


# Mutations: each makes one change to a good record, or says that there is no place for it.


def changed(record: Record, index: int, *turns: Turn, instead: int = 1) -> Record:
    """Other turns in the place of some."""
    return replace(record, turns=(*record.turns[:index], *turns, *record.turns[index + instead :]))


def _some(rng: random.Random, record: Record, wanted: Callable[[int], bool]) -> int | None:
    """A random turn with some property."""
    found = [index for index in range(len(record.turns)) if wanted(index)]
    return rng.choice(found) if found else None


def swapped(rng: random.Random, record: Record, at: Followed) -> Record | None:
    i = rng.randrange(len(record.turns) - 1)
    return changed(record, i, record.turns[i + 1], record.turns[i], instead=2)


def dropped(rng: random.Random, record: Record, at: Followed) -> Record | None:
    return changed(record, rng.randrange(len(record.turns)))


def doubled(rng: random.Random, record: Record, at: Followed) -> Record | None:
    i = rng.randrange(len(record.turns))
    return changed(record, i, record.turns[i], record.turns[i])


def wrong_seat(rng: random.Random, record: Record, at: Followed) -> Record | None:
    i = rng.randrange(len(record.turns))
    seat = record.turns[i].seat or 0
    other = rng.choice([s for s in range(record.players) if s != seat])
    return changed(record, i, Turn(other, record.turns[i].cards))


def other_leads(rng: random.Random, record: Record, at: Followed) -> Record | None:
    """After a trick another seat leads, with a card of its own."""
    i = _some(rng, record, lambda i: i > 0 and at.steps[i].to_beat is None)
    if i is None:
        return None
    other = rng.choice([s for s in range(record.players) if s != at.steps[i].seat])
    return changed(record, i, Turn(other, (rng.choice(at.steps[i].left[other]),)))


def not_held(rng: random.Random, record: Record, at: Followed) -> Record | None:
    """One card of a play is another seat's."""
    i = _some(rng, record, lambda i: bool(record.turns[i].cards))
    if i is None:
        return None
    seat, cards = record.turns[i]
    others = [c for s, hand in enumerate(at.steps[i].left) if s != seat for c in hand]
    return changed(record, i, Turn(seat, (*cards[1:], rng.choice(others))))


def played_before(rng: random.Random, record: Record, at: Followed) -> Record | None:
    i = _some(rng, record, lambda i: i > 0 and bool(record.turns[i].cards))
    if i is None:
        return None
    gone = [card for _, cards in record.turns[:i] for card in cards]
    seat, cards = record.turns[i]
    return changed(record, i, Turn(seat, (*cards[1:], rng.choice(gone))))


def card_twice(rng: random.Random, record: Record, at: Followed) -> Record | None:
    i = _some(rng, record, lambda i: bool(record.turns[i].cards))
    if i is None:
        return None
    seat, cards = record.turns[i]
    return changed(record, i, Turn(seat, (*cards, cards[0])))


def passed_on_lead(rng: random.Random, record: Record, at: Followed) -> Record | None:
    i = _some(rng, record, lambda i: at.steps[i].to_beat is None)
    return None if i is None else changed(record, i, Turn(at.steps[i].seat, ()))


def any_cards(rng: random.Random, record: Record, at: Followed) -> Record | None:
    """Some held cards instead of what was played."""
    i = rng.randrange(len(record.turns))
    if record.turns[i].seat != at.steps[i].seat:
        return None
    hand = at.steps[i].hand
    number = min(len(hand), rng.choice((1, 1, 2, 3, 4, 5, 5)))
    return changed(record, i, Turn(at.steps[i].seat, tuple(rng.sample(hand, number))))


def no_combination(rng: random.Random, record: Record, at: Followed) -> Record | None:
    i = _some(rng, record, lambda i: len({c[0] for c in at.steps[i].hand}) > 2)
    if i is None:
        return None
    by_rank = {card[0]: card for card in at.steps[i].hand}
    number = rng.choice((2, 3))
    return changed(record, i, Turn(at.steps[i].seat, tuple(list(by_rank.values())[:number])))


def too_weak(rng: random.Random, record: Record, at: Followed) -> Record | None:
    """A single that does not beat the standing one."""
    rules = rules_of(record)

    def weak(i: int) -> list[str]:
        to_beat, hand = at.steps[i].to_beat, at.steps[i].hand
        if to_beat is None or len(to_beat) != 1:
            return []
        return [card for card in hand if not reference.beats(rules, (card,), to_beat)]

    i = _some(rng, record, lambda i: bool(weak(i)))
    return None if i is None else changed(record, i, Turn(at.steps[i].seat, (rng.choice(weak(i)),)))


def wrong_opening(rng: random.Random, record: Record, at: Followed) -> Record | None:
    """The first play without the opening card."""
    step = at.steps[0]
    if step.must_include is None:
        return None
    card = rng.choice([card for card in step.hand if card != step.must_include])
    return changed(record, 0, Turn(step.seat, (card,)))


def locked_out(rng: random.Random, record: Record, at: Followed) -> Record | None:
    """A locked-out seat plays instead of the next."""
    i = _some(rng, record, lambda i: bool(at.steps[i].locked))
    if i is None:
        return None
    seat = rng.choice(sorted(at.steps[i].locked))
    return changed(record, i, Turn(seat, (rng.choice(at.steps[i].left[seat]),)))


def last_card(rng: random.Random, record: Record, at: Followed) -> Record | None:
    """A single that beats the standing play, before a player with one card, but not the highest."""
    rules = rules_of(record)
    if not rules.last_card_highest_single:
        return None

    def low(i: int) -> list[str]:
        step = at.steps[i]
        if step.next_left != 1:
            return []
        free = replace(step, next_left=2)
        return [
            card
            for card in step.hand
            if is_legal(rules, free, (card,)) and not is_legal(rules, step, (card,))
        ]

    i = _some(rng, record, lambda i: bool(low(i)))
    return None if i is None else changed(record, i, Turn(at.steps[i].seat, (rng.choice(low(i)),)))


def after_the_end(rng: random.Random, record: Record, at: Followed) -> Record | None:
    seat = ((record.turns[-1].seat or 0) + 1) % record.players
    cards = rng.choice([(), ("3c",)])
    return replace(record, turns=(*record.turns, Turn(seat, cards)))


def ended_early(rng: random.Random, record: Record, at: Followed) -> Record | None:
    return replace(record, turns=record.turns[: rng.randrange(len(record.turns))])


def wrong_payoffs(rng: random.Random, record: Record, at: Followed) -> Record | None:
    payoffs = list(record.payoffs or ())
    one, other = rng.sample(range(record.players), 2)
    payoffs[one] += 1
    payoffs[other] -= 1
    return replace(record, payoffs=tuple(payoffs))


def inflated_payoffs(rng: random.Random, record: Record, at: Followed) -> Record | None:
    return replace(record, payoffs=tuple(2 * payoff for payoff in record.payoffs or ()))


# mutation -> the faults that it may be; None: any that the judge finds, or none
MUTATIONS: dict[Mutation, tuple[str, ...] | None] = {
    swapped: None,
    dropped: None,
    doubled: None,
    any_cards: None,
    wrong_seat: ("wrong_seat", "locked_out"),
    other_leads: ("wrong_seat",),
    not_held: ("not_held",),
    played_before: ("played_before",),
    card_twice: ("card_twice",),
    passed_on_lead: ("pass_on_lead",),
    no_combination: ("no_combination",),
    too_weak: ("does_not_beat",),
    wrong_opening: ("opening_card",),
    locked_out: ("locked_out",),
    last_card: ("last_card",),
    after_the_end: ("after_the_end",),
    ended_early: ("ended_early",),
    wrong_payoffs: ("payoffs",),
    inflated_payoffs: ("payoffs",),
}


def mutated(
    rng: random.Random, records: Sequence[Record], times: int
) -> Iterator[tuple[Mutation, Record]]:
    """Each mutation so often, each time of a random record that has a place for it."""
    followed = {id(record): follow(record) for record in records}
    for mutation in MUTATIONS:
        made = 0
        for record in rng.sample(records, len(records)):
            found = mutation(rng, record, followed[id(record)])
            if found is not None and made < times:
                made += 1
                yield mutation, found


def written_passes(record: Record) -> Record:
    """The same record with the passes of locked-out seats written out."""
    turns: list[Turn] = []
    cursor = record.turns[0].seat or 0
    for turn in record.turns:
        while cursor != turn.seat:
            turns.append(Turn(cursor, ()))
            cursor = (cursor + 1) % record.players
        turns.append(turn)
        cursor = (cursor + 1) % record.players
    return replace(record, turns=tuple(turns))


def without_seats(record: Record) -> Record:
    """The same record with turns that name no seats."""
    return replace(record, turns=tuple(Turn(None, cards) for _, cards in record.turns))
