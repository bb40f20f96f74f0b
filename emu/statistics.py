"""Counts of a functional run: instructions, lanes and divergence, per pc."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import numpy as np

from .text.tables import labelled_html


@dataclass(eq=False)
class Statistics:
    """Counts of one launch, or of several added up.

    `executions[pc]` and `lanes[pc]` are int64 arrays over the kernel's code: warp-instructions
    issued and work-items active in them. `lane_slots` is the sum over warp-instructions of the
    lanes that the warp had at its start (PPC-13's denominator). `pc_comparisons` counts what the
    scheme's hardware would compare (PPC-HW). `max_depth` is the deepest re-convergence stack.
    """

    warp_instructions: int = 0
    thread_instructions: int = 0
    lane_slots: int = 0
    branches: int = 0
    divergent_branches: int = 0
    barriers: int = 0
    pc_comparisons: int = 0
    max_depth: int = 0
    warps: int = 0
    executions: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    lanes: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))

    def __eq__(self, other: object) -> bool:
        """Return whether all counts are equal; NumPy's `==` of arrays has no single truth value."""
        if not isinstance(other, Statistics):
            return NotImplemented
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in _FIELDS)

    @property
    def activity_factor(self) -> float:
        """Active lanes over lanes live at the start, per warp-instruction (PPC-13, Q-PPC-15)."""
        return self.thread_instructions / self.lane_slots if self.lane_slots else 1.0

    def rows(self) -> list[tuple[str, str]]:
        """Return label and value of the rows that a person wants to see."""
        share = self.divergent_branches / self.branches if self.branches else 0.0
        rows = [
            ("warp-instructions", f"{self.warp_instructions:,}"),
            ("thread-instructions", f"{self.thread_instructions:,}"),
            ("activity factor", f"{self.activity_factor:.4f}"),
            ("branches", f"{self.branches:,}, {share:.1%} divergent"),
        ]
        if self.barriers:
            rows.append(("barriers", f"{self.barriers:,}"))
        return rows

    def _repr_html_(self) -> str:
        return labelled_html(self.rows())

    def __add__(self, other: Statistics) -> Statistics:
        """Return the sum of two launches' counts; per-pc counts only if the code is as long."""
        same = self.executions.size == other.executions.size
        empty = np.zeros(0, np.int64)
        return Statistics(
            self.warp_instructions + other.warp_instructions,
            self.thread_instructions + other.thread_instructions,
            self.lane_slots + other.lane_slots,
            self.branches + other.branches,
            self.divergent_branches + other.divergent_branches,
            self.barriers + other.barriers,
            self.pc_comparisons + other.pc_comparisons,
            max(self.max_depth, other.max_depth),
            self.warps + other.warps,
            self.executions + other.executions if same else empty,
            self.lanes + other.lanes if same else empty,
        )

    def to_dict(self) -> dict[str, int | float]:
        """Return the scalar counts for JSON, in a fixed order."""
        return {
            "warp_instructions": self.warp_instructions,
            "thread_instructions": self.thread_instructions,
            "activity_factor": self.activity_factor,
            "branches": self.branches,
            "divergent_branches": self.divergent_branches,
            "barriers": self.barriers,
            "pc_comparisons": self.pc_comparisons,
            "max_depth": self.max_depth,
            "warps": self.warps,
        }


_FIELDS = tuple(each.name for each in fields(Statistics))
