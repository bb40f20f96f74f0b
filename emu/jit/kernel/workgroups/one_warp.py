"""Barriers of a workgroup that is one warp: a check, after which the code continues.

All lanes run together, so each has done what precedes a barrier when the first is there. Values
stay in registers, and nothing is saved or dispatched.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...runtime.context import Slot, TrapCode
from ..context_code import load_slot
from ..lane_code import LaneCode
from .identity import Warp

_LIVE = "live"
"""The variable of the lanes that have not returned."""


class OneWarp:
    """The barriers of a kernel, where the running warp is all of the workgroup."""

    def __init__(self, lanes: LaneCode, warp: Warp) -> None:
        self.lanes = lanes
        self._warp = warp
        lanes.variables.store(_LIVE, lanes.mask_types(), warp.existing)

    def note_exit(self, chunks: Sequence[str]) -> None:
        """Note that lanes return: no barrier waits for them."""
        lanes = self.lanes
        others = lanes.combine("xor", chunks, ["splat (i1 true)"] * lanes.k)
        lanes.variables.store(_LIVE, lanes.mask_types(), lanes.combine("and", self._live(), others))

    def stop(self, number: int) -> None:
        """Trap at a barrier unless all lanes are there that have not returned.

        If lanes have returned, a barrier waits for them unless the launch says that it does not.
        """
        lanes, code = self.lanes, self.lanes.code
        live = self._live()
        missing = lanes.any(lanes.combine("xor", lanes.mask, live))
        returned = lanes.any(lanes.combine("xor", live, self._warp.existing))
        waits = code.let(f"icmp eq i64 {load_slot(code, Slot.EXITED_ARRIVE)}, 0")
        bad = code.let(f"or i1 {missing}, {code.let(f'and i1 {returned}, {waits}')}")
        fault, go = code.fresh_label("d"), code.fresh_label("d")
        code.branch(bad, fault, go, rarely=True)
        code.block(fault)
        lanes.trap(TrapCode.DIVERGENT_BARRIER, lanes.flow.nodes[number].stop, lanes.mask)
        code.block(go)

    def _live(self) -> list[str]:
        return self.lanes.variables.load(_LIVE, self.lanes.mask_types())
