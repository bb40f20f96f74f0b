"""On-chip memory: group memory, and private memory where the machine has a bank per lane (LWM-04).

Engine code. An on-chip access ends with its instruction: the group continues, and no other one is
picked. Private memory that is not on chip is accessed through the caches, as global memory is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import call, device

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..hooks import State
    from ..loop import trapped
    from ..state import SPACE_GROUP, SPACE_PRIVATE, group, seg, warp
    from .group import group_access


@device
def is_on_chip(S: State, space: int) -> int:
    """Return 1 if accesses of `space` need no cache."""
    if space == SPACE_PRIVATE:
        return S.private_on_chip
    return 1 if space == SPACE_GROUP else 0


@device
def chip_access(S: State, w: int, g: int, t: int) -> int:
    """Move the data of group g's access; return the cycle from which g continues.

    t is the cycle after the access.
    """
    grp = group(S, g)
    row = seg(S, grp.seg)
    if row.space == SPACE_GROUP:
        return group_access(S, w, g, t)
    refused = call(row.move, warp(S, grp.warp).block, grp.mask)
    if refused != 0:
        trapped(S, w, g, refused)
    return t


def setup(machine: Machine) -> dict[str, Any]:
    """Return whether private memory is on chip."""
    return {"private_on_chip": int(machine.private == "on-chip")}
