"""Rows of which a lane alone takes many elements at once, by LLVM's vectors of iterations."""

from __future__ import annotations

from collections.abc import Sequence

from .....isa.types import Segment
from ....analysis.lanes.row_results import gathers_row
from ....analysis.ranges.stepping import Counter
from ....analysis.values.ssa import Op, Phi, Ssa
from ...llvm.toolchain import host_has
from ..lane_code import LaneCode
from ..loops.hoisted import Hoisted
from ..memory.addressing.addresses import Addresses
from ..memory.moves import FAILED


def takes_row_at_once(ssa: Ssa, hoisted: Hoisted | None, places: Addresses | None = None) -> bool:
    """Return whether LLVM can vectorise the version of a lane's loop that tests nothing.

    Loads are of one place or of neighbours, one after the other. The host has masks for vectors of
    all elements. With `places`, loads may also be of elements that the row says, whose tests
    `TestedAfter` makes.
    """
    if hoisted is None:
        return False
    loop, counter = hoisted.loop, hoisted.counter
    if not host_has("avx512bw") or counter is None or not hoisted.is_charged:
        return False
    if counter.step != 1 or counter.relation != "lt" or not hoisted.steps():
        return False
    loads = [op for n in loop.nodes for op in ssa.ops.get(n, ()) if op.ins.row.is_memory]
    if not gathers_row(ssa, loop, by_branches=hoisted.certain.issuperset(loads)):
        return False
    return all(
        op.ins.row.segment is Segment.GLOBAL
        and (
            hoisted.lines[op].step in (0, op.element.size)
            if op in hoisted.certain
            else places is not None and _is_element(places, op)
        )
        for op in loads
    )


def _is_element(places: Addresses, op: Op) -> bool:
    """Return whether a load is of a word of some row, by an index."""
    size = op.element.size
    if op.base is None or size < WORD or not op.ins.row.is_load:
        return False
    form = places.form(op.base)
    window = None if form is None else places.window(op.base, form, store=False)
    if form is None or window is None or op.ins.address is None:
        return False
    form = form.plus_constant(op.ins.address.offset)
    return places.element(form, window, size, size) is not None


WORD = 4
"""Bytes of the smallest elements that CPUs gather."""

WHOLE = 64
"""Elements of which those of a row that have no mask are a multiple."""

AT_A_TIME = 2
"""Vectors of an iteration: what is added to one need not wait for the other."""


SHORT = 64 // WORD
"""Elements of a vector: a gather takes as long for a part of them, and fewer are loaded apart."""


class TestedAfter:
    """Tests of a row's elements that say where loads are, made for all of the row.

    An element that is not inside is not loaded. A lane that has met one begins its loop once more,
    in the version with cold sides. The loop has only loaded and computed.
    """

    def __init__(self, one: LaneCode, hoisted: Hoisted) -> None:
        assert hoisted.counter is not None
        self._one, self._counter = one, hoisted.counter
        self._phis = one.ssa.phis.get(hoisted.loop.header, ())

    def begin(self, short: str) -> None:
        """Begin a lane, whose phis are set. If its row is short, continue at the label `short`."""
        one, code = self._one, self._one.code
        one.variables.store(FAILED, ["i1"], ["false"])
        for phi in self._phis:
            types = one.types_of(phi.cls, True)
            one.variables.store((phi, "begin"), types, one.variables.load((phi, "value"), types))
        one.local.clear()
        length = _length(one, self._counter)[0]
        go = code.fresh_label("f")
        code.branch(code.let(f"icmp slt i64 {length}, {SHORT}"), short, go)
        code.block(go)

    def leave(self, again: str) -> None:
        """Begin once more at the label `again` if a test has failed; otherwise continue."""
        code, variables = self._one.code, self._one.variables
        (failed,) = variables.load(FAILED, ["i1"])
        fails, go = code.fresh_label("f"), code.fresh_label("f")
        code.branch(failed, fails, go, rarely=True)
        code.block(fails)
        for phi in self._phis:
            types = self._one.types_of(phi.cls, True)
            variables.store((phi, "value"), types, variables.load((phi, "begin"), types))
        code.jump(again)
        code.block(go)


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
        length, begin = _length(one, counter)
        whole = code.let(f"and i64 {length}, -{WHOLE}")
        self._is_all = code.let(f"icmp eq i64 {whole}, {length}")
        self._end = code.let(f"add i64 {begin}, {whole}")
        code.branch(code.let(f"icmp sgt i64 {whole}, 0"), label, rest)

    def latch(self, label: str, rest: str) -> bool:
        """Append the latch, from which the loop continues at `label`, or at the `rest`.

        Return whether a block follows in which the lane leaves the loop, as there is no rest. Else
        the header finds that.
        """
        one, code = self._one, self._one.code
        one.local.clear()
        following = _widened(one, self._counter, one.scalar(self._counter.phi))
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


def _length(one: LaneCode, counter: Counter) -> tuple[str, str]:
    """Return the length of a row, below zero if it has ended, and its counter, each an i64."""
    begin, end = one.scalar(counter.phi), one.scalar(counter.end)
    end, begin = (_widened(one, counter, number) for number in (end, begin))
    return one.code.let(f"sub i64 {end}, {begin}"), begin


def _widened(one: LaneCode, counter: Counter, number: str) -> str:
    """Return a number of a counter's type with 64 bits."""
    extend = "sext" if counter.is_signed else "zext"
    return one.code.let(f"{extend} i32 {number} to i64")
