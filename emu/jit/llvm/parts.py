"""Vectors out of parts of others."""

from __future__ import annotations

from collections.abc import Sequence

from .function_text import FunctionText
from .text import integer
from .toolchain import host_has


def part(code: FunctionText, bits: int, n: int, vector: str, first: int, count: int) -> str:
    """Return `count` of a vector's n elements from the first one on; anything after the last."""
    if first == 0 and count == n:
        return vector
    return picked(code, bits, n, (vector, "poison"), range(first, first + count))


def with_zeros(code: FunctionText, bits: int, n: int, vector: str, count: int) -> str:
    """Return a vector of `count` elements: the n of another one, and zeros."""
    if n == count:
        return vector
    t, numbers = integer(bits, n), ", ".join(f"i32 {min(i, n)}" for i in range(count))
    return code.let(f"shufflevector {t} {vector}, {t} zeroinitializer, <{count} x i32> <{numbers}>")


def mask_of_bits(code: FunctionText, n: int, bits: str) -> str:
    """Return the mask of the n lanes whose bits are set in an integer of n bits.

    Without AVX-512, LLVM 22 extends a mask that is cast from an integer wrongly: with 33 lanes to
    32 bits each it stops with an assertion, which ends the process, and with 24 lanes to bytes,
    lanes of others are in it. Masks of a power of two of lanes are right, and so are parts of them.
    """
    is_power = n & (n - 1) == 0
    if is_power or host_has("avx512f"):
        return code.let(f"bitcast i{n} {bits} to {integer(1, n)}")
    count = 1 << n.bit_length()
    wide = code.let(f"zext i{n} {bits} to i{count}")
    return part(code, 1, count, code.let(f"bitcast i{count} {wide} to {integer(1, count)}"), 0, n)


def joined(code: FunctionText, bits: int, n: int, vectors: Sequence[str]) -> tuple[str, int]:
    """Return one vector of some with n elements each, and its length.

    If their number is not a power of two, elements of anything follow the last one.
    """
    while len(vectors) > 1:
        even = [*vectors, "poison"] if len(vectors) % 2 else vectors
        pairs = zip(even[::2], even[1::2], strict=True)
        vectors = [picked(code, bits, n, pair, range(2 * n)) for pair in pairs]
        n *= 2
    return vectors[0], n


def picked(
    code: FunctionText, bits: int, n: int, pair: tuple[str, str], order: Sequence[int]
) -> str:
    """Return elements of two vectors of n by their numbers; anything for those after the last."""
    t, last = integer(bits, n), 2 * n if pair[1] != "poison" else n
    numbers = ", ".join(f"i32 {i}" if i < last else "i32 poison" for i in order)
    operands = f"{t} {pair[0]}, {t} {pair[1]}"
    return code.let(f"shufflevector {operands}, <{len(order)} x i32> <{numbers}>")
