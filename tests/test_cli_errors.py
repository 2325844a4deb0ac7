"""Guards what bad input gets: one sentence, exit status 2, and nothing touched."""

import json
import os
import shlex
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.command import (
    FOUR,
    LOSERS,
    SIM,
    Result,
    call,
    line,
    refuse,
    script,
    stored,
)


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A run, a summary-only run, a file, a folder with strange files, an empty folder."""
    base = tmp_path_factory.mktemp("bad")
    found = {name: base / name for name in ("run", "tally", "strange", "empty", "file")}
    lineup = "--lineup random,lowest,dump,highest --deals 20"
    assert line(f"simulate {lineup} --out {{run}}", **found).status == 0
    assert line(f"simulate {lineup} --out {{tally}} --summary-only", **found).status == 0
    found["strange"].mkdir()
    (found["strange"] / "letter.txt").write_text("dear", "utf-8")
    found["empty"].mkdir()
    found["file"].write_text("not TOML\n", "utf-8")
    found["house"] = base / "house.toml"
    found["house"].write_text('extends = "douque"\nkinds.alowed = ["single"]\n', "utf-8")
    found["clash"] = base / "clash.toml"
    found["clash"].write_text('extends = "lockout"\n[kinds]\nbombs = ["flush"]\n', "utf-8")
    return found


# A command line, and what its sentence contains: the value, then the bound or the remedy.
BAD: list[tuple[str, str, str]] = [
    # cards
    ("plays --hand '3c 4d 3c'", "3c", "once"),
    ("plays --hand '3c ♣3'", "3c", "once"),
    ("plays --hand '3c 4d' --table 4d", "4d", "once"),
    ("plays --hand '3c 1d'", "'1d'", "3 4 5 6 7 8 9 T J Q K A 2"),
    ("plays --hand 3x", "'3x'", "c d h s"),
    ("plays --hand 7", "'7'", "c d h s"),
    ("plays --hand h", "'h'", "3 4 5 6 7 8 9 T J Q K A 2"),
    ("plays --hand 'hello world'", "'hello'", "as in '3c"),
    ("plays --hand ''", "hand is empty", "at least one card"),
    ("plays --hand ' , '", "hand is empty", "at least one card"),
    ("plays --hand 3c --table ''", "table is empty", "at least one card"),
    ("plays --hand 3c --table '4c 5c'", "'4c 5c'", "allowed: single"),
    ("plays --hand 3c --table '4c 4d 4h'", "'4c 4d 4h'", "allowed: single"),
    ("plays --hand 3c --table '4c 4c'", "4c", "once"),
    ("plays --hand '3c3d3h3s4c4d4h4s5c5d5h5s6c6d'", "14 cards", "at most 13"),
    ("plays --rules lockout --hand '3c3d3h3s4c4d4h4s5c5d5h5s6c6d6h6s7c7d7h'", "19", "at most 18"),
    ("plays --hand 3c --next-left 0", "0", "1 to 13"),
    ("plays --hand 3c --next-left 14", "14", "1 to 13"),
    ("plays --hand 3c --opening --table 4c", "opening", "leave out"),
    ("plays --hand 4c --opening --rules maceplay", "'4c'", "3c"),
    ("classify '3c 3c'", "3c", "once"),
    ("classify 3z", "'3z'", "c d h s"),
    ("beats 3c 3c", "3c", "once"),
    ("beats '' 3c", "empty", "at least one card"),
    ("beats 3c '4c 5d'", "'4c 5d'", "allowed: single"),
    ("beats 3c 3q", "'3q'", "c d h s"),
    (f"payoff --last '3c 7d' {LOSERS}", "'3c 7d'", "allowed: single"),
    (f"payoff --last '' {LOSERS}", "last play is empty", "at least one card"),
    (f"payoff --last 4c {LOSERS}", "4c", "once"),
    ("payoff --last 3c --left 4c --left 5c --left 4c", "4c", "once"),
    ("payoff --last 3c --left 4c --left '' --left 5c", "loser 2", "at least one card"),
    ("payoff --last 3c --left 4c --left 5c", "2 losers", "3"),
    ("payoff --last 3c --left '3d3h3s4c4d4h4s5c5d5h5s6c6d6h' --left 7c --left 8c", "14", "13"),
    (f"payoff --last 3c {LOSERS} --stake 0", "0", "out of bounds: 1 to"),
    (f"payoff --last 3c {LOSERS} --stake -5", "-5", "out of bounds: 1 to"),
    # rule sets and strategies
    ("plays --hand 3c --rules duoque", "'duoque'", "did you mean douque"),
    ("simulate --lineup random --deals 5 --rules zzzz", "'zzzz'", "known: capsa, douque"),
    ("rules show lokout", "'lokout'", "did you mean lockout"),
    ("rules show royal:deal=99", "99", "1 to 13"),
    ("rules show royal:dael=13", "'dael'", "did you mean deal"),
    ("rules check nowhere.toml", "'nowhere.toml'", "check the path"),
    ("rules check {file}", "file", "line 1"),
    ("rules check {house}", "house.toml: unknown key 'kinds.alowed'", "kinds.allowed"),
    ("rules check {clash}", "clash.toml: key 'kinds.bombs': 'flush'", "add it"),
    ("strategies show hihgest", "'hihgest'", "did you mean highest"),
    ("simulate --lineup randum --deals 5", "'randum'", "did you mean random"),
    ("simulate --lineup zzzz --deals 5", "'zzzz'", "known: control, dump, highest"),
    ("simulate --lineup random:depth=2 --deals 5", "'depth'", "no parameters"),
    ("simulate --lineup rollout:samples=-5 --deals 5", "is -5", "bounds: 1 to 1e+06"),
    ("simulate --lineup noisy:base=control:solve=20 --deals 5", "is 20", "bounds: 0 to 12"),
    ("simulate --lineup nowhere.py:bot --deals 5", "'nowhere.py'", "check the path"),
    ("simulate --lineup no_such_module:bot --deals 5", "'no_such_module'", "does not load"),
    ("simulate --lineup simcore:bot --deals 5", "'bot'", "check the name"),
    ("simulate --lineup simcore:__version__ --deals 5", "simcore:__version__", "@strategy"),
    # lineups and tables
    ("simulate --lineup random,lowest,dump --deals 5", "3 strategies", "played by 4"),
    ("simulate --lineup random,lowest,dump,dump,dump --deals 5", "5 strategies", "played by 4"),
    ("simulate --lineup random,lowest,dump --players 4 --deals 5", "3 strategies", "give 1"),
    (f"simulate --rules royal --lineup {FOUR} --players 3 --deals 5", "4 strategies", "or 3"),
    ("simulate --lineup '' --deals 5", "has an empty place", "name one"),
    ("simulate --lineup random --players 3 --deals 5", "3 players", "played by 4"),
    ("simulate --lineup random --players 0 --deals 5", "0 players", "played by 4"),
    ("simulate --rules lockout --lineup random --players 5 --deals 5", "5 players", "3 or 4"),
    # numbers
    ("simulate --lineup random --deals 0", "0 deals", "1 to"),
    ("simulate --lineup random --deals -5", "-5 deals", "1 to"),
    (f"simulate --lineup random --deals {10**30}", str(10**30), "1 to"),
    ("simulate --lineup random --deals 5 --threads -1", "-1 threads", "1 to"),
    ("simulate --lineup random --deals 5 --seed -1", "seed -1", "0 to"),
    (f"simulate --lineup random --deals 5 --seed {2**64}", str(2**64), str(2**64 - 1)),
    ("simulate --lineup random --deals 5 --stake 0", "stake 0", "1 to"),
    (f"simulate --lineup random --deals 5 --stake {10**9}", str(10**9), "32 bits"),
    ("simulate --lineup random --deals 5 --seatings ballanced", "'ballanced'", "did you mean"),
    ("bench --seconds 0", "0.0 seconds", "more than 0"),
    ("bench --seconds nan", "nan", "more than 0"),
    ("bench --strategy dump", "--strategy", "--profile"),
    ("bench --profile --strategy dumb", "'dumb'", "dump"),
    ("bench --profile --growth 10", "--growth", "one at a time"),
    ("bench --growth 10,many", "'10,many'", "10000,1000000"),
    ("bench --growth 0", "'0'", "out of bounds"),
    ("simulate --lineup random --deals 5 --first-deal -1", "first deal -1", "0 to"),
    ("simulate --lineup random --until soon", "'soon'", "half-width=0.002"),
    ("simulate --lineup random --until half-width=0", "0", "above 0"),
    ("simulate --lineup random --max-time later", "'later'", "10m"),
    ("simulate --lineup random --deals 5 --executor dusk", "'dusk'", "did you mean dask"),
    # folders
    (f"{SIM} --out {{run}} --seed 1", "seed: 0 → 1", "another --out"),
    (f"{SIM} --out {{run}} --stake 2", "stake: 1 → 2", "another --out"),
    (f"{SIM} --out {{run}} --seatings all", "seatings: balanced → all", "another --out"),
    ("simulate --lineup dump --deals 20 --out {run}", f"{FOUR} → dump", "another --out"),
    (f"{SIM} --out {{run}} --summary-only", "playouts", "--summary-only"),
    (f"{SIM} --out {{tally}}", "tallies", "--summary-only"),
    (f"{SIM} --out {{strange}}", "'letter.txt'", "another --out"),
    (f"{SIM} --out {{file}}", "file", "another --out"),
    (f"{SIM} --out {{file}}/below", "below", "another --out"),
    # replays
    ("replay --deal 1", "missing", "--lineup"),
    ("replay {empty} --deal 1", "empty", "check the folder"),
    ("replay {run} --deal -1", "deal -1", "0 to"),
    (f"replay {{run}} --deal {10**30}", str(10**30), "0 to"),
    ("replay {run} --deal 1 --seating 24", "seating 24", "0 to 23"),
    ("replay {run} --deal 1 --seating -1", "seating -1", "0 to 23"),
    ("replay --rules lockout --lineup random --players 3 --deal 1 --seating 6", "6", "0 to 5"),
    ("replay {run} --deal 1 --seed 5", "--seed", "leave out"),
    ("replay --lineup random,lowest,dump --deal 1", "3 strategies", "played by 4"),
    # runs on disk
    ("runs show {empty}", "empty", "check the folder"),
    ("runs verify {strange}", "strange", "check the folder"),
    ("runs list {strange}/nowhere", "nowhere", "give the folder"),
    ("runs export {run} --to excel", "'excel'", "csv"),
    ("runs combine {run} {tally} --out {empty}/whole", "tally", "run"),
    # the command line itself
    ("frobnicate", "'frobnicate'", "--help"),
    ("rules frobnicate", "'frobnicate'", "--help"),
    ("plays", "--hand", "--help"),
    ("plays --hand", "--hand", "--help"),
    ("plays --hand 3c --frob", "--frob", "--help"),
    ("classify 3c 4c", "4c", "--help"),
    ("simulate --lineup random", "missing", "deals"),
]  # fmt: skip
# The sentence about an option that is no number shows which, but not what was given.
NO_NUMBER = [
    ("simulate --lineup random --deals ten", "--deals", "ten"),
    ("simulate --lineup random --deals 1.5", "--deals", "1.5"),
    ("plays --hand 3c --next-left few", "--next-left", "few"),
    ("bench --seconds long", "--seconds", "long"),
]


@pytest.mark.parametrize(
    ("asked", "value", "remedy"),
    [*BAD, *NO_NUMBER],
    ids=[row[0][:70] for row in (*BAD, *NO_NUMBER)],
)
def test_bad_input_gets_one_sentence(
    asked: str, value: str, remedy: str, places: dict[str, Path]
) -> None:
    refuse(line(asked, **places), value, remedy)


def test_bad_input_leaves_folders_as_they_were(places: dict[str, Path]) -> None:
    assert sorted(path.name for path in places["strange"].iterdir()) == ["letter.txt"]
    assert not list(places["empty"].iterdir())
    assert places["file"].read_text("utf-8") == "not TOML\n"
    assert len(stored(places["run"])) == 80


def test_no_threads(places: dict[str, Path]) -> None:
    refuse(line("simulate --lineup random --deals 5 --threads 0"), "0 threads", "1 to")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_folder_without_the_right_to_write(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    refuse(line(f"{SIM} --out {{place}}", place=tmp_path / "run"), "Permission denied", "--out")


@pytest.mark.parametrize(
    "asked", ["classify '3c 3c'", "simulate --lineup randum --deals 5", "plays", "frobnicate"]
)
def test_bad_input_in_the_installed_command(asked: str, tmp_path: Path) -> None:
    done = script(*shlex.split(asked), cwd=tmp_path)
    refuse(Result(done.returncode, done.stdout, done.stderr))
    assert line(asked).err == done.stderr


@settings(max_examples=300)
@given(st.one_of(st.text(max_size=30), st.text("3456789TJQKA210cdhsCDHS♣♦♥♠ ,;-=[]/", max_size=40)))
@example("[/red]")
@example("\ud800")
@example("3c\n4x")
@example(":smile:")
def test_no_text_for_cards_breaks_the_command(text: str) -> None:
    result = call("classify", "--json", "--", text)
    if result.status == 0:
        assert json.loads(result.out).keys() == {"legal", "kind"} and result.err == ""
    else:
        refuse(result)
