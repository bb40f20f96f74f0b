"""A stack of its own for a split that must diverge while the warp-split table is full.

Engine code (Q-DWS-14, `serialise`). The warp's stack describes the whole warp only, so that such a
split keeps (segment, rpc, mask) entries for itself and runs like Conv until they are used up.
Meanwhile it neither merges nor subdivides.
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
"""Index: group * S.local_depth + level. The bottom is where the split continues as a whole."""

local_level = table("local_level", record(n="i8"))
"""The number of a group's entries; 0 if it has no stack of its own."""


@device
def is_serial(S: State, g: int) -> int:
    """Return 1 if group g runs on a stack of its own."""
    return 1 if local_level(S, g).n > 0 else 0


@device
def push_local(S: State, g: int, s: int, rpc: int, mask: int) -> int:
    """Push an entry on group g's own stack: lanes `mask` at segment s, up to `rpc`."""
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
    """Push both paths of group g's divergent branch on its own stack, above the join."""
    grp = group(S, g)
    row = seg(S, grp.seg)
    rest = grp.mask & ~taken
    n = local_level(S, g).n
    if n == 0:
        push_local(S, g, row.rpc, NOWHERE, grp.mask)
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
    """Pop the entry of group g's own stack that ends at its segment."""
    grp = group(S, g)
    entry = local(S, g * S.local_depth + local_level(S, g).n - 1)
    if grp.seg == entry.rpc:
        entry.seg = grp.seg
        settle_local(S, g)
    return 0


@device
def forget_local(S: State, g: int, gone: int) -> int:
    """Remove the returned lanes `gone` from group g's own stack; return 1 if others remain."""
    for level in range(local_level(S, g).n):
        local(S, g * S.local_depth + level).mask &= ~gone
    return settle_local(S, g)


@device
def settle_local(S: State, g: int) -> int:
    """Pop entries that are empty or have ended, and run the top; return 0 if none remains."""
    grp = group(S, g)
    n = local_level(S, g).n
    while n > 0:
        entry = local(S, g * S.local_depth + n - 1)
        if entry.mask != 0 and (n == 1 or entry.seg != entry.rpc):
            grp.mask = entry.mask
            grp.seg = entry.seg
            break
        n -= 1
    # At the bottom the split is whole again.
    local_level(S, g).n = 0 if n <= 1 else n
    return 1 if n > 0 else 0


@device
def hand_over(S: State, g: int, h: int) -> int:
    """Give the stack, lanes and place of group g to group h."""
    n = local_level(S, g).n
    for level in range(n):
        entry = local(S, g * S.local_depth + level)
        other = local(S, h * S.local_depth + level)
        other.seg = entry.seg
        other.rpc = entry.rpc
        other.mask = entry.mask
    local_level(S, h).n = n
    group(S, h).mask = group(S, g).mask
    group(S, h).seg = group(S, g).seg
    return 0


def waiting_lanes(rows: Any, S: State, v: int) -> Iterator[tuple[int, int, bool]]:
    """Yield the entries of the stacks of warp v's groups, each from its top."""
    for g in range(v * S.width, (v + 1) * S.width):
        if int(rows["warp"]["groups"][v]) >> (g - v * S.width) & 1:
            first, depth = g * S.local_depth, int(rows["local_level"]["n"][g])
            for entry in rows["local"][first : first + depth][::-1]:
                yield entry["mask"], entry["seg"], False


def setup(machine: Machine) -> dict[str, Any]:
    """Return enough entries for every lane to diverge from the others."""
    groups = machine.wpus * machine.warps * machine.width
    depth = 2 * machine.width + 8
    return {"local_depth": depth, "local": groups * depth, "local_level": groups}
