"""Words at a step that is an argument, against the oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.llvm.toolchain import host_has

from ....support.agreement import same, trap_alike

TEXT = """\
kernel k(u32 %n, u32 %m, u32 %from, u32 %to, global TYPE* %x, global TYPE* %y) {
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s1, [%n]
    cmp_ge_u32 $c0, $s0, $s1
    cbr $c0, @done
    ld_kernarg_u32 $s2, [%from]
    STEP
    mul_u32 $s3, $s0, $s2
    add_u32 $s3, $s3, MOVED
    cvt_u64_u32 $d0, $s3
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, SIZE, $d1
    ld_global_TYPE $R4, [$d1]
    ld_kernarg_u32 $s2, [%to]
    mul_u32 $s3, $s0, $s2
    cvt_u64_u32 $d0, $s3
    ld_kernarg_u64 $d1, [%y]
    mad_u64 $d1, $d0, SIZE, $d1
    ld_global_TYPE $R5, [$d1]
    ADD $R4, $R4, $R5
    SKIP
    st_global_TYPE $R4, [$d1]
@done:
    ret
}
"""
SIZES = {"u8": "u1", "u32": "u4", "f32": "f4", "u64": "u8"}
SKIP = "and_u32 $s6, $s0, 3\n cmp_eq_u32 $c0, $s6, 1\n cbr $c0, @done"
ITEMS = 192


def text_of(type_: str = "u32", moved: int = 0, skip: str = "", step: str = "") -> str:
    size = int(type_[1:]) // 8
    words = {
        "TYPE": type_,
        "SIZE": size,
        "MOVED": moved,
        "SKIP": skip,
        "STEP": step,
        "ADD": "add_f32" if type_ == "f32" else f"add_u{max(32, 8 * size)}",
        "$R": "$d" if size == 8 else "$s",
    }
    text = TEXT
    for word, value in words.items():
        text = text.replace(word, str(value))
    return text


def given(n: int, from_: int, to: int, type_: str = "u32", m: int = 1, room: int = 0) -> list[Any]:
    def array(step: int) -> np.ndarray:
        count = (n - 1) * step + 1 + room
        return np.random.default_rng(step).integers(0, 99, count).astype(SIZES[type_])

    return [n, m, from_, to, array(m * from_), array(to)]


def run(text: str, values: list[Any], **more: Any) -> None:
    same(text, values, items=(ITEMS,), group_size=(64,), **more)


@pytest.mark.parametrize("type_", SIZES)
@pytest.mark.parametrize(("from_", "to"), [(1, 2), (2, 3), (3, 4), (4, 1), (5, 17), (0, 2)])
@pytest.mark.parametrize("n", [ITEMS, 100])
def test_words_are_those_of_the_oracle(type_: str, from_: int, to: int, n: int) -> None:
    """The arrays end with the last word."""
    run(text_of(type_), given(n, from_, to, type_))


@pytest.mark.parametrize("to", [2, 3, 4])
def test_lanes_that_do_not_run_store_nothing(to: int) -> None:
    run(text_of(skip=SKIP), given(ITEMS, 2, to))


def test_words_between_them_stay() -> None:
    values = given(ITEMS, 2, 3)
    before = values[-1].copy()
    got = same(text_of(), values, items=(ITEMS,), group_size=(64,))[1]
    between = np.arange(before.size) % 3 != 0
    np.testing.assert_array_equal(got[between], before[between])


@pytest.mark.parametrize("moved", [1, 7])
def test_places_from_anywhere_on_do(moved: int) -> None:
    run(text_of(moved=moved), given(ITEMS, 3, 2, room=moved))


def test_a_step_may_be_a_product() -> None:
    step = "ld_kernarg_u32 $s7, [%m]\n mul_u32 $s2, $s2, $s7"
    run(text_of(step=step), given(ITEMS, 2, 1, m=2))


@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
def test_warps_of_any_width_do(width: int) -> None:
    run(text_of("f32"), given(150, 2, 3, "f32"), width=width)


@pytest.mark.parametrize("step", [2, 3, 1 << 30, (1 << 31) + 3, (1 << 32) - 1])
@pytest.mark.parametrize("which", ["from", "to"])
def test_places_outside_trap(step: int, which: str) -> None:
    values = given(ITEMS, 1, 1)
    values[2 if which == "from" else 3] = step
    trap_alike(text_of(), values, items=(ITEMS,), group_size=(64,))


@pytest.mark.skipif(not host_has("avx512f"), reason="needs AVX-512")
def test_wide_accesses_are_there() -> None:
    kernel = assemble(text_of()).kernels[0]
    text = generate(kernel, 0, facts_of(kernel, Geometry.of(items=(ITEMS,), group_size=(64,))))
    assert "vpermi2var.d.512" in text
    assert "permvar.si.512" in text
