"""Random kernels with more live values than a CPU has vector registers, against the oracle.

All values live from the beginning to the end. Between are tests of signs, comparisons, choices,
conversions, and stores of all types by some of the lanes.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import numpy as np

from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.compile import QUICK_ABOVE
from simtlab.isa.table import Flags, OperandKind
from simtlab.isa.types import RegClass
from simtlab.testing.computing import COMPUTING

from .draft import Draft
from .example import Generator
from .kernels import Run
from .launches import KEPT, Fenced, Launch

SHAPES = ((64,), (64,), (32,), (128,), (96,), (40,), (48,), (7,), (16, 4), (8, 8), (100,))

SMALL = (("u32", 4), ("s32", 4), ("f32", 4), ("u8", 1), ("s8", 1), ("u16", 2), ("s16", 2))
LARGE = (("u64", 8), ("s64", 8), ("f64", 8))
NUMBERS = tuple(row for row in COMPUTING if row.dst is not None and row.dst.type is not None)
CONVERSIONS = tuple(row for row in NUMBERS if row.stem.startswith("cvt"))

ROW = 128
"""u64 elements of a work-item's row of results."""

STORES = 56
"""u64 elements of it that masked stores have, from the first."""


@dataclass
class Values(Draft):
    """A kernel under construction: registers below these numbers live."""

    small: int
    large: int
    flags: int

    def register(self, cls: RegClass) -> str:
        """Return a live register."""
        n = {RegClass.S: self.small, RegClass.D: self.large, RegClass.C: self.flags}[cls]
        return f"${cls.value}{self.rng.randrange(n)}"

    def sized(self, size: int) -> str:
        """Return a live register for elements of a size."""
        return self.register(RegClass.D if size == 8 else RegClass.S)


def sign(v: Values) -> None:
    """Emit a test of signs, or a comparison near it."""
    bits = v.rng.choice((32, 32, 32, 64))
    register, flag = v.sized(bits // 8), v.register(RegClass.C)
    match v.rng.randrange(9):
        case 0 | 1:
            v.emit(f"cmp_lt_s{bits} {flag}, {register}, 0")
        case 2:
            v.emit(f"cmp_ge_s{bits} {flag}, {register}, 0")
        case 3:
            v.emit(f"cmp_gt_s{bits} {flag}, {register}, -1")
        case 4:
            top = 0x8000_0000 if bits == 32 else 0
            other = v.sized(bits // 8)
            if top:
                v.emit(f"and_u32 {other}, {register}, {top}")
                v.emit(f"cmp_ne_u32 {flag}, {other}, 0")
            else:
                v.emit(f"cmp_lt_s64 {flag}, {register}, {other}")
        case 5:
            other = v.sized(bits // 8)
            v.emit(f"shr_{v.rng.choice('us')}{bits} {other}, {register}, {bits - 1}")
            v.emit(f"cmp_eq_u{bits} {flag}, {other}, 0")
        case 6:
            how = v.rng.choice(("lt", "gt", "eq", "ltu", "neo", "nan"))
            v.emit(f"cmp_{how}_f{bits} {flag}, {register}, {v.sized(bits // 8)}")
        case 7:
            v.emit(f"cmp_ge_u32 {flag}, {v.sized(4)}, 0x80000000")
        case _:
            how = v.rng.choice(("lt", "le", "ne", "eq"))
            v.emit(f"cmp_{how}_{v.rng.choice('us')}{bits} {flag}, {register}, {v.sized(bits // 8)}")


def choose(v: Values) -> None:
    """Emit a choice by a flag, or by two."""
    flag = v.register(RegClass.C)
    if v.rng.random() < 0.4:
        how = v.rng.choice(("and", "or", "xor"))
        v.emit(f"{how}_b1 {flag}, {flag}, {v.register(RegClass.C)}")
    type_ = v.rng.choice(("u32", "s32", "f32", "u64", "f64", "b1"))
    size = 8 if type_.endswith("64") else 4
    if type_ == "b1":
        a, b, c = (v.register(RegClass.C) for _ in range(3))
    else:
        a, b, c = (v.sized(size) for _ in range(3))
    v.emit(f"select_{type_} {a}, {flag}, {b}, {c}")


def compute(v: Values) -> None:
    """Emit an instruction of the table; divisors are made odd, so that nothing traps."""
    rng = v.rng
    row = rng.choice(CONVERSIONS if rng.random() < 0.4 else NUMBERS)
    assert row.dst is not None
    assert row.dst.type is not None
    operands = [v.register(row.dst.type.reg)]
    for operand in row.srcs:
        assert operand.type is not None
        constant = operand.kind is OperandKind.SRC and rng.random() < 0.1
        is_whole = operand.type.bits >= 32 and not operand.type.is_float
        operands.append("7" if constant and is_whole and "7" not in operands
                        else v.register(operand.type.reg))  # fmt: skip
    if Flags.MAY_TRAP in row.flags:
        assert row.type is not None
        odd = "$d60" if row.type.bits == 64 else "$s60"
        v.emit(f"or_u{row.type.bits} {odd}, {v.register(row.type.reg)}, 1")
        operands[2] = odd
    if row.literals:
        assert row.type is not None
        first = rng.randrange(row.type.bits)
        operands += [str(first), str(rng.randint(1, row.type.bits - first))]
    v.emit(f"{row.name} {', '.join(operands)}")


def masked(v: Values) -> None:
    """Emit stores by the lanes for which a flag does not hold, perhaps others by the rest."""
    rng = v.rng
    if rng.random() < 0.6:
        sign(v)
    end, other = v.label(), v.label()
    both = rng.random() < 0.3
    v.emit(f"cbr {v.register(RegClass.C)}, {other if both else end}")
    for last in (not both, True):
        for _ in range(rng.choice((1, 1, 2, 3))):
            type_, size = rng.choice((*SMALL, *LARGE))
            offset = rng.randrange(STORES * 8 // size) * size
            v.emit(f"st_global_{type_} {v.sized(size)}, [$d61+{offset}]")
        if rng.random() < 0.5:
            rng.choice((choose, compute, sign))(v)
        if last:
            break
        v.emit(f"br {end}")
        v.lines.append(f"{other}:")
    v.lines.append(f"{end}:")


def private(v: Values) -> None:
    """Emit a store to private memory and a load of another type."""
    for kind in ("st", "ld"):
        type_, size = v.rng.choice((*SMALL, *LARGE))
        offset = v.rng.randrange(32 // size) * size
        v.emit(f"{kind}_private_{type_} {v.sized(size)}, [own+{offset}]")


def pairs(v: Values) -> None:
    """Emit the same test on many values, and what follows from all of them."""
    flag, a, b = (v.register(RegClass.C) for _ in range(3))
    for _ in range(v.rng.randint(2, 6)):
        sign(v)
        v.emit(f"{v.rng.choice(('and', 'or'))}_b1 {flag}, {a}, {b}")
        a, b = v.register(RegClass.C), flag
    v.emit(f"cvt_u32_b1 {v.sized(4)}, {flag}")


STATEMENTS = (sign, sign, choose, choose, compute, compute, compute, masked, masked, private, pairs)


def make(rng: random.Random) -> Fenced:
    """Return a kernel with its launch."""
    shape = rng.choice(SHAPES)
    items = tuple(size * (rng.randint(1, 2) if i == 0 else 1) for i, size in enumerate(shape))
    if rng.random() < 0.3:
        items = tuple(max(1, i - rng.randint(0, 9)) for i in items)
    width = rng.choice((32, 32, 64, 16, rng.randint(1, 64)))
    geometry = Geometry.of(items=items, group_size=shape, width=width)
    # 32-bit values take two registers of 16 lanes, others four.
    small, large = rng.choice(((30, 2), (20, 6), (8, 12), (36, 1), (4, 18)))
    v = Values(rng, small, large, rng.randint(2, 12))
    pitch = v.small * 4 + v.large * 8
    v.emit(f"workitemflatabsid_u32 $s62 {KEPT}")
    v.emit(f"cvt_u64_u32 $d62 , $s62 {KEPT}")
    v.emit(f"ld_kernarg_u64 $d61, [%out] {KEPT}")
    v.emit(f"mad_u64 $d61, $d62, {8 * ROW}, $d61 {KEPT}")
    v.emit("ld_kernarg_u64 $d63, [%input]")
    rows = rng.random() < 0.5
    v.emit(f"mad_u64 $d63, $d62, {8 if rows else -(-pitch // 8) * 8}, $d63")
    for i in range(v.large):
        type_ = rng.choice(LARGE)[0]
        offset = (i * geometry.n_items if rows else i) * 8
        v.emit(f"ld_global_{type_} $d{i}, [$d63+{offset}]")
    first = v.large * 8 * (geometry.n_items if rows else 1)
    for i in range(v.small):
        type_ = rng.choice(SMALL)[0]
        offset = first + (i * geometry.n_items * 8 if rows else i * 4)
        v.emit(f"ld_global_{type_} $s{i}, [$d63+{offset}]")
    for i in range(v.flags):
        v.emit(f"cmp_lt_s32 $c{i}, $s{i % v.small}, 0")
    length, head = rng.randint(6, 24), ""
    begins = rng.randrange(length) if rng.random() < 0.35 else -1
    ends = rng.randint(begins, length - 1)
    for i in range(length):
        if i == begins:
            head = v.label()
            v.emit("mov_u32 $s61, 0")
            v.lines.append(f"{head}:")
        rng.choice(STATEMENTS)(v)
        if head and i == ends:
            v.emit("add_u32 $s61, $s61, 1")
            v.emit(f"cmp_lt_u32 $c20, $s61, {rng.randint(1, 3)}")
            if rng.random() < 0.3:
                v.emit(f"and_b1 $c20, $c20, {v.register(RegClass.C)}")
            v.emit(f"cbr $c20, {head}")
    text = "\n".join(
        [
            "kernel pressure(global u64* %out, global u8* %input) {",
            "    .private u64 own[4]",
            *v.lines,
            *_tail(v),
            "}",
        ]
    )
    numbers = np.random.default_rng(rng.randrange(1000))
    size = (v.large + v.small) * 8 * geometry.n_items
    bytes_ = numbers.integers(0, 256, size, np.uint8)
    if rng.random() < 0.5:  # few, so that comparisons of small numbers come out equal
        bytes_ = bytes_ & numbers.choice(np.array([0, 1, 0x80, 0xFF], np.uint8), size)
    out = np.zeros(geometry.n_items * ROW, np.uint64)
    return Fenced(text + "\n", geometry, (out, bytes_), frozen=frozenset((1,)))


def _tail(v: Values) -> list[str]:
    lines = [f"st_global_u64 $d{i}, [$d61+{8 * (STORES + i)}]" for i in range(v.large)]
    place = 8 * (STORES + v.large)
    lines += [f"st_global_u32 $s{i}, [$d61+{place + 4 * i}]" for i in range(v.small)]
    place += 4 * v.small
    for i in range(v.flags):
        lines += [f"cvt_u32_b1 $s60, $c{i}", f"st_global_u8 $s60, [$d61+{place + i}]"]
    return [f"    {x} {KEPT}" for x in (*lines, "ret")]


def draw(rng: random.Random) -> Launch:
    """A kernel with a run of native code, mostly for warps of one vector, which compile fast."""
    case = make(rng)
    level = "quick" if len(case.source.splitlines()) > QUICK_ABOVE else "full"
    width = rng.choice((16, 16, 16, 16, 8, 32, rng.randint(1, 31)))
    run = Run("jit", width=width, forced=True, level=level, poisoned=rng.random() < 0.3)
    if rng.random() < 0.2:
        run = replace(run, width=case.geometry.width, forced=False)
    return Launch(case, [run], str(case))


GENERATOR = Generator("pressure", lambda scratch, rng: draw, 120.0, 2.0)
