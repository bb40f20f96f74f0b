"""Versions of loops for lanes that all begin them with one value of some phis.

Whether they do is tested where they enter. In the version these phis are scalars, and so is what
the loop computes from them.
"""

from __future__ import annotations

from ....analysis.flow.order import Loop
from ....analysis.ranges.stepping import counters_of
from ....analysis.values.ssa import Phi
from ....analysis.warps.agreed import may_begin_together, with_agreed
from ....analysis.warps.uniformity import Shapes
from ...llvm.text import register_type
from ..lane_code import LaneCode


class AgreedLanes:
    """The shapes of such a version."""

    def __init__(self, lanes: LaneCode, loop: Loop, usual: Shapes, agreed: frozenset[Phi]) -> None:
        self._lanes, self._usual, self._agreed = lanes, usual, agreed
        self._shapes = with_agreed(usual, loop, agreed)
        self._changed = self._shapes.changed()
        self.leave_in_turn = loop.number in self._shapes.divergent_loops
        """Whether lanes may leave the loop in different iterations in this version, too."""
        self._scalars = [p for p in lanes.ssa.phis[loop.header] if p in self._changed]
        """Phis of the header that are vectors elsewhere."""

    @classmethod
    def of(cls, lanes: LaneCode, loop: Loop) -> AgreedLanes | None:
        """Return those of a loop whose counter may begin at one number; None if it has none."""
        usual = lanes.shapes
        if type(usual) is not Shapes or lanes.facts.counts:
            return None
        counters = [c.phi for c in counters_of(lanes.ssa, loop) if usual.is_uniform(c.end)]
        agreed = may_begin_together(usual, loop)
        if any(map(usual.is_uniform, counters)) or agreed.isdisjoint(counters):
            return None
        found = cls(lanes, loop, usual, agreed)
        if not any(map(found._shapes.is_uniform, counters)):
            return None
        return found if all(map(found._shapes.is_uniform, found._scalars)) else None

    def enter(self, otherwise: str) -> None:
        """Begin the version if lane 0 runs and all lanes have its phis; `otherwise` is a label."""
        lanes, code = self._lanes, self._lanes.code
        first, differ = dict[Phi, str](), list[str]()
        for phi in self._scalars:
            chunks, bits = lanes.vector(phi), phi.cls.bits
            t = register_type(phi.cls, lanes.n)
            first[phi] = code.let(f"extractelement {t} {chunks[0]}, i32 0")
            if phi in self._agreed:
                one = lanes.chunk_of(bits, first[phi])
                apart = [code.let(f"icmp ne {t} {chunk}, {one}") for chunk in chunks]
                differ = lanes.combine("or", differ, apart) if differ else apart
        apart = lanes.any(lanes.combine("and", differ, lanes.mask))
        runs = code.let(f"extractelement {lanes.mask_type} {lanes.mask[0]}, i32 0")
        together, here = code.let(f"xor i1 {apart}, true"), code.fresh_label("s")
        code.branch(code.let(f"and i1 {runs}, {together}"), here, otherwise)
        code.block(here)
        lanes.local.clear()
        lanes.shapes, lanes.variables.changed = self._shapes, self._changed
        for phi, scalar in first.items():
            lanes.variables.store((phi, "value"), [register_type(phi.cls, 0)], [scalar])

    def end(self) -> None:
        """End the version: what follows is the code of all lanes."""
        self._lanes.local.clear()
        self._lanes.shapes, self._lanes.variables.changed = self._usual, frozenset()
