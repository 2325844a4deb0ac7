"""Least number of plays: against brute force, against published means; the strategies on top."""

import math
import random
from functools import cache

import numpy as np
import pytest

import analyses
from simcore import load_rules, simulate
from simcore.foundation.bits import gather_bits
from simcore.foundation.jit import records
from simcore.game.groups import PLAY
from simcore.game.plays import buffer_size
from simcore.game.rule_table import rule_table
from simcore.game.ruleset import rule_set_names
from simcore.game.seatings import PLANS
from simcore.strategies import partition
from tests import reference
from tests.support import cards_of, reference_rules


def least_plays(rules: str, hand: int, part: int | None = None) -> int:
    """The kernel's answer for a hand, or for a part of it when the hand is known already."""
    cards = hand.bit_count()
    groups = records(PLAY, buffer_size(cards))
    members, places, costs = (np.zeros(len(groups), np.int64) for _ in range(3))
    starts, known = np.zeros(cards + 1, np.int64), np.zeros(1 << cards, np.int16)
    table = rule_table(load_rules(rules))[0]
    found = partition.least_plays(table, hand, groups, members, places, starts, costs, known)
    if part is not None:
        subset = gather_bits(part, hand)
        found = partition.least_cost(subset, members, starts, costs, known)
    return int(found)


def by_brute_force(rules: reference.Rules, hand: tuple[str, ...]) -> int:
    """Try every group that holds the first card, with the reference's plays."""
    groups = [frozenset(play) for play, _ in reference.legal_plays(rules, list(hand))]

    @cache
    def least(left: frozenset[str]) -> int:
        if not left:
            return 0
        card = min(left)
        return 1 + min(least(left - g) for g in groups if card in g and g <= left)

    return least(frozenset(hand))


@pytest.mark.parametrize("name", rule_set_names())
def test_least_plays_are_those_of_brute_force(name: str) -> None:
    rng = random.Random(name)
    suits = load_rules(name).suits
    for number in range(150):
        ranks = rng.sample(range(13), rng.choice([3, 4, 5, 13]))
        deck = [4 * r + s for r in ranks for s in range(4)]
        hand = sum(1 << c for c in rng.sample(deck, min(len(deck), rng.randint(1, 10))))
        cards = cards_of(suits, hand)
        assert least_plays(name, hand) == by_brute_force(
            reference_rules(load_rules(name)), cards
        ), (
            number,
            cards,
        )
        part = sum(1 << c for c in range(52) if hand >> c & 1 and rng.random() < 0.6)
        alone = least_plays(name, part) if part else 0
        assert least_plays(name, hand, part) == alone, "a subset's answer is its own hand's"


@pytest.mark.parametrize(
    ("name", "mean", "deviation"),
    [("maceplay", 6.41212, 1.443), ("douque", 7.14014, 1.412), ("lockout", 7.14014, 1.412)],
)
def test_mean_over_random_hands_is_the_published_one(
    name: str, mean: float, deviation: float
) -> None:
    """2,000 hands of 13 cards; |z| < 4, a false alarm in 16,000."""
    rng = random.Random(6412)
    found = [least_plays(name, sum(1 << c for c in rng.sample(range(52), 13))) for _ in range(2000)]
    z = (sum(found) / len(found) - mean) / (deviation / math.sqrt(len(found)))
    assert abs(z) < 4, f"mean {sum(found) / len(found):.4f}, z {z:.2f}"


LADDER = [
    *(("keep", "dump"), ("minplays", "keep"), ("smart", "minplays"), ("linear", "smart")),
    ("control", "linear"),
]


@pytest.mark.parametrize(("better", "worse"), LADDER)
@pytest.mark.parametrize("name", ["douque", "maceplay", "lockout", "royal"])
def test_each_step_of_the_ladder_beats_the_one_below(name: str, better: str, worse: str) -> None:
    """Two against two, by payoff; keep in douque by win rate, its payoff is even."""
    lineup = f"{better},{worse},{better},{worse}"
    deals = 20_000 if (name, better) == ("douque", "control") else 6000  # the smallest step
    run = simulate(name, lineup, deals, seed=11, seatings=PLANS[2], summary_only=True)
    row = analyses.strategy_table(run.summary).set_index("strategy").loc[better]
    if (name, better) == ("douque", "keep"):
        assert row["win_rate_low"] > 0.25
    else:
        assert row["payoff_low"] > 0


@pytest.mark.parametrize("name", rule_set_names())
def test_the_ladder_plays_every_rule_set_and_table_size(name: str) -> None:
    for players in load_rules(name).players:
        lineup = ["smart", "control", "linear", "minplays"][:players]
        run = simulate(name, lineup, 30, seed=5, summary_only=True)
        assert run.summary.n_deals == 30


@pytest.mark.parametrize(
    "strategy", ["minplays", "smart", "control", "linear", "rollout:samples=9"]
)
def test_hands_of_26_cards(strategy: str) -> None:
    """Two players with every card: too many subsets for the exact partition."""
    run = simulate("hongkong:deal=all", [strategy, "dump"], 4, seed=5, summary_only=True)
    assert run.summary.n_deals == 4
