"""Guards `simcore.settlement`: the items of every seat add up to its payoff."""

import random

import pytest

from simcore import load_rules, payoffs
from simcore.game.ruleset import RuleSet
from simcore.records.rules import rule_keys, rules_of
from simcore.settlement import explain
from tests import reference
from tests.support import RULE_SETS, reference_rules


def points_house(rng: random.Random, base: str) -> RuleSet:
    """A rule set whose items add points too, settled by winner or by pairs."""
    keys = rule_keys(load_rules(base))
    for item in ("two_left", "finish_two", "finish_opening_card", "grand_slam"):
        keys[f"payoff.{item}"] = {"times": rng.choice((1, 2, 3)), "points": rng.choice((0, 5))}
    keys["payoff.settlement"] = rng.choice(("pairwise", "winner_takes"))
    return rules_of(keys)


def test_items_add_up_to_the_payoffs() -> None:
    """On random ends of every rule set and house rule, every number of players and stake."""
    rng = random.Random(14)
    ends = 0
    for round_ in range(60):
        for name in RULE_SETS:
            rules = load_rules(name) if round_ % 2 else points_house(rng, name)
            known = reference_rules(rules)
            players, stake = rng.choice(rules.players), rng.choice((1, 1, 3))
            deck = reference.full_deck(known)
            rng.shuffle(deck)
            plays = [play for play, _ in reference.legal_plays(known, deck[:13], fresh=True)]
            last, deck = rng.choice(plays), deck[13:]
            winner = rng.randrange(players)
            left: list[list[str]] = [[] for _ in range(players)]
            for seat in range(players):
                if seat != winner:
                    number = rng.randint(1, 13)
                    left[seat], deck = deck[:number], deck[number:]
            slam = rng.random() < 0.2
            items = explain(rules, winner, left, last, slam, stake)
            sums = [0] * players
            for item in items:
                sums[item.seat] += item.points
                assert item.why and (item.points or item.item in ("tier", "from", "stake"))
            assert sums == payoffs(rules, winner, left, last, slam, stake)
            ends += 1
    assert ends == 60 * len(RULE_SETS)


def test_the_items_of_a_bad_end() -> None:
    """Nine cards with two 2s against a last play with a 2, in douque."""
    left: list[str] = ["", "3c 4c 5c 6d 7d 8d 9d 2c 2d", "3d", "4d"]
    items = [i for i in explain("douque", 0, left, "2h 2s", stake=10) if i.seat == 1]
    assert [(i.item, i.times, i.points) for i in items] == [
        ("cards_left", 1, -9), ("tier", 2, -9), ("two_left", 4, -54), ("finish_two", 4, -216),
        ("stake", 10, -2592),
    ]  # fmt: skip
    assert sum(i.points for i in items) == -2880


@pytest.mark.parametrize("settlement", ["winner_takes", "pairwise"])
def test_who_pays_whom(settlement: str) -> None:
    rules = f"maceplay:payoff.settlement={settlement}"
    found = [(i.seat, i.item, i.points) for i in explain(rules, 0, ["", "3c", "3d 4d", "5d"], "2s")]
    if settlement == "winner_takes":
        assert found == [
            (0, "from", 1), (0, "from", 2), (0, "from", 1),
            (1, "cards_left", -1), (2, "cards_left", -2), (3, "cards_left", -1),
        ]  # fmt: skip
    else:
        assert [entry for entry in found if entry[0] == 2] == [
            (2, "cards_left", -2), (2, "to_each", -4), (2, "from", 1), (2, "from", 1),
        ]  # fmt: skip
