"""Guards the last-card rule beside its forced form: may not pass if able, and paying for all."""

from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest

import analyses
import simcore
from simcore.errors import InputError
from simcore.game.ruleset import load_rules
from simcore.records import check, playouts
from simcore.records.record import Record, Turn
from simcore.runs.reading import read_run
from simcore.runs.verify import verify
from simcore.settlement import explain
from tests.recorded import follow

FREE = "hongkong:last_card.highest_single=false"
PAYS, NO_PASS = f"{FREE}:deal=3:last_card.pays=true", f"{FREE}:deal=3:last_card.no_pass=true"
# Seat 3 plays two of its three cards; then seat 2 is to follow the Ac, and after it seat 3.
BEGIN = "3d 4d 7c Kd pass pass pass Ac pass pass"


def played(rules: str, second: str, third: str, then: str) -> Record:
    """A hand of three cards each, with these hands of seats 2 and 3, and turns after BEGIN."""
    hands = ("3d 5c 9s", "4d 6h Kh", second, third)
    turns = (Turn(None, () if t == "pass" else (t,)) for t in f"{BEGIN} {then}".split())
    return Record(4, tuple(turns), tuple(tuple(h.split()) for h in hands), rules)


@pytest.mark.parametrize(
    ("second", "third", "then", "payoffs"),
    [
        ("7c 8d As", "Kd Ac 2d", "pass 2d", [0, 0, -6, 6]),  # could have beaten the Ac
        ("7c 8d As", "Kd Ac 2d", "As 2d", [-2, -2, -1, 5]),  # did what one can
        ("7c Ah As", "Kd Ac 2d", "Ah 2d", [0, 0, -5, 5]),  # not the highest
        ("7c 8d Qs", "Kd Ac 2d", "pass 2d", [-2, -2, -2, 6]),  # nothing beats it
        # Seat 3 does not go out on that turn: nobody pays for others.
        ("7c Ah As", "Kd Ac 3c", "Ah pass pass pass As", [-2, -2, 5, -1]),
    ],
)
def test_who_lets_the_next_player_out_pays_for_all(
    second: str, third: str, then: str, payoffs: list[int]
) -> None:
    record = replace(played(PAYS, second, third, then), payoffs=tuple(payoffs))
    seats = replace(record, turns=tuple(_seated(record)))
    assert follow(seats).payoffs == payoffs
    assert len(check(BytesIO(record.as_line().encode())).faults) == 0
    wrong = replace(record, payoffs=(-1, 0, 0, 1))
    (found,) = check(BytesIO(wrong.as_line().encode())).faults["sentence"]
    assert f"by the rules they are {', '.join(map(str, payoffs))}" in found
    if payoffs[3] > 0:  # without the cards of seat 2, only what the winner gets is certain
        some = (-payoffs[3], 0, 0, payoffs[3])
        hidden = replace(record, hands=(*record.hands[:2], None, record.hands[3]), payoffs=some)
        told = check(BytesIO(hidden.as_line().encode()))
        assert (len(told.faults), told.unsettled) == (0, 1)


def _seated(record: Record) -> list[Turn]:
    seat, turns, by = 0, [], -1
    for turn in record.turns:
        seat = by if seat == by and not turn.cards else seat
        turns.append(Turn(seat, turn.cards))
        by = seat if turn.cards else by
        seat = (seat + 1) % 4
    return turns


def test_one_may_not_pass_if_able() -> None:
    fine = played(NO_PASS, "7c 8d As", "Kd Ac 2d", "As 2d")
    assert len(check(BytesIO(fine.as_line().encode())).faults) == 0
    passed = played(NO_PASS, "7c 8d As", "Kd Ac 2d", "pass 2d")
    (row,) = check(BytesIO(passed.as_line().encode())).faults.to_dict("records")
    assert (row["fault"], row["turn"], row["rule"]) == ("pass_though_able", 11, "last_card.no_pass")
    assert row["sentence"].endswith("seat 3 has one card left, and Ac can be beaten; allowed: As.")
    unable = played(NO_PASS, "7c 8d Qs", "Kd Ac 2d", "pass 2d")
    assert len(check(BytesIO(unable.as_line().encode())).faults) == 0
    options = [str(p) for p in decided(NO_PASS, "Kh As", "Ac").plays]
    assert options == ["As"] and str(decided(NO_PASS, "Kh Qs", "Ac")) == "pass"


def decided(rules: str, hand: str, table: str) -> simcore.Decision:
    """What is played before a player with one card, who made the standing play."""
    return simcore.decide(
        rules, "highest", hand, table, to_beat_by=1, cards_left=[2, 1, 2, 2], fresh=False
    )


def test_payoffs_take_a_payer_and_say_what_it_pays_for() -> None:
    left = ["5c", "6h Kh 9s", "8d As", ""]
    assert simcore.payoffs(PAYS, 3, left, "2d", payer=2) == [0, 0, -6, 6]
    pairwise = f"{PAYS}:payoff.settlement=pairwise"
    assert simcore.payoffs(pairwise, 3, left, "2d") == [2, -6, -2, 6]
    assert simcore.payoffs(pairwise, 3, left, "2d", payer=2) == [2, 0, -8, 6]
    for rules, stake in ((PAYS, 1), (pairwise, 7)):
        items = explain(rules, 3, left, "2d", stake=stake, payer=2)
        found = [sum(item.points for item in items if item.seat == seat) for seat in range(4)]
        assert found == simcore.payoffs(rules, 3, left, "2d", stake=stake, payer=2)
    for payer, problem in ((3, "seat 3 is no loser"), (4, "seat 4 is no loser")):
        with pytest.raises(InputError, match=problem):
            simcore.payoffs(PAYS, 3, left, "2d", payer=payer)
    with pytest.raises(InputError, match="in rule set 'hongkong' nobody pays for all"):
        simcore.payoffs("hongkong", 3, left, "2d", payer=2)
    with pytest.raises(InputError, match=r"key 'last_card\.pays': is for what"):
        load_rules("hongkong:last_card.pays=true:last_card.no_pass=true")


def test_what_plays_on_knows_who_pays() -> None:
    """To pass costs the cards of all three, whichever card the next player goes out with."""
    position = {"to_beat_by": 1, "cards_left": [2, 1, 2, 2], "seen": "3d 4d 7c Kd Ac"}
    for rules, worth in ((PAYS, -6), (PAYS.replace("pays=true", "pays=false"), -2)):
        found = simcore.evaluate(rules, "8d As", "Ac", policy="lowest", samples=64, **position)  # type: ignore[arg-type]
        (passing,) = (w for w in found.plays if not w.play)
        assert passing.payoff == worth
        assert found.plays[0].play.cards == ("As",)


def test_the_payer_is_a_column(tmp_path: Path) -> None:
    rules = f"{FREE}:last_card.pays=true"
    run = simcore.simulate(rules, "random,lowest,dump,keep", 300, seed=2, out=tmp_path / "run")
    rows = run.playouts()
    paid = rows[rows["payer"] >= 0]
    assert len(paid) > 20 and set(rows["payer"]) == {-1, 0, 1, 2, 3}
    assert (paid["winner"] == (paid["payer"] + 1) % 4).all()
    payoffs = paid[[f"payoff_{seat}" for seat in range(4)]].to_numpy()
    assert ((payoffs != 0).sum(axis=1) == 2).all() and (payoffs.sum(axis=1) == 0).all()
    found = analyses.find(run, "payer >= 0", None)
    assert len(found) == len(paid) and found["deal"].tolist() == paid["deal"].tolist()
    assert verify(tmp_path / "run", 50).deals_compared == 50
    assert read_run(tmp_path / "run").form == 3
    records = list(playouts(run, (0, 40)))
    lines = "\n".join(record.as_line() for record in records)
    assert len(check(BytesIO(lines.encode())).faults) == 0
    with pytest.raises(InputError, match="unknown"):
        analyses.find(simcore.simulate("hongkong", "dump", 5), "payer > 0")
