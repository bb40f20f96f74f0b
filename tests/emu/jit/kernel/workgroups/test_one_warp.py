"""Workgroups that run as one warp: trees, scans and sums in group memory, against the oracle."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.widths.one_warp import one_warp_facts
from simtlab.emu.analysis.widths.width import NARROW_CHUNK, USUAL
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_at, facts_of
from simtlab.emu.traps import TrapKind

from ....support.flows import kernel_of
from ....support.oracle_work import make
from ...support.agreement import same, trap_alike

SIZES = (48, 64, 256, 1024)

TREE = """\
kernel k(global TYPE* %x, global TYPE* %sums, u32 %n) {
    .group TYPE part[SIZE]
    workitemid_u32 $s0, 0
    workitemabsid_u32 $s1, 0
    ld_kernarg_u32 $s2, [%n]
    MOVE $R3, 0
    cmp_ge_u32 $c0, $s1, $s2
    cbr $c0, @share
    cvt_u64_u32 $d0, $s1
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, BYTES, $d1
    ld_global_TYPE $R3, [$d1]
@share:
    mul_u32 $s4, $s0, BYTES
    st_group_TYPE $R3, [part+$s4]
    STEPS
    cmp_ne_u32 $c0, $s0, 0
    cbr $c0, @done
    ld_group_TYPE $R3, [part+0]
    workgroupid_u32 $s8, 0
    cvt_u64_u32 $d0, $s8
    ld_kernarg_u64 $d1, [%sums]
    mad_u64 $d1, $d0, BYTES, $d1
    st_global_TYPE $R3, [$d1]
@done:
    ret
}
"""

HALVING = """
    mov_u32 $s5, (SIZE / 2)
@halve:
    barrier
    cmp_ge_u32 $c0, $s0, $s5
    cbr $c0, @added
    add_u32 $s6, $s0, $s5
    mul_u32 $s6, $s6, BYTES
    ld_group_TYPE $R7, [part+$s6]
    ld_group_TYPE $R9, [part+$s4]
    add_TYPE $R9, $R9, $R7
    st_group_TYPE $R9, [part+$s4]
@added:
    shr_u32 $s5, $s5, 1
    cmp_ne_u32 $c0, $s5, 0
    cbr $c0, @halve
    barrier
"""

INTERLEAVED = """
    mov_u32 $s5, 1
@double:
    barrier
    shl_u32 $s6, $s5, 1
    sub_u32 $s7, $s6, 1
    and_u32 $s7, $s7, $s0
    cmp_ne_u32 $c0, $s7, 0
    cbr $c0, @added
    add_u32 $s6, $s0, $s5
    cmp_ge_u32 $c0, $s6, SIZE
    cbr $c0, @added
    mul_u32 $s6, $s6, BYTES
    ld_group_TYPE $R7, [part+$s6]
    ld_group_TYPE $R9, [part+$s4]
    add_TYPE $R9, $R9, $R7
    st_group_TYPE $R9, [part+$s4]
@added:
    shl_u32 $s5, $s5, 1
    cmp_lt_u32 $c0, $s5, SIZE
    cbr $c0, @double
    barrier
"""

SEQUENTIAL = """
    mov_u32 $s5, 1
@double:
    barrier
    shl_u32 $s6, $s5, 1
    mul_u32 $s6, $s6, $s0
    add_u32 $s7, $s6, $s5
    cmp_ge_u32 $c0, $s7, SIZE
    cbr $c0, @added
    mul_u32 $s6, $s6, BYTES
    mul_u32 $s7, $s7, BYTES
    ld_group_TYPE $R8, [part+$s6]
    ld_group_TYPE $R9, [part+$s7]
    add_TYPE $R9, $R9, $R8
    st_group_TYPE $R9, [part+$s6]
@added:
    shl_u32 $s5, $s5, 1
    cmp_lt_u32 $c0, $s5, SIZE
    cbr $c0, @double
    barrier
"""

SCAN = """\
kernel k(global u32* %x, global u32* %y, u32 %n) {
    .group u32 part[(SIZE * 2)]
    workitemid_u32 $s0, 0
    workitemabsid_u32 $s1, 0
    cvt_u64_u32 $d0, $s1
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s3, [$d1]
    shl_u32 $s4, $s0, 2
    st_group_u32 $s3, [part+$s4]
    mov_u32 $s5, 1
@double:
    barrier
    cmp_lt_u32 $c1, $s0, $s5
    cbr $c1, @keep
    shl_u32 $s6, $s5, 2
    sub_u32 $s6, $s4, $s6
    ld_group_u32 $s7, [part+$s6]
    add_u32 $s3, $s3, $s7
@keep:
    FLIP
    st_group_u32 $s3, [part+$s4]
    shl_u32 $s5, $s5, 1
    cmp_lt_u32 $c1, $s5, SIZE
    cbr $c1, @double
    ld_kernarg_u64 $d1, [%y]
    mad_u64 $d1, $d0, 4, $d1
    st_global_u32 $s3, [$d1]
    ret
}
"""


def tree(steps: str, type_: str, size: int) -> str:
    cls = "d" if type_.endswith("64") else "s"
    move = f"mov_u{64 if cls == 'd' else 32}"
    text = (
        TREE.replace("STEPS", steps)
        .replace("MOVE", move)
        .replace("$R", f"${cls}")
        .replace("TYPE", type_)
    )
    # Registers $d0 and $d1 are addresses.
    return text.replace("BYTES", str(int(type_[1:]) // 8)).replace("SIZE", str(size))


def data(type_: str, n: int) -> np.ndarray:
    kinds = {"u": "u", "s": "i", "f": "f"}
    dtype = f"{kinds[type_[0]]}{int(type_[1:]) // 8}"
    return np.random.default_rng(n).integers(0, 100, n).astype(dtype)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("steps", [HALVING, INTERLEAVED, SEQUENTIAL])
def test_trees_of_all_sizes(size: int, steps: str) -> None:
    n = 2 * size + size // 2 + 3
    x, sums = data("u32", n), np.zeros(3, np.uint32)
    _, found = same(tree(steps, "u32", size), [x, sums, n], items=n, group_size=size)
    if size & (size - 1) == 0 or steps != HALVING:
        whole = np.append(x, np.zeros(3 * size - n, np.uint32)).reshape(3, size)
        if n % size == 0:
            np.testing.assert_array_equal(found, whole.sum(1, dtype=np.uint32))


@pytest.mark.parametrize("type_", ["f32", "u64"])
@pytest.mark.parametrize("steps", [HALVING, SEQUENTIAL])
def test_trees_of_other_types(type_: str, steps: str) -> None:
    n = 384
    x, sums = data(type_, n), np.zeros(3, data(type_, 1).dtype)
    same(tree(steps, type_, 128), [x, sums, n - 5], items=n, group_size=128)


@pytest.mark.parametrize("flip", ["xor_u32 $s4, $s4, (SIZE * 4)", "nop"])
@pytest.mark.parametrize("size", [32, 64, 256])
def test_scans(size: int, flip: str) -> None:
    # Without the flip, work-items overwrite what others read: in one warp they read first.
    n = 3 * size
    x, y = data("u32", n), np.zeros(n, np.uint32)
    text = SCAN.replace("FLIP", flip).replace("SIZE", str(size))
    if flip == "nop":
        text = text.replace("@keep:", "@keep:\n    barrier")
    _, found = same(text, [x, y, n], items=n, group_size=size)
    expected = x.reshape(-1, size).cumsum(1, dtype=np.uint32).ravel()
    np.testing.assert_array_equal(found, expected)


GRID_STRIDE = """\
kernel k(global u32* %x, global u32* %sums, u32 %n) {
    .group u32 total[1]
    workitemabsid_u32 $s1, 0
    workitemid_u32 $s9, 0
    gridsize_u32 $s2, 0
    ld_kernarg_u32 $s3, [%n]
    ld_kernarg_u64 $d1, [%x]
    mov_u32 $s4, 0
    cmp_ge_u32 $c0, $s1, $s3
    cbr $c0, @summed
@next:
    cvt_u64_u32 $d0, $s1
    mad_u64 $d2, $d0, 4, $d1
    ld_global_u32 $s5, [$d2]
    add_u32 $s4, $s4, $s5
    add_u32 $s1, $s1, $s2
    cmp_lt_u32 $c0, $s1, $s3
    cbr $c0, @next
@summed:
    atomic_add_group_u32 [total], $s4
    barrier
    cmp_ne_u32 $c0, $s9, 37
    cbr $c0, @done
    ld_group_u32 $s6, [total]
    workgroupid_u32 $s8, 0
    cvt_u64_u32 $d0, $s8
    ld_kernarg_u64 $d1, [%sums]
    mad_u64 $d1, $d0, 4, $d1
    st_global_u32 $s6, [$d1]
@done:
    ret
}
"""


@pytest.mark.parametrize("n", [5, 700, 768, 1000])
def test_loops_that_lanes_leave_in_order(n: int) -> None:
    x, sums = data("u32", n), np.zeros(2, np.uint32)
    _, found = same(GRID_STRIDE, [x, sums, n], items=256, group_size=128)
    assert found.sum() == x.sum()


def test_loops_that_lanes_could_run_alone() -> None:
    """In warps of at most 64 lanes, each lane may run this loop by itself."""
    loaded = "ld_global_u32 $s5, [$d2]\n and_u32 $s5, $s5, 15\n cvt_u64_u32 $d3, $s5\n"
    loaded += "mad_u64 $d3, $d3, 4, $d1\n ld_global_u32 $s5, [$d3]"
    text = GRID_STRIDE.replace("ld_global_u32 $s5, [$d2]", loaded)
    same(text, [data("u32", 900), np.zeros(2, np.uint32), 900], items=512, group_size=256)


BODY = """
    workitemid_u32 $s0, 0
    shl_u32 $s1, $s0, 2
    mov_u32 $s2, 0
@top:
    barrier
    STEP
    add_u32 $s2, $s2, 1
    cmp_lt_u32 $c0, $s2, 8
    cbr $c0, @top
"""
GUARDED = """
    cmp_ge_u32 $c0, $s0, $s2
    cbr $c0, @out
    st_group_u32 $s0, [part+$s1]
@out:
"""


def facts_for(step: str, size: tuple[int, int, int] = (256, 1, 1)) -> Facts | None:
    body = BODY.replace("STEP", step)
    kernel = kernel_of(f".group u32 part[1024]\n{body}")
    return one_warp_facts(kernel, Facts(USUAL, size, True))


def test_which_groups_are_one_warp() -> None:
    facts = facts_for(GUARDED)
    assert facts is not None
    assert (facts.width, facts.chunk, facts.one_warp) == (256, 16, True)
    long = facts_for(GUARDED, (1024, 1, 1))
    assert long is not None
    assert (long.width, long.chunk) == (1024, NARROW_CHUNK)
    assert facts_for(GUARDED, (96, 1, 1)) is None
    assert facts_for(GUARDED, (2048, 1, 1)) is None


def test_not_where_lanes_leave_a_loop_in_any_order() -> None:
    step = "ld_group_u32 $s3, [part+$s1]\ncmp_eq_u32 $c1, $s3, 5\ncbr $c1, @end"
    kernel = kernel_of(f".group u32 part[256]\n{BODY.replace('STEP', step)}\n@end:")
    assert one_warp_facts(kernel, Facts(USUAL, (256, 1, 1), True)) is None


def test_not_where_steps_scatter_unless_loops_are_copied() -> None:
    step = "ld_kernarg_u32 $s9, [%n]\nxor_u32 $s3, $s0, $s9\nshl_u32 $s3, $s3, 2\n"
    step += "st_group_u32 $s0, [part+$s3]\n"
    assert facts_for(step) is None
    assert facts_for(step, (64, 1, 1)) is not None  # a warp of that width has registers
    assert facts_for(step.replace("xor", "add")) is not None


COLUMNS = """\
    .group u32 tile[1056]
    workitemid_u32 $s0, 0
    workitemid_u32 $s1, 1
    ld_kernarg_u64 $d0, [%x]
    mul_u32 $s2, $s0, 132
    mad_u32 $s2, $s1, 4, $s2
    mov_u32 $s4, 0
    barrier
@top:
    ld_group_u32 $s5, [tile+$s2]
    st_global_u32 $s5, [$d0]
    add_u32 $s2, $s2, 32
    add_u32 $s4, $s4, 8
    cmp_lt_u32 $c0, $s4, 32
    cbr $c0, @top
"""


def test_columns_in_loops_are_gathered_where_that_is_fast() -> None:
    kernel, facts = kernel_of(COLUMNS), Facts(USUAL, (32, 8, 1), True)
    assert one_warp_facts(kernel, facts) is not None
    assert one_warp_facts(kernel, facts, lambda: True) is None


def test_not_without_barriers() -> None:
    body = BODY.replace("barrier", "nop").replace("STEP", GUARDED)
    kernel = kernel_of(f".group u32 part[256]\n{body}")
    assert one_warp_facts(kernel, Facts(USUAL, (256, 1, 1), True)) is None


def test_a_group_that_is_one_warp_keeps_no_frames() -> None:
    kernel = kernel_of(f".group u32 part[256]\n{BODY.replace('STEP', GUARDED)}")
    facts = one_warp_facts(kernel, Facts(USUAL, (256, 1, 1), True))
    assert facts is not None
    assert "ret i64 0" in generate(kernel, 0, facts).split("@frame_bytes")[1]


PLANES = """\
    .group f32 tile[(34 * 10)]
    workitemid_u32 $s0, 0
    workitemid_u32 $s1, 1
    ld_kernarg_u64 $d0, [%x]
    ld_kernarg_u32 $s9, [%n]
    mad_u32 $s2, $s1, 34, $s0
    shl_u32 $s2, $s2, 2
    cvt_u64_u32 $d1, $s2
    add_u64 $d1, $d1, $d0
    ld_global_f32 $s3, [$d1]                 // the plane before
    mov_u32 $s4, 0
@plane:
    ld_global_f32 $s5, [$d1+1360]
    st_group_f32 $s5, [tile+$s2]
    barrier
    ld_group_f32 $s6, [tile+$s2+4]
    KEPT
    st_global_f32 $s6, [$d1]
    barrier
    add_u64 $d1, $d1, 1360
    add_u32 $s4, $s4, 1
    cmp_lt_u32 $c0, $s4, $s9
    cbr $c0, @plane
"""


def test_rows_of_a_warp_are_one_warp_where_barriers_in_a_loop_keep_vectors():
    rows = Facts(32, (32, 8, 1), whole=True)
    kept = kernel_of(PLANES.replace("KEPT", "add_f32 $s6, $s6, $s3\nmov_u32 $s3, $s5"))
    found = one_warp_facts(kept, rows)
    assert found is not None
    assert found.width == 256
    assert one_warp_facts(kernel_of(PLANES.replace("KEPT", "nop")), rows) is None


def test_longer_kernels_are_one_warp_where_vectors_would_be_kept():
    rows = Facts(32, (32, 8, 1), whole=True)

    def found(count: int, last: str) -> Facts | None:
        lines = "add_f32 $s6, $s6, $s6\n" * count
        return one_warp_facts(kernel_of(PLANES.replace("KEPT", f"{lines} {last}")), rows)

    kept = "add_f32 $s6, $s6, $s3\nmov_u32 $s3, $s5"
    assert found(90, kept) is not None
    assert found(90, "nop") is None
    assert found(120, kept) is None


FILTER = """\
kernel k(u32 %n, global u32* %x, global u32* %sums) {
    .group u32 part[256]
    workitemid_u32 $s0, 0
    workitemabsid_u32 $s1, 0
    ld_kernarg_u32 $s2, [%n]
    ld_kernarg_u64 $d1, [%x]
    mov_u32 $s3, 0
    cmp_ge_u32 $c0, $s1, $s2
    cbr $c0, @share
@row:
    cvt_u64_u32 $d0, $s1
    mad_u64 $d2, $d0, 4, $d1
    ld_global_u32 $s4, [$d2]
    FILTERED
    add_u32 $s3, $s3, $s4
@next:
    add_u32 $s1, $s1, 512
    cmp_lt_u32 $c0, $s1, $s2
    cbr $c0, @row
@share:
    shl_u32 $s5, $s0, 2
    st_group_u32 $s3, [part+$s5]
    mov_u32 $s6, 128
@halve:
    barrier
    cmp_ge_u32 $c0, $s0, $s6
    cbr $c0, @halved
    mad_u32 $s7, $s6, 4, $s5
    ld_group_u32 $s8, [part+$s7]
    ld_group_u32 $s9, [part+$s5]
    add_u32 $s8, $s8, $s9
    st_group_u32 $s8, [part+$s5]
@halved:
    shr_u32 $s6, $s6, 1
    cmp_ne_u32 $c0, $s6, 0
    cbr $c0, @halve
    cmp_ne_u32 $c0, $s0, 0
    cbr $c0, @done
    ld_group_u32 $s8, [part]
    workgroupid_u32 $s9, 0
    cvt_u64_u32 $d0, $s9
    ld_kernarg_u64 $d1, [%sums]
    mad_u64 $d1, $d0, 4, $d1
    st_global_u32 $s8, [$d1]
@done:
    ret
}
"""


@pytest.mark.parametrize(
    ("filtered", "width"),
    [
        (
            "cmp_lt_u32 $c0, $s4, 700\n cbr $c0, @next\n cmp_gt_u32 $c0, $s4, 900\n cbr $c0, @next",
            64,
        ),
        ("cmp_eq_u32 $c0, $s1, 7\n cbr $c0, @next", 256),  # by numbers of work-items
        ("", 256),
    ],
)
def test_sums_of_what_passes_a_filter_have_warps_of_64_lanes(filtered: str, width: int):
    text = FILTER.replace("FILTERED", filtered)
    (kernel,) = assemble(text).kernels
    found = one_warp_facts(kernel, Facts(USUAL, (256, 1, 1), True))
    assert found is not None
    assert (found.width, found.one_warp) == (width, width == 256)
    x = np.random.default_rng(3).integers(0, 2000, 1200, np.uint32)
    for n in (0, 300, 1200):
        same(text, [np.uint32(n), x, np.zeros(2, np.uint32)], items=512, group_size=256)


@pytest.mark.parametrize(("size", "lanes"), [(121, 128), (100, 128), (55, 64), (250, 256)])
def test_lanes_that_do_not_exist_fill_a_warp_up(size: int, lanes: int) -> None:
    n = 3 * size
    x, y = data("u32", n), np.zeros(n, np.uint32)
    text = SCAN.replace("FLIP", "barrier").replace("SIZE", str(size))
    work = make(text, [x, y, n], items=n, group_size=size)
    facts = facts_of(work.kernel, work.geometry)
    assert (facts.width, facts.one_warp, facts.whole) == (lanes, True, False)
    for items in (n, n - size // 2):  # the last workgroup may be smaller
        same(text, [x, y, n], items=items, group_size=size)
    same(
        tree(SEQUENTIAL, "u64", size), [data("u64", n), y.astype("u8"), n], items=n, group_size=size
    )


@pytest.mark.parametrize("size", [65, 80, 96, 1025])
def test_a_warp_has_no_more_idle_vectors_than_warps_that_take_turns(size: int) -> None:
    text = SCAN.replace("FLIP", "barrier").replace("SIZE", str(size))
    work = make(text, [data("u32", size), np.zeros(size, np.uint32), size], group_size=size)
    assert one_warp_facts(work.kernel, facts_at(work.geometry, USUAL)) is None


def test_loops_without_barriers_have_warps_that_take_turns() -> None:
    between = (
        "mov_u32 $s9, 9\n@more:\n sub_u32 $s9, $s9, 1\n cmp_ne_u32 $c2, $s9, 0\n cbr $c2, @more"
    )
    text = SCAN.replace("FLIP", f"barrier\n {between}").replace("SIZE", "121")
    work = make(text, [data("u32", 121), np.zeros(121, np.uint32), 121], group_size=121)
    assert one_warp_facts(work.kernel, facts_at(work.geometry, USUAL)) is None


HALO = """
kernel k(global u32* %x, global u32* %y, u32 %n) {
    .group u32 part[136]
    workitemflatid_u32 $s0
    workitemflatabsid_u32 $s1
    sub_u32 $s2, $s1, $s0
    mov_u32 $s3, $s0
@load:
    mov_u32 $s4, 0
    mov_u32 $s5, 5
    add_u32 $s6, $s2, $s3
    cvt_u64_u32 $d0, $s6
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d0, $d0, 4, $d1
@sum:
    ld_global_u32 $s7, [$d0]
    mad_u32 $s4, $s4, 3, $s7
    add_u64 $d0, $d0, 4
    sub_u32 $s5, $s5, 1
    cmp_ne_u32 $c0, $s5, 0
    cbr $c0, @sum
    shl_u32 $s8, $s3, 2
    st_group_u32 $s4, [part+$s8]
    add_u32 $s3, $s3, 128
    cmp_lt_u32 $c0, $s3, 136
    cbr $c0, @load
    barrier
    shl_u32 $s8, $s0, 2
    ld_group_u32 $s4, [part+$s8]
    ld_group_u32 $s5, [part+$s8+32]
    xor_u32 $s4, $s4, $s5
    cvt_u64_u32 $d0, $s1
    ld_kernarg_u64 $d1, [%y]
    mad_u64 $d0, $d0, 4, $d1
    st_global_u32 $s4, [$d0]
    ret
}
"""


def test_warps_pass_by_the_end_of_a_halo() -> None:
    x, y = data("u32", 3 * 128 + 12), np.zeros(3 * 128, np.uint32)
    work = make(HALO, [x, y, 0], items=384, group_size=128)
    assert one_warp_facts(work.kernel, facts_at(work.geometry, USUAL)) is None
    same(HALO, [x, y, 0], items=384, group_size=128)
    square = make(HALO, [x, y, 0], items=(48, 8), group_size=(16, 8))
    assert one_warp_facts(square.kernel, facts_at(square.geometry, USUAL)) is not None


def test_a_workgroup_of_two_dimensions_is_filled_up() -> None:
    text = SCAN.replace("FLIP", "barrier").replace("SIZE", "121")
    text = text.replace("workitemid_u32 $s0, 0", "workitemflatid_u32 $s0")
    text = text.replace("workitemabsid_u32 $s1, 0", "workitemflatabsid_u32 $s1")
    x, y = data("u32", 30 * 25), np.zeros(30 * 25, np.uint32)
    same(text, [x, y, x.size], items=(30, 25), group_size=(11, 11))


def test_barriers_that_lanes_miss_trap_in_a_warp_that_is_filled_up() -> None:
    text = SCAN.replace("FLIP", "cmp_eq_u32 $c2, $s0, 120\n    cbr $c2, @end\n    barrier")
    text = text.replace("    ret\n", "@end:\n    ret\n").replace("SIZE", "121")
    x, y = data("u32", 121), np.zeros(121, np.uint32)
    trap = trap_alike(text, [x, y, 121], items=121, group_size=121)
    assert trap.kind is TrapKind.DIVERGENT_BARRIER
