"""Rows of which a lane alone takes many elements at once, by LLVM's vectors of iterations."""

from __future__ import annotations

from collections.abc import Sequence

from .....isa.types import Segment
from ....analysis.lanes.row_results import gathers_row
from ....analysis.values.ssa import Phi, Ssa
from ...llvm.toolchain import host_has
from ..lane_code import LaneCode
from ..loops.hoisted import Hoisted


def takes_row_at_once(ssa: Ssa, hoisted: Hoisted | None) -> bool:
    """Return whether LLVM can vectorise the version of a lane's loop that tests nothing.

    All loads are of one place or of neighbours, one after the other. The host has masks for
    vectors of all elements.
    """
    if hoisted is None:
        return False
    loop, counter = hoisted.loop, hoisted.counter
    if not host_has("avx512bw") or counter is None or not hoisted.is_charged:
        return False
    if counter.step != 1 or counter.relation != "lt" or not hoisted.steps():
        return False
    loads = [op for n in loop.nodes for op in ssa.ops.get(n, ()) if op.ins.row.is_memory]
    return all(
        op in hoisted.certain
        and op.ins.row.segment is Segment.GLOBAL
        and hoisted.lines[op].step in (0, op.element.size)
        for op in loads
    ) and gathers_row(ssa, loop)


WHOLE = 64
"""Elements of which those of a row that have no mask are a multiple."""

AT_A_TIME = 2
"""Vectors of an iteration: what is added to one need not wait for the other."""


class WholeVectors:
    """The first elements of a lane's row, in vectors without masks.

    The loop itself takes the rest under a mask.
    """

    def __init__(self, one: LaneCode, hoisted: Hoisted) -> None:
        counter = hoisted.counter
        assert counter is not None
        self._one, self._counter = one, counter
        ops = [op for n in hoisted.loop.nodes for op in one.ssa.ops.get(n, ())]
        branches = hoisted.loop.nodes & one.ssa.conditions.keys()
        self._is_of_bytes = len(branches) == 1 and all(
            op.element.size == 1 for op in ops if op.ins.row.is_memory
        )
        """Whether LLVM shall take as many bytes as a vector of the host has, and surely can."""
        self._end = ""
        """The counter after them, an i64, which shows LLVM how many there are."""
        self._is_all = ""
        """Whether they are the whole row, an i1."""
        self.exit: tuple[int, Sequence[tuple[Phi, str]]] = -1, ()
        """The node at which the lane waits after the loop, and what it brings there."""

    def enter(self, label: str, rest: str) -> None:
        """End the block: continue at `label` if there are such elements, else at the `rest`."""
        one, code, counter = self._one, self._one.code, self._counter
        one.local.clear()
        begin, end = one.scalar(counter.phi), one.scalar(counter.end)
        ends = [self._widened(number) for number in (end, begin)]
        length = code.let(f"sub i64 {ends[0]}, {ends[1]}")
        whole = code.let(f"and i64 {length}, -{WHOLE}")
        self._is_all = code.let(f"icmp eq i64 {whole}, {length}")
        self._end = code.let(f"add i64 {ends[1]}, {whole}")
        code.branch(code.let(f"icmp sgt i64 {whole}, 0"), label, rest)

    def latch(self, label: str, rest: str) -> bool:
        """Append the latch, from which the loop continues at `label`, or at the `rest`.

        Return whether a block follows in which the lane leaves the loop, as there is no rest. Else
        the header finds that.
        """
        one, code = self._one, self._one.code
        one.local.clear()
        following = self._widened(one.scalar(self._counter.phi))
        again, done = code.fresh_label("more"), code.fresh_label("took")
        code.branch(code.let(f"icmp eq i64 {following}, {self._end}"), done, again)
        code.block(again)
        many = code.module.vectorised(1, WHOLE) if self._is_of_bytes else None
        code.jump(label, loop=many or code.module.vectorised(AT_A_TIME))
        code.block(done)
        if self._counter.header_tests:
            code.jump(rest)
            return False
        leaves = code.fresh_label("took")
        code.branch(self._is_all, leaves, rest)
        code.block(leaves)
        return True

    def _widened(self, number: str) -> str:
        """Return a number of the counter's type with 64 bits."""
        extend = "sext" if self._counter.is_signed else "zext"
        return self._one.code.let(f"{extend} i32 {number} to i64")
