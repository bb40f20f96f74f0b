"""Sums in memory: loads of what the last iteration of a loop has stored to the same place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.loops import carried
from simtlab.testing import Case, assert_all_agree

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

TEXT = """\
kernel k(u32 %n, u32 %end, global TYPE* %x, global TYPE* %y) {{
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s1, [%n]
    cmp_ge_u32 $c0, $s0, $s1
    cbr $c0, @done
    ld_kernarg_u32 $s2, [%end]
    ld_kernarg_u64 $d0, [%x]
    ld_kernarg_u64 $d1, [%y]
    mov_u32 $s3, 0
    mov_u32 $s9, {index}
    cvt_u64_u32 $d2, $s9
    mad_u64 $d2, $d2, SIZE, $d1
@next:
    cmp_ge_u32 $c0, $s3, $s2
    cbr $c0, @done
    mad_u32 $s4, $s3, $s1, $s0
    cvt_u64_u32 $d3, $s4
    mad_u64 $d3, $d3, SIZE, $d0
    ld_global_TYPE V5, [$d3]
    {between}
    ld_global_TYPE V6, [$d2+OFFSET]
    add_TYPE V7, V6, V5
    {store}
    add_u32 $s3, $s3, 1
    br @next
@done:
    ret
}}
"""

STORE = "st_global_TYPE V7, [$d2+OFFSET]"

CARRIED = {
    "a sum": ("$s0", "nop", STORE),
    "a sum that another load sees": (
        "$s0",
        "ld_global_TYPE V6, [$d2+OFFSET]\nadd_TYPE V5, V5, V6",
        STORE,
    ),
    "the load after the store": ("$s0", "nop", f"{STORE}\nld_global_TYPE V6, [$d2+OFFSET]"),
}
OTHERS = {
    "one place": ("0", "nop", STORE),
    "another store": ("$s0", "nop", f"st_global_TYPE V5, [$d2+OFFSET]\n{STORE}"),
    "an atomic": ("$s0", "atomic_add_global_u32 [$d2+OFFSET], $s3", STORE),
    "a store in a branch": (
        "$s0",
        "nop",
        f"and_u32 $s8, $s3, $s0\ncmp_ne_u32 $c0, $s8, 0\ncbr $c0, @over\n{STORE}\n@over:",
    ),
}
NANS = {
    "a sign": ("$s0", "nop", f"neg_TYPE V6, V6\nadd_TYPE V7, V6, V7\nmul_TYPE V7, V7, V6\n{STORE}"),
    "the old one's sign": ("$s0", "nop", f"neg_TYPE V7, V6\n{STORE}"),
    "one of two": (
        "$s0",
        "nop",
        f"and_u32 $s8, $s3, 1\ncmp_eq_u32 $c1, $s8, 0\nselect_TYPE V7, $c1, V6, V7\n{STORE}",
    ),
    "the least": ("$s0", "nop", f"min_TYPE V7, V6, V5\n{STORE}"),
}
"""Sums of floats, of whose NaNs more or less can be seen."""


def text_of(name: str, type_: str = "u32") -> str:
    index, between, store = (CARRIED | OTHERS | NANS)[name]
    text = TEXT.format(index=index, between=between, store=store)
    size = int(type_[1:]) // 8
    text = text.replace("TYPE", type_).replace("OFFSET", str(size)).replace("SIZE", str(size))
    return text.replace("V", "$d1" if size == 8 else "$s1")


def arguments(type_: str, n: int, end: int) -> list[Any]:
    """Return numbers after the last row as well; a few of those of floats are NaNs."""
    rng, dtype = np.random.default_rng(n), np.dtype(type_[0] + str(int(type_[1:]) // 8))
    x, y = (rng.integers(0, 1000, size).astype(dtype) for size in (n * max(end, 1) + 64, n + 65))
    if dtype.kind == "f":
        x[:: 2 * n // 3] = np.nan
        y[1::9].view(f"u{dtype.itemsize}")[:] |= (1 << (8 * dtype.itemsize - 1)) - 1 ^ 4
    return [np.uint32(n), np.uint32(end), x, y]


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[carried.Carried]:
    """Return the loads that loops carry, as code is generated."""
    loads: list[carried.Carried] = []
    enter = carried.Carried.enter

    def noted(self: carried.Carried, *args: Any) -> None:
        loads.append(self)
        enter(self, *args)

    monkeypatch.setattr(carried.Carried, "enter", noted)
    return loads


def check(text: str, given: list[Any]) -> None:
    """Compare with the oracle: 3 warps, of which the last one is not whole."""
    works = [make(text, copied(given), items=96, group_size=32) for _ in range(2)]
    assert not assert_as_oracle(*works)


def copied(given: list[Any]) -> list[Any]:
    """Return copies, one of each array."""
    copies = {id(a): a.copy() for a in given}
    return [copies[id(a)] for a in given]


@pytest.mark.parametrize("type_", ["u32", "f32", "f64"])
@pytest.mark.parametrize("name", CARRIED)
def test_a_sum_is_carried(name: str, type_: str, found: list[carried.Carried]) -> None:
    for n, end in ((75, 5), (75, 0), (64, 1)):
        check(text_of(name, type_), arguments(type_, n, end))
    assert found


@pytest.mark.parametrize("type_", ["f32", "f64"])
@pytest.mark.parametrize("name", NANS)
def test_nans_are_those_of_the_last_iteration(
    name: str, type_: str, found: list[carried.Carried]
) -> None:
    check(text_of(name, type_), arguments(type_, 75, 4))
    assert all(one.is_late and one.is_number == (name == "the least") for one in found)


def test_two_sums_are_carried(found: list[carried.Carried]) -> None:
    place = "ld_kernarg_u64 $d4, [%z]\ncvt_u64_u32 $d5, $s0\nmad_u64 $d5, $d5, 4, $d4"
    more = """ld_global_u32 $s10, [$d5+4]
    mad_u32 $s10, $s15, 3, $s10
    st_global_u32 $s10, [$d5+4]"""
    text = text_of("a sum").replace("%y)", "%y, global u32* %z)")
    text = text.replace("mov_u32 $s3, 0", f"{place}\nmov_u32 $s3, 0")
    text = text.replace("add_u32 $s3, $s3, 1", f"{more}\nadd_u32 $s3, $s3, 1")
    x, y = arguments("u32", 75, 4)[2:]
    check(text, [np.uint32(75), np.uint32(4), x, y, y + 1])
    assert len({one.load.pc for one in found}) == 2
    check(text, [np.uint32(75), np.uint32(4), x, y, y])


def test_a_sum_that_another_parameter_loads_is_stored_in_each_iteration() -> None:
    works = []
    for _ in range(2):
        x = arguments("u32", 75, 4)[2]
        given = [np.uint32(75), np.uint32(3), x, x[75 - 1 :]]
        works.append(make(text_of("a sum"), given, items=96, group_size=32))
    assert not assert_as_oracle(*works)


@pytest.mark.parametrize("name", OTHERS)
def test_other_loads_are_made(name: str, found: list[carried.Carried]) -> None:
    n, end = (1, 5) if name == "one place" else (75, 5)
    check(text_of(name), arguments("u32", n, end))
    assert not found


def test_all_widths_agree() -> None:
    case = Case(text_of("a sum"), Geometry.of(None, 96, items=96), tuple(arguments("u32", 75, 5)))
    assert_all_agree(case, engines=["jit"], schemes=["stack"], widths=[1, 7, 16, 32, 64])
