"""Luck against skill: what the payoff depends on, and how long until the better player is ahead."""

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd

from analyses.intervals import LEVEL
from simcore.errors import InputError, RunError
from simcore.runs.reading import Block, Source, blocks
from simcore.statistics import t_quantile

GROUPS = 200  # of deals, for the jackknife; with fewer deals each is a group
LEAST_DEALS = 10
LEAST_SIGNAL = 1e-7  # a difference in standard deviations below which nobody ever gets ahead
SHARES = ("strategy", "seat", "cards", "rest")


class Groups:
    """Sums over deals in about GROUPS random groups; deals are dealt out to them in turn."""

    def __init__(self) -> None:
        self.deals = 0
        self._sums: Any = 0.0

    def add(self, per_deal: Any) -> None:
        """Add float64[D, k] values of deals."""
        index = (self.deals + np.arange(len(per_deal))) % GROUPS
        self.deals += len(per_deal)
        self._sums = self._sums + np.stack(
            [np.bincount(index, column, GROUPS) for column in per_deal.T], axis=1
        )

    def jackknife(
        self, figure: Callable[[Any], Any], level: float
    ) -> list[tuple[float, float, float]]:
        """(value, low, high) of each of the figures of the summed values.

        Delete-a-group jackknife (Wolter, Introduction to Variance Estimation, 2007, chapter 4).
        """
        total = self._sums.sum(axis=0)
        whole = np.asarray(figure(total), float)
        n = min(GROUPS, self.deals)
        if n < 2:
            return [(value, math.nan, math.nan) for value in whole]
        without = np.array([figure(total - self._sums[i]) for i in range(n)], float)
        spread = ((without - without.mean(axis=0)) ** 2).sum(axis=0) * (n - 1) / n
        half = t_quantile(level, n - 1) * np.sqrt(spread)
        return list(zip(whole, whole - half, whole + half, strict=True))


def variance_shares(run: Source, level: float = LEVEL) -> pd.DataFrame:
    """What share of the variance of one seat's payoff in one playout comes from what.

    source: "strategy" (who plays), "seat" (counted from the starter), "cards" (the deal beyond the
    seat: what this seat and the others were dealt), "rest" (how strategies and cards suit each
    other, the neighbours, chance inside the strategies). Columns: source, share, share_low,
    share_high, variance (points²), deals.

    Estimator: method-of-moments variance components of the two-way layout (Searle, Casella and
    McCulloch, Variance Components, 1992, chapters 3 to 5). Duplicate deals separate cards from
    strategies: cards + seat is the covariance of two different strategies' payoffs in the same seat
    of the same deal, each about its own mean; strategy and seat are the variances of their means
    less what chance alone adds. Negative estimates stand for 0. Intervals: delete-a-group jackknife
    over deals; they need some thousand deals where a share is small (with 500 deals that of the
    seat covered in 93 %, with 2,000 in 95 %). Raises RunError unless each seat of a deal is played
    by several strategies. Where hands are played in sessions, it is the payoff of a whole session,
    and the seat is counted from the starter of its first hand.
    """
    groups = Groups()
    for block in (each.in_sessions() for each in blocks(run, ("starter", "payoff"))):
        _needs_duplicates(block)
        groups.add(_moments(block))
        weights = np.array(block.slots) / block.players
    _needs_deals(groups.deals)
    values = groups.jackknife(lambda sums: _shares(sums, weights), level)
    variance = values.pop()[0]
    if not variance > 0:
        raise RunError("every payoff of the run is the same, so there is no variance to share out")
    rows = []
    for source, found in zip(SHARES, values, strict=True):
        share, low, high = (min(1.0, max(0.0, value)) for value in found)
        rows.append(
            {
                "source": source, "share": share, "share_low": low, "share_high": high,
                "variance": share * variance, "deals": groups.deals,
            }
        )  # fmt: skip
    return pd.DataFrame(rows)


def _needs_duplicates(block: Block) -> None:
    if len(block.slots) < 2 or block.seatings < 2:
        raise RunError(
            "luck and skill can be told apart only where several strategies play the same cards; "
            "simulate two or more strategies with --seatings balanced, rotations or all"
        )


def _needs_deals(deals: int) -> None:
    if deals < LEAST_DEALS:
        raise RunError(
            f"the run has {deals} deals, too few to tell luck from skill; play {LEAST_DEALS} or "
            "more"
        )


def _moments(block: Block) -> Any:
    """float64[D, *] of each deal: 1, mean y², a, a aᵀ, b, b², mean S Sᵀ.

    y: payoffs; a: mean by strategy; b: by seat from the starter; S: means of the strategies in one
    and the same seat, averaged over seats.
    """
    y = block.columns["payoff"].astype(np.float64)
    n_deals, playouts, n = y.shape
    size = np.array(block.slots) * playouts
    a = block.per_strategy(y) / size
    b = np.stack([(y * (block.position == r)).sum(axis=(1, 2)) for r in range(n)], axis=1)
    b /= playouts
    s = np.stack([(y * (block.group == g)).sum(axis=1) for g in range(len(size))], axis=1)
    s *= n / size[:, None]
    products = np.einsum("dgs,dhs->dgh", s, s) / n
    outer = a[:, :, None] * a[:, None, :]
    pieces = [np.ones((n_deals, 1)), (y * y).mean(axis=(1, 2))[:, None], a, outer, b, b * b]
    return np.concatenate([piece.reshape(n_deals, -1) for piece in [*pieces, products]], axis=1)


def _shares(sums: Any, weights: Any) -> list[float]:
    """Shares of SHARES and the whole variance, from sums of `_moments`."""
    g, deals = len(weights), sums[0]
    n = (len(sums) - 2 - g - 2 * g * g) // 2
    _, square, a, aa, b, bb, products = np.split(sums, np.cumsum([1, 1, g, g * g, n, n]))
    pairs = deals * (deals - 1)
    # Products of different deals, so that chance adds nothing to the square of a mean.
    means = (np.outer(a, a) - aa.reshape(g, g)) / pairs
    strategy = float(weights @ np.diag(means))
    seat = float(((b * b - bb) / pairs).mean())
    different = np.outer(weights, weights) * (1 - np.eye(g))
    same_cards = products.reshape(g, g) / deals - means
    cards = float((different * same_cards).sum() / different.sum())
    variance = float(square[0] / deals)
    parts = np.array([strategy, seat, cards - seat, variance - strategy - cards])
    return [*(parts / variance if variance > 0 else parts), variance]


def playouts_until_ahead(
    run: Source, probability: float = 0.95, level: float = LEVEL
) -> pd.DataFrame:
    """How many playouts until the better of two strategies at one table is ahead.

    After that many playouts the better one's total payoff is above the other's with `probability`.
    Columns: better, worse, difference (points per playout) with its interval, playouts with
    interval, duplicate_deals with interval (deals that are played in all their seatings, as the
    run's are), deals. A high bound is infinite where the run does not settle who is better.

    Estimator: n = (z s / d)², from the central limit theorem, with d the mean and s the standard
    deviation of the difference of one slot of each in one playout (or of a deal's mean of them).
    Intervals: those of d / s by the delete-a-group jackknife over deals (Wolter, 2007, chapter 4),
    turned into n. Raises RunError for fewer than two strategies or too few deals.
    """
    if not 0.5 < probability < 1:
        raise InputError(f"probability {probability:g} is out of bounds: above 0.5, below 1")
    groups = Groups()
    for each in blocks(run, ("payoff",)):
        hands, block = each.session_hands, each.in_sessions()
        if len(block.slots) < 2:
            raise RunError(
                "the run has one strategy, and nobody can be better; simulate two or more"
            )
        groups.add(_differences(block))
        names = block.strategies
    _needs_deals(groups.deals)
    found = groups.jackknife(lambda sums: _signals(sums).ravel(), level)
    z = NormalDist().inv_cdf(probability)
    rows = []
    pairs = [(g, h) for g in range(len(names)) for h in range(g + 1, len(names))]
    for i, (g, h) in enumerate(pairs):
        three = found[3 * i : 3 * i + 3]
        if three[0][0] < 0:
            g, h = h, g
            three = [(-mean, -high, -low) for mean, low, high in three]
        row: dict[str, Any] = {"better": names[g], "worse": names[h]}
        per_playout = (value / hands for value in three[0])
        row |= dict(
            zip(("difference", "difference_low", "difference_high"), per_playout, strict=True)
        )
        for label, (mean, low, high) in zip(
            ("playouts", "duplicate_deals"), three[1:], strict=True
        ):
            for name, signal in ((label, mean), (f"{label}_low", high), (f"{label}_high", low)):
                number = (z / signal) ** 2 if signal > LEAST_SIGNAL else math.inf
                row[name] = hands * math.ceil(number) if number < math.inf else number
        rows.append(row | {"deals": groups.deals})
    return pd.DataFrame(rows)


def _differences(block: Block) -> Any:
    """float64[D, 4 * pairs] of each deal and pair: 1, d, mean square of one difference, d²."""
    y = block.columns["payoff"].astype(np.float64)
    masks = [block.group == g for g in range(len(block.slots))]
    total = [(y * mask).sum(axis=2) / m for mask, m in zip(masks, block.slots, strict=True)]
    square = [(y * y * mask).sum(axis=2) / m for mask, m in zip(masks, block.slots, strict=True)]
    columns = []
    for g in range(len(masks)):
        for h in range(g + 1, len(masks)):
            d = (total[g] - total[h]).mean(axis=1)
            q = (square[g] + square[h] - 2 * total[g] * total[h]).mean(axis=1)
            columns += [np.ones(len(y)), d, q, d * d]
    return np.stack(columns, axis=1)


def _signals(sums: Any) -> Any:
    """float64[pairs, 3]: d, d / s of playouts, d / s of deals; s at least a millionth of d."""
    deals, d, q, dd = sums.reshape(-1, 4).T
    d, q, dd = d / deals, q / deals, dd / deals
    signals = [
        d / np.sqrt(np.maximum(1e-12 * d * d, x - d * d), where=d != 0, out=np.ones_like(d))
        for x in (q, dd)
    ]
    return np.stack([d, *signals], axis=1)
