"""Cards left on a sheet beside simulated tables: which of our strategies play most alike.

The hand is the unit: what its losers have left hangs together, so hands are drawn whole.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analyses.intervals import LEVEL, effective_number
from simcore.game.ruleset import RuleSet
from simcore.statistics import wilson

STRATEGIES = (
    "random", "highest", "lowest", "dump", "keep", "minplays", "smart", "linear", "control",
)  # fmt: skip
DEALS = 20_000  # simulated for each strategy and number of players
RESAMPLES = 1000
ALPHA = 0.05


@dataclass(frozen=True)
class Simulated:
    """Tables of one strategy: the losers' cards left in every pattern that a hand ended with.

    counts: float64[patterns, cards]: losers with so many cards left; odds: float64[patterns], how
    often each came; deals: hands played.
    """

    counts: Any
    odds: Any
    deals: int


def losers(cards: Any) -> Any:
    """float64[hands, 53]: how many losers of each hand had so many cards left."""
    found = np.zeros((len(cards), 53))
    for column in np.asarray(cards, float).T:
        hands = np.flatnonzero(column > 0)
        found[hands, column[hands].astype(int)] += 1
    return found


def simulated(rules: RuleSet, strategy: str, players: int, deals: int, seed: int) -> Simulated:
    """Play tables at which everybody plays one strategy."""
    import simcore  # here: it brings the compiler

    run = simcore.simulate(rules, strategy, deals, seed, players=players, seatings="fixed")
    rows = run.playouts()[[f"cards_left_{seat}" for seat in range(players)]].to_numpy()
    patterns, numbers = np.unique(np.sort(rows, axis=1), axis=0, return_counts=True)
    return Simulated(losers(patterns), numbers / deals, deals)


def _shares(counts: Any, deals: int) -> Any:
    """float64[…, 53]: shares of each number of cards among losers; none is quite 0."""
    filled = counts + 0.5 / deals
    filled[..., 0] = 0.0
    return filled / filled.sum(axis=-1, keepdims=True)


def _deviance(observed: Any, shares: Any) -> Any:
    """Multinomial deviance of counts against shares."""
    total = observed.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = observed * np.log(observed / (total * shares))
    return 2 * np.where(observed > 0, terms, 0.0).sum(axis=-1)


def _distances(
    found: dict[int, Any], tables: dict[int, Simulated], resamples: int, rng: Any
) -> tuple[float, float]:
    """(deviance per hand of a sheet against tables, p value); found: `losers` by players.

    A parametric bootstrap: as many hands are drawn from the simulated ones, and the expectation
    anew from as many deals as were played, so that its own error counts.
    """
    hands = sum(len(each) for each in found.values())
    seen, drawn = 0.0, np.zeros(resamples)
    for players, each in found.items():
        table = tables[players]
        shares = _shares(table.odds @ table.counts, table.deals)
        seen += float(_deviance(each.sum(axis=0), shares))
        again = rng.multinomial(len(each), table.odds, resamples) @ table.counts
        expected = rng.multinomial(table.deals, table.odds, resamples) @ table.counts / table.deals
        drawn += _deviance(again, _shares(expected, table.deals))
    return seen / hands, float((1 + (drawn >= seen).sum()) / (1 + resamples))


def by_players(cards: Any) -> dict[int, Any]:
    """`losers` of the hands with each number of players."""
    size = (~np.isnan(cards)).sum(axis=1)
    return {int(n): losers(cards[size == n]) for n in np.unique(size)}


def nearest(
    cards: Any,
    rules: RuleSet,
    strategies: Sequence[str] = STRATEGIES,
    deals: int = DEALS,
    seed: int = 0,
    resamples: int = RESAMPLES,
    progress: Callable[[str], None] = lambda text: None,
) -> tuple[pd.DataFrame, dict[str, dict[int, Simulated]]]:
    """Strategies by how near a table of them comes to the cards left of a sheet, nearest first.

    cards: float64[hands, players], NaN where somebody did not play. Columns: strategy, distance
    (multinomial deviance per hand of the losers' cards left), p_value (that hands of this strategy
    are as far or further from it), fits (p_value is ALPHA or more), hands. The tables that were
    simulated come with it, by strategy and number of players. Raises InputError, StrategyError.
    """
    found = by_players(cards)
    rng = np.random.default_rng(seed)
    tables: dict[str, dict[int, Simulated]] = {}
    rows = []
    for strategy in strategies:
        progress(f"simulating {strategy}")
        tables[strategy] = {n: simulated(rules, strategy, n, deals, seed) for n in found}
        distance, p_value = _distances(found, tables[strategy], resamples, rng)
        rows.append(
            {
                "strategy": strategy, "distance": distance, "p_value": p_value,
                "fits": p_value >= ALPHA, "hands": len(cards),
            }
        )  # fmt: skip
    frame = pd.DataFrame(rows, columns=["strategy", "distance", "p_value", "fits", "hands"])
    return frame.sort_values("distance", kind="stable", ignore_index=True), tables


def cards_left(
    cards: Any, tables: dict[str, dict[int, Simulated]], level: float = LEVEL
) -> pd.DataFrame:
    """Losers by cards left: cards_left, losers, share with its interval, expected_… (the share at
    tables of each strategy), hands.

    The interval is Wilson's on the effective number of losers: those of a hand hang together.
    """
    found = by_players(cards)
    each = np.concatenate(list(found.values()))
    n, per_hand = len(each), each.sum(axis=1)
    total = per_hand.sum()
    shares = each.sum(axis=0) / total
    errors = each - shares * per_hand[:, None]
    variances = n / max(1, n - 1) * (errors**2).sum(axis=0) / total**2
    expected = {
        f"expected_{strategy}": sum(
            len(found[players]) * (players - 1) * _shares(t.odds @ t.counts, t.deals)
            for players, t in by.items()
        ) / total
        for strategy, by in tables.items()
    }  # fmt: skip
    largest = max(
        k for k in range(53) if shares[k] > 0 or any(e[k] > 1e-4 for e in expected.values())
    )
    rows = []
    for k in range(1, largest + 1):
        share = float(shares[k])
        low, high = wilson(share, effective_number(share, float(variances[k]), total, n), level)
        row = {"cards_left": k, "losers": int(each[:, k].sum()), "share": share}
        row |= {"share_low": low, "share_high": high}
        rows.append(row | {s: float(e[k]) for s, e in expected.items()} | {"hands": n})
    return pd.DataFrame(rows)
