"""Listings of a kernel's analyses, pass by pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ...isa.instruction import WORD_BYTES
from ...isa.program import Kernel
from .analysis import analyse
from .facts import Facts
from .flow.order import Flow
from .values.ssa import Const, Op, Ssa, Value


def dump(kernel: Kernel, name: str, facts: Facts) -> str:
    """Return what a pass ("ssa", "shapes" or "masks") has found, for launches of a shape."""
    return "\n".join(PASSES[name](kernel, facts))


def _ssa(kernel: Kernel, facts: Facts) -> Iterator[str]:
    """Yield the nodes in their order with their values: `v` by number, phis by predecessor."""
    ssa = analyse(kernel).ssa
    names = _names(ssa)
    for number in ssa.flow.order:
        yield _node(ssa.flow, number)
        for phi in ssa.phis.get(number, ()):
            args = ", ".join(f"n{n}: {_operand(a, names)}" for n, a in phi.args.items())
            yield f"    {names[phi]} = phi {args}{'  (leaves a loop)' if phi.keeps else ''}"
        for op in ssa.ops.get(number, ()):
            yield f"    {_op(op, names)}"
        if number in ssa.conditions:
            yield f"    branch {_operand(ssa.conditions[number], names)}"
    yield from _loops(ssa.flow)


def _shapes(kernel: Kernel, facts: Facts) -> Iterator[str]:
    """Yield each value's shape, and where lanes diverge and join."""
    shapes = analyse(kernel).shapes(facts)
    ssa, uniform = shapes.ssa, shapes.uniform_branches()
    for value, name in _names(ssa).items():
        if isinstance(value, Op) and value.ins.dst is None:
            continue
        stride = shapes.stride(value)
        shape = "varying" if stride is None else f"stride {stride}" if stride else "uniform"
        piece_stride = shapes.piece_stride(value)
        if stride is None and piece_stride is not None:
            shape = f"stride {piece_stride} in pieces of {facts.piece} lanes"
        yield f"{name:<5} {shape}"
    yield f"uniform branches: {_nodes(uniform)}"
    yield f"divergent branches: {_nodes(ssa.conditions.keys() - uniform)}"
    yield f"joins: {_nodes(shapes.joins)}"
    divergent = _plain(sorted(shapes.divergent_loops), "loop ")
    yield f"loops that lanes leave in different iterations: {divergent}"


def _masks(kernel: Kernel, facts: Facts) -> Iterator[str]:
    """Yield for each node that runs where its mask comes from and where other lanes may wait."""
    analysis = analyse(kernel)
    flow, plan = analysis.flow, analysis.lane_plan(facts)
    how = "loop lane by lane"
    if plan.has_both:
        number_of = "a measured number of" if plan.finds_limit else facts.together_from
        how += f" below {number_of} lanes"
    for number in flow.order:
        if number not in plan.waits:
            continue
        same = plan.masks.same[number]
        notes = ["own mask" if same == number else f"mask of n{same}"]
        if (rest := plan.masks.rests.get(number)) is not None:
            notes = [f"mask of n{rest.branch} without those that went elsewhere"]
        notes += ["tested"] * (number in plan.masks.tested)
        notes += [how] * (number in plan.sparse)
        notes += [f"others may wait at {_nodes(plan.waits[number])}"] * bool(plan.waits[number])
        yield f"n{number:<4} {', '.join(notes)}"


PASSES: dict[str, Callable[[Kernel, Facts], Iterator[str]]] = {
    "ssa": _ssa,
    "shapes": _shapes,
    "masks": _masks,
}
"""The passes whose result can be shown, in their order."""


def _names(ssa: Ssa) -> dict[Value, str]:
    return {value: f"v{i}" for i, value in enumerate(ssa.values())}


def _operand(value: Value, names: dict[Value, str]) -> str:
    return f"0x{value.bits:x}" if isinstance(value, Const) else names[value]


def _op(op: Op, names: dict[Value, str]) -> str:
    args = [_operand(a, names) for a in op.args] + [str(x) for x in op.ins.literals]
    address = op.ins.address
    if address is not None:
        base = f"{args.pop()}+" if address.base is not None else ""
        args.append(f"[{base}{address.offset}]")
    result = f"{names[op]} = " if op.ins.dst is not None else ""
    return f"{result}{op.ins.row.name} {', '.join(args)}".rstrip()


def _node(flow: Flow, number: int) -> str:
    node = flow.nodes[number]
    if node.latch_of is not None:
        return f"n{number}: latch of loop {node.latch_of} -> n{node.successors[0]}"
    first, end = node.start * WORD_BYTES, (node.stop + (node.last is not None)) * WORD_BYTES
    place = f"0x{first:02x}..0x{end:02x}" if node.length else "start"
    if node.copied is not None:
        place += ", copied"
    ways = [flow.route(number, there) for there in node.successors]
    return f"n{number}: {place} -> {_plain(ways)}"


def _loops(flow: Flow) -> Iterator[str]:
    for loop in flow.loops:
        inside = "" if loop.parent is None else f" in loop {loop.parent}"
        ends = f"header n{loop.header}, latch n{loop.latch}"
        yield f"loop {loop.number}{inside}: {ends}, nodes {_nodes(loop.nodes)}"


def _nodes(numbers: Iterable[int]) -> str:
    return _plain(sorted(numbers))


def _plain(numbers: Iterable[int], stem: str = "n") -> str:
    return " ".join(f"{stem}{number}" for number in numbers) or "none"
