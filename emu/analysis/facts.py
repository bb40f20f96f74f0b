"""Facts about a launch that generated code relies on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from math import gcd, prod

NEVER_TOGETHER = 65
"""A limit above the lanes of any warp (64): its lanes always run sparse loops alone."""

FEW_GROUPS = 1 << 16
"""The workgroups of most launches, in each dimension: what is calculated of them has 32 bits."""

LARGEST_PIECE = 16
"""Lanes of the largest piece: those of a vector."""

LEAST_PIECE = 4
"""Lanes of the smallest piece: with smaller ones, gathers are as fast."""

OF_ACTIVE_LANES = frozenset(
    {
        "activelaneid",
        "activelanecount",
        "activelanemask",
        "activelaneany",
        "activelaneall",
        "activelanepermute",
    }
)
"""Operations among the lanes that issue together."""

OF_WARPS = frozenset({"laneid", "waveid", "wavesize"}) | OF_ACTIVE_LANES
"""Instructions that show how wide the launch's warps are."""


ABSOLUTE = frozenset({"workitemabsid", "workitemflatabsid", "gridsize"})
"""Identities that do not depend on workgroups."""


class OwnMemory(StrEnum):
    """How lanes run loops over private memory at offsets of their own (lanes/own_memory.py)."""

    TOGETHER = "together"
    ALONE = "alone"
    MEASURED = "measured"
    """Native code has both versions, and finds the faster one (jit/kernel/workgroups/trial.py)."""


@dataclass(frozen=True)
class Facts:
    """What generated code may rely on: warp width, workgroup size, whole workgroups.

    `whole`: every workgroup has its full size, which is a multiple of the width.
    `stack`: warps are those of the launch, and a node runs the lanes that the post-dominator stack
    issues together (analysis/counting), as in code that counts.
    `chunk` is how many lanes a vector has, where it divides the width.
    `poison`, in a debug build, is what variables hold before they are written (jit/control.md).
    `together_from`: the running lanes from which on a sparse loop runs for all of them together.
    `finds_limit`: native code finds that number itself, for loops in which no order of lanes shows.
    `own_memory`: how loops over private memory run.
    `counts`: the code counts what the post-dominator stack executes (analysis/counting) in warps
    of so many lanes, which divide the width; 0: it does not count.
    `marks`: watched accesses may be refused that need not be: marked at the end of warps
    (jit/kernel/memory/watched/marks.py), or loads taken for stores (counting/updates.py).
    `strict`: such marks take loads for stores, too, so that they follow from the numbers of a
    launch (counting/known_places.py).
    `by_batches`: code that counts relies on batches that load before they store (loads_first.py).
    `watches`: it watches places, even if a test of each would do that relies on less
    (counting/independence.py).
    `splits`: code that counts keeps which lanes share an entry of the stack (split_counts.py).
    `one_warp`: a workgroup is one warp, whose lanes reach every barrier together.
    `few_groups`: no workgroup's number is `FEW_GROUPS` or above, in any dimension.
    `row_piece`: lanes of the pieces of warps that lie in one row (widths/row_pieces.py); 0: none.
    `strips`: workgroups may go down the grid first, in strips of rows (workgroup_steps.py).
    `refills`: lanes have any work-items, each its own (refilled.py).
    `begins_anywhere`: warps begin at any work-item, as at the first one of a row of flat numbers
    (jit/kernel/interior/flat_rows.py), and not at multiples of the width only.
    `slow_gathers`: loads at known distances, and of several words of a record, are made one by
    one, and stores that are likely to be side by side are tested for that, since gathers and
    scatters take longer.
    `shares_rows`: loads of nearly the same neighbours are shifts of one row of vectors, if elements
    have as many bytes; 0: none are.
    """

    width: int
    group_size: tuple[int, int, int]
    whole: bool
    poison: int | None = None
    together_from: int = NEVER_TOGETHER
    finds_limit: bool = False
    own_memory: OwnMemory = OwnMemory.TOGETHER
    counts: int = 0
    marks: bool = False
    strict: bool = False
    by_batches: bool = False
    watches: bool = False
    splits: bool = False
    stack: bool = False
    chunk: int = 16
    one_warp: bool = False
    few_groups: bool = False
    strips: bool = False
    row_piece: int = 0
    refills: bool = False
    begins_anywhere: bool = False
    slow_gathers: bool = False
    shares_rows: int = 0

    def __post_init__(self) -> None:
        """Raise ValueError if whole workgroups have no whole number of warps."""
        items = prod(self.group_size)
        if self.whole and items % self.width and not self.refills:
            raise ValueError(
                f"invalid width {self.width}: a workgroup of {items} work-items has no whole "
                "number of such warps; choose a divisor, or `whole=False`"
            )

    @cached_property
    def rows(self) -> bool:
        """Whether every warp lies within one row of its workgroup (dimension 0)."""
        if self.refills:
            return False
        x, y, z = self.group_size
        return y == z == 1 or (self.whole and x % self.width == 0)

    @cached_property
    def piece(self) -> int:
        """Lanes of a piece of a warp, all in one row of the workgroup; 0 if none are used.

        It divides the lanes of a vector, and of the warp.
        """
        if self.rows:
            # A row of pieces is one of smaller pieces, too.
            return gcd(self.row_piece, self.width, self.chunk) if self.row_piece else 0
        if not self.whole or self.refills:
            return 0
        lanes = gcd(self.group_size[0], self.width, self.chunk, LARGEST_PIECE)
        return lanes if lanes >= LEAST_PIECE else 0
