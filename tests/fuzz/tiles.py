"""Random kernels of two-dimensional workgroups and group memory, against the oracle.

Rows of a workgroup are often shorter than a warp; indices are rows, columns, and sums of both. Work
is exchanged through tiles in group memory: rows, columns, transposed, in trees. Some kernels leave
their buffers: the trap must be one of the oracle's.
"""

from __future__ import annotations

import random
from typing import cast

from simtlab.emu.geometry import Geometry
from simtlab.testing import Case
from simtlab.testing.choices import Choices, Seeded
from simtlab.testing.computing import FLAT
from simtlab.testing.control import if_, loop, uniform_loop
from simtlab.testing.writer import MEMORY, TEST, Statement

from .example import Generator
from .kernels import LEVELS, Kernel, Run
from .tile_accesses import (
    AX,
    AY,
    BIG,
    FLAT_ABS,
    FLAT_ID,
    PART,
    STEP,
    TX,
    TY,
    Tiles,
    group_read,
    read,
    retake,
    row_branch,
    write,
)
from .tile_exchanges import exchange, flat_tile, halo, row_places, tree
from .trapping import Trapping

SHAPES = (
    (16, 16), (16, 16), (8, 8), (16, 4), (16, 2), (4, 8), (4, 4), (8, 4), (32, 4), (12, 4), (24, 4),
    (16, 2, 4), (8, 2, 4), (4, 4, 4), (64, 2), (16, 1, 3), (20, 2), (3, 8), (48, 2), (1, 16), (64,),
    (128,), (2, 32), (8, 16),
)  # fmt: skip

WIDTHS = (32, 64, 16, 7, 1)


def _geometry(c: Choices) -> Geometry:
    shape = c.one_of(SHAPES)
    items = [c.integer(1, 2) * size for size in shape]
    if c.integer(0, 4) == 0:
        items = [max(1, i - c.integer(0, s // 2)) for i, s in zip(items, shape, strict=True)]
    return Geometry.of(items=items, group_size=shape, width=c.one_of(WIDTHS))


def counted(c: Choices, w: Tiles) -> None:
    """Emit a loop whose number of iterations is known, or is that of the row."""
    head, end = w.label(), w.label()
    counter = f"$s{20 + len(w.counters) % 10}"
    begin, step, trips = c.one_of((0, 0, 1, 5)), c.one_of((1, 1, 2, 4)), c.integer(1, 6)
    shape = c.integer(0, 4)
    w.emit(f"mov_u32 {counter}, {begin}")
    bound = str(begin + step * trips)
    if shape == 0:
        w.emit(f"and_u32 $s{STEP}, $s{TY}, 3")
        w.emit(f"add_u32 $s{STEP}, $s{STEP}, {begin + 1}")
        bound = f"$s{STEP}"
    w.place(head)
    w.counters.append(counter)
    if shape == 1:  # the test comes first
        w.emit(f"cmp_ge_u32 $c{TEST}, {counter}, {bound}")
        w.emit(f"cbr $c{TEST}, {end}")
    inner = (read, group_read, retake, write, row_branch, *FLAT, *([if_] if shape else []))
    if shape > 2 and c.boolean() and w.depth < 2:
        inner = (*inner, counted, counted)
    w.depth += 1
    for _ in range(c.integer(1, 2)):
        c.one_of(inner)(c, w)
    w.depth -= 1
    w.counters.pop()
    w.emit(f"add_u32 {counter}, {counter}, {step}")
    if shape == 1:
        w.emit(f"br {head}")
    elif shape == 4 and begin == 0 and c.boolean():
        w.emit(f"cmp_ne_u32 $c{TEST}, {counter}, {bound}")
        w.emit(f"cbr $c{TEST}, {head}")
    else:
        test = c.one_of(("cmp_lt_u32", "cmp_lt_s32"))
        w.emit(f"{test} $c{TEST}, {counter}, {bound}")
        w.emit(f"cbr $c{TEST}, {head}")
    w.place(end)


def strides(c: Choices, w: Tiles) -> None:
    """Emit a loop in which a workgroup strides through some elements: lanes leave it in turn."""
    head, counter = w.label(), f"$s{20 + len(w.counters) % 10}"
    step = c.one_of((16, 8, w.geometry.group_size[0], 40))
    w.emit(f"mov_u32 {counter}, $s{c.one_of((TX, TX, TY, FLAT_ID))}")
    w.place(head)
    w.counters.append(counter)
    for _ in range(c.integer(1, 2)):
        inner = (read, group_read, retake, row_branch, *FLAT)
        c.one_of((*inner, strides, strides) if len(w.counters) < 2 else inner)(c, w)
    w.counters.pop()
    w.emit(f"add_u32 {counter}, {counter}, {step}")
    test = c.one_of(("cmp_lt_u32", "cmp_lt_s32", "cmp_le_u32"))
    w.emit(f"{test} $c{TEST}, {counter}, {c.integer(1, 3 * step)}")
    w.emit(f"cbr $c{TEST}, {head}")


def stencil(c: Choices, w: Tiles) -> None:
    """Emit exchanges with neighbours alone, once or in a loop; loads may come from stores."""
    counter = f"$s{30 + len(w.uniform)}"
    trips, head = c.one_of((1, 1, 2, 3)), w.label()
    exchanges = c.one_of(((halo,), (halo,), (flat_tile,), (halo, flat_tile)))
    w.emit(f"mov_u32 {counter}, 0")
    w.place(head)
    for _ in range(c.integer(1, 3)):
        c.one_of((read, retake, write, *FLAT))(c, w)
        c.one_of(exchanges)(c, w)
        write(c, w)
    w.emit(f"add_u32 {counter}, {counter}, 1")
    w.emit(f"cmp_lt_u32 $c{TEST}, {counter}, {trips}")
    w.emit(f"cbr $c{TEST}, {head}")


def rounds(c: Choices, w: Tiles) -> None:
    """Emit a loop with exchanges."""
    head, counter = w.label(), f"$s{30 + len(w.uniform)}"
    w.emit(f"mov_u32 {counter}, {c.integer(0, 3)}")
    w.place(head)
    w.uniform.append(counter)
    w.counters.append(counter)
    for _ in range(c.integer(0, 2)):
        c.one_of((read, retake, counted, row_branch, *FLAT))(c, w)
    c.one_of((exchange, exchange, tree))(c, w)
    w.counters.pop()
    w.uniform.pop()
    w.emit(f"add_u32 {counter}, {counter}, 1")
    w.emit(f"cmp_lt_u32 $c{TEST}, {counter}, {c.integer(1, 4)}")
    w.emit(f"cbr $c{TEST}, {head}")


def make(rng: random.Random) -> tuple[Case, bool]:
    """Return a kernel with its launch, and whether it may trap."""
    c = Seeded(rng)
    geometry = _geometry(c)
    hostile = c.integer(0, 5) == 0
    w = Tiles(geometry, c.integer(0, 99), hostile=hostile, pad=c.one_of((0, 0, 0, 1, 2)), square=64)
    w.partial = any(i % g for i, g in zip(geometry.items, geometry.group_size, strict=True))
    branching = (if_, loop, read, read, write, counted, row_branch)
    w.branching = cast("tuple[Statement, ...]", branching)  # they write tiles
    w.emit(f"workitemid_u32 $s{TX}, 0")
    w.emit(f"workitemid_u32 $s{TY}, 1")
    if geometry.group_size[2] > 1:
        w.emit(f"workitemid_u32 $s{PART}, 2")
        w.emit(f"mad_u32 $s{TY}, $s{PART}, {geometry.group_size[1]}, $s{TY}")
    w.emit(f"workitemabsid_u32 $s{AX}, 0")
    w.emit(f"workitemabsid_u32 $s{AY}, 1")
    w.emit(f"workitemflatid_u32 $s{FLAT_ID}")
    w.emit(f"workitemflatabsid_u32 $s{FLAT_ABS}")
    w.emit(f"ld_kernarg_u64 $d{BIG}, [%big]")
    w.emit(f"ld_kernarg_u64 $d{MEMORY}, [%memory]")
    plain = (read, read, write, retake, counted, row_branch, if_, loop, *FLAT)
    if not hostile and not w.partial and c.integer(0, 3) == 0:
        stencil(c, w)
        return w.case(), hostile
    for _ in range(c.integer(1, 4)):
        c.one_of(plain)(c, w)
        if not hostile and c.boolean():
            c.one_of((exchange, tree, rounds, lambda c, w: uniform_loop(c, w, branches=False)))(
                c, w
            )
    if c.integer(0, 2) == 0:
        strides(c, w)
    if not hostile and c.integer(0, 2) == 0:
        row_places(c, w)
    return w.case(), hostile


def draw(rng: random.Random) -> Kernel:
    """A kernel with a run of native code as it is, and one forced to another width."""
    case, hostile = make(rng)
    width, level, many = case.geometry.width, rng.choice(LEVELS), rng.random() < 0.5
    runs = [Run("jit", width=width, level=level, poisoned=rng.random() < 0.5, many=many)]
    if rng.random() < 0.6:
        other = rng.choice((1, 7, 16, 32, 64))
        runs.append(Run("jit", width=other, forced=True, level=rng.choice(LEVELS),
                        poisoned=rng.random() < 0.5))  # fmt: skip
    return (Trapping if hostile else Kernel)(case, runs, str(case))


GENERATOR = Generator("tiles", lambda scratch, rng: draw, 120.0, 4.0)
