"""From SSA to LLVM IR: masks, edges, blends, and the loops over workgroups and warps.

Each node becomes a run of LLVM blocks in the linear order. A node has a mask variable of the lanes
that wait there; running takes them all, and the edges out of it hand them on. Nothing but memory
and phi copies is masked: other instructions run for dead lanes too, whose values nobody sees.

A phi is a variable; that of a loop header has a second one for the next trip, which becomes the
first at the latch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ....isa.program import Kernel
from ...analysis.lane_plan import LanePlan
from ...analysis.ssa import Op, Phi, Value, same_value
from ...analysis.uniformity import Shapes
from ..llvm.text import ModuleText
from ..runtime.context import TrapCode
from . import budget
from .identity import Lanes
from .instructions import Instructions
from .lane_by_lane import Peel
from .values import Mask


class Lowering(Instructions):
    """Generates the function of one kernel under the given facts."""

    def __init__(
        self,
        module: ModuleText,
        kernel: Kernel,
        readonly_bytes: int,
        shapes: Shapes,
        plan: LanePlan,
    ) -> None:
        super().__init__(module, kernel, readonly_bytes, shapes.ssa, shapes)
        self.name = "kernel"
        self.uniform_branches, self.sparse = plan.uniform_branches, plan.sparse
        self.arrivals, self.waits, self.masks = plan.arrivals, plan.waits, plan.masks
        self.lanes = Lanes(self)
        # What frames.py keeps of a warp that waits at a barrier.
        self.barriers: list[int] = []
        self.frame_places: dict[object, int] = {}
        self.frame_used = 0
        self.frame_size = 0

    def identity(self, op: Op) -> None:
        self.lanes.op(op)

    def report(self, lane: str) -> None:
        self.lanes.report(lane)

    # --- the function

    def function(self) -> str:
        """Generate everything and return the text of the function."""
        from .function import run_groups

        return run_groups(self)

    def clear_masks(self) -> None:
        """Nobody waits anywhere: the state before a warp starts or goes on."""
        for number in self.waits:
            self._clear(number)

    def enter(self, number: int, mask: Sequence[str]) -> None:
        """Let lanes wait at a node and go there; nobody else waits."""
        self.store(("mask", number), self.mask_types(), mask)
        self.code.jump(f"n{number}")

    def nodes(self) -> None:
        """The code of all nodes, in the linear order."""
        for number in self.flow.order:
            if number not in self.waits:
                continue
            self.node = number
            self.local.clear()
            self.code.block(f"n{number}")
            self._take_mask(number)
            if number in self.masks.tested:
                following = self.next_of(self.waits[number])
                self.code.branch(self.any(self.mask.chunks), f"r{number}", following)
                self.code.block(f"r{number}")
                self._take_mask(number)
            if not self.masks.shared(number):
                self.store(("run", number), self.mask_types(), self.mask.chunks)
                self._clear(number)
            if number in self.sparse:
                Peel(self, self.sparse[number]).emit()
                continue
            if self.flow.nodes[number].latch_of is not None:
                self._go_round(number)
                continue
            for op in self.ssa.ops.get(number, ()):
                self.op(op)
            self._leave(number)

    def _take_mask(self, number: int) -> None:
        same = self.masks.same[number]
        key = ("run", same) if same != number else ("mask", number)
        self.mask = Mask(self.load(key, self.mask_types()))

    def _clear(self, number: int) -> None:
        if not self.masks.shared(number):
            self.store(("mask", number), self.mask_types(), ["zeroinitializer"] * self.k)

    def next_of(self, waits: Iterable[int]) -> str:
        """The label of the first node of those at which lanes may wait."""
        number = self.masks.next_of(waits)
        return "warp_over" if number is None else f"n{number}"

    def _go_round(self, number: int) -> None:
        """The lanes at a latch go on with the next trip."""
        header = self.flow.loops[self.flow.nodes[number].latch_of or 0].header
        for phi in self.ssa.phis.get(header, ()):
            for part, types in self.parts(phi):
                self.store((phi, part), types, self.load((phi, part, "next"), types))
        self.wait_at(header, self.mask.chunks)
        budget.spend(self, header)
        # Somebody runs it: there is no need to test again.
        self.code.jump(f"{'r' if header in self.masks.tested else 'n'}{header}")

    # --- edges

    def parts(self, value: Value) -> list[tuple[str, list[str]]]:
        """(part, types) of a value's variables: of one with a stride, lane 0 alone."""
        if self.is_counted(value):
            return [("lane0", self.types_of(value.cls, True))]
        return [("value", self.types_of(value.cls, self.shapes.is_uniform(value)))]

    def edge(self, there: int, chunks: Sequence[str], running: Sequence[str] | None = None) -> int:
        """Hand lanes on to a successor: its mask and its phis. Returns where they wait.

        `running` are the lanes of the node, if more than these. None of them waits, so a copy need
        not spare those that go elsewhere. A variable of one scalar for all lanes belongs to those
        that wait there with another value, unless a lane does take this edge: then none of them
        does, since lanes with different values would meet.
        """
        here = self.node
        way = self.flow.route(here, there)
        others_wait = way in self.waits[here]
        taken = ""
        copies = []
        for phi in self.ssa.phis.get(there, ()):
            for part, types in self.parts(phi):
                key = (phi, part) if way == there else (phi, part, "next")
                values = self.incoming(phi, phi.args[here], part)
                if others_wait and not types[0].startswith("<") and self._others_bring(phi, way):
                    taken = taken or self.any(chunks)
                    values = self._unless_empty(taken, key, types, values)
                copies.append((key, types, values))
        for key, types, values in copies:
            self.copy(key, types, values, (running or chunks) if others_wait else None)
        self.wait_at(way, chunks, others_wait=others_wait)
        return way

    def _others_bring(self, phi: Phi, way: int) -> bool:
        """Whether lanes may wait at `way` that have come from elsewhere with another value."""
        own = same_value(phi.args[self.node])
        return any(
            place == way and same_value(phi.args[source]) != own
            for place, source in self.arrivals[self.node]
        )

    def _unless_empty(
        self, taken: str, key: object, types: Sequence[str], values: Sequence[str]
    ) -> list[str]:
        """Scalars of an edge if a lane takes it, else what the variable holds."""
        return [
            self.code.let(f"select i1 {taken}, {t} {new}, {t} {old}")
            for t, new, old in zip(types, values, self.load(key, types), strict=True)
        ]

    def wait_at(self, number: int, chunks: Sequence[str], others_wait: bool = False) -> None:
        """Lanes wait at a node, with others where it is others_wait."""
        if self.masks.shared(number):
            return
        if others_wait:
            chunks = self.combine("or", self.load(("mask", number), self.mask_types()), chunks)
        self.store(("mask", number), self.mask_types(), chunks)

    def _leave(self, number: int) -> None:
        """The end of a node: where its lanes go, and which node runs next."""
        node = self.flow.nodes[number]
        stem = node.last.row.stem if node.last is not None else "fall"
        waits = self.waits[number]
        match stem:
            case "ret":
                self.lanes.leave(self.mask.chunks)
                self.code.jump(self.next_of(waits))
            case "trap":
                self.trap(TrapCode.TRAP, node.stop, self.mask.chunks)
            case "barrier":
                from .function import stop_at_barrier

                stop_at_barrier(self, number)
            case "cbr" if len(node.successors) == 2:
                self._branch(number)
            case _:
                way = self.edge(node.successors[0], self.mask.chunks)
                self.code.jump(f"{self.next_of(waits | {way})}")

    def _branch(self, number: int) -> None:
        code, waits = self.code, self.waits[number]
        fall, taken = self.flow.nodes[number].successors
        condition = self.ssa.conditions[number]
        if number in self.uniform_branches:
            yes, no = f"y{number}", f"f{number}"
            code.branch(self.scalar(condition), yes, no)
            local = dict(self.local)
            for label, there in ((no, fall), (yes, taken)):
                self.local = dict(local)
                code.block(label)
                way = self.edge(there, self.mask.chunks)
                code.jump(f"{self.next_of(waits | {way})}")
            return
        on = self.vector(condition)
        to_taken = self.combine("and", self.mask.chunks, on)
        off = self.combine("xor", on, ["splat (i1 true)"] * self.k)
        to_fall = self.combine("and", self.mask.chunks, off)
        running = self.mask.chunks
        ways = {self.edge(fall, to_fall, running), self.edge(taken, to_taken, running)}
        code.jump(self.next_of(waits | ways))
