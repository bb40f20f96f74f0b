"""Values with a lane for each work-item, as vectors of n lanes."""

from __future__ import annotations

from collections.abc import Sequence

from ....isa.types import mask_of
from .function_text import FunctionText
from .parts import joined, mask_of_bits, part, picked
from .text import integer
from .toolchain import host_has

CHUNK = 16
"""Lanes of one LLVM vector: one mask register each (measured: 16 beats 8, and mostly 32)."""

_BY_INDEX = "llvm.x86.avx512.mask"

_STORES = "nocallback nofree nosync nounwind willreturn memory(argmem: write)"
"""What LLVM does not know of its own scatter: it stores from its pointer on, and nothing else."""

_SCALES = (1, 2, 4, 8)
"""What an x86 address may multiply an index by."""

Chunks = list[str]
"""The operands of a value with a lane for each work-item, one per vector."""


class VectorCode:
    """Code that computes with `k` vectors of `n` lanes; masks are vectors of i1."""

    def __init__(self, code: FunctionText, n: int, k: int) -> None:
        self.code = code
        self.n, self.k = n, k
        self._indexed: dict[str, tuple[str, str, str]] = {}
        """How addresses were made: from a ptr, a chunk of indices and the size of a cell."""

    @property
    def mask_type(self) -> str:
        """The type of a chunk of a mask."""
        return integer(1, self.n)

    def mask_types(self) -> list[str]:
        """Return the types of a mask's chunks."""
        return [self.mask_type] * self.k

    # --- lanes

    def chunk_of(self, bits: int, scalar: str) -> str:
        """Return one chunk with an integer in every lane."""
        t = integer(bits, self.n)
        one = self.code.let(f"insertelement {t} poison, {integer(bits, 0)} {scalar}, i32 0")
        zero = f"<{self.n} x i32> zeroinitializer"
        return self.code.let(f"shufflevector {t} {one}, {t} poison, {zero}")

    def spread(self, bits: int, scalar: str) -> Chunks:
        """Return an integer in every lane."""
        return [self.chunk_of(bits, scalar)] * self.k

    def steps(self, bits: int, step: int = 1) -> Chunks:
        """Return the number of each lane times a constant."""
        rows = (range(j * self.n, (j + 1) * self.n) for j in range(self.k))
        return [f"<{', '.join(f'i{bits} {lane * step}' for lane in row)}>" for row in rows]

    def each(self, operation: str, bits: int, a: Sequence[str], b: Sequence[str]) -> Chunks:
        """Apply a binary LLVM instruction to all lanes."""
        t = integer(bits, self.n)
        return [self.code.let(f"{operation} {t} {x}, {y}") for x, y in zip(a, b, strict=True)]

    def joined(self, bits: int, length: int, given: Sequence[str]) -> str:
        """Return a chunk of which parts of `length` lanes are given: 2^k of them, or three."""
        whole, count = joined(self.code, bits, length, given)
        return part(self.code, bits, count, whole, 0, self.n)

    def from_firsts(self, bits: int, length: int, firsts: Sequence[str], step: int) -> Chunks:
        """Return chunks of integers that step within pieces of `length` lanes.

        `firsts` are the scalars of the pieces' first lanes.
        """
        t, per_chunk, chunks = integer(bits, self.n), self.n // length, []
        for j in range(self.k):
            scalars = firsts[j * per_chunk : (j + 1) * per_chunk]
            if len(set(scalars)) == 1:
                chunk = self.chunk_of(bits, scalars[0])
            else:
                chunk = self._repeated(bits, length, scalars)
            if step:
                steps = (step * (i % length) & mask_of(bits) for i in range(self.n))
                numbers = ", ".join(f"i{bits} {s}" for s in steps)
                chunk = self.code.let(f"add {t} {chunk}, <{numbers}>")
            chunks.append(chunk)
        return chunks

    def _repeated(self, bits: int, length: int, scalars: Sequence[str]) -> str:
        """Return a chunk that has each scalar in all lanes of its piece."""
        row, packed = integer(bits, len(scalars)), "poison"
        for i, scalar in enumerate(scalars):
            packed = self.code.let(f"insertelement {row} {packed}, i{bits} {scalar}, i32 {i}")
        order = [i // length for i in range(self.n)]
        return picked(self.code, bits, len(scalars), (packed, "poison"), order)

    # --- masks

    def combine(self, operation: str, a: Sequence[str], b: Sequence[str]) -> Chunks:
        """Apply a bitwise operation to two masks."""
        return self.each(operation, 1, a, b)

    def any(self, chunks: Sequence[str]) -> str:
        """Return whether a lane is on, an i1."""
        total = chunks[0]
        for chunk in chunks[1:]:
            total = self.code.let(f"or {self.mask_type} {total}, {chunk}")
        return self.code.let(f"icmp ne i{self.n} {self._bits(total)}, 0")

    @property
    def word_type(self) -> str:
        """The type of a mask as one integer: i64, or one bit a lane if there are more."""
        return f"i{max(64, self.n * self.k)}"

    def word(self, chunks: Sequence[str], operation: str = "or") -> str:
        """Return a mask as one integer, bit l = lane l; `operation` puts the chunks together."""
        word, t = "", self.word_type
        for j, chunk in enumerate(chunks):
            part = self._bits(chunk)
            if t != f"i{self.n}":
                part = self.code.let(f"zext i{self.n} {part} to {t}")
            if j:
                part = self.code.let(f"shl {t} {part}, {j * self.n}")
            word = self.code.let(f"{operation} {t} {word}, {part}") if word else part
        return word

    def chunks(self, word: str) -> Chunks:
        """Return a mask of at most 64 lanes from an i64, bit l = lane l."""
        found = []
        for j in range(self.k):
            part = self.code.let(f"lshr i64 {word}, {j * self.n}") if j else word
            if self.n < 64:
                part = self.code.let(f"trunc i64 {part} to i{self.n}")
            found.append(mask_of_bits(self.code, self.n, part))
        return found

    def _bits(self, chunk: str) -> str:
        return self.code.let(f"bitcast {self.mask_type} {chunk} to i{self.n}")

    # --- memory

    def chunk_places(self, base: str, bits: int, apart: int | None = None) -> list[str]:
        """Return where each chunk of a row of integers begins, from a ptr on.

        They are `apart` integers from each other, by default one for each lane.
        """
        return [
            self.code.let(
                f"getelementptr i{bits}, ptr {base}, i64 {j * (self.n if apart is None else apart)}"
            )
            for j in range(self.k)
        ]

    def places(self, host: str, cell: int, indices: Sequence[str], bits: int = 32) -> Chunks:
        """Return the addresses of cells of some bytes from a ptr on, given chunks of indices."""
        t = f"[{cell} x i8], ptr {host}, {integer(bits, self.n)}"
        found = [self.code.let(f"getelementptr {t} {index}") for index in indices]
        if bits == 32 and cell in _SCALES:
            self._indexed.update(
                (place, (f"ptr {host}", f"{integer(32, self.n)} {index}", f"i32 {cell}"))
                for place, index in zip(found, indices, strict=True)
            )
        return found

    def gather(
        self, bits: int, places: str, mask: str, otherwise: str, align: int | None = None
    ) -> str:
        """Load an integer per lane from a chunk of addresses; `otherwise` where the mask is off."""
        t, p = integer(bits, self.n), f"<{self.n} x ptr>"
        operands = self._operands(bits, places)
        if operands is not None:
            host, index, cell = operands
            name = f"{_BY_INDEX}.gather.dp{'i' if bits == 32 else 'q'}.512"
            found = [
                self.code.call(v[: v.index(">") + 1], name, v, host, i, m, cell)
                for i, m, v in self.register_parts(
                    bits, index, f"{self.mask_type} {mask}", f"{t} {otherwise}"
                )
            ]
            return self.joined(bits, 512 // bits, found)
        name = f"llvm.masked.gather.v{self.n}i{bits}.v{self.n}p0"
        align = align or bits // 8
        given = f"{p} {places}", f"i32 {align}", f"{self.mask_type} {mask}", f"{t} {otherwise}"
        return self.code.call(t, name, *given)

    def scatter(self, bits: int, value: str, places: str, mask: str) -> None:
        """Store a chunk to a chunk of addresses; of equal ones the highest lane stays."""
        t, p = integer(bits, self.n), f"<{self.n} x ptr>"
        operands = self._operands(bits, places)
        if operands is not None:
            host, index, cell = operands
            name = f"{_BY_INDEX}.scatter.dp{'i' if bits == 32 else 'q'}.512"
            given = f"{self.mask_type} {mask}", index, f"{t} {value}"
            for m, i, v in self.register_parts(bits, *given):
                self.code.call_void(name, host, m, i, v, cell, attributes=_STORES)
            return
        name = f"llvm.masked.scatter.v{self.n}i{bits}.v{self.n}p0"
        given = f"{t} {value}", f"{p} {places}", f"i32 {bits // 8}", f"{self.mask_type} {mask}"
        self.code.call_void(name, *given)

    def _operands(self, bits: int, places: str) -> tuple[str, str, str] | None:
        """Return the operands of instructions that access words at indices of 32 bits.

        LLVM widens the indices of its own gathers and scatters to 64 bits, and moves that out of
        loops. It does not find the short ones again then: it cuts them in each iteration, or makes
        twice the instructions.
        """
        fits = bits in (32, 64) and self.n % CHUNK == 0 and host_has("avx512f")
        return self._indexed.get(places) if fits else None

    def register_parts(self, bits: int, *chunks: str) -> list[tuple[str, ...]]:
        """Return the pieces of chunks that fill registers of elements of some bits, with types."""
        length = 512 // bits
        if length == self.n:
            return [chunks]
        found: list[tuple[str, ...]] = []
        for first in range(0, self.n, length):
            lanes = range(first, first + length)
            order = f"<{length} x i32> <{', '.join(f'i32 {lane}' for lane in lanes)}>"
            found.append(tuple(self._part(chunk, length, order) for chunk in chunks))
        return found

    def _part(self, chunk: str, length: int, order: str) -> str:
        """Return some lanes of a chunk, with its type; both begin with theirs."""
        type_ = chunk[: chunk.index(">") + 1]
        part = self.code.let(f"shufflevector {chunk}, {type_} poison, {order}")
        return f"<{length}{type_[type_.index(' ') :]} {part}"

    def load_masked(
        self, bits: int, place: str, mask: str, otherwise: str = "zeroinitializer"
    ) -> str:
        """Load neighbouring elements from a ptr on; `otherwise` where the mask is off."""
        t, name = integer(bits, self.n), f"llvm.masked.load.v{self.n}i{bits}.p0"
        given = f"ptr {place}", f"i32 {bits // 8}", f"{self.mask_type} {mask}"
        return self.code.call(t, name, *given, f"{t} {otherwise}")

    def store_masked(self, bits: int, value: str, place: str, mask: str) -> None:
        """Store the lanes of a chunk that the mask has to neighbouring elements from a ptr on."""
        t, name = integer(bits, self.n), f"llvm.masked.store.v{self.n}i{bits}.p0"
        given = f"{t} {value}", f"ptr {place}", f"i32 {bits // 8}", f"{self.mask_type} {mask}"
        self.code.call_void(name, *given)
