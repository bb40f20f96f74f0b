"""The native code of a kernel for launches of one shape, from a cache or new."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass

from ....isa.collection import without_garbage_collection
from ....isa.program import Kernel
from ...analysis.analysis import analyse
from ...analysis.facts import Facts, OwnMemory
from ...analysis.suitability.limits import is_worth_optimising
from ...analysis.widths.one_warp import is_long
from ...engine import Work
from ...recent import Recent
from ..llvm import passes
from ..llvm.toolchain import Compiled, Level, compile_text, function_attributes, host_has
from ..llvm.toolchain import dump as dump_module
from ..runtime.fills import fills
from ..runtime.helpers import symbols
from ..runtime.strips import reporting_lowest
from .versions import counting_plan, facts_in_turns, traced_version, versions_in

_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)

QUICK_ABOVE = 150
"""Instructions from which on compile time counts more than the last percent of speed."""


@dataclass
class CompiledKernel:
    """A compiled kernel and what it needs."""

    compiled: Compiled
    function: Callable[[int, int, int], int]
    """Runs workgroups: (address of the context block, first, last) -> 1 if one trapped."""
    frame_bytes: int
    watched_by: int = 0
    """A `WatchedBy`, by which the code refuses some launches that exact owners would not; or 0."""


_COMPILED: Recent[tuple[object, ...], CompiledKernel] = Recent()


@without_garbage_collection()
def generate(kernel: Kernel, readonly_bytes: int, facts: Facts) -> str:
    """Return the IR text of a kernel: `kernel`, and `frame_bytes` for what a waiting warp keeps."""
    # A launch whose code is cached does without the code generator.
    from ...analysis.refilled import refilled
    from ..llvm.text import ModuleText
    from . import refilling
    from .counting.counted import Counted
    from .function import KernelCode

    analysis, counted = analyse(kernel), None
    if facts.counts or facts.stack:
        from ...analysis.counting.plan import analyse_counting

        analysis = analyse_counting(kernel, facts)
        assert analysis is not None, "run in the interpreter's order"
    if facts.counts:
        from ...analysis.counting.independence import reliance_as
        from ...analysis.counting.plan import CountingAnalysis

        assert isinstance(analysis, CountingAnalysis)
        regions = analysis.regions(facts)
        assert regions is not None
        relied = reliance_as(kernel, facts)
        assert relied is not None, "counted in the interpreter's order"
        counted = Counted(regions, relied, analysis.lane_plan(facts))
    usual_facts, alone = versions_in(kernel, analysis, facts)
    shapes = analysis.shapes(usual_facts)
    if counted is None:
        plan = analysis.lane_plan(usual_facts)
    else:
        plan = counting_plan(shapes, counted)
        alone = traced_version(kernel, analysis, facts, counted)
        if alone is not None and facts.own_memory is OwnMemory.ALONE:
            (shapes, plan), alone = alone, None
    module = ModuleText(function_attributes())
    usual = facts_in_turns(kernel, facts)

    def others() -> KernelCode:
        assert usual is not None
        shapes, plan = analysis.shapes(usual), analysis.lane_plan(usual)
        return KernelCode(module, kernel, readonly_bytes, shapes, plan)

    make_others = others if usual else None
    function = KernelCode(module, kernel, readonly_bytes, shapes, plan, counted, make_others)
    giving = refilled(kernel, shapes, plan) if host_has("avx512f") else None
    if alone is not None or plan.finds_limit:
        version = None
        if alone is not None:
            version = KernelCode(module, kernel, readonly_bytes, *alone, counted)
        module.define("kernel", function.fastest(version))
    elif giving is not None:
        usual_code = function.text(kernel=f"define internal i32 @{refilling.IN_ORDER}")
        module.define(refilling.IN_ORDER, usual_code)
        refilling.define(module, kernel, readonly_bytes, giving)
    else:
        module.define("kernel", function.text())
    frame = f"define i64 @frame_bytes() #0 {{\n  ret i64 {function.frame_bytes}\n}}\n"
    module.define("frame_bytes", frame)
    if facts.marks:
        way = min(function.memory.watched_by, default=0)
        module.define("watched_by", f"define i64 @watched_by() #0 {{\n  ret i64 {way}\n}}\n")
    return str(module)


def listing(kernel: Kernel, readonly_bytes: int, facts: Facts, what: str) -> str:
    """Return the optimised IR ("llvm") or assembly ("asm") of a kernel, or an analysis by name."""
    from ...analysis.dump import PASSES, dump

    if what in PASSES:
        return dump(kernel, what, facts)
    return dump_module(generate(kernel, readonly_bytes, facts), what, _level(kernel, facts))


def is_compiled(work: Work, facts: Facts) -> bool:
    """Return whether `compiled` has the code of a kernel in memory."""
    return _COMPILED.find(_key(work, facts)) is not None


def _key(work: Work, facts: Facts) -> tuple[object, ...]:
    kernel = work.kernel
    return (
        *kernel.key,
        kernel.params,
        len(work.program.readonly_data),
        facts,
        passes.ONLY,
    )


def compiled(work: Work, facts: Facts) -> CompiledKernel:
    """Return the code of a kernel under some facts, from a cache or new."""
    kernel, key = work.kernel, _key(work, facts)
    found = _COMPILED.find(key)
    if found is None:
        module = compile_text(
            lambda: generate(kernel, len(work.program.readonly_data), facts),
            ["kernel", "frame_bytes", *(["watched_by"] if facts.marks else [])],
            level=passes.ONLY or _level(kernel, facts),
            key=repr(key),
            symbols={**symbols(ins.row for ins in kernel.instructions), **fills()},
        )
        frame_bytes = ctypes.CFUNCTYPE(ctypes.c_int64)(module["frame_bytes"])()
        way = ctypes.CFUNCTYPE(ctypes.c_int64)(module["watched_by"])() if facts.marks else 0
        function = _FUNCTION(module["kernel"])
        if facts.strips:
            function = reporting_lowest(function)
        code = CompiledKernel(module, function, frame_bytes, way)
        found = _COMPILED.keep(key, code)
    return found


def _level(kernel: Kernel, facts: Facts) -> Level:
    if not is_worth_optimising(kernel):
        return Level.PLAIN
    if len(kernel.words) > QUICK_ABOVE or is_long(kernel, facts):
        return Level.QUICK
    return Level.KERNEL
