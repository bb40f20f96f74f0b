"""Literals of the source language for bit patterns; reading one gives the same bits."""

from __future__ import annotations

import math
import struct

from ..isa.types import Kind, Type, sign_extend

_HEX_FROM = 1 << 16
"""Unsigned numbers from here on are masks, addresses or hashes more often than counts."""


def value_text(bits: int, type_: Type) -> str:
    """Return the literal for a bit pattern at the width of its type."""
    if type_.is_float:
        return float_text(bits, type_)
    if type_.kind is Kind.SIGNED:
        return str(sign_extend(bits, type_.bits))
    return str(bits) if bits < _HEX_FROM else f"0x{bits:x}"


def float_text(bits: int, type_: Type) -> str:
    """Return the shortest decimal that rounds to this float; odd NaNs as bit patterns."""
    code, integer, quiet = ("<f", "<I", 0x7FC00000)
    if type_.bits == 64:
        code, integer, quiet = ("<d", "<Q", 0x7FF80000_00000000)
    value: float = struct.unpack(code, struct.pack(integer, bits))[0]
    if math.isnan(value):
        pattern = f"0f{bits:08x}" if type_.bits == 32 else f"0d{bits:016x}"
        return "nan" if bits == quiet else pattern
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    text = repr(value) if type_.bits == 64 else _shortest_f32(value)
    return text if any(c in text for c in ".e") else f"{text}.0"


def _shortest_f32(value: float) -> str:
    """Return the shortest decimal of an f32; nine digits always suffice."""
    exact = struct.pack("<f", value)
    for digits in range(1, 9):
        text = f"{value:.{digits}g}"
        # Rounded up, the largest numbers leave the range of the format.
        if abs(float(text)) <= 3.4028235e38 and struct.pack("<f", float(text)) == exact:
            return text
    return f"{value:.9g}"
