"""Kernels of which, in the interpreter's order, each batch loads before any of it stores.

The interpreter runs a batch of workgroups in rounds: in most rounds the warps at the lowest pc
execute a block, in every `FAIR`-th one those at the pc of the warp that has executed least. In a
kernel whose branches only skip what follows them, all warps of a batch so reach its loads before
one reaches a store. What they load is what was in memory before the batch, and each work-item can
run alone with that. This holds in fair rounds too, if a warp that is at a store has executed more
than any that still has to load.

Stores of a batch may be in another order then. So theirs must not show: atomics that commute and
have no result, stores of one value, or one store that all warps execute in the same round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from ....isa.instruction import Instruction
from ....isa.types import Segment
from ..values.commuting import commute
from ..values.ssa import Const, Op, Ssa

_ENDS = ("ret", "trap")


def loads_first(
    code: Sequence[Instruction], ssa: Ssa, param_of: Callable[[Op], int | None]
) -> frozenset[int] | None:
    """Return the parameters by which a kernel of this kind loads and stores; None for others.

    `param_of` returns the pointer parameter of an access of global memory, if it is known.
    """
    steps = _fewest_steps(code)
    accesses = [op for ops in ssa.ops.values() for op in ops if op.ins.row.is_memory]
    if steps is None or any(op.ins.row.segment is Segment.GROUP for op in accesses):
        return None
    params = {op: param_of(op) for op in accesses if op.ins.row.segment is Segment.GLOBAL}
    stores = [op for op in params if not op.ins.row.is_load]
    if not stores or None in params.values():
        return None
    stored = {params[op] for op in stores}
    loads = [op for op in params if op.ins.row.is_load and params[op] in stored]
    if not loads or not _reaches_loads_first(code, steps, loads, stores):
        return None
    for param in stored:
        if not _is_in_any_order([op for op in stores if params[op] == param], ssa, code, steps):
            return None
    return frozenset(param for op in loads if (param := params[op]) is not None)


def _fewest_steps(code: Sequence[Instruction]) -> list[int | None] | None:
    """Return the fewest instructions that a work-item executes before each one; None if none does.

    None if a branch does more than to skip instructions: then warps may execute some twice.
    """
    fewest: list[int | None] = [0] + [None] * len(code)
    for pc, ins in enumerate(code):
        stem, target, count = ins.row.stem, ins.target, fewest[pc]
        if ins.row.is_barrier or stem == "reconverge":
            return None
        if target is not None and (target <= pc or (stem == "cbr" and ins.join != target)):
            return None
        if count is None or stem in _ENDS:
            continue
        ways = [] if stem == "br" else [pc + 1]
        for way in ways if target is None else [*ways, target]:
            known = fewest[way]
            fewest[way] = count + 1 if known is None else min(known, count + 1)
    return fewest


def _blocks(code: Sequence[Instruction]) -> list[int]:
    """Return the pcs at which the interpreter's blocks begin."""
    ends = (pc + 1 for pc, ins in enumerate(code) if ins.target is not None or _is_end(ins))
    targets = (ins.target for ins in code if ins.target is not None)
    return sorted({0, *ends, *targets})


def _is_end(ins: Instruction) -> bool:
    return ins.row.stem in _ENDS


def _reaches_loads_first(
    code: Sequence[Instruction],
    steps: Sequence[int | None],
    loads: Iterable[Op],
    stores: Iterable[Op],
) -> bool:
    """Return whether no warp stores while another one of its batch has still to load."""
    blocks = _blocks(code)

    def begin(pc: int) -> int:
        return max(block for block in blocks if block <= pc)

    last, first = max(op.pc for op in loads), min(op.pc for op in stores)
    if last > first:
        return False
    waiting = begin(last)
    if waiting == begin(first):
        # Warps that are in that block load together; others are before it.
        waiting = max((a for a, b in pairwise(blocks) if b == waiting), default=-1)
    # Each instruction is executed once at most, so that a warp has not executed more than its pc.
    return all(waiting < (steps[begin(op.pc)] or 0) for op in stores)


def _is_in_any_order(
    stores: Sequence[Op], ssa: Ssa, code: Sequence[Instruction], steps: Sequence[int | None]
) -> bool:
    """Return whether the order of stores by one parameter does not show, or is that of warps."""
    if all(op.ins.row.is_atomic for op in stores):
        return commute(stores, ssa)
    if any(op.ins.row.is_atomic for op in stores):
        return False
    if len(stores) == 1:
        # All warps that come here have executed all that is before it.
        begin = max(block for block in _blocks(code) if block <= stores[0].pc)
        return steps[begin] == begin
    values = {op.args[0].bits if isinstance(op.args[0], Const) else None for op in stores}
    sizes = {op.ins.row.type.size for op in stores if op.ins.row.type is not None}
    return len(values) == 1 and None not in values and len(sizes) == 1
