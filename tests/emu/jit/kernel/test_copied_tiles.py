"""Tiles that are copies of global memory, which interior workgroups read there."""

from __future__ import annotations

import os
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.ranges.offset_ranges import Ranges
from simtlab.emu.engine import Work
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.interior import version
from simtlab.emu.jit.kernel.interior.tiles import Tile, tile_of
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.isa.program import Kernel

from ...support.oracle_work import make
from ..support.against_oracle import assert_as_oracle
from ..support.agreement import same
from ..support.fences import fenced

Three = tuple[int, int, int]


@dataclass(frozen=True)
class Halo:
    """A kernel whose workgroups copy a tile with a halo, and load neighbours from it."""

    size: Three
    radius: Three
    fill: str = "flat"
    """How the tile is copied: number by number, or row by row in strides."""
    repeats: bool = False
    """Whether the kernel does all of it %n times, in a loop."""
    between: str = ""
    """Instructions after the barrier, before any load of the tile; d3 is a place of its own."""
    loops: bool = False
    """Whether neighbours of a row are loaded in a loop."""

    @property
    def tile(self) -> list[int]:
        return [s + 2 * r for s, r in zip(self.size, self.radius, strict=True)]

    def facts(self, compiled: Kernel) -> Facts:
        """Return what is known of its launches."""
        x, y, z = self.size
        geometry = Geometry.of(items=(8 * x, 8 * y, 8 * z), group_size=self.size, width=32)
        return facts_of(compiled, geometry)

    def text(self) -> str:
        """Return the source."""
        x, y, z = self.tile
        again = ("@again:", "add_u32 $s21, $s21, 1\n cmp_lt_u32 $c1, $s21, $s20\n cbr $c1, @again")
        head, tail = again if self.repeats else ("", "")
        fill = self._flat() if self.fill == "flat" else self._rows()
        return f"""
kernel k(u32 %n, u32 %w, u32 %h, global u32* %x, global u32* %y) {{
    .group u32 tile[{x * y * z}]
    workitemid_u32 $s0, 0
    workitemid_u32 $s1, 1
    workitemid_u32 $s2, 2
    workgroupid_u32 $s3, 0
    workgroupid_u32 $s4, 1
    workgroupid_u32 $s5, 2
    mul_u32 $s3, $s3, {self.size[0]}
    mul_u32 $s4, $s4, {self.size[1]}
    mul_u32 $s5, $s5, {self.size[2]}
    ld_kernarg_u32 $s20, [%n]
    ld_kernarg_u32 $s6, [%w]
    ld_kernarg_u32 $s7, [%h]
    ld_kernarg_u64 $d0, [%x]
    workitemflatabsid_u32 $s18
    cvt_u64_u32 $d3, $s18
    ld_kernarg_u64 $d4, [%y]
    mad_u64 $d3, $d3, 4, $d4
    mov_u32 $s21, 0
    mov_u32 $s15, 0
{head}
{fill}
    barrier
    {self.between}
    mad_u32 $s9, $s2, {y}, $s1
    mad_u32 $s9, $s9, {x}, $s0
    shl_u32 $s9, $s9, 2
{self._loads()}
    barrier
    st_global_u32 $s15, [$d3]
    {tail}
    ret
}}
"""

    def _place(self) -> str:
        return """
    mad_u32 $s9, $s9, $s7, $s11
    mad_u32 $s9, $s9, $s6, $s12
    cvt_u64_u32 $d1, $s9
    mad_u64 $d1, $d1, 4, $d0
    ld_global_u32 $s13, [$d1]
"""

    def _flat(self) -> str:
        x, y, z = self.tile
        return f"""
    workitemflatid_u32 $s8
@load:
    div_u32 $s9, $s8, {x * y}
    rem_u32 $s10, $s8, {x * y}
    div_u32 $s11, $s10, {x}
    rem_u32 $s12, $s10, {x}
    add_u32 $s9, $s9, $s5
    add_u32 $s11, $s11, $s4
    add_u32 $s12, $s12, $s3
{self._place()}
    shl_u32 $s14, $s8, 2
    st_group_u32 $s13, [tile+$s14]
    add_u32 $s8, $s8, {prod(self.size)}
    cmp_lt_u32 $c0, $s8, {x * y * z}
    cbr $c0, @load
"""

    def _rows(self) -> str:
        assert self.size[2] == 1
        assert not self.radius[2]
        x, y, _ = self.tile
        return f"""
    mov_u32 $s8, $s1
@row:
    mov_u32 $s10, $s0
@column:
    mov_u32 $s9, $s5
    add_u32 $s11, $s8, $s4
    add_u32 $s12, $s10, $s3
{self._place()}
    mad_u32 $s14, $s8, {x}, $s10
    shl_u32 $s14, $s14, 2
    st_group_u32 $s13, [tile+$s14]
    add_u32 $s10, $s10, {self.size[0]}
    cmp_lt_u32 $c0, $s10, {x}
    cbr $c0, @column
    add_u32 $s8, $s8, {self.size[1]}
    cmp_lt_u32 $c0, $s8, {y}
    cbr $c0, @row
"""

    def _loads(self) -> str:
        x, y, _ = self.tile
        lines = []
        dx, dy, dz = (2 * r for r in self.radius)
        for number, (a, b, c) in enumerate(
            {(0, 0, 0), (dx, dy, dz), (dx, 0, dz), (dx // 2, dy, 0)}
        ):
            offset = 4 * ((c * y + b) * x + a)
            if self.loops:
                lines += [f"    add_u32 $s16, $s9, {offset - 4 * a}", "    mov_u32 $s17, 0",
                          f"@next{number}:"]  # fmt: skip
                offset = 0
            base = "$s16" if self.loops else "$s9"
            lines += [f"    ld_group_u32 $s10, [tile+{base}+{offset}]",
                      "    mad_u32 $s15, $s15, 3, $s10"]  # fmt: skip
            if self.loops:
                lines += ["    add_u32 $s16, $s16, 4", "    add_u32 $s17, $s17, 1"]
                lines += [f"    cmp_le_u32 $c2, $s17, {dx}", f"    cbr $c2, @next{number}"]
        return "\n".join(lines)


def is_read_in_place(kernel: Halo, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Return whether interior workgroups read global memory in place of the tile."""
    found: list[Tile] = []

    def tile(*args: Any) -> Tile:
        found.append(tile_of(*args))
        return found[-1]

    monkeypatch.setattr(version, "tile_of", tile)
    compiled = assemble(kernel.text()).kernels[0]
    generate(compiled, 0, kernel.facts(compiled))
    return any(found)


KERNELS = [
    Halo((8, 8, 4), (1, 1, 1)),
    Halo((8, 8, 4), (1, 1, 1), repeats=True),
    Halo((16, 4, 4), (1, 0, 2)),
    Halo((16, 16, 1), (2, 2, 0), "rows", loops=True),
    Halo((16, 16, 1), (1, 1, 0), "rows", repeats=True),
    Halo((32, 8, 1), (3, 1, 0), "rows", loops=True),
    Halo((32, 8, 1), (1, 1, 0), "flat", loops=True),
    Halo((8, 8, 1), (1, 1, 0), "rows"),
    Halo((20, 16, 1), (1, 1, 0), "flat"),
    Halo((64, 4, 1), (1, 1, 0), "flat"),
    Halo((12, 16, 1), (2, 1, 0), "rows"),
    Halo((4, 4, 4), (1, 2, 1)),
]


def arguments(kernel: Halo, items: Three, missing: int = 0, extra: int = 0) -> list[object]:
    """Return arguments of a launch; x lacks some words at its end, and has rows of some more."""
    w, h, d = (i + 2 * r for i, r in zip(items, kernel.radius, strict=True))
    x = np.random.default_rng(3).integers(0, 1 << 32, (d * h + 1) * (w + extra), np.uint32)
    x = x[: ((d - 1) * h + h - 1) * (w + extra) + w - missing].copy()
    return [2, w + extra, h, x, np.zeros(prod(items), np.uint32)]


def groups_of(kernel: Halo) -> Three:
    x, y, z = kernel.size
    return 2 * x, 2 * y, 2 * z if z > 1 else 1


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_neighbours_are_those_of_the_tile(kernel: Halo) -> None:
    items = groups_of(kernel)
    args = arguments(kernel, items, extra=3)
    same(kernel.text(), args, items=items, group_size=kernel.size)


@pytest.mark.parametrize("width", [1, 7, 16, 64])
@pytest.mark.parametrize("kernel", KERNELS[2:8:4], ids=str)
def test_neighbours_at_any_width(kernel: Halo, width: int) -> None:
    items = groups_of(kernel)
    args = arguments(kernel, items)
    same(kernel.text(), args, items=items, group_size=kernel.size, width=width)


@pytest.mark.parametrize("kernel", KERNELS[:5], ids=str)
@pytest.mark.parametrize("missing", [0, 1, 40])
def test_what_is_copied_and_not_loaded_must_be_inside_as_well(kernel: Halo, missing: int) -> None:
    items = groups_of(kernel)
    own, expected = (
        make(kernel.text(), arguments(kernel, items, missing), items=items, group_size=kernel.size)
        for _ in range(2)
    )
    assert assert_as_oracle(own, expected) == (missing > 0)


@pytest.mark.parametrize("kernel", KERNELS[:8], ids=str)
def test_such_a_tile_is_not_stored(kernel: Halo, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_read_in_place(kernel, monkeypatch)


def test_lanes_that_have_left_do_not_count() -> None:
    """Of 600 words, the last iteration copies 88: 168 lanes have numbers that no load has."""
    compiled = assemble(KERNELS[0].text()).kernels[0]
    ranges = Ranges(analyse(compiled).shapes(KERNELS[0].facts(compiled)))
    found = [t.numbers(phi) for t in ranges.lane_trips.values() for phi in t.phis]
    assert [int(numbers.max()) for numbers in found] == [599]


@pytest.mark.parametrize("missing", [0, 1])
def test_a_tile_that_is_kept_is_copied_up_to_the_last_word(missing: int) -> None:
    kernel = Halo((8, 8, 4), (1, 1, 1), between=BETWEEN["the tile"])
    own, expected = (
        make(kernel.text(), arguments(kernel, (16, 8, 4), missing), items=(16, 8, 4),
             group_size=kernel.size)
        for _ in range(2)
    )  # fmt: skip
    assert assert_as_oracle(own, expected) == (missing > 0)


BETWEEN = {
    "global memory": "st_global_u32 $s0, [$d3]",
    "an atomic": "atomic_add_global_u32 [$d3], $s0",
    "the tile": "shl_u32 $s22, $s0, 2\n st_group_u32 $s20, [tile+$s22]\n barrier",
}


@pytest.mark.parametrize("what", BETWEEN)
@pytest.mark.parametrize("kernel", [KERNELS[0], KERNELS[3], KERNELS[4]], ids=str)
def test_a_store_between_keeps_the_tile(
    kernel: Halo, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = Halo(
        kernel.size, kernel.radius, kernel.fill, kernel.repeats, BETWEEN[what], kernel.loops
    )
    assert not is_read_in_place(changed, monkeypatch)
    items = groups_of(kernel)
    if what == "an atomic" and kernel.repeats:
        return  # y has other numbers then in each iteration
    same(changed.text(), arguments(kernel, items), items=items, group_size=kernel.size)


def test_words_that_change_after_they_are_copied() -> None:
    """The only workgroup changes what it has copied; the tile has the words from before."""
    kernel = Halo((8, 8, 4), (1, 1, 1), between="st_global_u32 $s0, [$d3]")
    args = arguments(kernel, kernel.size)
    text = kernel.text().replace("[%y]", "[%x]")
    same(text, args, items=kernel.size, group_size=kernel.size)


@pytest.mark.skipif(os.name != "posix", reason="fences are made by mprotect")
@pytest.mark.parametrize("size", [(8, 8, 1), (16, 4, 1), (16, 16, 1)])
@pytest.mark.parametrize("radius", [(0, 1, 0), (1, 1, 0)])
def test_lanes_that_do_not_run_load_nothing(size: Three, radius: Three) -> None:
    """Lanes of rows after the tile would load what is after the array."""
    kernel = Halo(size, radius, "rows")
    items = groups_of(kernel)

    def work() -> Work:
        repeats, wide, high, x, y = arguments(kernel, items)
        assert isinstance(x, np.ndarray)
        source = fenced(x.nbytes, x.itemsize).view(x.dtype)
        source[:] = x
        return make(kernel.text(), [repeats, wide, high, source, y], items=items, group_size=size)

    assert not assert_as_oracle(work(), work())
