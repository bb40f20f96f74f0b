"""The way in which the lanes of a warp run a kernel's nodes: waiting places, masks, tests."""

from __future__ import annotations

from ....asm.flow.graph import reachable
from ....isa.table import Flags, Unit
from ....isa.types import Segment
from ..facts import OwnMemory
from ..flow.arrivals import arrivals
from ..flow.order import START, Flow, Loop
from ..loops.moved_runs import moved_runs
from ..values.ssa import Ssa
from ..warps.uniformity import Shapes
from .masks import Masks
from .sparse import only_counted, order_shows, sparse_counted, sparse_loops, ways_out
from .traced import traced_loops

MOST_ALONE = 64
"""The most lanes of a warp in which a lane may run a loop alone: a mask is one word there."""

MOST_EMPTY = 10
"""Instructions that a node may have to run for no lane, rather than after a test."""

LONG = 10
"""Instructions in whose place a division, a root or a list of instructions counts."""

LONG_UNITS = frozenset({Unit.DIV, Unit.COMPLEX})


class LanePlan:
    """Loops that run lane by lane, where lanes wait while a node runs, and the masks of nodes.

    Nodes that never run, or only inside of a loop that always runs lane by lane, are not in
    `waits`. In code that counts, only loops do so that it `counts_alone` or `traces`, if asked for;
    where lanes see each other, none does.
    """

    def __init__(self, shapes: Shapes, *, counts_alone: bool = False, traces: bool = False) -> None:
        flow = shapes.flow
        self.uniform_branches = shapes.uniform_branches()
        facts = shapes.facts
        few_lanes = facts.together_from > 1 and facts.width <= MOST_ALONE
        self.sparse: dict[int, Loop] = {}
        """Header -> loop of those that run lane by lane, as one node, for some masks or all."""
        if few_lanes and not (facts.counts or facts.stack):
            self.sparse = sparse_loops(shapes)
        elif counts_alone and facts.width <= MOST_ALONE:
            others = sparse_counted(shapes) if few_lanes else {}
            self.sparse = only_counted(shapes) | others
        elif few_lanes and traces:
            self.sparse = traced_loops(shapes)
        self.traced = frozenset(self.sparse if traces else ())
        """The headers of those that leave traces of their lanes' branches."""
        moves_run = any(
            run.is_shared for loop in self.sparse.values() for run in moved_runs(shapes.ssa, loop)
        )
        is_only_counted = counts_alone and self.sparse.keys() == only_counted(shapes).keys()
        self.finds_limit = (
            facts.finds_limit
            and bool(self.sparse)
            and not is_only_counted
            and not moves_run
            and not any(order_shows(shapes, loop) for loop in self.sparse.values())
        )
        """Whether native code finds how few lanes shall run these loops one by one."""
        may_run_both = self.finds_limit or facts.together_from <= facts.width
        self.has_both = (
            may_run_both and not is_only_counted and not (moves_run or self._moves_own_runs(shapes))
        )
        """Whether each of these loops has nodes of its own too, for masks with many lanes."""
        alone = {} if self.has_both else self.sparse
        inner = {n for header, loop in alone.items() for n in loop.nodes - {header}}
        exits = {header: ways_out(flow, loop) for header, loop in self.sparse.items()}
        self.arrivals = arrivals(flow, self.uniform_branches, exits)
        """Node -> (place, source) of the lanes that may wait elsewhere while it runs."""
        self.waits = {
            n: frozenset(place for place, _ in lanes) - inner
            for n, lanes in self.arrivals.items()
            if n not in inner
        }
        """Node -> the other nodes at which lanes may wait while it runs."""
        self.last_readers = self._last_readers(shapes.ssa)
        """Nodes whose lanes are all that may still load private memory."""
        tested = [n for n in self.waits if self._should_test(n, flow, shapes.ssa)]
        self.masks = Masks(
            flow,
            self.waits,
            self.uniform_branches,
            tested,
            exits,
            have_nodes=self.has_both,
            stops=not shapes.facts.one_warp,
        )

    def _moves_own_runs(self, shapes: Shapes) -> bool:
        """Return whether all that lanes do apart is to move runs of their private memory.

        A lane alone moves each in a few instructions, if it has that memory in one piece. Where a
        number of lanes is found, or versions are compared, that decides.
        """
        if shapes.facts.own_memory is not OwnMemory.ALONE or self.finds_limit:
            return False
        return bool(self.sparse) and all(
            self._diverges_in_runs(shapes, loop) for loop in self.sparse.values()
        )

    def _diverges_in_runs(self, shapes: Shapes, loop: Loop) -> bool:
        runs = moved_runs(shapes.ssa, loop)
        inside = {number for run in runs for number in run.loop.nodes}
        branches = (loop.nodes - inside) & shapes.ssa.conditions.keys()
        return bool(runs) and branches <= self.uniform_branches

    def _last_readers(self, ssa: Ssa) -> frozenset[int]:
        """Return the nodes during which no lane waits elsewhere that may load private memory."""
        readers = {
            number
            for number, ops in ssa.ops.items()
            for op in ops
            if op.ins.row.segment is Segment.PRIVATE and not op.ins.row.is_store
        }
        if not readers:  # most kernels: nothing to search for from each node
            return frozenset(self.waits)
        ways = {node.number: node.successors for node in ssa.flow.nodes}
        # Lanes at a barrier wait after it, whichever nodes other lanes run meanwhile.
        stopped = {
            successor
            for node in ssa.flow.nodes
            if node.last is not None and node.last.row.is_barrier
            for successor in node.successors
        }
        return frozenset(
            n
            for n, waits in self.waits.items()
            if readers.isdisjoint(reachable(ways, waits | stopped, ways))
        )

    def _should_test(self, number: int, flow: Flow, ssa: Ssa) -> bool:
        """Return whether a node must not, or should not, run when no lane waits at it."""
        node = flow.nodes[number]
        ops = ssa.ops.get(number, ())
        return number != START and (
            number in self.uniform_branches
            or sum(LONG if op.ins.row.unit in LONG_UNITS else 1 for op in ops) > MOST_EMPTY
            or any(op.ins.row.is_memory or Flags.MAY_TRAP in op.ins.row.flags for op in ops)
            or any(loop.header == number for loop in flow.loops)
            or (node.last is not None and node.last.row.stem in ("trap", "barrier"))
        )


def order_differs(alone: LanePlan, usual: LanePlan, shapes: Shapes) -> bool:
    """Return whether memory may depend on which of two plans lanes follow.

    By `alone` all lanes run alone the loops of the `usual` plan, and others.
    """
    shared = {} if usual.has_both else usual.sparse
    return any(
        loop != shared.get(header) and order_shows(shapes, loop)
        for header, loop in alone.sparse.items()
    )
