"""The resident warps: the pc, the running lanes and the scheme of each.

The state that the interpreter needs at every block is in arrays with one element (or row) per warp,
so that uniform control flow moves all warps at once. A warp's scheme object is made at its first
event: until then the warp is whole. `event` hands warps to their schemes and stores the outcome.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..schemes import NOWHERE, Scheme
from ..statistics import Statistics
from .resident import Group, Resident

Array = np.ndarray

NO_PC = np.iinfo(np.int64).max
"""The pc of a warp that cannot run now, and a watch that is never met."""

SEVERAL = -1
"""The barrier pc of a warp whose lanes wait piece by piece: its scheme has their pcs."""


class Warps:
    """State of all resident warps. `start` puts every warp at pc 0 with all of its lanes."""

    def __init__(
        self,
        resident: Resident,
        scheme_class: type[Scheme],
        options: dict[str, str | int | bool],
        statistics: Statistics,
    ) -> None:
        self.resident = resident
        self.scheme_class = scheme_class
        self.options = options
        self.statistics = statistics
        n, width = resident.n_warps, resident.width
        self.n, self.width = n, width
        self.schemes: list[Scheme | None] = []
        self.pc = np.full(n, NO_PC)
        self.watch = np.full(n, NO_PC)
        self.watching = False
        """Whether a warp of the batch has ever had a pc to watch."""
        self.active = np.zeros((n, width), bool)
        self.count = np.zeros(n, np.int64)
        """Running lanes."""
        self.live = np.zeros(n, np.int64)
        """Lanes that have not returned."""
        self.starters = np.zeros(n, np.int64)
        """Lanes that the warp has at its start."""
        self.steps = np.zeros(n, np.int64)
        """Warp-instructions issued."""
        self.credited = np.zeros(n, np.int64)
        """Those of them that `lane_steps` and the comparisons already include."""
        self.lane_steps = np.zeros((n, width), np.int64)
        self.comparisons = np.zeros(n, np.int64)
        self.waits = np.zeros(n, bool)
        self.barrier_pc = np.full(n, SEVERAL)

    def start(self) -> None:
        """Begin a batch: the resident lanes that exist run at pc 0."""
        self.schemes = [None] * self.n
        self.active[:] = self.resident.started
        self.count[:] = self.active.sum(axis=1)
        self.live[:] = self.starters[:] = self.count
        self.pc[:] = np.where(self.count > 0, 0, NO_PC)
        self.watch[:] = NO_PC
        self.watching = False
        self.steps[:] = self.credited[:] = 0
        self.lane_steps[:] = 0
        self.waits[:] = False
        # A scheme that compares all threads does so from the first instruction on.
        fresh = self.scheme_class(1, self.options)
        self.comparisons[:] = self.count * fresh.comparisons
        self.statistics.warps += int((self.count > 0).sum())

    def finish(self) -> None:
        """End a batch: account for what has been issued."""
        self.credit(np.arange(self.n))
        self.statistics.lane_slots += int((self.steps * self.starters).sum())
        self.steps[:] = self.credited[:] = 0

    def group(self, warps: Array) -> Group:
        """Return the running lanes of some warps, as a slice where they are contiguous."""
        count = int(self.count[warps].sum())
        first, last = int(warps[0]), int(warps[-1])
        if count == warps.size * self.width and last - first + 1 == warps.size:
            return Group(slice(first * self.width, (last + 1) * self.width), warps, count)
        rows, lanes = np.nonzero(self.active[warps])
        return Group(warps[rows] * self.width + lanes, warps, count)

    def move(self, warps: Array, pc: int) -> None:
        """Move warps to a pc; hand those that watch it to their schemes."""
        self.pc[warps] = pc
        if not self.watching:
            return
        watch = self.watch[warps]
        met = watch <= pc if self.scheme_class.watches_order else watch == pc
        if met.any():
            self.event(warps[met], pc, _arrive)

    def retire(self, warps: Array, pc: int) -> None:
        """Let the running lanes of some warps return."""
        whole = self.count[warps] == self.live[warps]
        self.live[warps] -= self.count[warps]
        done = warps[whole]
        self.credit(done)
        self.pc[done] = NO_PC
        self.watch[done] = NO_PC
        self.count[done] = 0
        if done.size < warps.size:
            self.event(warps[~whole], pc, _exit)
            self.wait_in_pieces(warps[~whole])

    def wait_in_pieces(self, warps: Array) -> None:
        """Note which of these warps wait: they have live lanes, and none of them can run."""
        idle = warps[self.count[warps] == 0]
        self.barrier_pc[idle] = SEVERAL
        self.waits[idle] = True

    def event(self, warps: Array, pc: int, handle: Callable[[Scheme, int], None]) -> None:
        """Call `handle(scheme, i)` for the i-th warp, which is at `pc`, and store the outcome."""
        self.credit(warps)
        numbers = warps.tolist()
        outcome = np.empty((len(numbers), 4), np.int64)
        masks = []
        deepest = self.statistics.max_depth
        for i, warp in enumerate(numbers):
            scheme = self.schemes[warp]
            if scheme is None:
                scheme = self.schemes[warp] = self.scheme_class(self.mask_of(warp), self.options)
            scheme.pc = pc
            handle(scheme, i)
            mask, watch = scheme.mask, scheme.watch
            masks.append(mask)
            outcome[i] = (
                scheme.pc if mask else NO_PC,
                NO_PC if watch == NOWHERE else watch,
                mask.bit_count(),
                scheme.comparisons,
            )
            deepest = max(deepest, scheme.depth)
        self.statistics.max_depth = deepest
        self.watching = True
        self.pc[warps] = outcome[:, 0]
        self.watch[warps] = outcome[:, 1]
        self.count[warps] = outcome[:, 2]
        self.comparisons[warps] = outcome[:, 3]
        self.active[warps] = self.rows(masks)

    def credit(self, warps: Array) -> None:
        """Credit the lanes that ran with the instructions since the last event of their warps."""
        since = self.steps[warps] - self.credited[warps]
        self.lane_steps[warps] += self.active[warps] * since[:, None]
        self.statistics.pc_comparisons += int((since * self.comparisons[warps]).sum())
        self.credited[warps] = self.steps[warps]

    def executed(self, group: Group) -> Array:
        """Return how many instructions each running lane has executed before its current block."""
        lanes = group.flat(self.resident.numbers)
        return (
            self.lane_steps.reshape(-1)[lanes] + (self.steps - self.credited)[lanes // self.width]
        )

    def mask_of(self, warp: int) -> int:
        """Return the running lanes of a warp, bit l = lane l."""
        return self.masks(self.active[warp : warp + 1])[0]

    def parked(self, warp: int) -> list[tuple[int, int]]:
        """Return (mask, pc) of the paths of a warp that do not run."""
        scheme = self.schemes[warp]
        return [] if scheme is None else scheme.parked()

    def masks(self, rows: Array) -> list[int]:
        """Return rows of bools as masks."""
        packed = np.packbits(rows, axis=1, bitorder="little")
        wide = np.zeros((rows.shape[0], 8), np.uint8)
        wide[:, : packed.shape[1]] = packed
        return wide.view(np.uint64)[:, 0].tolist()

    def rows(self, masks: list[int]) -> Array:
        """Return masks as rows of bools."""
        octets = np.array(masks, np.uint64).view(np.uint8).reshape(-1, 8)
        return np.unpackbits(octets, axis=1, bitorder="little")[:, : self.width].view(bool)


def _arrive(scheme: Scheme, i: int) -> None:
    scheme.arrive()


def _exit(scheme: Scheme, i: int) -> None:
    scheme.exit()
