"""How often intervals hold the truth: small runs drawn from a large one, whose figures are true.

The large run is a whole population of deals: an experiment draws some of them with replacement, as
a run draws deals, so the large run's figures are exactly what the experiment estimates.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from simcore import simulate
from simcore.runs.reading import Block, blocks

COLUMNS = (
    "seating", "starter", "winner", "payoff", "cards_left", "plays", "passes", "tricks",
    "last_kind", "winner_multiplier",
)  # fmt: skip
POPULATION = 30_000


@cache
def population(rules: str = "maceplay", lineup: str = "random,lowest,dump,highest") -> Block:
    """Deals of a field under balanced seatings."""
    run = simulate(rules, lineup, POPULATION, 7)
    (found,) = blocks(run, COLUMNS)
    return found


def experiments(whole: Block, deals: int, number: int, seed: int = 1) -> Iterator[Block]:
    """Runs of some deals each, drawn from the population."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        yield whole.take(rng.integers(0, len(whole), deals))


def coverage(
    estimate: Callable[[Any], pd.DataFrame],
    key: list[str],
    figures: list[str],
    deals: int,
    number: int,
    exact: Callable[[Any], pd.DataFrame] | None = None,
) -> pd.DataFrame:
    """Share of experiments whose interval holds the population's figure.

    key: columns that name a row of the estimate; figures: columns with <figure>_low and _high, or
    "value" with low and high; exact: gives the population's figures, if not `estimate`. One row per
    key, one column per figure.
    """
    whole = population()
    truth = (exact or estimate)(whole).set_index(key)
    hits = pd.DataFrame(0.0, truth.index, figures)
    seen = pd.Series(0, truth.index)
    for one in experiments(whole, deals, number):
        found = estimate(one).set_index(key)
        index = found.index.intersection(truth.index)
        seen[index] += 1
        for figure in figures:
            prefix = "" if figure in ("value", "estimate") else f"{figure}_"
            low, high = found.loc[index, f"{prefix}low"], found.loc[index, f"{prefix}high"]
            true = truth.loc[index, figure]
            slack = 1e-12 * true.abs()
            hits.loc[index, figure] += (low - slack <= true) & (true <= high + slack)
    return hits.div(seen, axis=0)
