"""Seeded bugs in native code: random kernels find each within a hundred examples.

Every example runs twice, for warps as wide as native code likes and as wide as the launch says. The
budget is what the work-item executes that executes most, so that a budget which is too strict is a
bug as well.
"""

from __future__ import annotations

import os
import random
from functools import cache

import pytest

from simtlab.emu.analysis import analysis
from simtlab.emu.analysis.lanes import sparse
from simtlab.emu.analysis.widths import width
from simtlab.emu.jit.kernel import compile as code
from simtlab.emu.jit.kernel import launch_facts
from simtlab.emu.jit.launch import order
from simtlab.emu.jit.llvm.cache import FOLDER_VARIABLE
from simtlab.testing import Case, random_kernel, run_case
from simtlab.testing.agreement import assert_same_memory

from .support.mutant import EXAMPLES, Mutant, survives
from .support.reference import warps_of


@cache
def example(number: int) -> tuple[Case, tuple, int]:
    """A kernel, what the oracle leaves, and the most instructions of a work-item."""
    case = random_kernel(random.Random(number), barriers_under_branches=True, largest_group=64)
    _, expected, trap = run_case(case, "oracle")
    assert trap is None, trap
    traces = (trace for warp in warps_of(case, case.module.program) for trace in warp)
    return case, tuple(expected), max(len(trace) - 1 for trace in traces)


def check(number: int) -> None:
    """Native code leaves the oracle's memory."""
    case, expected, budget = example(number)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDER_VARIABLE, os.devnull)  # no folder: nothing is cached
        for given in (False, True):
            patch.setattr(launch_facts, "depends_on_width", lambda kernel, given=given: given)
            _, got, trap = run_case(case, "jit", budget=budget)
            assert trap is None, trap
            assert_same_memory(f"jit, {given}", list(expected), got, case)


def check_alone(number: int) -> None:
    """The same where lanes run all loops one by one that they can."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SIMTLAB_LOOPS", "alone")
        patch.setattr(sparse, "gains_alone", lambda shapes, loop: True)
        check(number)


def forget() -> None:
    """Compile everything anew."""
    for known in (analysis._LATEST, code._COMPILED, order._SCHEDULED, width._FOUND):
        known.clear()


@pytest.mark.slow
def test_without_a_bug_nothing_is_found() -> None:
    forget()
    for number in range(EXAMPLES):
        check(number)


MUTANTS = (
    Mutant("emu.jit.kernel.control.branches", "the other side of a branch has no lanes",
           'self._lanes.combine("xor", on, ["splat (i1 true)"] * self._lanes.k)',
           'self._lanes.combine("xor", on, ["zeroinitializer"] * self._lanes.k)'),
    Mutant("emu.jit.kernel.control.edges", "a copy into a phi does not spare the lanes that wait",
           "(running or chunks) if others_wait else None", "None"),
    Mutant("emu.jit.kernel.control.edges", "who comes to a node forgets those who wait there",
           "        if others_wait:\n", "        if False:\n"),
    Mutant("emu.jit.kernel.loops.latches", "phis of a loop keep the values of the first trip",
           "lanes.variables.store((phi, part), types, following)", "pass"),
    Mutant("emu.analysis.lanes.masks",
           "the last node with waiting lanes comes next",
           "return min(waits, key=self.flow.position.__getitem__, default=None)",
           "return max(waits, key=self.flow.position.__getitem__, default=None)"),
    Mutant("emu.analysis.lanes.masks",
           "lanes that leave between a branch and its join are overlooked",
           "if any(self._loses_lanes(", "if () and any(self._loses_lanes("),
    Mutant("emu.analysis.lanes.masks",
           "a node has the mask of one that hands on a part of its lanes",
           "return before if whole and self._skip(before) != number else None", "return before"),
    Mutant("emu.analysis.lanes.masks",
           "no node is tested for being empty",
           "self.tested = self._asked - self.never_empty", "self.tested = frozenset()"),
    Mutant("emu.analysis.warps.uniformity", "what differs where lanes meet is taken for uniform",
           "meets = phi.node in self.joins and phi not in self._in_step", "meets = False"),
    Mutant("emu.analysis.warps.uniformity", "no loop is left in different trips",
           "                self.divergent_loops.add(loop.number)\n", "                pass\n"),
    Mutant("emu.analysis.warps.uniformity", "private memory is taken for uniform",
           "row.is_atomic or (row.segment is Segment.PRIVATE and row.is_memory)", "row.is_atomic"),
    Mutant("emu.analysis.warps.uniformity", "a product has the stride of its factor",
           "                step = a * k\n", "                step = a\n"),
    Mutant("emu.analysis.warps.uniformity", "a difference has the stride of the sum",
           "                step = a - b\n", "                step = a + b\n"),
    Mutant("emu.jit.kernel.lane_code", "all chunks of a counted value are the first",
           "steps = (step * (j * self.n + i) & mask_of(bits)", "steps = (step * i & mask_of(bits)"),
    Mutant("emu.jit.llvm.vectors", "only the first chunk of a mask is looked at",
           "for chunk in chunks[1:]:\n            total", "for chunk in ():\n            total"),
    Mutant("emu.jit.kernel.workgroups.identity", "a partial workgroup has a work-item more",
           '"icmp ult", 32, flat', '"icmp ule", 32, flat'),
    Mutant("emu.jit.kernel.workgroups.identity", "rows of a workgroup are counted by columns",
           'vectors.each("urem", 32, rows, ys)', 'vectors.each("urem", 32, rows, xs)'),
    Mutant("emu.jit.kernel.memory.moves", "a wide store writes for all lanes",
           "vectors.store_masked(type_.bits, data, place, mask)",
           'vectors.store_masked(type_.bits, data, place, "splat (i1 true)")'),
    Mutant("emu.jit.arithmetic.widths", "signed bytes are loaded as unsigned ones",
           'how = "sext" if type_.is_signed else "zext"', 'how = "zext"'),
    Mutant("emu.jit.launch.plan", "the lanes of a warp share the budget of one work-item",
           "min(work.budget, ", "min(work.budget // facts.width, "),
    Mutant("emu.jit.kernel.workgroups.barriers", "what a loop carries past a barrier is not kept",
           "                if (phi, part) not in known\n", "                if False\n"),
    Mutant("emu.jit.kernel.workgroups.barriers", "what is used behind a barrier is not kept",
           "for value in sorted(wanted, key", "for value in sorted((), key"),
    Mutant("emu.jit.kernel.lane_by_lane.exits", "what lanes leave a loop with is forgotten",
           "self._bring(phi, exit_.brought[phi][1], value, lane)\n", "pass\n"),
    Mutant("emu.analysis.values.construction", "what leaves a loop has no place for each lane",
           "phi.keeps = any(_leaves_its_loop(", "phi.keeps = bool(()) and any(_leaves_its_loop("),
)  # fmt: skip

LATE = frozenset({
    "what a loop carries past a barrier is not kept",
    "no loop is left in different trips",
    "no node is tested for being empty",
    "a difference has the stride of the sum",
    "only the first chunk of a mask is looked at",
    "a wide store writes for all lanes",
    "what is used behind a barrier is not kept",
    "who comes to a node forgets those who wait there",
    "all chunks of a counted value are the first",
    "phis of a loop keep the values of the first trip",
})  # fmt: skip
"""Those that take dozens of examples, or several seconds."""

FIRST = {
    "what differs where lanes meet is taken for uniform": 19,
    "what leaves a loop has no place for each lane": 12,
}
"""Examples with which to begin, where those before them do not find the mistake."""


def test_every_mistake_replaces_text_that_its_module_has() -> None:
    for mutant in MUTANTS:
        assert mutant.text


@pytest.mark.parametrize(
    "mutant",
    [pytest.param(m, marks=[pytest.mark.slow] * (m.why in LATE), id=m.why) for m in MUTANTS],
)
def test_a_seeded_bug_is_found_within_a_hundred_examples(mutant: Mutant) -> None:
    forget()
    how = check_alone if mutant.module.endswith(".lane_by_lane.loop") else check
    first = FIRST.get(mutant.why, 0)
    found = not survives(mutant.seeded(), lambda number: how((first + number) % EXAMPLES))
    assert found, f"survived: {mutant}"
