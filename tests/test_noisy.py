"""Guards `noisy`: its two ends, its share of random plays, and how it is written."""

import itertools

import pytest

import analyses
import simcore
from simcore.errors import InputError
from simcore.strategies.registry import parse_entrant


def turns(lineup: str, deal: int) -> list[dict[str, object]]:
    return simcore.replay("maceplay", lineup, 5, deal).turns


@pytest.mark.parametrize("base", ["dump", "keep", "linear"])
def test_no_noise_is_the_base(base: str) -> None:
    """The shortcut of dump is not taken then, and the playouts are the same."""
    for deal in range(20):
        assert turns(f"noisy:base={base}:epsilon=0", deal) == turns(base, deal)


def test_more_noise_is_weaker() -> None:
    levels = [f"noisy:base=linear:epsilon={e}" for e in (0.05, 0.3, 0.6, 1)]
    run = simcore.simulate("maceplay", levels, 2000, seed=1, summary_only=True)
    table = analyses.strategy_table(run.summary)
    assert list(table["win_rate"]) == sorted(table["win_rate"], reverse=True)
    for better, worse in itertools.pairwise(levels):
        rows = table.set_index("strategy")
        assert rows.loc[better, "win_rate_low"] > rows.loc[worse, "win_rate_high"]


def test_all_noise_is_random() -> None:
    """Win rates of two each agree within four standard errors of a half."""
    lineup = ["noisy:base=dump:epsilon=1", "random"] * 2
    run = simcore.simulate("royal", lineup, 4000, seed=2, seatings="all", summary_only=True)
    row = analyses.strategy_table(run.summary).iloc[0]
    error = (row["win_rate_high"] - row["win_rate_low"]) / 2 / 1.96
    assert abs(row["win_rate"] - 0.25) < 4 * error


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("noisy:base=dump", "noisy:base=dump:epsilon=0.2"),
        ("noisy:epsilon=0.5:base=keep:danger=3", "noisy:base=keep:danger=3:epsilon=0.5"),
        ("noisy:base=keep:danger=3:epsilon=.5", "noisy:base=keep:danger=3:epsilon=0.5"),
    ],
)
def test_how_it_is_written(text: str, name: str) -> None:
    entrant = parse_entrant(text)
    assert entrant.name == name and parse_entrant(name) == entrant


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("noisy", "names no base"),
        ("noisy:epsilon=0.1", "names no base"),
        ("noisy:base=dump:epsilon=1.5", "is 1.5, .* 0 to 1"),
        ("noisy:base=dump:epsilon=x", "'x'; give a number"),
        ("noisy:base=dump:epsilon=0.1:epsilon=0.2", "twice"),
        ("noisy:base=noisy:base=dump", "noisy itself"),
        ("noisy:base=dmup", "did you mean dump"),
    ],
)
def test_bad_input(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        parse_entrant(text)
