"""Lines of the next iteration, fetched in a loop with barriers, or that stores far rows.

A workgroup that marches through planes, or along tiles, accesses rows that are far from those of
the iteration before: a host fetches lines ahead along rows only. In one warp a workgroup, an
iteration is hundreds of instructions, so that a host does not reach the next one's loads by itself.
The next iteration's rows are as far on as the present ones are from the last one's.
"""

from __future__ import annotations

from collections.abc import Sequence

from .....isa.types import Segment
from ....analysis.ranges.offset_ranges import Ranges
from ....analysis.values.ssa import Op
from ....analysis.widths.far_rows import is_far
from ...runtime.aligned import LINE
from ..lane_code import LaneCode


class Ahead:
    """Fetches lines for the accesses of global memory that all lanes make in each iteration."""

    def __init__(self, lanes: LaneCode, ranges: Ranges) -> None:
        self._lanes, self._ranges = lanes, ranges
        self._in_loops: dict[int, bool] = {}

    def fetch(self, op: Op, hosts: Sequence[str], size: int) -> None:
        """Fetch what an access of `size` bytes from each of these ptrs on will access next."""
        if not self._is_in_loop(op.node) or op.ins.row.segment is not Segment.GLOBAL:
            return
        lanes, code = self._lanes, self._lanes.code
        step = _step(lanes, op, hosts[0])
        in_row = max(1, lanes.facts.group_size[0] // lanes.pieces.n)
        for number, host in enumerate(hosts, 1):
            place = code.let(f"getelementptr i8, ptr {host}, i64 {step}")
            code.prefetch(place, writes=not op.ins.row.is_load)
            if number % in_row == 0:  # it may end in another line
                end = code.let(f"getelementptr i8, ptr {place}, i64 {size - 1}")
                code.prefetch(end, writes=not op.ins.row.is_load)

    def _is_in_loop(self, node: int) -> bool:
        """Return whether all lanes pass a node in each iteration of a loop with barriers."""
        if node not in self._in_loops:
            self._in_loops[node] = self._find(node)
        return self._in_loops[node]

    def _find(self, node: int) -> bool:
        flow, facts = self._lanes.flow, self._lanes.facts
        if not facts.one_warp or facts.counts:
            return False
        around = flow.loops_around(node)
        if not around or not flow.is_innermost(around[0]):
            return False  # a loop inside works longer than the loads take
        lasts = [flow.nodes[n].last for n in around[0].nodes]
        has_barrier = any(last is not None and last.row.is_barrier for last in lasts)
        return has_barrier and self._ranges.is_in_each_iteration(node, around[0])


class FarStores:
    """Fetches the lines that stores to far rows will change in a loop's next iteration.

    Stores leave a host in their order, so others wait for one whose line is not in the cache. Rows
    that are stored far apart, as results of a column or a layer, begin in another page each time,
    where a host fetches nothing by itself.
    """

    def __init__(self, lanes: LaneCode) -> None:
        self._lanes = lanes
        self._found: dict[Op, bool] = {}

    def fetch(self, op: Op, host: str, size: int) -> None:
        """Fetch what a store of `size` bytes from a ptr on will change next, if that is far."""
        if op not in self._found:
            self._found[op] = self._is_far(op)
        if not self._found[op]:
            return
        step = _step(self._lanes, op, host)
        code = self._lanes.code
        for offset in range(0, size, LINE):
            distance = code.let(f"add i64 {step}, {offset}")
            place = code.let(f"getelementptr i8, ptr {host}, i64 {distance}")
            code.prefetch(place, writes=True)

    def _is_far(self, op: Op) -> bool:
        """Return whether an innermost loop stores to rows far apart, which it does not load."""
        lanes = self._lanes
        flow, base = lanes.flow, op.base
        around = flow.loops_around(op.node)
        if op.ins.row.is_load or base is None or lanes.facts.counts or not around:
            return False
        loop = around[0]
        if not flow.is_innermost(loop) or not is_far(loop, base):
            return False
        ops = (other for number in loop.nodes for other in lanes.ssa.ops.get(number, ()))
        return not any(other.ins.row.is_load and other.base is base for other in ops)


def _step(lanes: LaneCode, op: Op, host: str) -> str:
    """Return how far an access at a ptr is from where the same one was before, an i64."""
    code, variables = lanes.code, lanes.variables
    key = ("ahead", op)
    (place,) = variables.places(key, ["i64"])
    lanes.entry.line(f"store i64 0, ptr {place}")
    now = code.let(f"ptrtoint ptr {host} to i64")
    (before,) = variables.load(key, ["i64"])
    step = code.let(f"sub i64 {now}, {before}")
    variables.store(key, ["i64"], [now])
    return step
