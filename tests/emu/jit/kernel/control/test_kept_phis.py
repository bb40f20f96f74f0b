"""Phis of a loop's header that lanes take out of the loop in its variable, against the oracle."""

from __future__ import annotations

import re

import numpy as np
import pytest

from simtlab.emu.analysis.facts import Facts
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.control.kept_phis import KeptPhis

from ....support.oracle_work import make
from ...support.agreement import same

ITEMS = 192

LOAD = """cvt_u64_u32 $d5, $s2
        add_u64 $d5, $d5, $d1
        ld_global_u8 $s5, [$d5]
        add_u32 $s2, $s2, 1"""

LOOPS = {
    "a number read up to the end of its field": """
    @top:
        cmp_ge_u32 $c0, $s2, $s3
        cbr $c0, @out
        {load}
        cmp_eq_u32 $c0, $s5, 3
        cbr $c0, @minus
        cmp_eq_u32 $c0, $s5, 2
        cbr $c0, @top
        mad_u32 $s4, $s4, 10, $s5
        br @top
    @minus:
        add_u32 $s6, $s6, 1
        br @top
    """,
    "sums of 32 and 64 bits, of floats, and a flag": """
        mov_b1 $c1, 0
        mov_u64 $d6, 5
        mov_u32 $s8, 0.5
    @top:
        cmp_ge_u32 $c0, $s2, $s3
        cbr $c0, @left
        {load}
        cvt_u64_u32 $d7, $s5
        mad_u64 $d6, $d6, 0x10001, $d7
        cvt_f32_u32 $s9, $s5
        fma_f32 $s8, $s8, $s8, $s9
        cmp_eq_u32 $c0, $s5, 1
        xor_b1 $c1, $c1, $c0
        br @top
    @left:
        cvt_u32_b1 $s6, $c1
        cvt_u32_u64 $s4, $d6
        shr_u64 $d6, $d6, 32
        cvt_u32_u64 $s5, $d6
        xor_u32 $s4, $s4, $s5
        add_u32 $s6, $s6, $s8
    """,
    "two ways out to one place": """
    @top:
        {load}
        cmp_eq_u32 $c0, $s5, 0
        cbr $c0, @out
        mad_u32 $s4, $s4, 7, $s5
        cmp_ge_u32 $c0, $s2, $s3
        cbr $c0, @out
        add_u32 $s6, $s6, $s5
        br @top
    """,
    "values that change places": """
    @top:
        cmp_ge_u32 $c0, $s2, $s3
        cbr $c0, @out
        {load}
        mov_u32 $s7, $s4
        add_u32 $s4, $s6, $s5
        mov_u32 $s6, $s7
        br @top
    """,
    "a loop that is entered again, and left from inside": """
        mov_u32 $s7, 0
    @again:
        mov_u32 $s8, 1
    @top:
        cmp_ge_u32 $c0, $s2, $s3
        cbr $c0, @out
        {load}
        cmp_eq_u32 $c0, $s5, 3
        cbr $c0, @field
        mad_u32 $s8, $s8, 3, $s5
        cmp_eq_u32 $c0, $s5, 2
        cbr $c0, @top
        add_u32 $s6, $s6, 1
        br @top
    @field:
        mad_u32 $s4, $s4, 11, $s8
        add_u32 $s7, $s7, 1
        cmp_lt_u32 $c0, $s7, 4
        cbr $c0, @again
    """,
    "lanes that wait after the loop before it runs": """
        mov_u32 $s4, 9
        and_u32 $s7, $s0, 3
        cmp_eq_u32 $c0, $s7, 2
        cbr $c0, @out
        mov_u32 $s4, 5
    @top:
        cmp_ge_u32 $c0, $s2, $s3
        cbr $c0, @out
        {load}
        mad_u32 $s4, $s4, 5, $s5
        br @top
    """,
}


def text_of(name: str) -> str:
    return f"""
    kernel k(global u32* %start, global u8* %x, global u32* %out) {{
        workitemabsid_u32 $s0, 0
        ld_kernarg_u64 $d0, [%start]
        ld_kernarg_u64 $d1, [%x]
        ld_kernarg_u64 $d2, [%out]
        cvt_u64_u32 $d3, $s0
        mad_u64 $d4, $d3, 4, $d0
        ld_global_u32 $s2, [$d4]
        ld_global_u32 $s3, [$d4+4]
        mov_u32 $s4, 0
        mov_u32 $s6, 0
        {LOOPS[name].format(load=LOAD)}
    @out:
        mad_u64 $d4, $d3, 8, $d2
        st_global_u32 $s4, [$d4]
        st_global_u32 $s6, [$d4+4]
        ret
    }}"""


def arrays() -> list[np.ndarray]:
    rng = np.random.default_rng(8)
    start = np.append(0, rng.integers(0, 30, ITEMS).cumsum()).astype(np.uint32)
    x = rng.integers(0, 5, start[-1] + 64).astype(np.uint8)
    return [start, x, np.zeros(2 * ITEMS, np.uint32)]


@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.parametrize(("group_size", "width"), [(64, 1), (42, 7), (64, 16), (64, 32), (192, 64)])
def test_each_lane_takes_its_own_values(name: str, group_size: int, width: int) -> None:
    same(text_of(name), arrays(), items=ITEMS, group_size=group_size, width=width)


@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.parametrize("loops", ["alone", "together", "8", "measured"])
def test_few_lanes_may_run_alone(name: str, loops: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMTLAB_LOOPS", loops)
    same(text_of(name), arrays(), items=ITEMS, group_size=64)


def kept(name: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how many values are in the variables of phis."""
    found: list[KeptPhis] = []
    of = KeptPhis.of.__func__

    def noted(cls: type[KeptPhis], *args: object) -> KeptPhis:
        found.append(of(cls, *args))
        return found[-1]

    monkeypatch.setattr(KeptPhis, "of", classmethod(noted))
    work = make(text_of(name), arrays(), items=ITEMS, group_size=64)
    generate(work.kernel, 0, Facts(32, (64, 1, 1), whole=True))
    return len(found[0].same)


def test_what_is_not_changed_by_the_loop_s_end_has_one_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert kept("a number read up to the end of its field", monkeypatch) == 4
    assert kept("sums of 32 and 64 bits, of floats, and a flag", monkeypatch) == 6


def test_a_value_with_several_sources_keeps_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    assert kept("two ways out to one place", monkeypatch) == 2  # the sum after both
    assert kept("lanes that wait after the loop before it runs", monkeypatch) == 0


def test_what_decides_when_lanes_leave_is_set_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """The counter of a field that is halved until nothing is left of it."""
    text = """
    kernel k(global u32* %x) {
        workitemabsid_u32 $s0, 0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_u32 $s1, [$d1]
    @top:
        cmp_lt_u32 $c0, $s1, 100
        cbr $c0, @out
        shr_u32 $s1, $s1, 1
        br @top
    @out:
        st_global_u32 $s1, [$d1]
        ret
    }"""
    work = make(text, [np.zeros(64, np.uint32)], items=64, group_size=64)
    monkeypatch.setattr(KeptPhis, "of", classmethod(lambda cls, *_: cls()))
    without = generate(work.kernel, 0, Facts(32, (64, 1, 1), whole=True))
    monkeypatch.undo()
    assert generate(work.kernel, 0, Facts(32, (64, 1, 1), whole=True)) == without
    assert re.search(r"lshr <16 x i32>", without)
    same(text, [np.arange(64, dtype=np.uint32) ** 3], items=64, group_size=64)
