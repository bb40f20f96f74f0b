"""Quotients and remainders of neighbouring numbers by one divisor, as where rows are taken apart.

In `i / width` and `i % width` the lanes have numbers that follow each other. If the divisor is at
least the number of lanes, they are in one row or in two: a scalar division gives where the warp
begins, and a comparison which lanes are in the next row. Most warps are in one if rows are much
longer; a branch finds these, since comparisons of all lanes take longer. That is done in loops, as
those by which a group goes through rows. Elsewhere interior warps know their rows
(interior/flat_rows.py).
"""

from __future__ import annotations

from typing import TypeGuard

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


def is_row_number(value: Value, lanes: LaneCode, node: int) -> TypeGuard[Op]:
    """Return whether a value is a quotient of neighbours, which are in few rows.

    It is of the same `node`: others may not have what it was made of.
    """
    return (
        isinstance(value, Op)
        and value.node == node
        and value.ins.row.stem == "div"
        and are_of_rows(lanes, value)
    )


class Rows:
    """Where the numbers of a warp are in rows, which may be long: quotients and remainders."""

    def __init__(self, lanes: LaneCode, op: Op) -> None:
        self._lanes, self._op, code, row = lanes, op, lanes.code, op.ins.row
        assert row.type is not None
        first, self._divisor = lanes.lane0(op.args[0]), lanes.scalar(op.args[1])
        some = code.intrinsic("llvm.umax", "i32", f"i32 {self._divisor}", "i32 1")
        self._quotient = code.let(f"udiv i32 {first}, {some}")
        self._rest = code.let(f"sub i32 {first}, {code.let(f'mul i32 {self._quotient}, {some}')}")
        self.left = code.let(f"sub i32 {some}, {self._rest}")
        """How many numbers are in the first row from the first one on, an i32."""
        last = (1 << (31 if row.type.is_signed else 32)) - lanes.width
        relation = "sge" if row.type.is_signed else "uge"
        self.are_in_one = code.let(f"icmp uge i32 {self.left}, {lanes.width}")
        """Whether all numbers are in the first row, if rows are long, an i1."""
        self.are_long = code.all_of(
            code.let(f"icmp {relation} i32 {self._divisor}, {lanes.width}"),
            code.let(f"icmp ule i32 {first}, {last}"),
        )
        """Whether rows are as long as the warp, and its numbers do not wrap around, an i1."""

    def following(self) -> list[str]:
        """Return which lanes are in the second row, if rows are long; masks."""
        lanes, v = self._lanes, integer(32, self._lanes.n)
        left = lanes.chunk_of(32, self.left)
        return [lanes.code.let(f"icmp uge {v} {number}, {left}") for number in self._numbers()]

    def of_one(self) -> list[str]:
        """Return the quotients, or remainders, if all numbers are in one long row."""
        lanes, code, v = self._lanes, self._lanes.code, integer(32, self._lanes.n)
        if self._op.ins.row.stem == "div":
            return [lanes.chunk_of(32, self._quotient)] * lanes.k
        rest = lanes.chunk_of(32, self._rest)
        return [code.let(f"add {v} {rest}, {number}") for number in self._numbers()]

    def of_two(self) -> list[str]:
        """Return the quotients, or remainders, if rows are long."""
        lanes, code, v = self._lanes, self._lanes.code, integer(32, self._lanes.n)
        mask_type, found = lanes.mask_type, []
        for number, following in zip(self._numbers(), self.following(), strict=True):
            if self._op.ins.row.stem == "div":
                more = code.let(f"zext {mask_type} {following} to {v}")
                found.append(code.let(f"add {v} {lanes.chunk_of(32, self._quotient)}, {more}"))
            else:
                place = code.let(f"add {v} {lanes.chunk_of(32, self._rest)}, {number}")
                whole = lanes.chunk_of(32, self._divisor)
                no = f"{v} zeroinitializer"
                less = code.let(f"select {mask_type} {following}, {v} {whole}, {no}")
                found.append(code.let(f"sub {v} {place}, {less}"))
        return found

    def _numbers(self) -> list[str]:
        """Return the numbers of the lanes, chunks of constants."""
        n = self._lanes.n
        return [
            f"<{', '.join(f'i32 {j * n + i}' for i in range(n))}>" for j in range(self._lanes.k)
        ]
