"""Guards the format of records: what is read, what is refused, and the one form that is written."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from simcore import InputError, load_rules, replay, simulate
from simcore.game.ruleset import KEYS
from simcore.records import Record, Turn, check, format, playouts, read, write
from simcore.records.record import parse_line
from simcore.records.rules import rule_keys, rules_of
from tests.command import call, line, refuse
from tests.support import RULE_SETS
from tests.support import TABLES as PLAYED

ROOT = Path(__file__).resolve().parents[1]
NAMES = '"names": ["Ann", "Bob", "Cai", "Dee"]'


def record_of(fields: str) -> Record:
    return parse_line(f'{{"bigtwo_record": 1, {NAMES}, {fields}}}', 1)


@pytest.mark.parametrize(("rules", "players"), PLAYED)
def test_a_written_record_is_the_playout(rules: str, players: int, tmp_path: Path) -> None:
    """Turn for turn, read back from a file."""
    lineup = ["random", "lowest", "dump", "keep"][:players]
    run = simulate(rules, lineup, 4, seed=11, stake=3, out=tmp_path / "run")
    file = tmp_path / "records.jsonl"
    number = write(tmp_path / "run", file, (1, 3))
    found = list(read(file))
    assert number == len(found) == 2 * players and len(file.read_text().splitlines()) == number
    assert found == list(playouts(run, (1, 3)))
    rows = run.playouts().query("1 <= deal < 3")
    for record, row in zip(found, rows.to_dict("records"), strict=True):
        deal, seating = row["deal"], row["seating"]
        assert str(record.id).endswith(f"/{deal}/{seating}")
        again = replay(rules, lineup, 11, deal, seating, players, stake=3)
        assert record.turns == tuple(Turn(t["seat"], tuple(t["cards"])) for t in again.turns)
        assert record.hands == tuple(map(tuple, again.hands))
        assert record.names == tuple(again.lineup[slot] for slot in again.slots)
        assert (record.starter, record.payoffs, record.stake) == (
            again.starter, tuple(again.payoffs), 3,
        )  # fmt: skip
        assert record.payoffs == tuple(row[f"payoff_{seat}"] for seat in range(players))
        assert record.rule_set() == load_rules(rules) or ":" in rules
    assert check(file).faults.empty


def test_turns_and_cards_in_any_spelling() -> None:
    spelled = [
        '[0, "3c 4d"]', '[0, ["3c", "4d"]]', '"3c 4d"', '["3c", "4d"]', '"♣3,D4"',
        '{"seat": 0, "cards": "c3 4♦"}', '{"seat": "Ann", "cards": ["3C", "4D"]}',
    ]  # fmt: skip
    found = record_of(f'"turns": [{", ".join(spelled)}]').turns
    assert {turn.cards for turn in found} == {("3c", "4d")}
    assert [turn.seat for turn in found] == [0, 0, None, None, None, 0, 0]
    passes = ["null", '""', '"pass"', '"Pass"', '"-"', "[]", "[2, null]", "[2, []]",
              '{"seat": 2, "cards": null}']  # fmt: skip
    assert not any(turn.cards for turn in record_of(f'"turns": [{", ".join(passes)}]').turns)
    assert record_of('"turns": [], "hands": ["10d 2s", ["S2", "3h"], null, ""]').hands == (
        ("Td", "2s"), ("2s", "3h"), None, (),
    )  # fmt: skip


def test_one_form_is_written() -> None:
    """And reading it back gives the same record."""
    record = record_of(
        '"rules": "royal", "turns": [["2s", "3c"], [1, null], {"seat": "Dee", "cards": "10d"}], '
        '"hands": ["3c 2s", null, null, null], "payoffs": [1.5, 0, 0, -1.5], "stake": 0.5, '
        '"values": [null, {"♣3": 1, "-": [2, 1.5, 2.5]}, null], "id": 7, "time": "2026-11-30", '
        '"notes": {"anything": ["at", "all"]}'
    )
    text = record.as_line()
    assert text == (
        f'{{"bigtwo_record": 1, "rules": "royal", {NAMES}, "hands": ["3c 2s", null, null, null], '
        '"turns": ["2s 3c", [1, "pass"], [3, "Td"]], "payoffs": [1.5, 0, 0, -1.5], "stake": 0.5, '
        '"id": 7, "time": "2026-11-30", "values": [null, {"3c": 1, "pass": [2, 1.5, 2.5]}, null], '
        '"notes": {"anything": ["at", "all"]}}'
    )
    assert parse_line(text) == record
    assert tuple(json.loads(text)) == tuple(
        n for n in format.NAMES if n not in ("starter", "first_hand")
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("3c 4d", "line 1: it is no JSON"),
        ("[1, 2]", "line 1 is no record"),
        ('{"turns": []}', "line 1 is no record"),
        ("[" * 100_000, "line 1: it is no JSON"),
        ('{"bigtwo_record": 2, "turns": []}', "version 1"),
        ('{"bigtwo_record": 1, "turns": [], "payofs": []}', "did you mean payoffs?"),
        ('{"bigtwo_record": 1, "turns": []}', "'names': is missing"),
        (f'{{"bigtwo_record": 1, {NAMES}}}', "'turns': is missing"),
        (f'{{"bigtwo_record": 1, {NAMES}, "turns": [[4, "3c"]]}}', "4 is no seat: 0 to 3"),
        (f'{{"bigtwo_record": 1, {NAMES}, "turns": [[0, "1x"]]}}', "unknown card '1x'"),
        (f'{{"bigtwo_record": 1, {NAMES}, "turns": [[0, "3c", 1]]}}', "are no cards"),
        (f'{{"bigtwo_record": 1, {NAMES}, "turns": [{{"seat": 0}}]}}', "turn 1"),
        (f'{{"bigtwo_record": 1, {NAMES}, "turns": [{{"seat": "Eve", "cards": ""}}]}}', "'Eve'"),
        (f'{{"bigtwo_record": 1, {NAMES}, "turns": [], "hands": [null]}}', "has 1 seats"),
        (f'{{"bigtwo_record": 1, {NAMES}, "turns": [], "payoffs": [1, 2, NaN, 4]}}', "nan"),
        (f'{{"bigtwo_record": 1, {NAMES}, "turns": [], "stake": 0}}', "'stake': 0"),
        (f'{{"bigtwo_record": 1, {NAMES}, "turns": [], "id": true}}', "'id': True"),
        (f'{{"bigtwo_record": 1, {NAMES}, "turns": [], "values": [1]}}', "each of 0 turns"),
        (f'{{"bigtwo_record": 1, {NAMES}, "turns": [null], "values": [{{"3c": "x"}}]}}', "points"),
        ('{"bigtwo_record": 1, "names": ["a"], "turns": []}', "2 to 4"),
        (f'{{"bigtwo_record": 1, {NAMES}, "turns": {[0] * 1001}}}', "1001 turns"),
    ],
)  # fmt: skip
def test_what_is_no_record(text: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=re.escape(says)) as caught:
        parse_line(text, 1)
    assert len(str(caught.value)) < 400
    (tmp_path / "file").write_text(text)
    refuse(line("records check {file}", file=tmp_path / "file"), "line 1")


def test_the_rules_of_a_record_are_data(tmp_path: Path) -> None:
    """A name that ships, or keys that pass every check; never a file."""
    (tmp_path / "mine.toml").write_text('extends = "royal"\nname = "mine"\n')
    for rules, says in {
        f'"{tmp_path}/mine.toml"': "no rule set that ships",
        '{"extends": "mine.toml"}': "no rule set that ships",
        '{"extends": "royal", "deal": 14}': "deal",
        '{"extends": "royal", "deel": 14}': "did you mean deal",
        '"royl"': "did you mean royal",
    }.items():
        with pytest.raises(InputError, match=says):
            record_of(f'"turns": [], "rules": {rules}').rule_set()
    with pytest.raises(InputError, match="'rules' is missing"):
        record_of('"turns": []').rule_set()
    house = record_of('"turns": [], "rules": {"extends": "royal", "name": "x", "deal": 13}')
    assert house.rule_set().deal == 13


def test_rules_in_full_say_every_key() -> None:
    for name in (*RULE_SETS, "royal:deal=13", "lockout:passing.locks_on=[]"):
        rules = load_rules(name)
        keys = rule_keys(rules)
        assert rules_of(json.loads(json.dumps(keys))) == rules
        assert set(keys) == set(KEYS)


def test_reading_records_does_not_load_the_compiler() -> None:
    code = "import sys; from simcore.records import Record, read; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


# The commands


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("records") / "run"
    simulate("lockout", "lowest,dump,random,keep", 6, seed=2, out=folder)
    return folder


def test_write_and_check(run: Path, tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"
    done = line("records write {run} --out {file}", run=run, file=file)
    assert (done.status, done.out, done.err) == (0, "", f"24 records in {file}\n")
    shown = line("records write {run} --deals 2:4 --seating 5", run=run)
    ids = [json.loads(text)["id"] for text in shown.out.splitlines()]
    assert [name.split("/")[1:] for name in ids] == [["2", "5"], ["3", "5"]]
    good = line("records check {file}", file=file)
    assert good.status == 0 and "24 records" in good.out and "no fault" in good.out
    records = list(read(file))
    wrong = replace(records[3], turns=records[3].turns[:-1], id="\x1b[31mred")
    file.write_text("\n\n".join(r.as_line() for r in (*records[:3], wrong)))
    bad = line("records check {file}", file=file)
    assert bad.status == 1 and "1 with a fault" in bad.out and "ended early: 1" in bad.out
    assert bad.out.startswith(f"line 7 (?[31mred), turn {len(wrong.turns)}: the record ends")
    asked = call("records", "check", file, "--json")
    assert asked.status == 1
    found = json.loads(asked.out)
    assert found["records"] == 4 and found["faults"][0]["fault"] == "ended_early"
    assert found["faults"][0]["record"] == 4 and found["faults"][0]["seat"] is None


def test_wrong_arguments(run: Path, tmp_path: Path) -> None:
    refuse(line("records write {run} --deals 4", run=run), "'4'", "A:B")
    refuse(line("records write {run} --deals 4:9", run=run), "4:9", "from 0 to 5")
    refuse(line("records write {run} --seating 24", run=run), "24", "0 to 23")
    refuse(line("records write {run} --out {file}", run=run, file=tmp_path / "no" / "file"), "file")
    refuse(line("records check {file}", file=tmp_path / "none"), "none", "check the path")
    file = tmp_path / "three"
    file.write_text('{"bigtwo_record": 1, "names": ["a", "b", "c"], "turns": []}')
    refuse(line("records check {file}", file=file), "line 1", "'rules' is missing")
    refuse(line("records check {file} --rules douque", file=file), "line 1", "3 seats", "4")
    refuse(line("records check {file} --rules royal", file=file), "line 1", "who starts")
    assert list(tmp_path.iterdir()) == [file]
