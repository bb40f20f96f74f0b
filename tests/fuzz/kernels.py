"""Random kernels through every engine: the oracle, the interpreter's schemes, native code."""

from __future__ import annotations

import io
import os
import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, NoReturn
from unittest.mock import patch

import llvmlite.binding as llvm
import numpy as np

from simtlab.emu.analysis.facts import Facts
from simtlab.emu.engine import SchemeSpec, Work
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel import compile as code
from simtlab.emu.jit.kernel import launch_facts
from simtlab.emu.jit.llvm import toolchain as build
from simtlab.emu.jit.runtime.helpers import symbols
from simtlab.emu.recent import Recent
from simtlab.emu.schemes import SCHEMES
from simtlab.emu.traps import TrapRecord
from simtlab.isa import program
from simtlab.isa.table import BY_NAME
from simtlab.testing import Case, random_kernel, run_case
from simtlab.testing.agreement import assert_same_memory

from ..emu.jit.support.order import shared_at_once
from .example import Example, Files, Generator, without_lines

BUDGET = 1 << 14
ANALYSIS = "simtlab.emu.analysis"
SPARSE = f"{ANALYSIS}.lanes.sparse"

KNOBS = {
    "stack": [{"first-path": x} for x in ("fallthrough", "taken", "majority", "minpc")],
    "ipdom-explicit": [{"first-path": x} for x in ("fallthrough", "taken", "majority", "minpc")],
    "ppc": [{"cascade": True}, {"cascade": False}],
    "ppc-explicit": [{"cascade": True}, {"cascade": False}],
    "per-thread": [{}],
}


@dataclass(frozen=True)
class Run:
    """One way to run a kernel."""

    engine: str
    scheme: str = "stack"
    knobs: dict[str, Any] = field(default_factory=dict)
    width: int = 32
    forced: bool = False
    """Native code for warps of just this width, which it would choose itself otherwise."""
    level: str = "full"
    """Which of LLVM's passes native code goes through: `full` as usual for short kernels, `quick`
    as for long ones, or `none`, which takes a third of the time."""
    chunk: int = 0
    """Lanes of a vector, where it divides the width; 0: as usual."""
    poisoned: bool = False
    """Native code of a debug build, whose variables hold a pattern (docs/jit/control.md)."""
    order: str = "usual"
    """How workgroups run whose order does not show: by `threads`, or `backwards` by one."""
    loops: str = ""
    """How native code runs all loops that lanes can run alone: SIMTLAB_LOOPS; "" as usual."""
    merged: bool = False
    """Whether native code merges all nests of loops that it can, and not only those that gain."""
    decides: bool = False
    """Whether native code's own trap is reported where the interpreter would look again."""
    many: bool = False
    """Whether warps are as wide as on a host that takes many vectors, whatever this one takes."""

    def __str__(self) -> str:
        how = f" {self.level}" * (self.engine == "jit") + " forced" * self.forced
        how += " poisoned" * self.poisoned
        how += f" {self.order}" * (self.order != "usual")
        how += f" loops={self.loops}" if self.loops else ""
        how += " merged" * self.merged
        how += f" vectors of {self.chunk}" * bool(self.chunk)
        how += " decides" * self.decides
        how += " many" * self.many
        knobs = "".join(f" {k}={v}" for k, v in self.knobs.items())
        return f"{self.engine}{how}, {self.scheme}{knobs}, warps of {self.width}"

    def __call__(self, case: Case) -> None:
        """Raise AssertionError unless the memory is the oracle's."""
        with self.prepared():
            spec = SchemeSpec(self.scheme, dict(self.knobs))
            _, got, trap = run_case(case, self.engine, spec, width=self.width, budget=BUDGET)
        assert trap is None, f"{self}: {trap.record.kind.name}, and none in the oracle\n{trap}"
        assert_same_memory(str(self), expected(case), got, case)

    @contextmanager
    def prepared(self) -> Iterator[None]:
        """Let launches meanwhile run in this way, with no compiled code from before."""
        jit = "simtlab.emu.jit"
        symbols(BY_NAME.values())  # the helpers, once a process, go through the usual passes
        with ExitStack() as stack:
            for name, value in {
                "kernel.launch_facts.depends_on_width": lambda kernel: self.forced,
                "kernel.launch_facts.takes_many": lambda: self.many,
                "kernel.launch_facts.takes_integers": lambda: self.many,
                "kernel.launch_facts.takes_many_lines": lambda: self.many,
                "kernel.launch_facts.shifts_fast": lambda kind=None: self.many,
                "kernel.compile.QUICK_ABOVE": {"full": 1 << 30, "quick": 0, "none": 0}[self.level],
                **({"llvm.toolchain._compile": _without_passes} if self.level == "none" else {}),
                **({"launch.plan.facts_of": self._facts_of} if self.chunk else {}),
                **({"launch.engine._start_over": _trap_of} if self.decides else {}),
            }.items():
                stack.enter_context(patch(f"{jit}.{name}", value))
            if self.poisoned:
                stack.enter_context(patch.dict(os.environ, {"SIMTLAB_POISON": "0x5a5a5a5b"}))
            if self.order != "usual":
                stack.enter_context(shared_at_once(self.order))
            if self.loops:
                stack.enter_context(patch.dict(os.environ, {"SIMTLAB_LOOPS": self.loops}))
                stack.enter_context(patch(f"{SPARSE}.gains_alone", lambda shapes, loop: True))
                # The key of cached code does not say which loops gain.
                stack.enter_context(patch.dict(os.environ, {"SIMTLAB_CACHE": os.devnull}))
            if self.merged:
                stack.enter_context(patch(f"{ANALYSIS}.loops.merging.MERGED_SHARE", 0))
                stack.enter_context(patch(f"{ANALYSIS}.flow.loop_headers.MOST_AROUND", 1 << 30))
                always = patch(f"{ANALYSIS}.loops.merging._only_computes", lambda form, loop: True)
                stack.enter_context(always)
                # Neither the key of cached code nor those of what is found in a kernel say so.
                stack.enter_context(patch.dict(os.environ, {"SIMTLAB_CACHE": os.devnull}))
                for name in (
                    "analysis._LATEST",
                    "suitability.barriers._FOUND",
                    "widths.row_pieces._FOUND",
                    "widths.width._FOUND",
                ):
                    stack.enter_context(patch(f"{ANALYSIS}.{name}", Recent(1)))
            code._COMPILED.clear()
            yield

    def _facts_of(self, kernel: program.Kernel, geometry: Geometry) -> Facts:
        return replace(launch_facts.facts_of(kernel, geometry), chunk=self.chunk)


def _trap_of(work: Work, record: TrapRecord) -> NoReturn:
    raise work.trap(record)


def _without_passes(ir: str, level: build.Level) -> bytes:
    """Object code with as little effort as LLVM can make."""
    machine = build._machine(0)
    header = f'target datalayout = "{machine.target_data}"\ntarget triple = "{machine.triple}"\n'
    module = llvm.parse_assembly(header + ir, llvm.create_context())
    module.verify()
    return machine.emit_object(module)


def expected(case: Case) -> list[np.ndarray]:
    """What the oracle leaves in memory."""
    known = case.__dict__.get("_expected")
    if known is None:
        _, known, trap = run_case(case, "oracle", budget=BUDGET)
        assert trap is None, f"the oracle traps: {trap}"
        case.__dict__["_expected"] = known  # a frozen dataclass has a dictionary all the same
    return known


REPRODUCE = """\
from pathlib import Path

from tests.fuzz.kernels import Run, case_of

case = case_of(Path(__file__).parent)
for run in (
    {runs},
):
    try:
        run(case)
        print(run, "agrees with the oracle")
    except AssertionError as wrong:
        print(str(wrong).partition("\\n")[0])
"""


@dataclass
class Kernel:
    """A kernel, and the ways in which it runs; `reproduce` is the script that repeats them."""

    reproduce: ClassVar[str] = REPRODUCE

    case: Case
    runs: list[Run]
    original: str

    def run(self) -> str:
        expected(self.case)
        for run in self.runs:
            run(self.case)
        return "kernels"

    def files(self) -> Files:
        script = self.reproduce.format(runs=",\n    ".join(map(repr, self.runs)))
        return {**packed(self.case), "original.sasm": self.original, "reproduce.py": script}

    def smaller(self) -> Iterator[Example]:
        if len(self.runs) > 1:
            for run in self.runs:
                yield replace(self, runs=[run])
            return
        for text in without_lines(self.case.source, is_frame):
            yield replace(self, case=replace(self.case, source=text))


def is_frame(line: str) -> bool:
    """Whether a line must stay: without the row's address all would store to one place."""
    return (
        line.startswith(("kernel", "}", ".readonly", "    workitemflatabsid_u32 $s40"))
        or "$d40" in line
        or "$d41" in line
    )


def packed(case: Case) -> Files:
    """A case as files."""
    arrays = io.BytesIO()
    g = case.geometry
    np.savez_compressed(
        arrays, *map(np.asarray, case.arrays), items=g.items, group_size=g.group_size, width=g.width
    )
    return {"kernel.sasm": case.source, "arguments.npz": arrays.getvalue()}


def case_of(folder: Path) -> Case:
    """The case of files that `packed` made."""
    arrays = np.load(folder / "arguments.npz")
    launch = (arrays[name].tolist() for name in ("items", "group_size", "width"))
    items, group_size, width = launch
    given = tuple(arrays[f"arr_{i}"] for i in range(len(arrays.files) - 3))
    given = tuple(a if a.ndim else a[()] for a in given)
    source = (folder / "kernel.sasm").read_text(encoding="utf-8")
    return Case(source, Geometry(tuple(items), tuple(group_size), width), given)


LOOPS = os.environ.get("FUZZ_LOOPS", "")
"""How loops run in all examples, in place of a choice by each."""

LEVELS = ("none",) * 7 + ("full", "full", "quick")


def draw(rng: random.Random) -> Kernel:
    """A kernel with a run of native code as it is, perhaps one forced, three of the interpreter."""
    largest = 1024 if rng.random() < 0.02 else rng.choice((32, 32, 64, 128))
    case = random_kernel(rng, barriers_under_branches=True, largest_group=largest)
    width = case.geometry.width
    loops = LOOPS or rng.choice(("", "alone", "together", "measured", str(rng.randint(2, 32))))
    poisoned = rng.random() < 0.5
    level, many = rng.choice(LEVELS), rng.random() < 0.5
    runs = [Run("jit", width=width, level=level, poisoned=poisoned, loops=loops, many=many)]
    order = rng.choice(("threads", "backwards"))
    runs.append(replace(runs[0], order=order))
    if rng.random() < 0.25:
        other = rng.choice((width, 1, 2, 4, 8, 16, 32, 64, rng.randint(1, 64)))
        made = Run("jit", width=other, forced=True, level=rng.choice(LEVELS), loops=loops)
        runs.append(replace(made, chunk=rng.choice((0, 8, 32, 64))))
    for name in rng.sample(sorted(SCHEMES), 3):
        other = width if rng.random() < 0.7 else rng.randint(1, 64)
        knobs = rng.choice(KNOBS[name])
        if knobs.get("cascade", True) or "barrier" not in case.source:
            # To the letter, a part of a warp may come to a barrier an instruction before the rest.
            runs.append(Run("interp", name, knobs, other))
    if rng.random() < 0.25:
        runs.append(replace(runs[0], merged=True))
    return Kernel(case, runs, str(case))


GENERATOR = Generator("kernels", lambda scratch, rng: draw, 120.0, 8.0)
