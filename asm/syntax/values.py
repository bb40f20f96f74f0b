"""Numbers of the source: literals, constant expressions, and their bits at a type."""

from __future__ import annotations

import math
import operator
import re
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ...isa.errors import did_you_mean
from ...isa.types import BITS32, BITS64, Kind, Type, mask_of
from ..texts.source import Mistake
from .foreign import identity_hint
from .parse import Expression, Part
from .shapes import Word

MAX_DIGITS = 400
"""Longest literal; an f64 needs at most 17 digits to differ from its neighbours."""

_INTEGER = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]+|0[bB][01]+")
_DECIMAL = re.compile(r"[0-9]+\.[0-9]*(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+")
_PATTERN = re.compile(r"0[fF]([0-9A-Fa-f]{8})|0[dD]([0-9A-Fa-f]{16})")
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\r": "\r", "\\0": "\0", "\\\\": "\\", "\\'": "'"}
_SPECIAL = {"inf": math.inf, "nan": math.nan}


class FloatBits(NamedTuple):
    """A float that was written as its bit pattern: `0f3f800000` or `0d3ff0000000000000`."""

    bits: int
    width: int

    @property
    def value(self) -> float:
        """Its value; the payload of a NaN is lost in arithmetic."""
        layout = ("<I", "<f") if self.width == 32 else ("<Q", "<d")
        return struct.unpack(layout[1], struct.pack(layout[0], self.bits))[0]


Value = int | float | FloatBits
"""What a constant is. Integers lie between -2^63 and 2^64 - 1, floats are f64."""


def literal(word: Word) -> Value:
    """Return the value of a NUMBER or CHAR token. Raises Mistake."""
    text = word.text
    if word.kind == "CHAR":
        return _character(word)
    if text.isdecimal() and len(text) < 20:
        return int(text)
    if len(text) > MAX_DIGITS:
        raise Mistake("SIM140", f"a number of {len(text)} characters", word.at, "too long")
    if _INTEGER.fullmatch(text):
        base = {"x": 16, "b": 2}.get(text[1:2].lower(), 10)
        value = int(text[2:] if base != 10 else text, base)
        if value > BITS64:
            raise Mistake("SIM139", f"{text} does not fit in 64 bits", word.at, "too large")
        return value
    if _DECIMAL.fullmatch(text):
        real = float(text)
        if math.isinf(real):
            raise _too_large(text, word.at, "f64")
        return real
    if pattern := _PATTERN.fullmatch(text):
        single, double = pattern.groups()
        return FloatBits(int(single, 16), 32) if single else FloatBits(int(double, 16), 64)
    raise Mistake(
        "SIM140",
        f"{text!r} is not a number",
        word.at,
        "cannot be read",
        "numbers are written 42, 0x2a, 0b101010, 1.5, 1e-3, 0f3f800000 (the 8 digits of an f32) "
        "or 0d3ff0000000000000 (the 16 digits of an f64)",
    )


def _character(word: Word) -> int:
    inside = word.text[1:-1]
    inside = _ESCAPES.get(inside, inside)
    if len(inside) != 1:
        raise Mistake(
            "SIM140",
            f"{word.text} is not one character",
            word.at,
            "cannot be read",
            r"write 'a', or one of '\n' '\t' '\r' '\0' '\\' '\''",
        )
    return ord(inside)


def evaluate(part: Part, constants: Mapping[str, Value]) -> Value:
    """Return the value of a number, a constant's name or an expression of them. Raises Mistake."""
    if isinstance(part, Word):
        return _atom(part, constants)
    stack: list[Value] = []
    for item in part.items:
        if isinstance(item, Word):
            stack.append(_atom(item, constants))
        else:
            count = 1 if item in _UNARY else 2
            operands = [_plain(value) for value in stack[-count:]]
            stack[-count:] = [_apply(item, operands, part)]
    return stack[0]


def _atom(word: Word, constants: Mapping[str, Value]) -> Value:
    if word.kind != "NAME":
        return literal(word)
    if word.text in constants:
        return constants[word.text]
    if word.text in _SPECIAL:
        return _SPECIAL[word.text]
    raise Mistake(
        "SIM119",
        f"unknown constant `{word.text}`",
        word.at,
        "not defined",
        identity_hint(word.text)
        or did_you_mean(word.text, constants)
        or f"define it with .const {word.text} = ...",
        unknown=word.text,
    )


def _plain(value: Value) -> int | float:
    return value.value if isinstance(value, FloatBits) else value


_UNARY: dict[str, tuple[str, Callable[[int | float], int | float]]] = {
    "negative": ("-", operator.neg),
    "complement": ("~", lambda a: ~_whole(a, "~")),
}

_BINARY: dict[str, tuple[str, Callable[[int | float, int | float], int | float]]] = {
    "plus": ("+", operator.add),
    "minus": ("-", operator.sub),
    "times": ("*", operator.mul),
    "divide": ("/", lambda a, b: _quotient(a, b)),
    "remainder": ("%", lambda a, b: _remainder(a, b)),
    "shift_left": ("<<", lambda a, b: _whole(a, "<<") << _count(b, "<<")),
    "shift_right": (">>", lambda a, b: _whole(a, ">>") >> _count(b, ">>")),
    "bit_and": ("&", lambda a, b: _whole(a, "&") & _whole(b, "&")),
    "bit_or": ("|", lambda a, b: _whole(a, "|") | _whole(b, "|")),
    "bit_xor": ("^", lambda a, b: _whole(a, "^") ^ _whole(b, "^")),
}


class _Unusable(Exception):
    """An operator cannot take these operands; the message says why."""


def _apply(rule: str, operands: Sequence[int | float], part: Expression) -> Value:
    """Return the result of the operator of a grammar rule."""
    sign, compute = (_UNARY if len(operands) == 1 else _BINARY)[rule]
    shown = f" {sign} ".join(map(str, operands)) if len(operands) == 2 else f"{sign}{operands[0]}"
    try:
        return _in_range(compute(*operands), part)
    except ZeroDivisionError:
        raise Mistake(
            "SIM138", f"{shown}: division by zero", part.at, "cannot be computed"
        ) from None
    except _Unusable as problem:
        raise Mistake("SIM139", f"{shown}: {problem}", part.at, "cannot be computed") from None
    except OverflowError:
        raise _too_large(shown, part.at, "f64") from None


def _quotient(a: int | float, b: int | float) -> int | float:
    """Return a quotient; integers truncate towards zero, as div_s64 does."""
    if isinstance(a, float) or isinstance(b, float):
        return a / b
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int | float, b: int | float) -> int | float:
    whole, by = _whole(a, "%"), _whole(b, "%")
    return whole - by * int(_quotient(whole, by))


def _whole(value: int | float, sign: str) -> int:
    if isinstance(value, float):
        raise _Unusable(f"`{sign}` takes integers")
    return value


def _count(value: int | float, sign: str) -> int:
    count = _whole(value, sign)
    if not 0 <= count <= 63:
        raise _Unusable("a shift count is from 0 to 63")
    return count


def _in_range(value: int | float, part: Expression) -> int | float:
    if isinstance(value, float):
        if math.isinf(value) and not _mentions_infinity(part):
            raise _too_large("the result", part.at, "f64")
    elif not -(1 << 63) <= value <= BITS64:
        raise Mistake(
            "SIM139",
            "the result does not fit in 64 bits",
            part.at,
            f"is {value}" if abs(value) < 10**40 else "too large",
        )
    return value


def _mentions_infinity(part: Expression) -> bool:
    return any(isinstance(item, Word) and item.kind == "NAME" for item in part.items)


def _too_large(what: str, at: tuple[int, int], type_: object) -> Mistake:
    return Mistake(
        "SIM139",
        f"{what} is larger than any {type_}",
        at,
        "too large",
        "write inf if infinity is meant",
    )


def bits_of(value: Value, type_: Type, part: Part) -> int:
    """Return the bit pattern of a value in memory or in a register, at the width of `type_`.

    `part` is its place in the source; a decimal literal is rounded from its text. Raises Mistake
    if the value is of the other kind (float or integer) or out of range.
    """
    if type_.is_float:
        return _float_bits(value, type_, part)
    if not isinstance(value, int):
        raise Mistake(
            "SIM115",
            f"a float where {_an(type_)} value is expected",
            part.at,
            f"expected {type_}",
            _integer_hint(value, type_),
        )
    low = -(1 << type_.bits - 1) if type_.kind is not Kind.BOOL else 0
    if not low <= value <= mask_of(type_.bits):
        raise Mistake(
            "SIM112",
            f"{_written(value, part)} does not fit in {type_}",
            part.at,
            f"must be from {low} to {mask_of(type_.bits)}",
        )
    return value & mask_of(type_.bits)


def _written(value: Value, part: Part) -> str:
    """Return a number as the source has it, or its value where that is an expression."""
    return part.text if isinstance(part, Word) else str(value)


def _an(type_: Type) -> str:
    return f"{'an' if type_.name[0] in 'fs' or type_.name == 'u8' else 'a'} {type_}"


def _integer_hint(value: float | FloatBits, type_: Type) -> str:
    if isinstance(value, FloatBits):
        return f"the bits as an integer are {value.bits:#x}"
    if math.isfinite(value) and value == int(value) and abs(value) <= mask_of(type_.bits):
        return f"write {int(value)}"
    return "use a float type, as in add_f32, or write an integer"


def _float_bits(value: Value, type_: Type, part: Part) -> int:
    if isinstance(value, FloatBits):
        if value.width == type_.bits:
            return value.bits
        other = "0f and 8 digits" if type_.bits == 32 else "0d and 16 digits"
        raise Mistake(
            "SIM115",
            f"an f{value.width} bit pattern where {_an(type_)} value is expected",
            part.at,
            f"expected {type_}",
            f"the bits of an {type_} are written as {other}",
        )
    if isinstance(value, int):
        raise Mistake(
            "SIM115",
            f"an integer where {_an(type_)} value is expected",
            part.at,
            f"expected {type_}",
            f"write {value}.0",
        )
    if type_.bits == 64:
        return int.from_bytes(struct.pack("<d", value), "little")
    try:
        return int.from_bytes(struct.pack("<f", _rounded_once(value, part)), "little")
    except OverflowError:
        raise _too_large(repr(value), part.at, type_) from None


def _rounded_once(value: float, part: Part) -> float:
    """Return a value that becomes the f32 nearest to the literal's text.

    `value` is the text rounded to f64. Rounding it again is wrong only if it is halfway
    between two f32 and the text is not.
    """
    word = part if isinstance(part, Word) else part.items[0]
    if not isinstance(word, Word) or word.kind != "NUMBER" or not value:
        return value
    if isinstance(part, Expression) and part.items[1:] != ("negative",):
        return value
    below, above = math.nextafter(value, -math.inf), math.nextafter(value, math.inf)
    low, high = _single(below), _single(above)
    if low == high or low + high != 2 * value:
        return value
    from fractions import Fraction

    exact = Fraction(word.text) * (1 if isinstance(part, Word) else -1)
    return below if exact < value else above if exact > value else value


def _single(value: float) -> float:
    """Return the nearest f32, or the power of two that would follow the largest."""
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(2.0**128, value)


def immediate_bits(value: Value, type_: Type, part: Part) -> int:
    """Return `bits_of` a value that must fit in the immediate field too. Raises Mistake."""
    if type_.bits < 64:
        return bits_of(value, type_, part)
    if type_.is_float:
        bits = _float_bits(value, type_, part)
        if bits & BITS32:
            raise Mistake(
                "SIM114",
                f"{_shown(value)} does not fit in an f64 immediate",
                part.at,
                "the lower 32 bits of its pattern are not zero",
                f"load it into a register first: mov_u64 $d0, 0d{bits:016x}",
            )
        return bits
    bits = bits_of(value, type_, part)
    if not -(1 << 31) <= (bits ^ 1 << 63) - (1 << 63) < 1 << 31:
        raise Mistake(
            "SIM112",
            f"{_written(value, part)} does not fit in a 32-bit immediate, sign-extended to {type_}",
            part.at,
            f"must be from {-(1 << 31)} to {(1 << 31) - 1}",
            f"load it into a register first: mov_u64 $d0, {_written(value, part)}",
        )
    return bits


def _shown(value: Value) -> str:
    return f"0d{value.bits:016x}" if isinstance(value, FloatBits) else repr(value)


def pack(bits: Sequence[int], type_: Type) -> bytes:
    """Return the elements of an array as little-endian bytes."""
    return b"".join([b.to_bytes(type_.size, "little") for b in bits])
