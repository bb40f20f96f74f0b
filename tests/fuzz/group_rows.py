"""Accesses of global memory in random workgroups: rows, columns, neighbours in either direction.

Lanes of trees and wavefronts are often in the first vectors of a warp, and then only these are
computed. Such an access must not count on the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .launches import KEPT

if TYPE_CHECKING:
    from .groups import Group

GRID = 1 << 15
"""Words that are only read."""

ROW = 20
"""Words of a row that a work-item changes in a loop, and more than those of a block."""

PARAMETERS = "global u32* %grid, global u32* %rows"
INDEX, AT, WORD, COUNTER, TEST = "$s46", "$d44", "$s47", "$s48", "$c7"


def buffers(items: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the arrays of `PARAMETERS`."""
    return np.arange(GRID, dtype=np.uint32) * 0x9E3779B1, np.zeros(ROW * items, np.uint32)


def begin() -> list[str]:
    """Return instructions that load the pointers."""
    return [f"ld_kernarg_u64 $d42, [%grid] {KEPT}", f"ld_kernarg_u64 $d43, [%rows] {KEPT}"]


def _place(g: Group, buffer: str) -> None:
    g.emit(f"cvt_u64_u32 {AT}, {INDEX}", kept=True)
    g.emit(f"mad_u64 {AT}, {AT}, 4, {buffer}", kept=True)


def look(g: Group) -> None:
    """Emit a load at a place that follows from the work-item's number."""
    local, total = "$s1", g.value()
    match g.rng.randrange(5):
        case 0:
            g.emit(f"sub_u32 {INDEX}, {g.size + g.rng.randrange(9)}, {local}", kept=True)
        case 1:
            shift = g.rng.randint(1, 4)
            g.emit(f"and_u32 {INDEX}, {local}, {(1 << shift) - 1}", kept=True)
            g.emit(f"shr_u32 {WORD}, {local}, {shift}", kept=True)
            g.emit(f"mad_u32 {INDEX}, {INDEX}, {g.rng.choice((4, 8, 16, 64))}, {WORD}", kept=True)
        case 2:
            g.emit(f"mad_u32 {INDEX}, {local}, {g.rng.choice((1, 2, 3, 20))}, $s2", kept=True)
        case 3:
            g.emit(f"shr_u32 {INDEX}, {local}, {g.rng.randint(1, 5)}", kept=True)
        case _:
            g.emit(f"and_u32 {INDEX}, {g.value()}, {g.rng.choice((7, 63, 1023))}", kept=True)
    _place(g, "$d42")
    for offset in g.rng.sample((0, 4, 8), g.rng.randint(1, 3)):
        g.emit(f"ld_global_u32 {WORD}, [{AT}+{offset}]", kept=True)
        g.emit(f"mad_u32 {total}, {total}, 5, {WORD}")


def walk(g: Group) -> None:
    """Emit a loop along a row of the work-item's own, which it may change."""
    head, total, changes = g.label(), g.value(), g.chance(0.6)
    g.emit(f"mul_u32 {INDEX}, $s0, {ROW}", kept=True)
    g.emit(f"mov_u32 {COUNTER}, 0", kept=True)
    g.lines.append(f"{head}: {KEPT}")
    _place(g, "$d43" if changes else "$d42")
    if not changes or g.chance(0.6):
        g.emit(f"ld_global_u32 {WORD}, [{AT}]", kept=True)
        g.emit(f"mad_u32 {total}, {total}, 3, {WORD}")
    if changes:
        g.emit(f"st_global_u32 {total}, [{AT}]", kept=True)
    g.emit(f"add_u32 {INDEX}, {INDEX}, 1", kept=True)
    g.emit(f"add_u32 {COUNTER}, {COUNTER}, 1", kept=True)
    g.emit(f"cmp_lt_u32 {TEST}, {COUNTER}, {g.rng.choice((ROW, ROW - 3, 5))}", kept=True)
    g.emit(f"cbr {TEST}, {head}", kept=True)
