"""Counts of loops that walk along small elements, as the stack runs them: loops with one header."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.control.kept_phis import KeptPhis
from simtlab.emu.jit.kernel.launch_facts import facts_for_counting
from simtlab.emu.jit.kernel.memory.records.row_words import RowWords
from simtlab.emu.jit.llvm.toolchain import host_has

from ....support.counts import WIDTHS, both

LOAD = """cmp_ge_u32 $c0, $s2, $s3
    cbr $c0, @out
    cvt_u64_u32 $d5, $s2
    add_u64 $d5, $d5, $d1
    ld_global_u8 $s5, [$d5]
    add_u32 $s2, $s2, 1"""

WALKS = {
    "fields with signs": f"""
@top:
    {LOAD}
    cmp_eq_u32 $c0, $s5, 1
    cbr $c0, @sign
    cmp_eq_u32 $c0, $s5, 2
    cbr $c0, @field
    mad_u32 $s4, $s4, 10, $s5
    br @top
@sign:
    mov_u32 $s7, 1
    br @top
@field:
    sub_u32 $s8, $s4, $s7
    add_u32 $s6, $s6, $s8
    mov_u32 $s4, 0
    mov_u32 $s7, 0
    br @top
""",
    "values that change places": f"""
@top:
    {LOAD}
    cmp_eq_u32 $c0, $s5, 1
    cbr $c0, @change
    cmp_eq_u32 $c0, $s5, 2
    cbr $c0, @end
    mad_u32 $s4, $s4, 7, $s6
    br @top
@change:
    mov_u32 $s8, $s4
    mov_u32 $s4, $s6
    mov_u32 $s6, $s8
    br @top
@end:
    add_u32 $s7, $s7, $s4
    and_u32 $s8, $s7, 7
    cmp_ne_u32 $c0, $s8, 3
    cbr $c0, @top
    add_u32 $s6, $s6, $s7
""",
    "walks in a loop around them": f"""
@again:
    add_u32 $s3, $s3, 1
@top:
    {LOAD.replace("@out", "@over")}
    cmp_eq_u32 $c0, $s5, 1
    cbr $c0, @top
    mad_u32 $s4, $s4, 5, $s5
    cmp_eq_u32 $c0, $s5, 2
    cbr $c0, @two
    cmp_eq_u32 $c0, $s5, 0
    cbr $c0, @top
    add_u32 $s6, $s6, $s4
    br @top
@two:
    mul_u32 $s6, $s6, 3
    br @top
@over:
    add_u32 $s7, $s7, 1
    cmp_lt_u32 $c0, $s7, 4
    cbr $c0, @again
""",
    "either side goes back and leaves": f"""
@top:
    {LOAD}
    cmp_eq_u32 $c0, $s7, 0
    cbr $c0, @lead
    cmp_eq_u32 $c0, $s5, 3
    cbr $c0, @store
    sub_u32 $s7, $s7, 1
    add_u32 $s6, $s6, $s5
    br @top
@lead:
    mad_u32 $s4, $s4, 3, $s5
    mov_u32 $s7, $s5
    cmp_lt_u32 $c0, $s5, 4
    cbr $c0, @top
@store:
    add_u32 $s6, $s6, 1000
""",
}


def text_of(name: str) -> str:
    return f"""
kernel k(u32 %n, global u32* %start, global u8* %x, global u32* %y) {{
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s1, [%n]
    cmp_ge_u32 $c0, $s0, $s1
    cbr $c0, @done
    ld_kernarg_u64 $d0, [%start]
    ld_kernarg_u64 $d1, [%x]
    ld_kernarg_u64 $d2, [%y]
    cvt_u64_u32 $d3, $s0
    mad_u64 $d4, $d3, 4, $d0
    ld_global_u32 $s2, [$d4]
    ld_global_u32 $s3, [$d4+4]
    mov_u32 $s4, 0
    mov_u32 $s6, 0
    mov_u32 $s7, 0
{WALKS[name]}
@out:
    mad_u64 $d4, $d3, 8, $d2
    st_global_u32 $s4, [$d4]
    st_global_u32 $s6, [$d4+4]
@done:
    ret
}}"""


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("group", [64, 75])
@pytest.mark.parametrize("name", WALKS)
def test_counts_are_those_of_the_stack(name: str, group: int, width: int) -> None:
    rng = np.random.default_rng(4)
    items = 3 * group
    start = np.append(0, rng.integers(0, 24, items).cumsum()).astype(np.uint32)
    x = rng.choice(np.arange(5, dtype=np.uint8), start[-1] + 16, p=(0.3, 0.1, 0.2, 0.3, 0.1))
    (kernel,) = simtlab.assemble(text_of(name))
    launch = kernel.launch(items=items, group_size=group, warp=width)
    y = np.zeros(2 * items, np.uint32)
    _, _, by = both(launch, [items - 5, start, x, y])
    assert by == "jit"


@pytest.mark.skipif(not host_has("avx512f"), reason="elements are not gathered as words")
def test_words_and_phis_are_kept_in_loops_with_one_header(monkeypatch: pytest.MonkeyPatch) -> None:
    words, phis = list[object](), list[KeptPhis]()
    load, of = RowWords.load, KeptPhis.of.__func__

    def noted_load(self: RowWords, *args: Any) -> list[str]:
        words.append(args[0])
        return load(self, *args)

    def noted(cls: type[KeptPhis], *args: object) -> KeptPhis:
        phis.append(of(cls, *args))
        return phis[-1]

    monkeypatch.setattr(RowWords, "load", noted_load)
    monkeypatch.setattr(KeptPhis, "of", classmethod(noted))
    (kernel,) = simtlab.assemble(text_of("fields with signs"))
    launch = kernel.launch(items=128, group_size=64, warp=32)
    facts = facts_for_counting(kernel.kernel, launch.geometry)
    assert not facts.splits
    generate(kernel.kernel, 0, facts)
    assert len(words) == 1
    assert len(phis[0].same) == 4  # of the number, and of the sum
