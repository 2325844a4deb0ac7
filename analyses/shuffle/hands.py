"""Tests of cards by seat, cards together, and what hands hold, each deal for itself."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import stats

from analyses.shuffle import fair
from analyses.shuffle.dealt import Deals
from analyses.shuffle.finding import (
    Finding,
    alone,
    binomial,
    binomial_bounds,
    figure_off,
    noncentrality,
    percent,
    quadratic,
    share_off,
    shift,
    two_sided,
)
from simcore.game.cards import SUITS, card_name

LEAST_EXPECTED = 5  # counts below this are put together in a chi-square test


# Cards by seat and cards together


def cards_by_seat(deals: Deals, place: Any) -> Iterator[Finding]:
    """Every card, suit and rank equally often at every seat (and out of play as often as others).

    Pearson's sum over cards and seats, times (K - 1)/K because a seat has room for a fixed number
    of cards, is chi-square with (K - 1)(S - 1) degrees of freedom; so it is for suits and ranks,
    which shows what cards of a kind do together. One card at one seat is binomial; p of the most
    unusual is Bonferroni's over all.
    """
    layout = deals.layout
    n, k, shares = len(place), layout.cards, layout.shares()
    deck = list(layout.deck)
    counts = np.stack([(place[:, deck] == s).sum(axis=0) for s in range(len(shares))], axis=1)
    expected = n * shares
    for what, group in (("card", np.arange(k)), ("suit", np.array(deck) & 3),
                        ("rank", np.array(deck) >> 2)):  # fmt: skip
        member = group[:, None] == np.unique(group)
        sizes = member.sum(axis=0)
        table, mean = member.T @ counts, np.outer(sizes, expected)
        chi2 = (k - 1) / k * float(((table - mean) ** 2 / mean).sum())
        df = (len(sizes) - 1) * (len(shares) - 1)
        cells = (k - 1) / k * float(np.outer(sizes, 1 / shares).sum())

        def each(level: float, df: int = df, cells: float = cells, what: str = what) -> str:
            off = math.sqrt(noncentrality(df, level) / (n * cells))
            return f"{what}s with chances of {percent(shares[0])} that are off by {percent(off)}"

        p = float(stats.chi2.sf(chi2, df))
        yield Finding(f"{what}s by seat", "chi-square", chi2, df, p, each)
    at_seats = counts[:, : layout.players]
    tails = binomial(at_seats, n, shares[0])
    card, seat = np.unravel_index(np.argmin(tails), tails.shape)

    def one(level: float) -> str:
        bounds = binomial_bounds(n, shares[0], level / tails.size)
        return share_off("a card at one seat", bounds, "deals")

    yield Finding(
        "one card at a seat",
        f"{card_name(deck[card], SUITS)} at seat {seat}",
        float(at_seats[card, seat]), float(expected[0]),
        min(1.0, float(tails.min()) * tails.size), one,
    )  # fmt: skip


def cards_together(deals: Deals, place: Any) -> Iterator[Finding]:
    """Every pair of cards equally often in one hand.

    The sum of squares over pairs, less what single cards explain, over the variance of a contrast
    (`fair.pair_together`) is chi-square with K(K - 3)/2 degrees of freedom. One pair is binomial;
    p of the most unusual is Bonferroni's over all.
    """
    layout = deals.layout
    n, k = len(place), layout.cards
    together = np.zeros((k, k))
    for s in range(layout.players):
        held = (place[:, list(layout.deck)] == s).astype(np.float32)
        for first in range(0, n, 1 << 14):  # float32 counts exactly up to 2^24
            part = held[first : first + (1 << 14)]
            together += part.T @ part
    upper = np.triu_indices(k, 1)
    counts = together[upper]
    q, variance = fair.pair_together(layout)
    off = together - n * q
    np.fill_diagonal(off, 0)
    mean = off.sum() / (k * (k - 1))
    single = (off.sum(axis=1) - (k - 1) * mean) / (k - 2)
    rest = off - mean - single[:, None] - single[None, :]
    df = k * (k - 3) // 2
    chi2 = float((rest[upper] ** 2).sum()) / (n * variance)

    def each(level: float) -> str:
        lean = math.sqrt(noncentrality(df, level) * variance / (n * len(counts)))
        return f"pairs together in {percent(q)} that are off by {percent(lean)}"

    yield Finding("cards together", "chi-square", chi2, df, float(stats.chi2.sf(chi2, df)), each)
    p = binomial(counts, n, q)
    worst = int(np.argmin(p))
    names = [card_name(layout.deck[upper[side][worst]], SUITS) for side in (0, 1)]

    def one(level: float) -> str:
        return share_off("two cards in one hand", binomial_bounds(n, q, level / len(p)), "deals")

    yield Finding(
        "one pair together", f"{names[0]} and {names[1]} in one hand",
        float(counts[worst]), n * q, min(1.0, float(p[worst]) * len(p)), one,
    )  # fmt: skip


# What hands hold


def suits(deals: Deals) -> Iterator[Finding]:
    """Suit lengths of hands: chi-square of the counts of patterns, with their exact covariance.

    Rare patterns are put together.
    """
    layout, n = deals.layout, len(deals.hands)
    patterns, mean, covariance = fair.suit_patterns(layout)
    kept = _kept(n * mean)
    if kept < 1:
        return
    lengths = np.stack([(deals.hands & 3 == suit).sum(axis=2) for suit in range(4)], axis=-1)
    key = np.sort(lengths, axis=-1)[..., ::-1] @ np.array([54**3, 54**2, 54, 1])
    counts = np.array(
        [
            (key == np.array(name) @ np.array([54**3, 54**2, 54, 1])).sum()
            for name in patterns[:kept]
        ]
    )
    within = covariance[:kept, :kept]
    chi2, df = quadratic(counts - n * mean[:kept], n * within)
    common, share = "-".join(map(str, patterns[0])), float(mean[0]) / layout.players

    def could(level: float) -> str:
        off = alone(within, df, level) / math.sqrt(n) / layout.players
        return share_off(f"suits of {common}", (share - off, share + off), "hands")

    p = float(stats.chi2.sf(chi2, df))
    yield Finding("suits in a hand", "chi-square", chi2, df, p, could)


def _kept(expected: Any) -> int:
    """How many categories, the commonest first, stand alone; the rest together is one more."""
    for kept in range(len(expected) - 1, 0, -1):
        if expected[:kept].min() >= LEAST_EXPECTED and expected[kept:].sum() >= LEAST_EXPECTED:
            return kept
    return 0


def _held(hands: Any) -> Any:
    """int64[D * n, 13]: cards of each rank in every hand."""
    rows = hands.reshape(-1, hands.shape[2])
    cells = 13 * np.arange(len(rows))[:, None] + (rows >> 2)
    return np.bincount(cells.ravel(), minlength=13 * len(rows)).reshape(-1, 13)


def ranks(deals: Deals) -> Iterator[Finding]:
    """Ranks that a hand holds twice, and three times: chi-square with their exact covariance."""
    layout, n = deals.layout, len(deals.hands)
    mean, covariance = fair.rank_counts(layout)
    held = _held(deals.hands)
    counts = np.array([(held == times).sum() for times in (2, 3)])
    chi2, df = quadratic(counts - n * mean, n * covariance)

    def could(level: float) -> str:
        off = alone(covariance, df, level) / math.sqrt(n) / layout.players
        return figure_off("pairs a hand", float(mean[0]) / layout.players, off)

    p = float(stats.chi2.sf(chi2, df))
    yield Finding("ranks in a hand", "chi-square", chi2, df, p, could)


def bombs(deals: Deals) -> Iterator[Finding]:
    """Fours of a kind in all hands: their exact distribution, twice the smaller tail."""
    layout, n = deals.layout, len(deals.hands)
    chances = fair.bombs(layout)
    if len(chances) < 2:
        return
    count = int((_held(deals.hands) == 4).sum())
    values = np.arange(len(chances))
    mean = float(n * values @ chances)
    variance = n * float(values**2 @ chances) - mean**2 / n
    size = 1 << math.ceil(math.log2(mean + 40 * math.sqrt(variance) + 100))
    whole = np.fft.irfft(np.fft.rfft(chances, size) ** n, size)  # the sum over all deals
    below = float(np.clip(whole[: count + 1].sum(), 1e-12, 1))
    above = float(np.clip(whole[count:].sum(), 1e-12, 1))
    hands = n * layout.players

    def could(level: float) -> str:
        off = shift(level) * math.sqrt(variance) / hands
        return figure_off("bombs in 1,000 hands", 1000 * mean / hands, 1000 * off)

    yield Finding(
        "bombs", "fours of a kind in all hands", count, mean, min(1.0, 2 * min(below, above)), could
    )


def straights(deals: Deals) -> Iterator[Finding]:
    """Five ranks in a row, A2345 to TJQKA: exact mean, the spread from drawn deals.

    p from Pearson's type III curve with three moments.
    """
    layout, n = deals.layout, len(deals.hands)
    mean = fair.straights_mean(layout)
    sd, skew = fair.drawn_moments(layout)["straights"]
    if not sd:
        return
    total = int(fair.straights(deals.hands).sum())

    def could(level: float) -> str:
        off = shift(level) * sd / math.sqrt(n) / layout.players
        return figure_off("straights a hand", mean / layout.players, off)

    yield Finding(
        "straights", "straights in all hands", total, n * mean,
        two_sided(total, n, mean, sd, skew), could,
    )  # fmt: skip


def twos(deals: Deals) -> Iterator[Finding]:
    """How the 2s fall to the hands, as 2-1-1-0: chi-square of exact chances, over deals."""
    layout, n = deals.layout, len(deals.hands)
    patterns, chances = fair.two_patterns(layout)
    kept = _kept(n * chances)
    if kept < 1:
        return
    held = np.sort((deals.hands >> 2 == fair.TWO).sum(axis=2), axis=1)[:, ::-1]
    counts = np.array([(held == np.array(name)).all(axis=1).sum() for name in patterns[:kept]])
    counts = np.append(counts, n - counts.sum())
    expected = n * np.append(chances[:kept], 1 - chances[:kept].sum())
    chi2 = float(((counts - expected) ** 2 / expected).sum())
    common, share = "-".join(map(str, patterns[0])), float(chances[0])

    def could(level: float) -> str:
        off = math.sqrt(noncentrality(kept, level) * share * (1 - share) / n)
        return share_off(f"2s that fall {common}", (share - off, share + off), "deals")

    yield Finding("2s by hand", "chi-square", chi2, kept, float(stats.chi2.sf(chi2, kept)), could)
