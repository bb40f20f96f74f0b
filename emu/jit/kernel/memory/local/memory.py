"""Loads and stores of group, private and readonly memory: 32-bit offsets into one block each.

The block is known: an access is inside or faults, and one test decides it (`checks.py`).
"""

from __future__ import annotations

from functools import partial

from ......isa.types import Segment, Type
from .....analysis.values.ssa import Op
from ....arithmetic.widths import extended
from ....llvm.text import integer
from ....runtime.context import Slot
from ...context_code import load_slot
from ...lane_code import LaneCode
from ..addressing.extent import Extent
from ..addressing.near import CLAMPS, has_permutes, is_shuffled
from ..cold import Cold
from ..kernel_memory import KernelMemory
from ..moves import Moves
from ..pieces.accesses import Pieces
from ..pieces.rows import whole_chunks
from ..shuffles import routed, shifted, shuffled, tables
from ..shuffles.forwarding import Forwarding
from ..shuffles.routed import Routed
from .checks import LocalChecks
from .own_records import OwnRecords
from .private_memory import PrivateMemory
from .single_loads import SingleLoads
from .walked_words import WalkedWords
from .words import WordTiles


class LocalMemory:
    """Emits the loads and stores of these segments."""

    def __init__(
        self, lanes: LaneCode, moves: Moves, cold: Cold, pieces: Pieces, memory: KernelMemory
    ) -> None:
        self.lanes = lanes
        self.moves = moves
        self.cold = cold
        self.pieces = pieces
        self.memory = memory
        self.checks = LocalChecks(lanes, memory)
        self.private = PrivateMemory(lanes, moves, memory, self.checks)
        self._single_loads = SingleLoads(lanes, memory, self.checks, self._any_places)
        self._own_records = OwnRecords(lanes, memory, self.checks)
        self._word_tiles = WordTiles(lanes, moves, pieces, memory)
        self._walked = WalkedWords(lanes, moves, self.checks)
        self.forwarding = Forwarding(lanes, memory.forwarded)
        self._readonly: str | None = None

    def op(self, op: Op) -> None:
        """Emit one load or store."""
        self._op(op)
        self._walked.end(op)

    def _op(self, op: Op) -> None:
        lanes = self.lanes
        address, type_ = op.ins.address, op.ins.row.type
        assert address is not None
        assert type_ is not None
        extent = self.checks.extent(op)
        self.forwarding.note(op, partial(self.moves.store_data, op, type_))
        if op in self.forwarding.found.outside:
            self.checks.guard(op, extent)
        forwarded = self.forwarding.load(op)
        if forwarded is not None and lanes.shapes.is_uniform(extent.base):
            lanes.define(op, "value", forwarded)
        elif forwarded is not None:
            self._define(op, [extended(lanes.code, c, type_, lanes.n) for c in forwarded])
        elif op in self.forwarding.found.own:
            self.forwarding.set_own(op, self.moves.store_data(op, type_))
        elif op in self.forwarding.found.unread:
            pass
        elif address.segment is Segment.GROUP and self.memory.group_scale > 1:
            self._word_tiles.op(op, type_, extent)
        elif extent.span() < 0:
            self.checks.always_faults(op)
            self._define_anything(op)
        elif address.segment is Segment.PRIVATE:
            self._define(op, self.private.access(op, type_, extent))
        elif lanes.shapes.is_uniform(extent.base):
            self._uniform(op, type_, extent, self._memory(address.segment))
        elif lanes.shapes.stride(extent.base) == type_.size:
            self._run(op, type_, extent, self._memory(address.segment))
        elif (route := routed.found_for(lanes, self.pieces, op, extent)) is not None:
            self._routed(op, type_, extent, self._memory(address.segment), route)
        elif (step := self.pieces.step(op, extent.base)) is not None:
            self._in_pieces(op, type_, extent, self._memory(address.segment), step)
        elif (distances := self._single_loads.found_for(op, extent)) is not None:
            loaded = self._single_loads.load(op, type_, extent, distances)
            self._define(op, [extended(lanes.code, c, type_, lanes.n) for c in loaded])
        elif address.segment is Segment.GROUP and self._walked.walks(op):
            memory = self._memory(Segment.GROUP)
            places = partial(self._places, memory, extent)
            gather = partial(self._one_by_one, op, type_, extent, memory)
            self._define(op, self._walked.load(op, type_, extent, places, gather))
        else:
            self._define(op, self._scattered(op, type_, extent, self._memory(address.segment)))

    def _memory(self, segment: Segment) -> str:
        entry = self.lanes.entry
        if segment is Segment.GROUP:
            return self.memory.group_place(entry)
        if self._readonly is None:
            # Read once per call: stores might change it for all that LLVM knows.
            slot = load_slot(entry, Slot.READONLY)
            self._readonly = entry.let(f"inttoptr i64 {slot} to ptr")
        return self._readonly

    # --- the ways of an access

    def _uniform(self, op: Op, type_: Type, extent: Extent, memory: str) -> None:
        """Access one place for all lanes."""
        lanes, code, moves = self.lanes, self.lanes.code, self.moves
        base = lanes.scalar(extent.base)
        self.checks.test(op)
        place = self._place(memory, base, extent.offset)
        if op.ins.row.is_load:
            lanes.define(op, "value", [moves.load(type_, place)])
        else:
            uniform = lanes.shapes.is_uniform(op.args[0])
            data = moves.store_scalar(op, type_) if uniform else self.cold.of_highest(op, type_)
            code.line(f"store i{type_.bits} {data}, ptr {place}")

    def _one_by_one(self, op: Op, type_: Type, extent: Extent, memory: str) -> list[str]:
        """Gather or scatter, after a test of the lanes that run."""
        self.checks.guard(op, extent)
        # Each of these memories has some bytes after it.
        return self.moves.access_each(op, type_, self._places(memory, extent), reads_on=True)

    def _any_places(self, op: Op, type_: Type, extent: Extent) -> list[str]:
        """Gather what has been tested."""
        places = self._places(self._memory(op.address.segment), extent)
        return self.moves.access_each(op, type_, places, reads_on=True)

    def _scattered(self, op: Op, type_: Type, extent: Extent, memory: str) -> list[str]:
        """Access any places: gather or scatter, if they are not shuffled neighbours."""
        lanes, code = self.lanes, self.lanes.code

        each = partial(self._one_by_one, op, type_, extent, memory)
        elements = tables.elements_of(self.memory.ranges.of(extent.base, op.node), extent)
        if op.ins.row.is_load and elements is not None:
            return tables.load_at_bytes(lanes, type_, memory, extent, elements)
        if op.ins.row.is_load and (record := self._own_records.load(op)) is not None:
            return record
        if (
            extent.offset < 0
            or op.ins.row.segment is not Segment.GROUP
            or not has_permutes(type_.size, lanes.n)
            or not is_shuffled(extent.base, lanes.shapes, clamps=CLAMPS)
            or not 0 <= (lanes.shapes.piece_stride(extent.base) or 0) <= 2 * type_.size
        ):
            return each()
        if not op.ins.row.is_load:
            if lanes.flow.loop_of[op.node] is None:
                return each()
            self._store_shuffled(op, type_, extent, memory)
            return []
        offsets = lanes.vector(extent.base)
        found = shuffled.shuffled(lanes, offsets)
        beyond = lanes.any(shuffled.outside(lanes, found, offsets, extent.span()))
        good = code.let(f"xor i1 {beyond}, true")

        def permuted() -> list[str]:
            places = [self._place(memory, one.start, extent.offset) for one in found]
            return shuffled.load(lanes, found, places)

        return self.moves.either(good, permuted, each, op.cls, lanes.n)

    def _store_shuffled(self, op: Op, type_: Type, extent: Extent, memory: str) -> None:
        """Store to neighbours where the lanes of each vector have them, else scatter."""
        self.checks.guard(op, extent)
        data = self.moves.store_data(op, type_)
        firsts, good = shuffled.neighbours(self.lanes, self.lanes.vector(extent.base))

        def wide() -> list[str]:
            for first, chunk, mask in zip(firsts, data, self.lanes.mask, strict=True):
                # Lane 0 need not run, and may be before the segment.
                place = self._place(memory, first, extent.offset, extend="sext")
                self.moves.store_masked(self.lanes, type_, chunk, place, mask)
            return []

        def each() -> list[str]:
            self.moves.store_each(type_, data, self._places(memory, extent))
            return []

        self.moves.either(good, wide, each, op.cls, self.lanes.n)

    def _define(self, op: Op, loaded: list[str]) -> None:
        """Define the value of a load."""
        if op.ins.row.is_load:
            self.pieces.define(op, loaded)

    def _run(self, op: Op, type_: Type, extent: Extent, memory: str) -> None:
        """Access neighbouring elements: wide if all lanes fit, else those of the running lanes."""
        lanes, code, moves = self.lanes, self.lanes.code, self.moves
        first = lanes.lane0(extent.base)
        span = extent.span(lanes.count)
        good = "false"
        if span >= 0:
            good = code.let(f"xor i1 {extent.outside(code, first, span, 0)}, true")
        piece = lanes.pieces.n if lanes.facts.piece else lanes.count
        on_stack = op.ins.row.segment is Segment.GROUP and self.memory.is_group_on_stack

        def fast() -> list[str]:
            can_shift = shifted.can_shift(lanes.n, lanes.k, type_.size)
            if op.ins.row.is_load and on_stack and can_shift:
                start = code.let(f"add i32 {first}, {extent.offset}")
                return shifted.load(lanes, memory, start)
            host = self._place(memory, first, extent.offset)
            if op.ins.row.is_load:
                return moves.load_wide(type_, host)
            moves.store_wide(type_, moves.store_data(op, type_), host)
            return []

        def slow() -> list[str]:
            if not extent.is_signed:
                return self._one_by_one(op, type_, extent, memory)
            self.checks.guard(op, extent)
            # Lane 0 need not run, and may be before the segment.
            host = self._place(memory, first, extent.offset, extend="sext")
            if op.ins.row.is_load and on_stack and self.memory.before_group:
                return self._around(op, type_, extent, host)
            if op.ins.row.is_load:
                return moves.load_running(type_, host)
            moves.store_wide(type_, moves.store_data(op, type_), host)
            return []

        if op in self.checks.certain or self.checks.holds(op, extent, extent.size * piece):
            self._define(op, fast())
        elif extent.is_signed and self.checks.lanes_hold(op, extent):
            self._define(op, slow())
        else:
            self._define(op, moves.either(good, fast, slow, op.cls, lanes.n))

    def _around(self, op: Op, type_: Type, extent: Extent, host: str) -> list[str]:
        """Load neighbours on the stack from lane 0's address on; lanes that do not run read around.

        A load under a mask would wait for all stores to the two lines that it is in.
        """
        lanes, code, memory = self.lanes, self.lanes.code, self.memory
        if not shifted.can_shift(lanes.n, lanes.k, type_.size):
            return self.moves.load_running(type_, host)
        start = code.let(f"add i32 {lanes.lane0(extent.base)}, {extent.offset}")
        length = (lanes.k + 1) * shifted.LINE
        room = memory.before_group + extent.total + memory.after_group - length
        moved = code.let(f"add i32 {start}, {memory.before_group}")
        return self.moves.either(
            code.let(f"icmp ule i32 {moved}, {room}"),
            lambda: shifted.load(lanes, memory.group_place(lanes.entry), start, signed=True),
            lambda: self.moves.load_running(type_, host),
            op.cls,
            lanes.n,
        )

    def _in_pieces(self, op: Op, type_: Type, extent: Extent, memory: str, step: int) -> None:
        """Access one place or neighbours for each piece of the warp."""
        lanes, code, pieces = self.lanes, self.lanes.code, self.pieces
        firsts = lanes.firsts(extent.base)
        whole = whole_chunks(lanes, extent.base, step)
        span = extent.span(lanes.pieces.n if step else 1)
        good = "false"
        if span >= 0:
            bad = [extent.outside(code, first, span, 0) for first in firsts]
            outside = bad[0]
            for test in bad[1:]:
                outside = code.let(f"or i1 {outside}, {test}")
            good = code.let(f"xor i1 {outside}, true")

        def hosts() -> list[str]:
            return [self._place(memory, first, extent.offset) for first in firsts]

        def fast() -> list[str]:
            if op.ins.row.is_load:
                return pieces.load(type_, hosts(), step, whole)
            pieces.store(op, type_, hosts(), step, whole)
            return []

        def slow() -> list[str]:
            if not step or not extent.is_signed:
                return self._one_by_one(op, type_, extent, memory)
            self.checks.guard(op, extent)
            # The first lane of a piece need not run, and may be before the segment.
            far = [self._place(memory, first, extent.offset, extend="sext") for first in firsts]
            if op.ins.row.is_load:
                return pieces.load_running(type_, far)
            pieces.store(op, type_, far, step)
            return []

        inside = self.checks.holds(op, extent, extent.size * (lanes.pieces.n if step else 1))
        if op.ins.row.is_load and lanes.is_pieced(op):
            scalars = (
                pieces.load_scalars(type_, hosts())
                if inside
                else self.moves.either(
                    good,
                    lambda: pieces.load_scalars(type_, hosts()),
                    lambda: pieces.firsts_of(op.cls.bits, slow()),
                    op.cls,
                    0,
                )
            )
            pieces.define_scalars(op, type_, scalars)
            return
        if inside:
            loaded = fast()
        elif step and extent.is_signed and self.checks.lanes_hold(op, extent):
            loaded = slow()
        else:
            loaded = self.moves.either(good, fast, slow, op.cls, lanes.n)
        if op.ins.row.is_load:
            lanes.define(op, "value", loaded)

    # --- lanes at known distances

    def _routed(self, op: Op, type_: Type, extent: Extent, memory: str, route: Routed) -> None:
        """Access elements at known distances, if all lanes are inside and those that store run."""
        lanes, code = self.lanes, self.lanes.code
        first = lanes.extracted0(extent.base)
        inside = self.checks.all_hold(op, extent, route.lowest, route.span)
        bad = "false"
        if not inside:
            lowest = code.let(f"add i32 {first}, {route.lowest}")
            bad = extent.outside(code, lowest, extent.span() - route.span, 0)
        if not op.ins.row.is_load:
            absent = lanes.any(lanes.combine("xor", lanes.mask, ["splat (i1 true)"] * lanes.k))
            bad = code.let(f"or i1 {bad}, {absent}")

        def fast() -> list[str]:
            where = self._place(memory, first, extent.offset)
            place_of = routed.places_from(lanes, where, extent.size)
            if op.ins.row.is_load:
                return routed.load_extended(lanes, route, type_, place_of)
            routed.store(lanes, route, self.moves.store_data(op, type_), place_of)
            return []

        slow = partial(self._one_by_one, op, type_, extent, memory)
        if inside and op.ins.row.is_load:
            self._define(op, fast())
            return
        good = code.let(f"xor i1 {bad}, true")
        self._define(op, self.moves.either(good, fast, slow, op.cls, lanes.n))

    def _define_anything(self, op: Op) -> None:
        """Define a value for an access that always faults; nothing uses it."""
        lanes = self.lanes
        if op.ins.row.is_load:
            types = lanes.types_of(op.cls, lanes.shapes.is_uniform(op))
            lanes.define(op, "value", ["zeroinitializer" if "<" in t else "0" for t in types])

    # --- host addresses

    def _place(self, memory: str, base: str, offset: int, extend: str = "zext") -> str:
        code = self.lanes.code
        wide = code.let(f"{extend} i32 {base} to i64")
        moved = code.let(f"add i64 {wide}, {offset}")
        return code.let(f"getelementptr i8, ptr {memory}, i64 {moved}")

    def _places(self, memory: str, extent: Extent) -> list[str]:
        """Return the host addresses of checked offsets, a chunk of pointers each."""
        lanes, code = self.lanes, self.lanes.code
        v = integer(32, lanes.n)
        offset = f"splat (i32 {extent.offset & 0xFFFFFFFF})"
        indices = [code.let(f"add {v} {chunk}, {offset}") for chunk in lanes.vector(extent.base)]
        return lanes.places(memory, 1, indices)
