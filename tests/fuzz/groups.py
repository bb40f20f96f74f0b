"""Random kernels whose workgroups exchange data and count in group memory, against the oracle.

Between two barriers an array in group memory is either its owners', read by all, or counted in by
atomics that commute. Work-items exchange elements by distance, by bits, in trees, prefix sums and
wavefronts, in loops, in workgroups of 1 to 1,024 work-items. They fill tables together and agree by
a flag (group_rounds.py). Some leave group memory, some leave before a barrier.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from simtlab.emu.geometry import Geometry

from . import group_rounds, group_rows
from .draft import Draft
from .example import Generator
from .launches import BUDGET, KEPT, Fenced, Launch, runs_of

SHAPES = (
    (64,), (64,), (128,), (128,), (256,), (192,), (32,), (96,), (40,), (7,), (1,), (100,), (16,),
    (16, 16), (8, 8), (16, 4), (32, 2), (5, 13), (4, 4, 4), (64, 2),
)  # fmt: skip

TYPES = (
    ("u32", 4), ("u32", 4), ("s32", 4), ("f32", 4), ("u8", 1), ("s8", 1), ("u16", 2), ("s16", 2),
    ("u64", 8), ("s64", 8), ("f64", 8),
)  # fmt: skip
COUNTED = (("u32", 4), ("s32", 4), ("u64", 8), ("s64", 8))

ID, LOCAL, INDEX, PART, TEST = 0, 1, 40, 41, 42
WIDE = 41
COUNTS = 64
"""u64 elements that atomics count in."""


@dataclass
class Group(Draft):
    """A kernel under construction."""

    geometry: Geometry
    hostile: bool
    counters: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)

    @property
    def size(self) -> int:
        """Work-items of a whole workgroup."""
        return self.geometry.largest_group

    def barrier(self) -> None:
        """Append a barrier."""
        self.emit("barrier", kept=True)

    def value(self, size: int = 4) -> str:
        """Return a register that is part of the result."""
        return f"$d{10 + self.rng.randrange(3)}" if size == 8 else f"$s{10 + self.rng.randrange(6)}"

    def any(self) -> str:
        """Return a register with a small number, mostly."""
        return self.rng.choice(
            (f"$s{LOCAL}", f"$s{LOCAL}", f"$s{ID}", self.value(), *self.counters[-2:])
        )


Statement = Callable[[Group], None]


def own_place(g: Group, size: int) -> str:
    """Compute a place in `data` that no other work-item has; return its address."""
    match g.rng.randrange(6):
        case 0:
            g.emit(f"sub_u32 $s{INDEX}, {g.size - 1}, $s{LOCAL}", kept=True)
        case 1:
            g.emit(f"mul_u32 $s{INDEX}, $s{LOCAL}, 3", kept=True)
        case 2:
            bits = g.rng.choice((1, 2, 4, 16, 31, 64))
            g.emit(f"xor_u32 $s{INDEX}, $s{LOCAL}, {bits}", kept=True)
        case _:
            g.emit(f"mov_u32 $s{INDEX}, $s{LOCAL}", kept=True)
    g.emit(f"mul_u32 $s{INDEX}, $s{INDEX}, {size}", kept=True)
    return f"[data+$s{INDEX}]"


def place(g: Group, elements: int) -> None:
    """Compute a number below `elements` into INDEX, mostly one that bit operations give."""
    target = f"$s{INDEX}"
    source = g.any()
    match g.rng.randrange(8):
        case 0:
            g.emit(f"mov_u32 {target}, {g.rng.randrange(elements)}")
            return
        case 1:
            bits = g.rng.choice((1, 2, 3, 4, 8, 16, 32, 33))
            g.emit(f"xor_u32 {target}, $s{LOCAL}, {bits}")
        case 2:
            g.emit(f"add_u32 {target}, {source}, {g.rng.choice((1, 2, 5, 16, elements - 1))}")
        case 3:
            g.emit(f"sub_u32 {target}, {elements - 1}, {source}")
        case 4:
            g.emit(f"shr_u32 {target}, {source}, {g.rng.randint(1, 5)}")
        case 5:
            g.emit(f"and_u32 {target}, {source}, {g.rng.choice((1, 3, 6, 24))}")
        case 6:
            g.emit(f"mul_u32 {target}, {source}, {g.rng.choice((2, 3, 5, 7))}")
        case _:
            g.emit(f"mov_u32 {target}, {source}")
    if not (g.hostile and g.chance(0.4)):
        if elements & (elements - 1) == 0 and g.chance(0.7):
            g.emit(f"and_u32 {target}, {target}, {elements - 1}")
        else:
            how = g.rng.choice(("rem", "rem", "min"))
            g.emit(f"{how}_u32 {target}, {target}, {elements - (how == 'min')}")


def read(g: Group) -> None:
    """Emit a load of another work-item's element."""
    type_, size = g.rng.choice(TYPES)
    place(g, g.size * 8 // size if g.chance(0.3) else max(1, g.size))
    g.emit(f"mul_u32 $s{INDEX}, $s{INDEX}, {size}")
    offset = g.rng.choice((0, 0, 0, 1, 2)) * size
    load(g, type_, size, f"[data+$s{INDEX}+{offset}]", "group")


def load(g: Group, type_: str, size: int, address: str, segment: str) -> None:
    """Emit a load and what is done with its value."""
    register, total = (f"$d{WIDE}" if size == 8 else f"$s{PART}"), g.value(size)
    bits = 64 if size == 8 else 32
    g.emit(f"ld_{segment}_{type_} {register}, {address}")
    match g.rng.randrange(5):
        case 0:
            g.emit(f"add_f{bits} {total}, {total}, {register}")
        case 1:
            g.emit(f"{g.rng.choice(('min', 'max'))}_s{bits} {total}, {total}, {register}")
        case 2:
            g.emit(f"mov_u{bits} {total}, {register}")
        case _:
            g.emit(f"mad_u{bits} {total}, {total}, 5, {register}")


def compute(g: Group) -> None:
    """Emit arithmetic on results."""
    total = g.value()
    match g.rng.randrange(5):
        case 0:
            g.emit(f"mad_u32 {total}, {total}, 31, {g.any()}")
        case 1:
            g.emit(f"cvt_u64_s32 $d{WIDE}, {g.any()}")
            g.emit(f"add_u64 {g.value(8)}, {g.value(8)}, $d{WIDE}")
        case 2:
            g.emit(f"cvt_u32_u64 {total}, {g.value(8)}")
        case 3:
            g.emit(f"cmp_lt_s32 $c1, {total}, {g.any()}")
            g.emit(f"select_u32 {total}, $c1, {g.value()}, {g.value()}")
        case _:
            g.emit(f"shr_u32 {total}, {total}, {g.rng.randint(1, 20)}")


def private(g: Group) -> None:
    """Emit an access of private memory, which lives across barriers."""
    type_, size = g.rng.choice(TYPES)
    g.emit(f"and_u32 $s{INDEX}, {g.any()}, {32 // size - 1}")
    g.emit(f"mul_u32 $s{INDEX}, $s{INDEX}, {size}")
    if g.chance(0.5):
        load(g, type_, size, f"[mine+$s{INDEX}]", "private")
    else:
        g.emit(f"st_private_{type_} {g.value(size)}, [mine+$s{INDEX}]")


def under(g: Group, inner: Sequence[Statement]) -> None:
    """Emit statements for some of the lanes."""
    end = g.label()
    match g.rng.randrange(4):
        case 0:
            g.emit(f"cmp_{g.rng.choice(('ge', 'lt'))}_u32 $c1, $s{LOCAL}, "
                   f"{g.rng.choice((1, 16, 32, g.size // 2, g.size - 1))}")  # fmt: skip
        case 1:
            g.emit(f"and_u32 $s{TEST}, $s{LOCAL}, {g.rng.choice((1, 2, 5, 16))}")
            g.emit(f"cmp_ne_u32 $c1, $s{TEST}, 0")
        case _:
            g.emit(f"and_u32 $s{TEST}, {g.value()}, {g.rng.choice((1, 3, 7))}")
            g.emit(f"cmp_eq_u32 $c1, $s{TEST}, {g.rng.randrange(3)}")
    g.emit(f"cbr $c1, {end}")
    for _ in range(g.rng.randint(1, 2)):
        g.rng.choice(inner)(g)
    g.lines.append(f"{end}:")


def times(g: Group, inner: Callable[[], None], most: int = 4) -> None:
    """Emit a counted loop that all work-items leave together, or around that."""
    head, depth = g.label(), len(g.counters)
    counter, end = f"$s{20 + depth}", f"$s{24 + depth}"
    n, by = g.rng.randint(1, most), g.rng.choice((1, 1, 1, 2, -1))
    begin = g.rng.choice((0, 0, 1, 8))
    g.emit(f"mov_u32 {counter}, {begin}", kept=True)
    stop = (begin + n * by) & 0xFFFF_FFFF
    if g.chance(0.4):
        g.emit(f"ld_kernarg_u32 {end}, [%n{len(g.numbers)}]", kept=True)
        g.numbers.append(stop)
    else:
        g.emit(f"mov_u32 {end}, {stop}", kept=True)
    g.lines.append(f"{head}: {KEPT}")
    g.counters.append(counter)
    inner()
    g.counters.pop()
    g.emit(f"add_u32 {counter}, {counter}, {by & 0xFFFF_FFFF}", kept=True)
    how = "lt_s32" if by > 0 else "gt_s32"
    g.emit(f"cmp_{how if g.chance(0.8) else 'ne_u32'} $c{4 + depth}, {counter}, {end}", kept=True)
    g.emit(f"cbr $c{4 + depth}, {head}", kept=True)


def some(g: Group, inner: Sequence[Statement]) -> None:
    """Emit some statements that fit between two barriers."""
    for _ in range(g.rng.choice((1, 1, 2, 3))):
        roll = g.rng.random()
        if roll < 0.2:
            under(g, inner)
        elif roll < 0.35 and len(g.counters) < 3:
            times(g, lambda: g.rng.choice(inner)(g), 6)
        else:
            g.rng.choice(inner)(g)


def share(g: Group) -> None:
    """Emit an exchange: own elements, a barrier, others' elements, a barrier."""
    type_, size = g.rng.choice(TYPES)
    place = own_place(g, size)

    def store(g: Group) -> None:
        g.emit(f"st_group_{type_} {g.value(size)}, {place}")

    if g.chance(0.2):
        under(g, [store])
    else:
        store(g)
    g.barrier()
    some(g, (read, read, read, compute, private, group_rows.look))
    g.barrier()


def tally(g: Group) -> None:
    """Emit atomics that commute, a barrier, loads of what they counted, a barrier."""
    type_, size = g.rng.choice(COUNTED)
    stem = g.rng.choice(("add", "add", "sub", "min", "max", "and", "or", "xor"))

    def count(g: Group) -> None:
        place(g, g.rng.choice((1, 4, 32, COUNTS)))
        g.emit(f"mul_u32 $s{INDEX}, $s{INDEX}, {size}")
        g.emit(f"atomic_{stem}_group_{type_} [counts+$s{INDEX}], {g.value(size)}")

    def own(g: Group) -> None:
        g.emit(f"mul_u32 $s{INDEX}, $s{LOCAL}, {size}", kept=True)
        what = g.rng.choice(("add", "sub", "min", "xor", "exch", "cas"))
        more = f", {g.value(size)}" if what == "cas" else ""
        g.emit(f"atomic_{what}_group_{type_} {g.value(size)}, [own+$s{INDEX}], "
               f"{g.value(size)}{more}")  # fmt: skip

    some(g, (count, count, count, own, compute))
    g.barrier()
    for _ in range(g.rng.randint(1, 2)):
        place(g, COUNTS)
        g.emit(f"mul_u32 $s{INDEX}, $s{INDEX}, {size}")
        load(g, type_, size, f"[counts+$s{INDEX}]", "group")
    g.barrier()


def sums(g: Group) -> None:
    """Emit sums in a tree, or of all elements before."""
    type_, size = g.rng.choice((("u32", 4), ("f32", 4), ("u64", 8), ("f64", 8), ("u8", 1)))
    bits = 64 if size == 8 else 32
    kind = "f" if type_.startswith("f") else "u"
    total, step, head, idle = g.value(size), "$s30", g.label(), g.label()
    register = f"$d{WIDE}" if size == 8 else f"$s{PART}"
    prefix, top = g.chance(0.5), 1 << max(0, (g.size - 1).bit_length() - 1)
    g.emit(f"mul_u32 $s31, $s{LOCAL}, {size}", kept=True)
    g.emit(f"st_group_{type_} {total}, [data+$s31]", kept=True)
    g.emit(f"mov_u32 {step}, {1 if prefix else top}", kept=True)
    g.lines.append(f"{head}: {KEPT}")
    g.barrier()
    g.emit(f"cmp_{'lt' if prefix else 'ge'}_u32 $c2, $s{LOCAL}, {step}", kept=True)
    g.emit(f"{'sub' if prefix else 'add'}_u32 $s{PART}, $s{LOCAL}, {step}", kept=True)
    if not prefix:
        g.emit(f"cmp_ge_u32 $c1, $s{PART}, {g.size}", kept=True)
        g.emit("or_b1 $c2, $c2, $c1", kept=True)
    g.emit(f"cbr $c2, {idle}", kept=True)
    g.emit(f"mul_u32 $s{PART}, $s{PART}, {size}", kept=True)
    g.emit(f"ld_group_{type_} {register}, [data+$s{PART}]", kept=True)
    g.emit(f"add_{kind}{bits} {total}, {total}, {register}")
    if not prefix:
        g.emit(f"st_group_{type_} {total}, [data+$s31]", kept=True)
    g.lines.append(f"{idle}: {KEPT}")
    if prefix:
        g.barrier()
        g.emit(f"st_group_{type_} {total}, [data+$s31]", kept=True)
    g.emit(f"{'shl' if prefix else 'shr'}_u32 {step}, {step}, 1", kept=True)
    end = f"cmp_lt_u32 $c3, {step}, {g.size}" if prefix else f"cmp_ne_u32 $c3, {step}, 0"
    g.emit(end, kept=True)
    g.emit(f"cbr $c3, {head}", kept=True)
    g.barrier()


def wavefront(g: Group) -> None:
    """Emit the diagonals of a table whose cells are made of those above and before them."""
    columns, rows = min(g.size, g.rng.choice((16, 16, 15, 32, 5))), g.rng.randint(1, 12)
    row, head, idle, total = 4 * (columns + 1), g.label(), g.label(), g.value()
    begun, step, number = g.label(), "$s30", f"$s{INDEX}"
    g.emit(f"mul_u32 $s31, $s{LOCAL}, 4", kept=True)
    g.emit(f"cmp_ge_u32 $c2, $s{LOCAL}, {columns}", kept=True)
    g.emit(f"cbr $c2, {begun}", kept=True)
    g.emit(f"st_group_u32 {total}, [data+$s31{g.rng.choice(('', '+4'))}]", kept=True)
    g.lines.append(f"{begun}: {KEPT}")
    g.barrier()
    g.emit(f"mov_u32 {step}, 0", kept=True)
    g.lines.append(f"{head}: {KEPT}")
    g.emit(f"sub_u32 $s{PART}, {step}, $s{LOCAL}", kept=True)
    g.emit(f"cmp_ge_u32 $c3, $s{PART}, {rows}", kept=True)
    g.emit("or_b1 $c3, $c3, $c2", kept=True)
    g.emit(f"cbr $c3, {idle}", kept=True)
    g.emit(f"mad_u32 $s{PART}, $s{PART}, {row}, $s31", kept=True)
    for offset in g.rng.sample((0, 4, row), g.rng.randint(1, 3)):
        g.emit(f"ld_group_u32 {number}, [data+$s{PART}+{offset}]", kept=True)
        g.emit(f"mad_u32 {total}, {total}, 3, {number}")
    g.emit(f"st_group_u32 {total}, [data+$s{PART}+{row + 4}]", kept=True)
    g.lines.append(f"{idle}: {KEPT}")
    g.barrier()
    g.emit(f"add_u32 {step}, {step}, 1", kept=True)
    g.emit(f"cmp_lt_u32 $c3, {step}, {columns + rows - 1}", kept=True)
    g.emit(f"cbr $c3, {head}", kept=True)
    for _ in range(g.rng.randint(0, 2)):
        # A row, a column or the diagonal below the first cell.
        g.emit(f"rem_u32 {number}, $s{LOCAL}, {min(columns, rows)}", kept=True)
        g.emit(f"mul_u32 {number}, {number}, {g.rng.choice((4, row, row + 4))}", kept=True)
        load(g, "u32", 4, f"[data+{number}+{row + 4}]", "group")
    g.barrier()


def leave(g: Group) -> None:
    """Emit an early end: of a workgroup, or of lanes that the others will wait for."""
    who = f"$s{LOCAL}" if g.hostile and g.chance(0.6) else "$s2"
    g.emit(f"cmp_{g.rng.choice(('eq', 'gt'))}_u32 $c1, {who}, {g.rng.randrange(4)}", kept=True)
    g.emit("cbr $c1, @done", kept=True)


def phase(g: Group) -> None:
    """Emit what ends with a barrier."""
    roll = g.rng.random()
    if roll < 0.15 and len(g.counters) < 2:
        times(g, lambda: g.rng.choice((share, tally, sums, wavefront))(g))
    elif roll < 0.2:
        leave(g)
    elif roll < 0.35:
        some(g, (compute, private, group_rows.look, group_rows.walk))
    else:
        more = group_rounds.agree, group_rounds.fill, group_rounds.single
        g.rng.choice((share, share, share, tally, tally, tally, sums, wavefront, *more))(g)


def make(rng: random.Random) -> Fenced:
    """Return a kernel with its launch."""
    shape = (rng.choice((512, 1024)),) if rng.random() < 0.03 else rng.choice(SHAPES)
    items = [size * (rng.randint(1, 2) if i == 0 else 1) for i, size in enumerate(shape)]
    if rng.random() < 0.3:
        items = [max(1, i - rng.randint(0, s // 2)) for i, s in zip(items, shape, strict=True)]
    width = rng.choice((32, 32, 64, 16, rng.randint(1, 64)))
    geometry = Geometry.of(items=items, group_size=shape, width=width)
    g = Group(rng, geometry, rng.random() < 0.15)
    alike = rng.random() < 0.15
    for _ in range(rng.randint(1, 2 if alike else 4)):
        (wavefront if alike else phase)(g)
    lines = [f"workitemflatabsid_u32 $s{ID} {KEPT}", f"workitemflatid_u32 $s{LOCAL} {KEPT}",
             f"workgroupid_u32 $s2, 0 {KEPT}"]  # fmt: skip
    lines += [f"mad_u32 $s{10 + i}, $s{ID}, {0x9E3779B1 >> 3 * i}, $s{9 + i}" for i in range(6)]
    lines += [f"cvt_s64_s32 $d{10 + i}, $s{10 + i}" for i in range(3)]
    lines += group_rows.begin()
    # An array that is too large for the stack comes last: it must not move the others.
    spare = 5000 if rng.random() < 0.15 else 0
    extent = 3 * (1 << (max(geometry.largest_group, 128) - 1).bit_length())
    text = "\n".join(
        [
            f"kernel groups(global u32* %out, {group_rows.PARAMETERS}"
            + "".join(f", u32 %n{i}" for i in range(len(g.numbers)))
            + ") {",
            f"    .group u64 data[{extent}]",
            f"    .group u64 own[{geometry.largest_group}]",
            "    .group u64 flag[1]",
            *([f"    .group u64 spare[{spare}]"] if spare else ()),
            f"    .group u64 counts[{COUNTS}]",
            "    .private u64 mine[4]",
            *(f"    {x}" for x in lines),
            *g.lines,
            "@done:",
            *_tail(),
            "}",
        ]
    )
    out = np.zeros(5 * geometry.n_items, np.uint32)
    numbers = [np.uint32(n) for n in g.numbers]
    buffers = group_rows.buffers(geometry.n_items)
    return Fenced(text + "\n", geometry, (out, *buffers, *numbers), budget=BUDGET)


def _tail() -> list[str]:
    lines = ["ld_kernarg_u64 $d50, [%out]", f"cvt_u64_u32 $d51, $s{ID}",
             "mad_u64 $d50, $d51, 20, $d50", "mov_u32 $s45, $s10"]  # fmt: skip
    lines.append("mov_u64 $d52, $d10")
    lines += [f"mad_u32 $s45, $s45, 31, $s{i}" for i in range(11, 16)]
    lines += [f"mad_u64 $d52, $d52, 31, $d{i}" for i in (11, 12)]
    lines += ["st_global_u32 $s45, [$d50]", "cvt_u32_u64 $s44, $d52",
              "st_global_u32 $s44, [$d50+4]", "shr_u64 $d52, $d52, 32", "cvt_u32_u64 $s44, $d52",
              "st_global_u32 $s44, [$d50+8]", "ret"]  # fmt: skip
    return [f"    {x} {KEPT}" for x in lines]


def draw(rng: random.Random) -> Launch:
    """A kernel with one run of the interpreter and one or two of native code."""
    case = make(rng)
    again = rng.random() < 0.15
    return Launch(case, runs_of(rng, case), str(case), again=again)


GENERATOR = Generator("groups", lambda scratch, rng: draw, 120.0, 3.0)
