"""What the loops of random kernels do: accesses at places that the loops' counters give.

Bounds of indices are known when a kernel is drawn, as numbers before they wrap around. So buffers
can be just large enough, or too small by one element."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from simtlab.emu.geometry import Geometry

from .draft import Draft

TYPES = (
    ("u32", 4), ("u32", 4), ("f32", 4), ("s32", 4), ("u8", 1), ("s8", 1), ("u16", 2), ("s16", 2),
    ("u64", 8), ("s64", 8), ("f64", 8),
)  # fmt: skip

ID, LOCAL, INDEX, PART, TEST = 0, 1, 40, 41, 42
SOURCE, ROWS, OTHER, SHARED, TABLE, TWIN = range(20, 26)
ADDRESS, WIDE, NARROW_STEP = 40, 41, 42
RUN = ("$s43", "$s44", "$s45")

ROW_WORDS = 16
"""u64 elements of what a work-item has of its own: a row, a column, private memory."""

SMALL_WORDS = 4
"""u64 elements of a work-item's own column in group memory."""

FAR = (0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0xFFFF_FFF0, 0x4000_0000, 0x2000_0000, 1 << 20)


@dataclass
class Span:
    """A 32-bit register, and the bounds of its value before it wraps around."""

    register: str
    low: int
    high: int


@dataclass
class Pointer:
    """A register that walks through the source; bytes from its beginning."""

    register: str
    step: str
    """An operand."""
    size: int
    low: int
    high: int


@dataclass
class Body(Draft):
    """A kernel under construction."""

    geometry: Geometry
    hostile: str = ""
    """What may be wrong: nothing, or one of HOSTILE."""
    columns: int = 0
    """Bytes of an element if work-items have columns, 0 if they have rows."""
    head: list[str] = field(default_factory=list)
    """Lines before all others."""
    counters: list[Span] = field(default_factory=list)
    pointers: list[Pointer] = field(default_factory=list)
    exits: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    """Values of the kernel's plain arguments."""
    table: list[int] = field(default_factory=list)
    """Values that are loaded."""
    registers: int = 0
    """Registers taken for numbers."""
    times: int = 1
    """How often the code here runs at most."""
    need: int = 8
    """Bytes of the source."""
    loops: int = 0
    is_plain: bool = False
    """Whether most accesses are of neighbours, and lanes count alike in most loops."""
    is_grouped: bool = True
    """Whether work-items know their places in workgroups, which cannot be formed anew then."""

    @property
    def most_local(self) -> int:
        """The largest number that LOCAL may have."""
        size = self.geometry.largest_group if self.is_grouped else self.geometry.items[0]
        return size - 1

    def one_of(self, *values: str) -> str:
        """Return one of some texts."""
        return self.rng.choice(values)

    def number(self, value: int) -> str:
        """Return an operand with a value: a constant, an argument or what is loaded."""
        value &= 0xFFFF_FFFF
        if self.registers == 16 or self.chance(0.4):
            return str(value)
        register = f"$s{46 + self.registers}"
        self.registers += 1
        where = self.lines if self.chance(0.25) else self.head
        if self.chance(0.7):
            where.append(f"    ld_kernarg_u32 {register}, [%n{len(self.numbers)}]")
            self.numbers.append(value)
        else:
            where.append(f"    ld_global_u32 {register}, [$d{TABLE}+{4 * len(self.table)}]")
            self.table.append(value)
        return register


Statement = Callable[[Body], None]


def accumulator(b: Body, size: int = 4) -> str:
    """Return a register that is part of the result."""
    return f"$d{10 + b.rng.randrange(3)}" if size == 8 else f"$s{10 + b.rng.randrange(5)}"


def index(b: Body, *, lanes: bool = True) -> tuple[int, int]:
    """Compute an index from counters and identities into INDEX; return its bounds."""
    target = f"$s{INDEX}"
    low = high = b.rng.choice((0, 0, 0, 1, -1, 2, 5))
    b.emit(f"mov_u32 {target}, {low & 0xFFFF_FFFF}")
    for counter in b.counters if b.chance(0.6) else b.counters[-1:]:
        if b.chance(0.12):
            continue
        factor = b.rng.choice((1, 1, 1, 1, 2, 3, 4, -1, -1, -2, 7, 20))
        low, high = _term(b, target, counter, factor, low, high)
    if lanes:
        factor = b.rng.choice((0, 1, 1) if b.is_plain else (0, 0, 1, 1, 1, 1, 2, -1, 3, 5))
        if factor:
            here = Span(f"$s{ID}", 0, b.geometry.n_items - 1)
            if b.chance(0.3):
                here = Span(f"$s{LOCAL}", 0, b.most_local)
            low, high = _term(b, target, here, factor, low, high)
    return low, high


def _term(b: Body, target: str, span: Span, factor: int, low: int, high: int) -> tuple[int, int]:
    type_ = b.one_of("u32", "u32", "s32")
    if factor == 1 and b.chance(0.6):
        b.emit(f"add_{type_} {target}, {span.register}, {target}")
    elif factor == -1 and b.chance(0.7):
        b.emit(f"sub_{type_} {target}, {target}, {span.register}")
    elif factor in (2, 4) and b.chance(0.5):
        b.emit(f"shl_{type_} $s{PART}, {span.register}, {factor // 2}")
        b.emit(f"add_{type_} {target}, {target}, $s{PART}")
    else:
        b.emit(f"mad_{type_} {target}, {span.register}, {b.number(factor)}, {target}")
    ends = (span.low * factor, span.high * factor)
    return low + min(ends), high + max(ends)


def shifted(b: Body, low: int, high: int, size: int) -> tuple[int, int, int]:
    """Move an index above zero; return its bounds, and the bytes of offset that do the rest."""
    extra = b.rng.choice((0, 0, 0, 1, 2))
    if abs(low) < 10_000 and b.chance(0.3):
        return low, high, (extra - low) * size
    b.emit(f"add_u32 $s{INDEX}, $s{INDEX}, {(extra - low) & 0xFFFF_FFFF}")
    return extra, high - low + extra, 0


def source(b: Body) -> None:
    """Emit a load from the source."""
    type_, size = b.rng.choice(TYPES)
    if b.pointers and b.chance(0.5):
        pointer = b.rng.choice(b.pointers)
        type_, size = b.rng.choice([t for t in TYPES if t[1] <= pointer.size])
        offset = b.rng.choice((0, 0, 0, pointer.size, 2 * pointer.size))
        b.need = max(b.need, pointer.high + offset + size)
        load(b, type_, size, f"[{pointer.register}+{offset}]")
        return
    low, high = index(b)
    if b.hostile == "far" and b.chance(0.4):
        b.emit(f"add_u32 $s{INDEX}, $s{INDEX}, {b.number(b.rng.choice(FAR))}")
    base = SOURCE
    if b.chance(0.08):
        b.emit(f"cmp_{b.one_of('lt', 'eq')}_u32 $c9, {_any(b)}, {b.number(b.rng.randrange(9))}")
        b.emit(f"select_u64 $d{NARROW_STEP}, $c9, $d{SOURCE}, $d{OTHER}")
        base = NARROW_STEP
    if high - low > 30_000:
        b.emit(f"and_u32 $s{INDEX}, $s{INDEX}, {b.one_of('1023', '63', '960')}")
        low, high = 0, 1023
    low, high, offset = shifted(b, low, high, size)
    b.need = max(b.need, (high + 1) * size + offset)
    wide = b.one_of("u64_u32", "s64_u32", "u64_s32", "s64_s32") if not offset else "s64_s32"
    b.emit(f"cvt_{wide} $d{ADDRESS}, $s{INDEX}")
    match b.rng.randrange(3):
        case 0:
            b.emit(f"mad_u64 $d{ADDRESS}, $d{ADDRESS}, {size}, $d{base}")
        case 1:
            b.emit(f"mul_u64 $d{ADDRESS}, $d{ADDRESS}, {size}")
            b.emit(f"add_u64 $d{ADDRESS}, $d{base}, $d{ADDRESS}")
        case _:
            b.emit(f"shl_u64 $d{ADDRESS}, $d{ADDRESS}, {size.bit_length() - 1}")
            b.emit(f"add_s64 $d{ADDRESS}, $d{ADDRESS}, $d{base}")
    load(b, type_, size, f"[$d{ADDRESS}{offset:+}]")
    if b.chance(0.2):
        b.need = max(b.need, (high + 2) * size + offset)
        load(b, type_, size, f"[$d{ADDRESS}{offset + size:+}]")


def _any(b: Body) -> str:
    return b.rng.choice((f"$s{ID}", f"$s{LOCAL}", *(c.register for c in b.counters)))


def load(b: Body, type_: str, size: int, address: str, segment: str = "global") -> None:
    """Emit a load and what is done with its value."""
    register = f"$d{WIDE}" if size == 8 else f"$s{PART}"
    b.emit(f"ld_{segment}_{type_} {register}, {address}")
    total = accumulator(b, size)
    bits = 64 if size == 8 else 32
    match b.rng.randrange(6):
        case 0:
            b.emit(f"add_f{bits} {total}, {total}, {register}")
        case 1:
            b.emit(f"{b.one_of('min', 'max')}_s{bits} {total}, {total}, {register}")
        case 2:
            b.emit(f"mov_u{bits} {total}, {register}")
        case 3:
            b.emit(f"xor_u{bits} {total}, {total}, {register}")
        case _:
            b.emit(f"mad_u{bits} {total}, {total}, {2 * b.rng.randrange(9) + 3}, {register}")


def _own_index(b: Body, elements: int) -> None:
    """Compute an index below a number of elements, a power of two."""
    low, high = index(b, lanes=b.chance(0.2))
    if high - low < elements and b.chance(0.9):
        at = b.rng.randint(0, elements - 1 - (high - low))
        b.emit(f"add_u32 $s{INDEX}, $s{INDEX}, {(at - low) & 0xFFFF_FFFF}")
    else:
        b.emit(f"and_u32 $s{INDEX}, $s{INDEX}, {elements - 1}")


def own(b: Body) -> None:
    """Emit a store to the work-item's own row or column, a load from it, or both."""
    type_, size = b.rng.choice([t for t in TYPES if b.columns in (0, t[1])])
    elements = ROW_WORDS if b.columns else ROW_WORDS * 8 // size
    for _ in range(b.rng.choice((1, 1, 2))):
        _own_index(b, elements)
        base = b.rng.choice((ROWS, ROWS, TWIN))
        if b.columns:
            b.emit(f"mad_u32 $s{INDEX}, $s{INDEX}, {b.geometry.n_items}, $s{ID}", kept=True)
        else:
            b.emit(f"mad_u32 $s{INDEX}, $s{ID}, {elements}, $s{INDEX}", kept=True)
        b.emit(f"cvt_u64_{b.one_of('u', 'u', 's')}32 $d{ADDRESS}, $s{INDEX}", kept=True)
        b.emit(f"mad_u64 $d{ADDRESS}, $d{ADDRESS}, {size}, $d{base}", kept=True)
        access(b, type_, size, f"[$d{ADDRESS}]")


def run(b: Body) -> None:
    """Emit a loop that moves a run of elements within the work-item's own row, or fills a run."""
    if b.columns:
        own(b)
        return
    # Lanes run alone where they store bytes, and seldom else.
    type_, size = b.rng.choice([t for t in TYPES if t[1] < 4] if b.chance(0.7) else TYPES)
    elements, (origin, to, end) = ROW_WORDS * 8 // size, RUN
    most = min(elements // 2, 16)
    head, out = b.label(), b.label()
    for register in RUN:
        number = b.rng.choice((accumulator(b), accumulator(b), _any(b)))
        b.emit(f"and_u32 {register}, {number}, {most - 1}")
    b.emit(f"cmp_eq_u32 $c7, {end}, 0")
    b.emit(f"cbr $c7, {out}")
    for register in (origin, to):
        b.emit(f"mad_u32 {register}, $s{ID}, {elements}, {register}", kept=True)
    b.emit(f"add_u32 {end}, {end}, {to}", kept=True)
    value = f"$d{WIDE}" if size == 8 else f"$s{PART}"
    copies = b.chance(0.6)
    if not copies:
        b.emit(f"mov_u{64 if size == 8 else 32} {value}, {accumulator(b, size)}")
    b.place(head)
    b.emit(f"cmp_ge_u32 $c7, {to}, {end}", kept=True)
    b.emit(f"cbr $c7, {out}", kept=True)
    for verb, place, base in (("ld", origin, ROWS), ("st", to, b.rng.choice((ROWS, TWIN)))):
        if verb == "st" or copies:
            b.emit(f"cvt_u64_u32 $d{ADDRESS}, {place}", kept=True)
            b.emit(f"mad_u64 $d{ADDRESS}, $d{ADDRESS}, {size}, $d{base}", kept=True)
            b.emit(f"{verb}_global_{type_} {value}, [$d{ADDRESS}]")
    b.emit(f"add_u32 {origin}, {origin}, 1", kept=True)
    b.emit(f"add_u32 {to}, {to}, 1", kept=True)
    b.emit(f"br {head}")
    b.place(out)


def access(b: Body, type_: str, size: int, address: str, segment: str = "global") -> None:
    """Emit a load or a store."""
    if b.chance(0.45):
        load(b, type_, size, address, segment)
    else:
        value = accumulator(b, size)
        if size < 8 and b.chance(0.3):
            value = _any(b)
        b.emit(f"st_{segment}_{type_} {value}, {address}")


def private(b: Body) -> None:
    """Emit accesses of private memory."""
    type_, size = b.rng.choice(TYPES)
    _own_index(b, ROW_WORDS * 8 // size)
    b.emit(f"mul_u32 $s{INDEX}, $s{INDEX}, {size}")
    access(b, type_, size, f"[mine+$s{INDEX}]", "private")


def group(b: Body) -> None:
    """Emit accesses of group memory: the own column, or what all have filled before."""
    if not b.is_grouped:
        return private(b)
    type_, size = b.rng.choice(TYPES)
    if b.chance(0.4):
        low, high = index(b, lanes=b.chance(0.4))
        elements = 512 // size
        if high - low < elements:
            b.emit(f"sub_u32 $s{INDEX}, $s{INDEX}, {low & 0xFFFF_FFFF}")
        else:
            b.emit(f"and_u32 $s{INDEX}, $s{INDEX}, {elements - 1}")
        b.emit(f"shl_u32 $s{INDEX}, $s{INDEX}, {size.bit_length() - 1}")
        return load(b, type_, size, f"[filled+$s{INDEX}]", "group")
    _own_index(b, SMALL_WORDS)
    b.emit(f"mad_u32 $s{INDEX}, $s{INDEX}, {b.geometry.largest_group}, $s{LOCAL}", kept=True)
    b.emit(f"mul_u32 $s{INDEX}, $s{INDEX}, 8", kept=True)
    return access(b, type_, size, f"[lanes+$s{INDEX}]", "group")


def readonly(b: Body) -> None:
    """Emit a load from constants."""
    type_, size = b.rng.choice(TYPES)
    _own_index(b, 64 // size)
    b.emit(f"mul_u32 $s{INDEX}, $s{INDEX}, {size}")
    load(b, type_, size, f"[CONSTANTS+$s{INDEX}]", "readonly")


def atomic(b: Body) -> None:
    """Emit an atomic addition, whose order does not matter."""
    _own_index(b, 16)
    b.emit(f"cvt_u64_u32 $d{ADDRESS}, $s{INDEX}")
    b.emit(f"mad_u64 $d{ADDRESS}, $d{ADDRESS}, 4, $d{SHARED}")
    b.emit(f"atomic_add_global_u32 [$d{ADDRESS}], {accumulator(b)}")


def compute(b: Body) -> None:
    """Emit arithmetic on counters and results."""
    total, other = accumulator(b), b.rng.choice((accumulator(b), _any(b)))
    match b.rng.randrange(6):
        case 0:
            b.emit(f"mad_u32 {total}, {total}, 31, {other}")
        case 1:
            b.emit(f"cvt_f32_s32 $s{PART}, {other}")
            b.emit(f"fma_f32 {total}, $s{PART}, 0.5, {total}")
        case 2:
            b.emit(f"cvt_u64_u32 $d{WIDE}, {other}")
            b.emit(f"mad_u64 {accumulator(b, 8)}, $d{WIDE}, 77, $d10")
        case 3:
            b.emit(f"cmp_lt_{b.one_of('s32', 'u32', 'f32')} $c9, {total}, {other}")
            b.emit(f"select_u32 {total}, $c9, {other}, {total}")
        case 4:
            b.emit(f"ld_kernarg_u32 $s{PART}, [%k]")
            b.emit(f"mad_u32 {total}, $s{PART}, 5, {total}")
        case _:
            b.emit(f"or_u32 $s{PART}, {other}, 1")
            b.emit(f"{b.one_of('div', 'rem')}_{b.one_of('u32', 's32')} {total}, {total}, $s{PART}")


def fault(b: Body) -> None:
    """Emit what fails in one iteration: a division by zero, or a trap."""
    if not b.counters:
        return
    counter = b.counters[-1]
    value = b.rng.choice((counter.low, counter.high, b.rng.randint(counter.low, counter.high)))
    if b.chance(0.5):
        b.emit(f"sub_u32 $s{PART}, {counter.register}, {value & 0xFFFF_FFFF}")
        if b.chance(0.4):
            b.emit(f"add_u32 $s{PART}, $s{PART}, $s{ID}")
        total = accumulator(b)
        b.emit(f"{b.one_of('div', 'rem')}_{b.one_of('u32', 's32')} {total}, {total}, $s{PART}")
        return
    end = b.label()
    b.emit(f"cmp_ne_u32 $c9, {counter.register}, {value & 0xFFFF_FFFF}")
    b.emit(f"cbr $c9, {end}")
    b.emit(f"trap {b.rng.randrange(9)}")
    b.place(end)


HOSTILE = ("cut", "shift", "odd", "far", "fault", "frozen", "small")

FLAT: tuple[Statement, ...] = (
    source, source, source, source, own, own, own, run, run, private, group, readonly, atomic,
    compute,
)  # fmt: skip


def content(b: Body, rng: np.random.Generator) -> dict[str, object]:
    """Return the arguments of the kernel by name, in order."""
    items = b.geometry.n_items
    bytes_ = b.need
    if b.hostile == "cut":
        bytes_ = max(8, bytes_ - b.rng.choice((1, 2, 4, 8, 16, 64, bytes_ // 2)))
    rows = rng.integers(0, 1 << 63, items * ROW_WORDS, np.uint64)
    if b.hostile == "small":
        rows = rows[: max(1, rows.size - b.rng.choice((1, 2, ROW_WORDS)))]
    return {
        "out": np.zeros(4 * items, np.uint32),
        "rows": rows,
        "twin": rows,
        "shared": np.zeros(64, np.uint32),
        "table": np.array([*b.table, 0], np.uint32),
        # What lies before the source is not what other work-items store.
        "other": rng.integers(0, 256, max(1 << 14, bytes_), np.uint8),
        "source": rng.integers(0, 256, bytes_, np.uint8),
        "k": np.uint32(rng.integers(0, 100)),
        **{f"n{i}": np.uint32(v) for i, v in enumerate(b.numbers)},
    }
