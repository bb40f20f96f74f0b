"""Loops that lanes run alone in code that counts, and leave a trace of their branches.

Lanes go several ways through such a loop, so its counts do not follow from how often they go. The
trace says what the post-dominator stack runs: code that only follows it counts that
(jit/kernel/lane_by_lane/traced.py).
"""

from __future__ import annotations

from ..flow.order import Flow, Loop
from ..warps.uniformity import Shapes
from .own_memory import has_own_memory
from .sparse import sparse_loops

MOST_BITS = 16
"""Branches up to the next latch, at most: a trace is kept in words that begin after latches."""


def traced_loops(shapes: Shapes) -> dict[int, Loop]:
    """Return header -> loop of the loops over a lane's own memory that lanes can run so.

    Other loops gain nothing: lanes that search a list are as fast together.
    """
    flow = shapes.flow
    return {
        header: loop
        for header, loop in sparse_loops(shapes).items()
        if has_own_memory(shapes, loop) and bits_of(flow, loop) <= MOST_BITS
    }


def bits_of(flow: Flow, loop: Loop) -> int:
    """Return the most branches that a lane executes up to a latch, or until it leaves the loop."""
    most: dict[int, int] = {}
    for number in sorted(loop.nodes, key=lambda n: -flow.position[n]):
        node = flow.nodes[number]
        if node.latch_of is not None:
            most[number] = 0
            continue
        ways = (flow.route(number, to) for to in node.successors)
        after = max((most.get(way, 0) for way in ways), default=0)
        most[number] = after + (len(node.successors) > 1)
    return max(most.values())


def bits_read(flow: Flow, loop: Loop) -> dict[int, int]:
    """Return node -> the fewest branches on a way to it from a header or a latch of the loop."""
    read: dict[int, int] = {inner.header: 0 for inner in flow.loops if inner.latch in loop.nodes}
    for number in (n for n in flow.order if n in loop.nodes):
        node = flow.nodes[number]
        if node.latch_of is None:
            own = read[number] + (len(node.successors) > 1)
            for way in (flow.route(number, to) for to in node.successors):
                read[way] = min(read.get(way, own), own)
    return read
