"""Guards the review of real hands: known truth, blunders by hand, luck without bias."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simcore
from analyses.blunders import blunders as blunders_of
from analyses.review import Review, difference_frame, review
from simcore import records
from simcore.blunders import blunders
from simcore.records.record import Record
from simcore.reviewing import Reviewer
from simcore.simulation.asking import Asking
from simcore.simulation.setup import make_setup
from tests.command import call, refuse


def hands_of(rules: str, lineup: str, deals: int, seed: int = 3, **how: Any) -> list[Record]:
    run = simcore.simulate(rules, lineup, deals, seed=seed, **how)
    return list(records.playouts(run))


@pytest.fixture(scope="module")
def reviewed() -> Review:
    found = hands_of("maceplay", "random,linear,dump,control", 12, seatings="fixed")
    return review(found, half_width=1.0, samples=128)


def test_who_plays_at_random_loses_most(reviewed: Review) -> None:
    lost = reviewed.players.set_index("player")["lost"]
    assert lost["random"] > lost["control"] and lost["random"] > lost["linear"]
    d = reviewed.decisions
    assert (d["cost_low"] <= d["cost"]).all() and (d["cost"] <= d["cost_high"]).all()
    assert not d.loc[d["cards"] == d["best"], "cost"].any()
    assert d["costly"].any() and (d.loc[d["costly"], "cost"] > 0).all()
    assert reviewed.players["precision"].notna().all()


def test_the_records_carry_the_values_of_their_plays(reviewed: Review, tmp_path: Path) -> None:
    """They read back, and the page of a hand shows them."""
    file = tmp_path / "reviewed.jsonl"
    file.write_text("".join(r.as_line() + "\n" for r in reviewed.records), "utf-8")
    back = list(records.read(file))
    assert [replace(r, line=0) for r in back] == [replace(r, line=0) for r in reviewed.records]
    first = next(r for r in back if any(r.values or ()))
    assert '"values": [{' in records.page(first)
    assert records.check(file).faults.empty


def test_a_hand_that_is_partly_unknown_is_reviewed_as_far_as_it_goes() -> None:
    whole = hands_of("maceplay", "dump,linear,dump,control", 1, seatings="fixed")[0]
    mine = replace(whole, hands=(whole.hands[0], None, None, None), names=("Ann", None, "Bob", "C"))
    found = review([mine], half_width=2, samples=64, anonymous=True)
    assert set(found.decisions["player"]) == {"A"}
    assert set(found.players["player"]) == {"A", "seat 1", "B", "C"}
    assert any("unknown" in note for note in found.notes)
    bad = replace(whole, turns=(*whole.turns[:9], whole.turns[0], *whole.turns[9:]))
    stopped = review([bad], half_width=2, samples=64)
    assert stopped.decisions["turn"].max() <= 10
    assert any("reviewed up to there" in note for note in stopped.notes)


def test_luck_is_taken_off_without_bias() -> None:
    """The adjusted difference is that of many deals, and its interval is smaller."""
    lineup = "dump,linear,dump,linear"
    found = hands_of("maceplay", lineup, 80, seatings="fixed")
    reviewer = Reviewer(None, "linear", 1, 64, 0, 1)
    followed = [reviewer.hand(i, record) for i, record in enumerate(found)]
    luck = np.array([hand.luck for hand in followed])
    assert np.abs(luck.sum(axis=1)).max() < 1e-9  # payoffs cancel
    for hand in followed:
        hand.names = ["dump 0", "linear 1", "dump 2", "linear 3"]
    row = difference_frame(followed).iloc[0]
    plain, adjusted = (row[f"{n}_high"] - row[f"{n}_low"] for n in ("payoff", "adjusted"))
    assert adjusted < 0.9 * plain
    many = simcore.simulate("maceplay", lineup, 20_000, seed=9, seatings="fixed").playouts()
    truth = (many["payoff_0"] - many["payoff_1"]).mean()
    assert abs(row["adjusted"] - truth) < adjusted


def test_blunders_by_hand() -> None:
    """Clubs low: 2s is the top card. Nothing unseen beats it, and then one card is left."""
    work = Asking(make_setup("royal", ["random"], 0, 4, "fixed"))
    state = dict(work.turns(0, 0)[0].state)
    suits = work.setup.rules.suits

    def mask(text: str) -> int:
        ranks = "3456789TJQKA2"
        return sum(1 << ranks.index(c[0]) * 4 + suits.index(c[1]) for c in text.split())

    def ask(hand: str, next_hand: str, played: str) -> tuple[set[str], set[str]]:
        own, other = mask(hand), mask(next_hand)
        rest = [mask("3d 4d 6h"), mask("5d 7c Qc")]
        seen = ((1 << 52) - 1) & ~(own | other | rest[0] | rest[1])
        now = state | {
            "seat": 0, "starter": 1, "required": 0, "standing": 0, "kind": 0, "strength": 0,
            "by": -1, "passed": 0, "locked": 0, "seen": seen, "played": 15, "turn": 30,
        }  # fmt: skip
        found = blunders(work, work.show((own, other, *rest), now), mask(played))
        return set(found.possible), set(found.made)

    top = "2" + suits[-1]
    assert ask(f"{top} 3c", "Kc Kh", "3c") == ({"certain_win_missed"}, {"certain_win_missed"})
    assert ask(f"{top} 3c", "Kc Kh", top) == ({"certain_win_missed"}, set())
    assert ask("Jc 3c", "Kc Kh", "3c") == (set(), set())  # Jc can be beaten
    assert ask("Jc Jd", "Kc Kh", "Jc") == ({"win_missed"}, {"win_missed"})
    assert ask("3c 3s 4c 8c", "Kc", "4c") == ({"single_given"}, {"single_given"})
    assert ask("3c 3s 4c 8c", "Kc", "3c 3s") == ({"single_given"}, set())
    assert ask("3c 3s 4c", "Kc", "4c")[1] == {"single_given", "certain_win_missed"}
    assert ask("3c 5s 8c", "Kc", "8c") == (set(), set())  # no safe play


def test_blunders_of_a_run(tmp_path: Path) -> None:
    simcore.simulate("lockout", "random,dump,control,keep", 40, seed=2, out=tmp_path / "run")
    found = blunders_of(tmp_path / "run", playouts=200)
    assert len(found) == 12 and (found["made"] <= found["possible"]).all()
    per = found.groupby("strategy")["made"].sum()
    assert per["random"] > per["control"]
    assert call("analyse", "blunders", str(tmp_path / "run"), "--playouts", "24").out
    refuse(call("analyse", "blunders", str(tmp_path / "run"), "--playouts", "0"), "at least 1")


def test_the_command(tmp_path: Path) -> None:
    run = simcore.simulate("maceplay", "dump,linear,dump,control", 1, seatings="fixed")
    file, page = tmp_path / "club.jsonl", tmp_path / "club.html"
    assert records.write(run, file) == 1
    options = ("--half-width", "2", "--samples", "64")
    told = json.loads(call("review", str(file), *options, "--json", "-o", str(page)).out)
    assert {"players", "decisions", "blunders", "differences"} <= told.keys()
    written = json.loads(file.read_text())
    del written["rules"]  # who reviews says them
    bare = tmp_path / "bare.jsonl"
    bare.write_text(json.dumps(written) + "\n")
    call("review", str(bare), *options, "--rules", "maceplay", "-o", str(page))
    shown = page.read_text("utf-8")
    assert "What players lose" in shown and shown.count("<iframe") == 1  # one hand has costly turns
    refuse(call("review", str(file), "--half-width", "0"), "half_width 0")
    refuse(call("review", str(file), "-o", str(tmp_path / "x.txt")), ".jsonl")
    refuse(call("review", str(file), "-o", str(tmp_path / "no" / "x.html")), "does not exist")
    refuse(call("review", str(file), "--strategy", f"{plain(tmp_path)}:choose"), "plain Python")
    (tmp_path / "bad.jsonl").write_text("{}\n")
    refuse(call("review", str(tmp_path / "bad.jsonl")), "line 1")


def plain(folder: Path) -> Path:
    file = folder / "slow.py"
    file.write_text("def choose(position):\n    return position.plays[0]\n")
    return file


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["douque", "maceplay", "lockout", "royal"])
def test_better_strategies_lose_less(rules: str) -> None:
    """random more than dump, dump more than control, rollout least; twins alike."""
    found = hands_of(rules, "random,dump,control,rollout", 40, seatings="balanced")
    lost = review(found[::24], half_width=0.5, samples=4000).players.set_index("player")["lost"]
    print(rules, lost.to_dict())
    assert lost["random"] > lost["dump"] > lost["control"] > lost["rollout"]
