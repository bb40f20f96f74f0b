"""The instruction table: the single source of truth of the ISA.

One `Op` per stem, aligned by columns; `TABLE` holds one `Row` per legal mix of stem, type and
segment. Grammar, encoder, decoder, verifier, disassembler, the dispatch of every executor and
docs/isa.md come from it or are checked against it by tests that walk it.

Operand shapes are words, one per operand in source order:

    d       destination register            s       source: register or immediate
    d:u32   of another type than the row's  s:u32   likewise
    d?      destination that may be absent  r       source: register only
    m       memory operand                  s:2     source of the row's second type (cvt)
    t       branch target                   j       re-convergence point (and flags)
    dim     literal 0, 1 or 2               code    literal trap code, 0 where absent
    pos     literal bit position            len     literal bit count

Opcode numbers are positions in `TABLE`: append new stems at the end of `OPS`, never in between,
or raise `ISA_VERSION` (object files carry it).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Flag, StrEnum, auto

from .types import (
    B1,
    F32,
    FLOAT,
    INT,
    MEMORY,
    NUM,
    S32,
    S64,
    SMALL,
    TYPES,
    U32,
    U64,
    Segment,
    Type,
)

ISA_VERSION = 1


class Unit(StrEnum):
    """The functional unit, by which timing and energy models class an instruction."""

    MOVE = "move"
    INT = "int"
    FLOAT = "float"
    DIV = "div"
    COMPLEX = "complex"
    MEMORY = "memory"
    CONTROL = "control"
    SYNC = "sync"
    ID = "id"


class Flags(Flag):
    """Properties that do not follow from the operand shape."""

    NONE = 0
    COMMUTES = auto()
    """The two sources may be exchanged."""
    BRANCH = auto()
    """Has a target."""
    ENDS = auto()
    """Control never continues at the next instruction."""
    CROSS_LANE = auto()
    """The value depends on which lanes issue together, thus on the divergence scheme."""
    MAY_TRAP = auto()
    """Traps on some operand values (memory instructions all may, and do not say so)."""
    SYNC = auto()
    """A barrier, a fence or a marker of re-convergence."""
    READS_DST = auto()
    """The old value of the destination is a source too."""


class Format(StrEnum):
    """The three layouts of an instruction word (isa/encoding.py)."""

    ALU = "alu"
    MEMORY = "memory"
    BRANCH = "branch"


class OperandKind(StrEnum):
    """What an operand is."""

    DST = "d"
    SRC = "s"
    REG = "r"
    MEM = "m"
    TARGET = "t"
    JOIN = "j"
    DIM = "dim"
    POS = "pos"
    LEN = "len"
    CODE = "code"


LITERALS = (OperandKind.DIM, OperandKind.POS, OperandKind.LEN, OperandKind.CODE)


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand of a row. `type` is None for addresses, labels and literals."""

    kind: OperandKind
    type: Type | None
    optional: bool = False

    def describe(self) -> str:
        """Return what the operand can be, in the words of an error message."""
        kind, type_ = self.kind, self.type
        if type_ is not None:
            reg = f"a ${type_.reg.value} register"
            return f"{reg} or {type_} immediate" if kind is OperandKind.SRC else reg
        return {
            OperandKind.MEM: "an address in brackets, as [$d0+8]",
            OperandKind.TARGET: "a label, as @done",
            OperandKind.JOIN: "the label of the re-convergence point, or none",
            OperandKind.DIM: "a dimension: 0, 1 or 2",
            OperandKind.POS: "a constant bit position",
            OperandKind.LEN: "a constant number of bits",
            OperandKind.CODE: "a constant trap code from 0 to 65535",
        }[kind]


@dataclass(frozen=True, slots=True)
class Op:
    """A stem of the table, from which rows are generated.

    `name` is a pattern over {stem}, {type}, {src} and {segment}; `means` is pseudo-code in which d
    is the destination and a, b, c are the sources in order.
    """

    stem: str
    types: tuple[Type, ...] | None
    operands: str
    unit: Unit
    means: str
    doc: str
    flags: Flags = Flags.NONE
    sources: tuple[Type, ...] = ()
    segments: tuple[Segment, ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One instruction of the ISA: its mnemonic, operands and properties."""

    number: int
    name: str
    stem: str
    type: Type | None
    source: Type | None
    segment: Segment | None
    operands: tuple[Operand, ...]
    unit: Unit
    flags: Flags
    means: str
    doc: str
    # What is asked of each instruction many times, while its kernel is compiled:
    has_address: bool = field(init=False, repr=False, compare=False)
    is_memory: bool = field(init=False, repr=False, compare=False)
    """Accesses memory (computing an address with `lda` does not)."""
    dst: Operand | None = field(init=False, repr=False, compare=False)
    """The destination operand."""
    srcs: tuple[Operand, ...] = field(init=False, repr=False, compare=False)
    """The source operands (registers and immediates), in source order."""

    def __post_init__(self) -> None:
        kinds = [operand.kind for operand in self.operands]
        destinations = [o for o in self.operands if o.kind is OperandKind.DST]
        sources = tuple(o for o in self.operands if o.kind in (OperandKind.SRC, OperandKind.REG))
        has_address = OperandKind.MEM in kinds
        object.__setattr__(self, "has_address", has_address)
        object.__setattr__(self, "is_memory", self.unit is Unit.MEMORY and has_address)
        object.__setattr__(self, "dst", destinations[0] if destinations else None)
        object.__setattr__(self, "srcs", sources)

    def __repr__(self) -> str:
        return f"Row({self.name})"

    @property
    def format(self) -> Format:
        """The layout of the word, which follows from the operands."""
        if Flags.BRANCH in self.flags:
            return Format.BRANCH
        return Format.MEMORY if self.has_address else Format.ALU

    @property
    def literals(self) -> tuple[Operand, ...]:
        """The operands that are constants of the instruction, in source order."""
        return tuple(o for o in self.operands if o.kind in LITERALS)

    @property
    def is_branch(self) -> bool:
        return Flags.BRANCH in self.flags

    @property
    def is_conditional(self) -> bool:
        return self.stem == "cbr"

    @property
    def is_load(self) -> bool:
        return self.stem == "ld"

    @property
    def is_store(self) -> bool:
        return self.stem == "st"

    @property
    def is_atomic(self) -> bool:
        return self.stem.startswith("atomic_")

    @property
    def is_barrier(self) -> bool:
        return self.stem == "barrier"

    @property
    def is_marker(self) -> bool:
        """Marks a re-convergence point for the explicit schemes (`reconverge`)."""
        return self.stem == "reconverge"

    @property
    def is_trap(self) -> bool:
        return self.stem == "trap"

    @property
    def is_identity(self) -> bool:
        """Reads an identity of the work-item, its lane or its warp, or the clock."""
        return self.unit is Unit.ID

    @property
    def reads_clock(self) -> bool:
        return self.stem == "clock"

    @property
    def ends_work_item(self) -> bool:
        """Control does not continue anywhere: `ret` and `trap`."""
        return Flags.ENDS in self.flags and not self.is_branch

    @property
    def falls_through(self) -> bool:
        """Control may continue at the next instruction."""
        return Flags.ENDS not in self.flags

    @property
    def ends_block(self) -> bool:
        """The last instruction of a basic block: a branch, or the end of a work-item."""
        return self.is_branch or Flags.ENDS in self.flags


_BITS = (U32, U64)
_ALL_BITS = (B1, *_BITS)
_GLOBAL_GROUP = (Segment.GLOBAL, Segment.GROUP)
_STORES = (Segment.GLOBAL, Segment.GROUP, Segment.PRIVATE)
_LOADS = (*_STORES, Segment.KERNARG, Segment.READONLY)
_OFFSETS = (Segment.GROUP, Segment.PRIVATE, Segment.READONLY)
_CVT = (B1, *SMALL, *NUM)
_SIGNED = (S32, S64, *FLOAT)
_C = Flags.COMMUTES
_NO = Flags.NONE
_TRAP = Flags.MAY_TRAP
_LANES = Flags.CROSS_LANE
_ST = "{stem}_{segment}_{type}"

# fmt: off
OPS: tuple[Op, ...] = (
    # --- moves
    Op("mov",        _ALL_BITS, "d s",         Unit.MOVE,  "d = a",                          "Copies bits."),
    Op("movhi",      (U64,),    "d s:u32",     Unit.MOVE,  "d = (a << 32) | (d & 0xffffffff)", "Sets the upper half and keeps the lower one; `mov_u64 $d, imm64` becomes mov + movhi.", Flags.READS_DST),
    Op("select",     (B1, *NUM), "d s:b1 s s", Unit.MOVE,  "d = a ? b : c",                  "Takes the second source if the first is true, else the third; keeps bits."),
    Op("lda",        (U32,),    "d m",         Unit.INT,   "d = offset of the address in its segment", "The address of a group, private or readonly symbol as a 32-bit offset.", segments=_OFFSETS, name=_ST),
    # --- arithmetic
    Op("add",        NUM,       "d s s",       Unit.INT,   "d = a + b",                      "Sum; integers wrap.", _C),
    Op("sub",        NUM,       "d s s",       Unit.INT,   "d = a - b",                      "Difference; integers wrap."),
    Op("mul",        NUM,       "d s s",       Unit.INT,   "d = a * b",                      "Product; integers keep the low half.", _C),
    Op("mulhi",      INT,       "d s s",       Unit.INT,   "d = (a * b) >> bits",            "The high half of the full product, in the type's signedness.", _C),
    Op("mad",        INT,       "d s s s",     Unit.INT,   "d = a * b + c",                  "Multiply and add; wraps."),
    Op("fma",        FLOAT,     "d s s s",     Unit.FLOAT, "d = a * b + c, rounded once",    "Fused multiply-add."),
    Op("div",        NUM,       "d s s",       Unit.DIV,   "d = a / b",                      "Quotient; integers truncate towards zero, INT_MIN / -1 = INT_MIN, and division by zero traps.", _TRAP),
    Op("rem",        INT,       "d s s",       Unit.DIV,   "d = a - b * trunc(a / b)",       "Remainder with the dividend's sign; INT_MIN rem -1 = 0; division by zero traps.", _TRAP),
    Op("min",        NUM,       "d s s",       Unit.INT,   "d = a < b ? a : b",              "The lesser; for floats the number wins over NaN, and -0 < +0.", _C),
    Op("max",        NUM,       "d s s",       Unit.INT,   "d = a > b ? a : b",              "The greater; for floats the number wins over NaN, and -0 < +0.", _C),
    Op("abs",        _SIGNED,   "d s",         Unit.INT,   "d = |a|",                        "Magnitude; abs(INT_MIN) wraps; a float only loses its sign bit."),
    Op("neg",        _SIGNED,   "d s",         Unit.INT,   "d = -a",                         "Negation; a float only changes its sign bit."),
    Op("sqrt",       FLOAT,     "d s",         Unit.DIV,   "d = sqrt(a)",                    "Square root, correctly rounded; NaN below -0."),
    Op("rsqrt",      FLOAT,     "d s",         Unit.DIV,   "d = 1 / sqrt(a)",                "Reciprocal square root: sqrt, then division, each rounded."),
    Op("floor",      FLOAT,     "d s",         Unit.FLOAT, "d = floor(a)",                   "Rounds towards minus infinity to an integral value."),
    Op("ceil",       FLOAT,     "d s",         Unit.FLOAT, "d = ceil(a)",                    "Rounds towards plus infinity to an integral value."),
    Op("trunc",      FLOAT,     "d s",         Unit.FLOAT, "d = trunc(a)",                   "Rounds towards zero to an integral value."),
    Op("rint",       FLOAT,     "d s",         Unit.FLOAT, "d = rint(a)",                    "Rounds to the nearest integral value, ties to even."),
    Op("sin",        (F32,),    "d s",         Unit.COMPLEX, "d = sin(a)",                   "Sine of radians, at most 2 ulp off."),
    Op("cos",        (F32,),    "d s",         Unit.COMPLEX, "d = cos(a)",                   "Cosine of radians, at most 2 ulp off."),
    Op("exp2",       (F32,),    "d s",         Unit.COMPLEX, "d = 2 ^ a",                    "Power of two, at most 2 ulp off."),
    Op("log2",       (F32,),    "d s",         Unit.COMPLEX, "d = log2(a)",                  "Logarithm to base two, at most 2 ulp off; NaN below -0, minus infinity at 0."),
    # --- bits
    Op("and",        _ALL_BITS, "d s s",       Unit.INT,   "d = a & b",                      "Bitwise and.", _C),
    Op("or",         _ALL_BITS, "d s s",       Unit.INT,   "d = a | b",                      "Bitwise or.", _C),
    Op("xor",        _ALL_BITS, "d s s",       Unit.INT,   "d = a ^ b",                      "Bitwise exclusive or.", _C),
    Op("not",        _ALL_BITS, "d s",         Unit.INT,   "d = ~a",                         "Bitwise complement."),
    Op("shl",        INT,       "d s s:u32",   Unit.INT,   "d = a << (b mod bits)",          "Shifts left; the count is taken modulo the width."),
    Op("shr",        INT,       "d s s:u32",   Unit.INT,   "d = a >> (b mod bits)",          "Shifts right: zeros come in for u types, the sign for s types; the count is taken modulo the width."),
    Op("popcount",   _BITS,     "d:u32 s",     Unit.INT,   "d = number of one bits in a",    "Counts one bits."),
    Op("clz",        _BITS,     "d:u32 s",     Unit.INT,   "d = number of leading zero bits of a", "Counts leading zeros; the width for 0."),
    Op("bitextract", INT,       "d r pos len", Unit.INT,   "d = (a >> pos) & ((1 << len) - 1)", "Takes `len` bits from `pos` on; s types extend the sign of the field."),
    Op("bitinsert",  _BITS,     "d r r pos len", Unit.INT, "d = a with len bits from pos on replaced by the low bits of b", "Puts a field into a word."),
    # --- comparison (to $c)
    *(Op(f"cmp_{p}", NUM, "d:b1 s s", Unit.INT, f"d = a {o} b", doc, f) for p, o, doc, f in (
        ("eq", "==", "Equal; false where a float is NaN.", _C),
        ("ne", "!=", "Not equal; true where a float is NaN.", _C),
        ("lt", "<",  "Less; false where a float is NaN.", _NO),
        ("le", "<=", "Less or equal; false where a float is NaN.", _NO),
        ("gt", ">",  "Greater; false where a float is NaN.", _NO),
        ("ge", ">=", "Greater or equal; false where a float is NaN.", _NO),
    )),
    *(Op(f"cmp_{p}", FLOAT, "d:b1 s s", Unit.INT, f"d = {m}", doc, f) for p, m, doc, f in (
        ("equ", "a == b or either is NaN", "Equal or unordered.", _C),
        ("neo", "a != b and neither is NaN", "Not equal and ordered.", _C),
        ("ltu", "a < b or either is NaN",  "Less or unordered.", _NO),
        ("leu", "a <= b or either is NaN", "Less, equal or unordered.", _NO),
        ("gtu", "a > b or either is NaN",  "Greater or unordered.", _NO),
        ("geu", "a >= b or either is NaN", "Greater, equal or unordered.", _NO),
        ("num", "neither is NaN",          "Ordered: both are numbers.", _C),
        ("nan", "a or b is NaN",           "Unordered: at least one is NaN.", _C),
    )),
    # --- conversion: cvt_<destination>_<source>
    Op("cvt",        _CVT,      "d s:2",       Unit.FLOAT, "d = a converted",                "Integers extend or keep their low bits; float to integer truncates and saturates, NaN gives 0; to b1 is a != 0; other results round to nearest even.", sources=_CVT, name="{stem}_{type}_{src}"),
    # --- memory
    Op("ld",         MEMORY,    "d m",         Unit.MEMORY, "d = memory[address]",           "Loads; types under 32 bits are extended to the register.", segments=_LOADS, name=_ST),
    Op("st",         MEMORY,    "r m",         Unit.MEMORY, "memory[address] = a",           "Stores; types under 32 bits store their low bits.", segments=_STORES, name=_ST),
    *(Op(f"atomic_{o}", INT, "d? m r", Unit.MEMORY, f"d = memory[address]; memory[address] = {m}", f"Atomic {doc}; returns the old value in d if d is given.", segments=_GLOBAL_GROUP, name=_ST) for o, m, doc in (
        ("add", "d + a", "addition, wraps"),
        ("sub", "d - a", "subtraction, wraps"),
        ("min", "min(d, a)", "minimum"),
        ("max", "max(d, a)", "maximum"),
        ("and", "d & a", "bitwise and"),
        ("or",  "d | a", "bitwise or"),
        ("xor", "d ^ a", "bitwise exclusive or"),
        ("exch", "a", "exchange"),
    )),
    Op("atomic_cas", INT,       "d? m r r",    Unit.MEMORY, "d = memory[address]; if d == a: memory[address] = b", "Atomic compare and swap; returns the old value in d if d is given.", segments=_GLOBAL_GROUP, name=_ST),
    # --- control
    Op("br",         None,      "t",           Unit.CONTROL, "pc = t",                       "Jumps.", Flags.BRANCH | Flags.ENDS),
    Op("cbr",        None,      "r:b1 t j",    Unit.CONTROL, "if a: pc = t",                 "Lanes with a true go to t; j is the immediate post-dominator.", Flags.BRANCH),
    Op("ret",        None,      "",            Unit.CONTROL, "the work-item ends",           "Ends the work-item.", Flags.ENDS),
    Op("trap",       None,      "code",        Unit.CONTROL, "trap",                         "Ends the launch with the report `trap` and the code.", Flags.ENDS | _TRAP),
    Op("reconverge", None,      "",            Unit.CONTROL, "",                             "The explicit schemes re-converge here; others do nothing.", Flags.SYNC),
    Op("nop",        None,      "",            Unit.CONTROL, "",                             "Does nothing for one issue slot."),
    Op("barrier",    None,      "",            Unit.SYNC,  "wait for the workgroup",         "Waits until every work-item of the workgroup has reached it; orders memory among them.", Flags.SYNC | _TRAP),
    Op("memfence",   None,      "",            Unit.SYNC,  "wait for own stores",            "Waits until the work-item's own stores are visible.", Flags.SYNC),
    # --- identity
    *(Op(n, (U32,), "d dim", Unit.ID, f"d = {m}", doc) for n, m, doc in (
        ("workitemid", "index in the workgroup", "The work-item's index in its workgroup, per dimension."),
        ("workgroupid", "index of the workgroup", "The workgroup's index in the grid, per dimension."),
        ("workgroupsize", "work-items per workgroup", "The size of a whole workgroup, per dimension."),
        ("currentworkgroupsize", "work-items in this workgroup", "The size of this workgroup, per dimension: smaller at the edge of a grid that it does not divide."),
        ("gridsize", "work-items in the grid", "The number of work-items of the launch, per dimension."),
        ("gridgroups", "workgroups in the grid", "The number of workgroups of the launch, per dimension."),
        ("workitemabsid", "workgroupid * workgroupsize + workitemid", "The work-item's index in the grid, per dimension."),
    )),
    *(Op(n, (t,), "d", Unit.ID, f"d = {m}", doc, f) for n, t, m, doc, f in (
        ("workitemflatid", U32, "flat index in the workgroup", "The index in the workgroup, dimension 0 running fastest.", _NO),
        ("workitemflatabsid", U32, "flat index in the grid", "The index in the grid, dimension 0 running fastest.", _NO),
        ("laneid", U32, "workitemflatid mod warp width", "The lane of the work-item in its warp.", _NO),
        ("waveid", U32, "workitemflatid / warp width", "The warp's number in its workgroup.", _NO),
        ("wavesize", U32, "warp width", "The warp width of the launch.", _NO),
        ("clock", U64, "instructions so far, or cycles", "Instructions that this work-item has executed; under timing the cycle of issue.", _LANES),
    )),
    # --- cross-lane: over the lanes that issue together
    Op("activelaneid",      (U32,), "d",       Unit.ID,    "d = active lanes below this one", "The lane's rank among the lanes that issue together.", _LANES),
    Op("activelanecount",   (U32,), "d r:b1",  Unit.ID,    "d = number of active lanes with a true", "Counts lanes that issue together and have a true.", _LANES),
    Op("activelanemask",    (U64,), "d r:b1",  Unit.ID,    "bit l of d = lane l is active and its a is true", "The ballot of a over the lanes that issue together.", _LANES),
    Op("activelaneany",     (B1,),  "d r",     Unit.ID,    "d = a is true in some active lane", "The logical or of a over the lanes that issue together.", _LANES),
    Op("activelaneall",     (B1,),  "d r",     Unit.ID,    "d = a is true in every active lane", "The logical and of a over the lanes that issue together.", _LANES),
    Op("activelanepermute", _BITS,  "d r s:u32", Unit.ID,  "d = a of lane b mod warp width, 0 where that lane is not active", "Reads another lane's register.", _LANES),
)
# fmt: on

_FLOAT_UNITS = frozenset({"add", "sub", "mul", "min", "max", "abs", "neg"})


def _operands(op: Op, type_: Type | None, source: Type | None) -> tuple[Operand, ...]:
    result = []
    for word in op.operands.split():
        head, _, suffix = word.partition(":")
        kind = OperandKind(head.rstrip("?"))
        if kind in (OperandKind.DST, OperandKind.SRC, OperandKind.REG):
            own = source if suffix == "2" else TYPES[suffix] if suffix else type_
        else:
            own = None
        optional = head.endswith("?") or kind in (OperandKind.JOIN, OperandKind.CODE)
        result.append(Operand(kind, own, optional))
    return tuple(result)


def _unit(op: Op, type_: Type | None, source: Type | None) -> Unit:
    """Return the unit: float types move shared stems to FLOAT, an all-integer cvt to INT."""
    floating = any(t is not None and t.is_float for t in (type_, source))
    if op.stem == "cvt":
        return Unit.FLOAT if floating else Unit.INT
    if floating and (op.stem in _FLOAT_UNITS or op.stem.startswith("cmp_")):
        return Unit.FLOAT
    return op.unit


def _flags(op: Op, type_: Type | None) -> Flags:
    """Return the flags of a row; division of floats does not trap."""
    if op.stem == "div" and type_ is not None and type_.is_float:
        return op.flags & ~Flags.MAY_TRAP
    return op.flags


def _rows() -> Iterator[Row]:
    number = 0
    for op in OPS:
        pattern = op.name or ("{stem}_{type}" if op.types else "{stem}")
        for segment in op.segments or (None,):
            for type_ in op.types or (None,):
                for source in op.sources or (None,):
                    if source is not None and source is type_:
                        continue
                    yield Row(
                        number=number,
                        name=pattern.format(stem=op.stem, type=type_, src=source, segment=segment),
                        stem=op.stem,
                        type=type_,
                        source=source,
                        segment=segment,
                        operands=_operands(op, type_, source),
                        unit=_unit(op, type_, source),
                        flags=_flags(op, type_),
                        means=op.means,
                        doc=op.doc,
                    )
                    number += 1


TABLE: tuple[Row, ...] = tuple(_rows())
"""Every row, at the index that is its opcode number."""

BY_NAME: dict[str, Row] = {row.name: row for row in TABLE}
"""Rows by mnemonic."""
