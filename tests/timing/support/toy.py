"""Scenarios on the toy machine, and what they cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np

from simtlab.asm.assemble import assemble
from simtlab.emu.arguments import bind
from simtlab.emu.engine import Work
from simtlab.emu.geometry import Geometry
from simtlab.isa.instruction import Reg
from simtlab.recording.timed import TimedRecorder
from simtlab.timing.compiler import files as policies
from simtlab.timing.engine.causes import N_CAUSES, NAMES
from simtlab.timing.machines import machine as machines
from simtlab.timing.simulation.simulator import Simulator

from .outcomes import first_masks, list_outcomes
from .scenarios import Scenario

LINE = 64


def work_of(
    text: str, args: Sequence[Any] = (), *, items: int, group_size: int, **options: Any
) -> Work:
    """Return a launch of a program's only kernel; `options` are fields of `Work`."""
    program = assemble(text)
    (kernel,) = program.kernels
    bound = bind(kernel, args)
    geometry = Geometry.of(None, group_size, items=items)
    return Work(program, kernel, geometry, bound.kernargs, bound.memory, **options)


class Toy:
    """A finished run of a scenario: cycles, counters, and the owners of cycles."""

    def __init__(
        self,
        scenario: Scenario,
        policy: str = "conv",
        *,
        plain: bool = True,
        recorded: bool = False,
        prepare: Callable[[Simulator], object] = lambda sim: None,
        **fields: object,
    ) -> None:
        width, items = scenario.width, scenario.width * scenario.warps
        fields = {"width": width, "warps": scenario.warps, "dram.latency": scenario.miss, **fields}
        machine = machines.load("toy", fields)
        memory = np.zeros(4096, np.uint64)
        work = work_of(scenario.text, [memory], items=items, group_size=scenario.workgroup * width)
        (buffer,) = work.memory.buffers
        self.sim = Simulator(
            machine,
            policies.find(policy),
            plain=plain,
            script=dict(scenario.script),
            listens=recorded,
        )
        self.recorder = TimedRecorder(self.sim, policy) if recorded else None
        prepare(self.sim)
        run = self.sim.run if self.recorder is None else self.recorder.run
        with ExitStack() as undo:
            if scenario.outcomes:
                assert plain, "outcomes are listed for the plain engine"
                conditions = _conditions(work)
                list_outcomes(undo, self.sim, conditions, scenario.outcomes)
            run(work, _registers(scenario, memory, buffer.base))
        rows = self.sim.state.rows
        self.cycles = self.sim.cycles
        self.wpu = {name: int(rows["wpu"][0][name]) for name in rows["wpu"].dtype.names or ()}
        self.counters = self.sim.counters()
        self.slots = _by_cause(rows["slot_cycles"])
        assert sum(self.slots.values()) == self.cycles
        self.warps = _by_cause(rows["warp_cycles"])
        assert sum(self.warps.values()) == self.cycles * scenario.warps
        self.issued = self.slots["issued"]
        self.idle = self.cycles - self.issued
        assert self.issued == self.wpu["n_warp_instr"]
        self.mean_width = self.wpu["n_thread_instr"] / self.issued


def _conditions(work: Work) -> dict[int, str]:
    """Return the condition register of each branch, by its PC."""
    return {
        pc: f"c{condition.index}"
        for pc, ins in enumerate(work.kernel.instructions)
        if ins.row.name == "cbr" and isinstance(condition := ins.srcs[0], Reg)
    }


def _by_cause(table: np.ndarray) -> dict[str, int]:
    sums = table["cycles"].reshape(-1, N_CAUSES).sum(axis=0)
    return {name: int(n) for name, n in zip(NAMES, sums, strict=True)}


def _registers(scenario: Scenario, memory: np.ndarray, base: int) -> Mapping[str, np.ndarray]:
    """Return the registers of a scenario; write its chains of pointers into `memory`."""
    given: dict[str, np.ndarray] = {
        name: np.array([c == "1" for c in mask])
        for name, mask in {**scenario.masks, **first_masks(scenario.outcomes)}.items()
    }
    given |= {name: np.array(values) for name, values in scenario.numbers.items()}
    for name, letters in scenario.lines.items():
        given[name] = np.array([base + LINE * (ord(c) - ord("a")) for c in letters], np.uint64)
    step, at = LINE // memory.itemsize, 30 * LINE // memory.itemsize
    for name, length in scenario.chain.items():
        nodes = at + step * np.arange(length)
        memory[nodes[:-1]] = base + memory.itemsize * nodes[1:]
        given[name] = np.full(
            scenario.width * scenario.warps, base + memory.itemsize * nodes[0], np.uint64
        )
        at += step * length
    return given
