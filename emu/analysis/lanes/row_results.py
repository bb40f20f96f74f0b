"""Loops that compute a few integers of a row of elements, in whatever order iterations run.

Sums, extremes and bits of integers are exact in any order. So a lane that runs alone may take many
elements of its row at once, where the loop takes one after the other: the tokens of a document, the
bytes of a line.
"""

from __future__ import annotations

from collections.abc import Collection

from ....isa.types import RegClass
from ..flow.order import Loop
from ..ranges.stepping import changed_parts, increment_of
from ..values.ssa import Op, Phi, Ssa, Value

_ADDS = frozenset({"add", "sub", "mad"})
"""Stems that add to a number, modulo a power of two."""

_COMBINES_BY_TYPE = frozenset({"min", "max", "and", "or"})
"""Stems that combine numbers in any order with the same row. LLVM moves the complement of a `xor`
from one iteration to the next, and no longer finds that order does not matter."""

_ORDERS = frozenset({"cmp_lt", "cmp_le", "cmp_gt", "cmp_ge"})

_OF_ELEMENTS = (
    frozenset({"mul", "xor", "abs", "neg", "not", "shl", "shr", "popcount", "select", "cvt"})
    | _ADDS
    | _COMBINES_BY_TYPE
)
"""Stems by which LLVM computes integers of many elements at once."""


def gathers_row(ssa: Ssa, loop: Loop, *, by_branches: bool = True) -> bool:
    """Return whether a loop of loads computes integers that do not show the order of iterations.

    It has no loop inside. Some iterations may pass by what adds to a sum. What else the loop
    computes is of one iteration, and ends with it. Extremes may be taken `by_branches`.
    """
    ops = [op for number in loop.nodes for op in ssa.ops.get(number, ())]
    results = [p for p in ssa.phis.get(loop.header, ()) if increment_of(loop, p) is None]
    made = [
        (by_branches and _made_of_extreme(ssa, loop, phi, ops))
        or _made_of_result(ssa, loop, phi, ops)
        for phi in results
    ]
    joins = {p for n in loop.nodes - {loop.header} for p in ssa.phis.get(n, ())}
    left = {arg for phi in results for arg in (phi, *phi.args.values())}
    return (
        bool(results)
        and all(made)
        and joins <= {value for values in made for value in values}
        and ssa.flow.is_innermost(loop)
        and all(op.ins.row.is_load or _is_of_elements(op) for op in ops)
        and _taken_out(ssa, loop) <= left
    )


def _taken_out(ssa: Ssa, loop: Loop) -> set[Value]:
    """Return the values of a loop that phis after it have."""
    after = (p for n, phis in ssa.phis.items() if n not in loop.nodes for p in phis)
    values = {arg for phi in after for arg in phi.args.values()}
    return {v for v in values if isinstance(v, (Op, Phi)) and v.node in loop.nodes}


def _is_of_elements(op: Op) -> bool:
    """Return whether vectors have an operation, which is one on integers or a comparison."""
    row = op.ins.row
    if row.stem.startswith("cmp_"):
        return True
    if any(type_ is not None and type_.is_float for type_ in (row.type, row.source)):
        return False
    is_zero = row.stem in ("sub", "xor") and op.args[0] is op.args[1]  # no result of elements then
    return row.stem in _OF_ELEMENTS and not is_zero


def _made_of_result(ssa: Ssa, loop: Loop, phi: Phi, ops: Collection[Op]) -> set[Value]:
    """Return what an iteration makes of a result before it; none if that shows the order.

    Each iteration only combines the result with integers, elements among them, or passes by that.
    """
    made, work = set[Value]([phi]), list[Value]([phi])
    joins = [p for number in loop.nodes for p in ssa.phis.get(number, ())]
    chain: list[Op] = []
    while work:
        now = work.pop()
        users = [op for op in ops if now in op.args]
        if len(users) > 1:
            return set()
        following = {*users, *(p for p in joins if now in p.args.values())} - made
        chain += users
        work += following
        made |= following
    ways = {_combination(op, made) for op in chain}
    merged = [v for v in made - {phi} if isinstance(v, Phi)]
    decided = [c for n, c in ssa.conditions.items() if n in loop.nodes and merged]
    combined = [arg for op in chain for arg in op.args if arg not in made]
    if (
        (ways == {"add"} or (len(ways) == 1 and None not in ways and not merged))
        and all(p.node != loop.header and made.issuperset(p.args.values()) for p in merged)
        and made.isdisjoint(ssa.conditions.values())
        and phi.cls in (RegClass.S, RegClass.D)
        and any(_has_element(value, loop) for value in combined + decided)
    ):
        return made
    return set()


def _made_of_extreme(ssa: Ssa, loop: Loop, phi: Phi, ops: Collection[Op]) -> set[Value]:
    """Return what an iteration makes of an extreme: it, or an element that a branch has compared.

    None if it is not one that a comparison of integers decides alone.
    """
    ends = {arg for before, arg in phi.args.items() if before in loop.nodes}
    joins = [end for end in ends if isinstance(end, Phi) and end.node in loop.nodes]
    users = [op for op in ops if phi in op.args]
    if len(ends) != 1 or len(joins) != 1 or len(users) != 1:
        return set()
    (join,), (test,) = joins, users
    others = set(join.args.values()) - {phi}
    row, decides = test.ins.row, [n for n, c in ssa.conditions.items() if c is test]
    (branch, *_) = (*decides, -1)
    if (
        row.stem in _ORDERS
        and row.type is not None
        and not row.type.is_float
        and len(decides) == 1
        and set(test.args) == {phi, *others}
        and len(others) == 1
        and set(join.args) <= {branch, *ssa.flow.nodes[branch].successors}
        and not any(test in op.args or join in op.args for op in ops)
        and not any(ssa.ops.get(n) for n in join.args if n != branch)
        and all(_has_element(other, loop) for other in others)
    ):
        return {phi, join}
    return set()


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
