"""Guards the random streams: the published generator, unbiased numbers, independent addresses."""

import numpy as np
import pytest

from simcore.foundation.jit import kernel, records
from simcore.foundation.rng import (
    DEALING,
    SEATING,
    STRATEGY,
    STREAM,
    WORDS,
    below,
    next_word,
    philox4x32,
    start_stream,
    three_below,
    uniform,
)
from tests.support import z_of_counts, z_of_mean

WORD = 0xFFFFFFFF

# (counter, key, output): the vectors that Random123 publishes for philox4x32 with 10 rounds.
KNOWN_ANSWERS = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((WORD, WORD, WORD, WORD), (WORD, WORD), (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


@kernel
def _philox(counter, key, out):
    out[0], out[1], out[2], out[3] = philox4x32(
        counter[0], counter[1], counter[2], counter[3], key[0], key[1]
    )


@kernel
def _words(rng, seed, deal, purpose, out):
    start_stream(rng, seed, deal, purpose)
    for i in range(len(out)):
        out[i] = next_word(rng)


@kernel
def _below(rng, seed, deal, purpose, n, out):
    start_stream(rng, seed, deal, purpose)
    for i in range(len(out)):
        out[i] = below(rng, n)


@kernel
def _below_from(rng, n, out):
    """One number out of words that are in the record already; out[1]: words used."""
    out[0] = below(rng, n)
    out[1] = rng.used


@kernel
def below_three(rng, n):
    while True:
        a, b, c, fair = three_below(next_word(rng), n)
        if fair:
            return a, b, c


@kernel
def _below_three_from(rng, n, out):
    a, b, c = below_three(rng, n)
    out[0] = (a * (n - 1) + b) * (n - 2) + c
    out[1] = rng.used


@kernel
def _below_three(rng, seed, n, out):
    start_stream(rng, seed, 0, 0)
    for i in range(len(out)):
        a, b, c = below_three(rng, n)
        out[i] = (a * (n - 1) + b) * (n - 2) + c


@kernel
def _uniform(rng, seed, out):
    start_stream(rng, seed, 0, 0)
    for i in range(len(out)):
        out[i] = uniform(rng)


def philox(counter: tuple[int, ...], key: tuple[int, ...]) -> tuple[int, ...]:
    out = np.zeros(4, np.uint64)
    _philox(np.array(counter, np.uint64), np.array(key, np.uint64), out)
    return tuple(out.tolist())


def words(seed: int, deal: int, purpose: int, n: int, rng: object = None) -> list[int]:
    """The first words of a stream, from a fresh record or the given one."""
    out = np.zeros(n, np.uint64)
    _words(records(STREAM, 1)[0] if rng is None else rng, np.uint64(seed), deal, purpose, out)
    return out.tolist()


def numbers(n: int, count: int, seed: int = 7, deal: int = 0) -> np.ndarray:
    out = np.zeros(count, np.int64)
    _below(records(STREAM, 1)[0], np.uint64(seed), deal, DEALING, n, out)
    return out


@pytest.mark.parametrize(("counter", "key", "output"), KNOWN_ANSWERS)
def test_philox_gives_the_published_known_answers(
    counter: tuple[int, ...], key: tuple[int, ...], output: tuple[int, ...]
) -> None:
    assert philox(counter, key) == output


def test_a_stream_is_philox_with_the_address_as_key_and_counter() -> None:
    seed, deal, purpose = 0x123456789ABCDEF0, 0xFEDCBA987, STRATEGY + 2
    expected: list[int] = []
    for block in range(20):
        counter = (block, deal & WORD, deal >> 32, purpose)
        expected += philox(counter, (seed & WORD, seed >> 32))
    assert words(seed, deal, purpose, 80) == expected


@pytest.mark.parametrize("n", [WORDS - 1, WORDS, WORDS + 1, 2 * WORDS, 2 * WORDS + 1])
def test_a_stream_continues_across_the_end_of_its_buffer(n: int) -> None:
    assert words(3, 4, 0, n) == words(3, 4, 0, 3 * WORDS)[:n]
    assert len(set(words(3, 4, 0, n))) == n


@pytest.mark.parametrize("used", [0, 1, WORDS - 1, WORDS, WORDS + 1, 3 * WORDS + 5])
def test_a_stream_restarts_identically_however_far_it_was_used(used: int) -> None:
    rng = records(STREAM, 1)[0]
    words(11, 22, 1, used, rng)
    assert words(11, 22, 1, 70, rng) == words(11, 22, 1, 70)


def test_a_record_reused_for_another_address_forgets_the_old_one() -> None:
    rng = records(STREAM, 1)[0]
    for seed, deal, purpose in [(1, 2, 3), (1, 2, 4), (1, 3, 4), (2, 3, 4), (1, 2, 3)]:
        for n in (5, 40):
            assert words(seed, deal, purpose, n, rng) == words(seed, deal, purpose, n)


def test_every_part_of_the_address_changes_the_stream() -> None:
    addresses = [
        (seed, deal, purpose)
        for seed in (0, 1, 2**32, 2**63, 2**64 - 1)
        for deal in (0, 1, 2**32, 2**62)
        for purpose in (DEALING, SEATING, STRATEGY, STRATEGY + 1, STRATEGY + 3)
    ]
    assert len({tuple(words(*address, 4)) for address in addresses}) == len(addresses)


def test_seed_zero_is_a_seed_like_any_other() -> None:
    assert words(0, 0, 0, 4) == list(KNOWN_ANSWERS[0][2])
    assert words(0, 0, 0, 40) != words(1, 0, 0, 40)
    assert len(set(words(0, 0, 0, 1000))) > 990


def test_neighbouring_addresses_are_uncorrelated() -> None:
    """|z| < 4 for the correlation of 40,000 words of each pair of neighbours."""
    base = np.array(words(5, 5, 2, 40_000)) / 2**32 - 0.5
    for address in [(6, 5, 2), (5, 6, 2), (5, 5, 3)]:
        other = np.array(words(*address, 40_000)) / 2**32 - 0.5
        assert abs(z_of_mean(base * other, 0)) < 4


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 13, 51, 52, 1000])
def test_below_is_uniform(n: int) -> None:
    """Chi-squared over 300,000 numbers, |z| < 4."""
    drawn = numbers(n, 300_000)
    assert drawn.min() >= 0
    assert drawn.max() < n
    if n > 1:
        assert abs(z_of_counts(np.bincount(drawn, minlength=n), [1 / n] * n)) < 4


def test_below_is_unbiased_where_plain_scaling_is_not() -> None:
    """With n = 3 * 2**30, scaling a word gives a multiple of 3 twice as often as any other."""
    remainders = np.bincount(numbers(3 << 30, 90_000) % 3, minlength=3)
    assert abs(z_of_counts(remainders, [1 / 3] * 3)) < 4
    scaled = (np.array(words(7, 0, DEALING, 90_000), dtype=object) * (3 << 30) >> 32) % 3
    assert abs(z_of_counts(np.bincount(scaled.astype(int)), [1 / 3] * 3)) > 50


@pytest.mark.parametrize("n", [2**31 + 1, 2**32 - 1])
def test_below_covers_large_bounds(n: int) -> None:
    drawn = numbers(n, 20_000)
    assert 0 <= drawn.min() < 0.001 * n
    assert 0.999 * n < drawn.max() < n
    assert abs(z_of_mean(drawn, (n - 1) / 2)) < 4


@pytest.mark.parametrize("n", [3, 4, 5, 13, 52])
def test_three_numbers_out_of_one_word_are_uniform_together(n: int) -> None:
    """Chi-squared over all n (n - 1) (n - 2) triples, |z| < 4."""
    triples = n * (n - 1) * (n - 2)
    out = np.zeros(12 * triples + 60_000, np.int64)
    _below_three(records(STREAM, 1)[0], np.uint64(5), n, out)
    counts = np.bincount(out, minlength=triples)
    assert len(counts) == triples
    assert abs(z_of_counts(counts, [1 / triples] * triples)) < 4


@pytest.mark.parametrize("n", [3, 5, 13, 51, 52, 1600])
def test_exactly_the_words_that_would_bias_a_number_are_rejected(n: int) -> None:
    """A word gives word * bound >> 32, but for the smallest 2**32 % bound remainders."""
    for function, bound in ((_below_from, n), (_below_three_from, n * (n - 1) * (n - 2))):
        limit = 2**32 % bound
        spare = next(w for w in range(3 << 30, 2**32) if w * bound % 2**32 >= limit)
        edges = [-(-k * 2**32 // bound) for k in range(min(bound, 400))]  # small remainders
        for word in {*edges, *(w + 1 for w in edges), 2**32 - 1, 2**31, 12_345}:
            rng, out = records(STREAM, 1)[0], np.zeros(2, np.int64)
            rng.words[:] = spare
            rng.words[0] = word
            function(rng, n, out)
            rejected = word * bound % 2**32 < limit
            assert out.tolist() == [(spare if rejected else word) * bound >> 32, 1 + rejected]


def test_three_numbers_out_of_one_word_are_unbiased_for_large_bounds() -> None:
    """Each of the three numbers: chi-squared and mean, |z| < 4."""
    n = 1600
    out = np.zeros(400_000, np.int64)
    _below_three(records(STREAM, 1)[0], np.uint64(6), n, out)
    first, rest = np.divmod(out, (n - 1) * (n - 2))
    second, third = np.divmod(rest, n - 2)
    for numbers_drawn, bound in ((first, n), (second, n - 1), (third, n - 2)):
        counts = np.bincount(numbers_drawn, minlength=bound)
        assert len(counts) == bound
        assert abs(z_of_counts(counts, [1 / bound] * bound)) < 4
        assert abs(z_of_mean(numbers_drawn, (bound - 1) / 2)) < 4


def test_uniform_stays_below_one_and_has_the_right_mean_and_variance() -> None:
    """100,000 numbers, |z| < 4."""
    out = np.zeros(100_000)
    _uniform(records(STREAM, 1)[0], np.uint64(9), out)
    assert out.min() >= 0
    assert out.max() < 1
    assert abs(z_of_mean(out, 0.5)) < 4
    assert abs(z_of_mean((out - 0.5) ** 2, 1 / 12)) < 4
