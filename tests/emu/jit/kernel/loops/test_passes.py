"""Loops that run for some vectors at a time: sums of tiles that have no registers otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.loops import passes
from simtlab.testing import Case, assert_all_agree

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

TEXT = """\
kernel k(u32 %tiles, u32 %depth, global f32* %x, global f32* %y) {
    .group f32 tile[128]
    workitemid_u32 $s0, 0
    workitemid_u32 $s1, 1
    workitemflatabsid_u32 $s2
    ld_kernarg_u32 $s3, [%tiles]
    ld_kernarg_u32 $s4, [%depth]
    ld_kernarg_u64 $d0, [%x]
    mad_u32 $s5, $s1, 8, $s0
    mul_u32 $s6, $s5, 4
    cvt_u64_u32 $d1, $s2
    mad_u64 $d1, $d1, 4, $d0
    CLEAR
    mov_u32 $s50, 0
    mov_u32 $s7, 0
@tile:
    ld_global_f32 $s8, [$d1]
    st_group_f32 $s8, [tile+$s6]
    ld_global_f32 $s8, [$d1+512]
    st_group_f32 $s8, [tile+$s6+256]
    barrier
    BEGIN
    mov_u32 $s9, 0
    mul_u32 $s10, $s1, 4
    mul_u32 $s11, $s0, 4
@product:
    TEST
    ld_group_f32 $s12, [tile+$s10]
    ld_group_f32 $s13, [tile+$s10+32]
    ld_group_f32 $s14, [tile+$s11+64]
    ld_group_f32 $s15, [tile+$s11+96]
    ld_group_f32 $s16, [tile+$s11+128]
    ld_group_f32 $s17, [tile+$s11+160]
    SUMS
    add_u32 $s10, $s10, 4
    add_u32 $s11, $s11, 4
    add_u32 $s9, $s9, 1
    BACK
@over:
    barrier
    END
    add_u64 $d1, $d1, 4
    add_u32 $s7, $s7, 1
    cmp_lt_u32 $c0, $s7, $s3
    cbr $c0, @tile
    ld_kernarg_u64 $d0, [%y]
    cvt_u64_u32 $d1, $s2
    mad_u64 $d1, $d1, 36, $d0
    WRITE
    st_global_f32 $s50, [$d1+32]
    ret
}
"""

CLEAR = [f"mov_u32 $s{30 + i}, {i}.5" for i in range(8)]
UNTIL = {
    "a known number of iterations": ("nop", "cmp_lt_u32 $c0, $s9, 5\ncbr $c0, @product"),
    "a number that is tested last": ("nop", "cmp_lt_u32 $c0, $s9, $s4\ncbr $c0, @product"),
    "a number that is tested first": (
        "cmp_ge_u32 $c0, $s9, $s4\ncbr $c0, @over",
        "br @product",
    ),
}
SUMS = {
    "products": ["fma_f32 {0}, {1}, {2}, {0}"] * 8,
    "bits": ["add_u32 {0}, {0}, {1}", "xor_u32 {0}, {0}, {2}"] * 4,
    "the largest": ["max_f32 {0}, {0}, {2}", "add_f32 {0}, {1}, {0}"] * 4,
}
AROUND = {
    "sums of all tiles": ("nop", "nop"),
    "sums that begin with each tile": ("\n".join(CLEAR), "add_f32 $s50, $s50, $s33"),
    "sums that are read after each tile": ("nop", "add_f32 $s50, $s50, $s37"),
    "sums that are changed after each tile": ("nop", "neg_f32 $s34, $s34\nmov_u32 $s50, $s34"),
}


def text_of(until: str, sums: str, around: str) -> str:
    """Return a kernel with eight sums a work-item, of 64 in a workgroup: 32 vectors."""
    test, back = UNTIL[until]
    begin, end = AROUND[around]
    each = [op.format(f"$s{30 + i}", f"$s{12 + i // 4}", f"$s{14 + i % 4}")
            for i, op in enumerate(SUMS[sums])]  # fmt: skip
    parts = {
        "CLEAR": "\n".join(CLEAR),
        "BEGIN": begin,
        "TEST": test,
        "SUMS": "\n".join(each),
        "BACK": back,
        "END": end,
        "WRITE": "\n".join(f"st_global_f32 $s{30 + i}, [$d1+{4 * i}]" for i in range(8)),
    }
    text = TEXT
    for name, part in parts.items():
        text = text.replace(name, part)
    return text


def arguments(tiles: int, depth: int, items: int) -> tuple[Any, ...]:
    x = np.random.default_rng(depth).normal(size=items + 128 + tiles).astype(np.float32)
    x[5::37] = np.nan
    return np.uint32(tiles), np.uint32(depth), x, np.zeros(9 * items, np.float32)


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[range]:
    """Return the vectors of each pass, as code is generated."""
    parts: list[range] = []
    run = passes.RunningPasses.run

    def noted(self: passes.RunningPasses, part: range) -> Any:
        parts.append(part)
        return run(self, part)

    monkeypatch.setattr(passes.RunningPasses, "run", noted)
    return parts


def check(text: str, items: tuple[int, ...] = (8, 16), tiles: int = 2, depth: int = 5) -> None:
    works = [
        make(text, list(arguments(tiles, depth, 128)), items=items, group_size=(8, 8))
        for _ in range(2)
    ]
    assert not assert_as_oracle(*works)


KNOWN, LAST, FIRST = UNTIL
CASES = [
    ("products", "sums of all tiles"),
    ("bits", "sums that are read after each tile"),
    ("the largest", "sums that are changed after each tile"),
    ("products", "sums that begin with each tile"),
]


@pytest.mark.parametrize(("sums", "around"), CASES)
def test_vectors_run_one_after_the_other(sums: str, around: str, found: list[range]) -> None:
    check(text_of(KNOWN, sums, around))
    assert found == [range(2), range(2, 4)]


@pytest.mark.parametrize("until", [LAST, FIRST])
def test_loops_that_are_tested_keep_their_sums(until: str) -> None:
    text = text_of(until, *CASES[1])
    check(text, depth=0)
    check(text, (8, 13), tiles=1, depth=3)


def test_bits_of_a_nan_that_a_sum_begins_with() -> None:
    text = text_of(KNOWN, *CASES[0]).replace(CLEAR[0], "mov_u32 $s30, 0x7fc00123")
    check(text.replace(CLEAR[1], "ld_kernarg_u32 $s31, [%tiles]"))


def test_sums_that_read_each_other_run_together(found: list[range]) -> None:
    text = text_of(KNOWN, *CASES[0]).replace(
        "fma_f32 $s30", "add_f32 $s37, $s37, $s30\nfma_f32 $s30"
    )
    check(text)
    assert not found


def test_all_widths_agree() -> None:
    geometry = Geometry.of(items=(16, 8), group_size=(8, 8))
    case = Case(text_of(KNOWN, *CASES[1]), geometry, arguments(2, 4, 128))
    assert_all_agree(case, engines=["jit"], schemes=["stack"], widths=[1, 7, 16, 32, 64])
