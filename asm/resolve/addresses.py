"""Addresses: `[$d0+8]`, `[%n]`, `[tile+$s0+4]`, `[$s0]`."""

from __future__ import annotations

from ...isa.encoding import OFFSET_BITS, base_class
from ...isa.instruction import Address, Reg
from ...isa.program import Param, Symbol
from ...isa.table import BY_NAME, Row
from ...isa.types import RegClass, Segment
from ..syntax.parse import Part, parse_brackets
from ..syntax.shapes import Word
from ..syntax.values import evaluate
from ..texts.source import Mistake
from .registers import register
from .scope import Scope

_REACH = 1 << OFFSET_BITS - 1


def resolve_address(brackets: Word, row: Row, scope: Scope) -> Address:
    """Return the address of a BRACKETS token for an instruction of this row. Raises Mistake."""
    assert row.segment is not None
    try:
        parts = parse_brackets(brackets.text, "address")
        address = _sum(parts, row, row.segment, scope)
    except Mistake as mistake:
        raise mistake.moved(brackets.start, brackets.at) from None
    problem = _static_problem(address, row, scope)
    if problem:
        label = "outside" if "outside" in problem else "not aligned"
        raise Mistake("SIM122", problem, brackets.at, label)
    if address.array and row.is_memory:
        _check_array(address, scope.symbols[address.array], row, scope, brackets)
    return address


def _sum(parts: tuple[Part, ...], row: Row, segment: Segment, scope: Scope) -> Address:
    base: Reg | None = None
    start: Word | None = None
    array = ""
    offset, sign = 0, 1
    for part in parts:
        kind = part.kind if isinstance(part, Word) else ""
        if kind in ("PLUS", "MINUS"):
            sign = -1 if kind == "MINUS" else 1
            continue
        if isinstance(part, Word) and kind == "REGISTER":
            reg = register(part)
            _check_base(part, reg, base, sign, row, segment)
            base = reg
        elif isinstance(part, Word) and (kind == "PARAMETER" or _is_array(part, scope)):
            if start is not None or sign < 0:
                raise Mistake(
                    "SIM121",
                    "an address has at most one array or parameter",
                    part.at,
                    "a second one" if start is not None else "cannot be subtracted",
                )
            start = part
            offset += _offset_of(part, row, segment, scope, alone=len(parts) == 1)
            array = part.text if kind != "PARAMETER" else ""
        else:
            offset += sign * _constant(part, scope)
        sign = 1
    if segment is Segment.GLOBAL and base is None:
        raise Mistake(
            "SIM121",
            "a global address needs a $d register",
            None,
            "has none",
            "load the pointer first: ld_kernarg_u64 $d0, [%x]",
        )
    if not -_REACH <= offset < _REACH:
        raise Mistake(
            "SIM122",
            f"the offset {offset} does not fit in an address",
            None,
            f"must be from {-_REACH} to {_REACH - 1}",
            "add it to the register first",
        )
    return Address(segment, base, offset, array)


def _is_array(word: Word, scope: Scope) -> bool:
    if word.kind != "NAME" or word.text in scope.constants:
        return False
    if word.text not in scope.symbols:
        raise scope.unknown(word)
    return True


def _check_base(
    word: Word, reg: Reg, base: Reg | None, sign: int, row: Row, segment: Segment
) -> None:
    if base is not None or sign < 0:
        raise Mistake(
            "SIM121",
            "an address adds at most one register",
            word.at,
            "a second register" if base is not None else "cannot be subtracted",
            "compute the sum first, as: add_u64 $d0, $d0, $d1"
            if segment is Segment.GLOBAL
            else "compute it first, as: add_u32 $s0, $s0, $s1",
        )
    if segment is Segment.KERNARG:
        raise Mistake(
            "SIM121",
            "a kernel argument has no address register",
            word.at,
            "not possible here",
            "name the parameter, as [%n]",
        )
    wanted = base_class(segment)
    if reg.cls is wanted:
        return
    if wanted is RegClass.D:
        hint = f"addresses of global memory are 64 bits wide: cvt_u64_u32 $d0, {reg}"
    else:
        hint = f"addresses of {segment} memory are 32-bit offsets in $s registers"
        other = BY_NAME.get(row.name.replace(f"_{segment}_", "_global_"))
        if reg.cls is RegClass.D and other is not None:
            hint += f"; global memory is accessed with {other.name}"
    raise Mistake(
        "SIM121",
        f"{reg} cannot be the address register of {row.name}",
        word.at,
        f"expected a ${wanted.value} register",
        hint,
    )


def _offset_of(word: Word, row: Row, segment: Segment, scope: Scope, alone: bool) -> int:
    """Return the offset of an array or parameter in its segment."""
    if word.kind == "PARAMETER":
        param = scope.param(word)
        if segment is not Segment.KERNARG:
            raise Mistake(
                "SIM120",
                f"{row.name} cannot reach the parameter `{word.text}`: it is in kernarg memory",
                word.at,
                "a kernel argument",
                f"load it first: {_loader(param)} {_target(param)}, [{word.text}]",
            )
        if alone:
            _check_param_type(word, param, row)
        return param.offset
    symbol = scope.symbols[word.text]
    if symbol.segment is not segment:
        raise Mistake(
            "SIM120",
            f"{row.name} cannot reach `{symbol.name}`: it is in {symbol.segment} memory",
            word.at,
            f"declared with .{symbol.segment}",
            _right_row(row, segment, symbol),
        )
    return symbol.offset


def _right_row(row: Row, segment: Segment, symbol: Symbol) -> str:
    name = row.name.replace(f"_{segment}_", f"_{symbol.segment}_")
    if name in BY_NAME:
        return f"use {name}"
    return "readonly memory cannot be written" if symbol.segment is Segment.READONLY else ""


def _loader(param: Param) -> str:
    return f"ld_kernarg_{'u64' if param.is_pointer else param.type}"


def _target(param: Param) -> str:
    return "$d0" if param.size == 8 else "$s0"


def _check_param_type(word: Word, param: Param, row: Row) -> None:
    """Check that a parameter is loaded with its type; signs of 32 and 64 bits may differ."""
    type_ = row.type
    assert type_ is not None
    loader = _loader(param)
    own = BY_NAME[loader].type
    assert own is not None
    if type_ is own:
        return
    if type_.bits == own.bits >= 32 and type_.is_float == own.is_float:
        return
    what = "a pointer, 64 bits wide" if param.is_pointer else f"of type {param.type}"
    raise Mistake(
        "SIM118",
        f"{row.name} does not fit the parameter `{word.text}`, which is {what}",
        word.at,
        f"declared as {param}",
        f"use {loader} {_target(param)}, [{word.text}]",
    )


def _constant(part: Part, scope: Scope) -> int:
    value = evaluate(part, scope.constants)
    if not isinstance(value, int):
        raise Mistake(
            "SIM115", "a float where a byte offset is expected", part.at, "expected an integer"
        )
    return value


def _check_array(address: Address, array: Symbol, row: Row, scope: Scope, brackets: Word) -> None:
    """Refuse an address that is outside its array whatever the register holds. Raises Mistake.

    A register is never negative: added to an offset before the array it can reach the array, but
    added to an offset after the array it cannot.
    """
    assert row.type is not None
    first, width = address.offset - array.offset, row.type.size
    if first + width <= array.size and (first >= 0 or address.base is not None):
        return
    which = f"bytes {first} to {first + width - 1} are" if width > 1 else f"byte {first} is"
    reached = next(
        (
            s
            for s in scope.symbols.values()
            if s.segment is array.segment and s.offset <= address.offset < s.offset + s.size
        ),
        array,
    )
    place = str(address.offset - reached.offset)
    raise Mistake(
        "SIM122",
        f"{which} outside the {array.size} bytes of `{array.name}`",
        brackets.at,
        "outside of the array",
        f"that is [{reached.name}+{place}]; name the array that is meant"
        if reached is not array
        else "offsets are in bytes; the size of an array is its elements times their size",
    )


def _static_problem(address: Address, row: Row, scope: Scope) -> str:
    """Return what is wrong with an address without register, as the verifier sees it."""
    if address.base is not None or address.segment is Segment.GLOBAL:
        return ""
    assert row.type is not None
    size = scope.sizes.get(address.segment, 0)
    width = row.type.size if row.is_memory else 1
    if not 0 <= address.offset <= size - width:
        last = address.offset + width - 1
        which = f"bytes {address.offset} to {last} are" if width > 1 else f"byte {last} is"
        return f"{which} outside the {size} bytes of {address.segment} memory"
    if address.offset % width:
        return f"the {address.segment} address {address.offset} is not a multiple of {width}"
    return ""
