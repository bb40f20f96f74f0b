"""Dispatches: a value that is compared with one constant after the other, in a loop of one lane.

The `switch` of a machine that is interpreted is one, or that of an automaton: one jump through a
table, to which all cases return. A copy of the way to it at the end of each case saves the jump
back, and CPUs predict a jump of each case better than one for all of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ....isa.table import Flags
from ..flow.order import Loop
from ..values.ssa import Const, Op, Ssa, Value
from .lane_plan import LONG_UNITS

LEAST_CASES = 4
"""Constants of a dispatch, at least: LLVM makes no table of fewer."""

MOST_HOLES = 4
"""Entries of a table for each constant, at most."""

LEAST_WAYS = 3
"""Ways to a dispatch, at least."""

MOST_COPIED = 256
"""Instructions of all copies of a way, at most: each of 8 cases may have 32."""

_COMPARISONS = frozenset({"cmp_eq_u32", "cmp_ne_u32", "cmp_eq_s32", "cmp_ne_s32"})


Edge = tuple[int, int]
"""A node and one of its successors."""


@dataclass(frozen=True)
class Dispatch:
    """Comparisons of a value, and the ways to them from where its cases meet."""

    ways: tuple[tuple[int, ...], ...]
    """The nodes of each way, in their order. The first one may be a latch."""
    comparisons: tuple[int, ...]
    """The nodes that compare: the last one of each way, and those which do nothing else."""
    value: Value
    cases: Mapping[int, Edge]
    """Constant -> where lanes go whose value it is."""
    otherwise: Edge
    """Where all others go."""


def dispatches(ssa: Ssa, loop: Loop) -> Iterator[Dispatch]:
    """Yield the dispatches in a loop whose ways can be copied, and are short enough."""
    sources = _sources(ssa, loop)
    chains = _chains(ssa, loop)
    # A jump through a table is in the place of these, so no way leads through a part of them.
    barred = {number for nodes in chains for number in nodes}
    for nodes in chains:
        first = nodes[0]
        value = _compared(ssa, first)
        if value is None or not _may_repeat(ssa, first):
            continue
        ways = _ways(ssa, sources, first, barred)
        firsts = {way[0] for way in ways}
        copies = [(w, n) for w in ways for n in sources[w[0]] if n not in firsts]
        copied = sum(len(ssa.ops.get(n, ())) for way, _ in copies for n in way)
        if len(copies) >= LEAST_WAYS and copied <= MOST_COPIED:
            yield Dispatch(tuple(ways), tuple(nodes), value, *_cases(ssa, nodes))


def _chains(ssa: Ssa, loop: Loop) -> list[list[int]]:
    """Return the nodes of a loop that compare a value with enough constants near each other."""
    used, seen = _used(ssa), set[int]()
    found: list[list[int]] = []
    for number in ssa.flow.order:
        value = _compared(ssa, number) if number in loop.nodes else None
        if value is None or number in seen:
            continue
        nodes = _comparisons(ssa, loop, number, value, used)
        seen.update(nodes)
        cases, _ = _cases(ssa, nodes)
        if len(cases) >= LEAST_CASES and max(cases) - min(cases) <= MOST_HOLES * len(cases):
            found.append(nodes)
    return found


def _ways(
    ssa: Ssa, sources: Mapping[int, Sequence[int]], last: int, barred: Collection[int]
) -> list[tuple[int, ...]]:
    """Return the ways to a node: one from each node before it at which several meet."""
    found: list[tuple[int, ...]] = []
    waiting: list[tuple[int, ...]] = [(last,)]
    seen = {last}
    while waiting:
        way = waiting.pop()
        before = sources[way[0]]
        if len(before) > 1:
            found.append(way)
        for number in before:
            if number not in seen and number not in barred and _may_repeat(ssa, number):
                seen.add(number)
                waiting.append((number, *way))
    return found


def _cases(ssa: Ssa, nodes: Sequence[int]) -> tuple[dict[int, Edge], Edge]:
    """Return constant -> edge, and the edge of all other values, of nodes that compare."""
    cases: dict[int, Edge] = {}
    otherwise = nodes[-1], nodes[-1]
    for number in nodes:
        condition = ssa.conditions[number]
        assert isinstance(condition, Op)
        others, taken = ssa.flow.nodes[number].successors
        if condition.ins.row.name.startswith("cmp_ne"):
            others, taken = taken, others
        cases[_constant(ssa, number)] = number, taken
        otherwise = number, others
    return cases, otherwise


def _constant(ssa: Ssa, number: int) -> int:
    """Return the constant with which a node compares."""
    condition = ssa.conditions[number]
    assert isinstance(condition, Op)
    constant = condition.args[1]
    assert isinstance(constant, Const)
    return constant.bits & 0xFFFF_FFFF


def _used(ssa: Ssa) -> set[Value]:
    """Return the values that an instruction or a phi reads."""
    found = {a for ops in ssa.ops.values() for op in ops for a in op.args}
    return found | {a for phis in ssa.phis.values() for phi in phis for a in phi.args.values()}


def _sources(ssa: Ssa, loop: Loop) -> dict[int, list[int]]:
    """Return the nodes of a loop from which lanes come to each of them."""
    flow = ssa.flow
    found: dict[int, list[int]] = {number: [] for number in loop.nodes}
    for number in loop.nodes:
        node = flow.nodes[number]
        for successor in node.successors:
            target = successor if node.latch_of is not None else flow.route(number, successor)
            if target in found:
                found[target].append(number)
    return found


def _comparisons(
    ssa: Ssa, loop: Loop, number: int, value: Value, used: Collection[Value]
) -> list[int]:
    """Return a node that compares a value, and those after it that do nothing else.

    Each constant is there once: no lane goes from the table to the case of a second comparison.
    """
    flow, found = ssa.flow, [number]
    while True:
        cases, (_, others) = _cases(ssa, found)
        node, ops = flow.nodes[others], ssa.ops.get(others, [])
        if (
            others not in loop.nodes
            or others in found
            or node.predecessors != (found[-1],)
            or flow.route(found[-1], others) != others
            or _compared(ssa, others) is not value
            or ops != [ssa.conditions[others]]
            or ops[0] in used
            or ssa.phis.get(others)
            or _constant(ssa, others) in cases
        ):
            return found
        found.append(others)


def _compared(ssa: Ssa, number: int) -> Value | None:
    """Return the value that the branch of a node compares with a constant."""
    condition = ssa.conditions.get(number)
    if isinstance(condition, Op) and condition.ins.row.name in _COMPARISONS:
        value, other = condition.args
        if isinstance(other, Const) and len(ssa.flow.nodes[number].successors) == 2:
            return value
    return None


def _may_repeat(ssa: Ssa, number: int) -> bool:
    """Return whether running a node's instructions once more changes nothing."""
    for op in ssa.ops.get(number, ()):
        row = op.ins.row
        if row.is_store or row.is_atomic or Flags.MAY_TRAP in row.flags or row.unit in LONG_UNITS:
            return False
        if op.ins.dst is None:
            return False
    last = ssa.flow.nodes[number].last
    return last is None or last.row.stem in ("br", "cbr")
