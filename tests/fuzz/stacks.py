"""Random kernels with private arrays and stacks in them, against the oracle.

Lanes push and pop in different iterations, by what they have loaded or calculated. Other private
arrays have elements of other sizes, are read before they are written, at one place by all lanes or
at a place of each lane, before, in and after loops, with barriers between or without.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from simtlab.emu.geometry import Geometry

from .draft import Draft
from .example import Generator
from .launches import KEPT, Fenced, Launch, runs_of, sums_of_values

SHAPES = ((64,), (64,), (128,), (256,), (32,), (96,), (40,), (7,), (1,), (16, 4), (16, 16), (5, 13))
TYPES = (
    ("u32", 4),
    ("u32", 4),
    ("f32", 4),
    ("u8", 1),
    ("s8", 1),
    ("u16", 2),
    ("s16", 2),
    ("u64", 8),
)
ID, PART, PLACE, TOP, TURN, LIMIT = 0, 1, 2, 3, 4, 5
"""Registers $s: the flat id, something for a moment, a place, a stack's height, loops."""
VALUE, WIDE, MOST = 40, 10, 5
"""First registers of values, and how many there are."""


@dataclass(frozen=True)
class Array:
    """A private array; its length is a power of two."""

    name: str
    type_: str
    size: int
    length: int


@dataclass
class Stacks(Draft):
    """A kernel under construction."""

    arrays: list[Array]
    hostile: bool
    depth: int = 0
    apart: int = 0
    """How many divergent branches and loops are open: there may be no barrier in them."""

    def value(self, size: int = 4) -> str:
        """Return a register with a value for elements of a size."""
        n = self.rng.randrange(MOST)
        return f"$d{WIDE + n}" if size == 8 else f"$s{VALUE + n}"


def _element(s: Stacks, array: Array) -> str:
    """Emit the place of an element; return it as an operand."""
    match s.rng.randrange(6):
        case 0:
            return f"[{array.name}+{s.rng.randrange(array.length) * array.size}]"
        case 1 if s.depth:
            source = f"$s{TURN + 10 * s.depth}"
        case 2:
            source = f"$s{ID}"
        case 3:
            source = f"$s{TOP}"
        case _:
            source = s.value()
    if s.hostile and s.chance(0.2):
        s.emit(f"and_u32 $s{PLACE}, {source}, {2 * array.length - 1}", kept=True)
    else:
        s.emit(f"and_u32 $s{PLACE}, {source}, {array.length - 1}", kept=True)
    if array.size > 1:
        s.emit(f"mul_u32 $s{PLACE}, $s{PLACE}, {array.size}", kept=True)
    return f"[{array.name}+$s{PLACE}]"


def load(s: Stacks) -> None:
    """Emit a load and what is done with it."""
    array = s.rng.choice(s.arrays)
    operand = _element(s, array)
    part, total = ("$d6" if array.size == 8 else f"$s{PART}"), s.value(array.size)
    s.emit(f"ld_private_{array.type_} {part}, {operand}")
    bits = 64 if array.size == 8 else 32
    match s.rng.randrange(4):
        case 0 if array.type_ == "f32":
            s.emit(f"add_f32 {total}, {total}, {part}")
        case 1:
            s.emit(f"xor_u{bits} {total}, {total}, {part}")
        case 2:
            s.emit(f"mov_u{bits} {total}, {part}")
        case _:
            s.emit(f"mad_u{bits} {total}, {total}, 31, {part}")


def store(s: Stacks) -> None:
    """Emit a store."""
    array = s.rng.choice(s.arrays)
    operand = _element(s, array)
    s.emit(f"st_private_{array.type_} {s.value(array.size)}, {operand}")


def mix(s: Stacks) -> None:
    """Emit something between accesses."""
    match s.rng.randrange(5):
        case 0:
            s.emit(f"add_u32 {s.value()}, {s.value()}, {s.value()}")
        case 1:
            s.emit(f"cvt_u32_u64 {s.value()}, {s.value(8)}")
        case 2:
            s.emit(f"shr_u32 {s.value()}, {s.value()}, {s.rng.randint(1, 9)}")
        case 3:
            s.emit("ld_kernarg_u64 $d2, [%x]")
            s.emit(f"and_u32 $s{PART}, {s.value()}, 63")
            s.emit(f"cvt_u64_u32 $d3, $s{PART}")
            s.emit("mad_u64 $d2, $d3, 4, $d2")
            s.emit(f"ld_global_u32 {s.value()}, [$d2]")
        case _:
            s.emit(f"cvt_u64_u32 {s.value(8)}, {s.value()}")


def barrier(s: Stacks) -> None:
    """Emit a barrier, where all work-items come by."""
    if not s.apart:
        s.emit("barrier", kept=True)


def test(s: Stacks, out: str) -> None:
    """Emit a branch that some lanes take."""
    operand = s.rng.choice((f"$s{ID}", s.value(), s.value()))
    s.emit(f"and_u32 $s{PART}, {operand}, {s.rng.choice((1, 3, 7, 31, 63))}")
    s.emit(
        f"cmp_{s.rng.choice(('lt', 'gt', 'eq', 'ne'))}_u32 $c0, $s{PART}, {s.rng.choice((0, 1, 5))}"
    )
    s.emit(f"cbr $c0, {out}")


def if_(s: Stacks) -> None:
    """Emit statements for some lanes."""
    out, other = s.label(), s.label()
    test(s, other)
    s.apart += 1
    body(s, 2)
    if s.chance(0.4):
        s.emit(f"br {out}")
        s.lines.append(f"{other}:")
        body(s, 2)
        s.lines.append(f"{out}:")
    else:
        s.lines.append(f"{other}:")
    s.apart -= 1


def counted(s: Stacks) -> None:
    """Emit a loop that lanes leave together, or in different iterations."""
    s.depth += 1
    turn, limit = f"$s{TURN + 10 * s.depth}", f"$s{LIMIT + 10 * s.depth}"
    head, out = s.label(), s.label()
    together = s.chance(0.6)
    if together:
        s.emit(f"mov_u32 {limit}, {s.rng.choice((1, 2, 4, 8, 9))}", kept=True)
    else:
        s.emit(f"and_u32 {limit}, {s.value()}, 7", kept=True)
    s.emit(f"mov_u32 {turn}, 0", kept=True)
    s.lines.append(f"{head}:")
    s.emit(f"cmp_ge_u32 $c{s.depth}, {turn}, {limit}", kept=True)
    s.emit(f"cbr $c{s.depth}, {out}", kept=True)
    s.apart += not together
    body(s, 3)
    if s.chance(0.2) and s.apart:
        test(s, out)
    s.apart -= not together
    s.emit(f"add_u32 {turn}, {turn}, 1", kept=True)
    s.emit(f"br {head}", kept=True)
    s.lines.append(f"{out}:")
    s.depth -= 1


def stack(s: Stacks) -> None:
    """Emit a loop that pushes and pops until its stack is empty, or it has run often enough."""
    s.depth += 1
    array = s.rng.choice([a for a in s.arrays if a.length >= 4] or s.arrays)
    turn = f"$s{TURN + 10 * s.depth}"
    head, out, full, back = (s.label() for _ in range(4))
    bits, top = 64 if array.size == 8 else 32, f"$s{TOP}"
    value = "$d7" if array.size == 8 else "$s6"
    in_bytes = s.chance(0.5)
    step, most = (array.size, array.length * array.size) if in_bytes else (1, array.length)

    def place() -> str:
        if in_bytes or array.size == 1:
            return f"[{array.name}+{top}]"
        s.emit(f"mul_u32 $s{PLACE}, {top}, {array.size}", kept=True)
        return f"[{array.name}+$s{PLACE}]"

    s.emit(f"mov_u32 {turn}, 0", kept=True)
    s.emit(f"mov_u32 {top}, 0", kept=True)
    s.emit(f"st_private_{array.type_} {s.value(array.size)}, {place()}")
    s.emit(f"add_u32 {top}, {top}, {step}", kept=True)
    s.apart += 1
    s.lines.append(f"{head}:")
    s.emit(f"cmp_eq_u32 $c{s.depth}, {top}, 0", kept=True)
    s.emit(f"cbr $c{s.depth}, {out}", kept=True)
    s.emit(f"add_u32 {turn}, {turn}, 1", kept=True)
    s.emit(f"cmp_gt_u32 $c{s.depth}, {turn}, {s.rng.choice((5, 12, 30))}", kept=True)
    s.emit(f"cbr $c{s.depth}, {out}", kept=True)
    s.emit(f"sub_u32 {top}, {top}, {step}", kept=True)
    s.emit(f"ld_private_{array.type_} {value}, {place()}")
    s.emit(f"mad_u{bits} {s.value(array.size)}, {value}, 37, {s.value(array.size)}")
    if s.chance(0.4):
        body(s, 1)
    for _ in range(s.rng.randint(1, 2)):
        s.emit(f"cmp_gt_u32 $c0, {top}, {most - step}", kept=True)
        s.emit(f"cbr $c0, {full}", kept=True)
        test(s, s.rng.choice((full, back)))
        s.emit(f"st_private_{array.type_} {s.value(array.size)}, {place()}")
        s.emit(f"add_u32 {top}, {top}, {step}", kept=True)
    s.lines.append(f"{full}:")
    if s.chance(0.3):
        mix(s)
    s.lines.append(f"{back}:")
    s.emit(f"br {head}", kept=True)
    s.lines.append(f"{out}:")
    s.apart -= 1
    s.depth -= 1


def run(s: Stacks) -> None:
    """Emit a loop that moves elements of an array up or down, or stores one value to them."""
    arrays = [a for a in s.arrays if a.length >= 8]
    if not arrays:
        mix(s)
        return
    s.depth += 1
    array, up, filled = s.rng.choice(arrays), s.chance(0.5), s.chance(0.2)
    quarter, size = array.length // 4, array.size
    place, left = f"$s{TURN + 10 * s.depth}", f"$s{LIMIT + 10 * s.depth}"
    value = s.value(size) if filled else "$d7" if size == 8 else "$s6"
    most = array.length if s.hostile and s.chance(0.3) else quarter
    s.emit(f"and_u32 {place}, {s.value()}, {quarter - 1}", kept=True)
    s.emit(f"add_u32 {place}, {place}, {quarter if up else 2 * quarter}", kept=True)
    s.emit(f"and_u32 {left}, {s.value()}, {most - 1}", kept=True)
    head, out = s.label(), s.label()
    s.lines.append(f"{head}:")
    s.emit(f"cmp_eq_u32 $c{s.depth}, {left}, 0", kept=True)
    s.emit(f"cbr $c{s.depth}, {out}", kept=True)
    s.emit(f"mul_u32 $s{PLACE}, {place}, {size}", kept=True)
    if not filled:
        apart = s.rng.choice((-1, 1, 1, -quarter, quarter)) * size
        s.emit(f"ld_private_{array.type_} {value}, [{array.name}+$s{PLACE}{apart:+}]")
    s.emit(f"st_private_{array.type_} {value}, [{array.name}+$s{PLACE}]")
    s.emit(f"{'add' if up else 'sub'}_u32 {place}, {place}, 1", kept=True)
    s.emit(f"sub_u32 {left}, {left}, 1", kept=True)
    s.emit(f"br {head}", kept=True)
    s.lines.append(f"{out}:")
    s.depth -= 1


def body(s: Stacks, most: int) -> None:
    """Emit some statements."""
    for _ in range(s.rng.randint(1, most)):
        deep = s.depth < 2 and s.labels < 14
        choices = (
            load,
            load,
            store,
            store,
            mix,
            barrier,
            *((if_, counted, stack, run) if deep else ()),
        )
        s.rng.choice(choices)(s)


def make(rng: random.Random) -> Fenced:
    """Return a kernel with its launch."""
    shape = rng.choice(SHAPES)
    items = [size * (rng.randint(1, 2) if i == 0 else 1) for i, size in enumerate(shape)]
    if rng.random() < 0.3:
        items = [max(1, i - rng.randint(0, s // 2)) for i, s in zip(items, shape, strict=True)]
    geometry = Geometry.of(items=items, group_size=shape, width=rng.choice((32, 32, 64, 16, 7)))
    arrays = [
        Array(f"a{i}", *rng.choice(TYPES), rng.choice((1, 2, 4, 8, 8, 16, 32)))
        for i in range(rng.randint(1, 3))
    ]
    s = Stacks(rng, arrays, rng.random() < 0.1)
    if rng.random() < 0.4:
        stack(s)
    body(s, 5)
    text = "\n".join(
        [
            "kernel stacks(global u32* %x, global u32* %out) {",
            *(f"    .private {a.type_} {a.name}[{a.length}]" for a in arrays),
            *(f"    {x} {KEPT}" for x in _head()),
            *s.lines,
            *(f"    {x} {KEPT}" for x in sums_of_values(VALUE, WIDE, MOST)),
            "}",
        ]
    )
    x = np.random.default_rng(rng.randrange(1000)).integers(0, 1 << 32, 64, np.uint32)
    out = np.zeros(2 * geometry.n_items, np.uint32)
    return Fenced(text + "\n", geometry, (x, out), frozen=frozenset((0,)))


def _head() -> list[str]:
    lines = [f"workitemflatabsid_u32 $s{ID}"]
    lines += [f"mad_u32 $s{VALUE + i}, $s{ID}, {2654435761 * (i + 1) & 0x7FFFFFFF}, $s{ID}"
              for i in range(MOST)]  # fmt: skip
    return lines + [f"cvt_u64_u32 $d{WIDE + i}, $s{VALUE + i}" for i in range(MOST)]


def draw(rng: random.Random) -> Launch:
    """A kernel with its runs."""
    case = make(rng)
    return Launch(case, runs_of(rng, case), str(case), again=rng.random() < 0.1)


GENERATOR = Generator("stacks", lambda scratch, rng: draw, 120.0, 3.0)
