"""Stores of lanes that have found something: side by side, or at any places."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import simtlab
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.kernel.memory.shuffles.compacted import packs
from simtlab.emu.jit.llvm.toolchain import host_has
from simtlab.emu.traps import Trap

from ....support.agreement import same, trap_alike

SCAN = """
kernel scan(u32 %limit, u32 %first, global u32* %x, global {type}* %y) {{
    .group u32 sum[{group}]
    workitemid_u32 $s0, 0
    workitemabsid_u32 $s1, 0
    cvt_u64_u32 $d0, $s1
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s2, [$d1]
    ld_kernarg_u32 $s3, [%limit]
    cmp_lt_u32 $c1, $s2, $s3
    cvt_u32_b1 $s4, $c1
    shl_u32 $s5, $s0, 2
    st_group_u32 $s4, [sum+$s5]
    barrier
    mov_u32 $s6, 1
@double:
    mov_u32 $s7, 0
    cmp_lt_u32 $c0, $s0, $s6
    cbr $c0, @add
    sub_u32 $s8, $s0, $s6
    shl_u32 $s8, $s8, 2
    ld_group_u32 $s7, [sum+$s8]
@add:
    barrier
    add_u32 $s4, $s4, $s7
    st_group_u32 $s4, [sum+$s5]
    barrier
    shl_u32 $s6, $s6, 1
    cmp_lt_u32 $c0, $s6, {group}
    cbr $c0, @double
    not_b1 $c1, $c1
    cbr $c1, @done
    workgroupid_u32 $s9, 0
    mul_u32 $s9, $s9, {group}
    ld_kernarg_u32 $s6, [%first]
    add_u32 $s9, $s9, $s6
    add_u32 $s9, $s9, $s4
    {place}
    cvt_u64_u32 $d0, $s9
    cvt_u64_u32 $d3, $s2
    ld_kernarg_u64 $d1, [%y]
    mad_u64 $d1, $d0, {size}, $d1
    st_global_{type} {data}, [$d1]
@done:
    ret
}}"""
TYPES = {"u8": ("$s2", np.uint8), "u16": ("$s2", np.uint16), "u32": ("$s2", np.uint32)}
TYPES |= {"f32": ("$s2", np.float32), "u64": ("$d3", np.uint64)}


def scan(type_: str = "u32", group: int = 64, place: str = "sub_u32 $s9, $s9, 1") -> str:
    data, _ = TYPES[type_]
    size = int(type_[1:]) // 8
    return SCAN.format(type=type_, size=size, group=group, place=place, data=data)


def numbers(count: int) -> np.ndarray:
    return np.random.default_rng(count).integers(0, 1000, count, np.uint32)


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("limit", [0, 3, 250, 999, 1000])
def test_of_each_type_and_any_share(type_: str, limit: int) -> None:
    y = np.full(3 * 64, 77, TYPES[type_][1])
    same(scan(type_), [limit, 0, numbers(3 * 64), y], items=3 * 64, group_size=64)


@pytest.mark.parametrize("group", [1, 7, 16, 32, 48, 128, 192, 256])
def test_in_workgroups_of_any_size(group: int) -> None:
    y = np.zeros(3 * group + 5, np.uint32)
    same(scan(group=group), [400, 5, numbers(3 * group), y], items=3 * group, group_size=group)


PLACES = {
    "backwards": "sub_u32 $s9, 192, $s9",
    "every other one": "and_u32 $s9, $s9, 0xfffffffe",
    "one": "mov_u32 $s9, 3",
    "apart at times": "shr_u32 $s6, $s9, 3\n add_u32 $s9, $s9, $s6",
}


@pytest.mark.parametrize("name", PLACES)
def test_other_places_are_stored_to_as_well(name: str) -> None:
    y = np.zeros(256, np.uint32)
    x = numbers(192)
    if name in ("every other one", "one"):
        x[:] = 5  # whatever lane stores last
    same(scan(place=PLACES[name]), [400, 0, x, y], items=192, group_size=64)


@pytest.mark.parametrize("room", [1, 17, 100])
def test_a_place_outside_is_a_trap(room: int) -> None:
    y = np.zeros(room, np.uint32)
    trap_alike(scan(), [900, 0, numbers(192), y], items=192, group_size=64)


BALLOT = """
kernel ballot(u32 %limit, global u32* %x, global u32* %y) {{
    workitemabsid_u32 $s0, 0
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s2, [$d1]
    ld_kernarg_u32 $s3, [%limit]
    laneid_u32 $s4
    sub_u32 $s6, $s0, $s4
    ld_kernarg_u64 $d1, [%y]
    cmp_lt_u32 $c1, $s2, $s3
    activelanemask_u64 $d4, $c1
    mov_u64 $d5, 1
    shl_u64 $d5, $d5, $s4
    sub_u64 $d5, $d5, 1
    and_u64 $d6, $d4, $d5
    not_b1 $c1, $c1
    cbr $c1, @done
    activelaneid_u32 $s5
    {place}
    add_u32 $s6, $s6, $s5
    cvt_u64_u32 $d3, $s6
    mad_u64 $d1, $d3, 4, $d1
    st_global_u32 $s2, [$d1]
@done:
    ret
}}"""


RANKS = {
    "among those that run": "",
    "swapped": "xor_u32 $s5, $s5, 1",
    "apart": "mul_u32 $s5, $s5, 3",
    "of a ballot": "and_u64 $d4, $d4, $d5\n popcount_u64 $s5, $d4",
    "of one elsewhere": "popcount_u64 $s5, $d6",
    "of a ballot, from one on": "and_u64 $d4, $d4, $d5\n popcount_u64 $s5, $d4\n"
    "add_u32 $s5, $s5, 1",
    "of more than run": "and_u32 $s5, $s4, 3\n cmp_eq_u32 $c0, $s5, 0\n cbr $c0, @done\n"
    "and_u64 $d4, $d4, $d5\n popcount_u64 $s5, $d4",
}


@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
@pytest.mark.parametrize("name", RANKS)
def test_ranks_are_as_in_the_interpreter(width: int, name: str) -> None:
    found = []
    for engine in ("jit", "interp"):
        device = simtlab.Device()
        x, y = device.to_device(numbers(256)), device.to_device(np.zeros(1024, np.uint32))
        kernel = simtlab.assemble(BALLOT.format(place=RANKS[name]))["ballot"]
        kernel.launch(items=(256,), group_size=(64,), engine=engine, warp=width)(300, x, y)
        found.append(y.to_host())
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("room", [1, 40, 65, 200])
@pytest.mark.parametrize("name", ["among those that run", "of a ballot"])
def test_a_rank_outside_is_a_trap(room: int, name: str) -> None:
    found = []
    for engine in ("jit", "interp"):
        device = simtlab.Device()
        x, y = device.to_device(numbers(256)), device.to_device(np.zeros(room, np.uint32))
        kernel = simtlab.assemble(BALLOT.format(place=RANKS[name]))["ballot"]
        launch = kernel.launch(items=(256,), group_size=(64,), engine=engine, warp=32)
        with pytest.raises(Trap) as caught:
            launch(500, x, y)
        found.append(caught.value.record.key)
    assert found[0] == found[1]


@pytest.mark.skipif(not packs(32, 16), reason="packs data by AVX-512")
@pytest.mark.parametrize(
    ("place", "is_rank"), [("sub_u32 $s9, $s9, 1", True), (PLACES["backwards"], False)]
)
def test_data_are_packed_in_a_register(place: str, is_rank: bool) -> None:
    # Scatters that are fast take less time than finding that places are side by side, unless they
    # are those of a count of flags.
    kernel = simtlab.assemble(scan(group=192, place=place))["scan"].kernel
    facts = facts_of(kernel, Geometry.of(items=(1920,), group_size=(192,)))
    for slow in (False, True):
        text = generate(kernel, 0, replace(facts, slow_gathers=slow))
        assert ("avx512.mask.compress" in text) == (slow or is_rank)
        assert "masked.compressstore" not in text


@pytest.mark.skipif(not packs(32, 16), reason="packs data by AVX-512")
def test_ranks_need_no_slow_scatters() -> None:
    for name in ("among those that run", "of a ballot"):
        kernel = simtlab.assemble(BALLOT.format(place=RANKS[name]))["ballot"].kernel
        facts = facts_of(kernel, Geometry.of(items=(640,), group_size=(64,)))
        assert "avx512.mask.compress" in generate(kernel, 0, replace(facts, slow_gathers=False))


@pytest.mark.skipif(not host_has("avx512vbmi2"), reason="packs bytes by AVX-512 VBMI2")
def test_bytes_are_packed_as_well() -> None:
    assert packs(8, 16)
    assert packs(16, 16)
    assert not packs(64, 16)
    assert not packs(8, 8)
