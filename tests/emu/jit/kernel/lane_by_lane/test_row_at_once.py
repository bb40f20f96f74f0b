"""Rows of which a lane alone takes many elements at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.lanes import sparse
from simtlab.emu.engine import Work
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel import compile as code
from simtlab.emu.jit.kernel import launch_facts
from simtlab.emu.jit.kernel.lane_by_lane import row_at_once
from simtlab.emu.jit.launch.engine import execute
from simtlab.emu.jit.llvm.cache import FOLDER_VARIABLE
from simtlab.emu.jit.llvm.toolchain import host_has
from simtlab.emu.recent import Recent
from simtlab.emu.traps import Trap, TrapKind

from ....support.counts import both
from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle
from ...support.agreement import same

ITEMS = 45

HAS_MASKS = host_has("avx512bw")
"""Whether the host has masks for vectors of all elements: else rows are not taken at once."""

NUMPY = {
    "u8": "u1",
    "s8": "i1",
    "u16": "u2",
    "s16": "i2",
    "u32": "u4",
    "s32": "i4",
    "f32": "f4",
    "u64": "u8",
    "s64": "i8",
}


@dataclass(frozen=True)
class Row:
    """A loop over a row of each work-item's own: `$s8` or `$d8` is loaded, `$s9` or `$d9` found."""

    type: str
    body: str
    found: str = "$s9"
    tests_first: bool = True
    walks: bool = False

    def text(self) -> str:
        """Return the kernel."""
        size, wide = int(self.type[1:]) // 8, "$d8" if self.type.endswith("64") else "$s8"
        place = f"cvt_u64_u32 $d3, $s2\n mad_u64 $d3, $d3, {size}, $d2"
        leaves, stays = "cmp_ge_u32 $c0, $s2, $s3\n cbr $c0, @end", "cmp_lt_u32 $c0, $s2, $s3"
        return f"""
            kernel rows(global u32* %rows, global {self.type}* %data, global u64* %out, u32 %n) {{
                workitemabsid_u32 $s0, 0
                ld_kernarg_u32 $s1, [%n]
                cmp_ge_u32 $c0, $s0, $s1
                cbr $c0, @out
                cvt_u64_u32 $d0, $s0
                ld_kernarg_u64 $d1, [%rows]
                mad_u64 $d1, $d0, 8, $d1
                ld_global_u32 $s2, [$d1]
                ld_global_u32 $s3, [$d1+4]
                ld_kernarg_u64 $d2, [%data]
                ld_kernarg_u64 $d6, [%rows]
                mov_u32 $s9, 7
                mov_u64 $d9, 7
                mov_u32 $s10, 1
                {place if self.walks else ""}
            @top:
                {leaves if self.tests_first else ""}
                {"" if self.walks else place}
                ld_global_{self.type} {wide}, [$d3]
                {self.body}
                {f"add_u64 $d3, $d3, {size}" if self.walks else ""}
                add_u32 $s2, $s2, 1
                {"br @top" if self.tests_first else f"{stays} cbr $c0, @top"}
            @end:
                ld_kernarg_u64 $d4, [%out]
                mad_u64 $d4, $d0, 8, $d4
                st_global_u{64 if self.found[1] == "d" else 32} {self.found}, [$d4]
                st_global_u32 $s10, [$d4+4]
            @out:
                ret
            }}""".replace(" cbr", "\n cbr")

    def arguments(self) -> list[Any]:
        """Return rows of 0 to 70 elements and longer ones, some in common, and the data."""
        rng = np.random.default_rng(7)
        rows = rng.integers(0, 800, (ITEMS, 2), np.uint32)
        rows[:, 1] = rows[:, 0] + rng.integers(0 if self.tests_first else 1, 70, ITEMS)
        rows[10:17, 1] = rows[10:17, 0] + [63, 64, 65, 127, 128, 192, 200]
        data = rng.integers(0, 256, 1000 * int(self.type[1:]) // 8, np.uint8).view(NUMPY[self.type])
        return [rows, data, np.zeros(ITEMS, np.uint64), ITEMS]


SUM = "add_u32 $s9, $s9, $s8"

ROWS = [
    Row("u32", SUM),
    Row("u32", SUM, tests_first=False, walks=True),
    Row("u8", SUM, walks=True),
    Row("s8", "mul_s32 $s8, $s8, $s8\n mad_s32 $s9, $s8, 3, $s9", tests_first=False),
    Row("u16", "sub_u32 $s9, $s9, $s8\n or_u32 $s10, $s10, $s8"),
    Row("s16", "abs_s32 $s8, $s8\n max_s32 $s9, $s9, $s8", walks=True),
    Row("s32", "neg_s32 $s8, $s8\n min_s32 $s9, $s8, $s9"),
    Row("u32", "not_u32 $s8, $s8\n min_u32 $s9, $s8, $s9\n max_u32 $s10, $s8, $s10"),
    Row("u32", "shr_u32 $s8, $s8, 3\n or_u32 $s9, $s8, $s9\n and_u32 $s10, $s8, $s10"),
    Row("u32", "shl_u32 $s8, $s8, $s2\n popcount_u32 $s8, $s8\n add_u32 $s9, $s8, $s9"),
    Row("u32", "cmp_gt_u32 $c1, $s8, $s1\n cvt_u32_b1 $s8, $c1\n add_u32 $s9, $s8, $s9"),
    Row("u32", "cmp_gt_s32 $c1, $s8, 0\n select_u32 $s8, $c1, $s8, 5\n add_u32 $s9, $s8, $s9"),
    Row("f32", "cmp_lt_f32 $c1, $s8, 1.5\n cvt_u32_b1 $s8, $c1\n add_u32 $s9, $s9, $s8"),
    Row("u64", "add_u64 $d9, $d9, $d8", "$d9"),
    Row("s64", "mul_s64 $d8, $d8, $d8\n max_s64 $d9, $d9, $d8", "$d9", walks=True),
    Row("u32", "cvt_u64_u32 $d8, $s8\n add_u64 $d9, $d9, $d8\n add_u64 $d9, $d9, 3", "$d9"),
    Row("u32", f"cmp_lt_u32 $c1, $s8, $s2\n cbr $c1, @on\n {SUM}\n @on:"),
    Row("f32", "cmp_lt_f32 $c1, $s8, 1.5\n cbr $c1, @on\n add_u32 $s9, $s9, 1\n @on:"),
    Row("f32", "cmp_lt_f32 $c1, $s8, 1.5\n cbr $c1, @on\n add_u32 $s9, $s9, $s8\n @on:"),
    Row(
        "u8",
        f"and_u32 $s11, $s8, 1\n cmp_eq_u32 $c1, $s11, 0\n cbr $c1, @on\n {SUM}\n @on:\n"
        "max_u32 $s10, $s10, $s8",
        tests_first=False,
    ),
    Row("u8", "mad_u32 $s9, $s8, $s2, $s9\n sub_u32 $s10, $s10, $s8\n sub_u32 $s10, $s10, $s2"),
]


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMTLAB_LOOPS", "alone")
    monkeypatch.setattr(sparse, "gains_alone", lambda shapes, loop: True)
    monkeypatch.setattr(code, "_COMPILED", Recent())
    monkeypatch.setenv(FOLDER_VARIABLE, "/dev/null")


@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_lanes_take_rows_at_once(row: Row, width: int, capfd: pytest.CaptureFixture[str]) -> None:
    same(row.text(), row.arguments(), items=ITEMS, group_size=64, width=width)
    if width == 32 and HAS_MASKS:
        assert "masked.load" in _listing(row.text())
    assert capfd.readouterr().err == "", "LLVM warns of loops that it does not vectorise"


@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
@pytest.mark.parametrize("row", ROWS[:3] + ROWS[-5:], ids=str)
def test_iterations_of_rows_are_counted(
    row: Row, width: int, capfd: pytest.CaptureFixture[str]
) -> None:
    (function,) = simtlab.assemble(row.text())
    launch = function.launch(items=ITEMS, group_size=64, warp=width)
    native, *_ = both(launch, (*row.arguments()[:-1], np.uint32(ITEMS)))
    assert native.engine == "jit"
    if width == 32 and row in ROWS[:3] and HAS_MASKS:
        facts = launch_facts.facts_for_counting(function.kernel, launch.geometry)
        assert "vectorize" in code.generate(function.kernel, 0, facts)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("row", ROWS[:3], ids=str)
def test_rows_that_leave_their_buffer_trap_there(row: Row) -> None:
    for place, value in [((9, 1), 20_000), ((44, 1), 1_001), ((3, 0), 2**32 - 9)]:
        works = []
        for _ in range(2):
            arguments = row.arguments()
            arguments[0][place] = value
            works.append(make(row.text(), arguments, items=ITEMS, group_size=64))
        assert assert_as_oracle(*works) or value > 1 << 31


def test_rows_are_charged() -> None:
    row = ROWS[0]
    arguments = row.arguments()
    arguments[0][7] = 0, 990
    work = make(row.text(), arguments, items=ITEMS, group_size=64, budget=4_000)
    with pytest.raises(Trap) as caught:
        execute(work)
    assert (caught.value.record.kind, caught.value.record.local) == (TrapKind.BUDGET, 7)


def _extreme(test: str, before: str = "", after: str = "") -> str:
    return f"{before}\n cmp_{test}\n cbr $c1, @on\n mov_u32 $s9, $s8\n{after}\n @on:"


ROWS += [
    Row("u32", _extreme("ge_u32 $c1, $s8, $s9")),
    Row("s16", _extreme("gt_s32 $c1, $s9, $s8"), tests_first=False, walks=True),
    Row("u8", _extreme("le_u32 $c1, $s8, $s9", before="xor_u32 $s8, $s8, 85")),
]

_GATHER = "cvt_u64_u32 $d5, $s8\n mad_u64 $d5, $d5, 4, $d2\n ld_global_u32 $s8, [$d5]"
_GATHER_LONG = "cvt_u64_u32 $d5, $s8\n mad_u64 $d5, $d5, 8, $d2\n ld_global_u64 $d8, [$d5]"
_NEAR = "and_u32 $s8, $s8, 63"

GATHERS = [
    Row("u32", f"{_NEAR}\n {_GATHER}\n {SUM}"),
    Row("u16", f"{_NEAR}\n {_GATHER}\n {SUM}", tests_first=False, walks=True),
    Row("u8", f"{_NEAR}\n {_GATHER}\n max_u32 $s9, $s9, $s8\n min_u32 $s10, $s10, $s8"),
    Row("u32", f"{_NEAR}\n {_GATHER}\n {_NEAR}\n {_GATHER}\n or_u32 $s9, $s9, $s8", walks=True),
    Row("u16", f"{_NEAR}\n {_GATHER_LONG}\n add_u64 $d9, $d9, $d8", "$d9"),
    Row("u32", f"cmp_gt_u32 $c1, $s8, 249\n cbr $c1, @on\n {_GATHER}\n {SUM}\n @on:"),
]
"""Rows of places, at which there are elements."""


@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
@pytest.mark.parametrize("row", GATHERS, ids=str)
def test_rows_of_places_are_taken_at_once(
    row: Row, width: int, capfd: pytest.CaptureFixture[str]
) -> None:
    same(row.text(), row.arguments(), items=ITEMS, group_size=64, width=width)
    if width == 32 and HAS_MASKS:
        assert "masked.gather" in _listing(row.text())
    assert capfd.readouterr().err == "", "LLVM warns of loops that it does not vectorise"


_PLACES = [Row("u32", f"{_GATHER}\n {SUM}"), Row("u32", f"{_GATHER}\n {SUM}", tests_first=False)]


@pytest.mark.parametrize("row", _PLACES, ids=["tests first", "tests last"])
@pytest.mark.parametrize("at", [0, 1, 15, 16, 63, 64, 130, 199])
@pytest.mark.parametrize("place", [1_000, 2**30 - 1, 2**31, 2**32 - 1])
def test_places_outside_trap_where_they_are_loaded(row: Row, at: int, place: int) -> None:
    works = []
    for _ in range(2):
        arguments = row.arguments()
        arguments[1] %= 1_000
        arguments[0][21] = 100, 300
        arguments[0][np.arange(ITEMS) != 21] %= 90
        arguments[0][:, 1] = np.maximum(arguments[0][:, 0] + 1, arguments[0][:, 1])
        arguments[1][100 + at] = place
        works.append(make(row.text(), arguments, items=ITEMS, group_size=64))
    trap = assert_as_oracle(*works)
    assert trap


@pytest.mark.parametrize("tests_first", [True, False])
@pytest.mark.parametrize("at", [0, 64, 199])
def test_a_lane_that_leaves_its_buffer_begins_once_more(at: int, tests_first: bool) -> None:
    """By a place in another buffer, which is legal."""
    row = Row("u32", f"{_GATHER.replace('$d2', '$d6')}\n {SUM}", tests_first=tests_first)
    text, works = row.text(), list[Work]()
    for _ in range(2):
        arguments = row.arguments()
        rows, data = arguments[:2]
        rows[21] = 100, 300
        data %= rows.size
        made = make(text, arguments, items=ITEMS, group_size=64)
        begin, other = (buffer.base for buffer in made.memory.buffers[:2])
        assert begin + rows.nbytes < other
        data[100 + at] = (other - begin) // 4 + 7
        works.append(make(text, arguments, items=ITEMS, group_size=64))
    assert not assert_as_oracle(*works)


def test_rows_of_places_are_charged_once_more_where_one_is_outside() -> None:
    row = _PLACES[0]
    arguments = row.arguments()
    arguments[1] %= 1_000
    arguments[0][7] = 0, 990
    work = make(row.text(), arguments, items=ITEMS, group_size=64, budget=4_000)
    with pytest.raises(Trap) as caught:
        execute(work)
    assert (caught.value.record.kind, caught.value.record.local) == (TrapKind.BUDGET, 7)
    arguments[0][7] = 0, 200
    arguments[1][199] = 1_000
    work = make(row.text(), arguments, items=ITEMS, group_size=64, budget=4_000)
    with pytest.raises(Trap) as caught:
        execute(work)
    assert caught.value.record.kind is TrapKind.OUT_OF_BOUNDS


_SWITCH = "".join(f"cmp_eq_u32 $c1, $s8, {number}\n cbr $c1, @on\n" for number in range(4))

TOO_HARD = [
    Row(
        "s8",
        f"mul_u32 $s11, $s8, 77\n cmp_lt_u32 $c1, $s11, 9\n cbr $c1, @on\n {SUM}\n"
        "add_u32 $s9, $s9, $s0\n @on:",
    ),
    Row("u8", f"and_u32 $s8, $s8, 7\n {_SWITCH} {SUM}\n @on:"),
]
"""Rows that LLVM does not vectorise, as one with a jump through a table."""

OTHER_LOOPS = {
    "an extreme of floats by a branch": Row("f32", _extreme("ge_f32 $c1, $s8, $s9")),
    "an extreme and its place": Row(
        "u32", _extreme("ge_u32 $c1, $s8, $s9", after="mov_u32 $s10, $s2")
    ),
    "a choice that compares another number": Row("u32", _extreme("ge_u32 $c1, $s2, $s9")),
    "the last element that differs": Row("u32", _extreme("eq_u32 $c1, $s8, $s9")),
    "a sum of floats, which has an order": Row("f32", "add_f32 $s9, $s9, $s8"),
    "an extreme of floats": Row("f32", "max_f32 $s9, $s9, $s8"),
    "arithmetic of floats": Row("f32", "add_f32 $s8, $s8, 1.0\n or_u32 $s9, $s9, $s8"),
    "exclusive bits": Row("u32", "xor_u32 $s9, $s9, $s8"),
    "a product": Row("u32", "mul_u32 $s9, $s9, $s8"),
    "products and sums in turns": Row("u32", "mad_u32 $s9, $s9, 31, $s8"),
    "a difference from what was found": Row("u32", "sub_u32 $s9, $s8, $s9"),
    "sums of which each iteration uses one": Row("u32", f"{SUM}\n xor_u32 $s10, $s10, $s9"),
    "a value of the last iteration": Row("u32", f"{SUM}\n mov_u32 $s10, $s8"),
    "signed and unsigned extremes": Row("u32", "min_u32 $s9, $s9, $s8\n min_s32 $s9, $s9, 9"),
    "what is no element": Row("u32", f"{SUM}\n and_u32 $s10, $s10, $s1"),
    "a division": Row("u32", "or_u32 $s8, $s8, 1\n div_u32 $s8, 99, $s8\n add_u32 $s9, $s9, $s8"),
    "an extreme that a branch passes by": Row(
        "u32", "cmp_lt_u32 $c1, $s8, 99\n cbr $c1, @on\n max_u32 $s9, $s9, $s8\n @on:"
    ),
    "a branch at what was found": Row(
        "u32", f"cmp_lt_u32 $c1, $s9, 99\n cbr $c1, @on\n {SUM}\n @on:"
    ),
    "a value that begins anew": Row(
        "u32", f"cmp_lt_u32 $c1, $s8, 99\n cbr $c1, @on\n mov_u32 $s9, 0\n @on:\n {SUM}"
    ),
    "sums on both sides": Row(
        "u32", f"cmp_lt_u32 $c1, $s8, 99\n cbr $c1, @a\n {SUM}\n br @b\n @a:\n {SUM}\n @b:"
    ),
    "elements that sides choose": Row(
        "u32", f"cmp_lt_u32 $c1, $s8, 99\n cbr $c1, @on\n mov_u32 $s8, 7\n @on:\n {SUM}"
    ),
    "the last element": Row("u32", f"{SUM}\n mov_u32 $s10, $s8", tests_first=False),
    "a sum before the last number": Row(
        "u32", f"{SUM}\n mov_u32 $s10, $s9\n add_u32 $s9, $s9, 1", tests_first=False
    ),
    "the last place": Row("u32", f"{SUM}\n mov_u32 $s10, $s2", tests_first=False),
    "a way out besides": Row("u32", f"cmp_lt_u32 $c1, $s8, 99\n cbr $c1, @end\n {SUM}"),
    "a list of places, of which a way out depends": Row(
        "u32", f"and_u32 $s8, $s8, 255\n {_GATHER}\n cmp_eq_u32 $c1, $s8, 9\n cbr $c1, @end\n {SUM}"
    ),
    "a list of places, of which a branch takes an extreme": Row(
        "u32", f"{_NEAR}\n {_GATHER}\n {_extreme('ge_u32 $c1, $s8, $s9')}"
    ),
    "a list of places of bytes": Row(
        "u32", f"and_u32 $s8, $s8, 255\n {_GATHER.replace('global_u32', 'global_u8')}\n {SUM}"
    ),
    "every second element": Row("u32", f"{SUM}\n add_u32 $s2, $s2, 1"),
    "a store": Row("u32", f"{SUM}\n st_global_u32 $s8, [$d3]"),
}


@pytest.mark.parametrize("tests_first", [True, False])
@pytest.mark.parametrize("row", TOO_HARD, ids=str)
def test_rows_that_llvm_cannot_take_at_once_are_no_warning(
    row: Row, tests_first: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    row = replace(row, tests_first=tests_first, walks=not tests_first)
    assert ("vectorize" in _listing(row.text(), "raw")) == HAS_MASKS
    assert "masked.load" not in _listing(row.text())
    same(row.text(), row.arguments(), items=ITEMS, group_size=64)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", OTHER_LOOPS)
def test_other_loops_take_one_element_after_the_other(
    name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    row = OTHER_LOOPS[name]
    assert "vectorize" not in _listing(row.text(), "raw")
    same(row.text(), row.arguments(), items=ITEMS, group_size=64)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("row", [ROWS[0], ROWS[2]], ids=str)
def test_rows_at_once_are_tried_where_native_code_finds_limits(
    row: Row, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("SIMTLAB_LOOPS", "measured")
    assert ("vectorize" in _listing(row.text(), "raw")) == HAS_MASKS
    monkeypatch.setenv("SIMTLAB_LOOPS", "together")
    assert "vectorize" not in _listing(row.text(), "raw")


def test_hosts_without_masks_of_bytes_take_one_element_after_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(row_at_once, "host_has", lambda feature: False)
    assert "vectorize" not in _listing(ROWS[0].text(), "raw")


def _listing(text: str, what: str = "llvm") -> str:
    """Return the kernel's code, or its text before LLVM's passes."""
    (kernel,) = assemble(text).kernels
    facts = launch_facts.facts_of(kernel, Geometry.of(groups=1, group_size=64))
    if what == "raw":
        return code.generate(kernel, 0, facts)
    return code.listing(kernel, 0, facts, what)
