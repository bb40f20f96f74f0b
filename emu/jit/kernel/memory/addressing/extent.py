"""Where an access lies in a segment that is one block of memory."""

from __future__ import annotations

from dataclasses import dataclass

from .....analysis.values.ssa import Value
from ....llvm.function_text import FunctionText
from ....llvm.text import integer


@dataclass(frozen=True)
class Extent:
    """An access of `size` bytes at `base + offset` in a segment of `total` bytes."""

    base: Value
    offset: int
    size: int
    total: int

    @property
    def lowest(self) -> int:
        """The least base that is inside."""
        return max(0, -self.offset)

    @property
    def is_signed(self) -> bool:
        """Whether a base that is inside, and those of a warp's lanes around it, are signed."""
        return self.total - self.offset <= 1 << 30

    def span(self, lanes: int = 1) -> int:
        """Return how far above the least base the base may be, for neighbouring elements of lanes.

        Below 0: nowhere is inside.
        """
        return self.total - self.size * lanes - self.offset - self.lowest

    def outside(
        self, code: FunctionText, base: str, span: int, n: int, *, aligned: bool = False
    ) -> str:
        """Return whether base + offset is outside the segment or misaligned (i1 or a mask).

        It may be known to be `aligned`.
        """
        t, flag = integer(32, n), integer(1, n)

        def k(value: int) -> str:
            value &= 0xFFFF_FFFF
            return f"splat (i32 {value})" if n else str(value)

        far = code.let(f"sub {t} {base}, {k(self.lowest)}") if self.lowest else base
        bad = code.let(f"icmp ugt {t} {far}, {k(span)}")
        if self.size > 1 and not aligned:
            moved = base
            if self.offset % self.size:
                moved = code.let(f"add {t} {base}, {k(self.offset)}")
            low_bits = code.let(f"and {t} {moved}, {k(self.size - 1)}")
            odd = code.let(f"icmp ne {t} {low_bits}, {'zeroinitializer' if n else '0'}")
            bad = code.let(f"or {flag} {bad}, {odd}")
        return bad
