"""Paired-path comparison: the sides of the top entry merge where their PCs meet (PPC-05..07, 10).

Engine code. After an instruction the two PCs of the top entry are compared, in no time (Q-PPC-6):
equal ones merge, else the side with the smaller one runs. With `S.cascade` the comparison is
repeated after a merge (Q-PPC-5). When instructions are compared is another file's business
(ppc_implicit.py, ppc_explicit.py).
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
        NOBODY,
        close_entry,
        enter,
        forget_sides,
        open_entry,
        pair,
        put_side,
        rouse,
        set_aside,
        side,
        side_of,
        side_pc,
    )


@device
def on_branch(S: State, w: int, g: int, taken: int, t: int) -> int:
    """Lanes that do not agree open an entry; the side with the smaller PC goes on (PPC-07)."""
    if goes_one_way(S, g, taken) == 1:
        return 1
    it = group(S, g)
    row = seg(S, it.seg)
    e = open_entry(S, g, row.target, taken, row.next, it.mask & ~taken)
    enter(S, g, 2 * e + (1 if row.target < row.next else 0))
    return 1


@device
def compare(S: State, w: int, g: int, t: int) -> int:
    """Fig. 4 for the group that runs; 1 if it is not to go on."""
    it = group(S, g)
    while warp(S, it.warp).depth > 0:
        mine = side_of(S, g)
        pair(S, mine // 2).current = mine & 1
        if it.seg != side_pc(S, mine ^ 1):
            return arbitrate(S, w, g, mine, t)
        other = side(S, mine ^ 1)
        if lacks_data(S, other.group, t) == 1:
            if pair(S, mine // 2).by_miss == 1:
                return 0  # its lanes have come apart so as not to wait
            return join_waiting(S, w, g, other.group, t)
        it.mask |= other.mask
        if other.group != NOBODY:
            end_group(S, other.group)
        close_entry(S, w, g)
        if S.cascade == 0:
            break
    return 0


@device
def join_waiting(S: State, w: int, g: int, h: int, t: int) -> int:
    """Both sides are at one PC, but the data of group h are not there: all wait for them."""
    group(S, h).mask |= group(S, g).mask
    end_group(S, g)
    close_entry(S, w, h)
    let_other_run(S, w, h, t)
    return 1


@device
def arbitrate(S: State, w: int, g: int, mine: int, t: int) -> int:
    """Of two sides at different PCs the smaller one runs, unless it has to wait.

    Waiting for hits is not waiting (Q-DWS-8).
    """
    it = group(S, g)
    if it.seg < side_pc(S, mine ^ 1):
        return 0
    h = side(S, mine ^ 1).group
    if h == NOBODY:
        put_side(S, mine, it.seg, it.mask)
        enter(S, g, mine ^ 1)
        return 0
    if lacks_data(S, h, t) == 1 and group(S, h).cause != HIT:
        return 0
    if group(S, h).at_memory == 0 and at_barrier(S, h) == 1:
        return 0
    set_aside(S, g)
    rouse(S, w, h, t)
    return 1


@device
def lacks_data(S: State, g: int, t: int) -> int:
    """Whether a group, if there is one, stands at an access whose data are not there."""
    return 1 if g != NOBODY and group(S, g).at_memory == 1 and ready_at(S, g).t > t else 0


@device
def at_barrier(S: State, g: int) -> int:
    """Whether a group is in front of a barrier, which a part of a warp cannot issue."""
    return 1 if seg(S, group(S, g).seg).kind == SEG_BARRIER else 0


@device
def let_other_run(S: State, w: int, g: int, t: int) -> int:
    """A group waits for data from now on: from t on the other side may issue (PPC-12)."""
    v = group(S, g).warp
    if warp(S, v).depth == 0:
        return 0
    mine = side_of(S, g)
    if side_pc(S, mine) == side_pc(S, mine ^ 1):
        return 0  # they merge when the data are there
    other = side(S, mine ^ 1)
    if other.group == NOBODY:
        other.group = new_group(S, v, other.mask, other.seg)
    return rouse(S, w, other.group, t)


@device
def on_exit(S: State, w: int, g: int, t: int) -> int:
    """Returned lanes leave every mask; the other side of their entry goes to the level below."""
    it = group(S, g)
    v = it.warp
    if warp(S, v).depth == 0:
        return 0
    forget_sides(S, v, it.mask)
    survivor = side(S, side_of(S, g) ^ 1)
    h = survivor.group
    if h == NOBODY:
        it.mask = survivor.mask
        it.seg = survivor.seg
        close_entry(S, w, g)
        return 1
    close_entry(S, w, h)
    rouse(S, w, h, t)
    if lacks_data(S, h, t) == 1:
        let_other_run(S, w, h, t)
    return 0


def setup(machine: Machine) -> dict[str, Any]:
    """Whether a merge is followed by a comparison of the entry below, and comparisons of PCs."""
    return {"cascade": machine.policy["cascade"], "n_pc_comparison": 0}
