"""Workgroups of another shape: when native code takes them, and whose trap it is."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.launch.regroup import as_launched, is_unseen, regrouped
from simtlab.emu.jit.llvm.toolchain import host_has
from simtlab.emu.traps import TrapKind, TrapRecord
from simtlab.isa.program import Kernel

from ..support.agreement import same


def kernel(body: str) -> Kernel:
    (found,) = assemble(f"kernel k(global u32* %x) {{\n{body}\n ret\n}}").kernels
    return found


PLACES = "workitemabsid_u32 $s0, 0\n workitemabsid_u32 $s1, 1\n gridsize_u32 $s2, 0"
LOOP = PLACES + "\n@again:\n sub_u32 $s2, $s2, 1\n cmp_ne_u32 $c0, $s2, 0\n cbr $c0, @again"


@pytest.mark.parametrize(
    ("items", "group", "expected"),
    [
        ((512, 64), (16, 16), (512, 1, 1)),
        ((1920, 64), (16, 16), (2048, 1, 1)),
        ((4096, 4), (8, 8), (4096, 1, 1)),
        ((500, 40), (16, 16), (512, 1, 1)),
        ((500, 40, 3), (8, 8, 2), (512, 1, 1)),
        ((400, 40), (64, 4), (512, 1, 1)),
        ((32, 64), (16, 16), (32, 8, 1)),  # half the lanes of longer warps would be idle
        ((32, 6, 4), (8, 2, 4), (32, 2, 1)),
        ((30, 64), (16, 16), (32, 1, 1)),
        ((80, 64), (16, 16), (96, 1, 1)),
        ((64, 8), (32, 8), (64, 4, 1)),
        ((32, 64), (32, 4), (32, 4, 1)),
        ((16, 64), (16, 16), (16, 16, 1)),
        ((40, 64), (16, 16), (48, 1, 1)),
        ((48, 64), (16, 16), (48, 4, 1)),
        ((48, 6), (16, 2), (48, 2, 1)),
        ((35, 64), (16, 16), (16, 16, 1)),
        ((112, 64), (16, 16), (128, 1, 1)),
        ((2048, 4), (256, 1), (2048, 1, 1)),
        ((2000, 1), (256, 1), (2048, 1, 1)),
        ((1280, 2), (256, 1), (2048, 1, 1)),
        ((100_096, 1), (256, 1), (4096, 1, 1)),
        ((2048, 1), (1024, 1), (2048, 1, 1)),
    ],
)
def test_rows_of_the_grid(
    items: tuple[int, ...], group: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    launched = Geometry.of(items=items, group_size=group)
    run = regrouped(kernel(PLACES), launched)
    assert run.group_size == expected
    assert (run.items, run.width) == (launched.items, launched.width)


@pytest.mark.parametrize(
    ("edges", "loads", "items", "expected"),
    [
        ("cmp_eq_u32 $c1, $s0, 0", 1, (128, 8), (128, 1, 1)),
        ("cmp_eq_u32 $c1, $s1, 0", 1, (128, 8), (128, 2, 1)),  # the same for a row
        ("cmp_eq_u32 $c1, $s0, 0", 1, (64, 8), (64, 4, 1)),
        ("cmp_eq_u32 $c1, $s0, 0", 12, (64, 8), (64, 1, 1)),
        ("cmp_eq_u32 $c1, $s0, 0", 12, (33, 8), (8, 8, 1)),
    ],
)
def test_rows_with_edges(
    edges: str, loads: int, items: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    load = "ld_kernarg_u64 $d0, [%x]\n" + "ld_global_u32 $s3, [$d0]\n" * loads
    guard = f"cmp_ge_u32 $c0, $s0, $s2\n {edges}\n or_b1 $c0, $c0, $c1\n cbr $c0, @end"
    found = kernel(f"{PLACES}\n {guard}\n {load}\n@end:")
    launched = Geometry.of(items=items, group_size=(8, 8))
    assert regrouped(found, launched).group_size == expected


def test_long_loops_keep_short_workgroups() -> None:
    """Ctrl-C waits for the end of one."""
    rows = Geometry.of(items=4096, group_size=256)
    assert regrouped(kernel(LOOP), rows) == rows
    tiles = Geometry.of(items=(512, 64), group_size=(16, 16))
    assert regrouped(kernel(LOOP), tiles) != tiles


@pytest.mark.parametrize(
    ("items", "group", "expected"),
    [
        ((56, 56, 3), (56, 4), (64, 1, 1)),
        ((160, 40), (16, 16), (160, 1, 1)),  # half of the third warp of 64 would be idle
        ((184, 40), (16, 16), (192, 1, 1)),
        ((320, 40), (256, 1), (320, 1, 1)),
        ((120, 40), (16, 16), (256, 1, 1)),  # as many lanes in warps of 128
        ((576, 40), (64, 4), (64, 4, 1)),
        ((320, 1), (256, 1), (256, 1, 1)),
    ],
)
def test_loops_over_short_rows(
    items: tuple[int, ...], group: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    """Warps of 128 lanes would be half empty at the end of each row."""
    launched = Geometry.of(items=items, group_size=group)
    assert regrouped(kernel(LOOP), launched).group_size == expected


SEARCH = """
 workitemabsid_u32 $s0, 0
 workitemabsid_u32 $s1, 1
 gridsize_u32 $s2, 0
 mad_u32 $s3, $s1, $s2, $s0
 cvt_u64_u32 $d0, $s3
 ld_kernarg_u64 $d1, [%x]
 mad_u64 $d1, $d0, {bytes}, $d1
 ld_global_{type} $s4, [$d1]
 mov_u32 $s5, 4
@again:
 add_u64 $d1, $d1, {bytes}
 ld_global_{type} $s6, [$d1]
 {step}
 sub_u32 $s5, $s5, 1
 cmp_ne_u32 $c0, $s5, 0
 cbr $c0, @again
@out:
 st_global_{type} $s4, [$d1]
"""
WORDS = SEARCH.format(type="u32", bytes=4, step="add_u32 $s4, $s4, $s6")
BYTES = SEARCH.format(type="u8", bytes=1, step="cmp_ne_u32 $c0, $s6, $s4\n cbr $c0, @out")


@pytest.mark.parametrize(
    ("across", "row"), [(160, 160), (130, 256), (144, 160), (165, 192), (288, 288), (416, 448)]
)
def test_short_warps_where_half_of_a_long_one_would_be_idle(across: int, row: int) -> None:
    launched = Geometry.of(items=(across, 40), group_size=(across, 1))
    assert regrouped(kernel(WORDS), launched).group_size == (row, 1, 1)


@pytest.mark.parametrize("group", [(32, 2), (160, 1)])
def test_results_of_rows_of_short_warps_are_the_oracles(group: tuple[int, int]) -> None:
    text = f"kernel k(global u32* %x) {{\n{WORDS}\n ret\n}}".replace("[$d1]\n\n", "[$d2]\n")
    x = np.random.default_rng(5).integers(0, 1 << 32, 2 * (160 * 6 + 4), np.uint32)
    apart = text.replace(
        "ld_global_u32 $s4,", f"add_u64 $d2, $d1, {x.nbytes // 2}\n ld_global_u32 $s4,"
    )
    same(apart, [x], items=(160, 6), group_size=group)


@pytest.mark.skipif(not host_has("avx512bw"), reason="the host has no vectors of 64 bytes")
def test_rows_of_bytes_keep_long_warps() -> None:
    launched = Geometry.of(items=(160, 40), group_size=(160, 1))
    assert regrouped(kernel(BYTES), launched).group_size == (192, 1, 1)


@pytest.mark.parametrize(
    "body",
    [
        "workitemid_u32 $s0, 0",
        "workgroupid_u32 $s0, 1",
        "workitemflatid_u32 $s0",
        "workgroupsize_u32 $s0, 0",
        "currentworkgroupsize_u32 $s0, 0",
        "gridgroups_u32 $s0, 0",
        "laneid_u32 $s0",
        "barrier",
        ".group u32 tile[4]\n ld_group_u32 $s0, [tile]",
    ],
)
def test_kernels_that_see_workgroups(body: str) -> None:
    assert not is_unseen(kernel(body))
    tiles = Geometry.of(items=(512, 64), group_size=(16, 16))
    assert regrouped(kernel(body), tiles) == tiles


@pytest.mark.parametrize(
    ("items", "group"), [((96, 5), (16, 4)), ((70, 7, 3), (8, 4, 2)), ((130, 3), (64, 2))]
)
def test_a_trap_is_that_of_the_launched_work_item(
    items: tuple[int, ...], group: tuple[int, ...]
) -> None:
    launched = Geometry.of(items=items, group_size=group)
    run = Geometry.of(items=items, group_size=64)
    seen = set()
    for number in range(run.n_groups):
        x, y, z = run.current_size(number)
        for local in range(x * y * z):
            trap = TrapRecord(TrapKind.TRAP, 3, number, local, code=7)
            found = as_launched(trap, run, launched)
            place = launched.absolute_id(found.group, found.local)
            assert place == run.absolute_id(number, local)
            assert (found.kind, found.pc, found.code) == (trap.kind, 3, 7)
            seen.add(place)
    assert len(seen) == launched.n_items
