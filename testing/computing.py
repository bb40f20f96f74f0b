"""Statements of random kernels that branch nowhere: computing, memory, atomics; and conditions."""

from __future__ import annotations

from ..isa.table import TABLE, Flags, Format, OperandKind, Row, Unit
from ..isa.types import B1, RegClass, Segment, Type
from .choices import Choices
from .writer import (
    ADDRESS,
    CONSTANTS,
    GROUP,
    ID,
    INPUT,
    INPUT_WORDS,
    LOCAL,
    MEMORY,
    OTHER_TEST,
    PRIVATE_WORDS,
    SCRATCH,
    SHARED,
    TEST,
    WIDE_SCRATCH,
    WORKING,
    Layout,
    Writer,
)

COMPUTING = tuple(
    row
    for row in TABLE
    if row.format is Format.ALU and row.unit not in (Unit.CONTROL, Unit.SYNC, Unit.ID)
)
_BY_STEM: dict[str, list[Row]] = {}
for _row in COMPUTING:
    _BY_STEM.setdefault(_row.stem, []).append(_row)
_STEMS = sorted(_BY_STEM)


def _accesses(kind: str, *segments: Segment) -> tuple[Row, ...]:
    return tuple(r for r in TABLE if r.stem == kind and r.segment in segments)


_LOADS = _accesses("ld", Segment.GLOBAL, Segment.READONLY)
_STORES = _accesses("st", Segment.GLOBAL, Segment.GROUP)
_PRIVATE_STORES = _accesses("st", Segment.PRIVATE)
_PRIVATE_LOADS = _accesses("ld", Segment.PRIVATE)
_ATOMICS = tuple(r for r in TABLE if r.is_atomic and r.stem not in ("atomic_exch", "atomic_cas"))
_EXCHANGES = tuple(r for r in TABLE if r.stem in ("atomic_exch", "atomic_cas"))

SPREAD = (0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35, 0x27D4EB2F, 0x165667B1, 0x7FEB352D)
"""Odd multipliers that mix the bits of a number into its upper ones."""

PATTERNS = ("contiguous", "strided", "reversed", "scattered")
"""How the elements of neighbouring work-items lie."""


def register(c: Choices, cls: RegClass) -> str:
    """Return a working register."""
    return f"${cls.value}{c.integer(0, WORKING[cls] - 1)}"


def _immediate(c: Choices, type_: Type) -> str:
    if type_ is B1:
        return str(c.integer(0, 1))
    if type_.is_float:
        return c.one_of(("0.0", "-0.0", "1.0", "-1.5", "0.1015625", "inf", "nan", "1024.0"))
    small = c.integer(0, 40)
    return str(-small if type_.is_signed and c.boolean() else small)


def _source(c: Choices, kind: OperandKind, type_: Type, immediate: bool) -> str:
    if immediate and kind is OperandKind.SRC and type_.bits >= 32:
        return _immediate(c, type_)
    return register(c, type_.reg)


def mark(c: Choices, w: Writer) -> None:
    """Change a register so that it shows which path a work-item took, and how often."""
    name = f"$s{c.integer(0, 1)}"
    w.emit(f"{c.one_of(('add', 'mul', 'xor'))}_u32 {name}, {name}, {2 * c.integer(1, 99) + 1}")


def compute(c: Choices, w: Writer) -> None:
    """Emit one computing instruction; divisors are made odd, so that nothing traps."""
    row = c.one_of(_BY_STEM[c.one_of(_STEMS)])
    assert row.dst is not None
    assert row.dst.type is not None
    operands = [register(c, row.dst.type.reg)]
    sources = row.srcs
    immediate_position = c.integer(0, len(sources) * 2)
    for position, operand in enumerate(sources):
        assert operand.type is not None
        operands.append(_source(c, operand.kind, operand.type, position == immediate_position))
    if Flags.MAY_TRAP in row.flags:
        assert row.type is not None
        odd = f"$d{WIDE_SCRATCH}" if row.type.bits == 64 else f"$s{SCRATCH}"
        w.emit(f"or_u{row.type.bits} {odd}, {register(c, row.type.reg)}, 1")
        operands[2] = odd
        if not operands[1].startswith("$"):
            operands[1] = register(c, row.type.reg)
    if row.literals:
        assert row.type is not None
        position = c.integer(0, row.type.bits - 1)
        operands += [str(position), str(c.integer(1, row.type.bits - position))]
    w.emit(f"{row.name} {', '.join(operands)}")


# --- conditions


def condition(c: Choices, w: Writer) -> str:
    """Return a $c register that probably differs between lanes, inside other branches too."""
    how = c.integer(0, 9)
    if how == 8:
        return register(c, RegClass.C)
    if how == 9:
        _test(c, w, TEST)
        _test(c, w, OTHER_TEST)
        w.emit(f"{c.one_of(('xor', 'and', 'or'))}_b1 $c{TEST}, $c{TEST}, $c{OTHER_TEST}")
    else:
        _test(c, w, TEST)
    return f"$c{TEST}"


def _test(c: Choices, w: Writer, number: int) -> None:
    """Emit a comparison of bits of the lane's number, data, loop counters, or a mix."""
    of_lane = (f"$s{LOCAL}", f"$s{ID}")
    source = c.one_of((*of_lane, "$s1", "$s3", register(c, RegClass.S), *w.counters[-2:]))
    how = c.integer(0, 5)
    if how == 0 and source in of_lane:
        w.emit(f"cmp_{c.one_of(('lt', 'ge'))}_u32 $c{number}, {source}, {c.integer(1, 4)}")
        return
    if w.counters and source in (*of_lane, "$s1") and c.boolean():
        w.emit(f"add_u32 $s{SCRATCH}, {source}, {w.counters[-1]}")
        source = f"$s{SCRATCH}"
    if how == 1:
        w.emit(f"and_u32 $s{SCRATCH}, {source}, {c.one_of((1, 2, 3, 4))}")
        w.emit(f"cmp_{c.one_of(('ne', 'eq'))}_u32 $c{number}, $s{SCRATCH}, 0")
        return
    w.emit(f"mul_u32 $s{SCRATCH}, {source}, {c.one_of(SPREAD):#x}")
    bound = c.one_of((0x80000000, 0x80000000, 0x40000000, 0xC0000000))
    w.emit(f"cmp_lt_u32 $c{number}, $s{SCRATCH}, {bound:#x}")


def uniform_condition(c: Choices, w: Writer) -> str:
    """Return a $c register that all work-items of a workgroup agree about."""
    source = c.one_of((f"$s{GROUP}", *w.uniform))
    w.emit(f"and_u32 $s{SCRATCH}, {source}, {c.one_of((1, 2))}")
    w.emit(f"cmp_{c.one_of(('ne', 'eq'))}_u32 $c{TEST}, $s{SCRATCH}, 0")
    return f"$c{TEST}"


# --- memory


def load(c: Choices, w: Writer) -> None:
    """Emit a load of any type from the input or the table: own, strided, scattered, one place."""
    row = c.one_of(_LOADS)
    assert row.type is not None
    assert row.segment is not None
    size = row.type.size
    is_table = row.segment is Segment.READONLY
    elements = (len(CONSTANTS) if is_table else INPUT_WORDS) * 4 // size
    source = c.one_of((f"$s{ID}", register(c, RegClass.S), "strided", "one"))
    if source == "strided":
        w.emit(f"mul_u32 $s{SCRATCH}, $s{ID}, {c.one_of((2, 3, 5))}")
        source = f"$s{SCRATCH}"
    if source == "one":
        w.emit(f"mov_u32 $s{SCRATCH}, {c.integer(0, elements - 1)}")
    else:
        w.emit(f"and_u32 $s{SCRATCH}, {source}, {elements - 1}")
    target = register(c, row.type.reg)
    if is_table:
        w.emit(f"mul_u32 $s{SCRATCH}, $s{SCRATCH}, {size}")
        w.emit(f"{row.name} {target}, [TABLE+$s{SCRATCH}]")
        return
    w.emit(f"cvt_u64_u32 $d{ADDRESS}, $s{SCRATCH}")
    w.emit(f"mad_u64 $d{ADDRESS}, $d{ADDRESS}, {size}, $d{INPUT}")
    w.emit(f"{row.name} {target}, [$d{ADDRESS}]")


def own(c: Choices, w: Writer) -> None:
    """Emit a store to the work-item's own element of global or group memory, perhaps a load."""
    row = c.one_of(_STORES)
    assert row.type is not None
    assert row.segment is not None
    address = _own_place(c, w, row.segment, row.type.size)
    w.emit(f"{row.name} {register(c, row.type.reg)}, {address}")
    if c.boolean():
        back = c.one_of([
            r for r in _accesses("ld", row.segment) if r.type and r.type.size == row.type.size
        ])  # fmt: skip
        assert back.type is not None
        w.emit(f"{back.name} {register(c, back.type.reg)}, {address}")


def _own_place(c: Choices, w: Writer, segment: Segment, size: int) -> str:
    """Return the address of an element that no other work-item touches."""
    pattern = c.one_of(PATTERNS)
    of_group = segment is Segment.GROUP
    layout, index = (w.tile, f"$s{LOCAL}") if of_group else (w.memory, f"$s{ID}")
    _permute(c, w, layout, index, pattern)
    offset = layout.offset(size, pattern)
    if of_group:
        w.emit(f"mul_u32 $s{SCRATCH}, $s{SCRATCH}, {size}")
        return f"[tile+$s{SCRATCH}+{offset}]"
    w.emit(f"cvt_u64_u32 $d{ADDRESS}, $s{SCRATCH}")
    w.emit(f"mad_u64 $d{ADDRESS}, $d{ADDRESS}, {size}, $d{MEMORY}")
    return f"[$d{ADDRESS}+{offset}]"


def _permute(c: Choices, w: Writer, layout: Layout, index: str, pattern: str) -> None:
    match pattern:
        case "contiguous":
            w.emit(f"mov_u32 $s{SCRATCH}, {index}")
        case "strided":
            w.emit(f"mul_u32 $s{SCRATCH}, {index}, 3")
        case "reversed":
            w.emit(f"sub_u32 $s{SCRATCH}, {layout.n - 1}, {index}")
        case _:
            # An odd multiplier only permutes the numbers below a power of two; a region has one.
            w.emit(f"mul_u32 $s{SCRATCH}, {index}, {SPREAD[0]:#x}")
            w.emit(f"and_u32 $s{SCRATCH}, $s{SCRATCH}, {layout.n - 1}")


def private(c: Choices, w: Writer) -> None:
    """Emit a store to private memory and a load, perhaps of another width or place."""
    row = c.one_of(_PRIVATE_STORES)
    assert row.type is not None
    address = _private_place(c, w, row.type.size)
    w.emit(f"{row.name} {register(c, row.type.reg)}, {address}")
    again = c.one_of(_PRIVATE_LOADS)
    assert again.type is not None
    if again.type.size > row.type.size or c.boolean():
        address = _private_place(c, w, again.type.size)
    w.emit(f"{again.name} {register(c, again.type.reg)}, {address}")


def _private_place(c: Choices, w: Writer, size: int) -> str:
    """Return a place in an element of private memory: one for all lanes, or of each lane's own."""
    place = c.integer(0, PRIVATE_WORDS - 1) * 8
    inner = c.integer(0, 8 // size - 1) * size
    how = c.integer(0, 2)
    if how == 0:
        return f"[mine+{place + inner}]"
    of_all = (f"$s{GROUP}", *w.uniform, *w.counters[-1:])
    source = c.one_of(of_all) if how == 1 else register(c, RegClass.S)
    if c.boolean():
        w.emit(f"and_u32 $s{SCRATCH}, {source}, {PRIVATE_WORDS * 8 // size - 1}")
        w.emit(f"mul_u32 $s{SCRATCH}, $s{SCRATCH}, {size}")
        return f"[mine+$s{SCRATCH}]"
    w.emit(f"and_u32 $s{SCRATCH}, {source}, {PRIVATE_WORDS - 1}")
    w.emit(f"mul_u32 $s{SCRATCH}, $s{SCRATCH}, 8")
    return f"[mine+$s{SCRATCH}+{inner}]"


# --- values of 8 and 16 bits

_SMALL_LOADS = tuple(
    r for r in _LOADS if r.segment is Segment.GLOBAL and r.type is not None and r.type.bits < 32
)
_NARROW = tuple(
    row
    for stem in (
        "add sub mul mad and or xor not neg abs shl shr min max select bitextract"
        " cmp_eq cmp_ne cmp_lt cmp_le cmp_gt cmp_ge"
    ).split()
    for row in _BY_STEM[stem]
    if row.type is not None and row.type.name in ("u32", "s32")
)
_SMALL_NUMBERS = (0, 1, 2, 3, 7, 8, 15, 31, 33, 127, 128, 255, 256, 1000, 32767, 32768, 65535)


def narrow(c: Choices, w: Writer) -> None:
    """Emit loads of small integers and arithmetic on them, whose results are often small too."""
    values: list[str] = []
    for _ in range(c.integer(1, 2)):
        row = c.one_of(_SMALL_LOADS)
        assert row.type is not None
        w.emit(f"and_u32 $s{SCRATCH}, $s{ID}, {INPUT_WORDS * 4 // row.type.size - 1}")
        w.emit(f"cvt_u64_u32 $d{ADDRESS}, $s{SCRATCH}")
        w.emit(f"mad_u64 $d{ADDRESS}, $d{ADDRESS}, {row.type.size}, $d{INPUT}")
        values.append(register(c, RegClass.S))
        w.emit(f"{row.name} {values[-1]}, [$d{ADDRESS}]")
    for _ in range(c.integer(1, 2)):
        row = c.one_of(_NARROW)
        assert row.dst is not None
        assert row.dst.type is not None
        assert row.type is not None
        operands = [register(c, row.dst.type.reg)]
        constants = 0
        for operand in row.srcs:
            assert operand.type is not None
            is_count = row.stem in ("shl", "shr") and len(operands) == 2
            if operand.type is B1:
                operands.append(register(c, RegClass.C))
            elif constants == 0 and operand.kind is OperandKind.SRC and (is_count or c.boolean()):
                number = c.one_of(_SMALL_NUMBERS)
                operands.append(str(-number if operand.type.is_signed and c.boolean() else number))
                constants += 1
            else:
                operands.append(c.one_of(values))
        if row.literals:
            position = c.integer(0, 12)
            operands += [str(position), str(c.integer(1, 16))]
        w.emit(f"{row.name} {', '.join(operands)}")
        if row.dst.type is not B1:
            values.append(operands[0])


# --- atomics


def atomic(c: Choices, w: Writer) -> None:
    """Emit an atomic whose order does not matter, or one on the work-item's own element."""
    row = c.one_of(_EXCHANGES) if c.integer(0, 3) == 3 else c.one_of(_ATOMICS)
    assert row.type is not None
    assert row.segment is not None
    sources = ", ".join(register(c, row.type.reg) for _ in row.srcs)
    if row in _EXCHANGES:
        address = _own_place(c, w, row.segment, row.type.size)
        w.emit(f"{row.name} {register(c, row.type.reg)}, {address}, {sources}")
        return
    # Rows are dealt out over the places: one place never sees two different operations.
    place = _ATOMICS.index(row) * 8
    if row.segment is Segment.GROUP:
        w.counts.add(place)
        w.emit(f"{row.name} [counts+{place}], {sources}")
    else:
        w.emit(f"{row.name} [$d{SHARED}+{place}], {sources}")


FLAT = (mark, compute, compute, load, own, private, narrow, atomic)
