"""The iterations of a loop, of each lane that runs it alone, for its counts."""

from __future__ import annotations

from collections.abc import Sequence

from .....isa.types import RegClass
from ....analysis.flow.order import Loop
from ..counting.counters import Counters
from ..lane_code import LaneCode
from .cells import LaneCells

_MADE = "iterations"
"""The variable of a lane alone: how often it has returned to the loop's header."""


class CountedRun:
    """Emits the counting of a loop; `one` is the code of the lane that runs it."""

    def __init__(self, counters: Counters, loop: Loop, one: LaneCode, cells: LaneCells) -> None:
        self._counters, self._loop, self._one, self._cells = counters, loop, one, cells
        self._made = cells.new(RegClass.D)

    def begin(self) -> None:
        """Let a lane begin the loop."""
        self._one.variables.set_word(_MADE, "0")

    def add(self, iterations: str) -> None:
        """Note iterations of a lane, an i64, after which it has returned to the header."""
        words = self._one.variables
        total = self._one.code.let(f"add i64 {words.word(_MADE)}, {iterations}")
        words.set_word(_MADE, total)

    def leave(self, lane: str) -> None:
        """Keep the number of iterations of a lane, an i64, which leaves the loop."""
        self._cells.store(RegClass.D, self._made, lane, self._one.variables.word(_MADE))

    def leave_together(self, made: Sequence[str]) -> None:
        """Keep the numbers of iterations of all lanes, vectors of i64."""
        self._cells.store_all(RegClass.D, self._made, made)

    def count(self) -> None:
        """Count what the running lanes have made."""
        self._counters.count_run(self._loop.number, self._made)
