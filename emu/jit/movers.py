"""The data movement of segments: one function per row of the table and width, for all kernels.

The `move_fn` of an instruction jumps to the mover of its row with what the instruction is about:

    i64 move(ptr %warp, i64 %mask, ptr %addresses, ptr %data, i64 %imm, i64 %site)

Addresses and data are rows of the warp block. The upper half of `%site` is the pc; the lower half
says, for global memory, where in the context block the instruction has slots of its own, with the
buffer that it was in last, and otherwise how many bytes the segment has. A mover looks at the lanes
of the mask only, and goes the first of these ways that is open:

    run      addresses step by the element size: one wide load or store
    one      all addresses are the same
    each     gather or scatter, all lanes inside that buffer
    cold     lane by lane through the table of buffers

It returns the lanes refused (out of bounds, misaligned, read-only), and then has moved nothing.
"""

from __future__ import annotations

from functools import cache

from ...isa.table import BY_NAME, Row
from ...isa.types import Segment as MemorySegment
from .build import Compiled, compile_text, function_attributes
from .context import BASE, DELTA, SIZE, WRITABLE, Kind, Slot
from .runtime import atomic_name
from .segment_runtime import cold_symbols
from .text import ModuleText, integer
from .warp_code import Chunks, WarpCode
from .warpstate import Header

_REGISTERS = "ptr %warp, i64 %mask, ptr %addresses, ptr %data, i64 %imm, i64 %site"


def parameters_of(row: Row) -> str:
    """The parameters of a row's mover, with names; `%data` is null for no destination."""
    return f"{_REGISTERS}, ptr %a, ptr %b" if row.is_atomic else _REGISTERS


@cache
def mover(row_name: str, width: int) -> Compiled:
    """The mover `move` of a row for warps of a width, from memory, disk or made now."""
    text = mover_text(BY_NAME[row_name], width)
    return compile_text(text, ["move"], key=text, symbols=cold_symbols())


def mover_text(row: Row, width: int) -> str:
    """The IR of a row's mover."""
    module = ModuleText(function_attributes())
    if row.is_atomic:
        access = AtomicMover(module, row, width)
    elif row.segment is MemorySegment.PRIVATE:
        access = PrivateMover(module, row, width)
    else:
        access = Mover(module, row, width)
    access.emit()
    module.define("move", access.text(f"define i64 @move({parameters_of(row)})"))
    return str(module)


class _Access(WarpCode):
    """Pieces of all movers: addresses, checks, data."""

    def __init__(self, module: ModuleText, row: Row, width: int) -> None:
        super().__init__(module, width)
        assert row.type is not None
        assert row.segment is not None
        self.row, self.type, self.segment = row, row.type, row.segment
        self.is_global = row.segment is MemorySegment.GLOBAL
        self.size = self.type.size
        self.shift = self.size.bit_length() - 1
        self.raw: Chunks = []
        """The address register, as i64."""

    def emit(self) -> None:
        """Append all code."""
        raise NotImplementedError

    def begin(self) -> None:
        """Nothing to do for no lanes; then what every way needs."""
        code = self.code
        code.line(f"br i1 {code.let('icmp eq i64 %mask, 0')}, label %nobody, label %begin")
        code.label("nobody")
        code.line("ret i64 0")
        code.label("begin")
        _ = self.mask, self.context  # first here, where all ways see them
        if self.is_global:
            self.raw = self.load_row("%addresses", 64)
            return
        narrow, wide = integer(32, self.n), integer(64, self.n)
        chunks = self.load_row("%addresses", 32)
        self.raw = [code.let(f"zext {narrow} {c} to {wide}") for c in chunks]

    def addresses(self) -> Chunks:
        """Where each lane accesses memory, the immediate included."""
        return self.each("add", 64, self.raw, self.spread(64, "%imm"))

    def element(self, distance: str, n: int) -> str:
        """A distance in elements; one that is no whole number of them becomes very large."""
        if not self.shift:
            return distance
        t = integer(64, n)
        by = f"splat (i64 {self.shift})" if n else str(self.shift)
        return self.code.intrinsic(
            "llvm.fshr", t, f"{t} {distance}", f"{t} {distance}", f"{t} {by}"
        )

    def compare(self, how: str, a: Chunks, b: Chunks) -> str:
        """Whether a comparison of i64 holds in one of the running lanes."""
        return self.any_running(self.each(f"icmp {how}", 64, a, b))

    def segment_bytes(self) -> str:
        """The size of the segment, an i64; not for global memory."""
        return self.code.let("and i64 %site, 4294967295")

    def memory(self) -> str:
        """Where the segment lies, an i64; not for global memory."""
        match self.segment:
            case MemorySegment.READONLY:
                return self.slot(Slot.READONLY)
            case MemorySegment.GROUP:
                return self.header(Header.GROUP_MEMORY)
            case _:
                return self.header(Header.PRIVATE_MEMORY)

    def in_segment(self, offsets: Chunks) -> Chunks:
        """Host addresses of offsets into the segment."""
        return self.each("add", 64, offsets, self.spread(64, self.memory()))

    def check_each(self) -> str:
        """Return the lanes refused, if any; else go on at `%resolved`.

        Returns a row with what `addresses` are; those of global memory have become host addresses.
        """
        code, cells = self.code, self.cells()
        self.store_row(cells, 64, self.addresses())
        if self.is_global:
            name, more = "simtlab_resolve", (str(self.size), f"i32 {int(not self.row.is_load)}")
        else:
            name, more = "simtlab_refuse", (self.segment_bytes(), f"i64 {self.size}")
        given = f"ptr {self.context}", "i64 %mask", f"ptr {cells}", f"i64 {more[0]}", more[1]
        refused = code.call("i64", name, *given)
        fine = code.let(f"icmp eq i64 {refused}, 0")
        code.line(f"br i1 {fine}, label %resolved, label %refused")
        code.label("refused")
        self.trap(refused, Kind.NONE, code.let("lshr i64 %site, 32"))
        code.label("resolved")
        return cells

    # --- data

    def extended(self, raw: str, n: int) -> str:
        """What was loaded, as a register."""
        if self.type.bits >= 32:
            return raw
        how = "sext" if self.type.is_signed else "zext"
        return self.code.let(f"{how} {integer(self.type.bits, n)} {raw} to {integer(32, n)}")

    def narrowed(self, value: str, n: int) -> str:
        """A register, as what is stored."""
        if self.type.bits >= 32:
            return value
        return self.code.let(f"trunc {integer(32, n)} {value} to {integer(self.type.bits, n)}")

    def registers(self) -> Chunks:
        """The data of a store."""
        return self.load_row("%data", self.type.reg.bits)

    def set_registers(self, chunks: Chunks) -> None:
        """The result of a load."""
        self.store_running("%data", self.type.reg.bits, chunks)

    def move_each(self, hosts: Chunks) -> None:
        """Gather or scatter at host addresses, and return."""
        if self.type.bits < 32:
            self._move_in_turn(hosts)
            return
        code, bits, flag = self.code, self.type.bits, integer(1, self.n)
        t, p = integer(bits, self.n), f"<{self.n} x ptr>"
        wide, overload = integer(64, self.n), f"v{self.n}i{bits}.v{self.n}p0"
        places = [f"{p} {code.let(f'inttoptr {wide} {host} to {p}')}" for host in hosts]
        lanes = [f"{flag} {mask}" for mask in self.mask]
        align = f"i32 {self.size}"
        if self.row.is_load:
            gather, rest = f"llvm.masked.gather.{overload}", f"{t} poison"
            pairs = zip(places, lanes, strict=True)
            self.set_registers([code.call(t, gather, at, align, on, rest) for at, on in pairs])
        else:
            # Lanes in ascending order: of several at one address the highest one stays.
            scatter = f"llvm.masked.scatter.{overload}"
            code.module.declare(scatter, f"declare void @{scatter}({t}, {p}, i32, {flag})")
            for value, at, on in zip(self.registers(), places, lanes, strict=True):
                code.line(f"call void @{scatter}({t} {value}, {at}, {align}, {on})")
        code.line("ret i64 0")

    def _move_in_turn(self, hosts: Chunks) -> None:
        """Bytes and halves, for which there is no gather: lane after lane, and return."""
        code, cells, bits = self.code, self.cells(), self.type.bits
        self.store_row(cells, 64, hosts)
        code.line("br label %before")
        code.label("before")
        code.line("br label %turn")
        code.label("turn")
        code.line("%m = phi i64 [ %mask, %before ], [ %m.next, %turn ]")
        lane = self.lowest("%m")
        host = code.let(f"load ptr, ptr {code.let(f'getelementptr i64, ptr {cells}, i64 {lane}')}")
        mine = code.let(f"getelementptr i32, ptr %data, i64 {lane}")
        if self.row.is_load:
            value = self.extended(code.let(f"load i{bits}, ptr {host}"), 0)
            code.line(f"store i32 {value}, ptr {mine}")
        else:
            value = self.narrowed(code.let(f"load i32, ptr {mine}"), 0)
            code.line(f"store i{bits} {value}, ptr {host}")
        less = code.let("sub i64 %m, 1")
        code.line(f"%m.next = and i64 %m, {less}")
        code.line(f"br i1 {code.let('icmp eq i64 %m.next, 0')}, label %moved, label %turn")
        code.label("moved")
        code.line("ret i64 0")


class Mover(_Access):
    """Loads and stores of memory that is one block or several: global, group, readonly."""

    def emit(self) -> None:
        """All ways, from the cheapest to the cold one."""
        code = self.code
        self.begin()
        lane, last = self.lowest("%mask"), self.highest("%mask")
        bits = 64 if self.is_global else 32
        place = code.let(f"getelementptr i{bits}, ptr %addresses, i64 {lane}")
        raw = code.let(f"load i{bits}, ptr {place}")
        if bits == 32:
            raw = code.let(f"zext i32 {raw} to i64")
        first = code.let(f"add i64 {raw}, %imm")
        # Ends in the block `known`, in which the first lane is inside.
        base, delta, places, element = self._buffer(first) if self.is_global else self._one(first)
        front = code.let(f"mul i64 {lane}, {self.size}")
        expected = self.spread(64, code.let(f"sub i64 {raw}, {front}"))
        neighbours = self.each("add", 64, expected, self.steps(64, self.size))
        apart = self.compare("ne", self.raw, neighbours)
        host = code.let(f"add i64 {first}, {delta}")
        code.line(f"br i1 {apart}, label %apart, label %run")

        code.label("run")
        end = code.let(f"add i64 {element}, {code.let(f'sub i64 {last}, {lane}')}")
        fits = code.let(f"icmp ult i64 {end}, {places}")
        code.line(f"br i1 {fits}, label %wide, label %cold")
        code.label("wide")
        self._move_wide(self.pointer(code.let(f"sub i64 {host}, {front}")))

        code.label("apart")
        differ = self.compare("ne", self.raw, self.spread(64, raw))
        code.line(f"br i1 {differ}, label %differ, label %one")
        code.label("one")
        self._move_one(self.pointer(host), last)

        code.label("differ")
        start = self.spread(64, code.let(f"sub i64 %imm, {base}"))
        elements = [self.element(c, self.n) for c in self.each("add", 64, self.raw, start)]
        outside = self.compare("uge", elements, self.spread(64, places))
        code.line(f"br i1 {outside}, label %cold, label %each")
        code.label("each")
        to_host = self.spread(64, code.let(f"add i64 %imm, {delta}"))
        hosts = self.each("add", 64, self.raw, to_host)
        code.line("br label %hosts")

        code.label("cold")
        others = self.load_row(self.check_each(), 64)
        if not self.is_global:
            others = self.in_segment(others)
        code.line("br label %hosts")

        code.label("hosts")
        t = integer(64, self.n)
        pairs = zip(hosts, others, strict=True)
        self.move_each([code.let(f"phi {t} [ {a}, %each ], [ {b}, %resolved ]") for a, b in pairs])

    def _buffer(self, first: str) -> tuple[str, str, str, str]:
        """The buffer of the first lane: that of the last time, or another one from now on.

        (base, distance to host addresses, elements in it, number of the first lane's element).
        """
        code = self.code
        slots = self.place(self.context, code.let("and i64 %site, 4294967295"))

        def look() -> tuple[list[str], str]:
            base, size, delta = (
                code.let(f"load i64, ptr {self.place(slots, 8 * which)}")
                for which in (BASE, SIZE, DELTA)
            )
            element = self.element(code.let(f"sub i64 {first}, {base}"), 0)
            places = code.let(f"lshr i64 {size}, {self.shift}")
            inside = code.let(f"icmp ult i64 {element}, {places}")
            if self.row.is_store:
                writable = code.let(f"load i64, ptr {self.place(slots, 8 * WRITABLE)}")
                inside = code.let(f"and i1 {inside}, {code.let(f'icmp ne i64 {writable}, 0')}")
            return [base, delta, places, element], inside

        usual, inside = look()
        code.line(f"br i1 {inside}, label %known, label %search")
        code.label("search")
        given = f"ptr {self.context}", f"i64 {first}", f"i64 {self.size}", f"ptr {slots}"
        hit = code.call("i64", "simtlab_buffer", *given)
        code.line(f"br i1 {code.let(f'icmp ne i64 {hit}, 0')}, label %found, label %cold")
        code.label("found")
        other, inside = look()
        code.line(f"br i1 {inside}, label %known, label %cold")
        code.label("known")
        base, delta, places, element = (
            code.let(f"phi i64 [ {a}, %begin ], [ {b}, %found ]")
            for a, b in zip(usual, other, strict=True)
        )
        return base, delta, places, element

    def _one(self, first: str) -> tuple[str, str, str, str]:
        """The same where there is one block."""
        code = self.code
        places = code.let(f"lshr i64 {self.segment_bytes()}, {self.shift}")
        element = self.element(first, 0)
        inside = code.let(f"icmp ult i64 {element}, {places}")
        code.line(f"br i1 {inside}, label %known, label %cold")
        code.label("known")
        return "0", self.memory(), places, element

    def _move_wide(self, host: str) -> None:
        """Neighbours, from where lane 0 is or would be; what lies between them is not touched."""
        code, bits, flag = self.code, self.type.bits, integer(1, self.n)
        t = integer(bits, self.n)
        wheres = [
            (f"ptr {self.place(host, j * self.n * self.size)}", f"i32 {self.size}")
            for j in range(self.k)
        ]
        if self.row.is_load:
            load, none = f"llvm.masked.load.v{self.n}i{bits}.p0", f"{t} zeroinitializer"
            pairs = zip(wheres, self.mask, strict=True)
            values = [code.call(t, load, *at, f"{flag} {on}", none) for at, on in pairs]
            self.set_registers([self.extended(v, self.n) for v in values])
        else:
            store = f"llvm.masked.store.v{self.n}i{bits}.p0"
            code.module.declare(store, f"declare void @{store}({t}, ptr, i32, {flag})")
            for value, (at, align), on in zip(self.registers(), wheres, self.mask, strict=True):
                narrow = self.narrowed(value, self.n)
                code.line(f"call void @{store}({t} {narrow}, {at}, {align}, {flag} {on})")
        code.line("ret i64 0")

    def _move_one(self, host: str, last: str) -> None:
        """All lanes at one place, where the highest one's store stays."""
        code, bits = self.code, self.type.reg.bits
        if self.row.is_load:
            value = self.extended(code.let(f"load i{self.type.bits}, ptr {host}"), 0)
            self.set_registers(self.spread(bits, value))
        else:
            place = code.let(f"getelementptr i{bits}, ptr %data, i64 {last}")
            value = self.narrowed(code.let(f"load i{bits}, ptr {place}"), 0)
            code.line(f"store i{self.type.bits} {value}, ptr {host}")
        code.line("ret i64 0")


class PrivateMover(_Access):
    """Loads and stores of private memory, which is interleaved by 8 bytes."""

    def emit(self) -> None:
        """Every lane is in a block of its own: gather or scatter."""
        code = self.code
        self.begin()
        at = self.addresses()
        elements = [self.element(c, self.n) for c in at]
        limit = code.let(f"lshr i64 {self.segment_bytes()}, {self.shift}")
        outside = self.compare("uge", elements, self.spread(64, limit))
        code.line(f"br i1 {outside}, label %cold, label %resolved")
        code.label("cold")
        self.check_each()
        cells = self.each("lshr", 64, at, self.spread(64, "3"))
        rows = self.each("mul", 64, cells, self.spread(64, str(8 * self.width)))
        mine = self.each("add", 64, rows, self.steps(64, 8))
        bytes_ = self.each("and", 64, at, self.spread(64, "7"))
        self.move_each(self.in_segment(self.each("add", 64, mine, bytes_)))


class AtomicMover(_Access):
    """Atomics: the process's helper does them lane after lane, in ascending order."""

    def emit(self) -> None:
        """Check all lanes, then let the helper have host addresses."""
        code, bits = self.code, self.type.bits
        self.begin()
        addresses, old = self.check_each(), self.cells()
        if not self.is_global:
            self.store_row(addresses, 64, self.in_segment(self.load_row(addresses, 64)))
        # The helper has 64 bits a lane: rows of $d as they are, copies of those of $s.
        a, b = (self._widened(p) if bits == 32 else p for p in ("%a", "%b"))
        cells = (f"ptr {p}" for p in (addresses, a, b, old))
        name = atomic_name(self.row.stem.removeprefix("atomic_"), self.type.name)
        code.call("i32", name, f"ptr {self.context}", "i64 %mask", *cells, "i32 1")
        code.line(f"br i1 {code.let('icmp eq ptr %data, null')}, label %over, label %result")
        code.label("result")
        values = self.load_row(old, 64)
        if bits == 32:
            wide, narrow = integer(64, self.n), integer(32, self.n)
            values = [code.let(f"trunc {wide} {v} to {narrow}") for v in values]
        self.set_registers(values)
        code.line("br label %over")
        code.label("over")
        code.line("ret i64 0")

    def _widened(self, row: str) -> str:
        cells, narrow, wide = self.cells(), integer(32, self.n), integer(64, self.n)
        chunks = [self.code.let(f"zext {narrow} {c} to {wide}") for c in self.load_row(row, 32)]
        self.store_row(cells, 64, chunks)
        return cells
