"""Loops whose counters begin at one number in most warps."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest

from simtlab.emu.analysis.flow import order
from simtlab.emu.analysis.values import construction
from simtlab.emu.analysis.values.ssa import Op
from simtlab.emu.analysis.warps.agreed import may_begin_together, with_agreed
from simtlab.emu.analysis.warps.uniformity import Shapes
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.launch.engine import execute
from simtlab.emu.traps import Trap, TrapKind

from ....support.oracle_work import make
from ...support.agreement import same

BEGINS = {
    "choice": "cmp_eq_u32 $c1, $s1, 1\n add_u32 $s5, $s0, 1\n select_u32 $s5, $c1, $s5, 3",
    "clamp": "shl_u32 $s6, $s1, 5\n sub_s32 $s5, $s0, $s6\n max_s32 $s5, $s5, 0",
}
TEXT = """
kernel k(u32 %absent, u32 %end, global {type}* %x, global {type}* %y) {{
    .group {type} cells[64]
    workitemid_u32 $s0, 0
    workgroupid_u32 $s1, 0
    workitemabsid_u32 $s2, 0
    cvt_u64_u32 $d0, $s2
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, {size}, $d1
    ld_global_{type} ${cls}10, [$d1]
    mul_u32 $s3, $s0, {size}
    st_group_{type} ${cls}10, [cells+$s3]
    barrier
    ld_kernarg_u32 $s3, [%absent]
    cmp_eq_u32 $c0, $s0, $s3
    cbr $c0, @done
    ld_kernarg_u32 $s4, [%end]
    {begin}
    cmp_ge_u32 $c0, $s5, $s4
    cbr $c0, @store
@loop:
    mul_u32 $s6, $s5, {size}
    ld_group_{type} ${cls}11, [cells+$s6]
    {add} ${cls}10, ${cls}10, ${cls}11
    add_u32 $s5, $s5, 2
    cmp_lt_u32 $c0, $s5, $s4
    cbr $c0, @loop
@store:
    ld_kernarg_u64 $d1, [%y]
    mad_u64 $d1, $d0, {size}, $d1
    st_global_{type} ${cls}10, [$d1]
@done:
    ret
}}"""
TYPES = {
    "u32": (np.uint32, "s", "add_u32"),
    "f32": (np.float32, "s", "add_f32"),
    "u8": (np.uint8, "s", "add_u32"),
    "u64": (np.uint64, "d", "add_u64"),
}
ITEMS, SIZE = 192, 64


def text_of(type_: str, begin: str) -> str:
    dtype, cls, add = TYPES[type_]
    size = dtype().itemsize
    return TEXT.format(type=type_, size=size, cls=cls, add=add, begin=BEGINS[begin])


@pytest.mark.parametrize(
    ("type_", "begin", "width"),
    [
        ("f32", "choice", 1),
        ("u8", "clamp", 7),
        ("u64", "choice", 16),
        ("f32", "clamp", 32),
        ("f32", "choice", 64),
    ],
)
def test_lanes_that_begin_together_or_apart(type_: str, begin: str, width: int) -> None:
    """Lane 0 may not run, and lanes at the end of a loop leave it before others."""
    text = text_of(type_, begin)
    x = np.random.default_rng(2).integers(0, 200, ITEMS).astype(TYPES[type_][0])
    for absent, end in ((0, 40), (5, 64), (SIZE, 2)):
        given = [absent, end, x, np.zeros_like(x)]
        same(text, given, items=ITEMS, group_size=SIZE, width=width)


@pytest.mark.parametrize("type_", ["u32", "u8"])
def test_sums_that_begin_together_and_part_in_the_loop(type_: str) -> None:
    """All lanes' sums may be one number before the loop, and its loads differ afterwards."""
    text = text_of(type_, "clamp").replace("@loop:", "min_u32 $s10, $s10, 3\n@loop:")
    text = text.replace("mul_u32 $s6, $s5,", "xor_u32 $s6, $s5, $s0\n mul_u32 $s6, $s6,")
    x = np.random.default_rng(2).integers(5, 200, ITEMS).astype(TYPES[type_][0])
    same(text, [SIZE, 40, x, np.zeros_like(x)], items=ITEMS, group_size=SIZE, width=32)


@pytest.mark.parametrize(
    ("begin", "may"),
    [
        *((begin, True) for begin in BEGINS.values()),
        ("add_u32 $s5, $s0, 1", False),  # it steps from lane to lane
        ("mul_u32 $s5, $s0, $s0", False),
        ("and_u32 $s5, $s10, 15", False),
    ],
)
def test_counters_that_may_begin_at_one_number(begin: str, may: bool) -> None:
    text = TEXT.format(type="u32", size=4, cls="s", add="add_u32", begin=begin)
    x = np.zeros(ITEMS, np.uint32)
    work = make(text, [0, 9, x, x], items=ITEMS, group_size=SIZE)
    instructions = work.kernel.instructions
    ssa = construction.build(instructions, order.build(instructions))
    shapes = Shapes(ssa, facts_of(work.kernel, work.geometry))
    (loop,) = ssa.flow.loops
    agreed = may_begin_together(shapes, loop)
    assert bool(agreed) is may
    if may:
        (load,) = (
            v for v in ssa.values() if isinstance(v, Op) and v.ins.row.name == "ld_group_u32"
        )
        assert load.base is not None
        assert not shapes.is_uniform(load.base)
        assert with_agreed(shapes, loop, agreed).is_uniform(load.base)


def test_one_place_outside_is_a_fault_of_the_first_lane_that_runs() -> None:
    text = text_of("f32", "choice")
    x = np.zeros(ITEMS, np.float32)
    with pytest.raises(Trap) as caught:
        execute(make(text, [0, 70, x, x.copy()], items=ITEMS, group_size=SIZE))
    record = caught.value.record
    assert (record.kind, record.group, record.local) == (TrapKind.OUT_OF_BOUNDS, 0, 1)


@pytest.mark.parametrize("limit", ["15", "alone", "together"])
def test_a_sparse_loop_that_lanes_begin_at_one_number(
    limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All lanes leave it together then: no iterations are left to the loop of each lane."""
    text = """
kernel k(global f64* %sums, global f64* %x) {
    workitemabsid_u32   $s0, 0
    and_u32             $s1, $s0, 3
    max_u32             $s1, $s1, 3
    ld_kernarg_u64      $d2, [%x]
@loop:
    ld_global_f64       $d3, [$d2+8]
    add_f64             $d4, $d4, $d3
    sub_u32             $s1, $s1, 1
    cmp_ge_s32          $c0, $s1, 0
    cbr                 $c0, @loop
    ld_kernarg_u64      $d1, [%sums]
    cvt_u64_u32         $d0, $s0
    mad_u64             $d1, $d0, 8, $d1
    st_global_f64       $d4, [$d1]
    ret
}"""
    monkeypatch.setenv("SIMTLAB_LOOPS", limit)
    with patch("simtlab.emu.analysis.lanes.sparse.gains_alone", lambda shapes, loop: True):
        same(text, [np.zeros(64), np.arange(2.0)], items=64, group_size=64, width=32)
