"""The tile of an interior workgroup whose loads may read global memory in its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ....analysis.group_memory.copied_tiles import CopiedTile, copied_tile
from ....analysis.lanes.interior import InteriorShapes
from ....analysis.lanes.lane_plan import LanePlan
from ....analysis.ranges.offset_ranges import Ranges
from ....analysis.ranges.trips import Trips
from ....analysis.values.ssa import Op
from .. import budget
from ..control.copied_loops import CopiedLoops
from ..lane_code import LaneCode


@dataclass(frozen=True)
class Tile:
    """What is read from global memory, and the loops that have a copy for each iteration for it."""

    copies: CopiedTile = field(default_factory=CopiedTile)
    loops: Mapping[int, Trips] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Return whether there is such a tile."""
        return bool(self.copies.loads)


def tile_of(
    lanes: LaneCode, plan: LanePlan, total: int, ranges: Ranges, inside: frozenset[Op]
) -> Tile:
    """Return the tile in `total` bytes of group memory of a workgroup that is one warp.

    `lanes` is code for interior workgroups, in which the accesses `inside` are so.
    """
    shapes = lanes.shapes
    if not (total and lanes.facts.one_warp and isinstance(shapes, InteriorShapes)):
        return Tile()
    loops = {
        lanes.flow.loops[lanes.flow.nodes[latch].latch_of or 0].number: trips
        for latch, trips in budget.charged_at_exit(lanes, plan, ranges).items()
        if trips.returns
    }
    copied = CopiedLoops(lanes, plan, ranges.lane_trips, {}, loops).numbers
    return Tile(copied_tile(shapes, total, lanes.n, copied, inside), loops)
