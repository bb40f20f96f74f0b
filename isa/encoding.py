"""Instruction words: 8 bytes each, both directions from the operand shape of the row.

Bit fields, lowest bit first (a word is a little-endian 64-bit integer):

    ALU     opcode 10 | dst 6 | r1 6 | r2 6 | which 2 | imm 32 | zero 2
            `which` = 0: the sources are r1, r2 and the low six bits of imm;
            `which` = k: source k is imm, the remaining sources fill r1 and r2 in order.
            Literals (dimension; position and length; trap code) lie in imm; such a row has
            register sources only, so `which` is 0.
    MEMORY  opcode 10 | data 6 | base 6 | r1 6 | r2 6 | offset 24 | has base 1 | no data 1 | zero 4
            data is the destination, or the register that a store takes; r1 and r2 are the
            sources of an atomic. `no data` marks an atomic without destination.
    BRANCH  opcode 10 | condition 6 | flags 4 | target 22 | join 22
            flags: bit 0 subdivide (cbr only), bit 1 loop, two zero bits. target and join are
            signed and count words from the next instruction; the most negative join means none.

A 32-bit immediate sign-extends for 64-bit integer types and is the upper half of an f64 whose
lower half is zero. Every unused bit is zero, so a word has one meaning and a meaning has one word.
"""

from __future__ import annotations

from collections.abc import Sequence

from .errors import ObjectFileError
from .instruction import Address, Imm, Instruction, Reg, Source
from .table import TABLE, Format, Operand, OperandKind, Row
from .types import BITS32, BITS64, RegClass, Segment, Type, sign_extend

OFFSET_BITS = 24
BRANCH_BITS = 22
NO_JOIN = -(1 << (BRANCH_BITS - 1))
BRANCH_REACH = (1 << (BRANCH_BITS - 1)) - 1
"""The farthest that a target or join may lie from the next instruction, in words."""

_SUBDIVIDE = 1
_LOOP = 2


class EncodingError(ValueError):
    """An instruction has no encoding; the message says which limit it breaks."""


class DecodingError(ObjectFileError):
    """A word is not an instruction."""

    code = "SIM210"


class _Word:
    """Fields are appended from the lowest bit on."""

    def __init__(self) -> None:
        self.value = 0
        self.position = 0

    def put(self, value: int, bits: int) -> None:
        self.value |= (value & ((1 << bits) - 1)) << self.position
        self.position += bits


class _Fields:
    """Fields are taken from the lowest bit on."""

    def __init__(self, word: int) -> None:
        self.rest = word

    def take(self, bits: int) -> int:
        value = self.rest & ((1 << bits) - 1)
        self.rest >>= bits
        return value


def immediate_field(bits: int, type_: Type) -> int:
    """Return the 32-bit field for the bit pattern of an immediate.

    Raises EncodingError where the value has no 32-bit form.
    """
    if type_.bits < 64:
        return bits & BITS32
    if type_.is_float:
        if bits & BITS32:
            raise EncodingError("an f64 immediate must have a zero lower half")
        return bits >> 32
    if sign_extend(bits & BITS32, 32) & BITS64 != bits:
        raise EncodingError("a 64-bit immediate must be a sign-extended 32-bit value")
    return bits & BITS32


def immediate_value(field: int, type_: Type) -> int:
    """Return the bit pattern that a 32-bit immediate field encodes."""
    if type_.bits < 64:
        return field & ((1 << type_.bits) - 1)
    return field << 32 if type_.is_float else sign_extend(field, 32) & BITS64


def encode(ins: Instruction, pc: int) -> int:
    """Return the word of `ins` at word address `pc` of its kernel.

    Raises EncodingError where a field is too small or two sources are immediates.
    """
    form = ins.row.format
    word = _Word()
    word.put(ins.row.number, 10)
    if form is Format.ALU:
        _encode_alu(word, ins)
    elif form is Format.MEMORY:
        _encode_memory(word, ins)
    else:
        _encode_branch(word, ins, pc)
    return word.value


def _encode_alu(word: _Word, ins: Instruction) -> None:
    registers: list[int] = []
    which, field = 0, 0
    for position, (operand, source) in enumerate(zip(ins.row.srcs, ins.srcs, strict=True), 1):
        if isinstance(source, Reg):
            registers.append(source.index)
        elif which:
            raise EncodingError("only one source of an instruction may be an immediate")
        else:
            assert operand.type is not None
            which, field = position, immediate_field(source.bits, operand.type)
    if len(registers) == 3:
        field = registers.pop()
    elif ins.row.literals:
        field = _pack_literals(ins.row.literals, ins.literals)
    registers += [0] * (2 - len(registers))
    word.put(ins.dst.index if ins.dst else 0, 6)
    word.put(registers[0], 6)
    word.put(registers[1], 6)
    word.put(which, 2)
    word.put(field, 32)


def _pack_literals(operands: Sequence[Operand], values: Sequence[int]) -> int:
    """Pack literals into the immediate field: 16 bits for a trap code, 8 for any other."""
    if operands[0].kind is OperandKind.CODE:
        return values[0]
    return sum(value << 8 * i for i, value in enumerate(values))


def literal_problem(row: Row, values: Sequence[int]) -> str | None:
    """Return why these literals are not possible, or None."""
    for operand, value in zip(row.literals, values, strict=True):
        match operand.kind:
            case OperandKind.DIM if not 0 <= value <= 2:
                return f"the dimension must be 0, 1 or 2, not {value}"
            case OperandKind.CODE if not 0 <= value <= 0xFFFF:
                return f"the trap code must be from 0 to 65535, not {value}"
            case _:
                pass
    if len(values) == 2:
        position, length = values
        assert row.type is not None
        bits = row.type.bits
        if not (0 <= position < bits and 1 <= length <= bits - position):
            return (
                f"bits {position} to {position + length - 1} are not a field of a "
                f"{bits}-bit value: position + length must be at most {bits}"
            )
    return None


def _encode_memory(word: _Word, ins: Instruction) -> None:
    address = ins.address
    assert address is not None
    if not -(1 << OFFSET_BITS - 1) <= address.offset < 1 << OFFSET_BITS - 1:
        raise EncodingError(f"the address offset {address.offset} does not fit in 24 bits, signed")
    registers: list[int] = []
    for source in ins.srcs:
        if not isinstance(source, Reg):
            raise EncodingError("a memory instruction takes registers, not immediates")
        registers.append(source.index)
    if ins.row.is_store:
        data = registers.pop(0)
    else:
        data = ins.dst.index if ins.dst else 0
    registers += [0] * (2 - len(registers))
    word.put(data, 6)
    word.put(address.base.index if address.base else 0, 6)
    word.put(registers[0], 6)
    word.put(registers[1], 6)
    word.put(address.offset, OFFSET_BITS)
    word.put(address.base is not None, 1)
    word.put(ins.row.is_atomic and ins.dst is None, 1)


def _displacement(there: int, pc: int, what: str) -> int:
    value = there - (pc + 1)
    if not -BRANCH_REACH <= value <= BRANCH_REACH:
        raise EncodingError(
            f"the {what} lies {value} words away; at most {BRANCH_REACH} are possible"
        )
    return value


def _encode_branch(word: _Word, ins: Instruction, pc: int) -> None:
    assert ins.target is not None
    condition = ins.srcs[0] if ins.srcs else None
    word.put(condition.index if isinstance(condition, Reg) else 0, 6)
    subdivide = _SUBDIVIDE if ins.subdivide and ins.row.is_conditional else 0
    word.put(subdivide | (_LOOP if ins.loop else 0), 4)
    word.put(_displacement(ins.target, pc, "target"), BRANCH_BITS)
    if ins.row.is_conditional:
        join = NO_JOIN if ins.join is None else _displacement(ins.join, pc, "re-convergence point")
        word.put(join, BRANCH_BITS)


def decode(word: int, pc: int) -> Instruction:
    """Return the instruction of a word at word address `pc` of its kernel.

    Raises DecodingError for an unknown opcode, for unused bits that are not zero and for
    fields with impossible values. Whether targets lie inside the kernel is the verifier's.
    """
    fields = _Fields(word)
    number = fields.take(10)
    if number >= len(TABLE):
        raise DecodingError(f"word {pc}: opcode {number} is not in the instruction table")
    row = TABLE[number]
    match row.format:
        case Format.ALU:
            ins = _decode_alu(row, fields, pc)
        case Format.MEMORY:
            ins = _decode_memory(row, fields, pc)
        case Format.BRANCH:
            ins = _decode_branch(row, fields, pc)
    try:
        again = encode(ins, pc)
    except EncodingError as problem:
        raise DecodingError(f"word {pc} ({row.name}): {problem}") from None
    if again != word:
        raise DecodingError(f"word {pc} ({row.name}): bits that must be zero are set")
    return ins


def _register(operand: Operand, index: int) -> Reg:
    assert operand.type is not None
    return Reg(operand.type.reg, index)


def _decode_alu(row: Row, fields: _Fields, pc: int) -> Instruction:
    dst, r1, r2, which, imm = (fields.take(bits) for bits in (6, 6, 6, 2, 32))
    if which > len(row.srcs):
        raise DecodingError(f"word {pc} ({row.name}): source {which} does not exist")
    numbers = iter((r1, r2, imm & 63))
    srcs: list[Source] = []
    for position, operand in enumerate(row.srcs, 1):
        assert operand.type is not None
        if position == which:
            if operand.kind is OperandKind.REG:
                raise DecodingError(f"word {pc} ({row.name}): source {which} must be a register")
            srcs.append(Imm(immediate_value(imm, operand.type)))
        else:
            srcs.append(_register(operand, next(numbers)))
    literals = _unpack_literals(row.literals, imm)
    problem = literal_problem(row, literals)
    if problem:
        raise DecodingError(f"word {pc} ({row.name}): {problem}")
    return Instruction(
        row,
        _register(row.dst, dst) if row.dst else None,
        tuple(srcs),
        literals=literals,
    )


def _unpack_literals(operands: Sequence[Operand], field: int) -> tuple[int, ...]:
    if operands and operands[0].kind is OperandKind.CODE:
        return (field,)
    return tuple(field >> 8 * i & 0xFF for i in range(len(operands)))


def _decode_memory(row: Row, fields: _Fields, pc: int) -> Instruction:
    data, base, r1, r2, offset, has_base, no_data = (
        fields.take(bits) for bits in (6, 6, 6, 6, OFFSET_BITS, 1, 1)
    )
    assert row.segment is not None
    if row.segment is Segment.GLOBAL and not has_base:
        raise DecodingError(f"word {pc} ({row.name}): a global address needs a base register")
    if row.segment is Segment.KERNARG and has_base:
        raise DecodingError(f"word {pc} ({row.name}): a kernel argument has no base register")
    numbers = iter((data, r1, r2) if row.is_store else (r1, r2))
    dst = None if row.dst is None or (row.dst.optional and no_data) else _register(row.dst, data)
    return Instruction(
        row,
        dst,
        tuple(_register(operand, next(numbers)) for operand in row.srcs),
        address=Address(
            row.segment,
            Reg(base_class(row.segment), base) if has_base else None,
            sign_extend(offset, OFFSET_BITS),
        ),
    )


def base_class(segment: Segment) -> RegClass:
    """Return the class of a segment's address registers: `$d` for global memory, else `$s`."""
    return RegClass.D if segment is Segment.GLOBAL else RegClass.S


def _decode_branch(row: Row, fields: _Fields, pc: int) -> Instruction:
    condition, flags, target, join = (fields.take(bits) for bits in (6, 4, 22, 22))
    displacement = sign_extend(join, BRANCH_BITS)
    has_join = row.is_conditional and displacement != NO_JOIN
    return Instruction(
        row,
        srcs=tuple(_register(operand, condition) for operand in row.srcs),
        target=pc + 1 + sign_extend(target, BRANCH_BITS),
        join=pc + 1 + displacement if has_join else None,
        subdivide=row.is_conditional and bool(flags & _SUBDIVIDE),
        loop=bool(flags & _LOOP),
    )
