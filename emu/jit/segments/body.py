"""The functions of segments: registers are loaded from the warp block and stored under the mask.

Instructions compute all lanes, also those that do not run, since nothing in arithmetic/ traps. A
register that is dead after the segment is not stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from ....isa.instruction import Imm, Instruction, Reg
from ....isa.program import Kernel
from ....isa.table import Flags
from ....isa.types import F32, F64, RegClass
from ....isa.types import Segment as MemorySegment
from ..arithmetic import emit as alu
from ..arithmetic.division import are_zero, ones_for_zeros
from ..arithmetic.widths import extended
from ..llvm.function_text import FunctionText
from ..llvm.text import ModuleText, constant
from ..llvm.vectors import Chunks
from ..runtime.context import GROUP_SIZE, GROUPS, ITEMS, Slot, TrapCode
from .crosslane import CROSS_LANE
from .table import Segment
from .warp_block import Header, Layout
from .warp_code import WarpCode


class Body(WarpCode):
    """The function of a segment as it grows."""

    def __init__(self, module: ModuleText, layout: Layout) -> None:
        super().__init__(module, layout.width)
        self.layout = layout
        self._values: dict[Reg, Chunks] = {}
        self._written: dict[Reg, None] = {}
        self._noncanonical: set[Reg] = set()
        self.fixed: Mapping[Reg, Instruction] = {}
        """Registers that are not loaded: what they have follows from one instruction."""

    def row(self, reg: Reg) -> str:
        """Return where a register lies."""
        brief = self.layout.brief.get(reg)
        if brief is None:
            return self.place("%warp", self.layout.rows[reg])
        return self.place(self.brief, brief)

    @cached_property
    def brief(self) -> str:
        """The rows that warps share, a ptr from before all else."""
        return _brief(self.entry)

    def read(self, reg: Reg) -> Chunks:
        """Return the operands of a register; a float may be a NaN that is not canonical yet."""
        known = self._values.get(reg)
        if known is None:
            fixed = self.fixed.get(reg)
            known = self._load(reg) if fixed is None else self._fixed(reg, fixed)
            self._values[reg] = known
        return known

    def _fixed(self, reg: Reg, ins: Instruction) -> Chunks:
        if ins.row.segment is MemorySegment.KERNARG:
            return self.argument(ins)
        (source,) = ins.srcs
        assert isinstance(source, Imm)
        return self.constant(reg.cls, source.bits)

    def _load(self, reg: Reg) -> Chunks:
        if reg.cls is RegClass.C:
            return self.chunks(self.code.let(f"load i64, ptr {self.row(reg)}"))
        return self.load_row(self.row(reg), reg.cls.bits)

    def observed(self, reg: Reg) -> Chunks:
        """Return the operands of a register with canonical NaNs."""
        value = self.read(reg)
        if reg in self._noncanonical:
            type_ = F64 if reg.cls is RegClass.D else F32
            value = [alu.canonical(self.code, type_, v, self.n) for v in value]
            self.write(reg, value)
        return value

    def write(self, reg: Reg, value: Chunks, *, noncanonical: bool = False) -> None:
        """Set a register."""
        self._values[reg] = value
        self._written[reg] = None
        (self._noncanonical.add if noncanonical else self._noncanonical.discard)(reg)

    def argument(self, ins: Instruction) -> Chunks:
        """Return a kernel argument, the same for all lanes. The verifier has checked its place."""
        type_ = ins.row.type
        assert type_ is not None
        return self.spread(type_.reg.bits, argument(self.code, self.context, ins))

    def constant(self, cls: RegClass, bits: int) -> Chunks:
        """Return a bit pattern in every lane."""
        return [constant(cls, bits, self.n)] * self.k

    def finish(self, live: frozenset[Reg]) -> None:
        """Store what has been written and is live."""
        code = self.code
        for reg in self._written:
            if reg not in live:
                continue
            value, place = self.observed(reg), self.row(reg)
            if reg in self.layout.brief:
                self.store_row(place, reg.cls.bits, value)
                continue
            if reg.cls is not RegClass.C:
                self.store_running(place, reg.cls.bits, value)
                continue
            old = code.let(f"load i64, ptr {place}")
            others = code.let(f"and i64 {old}, {code.let('xor i64 %mask, -1')}")
            own = code.let(f"and i64 {self.word(value)}, %mask")
            code.line(f"store i64 {code.let(f'or disjoint i64 {others}, {own}')}, ptr {place}")

    def stop_at(self, lanes: str, kind: TrapCode, pc: int) -> None:
        """Emit a return of the lanes (i64) that trap here, if one does."""
        code = self.code
        bad, go = code.fresh_label("bad"), code.fresh_label("go")
        code.branch(code.let(f"icmp ne i64 {lanes}, 0"), bad, go)
        code.block(bad)
        self.trap(lanes, kind, str(pc))
        code.block(go)


def _brief(code: FunctionText) -> str:
    place = code.let(f"getelementptr i8, ptr %warp, i64 {8 * Header.BRIEF}")
    return code.let(f"load ptr, ptr {place}")


def register_place(code: FunctionText, layout: Layout, reg: Reg) -> str:
    """Return where a register of `%warp` lies."""
    base, at = "%warp", layout.rows.get(reg)
    if at is None:
        base, at = _brief(code), layout.brief[reg]
    return code.let(f"getelementptr i8, ptr {base}, i64 {at}")


def segment_function(
    module: ModuleText,
    kernel: Kernel,
    segment: Segment,
    layout: Layout,
    name: str,
    fixed: Mapping[Reg, Instruction],
) -> bool:
    """Define the function of a segment; False where it would do nothing and is left out."""
    body = Body(module, layout)
    body.fixed = fixed
    for pc in segment.computed:
        compute(body, kernel.instructions[pc], pc)
    body.finish(segment.live)
    if not body.code.lines:
        return False
    body.code.ret("i64", "0")
    module.define(name, body.text(f"define internal i64 @{name}(ptr %warp, i64 %mask)"))
    return True


def compute(body: Body, ins: Instruction, pc: int) -> None:
    """Emit an instruction that computes, moves registers or loads a kernel argument."""
    row = ins.row
    if row.stem == "nop":
        return
    assert ins.dst is not None
    if row.stem in CROSS_LANE:
        sources = [_source(body, ins, i, observed=True) for i in range(len(ins.srcs))]
        body.write(ins.dst, CROSS_LANE[row.stem](body, row, sources))
    elif row.stem in _IDENTITY:
        dim = ins.literals[0] if ins.literals else 0
        body.write(ins.dst, _IDENTITY[row.stem](body, dim))
    elif row.stem == "lda":
        body.write(ins.dst, _lda(body, ins))
    elif row.segment is MemorySegment.KERNARG:
        body.write(ins.dst, body.argument(ins))
    else:
        _calculate(body, ins, pc)


def _source(body: Body, ins: Instruction, position: int, *, observed: bool) -> Chunks:
    """Return a source; `observed` where its bits count, not only the number."""
    source, type_ = ins.srcs[position], ins.row.srcs[position].type
    assert type_ is not None
    if isinstance(source, Imm):
        return body.constant(type_.reg, source.bits)
    return body.observed(source) if observed else body.read(source)


def _calculate(body: Body, ins: Instruction, pc: int) -> None:
    """Emit an instruction of arithmetic/."""
    row = ins.row
    assert ins.dst is not None
    sources = [
        _source(body, ins, i, observed=alu.wants_canonical(row, i)) for i in range(len(ins.srcs))
    ]
    if Flags.READS_DST in row.flags:
        sources.append(body.observed(ins.dst))
    if Flags.MAY_TRAP in row.flags and not (isinstance(ins.srcs[1], Imm) and ins.srcs[1].bits):
        sources[1] = _without_zeros(body, sources[1], ins.dst.cls, pc)
    value = [
        alu.emit(body.code, row, ins.literals, chunk, body.n)
        for chunk in zip(*sources, strict=True)
    ]
    body.write(ins.dst, value, noncanonical=alu.may_be_noncanonical(row))


def _without_zeros(body: Body, divisors: Chunks, cls: RegClass, pc: int) -> Chunks:
    """Trap where a running lane divides by zero; the zeros of others become 1."""
    code = body.code
    zeros = are_zero(code, cls, divisors, body.n)
    body.stop_at(code.let(f"and i64 {body.word(zeros)}, %mask"), TrapCode.DIVIDE_BY_ZERO, pc)
    return ones_for_zeros(code, cls, zeros, divisors, body.n)


def _lda(body: Body, ins: Instruction) -> Chunks:
    """Return the address itself; it wraps as any u32 does."""
    assert ins.address is not None
    offset = body.constant(RegClass.S, ins.address.offset)
    if ins.address.base is None:
        return offset
    return body.each("add", 32, body.observed(ins.address.base), offset)


def argument(code: FunctionText, context: str, ins: Instruction) -> str:
    """Return a kernel argument as a scalar."""
    type_ = ins.row.type
    assert ins.address is not None
    assert type_ is not None
    slot = code.let(f"getelementptr i64, ptr {context}, i64 {int(Slot.KERNARG)}")
    kernargs = code.let(f"load ptr, ptr {slot}")
    place = code.let(f"getelementptr i8, ptr {kernargs}, i64 {ins.address.offset}")
    return extended(code, code.let(f"load i{type_.bits}, ptr {place}"), type_, 0)


# --- identity

_GROUP = (Header.GROUP_X, Header.GROUP_Y, Header.GROUP_Z)
_SIZE = (Header.SIZE_X, Header.SIZE_Y, Header.SIZE_Z)

Identity = Callable[[Body, int], Chunks]


def _of_header(words: Sequence[Header]) -> Identity:
    return lambda body, dim: body.spread(32, body.narrow(body.header(words[dim])))


def _of_context(slots: Sequence[Slot]) -> Identity:
    return lambda body, dim: body.spread(32, body.narrow(body.slot(slots[dim])))


def _workitemid(body: Body, dim: int) -> Chunks:
    return body.load_row(body.place("%warp", body.layout.local_id(dim)), 32)


def _workitemabsid(body: Body, dim: int) -> Chunks:
    group, size = body.header(_GROUP[dim]), body.slot(GROUP_SIZE[dim])
    start = body.narrow(body.code.let(f"mul i64 {group}, {size}"))
    return body.each("add", 32, body.spread(32, start), _workitemid(body, dim))


def _workitemflatid(body: Body, dim: int) -> Chunks:
    first = body.code.let(f"mul i64 {body.header(Header.WARP)}, {body.width}")
    return body.each("add", 32, body.spread(32, body.narrow(first)), body.steps(32))


def _workitemflatabsid(body: Body, dim: int) -> Chunks:
    flat = _workitemabsid(body, 2)
    for below in (1, 0):
        flat = body.each("mul", 32, flat, body.spread(32, body.narrow(body.slot(ITEMS[below]))))
        flat = body.each("add", 32, flat, _workitemabsid(body, below))
    return flat


_IDENTITY: dict[str, Identity] = {
    "workitemid": _workitemid,
    "workgroupid": _of_header(_GROUP),
    "workgroupsize": _of_context(GROUP_SIZE),
    "currentworkgroupsize": _of_header(_SIZE),
    "gridsize": _of_context(ITEMS),
    "gridgroups": _of_context(GROUPS),
    "workitemabsid": _workitemabsid,
    "workitemflatid": _workitemflatid,
    "workitemflatabsid": _workitemflatabsid,
    "laneid": lambda body, dim: body.steps(32),
    "waveid": _of_header((Header.WARP,)),
    "wavesize": lambda body, dim: body.constant(RegClass.S, body.width),
    "clock": lambda body, dim: body.spread(64, body.header(Header.CLOCK)),
}
