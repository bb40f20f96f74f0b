"""The data movement of segments: one function per row of the table and width, for all kernels.

The `move_fn` of an instruction jumps to the mover of its row with the instruction's parameters:

    i64 move(ptr %warp, i64 %mask, ptr %addresses, ptr %data, i64 %imm, i64 %site)

Addresses and data are rows of the warp block. The upper half of `%site` is the pc; the lower half
is, for global memory, the place in the context block of the instruction's own slots, with the
buffer that it accessed last, and otherwise the bytes of the segment. A mover reads the lanes of the
mask only, and takes the first of these ways that is possible:

    run      addresses step by the element size: one wide load or store
    one      all addresses are the same
    each     all lanes in that buffer, one by one
    cold     lane by lane through the table of buffers

It returns the lanes refused (out of bounds, misaligned, read-only), and then has moved nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....isa.table import BY_NAME, Row
from ....isa.types import Segment as MemorySegment
from ..arithmetic.widths import element_number, extended, narrowed
from ..llvm.text import ModuleText, integer
from ..llvm.toolchain import Compiled, Level, compile_text, function_attributes
from ..runtime.context import BASE, DELTA, SIZE, WRITABLE
from ..runtime.helpers import atomic_name
from ..runtime.once import Once
from .access import Access
from .start import cold_symbols

_PARAMETERS = "ptr %warp, i64 %mask, ptr %addresses, ptr %data, i64 %imm, i64 %site"


def parameters_of(row: Row) -> str:
    """Return the parameters of a row's mover, with names; `%data` is null for no destination."""
    return f"{_PARAMETERS}, ptr %a, ptr %b" if row.is_atomic else _PARAMETERS


def mover(row: Row, width: int) -> Compiled:
    """Return the mover `move` of a row for warps of a width, from memory, disk or made now."""
    type_ = row.type
    assert type_ is not None
    # Loads and stores of one size share a mover, except loads that extend small values.
    small_load = row.is_load and type_.bits < 32
    if not row.is_atomic and not small_load:
        row = BY_NAME[f"{row.stem}_{row.segment}_u{type_.bits}"]
    return _mover(row.name, width)


@Once
def _mover(row_name: str, width: int) -> Compiled:
    row = BY_NAME[row_name]
    text = mover_text(row, width)
    return compile_text(text, ["move"], level=Level.QUICK, key=text, symbols=cold_symbols([row]))


def mover_text(row: Row, width: int) -> str:
    """Return the IR of a row's mover."""
    module = ModuleText(function_attributes())
    if row.is_atomic:
        access = AtomicMover(module, row, width)
    elif row.segment is MemorySegment.PRIVATE:
        access = PrivateMover(module, row, width)
    else:
        access, rest = Mover(module, row, width), Rest(module, row, width)
        rest.emit()
        head = f"define internal i64 @rest({parameters_of(row)}) noinline"
        module.define("rest", rest.text(head))
    access.emit()
    module.define("move", access.text(f"define i64 @move({parameters_of(row)})"))
    return str(module)


@dataclass(frozen=True)
class FirstLane:
    """Where the first running lane is, as i64 operands."""

    lane: str
    raw: str
    """Its address register."""
    address: str
    places: str
    """Elements of the block."""
    element: str
    """Number of its element."""
    inside: str
    """i1."""


class _Blocks(Access):
    """Loads and stores of memory that is one block or several: global, group, readonly."""

    def test_first(self) -> FirstLane:
        """Test whether the first lane is in the block; of global memory, the last buffer."""
        code = self.code
        lane, bits = self.lowest("%mask"), 64 if self.is_global else 32
        place = code.let(f"getelementptr i{bits}, ptr %addresses, i64 {lane}")
        raw = code.let(f"load i{bits}, ptr {place}")
        if bits == 32:
            raw = code.let(f"zext i32 {raw} to i64")
        address = code.let(f"add i64 {raw}, %imm")
        return self._test_at(lane, raw, address)

    def test_again(self, first: FirstLane) -> FirstLane:
        """Test again, with another buffer."""
        return self._test_at(first.lane, first.raw, first.address)

    def _test_at(self, lane: str, raw: str, address: str) -> FirstLane:
        code = self.code
        base, size = self.extent()
        element = element_number(code, code.let(f"sub i64 {address}, {base}"), self.size, 0)
        places = code.let(f"lshr i64 {size}, {self.shift}")
        inside = code.let(f"icmp ult i64 {element}, {places}")
        if self.is_global and self.row.is_store:
            writable = code.let(f"icmp ne i64 {self.remembered(WRITABLE)}, 0")
            inside = code.let(f"and i1 {inside}, {writable}")
        return FirstLane(lane, raw, address, places, element, inside)

    def extent(self) -> tuple[str, str]:
        """Return (base, bytes) of the block."""
        if self.is_global:
            return self.remembered(BASE), self.remembered(SIZE)
        return "0", self.segment_bytes()

    def remembered(self, which: int) -> str:
        """Return a slot of the instruction's own, about the buffer that it accessed last."""
        return self.code.let(f"load i64, ptr {self.place(self.slots(), 8 * which)}")

    def slots(self) -> str:
        """Return where these slots are."""
        return self.place(self.context, self.code.let("and i64 %site, 4294967295"))

    def to_host(self) -> str:
        """Return the distance from addresses in the block to host addresses, an i64."""
        return self.remembered(DELTA) if self.is_global else self.memory()


class Mover(_Blocks):
    """The fast ways; the others are in a function of their own, `rest`.

    It has the same parameters and is tail-called, so nothing is saved and restored here.
    """

    def emit(self) -> None:
        """Emit accesses of neighbours and of one place."""
        code = self.code
        self.begin()
        first = self.test_first()
        code.branch(first.inside, "known", "other")
        code.block("known")
        front = code.let(f"mul i64 {first.lane}, {self.size}")
        expected = self.spread(64, code.let(f"sub i64 {first.raw}, {front}"))
        neighbours = self.each("add", 64, expected, self.steps(64, self.size))
        apart = self.compare("ne", self.raw, neighbours)
        host = code.let(f"add i64 {first.address}, {self.to_host()}")
        last = self.highest("%mask")
        code.branch(apart, "apart", "run")

        code.block("run")
        end = code.let(f"add i64 {first.element}, {code.let(f'sub i64 {last}, {first.lane}')}")
        fits = code.let(f"icmp ult i64 {end}, {first.places}")
        code.branch(fits, "wide", "other")
        code.block("wide")
        self._move_wide(self.pointer(code.let(f"sub i64 {host}, {front}")))

        code.block("apart")
        differ = self.compare("ne", self.raw, self.spread(64, first.raw))
        code.branch(differ, "other", "one")
        code.block("one")
        self._move_one(self.pointer(host), last)

        code.block("other")
        code.ret("i64", code.let(f"tail call i64 @rest({_PARAMETERS})"))

    def _move_wide(self, host: str) -> None:
        """Access neighbours, from where lane 0 is or would be, and nothing between them."""
        code, bits = self.code, self.type.bits
        places = [self.place(host, j * self.n * self.size) for j in range(self.k)]
        if self.row.is_load:
            pairs = zip(places, self.mask, strict=True)
            values = [self.load_masked(bits, place, mask) for place, mask in pairs]
            self.set_registers([extended(code, v, self.type, self.n) for v in values])
        else:
            for value, place, mask in zip(self.registers(), places, self.mask, strict=True):
                self.store_masked(bits, narrowed(code, value, self.type, self.n), place, mask)
        code.ret("i64", "0")

    def _move_one(self, host: str, last: str) -> None:
        """Access one place for all lanes; the store of the highest lane stays."""
        code, bits = self.code, self.type.reg.bits
        if self.row.is_load:
            value = extended(code, code.let(f"load i{self.type.bits}, ptr {host}"), self.type, 0)
            self.set_registers(self.spread(bits, value))
        else:
            place = code.let(f"getelementptr i{bits}, ptr %data, i64 {last}")
            value = narrowed(code, code.let(f"load i{bits}, ptr {place}"), self.type, 0)
            code.line(f"store i{self.type.bits} {value}, ptr {host}")
        code.ret("i64", "0")


class Rest(_Blocks):
    """Loads and stores of lanes at unrelated addresses."""

    def emit(self) -> None:
        """Emit a gather or scatter in the buffer of the first lane, and the cold side."""
        code = self.code
        self.begin()
        first = self.test_first()
        code.branch(first.inside, "known", "search")
        code.block("search")
        if self.is_global:
            slots = f"ptr {self.slots()}"
            given = f"ptr {self.context}", f"i64 {first.address}", f"i64 {self.size}", slots
            code.call("i64", "simtlab_buffer", *given)
            code.branch(self.test_again(first).inside, "known", "cold")
        else:
            code.jump("cold")

        code.block("known")
        base, size = self.extent()
        start = self.spread(64, code.let(f"sub i64 %imm, {base}"))
        offsets = self.each("add", 64, self.raw, start)
        elements = [element_number(code, offset, self.size, self.n) for offset in offsets]
        places = self.spread(64, code.let(f"lshr i64 {size}, {self.shift}"))
        code.branch(self.compare("uge", elements, places), "cold", "each")
        code.block("each")
        to_host = self.spread(64, code.let(f"add i64 %imm, {self.to_host()}"))
        hosts = self.each("add", 64, self.raw, to_host)
        code.jump("hosts")

        code.block("cold")
        others = self.load_row(self.check_each(), 64)
        if not self.is_global:
            others = self.in_segment(others)
        code.jump("hosts")

        code.block("hosts")
        t = integer(64, self.n)
        pairs = zip(hosts, others, strict=True)
        self.move_each([code.phi(t, (a, "each"), (b, "resolved")) for a, b in pairs])


class PrivateMover(Access):
    """Loads and stores of private memory, which is interleaved by 8 bytes."""

    def emit(self) -> None:
        """Emit a gather or scatter: every lane has a block of its own."""
        code = self.code
        self.begin()
        at = self.addresses()
        elements = [element_number(code, offset, self.size, self.n) for offset in at]
        limit = code.let(f"lshr i64 {self.segment_bytes()}, {self.shift}")
        outside = self.compare("uge", elements, self.spread(64, limit))
        code.branch(outside, "cold", "resolved")
        code.block("cold")
        self.check_each()
        cells = self.each("lshr", 64, at, self.spread(64, "3"))
        rows = self.each("mul", 64, cells, self.spread(64, str(8 * self.width)))
        cells_of_lanes = self.each("add", 64, rows, self.steps(64, 8))
        bytes_ = self.each("and", 64, at, self.spread(64, "7"))
        self.move_each(self.in_segment(self.each("add", 64, cells_of_lanes, bytes_)))


class AtomicMover(Access):
    """Atomics: the process's helper does them lane after lane, in ascending order."""

    def emit(self) -> None:
        """Emit the check of all lanes and the call of the helper with host addresses."""
        code, bits = self.code, self.type.bits
        self.begin()
        addresses, old = self.check_each(), self.cells()
        if not self.is_global:
            self.store_row(addresses, 64, self.in_segment(self.load_row(addresses, 64)))
        # The helper has 64 bits a lane: rows of $d as they are, copies of those of $s.
        a, b = (self._widened(p) if bits == 32 else p for p in ("%a", "%b"))
        cells = (f"ptr {p}" for p in (addresses, a, b, old))
        name = atomic_name(self.row)
        code.call("i32", name, f"ptr {self.context}", "i64 %mask", *cells, "i32 1")
        code.branch(code.let("icmp eq ptr %data, null"), "over", "result")
        code.block("result")
        values = self.load_row(old, 64)
        if bits == 32:
            wide, narrow = integer(64, self.n), integer(32, self.n)
            values = [code.let(f"trunc {wide} {v} to {narrow}") for v in values]
        self.set_registers(values)
        code.jump("over")
        code.block("over")
        code.ret("i64", "0")

    def _widened(self, row: str) -> str:
        cells, narrow, wide = self.cells(), integer(32, self.n), integer(64, self.n)
        chunks = [self.code.let(f"zext {narrow} {c} to {wide}") for c in self.load_row(row, 32)]
        self.store_row(cells, 64, chunks)
        return cells
