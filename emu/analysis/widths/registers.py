"""Vectors that are live at a time, of which 32 have registers."""

from __future__ import annotations

from itertools import accumulate
from math import prod

from ....isa.types import RegClass
from ..flow.order import Loop
from ..ranges.stepping import changed_parts, increment_of, is_invariant
from ..values.ssa import Const, Op, Phi, Value, operands_of, uses
from ..warps.uniformity import LaneShapes, Shapes

MOST_CARRIED = 24
"""Registers of what a loop carries from iteration to iteration, of 32."""

MOST_READ = 40
"""Registers of what a loop of 64-bit numbers carries or reads, above which 32 lanes are faster."""

MOST_IN_USE = 64
"""Registers of what is live at a time in such a loop, of 32, above which 32 lanes are faster."""

MOST_AT_A_TIME = 40
"""Registers of what is live at a time in a loop of 128 lanes, above which 64 are faster."""

MOST_BESIDE_GATHERS = 48
"""Registers of what is live at a time in a loop of 64 lanes with several gathers."""

REGISTER_BITS = 512

REGISTERS = 32


def live_values(shapes: Shapes) -> int:
    """Return the 32-bit words that are live at a time in a kernel, of a lane."""
    return _most_live(shapes, shapes.ssa.values())


def _most_live(shapes: Shapes, values: list[Value]) -> int:
    """Return the 32-bit words that are live at a time, a lane, among some values in linear order.

    A value lives from its place to its last use; what comes from elsewhere is live from the start.
    """
    place = {value: i for i, value in enumerate(values)}
    last: dict[Value, int] = {}
    for value in values:
        for a in operands_of(value):
            if not isinstance(a, Const):
                last[a] = max(last.get(a, 0), place[value])
    changes = [0] * (len(values) + 1)
    for value, end in last.items():
        assert isinstance(value, (Op, Phi))
        if value.cls is not RegClass.C and is_vector(shapes, value):
            begin = place.get(value, 0)
            size = value.cls.bits // 32
            changes[begin] += size
            changes[max(end, begin)] -= size
    return max(accumulate(changes))


def loops_fit(shapes: Shapes, lanes: int, bits: int) -> bool:
    """Return whether there are loops, and what those without loops in them carry has registers.

    `bits` are those of a lane, of `lanes` in a warp. Branches in loops have a mask for each vector:
    too many, but where vectors are of bytes. Half the lanes are as many vectors of 64-bit numbers.
    """
    loops = long_loops(shapes)
    return bool(loops) and all(
        carried_registers(shapes, loop, lanes, bits) <= MOST_CARRIED
        and live_registers(shapes, loop, lanes, bits) <= MOST_AT_A_TIME
        and _has_registers_for_stores(shapes, loop, lanes, bits)
        and (not _carries_doubles(shapes, loop) if bits == 8 else are_words_together(shapes, loop))
        for loop in loops
    )


def _has_registers_for_stores(shapes: Shapes, loop: Loop, lanes: int, bits: int) -> bool:
    """Return whether a loop has registers for what it stores beside what it carries.

    A store might change what is loaded, so all vectors of a load are there before the first store.
    """
    stores = any(op.ins.row.is_store for n in loop.nodes for op in shapes.ssa.ops.get(n, ()))
    stored = lanes * bits // REGISTER_BITS if stores else 0
    return carried_registers(shapes, loop, lanes, bits) + stored < REGISTERS


def are_words_together(shapes: Shapes, loop: Loop) -> bool:
    """Return whether a loop carries no vectors of 64-bit numbers, and has no masks of branches."""
    branches = loop.nodes & shapes.ssa.conditions.keys() - shapes.uniform_branches()
    return not branches and not _carries_doubles(shapes, loop)


def carries_in_registers(shapes: Shapes, lanes: int) -> bool:
    """Return whether registers suffice for what each inner loop carries, and one value more.

    Otherwise sums of a loop are loaded and stored in each iteration.
    """
    return all(
        _phi_registers(shapes, loop, lanes) + lanes * 32 // REGISTER_BITS < REGISTERS
        for loop in long_loops(shapes)
    )


def reads_in_registers(shapes: Shapes, lanes: int) -> bool:
    """Return whether also what each inner loop only reads has registers.

    Otherwise fewer lanes gain little, and load what is the same for all lanes more often.
    """
    loops = long_loops(shapes)
    return all(carried_registers(shapes, loop, lanes, 32) <= REGISTERS for loop in loops)


def computes_in_registers(shapes: Shapes, lanes: int) -> bool:
    """Return whether inner loops on 64-bit numbers access no vectors, and have registers for all.

    Of more lanes some numbers would be loaded and stored in each iteration.
    """
    return all(
        _carries_doubles(shapes, loop)
        and not _accesses_vectors(shapes, loop)
        and live_registers(shapes, loop, lanes, 32) <= REGISTERS
        for loop in long_loops(shapes)
    )


def _accesses_vectors(shapes: Shapes, loop: Loop) -> bool:
    """Return whether a loop loads or stores more than what is the same for all lanes."""
    ops = (op for n in loop.nodes for op in shapes.ssa.ops.get(n, ()))
    return any(
        op.ins.row.is_memory and not (op.ins.row.is_load and shapes.is_uniform(op)) for op in ops
    )


def _phi_registers(shapes: Shapes, loop: Loop, lanes: int) -> int:
    """Return the registers of a loop's phis, and of what lanes take out of it one by one."""
    phis = set(shapes.ssa.phis.get(loop.header, ()))
    if loop.number in shapes.divergent_loops:
        phis |= {
            phi
            for number, found in shapes.ssa.phis.items()
            if number not in loop.nodes
            for phi in found
            if any(n in loop.nodes and not is_invariant(a, loop) for n, a in phi.args.items())
        }
    vectors = [phi for phi in phis if phi.cls is not RegClass.C and is_vector(shapes, phi)]
    return sum(lanes * phi.cls.bits for phi in vectors) // REGISTER_BITS


def moves_in_memory(shapes: Shapes, lanes: int) -> bool:
    """Return whether a loop moves values from variable to variable, and not all have registers.

    Such a move is a load and a store for each vector. Values that stay where they are cost little:
    an instruction reads one operand from memory.
    """
    return any(
        _moves(shapes, loop) and carried_registers(shapes, loop, lanes, 32) > MOST_CARRIED
        for loop in long_loops(shapes)
    )


def spills_doubles(shapes: Shapes, lanes: int) -> bool:
    """Return whether a loop without loops in it carries, reads or computes many 64-bit numbers.

    Each is twice the registers: what it computes then has none left, and goes through memory.
    """
    return any(
        (
            carried_registers(shapes, loop, lanes, 32) > MOST_READ
            or live_registers(shapes, loop, lanes, 32) > MOST_IN_USE
        )
        and _carries_doubles(shapes, loop)
        for loop in long_loops(shapes)
    )


def _carries_doubles(shapes: Shapes, loop: Loop) -> bool:
    phis = shapes.ssa.phis.get(loop.header, ())
    return any(phi.cls is RegClass.D and is_vector(shapes, phi) for phi in phis)


def live_in_registers(shapes: Shapes, lanes: int) -> bool:
    """Return whether what is live at a time in each inner loop nearly has registers."""
    return all(
        live_registers(shapes, loop, lanes, 32) <= MOST_BESIDE_GATHERS
        for loop in long_loops(shapes)
    )


def live_registers(shapes: Shapes, loop: Loop, lanes: int, bits: int) -> int:
    """Return the registers of what is live at a time in a loop."""
    return _most_live(shapes, values_in(shapes, loop)) * lanes * bits // REGISTER_BITS


def values_in(shapes: Shapes, loop: Loop) -> list[Value]:
    """Return the values of a loop's nodes, in linear order."""
    ssa, order = shapes.ssa, [n for n in shapes.flow.order if n in loop.nodes]
    return [v for n in order for v in (*ssa.phis.get(n, ()), *ssa.ops.get(n, ()))]


def _moves(shapes: Shapes, loop: Loop) -> bool:
    """Return whether a variable of a loop gets the value that another one had."""
    phis = shapes.ssa.phis.get(loop.header, ())
    return any(a in phis and a is not phi for phi in phis for a in operands_of(phi))


def inner_loops(shapes: Shapes) -> list[Loop]:
    """Return the loops without loops in them."""
    loops = shapes.flow.loops
    return [loop for loop in loops if not any(other.nodes < loop.nodes for other in loops)]


def long_loops(shapes: Shapes) -> list[Loop]:
    """Return the inner loops that each work-item runs alone, or all of them if there are none."""
    short = short_loops(shapes)
    return [loop for loop in inner_loops(shapes) if loop not in short]


def short_loops(shapes: Shapes) -> list[Loop]:
    """Return the inner loops whose iterations work-items share, if there are others beside them.

    A loop in which the work-items of a workgroup share what they go through is short beside the
    others: it begins at an item's number and steps by the workgroup's size.
    """
    inner = inner_loops(shapes)
    shared = [loop for loop in inner if _is_shared(shapes, loop)]
    return shared if len(shared) < len(inner) else []


def _is_shared(shapes: Shapes, loop: Loop) -> bool:
    """Return whether the work-items of a workgroup share the iterations of a loop."""
    for phi in shapes.ssa.phis.get(loop.header, ()):
        first = {value for before, value in phi.args.items() if before not in loop.nodes}
        if len(first) != 1 or not _is_number(first.pop()):
            continue
        terms = increment_of(loop, phi)
        if terms is None or len(terms) != 1:
            continue
        ((sign, step),) = terms
        if sign > 0 and isinstance(step, Const) and step.bits == prod(shapes.facts.group_size) > 1:
            return True
    return False


def _is_number(value: Value) -> bool:
    """Return whether a value is a work-item's number in its workgroup."""
    return isinstance(value, Op) and value.ins.row.stem in ("workitemid", "workitemflatid")


def carried_registers(shapes: Shapes, loop: Loop, lanes: int, bits: int) -> int:
    """Return the registers of a loop's phis, and of what it uses or loads and does not change."""
    carried: set[Value] = set(shapes.ssa.phis.get(loop.header, ()))
    inside = {op for n in loop.nodes for op in shapes.ssa.ops.get(n, ())}
    inside_phis = {phi for n in loop.nodes for phi in shapes.ssa.phis.get(n, ())}
    carried |= {a for op in inside for a in uses(op)} - inside - inside_phis
    carried |= _loaded_once(shapes, loop)
    widths = [
        bits * value.cls.bits // 32
        for value in carried
        if isinstance(value, (Op, Phi)) and value.cls is not RegClass.C and is_vector(shapes, value)
    ]
    return sum(lanes * width // REGISTER_BITS for width in widths)


def _loaded_once(shapes: Shapes, loop: Loop) -> set[Op]:
    """Return the loads that LLVM moves out of a loop, which stores nothing, if none is tested."""
    accesses = [op for n in loop.nodes for op in shapes.ssa.ops.get(n, ()) if op.ins.row.is_memory]
    if not all(op.ins.row.is_load for op in accesses):
        return set()
    return {op for op in accesses if op.base is not None and not changed_parts(op.base, loop)}


def is_vector(shapes: Shapes, value: Op | Phi) -> bool:
    """Return whether a value takes vectors; one that steps from lane to lane has a scalar."""
    if isinstance(value, Op) and value.ins.dst is None:
        return False
    return lane_step(shapes, value) is None


def lane_step(shapes: LaneShapes, address: Value) -> int | None:
    """Return how far the addresses of neighbouring lanes are apart, where no index wraps around."""
    step = shapes.piece_stride(address)
    if step is not None or not (isinstance(address, Op) and address.parts):
        return step
    args = [lane_step(shapes, a) for a in address.args]
    if None in args:
        return None
    constants = [a.bits if isinstance(a, Const) else None for a in address.args]
    match address.ins.row.stem, args, constants:
        case "cvt", [int(a)], _:
            return a
        case "add", [int(a), int(b)], _:
            return a + b
        case "sub", [int(a), int(b)], _:
            return a - b
        case "shl", [int(a), _], [_, int(k)]:
            return a << (k & 63)
        case "mul", [int(a), _], [_, int(k)]:
            return a * k
        case "mul", [_, int(b)], [int(k), _]:
            return b * k
        case "mad", [int(a), _, int(c)], [_, int(k), _]:
            return a * k + c
        case "mad", [_, int(b), int(c)], [int(k), _, _]:
            return b * k + c
    return None
