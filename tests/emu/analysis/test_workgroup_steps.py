"""Which way stores move from workgroup to workgroup."""

from __future__ import annotations

import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.workgroup_steps import CONFLICT, Strips, strips_of
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.launch_facts import facts_at, facts_of

HEAD = """\
kernel k(u32 %n, global TYPE* %x, global TYPE* %y) {
    workitemid_u32 $s0, 0
    workitemid_u32 $s1, 1
    workgroupid_u32 $s2, 0
    workgroupid_u32 $s3, 1
    ld_kernarg_u32 $s4, [%n]
    ld_kernarg_u64 $d1, [%x]
    ld_kernarg_u64 $d2, [%y]
    mad_u32 $s5, $s2, 16, $s0
    mad_u32 $s6, $s3, 16, $s1
"""
BY_ROWS = "mad_u32 $s7, $s6, $s4, $s5"
BY_COLUMNS = "mad_u32 $s7, $s5, $s4, $s6"


def text(load: str, store: str, type_: str = "u32") -> str:
    size = int(type_[1:]) // 8
    return (
        HEAD.replace("TYPE", type_)
        + f"{load}\n cvt_u64_u32 $d0, $s7\n mad_u64 $d0, $d0, {size}, $d1\n"
        + f"ld_global_{type_} $s8, [$d0]\n"
        + f"{store}\n cvt_u64_u32 $d0, $s7\n mad_u64 $d0, $d0, {size}, $d2\n"
        + f"st_global_{type_} $s8, [$d0]\n ret\n}}"
    )


def found(source: str, group: tuple[int, int] = (16, 16)) -> Strips | None:
    kernel = assemble(source).kernels[0]
    geometry = Geometry.of(items=(64 * group[0], 64 * group[1]), group_size=group)
    return strips_of(analyse(kernel).ssa, facts_at(geometry, 32))


def test_stores_of_columns_go_down() -> None:
    strips = found(text(BY_ROWS, BY_COLUMNS))
    assert strips is not None
    ((product, factor),) = strips.apart.items()
    assert (len(product), factor) == (1, 64)  # 16 rows of n words
    assert strips.conflict == 16 * CONFLICT  # whole lines: only where they share sets


def test_what_a_workgroup_may_read_of_others_keeps_the_order_of_rows() -> None:
    source = text(BY_ROWS, BY_COLUMNS)
    assert found(source.replace("ld_kernarg_u64 $d2, [%y]", "ld_kernarg_u64 $d2, [%x]")) is None
    either = "ld_kernarg_u64 $d2, [%y]\n add_u64 $d2, $d2, $d1"
    assert found(source.replace("ld_kernarg_u64 $d2, [%y]", either)) is None


@pytest.mark.parametrize("type_", ["u8", "u16"])
def test_lines_that_several_workgroups_fill_go_down_for_any_stride(type_: str) -> None:
    strips = found(text(BY_ROWS, BY_COLUMNS, type_))
    assert strips is not None
    assert strips.conflict == 1


@pytest.mark.parametrize(("load", "store"), [(BY_ROWS, BY_ROWS), (BY_COLUMNS, BY_ROWS)])
def test_stores_of_rows_do_not(load: str, store: str) -> None:
    assert found(text(load, store)) is None


@pytest.mark.parametrize(
    "store",
    [
        "mad_u32 $s7, $s5, $s4, $s6\n mov_u32 $s7, $s8",  # loaded
        "mul_u32 $s7, $s2, $s3",  # a product of both
        "mov_u32 $s7, $s0",  # one place for all
        "mad_u32 $s7, $s3, 32, $s0\n mad_u32 $s7, $s2, $s4, $s7",  # two lines each
    ],
)
def test_others_do_not(store: str) -> None:
    assert found(text(BY_ROWS, store)) is None


def test_launches_of_one_row_or_one_column_do_not() -> None:
    kernel = assemble(text(BY_ROWS, BY_COLUMNS)).kernels[0]
    for items, expected in (((256, 256), True), ((256, 16), False), ((16, 256), False)):
        geometry = Geometry.of(items=items, group_size=(16, 16))
        assert facts_of(kernel, geometry).strips == expected
