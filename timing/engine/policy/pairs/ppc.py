"""Paired-path comparison: the sides of the top entry merge where their PCs meet (PPC-05..07, 10).

Engine code. After an instruction the two PCs of the top entry are compared, in no time (Q-PPC-6):
equal ones merge, else the side with the smaller one runs. With `S.cascade` the comparison is
repeated after a merge (Q-PPC-5). The instructions after which PCs are compared are chosen in
ppc_implicit.py and ppc_explicit.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...intrinsics import device

if TYPE_CHECKING:
    from ....machines.machine import Machine
    from ...causes import HIT
    from ...groups import end_group, new_group
    from ...hooks import State
    from ...stacks import goes_one_way
    from ...state import SEG_BARRIER, group, ready_at, seg, warp
    from .dual_path import (
        NO_GROUP,
        close_entry,
        enter,
        forget_sides,
        open_entry,
        pair,
        put_side,
        resume,
        set_aside,
        side,
        side_of,
        side_pc,
    )


@device
def on_branch(S: State, w: int, g: int, taken: int, t: int) -> int:
    """Open an entry where lanes diverge; the side with the smaller PC continues (PPC-07)."""
    if goes_one_way(S, g, taken) == 1:
        return 1
    grp = group(S, g)
    row = seg(S, grp.seg)
    entry = open_entry(S, g, row.target, taken, row.next, grp.mask & ~taken)
    enter(S, g, 2 * entry + (1 if row.target < row.next else 0))
    return 1


@device
def compare(S: State, w: int, g: int, t: int) -> int:
    """Compare the PCs of running group g as in Fig. 4; return 1 if g must stop."""
    grp = group(S, g)
    while warp(S, grp.warp).depth > 0:
        own_side = side_of(S, g)
        pair(S, own_side // 2).current = own_side & 1
        if grp.seg != side_pc(S, own_side ^ 1):
            return arbitrate(S, w, g, own_side, t)
        other = side(S, own_side ^ 1)
        if lacks_data(S, other.group, t) == 1:
            if pair(S, own_side // 2).by_miss == 1:
                return 0  # its lanes were split so that they need not wait
            return join_waiting(S, w, g, other.group, t)
        grp.mask |= other.mask
        if other.group != NO_GROUP:
            end_group(S, other.group)
        close_entry(S, w, g)
        if S.cascade == 0:
            break
    return 0


@device
def join_waiting(S: State, w: int, g: int, h: int, t: int) -> int:
    """Merge g into h, which is at the same PC and waits for data; return 1."""
    group(S, h).mask |= group(S, g).mask
    end_group(S, g)
    close_entry(S, w, h)
    let_other_run(S, w, h, t)
    return 1


@device
def arbitrate(S: State, w: int, g: int, own_side: int, t: int) -> int:
    """Run the side with the smaller PC, unless it has to wait; return 1 if g must stop.

    `own_side` is the side of group g. Waiting for hits does not count as waiting (Q-DWS-8).
    """
    grp = group(S, g)
    if grp.seg < side_pc(S, own_side ^ 1):
        return 0
    h = side(S, own_side ^ 1).group
    if h == NO_GROUP:
        put_side(S, own_side, grp.seg, grp.mask)
        enter(S, g, own_side ^ 1)
        return 0
    if lacks_data(S, h, t) == 1 and group(S, h).cause != HIT:
        return 0
    if group(S, h).at_memory == 0 and at_barrier(S, h) == 1:
        return 0
    set_aside(S, g)
    resume(S, w, h, t)
    return 1


@device
def lacks_data(S: State, g: int, t: int) -> int:
    """Return 1 if g is a group at an access whose data have not arrived by t."""
    return 1 if g != NO_GROUP and group(S, g).at_memory == 1 and ready_at(S, g).t > t else 0


@device
def at_barrier(S: State, g: int) -> int:
    """Return 1 if group g is before a barrier, which a part of a warp cannot issue."""
    return 1 if seg(S, group(S, g).seg).kind == SEG_BARRIER else 0


@device
def let_other_run(S: State, w: int, g: int, t: int) -> int:
    """Let the other side issue from t on, because group g waits for data (PPC-12)."""
    v = group(S, g).warp
    if warp(S, v).depth == 0:
        return 0
    own_side = side_of(S, g)
    if side_pc(S, own_side) == side_pc(S, own_side ^ 1):
        return 0  # they merge when the data arrive
    other = side(S, own_side ^ 1)
    if other.group == NO_GROUP:
        other.group = new_group(S, v, other.mask, other.seg)
    return resume(S, w, other.group, t)


@device
def on_exit(S: State, w: int, g: int, t: int) -> int:
    """Remove returned lanes from every mask; the other side moves to the level below."""
    grp = group(S, g)
    v = grp.warp
    if warp(S, v).depth == 0:
        return 0
    forget_sides(S, v, grp.mask)
    survivor = side(S, side_of(S, g) ^ 1)
    h = survivor.group
    if h == NO_GROUP:
        grp.mask = survivor.mask
        grp.seg = survivor.seg
        close_entry(S, w, g)
        return 1
    close_entry(S, w, h)
    resume(S, w, h, t)
    if lacks_data(S, h, t) == 1:
        let_other_run(S, w, h, t)
    return 0


def setup(machine: Machine) -> dict[str, Any]:
    """Return whether the entry below is compared after a merge, and the counter of comparisons."""
    return {"cascade": machine.policy["cascade"], "n_pc_comparison": 0}
