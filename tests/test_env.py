"""Many tables stepped by arrays play what `simulate` plays; and the environments on top."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simcore.env import Tables
from simcore.env.observation import FEATURES, PLAY_FEATURES
from simcore.errors import InputError, StrategyError
from simcore.runs.reading import slots_at
from simcore.runs.simulate import simulate
from simcore.simulation.asking import Asking
from simcore.simulation.setup import make_setup
from tests.support import RULE_SETS

TABLES, DEALS = 5, 6


def choices(work: Asking, seen: Any, known: dict[tuple[int, int], list[Any]]) -> Any:
    """What the lineup's own strategies choose at each table; the views are compared on the way."""
    chosen = np.zeros(len(seen), np.int64)
    for t, table in enumerate(seen.table):
        address = int(table.deal), int(table.seating)
        if address not in known:
            known[address] = work.turns(*address)
        view = seen.view[t]
        turn = known[address][view.turn]
        plays = seen.plays[seen.offsets[t] : seen.offsets[t + 1]]
        listed = work.show(turn.hands, turn.state)
        assert (plays == listed).all()
        assert (turn.state["seat"], turn.slot) == (table.seat, table.slot)
        for name in view.dtype.names:
            assert np.array_equal(view[name], work.view[name]), name
        (chosen[t],) = np.flatnonzero(plays.mask == turn.play)
    return chosen


@pytest.mark.parametrize(
    ("name", "lineup", "asked"),
    [
        *((name, "random,keep,linear,noisy:base=dump:epsilon=0.3", (0, 2)) for name in RULE_SETS),
        ("lockout", "random,lowest,linear", (0, 1, 2)),
        ("royal", "random,dump,keep,smart", (3,)),
        ("maceplay:last_card.pays=true", "random,dump,lowest,random", (0, 1)),
    ],
)
def test_the_same_choices_give_the_playouts_of_simulate(
    name: str, lineup: str, asked: tuple[int, ...]
) -> None:
    entrants = lineup.split(",")
    players = len(entrants)
    work = Asking(make_setup(name, lineup, seed=7, stake=3, players=players))
    run = simulate(name, lineup, DEALS, seed=7, stake=3, players=players, threads=1)
    expected = run.playouts()
    slots = [None if slot in asked else entrant for slot, entrant in enumerate(entrants)]
    tables = Tables(name, slots, TABLES, seatings="balanced", stake=3)
    seen = tables.reset(seed=7)
    known: dict[tuple[int, int], list[Any]] = {}
    places = {
        (int(row.deal), int(row.seating)): number
        for number, row in enumerate(expected.itertuples())
    }
    compared = 0
    while seen.table.playout.min() < DEALS * players:
        addresses = [(int(row.deal), int(row.seating)) for row in seen.table]
        seen = tables.step(choices(work, seen, known))
        for t in np.flatnonzero(seen.finished):
            if addresses[t] not in places:  # a deal beyond the run
                continue
            assert seen.finished[t] == 1
            row = expected.iloc[places[addresses[t]]]
            at = slots_at(players, addresses[t][1])
            by_seat = [seen.rewards[t, at[seat]] for seat in range(players)]
            assert by_seat == [row[f"payoff_{seat}"] for seat in range(players)]
            assert seen.table.playout[t] == places[addresses[t]] + TABLES
            compared += 1
    assert compared == DEALS * players


def test_plays_and_features_of_a_question() -> None:
    tables = Tables("lockout", tables=40)
    chance = np.random.default_rng(1)
    seen = tables.reset(seed=3)
    for _ in range(30):
        values = chance.random(len(seen.plays))
        best = seen.best(values)
        padded, there = seen.padded()
        features, of_plays = seen.features(), seen.play_features()
        assert features.shape == (40, len(FEATURES))
        assert of_plays.shape == (len(seen.plays), len(PLAY_FEATURES))
        assert features.min() >= 0 and features.max() <= 1
        for t in range(40):
            own = slice(seen.offsets[t], seen.offsets[t + 1])
            assert best[t] == values[own].argmax()
            assert (padded.mask[t][there[t]] == seen.plays.mask[own]).all()
            assert there[t].sum() == seen.n_plays[t]
            hand = sum(1 << k for k in range(52) if features[t, FEATURES.index(f"hand_{k}")])
            assert hand == seen.view.hand[t]
            rest = of_plays[own][best[t], PLAY_FEATURES.index("rest_0") :][:52]
            mask = seen.plays.mask[own][best[t]]
            assert sum(1 << k for k in range(52) if rest[k]) == hand & ~mask
        again = seen.plays.mask.copy()
        seen = tables.step(best)
    assert not np.array_equal(again, seen.plays.mask)


BEGUN = Tables("douque", tables=3)
ZEROS = np.zeros(3, np.int64)
BAD: list[tuple[Callable[[], object], str]] = [
    (lambda: Tables("douque", ["dump"] * 4), "give None to one at least"),
    (lambda: Tables("douque", ["dumb", None]), "unknown strategy 'dumb'"),
    (lambda: Tables("douque", "dump,dump"), "give a list with one item for each slot"),
    (lambda: Tables("douque", [None] * 5), "is played by"),
    (lambda: Tables("douque:session.hands=4"), "is played in sessions of 4 hands"),
    (lambda: Tables("douque", tables=0), "0 tables are out of bounds: 1 to 65536"),
    (lambda: Tables("douque").step([0]), "call reset first"),
    (lambda: BEGUN.reset(seed=-1), "seed -1 is out of bounds"),
    (lambda: BEGUN.reset(first_playout=-1), "first playout -1 is out of bounds"),
    (lambda: BEGUN.reset() and BEGUN.step([0, 0]), "shape (2,), and there are 3 tables"),
    (lambda: BEGUN.reset() and BEGUN.step([0, 0, 9999]), "index 9999 of table 2 is out of bounds"),
    (lambda: BEGUN.reset() and BEGUN.step([0, -1, 0]), "index -1 of table 1 is out of bounds"),
    (lambda: BEGUN.reset() and BEGUN.step([0.0, 1.0, 0.0]), "indices are float64"),
    (lambda: BEGUN.reset().padded(1), "width 1 is out of bounds"),
    (lambda: BEGUN.reset().best([1.0]), "give one value for each"),
    (lambda: BEGUN.reset().best(np.full(9999, np.nan)), "legal plays"),
]


@pytest.mark.parametrize(("call", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_input_is_one_sentence(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)) as found:
        call()
    assert "\n" not in str(found.value)


def test_a_strategy_that_fails_inside_closes_the_environment(tmp_path: Any) -> None:
    file = tmp_path / "wild.py"
    file.write_text(
        "from simcore import strategy\n\n@strategy\n"
        "def wild(view, plays, n_plays, params, rng):\n"
        "    return n_plays + (view.turn > 9) * 2 - 1\n"
    )
    tables = Tables("douque", [None, f"{file}:wild", None, None], tables=4)
    with pytest.raises(
        StrategyError, match=r"returned index .* in deal \d+, seating \d+, turn \d+"
    ):
        seen = tables.reset()
        for _ in range(50):
            seen = tables.step(seen.n_plays - 1)
    with pytest.raises(InputError, match="closed; make another one"):
        tables.reset()


@pytest.mark.filterwarnings("ignore")
def test_pettingzoo_accepts_it() -> None:
    from pettingzoo.test import api_test, seed_test

    from simcore.env import aec

    api_test(aec.env("maceplay"), num_cycles=300)
    seed_test(aec.env, num_cycles=60)
    table = aec.env("royal", [None, "keep", None, "dump"])
    table.reset(seed=5)
    assert table.possible_agents == ["slot_0", "slot_2"]
    total = 0.0
    for _ in table.agent_iter():
        seen, reward, over, _, _ = table.last()
        total += reward if over else 0
        table.step(None if over else int(seen["action_mask"].sum() - 1))
    run = Tables("royal", [None, "keep", None, "dump"], tables=1)
    tables = run.reset(seed=5)
    while True:
        tables = run.step(tables.n_plays - 1)
        if tables.finished[0]:
            break
    assert total == tables.rewards[0, [0, 2]].sum()


@pytest.mark.filterwarnings("ignore")
def test_gymnasium_accepts_it() -> None:
    from gymnasium.utils.env_checker import check_env

    from simcore.env.gym import Seat

    check_env(Seat("maceplay", ["dump", "keep", "linear"]))
    seat = Seat("lockout", "lowest", players=3)
    deals = []
    for number in range(4):
        seen, about = seat.reset(seed=2 if number == 0 else None)
        deals.append((about["deal"], about["seating"]))
        over = False
        while not over:
            seen, reward, over, cut, _ = seat.step(seen["action_mask"].sum() - 1)
            assert not cut
        assert reward
        with pytest.raises(InputError, match="call reset first"):
            seat.step(0)
    assert len(set(deals)) == 4 and deals[0][0] == 0
    seat.reset()
    assert seat.step(2000)[1:3] == (-52.0, True)
    with pytest.raises(InputError, match="one seat learns here"):
        Seat("douque", ["dump", None, "dump"])  # type: ignore[list-item]


@pytest.mark.slow
def test_what_the_readme_trains_learns(capsys: pytest.CaptureFixture[str]) -> None:
    text = (Path(__file__).resolve().parents[1] / "README.md").read_text("utf-8")
    blocks = re.findall(r"```py\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
        first, last = map(float, re.findall(r"-?\d+\.\d", capsys.readouterr().out))
        assert last > first + 2
