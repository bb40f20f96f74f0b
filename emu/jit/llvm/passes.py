"""The passes that LLVM runs over a module before it selects instructions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TypeVar

import llvmlite.binding as llvm
from llvmlite.binding.ffi import ObjectRef
from llvmlite.binding.newpassmanagers import NewPassManager

from .text import UNROLLED, VECTORISED
from .unlocked import run_function_passes, run_passes

_Manager = TypeVar("_Manager", llvm.ModulePassManager, llvm.FunctionPassManager)


class Level(StrEnum):
    """The effort that LLVM spends on a module."""

    FULL = "full"
    """The O2 pipeline, with loops vectorised and unrolled only where they say so: best code."""
    KERNEL = "kernel"
    """The function passes of O2 over simplified code, and loops unrolled where they say so.

    What else the O2 pipeline does takes a quarter of its time, and hardly changes a kernel, which
    has few functions and inlines those that must be. Modules with a loop that may be vectorised
    have all of that pipeline. Long modules are not simplified before, and longer ones have the
    function passes of O1."""
    QUICK = "quick"
    """Seven passes: a third of the time, within some percent; for kernels above about 150
    instructions.

    Nothing moves out of loops, loops are not rotated, and no value numbering looks beyond a block:
    the only pass for it that llvmlite offers (NewGVN) aborts the process on deep nests."""
    PLAIN = "plain"
    """The passes of QUICK, unoptimised code generation, registers allocated block by block.

    The time is proportional to the module. The other levels take minutes for some thousand
    accesses, or for some dozen loops one after the other."""
    BARE = "bare"
    """For tests only: PLAIN without the combination of instructions, which takes most of the time
    of its passes. Code is hardly larger."""
    WHOLE = "whole"
    """For a large program of scalar code, as the timing engine: the O3 pipeline, loops vectorised.

    It inlines less than LLVM's threshold of 225, which keeps the program near the size of a host's
    first-level cache for code and takes less time."""


ONLY: Level | None = None
"""The level of all kernels and segments, in place of what is best for each. Only tests set it: most
ask what code computes, and LLVM takes most of their time (tests/quick.py)."""


LONG = 3_350
"""Lines of a module from which on KERNEL does not simplify code before its function passes.

It does unroll loops then, also those that do not say so.
"""

LONGER = 4_300
"""Lines of a module from which on KERNEL has the function passes of O1.

Global value numbering is not one of them, whose time grows faster than the module.
"""


def run(
    machine: llvm.TargetMachine, module: llvm.ModuleRef, level: Level, ir: str, lines: int
) -> None:
    """Run the passes of a level over the text `ir`, a part of a module of so many `lines`."""
    vectorises = VECTORISED in ir
    is_longer = level is Level.KERNEL and lines > LONGER
    with (
        _options(level, is_longer=is_longer, vectorises=vectorises) as options,
        llvm.create_pass_builder(machine, options) as builder,
    ):
        if level is Level.KERNEL and (lines > LONG or not vectorises):
            _run_function_passes(builder, module, is_long=lines > LONG, unrolls=UNROLLED in ir)
            return
        with _freed(_passes(builder, level)) as passes:
            run_passes(passes, module, builder)


@contextmanager
def _freed(manager: _Manager) -> Iterator[_Manager]:
    """Give a pass manager, and free it and its passes at the end.

    llvmlite up to 0.50 never does: an empty method of a base class hides the one that frees. A
    compilation of a small kernel would leave 180 KiB.
    """
    try:
        yield manager
    finally:
        if type(manager)._dispose is ObjectRef._dispose:
            NewPassManager._dispose(manager)
            manager.detach()
        manager.close()


def _run_function_passes(
    builder: llvm.PassBuilder, module: llvm.ModuleRef, *, is_long: bool, unrolls: bool
) -> None:
    """Inline what must be, simplify each function, and unroll loops that say so, if there are some.

    A module that is not long is simplified before, too. What a loop carries, and does not need
    after its end, is then computed after the test that ends it: instructions are in another order.
    """
    with _freed(llvm.create_new_module_pass_manager()) as inlining:
        inlining.add_always_inliner_pass()
        inlining.add_global_dead_code_eliminate_pass()
        if not is_long:
            inlining.add_simplify_cfg_pass()
            inlining.add_sroa_pass()
            inlining.add_instruction_combine_pass()
            inlining.add_simplify_cfg_pass()
        run_passes(inlining, module, builder)
    with _freed(builder.getFunctionPassManager()) as simplifying:
        for function in module.functions:
            if not function.is_declaration:
                run_function_passes(simplifying, function, builder)
    if not unrolls and not is_long:
        return
    with _freed(llvm.create_new_module_pass_manager()) as unrolling:
        unrolling.add_loop_unroll_pass()
        # Arrays on the stack are at constant places only now.
        unrolling.add_sroa_pass()
        unrolling.add_simplify_cfg_pass()
        run_passes(unrolling, module, builder)


def _passes(builder: llvm.PassBuilder, level: Level) -> llvm.ModulePassManager:
    if level not in (Level.QUICK, Level.PLAIN, Level.BARE):
        return builder.getModulePassManager()
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    if level is not Level.BARE:
        passes.add_instruction_combine_pass()
        passes.add_simplify_cfg_pass()
    passes.add_dead_code_elimination_pass()
    passes.add_global_dead_code_eliminate_pass()
    return passes


def _options(level: Level, *, is_longer: bool, vectorises: bool) -> llvm.PipelineTuningOptions:
    whole = level is Level.WHOLE
    speed = 3 if whole else 1 if is_longer else 2
    options = llvm.create_pipeline_tuning_options(speed_level=speed)
    options.loop_interleaving = whole
    options.loop_unrolling = whole
    options.loop_vectorization = whole or vectorises
    if whole:
        options.inlining_threshold = 100
    return options
