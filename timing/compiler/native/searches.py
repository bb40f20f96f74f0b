"""The LLVM code of intrinsics that search tables: sets, files, slots and groups."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from ...engine import intrinsics as twins
from .chunks import (
    CHUNK,
    LANES,
    MOST,
    NONE,
    NUMBERS,
    POINTERS,
    VECTOR,
    bits_of,
    chosen_lanes,
    chunk_at,
    lanes_where,
    least_of,
    multiples,
    over_chunks,
    reduced,
    repeated,
    spread,
    whole_chunk_at,
)
from .registry import I64, Builder, Lowered, registering

SEARCHES: Lowered = {}
_intrinsic = registering(SEARCHES)


@_intrinsic(twins.words_up_to)
def _words_up_to(b: Builder, args: list[ir.Value]) -> ir.Value:
    limit = spread(b, args[2])
    return lanes_where(b, args[0], args[1], lambda words, _: b.icmp_signed("<=", words, limit))


@_intrinsic(twins.rows_with)
def _rows_with(b: Builder, args: list[ir.Value]) -> ir.Value:
    address, step, width, rows, value = args
    steps, values = multiples(b, step), spread(b, value)
    kind = ir.FunctionType(VECTOR, [POINTERS, ir.IntType(32), LANES, VECTOR])
    name = "llvm.masked.gather.v8i64.v8p0"
    known = b.module.globals.get(name) or ir.Function(b.module, kind, name)

    def add(start: ir.Value, found: ir.Value) -> tuple[ir.Value]:
        first = spread(b, b.add(address, b.mul(start, step)))
        places = b.inttoptr(b.add(first, steps), POINTERS)
        chosen = chosen_lanes(b, rows, start)
        words = b.call(known, [places, ir.IntType(32)(8), chosen, NONE])
        same = b.and_(chosen, b.icmp_signed("==", words, values))
        return (b.or_(found, b.shl(bits_of(b, same), start)),)

    (found,) = over_chunks(b, width, [I64(0)], add)
    return found


@_intrinsic(twins.find_word)
def _find_word(b: Builder, args: list[ir.Value]) -> ir.Value:
    """Search one chunk, or 64 words at a time: no host predicts a loop that ends at the word."""
    address, n, value = args
    values, entry = spread(b, value), b.block
    loop, done = b.append_basic_block("words"), b.append_basic_block("words.done")

    def equal(begin: ir.Value, start: ir.Value) -> ir.Value:
        return bits_of(b, b.icmp_signed("==", chunk_at(b, begin, start), values))

    only = equal(address, I64(0))
    b.cbranch(b.icmp_signed("<=", n, I64(CHUNK)), done, loop)
    b.position_at_end(loop)
    first = b.phi(I64)
    begin, left = b.add(address, b.shl(first, I64(3))), b.sub(n, first)
    block = least_of(b, left, I64(64))

    def add(start: ir.Value, found: ir.Value) -> tuple[ir.Value]:
        return (b.or_(found, b.shl(equal(begin, start), start)),)

    (some,) = over_chunks(b, block, [I64(0)], add)
    after, end = b.add(first, I64(64)), b.block
    is_over = b.or_(b.icmp_signed(">=", after, n), b.icmp_signed("!=", some, I64(0)))
    b.cbranch(is_over, done, loop)
    b.position_at_end(done)
    found, at = b.phi(I64), b.phi(I64)
    for phi, short, long in (found, only, some), (at, I64(0), first):
        phi.add_incoming(short, entry)
        phi.add_incoming(long, end)
    for start, block in (I64(0), entry), (after, end):
        first.add_incoming(start, block)
    # The first equal word may be past the end; then there is none.
    place = b.add(at, b.cttz(found, ir.IntType(1)(0)))
    return b.select(b.icmp_signed("<", place, n), place, I64(-1))


@_intrinsic(twins.least)
def _least(b: Builder, args: list[ir.Value]) -> ir.Value:
    address, n = args
    most = repeated(MOST)

    def lower(start: ir.Value, least: ir.Value) -> tuple[ir.Value]:
        numbers = b.add(NUMBERS, spread(b, start))
        inside = b.icmp_signed("<", numbers, spread(b, n))
        words = b.select(inside, whole_chunk_at(b, address, start), most)
        return (least_of(b, words, least),)

    (found,) = over_chunks(b, n, [most], lower)
    return reduced(b, "smin", found)


@_intrinsic(twins.first_least)
def _first_least(b: Builder, args: list[ir.Value]) -> ir.Value:
    address, n = args
    return _place_of_least(b, n, lambda start, _: whole_chunk_at(b, address, start))[0]


@_intrinsic(twins.first_least_due)
def _first_least_due(b: Builder, args: list[ir.Value]) -> ir.Value:
    address, dates, n, t = args

    def due(start: ir.Value, most: ir.Constant) -> ir.Value:
        is_due = b.icmp_signed("<=", chunk_at(b, dates, start), spread(b, t))
        return b.select(is_due, chunk_at(b, address, start), most)

    place, least = _place_of_least(b, n, due)
    return b.select(b.icmp_signed("==", least, I64(MOST)), I64(-1), place)


def _place_of_least(
    b: Builder, n: ir.Value, words: Callable[[ir.Value, ir.Constant], ir.Value]
) -> tuple[ir.Value, ir.Value]:
    """Return the place of the least of n words, and that word.

    `words(start, most)` returns a chunk from a place on, with `most` in place of those to leave
    out. Each element's least word over the chunks is found, with its place; then the least of
    those.
    """
    most = repeated(MOST)

    def lower(start: ir.Value, least: ir.Value, places: ir.Value) -> tuple[ir.Value, ir.Value]:
        numbers = b.add(NUMBERS, spread(b, start))
        inside = b.icmp_signed("<", numbers, spread(b, n))
        chunk = b.select(inside, words(start, most), most)
        is_less = b.icmp_signed("<", chunk, least)
        return b.select(is_less, chunk, least), b.select(is_less, numbers, places)

    several, one = b.append_basic_block("several"), b.append_basic_block("one")
    done = b.append_basic_block("done")
    b.cbranch(b.icmp_signed(">", n, I64(CHUNK)), several, one)
    b.position_at_end(several)
    chunk, places = over_chunks(b, n, [most, NUMBERS], lower)
    least = reduced(b, "smin", chunk)
    is_least = b.icmp_signed("==", chunk, spread(b, least))
    among_several = reduced(b, "smin", b.select(is_least, places, most))
    end_of_several = b.block
    b.branch(done)
    b.position_at_end(one)
    only, _ = lower(I64(0), most, NUMBERS)
    least_of_one = reduced(b, "smin", only)
    bits = bits_of(b, b.icmp_signed("==", only, spread(b, least_of_one)))
    in_one = b.cttz(bits, ir.IntType(1)(0))
    b.branch(done)
    b.position_at_end(done)
    place, found = b.phi(I64), b.phi(I64)
    for phi, of_several, of_one in (place, among_several, in_one), (found, least, least_of_one):
        phi.add_incoming(of_several, end_of_several)
        phi.add_incoming(of_one, one)
    return place, found
