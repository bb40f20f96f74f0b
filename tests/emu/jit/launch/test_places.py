"""Places in the grid that kernels calculate: which are seen as such, and that results agree."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.engine import Work
from simtlab.emu.jit.launch.plan import Plan
from simtlab.emu.jit.launch.regroup import as_run

from ...support.oracle_work import make
from ..support.against_oracle import assert_as_oracle

X, Y = "workgroupid_u32 $s4, 0\n workitemid_u32 $s5, 0\n", "workitemabsid_u32 $s1, 1\n"
SUM = X + "mad_u32 $s0, $s4, 16, $s5\n" + Y

PLACES = {
    "mad": SUM,
    "mad, the size first": X + "mov_u32 $s6, 16\n mad_s32 $s0, $s6, $s4, $s5\n" + Y,
    "the size read": X + "workgroupsize_u32 $s6, 0\n mad_u32 $s0, $s4, $s6, $s5\n" + Y,
    "a product and a sum": X + "mul_u32 $s4, $s4, 16\n add_u32 $s0, $s5, $s4\n" + Y,
    "a shift and a sum": X + "shl_u32 $s4, $s4, 4\n add_s32 $s0, $s4, $s5\n" + Y,
    "a shift by more than the bits": X + "shl_u32 $s4, $s4, 36\n add_u32 $s0, $s4, $s5\n" + Y,
    "a shift and bits": X + "shl_u32 $s4, $s4, 4\n or_u32 $s0, $s5, $s4\n" + Y,
    "a product and bits": X + "mul_u32 $s4, $s4, 16\n or_u32 $s0, $s5, $s4\n" + Y,
    "both": SUM + "workgroupid_u32 $s4, 1\n workitemid_u32 $s5, 1\n mad_u32 $s1, $s4, 4, $s5\n",
    "twice": SUM + "mad_u32 $s6, $s4, 16, $s5\n add_u32 $s2, $s2, 1\n sub_u32 $s2, $s2, 1\n",
    "with an unused one": SUM + "workitemid_u32 $s7, 1\n workgroupsize_u32 $s7, 1\n",
}
OTHERS = {
    "another size": X + "mad_u32 $s0, $s4, 15, $s5\n" + Y,
    "another dimension": X + "workitemid_u32 $s5, 1\n mad_u32 $s0, $s4, 16, $s5\n" + Y,
    "another group": X + "workgroupid_u32 $s4, 1\n mad_u32 $s0, $s4, 16, $s5\n" + Y,
    "the size of this group": X + "currentworkgroupsize_u32 $s6, 0\n"
    " mad_u32 $s0, $s4, $s6, $s5\n" + Y,
    "a difference": X + "mul_u32 $s4, $s4, 16\n sub_u32 $s0, $s4, $s5\n" + Y,
    "another shift": X + "shl_u32 $s4, $s4, 3\n add_u32 $s0, $s4, $s5\n" + Y,
    "one more": X + "add_u32 $s4, $s4, 1\n mad_u32 $s0, $s4, 16, $s5\n" + Y,
    "seen besides": SUM + "min_u32 $s0, $s0, $s5\n",
    "a group seen": SUM + "add_u32 $s0, $s0, $s4\n",
    "chosen": SUM + "ld_kernarg_u32 $s6, [%wide]\n cmp_eq_u32 $c0, $s6, 7\n cbr $c0, @as_it_is\n"
    " mov_u32 $s0, $s5\n@as_it_is:\n",
    "a barrier": SUM + "barrier\n",
    "lanes": SUM + "laneid_u32 $s7\n add_u32 $s0, $s0, $s7\n",
}


def work_of(places: str, wide: int, room: int, group: tuple[int, ...] = (16, 4)) -> Work:
    """Each work-item that is inside stores a number of its own."""
    text = f"""
    kernel k(u32 %wide, global u32* %out) {{
        {places}
        ld_kernarg_u32 $s2, [%wide]
        cmp_ge_u32 $c0, $s0, $s2
        cbr $c0, @done
        mad_u32 $s3, $s1, $s2, $s0
        cvt_u64_u32 $d0, $s3
        ld_kernarg_u64 $d1, [%out]
        mad_u64 $d1, $d0, 4, $d1
        mul_u32 $s3, $s3, 3
        st_global_u32 $s3, [$d1]
    @done:
        ret
    }}"""
    return make(text, [wide, np.zeros(room, np.uint32)], items=(100, 6), group_size=group)


def is_rewritten(work: Work) -> bool:
    kernel, _ = as_run(work.kernel, work.geometry)
    return kernel.words != work.kernel.words


@pytest.mark.parametrize("places", PLACES.values(), ids=PLACES)
def test_sums_are_places_in_the_grid(places: str) -> None:
    works = [work_of(places, 97, 700) for _ in "ab"]
    assert is_rewritten(works[0])
    assert Plan(works[0]).geometry.group_size == (128, 1, 1)
    assert not assert_as_oracle(*works)
    # A trap is that of a work-item of the launch.
    assert assert_as_oracle(*(work_of(places, 97, 300) for _ in "ab"))


@pytest.mark.parametrize("places", OTHERS.values(), ids=OTHERS)
def test_other_values_stay(places: str) -> None:
    works = [work_of(places, 97, 2000) for _ in "ab"]
    assert not is_rewritten(works[0])
    assert Plan(works[0]).geometry == works[0].geometry
    if places != OTHERS["a barrier"] and places != OTHERS["one more"]:
        assert_as_oracle(*works)


def test_dimensions_of_one_work_item() -> None:
    """The index of the workgroup is the place, whatever it is used for."""
    places = X + "mad_u32 $s0, $s4, 16, $s5\n workgroupid_u32 $s1, 1\n"
    places += "workitemid_u32 $s7, 1\n add_u32 $s1, $s1, $s7\n"
    works = [work_of(places, 97, 700, (16, 1)) for _ in "ab"]
    assert is_rewritten(works[0])
    assert not assert_as_oracle(*works)
    assert not is_rewritten(work_of(places, 97, 700, (16, 2)))


def test_flat_ids_are_those_of_rows() -> None:
    places = "workgroupid_u32 $s4, 0\n workitemflatid_u32 $s5\n mad_u32 $s0, $s4, 16, $s5\n" + Y
    works = [work_of(places, 97, 700, (16, 1)) for _ in "ab"]
    assert is_rewritten(works[0])
    assert not assert_as_oracle(*works)
    assert not is_rewritten(work_of(places, 97, 700, (16, 2)))


def test_other_launches_of_a_kernel_have_other_places() -> None:
    for group, expected in (((16, 4), True), ((8, 4), False), ((16, 1), True), ((32, 2), False)):
        works = [work_of(SUM, 97, 2000, group) for _ in "ab"]
        assert is_rewritten(works[0]) == expected
        assert_as_oracle(*works)


@pytest.mark.parametrize(
    ("items", "group", "expected"),
    [
        ((32, 6, 3), (8, 2, 1), (32, 2, 1)),
        ((30, 5, 2), (8, 4, 2), (32, 1, 1)),
        ((64, 6, 2), (8, 8, 1), (64, 2, 1)),
    ],
)
def test_short_rows_of_a_grid_are_warps(
    items: tuple[int, ...], group: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    """Loops and stores in rows of 32 or 64 work-items; then one store is outside."""
    text = """
    kernel k(u32 %n, global u32* %out) {
        workitemabsid_u32 $s0, 0
        workitemabsid_u32 $s1, 1
        workitemabsid_u32 $s2, 2
        gridsize_u32 $s3, 0
        gridsize_u32 $s4, 1
        mad_u32 $s5, $s2, $s4, $s1
        mad_u32 $s5, $s5, $s3, $s0
        cvt_u64_u32 $d0, $s5
        ld_kernarg_u64 $d1, [%out]
        mad_u64 $d1, $d0, 4, $d1
        ld_kernarg_u32 $s6, [%n]
    @step:
        mad_u32 $s5, $s5, $s0, $s1
        sub_u32 $s6, $s6, 1
        cmp_ne_u32 $c0, $s6, 0
        cbr $c0, @step
        st_global_u32 $s5, [$d1]
        ret
    }"""
    count = int(np.prod(items))
    for room, traps in ((count, False), (count - 1, True)):
        works = [
            make(text, [4, np.zeros(room, np.uint32)], items=items, group_size=group) for _ in "ab"
        ]
        _, run = as_run(works[0].kernel, works[0].geometry)
        assert run.group_size == expected
        assert assert_as_oracle(*works) == traps


def test_generated_code_is_that_of_the_rewritten_kernel() -> None:
    from simtlab import assemble

    text = """kernel k(global u32* %out) {
        workgroupid_u32 $s4, 0
        workitemid_u32 $s5, 0
        mad_u32 $s0, $s4, 16, $s5
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%out]
        mad_u64 $d1, $d0, 4, $d1
        st_global_u32 $s0, [$d1]
        ret
    }"""
    launch = assemble(text)["k"].launch(items=160, group_size=16)
    assert "workitemabsid" in launch.generated("ssa")
    assert "workgroupid" not in launch.generated("ssa")
