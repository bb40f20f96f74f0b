"""Barriers between the warps of a workgroup, and the frame in which a warp keeps its values.

The warps of a workgroup take turns: each runs until its next barrier, puts what it will need again
into its *frame* and stops; when all have stopped at the same barrier the next round begins. A frame
begins with the place where the warp resumes (0: the start, -1: it has ended, else the number of the
node with the barrier), the mask of the live lanes, and the remaining budget; the counters of the
budget follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from .....isa.types import RegClass
from ....analysis.lanes.lane_plan import LanePlan
from ....analysis.values.recomputed import recomputed
from ....analysis.values.ssa import Op, Value, live_out
from ...llvm.text import register_type
from ...runtime.context import Slot, TrapCode
from .. import budget
from ..context_code import load_slot
from ..control.edges import Edges
from ..lane_code import LaneCode
from .identity import WARP, Warp

HEAD_BYTES = 64
"""Bytes of a frame before the counters: place, live lanes, remaining budget."""

ENDED = -1
"""The place of a warp that has ended."""

FRAME = "%frame"
"""The frame of the running warp, a ptr."""

Kept = tuple[object, list[str], int]
"""A variable that is used after a barrier: its key, its types, its offset in the frame."""


class Barriers:
    """The barriers of a kernel, for the running warp."""

    def __init__(
        self, lanes: LaneCode, plan: LanePlan, warp: Warp, edges: Edges, *, together: bool
    ) -> None:
        self.lanes = lanes
        self._together = together
        """Whether all work-items of a workgroup are known to reach each barrier together."""
        self.edges = edges
        self._warp = warp
        self._waits = plan.waits
        self._words = lanes.variables
        self.nodes = [n for n in lanes.flow.order if n in plan.waits and _ends(lanes, n)]
        """The nodes that end with a barrier."""
        self._head_bytes = HEAD_BYTES + -(-budget.counter_bytes(lanes) // 64) * 64
        self.frame_bytes = self._head_bytes
        places: dict[object, int] = {}
        after = live_out(lanes.ssa) if self.nodes else {}
        self._again = {n: recomputed(after[n], lanes.table.position) for n in self.nodes}
        """Barrier -> what a warp that resumes there computes anew."""
        self._kept = {
            n: list(self._place(n, after[n].difference(self._again[n]), places)) for n in self.nodes
        }
        self.frame_bytes = -(-self.frame_bytes // 64) * 64

    # --- a warp begins, resumes, ends

    def open_frame(self) -> None:
        """Find the frame of the warp."""
        code = self.lanes.code
        frames = code.let(f"inttoptr i64 {load_slot(code, Slot.FRAMES)} to ptr")
        offset = code.let(f"mul i64 {WARP}, {self.frame_bytes}")
        code.let(f"getelementptr i8, ptr {frames}, i64 {offset}", FRAME)

    def clear_held(self) -> None:
        """Let no lane wait at a barrier."""
        for node in self.lanes.flow.nodes:
            if _ends(self.lanes, node.number):
                self._words.set_word(f"held{node.number}", "0")

    def begin(self, live: Sequence[str]) -> None:
        """Begin the frame of a warp with these lanes."""
        budget.fill(self.lanes, self._counters())
        if not self._together:
            self._set_live(self.lanes.word(live))

    def resume(self, place: str, compute: Callable[[Op], None]) -> None:
        """Continue a warp after its barrier, or skip it if it has ended.

        `compute` emits an instruction.
        """
        lanes, code = self.lanes, self.lanes.code
        if lanes.flow.loops:
            self._words.set_word("budget", code.let(f"load i64, ptr {self._budget_place()}"))
            lanes.variables.store("counters", ["ptr"], [self._counters()])
        code.switch(place, "warp_next", {n: f"resume{n}" for n in self.nodes})
        for number in self.nodes:
            code.block(f"resume{number}")
            for type_, variable, cell in self._cells(number):
                value = code.let(f"load {type_}, ptr {cell}, align 8")
                code.line(f"store {type_} {value}, ptr {variable}")
            lanes.local.clear()
            for op in self._again[number]:
                compute(op)
            way = lanes.flow.route(number, lanes.flow.nodes[number].successors[0])
            self.edges.enter(way, self._all() if self._together else lanes.chunks(self._live()))

    def end(self) -> None:
        """End the run of a warp: stop at the barrier where lanes wait, or end the warp."""
        code = self.lanes.code
        if self._together:
            self._words.set_word("resumes", str(ENDED))
        else:
            for number in self.nodes:
                if self._waits[number] and self._can_wait(number):
                    self._stop_held(number)
            code.line(f"store i64 {ENDED}, ptr {FRAME}")
        code.jump("warp_next")

    def _stop_held(self, number: int) -> None:
        lanes, code = self.lanes, self.lanes.code
        held = self._words.word(f"held{number}")
        waiting, whole, partial, over = (f"{stem}{number}" for stem in ("h", "w", "q", "o"))
        code.branch(code.let(f"icmp eq i64 {held}, 0"), over, waiting)
        code.block(waiting)
        code.branch(code.let(f"icmp eq i64 {held}, {self._live()}"), whole, partial)
        code.block(partial)
        stop = lanes.flow.nodes[number].stop
        lanes.trap(TrapCode.DIVERGENT_BARRIER, stop, lanes.chunks(held))
        code.block(over)

    # --- lanes at barriers and returns

    def note_exit(self, chunks: Sequence[str]) -> None:
        """Count lanes that return: they are no longer live, and no barrier waits for them."""
        if self._together:
            return
        code = self.lanes.code
        gone = self.lanes.word(chunks)
        self._set_live(code.let(f"and i64 {self._live()}, {code.let(f'xor i64 {gone}, -1')}"))
        count = code.call("i64", "llvm.ctpop.i64", f"i64 {gone}")
        returned = self._words.word("returned")
        self._words.set_word("returned", code.let(f"add i64 {returned}, {count}"))

    def stop(self, number: int) -> None:
        """End a node with a barrier: if all live lanes are here, fill the frame and stop."""
        lanes, code, words = self.lanes, self.lanes.code, self._words
        node = lanes.flow.nodes[number]
        if self._together:
            self._fill_frame(number, self._all())
            words.set_word("resumes", str(number))
            code.jump("warp_next")
            return
        held = lanes.word(lanes.mask)
        words.set_word(f"held{number}", held)
        partial = f"p{number}"
        code.branch(code.let(f"icmp eq i64 {held}, {self._live()}"), f"w{number}", partial)
        code.block(partial)
        if self._can_wait(number):
            # Others may return first, or arrive: they run on, and `end` looks again.
            self.edges.end_node(number)
        else:
            lanes.trap(TrapCode.DIVERGENT_BARRIER, node.stop, lanes.mask)
        code.block(f"w{number}")
        lanes.local.clear()
        here = words.word(f"held{number}")
        self._fill_frame(number, lanes.chunks(here))
        code.line(f"store i64 {number}, ptr {FRAME}")
        self._note_stop(node.stop, here)
        code.jump("warp_next")

    def _fill_frame(self, number: int, chunks: Sequence[str]) -> None:
        """Keep what these lanes need after a barrier."""
        lanes, code = self.lanes, self.lanes.code
        self.edges.edge(number, lanes.flow.nodes[number].successors[0], chunks)
        for type_, variable, cell in self._cells(number):
            value = code.let(f"load {type_}, ptr {variable}")
            code.line(f"store {type_} {value}, ptr {cell}, align 8")
        if lanes.flow.loops:
            code.line(f"store i64 {self._words.word('budget')}, ptr {self._budget_place()}")

    def _all(self) -> list[str]:
        return ["splat (i1 true)"] * self.lanes.k

    def _note_stop(self, pc: int, here: str) -> None:
        """Count a warp that waits at a barrier with its lanes, and compare it with the others."""
        code, words = self.lanes.code, self._words
        waiting = words.word("waiting")
        first = code.let(f"icmp eq i64 {waiting}, 0")
        words.set_word("waiting", code.let(f"add i64 {waiting}, 1"))
        known = words.word("barrier_pc")
        other = code.let(f"icmp ne i64 {known}, {pc}")
        later = code.let(f"xor i1 {first}, true")
        differs = code.let(f"zext i1 {code.let(f'and i1 {later}, {other}')} to i64")
        words.set_word("unequal", code.let(f"or i64 {words.word('unequal')}, {differs}"))
        words.set_word("barrier_pc", code.let(f"select i1 {first}, i64 {pc}, i64 {known}"))
        lane = self.lanes.lowest(here)
        flat = code.let(f"add i64 {code.let(f'zext i32 {self._warp.first} to i64')}, {lane}")
        waiter = words.word("waiter")
        words.set_word("waiter", code.let(f"select i1 {first}, i64 {flat}, i64 {waiter}"))

    def _can_wait(self, number: int) -> bool:
        """Return whether lanes may wait at a barrier while others of their warp run on.

        Not in a loop that others have yet to run: their next iteration would change the values of
        those that wait.
        """
        around = {n for loop in self.lanes.flow.loops_around(number) for n in loop.nodes}
        return not around & self._waits[number]

    # --- the frame

    def _live(self) -> str:
        """Return the live lanes of the warp, an i64."""
        code = self.lanes.code
        place = code.let(f"getelementptr i8, ptr {FRAME}, i64 8")
        return code.let(f"load i64, ptr {place}")

    def _set_live(self, word: str) -> None:
        place = self.lanes.code.let(f"getelementptr i8, ptr {FRAME}, i64 8")
        self.lanes.code.line(f"store i64 {word}, ptr {place}")

    def _budget_place(self) -> str:
        return self.lanes.code.let(f"getelementptr i8, ptr {FRAME}, i64 16")

    def _counters(self) -> str:
        return self.lanes.code.let(f"getelementptr i8, ptr {FRAME}, i64 {HEAD_BYTES}")

    def _cells(self, number: int) -> Iterator[tuple[str, str, str]]:
        """Yield (type, variable, place in the frame) of each piece of what a barrier keeps."""
        lanes = self.lanes
        for key, types, offset in self._kept[number]:
            step = self._step(types)
            places = lanes.variables.places(key, types)
            cells = [
                lanes.code.let(f"getelementptr i8, ptr {FRAME}, i64 {offset + step * at}")
                for at in range(len(types))
            ]
            yield from zip(types, places, cells, strict=True)

    def _place(self, number: int, wanted: set[Value], places: dict[object, int]) -> Iterator[Kept]:
        """Give what is used after a barrier its place in the frame.

        Variables have one place whatever the barrier. A piece takes 64 bytes at most (a chunk of
        16 i32), or 128 (16 i64), in steps of 64.
        """
        for key, types in self._used_after(number, wanted):
            if key not in places:
                step = self._step(types)
                places[key] = -(-self.frame_bytes // step) * step
                self.frame_bytes = places[key] + step * len(types)
            yield key, types, places[key]

    def _used_after(self, number: int, wanted: set[Value]) -> list[tuple[object, list[str]]]:
        """Return (variable, types) of what is used after a barrier."""
        lanes = self.lanes
        target = lanes.flow.nodes[number].successors[0]
        way = lanes.flow.route(number, target)
        kept: list[tuple[object, list[str]]] = []
        for value in sorted(wanted, key=lanes.table.position):
            kept += [((value, part), types) for part, types in lanes.parts(value)]
        phis = lanes.ssa.phis.get(target, ())
        if way != target:
            for phi in phis:
                kept += [((phi, part, "next"), types) for part, types in lanes.parts(phi)]
        else:
            known = {key for key, _ in kept}
            kept += [
                ((phi, part), types)
                for phi in phis
                for part, types in lanes.parts(phi)
                if (phi, part) not in known
            ]
        return kept

    def _step(self, types: list[str]) -> int:
        """Return the bytes of a scalar, or of a chunk: a cache line for 16 lanes of 32 bits."""
        if not types[0].startswith("<"):
            return 8
        bits = self.lanes.n * (64 if types[0] == register_type(RegClass.D, self.lanes.n) else 32)
        return -(-bits // 512) * 64


def _ends(lanes: LaneCode, number: int) -> bool:
    last = lanes.flow.nodes[number].last
    return last is not None and last.row.is_barrier
