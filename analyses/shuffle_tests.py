"""Tests of dealt hands against a fair deal, each with what it could have found.

Every test gives a `Finding`. Of a fair deal its p-value is below any level no more often than the
level says, up to the approximation that its docstring names.
"""

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from scipy.optimize import brentq

from analyses import fair
from analyses.dealt import Deals
from simcore.game.cards import SUITS, card_name

POWER = 0.8
LEAST_EXPECTED = 5  # counts below this are put together in a chi-square test


class Finding(NamedTuple):
    """One test: what it counts, what came out, and, for a level, what it could have found."""

    test: str
    measure: str  # what statistic and expected are
    statistic: float
    expected: float
    p: float
    could_find: Callable[[float], str]


def findings(deals: Deals) -> Iterator[Finding]:
    """All tests that these deals allow; those of an order only where hands are not sorted."""
    place = fair.seats(deals.hands, deals.layout.deck)
    yield from _cards_by_seat(deals, place)
    yield from _cards_together(deals, place)
    yield from _hands(deals)
    yield from _repetition(deals, place)
    if deals.pile is not None:
        yield from _piles(deals, place)
    if not is_sorted(deals.hands):
        yield from _order(deals)


# Chi-square: sizes that can be found


@lru_cache(maxsize=256)
def _noncentrality(df: int, level: float) -> float:
    """What a chi-square must be shifted by, to exceed its bound at `level` with 80 %."""
    bound = stats.chi2.isf(level, df)

    def lacking(shift: float) -> float:
        return float(stats.ncx2.sf(bound, df, shift)) - POWER

    return float(brentq(lacking, 1e-6, 200 + 40 * math.sqrt(df)))


def _shift(level: float) -> float:
    """The same for a two-sided normal test, in standard errors."""
    return float(stats.norm.isf(level / 2) + stats.norm.ppf(POWER))


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


# Cards by seat and cards together


def _cards_by_seat(deals: Deals, place: Any) -> Iterator[Finding]:
    """Every card equally often at every seat (and out of play as often as others).

    Pearson's sum over cards and seats, times (K - 1)/K because a seat has room for a fixed number
    of cards, is chi-square with (K - 1)(S - 1) degrees of freedom. One card at one seat is
    binomial; p of the most unusual is Bonferroni's over all.
    """
    layout = deals.layout
    n, k, shares = len(place), layout.cards, layout.shares()
    deck = list(layout.deck)
    counts = np.stack([(place[:, deck] == s).sum(axis=0) for s in range(len(shares))], axis=1)
    expected = n * shares
    chi2 = (k - 1) / k * float(((counts - expected) ** 2 / expected).sum())
    df = (k - 1) * (len(shares) - 1)

    def each(level: float) -> str:
        off = math.sqrt(_noncentrality(df, level) / (n * (k - 1) * float((1 / shares).sum())))
        return f"chances of {_percent(shares[0])} that are off by {_percent(off)}"

    yield Finding(
        "cards by seat", "chi-square", chi2, df, float(stats.chi2.sf(chi2, df)), each
    )
    at_seats = counts[:, : layout.players]
    p = _binomial(at_seats, n, shares[0])
    card, seat = np.unravel_index(np.argmin(p), p.shape)

    def one(level: float) -> str:
        off = _shift(level / p.size) * math.sqrt(shares[0] * (1 - shares[0]) / n)
        return _rather("a card at one seat in", shares[0], off)

    yield Finding(
        "one card at a seat",
        f"{card_name(deck[card], SUITS)} at seat {seat}",
        float(at_seats[card, seat]), float(expected[0]), min(1.0, float(p.min()) * p.size), one,
    )  # fmt: skip


def _rather(what: str, share: float, off: float) -> str:
    more = f"more than {_percent(share + off)}" if share + off < 1 else "no such thing"
    less = f" or less than {_percent(share - off)}" if share > off else ""
    return f"{what} {more}{less}" if share + off < 1 or less else "nothing yet"


def _binomial(counts: Any, n: int, p: float) -> Any:
    """Two-sided p-values, twice the smaller tail."""
    lower, upper = stats.binom.cdf(counts, n, p), stats.binom.sf(counts - 1, n, p)
    return np.minimum(1, 2 * np.minimum(lower, upper))


def _cards_together(deals: Deals, place: Any) -> Iterator[Finding]:
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
        for first in range(0, n, 1 << 20):  # float32 counts exactly up to 2^24
            part = held[first : first + (1 << 20)]
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
        lean = math.sqrt(_noncentrality(df, level) * variance / (n * len(counts)))
        return f"pairs together in {_percent(q)} that are off by {_percent(lean)}"

    yield Finding(
        "cards together", "chi-square", chi2, df, float(stats.chi2.sf(chi2, df)), each
    )
    p = _binomial(counts, n, q)
    worst = int(np.argmin(p))
    names = [card_name(layout.deck[upper[side][worst]], SUITS) for side in (0, 1)]

    def one(level: float) -> str:
        lean = _shift(level / len(p)) * math.sqrt(q * (1 - q) / n)
        return _rather("two cards together in", q, lean)

    yield Finding(
        "one pair together", f"{names[0]} and {names[1]} in one hand",
        float(counts[worst]), n * q, min(1.0, float(p[worst]) * len(p)), one,
    )  # fmt: skip


# What hands hold


def _hands(deals: Deals) -> Iterator[Finding]:
    yield from _suits(deals)
    yield from _ranks(deals)
    yield from _bombs(deals)
    yield from _straights(deals)
    yield from _twos(deals)


def _quadratic(off: Any, covariance: Any) -> float:
    return float(off @ np.linalg.solve(covariance, off))


def _suits(deals: Deals) -> Iterator[Finding]:
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
        [(key == np.array(name) @ np.array([54**3, 54**2, 54, 1])).sum() for name in patterns[:kept]]
    )
    within = covariance[:kept, :kept]
    chi2 = _quadratic(counts - n * mean[:kept], n * within)
    common, share = "-".join(map(str, patterns[0])), float(mean[0]) / layout.players
    lone = float(np.linalg.inv(within)[0, 0])

    def could(level: float) -> str:
        off = math.sqrt(_noncentrality(kept, level) / (n * lone)) / layout.players
        return _rather(f"suits of {common} in", share, off)

    p = float(stats.chi2.sf(chi2, kept))
    yield Finding("suits in a hand", "chi-square", chi2, kept, p, could)


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


def _ranks(deals: Deals) -> Iterator[Finding]:
    """Ranks that a hand holds twice, and three times: chi-square with their exact covariance."""
    layout, n = deals.layout, len(deals.hands)
    mean, covariance = fair.rank_counts(layout)
    held = _held(deals.hands)
    counts = np.array([(held == times).sum() for times in (2, 3)])
    chi2 = _quadratic(counts - n * mean, n * covariance)
    lone = float(np.linalg.inv(covariance)[0, 0])

    def could(level: float) -> str:
        off = math.sqrt(_noncentrality(2, level) / (n * lone)) / layout.players
        return _figure("pairs a hand", float(mean[0]) / layout.players, off)

    p = float(stats.chi2.sf(chi2, 2))
    yield Finding("ranks in a hand", "chi-square", chi2, 2, p, could)


def _figure(what: str, mean: float, off: float) -> str:
    less = f"less than {mean - off:.3g} or " if mean > off else ""
    return f"{less}more than {mean + off:.3g} {what}"


def _bombs(deals: Deals) -> Iterator[Finding]:
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
        off = _shift(level) * math.sqrt(variance) / hands
        return _figure("bombs in 1,000 hands", 1000 * mean / hands, 1000 * off)

    yield Finding(
        "bombs", "fours of a kind in all hands", count, mean, min(1.0, 2 * min(below, above)), could
    )


def _straights(deals: Deals) -> Iterator[Finding]:
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
        off = _shift(level) * sd / math.sqrt(n) / layout.players
        return _figure("straights a hand", mean / layout.players, off)

    yield Finding(
        "straights", "straights in all hands", total, n * mean,
        _two_sided(total, n, mean, sd, skew), could,
    )  # fmt: skip


def _two_sided(total: float, n: int, mean: float, sd: float, skew: float) -> float:
    """p of a sum of n independent figures with these moments."""
    z = (total - n * mean) / (sd * math.sqrt(n))
    curve = stats.pearson3(skew / math.sqrt(n))
    return float(min(1.0, 2 * min(curve.cdf(z), curve.sf(z))))


def _twos(deals: Deals) -> Iterator[Finding]:
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
        off = math.sqrt(_noncentrality(kept, level) * share * (1 - share) / n)
        return _rather(f"2s that fall {common} in", share, off)

    yield Finding(
        "2s by hand", "chi-square", chi2, kept, float(stats.chi2.sf(chi2, kept)), could
    )


# From deal to deal


def _repetition(deals: Deals, place: Any) -> Iterator[Finding]:
    yield from _from_seat_to_seat(deals, place)
    yield from _recurring(deals)


def _from_seat_to_seat(deals: Deals, place: Any) -> Iterator[Finding]:
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
        lean = math.sqrt(_noncentrality(df, level) * (players - 1) * layout.each**2 / (n * (k - 1)))
        return _figure(f"of {layout.dealt} cards at the seat of the deal before", stay, lean)

    yield Finding(
        "seat to seat", "chi-square", chi2, df, float(stats.chi2.sf(chi2, df)), staying
    )
    pairs = players * math.comb(layout.each, 2)
    mean = pairs * fair.pair_together(layout)[0]
    sd, skew = fair.drawn_moments(layout)["again"]
    if not sd:
        return
    total = int(fair.again(tables, players).sum())

    def again(level: float) -> str:
        off = _shift(level) * sd / math.sqrt(n)
        return _figure(f"of {pairs} pairs together again", mean, off)

    yield Finding(
        "hands that stay together", "pairs together again", total, n * mean,
        _two_sided(total, n, mean, sd, skew), again,
    )  # fmt: skip


def _recurring(deals: Deals) -> Iterator[Finding]:
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
        _at_least(_pairs_equal(rows), pairs / ways), sources,
    )  # fmt: skip
    expected = pairs * layout.players**2 / math.comb(layout.cards, layout.each)
    equal = _pairs_equal(masks.ravel())

    def hands(level: float) -> str:
        least = next(x for x in range(1, 10**6) if _at_least(x, expected) <= level)
        chance = (expected + least + math.sqrt(least)) / (pairs * layout.players**2)
        return f"a hand again in {_rounded(1 / chance)}" if chance < 1 else "nothing yet"

    yield Finding(
        "hands that recur", "pairs of equal hands", equal, expected, _at_least(equal, expected),
        hands,
    )  # fmt: skip


def _pairs_equal(values: Any) -> int:
    counts = np.unique(values, return_counts=True)[1]
    return int((counts * (counts - 1) // 2).sum())


def _at_least(count: int, mean: float) -> float:
    return float(stats.poisson.sf(count - 1, mean))


def _rounded(number: float) -> str:
    """1,200,000 with two significant digits; a power of 2 where it is long."""
    if number >= 1e9:
        return f"2^{math.log2(number):.1f}"
    digits = 10 ** max(0, math.floor(math.log10(number)) - 1)
    return f"{round(number / digits) * digits:,}"


# Cards that were played


def _piles(deals: Deals, place: Any) -> Iterator[Finding]:
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
    wedges = np.maximum(edges - 1, 0)
    one, chain, apart = (figure[..., :size] for figure in fair.steps(layout))
    chain, apart = chain[:size], apart[:size]
    mean = edges.sum() * one
    both = wedges.sum() * (chain + chain.T)
    both += (edges * (edges - 1) - 2 * wedges).sum() * apart
    covariance = edges.sum() * np.diag(one) + both - (edges**2).sum() * np.outer(one, one)
    off = (counts - mean)[1:]
    df = size - 1
    chi2 = _quadratic(off, covariance[1:, 1:])
    lone = float(covariance[0, 0])

    def could(level: float) -> str:
        lean = _shift(level) * math.sqrt(lone) / edges.sum()
        return _rather("cards played in a row fall to one hand in", float(one[0]), lean)

    yield Finding(
        "cards of the last tricks", "chi-square", chi2, df, float(stats.chi2.sf(chi2, df)), could
    )


# The order within hands


def is_sorted(hands: Any) -> bool:
    """Whether some hands in a hundred are sorted, by rank or by suit: then order says nothing."""
    ranks, suits = hands >> 2, hands & 3
    by_rank = np.zeros(hands.shape[:2], bool)
    for order in (ranks, (ranks + 2) % 13, (ranks + 1) % 13):  # 3 to 2, A to K, 2 to A
        step = np.diff(order, axis=2)
        by_rank |= (step >= 0).all(axis=2) | (step <= 0).all(axis=2)
    changes = (np.diff(suits, axis=2) != 0).sum(axis=2)
    kinds = sum((suits == suit).any(axis=2).astype(int) for suit in range(4))
    return bool((by_rank | (changes == kinds - 1)).mean() > 0.01)


def _order(deals: Deals) -> Iterator[Finding]:
    yield from _slots(deals)
    hands, n = deals.hands, len(deals.hands)
    by_hand = hands.reshape(n, -1).astype(np.int64)
    by_card = hands.transpose(0, 2, 1).reshape(n, -1).astype(np.int64)
    if deals.layout.whole:
        yield from _parities(deals.layout, by_hand)
    for order, how, each in ((by_hand, "hand by hand", deals.layout.each),
                             (by_card, "card by card", deals.layout.dealt)):  # fmt: skip
        yield from _against_the_last(deals.layout, order, how, each)


def _slots(deals: Deals) -> Iterator[Finding]:
    """Every card equally often at every place in every hand: as `_cards_by_seat`, K by places."""
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
        off = math.sqrt(_noncentrality(df, level) / (n * (k - 1) * k * slots))
        return f"chances of {_percent(1 / k)} that are off by {_percent(off)}"

    p = float(stats.chi2.sf(chi2, df))
    yield Finding("cards by place in the hand", "chi-square", chi2, df, p, could)


def _parities(layout: fair.Layout, order: Any) -> Iterator[Finding]:
    """Even orders are half of all: of the deck itself, and against the deal before; binomial."""
    columns = np.ascontiguousarray(order.T, np.int8)
    even = np.ones(len(order), bool)
    for one, other in combinations(columns, 2):
        even ^= one > other
    against = even[1:] ^ even[:-1]
    for test, values in (("parity of the order", even), ("parity against the last", against)):
        count, n = int(values.sum()), len(values)

        def could(level: float, n: int = n) -> str:
            return _rather("even orders in", 0.5, _shift(level) / (2 * math.sqrt(n)))

        p = float(_binomial(np.array(count), n, 0.5))
        yield Finding(test, "even orders", count, n / 2, p, could)


def _against_the_last(
    layout: fair.Layout, order: Any, how: str, each: int
) -> Iterator[Finding]:
    """What is left of the order of the deal before, if hands were put together in this way.

    Rising sequences: cards in the order of before, of which the next comes earlier now; their
    number is Eulerian with mean (c + 1)/2 and variance (c + 1)/12 for c cards (Bayer and Diaconis,
    Annals of Applied Probability 2, 1992). Neighbours: pairs that lay one upon the other and do so
    again, upper tail, Poisson; mean exact.
    """
    n, size = len(order) - 1, order.shape[1]
    at = np.full((len(order), 52), -1, np.int64)
    np.put_along_axis(at, order, np.broadcast_to(np.arange(size), order.shape), axis=1)
    now = np.take_along_axis(at[1:], order[:-1], axis=1)  # -1: not dealt now
    shared = (now >= 0).sum(axis=1)
    packed = np.take_along_axis(now, np.argsort(now < 0, axis=1, kind="stable"), axis=1)
    falls = (np.diff(packed, axis=1) < 0) & (np.arange(1, size) < shared[:, None])
    rising = int(falls.sum()) + n
    mean = float((shared + 1).sum()) / 2
    sd = math.sqrt(float((shared + 1).sum()) / 12)

    def sequences(level: float) -> str:
        return _figure("rising sequences a deal", mean / n, _shift(level) * sd / n)

    z = (rising - mean) / sd
    p = float(2 * stats.norm.sf(abs(z)))
    yield Finding(f"rising sequences, {how}", "rising sequences", rising, mean, p, sequences)
    inner = np.arange(size - 1) % each != each - 1
    kept = int(((np.diff(now, axis=1) == 1) & (now[:, :-1] >= 0) & inner
                & (now[:, :-1] % each != each - 1)).sum())  # fmt: skip
    edges = int(inner.sum())
    expected = n * fair.neighbours(layout, edges, edges - size // each)[0]

    def neighbours(level: float) -> str:
        off = _shift(2 * level) * math.sqrt(expected) / n
        return f"more than {expected / n + off:.3g} neighbours a deal that stay so"

    yield Finding(
        f"neighbours kept, {how}", "pairs in the same order", kept, expected,
        _at_least(kept, expected), neighbours,
    )  # fmt: skip
