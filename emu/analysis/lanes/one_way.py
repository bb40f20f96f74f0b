"""Loops that lanes go through one way, until they leave them at one branch.

Loops inside have a constant number of iterations. So the iterations that a lane makes say how often
it has run each node.
"""

from __future__ import annotations

from ..flow.order import Loop
from ..ranges.trips import only_exit, trips_of
from ..values.ssa import Ssa


def times_in(ssa: Ssa, loop: Loop) -> dict[int, int] | None:
    """Return node -> how often it runs in each whole iteration; None if there are several ways."""
    flow = ssa.flow
    own = [n for n in loop.nodes if flow.loop_of[n] == loop.number]
    branches = [n for n in own if len(flow.nodes[n].successors) > 1]
    if len(branches) != 1 or not only_exit(flow, loop):
        return None
    ways = [flow.route(branches[0], to) for to in flow.nodes[branches[0]].successors]
    if all(way in loop.nodes for way in ways):
        return None
    times = dict.fromkeys(own, 1)
    for inner in flow.loops:
        if inner.parent == loop.number:
            found = _times_inside(ssa, inner)
            if found is None:
                return None
            times |= found
    return times


def _times_inside(ssa: Ssa, loop: Loop) -> dict[int, int] | None:
    """Return how often the nodes of a loop run each time that lanes enter it."""
    times = times_in(ssa, loop)
    # With one way through the loop, its branch precedes all ways back.
    trips = None if times is None else trips_of(ssa, loop, lambda *_: True)
    if times is None or trips is None:
        return None
    position = ssa.flow.position
    last = position[trips.exit]
    return {n: (trips.returns + (position[n] <= last)) * count for n, count in times.items()}
