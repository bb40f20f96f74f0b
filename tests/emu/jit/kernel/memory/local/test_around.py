"""Idle lanes that are before or after group memory, in a loop that waits for its own stores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.kernel.memory.local.memory import LocalMemory
from simtlab.emu.jit.llvm.toolchain import host_has

from ....support.agreement import same

BELOW = """
    cmp_lt_u32 $c0, $s0, $s7
    cbr $c0, @keep
    sub_u32 $s8, $s0, $s7"""
ABOVE = """
    cmp_ge_u32 $c0, $s7, GROUP
    cbr $c0, @keep
    add_u32 $s8, $s0, $s7
    cmp_ge_u32 $c0, $s8, GROUP
    cbr $c0, @keep"""
GUARDED = """
    cmp_lt_u32 $c0, $s0, 5
    cbr $c0, @stored"""


def text_of(group: int, place: str, *, guard: str = "", own: str = "") -> str:
    """Each work-item adds, step after step, the sum of the one that is a distance away."""
    return f"""
    kernel k(u32 %n, global u32* %distance, global u32* %y) {{
        .group u32 sum[{group}]
        workitemid_u32 $s0, 0
        workitemabsid_u32 $s1, 0
        ld_kernarg_u32 $s2, [%n]
        ld_kernarg_u64 $d1, [%distance]
        mul_u32 $s4, $s1, 7
        shl_u32 $s5, $s0, 2
        st_group_u32 $s4, [sum+$s5]
        mov_u32 $s6, 0
        barrier
    @step:
        ld_global_u32 $s7, [$d1]
        {place.replace("GROUP", str(group))}
        shl_u32 $s8, $s8, 2
        ld_group_u32 $s9, [sum+$s8]
        {own}
        mad_u32 $s4, $s9, 3, $s4
    @keep:
        barrier
        {guard}
        st_group_u32 $s4, [sum+$s5]
    @stored:
        barrier
        add_u64 $d1, $d1, 4
        add_u32 $s6, $s6, 1
        cmp_lt_u32 $c0, $s6, $s2
        cbr $c0, @step
        cvt_u64_u32 $d0, $s1
        ld_kernarg_u64 $d1, [%y]
        mad_u64 $d1, $d0, 4, $d1
        st_global_u32 $s4, [$d1]
        ret
    }}"""


DISTANCES = [1, 0, 3, 15, 16, 17, 31, 64, 100, 127, 128, 190, 255, 256, 1000, 1 << 30, 1 << 31]
DISTANCES += [(1 << 32) - 1, (1 << 32) - 64, 2, 5]


def arguments(items: int) -> list[Any]:
    distances = np.array(DISTANCES, np.uint32)
    return [np.uint32(len(distances)), distances, np.zeros(items, np.uint32)]


@pytest.mark.parametrize("group", [1, 7, 16, 32, 64, 96, 192, 256])
@pytest.mark.parametrize("place", [BELOW, ABOVE])
def test_idle_lanes_may_be_anywhere(group: int, place: str) -> None:
    same(text_of(group, place), arguments(2 * group), items=2 * group, group_size=group)


@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
@pytest.mark.parametrize("place", [BELOW, ABOVE])
def test_warps_may_have_any_width(width: int, place: str) -> None:
    same(text_of(192, place), arguments(192), items=192, group_size=192, width=width)


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, True),
        ({"guard": GUARDED}, False),
        ({"own": "ld_group_u32 $s10, [sum+$s5]\n add_u32 $s9, $s9, $s10"}, False),
    ],
)
@pytest.mark.skipif(not host_has("avx512f"), reason="shifts are permutations of two vectors")
def test_where_they_read_around_it(
    changes: dict[str, str], found: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the load waits for stores of whole vectors, and nothing else is loaded meanwhile."""
    asked: list[object] = []
    around = LocalMemory._around

    def noted(self: LocalMemory, *given: Any) -> list[str]:
        asked.append(given[0])
        return around(self, *given)

    monkeypatch.setattr(LocalMemory, "_around", noted)
    text = text_of(192, BELOW, **changes)
    (kernel,) = assemble(text).kernels
    geometry = Geometry.of(None, 192, items=192, width=32)
    generate(kernel, 0, facts_of(kernel, geometry))
    assert bool(asked) == found
    same(text, arguments(192), items=192, group_size=192)
