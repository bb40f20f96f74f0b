"""Where the lanes of a warp are: the path that runs next, and those that wait, and for what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .machine import Machine
from .timeline import Timeline


@dataclass(frozen=True)
class Path:
    """Lanes of a warp at one pc. `pc` is None where they execute nothing more.

    `status` says what they do: `next` (they issue the warp's next instruction), `ready`, `waits`
    (with its cause), `on the stack`, `ended`, `no work-item`.
    """

    mask: int
    pc: int | None
    status: str


@dataclass(frozen=True)
class Entry:
    """A row of the re-convergence stack, or one side of a pair, or a group, as a frame."""

    mask: int
    pc: int | None
    text: str


def state_of(timeline: Timeline, warp: int, position: int) -> dict[str, Any]:
    """Return a warp's recorded state (docs/recording.md) at a position."""
    t = timeline.time(position)
    if position < timeline.n:
        last = timeline.last_of(warp, position)
        if last is None or timeline.t[last] != t:
            t -= 1
    return timeline.recording.state(warp, t)


def paths(timeline: Timeline, machine: Machine, warp: int, position: int) -> list[Path]:
    """Return the paths of a warp, the one that issues next first."""
    width = timeline.recording.width
    upcoming = timeline.next_by_lane(warp, position)
    state = state_of(timeline, warp, position)
    next_own = timeline.next_of(warp, position)
    running = 0
    if next_own is not None and timeline.launch[next_own] == timeline.launch_at(position):
        running = int(timeline.mask[next_own])
    first = machine.first_lane(warp, timeline.moment(warp, position))
    found: dict[tuple[int | None, str], int] = {}
    for lane in range(width):
        if first < 0 or not machine.has_started(first + lane):
            key = None, "no work-item"
        else:
            at = upcoming[lane]
            pc = int(timeline.pc[at]) if at is not None else None
            if at is not None and at == next_own and running >> lane & 1:
                key = pc, "next"
            else:
                known = _status(state, lane)
                if known is None:
                    key = pc, "ready" if pc is not None else "ended"
                else:
                    key = (pc if pc is not None else known[0]), known[1]
        found[key] = found.get(key, 0) | 1 << lane
    order = ("next", "no work-item", "ended")
    rows = [Path(mask, pc, status) for (pc, status), mask in found.items()]
    return sorted(
        rows,
        key=lambda p: (p.status != "next", p.status in order[1:], p.mask & -p.mask),
    )


def _status(state: dict[str, Any], lane: int) -> tuple[int | None, str] | None:
    """Return (pc, what a lane does) by the warp's state; None where it says nothing of it."""
    for group in state.get("groups", ()):
        if int(group["mask"], 16) >> lane & 1:
            status = group["status"]
            if status == "wait" and group["cause"] == "ready":
                status = "ready"
            elif status == "wait":
                status = f"waits for {group['cause']} until {group['ready']}"
            return group["pc"], "ready" if status == "run" else status
    for mask, pc, why in state.get("waiting", ()):
        if int(mask, 16) >> lane & 1:
            return pc, why
    for pc, mask, other, others in reversed(state.get("pairs", ())):
        for side, lanes in ((pc, mask), (other, others)):
            if int(lanes, 16) >> lane & 1:
                return side, "waits in the pair"
    for pc, _, mask in reversed(state.get("stack", ())):
        if int(mask, 16) >> lane & 1:
            return pc, "waits on the stack"
    return None


def entries(state: dict[str, Any]) -> list[Entry]:
    """Return what a warp's hardware holds, the top of the stack first."""
    found = [
        Entry(int(mask, 16), pc, f"stack, re-converges at pc {rpc}" if rpc is not None else "stack")
        for pc, rpc, mask in reversed(state.get("stack", ()))
    ]
    for pc, mask, other, others in reversed(state.get("pairs", ())):
        found.append(Entry(int(mask, 16), pc, "pair, current side"))
        if int(others, 16):
            found.append(Entry(int(others, 16), other, "pair, other side"))
    if not found:
        found = [
            Entry(int(g["mask"], 16), g["pc"], f"group {g['id']}, {g['status']}")
            for g in state.get("groups", ())
        ]
        found += [Entry(int(mask, 16), pc, why) for mask, pc, why in state.get("waiting", ())]
    return found
