"""Kernels that are counted from the ways of their lanes, and the tables for that.

Some kernels have no layout in which native code runs what the stack runs (stack_flow.py). Of a
kernel whose branches do not depend on the schedule, it suffices to know which way each lane goes at
each branch. Then runtime/paths.ll runs the stack, on the nodes of this graph.

Lanes that diverge in such kernels mostly run alone for long. So there is a table of what a lane
runs for each node and each outcome of its next `CHUNK` branches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..flow.order import START, Flow, Node

CHUNK = 8
"""Branches of a lane alone that are looked up together."""

MOST_NODES = 128
"""Nodes of a kernel whose lanes are recorded: their tables grow with the square."""

LONGEST = 64
"""Nodes that a lane runs at most in an entry of the table."""

JOIN_BITS = 63
"""Join nodes that have a bit of their own."""

NODE_WORDS = 6
"""Words of a node: kind, instructions, successors, join node, and bit as a join node."""

FALLS, BRANCHES, ENDS = range(3)
"""Kinds of nodes."""

NO_JOIN = -1
"""The join node of a branch whose lanes do not re-converge."""


@dataclass(frozen=True)
class Paths:
    """The graph of a kernel on which the stack runs: nodes as they are numbered in its flow."""

    nodes: tuple[Node, ...]

    @cached_property
    def table(self) -> npt.NDArray[np.int64]:
        """The words of each node."""
        numbers = {node.start: node.number for node in self.nodes if node.number != START}
        joins = [self._join(node, numbers) for node in self.nodes]
        known = sorted(set(joins) - {NO_JOIN})
        bits = {join: 1 << min(i, JOIN_BITS - 1) for i, join in enumerate(known)}
        rows = []
        for node, join in zip(self.nodes, joins, strict=True):
            ways = (*node.successors, 0, 0)[:2]
            kind = (ENDS, FALLS, BRANCHES)[len(node.successors)]
            rows.append((kind, node.length, *ways, join, bits.get(node.number, 0)))
        return np.array(rows, np.int64)

    @staticmethod
    def _join(node: Node, numbers: dict[int, int]) -> int:
        join = None if node.last is None else node.last.join
        return NO_JOIN if join is None or len(node.successors) < 2 else numbers[join]

    @cached_property
    def _chunks(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
        kind, length, fall, target, _, bit = self.table.T
        total = len(self.nodes) << CHUNK
        at = np.repeat(np.arange(len(self.nodes)), 1 << CHUNK)
        bits = np.tile(np.arange(1 << CHUNK), len(self.nodes))
        left = np.full(total, CHUNK)
        lengths, joins = np.zeros(total, np.int64), np.zeros(total, np.int64)
        visits = np.zeros((total, len(self.nodes)), np.uint8)
        runs, begun = np.arange(total), False
        good = np.ones(total, bool)
        for _ in range(LONGEST):
            here = at[runs]
            ends = kind[here] == ENDS
            good[runs[ends]] = False
            runs, here = runs[~ends], here[~ends]
            if begun:
                joins[runs] |= bit[here]
            begun = True
            branches = kind[here] == BRANCHES
            lengths[runs] += length[here]
            visits[runs, here] += 1
            taken = branches & (bits[runs] & 1 == 1)
            at[runs] = np.where(taken, target[here], fall[here])
            bits[runs] >>= branches
            left[runs] -= branches
            runs = runs[left[runs] > 0]
            if not runs.size:
                break
        good[runs] = False
        found = np.zeros((total, 2), np.int64)
        found[:, 0] = np.where(good, at | lengths << 16, 0)
        found[:, 1] = joins
        return found, visits

    @property
    def chunks(self) -> npt.NDArray[np.int64]:
        """Return two words for each node and outcome of `CHUNK` branches from there on.

        They are the node that comes next and the instructions executed, or 0 if the lane may
        return; and the bits of the join nodes that it passes.
        """
        return self._chunks[0]

    @property
    def visits(self) -> npt.NDArray[np.uint8]:
        """Return how often each node runs, for each of these entries."""
        return self._chunks[1]


def paths_of(flow: Flow) -> Paths | None:
    """Return what is needed to count a kernel from the ways of its lanes; None if it cannot be."""
    nodes = [node for node in flow.nodes if node.latch_of is None]
    starts = {node.start for node in nodes}
    if len(nodes) > MOST_NODES or not _is_plain(nodes):
        return None
    lasts = [node.last for node in nodes if node.last is not None]
    if any(last.row.is_barrier for last in lasts):
        return None
    return Paths(tuple(nodes)) if all(x.join is None or x.join in starts for x in lasts) else None


def _is_plain(nodes: Sequence[Node]) -> bool:
    """Return whether nodes are those of the code, each once."""
    return all(n.number == i and n.copied is None for i, n in enumerate(nodes)) and len(
        {n.start for n in nodes[START + 1 :]}
    ) == len(nodes) - (START + 1)
