"""One limit for places of several buffers by one index, in code for one lane without cold sides.

Where an access is not inside, such code continues at code with cold sides. So `rank[u]` and
`degree[u]` of one node can be tested against the end of the shorter row: LLVM finds that the second
test is the first one. So can `text[i]` and `text[i + 1]` of different nodes, whose rows end at
almost one index. Other accesses of different nodes keep limits of their own: a lane that passes by
one of them would leave this code for nothing.

Fields of a record, as `table[3 * i]` and `table[3 * i + 1]`, have indices at constant distances. In
one node they have one test, of the first index against what ends before the last field.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from ......isa.types import RegClass, Segment
from .....analysis.flow.order import Loop
from .....analysis.values.ssa import Const, Op, Ssa, Value
from ..addressing.addresses import Addresses, Limit
from ..addressing.windows import Row

Limits = dict[tuple[Value, str], Limit]
"""(index, count of a row) -> what is tested in their place."""

Element = tuple[Op, int, Value, Row]
"""An access, the position of its parameter, its index and row."""

INDEX_BITS = 32

MOST_DISTANT = 64
"""Elements from the first field of a record to another one, less than that."""


def joint_limits(
    addresses: Addresses, ssa: Ssa, loop: Loop, certain: frozenset[Op], apart: Collection[int]
) -> Limits:
    """Return what the places of a loop are tested against; without the `certain` accesses.

    Accesses of the nodes `apart` may be tested before these run.
    """
    groups: list[list[Element]] = []
    for number in sorted(loop.nodes):
        for op in ssa.ops.get(number, ()):
            found = None if op in certain else _element(addresses, op)
            if found is None:
                continue
            joined = [g for g in groups if any(_are_joined(found, other) for other in g)]
            groups = [g for g in groups if g not in joined]
            groups.append([found, *(one for g in joined for one in g)])
    elements = [found for group in groups for found in group]
    # Indices that other nodes have, too, or accesses that may not be tested where they run.
    elsewhere = {i for op, _, i, _ in elements if op.node in apart or not _is_of(i, op.node)}
    elsewhere |= {arg for op in certain for arg in _indices(op)}
    limits = _limits_of_records(addresses, [e for e in elements if e[2] not in elsewhere])
    for group in groups:
        counts = sorted({row.count for *_, row in group})
        if len(counts) > 1:
            least = _least(addresses, counts)
            limits |= {(index, row.count): Limit(least) for _, _, index, row in group}
    return limits


def _limits_of_records(addresses: Addresses, found: Iterable[Element]) -> Limits:
    """Return the limits of elements at constant distances in one row, in one node."""
    records: dict[tuple[int, str, Value], dict[Value, int]] = {}
    for op, _, index, row in found:
        root, distance = _distance(index, op.node)
        if root is not None:
            records.setdefault((op.node, row.count, root), {})[index] = distance
    limits: Limits = {}
    entry = addresses.lanes.entry
    for (_, count, root), fields in records.items():
        if len(set(fields.values())) > 1:
            # An index of 32 bits might wrap around between two fields.
            most = entry.intrinsic("llvm.umin", "i64", f"i64 {count}", f"i64 {1 << INDEX_BITS}")
            last = f"i64 {max(fields.values())}"
            most = entry.intrinsic("llvm.usub.sat", "i64", f"i64 {most}", last)
            for index, distance in fields.items():
                limits[index, count] = Limit(most, root, distance)
    return limits


def _indices(op: Op) -> Iterator[Value]:
    """Yield the values from which the address of an access is computed."""
    waiting = [] if op.base is None else [op.base]
    while waiting:
        value = waiting.pop()
        yield value
        if isinstance(value, Op) and value.cls is RegClass.D:
            waiting += value.args


def _is_of(value: Value, node: int) -> bool:
    """Return whether an instruction of a node computes a value."""
    return isinstance(value, Op) and value.node == node


def _distance(index: Value, node: int) -> tuple[Value | None, int]:
    """Return the number and the constant whose sum a node extends to an index of 64 bits."""
    if not isinstance(index, Op) or index.ins.row.name != "cvt_u64_u32":
        return None, 0
    (root,) = index.args
    if isinstance(root, Op) and root.ins.row.name == "add_u32" and root.node == node:
        number, constant = root.args
        if isinstance(constant, Const) and constant.bits < MOST_DISTANT:
            return number, constant.bits
    return root, 0


def _are_joined(a: Element, b: Element) -> bool:
    """Return whether two accesses by one index share a limit."""
    (op, position, index, _), (other, other_position, other_index, _) = a, b
    if index is not other_index:
        return False
    both_load = op.ins.row.is_load and other.ins.row.is_load
    return op.node == other.node or (both_load and position == other_position)


def _element(addresses: Addresses, op: Op) -> Element | None:
    """Return an access, its parameter, its index and row, if it is an element of a row from 0."""
    row, base = op.ins.row, op.base
    if not row.is_memory or row.segment is not Segment.GLOBAL or row.is_atomic or base is None:
        return None
    form = addresses.form(base)
    if form is None or not addresses.lanes.shapes.is_uniform(base):
        return None
    window = addresses.window(base, form, not row.is_load)
    position = addresses.pointers.position(base, form)
    if window is None or position is None:
        return None
    size = op.element.size
    found = addresses.element(form.plus_constant(op.address.offset), window, size, size)
    if found is None or found[0].before is not None:
        return None
    return op, position, found[1], found[0]


def _least(addresses: Addresses, counts: Iterable[str]) -> str:
    """Return the least of counts, an i64 that is computed once per call."""
    least, *others = counts
    for count in others:
        least = addresses.lanes.entry.intrinsic("llvm.umin", "i64", f"i64 {least}", f"i64 {count}")
    return least
