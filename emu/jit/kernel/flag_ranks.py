"""Values that count the flags of the lanes before: bits of masks (group_memory/flag_counts.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...analysis.group_memory.forwarded import Rank
from ...analysis.values.ssa import Op, Value
from ..llvm.text import integer
from ..llvm.vectors import Chunks, VectorCode
from .variables import Variables


class FlagRanks:
    """Keeps the lanes that have a flag, and counts them."""

    def __init__(self, vectors: VectorCode, variables: Variables) -> None:
        self._vectors, self._variables = vectors, variables
        self.found: Mapping[Value, Rank] = {}
        """The values that are counted so."""

    def keeps(self, op: Op) -> bool:
        """Return whether an op makes flags that are counted."""
        return any(rank.flag is op for rank in self.found.values())

    def keep(self, op: Op, lanes: Sequence[str]) -> None:
        """Note the lanes that have a flag, where an op makes it."""
        self._variables.store(("flag", op), [self._vectors.mask_type] * len(lanes), lanes)

    def lanes(self, rank: Rank, vectors: int) -> Chunks:
        """Return the lanes that have a flag, masks."""
        return self._variables.load(("flag", rank.flag), [self._vectors.mask_type] * vectors)

    def counts(self, lanes: Sequence[str]) -> list[str]:
        """Return how many lanes a mask has before each vector, and altogether, i32."""
        code, found = self._vectors.code, ["0"]
        for chunk in lanes:
            count = code.call("i32", "llvm.ctpop.i32", f"i32 {self._bits(chunk)}")
            found.append(code.let(f"add i32 {found[-1]}, {count}"))
        return found

    def value(self, value: Value, vectors: int, most: int) -> list[str]:
        """Return the ranks in some of `most` vectors, or the scalar that counts all lanes."""
        rank = self.found[value]
        if rank.of_all:
            return self.counts(self.lanes(rank, most))[-1:]
        code, n, v = self._vectors.code, self._vectors.n, integer(32, self._vectors.n)
        bits = ", ".join(f"i32 {(1 << lane + rank.inclusive) - 1}" for lane in range(n))
        lanes, found = self.lanes(rank, vectors), []
        for chunk, count in zip(lanes, self.counts(lanes), strict=False):
            here = self._vectors.chunk_of(32, self._bits(chunk))
            before = code.let(f"and {v} {here}, <{bits}>")
            among = code.intrinsic("llvm.ctpop", v, f"{v} {before}")
            found.append(code.let(f"add {v} {among}, {self._vectors.chunk_of(32, count)}"))
        return found

    def _bits(self, chunk: str) -> str:
        code, n = self._vectors.code, self._vectors.n
        bits = code.let(f"bitcast {self._vectors.mask_type} {chunk} to i{n}")
        return code.let(f"zext i{n} {bits} to i32") if n < 32 else bits
