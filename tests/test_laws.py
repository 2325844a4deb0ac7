"""Guards laws that hold for every playout, and the address that a playout depends on alone."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

import simcore
from simcore.columns import ROW
from simcore.game.ruleset import RuleSet, load_rules
from simcore.simulation.replay import replay_setup
from simcore.simulation.setup import Workspace, make_setup
from tests import reference_playout
from tests.support import (
    RULE_SETS,
    TABLES,
    opening_of,
    play_hands,
    reference_rules,
    same_rows,
    z_of_counts,
)

# Laws of every playout


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_invariants_of_twenty_thousand_playouts(name: str, players: int) -> None:
    """Zero-sum, one winner, every card accounted for, plays and tricks in proportion."""
    lineup = ["random", "lowest", "dump", "highest"][:players]
    setup = make_setup(name, lineup, 21, players)
    rows = Workspace(setup).play(0, 20_000 // setup.seatings_per_deal + 1)
    assert len(rows) >= 20_000
    payoff = rows["payoff"].astype(np.int64)
    left = rows["cards_left"]
    winner, starter = rows["winner"], rows["starter"]
    plays, passes, tricks = rows["plays"], rows["passes"], rows["tricks"]
    each = np.arange(len(rows))
    assert (payoff.sum(axis=0) == 0).all()
    assert (left[winner, each] == 0).all()
    assert ((left == 0).sum(axis=0) == 1).all()
    assert (payoff[winner, each] == -np.where(payoff < 0, payoff, 0).sum(axis=0)).all()
    assert ((payoff < 0).sum(axis=0) == players - 1).all()
    initial = 13 if "deal=13" in name or setup.rules.deal else -(-52 // players)
    assert left.max() <= initial
    assert (plays >= tricks).all()
    assert (tricks >= 1).all()
    assert (passes <= plays * (players - 1)).all()
    # Between two leads everybody else passes once, or is locked out of the trick.
    if not setup.rules.passing_locks_on:
        assert (passes >= (tricks - 1) * (players - 1)).all()
    assert np.isin(starter, range(players)).all()
    assert (rows["winner_multiplier"] >= 1).all()


@pytest.mark.parametrize("name", RULE_SETS)
def test_the_cards_played_and_left_are_the_deck(name: str) -> None:
    for deal in range(30):
        for players in (p for p in simcore.load_rules(name).players if p > 2):
            played = simcore.replay(name, "random", 4, deal, players=players)
            down = [card for turn in played.turns for card in turn["cards"]]
            dealt = [card for hand in played.hands for card in hand]
            assert len(set(down)) == len(down)
            assert len(dealt) == len(set(dealt)) == (13 * players if load_rules(name).deal else 52)
            assert len(down) + sum(played.cards_left) == len(dealt)


@pytest.mark.parametrize("straights", ["", ':straights.order=["23456:2", "TJQKA:A", "34567:3"]'])
@pytest.mark.parametrize(
    "kinds",
    [
        "",
        ':kinds.allowed=["single", "pair", "straight", "full_house", "four_of_a_kind", '
        '"straight_flush"]:kinds.ladder=["straight", "full_house", "four_of_a_kind", '
        '"straight_flush"]',
        ':kinds.allowed=["single"]:kinds.ladder=[]',
    ],
)
def test_lowest_plays_the_same_under_any_rules_about_larger_plays(
    kinds: str, straights: str
) -> None:
    """It leads singles only, so that nothing but singles is ever played."""
    setups = [make_setup(f"maceplay{rules}", "lowest", 3) for rules in ("", kinds + straights)]
    first, second = [Workspace(setup).play(0, 4_000) for setup in setups]
    assert same_rows(first, second)


@pytest.mark.parametrize("lineup", ["lowest", "dump", "lowest,dump,highest,dump"])
@pytest.mark.parametrize("name", ["maceplay", "hongkong", "capsa:passing.locks_on=[]"])
def test_a_pass_lock_changes_only_passes_where_nobody_passes_by_choice(
    name: str, lineup: str
) -> None:
    """Who cannot beat the table now cannot beat it after it rose."""
    free = make_setup(name, lineup, 3, 4, "fixed")
    base = name.split(":")[0]
    locked = make_setup(f"{base}:passing.locks_on=[1, 2, 3, 4, 5]", lineup, 3, 4, "fixed")
    a, b = Workspace(free).play(0, 20_000), Workspace(locked).play(0, 20_000)
    assert np.array_equal(a.block8, b.block8)
    assert np.array_equal(a.block32, b.block32)
    assert all(np.array_equal(a[name], b[name]) for name in ("plays", "tricks"))
    assert (a["passes"] >= b["passes"]).all()
    assert a["passes"].mean() > 1.2 * b["passes"].mean()


def test_a_pass_lock_changes_playouts_where_somebody_passes_by_choice() -> None:
    """The control of the test above."""
    free = Workspace(make_setup("maceplay", "random", 3)).play(0, 500)
    locked = make_setup("maceplay:passing.locks_on=[1, 2, 3, 4, 5]", "random", 3)
    assert not np.array_equal(free.block8, Workspace(locked).play(0, 500).block8)


RENAMED = {"c": "h", "d": "s", "h": "d", "s": "c"}


def renamed_rules(name: str, tmp_path: Path) -> RuleSet:
    """The rule set with other names for its suits, in the suit order and on every card."""
    rules = load_rules(name)

    def card(text: str) -> str:
        return text[0] + RENAMED[text[1]]

    singles = ", ".join(f'"{card(text)}"' for text in rules.kinds_unbeatable_singles)
    path = tmp_path / f"renamed_{name}.toml"
    path.write_text(
        f'extends = "{name}"\nsuits = "{"".join(RENAMED[suit] for suit in rules.suits)}"\n'
        f'[opening]\ncard = "{card(rules.opening_card)}"\n'
        f"[kinds]\nunbeatable_singles = [{singles}]\n",
        encoding="utf-8",
    )
    return load_rules(path)


@pytest.mark.parametrize("name", RULE_SETS)
def test_other_names_for_the_suits_change_nothing_but_the_names(name: str, tmp_path: Path) -> None:
    """The same deal in other names gives the same playout in other names, turn by turn."""
    other = renamed_rules(name, tmp_path)
    for deal in range(12):
        lineup = ["random", "lowest", "dump", "highest"]
        played = simcore.replay(name, lineup, 6, deal, players=4)
        hands = [[card[0] + RENAMED[card[1]] for card in hand] for hand in played.hands]
        opening = reference_playout.opening_card_in_play(reference_rules(other), hands)
        assert opening in hands[played.starter]
        must_include = opening if other.opening_must_include else None
        first = must_include and opening_of(name, played.hands)
        mine = play_hands(name, played.hands, played.starter, first, lineup)
        renamed = play_hands(other, hands, played.starter, must_include, lineup)
        assert renamed.winner == mine.winner
        assert renamed.turns == [
            (seat, tuple(card[0] + RENAMED[card[1]] for card in down), kind)
            for seat, down, kind in mine.turns
        ]


@pytest.mark.parametrize("name", ["maceplay", "lockout", "royal"])
def test_other_names_for_the_suits_leave_all_statistics(name: str, tmp_path: Path) -> None:
    """20,000 deals each, other cards in the same seats: |z| < 4 for winners and cards left."""
    a = make_setup(name, "dump", 6, 4)
    b = make_setup(renamed_rules(name, tmp_path), "dump", 7, 4)
    first, second = (Workspace(setup).play(0, 20_000) for setup in (a, b))
    for column in ("winner", "starter"):
        counts = [np.bincount(x[column], minlength=4) for x in (first, second)]
        assert abs(z_of_counts(counts[0], (counts[0] + counts[1]) / 40_000)) < 4
    left = [x["cards_left"].sum(axis=0) for x in (first, second)]
    spread = np.sqrt(sum(x.var() / len(x) for x in left))
    assert abs(left[0].mean() - left[1].mean()) < 4 * spread


def test_turning_the_table_turns_the_playout() -> None:
    """The same hands one seat further give the same turns one seat further."""
    for deal in range(12):
        for name in RULE_SETS:
            played = simcore.replay(name, "dump", 8, deal, players=4)
            opening = (
                opening_of(name, played.hands) if load_rules(name).opening_must_include else None
            )
            base = play_hands(name, played.hands, played.starter, opening, "dump")
            hands = [played.hands[(seat - 1) % 4] for seat in range(4)]
            turned = play_hands(name, hands, (played.starter + 1) % 4, opening, "dump")
            assert turned.turns == [((seat + 1) % 4, *rest) for seat, *rest in base.turns]
            assert turned.winner == (base.winner + 1) % 4


@pytest.mark.parametrize("plan", ["rotations", "balanced", "all"])
@pytest.mark.parametrize("name", ["lowest", "dump", "highest", "timeout"])
def test_equal_strategies_make_every_seating_of_a_deal_equal(name: str, plan: str) -> None:
    setup = make_setup("douque", name, 8, 4, plan)
    rows = Workspace(setup).play(0, 300)
    per_deal = setup.seatings_per_deal
    assert len({*rows["seating"].tolist()}) > 1
    for block, first in ((rows.block8, ROW.seating + 1), (rows.block16, 0), (rows.block32, 0)):
        by_deal = block[first:].reshape(len(block) - first, 300, per_deal)
        assert (by_deal == by_deal[:, :, :1]).all()


def test_a_seating_moves_the_strategies_and_not_the_cards() -> None:
    setup = make_setup("royal", ["random", "lowest", "dump", "timeout"], 8, 4, "all")
    hands = replay_setup(setup, 5, 0).hands
    for seating, order in enumerate(permutations(range(4))):
        played = replay_setup(setup, 5, seating)
        assert played.hands == hands
        assert played.slots == list(order)
        assert [played.lineup[slot] for slot in played.slots][order.index(1)] == "lowest"


# Addresses


def test_a_playout_depends_on_its_address_alone() -> None:
    """Chunks of any size, in any order, on a used or a new workspace."""
    setup = make_setup("douque", "random,lowest,dump,highest", 17)
    whole = Workspace(setup).play(0, 300)
    per_deal = setup.seatings_per_deal
    used = Workspace(setup)
    for first, n in ((250, 50), (0, 1), (1, 99), (100, 150)):
        part = used.play(first, n)
        rows = slice(first * per_deal, (first + n) * per_deal)
        for block in ("block8", "block16", "block32"):
            assert np.array_equal(getattr(whole, block)[:, rows], getattr(part, block))


def test_a_replay_is_the_row_of_the_batch() -> None:
    setup = make_setup("lockout", "random,lowest,dump", 17, 3, "all")
    rows = Workspace(setup).play(40, 2)
    for row in range(len(rows)):
        played = replay_setup(setup, int(rows.deals[row]), int(rows["seating"][row]))
        assert played.winner == rows["winner"][row]
        assert played.payoffs == rows["payoff"][:, row].tolist()


def test_a_slot_has_the_same_random_numbers_whatever_the_rules() -> None:
    """Same deal, same slot, same stream: `random` opens with the same share of its choices."""
    for deal in range(20):
        one = simcore.replay("maceplay", "random", 5, deal).turns
        two = simcore.replay("maceplay:payoff.tiers=[[1, 3]]", "random", 5, deal).turns
        assert one == two


def test_stakes_scale_the_payoffs_and_nothing_else() -> None:
    one = Workspace(make_setup("douque", "dump", 5, stake=1)).play(0, 200)
    ten = Workspace(make_setup("douque", "dump", 5, stake=10)).play(0, 200)
    assert np.array_equal(one.block8, ten.block8)
    assert np.array_equal(10 * one["payoff"], ten["payoff"])
    assert np.array_equal(one["winner_multiplier"], ten["winner_multiplier"])
