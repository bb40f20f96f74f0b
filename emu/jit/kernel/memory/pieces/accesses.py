"""Accesses of warps whose lanes agree, or are neighbours, within each piece.

A piece lies within one row of its workgroup. Such an access is a wide one per piece, or a scalar
load per piece whose value goes to all of its lanes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ......isa.types import Type
from .....analysis.values.ssa import Op, Value
from ....arithmetic.widths import extended, narrowed
from ....llvm.text import integer
from ....llvm.vectors import CHUNK
from ...lane_code import LaneCode
from ..moves import Moves


class Pieces:
    """Emits the accesses of pieces."""

    def __init__(self, lanes: LaneCode, moves: Moves) -> None:
        self.lanes = lanes
        self.moves = moves
        self._cell: str | None = None

    def step(self, op: Op, address: Value, scale: int = 1) -> int | None:
        """Return how many bytes apart a piece's lanes access memory, if it is known and of use.

        `address` is counted in units of `scale` bytes.
        """
        shapes, type_ = self.lanes.shapes, op.ins.row.type
        if not self.lanes.facts.piece or type_ is None or shapes.stride(address) is not None:
            return None
        stride = shapes.piece_stride(address)
        steps = (0, type_.size)
        return stride * scale if stride is not None and stride * scale in steps else None

    # --- loads

    def load(
        self, type_: Type, hosts: Sequence[str], step: int, whole: Collection[int] = ()
    ) -> list[str]:
        """Load what the pieces have at their host addresses, as chunks of registers.

        The pieces of the chunks `whole` are neighbours of each other.
        """
        lanes, code, pieces = self.lanes, self.lanes.code, self.lanes.pieces
        if not step:
            return self.spread(type_, self.load_scalars(type_, hosts))

        def load(host: str, n: int) -> str:
            return code.let(f"load {integer(type_.bits, n)}, ptr {host}, align {type_.size}")

        per_chunk = lanes.n // pieces.n
        chunks = []
        for chunk in range(lanes.k):
            here = hosts[chunk * per_chunk : (chunk + 1) * per_chunk]
            if chunk in whole:
                chunks.append(load(here[0], lanes.n))
            else:
                chunks.append(lanes.joined(type_.bits, pieces.n, [load(h, pieces.n) for h in here]))
        return [extended(code, chunk, type_, lanes.n) for chunk in chunks]

    def load_scalars(self, type_: Type, hosts: Sequence[str]) -> list[str]:
        """Load one element for each piece, as registers."""
        return [self.moves.load(type_, host) for host in hosts]

    def load_running(self, type_: Type, hosts: Sequence[str]) -> list[str]:
        """Load neighbouring elements for the running lanes of each piece; others are 0.

        Nothing is read for other lanes.
        """
        lanes, pieces = self.lanes, self.lanes.pieces
        masks = [part for mask in lanes.mask for part in self._split(lanes.mask_type, mask)]
        parts = [
            pieces.load_masked(type_.bits, host, mask)
            for host, mask in zip(hosts, masks, strict=True)
        ]
        each = lanes.n // pieces.n
        chunks = [
            lanes.joined(type_.bits, pieces.n, parts[i : i + each])
            for i in range(0, len(parts), each)
        ]
        return [extended(lanes.code, chunk, type_, lanes.n) for chunk in chunks]

    def access_running(self, op: Op, type_: Type, host: str, index: Value) -> list[str]:
        """Access neighbours in the running lanes of each piece; return what was loaded.

        `host` is the address of index 0, and running lanes have indices from 0 to below 2^31. So
        the first lane of a piece may have one before 0, but none that wraps around after them.
        """
        code, size = self.lanes.code, type_.size
        numbers = [code.let(f"sext i32 {first} to i64") for first in self.lanes.firsts(index)]
        starts = [code.let(f"mul i64 {number}, {size}") for number in numbers]
        hosts = [code.let(f"getelementptr i8, ptr {host}, i64 {start}") for start in starts]
        if op.ins.row.is_load:
            return self.load_running(type_, hosts)
        self.store(op, type_, hosts, size)
        return []

    def spread(self, type_: Type, scalars: Sequence[str]) -> list[str]:
        """Return chunks of registers in which each piece has its scalar."""
        return self.lanes.from_firsts(max(type_.bits, 32), self.lanes.pieces.n, scalars, 0)

    def define(self, op: Op, loaded: Sequence[str]) -> None:
        """Define the value of a load of all lanes, of which the running ones are right."""
        self.lanes.define(op, "value", list(loaded))
        if self.lanes.is_pieced(op):
            self.lanes.define(op, "firsts", self.firsts_of(op.cls.bits, loaded))

    def firsts_of(self, bits: int, chunks: Sequence[str]) -> list[str]:
        """Return the scalars that the running lanes of each piece share."""
        lanes, code, n = self.lanes, self.lanes.code, self.lanes.pieces.n
        t, piece, firsts = integer(bits, lanes.n), integer(bits, n), []
        for chunk, mask in zip(chunks, lanes.mask, strict=True):
            running = code.let(f"select {lanes.mask_type} {mask}, {t} {chunk}, {t} zeroinitializer")
            for value in self._split(t, running):
                name = f"llvm.vector.reduce.or.v{n}i{bits}"
                firsts.append(code.call(f"i{bits}", name, f"{piece} {value}"))
        return firsts

    def define_scalars(self, op: Op, type_: Type, scalars: list[str]) -> None:
        """Define the value of a load of one element for each piece."""
        self.lanes.define(op, "value", self.spread(type_, scalars))
        if self.lanes.is_pieced(op):
            self.lanes.define(op, "firsts", scalars)

    # --- stores

    def store(
        self, op: Op, type_: Type, hosts: Sequence[str], step: int, whole: Collection[int] = ()
    ) -> None:
        """Store what the running lanes of the pieces have from their host addresses on.

        The pieces of the chunks `whole` are neighbours of each other.
        """
        if not step:
            self._store_scalars(op, type_, hosts)
            return
        self.store_chunks(type_, self.moves.store_data(op, type_), hosts, whole)

    def store_chunks(
        self, type_: Type, data: Sequence[str], hosts: Sequence[str], whole: Collection[int] = ()
    ) -> None:
        """Store chunks of data as neighbours in each piece."""
        lanes, pieces = self.lanes, self.lanes.pieces
        if type_.bits < 32 or (type_.bits == 32 and pieces.n < CHUNK):
            data = self.moves.without_truncation(integer(type_.bits, lanes.n), data)
        t = integer(type_.bits, lanes.n)
        per_chunk = lanes.n // pieces.n
        for chunk, (value, mask) in enumerate(zip(data, lanes.mask, strict=True)):
            here = hosts[chunk * per_chunk : (chunk + 1) * per_chunk]
            if chunk in whole:
                self.moves.store_masked(lanes, type_, value, here[0], mask)
                continue
            parts = self._split(t, value), here, self._split(lanes.mask_type, mask)
            for part, host, running in zip(*parts, strict=True):
                self.moves.store_masked(pieces, type_, part, host, running)

    def _store_scalars(self, op: Op, type_: Type, hosts: Sequence[str]) -> None:
        """Store one element for each piece that has running lanes: that of the highest one.

        Other pieces store to a cell that nothing reads, without a branch. Where masks are
        constants, as those of `if (x == 0)`, LLVM leaves no more than the stores.
        """
        lanes, code, n = self.lanes, self.lanes.code, self.lanes.pieces.n
        t, piece, bits = integer(type_.bits, lanes.n), integer(type_.bits, n), f"i{n}"
        words = [
            code.let(f"bitcast <{n} x i1> {part} to {bits}")
            for mask in lanes.mask
            for part in self._split(lanes.mask_type, mask)
        ]

        def of_highest(value: str, word: str) -> str:
            zeros = code.call(bits, f"llvm.ctlz.{bits}", f"{bits} {word}", "i1 false")
            lane = code.let(f"sub {bits} {n - 1}, {zeros}")
            lane = code.let(f"and {bits} {lane}, {n - 1}")  # a lane where none runs, too
            return code.let(f"extractelement {piece} {value}, {bits} {lane}")

        if lanes.shapes.piece_stride(op.args[0]) == 0:
            firsts = lanes.stored(op, lanes.firsts(op.args[0]), 0)
            values = [narrowed(code, first, type_, 0) for first in firsts]
        else:
            data = self.moves.store_data(op, type_)
            parts = [part for chunk in data for part in self._split(t, chunk)]
            values = list(map(of_highest, parts, words))
        for host, value, word in zip(hosts, values, words, strict=True):
            runs = code.let(f"icmp ne {bits} {word}, 0")
            place = code.let(f"select i1 {runs}, ptr {host}, ptr {self._unread()}")
            code.line(f"store i{type_.bits} {value}, ptr {place}")

    def _unread(self) -> str:
        """Return the address of a cell that nothing reads."""
        if self._cell is None:
            self._cell = self.lanes.entry.let("alloca i64, align 8")
        return self._cell

    # --- pieces of a chunk

    def _split(self, t: str, chunk: str) -> list[str]:
        """Return the pieces of a chunk of type `t`."""
        n, lanes = self.lanes.pieces.n, self.lanes.n
        if n == lanes:
            return [chunk]
        found = []
        for start in range(0, lanes, n):
            order = ", ".join(f"i32 {start + i}" for i in range(n))
            found.append(
                self.lanes.code.let(f"shufflevector {t} {chunk}, {t} poison, <{n} x i32> <{order}>")
            )
        return found
