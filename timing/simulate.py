"""Run launches on a machine: the Python side of the engine.

A `Simulator` is a machine with its clock, caches and counters, which go on from launch to launch.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..emu.engine import Work
from ..emu.jit.engine import trap_record
from ..emu.jit.segment_table import Grain
from ..emu.jit.segments import SegmentContext, Segments, compile_segments, context_of
from ..emu.jit.warpstate import Header, aligned_bytes, blocks_of
from ..emu.traps import TrapKind, TrapRecord
from ..isa.errors import SimtError, UsageError
from ..isa.program import align
from .causes import BARRIER, IDLE, N_CAUSES
from .compose import Composition, EngineState, aligned, compose
from .given import Registers, Script, script_rows, start_with
from .intrinsics import NEVER
from .machine import Machine
from .policies import Policy, files_of

EVENTS = 1 << 20
"""Events between two looks at the keyboard."""

# As in state.py, which is engine code.
RUNNING, DONE, TRAPPED, DIVERGENT_BARRIER, DEADLOCK, OVER_BUDGET, STACK_OVERFLOW = range(7)


class SimulationError(SimtError):
    """A simulation in which nothing can go on."""

    code = "SIM620"


@dataclass
class _Code:
    """A kernel's segments and counters on this machine."""

    segments: Segments
    blocks: np.ndarray
    seg_cycles: np.ndarray
    seg_count: np.ndarray


class Simulator:
    """A machine under a policy. `plain=True` runs the engine uncompiled.

    `script` tells an adversary what to answer (given.py).
    """

    def __init__(
        self, machine: Machine, policy: Policy, *, plain: bool = False, script: Script | None = None
    ) -> None:
        self.machine = machine
        self.policy = policy
        self.composition: Composition = compose(files_of(machine, policy), plain=plain)
        self.state = EngineState(self.composition, machine)
        self.launches = 0
        if script:
            if machine.memory != "adversary":
                raise UsageError("only a machine with memory = 'adversary' takes a script")
            self.state.put_table("script", script_rows(script, self.composition.tables["script"]))
            self.state.S.script_length = len(script)
        self._codes: dict[tuple[object, ...], _Code] = {}

    @property
    def cycles(self) -> int:
        """The clock: cycles since the first launch began."""
        return int(self.state.S.now)

    # --- a launch

    def run(self, work: Work, registers: Registers | None = None) -> None:
        """Simulate one launch; raises Trap, UsageError, SimulationError, KeyboardInterrupt.

        The launch's own warp width is not looked at: warps are as wide as the machine's lanes.
        `registers` are what work-items begin with (given.py), zero unless named.
        """
        geometry = work.geometry
        team_warps = -(-geometry.largest_group // self.machine.width)
        if team_warps > self.machine.warps:
            raise UsageError(
                f"a workgroup of {geometry.largest_group:,} work-items does not fit: a WPU of "
                f"{self.machine.name!r} holds {self.machine.core_contexts:,}",
                code="SIM611",
                hint="a smaller --block, or more contexts: --set warps=N",
            )
        code = self._code(work)
        context = context_of(code.segments, work)
        start = start_with(code.segments, work, registers) if registers else None
        self._begin(work, code, context, team_warps)
        if start is not None:
            self.state.S.start_fn = ctypes.cast(start, ctypes.c_void_p).value
        while True:
            status = self.state.run(EVENTS)
            if status == DONE:
                break
            if status != RUNNING:
                self._raise(status, work, code, context)
        self.launches += 1
        self._close()

    def _code(self, work: Work) -> _Code:
        kernel, program = work.kernel, work.program
        key = (kernel.words, kernel.group_size, kernel.private_size, program.readonly_data)
        code = self._codes.get(key)
        if code is None:
            segments = compile_segments(
                kernel, program, self.machine.width, Grain(self.policy.grain)
            )
            rows, tables = len(segments.table), self.composition.tables
            code = self._codes[key] = _Code(
                segments,
                blocks_of(segments.layout, self.machine.wpus * self.machine.warps),
                aligned(rows * N_CAUSES, tables["seg_cycles"]),
                aligned(rows, tables["seg_count"]),
            )
        return code

    def _begin(self, work: Work, code: _Code, context: SegmentContext, team_warps: int) -> None:
        S, state = self.state.S, self.state
        layout, count = code.segments.layout, len(code.blocks)
        group_bytes = align(max(layout.group_bytes, 8), 64)
        private_bytes = align(max(layout.private_bytes, 8), 64)
        self._memory = (
            aligned_bytes(group_bytes * count), aligned_bytes(private_bytes * count), context
        )  # fmt: skip
        S.group_memory, S.group_bytes = self._memory[0].ctypes.data, group_bytes
        private, start = self._memory[1].ctypes.data, code.blocks.ctypes.data
        for i, block in enumerate(code.blocks):
            header = layout.header(block)
            header[Header.PRIVATE_MEMORY] = private + i * private_bytes
            header[Header.CONTEXT] = context.address
        state.rows["warp"]["block"] = start + layout.total * np.arange(count)
        state.put_table("seg", code.segments.table)
        state.put_table("seg_cycles", code.seg_cycles)
        state.put_table("seg_count", code.seg_count)
        for name, value in {
            "start_fn": code.segments.start,
            "teams": work.geometry.n_groups,
            "next_team": 0,
            "team_warps": team_warps,
            "team_items": work.geometry.largest_group,
            "launch": self.launches + 1,
            "running": 0,
            "starting": 1,
            "ended": S.now,
            "budget": work.budget,
            "exited_arrive": work.exited_arrive,
        }.items():
            setattr(S, name, int(value))
        cores = state.rows["wpu"]
        cores["free"] = (1 << self.machine.warps) - 1 if self.machine.warps < 64 else -1
        cores["event"], cores["current"], cores["next"] = 0, -1, NEVER
        slots = state.rows["slot"]
        slots["ready"], slots["group"] = NEVER, -1

    def _close(self) -> None:
        """Give the cycles up to now that nobody has claimed an owner."""
        S, rows = self.state.S, self.state.rows
        ended, now, causes = int(S.ended), int(S.now), N_CAUSES
        for table, owners in (("slot_cycles", "wpu"), ("warp_cycles", "warp")):
            cycles = rows[table]["cycles"].reshape(-1, causes)
            busy = rows[owners]["busy"].reshape(len(cycles), -1)
            cycles[:, IDLE] += (ended - np.minimum(busy, ended)).sum(axis=1)
            cycles[:, BARRIER] += (now - np.maximum(busy, ended)).sum(axis=1)
            busy[:] = now

    # --- what can go wrong

    def _raise(self, status: int, work: Work, code: _Code, context: SegmentContext) -> None:
        S = self.state.S
        row = code.segments.table[int(S.trap_seg)]
        if status == TRAPPED and not context.slots.any():
            raise AssertionError("a trap without a record")
        if status == TRAPPED:
            raise work.trap(trap_record(work, context.slots))
        if status in (DIVERGENT_BARRIER, OVER_BUDGET):
            warp, lane = self._who(int(S.trap_g), int(S.trap_lanes))
            header = code.segments.layout.header(code.blocks[warp])
            local = int(header[Header.WARP]) * self.machine.width + lane
            kind, detail = {
                DIVERGENT_BARRIER: (
                    TrapKind.DIVERGENT_BARRIER,
                    "not all work-items of the workgroup come to this barrier",
                ),
                OVER_BUDGET: (
                    TrapKind.BUDGET,
                    f"a work-item has executed {work.budget} instructions",
                ),
            }[status]
            record = TrapRecord(
                kind, int(row["last_pc"]), int(header[Header.GROUP]), local, detail=detail
            )
            raise work.trap(record)
        if status == STACK_OVERFLOW:
            raise SimulationError("a re-convergence stack is full")
        raise SimulationError("nothing can go on: every group waits for another one")

    def _who(self, group: int, lanes: int) -> tuple[int, int]:
        lanes &= (1 << 64) - 1
        return group // self.machine.width, (lanes & -lanes).bit_length() - 1

    # --- what was counted

    def counters(self) -> Mapping[str, int]:
        """The header's counters: fields whose names begin with `n_`."""
        names = self.composition.fields
        return {n[2:]: int(getattr(self.state.S, n)) for n in names if n.startswith("n_")}
