"""Guards the bit primitives: each against plain Python, compiled and as the plain functions."""

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from simcore.foundation import bits
from simcore.foundation.jit import kernel

masks = st.integers(0, (1 << 52) - 1)
some_cards = st.integers(1, (1 << 52) - 1)
sparse = st.sets(st.integers(0, 51), max_size=13).map(lambda cards: sum(1 << c for c in cards))
hands = masks | sparse


@kernel
def _popcount(x):
    return bits.popcount(x)


@kernel
def _lowest_index(x):
    return bits.lowest_index(x)


@kernel
def _highest_index(x):
    return bits.highest_index(x)


@kernel
def _select_bit(x, k):
    return bits.select_bit(x, k)


@kernel
def _gather_ranks(x):
    return bits.gather_ranks(x)


@kernel
def _rank_set(x):
    return bits.rank_set(x)


@kernel
def _nibble(x, rank):
    return bits.nibble(x, rank)


@kernel
def _two(x):
    return bits.ranks_with_two(x)


@kernel
def _three(x):
    return bits.ranks_with_three(x)


@kernel
def _four(x):
    return bits.ranks_with_four(x)


def set_bits(x: int) -> list[int]:
    return [i for i in range(64) if x >> i & 1]


def held(x: int) -> list[int]:
    """How many cards of each rank."""
    return [bin(x >> (4 * rank) & 15).count("1") for rank in range(13)]


def both(compiled: Callable[..., int], plain: Callable[..., int], *given: int) -> int:
    """The compiled result, which is also the plain function's."""
    result = int(compiled(*given))
    assert result == int(plain(*given))
    return result


@given(hands)
def test_popcount(x: int) -> None:
    assert both(_popcount, bits.popcount, x) == len(set_bits(x))


@given(some_cards)
def test_lowest_and_highest_index(x: int) -> None:
    assert both(_lowest_index, bits.lowest_index, x) == min(set_bits(x))
    assert both(_highest_index, bits.highest_index, x) == max(set_bits(x))


@given(hands, st.integers(0, 51))
def test_select_bit_is_the_kth_lowest_bit_or_nothing(x: int, k: int) -> None:
    chosen = set_bits(x)[k : k + 1]
    assert both(_select_bit, bits.select_bit, x, k) == sum(1 << i for i in chosen)


@given(hands)
def test_gather_ranks_packs_the_lowest_suit(x: int) -> None:
    expected = sum(1 << rank for rank in range(13) if x >> (4 * rank) & 1)
    assert both(_gather_ranks, bits.gather_ranks, x) == expected


@given(hands)
def test_rank_set(x: int) -> None:
    assert _rank_set(x) == sum(1 << rank for rank, n in enumerate(held(x)) if n)


@given(hands, st.integers(0, 12))
def test_nibble_is_the_suits_of_a_rank(x: int, rank: int) -> None:
    assert _nibble(x, rank) == sum(1 << s for s in range(4) if x >> (4 * rank + s) & 1)


@given(hands)
def test_ranks_with_two_three_and_four(x: int) -> None:
    for function, least in ((_two, 2), (_three, 3), (_four, 4)):
        assert function(x) == sum(1 << (4 * rank) for rank, n in enumerate(held(x)) if n >= least)


def test_every_nibble_of_every_rank() -> None:
    """Exhaustive over the sixteen suits of each rank, beside a full and an empty neighbour."""
    for rank in range(13):
        for suits in range(16):
            for others in (0, (1 << 52) - 1 & ~(15 << 4 * rank)):
                x = suits << 4 * rank | others
                for function, least in ((_two, 2), (_three, 3), (_four, 4)):
                    expected = sum(1 << (4 * r) for r, n in enumerate(held(x)) if n >= least)
                    assert function(x) == expected


def test_constants() -> None:
    assert set_bits(bits.ONES) == list(range(0, 52, 4))
    assert set_bits(bits.FULL) == list(range(52))
