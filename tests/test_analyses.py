"""Guards loading a run and its tables, against slow recomputations with pandas."""

import math
import warnings
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from scipy import stats

from analyses import batches, differences, load, run_summary, seat_table, strategy_table
from analyses.cells import columns
from analyses.sequential import parse_sequential
from simcore import InputError, RunError, simulate
from simcore.game.ruleset import load_rules
from simcore.statistics import t_quantile
from simcore.strategies.registry import Entrant, load_strategy
from tests.support import expected_share

# name: (rules, lineup, seatings, stake); the table sizes, repeated strategies, every plan

SAMPLES = {
    "field": ("douque", "random,lowest,dump,highest", "balanced", 3),
    "pairs": ("maceplay", "random,dump,random,dump", "all", 1),
    "three": ("lockout", "random,dump,random", "all", 2),
    "short": ("royal:deal=13", "lowest,random,highest", "rotations", 1),
    "as given": ("douque", "dump,dump,random,lowest", "fixed", 1),
    "alone": ("lockout", "random", "balanced", 1),
}
DEALS = 60


@pytest.fixture(scope="module", params=SAMPLES)
def sample(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A played run in a folder, in several parts."""
    rules, lineup, seatings, stake = SAMPLES[request.param]
    folder = tmp_path_factory.mktemp("run")
    for deals in (20, DEALS):
        run = simulate(
            rules, lineup, deals, 11, seatings, threads=2, out=folder, stake=stake,
            players=3 if lineup.count(",") == 2 else 4,
        )  # fmt: skip
    return run


@pytest.fixture(scope="module")
def field(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A run of four strategies."""
    folder = tmp_path_factory.mktemp("field")
    return simulate("douque", "random,lowest,dump,highest", 40, 5, "balanced", out=folder)


def slow_rows(run: Any) -> list[dict[str, Any]]:
    """One row per playout and seat, by plain loops over the stored columns."""
    frame = pd.read_parquet(Path(run.folder) / "playouts")
    names = [entrant.name for entrant in run.setup.lineup]
    seats = range(len(names))
    orders = sorted(permutations(seats))
    shared = [c for c in frame.columns if not c[-1].isdigit()]
    own = sorted({c.rsplit("_", 1)[0] for c in frame.columns if c[-1].isdigit()})
    rows = []
    for playout in frame.to_dict("records"):
        for seat in seats:
            slot = orders[playout["seating"]][seat]
            rows.append(
                {
                    **{name: playout[name] for name in shared},
                    "seat": seat,
                    "slot": slot,
                    "strategy": names[slot],
                    "seat_from_starter": (seat - playout["starter"]) % len(names),
                    "won": playout["winner"] == seat,
                    **{name: playout[f"{name}_{seat}"] for name in own},
                }
            )
    return rows


# ------------------------------------------------------------------ tables


def check_interval(row: dict[str, Any], name: str, mean: float, error: float, degrees: int) -> None:
    """Mean and interval of a table's row; error: the standard error of the mean."""
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    scale = abs(mean) + error
    assert row[name] == pytest.approx(mean, rel=1e-9, abs=1e-9 * scale)
    half = t_quantile(0.95, degrees) * error
    assert (low + high) / 2 == pytest.approx(mean, rel=1e-9, abs=1e-9 * scale)
    assert (high - low) / 2 == pytest.approx(half, rel=1e-7, abs=1e-9 * scale)
    exact = stats.t.ppf(0.975, degrees) * error
    assert (high - low) / 2 == pytest.approx(exact, rel=0.01, abs=1e-9 * scale)


def test_strategy_table_is_the_mean_over_deals(sample: Any) -> None:
    """Cluster by deal: the mean of a deal's playouts and slots is one observation."""
    rows = pd.DataFrame(slow_rows(sample))
    table = strategy_table(sample.summary).to_dict("records")
    names = list(dict.fromkeys(entrant.name for entrant in sample.setup.lineup))
    assert [row["strategy"] for row in table] == names
    for row in table:
        own = rows[rows.strategy == row["strategy"]]
        assert (row["deals"], row["playouts"]) == (DEALS, len(own))
        if row["strategy"] in names[1:] or len(names) > 1:
            wins = own.groupby("deal").won.agg(["sum", "count"])
            most = 1 / own.groupby(["deal", "seating"]).size().iloc[0]
            check_share(row, wins["sum"].to_numpy(), wins["count"].to_numpy(), most)
        for name, column in [("payoff", "payoff"), ("cards_left", "cards_left")]:
            means = own.groupby("deal")[column].mean()
            assert len(means) == DEALS
            error = means.std(ddof=1) / math.sqrt(DEALS)
            check_interval(row, name, means.mean(), error, DEALS - 1)


def check_share(row: dict[str, Any], wins: Any, counts: Any, most: float) -> None:
    """Win rate of a table's row."""
    assert row["win_rate"] == pytest.approx(wins.sum() / counts.sum(), rel=1e-9)
    bounds = expected_share(wins, counts, most)
    assert (row["win_rate_low"], row["win_rate_high"]) == pytest.approx(bounds, rel=1e-9)


def test_seat_table_is_the_ratio_over_deals(sample: Any) -> None:
    """Wins over playouts in a seat, both sums over deals; spread of the residuals by deal."""
    rows = pd.DataFrame(slow_rows(sample))
    players = sample.setup.players
    table = seat_table(sample.summary).to_dict("records")
    assert len(table) == players * len(sample.summary.groups)
    for row in table:
        own = rows[
            (rows.strategy == row["strategy"])
            & (rows.seat_from_starter == row["seat_from_starter"])
        ]
        assert row["playouts"] == len(own)
        deals = range(DEALS)
        counts = own.groupby("deal").won.count().reindex(deals, fill_value=0)
        wins = own.groupby("deal").won.sum().reindex(deals, fill_value=0)
        check_share(row, wins.to_numpy(), counts.to_numpy(), 1.0)


def test_tables_take_the_level(field: Any) -> None:
    for name in ("payoff", "cards_left"):
        table = strategy_table
        wide, narrow = table(field.summary, 0.99), table(field.summary, 0.5)
        for frame, level in [(wide, 0.99), (narrow, 0.5)]:
            half = (frame[f"{name}_high"] - frame[f"{name}_low"]) / 2
            usual = table(field.summary)
            base = (usual[f"{name}_high"] - usual[f"{name}_low"]) / 2
            ratio = stats.t.ppf((1 + level) / 2, 39) / stats.t.ppf(0.975, 39)
            assert half.to_numpy() == pytest.approx(base.to_numpy() * ratio, rel=0.01)


def test_names_of_version_0_1_0_work_for_one_version_more(field: Any) -> None:
    seats = seat_table(field.summary)
    for part in ("", "_low", "_high"):
        assert seats[f"win_share{part}"].equals(seats[f"win_rate{part}"])
    assert [c.heading for c in columns(seats)] == [
        *("strategy", "seat from starter", "playouts", "win rate")
    ]
    today = differences(field.summary, "win_rate")
    with pytest.warns(FutureWarning, match="'win' is called 'win_rate' now"):
        old = differences(field.summary, "win")
    pd.testing.assert_frame_equal(old.rename(columns={"win": "win_rate"}), today)
    with pytest.warns(FutureWarning, match="'win_share' is called 'win_rate' now"):
        assert parse_sequential("measure=win_share").measure == "win_rate"


@pytest.mark.parametrize("lineup", ["random", "random,lowest,dump,highest"])
def test_one_deal_has_a_mean_and_no_interval(lineup: str) -> None:
    summary = simulate("douque", lineup, 1, summary_only=True).summary
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tables = [(strategy_table(summary), "win_rate"), (seat_table(summary), "win_rate")]
    for table, name in tables:
        known = (table[f"{name}_low"] == table[name]) & (table[f"{name}_high"] == table[name])
        alone = lineup == "random" and "seat_from_starter" not in table
        assert (
            known.all() if alone else table[[f"{name}_low", f"{name}_high"]].isna().all(axis=None)
        )
        assert table[name].notna().all()


def test_two_deals_have_an_interval() -> None:
    """One degree of freedom: Student's t is Cauchy's distribution."""
    run = simulate("douque", "random,lowest,dump,highest", 2, 3, "fixed")
    values = run.playouts().payoff_2.to_numpy(float)
    row = strategy_table(run.summary).set_index("strategy").loc["dump"]
    half = stats.t.ppf(0.975, 1) * values.std(ddof=1) / math.sqrt(2)
    assert row.payoff == values.mean()
    assert (row.payoff_high - row.payoff_low) / 2 == pytest.approx(half, rel=1e-6)


def test_no_deals_have_no_mean() -> None:
    summary = simulate("douque", "random", 1, summary_only=True).summary.empty()
    assert strategy_table(summary).payoff.isna().all()
    assert seat_table(summary).win_rate.isna().all()


def test_one_strategy_against_itself_has_no_spread() -> None:
    """Its payoffs cancel out in each deal, and it wins one playout in four, exactly."""
    (row,) = strategy_table(simulate("douque", "dump", 50, seatings="all").summary).to_dict(
        "records"
    )
    assert row["payoff"] == row["payoff_low"] == row["payoff_high"] == 0
    assert row["win_rate"] == row["win_rate_low"] == row["win_rate_high"] == 0.25
    assert row["cards_left_high"] > row["cards_left_low"]


def test_twins_under_all_seatings_are_exactly_even() -> None:
    """Two names for the same strategy: symmetry leaves no difference, in any deal."""
    twins = [Entrant(name, load_strategy("dump"), ()) for name in ("A", "B", "A", "B")]
    summary = simulate("maceplay", twins, 30, seatings="all").summary
    table = strategy_table(summary)
    assert table.strategy.tolist() == ["A", "B"]
    assert table.payoff.tolist() == [0, 0] and table.payoff_low.isna().all()
    assert table.win_rate.tolist() == [0.25, 0.25]
    assert (table.win_rate_low < 0.25).all() and (table.win_rate_high < 0.26).all()
    assert table.cards_left.nunique() == 1
    assert seat_table(summary).groupby("seat_from_starter").win_rate.nunique().eq(1).all()


def test_payoffs_scale_with_the_stake() -> None:
    lineup = "random,lowest,dump,highest"
    one, ten = (strategy_table(simulate("douque", lineup, 30, stake=s).summary) for s in (1, 10))
    for column in one.columns.drop("strategy"):
        factor = 10 if column.startswith("payoff") else 1
        assert ten[column].tolist() == pytest.approx((one[column] * factor).tolist(), rel=1e-12)


# ------------------------------------------------------------------ loading


def test_stored_playouts_have_the_documented_columns(sample: Any) -> None:
    players = sample.setup.players
    frame = pd.read_parquet(Path(sample.folder) / "playouts")
    wanted = {
        "deal": "int64", "seating": "int8", "starter": "int8", "winner": "int8", "plays": "int16",
        "passes": "int16", "tricks": "int16", "last_kind": "category",
        "winner_multiplier": "int32",
        **{f"cards_left_{s}": "int8" for s in range(players)},
        **{f"payoff_{s}": "int32" for s in range(players)},
    }  # fmt: skip
    if sample.setup.rules.name == "douque":
        wanted |= {f"twos_left_{s}": "int8" for s in range(players)}
        wanted |= {f"monster_left_{s}": "bool" for s in range(players)}
    assert {name: str(kind) for name, kind in frame.dtypes.items()} == wanted
    assert list(frame.columns) == list(wanted)
    assert pd.api.types.is_string_dtype(frame.last_kind.cat.categories.dtype)
    for file in sorted((Path(sample.folder) / "playouts").iterdir()):
        schema = pq.read_schema(file)
        assert str(schema.field("last_kind").type).startswith("dictionary<values=string")
        assert schema.names == list(wanted)
    assert len(frame) == DEALS * sample.summary.playouts_per_deal
    order = list(zip(frame.deal, frame.seating, strict=True))
    assert order == sorted(set(order))
    assert frame.deal.nunique() == DEALS


def test_load_is_one_row_per_playout_and_seat(sample: Any) -> None:
    found = load(sample.folder)
    rows = slow_rows(sample)
    assert set(found.columns) == set(rows[0])
    assert len(found) == len(rows)
    for name in found.columns:
        assert found[name].tolist() == [row[name] for row in rows], name
    types = {name: str(kind) for name, kind in found.dtypes.items()}
    assert types["deal"] == "int64" and types["payoff"] == "int32" and types["won"] == "bool"
    assert types["strategy"] == types["last_kind"] == "category"
    assert {types[name] for name in ("seat", "slot", "seat_from_starter", "cards_left")} == {"int8"}
    pd.testing.assert_frame_equal(load(sample), found)


def test_load_of_columns(field: Any) -> None:
    whole = load(field.folder)
    for some in (
        ["payoff"], ["strategy", "deal"], ["won", "seat"], ["seat"], ["monster_left", "slot"],
        ["last_kind", "seat_from_starter"], list(whole.columns[::-1]),
    ):  # fmt: skip
        found = load(field.folder, some)
        pd.testing.assert_frame_equal(found, whole[some])


def test_load_as_stored(field: Any) -> None:
    stored = pd.read_parquet(Path(field.folder) / "playouts")
    pd.testing.assert_frame_equal(load(field.folder, tidy=False), stored)
    pd.testing.assert_frame_equal(field.playouts(), stored)
    some = ["payoff_3", "deal"]
    assert load(field.folder, some, tidy=False)[some].equals(stored[some])


def test_playouts_in_memory_are_those_on_disk(field: Any) -> None:
    again = simulate("douque", "random,lowest,dump,highest", 40, 5, "balanced", threads=3)
    pd.testing.assert_frame_equal(again.playouts(), field.playouts())


@pytest.mark.parametrize(("tidy", "name", "near"), [(True, "pay_off", "payoff"),
                                                    (True, "payoff_0", "payoff"),
                                                    (False, "payoff", "payoff_1"),
                                                    (False, "seat", "seating")])  # fmt: skip
def test_unknown_column(field: Any, tidy: bool, name: str, near: str) -> None:
    with pytest.raises(InputError, match=f"unknown column '{name}'; did you mean .*{near}"):
        load(field.folder, ["deal", name], tidy=tidy)


def test_columns_that_the_payoff_does_not_use(tmp_path: Path) -> None:
    run = simulate("maceplay", "random", 3, out=tmp_path)
    assert "twos_left" not in load(run)
    with pytest.raises(InputError, match="twos_left"):
        load(run, ["twos_left"])


def test_a_summary_only_run_has_no_playouts(tmp_path: Path) -> None:
    run = simulate("douque", "random", 5, out=tmp_path, summary_only=True)
    with pytest.raises(RunError, match=r"keeps sums only; use analyses\.run_summary"):
        load(tmp_path)
    with pytest.raises(InputError, match="summary-only"):
        run.playouts()
    assert run_summary(tmp_path) == run.summary


def test_a_folder_without_a_run(tmp_path: Path) -> None:
    for read in (load, run_summary):
        with pytest.raises(RunError, match="holds no run"):
            read(tmp_path)
        with pytest.raises(RunError, match="holds no run"):
            read(tmp_path / "nowhere")


def test_a_run_in_memory_is_not_the_current_folder(
    field: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(field.folder)
    assert len(load(simulate("maceplay", "random", 2))) == 8


# ------------------------------------------------------------------ summaries


def test_summary_agrees_with_the_playouts(sample: Any) -> None:
    """Every tally but the products, which the tables above check."""
    rows = pd.DataFrame(slow_rows(sample))
    summary = run_summary(sample.folder)
    assert summary == sample.summary
    one = rows[rows.seat == 0]
    assert summary.arrays["lengths"].tolist() == [
        one.plays.sum(), one.passes.sum(), one.tricks.sum(),
    ]  # fmt: skip
    assert summary.arrays["kinds"].sum() == len(one) == summary.playouts
    assert load_rules(sample.setup.rules).players.count(summary.players) == 1
    for g, name in enumerate(summary.groups):
        own = rows[rows.strategy == name]
        assert summary.arrays["sums"][:, g].tolist() == [
            own.won.sum(), own.payoff.sum() // summary.stake, own.cards_left.sum(),
        ]  # fmt: skip
        for seat in range(summary.players):
            at = own[own.seat_from_starter == seat]
            assert summary.arrays["seat_count"][g, seat] == len(at)
            assert summary.arrays["seat_wins"][g, seat] == at.won.sum()
            histogram = np.bincount(at.cards_left, minlength=53)
            assert summary.arrays["left"][g, seat].tolist() == histogram.tolist()


def test_batches_are_the_frame_in_pieces(tmp_path: Path, small_parts: None) -> None:
    run = simulate("douque", "random,lowest,dump,highest", 900, seed=2, out=tmp_path / "run")
    pieces = list(batches(run, ["deal", "strategy", "payoff"]))
    assert len(pieces) > 3
    whole = load(run, ["deal", "strategy", "payoff"])
    pd.testing.assert_frame_equal(pd.concat(pieces, ignore_index=True), whole)
    assert not any(set(a["deal"]) & set(b["deal"]) for a, b in pairwise(pieces))
