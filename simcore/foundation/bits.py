# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Bit tricks on int64 masks of 52 cards; every one also works as plain Python.

A mask has bit `rank * 4 + suit` for each card: one nibble a rank, so that "three of a rank" or "the
next rank" are a few shifts for all ranks at once. int64 on purpose: 52 bits never reach the sign,
and numba mixes uint64 with ordinary integers into floats.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic, overload

from simcore.foundation.jit import HAS_BMI2, inlined

ONES = 0x1111111111111  # the lowest suit of each of the 13 ranks
FULL = (1 << 52) - 1


def popcount(x: int) -> int:
    """How many bits are set."""
    return int(x).bit_count()


def lowest_index(x: int) -> int:
    """Index of the lowest set bit of a non-zero mask."""
    return (int(x) & -int(x)).bit_length() - 1


def highest_index(x: int) -> int:
    """Index of the highest set bit of a non-zero mask."""
    return int(x).bit_length() - 1


def select_bit(x: int, k: int) -> int:
    """The k-th lowest set bit (k from 0) as a one-bit mask; 0 if x has no more than k bits."""
    y = int(x)
    for _ in range(int(k)):
        y &= y - 1
    return y & -y


def gather_ranks(x: int) -> int:
    """The lowest bit of each nibble, packed into 13 bits (bit r for rank r)."""
    return sum((int(x) >> (4 * r) & 1) << r for r in range(13))


def gather_bits(x: int, mask: int) -> int:
    """The bits of x at the set positions of `mask`, packed: bit i for the i-th lowest of them."""
    packed = position = 0
    rest = int(mask)
    while rest:
        low = rest & -rest
        packed |= (1 if x & low else 0) << position
        position += 1
        rest ^= low
    return packed


@intrinsic
def _ctpop(typingctx: Any, x: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), codegen


@intrinsic
def _cttz(typingctx: Any, x: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), codegen


@intrinsic
def _ctlz(typingctx: Any, x: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), codegen


def _bmi2(name: str) -> Any:
    """A two-operand x86 instruction (parallel bit deposit or extract) as an intrinsic."""

    @intrinsic
    def instruction(typingctx: Any, x: Any, y: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            word = ir.IntType(64)
            function = get_or_insert_function(
                builder.module, ir.FunctionType(word, [word, word]), f"llvm.x86.bmi.{name}.64"
            )
            return builder.call(function, args)

        return types.int64(types.int64, types.int64), codegen

    return instruction


_pdep = _bmi2("pdep")
_pext = _bmi2("pext")


@overload(popcount)
def _popcount(x):
    return lambda x: _ctpop(x)


@overload(lowest_index)
def _lowest_index(x):
    return lambda x: _cttz(x)


@overload(highest_index)
def _highest_index(x):
    return lambda x: 63 - _ctlz(x)


@overload(select_bit)
def _select_bit(x, k):
    if HAS_BMI2:
        return lambda x, k: _pdep(1 << k, x)

    def loop(x, k):
        for _ in range(k):
            x &= x - 1
        return x & -x

    return loop


@overload(gather_ranks)
def _gather_ranks(x):
    if HAS_BMI2:
        return lambda x: _pext(x, ONES)

    def shifts(x):
        x = x & ONES
        x = (x | x >> 3) & 0x0303030303030303
        x = (x | x >> 6) & 0x000F000F000F000F
        x = (x | x >> 12) & 0x000000FF000000FF
        return (x | x >> 24) & 0x1FFF

    return shifts


@overload(gather_bits)
def _gather_bits(x, mask):
    if HAS_BMI2:
        return lambda x, mask: _pext(x, mask)

    def loop(x, mask):
        packed = position = 0
        while mask:
            packed |= ((x & mask & -mask) != 0) << position
            position += 1
            mask &= mask - 1
        return packed

    return loop


@inlined
def rank_set(hand):
    """13 bits: which ranks the hand holds."""
    x = hand | hand >> 1
    return gather_ranks(x | x >> 2)


@inlined
def nibble(hand, rank):
    """Four bits: which suits of a rank the hand holds."""
    return hand >> (4 * rank) & 15


@inlined
def ranks_with_two(hand):
    """Mask of ONES: the ranks of which the hand holds at least two cards."""
    a, b = hand & hand >> 1, hand | hand >> 1
    return (a | a >> 2 | (b & b >> 2)) & ONES


@inlined
def ranks_with_three(hand):
    """Mask of ONES: the ranks of which the hand holds at least three cards."""
    a, b = hand & hand >> 1, hand | hand >> 1
    return ((a & b >> 2) | (b & a >> 2)) & ONES


@inlined
def ranks_with_four(hand):
    """Mask of ONES: the ranks of which the hand holds all four cards."""
    a = hand & hand >> 1
    return a & a >> 2 & ONES
