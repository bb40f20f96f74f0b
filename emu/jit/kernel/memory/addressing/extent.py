"""Where an access lies in a segment that is one block of memory."""

from __future__ import annotations

from dataclasses import dataclass

from .....analysis.ssa import Value


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
