"""Runs: the same playouts whatever threads, chunks, executors and restarts took part."""

import json
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import analyses
from simcore import InputError, RunError, simulate
from simcore.columns import columns
from simcore.runs import executors
from simcore.runs.combine import combine
from simcore.runs.export import export
from simcore.runs.planning import missing, plan_parts
from simcore.runs.run import differences, identity, identity_text, run_id, setup_of
from simcore.runs.schema import arrow_schema, markdown
from simcore.runs.store import Store
from simcore.runs.verify import verify
from simcore.simulation.setup import Workspace, make_setup
from tests.command import stored

LINEUP = "random,lowest,dump,highest"
ROOT = Path(__file__).resolve().parents[1]


def in_memory(deals: int, first_deal: int = 0, seed: int = 3) -> pd.DataFrame:
    return simulate("douque", LINEUP, deals, seed=seed, first_deal=first_deal).playouts()


# ------------------------------------------------------------------ the same playouts


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("step_rows", [4, 1000, 32_768])
def test_playouts_do_not_depend_on_threads_or_chunks(
    threads: int, step_rows: int, monkeypatch: pytest.MonkeyPatch, small_parts: None
) -> None:
    expected = in_memory(1500)
    monkeypatch.setattr(executors, "MAX_STEP_ROWS", step_rows)
    run = simulate("douque", LINEUP, 1500, seed=3, threads=threads)
    pd.testing.assert_frame_equal(run.playouts(), expected)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    ranges=st.lists(
        st.tuples(st.integers(0, 300), st.integers(1, 120), st.integers(1, 4), st.booleans()),
        min_size=1,
        max_size=5,
    )
)
def test_any_partition_into_calls_gives_the_same_run(
    ranges: list[tuple[int, int, int, bool]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Random overlapping ranges, threads and executors, then a last call over everything."""
    folder = tmp_path_factory.mktemp("partition") / "run"
    with ThreadPoolExecutor(2) as pool:
        for first, deals, threads, elsewhere in ranges:
            simulate(
                "douque", LINEUP, deals, seed=3, first_deal=first, out=folder, threads=threads,
                executor=pool if elsewhere else None,
            )  # fmt: skip
        run = simulate("douque", LINEUP, 420, seed=3, out=folder)
    expected = in_memory(420)
    pd.testing.assert_frame_equal(stored(folder), expected)
    assert run.summary == simulate("douque", LINEUP, 420, seed=3, summary_only=True).summary
    assert analyses.run_summary(folder) == run.summary


def test_process_pool_sends_the_same_parts_back(tmp_path: Path, small_parts: None) -> None:
    with ProcessPoolExecutor(2) as pool:
        run = simulate(
            "lockout",
            "lowest,dump,random",
            800,
            seed=1,
            out=tmp_path / "run",
            executor=pool,
            threads=2,
        )
        memory = simulate("lockout", "lowest,dump,random", 800, seed=1, executor=pool, threads=2)
    here = simulate("lockout", "lowest,dump,random", 800, seed=1)
    pd.testing.assert_frame_equal(stored(tmp_path / "run"), here.playouts())
    pd.testing.assert_frame_equal(memory.playouts(), here.playouts())
    assert run.summary == here.summary == memory.summary


def test_workers_write_to_shared_storage_themselves(tmp_path: Path, small_parts: None) -> None:
    url = f"file://{tmp_path}/run"
    with ThreadPoolExecutor(2) as pool:
        run = simulate("douque", LINEUP, 700, seed=3, out=url, executor=pool, threads=2)
    assert run.folder == url
    pd.testing.assert_frame_equal(stored(tmp_path / "run"), in_memory(700))
    pd.testing.assert_frame_equal(run.playouts(), in_memory(700))
    assert len(analyses.load(url)) == 700 * 16


def test_a_task_that_fails_for_its_workers_reason_is_played_again(small_parts: None) -> None:
    class Flaky(ThreadPoolExecutor):
        """Loses every third task."""

        number = 0

        def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]
            Flaky.number += 1
            if Flaky.number % 3 == 0:
                return super().submit(lambda: 1 / 0)
            return super().submit(fn, *args, **kwargs)

    with Flaky(2) as pool:
        run = simulate("douque", LINEUP, 2000, seed=3, executor=pool, threads=2)
    pd.testing.assert_frame_equal(run.playouts(), in_memory(2000))
    assert any("played again" in note for note in run.notes)


def test_an_executor_that_is_broken_is_one_sentence(tmp_path: Path) -> None:
    class Broken(ThreadPoolExecutor):
        def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]
            return super().submit(lambda: 1 / 0)

    with Broken(2) as pool, pytest.raises(RunError, match=r"executor failed: ZeroDivisionError"):
        simulate("douque", LINEUP, 100, seed=3, executor=pool, threads=2, out=tmp_path / "run")


def test_shorter_call_leaves_a_longer_run_alone(tmp_path: Path) -> None:
    simulate("douque", LINEUP, 300, seed=3, out=tmp_path / "run")
    run = simulate("douque", LINEUP, 100, seed=3, out=tmp_path / "run")
    assert run.played == 0 and run.summary.n_deals == 300
    assert any("200 deals beyond" in note for note in run.notes)


# ------------------------------------------------------------------ planning


@given(
    done=st.lists(st.tuples(st.integers(0, 1000), st.integers(1, 100)), max_size=10),
    first=st.integers(0, 500),
    length=st.integers(1, 900),
)
def test_missing_and_planned_deals_are_a_partition(
    done: list[tuple[int, int]], first: int, length: int
) -> None:
    ranges = sorted((a, a + n) for a, n in done)
    held = {d for a, b in ranges for d in range(a, b)}
    gaps = missing(ranges, first, first + length)
    planned = [d for a, b in plan_parts(gaps, 4, 3) for d in range(a, b)]
    assert planned == [d for d in range(first, first + length) if d not in held]


def test_planning_an_endless_run_is_immediate() -> None:
    parts = plan_parts(missing([], 0, 2**62), 4, 2)
    assert next(parts) == (0, 131_072)


def test_parts_of_a_long_run_suit_parquet_readers(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    simulate("douque", "lowest", 300_000, out=tmp_path / "run", threads=2)
    files = sorted((tmp_path / "run" / "playouts").iterdir())
    for file in files:
        found = pq.ParquetFile(file)
        group = found.metadata.row_group(0)
        assert group.num_rows >= 60_000
        deal = group.column(0)
        assert deal.path_in_schema == "deal" and deal.compression == "ZSTD"
        assert deal.statistics.has_min_max
        assert found.schema_arrow.remove_metadata() == arrow_schema(4, {"leftovers"})


# ------------------------------------------------------------------ identity


def test_identity_is_text_is_hash() -> None:
    value = identity(make_setup("douque", LINEUP, seed=3))
    assert run_id(value) == run_id(json.loads(identity_text(value)))
    assert setup_of(json.loads(identity_text(value))) == make_setup("douque", LINEUP, seed=3)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"seed": 4}, "seed: 3 → 4"),
        ({"stake": 2}, "stake: 1 → 2"),
        ({"seatings": "all"}, "seatings: balanced → all"),
        ({"lineup": "dump,lowest,random,highest"}, "lineup: random,lowest,dump,highest → dump"),
        ({"rules": "maceplay"}, r"rules\.kinds_bombs"),
        (
            {"rules": "douque:payoff.grand_slam={times=3}"},
            r"rules\.payoff_grand_slam\.times: 2 → 3",
        ),
    ],
)
def test_another_run_in_the_folder_is_refused_by_name(
    tmp_path: Path, change: dict[str, object], named: str
) -> None:
    what: dict[str, object] = {"rules": "douque", "lineup": LINEUP, "seed": 3}
    simulate(**what, deals=20, out=tmp_path / "run")  # type: ignore[arg-type]
    with pytest.raises(RunError, match=named):
        simulate(**{**what, **change}, deals=20, out=tmp_path / "run")  # type: ignore[arg-type]


def test_summary_only_and_playouts_do_not_mix(tmp_path: Path) -> None:
    simulate("douque", LINEUP, 20, out=tmp_path / "run", summary_only=True)
    with pytest.raises(RunError, match="keeps tallies, this command playouts"):
        simulate("douque", LINEUP, 20, out=tmp_path / "run")


def test_changed_strategy_code_is_another_run(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    code = (
        "from simcore import strategy\n\n@strategy\ndef bot(view, plays, n_plays, params, rng):\n"
    )
    file.write_text(f"{code}    return 0\n")
    simulate("douque", f"{file}:bot", 20, out=tmp_path / "run")
    old = Store.open(tmp_path / "run").document["identity"]
    from simcore.strategies import registry

    file.write_text(f"{code}    return n_plays - 1\n")
    registry._load.cache_clear()
    new = identity(make_setup("douque", f"{file}:bot"))
    assert differences(old, new) == ["lineup: a strategy's code changed"]
    with pytest.raises(RunError, match=r"would be executed.*give --trust"):
        setup_of(old)
    with pytest.raises(RunError, match="restore its file as it was"):
        setup_of(old, trust=True)


# ------------------------------------------------------------------ verify, combine, export


@pytest.fixture
def run_folder(tmp_path: Path, small_parts: None) -> Path:
    simulate("douque", LINEUP, 1000, seed=3, out=tmp_path / "run")
    return tmp_path / "run"


def test_verify_accepts_an_honest_run(run_folder: Path, tmp_path: Path) -> None:
    found = verify(str(run_folder), sample=100)
    assert (found.deals, found.deals_compared, found.playouts_compared) == (1000, 100, 400)
    simulate("douque", LINEUP, 500, seed=3, out=tmp_path / "t", summary_only=True)
    assert verify(str(tmp_path / "t"), sample=10).deals_compared >= 10


@pytest.mark.parametrize("column", [name for c in columns({"leftovers"}) for name in c.names(4)])
def test_verify_finds_a_forged_value_in_every_column(tmp_path: Path, column: str) -> None:
    """The forger keeps checksum, stamp and row count right: only playing again shows it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from simcore.runs.parts import encode, part_name

    simulate("douque", LINEUP, 30, seed=3, out=tmp_path / "run", threads=1)
    (path,) = (tmp_path / "run" / "playouts").iterdir()
    part = Store.open(tmp_path / "run").good_parts()[0]
    table = pq.read_table(path)
    values = table[column].to_pylist()
    values[77] = {bool: lambda v: not v, str: lambda v: "dragon", int: lambda v: v + 1}[
        type(values[77])
    ](values[77])
    index = table.schema.get_field_index(column)
    field = table.schema.field(index)
    table = table.set_column(index, field, pa.array(values, field.type))
    data = encode(Store.open(tmp_path / "run").id, part.first, part.end, part.summary, table)
    path.unlink()
    (path.parent / part_name(part.first, part.end, data, "playouts")).write_bytes(data)
    found = rf"deal {77 // 4}, seating \d+, column '{column}'|{column} is \d+ in row 77"
    with pytest.raises(RunError, match=found):
        verify(str(tmp_path / "run"), sample=30)


def test_combine_is_the_whole_run(tmp_path: Path, small_parts: None) -> None:
    for first, deals, name in ((0, 400, "a"), (400, 350, "b"), (750, 250, "c")):
        simulate("douque", LINEUP, deals, seed=3, first_deal=first, out=tmp_path / name)
    places = [str(tmp_path / name) for name in "cab"]
    assert combine(places, str(tmp_path / "all"))[1] == 1000
    pd.testing.assert_frame_equal(stored(tmp_path / "all"), in_memory(1000))
    run = simulate("douque", LINEUP, 1000, seed=3, out=tmp_path / "all")
    assert run.played == 0


def test_combine_refuses_overlaps_and_strangers(tmp_path: Path) -> None:
    simulate("douque", LINEUP, 100, seed=3, out=tmp_path / "a")
    simulate("douque", LINEUP, 100, seed=3, first_deal=99, out=tmp_path / "b")
    simulate("douque", LINEUP, 100, seed=4, first_deal=200, out=tmp_path / "c")
    with pytest.raises(RunError, match="deals 99 to 99 are in"):
        combine([str(tmp_path / "a"), str(tmp_path / "b")], str(tmp_path / "out"))
    with pytest.raises(RunError, match=r"not the same run \(seed: 3 → 4\)"):
        combine([str(tmp_path / "a"), str(tmp_path / "c")], str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()
    with pytest.raises(InputError, match="at least two"):
        combine([str(tmp_path / "a")], str(tmp_path / "out"))


def test_exports_hold_the_playouts(run_folder: Path, tmp_path: Path) -> None:
    import duckdb

    expected = stored(run_folder)
    csv = pd.read_csv(export(str(run_folder), "csv", tmp_path / "x.csv"))
    single = pd.read_parquet(export(str(run_folder), "parquet", tmp_path / "x.parquet"))
    database = export(str(run_folder), "duckdb", tmp_path / "x.duckdb")
    with duckdb.connect(str(database)) as connection:
        rows = connection.execute("SELECT count(*), sum(payoff_2) FROM playouts").fetchone()
    pd.testing.assert_frame_equal(single, expected)
    pd.testing.assert_frame_equal(
        csv.astype(str), expected.astype({"last_kind": str}).astype(str), check_dtype=False
    )
    assert rows == (len(expected), int(expected["payoff_2"].sum()))
    with pytest.raises(RunError, match="exists"):
        export(str(run_folder), "csv", tmp_path / "x.csv")
    with pytest.raises(InputError, match="unknown format"):
        export(str(run_folder), "cvs", tmp_path / "y")


# ------------------------------------------------------------------ tallies, schema


def test_tallies_equal_the_playouts(tmp_path: Path) -> None:
    """Every sum and histogram, against pandas over the stored rows."""
    run = simulate("douque", LINEUP, 6000, seed=8, out=tmp_path / "run", stake=3)
    tidy = analyses.load(run)
    summary = run.summary
    assert summary.playouts == len(tidy) // 4
    tidy["unit"] = tidy["payoff"] // 3
    tidy["cards_left"] = tidy["cards_left"].astype("int64")
    for g, name in enumerate(summary.groups):
        own = tidy[tidy["strategy"] == name]
        by_deal = own.groupby("deal")[["won", "unit", "cards_left"]].sum()
        assert list(summary.arrays["sums"][:, g]) == list(by_deal.sum())
        assert list(summary.arrays["products"][:, g, g]) == list((by_deal**2).sum())
        for seat in range(4):
            there = own[own["seat_from_starter"] == seat]
            assert summary.payoffs[g][seat] == there["unit"].value_counts().to_dict()
            left = there["cards_left"].value_counts().to_dict()
            assert {k: v for k, v in enumerate(summary.arrays["left"][g, seat]) if v} == left
    assert max(abs(p) for seats in summary.payoffs for c in seats for p in c) > 512


def test_tallies_do_not_overflow(tmp_path: Path) -> None:
    """A house rule with payoffs near 2**31: squares over deals exceed 64 bits."""
    house = tmp_path / "huge.toml"
    house.write_text(
        'extends = "maceplay"\nname = "huge"\n[payoff]\ntiers = [[1, 1000]]\n'
        "grand_slam = {times = 1000}\n"
        "finish_two = {times = 2}\n"
    )
    run = simulate(str(house), LINEUP, 3000, seed=1)
    frame = run.playouts()
    wide = frame[[f"payoff_{s}" for s in range(4)]].to_numpy().astype(object)
    assert (wide.sum(axis=1) == 0).all()
    squares = int(sum(run.summary.arrays["products"][1, g, g] for g in range(4)))
    order = np.array([[p] for p in frame["seating"]])
    assert squares > 0 and len(order) == len(frame)


def test_schema_of_every_rule_set(tmp_path: Path) -> None:
    for rules, players in (("douque", 4), ("maceplay", 4), ("lockout", 3), ("royal", 3)):
        run = simulate(rules, "lowest", 20, players=players, out=tmp_path / f"{rules}{players}")
        frame = run.playouts()
        names = [f"cards_left_{s}" for s in range(players)] + [
            f"payoff_{s}" for s in range(players)
        ]
        assert set(names) <= set(frame.columns)
        assert ("twos_left_0" in frame.columns) is (rules == "douque")
        assert str(frame["deal"].dtype) == "int64" and str(frame["plays"].dtype) == "int16"


def test_column_reference_is_generated() -> None:
    assert (ROOT / "results" / "README.md").read_text("utf-8") == markdown()


def test_workspace_replays_any_deal_at_once() -> None:
    setup = make_setup("douque", LINEUP, seed=3)
    far = Workspace(setup).play(10**12, 1)
    near = Workspace(setup)
    near.play(0, 5)
    again = near.play(10**12, 1)
    assert (far.block32 == again.block32).all() and (far.block8 == again.block8).all()


def test_deals_of_any_number_are_read_back(tmp_path: Path) -> None:
    """Up to the last ones, whose numbers have more digits than a part's name usually shows."""
    for first in (10**15 - 3, 2**62 - 6):
        out = tmp_path / str(first)
        simulate("douque", "random", 6, seed=1, first_deal=first, out=out)
        again = simulate("douque", "random", 6, seed=1, first_deal=first, out=out)
        assert again.played == 0 and again.summary.n_deals == 6
