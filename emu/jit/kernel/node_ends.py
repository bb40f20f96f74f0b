"""Ends of nodes: by the instruction that a node ends with."""

from __future__ import annotations

from ..runtime.context import TrapCode
from .control.branches import Branches
from .control.copied_loops import CopiedLoops
from .control.edges import Edges
from .control.running_vectors import RunningVectors
from .counting.counters import Counters
from .loops.hoisted import Hoisted
from .loops.latches import Latches
from .memory.watched.watching import Watching
from .workgroups.barriers import Barriers
from .workgroups.one_warp import OneWarp


class NodeEnds:
    """Emits the ends of nodes."""

    def __init__(
        self,
        edges: Edges,
        branches: Branches,
        latches: Latches,
        copied: CopiedLoops,
        running: RunningVectors,
        barriers: Barriers | OneWarp | None,
        watching: Watching | None,
    ) -> None:
        self._edges = edges
        self._branches = branches
        self._latches = latches
        self._copied = copied
        self._running = running
        self._barriers = barriers
        self._watching = watching

    def leave(self, number: int, version: Hoisted | None) -> None:
        """End a node: hand its lanes on and jump to the node that runs next.

        `version` is that of the loop that is being written, if it is the one without tests.
        """
        edges, lanes = self._edges, self._edges.lanes
        node = lanes.flow.nodes[number]
        if edges.refilled is not None and number == edges.refilled.node:
            edges.refilled.give()
            return
        stem = node.last.row.stem if node.last is not None else "fall"
        match stem:
            case "ret" if not node.successors:
                if self._barriers is not None:
                    self._barriers.note_exit(lanes.mask)
                edges.end_node(number)
            case "trap":
                lanes.trap(TrapCode.TRAP, node.stop, lanes.mask)
            case "barrier":
                assert self._barriers is not None
                if not self._running.all_run(number):
                    self._barriers.stop(number)
                if isinstance(self._barriers, OneWarp):
                    self._pass_barrier()
                    self._branches.follow(number, node.successors[0])
            case "cbr" if (way := self._copied.way(number)) is not None:
                self._branches.pass_known(number, way)
            case "cbr" if self._latches.ends_last(number, self._branches):
                pass
            case "cbr" if len(node.successors) == 2:
                jumps = None if version is None else version.jumps(number)
                self._branches.branch(number, twice=version is None, jumps=jumps)
            case _:
                self._branches.follow(number, node.successors[0])

    def _pass_barrier(self) -> None:
        """Count a barrier of a workgroup that is one warp, which is the end of a round."""
        if isinstance(self._edges.counters, Counters):  # warp-splits are counted without barriers
            self._edges.counters.barrier()
        if self._watching is not None:
            self._watching.begin_round()
