"""Identity, cross-lane instructions and clock, as one work-item alone sees them."""

import itertools
from typing import Any

import numpy as np
import pytest

from simtlab.emu.geometry import Geometry
from simtlab.isa.table import TABLE

from ..support.oracle_work import per_item

PARTIAL: dict[str, Any] = {"items": (5, 3, 3), "group_size": (2, 2, 2), "width": 3}
"""A grid that its workgroups do not divide, in any dimension; warps that workgroups do not fill."""


def by_hand() -> dict[tuple[int, ...], dict[str, Any]]:
    """Every work-item's identity by absolute id, counted from the definitions."""
    (nx, ny, nz), group_size = PARTIAL["items"], PARTIAL["group_size"]
    result = {}
    for z, y, x in itertools.product(range(nz), range(ny), range(nx)):
        absolute = (x, y, z)
        group = tuple(a // g for a, g in zip(absolute, group_size, strict=True))
        local = tuple(a % g for a, g in zip(absolute, group_size, strict=True))
        size = tuple(
            min(g, n - i * g) for g, n, i in zip(group_size, PARTIAL["items"], group, strict=True)
        )
        flat = local[0] + size[0] * (local[1] + size[1] * local[2])
        result[absolute] = {
            "workitemid": local,
            "workgroupid": group,
            "workgroupsize": group_size,
            "currentworkgroupsize": size,
            "gridsize": PARTIAL["items"],
            "gridgroups": (3, 2, 2),
            "workitemabsid": absolute,
            "workitemflatid": flat,
            "workitemflatabsid": x + nx * (y + ny * z),
            "laneid": flat % 3,
            "waveid": flat // 3,
            "wavesize": 3,
        }
    return result


IDENTITY = by_hand()


@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("stem", [k for k, v in IDENTITY[0, 0, 0].items() if isinstance(v, tuple)])
def test_identity_per_dimension_in_a_grid_with_partial_workgroups(stem, dim):
    found = per_item(f"{stem}_u32 $s0, {dim}", **PARTIAL)
    assert found == [identity[stem][dim] for identity in IDENTITY.values()]


@pytest.mark.parametrize(
    "stem", [k for k, v in IDENTITY[0, 0, 0].items() if not isinstance(v, tuple)]
)
def test_flat_identity_in_a_grid_with_partial_workgroups(stem):
    found = per_item(f"{stem}_u32 $s0", **PARTIAL)
    assert found == [identity[stem] for identity in IDENTITY.values()]


def test_geometry_says_the_same_as_the_instructions():
    geometry = Geometry(PARTIAL["items"], PARTIAL["group_size"], PARTIAL["width"])
    for group in range(geometry.n_groups):
        for local in range(int(np.prod(geometry.current_size(group)))):
            identity = IDENTITY[geometry.absolute_id(group, local)]
            assert geometry.local_id(group, local) == identity["workitemid"]
            assert geometry.group_id(group) == identity["workgroupid"]


def test_a_one_dimensional_grid_has_size_one_in_the_others():
    assert per_item("gridsize_u32 $s0, 1", items=3) == [1, 1, 1]
    assert per_item("workitemabsid_u32 $s0, 2", items=3) == [0, 0, 0]


def test_cross_lane_instructions_see_one_lane():
    options: dict[str, Any] = {"items": 6, "group_size": 6, "width": 4}
    assert per_item("activelaneid_u32 $s0", **options) == [0] * 6
    odd = "laneid_u32 $s1\n and_u32 $s1, $s1, 1\n cvt_b1_u32 $c0, $s1\n"
    assert per_item(odd + "activelanecount_u32 $s0, $c0", **options) == [0, 1, 0, 1, 0, 1]
    mask = odd + "activelanemask_u64 $d0, $c0\n cvt_u32_u64 $s0, $d0"
    assert per_item(mask, **options) == [0, 2, 0, 8, 0, 2]
    for which in ("any", "all"):
        body = odd + f"activelane{which}_b1 $c1, $c0\n cvt_u32_b1 $s0, $c1"
        assert per_item(body, **options) == [0, 1, 0, 1, 0, 1]


def test_permute_reads_only_the_own_lane_and_takes_the_number_modulo_the_width():
    body = "laneid_u32 $s1\n add_u32 $s2, $s1, 7\n activelanepermute_u32 $s0, $s2, "
    options: dict[str, Any] = {"items": 6, "group_size": 6, "width": 4}
    assert per_item(body + "$s1", **options) == [7, 8, 9, 10, 7, 8]
    assert per_item(body + "1", **options) == [0, 8, 0, 0, 0, 8]
    assert per_item(body + "5", **options) == [0, 8, 0, 0, 0, 8]


def test_the_highest_lane_of_the_widest_warp_is_bit_63():
    body = """
        mov_b1 $c0, 1
        activelanemask_u64 $d0, $c0
        shr_u64 $d0, $d0, 63
        cvt_u32_u64 $s0, $d0
    """
    assert per_item(body, items=64, group_size=64, width=64) == [0] * 63 + [1]


def test_clock_counts_the_instructions_executed_before_it():
    assert per_item("clock_u64 $d0\n cvt_u32_u64 $s0, $d0") == [0]
    assert per_item("nop\n nop\n clock_u64 $d0\n cvt_u32_u64 $s0, $d0") == [2]
    loop = """
        @again:
            add_u32 $s1, $s1, 1
            cmp_lt_u32 $c0, $s1, 10
            cbr $c0, @again
            clock_u64 $d0
            cvt_u32_u64 $s0, $d0
    """
    assert per_item(loop) == [30]


def test_every_identity_row_is_tested_here():
    stems = {row.stem for row in TABLE if row.unit == "id"}
    cross_lane = {f"activelane{s}" for s in ("id", "count", "mask", "any", "all", "permute")}
    assert stems == set(IDENTITY[0, 0, 0]) | cross_lane | {"clock"}
