"""Code that works on a warp block: segments, movers and the start of a workgroup."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from ..llvm.function_text import FunctionText, definition
from ..llvm.text import ModuleText, integer
from ..llvm.vectors import Chunks, VectorCode
from ..runtime.aligned import LINE
from ..runtime.context import TrapCode
from .warp_block import Header, vectors_of


class WarpCode(VectorCode):
    """A function with the block as `ptr %warp` and, in most cases, its lanes as `i64 %mask`."""

    def __init__(self, module: ModuleText, width: int) -> None:
        entry = FunctionText(module)
        super().__init__(entry.elsewhere(), *vectors_of(width))
        self.module = module
        self.width = width
        self.entry = entry
        """The lines before all others: stack memory."""

    def text(self, head: str) -> str:
        """Return the whole function, from its `define` with parameters."""
        return definition(head, self.entry, self.code)

    # --- memory

    def place(self, base: str, offset: int | str) -> str:
        """Return an address plus some bytes."""
        return self.code.let(f"getelementptr i8, ptr {base}, i64 {offset}")

    def load_row(self, base: str, bits: int) -> Chunks:
        """Return a row of integers."""
        t, step = integer(bits, self.n), self.n * bits // 8
        return [
            self.code.let(f"load {t}, ptr {self.place(base, j * step)}, align {min(step, LINE)}")
            for j in range(self.k)
        ]

    def store_row(self, base: str, bits: int, chunks: Chunks) -> None:
        """Store to a row, in all lanes."""
        t, step = integer(bits, self.n), self.n * bits // 8
        for j, chunk in enumerate(chunks):
            place = self.place(base, j * step)
            self.code.line(f"store {t} {chunk}, ptr {place}, align {min(step, LINE)}")

    def store_running(self, base: str, bits: int, chunks: Chunks) -> None:
        """Store to a row in the lanes of the mask.

        That is a blend and a whole store, because a store of some lanes cannot be forwarded to the
        load in the next segment (2.4 or 4.7 ns for an addition). LLVM would make one of the two
        if the load were not volatile.
        """
        t, step = integer(bits, self.n), self.n * bits // 8
        both = []
        for j, (mask, new) in enumerate(zip(self.mask, chunks, strict=True)):
            place = self.place(base, j * step)
            old = self.code.let(f"load volatile {t}, ptr {place}, align {min(step, LINE)}")
            both.append(self.code.let(f"select <{self.n} x i1> {mask}, {t} {new}, {t} {old}"))
        self.store_row(base, bits, both)

    def cells(self, bits: int = 64) -> str:
        """Return a row on the stack."""
        return self.entry.let(f"alloca [{self.n * self.k} x i{bits}], align 64")

    # --- scalars

    def header(self, word: Header) -> str:
        """Return a word of the header, i64."""
        return self.code.let(f"load i64, ptr {self.place('%warp', 8 * word)}")

    def set_header(self, word: Header, value: str) -> None:
        """Change a word of the header."""
        self.code.line(f"store i64 {value}, ptr {self.place('%warp', 8 * word)}")

    @cached_property
    def context(self) -> str:
        """The context block, a ptr. Ask for it first in a block that dominates all others."""
        return self.code.let(f"load ptr, ptr {self.place('%warp', 8 * Header.CONTEXT)}")

    def slot(self, slot: int) -> str:
        """Return a slot of the context block, i64."""
        return self.code.let(f"load i64, ptr {self.place(self.context, 8 * slot)}")

    def pointer(self, value: str) -> str:
        """Return an i64 as an address."""
        return self.code.let(f"inttoptr i64 {value} to ptr")

    def narrow(self, value: str) -> str:
        """Return an i64 as i32."""
        return self.code.let(f"trunc i64 {value} to i32")

    def lowest(self, mask: str) -> str:
        """Return the number of the lowest lane of a mask that is not empty, i64."""
        return self.code.call("i64", "llvm.cttz.i64", f"i64 {mask}", "i1 true")

    def highest(self, mask: str) -> str:
        """Return the number of the highest lane of a mask that is not empty, i64."""
        above = self.code.call("i64", "llvm.ctlz.i64", f"i64 {mask}", "i1 true")
        return self.code.let(f"sub i64 63, {above}")

    # --- masks

    @cached_property
    def mask(self) -> Chunks:
        """The lanes that run. Ask for it first in a block that dominates all others."""
        return self.chunks("%mask")

    def word(self, chunks: Sequence[str], operation: str = "or disjoint") -> str:
        """Return a mask as an i64; lanes above the width have any value."""
        return super().word(chunks, operation)

    def any_running(self, chunks: Chunks) -> str:
        """Return whether one of the lanes of the mask is on, an i1."""
        return self.any(self.combine("and", chunks, self.mask))

    # --- leaving

    def trap(self, lanes: str, kind: TrapCode, pc: str) -> None:
        """Write lanes (i64) that trap into the context block, and return them.

        NONE: the kind has been written before.
        """
        numbers = (f"i64 {x}" for x in (lanes, int(kind), pc, self.width))
        result = self.code.call("i64", "simtlab_trap", "ptr %warp", *numbers)
        self.code.ret("i64", result)
