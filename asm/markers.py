"""`reconverge` instructions for the explicit schemes: `--markers none` and `--markers explicit`.

A marker belongs to one conditional branch that may diverge and stands at its join (PPC-02, PPC-09).
The markers of branches that share a join form a run in front of the instruction there, inner
branches before outer ones (Q-PPC-11):

- A branch is inside another of the same join if the other reaches it without passing the join.
  Branches that reach each other (the exits of one loop) have no order. Each has its marker, but all
  of them re-converge at the last of theirs, because a stack may hold them in any order and an entry
  must not wait at a marker in front of the PC that it resumes at.
- A jump into the join enters the run at the first marker that it needs: of a branch from which the
  jump can be reached without passing the join. A side that comes from outside the inner branch thus
  skips the inner marker (S-PPC-X6). A jump that needs none, such as the back edge of a loop that
  begins at the join, skips them all.
- Falling into the join always enters at the first marker, and so do labels. A side may therefore
  execute a marker that is not its own; a scheme acts only on the marker that is the join of an open
  branch and takes every other one for a no-operation.

A branch whose two sides are equal never diverges, nor does unreachable code, and a branch without
a join never re-converges: none of them has a marker.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ..isa.table import BY_NAME
from .cfg import Cfg, build, reach
from .dominators import post_dominators
from .draft import DraftInstruction, DraftKernel, Join
from .joins import immediate

_RECONVERGE = BY_NAME["reconverge"]


def strip(kernel: DraftKernel) -> DraftKernel:
    """The kernel without `reconverge`: what pointed at one points behind it.

    Joins that were computed, not written in the source, are left out again, because the code
    around them has changed.
    """
    kept: list[int] = []
    new_index: list[int] = []
    for index, ins in enumerate(kernel.code):
        new_index.append(len(kept))
        if ins.row is not _RECONVERGE:
            kept.append(index)
    new_index.append(len(kept))

    def strip_one(ins: DraftInstruction) -> DraftInstruction:
        join = ins.join
        if isinstance(join, int):
            join = Join.AUTO if ins.join_span is None else new_index[join]
        target = None if ins.target is None else new_index[ins.target]
        return replace(ins, target=target, join=join)

    return replace(
        kernel,
        code=[strip_one(kernel.code[index]) for index in kept],
        labels={name: new_index[index] for name, index in kernel.labels.items()},
    )


def insert(kernel: DraftKernel) -> DraftKernel:
    """The kernel with exactly one `reconverge` per branch that may diverge.

    Markers of the source are stripped first, so inserting twice is inserting once. The joins of the
    branches that have a marker become that marker, or the one they share (see above).
    """
    kernel = strip(kernel)
    layout = _Layout(kernel.code)
    code: list[DraftInstruction] = []
    for index, ins in enumerate(kernel.code):
        code += [_marker(kernel.code[branch]) for branch in layout.markers(index)]
        code.append(layout.moved(index, ins))
    labels = {name: layout.first(index) for name, index in kernel.labels.items()}
    return replace(kernel, code=code, labels=labels)


def _marker(branch: DraftInstruction) -> DraftInstruction:
    """A marker has the place of its branch, so that a listing shows where it belongs."""
    return DraftInstruction(_RECONVERGE, branch.span, branch.location)


class _Layout:
    """Where everything stands once the markers are in."""

    def __init__(self, code: Sequence[DraftInstruction]) -> None:
        self.cfg = build(code)
        self.runs = _runs(self.cfg, code)
        self.run_of = {b: run for run in self.runs.values() for b in run.branches}
        self._at: list[int] = []
        at = 0
        for index in range(len(code) + 1):
            at += len(self.markers(index))
            self._at.append(at)
            at += 1

    def markers(self, index: int) -> tuple[int, ...]:
        """The branches whose markers stand in front of the instruction at `index`."""
        return self.runs[index].branches if index in self.runs else ()

    def first(self, index: int) -> int:
        """The new place of the instruction at `index`, its markers included."""
        return self._at[index] - len(self.markers(index))

    def moved(self, index: int, ins: DraftInstruction) -> DraftInstruction:
        """The instruction at `index` with its target and join in the code with markers."""
        target, join = ins.target, ins.join
        if target is not None:
            target = self._target(index, ins, target)
        if index in self.run_of:
            run = self.run_of[index]
            join = self.first(run.join) + run.own(index)
        elif isinstance(join, int):
            join = self._at[join]
        return replace(ins, target=target, join=join)

    def _target(self, index: int, ins: DraftInstruction, target: int) -> int:
        """Where a jump to a join enters the run of markers there."""
        both_sides_equal = ins.row.is_conditional and target == index + 1
        if target not in self.runs or both_sides_equal:
            return self.first(target)
        return self.first(target) + self.runs[target].entry(self.cfg.block_of[index])


@dataclass(frozen=True, slots=True)
class _Run:
    """The markers in front of one join: the branches they belong to, in the order of the markers.

    `regions` has the blocks that each branch reaches without passing the join, its own included.
    """

    join: int
    branches: tuple[int, ...]
    blocks: tuple[int, ...]
    regions: tuple[frozenset[int], ...]

    def own(self, branch: int) -> int:
        """The place in the run where a branch re-converges."""
        mine = self.branches.index(branch)
        return max(
            i
            for i in range(len(self.branches))
            if i == mine
            or (self.blocks[mine] in self.regions[i] and self.blocks[i] in self.regions[mine])
        )

    def entry(self, block: int) -> int:
        """The place in the run where a jump from this block enters it."""
        needed = (i for i, region in enumerate(self.regions) if block in region)
        return next(needed, len(self.branches))


def _runs(cfg: Cfg, code: Sequence[DraftInstruction]) -> dict[int, _Run]:
    """The run of markers in front of every join that needs one."""
    by_join: dict[int, list[int]] = {}
    for branch, join in _diverging(cfg, code):
        by_join.setdefault(join, []).append(branch)
    return {join: _run(cfg, join, branches) for join, branches in by_join.items()}


def _diverging(cfg: Cfg, code: Sequence[DraftInstruction]) -> Iterable[tuple[int, int]]:
    """The branches that may diverge and have a join, with it."""
    tree = post_dominators(cfg)
    for pc, ins in enumerate(code):
        if not ins.row.is_conditional or ins.target == pc + 1:
            continue
        if cfg.block_of[pc] not in cfg.reachable:
            continue
        join = immediate(cfg, tree, pc) if ins.join is Join.AUTO else ins.join
        if isinstance(join, int) and 0 <= join < len(code):
            yield pc, join


def _run(cfg: Cfg, join: int, branches: list[int]) -> _Run:
    barred = frozenset({cfg.block_of[join]})
    region: dict[int, frozenset[int]] = {}
    for branch in branches:
        block = cfg.block_of[branch]
        region[branch] = reach(cfg.flow, cfg.flow[block], barred) | {block}
    depth = {b: sum(cfg.block_of[b] in region[other] for other in branches) for b in branches}
    order = tuple(sorted(branches, key=lambda b: (-depth[b], b)))
    return _Run(join, order, tuple(cfg.block_of[b] for b in order), tuple(region[b] for b in order))
