"""Random kernels that may trap: the trap must be one of the oracle's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from simtlab.asm.assemble import assemble
from simtlab.emu.arguments import bind
from simtlab.emu.engine import Work
from simtlab.emu.oracle import oracle
from simtlab.testing import Case, run_case
from simtlab.testing.agreement import Outcome

from .kernels import BUDGET, Kernel, Run


@dataclass
class Trapping(Kernel):
    """A kernel that may trap."""

    def run(self) -> str:
        for run in self.runs:
            _, got, trap = _outcome(self.case, run)
            found = {record.key for record in _oracle_records(self.case)}
            if trap is None:
                assert not found, f"{run}: no trap, where the oracle has {found}"
                _, expected, _ = run_case(self.case, "oracle", budget=BUDGET)
                for a, b in zip(got, expected, strict=True):
                    assert a.tobytes() == b.tobytes(), f"{run}: memory differs from the oracle's"
            else:
                assert trap.record.key in found, f"{run}: {trap}\nwhere the oracle has {found}"
        return "kernels"


def _outcome(case: Case, run: Run) -> Outcome:
    """Return what a run of a kernel gives, which may be a trap."""
    caught: list[Outcome] = []

    def keep(*args: Any, **options: Any) -> Outcome:
        result = run_case(*args, **options)
        caught.append(result)
        return (*result[:2], None)

    with (
        patch("tests.fuzz.kernels.run_case", keep),
        patch("tests.fuzz.kernels.assert_same_memory", lambda *a: None),
        patch("tests.fuzz.kernels.expected", lambda case: []),
    ):
        run(case)
    return caught[0]


def _oracle_records(case: Case):

    program = assemble(case.source)
    (kernel,) = program.kernels
    bound = bind(kernel, list(case.arguments()))
    work = Work(program, kernel, case.geometry, bound.kernargs, bound.memory, budget=BUDGET)
    return list(oracle.trap_records(work))
