"""Loops that compute a few integers of a row of elements, in whatever order iterations run.

Sums, extremes and bits of integers are exact in any order. So a lane that runs alone may
take many elements of its row at once, where the loop takes one after the other: the tokens of a
document, the bytes of a line.
"""

from __future__ import annotations

from collections.abc import Collection

from ....isa.types import RegClass
from ..flow.order import Loop
from ..ranges.stepping import changed_parts, increment_of
from ..values.ssa import Op, Phi, Ssa, Value
from .one_way import times_in

_ADDS = frozenset({"add", "sub", "mad"})
"""Stems that add to a number, modulo a power of two."""

_COMBINES_BY_TYPE = frozenset({"min", "max", "and", "or", "xor"})

_OF_ELEMENTS = (
    frozenset({"mul", "abs", "neg", "not", "shl", "shr", "popcount", "select", "cvt"})
    | _ADDS
    | _COMBINES_BY_TYPE
)
"""Stems by which LLVM computes integers of many elements at once."""


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
    """Return whether vectors have an operation, which is one on integers or a comparison."""
    row = op.ins.row
    if row.stem.startswith("cmp_"):
        return True
    if any(type_ is not None and type_.is_float for type_ in (row.type, row.source)):
        return False
    return row.stem in _OF_ELEMENTS


def _is_in_any_order(ssa: Ssa, loop: Loop, phi: Phi, ops: Collection[Op]) -> bool:
    """Return whether each iteration only combines a phi with integers, elements among them."""
    chain = _chain(loop, phi, ops)
    if not chain or phi.cls not in (RegClass.S, RegClass.D):
        return False
    now: set[Value] = {phi, *chain}
    used = {arg for op in ops if op not in now for arg in op.args} | {*ssa.conditions.values()}
    used.update(a for p in ssa.phis[loop.header] if p is not phi for a in p.args.values())
    ways = {_combination(op, now) for op in chain}
    combined = (arg for op in chain for arg in op.args if arg not in now)
    return (
        len(ways) == 1
        and None not in ways
        and any(_has_element(arg, loop) for arg in combined)
        and used.isdisjoint(now)
    )


def _chain(loop: Loop, phi: Phi, ops: Collection[Op]) -> list[Op]:
    """Return what an iteration does with a phi, one op after the other; none if there are ways."""
    (end, *others) = {arg for before, arg in phi.args.items() if before in loop.nodes}
    chain: list[Op] = []
    now: Value = phi
    while now is not end:
        users = [op for op in ops if now in op.args]
        if len(users) != 1 or others:
            return []
        chain += users
        now = users[0]
    return chain


def _has_element(value: Value, loop: Loop) -> bool:
    """Return whether a value is made of what the loop loads."""
    return any(isinstance(part, Op) for part in changed_parts(value, loop))


def _combination(op: Op, now: Collection[Value]) -> str | None:
    """Return what combines what is there `now` with others; None if an op does more than that."""
    row, places = op.ins.row, [at for at, arg in enumerate(op.args) if arg in now]
    if len(places) != 1:
        return None
    if row.stem in _COMBINES_BY_TYPE:
        return row.name
    if places != [{"sub": 0, "mad": 2}.get(row.stem, places[0])]:
        return None
    return "add" if row.stem in _ADDS else None
