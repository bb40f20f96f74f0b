"""Hypothesis strategies that draw terminating, race-free kernels with all kinds of control flow.

A kernel works on registers that start from the work-item's id and from random data, and ends by
storing all of them to the work-item's own row of `out`. In between stand, in random order and
nesting: instructions of every computing row of the table, if, if-else, counted loops with
divergent trip counts, loops with several exits, and regions of goto-like blocks with branches in
both directions (irreducible loops, jumps into the middle of a path). Every backward branch costs
one unit of a fuel register, so every work-item ends. Barriers, with an exchange through group
memory, stand only where all work-items of a workgroup come by equally often. Atomics commute and
return nothing.

What is drawn is a list of small pieces, so hypothesis shrinks to short texts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st

from ..emu.geometry import Geometry
from ..isa.table import TABLE, Flags, Format, OperandKind, Row, Unit
from ..isa.types import B1, RegClass, Type
from .case import Case

WORKING = {RegClass.S: 6, RegClass.D: 3, RegClass.C: 3}
"""Working registers per class: few, so that pieces meet."""

OUT_WORDS = WORKING[RegClass.S] + 2 * WORKING[RegClass.D] + 1
"""u32 words of a work-item's row of `out`: every working register, the $c ones packed."""

INPUT_WORDS = 64
"""u32 elements of the input array."""

CONSTANTS = (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x3F800000, 0x7FC00001, 0xC0490FDB)
"""The readonly array: u32 patterns that are interesting as integers and as floats."""

MAX_GROUP = 32
FUEL = 24

# Registers with a fixed use, above the working ones.
ID, LOCAL, FUEL_LEFT, SCRATCH, COUNTERS = 40, 41, 42, 43, 44
ROW_BASE, ADDRESS, INPUT, SHARED, WIDE_SCRATCH = 40, 41, 42, 43, 44
TEST = 40

COMPUTING = tuple(
    row
    for row in TABLE
    if row.format is Format.ALU and row.unit not in (Unit.CONTROL, Unit.SYNC, Unit.ID)
)
_BY_STEM: dict[str, list[Row]] = {}
for _row in COMPUTING:
    _BY_STEM.setdefault(_row.stem, []).append(_row)
_STEMS = sorted(_BY_STEM)

_LOADS = tuple(
    r
    for r in TABLE
    if r.is_load and r.segment is not None and r.segment.value in ("global", "readonly")
)
_ATOMICS = tuple(
    r
    for r in TABLE
    if r.is_atomic and r.type is not None and r.stem not in ("atomic_exch", "atomic_cas")
)


Piece = Callable[[st.DrawFn, "Writer"], None]


@dataclass
class Writer:
    """The text under construction; labels are numbered in order of use."""

    lines: list[str] = field(default_factory=list)
    labels: int = 0
    depth: int = 0
    barriers: bool = False
    atomics: set[int] = field(default_factory=set)
    """Places in group memory that atomics have worked on."""
    nested: tuple[Piece, ...] = field(default_factory=lambda: _NESTED)
    """What statements may stand in a body."""

    def emit(self, text: str) -> None:
        self.lines.append("    " + text)

    def label(self) -> str:
        self.labels += 1
        return f"@L{self.labels}"

    def place(self, label: str) -> None:
        self.lines.append(f"{label}:")


def _register(draw: st.DrawFn, cls: RegClass) -> str:
    return f"${cls.value}{draw(st.integers(0, WORKING[cls] - 1))}"


def _immediate(draw: st.DrawFn, type_: Type) -> str:
    if type_ is B1:
        return str(draw(st.integers(0, 1)))
    if type_.is_float:
        return str(
            draw(
                st.sampled_from(("0.0", "-0.0", "1.0", "-1.5", "0.1015625", "inf", "nan", "1024.0"))
            )
        )
    small = draw(st.integers(0, 40))
    return str(-small if type_.is_signed and draw(st.booleans()) else small)


def _source(draw: st.DrawFn, kind: OperandKind, type_: Type, immediate: bool) -> str:
    if immediate and kind is OperandKind.SRC and type_.bits >= 32:
        return _immediate(draw, type_)
    return _register(draw, type_.reg)


def _compute(draw: st.DrawFn, w: Writer) -> None:
    """One computing instruction; divisors are made odd, so that nothing traps."""
    row = draw(st.sampled_from(_BY_STEM[draw(st.sampled_from(_STEMS))]))
    assert row.dst is not None
    assert row.dst.type is not None
    operands = [_register(draw, row.dst.type.reg)]
    sources = row.srcs
    at = draw(st.integers(0, len(sources) * 2))
    for position, operand in enumerate(sources):
        assert operand.type is not None
        operands.append(_source(draw, operand.kind, operand.type, position == at))
    if Flags.MAY_TRAP in row.flags:
        assert row.type is not None
        odd = f"$d{WIDE_SCRATCH}" if row.type.bits == 64 else f"$s{SCRATCH}"
        width = row.type.bits
        w.emit(f"or_u{width} {odd}, {_register(draw, row.type.reg)}, 1")
        operands[2] = odd
        if not operands[1].startswith("$"):
            operands[1] = _register(draw, row.type.reg)
    if row.literals:
        assert row.type is not None
        position = draw(st.integers(0, row.type.bits - 1))
        operands += [str(position), str(draw(st.integers(1, row.type.bits - position)))]
    w.emit(f"{row.name} {', '.join(operands)}")


def _condition(draw: st.DrawFn, w: Writer) -> str:
    """A $c register: one that is there, or a fresh comparison that is likely to diverge."""
    if draw(st.booleans()):
        return _register(draw, RegClass.C)
    left = draw(st.sampled_from((f"$s{ID}", f"$s{LOCAL}", _register(draw, RegClass.S))))
    w.emit(f"and_u32 $s{SCRATCH}, {left}, {draw(st.sampled_from((1, 2, 3, 4, 7)))}")
    w.emit(f"cmp_{draw(st.sampled_from(('eq', 'ne', 'lt', 'gt')))}_u32 $c{TEST}, $s{SCRATCH}, "
           f"{draw(st.integers(0, 3))}")  # fmt: skip
    return f"$c{TEST}"


def _load(draw: st.DrawFn, w: Writer) -> None:
    """A load from the shared input at a data-dependent place, of any type."""
    row = draw(st.sampled_from(_LOADS))
    assert row.type is not None
    assert row.segment is not None
    size = row.type.size
    is_table = row.segment.value == "readonly"
    elements = (len(CONSTANTS) if is_table else INPUT_WORDS) * 4 // size
    w.emit(f"and_u32 $s{SCRATCH}, {_register(draw, RegClass.S)}, {elements - 1}")
    dst = _register(draw, row.type.reg)
    if is_table:
        w.emit(f"mul_u32 $s{SCRATCH}, $s{SCRATCH}, {size}")
        w.emit(f"{row.name} {dst}, [TABLE+$s{SCRATCH}]")
        return
    w.emit(f"cvt_u64_u32 $d{ADDRESS}, $s{SCRATCH}")
    w.emit(f"mad_u64 $d{ADDRESS}, $d{ADDRESS}, {size}, $d{INPUT}")
    w.emit(f"{row.name} {dst}, [$d{ADDRESS}]")


def _private(draw: st.DrawFn, w: Writer) -> None:
    """A store to private memory and a load back, perhaps of another width."""
    size = draw(st.sampled_from((1, 2, 4, 8)))
    source = _register(draw, RegClass.D if size == 8 else RegClass.S)
    place = draw(st.integers(0, 3)) * 8
    w.emit(f"st_private_u{size * 8} {source}, [mine+{place}]")
    type_ = draw(st.sampled_from(("u8", "s8", "u16", "s16", "u32", "s32", "f32")))
    w.emit(f"ld_private_{type_} {_register(draw, RegClass.S)}, [mine+{place}]")


def _atomic(draw: st.DrawFn, w: Writer) -> None:
    """One atomic without a result. Each place has one operation and type, so all orders agree."""
    row = draw(st.sampled_from(_ATOMICS))
    assert row.type is not None
    assert row.segment is not None
    # Rows are dealt out over the places: one place never sees two different operations.
    place = _ATOMICS.index(row) * 8
    source = _register(draw, row.type.reg)
    if row.segment.value == "group":
        w.atomics.add(place)
        w.emit(f"{row.name} [counts+{place}], {source}")
    else:
        w.emit(f"{row.name} [$d{SHARED}+{place}], {source}")


def _if(draw: st.DrawFn, w: Writer) -> None:
    condition = _condition(draw, w)
    end, other = w.label(), w.label()
    has_else = draw(st.booleans())
    w.emit(f"cbr {condition}, {other if has_else else end}")
    _pieces(draw, w)
    if has_else:
        w.emit(f"br {end}")
        w.place(other)
        _pieces(draw, w)
    w.place(end)


def _loop(draw: st.DrawFn, w: Writer) -> None:
    """A counted loop; the count may differ from lane to lane, and there may be early exits."""
    head, end = w.label(), w.label()
    counter = f"$s{COUNTERS + w.depth}"
    if draw(st.booleans()):
        w.emit(f"and_u32 {counter}, {draw(st.sampled_from((f'$s{ID}', '$s0', '$s1')))}, 3")
    else:
        w.emit(f"mov_u32 {counter}, {draw(st.integers(0, 3))}")
    w.place(head)
    _pieces(draw, w)
    for _ in range(draw(st.integers(0, 2))):
        w.emit(f"cbr {_condition(draw, w)}, {end}")
        _pieces(draw, w, most=2)
    w.emit(f"cmp_eq_u32 $c{TEST}, {counter}, 0")
    w.emit(f"sub_u32 {counter}, {counter}, 1")
    _spend(w, end)
    w.emit(f"not_b1 $c{TEST}, $c{TEST}")
    w.emit(f"cbr $c{TEST}, {head}")
    w.place(end)


def _leave(draw: st.DrawFn, w: Writer) -> None:
    """Some work-items return here."""
    stay = w.label()
    w.emit(f"cbr {_condition(draw, w)}, {stay}")
    w.emit("ret")
    w.place(stay)


def _spend(w: Writer, out: str) -> None:
    """Take a unit of fuel; a work-item without any leaves. Keeps the test register."""
    w.emit(f"cmp_eq_u32 $c{TEST + 1}, $s{FUEL_LEFT}, 0")
    w.emit(f"cbr $c{TEST + 1}, {out}")
    w.emit(f"sub_u32 $s{FUEL_LEFT}, $s{FUEL_LEFT}, 1")


def _gotos(draw: st.DrawFn, w: Writer) -> None:
    """Blocks that branch to any other, forwards and backwards, conditionally or not."""
    _blocks(draw, w, backward=True)


def _blocks(draw: st.DrawFn, w: Writer, *, backward: bool) -> None:
    n = draw(st.integers(2, 6))
    places = [w.label() for _ in range(n + 1)]
    end = places[-1]
    for here in range(n):
        w.place(places[here])
        _pieces(draw, w, most=2, flat=True)
        if not draw(st.booleans()):
            continue
        there = draw(st.integers(0 if backward else here + 1, n))
        if there <= here:
            _spend(w, end)
        if draw(st.integers(0, 3)):
            condition = _condition(draw, w)
            w.emit(f"cbr {condition}, {places[there]}")
        else:
            w.emit(f"br {places[there]}")
    w.place(end)


def _exchange(draw: st.DrawFn, w: Writer) -> None:
    """Through a barrier: everyone writes its own place in group memory and reads a neighbour's."""
    w.barriers = True
    source = _register(draw, RegClass.S)
    w.emit(f"mul_u32 $s{SCRATCH}, $s{LOCAL}, 4")
    w.emit(f"st_group_u32 {source}, [swap+$s{SCRATCH}]")
    w.emit("barrier")
    w.emit(f"xor_u32 $s{SCRATCH}, $s{LOCAL}, {draw(st.sampled_from((1, 2, 5)))}")
    w.emit(f"and_u32 $s{SCRATCH}, $s{SCRATCH}, {MAX_GROUP - 1}")
    w.emit(f"mul_u32 $s{SCRATCH}, $s{SCRATCH}, 4")
    w.emit(f"ld_group_u32 {_register(draw, RegClass.S)}, [swap+$s{SCRATCH}]")
    w.emit("barrier")


_FLAT = (_compute, _compute, _compute, _load, _private, _atomic)
_NESTED = (*_FLAT, _if, _loop, _gotos)


def _pieces(draw: st.DrawFn, w: Writer, *, most: int = 3, flat: bool = False) -> None:
    choices = _FLAT if flat or w.depth >= 3 else w.nested
    w.depth += 1
    for _ in range(draw(st.integers(0, most))):
        draw(st.sampled_from(choices))(draw, w)
    w.depth -= 1


def _uniform_loop(draw: st.DrawFn, w: Writer) -> None:
    """A loop that all work-items run equally often, so that barriers may stand in it."""
    head = w.label()
    counter = f"$s{COUNTERS + 10}"
    w.emit(f"mov_u32 {counter}, {draw(st.integers(1, 3))}")
    w.place(head)
    for _ in range(draw(st.integers(1, 2))):
        draw(st.sampled_from((*w.nested, _exchange)))(draw, w)
    w.emit(f"sub_u32 {counter}, {counter}, 1")
    w.emit(f"cmp_ne_u32 $c{TEST}, {counter}, 0")
    w.emit(f"cbr $c{TEST}, {head}")


_HEAD = f"""\
.readonly u32 TABLE[{len(CONSTANTS)}] = {{ {", ".join(map(hex, CONSTANTS))} }}
kernel random(u32 %n, global u32* %out, global u32* %input, global u64* %shared) {{
    .group u32 swap[{MAX_GROUP}]
    .group u64 counts[{len(_ATOMICS)}]
    .private u64 mine[4]
    workitemflatabsid_u32 $s{ID}
    workitemflatid_u32 $s{LOCAL}
    ld_kernarg_u64 $d{ROW_BASE}, [%out]
    ld_kernarg_u64 $d{INPUT}, [%input]
    ld_kernarg_u64 $d{SHARED}, [%shared]
    mov_u32 $s{FUEL_LEFT}, {FUEL}
    cvt_u64_u32 $d{ADDRESS}, $s{ID}
    mad_u64 $d{ROW_BASE}, $d{ADDRESS}, {OUT_WORDS * 4}, $d{ROW_BASE}
    mov_u32 $s0, $s{ID}
    ld_global_u32 $s1, [$d{INPUT}]
    cvt_f32_u32 $s2, $s{ID}
    cvt_f64_u32 $d0, $s{ID}
    xor_u32 $s3, $s{ID}, 0x5a5a5a5a
    cmp_gt_u32 $c0, $s{LOCAL}, 2"""


def _tail(w: Writer) -> list[str]:
    """Store every working register, and the workgroup's atomics when all have done theirs."""
    place = 0
    text: list[str] = []
    for i in range(WORKING[RegClass.S]):
        text.append(f"st_global_u32 $s{i}, [$d{ROW_BASE}+{place}]")
        place += 4
    for i in range(WORKING[RegClass.D]):
        # Rows have an odd number of words: the halves of a $d are stored one by one.
        text += [
            f"cvt_u32_u64 $s{SCRATCH}, $d{i}",
            f"st_global_u32 $s{SCRATCH}, [$d{ROW_BASE}+{place}]",
            f"shr_u64 $d{ADDRESS}, $d{i}, 32",
            f"cvt_u32_u64 $s{SCRATCH}, $d{ADDRESS}",
            f"st_global_u32 $s{SCRATCH}, [$d{ROW_BASE}+{place + 4}]",
        ]
        place += 8
    text.append(f"mov_u32 $s{SCRATCH}, 0")
    for i in range(WORKING[RegClass.C]):
        text += [
            f"cvt_u32_b1 $s{SCRATCH + 1}, $c{i}",
            f"mad_u32 $s{SCRATCH}, $s{SCRATCH}, 2, $s{SCRATCH + 1}",
        ]
    text.append(f"st_global_u32 $s{SCRATCH}, [$d{ROW_BASE}+{place}]")
    return ["    " + line for line in text]


def _group_atomics(w: Writer) -> None:
    """After a barrier, work-item 0 adds what the workgroup's atomics left to its own row."""
    end = w.label()
    w.emit("barrier")
    w.emit(f"cmp_ne_u32 $c{TEST}, $s{LOCAL}, 0")
    w.emit(f"cbr $c{TEST}, {end}")
    for place in sorted(w.atomics):
        w.emit(f"ld_group_u64 $d{ADDRESS}, [counts+{place}]")
        w.emit(f"add_u64 $d0, $d0, $d{ADDRESS}")
    w.place(end)


@st.composite
def kernels(draw: st.DrawFn, *, barriers: bool = True, gotos: bool = True) -> Case:
    """A random kernel with its launch. See the module's docstring for what it is made of.

    `barriers` allows barriers and group memory, `gotos` unstructured control flow.
    """
    w = Writer()
    if not gotos:
        w.nested = tuple(piece for piece in _NESTED if piece is not _gotos)
    # Work-items that leave early and barriers exclude each other.
    synchronises = barriers and draw(st.booleans())
    choices = [*w.nested, *((_exchange, _uniform_loop) if synchronises else (_leave,))]
    for _ in range(draw(st.integers(1, 6))):
        draw(st.sampled_from(choices))(draw, w)
    if w.atomics and synchronises:
        _group_atomics(w)
    return _case(draw, w)


@st.composite
def acyclic_kernels(draw: st.DrawFn) -> Case:
    """A kernel of blocks that branch forwards only, laid out in topological order."""
    w = Writer()
    for _ in range(draw(st.integers(1, 3))):
        _blocks(draw, w, backward=False)
    return _case(draw, w)


def _case(draw: st.DrawFn, w: Writer) -> Case:
    body = "\n".join([_HEAD, *w.lines, *_tail(w), "    ret", "}"]) + "\n"
    group = draw(st.integers(1, MAX_GROUP))
    items = draw(st.integers(1, 3 * MAX_GROUP))
    width = draw(st.sampled_from((1, 2, 4, 7, 8, 16, 32, 64)))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    return Case(
        body,
        Geometry.of(items=items, group_size=group, width=width),
        (
            items,
            np.zeros(items * OUT_WORDS, np.uint32),
            rng.integers(0, 2**32, INPUT_WORDS, np.uint32),
            np.zeros(len(_ATOMICS), np.uint64),
        ),
    )
