"""Nodes that compute the vectors of lanes that may run, and lanes that agree at a branch."""

from __future__ import annotations

import re

import numpy as np
import pytest

import simtlab
from simtlab import Device
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.widths.one_warp import one_warp_facts
from simtlab.emu.analysis.widths.width import USUAL
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.traps import Trap

from ....support.flows import kernel_of
from ...support.agreement import same

BLELLOCH = """
kernel k(global u32* %x, global u32* %y) {
    .group u32 t[SIZE]
    workitemid_u32 $s0, 0
    workgroupid_u32 $s1, 0
    mad_u32 $s2, $s1, SIZE, $s0
    cvt_u64_u32 $d0, $s2
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d2, $d0, 4, $d1
    ld_global_u32 $s3, [$d2]
    ld_global_u32 $s4, [$d2+(SIZE * 2)]
    shl_u32 $s5, $s0, 2
    st_group_u32 $s3, [t+$s5]
    st_group_u32 $s4, [t+$s5+(SIZE * 2)]
    mov_u32 $s6, 1
    mov_u32 $s7, (SIZE / 2)
@up:
    barrier
    cmp_ge_u32 $c0, $s0, $s7
    cbr $c0, @up_next
    PLACES
    ld_group_u32 $s10, [t+$s8]
    ld_group_u32 $s11, [t+$s9]
    add_u32 $s11, $s11, $s10
    st_group_u32 $s11, [t+$s9]
@up_next:
    shl_u32 $s6, $s6, 1
    shr_u32 $s7, $s7, 1
    cmp_ne_u32 $c0, $s7, 0
    cbr $c0, @up
    cmp_ne_u32 $c0, $s0, 0
    cbr $c0, @cleared
    mov_u32 $s10, 0
    mov_u32 $s8, ((SIZE - 1) * 4)
    st_group_u32 $s10, [t+$s8]
@cleared:
    mov_u32 $s7, 1
@down:
    shr_u32 $s6, $s6, 1
    barrier
    cmp_ge_u32 $c0, $s0, $s7
    cbr $c0, @down_next
    PLACES
    ld_group_u32 $s10, [t+$s8]
    ld_group_u32 $s11, [t+$s9]
    st_group_u32 $s11, [t+$s8]
    add_u32 $s11, $s11, $s10
    st_group_u32 $s11, [t+$s9]
@down_next:
    shl_u32 $s7, $s7, 1
    cmp_lt_u32 $c0, $s7, SIZE
    cbr $c0, @down
    barrier
    ld_group_u32 $s3, [t+$s5]
    ld_group_u32 $s4, [t+$s5+(SIZE * 2)]
    ld_kernarg_u64 $d1, [%y]
    mad_u64 $d2, $d0, 4, $d1
    st_global_u32 $s3, [$d2]
    st_global_u32 $s4, [$d2+(SIZE * 2)]
    ret
}
"""
PLACES = """
    shl_u32 $s8, $s0, 1
    add_u32 $s8, $s8, 1
    mul_u32 $s8, $s8, $s6
    sub_u32 $s8, $s8, 1
    add_u32 $s9, $s8, $s6
    shl_u32 $s8, $s8, 2
    shl_u32 $s9, $s9, 2
"""


@pytest.mark.parametrize("group", [16, 64, 128, 256, 512])
def test_a_scan_up_and_down_a_tree(group: int) -> None:
    n = 2 * group
    x = np.random.default_rng(group).integers(0, 1 << 32, 3 * n, np.uint32)
    text = BLELLOCH.replace("PLACES", PLACES).replace("SIZE", str(n))
    _, found = same(text, [x, np.zeros_like(x)], items=3 * group, group_size=group)
    rows = x.reshape(3, n)
    np.testing.assert_array_equal(found, (rows.cumsum(1, dtype=np.uint32) - rows).ravel())


TREE = """
kernel k(global u32* %x, global u32* %y) {
    .group u32 t[SIZE]
    workitemid_u32 $s0, 0
    workitemabsid_u32 $s1, 0
    cvt_u64_u32 $d0, $s1
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d2, $d0, 4, $d1
    ld_global_u32 $s3, [$d2]
    shl_u32 $s5, $s0, 2
    st_group_u32 $s3, [t+$s5]
    mov_u32 $s4, 0
    mov_u32 $s7, (SIZE / 2)
@next:
    barrier
    cmp_ge_u32 $c0, $s0, $s7
    cbr $c0, @skip
    BODY
@skip:
    shr_u32 $s7, $s7, 1
    cmp_ne_u32 $c0, $s7, 0
    cbr $c0, @next
    mad_u32 $s4, $s4, 3, $s3
    ld_kernarg_u64 $d1, [%y]
    mad_u64 $d2, $d0, 4, $d1
    st_global_u32 $s4, [$d2]
    ret
}
"""
OTHER = "add_u32 $s8, $s0, $s7\n shl_u32 $s9, $s8, 2\n"
BODIES = {
    "sum": f"{OTHER} ld_group_u32 $s10, [t+$s9]\n add_u32 $s3, $s3, $s10\n"
    " st_group_u32 $s3, [t+$s5]",
    "a branch on data": f"{OTHER} ld_group_u32 $s10, [t+$s9]\n cmp_lt_u32 $c1, $s3, $s10\n"
    " cbr $c1, @skip\n add_u32 $s4, $s4, $s10\n st_group_u32 $s4, [t+$s5]",
    "a loop inside": f"{OTHER} ld_group_u32 $s10, [t+$s9]\n and_u32 $s10, $s10, 7\n@in:\n"
    " add_u32 $s4, $s4, $s10\n add_u32 $s10, $s10, 1\n cmp_lt_u32 $c1, $s10, 9\n cbr $c1, @in",
    "a division": f"{OTHER} ld_group_u32 $s10, [t+$s9]\n or_u32 $s10, $s10, 1\n"
    " div_u32 $s4, $s3, $s10\n st_group_u32 $s4, [t+$s5]",
    "atomics": f"{OTHER} atomic_add_group_u32 [t+$s9], $s0\n"
    " and_u32 $s9, $s9, 60\n atomic_max_group_u32 [t+$s9], $s8",
    "global memory": f"{OTHER} sub_u32 $s11, $s1, $s0\n add_u32 $s11, $s11, $s8\n"
    " cvt_u64_u32 $d3, $s11\n ld_kernarg_u64 $d4, [%x]\n mad_u64 $d3, $d3, 4, $d4\n"
    " ld_global_u32 $s10, [$d3]\n add_u32 $s4, $s4, $s10",
    "every third place": "mul_u32 $s8, $s0, 3\n rem_u32 $s8, $s8, SIZE\n shl_u32 $s9, $s8, 2\n"
    " ld_group_u32 $s10, [t+$s9]\n add_u32 $s4, $s4, $s10",
    "every third place, backwards": "mul_s32 $s8, $s0, -3\n rem_s32 $s8, $s8, SIZE\n"
    " add_s32 $s8, $s8, (SIZE - 1)\n shl_u32 $s9, $s8, 2\n ld_group_u32 $s10, [t+$s9]\n"
    " div_s32 $s8, $s8, -5\n add_u32 $s10, $s10, $s8\n add_u32 $s4, $s4, $s10",
    "bytes": f"{OTHER} ld_group_u8 $s10, [t+$s8]\n add_u32 $s4, $s4, $s10\n"
    " st_group_u8 $s4, [t+$s0]",
    "returns": f"{OTHER} ld_group_u32 $s10, [t+$s9]\n add_u32 $s3, $s3, $s10\n"
    " cmp_gt_u32 $c1, $s7, 1\n cbr $c1, @skip\n st_group_u32 $s3, [t+$s5]",
}


@pytest.mark.parametrize("rest", [0, 5])
@pytest.mark.parametrize("size", [64, 192, 256, 1024])
@pytest.mark.parametrize("body", BODIES)
def test_trees_with_other_steps(body: str, size: int, rest: int) -> None:
    x = np.random.default_rng(size).integers(0, 1 << 10, 3 * size, np.uint32)
    text = TREE.replace("BODY", BODIES[body]).replace("SIZE", str(size))
    if body == "bytes" or (rest and body != "sum"):
        size = 64
        text = TREE.replace("BODY", BODIES[body]).replace("SIZE", "64")
    same(text, [x, np.zeros_like(x)], items=2 * size + rest, group_size=size)


@pytest.mark.parametrize("halves", ["div_u32 $s7, $s7, 2", "div_s32 $s7, $s7, 2"])
@pytest.mark.parametrize("group", [16, 32, 64, 192, 256])
def test_a_tree_halved_by_division_is_that_halved_by_a_shift(halves: str, group: int) -> None:
    shift = TREE.replace("BODY", BODIES["sum"]).replace("SIZE", str(group))
    text = shift.replace("shr_u32 $s7, $s7, 1", halves)
    x = np.random.default_rng(group).integers(0, 1 << 32, 2 * group, np.uint32)
    same(text, [x, np.zeros_like(x)], items=2 * group, group_size=group)
    kernels = [simtlab.assemble(t).program.kernels[0] for t in (text, shift)]
    facts = one_warp_facts(kernels[0], Facts(USUAL, (256, 1, 1), True))
    assert facts is not None
    sums = [generate(kernel, 0, facts).count("= add <") for kernel in kernels]
    assert sums[0] == sums[1], "copies of the loop have as many vectors"


FEW = {
    "backwards": "sub_u32 $s8, 31, $s0\n cvt_u64_u32 $d3, $s8\n mad_u64 $d3, $d3, 4, $d1\n"
    " ld_global_u32 $s9, [$d3]\n add_u32 $s3, $s3, $s9\n st_global_u32 $s3, [$d3+512]",
    "columns": "and_u32 $s8, $s0, 7\n shl_u32 $s8, $s8, 2\n shr_u32 $s9, $s0, 3\n"
    " add_u32 $s8, $s8, $s9\n cvt_u64_u32 $d3, $s8\n mad_u64 $d3, $d3, 4, $d1\n"
    " ld_global_u32 $s9, [$d3]\n add_u32 $s3, $s3, $s9\n st_global_u32 $s3, [$d3+512]",
    "rows": "mul_u32 $s8, $s0, 21\n ld_kernarg_u32 $s10, [%n]\n@row:\n"
    " cvt_u64_u32 $d3, $s8\n mad_u64 $d3, $d3, 4, $d1\n ld_global_u32 $s9, [$d3]\n"
    " mad_u32 $s3, $s3, 3, $s9\n st_global_u32 $s3, [$d3]\n add_u32 $s8, $s8, 1\n"
    " add_u32 $s6, $s6, 1\n cmp_lt_u32 $c0, $s6, $s10\n cbr $c0, @row",
}
"""Accesses of global memory by lanes of the first vectors."""


@pytest.mark.parametrize("access", FEW)
@pytest.mark.parametrize("last", [1, 9, 17])
def test_accesses_by_the_first_vectors(access: str, last: int) -> None:
    text = f"""
    kernel k(u32 %n, global u32* %x, global u32* %y) {{
        .group u32 t[64]
        workitemid_u32 $s0, 0
        shl_u32 $s5, $s0, 2
        mul_u32 $s3, $s0, 7
        st_group_u32 $s3, [t+$s5]
        mov_u32 $s6, 0
        mov_u32 $s7, 16
        barrier
        and_u32 $s8, $s0, 15
        shl_u32 $s8, $s8, 2
        ld_group_u32 $s4, [t+$s8]
    @next:
        barrier
        cmp_ge_u32 $c0, $s0, $s7
        cbr $c0, @skip
        add_u32 $s8, $s0, $s7
        shl_u32 $s8, $s8, 2
        ld_group_u32 $s9, [t+$s8]
        mad_u32 $s3, $s3, 31, $s9
        st_group_u32 $s3, [t+$s5]
    @skip:
        shr_u32 $s7, $s7, 1
        cmp_ne_u32 $c0, $s7, 0
        cbr $c0, @next
        ld_kernarg_u64 $d1, [%x]
        cmp_ge_u32 $c0, $s0, {last}
        cbr $c0, @others
        {FEW[access]}
    @others:
        add_u32 $s3, $s3, $s4
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%y]
        mad_u64 $d0, $d0, 4, $d1
        st_global_u32 $s3, [$d0]
        ret
    }}"""
    x = np.random.default_rng(last).integers(0, 1 << 10, 400, np.uint32)
    for items in (32, 64):
        same(text, [20, x, np.zeros(64, np.uint32)], items=items, group_size=items)


FACTS = Facts(256, (256, 1, 1), whole=True, one_warp=True)


def nodes_of(text: str) -> dict[str, str]:
    """The code of each node, by its label."""
    parts = re.split(r"^((?:l[0-9i_]+)?[nr]\d+):$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_only_the_first_vectors_of_late_steps_are_computed() -> None:
    anywhere = "and_u32 $s11, $s3, 60\n ld_group_u32 $s12, [t+$s11]\n"  # keeps it in memory
    text = TREE.replace("BODY", anywhere + BODIES["sum"]).replace("SIZE", "256")
    kernel = simtlab.assemble(text).program.kernels[0]
    nodes = nodes_of(generate(kernel, 0, FACTS))
    stores = {
        label: code.count("llvm.masked.store") for label, code in nodes.items() if "r" in label
    }
    assert sorted((n for n in stores.values() if n), reverse=True) == [8, 4, 2, 1, 1, 1, 1, 1]


def test_a_spent_budget_and_a_fault_are_reported_as_ever() -> None:
    text = TREE.replace("BODY", f"{OTHER} ld_group_u32 $s10, [t+$s9+992]").replace("SIZE", "256")
    device = Device()
    x, y = device.zeros(256, np.uint32), device.zeros(256, np.uint32)
    found = []
    for engine in ("jit", "interp"):
        launch = simtlab.assemble(text)["k"].launch(items=256, group_size=256, engine=engine)
        with pytest.raises(Trap) as caught:
            launch(x, y)
        found.append((caught.value.record.kind, caught.value.record.pc))
    assert found[0] == found[1]


GUARD = """
kernel k(global u32* %x, global u32* %y, u32 %n) {
    .group u32 t[256]
    workitemid_u32 $s0, 0
    workitemabsid_u32 $s1, 0
    ld_kernarg_u32 $s2, [%n]
    mov_u32 $s3, 7
    BEFORE
    CONDITION
    cbr $c0, @share
    cvt_u64_u32 $d0, $s1
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s3, [$d1]
@share:
    shl_u32 $s4, $s0, 2
    st_group_u32 $s3, [t+$s4]
    barrier
    xor_u32 $s4, $s4, 252
    ld_group_u32 $s5, [t+$s4]
    cvt_u64_u32 $d0, $s1
    ld_kernarg_u64 $d2, [%y]
    mad_u64 $d2, $d0, 4, $d2
    st_global_u32 $s5, [$d2]
    ret
}
"""
CONDITIONS = {
    "cmp_ge_u32 $c0, $s1, $s2": True,
    "cmp_le_u32 $c0, $s2, $s1": True,
    "cmp_ge_s32 $c0, $s1, $s2": True,
    "sub_u32 $s6, $s2, $s1\n cmp_le_s32 $c0, $s6, 0": True,
    "cmp_ge_u32 $c0, $s1, $s2\n cmp_eq_u32 $c1, $s2, 99\n or_b1 $c0, $c0, $c1": False,
    "sub_u32 $s6, $s1, 100\n cmp_ge_u32 $c0, $s6, $s2": True,  # wraps around in the first workgroup
    "cmp_eq_u32 $c0, $s1, $s2": False,
    "and_u32 $s6, $s1, 5\n cmp_ge_u32 $c0, $s6, $s2": False,
}


@pytest.mark.parametrize("n", [0, 1, 99, 128, 255, 256, 257, 512, 1 << 31, (1 << 32) - 1])
@pytest.mark.parametrize("condition", CONDITIONS)
def test_guards(condition: str, n: int) -> None:
    text = GUARD.replace("BEFORE", "").replace("CONDITION", condition)
    x = np.arange(100, 612, dtype=np.uint32)
    for size, items in ((256, 512), (256, 500), (192, 400)):
        same(text, [x, np.zeros_like(x), np.uint32(n)], items=items, group_size=size)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_side_of_a_guard_is_written_for_lanes_that_agree(condition: str) -> None:
    text = GUARD.replace("BEFORE", "").replace("CONDITION", condition)
    kernel = simtlab.assemble(text).program.kernels[0]
    # The cold side of the load is a call in each of the two.
    calls = generate(kernel, 0, FACTS).count("call i32 @simtlab_move_wide")
    assert calls == (3 if CONDITIONS[condition] else 2)


STRIDED = """
kernel k(global u32* %x, global u32* %y, u32 %n) {
    workitemid_u32 $s1, 0
    ld_kernarg_u32 $s2, [%n]
    ld_kernarg_u64 $d1, [%x]
    mov_u32 $s4, $s1
    mov_u32 $s5, 7
    cmp_gt_u32 $c0, $s1, LAST
    cbr $c0, @done
@next:
    cmp_ge_u32 $c0, $s4, $s2
    cbr $c0, @done
    cvt_u64_u32 $d0, $s4
    mad_u64 $d0, $d0, 4, $d1
    ld_global_u32 $s3, [$d0]
    mad_u32 $s5, $s5, 5, $s3
    add_u32 $s4, $s4, 256
    br @next
@done:
    barrier
    ld_kernarg_u64 $d1, [%y]
    workitemabsid_u32 $s1, 0
    cvt_u64_u32 $d0, $s1
    mad_u64 $d0, $d0, 4, $d1
    st_global_u32 $s5, [$d0]
    ret
}
"""


@pytest.mark.parametrize("last", [20, 64, 255])
def test_lanes_that_all_stay_in_a_loop_are_not_asked_whether_any_runs(last: int) -> None:
    text = STRIDED.replace("LAST", str(last))
    assert re.search(
        r"br label %r\d", generate(simtlab.assemble(text).program.kernels[0], 0, FACTS)
    )
    x = np.arange(2_000, dtype=np.uint32)
    for n in (0, 20, 70, 256, 900, 2_000):
        same(text, [x, np.zeros(512, np.uint32), np.uint32(n)], items=500, group_size=256)


def test_a_comparison_in_a_loop_before() -> None:
    """What it compares is not known at the branch: found by random kernels."""
    before = (
        "mul_u32 $s7, $s1, 0x85ebca6b\n cmp_lt_s32 $c0, $s7, 0\n@again:\n add_u32 $s8, $s8, 1\n"
    )
    before += "cmp_lt_u32 $c1, $s8, $s2\n cbr $c1, @again\n"
    text = GUARD.replace("BEFORE", before).replace("CONDITION", "")
    x = np.arange(512, dtype=np.uint32)
    same(text, [x, np.zeros_like(x), np.uint32(3)], items=512, group_size=256)


@pytest.mark.parametrize("arrive", [False, True])
def test_barriers_in_loops_of_lanes_that_have_not_returned(arrive: bool) -> None:
    text = """
    kernel k(global u32* %x, u32 %n) {
        workitemid_u32 $s0, 0
        ld_kernarg_u32 $s9, [%n]
        ld_kernarg_u64 $d1, [%x]
        cmp_ge_u32 $c0, $s0, 64
        cbr $c0, @over
    @again:
        barrier
        cvt_u64_u32 $d0, $s0
        mad_u64 $d0, $d0, 4, $d1
        ld_global_u32 $s2, [$d0]
        add_u32 $s2, $s2, $s0
        st_global_u32 $s2, [$d0]
        add_u32 $s1, $s1, 1
        cmp_lt_u32 $c0, $s1, $s9
        cbr $c0, @again
    @over:
        ret
    }"""
    found = []
    for engine in ("jit", "interp"):
        device = Device()
        x = device.zeros(256, np.uint32)
        launch = simtlab.assemble(text)["k"].launch(
            items=256, group_size=256, engine=engine, exited_arrive=arrive
        )
        try:
            launch(x, 3)
        except Trap as trap:
            found.append(trap.record.kind)
        else:
            found.append(x.to_host().tolist())
    assert found[0] == found[1]


def test_two_loops_with_one_header() -> None:
    """The nodes of the outer one have its vectors: found by random kernels."""
    body = """
    ld_kernarg_u32 $s9, [%n]
@outer:
@inner:
    add_u32 $s1, $s1, 1
    and_u32 $s2, $s1, 3
    cmp_ne_u32 $c0, $s2, 0
    cbr $c0, @inner
    barrier
    cmp_lt_u32 $c0, $s1, $s9
    cbr $c0, @outer
    """
    assert generate(kernel_of(body), 0, FACTS)


BUTTERFLY = """
kernel k(u32 %n, global u32* %x) {
    .group u32 data[256]
    workitemid_u32 $s0, 0
    workgroupid_u32 $s1, 0
    mad_u32 $s1, $s1, 256, $s0
    cvt_u64_u32 $d0, $s1
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s2, [$d1]
    ld_global_u32 $s3, [$d1+512]
    shl_u32 $s4, $s0, 2
    st_group_u32 $s2, [data+$s4]
    st_group_u32 $s3, [data+$s4+512]
    mov_u32 $s5, 512
@step:
    barrier
    sub_u32 $s6, $s5, 1
    and_u32 $s6, $s4, $s6
    shl_u32 $s7, $s4, 1
    sub_u32 $s6, $s7, $s6
    add_u32 $s7, $s6, $s5
    ld_group_u32 $s8, [data+$s6]
    ld_group_u32 $s9, [data+$s7]
    mad_u32 $s10, $s9, 3, $s8
    sub_u32 $s11, $s8, $s9
    st_group_u32 $s10, [data+$s6]
    st_group_u32 $s11, [data+$s7]
    shr_u32 $s5, $s5, 1
    cmp_ge_u32 $c0, $s5, 4
    cbr $c0, @step
    barrier
    ld_group_u32 $s2, [data+$s4]
    ld_group_u32 $s3, [data+$s4+512]
    st_global_u32 $s2, [$d1]
    st_global_u32 $s3, [$d1+512]
    ret
}
"""


def test_steps_of_a_butterfly() -> None:
    x = np.random.default_rng(3).integers(0, 1 << 32, 512, np.uint32)
    for width in (1, 7, 16, 32, 64):
        same(BUTTERFLY, [0, x], items=256, group_size=128, width=width)
