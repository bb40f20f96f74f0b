"""Loops whose number of iterations is a constant, found by counting them out.

The branch that leaves the loop is evaluated in turn for each iteration, from phis of the header
that begin as constants. So any arithmetic and any comparison will do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ....isa.types import RegClass, mask_of, sign_extend
from ..flow.order import Flow, Loop
from ..values.ssa import Const, Op, Phi, Ssa, Value

MOST_TRIPS = 1 << 10
"""Iterations that are counted."""


@dataclass(frozen=True)
class Trips:
    """What is known about a loop whose iterations can be counted."""

    exit: int
    """The node whose branch leaves the loop in the last iteration."""
    returns: int
    """How often a work-item goes back to the header, unless it leaves the loop elsewhere."""
    values: Mapping[Phi, Sequence[int]]
    """The values of phis of the header in each iteration."""


def trips_of(ssa: Ssa, loop: Loop, dominates: Callable[[int, int], bool]) -> Trips | None:
    """Return the iterations of a loop, if their number is a constant; else None."""
    flow = ssa.flow
    sources = [source for (source, _), latch in flow.back.items() if latch == loop.latch]
    if not flow.has_own_header(loop):
        return None
    for number in sorted(loop.nodes & ssa.conditions.keys(), key=flow.position.__getitem__):
        leaving = [flow.route(number, s) not in loop.nodes for s in flow.nodes[number].successors]
        if (
            flow.loop_of[number] == loop.number
            and any(leaving)
            and not all(leaving)
            and all(dominates(number, source) for source in sources)
        ):
            found = _count(ssa, loop, number, leaves_if=leaving[1])
            if found is not None:
                return found
    return None


def only_exit(flow: Flow, loop: Loop) -> bool:
    """Return whether one edge leaves a loop, and nothing else does."""
    edges = 0
    for number in loop.nodes:
        node = flow.nodes[number]
        if node.latch_of is not None:
            continue
        if not node.successors:
            return False
        edges += sum(flow.route(number, s) not in loop.nodes for s in node.successors)
    return edges == 1


def _count(ssa: Ssa, loop: Loop, exit_: int, *, leaves_if: bool) -> Trips | None:
    condition = ssa.conditions[exit_]
    steps = _steps(ssa, loop, condition)
    if steps is None:
        return None
    now: dict[Value, int] = {phi: begin for phi, (begin, _) in steps.items()}
    seen: dict[Phi, list[int]] = {phi: [] for phi in steps}
    for returns in range(MOST_TRIPS):
        for phi in steps:
            seen[phi].append(now[phi])
        if bool(_evaluate(condition, now)) == leaves_if:
            return Trips(exit_, returns, seen)
        now = {phi: _evaluate(following, now) for phi, (_, following) in steps.items()}
    return None


def _steps(ssa: Ssa, loop: Loop, condition: Value) -> dict[Phi, tuple[int, Value]] | None:
    """Return phi -> (first value, value of the next iteration), for all that a condition needs."""
    own = set(ssa.phis.get(loop.header, ()))
    found: dict[Phi, tuple[int, Value]] = {}
    work, seen = [condition], {condition}
    while work:
        value = work.pop()
        if isinstance(value, Phi):
            if value not in own:
                return None
            outside = [a for n, a in value.args.items() if n not in loop.nodes]
            inside = {a for n, a in value.args.items() if n in loop.nodes}
            begins = {a.bits if isinstance(a, Const) else None for a in outside}
            if len(begins) != 1 or len(inside) != 1:
                return None
            (begin,), (following,) = begins, inside
            if begin is None:
                return None
            found[value] = begin, following
            needed: list[Value] = [following]
        elif isinstance(value, Op):
            if not is_computed(value):
                return None
            needed = value.args
        else:
            needed = []
        work += [a for a in needed if a not in seen]
        seen.update(needed)
        if len(seen) > MOST_VALUES:
            return None
    return found


MOST_VALUES = 32
"""Values that are computed for each iteration."""


def _quotient(a: int, b: int) -> int:
    """Return a / b, truncated towards zero."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


_ARITHMETIC: dict[str, Callable[..., int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "mad": lambda a, b, c: a * b + c,
    "div": _quotient,
    "rem": lambda a, b: a - b * _quotient(a, b),
    "shl": lambda a, b: a << (b & 31),
    "shr": lambda a, b: a >> (b & 31),
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "min": min,
    "max": max,
}
_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "cmp_eq": lambda a, b: a == b,
    "cmp_ne": lambda a, b: a != b,
    "cmp_lt": lambda a, b: a < b,
    "cmp_le": lambda a, b: a <= b,
    "cmp_gt": lambda a, b: a > b,
    "cmp_ge": lambda a, b: a >= b,
}


def is_computed(op: Op) -> bool:
    """Return whether `computed` knows an instruction."""
    stem, _, type_ = op.ins.row.name.rpartition("_")
    if stem in ("div", "rem"):
        divisor = op.args[1]
        return type_ in ("u32", "s32") and isinstance(divisor, Const) and divisor.bits != 0
    if stem in _COMPARISONS or stem in _ARITHMETIC:
        return type_ in ("u32", "s32") or (type_ == "b1" and stem in ("and", "or", "xor"))
    return False


def computed(op: Op, args: Sequence[int]) -> int:
    """Return the bits of an instruction's result, from those of its operands."""
    stem, _, type_ = op.ins.row.name.rpartition("_")
    if type_ == "s32":
        args = [sign_extend(a, 32) for a in args]
    if stem in _COMPARISONS:
        return int(_COMPARISONS[stem](*args))
    return _ARITHMETIC[stem](*args) & mask_of(1 if op.cls is RegClass.C else 32)


def _evaluate(value: Value, known: dict[Value, int]) -> int:
    """Return the bits of a value in an iteration, and add it to those that are known.

    Its operations are few, so the recursion is not deep.
    """
    if isinstance(value, Const):
        return value.bits
    found = known.get(value)
    if found is None:
        assert isinstance(value, Op)
        found = known[value] = computed(value, [_evaluate(a, known) for a in value.args])
    return found
