"""Loops over cells of group memory that one work-item each stores to, against the oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.group_memory.own_words import own_words
from simtlab.emu.traps import TrapKind

from ...support.agreement import same, trap_alike

STEPS = """
kernel k(u32 %steps, global TYPE* %x, global TYPE* %y) {
    .group TYPE cells[CELLS]
    workitemid_u32 $s0, 0
    workitemabsid_u32 $s1, 0
    cvt_u64_u32 $d0, $s1
    mul_u64 $d0, $d0, SIZE
    ld_kernarg_u64 $d1, [%x]
    add_u64 $d1, $d1, $d0
    ld_kernarg_u64 $d2, [%y]
    add_u64 $d2, $d2, $d0
    mul_u32 $s2, $s0, SIZE
    ld_global_TYPE $R20, [$d1]
    FIRST
    ld_kernarg_u32 $s3, [%steps]
    mov_u32 $s4, 1
@step:
    barrier
    sub_u32 $s5, $s0, LOW
    cmp_lt_u32 $c1, $s5, COUNT
    not_b1 $c2, $c1
    cbr $c2, @computed
    ld_group_TYPE $R22, [cells+$s2+SIZE]
    ld_group_TYPE $R24, [cells+$s2]
    ld_group_TYPE $R26, [cells+$s2-SIZE]
    mul_TYPE $R22, $R22, $R24
    add_TYPE $R20, $R22, $R26
@computed:
    barrier
    cbr $c2, @next
    CHANGE
    st_group_TYPE $R20, [cells+$s2]
@next:
    add_u32 $s4, $s4, 1
    cmp_le_u32 $c0, $s4, $s3
    cbr $c0, @step
    barrier
    LAST
    st_global_TYPE $R28, [$d2]
    ret
}
"""

PLAIN = {
    "CELLS": "121",
    "FIRST": "st_group_TYPE $R20, [cells+$s2]",
    "LOW": "$s4",
    "COUNT": "40",
    "CHANGE": "",
    "LAST": "ld_group_TYPE $R28, [cells+$s2]",
}

SOME = """
    and_TYPE $R28, $R20, 1
    cmp_eq_TYPE $c3, $R28, 0
    cbr $c3, @next
"""


def text_of(type_: str = "u32", **changes: str) -> str:
    text, size = STEPS, int(type_[1:]) // 8
    for name, value in {**PLAIN, **changes}.items():
        text = text.replace(name, value)
    registers = "d" if size == 8 else "s"
    return text.replace("TYPE", type_).replace("SIZE", str(size)).replace("$R", f"${registers}")


def arguments(type_: str = "u32", items: int = 121, steps: int = 9) -> list[Any]:
    rng = np.random.default_rng(5)
    dtype = np.dtype({"u": "uint", "f": "float"}[type_[0]] + type_[1:])
    if type_[0] == "f":
        x = rng.standard_normal(3 * items).astype(dtype)
        x[::29] = np.nan
    else:
        x = rng.integers(0, 1 << 31, 3 * items).astype(dtype)
    return [steps, x, np.zeros(3 * items, dtype)]


def found(text: str, items: int) -> bool:
    """Return whether the work-items of a workgroup have cells of their own in a kernel."""
    lanes = -(-items // 32) * 32
    facts = Facts(lanes, (items, 1, 1), whole=lanes == items, one_warp=True)
    kernel = assemble(text).kernels[0]
    return bool(own_words(analyse(kernel).shapes(facts), kernel.group_size).loads)


def agree(text: str, type_: str = "u32", items: int = 121) -> None:
    launch = {"items": 3 * items, "group_size": items}
    same(text, arguments(type_, items), **launch)


@pytest.mark.parametrize("type_", ["u32", "f32", "u64", "f64"])
@pytest.mark.parametrize("items", [64, 121, 128])
def test_cells_of_a_line(type_: str, items: int) -> None:
    text = text_of(type_, CELLS=str(items))
    assert found(text, items)
    agree(text, type_, items)


def test_data_decide_who_stores() -> None:
    text = text_of(CHANGE=SOME)
    assert found(text, 121)
    agree(text)


@pytest.mark.parametrize("poison", [None, "0x5a5a5a5b"])
def test_a_cell_has_what_it_had_where_a_lane_has_not_stored(
    poison: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if poison is not None:
        monkeypatch.setenv("SIMTLAB_POISON", poison)
    skip = "cmp_lt_u32 $c1, $s0, 50\n    cbr $c1, @first\n    " + PLAIN["FIRST"] + "\n@first:"
    text = text_of(FIRST=skip)
    assert found(text, 121)
    agree(text)


def test_all_take_one_cell() -> None:
    text = text_of(LAST="ld_group_TYPE $R28, [cells+(7*SIZE)]")
    assert found(text, 121)
    agree(text)


def test_cells_in_another_order_two_arrays_and_two_stores() -> None:
    second = """
    sub_u32 $s6, 120, $s0
    mul_u32 $s6, $s6, SIZE
    st_group_TYPE $R20, [cells+$s2]
    st_group_TYPE $R20, [cells+$s6+(121*SIZE)]
    """
    last = "ld_group_TYPE $R28, [cells+$s2+(121*SIZE)]"
    text = text_of(CELLS="242", FIRST=second, LAST=last, CHANGE="st_group_TYPE $R22, [cells+$s2]")
    assert found(text, 121)
    agree(text)


ENDS = """
    add_u32 $s2, $s2, SIZE
    st_group_TYPE $R20, [cells+$s2]
    cmp_ne_u32 $c1, $s0, 0
    cbr $c1, @right
    st_group_TYPE $R20, [cells]
@right:
    cmp_ne_u32 $c1, $s0, 120
    cbr $c1, @ends
    st_group_TYPE $R20, [cells+$s2+SIZE]
@ends:
"""


@pytest.mark.parametrize("type_", ["u32", "f64"])
def test_the_first_and_the_last_lane_store_to_the_ends_as_well(type_: str) -> None:
    text = text_of(type_, CELLS="123", FIRST=ENDS, LOW="0", COUNT="121")
    assert found(text, 121)
    agree(text, type_)


def test_one_lane_sets_its_own_cell_at_a_constant_place() -> None:
    last = """
    cmp_ne_u32 $c1, $s0, 5
    cbr $c1, @sum
    st_group_TYPE $R22, [cells+(5*SIZE)]
@sum:
    """
    text = text_of(LAST=last + PLAIN["LAST"])
    assert found(text, 121)
    agree(text)


@pytest.mark.parametrize(
    "changes",
    [
        {"FIRST": PLAIN["FIRST"] + "\n    st_group_TYPE $R20, [cells+SIZE]"},
        {"FIRST": "atomic_add_group_TYPE [cells+$s2], $R20"},
        {"FIRST": "mul_u32 $s6, $s1, SIZE\n    st_group_TYPE $R20, [cells+$s6]"},
    ],
    ids=["one place", "atomics", "places in the grid"],
)
def test_other_cells_are_in_memory(changes: dict[str, str]) -> None:
    assert not found(text_of(**changes), 121)


def test_cells_that_none_stores_to_are_zero() -> None:
    text = text_of(CELLS="124", LAST="ld_group_TYPE $R28, [cells+$s2+(3*SIZE)]")
    assert found(text, 121)
    agree(text)
    agree(text_of("f64", CELLS="124", LAST="ld_group_TYPE $R28, [cells+$s2+(3*SIZE)]"), "f64")


def test_cells_in_memory_agree() -> None:
    agree(text_of(FIRST=PLAIN["FIRST"] + "\n    st_group_TYPE $R20, [cells+SIZE]"))


def test_a_lane_outside_traps() -> None:
    text = text_of(LOW="0", COUNT="$s4")
    assert found(text, 121)
    trap = trap_alike(text, arguments(), items=363, group_size=121)
    assert trap.kind is TrapKind.OUT_OF_BOUNDS


FROM_THE_END = """
    currentworkgroupsize_u32 $s6, 0
    sub_u32 $s6, $s6, $s0
    mul_u32 $s6, $s6, SIZE
    ld_group_TYPE $R28, [cells+$s6]
"""


@pytest.mark.parametrize("last", [PLAIN["LAST"], FROM_THE_END], ids=["own", "from the end"])
def test_the_last_workgroup_is_smaller(last: str) -> None:
    text = text_of(CELLS="132", LAST=last, LOW="0", COUNT="30")
    text = text.replace("cells+$s2-4", "cells+$s2+8")
    same(text, arguments(), items=128 + 100, group_size=128)


ROWS = """
    workitemid_u32 $s6, 1
    mad_u32 $s0, $s6, 8, $s0
    mul_u32 $s2, $s0, SIZE
    st_group_TYPE $R20, [cells+$s2]
"""


@pytest.mark.parametrize("items", [(16, 16), (12, 11)], ids=str)
def test_rows_of_smaller_workgroups_are_in_other_lanes(items: tuple[int, int]) -> None:
    text = text_of(CELLS="66", FIRST=ROWS, LOW="0", COUNT="40")
    text = text.replace("cells+$s2-4", "cells+$s2+8")
    text = text.replace("workitemabsid_u32 $s1, 0", "workitemflatabsid_u32 $s1")
    same(text, arguments(), items=items, group_size=(8, 8))
