"""Comparisons by which lanes return, as past the end of an array, or leave accesses out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .....asm.flow.dominators import DominatorTree
from .....isa.table import Flags
from .....isa.types import RegClass, Segment
from ....analysis.flow.order import START
from ....analysis.ranges.guards import Guard
from ....analysis.values.ssa import Op, Ssa, Value
from .bounds import Bound
from .span_arithmetic import Span
from .spans import Spans


def expected_comparisons(ssa: Ssa) -> dict[Op, bool]:
    """Return comparisons by which lanes return at once, and their result for other lanes."""
    found: dict[Op, bool] = {}
    for number, condition in ssa.conditions.items():
        successors = ssa.flow.nodes[number].successors
        if len(successors) != 2:
            continue
        ends = [_ends(ssa, successor) for successor in successors]
        if ends[0] != ends[1]:
            for op, answer in _parts(condition, ends[0]):
                found.setdefault(op, answer)
    return found


def guards(ssa: Ssa) -> Iterator[tuple[Op, bool]]:
    """Yield the comparisons by which lanes return that have done nothing, and others' result."""
    number, flow, seen = START, ssa.flow, set[int]()
    while not flow.loops_around(number) and not any(map(_does_more, ssa.ops.get(number, ()))):
        if number in seen:
            return
        seen.add(number)
        successors, condition = flow.nodes[number].successors, ssa.conditions.get(number)
        if len(successors) == 1:
            (number,) = successors
            continue
        ends = [_ends(ssa, successor) for successor in successors]
        if condition is None or len(ends) != 2 or ends[0] == ends[1]:
            return
        yield from _parts(condition, ends[0])
        number = successors[ends[0]]


def comparisons_before(ssa: Ssa, tree: DominatorTree, ops: Iterable[Op]) -> dict[Op, bool]:
    """Return comparisons that must have a known result wherever some ops run, and that result.

    `tree` are the dominators of nodes. Comparisons that have another result before other ones of
    these ops are left out.
    """
    found, nodes = dict[Op, set[bool]](), set[int]()
    for op in ops:
        number: int | None = op.node
        while number is not None and number not in nodes:
            nodes.add(number)
            number = tree.parents[number]
    for number in nodes:
        above, condition = tree.parents[number], None
        if above is not None and ssa.flow.nodes[number].predecessors == (above,):
            condition = ssa.conditions.get(above)
        if above is None or condition is None:
            continue
        successors = ssa.flow.nodes[above].successors
        if len(successors) == 2:
            for op, answer in _parts(condition, number == successors[1]):
                found.setdefault(op, set()).add(answer)
    return {op: answers.pop() for op, answers in found.items() if len(answers) == 1}


def _does_more(op: Op) -> bool:
    """Return whether an op does more than compute, or may trap."""
    row = op.ins.row
    return (row.is_memory and row.segment is not Segment.KERNARG) or Flags.MAY_TRAP in row.flags


def _ends(ssa: Ssa, number: int) -> bool:
    """Return whether a node only returns."""
    node = ssa.flow.nodes[number]
    ends = node.last is not None and node.last.row.stem == "ret"
    return ends and not ssa.ops.get(number)


def _parts(condition: Value, holds: bool) -> Iterator[tuple[Op, bool]]:
    """Yield the comparisons that must have a known result for a condition to hold, or not."""
    work, seen = [(condition, holds)], 0
    while work and seen < 64:
        value, holds = work.pop()
        seen += 1
        if not isinstance(value, Op):
            continue
        name = value.ins.row.name
        if name == "not_b1":
            work.append((value.args[0], not holds))
        elif name == ("and_b1" if holds else "or_b1"):
            work += [(arg, holds) for arg in value.args]
        else:
            yield value, holds


def bounded(guards: Iterable[Guard], spans: Spans) -> dict[Value, Span]:
    """Return values between 0 and what is the same in all warps of a call, where guards hold.

    Where these cannot hold, as for an end before the start, no lane runs.
    """
    ends, at_least_0 = dict[tuple[Value, bool], Span](), set[tuple[Value, bool]]()
    for guard in guards:
        type_, value = guard.type, guard.value
        if type_.bits != 32 or value.cls is not RegClass.S or guard.relation == "eq":
            continue
        if isinstance(value, Op) and value.ins.row.is_identity:
            continue  # it has bounds of the warp
        other = spans.of(guard.other)
        if other is None or not other.is_single or other.low.warp or other.low.step:
            continue  # before anything is asked of it
        other = spans.number(guard.other, signed=type_.is_signed)
        if other is None:
            continue
        # A number that is at least 0 without a sign may be below an end with one: both have one.
        number = value, type_.is_signed
        if guard.relation in ("lt", "le"):
            most = other.low.plus(Bound(constant=-(guard.relation == "lt")))
            ends.setdefault(number, Span(Bound(), most, 0, max(other.most, 0)))
            if not type_.is_signed:
                at_least_0.add(number)
        elif other.low.is_constant and other.low.constant >= -(guard.relation == "gt"):
            at_least_0.add(number)
    return {number[0]: span for number, span in ends.items() if number in at_least_0}
