"""What is added to a value from iteration to iteration, or from lane to lane."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeGuard

from ....isa.types import Segment
from ..flow.order import Loop
from ..ranges.stepping import increment_of, is_invariant
from ..values.ssa import Const, Op, Phi, Ssa, Value

_ROWS = frozenset({"workitemabsid", "workgroupid"})


def of_iteration(loop: Loop, value: Value) -> int | None:
    """Return what an iteration adds to a phi, and to what a loop does not change."""
    if is_invariant(value, loop):
        return 0
    terms = increment_of(loop, value) if is_of_header(value, loop) else None
    if terms is None or len(terms) != 1 or not isinstance(terms[0][1], Const):
        return None
    return terms[0][0] * terms[0][1].bits


def of_lane(ssa: Ssa, value: Value) -> int | None:
    """Return what is added from lane to lane of a row of the grid to arguments, numbers and phis.

    To a phi of a loop, that is what is added to the value before it.
    """
    if isinstance(value, Const):
        return 0
    if isinstance(value, Phi):
        loop = next((loop for loop in ssa.flow.loops if loop.header == value.node), None)
        before = {a for n, a in value.args.items() if loop is not None and n not in loop.nodes}
        return growth(before.pop(), partial(of_lane, ssa)) if len(before) == 1 else None
    if not isinstance(value, Op) or value.args:
        return None
    row = value.ins.row
    if row.stem in _ROWS:
        return int(row.stem == "workitemabsid" and not value.ins.literals[0])
    return 0 if row.segment is Segment.KERNARG else None


def is_of_header(value: Value, loop: Loop) -> TypeGuard[Phi]:
    """Return whether a value is a phi of a loop's header."""
    return isinstance(value, Phi) and value.node == loop.header


MOST_DEEP = 64
"""Operations from an address to a phi that are followed."""


def growth(value: Value, known: Callable[[Value], int | None]) -> int | None:
    """Return what is added to a value from one step to the next; None if it may differ.

    `known` says it for phis, and for others where it can.
    """
    return _growth(value, known, {}, MOST_DEEP)


def _growth(
    value: Value, known: Callable[[Value], int | None], seen: dict[Value, int | None], left: int
) -> int | None:
    """Return the same; `seen` are values that were asked for, of which each may be in many sums."""
    if value in seen:
        return seen[value]
    found = known(value)
    if found is None and isinstance(value, Op) and left:
        found = _sum(value, [_growth(arg, known, seen, left - 1) for arg in value.args])
    seen[value] = found
    return found


def _sum(value: Op, steps: list[int | None]) -> int | None:
    """Return what is added to the result of an operation, of whose operands it is known."""
    last = value.args[1] if len(steps) > 1 else None
    factor = last.bits if isinstance(last, Const) else None
    match value.ins.row.stem, steps:
        case "add", [int() as a, int() as b]:
            return a + b
        case "sub", [int() as a, int() as b]:
            return a - b
        case "cvt", [int() as a]:
            return a
        case "mad", [0, 0, int() as c]:
            return c
        case "mad", [int() as a, 0, int() as c] if factor is not None:
            return a * factor + c
        case "mul", [int() as a, 0] if factor is not None:
            return a * factor
        case "shl", [int() as a, 0] if factor is not None:
            return a << (factor & 63)
    return 0 if steps and all(step == 0 for step in steps) else None
