"""Spans of what a launch gives: identities of work-items and workgroups, and arguments."""

from __future__ import annotations

from typing import NamedTuple

from .....isa.types import RegClass, mask_of
from ....analysis.facts import OF_ACTIVE_LANES
from ....analysis.values.ssa import Op
from ...runtime.context import Slot
from ..context_code import load_slot
from ..instructions import Instructions
from ..lane_code import POSITION, LaneCode
from ..memory.kernel_memory import KernelMemory
from .bounds import ONE, Bound, Conditions
from .span_arithmetic import SMALL, Span

_PLACES = frozenset({"workitemid", "workitemabsid", "workgroupid"})
"""Identities of one dimension that the workgroup's place and size bound."""

_OF_GRID = frozenset({"workitemabsid", "workgroupid"})
"""Those of a place in the grid."""

_OF_PARTS = OF_ACTIVE_LANES | {"laneid", "waveid"}
"""What is not known of a warp that begins at any work-item, or before its lanes run."""


class Scope(NamedTuple):
    """The warps for which conditions are asked."""

    in_row: bool = False
    """Spans are those of a row's first warp, with steps from work-item to work-item."""
    assumes: bool = True
    """Whether the warps may be asked to have no edge, as where indices are clamped."""
    running: str = ""
    """How many lanes run, the first ones, an i64; else all do. They may be at an edge, but not on
    both sides of a row's end."""
    of_rows: bool = False
    """Whether they may be in several rows, each of which has quotients of its own."""


class GivenSpans:
    """The spans of identities and arguments in some warps; emits what they take."""

    def __init__(
        self,
        lanes: LaneCode,
        instructions: Instructions,
        conditions: Conditions,
        memory: KernelMemory,
        scope: Scope,
    ) -> None:
        self._lanes, self._instructions = lanes, instructions
        self._conditions, self._scope = conditions, scope
        self._positions = {p.offset: i for i, p in enumerate(memory.params) if p.is_pointer}

    def identity(self, op: Op) -> Span | None:
        """Return the span of a number of a work-item or workgroup, 32 bits."""
        if op.cls is not RegClass.S or op.ins.row.stem in _OF_PARTS:
            return None
        lanes, code = self._lanes, self._lanes.code
        rows = lanes.facts.rows
        if not rows and op.ins.row.stem in _PLACES:
            return self._of_workgroup(op)
        step = lanes.shapes.stride(op)
        if step is None or (step and not rows):
            return None
        self._instructions.op(op)
        first = code.let(f"zext i32 {lanes.lane0(op)} to i64")
        if self._scope.in_row and op.ins.row.stem == "workitemflatabsid":
            self._ask_for_items()
        elif self._scope.in_row and step:
            self._conditions.is_in_first(first, "0")
        elif self._scope.in_row and op.ins.row.stem in _OF_GRID and (dim := op.ins.literals[0]):
            self._conditions.grows(first, str(int(dim == 1)))  # a workgroup is one row
        # A warp of a row may begin at any of its work-items.
        low = Bound(((first, 1),), step=((ONE, step),) if step and self._scope.in_row else ())
        if self._scope.running == ONE:
            high = low
        elif self._scope.running and step:
            high = low.plus(Bound(((self._scope.running, step),), (), -step))
        else:
            high = low.plus(Bound(constant=step * (lanes.facts.width - 1)))
        # The sizes of a launch are tested once: all of its numbers but this are below 2^31.
        return Span(low, high, 0, mask_of(32 if op.ins.row.stem.endswith("flatabsid") else 31))

    def _of_workgroup(self, op: Op) -> Span | None:
        """Return the span of a place in a workgroup that is one warp of several rows."""
        lanes, stem = self._lanes, op.ins.row.stem
        dim = op.ins.literals[0]
        size, low, per = lanes.facts.group_size[dim], Bound(), 0
        if stem != "workitemid":
            number = lanes.code.let(f"zext i32 {POSITION[dim]} to i64")
            per = size if stem == "workitemabsid" else 1
            low = Bound(((number, per),))
        more = 0 if stem == "workgroupid" else size - 1
        return Span(low, low.plus(Bound(constant=more)), 0, mask_of(31) if per else more)

    def _ask_for_items(self) -> None:
        """Ask that flat numbers do not wrap around in a row: there are at most 2^32."""
        conditions, entry, total = self._conditions, self._lanes.entry, "1"
        for slot in (Slot.ITEMS_X, Slot.ITEMS_Y, Slot.ITEMS_Z):
            total = entry.let(f"mul i64 {total}, {load_slot(entry, slot)}")
            conditions.require_of_call(entry.let(f"icmp ule i64 {total}, {1 << 32}"))

    def argument(self, op: Op) -> Span | None:
        """Return the span of an integer argument, or of a pointer to a parameter's buffer."""
        assert op.ins.address is not None
        type_ = op.ins.row.type
        position = self._positions.get(op.ins.address.offset)
        if op.cls is RegClass.D:
            if op.ins.row.name != "ld_kernarg_u64" or position is None:
                return None
            return Span(Bound(), Bound(), 0, 0, 1 << 32, position)
        if type_ is None or type_.is_float or op.cls is not RegClass.S:
            return None
        self._instructions.op(op)
        entry = self._lanes.entry
        bound = Bound((), ((entry.let(f"sext i32 {self._lanes.scalar(op)} to i64"), 1),))
        return Span(bound, bound, -SMALL, SMALL - 1)
