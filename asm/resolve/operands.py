"""Operands of an instruction, checked against its row."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from ...isa.encoding import literal_problem
from ...isa.instruction import Address, Imm, Reg, Source
from ...isa.table import BY_NAME, LITERALS, TABLE, Operand, OperandKind, Row
from ...isa.types import B1, BITS32, BITS64, F32, F64, U64, RegClass, Segment, Type, sign_extend
from ..syntax.foreign import identity_hint
from ..syntax.parse import Expression, Part
from ..syntax.shapes import Word
from ..syntax.values import FloatBits, Value, bits_of, evaluate, immediate_bits
from ..texts.source import Mistake
from .addresses import resolve_address
from .registers import REGISTERS, register
from .scope import Scope
from .usage import usage

_MOV_U64 = BY_NAME["mov_u64"]
_MOVHI_U64 = BY_NAME["movhi_u64"]


class Operands(NamedTuple):
    """What the operands of one instruction word are."""

    row: Row
    dst: Reg | None = None
    srcs: tuple[Source, ...] = ()
    address: Address | None = None
    literals: tuple[int, ...] = ()


class _Slot(NamedTuple):
    """An operand of a row, with what its check needs at hand.

    `place` is the one in the row, `written` the one in the source, where an optional operand may
    have been left out. Equal operands of a row differ in these alone.
    """

    kind: OperandKind
    cls: RegClass | None
    type: Type | None
    operand: Operand
    place: int
    written: int


@cache
def _slots(number: int) -> tuple[_Slot, ...]:
    return tuple(
        _Slot(o.kind, None if o.type is None else o.type.reg, o.type, o, i, i)
        for i, o in enumerate(TABLE[number].operands)
    )


def resolve_operands(row: Row, given: Sequence[Part], scope: Scope) -> tuple[Operands, ...]:
    """Return the one or two words of an instruction without labels. Raises Mistake."""
    slots = _slots(row.number)
    dst: Reg | None = None
    srcs: list[Source] = []
    address: Address | None = None
    literals: list[int] = []
    if len(given) != len(slots):
        left_out, slots = slots, _without_optional(row, given)
        # A trap without a code has the code 0; no other literal may be left out.
        literals += [0 for slot in left_out if slot.kind is OperandKind.CODE]
    for slot, part in zip(slots, given, strict=True):
        kind = slot.kind
        reg = REGISTERS.get(part[0])  # pyright: ignore[reportArgumentType]
        if kind is OperandKind.DST:
            dst = _register(row, slot, part, reg)
        elif kind is OperandKind.REG:
            srcs.append(_register(row, slot, part, reg))
        elif kind is OperandKind.SRC:
            if reg is not None and reg.cls is slot.cls:
                srcs.append(reg)
            else:
                srcs.append(_immediate(row, slot, part, scope))
        elif kind is OperandKind.MEM:
            address = _address(row, slot, part, scope)
        else:
            literals.append(_literal(row, slot, part, scope))
    if literals and given:
        _check_literals(row, given, literals)
    found = Operands(row, dst, tuple(srcs), address, tuple(literals))
    return _expanded(found, given)


def _expanded(found: Operands, given: Sequence[Part]) -> tuple[Operands, ...]:
    """Return two words for a mov_u64 whose value is not a sign-extended 32-bit one, else one.

    Raises Mistake for two immediates.
    """
    immediates = [s for s in found.srcs if s.__class__ is Imm]
    if len(immediates) > 1:
        raise Mistake(
            "SIM113",
            f"{found.row.name} has two immediates; an instruction holds one",
            [part for part in given if _is_constant(part)][1].at,
            "a second immediate",
            "move one of them into a register first",
        )
    if found.row is not _MOV_U64 or not immediates:
        return (found,)
    source = found.srcs[0]
    assert isinstance(source, Imm)
    low = sign_extend(source.bits, 32) & BITS64
    if low == source.bits:
        return (found,)
    high = Imm(source.bits >> 32 & BITS32)
    return found._replace(srcs=(Imm(low),)), Operands(_MOVHI_U64, found.dst, (high,))


def _without_optional(row: Row, given: Sequence[Part]) -> tuple[_Slot, ...]:
    """Return the slots of a row for `given` operands. Raises Mistake for a wrong number."""
    slots = _slots(row.number)
    required = [slot for slot in slots if not slot.operand.optional]
    if len(given) == len(required):
        return tuple(slot._replace(written=i) for i, slot in enumerate(required))
    counts = [len(slots)] if len(slots) == len(required) else [len(required), len(slots)]
    takes = " or ".join(map(str, counts))
    if counts == [0]:
        message = f"{row.name} takes no operands"
    else:
        message = f"{row.name} takes {takes} operand{'' if counts == [1] else 's'}"
    message += f", {len(given)} {'is' if len(given) == 1 else 'are'} given"
    if len(given) > len(slots):
        raise Mistake(
            "SIM108", message, given[len(slots)].at, "one too many", f"write {usage(row)}"
        )
    missing = slots[len(given)].operand
    raise Mistake(
        "SIM108",
        message,
        None,
        f"missing: {missing.describe()}",
        f"write {usage(row)}",
    )


def _register(row: Row, slot: _Slot, part: Part, reg: Reg | None) -> Reg:
    if reg is not None and reg.cls is slot.cls:
        return reg
    raise wrong_operand(row, slot, part)


def _immediate(row: Row, slot: _Slot, part: Part, scope: Scope) -> Imm:
    assert slot.type is not None
    if isinstance(part, Word) and part.kind not in ("NUMBER", "CHAR", "NAME"):
        raise wrong_operand(row, slot, part)
    value = _value(row, slot, part, scope)
    if row.stem == "mov" and slot.type.bits >= 32:
        return Imm(_moved_bits(value, slot.type, part))
    return Imm(immediate_bits(value, slot.type, part))


def _moved_bits(value: Value, type_: Type, part: Part) -> int:
    """Return the bits that a mov copies: a float of its width too, for mov_u64 any 64 bits."""
    if isinstance(value, float | FloatBits):
        return bits_of(value, F32 if type_ is not U64 else F64, part)
    return bits_of(value, type_, part)


def _value(row: Row, slot: _Slot, part: Part, scope: Scope) -> Value:
    """Return the value of a constant operand; a name that is none gets a message of its own."""
    if isinstance(part, Word) and part.kind == "NAME" and part.text not in scope.constants:
        word = part
        name = word.text
        if name in scope.symbols or name in scope.params or f"${name}" in REGISTERS:
            raise wrong_operand(row, slot, part)
    return evaluate(part, scope.constants)


def _address(row: Row, slot: _Slot, part: Part, scope: Scope) -> Address:
    if isinstance(part, Expression) or part.kind != "BRACKETS":
        raise wrong_operand(row, slot, part)
    return resolve_address(part, row, scope)


def _literal(row: Row, slot: _Slot, part: Part, scope: Scope) -> int:
    if isinstance(part, Word) and part.kind not in ("NUMBER", "CHAR", "NAME"):
        raise wrong_operand(row, slot, part)
    value = _value(row, slot, part, scope)
    if not isinstance(value, int):
        raise Mistake(
            "SIM115",
            f"a float where {slot.operand.describe()} is expected",
            part.at,
            "expected an integer",
        )
    return value


def _check_literals(row: Row, given: Sequence[Part], literals: Sequence[int]) -> None:
    problem = literal_problem(row, literals)
    if problem:
        raise Mistake("SIM142", problem, given[-len(literals)].at, "not possible")


_KINDS = {
    "LABEL": "the label {}",
    "BRACKETS": "the address {}",
    "PARAMETER": "the parameter {}",
    "STRING": "the text {}",
    "NUMBER": "the number {}",
    "CHAR": "the character {}",
    "NAME": "the name `{}`",
    "REGISTER": "the register {}",
}


def wrong_label(row: Row, index: int, part: Part) -> Mistake:
    """Return the message for a wrong condition or target of a branch, its operand `index`."""
    return wrong_operand(row, _slots(row.number)[index], part)


def wrong_operand(row: Row, slot: _Slot, part: Part) -> Mistake:
    """Return the message for an operand of the wrong sort."""
    operand = slot.operand
    word = part if isinstance(part, Word) else None
    if word is not None and word.kind == "REGISTER":
        register(word)  # raises for a register that does not exist
    found = _KINDS[word.kind].format(word.text) if word else "a constant"
    needs_register = operand.kind is OperandKind.REG and _is_constant(part)
    return Mistake(
        "SIM116" if needs_register else "SIM106",
        f"operand {slot.written + 1} of {row.name} cannot be {found}",
        part.at,
        f"expected {operand.describe()}",
        _hint(row, slot, part) or f"write {usage(row)}",
    )


def _is_constant(part: Part) -> bool:
    """Return whether a part is a number, an expression, or a name that is not a register."""
    if isinstance(part, Expression) or part.kind in ("NUMBER", "CHAR"):
        return True
    return part.kind == "NAME" and f"${part.text}" not in REGISTERS


def _hint(row: Row, slot: _Slot, part: Part) -> str:
    operand = slot.operand
    if operand.kind is OperandKind.REG and operand.type is not None and _is_constant(part):
        what = "a store" if row.is_store else row.name
        reg = operand.type.reg
        mov = {RegClass.S: "mov_u32 $s0", RegClass.D: "mov_u64 $d0", RegClass.C: "mov_b1 $c0"}
        text = part.text if isinstance(part, Word) else "..."
        return f"{what} takes a register: {mov[reg]}, {text} first"
    if isinstance(part, Expression):
        return ""
    match part.kind:
        case "REGISTER" if operand.type is B1 and operand.kind is OperandKind.DST:
            return f"the result is a condition: $c{register(part).index}"
        case "REGISTER" if operand.type is B1:
            reg = register(part)
            type_ = "u64" if reg.cls is RegClass.D else "u32"
            return f"make a condition first: cmp_ne_{type_} $c0, {reg}, 0"
        case "REGISTER":
            return _other_class(row, slot, register(part))
        case "PARAMETER" if found := identity_hint(part.text):
            return found
        case "PARAMETER":
            hint = f"a parameter is loaded first: ld_kernarg_u32 $s0, [{part.text}]"
            is_foreign = re.fullmatch(r"%(r|rs|rd|f|fd|p)[0-9]+", part.text)
            return f"registers are $s0, $d0 and $c0; {hint}" if is_foreign else hint
        case "BRACKETS":
            return "memory is read by ld and written by st only" if not row.has_address else ""
        case "NAME" if f"${part.text}" in REGISTERS:
            return f"did you mean `${part.text}`?"
        case "NAME" if operand.kind is OperandKind.MEM:
            return f"an address is written in brackets: [{part.text}]"
        case "NAME" if operand.kind in (OperandKind.SRC, *LITERALS):
            return f"the value of an array or parameter is loaded first; [{part.text}] is its place"
        case _:
            return ""


def _other_class(row: Row, slot: _Slot, reg: Reg) -> str:
    """Return the nearest type of the stem that takes registers of the given class here."""
    operand = slot.operand
    if operand.type is None or row.type is None or operand.type is not row.type:
        return ""
    if row.stem == "cvt" and operand.kind is OperandKind.DST:
        return f"{row.name} gives {row.type.bits} bits: ${row.type.reg.value}{reg.index}"
    if row.segment is Segment.KERNARG and row.type.bits == 64:
        return "pointers and other parameters of 64 bits go to $d registers"
    kind = row.type.kind
    same = [
        (other.type.kind is kind, other.type.bits, other.name)
        for other in TABLE
        if other.stem == row.stem
        and other.segment == row.segment
        and other.type is not None
        and other.type.reg is reg.cls
        and _takes(other, slot.place, reg)
        and other.source in (None, row.source)
    ]
    return f"{max(same)[-1]} works on ${reg.cls.value} registers" if same else ""


def _takes(row: Row, index: int, reg: Reg) -> bool:
    """Return whether operand `index` may be this register: a count of a shift is 32 bits always."""
    type_ = row.operands[index].type
    return type_ is not None and type_.reg is reg.cls
