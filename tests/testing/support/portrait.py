"""What a random kernel is like: measured on its graph, and while the interpreter runs it."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from simtlab.asm.flow import cfg, loops
from simtlab.emu.schemes import IpdomStack
from simtlab.testing import Case, run_case


@dataclass
class Portrait:
    """One kernel under the post-dominator stack, at its own width."""

    divergent: int = 0
    """Branches at which a warp came apart, as often as it did."""
    nesting: int = 0
    """The most branches open at once when a warp came apart, that one included."""
    exits: int = 0
    """The most branches that leave one loop."""
    outer_exit: bool = False
    """Whether a branch leaves two loops at once."""
    irreducible: bool = False
    """Whether a loop has a second entry."""
    barrier_in_loop: bool = False
    barrier_under_branch: bool = False
    accesses: set[str] = field(default_factory=set)
    """Names of the memory instructions that were executed."""
    lines: int = 0


def portrait(case: Case) -> Portrait:
    """Look at a kernel and run it."""
    seen = Portrait(lines=len(case.source.splitlines()))
    (kernel,) = case.module.program.kernels
    _look(kernel, seen)
    branch = IpdomStack.branch

    def watch(scheme: IpdomStack, *how) -> None:
        seen.divergent += 1
        seen.nesting = max(seen.nesting, 1 + len(scheme.parked()))
        branch(scheme, *how)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(IpdomStack, "branch", watch)
        result, _, trap = run_case(case, "interp")
    assert result is not None, trap
    assert result.statistics is not None
    for ins, executions in zip(kernel.instructions, result.statistics.executions, strict=True):
        if executions and ins.row.is_memory:
            seen.accesses.add(ins.row.name)
    return seen


def _look(kernel, seen: Portrait) -> None:
    graph = cfg.build(kernel.instructions)
    found = loops.find(graph)
    for index, loop in enumerate(found.all):
        inside = [b for b in range(len(graph.blocks)) if found.contains(index, b)]
        leaving = [b for b in inside if any(not found.contains(index, s) for s in graph.flow[b])]
        seen.exits = max(seen.exits, len(leaving))
        parent = loop.parent
        if parent is not None:
            seen.outer_exit |= any(
                not found.contains(parent, s) for b in leaving for s in graph.flow[b]
            )
        seen.irreducible |= any(
            s in inside and s != loop.header
            for b in graph.reachable.difference(inside)
            for s in graph.flow[b]
        )
    for pc, ins in enumerate(kernel.instructions):
        block = graph.block_of[pc]
        if ins.row.stem == "barrier" and block in graph.reachable:
            seen.barrier_in_loop |= found.innermost[block] is not None
            seen.barrier_under_branch |= not _dominates_end(graph, block)


def _dominates_end(graph: cfg.Cfg, block: int) -> bool:
    """Whether every way from the entry to the exit leads through a block."""
    around = tuple(tuple(s for s in out if s != block) for out in graph.successors)
    return block == 0 or graph.exit not in cfg.reach(around, (0,))
