"""Quotients and remainders of neighbouring numbers by one divisor, as where rows are taken apart.

In `i / width` and `i % width` the lanes have numbers that follow each other. If the divisor is at
least the number of lanes, they are in one row or in two: a scalar division gives where the warp
begins, and a comparison which lanes are in the next row. That is done in loops, as those by which
a group goes through rows. Elsewhere interior warps know their rows (interior/flat_rows.py).
"""

from __future__ import annotations

from ....isa.types import RegClass
from ...analysis.values.ssa import Const, Op, Value
from ..llvm.text import integer
from .lane_code import LaneCode


def are_of_rows(lanes: LaneCode, op: Op) -> bool:
    """Return whether an op divides neighbouring 32-bit numbers by one that is known at run time."""
    if op.ins.row.stem not in ("div", "rem") or op.cls is not RegClass.S:
        return False
    shapes, (a, b) = lanes.shapes, op.args[:2]
    return (
        op.ins.row.type is not None
        and lanes.flow.loop_of[op.node] is not None
        and not op.ins.row.type.is_float
        and lanes.k > 0
        and not isinstance(b, Const)
        and shapes.is_uniform(b)
        and shapes.stride(a) == 1
        and not lanes.is_counted(op)
        and not lanes.is_pieced(op)
    )


def is_row_number(lanes: LaneCode, value: Value) -> bool:
    """Return whether a value is a quotient of neighbours, which are in few rows."""
    return isinstance(value, Op) and value.ins.row.stem == "div" and are_of_rows(lanes, value)


def are_long(lanes: LaneCode, op: Op) -> str:
    """Return whether rows are as long as the warp, and its numbers do not wrap around, an i1."""
    code, row = lanes.code, op.ins.row
    assert row.type is not None
    first, divisor, count = lanes.lane0(op.args[0]), lanes.scalar(op.args[1]), lanes.width
    last = (1 << (31 if row.type.is_signed else 32)) - count
    relation = "sge" if row.type.is_signed else "uge"
    return code.all_of(
        code.let(f"icmp {relation} i32 {divisor}, {count}"),
        code.let(f"icmp ule i32 {first}, {last}"),
    )


def divided(lanes: LaneCode, op: Op) -> list[str]:
    """Return the quotients, or remainders, in rows that are long."""
    code, v = lanes.code, integer(32, lanes.n)
    first, divisor = lanes.lane0(op.args[0]), lanes.scalar(op.args[1])
    quotient = code.let(f"udiv i32 {first}, {divisor}")
    rest = code.let(f"sub i32 {first}, {code.let(f'mul i32 {quotient}, {divisor}')}")
    left = lanes.chunk_of(32, code.let(f"sub i32 {divisor}, {rest}"))
    found = []
    for j in range(lanes.k):
        numbers = ", ".join(f"i32 {j * lanes.n + i}" for i in range(lanes.n))
        following = code.let(f"icmp uge {v} <{numbers}>, {left}")
        if op.ins.row.stem == "div":
            more = code.let(f"zext {lanes.mask_type} {following} to {v}")
            found.append(code.let(f"add {v} {lanes.chunk_of(32, quotient)}, {more}"))
        else:
            place = code.let(f"add {v} {lanes.chunk_of(32, rest)}, <{numbers}>")
            whole = lanes.chunk_of(32, divisor)
            less = code.let(
                f"select {lanes.mask_type} {following}, {v} {whole}, {v} zeroinitializer"
            )
            found.append(code.let(f"sub {v} {place}, {less}"))
    return found
