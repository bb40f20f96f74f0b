"""What all movers are made of: addresses of lanes, checks, gathers and scatters of data."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ....isa.table import Row
from ....isa.types import Segment as MemorySegment
from ..arithmetic.widths import extended, narrowed
from ..llvm.text import ModuleText, integer
from ..llvm.vectors import Chunks
from ..runtime.context import Slot, TrapCode
from ..runtime.gathers import gathers_fast
from .warp_block import Header
from .warp_code import WarpCode


class Access(WarpCode, ABC):
    """Emits the pieces of which movers are made; `emit` puts them together."""

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

    @abstractmethod
    def emit(self) -> None:
        """Append all code."""

    def begin(self) -> None:
        """Emit the return for an empty mask, and the operands that all ways need."""
        code = self.code
        code.branch(code.let("icmp eq i64 %mask, 0"), "no_lanes", "begin")
        code.block("no_lanes")
        code.ret("i64", "0")
        code.block("begin")
        _ = self.mask, self.context  # first here, where all ways see them
        if self.is_global:
            self.raw = self.load_row("%addresses", 64)
            return
        narrow, wide = integer(32, self.n), integer(64, self.n)
        chunks = self.load_row("%addresses", 32)
        self.raw = [code.let(f"zext {narrow} {c} to {wide}") for c in chunks]

    def addresses(self) -> Chunks:
        """Return where each lane accesses memory, the immediate included."""
        return self.each("add", 64, self.raw, self.spread(64, "%imm"))

    def compare(self, how: str, a: Chunks, b: Chunks) -> str:
        """Return whether a comparison of i64 holds in one of the running lanes."""
        return self.any_running(self.each(f"icmp {how}", 64, a, b))

    def segment_bytes(self) -> str:
        """Return the size of the segment, an i64; not for global memory."""
        return self.code.let("and i64 %site, 4294967295")

    def memory(self) -> str:
        """Return where the segment lies, an i64; not for global memory."""
        match self.segment:
            case MemorySegment.READONLY:
                return self.slot(Slot.READONLY)
            case MemorySegment.GROUP:
                return self.header(Header.GROUP_MEMORY)
            case _:
                return self.header(Header.PRIVATE_MEMORY)

    def in_segment(self, offsets: Chunks) -> Chunks:
        """Return the host addresses of offsets into the segment."""
        return self.each("add", 64, offsets, self.spread(64, self.memory()))

    def check_each(self) -> str:
        """Emit a return of the lanes refused, if any; else continue at `%resolved`.

        Return a row with the addresses; those of global memory have become host addresses.
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
        code.branch(fine, "resolved", "refused")
        code.block("refused")
        self.trap(refused, TrapCode.NONE, code.let("lshr i64 %site, 32"))
        code.block("resolved")
        return cells

    # --- data

    def registers(self) -> Chunks:
        """Return the data of a store."""
        return self.load_row("%data", self.type.reg.bits)

    def set_registers(self, chunks: Chunks) -> None:
        """Set the result of a load."""
        self.store_running("%data", self.type.reg.bits, chunks)

    def move_each(self, hosts: Chunks) -> None:
        """Emit a gather or scatter at host addresses, and the return."""
        code = self.code
        if self.row.is_load:
            values = self._gathered(hosts)
            self.set_registers([extended(self.code, v, self.type, self.n) for v in values])
        elif self.type.bits >= 32:
            self._scatter(hosts)
        else:
            self._store_in_turn(hosts)
        code.ret("i64", "0")

    def _gathered(self, hosts: Chunks) -> Chunks:
        """Load per lane, with the addresses on the stack, where gathers take as long or twice that.

        They do on CPUs that slow them down for security. Lanes that do not run load from an address
        that is valid.
        """
        code, bits, t = self.code, self.type.bits, integer(self.type.bits, self.n)
        if bits >= 32 and gathers_fast():
            p = f"<{self.n} x ptr>"
            places = [code.let(f"inttoptr {integer(64, self.n)} {host} to {p}") for host in hosts]
            return [
                self.gather(bits, place, mask, "zeroinitializer", align=1)
                for place, mask in zip(places, self.mask, strict=True)
            ]
        wide, flag, cells = integer(64, self.n), integer(1, self.n), self.cells()
        valid = self.spread(64, code.let("ptrtoint ptr %data to i64"))
        chosen = [
            code.let(f"select {flag} {mask}, {wide} {host}, {wide} {other}")
            for mask, host, other in zip(self.mask, hosts, valid, strict=True)
        ]
        self.store_row(cells, 64, chosen)
        found = []
        for j in range(self.k):
            value = "poison"
            for lane in range(self.n):
                place = self.place(cells, 8 * (j * self.n + lane))
                one = code.let(f"load i{bits}, ptr {code.let(f'load ptr, ptr {place}')}, align 1")
                value = code.let(f"insertelement {t} {value}, i{bits} {one}, i32 {lane}")
            found.append(value)
        return found

    def _scatter(self, hosts: Chunks) -> None:
        """Store lane by lane in ascending order: at equal addresses the highest lane stays."""
        wide, p = integer(64, self.n), f"<{self.n} x ptr>"
        for value, host, mask in zip(self.registers(), hosts, self.mask, strict=True):
            places = self.code.let(f"inttoptr {wide} {host} to {p}")
            self.scatter(self.type.bits, value, places, mask)

    def _store_in_turn(self, hosts: Chunks) -> None:
        """Store bytes or halves, which have no scatter instruction, lane after lane."""
        code, cells, bits = self.code, self.cells(), self.type.bits
        self.store_row(cells, 64, hosts)
        code.jump("before")
        code.block("before")
        code.jump("turn")
        code.block("turn")
        code.phi("i64", ("%mask", "before"), ("%m.next", "turn"), name="%m")
        lane = self.lowest("%m")
        host = code.let(f"load ptr, ptr {code.let(f'getelementptr i64, ptr {cells}, i64 {lane}')}")
        register = code.let(f"getelementptr i32, ptr %data, i64 {lane}")
        value = narrowed(code, code.let(f"load i32, ptr {register}"), self.type, 0)
        code.line(f"store i{bits} {value}, ptr {host}")
        less = code.let("sub i64 %m, 1")
        code.let(f"and i64 %m, {less}", "%m.next")
        code.branch(code.let("icmp eq i64 %m.next, 0"), "moved", "turn")
        code.block("moved")
