"""What a score sheet says of its players: standings, ratings, luck, who is ahead.

The unit is the hand at the table: the results of all who sat at it are one observation. Where
there are fewer than LEAST_HANDS hands, or nothing varied, an interval is NaN, not narrow.
"""

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd

from analyses.intervals import LEVEL
from analyses.luck import Groups
from analyses.rate import ELO, RESAMPLES, percentiles, strengths
from simcore.statistics import t_quantile, wilson

LEAST_HANDS = 10  # of a player, for an interval


def mean_with_interval(values: Any, level: float = LEVEL) -> tuple[float, float, float]:
    """(mean, low, high) over hands, with Student's t."""
    n = len(values)
    mean = float(np.mean(values)) if n else math.nan
    spread = float(np.std(values, ddof=1)) if n >= LEAST_HANDS else math.nan
    half = t_quantile(level, n - 1) * spread / math.sqrt(n) if spread > 0 else math.nan
    return mean, mean - half, mean + half


def standings(
    players: list[str], payoff: Any, won: Any, cards: Any | None, level: float = LEVEL
) -> pd.DataFrame:
    """Players by points a hand: player, hands, total, payoff (mean points a hand played), win_rate,
    and cards_left where known (0 for a win), each with its interval.

    payoff, cards: float64[hands, players], NaN where somebody did not play; won: bool of that
    shape. Intervals: Student's t over the player's hands; Wilson's for the win rate.
    """
    rows = []
    for i, player in enumerate(players):
        played = ~np.isnan(payoff[:, i])
        n, wins = int(played.sum()), int(won[:, i].sum())
        row: dict[str, Any] = {
            "player": player,
            "hands": n,
            "total": float(payoff[played, i].sum()),
        }
        figures = {"payoff": mean_with_interval(payoff[played, i], level)}
        bounds = wilson(wins / n, n, level) if n >= LEAST_HANDS else (math.nan, math.nan)
        figures["win_rate"] = wins / n, *bounds
        if cards is not None:
            figures["cards_left"] = mean_with_interval(cards[played, i], level)
        for name, (mean, low, high) in figures.items():
            row |= {name: mean, f"{name}_low": low, f"{name}_high": high}
        rows.append(row)
    return pd.DataFrame(rows).sort_values("payoff", ascending=False, ignore_index=True)


def resampled_hands(hands: int, resamples: int, seed: int) -> Any:
    """float64[resamples, hands]: how often each hand is drawn, as many as there are."""
    rng = np.random.default_rng(seed)
    return rng.multinomial(hands, np.full(hands, 1 / hands), resamples).astype(float)


def ratings(
    players: list[str],
    payoff: Any,
    won: Any,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> pd.DataFrame:
    """Ratings that allow for who sat at the table: player, adjusted, rating, group, hands.

    adjusted: points a hand against average opponents: by least squares, a hand's points are one's
    own figure less the mean of the opponents' (they sum to 0, as points do). rating: Elo points of
    who wins (Plackett and Luce, by `analyses.rate.strengths`). Both have mean 0 over the seats of
    a group; those of different groups never met, directly or through others, and do not compare.
    Intervals: percentiles of a bootstrap over hands. NaN, figure and interval, for fewer than
    LEAST_HANDS, for somebody whom many of its draws do not tie to the others, and a rating's for
    who won no hand, or all.
    """
    played = ~np.isnan(payoff)
    hands, k = played.shape
    size = played.sum(axis=1)
    hand, one, other = np.nonzero(played[:, :, None] & played[:, None, :] & ~np.eye(k, dtype=bool))
    pair, beat = one * k + other, won[hand, one]
    edge = size[hand] / (size[hand] - 1) ** 2
    scaled = np.where(played, payoff, 0) * (size / (size - 1))[:, None]
    n, wins = played.sum(axis=0), won.sum(axis=0)
    met = np.bincount(pair, minlength=k * k).reshape(k, k) > 0
    groups = _groups(met)

    def fitted(weights: Any, start: Any) -> Any:
        """[adjusted or rating, player]; NaN for those whom these hands do not tie to the others."""
        each = weights[hand]
        ties = np.bincount(pair, each * edge, k * k).reshape(k, k)
        beaten = np.bincount(pair[beat], each[beat], k * k).reshape(k, k)
        least = np.linalg.lstsq(np.diag(ties.sum(axis=1)) - ties, weights @ scaled, rcond=None)[0]
        found = np.full((2, k), np.nan)
        for group in groups:
            main = [group[i] for i in _groups(ties[np.ix_(group, group)] > 0)[0]]
            some = np.ix_(main, main)
            if len(main) > 1:
                begin = None if start is None else start[1, main] / ELO
                log = strengths(beaten[some], begin)
                found[:, main] = least[main], ELO * log
        for group in groups:
            mean = [
                np.average(x[~np.isnan(x)], weights=n[group][~np.isnan(x)])
                if not np.isnan(x).all()
                else 0.0
                for x in found[:, group]
            ]
            found[:, group] -= np.array(mean)[:, None]
        return found

    found = fitted(np.ones(hands), None)
    again = np.array([fitted(draw, found) for draw in resampled_hands(hands, resamples, seed)])
    lost = np.isnan(again).mean(axis=0) > (1 - level) / 2
    bounds = percentiles(np.where(np.isnan(again), found, again), level)  # [bound, figure, player]
    bounds[:, lost | (n < LEAST_HANDS)] = np.nan
    bounds[:, 1, (wins == 0) | (wins == n)] = np.nan
    bounds[:, bounds[0] == bounds[1]] = np.nan
    found[np.isnan(bounds[0])] = np.nan
    number = {i: g for g, group in enumerate(groups, 1) for i in group}
    frame = pd.DataFrame(
        {
            "player": players,
            "adjusted": found[0],
            "adjusted_low": bounds[0, 0],
            "adjusted_high": bounds[1, 0],
            "rating": found[1],
            "rating_low": bounds[0, 1],
            "rating_high": bounds[1, 1],
            "group": [number[i] for i in range(k)],
            "hands": n,
        }
    )
    return frame.sort_values(
        ["group", "adjusted"], ascending=[True, False], kind="stable", ignore_index=True
    )


def _groups(met: Any) -> list[list[int]]:
    """Places of the players who met, directly or through others, the largest group first.

    met: bool[players, players].
    """
    from scipy.sparse.csgraph import connected_components

    _, label = connected_components(met, directed=False)
    groups = [np.flatnonzero(label == g).tolist() for g in range(label.max() + 1)]
    return sorted(groups, key=len, reverse=True)


def luck(payoff: Any, level: float = LEVEL) -> pd.DataFrame:
    """What share of the variance of one player's points in one hand lies between players.

    source: "players" (their means differ), "rest" (cards, seats, chance: a sheet cannot tell them
    apart). Columns: source, share, share_low, share_high, variance (points²), hands. Empty for
    fewer than LEAST_HANDS hands, or where nobody played two.

    Estimator: method of moments, products of one player's points in different hands, so that chance
    adds nothing; interval: delete-a-group jackknife over hands, its upper bound on the scale of the
    square root (a small estimate has a small error, so a symmetric bound falls short). A negative
    estimate stands for 0, with the whole width above it.
    """
    played = ~np.isnan(payoff)
    points = np.where(played, payoff, 0.0)
    groups = Groups()
    groups.add(np.concatenate([points, points**2, played], axis=1))
    k, hands = payoff.shape[1], len(payoff)

    def share(sums: Any) -> list[float]:
        y, yy, n = np.split(sums, [k, 2 * k])
        many = n > 1
        if not many.any() or not yy.sum() > 0:
            return [math.nan, math.nan]
        squared = (y[many] ** 2 - yy[many]) / (n[many] * (n[many] - 1))
        whole = yy.sum() / n.sum()
        return [float(n[many] @ squared / n[many].sum() / whole), float(whole)]

    columns = ["source", "share", "share_low", "share_high", "variance", "hands"]
    empty = pd.DataFrame(columns=columns)
    if hands < LEAST_HANDS:
        return empty
    (between, low, high), (variance, _, _) = groups.jackknife(share, level)
    if math.isnan(between):
        return empty
    half = (high - low) / 2
    between = min(1.0, max(0.0, between))
    high = min(1.0, between + half + half**2 / (4 * max(between, half)))
    low = max(0.0, between - half)
    return pd.DataFrame(
        [
            {
                "source": source, "share": value, "share_low": a, "share_high": b,
                "variance": value * variance, "hands": hands,
            }
            for source, value, a, b in (
                ("players", between, low, high), ("rest", 1 - between, 1 - high, 1 - low),
            )
        ]
    )  # fmt: skip


def first_two(players: list[str], payoff: Any, level: float = LEVEL) -> pd.DataFrame:
    """Whether the first two by points a hand can be told apart, one row: first, second, difference
    with its interval, told_apart, more_hands, at_least, hands. Empty where not two players have
    LEAST_HANDS hands, or nothing varied.

    difference: of the mean points a hand, by its linearised variance over hands, together or not.
    more_hands: of hands like these until the interval leaves 0 out, if the difference stays as it
    is (0 where it does now); at_least: the same for the largest difference that the interval
    holds. There is no upper bound where 0 is in it.
    """
    played = ~np.isnan(payoff)
    hands, n = len(payoff), played.sum(axis=0)
    points = np.where(played, payoff, 0.0)
    means = np.divide(points.sum(axis=0), n)
    able = [i for i in np.argsort(-means, kind="stable") if n[i] >= LEAST_HANDS]
    empty = pd.DataFrame(
        columns=["first", "second", "difference", "difference_low", "difference_high",
                 "told_apart", "more_hands", "at_least", "hands"]
    )  # fmt: skip
    if len(able) < 2:
        return empty
    i, j = able[:2]
    parts = played * (points - means) / n
    error = math.sqrt(hands / (hands - 1) * float(((parts[:, i] - parts[:, j]) ** 2).sum()))
    if not error > 0:
        return empty
    difference = float(means[i] - means[j])
    half = t_quantile(level, int(min(n[i], n[j])) - 1) * error
    z = NormalDist().inv_cdf((1 + level) / 2)

    def more(d: float) -> float:
        needed = hands * (z * error / d) ** 2 if d > 1e-9 * error else math.inf
        return needed if math.isinf(needed) else max(1.0, math.ceil(needed - hands))

    apart = difference > half
    return pd.DataFrame(
        [
            {
                "first": players[i], "second": players[j], "difference": difference,
                "difference_low": difference - half, "difference_high": difference + half,
                "told_apart": apart, "more_hands": 0.0 if apart else more(difference),
                "at_least": 0.0 if apart else more(difference + half), "hands": hands,
            }
        ]
    )  # fmt: skip
