"""Loops that compute a few integers of a row of elements, in whatever order iterations run.

Sums, products, extremes and bits of integers are exact in any order. So a lane that runs alone may
take many elements of its row at once, where the loop takes one after the other: the tokens of a
document, the bytes of a line.
"""

from __future__ import annotations

from collections.abc import Collection

from ....isa.types import RegClass
from ..flow.order import Loop
from ..lanes.one_way import times_in
from ..ranges.stepping import increment_of
from ..values.ssa import Op, Phi, Ssa, Value

_COMBINES = {"add": "add", "sub": "add", "mad": "add", "mul": "mul"}
"""Stem -> what combines numbers modulo a power of two."""

_COMBINES_BY_TYPE = frozenset({"min", "max", "and", "or", "xor"})

_OF_ELEMENTS = frozenset({"abs", "neg", "not", "shl", "shr", "popcount", "select", "cvt"})
"""Other stems by which LLVM computes integers of many elements at once."""


def gathers_row(ssa: Ssa, loop: Loop) -> bool:
    """Return whether a loop of loads computes integers that do not show the order of iterations.

    There is one way through the loop, and it has no loop inside. What else it computes is of one
    iteration.
    """
    ops = [op for number in loop.nodes for op in ssa.ops.get(number, ())]
    phis = [phi for number in loop.nodes for phi in ssa.phis.get(number, ())]
    results = [phi for phi in phis if increment_of(loop, phi) is None]
    return (
        bool(results)
        and all(phi.node == loop.header for phi in phis)
        and not any(other.parent == loop.number for other in ssa.flow.loops)
        and times_in(ssa, loop) is not None
        and all(op.ins.row.is_load or _is_of_elements(op) for op in ops)
        and all(_is_in_any_order(ssa, loop, phi, ops) for phi in results)
    )


def _is_of_elements(op: Op) -> bool:
    """Return whether vectors of elements have an operation, on integers or as a comparison."""
    row = op.ins.row
    if row.stem.startswith("cmp_"):
        return True
    if any(type_ is not None and type_.is_float for type_ in (row.type, row.source)):
        return False
    return row.stem in _COMBINES or row.stem in _COMBINES_BY_TYPE | _OF_ELEMENTS


def _is_in_any_order(ssa: Ssa, loop: Loop, phi: Phi, ops: Collection[Op]) -> bool:
    """Return whether each iteration only adds to a phi, or takes an extreme, or bits of it."""
    following = {arg for before, arg in phi.args.items() if before in loop.nodes}
    if phi.cls not in (RegClass.S, RegClass.D) or len(following) != 1:
        return False
    (end,) = following
    now: Value = phi
    ways: set[str] = set()
    while True:
        users = [op for op in ops if now in op.args]
        if now in ssa.conditions.values() or any(
            now in other.args.values()
            for other in ssa.phis.get(loop.header, ())
            if other is not phi
        ):
            return False
        if now is end:
            return len(ways) == 1 and not users
        if len(users) != 1:
            return False
        (op,) = users
        way = _combination(op, now)
        if way is None:
            return False
        ways.add(way)
        now = op


def _combination(op: Op, now: Value) -> str | None:
    """Return what combines a value with others in an operation; None if it does more than that."""
    row, args = op.ins.row, op.args
    if args.count(now) != 1:
        return None
    if row.stem in _COMBINES_BY_TYPE:
        return row.name
    if (row.stem == "sub" and now is not args[0]) or (row.stem == "mad" and now is not args[2]):
        return None
    return _COMBINES.get(row.stem)
