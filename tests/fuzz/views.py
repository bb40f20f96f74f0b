"""Random kernels whose pointers lead into one array, shifted, against the oracle.

Each work-item has cells of its own: a record, a row or a column. It loads and stores them by
several pointers, with elements of several sizes, in loops and under conditions, so that what one
access stores is what another one loads. Other launches of the same code have the arrays apart, or
shifted by other distances.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

import numpy as np

from simtlab.emu.geometry import Geometry

from .draft import Draft
from .example import Generator
from .launches import KEPT, Fenced, Launch, runs_of, sums_of_values

SHAPES = (
    (64,), (64,), (128,), (256,), (32,), (96,), (40,), (7,), (1,), (100,), (16, 4), (16, 16),
    (8, 8), (32, 2), (5, 13), (4, 4, 4), (64, 2),
)  # fmt: skip
TYPES = {
    1: ("u8", "s8"), 2: ("u16", "s16"), 4: ("u32", "f32", "u32", "s32"), 8: ("u64", "f64", "s64"),
}  # fmt: skip
ID, CELL, INDEX, PART, COUNTER, BOUND = 0, 1, 2, 3, 4, 8
"""Registers $s: the flat id, whose cells it has, a place, something for a moment, loops."""

VALUE, WIDE, POINTER = 10, 10, 20
"""First registers of values of 32 bits, of 64 bits, and of pointers."""

MOST = 5
"""Values of each kind."""

POINTERS = 4
BLOCK = 0
"""The argument that the others are parts of."""


@dataclass
class Views(Draft):
    """A kernel under construction.

    Cell k of work-item i has `size` bytes from i * `apart` + k * `step` on.
    """

    items: int
    size: int
    cells: int
    apart: int
    step: int
    shifts: list[int]
    """Bytes from the array's begin to where each pointer leads."""
    counters: list[int] = field(default_factory=list)
    """The numbers below which counters of the loops around stay; each is a multiple of cells."""

    def value(self, size: int = 4) -> str:
        """Return a register with a value for elements of a size."""
        n = self.rng.randrange(MOST)
        return f"$d{WIDE + n}" if size == 8 else f"$s{VALUE + n}"


def _cell(v: Views) -> int | None:
    """Emit the number of a cell into PART; return it if it is a constant."""
    how = v.rng.randrange(8)
    if v.counters and how < 5:
        counter = f"$s{COUNTER + v.rng.randrange(len(v.counters))}"
        if how == 0:
            v.emit(f"sub_u32 $s{PART}, {v.cells - 1}, {counter}", kept=True)
        elif how == 1 and v.cells > 1:
            v.emit(f"add_u32 $s{PART}, {counter}, {v.rng.randint(1, v.cells)}", kept=True)
            v.emit(f"rem_u32 $s{PART}, $s{PART}, {v.cells}", kept=True)
        elif how == 2:
            v.emit(f"max_u32 $s{PART}, {counter}, 1", kept=True)
            v.emit(f"sub_u32 $s{PART}, $s{PART}, 1", kept=True)
        else:
            v.emit(f"mov_u32 $s{PART}, {counter}", kept=True)
        return None
    if how == 5:
        v.emit(f"rem_u32 $s{PART}, {v.value()}, {v.cells}", kept=True)
        return None
    return v.rng.randrange(v.cells)


def _address(v: Views, size: int) -> str:
    """Emit the address of a part of a cell; return it as an operand."""
    pointer = v.rng.randrange(POINTERS)
    shift, within = v.shifts[pointer], v.rng.randrange(v.size // size) * size
    cell = _cell(v)
    constant = within - shift
    base = f"$d{POINTER + pointer}"
    if v.chance(0.3):
        v.emit(f"ld_kernarg_u64 $d3, [%p{pointer}]", kept=True)
        base = "$d3"
    whole = all(n % size == 0 for n in (v.apart, v.step, constant))
    if whole and v.chance(0.6):  # a 32-bit index of elements
        v.emit(f"mul_u32 $s{INDEX}, $s{CELL}, {v.apart // size}", kept=True)
        if cell is None:
            v.emit(f"mad_u32 $s{INDEX}, $s{PART}, {v.step // size}, $s{INDEX}", kept=True)
        else:
            constant += cell * v.step
        signed = v.chance(0.4)
        if signed:
            v.emit(f"add_s32 $s{INDEX}, $s{INDEX}, {constant // size}", kept=True)
            constant = 0
        v.emit(f"cvt_{'s64_s32' if signed else 'u64_u32'} $d4, $s{INDEX}", kept=True)
        if v.chance(0.5):
            v.emit(f"mad_u64 $d4, $d4, {size}, {base}", kept=True)
        else:
            v.emit(f"shl_u64 $d4, $d4, {size.bit_length() - 1}", kept=True)
            v.emit(f"add_u64 $d4, {base}, $d4", kept=True)
    else:
        v.emit(f"cvt_u64_u32 $d4, $s{CELL}", kept=True)
        v.emit(f"mad_u64 $d4, $d4, {v.apart}, {base}", kept=True)
        if cell is None:
            v.emit(f"cvt_u64_u32 $d5, $s{PART}", kept=True)
            v.emit(f"mad_u64 $d4, $d5, {v.step}, $d4", kept=True)
        else:
            constant += cell * v.step
    return f"[$d4+{constant}]" if constant >= 0 else f"[$d4{constant}]"


def _size(v: Views) -> int:
    return v.rng.choice([s for s in (1, 2, 4, 4, 8, v.size, v.size) if s <= v.size])


def load(v: Views) -> None:
    """Emit a load and what is done with it."""
    size = _size(v)
    type_, total = v.rng.choice(TYPES[size]), v.value(size)
    part = "$d6" if size == 8 else f"$s{PART}"
    v.emit(f"ld_global_{type_} {part}, {_address(v, size)}", kept=True)
    match v.rng.randrange(5):
        case 0 if type_[0] == "f":
            v.emit(f"add_{type_} {total}, {total}, {part}")
        case 0 | 1:
            v.emit(f"mad_u{max(size, 4) * 8} {total}, {total}, 31, {part}")
        case 2:
            v.emit(f"xor_u{max(size, 4) * 8} {total}, {total}, {part}")
        case _:
            v.emit(f"mov_u{max(size, 4) * 8} {total}, {part}")


def store(v: Views) -> None:
    """Emit a store."""
    size = _size(v)
    operand = _address(v, size)
    v.emit(f"st_global_{v.rng.choice(TYPES[size])} {v.value(size)}, {operand}", kept=True)


def copy(v: Views) -> None:
    """Emit a load, a store, and the first cell again."""
    size = _size(v)
    type_, value = v.rng.choice(TYPES[size]), v.value(size)
    v.emit(f"ld_global_{type_} {value}, {_address(v, size)}", kept=True)
    v.emit(f"add_u{max(size, 4) * 8} {value}, {value}, 3")
    v.emit(f"st_global_{type_} {value}, {_address(v, size)}", kept=True)


def atomic(v: Views) -> None:
    """Emit an atomic, with or without its result."""
    sizes = [s for s in (4, 8) if s <= v.size]
    if not sizes:
        return store(v)
    size = v.rng.choice(sizes)
    stem = v.rng.choice(("add", "add", "max", "xor", "exch"))
    operand = _address(v, size)
    result = f"{v.value(size)}, " if stem == "exch" or v.chance(0.5) else ""
    v.emit(f"atomic_{stem}_global_u{size * 8} {result}{operand}, {v.value(size)}", kept=True)
    return None


def mix(v: Views) -> None:
    """Emit something between accesses."""
    match v.rng.randrange(4):
        case 0:
            v.emit(f"add_u32 {v.value()}, {v.value()}, {v.value()}")
        case 1:
            v.emit(f"cvt_u32_u64 {v.value()}, {v.value(8)}")
        case 2:
            v.emit(f"cvt_u64_u32 {v.value(8)}, {v.value()}")
        case _:
            v.emit(f"max_f32 {v.value()}, {v.value()}, {v.value()}")


def if_(v: Views) -> None:
    """Emit accesses by some lanes."""
    out, other = v.label(), v.label()
    operand = v.rng.choice((f"$s{ID}", f"$s{ID}", v.value(), v.value()))
    v.emit(f"and_u32 $s{PART}, {operand}, {v.rng.choice((1, 3, 31, 63, 255))}")
    v.emit(f"cmp_{v.rng.choice(('lt', 'gt', 'eq'))}_u32 $c0, $s{PART}, {v.rng.choice((0, 1, 17))}")
    v.emit(f"cbr $c0, {other}")
    body(v, 2)
    if v.chance(0.4):
        v.emit(f"br {out}")
        v.lines.append(f"{other}:")
        body(v, 2)
        v.lines.append(f"{out}:")
    else:
        v.lines.append(f"{other}:")


def loop(v: Views) -> None:
    """Emit a loop through the cells, which lanes may leave at different times."""
    if len(v.counters) == 2:
        return load(v)
    depth = len(v.counters)
    counter, bound = f"$s{COUNTER + depth}", f"$s{BOUND + depth}"
    head, out = v.label(), v.label()
    match v.rng.randrange(5):
        case 0:
            v.emit(f"rem_u32 {bound}, {v.value()}, {v.cells}", kept=True)
            v.emit(f"add_u32 {bound}, {bound}, 1", kept=True)
        case 1:
            v.emit(f"and_u32 {bound}, $s{ID}, 7", kept=True)
            v.emit(f"min_u32 {bound}, {bound}, {v.cells}", kept=True)
        case 2 | 3:
            v.emit(f"ld_kernarg_u32 {bound}, [%cells]", kept=True)
        case _:
            v.emit(f"mov_u32 {bound}, {v.cells}", kept=True)
    v.emit(f"mov_u32 {counter}, 0", kept=True)
    v.lines.append(f"{head}:")
    v.emit(f"cmp_ge_u32 $c{depth + 1}, {counter}, {bound}", kept=True)
    v.emit(f"cbr $c{depth + 1}, {out}", kept=True)
    v.counters.append(v.cells)
    body(v, 3)
    if v.chance(0.2):
        v.emit(f"and_u32 $s{PART}, {v.value()}, 15")
        v.emit(f"cmp_eq_u32 $c0, $s{PART}, 3")
        v.emit(f"cbr $c0, {out}")
        body(v, 1)
    v.counters.pop()
    v.emit(f"add_u32 {counter}, {counter}, 1", kept=True)
    v.emit(f"br {head}", kept=True)
    v.lines.append(f"{out}:")
    return None


def body(v: Views, most: int) -> None:
    """Emit some statements."""
    for _ in range(v.rng.randint(1, most)):
        deep = len(v.counters) < 2 and v.labels < 8
        choices = (load, load, store, store, copy, mix, *((if_, loop, loop) if deep else ()))
        v.rng.choice((*choices, atomic) if v.chance(0.15) else choices)(v)


def make(rng: random.Random) -> Fenced:
    """Return a kernel with its launch."""
    shape = rng.choice(SHAPES)
    items = [size * (rng.randint(1, 3) if i == 0 else 1) for i, size in enumerate(shape)]
    if rng.random() < 0.3:
        items = [max(1, i - rng.randint(0, s // 2)) for i, s in zip(items, shape, strict=True)]
    geometry = Geometry.of(items=items, group_size=shape, width=rng.choice((32, 32, 64, 16, 7)))
    n, size = geometry.n_items, rng.choice((1, 2, 4, 4, 4, 8, 8))
    cells = rng.choice((1, 1, 2, 3, 4, 8, 16, 17))
    padded = n + rng.choice((0, 0, 1, 5))
    in_rows = rng.random() < 0.6
    apart, step = (
        ((cells + rng.choice((0, 0, 1))) * size, size) if in_rows else (size, padded * size)
    )
    length = (padded + 2) * max(apart, cells * size)
    unit = rng.choice((size, size, step, apart))
    shifts = [rng.choice((0, 0, 1, 1, 2, 3, 16)) * unit for _ in range(POINTERS)]
    v = Views(
        rng, n, size, cells, apart, step, [min(s, length // size // 2 * size) for s in shifts]
    )
    match rng.randrange(5):
        case 0:
            v.emit(f"sub_u32 $s{CELL}, {n - 1}, $s{ID}", kept=True)
        case 1 if n % 2 == 0:
            v.emit(f"xor_u32 $s{CELL}, $s{ID}, 1", kept=True)
        case 2:
            v.emit(f"ld_kernarg_u32 $s{PART}, [%one]", kept=True)
            v.emit(f"mul_u32 $s{CELL}, $s{ID}, $s{PART}", kept=True)
        case _:
            v.emit(f"mov_u32 $s{CELL}, $s{ID}", kept=True)
    body(v, 6)
    parameters = ", ".join(["global u8* %block", *(f"global u8* %p{i}" for i in range(POINTERS))])
    text = "\n".join(
        [
            f"kernel views({parameters}, global u32* %out, u32 %one, u32 %cells) {{",
            *(f"    {x} {KEPT}" for x in _head()),
            *v.lines,
            "@done:",
            *(f"    {x} {KEPT}" for x in sums_of_values(VALUE, WIDE, MOST)),
            "}",
        ]
    )
    numbers = np.random.default_rng(rng.randrange(1000))
    block = numbers.integers(0, 256, length, np.uint8)
    arrays = (
        block, *(block[s:] for s in v.shifts), np.zeros(2 * n, np.uint32), np.uint32(1),
        np.uint32(cells),
    )  # fmt: skip
    views = tuple((1 + i, BLOCK, s) for i, s in enumerate(v.shifts))
    return Fenced(text + "\n", geometry, arrays, views=views, odd=rng.choice((0, 0, 0, 0, 1, 4)))


def _head() -> list[str]:
    lines = [f"workitemflatabsid_u32 $s{ID}"]
    lines += [f"ld_kernarg_u64 $d{POINTER + i}, [%p{i}]" for i in range(POINTERS)]
    lines += [f"mad_u32 $s{VALUE + i}, $s{ID}, {2 * i + 1}, $s{ID}" for i in range(MOST)]
    return lines + [f"cvt_u64_u32 $d{WIDE + i}, $s{VALUE + i}" for i in range(MOST)]


def _variant(rng: random.Random, case: Fenced) -> Fenced:
    """Return a case for the same code: arrays apart, some of them together, or other shifts."""
    views, arrays, cells = case.views, list(case.arrays), case.arrays[-1]
    block = arrays[BLOCK]
    assert isinstance(block, np.ndarray)
    match rng.randrange(3):
        case 0:
            views = ()
        case 1:
            views = tuple(view for view in views if rng.random() < 0.6)
        case _:
            most = min(block.size, max(start for _, _, start in views) + 16)
            views = tuple((at, of, rng.choice((s, s, rng.randrange(most)))) for at, of, s in views)
            for at, _, start in views:
                arrays[at] = block[start:]
    arrays[-1] = rng.choice((cells, cells, np.uint32(0), np.uint32(1)))
    found = replace(case, arrays=tuple(arrays), views=views)
    found.__dict__["module"] = case.module
    return found


def draw(rng: random.Random) -> Launch:
    """A kernel with its runs and other launches, perhaps by the way of short launches."""
    case = make(rng)
    variants = tuple(_variant(rng, case) for _ in range(2))
    return Launch(case, runs_of(rng, case), str(case), again=rng.random() < 0.3, variants=variants)


GENERATOR = Generator("views", lambda scratch, rng: draw, 120.0, 3.0)
