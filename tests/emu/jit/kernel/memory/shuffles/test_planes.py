"""Planes whose elements come in turn, and elements that lanes share: wide accesses and shuffles."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.widths.thirds import THREE_VECTORS
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.launch.regroup import as_run
from simtlab.emu.jit.llvm.toolchain import host_has

from ....support.agreement import same, trap_alike

needs_shuffles = pytest.mark.skipif(not host_has("avx512bw"), reason="needs AVX-512BW")

COPY = """\
kernel k(u32 %n, u32 %a, u32 %b, u32 %first, global TYPE* %x, global TYPE* %y) {
    workitemabsid_u32 $s0, 0
    workitemabsid_u32 $s1, 1
    ld_kernarg_u32 $s2, [%n]
    ld_kernarg_u32 $s3, [%first]
    cmp_ge_u32 $c0, $s0, $s2
    cmp_lt_u32 $c1, $s0, $s3
    or_b1 $c0, $c0, $c1
    cbr $c0, @done
    ld_kernarg_u32 $s4, [%a]
    ld_kernarg_u32 $s5, [%b]
    QUOTIENT
    mul_u32 $s8, $s4, $s5
    PLACE
    mad_u32 $s10, $s1, $s2, $s0
    cvt_u64_u32 $d0, FROM
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d0, $d0, SIZE, $d1
    ld_global_TYPE $R11, [$d0]
    cvt_u64_u32 $d0, TO
    ld_kernarg_u64 $d1, [%y]
    mad_u64 $d0, $d0, SIZE, $d1
    st_global_TYPE $R11, [$d0]
@done:
    ret
}
"""
SIZES = {"u8": "u1", "u16": "u2", "u32": "u4", "f32": "f4", "u64": "u8", "f64": "f8"}
PLANES = "mad_u32 $s9, $s6, $s4, $s1\n mad_u32 $s9, $s9, $s5, $s7"
"""Plane $s6, row $s1 and column $s7 of planes of $s4 rows of $s5 elements."""
SHARED = "mad_u32 $s9, $s1, $s5, $s7"
"""An element for some lanes."""


def quotient(count: int, *, by_bits: bool = False) -> str:
    if by_bits:
        return f"and_u32 $s6, $s0, {count - 1}\n shr_u32 $s7, $s0, {count.bit_length() - 1}"
    return f"rem_u32 $s6, $s0, {count}\n div_u32 $s7, $s0, {count}"


def copy(
    split: str, place: str = PLANES, *, stores: bool = False, type_: str = "u32", guard: bool = True
) -> str:
    ends = ("$s10", "$s9") if stores else ("$s9", "$s10")
    text = COPY.replace("QUOTIENT", split).replace("PLACE", place)
    text = text.replace("FROM", ends[0]).replace("TO", ends[1])
    if not guard:
        text = text.replace("    cbr $c0, @done\n", "")
    text = text.replace("TYPE", type_).replace("SIZE", str(int(type_[1:]) // 8))
    return text.replace("$R", "$d" if type_.endswith("64") else "$s")


def numbers(count: int, type_: str = "u32") -> np.ndarray:
    return np.random.default_rng(3).integers(1, 250, count).astype(SIZES[type_])


def given(width: int, height: int, count: int, first: int = 0, type_: str = "u32") -> list[Any]:
    across = -(-width // count)
    x = numbers(count * height * across, type_)
    return [width, height, across, first, x, np.zeros_like(x)]


@pytest.mark.parametrize("type_", SIZES)
@pytest.mark.parametrize("stores", [False, True])
@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 8, 12])
def test_planes_of_all_types(count: int, stores: bool, type_: str) -> None:
    text = copy(quotient(count), stores=stores, type_=type_)
    args = given(200, 6, count, type_=type_)
    y = same(text, args, items=(208, 6), group_size=(16, 2))[1]
    if not stores:
        planes = args[4].reshape(count, 6, -1).transpose(1, 2, 0).reshape(6, -1)
        np.testing.assert_array_equal(y[: 200 * 6].reshape(6, 200), planes[:, :200])


@pytest.mark.parametrize("count", [3, 6, 12])
@pytest.mark.parametrize("stores", [False, True])
@pytest.mark.parametrize("width", [7, 47, 48, 49, 96, 191, 193, 400, 1000])
def test_rows_of_warps_of_three_vectors(width: int, stores: bool, count: int) -> None:
    text = copy(quotient(count), stores=stores)
    for first in (0, 5):
        same(text, given(width, 3, count, first), items=(width, 3), group_size=(16, 1))


@pytest.mark.parametrize("group", [(48, 1), (96, 1), (192, 1), (240, 1), (64, 3)])
def test_workgroups_of_three_vectors_that_are_seen(group: tuple[int, int]) -> None:
    """Places are those of the grid, but the workgroup's size is added and taken away."""
    text = copy(f"{quotient(3)}\n workgroupsize_u32 $s15, 0\n add_u32 $s7, $s7, $s15")
    text = text.replace("mul_u32 $s8", "sub_u32 $s7, $s7, $s15\n mul_u32 $s8")
    shape = (2 * group[0], 3)
    same(text, given(shape[0] - 5, 3, 3), items=shape, group_size=group)


@pytest.mark.parametrize("stores", [False, True])
@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
@pytest.mark.parametrize("group", [(32, 1), (64, 1), (48, 1), (20, 1), (3, 1), (32, 4), (8, 8)])
def test_widths_and_workgroups(group: tuple[int, int], width: int, stores: bool) -> None:
    text = copy(quotient(2, by_bits=True), stores=stores)
    shape = (-(-100 // group[0]) * group[0], 8)
    same(text, given(100, 8, 2), items=shape, group_size=group, width=width)


@pytest.mark.parametrize("stores", [False, True])
@pytest.mark.parametrize("first", [0, 1, 2, 3, 17, 33])
@pytest.mark.parametrize("width", [66, 99, 131, 200, 257])
def test_rows_that_begin_and_end_anywhere(width: int, first: int, stores: bool) -> None:
    """Their interior warps begin at multiples of a vector, whatever is left out before."""
    for count in (2, 4):
        args = given(width, 5, count, first)
        same(copy(quotient(count), stores=stores), args, items=(width, 5), group_size=(64, 1))


@pytest.mark.parametrize("count", [2, 3, 4, 6, 16, 24])
@pytest.mark.parametrize("type_", ["u8", "u16", "f32", "f64"])
def test_elements_that_lanes_share(count: int, type_: str) -> None:
    text = copy(quotient(count), SHARED, type_=type_)
    across = -(-200 // count)
    x = numbers(across * 5, type_)
    args = [200, 5, across, 0, x, np.zeros(1000, x.dtype)]
    y = same(text, args, items=(200, 5), group_size=(64, 1))[1]
    rows = np.repeat(x.reshape(5, across), count, axis=1)
    np.testing.assert_array_equal(y.reshape(5, 200), rows[:, :200])


@pytest.mark.parametrize("change", ["xor_u32 $s7, $s0, 1", "xor_u32 $s7, $s0, 7"])
@pytest.mark.parametrize("stores", [False, True])
@pytest.mark.parametrize("type_", ["u8", "u16", "f32", "f64"])
@pytest.mark.parametrize("added", [0, -2])
def test_neighbours_in_another_order(change: str, stores: bool, type_: str, added: int) -> None:
    """Lane 0 has not the first place; sums may wrap around, as those below 0 do here."""
    place = f"mad_u32 $s9, $s1, 208, $s7\n add_s32 $s9, $s9, {added}"
    text = copy(change, place, stores=stores, type_=type_)
    args = given(208, 5, 1, 8 if added else 0, type_=type_)
    same(text, args, items=(208, 5), group_size=(64, 1))


@pytest.mark.parametrize("operation", ["or_u32 $s7, $s0, 3", "and_u32 $s7, $s0, 0xfffffffc"])
@pytest.mark.parametrize("type_", ["u8", "u16", "f32", "f64"])
@pytest.mark.parametrize("stores", [False, True])
def test_bits_that_are_set_or_cleared(operation: str, type_: str, stores: bool) -> None:
    text = copy(operation, "mad_u32 $s9, $s1, 200, $s7", stores=stores, type_=type_)
    same(text, given(200, 5, 1, type_=type_), items=(200, 5), group_size=(64, 1))


@pytest.mark.parametrize("type_", ["u8", "u16", "f32", "f64"])
@pytest.mark.parametrize("missing", [0, 1, 2])
def test_every_other_element_up_to_the_end(missing: int, type_: str) -> None:
    """What is loaded with the last element may be outside, or may not."""
    text = copy("and_u32 $s7, $s0, 0xfffffffe", "mad_u32 $s9, $s1, 192, $s7", type_=type_)
    args = given(192, 5, 1, type_=type_)
    args[4] = args[4][: len(args[4]) - missing].copy()
    (trap_alike if missing == 2 else same)(text, args, items=(192, 5), group_size=(64, 1))


def test_several_lanes_that_store_to_one_place() -> None:
    """The last one's number stays, as of single lanes."""
    args = [200, 5, 100, 0, numbers(1000), np.zeros(1000, np.uint32)]
    same(copy(quotient(2), SHARED, stores=True), args, items=(200, 5), group_size=(64, 1))


@pytest.mark.parametrize("stores", [False, True])
@pytest.mark.parametrize("b", [0, 1, 5, 31, 32, 64, 448])
def test_planes_at_any_distance(b: int, stores: bool) -> None:
    """They may be one, overlap, or end with the buffer."""
    array = numbers(512)
    args = [128, 1, b, 0, array, np.zeros_like(array)]
    same(copy(quotient(2), stores=stores), args, items=(128, 1), group_size=(64, 1))


@pytest.mark.parametrize("stores", [False, True])
@pytest.mark.parametrize("b", [449, 1 << 30, (1 << 32) - 1, (1 << 32) - 64])
def test_planes_outside(b: int, stores: bool) -> None:
    array = numbers(512)
    args = [128, 1, b, 0, array, np.zeros_like(array)]
    trap_alike(copy(quotient(2), stores=stores), args, items=(128, 1), group_size=(64, 1))


@pytest.mark.parametrize("stores", [False, True])
def test_planes_whose_places_fall(stores: bool) -> None:
    """Sums wrap around 2^32, and are inside after that."""
    text = copy(quotient(2), f"{PLANES}\n add_u32 $s9, $s9, 200", stores=stores)
    array = numbers(512)
    for b in (100, 64, 1):
        args = [128, 1, (1 << 32) - b, 0, array, np.zeros_like(array)]
        same(text, args, items=(128, 1), group_size=(64, 1))


@pytest.mark.parametrize("missing", [1, 2, 33, 64, 65])
@pytest.mark.parametrize("stores", [False, True])
def test_elements_that_are_missing(missing: int, stores: bool) -> None:
    args = given(128, 4, 2)
    args[5 if stores else 4] = args[4][:-missing].copy()
    trap_alike(copy(quotient(2), stores=stores), args, items=(128, 4), group_size=(64, 1))


def orders(text: str) -> set[tuple[int, ...]]:
    """Return the orders in which vectors are shuffled in the code for long rows."""
    geometry = Geometry.of(items=(2048, 64), group_size=(32, 4))
    kernel, geometry = as_run(assemble(text).kernels[0], geometry)
    facts = facts_of(kernel, geometry)
    assert facts.rows
    shuffled = re.findall(
        r"shufflevector <16 x i32> .*, <16 x i32> <(.*)>", generate(kernel, 0, facts)
    )
    return {tuple(int(n.split()[-1]) for n in order.split(",")) for order in shuffled}


@needs_shuffles
def test_words_of_planes_are_shuffled() -> None:
    interleaved = tuple(n for pair in zip(range(8), range(16, 24), strict=True) for n in pair)
    assert interleaved in orders(copy(quotient(2)))
    assert {(*range(0, 32, 2),), (*range(1, 32, 2),)} <= orders(copy(quotient(2), stores=True))


@needs_shuffles
@pytest.mark.parametrize("count", [3, 6, 12])
def test_rows_that_are_taken_apart_by_three_have_warps_of_48(count: int) -> None:
    for across, row in ((384, 384), (3000, 3072), (96, 192), (40, 48), (20, 0)):
        kernel = assemble(copy(quotient(count))).kernels[0]
        kernel, geometry = as_run(kernel, Geometry.of(items=(across, 4), group_size=(8, 2)))
        if row:
            assert geometry.group_size == (row, 1, 1)
        assert (facts_of(kernel, geometry).width == THREE_VECTORS) == (row > 0)
    order = tuple(n // count for n in range(16))
    assert order in orders(copy(quotient(count), SHARED))


@needs_shuffles
@pytest.mark.parametrize("count", [2, 4])
def test_words_that_lanes_share_are_shuffled(count: int) -> None:
    assert tuple(n // count for n in range(16)) in orders(copy(quotient(count), SHARED))
