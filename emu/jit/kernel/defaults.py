"""Values that lanes take out of a loop and that are known when they enter it.

Where lanes leave a loop in different iterations, each iteration would blend such a value into the
phi for the lanes that leave. Instead, all lanes get it before the loop, and only edges
with other values blend.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...analysis.flow.order import Flow, Loop
from ...analysis.lanes.lane_plan import LanePlan
from ...analysis.ranges.stepping import is_invariant
from ...analysis.values.ssa import Phi
from .lane_code import LaneCode


class Defaults:
    """Phis whose value on one edge out of a loop is set before the loop."""

    def __init__(self, lanes: LaneCode, plan: LanePlan) -> None:
        self.before: dict[int, list[tuple[Phi, int]]] = {}
        """Header -> phis that are set where lanes enter the loop, and the edge's source."""
        self.skipped: set[tuple[Phi, int]] = set()
        """(phi, source) of edges that need not copy."""
        self.exact: set[tuple[Phi, int]] = set()
        """(phi, source) of edges that may change the lanes that take them only."""
        flow = lanes.flow
        for number in flow.order:
            for phi in lanes.ssa.phis.get(number, ()):
                ((part, types), *_) = lanes.parts(phi)
                if part != "value" or not types[0].startswith("<"):
                    continue
                found = next(_edges(flow, plan, phi), None)
                if found is not None:
                    loop, source = found
                    self.before.setdefault(loop.header, []).append((phi, source))
                    self.skipped.add((phi, source))
                    self.exact |= {(phi, other) for other in phi.args if other in loop.nodes}


def _edges(flow: Flow, plan: LanePlan, phi: Phi) -> Iterator[tuple[Loop, int]]:
    """Yield (loop, source) of edges to a phi whose value the loop does not change."""
    for source, value in phi.args.items():
        if source not in plan.waits or phi.node not in plan.waits[source]:
            continue
        left = flow.left_by(source, phi.node)
        if left and is_invariant(value, left[0]) and _is_plain(flow, plan, left[0], phi):
            yield left[0], source


def _is_plain(flow: Flow, plan: LanePlan, loop: Loop, phi: Phi) -> bool:
    """Return whether lanes enter a loop at its header only, and run it together to its exits."""
    for number in loop.nodes:
        last = flow.nodes[number].last
        if number not in plan.waits or number in plan.sparse:
            return False
        if last is not None and last.row.is_barrier:
            return False
        if number in phi.args and flow.route(number, phi.node) != phi.node:
            return False
    return flow.has_one_entry(loop) and flow.has_own_header(loop)
