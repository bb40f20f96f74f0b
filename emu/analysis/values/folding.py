"""Sums with constants in copies of loops: one addition, and one address for many accesses.

Iteration after iteration adds a constant to a pointer or an index. In copies that is a chain of
additions; with each as one addition to where the chain begins, accesses are at one base with
different offsets, and are tested together.
"""

from __future__ import annotations

from dataclasses import replace

from ....isa.types import Segment, mask_of, sign_extend
from .ssa import Const, Op, Ssa, count_parts, remove_unused

_SUMS = frozenset({"add_u32", "add_s32", "add_u64", "add_s64"})
_POINTERS = frozenset({"add_u64", "add_s64"})

MOST_OFFSET = 1 << 23
"""Offsets of addresses are below this, as in an instruction."""


def fold(ssa: Ssa) -> None:
    """Fold the constants that copied nodes add."""
    copied = [n for n in ssa.flow.order if ssa.flow.nodes[n].copied is not None]
    for number in copied:
        for op in ssa.ops.get(number, ()):
            if op.ins.row.name in _SUMS:
                _fold_sum(op)
            elif op.ins.row.is_memory and op.ins.row.segment is Segment.GLOBAL:
                _fold_address(op)
    if copied:
        remove_unused(ssa)
        count_parts(ssa)


def _fold_sum(op: Op) -> None:
    first, second = op.args
    if isinstance(first, Const):
        first, second = second, first
    if not isinstance(second, Const) or not isinstance(first, Op) or first.node != op.node:
        return
    if first.ins.row is op.ins.row and isinstance(first.args[1], Const):
        bits = first.args[1].bits + second.bits & mask_of(op.cls.bits)
        op.args = [first.args[0], Const(op.cls, bits)]


def _fold_address(op: Op) -> None:
    base, address = op.base, op.ins.address
    if not isinstance(base, Op) or base.node != op.node or base.ins.row.name not in _POINTERS:
        return
    start, added = base.args
    if address is None or not isinstance(added, Const):
        return
    offset = address.offset + sign_extend(added.bits, 64)
    if abs(offset) < MOST_OFFSET:
        op.ins = replace(op.ins, address=replace(address, offset=offset))
        op.args[-1] = start
