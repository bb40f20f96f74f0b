"""Group memory at known distances and along rows, one by one or in blocks, against the oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel import compile as code
from simtlab.emu.jit.kernel import launch_facts
from simtlab.emu.jit.kernel.lane_code import LaneCode
from simtlab.emu.jit.kernel.memory.records import row_blocks
from simtlab.emu.jit.kernel.memory.records.row_blocks import RowAccess
from simtlab.emu.jit.llvm.toolchain import host_has

from ....support.agreement import same, trap_alike

needs_vectors = pytest.mark.skipif(not host_has("avx512vbmi"), reason="needs AVX-512VBMI")

SIZES = {"u8": "u1", "s16": "i2", "u32": "u4", "f32": "f4", "u64": "u8"}
LENGTH = 1104
ITEMS = 64

FILL = f"""\
kernel k(u32 %n, u32 %some, u32 %first, u32 %count, global TYPE* %x, global TYPE* %y) {{
    .group TYPE tile[{LENGTH}]
    workitemid_u32 $s0, 0
    workgroupid_u32 $s1, 0
    mad_u32 $s1, $s1, {ITEMS}, $s0
    cvt_u64_u32 $d0, $s1
    ld_kernarg_u32 $s2, [%some]
    ld_kernarg_u32 $s3, [%first]
    ld_kernarg_u32 $s4, [%count]
    mov_u32 $s5, $s0
@fill:
    cvt_u64_u32 $d1, $s5
    ld_kernarg_u64 $d2, [%x]
    mad_u64 $d2, $d1, SIZE, $d2
    ld_global_TYPE $R8, [$d2]
    mul_u32 $s6, $s5, SIZE
    st_group_TYPE $R8, [tile+$s6]
    add_u32 $s5, $s5, {ITEMS}
    cmp_lt_u32 $c0, $s5, {LENGTH}
    cbr $c0, @fill
    barrier
    MOVE $R9, 0
    cmp_ge_u32 $c0, $s0, $s2
    cbr $c0, @out
"""
END = """\
@out:
    ld_kernarg_u64 $d1, [%y]
    mad_u64 $d1, $d0, SIZE, $d1
    st_global_TYPE $R9, [$d1]
    ret
}
"""
APART = """\
    mul_u32 $s6, $s0, 17
    add_u32 $s6, $s6, $s3
    mul_u32 $s6, $s6, SIZE
    ld_group_TYPE $R9, [tile+$s6+OFFSET]
"""
WALK = """\
    mul_u32 $s6, $s0, 16
    add_u32 $s6, $s6, $s3
    mul_u32 $s6, $s6, SIZE
    mul_u32 $s7, $s4, SIZE
    add_u32 $s7, $s6, $s7
@walk:
    ld_group_TYPE $R8, [tile+$s6]
    ADD $R9, $R9, $R8
    STORE
    add_u32 $s6, $s6, SIZE
    cmp_lt_u32 $c0, $s6, $s7
    cbr $c0, @walk
"""


def text_of(body: str, type_: str, offset: int = 0, store: str = "") -> str:
    size = int(type_[1:]) // 8
    words = {
        "STORE": store,
        "TYPE": type_,
        "SIZE": size,
        "OFFSET": offset * size,
        "MOVE": "mov_u64" if size == 8 else "mov_u32",
        "ADD": "add_f32" if type_ == "f32" else f"add_u{max(32, 8 * size)}",
        "$R": "$d" if size == 8 else "$s",
    }
    text = FILL + body + END
    for word, value in words.items():
        text = text.replace(word, str(value))
    return text


def given(type_: str, some: int = ITEMS, first: int = 0, count: int = 1) -> list[Any]:
    x = np.random.default_rng(3).integers(0, 100, LENGTH + ITEMS).astype(SIZES[type_])
    return [7, some, first, count, x, np.zeros(2 * ITEMS, x.dtype)]


def launch(**more: Any) -> dict[str, Any]:
    return {"items": (2 * ITEMS,), "group_size": (ITEMS,), **more}


@pytest.fixture(params=[False, True], ids=["slow gathers", "fast gathers"], autouse=True)
def host(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch_facts, "gathers_fast", lambda: request.param)


@pytest.mark.parametrize("type_", SIZES)
@pytest.mark.parametrize("some", [0, 1, 20, ITEMS])
def test_lanes_at_known_distances_load_what_the_oracle_loads(type_: str, some: int) -> None:
    """The last lanes are outside where they do not run."""
    for first in (0, LENGTH - 1 - 17 * max(some - 1, 0)):
        same(text_of(APART, type_), given(type_, some, first), **launch())


@pytest.mark.parametrize("offset", [-5, 9])
def test_offsets_of_an_access_count(offset: int) -> None:
    same(text_of(APART, "u32", offset), given("u32", 40, 5), **launch())


@pytest.mark.parametrize("first", [33, 900, (1 << 30) - 1, (1 << 32) - 1])
@pytest.mark.parametrize("type_", ["u8", "u32"])
def test_lanes_that_run_outside_trap(first: int, type_: str) -> None:
    assert LENGTH - 1 - 17 * (ITEMS - 1) == 32
    trap_alike(text_of(APART, type_), given(type_, ITEMS, first), **launch())


@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
@pytest.mark.parametrize("body", [APART, WALK])
def test_warps_of_any_width_do(width: int, body: str) -> None:
    same(text_of(body, "u8"), given("u8", 37, 3, 20), **launch(width=width))


@pytest.mark.parametrize("type_", SIZES)
@pytest.mark.parametrize("count", [1, 15, 16, 17, 40])
def test_rows_of_group_memory_are_those_of_the_oracle(type_: str, count: int) -> None:
    for some in (1, 50, ITEMS):
        first = LENGTH - count - 16 * (some - 1)
        same(text_of(WALK, type_), given(type_, some, min(first, 60), count), **launch())


def test_rows_that_end_outside_trap() -> None:
    for count in (18, 200):
        values = given("u8", ITEMS, LENGTH - 16 * ITEMS, count)
        trap_alike(text_of(WALK, "u8"), values, **launch())


def test_rows_that_a_loop_stores_to_are_loaded_element_by_element() -> None:
    store = "add_u32 $s10, $s6, 1\n st_group_u8 $s9, [tile+$s10]"
    values = given("u8", 1, 3, 30)
    same(text_of(WALK, "u8", store=store), values, **launch())


def generated(body: str) -> str:
    kernel = assemble(text_of(body, "u8")).kernels[0]
    return code.generate(kernel, 0, launch_facts.facts_of(kernel, Geometry.of(**launch())))


@needs_vectors
def test_elements_are_loaded_one_by_one_where_gathers_are_slow(
    request: pytest.FixtureRequest,
) -> None:
    is_slow = "slow" in request.node.callspec.id
    assert (generated(APART).count("insertelement <16 x i8>") >= ITEMS) == is_slow


@needs_vectors
@pytest.mark.parametrize("step", ["17", "18", "-17", "-18"])
def test_lanes_that_cannot_all_be_inside_are_gathered(
    step: str, request: pytest.FixtureRequest
) -> None:
    is_slow = "slow" in request.node.callspec.id and "17" in step
    text = generated(APART.replace("17", step))
    assert (text.count("insertelement <16 x i8>") >= ITEMS) == is_slow


@needs_vectors
def test_rows_are_loaded_in_blocks_where_gathers_are_slow(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks, load = [], row_blocks.load

    def seen(lanes: LaneCode, row: RowAccess, room: str) -> list[str]:
        blocks.append(row)
        return load(lanes, row, room)

    monkeypatch.setattr(row_blocks, "load", seen)
    generated(WALK)
    assert bool(blocks) == ("slow" in request.node.callspec.id)
    blocks.clear()
    generated(WALK.replace("STORE", "st_group_u8 $s9, [tile]"))
    assert not blocks
