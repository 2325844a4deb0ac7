"""Guards what a rule file may not say: each refusal names the file, the key and a remedy."""

import json
import warnings
from pathlib import Path

import pytest

from simcore.errors import InputError
from simcore.game.ruleset import load_rules


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


# (text of the file behind `extends = "douque"`, key that is named, remedy that is offered)
BAD_FILES: dict[str, tuple[str, str, str]] = {
    "unknown_key": ("colour = 1", "colour", "known:"),
    "misspelt_key": ("[passing]\nlock_on = []", "passing.lock_on", "passing.locks_on"),
    "misspelt_table": ("[kind]\nladder = []", "kind", "kinds"),
    "key_in_no_table": ("locks_on = []", "locks_on", "passing.locks_on"),
    "number_for_text": ("name = 3", "name", 'a text, "…"'),
    "text_for_flag": ('[opening]\nmust_include = "yes"', "opening.must_include", "true or false"),
    "number_for_flag": (
        "[last_card]\nhighest_single = 1",
        "last_card.highest_single",
        "true or false",
    ),
    "number_for_list": ("players = 4", "players", "a list of whole numbers"),
    "flag_for_number": ("players = [true]", "players", "a list of whole numbers"),
    "text_for_kinds": ('[kinds]\nbombs = "straight"', "kinds.bombs", "a list of texts"),
    "tiers_flat": ("[payoff]\ntiers = [1, 1]", "payoff.tiers", "[[1, 1], [10, 2]]"),
    "item_number": ("[payoff]\ntwo_left = 2", "payoff.two_left", "{ times = 2, points = 0 }"),
    "item_unknown": (
        "[payoff]\ntwo_left = { factor = 2 }",
        "payoff.two_left",
        "{ times = 2, points = 0 }",
    ),
    "item_too_big": ("[payoff]\ntwo_left = { times = 1001 }", "payoff.two_left", "0 to 1000"),
    "deal_text": ('deal = "some"', "deal", '"all" or a number'),
    "deal_too_many": ("deal = 14", "deal", "1 to 13"),
    "deal_negative": ("deal = -1", "deal", "1 to 13"),
    "no_players": ("players = []", "players", "2 to 4"),
    "five_players": ("players = [4, 5]", "players", "2 to 4"),
    "players_twice": ("players = [4, 4]", "players", "list it once"),
    "three_suits": ('suits = "cdh"', "suits", "once each"),
    "suit_twice": ('suits = "cdhh"', "suits", "once each"),
    "leftover": ('leftover = "burn"', "leftover", "to_opening_card_holder"),
    "no_card": ('[opening]\ncard = "1c"', "opening.card", "as in '3c'"),
    "no_single_card": (
        '[kinds]\nunbeatable_singles = ["2x"]',
        "kinds.unbeatable_singles",
        "as in '3c'",
    ),
    "unknown_kind": ('[kinds]\nallowed = ["single", "fluch"]', "kinds.allowed", "flush"),
    "kind_twice": ('[kinds]\nallowed = ["single", "single"]', "kinds.allowed", "list it once"),
    "no_single": ('[kinds]\nallowed = ["pair"]', "kinds.allowed", "'single' is missing"),
    "royal_alone": (
        '[kinds]\nallowed = ["single", "royal_flush"]',
        "kinds.allowed",
        "needs straight_flush; add it",
    ),
    "flush_dragon_alone": (
        '[kinds]\nallowed = ["single", "flush_dragon"]',
        "kinds.allowed",
        "needs dragon; add it",
    ),
    "pair_in_ladder": ('[kinds]\nladder = ["pair"]', "kinds.ladder", "straight"),
    "ladder_not_allowed": ('[kinds]\nladder = ["flush"]', "kinds.ladder", "add it there"),
    "ladder_incomplete": ('[kinds]\nladder = ["straight"]', "kinds.ladder", "place it"),
    "bomb_not_allowed": ('[kinds]\nbombs = ["bare_four"]', "kinds.bombs", "add it there"),
    "dragon_as_bomb": ('[kinds]\nbombs = ["dragon"]', "kinds.bombs", "known:"),
    "bomb_over_nothing": ("[kinds]\nbombs_beat = []", "kinds.bombs_beat", "give the sizes"),
    "sizes_without_bomb": ("[kinds]\nbombs = []", "kinds.bombs_beat", "name the bombs"),
    "bomb_over_six": ("[kinds]\nbombs_beat = [6]", "kinds.bombs_beat", "1 to 5"),
    "unbeatable_not_allowed": (
        '[kinds]\nunbeatable = ["triple"]',
        "kinds.unbeatable",
        "add it there",
    ),
    "bombs_against_ladder": (
        '[kinds]\nladder = ["straight", "full_house", "four_of_a_kind", "straight_flush"]\n'
        'bombs = ["straight_flush", "four_of_a_kind"]',
        "kinds.bombs",
        "use the ladder's order",
    ),
    "straight_of_four": ('[straights]\norder = ["3456:6"]', "straights.order", '"A2345:2"'),
    "straight_with_pair": ('[straights]\norder = ["33456:6"]', "straights.order", '"A2345:2"'),
    "straight_without_tie": ('[straights]\norder = ["34567"]', "straights.order", '"A2345:2"'),
    "straight_foreign_tie": ('[straights]\norder = ["34567:8"]', "straights.order", '"A2345:2"'),
    "straight_twice": (
        '[straights]\norder = ["34567:7", "76543:7"]',
        "straights.order",
        "list it once",
    ),
    "no_straights": ("[straights]\norder = []", "straights.order", "list the straights"),
    "flush_order": ('[flush]\nfirst = "colour"', "flush.first", "ranks, suit"),
    "flush_two": ('[flush]\ntwo = "middle"', "flush.two", "high, low"),
    "lock_on_six": ("[passing]\nlocks_on = [6]", "passing.locks_on", "1 to 5"),
    "lock_twice": ("[passing]\nlocks_on = [2, 2]", "passing.locks_on", "list it once"),
    "settlement": ('[payoff]\nsettlement = "later"', "payoff.settlement", "pairwise"),
    "tiers_empty": ("[payoff]\ntiers = []", "payoff.tiers", "as in [[1, 1], [10, 2]]"),
    "tiers_from_two": ("[payoff]\ntiers = [[2, 1]]", "payoff.tiers", "as in [[1, 1], [10, 2]]"),
    "tiers_disordered": (
        "[payoff]\ntiers = [[1, 1], [13, 3], [10, 2]]",
        "payoff.tiers",
        "order them",
    ),
    "tier_beyond_deck": ("[payoff]\ntiers = [[1, 1], [53, 2]]", "payoff.tiers", "1 to 52"),
    "monster_not_allowed": (
        '[payoff]\nmonsters = ["royal_flush"]',
        "payoff.monsters",
        "add it there",
    ),
    "no_monsters": ("[payoff]\nmonsters = []", "payoff.monster_left", "payoff.monsters"),
    "extends_number": ("extends = 3", "extends", "name or path"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_rule_file_is_refused_with_file_key_and_remedy(case: str, tmp_path: Path) -> None:
    text, key, remedy = BAD_FILES[case]
    start = "" if text.startswith("extends") else 'extends = "douque"\n'
    path = write(tmp_path / f"{case}.toml", f"{start}{text}\n")
    with pytest.raises(InputError) as caught:
        load_rules(path)
    message = str(caught.value)
    assert f"{case}.toml" in message
    assert f"'{key}'" in message
    assert remedy in message
    assert "\n" not in message


def test_royal_flush_needs_its_straight(tmp_path: Path) -> None:
    text = 'extends = "royal"\n[straights]\norder = ["34567:7"]\n'
    with pytest.raises(InputError, match=r"'straights.order'.*'TJQKA:A' must be listed"):
        load_rules(write(tmp_path / "house.toml", text))


def test_a_missing_key_is_named_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"key 'title' is missing; .* extends = \"douque\""):
        load_rules(write(tmp_path / "house.toml", 'name = "house"\n'))


def test_a_file_that_is_no_toml_is_refused_with_the_place(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"house.toml: not valid TOML: .*line 2.*correct"):
        load_rules(write(tmp_path / "house.toml", 'name = "a"\nname\n'))


def test_a_key_given_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"house.toml: not valid TOML"):
        load_rules(write(tmp_path / "house.toml", 'name = "a"\nname = "b"\n'))


def test_files_that_extend_each_other_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "a.toml", 'extends = "b.toml"\n')
    write(tmp_path / "b.toml", 'extends = "a.toml"\n')
    with pytest.raises(
        InputError, match=r"'extends': the files extend each other .*a.toml.*b.toml"
    ):
        load_rules(tmp_path / "a.toml")
    itself = write(tmp_path / "c.toml", 'extends = "c.toml"\n')
    with pytest.raises(InputError, match="'extends'"):
        load_rules(itself)


def test_a_file_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none.toml.* cannot be read: .*check the path"):
        load_rules(tmp_path / "none.toml")
    with pytest.raises(InputError, match=r"unknown rule set 'doque'; did you mean douque"):
        load_rules("doque")
    extends = write(tmp_path / "house.toml", 'extends = "nobody"\n')
    with pytest.raises(InputError, match="unknown rule set 'nobody'"):
        load_rules(extends)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_bytes(b'name = "\xff\xfe"\n')
    with pytest.raises(InputError, match="cannot be read: it is not UTF-8 text"):
        load_rules(path)
    folder = tmp_path / "folder.toml"
    folder.mkdir()
    with pytest.raises(InputError, match="cannot be read"):
        load_rules(folder)


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("royal:dael=13", "'dael'; did you mean deal"),
        ("royal:deal=14", "1 to 13"),
        ("royal:deal=many", '"all" or a number'),
        ("lockout:passing.locks_on=2", "'passing.locks_on': 2 must be a list of whole numbers"),
    ],
)
def test_a_bad_changed_key_is_refused(name: str, named: str) -> None:
    with pytest.raises(InputError) as caught:
        load_rules(name)
    assert named in str(caught.value)


def test_a_name_too_long_for_a_file_is_refused() -> None:
    with pytest.raises(InputError, match="unknown rule set"):
        load_rules("royal" * 60)


def test_a_deal_of_no_cards_is_refused() -> None:
    with pytest.raises(InputError, match="1 to 13"):
        load_rules("royal:deal=0")


def test_bombs_in_another_order_than_the_ladder_are_refused_beside_a_third_bomb() -> None:
    """Otherwise four of a kind and straight flush beat each other."""
    kinds = ["single", "bare_four", "straight", "four_of_a_kind", "straight_flush"]
    with pytest.raises(InputError, match="ladder"):
        load_rules(
            f"maceplay:kinds.allowed={json.dumps(kinds)}:kinds.ladder={json.dumps(kinds[2:])}"
            ':kinds.bombs=["straight_flush", "bare_four", "four_of_a_kind"]:kinds.bombs_beat=[1, 5]'
        )


def test_a_rule_set_that_changed_stays_loadable_and_says_so(tmp_path: Path) -> None:
    """Who extends it by its bare name hears what changed; a revision settles the matter."""
    assert load_rules("pusoy@2") == load_rules("pusoy")
    assert load_rules("pusoy@1:deal=12").name == "pusoy@1:deal=12"
    path = write(tmp_path / "house.toml", 'extends = "pusoy"\n')
    with pytest.warns(UserWarning, match=r"house.toml extends 'pusoy', whose revision 2 .*pusoy@1"):
        assert load_rules(path).flush_first == "suit"
    for base, first in (("pusoy@1", "ranks"), ("pusoy@2", "suit"), ("maceplay", "ranks")):
        write(path, f'extends = "{base}"\n')
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert load_rules(path).flush_first == first
    for name, said in (("pusoy@3", "revisions 1 to 2"), ("douque@2", "has one revision")):
        with pytest.raises(InputError, match=said):
            load_rules(name)
