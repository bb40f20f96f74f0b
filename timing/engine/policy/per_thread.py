"""Per-thread PCs: no stack; the lanes that stand at the smallest PC run (PPC-03, Q-PPC-2).

Engine code. A warp is one group, of the lanes that run; every other lane has its place, and lanes
that wait at a barrier are left out of the choice. Lanes stand only where a segment begins, so that
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

PARTING = record(least="i8", waiting="i8", barrier="i8", compared="i8")
parting = table("parting", PARTING)
"""Per warp: the smallest PC of lanes that could run but do not, NEVER for none; lanes at a barrier,
and its segment; the last instruction for which PCs were compared: the seq and count of its group.
"""

lane_pc = table("lane_pc", record(seg="i8"))
"""Where a lane stands that does not run. Index: warp * S.width + lane."""


@device
def on_start(S: State, w: int, v: int, t: int) -> int:
    """A warp begins with all its lanes at the first segment."""
    mates = parting(S, v)
    mates.least = NEVER
    mates.waiting = 0
    g = new_group(S, v, warp(S, v).live, 0)
    wake(S, g, t, IDLE)
    return schedule(S, w, g)


@device
def stand(S: State, v: int, lanes: int, s: int) -> int:
    """Lanes stand at a segment and do not run."""
    parting(S, v).least = min(parting(S, v).least, s)
    while lanes != 0:
        lane_pc(S, v * S.width + ctz(lanes)).seg = s
        lanes = drop_lowest(lanes)
    return 0


@device
def choose(S: State, g: int, lanes: int) -> int:
    """Of lanes that stand, those at the smallest PC run as group g."""
    it = group(S, g)
    v = it.warp
    it.seg = parting(S, v).least
    it.mask = 0
    least = NEVER
    while lanes != 0:
        lane = ctz(lanes)
        lanes = drop_lowest(lanes)
        s = lane_pc(S, v * S.width + lane).seg
        if s == it.seg:
            it.mask |= bit(lane)
        else:
            least = min(least, s)
    parting(S, v).least = least
    return 1


@device
def on_branch(S: State, w: int, g: int, taken: int, t: int) -> int:
    """Lanes that do not agree stand at different PCs."""
    if goes_one_way(S, g, taken) == 1:
        return 1
    it = group(S, g)
    row = seg(S, it.seg)
    v = it.warp
    stand(S, v, taken, row.target)
    stand(S, v, it.mask & ~taken, row.next)
    return choose(S, g, warp(S, v).live & ~parting(S, v).waiting)


@device
def on_arrival(S: State, w: int, g: int, t: int) -> int:
    """Whoever stands at the smallest PC runs; all of a warp's PCs are compared."""
    it = group(S, g)
    v = it.warp
    mates = parting(S, v)
    if it.seg >= mates.least:
        stand(S, v, it.mask, it.seg)
        choose(S, g, warp(S, v).live & ~mates.waiting)
    now = it.seq << 32 | it.count
    if mates.compared != now:
        # Who stops in front of an instruction, for its code, compares once all the same.
        mates.compared = now
        S.n_pc_comparison += seg(S, it.seg).n_instr * popcount(warp(S, v).all)
    return 0


@device
def on_exit(S: State, w: int, g: int, t: int) -> int:
    """Others run, if there are any that do not wait at a barrier."""
    v = group(S, g).warp
    mates = parting(S, v)
    rest = warp(S, v).live & ~mates.waiting
    if rest != 0:
        return choose(S, g, rest)
    if mates.waiting != 0:
        if S.exited_arrive == 0:
            group(S, g).mask = mates.waiting
            return diverged(S, g, mates.barrier)
        # The last that were missing have returned: those that wait have arrived as a whole.
        h = new_group(S, v, mates.waiting, mates.barrier)
        mates.waiting = 0
        arrive_at_barrier(S, w, h, t)
    return 0


@device
def on_sync(S: State, w: int, g: int, t: int) -> int:
    """Lanes wait at a barrier while others of their warp run."""
    it = group(S, g)
    v = it.warp
    mates = parting(S, v)
    if mates.waiting != 0 and mates.barrier != it.seg:
        return diverged(S, g, it.seg)
    mates.waiting |= it.mask
    mates.barrier = it.seg
    rest = warp(S, v).live & ~mates.waiting
    if rest == 0:
        it.mask = mates.waiting
        mates.waiting = 0
        return 1
    h = new_group(S, v, rest, it.seg)
    group(S, h).count = it.count
    choose(S, h, rest)
    end_group(S, g)
    wake(S, h, t, READY)
    schedule(S, w, h)
    return 0


def waiting_lanes(rows: Any, S: State, v: int) -> Iterator[tuple[int, int, bool]]:
    """Yield the lanes of warp v that wait at a barrier, and each lane at its own PC."""
    yield rows["parting"]["waiting"][v], rows["parting"]["barrier"][v], True
    for lane in range(S.width):
        yield 1 << lane, rows["lane_pc"]["seg"][v * S.width + lane], False


def setup(machine: Machine) -> dict[str, Any]:
    """A place per lane."""
    warps = machine.wpus * machine.warps
    return {"parting": warps, "lane_pc": warps * machine.width, "n_pc_comparison": 0}
