"""Vectors that are live at a time, of which 32 have registers."""

from __future__ import annotations

from itertools import accumulate

from ....isa.types import RegClass
from ..flow.order import Loop
from ..values.ssa import Const, Op, Phi, Value, operands_of, uses
from ..warps.uniformity import Shapes

MOST_LIVE = 7
"""Values in vectors at a time, in 64 lanes without a loop: each takes four registers of 32."""

MUCH = 8
"""Computing instructions for each such value, from which on more of them do no harm."""

MOST_CARRIED = 24
"""Registers of what a loop carries from iteration to iteration, of 32."""

MOST_READ = 40
"""Registers of what a loop of 64-bit numbers carries or reads, above which 32 lanes are faster."""

REGISTER_BITS = 512


def has_registers(shapes: Shapes) -> bool:
    """Return whether code without loops gains by 64 lanes, as far as registers go.

    A value lives from its place to its last use in the linear order. Values that do not stay in
    registers cost little among much more arithmetic.
    """
    values = shapes.ssa.values()
    place = {value: i for i, value in enumerate(values)}
    last: dict[Value, int] = {}
    computed = 0
    for value in values:
        assert isinstance(value, (Op, Phi))
        computed += isinstance(value, Op) and not value.ins.row.has_address
        for a in operands_of(value):
            if not isinstance(a, Const):
                last[a] = max(last.get(a, 0), place[value])
    changes = [0] * (len(values) + 1)
    for value, end in last.items():
        assert isinstance(value, (Op, Phi))
        if value.cls is not RegClass.C and is_vector(shapes, value):
            size = value.cls.bits // 32
            changes[place[value]] += size
            changes[max(end, place[value])] -= size
    most = max(accumulate(changes))
    return most <= MOST_LIVE or most * MUCH <= computed


def loops_fit(shapes: Shapes, lanes: int, bits: int) -> bool:
    """Return whether there are loops, and what those without loops in them carry has registers.

    `bits` are those of a lane, of `lanes` in a warp. Branches in loops have a mask for each vector:
    too many, but where vectors are of bytes.
    """
    loops = inner_loops(shapes)
    return bool(loops) and all(
        _carried_registers(shapes, loop, lanes, bits) <= MOST_CARRIED
        and (
            bits == 8 or not (loop.nodes & shapes.ssa.conditions.keys() - shapes.uniform_branches())
        )
        for loop in loops
    )


def moves_in_memory(shapes: Shapes, lanes: int) -> bool:
    """Return whether a loop moves values from variable to variable, and not all have registers.

    Such a move is a load and a store for each vector. Values that stay where they are cost little:
    an instruction reads one operand from memory.
    """
    return any(
        _moves(shapes, loop) and _carried_registers(shapes, loop, lanes, 32) > MOST_CARRIED
        for loop in inner_loops(shapes)
    )


def spills_doubles(shapes: Shapes, lanes: int) -> bool:
    """Return whether a loop without loops in it carries or reads many 64-bit numbers.

    Each is twice the registers: what it computes then has none left, and goes through memory.
    """
    return any(
        _carried_registers(shapes, loop, lanes, 32) > MOST_READ
        and any(
            phi.cls is RegClass.D and is_vector(shapes, phi)
            for phi in shapes.ssa.phis.get(loop.header, ())
        )
        for loop in inner_loops(shapes)
    )


def _moves(shapes: Shapes, loop: Loop) -> bool:
    """Return whether a variable of a loop gets the value that another one had."""
    phis = shapes.ssa.phis.get(loop.header, ())
    return any(a in phis and a is not phi for phi in phis for a in operands_of(phi))


def inner_loops(shapes: Shapes) -> list[Loop]:
    """Return the loops without loops in them."""
    loops = shapes.flow.loops
    return [loop for loop in loops if not any(other.nodes < loop.nodes for other in loops)]


def _carried_registers(shapes: Shapes, loop: Loop, lanes: int, bits: int) -> int:
    """Return the registers of a loop's phis, and of what it uses and does not change."""
    carried: set[Value] = set(shapes.ssa.phis.get(loop.header, ()))
    inside = {op for n in loop.nodes for op in shapes.ssa.ops.get(n, ())}
    inside_phis = {phi for n in loop.nodes for phi in shapes.ssa.phis.get(n, ())}
    carried |= {a for op in inside for a in uses(op)} - inside - inside_phis
    widths = [
        bits * value.cls.bits // 32
        for value in carried
        if isinstance(value, (Op, Phi)) and value.cls is not RegClass.C and is_vector(shapes, value)
    ]
    return sum(lanes * width // REGISTER_BITS for width in widths)


def is_vector(shapes: Shapes, value: Op | Phi) -> bool:
    """Return whether a value takes vectors; one that steps from lane to lane has a scalar."""
    if isinstance(value, Op) and value.ins.dst is None:
        return False
    return lane_step(shapes, value) is None


def lane_step(shapes: Shapes, address: Value) -> int | None:
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
