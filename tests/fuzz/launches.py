"""Launches between fences against the oracle: memory, traps with their addresses, budgets."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import simtlab
from simtlab.emu.arguments import bind
from simtlab.emu.check.finding import Rule
from simtlab.emu.device import Device
from simtlab.emu.engine import SchemeSpec, Work
from simtlab.emu.oracle import oracle
from simtlab.emu.schemes import SCHEMES
from simtlab.emu.traps import Trap, TrapKind, TrapRecord
from simtlab.testing import Case
from simtlab.testing.agreement import assert_same_memory

from ..emu.jit.support.fences import BEFORE, fenced
from .example import Example, Files, without_lines
from .kernels import KNOBS, LEVELS, Run, packed

BUDGET = 1 << 14

LATE = 200
"""How often a work-item may spend its budget before native code must have noticed.

It charges a loop's iteration by the header alone, and may be late by a second budget.
"""

MOST_STEPS = 4_000
"""Budgets of all work-items together up to which the oracle runs that much longer."""

KEPT = "//!"
"""The comment on lines without which work-items would share what is their own."""

_UNENDED = (TrapKind.BUDGET, TrapKind.LIVELOCK, TrapKind.UNDECIDED)


@dataclass(frozen=True)
class Fenced(Case):
    """A case whose arrays lie between fences."""

    views: tuple[tuple[int, int, int], ...] = ()
    """(argument, an earlier one, bytes): the first is the other one from these bytes on."""
    frozen: frozenset[int] = frozenset()
    """Arguments that are read-only."""
    odd: int = 0
    """Bytes by which arrays miss the alignment of their elements in the host's memory."""
    budget: int = BUDGET

    def arguments(self) -> tuple[object, ...]:
        made: list[object] = []
        shared = {position: (of, start) for position, of, start in self.views}
        for position, value in enumerate(self.arrays):
            if position in shared:
                of, start = shared[position]
                whole = made[of]
                assert isinstance(whole, np.ndarray)
                made.append(whole.view(np.uint8)[start:].view(whole.dtype) if start else whole)
                continue
            if isinstance(value, np.ndarray):
                block = fenced(value.nbytes + self.odd)[: value.nbytes].view(value.dtype)
                block[:] = value
                block.flags.writeable = position not in self.frozen
                value = block
            made.append(value)
        return tuple(made)

    def __str__(self) -> str:
        more = f", views {self.views}" if self.views else ""
        more += f", frozen {sorted(self.frozen)}" if self.frozen else ""
        return f"// budget {self.budget}{more}, odd {self.odd}\n{super().__str__()}"

    def assert_unhurt(self, subject: str, arguments: tuple[object, ...]) -> None:
        """Assert that nothing before an array has changed, nor an array that is read-only."""
        for position, array in enumerate(arguments):
            if not isinstance(array, np.ndarray):
                continue
            if not any(position == view for view, _, _ in self.views):
                before = (ctypes.c_uint8 * 64).from_address(array.ctypes.data - 64)
                assert set(before) == {BEFORE}, f"{subject}: bytes before array {position} changed"
            if position in self.frozen:
                same = array.tobytes() == np.asarray(self.arrays[position]).tobytes()
                assert same, f"{subject}: array {position} is read-only and has changed"


@dataclass
class Expected:
    """What the oracle finds."""

    records: list[TrapRecord]
    arrays: list[np.ndarray]


def expected(case: Fenced, budget: int) -> Expected:
    """Return every trap of a launch, and the memory after it."""
    known = case.__dict__.setdefault("_expected", {})  # a frozen dataclass has a dictionary
    if budget not in known:
        program = case.module.program
        (kernel,) = program.kernels
        arguments = case.arguments()
        bound = bind(kernel, list(arguments))
        work = Work(
            program, kernel, case.geometry, bound.kernargs, bound.memory, budget=budget
        )  # fmt: skip
        records: list[TrapRecord] = []
        oracle._run(oracle._Launch(work, records.append))
        known[budget] = Expected(records, [a for a in arguments if isinstance(a, np.ndarray)])
    return known[budget]


@dataclass
class Launch:
    """A kernel, and the ways in which it runs."""

    case: Fenced
    runs: list[Run]
    original: str
    again: bool = False
    """Whether native code runs it again, with device arrays, by the way of short launches."""
    variants: tuple[Fenced, ...] = ()
    """The same kernel with other arguments, for the same native code.

    In some of them work-items share what is their own otherwise. Their results may differ.
    """

    def run(self) -> str:
        want = expected(self.case, self.case.budget)
        for run in self.runs:
            with run.prepared():
                self._try(run, want)
                if run.engine == "jit":
                    for case in self.variants:
                        self._try_variant(run, case)
        kinds = {record.kind for record in want.records}
        return "results" if not kinds else "budgets" if TrapKind.BUDGET in kinds else "traps"

    def _try_variant(self, run: Run, case: Fenced) -> None:
        try:
            replace(self, case=case)._try(run, expected(case, case.budget))
        except AssertionError:
            if not _has_race(case):
                raise

    def _try(self, run: Run, want: Expected) -> None:
        case, launch = self.case, _launch(self.case, run)
        arguments = case.arguments()
        trap = _trap_of(launch, arguments)
        case.assert_unhurt(str(run), arguments)
        kinds = {record.kind for record in want.records}
        if trap is not None:
            check_trap(str(run), trap, want.records)
            return
        if kinds:
            assert kinds <= {TrapKind.BUDGET}, f"{run}: no trap, where the oracle has {kinds}"
            if case.geometry.n_items * case.budget > MOST_STEPS:
                return
            want = expected(case, LATE * case.budget)
            assert not want.records, f"{run}: no end of a launch that the oracle does not end"
        assert_same_memory(str(run), want.arrays, arrays_of(arguments), case)
        if self.again and run.engine == "jit":
            self._run_again(str(run), launch, want)
            counting = _launch(case, run, stats=True)
            self._run_again(f"{run}, counting", counting, want)

    def _run_again(self, name: str, launch: Any, want: Expected) -> None:
        """Run with arrays at other places, and on a device; native code then knows them."""
        case, counts = self.case, []
        # Arrays that overlap cannot be on a device.
        for number in range(4 if any(start for _, _, start in case.views) else 8):
            arguments = case.arguments()
            given = arguments
            if number >= 4:
                device = Device()
                mapped = {id(a): device.map(a) for a in arguments if isinstance(a, np.ndarray)}
                given = tuple(mapped.get(id(a), a) for a in arguments)
            for turn in range(3 if number >= 4 else 1):
                if turn:
                    for array, content in zip(arguments, case.arguments(), strict=True):
                        if isinstance(array, np.ndarray) and array.flags.writeable:
                            array[...] = content
                result = launch(*given)
                subject = f"{name}, launch {number + 2}, {turn}"
                case.assert_unhurt(subject, arguments)
                assert_same_memory(subject, want.arrays, arrays_of(arguments), case)
                counts.append(result.statistics and result.statistics.to_dict())
        assert counts == [counts[0]] * len(counts), f"{name}: other counts in another launch"

    def files(self) -> Files:
        case = self.case
        script = REPRODUCE.format(
            how=f"{case.views}, {case.frozen}, {case.odd}, {case.budget}",
            runs=",\n    ".join(map(repr, self.runs)),
            again=self.again,
        )
        return {**packed(case), "original.sasm": self.original, "reproduce.py": script}

    def smaller(self) -> Iterator[Example]:
        checking = Run("interp", width=self.case.geometry.width)
        if self.runs[0] != checking or len(self.runs) > 2:
            # The interpreter comes first: it notices what depends on the order of work-items.
            for run in self.runs:
                yield replace(self, runs=[checking, run])
            return
        if self.again:
            yield replace(self, again=False)
        if self.variants:
            yield replace(self, variants=())
            for case in self.variants:
                yield replace(self, case=case, variants=())
            return
        for text in without_lines(self.case.source, _is_frame):
            yield replace(self, case=replace(self.case, source=text))


def _launch(case: Fenced, run: Run, *, stats: bool = False) -> Any:
    (function,) = case.module
    return function.launch(
        items=case.geometry.items, group_size=case.geometry.group_size, warp=run.width,
        engine=run.engine, scheme=SchemeSpec(run.scheme, dict(run.knobs)), budget=case.budget,
        stats=stats,
    )  # fmt: skip


def _trap_of(launch: Any, arguments: tuple[object, ...]) -> TrapRecord | None:
    try:
        launch(*arguments)
    except Trap as trap:
        str(trap)
        return trap.record
    return None


def _has_race(case: Fenced) -> bool:
    """Return whether the checker finds that work-items share what one of them stores to.

    With other arguments a load may read the results of others, since addresses are anything.
    """
    launch = _launch(case, Run("interp", width=case.geometry.width))
    report = simtlab.check_run(launch, *case.arguments(), reruns=False)
    races = (Rule.RACE, Rule.SAME_VALUE, Rule.MIXED)
    return any(finding.code in races for finding in report.findings)


REPRODUCE = """\
from pathlib import Path

from tests.fuzz.kernels import Run, case_of
from tests.fuzz.launches import Fenced, Launch

plain = case_of(Path(__file__).parent)
case = Fenced(plain.source, plain.geometry, plain.arrays, {how})
for run in (
    {runs},
):
    try:
        print(run, Launch(case, [run], "", {again}).run())
    except AssertionError as wrong:
        print(str(wrong).partition("\\n")[0])
"""


def _is_frame(line: str) -> bool:
    return line.startswith(("kernel", "}", ".readonly", "@done")) or KEPT in line


def arrays_of(arguments: tuple[object, ...]) -> list[np.ndarray]:
    """Return the arrays among arguments."""
    return [a for a in arguments if isinstance(a, np.ndarray)]


def check_trap(subject: str, trap: TrapRecord, records: list[TrapRecord]) -> None:
    """Assert that a trap is one of the oracle's, as far as budgets allow."""
    found = {(record.key, record.address) for record in records}
    spent = {(r.group, r.local) for r in records if r.kind is TrapKind.BUDGET}
    if trap.kind in _UNENDED:
        assert spent, f"{subject}: {trap.kind.name} too early\n{trap}\n{found}"
        if trap.kind is TrapKind.BUDGET:
            early = (trap.group, trap.local) not in spent
            assert not early, f"{subject}: another work-item's budget\n{trap}\n{sorted(spent)}"
    elif not spent:  # else it may have executed more than the oracle
        is_one = (trap.key, trap.address) in found
        assert is_one, f"{subject}: {trap.kind.name} is not the oracle's\n{trap}\n{found}"


def runs_of(rng: random.Random, case: Case) -> list[Run]:
    """Return ways to run a case: native code as it is, the interpreter, native code at any width.

    Not all in each: compiling for many lanes takes longer than all else.
    """
    # The explicit schemes have markers of their own, which move what follows to other pcs.
    names = [name for name in sorted(SCHEMES) if "explicit" not in name]
    name = rng.choice(names) if "barrier" not in case.source else "stack"
    width = case.geometry.width
    runs: list[Run] = []

    def native(width: int, **how: Any) -> Run:
        loops = rng.choice(("", "", "alone", "together", "measured", str(rng.randint(2, 32))))
        return Run(
            "jit", width=width, level=rng.choice(LEVELS), loops=loops,
            poisoned=rng.random() < 0.4, decides=rng.random() < 0.8, many=rng.random() < 0.5, **how,
        )  # fmt: skip

    order = rng.choice(("usual", "usual", "usual", "threads", "backwards"))
    runs.append(native(width, order=order))
    if rng.random() < 0.5:
        other = rng.choice((width, rng.randint(1, 64)))
        runs.append(Run("interp", name, rng.choice(KNOBS[name]), other))
    if rng.random() < 0.5:
        other = rng.choice((16, 32, 64, 64, rng.randint(1, 64), rng.randint(1, 64)))
        runs.append(native(other, forced=True, chunk=rng.choice((0, 0, 0, 8, 32, 64))))
    return runs


def sums_of_values(value: int, wide: int, most: int) -> list[str]:
    """Return the lines that end a kernel: sums of `most` registers $s and $d are stored at %out.

    `value` and `wide` are the first of them; $s0 is the flat id. They use $d3, $d4 and $s1.
    """
    lines = [f"mad_u32 $s{value}, $s{value}, 31, $s{value + i}" for i in range(1, most)]
    lines += [f"mad_u64 $d{wide}, $d{wide}, 31, $d{wide + i}" for i in range(1, most)]
    return [
        *lines, f"cvt_u32_u64 $s1, $d{wide}", "ld_kernarg_u64 $d3, [%out]",
        "cvt_u64_u32 $d4, $s0", "mad_u64 $d3, $d4, 8, $d3",
        f"st_global_u32 $s{value}, [$d3]", "st_global_u32 $s1, [$d3+4]", "ret",
    ]  # fmt: skip
