"""Guards rule sets: the shipped ones, and house rules that need no code."""

import json
import os
from dataclasses import FrozenInstanceError, fields
from pathlib import Path
from typing import Any

import pytest

import simcore
from simcore.errors import InputError
from simcore.game.ruleset import RuleSet, load_rules, rule_set_names
from tests.support import RULE_SETS, cards, play_hands, reference, reference_rules

N = ("34567", "45678", "56789", "6789T", "789TJ", "89TJQ", "9TJQK", "TJQKA")
LADDER = ("straight", "flush", "full_house", "four_of_a_kind", "straight_flush")
SIX = ("single", "pair", "straight", "full_house", "four_of_a_kind", "straight_flush")
EIGHT = ("single", "pair", "triple", *LADDER)
BOMBS = ("four_of_a_kind", "straight_flush")
ITEMS = ("two_left", "monster_left", "finish_two", "finish_monster")
ITEMS += ("finish_flush_dragon", "finish_opening_card", "grand_slam")
NOTHING = {f"payoff_{item}": (1, 0) for item in ITEMS}


def by(tie: str, *sequences: str) -> tuple[tuple[str, str], ...]:
    """Straights with their tie-break rank: the highest game rank, or the last of the sequence."""
    highest = {text: max(text, key=reference.RANKS.index) for text in sequences}
    return tuple((text, highest[text] if tie == "highest" else text[-1]) for text in sequences)


# The table of rules of the four exact rule sets, field by field.
TABLE: dict[str, dict[str, Any]] = {
    "douque": {
        "players": (4,),
        "suits": "cdhs",
        "deal": 0,
        "opening_card": "3c",
        "opening_must_include": False,
        "kinds_allowed": (*SIX, "dragon", "flush_dragon"),
        "kinds_ladder": (),
        "kinds_bombs": BOMBS,
        "kinds_bombs_beat": (1, 2, 5),
        "kinds_unbeatable": (),
        "kinds_unbeatable_singles": (),
        "straights_order": by("highest", "A2345", *N, "23456"),
        "passing_locks_on": (),
        "last_card_highest_single": False,
        "payoff_settlement": "winner_takes",
        "payoff_tiers": ((1, 1), (8, 2), (10, 3), (13, 4)),
        "payoff_monsters": BOMBS,
        **dict.fromkeys(NOTHING, (2, 0)),
        "payoff_finish_flush_dragon": (20, 0),
    },
    "maceplay": {
        "players": (4,),
        "suits": "cdhs",
        "deal": 0,
        "opening_card": "3c",
        "opening_must_include": True,
        "kinds_allowed": EIGHT,
        "kinds_ladder": LADDER,
        "kinds_bombs": (),
        "kinds_bombs_beat": (),
        "kinds_unbeatable": (),
        "kinds_unbeatable_singles": (),
        "straights_order": by("highest", *N, "A2345", "23456"),
        "flush_first": "ranks",
        "flush_two": "high",
        "passing_locks_on": (),
        "last_card_highest_single": False,
        "payoff_settlement": "winner_takes",
        "payoff_tiers": ((1, 1), (10, 2), (13, 3)),
        "payoff_monsters": (),
        **NOTHING,
    },
    "lockout": {
        "players": (3, 4),
        "suits": "cdhs",
        "deal": 0,
        "leftover": "opening_card_first",
        "opening_card": "3c",
        "opening_must_include": True,
        "kinds_allowed": SIX,
        "kinds_ladder": (),
        "kinds_bombs": BOMBS,
        "kinds_bombs_beat": (1, 2, 5),
        "kinds_unbeatable": (),
        "kinds_unbeatable_singles": ("2s",),
        "straights_order": by("last", "A2345", *N, "23456"),
        "passing_locks_on": (2, 5),
        "last_card_highest_single": True,
        "payoff_settlement": "winner_takes",
        "payoff_tiers": ((1, 1),),
        "payoff_monsters": (),
        **NOTHING,
    },
    "royal": {
        "players": (3, 4),
        "suits": "dchs",
        "deal": 0,
        "leftover": "to_opening_card_holder",
        "opening_card": "3d",
        "opening_must_include": True,
        "kinds_allowed": (*EIGHT, "royal_flush"),
        "kinds_ladder": (*LADDER, "royal_flush"),
        "kinds_bombs": (),
        "kinds_bombs_beat": (),
        "kinds_unbeatable": ("royal_flush",),
        "kinds_unbeatable_singles": (),
        "straights_order": by("last", "A2345", "23456", *N),
        "flush_first": "suit",
        "flush_two": "low",
        "passing_locks_on": (),
        "last_card_highest_single": False,
        "payoff_settlement": "winner_takes",
        "payoff_tiers": ((1, 1),),
        "payoff_monsters": (),
        **NOTHING,
    },
}


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


# The shipped rule sets


def test_the_shipped_rule_sets_are_the_four_exact_ones_and_four_presets() -> None:
    assert rule_set_names()[:4] == ["douque", "maceplay", "lockout", "royal"]
    assert set(rule_set_names()) == set(RULE_SETS)
    assert [load_rules(name).name for name in rule_set_names()] == rule_set_names()


@pytest.mark.parametrize("name", TABLE)
def test_the_table_of_rules_field_by_field(name: str) -> None:
    rules = load_rules(name)
    for field, expected in TABLE[name].items():
        assert getattr(rules, field) == expected, field


@pytest.mark.parametrize("name", [*RULE_SETS, *reference.OLDER])
def test_every_shipped_rule_set_says_what_the_reference_says(name: str) -> None:
    ours = reference_rules(load_rules(name))
    theirs = {**reference.RULES, **reference.OLDER}[name]
    for field in fields(theirs):
        if field.name != "leftover" or name in ("lockout", "royal", "pagat"):  # else no effect
            assert getattr(ours, field.name) == getattr(theirs, field.name), field.name


def test_pagat_is_royal_without_the_royal_class_and_with_tiers() -> None:
    royal, pagat = load_rules("royal"), load_rules("pagat")
    changed = {f.name for f in fields(royal) if getattr(royal, f.name) != getattr(pagat, f.name)}
    assert changed == {
        "name",
        "title",
        "kinds_allowed",
        "kinds_ladder",
        "kinds_unbeatable",
        "flush_two",
        "payoff_tiers",
    }
    assert pagat.payoff_tiers == ((1, 1), (10, 2), (13, 3))


def test_the_presets_for_fewer_players_deal_thirteen_cards() -> None:
    for name in ("hongkong", "pusoy", "capsa"):
        assert (load_rules(name).players, load_rules(name).deal) == ((2, 3, 4), 13)


def test_a_rule_set_is_frozen_hashable_and_loaded_once() -> None:
    rules = load_rules("douque")
    assert load_rules("douque") is rules
    assert load_rules(rules) is rules
    assert {rules: 1}[load_rules("douque")] == 1
    with pytest.raises(FrozenInstanceError):
        rules.name = "mine"  # type: ignore[misc]


@pytest.mark.parametrize("name", RULE_SETS)
def test_a_rule_set_as_plain_data_survives_json(name: str) -> None:
    rules = load_rules(name)
    assert RuleSet.from_dict(json.loads(json.dumps(rules.as_dict()))) == rules


# House rules: files and changed keys


def test_a_house_rule_file_extends_a_rule_set(tmp_path: Path) -> None:
    path = write(
        tmp_path / "house.toml",
        'extends = "douque"\nname = "house"\n[payoff]\ntiers = [[1, 1], [10, 2]]\n',
    )
    house, douque = load_rules(path), load_rules("douque")
    changed = {f.name for f in fields(house) if getattr(house, f.name) != getattr(douque, f.name)}
    assert changed == {"name", "payoff_tiers"}
    assert load_rules(str(path)) == house


def test_a_house_rule_file_extends_the_file_beside_it(tmp_path: Path) -> None:
    write(tmp_path / "base.toml", 'extends = "lockout"\nname = "base"\nplayers = [3]\n')
    child = write(tmp_path / "child.toml", 'extends = "base.toml"\nname = "child"\n')
    assert (load_rules(child).players, load_rules(child).name) == ((3,), "child")
    assert load_rules(child).kinds_unbeatable_singles == ("2s",)


def test_a_changed_rule_file_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path / "house.toml", 'extends = "royal"\nname = "before"\n')
    os.utime(path, (1, 1))
    assert load_rules(path).name == "before"
    write(path, 'extends = "royal"\nname = "after"\n')
    assert load_rules(path).name == "after"


def test_a_changed_file_that_another_extends_is_read_again(tmp_path: Path) -> None:
    write(tmp_path / "base.toml", 'extends = "royal"\nplayers = [3]\n')
    child = write(tmp_path / "child.toml", 'extends = "base.toml"\nname = "child"\n')
    assert load_rules(child).players == (3,)
    write(tmp_path / "base.toml", 'extends = "royal"\nplayers = [4]\n')
    assert load_rules(child).players == (4,)


def test_keys_are_changed_behind_the_name() -> None:
    assert load_rules("royal:deal=13").deal == 13
    assert load_rules("lockout:passing.locks_on=[]").passing_locks_on == ()
    both = load_rules("lockout:passing.locks_on=[1]:last_card.highest_single=false")
    assert (both.passing_locks_on, both.last_card_highest_single) == ((1,), False)
    assert load_rules("douque:payoff.two_left={ times = 3 }").payoff_two_left == (3, 0)
    assert load_rules("royal:straights.order=['TJQKA:A']").straights_order == (("TJQKA", "A"),)
    assert load_rules("royal:flush.first=ranks").flush_first == "ranks"


def test_any_number_of_keys_is_changed_behind_the_name() -> None:
    straights = json.dumps([f"{text}:{text[-1]}" for text in N])
    changes = f":straights.order={straights}"
    rules = load_rules(f"royal{changes}:deal=13:players=[4]:flush.two=high:passing.locks_on=[5]")
    assert (len(rules.straights_order), rules.deal, rules.flush_two) == (8, 13, "high")
    with pytest.raises(InputError, match=r"key 'straights\.order' is given twice"):
        load_rules(f"royal{changes * 2}")


def test_changed_keys_show_in_the_name_and_leave_the_rule_set_alone() -> None:
    assert load_rules("royal:deal=13").name == "royal:deal=13"
    assert load_rules("royal").deal == 0


def test_keys_are_changed_behind_a_path(tmp_path: Path) -> None:
    path = write(tmp_path / "house.toml", 'extends = "royal"\nname = "house"\n')
    assert load_rules(f"{path}:deal=13:players=[3]").deal == 13


# House rules that need no code


def house(tmp_path: Path, text: str, base: str = "maceplay") -> RuleSet:
    return load_rules(write(tmp_path / "house.toml", f'extends = "{base}"\nname = "house"\n{text}'))


def test_jqka2_may_be_allowed_as_a_straight(tmp_path: Path) -> None:
    rules = house(tmp_path, '[straights]\norder = ["34567:7", "TJQKA:A", "JQKA2:2"]\n')
    assert simcore.classify("maceplay", "Jc Qd Kh As 2c") is None
    assert simcore.classify(rules, "Jc Qd Kh As 2c").kind == "straight"
    assert simcore.classify(rules, "Jc Qc Kc Ac 2c").kind == "straight_flush"
    assert simcore.beats(rules, "Jc Qd Kh As 2c", "Td Jd Qh Kd Ad")
    assert simcore.beats(rules, "Jd Qd Kd Ad 2s", "Jc Qc Kh As 2h")  # by the suit of the 2
    assert simcore.classify(rules, "Ac 2d 3h 4s 5c") is None


def test_bare_four_and_two_pair_may_be_four_card_plays(tmp_path: Path) -> None:
    rules = house(
        tmp_path, '[kinds]\nallowed = ["single", "pair", "two_pair", "bare_four"]\nladder = []\n'
    )
    assert simcore.classify(rules, "3c 3d 3h 3s").kind == "bare_four"
    assert simcore.classify(rules, "3c 3d 4h 4s").kind == "two_pair"
    assert simcore.beats(rules, "3c 3d 5h 5s", "4h 4s 5c 5d")  # the higher pair, then its suit
    assert not simcore.beats(rules, "3c 3d 3h 3s", "4h 4s 5c 5d")
    found = simcore.legal_plays(rules, "3c 3d 3h 3s 4c 4d")
    assert [play.kind for play in found].count("two_pair") == 6
    assert [play.kind for play in found].count("bare_four") == 1
    assert all(play.kind != "triple" for play in found)


def test_bare_fours_may_be_bombs_over_chosen_sizes(tmp_path: Path) -> None:
    rules = house(
        tmp_path,
        '[kinds]\nallowed = ["single", "pair", "triple", "bare_four"]\nladder = []\n'
        'bombs = ["bare_four"]\nbombs_beat = [1, 3]\n',
    )
    assert simcore.beats(rules, "3c 3d 3h 3s", "2s")
    assert simcore.beats(rules, "3c 3d 3h 3s", "2c 2d 2h")
    assert not simcore.beats(rules, "3c 3d 3h 3s", "2c 2d")
    assert simcore.beats(rules, "4c 4d 4h 4s", "3c 3d 3h 3s")


def test_the_five_card_ladder_may_stand_in_any_order(tmp_path: Path) -> None:
    ladder = ("flush", "straight", "four_of_a_kind", "full_house", "straight_flush")
    rules = house(tmp_path, f"[kinds]\nladder = {json.dumps(ladder)}\n")
    straight, flush, full = "3c 4d 5h 6s 7c", "2h Ah Kh Qh 9h", "3d 3h 3s Td Ts"
    assert simcore.beats(rules, straight, flush)
    assert simcore.beats(rules, full, "2c 2d 2h 2s Ac")
    assert not simcore.beats("maceplay", straight, flush)
    hand = "3c 4c 5c 6c 9c 7d 7h 7s"
    kinds = list(dict.fromkeys(play.kind for play in simcore.legal_plays(rules, hand)))
    assert kinds == ["single", "pair", "triple", "flush", "straight"]


def test_unbeatable_kinds_and_singles_are_data(tmp_path: Path) -> None:
    rules = house(tmp_path, '[kinds]\nunbeatable = ["triple"]\nunbeatable_singles = ["2s", "3c"]\n')
    assert not simcore.beats(rules, "2c 2d 2h", "3c 3d 3h")
    assert not simcore.beats(rules, "2h", "3c")
    assert simcore.beats(rules, "2h", "3d")


def test_pairwise_settlement_by_hand_worked_numbers() -> None:
    """Losers with 1, 10 and 13 cards owe 1, 20 and 39: each pair settles its difference."""
    rules = "maceplay:payoff.settlement=pairwise"
    deck = reference.full_deck(reference.RULES["maceplay"])
    left = [[], deck[:1], deck[1:11], deck[11:24]]
    assert simcore.payoffs("maceplay", 0, left, "2s") == [60, -1, -20, -39]
    assert simcore.payoffs(rules, 0, left, "2s") == [60, 56, -20, -96]
    shuffled = [left[2], left[0], left[3], left[1]]
    assert simcore.payoffs(rules, 1, shuffled, "2s", stake=10) == [-200, 600, -960, 560]


def test_points_instead_of_multipliers_by_hand_worked_numbers(tmp_path: Path) -> None:
    """A loser owes cards left + 5 for each 2 + 10 for a Monster; + 3 for each 2 of the winner."""
    rules = house(
        tmp_path,
        "[payoff]\ntiers = [[1, 1]]\ntwo_left = { times = 1, points = 5 }\n"
        "monster_left = { times = 1, points = 10 }\nfinish_two = { times = 1, points = 3 }\n"
        "finish_monster = { times = 1, points = 7 }\n",
        base="douque",
    )
    left = ["", cards("3d 2c 2d"), cards("4c 4d 4h 4s 5c"), cards("5d")]
    assert simcore.payoffs(rules, 0, left, "2h 2s") == [47, -19, -21, -7]
    assert simcore.payoffs(rules, 0, left, "6c") == [29, -13, -15, -1]
    assert simcore.payoffs(rules, 0, left, "6c 6d 6h 6s 7c") == [50, -20, -22, -8]


def test_points_and_multipliers_together(tmp_path: Path) -> None:
    """(2 cards x 2 for the 2 + 5) x 2 for the winner's 2 + 3 = 21."""
    rules = house(
        tmp_path,
        "[payoff]\ntiers = [[1, 1]]\ntwo_left = { times = 2, points = 5 }\n"
        "finish_two = { times = 2, points = 3 }\n",
        base="douque",
    )
    assert simcore.payoffs(rules, 0, ["", "2c 3d", "4d", "5d"], "2s") == [31, -21, -5, -5]


@pytest.mark.parametrize("name", ["hongkong", "pusoy", "capsa"])
def test_two_players_play_with_thirteen_cards_each(name: str) -> None:
    played = simcore.replay(name, "lowest,dump", seed=3, deal=0)
    assert [len(hand) for hand in played.hands] == [13, 13]
    assert sum(played.payoffs) == 0
    assert played.cards_left[played.winner] == 0


def test_two_players_may_share_the_whole_deck() -> None:
    played = simcore.replay("maceplay:players=[2]", "dump,random", seed=3, deal=0)
    assert [len(hand) for hand in played.hands] == [26, 26]


def test_the_number_of_cards_dealt_is_data() -> None:
    played = simcore.replay("maceplay:deal=5", "dump,random,lowest,highest", seed=3, deal=0)
    assert [len(hand) for hand in played.hands] == [5] * 4


def test_the_opening_card_is_data() -> None:
    rules = "maceplay:opening.card=4h"
    for deal in range(20):
        played = simcore.replay(rules, "random", seed=3, deal=deal)
        assert "4h" in played.hands[played.starter]
        assert "4h" in played.turns[0]["cards"]


def test_a_pass_lock_is_data_for_each_size() -> None:
    """Seat 1 passes on the single 4; it may come back only where singles do not lock."""
    hands = [cards("4c 9c Jc"), cards("5c Ts"), cards("6d 8d"), cards("Qh Kh")]
    for locks, returns in (("[]", True), ("[2, 5]", True), ("[1]", False), ("[1, 2, 5]", False)):
        rules = load_rules(f"maceplay:passing.locks_on={locks}")
        # Seats 1 and 2 pass by choice, seat 3 plays a Q, and seat 0 cannot beat it.
        played = play_hands(rules, hands, 0, None, "lowest,timeout,timeout,lowest")
        seats = [seat for seat, _, _ in played.turns]
        assert seats[:4] == [0, 1, 2, 3]
        assert (1 in seats[4:6]) == returns, locks
