"""Instructions of a recorded run in the order of their execution, and where its events lie.

A *position* is a number of executed instructions: at position p the first p have been executed,
and number p is the next. One warp's execution of one instruction counts as one. Searches return
positions; everything here follows from the issues alone, without registers or memory.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ..recording.recording import Recording
from ..recording.replay import in_order

Array = np.ndarray


class Timeline:
    """The instructions of a recording as columns, one element each."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        issues = recording.issues
        self.t, rows, offsets = in_order(recording)
        self.warp = issues["warp"][rows]
        self.launch = issues["launch"][rows].astype(np.int64)
        self.pc = issues["pc"][rows] + offsets
        self.mask = issues["mask"][rows]
        self.group = issues["group"][rows]
        self.n = len(self.t)
        self._by_warp: dict[int, Array] = {}

    # --- facts of the run

    @cached_property
    def warps(self) -> list[int]:
        """The warps that issued."""
        return np.unique(self.warp).tolist()

    def kernel(self, launch: int) -> dict[str, Any]:
        """Return the description of a launch's kernel (docs/recording.md)."""
        facts = self.recording.facts
        return facts["kernels"][facts["launches"][launch]["kernel"]]

    def time(self, position: int) -> int:
        """Return the time of the next instruction; after the last one, the end."""
        return int(self.t[position]) if position < self.n else self.recording.end

    def moment(self, warp: int, position: int) -> int:
        """Return the time for which a warp's registers are shown at a position.

        After the end that is the time of the warp's last instruction.
        """
        if position < self.n or not self.n:
            return self.time(position)
        last = self.last_of(warp, position)
        if last is None or self.launch[last] != self.launch[-1]:
            return self.time(position)
        return int(self.t[last])

    def launch_at(self, position: int) -> int:
        """Return the launch of the next instruction; after the last one, the last launch."""
        if not self.n:
            return 0
        return int(self.launch[min(position, self.n - 1)])

    def first_at(self, t: int) -> int:
        """Return the position before the first instruction at or after time `t`."""
        return int(np.searchsorted(self.t, t, side="left"))

    def after(self, t: int) -> int:
        """Return the position after the last instruction of time `t`."""
        return int(np.searchsorted(self.t, t, side="right"))

    # --- instructions of one warp

    def of_warp(self, warp: int) -> Array:
        """Return the positions of a warp's instructions, in ascending order."""
        found = self._by_warp.get(warp)
        if found is None:
            found = self._by_warp[warp] = np.flatnonzero(self.warp == warp)
        return found

    def next_of(self, warp: int, position: int) -> int | None:
        """Return the warp's first instruction at or after a position."""
        own = self.of_warp(warp)
        at = int(np.searchsorted(own, position, side="left"))
        return int(own[at]) if at < len(own) else None

    def last_of(self, warp: int, position: int) -> int | None:
        """Return the warp's last instruction before a position."""
        own = self.of_warp(warp)
        at = int(np.searchsorted(own, position, side="left")) - 1
        return int(own[at]) if at >= 0 else None

    def next_by_lane(self, warp: int, position: int) -> list[int | None]:
        """Return, for each lane, the next instruction that it executes in the current launch."""
        width = self.recording.width
        own = self.of_warp(warp)
        start = int(np.searchsorted(own, position, side="left"))
        found: list[int | None] = [None] * width
        left = (1 << width) - 1
        launch, chunk = self.launch_at(position), 64
        occupant = self.recording.occupant(warp, self.time(position))
        while left and start < len(own):
            for at in own[start : start + chunk].tolist():
                if self.launch[at] != launch or (
                    self.recording.is_timing
                    and self.recording.occupant(warp, int(self.t[at])) != occupant
                ):
                    return found
                came = int(self.mask[at]) & left
                left &= ~came
                while came:
                    lane = (came & -came).bit_length() - 1
                    found[lane] = at
                    came &= came - 1
                if not left:
                    break
            start += chunk
            chunk *= 2
        return found

    # --- events

    def instants(self, kind: str, warp: int | None) -> Array:
        """Return the positions just after the events of a kind, in ascending order.

        `kind` is a name of `facts["instants"]`; `warp` restricts them to one warp.
        """
        names = self.recording.facts["instants"]
        table = self.recording.tables["instant"]
        chosen = table["kind"] == names.index(kind)
        if warp is not None:
            chosen &= table["warp"] == warp
        return np.unique(np.searchsorted(self.t, table["t"][chosen], side="right"))

    def warp_of_instant(self, kind: str, position: int) -> int | None:
        """Return a warp that has an event of a kind just before a position."""
        names = self.recording.facts["instants"]
        table = self.recording.tables["instant"]
        places = np.searchsorted(self.t, table["t"], side="right")
        rows = np.flatnonzero((table["kind"] == names.index(kind)) & (places == position))
        return int(table["warp"][rows[0]]) if len(rows) else None

    def block_starts(self, warp: int) -> Array:
        """Return the positions at which a warp is about to begin a basic block."""
        own = self.of_warp(warp)
        found = np.zeros(len(own), bool)
        for launch in np.unique(self.launch[own]).tolist():
            starts = [block["start"] for block in self.kernel(launch)["blocks"]]
            found |= (self.launch[own] == launch) & np.isin(self.pc[own], starts)
        return own[found]

    def at_pcs(self, kernel: int, pcs: list[int]) -> Array:
        """Return the positions of a kernel's instructions `pcs`, in ascending order."""
        launches = [
            number
            for number, launch in enumerate(self.recording.facts["launches"])
            if launch["kernel"] == kernel
        ]
        return np.flatnonzero(np.isin(self.launch, launches) & np.isin(self.pc, pcs))

    def mask_changes(self, warp: int | None) -> Array:
        """Return the positions at which a warp issues with another mask than just before."""
        parts: list[Array] = []
        for number in self.warps if warp is None else [warp]:
            own = self.of_warp(number)
            parts.append(own[1:][self.mask[own][1:] != self.mask[own][:-1]])
        return np.sort(np.concatenate(parts)) if parts else np.zeros(0, np.int64)

    def of_lane(self, warp: int, lane: int) -> Array:
        """Return the positions of a warp's instructions that a lane executes."""
        own = self.of_warp(warp)
        return own[(self.mask[own] >> np.uint64(lane) & np.uint64(1)).astype(bool)]

    def writers(self, warp: int, lane: int, register: str, before: int) -> Array:
        """Return the positions before `before` at which a lane writes a register, ascending.

        They are those of the launch that `before` lies in.
        """
        own = self.of_lane(warp, lane)
        launch = self.launch_at(before)
        own = own[(own < before) & (self.launch[own] == launch)]
        pcs = [
            pc
            for pc, ins in enumerate(self.kernel(launch)["instructions"])
            if ins["dst"] == register
        ]
        return own[np.isin(self.pc[own], pcs)]

    # --- work-items

    def place_of_item(self, item: int, launch: int) -> tuple[int, int, int] | None:
        """Return (workgroup, wave, lane) of the work-item with a flat absolute id, if it exists."""
        facts = self.recording.facts["launches"][launch]
        items, size, groups = facts["items"], facts["group_size"], facts["groups"]
        if not 0 <= item < items[0] * items[1] * items[2]:
            return None
        at = (item % items[0], item // items[0] % items[1], item // (items[0] * items[1]))
        group = [a // s for a, s in zip(at, size, strict=True)]
        local = [a % s for a, s in zip(at, size, strict=True)]
        current = [min(s, i - g * s) for s, i, g in zip(size, items, group, strict=True)]
        flat_local = local[0] + current[0] * (local[1] + current[1] * local[2])
        flat_group = group[0] + groups[0] * (group[1] + groups[1] * group[2])
        return (flat_group, *divmod(flat_local, self.recording.width))

    def item_of_place(self, workgroup: int, local: int, launch: int) -> int | None:
        """Return the flat absolute id of a place: the inverse of `place_of_item`."""
        facts = self.recording.facts["launches"][launch]
        items, size, groups = facts["items"], facts["group_size"], facts["groups"]
        if not 0 <= workgroup < groups[0] * groups[1] * groups[2]:
            return None
        group = (
            workgroup % groups[0],
            workgroup // groups[0] % groups[1],
            workgroup // (groups[0] * groups[1]),
        )
        current = [min(s, i - g * s) for s, i, g in zip(size, items, group, strict=True)]
        if not 0 <= local < current[0] * current[1] * current[2]:
            return None
        inside = (
            local % current[0],
            local // current[0] % current[1],
            local // (current[0] * current[1]),
        )
        x, y, z = (g * s + i for g, s, i in zip(group, size, inside, strict=True))
        return x + items[0] * (y + items[1] * z)

    def warps_of_place(self, workgroup: int, wave: int) -> list[tuple[int, int, int]]:
        """Return (warp, first time, end) for each time in which a place is in a warp context."""
        table = self.recording.tables["occupant"]
        found: list[tuple[int, int, int]] = []
        for warp in np.unique(table["warp"]).tolist():
            rows = table[table["warp"] == warp]
            ends = np.append(rows["t"][1:], np.iinfo(np.int64).max)
            chosen = (rows["workgroup"] == workgroup) & (rows["wave"] == wave)
            found += [
                (warp, int(t), int(end))
                for t, end in zip(rows["t"][chosen], ends[chosen], strict=True)
            ]
        return found

    def item_begins(self, item: int) -> Array:
        """Return the positions at which a work-item issues after others of its warp did alone."""
        parts: list[Array] = []
        for launch in range(len(self.recording.facts["launches"])):
            place = self.place_of_item(item, launch)
            if place is None:
                continue
            workgroup, wave, lane = place
            for warp, first, end in self.warps_of_place(workgroup, wave):
                own = self.of_warp(warp)
                times = self.t[own]
                own = own[(self.launch[own] == launch) & (times >= first) & (times < end)]
                has = (self.mask[own] >> np.uint64(lane) & np.uint64(1)).astype(bool)
                before = np.concatenate([[False], has[:-1]])
                parts.append(own[has & ~before])
        return np.sort(np.concatenate(parts)) if parts else np.zeros(0, np.int64)
