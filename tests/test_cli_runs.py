"""Guards `bigtwo simulate` and `bigtwo runs`, and how a run is stopped."""

import json
import os
import pty
import re
import signal
import subprocess
from itertools import permutations
from pathlib import Path

import pandas as pd
import pytest

from tests.command import (
    FOUR,
    PATIENCE,
    SCRIPT,
    SIM,
    call,
    data,
    line,
    parts,
    read_until,
    refuse,
    stored,
)


def test_simulate_prints_data_on_stdout_and_notes_on_stderr(tmp_path: Path) -> None:
    result = line(f"{SIM} --out {{run}}", run=tmp_path / "run")
    assert result.status == 0
    assert "20 deals, 80 playouts" in result.out
    for name in FOUR.split(","):
        assert len(re.findall(rf"^{name} .*[±[]", result.out, re.M)) == 2
    assert "win rate" in result.out and "starter" in result.out
    assert "80 playouts in" in result.err and "run" in result.err
    assert "±" not in result.err and "playouts in" not in result.out
    kept_nothing = line(SIM)
    assert kept_nothing.out == result.out
    assert "--out" in kept_nothing.err


def test_simulate_as_json_agrees_with_the_tables() -> None:
    found = data(f"{SIM} --seed 3 --stake 2")
    assert found["rules"] == "douque" and found["lineup"] == FOUR.split(",")
    assert (found["seed"], found["players"], found["stake"]) == (3, 4, 2)
    assert (found["seatings"], found["deals"], found["complete"]) == ("balanced", 20, True)
    shown = line(f"{SIM} --seed 3 --stake 2").out
    for row in found["strategies"]:
        assert row["deals"] == 20 and row["playouts"] == 80
        half = (row["payoff_high"] - row["payoff_low"]) / 2
        (text,) = re.findall(rf"^{row['strategy']} .*$", shown.split("\n\n")[0], re.M)
        assert f"{row['payoff']:.3f} ± {half:.3f}" in text
    assert len(found["seats"]) == 16
    assert sum(row["payoff"] for row in found["strategies"]) == pytest.approx(0, abs=1e-9)


def test_one_deal_has_no_interval() -> None:
    found = data("simulate --lineup random,dump --deals 1")
    for row in found["strategies"]:
        assert row["payoff_low"] is None and row["win_rate_high"] is None
    shown = line("simulate --lineup random,dump --deals 1")
    assert shown.status == 0 and "± ?" in shown.out and "nan" not in shown.out


def test_what_is_the_same_in_every_run_is_no_estimate() -> None:
    (row,) = data("simulate --lineup random --deals 1")["strategies"]
    assert (row["payoff_low"], row["payoff"], row["payoff_high"]) == (0, 0, 0)
    assert (row["win_rate_low"], row["win_rate"], row["win_rate_high"]) == (0.25, 0.25, 0.25)


def test_one_name_fills_all_seats() -> None:
    assert data("simulate --lineup dump --deals 9") == data(
        "simulate --lineup dump,dump,dump,dump --deals 9"
    )
    found = data("simulate --rules lockout --lineup dump --players 3 --deals 9")
    assert found["lineup"] == ["dump"] * 3 and found["seatings"] == "fixed"


@pytest.mark.parametrize(
    ("plan", "seatings"), [("fixed", 1), ("rotations", 4), ("balanced", 4), ("all", 24)]
)
def test_seating_plans(plan: str, seatings: int, tmp_path: Path) -> None:
    found = data(f"{SIM} --seatings {plan} --out {{run}}", run=tmp_path)
    assert found["seatings"] == plan
    rows = stored(tmp_path)
    assert rows.groupby("deal").seating.nunique().eq(seatings).all()
    assert len(rows) == 20 * seatings
    # Seat by seat, every slot comes up equally often in each deal, but for `fixed`.
    order = list(permutations(range(4)))
    for _, deal in rows.groupby("deal"):
        for seat in range(4):
            slots = [order[k][seat] for k in deal.seating]
            assert {slots.count(s) for s in set(slots)} == {max(1, seatings // 4)}
    if plan == "rotations":
        assert set(rows.seating) == {order.index((*range(s, 4), *range(s))) for s in range(4)}


def test_the_same_command_plays_nothing_and_a_larger_one_extends(tmp_path: Path) -> None:
    asked = f"simulate --lineup {FOUR} --seed 4 --threads 2 --out {{run}}"
    first = line(f"{asked} --deals 300", run=tmp_path / "run")
    kept = parts(tmp_path / "run")
    again = line(f"{asked} --deals 300", run=tmp_path / "run")
    assert again.out == first.out
    assert re.search(r"^0 playouts", again.err, re.M)
    assert parts(tmp_path / "run") == kept
    larger = line(f"{asked} --deals 700", run=tmp_path / "run")
    assert re.search(r"^1,600 playouts", larger.err, re.M)
    assert parts(tmp_path / "run").items() >= kept.items()
    whole = line(f"{asked} --deals 700", run=tmp_path / "whole")
    assert larger.out == whole.out
    pd.testing.assert_frame_equal(stored(tmp_path / "run"), stored(tmp_path / "whole"))
    smaller = line(f"{asked} --deals 300", run=tmp_path / "run")
    assert smaller.status == 0 and re.search(r"^0 playouts", smaller.err, re.M)
    assert re.search(r"\b400 deals\b", smaller.err) and smaller.out == whole.out


def test_a_summary_only_run_has_the_same_tables(tmp_path: Path) -> None:
    full = line(f"{SIM} --out {{run}}", run=tmp_path / "full")
    short = line(f"{SIM} --out {{run}} --summary-only", run=tmp_path / "short")
    assert short.status == 0 and short.out == full.out
    assert not list((tmp_path / "short").rglob("*.parquet"))
    assert "give --out" not in short.err
    larger = line(
        f"simulate --lineup {FOUR} --deals 50 --summary-only --out {{run}}", run=tmp_path / "short"
    )
    assert re.search(r"^120 playouts", larger.err, re.M)
    assert larger.out == line(f"simulate --lineup {FOUR} --deals 50").out


def test_run_json_says_what_was_played(tmp_path: Path) -> None:
    line(f"{SIM} --out {{run}} --seed 6", run=tmp_path)
    document = json.loads((tmp_path / "run.json").read_text("utf-8"))
    identity = document["identity"]
    assert identity["seed"] == 6 and identity["players"] == 4
    assert [entrant["name"] for entrant in identity["lineup"]] == FOUR.split(",")
    assert all(entrant["version"] == 1 for entrant in identity["lineup"])
    assert identity["rules"] == data("rules show douque")
    assert {"bigtwo", "python", "numba", "pyarrow"} <= document["software"].keys()
    assert document["machine"].keys() >= {"processor", "cores"}


def test_runs_on_disk(tmp_path: Path) -> None:
    asked = f"simulate --lineup {FOUR} --out {{run}} --deals"
    whole = data(f"{asked} 40", run=tmp_path / "whole")
    data(f"{asked} 15", run=tmp_path / "one")
    data(f"{asked} 25 --first-deal 15", run=tmp_path / "two")
    assert data("runs combine {a}/one {a}/two --out {a}/both", a=tmp_path)["deals"] == 40
    pd.testing.assert_frame_equal(stored(tmp_path / "both"), stored(tmp_path / "whole"))
    listed = data("runs list {a}", a=tmp_path)["runs"]
    assert [Path(run["folder"]).name for run in listed] == ["both", "one", "two", "whole"]
    assert [run["deals"] for run in listed] == [40, 15, 25, 40]
    assert len({run["id"] for run in listed}) == 1
    shown = data("runs show {a}/both", a=tmp_path)
    assert shown["strategies"] == whole["strategies"] and shown["deals"] == 40
    assert shown["identity"]["seed"] == 0
    verified = data("runs verify {a}/both --sample 10", a=tmp_path)
    assert verified["deals"] == 40
    exported = data("runs export {a}/both --to csv --out {a}/both.csv", a=tmp_path)
    assert exported["bytes"] == (tmp_path / "both.csv").stat().st_size
    exact = pd.read_csv(tmp_path / "both.csv")[["deal", "payoff_0"]]
    assert exact.sort_values(["deal", "payoff_0"]).to_numpy().tolist() == (
        stored(tmp_path / "whole")[["deal", "payoff_0"]]
        .sort_values(["deal", "payoff_0"]).to_numpy().tolist()
    )  # fmt: skip
    for command, fragment in [
        ("runs list {a}", "balanced"), ("runs show {a}/both", "40 deals, 160 playouts"),
        ("runs verify {a}/both --sample 5", "20 playouts of 5 deals"),
    ]:  # fmt: skip
        result = line(command, a=tmp_path)
        assert (result.status, result.err) == (0, "") and fragment in result.out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_keeps_what_was_played(number: signal.Signals, tmp_path: Path) -> None:
    """A run that would take hours is stopped, then finished, and compared with one in one go."""
    asked = ("simulate", "--lineup", "lowest,dump,lowest,highest", "--seatings", "fixed",
             "--threads", 2, "--seed", 8, "--out")  # fmt: skip
    assert call(*asked, tmp_path / "run", "--deals", 2000).status == 0
    kept = parts(tmp_path / "run")
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [SCRIPT, *map(str, asked), "run", "--deals", "9000000000"],
        stdout=subprocess.PIPE, stderr=slave, cwd=tmp_path,
    )  # fmt: skip
    try:
        os.close(slave)
        seen = read_until(master, r"\d\d,\d{3} of 9,000,000,000")
        refuse(
            line("simulate --lineup lowest --deals 5 --out {run}", run=tmp_path / "run"),
            f"pid {process.pid}",
        )
        process.send_signal(number)
        seen += read_until(master, None)
        output, _ = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        os.close(master)
    assert process.returncode == 130, seen[-500:]
    assert "/s" in seen and "stopped" in seen and "Traceback" not in seen
    assert "lowest" in output.decode()
    assert parts(tmp_path / "run").items() > kept.items()
    assert all(name.startswith("part-") for name in parts(tmp_path / "run"))
    before = stored(tmp_path / "run")
    assert len(before) > 10_000 and not before.deal.duplicated().any()
    deals = int(before.deal.max()) + 1000
    finished = call(*asked, tmp_path / "run", "--deals", deals)
    whole = call(*asked, tmp_path / "whole", "--deals", deals)
    assert finished.status == whole.status == 0
    assert finished.out == whole.out
    pd.testing.assert_frame_equal(stored(tmp_path / "run"), stored(tmp_path / "whole"))
