"""Guards whole playouts: turn by turn against the reference, and laws that hold for every deal."""

import random
from collections.abc import Iterator
from itertools import permutations

import pytest

from simcore.game.kinds import KINDS
from simcore.game.ruleset import load_rules
from simcore.simulation.replay import Replay, replay_setup
from simcore.simulation.setup import Setup, Workspace, make_setup
from simcore.strategies.registry import BUILT_IN
from tests import reference, reference_playout
from tests.reference import RANKS, Rules
from tests.reference_playout import STRATEGIES, Playout
from tests.support import (
    RULE_SETS,
    TABLES,
    cards,
    follow,
    play_hands,
    playable_house_rules,
    reference_rules,
)

LINEUPS = [
    *([name] * 4 for name in BUILT_IN),
    ["random", "lowest", "highest", "dump"],
    ["dump", "timeout", "lowest", "random"],
    ["highest", "dump", "timeout", "lowest"],
    ["lowest", "random", "random", "highest"],
]


def by_reference(
    rules: Rules,
    hands: list[list[str]],
    lineup: list[str],
    turns: list[tuple[int, tuple[str, ...], str]],
    number: int = 0,
    before: int | None = None,
) -> Playout:
    """The same deal by the reference; it follows `turns` where a strategy draws numbers.

    number, before: as in `reference_playout.begin`; a starter that is drawn is that of `turns`.
    """
    starter, must_include = reference_playout.begin(rules, hands, number, before)
    starter = turns[0][0] if starter is None else starter
    choose = [STRATEGIES.get(name, follow(turns)) for name in lineup]
    return reference_playout.play_out(rules, hands, starter, must_include, choose)


def turns_of(replay: Replay) -> list[tuple[int, tuple[str, ...], str]]:
    return [(turn["seat"], tuple(turn["cards"]), turn["kind"]) for turn in replay.turns]


def check_against_reference(setup: Setup, rules: Rules, deal: int, seating: int = 0) -> Playout:
    """Every turn and every number of one playout."""
    replay = replay_setup(setup, deal, seating)
    turns = turns_of(replay)
    lineup = [replay.lineup[slot] for slot in replay.slots]
    number = deal % rules.session_hands
    before = replay_setup(setup, deal - 1, seating).winner if number else None
    wanted = by_reference(rules, replay.hands, lineup, turns, number, before)
    where = (setup.rules.name, setup.seed, deal, lineup)
    assert turns == [(turn.seat, turn.cards, turn.kind) for turn in wanted.turns], where
    assert replay.starter == wanted.starter, where
    assert replay.winner == wanted.winner, where
    assert tuple(replay.cards_left) == wanted.cards_left, where
    assert tuple(replay.payoffs) == wanted.payoffs, where
    assert replay.payer == wanted.payer, where
    return wanted


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_playouts_are_the_reference_s_turn_by_turn(name: str, players: int) -> None:
    """Every strategy alone and mixed, three seeds; `random` is refereed by the reference."""
    rules = reference_rules(load_rules(name))
    for lineup in LINEUPS:
        for seed in (0, 1, 2**64 - 1):
            setup = make_setup(name, lineup[:players], seed, players)
            for deal in (0, 2**40):
                check_against_reference(setup, rules, deal)


@pytest.mark.parametrize(("name", "players"), [("douque", 4), ("lockout", 3), ("royal", 3)])
def test_the_rows_of_a_block_are_the_reference_s(name: str, players: int) -> None:
    """Every column, in every seating."""
    lineup = ["random", "lowest", "dump", "highest"][:players]
    setup = make_setup(name, lineup, 5, players, "all")
    rows = Workspace(setup).play(0, 3)
    rules = reference.RULES[name]
    assert len(rows) == 3 * len(list(permutations(range(players))))
    for row in range(len(rows)):
        seating = int(rows["seating"][row])
        wanted = check_against_reference(setup, rules, int(rows.deals[row]), seating)
        assert rows["starter"][row] == wanted.starter
        assert rows["winner"][row] == wanted.winner
        assert KINDS[rows["last_kind"][row]] == wanted.last_kind
        counted = (wanted.plays, wanted.passes, wanted.tricks)
        assert tuple(rows[name][row] for name in ("plays", "passes", "tricks")) == counted
        assert rows["winner_multiplier"][row] == wanted.winner_multiplier
        assert tuple(rows["payoff"][:, row]) == wanted.payoffs
        assert tuple(rows["cards_left"][:, row]) == wanted.cards_left
        if "leftovers" in setup.needed:
            assert tuple(rows["twos_left"][:, row]) == wanted.twos_left
            assert tuple(rows["monster_left"][:, row] != 0) == wanted.monster_left


def test_playouts_of_random_house_rules_are_the_reference_s() -> None:
    """Forty rule sets that nobody plays."""
    rng = random.Random(11)
    for number in range(40):
        rules = playable_house_rules(rng, number)
        players = rng.choice((2, 3, 4))
        lineup = rng.choice(LINEUPS)[:players]
        setup = make_setup(rules, lineup, number, players)
        for deal in range(4):
            check_against_reference(setup, reference_rules(rules), deal)


# Deals that chance does not bring


def nasty_deals(rules: Rules, rng: random.Random) -> Iterator[list[list[str]]]:
    """Dragons, Flush Dragons, four of a kind everywhere, one suit each, few cards each."""
    deck = reference.full_deck(rules)
    in_suit = [[rank + suit for rank in RANKS] for suit in rules.suits]
    yield in_suit
    yield in_suit[::-1]
    for _ in range(4):  # four Dragons
        orders = [rng.sample(rules.suits, 4) for _ in RANKS]
        yield [
            [rank + order[s] for rank, order in zip(RANKS, orders, strict=True)] for s in range(4)
        ]
    swapped = [list(hand) for hand in in_suit]  # three Dragons and a hand with a pair
    swapped[0][0], swapped[1][1] = swapped[1][1], swapped[0][0]
    yield swapped
    for _ in range(12):  # as many fours as possible
        ranks = rng.sample(RANKS, 13)
        hands = [
            [rank + suit for rank in ranks[i : i + 3] for suit in rules.suits] for i in (0, 3, 6, 9)
        ]
        for hand, suit in zip(hands, rules.suits, strict=True):
            hand.append(ranks[12] + suit)
        yield hands
    for size in (1, 2, 3, 5, 6):
        for _ in range(8):
            chosen = rng.sample(deck, 4 * size)
            yield [chosen[i * size : (i + 1) * size] for i in range(4)]
    for step in range(24):  # low and high ranks apart, with more or less of a mixture
        order = sorted(deck, key=lambda c: RANKS.index(c[0]) // 7 + rng.random() * step / 12)
        yield [order[i * 13 : (i + 1) * 13] for i in range(4)]


@pytest.mark.parametrize("name", RULE_SETS)
def test_playouts_of_nasty_deals_are_the_reference_s(name: str) -> None:
    rules = reference.RULES[name]
    rng = random.Random(12)
    kinds = set()
    for hands in nasty_deals(rules, rng):
        opening = reference_playout.opening_card_in_play(rules, hands)
        starter = next(seat for seat, hand in enumerate(hands) if opening in hand)
        lineup = rng.choice(LINEUPS)
        must_include = opening if rules.opening_must_include else None
        for listed in (False, True):
            ours = play_hands(name, hands, starter, must_include, lineup, listed, seed=3)
            theirs = by_reference(rules, hands, lineup, ours.turns)
            assert ours.turns == [(t.seat, t.cards, t.kind) for t in theirs.turns], hands
            assert (ours.winner, ours.plays) == (theirs.winner, theirs.plays)
            assert (ours.passes, ours.tricks) == (theirs.passes, theirs.tricks)
            assert (ours.last_kind, ours.grand_slam) == (theirs.last_kind, theirs.grand_slam)
        kinds.update(kind for _, _, kind in ours.turns)
    assert kinds - {"pass"} == rules.kinds_allowed


def test_a_dragon_may_follow_but_not_after_a_first_play() -> None:
    """The Dragon of seat 1 goes on a single; held back by `timeout`, it is never playable again."""
    dragon = cards("3d 4c 5h 6s 7c 8d 9h Ts Jc Qd Kh As 2c")
    rest = [card for card in reference.full_deck(reference.RULES["douque"]) if card not in dragon]
    hands = [rest[:13], dragon, rest[13:26], rest[26:]]
    played = play_hands("douque", hands, 0, None, "lowest")
    assert played.turns[1] == (1, tuple(dragon), "dragon")
    assert (played.winner, played.plays, played.grand_slam) == (1, 2, False)
    late = play_hands("douque", hands, 1, None, "lowest,timeout,timeout,timeout")
    assert all(kind != "dragon" for _, _, kind in late.turns)
