"""The LLVM code of each intrinsic: a function that is inlined into all that call it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from llvmlite import ir

from ..engine import intrinsics as twins

Builder = Any
"""An `ir.IRBuilder`; its decorated methods have no types of their own."""

I128, I64, I8 = ir.IntType(128), ir.IntType(64), ir.IntType(8)

Lower = Callable[[Builder, list[ir.Value]], ir.Value | None]

INTRINSICS: dict[Callable[..., Any], str] = {}
"""The twin in plain Python of an intrinsic -> the name of its LLVM function."""

_LOWER: dict[Callable[..., Any], Lower] = {}


def _intrinsic(twin: Callable[..., Any]) -> Callable[[Lower], Lower]:
    """Register the LLVM side of an intrinsic; its arguments and its result are 64-bit integers."""

    def register(lower: Lower) -> Lower:
        INTRINSICS[twin] = f"intrinsic.{twin.__name__}"
        _LOWER[twin] = lower
        return lower

    return register


@cache
def intrinsics_ir() -> str:
    """Return the definitions of all intrinsics; LLVM drops those that nothing calls."""
    module = ir.Module()
    for twin, name in INTRINSICS.items():
        kind = ir.FunctionType(I64, [I64] * twin.__code__.co_argcount)
        function = ir.Function(module, kind, name)
        function.linkage = "internal"
        function.attributes.add("alwaysinline")
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        builder.ret(_LOWER[twin](builder, list(function.args)) or I64(0))
    return "\n".join(str(part) for part in module.functions)


@_intrinsic(twins.bit)
def _bit(b: Builder, args: list[ir.Value]) -> ir.Value:
    return b.shl(I64(1), b.and_(args[0], I64(63)))


@_intrinsic(twins.low_bits)
def _low_bits(b: Builder, args: list[ir.Value]) -> ir.Value:
    n = args[0]
    some = b.sub(b.shl(I64(1), b.and_(n, I64(63))), I64(1))
    return b.select(b.icmp_signed(">=", n, I64(64)), I64(-1), some)


@_intrinsic(twins.ctz)
def _ctz(b: Builder, args: list[ir.Value]) -> ir.Value:
    return b.cttz(args[0], ir.IntType(1)(0))


@_intrinsic(twins.quotient)
def _quotient(b: Builder, args: list[ir.Value]) -> ir.Value:
    double = b.shl(args[0], I64(1))
    wide = b.mul(b.zext(double, I128), b.zext(args[1], I128))
    return b.trunc(b.lshr(wide, I128(64)), I64)


@_intrinsic(twins.drop_lowest)
def _drop_lowest(b: Builder, args: list[ir.Value]) -> ir.Value:
    return b.and_(args[0], b.sub(args[0], I64(1)))


@_intrinsic(twins.popcount)
def _popcount(b: Builder, args: list[ir.Value]) -> ir.Value:
    return b.ctpop(args[0])


@_intrinsic(twins.mix)
def _mix(b: Builder, args: list[ir.Value]) -> ir.Value:
    factors = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
    x, y, c = (b.mul(a, I64(f)) for a, f in zip(args, factors, strict=True))
    z = b.add(b.add(x, y), c)
    z = b.mul(b.xor(z, b.lshr(z, I64(30))), I64(0xBF58476D1CE4E5B9))
    z = b.mul(b.xor(z, b.lshr(z, I64(27))), I64(0x94D049BB133111EB))
    return b.lshr(b.xor(z, b.lshr(z, I64(31))), I64(2))


@_intrinsic(twins.call)
def _call(b: Builder, args: list[ir.Value]) -> ir.Value:
    function, block, mask = args
    kind = ir.FunctionType(I64, [I64, I64])
    return b.call(b.inttoptr(function, kind.as_pointer()), [block, mask])


@_intrinsic(twins.call3)
def _call3(b: Builder, args: list[ir.Value]) -> ir.Value:
    kind = ir.FunctionType(I64, [I64] * 3)
    return b.call(b.inttoptr(args[0], kind.as_pointer()), args[1:])


def _word(b: Builder, address: ir.Value, index: ir.Value, bits: int) -> ir.Value:
    at = b.add(address, b.mul(index, I64(bits // 8)))
    return b.inttoptr(at, ir.IntType(bits).as_pointer())


@_intrinsic(twins.word64)
def _word64(b: Builder, args: list[ir.Value]) -> ir.Value:
    return b.load(_word(b, args[0], args[1], 64), typ=I64)


@_intrinsic(twins.word32)
def _word32(b: Builder, args: list[ir.Value]) -> ir.Value:
    return b.zext(b.load(_word(b, args[0], args[1], 32), typ=ir.IntType(32)), I64)


@_intrinsic(twins.put64)
def _put64(b: Builder, args: list[ir.Value]) -> None:
    b.store(args[2], _word(b, args[0], args[1], 64))


@_intrinsic(twins.prefetch)
def _prefetch(b: Builder, args: list[ir.Value]) -> None:
    name, number = "llvm.prefetch.p0", ir.IntType(32)
    pointer = ir.PointerType(I8)
    kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
    known = b.module.globals.get(name) or ir.Function(b.module, kind, name)
    at = b.inttoptr(args[0], pointer)
    b.call(known, [at, number(0), number(3), number(1)])


_CHUNK = 8
"""Lanes of one compare: rows of 64-bit registers are padded to this many."""


_VECTOR = ir.VectorType(I64, _CHUNK)
_LANES = ir.VectorType(ir.IntType(1), _CHUNK)
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


@_intrinsic(twins.lanes_of_line)
def _lanes_of_line(b: Builder, args: list[ir.Value]) -> ir.Value:
    address, width = args[:2]
    offsets, shifts, lines = (_spread(b, a) for a in args[2:])

    def test(words: ir.Value, start: ir.Value) -> ir.Value:
        return b.icmp_signed("==", b.lshr(b.add(words, offsets), shifts), lines)

    return _lanes(b, address, width, test)


@_intrinsic(twins.lanes_in_steps)
def _lanes_in_steps(b: Builder, args: list[ir.Value]) -> ir.Value:
    address, width, base, step = args
    numbers = b.mul(_NUMBERS, _spread(b, step))

    def test(words: ir.Value, start: ir.Value) -> ir.Value:
        first = _spread(b, b.add(base, b.mul(start, step)))
        return b.icmp_signed("==", words, b.add(first, numbers))

    return _lanes(b, address, width, test)


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


@_intrinsic(twins.first_least)
def _first_least(b: Builder, args: list[ir.Value]) -> ir.Value:
    """Find each element's least word over the chunks, with its place; then the least of those."""
    address, n = args
    most = _all((1 << 63) - 1)

    def lower(start: ir.Value, least: ir.Value, places: ir.Value) -> tuple[ir.Value, ir.Value]:
        numbers = b.add(_NUMBERS, _spread(b, start))
        inside = b.icmp_signed("<", numbers, _spread(b, n))
        words = b.select(inside, _chunk(b, address, start), most)
        is_less = b.icmp_signed("<", words, least)
        return b.select(is_less, words, least), b.select(is_less, numbers, places)

    def is_least(words: ir.Value) -> ir.Value:
        return b.icmp_signed("==", words, _spread(b, _reduce(b, "smin", words)))

    several, one = b.append_basic_block("several"), b.append_basic_block("one")
    done = b.append_basic_block("done")
    b.cbranch(b.icmp_signed(">", n, I64(_CHUNK)), several, one)
    b.position_at_end(several)
    least, places = _over_chunks(b, n, [most, _NUMBERS], lower)
    among_several = _reduce(b, "smin", b.select(is_least(least), places, most))
    end_of_several = b.block
    b.branch(done)
    b.position_at_end(one)
    only, _ = lower(I64(0), most, _NUMBERS)
    in_one = b.cttz(_bits(b, is_least(only)), ir.IntType(1)(0))
    b.branch(done)
    b.position_at_end(done)
    place = b.phi(I64)
    place.add_incoming(among_several, end_of_several)
    place.add_incoming(in_one, one)
    return place
