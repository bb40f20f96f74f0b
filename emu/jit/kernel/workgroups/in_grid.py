"""Launches that rely on elements of which each work-item has its own (counting/spaced.py).

A call refuses them before any workgroup has run if steps are too close to each other for the
launch's grid and arguments.
"""

from __future__ import annotations

from collections.abc import Mapping

from ....analysis.counting.independence import Reliance
from ....analysis.counting.spaced import Spaced, Sum
from ...llvm.function_text import FunctionText, definition
from ...runtime.context import ITEMS, NO_GROUP, Slot, TrapCode
from ..context_code import load_slot, store_slot

_ALL = 1 << 32


def in_grid(entry: FunctionText, relied: Reliance, head: str, arguments: str) -> str:
    """Return the function of a kernel, which calls `groups` where steps are far enough apart.

    `head` is how it begins, and `arguments` are those of both.
    """
    code = entry.elsewhere()
    passes = "true"
    for each in relied.spaced:
        passes = code.let(f"and i1 {passes}, {_is_apart(code, each)}")
    code.branch(passes, "run", "refused")
    code.block("run")
    code.ret("i32", code.let(f"call i32 @groups({arguments})"))
    code.block("refused")
    store_slot(code, Slot.TRAP_KIND, str(int(TrapCode.READ_ONLY)))
    store_slot(code, Slot.TRAP_PC, str(relied.spaced_at))
    store_slot(code, Slot.TRAP_GROUP, str(NO_GROUP))
    code.ret("i32", 1)
    return definition(f"{head}({arguments})", code)


def _is_apart(code: FunctionText, elements: Spaced) -> str:
    """Return whether no element is accessed by two work-items, an i1.

    All that those with lesser numbers in other dimensions access lies within the step of one.
    """
    block = code.let(f"inttoptr i64 {load_slot(code, Slot.KERNARG)} to ptr")
    most = {d: code.let(f"sub i64 {load_slot(code, slot)}, 1") for d, slot in enumerate(ITEMS)}
    for d, limit in elements.most:
        limit_ = _value(code, block, limit)
        most[d] = code.intrinsic("llvm.umin", "i64", f"i64 {most[d]}", f"i64 {limit_}")
    extent, passes = str(elements.window), "true"
    steps: Mapping[int, Sum] = dict(elements.steps)
    for d in [*(d for d in most if d not in steps), *steps]:
        step = _value(code, block, steps.get(d, ()))
        wide, times = (code.let(f"zext i64 {value} to i128") for value in (step, most[d]))
        is_one = code.let(f"icmp eq i64 {most[d]}, 0")
        is_far = code.let(f"icmp uge i128 {wide}, {extent}")
        passes = code.let(f"and i1 {passes}, {code.let(f'or i1 {is_one}, {is_far}')}")
        extent = code.let(f"add i128 {extent}, {code.let(f'mul i128 {wide}, {times}')}")
    return code.let(f"and i1 {passes}, {code.let(f'icmp ule i128 {extent}, {_ALL}')}")


def _value(code: FunctionText, block: str, terms: Sum) -> str:
    """Return a sum of products of arguments, modulo 2^32, as an i64."""
    total = "0"
    for places, times in terms:
        value = str(times)
        for place in places:
            argument = code.let(f"getelementptr i8, ptr {block}, i64 {place}")
            value = code.let(f"mul i32 {value}, {code.let(f'load i32, ptr {argument}')}")
        total = code.let(f"add i32 {total}, {value}")
    return code.let(f"zext i32 {total} to i64")
