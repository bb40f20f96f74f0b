"""Indices that native code finds near each other at run time: runs, windows, or neither."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.kernel.memory.addressing.near import (
    LIMITS,
    is_computed,
    is_sampled,
    is_shuffled,
)
from simtlab.emu.jit.kernel.memory.shuffles import tables
from simtlab.emu.jit.llvm.toolchain import host_has

from ....support.flows import op_of, shapes_of
from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle
from ...support.agreement import same

SHUFFLED = {
    "butterfly": "sub_u32 $s4, $s2, 1\n and_u32 $s4, $s0, $s4\n shl_u32 $s3, $s0, 1\n"
    " sub_u32 $s3, $s3, $s4",
    "partner": "xor_u32 $s3, $s0, $s2",
    "transposed": "and_u32 $s3, $s0, 7\n shl_u32 $s3, $s3, 2\n shr_u32 $s4, $s0, 3\n"
    " and_u32 $s4, $s4, 3\n or_u32 $s3, $s3, $s4",
    "backwards": "xor_u32 $s3, $s0, 31",
    "every other": "shl_u32 $s3, $s0, 1",
    "spread far": "shl_u32 $s3, $s0, 3\n and_u32 $s3, $s3, 127",
    "around the middle": "add_u32 $s3, $s0, 16\n xor_u32 $s3, $s3, 16",
    "the same": "or_u32 $s3, $s0, 0",
    "equal pairs": "shr_u32 $s3, $s0, 1",
    "two thirds": "shl_u32 $s3, $s0, 1\n div_u32 $s3, $s3, 3",
}
"""Index $s3 out of the work-item's number $s0 and the uniform $s2 = 8."""


@pytest.mark.parametrize(
    "moved",
    ["mov_u32 $s3, $s3", "add_u32 $s3, $s3, $s2", "add_u32 $s3, $s3, 16\n sub_u32 $s3, $s3, $s2"],
)
@pytest.mark.parametrize("name", SHUFFLED)
def test_shuffled_indices_load_and_store_what_they_say(name: str, moved: str) -> None:
    """The last window of a buffer leaves it; some lanes are off, lane 0 of some warps too."""
    text = f"""
        kernel shuffle(global u32* %x, global u32* %out, u32 %j) {{
            workitemflatabsid_u32 $s0
            ld_kernarg_u32 $s2, [%j]
            rem_u32 $s5, $s0, 5
            cmp_eq_u32 $c0, $s5, 2
            cbr $c0, @done
            {SHUFFLED[name]}
            {moved}
            cvt_u64_u32 $d0, $s3
            ld_kernarg_u64 $d1, [%x]
            mad_u64 $d1, $d0, 4, $d1
            ld_global_u32 $s7, [$d1+32]
            ld_global_u32 $s8, [$d1+36]
            mad_u32 $s7, $s7, 31, $s8
            cvt_u64_u32 $d0, $s0
            ld_kernarg_u64 $d2, [%out]
            mad_u64 $d2, $d0, 4, $d2
            st_global_u32 $s7, [$d2]
        @done:
            ret
        }}"""
    x = np.random.default_rng(7).integers(0, 1 << 32, 160, np.uint32)
    same(text, [x, np.zeros(61, np.uint32), 8], items=61, group_size=61)
    small = text.replace("$d0, 4, $d1", "$d0, 1, $d1").replace("ld_global_u32", "ld_global_s8")
    small = small.replace("[$d1+32]", "[$d1+8]").replace("[$d1+36]", "[$d1+9]")
    small = small.replace("global u32* %x", "global s8* %x")
    same(small, [x.astype(np.int8), np.zeros(61, np.uint32), 8], items=61, group_size=61)
    scatter = text.replace("ld_global_u32 $s8, [$d1+36]", "st_global_u32 $s0, [$d1+32]")
    if name not in ("equal pairs", "two thirds", "spread far"):  # whose stores meet
        scatter = scatter.replace("mad_u32 $s7, $s7, 31, $s8", "nop")
        same(scatter, [x, np.zeros(61, np.uint32), 8], items=61, group_size=61)


@pytest.mark.parametrize("type_", ["u8", "s16", "f32", "u64"])
def test_elements_of_any_size_in_another_order(type_: str) -> None:
    size = int(type_[1:]) // 8
    data = "$d3" if size == 8 else "$s3"
    text = f"""
        kernel words(global u8* %x, global u64* %out) {{
            workitemflatabsid_u32 $s0
            xor_u32 $s1, $s0, 5
            cvt_u64_u32 $d0, $s1
            ld_kernarg_u64 $d1, [%x]
            mad_u64 $d1, $d0, {size}, $d1
            ld_global_{type_} {data}, [$d1]
            cvt_u64_u32 $d0, $s0
            ld_kernarg_u64 $d2, [%out]
            mad_u64 $d2, $d0, 8, $d2
            st_global_{"u64" if size == 8 else "u32"} {data}, [$d2]
            ret
        }}"""
    x = np.random.default_rng(3).integers(0, 256, 64 * size, np.uint8)
    same(text, [x, np.zeros(64, np.uint64)], items=64, group_size=64)


RESIZED = """
kernel resized(u32 %n, u32 %across, u32 %last, global {type}* %x, global u32* %out) {{
    workitemflatabsid_u32 $s0
    ld_kernarg_u32 $s1, [%n]
    cmp_ge_u32 $c0, $s0, $s1
    cbr $c0, @done
    ld_kernarg_u32 $s2, [%across]
    ld_kernarg_u32 $s3, [%last]
    ld_kernarg_u64 $d0, [%x]
    mul_u32 $s4, $s0, $s2
    shr_u32 $s4, $s4, 8
    add_u32 $s5, $s4, 1
    min_u32 $s5, $s5, $s3
    cvt_u64_u32 $d1, $s4
    mad_u64 $d1, $d1, {size}, $d0
    ld_global_{type} $s6, [$d1]
    cvt_u64_u32 $d1, $s5
    mad_u64 $d1, $d1, {size}, $d0
    ld_global_{type} $s7, [$d1]
    mad_u32 $s6, $s7, 77, $s6
    cvt_u64_u32 $d1, $s0
    ld_kernarg_u64 $d2, [%out]
    mad_u64 $d1, $d1, 4, $d2
    st_global_u32 $s6, [$d1]
@done:
    ret
}}"""
ELEMENTS = {"u8": np.uint8, "s8": np.int8, "u16": np.uint16, "s16": np.int16, "u32": np.uint32}


def resized(type_: str, across: int, *, n: int = 150, least: int = 0) -> list[object]:
    """Return arguments with which work-items sample x, which has no element more than they need."""
    dtype = np.dtype(ELEMENTS[type_])
    last = max((n - 1) * across >> 8, least)
    limits = np.iinfo(dtype)
    x = np.random.default_rng(5).integers(limits.min, limits.max + 1, last + 1).astype(dtype)
    return [np.uint32(n), np.uint32(across), np.uint32(last), x, np.zeros(n, np.uint32)]


@pytest.mark.parametrize("type_", ELEMENTS)
@pytest.mark.parametrize("across", [0, 100, 200, 256, 300, 511, 512, 530, 900])
def test_elements_near_each_other(type_: str, across: int) -> None:
    """Lanes have places less than 64 apart, or more; the last ones have no 64 elements after."""
    text = RESIZED.format(type=type_, size=int(type_[1:]) // 8)
    for width in (1, 7, 16, 32, 64):
        given = resized(type_, across)
        same(text, given, items=150, group_size=64, width=width)


@pytest.mark.parametrize("group", [1, 7, 32, 96])
def test_small_elements_in_groups_of_any_size(group: int) -> None:
    text = RESIZED.format(type="u8", size=1)
    same(text, resized("u8", 200), items=150, group_size=group)


@pytest.mark.parametrize(("type_", "across"), [("u8", 200), ("s16", 256), ("u8", 600)])
def test_small_elements_outside_trap(type_: str, across: int) -> None:
    text = RESIZED.format(type=type_, size=int(type_[1:]) // 8)
    works = []
    for _ in range(2):
        given = resized(type_, across)
        given[3] = given[3][:-1].copy()  # type: ignore[index]
        works.append(make(text, given, items=150, group_size=64))
    assert assert_as_oracle(*works)


CLAMPED = """
kernel clamped(u32 %wide, u32 %high, u32 %reach, global u32* %x, global u32* %y) {
    workitemabsid_u32 $s0, 0
    workitemabsid_u32 $s1, 1
    ld_kernarg_u32 $s2, [%wide]
    ld_kernarg_u32 $s3, [%high]
    cmp_ge_u32 $c0, $s0, $s2
    cbr $c0, @done
    ld_kernarg_u32 $s4, [%reach]
    ld_kernarg_u64 $d0, [%x]
    max_u32 $s5, $s0, $s4
    sub_u32 $s5, $s5, $s4
    sub_u32 $s6, $s2, 1
    add_u32 $s7, $s0, $s4
    min_u32 $s7, $s7, $s6
    mad_u32 $s5, $s1, $s2, $s5
    mad_u32 $s7, $s1, $s2, $s7
    cvt_u64_u32 $d1, $s5
    mad_u64 $d1, $d1, 4, $d0
    ld_global_u32 $s8, [$d1]
    cvt_u64_u32 $d1, $s7
    mad_u64 $d1, $d1, 4, $d0
    ld_global_u32 $s9, [$d1]
    mad_u32 $s8, $s9, 77, $s8
    mad_u32 $s10, $s1, $s2, $s0
    cvt_u64_u32 $d1, $s10
    ld_kernarg_u64 $d2, [%y]
    mad_u64 $d1, $d1, 4, $d2
    st_global_u32 $s8, [$d1]
@done:
    ret
}
"""


CHOSEN = CLAMPED.replace(
    "max_u32 $s5, $s0, $s4\n    sub_u32 $s5, $s5, $s4",
    "cmp_eq_u32 $c1, $s0, 0\n sub_u32 $s5, $s0, 1\n select_u32 $s5, $c1, 0, $s5",
).replace("min_u32 $s7, $s7, $s6", "cmp_lt_u32 $c1, $s0, $s6\n select_u32 $s7, $c1, $s7, $s6")


@pytest.mark.parametrize("reach", [0, 1, 3, 70])
@pytest.mark.parametrize("wide", [5, 64, 100, 131, 384])
def test_words_at_the_ends_of_rows(wide: int, reach: int) -> None:
    """The last row ends with its buffer, which has no 64 words after it."""
    x = np.random.default_rng(6).integers(0, 1 << 32, wide * 4, np.uint32)
    given = [np.uint32(n) for n in (wide, 4, reach)]
    for width in (7, 16, 32, 64):
        shape = (-(-wide // 32) * 32, 4)
        same(CLAMPED, [*given, x, np.zeros_like(x)], items=shape, group_size=(32, 2), width=width)
        if reach == 1:
            same(
                CHOSEN, [*given, x, np.zeros_like(x)], items=shape, group_size=(32, 2), width=width
            )


@pytest.mark.parametrize("text", [CLAMPED, CHOSEN])
def test_words_at_the_ends_of_rows_are_permuted(text: str) -> None:
    if not host_has("avx512f"):
        pytest.skip("this CPU does not permute words of two vectors")
    kernel = assemble(text).kernels[0]
    facts = facts_of(kernel, Geometry.of(items=(512, 4), group_size=(512, 1)))
    assert "llvm.x86.avx512.vpermi2var.d.512" in generate(kernel, 0, facts)


def test_small_elements_near_each_other_are_permuted(monkeypatch: pytest.MonkeyPatch) -> None:
    if not host_has("avx512vbmi"):
        pytest.skip("this CPU does not permute bytes")
    asked: list[object] = []
    load = tables.load

    def noted(*args: object) -> list[str]:
        asked.append(args)
        return load(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(tables, "load", noted)
    work = make(RESIZED.format(type="u8", size=1), resized("u8", 200), items=150, group_size=64)
    generate(work.kernel, 0, facts_of(work.kernel, work.geometry))
    assert len(asked) >= 2


@pytest.mark.parametrize("start", [-40, -20, 0, 0x7FFFFFF0])
@pytest.mark.parametrize("extension", ["u64_u32", "s64_s32"])
def test_strided_indices_of_either_sign_wrap_where_they_do(start: int, extension: str) -> None:
    """Bytes, so that wrapped indices could stay close; the base goes back by where it starts."""
    low = start if extension.startswith("s") else start & 0xFFFF_FFFF
    text = f"""
        kernel wrap(global u8* %x, global u32* %out) {{
            workitemflatabsid_u32 $s0
            add_u32 $s1, $s0, {start & 0xFFFF_FFFF}
            cvt_{extension} $d0, $s1
            mov_u64 $d3, {low}
            sub_u64 $d0, $d0, $d3
            and_u64 $d4, $d0, 63
            ld_kernarg_u64 $d1, [%x]
            add_u64 $d1, $d1, ADDED
            ld_global_u8 $s2, [$d1]
            cvt_u64_u32 $d0, $s0
            ld_kernarg_u64 $d2, [%out]
            mad_u64 $d2, $d0, 4, $d2
            st_global_u32 $s2, [$d2]
            ret
        }}"""
    x = np.arange(64, dtype=np.uint8)
    out = np.zeros(40, np.uint32)
    same(text.replace("ADDED", "$d4"), [x, out], items=40, group_size=40)
    if start == 0 or (start < 0 and extension == "s64_s32"):
        same(text.replace("ADDED", "$d0"), [x, out], items=40, group_size=40)


@pytest.mark.parametrize("on", ["lt_u32 $c0, $s0, 9", "gt_u32 $c0, $s0, 35", "eq_u32 $c0, $s0, 3"])
def test_of_different_values_for_one_place_the_last_is_kept(on: str) -> None:
    text = f"""
        kernel last(global u32* %x) {{
            workitemflatabsid_u32 $s0
            ld_kernarg_u64 $d0, [%x]
            cmp_{on}
            cbr $c0, @store
            ret
        @store:
            mul_u32 $s1, $s0, 3
            st_global_u32 $s1, [$d0+4]
            st_global_u8 $s1, [$d0+9]
            ret
        }}"""
    (x,) = same(text, [np.zeros(4, np.uint32)], items=40, group_size=40)
    assert x[1]


def shuffled(body: str, name: str, clamps: frozenset[str] = frozenset()) -> bool:
    shapes = shapes_of(body)
    return is_shuffled(op_of(shapes.ssa, name), shapes, clamps=clamps)


def test_shuffled_is_what_bits_of_identities_and_uniform_values_make() -> None:
    begin = "workitemabsid_u32 $s0, 0\n ld_kernarg_u32 $s1, [%n]\n"
    end = "\n ld_kernarg_u64 $d0, [%x]\n st_global_u32 $s3, [$d0]\n ret"
    assert shuffled(f"{begin} xor_u32 $s3, $s0, $s1{end}", "xor_u32")
    assert shuffled(f"{begin} and_u32 $s2, $s0, 3\n mad_u32 $s3, $s2, 2, $s1{end}", "mad_u32")
    assert not shuffled(f"{begin} mul_u32 $s3, $s0, $s1{end}", "mul_u32")
    limited = f"{begin} min_u32 $s3, $s0, 9{end}"
    assert not shuffled(limited, "min_u32")
    assert shuffled(limited, "min_u32", LIMITS)
    chosen = (
        f"{begin} cmp_eq_u32 $c0, $s0, 0\n sub_u32 $s3, $s0, 1\n select_u32 $s3, $c0, 0, $s3{end}"
    )
    assert not shuffled(chosen, "select_u32")
    assert shuffled(chosen, "select_u32", LIMITS)
    torus = chosen.replace("$c0, 0, $s3", "$c0, 9, $s3")
    assert not shuffled(torus, "select_u32", LIMITS)
    load = "cvt_u64_u32 $d1, $s0\n ld_kernarg_u64 $d2, [%x]\n mad_u64 $d1, $d1, 4, $d2\n"
    load += " ld_global_u32 $s2, [$d1]\n"
    assert not shuffled(f"{begin}{load} xor_u32 $s3, $s2, 1{end}", "xor_u32")


@pytest.mark.parametrize(("row", "is_one"), [("$s1", True), ("$s2", False)])
def test_places_of_one_row_are_sampled_without_products(row: str, *, is_one: bool) -> None:
    shapes = shapes_of(
        f"""
        workitemabsid_u32 $s0, 0
        ld_kernarg_u32 $s1, [%n]
        cvt_f32_u32 $s2, $s0
        mul_f32 $s2, $s2, 0.75
        cvt_s32_f32 $s2, $s2
        mad_u32 $s3, {row}, $s1, $s2
        ld_kernarg_u64 $d0, [%x]
        st_global_u32 $s3, [$d0]
        ret"""
    )
    index = op_of(shapes.ssa, "mad_u32")
    assert is_sampled(index, shapes)
    assert is_sampled(index, shapes, one_row=True) == is_one


@pytest.mark.parametrize(
    ("index", "is_one"),
    [
        ("add_u32 $s3, $s0, 5", True),
        ("shr_u32 $s3, $s0, 1", True),
        ("ld_kernarg_u32 $s3, [%n]\n add_u32 $s3, $s3, $s0", True),
        ("atomic_add_global_u32 $s3, [$d1], $s0\n add_u32 $s3, $s3, 1", True),
        ("mad_u64 $d2, $d0, 4, $d1\n ld_global_u32 $s3, [$d2]", False),
        ("mad_u64 $d2, $d0, 4, $d1\n ld_global_u32 $s3, [$d2]\n and_u32 $s3, $s3, 63", False),
        ("ld_global_u32 $s3, [$d1]\n add_u32 $s3, $s3, $s0", True),
    ],
)
def test_indices_that_lanes_have_loaded_are_not_calculated(index: str, is_one: bool) -> None:
    shapes = shapes_of(
        f"""
        workitemflatabsid_u32 $s0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%x]
        {index}
        mul_u32 $s4, $s3, 3
        cvt_u64_u32 $d3, $s4
        mad_u64 $d3, $d3, 4, $d1
        st_global_u32 $s3, [$d3]"""
    )
    assert is_computed(op_of(shapes.ssa, "mul_u32"), shapes) == is_one


@pytest.mark.parametrize(
    ("index", "is_one"),
    [
        ("cvt_f32_u32 $s3, $s0\n mul_f32 $s3, $s3, 0.5\n cvt_u32_f32 $s3, $s3", True),
        ("cvt_f64_u32 $d2, $s0\n floor_f64 $d2, $d2\n cvt_s32_f64 $s3, $d2", True),
        ("cvt_u64_u32 $d2, $s0\n mul_u64 $d2, $d2, 5\n cvt_u32_u64 $s3, $d2", False),
        ("mul_u32 $s3, $s0, 5", False),
    ],
)
def test_sampled_is_what_is_made_of_floats(index: str, is_one: bool) -> None:
    shapes = shapes_of(
        f"""
        workitemflatabsid_u32 $s0
        {index}
        add_u32 $s4, $s3, 3
        cvt_u64_u32 $d0, $s4
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d1, $d0, 4, $d1
        st_global_u32 $s0, [$d1]"""
    )
    assert is_sampled(op_of(shapes.ssa, "add_u32"), shapes) == is_one


SAMPLED = """
    kernel sample(global f32* %image, global f32* %out, u32 %n, f32 %scale, f32 %start) {
        workitemflatabsid_u32 $s0
        ld_kernarg_u32 $s1, [%n]
        ld_kernarg_f32 $s2, [%scale]
        ld_kernarg_f32 $s3, [%start]
        rem_u32 $s5, $s0, 7
        cmp_eq_u32 $c0, $s5, 2
        cbr $c0, @done
        cvt_f32_u32 $s4, $s0
        fma_f32 $s4, $s4, $s2, $s3
        floor_f32 $s4, $s4
        cvt_s32_f32 $s5, $s4
        sub_u32 $s6, $s1, 1
        add_s32 $s5, $s5, 1
        max_s32 $s5, $s5, 0
        min_s32 $s5, $s5, $s6
        ld_kernarg_u64 $d0, [%image]
        cvt_s64_s32 $d1, $s5
        mad_u64 $d1, $d1, 4, $d0
        ld_global_f32 $s7, [$d1]
        ld_kernarg_u64 $d0, [%out]
        cvt_u64_u32 $d1, $s0
        mad_u64 $d1, $d1, 4, $d0
        st_global_f32 $s7, [$d1]
    @done:
        ret
    }"""


@pytest.mark.parametrize("scale", [0.0, 0.3, 1.0, 1.9, 2.1, 50.0, -0.7, np.inf, np.nan])
@pytest.mark.parametrize("start", [0.0, 100.5, -3e9])
def test_places_made_of_floats_are_those_of_the_oracle(scale: float, start: float) -> None:
    for n in (1, 40, 300):
        x = np.random.default_rng(n).random(n, np.float32)
        numbers = [n, np.float32(scale), np.float32(start)]
        same(SAMPLED, [x, np.zeros(130, np.float32), *numbers], items=130, group_size=65)
        same(SAMPLED, [x, np.zeros(128, np.float32), *numbers], items=128, group_size=64)


@pytest.mark.parametrize("width", [1, 7, 16, 64])
def test_places_made_of_floats_in_warps_of_any_width(width: int) -> None:
    x = np.arange(90, dtype=np.float32)
    given = [x, np.zeros(128, np.float32), 90, np.float32(0.4), np.float32(2.0)]
    same(SAMPLED, given, items=128, group_size=64, width=width)


@pytest.mark.skipif(not host_has("avx512f"), reason="needs AVX-512")
def test_places_made_of_floats_have_windows() -> None:
    kernel = assemble(SAMPLED).kernels[0]
    facts = facts_of(kernel, Geometry.of(items=128, group_size=64))
    assert "vpermi2var.d.512" in generate(kernel, 0, facts)
