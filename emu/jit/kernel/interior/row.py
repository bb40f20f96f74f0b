"""The interior warps of a workgroup that is a row, in a loop of their own without tests.

If all accesses of the row are inside, its other work-items run vector by vector, and interior warps
may begin at any work-item. Else all warps of the row begin at multiples of their width.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ....analysis.lanes.interior import InteriorShapes
from ....analysis.lanes.lane_plan import LanePlan
from ....analysis.ranges.offset_ranges import Ranges
from ....analysis.values.ssa import Op, Ssa
from ..lane_code import LaneCode
from ..loops.hidden import steps_many_addresses
from ..memory.kernel_memory import KernelMemory
from ..variables import Variables
from ..workgroups.identity import WARP, Warp, items_of_first
from .bounds import HasSteps
from .gains import global_accesses
from .row_vectors import RowVectors, may_begin_anywhere
from .search import Found, Search
from .vectors import begin_vector, may_run_apart
from .version import (
    Interior,
    decide,
    emit_nodes,
    has_interior,
    inside_at_edges,
    is_small,
    runs_at_all,
)

ITEM = "%v"
"""The work-item at which the running interior warp begins, an i64."""

HEAD, OVER, AFTER = "run_head", "run_over", "run_end"
"""The labels of the loop over interior warps: of its head, of a warp's end, and after it."""

_PLACES = frozenset({"workitemabsid", "workgroupid"})


@dataclass(frozen=True)
class RowOfWarps:
    """The interior warps of a row, and their code."""

    interior: Interior
    found: Found
    """Which these are."""
    _inside: frozenset[Op]
    """The accesses that are inside in single vectors."""
    _vectors: RowVectors | None
    _plan: LanePlan
    _warp: Warp
    """The first warp of the row."""
    _lanes_of: Callable[[Warp], LaneCode]
    _begin: Callable[[str], Warp]
    _memory: KernelMemory
    beside_warps: bool
    """Whether rows that do not run vector by vector have interior warps, too."""

    @classmethod
    def of(
        cls,
        lanes_of: Callable[[Warp], LaneCode],
        begin: Callable[[str], Warp],
        memory: KernelMemory,
        plan: LanePlan,
    ) -> RowOfWarps | None:
        """Append the search for a row's interior warps; None if they are not found that way.

        `begin(item)` starts a warp of the workgroup at a work-item, an i64.
        """
        warp = begin("0")
        lanes = lanes_of(warp)
        facts = lanes.facts
        if facts.group_size[1:] != (1, 1) or not has_interior(lanes, plan, None):
            return None
        try:
            interior = decide(lanes, warp, memory, in_row=True)
        except HasSteps:
            return None
        if interior is None:
            return None
        inside, edges, vectors, running = frozenset[Op](), None, None, None
        has_edges = _know_rows(lanes.ssa) or bool(memory.ranges.shapes.divergent_loops)
        if interior.gains_at_edges and is_small(lanes.ssa) and has_edges:
            vectors = RowVectors.found(lanes, memory)
        if vectors is not None:
            first = vectors.at(warp.group, "0")
            edges, inside = inside_at_edges(*first, memory)
            if inside != global_accesses(lanes.ssa):
                edges = vectors = None
            else:
                running = runs_at_all(*first, memory)
        anywhere = (
            vectors is not None
            and not facts.row_piece
            and all(map(may_begin_anywhere, (lanes.shapes, interior.shapes, vectors.shapes)))
        )
        exact = None
        if anywhere and vectors is not None and running is not None:
            exact = vectors.of_running(running[1])
        search = Search(
            interior.conditions,
            edges,
            None if running is None else running[0],
            facts.width,
            lanes.n,
            anywhere,
            exact is not None,
            facts.strips,
        )
        vectors = exact or vectors
        found = search.append(warp.group.items, items_of_first(lanes.entry, facts))
        beside_warps = vectors is None or not _is_short_in_rows(lanes.ssa)
        return cls(
            interior, found, inside, vectors, plan, warp, lanes_of, begin, memory, beside_warps
        )

    def enter(self) -> None:
        """End the block of the search: continue with vectors, or with all warps."""
        code = self.interior.conditions.code
        if self._vectors is None:
            code.jump("warp_head")
        else:
            code.branch(self.found.in_vectors, RowVectors.HEAD, "warp_head")

    def begins(self) -> str:
        """Return whether the running warp is the first interior one, an i1."""
        code, width = self.interior.conditions.code, self._warp_width
        return code.let(
            f"icmp eq i64 {code.let(f'mul i64 {WARP}, {width}')}, {self.found.run.first}"
        )

    @property
    def _warp_width(self) -> int:
        return self.interior.shapes.facts.width

    def emit(self, before: str, counters: str, end_warp: Callable[[Variables], None]) -> None:
        """Append the loop over interior warps, from `HEAD` to `AFTER`, and that over vectors.

        `before` is the block of the search. `end_warp` ends the turn of a warp, whose variables it
        is handed.
        """
        code, found = self.interior.conditions.code, self.found
        code.block(HEAD)
        ways = [(found.run.first, block) for block in self._before_run()]
        wide = self._lanes_of(self._warp)
        ways.append((f"{ITEM}.next", OVER))
        if steps_many_addresses(wide.ssa, wide.k):
            code.opaque("i64", code.phi("i64", *ways), ITEM)
        else:
            code.phi("i64", *ways, name=ITEM)
        if self.interior.is_stream and may_run_apart(wide, self._memory):
            self._emit_stream(wide, end_warp)
        else:
            warp = self._begin(ITEM)
            lanes = self._lanes_of(warp)
            self._memory.clear_private(lanes.entry, code, lanes.facts.width)
            variables = emit_nodes(self.interior, lanes, warp, counters, after=OVER)
            code.block(OVER)
            end_warp(variables)
        code.let(f"add i64 {ITEM}, {self._warp_width}", f"{ITEM}.next")
        more = code.let(f"icmp slt i64 {ITEM}.next, {found.run.end}")
        code.branch(more, HEAD, AFTER)
        code.block(AFTER)
        if self.beside_warps:
            self.enter()
        else:
            code.jump(RowVectors.HEAD)
        if self._vectors is not None:
            self._vectors.emit(
                self._inside,
                self._warp.group,
                found.end,
                ((before, found.begin, found.first_end), (AFTER, found.run.end, found.end)),
                (HEAD, "group_next"),
                counters,
                end_warp,
            )

    def _emit_stream(self, wide: LaneCode, end_warp: Callable[[Variables], None]) -> None:
        """Append the vectors of a warp of a stream, one after the other."""
        code = wide.code
        facts = replace(wide.facts, width=wide.n)
        shapes = InteriorShapes(wide.ssa, facts, self.interior.assumed)
        memory = replace(self.interior.memory, ranges=Ranges(shapes))
        interior = replace(self.interior, shapes=shapes, plan=LanePlan(shapes), memory=memory)
        for j in range(wide.k):
            item = code.let(f"add i64 {ITEM}, {j * wide.n}")
            vector, lanes = begin_vector(wide, self._warp.group, shapes, item)
            after = OVER if j == wide.k - 1 else f"{OVER}{j}"
            variables = emit_nodes(interior, lanes, vector, "", after=after, version=f"i{j}")
            code.block(after)
            end_warp(variables)

    def _before_run(self) -> tuple[str, ...]:
        """Return the blocks from which interior warps begin."""
        vectors = () if self._vectors is None else (RowVectors.END_BLOCK,)
        return ("warp_head", *vectors) if self.beside_warps else vectors


def _know_rows(ssa: Ssa) -> bool:
    """Return whether lanes know which row of the grid theirs is.

    Then a launch has many rows, each with warps at its ends. Other grids are one row, cut into
    workgroups: of these, the first one and the last one have such warps.
    """
    return any(
        op.ins.row.stem in _PLACES and op.ins.literals[0] > 0
        for ops in ssa.ops.values()
        for op in ops
    )


def _is_short_in_rows(ssa: Ssa) -> bool:
    """Return whether beginning one of a grid's many rows takes as long as some warps."""
    return not ssa.flow.loops and _know_rows(ssa)
