"""What a fair deal makes: exact probabilities of dealt cards, for the audit of a shuffle.

In a fair deal every order of the deck is equally likely. `Layout` says how it is dealt out; all
closed forms are hypergeometric (Feller, An Introduction to Probability Theory I, 1968, chapter 2),
and two variances come from fair deals that are drawn here with a fixed seed.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import comb, perm, prod
from typing import Any

import numpy as np

TWO = 12  # the rank of the 2s
STRAIGHTS = [[(start + step + 11) % 13 for step in range(5)] for start in range(10)]  # A2345 first
DRAWN = 40_000  # fair deals for what has no closed form
FIXED_SEED = 0


@dataclass(frozen=True)
class Layout:
    """`players` hands of `each` cards from a deck; cards beyond stay out."""

    players: int
    each: int
    deck: tuple[int, ...]

    @property
    def cards(self) -> int:
        """Number of cards in the deck."""
        return len(self.deck)

    @property
    def dealt(self) -> int:
        """Number of cards in all hands."""
        return self.players * self.each

    @property
    def whole(self) -> bool:
        """Whether no card stays out."""
        return self.dealt == self.cards

    def shares(self) -> Any:
        """float64[players (+ 1)]: chance of a card to lie at each seat (and to stay out)."""
        sizes = [self.each] * self.players + [self.cards - self.dealt] * (not self.whole)
        return np.array(sizes) / self.cards

    def of_rank(self) -> tuple[int, ...]:
        """Number of cards of each rank in the deck."""
        return tuple(sum(card >> 2 == rank for card in self.deck) for rank in range(13))

    def of_suit(self) -> tuple[int, ...]:
        """Number of cards of each suit in the deck."""
        return tuple(sum(card & 3 == suit for card in self.deck) for suit in range(4))


def pair_together(layout: Layout) -> tuple[float, float]:
    """(chance that two given cards lie in one hand, variance of a contrast of such pairs).

    The counts of all pairs have a covariance that depends only on how many cards two pairs share,
    so on contrasts beyond single cards it is one number: the eigenvalue of the Johnson scheme
    J(K, 2) of multiplicity K(K - 3)/2 (Delsarte, 1973).
    """
    n, m, k = layout.players, layout.each, layout.cards
    q = n * perm(m, 2) / perm(k, 2)
    three = n * perm(m, 3) / perm(k, 3)
    four = (n * perm(m, 4) + n * (n - 1) * perm(m, 2) ** 2) / perm(k, 4)
    return q, (q - q * q) - 2 * (three - q * q) + (four - q * q)


@lru_cache(maxsize=8)
def suit_patterns(layout: Layout) -> tuple[list[tuple[int, ...]], Any, Any]:
    """(patterns, mean, covariance) of the numbers of hands in a deal by suit lengths.

    A pattern is the four lengths, longest first; patterns come commonest first.
    """
    n, m, suits = layout.players, layout.each, layout.of_suit()
    lengths = np.array([row for row in product(*(range(s + 1) for s in suits)) if sum(row) == m])
    binomial = np.array([[comb(a, b) for b in range(53)] for a in range(53)], float)
    one = np.prod([binomial[s, lengths[:, i]] for i, s in enumerate(suits)], axis=0)
    one /= comb(layout.cards, m)
    left = np.array(suits) - lengths
    other = np.ones((len(lengths), len(lengths)))
    for i in range(4):
        other *= binomial[left[:, None, i], lengths[None, :, i]]
    other /= max(1, comb(layout.cards - m, m))
    names = [tuple(sorted((int(x) for x in row), reverse=True)) for row in lengths]
    chance: dict[tuple[int, ...], float] = {}
    for name, p in zip(names, one, strict=True):
        chance[name] = chance.get(name, 0.0) + float(p)
    patterns = sorted(chance, key=lambda name: -chance[name])
    at = np.array([patterns.index(name) for name in names])
    member = (at[:, None] == np.arange(len(patterns))).astype(float)
    p = one @ member
    joint = member.T @ (one[:, None] * other) @ member
    covariance = n * (np.diag(p) - np.outer(p, p)) + n * (n - 1) * (joint - np.outer(p, p))
    return patterns, n * p, covariance


@lru_cache(maxsize=8)
def rank_counts(layout: Layout) -> tuple[Any, Any]:
    """(mean, covariance) of how often in a deal a hand holds two, and three, cards of a rank."""
    n, m, k, sizes = layout.players, layout.each, layout.cards, layout.of_rank()
    whole, wanted = comb(k, m), (2, 3)
    alone = [[comb(r, a) * comb(k - r, m - a) / whole for a in wanted] for r in sizes]
    mean = n * np.sum(alone, axis=0)
    second = np.diag(mean)  # a hand and a rank with themselves
    for (x, a), (y, b) in product(enumerate(wanted), repeat=2):
        for i, j in product(range(13), repeat=2):
            r, s = sizes[i], sizes[j]
            if i != j:
                same = comb(r, a) * comb(s, b) * _comb(k - r - s, m - a - b) / whole
                held = [(z, comb(r, a) * comb(s, z) * _comb(k - r - s, m - a - z))
                        for z in range(s + 1)]  # fmt: skip
                second[x, y] += n * same
            else:
                held = [(a, comb(r, a) * comb(k - r, m - a))]
            for z, ways in held:
                then = _comb(s - z, b) * _comb(k - m - (s - z), m - b) / max(1, comb(k - m, m))
                second[x, y] += n * (n - 1) * ways / whole * then
    return mean, second - np.outer(mean, mean)


def _comb(n: int, k: int) -> int:
    """Ways to choose; none where that is impossible."""
    return comb(n, k) if n >= k >= 0 else 0


@lru_cache(maxsize=8)
def bombs(layout: Layout) -> Any:
    """float64[*]: chances of 0, 1, … hands' fours of a kind in a deal, by inclusion-exclusion."""
    n, m, k = layout.players, layout.each, layout.cards
    ranks = sum(size == 4 for size in layout.of_rank())
    most = min(ranks, n * (m // 4))
    moments = [0.0] * (most + 1)  # of the binomial coefficients (number of fours, j)
    for fours in product(range(m // 4 + 1), repeat=n):
        j = sum(fours)
        if j <= most:
            orders = perm(ranks, j) // prod(perm(f) for f in fours)
            taken = prod(perm(m, 4 * f) for f in fours)
            moments[j] += orders * taken / perm(k, 4 * j)
    chances = [
        sum((-1) ** (j - x) * comb(j, x) * moments[j] for j in range(x, most + 1))
        for x in range(most + 1)
    ]
    return np.maximum(chances, 0)


@lru_cache(maxsize=8)
def two_patterns(layout: Layout) -> tuple[list[tuple[int, ...]], Any]:
    """(patterns, chances) of how the 2s fall to the hands, most first, commonest pattern first."""
    m, k, twos = layout.each, layout.cards, layout.of_rank()[TWO]
    chance: dict[tuple[int, ...], float] = {}
    for held in product(range(twos + 1), repeat=layout.players):
        out = twos - sum(held)
        if out < 0 or (layout.whole and out):
            continue
        ways = prod(comb(m, h) for h in held) * _comb(k - layout.dealt, out)
        name = tuple(sorted(held, reverse=True))
        chance[name] = chance.get(name, 0.0) + ways / comb(k, twos)
    patterns = sorted(chance, key=lambda name: -chance[name])
    return patterns, np.array([chance[name] for name in patterns])


def straights_mean(layout: Layout) -> float:
    """Expected number in a deal of five ranks in a row, A2345 to TJQKA, that a hand holds."""
    m, k, sizes = layout.each, layout.cards, layout.of_rank()
    total = 0.0
    for ranks in STRAIGHTS:
        for missing in product((0, 1), repeat=5):
            gone = sum(sizes[rank] for rank, out in zip(ranks, missing, strict=True) if out)
            total += (-1) ** sum(missing) * _comb(k - gone, m) / comb(k, m)
    return layout.players * total


def straights(hands: Any) -> Any:
    """int64[D]: number of straights' ranks that the hands int8[D, n, m] of each deal hold."""
    held = np.zeros((*hands.shape[:2], 13), bool)
    np.put_along_axis(held, hands >> 2, True, axis=2)
    return np.sum([held[:, :, ranks].all(axis=2).sum(axis=1) for ranks in STRAIGHTS], axis=0)


def overlaps(before: Any, now: Any, players: int) -> Any:
    """int64[D, S, S]: number of cards at seat s before and at seat t now.

    before, now: int8[D, 52], the seat of each card; `players` for one that stays out, -1 for a
    card that is not in the deck.
    """
    size = players + 1
    cell = (np.arange(len(now))[:, None] * size + before) * size + now
    counts = np.bincount(cell[(now >= 0) & (before >= 0)], minlength=len(now) * size * size)
    return counts.reshape(-1, size, size)


def again(tables: Any, players: int) -> Any:
    """int64[D]: pairs of cards that lay in one hand before and do so now."""
    within = tables[:, :players, :players]
    return (within * (within - 1) // 2).sum(axis=(1, 2))


def seats(hands: Any, deck: tuple[int, ...]) -> Any:
    """int8[D, 52]: the seat of each card; n where it stays out, -1 where the deck lacks it."""
    n_deals, n, m = hands.shape
    found = np.full((n_deals, 52), -1, np.int8)
    found[:, list(deck)] = n
    at = np.repeat(np.arange(n, dtype=np.int8), m)
    np.put_along_axis(
        found, hands.reshape(n_deals, -1).astype(np.int64), np.tile(at, (n_deals, 1)), 1
    )
    return found


def draw(layout: Layout, deals: int, rng: Any) -> Any:
    """int8[deals, n, m]: fair deals."""
    deck = np.tile(np.array(layout.deck, np.int8), (deals, 1))
    shuffled = rng.permuted(deck, axis=1)[:, : layout.dealt]
    return shuffled.reshape(deals, layout.players, layout.each)


@lru_cache(maxsize=8)
def drawn_moments(layout: Layout) -> dict[str, tuple[float, float]]:
    """(standard deviation, skewness) of one deal's figure, from DRAWN fair deals of a fixed seed.

    Keys: "straights", "again". Their means are known exactly. A standard deviation is good to 1 %.
    """
    hands = draw(layout, DRAWN, np.random.default_rng(FIXED_SEED))
    place = seats(hands, layout.deck)
    figures = {
        "straights": straights(hands),
        "again": again(overlaps(place[:-1], place[1:], layout.players), layout.players),
    }
    moments = {}
    for name, values in figures.items():
        centred = values - values.mean()
        sd = float(centred.std())
        moments[name] = (sd, float((centred**3).mean() / sd**3) if sd else 0.0)
    return moments


def steps(layout: Layout) -> tuple[Any, Any, Any]:
    """How far the next card of a pile falls, in seats: (mean, covariances) of the categories.

    Of a pair of cards x, y: the seat of y less that of x, modulo n; one more category where either
    stays out. Returns float64[n + 1] chances of one pair, and float64[n + 1, n + 1] chances of two
    pairs that share the middle card (x y, y z), and of two pairs with four cards.
    """
    n, m, k = layout.players, layout.each, layout.cards
    sizes = [m] * n + [k - layout.dealt]
    one, chain, apart = np.zeros(n + 1), np.zeros((n + 1, n + 1)), np.zeros((n + 1, n + 1))

    def step(x: int, y: int) -> int:
        return n if n in (x, y) else (y - x) % n

    def chance(*at: int) -> float:
        ways = prod(sizes[s] - at[:i].count(s) for i, s in enumerate(at))
        return max(0, ways) / perm(k, len(at))

    for x, y in product(range(n + 1), repeat=2):
        one[step(x, y)] += chance(x, y)
        for z in range(n + 1):
            chain[step(x, y), step(y, z)] += chance(x, y, z)
            for w in range(n + 1):
                apart[step(x, y), step(z, w)] += chance(x, y, z, w)
    return one, chain, apart
