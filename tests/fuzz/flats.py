"""Random kernels that take the number of a work-item apart, against the oracle.

A number is a channel, a column, a row and a plane, by quotients and remainders. Work-items load
what belongs to one of these, and neighbours in rows and columns: at edges they branch, clamp or
wrap around. Some kernels leave their buffers: the trap must be one of the oracle's.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from simtlab.emu.geometry import Geometry
from simtlab.testing import Case

from .draft import Draft
from .example import Generator
from .kernels import LEVELS, Kernel, Run
from .trapping import Trapping

GROUPS = (32, 64, 64, 128, 256, 256, 96, 40, 100)
TYPES = (("u32", 4), ("f32", 4), ("f32", 4), ("u8", 1), ("s16", 2))

FLAT, COUNT, SIZES, PARTS, QUOTIENT, PRODUCT, SUM, INDEX, PART, NEAR, COUNTER, DOWN = (
    0,
    1,
    2,
    5,
    9,
    10,
    11,
    12,
    13,
    14,
    18,
    30,
)
"""Registers: the number, how many there are, three sizes, four parts, a result, a neighbour, and
where a work-item is down the grid."""


@dataclass
class Flat(Draft):
    """A kernel under construction."""

    sizes: tuple[int, ...]
    """Channels, columns and rows."""
    type: tuple[str, int]
    named: bool
    """Whether sizes are arguments; else they are in the source."""
    apart: int
    """Elements from each row of the grid to the next; 0 if there is one row."""

    def size(self, level: int) -> str:
        """Return the operand of a size."""
        return f"$s{SIZES + level}" if self.named else str(self.sizes[level])


def take_apart(f: Flat) -> None:
    """Emit the parts of a work-item's number."""
    type_ = f.rng.choice(("u32", "u32", "s32"))
    if f.chance(0.5):
        f.emit(f"rem_{type_} $s{PARTS}, $s{FLAT}, {f.size(0)}")
        f.emit(f"div_{type_} $s{QUOTIENT}, $s{FLAT}, {f.size(0)}")
        for level in (1, 2):
            f.emit(f"rem_{type_} $s{PARTS + level}, $s{QUOTIENT}, {f.size(level)}")
            f.emit(f"div_{type_} $s{QUOTIENT}, $s{QUOTIENT}, {f.size(level)}")
        f.emit(f"mov_u32 $s{PARTS + 3}, $s{QUOTIENT}")
        return
    f.emit(f"mov_u32 $s{PRODUCT}, 1")
    for level in range(3):
        f.emit(f"div_{type_} $s{QUOTIENT}, $s{FLAT}, $s{PRODUCT}")
        f.emit(f"rem_{type_} $s{PARTS + level}, $s{QUOTIENT}, {f.size(level)}")
        f.emit(f"mul_u32 $s{PRODUCT}, $s{PRODUCT}, {f.size(level)}")
    f.emit(f"div_{type_} $s{PARTS + 3}, $s{FLAT}, $s{PRODUCT}")


def add(f: Flat, type_: str) -> None:
    """Emit the addition of what was loaded."""
    if type_ == "f32":
        f.emit(f"add_f32 $s{SUM}, $s{SUM}, $s{PART}")
    else:
        f.emit(f"mad_u32 $s{SUM}, $s{SUM}, 3, $s{PART}")


def address(f: Flat, name: str, index: int, size: int) -> None:
    """Emit the address of an element in $d1."""
    f.emit(f"cvt_u64_u32 $d0, $s{index}")
    f.emit(f"ld_kernarg_u64 $d1, [%{name}]")
    f.emit(f"mad_u64 $d1, $d0, {size}, $d1")


def from_table(f: Flat) -> None:
    """Emit a load of what belongs to a channel, a column, a row or a plane."""
    address(f, "table", PARTS + f.rng.randrange(4), 4)
    f.emit(f"ld_global_u32 $s{PART}, [$d1]")
    add(f, "f32" if f.type[0] == "f32" else "u32")


def neighbour(f: Flat, loops: int = 0) -> None:
    """Emit a load of a neighbour, where there is one."""
    type_, size = f.type
    skip = f.label()
    moved = f.rng.sample(range(3), f.rng.randint(0, 2)) if f.chance(0.4) else [1, 2]
    for level in range(3):
        f.emit(f"mov_u32 $s{NEAR + level}, $s{PARTS + level}")
    for level in moved:
        near = NEAR + level
        if loops and f.chance(0.7):
            f.emit(f"add_u32 $s{near}, $s{near}, $s{COUNTER + f.rng.randrange(loops)}")
            f.emit(f"sub_u32 $s{near}, $s{near}, 1")
        else:
            f.emit(f"add_u32 $s{near}, $s{near}, {f.rng.choice((-2, -1, 1, 3)) & 0xFFFFFFFF}")
        way = f.rng.randrange(6)
        if way == 0:
            f.emit(f"max_s32 $s{near}, $s{near}, 0")
            f.emit(f"mov_u32 $s{PART}, {f.size(level)}")
            f.emit(f"sub_u32 $s{PART}, $s{PART}, 1")
            f.emit(f"min_s32 $s{near}, $s{near}, $s{PART}")
        elif way == 1:
            f.emit(f"add_u32 $s{near}, $s{near}, {f.size(level)}")
            f.emit(f"rem_u32 $s{near}, $s{near}, {f.size(level)}")
        elif way == 2:
            f.emit(f"cmp_lt_s32 $c0, $s{near}, 0")
            f.emit(f"cbr $c0, {skip}")
            f.emit(f"cmp_ge_s32 $c0, $s{near}, {f.size(level)}")
            f.emit(f"cbr $c0, {skip}")
        else:
            f.emit(f"cmp_ge_u32 $c0, $s{near}, {f.size(level)}")
            f.emit(f"cbr $c0, {skip}")
    if f.chance(0.2):
        near = NEAR + f.rng.randrange(3)
        f.emit(f"shr_{f.rng.choice(('u32', 's32'))} $s{near}, $s{near}, {f.rng.randint(1, 2)}")
    f.emit(f"mad_u32 $s{INDEX}, $s{PARTS + 3}, {f.size(2)}, $s{NEAR + 2}")
    for level in (1, 0):
        f.emit(f"mad_u32 $s{INDEX}, $s{INDEX}, {f.size(level)}, $s{NEAR + level}")
    address(f, "source", INDEX, size)
    f.emit(f"ld_global_{type_} $s{PART}, [$d1]")
    add(f, type_)
    f.lines.append(f"{skip}:")


def window(f: Flat, loops: int = 0) -> None:
    """Emit a loop over neighbours."""
    head, counter = f.label(), COUNTER + loops
    f.emit(f"mov_u32 $s{counter}, 0")
    f.lines.append(f"{head}:")
    for _ in range(f.rng.randint(1, 2)):
        inner = window if loops == 0 and f.chance(0.3) else neighbour
        inner(f, loops + 1)
    f.emit(f"add_u32 $s{counter}, $s{counter}, 1")
    f.emit(f"cmp_lt_u32 $c0, $s{counter}, {f.rng.choice((2, 3, 3))}")
    f.emit(f"cbr $c0, {head}")


def store(f: Flat) -> None:
    """Emit a store of the sum: in its place, or with channels first."""
    index = FLAT
    if f.chance(0.25):
        index = INDEX
        f.emit(f"mad_u32 $s{INDEX}, $s{PARTS + 3}, {f.size(0)}, $s{PARTS}")
        for level in (2, 1):
            f.emit(f"mad_u32 $s{INDEX}, $s{INDEX}, {f.size(level)}, $s{PARTS + level}")
    if f.apart:
        f.emit(f"mad_u32 $s{INDEX}, $s{DOWN}, {f.apart}, $s{index}")
        index = INDEX
    address(f, "out", index, 4)
    if f.chance(0.3):
        f.emit(f"ld_global_u32 $s{PART}, [$d1]")
        f.emit(f"xor_u32 $s{SUM}, $s{SUM}, $s{PART}")
    f.emit(f"st_global_u32 $s{SUM}, [$d1]")


def make(rng: random.Random) -> Case:
    """Return a kernel with its launch."""
    channels = rng.choice((rng.randint(1, 20), rng.randint(15, 70), rng.randint(30, 150), 32, 64))
    columns, rows = rng.randint(1, 6), rng.randint(1, 3)
    planes = max(1, rng.randint(1, 600) // (channels * columns * rows))
    sizes, count = (channels, columns, rows), channels * columns * rows * planes
    if rng.random() < 0.03:
        sizes = (*sizes[:2], 0)
    group = rng.choice(GROUPS)
    guarded = rng.random() < 0.8
    items = -(-count // group) * group if guarded and rng.random() < 0.6 else count
    down = rng.choice((1, 1, 1, 1, 2, 4))
    geometry = Geometry.of(
        items=(items, down), group_size=(group, down), width=rng.choice((32, 32, 64, 16, 7))
    )
    f = Flat(rng, sizes, rng.choice(TYPES), rng.random() < 0.7, items if down > 1 else 0)
    flat = down == 1 and rng.random() < 0.5
    f.emit(f"workitemflatabsid_u32 $s{FLAT}" if flat else f"workitemabsid_u32 $s{FLAT}, 0")
    if down > 1:
        f.emit(f"workitemid_u32 $s{DOWN}, 1")
    f.emit(f"ld_kernarg_u32 $s{COUNT}, [%n]")
    if guarded:
        f.emit(f"cmp_ge_u32 $c0, $s{FLAT}, $s{COUNT}")
        f.emit("cbr $c0, @done")
    for level in range(3):
        f.emit(f"ld_kernarg_u32 $s{SIZES + level}, [%size{level}]")
    take_apart(f)
    f.emit(f"mov_u32 $s{SUM}, 0")
    for _ in range(rng.randint(1, 4)):
        rng.choice((from_table, neighbour, neighbour, window))(f)
    store(f)
    text = "\n".join(
        [
            "kernel flat(u32 %n, u32 %size0, u32 %size1, u32 %size2, global u32* %table, "
            f"global {f.type[0]}* %source, global u32* %out) {{",
            *f.lines,
            "@done:",
            "    ret",
            "}",
        ]
    )
    table, room = max(*sizes, planes), count
    if rng.random() < 0.25:
        table, room = rng.randint(1, table), rng.randint(1, count)
    dtype = {"f32": np.float32, "u32": np.uint32, "u8": np.uint8, "s16": np.int16}[f.type[0]]
    numbers = np.random.default_rng(rng.randrange(100))
    arrays = (
        numbers.integers(0, 100, table).astype(np.uint32),
        numbers.integers(0, 100, room).astype(dtype),
        np.zeros(max(items, 1) * down, np.uint32),
    )
    return Case(text + "\n", geometry, (count, *sizes, *arrays))


def draw(rng: random.Random) -> Kernel:
    """A kernel with a run of native code as it is, and one forced to another width."""
    case = make(rng)
    many = rng.random() < 0.5
    runs = [Run("jit", width=case.geometry.width, level=rng.choice(LEVELS),
                poisoned=rng.random() < 0.5, many=many)]  # fmt: skip
    if rng.random() < 0.4:
        runs.append(Run("jit", width=rng.choice((1, 7, 16, 32, 64)), forced=True,
                        level=rng.choice(LEVELS), poisoned=rng.random() < 0.5))  # fmt: skip
    return Trapping(case, runs, str(case))


GENERATOR = Generator("flats", lambda scratch, rng: draw, 120.0, 2.0)
