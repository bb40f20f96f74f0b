"""Lanes that get their next work-items while others are in a loop.

Lanes that have left the loop wait until some more have, since it takes as long to give work-items
to one lane as to many. Then all lanes leave it, and those that are still in it keep their values in
the phis of its header until the others have begun.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from .....isa.table import BY_NAME
from ....analysis.flow.order import Refill
from ....analysis.lanes.sparse import ways_out
from ....analysis.values.ssa import Phi, Value, same_value
from ...arithmetic import emit as alu
from ...llvm.text import integer
from ...llvm.vectors import CHUNK
from ...runtime.context import GROUPS, ITEMS, Slot
from .. import budget
from ..context_code import load_slot_32, store_slot
from ..control.edges import Edges
from ..lane_code import LaneCode

_TRAPPED = "lane that has trapped"
"""The variable that has the number of a lane whose work-item ends the launch."""


class RefilledLanes:
    """Gives work-items to lanes, and says when lanes leave the loop for that."""

    ENDED = "loop_ended"
    """The block where the loop ends before its latch, since no lane is left in it."""

    def __init__(self, lanes: LaneCode, edges: Edges, refill: Refill) -> None:
        self._lanes, self._edges, self._refill = lanes, edges, refill
        self.node, self.latch = refill.node, refill.latch
        self.header, self.inner_latch = refill.header, refill.inner_latch
        edges.refilled = self
        self._exit = self._only_exit()
        self._later = self._taken_later()
        self._staying = set(self._later.values())
        lanes.table.steps_in_some(self._staying)
        facts, entry = lanes.facts, lanes.entry
        self._size = prod(facts.group_size)
        self._whole = facts.whole
        self._dimensions = range(3) if not facts.whole else sorted(self._read())
        self._types = [integer(32, lanes.n)] * lanes.k
        lanes.report = self.report
        number = entry.let("sub i64 %last, %first")
        self._total = entry.let(f"trunc i64 {entry.let(f'mul i64 {number}, {self._size}')} to i32")
        self._first = entry.let("trunc i64 %first to i32")
        gx, gy, gz = (load_slot_32(entry, slot) for slot in GROUPS)
        self._groups = gx, gy
        rows = entry.let(f"mul i32 {gy}, {gz}")
        self._one_row = entry.let(f"icmp eq i32 {rows}, 1")

    def _read(self) -> set[int]:
        """Return the dimensions in which the kernel reads a work-item's place."""
        ops = (op for ops in self._lanes.ssa.ops.values() for op in ops)
        return {op.ins.literals[0] for op in ops if op.ins.row.stem == "workitemabsid"}

    # --- what lanes take out of the loop

    def _only_exit(self) -> int | None:
        """Return the node to which all lanes go that leave the loop, if it is one."""
        flow = self._lanes.flow
        ways = {flow.route(*edge) for edge in ways_out(flow, flow.loops[self._refill.loop])}
        return ways.pop() if len(ways) == 1 else None

    def _taken_later(self) -> dict[Phi, Phi]:
        """Return phis after the loop -> phis of its header that keep their values for lanes.

        Lanes that have left the loop keep what the header's phi had then, if it changes in running
        lanes only. So it need not be copied in each iteration.
        """
        flow, ssa, found = self._lanes.flow, self._lanes.ssa, dict[Phi, Phi]()
        if self._exit is None:
            return found
        loop = flow.loops[self._refill.loop]
        headers = ssa.phis.get(loop.header, ())
        for phi in ssa.phis.get(self._exit, ()):
            args = {n: value for n, value in phi.args.items() if n in loop.nodes}
            for header in headers:
                if all(same_value(v) == same_value(_left(header, n)) for n, v in args.items()):
                    found[phi] = header
                    break
        return found

    def takes_later(self, phi: Phi, source: int) -> bool:
        """Return whether a phi takes what lanes bring from a node when all leave the loop."""
        loop = self._lanes.flow.loops[self._refill.loop]
        return phi in self._later and source in loop.nodes

    def stays(self, phi: Phi, way: int) -> bool:
        """Return whether a phi of the loop's header keeps its value for lanes that have left."""
        return phi in self._staying and way == self.inner_latch

    def collects(self, source: int, way: int) -> bool:
        """Return whether lanes that leave the loop are known when all leave it."""
        loop = self._lanes.flow.loops[self._refill.loop]
        return way == self._exit and source in loop.nodes

    def enter_loop(self) -> None:
        """Note the lanes that enter the loop."""
        lanes = self._lanes
        if self._exit is not None:
            lanes.variables.store(("entered", self.header), lanes.mask_types(), lanes.mask)

    def ends(self, number: int, following: int | None) -> bool:
        """Return whether the loop ends after a node in it, if `following` is the next node."""
        flow = self._lanes.flow
        is_inside = number in flow.loops[self._refill.loop].nodes - {self.inner_latch}
        places, last = flow.position, flow.position[self.inner_latch]
        return is_inside and (following is None or places[following] > last)

    def begin_iteration(self) -> None:
        """Append the end of the loop for all lanes, if some shall get work-items, at its latch."""
        lanes, code = self._lanes, self._lanes.code
        off, on = code.fresh_label("off"), code.fresh_label("on")
        code.branch(self._leaves(), off, on)
        code.block(off)
        mask = list(lanes.mask)
        self._end_loop(mask)
        code.block(self.ENDED)
        self._end_loop(["zeroinitializer"] * lanes.k)
        code.block(on)

    def _end_loop(self, kept: Sequence[str]) -> None:
        """End the block: all lanes but those that are `kept` have left the loop."""
        lanes, code, edges = self._lanes, self._lanes.code, self._edges
        ways: list[int] = []
        if self._exit is not None:
            entered = lanes.variables.load(("entered", self.header), lanes.mask_types())
            left = [
                code.let(f"xor {lanes.mask_type} {a}, {b}")
                for a, b in zip(entered, kept, strict=True)
            ]
            for phi, header in self._later.items():
                for part, types in lanes.parts(phi):
                    lanes.local.clear()
                    values = lanes.incoming(phi, header, part)
                    lanes.copy((phi, part), types, values, left)
            edges.wait_at(self._exit, left, others_wait=True)
            ways.append(self._exit)
        lanes.local.clear()
        edges.end_node(self.inner_latch, *ways)

    # --- work-items

    def begin(self) -> None:
        """Append what precedes the nodes: no lane has a work-item."""
        lanes, variables = self._lanes, self._lanes.variables
        for name in ("next item", "iterations", "lanes"):
            variables.set_word(name, "0")
        for place in ("number", *self._dimensions):
            variables.store(("item", place), self._types, ["zeroinitializer"] * lanes.k)
        if lanes.facts.poison is not None:  # a debug build
            return
        for phi in lanes.ssa.phis.get(self._refill.header, ()):
            for part, types in lanes.parts(phi):
                variables.store((phi, part), types, [_zero(t) for t in types])

    def end(self) -> None:
        """Append what follows the nodes: how often lanes were in the loop."""
        code, variables = self._lanes.code, self._lanes.variables
        code.line(f"store i64 {variables.word('iterations')}, ptr %measured")
        second = code.let("getelementptr i64, ptr %measured, i64 1")
        code.line(f"store i64 {variables.word('lanes')}, ptr {second}")

    def report(self, lane: str) -> None:
        """Note that the work-item of a lane (an i64) has trapped: `end_trapped` looks for it."""
        self._lanes.variables.set_word(_TRAPPED, lane)

    def end_trapped(self) -> None:
        """Write into the context block which work-item has trapped, once for all traps."""
        lanes, code = self._lanes, self._lanes.code
        if not lanes.variables.has(_TRAPPED):
            return
        cells = lanes.entry.let(f"alloca [{lanes.n * lanes.k} x i32], align 64")
        numbers = lanes.variables.load(("item", "number"), self._types)
        for t, number, place in zip(
            self._types, numbers, lanes.chunk_places(cells, 32), strict=True
        ):
            code.line(f"store {t} {number}, ptr {place}")
        place = code.let(f"getelementptr i32, ptr {cells}, i64 {lanes.variables.word(_TRAPPED)}")
        number = code.let(f"zext i32 {code.let(f'load i32, ptr {place}')} to i64")
        group = code.let(f"udiv i64 {number}, {self._size}")
        store_slot(code, Slot.TRAP_GROUP, code.let(f"add i64 {group}, %first"))
        store_slot(code, Slot.TRAP_LOCAL, code.let(f"urem i64 {number}, {self._size}"))

    def places(self, dimension: int) -> list[str]:
        """Return workitemabsid of the lanes' work-items."""
        return self._lanes.variables.load(("item", dimension), self._types)

    def give(self) -> None:
        """End the node at which lanes wait: those that get work-items begin the kernel."""
        lanes, code, edges = self._lanes, self._lanes.code, self._edges
        number, t = self._refill.node, lanes.mask_type
        waiting = list(lanes.mask)
        budget.renew(lanes)
        if self._whole:
            got = self._give(waiting)
        else:
            # Workgroups at edges of the grid have places without a work-item.
            again, on = code.fresh_label("give"), code.fresh_label("given")
            variables, types = lanes.variables, lanes.mask_types()
            variables.store("without item", types, waiting)
            variables.store("with item", types, ["zeroinitializer"] * lanes.k)
            code.jump(again)
            code.block(again)
            some = self._give(variables.load("without item", types))
            exist = self._exist()
            have = lanes.combine("and", some, exist)
            missing = lanes.combine("xor", some, have)
            before = variables.load("with item", types)
            variables.store("with item", types, lanes.combine("or", before, have))
            variables.store("without item", types, missing)
            code.branch(lanes.any(missing), again, on)
            code.block(on)
            got = variables.load("with item", types)
        more = code.let(f"icmp ult i32 {self._next()}, {self._total}")
        lanes.variables.set_word("keep", code.let(f"select i1 {more}, i64 %keep, i64 0"))
        none = [code.let(f"xor {t} {a}, {b}") for a, b in zip(waiting, got, strict=True)]
        first, end = lanes.flow.nodes[number].successors
        lanes.local.clear()
        edges.edge(number, first, got, waiting)
        edges.edge(number, end, none, waiting)
        edges.end_node(number, first, end)

    def _next(self) -> str:
        return self._lanes.code.let(f"trunc i64 {self._lanes.variables.word('next item')} to i32")

    def _give(self, waiting: Sequence[str]) -> list[str]:
        """Give the next numbers to waiting lanes, in order; return those for which there are."""
        lanes, code = self._lanes, self._lanes.code
        t, following, numbers = integer(32, CHUNK), self._next(), list[str]()
        steps = f"<{', '.join(f'i32 {lane}' for lane in range(CHUNK))}>"
        for chunk in waiting:
            rows = list[str]()
            for (mask,) in lanes.register_parts(32, f"{lanes.mask_type} {chunk}"):
                first = code.let(f"insertelement {t} poison, i32 {following}, i32 0")
                zero = f"<{CHUNK} x i32> zeroinitializer"
                first = code.let(f"shufflevector {t} {first}, {t} poison, {zero}")
                row = code.let(f"add {t} {first}, {steps}")
                given = f"{t} {row}", f"{t} zeroinitializer", mask
                rows.append(code.call(t, f"llvm.x86.avx512.mask.expand.v{CHUNK}i32", *given))
                bits = code.let(f"bitcast {mask} to i{CHUNK}")
                count = code.call(f"i{CHUNK}", f"llvm.ctpop.i{CHUNK}", f"i{CHUNK} {bits}")
                more = code.let(f"zext i{CHUNK} {count} to i32")
                following = code.let(f"add i32 {following}, {more}")
            numbers.append(lanes.joined(32, CHUNK, rows))
        lanes.variables.set_word("next item", code.let(f"zext i32 {following} to i64"))
        are = lanes.each("icmp ult", 32, numbers, lanes.spread(32, self._total))
        got = lanes.combine("and", are, waiting)
        lanes.copy(("item", "number"), self._types, numbers, got)
        for dimension, places in self._positions(numbers).items():
            lanes.copy(("item", dimension), self._types, places, got)
        return got

    def _positions(self, numbers: list[str]) -> dict[int, list[str]]:
        """Return workitemabsid of work-items in each dimension that is read.

        `numbers` are those in the call.
        """
        lanes, code = self._lanes, self._lanes.code

        def by(operation: str, values: list[str], divisor: int) -> list[str]:
            return lanes.each(operation, 32, values, [_splat(divisor)] * lanes.k)

        groups = by("udiv", numbers, self._size)
        local = by("urem", numbers, self._size)
        groups = lanes.each("add", 32, groups, lanes.spread(32, self._first))
        several, one = code.fresh_label("rows"), code.fresh_label("row")
        here = code.current_block
        code.branch(self._one_row, one, several)
        code.block(several)
        zeros = ["zeroinitializer"] * lanes.k
        rows, xs = self._divided(groups, self._groups[0])
        planes, ys = zeros, zeros
        if max(self._dimensions, default=0) > 0:
            planes, ys = self._divided(rows, self._groups[1])
        code.jump(one)
        code.block(one)
        t, ways = integer(32, lanes.n), ((groups, xs), (zeros, ys), (zeros, planes))
        found = {
            d: [code.phi(t, (a, here), (b, several)) for a, b in zip(*ways[d], strict=True)]
            for d in self._dimensions
        }
        places = dict[int, list[str]]()
        for dimension, size in enumerate(lanes.facts.group_size):
            if dimension in found:
                own = by("urem", local, size) if dimension < 2 else local
                start = by("mul", found[dimension], size)
                places[dimension] = lanes.each("add", 32, start, own)
            local = by("udiv", local, size)
        return places

    def _divided(self, values: list[str], divisor: str) -> tuple[list[str], list[str]]:
        """Return quotients and remainders of numbers by a scalar."""
        lanes = self._lanes
        by = lanes.spread(32, divisor)
        quotients = [
            alu.emit(lanes.code, BY_NAME["div_u32"], (), [a, b], lanes.n)
            for a, b in zip(values, by, strict=True)
        ]
        products = lanes.each("mul", 32, quotients, by)
        return quotients, lanes.each("sub", 32, values, products)

    def _exist(self) -> list[str]:
        """Return the lanes whose places are in the grid."""
        lanes = self._lanes
        found = ["splat (i1 true)"] * lanes.k
        for dimension, slot in enumerate(ITEMS):
            limit = lanes.spread(32, load_slot_32(lanes.code, slot))
            inside = lanes.each("icmp ult", 32, self.places(dimension), limit)
            found = lanes.combine("and", found, inside)
        return found

    def returns(self) -> str:
        """Return whether lanes are to begin the kernel, or to continue in the loop (an i1)."""
        lanes = self._lanes
        kept = lanes.variables.load(("mask", self._refill.header), lanes.mask_types())
        return lanes.any(lanes.combine("or", lanes.mask, kept))

    def _leaves(self) -> str:
        """Return whether all lanes leave the loop, to which some come back (an i1)."""
        lanes, code, variables = self._lanes, self._lanes.code, self._lanes.variables
        count = code.call("i64", "llvm.ctpop.i64", f"i64 {lanes.running()}")
        for name, more in (("iterations", "1"), ("lanes", count)):
            variables.set_word(name, code.let(f"add i64 {variables.word(name)}, {more}"))
        return code.let(f"icmp ule i64 {count}, {variables.word('keep')}")


def _left(header: Phi, source: int) -> Value:
    """Return what a phi of a loop's header has for lanes that leave the loop at a node.

    Lanes of a node that begins the next iteration have the next value already.
    """
    return header.args.get(source, header)


def _zero(type_: str) -> str:
    return "zeroinitializer" if type_.startswith("<") else "0"


def _splat(number: int) -> str:
    return f"splat (i32 {number})"
