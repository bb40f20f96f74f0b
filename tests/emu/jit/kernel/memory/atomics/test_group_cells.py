"""Cells of atomics after group memory, whose addresses have other low bits."""

import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.jit.kernel.memory.group_cells import ALIASED, GroupCells, group_cells

SOURCE = """
kernel count(global u32* %bins) {{
    .group u32 counters[{words}]
    workitemid_u32 $s0, 0
    {atomic}
    ret
}}
"""
ADD = "atomic_add_group_u32 [counters], $s0"


def cells(words: int, width: int, atomic: str = ADD) -> GroupCells:
    kernel = assemble(SOURCE.format(words=words, atomic=atomic)).kernels[0]
    return group_cells(kernel, width, -(-width // 16))


@pytest.mark.parametrize("width", [1, 7, 16, 64, 256])
def test_cells_are_apart_from_group_memory_and_each_other(width: int) -> None:
    found = cells(256, width)
    sizes = {"offsets": 4 * width, "running": 8 * -(-width // 16)}
    end = 1024
    for name, start in found.offsets.items():
        assert start % 64 == 0
        assert start >= end
        end = start + sizes.get(name, 8 * width)
    assert {"offsets", "running"} <= found.offsets.keys()
    assert end <= found.end <= ALIASED


def test_cells_that_would_have_the_low_bits_of_group_memory_are_elsewhere() -> None:
    assert not cells(ALIASED // 4, 64).offsets
    assert "offsets" not in cells(800, 256).offsets


def test_kernels_without_atomics_of_group_memory_have_no_such_cells() -> None:
    assert cells(16, 64, "st_group_u32 $s0, [counters]") == GroupCells()
