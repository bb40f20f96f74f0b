"""Random kernels that read neighbours in a grid, against the oracle.

Coordinates are those of work-items, or quotients and remainders of a number. At the edges, lanes
leave, branch, clamp, choose another neighbour or wrap around. Most warps are inside. Some kernels
leave their buffers: the trap must be one of the oracle's.
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

SHAPES = (
    (64,), (128,), (64,), (256,), (96,), (64, 1), (128, 1), (32, 2), (64, 2), (32, 1), (32, 4),
    (64, 1, 2), (16, 4), (8, 8), (48, 2), (40,),
)  # fmt: skip

TYPES = (("u32", 4), ("u32", 4), ("f32", 4), ("u8", 1), ("u8", 1), ("s16", 2), ("s8", 1))

LONG = (1000, 1024, 1025, 1100, 2047, 2048, 2049, 2100, 3000, 4097)
"""Work-items of rows that are several workgroups of native code, or one as long as the row."""

X, Y, Z, WIDE, HIGH, AT, COLUMN, ROW, SUM, PART, COUNTER, BOUND = (
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    20,
    30,
)
"""Registers: coordinates, sizes, index, a neighbour's coordinates, the result."""


@dataclass
class Grid(Draft):
    """A kernel under construction."""

    geometry: Geometry
    width: int
    height: int
    type: tuple[str, int]
    pad: int
    loops: int = 0

    def one_of(self, *values: object) -> object:
        """Return one of some values."""
        return self.rng.choice(values)


def coordinates(g: Grid) -> None:
    """Emit the coordinates of a work-item."""
    shape = g.geometry.group_size
    match g.rng.randrange(4):
        case 0:
            for register, dimension in ((X, 0), (Y, 1)):
                g.emit(f"workgroupid_u32 $s{PART}, {dimension}")
                g.emit(f"workitemid_u32 $s{register}, {dimension}")
                g.emit(f"mad_u32 $s{register}, $s{PART}, {shape[dimension]}, $s{register}")
        case 1:
            g.emit(f"workitemflatabsid_u32 $s{AT}")
            type_ = g.one_of("u32", "u32", "s32")
            g.emit(f"div_{type_} $s{Y}, $s{AT}, $s{WIDE}")
            if g.rng.random() < 0.5:
                g.emit(f"rem_{type_} $s{X}, $s{AT}, $s{WIDE}")
            else:
                g.emit(f"mul_u32 $s{PART}, $s{Y}, $s{WIDE}")
                g.emit(f"sub_u32 $s{X}, $s{AT}, $s{PART}")
        case _:
            g.emit(f"workitemabsid_u32 $s{X}, 0")
            g.emit(f"workitemabsid_u32 $s{Y}, 1")


def guard(g: Grid) -> None:
    """Emit a branch by which lanes outside of the grid leave."""
    how = g.rng.randrange(4)
    if how == 0:
        g.emit(f"cmp_ge_{g.one_of('u32', 's32')} $c0, $s{X}, $s{WIDE}")
        g.emit(f"cmp_ge_u32 $c1, $s{Y}, $s{HIGH}")
        g.emit("or_b1 $c0, $c0, $c1")
        g.emit("cbr $c0, @done")
    elif how == 1:
        inside = g.label()
        g.emit(f"cmp_lt_u32 $c0, $s{X}, $s{WIDE}")
        g.emit(f"cmp_gt_u32 $c1, $s{HIGH}, $s{Y}")
        g.emit("and_b1 $c0, $c0, $c1")
        g.emit(f"cbr $c0, {inside}")
        g.emit("br @done")
        g.place(inside)
    elif how == 2:
        g.emit(f"sub_u32 $s{PART}, $s{WIDE}, 1")
        g.emit(f"cmp_eq_u32 $c0, $s{X}, 0")
        g.emit(f"cmp_eq_u32 $c1, $s{X}, $s{PART}")
        g.emit("or_b1 $c0, $c0, $c1")
        g.emit("cbr $c0, @done")


def moved(g: Grid, source: int, size: int, target: int, steps: bool) -> str | None:
    """Emit a neighbour's coordinate; return where lanes go that have none, if there are such."""
    out = None
    distance = g.rng.choice((-2, -1, -1, 0, 1, 1, 2, 3))
    if steps and g.loops:
        g.emit(f"add_u32 $s{target}, $s{source}, $s{COUNTER + g.rng.randrange(g.loops)}")
        distance = g.rng.choice((0, -1, -2, -2))
    else:
        g.emit(f"mov_u32 $s{target}, $s{source}")
    way = g.rng.randrange(9)
    if way == 6:  # around: before the distance, so that it is not negative
        g.emit(f"add_u32 $s{target}, $s{target}, $s{size}")
    if distance < 0 and g.rng.random() < 0.5:
        g.emit(f"sub_{g.one_of('u32', 's32')} $s{target}, $s{target}, {-distance}")
    elif distance:
        g.emit(f"add_{g.one_of('u32', 's32')} $s{target}, $s{target}, {distance & 0xFFFFFFFF}")
    g.emit(f"sub_u32 $s{PART}, $s{size}, 1")
    match way:
        case 0 | 1:
            g.emit(f"max_s32 $s{target}, $s{target}, 0")
            g.emit(f"min_{g.one_of('s32', 'u32')} $s{target}, $s{target}, $s{PART}")
        case 2:
            g.emit(f"min_u32 $s{target}, $s{PART}, $s{target}")
        case 3:
            g.emit(f"cmp_ge_u32 $c0, $s{target}, $s{size}")
            g.emit(f"select_u32 $s{target}, $c0, $s{g.one_of(source, PART)}, $s{target}")
        case 4:
            out = g.label()
            g.emit(f"cmp_lt_s32 $c0, $s{target}, 0")
            g.emit(f"cmp_gt_{g.one_of('u32', 's32')} $c1, $s{target}, $s{PART}")
            g.emit("or_b1 $c0, $c0, $c1")
            g.emit(f"cbr $c0, {out}")
        case 5:
            out = g.label()
            edge = g.one_of(0, f"$s{PART}", 17)
            g.emit(f"cmp_{g.one_of('eq', 'eq', 'le', 'ge')}_u32 $c0, $s{source}, {edge}")
            g.emit(f"cbr $c0, {out}")
        case 6:
            g.emit(f"rem_u32 $s{target}, $s{target}, $s{size}")
        case 7:
            g.emit(f"cmp_eq_u32 $c0, $s{source}, $s{PART}")
            g.emit(f"select_u32 $s{target}, $c0, 0, $s{target}")
    if g.rng.random() < 0.4:
        elsewhere(g, target, size)
    return out


def elsewhere(g: Grid, target: int, size: int) -> None:
    """Emit another coordinate from a neighbour's, so that those of lanes are not neighbours."""
    match g.rng.choice((0, 0, 0, 1, 2, 3, 4, 5)):
        case 0:  # the mirror's
            g.emit(f"sub_u32 $s{PART}, $s{size}, 1")
            g.emit(f"sub_u32 $s{target}, $s{PART}, $s{target}")
        case 1:
            g.emit(f"shr_u32 $s{target}, $s{target}, {g.rng.randint(1, 4)}")
        case 2:
            g.emit(f"xor_u32 $s{target}, $s{target}, {g.rng.randint(1, 7)}")
        case 3:
            g.emit(f"and_u32 $s{target}, $s{target}, {g.rng.choice((1, 6, 15, 28))}")
        case 4:
            g.emit(f"mul_u32 $s{target}, $s{target}, {g.one_of(2, 3, 5, f'$s{target}')}")
            g.emit(f"rem_u32 $s{target}, $s{target}, $s{size}")
        case _:
            g.emit(f"mul_u32 $s{target}, $s{target}, 2")
            g.emit(f"shr_u32 $s{target}, $s{target}, 2")


def tap(g: Grid) -> None:
    """Emit a load of a neighbour."""
    type_, size = g.type
    outs = [
        moved(g, X, WIDE, COLUMN, g.rng.random() < 0.7),
        moved(g, Y, HIGH, ROW, g.rng.random() < 0.5),
    ]
    offset = ""
    if g.rng.random() < 0.6:
        if g.rng.random() < 0.2:  # down a column
            g.emit(f"mad_u32 $s{AT}, $s{COLUMN}, $s{HIGH}, $s{ROW}")
        else:
            g.emit(f"mad_u32 $s{AT}, $s{ROW}, $s{WIDE}, $s{COLUMN}")
        if g.pad:
            g.emit(f"add_u32 $s{AT}, $s{AT}, {g.pad}")
        if g.rng.random() < 0.15:  # some lanes leave between the index and the access
            outs.append(g.label())
            g.emit(f"and_u32 $s{PART}, $s{SUM}, 3")
            g.emit(f"cmp_eq_u32 $c0, $s{PART}, 2")
            g.emit(f"cbr $c0, {outs[-1]}")
        g.emit(f"cvt_u64_{g.one_of('u32', 'u32', 's32')} $d0, $s{AT}")
    else:
        g.emit(f"cvt_s64_s32 $d0, $s{ROW}")
        g.emit(f"cvt_u64_u32 $d3, $s{WIDE}")
        g.emit("mul_u64 $d0, $d0, $d3")
        g.emit(f"cvt_s64_s32 $d3, $s{COLUMN}")
        g.emit("add_u64 $d0, $d0, $d3")
        offset = f"+{g.pad * size}" if g.pad else ""
    g.emit("ld_kernarg_u64 $d1, [%source]")
    if g.rng.random() < 0.5:
        g.emit(f"mad_u64 $d1, $d0, {size}, $d1")
    else:
        g.emit(f"shl_u64 $d0, $d0, {size.bit_length() - 1}")
        g.emit("add_u64 $d1, $d1, $d0")
    g.emit(f"ld_global_{type_} $s{PART}, [$d1{offset}]")
    if type_ == "f32":
        g.emit(f"add_f32 $s{SUM}, $s{SUM}, $s{PART}")
    else:
        g.emit(
            f"{g.one_of(f'mad_u32 $s{SUM}, $s{SUM}, 3,', f'add_u32 $s{SUM}, $s{SUM},')} $s{PART}"
        )
    for out in outs:
        if out is not None:
            g.place(out)


def counted(g: Grid) -> None:
    """Emit a loop over neighbours."""
    head, counter = g.label(), COUNTER + g.loops
    begin = g.rng.choice((0, 0, 1, -1, -2))
    g.emit(f"mov_u32 $s{counter}, {begin & 0xFFFFFFFF}")
    g.place(head)
    g.loops += 1
    for _ in range(g.rng.randint(1, 2)):
        g.rng.choice((tap, tap, counted) if g.loops < 2 else (tap,))(g)
    g.loops -= 1
    g.emit(f"add_u32 $s{counter}, $s{counter}, 1")
    bound = begin + g.rng.randint(1, 4)
    if g.rng.random() < 0.2:
        g.emit(f"and_u32 $s{BOUND}, $s{g.one_of(X, Y)}, 1")
        g.emit(f"add_u32 $s{BOUND}, $s{BOUND}, {bound & 0xFFFFFFFF}")
        g.emit(f"cmp_lt_s32 $c0, $s{counter}, $s{BOUND}")
    else:
        g.emit(f"cmp_lt_s32 $c0, $s{counter}, {bound & 0xFFFFFFFF}")
    g.emit(f"cbr $c0, {head}")


def store(g: Grid) -> None:
    """Emit a store of the result."""
    g.emit(f"workitemflatabsid_u32 $s{AT}")
    g.emit(f"cvt_u64_u32 $d0, $s{AT}")
    g.emit("ld_kernarg_u64 $d1, [%out]")
    type_, size = g.rng.choice((("u32", 4), ("u8", 1), ("u16", 2)))
    g.emit(f"mad_u64 $d1, $d0, {size}, $d1")
    g.emit(f"st_global_{type_} $s{SUM}, [$d1+{4 * g.geometry.n_items * (size % 4)}]")


def capped(g: Grid) -> None:
    """Emit a result of which only small numbers matter: lanes of 8 or 16 bits may saturate."""
    match g.rng.randrange(4):
        case 0:
            return
        case 1:
            g.emit(f"min_{g.one_of('u32', 's32')} $s{SUM}, $s{SUM}, {g.one_of(3, 100, 254, 255)}")
        case _:
            relation = g.one_of("eq", "eq", "lt", "ge")
            most = g.one_of(3, 100, 200, 254, 255)
            g.emit(f"cmp_{relation}_{g.one_of('u32', 's32')} $c0, $s{SUM}, {most}")
            g.emit(f"cvt_u32_b1 $s{SUM}, $c0")


def make(rng: random.Random) -> Case:
    """Return a kernel with its launch."""
    shape = rng.choice(SHAPES)
    items = [size * rng.randint(1, 3) for size in shape]
    if rng.random() < 0.3:
        items = [max(1, i - rng.randint(0, s // 2)) for i, s in zip(items, shape, strict=True)]
    if rng.random() < 0.1:
        items = [rng.choice(LONG), *(rng.randint(1, 2) for _ in items[1:])]
    width = rng.choice((32, 32, 64, 16, 7))
    geometry = Geometry.of(items=items, group_size=shape, width=width)
    across, down = geometry.items[:2]
    wide = rng.choice((across, across, across, across - rng.randint(0, across // 2), across + 5))
    high = max(1, down + rng.randint(-1, 2))
    hostile = rng.random() < 0.25
    type_ = rng.choice(TYPES)
    pad = rng.choice((0, 4 * wide + 4))
    g = Grid(rng, geometry, wide, high, type_, pad)
    g.emit(f"ld_kernarg_u32 $s{WIDE}, [%wide]")
    g.emit(f"ld_kernarg_u32 $s{HIGH}, [%high]")
    g.emit(f"mov_u32 $s{SUM}, 1")
    coordinates(g)
    guard(g)
    for _ in range(rng.randint(1, 5)):
        rng.choice((tap, tap, tap, counted, store))(g)
    if type_[0] != "f32":
        capped(g)
    store(g)
    text = "\n".join(
        [
            "kernel grid(u32 %wide, u32 %high, global u32* %out, global u32* %gap, "
            f"global {type_[0]}* %source) {{",
            *g.lines,
            "@done:",
            "    ret",
            "}",
        ]
    )
    # Room for all neighbours, also of work-items beyond the grid, or too little.
    elements = pad + (max(across, wide) + 8) * (max(down, high) + 8) + geometry.n_items * 3
    if hostile:
        elements = max(
            1, rng.choice((wide * high, wide * high - 1, pad + wide * high, elements // 3))
        )
    dtype = {"f32": np.float32}.get(type_[0]) or np.dtype(
        f"{type_[0][0].replace('s', 'i')}{type_[1]}"
    )
    random_numbers = np.random.default_rng(rng.randrange(100))
    source = random_numbers.integers(0, 100, elements).astype(dtype)
    out = np.zeros(geometry.n_items * 3 + 1, np.uint32)
    # What lies before the neighbours is not what other work-items store.
    gap = np.zeros(1 << 14, np.uint32)
    return Case(text + "\n", geometry, (wide, high, out, gap, source))


def draw(rng: random.Random) -> Kernel:
    """A kernel with a run of native code as it is, and one forced to another width."""
    case = make(rng)
    width, level, many = case.geometry.width, rng.choice(LEVELS), rng.random() < 0.5
    runs = [Run("jit", width=width, level=level, poisoned=rng.random() < 0.5, many=many)]
    if rng.random() < 0.6:
        other = rng.choice((1, 7, 16, 32, 32, 64, 64))
        runs.append(Run("jit", width=other, forced=True, level=rng.choice(LEVELS),
                        poisoned=rng.random() < 0.5, chunk=rng.choice((0, 0, 32))))  # fmt: skip
    return Trapping(case, runs, str(case))


GENERATOR = Generator("grids", lambda scratch, rng: draw, 120.0, 4.0)
