"""Trees in which data decide what lanes store."""

from __future__ import annotations

import re

import numpy as np
import pytest

import simtlab
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of

from ....support.agreement import same

MASKED = re.compile(r"masked\.store\.v16i32.*i1> %")
"""A store under a mask that is not a constant."""

TREE = """
kernel best(u32 %n, global {type}* %x, global u32* %out) {{
    .group {type} value[{group}]
    .group u32 where[{group}]
    workitemid_u32 $s0, 0
    workitemabsid_u32 $s1, 0
    ld_kernarg_u32 $s9, [%n]
    cvt_u64_u32 $d0, $s1
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_{type} $s2, [$d1]
    shl_u32 $s3, $s0, 2
    st_group_{type} $s2, [value+$s3]
    st_group_u32 $s0, [where+$s3]
    mov_u32 $s4, {half}
@halve:
    barrier
    cmp_ge_u32 $c0, $s0, $s4
    cbr $c0, @halved
    mad_u32 $s5, $s4, 4, $s3
    ld_group_{type} $s2, [value+$s3]
    ld_group_{type} $s6, [value+$s5]
    ld_group_u32 $s7, [where+$s5]
    {test}
    st_group_{type} $s6, [value+$s3]
    st_group_u32 $s7, [where+$s3]
@halved:
    shr_u32 $s4, $s4, 1
    cmp_ne_u32 $c0, $s4, 0
    cbr $c0, @halve
    barrier
    ld_group_u32 $s5, [where+$s3]
    ld_group_u32 $s6, [where]
    ld_group_{type} $s7, [value]
    mad_u32 $s5, $s5, 1000, $s6
    mad_u32 $s5, $s7, 77, $s5
    cvt_u64_u32 $d0, $s1
    ld_kernarg_u64 $d1, [%out]
    mad_u64 $d1, $d0, 4, $d1
    st_global_u32 $s5, [$d1]
    ret
}}"""
TESTS = {
    "the larger one": "cmp_le_{type} $c0, $s6, $s2\n cbr $c0, @halved",
    "any but an equal one": "cmp_eq_{type} $c0, $s6, $s2\n cbr $c0, @halved",
    "larger, or equal and of an even place": """
        cmp_lt_{type} $c0, $s6, $s2
        cbr $c0, @halved
        cmp_gt_{type} $c0, $s6, $s2
        cbr $c0, @take
        and_u32 $s8, $s7, 1
        cmp_ne_u32 $c0, $s8, 0
        cbr $c0, @halved
    @take:""",
    "all or none": "cmp_lt_u32 $c0, $s9, 5\n cbr $c0, @halved",
    "all in some steps": "cmp_lt_u32 $c0, $s9, $s4\n cbr $c0, @halved",
}


def tree(name: str, type_: str, group: int) -> str:
    test = TESTS[name].format(type=type_)
    return TREE.format(type=type_, group=group, half=group // 2, test=test)


@pytest.mark.parametrize("name", TESTS)
@pytest.mark.parametrize("type_", ["u32", "f32"])
@pytest.mark.parametrize("group", [16, 64, 128, 256])
def test_words_that_data_change_are_as_in_memory(name: str, type_: str, group: int) -> None:
    rng = np.random.default_rng(group)
    x = rng.integers(0, 9, 3 * group).astype(np.float32 if type_ == "f32" else np.uint32)
    x[group : group + 7] = 8
    if type_ == "f32":
        x[rng.integers(0, len(x), 9)] = np.nan
    for n in (4, 9):
        out = np.zeros(3 * group, np.uint32)
        same(tree(name, type_, group), [n, x, out], items=3 * group, group_size=group)


@pytest.mark.parametrize("name", TESTS)
def test_nothing_of_them_is_in_memory(name: str) -> None:
    kernel = simtlab.assemble(tree(name, "f32", 128))["best"].kernel
    text = generate(kernel, 0, facts_of(kernel, Geometry.of(items=(1280,), group_size=(128,))))
    assert not MASKED.search(text)
    assert "scatter" not in text
