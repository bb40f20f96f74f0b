"""The rows that compute, and register patterns to try them on; for every executor's tests."""

from __future__ import annotations

import numpy as np

from simtlab.isa.table import TABLE, Flags, Format, OperandKind, Row, Unit
from simtlab.isa.types import Type

COMPUTING = [
    row.name
    for row in TABLE
    if row.format is Format.ALU and row.unit not in (Unit.CONTROL, Unit.SYNC, Unit.ID)
]
"""The mnemonics whose results follow from their registers."""


def source_types(row: Row) -> list[Type]:
    """The types of what a row reads; one that reads its destination has the old value last."""
    types = [o.type for o in row.srcs if o.type is not None]
    if Flags.READS_DST in row.flags:
        assert row.dst is not None
        assert row.dst.type is not None
        types.append(row.dst.type)
    return types


def bit_patterns(type_: Type, rng: np.random.Generator, count: int) -> np.ndarray:
    """Random register patterns with a good share of the values at which things change."""
    if type_.bits == 1:
        return rng.integers(0, 2, count).astype(bool)
    width = 64 if type_.bits == 64 else 32
    patterns = rng.integers(0, 1 << width, count, np.uint64, endpoint=False) if width < 64 else (
        rng.integers(0, np.iinfo(np.uint64).max, count, np.uint64, endpoint=True)
    )  # fmt: skip
    special = [
        0,
        1,
        2,
        3,
        (1 << width) - 1,
        (1 << width) - 2,
        1 << (width - 1),
        (1 << (width - 1)) - 1,
    ]
    special += [0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 31, 32, 33, 63, 64, 65]
    if type_.is_float:
        values = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan, 2.0**31, 
                  -(2.0**31), 2.0**32, 2.0**63, 2.0**64, 127.5, 255.5, 1e-45, 3.4e38, 1e300, 
                  1e-300, 5e-324]  # fmt: skip
        with np.errstate(all="ignore"):
            as_float = np.array(values).astype(type_.numpy)
        special += as_float.view(f"uint{width}").tolist()
        special += (
            [0x7F80_0001, 0xFFC1_2345] if width == 32 else [0x7FF0_0000_0000_0001, 0xFFF8 << 48 | 7]
        )
        # Neighbouring exponents, so that sums and fused products round.
        mantissa = rng.normal(size=count // 3).astype(type_.numpy).view(f"uint{width}")
        patterns[: count // 3] = mantissa
    chosen = rng.random(count) < 0.4
    patterns[chosen] = rng.choice(np.array(special, np.uint64), int(chosen.sum()))
    return patterns.astype(f"uint{width}")


def literal_choices(row: Row, rng: np.random.Generator) -> list[tuple[int, ...]]:
    kinds = [o.kind for o in row.literals]
    if kinds != [OperandKind.POS, OperandKind.LEN]:
        return [()]
    assert row.type is not None
    bits = row.type.bits
    choices = [(0, bits), (0, 1), (bits - 1, 1)]
    for _ in range(5):
        position = int(rng.integers(0, bits))
        choices.append((position, int(rng.integers(1, bits - position + 1))))
    return choices
