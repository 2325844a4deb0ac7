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
import pyarrow as pa

from simcore.samples.measures import HandMeasures
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


def cut_measures(measures: HandMeasures, first: int, end: int) -> HandMeasures:
    """Some of the deals."""
    columns = {name: values[first:end] for name, values in measures.columns.items()}
    return HandMeasures(columns, measures.payoffs[first:end], measures.slots[first:end])


def between(low: float, value: float, high: float) -> None:
    """value within its bounds, with a message that shows all three."""
    assert low <= value <= high, f"{value} is not within {low} to {high}"
