"""The LLVM code of intrinsics that compute with rows of registers, and with bytes of banks."""

from __future__ import annotations

from llvmlite import ir

from ...engine import intrinsics as twins
from ...engine.causes import BANK, READY
from .chunks import (
    CHUNK,
    LANES,
    NONE,
    NUMBERS,
    VECTOR,
    VolatileLoad,
    bits_of,
    chosen_lanes,
    chunk_at,
    lanes_where,
    least_of,
    most_of,
    multiples,
    over_chunks,
    reduced,
    repeated,
    spread,
)
from .registry import I8, I64, Builder, Lowered, registering

VECTORS: Lowered = {}
_intrinsic = registering(VECTORS)


@_intrinsic(twins.put_sums)
def _put_sums(b: Builder, args: list[ir.Value]) -> None:
    address, width, base, to = args
    bases, narrow = spread(b, base), ir.VectorType(ir.IntType(32), CHUNK)

    def put(start: ir.Value) -> tuple[()]:
        row = b.inttoptr(b.add(address, b.shl(start, I64(2))), narrow.as_pointer())
        place = b.inttoptr(b.add(to, b.shl(start, I64(3))), VECTOR.as_pointer())
        words = b.zext(b.load(row, align=4, typ=narrow), VECTOR)
        b.store(b.add(words, bases), place, align=8)
        return ()

    over_chunks(b, width, [], put)


@_intrinsic(twins.count_lanes)
def _count_lanes(b: Builder, args: list[ir.Value]) -> None:
    address, width, lanes = args

    def count(start: ir.Value) -> tuple[()]:
        at = b.inttoptr(b.add(address, b.shl(start, I64(3))), VECTOR.as_pointer())
        ones = b.sext(chosen_lanes(b, lanes, start), VECTOR)
        b.store(b.sub(b.load(at, align=8, typ=VECTOR), ones), at, align=8)
        return ()

    over_chunks(b, width, [], count)


_HALF = ir.VectorType(I64, 4)
_BEFORE = [0, 0, 1, 2, 4, 4, 5, 6], [0, 1, 0, 1, 4, 5, 4, 5]
"""Two steps of a prefix sum in each half: the elements with which each is combined."""


def _shuffled(b: Builder, first: ir.Value, second: ir.Value, places: list[int]) -> ir.Value:
    kind = ir.VectorType(ir.IntType(32), len(places))
    return b.shuffle_vector(first, second, ir.Constant(kind, places))


@_intrinsic(twins.add_parts)
def _add_parts(b: Builder, args: list[ir.Value]) -> None:
    """Divide both spans at once: the first half is of a, the second one of b."""
    dates, ready, end, cause, a, a1, a2, bb, b1 = args
    four = b.load(b.inttoptr(dates, _HALF.as_pointer()), align=8, typ=_HALF)
    four = b.insert_element(four, ready, ir.IntType(32)(3))
    ends = _shuffled(b, four, four, [0, 1, 2, 3, 0, 1, 2, 3])
    ends = least_of(b, ends, spread(b, end))
    starts = _shuffled(b, spread(b, a), spread(b, bb), [0, 0, 0, 0, 8, 8, 8, 8])
    ends = most_of(b, ends, starts)
    for places in _BEFORE:
        ends = most_of(b, ends, _shuffled(b, ends, ends, places))
    parts = b.sub(ends, _shuffled(b, ends, starts, [8, 0, 1, 2, 12, 4, 5, 6]))
    last = ir.Constant(LANES, [lane % 4 == 3 for lane in range(CHUNK)])
    earlier = b.select(last, NONE, parts)
    for row, half in (a1, 0), (a2, 0), (b1, 4):
        at = b.inttoptr(b.add(row, I64(8 * BANK)), _HALF.as_pointer())
        mine = _shuffled(b, earlier, earlier, list(range(half, half + 4)))
        b.store(b.add(b.load(at, align=8, typ=_HALF), mine), at, align=8)
        element = ir.IntType(32)(half + 3)
        rest = most_of(b, b.sub(end, b.extract_element(ends, element)), I64(0))
        for owner, part in (cause, b.extract_element(parts, element)), (I64(READY), rest):
            at = b.inttoptr(b.add(row, b.shl(owner, I64(3))), I64.as_pointer())
            b.store(b.add(b.load(at, align=8, typ=I64), part), at, align=8)


@_intrinsic(twins.put_in_chunk)
def _put_in_chunk(b: Builder, args: list[ir.Value]) -> None:
    place, index, value = args
    at = b.add(place, b.shl(index, I64(3)))
    chunk = b.inttoptr(b.and_(at, I64(-64)), VECTOR.as_pointer())
    lane = b.and_(b.lshr(at, I64(3)), I64(7))
    old = VolatileLoad(b.block, chunk, typ=VECTOR)
    b._insert(old)
    new = b.select(b.icmp_signed("==", NUMBERS, spread(b, lane)), spread(b, value), old)
    b.store(new, chunk, align=64)


@_intrinsic(twins.lanes_of_line)
def _lanes_of_line(b: Builder, args: list[ir.Value]) -> ir.Value:
    address, width = args[:2]
    offsets, shifts, lines = (spread(b, a) for a in args[2:])

    def test(words: ir.Value, start: ir.Value) -> ir.Value:
        return b.icmp_signed("==", b.lshr(b.add(words, offsets), shifts), lines)

    return lanes_where(b, address, width, test)


@_intrinsic(twins.lanes_in_steps)
def _lanes_in_steps(b: Builder, args: list[ir.Value]) -> ir.Value:
    address, width, base, step = args
    numbers = multiples(b, step)

    def test(words: ir.Value, start: ir.Value) -> ir.Value:
        first = spread(b, b.add(base, b.mul(start, step)))
        return b.icmp_signed("==", words, b.add(first, numbers))

    return lanes_where(b, address, width, test)


@_intrinsic(twins.line_starts)
def _line_starts(b: Builder, args: list[ir.Value]) -> ir.Value:
    address, width = args[:2]
    offsets, shifts = (spread(b, a) for a in args[2:])
    before = ir.Constant(ir.VectorType(ir.IntType(32), CHUNK), list(range(7, 15)))

    def add(start: ir.Value, found: ir.Value, last: ir.Value) -> tuple[ir.Value, ir.Value]:
        lines = b.lshr(b.add(chunk_at(b, address, start), offsets), shifts)
        differ = b.icmp_signed("!=", lines, b.shuffle_vector(last, lines, before))
        return b.or_(found, b.shl(bits_of(b, differ), start)), lines

    found, _ = over_chunks(b, width, [I64(0), repeated(-1)], add)
    return b.and_(found, b.lshr(I64(-1), b.sub(I64(64), width)))


def _word_numbers(b: Builder, words: ir.Value, offset: ir.Value, mask: ir.Value) -> ir.Value:
    """Return the low bits of the numbers of the 32-bit words at some addresses."""
    number = b.lshr(b.add(words, spread(b, offset)), repeated(2))
    return b.and_(number, spread(b, mask))


@_intrinsic(twins.bits_of_words)
def _bits_of_words(b: Builder, args: list[ir.Value]) -> ir.Value:
    address, width, offset, mask, lanes = args

    def add(start: ir.Value, found: ir.Value) -> tuple[ir.Value]:
        numbers = _word_numbers(b, chunk_at(b, address, start), offset, mask)
        bits = b.select(chosen_lanes(b, lanes, start), b.shl(repeated(1), numbers), NONE)
        return (b.or_(found, bits),)

    (found,) = over_chunks(b, width, [NONE], add)
    return reduced(b, "or", found)


@_intrinsic(twins.most_in_a_bank)
def _most_in_a_bank(b: Builder, args: list[ir.Value]) -> ir.Value:
    """Count sixteen banks at a time: one word has a byte per even bank, another per odd bank."""
    address, width, offset, mask, lanes = args
    entry = b.block
    loop, done = b.append_basic_block("banks"), b.append_basic_block("banks.done")
    b.branch(loop)
    b.position_at_end(loop)
    first, most = b.phi(I64), b.phi(I64)
    first.add_incoming(I64(0), entry)
    most.add_incoming(I64(0), entry)

    def count(start: ir.Value, even: ir.Value, odd: ir.Value) -> tuple[ir.Value, ir.Value]:
        numbers = _word_numbers(b, chunk_at(b, address, start), offset, mask)
        bank = b.sub(numbers, spread(b, first))
        mine = b.and_(chosen_lanes(b, lanes, start), b.icmp_unsigned("<", bank, repeated(16)))
        place = b.shl(b.and_(bank, repeated(14)), repeated(2))
        one = b.select(mine, b.shl(repeated(1), place), NONE)
        is_odd = b.icmp_signed("!=", b.and_(bank, repeated(1)), NONE)
        return b.add(even, b.select(is_odd, NONE, one)), b.add(odd, b.select(is_odd, one, NONE))

    more = most
    for total in over_chunks(b, width, [NONE, NONE], count):
        counts = b.bitcast(reduced(b, "add", total), ir.VectorType(I8, 8))
        fullest = b.zext(reduced(b, "umax", counts), I64)
        more = b.select(b.icmp_signed(">", fullest, more), fullest, more)
    following = b.add(first, I64(16))
    first.add_incoming(following, b.block)
    most.add_incoming(more, b.block)
    b.cbranch(b.icmp_signed("<=", following, mask), loop, done)
    b.position_at_end(done)
    return more


_BYTES = ir.VectorType(I8, 64)


@_intrinsic(twins.count_bits)
def _count_bits(b: Builder, args: list[ir.Value]) -> None:
    at = b.inttoptr(args[0], _BYTES.as_pointer())
    ones = b.sext(b.bitcast(args[1], ir.VectorType(ir.IntType(1), 64)), _BYTES)
    b.store(b.sub(b.load(at, align=8, typ=_BYTES), ones), at, align=8)


@_intrinsic(twins.most_of_bytes)
def _most_of_bytes(b: Builder, args: list[ir.Value]) -> ir.Value:
    counts = b.load(b.inttoptr(args[0], _BYTES.as_pointer()), align=8, typ=_BYTES)
    return b.zext(reduced(b, "umax", counts), I64)
