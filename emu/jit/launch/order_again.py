"""Short counted launches in the interpreter's order once more: native code begins them itself.

Python takes 100 microseconds to prepare such a launch where native code has swept the caches, as
long as small kernels run. So from the second call on `Again` has what does not change: a batch with
its context block (segments/rounds.py), as it has a kernel's code and its scratch otherwise. What
native code must not decide takes the longer way, from the memory as it was before.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...engine import Work
from ..runtime.aligned import huge_bytes
from ..runtime.context import BUFFER_SLOTS, Slot
from ..runtime.spare import LARGEST
from ..segments.compile import Segments
from ..segments.rounds import BUSY, Batch, begins_itself
from .again import SHORT_ALONE, Again
from .before import changed_by
from .copies import Copies
from .plan import Plan, Pointed, Scratch, struct_of_pointers

if TYPE_CHECKING:
    from ...statistics import Statistics
    from ...traps import Trap
    from .slices import Function
    from .table import Table


@dataclass(frozen=True)
class _Room:
    """Memory that launches of all kernels take in turns: it stays in the host's caches."""

    memory: np.ndarray
    cell: array[int]
    """The address of the memory, 0 while a launch has it."""


_ROOMS: dict[int, _Room] = {}
"""By the binary logarithm of their bytes."""


def _room(size: int) -> _Room:
    order = max(size - 1, 1).bit_length()
    room = _ROOMS.get(order)
    if room is None:
        memory = huge_bytes(1 << order)
        room = _ROOMS.setdefault(order, _Room(memory, array("q", [memory.ctypes.data])))
    return room


class OrderScratch(Scratch):
    """A batch that one thread runs, with the arguments of its next launch."""

    def __init__(self, plan: OrderPlan, work: Work) -> None:
        self._batch = batch = Batch.of(work, plan.segments)
        self._room = _room(batch.bytes)
        batch.prepare(work, plan.limit, self._room.cell.buffer_info()[0])
        batch.context.begin(work, (0, 0))
        self.context, self.address = batch.context.slots, batch.context.address
        self.kernargs = batch.context.kernargs
        self.context[Slot.COUNTS] = batch.address
        self.counts = batch.block
        self.pointed: Pointed | None = None
        self.copies: Copies | None = None
        self.slots = array("q")
        # Buffers that were found remain as long as an entry, and a trap ends it (`clear`).
        self.cleared = array("q", (0,))

    @property
    def has_run(self) -> bool:
        """Whether a launch that has ended with a trap has run at all."""
        return int(self.context[Slot.TRAP_KIND]) != BUSY

    @property
    def has_parameters(self) -> bool:
        """Whether the context block has the slots of each parameter's buffer: accesses have."""
        return False

    def point(self, pointed: Pointed) -> None:
        """Set the table of buffers."""
        self.pointed = pointed
        self.copies = Copies(pointed.copied) if pointed.copied else None
        self.slots = pointed.slots
        self.context[Slot.BUFFERS] = self.slots.buffer_info()[0]
        self.context[Slot.N_BUFFERS] = len(self.slots) // BUFFER_SLOTS

    def clear(self) -> None:
        """Clear the buffers and the trap of the last launch; native code clears counts."""
        self.context[Slot.PARAMS :] = 0
        self.context[Slot.TRAP_KIND] = 0


class OrderPlan(Plan):
    """A counted launch in the interpreter's order, which is one call of native code."""

    def __init__(self, work: Work, segments: Segments, limit: int) -> None:
        """`limit` is the most instructions of a warp."""
        self.kernel, self.geometry = work.kernel, work.geometry
        self.segments, self.limit = segments, limit
        self.n_groups = self.row = 1
        self.layout = None
        self.is_in_parts = self.may_wait = self.strays = False
        self._batch = Batch.of(work, segments)
        self._pointers = struct_of_pointers(work.kernel.params)
        self.idle: list[Scratch] = []

    @property
    def fits(self) -> bool:
        """Whether the memory of a batch may be kept."""
        return self._batch.bytes <= LARGEST

    @property
    def code_address(self) -> int:
        """Return the address of what runs a launch."""
        return begins_itself()[0]

    @property
    def function(self) -> Function:
        """Return what runs a launch as a function of the context block."""
        return begins_itself()[1]

    @property
    def count_words(self) -> int:
        """Return how many words of counts a launch leaves."""
        return len(self._batch.block)

    def statistics_from(self) -> Callable[[bytes], Statistics]:
        """Return the function that makes statistics of counts."""
        batch = self._batch
        return lambda counts: batch.statistics(np.frombuffer(counts, np.int64))

    @property
    def is_tested(self) -> bool:
        """Whether a launch copies first what it may change: always."""
        return True

    @property
    def is_guarded(self) -> bool:
        """Whether launches use buffers as `guarded` returns them."""
        return True

    @property
    def own_bytes(self) -> int:
        """Bytes that are kept for an entry: the memory of a batch is not."""
        return self._batch.block.nbytes

    def guarded(
        self, work: Work, table: Table, *, any_numbers: bool = False
    ) -> tuple[Table | None, frozenset[int] | None]:
        """Return a table in which only buffers may be changed that are copied, and their bases."""
        if table.overlaps:
            return None, None
        kernargs = np.frombuffer(work.kernargs, np.uint8)
        changed = changed_by(work.kernel, kernargs, table, work.memory)
        return table.changed(changed), changed

    def scratch(self, work: Work) -> OrderScratch:
        """Return a batch for one thread."""
        return OrderScratch(self, work)


def again_in_order(work: Work, segments: Segments, limit: int, seconds: float) -> Again | None:
    """Return what runs a launch from now on that took so long, if it is short.

    It never gets several threads.
    """
    if seconds >= SHORT_ALONE:
        return None
    plan = OrderPlan(work, segments, limit)
    return Again(plan, work, _explain, limit=SHORT_ALONE) if plan.fits else None


def _explain(work: Work, context: np.ndarray) -> Trap:
    """Explain no trap: a launch that traps takes the longer way."""
    raise AssertionError(f"{work.kernel.name}: a trap in the interpreter's order")
