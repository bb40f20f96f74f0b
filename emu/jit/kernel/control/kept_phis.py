"""Phis of a loop's header that keep their value in the lanes that have left the loop.

Lanes leave such a loop in different iterations. What they take out of it would be blended into a
variable of its own in each iteration, and the header's phi would be set for all lanes. If only the
lanes that go back to the header set the phi, it is that variable: there is one blend, which LLVM
makes a mask of the instruction that computes the next value, and one vector less is live.

That is not for phis by which lanes leave: the next value would wait for the mask, and that for the
comparison of the value before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from ....analysis.flow.order import Flow, Loop
from ....analysis.lanes.lane_plan import LanePlan
from ....analysis.values.ssa import Op, Phi, Value, made_of
from ..lane_code import LaneCode

LEAST_UNCHANGED = 2
"""Ways back on which a phi keeps its value, from which on a copy is saved: the first one of all
ways sets all lanes, without a blend."""


@dataclass(frozen=True)
class KeptPhis:
    """Phis that only the lanes of an edge change, and what is kept in their variables."""

    phis: Collection[Phi] = frozenset()
    same: Mapping[Value, Phi] = field(default_factory=dict[Value, Phi])
    """Phi, or what lanes take out of the loop -> the phi in whose variable it is."""

    @classmethod
    def of(cls, lanes: LaneCode, plan: LanePlan, without: Set[int]) -> KeptPhis:
        """Return those of all loops but those `without`, by number."""
        same = dict[Value, Phi]()
        if lanes.flow.refill is not None:  # lanes get work-items at such a header
            return cls()
        for nest in _nests(lanes.flow):
            if without.isdisjoint(loop.number for loop in nest) and _is_plain(lanes, plan, nest[0]):
                decide = _deciding(lanes, plan, nest[-1])
                for phi in lanes.ssa.phis.get(nest[0].header, ()):
                    if phi not in decide and _is_vector(lanes, phi):
                        taken = _taken_out(lanes, plan, nest, phi)
                        unchanged = [n for n, a in phi.args.items() if a is phi]
                        if taken or len(unchanged) >= LEAST_UNCHANGED:
                            same |= dict.fromkeys((phi, *taken), phi)
        return cls(frozenset(same.values()), same)


def _nests(flow: Flow) -> Iterator[list[Loop]]:
    """Yield the loops that have a header, for each header, outermost first.

    Lanes that go back to it from one of these loops wait until those inside are over. They, too,
    are the only ones that set its phis.
    """
    found: dict[int, list[Loop]] = {}
    for loop in flow.loops:
        found.setdefault(loop.header, []).append(loop)
    for loops in found.values():
        yield sorted(loops, key=lambda loop: -len(loop.nodes))


def _is_plain(lanes: LaneCode, plan: LanePlan, loop: Loop) -> bool:
    """Return whether lanes enter a loop at its header only, and its nodes run for all of them."""
    for number in loop.nodes:
        last = lanes.flow.nodes[number].last
        if number not in plan.waits or (last is not None and last.row.is_barrier):
            return False
    return lanes.flow.has_one_entry(loop)


def _deciding(lanes: LaneCode, plan: LanePlan, loop: Loop) -> set[Value]:
    """Return the values of a loop that decide its branches, in some later iteration perhaps."""
    branches = loop.nodes & lanes.ssa.conditions.keys() - plan.uniform_branches
    conditions = [lanes.ssa.conditions[n] for n in sorted(branches)]

    def is_outside(value: Value) -> bool:
        return isinstance(value, (Op, Phi)) and value.node not in loop.nodes

    return made_of(conditions, is_outside)


def _is_vector(lanes: LaneCode, phi: Phi) -> bool:
    ((part, types), *_) = lanes.parts(phi)
    return part == "value" and types[0].startswith("<")


def _taken_out(lanes: LaneCode, plan: LanePlan, nest: Sequence[Loop], phi: Phi) -> set[Phi]:
    """Return the phis after loops that get nothing but one of their header, in several iterations.

    They are in the loop around them, if there is one: lanes that enter the loops again have run
    there.
    """
    flow, ssa = lanes.flow, lanes.ssa
    nodes = {s for n in nest[0].nodes for s in flow.nodes[n].successors} - {nest[0].header}
    found: set[Phi] = set()
    for number in sorted(nodes, key=flow.position.__getitem__):
        for other in ssa.phis.get(number, ()):
            if (
                all(
                    (value is phi or value in found)
                    and flow.route(source, number) == number
                    and _leaves(flow.left_by(source, number), nest)
                    for source, value in other.args.items()
                )
                and any(number in plan.waits[source] for source in other.args)
                and _is_vector(lanes, other)
                and (phi in lanes.table.noncanonical) == (other in lanes.table.noncanonical)
            ):
                found.add(other)
    return found


def _leaves(left: Sequence[Loop], nest: Sequence[Loop]) -> bool:
    """Return whether an edge leaves loops of a nest, and no others."""
    return bool(left) and all(loop in nest for loop in left)
