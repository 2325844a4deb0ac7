"""Tests of a deal against those before it, and of the order in which hands were dealt."""

import math
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from scipy import stats

from analyses.shuffle import fair
from analyses.shuffle.dealt import Deals
from analyses.shuffle.finding import (
    POWER,
    Finding,
    at_least,
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

# From deal to deal


def from_seat_to_seat(deals: Deals, place: Any) -> Iterator[Finding]:
    """Where cards go from one deal to the next, by seat; and whether hands stay together.

    Whatever the deal before, a fair deal makes the table of cards by seat before and now one with
    fixed margins: Pearson's sum times (K - 1)/K is chi-square with (S - 1)² degrees of freedom.
    Pairs in one hand before and now: exact mean; spread and skewness from drawn deals.
    """
    layout, n = deals.layout, len(place) - 1
    players, k, shares = layout.players, layout.cards, layout.shares()
    tables = fair.overlaps(place[:-1], place[1:], players)
    table = tables.sum(axis=0)[: len(shares), : len(shares)]
    expected = n * k * np.outer(shares, shares)
    chi2 = (k - 1) / k * float(((table - expected) ** 2 / expected).sum())
    df = (len(shares) - 1) ** 2
    stay = players * layout.each**2 / k

    def staying(level: float) -> str:
        lean = math.sqrt(noncentrality(df, level) * (players - 1) * layout.each**2 / (n * (k - 1)))
        return figure_off(f"of {layout.dealt} cards at the seat of the deal before", stay, lean)

    yield Finding("seat to seat", "chi-square", chi2, df, float(stats.chi2.sf(chi2, df)), staying)
    pairs = players * math.comb(layout.each, 2)
    mean = pairs * fair.pair_together(layout)[0]
    sd, skew = fair.drawn_moments(layout)["again"]
    if not sd:
        return
    total = int(fair.again(tables, players).sum())

    def again(level: float) -> str:
        off = shift(level) * sd / math.sqrt(n)
        return figure_off(f"of {pairs} pairs together again", mean, off)

    yield Finding(
        "hands that stay together", "pairs together again", total, n * mean,
        two_sided(total, n, mean, sd, skew), again,
    )  # fmt: skip


def recurring(deals: Deals) -> Iterator[Finding]:
    """Pairs of deals with the same hands, whoever holds them, and of equal hands: Poisson.

    The birthday problem (Feller, 1968, chapter 2.3); exact but for the Poisson curve, whose mean is
    exact.
    """
    layout, n = deals.layout, len(deals.hands)
    masks = np.sort((np.int64(1) << deals.hands.astype(np.int64)).sum(axis=2), axis=1)
    ways = math.factorial(layout.cards) // (
        math.factorial(layout.each) ** layout.players
        * math.factorial(layout.cards - layout.dealt)
        * math.factorial(layout.players)
    )
    rows = np.ascontiguousarray(masks).view([("", np.int64)] * layout.players).ravel()
    pairs = math.comb(n, 2)

    def sources(level: float) -> str:
        most = pairs / -math.log(1 - POWER)
        if most < 1:
            return "nothing yet"
        return f"a source of at most {_rounded(most)} different deals"

    yield Finding(
        "deals that recur", "pairs of equal deals", _pairs_equal(rows), pairs / ways,
        at_least(_pairs_equal(rows), pairs / ways), sources,
    )  # fmt: skip
    expected = pairs * layout.players**2 / math.comb(layout.cards, layout.each)
    equal = _pairs_equal(masks.ravel())

    def hands(level: float) -> str:
        least = next(x for x in range(1, 10**6) if at_least(x, expected) <= level)
        chance = (expected + least + math.sqrt(least)) / (pairs * layout.players**2)
        return f"equal hands in 1 of {_rounded(1 / chance)} pairs" if chance < 1 else "nothing yet"

    yield Finding(
        "hands that recur", "pairs of equal hands", equal, expected, at_least(equal, expected),
        hands,
    )  # fmt: skip


def _pairs_equal(values: Any) -> int:
    counts = np.unique(values, return_counts=True)[1]
    return int((counts * (counts - 1) // 2).sum())


def _rounded(number: float) -> str:
    """1,200,000 with two significant digits; a power of 2 where it is long."""
    if number >= 1e9:
        return f"2^{math.log2(number):.1f}"
    digits = 10 ** max(0, math.floor(math.log10(number)) - 1)
    return f"{round(number / digits) * digits:,}"


# Cards that were played


def last_tricks(deals: Deals, place: Any) -> Iterator[Finding]:
    """Where two cards go that lay together: played one after the other in the deal before.

    Their steps from seat to seat, with exact mean and covariance given the cards that were played.
    """
    layout = deals.layout
    size = layout.players + (not layout.whole)
    first, second = deals.pile[:-1, :-1].astype(np.int64), deals.pile[:-1, 1:].astype(np.int64)
    played = second >= 0
    now = place[1:]
    rows = np.broadcast_to(np.arange(len(now))[:, None], first.shape)[played]
    a, b = now[rows, first[played]], now[rows, second[played]]
    step = np.where((a == layout.players) | (b == layout.players), layout.players,
                    (b - a) % layout.players)  # fmt: skip
    counts = np.bincount(step, minlength=size)
    edges = played.sum(axis=1).astype(float)
    if not edges.any():
        return
    wedges = np.maximum(edges - 1, 0)
    one, chain, apart = (chances[..., :size] for chances in fair.steps(layout))
    chain, apart = chain[:size], apart[:size]
    mean = edges.sum() * one
    both = wedges.sum() * (chain + chain.T)
    both += (edges * (edges - 1) - 2 * wedges).sum() * apart
    covariance = edges.sum() * np.diag(one) + both - (edges**2).sum() * np.outer(one, one)
    off = (counts - mean)[1:]
    chi2, df = quadratic(off, covariance[1:, 1:])
    lone = float(covariance[0, 0])

    def could(level: float) -> str:
        lean = shift(level) * math.sqrt(lone) / edges.sum()
        return share_off(
            "cards played in a row in one hand", (one[0] - lean, one[0] + lean), "pairs"
        )

    yield Finding(
        "cards of the last tricks", "chi-square", chi2, df, float(stats.chi2.sf(chi2, df)), could
    )


# The order within hands


def is_sorted(hands: Any) -> bool:
    """Whether hands are sorted: then their order says nothing.

    That is, one in a hundred by rank or by suit; or the first thousand so that of any two cards
    nearly always the same comes first, as where text was sorted.
    """
    ranks, suits = hands >> 2, hands & 3
    same = np.diff(suits, axis=2) == 0
    held = sum((suits == suit).any(axis=2).astype(int) for suit in range(4))
    in_blocks = (~same).sum(axis=2) == held - 1
    found = np.zeros(hands.shape[:2], bool)
    for ordered in (ranks, (ranks + 2) % 13, (ranks + 1) % 13):  # 3 to 2, A to K, 2 to A
        step = np.diff(ordered, axis=2)
        for rising in (step >= 0, step <= 0):
            found |= rising.all(axis=2) | (in_blocks & (rising | ~same).all(axis=2))
    if found.mean() > 0.01:
        return True
    rows = hands.reshape(-1, hands.shape[2])[:1000]
    place = np.full((len(rows), 52), 99, np.int8)
    np.put_along_axis(
        place, rows.astype(np.int64), np.arange(rows.shape[1], dtype=np.int8)[None], 1
    )
    first = ((place[:, :, None] < place[:, None, :]) & (place[:, None, :] < 99)).sum(axis=0)
    return bool(np.maximum(first, first.T).sum() > 0.95 * (first + first.T).sum())


def order(deals: Deals) -> Iterator[Finding]:
    """Places in the deck, and what is left of the order of the deal before.

    That order is unknown, as is the one of the deck now: hands one after another, or dealt card by
    card; before, also the cards as they were played. Each that makes sense is tried.
    """
    yield from _slots(deals)
    layout, hands, n = deals.layout, deals.hands, len(deals.hands)
    by_hand = hands.reshape(n, -1).astype(np.int64)
    by_card = hands.transpose(0, 2, 1).reshape(n, -1).astype(np.int64)
    if layout.whole:
        yield from _parities(by_hand)
    chained = np.arange(layout.dealt - 1) % layout.each != layout.each - 1  # within a hand
    hand, card = (by_hand, chained), (by_card, np.ones_like(chained))
    ways = [("by hand", hand, hand), ("by card", card, card), ("hand to card", hand, card)]
    if deals.pile is not None:
        pile = (deals.pile.astype(np.int64), np.ones(51, bool))
        ways += [("tricks to hand", pile, hand), ("tricks to card", pile, card)]
    for how, before, now in ways:
        yield from _kept(layout, how, before, now)


def _slots(deals: Deals) -> Iterator[Finding]:
    """Every card equally often at every place in every hand: as cards by seat."""
    layout, n = deals.layout, len(deals.hands)
    k, slots = layout.cards, layout.dealt
    cells = deals.hands.reshape(n, -1).astype(np.int64) * slots + np.arange(slots)
    counts = np.bincount(cells.ravel(), minlength=52 * slots).reshape(52, slots)[list(layout.deck)]
    expected = n / k
    chi2 = float(((counts - expected) ** 2).sum()) / expected
    if not layout.whole:  # and out of play
        out = n - counts.sum(axis=1)
        chi2 += float(((out - expected * (k - slots)) ** 2).sum()) / (expected * (k - slots))
    chi2 *= (k - 1) / k
    df = (k - 1) * (slots - layout.whole)

    def could(level: float) -> str:
        off = math.sqrt(noncentrality(df, level) / (n * (k - 1) * k * slots))
        return f"chances of {percent(1 / k)} that are off by {percent(off)}"

    p = float(stats.chi2.sf(chi2, df))
    yield Finding("cards by place in the hand", "chi-square", chi2, df, p, could)


def _parities(order: Any) -> Iterator[Finding]:
    """Even orders are half of all: of the deck itself, and against the deal before; binomial."""
    columns = np.ascontiguousarray(order.T, np.int8)
    even = np.ones(len(order), bool)
    for one, other in combinations(columns, 2):
        even ^= one > other
    against = even[1:] ^ even[:-1]
    for test, values in (("parity of the order", even), ("parity against the last", against)):
        count, n = int(values.sum()), len(values)

        def could(level: float, n: int = n) -> str:
            return share_off("even orders", binomial_bounds(n, 0.5, level), "deals")

        p = float(binomial(np.array(count), n, 0.5))
        yield Finding(test, "even orders", count, n / 2, p, could)


def _kept(
    layout: fair.Layout, how: str, before: tuple[Any, Any], now: tuple[Any, Any]
) -> Iterator[Finding]:
    """What is left in each deal of the order before. Each: cards, and which lie on the next.

    Rising sequences: cards in the order of before, of which the next comes earlier now; their
    number is Eulerian with mean (c + 1)/2 and variance (c + 1)/12 for c cards (Bayer and Diaconis,
    Annals of Applied Probability 2, 1992). Neighbours: pairs that lay one upon the other and do so
    again, upper tail, Poisson; mean exact.
    """
    old, linked = before[0][:-1], before[1]
    new, chained = now[0][1:], np.append(now[1], False)
    at = np.full((len(new), 53), -1, np.int64)  # column 52 stands for no card
    np.put_along_axis(at, new, np.broadcast_to(np.arange(new.shape[1]), new.shape), axis=1)
    place = np.take_along_axis(at, old % 53, axis=1)  # of the cards as they lay before
    shared = (place >= 0).sum(axis=1)
    packed = np.take_along_axis(place, np.argsort(place < 0, axis=1, kind="stable"), axis=1)
    falls = (np.diff(packed, axis=1) < 0) & (np.arange(1, old.shape[1]) < shared[:, None])
    used = shared > 1
    n = int(used.sum())
    if not n:
        return
    rising = int(falls[used].sum()) + n
    mean = float((shared[used] + 1).sum()) / 2
    sd = math.sqrt(mean / 6)

    def sequences(level: float) -> str:
        return figure_off("rising sequences a deal", mean / n, shift(level) * sd / n)

    p = float(2 * stats.norm.sf(abs(rising - mean) / sd))
    yield Finding(f"order kept ({how})", "rising sequences", rising, mean, p, sequences)
    pairs = linked & (old[:, :-1] >= 0) & (old[:, 1:] >= 0)
    again = pairs & (place[:, :-1] >= 0) & chained[place[:, :-1]]
    kept = int((again & (np.diff(place, axis=1) == 1)).sum())
    expected = float(pairs.sum()) * float(chained.sum()) / math.perm(layout.cards, 2)

    def neighbours(level: float) -> str:
        off = shift(2 * level) * math.sqrt(expected) / len(new)
        return f"more than {expected / len(new) + off:.3g} neighbours a deal that stay so"

    yield Finding(
        f"neighbours kept ({how})", "pairs in the same order", kept, expected,
        at_least(kept, expected), neighbours,
    )  # fmt: skip
