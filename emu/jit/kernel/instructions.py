"""The instructions of a node as LLVM IR, for all lanes at once or as scalars."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

from ....isa.table import Unit
from ....isa.types import RegClass, mask_of
from ...analysis.facts import OF_ACTIVE_LANES
from ...analysis.lanes.interior import Assumed
from ...analysis.lanes.narrow import Narrow, NarrowLanes
from ...analysis.ranges.float_ranges import FloatRange
from ...analysis.values.rotations import rotation_of
from ...analysis.values.ssa import Const, Op, Value
from ..arithmetic import emit as alu
from ..arithmetic import narrow
from ..arithmetic.convert import in_range
from ..arithmetic.division import are_zero, ones_for_zeros
from ..arithmetic.operation import Operation
from ..llvm.text import integer, integer_constant
from ..llvm.toolchain import host_has
from ..runtime.context import TrapCode
from . import row_quotients
from .cross_lane import CrossLane
from .lane_code import LaneCode
from .memory.access import Access
from .memory.kernel_memory import KernelMemory
from .memory.watched.kept_in import keep_to_side

_CUTS = frozenset({"cvt", "and", "shr", "bitextract"})
"""Rows of whose results LLVM knows that they have few bits."""

WIDE = 16
"""Lanes of 32 bits in a vector."""


class Instructions:
    """Emits instructions; `identity` defines the values of identity instructions."""

    def __init__(
        self, lanes: LaneCode, memory: KernelMemory, identity: Callable[[Op], None]
    ) -> None:
        self.lanes = lanes
        self._identity = identity
        self._one_sided = {} if memory.relied is None else memory.relied.one_sided
        self.access = Access(lanes, memory)
        self.steps: Mapping[Op, str] = {}
        """Additions that do not wrap around, and LLVM's word for it: `nuw` or `nsw`."""
        self.sums: frozenset[Op] = frozenset()
        """Additions whose scalars do not wrap around as unsigned numbers."""
        self.assumed = Assumed()
        """What is known of the running warp."""

    @cached_property
    def _narrow(self) -> NarrowLanes | None:
        """What narrow lanes do; None where a comparison of bytes gives no mask for words."""
        if not host_has("avx512bw"):
            return None
        lanes = self.lanes
        as_many = 1 < lanes.n <= WIDE
        return NarrowLanes(lanes.shapes, lanes.table.integers, save_widening=as_many)

    def op(self, op: Op) -> None:
        """Emit one instruction."""
        row, lanes = op.ins.row, self.lanes
        if op in lanes.outside or op in lanes.unread:
            return
        if row.is_memory or row.stem == "lda":
            self.access.op(op)
        elif row.stem in OF_ACTIVE_LANES:
            args = enumerate(op.args)
            sources = [self._argument(op, i, lanes.vector(a), lanes.n) for i, a in args]
            CrossLane(lanes).op(op, sources)
        elif row.unit is Unit.ID:
            self._identity(op)
        elif row.stem in ("memfence", "nop", "reconverge"):
            return
        elif op in self.assumed.same:
            self._copy(op, op.args[self.assumed.same[op]])
        elif op in self.assumed.rest:
            self._subtract(op, op.args[0], self.assumed.rest[op])
        else:
            self._compute(op)
        if lanes.ranks.keeps(op):
            lanes.ranks.keep(op, lanes.vector(op.args[0]))
        if op.pc in self._one_sided:
            keep_to_side(lanes, op, self._one_sided[op.pc])

    def _copy(self, op: Op, value: Value) -> None:
        """Define a value as that of one argument."""
        lanes = self.lanes
        for part, _ in lanes.parts(op):
            lanes.define(op, part, lanes.incoming(op, value, part))

    def _subtract(self, op: Op, value: Value, whole: str) -> None:
        """Define a value as an argument less an i32 that is known for the warp."""
        lanes, code = self.lanes, self.lanes.code
        for part, types in lanes.parts(op):
            n = lanes.n if types[0].startswith("<") else 0
            less = lanes.chunk_of(32, whole) if n else whole
            operands = lanes.incoming(op, value, part)
            lanes.define(op, part, [code.let(f"sub {types[0]} {o}, {less}") for o in operands])

    def _compute(self, op: Op) -> None:
        row, args, lanes = op.ins.row, op.args, self.lanes
        if row.stem in ("div", "rem") and row.type is not None and not row.type.is_float:
            self._divide(op)
            return
        if op in self.steps:
            a, b = (lanes.scalar(a) for a in args)
            step = lanes.code.let(f"add {self.steps[op]} i32 {a}, {b}")
            lanes.define(op, "value", [step])
            return
        if lanes.shapes.is_uniform(op):
            operands = [self._argument(op, i, [lanes.lane0(a)], 0)[0] for i, a in enumerate(args)]
            lanes.define(op, "value", [self._scalar(op, operands)])
            return
        found = self._narrow.of(op) if self._narrow is not None else None
        if found is not None:
            self._compute_narrow(op, found)
            return
        if op in lanes.table.addends and host_has("avx512f"):
            lanes.define(op, "value", self._addends(op))
            return
        columns = [self._argument(op, i, lanes.vector(a), lanes.n) for i, a in enumerate(args)]
        table = lanes.table
        if (op in table.some_step or op in table.iteration_steps) and host_has("avx512f"):
            columns[-1] = [self._hidden_ones(op.cls.bits)] * lanes.k
        tested = _low_bit_of(op)
        if tested is not None and op in lanes.ssa.conditions.values() and host_has("avx512f"):
            t, ones = integer(64, lanes.n), self._hidden_ones(64)
            columns[0] = [lanes.code.let(f"and {t} {x}, {ones}") for x in lanes.vector(tested)]
        if op in table.short_products:
            columns[:2] = [self._lower_halves(op, i, columns[i]) for i in range(2)]
        floats = [lanes.table.floats.of(a) for a in args]

        def computed() -> list[str]:
            if (shift := rotation_of(op)) is not None:
                return self._rotated(shift)
            return alu.emit_all(lanes.code, row, op.ins.literals, columns, lanes.n, floats)

        lanes.define(op, "value", self._in_range(op, columns, floats, computed) or computed())
        if lanes.is_counted(op):
            first = [self._argument(op, i, [lanes.lane0(a)], 0)[0] for i, a in enumerate(args)]
            lanes.define(op, "lane0", [self._scalar(op, first)])
        elif lanes.is_pieced(op):
            columns = [self._argument(op, i, lanes.firsts(a), 0) for i, a in enumerate(args)]
            pieces = zip(*columns, strict=True)
            lanes.define(op, "firsts", [self._scalar(op, list(piece)) for piece in pieces])

    def _rotated(self, shift: Op) -> list[str]:
        """Rotate what an op shifts: LLVM recognises few such counts, and none that all share."""
        lanes, code, bits = self.lanes, self.lanes.code, shift.cls.bits
        t, narrow_t = integer(bits, lanes.n), integer(32, lanes.n)
        values, counts = (
            self._argument(shift, i, lanes.vector(a), lanes.n) for i, a in enumerate(shift.args)
        )
        if bits == 64:
            counts = [code.let(f"zext {narrow_t} {by} to {t}") for by in counts]
        return [
            code.intrinsic("llvm.fshl", t, f"{t} {x}", f"{t} {x}", f"{t} {by}")
            for x, by in zip(values, counts, strict=True)
        ]

    def _scalar(self, op: Op, operands: list[str]) -> str:
        """Compute one scalar of an operation."""
        code = self.lanes.code
        if op in self.sums:
            # So LLVM takes what is added after the index became an address for an offset of it.
            return code.let(f"add nuw i32 {operands[0]}, {operands[1]}")
        # Where no lane runs, other rows would not be defined outside of these ranges.
        known = op.args if op.ins.row.stem in ("min", "max") else ()
        floats = [self.lanes.table.floats.of(a) for a in known]
        return alu.emit(code, op.ins.row, op.ins.literals, operands, 0, floats)

    def _addends(self, op: Op) -> list[str]:
        """Return 1 for lanes of a condition and 0 for others, so that additions have its mask."""
        lanes, code = self.lanes, self.lanes.code
        t, ones = integer(op.cls.bits, lanes.n), self._hidden_ones(op.cls.bits)
        return [
            code.let(f"select {lanes.mask_type} {c}, {t} {ones}, {t} zeroinitializer")
            for c in lanes.vector(op.args[0])
        ]

    def _lower_halves(self, op: Op, position: int, factors: list[str]) -> list[str]:
        """Cut 64-bit factors to 32 bits, which tells LLVM how it can multiply.

        It would leave that out where it shows that they have no more, and not know it later, when
        it chooses instructions block by block. So what does not show it in this block adds a zero.
        """
        code, t, value = self.lanes.code, integer(64, self.lanes.n), op.args[position]
        if not (isinstance(value, Op) and value.node == op.node and value.ins.row.stem in _CUTS):
            zero = self.lanes.chunk_of(64, self.lanes.entry.hidden(0))
            factors = [code.let(f"add {t} {factor}, {zero}") for factor in factors]
        low = integer_constant(mask_of(32), 64, self.lanes.n)
        return [code.let(f"and {t} {factor}, {low}") for factor in factors]

    def _hidden_ones(self, bits: int) -> str:
        """Return 1 in all lanes of a vector.

        Where some lanes take a sum with 1, LLVM would make a vector of their mask, if it knew the
        1, in place of an addition under it. To counters of loops it would add 1 by subtracting -1,
        which it makes anew where registers are few. That instruction (`vpternlogd`) waits for what
        its register held before: for what this iteration loads, so the next one waits for it, too.
        And it would test the low bits of 64-bit numbers by moving them to the signs first.
        """
        one = self.lanes.entry.hidden(1)
        if bits < 64:
            one = self.lanes.entry.let(f"trunc i64 {one} to i{bits}")
        return self.lanes.chunk_of(bits, one)

    def _in_range(
        self,
        op: Op,
        columns: list[list[str]],
        floats: list[FloatRange],
        computed: Callable[[], list[str]],
    ) -> list[str] | None:
        """Convert floats that are in range, and test for others; None if that gains nothing."""
        row, lanes = op.ins.row, self.lanes
        if row.stem != "cvt" or not lanes.rare.may_test():
            return None
        given = [
            Operation(lanes.code, row, (), chunk, lanes.n, floats)
            for chunk in zip(*columns, strict=True)
        ]
        values = [value for each in given if (value := in_range(each)) is not None]
        if len(values) < len(given):
            return None
        return lanes.rare.without_least(op.cls.bits, values, computed)

    def _compute_narrow(self, op: Op, how: Narrow) -> None:
        """Compute in lanes of 8 or 16 bits; LLVM removes what cuts a value that was widened."""
        lanes, code, row = self.lanes, self.lanes.code, op.ins.row
        bits, signed = how.bits, how.signed
        columns = []
        for i, a in enumerate(op.args):
            chunks = self._argument(op, i, lanes.vector(a), lanes.n)
            if a.cls is RegClass.S:
                chunks = [narrow.cut(code, c, bits, lanes.n) for c in chunks]
            columns.append(chunks)
        found = [
            narrow.emit(code, row, chunk, bits, lanes.n, signed=signed, saturating=how.saturating)
            for chunk in zip(*columns, strict=True)
        ]
        if op.cls is RegClass.S:
            found = [narrow.widened(code, c, bits, lanes.n, signed=signed) for c in found]
        lanes.define(op, "value", found)

    def _argument(self, op: Op, position: int, operands: list[str], n: int) -> list[str]:
        if not alu.wants_canonical(op.ins.row, position):
            return operands
        table = self.lanes.table
        if alu.carries(op.ins.row, position) and (op in table.noncanonical or op in table.unseen):
            return operands
        return self.lanes.observed(op.args[position], operands, n)

    def _divide(self, op: Op) -> None:
        """Divide integers: a zero in a running lane traps, in another one it becomes 1."""
        lanes, row, (a, b) = self.lanes, op.ins.row, op.args[:2]
        uniform = lanes.shapes.is_uniform(op)
        n = 0 if uniform else lanes.n
        left = self._argument(op, 0, [lanes.lane0(a)] if uniform else lanes.vector(a), n)
        right = self._argument(op, 1, [lanes.lane0(b)] if uniform else lanes.vector(b), n)
        if not (isinstance(b, Const) and b.bits) and b not in self.assumed.positive:
            right = self._without_zeros(op, right, n)

        def each() -> list[str]:
            return [
                alu.emit(lanes.code, row, (), [x, y], n) for x, y in zip(left, right, strict=True)
            ]

        if n and not lanes.otherwise and row_quotients.are_of_rows(lanes, op):
            rows = row_quotients.Rows(lanes, op)
            moves = self.access.global_.moves

            def of_rows() -> list[str]:
                return moves.either_way(rows.are_in_one, rows.of_one, rows.of_two, op.cls, n)

            found = moves.either(rows.are_long, of_rows, each, op.cls, n)
        else:
            found = each()
        lanes.define(op, "value", found)
        if lanes.is_pieced(op):
            lanes.define(op, "firsts", self._quotients(op, lanes.firsts(a), lanes.firsts(b)))
        elif lanes.is_counted(op):
            lanes.define(op, "lane0", self._quotients(op, [lanes.lane0(a)], [lanes.lane0(b)]))

    def _quotients(self, op: Op, xs: list[str], ys: list[str]) -> list[str]:
        """Divide scalars of lanes: a zero in a running lane has trapped, another one becomes 1."""
        code = self.lanes.code
        xs, ys = (self._argument(op, i, operands, 0) for i, operands in enumerate((xs, ys)))
        ys = ones_for_zeros(code, op.cls, are_zero(code, op.cls, ys, 0), ys, 0)
        return [alu.emit(code, op.ins.row, (), [x, y], 0) for x, y in zip(xs, ys, strict=True)]

    def _without_zeros(self, op: Op, divisors: list[str], n: int) -> list[str]:
        lanes, code = self.lanes, self.lanes.code
        zeros = are_zero(code, op.cls, divisors, n)
        if n:
            bad_lanes = lanes.combine("and", zeros, lanes.mask)
            bad = lanes.any(bad_lanes)
        else:
            bad_lanes, bad = lanes.mask, zeros[0]
        fault, go = code.fresh_label("z"), code.fresh_label("z")
        code.branch(bad, fault, go)
        code.block(fault)
        lanes.trap(TrapCode.DIVIDE_BY_ZERO, op.pc, bad_lanes)
        code.block(go)
        return ones_for_zeros(code, op.cls, zeros, divisors, n)


def _low_bit_of(op: Op) -> Value | None:
    """Return the 64-bit number whose lowest bit a comparison tests in its node; None if not one."""
    if op.ins.row.stem not in ("cmp_eq", "cmp_ne"):
        return None
    bit, zero = op.args
    if not (isinstance(bit, Op) and bit.node == op.node and bit.ins.row.name == "and_u64"):
        return None
    if not (isinstance(zero, Const) and zero.bits == 0):
        return None
    number, one = bit.args
    return number if isinstance(one, Const) and one.bits == 1 else None
