"""Made-up playouts whose truth is known exactly, for the tests of estimators.

x of a seat = hand (of deal and seat, the same in every seating) + skill (of the slot) + noise, all
integers, and payoff = players · x - Σ x: zero-sum, with mean players · skill - Σ skill. The winner
is the seat of the largest log strength + Gumbel noise of deal and seat: it wins in proportion to
the strengths, and seatings of one deal resemble each other.
"""

from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from simcore.game.kinds import KINDS
from simcore.runs.reading import Block
from simcore.samples.measures import DealMeasures
from simcore.samples.scores import Scores, score_table

PLAYERS = 4
ORDERS = np.array(list(permutations(range(PLAYERS))))
# SHIFTS[cyclic order, k] = number of the seating in which everybody has moved k seats on
SHIFTS = np.array(
    [
        [next(i for i, p in enumerate(ORDERS) if (p == np.roll(order, -k)).all()) for k in range(4)]
        for order in ORDERS[:6]
    ]
)


def made_up(
    lineup: tuple[str, ...],
    deals: int,
    skill: dict[str, int],
    strength: dict[str, float] | None = None,
    seed: int = 1,
    hand: int = 6,
    noise: int = 3,
) -> pa.Table:
    """Playouts of `deals` deals in balanced seatings. hand, noise: uniform integers up to ±."""
    rng = np.random.default_rng(seed)  # the hands depend on the seed alone, as with real deals
    hands = rng.integers(-hand, hand + 1, (deals, 1, PLAYERS))
    luck = rng.gumbel(size=(deals, 1, PLAYERS))
    starter = np.repeat(rng.integers(0, PLAYERS, deals), PLAYERS)
    length = rng.poisson(20, (deals, 1))
    seating = SHIFTS[rng.integers(0, 6, deals)]
    slot = ORDERS[seating]  # [deals, seatings, seats]
    own = np.random.default_rng([seed, *(ord(c) for c in "".join(lineup))])
    skills = np.array([skill[name] for name in lineup])[slot]
    x = hands + skills + own.integers(-noise, noise + 1, slot.shape)
    payoff = (PLAYERS * x - x.sum(axis=2, keepdims=True)).reshape(-1, PLAYERS).astype(np.int32)
    strengths = np.array([(strength or {}).get(name, 1.0) for name in lineup])[slot]
    plays = (length + own.poisson(6, (deals, PLAYERS))).ravel()
    return pa.table(
        {
            "deal": np.repeat(np.arange(deals), PLAYERS),
            "seating": seating.ravel().astype(np.int8),
            "starter": starter.astype(np.int8),
            "winner": (np.log(strengths) + luck).argmax(axis=2).ravel().astype(np.int8),
            "plays": plays.astype(np.int16),
            "passes": (plays // 2).astype(np.int16),
            "tricks": (plays // 4).astype(np.int16),
            **{f"payoff_{s}": payoff[:, s] for s in range(PLAYERS)},
        }
    )


def scored(kind: str, lineup: str, deals: int, **how: Any) -> Scores:
    """Scores of made-up playouts; lineup: a letter for each slot."""
    return score_table(kind, tuple(lineup), made_up(tuple(lineup), deals, **how))


def all_tables(names: str, deals: int, **how: Any) -> list[Scores]:
    """Every table of `--tables all`, of strategies named by letters."""
    from itertools import combinations

    found = [scored("mixed", "".join(c), deals, **how) for c in combinations(names, PLAYERS)]
    found += [scored("1v3", a + 3 * b, deals, **how) for a, b in permutations(names, 2)]
    return found + [scored("2v2", 2 * (a + b), deals, **how) for a, b in combinations(names, 2)]


def cut(scores: Scores, first: int, end: int) -> Scores:
    """Some of the deals (products stay those of all)."""
    return replace(
        scores,
        first=scores.first + first,
        seatings=scores.seatings[first:end],
        sums=scores.sums[:, first:end],
    )


def cut_measures(measures: DealMeasures, first: int, end: int) -> DealMeasures:
    """Some of the deals."""
    columns = {name: values[first:end] for name, values in measures.columns.items()}
    return DealMeasures(columns, measures.payoffs[first:end], measures.slots[first:end])


def between(low: float, value: float, high: float) -> None:
    """value within its bounds, with a message that shows all three."""
    assert low <= value <= high, f"{value} is not within {low} to {high}"


def by_hand(kind: str, lineup: str, payoffs: list[list[int]], wins: list[list[int]]) -> Scores:
    """A table with given sums per deal and group; one seating a deal."""
    sums = np.array([payoffs, wins], np.int64)
    products = np.zeros((2, *(2 * [sums.shape[2]])))
    return Scores(kind, tuple(lineup), 0, np.zeros((sums.shape[1], 1), np.int8), sums, products)


def cell(frame: pd.DataFrame, **where: str) -> dict[str, Any]:
    """The one row with these values."""
    found = frame
    for column, value in where.items():
        found = found[found[column] == value]
    (row,) = found.to_dict("records")
    return {str(k): v for k, v in row.items()}


def close(row: dict[str, Any], mean: float, half: float) -> None:
    assert row["estimate"] == pytest.approx(mean, abs=1e-12)
    assert (row["high"] - row["low"]) / 2 == pytest.approx(half, rel=1e-9, abs=1e-12)
    assert (row["high"] + row["low"]) / 2 == pytest.approx(mean, abs=1e-9)


def block(payoff: Any, group: Any, starter: Any, **columns: Any) -> Block:
    """A run from its payoffs [deal, seating, seat] and who sits where [seating, seat]."""
    payoff = np.array(payoff)
    deals, seatings, _ = payoff.shape
    group = np.broadcast_to(np.array(group, np.int8), payoff.shape)
    names = tuple("abcd"[: group.max() + 1])
    slots = tuple(int((group[0, 0] == g).sum()) for g in range(len(names)))
    found = {
        "payoff": payoff,
        "seating": np.broadcast_to(np.arange(seatings, dtype=np.int8), (deals, seatings)),
        "starter": np.repeat(np.array(starter, np.int8)[:, None], seatings, axis=1),
        "winner": payoff.argmax(axis=2).astype(np.int8),
        "cards_left": np.where(payoff == payoff.max(axis=2, keepdims=True), 0, 5),
        "last_kind": np.full((deals, seatings), KINDS.index("single")),
        "winner_multiplier": np.ones((deals, seatings), int),
        **{name: np.full((deals, seatings), 9) for name in ("plays", "passes", "tricks")},
        **columns,
    }
    return Block(names, slots, 13, np.arange(deals), group, found)
