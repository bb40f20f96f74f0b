"""Identity of a work-item, and results of cross-lane instructions with one lane per warp.

Each function takes the work-item, then the instruction's sources and literals in order. Identity
follows from the launch's geometry, its warp width included. The cross-lane instructions work over
the lanes that issue together; in the oracle that is one lane, at its own place in the mask.
"""

from __future__ import annotations

from collections.abc import Callable

from ..geometry import Dim3
from .state import WorkItem


def _local_id(item: WorkItem) -> Dim3:
    """Return workitemid: the flat local id over the workgroup's actual size, dimension 0 first."""
    x, y, _ = item.group.size
    return item.local % x, item.local // x % y, item.local // (x * y)


def _absolute_id(item: WorkItem, dim: int) -> int:
    group = item.group
    return group.id[dim] * group.geometry.group_size[dim] + _local_id(item)[dim]


def _flat_absolute_id(item: WorkItem) -> int:
    x, y, _ = item.group.geometry.items
    column, row, plane = (_absolute_id(item, dim) for dim in range(3))
    return column + x * (row + y * plane)


def _lane(item: WorkItem) -> int:
    return item.local % item.group.geometry.width


def _permute(item: WorkItem, a: int, b: int) -> int:
    """Return the lane that b names, which is this one or does not issue."""
    return a if b % item.group.geometry.width == _lane(item) else 0


IDENTITY: dict[str, Callable[..., int]] = {
    "workitemid": lambda item, dim: _local_id(item)[dim],
    "workgroupid": lambda item, dim: item.group.id[dim],
    "workgroupsize": lambda item, dim: item.group.geometry.group_size[dim],
    "currentworkgroupsize": lambda item, dim: item.group.size[dim],
    "gridsize": lambda item, dim: item.group.geometry.items[dim],
    "gridgroups": lambda item, dim: item.group.geometry.groups[dim],
    "workitemabsid": _absolute_id,
    "workitemflatid": lambda item: item.local,
    "workitemflatabsid": _flat_absolute_id,
    "laneid": _lane,
    "waveid": lambda item: item.local // item.group.geometry.width,
    "wavesize": lambda item: item.group.geometry.width,
    "clock": lambda item: item.executed,
    "activelaneid": lambda item: 0,
    "activelanecount": lambda item, a: a,
    "activelanemask": lambda item, a: a << _lane(item),
    "activelaneany": lambda item, a: a,
    "activelaneall": lambda item, a: a,
    "activelanepermute": _permute,
}
"""By stem. `clock` is the number of instructions executed before this one."""
