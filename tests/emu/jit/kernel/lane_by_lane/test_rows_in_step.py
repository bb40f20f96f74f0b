"""Rows of one length, a lane's own, which lanes take together or each at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.lanes.own_rows import goes_along_rows
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel import compile as code
from simtlab.emu.jit.kernel import function, launch_facts
from simtlab.emu.jit.kernel.workgroups.trial import Version, versions_of
from simtlab.emu.jit.launch.engine import execute
from simtlab.emu.jit.llvm.cache import FOLDER_VARIABLE
from simtlab.emu.jit.llvm.toolchain import host_has
from simtlab.emu.recent import Recent
from simtlab.emu.traps import Trap, TrapKind

from ....support.oracle_work import make
from ...support.agreement import same, trap_alike

ITEMS, LONGEST = 70, 200

NUMPY = {"u8": "u1", "s8": "i1", "u16": "u2", "u32": "u4", "f32": "f4", "s64": "i8"}


def text_of(
    type_: str,
    body: str = "mad_u32 $s4, $s6, $s7, $s4",
    *,
    place: str = "mad_u32 $s5, $s0, $s2, $s3",
    length: str = "$s2",
    tests_first: bool = False,
    sign: str = "u",
) -> str:
    """Return a matrix times a vector: `$s6` and `$s7` are their elements, `$s4` the sum."""
    size, wide = int(type_[1:]) // 8, type_.endswith("64")
    a, x = ("$d6", "$d7") if wide else ("$s6", "$s7")
    leaves = f"cmp_ge_{sign}32 $c0, $s3, {length}\n cbr $c0, @end"
    stays = f"cmp_lt_{sign}32 $c0, $s3, {length}\n cbr $c0, @top"
    return f"""
        kernel k(u32 %n, u32 %length, global {type_}* %a, global {type_}* %x, global u32* %y) {{
            workitemabsid_u32 $s0, 0
            ld_kernarg_u32 $s1, [%n]
            cmp_ge_u32 $c0, $s0, $s1
            cbr $c0, @out
            ld_kernarg_u32 $s2, [%length]
            ld_kernarg_u64 $d1, [%a]
            ld_kernarg_u64 $d2, [%x]
            mov_u32 $s3, 0
            mov_u32 $s4, 7
        @top:
            {leaves if tests_first else ""}
            {place}
            cvt_u64_u32 $d3, $s5
            mad_u64 $d3, $d3, {size}, $d1
            ld_global_{type_} {a}, [$d3]
            cvt_u64_u32 $d3, $s3
            mad_u64 $d3, $d3, {size}, $d2
            ld_global_{type_} {x}, [$d3]
            {body}
            add_u32 $s3, $s3, 1
            {"br @top" if tests_first else stays}
        @end:
            cvt_u64_u32 $d3, $s0
            ld_kernarg_u64 $d4, [%y]
            mad_u64 $d3, $d3, 4, $d4
            st_global_u32 $s4, [$d3]
        @out:
            ret
        }}"""


TEXTS = [
    text_of("u8"),
    text_of("u8", tests_first=True),
    text_of("s8", "mul_s32 $s6, $s6, $s7\n max_s32 $s4, $s4, $s6", sign="s"),
    text_of("u8", "add_u32 $s6, $s6, $s7\n max_u32 $s4, $s4, $s6", tests_first=True, sign="s"),
    text_of("u16", "cmp_lt_u32 $c1, $s6, $s7\n cbr $c1, @on\n add_u32 $s4, $s4, 1\n @on:"),
    text_of("u32", "xor_u32 $s6, $s6, $s7\n popcount_u32 $s6, $s6\n add_u32 $s4, $s4, $s6"),
    text_of("u32", "min_u32 $s6, $s6, $s7\n or_u32 $s4, $s4, $s6", tests_first=True),
    text_of("s64", "cvt_u32_u64 $s6, $d6\n cvt_u32_u64 $s7, $d7\n mad_u32 $s4, $s6, $s7, $s4"),
]


def arguments(type_: str, length: int) -> list[Any]:
    rng = np.random.default_rng(length)
    bytes_ = rng.integers(0, 256, (ITEMS + 1) * LONGEST * 8, np.uint8)
    a = bytes_[: ITEMS * length * int(type_[1:]) // 8].view(NUMPY[type_])
    x = bytes_[-LONGEST * 8 :].view(NUMPY[type_])
    return [ITEMS, length, a if a.size else x, x, np.zeros(ITEMS, np.uint32)]


@pytest.fixture(params=[0, 1], ids=["together", "alone"])
def chosen(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Launches run one of the versions of which native code finds the fastest."""
    number: int = request.param

    def one(*given: Any, **how: Any) -> list[Version]:
        return [versions_of(*given, **how)[number]]

    monkeypatch.setenv("SIMTLAB_LOOPS", "measured")
    monkeypatch.setattr(function, "versions_of", one)
    monkeypatch.setattr(code, "_COMPILED", Recent())
    monkeypatch.setenv(FOLDER_VARIABLE, "/dev/null")
    return number


@pytest.mark.parametrize("number", range(len(TEXTS)))
def test_rows_of_all_lengths(number: int, chosen: int, capfd: pytest.CaptureFixture[str]) -> None:
    text = TEXTS[number]
    assert _go_along_rows(text)
    type_ = text.split("global ")[1].split("*")[0]
    shortest = 0 if "br @top" in text.replace("cbr @top", "") else 1
    for length in {shortest, 1, 15, 63, 64, 65, 128, LONGEST}:
        given = arguments(type_, length)
        same(text, given, items=ITEMS, group_size=64)
    assert capfd.readouterr().err == "", "LLVM warns of loops that it does not vectorise"


@pytest.mark.parametrize("length", [64, 200])
def test_rows_that_leave_their_buffer_trap_there(length: int, chosen: int) -> None:
    given = arguments("u8", length)
    given[2] = given[2][: 50 * length + 70]
    record = trap_alike(TEXTS[0], given, items=ITEMS, group_size=64)
    assert record.kind is not TrapKind.BUDGET


def test_rows_are_charged(chosen: int) -> None:
    work = make(TEXTS[0], arguments("u8", 200), items=ITEMS, group_size=64, budget=1_000)
    with pytest.raises(Trap) as caught:
        execute(work)
    assert caught.value.record.kind is TrapKind.BUDGET
    given = arguments("u8", 200)
    same(TEXTS[0], given, items=ITEMS, group_size=64, budget=3_000)


@pytest.mark.skipif(not host_has("avx512bw"), reason="no masks for vectors of all elements")
def test_a_lane_alone_takes_whole_vectors_without_masks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMTLAB_LOOPS", "measured")
    (kernel,) = assemble(TEXTS[0]).kernels
    facts = launch_facts.facts_of(kernel, Geometry.of(groups=2, group_size=64))
    listing = code.listing(kernel, 0, facts, "llvm")
    assert "load <64 x i8>" in listing
    assert "masked.load.v16i8" in listing


@pytest.mark.parametrize(
    "text",
    [
        text_of("f32", "add_f32 $s4, $s4, $s6"),
        text_of("u32", "mul_u32 $s4, $s4, $s6"),
        text_of("u8", length="16"),
        text_of("u8", place="add_u32 $s5, $s0, $s3"),
        text_of("u8", place="mul_u32 $s5, $s3, $s3\n mad_u32 $s5, $s0, $s2, $s5"),
        text_of("u32", place="mad_u32 $s5, $s0, 2, $s3"),
        text_of("u8", "add_u32 $s4, $s4, $s6\n st_global_u8 $s6, [$d3]"),
    ],
    ids=["floats", "product", "short", "neighbours", "squares", "overlapping", "store"],
)
def test_lanes_go_along_other_rows_together(text: str) -> None:
    assert not _go_along_rows(text)


def test_lanes_go_along_rows_together_where_no_version_is_found() -> None:
    assert not _go_along_rows(TEXTS[0], finds_limit=False)


def _go_along_rows(text: str, *, finds_limit: bool = True) -> bool:
    """Return whether lanes go along rows of their own in the kernel's loop."""
    (kernel,) = assemble(text).kernels
    facts = launch_facts.facts_of(kernel, Geometry.of(groups=2, group_size=64))
    shapes = analyse(kernel).shapes(replace(facts, finds_limit=finds_limit))
    return any(goes_along_rows(shapes, loop) for loop in shapes.flow.loops)
