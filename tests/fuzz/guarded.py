"""Random kernels that trap before barriers, against the oracle.

Work-items that have found something wrong end with `trap`, by an access or by a division, on a path
that never joins the others, in loops that have barriers for the rest.
"""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np

from simtlab.emu.geometry import Geometry

from .draft import Draft
from .example import Generator
from .launches import KEPT, Fenced, Launch, runs_of

SIZES = (1, 2, 7, 16, 32, 33, 64, 128)
ID, LOCAL, N, LOADED, PLACE, SUM, PART, TURN = 0, 1, 2, 3, 4, 5, 6, 10
"""Registers $s; loops count in those from the last one on."""

WRONG = (0, 1, 3, 5)
"""What a guard may look for."""


class Guarded(Draft):
    """A kernel under construction."""

    def guard(self, counter: int) -> None:
        """Emit a branch past code that ends with a trap."""
        rng, good = self.rng, self.label()
        looked_at = rng.choice((LOADED, LOADED, LOCAL, counter))
        self.emit(f"and_u32 $s{PART}, $s{looked_at}, {rng.choice((7, 15, 63, 255))}")
        self.emit(f"cmp_ne_u32 $c0, $s{PART}, {rng.choice(WRONG)}")
        self.emit(f"cbr $c0, {good}")
        match rng.randrange(5):
            case 0:
                self.emit(f"st_global_u32 $s{SUM}, [$d2]")
            case 1:
                again = self.label()
                self.emit(f"mov_u32 $s{PART}, 0")
                self.lines.append(f"{again}:")
                self.emit(f"add_u32 $s{PART}, $s{PART}, 1")
                self.emit(f"cmp_lt_u32 $c1, $s{PART}, $s{N}")
                self.emit(f"cbr $c1, {again}")
            case 2:
                self.emit("mov_u64 $d5, 64")
                self.emit(f"ld_global_u32 $s{PART}, [$d5]")
            case 3:
                self.emit(f"div_u32 $s{PART}, $s{LOCAL}, 0")
        self.emit(f"trap {rng.choice((1, 5))}")
        self.lines.append(f"{good}:")

    def exchange(self) -> None:
        """Emit an exchange of sums between neighbours."""
        self.emit(f"st_group_u32 $s{SUM}, [sums+$s{PLACE}]", kept=True)
        self.emit("barrier", kept=True)
        self.emit(f"xor_u32 $s{PART}, $s{PLACE}, 4")
        self.emit(f"min_u32 $s{PART}, $s{PART}, $s{PLACE}")
        self.emit(f"ld_group_u32 $s{PART}, [sums+$s{PART}]", kept=True)
        self.emit("barrier", kept=True)
        self.emit(f"mad_u32 $s{SUM}, $s{SUM}, 3, $s{PART}")

    def loop(self, depth: int) -> None:
        """Emit a loop that all work-items leave together."""
        head, out, counter = self.label(), self.label(), TURN + depth
        end = self.rng.choice((f"$s{N}", "3", "1"))
        at_top = self.chance(0.4)
        self.emit(f"mov_u32 $s{counter}, 0", kept=True)
        self.lines.append(f"{head}:")
        if at_top:
            self.emit(f"cmp_ge_u32 $c2, $s{counter}, {end}", kept=True)
            self.emit(f"cbr $c2, {out}", kept=True)
        self.body(depth + 1)
        self.emit(f"add_u32 $s{counter}, $s{counter}, 1", kept=True)
        if at_top:
            self.emit(f"br {head}", kept=True)
        else:
            self.emit(f"cmp_lt_u32 $c2, $s{counter}, {end}", kept=True)
            self.emit(f"cbr $c2, {head}", kept=True)
        self.lines.append(f"{out}:")

    def body(self, depth: int) -> None:
        """Emit some statements."""
        counter = TURN + depth - 1 if depth else N
        for _ in range(self.rng.randint(1, 3)):
            match self.rng.randrange(6):
                case 0 | 1:
                    self.guard(counter)
                case 2:
                    self.exchange()
                case 3:
                    self.emit("barrier")
                case 4 if depth < 2:
                    self.loop(depth)
                case _:
                    self.emit(f"add_u32 $s{SUM}, $s{SUM}, $s{counter}")


def make(rng: random.Random) -> Fenced:
    """Return a kernel with its launch."""
    s, size = Guarded(rng), rng.choice(SIZES)
    head = [
        f"workitemabsid_u32 $s{ID}, 0", f"workitemid_u32 $s{LOCAL}, 0",
        f"ld_kernarg_u32 $s{N}, [%n]",
        "ld_kernarg_u64 $d0, [%x]", f"cvt_u64_u32 $d1, $s{ID}", "mad_u64 $d2, $d1, 4, $d0",
        f"ld_global_u32 $s{LOADED}, [$d2]", f"shl_u32 $s{PLACE}, $s{LOCAL}, 2",
    ]  # fmt: skip
    s.body(0)
    s.body(0)
    tail = ["ld_kernarg_u64 $d3, [%y]", "mad_u64 $d3, $d1, 4, $d3",
            f"st_global_u32 $s{SUM}, [$d3]", "ret"]  # fmt: skip
    text = "\n".join(
        [
            "kernel guarded(u32 %n, global u32* %x, global u32* %y) {",
            f"    .group u32 sums[{size}]",
            *(f"    {x} {KEPT}" for x in head),
            *s.lines,
            *(f"    {x} {KEPT}" for x in tail),
            "}",
        ]
    )
    items = [size * rng.choice((1, 2, 3))]
    width = rng.choice((32, 64, 16, 7, 4, 2))
    geometry = Geometry.of(items=items, group_size=(size,), width=width)
    n = np.uint32(rng.choice((1, 2, 3, 5)))
    return Fenced(text + "\n", geometry, (n, *_content(rng, geometry.n_items)))


def _content(rng: random.Random, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return what work-items load, of which one may be wrong or many, and the results."""
    loaded = np.random.default_rng(rng.randrange(1000)).integers(0, 1 << 32, n, np.uint32)
    if rng.random() < 0.7:
        loaded[:] = rng.choice((2, 10, 130))
        loaded[rng.randrange(n)] = rng.choice(WRONG)
    return loaded, np.zeros(n, np.uint32)


def draw(rng: random.Random) -> Launch:
    """A kernel with its runs, and the same with other numbers."""
    case = make(rng)
    variants = []
    for _ in range(3):
        changed = (case.arrays[0], *_content(rng, case.geometry.n_items))
        variants.append(replace(case, arrays=changed))
        variants[-1].__dict__["module"] = case.module
    return Launch(case, runs_of(rng, case), str(case), variants=tuple(variants))


GENERATOR = Generator("guarded", lambda scratch, rng: draw, 120.0, 2.0)
