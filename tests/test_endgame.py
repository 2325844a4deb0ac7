"""Guards the endgame search: against max^n written with the reference, on small hands."""

import random

import numpy as np
import pytest

import analyses
import simcore
from simcore.foundation.jit import kernel, records
from simcore.game.groups import PLAY
from simcore.game.ruleset import load_rules
from simcore.game.seatings import PLANS
from simcore.game.turns import STATE, start_state
from simcore.strategies.endgame import DEPTH, WIDTH, played_seats, solve
from simcore.strategies.interface import VIEW
from tests import reference
from tests.support import EXACT, kernel_classify, mask_of, reference_rules, table


def best_play(
    rules: reference.Rules,
    hands: list[list[str]],
    seat: int,
    starter: int,
    standing: tuple[str, ...] | None,
    by: int,
    locked: frozenset[int],
    played: frozenset[int],
    let_out: int | None = None,
) -> list[int]:
    """Payoffs when every seat plays for its own; the first of equal plays, out if it can."""
    players = len(hands)
    if seat == by:
        standing, locked = None, frozenset()
    next_left = len(hands[(seat + 1) % players])
    plays = reference.legal_plays(rules, hands[seat], standing, None, next_left)
    for cards, _ in plays:
        if len(cards) == len(hands[seat]):
            left = [[] if s == seat else hand for s, hand in enumerate(hands)]
            slam = seat == starter and played <= {seat}
            payer = let_out if let_out == (seat - 1) % players else None
            return reference.payoffs(rules, seat, left, cards, slam, payer=payer)
    best: list[int] | None = None
    passing = reference.may_pass(rules, hands[seat], standing, next_left)
    options = [cards for cards, _ in plays] + ([()] if passing else [])
    for cards in options:
        out = locked
        if not cards and standing is not None and len(standing) in rules.passing_locks_on:
            out = locked | {seat}
        after = (seat + 1) % players
        while after in out:
            after = (after + 1) % players
        left = [list(hand) for hand in hands]
        left[seat] = [card for card in left[seat] if card not in cards]
        found = best_play(
            rules, left, after, starter, cards or standing, seat if cards else by, out,
            played | {seat} if cards else played,
            seat if reference.lets_out(rules, hands[seat], standing, next_left, cards) else None,
        )  # fmt: skip
        if best is None or found[seat] > best[seat]:
            best = found
    assert best is not None
    return best


LAST_CARD = ("maceplay:last_card.pays=true", "lockout:last_card.no_pass=true")


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("name", [*EXACT, *LAST_CARD])
def test_the_search_finds_the_best_play_for_everybody(name: str, players: int) -> None:
    rules = reference_rules(load_rules(name))
    rng = random.Random(f"endgame {name} {players}")
    plays, values = records(PLAY, WIDTH), np.zeros((DEPTH, 4), np.int64)
    states = records(STATE, DEPTH)
    for _ in range(40):
        ranks = rng.sample(reference.RANKS, 6)
        deck = [card for card in reference.full_deck(rules) if card[0] in ranks]
        rng.shuffle(deck)
        sizes = [rng.randint(1, 3) for _ in range(players)]
        if rng.random() < 0.3:
            sizes = [5, *([1] * (players - 1))]
        hands = [[deck.pop() for _ in range(size)] for size in sizes]
        seat, starter = rng.randrange(players), rng.randrange(players)
        standing, by = None, -1
        if rng.random() < 0.6:
            by = rng.choice([s for s in range(players) if s != seat])
            standing = (deck.pop(),)
        played = frozenset(s for s in range(players) if rng.random() < 0.5 or s == by)
        wanted = best_play(rules, hands, seat, starter, standing, by, frozenset(), played)
        kind, strength = 0, 0
        if standing is not None:
            kind, strength = 1, kernel_classify(name, mask_of(rules.suits, standing))[1]
        masks = np.array([mask_of(rules.suits, hand) for hand in hands], np.int64)
        start_state(states[0], starter, 0)
        states[0].seat, states[0].played = seat, sum(1 << s for s in played)
        states[0].kind, states[0].strength, states[0].by = kind, strength, by
        nodes = np.int64(10**7)
        left = solve(table(name), players, masks, states, 0, 0, plays, values, nodes)
        assert left >= 0
        assert values[0, :players].tolist() == wanted, (hands, seat, standing)
        assert [mask_of(rules.suits, hand) for hand in hands] == masks.tolist()


def test_a_search_that_is_too_long_says_so() -> None:
    plays, values = records(PLAY, WIDTH), np.zeros((DEPTH, 4), np.int64)
    states = records(STATE, DEPTH)
    masks = np.array([0b1111, 0b11110000, 0b111100000000], np.int64) << 4
    nodes = np.int64(20)
    start_state(states[0], 0, 0)
    assert solve(table("royal"), 3, masks, states, 0, 0, plays, values, nodes) < 0


@kernel
def _played(view):  # type: ignore[no-untyped-def]
    return played_seats(view)


@pytest.mark.parametrize(
    ("name", "players", "left", "fresh", "starter", "wanted"),
    [
        ("douque", 4, [13, 13, 12, 13], 1, 0, 0b0100),
        ("douque", 4, [12, 13, 13, 13], 0, 2, 0b0001),
        ("lockout", 3, [17, 18, 17], 1, 1, 0b000),
        ("lockout", 3, [17, 17, 16], 0, 1, 0b111),
        ("royal:deal=13", 3, [13, 13, 5], 1, 1, 0b100),
    ],
)
def test_who_has_played_follows_from_the_numbers_of_cards(
    name: str, players: int, left: list[int], fresh: int, starter: int, wanted: int
) -> None:
    view = records(VIEW, 1)
    view[0].rules = table(name)
    view[0].players, view[0].fresh, view[0].starter = players, fresh, starter
    view[0].first_hand = 1
    view[0].cards_left[:players] = left
    assert _played(view[0]) == wanted


@pytest.mark.parametrize("name", EXACT)
def test_control_may_solve_the_end(name: str) -> None:
    """It plays differently then, now and then, and not worse beyond four standard errors."""
    lineup = ["control:solve=10", "control", "control:solve=10", "control"]
    run = simcore.simulate(name, lineup, 1500, seed=3, seatings=PLANS[2], summary_only=True)
    row = analyses.strategy_table(run.summary).iloc[0]
    error = (row["payoff_high"] - row["payoff_low"]) / 2 / 1.96
    assert error > 0 and row["payoff"] > -4 * error


def test_a_solved_end_is_the_same_choice_on_the_same_stream() -> None:
    first = simcore.replay("royal", "control:solve=12:draws=5", 9, 4)
    assert first == simcore.replay("royal", "control:solve=12:draws=5", 9, 4)
