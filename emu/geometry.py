"""The shape of a launch: grid, workgroups, warps, and every identity that follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from math import prod
from operator import index

import numpy as np

from ..isa.errors import ArgumentError
from ..isa.quoting import shown

MAX_WIDTH = 64
MAX_ITEMS = (1 << 32) - 1
"""Work-items of a grid, and of a workgroup in each dimension: identities have 32 bits."""
DEFAULT_WIDTH = 32

Dim3 = tuple[int, int, int]


def whole(value: object) -> int | None:
    """Return a whole number of Python or NumPy as an int; None for a bool or anything else."""
    if isinstance(value, (bool, np.bool_)):
        return None
    try:
        return index(value)  # pyright: ignore[reportArgumentType]
    except TypeError:
        return None


def dim3(value: int | Sequence[int], what: str) -> Dim3:
    """Return one to three positive 32-bit sizes as three; raises ArgumentError.

    `what` names the argument in the message.
    """
    given = value if isinstance(value, Sequence) else (value,)
    sizes = [whole(v) for v in islice(given, 4)]  # a fourth one is too many, however many follow
    positive = [size for size in sizes if size is not None and size > 0]
    if positive != sizes or not 1 <= len(positive) <= 3:
        raise ArgumentError(
            f"{what} must be one to three positive whole numbers, not {shown(value)}",
            code="SIM301",
        )
    if max(positive) > MAX_ITEMS:
        raise ArgumentError(
            f"{what} is too large: {shown(max(positive))}; 2^32 - 1 is the most in each dimension",
            code="SIM303",
        )
    x, y, z = (*positive, 1, 1)[:3]
    return x, y, z


@dataclass(frozen=True)
class Geometry:
    """A launch of `items` work-items in workgroups of `group_size`, in warps of `width` lanes.

    Where `group_size` does not divide `items`, the last workgroup of that dimension is smaller
    (currentworkgroupsize). The flat local id counts over the workgroup's actual size, dimension 0
    fastest, so only the last warp of a workgroup can have lanes that never start.
    """

    items: Dim3
    group_size: Dim3
    width: int = DEFAULT_WIDTH

    def __post_init__(self) -> None:
        width = whole(self.width)
        if width is None or not 1 <= width <= MAX_WIDTH:
            raise ArgumentError(
                f"the warp width must be from 1 to {MAX_WIDTH}, not {shown(self.width)}",
                code="SIM302",
            )
        object.__setattr__(self, "width", width)
        if prod(self.items) > MAX_ITEMS:
            raise ArgumentError(
                f"a grid of {prod(self.items)} work-items is too large; 2^32 - 1 is the most",
                code="SIM303",
            )

    @classmethod
    def of(
        cls,
        groups: int | Sequence[int] | None = None,
        group_size: int | Sequence[int] = 256,
        *,
        items: int | Sequence[int] | None = None,
        width: int = DEFAULT_WIDTH,
    ) -> Geometry:
        """Make one from a number of workgroups (CUDA's grid) or a total of work-items, not both."""
        size = dim3(group_size, "group_size")
        if (groups is None) == (items is None):
            raise ArgumentError(
                "a launch takes either groups= (workgroups) or items= (work-items in total)",
                code="SIM304",
            )
        if items is None:
            count = dim3(groups, "groups")  # pyright: ignore[reportArgumentType]
            total: Dim3 = (count[0] * size[0], count[1] * size[1], count[2] * size[2])
        else:
            total = dim3(items, "items")
        return cls(total, size, width)

    @cached_property
    def groups(self) -> Dim3:
        """Workgroups per dimension."""
        x, y, z = (-(-i // g) for i, g in zip(self.items, self.group_size, strict=True))
        return x, y, z

    @property
    def n_groups(self) -> int:
        """Workgroups in total."""
        return prod(self.groups)

    @property
    def n_items(self) -> int:
        """Work-items in total."""
        return prod(self.items)

    def described(self) -> str:
        """Return the numbers of work-items and workgroups, as `100 in 2 workgroups`."""
        return f"{self.n_items:,} in {self.n_groups:,} workgroup{'s' if self.n_groups != 1 else ''}"

    @cached_property
    def largest_group(self) -> int:
        """Work-items of the largest workgroup; less than `group_size` in a smaller grid."""
        return prod(self.current_size(0))

    def group_id(self, flat: int) -> Dim3:
        """Return workgroupid of a flat workgroup number (dimension 0 fastest)."""
        gx, gy, _ = self.groups
        return flat % gx, flat // gx % gy, flat // (gx * gy)

    def current_size(self, flat: int) -> Dim3:
        """Return currentworkgroupsize of a flat workgroup number."""
        x, y, z = (
            min(size, items - index * size)
            for size, items, index in zip(
                self.group_size, self.items, self.group_id(flat), strict=True
            )
        )
        return x, y, z

    def local_id(self, group: int, flat_local: int) -> Dim3:
        """Return workitemid of a flat local id in a flat workgroup number."""
        sx, sy, _ = self.current_size(group)
        return flat_local % sx, flat_local // sx % sy, flat_local // (sx * sy)

    def absolute_id(self, group: int, flat_local: int) -> Dim3:
        """Return workitemabsid of a work-item."""
        x, y, z = (
            g * size + i
            for g, size, i in zip(
                self.group_id(group),
                self.group_size,
                self.local_id(group, flat_local),
                strict=True,
            )
        )
        return x, y, z
