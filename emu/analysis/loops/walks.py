"""Pointers that a loop steps by the same amount in all lanes, as an address and an offset.

The address before the loop is often `x + 4 * index`, with a 32-bit index. If it steps from lane to
lane, whether it wraps around on its way to 64 bits is seen at run time only, so the pointer has no
known step, and its accesses would be gathers; if it does not, these would be gathers by 64-bit
addresses. With the offset as a value of its own, which is uniform, each access is at
`x + offset + 4 * index`: a sum that accesses take apart.
"""

from __future__ import annotations

from ..flow.order import Loop
from ..ranges.stepping import is_invariant
from ..values.ssa import ADDRESS_ARITHMETIC, Const, Op, Phi, Ssa, Value, count_parts, remove_unused
from ..warps.uniformity import Shapes

Walk = tuple[int, int]
"""A pointer: the number of its loop, and which phi of the loop's header it is."""


def walks_of(shapes: Shapes) -> list[Walk]:
    """Return the pointers without a step from lane to lane that are made of one index."""
    found: list[Walk] = []
    for loop in shapes.flow.loops:
        for which, phi in enumerate(shapes.ssa.phis.get(loop.header, ())):
            if _is_walk(shapes, loop, phi):
                found.append((loop.number, which))
    return found


def split(ssa: Ssa, walks: list[Walk]) -> None:
    """Replace pointers by sums of what they are before their loop and offsets that begin at 0."""
    flow = ssa.flow
    for number, which in walks:
        loop = flow.loops[number]
        pointer = ssa.phis[loop.header][which]
        start, following = _ends(loop, pointer)
        assert start is not None
        assert isinstance(following, Op)
        offset = Phi(pointer.cls, pointer.node, pointer.register)
        address = Op(pointer.cls, loop.header, following.pc, following.ins, [start, offset])
        args = [offset if a is pointer else a for a in following.args]
        stepped = Op(pointer.cls, following.node, following.pc, following.ins, args)
        zero = Const(pointer.cls, 0)
        offset.args = {n: stepped if n in loop.nodes else zero for n in pointer.args}
        ssa.phis[loop.header][which] = offset
        body = ssa.ops[following.node]
        body.insert(body.index(following), stepped)
        ssa.ops.setdefault(loop.header, []).insert(0, address)
        _replace(ssa, pointer, address)
    if walks:
        remove_unused(ssa)
        count_parts(ssa)


def _is_walk(shapes: Shapes, loop: Loop, phi: Phi) -> bool:
    if loop.is_merged or phi.keeps or shapes.is_uniform(phi) or shapes.may_mix(phi):
        return False
    if shapes.piece_stride(phi) is not None or shapes.stride(phi) is not None:
        return False
    if any(shapes.flow.nodes[n].latch_of is not None for n in phi.args):
        return False
    start, following = _ends(loop, phi)
    if not isinstance(following, Op) or following.ins.row.name not in ("add_u64", "add_s64"):
        return False
    steps = [a for a in following.args if a is not phi]
    return (
        len(steps) == 1
        and is_invariant(steps[0], loop)
        and shapes.is_uniform(steps[0])
        and start is not None
        and _has_index(shapes, start)
    )


def _ends(loop: Loop, phi: Phi) -> tuple[Value | None, Value | None]:
    """Return what a phi of the header is before the loop, and in the next iteration.

    None for what differs from one way to another.
    """
    before = {v for n, v in phi.args.items() if n not in loop.nodes}
    following = {v for n, v in phi.args.items() if n in loop.nodes}
    return (
        before.pop() if len(before) == 1 else None,
        following.pop() if len(following) == 1 else None,
    )


def _has_index(shapes: Shapes, address: Value) -> bool:
    """Return whether an address is a sum of uniform values and one 32-bit index."""
    indices, work = 0, [address]
    while work:
        value = work.pop()
        if shapes.is_uniform(value):
            continue
        if not isinstance(value, Op) or not value.parts:
            return False
        name = value.ins.row.name
        if name not in ADDRESS_ARITHMETIC:
            return False
        if value.ins.row.stem == "cvt":
            indices += 1
        else:
            work += value.args
    return indices == 1


def _replace(ssa: Ssa, old: Value, new: Op) -> None:
    """Let everything use another value, but for that value itself."""
    for ops in ssa.ops.values():
        for op in ops:
            op.args = [new if a is old else a for a in op.args]
    for phis in ssa.phis.values():
        for phi in phis:
            phi.args = {n: new if a is old else a for n, a in phi.args.items()}
    for number, condition in ssa.conditions.items():
        if condition is old:
            ssa.conditions[number] = new
