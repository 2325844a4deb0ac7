"""Guards `bigtwo analyse`: every table for people, as JSON and as CSV, and bad input."""

import io
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import analyses
from analyses.cells import with_intervals
from cli.analyse import app
from simcore import simulate
from tests.command import call, data, line, refuse

FOUR = "random,lowest,dump,highest"
# command: (what stands in its table, columns of its rows)
COMMANDS: dict[str, tuple[str, set[str]]] = {
    **{str(command.name): ("", {"deals"}) for command in app.registered_commands},
    "means": ("dump", {"strategy", "deals", "playouts", "win_rate", "payoff_low"}),
    "means --by seat_from_starter,downstream": ("seat from starter", {"downstream", "payoff"}),
    "differences": ("highest", {"row", "column", "payoff", "low", "high", "deals"}),
    "differences --metric win_rate": ("highest", {"row", "win_rate"}),
    "distributions": ("winner multiplier", {"variable", "value", "share_low", "at_least"}),
    "distributions --variable last_kind": ("single", {"value", "count"}),
    "quantiles --variable plays": ("q0.95", {"figure", "value", "low"}),
    "hands --deals 200": ("least plays", {"feature", "value", "hands", "payoff"}),
    "regression --deals 200": ("held-out R²", {"term", "estimate", "low"}),
    "luck": ("cards", {"source", "share", "variance"}),
    "ahead": ("lowest", {"better", "worse", "playouts_high", "duplicate_deals"}),
    "ahead --probability 0.8": ("lowest", {"better"}),
    "session --playouts 5 --bankroll 20 --sessions 100": ("worst run", {"strategy", "figure"}),
    "turns --about twos": ("twos", {"strategy", "value_low", "turns"}),
    "blunders --playouts 72": ("single given", {"blunder", "possible", "share_low"}),
    "rare": ("won with a dragon", {"event", "rate_low", "deal_rate"}),
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("run")
    simulate("douque", FOUR, 300, 1, out=folder, turns=True)
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_every_analysis(command: str, run: Path) -> None:
    fragment, names = COMMANDS[command]
    shown = line(f"analyse {command} {{run}}", run=run)
    assert shown.status == 0 and fragment in shown.out and "cover" in shown.out
    assert "nan" not in shown.out.lower().split() and "\x1b" not in shown.out
    rows = data(f"analyse {command} {{run}}", run=run)["rows"]
    assert names <= rows[0].keys()
    table = pd.read_csv(io.StringIO(line(f"analyse {command} {{run}} --csv", run=run).out))
    assert list(table.columns) == list(rows[0]) and len(table) == len(rows)
    assert table["deals"].gt(0).all()


def test_figures_are_those_of_the_library(run: Path) -> None:
    rows = data("analyse means {run}", run=run)["rows"]
    assert rows == analyses.means(run).to_dict("records")


def test_several_runs_stand_one_under_the_other(run: Path, tmp_path: Path) -> None:
    simulate("lockout", "dump", 20, 1, out=tmp_path / "other", players=3)
    rows = data("analyse means {run} {other}", run=run, other=tmp_path / "other")["rows"]
    assert [row["run"] for row in rows] == [str(run)] * 4 + [str(tmp_path / "other")]
    assert "run" not in data("analyse means {run}", run=run)["rows"][0]


def test_what_is_unknown_or_endless_is_null(tmp_path: Path) -> None:
    simulate("douque", FOUR, 1, 1, out=tmp_path / "one")
    (row, *_) = data("analyse means {run}", run=tmp_path / "one")["rows"]
    assert row["payoff"] is not None and row["payoff_low"] is None
    shown = line("analyse means {run}", run=tmp_path / "one").out
    assert "± ?" in shown and "nan" not in shown
    simulate("maceplay", "dump,keep,dump,keep", 12, 1, out=tmp_path / "few")
    (row,) = data("analyse ahead {run}", run=tmp_path / "few")["rows"]
    assert row["playouts_high"] is None and row["playouts_low"] > 0
    assert "∞" in line("analyse ahead {run}", run=tmp_path / "few").out


def test_figures_have_the_digits_that_their_interval_is_worth() -> None:
    assert with_intervals([0.5236, 10.0], [0.5213, 9.0], [0.5259, 11.0]) == [
        "0.5236 ± 0.0023", "10.0 ± 1.0",
    ]  # fmt: skip
    nan = float("nan")
    assert with_intervals([1234567.0], [nan], [nan]) == ["1,234,567 ± ?"]
    assert with_intervals([0.001, 0.5], [0.0, 0.4], [0.004, 0.6])[0] == "0.0010 [0.0000, 0.0040]"
    assert with_intervals([float("inf")], [5.0], [float("inf")]) == ["∞ [5, ∞]"]
    assert with_intervals([12, 4], [8, 4], [float("inf"), 5]) == ["12 [8, ∞]", "4 [4, 5]"]


BAD = [
    ("means --by seat {run}", ["unknown key 'seat'", "seat_from_starter"]),
    ("means --by , {run}", ["give one or more of"]),
    ("means {run} {run}", ["is given twice"]),
    ("means {run} --json --csv", ["give one"]),
    ("means {run}/nowhere", ["holds no run"]),
    ("distributions --variable payoffs {run}", ["unknown variable 'payoffs'", "payoff"]),
    ("quantiles --variable last_kind {run}", ["has no order"]),
    ("differences --metric cards {run}", ["unknown metric 'cards'", "payoff"]),
    ("regression --metric won {run}", ["unknown metric 'won'"]),
    ("hands --deals 0 {run}", ["0 deals are out of bounds", "at least 1"]),
    ("ahead --probability 1 {run}", ["probability 1 is out of bounds", "above 0.5, below 1"]),
    ("session --playouts 0 {run}", ["0 playouts are out of bounds: 1 to 100000"]),
    ("session --bankroll 0 {run}", ["bankroll 0 is out of bounds", "above 0"]),
    ("session --sessions 1 {run}", ["1 sessions are out of bounds: 100"]),
    ("luck {alone}", ["several strategies", "--seatings balanced"]),
    ("ahead {alone}", ["one strategy", "simulate two or more"]),
    ("rare {sums}", ["keeps sums only", "without --summary-only"]),
]


@pytest.mark.parametrize(("command", "fragments"), BAD, ids=[command for command, _ in BAD])
def test_bad_input(command: str, fragments: list[str], run: Path, tmp_path: Path) -> None:
    simulate("douque", "dump", 20, out=tmp_path / "alone")
    simulate("douque", FOUR, 20, out=tmp_path / "sums", summary_only=True)
    places = {"run": run, "alone": tmp_path / "alone", "sums": tmp_path / "sums"}
    refuse(line(f"analyse {command}", **places), *fragments)


def test_differences_of_sums_need_no_playouts(tmp_path: Path) -> None:
    simulate("douque", FOUR, 20, out=tmp_path, summary_only=True)
    assert len(data("analyse differences {run}", run=tmp_path)["rows"]) == 12


def test_no_analysis_shows_which_there_are() -> None:
    shown = call("analyse")
    assert shown.status == 2 and "luck" in shown.out and "session" in shown.out
