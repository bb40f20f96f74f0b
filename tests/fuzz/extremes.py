"""Random `min` and `max` of floats, NaNs of all kinds among them, against the oracle.

LLVM knows numbers and NaNs by what it has computed, and takes other code for scalars.
"""

from __future__ import annotations

import random
import struct

import numpy as np

from simtlab.emu.geometry import Geometry

from .draft import Draft
from .example import Generator
from .kernels import LEVELS, Run
from .launches import KEPT, Fenced, Launch, runs_of

VALUES = tuple(range(20, 27))
"""Registers of values: five are loaded."""

SPECIAL = (
    *("nan", "inf", "-inf", "0.0", "-0.0", "1.0", "-1.5"),
    *(0x7F80_0001, 0xFF81_2345, 0xFFC0_0000, 0x7FFF_FFFF, 0x0000_0001, 0x8000_0001),
)  # fmt: skip
"""Numbers and the bits of some f32: signalling and quiet NaNs, denormal numbers."""

EXTREMES = ("min", "max")
SHAPES = ((64,), (64,), (33,), (7,), (1,))


class Extremes(Draft):
    """A kernel under construction, of f32 or f64."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self.type, self.cls = rng.choice((("f32", "s"), ("f64", "d")))
        self.known = [*VALUES[:5], 40]

    def old(self) -> str:
        """Return a register with a value."""
        return f"${self.cls}{self.rng.choice(self.known)}"

    def operand(self) -> str:
        """Return a register with a value, or a constant."""
        return self.rng.choice(SPECIAL[:7]) if self.chance(0.35) else self.old()

    def statement(self) -> None:
        """Emit an operation."""
        rng, t, bits = self.rng, self.type, f"u{self.type[1:]}"
        number = rng.choice(VALUES)
        to = f"${self.cls}{number}"
        out = ""
        if self.chance(0.1):
            out = self.label()
            self.emit(f"cmp_{rng.choice(('lt', 'ge', 'ne'))}_{t} $c0, {self.old()}, {self.old()}")
            self.emit(f"cbr $c0, {out}")
        match rng.randrange(8):
            case 0:
                stem = rng.choice(("add", "sub", "mul", "div"))
                self.emit(f"{stem}_{t} {to}, {self.old()}, {self.operand()}")
            case 1:
                self.emit(f"fma_{t} {to}, {self.old()}, {self.old()}, {self.old()}")
            case 2:
                self.emit(f"{rng.choice(('neg', 'abs', 'sqrt'))}_{t} {to}, {self.old()}")
            case 3:
                self.emit(f"cmp_{rng.choice(('lt', 'eq'))}_{t} $c1, {self.old()}, {self.old()}")
                self.emit(f"select_{bits} {to}, $c1, {self.old()}, {self.old()}")
            case _:
                self.emit(f"{rng.choice(EXTREMES)}_{t} {to}, {self.old()}, {self.operand()}")
        if out:
            self.lines.append(f"{out}:")
        elif number not in self.known:
            self.known.append(number)


def make(rng: random.Random) -> Fenced:
    """Return a kernel with its launch."""
    s = Extremes(rng)
    t, bits, size = s.type, f"u{s.type[1:]}", int(s.type[1:]) // 8
    head = [
        "workitemflatabsid_u32 $s0", "ld_kernarg_u64 $d0, [%x]", "cvt_u64_u32 $d2, $s0",
        f"mad_u64 $d0, $d2, {size}, $d0", f"ld_kernarg_{t} ${s.cls}40, [%c]",
        *(f"ld_global_{t} ${s.cls}{r}, [$d0+{i * size}]" for i, r in enumerate(VALUES[:5])),
    ]  # fmt: skip
    for _ in range(rng.randint(3, 12)):
        s.statement()
    stores = [f"mad_u64 $d1, $d2, {len(VALUES) * size}, $d1"] + [
        f"st_global_{rng.choice((t, bits))} ${s.cls}{r}, [$d1+{i * size}]"
        for i, r in enumerate(VALUES)
    ]
    text = "\n".join(
        [
            f"kernel extremes({t} %c, global {t}* %x, global {t}* %y) {{",
            *(f"    {x} {KEPT}" for x in head),
            *s.lines,
            *(f"    {x} {KEPT}" for x in ("ld_kernarg_u64 $d1, [%y]", *stores, "ret")),
            "}",
        ]
    )
    shape = rng.choice(SHAPES)
    items = [rng.choice((1, 64, 100))]
    width = rng.choice((32, 64, 16, 7, 1))
    geometry = Geometry.of(items=items, group_size=shape, width=width)
    x = numbers(rng, t, geometry.n_items + 5)
    y = np.zeros(geometry.n_items * len(VALUES), x.dtype)
    arguments = (numbers(rng, t, 1)[0], x, y)
    return Fenced(text + "\n", geometry, arguments, frozen=frozenset((1,)))


def numbers(rng: random.Random, type_: str, count: int) -> np.ndarray:
    """Return floats, about half of which are special."""
    found = np.random.default_rng(rng.randrange(1000)).standard_normal(count).astype(np.float32)
    for at in range(count):
        special = rng.choice(SPECIAL) if rng.random() < 0.5 else 1.25
        if isinstance(special, int):
            found.view(np.uint32)[at] = special
        else:
            found[at] = float(special)
    if type_ == "f32":
        return found
    with np.errstate(invalid="ignore"):  # signalling NaNs
        wide = found.astype(np.float64)
    signalling = struct.unpack("<d", struct.pack("<Q", 0x7FF0_0000_0000_0001))[0]
    wide[::7] = signalling
    return wide


def draw(rng: random.Random) -> Launch:
    """A kernel with its runs, one of them in warps of one lane or of few."""
    case = make(rng)
    few = Run("jit", width=rng.choice((1, 1, 2, 5)), forced=True, level=rng.choice(LEVELS))
    return Launch(case, [*runs_of(rng, case), few], str(case))


GENERATOR = Generator("extremes", lambda scratch, rng: draw, 120.0, 2.0)
