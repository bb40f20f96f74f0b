"""Loops whose iterations are counted by a phi that steps by a constant to a bound.

How often such a loop repeats is known before it runs, and with it the first and the last value of
everything that the loop changes by the same amount in each iteration.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....isa.types import RegClass, sign_extend
from ..flow.order import Flow, Loop
from ..values.ssa import Const, Op, Phi, Ssa, Value, made_of, same_value

_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
_OPPOSITE = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq"}

MOST_STEPS = 16
"""Additions in one iteration that are followed."""


@dataclass(frozen=True)
class Counter:
    """A 32-bit phi of a loop's header that steps to a bound, and the bound that it is tested by.

    The loop repeats only if the phi has the relation to the bound. The loop does not change the
    bound.
    """

    phi: Phi
    step: int
    """A constant; 1 if it steps up `by` a value."""
    relation: str
    """`lt`, `le` (for positive steps), `gt`, `ge` (for negative ones) or `ne` (for 1 and -1)."""
    end: Value
    is_signed: bool
    header_tests: bool
    """Whether the header does the test: it runs once more than the loop's other nodes may."""
    tests: tuple[tuple[int, int], ...]
    """The nodes whose branches do the test, and the successors at which the loop continues."""
    by: Value | None = None
    """What it steps by, if that is not a constant."""


Terms = tuple[tuple[int, Value], ...]
"""What is added in an iteration: (1 or -1, value that the loop does not change)."""


def is_invariant(value: Value, loop: Loop) -> bool:
    """Return whether a loop does not change a value."""
    return not isinstance(value, (Op, Phi)) or value.node not in loop.nodes


def changed_parts(value: Value, loop: Loop) -> set[Value]:
    """Return the phis and accesses in a loop that a value is computed from."""
    return {
        v
        for v in made_of([value], lambda v: is_invariant(v, loop))
        if not is_invariant(v, loop)
        and (isinstance(v, Phi) or (isinstance(v, Op) and v.ins.row.is_memory))
    }


def increment_of(loop: Loop, phi: Phi) -> Terms | None:
    """Return the terms that each iteration adds to a phi of the header; None if they may differ."""
    following = {arg for before, arg in phi.args.items() if before in loop.nodes}
    return _difference(loop, phi, following.pop()) if len(following) == 1 else None


def _difference(loop: Loop, phi: Phi, value: Value) -> Terms | None:
    """Return the terms of the difference between a value and a phi."""
    terms: list[tuple[int, Value]] = []
    while value is not phi:
        if not isinstance(value, Op) or len(terms) == MOST_STEPS:
            return None
        stem, _, type_ = value.ins.row.name.rpartition("_")
        if type_ not in ("u32", "s32", "u64", "s64") or stem not in ("add", "sub"):
            return None
        a, b = value.args[:2]
        if stem == "add" and is_invariant(a, loop):
            a, b = b, a
        if not is_invariant(b, loop):
            return None
        terms.append((1 if stem == "add" else -1, b))
        value = a
    return tuple(terms)


def counters_of(ssa: Ssa, loop: Loop, *, by_values: bool = False) -> list[Counter]:
    """Return the phis that count the iterations of a loop; at most one bound of each.

    They step by constants, or also `by_values` that the loop does not change.
    """
    found = []
    for phi in ssa.phis.get(loop.header, ()):
        counter = None
        if phi.cls is RegClass.S:
            counter = _counter(ssa, loop, phi, by_values=by_values)
        if counter is not None:
            found.append(counter)
    return found


def _counter(ssa: Ssa, loop: Loop, phi: Phi, *, by_values: bool) -> Counter | None:
    following = {before: arg for before, arg in phi.args.items() if before in loop.nodes}
    steps = {_constant_step(loop, phi, arg) for arg in following.values()}
    step, by = steps.pop() if len(steps) == 1 else None, None
    if not step and by_values:
        match increment_of(loop, phi):
            case ((1, value),) if not isinstance(value, Const):
                step, by = 1, value
    if not step:
        return None
    tests = [_bound(ssa, loop, loop.header, phi)]
    header_tests = tests[0] is not None
    if header_tests:
        sides = ssa.flow.nodes[loop.header].successors
        places = [(loop.header, s) for s in sides if _stays(ssa.flow, loop, loop.header, s)]
    else:
        ways = [
            _test_before(ssa.flow, before, arg, loop.header) for before, arg in following.items()
        ]
        tests = [_bound(ssa, loop, *way) for way in ways]
        places = [(number, target) for number, _, target in ways]
    first = tests[0]
    if first is None or any(t is None or _key(t) != _key(first) for t in tests):
        return None
    relation, is_signed, end = first
    fits = {"lt": step > 0, "le": step > 0, "gt": step < 0, "ge": step < 0}
    fits["ne"] = abs(step) == 1 and by is None
    if not fits.get(relation, False):
        return None
    return Counter(phi, step, relation, end, is_signed, header_tests, tuple(places), by)


def _constant_step(loop: Loop, phi: Phi, value: Value) -> int | None:
    """Return the difference between a value and a phi, if it is a constant."""
    total = 0
    for sign, term in _difference(loop, phi, value) or ((1, phi),):
        if not isinstance(term, Const):
            return None
        total += sign * term.bits
    return sign_extend(total, 32)


def _test_before(flow: Flow, number: int, value: Value, target: int) -> tuple[int, Value, int]:
    """Return the last branch on the only way to a node's edge, the value, and the branch's side."""
    while len(flow.nodes[number].successors) == 1 == len(flow.nodes[number].predecessors):
        number, target = flow.nodes[number].predecessors[0], number
    return number, value, target


def _bound(
    ssa: Ssa, loop: Loop, number: int, value: Value, stays: int | None = None
) -> tuple[str, bool, Value] | None:
    """Return (relation, signed, bound) of a value where a branch goes to `stays`; None if unknown.

    Without `stays`: where the branch stays in the loop, which its other side leaves.
    """
    successors, test = ssa.flow.nodes[number].successors, ssa.conditions.get(number)
    if len(successors) != 2 or not isinstance(test, Op):
        return None
    fall, taken = successors
    stem, _, type_ = test.ins.row.name.rpartition("_")
    relation = stem.removeprefix("cmp_")
    if type_ not in ("u32", "s32") or relation not in _MIRRORED or not stem.startswith("cmp_"):
        return None
    a, b = test.args[:2]
    if b is value:
        a, b, relation = b, a, _MIRRORED[relation]
    if a is not value or not is_invariant(b, loop):
        return None
    if stays is None:
        inside = [_stays(ssa.flow, loop, number, side) for side in (fall, taken)]
        if inside[0] == inside[1]:
            return None
        on = inside[1]
    else:
        on = stays == taken
    return (relation if on else _OPPOSITE[relation]), type_ == "s32", b


def _key(bound: tuple[str, bool, Value]) -> object:
    return (*bound[:2], same_value(bound[2]))


def _stays(flow: Flow, loop: Loop, source: int, target: int) -> bool:
    return flow.route(source, target) in loop.nodes
