"""Rows of 8 and of 16 whose work-items leave loops together: warps of one row, as the oracle."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.engine import Work
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.launch_facts import facts_for_counting, facts_of
from simtlab.emu.jit.launch.regroup import regrouped
from simtlab.testing import Case, assert_all_agree, run_case

from ....support.counts import assert_equal
from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

PLACES = "workitemabsid_u32 $s0, 0\n workitemabsid_u32 $s1, 1"
SPLIT = "workitemabsid_u32 $s2, 0\n and_u32 $s0, $s2, {last}\n shr_u32 $s1, $s2, {bits}"
BAGS = """
kernel bags(u32 %across, u32 %bags, global u32* %first, global u32* %rows, global f32* %table,
    global f32* %y) {{
    {places}
    ld_kernarg_u32 $s3, [%across]
    cmp_ge_u32 $c0, $s0, $s3
    cbr $c0, @done
    ld_kernarg_u32 $s4, [%bags]
    cmp_ge_u32 $c0, $s1, $s4
    cbr $c0, @done
    ld_kernarg_u64 $d0, [%first]
    ld_kernarg_u64 $d1, [%rows]
    ld_kernarg_u64 $d2, [%table]
    cvt_u64_u32 $d4, $s1
    mad_u64 $d4, $d4, 4, $d0
    ld_global_u32 $s5, [$d4]
    ld_global_u32 $s6, [$d4+4]
    {longer}
    mov_u32 $s7, 0
@row:
    cmp_ge_u32 $c0, $s5, $s6
    cbr $c0, @store
    cvt_u64_u32 $d5, $s5
    mad_u64 $d5, $d5, 4, $d1
    ld_global_u32 $s8, [$d5]
    mad_u32 $s8, $s8, $s3, $s0
    cvt_u64_u32 $d5, $s8
    mad_u64 $d5, $d5, 4, $d2
    ld_global_f32 $s9, [$d5]
    add_f32 $s7, $s7, $s9
    add_u32 $s5, $s5, 1
    br @row
@store:
    mad_u32 $s8, $s1, $s3, $s0
    ld_kernarg_u64 $d3, [%y]
    cvt_u64_u32 $d5, $s8
    mad_u64 $d5, $d5, 4, $d3
    st_global_f32 $s7, [$d5]
@done:
    ret
}}
"""
FLAT = 0
"""A workgroup of 256 in a row, and a kernel that splits its places."""


def text(group: tuple[int, int], row: int, longer: str = "") -> str:
    if group[1] == FLAT:
        places = SPLIT.format(last=row - 1, bits=row.bit_length() - 1)
        return BAGS.format(places=places, longer=longer)
    return BAGS.format(places=PLACES, longer=longer)


def geometry(group: tuple[int, int], row: int, bags: int) -> Geometry:
    if group[1] == FLAT:
        return Geometry.of(items=row * bags, group_size=group[0])
    return Geometry.of(items=(row, bags), group_size=group)


def arguments(across: int, bags: int, wild: int | None = None) -> list[object]:
    """Bags of 0 to 30 rows; `wild` is an entry of the list that is not a row of the table."""
    rng = np.random.default_rng(5)
    first = np.append(0, np.cumsum(rng.integers(0, 31, bags))).astype(np.uint32)
    rows = rng.integers(0, 40, first[-1], np.uint32)
    if wild is not None:
        rows[wild] = 1 << 20
    table = rng.normal(size=(40, across)).astype(np.float32)
    table[::7] = np.nan
    y = np.zeros(across * bags, np.float32)
    return [across, bags, first, rows, table.ravel(), y]


@pytest.mark.parametrize(
    ("group", "row", "width"),
    [
        ((16, 16), 16, 16),
        ((8, 8), 8, 8),
        ((4, 16), 4, 32),  # rows of four are too short
        ((256, FLAT), 16, 16),
        ((256, FLAT), 8, 8),
    ],
)
def test_a_warp_is_a_row(group: tuple[int, int], row: int, width: int) -> None:
    (kernel,) = assemble(text(group, row)).kernels
    launched = geometry(group, row, 64)
    facts = facts_of(kernel, regrouped(kernel, launched))
    assert (facts.width, facts.chunk) == (width, min(width, 16))
    counted = facts_for_counting(kernel, launched)
    assert counted is None or counted.width >= 32


def test_lanes_that_leave_alone_share_a_warp_with_other_rows() -> None:
    found = text((16, 16), 16, longer="and_u32 $s9, $s0, 1\n sub_u32 $s6, $s6, $s9")
    (kernel,) = assemble(found).kernels
    assert facts_of(kernel, geometry((16, 16), 16, 64)).width == 32


@pytest.mark.parametrize("wild", [None, 0, 150])
@pytest.mark.parametrize("across", [16, 13, 8, 3, 1])
@pytest.mark.parametrize("group", [(16, 16), (8, 8), (8, 5), (256, FLAT)])
def test_sums_and_traps_are_the_oracles(
    group: tuple[int, int], across: int, wild: int | None
) -> None:
    row = 16 if group[0] > across > 8 or group[0] == 16 else 8

    def work() -> Work:
        shape = geometry(group, row, 45)
        size = shape.group_size[: 1 if group[1] == FLAT else 2]
        items = shape.items[: len(size)]
        return make(text(group, row), arguments(across, 41, wild), items=items, group_size=size)

    assert assert_as_oracle(work(), work()) == (wild is not None)


@pytest.mark.parametrize("group", [(16, 16), (8, 8)])
@pytest.mark.parametrize("stats", [False, True])
def test_sums_agree_at_all_widths(group: tuple[int, int], stats: bool) -> None:
    shape = geometry(group, group[0], 48)
    case = Case(text(group, group[0]), shape, tuple(arguments(group[0] - 1, 45)))
    if not stats:
        assert_all_agree(case, engines=["jit"], schemes=["stack"], widths=[1, 7, 16, 32, 64])
        return
    for width in (7, 16, 32, 64):
        counted, given = (run_case(case, e, width=width, stats=True)[0] for e in ("jit", "interp"))
        assert counted is not None
        assert given is not None
        assert_equal(counted.statistics, given.statistics)
