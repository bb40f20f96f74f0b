"""Loops that do nothing but count their iterations, which follow from where a counter begins.

So are loops of which only what branches depend on is left (jit/launch/counting/apart.py). Code that
counts need not run them.
"""

from __future__ import annotations

from ....isa.table import Flags
from ....isa.types import RegClass
from ..flow.order import Loop
from ..ranges.stepping import Counter, counters_of, increment_of, is_invariant
from ..values.ssa import Const, Phi, Ssa, Value
from .one_way import times_in

_DOES_MORE = Flags.MAY_TRAP | Flags.CROSS_LANE | Flags.SYNC


def counter_alone(ssa: Ssa, loop: Loop) -> Counter | None:
    """Return what counts a loop that does nothing else; None if it does more.

    What it leaves are values that it does not change, and phis of its header that step by constants
    up to a test in the header.
    """
    if times_in(ssa, loop) is None or not ssa.flow.has_one_entry(loop):
        return None
    ops = (op for number in loop.nodes for op in ssa.ops.get(number, ()))
    if any(op.ins.row.is_memory or op.ins.row.flags & _DOES_MORE for op in ops):
        return None
    if any(_ends_otherwise(ssa, number) for number in loop.nodes):
        return None
    counter = next(iter(counters_of(ssa, loop)), None)
    if counter is None or not all(
        is_invariant(value, loop) or (counter.header_tests and steps_by(loop, value) is not None)
        for value in left_by(ssa, loop).values()
    ):
        return None
    return counter


def left_by(ssa: Ssa, loop: Loop) -> dict[Phi, Value]:
    """Return the phis that are set where a loop with one way out is left, and what they get."""
    flow = ssa.flow
    return {
        phi: phi.args[number]
        for number in loop.nodes
        if flow.nodes[number].latch_of is None
        for to in flow.nodes[number].successors
        if flow.route(number, to) not in loop.nodes
        for phi in ssa.phis.get(to, ())
    }


def steps_by(loop: Loop, value: Value) -> int | None:
    """Return what each iteration adds to a phi of the header; None if that is no constant."""
    if not isinstance(value, Phi) or value.node != loop.header or value.cls is RegClass.C:
        return None
    terms = increment_of(loop, value)
    if terms is None or not all(isinstance(term, Const) for _, term in terms):
        return None
    return sum(sign * term.bits for sign, term in terms if isinstance(term, Const))


def _ends_otherwise(ssa: Ssa, number: int) -> bool:
    """Return whether a node ends with a barrier or the like."""
    last = ssa.flow.nodes[number].last
    return last is not None and last.row.stem not in ("br", "cbr")


def has_only_counted(ssa: Ssa) -> bool:
    """Return whether a kernel has such a loop."""
    return any(counter_alone(ssa, loop) is not None for loop in ssa.flow.loops)
