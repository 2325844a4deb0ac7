"""Rows for turns: right, the same however they are made, verified; and what is asked of them."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import analyses
from simcore.columns import TURN_COLUMNS
from simcore.errors import InputError, RunError
from simcore.game.kinds import KINDS
from simcore.runs import turns as filling
from simcore.runs.simulate import simulate
from simcore.runs.turn_parts import encode_turns
from simcore.runs.verify import verify
from simcore.simulation.asking import Asking
from simcore.simulation.setup import make_setup
from tests.command import call, refuse

WINNER = "royal:session.lead=winner:session.hands=3"
LINEUP = "random,keep,noisy:base=dump:epsilon=0.2"


def rows_of(run: Path) -> pd.DataFrame:
    return pd.read_parquet(run / "turns").sort_values(
        ["deal", "seating", "turn"], ignore_index=True
    )


def expected(name: str, lineup: str, deals: int, players: int) -> pd.DataFrame:
    """The same rows, one question at a time."""
    setup = make_setup(name, lineup, 5, players, "all", 2)
    work, payoffs = Asking(setup), {}
    rows: list[dict[str, Any]] = []
    for deal in range(deals):
        done = work.play(deal, 1)
        for row in range(setup.seatings_per_deal):
            payoffs[deal, int(done["seating"][row])] = done["payoff"][:, row].copy()
    for (deal, seating), paid in payoffs.items():
        for turn in work.turns(deal, seating):
            at, seat = turn.state, turn.state["seat"]
            listed = work.show(turn.hands, at)
            (play,) = listed[listed.mask == turn.play]
            rows.append(
                {
                    "deal": deal, "seating": seating, "turn": at["turn"], "trick": at["trick"],
                    "seat": seat, "slot": turn.slot, "hand": turn.hands[seat],
                    "to_beat": at["standing"], "to_beat_kind": KINDS[at["kind"]],
                    "to_beat_strength": at["strength"], "to_beat_by": at["by"],
                    "play": turn.play, "kind": KINDS[play.kind], "strength": play.strength,
                    "legal_plays": len(listed), "passed": at["passed"], "locked": at["locked"],
                    **{f"cards_left_{k}": hand.bit_count() for k, hand in enumerate(turn.hands)},
                    "payoff": paid[seat],
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


@pytest.mark.parametrize(("name", "players"), [("lockout", 3), ("royal", 4), (WINNER, 3)])
def test_rows_are_the_turns(name: str, players: int, tmp_path: Path) -> None:
    lineup = LINEUP if players == 3 else f"{LINEUP},lowest"
    simulate(
        name, lineup, 3, 5, "all", players, threads=1, stake=2, out=tmp_path / "run", turns=True
    )
    found, wanted = rows_of(tmp_path / "run"), expected(name, lineup, 3, players)
    assert list(found) == [n for c in TURN_COLUMNS for n in c.names(players)]
    for column in wanted:
        assert found[column].astype(wanted[column].dtype).equals(wanted[column]), column
    # Who draws at random has drawn a word for each choice before; who does not, none.
    draws = found.groupby(["deal", "seating", "slot"])
    choices = draws["legal_plays"].transform(lambda n: (n > 1).cumsum().shift(fill_value=0))
    assert (found["drawn"] >= choices)[found["slot"] == 0].all()
    assert (found["drawn"] == 0)[found["slot"] == 1].all()
    assert draws["drawn"].is_monotonic_increasing.all()


def test_turns_are_the_same_however_they_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def play(folder: str, deals: int, threads: int, **turns: Any) -> None:
        simulate("lockout", LINEUP, deals, 5, threads=threads, out=tmp_path / folder, **turns)

    play("one", 60, 1, turns=True)
    monkeypatch.setattr(filling, "PART_PLAYOUTS", 24)
    play("two", 25, 2)
    play("two", 25, 2, turns=True)  # later
    play("two", 60, 2, turns=True)  # and extended
    one, two = rows_of(tmp_path / "one"), rows_of(tmp_path / "two")
    pd.testing.assert_frame_equal(one, two)
    assert len(list((tmp_path / "two" / "turns").iterdir())) == 9
    play("few", 60, 2, turns_every=7)
    few = rows_of(tmp_path / "few")
    pd.testing.assert_frame_equal(few, one[one["deal"] % 7 == 0].reset_index(drop=True))
    before = sorted((tmp_path / "few" / "turns").iterdir())
    play("few", 60, 1, turns_every=7)
    assert sorted((tmp_path / "few" / "turns").iterdir()) == before

    found = verify(tmp_path / "two", 20, seed=1)
    assert found.turn_parts == 9
    assert 300 < found.turns_compared < len(two)
    with pytest.raises(
        RunError, match=r"turns of every 7 deals, not of every 1; give --turns-every 7"
    ):
        play("few", 60, 1, turns=True)

    # A damaged part is named, set aside, and written anew.
    part = sorted((tmp_path / "two" / "turns").iterdir())[3]
    data = bytearray(part.read_bytes())
    data[len(data) // 2] ^= 1
    part.write_bytes(data)
    with pytest.raises(RunError, match="checksum"):
        verify(tmp_path / "two")
    play("two", 60, 1, turns=True)
    pd.testing.assert_frame_equal(rows_of(tmp_path / "two"), one)
    assert (tmp_path / "two" / "set-aside" / f"turns-{part.name}").exists()

    # So is a row that its playout does not give, under a checksum that is right.
    table = pq.read_table(part)
    changed = table["payoff"].to_numpy().copy()
    changed[5] += 1
    place = table.schema.get_field_index("payoff")
    stamp = int(part.name[5:20]), int(part.name[21:36])
    run_id = verify(tmp_path / "one", 1).run
    forged = table.set_column(place, table.schema.field(place), [changed])
    name, forged_data = encode_turns(run_id, *stamp, 1, forged)
    part.unlink()
    (part.parent / name).write_bytes(forged_data)
    with pytest.raises(RunError, match=r"deal 24, seating \d, turn 5, column 'payoff' is"):
        verify(tmp_path / "two", 1000)


def test_what_is_asked_of_turns(tmp_path: Path) -> None:
    run = tmp_path / "run"
    ran = call(
        "simulate", "--rules", "maceplay", "--lineup", "keep,lowest", "--deals", 40, "--out", run,
        "--turns", "--threads", 1,
    )  # fmt: skip
    assert "MB of disk" in ran.err and "turns of 40 deals written" in ran.err
    turns = rows_of(run)
    turns["strategy"] = np.where(turns["slot"] % 2 == 0, "keep", "lowest")
    turns["own"] = [row[f"cards_left_{row['seat']}"] for row in turns.to_dict("records")]
    twos = 15 << 48
    kept = {
        "leads": turns[turns["to_beat"] == 0],
        "twos": turns[((turns["hand"] & twos) != 0) & (turns["legal_plays"] > 1)],
        "passes": turns[(turns["to_beat"] != 0) & (turns["legal_plays"] > 1)],
        "worth": turns,
    }
    found = analyses.turns(run)
    assert set(found["about"]) == set(kept)
    for row in random.Random(1).sample(found.to_dict("records"), 40):
        own = kept[row["about"]]
        own = own[own["strategy"] == row["strategy"]]
        of = row["of"].replace(" ", "_")
        cells = {"leads": own["kind"], "passes": own["to_beat_kind"]}
        here = own[cells.get(row["about"], own["own"].astype(str)) == of]
        value = {
            "leads": len(here) / len(own),
            "twos": ((here["play"] & twos) != 0).mean(),
            "passes": (here["play"] == 0).mean(),
            "worth": here["payoff"].mean(),
        }[row["about"]]
        assert row["value"] == pytest.approx(value)
        assert row["turns"] == (len(own) if row["about"] == "leads" else len(here))
        assert not row["value"] < row["value_low"] and not row["value"] > row["value_high"]
    table = call("analyse", "turns", run, "--about", "leads").out
    assert "full house" in table and "passes" not in table
    assert "turns the same" in call("runs", "verify", run, "--sample", 5).out
    refuse(call("analyse", "turns", run, "--about", "lead"), "unknown question 'lead'")
    asked = ("simulate", "--lineup", "lowest", "--deals", 3)
    refuse(call(*asked, "--turns"), "give --out DIR")
    refuse(call(*asked, "--turns-every", 0, "--out", run), "out of bounds, 1 to")
    simulate("maceplay", "lowest", 3, out=tmp_path / "bare")
    refuse(call("analyse", "turns", tmp_path / "bare"), "has no turns; run its command")
    with pytest.raises(InputError, match="give --out DIR"):
        simulate("maceplay", "lowest", 3, turns_every=2)
