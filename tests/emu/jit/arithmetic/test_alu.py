"""Every computing row: generated code, scalar and of many widths, against the interpreter.

One module holds all rows of a width, so that a test compiles once.
"""

from __future__ import annotations

import llvmlite.binding as llvm
import numpy as np
import pytest

from simtlab.emu.jit.arithmetic import emit as alu
from simtlab.emu.jit.llvm import toolchain as build
from simtlab.emu.jit.llvm.toolchain import Level
from simtlab.isa.table import BY_NAME, TABLE
from simtlab.isa.types import F32, F64, Kind, Type

from ...support.alu_rows import COMPUTING, bit_patterns, literal_choices
from ..support.loops import DIVISIONS, Loop, Loops, differences

CASES = 600
USUAL_WIDTHS = (0, 7, 16)


def every_row() -> list[Loop]:
    return [
        Loop(name, literals)
        for name in COMPUTING
        for literals in literal_choices(BY_NAME[name], np.random.default_rng(7))
    ]


def patterns(loop: Loop, count: int = CASES) -> list[np.ndarray]:
    """Sources of a loop; a constant one has its value everywhere, and no divisor is zero."""
    rng = np.random.default_rng(loop.row.number)
    sources = [bit_patterns(t, rng, count) for t in loop.types]
    if loop.fixed is not None:
        position, bits = loop.fixed
        sources[position][:] = bits
    assert loop.row.type is not None
    if loop.row.stem in DIVISIONS and not loop.row.type.is_float:
        sources[1][sources[1] == 0] = 1
    return sources


def check(loops: Loops) -> None:
    wrong = [
        text
        for number, loop in enumerate(loops.loops)
        if (text := differences(loops, number, patterns(loop)))
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("n", USUAL_WIDTHS)
def test_rows_compute_what_the_interpreter_computes(n):
    check(Loops(n, every_row()))


@pytest.mark.slow
@pytest.mark.parametrize("n", sorted(set(range(1, 65)) - set(USUAL_WIDTHS)))
def test_rows_at_every_other_width(n):
    check(Loops(n, every_row()))


def test_rows_after_the_short_list_of_passes():
    check(Loops(16, every_row(), Level.QUICK))


def constants_of(type_: Type) -> list[int]:
    """Constants of a source type that generated code may treat in a way of their own."""
    if type_.kind is Kind.BOOL:
        return [0, 1]
    if type_.is_float:
        special = {
            F32: [0x3FC0_0000, 0x8000_0000, 0x7F80_0001, 0xFFC1_2345, 0x7F80_0000],
            F64: [0x3FF8 << 48, 1 << 63, (0x7FF0 << 48) | 1, (0xFFF8 << 48) | 7, 0x7FF0 << 48],
        }
        return special[type_]
    top = 1 << (type_.reg.bits - 1)
    return [1, 2, 3, 7, 10, 33, 641, 0x10001, top - 1, top, top + 1, 2 * top - 1]


STEMS = {BY_NAME[name].stem for name in COMPUTING}
SHIFTS = {"shl", "shr"}


@pytest.mark.parametrize(
    ("n", "stems"),
    [
        (0, DIVISIONS),
        (16, {"div", *SHIFTS}),
        pytest.param(16, STEMS - {"div", *SHIFTS}, marks=pytest.mark.slow),
    ],
    ids=["divisions", "vectors", "other vectors"],
)
def test_rows_with_a_constant_source(n, stems):
    """Immediates arrive as constants; shifts and divisions make something of them."""
    loops = [
        Loop(name, literals, (position, bits))
        for name in COMPUTING
        if BY_NAME[name].stem in stems
        for literals in literal_choices(BY_NAME[name], np.random.default_rng(7))[:1]
        for position, type_ in enumerate(Loop(name).types)
        for bits in _some(constants_of(type_), BY_NAME[name].stem)
    ]
    check(Loops(n, loops))


def _some(constants: list[int], stem: str) -> list[int]:
    return constants if stem in {*DIVISIONS, *SHIFTS} else constants[:2]


@pytest.mark.parametrize("n", [0, 16])
def test_division_near_the_places_where_a_quotient_changes(n):
    rng = np.random.default_rng(5)
    for bits in (32, 64):
        loops = Loops(n, [Loop(f"{s}_{t}{bits}") for s in ("div", "rem") for t in "us"])
        width = np.uint64(2 ** (bits - 1) - 1)
        divisors = rng.integers(1, width, 40_000, np.uint64) >> rng.integers(
            0, bits - 1, 40_000, np.uint64
        )
        divisors = np.maximum(divisors, np.uint64(1))
        room = np.uint64((1 << bits) - 1) // divisors
        quotients = (rng.random(40_000) * room.astype(float)).astype(np.uint64)
        near = rng.integers(-2, 3, 40_000).astype(np.uint64)
        dividends = (quotients * divisors + near).astype(f"uint{bits}")
        divisors = divisors.astype(f"uint{bits}")
        negated = rng.random(40_000) < 0.5
        divisors[negated] = -divisors[negated]
        for number in range(4):
            assert not differences(loops, number, [dividends, divisors])


@pytest.mark.parametrize("n", [0, 1, 7, 16, 32, 64])
def test_powers_and_logarithms_by_exponents(n):
    """In whole registers AVX-512 takes numbers apart: near each power, half and limit."""
    loops = Loops(n, [Loop("exp2_f32"), Loop("log2_f32")])
    halves = (np.arange(-304, 305, dtype=np.float32) / 2).view(np.uint32)
    exponents = np.arange(512, dtype=np.uint32) << 23
    limits = np.array([0, 0x7F80_0000, 0x7FC0_0000, 0x7F80_0001, 0xFFC1_2345], np.uint32)
    places = np.concatenate([halves, exponents, exponents | 0x3504F3, limits])
    near = (places[:, None] + np.arange(-2, 3).astype(np.uint32)).ravel()
    for number in range(2):
        assert not differences(loops, number, [np.resize(near, -(-near.size // 64) * 64)])


@pytest.mark.parametrize("n", [0, 8, 16])
def test_functions_where_no_some_and_all_lanes_take_the_rare_steps(n):
    loops = Loops(n, [Loop("sin_f32"), Loop("cos_f32")])
    rng = np.random.default_rng(6)
    small = rng.normal(0, 100, 4096).astype(np.float32)
    large = (rng.normal(0, 1, 4096) * 2.0 ** rng.integers(17, 120, 4096)).astype(np.float32)
    mixed = np.where(np.arange(4096) % 37 == 5, large, small)
    mixed[::101] = np.inf
    for number in range(2):
        for values in (small, large, mixed):
            assert not differences(loops, number, [values.view(np.uint32)])


def test_every_row_without_memory_and_control_can_be_emitted():
    known = [row.name for row in TABLE if alu.can_emit(row)]
    assert known == COMPUTING


def test_what_lowering_is_told_about_the_bits_of_nans():
    loose = {name for name in COMPUTING if alu.may_be_noncanonical(BY_NAME[name])}
    assert {"add_f32", "cvt_f64_f32", "min_f64", "sin_f32", "cvt_f32_f64"} <= loose
    assert not loose & {"mov_u32", "neg_f32", "abs_f64", "select_f32", "cvt_s32_f32", "cvt_f32_u8"}
    assert alu.wants_canonical(BY_NAME["add_u32"], 1)
    assert alu.wants_canonical(BY_NAME["neg_f32"], 0)
    assert alu.wants_canonical(BY_NAME["movhi_u64"], 1)
    assert not alu.wants_canonical(BY_NAME["fma_f32"], 2)
    assert not alu.wants_canonical(BY_NAME["cvt_s32_f32"], 0)
    assert not alu.wants_canonical(BY_NAME["select_f32"], 0)
    assert alu.carries(BY_NAME["select_f32"], 1)
    assert not alu.carries(BY_NAME["select_f32"], 0)


@pytest.mark.slow
@pytest.mark.parametrize("n", [0, 7, 8, 16])
@pytest.mark.parametrize("cpu", ["x86-64", "nehalem", "haswell", "skylake"])
def test_rows_on_cpus_without_wide_vectors(monkeypatch, cpu, n):
    """From SSE2 without fma to AVX2: LLVM expands what they do not have."""
    if not llvm.get_process_triple().startswith("x86_64") or not build.host_has("avx2"):
        pytest.skip("the host cannot run code for these CPUs")
    monkeypatch.setattr(build, "_cpu", lambda: (cpu, ""))
    monkeypatch.setattr(build, "host_has", lambda feature: False)
    build.function_attributes.cache_clear()
    try:
        check(Loops(n, every_row()))
    finally:
        build.function_attributes.cache_clear()
