"""The LLVM code of intrinsics of several words: rows of registers, and tables that are searched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir

from ...engine import intrinsics as twins
from .registry import I8, I64, Builder, Lowered, registering

VECTORS: Lowered = {}
_intrinsic = registering(VECTORS)

_CHUNK = 8
"""Lanes of one compare: rows of 64-bit registers are padded to this many."""


_MOST = (1 << 63) - 1
"""The greatest word."""

_VECTOR = ir.VectorType(I64, _CHUNK)
_LANES = ir.VectorType(ir.IntType(1), _CHUNK)
_POINTERS = ir.VectorType(ir.PointerType(I8), _CHUNK)
_NONE = ir.Constant(_VECTOR, None)
_NUMBERS = ir.Constant(_VECTOR, list(range(_CHUNK)))


def _all(value: int) -> ir.Constant:
    """Return a number in every element of a chunk."""
    return ir.Constant(_VECTOR, [value] * _CHUNK)


def _spread(b: Builder, value: ir.Value) -> ir.Value:
    """Return a number that is known at run time in every element of a chunk."""
    places = ir.Constant(ir.VectorType(ir.IntType(32), _CHUNK), [0] * _CHUNK)
    nothing = ir.Constant(_VECTOR, ir.Undefined)
    return b.shuffle_vector(b.insert_element(nothing, value, ir.IntType(32)(0)), nothing, places)


def _chunk(b: Builder, address: ir.Value, start: ir.Value) -> ir.Value:
    """Return the words from number `start` on."""
    at = b.inttoptr(b.add(address, b.shl(start, I64(3))), _VECTOR.as_pointer())
    return b.load(at, align=8, typ=_VECTOR)


def _bits(b: Builder, lanes: ir.Value) -> ir.Value:
    """Return the elements of a chunk for which a comparison holds, as a mask."""
    return b.zext(b.bitcast(lanes, ir.IntType(_CHUNK)), I64)


def _reduce(b: Builder, how: str, vector: Any) -> ir.Value:
    """Return the reduction of a vector to one number."""
    name = f"llvm.vector.reduce.{how}.v{vector.type.count}i{vector.type.element.width}"
    known = b.module.globals.get(name)
    kind = ir.FunctionType(vector.type.element, [vector.type])
    return b.call(known or ir.Function(b.module, kind, name), [vector])


def _over_chunks(
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
    after = b.add(start, I64(_CHUNK))
    firsts, lasts = (I64(0), *values), (after, *changed)
    for phi, first, last in zip((start, *before), firsts, lasts, strict=True):
        phi.add_incoming(first, entry)
        phi.add_incoming(last, loop)
    b.cbranch(b.icmp_signed("<", after, n), loop, done)
    b.position_at_end(done)
    return changed


def _lanes(
    b: Builder, address: ir.Value, width: ir.Value, test: Callable[[ir.Value, ir.Value], ir.Value]
) -> ir.Value:
    """Return the lanes of a row for which `test(words, first lane)` holds."""

    def add(start: ir.Value, found: ir.Value) -> tuple[ir.Value]:
        same = _bits(b, test(_chunk(b, address, start), start))
        return (b.or_(found, b.shl(same, start)),)

    (found,) = _over_chunks(b, width, [I64(0)], add)
    keep = b.lshr(I64(-1), b.sub(I64(64), width))
    return b.and_(found, keep)


@_intrinsic(twins.put_sums)
def _put_sums(b: Builder, args: list[ir.Value]) -> None:
    address, width, base, to = args
    bases, narrow = _spread(b, base), ir.VectorType(ir.IntType(32), _CHUNK)

    def put(start: ir.Value) -> tuple[()]:
        row = b.inttoptr(b.add(address, b.shl(start, I64(2))), narrow.as_pointer())
        place = b.inttoptr(b.add(to, b.shl(start, I64(3))), _VECTOR.as_pointer())
        words = b.zext(b.load(row, align=4, typ=narrow), _VECTOR)
        b.store(b.add(words, bases), place, align=8)
        return ()

    _over_chunks(b, width, [], put)


@_intrinsic(twins.count_lanes)
def _count_lanes(b: Builder, args: list[ir.Value]) -> None:
    address, width, lanes = args

    def count(start: ir.Value) -> tuple[()]:
        at = b.inttoptr(b.add(address, b.shl(start, I64(3))), _VECTOR.as_pointer())
        ones = b.sext(_chosen(b, lanes, start), _VECTOR)
        b.store(b.sub(b.load(at, align=8, typ=_VECTOR), ones), at, align=8)
        return ()

    _over_chunks(b, width, [], count)


class _Volatile(ir.LoadInstr):
    """A load that LLVM keeps as it is."""

    def descr(self, buf: list[str]) -> None:
        super().descr(buf)
        buf[-1] = buf[-1].replace("load ", "load volatile ", 1)


def _whole_chunk(b: Builder, address: ir.Value, start: ir.Value) -> ir.Value:
    """Return the words from number `start` on by one load, of which LLVM makes no smaller ones.

    A host lets a load of the upper half of a chunk wait if the chunk has just been stored.
    """
    at = b.inttoptr(b.add(address, b.shl(start, I64(3))), _VECTOR.as_pointer())
    words = _Volatile(b.block, at, typ=_VECTOR)
    words.align = 8
    b._insert(words)
    return words


@_intrinsic(twins.put_in_chunk)
def _put_in_chunk(b: Builder, args: list[ir.Value]) -> None:
    place, index, value = args
    at = b.add(place, b.shl(index, I64(3)))
    chunk = b.inttoptr(b.and_(at, I64(-64)), _VECTOR.as_pointer())
    lane = b.and_(b.lshr(at, I64(3)), I64(7))
    old = _Volatile(b.block, chunk, typ=_VECTOR)
    b._insert(old)
    new = b.select(b.icmp_signed("==", _NUMBERS, _spread(b, lane)), _spread(b, value), old)
    b.store(new, chunk, align=64)


@_intrinsic(twins.lanes_of_line)
def _lanes_of_line(b: Builder, args: list[ir.Value]) -> ir.Value:
    address, width = args[:2]
    offsets, shifts, lines = (_spread(b, a) for a in args[2:])

    def test(words: ir.Value, start: ir.Value) -> ir.Value:
        return b.icmp_signed("==", b.lshr(b.add(words, offsets), shifts), lines)

    return _lanes(b, address, width, test)


def _multiples(b: Builder, step: ir.Value) -> ir.Value:
    """Return 0, 1, 2, ... times a number: sums take a third of the time of a product."""
    product = _NONE
    for power in 0, 1, 2:
        has = ir.Constant(_LANES, [bool(number >> power & 1) for number in range(_CHUNK)])
        part = b.select(has, _spread(b, b.shl(step, I64(power))), _NONE)
        product = b.add(product, part)
    return product


@_intrinsic(twins.lanes_in_steps)
def _lanes_in_steps(b: Builder, args: list[ir.Value]) -> ir.Value:
    address, width, base, step = args
    numbers = _multiples(b, step)

    def test(words: ir.Value, start: ir.Value) -> ir.Value:
        first = _spread(b, b.add(base, b.mul(start, step)))
        return b.icmp_signed("==", words, b.add(first, numbers))

    return _lanes(b, address, width, test)


@_intrinsic(twins.line_starts)
def _line_starts(b: Builder, args: list[ir.Value]) -> ir.Value:
    address, width = args[:2]
    offsets, shifts = (_spread(b, a) for a in args[2:])
    before = ir.Constant(ir.VectorType(ir.IntType(32), _CHUNK), list(range(7, 15)))

    def add(start: ir.Value, found: ir.Value, last: ir.Value) -> tuple[ir.Value, ir.Value]:
        lines = b.lshr(b.add(_chunk(b, address, start), offsets), shifts)
        differ = b.icmp_signed("!=", lines, b.shuffle_vector(last, lines, before))
        return b.or_(found, b.shl(_bits(b, differ), start)), lines

    found, _ = _over_chunks(b, width, [I64(0), _all(-1)], add)
    return b.and_(found, b.lshr(I64(-1), b.sub(I64(64), width)))


def _word_numbers(b: Builder, words: ir.Value, offset: ir.Value, mask: ir.Value) -> ir.Value:
    """Return the low bits of the numbers of the 32-bit words at some addresses."""
    number = b.lshr(b.add(words, _spread(b, offset)), _all(2))
    return b.and_(number, _spread(b, mask))


def _chosen(b: Builder, lanes: ir.Value, start: ir.Value) -> ir.Value:
    """Return the lanes of a mask that are in the chunk from lane `start` on."""
    return b.bitcast(b.trunc(b.lshr(lanes, start), ir.IntType(_CHUNK)), _LANES)


@_intrinsic(twins.bits_of_words)
def _bits_of_words(b: Builder, args: list[ir.Value]) -> ir.Value:
    address, width, offset, mask, lanes = args

    def add(start: ir.Value, found: ir.Value) -> tuple[ir.Value]:
        numbers = _word_numbers(b, _chunk(b, address, start), offset, mask)
        bits = b.select(_chosen(b, lanes, start), b.shl(_all(1), numbers), _NONE)
        return (b.or_(found, bits),)

    (found,) = _over_chunks(b, width, [_NONE], add)
    return _reduce(b, "or", found)


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
        numbers = _word_numbers(b, _chunk(b, address, start), offset, mask)
        bank = b.sub(numbers, _spread(b, first))
        mine = b.and_(_chosen(b, lanes, start), b.icmp_unsigned("<", bank, _all(16)))
        place = b.shl(b.and_(bank, _all(14)), _all(2))
        one = b.select(mine, b.shl(_all(1), place), _NONE)
        is_odd = b.icmp_signed("!=", b.and_(bank, _all(1)), _NONE)
        return b.add(even, b.select(is_odd, _NONE, one)), b.add(odd, b.select(is_odd, one, _NONE))

    more = most
    for total in _over_chunks(b, width, [_NONE, _NONE], count):
        counts = b.bitcast(_reduce(b, "add", total), ir.VectorType(I8, 8))
        fullest = b.zext(_reduce(b, "umax", counts), I64)
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
    return b.zext(_reduce(b, "umax", counts), I64)


@_intrinsic(twins.words_up_to)
def _words_up_to(b: Builder, args: list[ir.Value]) -> ir.Value:
    limit = _spread(b, args[2])
    return _lanes(b, args[0], args[1], lambda words, _: b.icmp_signed("<=", words, limit))


@_intrinsic(twins.rows_with)
def _rows_with(b: Builder, args: list[ir.Value]) -> ir.Value:
    address, step, width, rows, value = args
    steps, values = _multiples(b, step), _spread(b, value)
    kind = ir.FunctionType(_VECTOR, [_POINTERS, ir.IntType(32), _LANES, _VECTOR])
    name = "llvm.masked.gather.v8i64.v8p0"
    known = b.module.globals.get(name) or ir.Function(b.module, kind, name)

    def add(start: ir.Value, found: ir.Value) -> tuple[ir.Value]:
        first = _spread(b, b.add(address, b.mul(start, step)))
        places = b.inttoptr(b.add(first, steps), _POINTERS)
        chosen = _chosen(b, rows, start)
        words = b.call(known, [places, ir.IntType(32)(8), chosen, _NONE])
        same = b.and_(chosen, b.icmp_signed("==", words, values))
        return (b.or_(found, b.shl(_bits(b, same), start)),)

    (found,) = _over_chunks(b, width, [I64(0)], add)
    return found


@_intrinsic(twins.find_word)
def _find_word(b: Builder, args: list[ir.Value]) -> ir.Value:
    """Search one chunk, or 64 words at a time: no host predicts a loop that ends at the word."""
    address, n, value = args
    values, entry = _spread(b, value), b.block
    loop, done = b.append_basic_block("words"), b.append_basic_block("words.done")

    def equal(begin: ir.Value, start: ir.Value) -> ir.Value:
        return _bits(b, b.icmp_signed("==", _chunk(b, begin, start), values))

    only = equal(address, I64(0))
    b.cbranch(b.icmp_signed("<=", n, I64(_CHUNK)), done, loop)
    b.position_at_end(loop)
    first = b.phi(I64)
    begin, left = b.add(address, b.shl(first, I64(3))), b.sub(n, first)
    block = b.select(b.icmp_signed("<", left, I64(64)), left, I64(64))

    def add(start: ir.Value, found: ir.Value) -> tuple[ir.Value]:
        return (b.or_(found, b.shl(equal(begin, start), start)),)

    (some,) = _over_chunks(b, block, [I64(0)], add)
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
    most = _all(_MOST)

    def lower(start: ir.Value, least: ir.Value) -> tuple[ir.Value]:
        numbers = b.add(_NUMBERS, _spread(b, start))
        inside = b.icmp_signed("<", numbers, _spread(b, n))
        words = b.select(inside, _whole_chunk(b, address, start), most)
        return (b.select(b.icmp_signed("<", words, least), words, least),)

    (found,) = _over_chunks(b, n, [most], lower)
    return _reduce(b, "smin", found)


@_intrinsic(twins.first_least)
def _first_least(b: Builder, args: list[ir.Value]) -> ir.Value:
    address, n = args
    return _place_of_least(b, n, lambda start, _: _whole_chunk(b, address, start))[0]


@_intrinsic(twins.first_least_due)
def _first_least_due(b: Builder, args: list[ir.Value]) -> ir.Value:
    address, dates, n, t = args

    def due(start: ir.Value, most: ir.Constant) -> ir.Value:
        is_due = b.icmp_signed("<=", _chunk(b, dates, start), _spread(b, t))
        return b.select(is_due, _chunk(b, address, start), most)

    place, least = _place_of_least(b, n, due)
    return b.select(b.icmp_signed("==", least, I64(_MOST)), I64(-1), place)


def _place_of_least(
    b: Builder, n: ir.Value, words: Callable[[ir.Value, ir.Constant], ir.Value]
) -> tuple[ir.Value, ir.Value]:
    """Return the place of the least of n words, and that word.

    `words(start, most)` returns a chunk from a place on, with `most` in place of those to leave
    out. Each element's least word over the chunks is found, with its place; then the least of
    those.
    """
    most = _all(_MOST)

    def lower(start: ir.Value, least: ir.Value, places: ir.Value) -> tuple[ir.Value, ir.Value]:
        numbers = b.add(_NUMBERS, _spread(b, start))
        inside = b.icmp_signed("<", numbers, _spread(b, n))
        chunk = b.select(inside, words(start, most), most)
        is_less = b.icmp_signed("<", chunk, least)
        return b.select(is_less, chunk, least), b.select(is_less, numbers, places)

    several, one = b.append_basic_block("several"), b.append_basic_block("one")
    done = b.append_basic_block("done")
    b.cbranch(b.icmp_signed(">", n, I64(_CHUNK)), several, one)
    b.position_at_end(several)
    chunk, places = _over_chunks(b, n, [most, _NUMBERS], lower)
    least = _reduce(b, "smin", chunk)
    is_least = b.icmp_signed("==", chunk, _spread(b, least))
    among_several = _reduce(b, "smin", b.select(is_least, places, most))
    end_of_several = b.block
    b.branch(done)
    b.position_at_end(one)
    only, _ = lower(I64(0), most, _NUMBERS)
    least_of_one = _reduce(b, "smin", only)
    bits = _bits(b, b.icmp_signed("==", only, _spread(b, least_of_one)))
    in_one = b.cttz(bits, ir.IntType(1)(0))
    b.branch(done)
    b.position_at_end(done)
    place, found = b.phi(I64), b.phi(I64)
    for phi, of_several, of_one in (place, among_several, in_one), (found, least, least_of_one):
        phi.add_incoming(of_several, end_of_several)
        phi.add_incoming(of_one, one)
    return place, found
