"""Guards `bigtwo replay`: turn by turn, the stored playout."""

import json
import os
import pty
import re
import shlex
import signal
import subprocess
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from simcore import load_rules
from tests import reference
from tests.command import FOUR, PATIENCE, SCRIPT, call, data, line, read_until, script, stored
from tests.support import reference_rules

REPLAYED = {
    "douque": f"--lineup {FOUR} --seed 5",
    "maceplay": "--rules maceplay --lineup timeout,random,lowest,dump --seatings rotations",
    "lockout": "--rules lockout --lineup random,random,dump --seatings all --seed 9",
    "royal": "--rules royal:deal=13 --lineup random,lowest,highest --seed 18446744073709551615",
}


def check_turns(found: dict[str, Any], rules: str) -> None:
    """Every turn of a replay is the next seat's, legal, and of the kind that it says."""
    known = reference_rules(load_rules(rules))
    hands = [set(hand) for hand in found["hands"]]
    assert len(set().union(*hands)) == sum(map(len, hands))
    standing: list[str] = []
    seat = by = found["starter"]
    locked: set[int] = set()
    trick = 1
    for turn in found["turns"]:
        assert turn["seat"] == seat and list(turn) == ["seat", "cards", "kind", "trick"]
        assert turn["trick"] == trick
        if turn["cards"]:
            combination = reference.classify(known, turn["cards"])
            assert combination is not None and combination[0] == turn["kind"]
            assert set(turn["cards"]) <= hands[seat]
            assert not standing or reference.beats(known, turn["cards"], standing)
            hands[seat] -= set(turn["cards"])
            standing, by = turn["cards"], seat
        else:
            assert turn["kind"] == "pass" and standing
            if len(standing) in known.passing_locks_on:
                locked.add(seat)
        seat = (seat + 1) % len(hands)
        while seat in locked and seat != by:
            seat = (seat + 1) % len(hands)
        if seat == by:
            standing, locked, trick = [], set(), trick + 1
    assert by == found["winner"] == found["turns"][-1]["seat"]
    assert [len(hand) for hand in hands] == found["cards_left"]
    assert [left == 0 for left in found["cards_left"]] == [
        s == found["winner"] for s in range(len(hands))
    ]
    assert sum(found["payoffs"]) == 0


@pytest.mark.parametrize("name", REPLAYED)
def test_a_replay_is_the_stored_playout(name: str, tmp_path: Path) -> None:
    """From the run's folder and from its address; the stake is the run's."""
    given = REPLAYED[name]
    words = shlex.split(given)
    address = " ".join(
        f"{key} {value}"
        for key, value in zip(words[::2], words[1::2], strict=True)
        if key != "--seatings"
    )
    assert line(f"simulate {given} --deals 12 --stake 3 --out {{run}}", run=tmp_path).status == 0
    rows = stored(tmp_path)
    lineup = words[words.index("--lineup") + 1].split(",")
    players = len(lineup)
    rules = words[1] if words[0] == "--rules" else "douque"
    for row in rows.iloc[::5].to_dict("records"):
        where = f"--deal {row['deal']} --seating {row['seating']}"
        found = data(f"replay {{run}} {where}", run=tmp_path)
        assert list(found) == [
            "rules", "seed", "deal", "seating", "lineup", "hands", "starter", "turns", "winner",
            "cards_left", "payoffs", "payer",
        ]  # fmt: skip
        assert (found["deal"], found["seating"]) == (row["deal"], row["seating"])
        assert found["lineup"] == lineup and len(found["hands"]) == players
        for key in ("starter", "winner"):
            assert found[key] == row[key]
        for seat in range(players):
            assert found["cards_left"][seat] == row[f"cards_left_{seat}"]
            assert found["payoffs"][seat] == row[f"payoff_{seat}"]
        kinds = [turn["kind"] for turn in found["turns"]]
        assert kinds.count("pass") == row["passes"]
        assert len(kinds) - kinds.count("pass") == row["plays"]
        assert kinds[-1] == row["last_kind"]
        check_turns(found, rules)
        again = data(f"replay {address} {where}")
        assert [3 * payoff for payoff in again.pop("payoffs")] == found.pop("payoffs")
        assert again == found
        shown = line(f"replay {{run}} {where}", run=tmp_path).out.splitlines()
        assert sum(text.startswith("trick ") for text in shown) == row["tricks"]
        turns = [text for text in shown if re.match(r"  seat \d .*(pass$|, \d+ left$)", text)]
        assert len(turns) == len(kinds)
        order = list(permutations(range(players)))[row["seating"]]
        for seat in range(players):
            assert shown[1 + seat].startswith(f"seat {seat} {lineup[order[seat]]}")


def test_every_seating_of_a_deal_has_the_same_hands() -> None:
    asked = f"replay --lineup {FOUR} --deal 17"
    found = [data(f"{asked} --seating {seating}") for seating in range(24)]
    assert all(one["hands"] == found[0]["hands"] for one in found)
    assert len({json.dumps(one["turns"]) for one in found}) > 1


def test_suits_have_colours_on_a_terminal_only() -> None:
    asked = shlex.split(f"replay --lineup {FOUR} --deal 3")
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen([SCRIPT, *asked], stdout=slave, env=environment)
    os.close(slave)
    seen = read_until(master, None)
    assert process.wait(PATIENCE) == 0
    os.close(master)
    colours = {suit: set(re.findall(rf"\x1b\[([\d;]*)m[3-9TJQKA2]{suit}", seen)) for suit in "♣♦♥♠"}
    assert all(len(found) == 1 for found in colours.values())
    assert len(set(map(str, colours.values()))) == 4
    plain = call(*asked).out
    assert [text.rstrip() for text in re.sub(r"\x1b\[[\d;]*m", "", seen).splitlines()] == [
        text.rstrip() for text in plain.splitlines()
    ]


def test_suits_without_symbols() -> None:
    done = script(
        *shlex.split(f"replay --lineup {FOUR} --deal 3"),
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 0 and "Traceback" not in done.stderr


def test_a_reader_that_leaves_early() -> None:
    suited = "3c4c5c6c7c8c9cTcJcQcKcAc2c"
    process = subprocess.Popen(
        [SCRIPT, "plays", "--rules", "maceplay", "--hand", suited],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None and process.stderr is not None
    process.stdout.read(1)
    process.stdout.close()
    assert process.wait(PATIENCE) in (0, 1, -signal.SIGPIPE)
    assert process.stderr.read() == b""
    process.stderr.close()
