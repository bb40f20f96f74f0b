"""States of warps as recordings have them, read from the tables of a timing engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..emu.wording import lowest
from ..timing.compiler.compose import compose
from ..timing.engine.causes import BANK, BARRIER, L2, MSHR, NAMES
from ..timing.engine.groups import NO_SLOT, WAITS_FOR_SLOT
from ..timing.engine.intrinsics import NEVER
from ..timing.simulation.simulator import Simulator
from ..timing.simulation.standing import ready_at
from .tables import State, text_of

_READ_HERE = ("stacks", "dual_path", "local_stack", "splits")
"""Engine files whose tables are read here, rather than through their `waiting_lanes`."""


class WarpStates:
    """Reads the states of warps: `of(v, groups, running)`."""

    def __init__(self, simulator: Simulator) -> None:
        self._state = simulator.state
        self._columns = columns = simulator.state.columns
        self._group, self._warp = columns["group"], columns["warp"]
        self._table_entries = _entries_of(simulator)
        # Multithreading-aware subdivision orders splits by the instructions they have issued.
        self._counts = "policy/maws" in simulator.files
        self._waiting_lanes = [
            f
            for f in simulator.composition.waiting_lanes
            if f.__code__.co_filename.replace("\\", "/").rsplit("/", 1)[-1][:-3] not in _READ_HERE
        ]

    def of(self, v: int, groups: Sequence[int], running: int) -> State:
        """Return the state of warp v with `groups` while group `running` (-1: none) issues."""
        state = State()
        if not self._warp.live[v]:
            return state
        depth = self._warp.depth[v]
        if "side" in self._columns:
            pairs = [list(self._pair(v, level)) for level in range(depth)]
            if pairs:
                state["pairs"] = pairs
        elif depth:
            first = v * self._state.S.stack_depth
            state["stack"] = self._entries(self._columns["stack"], first, depth)
        if groups:
            masks = self._group.mask
            order = sorted(groups, key=lambda g: lowest(masks[g]))
            state["groups"] = [self._group_state(g, running) for g in order]
        waiting = [[text_of(m), pc, why] for m, pc, why in self._waiting(v, groups)]
        if waiting:
            state["waiting"] = waiting
        if n := self._table_entries(v):
            state["entries"] = n
        return state

    def pc_of(self, g: int) -> int:
        """Return the pc of group g: its access until that has ended, else the next instruction."""
        lead = self._group.lead[g]
        segments, s = self._columns["seg"], self._group.seg[lead]
        return segments.last_pc[s] if self._group.at_memory[lead] else segments.first_pc[s]

    def _group_state(self, g: int, running: int) -> dict[str, Any]:
        group, ready = self._group, ready_at(self._state, g)
        lead = group.lead[g]
        slot, cause = group.slot[lead], group.cause[lead]
        found: dict[str, Any] = {
            "id": group.seq[lead], "mask": text_of(group.mask[g]), "pc": self.pc_of(g),
        }  # fmt: skip
        if running >= 0 and lead == group.lead[running]:
            found["status"] = "run"
        elif slot == WAITS_FOR_SLOT:
            found["status"] = "slotless"
        elif ready >= NEVER:
            found["status"] = "barrier-wait" if cause == BARRIER else "parked"
        elif slot == NO_SLOT:
            found["status"] = "held"
        else:
            found["status"], found["ready"], found["cause"] = "wait", ready, NAMES[cause]
            bank, mshr, l2 = group.until_bank[lead], group.until_mshr[lead], group.until_l2[lead]
            if bank or mshr or l2:
                earlier = (bank, BANK), (mshr, MSHR), (l2, L2)
                found["parts"] = [[until, NAMES[part]] for until, part in earlier if until]
        if self._counts:
            found["count"] = group.count[g]
        if "local_level" in self._columns:
            first, depth = g * self._state.S.local_depth, self._columns["local_level"].n[g]
            if depth:
                found["stack"] = self._entries(self._columns["local"], first, depth)
        return found

    def _pair(self, v: int, level: int) -> Iterator[Any]:
        """Yield pc and mask of the current side of an entry, then of the other one."""
        entry = v * self._state.S.entries + level
        sides, current = self._columns["side"], self._columns["pair"].current[entry]
        for side in (2 * entry + current, 2 * entry + 1 - current):
            yield self._first_pc(sides.seg[side])
            yield text_of(sides.mask[side])

    def _waiting(self, v: int, groups: Sequence[int]) -> Iterator[tuple[int, int | None, str]]:
        columns = self._columns
        if "gathering" in columns:
            gathering = columns["gathering"]
            waiting, barrier = gathering.waiting[v], gathering.barrier[v]
            if waiting:
                top = v * self._state.S.stack_depth + self._warp.depth[v] - 1
                joins = columns["stack"].rpc[top] == gathering.seg[v]
                pc = self._first_pc(gathering.seg[v])
                yield waiting, pc, "rpc-wait" if joins else "branch-wait"
            if barrier:
                yield barrier, columns["seg"].last_pc[gathering.barrier_seg[v]], "barrier-wait"
        if not self._waiting_lanes:
            return
        left = self._warp.live[v]
        for g in groups:
            left &= ~self._group.mask[g]
        for waiting_lanes in self._waiting_lanes:
            for mask, segment, has_issued in waiting_lanes(self._state.rows, self._state.S, v):
                lanes = int(mask) & left
                left &= ~lanes
                if lanes:
                    segments, s = columns["seg"], int(segment)
                    pc = segments.last_pc[s] if has_issued else segments.first_pc[s]
                    why = "barrier-wait" if has_issued else "rpc-wait"
                    yield lanes, pc, why if groups or has_issued else "parked"

    def _entries(self, stack: Any, first: int, depth: int) -> list[list[Any]]:
        """Return entries of a stack from the bottom: pc, rpc, mask."""
        return [
            [self._first_pc(stack.seg[i]), self._first_pc(stack.rpc[i]), text_of(stack.mask[i])]
            for i in range(first, first + depth)
        ]

    def _first_pc(self, segment: int) -> int | None:
        return None if segment < 0 else self._columns["seg"].first_pc[segment]


def _entries_of(simulator: Simulator) -> Callable[[int], int]:
    """Return a function that counts the entries of the warp-split table that a warp takes."""
    if "entries_of" not in vars(simulator.composition.namespace):
        return lambda v: 0
    function = vars(compose(simulator.files, plain=True).namespace)["entries_of"]
    return lambda v: int(function(simulator.state.S, v))
