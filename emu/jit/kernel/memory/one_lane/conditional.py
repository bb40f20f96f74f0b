"""Stores of one lane under a condition, without a branch on it.

A store that is not made goes to where nothing reads. Only its cold side asks for the condition.
"""

from __future__ import annotations

from collections.abc import Callable

from ......isa.types import Segment
from .....analysis.values.ssa import Op
from ....llvm.function_text import FunctionText
from ..addressing.addresses import Addresses


def may_be_conditional(addresses: Addresses, op: Op) -> bool:
    """Return whether an instruction of one lane can be executed under a condition.

    Only stores are made under it; others must do no harm.
    """
    row, base = op.ins.row, op.base
    if not row.is_memory or row.segment is Segment.KERNARG or row.stem == "lda":
        return True
    if row.segment is not Segment.GLOBAL or row.stem != "st" or base is None:
        return False
    form = addresses.form(base)
    return form is not None and addresses.window(base, form, True) is not None


def side(
    code: FunctionText, condition: str | None, slow: Callable[[], list[str]]
) -> Callable[[], list[str]]:
    """Return the cold side of a store that is made if a condition (an i1) holds, or always."""
    if condition is None:
        return slow

    def if_made() -> list[str]:
        made, after = code.fresh_label("m"), code.fresh_label("m")
        code.branch(condition, made, after)
        code.block(made)
        slow()
        code.jump(after)
        code.block(after)
        return []

    return if_made
