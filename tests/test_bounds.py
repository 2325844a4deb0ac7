"""Rule files, lineups and weights that are too deep, too long, or say nothing: a sentence."""

import os
from pathlib import Path

import pytest

from simcore import payoffs, simulate
from simcore.errors import InputError
from simcore.game.ruleset import load_rules
from simcore.runs.run import differences, identity
from simcore.samples.rule_variants import rule_variants
from simcore.simulation.setup import make_setup
from simcore.strategies.registry import parse_lineup

HOUSE = 'extends = "douque"\nname = "house"\n'


def said(rules: str | Path) -> str:
    """The sentence with which rules are refused: one, and short whatever was given."""
    with pytest.raises(InputError) as caught:
        load_rules(rules)
    message = str(caught.value)
    assert len(message) < 900 and message.isprintable()
    return message


def house(folder: Path, text: str, name: str = "house.toml") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (f"deal = {'[' * 600}{']' * 600}", "deep"),
        (f"deal = {'{a=' * 600}1{'}' * 600}", "deep"),
        (f"deal = {'9' * 4301}", "digits"),
        (f"deal = 0x{'f' * 9000}", "bits"),
        (f"deal.{'a.' * 400}a = 1", "deep"),
        (f"deal.{'a.' * 5000}a = 1", "dots"),
        (f"{'x' * 90_000} = 1", "unknown key"),
        (f'[opening]\ncard = "{"3" * 90_000}"', "is no card"),
        (f"players = [{'4, ' * 30_000}]", "list it once"),
        ("# " + "x" * 300_000, "more than 262,144 bytes"),
        ('[payoff]\ntwo_left = {}\n["payoff.two_left"]\n', "given twice"),
        ('[kinds]\nunbeatable_singles = ["2s", "S2"]', "a card twice"),
    ],
)
def test_files_without_measure_are_refused_in_few_words(
    line: str, words: str, tmp_path: Path
) -> None:
    assert words in said(house(tmp_path, f"{HOUSE}{line}\n"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (f"deal={'[' * 600}{']' * 600}", "'deal'"),
        (f"deal={'9' * 4301}", "'deal'"),
        ("deal=13\nx = 2", "one line"),
        ("payoff={}", "changes nothing"),
        ("deal=13:deal=12", "given twice"),
        ("payoff={two_left={times=2}}:payoff.two_left={times=3}", "given twice"),
        ("extends=royal", "unknown key 'extends'"),
        ("extends=zzz", "unknown key 'extends'"),
        ("name=", "is no name"),
        (f"title={'x' * 90_000}", "at most 2,000"),
    ],
)
def test_changes_without_measure_are_refused_in_few_words(change: str, words: str) -> None:
    assert words in said(f"douque:{change}")


@pytest.mark.parametrize("name", ['""', '" "', '"a\\nb"', '"\\u001b[2J"', '"\\u202e"'])
def test_names_can_be_printed_in_a_line(name: str, tmp_path: Path) -> None:
    assert "'name'" in said(house(tmp_path, f'extends = "douque"\nname = {name}\n'))


def test_a_house_file_without_a_name_is_called_like_its_file(tmp_path: Path) -> None:
    assert load_rules(house(tmp_path, 'extends = "douque"\n', "club.toml")).name == "club"


def test_what_rules_are_called_does_not_part_runs(tmp_path: Path) -> None:
    """Runs of house files without a name were begun under the name of what they extend."""
    file = house(tmp_path, 'extends = "douque"\n')
    old, new = (identity(make_setup(rules, "dump")) for rules in ("douque", file))  # type: ignore[arg-type]
    assert old["rules"]["name"] != new["rules"]["name"] and differences(old, new) == []
    simulate("douque", "dump", 4, out=tmp_path / "run", summary_only=True)
    assert simulate(file, "dump", 6, out=tmp_path / "run", summary_only=True).played == 2


@pytest.mark.parametrize(
    "spelling", ["a.toml", "./a.toml", "../{here}/a.toml", "link.toml", "{all}/a.toml"]
)
def test_loops_are_found_however_a_path_is_spelt(spelling: str, tmp_path: Path) -> None:
    base = spelling.format(here=tmp_path.name, all=tmp_path)
    path = house(tmp_path, f'extends = "{base}"\n', "a.toml")
    (tmp_path / "link.toml").symlink_to(path)
    assert "extend each other" in said(path)


def test_a_file_may_be_called_like_the_rules_it_extends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    house(tmp_path, 'extends = "royal"\ndeal = 9\n', "royal.toml")
    assert load_rules("royal.toml").deal == 9


def test_very_many_files_do_not_extend_each_other(tmp_path: Path) -> None:
    for number in range(30):
        house(tmp_path, f'extends = "{number + 1}.toml"\n', f"{number}.toml")
    assert "more than 20 files" in said(tmp_path / "0.toml")


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "zero.toml").symlink_to("/dev/zero")
    for name in ("pipe.toml", "zero.toml"):
        assert "no ordinary file" in said(tmp_path / name)
        assert "cannot be read" in said(house(tmp_path, f'extends = "{tmp_path / name}"\n'))
        with pytest.raises(InputError, match="no ordinary file"):
            parse_lineup(f"linear:weights={tmp_path / name}")


@pytest.mark.parametrize("card", ["3C", "C3", "♣3", "3♣"])
def test_cards_of_rules_may_be_spelt_as_anywhere(card: str, tmp_path: Path) -> None:
    text = f'{HOUSE}[opening]\ncard = "{card}"\n[kinds]\nunbeatable_singles = ["{card}"]\n'
    rules = load_rules(house(tmp_path, text))
    assert rules.opening_card == "3c" and rules.kinds_unbeatable_singles == ("3c",)


def test_a_name_is_nothing_to_vary() -> None:
    with pytest.raises(InputError, match="'name' is no rule of the game"):
        rule_variants("douque", "name")


def test_payoffs_that_do_not_fit_are_refused_as_simulate_does() -> None:
    rules = "douque:payoff.tiers=[[1, 1000]]:payoff.two_left={times=1000}"
    left = ["", "2s 2h 2d 2c", "4c", "5c"]
    for ask in (lambda: make_setup(rules, "dump"), lambda: payoffs(rules, 0, left, "3d")):
        with pytest.raises(InputError, match="32 bits hold"):
            ask()
    with pytest.raises(InputError, match="stake 1000000000000 is out of bounds"):
        payoffs("douque", 0, left, "3d", stake=10**12)


@pytest.mark.parametrize(
    "lineup",
    ["x" * 100_000, "noisy:base=" * 5000 + "dump", "dump:" + "x" * 100_000, "x" * 300 + ".py:bot",
     f"smart:{'y' * 5000}=1", f"linear:weights={'z' * 5000}", "keep:danger=" + "1" * 5000],
)  # fmt: skip
def test_lineups_without_measure_are_refused_in_few_words(lineup: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_lineup(lineup)
    assert len(str(caught.value)) < 1500


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("strategy = 3\n[weights]\nlead_pair = 1", "strategy must be a text"),
        ("[weights]\nlead_pair = 1\n[made]\n", "made must be a list"),
        (f"[weights]\nlead_pair = {'9' * 5000}", "digits"),
        (f"[weights]\nlead_pair = {'[' * 700}{']' * 700}", "deep"),
    ],
)
def test_weights_without_measure_are_refused_in_few_words(
    text: str, words: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=words) as caught:
        parse_lineup(f"linear:weights={house(tmp_path, text)}")
    assert len(str(caught.value)) < 900
