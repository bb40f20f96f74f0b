"""Every operand form of every row of the instruction table, and random instructions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle

from hypothesis import strategies as st

from simtlab.isa import Address, Format, Imm, Instruction, OperandKind, Reg, Row, Segment, Type
from simtlab.isa.encoding import BRANCH_REACH, base_class, immediate_field, immediate_value
from simtlab.isa.types import mask_of

OFFSETS = (0, 4, -4, 8388607, -8388608)
_FLOATS32 = (0x00000000, 0x80000000, 0x3F800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001)
_FLOATS32 += (0xFFC12345, 0x00000001, 0x7F7FFFFF, 0x3DCCCCCD, 0x4B800001)


def immediates(type_: Type) -> list[int]:
    """Bit patterns that an immediate of this type can have, the awkward ones among them."""
    if type_.is_float:
        return [bits << (type_.bits - 32) for bits in _FLOATS32]
    if type_.bits == 64:
        return [immediate_value(field, type_) for field in (0, 1, 65536, 0x7FFFFFFF, 0x80000000)]
    top = 1 << (type_.bits - 1)
    return sorted({0, 1, top - 1, top, mask_of(type_.bits), 1 & top})


def registers(row: Row, *indices: int) -> Instruction:
    """The form with nothing but registers, all of them different unless told."""
    numbers = cycle(indices or (63, 0, 31, 32))
    dst = Reg(row.dst.type.reg, next(numbers)) if row.dst and row.dst.type else None
    srcs = tuple(Reg(o.type.reg, next(numbers)) for o in row.srcs if o.type)
    return Instruction(
        row,
        dst,
        srcs,
        address=_address(row, next(numbers)) if row.has_address else None,
        literals=_literals(row)[0],
        target=0 if row.is_branch else None,
        join=1 if row.is_conditional else None,
    )


def _address(row: Row, index: int) -> Address:
    segment = row.segment
    assert segment is not None
    return Address(
        segment, None if segment is Segment.KERNARG else Reg(base_class(segment), index), 0
    )


def _literals(row: Row) -> list[tuple[int, ...]]:
    kinds = [o.kind for o in row.literals]
    if kinds == [OperandKind.DIM]:
        return [(0,), (1,), (2,)]
    if kinds == [OperandKind.CODE]:
        return [(0,), (1,), (65535,)]
    if kinds == [OperandKind.POS, OperandKind.LEN]:
        assert row.type is not None
        bits = row.type.bits
        return [(0, bits), (0, 1), (bits - 1, 1), (0, bits - 1), (3, 7)]
    assert kinds == []
    return [()]


def forms(row: Row) -> Iterator[Instruction]:
    """Every form of a row: registers, each immediate, each address, flag, target and literal.

    Targets and joins lie as far away as can be for an instruction at PC 1.
    """
    plain = registers(row)
    yield plain
    yield registers(row, 0)
    yield registers(row, 63)
    if row.dst and row.dst.optional:
        yield replace(plain, dst=None)
    for i, operand in enumerate(row.srcs):
        if operand.kind is OperandKind.SRC:
            assert operand.type is not None
            for bits in immediates(operand.type):
                yield replace(plain, srcs=(*plain.srcs[:i], Imm(bits), *plain.srcs[i + 1 :]))
    for literals in _literals(row)[1:]:
        yield replace(plain, literals=literals)
    if plain.address is not None:
        for offset in OFFSETS:
            yield replace(plain, address=replace(plain.address, offset=offset))
            if row.segment not in (Segment.GLOBAL, Segment.KERNARG):
                yield replace(plain, address=replace(plain.address, base=None, offset=offset))
    if row.is_branch:
        for distance in (1, 2 + BRANCH_REACH, 2 - BRANCH_REACH):
            yield replace(plain, target=distance)
        yield replace(plain, loop=True)
    if row.is_conditional:
        for join in (None, 2 + BRANCH_REACH, 2 - BRANCH_REACH):
            yield replace(plain, join=join)
        yield replace(plain, subdivide=True)
        yield replace(plain, subdivide=True, loop=True, join=None)


@st.composite
def instructions(draw: st.DrawFn, row: Row, words: int, offset_limit: int = 32) -> Instruction:
    """Any instruction of a row whose targets lie among `words` words.

    Addresses without a base register lie below `offset_limit` and are aligned.
    """

    def register(type_: Type | None) -> Reg:
        assert type_ is not None
        return Reg(type_.reg, draw(st.integers(0, 63)))

    ins = registers(row)
    dst = register(row.dst.type) if row.dst else None
    if row.dst and row.dst.optional and draw(st.booleans()):
        dst = None
    srcs: list[Reg | Imm] = [register(o.type) for o in row.srcs]
    may_be_immediate = [i for i, o in enumerate(row.srcs) if o.kind is OperandKind.SRC]
    if may_be_immediate and row.format is Format.ALU and draw(st.booleans()):
        i = draw(st.sampled_from(may_be_immediate))
        type_ = row.srcs[i].type
        assert type_ is not None
        field = draw(st.one_of(st.integers(0, 2**32 - 1), st.sampled_from(immediates(type_))))
        field = field if field < 2**32 else immediate_field(field, type_)
        srcs[i] = Imm(immediate_value(field, type_))
    address = ins.address
    if address is not None:
        address = draw(_addresses(row, offset_limit))
    place = st.integers(0, words - 1)
    return replace(
        ins,
        dst=dst,
        srcs=tuple(srcs),
        address=address,
        literals=draw(st.sampled_from(_literals(row))),
        target=draw(place) if row.is_branch else None,
        join=draw(st.none() | place) if row.is_conditional else None,
        subdivide=row.is_conditional and draw(st.booleans()),
        loop=row.is_branch and draw(st.booleans()),
    )


@st.composite
def _addresses(draw: st.DrawFn, row: Row, limit: int) -> Address:
    segment = row.segment
    assert segment is not None
    assert row.type is not None
    size = row.type.size if row.is_memory else 1
    base = None
    if segment is Segment.GLOBAL or (segment is not Segment.KERNARG and draw(st.booleans())):
        base = Reg(base_class(segment), draw(st.integers(0, 63)))
    if base is None:
        return Address(segment, None, size * draw(st.integers(0, limit // size - 1)))
    return Address(segment, base, draw(st.integers(-(1 << 23), (1 << 23) - 1)))
