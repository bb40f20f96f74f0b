"""`reconverge` instructions for the explicit schemes: `--markers none` and `--markers explicit`.

A marker belongs to one conditional branch that may diverge and is at its join (PPC-02, PPC-09).
The markers of branches that share a join form a run before the instruction there, inner
branches before outer ones (Q-PPC-11):

- A branch is inside another of the same join if the other reaches it without passing the join.
  Branches that reach each other (the exits of one loop) have no order. Each has its marker, but all
  of them re-converge at the last of theirs, because a stack may hold them in any order and an entry
  must not wait at a marker before the PC at which it resumes.
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

from ...isa.table import BY_NAME
from ..draft import DraftInstruction, DraftKernel, Join
from .cfg import Cfg, build
from .dominators import DominatorTree, post_dominators
from .graph import components
from .joins import immediate

_RECONVERGE = BY_NAME["reconverge"]


def strip(kernel: DraftKernel) -> DraftKernel:
    """Return the kernel without `reconverge`; labels at one move to the next instruction.

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
    """Return the kernel with exactly one `reconverge` per branch that may diverge.

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
    """Return a marker at the location of its branch, so that a listing shows where it belongs."""
    return DraftInstruction(_RECONVERGE, branch.span, branch.location)


class _Layout:
    """The places of instructions after the markers are inserted."""

    def __init__(self, code: Sequence[DraftInstruction]) -> None:
        self.cfg = build(code)
        self.runs = _runs(self.cfg, code)
        self.run_of = {b: run for run in self.runs.values() for b in run.branches}
        self._at: list[int] = []
        place = 0
        for index in range(len(code) + 1):
            place += len(self.markers(index))
            self._at.append(place)
            place += 1

    def markers(self, index: int) -> tuple[int, ...]:
        """Return the branches whose markers are before the instruction at `index`."""
        return self.runs[index].branches if index in self.runs else ()

    def first(self, index: int) -> int:
        """Return the new place of the instruction at `index`, its markers included."""
        return self._at[index] - len(self.markers(index))

    def moved(self, index: int, ins: DraftInstruction) -> DraftInstruction:
        """Return the instruction at `index` with its target and join in the code with markers."""
        target, join = ins.target, ins.join
        if target is not None:
            target = self._target(index, ins, target)
        if index in self.run_of:
            run = self.run_of[index]
            join = self.first(run.join) + run.own[index]
        elif isinstance(join, int):
            join = self._at[join]
        return replace(ins, target=target, join=join)

    def _target(self, index: int, ins: DraftInstruction, target: int) -> int:
        """Return where a jump to a join enters the run of markers there."""
        both_sides_equal = ins.row.is_conditional and target == index + 1
        if target not in self.runs or both_sides_equal:
            return self.first(target)
        run = self.runs[target]
        return self.first(target) + run.entry.get(self.cfg.block_of[index], len(run.branches))


@dataclass(frozen=True, slots=True)
class _Run:
    """The markers before one join: the branches they belong to, in the order of the markers.

    `own` is the place in the run where a branch re-converges, `entry` the place where a jump from
    a block enters the run. Blocks that no branch of the run reaches have none.
    """

    join: int
    branches: tuple[int, ...]
    own: dict[int, int]
    entry: dict[int, int]


def _runs(cfg: Cfg, code: Sequence[DraftInstruction]) -> dict[int, _Run]:
    """Return the run of markers before every join that needs one."""
    tree = post_dominators(cfg)
    by_join: dict[int, list[int]] = {}
    for branch, join in _diverging(cfg, tree, code):
        by_join.setdefault(join, []).append(branch)
    return {join: _run(cfg, tree, join, branches) for join, branches in by_join.items()}


def _diverging(
    cfg: Cfg, tree: DominatorTree, code: Sequence[DraftInstruction]
) -> Iterable[tuple[int, int]]:
    """Yield the branches that may diverge and have a join, with it."""
    for pc, ins in enumerate(code):
        if not ins.row.is_conditional or ins.target == pc + 1:
            continue
        if cfg.block_of[pc] not in cfg.reachable:
            continue
        join = immediate(cfg, tree, pc) if ins.join is Join.AUTO else ins.join
        if isinstance(join, int) and 0 <= join < len(code):
            yield pc, join


def _run(cfg: Cfg, tree: DominatorTree, join: int, branches: list[int]) -> _Run:
    """Return the run of a join, after finding for all branches at once which reaches which.

    A branch is a bit; a block's bits are the branches that reach it without passing the join. They
    flow along the strongly connected components, in which every block reaches every other.
    """
    edges = _ways(cfg, tree, join, branches)
    parts = components(edges, sorted(edges))[::-1]
    branch_in = {cfg.block_of[b]: b for b in branches}
    bit = {cfg.block_of[b]: 1 << i for i, b in enumerate(branches)}
    bits = dict.fromkeys(edges, 0)
    depth: dict[int, int] = {}
    for part in parts:
        together = 0
        for block in part:
            together |= bits.pop(block) | bit.get(block, 0)
        for block in part:
            if block in branch_in:
                depth[branch_in[block]] = together.bit_count()
            for following in edges[block]:
                if following in bits:
                    bits[following] |= together
    order = tuple(sorted(branches, key=lambda b: (-depth[b], b)))
    place = {branch: i for i, branch in enumerate(order)}
    own: dict[int, int] = {}
    entry = dict.fromkeys(edges, len(order))
    for part in parts:
        places = [place[branch_in[block]] for block in part if block in branch_in]
        first = min([*places, *(entry[block] for block in part)])
        for block in part:
            entry[block] = first
            if block in branch_in:
                own[branch_in[block]] = max(places)
            for following in edges[block]:
                entry[following] = min(entry[following], first)
    return _Run(join, order, own, entry)


def _ways(
    cfg: Cfg, tree: DominatorTree, join: int, branches: list[int]
) -> dict[int, tuple[int, ...]]:
    """Return where control goes from the branches' blocks without passing the join.

    Only the blocks count that the join post-dominates immediately: on the way to the next of them
    nothing belongs to the join, so that the branches of a nest do not walk through all of it. That
    does not hold where the source names a later join than it could.
    """
    barred = cfg.block_of[join]
    skips = all(tree.parents[cfg.block_of[b]] == barred for b in branches)
    edges: dict[int, tuple[int, ...]] = {}
    waiting = [cfg.block_of[b] for b in branches]
    while waiting:
        block = waiting.pop()
        if block in edges:
            continue
        ways = [t for t in cfg.flow[block] if t != barred]
        if skips:
            ways = [tree.child_above(barred, t) for t in ways if tree.dominates(barred, t)]
        edges[block] = tuple(ways)
        waiting += ways
    return edges
