"""Indices that step through a loop one by one, from where they begin to a bound.

Of such an index all values are known before the loop: if the elements at the first and at the last
of them lie inside a buffer, so do all between.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....isa.types import RegClass
from ..order import Flow, Loop
from ..ssa import Const, Op, Phi, Ssa, Value

_ONE_MORE = frozenset({"add_u32", "add_s32"})


@dataclass(frozen=True)
class Steps:
    """A 32-bit phi of a loop's header, 1 more in each iteration, and its unsigned bound.

    If the phi begins below `end`, which the loop does not change, it is below `end` in all
    iterations and never wraps around.
    """

    index: Phi
    end: Value
    header_tests: bool
    """Whether the header does the test: then only the loop's other nodes see such values."""

    def holds_at(self, number: int, loop: Loop) -> bool:
        """Return whether the index is below its bound wherever a node of the loop runs."""
        return not self.header_tests or number != loop.header


def steps_of(ssa: Ssa, loop: Loop) -> list[Steps]:
    """Return the indices that step through a loop; at most one bound of each."""
    found = []
    for phi in ssa.phis.get(loop.header, ()):
        steps = _steps(ssa, loop, phi) if phi.cls is RegClass.S else None
        if steps is not None:
            found.append(steps)
    return found


def _steps(ssa: Ssa, loop: Loop, phi: Phi) -> Steps | None:
    following = {before: arg for before, arg in phi.args.items() if before in loop.nodes}
    if not following or not all(_is_one_more(arg, phi) for arg in following.values()):
        return None
    end = _bound(ssa, loop, loop.header, phi)
    if end is not None:
        return Steps(phi, end, header_tests=True)
    ends = [
        _bound(ssa, loop, *_test_before(ssa.flow, before, arg, loop.header))
        for before, arg in following.items()
    ]
    end = ends[0]
    return Steps(phi, end, False) if end is not None and all(e is end for e in ends) else None


def _is_one_more(value: Value, phi: Phi) -> bool:
    if not isinstance(value, Op) or value.ins.row.name not in _ONE_MORE:
        return False
    a, b = value.args[:2]
    return (a is phi and _is_one(b)) or (b is phi and _is_one(a))


def _is_one(value: Value) -> bool:
    return isinstance(value, Const) and value.bits == 1


def _test_before(flow: Flow, number: int, value: Value, target: int) -> tuple[int, Value, int]:
    """Return the last branch on the only way to a node's edge, the value, and the branch's side."""
    while len(flow.nodes[number].successors) == 1 == len(flow.nodes[number].predecessors):
        number, target = flow.nodes[number].predecessors[0], number
    return number, value, target


def _bound(
    ssa: Ssa, loop: Loop, number: int, value: Value, stays: int | None = None
) -> Value | None:
    """Return what a value is below, unsigned, where a branch goes to `stays`; None if unknown.

    Without `stays`: where the branch stays in the loop, which its other side leaves.
    """
    successors, test = ssa.flow.nodes[number].successors, ssa.conditions.get(number)
    if len(successors) != 2 or not isinstance(test, Op):
        return None
    fall, taken = successors
    if test.ins.row.name == "cmp_lt_u32":
        on, off = taken, fall
    elif test.ins.row.name == "cmp_ge_u32":
        on, off = fall, taken
    else:
        return None
    left = stays is None and not _stays(ssa.flow, loop, number, off)
    if not (left if stays is None else on == stays) or test.args[0] is not value:
        return None
    end = test.args[1]
    return end if not isinstance(end, (Op, Phi)) or end.node not in loop.nodes else None


def _stays(flow: Flow, loop: Loop, source: int, target: int) -> bool:
    return flow.route(source, target) in loop.nodes
