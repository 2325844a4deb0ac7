"""Guards what rule files say of themselves: schema, pages of keys, differences, whole files."""

import json
import random
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from simcore.errors import InputError
from simcore.game.rule_help import DRAFT, as_toml, diff, keys, schema
from simcore.game.ruleset import KEYS, load_rules, rule_file, rule_set_names
from tests.command import data, line, refuse
from tests.support import random_house_rules

STORED = Path(__file__).parent / "data" / "stored"


def faults(text: str) -> list[str]:
    validator = Draft202012Validator(schema())
    return [error.message for error in validator.iter_errors(tomllib.loads(text))]


def test_the_schema_is_one_and_takes_every_file_that_is_a_rule_set() -> None:
    assert schema()["$schema"] == DRAFT
    Draft202012Validator.check_schema(schema())
    for name in rule_set_names():
        assert not faults(rule_file(name)[1]), name
        assert not faults(as_toml(name))
    for stored in ("complete.toml", "club.toml"):
        assert not faults((STORED / stored).read_text("utf-8"))
    rng = random.Random(5)
    for number in range(20):
        assert not faults(as_toml(random_house_rules(rng, number)))


@pytest.mark.parametrize(
    "text",
    [
        'extends = 3',
        'extends = "royal"\nsuit = "cdhs"',
        'extends = "royal"\nsuits = "cdhx"',
        'extends = "royal"\n[opening]\nmust = true',
        'extends = "royal"\n[opening]\nmust_include = "yes"',
        'extends = "royal"\n[kinds]\nallowed = ["singel"]',
        'extends = "royal"\n[kinds]\nbombs_beat = [6]',
        'extends = "royal"\n[kinds]\nbombs_each = { pair = [] }',
        'extends = "royal"\n[straights]\norder = ["34567"]',
        'extends = "royal"\n[flush]\nfirst = "colour"',
        'extends = "royal"\n[payoff]\ntwo_left = { factor = 2 }',
        'extends = "royal"\n[payoff]\ntiers = [[1]]',
        'name = "mine"',
    ],
)  # fmt: skip
def test_the_schema_refuses_what_the_loader_refuses(text: str, tmp_path: Path) -> None:
    assert faults(text)
    path = tmp_path / "house.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError):
        load_rules(path)


def test_every_key_has_a_page_whose_example_is_a_line_of_a_file() -> None:
    pages = {page.key: page for page in keys()}
    assert list(pages) == list(KEYS)
    for name, key in KEYS.items():
        page = pages[name]
        value: Any = tomllib.loads(page.example)
        for part in name.split("."):
            value = value[part]
        assert key.form.fits(value) and key.form.read(value) is not None
        assert key.form.schema.get("type") or key.form.schema.get("anyOf"), name
        for user in page.used_by:
            assert load_rules(user).as_dict()[key.field] != key.neutral
    assert pages["passing.locks_on"].default == []
    assert "lockout" in pages["passing.locks_on"].used_by
    assert pages["flush.first"].values == "ranks | suit | top_card"


def test_a_whole_file_is_the_same_rule_set(tmp_path: Path) -> None:
    rng = random.Random(8)
    path = tmp_path / "whole.toml"
    given = [*map(load_rules, rule_set_names()), load_rules("royal:deal=13")]
    for rules in [*given, *(random_house_rules(rng, n) for n in range(10))]:
        path.write_text(as_toml(rules), "utf-8")
        assert load_rules(path) == rules


def test_differences_are_sentences() -> None:
    assert diff("royal", "royal") == []
    (one,) = diff("royal", "royal:flush.first=top_card")
    assert (one.key, one.a, one.b) == ("flush.first", "royal", "royal:flush.first=top_card")
    assert str(one) == (
        "What decides between two flushes (flush.first): suit (the suit, then the highest card) in "
        "royal; top_card (the highest card's rank, then its suit, and nothing else) in "
        "royal:flush.first=top_card."
    )
    found = [d.key for d in diff("lockout", "lockout:deal=13:kinds.unbeatable_singles=[]")]
    assert found == ["deal", "kinds.unbeatable_singles"]


def test_the_commands_print_the_same() -> None:
    assert json.loads(line("rules schema").out) == schema()
    assert [page["key"] for page in data("rules keys")["keys"]] == list(KEYS)
    shown = line("rules keys passing.locks_on").out
    assert "example: passing.locks_on = [1, 5]" in shown and "used by: lockout" in shown
    differs = data("rules diff douque douque:opening.must_include=true")["differences"]
    assert [one["key"] for one in differs] == ["opening.must_include"]
    assert line("rules diff douque douque").out == "douque and douque have the same rules.\n"
    assert line("rules show royal:deal=13 --file").out == as_toml("royal:deal=13")
    refuse(line("rules keys passing.lock_on"), "did you mean passing.locks_on")
