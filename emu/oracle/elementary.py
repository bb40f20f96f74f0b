"""The functions of isa/functions.py (sin, cos, exp2, log2), evaluated step by step."""

from __future__ import annotations

from collections.abc import Mapping

from ...isa.functions import ARGUMENT, Function
from .integers import Operation


def elementary(function: Function, operations: Mapping[str, Operation]) -> Operation:
    """Return the function as one operation. A step with a false guard keeps 0, which is unused."""
    steps = [(s.dst, operations[s.name], s.args, s.guard) for s in function.steps]
    result = function.result
    zeros = dict.fromkeys((step.dst for step in function.steps), 0)

    def evaluate(x: int) -> int:
        values = {**zeros, ARGUMENT: x}
        for dst, operation, args, guard in steps:
            if guard is None or values[guard]:
                operands = [values[a] if isinstance(a, str) else a for a in args]
                values[dst] = operation(*operands)
        return values[result]

    return evaluate
