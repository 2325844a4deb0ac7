"""Guards the list of legal plays: always the reference's list, in the same order, nothing else.

Positions are random and nasty: hands full of pairs, of one suit, of consecutive ranks, 4-4-4-1,
Dragons; tables of every kind; opening card, last-card rule, fresh or not; one to eighteen cards.
"""

import random
from collections.abc import Iterator
from itertools import combinations, islice
from typing import Any

import pytest

from simcore.foundation.jit import records
from simcore.game import plays as kernels
from simcore.game.groups import PLAY
from simcore.game.kinds import KINDS
from simcore.game.ruleset import RuleSet, load_rules
from tests import reference
from tests.positions import Position, dragon, positions, tables
from tests.reference import RANKS, Rules
from tests.support import (
    BUFFER,
    RULE_SETS,
    cards_of,
    kernel_classify,
    kernel_plays,
    mask_of,
    random_house_rules,
    reference_rules,
    table,
)

POSITIONS = 20_000
# The comparison


def expected(rules: Rules, at: Position, **options: Any) -> list[tuple[int, str]]:
    """The reference's list as (mask, kind), the pass behind it."""
    plays = reference.legal_plays(
        rules, at.hand, at.to_beat, at.must_include, at.next_left, at.fresh, **options
    )
    listed = [(mask_of(rules.suits, cards), kind) for cards, kind in plays]
    passes = reference.may_pass(rules, at.hand, at.to_beat, at.next_left)
    return [*listed, (0, "pass")] if passes else listed


def found(rules: str | RuleSet, suits: str, at: Position) -> list[tuple[int, str, int]]:
    """What the kernel lists."""
    kind, strength = "pass", 0
    if at.to_beat is not None:
        kind, strength = kernel_classify(rules, mask_of(suits, at.to_beat))
    return kernel_plays(
        table(rules),
        mask_of(suits, at.hand),
        KINDS.index(kind),
        strength,
        0 if at.must_include is None else mask_of(suits, [at.must_include]),
        at.next_left or 0,
        at.fresh,
    )


def check(rules: str | RuleSet, theirs: Rules, at: Position, **options: Any) -> int:
    """Kernel and reference give the same list; returns its length."""
    ours = found(rules, theirs.suits, at)
    assert [play[:2] for play in ours] == expected(theirs, at, **options), at
    return len(ours)


@pytest.mark.parametrize("name", RULE_SETS)
def test_legal_plays_are_the_reference_s_list(name: str) -> None:
    rules = reference.RULES[name]
    rng = random.Random(f"{name} 1")
    lengths = [check(name, rules, at) for at in islice(positions(rules, rng), POSITIONS)]
    assert max(lengths) >= 150
    assert lengths.count(1) > POSITIONS / 20  # nothing but the pass


@pytest.mark.parametrize("name", RULE_SETS)
def test_legal_plays_are_every_subset_that_classify_and_beats_accept(name: str) -> None:
    """The definition itself, 60 positions: all subsets, filtered."""
    rules = reference.RULES[name]
    rng = random.Random(f"{name} 2")
    wide = (at for at in positions(rules, rng) if 5 <= len(at.hand) <= 13)
    for at in islice(wide, 60):
        check(name, rules, at, candidates=reference.by_definition)


def test_legal_plays_of_random_house_rules_are_the_reference_s_list() -> None:
    """Sixty rule sets that nobody plays, 150 positions each."""
    rng = random.Random(3)
    for number in range(60):
        rules = random_house_rules(rng, number)
        theirs = reference_rules(rules)
        for at in islice(positions(theirs, rng), 150):
            check(rules, theirs, at)


# Named positions


def named_positions(rules: Rules) -> Iterator[Position]:
    """Each straight and each bomb against each kind of table; openings; last cards; Dragons."""
    deck = reference.full_deck(rules)
    low, high = rules.suits[0], rules.suits[3]
    hands = [
        tuple(rank + rules.suits[i % 4] for i, rank in enumerate(sequence))
        for sequence, _ in rules.straights_order
    ]
    hands += [tuple(rank + suit for rank in "JQKA2") for suit in rules.suits]  # no straight flush
    hands += [
        tuple(rank + suit for rank in seq)
        for seq, _ in rules.straights_order
        for suit in low + high
    ]
    hands += [(*(rank + suit for suit in rules.suits), deck[20]) for rank in "34A2"]
    hands += [tuple(rank + suit for suit in rules.suits) for rank in "3K2"]  # no fifth card
    hands += [tuple(rank + suit for rank in RANKS) for suit in rules.suits]
    hands += [tuple(deck[i : i + n]) for n in (13, 17, 18) for i in (0, 9, 34)]
    hands += [tuple(deck[card] for card in dragon(random.Random(n))) for n in range(4)]
    standing = {
        kind: sorted(set(plays))[:: max(1, len(plays) // 4)]
        for kind, plays in tables(rules).items()
    }
    for hand in hands:
        for fresh in (False, True):
            yield Position(hand, fresh=fresh)
        yield Position(hand, must_include=hand[0], fresh=True)
        yield Position(hand, next_left=1)
        for plays in standing.values():
            for to_beat in plays:
                if set(hand).isdisjoint(to_beat):
                    yield Position(hand, to_beat, next_left=1)
                    yield Position(hand, to_beat, next_left=2, fresh=True)


@pytest.mark.parametrize("name", RULE_SETS)
def test_legal_plays_of_named_positions(name: str) -> None:
    rules = reference.RULES[name]
    assert sum(check(name, rules, at) > 0 for at in named_positions(rules)) > 500


def leads(name: str, hand: str, **options: Any) -> list[str]:
    suits = reference.RULES[name].suits
    at = Position(tuple(hand.split()), **options)
    return [kind for _, kind, _ in found(name, suits, at)]


def test_the_opening_card_must_be_in_the_first_play() -> None:
    assert leads("maceplay", "3c 3d 4c", must_include="3c") == ["single", "pair"]
    assert leads("maceplay", "3c 4c 5c 6c 7c 9c", must_include="3c").count("flush") == 4
    assert leads("maceplay", "3d 4c", must_include="3c") == []


def test_a_single_must_be_the_highest_card_when_the_next_seat_has_one() -> None:
    def singles(name: str, **options: Any) -> list[str]:
        at = Position(("4c", "4d", "9s"), **options)
        return [
            cards_of("cdhs", mask)[0]
            for mask, kind, _ in found(name, "cdhs", at)
            if kind == "single"
        ]

    assert singles("lockout", next_left=1) == ["9s"]
    assert singles("lockout", next_left=2) == ["4c", "4d", "9s"]
    assert singles("lockout", next_left=1, to_beat=("5c",)) == ["9s"]
    assert singles("lockout", next_left=1, to_beat=("Tc",)) == []
    assert singles("maceplay", next_left=1) == ["4c", "4d", "9s"]
    assert leads("lockout", "4c 4d 9s", next_left=1) == ["single", "pair"]


def test_a_dragon_needs_a_fresh_hand_of_thirteen_ranks() -> None:
    hand = "3c 4d 5h 6s 7c 8d 9h Ts Jc Qd Kh As 2c"
    assert leads("douque", hand, fresh=True)[-1] == "dragon"
    assert "dragon" not in leads("douque", hand)
    assert leads("douque", hand, fresh=True, to_beat=("2s",)) == ["dragon", "pass"]
    suited = " ".join(rank + "h" for rank in RANKS)
    assert leads("douque", suited, fresh=True)[-1] == "flush_dragon"
    assert "dragon" not in leads("lockout", hand, fresh=True)


def test_nothing_beats_a_dragon() -> None:
    standing = ("3c", "4d", "5h", "6s", "7c", "8d", "9h", "Ts", "Jc", "Qd", "Kh", "As", "2c")
    hand = "3d 4c 5c 6c 7d 8c 9c Tc Jd Qc Kc Ac 2d"
    assert leads("douque", hand, fresh=True, to_beat=standing) == ["pass"]


# Buffers


@pytest.mark.parametrize(
    ("name", "plays"),
    [("maceplay", 1_300), ("royal", 1_300), ("hongkong", 1_300), ("douque", 23), ("lockout", 23)],
)
def test_number_of_leads_of_thirteen_cards_of_one_suit(name: str, plays: int) -> None:
    """1,287 five-card subsets and thirteen singles; without flushes ten straight flushes."""
    suits = reference.RULES[name].suits
    for suit in suits:
        hand = tuple(rank + suit for rank in RANKS)
        assert len(found(name, suits, Position(hand))) == plays


def widest_hands(size: int) -> Iterator[int]:
    """Hands with as many plays as they come: long suits, all of a rank, consecutive ranks."""
    every = range(52)
    yield sum(1 << card for card in sorted(every, key=lambda card: (card % 4, card))[:size])
    yield sum(1 << card for card in every[:size])
    yield sum(1 << card for card in every[-size:])
    rng = random.Random(size)
    for _ in range(30):
        ranks = rng.sample(range(13), 13)
        suits = rng.sample(range(4), 4)
        order = sorted(every, key=lambda card: (suits.index(card % 4) // 2, ranks.index(card // 4)))
        yield sum(1 << card for card in order[:size])


@pytest.mark.parametrize("size", [1, 2, 5, 13, 17, 18, 26])
def test_no_hand_overflows_its_buffer(size: int) -> None:
    """The records behind the promised size keep what was written there before."""
    rng = random.Random(4)
    length = kernels.buffer_size(size)
    buffer = records(PLAY, length + 5_000)
    house = [random_house_rules(rng, number) for number in range(12)]
    for rules in (*map(load_rules, RULE_SETS), *house):
        for hand in widest_hands(size):
            buffer.mask[length:] = -7
            n = kernels.legal_plays(table(rules), hand, 0, 0, 0, 0, True, buffer[:length])
            assert n <= length
            assert (buffer.mask[length:] == -7).all()


def test_the_buffer_size_is_the_number_of_small_subsets_and_a_pass() -> None:
    for size in (5, 13, 18):
        subsets = sum(1 for k in range(1, 6) for _ in combinations(range(size), k))
        assert kernels.buffer_size(size) >= subsets + 1


# Kinds one by one


def as_list(n: int, start: int = 0) -> list[tuple[int, int, int]]:
    plays = BUFFER[start:n]
    return list(zip(plays.mask.tolist(), plays.kind.tolist(), plays.strength.tolist(), strict=True))


def check_one_kind(record: Any, hand: int, kind: int, above: int, rng: random.Random) -> int:
    """Listing with any limit, counting, and the weakest play agree with the whole list."""
    full = as_list(kernels.list_kind(record, hand, kind, above, BUFFER, 0, 1 << 40))
    assert all(k == kind and strength > above for _, k, strength in full)
    assert kernels.count_kind(record, hand, kind, above, BUFFER) == len(full)
    first = (full[0][0], full[0][2]) if full else (0, 0)
    assert tuple(kernels.weakest_of_kind(record, hand, kind, above, BUFFER)) == first
    for limit in (1, 2, rng.randrange(1, len(full) + 3)):
        n = kernels.list_kind(record, hand, kind, above, BUFFER, 0, limit)
        assert as_list(n) == full[:limit]
    BUFFER.mask[:3] = -7
    n = kernels.list_kind(record, hand, kind, above, BUFFER, 3, 3 + limit)
    assert as_list(n, 3) == full[:limit]
    assert (BUFFER.mask[:3] == -7).all()
    return len(full)


def check_kinds(rules: str | RuleSet, theirs: Rules, at: Position, rng: random.Random) -> None:
    record, hand = table(rules), mask_of(theirs.suits, at.hand)
    every = kernel_plays(record, hand, fresh=True)
    total = 0
    for kind in load_rules(rules).kinds_allowed:
        number = KINDS.index(kind)
        total += check_one_kind(record, hand, number, -1, rng)
        strengths = [strength for _, k, strength in every if k == kind]
        if strengths and kind not in ("dragon", "flush_dragon"):
            check_one_kind(record, hand, number, rng.choice(strengths) - rng.choice((0, 1)), rng)
    assert total == len(every)


@pytest.mark.parametrize("name", RULE_SETS)
def test_limits_counts_and_weakest_plays_agree_with_the_full_list(name: str) -> None:
    rules = reference.RULES[name]
    rng = random.Random(f"{name} 3")
    for at in islice(positions(rules, rng), 400):
        check_kinds(name, rules, at, rng)


def test_limits_counts_and_weakest_plays_agree_under_random_house_rules() -> None:
    rng = random.Random(6)
    for number in range(30):
        rules = random_house_rules(rng, number)
        theirs = reference_rules(rules)
        for at in islice(positions(theirs, rng), 40):
            check_kinds(rules, theirs, at, rng)
