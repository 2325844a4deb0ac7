"""Guards `analyses.find` and `bigtwo replay --find`: what pandas finds in the tidy frame."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import analyses
from analyses.rare import EVENTS
from simcore import InputError, simulate
from tests.command import data, line, refuse

Rows = pd.DataFrame


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("find") / "run"
    simulate("douque", "random,lowest,dump,keep", 400, 5, out=folder)
    return folder


CONDITIONS: dict[str, Callable[[Rows], "pd.Series[bool]"]] = {
    "full_house": lambda t: t["last_kind"] == "full_house",
    "last_kind == 'pair' or full_house": lambda t: t["last_kind"].isin(["pair", "full_house"]),
    "plays < 15": lambda t: t["plays"] < 15,
    "10 <= plays <= 12": lambda t: t["plays"].between(10, 12),
    "not plays >= 12 and not single": lambda t: (t["plays"] < 12) & (t["last_kind"] != "single"),
    "payoff < -100 and cards_left == 13": lambda t: (t["payoff"] < -100) & (t["cards_left"] == 13),
    "payoff_2 > 60": lambda t: (t["seat"] == 2) & (t["payoff"] > 60),
    "payoff + 2 * cards_left > 100": lambda t: t["payoff"] + 2 * t["cards_left"].astype(int) > 100,
    "payoff == -cards_left * 16": lambda t: t["payoff"] == -16 * t["cards_left"].astype(int),
    "strategy == 'random' and won": lambda t: (t["strategy"] == "random") & t["won"],
    "twos_left >= 3 or monster_left == 1": lambda t: (t["twos_left"] >= 3) | t["monster_left"],
    "from_starter == 3 and won and plays < 16": lambda t: (
        (t["seat_from_starter"] == 3) & t["won"] & (t["plays"] < 16)
    ),
    "seat == winner and deal < 3": lambda t: (t["seat"] == t["winner"]) & (t["deal"] < 3),
    "seating != 0 and tricks > 12": lambda t: (t["seating"] != 0) & (t["tricks"] > 12),
}


@pytest.mark.parametrize("text", CONDITIONS)
def test_conditions_find_what_pandas_finds(text: str, run: Path) -> None:
    tidy = analyses.load(run)
    expected = tidy[CONDITIONS[text](tidy)][["deal", "seating"]].drop_duplicates()
    found = analyses.find(run, text, None)
    assert len(expected) > 0
    assert sorted(found[["deal", "seating"]].itertuples(index=False, name=None)) == sorted(
        expected.itertuples(index=False, name=None)
    )
    assert (found["what"] == text).all()


def test_events_are_those_that_are_counted(run: Path) -> None:
    counted = analyses.rare_events(run).set_index("event")
    for name, event in EVENTS.items():
        found = analyses.find(run, name, None)
        row = counted.loc[event.words]
        assert len(found) == row["playouts"]
        first = found.iloc[0] if len(found) else None
        assert row["example"] == ("" if first is None else f"{first.deal}/{first.seating}")
    assert counted.loc[EVENTS["multiplied"].words, "playouts"] > 0


def test_one_of_several(run: Path) -> None:
    """Listed by deal, each with the first condition that holds; as many as asked for."""
    found = analyses.find(run, "plays < 12, full_house", None)
    one, other = analyses.find(run, "plays < 12", None), analyses.find(run, "full_house", None)
    both = set(zip(one["deal"], one["seating"], strict=True)) | set(
        zip(other["deal"], other["seating"], strict=True)
    )
    assert set(zip(found["deal"], found["seating"], strict=True)) == both
    assert (found["what"] == "plays < 12").sum() == len(one)
    assert found["deal"].is_monotonic_increasing
    assert analyses.find(run, "plays < 12, full_house", 3).equals(found.head(3))


def test_what_is_listed_can_be_replayed(run: Path) -> None:
    found = data(f"replay {run} --find 'payoff > 100' --most 2")["playouts"]
    assert len(found) == 2
    for row in found:
        shown = data(f"replay {run} --deal {row['deal']} --seating {row['seating']}")
        assert shown["payoffs"] == [row[f"payoff_{seat}"] for seat in range(4)]
        assert max(shown["payoffs"]) > 100
    nothing = line(f"replay {run} --find 'plays > 500'")
    assert nothing.status == 0 and nothing.out == "" and "no playout" in nothing.err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("payof > 3", "did you mean payoff"),
        ("__import__('os')", "unknown '__import__'"),
        ("payoff.real > 3", "'payoff.real' is no condition"),
        ("payoff[0] > 3", "'payoff[0]' is no condition"),
        ("(lambda: 1)() > 0", "is no condition"),
        ("[p for p in payoff] > 3", "unknown 'p'"),
        ("f'{payoff}' == '3'", "is no condition"),
        ("payoff > 10 ** 9", "is no condition"),
        ("payoff > 99999999999999999999", "is no condition"),
        ("payoff", "'payoff' is no condition"),
        ("3", "'3' is no condition"),
        ("True", "'True' is no condition"),
        ("won > 1", "is no condition"),
        ("last_kind > 3", "is no condition"),
        ("straight + 1 > 1", "'straight' is no condition"),
        ("payoff_4 > 0", "seats are 0 to 3"),
        ("plays <", "is no condition"),
        ("", "is no condition"),
        ("-" * 500 + "plays < 3", "is no condition"),
    ],
)
def test_nothing_else_is_evaluated(text: str, says: str, run: Path) -> None:
    with pytest.raises(InputError) as caught:
        analyses.find(run, text)
    assert says in str(caught.value)


def test_what_does_not_go_together(run: Path) -> None:
    refuse(line(f"replay {run}"), "--deal")
    refuse(line(f"replay {run} --deal 3 --find dragon"), "--find", "--deal")
    refuse(line("replay --find dragon"), "folder")
    refuse(line(f"replay {run} --find dragn"), "did you mean dragon")
