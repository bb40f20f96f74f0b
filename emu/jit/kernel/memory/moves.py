"""Data movement that all memory instructions are made of.

Data between registers and memory, accesses of a chunk of lanes, and the two sides of an access
(fast and slow) that begin at a test and join after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .....isa.types import RegClass, Type
from ....analysis.ssa import Op, Value
from ...arithmetic.widths import extended, narrowed
from ...llvm.text import integer, register_type
from ...llvm.vectors import CHUNK
from ..lane_code import LaneCode


@dataclass
class Fork:
    """The labels of a test with two sides, and the operands that are known before it."""

    fast: str
    slow: str
    go: str
    known: dict[tuple[Value, str], list[str]]


class Moves:
    """Emits data movement for the running lanes of one kernel."""

    def __init__(self, lanes: LaneCode) -> None:
        self.lanes = lanes
        self._zeros: dict[str, str] = {}
        """Zeros that LLVM does not know of, by type."""

    # --- two sides

    def fork(self, good: str) -> Fork:
        """Branch on a test; the fast side begins here."""
        code = self.lanes.code
        fast, slow, go = (code.fresh_label("m") for _ in range(3))
        fork = Fork(fast, slow, go, dict(self.lanes.local))
        code.branch(good, fast, slow)
        self._at(fork, fast)
        return fork

    def other_side(self, fork: Fork) -> str:
        """End the fast side and begin the slow one; return the block that the fast one ends in."""
        return self._go_on(fork, fork.slow)

    def meet(self, fork: Fork) -> str:
        """End the slow side and continue after both; return the block that the slow one ends in."""
        return self._go_on(fork, fork.go)

    def _go_on(self, fork: Fork, label: str) -> str:
        end = self.lanes.code.current_block
        self.lanes.code.jump(fork.go)
        self._at(fork, label)
        return end

    def _at(self, fork: Fork, label: str) -> None:
        """Begin a block after a fork: operands that the other side has loaded are not known."""
        self.lanes.code.block(label)
        self.lanes.local = dict(fork.known)

    def either(
        self,
        cls: RegClass,
        n: int,
        fast: Sequence[str],
        fast_end: str,
        slow: Sequence[str],
        slow_end: str,
    ) -> list[str]:
        """Return the values of the side that was taken, chunks of n lanes (0: a scalar)."""
        t = register_type(cls, n)
        return [
            self.lanes.code.phi(t, (x, fast_end), (y, slow_end))
            for x, y in zip(fast, slow, strict=True)
        ]

    # --- data

    def running(self) -> str:
        """Return the lanes that execute the instruction, an i64 with a bit each."""
        return self.lanes.word(self.lanes.mask)

    def lowest_running(self) -> str:
        """Return the number of the first of these lanes, an i64."""
        return self.lanes.code.call("i64", "llvm.cttz.i64", f"i64 {self.running()}", "i1 false")

    def last_running(self) -> str:
        """Return the number of the last of these lanes, an i64."""
        zeros = self.lanes.code.call("i64", "llvm.ctlz.i64", f"i64 {self.running()}", "i1 false")
        return self.lanes.code.let(f"sub i64 63, {zeros}")

    def store_data(self, op: Op, type_: Type) -> list[str]:
        """Return what a store writes, chunk by chunk."""
        chunks = self.lanes.observed(op.args[0], self.lanes.vector(op.args[0]), self.lanes.n)
        return [narrowed(self.lanes.code, c, type_, self.lanes.n) for c in chunks]

    def store_scalar(self, op: Op, type_: Type) -> str:
        """Return what a store of a uniform value writes."""
        data = self.lanes.observed(op.args[0], [self.lanes.scalar(op.args[0])], 0)[0]
        return narrowed(self.lanes.code, data, type_, 0)

    # --- one address

    def load(self, type_: Type, host: str) -> str:
        """Load a scalar, as a register."""
        code = self.lanes.code
        return extended(code, code.let(f"load i{type_.bits}, ptr {host}"), type_, 0)

    # --- neighbouring elements

    def load_wide(self, type_: Type, host: str) -> list[str]:
        """Load the elements from an address on, one a lane, as registers."""
        lanes, code = self.lanes, self.lanes.code
        values = []
        for j in range(lanes.k):
            place = code.let(f"getelementptr i8, ptr {host}, i64 {j * lanes.n * type_.size}")
            raw = code.let(f"load {integer(type_.bits, lanes.n)}, ptr {place}, align {type_.size}")
            values.append(extended(code, raw, type_, lanes.n))
        return values

    def store_wide(self, type_: Type, data: Sequence[str], host: str) -> None:
        """Store the elements of the running lanes from an address on."""
        lanes, code = self.lanes, self.lanes.code
        if type_.bits < 32 or (type_.bits == 32 and lanes.n < CHUNK):
            data = self._without_truncation(integer(type_.bits, lanes.n), data)
        for j, (d, mask) in enumerate(zip(data, lanes.mask, strict=True)):
            place = code.let(f"getelementptr i8, ptr {host}, i64 {j * lanes.n * type_.size}")
            lanes.store_masked(type_.bits, d, place, mask)

    def _without_truncation(self, t: str, data: Sequence[str]) -> list[str]:
        """Hide from LLVM that data are a truncation.

        Where the mask of a masked store is known to have one lane, LLVM 22 makes a scalar store of
        it; if the data are the truncation of one vector register, that stores the wider element.
        """
        if t not in self._zeros:
            entry = self.lanes.entry
            place = entry.let(f"alloca {t}, align 64")
            entry.line(f"store volatile {t} zeroinitializer, ptr {place}")
            self._zeros[t] = entry.let(f"load volatile {t}, ptr {place}")
        return [self.lanes.code.let(f"or {t} {chunk}, {self._zeros[t]}") for chunk in data]

    # --- any addresses

    def load_each(self, type_: Type, places: Sequence[str]) -> list[str]:
        """Load from an address a lane, given as chunks of pointers; as registers."""
        lanes = self.lanes
        loaded = (
            lanes.gather(type_.bits, p, m, "zeroinitializer")
            for p, m in zip(places, lanes.mask, strict=True)
        )
        return [extended(lanes.code, raw, type_, lanes.n) for raw in loaded]

    def store_each(self, type_: Type, data: Sequence[str], places: Sequence[str]) -> None:
        """Store to an address a lane; where two are the same the highest lane wins."""
        for d, p, m in zip(data, places, self.lanes.mask, strict=True):
            self.lanes.scatter(type_.bits, d, p, m)
