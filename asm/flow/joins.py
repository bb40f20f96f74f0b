"""Re-convergence points: computed if the source leaves them out, checked if it names them.

The join of a conditional branch is the first instruction of the block that immediately
post-dominates it (DWS-02). If that is the virtual exit, the sides never re-converge and the join
is none. A source may name a later post-dominator, or none; a point that some path avoids is an
error, because a stack would wait there for lanes that never arrive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...isa.errors import Diagnostic, Note, ObjectFileError
from ...isa.program import Kernel, Program
from ..draft import DraftKernel, Join
from ..texts.collector import Collector
from .cfg import Cfg, build
from .dominators import DominatorTree, post_dominators
from .loops import find
from .paths import avoiding, by_address, describe

SUBDIVIDE_LIMIT = 50
"""A branch may subdivide a warp if at most this many instructions follow its join (DWS-06)."""

_MOST_DIAGNOSTICS = 20


def annotate(
    kernel: DraftKernel, cfg: Cfg, collector: Collector, subdivide_limit: int = SUBDIVIDE_LIMIT
) -> None:
    """Fill in the joins, subdivide flags and loop flags that the source omits; check the others.

    `cfg` is the graph of the kernel's code. Targets and joins outside the code are left to the
    verifier.
    """
    tree, loops = post_dominators(cfg), find(cfg)
    for pc, ins in enumerate(kernel.code):
        if ins.row.is_branch and ins.loop is None:
            ins.loop = loops.delimits(pc)
        if not ins.row.is_conditional:
            continue
        if ins.join is Join.AUTO:
            join = immediate(cfg, tree, pc)
            ins.join = Join.NONE if join is None else join
        elif isinstance(ins.join, int) and 0 <= ins.join < len(kernel.code):
            problem = _problem(kernel, cfg, tree, pc, ins.join)
            if problem:
                collector.add(problem)
        if ins.subdivide is None:
            ins.subdivide = length_after(cfg, ins.join) <= subdivide_limit


def immediate(cfg: Cfg, tree: DominatorTree, pc: int) -> int | None:
    """Return the join of the branch at `pc` (its immediate post-dominator), None for exit."""
    block = tree.parents[cfg.block_of[pc]]
    return None if block is None or block == cfg.exit else cfg.blocks[block].start


def length_after(cfg: Cfg, join: int | Join) -> int:
    """Count instructions from a join to the end of its block, without `reconverge` (DWS-06).

    After the virtual exit there are none, so a branch without a join may always subdivide: its
    sides would not re-converge under a stack either. Markers before the block belong to it,
    also if an outer branch's side enters between them.
    """
    if not isinstance(join, int) or not 0 <= join < len(cfg.code):
        return 0
    code = cfg.code
    while join + 1 < len(code) and code[join].row.is_marker:
        join += 1
    end = cfg.blocks[cfg.block_of[join]].end
    return sum(not code[pc].row.is_marker for pc in range(join, end))


def why_not_post_dominator(
    cfg: Cfg,
    tree: DominatorTree,
    branch: int,
    join: int,
    place: Callable[[int], str] = by_address,
) -> str | None:
    """Return the path from the branch that avoids the join, in words; None for a post-dominator."""
    above, below = cfg.block_of[join], cfg.block_of[branch]
    if above != below and tree.dominates(above, below):
        return None
    path = avoiding(cfg, branch, join)
    assert path is not None, "dominator tree and path search disagree"
    return f"a path avoids it: {describe(cfg, path, place)}"


def is_post_dominator(cfg: Cfg, tree: DominatorTree, branch: int, join: int) -> bool:
    """Return whether every way from the branch to the end executes the join."""
    return why_not_post_dominator(cfg, tree, branch, join) is None


def _problem(
    kernel: DraftKernel, cfg: Cfg, tree: DominatorTree, pc: int, join: int
) -> Diagnostic | None:
    """Return the error of a join that the source names, with the path that avoids it."""

    def line(at: int) -> str:
        return f"line {kernel.code[at].span.line}"

    reason = why_not_post_dominator(cfg, tree, pc, join, line)
    if reason is None:
        return None
    ins, best = kernel.code[pc], immediate(cfg, tree, pc)
    remedy = "write none" if best is None else f"name the instruction at {line(best)}"
    return Diagnostic(
        "SIM150",
        f"{ins.row.name} does not always re-converge at {line(join)}: {reason}",
        ins.join_span or ins.span,
        label="not a post-dominator of the branch",
        hint=f"leave the re-convergence point out, or {remedy}",
        notes=tuple(
            Note(f"{kernel.code[step.pc].row.name} {step.does}", kernel.code[step.pc].span)
            for step in avoiding(cfg, pc, join) or ()
        ),
    )


def check_program(program: Program) -> None:
    """Raise ObjectFileError unless every join of a verified program is a post-dominator.

    The check of the assembler for code that did not come from it; `none` is always right.
    """
    found: list[Diagnostic] = []
    for kernel in program.kernels:
        found += _kernel_problems(program, kernel)
    if found:
        raise ObjectFileError(diagnostics=tuple(found[:_MOST_DIAGNOSTICS]))


def _kernel_problems(program: Program, kernel: Kernel) -> Iterator[Diagnostic]:
    code = kernel.instructions
    if all(ins.join is None for ins in code):
        return
    cfg = build(code)
    tree = post_dominators(cfg)
    for pc, ins in enumerate(code):
        if ins.join is None:
            continue
        reason = why_not_post_dominator(cfg, tree, pc, ins.join)
        if reason is not None:
            yield Diagnostic(
                "SIM230",
                f"kernel {kernel.name}, word {pc} ({ins.name}): its re-convergence point "
                f"{by_address(ins.join)} is not a post-dominator: {reason}",
                program.span(kernel, pc),
            )
