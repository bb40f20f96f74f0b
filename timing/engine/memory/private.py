"""On-chip memory: group memory, and private memory where the machine has a bank per lane (LWM-04).

Engine code. An access of it is over when its instruction is: the group goes on, and no other one is
picked. Where private memory is not on chip it goes the way of global memory.
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
    """Whether accesses of a space need no cache."""
    if space == SPACE_PRIVATE:
        return S.private_on_chip
    return 1 if space == SPACE_GROUP else 0


@device
def chip_access(S: State, w: int, g: int, t: int) -> int:
    """Move the data; the cycle at which the group goes on (t: the cycle behind the access)."""
    it = group(S, g)
    row = seg(S, it.seg)
    if row.space == SPACE_GROUP:
        return group_access(S, w, g, t)
    refused = call(row.move, warp(S, it.warp).block, it.mask)
    if refused != 0:
        trapped(S, w, g, refused)
    return t


def setup(machine: Machine) -> dict[str, Any]:
    """Whether private memory is on chip."""
    return {"private_on_chip": int(machine.private == "on-chip")}
