"""Chunks of words: what the LLVM code of rows of registers and of searches is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir

from .registry import I8, I64, Builder

CHUNK = 8
"""Lanes of one compare: rows of 64-bit registers are padded to this many."""


MOST = (1 << 63) - 1
"""The greatest word."""

VECTOR = ir.VectorType(I64, CHUNK)
LANES = ir.VectorType(ir.IntType(1), CHUNK)
POINTERS = ir.VectorType(ir.PointerType(I8), CHUNK)
NONE = ir.Constant(VECTOR, None)
NUMBERS = ir.Constant(VECTOR, list(range(CHUNK)))


def repeated(value: int) -> ir.Constant:
    """Return a number in every element of a chunk."""
    return ir.Constant(VECTOR, [value] * CHUNK)


def spread(b: Builder, value: ir.Value) -> ir.Value:
    """Return a number that is known at run time in every element of a chunk."""
    places = ir.Constant(ir.VectorType(ir.IntType(32), CHUNK), [0] * CHUNK)
    nothing = ir.Constant(VECTOR, ir.Undefined)
    return b.shuffle_vector(b.insert_element(nothing, value, ir.IntType(32)(0)), nothing, places)


def chunk_at(b: Builder, address: ir.Value, start: ir.Value) -> ir.Value:
    """Return the words from number `start` on."""
    at = b.inttoptr(b.add(address, b.shl(start, I64(3))), VECTOR.as_pointer())
    return b.load(at, align=8, typ=VECTOR)


def bits_of(b: Builder, lanes: ir.Value) -> ir.Value:
    """Return the elements of a chunk for which a comparison holds, as a mask."""
    return b.zext(b.bitcast(lanes, ir.IntType(CHUNK)), I64)


def least_of(b: Builder, left: ir.Value, right: ir.Value) -> ir.Value:
    """Return the lesser numbers of two vectors, or of two numbers."""
    return b.select(b.icmp_signed("<", left, right), left, right)


def most_of(b: Builder, left: ir.Value, right: ir.Value) -> ir.Value:
    """Return the greater ones."""
    return b.select(b.icmp_signed(">", left, right), left, right)


def reduced(b: Builder, how: str, vector: Any) -> ir.Value:
    """Return the reduction of a vector to one number."""
    name = f"llvm.vector.reduce.{how}.v{vector.type.count}i{vector.type.element.width}"
    known = b.module.globals.get(name)
    kind = ir.FunctionType(vector.type.element, [vector.type])
    return b.call(known or ir.Function(b.module, kind, name), [vector])


def over_chunks(
    b: Builder,
    n: ir.Value,
    values: Sequence[Any],
    body: Callable[..., Sequence[ir.Value]],
) -> Sequence[ir.Value]:
    """Emit a loop over the chunks of n > 0 words; `body(first word, *values)` returns new values.

    Returns the last ones.
    """
    entry = b.block
    loop, done = b.append_basic_block("chunks"), b.append_basic_block("chunks.done")
    b.branch(loop)
    b.position_at_end(loop)
    start, *before = (b.phi(kind) for kind in (I64, *(value.type for value in values)))
    changed = body(start, *before)
    after = b.add(start, I64(CHUNK))
    firsts, lasts = (I64(0), *values), (after, *changed)
    for phi, first, last in zip((start, *before), firsts, lasts, strict=True):
        phi.add_incoming(first, entry)
        phi.add_incoming(last, loop)
    b.cbranch(b.icmp_signed("<", after, n), loop, done)
    b.position_at_end(done)
    return changed


def lanes_where(
    b: Builder, address: ir.Value, width: ir.Value, test: Callable[[ir.Value, ir.Value], ir.Value]
) -> ir.Value:
    """Return the lanes of a row for which `test(words, first lane)` holds."""

    def add(start: ir.Value, found: ir.Value) -> tuple[ir.Value]:
        same = bits_of(b, test(chunk_at(b, address, start), start))
        return (b.or_(found, b.shl(same, start)),)

    (found,) = over_chunks(b, width, [I64(0)], add)
    keep = b.lshr(I64(-1), b.sub(I64(64), width))
    return b.and_(found, keep)


class VolatileLoad(ir.LoadInstr):
    """A load that LLVM keeps as it is."""

    align: int | None

    def descr(self, buf: list[str]) -> None:
        super().descr(buf)
        buf[-1] = buf[-1].replace("load ", "load volatile ", 1)


def whole_chunk_at(b: Builder, address: ir.Value, start: ir.Value) -> ir.Value:
    """Return the words from number `start` on by one load, of which LLVM makes no smaller ones.

    A host lets a load of the upper half of a chunk wait if the chunk has just been stored.
    """
    at = b.inttoptr(b.add(address, b.shl(start, I64(3))), VECTOR.as_pointer())
    words = VolatileLoad(b.block, at, typ=VECTOR)
    words.align = 8
    b._insert(words)
    return words


def multiples(b: Builder, step: ir.Value) -> ir.Value:
    """Return 0, 1, 2, ... times a number: sums take a third of the time of a product."""
    product = NONE
    for power in 0, 1, 2:
        has = ir.Constant(LANES, [bool(number >> power & 1) for number in range(CHUNK)])
        part = b.select(has, spread(b, b.shl(step, I64(power))), NONE)
        product = b.add(product, part)
    return product


def chosen_lanes(b: Builder, lanes: ir.Value, start: ir.Value) -> ir.Value:
    """Return the lanes of a mask that are in the chunk from lane `start` on."""
    return b.bitcast(b.trunc(b.lshr(lanes, start), ir.IntType(CHUNK)), LANES)
