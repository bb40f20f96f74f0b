"""The largest number that a sum of work-items' and workgroups' numbers may be."""

from __future__ import annotations

from math import prod

from ....isa.types import RegClass
from ..facts import FEW_GROUPS, Facts
from ..values.ssa import Const, Op, Value

UNKNOWN = 1 << 32
"""A bound that 32 bits have no room for: nothing is known."""

MOST_DEPTH = 8
"""Operations between a number and the identities that it is made of."""


def largest(value: Value, facts: Facts, depth: int = MOST_DEPTH) -> int:
    """Return a bound of an unsigned 32-bit value in all lanes of whole workgroups, or `UNKNOWN`.

    No operation on the way to a known bound wraps around.
    """
    if isinstance(value, Const):
        return value.bits if value.cls is RegClass.S else UNKNOWN
    if not isinstance(value, Op) or value.cls is not RegClass.S or not depth:
        return UNKNOWN
    row, size = value.ins.row, facts.group_size
    match row.stem:
        case "workitemid":
            return size[value.ins.literals[0]] - 1
        case "workitemflatid" | "laneid":
            return prod(size) - 1
        case "workgroupid" if facts.few_groups:
            return FEW_GROUPS - 1
        case "workgroupsize" | "currentworkgroupsize":
            return size[value.ins.literals[0]]
    if row.type is None or row.type.name not in ("u32", "s32"):
        return UNKNOWN
    if row.stem not in ("add", "mul", "mad", "shl"):
        return UNKNOWN
    bounds = [largest(a, facts, depth - 1) for a in value.args]
    if UNKNOWN in bounds:
        return UNKNOWN
    match row.stem, bounds:
        case "add", [a, b]:
            total = a + b
        case "mul", [a, b]:
            total = a * b
        case "mad", [a, b, c]:
            total = a * b + c
        case "shl", [a, _] if isinstance(value.args[1], Const):
            total = a << (value.args[1].bits & 31)
        case _:
            return UNKNOWN
    return min(total, UNKNOWN)
