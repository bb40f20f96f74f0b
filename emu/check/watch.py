"""The observer of one launch: binds a check to every instruction that needs one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...isa.instruction import Instruction, Reg
from ...isa.types import Segment
from ..engine import Work
from ..interp.access import GlobalAccess, LocalAccess, address_source
from ..interp.resident import Group, Resident
from ..memory import Buffer
from .clocks import Clocks
from .log import Log
from .order import Order
from .races import Races, Touch
from .registers import maybe_unwritten
from .shadow import Shadow
from .timeline import Timeline
from .uninitialised import PrivateShadow, RegisterShadow, stray

Array = np.ndarray
Step = Callable[[Group], None]

_UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


class Shadows:
    """The shadows of the buffers of a check, over all of its launches."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[Buffer, Shadow]] = {}
        self.made = 0

    def of(self, buffer: Buffer, granule: int) -> Shadow:
        """Return the shadow of a buffer; `granule` is the size of its first access."""
        found = self._found.get(id(buffer))
        if found is None:
            # The buffer is kept with its shadow, so that its id stays its own.
            shadow = self.make(buffer.size, granule, is_local=False, given=buffer.given)
            found = self._found[id(buffer)] = buffer, shadow
        found[1].given |= buffer.given
        return found[1]

    def make(self, size: int, granule: int, *, is_local: bool, given: bool) -> Shadow:
        """Return a new shadow with a number of its own."""
        self.made += 1
        return Shadow(self.made, size, granule, is_local=is_local, given=given)

    def __iter__(self):
        return iter(self._found.values())


@dataclass(slots=True)
class _Site:
    """A memory instruction and how to find what it accesses: `find(group, now)`."""

    pc: int
    ins: Instruction
    find: Callable[[Group, int], list[Touch]]


class LaunchWatch:
    """Observes one launch (emu/checks.py, `Observer`)."""

    def __init__(self, work: Work, log: Log, timeline: Timeline, shadows: Shadows) -> None:
        self.work = work
        self.log = log
        self.timeline = timeline
        self.shadows = shadows
        stems = {ins.row.stem for ins in work.kernel.instructions}
        self._has_fences = "memfence" in stems and any(s.startswith("atomic") for s in stems)
        self._resident: Resident | None = None

    # --- the contract of an observer

    def begin(self, resident: Resident) -> None:
        """Number the work-items of a batch, and forget the on-chip memory of the last one."""
        self.items[:] = resident.first_group * resident.lanes_per_group + resident.numbers
        self.floors[:] = self.timeline.floor
        self.finish()
        self.registers.clear()
        if self.group is not None:
            self.group.clear()
            if self.clocks is not None:
                self.clocks.forget(self.group.number)
        if self.private is not None:
            self.private.clear()

    def opened(self, slots: Array) -> None:
        """Order what the work-items of these workgroups have done before what they do now."""
        resident = self._resident
        assert resident is not None
        self.floors.reshape(resident.slots, resident.lanes_per_group)[slots] = self.timeline.floor
        if self.clocks is not None:
            for slot in np.flatnonzero(slots).tolist():
                self.clocks.barrier(resident.first_group + slot)

    def bind(self, resident: Resident, pc: int, ins: Instruction, step: Step) -> Step:
        """Return `step` with the checks of its registers and of its memory."""
        if self._resident is None:
            self._attach(resident)
        return self.registers.bind(pc, ins, self._memory(resident, pc, ins, step))

    def finish(self) -> None:
        """Note the end of a batch, or of the launch."""
        if self.group is not None:
            self.races.end_of_group_memory(self.group)

    def _attach(self, resident: Resident) -> None:
        work, size = self.work, resident.lanes_per_group
        self._resident = resident
        self.clocks = Clocks(size) if self._has_fences else None
        self.order = Order(self.timeline.begin(work, size), size, self.clocks)
        self.races = Races(work, self.log, self.timeline, self.order)
        self.items = np.zeros(resident.n_lanes, np.int64)
        self.floors = np.zeros(resident.n_lanes, np.int64)
        self.registers = RegisterShadow(self, resident, maybe_unwritten(work.kernel))
        self.private = PrivateShadow(self, resident) if work.kernel.private_size else None
        self.group: Shadow | None = None

    # --- memory

    def _memory(self, resident: Resident, pc: int, ins: Instruction, step: Step) -> Step:
        if ins.row.stem == "memfence" and self.clocks is not None:
            return self._fence(pc, step)
        if ins.address is None or ins.row.type is None or ins.row.stem == "lda":
            return step
        match ins.address.segment:
            case Segment.GLOBAL:
                site = _Site(pc, ins, self._in_buffers(resident, ins))
            case Segment.GROUP:
                site = _Site(pc, ins, self._in_group(resident, ins))
                step = stray(self, resident, pc, ins, step)
            case Segment.PRIVATE:
                assert self.private is not None
                return stray(self, resident, pc, ins, self.private.bind(pc, ins, step))
            case Segment.READONLY:
                return stray(self, resident, pc, ins, step)
            case _:
                return step
        if ins.row.is_load:
            return self._load(site, step)
        if ins.row.is_store:
            return self._store(resident, site, step)
        return self._atomic(resident, site, step)

    def _in_buffers(self, resident: Resident, ins: Instruction):
        assert ins.address is not None and ins.row.type is not None
        size = ins.row.type.size
        source = address_source(resident, ins.address)
        access = GlobalAccess(self.work.memory, size, not ins.row.is_load)

        def find(g: Group, now: int) -> list[Touch]:
            me, floors = self.items[g.index] + now, self.floors[g.index]
            found = []
            for buffer, index, chosen in access.locate(source(g)):
                shadow = self.shadows.of(buffer, size)
                elements = buffer.view(f"uint{size * 8}")
                found.append(
                    Touch.of(shadow, elements, index, size, me, floors, chosen, buffer=buffer)
                )
            return found

        return find

    def _in_group(self, resident: Resident, ins: Instruction):
        assert ins.address is not None and ins.row.type is not None
        size, stride = ins.row.type.size, self.work.kernel.group_size
        source = address_source(resident, ins.address)
        memory = resident.group_memory
        local = LocalAccess(memory, stride, size)
        owner = resident.numbers // resident.lanes_per_group * stride
        if self.group is None:
            self.group = self.shadows.make(memory.size, size, is_local=True, given=False)
        shadow = self.group
        everything = slice(None)

        def find(g: Group, now: int) -> list[Touch]:
            elements, index = local.resolve(source(g), owner[g.index])
            me, floors = self.items[g.index] + now, self.floors[g.index]
            return [Touch.of(shadow, elements, index, size, me, floors, everything)]

        return find

    def _load(self, site: _Site, step: Step) -> Step:
        pc, races, find = site.pc, self.races, site.find

        def load(g: Group) -> None:
            for touch in find(g, self.timeline.tick(pc)):
                races.load(touch)
            self.log.accesses += g.count
            step(g)

        return load

    def _store(self, resident: Resident, site: _Site, step: Step) -> Step:
        pc, races, find = site.pc, self.races, site.find
        source = site.ins.srcs[0]
        assert isinstance(source, Reg) and site.ins.row.type is not None
        register = resident.registers[source.cls.value].bits[source.index]
        narrow = _UNSIGNED[site.ins.row.type.size]

        def store(g: Group) -> None:
            values = register[g.index].astype(narrow, copy=False)
            touches = find(g, self.timeline.tick(pc))
            for touch in touches:
                races.store(touch, values[touch.chosen])
            self.log.accesses += g.count
            step(g)
            for touch in touches:
                races.collisions(touch, values[touch.chosen])

        return store

    def _atomic(self, resident: Resident, site: _Site, step: Step) -> Step:
        pc, ins, races, find = site.pc, site.ins, self.races, site.find
        is_swap = ins.row.stem == "atomic_cas"
        expected = None
        if is_swap and ins.dst is not None:
            source = ins.srcs[0]
            assert isinstance(source, Reg)
            expected = resident.registers[source.cls.value].bits[source.index]

        def atomic(g: Group) -> None:
            touches = find(g, self.timeline.tick(pc))
            self.log.accesses += g.count
            wanted = None if expected is None else expected[g.index].copy()
            step(g)
            if self.clocks is not None:
                self._synchronise(resident, ins, g, touches, wanted)
            # Afterwards: what an atomic has acquired happens before it.
            for touch in touches:
                races.atomic(touch)

        return atomic

    def _synchronise(
        self,
        resident: Resident,
        ins: Instruction,
        g: Group,
        touches: list[Touch],
        wanted: Array | None,
    ) -> None:
        """Let atomics acquire and release, lane after lane as they took effect."""
        clocks = self.clocks
        assert clocks is not None
        wrote = np.ones(g.count, bool)
        if wanted is not None:
            assert ins.dst is not None
            old = resident.registers[ins.dst.cls.value].bits[ins.dst.index][g.index]
            wrote = old == wanted
        items = self.items[g.index]
        for touch in touches:
            clocks.atomics(
                touch.shadow.number,
                items[touch.chosen].copy(),
                touch.index * touch.size,
                wrote[touch.chosen],
                returns=ins.dst is not None,
            )

    def _fence(self, pc: int, step: Step) -> Step:
        clocks = self.clocks
        assert clocks is not None

        def fence(g: Group) -> None:
            now = self.timeline.tick(pc)
            clocks.fence(self.items[g.index].copy(), now, self.floors[g.index].copy())
            step(g)

        return fence
