"""Accesses by numbers of a list: a version for lanes whose numbers follow each other.

Numbers of zones or cells often do. Where those of a warp do, accesses by them are wide.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....analysis.values.ssa import Op
from ....analysis.warps.agreed import AgreedShapes, with_neighbours
from ....analysis.warps.uniformity import Shapes
from ...llvm.text import integer
from ..lane_code import LaneCode

HIGHEST = 1 << 31
"""Neighbours are below this number."""


class ListedLanes:
    """The shapes of such a version: of the ops of a node after a load."""

    def __init__(self, lanes: LaneCode, load: Op, usual: Shapes, shapes: AgreedShapes) -> None:
        self._lanes, self._load = lanes, load
        self._usual, self._shapes = usual, shapes
        self._local = dict(lanes.local)

    @classmethod
    def of(cls, lanes: LaneCode, load: Op, after: Sequence[Op]) -> ListedLanes | None:
        """Return those of the ops after a load of a list that has been emitted, or None."""
        usual = lanes.shapes
        if not isinstance(usual, Shapes) or lanes.facts.counts or load.node in lanes.ssa.conditions:
            return None
        shapes = with_neighbours(usual, load, after)
        if shapes is None or not shapes.changed().isdisjoint(lanes.table.crossing):
            return None
        return cls(lanes, load, usual, shapes)

    def enter(self, otherwise: str) -> None:
        """Begin the version if lane 0 runs and the list has neighbours; `otherwise` is a label."""
        lanes, code, load = self._lanes, self._lanes.code, self._load
        first, t = lanes.extracted0(load), integer(32, lanes.n)
        base, differ = lanes.chunk_of(32, first), list[str]()
        for j, chunk in enumerate(lanes.vector(load)):
            steps = ", ".join(f"i32 {j * lanes.n + i}" for i in range(lanes.n))
            following = code.let(f"add {t} {base}, <{steps}>")
            differ.append(code.let(f"icmp ne {t} {chunk}, {following}"))
        apart = lanes.any(lanes.combine("and", differ, lanes.mask))
        runs = code.let(f"extractelement {lanes.mask_type} {lanes.mask[0]}, i32 0")
        low = code.let(f"icmp ult i32 {first}, {HIGHEST - lanes.width}")
        holds = code.let(f"and i1 {runs}, {low}")
        holds = code.let(f"and i1 {holds}, {code.let(f'xor i1 {apart}, true')}")
        here = code.fresh_label("s")
        code.branch(holds, here, otherwise)
        code.block(here)
        self._local = dict(lanes.local)
        lanes.local[load, "lane0"] = [first]
        lanes.shapes = self._shapes

    def end(self) -> None:
        """End the version: what follows is the code of all lanes."""
        self._lanes.local, self._lanes.shapes = dict(self._local), self._usual
