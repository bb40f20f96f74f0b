"""What is called for a range of workgroups: the function that runs them, or one that calls it."""

from __future__ import annotations

from collections.abc import Callable

from ....analysis.warps.uniformity import Shapes
from ....analysis.workgroup_steps import must_be_apart
from ...llvm.function_text import FunctionText, definition
from ...runtime.helpers import ATTRIBUTES, BEGIN_ATOMICS, END_ATOMICS
from ..memory.kernel_memory import KernelMemory
from .turns import in_turns

ARGUMENTS = "ptr %ctx, i64 %first, i64 %last"

KERNEL = "define i32 @kernel"
"""How the definition of what is called begins."""


def called(
    text: Callable[[str], str],
    entry: FunctionText,
    shapes: Shapes,
    memory: KernelMemory,
    *,
    has_atomics: bool,
    kernel: str = KERNEL,
) -> str:
    """Return what is called for a range of workgroups; `text(head)` is the function for it.

    `kernel` is how the definition of what is called begins, and `has_atomics` says whether the
    kernel has atomics of global memory.
    """
    facts = shapes.facts
    head = f"define internal i32 @groups({ARGUMENTS}) noinline"
    if memory.before:
        from .batches import in_batches

        # With atomics it is called between the helpers.
        batches = "define internal i32 @batches" if has_atomics else kernel
        batches = in_batches(entry, facts, memory, batches)
        around = _between_helpers(entry, "batches") if has_atomics else ""
        return text(head) + batches + around
    relied = memory.relied
    if relied is not None and relied.spaced:
        from .in_grid import in_grid

        guarded = in_grid(
            entry, relied, "define internal i32 @in_grid" if has_atomics else kernel, ARGUMENTS
        )
        around = _between_helpers(entry, "in_grid") if has_atomics else ""
        return text(head) + guarded + around
    if has_atomics:
        return text(head) + _between_helpers(entry, "groups")
    if not facts.strips and not facts.counts:
        apart = must_be_apart(shapes)
        if apart is not None:
            return text(head) + in_turns(entry, facts, apart, f"{kernel}({ARGUMENTS})")
    return text(f"{kernel}({ARGUMENTS})")


def _between_helpers(entry: FunctionText, between: str) -> str:
    """Return the function of a kernel with atomics, which asks first whether they may be plain.

    `between` is the name of the function that runs workgroups.
    """
    code = entry.elsewhere()
    for name in (BEGIN_ATOMICS, END_ATOMICS):
        code.module.declare(name, f"declare i32 @{name}(ptr) {ATTRIBUTES}")
    code.call("i32", BEGIN_ATOMICS, "ptr %ctx")
    result = code.let(f"call i32 @{between}({ARGUMENTS})")
    code.call("i32", END_ATOMICS, "ptr %ctx")
    code.ret("i32", result)
    return definition(f"define i32 @kernel({ARGUMENTS})", code)
