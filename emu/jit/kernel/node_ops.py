"""The instructions of nodes, once more for lanes whose values have other shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ...analysis.group_memory.copied_tiles import CopiedTile
from ...analysis.lanes.interior import Assumed
from ...analysis.values.ssa import Op
from .control.listed import ListedLanes
from .instructions import Instructions
from .lane_code import LaneCode
from .memory.kernel_memory import KernelMemory
from .memory.repeated import NOTHING, Repeated
from .memory.watched.watching import Watching


class NodeOps:
    """Emits the instructions of nodes, which `identity` emits if they are work-items' numbers."""

    def __init__(
        self, lanes: LaneCode, memory: KernelMemory, identity: Callable[[Op], None]
    ) -> None:
        self._lanes, self._memory, self._identity = lanes, memory, identity
        self.instructions = Instructions(lanes, memory, identity)
        """What emits them where their values have the present shapes."""
        self.watching: Watching | None = None
        """What watches accesses, if some must be watched."""
        self.lists = True
        """Whether accesses by lists of neighbours have code of their own."""

    def emit(self, ops: Sequence[Op], *, lists: bool) -> None:
        """Append instructions that follow each other; without `lists`, in one version only."""
        for at, op in enumerate(ops):
            if self.watching is not None:
                self.watching.watch(op)
            self.instructions.op(op)
            listed = None
            if lists and self.lists:
                listed = ListedLanes.of(self._lanes, op, ops[at + 1 :])
            if listed is not None:
                self._emit_listed(listed, ops[at + 1 :])
                return

    def _emit_listed(self, listed: ListedLanes, ops: Sequence[Op]) -> None:
        """Append the instructions after a load from a list: for neighbours, and for all lanes."""
        code = self._lanes.code
        otherwise, after = code.fresh_label("s"), code.fresh_label("s")
        listed.enter(otherwise)
        with self.other_shapes():
            self._emit_up_to(after, ops)
        code.block(otherwise)
        listed.end()
        self._emit_up_to(after, ops)
        code.block(after)
        listed.end()

    def _emit_up_to(self, label: str, ops: Sequence[Op]) -> None:
        """Append instructions, and the jump to a label."""
        for op in ops:
            self.instructions.op(op)
        self._lanes.code.jump(label)

    @contextmanager
    def other_shapes(self) -> Iterator[None]:
        """Emit instructions anew, as where values have other shapes, within this context."""
        usual = self.instructions
        anew = Instructions(self._lanes, self._memory, self._identity)
        anew.assumed, anew.access.tile.found = usual.assumed, usual.access.tile.found
        anew.access.global_.rely_as(usual.access.global_)
        anew.access.local.forwarding.found = usual.access.local.forwarding.found
        self.instructions = anew
        yield
        self.instructions = usual

    def assume(
        self,
        assumed: Assumed,
        inside: frozenset[Op],
        tile: CopiedTile | None = None,
        repeated: Repeated = NOTHING,
    ) -> None:
        """Rely on what tests have shown for the warp, and on accesses that are inside.

        A `tile` is read from global memory.
        """
        self.instructions.assumed = assumed
        access = self.instructions.access
        access.global_.inside = inside
        access.global_.pin(repeated)
        access.tile.found = tile or CopiedTile()
