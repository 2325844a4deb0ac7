"""A run is data: nothing of it is executed unasked, and what it says of itself can be checked."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cli.output import no_formula
from simcore import simulate
from simcore.errors import RunError
from simcore.runs import document
from simcore.runs.collect import Collector
from simcore.runs.parts import encode, part_name
from simcore.runs.reading import read_run
from simcore.runs.run import run_id
from simcore.runs.summary import Summary
from simcore.samples.matches import run_folder
from simcore.simulation.setup import make_setup
from tests.command import call

BOT = """
from pathlib import Path
from simcore import strategy

Path({mark!r}).write_text("executed")

@strategy
def bot(view, plays, n_plays, params, rng):
    return 0
"""


@pytest.fixture
def run(tmp_path: Path, small_parts: None) -> Path:
    simulate("douque", "random,dump", 1000, seed=3, out=tmp_path / "run", threads=1)
    return tmp_path / "run"


def refuse(*words: object, status: int = 2) -> str:
    """What a command says that must end with one sentence."""
    done = call(*words)
    assert done.status == status, done
    assert "Traceback" not in done.err and len(done.err) < 3000
    return done.err


# ------------------------------------------------------------------ code of others


@pytest.fixture
def foreign(tmp_path: Path) -> tuple[Path, Path]:
    """(a run of somebody's strategy, a file that appears when that strategy is executed)."""
    mark, file = tmp_path / "mark", tmp_path / "bot.py"
    file.write_text(BOT.format(mark=str(mark)), "utf-8")
    simulate("douque", f"{file}:bot,dump", 20, out=tmp_path / "foreign", threads=1)
    from simcore.strategies import registry

    registry._load.cache_clear()
    mark.unlink()
    return tmp_path / "foreign", mark


def test_reading_a_run_executes_nothing(foreign: tuple[Path, Path], tmp_path: Path) -> None:
    run, mark = foreign
    for words in (["runs", "show", run], ["runs", "list", tmp_path], ["analyse", "means", run]):
        assert call(*words).status == 0
    assert call("report", run, "-o", tmp_path / "r.md", "--deals", "0").status == 0
    verified = call("runs", "verify", run)
    assert verified.status == 0 and "not played again" in verified.out
    assert "--trust" in refuse("replay", run, "--deal", "3")
    assert not mark.exists()
    trusted = call("runs", "verify", run, "--trust")
    assert trusted.status == 0 and "played again" in trusted.out and mark.exists()
    assert call("replay", run, "--deal", "3", "--trust").status == 0


def test_a_changed_file_is_not_executed_even_when_trusted(foreign: tuple[Path, Path]) -> None:
    run, mark = foreign
    file = mark.with_name("bot.py")
    file.write_text(file.read_text("utf-8") + "# changed\n", "utf-8")
    assert "restore its file" in refuse("runs", "verify", run, "--trust")
    assert not mark.exists()


def test_a_version_in_run_json_is_no_leave_to_execute(foreign: tuple[Path, Path]) -> None:
    run, mark = foreign
    forge(run, lambda d: d["identity"]["lineup"][0].update(version=1, source=None))
    assert "--trust" in refuse("replay", run, "--deal", "3")
    assert not mark.exists()


# ------------------------------------------------------------------ what a run says of itself


def forge(folder: Path, change: Callable[[Any], object]) -> None:
    """Change run.json as somebody would who knows how id and checksum are made."""
    path = folder / "run.json"
    found = json.loads(path.read_text("utf-8"))
    change(found)
    found["id"] = run_id(found["identity"])
    path.write_bytes(document.encode(found))


def rewrite(folder: Path, change: Callable[[pa.Table, dict[str, Any]], pa.Table]) -> Path:
    """Change rows and stated sums of the first part, its stamp and name kept right."""
    reader = read_run(folder)
    part = reader.parts[0]
    path = folder / "playouts" / part.name
    sums = part.summary.as_dict()
    table = change(pq.read_table(path), sums)
    data = encode(str(reader.document["id"]), part.first, part.end, Summary.from_dict(sums), table)
    path.unlink()
    target = path.with_name(part_name(part.first, part.end, data, "playouts"))
    target.write_bytes(data)
    return target


def test_sums_that_contradict_each_other_are_seen_at_once(run: Path) -> None:
    def triple(table: pa.Table, sums: dict[str, Any]) -> pa.Table:
        sums["sums"] = [[3 * x for x in row] for row in sums["sums"]]
        return table

    rewrite(run, triple)
    assert "contradict each other" in refuse("runs", "show", run)


def test_stated_sums_are_added_up_again(run: Path, tmp_path: Path) -> None:
    """A lie that agrees with itself: more plays than were played."""

    def more_plays(table: pa.Table, sums: dict[str, Any]) -> pa.Table:
        sums["lengths"][0] += 7
        return table

    assert call("runs", "show", run, "--check").status == 0
    rewrite(run, more_plays)
    said = "do not come to the 'lengths'"
    assert call("runs", "show", run).status == 0
    assert said in refuse("runs", "verify", run)
    assert said in refuse("runs", "show", run, "--check")
    assert said in refuse("report", run, "-o", tmp_path / "r.md")
    assert not (tmp_path / "r.md").exists()


def test_rows_appended_twice_are_too_many(run: Path) -> None:
    rewrite(run, lambda table, sums: pa.concat_tables([table, table]))
    assert "rows, not" in refuse("runs", "show", run)


def test_rows_of_other_deals_are_found(run: Path) -> None:
    def shift(table: pa.Table, sums: dict[str, Any]) -> pa.Table:
        deals = pa.array(table["deal"].to_numpy() + 1)
        return table.set_column(0, table.schema.field(0), deals)

    rewrite(run, shift)
    refuse("runs", "verify", run)


@pytest.mark.parametrize(("column", "value"), [("seating", 127), ("starter", -1), ("winner", 4)])
def test_a_seat_that_is_none_is_named(run: Path, column: str, value: int) -> None:
    def put(table: pa.Table, sums: dict[str, Any]) -> pa.Table:
        values = table[column].to_numpy().copy()
        values[5] = value
        at = table.schema.get_field_index(column)
        return table.set_column(at, table.schema.field(at), pa.array(values))

    rewrite(run, put)
    assert f"{column} is {value} in row 5" in refuse("analyse", "means", run)


def test_a_missing_part_is_named_and_played_anew(run: Path, tmp_path: Path) -> None:
    whole = simulate("douque", "random,dump", 1000, seed=3).playouts()
    parts = read_run(run).parts
    assert len(parts) > 3
    for part in (parts[1], parts[-1]):
        (run / "playouts" / part.name).unlink()
    gone = f"deals {parts[1].first} to {parts[1].end - 1}, {parts[-1].first} to 999 are gone"
    assert gone in refuse("runs", "verify", run)
    assert gone in refuse("runs", "show", run)
    listed = call("runs", "list", tmp_path, "--json")
    there = 1000 - sum(p.end - p.first for p in (parts[1], parts[-1]))
    assert json.loads(listed.out)["runs"][0]["deals"] == there and "are gone" in listed.err
    again = simulate("douque", "random,dump", 1000, seed=3, out=run)
    pd.testing.assert_frame_equal(again.playouts(), whole)
    assert call("runs", "verify", run).status == 0


def test_a_call_that_was_killed_is_known(tmp_path: Path, small_parts: None) -> None:
    collector = Collector(make_setup("douque", "random", seed=3), 2000, 1, tmp_path / "run")
    next(collector.iter_collect())
    assert collector.store is not None
    collector.store._lock.close()  # type: ignore[union-attr]  # as the end of a process does
    shown = call("runs", "show", tmp_path / "run")
    assert shown.status == 0 and "begun, and not ended" in shown.out
    listed = json.loads(call("runs", "list", tmp_path, "--json").out)["runs"][0]
    assert 0 < listed["deals"] < 2000


@pytest.mark.parametrize(
    "bytes_of",
    [
        lambda data: data.replace(b'"calls"', b'"callq"'),
        lambda data: data.replace(b'"seed": 3', b'"seed": 4'),
        lambda data: data[:-40],
        lambda data: b"[" * 100_000,
        lambda data: b"\xff\xfe" + data,
        lambda data: b"null",
        lambda data: b"{" + b" " * (document.MOST_BYTES + 1) + b"}",
    ],
)
def test_a_bent_run_json_is_refused_and_stops_no_list(
    run: Path, tmp_path: Path, bytes_of: Callable[[bytes], bytes]
) -> None:
    shutil.copytree(run, tmp_path / "good")
    path = run / "run.json"
    path.write_bytes(bytes_of(path.read_bytes()))
    for words in (["runs", "show", run], ["analyse", "means", run], ["runs", "verify", run]):
        assert "is damaged" in refuse(*words)
    listed = call("runs", "list", tmp_path, "--json")
    assert listed.status == 0 and "is damaged" in listed.err
    assert [Path(r["folder"]).name for r in json.loads(listed.out)["runs"]] == ["good"]


FORGED = {
    "a hand that hangs": lambda who: who["rules"].update(deal=14),
    "no rules": lambda who: who.update(rules=[]),
    "a kind that is none": lambda who: who["rules"].update(kinds=["single", "zzz"]),
    "too many players": lambda who: who.update(players=5),
    "another lineup": lambda who: who["lineup"].pop(),
    "a name that is none": lambda who: who["lineup"][0].update(name=["random"]),
    "escapes": lambda who: who["lineup"][0].update(name="random\x1b[2J"),
    "a number that is none": lambda who: who["lineup"][0]["params"].update(x=float("nan")),
    "a plan that is none": lambda who: who.update(seatings="all of them"),
    "a seed of text": lambda who: who.update(seed="3"),
    "a huge stake": lambda who: who.update(stake=2**40),
}


@pytest.mark.parametrize("change", FORGED.values(), ids=FORGED)
def test_forged_identities_are_refused(run: Path, change: Callable[[Any], None]) -> None:
    forge(run, lambda d: change(d["identity"]))
    for words in (["runs", "show", run], ["analyse", "hands", run], ["replay", run, "--deal", "1"]):
        assert "is damaged" in refuse(*words)


def test_files_that_are_none_are_refused_before_they_are_read(run: Path) -> None:
    parts = run / "playouts"
    os.mkfifo(parts / "part-000000000001000-000000000001400-00000000.parquet")
    assert "no ordinary file" in refuse("runs", "show", run)
    next(parts.glob("part-000000000001000*")).unlink()
    huge = parts / "part-000000000001000-000000000001400-00000000.parquet"
    with huge.open("wb") as file:
        file.truncate(9 << 30)  # sparse: no disk is used
    assert "none has more than" in refuse("runs", "show", run)
    huge.unlink()
    (run / "run.json").unlink()
    os.mkfifo(run / "run.json")
    assert "no ordinary file" in refuse("runs", "show", run)


def test_a_few_bytes_with_very_many_rows_are_refused_by_their_number(run: Path) -> None:
    def swell(table: pa.Table, sums: dict[str, Any]) -> pa.Table:
        return pa.concat_tables([table] * 1000)

    target = rewrite(run, swell)
    assert target.stat().st_size < 8 << 20
    assert "rows, not" in refuse("analyse", "means", run)


def test_a_part_that_may_not_be_read_is_not_set_aside(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root reads everything, so the system's refusal is played."""
    from simcore.runs.storage import Storage

    read = Storage.read

    def refusing(self: Storage, name: str, most: int) -> bytes:
        if name.startswith("playouts/"):
            raise PermissionError(13, "Permission denied", name)
        return read(self, name, most)

    monkeypatch.setattr(Storage, "read", refusing)
    with pytest.raises(RunError, match=r"cannot be read .*Permission denied"):
        simulate("douque", "random,dump", 1000, seed=3, out=run)
    monkeypatch.undo()
    assert not (run / "set-aside").exists()
    assert simulate("douque", "random,dump", 1000, seed=3, out=run).played == 0


# ------------------------------------------------------------------ names and messages


def test_nothing_that_is_printed_commands_the_terminal(run: Path, tmp_path: Path) -> None:
    forge(run, lambda d: d["calls"][0].update(command=["\x1b[2Jsimulate", "\u202eabc", "\x9b1m"]))
    shown = call("runs", "show", run)
    assert shown.status == 0 and "simulate" in shown.out
    assert not {"\x1b", "\u202e", "\x9b"} & set(shown.out + shown.err)
    said = refuse("runs", "show", f"{tmp_path}/\x1b[31mno\x07run")
    assert not {"\x1b", "\x07"} & set(said)


def test_cells_of_csv_become_no_formulas() -> None:
    frame = pd.DataFrame({"=a": ["=1+1", "-dump", "@x", "fine", "+"], "n": [-1.5, 2, 3, 4, 5]})
    assert frame.map(no_formula)["=a"].tolist() == ["'=1+1", "'-dump", "'@x", "fine", "'+"]
    assert frame.map(no_formula)["n"].tolist() == [-1.5, 2, 3, 4, 5]


def test_a_markdown_report_shows_html_as_text(tmp_path: Path) -> None:
    rules = tmp_path / "house.toml"
    rules.write_text('extends = "douque"\nname = "<script>alert(1)</script>"\n', "utf-8")
    simulate(rules, "dump,lowest", 30, out=tmp_path / "run", summary_only=True)
    assert call("report", tmp_path / "run", "-o", tmp_path / "r.md").status == 0
    text = (tmp_path / "r.md").read_text("utf-8")
    outside_code = "".join(text.split("```")[::2])
    assert "<script" not in outside_code and "&lt;script&gt;" in outside_code


@pytest.mark.parametrize("name", ["..", ".", "", "../../x", "/etc/x", "a/../../b"])
def test_no_name_leads_out_of_a_folder(name: str, tmp_path: Path) -> None:
    place = Path(run_folder(tmp_path, name))
    assert place.resolve().parent == tmp_path.resolve()
