"""Vectors that nodes compute: up to the last lane that may run (analysis/lanes/running.py)."""

from __future__ import annotations

from collections.abc import Mapping

from ....analysis.flow.order import Loop
from ....analysis.group_memory.forwarded import Forwarded
from ....analysis.group_memory.forwarded_copies import forwarded_in_copies
from ....analysis.group_memory.own_words import own_words
from ....analysis.lanes.lane_plan import LanePlan
from ....analysis.lanes.running import Lanes, RunningLanes, Walk, has_known_lanes, last_lane
from ....analysis.ranges.trips import Trips
from ....analysis.warps.uniformity import Shapes
from ...llvm.text import ALL, mask_constant
from ..lane_code import LaneCode


class RunningVectors:
    """The lanes that may run, as nodes are written; all lanes if no loop is copied for them.

    `trips` are loop number -> iterations, for loops that may be copied. `shapes` are those of the
    workgroup, None where nothing is to be known.
    """

    def __init__(
        self,
        lanes: LaneCode,
        plan: LanePlan,
        trips: Mapping[int, Trips],
        shapes: Shapes | None,
        group_bytes: int,
    ) -> None:
        self._lanes, self._flow = lanes, lanes.flow
        self._same = plan.masks.same
        self._found: RunningLanes | None = None
        self._loop_vectors: dict[int, int] = {}
        """Loop that is not copied -> vectors of its header, which all its nodes have."""
        self.copied: Mapping[int, Trips] = {}
        """Loop number -> iterations of the loops that are written once for each of them."""
        self.forwarded = Forwarded()
        """Loads of `group_bytes` of group memory that take what has been stored, if all can."""
        if shapes is not None and has_known_lanes(shapes):
            if group_bytes:
                self.copied = Walk(shapes, trips, gains=False).copied
                self.forwarded = forwarded_in_copies(
                    shapes, self.copied, plan.masks.runs_with, group_bytes, lanes.n
                )
            if not self.forwarded.loads:
                self.copied = Walk(shapes, trips).copied
            # A stencil with a halo, which has no tree, took 1.1 times as long.
            self._found = RunningLanes(shapes, self.copied) if self.copied else None
        if shapes is not None and group_bytes and not (self._found or self.forwarded.loads):
            self.forwarded = own_words(shapes, group_bytes)

    @property
    def is_off(self) -> bool:
        """Whether all nodes compute all vectors."""
        return self._found is None

    def begin(self, number: int, *, enters: bool) -> bool:
        """Begin a node, which `enters` a loop if it is its header; return whether lanes may run."""
        found, lanes = self._found, self._lanes
        if found is None:
            return True
        if (other := self._same[number]) != number:
            found.share(number, other)
        header_of = [loop.number for loop in self._flow.loops if loop.header == number]
        if header_of and enters:
            found.enter(number)
        running = found.begin(number)
        vectors = -(-last_lane(running) // lanes.n)
        loop = self._flow.loop_of[number]
        self._loop_vectors.update(dict.fromkeys(header_of, vectors))
        if loop is not None and loop not in self.copied:
            vectors = self._loop_vectors[loop]
        last = self._flow.nodes[number].last
        if last is not None and last.row.is_barrier:
            vectors = lanes.most  # also of lanes that should be there
        lanes.use_vectors(max(vectors, 1))
        return bool(running.any())

    def end(self) -> None:
        """End the nodes: code that follows is for all lanes."""
        self._lanes.use_vectors(self._lanes.most)

    def repeat(self, loop: Loop) -> None:
        """Begin the next iteration of a loop that is copied."""
        if self._found is not None and loop.number in self.copied:
            self._found.repeat(loop)

    def ways(self, number: int) -> list[Lanes] | None:
        """Return the lanes that may go to the successors of a branch; None if it is not known."""
        return None if self._found is None else self._found.ways(number)

    def take(
        self, number: int, target: int, some: Lanes | None = None, *, certainly: bool = True
    ) -> None:
        """Let `some` lanes, by default all, go from a node to a successor."""
        found = self._found
        if found is not None:
            some = found.may_run(number) if some is None else some
            found.take(number, target, some, certainly=certainly)

    def exact_masks(self, number: int) -> list[str] | None:
        """Return the lanes that run a node, chunk by chunk, if they are known; else None."""
        found, lanes = self._found, self._lanes
        if found is None or not found.is_exact(number):
            return None
        running = found.may_run(number).tolist()
        return [mask_constant(running[at : at + lanes.n]) for at in range(0, lanes.count, lanes.n)]

    def all_run(self, number: int) -> bool:
        """Return whether all lanes of the workgroup are known to run a node."""
        found = self._found
        return found is not None and found.is_exact(number) and bool(found.may_run(number).all())

    def masks(self, some: Lanes) -> list[str]:
        """Return the running lanes that are among some, chunk by chunk."""
        lanes, n = self._lanes, self._lanes.n
        found = []
        for at, mask in enumerate(lanes.mask):
            here = some[at * n : (at + 1) * n]
            if here.all() or not here.any():
                found.append(mask if here.any() else "zeroinitializer")
                continue
            constant = mask_constant(here.tolist())
            if mask != ALL:
                constant = lanes.code.let(f"and {lanes.mask_type} {mask}, {constant}")
            found.append(constant)
        return found
