"""Per-thread PCs without a stack: the lanes at the smallest PC run (PPC-03, Q-PPC-2).

Engine code. A warp is one group, of the lanes that run; every other lane has its own PC, and lanes
that wait at a barrier are left out of the choice. Lanes stop only where a segment begins, so that
choosing there is choosing at every instruction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import NEVER, bit, ctz, device, drop_lowest, popcount, record, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...machines.machine import Machine
    from ..causes import IDLE, READY
    from ..groups import end_group, new_group, schedule, wake
    from ..hooks import State
    from ..stacks import goes_one_way
    from ..state import group, seg, warp
    from ..workgroups import arrive_at_barrier, diverged

WARP_PCS = record(least="i8", waiting="i8", barrier="i8", compared="i8")
warp_pcs = table("warp_pcs", WARP_PCS)
"""Per warp: the smallest PC of lanes that could run but do not, NEVER for none; lanes at a barrier,
and its segment; the last instruction for which PCs were compared: the seq and count of its group.
"""

lane_pc = table("lane_pc", record(seg="i8"))
"""The segment of a lane that does not run. Index: warp * S.width + lane."""


@device
def on_start(S: State, w: int, v: int, t: int) -> int:
    """Begin warp v with all its lanes at the first segment."""
    pcs = warp_pcs(S, v)
    pcs.least = NEVER
    pcs.waiting = 0
    g = new_group(S, v, warp(S, v).live, 0)
    wake(S, g, t, IDLE)
    return schedule(S, w, g)


@device
def put_lanes(S: State, v: int, lanes: int, s: int) -> int:
    """Put `lanes` of warp v at segment s, without running them."""
    warp_pcs(S, v).least = min(warp_pcs(S, v).least, s)
    while lanes != 0:
        lane_pc(S, v * S.width + ctz(lanes)).seg = s
        lanes = drop_lowest(lanes)
    return 0


@device
def choose(S: State, g: int, lanes: int) -> int:
    """Run those of `lanes` that are at the smallest PC as group g; return 1."""
    grp = group(S, g)
    v = grp.warp
    grp.seg = warp_pcs(S, v).least
    grp.mask = 0
    least = NEVER
    while lanes != 0:
        lane = ctz(lanes)
        lanes = drop_lowest(lanes)
        s = lane_pc(S, v * S.width + lane).seg
        if s == grp.seg:
            grp.mask |= bit(lane)
        else:
            least = min(least, s)
    warp_pcs(S, v).least = least
    return 1


@device
def on_branch(S: State, w: int, g: int, taken: int, t: int) -> int:
    """Put lanes that diverge at different PCs, and choose again."""
    if goes_one_way(S, g, taken) == 1:
        return 1
    grp = group(S, g)
    row = seg(S, grp.seg)
    v = grp.warp
    put_lanes(S, v, taken, row.target)
    put_lanes(S, v, grp.mask & ~taken, row.next)
    return choose(S, g, warp(S, v).live & ~warp_pcs(S, v).waiting)


@device
def on_arrival(S: State, w: int, g: int, t: int) -> int:
    """Compare all PCs of the warp, and run the lanes at the smallest one."""
    grp = group(S, g)
    v = grp.warp
    pcs = warp_pcs(S, v)
    if grp.seg >= pcs.least:
        put_lanes(S, v, grp.mask, grp.seg)
        choose(S, g, warp(S, v).live & ~pcs.waiting)
    now = grp.seq << 32 | grp.count
    if pcs.compared != now:
        # A group that waits for its code arrives again; the comparison counts once.
        pcs.compared = now
        S.n_pc_comparison += seg(S, grp.seg).n_instr * popcount(warp(S, v).all)
    return 0


@device
def on_exit(S: State, w: int, g: int, t: int) -> int:
    """Run other lanes of the warp, if there are any that do not wait at a barrier."""
    v = group(S, g).warp
    pcs = warp_pcs(S, v)
    rest = warp(S, v).live & ~pcs.waiting
    if rest != 0:
        return choose(S, g, rest)
    if pcs.waiting != 0:
        if S.exited_arrive == 0:
            group(S, g).mask = pcs.waiting
            return diverged(S, g, pcs.barrier)
        # The last missing lanes have returned: those that wait are all that are live.
        h = new_group(S, v, pcs.waiting, pcs.barrier)
        pcs.waiting = 0
        arrive_at_barrier(S, w, h, t)
    return 0


@device
def on_sync(S: State, w: int, g: int, t: int) -> int:
    """Let group g's lanes wait at the barrier, and run others of their warp."""
    grp = group(S, g)
    v = grp.warp
    pcs = warp_pcs(S, v)
    if pcs.waiting != 0 and pcs.barrier != grp.seg:
        return diverged(S, g, grp.seg)
    pcs.waiting |= grp.mask
    pcs.barrier = grp.seg
    rest = warp(S, v).live & ~pcs.waiting
    if rest == 0:
        grp.mask = pcs.waiting
        pcs.waiting = 0
        return 1
    h = new_group(S, v, rest, grp.seg)
    group(S, h).count = grp.count
    choose(S, h, rest)
    end_group(S, g)
    wake(S, h, t, READY)
    schedule(S, w, h)
    return 0


def waiting_lanes(rows: Any, S: State, v: int) -> Iterator[tuple[int, int, bool]]:
    """Yield the lanes of warp v that wait at a barrier, and each lane at its own PC."""
    yield rows["warp_pcs"]["waiting"][v], rows["warp_pcs"]["barrier"][v], True
    for lane in range(S.width):
        yield 1 << lane, rows["lane_pc"]["seg"][v * S.width + lane], False


def setup(machine: Machine) -> dict[str, Any]:
    """Return a PC per lane, and the counter of comparisons."""
    warps = machine.wpus * machine.warps
    return {"warp_pcs": warps, "lane_pc": warps * machine.width, "n_pc_comparison": 0}
