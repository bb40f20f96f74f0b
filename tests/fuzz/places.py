"""Random kernels that access memory at steps that are arguments, by floats, at known distances.

Many places are just inside or outside of an array, of lanes that run and of those that do not.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from math import prod

import numpy as np

from simtlab.emu.geometry import Geometry

from .draft import Draft
from .example import Generator
from .launches import KEPT, Fenced, Launch, runs_of

SIZES = {"u8": "u1", "s16": "i2", "u32": "u4", "f32": "f4", "u64": "u8"}
STEPS = (0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 17, 0xFFFF_FFFF, 1 << 30, (1 << 31) + 2, (1 << 32) - 3)
SCALES = (0.0, 0.3, 0.5, 1.0, 1.9, 2.1, 50.0, -0.7, np.inf, -np.inf, np.nan, 1e30, 3e9)
SHAPES = ((64,), (64,), (128,), (32,), (16,), (7,), (1,), (33,), (16, 4), (8, 8), (32, 2))

ITEM, LOCAL, N, STEP, FROM, INDEX, PART, WORD = (f"$s{i}" for i in (0, 1, 2, 3, 4, 5, 6, 7))


@dataclass
class Places(Draft):
    """A kernel under construction, of elements of one type."""

    type: str
    room: int = 0
    """Elements that are loaded from, if all is to be inside."""
    group: int = 0
    """Elements of group memory."""
    arguments: list[object] = field(default_factory=list)

    @property
    def size(self) -> int:
        return int(self.type[1:]) // 8

    @property
    def data(self) -> str:
        return "$d7" if self.size == 8 else WORD

    def skip(self) -> None:
        """Emit a branch to the end for some work-items, lane 0 of a warp among them at times."""
        match self.rng.randrange(5):
            case 0:
                self.emit(f"and_u32 {PART}, {ITEM}, {self.rng.choice((3, 15, 31))}")
                self.emit(f"cmp_lt_u32 $c0, {PART}, {self.rng.choice((1, 2, 9))}")
            case 1:
                self.emit(f"cmp_{self.rng.choice(('lt', 'ge'))}_u32 $c0, {LOCAL}, {FROM}")
            case 2:
                self.emit(f"rem_u32 {PART}, {ITEM}, 7")
                self.emit(f"cmp_eq_u32 $c0, {PART}, 2")
            case _:
                return
        self.emit("cbr $c0, @done")

    def step(self, items: int) -> None:
        """Emit an index at a step from lane to lane that is an argument."""
        step, first = self.rng.choice(STEPS), self.rng.choice((0, 0, 1, 7, 33))
        self.arguments += [step, first]
        self.room = first + (items - 1) * step + 1 if step < 100 else items
        match self.rng.randrange(3):
            case 0:
                self.emit(f"mad_u32 {INDEX}, {ITEM}, {STEP}, {FROM}")
            case 1:
                self.emit(f"mul_s32 {INDEX}, {STEP}, {ITEM}")
                self.emit(f"add_u32 {INDEX}, {FROM}, {INDEX}")
            case _:
                self.emit(f"add_u32 {INDEX}, {ITEM}, 1")
                self.emit(f"mad_u32 {INDEX}, {INDEX}, {STEP}, {FROM}")
                self.emit(f"sub_u32 {INDEX}, {INDEX}, {STEP}")

    def sample(self, items: int) -> None:
        """Emit an index that floats make of a work-item's number."""
        rng = self.rng
        self.arguments += [np.float32(rng.choice(SCALES)), rng.choice((0, 1, 40))]
        self.room = rng.choice((1, 40, 64, 65, items))
        self.emit(f"sub_u32 {INDEX}, {ITEM}, {FROM}")
        self.emit(f"cvt_f32_{rng.choice(('u32', 's32'))} {INDEX}, {INDEX}")
        self.emit(f"fma_f32 {INDEX}, {INDEX}, {STEP}, {rng.choice(('0.5', '-1.5', '3e9'))}")
        if self.chance(0.5):
            self.emit(f"{rng.choice(('floor', 'ceil', 'rint'))}_f32 {INDEX}, {INDEX}")
        type_ = rng.choice(("u32", "s32"))
        self.emit(f"cvt_{type_}_f32 {INDEX}, {INDEX}")
        if type_ == "s32":
            self.emit(f"max_s32 {INDEX}, {INDEX}, {rng.choice(('0', '-1'))}")
        self.emit(f"min_{type_} {INDEX}, {INDEX}, {self.room - rng.choice((1, 1, 1, 0))}")

    def spread(self, items: int) -> None:
        """Emit an index whose distances from lane 0's are known."""
        step, first = self.rng.choice((2, 3, 7, 16, 17, -17, 40)), self.rng.choice((0, 1, 20, 700))
        self.arguments += [self.rng.choice((0, 1, 4)), first]
        self.room = first + abs(step) * items
        if self.chance(0.5):
            self.emit(f"mul_s32 {INDEX}, {LOCAL}, {step}")
        else:
            self.emit(f"xor_u32 {INDEX}, {LOCAL}, {self.rng.choice((3, 7, 31))}")
            self.emit(f"mul_u32 {INDEX}, {INDEX}, {abs(step)}")
        self.emit(f"add_u32 {INDEX}, {INDEX}, {FROM}")

    def load(self) -> None:
        """Emit a load by the index."""
        offset = self.rng.choice((0, 0, 0, 1, 5, -1)) * self.size
        self.emit(f"{self.rng.choice(('cvt_u64_u32', 'cvt_s64_s32'))} $d0, {INDEX}")
        self.emit(f"mad_u64 $d1, $d0, {self.size}, $d1")
        self.emit(f"ld_global_{self.type} {self.data}, [$d1{offset:+d}]")

    def fill(self, items: int) -> None:
        """Emit loads of all of group memory."""
        again, filled = self.label(), self.label()
        self.emit(f"mov_u32 {PART}, {LOCAL}", kept=True)
        self.place(again)
        self.emit(f"cmp_ge_u32 $c0, {PART}, {self.group}", kept=True)
        self.emit(f"cbr $c0, {filled}", kept=True)
        self.emit(f"cvt_u64_u32 $d0, {PART}", kept=True)
        self.emit(f"mad_u64 $d2, $d0, {self.size}, $d1", kept=True)
        self.emit(f"ld_global_{self.type} {self.data}, [$d2]", kept=True)
        self.emit(f"mul_u32 {INDEX}, {PART}, {self.size}", kept=True)
        self.emit(f"st_group_{self.type} {self.data}, [tile+{INDEX}]", kept=True)
        self.emit(f"add_u32 {PART}, {PART}, {items}", kept=True)
        self.emit(f"br {again}", kept=True)
        self.place(filled)
        self.emit("barrier", kept=True)

    def load_group(self) -> None:
        """Emit a load of group memory by the index, or loads along a row from there on."""
        offset = self.rng.choice((0, 0, 9, -5)) * self.size
        if self.chance(0.5):
            self.emit(f"cmp_ge_u32 $c0, {INDEX}, {max(self.group - 9, 1)}")
            self.emit("cbr $c0, @done")
        self.emit(f"mul_u32 {INDEX}, {INDEX}, {self.size}")
        again = self.label() if self.chance(0.4) else ""
        if again:
            self.emit(f"mov_u32 {PART}, 0", kept=True)
            self.place(again)
        self.emit(f"ld_group_{self.type} {self.data}, [tile+{INDEX}{offset:+d}]")
        if again:
            self.emit(f"add_u32 {INDEX}, {INDEX}, {self.size}")
            self.emit(f"add_u32 {PART}, {PART}, 1", kept=True)
            self.emit(f"cmp_lt_u32 $c0, {PART}, {self.rng.choice((3, 16, 33))}", kept=True)
            self.emit(f"cbr $c0, {again}", kept=True)


def make(rng: random.Random) -> Fenced:
    """Return a kernel with its launch."""
    s = Places(rng, type=rng.choice((*SIZES, "u32", "f32")))
    shape, width = rng.choice(SHAPES), rng.choice((32, 64, 16, 7, 1))
    items = (rng.choice((1, 64, 100, 128, 200)), *shape[1:])
    geometry = Geometry.of(items=items, group_size=shape, width=width)
    count, group = geometry.n_items, prod(shape)
    in_group = s.chance(0.4)
    if in_group:
        s.group = rng.choice((64, 300, 1104, 1105, 4000))
        s.fill(group)
    s.skip()
    kind = "f32" if s.chance(0.3) and not in_group else "u32"
    if kind == "f32":
        s.sample(count)
    elif in_group or s.chance(0.2):
        s.spread(group)
    else:
        s.step(count)
    if s.chance(0.3):
        s.skip()
    if in_group:
        s.load_group()
    else:
        s.load()
    head = [
        f"workitemflatabsid_u32 {ITEM}", f"workitemflatid_u32 {LOCAL}",
        f"ld_kernarg_u32 {N}, [%n]", f"ld_kernarg_{kind} {STEP}, [%step]",
        f"ld_kernarg_u32 {FROM}, [%from]", "ld_kernarg_u64 $d1, [%x]",
    ]  # fmt: skip
    tail = [
        f"cvt_u64_u32 $d0, {ITEM}", "ld_kernarg_u64 $d1, [%y]", f"mul_u32 {PART}, {ITEM}, {N}",
        f"cvt_u64_u32 $d0, {PART}", f"mad_u64 $d1, $d0, {s.size}, $d1",
        f"st_global_{s.type} {s.data}, [$d1]",
    ]  # fmt: skip
    parameters = f"u32 %n, {kind} %step, u32 %from, global {s.type}* %x, global {s.type}* %y"
    text = "\n".join(
        [
            f"kernel places({parameters}) {{",
            *([f"    .group {s.type} tile[{s.group}] {KEPT}"] if in_group else []),
            *(f"    {x} {KEPT}" for x in head),
            *s.lines,
            *(f"    {x} {KEPT}" for x in tail),
            "@done:",
            f"    ret {KEPT}",
            "}",
        ]
    )
    apart = rng.choice((1, 1, 2, 3, 4, 6))
    room = s.group + group if in_group else max(s.room + rng.choice((0, 0, 1, 64, -1, -20)), 1)
    x, y = (_numbers(rng, s.type, n) for n in (room, (count - 1) * apart + 1))
    odd = rng.choice((0, 0, 0, 1, 2, 8))
    return Fenced(text + "\n", geometry, (apart, *s.arguments, x, y), odd=odd)


def _numbers(rng: random.Random, type_: str, count: int) -> np.ndarray:
    numbers = np.random.default_rng(rng.randrange(1000)).integers(0, 1 << 15, count)
    return numbers.astype(SIZES[type_])


def draw(rng: random.Random) -> Launch:
    """A kernel with its runs."""
    case = make(rng)
    return Launch(case, runs_of(rng, case), str(case))


GENERATOR = Generator("places", lambda scratch, rng: draw, 120.0, 2.0)
