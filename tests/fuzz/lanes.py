"""Random kernels with cross-lane operations anywhere, native code against the interpreter.

Their results depend on which lanes issue together, so the oracle, which runs each work-item alone,
has others. Both engines are to agree at every width, also in what they count.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from itertools import product
from typing import ClassVar

from simtlab.testing import random_kernel, run_case
from simtlab.testing.agreement import assert_same_memory

from ..emu.support.counts import assert_equal
from .example import Generator
from .kernels import BUDGET, LEVELS, Kernel, Run

DATA = tuple(range(5))
"""Registers $s and $c that the kernels compute with, and that count no loops."""

WIDTHS = (1, 2, 4, 7, 8, 16, 16, 32, 32, 32, 48, 64, 64)

FRAME = 11
"""Lines at the begin that set registers."""


def _operation(rng: random.Random) -> str:
    """Return an instruction among lanes."""
    s, other, index = (f"$s{rng.choice(DATA)}" for _ in range(3))
    c, flag = (f"$c{rng.choice(DATA)}" for _ in range(2))
    return rng.choice(
        (
            f"activelaneid_u32 {s}",
            f"activelanecount_u32 {s}, {flag}",
            f"activelanemask_u64 $d3, {flag}\n    cvt_u32_u64 {s}, $d3",
            f"activelaneany_b1 {c}, {flag}",
            f"activelaneall_b1 {c}, {flag}",
            f"activelanepermute_u32 {s}, {other}, {index}",
            f"laneid_u32 {index}\n    xor_u32 {index}, {index}, {rng.choice((1, 8, 16, 31))}\n"
            f"    activelanepermute_u32 {s}, {other}, {index}",
            f"cvt_u64_u32 $d4, {other}\n    mul_u64 $d4, $d4, $d4\n"
            f"    activelanepermute_u64 $d4, $d4, {index}\n    cvt_u32_u64 {s}, $d4",
        )
    )


REPRODUCE = """\
from pathlib import Path

from tests.fuzz.kernels import Run, case_of
from tests.fuzz.lanes import Lanes

case = case_of(Path(__file__).parent)
print(Lanes(case, [{runs}], "").run())
"""


@dataclass
class Lanes(Kernel):
    """A kernel, and the ways in which native code runs it."""

    reproduce: ClassVar[str] = REPRODUCE

    def run(self) -> str:
        width = self.case.geometry.width
        how = {"width": width, "budget": BUDGET, "stats": True}
        wanted, arrays, trap = run_case(self.case, "interp", **how)
        for run, stats in product(self.runs, (False, True)):
            with run.prepared():
                result, got, own = run_case(self.case, "jit", **{**how, "stats": stats})
            kinds = [None if t is None else t.record.kind for t in (trap, own)]
            assert kinds[0] == kinds[1], f"{run}: {kinds[1]}, but {kinds[0]} in the interpreter"
            if trap is not None:
                continue
            assert_same_memory(str(run), arrays, got, self.case)
            if stats:
                assert result is not None
                assert wanted is not None
                assert_equal(result.statistics, wanted.statistics)
        return "results" if trap is None else "traps"


def _inserted(rng: random.Random, source: str) -> str:
    """Return a kernel with operations among lanes between its lines."""
    lines = source.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("kernel")) + FRAME
    last = max(i for i, line in enumerate(lines) if line.strip() == "ret")
    places = range(min(first, last), last + 1)
    for at in sorted(rng.choices(places, k=rng.randint(1, 6)), reverse=True):
        lines.insert(at, f"    {_operation(rng)}")
    return "\n".join(lines) + "\n"


def draw(rng: random.Random) -> Lanes:
    """A kernel with two runs of native code."""
    case = random_kernel(
        rng, barriers_under_branches=True, largest_group=rng.choice((32, 64, 64, 128))
    )
    geometry = replace(case.geometry, width=rng.choice(WIDTHS))
    case = replace(case, source=_inserted(rng, case.source), geometry=geometry)
    orders = "usual", rng.choice(("threads", "backwards"))
    runs = [
        Run("jit", width=geometry.width, level=rng.choice(LEVELS), poisoned=poisoned, order=order)
        for poisoned, order in zip((True, False), orders, strict=True)
    ]
    return Lanes(case, runs, str(case))


GENERATOR = Generator("lanes", lambda scratch, rng: draw, 120.0, 3.0)
