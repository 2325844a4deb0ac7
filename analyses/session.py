"""An evening of so many playouts: what it may bring, its worst stretch, the risk of ruin."""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyses.intervals import LEVEL, known, mean_over_deals, wilson
from simcore.errors import InputError, check_whole
from simcore.runs.reading import Source, blocks
from simcore.statistics import t_quantile

MOST_PLAYOUTS = 100_000
GROUPS = 200  # of deals, which the bootstrap draws from
REPLICATES = 60
TABLE = 1 << 20  # of equally likely payoffs; rarer ones than one in so many are left out
STEPS = 20_000_000  # playouts drawn for one strategy at most, all replicates together
DRAWN = ("q0.05", "q0.5", "q0.95", "loss", "worst_run", "worst_run_q0.95", "ruin")
FIGURES = ("mean", "sd", *DRAWN[:6], "bankroll", "ruin", "ruin_diffusion", "ruin_ever")
Three = tuple[float, float, float]  # value, low, high
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
    uniform. Where hands are played in sessions by the rules, those are drawn as wholes, the
    bankroll is looked at after each, and its default is by the payoff of one.
    Intervals: exact from the sums over deals for mean (as in `means`), sd, ruin_diffusion and
    ruin_ever (linearised in mean and sd of a playout; sd as a logarithm). For what is drawn, a
    bootstrap over random groups of deals (Efron and Tibshirani, An Introduction to the Bootstrap,
    1993, chapter 6) with the same draws in each replicate, and the error of drawing added. What
    mean and sd explain of the replicates' spread is replaced by its exact value, so that the
    interval hardly depends on the seed.
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
    names, payoffs, deals, hands = _payoffs(run)
    check_whole("the number of playouts", playouts, hands)
    playouts //= hands
    sessions = max(100, min(sessions, STEPS // (playouts * (REPLICATES + 1))))
    rng = np.random.Generator(np.random.Philox(seed))
    draws = rng.integers(0, TABLE, (playouts, sessions), dtype=np.uint32)
    rows = []
    for name, mine in zip(names, payoffs, strict=True):
        stake = bankroll if bankroll is not None else float(max(1, math.ceil(20 * mine.sd)))
        found = {
            **_exact(mine, playouts, stake, level),
            **_drawn(mine, draws, stake, rng, level),
            "bankroll": (stake, stake, stake),
        }
        for figure in FIGURES:
            value, low, high = found[figure]
            rows.append(
                {"strategy": name, "figure": figure, "value": value, "low": low, "high": high,
                 "deals": deals}
            )  # fmt: skip
    return pd.DataFrame(rows)


@dataclass(frozen=True)
class _Payoffs:
    """The payoffs of one strategy: m in each of so many deals."""

    values: NDArray[np.float64]  # [payoff]
    counts: NDArray[np.float64]  # [group of deals, payoff]
    deals: int
    per_deal: int
    every_seat: bool  # it plays against itself alone
    sums: Any  # over deals: Σa, Σb, Σa², Σab, Σb²; a, b: a deal's sums of payoffs and squares

    @property
    def mean(self) -> float:
        """Of one playout."""
        return float(self.sums[0]) / self.deals / self.per_deal

    @property
    def sd(self) -> float:
        """Of one playout."""
        return _moments(self.values, self.counts.sum(axis=0))[1]

    def covariance(self) -> Any:
        """float64[2, 2]: of the errors of mean and sd, over deals (NaN for one deal)."""
        n, m = self.deals, self.per_deal
        a, b, aa, ab, bb = self.sums
        if n < 2:
            return np.full((2, 2), math.nan)
        spread = np.array([[aa - a * a / n, ab - a * b / n], [ab - a * b / n, bb - b * b / n]])
        # Linearised: sd² = b - mean², so an error of sd is (error of b - 2 mean error of a) / 2 sd.
        sd = max(self.sd, 1e-300)
        slope = np.array([[1.0, 0.0], [-self.mean / sd, 1 / (2 * sd)]])
        return slope @ spread @ slope.T / (n - 1) / n / m**2


def _payoffs(run: Source) -> tuple[tuple[str, ...], list[_Payoffs], int, int]:
    """(strategies, the payoffs of each, number of deals or sessions, hands of a session)."""
    pieces: list[list[pd.DataFrame]] = []
    deals = 0
    sums: Any = 0.0
    for each in blocks(run, ("payoff",)):
        hands, block = each.session_hands, each.in_sessions()
        names = block.strategies
        pieces = pieces or [[] for _ in names]
        group = (deals + np.arange(len(block))) % GROUPS
        deals += len(block)
        group = np.broadcast_to(group[:, None, None], block.group.shape)
        payoff = block.columns["payoff"].astype(float)
        a, b = block.per_strategy(payoff), block.per_strategy(payoff**2)
        sums = sums + np.array([x.sum(axis=0) for x in (a, b, a * a, a * b, b * b)])
        for g in range(len(names)):
            mine = block.group == g
            frame = pd.DataFrame({"group": group[mine], "payoff": block.columns["payoff"][mine]})
            pieces[g].append(frame.value_counts().rename("count").reset_index())
    found = []
    for g, frames in enumerate(pieces):
        counts = pd.concat(frames).pivot_table("count", "group", "payoff", "sum", 0)
        values = counts.columns.to_numpy(float)
        per_deal = block.seatings * block.slots[g]
        alone = block.slots[g] == block.players
        found.append(_Payoffs(values, counts.to_numpy(float), deals, per_deal, alone, sums[:, g]))
    return names, found, deals, hands


def _moments(values: Any, counts: Any) -> tuple[float, float]:
    """Mean and standard deviation of one playout's payoff."""
    weights = counts / counts.sum()
    mean = float(values @ weights)
    return mean, math.sqrt(max(0.0, float((values - mean) ** 2 @ weights)))


def _exact(mine: _Payoffs, playouts: int, bankroll: float, level: float) -> dict[str, Three]:
    """What follows from mean and standard deviation of a playout: (value, low, high)."""
    total, _, squares, *_ = mine.sums
    e = mean_over_deals(total, squares, mine.deals, mine.per_deal, level)
    if mine.every_seat:  # what one seat pays another gets
        e = known(0.0, mine.deals)
    mean, sd, covariance = mine.mean, mine.sd, mine.covariance()
    t = t_quantile(level, max(1, mine.deals - 1))
    wide = sd * math.sqrt(playouts)
    factor = math.exp(t * math.sqrt(covariance[1, 1]) / sd) if sd > 0 else math.nan
    found: dict[str, Three] = {
        "mean": (e.mean * playouts, e.low * playouts, e.high * playouts),
        "sd": (wide, wide / factor, wide * factor),
    }
    # Ruin falls with mean / sd²: at the two ends of that ratio's interval; where the mean is known
    # to be 0, it rises with sd.
    slope = np.array([1.0, -2 * mean / sd]) if sd > 0 else np.array([1.0, 0.0])
    if mine.every_seat:
        slope = np.array([0.0, -1.0])
    error = math.sqrt(max(0.0, slope @ covariance @ slope)) if mine.deals > 1 else math.nan
    step = t * (covariance @ slope) / error if error > 0 else np.full(2, math.nan)
    for figure, length in (("ruin_diffusion", float(playouts)), ("ruin_ever", math.inf)):
        low, value, high = (
            first_passage(mean + k * step[0], max(0.0, sd + k * step[1]), bankroll, length)
            if k == 0 or error > 0 else math.nan
            for k in (1, 0, -1)
        )  # fmt: skip
        found[figure] = (value, low, high)
    return found


def _drawn(mine: _Payoffs, draws: Any, bankroll: float, rng: Any, level: float) -> dict[str, Three]:
    """What is seen in sessions that are drawn: (value, low, high)."""
    whole = mine.counts.sum(axis=0)
    value, drawing = _figures(mine.values, whole, draws, bankroll)
    groups, sessions = len(mine.counts), draws.shape[1]
    error = np.full(len(value), math.nan)
    if groups > 1:
        samples = (
            mine.counts[rng.integers(0, groups, groups)].sum(axis=0) for _ in range(REPLICATES)
        )
        pairs = [
            (_figures(mine.values, counts, draws, bankroll)[0], _moments(mine.values, counts))
            for counts in samples
        ]
        figures, moments = (np.array(each) for each in zip(*pairs, strict=True))
        figures, moments = figures - figures.mean(axis=0), moments - moments.mean(axis=0)
        slopes = np.linalg.lstsq(moments, figures, rcond=None)[0]  # [moment, figure]
        explained = np.einsum("mf,mk,kf->f", slopes, mine.covariance(), slopes)
        rest = ((figures - moments @ slopes) ** 2).sum(axis=0) / (REPLICATES - 3)
        # Drawing groups with replacement spreads (groups - 1) / groups too little.
        error = np.sqrt(explained + rest * groups / (groups - 1) + drawing**2)
    half = t_quantile(level, max(1, groups - 1)) * error
    found: dict[str, Three] = {}
    for figure, x, h, e in zip(DRAWN, value.tolist(), half.tolist(), error.tolist(), strict=True):
        low, high = x - h, x + h
        if figure in ("loss", "ruin"):
            number = min(sessions, x * (1 - x) / e**2) if 0 < x < 1 and e > 0 else sessions
            low, high = wilson(x, number, level) if groups > 1 else (math.nan, math.nan)
        elif figure in ("worst_run", "worst_run_q0.95") and x > 0:
            # As logarithms: spreads are skewed, for payoffs have heavy tails.
            low, high = x * math.exp(-h / x), x * math.exp(h / x)
        found[figure] = (x, low, high)
    return found


def _figures(values: Any, counts: Any, draws: Any, bankroll: float) -> tuple[Any, Any]:
    """float64[DRAWN]: the figures of one payoff distribution, and their errors of drawing."""
    # Drawing from a table of quantiles is many times faster than from the distribution itself.
    cumulated = np.round(np.cumsum(counts) / counts.sum() * TABLE).astype(np.int64)
    table = np.repeat(values, np.diff(cumulated, prepend=0))
    sessions = draws.shape[1]
    total, peak, lowest, worst = (np.zeros(sessions) for _ in range(4))
    for one in draws:
        total += table[one]
        np.maximum(peak, total, out=peak)
        np.minimum(lowest, total, out=lowest)
        np.maximum(worst, peak - total, out=worst)
    drawn = (
        *(_quantile(total, q) for q in (0.05, 0.5, 0.95)),
        _average(total < 0),
        _average(worst),
        _quantile(worst, 0.95),
        _average(lowest <= -bankroll),
    )
    value, error = np.array(drawn).T
    return value, error


def _average(x: Any) -> tuple[float, float]:
    """(mean, its standard error)."""
    return float(x.mean()), float(x.std()) / math.sqrt(len(x))


def _quantile(x: Any, q: float) -> tuple[float, float]:
    """(quantile, its standard error: from those two errors of the share to either side)."""
    away = 2 * math.sqrt(q * (1 - q) / len(x))
    low, value, high = np.quantile(x, (max(0.0, q - away), q, min(1.0, q + away)))
    return float(value), float(high - low) / 4


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
