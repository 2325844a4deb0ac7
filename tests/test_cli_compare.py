"""Guards `bigtwo compare`, `rate` and `compare-rules`: what they print, refuse and keep."""

import io
import os
import pty
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.command import BOT, SCRIPT, data, line, read_until, refuse

PAIR = "compare dump keep --rules maceplay --deals 400 --seed 1"
FIELD = "compare random dump keep --field lowest --deals 60"
RATE = "rate random lowest dump keep --deals 60 --rules lockout"
VARY = "compare-rules lockout --lineup random,lowest,dump,keep --deals 80"


def frame(text: str, **places: object) -> pd.DataFrame:
    """The CSV that a command prints."""
    result = line(f"{text} --csv", **places)
    assert result.status == 0, result.err
    return pd.read_csv(io.StringIO(result.out))


# ------------------------------------------------------------------ compare


def test_compare_says_who_is_better_first() -> None:
    result = line(PAIR)
    lines = result.out.splitlines()
    assert lines[0].startswith("keep is better than dump by ")
    assert lines[1] == (
        "maceplay, 4 players, seed 1, balanced seatings: 400 deals at 3 tables, 4,800 playouts"
    )
    for heading in ("payoff, 1v3", "win rate, 2v2", "dump - keep", "dump instead of keep beside"):
        assert heading in result.out
    assert "× " in result.out and "nan" not in result.out and "95 %" in result.out


def test_compare_json_and_csv_hold_the_same() -> None:
    found = data(PAIR)
    assert found["deals"] == 400 and found["playouts"] == 4800 and found["cycles"] == []
    assert found["tables"][0] == {"kind": "1v3", "lineup": ["dump", "keep", "keep", "keep"]}
    tidy = frame(PAIR)
    for name in ("scores", "matrix", "differences", "duels", "swaps", "gains"):
        rows = tidy[tidy["frame"] == name]
        assert len(rows) == len(found[name]) > 0
        if name != "gains":
            assert rows["estimate"].tolist() == pytest.approx([r["estimate"] for r in found[name]])
    assert found["verdict"] in line(PAIR).out


def test_compare_in_a_field() -> None:
    result = line(FIELD)
    assert result.status == 0 and "against lowest" in result.out and "instead" not in result.out
    assert "dump instead of keep beside" in line(FIELD.replace("random ", "")).out
    found = data(FIELD)
    assert [t["kind"] for t in found["tables"]] == ["field"] * 3
    own = [r for r in found["scores"] if r["strategy"] == "lowest" and r["measure"] == "payoff"]
    assert own[0]["estimate"] == 0 and len(found["differences"]) == 12


def test_compare_goes_on_in_its_folder(tmp_path: Path) -> None:
    first = line(f"{PAIR} --out {{out}}", out=tmp_path)
    assert first.status == 0 and f"3 runs in {tmp_path}" in first.err
    assert line(f"{PAIR} --out {{out}}", out=tmp_path).out == first.out == line(PAIR).out
    listed = data("runs list {out}", out=tmp_path)["runs"]
    assert len(listed) == 3 and {run["deals"] for run in listed} == {400}
    assert data("runs verify {out}/dump,keep,keep,keep", out=tmp_path)["playouts_compared"] > 0
    refuse(line(f"{PAIR.replace('seed 1', 'seed 2')} --out {{out}}", out=tmp_path), "another run")


def test_compare_with_control_variates(tmp_path: Path) -> None:
    text = "compare dump lowest --deals 300 --tables 2v2 --seatings fixed --rules lockout"
    plain, used = data(text), data(f"{text} --control --out {{out}}", out=tmp_path)

    def width(found: dict[str, Any]) -> float:
        row = found["differences"][0]
        return float(row["high"] - row["low"])

    assert width(used) < 0.97 * width(plain)
    assert used["control"] and used["gains"][0]["control"] > 1.05
    assert (tmp_path / "pilot").is_dir() and len(list(tmp_path.iterdir())) == 2


def test_compare_stops_when_it_is_certain(tmp_path: Path) -> None:
    text = "compare random dump --tables 2v2 --rules lockout --deals 50000 --sequential delta=1"
    result = line(text)
    assert result.out.startswith("dump is better than random by ")
    assert "always valid), after 1,024 deals." in result.out
    assert data(text)["deals"] == 1024
    kept = line(f"{text} --out {{out}}", out=tmp_path)
    assert kept.out == result.out
    table = frame(text)
    assert table["decision"].tolist() == ["worse"] and table["deals"].tolist() == [1024]
    short = line(text.replace("50000", "4"))
    assert "not certain yet after 4 deals" in short.out


def test_compare_one_deal_and_odd_tables() -> None:
    one = line("compare dump keep --deals 1")
    assert one.status == 0 and "± ?" in one.out and "nan" not in one.out
    assert one.out.startswith("One deal cannot tell strategies apart")
    assert "1 deal at 3 tables" in one.out
    assert data("compare dump keep --deals 1")["differences"][0]["low"] is None
    three = line("compare dump keep lowest --rules lockout --players 3 --deals 20 --tables 2v1")
    assert "payoff, 1v2" in three.out and "lockout, 3 players" in three.out


def test_compare_bots_and_house_rules_from_files(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(BOT)
    (tmp_path / "my.toml").write_text('extends = "lockout"\nname = "my"\ndeal = 10\n')
    text = "compare {dir}/bot.py:my_bot {dir}/bot.py:my_bot:spare=2 dump --rules {dir}/my.toml"
    found = data(f"{text} --deals 20 --out {{dir}}/out", dir=tmp_path)
    assert found["rules"] == "my" and len(found["tables"]) == 9
    twins = [r for r in found["differences"] if r["second"].endswith("spare=2")]
    assert len(twins) == 2 and all(r["p_holm"] == 1 for r in twins)  # its parameter does nothing


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("compare dump --deals 5", "nobody to meet"),
        ("compare dump dump --deals 5", "given 2 times"),
        ("compare dump keep --deals 0", "0 is less than 1 (given: '0')"),
        ("compare dump keep --deals x", "is no whole number"),
        ("compare dump keep --tables 3v3", "unknown tables '3v3'"),
        ("compare dump keep --tables mixed", "do not fill"),
        ("compare dump keep --field nope", "unknown strategy 'nope'"),
        ("compare dump keep --rules nope", "unknown rule set 'nope'"),
        ("compare dump keep --sequential alpha=3", "give a number between 0 and 0.5"),
        ("compare dump keep --sequential delta=1 --control", "exclude each other"),
        ("compare dump keep --json --csv", "exclude each other"),
        ("compare dump keep --first-deal -1", "-1 is less than 0"),
        ("compare dump keep --threads 0", "0 threads"),
        ("compare dump keep --players 3", "is played by 4"),
        ("compare", "Missing argument"),
        ("rate dump", "nobody to meet"),
        ("rate dump keep --tables mixed", "do not fill"),
        ("compare-rules douque --lineup dump", "nothing to be compared with"),
        ("compare-rules douque royal --lineup dump --vary deal=13", "2 are given; give one"),
        ("compare-rules douque --lineup dump --vary foo", "unknown key 'foo'"),
        ("compare-rules douque douque --lineup dump", "given 2 times"),
        ("compare-rules douque royal", "Missing option '--lineup'"),
        ("compare-rules douque lockout --lineup dump,keep,keep", "is played by 4"),
        ("compare-rules douque royal --lineup dump --big-loss 0", "greater than or equal to 1"),
        ("compare-rules douque royal --lineup dump --csv --json", "exclude each other"),
    ],
)
def test_bad_input_is_one_sentence(text: str, words: str) -> None:
    refuse(line(text), words)


def test_ctrl_c_keeps_what_was_played(tmp_path: Path) -> None:
    """On a terminal: there is a bar, the interrupt is heard, and the same command goes on."""
    words = ["compare", "random", "lowest", "--tables", "1v3", "--deals", "3000000"]
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [SCRIPT, *words, "--out", str(tmp_path)], stdout=slave, stderr=slave, stdin=slave,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    )  # fmt: skip
    os.close(slave)
    read_until(master, r"[1-9][\d,]* of 24,000,000")
    process.send_signal(signal.SIGINT)
    seen = read_until(master, None)
    assert process.wait(60) == 130 and "the same command goes on" in " ".join(seen.split())
    assert len(list(tmp_path.rglob("part-*"))) >= 1
    again = line("compare random lowest --tables 1v3 --deals 10 --out {out}", out=tmp_path)
    assert again.status == 0


# ------------------------------------------------------------------ rate


def test_rate_prints_ratings_beside_nash() -> None:
    result = line(RATE)
    assert "is rated highest, " in result.out.splitlines()[0]
    assert "Nash averaging" in result.out and "lockout, seed 0: 60 deals at 19 tables" in result.out
    found = data(RATE)
    assert len(found["ratings"]) == len(found["nash"]) == 4
    assert sum(row["rating"] for row in found["ratings"]) == pytest.approx(0, abs=1e-6)
    assert sum(row["weight"] for row in found["nash"]) == pytest.approx(1)
    table = frame(RATE)
    assert table["rating"].tolist() == pytest.approx([r["rating"] for r in found["ratings"]])
    assert data(RATE) == found


def test_rate_in_a_field_and_on_one_deal() -> None:
    field = line("rate dump keep --field random --deals 30")
    assert field.status == 0 and "Nash" not in field.out
    assert data("rate dump keep --field random --deals 30")["nash"] is None
    one = line("rate dump keep --deals 1")
    assert one.status == 0 and "nan" not in one.out and "?" in one.out


# ------------------------------------------------------------------ compare-rules


def test_compare_rules_prints_differences_to_the_first() -> None:
    text = "compare-rules douque lockout royal --lineup random,lowest,dump,keep --deals 80"
    result = line(text)
    lines = result.out.splitlines()
    assert lines[0].startswith("lockout against douque: ")
    assert lines[1].startswith("royal against douque: ")
    assert "80 deals under 3 rule sets" in lines[2] and "less douque" in result.out
    found = data(text)
    assert found["rules"] == ["douque", "lockout", "royal"] and len(found["measures"]) == 30
    assert found["measures"][0]["difference"] is None
    assert len(frame(text)) == 30


def test_compare_rules_varies_one_rule_at_a_time(tmp_path: Path) -> None:
    text = f"{VARY} --vary opening_must_include,pass_lock --out {{out}}"
    result = line(text, out=tmp_path)
    assert result.out.startswith("opening.must_include=false against lockout: ")
    (said,) = re.findall(r"passing.locks_on=\[\] against lockout: .*", result.out)
    assert "it takes 1." in said and " turns more" in said and "the starter" not in said
    assert len(data("runs list {out}", out=tmp_path)["runs"]) == 3
    found = data(text, out=tmp_path)
    turns = {r["rules"]: r for r in found["measures"] if r["measure"] == "turns"}
    assert turns["lockout:passing.locks_on=[]"]["difference_low"] > 0  # passes again and again


def test_compare_rules_without_seatings_has_no_luck() -> None:
    result = line("compare-rules douque royal --lineup dump --deals 20")
    (row,) = [text for text in result.out.splitlines() if text.startswith("luck")][:1]
    assert row.split() == ["luck", "–", "–"]
    one = line("compare-rules douque royal --lineup dump --deals 1")
    assert one.status == 0 and "one deal tells nothing" in one.out and "nan" not in one.out
