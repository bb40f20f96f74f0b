"""Accesses by pieces of a warp of which some lanes are past the end of an array, or before it."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.kernel.memory.pieces.accesses import Pieces

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle
from ...support.agreement import same

SIZES = {"f32": 4, "u32": 4, "s32": 4, "u64": 8, "f64": 8, "u16": 2, "u8": 1}


def text(type_: str, lanes: int = 32, *, back: int = 0) -> str:
    """Return a kernel whose rows have 32 lanes, which add up x, and store to y where they are."""
    size = SIZES[type_]
    r, wide = ("d" if size == 8 else "s"), type_ if size >= 4 else "u32"
    return f"""
    kernel rows(u32 %n, u32 %least, global {type_}* %x, global {type_}* %y) {{
        workitemabsid_u32 $s0, 0
        and_u32 $s1, $s0, {lanes - 1}
        shr_u32 $s2, $s0, {lanes.bit_length() - 1}
        ld_kernarg_u32 $s3, [%n]
        ld_kernarg_u32 $s4, [%least]
        ld_kernarg_u64 $d1, [%x]
        ld_kernarg_u64 $d2, [%y]
        mul_u32 $s5, $s2, $s3
        mov_u{8 * max(size, 4)} ${r}16, 0
    @column:
        cmp_ge_u32 $c0, $s1, $s3
        cbr $c0, @done
        cmp_lt_u32 $c0, $s1, $s4
        cbr $c0, @next
        sub_u32 $s6, $s1, {back}
        cvt_u64_u32 $d3, $s6
        mad_u64 $d3, $d3, {size}, $d1
        ld_global_{type_} ${r}17, [$d3]
        add_{wide} ${r}16, ${r}16, ${r}17
        add_u32 $s6, $s5, $s1
        cvt_u64_u32 $d3, $s6
        mad_u64 $d3, $d3, {size}, $d2
        st_global_{type_} ${r}16, [$d3]
    @next:
        add_u32 $s1, $s1, {lanes}
        br @column
    @done:
        ret
    }}"""


def arguments(type_: str, n: int, least: int, rows: int, x: int, y: int) -> list[object]:
    dtype = np.dtype(type_.replace("s", "i")[0] + str(SIZES[type_]))
    numbers = np.random.default_rng(n).integers(1, 100, x)
    return [np.uint32(n), np.uint32(least), numbers.astype(dtype), np.zeros(y, dtype)]


@pytest.mark.parametrize("type_", SIZES)
@pytest.mark.parametrize("n", [1, 15, 20, 33, 40, 64, 75])
def test_rows_that_end_with_the_array(type_: str, n: int) -> None:
    rows = 4
    given = arguments(type_, n, 0, rows, n, rows * n)
    for width in (64, 32, 16):
        same(text(type_), given, items=rows * 32, group_size=128, width=width)


@pytest.mark.parametrize("group", [1, 7, 16, 32, 64, 96, 256])
def test_groups_of_any_size(group: int) -> None:
    n, rows = 43, 5
    given = arguments("f32", n, 0, rows, n, rows * n)
    same(text("f32"), given, items=rows * 32, group_size=group)


@pytest.mark.parametrize("lanes", [8, 16, 64])
def test_pieces_of_any_size(lanes: int) -> None:
    n, rows = 43, 6
    given = arguments("u32", n, 0, rows, n, rows * n)
    same(text("u32", lanes), given, items=rows * lanes, group_size=64)


@pytest.mark.parametrize("type_", ["u32", "f64"])
@pytest.mark.parametrize("back", [1, 5, 20])
def test_first_lanes_may_be_before_the_array(type_: str, back: int) -> None:
    """Lanes that do not run have numbers below 0, which wrap around."""
    n, rows = 40, 2
    given = arguments(type_, n, back, rows, n - back, rows * n)
    same(text(type_, back=back), given, items=rows * 32, group_size=64)


@pytest.mark.parametrize(
    ("least", "missing_x", "missing_y", "back"),
    [(0, 1, 0, 0), (0, 0, 1, 0), (4, 0, 0, 5), (0, 9, 0, 0), (5, 1, 0, 5), (0, 0, 40, 0)],
)
def test_running_lanes_outside_trap(least: int, missing_x: int, missing_y: int, back: int) -> None:
    n, rows = 40, 2
    given = (
        arguments("u32", n, least, rows, n - back - missing_x, rows * n - missing_y)
        for _ in range(2)
    )
    works = [make(text("u32", back=back), a, items=rows * 32, group_size=64) for a in given]
    assert assert_as_oracle(*works)


def test_running_lanes_of_pieces_take_no_gathers(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    access = Pieces.access_running

    def noted(pieces: Pieces, *args: object) -> list[str]:
        asked.append(args)
        return access(pieces, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(Pieces, "access_running", noted)
    work = make(text("f32"), arguments("f32", 40, 0, 4, 40, 160), items=128, group_size=128)
    ir = generate(work.kernel, 0, facts_of(work.kernel, work.geometry))
    assert len(asked) >= 2
    calls = [line for line in ir.splitlines() if " call " in line]
    assert not any(".gather." in line or ".scatter." in line for line in calls)
