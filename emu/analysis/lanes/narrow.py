"""Instructions on 32-bit integers that lanes of 8 or 16 bits can do.

Small loads begin narrow. An instruction stays narrow where its operands are, and where its result
fits or only its low bits are read: more lanes fit into a vector, and no operand is widened before
it. Only instructions with a narrow operand are: cutting a 32-bit one costs more than it saves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ....isa.types import B1, RegClass
from ..ranges.integer_ranges import Range, Ranges
from ..values.ssa import Const, Op, Phi, Value
from ..warps.uniformity import LaneShapes
from .low_bits import MODULAR, LowBits
from .saturated import PASSED_ON, Caps

WIDTHS = (8, 16)

_NO_BYTES = frozenset({"mul", "mad", "shl", "shr"})
"""x86 has none of these for bytes, but for a bit that a condition is: LLVM chooses a constant."""


@dataclass(frozen=True, slots=True)
class Narrow:
    """Lanes of `bits`; `signed` says how the result is widened, and how operands are compared."""

    bits: int
    signed: bool
    saturating: bool = False
    """Whether sums end at the largest number of the lanes, in place of all larger ones."""


class NarrowLanes:
    """The instructions of a kernel that are done in narrow lanes; `ranges` if they are known.

    Where a vector has as many narrow lanes as wide ones, all that they save is to widen what is
    loaded and to cut what is stored. So they `save_widening` only: what belongs together is narrow
    unless more results are widened than that. What is gathered is in words, and saves nothing.
    """

    def __init__(
        self, shapes: LaneShapes, ranges: Ranges | None = None, *, save_widening: bool = False
    ) -> None:
        self._shapes = shapes
        self._lanes: dict[Value, int | None] = {}
        """Bits of the lanes in which a value is at hand; None where any do."""
        self._found: dict[Op, Narrow] = {}
        ops = [v for v in shapes.ssa.values() if isinstance(v, Op)]
        if not any(_small_load(op) and not shapes.is_uniform(op) for op in ops):
            return
        self._ranges = ranges or Ranges(shapes.ssa)
        self._caps = Caps(shapes.ssa, self._ranges)
        self._read = LowBits(shapes.ssa)
        for op in ops:
            # What counts on, in the warp or in each row of it, is kept as scalars.
            if shapes.piece_stride(op) is not None:
                continue
            row, narrow = op.ins.row, self._choose(op)
            if narrow is not None:
                self._found[op] = narrow
                self._lanes[op] = narrow.bits
            elif _small_load(op) and row.type is not None:
                self._lanes[op] = row.type.bits
            elif row.stem == "cvt" and row.type is not None and not row.type.is_float:
                self._lanes[op] = None if row.source is B1 else self._lanes_met(op.args[0])
        if save_widening and self._found:
            self._drop_widened()

    def _drop_widened(self) -> None:
        """Drop the instructions of which more results are widened than are loaded and stored.

        What is gathered does not count: it has to be cut.
        """
        ssa = self._shapes.ssa
        members = {
            v
            for v, bits in self._lanes.items()
            if bits is not None and bits < 32 and v.cls is not RegClass.C
        }
        phis = [phi for phis in ssa.phis.values() for phi in phis]
        members.update(phi for phi in phis if phi.cls is RegClass.S and self.is_narrow(phi))
        together = _Together(members)
        widened, saved = set[Value](), list[Value]()
        for user in [*(v for v in ssa.values() if isinstance(v, Op)), *phis]:
            args = user.args if isinstance(user, Op) else list(user.args.values())
            held = narrow_operands(user) if isinstance(user, Op) else args
            for arg in members.intersection(args):
                if user in members and arg in held:
                    together.join(user, arg)
                elif user in self._found:
                    together.join_all(members.intersection(args))  # a comparison
                elif isinstance(user, Op) and _small_store(user) and arg is user.args[0]:
                    saved.append(arg)
                else:
                    widened.add(arg)
        saved += [v for v in members if isinstance(v, Op) and self._is_loaded_narrow(v)]
        balance = Counter(map(together.of, saved))
        balance.subtract(map(together.of, widened))
        for op in list(self._found):
            parts = members.intersection([op, *op.args])
            if any(balance[together.of(part)] < 0 for part in parts):
                del self._found[op], self._lanes[op]

    def _is_loaded_narrow(self, op: Op) -> bool:
        """Return whether an op loads neighbours; gathers load each element into a word."""
        base = op.base
        return _small_load(op) and base is not None and self._shapes.piece_stride(base) is not None

    def of(self, op: Op) -> Narrow | None:
        """Return the lanes in which an instruction is done, if they are narrow."""
        return self._found.get(op)

    def is_narrow(self, op: Op | Phi) -> bool:
        """Return whether a value that varies is at hand in narrow lanes, or is a condition.

        LLVM has a phi in the lanes of what comes together there, but for the phis of loops.
        """
        if isinstance(op, Phi):
            return all(op.node != loop.header for loop in self._shapes.ssa.flow.loops) and all(
                isinstance(value, Const) or (isinstance(value, (Op, Phi)) and self.is_narrow(value))
                for value in op.args.values()
            )
        if op in self._found:
            return True
        if op.cls is RegClass.C:
            return op.ins.row.type is B1
        bits = self._lanes.get(op, 32)
        return bits is None or bits < 32

    def _lanes_of(self, value: Value) -> int | None:
        if isinstance(value, Const) or self._shapes.is_uniform(value):
            return None
        return self._lanes.get(value, 32)

    def _lanes_met(self, value: Value) -> int | None:
        """Return `_lanes_of` a value, or of all that meets in a narrow phi."""
        if not isinstance(value, Phi) or not self.is_narrow(value):
            return self._lanes_of(value)
        return max((b for a in value.args.values() if (b := self._lanes_met(a))), default=None)

    def _choose(self, op: Op) -> Narrow | None:
        row = op.ins.row
        if row.type is None or row.type.is_float or row.type.bits != 32:
            return None
        operands = narrow_operands(op)
        # Choices among constants and truth values are at hand in lanes of any width.
        at_hand = [bits for bits in map(self._lanes_of, operands) if bits is not None]
        least = max(at_hand, default=min(WIDTHS))
        if least > max(WIDTHS):
            return None
        for bits in WIDTHS:
            if bits >= least and not (bits == 8 and row.stem in _NO_BYTES and not _moves_bit(op)):
                for signed in (False, True):
                    if self._fits(op, operands, bits, signed=signed):
                        return Narrow(bits, signed)
                if self._saturates(op, operands, bits):
                    return Narrow(bits, signed=False, saturating=True)
        return None

    def _range(self, value: Value) -> Range:
        """Return the numbers that lanes hold of a value."""
        found = self._found.get(value) if isinstance(value, Op) else None
        if found is not None and found.saturating:
            return Range(0, (1 << found.bits) - 1)
        return self._ranges.of(value)

    def _saturates(self, op: Op, operands: list[Value], bits: int) -> bool:
        """Return whether lanes of some bits give the result up to a number that suffices."""
        cap = self._caps.of(op) if op.ins.row.stem in PASSED_ON else None
        fits = all(self._range(value).is_unsigned(bits) for value in operands)
        return cap is not None and cap < 1 << bits and fits

    def _fits(self, op: Op, operands: list[Value], bits: int, *, signed: bool) -> bool:
        """Return whether lanes of some bits give the result, read as signed or unsigned."""
        row = op.ins.row

        def fits(found: Range) -> bool:
            return found.is_signed(bits) if signed else found.is_unsigned(bits)

        count = op.args[1] if row.stem in ("shl", "shr") else None
        if count is not None and not (isinstance(count, Const) and count.bits & 31 < bits):
            return False
        if (row.stem in MODULAR or row.stem == "select") and self._read.of(op) <= bits:
            return True
        if row.stem in MODULAR:
            return fits(self._ranges.of(op))
        if row.stem == "abs":
            return self._range(op.args[0]).is_signed(bits) and fits(self._ranges.of(op))
        if row.stem == "shr" and signed and not (row.type is not None and row.type.is_signed):
            return False
        if row.stem in ("shr", "min", "max", "select") or row.stem.startswith("cmp_"):
            # Widening by sign keeps the order of unsigned numbers, too.
            return all(fits(self._range(value)) for value in operands)
        return False


def narrow_operands(op: Op) -> list[Value]:
    """Return the operands of an instruction that its narrow lanes hold."""
    match op.ins.row.stem:
        case "select":
            return op.args[1:]
        case "shl" | "shr":
            return op.args[:1]
    return op.args


def _moves_bit(op: Op) -> bool:
    """Return whether an op shifts a condition to the left by a constant."""
    value, count = op.args[0], op.args[-1]
    is_condition = isinstance(value, Op) and value.ins.row.source is B1
    return op.ins.row.stem == "shl" and is_condition and isinstance(count, Const)


class _Together:
    """Values that belong together."""

    def __init__(self, members: set[Value]) -> None:
        self._above = {v: v for v in members}

    def of(self, value: Value) -> Value:
        """Return the value by which all that belongs to one is known."""
        above = self._above
        while above[value] is not value:
            above[value] = above[above[value]]
            value = above[value]
        return value

    def join(self, a: Value, b: Value) -> None:
        """Put two values and all that belongs to them together."""
        self._above[self.of(a)] = self.of(b)

    def join_all(self, values: Iterable[Value]) -> None:
        """Put values together."""
        first, *others = values
        for other in others:
            self.join(other, first)


def _small_store(op: Op) -> bool:
    type_ = op.ins.row.type
    return op.ins.row.is_store and type_ is not None and type_.bits < 32


def _small_load(op: Op) -> bool:
    type_ = op.ins.row.type
    return op.ins.row.is_load and type_ is not None and not type_.is_float and type_.bits < 32
