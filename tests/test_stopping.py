"""Stopping rules: where a run ends depends on its seed alone."""

from pathlib import Path
from types import SimpleNamespace

import pytest

import analyses
from simcore import InputError, simulate
from simcore.runs import collect
from simcore.runs.stopping import looks, parse_time, parse_until
from tests.command import stored

LINEUP = "random,lowest,dump,highest"


def test_until_stops_where_the_seed_says(tmp_path: Path, small_parts: None) -> None:
    rule = "half-width=0.01:metric=win_rate:strategy=dump"
    runs = [
        simulate("douque", LINEUP, seed=3, until=rule, threads=threads, out=out)
        for threads, out in ((1, None), (2, tmp_path / "run"), (3, None))
    ]
    ends = {run.summary.n_deals for run in runs}
    assert len(ends) == 1 and all(run.complete for run in runs)
    (end,) = ends
    for deals, enough in ((end, True), (max(n for n in looks(end) if n < end), False)):
        table = analyses.strategy_table(
            simulate("douque", LINEUP, deals, seed=3, summary_only=True).summary
        )
        row = table.set_index("strategy").loc["dump"]
        assert bool((row["win_rate_high"] - row["win_rate_low"]) / 2 <= 0.01) is enough
    # A folder with parts that cross the looks ends at the same deal count.
    other = tmp_path / "other"
    simulate("douque", LINEUP, 700, seed=3, first_deal=900, out=other)
    run = simulate("douque", LINEUP, seed=3, until=rule, out=other)
    assert run.summary.n_deals == end


def test_until_payoff_of_every_strategy_and_stake() -> None:
    run = simulate(
        "maceplay", "lowest,dump,lowest,dump", seed=3, until="half-width=1:metric=payoff", stake=5
    )
    table = analyses.strategy_table(run.summary)
    assert ((table["payoff_high"] - table["payoff_low"]) / 2 <= 1.001).all()


def test_deals_bound_a_rule_that_is_never_met() -> None:
    run = simulate("douque", LINEUP, 3000, seed=3, until="half-width=0.0001")
    assert run.summary.n_deals == 3000 and run.complete


def test_max_time_stops_an_endless_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock stands still until something has been played."""
    now = 0.0
    monkeypatch.setattr(collect, "time", SimpleNamespace(monotonic=lambda: now))

    def progress(playouts: int, wanted: int | None) -> None:
        nonlocal now
        now = 0.6 if playouts else 0.0

    run = simulate("douque", "lowest", max_time=0.5, out=tmp_path / "run", progress=progress)
    assert run.complete and run.summary.n_deals > 0
    assert len(stored(tmp_path / "run")) == run.summary.n_deals


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("0.002", "none of half-width"),
        ("half-width=x", "half-width=NUMBER"),
        ("half-width=0", "above 0"),
        ("metric=payoff", "half-width=NUMBER"),
        ("half-width=1:metric=winrate", "win_rate"),
        ("half-width=1:strategy=nobody", "not in the lineup"),
    ],
)
def test_bad_until(text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        parse_until(text, ["dump"])


def test_until_takes_a_strategy_with_parameters() -> None:
    found = parse_until(
        "half-width=0.1:strategy=noisy:epsilon=0.2:metric=payoff", ["noisy:epsilon=0.2"]
    )
    assert (found.strategy, found.metric, found.half_width) == ("noisy:epsilon=0.2", "payoff", 0.1)


def test_times() -> None:
    assert [parse_time(t) for t in ("90", "90s", "10m", "1.5h", "1d")] == [90, 90, 600, 5400, 86400]
    for bad in ("", "0", "ten", "-3s", "5w"):
        with pytest.raises(InputError, match="10m"):
            parse_time(bad)


def test_how_long_must_be_said() -> None:
    with pytest.raises(InputError, match="give --deals, --until or --max-time"):
        simulate("douque", "lowest")
