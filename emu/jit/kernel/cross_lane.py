"""Cross-lane instructions: among the running lanes, which are those that issue together.

A warp is one of the launch (`Facts.stack`). What its lanes have in common is a scalar.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....isa.types import RegClass
from ...analysis.values.ssa import Op
from ..llvm.text import integer
from ..llvm.toolchain import host_has
from ..llvm.vectors import CHUNK, Chunks
from .lane_code import LaneCode

_WORD = 32
"""Bits of the words in which lanes are counted."""


class CrossLane:
    """Emits what lanes find out about each other."""

    def __init__(self, lanes: LaneCode) -> None:
        self._lanes, self._code = lanes, lanes.code

    def op(self, op: Op, sources: Sequence[Chunks]) -> None:
        """Define the value of a cross-lane instruction, given its operands chunk by chunk."""
        lanes, code = self._lanes, self._code
        match op.ins.row.stem:
            case "activelaneid":
                lanes.define(op, "value", self._ranks())
            case "activelanepermute":
                lanes.define(op, "value", self._permuted(op.cls, sources[0], sources[1]))
            case "activelaneany":
                lanes.define(op, "value", [lanes.any(self._voters(sources[0]))])
            case "activelaneall":
                off = lanes.combine("xor", sources[0], ["splat (i1 true)"] * lanes.k)
                against = lanes.any(self._voters(off))
                lanes.define(op, "value", [code.let(f"xor i1 {against}, true")])
            case "activelanemask":
                lanes.define(op, "value", [lanes.word(self._voters(sources[0]))])
            case "activelanecount":
                count = self._count(lanes.word(self._voters(sources[0])))
                lanes.define(op, "value", [code.let(f"trunc i64 {count} to i32")])
            case stem:
                raise NotImplementedError(stem)

    def _voters(self, condition: Chunks) -> Chunks:
        """Return the running lanes for which a condition holds."""
        return self._lanes.combine("and", condition, self._lanes.mask)

    def _count(self, word: str) -> str:
        return self._code.intrinsic("llvm.ctpop", "i64", f"i64 {word}")

    def _ranks(self) -> Chunks:
        """Return the number of running lanes below each lane."""
        lanes, code, n = self._lanes, self._code, self._lanes.n
        running, t = lanes.running(), integer(_WORD, n)
        found = []
        for j in range(lanes.k):
            numbers = range(j * n, (j + 1) * n)
            first = j * n // _WORD * _WORD
            word = code.let(f"lshr i64 {running}, {first}") if first else running
            # A chunk that lies in two words begins at the lower one.
            bits = _WORD if (j + 1) * n <= first + _WORD else 64
            wide = integer(bits, n)
            if bits == _WORD:
                word = code.let(f"trunc i64 {word} to i32")
            below = ", ".join(f"i{bits} {(1 << lane - first) - 1}" for lane in numbers)
            lower = code.let(f"and {wide} {lanes.chunk_of(bits, word)}, <{below}>")
            count = code.intrinsic("llvm.ctpop", wide, f"{wide} {lower}")
            if bits != _WORD:
                count = code.let(f"trunc {wide} {count} to {t}")
            if first:
                before = self._count(code.let(f"and i64 {running}, {(1 << first) - 1}"))
                before = code.let(f"trunc i64 {before} to i32")
                count = code.let(f"add {t} {count}, {lanes.chunk_of(_WORD, before)}")
            found.append(count)
        return found

    # --- values of other lanes

    def _permuted(self, cls: RegClass, values: Chunks, indices: Chunks) -> Chunks:
        """Return what other lanes have; lanes that do not run have 0."""
        lanes, code, t = self._lanes, self._code, integer(cls.bits, self._lanes.n)
        shown = [
            code.let(f"select {lanes.mask_type} {m}, {t} {v}, {t} zeroinitializer")
            for m, v in zip(lanes.mask, values, strict=True)
        ]
        if lanes.width == 1:
            return shown
        if not (host_has("avx512f") and lanes.n == CHUNK and lanes.width.bit_count() == 1):
            return self._through_memory(cls.bits, shown, indices)
        if cls.bits == _WORD:
            return self._picked(shown, indices)
        # Twice as many registers would be picked from by indices of 64 bits.
        narrow = integer(_WORD, lanes.n)
        low = self._picked([code.let(f"trunc {t} {v} to {narrow}") for v in shown], indices)
        upper = [code.let(f"lshr {t} {v}, splat (i64 32)") for v in shown]
        high = self._picked([code.let(f"trunc {t} {v} to {narrow}") for v in upper], indices)
        found = []
        for lower, above in zip(low, high, strict=True):
            wide = code.let(f"shl {t} {code.let(f'zext {narrow} {above} to {t}')}, splat (i64 32)")
            found.append(code.let(f"or {t} {wide}, {code.let(f'zext {narrow} {lower} to {t}')}"))
        return found

    def _picked(self, values: Chunks, indices: Chunks) -> Chunks:
        """Return 32-bit numbers of other lanes, in a warp of 16, 32 or 64 lanes."""
        lanes, code, t = self._lanes, self._code, integer(_WORD, CHUNK)

        def pick(chunks: Sequence[str], at: str) -> str:
            """Pick by the lowest bits of indices, as many as the lanes have numbers."""
            if len(chunks) == 1:
                given = f"{t} {chunks[0]}", f"{t} {at}"
                return code.call(t, "llvm.x86.avx512.permvar.si.512", *given)
            if len(chunks) == 2:
                given = f"{t} {chunks[0]}", f"{t} {at}", f"{t} {chunks[1]}"
                return code.call(t, "llvm.x86.avx512.vpermi2var.d.512", *given)
            half = len(chunks) // 2
            lower, upper = pick(chunks[:half], at), pick(chunks[half:], at)
            bit = code.let(f"and {t} {at}, splat (i32 {half * CHUNK})")
            is_lower = code.let(f"icmp eq {t} {bit}, zeroinitializer")
            return code.let(f"select {lanes.mask_type} {is_lower}, {t} {lower}, {t} {upper}")

        return [pick(values, at) for at in indices]

    def _through_memory(self, bits: int, values: Chunks, indices: Chunks) -> Chunks:
        lanes, code, t = self._lanes, self._code, integer(_WORD, self._lanes.n)
        cells = lanes.entry.let(f"alloca [{lanes.width} x i{bits}], align 64")
        for place, value in zip(lanes.chunk_places(cells, bits), values, strict=True):
            code.line(f"store {integer(bits, lanes.n)} {value}, ptr {place}, align {bits // 8}")
        found = []
        for index in indices:
            lane = code.let(f"urem {t} {index}, splat (i32 {lanes.width})")
            places = code.let(f"getelementptr i{bits}, ptr {cells}, {t} {lane}")
            found.append(lanes.gather(bits, places, "splat (i1 true)", "zeroinitializer"))
        return found
