"""The first iterations of a loop in a version of their own; the loop itself runs the rest."""

from __future__ import annotations

from ....analysis.flow.order import Loop
from ..lane_code import LaneCode


class FirstIterations:
    """Counts down the iterations after which all running lanes go back to the header."""

    def __init__(self, lanes: LaneCode, loop: Loop) -> None:
        self._lanes = lanes
        self._variable = f"first iterations of loop {loop.number}"

    def enter(self, count: str) -> None:
        """Begin the first of so many, an i64 above 0."""
        self._lanes.variables.set_word(self._variable, count)

    def step(self) -> str:
        """End an iteration; return whether others follow, an i1."""
        code, variables = self._lanes.code, self._lanes.variables
        left = code.let(f"sub nuw nsw i64 {variables.word(self._variable)}, 1")
        variables.set_word(self._variable, left)
        return code.let(f"icmp ne i64 {left}, 0")
