"""Static single assignment of one work-item's registers, over the nodes of a flow.

Every value is a scalar of one work-item. Phis are where lanes arrive from several nodes with
different values, and wherever a value leaves the iteration in which it is defined: out of the loop,
or back to its header. Lanes leave a loop in different iterations, and a loop that is entered after
its header has nodes that some lanes skip in the next iteration. Until the last lane has left, the
code of the loop overwrites its variables for all lanes; such a phi is where each lane keeps its own
value. So every value is used in the iteration that defines it, except by a phi; `check_iterations`
(construction.py) proves it.

Registers are zero at the start. `mov` makes no value of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from ....isa.instruction import Address, Instruction
from ....isa.table import Flags
from ....isa.types import RegClass, Segment, Type
from ..flow.order import Flow

Register = tuple[RegClass, int]


@dataclass(eq=False, slots=True)
class Value:
    """A value of register class `cls`; subclasses say where it comes from."""

    cls: RegClass


@dataclass(eq=False, slots=True)
class Const(Value):
    """A bit pattern."""

    bits: int


@dataclass(eq=False, slots=True)
class Op(Value):
    """The result of an instruction, or an instruction without one (its value is never used).

    `args` are the sources in the order of the row, then the old destination where the row reads
    it, then the base register of the address.
    """

    node: int
    pc: int
    ins: Instruction
    args: list[Value]
    parts: int = 0
    """Operations of this address or index that accesses take apart; 0 where they take it whole."""

    @property
    def base(self) -> Value | None:
        """The value of the address's base register."""
        address = self.ins.address
        return self.args[-1] if address is not None and address.base is not None else None

    @property
    def address(self) -> Address:
        """The address of a memory instruction."""
        assert self.ins.address is not None
        return self.ins.address

    @property
    def element(self) -> Type:
        """The type of what a memory instruction accesses."""
        assert self.ins.row.type is not None
        return self.ins.row.type


@dataclass(eq=False, slots=True)
class Phi(Value):
    """At the head of `node`: the value that came along with control, by predecessor."""

    node: int
    register: Register
    args: dict[int, Value] = field(default_factory=dict)
    keeps: bool = False
    """Takes a value out of the loop that defines it; lanes bring theirs in different iterations."""


@dataclass
class Ssa:
    """Ops and phis per node, the branch condition of nodes that have one."""

    flow: Flow
    ops: dict[int, list[Op]]
    phis: dict[int, list[Phi]]
    conditions: dict[int, Value]

    def values(self) -> list[Value]:
        """Return all ops and phis, in the order of the flow."""
        found: list[Value] = []
        for number in self.flow.order:
            found += self.phis.get(number, ())
            found += self.ops.get(number, ())
        return found


def same_value(value: Value) -> object:
    """Return a key that equal values share: constants of a class with the same bits are equal."""
    return (value.cls, value.bits) if isinstance(value, Const) else value


def has_effect(op: Op) -> bool:
    """Return whether an op must stay even if its value is unused."""
    row = op.ins.row
    return row.is_memory or Flags.MAY_TRAP in row.flags or op.ins.dst is None


def roots(ssa: Ssa) -> list[Value]:
    """Return the values that are needed whatever uses them: conditions, and ops with effects."""
    effects = [op for ops in ssa.ops.values() for op in ops if has_effect(op)]
    return [*ssa.conditions.values(), *effects]


def made_of(
    values: Iterable[Value], ends_at: Callable[[Value], bool] = lambda value: False
) -> set[Value]:
    """Return values and all that they are computed from, as far as values at which that ends."""
    found: set[Value] = set()
    work = list(values)
    while work:
        value = work.pop()
        if value in found:
            continue
        found.add(value)
        if not ends_at(value):
            work += operands_of(value)
    return found


def remove_unused(ssa: Ssa) -> None:
    """Remove the ops and phis that no condition and no op with an effect is computed from."""
    used = made_of(roots(ssa))
    for number in ssa.ops:
        ssa.ops[number] = [op for op in ssa.ops[number] if op in used]
    for number in ssa.phis:
        ssa.phis[number] = [phi for phi in ssa.phis[number] if phi in used]


ADDRESS_ARITHMETIC = frozenset(
    f"{stem}_{type_}" for stem in ("add", "sub", "mul", "mad", "shl") for type_ in ("u64", "s64")
) | {f"cvt_{to}_{source}" for to in ("u64", "s64") for source in ("u32", "s32")}
"""Rows that jit/kernel/memory/addressing/ takes apart to find the parts of an address."""

INDEX_ARITHMETIC = frozenset({"add_u32", "add_s32", "sub_u32", "sub_s32"})
"""Rows that it takes apart to find indices that differ by the same in all lanes."""


MOST_PARTS = 64
"""The most operations of an address that are taken apart: each access visits all of them."""


def count_parts(ssa: Ssa) -> None:
    """Set `parts` of every operation at which an address may be taken apart."""
    for value in ssa.values():
        if isinstance(value, Op) and value.ins.row.name in _TAKEN_APART:
            parts = 1 + sum(arg.parts for arg in value.args if isinstance(arg, Op))
            value.parts = parts if parts <= MOST_PARTS else 0


_TAKEN_APART = ADDRESS_ARITHMETIC | INDEX_ARITHMETIC


def operands_of(value: Value) -> Collection[Value]:
    """Return the values that a value is computed from, or that come together in it."""
    if isinstance(value, Phi):
        return value.args.values()
    return value.args if isinstance(value, Op) else ()


def uses(op: Op) -> set[Value]:
    """Return the values that an op's code may use: its sources and the parts of its address."""
    found: set[Value] = set(op.args)
    work = [op.base] if op.base is not None else []
    while work:
        value = work.pop()
        if isinstance(value, Op) and value.parts:
            work += [a for a in value.args if a not in found]
            found.update(value.args)
    return found


def sources_of(value: Value) -> set[Value]:
    """Return the values that a value is computed from, itself among them, as far as loads."""
    return made_of([value], lambda v: isinstance(v, Op) and v.ins.row.is_memory)


def arguments_of(address: Op) -> set[Op]:
    """Return the loads of kernel arguments that the address of an access is computed from."""
    if address.base is None:
        return set()
    found = {v for v in sources_of(address.base) if isinstance(v, Op)}
    return {op for op in found if op.ins.row.segment is Segment.KERNARG}


def live_out(ssa: Ssa) -> dict[int, set[Value]]:
    """Return for each node the values used after it: in later nodes, or by phis on the way."""
    needs: dict[int, set[Value]] = {}
    defined: dict[int, set[Value]] = {}
    nodes = [n for n in ssa.flow.nodes if n.latch_of is None]
    for node in nodes:
        ops = ssa.ops.get(node.number, [])
        used = {a for op in ops for a in uses(op)}
        if node.number in ssa.conditions:
            used.add(ssa.conditions[node.number])
        needs[node.number] = {v for v in used if not isinstance(v, Const)}
        defined[node.number] = {*ops, *ssa.phis.get(node.number, ())}
    out: dict[int, set[Value]] = {n.number: set() for n in nodes}
    changed = True
    while changed:
        changed = False
        for node in reversed(nodes):
            new: set[Value] = set()
            for successor in node.successors:
                phis = ssa.phis.get(successor, ())
                new |= (needs[successor] | out[successor]) - defined[successor]
                new |= {
                    phi.args[node.number]
                    for phi in phis
                    if not isinstance(phi.args[node.number], Const)
                }
            if new != out[node.number]:
                out[node.number] = new
                changed = True
    return out
