"""Construction of static single assignment: registers of each node become values (ssa.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ....asm.flow.graph import live_before
from ....isa.instruction import Imm, Instruction, Reg
from ....isa.table import BY_NAME, Flags
from ....isa.types import S8, S16, S32, U8, U16, U32, RegClass, Segment
from ..flow.order import START, Flow, Node, Step, components
from .ssa import Const, Op, Phi, Register, Ssa, Value, count_parts, remove_unused, same_value, uses


def build(code: tuple[Instruction, ...], flow: Flow) -> Ssa:
    """Return the SSA form of a kernel, without trivial phis and unused values."""
    live = _liveness(code, flow)
    ssa = Ssa(flow, {}, {}, {})
    _place_phis(flow, live, ssa)
    ends: dict[int, dict[Register, Value]] = {}
    for node in _real_nodes(flow):
        ends[node.number] = _rename(code, node, ssa, ends, live)
    for node in _real_nodes(flow):
        for phi in ssa.phis[node.number]:
            for before in node.predecessors:
                phi.args[before] = _value(ends[before], phi.register)
    _hoist(ssa)
    _remove_redundant_phis(ssa)
    remove_unused(ssa)
    count_parts(ssa)
    return ssa


def _real_nodes(flow: Flow) -> list[Node]:
    """Return the nodes with code, each after the predecessors from which no edge leads back."""
    return [flow.nodes[n] for n in flow.order if flow.nodes[n].latch_of is None]


def _register(reg: Reg) -> Register:
    return reg.cls, reg.index


def _liveness(code: tuple[Instruction, ...], flow: Flow) -> dict[int, frozenset[Register]]:
    """Return the registers whose values matter at the head of each node."""
    nodes = _real_nodes(flow)
    reads: dict[int, frozenset[Register]] = {}
    writes: dict[int, frozenset[Register]] = {}
    for node in nodes:
        read: set[Register] = set()
        written: set[Register] = set()
        for step in node.steps:
            if step.known is None:
                read |= _reads(code, step) - written
            written |= _writes(code, step)
        if node.last is not None:
            read |= {_register(r) for r in node.last.reads()} - written
        reads[node.number], writes[node.number] = frozenset(read), frozenset(written)
    if flow.refill is not None:
        # Registers are zero where a work-item begins.
        writes[flow.refill.node] = frozenset().union(*reads.values())
    successors = {node.number: node.successors for node in nodes}
    return live_before([node.number for node in nodes], successors, reads, writes)


def _reads(code: Sequence[Instruction], step: Step) -> set[Register]:
    """Return the registers that an instruction reads, with one in place of private memory."""
    ins = code[step.pc]
    if step.cell is None:
        return {_register(r) for r in ins.reads()}
    return {step.cell} if ins.row.is_load else {_register(r) for r in _data(ins)}


def _writes(code: Sequence[Instruction], step: Step) -> set[Register]:
    """Return the registers that an instruction writes, with one in place of private memory."""
    ins = code[step.pc]
    if step.cell is not None and ins.row.is_store:
        return {step.cell}
    return {_register(r) for r in ins.writes()}


def _data(store: Instruction) -> list[Reg]:
    """Return the register that is stored."""
    return [source for source in store.srcs if isinstance(source, Reg)]


def _place_phis(flow: Flow, live: dict[int, frozenset[Register]], ssa: Ssa) -> None:
    """Put a phi for every live register where lanes join and where they leave a loop."""
    for node in _real_nodes(flow):
        joins = node.predecessors and not _follows_one(node, flow)
        leaves = any(flow.left_by(before, node.number) for before in node.predecessors)
        ssa.phis[node.number] = [
            Phi(cls, node.number, (cls, index))
            for cls, index in (sorted(live[node.number]) if joins or leaves else ())
        ]


def _follows_one(node: Node, flow: Flow) -> bool:
    """Return whether a node has one predecessor, and that precedes it in the order."""
    return len(node.predecessors) == 1 and (node.predecessors[0], node.number) not in flow.back


def _value(env: dict[Register, Value], register: Register) -> Value:
    return env.get(register) or Const(register[0], 0)


def _rename(
    code: tuple[Instruction, ...],
    node: Node,
    ssa: Ssa,
    ends: dict[int, dict[Register, Value]],
    live: dict[int, frozenset[Register]],
) -> dict[Register, Value]:
    """Turn a node's instructions into ops; return the register values at its end."""
    env: dict[Register, Value] = {}
    if _follows_one(node, ssa.flow):
        before = ends[node.predecessors[0]]
        env = {r: before[r] for r in live[node.number] if r in before}
    env.update({phi.register: phi for phi in ssa.phis[node.number]})
    ops = ssa.ops[node.number] = []
    for step in node.steps:
        pc, ins = step.pc, code[step.pc]
        if step.known is not None:
            assert ins.dst is not None
            env[_register(ins.dst)] = Const(ins.dst.cls, step.known)
            continue
        if step.cell is not None:
            _move(env, node, pc, ins, step.cell, ops)
            continue
        args = [
            Const(operand.type.reg, source.bits) if isinstance(source, Imm) and operand.type
            else _value(env, _register(source))  # pyright: ignore[reportArgumentType]
            for operand, source in zip(ins.row.srcs, ins.srcs, strict=True)
        ]  # fmt: skip
        if ins.dst is not None and ins.row.stem == "mov":
            env[_register(ins.dst)] = args[0]
            continue
        if ins.dst is not None and Flags.READS_DST in ins.row.flags:
            args.append(_value(env, _register(ins.dst)))
        if ins.address is not None and ins.address.base is not None:
            args.append(_value(env, _register(ins.address.base)))
        op = Op(ins.dst.cls if ins.dst else RegClass.S, node.number, pc, ins, args)
        ops.append(op)
        if ins.dst is not None:
            env[_register(ins.dst)] = op
    if node.last is not None and node.last.srcs:
        condition = node.last.srcs[0]
        assert isinstance(condition, Reg)
        ssa.conditions[node.number] = _value(env, _register(condition))
    return env


def _move(
    env: dict[Register, Value],
    node: Node,
    pc: int,
    ins: Instruction,
    cell: Register,
    ops: list[Op],
) -> None:
    """Let an access to private memory that a register replaces move a value."""
    if ins.dst is None:
        (source,) = _data(ins)
        env[cell] = _value(env, _register(source))
        return
    value, type_ = _value(env, cell), ins.row.type
    if type_ in (U8, S8, U16, S16):
        wide = S32 if type_.is_signed else U32
        extend = Instruction(BY_NAME[f"cvt_{wide}_{type_}"], ins.dst, (ins.dst,))
        value = Op(ins.dst.cls, node.number, pc, extend, [value])
        ops.append(value)
    env[_register(ins.dst)] = value


def _hoist(ssa: Ssa) -> None:
    """Compute what is the same for all work-items before loops.

    Where lanes have different work-items in a loop, it would be a vector there. Elsewhere, an
    address that is made of an argument would not be known before the loop.
    """
    moved: set[Value] = set()
    for node in _real_nodes(ssa.flow):
        kept: list[Op] = []
        moves = ssa.flow.refill is not None or ssa.flow.loop_of[node.number] is not None
        for op in ssa.ops[node.number]:
            if moves and node.number != START and _is_common(op, moved):
                op.node = START
                ssa.ops[START].append(op)
                moved.add(op)
            else:
                kept.append(op)
        ssa.ops[node.number] = ssa.ops[START] if node.number == START else kept


def _is_common(op: Op, moved: set[Value]) -> bool:
    """Return whether an op gives the same for all work-items, and never a fault."""
    row = op.ins.row
    if row.segment is Segment.KERNARG:
        return op.base is None
    if op.ins.dst is None or row.is_memory or row.is_identity or Flags.MAY_TRAP in row.flags:
        return False
    return bool(op.args) and all(isinstance(a, Const) or a in moved for a in op.args)


def _remove_redundant_phis(ssa: Ssa) -> None:
    """Replace phis that equal one other value, and mark those that keep a loop's value.

    A group of phis that take each other's values and one value from outside is that value, however
    the loops between them are entered (Braun et al., "Simple and Efficient Construction of Static
    Single Assignment Form", 2013, algorithm 5). It stays where lanes leave the iteration that
    defines the value on the way to one of the phis.
    """
    replaced: dict[Value, Value] = {}

    def final(value: Value) -> Value:
        while value in replaced:
            value = replaced[value]
        return value

    def replacement(group: set[Phi]) -> Value | None:
        """Return the only value from outside, if it may take the place of all phis of a group."""
        outside = {
            same_value(value): value
            for phi in group
            for a in phi.args.values()
            if (value := final(a)) not in group
        }
        if len(outside) != 1:
            return None
        (value,) = outside.values()
        leaves = any(
            _leaves_its_iteration(ssa.flow, phi, before, value)
            for phi in group
            for before in phi.args
        )
        return None if leaves else value

    changed = True
    while changed:
        changed = False
        groups = [[phi for phis in ssa.phis.values() for phi in phis if phi not in replaced]]
        while groups:
            for group in _cycles(groups.pop(), final):
                value = replacement(group)
                if value is not None:
                    replaced.update(dict.fromkeys(group, value))
                    changed = True
                elif len(group) > 1:
                    inner = [
                        phi for phi in group if all(final(a) in group for a in phi.args.values())
                    ]
                    groups += [inner] if inner else []
    for number, phis in ssa.phis.items():
        ssa.phis[number] = [phi for phi in phis if phi not in replaced]
        for phi in ssa.phis[number]:
            phi.args = {before: final(v) for before, v in phi.args.items()}
            phi.keeps = any(_leaves_its_loop(ssa.flow, phi, *arg) for arg in phi.args.items())
    for ops in ssa.ops.values():
        for op in ops:
            op.args = [final(v) for v in op.args]
    ssa.conditions = {number: final(v) for number, v in ssa.conditions.items()}


def _cycles(phis: list[Phi], final: Callable[[Value], Value]) -> Iterator[set[Phi]]:
    """Yield the strongly connected groups of some phis, each after those whose values it takes."""
    numbers = {phi: i for i, phi in enumerate(phis)}
    takers: dict[int, list[int]] = {i: [] for i in range(len(phis))}
    for phi, i in numbers.items():
        for a in phi.args.values():
            source = numbers.get(final(a))  # pyright: ignore[reportArgumentType]
            if source is not None:
                takers[source].append(i)
    for group in components(takers, range(len(phis))):
        yield {phis[i] for i in group}


def _leaves_its_loop(flow: Flow, phi: Phi, before: int, value: Value) -> bool:
    """Return whether the edge from `before` to a phi leaves a loop that defines a value."""
    return isinstance(value, (Op, Phi)) and any(
        value.node in loop.nodes for loop in flow.left_by(before, phi.node)
    )


def _leaves_its_iteration(flow: Flow, phi: Phi, before: int, value: Value) -> bool:
    """Return whether that edge leaves such a loop, or leads back to the header of one."""
    if _leaves_its_loop(flow, phi, before, value):
        return True
    refill = flow.refill
    if refill is not None and phi.node == refill.header and isinstance(value, (Op, Phi)):
        # Lanes that stay in the loop keep their values when others get work-items.
        return value.node != START
    if not isinstance(value, (Op, Phi)) or (before, phi.node) not in flow.back:
        return False
    return any(
        loop.header == phi.node and value.node in loop.nodes for loop in flow.loops_around(phi.node)
    )


def check_iterations(ssa: Ssa) -> None:
    """Raise AssertionError if any use but a phi follows the iteration that defines its value."""
    flow = ssa.flow

    def check(value: Value, number: int) -> None:
        if isinstance(value, (Op, Phi)):
            assert flow.position[value.node] <= flow.position[number], (
                f"node {number} uses a value that node {value.node} defines after it"
            )
            for loop in flow.loops_around(value.node):
                assert number in loop.nodes, (
                    f"node {number} uses a value that node {value.node} defines in loop "
                    f"{loop.number}, which lanes have left"
                )

    for number, ops in ssa.ops.items():
        for op in ops:
            for value in uses(op):
                check(value, number)
    for number, condition in ssa.conditions.items():
        check(condition, number)
    for phis in ssa.phis.values():
        for phi in phis:
            for before, value in phi.args.items():
                check(value, before)
                left = _leaves_its_loop(flow, phi, before, value)
                assert phi.keeps or not left, f"a phi of node {phi.node} must keep its value"
