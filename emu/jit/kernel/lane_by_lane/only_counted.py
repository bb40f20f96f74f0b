"""A loop that does nothing but count its iterations, for all lanes at once, in code that counts."""

from __future__ import annotations

from ....analysis.flow.order import Loop
from ....analysis.lanes.only_counted import counter_alone, left_by, steps_by
from ....analysis.ranges.stepping import is_invariant
from ....analysis.values.ssa import Value
from ...llvm.text import integer, integer_constant
from ..lane_code import LaneCode
from ..loops.hoisted import Hoisted
from .counted_runs import CountedRun
from .exits import LaneExits


def left_at_once(
    lanes: LaneCode,
    loop: Loop,
    hoisted: Hoisted,
    counted: CountedRun | None,
    exits: LaneExits,
) -> bool:
    """Leave a loop with what all lanes have after their iterations, if that is known; else False.

    `hoisted` has passed. The code continues at the block at which lanes alone have left the loop.
    """
    if counted is None or counter_alone(lanes.ssa, loop) is None:
        return False
    returns = hoisted.returns_of_each
    counted.leave_together(returns)
    exits.leave_together(
        {phi: _after(lanes, loop, v, returns) for phi, v in left_by(lanes.ssa, loop).items()}
    )
    lanes.code.jump(f"done{loop.header}")
    return True


def _after(lanes: LaneCode, loop: Loop, value: Value, returns: list[str]) -> list[str]:
    """Return what all lanes have for a value after their iterations."""
    step = None if is_invariant(value, loop) else steps_by(loop, value)
    chunks = lanes.vector(value)
    if not step:
        return chunks
    code, bits = lanes.code, value.cls.bits
    t, by = integer(bits, lanes.n), integer_constant(step, bits, lanes.n)
    found = []
    for chunk, made in zip(chunks, returns, strict=True):
        number = made
        if bits < 64:
            number = code.let(f"trunc {integer(64, lanes.n)} {made} to {t}")
        found.append(code.let(f"add {t} {chunk}, {code.let(f'mul {t} {number}, {by}')}"))
    return found
