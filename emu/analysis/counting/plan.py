"""The analysis of a kernel for native code that counts, made once for each shape of launches."""

from __future__ import annotations

from dataclasses import replace

from ....isa.instruction import Instruction
from ....isa.program import Kernel
from ...recent import Recent
from ..analysis import KEPT, Analysis, analyse
from ..facts import Facts
from ..flow.order import Flow, build
from .paths import paths_of
from .regions import Region, region, returning
from .stack_flow import stack_flow


class CountingAnalysis(Analysis):
    """What is known about a kernel's code in the layout in which native code counts it."""

    def __init__(self, code: tuple[Instruction, ...], flow: Flow) -> None:
        super().__init__(code)
        self.__dict__["flow"] = flow

    def regions(self, facts: Facts) -> dict[int, Region] | None:
        """Return the region of each branch that may diverge; None if one is not whole."""
        alive = returning(self.flow.nodes)
        divergent = self.ssa.conditions.keys() - self.shapes(facts).uniform_branches()
        found = {
            b: region(self.flow, b, alive)
            for b in sorted(divergent & alive)
            if len(self.flow.nodes[b].successors) == 2
        }
        inside = {n for r in found.values() if r.join is not None for n in r.nodes}
        whole = all(
            r.is_whole and (r.join is not None or r.branch not in inside) for r in found.values()
        )
        return found if whole else None


def analyse_counting(kernel: Kernel, facts: Facts) -> CountingAnalysis | None:
    """Return the analysis of a kernel for code that counts; None if the interpreter must count."""
    facts = replace(facts, strict=False)
    key = kernel.key, facts
    found = _LATEST.find(key)
    if found is None:
        found = _LATEST.keep(key, (_analyse(kernel, facts),))
    return found[0]


def _analyse(kernel: Kernel, facts: Facts) -> CountingAnalysis | None:
    if facts.paths:
        return _recorded(kernel)
    usual = analyse(kernel)
    shapes = usual.shapes(replace(facts, counts=0))
    uniform = shapes.uniform_branches()
    divergent = {usual.flow.nodes[n].stop for n in usual.ssa.conditions if n not in uniform}
    flow = stack_flow(kernel.instructions, divergent)
    if flow is None:
        return None
    found = CountingAnalysis(kernel.instructions, flow)
    return None if found.regions(facts) is None else found


def _recorded(kernel: Kernel) -> CountingAnalysis | None:
    """Return the analysis of a kernel whose lanes' ways are recorded; None if they cannot be."""
    code = kernel.instructions
    for flow in (analyse(kernel).flow, build(code)):  # loops over private memory may be copied
        if paths_of(flow) is not None:
            return CountingAnalysis(code, flow)
    return None


_LATEST: Recent[tuple[object, ...], tuple[CountingAnalysis | None]] = Recent(KEPT)
