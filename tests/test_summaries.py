"""Guards summaries: exact sums that add in any order, however large, and go through JSON."""

import json
from itertools import permutations

import pandas as pd
import pytest

from analyses import run_summary, seat_table, strategy_table
from simcore import simulate
from simcore.runs.summary import Summary


@pytest.fixture(scope="module")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> list[Summary]:
    """Summaries of disjoint deals of one run, and of all of them at the end."""
    folder = tmp_path_factory.mktemp("pieces")
    lineup, ranges = "random,dump,random,lowest", [(0, 3), (3, 10), (10, 11), (11, 30)]
    found = [
        simulate("douque", lineup, end - first, 2, "all", first_deal=first).summary
        for first, end in ranges
    ]
    simulate("douque", lineup, 30, 2, "all", out=folder)
    return [*found, run_summary(folder)]


def test_summaries_add_in_any_order(pieces: list[Summary]) -> None:
    *parts, whole = pieces
    for order in permutations(range(3)):
        a, b, c = (parts[i] for i in order)
        assert (a + b) + c == a + (b + c)
        assert a + b == b + a
        total = a + b + c
        for other in parts[3:]:
            total = other + total
        assert total == whole
    assert whole + whole.empty() == whole == whole.empty() + whole
    assert whole != parts[0]
    assert sum(part.n_deals for part in parts) == whole.n_deals == 30


def test_adding_changes_neither_summary(pieces: list[Summary]) -> None:
    a, b = pieces[:2]
    before = json.dumps([a.as_dict(), b.as_dict()])
    total = a + b
    total.arrays["sums"][0, 0] += 1
    total += a
    assert json.dumps([a.as_dict(), b.as_dict()]) == before


def test_summary_through_json(pieces: list[Summary]) -> None:
    for summary in pieces:
        again = Summary.from_dict(json.loads(json.dumps(summary.as_dict())))
        assert again == summary
        assert again + pieces[0] == summary + pieces[0]
        pd.testing.assert_frame_equal(strategy_table(again), strategy_table(summary))
        pd.testing.assert_frame_equal(seat_table(again), seat_table(summary))


def test_sums_beyond_64_bits(pieces: list[Summary]) -> None:
    """Added to itself until the sums would overflow: exact, and the tables agree."""
    total = pieces[-1]
    for _ in range(64):
        total = total + total
    for name, array in total.arrays.items():
        assert array.ravel().tolist() == [x * 2**64 for x in pieces[-1].arrays[name].ravel()]
    assert total.arrays["products"].max() > 2**70
    once, often = strategy_table(pieces[-1]), strategy_table(total)
    assert often.payoff.tolist() == pytest.approx(once.payoff.tolist(), rel=1e-12)
    assert (often.payoff_high - often.payoff_low).max() < 1e-6
    assert seat_table(total).win_rate.tolist() == pytest.approx(
        seat_table(pieces[-1]).win_rate.tolist(), rel=1e-12
    )


def test_summaries_of_different_runs_do_not_add(pieces: list[Summary]) -> None:
    strangers = [
        simulate("douque", "random,dump,lowest,random", 2, seatings="fixed", summary_only=True),
        simulate("douque", "random,dump,random,dump", 2, seatings="all", summary_only=True),
        simulate("douque", "random,dump,random,lowest", 2, seatings="all", stake=2),
        simulate("lockout", "random,dump,lowest", 2, seatings="all", summary_only=True),
    ]
    for run in strangers:
        with pytest.raises(ValueError, match="do not add"):
            pieces[0] + run.summary
