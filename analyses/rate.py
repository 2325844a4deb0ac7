"""Ratings of many strategies from their tables, and Nash averaging beside them.

A rating is one number for each, which cycles do not fit into: read it with the matrix. Intervals
are percentiles of a bootstrap over deals (Efron and Tibshirani, An Introduction to the Bootstrap,
1993): deals are drawn in blocks of equal numbers where there are more than BLOCKS of them.
"""

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from analyses.compare import duel
from analyses.contrasts import Sample
from analyses.intervals import LEVEL
from simcore.errors import InputError

BLOCKS = 1000
RESAMPLES = 500
ELO = 400 / np.log(10)  # 400 points: ten times the strength


def block_sums(values: Any) -> Any:
    """float64[blocks, k]: sums over consecutive deals of float64[deals, k]."""
    n = len(values)
    starts = np.arange(min(n, BLOCKS)) * n // min(n, BLOCKS)
    return np.add.reduceat(values, starts, axis=0)


def resampled(blocks: Any, resamples: int, seed: int) -> Any:
    """float64[resamples, k]: sums of as many blocks, drawn with replacement."""
    rng = np.random.default_rng(seed)
    n = len(blocks)
    return rng.multinomial(n, np.full(n, 1 / n), resamples) @ blocks


def percentiles(draws: Any, level: float) -> Any:
    """[2, …]: bounds between which a new draw falls with probability `level`.

    The order statistics (n + 1) p, so that few resamples do not make an interval too narrow.
    """
    return np.quantile(draws, ((1 - level) / 2, (1 + level) / 2), axis=0, method="weibull")


def _wins(sample: Sample) -> Any:
    """float64[deals, k²]: of each pair (i, j), the playouts that i won with j at the table.

    Counted once for each seat of j. Each table adds in proportion to its share of the playouts.
    """
    k = len(sample.names)
    found = np.zeros((sample.n_deals, k, k))
    for table in sample.tables:
        places = [sample.names.index(name) for name in table.groups]
        slots = [table.lineup.count(name) for name in table.groups]
        won = table.values("win_rate") * slots * table.seatings_per_deal
        for g, i in enumerate(places):
            for h, j in enumerate(places):
                if i != j:
                    found[:, i, j] += won[:, g] * slots[h]
    return found.reshape(sample.n_deals, k * k)


def strengths(wins: Any, start: Any = None) -> Any:
    """float64[k]: log strengths of mean 0 from wins[i, j], i over j. start: where to begin.

    Plackett and Luce's model: a playout is won in proportion to the strengths at the table. The
    winner is taken as having beaten every other seat, which estimates them consistently (position-1
    breaking: Azari Soufiani, Chen, Parkes and Xia, NeurIPS 2013), and the Bradley-Terry likelihood
    of these pairs is maximised by choix (iterative Luce spectral ranking: Maystre and Grossglauser,
    NeurIPS 2015). Half a win is added to either side of every pair that met, so that strengths are
    finite.
    """
    import choix

    met = (wins + wins.T) > 0
    return choix.ilsr_pairwise_dense(wins + 0.5 * met, initial_params=start)


def rating_frame(
    sample: Sample, level: float = LEVEL, resamples: int = RESAMPLES, seed: int = 0
) -> pd.DataFrame:
    """Ratings, best first: strategy, rating, low, high, lead, lead_low, lead_high, expected, deals.

    rating: in Elo points (400: ten times the strength) around a mean of 0; lead: over the next one
    (NaN for the last); expected: the share of wins that the model expects at a table with average
    opponents. Estimator: `strengths`; interval:
    bootstrap over deals; NaN for one deal. Raises InputError for a single strategy.
    """
    k = len(sample.names)
    if k < 2:
        raise InputError("one strategy cannot be rated; give two or more")
    wins = _wins(sample)
    start = strengths(wins.sum(axis=0).reshape(k, k))
    order = np.argsort(-start, kind="stable")
    theta = start[order]
    bounds = np.full((2, 2, k), np.nan)
    if sample.n_deals > 1:
        draws = resampled(block_sums(wins), resamples, seed).reshape(-1, k, k)
        again = np.array([strengths(draw, start) for draw in draws])[:, order]
        both = np.stack([again, _leads(again)], axis=1)
        bounds = percentiles(both, level)
    return pd.DataFrame(
        {
            "strategy": [sample.names[i] for i in order],
            "rating": ELO * theta,
            "low": ELO * bounds[0, 0],
            "high": ELO * bounds[1, 0],
            "lead": ELO * _leads(theta),
            "lead_low": ELO * bounds[0, 1],
            "lead_high": ELO * bounds[1, 1],
            "expected": np.exp(theta) / (np.exp(theta) + sample.players - 1),
            "deals": sample.n_deals,
        }
    )


def _leads(theta: Any) -> Any:
    """Each strength less the next one; NaN for the last."""
    return np.append(theta[..., :-1] - theta[..., 1:], np.nan * theta[..., -1:], axis=-1)


def nash_mixture(payoffs: Any) -> Any:
    """float64[k]: the Nash equilibrium of largest entropy of an antisymmetric game.

    Nobody gains against the mixture: payoffs @ p <= 0 (Balduzzi, Tuyls, Perolat and Graepel,
    Re-evaluating Evaluation, NeurIPS 2018). Copies of a strategy share its weight.
    """
    from scipy.optimize import linprog, minimize

    k = len(payoffs)
    scale = np.abs(payoffs).max()
    if scale == 0:
        return np.full(k, 1 / k)
    game = payoffs / scale
    ones = np.ones(k)
    mixture = minimize(
        lambda p: np.sum(p * np.log(np.maximum(p, 1e-300))),
        ones / k,
        jac=lambda p: np.log(np.maximum(p, 1e-12)) + 1,
        method="SLSQP",
        bounds=[(0, 1)] * k,
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1, "jac": lambda p: ones},
            {"type": "ineq", "fun": lambda p: -game @ p, "jac": lambda p: -game},
        ],
        options={"ftol": 1e-12, "maxiter": 500},
    ).x
    if (game @ mixture).max() > 1e-6 or abs(mixture.sum() - 1) > 1e-6:  # any equilibrium will do
        mixture = linprog(
            0 * ones, A_ub=game, b_ub=1e-9 * ones, A_eq=ones[None], b_eq=[1], bounds=(0, 1)
        ).x
    mixture = np.where(mixture < 1e-9, 0.0, mixture)
    return mixture / mixture.sum()


def nash_frame(
    sample: Sample, level: float = LEVEL, resamples: int = RESAMPLES, seed: int = 0
) -> pd.DataFrame:
    """Nash averaging: strategy, weight, weight_low, weight_high, payoff, low, high, deals.

    weight: in the mixture that nobody gains against; payoff: mean payoff per playout and seat ahead
    of that mixture, at most 0. From the head-to-head payoffs (`compare.duel`); intervals: bootstrap
    over deals, of the whole procedure. Raises InputError where some pair never met.
    """
    k = len(sample.names)
    pairs = list(combinations(range(k), 2))
    for i, j in pairs:
        if not any({sample.names[i], sample.names[j]} <= set(t.groups) for t in sample.tables):
            raise InputError(
                f"{sample.names[i]} and {sample.names[j]} never sat at one table, so there is no "
                "Nash average; play --tables 1v3, 2v2 or all"
            )
    duels = np.column_stack(
        [
            sample.values(duel(sample, sample.names[i], sample.names[j], "payoff"), "payoff")
            for i, j in pairs
        ]
    )

    def averaged(means: Any) -> tuple[Any, Any]:
        game = np.zeros((k, k))
        for (i, j), mean in zip(pairs, means, strict=True):
            game[i, j], game[j, i] = mean, -mean
        mixture = nash_mixture(game)
        return mixture, game @ mixture

    weight, payoff = averaged(duels.mean(axis=0))
    bounds = np.full((2, 2, k), np.nan)
    if sample.n_deals > 1:
        # a column of ones counts the deals of a draw, whose blocks may differ by one
        draws = resampled(
            block_sums(np.column_stack([duels, np.ones(len(duels))])), resamples, seed
        )
        again = np.array([averaged(draw[:-1] / draw[-1]) for draw in draws])
        bounds = percentiles(again, level)
    frame = pd.DataFrame(
        {
            "strategy": sample.names,
            "weight": weight,
            "weight_low": bounds[0, 0],
            "weight_high": bounds[1, 0],
            "payoff": payoff,
            "low": bounds[0, 1],
            "high": bounds[1, 1],
            "deals": sample.n_deals,
        }
    )
    return frame.sort_values(["weight", "payoff"], ascending=False, ignore_index=True)
