"""Registers and memory of a recorded run: its issues, executed again in their order.

The issues say which lanes execute what, and when, so that a replay needs neither scheme nor policy,
and atomics take effect in the order of the run.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..asm.load import load
from ..emu.engine import Work
from ..emu.geometry import Geometry
from ..emu.interp.access import address_source
from ..emu.interp.alu import LaneFault
from ..emu.interp.blocks import bind
from ..emu.interp.resident import Group, Resident
from ..emu.memory import Buffer, Memory
from ..isa.errors import UsageError
from ..isa.instruction import Instruction
from ..isa.types import Segment

if TYPE_CHECKING:
    from .recording import Recording

MOST_LANES = 1 << 18
"""Lanes of a launch whose registers a replay holds."""

Array = np.ndarray


@dataclass(frozen=True)
class Values:
    """What the issues wrote and accessed, flat: by issue, then instruction, then lane.

    `value` has an element for each register write, `address` one for each access to memory, and
    `stored` one for each store and atomic: the contents of memory after it. They cover the warps
    `kept` only. `is_exact` is false where the replay's final memory is not the run's.
    """

    value: Array
    address: Array
    stored: Array
    kept: list[int]
    is_exact: bool


class Replay:
    """A recorded run that is executed again, step by step; `run_to` only moves forward."""

    def __init__(self, recording: Recording) -> None:
        facts = recording.facts
        if not facts["memory_is_kept"]:
            raise UsageError(
                "this recording has no contents of memory, which was too large",
                code="SIM515",
                hint="record a smaller run",
            )
        if recording.begin > 0:
            raise UsageError(
                f"this recording begins at {facts['unit']} {recording.begin}, and registers are "
                "known only from the start of a run on",
                code="SIM515",
                hint="record from the start: --record-window 0:TO",
            )
        self.recording = recording
        self.memory = Memory()
        for b in facts["buffers"]:
            host = np.zeros(b["size"], np.uint8)
            self.memory.buffers.append(Buffer(b["name"], b["address"], host, size=b["size"]))
        self.memory.buffers.sort(key=lambda b: b.base)
        self._programs = [load(text) for text in recording.programs]
        self._order = in_order(recording)
        self._next = 0
        self._launch = -1
        self._code: _Code | None = None
        occupants = recording.tables["occupant"]
        self._occupants = {
            warp: occupants[occupants["warp"] == warp]
            for warp in np.unique(occupants["warp"]).tolist()
        }

    @property
    def code(self) -> _Code:
        """The launch that is being executed."""
        if self._code is None:
            self._begin(0)
        assert self._code is not None
        return self._code

    def run_to(self, t: int) -> None:
        """Execute what was issued before `t`."""
        for _ in self.steps(t):
            pass

    def steps(self, until: int | None = None) -> Iterator[Step]:
        """Execute instruction by instruction; yield each after its execution."""
        times = self._order[0]
        while self._next < len(times) and (until is None or times[self._next] < until):
            yield self._execute_next()

    def _execute_next(self) -> Step:
        times, rows, offsets = self._order
        at = self._next
        row, offset = int(rows[at]), int(offsets[at])
        self._next += 1
        issue = self.recording.issues[row]
        self._enter(int(issue["launch"]))
        pc, warp, t = int(issue["pc"]) + offset, int(issue["warp"]), int(times[at])
        lanes = self._lanes(warp, t, int(issue["mask"]))
        return self.code.execute(row, offset, warp, pc, lanes, t)

    def _enter(self, launch: int) -> None:
        if launch != self._launch:
            self._begin(launch)

    @property
    def position(self) -> int:
        """How many instructions have been executed."""
        return self._next

    def advance(self, position: int) -> Iterator[Step]:
        """Execute until `position` instructions have been, and begin the launch of the next one.

        Yield each instruction after its execution.
        """
        rows = self._order[1]
        while self._next < position:
            yield self._execute_next()
        if self._next < len(rows):
            self._enter(int(self.recording.issues["launch"][rows[self._next]]))

    def snapshot(self) -> Snapshot:
        """Return registers and memory as they are now."""
        return Snapshot(
            self._next,
            self._launch,
            [b.host.copy() for b in self.memory.buffers],
            [array.copy() for array in self.code.arrays()],
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Go back, or forward, to a snapshot of this replay."""
        if snapshot.launch != self._launch:
            self._launch = snapshot.launch
            self._load(snapshot.launch)
        self._next = snapshot.position
        for buffer, content in zip(self.memory.buffers, snapshot.memory, strict=True):
            buffer.host[:] = content
        for array, content in zip(self.code.arrays(), snapshot.launch_state, strict=True):
            array[:] = content

    def is_exact(self) -> bool:
        """Return whether memory is now what it was at the end of the run."""
        contents = {str(b.base): zlib.crc32(b.host[: b.size].data) for b in self.memory.buffers}
        final = self.recording.facts["final"]
        return all(contents.get(address) == crc for address, crc in final.items())

    def registers(self, warp: int) -> dict[str, Array]:
        """Return the registers of the warp that is in a context now: name -> array of lanes."""
        at = int(self._order[0][self._next - 1]) if self._next else self.recording.begin
        first = self.first_lane(warp, at)
        if first < 0:
            return {}
        lanes = slice(first, first + self.recording.width)
        return {
            f"${cls}{number}": bank.bits[number, lanes].copy()
            for cls, bank in self.code.resident.registers.items()
            for number in range(len(bank.bits))
        }

    def _begin(self, number: int) -> None:
        facts = self.recording.facts
        while self._launch < number:
            self._launch += 1
            for part in facts["launches"][self._launch]["buffers"]:
                address = facts["buffers"][part["buffer"]]["address"]
                buffer = self.memory.find(address)
                assert buffer is not None
                end = part["offset"] + part["size"]
                buffer.host[: part["size"]] = self.recording.memory[part["offset"] : end]
        self._load(number)

    def _load(self, number: int) -> None:
        """Make the registers and the code of a launch, all zero."""
        facts = self.recording.facts
        launch = facts["launches"][number]
        described = facts["kernels"][launch["kernel"]]
        program = self._programs[described["program"]]
        geometry = Geometry(
            tuple(launch["items"]), tuple(launch["group_size"]), self.recording.width
        )
        kernel = program.kernel(described["name"])
        kernargs = bytes.fromhex(launch["kernargs"])
        self._code = _Code(
            Work(program, kernel, geometry, kernargs, self.memory),
            counts_cycles=self.recording.is_timing,
        )

    def _lanes(self, warp: int, t: int, mask: int) -> Array:
        first = self.first_lane(warp, t)
        if first < 0:
            raise _contradiction(
                f"at {self.recording.facts['unit']} {t:,} a warp issues that is not there"
            )
        bits = np.array([mask], "<u8").view(np.uint8)
        return first + np.flatnonzero(np.unpackbits(bits, bitorder="little"))

    def first_lane(self, warp: int, t: int) -> int:
        """Return the flat number of lane 0 of the warp in a context at `t`; -1 for none."""
        rows = self._occupants.get(warp)
        at = int(np.searchsorted(rows["t"], t, side="right")) - 1 if rows is not None else -1
        if rows is None or at < 0 or rows["workgroup"][at] < 0:
            return -1
        group, wave = int(rows["workgroup"][at]), int(rows["wave"][at])
        resident = self.code.resident
        first = group * resident.lanes_per_group + wave * self.recording.width
        if not 0 <= first <= resident.n_lanes - self.recording.width:
            raise _contradiction(f"its launch has no warp {wave} of workgroup {group}")
        return first


@dataclass(frozen=True)
class Snapshot:
    """A replay after `position` instructions: buffers, and the registers of the launch."""

    position: int
    launch: int
    memory: list[Array]
    launch_state: list[Array]

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return sum(array.nbytes for array in (*self.memory, *self.launch_state))


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction of a replay: instruction `offset` of issue `row`, on flat `lanes`.

    Arrays have an element for each lane and are None where an instruction has no such thing:
    `written` is what its register got, `address` where it accessed memory, `stored` the contents
    of memory after a store or atomic. All are uint64.
    """

    row: int
    offset: int
    warp: int
    pc: int
    lanes: Array
    written: Array | None = None
    address: Array | None = None
    stored: Array | None = None


class _Code:
    """One launch: the registers of all its work-items, and its instructions, ready to execute."""

    def __init__(self, work: Work, *, counts_cycles: bool) -> None:
        warps = work.geometry.n_groups * -(-work.geometry.largest_group // work.geometry.width)
        if warps * work.geometry.width > MOST_LANES:
            raise UsageError(
                f"a launch of {work.geometry.n_items:,} work-items is too large to be replayed; "
                f"{MOST_LANES:,} lanes are the most",
                code="SIM515",
                hint="record a smaller launch",
            )
        self.work = work
        self.instructions = work.kernel.instructions
        self.resident = Resident(work, work.geometry.n_groups)
        self.resident.load(0, work.geometry.n_groups)
        self._counts_cycles = counts_cycles
        self._executed = np.zeros(self.resident.n_lanes, np.uint64)
        self._functions: dict[int, Any] = {}
        self._sources: dict[int, Any] = {}

    def arrays(self) -> list[Array]:
        """Return what changes: registers, group and private memory, counts for `clock`."""
        resident = self.resident
        return [
            *(bank.bits for bank in resident.registers.values()),
            resident.group_memory,
            resident.private_memory,
            self._executed,
        ]

    def execute(self, row: int, offset: int, warp: int, pc: int, lanes: Array, t: int) -> Step:
        """Execute an instruction for some lanes. Lanes that fault end it, as they did the run."""
        ins = self.instructions[pc]
        group = Group(lanes, np.unique(lanes // self.resident.width), lanes.size)
        address = stored = written = None
        if ins.address is not None and ins.address.segment is not Segment.KERNARG:
            if pc not in self._sources:
                self._sources[pc] = address_source(self.resident, ins.address)
            address = self._sources[pc](group).astype(np.uint64)
        if ins.row.reads_clock:
            assert ins.dst is not None
            clock = np.full(lanes.size, t, np.uint64) if self._counts_cycles else None
            bank = self.resident.registers[ins.dst.cls.value].bits[ins.dst.index]
            bank[lanes] = self._executed[lanes] if clock is None else clock
        elif not (ins.row.ends_block or ins.row.is_marker or ins.row.is_barrier):
            if pc not in self._functions:
                self._functions[pc] = bind(self.resident, ins)
            with suppress(LaneFault), np.errstate(all="ignore"):
                self._functions[pc](group)
        self._executed[lanes] += np.uint64(1)
        if ins.dst is not None:
            bank = self.resident.registers[ins.dst.cls.value]
            written = bank.bits[ins.dst.index, lanes].astype(np.uint64)
        if address is not None and not ins.row.is_load:
            stored = self._contents(ins, address, lanes)
        return Step(row, offset, warp, pc, lanes, written, address, stored)

    def _contents(self, ins: Instruction, address: Array, lanes: Array) -> Array:
        """Return what memory holds at the addresses of an instruction; 0 where there is none."""
        assert ins.address is not None and ins.row.type is not None
        size, found = ins.row.type.size, np.zeros(lanes.size, np.uint64)
        form = f"uint{8 * size}"
        resident, kernel = self.resident, self.work.kernel
        match ins.address.segment:
            case Segment.GROUP:
                start = lanes // resident.lanes_per_group * kernel.group_size
                memory, room = resident.group_memory, kernel.group_size
            case Segment.PRIVATE:
                start, memory = lanes * kernel.private_size, resident.private_memory
                room = kernel.private_size
            case _:
                return self._global(address, size, form)
        inside = (address + np.uint64(size) <= room) & (address % np.uint64(size) == 0)
        index = (start[inside] + address[inside].astype(np.int64)) // size
        found[inside] = memory.view(form)[index]
        return found

    def _global(self, address: Array, size: int, form: str) -> Array:
        found = np.zeros(address.size, np.uint64)
        left = np.ones(address.size, bool)
        while left.any():
            first = int(address[left][0])
            buffer = self.work.memory.find(first, size)
            if buffer is None:
                left &= address != first
                continue
            inside = left & (address >= buffer.base) & (address <= buffer.end - size)
            offset = (address[inside] - np.uint64(buffer.base)).astype(np.int64)
            found[inside] = buffer.view(form)[offset // size]
            left &= ~inside
        return found


def _contradiction(text: str) -> UsageError:
    return UsageError(
        f"this recording contradicts itself: {text}", code="SIM510", hint="record the run again"
    )


def in_order(recording: Recording) -> tuple[Array, Array, Array]:
    """Return (time, row of issue, instruction in it) of every instruction, in the order of time."""
    issues = recording.issues
    counts = issues["n"]
    rows = np.repeat(np.arange(len(issues)), counts)
    starts = np.cumsum(counts) - counts
    offsets = np.arange(len(rows)) - np.repeat(starts, counts)
    times = issues["t"][rows] + offsets
    order = np.argsort(times, kind="stable")
    return times[order], rows[order], offsets[order]


def values_of(recording: Recording, kept: list[int] | None = None) -> Values:
    """Return what a replay of the whole recording writes and accesses."""
    replay = Replay(recording)
    every = sorted({int(w) for w in recording.issues["warp"]})
    chosen = set(every if kept is None else kept)
    steps = [step for step in replay.steps() if step.warp in chosen]
    steps.sort(key=lambda step: (step.row, step.offset))
    return Values(
        _flat([step.written for step in steps]),
        _flat([step.address for step in steps]),
        _flat([step.stored for step in steps]),
        sorted(chosen),
        replay.is_exact(),
    )


def _flat(parts: list[Array | None]) -> Array:
    found = [part for part in parts if part is not None]
    return np.concatenate(found).astype("<u8") if found else np.zeros(0, "<u8")
