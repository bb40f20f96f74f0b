"""Loops that count from a place of each lane's own, in which all lanes have as many iterations.

A work-item may have a stretch of its own: from `i * length` to `(i + 1) * length`, or from `row[i]`
to `row[i + 1]`. Lanes then leave the loop at a comparison that differs from lane to lane, though
they often leave it together. Before the loop that is tested. A version in which a scalar counts the
iterations runs if it holds.
"""

from __future__ import annotations

from ....analysis.flow.order import Loop
from ....analysis.ranges.stepping import Counter
from ...llvm.text import integer
from ..lane_code import LaneCode


def may_count(counter: Counter) -> bool:
    """Return whether a counter's iterations are how far it is from its bound."""
    return counter.step == 1 and counter.relation in ("lt", "ne")


class InStep:
    """The count of a loop's iterations that all running lanes have in common.

    The test is made where this is created; if it fails, `otherwise` (a label) is next.
    """

    def __init__(self, lanes: LaneCode, loop: Loop, counter: Counter, otherwise: str) -> None:
        self._lanes = lanes
        self._variable = f"iteration of loop {loop.number}"
        self.iterations = self._common(counter, otherwise)
        """How far the lanes' counters are from their bounds, an i64 above 0."""

    def _common(self, counter: Counter, otherwise: str) -> str:
        lanes, code, v = self._lanes, self._lanes.code, integer(32, self._lanes.n)
        first, end = lanes.vector(counter.phi), lanes.vector(counter.end)
        apart = [code.let(f"sub {v} {e}, {f}") for e, f in zip(end, first, strict=True)]
        room = lanes.entry.let(f"alloca [{max(64, lanes.width) + 1} x i32], align 64")
        for place, chunk in zip(lanes.chunk_places(room, 32), apart, strict=True):
            code.line(f"store {v} {chunk}, ptr {place}, align 4")
        some = code.let(f"getelementptr i32, ptr {room}, i64 {lanes.lowest(lanes.running())}")
        one = code.let(f"freeze i32 {code.let(f'load i32, ptr {some}')}")
        # Unequal numbers are below each other without wrapping around, in the right order.
        relation = {"ne": "ne", "lt": "slt" if counter.is_signed else "ult"}[counter.relation]
        spread = lanes.chunk_of(32, one)
        same = [code.let(f"icmp eq {v} {a}, {spread}") for a in apart]
        passes = [
            code.let(f"icmp {relation} {v} {f}, {e}") for f, e in zip(first, end, strict=True)
        ]
        held = lanes.combine("and", same, passes)
        failed = lanes.combine(
            "and", lanes.mask, lanes.combine("xor", held, ["splat (i1 true)"] * lanes.k)
        )
        agree = code.fresh_label("s")
        code.branch(lanes.any(failed), otherwise, agree)
        code.block(agree)
        return code.let(f"zext i32 {one} to i64")

    def enter(self) -> None:
        """Begin the first iteration."""
        self._lanes.variables.set_word(self._variable, "0")

    def iteration(self) -> str:
        """Return the number of the present iteration, an i64."""
        return self._lanes.variables.word(self._variable)

    def step(self) -> None:
        """Begin the next iteration."""
        following = self._lanes.code.let(f"add nuw nsw i64 {self.iteration()}, 1")
        self._lanes.variables.set_word(self._variable, following)
