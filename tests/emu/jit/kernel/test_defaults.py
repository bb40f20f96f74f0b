"""Values that lanes take out of a loop and that are set before it, against the oracle."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.engine import Work
from simtlab.emu.jit.arithmetic import emit as alu
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.llvm.function_text import FunctionText
from simtlab.isa.types import Type

from ...support.oracle_work import make
from ..support.agreement import same

ITEMS = 96

LOOPS = {
    "one exit with a constant, one with another": """
        mov_u32 $s4, 0
    @top:
        {load}
        cmp_eq_u32 $c0, $s5, 3
        cbr $c0, @out
        add_u32 $s2, $s2, 1
        cmp_lt_u32 $c0, $s2, 6
        cbr $c0, @top
        mov_u32 $s4, 1
    """,
    "lanes that wait after the loop before it runs": """
        mov_u32 $s4, 9
        and_u32 $s6, $s0, 3
        cmp_eq_u32 $c0, $s6, 2
        cbr $c0, @out
        mov_u32 $s4, 5
    @top:
        {load}
        cmp_eq_u32 $c0, $s5, 3
        cbr $c0, @out
        add_u32 $s2, $s2, 1
        cmp_lt_u32 $c0, $s2, 6
        cbr $c0, @top
        mov_u32 $s4, $s0
    """,
    "exits with values of the iteration, the launch and the lane": """
        mul_u32 $s4, $s0, 11
    @top:
        {load}
        cmp_eq_u32 $c0, $s5, 3
        cbr $c0, @out
        cmp_eq_u32 $c0, $s5, 1
        cbr $c0, @one
        add_u32 $s2, $s2, 1
        cmp_lt_u32 $c0, $s2, 6
        cbr $c0, @top
        mov_u32 $s4, 77
        br @out
    @one:
        add_u32 $s4, $s5, $s2
    """,
    "a loop in a loop that the same value leaves": """
        mov_u32 $s4, 4
        mov_u32 $s7, 0
    @outer:
        mov_u32 $s8, 0
    @top:
        {load}
        cmp_eq_u32 $c0, $s5, 3
        cbr $c0, @out
        add_u32 $s2, $s2, 1
        add_u32 $s8, $s8, 1
        cmp_lt_u32 $c0, $s8, $s6
        cbr $c0, @top
        mov_u32 $s4, 6
        cmp_eq_u32 $c0, $s5, 2
        cbr $c0, @out
        mov_u32 $s4, $s7
        add_u32 $s7, $s7, 1
        cmp_lt_u32 $c0, $s7, 4
        cbr $c0, @outer
    """,
    "a loop that is entered again": """
        mov_u32 $s7, 0
        mov_u32 $s9, 0
    @again:
        mov_u32 $s4, 2
    @top:
        {load}
        cmp_eq_u32 $c0, $s5, 3
        cbr $c0, @left
        add_u32 $s2, $s2, 1
        and_u32 $s8, $s2, 7
        cmp_ne_u32 $c0, $s8, 0
        cbr $c0, @top
        mov_u32 $s4, 3
    @left:
        mad_u32 $s9, $s9, 5, $s4
        add_u32 $s2, $s2, 1
        add_u32 $s7, $s7, 1
        cmp_lt_u32 $c0, $s7, 3
        cbr $c0, @again
        mov_u32 $s4, $s9
    """,
}

LOAD = """and_u32 $s10, $s2, 63
        mad_u32 $s10, $s10, 96, $s0
        cvt_u64_u32 $d5, $s10
        mad_u64 $d5, $d5, 4, $d1
        ld_global_u32 $s5, [$d5]"""


@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.parametrize("group_size", [96, 64])
def test_each_lane_takes_its_own_value(name: str, group_size: int) -> None:
    text = f"""
    kernel k(global u32* %x, global u32* %out) {{
        workitemabsid_u32 $s0, 0
        ld_kernarg_u64 $d1, [%x]
        ld_kernarg_u64 $d2, [%out]
        mov_u32 $s2, 0
        and_u32 $s6, $s0, 3
        {LOOPS[name].format(load=LOAD)}
    @out:
        cvt_u64_u32 $d4, $s0
        mad_u64 $d4, $d4, 4, $d2
        st_global_u32 $s4, [$d4]
        ret
    }}"""
    rng = np.random.default_rng(5)
    for most in (4, 9):
        args = [rng.integers(0, most, 64 * ITEMS, np.uint32), np.zeros(ITEMS, np.uint32)]
        same(text, args, items=ITEMS, group_size=group_size)


def test_a_flag_needs_no_canonical_nan(monkeypatch: pytest.MonkeyPatch) -> None:
    """A phi of numbers alone, none of which is a NaN, whatever it is stored as."""
    text = f"""
    kernel k(global u32* %x, global u32* %out) {{
        workitemabsid_u32 $s0, 0
        ld_kernarg_u64 $d1, [%x]
        ld_kernarg_u64 $d2, [%out]
        mov_u32 $s2, 0
        {LOOPS["one exit with a constant, one with another"].format(load=LOAD)}
    @out:
        cvt_u64_u32 $d4, $s0
        mad_u64 $d4, $d4, 4, $d2
        st_global_u32 $s4, [$d4]
        ret
    }}"""
    work = make(text, [np.zeros(9, np.uint32)] * 2, items=64)
    assert not makes_canonical(work, monkeypatch)


SIGNS = {
    # name: (what is computed from $s5, a NaN or not; whether NaNs are made canonical before it)
    "added": ("neg_f32 $s4, $s3\nadd_f32 $s4, $s4, $s5\ncvt_s32_f32 $s4, $s4", False),
    "compared": ("abs_f32 $s4, $s3\ncmp_lt_f32 $c0, $s4, $s5\ncvt_u32_b1 $s4, $c0", False),
    "twice": (
        "abs_f32 $s4, $s3\nneg_f32 $s4, $s4\ncmp_gt_f32 $c0, $s4, -1.0\ncvt_u32_b1 $s4, $c0",
        False,
    ),
    "stored": ("neg_f32 $s4, $s3", True),
    "twice and stored": ("neg_f32 $s4, $s3\nabs_f32 $s6, $s4\nneg_f32 $s4, $s6", True),
    "its bits": ("neg_f32 $s4, $s3\nshr_u32 $s4, $s4, 31", True),
    "chosen": ("neg_f32 $s4, $s3\ncmp_gt_f32 $c0, $s5, 0.0\nselect_f32 $s4, $c0, $s4, $s5", True),
}  # fmt: skip


@pytest.mark.parametrize("name", SIGNS)
def test_signs_of_nans(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    body, canonical = SIGNS[name]
    text = f"""
    kernel k(global f32* %x, global u32* %out) {{
        workitemabsid_u32 $s0, 0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_f32 $s5, [$d1]
        sub_f32 $s3, $s5, $s5
        {body}
        ld_kernarg_u64 $d2, [%out]
        mad_u64 $d2, $d0, 4, $d2
        st_global_u32 $s4, [$d2]
        ret
    }}"""
    numbers = [0.0, -0.0, 1.5, -2.0, np.inf, -np.inf, np.nan, -np.nan]
    x = np.resize(np.array(numbers, np.float32), ITEMS)
    x.view(np.uint32)[7::16] = 0xFFC0_1234
    args = [x, np.zeros(ITEMS, np.uint32)]
    same(text, args, items=ITEMS)
    assert makes_canonical(make(text, args, items=ITEMS), monkeypatch) == canonical


def makes_canonical(work: Work, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Return whether a kernel's code makes NaNs canonical."""
    calls: list[str] = []
    canonical = alu.canonical

    def counted(code: FunctionText, type_: Type, value: str, n: int) -> str:
        calls.append(value)
        return canonical(code, type_, value, n)

    monkeypatch.setattr(alu, "canonical", counted)
    generate(work.kernel, 0, facts_of(work.kernel, work.geometry))
    return bool(calls)
