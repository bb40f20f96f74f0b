"""Random arithmetic on loaded bytes and 16-bit numbers, against the oracle.

Native code computes with them in lanes of 8 or 16 bits where ranges, the bits that are read or
saturation allow it. Constants lie at the ends of these types, shifts at and beyond their widths.
Sums of weighted products, loops and choices are among the operations.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np

from simtlab.emu.geometry import Geometry

from .draft import Draft
from .example import Generator
from .launches import KEPT, Fenced, Launch, runs_of

BYTES = {"u8": 1, "s8": 1, "u16": 2, "s16": 2, "u32": 4}
SMALL = ("u8", "s8", "u16", "s16")
CONSTANTS = tuple(
    sign * (near + more)
    for near in (0, 4, 16, 100, 128, 256, 32768, 65536)
    for more in (-1, 0, 1)
    for sign in (1, 1, -1)
)
WHOLES = (255, 255, 256, 128, 65535, 65536, 131072, 1 << 20)
"""What two weights add up to."""

COUNT, FIRST = 1, 2
"""Registers $s: of a loop; from here on, of values."""

LATEST = 6
"""Values that an operation takes its operands from."""


@dataclass
class Numbers(Draft):
    """A kernel under construction."""

    values: list[int] = field(default_factory=list)
    following: int = FIRST

    def new(self) -> str:
        """Return a register for one more value."""
        self.values.append(self.following)
        self.following += 1
        return f"$s{self.values[-1]}"

    def old(self) -> str:
        """Return a register with a value."""
        return f"$s{self.rng.choice(self.values[-LATEST:])}"

    def any(self) -> str:
        """Return a value or a constant."""
        return str(self.rng.choice(CONSTANTS)) if self.rng.random() < 0.25 else self.old()


def weighted(n: Numbers) -> None:
    """Emit a sum of two products whose weights add up to a constant."""
    a, b, weight = n.old(), n.old(), n.old()
    if n.rng.random() < 0.5:
        low, weight = weight, n.new()
        stem = n.rng.choice(("and", "shl", "max"))
        n.emit(f"{stem}_u32 {weight}, {low}, {n.rng.choice((1, 255))}")
    other, first, second = n.new(), n.new(), n.new()
    n.emit(f"sub_{n.rng.choice(('u32', 's32'))} {other}, {n.rng.choice(WHOLES)}, {weight}")
    n.emit(f"mul_u32 {first}, {a}, {weight}")
    if n.rng.random() < 0.5:
        n.emit(f"mad_u32 {second}, {b}, {other}, {first}")
    else:
        n.emit(f"mul_s32 {second}, {other}, {b}")
        n.emit(f"add_u32 {n.new()}, {first}, {second}")


def compared(n: Numbers) -> None:
    """Emit a comparison and what is chosen by it."""
    relation = n.rng.choice(("eq", "ne", "lt", "le", "gt", "ge"))
    n.emit(f"cmp_{relation}_{n.rng.choice(('u32', 's32'))} $c1, {n.old()}, {n.any()}")
    a, b = n.old(), n.any()
    if n.rng.random() < 0.5:
        n.emit(f"select_u32 {n.new()}, $c1, {a}, {b}")
    else:
        n.emit(f"cvt_u32_b1 {n.new()}, $c1")


def operation(n: Numbers) -> None:
    """Emit an operation on values."""
    type_, a, b = n.rng.choice(("u32", "s32")), n.old(), n.any()
    match n.rng.randrange(14):
        case 0 | 1 | 2:
            text = f"{n.rng.choice(('add', 'add', 'sub'))}_{type_} NEW, {a}, {b}"
        case 3:
            text = f"mul_{type_} NEW, {a}, {b}"
        case 4:
            text = f"mad_{type_} NEW, {a}, {n.old()}, {b}"
        case 5:
            text = f"{n.rng.choice(('and', 'or', 'xor'))}_u32 NEW, {a}, {b}"
        case 6 | 7:
            text = f"{n.rng.choice(('min', 'max'))}_{type_} NEW, {a}, {b}"
        case 8:
            count = n.rng.choice((0, 1, 4, 7, 8, 9, 15, 16, 24, 31, 33, 40))
            text = f"{n.rng.choice(('shl', 'shr', 'shr'))}_{type_} NEW, {a}, {count}"
        case 9:
            text = n.rng.choice(("abs_s32", "neg_s32", "not_u32")) + f" NEW, {a}"
        case 10:
            source = n.rng.choice(SMALL)
            to = n.rng.choice([t for t in (*SMALL, "u32") if t != source])
            text = f"cvt_{to}_{source} NEW, {a}"
        case 11:
            text = f"bitextract_{type_} NEW, {a}, {n.rng.randint(0, 12)}, {n.rng.randint(1, 16)}"
        case 12:
            return compared(n)
        case _:
            return weighted(n)
    n.emit(text.replace("NEW", n.new()))
    return None


def loop(n: Numbers) -> None:
    """Emit a loop that changes a value, which may wrap around, stop or be cut."""
    value = n.old()
    n.emit(f"mov_u32 $s{COUNT}, 0 {KEPT}")
    n.lines.append("@next:")
    n.emit(f"{n.rng.choice(('add', 'sub', 'xor'))}_u32 {value}, {value}, {n.any()}")
    for _ in range(n.rng.randint(0, 2)):
        operation(n)
    if n.rng.random() < 0.4:
        n.emit(f"min_u32 {value}, {value}, {n.rng.choice(CONSTANTS)}")
    if n.rng.random() < 0.4:
        n.emit(f"cvt_{n.rng.choice(('u32_u8', 's32_s16'))} {value}, {value}")
    n.emit(f"add_u32 $s{COUNT}, $s{COUNT}, 1 {KEPT}")
    n.emit(f"cmp_lt_u32 $c0, $s{COUNT}, {n.rng.randint(1, 4)} {KEPT}")
    n.emit(f"cbr $c0, @next {KEPT}")


def make(rng: random.Random) -> Fenced:
    """Return a kernel with its launch."""
    items = rng.choice((64, 128, 96, 100))
    n = Numbers(rng)
    types = [rng.choice(SMALL) for _ in range(rng.randint(2, 4))]
    if rng.random() < 0.5:
        types = [rng.choice(("u8", "s8"))] * len(types)
    outs = [rng.choice(("u8", "u8", "s8", "u16", "u32")) for _ in range(rng.randint(1, 3))]
    for i, type_ in enumerate(types):
        n.emit(f"ld_kernarg_u64 $d1, [%a{i}] {KEPT}")
        n.emit(f"mad_u64 $d1, $d0, {BYTES[type_]}, $d1 {KEPT}")
        n.emit(f"ld_global_{type_} {n.new()}, [$d1] {KEPT}")
    before = rng.randint(2, 12)
    for _ in range(before):
        operation(n)
    if rng.random() < 0.25:
        loop(n)
    for i, type_ in enumerate(outs):
        n.emit(f"ld_kernarg_u64 $d1, [%o{i}] {KEPT}")
        n.emit(f"mad_u64 $d1, $d0, {BYTES[type_]}, $d1 {KEPT}")
        n.emit(f"st_global_{type_} {n.old() if i else f'$s{n.values[-1]}'}, [$d1] {KEPT}")
    assert n.following <= 64
    parameters = [f"global {t}* %a{i}" for i, t in enumerate(types)]
    parameters += [f"global {t}* %o{i}" for i, t in enumerate(outs)]
    head = [f"workitemflatabsid_u32 $s0 {KEPT}", f"cvt_u64_u32 $d0, $s0 {KEPT}"]
    text = "\n".join(
        [
            f"kernel narrow({', '.join(parameters)}) {{",
            *(f"    {line}" for line in head),
            *n.lines,
            f"    ret {KEPT}",
            "}",
        ]
    )
    arrays = [_array(rng, t, items) for t in types]
    arrays += [np.zeros(items, _dtype(t)) for t in outs]
    geometry = Geometry.of(items=items, group_size=rng.choice((64, 64, 32)), width=32)
    return Fenced(text + "\n", geometry, tuple(arrays), frozen=frozenset(range(len(types))))


def _dtype(type_: str) -> np.dtype:
    return np.dtype({"u": "uint", "s": "int"}[type_[0]] + type_[1:])


def _array(rng: random.Random, type_: str, items: int) -> np.ndarray:
    """Return any numbers of a type, and those at its ends."""
    bits = 8 * BYTES[type_]
    numbers = np.random.default_rng(rng.randrange(1000))
    found = numbers.integers(0, 1 << bits, items)
    ends = [0, 1, (1 << bits) - 1, (1 << bits) - 2, 1 << (bits - 1), (1 << (bits - 1)) - 1]
    at_ends = numbers.random(items) < 0.4
    found[at_ends] = numbers.choice(ends, int(at_ends.sum()))
    return found.astype(f"uint{bits}").view(_dtype(type_))


def draw(rng: random.Random) -> Launch:
    """A kernel with its runs."""
    case = make(rng)
    return Launch(case, runs_of(rng, case), str(case))


GENERATOR = Generator("narrow", lambda scratch, rng: draw, 120.0, 3.0)
