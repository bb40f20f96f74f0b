"""The analysis of a kernel for native code that counts, made once for each shape of launches."""

from __future__ import annotations

from dataclasses import replace

from ....isa.instruction import Instruction
from ....isa.program import Kernel
from ...recent import Recent
from ..analysis import KEPT, Analysis, analyse
from ..facts import Facts
from ..flow.order import START, Flow, build
from .regions import Region, region, returning
from .stack_flow import stack_flow

MOST_NODES = 128
"""Nodes of a kernel that count warp-splits, which takes long to compile."""


class CountingAnalysis(Analysis):
    """What is known about a kernel's code in the layout in which native code counts it."""

    def __init__(self, code: tuple[Instruction, ...], flow: Flow) -> None:
        super().__init__(code)
        self.__dict__["flow"] = flow
        # Each load counts.
        self.__dict__["generated"] = self.ssa

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
            (r.meets if facts.splits else r.is_whole)
            and (r.join is not None or r.branch not in inside)
            for r in found.values()
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
    if facts.splits:
        return _as_it_is(kernel, facts)
    usual = analyse(kernel)
    shapes = usual.shapes(replace(facts, counts=0))
    uniform = shapes.uniform_branches()
    divergent = {usual.flow.nodes[n].stop for n in usual.ssa.conditions if n not in uniform}
    flow = stack_flow(kernel.instructions, divergent)
    if flow is None:
        return None
    found = CountingAnalysis(kernel.instructions, flow)
    return None if found.regions(facts) is None else found


def _as_it_is(kernel: Kernel, facts: Facts) -> CountingAnalysis | None:
    """Return the analysis of a kernel in a layout of code that does not count.

    None if lanes cannot be counted by their warp-splits there, as those that wait at barriers.
    """
    code = kernel.instructions
    if any(ins.row.is_barrier for ins in code):
        return None
    for flow in (analyse(kernel).flow, build(code)):  # loops over private memory may be copied
        found = CountingAnalysis(code, flow)
        if _has_each_once(flow) and found.regions(facts) is not None:
            return found
    return None


def _has_each_once(flow: Flow) -> bool:
    """Return whether the nodes are those of the code, each once, in its own loops."""
    own = [node for node in flow.nodes if node.latch_of is None]
    starts = {node.start for node in own if node.number != START}
    if len(own) > MOST_NODES:
        return False
    is_plain = all(node.copied is None for node in own) and len(starts) == len(own) - 1
    return is_plain and not any(loop.is_merged for loop in flow.loops)


_LATEST: Recent[tuple[object, ...], tuple[CountingAnalysis | None]] = Recent(KEPT)
