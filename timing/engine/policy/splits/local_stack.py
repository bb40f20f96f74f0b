"""A stack of its own for a split that must diverge while the warp-split table is full.

Engine code (Q-DWS-14, `serialise`). The warp's stack knows the whole warp only, so that such a
split keeps (segment, rpc, mask) entries for itself and runs like Conv until they are used up. In
the meantime it neither merges nor subdivides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...intrinsics import device, record, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....machines.machine import Machine
    from ...hooks import State
    from ...stacks import NOWHERE, takes_first
    from ...state import STACK_OVERFLOW, group, seg

LOCAL = record(seg="i8", rpc="i8", mask="i8")
local = table("local", LOCAL)
"""Index: group * S.local_depth + level. The bottom is where the split goes on as a whole."""

local_level = table("local_level", record(n="i8"))
"""Entries of a group."""


@device
def is_serial(S: State, g: int) -> int:
    """Whether a group runs on a stack of its own."""
    return 1 if local_level(S, g).n > 0 else 0


@device
def push_local(S: State, g: int, s: int, rpc: int, mask: int) -> int:
    """A new top entry."""
    n = local_level(S, g).n
    if n >= S.local_depth:
        S.status = STACK_OVERFLOW
        return 0
    entry = local(S, g * S.local_depth + n)
    entry.seg = s
    entry.rpc = rpc
    entry.mask = mask
    local_level(S, g).n = n + 1
    return 0


@device
def diverge_local(S: State, g: int, taken: int) -> int:
    """The group's branch diverges: both paths are pushed, above the join."""
    it = group(S, g)
    row = seg(S, it.seg)
    rest = it.mask & ~taken
    n = local_level(S, g).n
    if n == 0:
        push_local(S, g, row.rpc, NOWHERE, it.mask)
    else:
        local(S, g * S.local_depth + n - 1).seg = row.rpc
    if takes_first(S, taken, rest, row.target, row.next) == 1:
        push_local(S, g, row.next, row.rpc, rest)
        push_local(S, g, row.target, row.rpc, taken)
    else:
        push_local(S, g, row.target, row.rpc, taken)
        push_local(S, g, row.next, row.rpc, rest)
    return settle_local(S, g)


@device
def arrive_local(S: State, g: int) -> int:
    """A group on its own stack comes to a segment: pop the entry that ends there."""
    it = group(S, g)
    entry = local(S, g * S.local_depth + local_level(S, g).n - 1)
    if it.seg == entry.rpc:
        entry.seg = it.seg
        settle_local(S, g)
    return 0


@device
def forget_local(S: State, g: int, gone: int) -> int:
    """Lanes of the group have returned; 1 if it goes on with others."""
    for level in range(local_level(S, g).n):
        local(S, g * S.local_depth + level).mask &= ~gone
    return settle_local(S, g)


@device
def settle_local(S: State, g: int) -> int:
    """Pop what is empty or over, and run the top; 0 if nothing is left."""
    it = group(S, g)
    n = local_level(S, g).n
    while n > 0:
        entry = local(S, g * S.local_depth + n - 1)
        if entry.mask != 0 and (n == 1 or entry.seg != entry.rpc):
            it.mask = entry.mask
            it.seg = entry.seg
            break
        n -= 1
    # At the bottom the split is whole again.
    local_level(S, g).n = 0 if n <= 1 else n
    return 1 if n > 0 else 0


def waiting_lanes(rows: Any, S: State, v: int) -> Iterator[tuple[int, int, bool]]:
    """Yield the entries of the stacks of warp v's groups, each from its top."""
    for g in range(v * S.width, (v + 1) * S.width):
        if int(rows["warp"]["groups"][v]) >> (g - v * S.width) & 1:
            first, depth = g * S.local_depth, int(rows["local_level"]["n"][g])
            for entry in rows["local"][first : first + depth][::-1]:
                yield entry["mask"], entry["seg"], False


def setup(machine: Machine) -> dict[str, Any]:
    """Room for every lane to part from the others."""
    groups = machine.wpus * machine.warps * machine.width
    depth = 2 * machine.width + 8
    return {"local_depth": depth, "local": groups * depth, "local_level": groups}
