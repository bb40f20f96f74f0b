"""Barriers of a workgroup that is one warp: a check, after which the code continues.

All lanes run together, so each has done what precedes a barrier when the first is there. Values
stay in registers, and nothing is saved or dispatched.

Code that ends with `trap` may follow the loop of a barrier. Lanes that wait there are missing at
the barrier; they run on, since their trap is the one to report.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...runtime.context import Slot, TrapCode
from ..context_code import load_slot
from ..control.edges import Edges
from ..lane_code import LaneCode
from .identity import Warp

_LIVE = "live"
"""The variable of the lanes that have not returned."""


class OneWarp:
    """The barriers of a kernel, where the running warp is all of the workgroup."""

    def __init__(self, lanes: LaneCode, warp: Warp, edges: Edges) -> None:
        self.lanes = lanes
        self._warp = warp
        self._edges = edges
        self._partial = [
            n.number
            for n in lanes.flow.nodes
            if n.last is not None and n.last.row.is_barrier and edges.plan.waits.get(n.number)
        ]
        """The barriers at which lanes may wait while others run on."""
        for number in self._partial:
            self._hold(number, [])
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
        if number in self._partial:
            self._hold(number, lanes.mask)
            self._edges.end_node(number)
        else:
            lanes.trap(TrapCode.DIVERGENT_BARRIER, lanes.flow.nodes[number].stop, lanes.mask)
        code.block(go)

    def end(self) -> None:
        """Trap at the end of the warp if lanes wait at a barrier."""
        lanes, code = self.lanes, self.lanes.code
        for number in self._partial:
            held = lanes.variables.load(("held", number), lanes.mask_types())
            some, none = code.fresh_label("d"), code.fresh_label("d")
            code.branch(lanes.any(held), some, none, rarely=True)
            code.block(some)
            lanes.trap(TrapCode.DIVERGENT_BARRIER, lanes.flow.nodes[number].stop, held)
            code.block(none)

    def _hold(self, number: int, chunks: Sequence[str]) -> None:
        """Let lanes, and no others, wait at a barrier."""
        lanes = self.lanes
        lanes.variables.store(("held", number), lanes.mask_types(), lanes.all_masks(chunks))

    def _live(self) -> list[str]:
        return self.lanes.variables.load(_LIVE, self.lanes.mask_types())
