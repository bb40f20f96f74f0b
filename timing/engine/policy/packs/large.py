"""Large warps: several warps with one PC and one stack (LWM-06, LWM-09, LWM-10, LWM-22).

Engine code. `S.rows` consecutive warps of a workgroup are the rows of a large warp, a pack
(packs.py) with a part for each row. Each row has its part of the stack, at equal depths: the masks
of a level are those of the rows together, segment and re-convergence point are the same in all. The
top is the current PC and mask; below it are the join and divergent entries of LWM-03. Large warps
that accesses split are in large_split.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...intrinsics import device, popcount

if TYPE_CHECKING:
    from ....machines.machine import Machine
    from ...groups import make_group
    from ...hooks import State, gathers, leaves, on_resume, on_row
    from ...stacks import FIRST_MAJORITY, NOWHERE, begin_root, forget_lanes, push, takes_first, top
    from ...state import SEG_BRANCH, group, seg, stack, warp, workgroup
    from ...workgroups import diverged
    from .packs import charge_homes, charge_pipeline, end_pack, part


@device
def on_start(S: State, w: int, v: int, t: int) -> int:
    """Begin warp v as the first row of a large warp, or as the next row of the last one."""
    row = (popcount(workgroup(S, warp(S, v).workgroup).contexts) - 1) % S.rows
    if row == 0:
        h = begin_root(S, w, v, t)
        on_row(S, v, -1)
    else:
        h = make_group(S, v, warp(S, v).live, 0)
        push(S, v, 0, NOWHERE, warp(S, v).live, NOWHERE)
        group(S, h).lead = group(S, S.last_row).lead
        part(S, S.last_row).next = h
        on_row(S, v, group(S, S.last_row).warp)
    part(S, h).next = -1
    S.last_row = h
    return 0


@device
def on_dispatch(S: State, w: int, g: int, t: int) -> int:
    """Charge the wait of pack g to all of its rows, which have waited for the same."""
    charge_homes(S, w, g, t)
    return on_resume(S, w, g, t)


@device
def on_branch(S: State, w: int, g: int, taken: int, t: int) -> int:
    """Follow the branch that the last sub-warp has executed, or push the two buffers as paths."""
    grp = group(S, g)
    row = seg(S, grp.seg)
    n_taken = 0
    n_rest = 0
    h = g
    while h >= 0:
        n_taken += popcount(part(S, h).taken)
        n_rest += popcount(group(S, h).mask & ~part(S, h).taken)
        h = part(S, h).next
    if n_rest == 0 or row.target == row.next:
        grp.seg = row.target
        return 1
    if n_taken == 0:
        grp.seg = row.next
        return 1
    if S.first_path == FIRST_MAJORITY:
        taken_first = 1 if n_taken > n_rest else 0
    else:
        taken_first = takes_first(S, 0, 0, row.target, row.next)
    h = g
    while h >= 0:
        v = group(S, h).warp
        jumps = part(S, h).taken
        falls = group(S, h).mask & ~jumps
        stack(S, top(S, v)).seg = row.rpc
        if taken_first == 1:
            push(S, v, row.next, row.rpc, falls, grp.seg)
            push(S, v, row.target, row.rpc, jumps, grp.seg)
        else:
            push(S, v, row.target, row.rpc, jumps, grp.seg)
            push(S, v, row.next, row.rpc, falls, grp.seg)
        h = part(S, h).next
    return run_top(S, g)


@device
def run_top(S: State, g: int) -> int:
    """Pop entries that are empty or have ended, and run the top; return 0 if none remains."""
    v = group(S, g).warp
    while warp(S, v).depth > 0:
        entry = stack(S, top(S, v))
        if entry.seg != entry.rpc and take_masks(S, g) == 1:
            group(S, g).seg = entry.seg
            return 1
        h = g
        while h >= 0:
            warp(S, group(S, h).warp).depth -= 1
            h = part(S, h).next
    return 0


@device
def take_masks(S: State, g: int) -> int:
    """Make the masks of the top entry current; return 1 if they have a lane."""
    has_lanes = 0
    h = g
    while h >= 0:
        mask = stack(S, top(S, group(S, h).warp)).mask
        group(S, h).mask = mask
        if mask != 0:
            has_lanes = 1
        h = part(S, h).next
    return has_lanes


@device
def on_arrival(S: State, w: int, g: int, t: int) -> int:
    """Pop the top entry at its re-convergence point, and run the next one."""
    grp = group(S, g)
    entry = stack(S, top(S, grp.warp))
    at_join = grp.seg == entry.rpc
    if (at_join or seg(S, grp.seg).kind == SEG_BRANCH) and gathers(S, w, g) == 1:
        return 1
    if at_join:
        entry.seg = grp.seg
        run_top(S, g)
    return 0


@device
def on_exit(S: State, w: int, g: int, t: int) -> int:
    """Remove returned lanes from every entry; end the large warp if no lane remains."""
    s = group(S, g).seg
    h = g
    while h >= 0:
        forget_lanes(S, group(S, h).warp, group(S, h).mask)
        h = part(S, h).next
    if leaves(S, w, g) == 0 and run_top(S, g) == 1:
        return 1
    h = g
    while h >= 0:
        # It occupies its context until it has left the pipeline.
        if warp(S, group(S, h).warp).live == 0:
            charge_pipeline(S, w, group(S, h).warp, s, t)
        h = part(S, h).next
    end_pack(S, g)
    return 0


@device
def on_sync(S: State, w: int, g: int, t: int) -> int:
    """Return 1 for a whole large warp; a barrier in one path of a branch is an error (Q-DWS-35)."""
    if gathers(S, w, g) == 1:
        return 0
    h = g
    while h >= 0:
        if group(S, h).mask != warp(S, group(S, h).warp).live:
            return diverged(S, h, group(S, g).seg)
        h = part(S, h).next
    return 1


def setup(machine: Machine) -> dict[str, Any]:
    """Return the word for the row that began last."""
    return {"last_row": -1}
