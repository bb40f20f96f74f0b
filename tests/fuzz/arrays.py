"""Random kernels of private arrays in nests of counted loops, against the oracle.

Most loops have constant bounds, or that of the loop around them; some are left early, some count
to a number that was loaded, and some elements are at places that differ from lane to lane.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import numpy as np

from simtlab.emu.geometry import Geometry
from simtlab.isa.types import RegClass

from .example import Generator
from .kernels import Run
from .launches import KEPT, Fenced, Launch
from .pressure import Values, choose, compute, sign

SHAPES = ((64,), (64,), (32,), (128,), (40,), (7,), (16, 4))

TYPES = (
    ("u32", 4),
    ("f32", 4),
    ("s32", 4),
    ("f64", 8),
    ("u64", 8),
    ("u8", 1),
    ("s8", 1),
    ("s16", 2),
)
COUNTERS = 50
"""The first register of 32 bits that counts a loop; the others follow."""
BOUND = 56
"""A register with a small number that was loaded."""
OFFSET = 57
TABLES = (2, 4, 8)
"""Readonly tables of eight places below these."""
SMALL, LARGE = 6, 3
WORDS = 24
"""u64 elements of a work-item's row of results."""


@dataclass
class Array:
    """A private array; `count` elements of `size` bytes."""

    name: str
    type: str
    size: int
    count: int


@dataclass
class Nest:
    """Where code is emitted: the counters of the loops around it, and the most they can be."""

    v: Values
    arrays: list[Array]
    scattered: bool
    """Whether elements may be at places of each lane's own."""
    counters: tuple[tuple[str, int], ...] = ()


def element(nest: Nest) -> tuple[Array, str]:
    """Emit what an element's address needs; return its array and the address."""
    v, rng = nest.v, nest.v.rng
    array = rng.choice(nest.arrays)
    fitting = [(name, most) for name, most in nest.counters if most < array.count]
    if nest.scattered and rng.random() < 0.2:
        last = min(rng.choice((1, 3, 15)), array.count - 1)
        v.emit(f"and_u32 $s{OFFSET}, {v.register(RegClass.S)}, {last}")
        near = [name for name, most in fitting if most + last < array.count]
        if near and rng.random() < 0.7:
            v.emit(f"mad_u32 $s{OFFSET}, {rng.choice(near)}, 1, $s{OFFSET}")
    elif nest.counters and rng.random() < 0.15:
        name = rng.choice(nest.counters)[0]
        table = rng.choice([n for n in TABLES if n <= array.count])
        v.emit(f"shl_u32 $s{OFFSET}, {name}, 2")
        v.emit(f"ld_readonly_u32 $s{OFFSET}, [below{table}+$s{OFFSET}]")
    elif fitting and rng.random() < 0.9:
        name, most = rng.choice(fitting)
        v.emit(f"mov_u32 $s{OFFSET}, {name}")
        if rng.random() < 0.2 and len(fitting) > 1:
            v.emit(f"{rng.choice(('min', 'max'))}_u32 $s{OFFSET}, $s{OFFSET}, {fitting[0][0]}")
        elif most + 1 < array.count and rng.random() < 0.4:
            v.emit(f"add_u32 $s{OFFSET}, $s{OFFSET}, {rng.randint(1, array.count - 1 - most)}")
        elif rng.random() < 0.1:
            v.emit(f"sub_u32 $s{OFFSET}, {most}, $s{OFFSET}")
    else:
        return array, f"[{array.name}+{rng.randrange(array.count) * array.size}]"
    if array.size > 1:
        v.emit(f"shl_u32 $s{OFFSET}, $s{OFFSET}, {array.size.bit_length() - 1}")
    return array, f"[{array.name}+$s{OFFSET}]"


def access(nest: Nest) -> None:
    """Emit a load or a store of an element, rarely of a part of it."""
    v, rng = nest.v, nest.v.rng
    array, address = element(nest)
    type_ = array.type
    if array.size > 1 and rng.random() < 0.01:
        type_ = "u8"
    register = v.sized(array.size if type_ == array.type else 1)
    v.emit(f"{rng.choice(('ld', 'st'))}_private_{type_} {register}, {address}")


def branch(nest: Nest) -> None:
    """Emit accesses by some of the lanes."""
    v, end = nest.v, nest.v.label()
    sign(v)
    v.emit(f"cbr {v.register(RegClass.C)}, {end}")
    for _ in range(v.rng.randint(1, 3)):
        v.rng.choice((access, access, lambda n: compute(n.v)))(nest)
    v.lines.append(f"{end}:")


def loop(nest: Nest) -> None:
    """Emit a counted loop."""
    v, rng = nest.v, nest.v.rng
    counter, head, end = f"$s{COUNTERS + len(nest.counters)}", v.label(), v.label()
    most = rng.randint(1, 7 if len(nest.counters) < 2 else 3)
    bound, start = str(most + 1), "0"
    outer = nest.counters[-1] if nest.counters else None
    if outer is not None and rng.random() < 0.4:
        bound, most = outer[0], outer[1]
    elif rng.random() < 0.1:
        bound, most = f"$s{BOUND}", 7
    down = rng.random() < 0.2 and bound.isdigit()
    v.emit(f"mov_u32 {counter}, {most if down else start}")
    if not bound.isdigit():
        v.emit(f"cmp_ge_u32 $c30, {counter}, {bound}")
        v.emit(f"cbr $c30, {end}")
    v.lines.append(f"{head}:")
    inner = replace(nest, counters=(*nest.counters, (counter, most)))
    block(inner, rng.randint(1, 5))
    if rng.random() < 0.08:
        sign(v)
        v.emit(f"cbr {v.register(RegClass.C)}, {end}")
    if down:
        v.emit(f"sub_u32 {counter}, {counter}, 1")
        v.emit(f"cmp_ge_s32 $c30, {counter}, 0")
    else:
        v.emit(f"add_u32 {counter}, {counter}, 1")
        v.emit(f"cmp_lt_u32 $c30, {counter}, {bound}")
    v.emit(f"cbr $c30, {head}")
    v.lines.append(f"{end}:")


def block(nest: Nest, statements: int) -> None:
    """Emit some statements."""
    for _ in range(statements):
        kind = nest.v.rng.random()
        if kind < 0.2 and len(nest.counters) < 3:
            loop(nest)
        elif kind < 0.6:
            access(nest)
        elif kind < 0.7:
            branch(nest)
        else:
            nest.v.rng.choice((compute, compute, choose, sign))(nest.v)


def make(rng: random.Random) -> Fenced:
    """Return a kernel with its launch."""
    shape = rng.choice(SHAPES)
    items = tuple(size * (rng.randint(1, 2) if i == 0 else 1) for i, size in enumerate(shape))
    if rng.random() < 0.3:
        items = tuple(max(1, i - rng.randint(0, 9)) for i in items)
    geometry = Geometry.of(items=items, group_size=shape, width=rng.choice((32, 64, 16, 7, 1)))
    v = Values(rng, SMALL, LARGE, 3)
    arrays = []
    for i in range(rng.randint(1, 3)):
        type_, size = rng.choice(TYPES)
        arrays.append(Array(f"a{i}", type_, size, rng.choice((4, 8, 8, 16))))
    v.emit(f"workitemflatabsid_u32 $s62 {KEPT}")
    v.emit(f"cvt_u64_u32 $d62 , $s62 {KEPT}")
    v.emit(f"ld_kernarg_u64 $d61, [%out] {KEPT}")
    v.emit(f"mad_u64 $d61, $d62, {8 * WORDS}, $d61 {KEPT}")
    v.emit("ld_kernarg_u64 $d63, [%input]")
    v.emit(f"mad_u64 $d63, $d62, {8 * (SMALL + LARGE)}, $d63")
    for i in range(LARGE):
        v.emit(f"ld_global_u64 $d{i}, [$d63+{8 * i}]")
    for i in range(SMALL):
        v.emit(f"ld_global_u32 $s{i}, [$d63+{8 * (LARGE + i)}]")
    for i in range(3):
        v.emit(f"cmp_lt_s32 $c{i}, $s{i}, 0")
    v.emit(f"and_u32 $s{BOUND}, $s0, 7")
    nest = Nest(v, arrays, scattered=rng.random() < 0.2)
    block(nest, 2)
    for _ in range(rng.randint(1, 3)):
        loop(nest)
        block(nest, rng.randint(0, 2))
    lines = list(v.lines)
    v.lines.clear()
    _tail(v, arrays)
    text = "\n".join(
        [
            *(f".readonly u32 below{n}[8] = {{ {_places(rng, n)} }}" for n in TABLES),
            "kernel arrays(global u64* %out, global u8* %input) {",
            *(f"    .private {a.type} {a.name}[{a.count}]" for a in arrays),
            *lines,
            *(f"{line} {KEPT}" if not line.startswith("@") else line for line in v.lines),
            f"    ret {KEPT}",
            "}",
        ]
    )
    numbers = np.random.default_rng(rng.randrange(1000))
    bytes_ = numbers.integers(0, 256, geometry.n_items * 8 * (SMALL + LARGE), np.uint8)
    out = np.zeros(geometry.n_items * WORDS, np.uint64)
    return Fenced(text + "\n", geometry, (out, bytes_), frozen=frozenset((1,)))


def _places(rng: random.Random, most: int) -> str:
    return ", ".join(str(rng.randrange(most)) for _ in range(8))


def _tail(v: Values, arrays: list[Array]) -> None:
    """Emit stores of all values, and of a sum of each array's bits."""
    place = 0
    for i in range(LARGE):
        v.emit(f"st_global_u64 $d{i}, [$d61+{place}]")
        place += 8
    for i in range(SMALL):
        v.emit(f"st_global_u32 $s{i}, [$d61+{place}]")
        place += 4
    for i in range(3):
        v.emit(f"cvt_u32_b1 $s60, $c{i}")
        v.emit(f"st_global_u32 $s60, [$d61+{place}]")
        place += 4
    place += -place % 8
    for array in arrays:
        register, t = ("$d60", "u64") if array.size == 8 else ("$s60", "u32")
        total, type_ = register.replace("60", "59"), array.type.replace("f", "u")
        v.emit(f"mov_{t} {total}, 0")
        for k in range(array.count):
            v.emit(f"ld_private_{type_} {register}, [{array.name}+{k * array.size}]")
            v.emit(f"mad_{t} {total}, {total}, 3, {register}")
        v.emit(f"st_global_{t} {total}, [$d61+{place}]")
        place += 8


def draw(rng: random.Random) -> Launch:
    """A kernel with a run of native code."""
    case = make(rng)
    width = rng.choice((16, 16, 16, 7, 32, 64, rng.randint(1, 31)))
    run = Run("jit", width=width, forced=True, poisoned=rng.random() < 0.3)
    if rng.random() < 0.4:
        run = replace(run, width=case.geometry.width, forced=False)
    return Launch(case, [run], str(case))


GENERATOR = Generator("arrays", lambda scratch, rng: draw, 120.0, 2.0)
