"""Random kernels with one loop that lanes leave in different iterations, against the oracle.

Debug builds give such lanes their next work-items while others are in the loop. What a work-item
has computed before the loop is used in it and after it; some go past the loop, leave it by several
branches, or begin an iteration anew.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from simtlab.emu.geometry import Geometry

from .draft import Draft
from .example import Generator
from .launches import KEPT, Fenced, Launch, runs_of

SHAPES = (
    (64,),
    (64,),
    (256,),
    (32,),
    (96,),
    (40,),
    (7,),
    (1,),
    (16, 4),
    (16, 16),
    (5, 13),
    (4, 4, 4),
)
VALUE, WIDE, MOST = 40, 10, 5
"""First registers of values, and how many there are at most: few have registers in wide warps."""
X, Y, Z, PART, TURN, LIMIT, ID, WALK = 0, 1, 2, 3, 4, 5, 6, 9
"""Registers $s: places in the grid, something for a moment, the loop, the place in the result, the
index of the next small element of `x`. Register $d9 is its address."""

BYTES = 256
"""Bytes of `x`."""


@dataclass
class Refills(Draft):
    """A kernel under construction."""

    hostile: bool
    words: int = MOST
    wides: int = MOST
    inside: bool = False
    """Whether statements are in the loop."""

    def value(self) -> str:
        """Return a register with a value."""
        return f"$s{VALUE + self.rng.randrange(self.words)}"

    def wide(self) -> str:
        """Return a register with a value of 64 bits."""
        return f"$d{WIDE + self.rng.randrange(self.wides)}"


def mix(s: Refills) -> None:
    """Emit arithmetic."""
    a, b, c = s.value(), s.value(), s.value()
    match s.rng.randrange(12):
        case 0:
            s.emit(f"mad_u32 {a}, {b}, {s.rng.choice((3, 5, 1664525))}, {c}")
        case 1:
            s.emit(f"add_u32 {a}, {b}, 1")
        case 2:
            s.emit(f"shr_u32 {a}, {b}, {s.rng.randint(1, 9)}")
        case 3:
            s.emit(f"cvt_u64_u32 {s.wide()}, {b}")
        case 4:
            s.emit(f"mad_u64 {s.wide()}, {s.wide()}, 3, {s.wide()}")
        case 5:
            s.emit(f"cvt_u32_u64 {a}, {s.wide()}")
        case 6:
            s.emit(f"and_u32 $s{PART}, {b}, 1")
            s.emit(f"cmp_eq_u32 $c1, $s{PART}, 0")
            s.emit(f"select_u32 {a}, $c1, {b}, {c}")
        case 7:
            s.emit(f"cvt_f32_u32 $s{PART}, {b}")
            s.emit(f"fma_f32 $s{PART}, $s{PART}, 0.5, {c}")
            s.emit(f"add_f32 {a}, $s{PART}, {b}")
        case 8 if s.hostile and s.chance(0.3):
            s.emit(f"and_u32 $s{PART}, {c}, 63")
            s.emit(f"div_u32 {a}, {b}, $s{PART}")
        case 9:
            s.emit(f"ld_kernarg_u32 {a}, [%n]")
        case 10:
            s.emit(f"mov_u32 {a}, {s.rng.choice((f'$s{X}', f'$s{TURN}', '7', b))}")
        case _:
            s.emit(f"xor_u32 {a}, {b}, {c}")


def load(s: Refills) -> None:
    """Emit a load: in the loop from any place, outside perhaps from neighbouring ones."""
    most = 127 if s.hostile and s.chance(0.2) else 63
    if s.inside or s.chance(0.5):
        s.emit(f"and_u32 $s{PART}, {s.value()}, {most}", kept=True)
    else:
        s.emit(f"and_u32 $s{PART}, $s{X}, {most}", kept=True)
    s.emit("ld_kernarg_u64 $d2, [%x]")
    s.emit(f"cvt_u64_u32 $d3, $s{PART}", kept=True)
    s.emit("mad_u64 $d2, $d3, 4, $d2", kept=True)
    s.emit(f"ld_global_u32 {s.value()}, [$d2]", kept=True)


def test(s: Refills, out: str) -> None:
    """Emit a branch that some lanes take, or all."""
    if s.chance(0.15):
        s.emit(f"ld_kernarg_u32 $s{PART}, [%n]", kept=True)
    else:
        operand = s.rng.choice((f"$s{X}", s.value(), s.value()))
        s.emit(f"and_u32 $s{PART}, {operand}, {s.rng.choice((1, 3, 7, 31, 63))}")
    s.emit(
        f"cmp_{s.rng.choice(('lt', 'gt', 'eq', 'ne'))}_u32 $c0, $s{PART}, {s.rng.choice((0, 1, 5))}"
    )
    s.emit(f"cbr $c0, {out}")


def if_(s: Refills) -> None:
    """Emit statements for some lanes."""
    out, other = s.label(), s.label()
    test(s, other)
    body(s, 2)
    if s.chance(0.4):
        s.emit(f"br {out}")
        s.lines.append(f"{other}:")
        body(s, 2)
        s.lines.append(f"{out}:")
    else:
        s.lines.append(f"{other}:")


def loop(s: Refills, after: str) -> None:
    """Emit the loop."""
    head, out = s.label(), s.label()
    s.emit(f"and_u32 $s{LIMIT}, {s.value()}, {s.rng.choice((3, 15, 31, 63))}", kept=True)
    s.emit(f"mov_u32 $s{TURN}, 0", kept=True)
    step = walk(s) if s.chance(0.5) else None
    at_top = s.chance(0.5)
    s.lines.append(f"{head}:")
    if at_top:
        s.emit(f"cmp_ge_u32 $c2, $s{TURN}, $s{LIMIT}", kept=True)
        s.emit(f"cbr $c2, {out}", kept=True)
    s.emit(f"add_u32 $s{TURN}, $s{TURN}, 1", kept=True)
    if step is not None:
        step()
    s.inside = True
    for _ in range(s.rng.randint(1, 2)):
        body(s, 3)
        if s.chance(0.3):
            test(s, s.rng.choice((out, out, after)))
        if s.chance(0.2):
            s.emit(f"cmp_lt_u32 $c2, $s{TURN}, $s{LIMIT}", kept=True)
            s.emit("not_b1 $c3, $c2", kept=True)
            s.emit(f"cbr $c3, {out}", kept=True)
            test(s, head)
    if at_top:
        s.emit(f"br {head}", kept=True)
    else:
        s.emit(f"cmp_lt_u32 $c2, $s{TURN}, $s{LIMIT}", kept=True)
        s.emit(f"cbr $c2, {head}", kept=True)
    s.inside = False
    s.lines.append(f"{out}:")


def walk(s: Refills) -> Callable[[], None]:
    """Emit where a walk along small elements of `x` begins; return what emits its next step."""
    type_ = s.rng.choice(("u8", "u8", "s8", "u16", "s16"))
    size, by_index = int(type_[1:]) // 8, s.chance(0.5)
    if s.chance(0.4):  # up to the end of x
        s.emit(f"sub_u32 $s{WALK}, {BYTES // size - 1}, $s{LIMIT}", kept=True)
    else:
        most = BYTES if s.hostile and s.chance(0.3) else BYTES // 4
        s.emit(f"and_u32 $s{WALK}, {s.value()}, {most // size - 1}", kept=True)

    def address() -> None:
        s.emit("ld_kernarg_u64 $d8, [%x]", kept=True)
        s.emit(f"cvt_u64_u32 $d9, $s{WALK}", kept=True)
        s.emit(f"mad_u64 $d9, $d9, {size}, $d8", kept=True)

    if not by_index:
        address()

    def step() -> None:
        if by_index:
            address()
        s.emit(f"ld_global_{type_} {s.value()}, [$d9]", kept=True)
        if by_index:
            s.emit(f"add_u32 $s{WALK}, $s{WALK}, 1", kept=True)
        else:
            s.emit(f"add_u64 $d9, $d9, {size}", kept=True)

    return step


def body(s: Refills, most: int) -> None:
    """Emit some statements."""
    for _ in range(s.rng.randint(1, most)):
        deep = s.labels < 12
        s.rng.choice((mix, mix, mix, load, *((if_,) if deep else ())))(s)


def make(rng: random.Random) -> Fenced:
    """Return a kernel with its launch."""
    shape = rng.choice(SHAPES)
    items = [size * rng.randint(1, 3) for size in shape]
    if rng.random() < 0.4:
        items = [max(1, i - rng.randint(0, s // 2)) for i, s in zip(items, shape, strict=True)]
    geometry = Geometry.of(items=items, group_size=shape, width=rng.choice((32, 32, 64, 16, 7, 1)))
    s = Refills(rng, rng.random() < 0.15, rng.choice((2, 3, MOST)), rng.choice((1, MOST)))
    end, after = "@end", "@after"
    if rng.random() < 0.3:
        test(s, end)
    body(s, 3)
    if rng.random() < 0.3:
        test(s, after)
    loop(s, after)
    if rng.random() < 0.5:
        body(s, 2)
    s.lines.append(f"{after}:")
    if rng.random() < 0.5:
        body(s, 3)
    text = "\n".join(
        [
            "kernel refills(u32 %n, u32 %w, u32 %h, global u32* %x, global u32* %out) {",
            *(f"    {x} {KEPT}" for x in _head(s)),
            *s.lines,
            *(f"    {x} {KEPT}" for x in _stores(s)),
            f"{end}:",
            f"    ret {KEPT}",
            "}",
        ]
    )
    x = np.random.default_rng(rng.randrange(1000)).integers(0, 1 << 32, 64, np.uint32)
    out = np.zeros(2 * geometry.n_items, np.uint32)
    n = np.uint32(rng.choice((0, 1, 5, 300)))
    w, h, _ = map(np.uint32, geometry.items)
    return Fenced(text + "\n", geometry, (n, w, h, x, out), frozen=frozenset((3,)))


def _head(s: Refills) -> list[str]:
    lines = [f"workitemabsid_u32 $s{i}, {i}" for i in (X, Y, Z)]
    lines += ["ld_kernarg_u32 $s7, [%w]", "ld_kernarg_u32 $s8, [%h]"]
    lines += [f"mad_u32 $s{ID}, $s{Z}, $s8, $s{Y}", f"mad_u32 $s{ID}, $s{ID}, $s7, $s{X}"]
    lines += [f"mad_u32 $s{VALUE + i}, $s{ID}, {2654435761 * (i + 1) & 0x7FFFFFFF}, $s{ID}"
              for i in range(MOST)]  # fmt: skip
    return lines + [f"cvt_u64_u32 $d{WIDE + i}, $s{VALUE + i}" for i in range(s.wides)]


def _stores(s: Refills) -> list[str]:
    """Return the code that stores what has been calculated at the work-item's place."""
    lines = [f"mad_u32 $s{PART}, $s{TURN}, 3, $s{VALUE}"] if s.chance(0.7) else [
        f"mov_u32 $s{PART}, $s{VALUE}"
    ]  # fmt: skip
    for i in range(1, s.words):
        lines += [f"mad_u32 $s{PART}, $s{PART}, 31, $s{VALUE + i}"]
    lines.append(f"cvt_u32_u64 $s{LIMIT}, $d{WIDE}")
    for i in range(1, s.wides):
        lines += [f"cvt_u32_u64 $s7, $d{WIDE + i}", f"mad_u32 $s{LIMIT}, $s{LIMIT}, 31, $s7"]
    return [
        *lines,
        "ld_kernarg_u64 $d0, [%out]",
        f"cvt_u64_u32 $d1, $s{ID}",
        "mad_u64 $d0, $d1, 8, $d0",
        f"st_global_u32 $s{PART}, [$d0]",
        f"st_global_u32 $s{LIMIT}, [$d0+4]",
    ]


def draw(rng: random.Random) -> Launch:
    """A kernel with its runs, all of debug builds."""
    case = make(rng)
    runs = [replace(run, poisoned=True, loops="") for run in runs_of(rng, case)]
    return Launch(case, runs, str(case), again=rng.random() < 0.1)


GENERATOR = Generator("refills", lambda scratch, rng: draw, 120.0, 3.0)
