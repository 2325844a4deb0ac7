"""Guards rule sets as plain data: what a run stores is read by later versions, and is checked."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from simcore.errors import InputError
from simcore.game import ruleset
from simcore.game.older_rules import OLD_NAMES
from simcore.game.rule_format import DEAL, STRAIGHTS
from simcore.game.rule_table import rule_table
from simcore.game.ruleset import ITEMS, KEYS, RuleSet, load_rules
from tests.support import RULE_SETS, random_house_rules

STORED = Path(__file__).parent / "data" / "stored"
SOME = [*RULE_SETS, "royal:deal=13", "hongkong:payoff.settlement=pairwise"]


def through_json(data: Any) -> Any:
    return json.loads(json.dumps(data))


def of_version_0_1(rules: RuleSet) -> dict[str, Any]:
    """What version 0.1.0 wrote of these rules."""
    old_name = {new: old for old, new in OLD_NAMES.items()}
    plain = rules.as_dict()
    data = {
        old_name.get(key.field, key.field): (
            getattr(rules, key.field) if key.form in (DEAL, STRAIGHTS) else plain[key.field]
        )
        for key in KEYS.values()
        if key.name.removeprefix("payoff.") not in ITEMS
    }
    items = [[name, times, points] for name, (times, points) in rules.payoff_items.items()]
    found: dict[str, Any] = through_json(data | {"items": items})
    return found


def some_rule_sets(number: int) -> list[RuleSet]:
    rng = random.Random(11)
    house = [random_house_rules(rng, n) for n in range(number)]
    return [*(load_rules(name) for name in SOME), load_rules(STORED / "club.toml"), *house]


def test_a_rule_set_as_plain_data_comes_back_equal_whichever_version_wrote_it() -> None:
    for rules in some_rule_sets(40):
        data = through_json(rules.as_dict())
        assert RuleSet.from_dict(data) == rules
        assert RuleSet.from_dict(data).as_dict() == data
        assert RuleSet.from_dict(of_version_0_1(rules)) == rules


def test_rules_in_stored_runs_are_those_of_today() -> None:
    folders = {"douque": "douque", "lockout": "lockout", "royal": "royal", "maceplay": "maceplay"}
    for folder, name in folders.items():
        document = json.loads((STORED / folder / "run.json").read_text("utf-8"))
        stored = document["identity"]["rules"]
        assert "pass_locks" in stored
        assert RuleSet.from_dict(stored) == load_rules(stored["name"]), name


@pytest.mark.parametrize("key", [key for key in KEYS.values() if key.neutral is not None])
def test_a_key_that_came_later_is_neutral(key: ruleset.Key, tmp_path: Path) -> None:
    """A complete file, and the rules of a run, of a version that did not know it."""
    rules = load_rules(STORED / "complete.toml")
    data = rules.as_dict()
    del data[key.field]
    text = (STORED / "complete.toml").read_text("utf-8").splitlines()
    table, _, name = key.name.rpartition(".")
    at = next((n for n, line in enumerate(text) if line.startswith(f"[{table}]")), 0)
    wanted = (n for n, line in enumerate(text[at:], at) if line.startswith(f"{name} ="))
    gone = next(wanted, len(text))  # of version 0.1.0: it lacks later keys anyway
    path = tmp_path / "earlier.toml"
    path.write_text("\n".join(text[:gone] + text[gone + 1 :]), "utf-8")
    for found in (load_rules(path), RuleSet.from_dict(data)):
        assert found.as_dict()[key.field] == key.neutral


def test_neutral_values_change_no_payoff_and_no_table() -> None:
    assert [key.name for key in KEYS.values() if key.neutral is None] == [
        *("name", "title", "players", "suits", "leftover", "opening.card"),
        *("kinds.allowed", "straights.order", "flush.first", "flush.two"),
    ]
    lockout = load_rules("lockout")
    plain = {k: v for k, v in lockout.as_dict().items() if not k.startswith("payoff_")}
    assert bytes(rule_table(RuleSet.from_dict(plain))) == bytes(rule_table(lockout))


WRONG: list[Any] = [None, True, -1, 0, 1, 14, 10**9, 1.5, "", "x", "3c", [], [0], [[1, 1], [0]]]
WRONG += [["single", "single"], ["A2345:2"], [["A2345"]], [[1, 10**12]], {}, {"times": -1}]
WRONG += [{"times": 2, "points": 10**9}, {"factor": 2}, [["two_left", 1]], ["pair", 3], {"a": {}}]


def test_mutated_rules_are_refused_in_a_sentence_or_are_a_rule_set() -> None:
    """What a forged run says of its rules never reaches a kernel unchecked."""
    rng = random.Random(3)
    refused = taken = 0
    for _ in range(400):
        rules = load_rules(rng.choice(SOME))
        data = through_json(rules.as_dict() if rng.random() < 0.6 else of_version_0_1(rules))
        name = rng.choice(list(data))
        if rng.random() < 0.1:
            del data[name]
        elif rng.random() < 0.1:
            data[rng.choice(["locks_on", "deal ", "pass_locks", "items"])] = rng.choice(WRONG)
        elif isinstance(data[name], list) and data[name] and rng.random() < 0.4:
            data[name][rng.randrange(len(data[name]))] = rng.choice(WRONG)
        else:
            data[name] = rng.choice(WRONG)
        try:
            found = RuleSet.from_dict(data, "run.json")
        except InputError as error:
            assert str(error).startswith("run.json: ") and "\n" not in str(error)
            refused += 1
        else:
            assert RuleSet.from_dict(through_json(found.as_dict())) == found
            rule_table(found)
            taken += 1
    assert refused > 200 and taken > 20


@pytest.mark.parametrize("data", [None, 3, "royal", [["name", "royal"]], {}])
def test_what_is_no_table_of_rules_is_refused(data: Any) -> None:
    with pytest.raises(InputError, match=r"run.json: .*(must be a table|is missing)"):
        RuleSet.from_dict(data, "run.json")


def test_a_forged_number_of_cards_is_refused_as_in_a_file() -> None:
    data = load_rules("royal").as_dict()
    with pytest.raises(InputError, match=r"run\.json: key 'deal': 14 cards for 4 players: 1 to 13"):
        RuleSet.from_dict(data | {"deal": 14}, "run.json")


def test_old_attributes_still_work_and_say_what_they_are_called_now() -> None:
    rules = load_rules("lockout")
    with pytest.warns(DeprecationWarning, match="RuleSet.pass_locks is now passing_locks_on"):
        assert rules.pass_locks == rules.passing_locks_on == (2, 5)  # type: ignore[attr-defined]
    for old, new in OLD_NAMES.items():
        with pytest.warns(DeprecationWarning):
            assert getattr(rules, old) == getattr(rules, new)
    with pytest.warns(DeprecationWarning, match="is now payoff_items"):
        assert load_rules("douque").items[0] == ("two_left", 2, 0)  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        _ = rules.lock  # type: ignore[attr-defined]


def test_old_fields_of_the_kernels_table_hold_the_same() -> None:
    """Compiled strategies of users may read them."""
    table = rule_table(load_rules("lockout"))[0]
    assert table.locks == table.passing_locks_on == 1 << 2 | 1 << 5
    assert (table.tier == table.payoff_tiers).all() and table.bombs == table.kinds_bombs


def test_every_key_says_what_it_does() -> None:
    for name, key in KEYS.items():
        assert key.words.endswith(".") and "\n" not in key.words
        assert key.field == name.replace(".", "_")
        if key.neutral is not None:
            assert key.form.fits(key.neutral)
            assert key.form.plain(key.form.read(key.neutral)) == key.neutral
    assert KEYS["deal"].form is DEAL and KEYS["straights.order"].form is STRAIGHTS
