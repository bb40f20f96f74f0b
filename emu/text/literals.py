"""Numbers in words, as on the command line and in files of sweeps."""

from __future__ import annotations

from ...isa.types import Type


def parse_number(text: str, type_: Type) -> int | float | None:
    """Return the value of `text` for a scalar of this type, or None where it is none.

    Integers are decimal, 0x, 0o or 0b, or a float without a fraction (1e6); floats are decimal,
    hexadecimal (0x1.8p3), inf, nan, or any integer.
    """
    whole = _integer(text)
    if whole is not None:
        return whole
    number = _float(text)
    if type_.is_float or number is None:
        return number
    return int(number) if number.is_integer() else None


def parse_count(text: str) -> int | None:
    """Return a positive whole number such as 1024, 1_000 or 0x400, or None."""
    whole = _integer(text)
    return whole if whole is not None and whole > 0 else None


def _integer(text: str) -> int | None:
    for base in (0, 10):
        try:
            return int(text, base)
        except ValueError:
            continue
    return None


def _float(text: str) -> float | None:
    try:
        return float.fromhex(text) if "0x" in text.lower() else float(text)
    except (ValueError, OverflowError):
        return None
