"""An evening of so many playouts: what it may bring, its worst stretch, the risk of ruin."""

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd

from analyses.intervals import LEVEL
from simcore.errors import InputError
from simcore.runs.reading import Source, blocks
from simcore.statistics import t_quantile

MOST_PLAYOUTS = 100_000
GROUPS = 200  # of deals, which the bootstrap draws from
REPLICATES = 60
TABLE = 1 << 20  # of equally likely payoffs; rarer ones than one in so many are left out
STEPS = 20_000_000  # playouts drawn for one strategy at most, all replicates together
_PHI = NormalDist().cdf


def session(
    run: Source,
    playouts: int = 100,
    bankroll: float | None = None,
    sessions: int = 4000,
    seed: int = 0,
    level: float = LEVEL,
) -> pd.DataFrame:
    """What `playouts` playouts in a row bring each strategy, and how often a bankroll is lost.

    bankroll: points; default 20 standard deviations of the payoff of one playout, rounded up.
    sessions: how many are drawn; fewer where `playouts` is large. Columns: strategy, figure, value,
    low, high, deals, with the figures: mean and sd of the total; q0.05, q0.5, q0.95 of it; loss
    (the probability of a total below 0); worst_run (mean of the largest fall from a peak) and
    worst_run_q0.95; bankroll; ruin (the probability that the total falls to -bankroll or below
    within the session); ruin_diffusion (the same by formula); ruin_ever (if one played for ever).

    Each session draws its playouts independently: a deal, a seating and a slot of the strategy, all
    uniform. Intervals: a bootstrap over random groups of deals (Efron and Tibshirani, An
    Introduction to the Bootstrap, 1993, chapter 6), whose spread holds the error of drawing too.
    Formulas: first passage of Brownian motion with drift m and variance s² per playout to -B (Cox
    and Miller, The Theory of Stochastic Processes, 1965, section 5.7): within n playouts
    Φ((-B - mn) / s√n) + exp(-2mB / s²) Φ((-B + mn) / s√n), ever exp(-2mB / s²), or 1 for m <= 0.
    """
    if not 1 <= playouts <= MOST_PLAYOUTS:
        raise InputError(f"{playouts} playouts are out of bounds: 1 to {MOST_PLAYOUTS}")
    if not 100 <= sessions <= 1_000_000:
        raise InputError(f"{sessions} sessions are out of bounds: 100 to 1000000")
    if bankroll is not None and not (bankroll > 0 and math.isfinite(bankroll)):
        raise InputError(f"bankroll {bankroll:g} is out of bounds: above 0 points")
    names, tables, deals = _payoffs(run)
    sessions = max(100, min(sessions, STEPS // (playouts * (REPLICATES + 1))))
    rows = []
    for name, (values, counts) in zip(names, tables, strict=True):
        whole = counts.sum(axis=0)
        _, deviation = _moments(values, whole)
        stake = bankroll if bankroll is not None else float(max(1, math.ceil(20 * deviation)))
        rng = np.random.Generator(np.random.Philox(seed))
        found = _figures(rng, values, whole, playouts, stake, sessions)
        groups = len(counts)
        replicates = [
            _figures(
                rng, values, counts[rng.integers(0, groups, groups)].sum(axis=0),
                playouts, stake, sessions,
            )
            for _ in range(REPLICATES if groups > 1 else 0)
        ]  # fmt: skip
        for figure, value in found.items():
            half = math.nan
            if replicates:
                spread = np.std([r[figure] for r in replicates], ddof=1)
                # Drawing groups with replacement spreads (groups - 1) / groups too little.
                spread *= math.sqrt(groups / (groups - 1))
                half = t_quantile(level, min(groups, REPLICATES) - 1) * float(spread)
            if figure in ("loss", "ruin"):
                half = max(half, 3 / sessions)  # where none or all of them were drawn
            low, high = value - half, value + half
            if figure in ("sd", "worst_run", "worst_run_q0.95") and value > 0:
                # As logarithms: spreads are skewed, for payoffs have heavy tails.
                low, high = value * math.exp(-half / value), value * math.exp(half / value)
            if figure in ("loss", "ruin", "ruin_diffusion", "ruin_ever"):
                low, high = (min(1.0, max(0.0, x)) if x == x else x for x in (low, high))
            rows.append(
                {"strategy": name, "figure": figure, "value": value, "low": low, "high": high,
                 "deals": deals}
            )  # fmt: skip
    return pd.DataFrame(rows)


def _payoffs(run: Source) -> tuple[tuple[str, ...], list[tuple[Any, Any]], int]:
    """(strategies, for each (payoffs, counts [group of deals, payoff]), number of deals)."""
    pieces: list[list[pd.DataFrame]] = []
    deals = 0
    for block in blocks(run, ("payoff",)):
        names = block.strategies
        pieces = pieces or [[] for _ in names]
        group = (deals + np.arange(len(block))) % GROUPS
        deals += len(block)
        group = np.broadcast_to(group[:, None, None], block.group.shape)
        for g in range(len(names)):
            mine = block.group == g
            frame = pd.DataFrame({"group": group[mine], "payoff": block.columns["payoff"][mine]})
            pieces[g].append(frame.value_counts().rename("count").reset_index())
    tables = []
    for frames in pieces:
        counts = pd.concat(frames).pivot_table("count", "group", "payoff", "sum", 0)
        tables.append((counts.columns.to_numpy(float), counts.to_numpy(float)))
    return names, tables, deals


def _moments(values: Any, counts: Any) -> tuple[float, float]:
    """Mean and standard deviation of one playout's payoff."""
    weights = counts / counts.sum()
    mean = float(values @ weights)
    return mean, math.sqrt(max(0.0, float((values - mean) ** 2 @ weights)))


def _figures(
    rng: Any, values: Any, counts: Any, playouts: int, bankroll: float, sessions: int
) -> dict[str, float]:
    """The figures of one payoff distribution, from sessions drawn from it."""
    # Drawing from a table of quantiles is many times faster than from the distribution itself.
    cumulated = np.round(np.cumsum(counts) / counts.sum() * TABLE).astype(np.int64)
    table = np.repeat(values, np.diff(cumulated, prepend=0))
    total, peak, lowest, worst = (np.zeros(sessions) for _ in range(4))
    for _ in range(playouts):
        total += table[rng.integers(0, TABLE, sessions, dtype=np.uint32)]
        np.maximum(peak, total, out=peak)
        np.minimum(lowest, total, out=lowest)
        np.maximum(worst, peak - total, out=worst)
    mean, sd = _moments(values, counts)
    quantiles = np.quantile(total, (0.05, 0.5, 0.95))
    return {
        "mean": mean * playouts,
        "sd": sd * math.sqrt(playouts),
        **dict(zip(("q0.05", "q0.5", "q0.95"), map(float, quantiles), strict=True)),
        "loss": float((total < 0).mean()),
        "worst_run": float(worst.mean()),
        "worst_run_q0.95": float(np.quantile(worst, 0.95)),
        "bankroll": bankroll,
        "ruin": float((lowest <= -bankroll).mean()),
        "ruin_diffusion": first_passage(mean, sd, bankroll, playouts),
        "ruin_ever": first_passage(mean, sd, bankroll, math.inf),
    }


def first_passage(mean: float, sd: float, bankroll: float, playouts: float) -> float:
    """The probability that Brownian motion falls by `bankroll` within so many playouts.

    mean, sd: points per playout. See `session` for the formula and its source.
    """
    if sd == 0:
        return float(-mean * playouts >= bankroll) if mean < 0 else 0.0
    if mean > 0 or math.isfinite(playouts):
        ever = -2 * mean * bankroll / sd**2
    else:
        return 1.0
    if math.isinf(playouts):
        return math.exp(ever)
    spread = sd * math.sqrt(playouts)
    direct = _PHI((-bankroll - mean * playouts) / spread)
    tail = _PHI((-bankroll + mean * playouts) / spread)
    return min(1.0, direct + (math.exp(ever + math.log(tail)) if tail > 0 else 0.0))
