"""Runs of earlier versions go on working: shown, verified, replayed, extended, combined, reported.

tests/data/stored holds what version 0.1.0 wrote, each with what that version said of it.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import analyses
import simcore.columns
from simcore.errors import RunError
from simcore.runs.collect import Collector
from simcore.runs.combine import combine
from simcore.runs.reading import read_run
from simcore.runs.run import differences, identity, normalised, setup_of
from simcore.runs.store import Store
from simcore.runs.verify import verify
from simcore.simulation.replay import replay_setup
from tests.command import call

STORED = Path(__file__).parent / "data" / "stored"
EXPECTED: dict[str, Any] = json.loads((STORED / "expected.json").read_text("utf-8"))
PLAYED = [name for name in EXPECTED if name not in ("rollout", "plain")]  # quick ones


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the stored runs, beside the files that they name; the working folder."""
    shutil.copytree(STORED, tmp_path / "stored")
    monkeypatch.chdir(tmp_path / "stored")
    return tmp_path / "stored"


def values_of(shown: Any) -> Any:
    """What `runs show --json` said, by today's names; intervals may become better."""
    if isinstance(shown, list):
        return [values_of(each) for each in shown]
    if not isinstance(shown, dict):
        return shown
    return {
        {"win_share": "win_rate"}.get(key, key): values_of(value)
        for key, value in shown.items()
        if not key.endswith(("_low", "_high"))
    }


def extend(folder: str, deals: int) -> None:
    document = Store.open(folder).document
    Collector(
        setup_of(document["identity"], trust=True), deals, 1, folder, document["keeps"] == "tallies"
    ).run()


@pytest.mark.parametrize("name", EXPECTED)
def test_every_stored_run_is_shown_verified_and_replayed(name: str, stored: Path) -> None:
    done = call("runs", "show", name, "--json")
    assert done.status == 0, done.err
    shown = json.loads(done.out)
    assert {k: values_of(shown[k]) for k in EXPECTED[name]} == values_of(EXPECTED[name])
    if name == "rollout":  # another version plays it today
        with pytest.raises(RunError, match="is version 2 today, and version 1 played the run"):
            verify(name, 30, trust=True)
        assert len(analyses.load(name, tidy=False)) == read_run(name).summary.playouts
        return
    found = verify(name, 30, trust=True)
    assert found.deals_compared > 0 and found.deals == read_run(name).summary.n_deals
    setup = setup_of(Store.open(name).document["identity"], trust=True)
    played = replay_setup(setup, 0, 0)
    assert sum(played.payoffs) == 0


@pytest.mark.parametrize("name", PLAYED)
def test_every_stored_run_is_extended_in_the_format_it_was_begun_with(
    name: str, stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also by a version that has one column more, of which the old rows know nothing."""
    before = read_run(name)
    extra = simcore.columns.Column("tricks_again", "int16", "tricks", "no more", since=99)
    monkeypatch.setattr(simcore.columns, "COLUMNS", [*simcore.columns.COLUMNS, extra])
    deals = before.summary.n_deals + 7
    extend(name, deals)
    after = read_run(name)
    assert after.document["id"] == before.document["id"]
    assert after.summary.n_deals == deals and len(after.parts) > len(before.parts)
    assert verify(name, trust=True).deals_compared == deals
    if after.keeps_playouts:
        schemas = {
            pq.read_schema(f"{name}/playouts/{p.name}").remove_metadata() for p in after.parts
        }
        assert len(schemas) == 1 and "tricks_again" not in schemas.pop().names
        assert len(analyses.load(name, tidy=False)) == after.summary.playouts
        assert set(analyses.distributions(name)["variable"]) >= {"payoff", "last_kind"}


def test_an_extended_run_is_what_it_would_have_been(stored: Path, tmp_path: Path) -> None:
    extend("douque", 100)
    whole = simcore.simulate(
        "douque", "random,lowest,dump,highest", 100, seed=2026, out=tmp_path / "whole"
    )
    old, new = analyses.load("douque", tidy=False), analyses.load(whole, tidy=False)
    assert old.equals(new)
    assert not pq.read_schema(next(Path("douque/playouts").iterdir())).field("plays").metadata
    said = pq.read_schema(next((tmp_path / "whole/playouts").iterdir())).field("plays").metadata
    assert said == {b"unit": b"plays", b"meaning": b"plays made by all seats"}


@pytest.mark.parametrize("name", ["douque", "summary"])
def test_a_stored_run_is_combined_with_one_of_today(name: str, stored: Path) -> None:
    old = Store.open(name)
    setup = setup_of(old.document["identity"])
    first = read_run(name).summary.n_deals
    Collector(setup, 25, 1, "today", name == "summary", first).run()
    assert combine(["today", name], "both")[1] == first + 25
    both = Store.open("both")
    assert (both.form, both.id) == (1, old.id)
    assert verify("both").deals_compared == first + 25
    if both.keeps == "playouts":
        schemas = [pq.read_schema(f"both/playouts/{p.name}") for p in both.good_parts()]
        assert schemas[0].equals(schemas[1])


@pytest.mark.parametrize("name", ["douque", "three", "summary"])
def test_a_stored_run_is_reported(name: str, stored: Path) -> None:
    done = call("report", name, "-o", "page.md", "--deals", "0")
    assert done.status == 0, done.err
    assert "version 1" in (stored / "page.md").read_text("utf-8")


def test_a_user_s_changed_strategy_is_another_run_and_a_removed_weights_file_is_not(
    stored: Path,
) -> None:
    (stored / "linear.toml").unlink()
    assert verify("own", 10, trust=True).deals_compared == 10
    file = stored / "third_card.py"
    file.write_text(file.read_text("utf-8") + "\n# changed\n", "utf-8")
    from simcore.strategies import registry

    registry._load.cache_clear()
    with pytest.raises(RunError, match="is not the one that played the run"):
        verify("own", 10, trust=True)


def test_whether_runs_are_the_same_is_asked_of_what_they_mean() -> None:
    old = json.loads((STORED / "lockout" / "run.json").read_text("utf-8"))["identity"]
    new = identity(setup_of(old))
    assert old != new and differences(old, new) == []
    assert normalised(normalised(old)) == normalised(old)
    other = json.loads(json.dumps(new))
    other["lineup"][0]["version"] += 1
    assert differences(old, other) == ["lineup: control is another version"]
    other["lineup"][0]["version"] -= 1
    other["lineup"][0]["params"]["solve"] += 1
    assert differences(old, other) == ["lineup: control has other parameters"]


def test_a_run_of_a_later_format_is_refused_in_a_sentence(stored: Path) -> None:
    path = stored / "douque" / "run.json"
    document = json.loads(path.read_text("utf-8")) | {"format": 99}
    path.write_text(json.dumps(document), "utf-8")
    with pytest.raises(RunError, match=r"has format 99, and this version reads up to \d"):
        read_run("douque")


def test_a_complete_rule_file_of_an_earlier_version_is_read() -> None:
    rules = simcore.load_rules(STORED / "complete.toml")
    assert rules.as_dict() == simcore.load_rules("royal").as_dict()
