"""Loops that lanes begin together and leave at bounds of their own."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.analysis.flow.order import Loop
from simtlab.emu.engine import Work
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.kernel.loops.first_iterations import FirstIterations
from simtlab.emu.jit.launch.engine import execute
from simtlab.emu.traps import Trap, TrapKind

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

ITEMS = 70
LENGTH = 90

BOUNDS = {
    "fall": "sub_u32 $s4, $s2, $s0",
    "rise": "add_u32 $s4, $s0, 1",
    "of every third": "rem_u32 $s4, $s0, 3\n mul_u32 $s4, $s4, 7\n add_u32 $s4, $s4, 5",
    "below zero": "sub_u32 $s4, $s0, 20",
}
"""The bound $s4 of a work-item's number $s0 and the uniform $s2, the length of x."""


def kernel(bound: str, relation: str, *, header: bool, step: int = 1, body: str = "") -> str:
    """Return a kernel of sums of products, x[k] * x[k + i], for k up to a bound."""
    stay = f"cmp_{relation} $c1, $s3, $s4\n cbr $c1"
    enter = f"@loop:\n {stay}, @body\n br @store\n @body:" if header else "@loop:"
    again = "br @loop" if header else f"{stay}, @loop"
    return f"""kernel walk(u32 %length, global u32* %x, global u32* %out) {{
        workitemabsid_u32 $s0, 0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u32 $s2, [%length]
        {BOUNDS[bound]}
        ld_kernarg_u64 $d1, [%x]
        rem_u32 $s9, $s0, 9
        cmp_eq_u32 $c0, $s9, 4
        cbr $c0, @store
    {enter}
        cvt_u64_u32 $d2, $s3
        mad_u64 $d2, $d2, 4, $d1
        ld_global_u32 $s5, [$d2]
        add_u32 $s6, $s3, $s0
        cvt_u64_u32 $d2, $s6
        mad_u64 $d2, $d2, 4, $d1
        ld_global_u32 $s6, [$d2]
        {body}
        mad_u32 $s8, $s5, $s6, $s8
        add_u32 $s3, $s3, {step}
        {again}
    @store:
        ld_kernarg_u64 $d3, [%out]
        mad_u64 $d3, $d0, 4, $d3
        st_global_u32 $s8, [$d3]
        ret
    }}"""


def work_of(text: str, group: int = 64, elements: int = LENGTH, budget: int = 1 << 20) -> Work:
    x = np.random.default_rng(3).integers(0, 1 << 32, elements, np.uint32)
    given = [np.uint32(LENGTH), x, np.zeros(ITEMS, np.uint32)]
    return make(text, given, items=ITEMS, group_size=group, budget=budget)


def check(text: str, **more: int) -> bool:
    return assert_as_oracle(work_of(text, **more), work_of(text, **more))


@pytest.mark.parametrize(
    ("bound", "relation", "header", "step"),
    [
        ("fall", "lt_u32", False, 1),
        ("fall", "lt_u32", True, 3),
        ("rise", "le_s32", False, 2),
        ("rise", "lt_s32", True, 1),
        ("of every third", "le_u32", True, 2),
        ("below zero", "lt_s32", True, 1),
        ("below zero", "lt_u32", False, 1),
    ],
)
def test_lanes_leave_at_bounds_of_their_own(
    bound: str, relation: str, header: bool, step: int
) -> None:
    """The lanes that still run come to the end of x, or go beyond it."""
    text = kernel(bound, relation, header=header, step=step)
    check(text)
    check(text, elements=LENGTH + ITEMS)
    check(text, elements=LENGTH - 2)


@pytest.mark.parametrize("group", [1, 7, 16, 32])
def test_warps_of_any_width(group: int) -> None:
    skips = (
        "and_u32 $s7, $s5, 1\n cmp_eq_u32 $c2, $s7, 0\n cbr $c2, @odd\n xor_u32 $s6, $s6, 7\n@odd:"
    )
    text = kernel("fall", "lt_u32", header=False, body=skips)
    assert not check(text, group=group)
    assert check(text, group=group, elements=LENGTH - 1)


def test_a_spent_budget_ends_the_launch() -> None:
    text = kernel("fall", "lt_u32", header=False)
    assert not check(text, budget=3000)
    with pytest.raises(Trap) as caught:
        execute(work_of(text, budget=500))
    assert caught.value.record.kind is TrapKind.BUDGET


def test_bounds_far_below_the_begin_have_no_iterations_in_common() -> None:
    """A step of a pointer by 4000 in 2^64 / 1000 iterations would wrap around to its begin."""
    text = """kernel walk(u32 %first, global u32* %x, global u32* %out) {
        workitemabsid_u32 $s0, 0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u32 $s3, [%first]
        sub_u32 $s4, $s0, 20
        ld_kernarg_u64 $d1, [%x]
        add_u64 $d1, $d1, 8000
    @loop:
        ld_global_u32 $s5, [$d1]
        add_u32 $s8, $s8, $s5
        add_u32 $s3, $s3, 1000
        add_u64 $d1, $d1, 4000
        cmp_lt_s32 $c1, $s3, $s4
        cbr $c1, @loop
        ld_kernarg_u64 $d3, [%out]
        mad_u64 $d3, $d0, 4, $d3
        st_global_u32 $s8, [$d3]
        ret
    }"""

    def work() -> Work:
        given = [np.uint32(30), np.arange(4000, dtype=np.uint32), np.zeros(64, np.uint32)]
        return make(text, given, items=64, budget=1 << 62)

    assert not assert_as_oracle(work(), work())


def test_there_is_a_version_for_bounds_that_are_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Loop] = []
    begin = FirstIterations.__init__
    monkeypatch.setattr(
        FirstIterations, "__init__", lambda self, *args: made.append(args[1]) or begin(self, *args)
    )
    loaded = BOUNDS["rise"] + "\n ld_kernarg_u64 $d3, [%x]\n ld_global_u32 $s4, [$d3]"
    loaded = kernel("rise", "lt_u32", header=False).replace(BOUNDS["rise"], loaded)
    own = loaded.replace(
        "ld_global_u32 $s4, [$d3]", "mad_u64 $d3, $d0, 4, $d3\n ld_global_u32 $s4, [$d3]"
    )
    counted = "rem_u32 $s4, $s0, 5\n@count:\n add_u32 $s4, $s4, 3"
    counted += "\n cmp_lt_u32 $c1, $s4, 9\n cbr $c1, @count"
    counted = kernel("rise", "lt_u32", header=False).replace(BOUNDS["rise"], counted)
    check(counted)
    for text, some in (
        (kernel("fall", "lt_u32", header=False), True),
        (loaded, False),
        (own, False),
        (counted, False),
    ):
        made.clear()
        work = work_of(text)
        generate(work.kernel, 0, facts_of(work.kernel, work.geometry))
        assert bool(made) == some
