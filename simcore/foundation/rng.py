# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Counter-based random streams: Philox4x32-10 (Salmon et al., SC 2011, "as easy as 1, 2, 3").

A stream is named by (seed, deal_index, purpose) and is the same on every machine, whatever ran
before it. key = seed (low word, high word); counter = (block, deal low, deal high, purpose).
"""

import numpy as np

from simcore.foundation.jit import inlined, kernel

DEALING, SEATING, STRATEGY = 0, 1, 2  # purposes; the stream of slot k is STRATEGY + k
LEADING = 6  # who starts a later hand of a session

WORDS = 32  # eight Philox blocks are made at once: the compiler computes them side by side

STREAM = np.dtype(
    [
        ("seed", np.uint64),
        ("deal", np.uint64),
        ("purpose", np.uint64),
        ("block", np.uint64),  # the next block to compute
        ("used", np.int64),  # words of the buffer already handed out
        ("words", np.uint32, (WORDS,)),
    ],
    align=True,
)

LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
_BLOCK = np.uint64(1)
_BLOCKS = np.uint64(WORDS // 4)


@inlined
def philox4x32(c0, c1, c2, c3, k0, k1):
    """Ten rounds of Philox4x32 on 32-bit words kept in uint64; returns four words."""
    for _ in range(10):
        p0, p1 = _M0 * c0, _M1 * c2
        c0, c1, c2, c3 = (p1 >> _32) ^ c1 ^ k0, p1 & LOW, (p0 >> _32) ^ c3 ^ k1, p0 & LOW
        k0, k1 = (k0 + _W0) & LOW, (k1 + _W1) & LOW
    return c0, c1, c2, c3


@kernel
def refill(rng):
    """Compute the next WORDS words of the stream."""
    # Everything in locals first: then the compiler sees independent blocks and vectorises.
    k0, k1 = rng.seed & LOW, rng.seed >> _32
    low, high = rng.deal & LOW, rng.deal >> _32
    purpose, block = rng.purpose, rng.block
    words = rng.words
    for b in range(WORDS // 4):
        w0, w1, w2, w3 = philox4x32(block + np.uint64(b), low, high, purpose, k0, k1)
        words[4 * b] = w0
        words[4 * b + 1] = w1
        words[4 * b + 2] = w2
        words[4 * b + 3] = w3
    rng.block = block + _BLOCKS
    rng.used = 0


@inlined
def start_stream(rng, seed, deal_index, purpose):
    """Put the stream (seed, deal_index, purpose) at its beginning.

    seed: uint64; deal_index, purpose: int64 >= 0. Words already made for the same stream are kept.
    """
    deal, use = np.uint64(deal_index), np.uint64(purpose)
    if rng.block == _BLOCKS and rng.deal == deal and rng.purpose == use and rng.seed == seed:
        rng.used = 0
    else:
        rng.seed = seed
        rng.deal = deal
        rng.purpose = use
        rng.block = np.uint64(0)
        rng.used = WORDS


@inlined
def next_word(rng):
    """The next 32 random bits of the stream, as uint64."""
    if rng.used >= WORDS:
        refill(rng)
    word = np.uint64(rng.words[rng.used])
    rng.used += 1
    return word


@inlined
def below(rng, n):
    """A uniform integer in [0, n), 1 <= n < 2**32, exactly unbiased (Lemire, TOMACS 2019)."""
    bound = np.uint64(n)
    product = next_word(rng) * bound
    if (product & LOW) < bound:
        threshold = (LOW - bound + _BLOCK) % bound
        while (product & LOW) < threshold:
            product = next_word(rng) * bound
    return np.int64(product >> _32)


@inlined
def three_below(word, n):
    """(a, b, c, fair): integers below n, n - 1 and n - 2 (3 <= n <= 1600) out of one random word.

    What is left over by one multiplication is the random word of the next (Brackett-Rozinsky and
    Lemire, Software: Practice and Experience 2024, "Batched ranged random integer generation").
    They are uniform if words are taken until one is fair.
    """
    a, b, c = np.uint64(n), np.uint64(n - 1), np.uint64(n - 2)
    product = a * b * c
    first = word * a
    second = (first & LOW) * b
    third = (second & LOW) * c
    rest = third & LOW
    fair = rest >= product or rest >= (LOW - product + _BLOCK) % product
    return np.int64(first >> _32), np.int64(second >> _32), np.int64(third >> _32), fair


@inlined
def uniform(rng):
    """A uniform float64 in [0, 1) with 32 random bits."""
    return np.float64(np.int64(next_word(rng))) * (1.0 / 4294967296.0)


@inlined
def words_drawn(rng):
    """How many words of the stream have been handed out."""
    return np.int64(rng.block) * 4 - WORDS + rng.used


@kernel
def draw_below(rng, n):
    """`below` for callers in Python."""
    return below(rng, n)


@kernel
def draw_uniform(rng):
    """`uniform` for callers in Python."""
    return uniform(rng)
