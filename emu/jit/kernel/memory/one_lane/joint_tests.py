"""One test for several accesses of a node, in code for one lane at a time.

Accesses of private or readonly memory between which nothing else can fault are inside, or the first
one that is not faults. So one test before them asks whether all are inside. Only where it fails is
each tested, in their order. Offsets that are fields of one word, as the operands of an instruction,
take one test of the word's bits then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeGuard

from ......isa.table import Flags
from ......isa.types import Segment
from .....analysis.flow.order import Loop
from .....analysis.values.bit_fields import BitField, field_of
from .....analysis.values.ssa import Op, Ssa, Value
from ..local.checks import LocalChecks

_BLOCKS = frozenset({Segment.PRIVATE, Segment.READONLY})


class JointTests:
    """Arranges the accesses of a loop, and tests those of a node together."""

    def __init__(self, checks: LocalChecks, ssa: Ssa, loop: Loop) -> None:
        self.checks = checks
        self._nodes = loop.nodes
        self._of_node = {n: self._arranged(ssa.ops.get(n, ())) for n in loop.nodes}
        crossing = checks.lanes.table.crossing
        for number, (_, groups) in self._of_node.items():
            for group in groups.values():
                words = [field_of(base).word for base in {op.base for op in group} if base]
                # Code of the node reads it, which no op there does.
                crossing |= {w for w in words if words.count(w) > 1 and self._has(w, number)}

    def ops(self, number: int) -> Iterator[tuple[Op, Sequence[Op]]]:
        """Yield the ops of a node, and the accesses that are to be tested together before each."""
        ops, groups = self._of_node[number]
        for op in ops:
            yield op, groups.get(op, ())

    def _has(self, word: Value, number: int) -> TypeGuard[Op]:
        """Return whether a word is computed in another node of the loop than the given one."""
        return isinstance(word, Op) and word.node in self._nodes and word.node != number

    def _arranged(self, ops: Sequence[Op]) -> tuple[list[Op], dict[Op, list[Op]]]:
        """Return the ops of a node in an order for joint tests, and the accesses of each test.

        These are found by the first access. What is between them and depends on none of them is
        before it.
        """
        arranged: list[Op] = []
        found: dict[Op, list[Op]] = {}
        at = 0
        while at < len(ops):
            group = self._joined(ops, at)
            end = ops.index(group[-1], at) + 1
            if len(group) > 1:
                found[ops[at]] = group
            early, late = list[Op](), list[Op]()
            for op in ops[at:end]:
                waits = op.ins.row.is_memory or not set(late).isdisjoint(op.args)
                (late if waits else early).append(op)
            arranged += [*early, *late]
            at = end
        return arranged, found

    def _joined(self, ops: Sequence[Op], at: int) -> list[Op]:
        """Return an op, and the accesses after it that are to be tested with it."""
        group = [ops[at]]
        if not self._may_join(ops[at]):
            return group
        made = {ops[at]}
        for op in ops[at + 1 :]:
            if _may_fault(op):
                break
            if self._is_tested(op):
                if not self._may_join(op) or op.base in made:
                    break
                group.append(op)
            if op.ins.row.is_memory or not made.isdisjoint(op.args):
                made.add(op)
        return group

    def _is_tested(self, op: Op) -> bool:
        row = op.ins.row
        return row.is_memory and row.segment in _BLOCKS and self.checks.needs_test(op)

    def _may_join(self, op: Op) -> bool:
        """Return whether an access can share a test."""
        if not self._is_tested(op) or op.base is None:
            return False
        extent = self.checks.extent(op)
        return extent.span() >= 0 and extent.offset % extent.size == 0

    def test(self, group: Sequence[Op]) -> None:
        """Test accesses together; each by itself if one of them is outside."""
        checks, lanes, code = self.checks, self.checks.lanes, self.checks.lanes.code
        checks.tested = frozenset()
        bad = self._any_outside(group)
        if lanes.otherwise:
            lanes.rely_on(code.let(f"xor i1 {bad}, true"))
            checks.tested = frozenset(group)
            return
        each, go = code.fresh_label("j"), code.fresh_label("j")
        code.branch(bad, each, go)
        known = dict(lanes.local)
        code.block(each)
        for op in group[:-1]:
            checks.test(op)
        checks.always_faults(group[-1])
        code.jump(go)
        code.block(go)
        lanes.local = known
        checks.tested = frozenset(group)

    def _any_outside(self, group: Sequence[Op]) -> str:
        """Return whether one of the accesses is outside or misaligned, an i1."""
        tests: list[str] = []
        fields: dict[Value, list[tuple[str, BitField, int]]] = {}
        by_base: dict[Value, list[Op]] = {}
        for op in group:
            assert op.base is not None
            by_base.setdefault(op.base, []).append(op)
        for base, ops in by_base.items():
            low, high, odd, grain = self._limits(ops)
            within = high // grain * grain + grain
            scalar = self.checks.lanes.scalar(base)
            if low == 0 and within & (within - 1) == 0:
                field = field_of(base)
                if not self._is_at_hand(field.word, group[0].node):
                    field = BitField(base, 0, ~0)
                bits = ~(within - 1) | odd
                fields.setdefault(field.word, []).append((scalar, field, bits))
            else:
                tests += self._outside(scalar, low, high, odd)
        code = self.checks.lanes.code
        for word, found in fields.items():
            if len(found) == 1:
                ((scalar, _, bits),) = found
                mask = bits & 0xFFFF_FFFF
            else:
                scalar, mask = self.checks.lanes.scalar(word), 0
                for _, field, bits in found:
                    mask |= field.in_word(bits)
            tests.append(code.let(f"icmp ne i32 {code.let(f'and i32 {scalar}, {mask}')}, 0"))
        bad = tests[0]
        for test in tests[1:]:
            bad = code.let(f"or i1 {bad}, {test}")
        return bad

    def _is_at_hand(self, word: Value, number: int) -> bool:
        """Return whether code of a node can read a word."""
        if not isinstance(word, Op) or word.node not in self._nodes:
            return False
        return word.node == number or word in self.checks.lanes.table.crossing

    def _limits(self, ops: Sequence[Op]) -> tuple[int, int, int, int]:
        """Return the bounds of one base, its bits that must be zero, and what then divides it."""
        checks = self.checks
        extents = [checks.extent(op) for op in ops]
        low = max(extent.lowest for extent in extents)
        high = min(extent.lowest + extent.span() for extent in extents)
        odd = max(
            0 if checks.is_aligned(op, extent) else extent.size - 1
            for op, extent in zip(ops, extents, strict=True)
        )
        return low, high, odd, max(extent.size for extent in extents)

    def _outside(self, scalar: str, low: int, high: int, odd: int) -> list[str]:
        """Return the tests of a base by comparing it."""
        code = self.checks.lanes.code
        if high < low:
            return ["true"]
        far = code.let(f"sub i32 {scalar}, {low}") if low else scalar
        tests = [code.let(f"icmp ugt i32 {far}, {high - low}")]
        if odd:
            tests.append(code.let(f"icmp ne i32 {code.let(f'and i32 {scalar}, {odd}')}, 0"))
        return tests


def _may_fault(op: Op) -> bool:
    """Return whether an op that is not of one block of memory may fault, or orders others."""
    row = op.ins.row
    if row.is_memory:
        return row.is_atomic or row.segment not in (*_BLOCKS, Segment.KERNARG)
    return Flags.MAY_TRAP in row.flags or op.ins.dst is None
