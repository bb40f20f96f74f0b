"""Random kernels that access records and rows, against the oracle.

Lane after lane has its record: fields of all sizes, accessed in any order, under masks, among other
instructions. Places come from identities, shuffled, scaled by an argument, or loaded. Loops walk
through a row a lane. Buffers end where the last record does, or before.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import numpy as np

from simtlab.emu.geometry import Geometry

from .draft import Draft
from .example import Generator
from .launches import KEPT, Fenced, Launch, runs_of, sums_of_values

SHAPES = ((64,), (64,), (128,), (256,), (32,), (96,), (40,), (7,), (16, 4), (16, 16))
SIZES = {
    "u8": 1, "s8": 1, "u16": 2, "s16": 2, "u32": 4, "s32": 4, "f32": 4, "u64": 8, "f64": 8,
}  # fmt: skip
USUAL = ("u32", "f32", "u32", "f32", "u8", "s16", "u64", "f64", "s8", "u16")

INDICES = ("id", "id", "id", "moved", "scaled", "scaled", "shuffled", "loaded")
"""The records of lanes: their own, those after them, a multiple from an argument, and so on."""

ID, INDEX, PART, VALUE = 0, 1, 2, 10
"""Registers $s: the flat id, the record, something for a moment, and values from here on."""

WIDE = 20
"""Register $d of the first value of 64 bits."""

MOST = 6
"""Values of each kind."""


@dataclass
class Body(Draft):
    """A kernel under construction."""

    items: int

    def value(self, size: int) -> str:
        """Return a register with a value for elements of a size."""
        return f"$d{WIDE + self.rng.randrange(MOST)}" if size == 8 else self.word()

    def word(self) -> str:
        """Return a register with a value of 32 bits."""
        return f"$s{VALUE + self.rng.randrange(MOST)}"

    def mix(self) -> None:
        """Append something between accesses."""
        match self.rng.randrange(4):
            case 0:
                self.emit(f"add_u32 {self.word()}, {self.word()}, {self.word()}")
            case 1:
                self.emit(f"xor_u32 {self.word()}, {self.word()}, {self.rng.randrange(99)}")
            case 2:
                self.emit(f"add_u64 {self.value(8)}, {self.value(8)}, {self.value(8)}")
            case _:
                self.emit(f"or_u32 $s{PART}, {self.word()}, 1")
                self.emit(f"rem_u32 {self.word()}, {self.word()}, $s{PART}")


@dataclass
class Records:
    """An array of records: `apart` elements of a type each, from a parameter on."""

    name: str
    type_: str
    apart: int
    before: int
    """Elements between the parameter and the place that places are counted from."""

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return SIZES[self.type_]


def _index(b: Body, kind: str) -> int:
    """Emit which record a lane has; return how many there may be."""
    match kind:
        case "moved":
            b.emit(f"ld_kernarg_u32 $s{PART}, [%three]")
            b.emit(f"add_u32 $s{INDEX}, $s{ID}, $s{PART}")
            return b.items + 3
        case "scaled":
            b.emit(f"ld_kernarg_u32 $s{PART}, [%one]")
            b.emit(f"mul_u32 $s{INDEX}, $s{ID}, $s{PART}")
            return b.items
        case "shuffled":
            b.emit(f"xor_u32 $s{INDEX}, $s{ID}, {b.rng.choice((1, 16, 32, 5))}")
            return b.items + 64
        case "loaded":
            b.emit("ld_kernarg_u64 $d1, [%order]")
            b.emit(f"cvt_u64_u32 $d2, $s{ID}")
            b.emit("mad_u64 $d2, $d2, 4, $d1")
            b.emit(f"ld_global_u32 $s{INDEX}, [$d2]")
            return b.items
    b.emit(f"mov_u32 $s{INDEX}, $s{ID}")
    return b.items


def _access(b: Body, records: Records, place: int, how: str, register: str, do: str) -> None:
    """Emit an access of the field at `place`; the address is made in one of several ways."""
    size, at = records.size, place + records.before
    if how == "sum":  # the field's place is a part of a 32-bit index
        b.emit(f"mul_u32 $s{PART}, $s{INDEX}, {records.apart}")
        b.emit(f"add_u32 $s{PART}, $s{PART}, {at}")
        b.emit(f"cvt_u64_u32 $d3, $s{PART}")
        b.emit(f"mad_u64 $d3, $d3, {size}, ${records.name}")
        b.emit(f"{do}_global_{records.type_} {register}, [$d3]")
    elif how == "product":
        b.emit(f"mov_u32 $s{PART}, {at}")
        b.emit(f"mad_u32 $s{PART}, $s{INDEX}, {records.apart}, $s{PART}")
        b.emit(f"cvt_u64_u32 $d3, $s{PART}")
        b.emit(f"mad_u64 $d3, $d3, {size}, ${records.name}")
        b.emit(f"{do}_global_{records.type_} {register}, [$d3]")
    elif how == "shared":
        b.emit(f"{do}_global_{records.type_} {register}, [$d4+{at * size}]")
    else:
        b.emit(f"cvt_u64_u32 $d3, $s{INDEX}")
        b.emit(f"mad_u64 $d3, $d3, {records.apart * size}, ${records.name}")
        b.emit(f"{do}_global_{records.type_} {register}, [$d3+{at * size}]")


def _fields(b: Body, records: Records, do: str) -> None:
    """Emit accesses of some fields of a lane's record."""
    rng = b.rng
    most = min(records.apart, 6)
    places = [rng.randrange(records.apart) for _ in range(rng.randint(1, most))]
    if do == "st" or b.chance(0.5):
        first = rng.randint(0, records.apart - most)
        places = list(dict.fromkeys(first + (p - first) % most for p in places))
        if b.chance(0.5):
            places = [first + i for i in range(most)]
    if b.chance(0.3):
        rng.shuffle(places)
    how = rng.choice(("shared", "shared", "sum", "product", "own"))
    if how == "shared":
        b.emit(f"cvt_u64_u32 $d3, $s{INDEX}")
        b.emit(f"mad_u64 $d4, $d3, {records.apart * records.size}, ${records.name}")
    for place in places:
        _access(b, records, place, how, b.value(records.size), do)
        if b.chance(0.25):
            b.mix()


def _under(b: Body) -> str:
    """Emit a branch around what follows, for some lanes; return its target."""
    out = b.label()
    test = b.rng.choice(("lt", "gt", "ne"))
    operand = b.rng.choice((f"$s{ID}", b.word()))
    b.emit(f"and_u32 $s{PART}, {operand}, {b.rng.choice((1, 31, 63, 255))}")
    b.emit(f"cmp_{test}_u32 $c0, $s{PART}, {b.rng.choice((0, 1, 17, 40))}")
    b.emit(f"cbr $c0, {out}")
    return out


def _walk(b: Body, source: Records) -> int:
    """Emit a loop through a row of each lane; return the elements of all rows."""
    rng = b.rng
    size = source.size
    row = rng.choice((1, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40, 48))
    length = max(1, row - rng.choice((0, 0, 0, 1, 3)))
    head, out = b.label(), b.label()
    known = b.chance(0.4)
    if known:
        b.emit(f"mul_u32 $s3, $s{INDEX}, {row}")
    else:
        b.emit("ld_kernarg_u32 $s5, [%row]")
        b.emit(f"mul_u32 $s3, $s{INDEX}, $s5")
    b.emit(f"mov_u32 $s6, {length}") if b.chance(0.5) else b.emit("ld_kernarg_u32 $s6, [%length]")
    stepping = b.chance(0.5)
    if stepping:
        b.emit("cvt_u64_u32 $d5, $s3")
        b.emit(f"mad_u64 $d5, $d5, {size}, ${source.name}")
    start = rng.choice((0, 0, 2))
    b.emit(f"mov_u32 $s4, {start}")
    top = b.chance(0.4)
    b.lines.append(f"{head}:")
    if top:
        b.emit(f"cmp_ge_u32 $c1, $s4, {'$s6'}")
        b.emit(f"cbr $c1, {out}")
    value = b.value(size)
    if not stepping:
        b.emit(f"add_u32 $s{PART}, $s3, $s4")
        b.emit(f"cvt_u64_u32 $d5, $s{PART}")
        b.emit(f"mad_u64 $d5, $d5, {size}, ${source.name}")
    b.emit(f"ld_global_{source.type_} {value}, [$d5+{source.before * size}]")
    if size == 8:
        b.emit(f"mad_u64 $d{WIDE}, $d{WIDE}, 31, {value}")
    else:
        b.emit(f"mad_u32 $s{VALUE}, $s{VALUE}, 31, {value}")
    if b.chance(0.3):
        b.mix()
    if b.chance(0.15):
        b.emit(f"and_u32 $s{PART}, {b.word()}, 15")
        b.emit(f"cmp_eq_u32 $c2, $s{PART}, 3")
        b.emit(f"cbr $c2, {out}")
    if stepping:
        b.emit(f"add_u64 $d5, $d5, {size}")
    b.emit("add_u32 $s4, $s4, 1", kept=True)
    if top:
        b.emit(f"br {head}")
    else:
        b.emit("cmp_lt_u32 $c1, $s4, $s6")
        b.emit(f"cbr $c1, {head}")
    b.lines.append(f"{out}:")
    b.emit(f"// row {row} length {length}")
    return row


def _repeat(b: Body, source: Records, target: Records) -> None:
    """Emit a loop that loads the same fields in each iteration, and stores others."""
    head, out = b.label(), b.label()
    b.emit("mov_u32 $s4, 0")
    b.emit("ld_kernarg_u32 $s6, [%three]")
    b.lines.append(f"{head}:")
    top = b.chance(0.5)
    if top:
        b.emit("cmp_ge_u32 $c1, $s4, $s6")
        b.emit(f"cbr $c1, {out}")
    _fields(b, source, "ld")
    b.mix()
    _fields(b, target, "st")
    b.emit("add_u32 $s4, $s4, 1", kept=True)
    if top:
        b.emit(f"br {head}")
    else:
        b.emit(f"cmp_lt_u32 $c1, $s4, {b.rng.choice(('3', '$s6'))}")
        b.emit(f"cbr $c1, {head}")
    b.lines.append(f"{out}:")


def make(rng: random.Random) -> Fenced:
    """Return a kernel with its launch."""
    shape = rng.choice(SHAPES)
    items = [size * (rng.randint(1, 2) if i == 0 else 1) for i, size in enumerate(shape)]
    if rng.random() < 0.3:
        items = [max(1, i - rng.randint(0, s // 2)) for i, s in zip(items, shape, strict=True)]
    geometry = Geometry.of(items=items, group_size=shape, width=rng.choice((32, 64, 16, 24)))
    b = Body(rng, geometry.n_items)
    source = Records("d10", rng.choice(USUAL), rng.choice((1, 2, 2, 3, 3, 4, 6, 8, 16, 17)),
                     rng.choice((0, 0, 1)))  # fmt: skip
    target = Records("d11", rng.choice(USUAL), rng.choice((1, 2, 2, 3, 3, 4, 6, 8, 16, 17)), 0)
    most, row = 0, 1
    if b.chance(0.3):
        b.emit("ld_kernarg_u32 $s7, [%guard]")
        b.emit(f"cmp_ge_u32 $c0, $s{ID}, $s7")
        b.emit("cbr $c0, @done")
    for _ in range(rng.randint(1, 2)):
        most = max(most, _index(b, rng.choice(INDICES)))
        out = _under(b) if b.chance(0.3) else ""
        if b.chance(0.4):
            row = max(row, _walk(b, source))
        else:
            _fields(b, source, "ld")
        if out:
            b.lines.append(f"{out}:")
    stored = _index(b, rng.choice(INDICES))
    out = _under(b) if b.chance(0.3) else ""
    if b.chance(0.3):
        _repeat(b, source, target)
    else:
        _fields(b, target, "st")
    most = max(most, stored)
    if out:
        b.lines.append(f"{out}:")
    short = rng.choice((1, 2, 40)) if b.chance(0.15) else 0
    numbers = np.random.default_rng(rng.randrange(1000))
    elements = most * max(source.apart, row) + source.before - short
    bytes_ = numbers.integers(0, 256, max(1, elements) * source.size, np.uint8)
    room = max(1, stored * target.apart - (short if b.chance(0.5) else 0)) * target.size
    text = "\n".join(
        [
            "kernel records(global u8* %source, global u8* %target, global u32* %order,",
            "    global u32* %out, u32 %one, u32 %three, u32 %guard, u32 %row, u32 %length) {",
            *(f"    {x} {KEPT}" for x in _head(b)),
            *b.lines,
            "@done:",
            *(f"    {x} {KEPT}" for x in sums_of_values(VALUE, WIDE, MOST)),
            "}",
        ]
    )
    arrays = (
        bytes_, np.full(room, 238, np.uint8), numbers.permutation(b.items).astype(np.uint32),
        np.zeros(2 * b.items, np.uint32), np.uint32(1), np.uint32(3),
        np.uint32(rng.randint(0, b.items)), np.uint32(row), np.uint32(max(1, row - 1)),
    )  # fmt: skip
    return Fenced(
        text + "\n", geometry, arrays, frozen=frozenset((0, 2)), odd=rng.choice((0, 0, 0, 1, 4))
    )


def _head(b: Body) -> list[str]:
    lines = [f"workitemflatabsid_u32 $s{ID}", "ld_kernarg_u64 $d10, [%source]",
             "ld_kernarg_u64 $d11, [%target]"]  # fmt: skip
    lines += [f"mad_u32 $s{VALUE + i}, $s{ID}, {2 * i + 1}, $s{ID}" for i in range(MOST)]
    return lines + [f"cvt_u64_u32 $d{WIDE + i}, $s{VALUE + i}" for i in range(MOST)]


SOURCE_AT, NUMBERS_FROM = 0, 4
"""Arguments of the kernel: the buffer of records that it loads, and its numbers."""


def _variant(rng: random.Random, case: Fenced) -> Fenced:
    """Return a case with other numbers, and perhaps fewer records."""
    changed = list(case.arrays)
    for at in range(NUMBERS_FROM, len(changed)):
        if rng.random() < 0.4:
            far = rng.choice((0, 2, 3, 16, 31, 1 << 31, (1 << 32) - 1, (1 << 32) - 2))
            near = int(str(changed[at])) + rng.choice((-1, 1, 2))
            changed[at] = np.uint32((near if rng.random() < 0.6 else far) & 0xFFFF_FFFF)
    if rng.random() < 0.3:
        whole = changed[SOURCE_AT]
        assert isinstance(whole, np.ndarray)
        changed[SOURCE_AT] = whole[: max(1, whole.size - rng.choice((1, 4, 8, 100)))]
    found = replace(case, arrays=tuple(changed), budget=400)
    found.__dict__["module"] = case.module
    return found


def draw(rng: random.Random) -> Launch:
    """A kernel with its runs, perhaps once more by the way of short launches."""
    case = make(rng)
    variants = tuple(_variant(rng, case) for _ in range(2))
    return Launch(case, runs_of(rng, case), str(case), again=rng.random() < 0.1, variants=variants)


GENERATOR = Generator("records", lambda scratch, rng: draw, 120.0, 3.0)
