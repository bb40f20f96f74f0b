"""Loads of group memory that read the global memory of which it is a copy.

`analysis/group_memory/copied_tiles.py` finds them. Where global memory is loaded that they read
later, the places of some lanes are kept. All else is known distances.
"""

from __future__ import annotations

from collections.abc import Callable

from .....analysis.group_memory.copied_tiles import CopiedTile, Run
from .....analysis.group_memory.forwarded import copies_of
from .....analysis.group_memory.tile_rows import Anchor, Step
from .....analysis.values.ssa import Op
from ...lane_code import LaneCode
from .lane_places import LanePlaces
from .runs import mask_of_run

WORD_BITS = 32


class TileCopies:
    """Keeps the places of loads of global memory, and loads from there."""

    def __init__(self, lanes: LaneCode, places: LanePlaces) -> None:
        self._lanes, self._places = lanes, places
        self.found = CopiedTile()
        self._block, self._known = "", dict[Step | Anchor, str]()
        """The block that is being written, and what is known in it."""

    @property
    def is_unread(self) -> bool:
        """Whether nothing loads from group memory, which then need not be stored to."""
        return bool(self.found.loads) and not self._lanes.is_alone

    def keep(self, op: Op) -> None:
        """Keep the places of a load of global memory that others count from."""
        copy = copies_of(self._lanes.copies)
        numbers = self.found.anchors.get((op, copy))
        if numbers is None or not self.is_unread:
            return
        for number, host in zip(numbers, self._places.hosts_of(op, numbers), strict=True):
            self._lanes.variables.store(("place", op, copy, number), ["i64"], [host])

    def load(self, op: Op) -> list[str]:
        """Return the vectors of a load of group memory."""
        vectors = self.found.loads.get((op, copies_of(self._lanes.copies)))
        if vectors is None:  # no lane gets there
            return ["zeroinitializer"] * self._lanes.k
        return [self._vector(runs) for runs in vectors[: self._lanes.k]]

    def _vector(self, runs: tuple[Run, ...]) -> str:
        """Return one vector: a load for each of its runs."""
        lanes, code, n = self._lanes, self._lanes.code, self._lanes.n
        size = runs[0].end - runs[0].first if runs else 0
        if size and [(r.first, r.end) for r in runs] == [
            (first, first + size) for first in range(0, n, size)
        ]:
            t = f"<{size} x i{WORD_BITS}>"
            parts = [code.let(f"load {t}, ptr {self._host(run, 0)}, align 4") for run in runs]
            return lanes.joined(WORD_BITS, size, parts)
        vector = "zeroinitializer"
        for run in runs:
            mask = mask_of_run(n, run.first, run.end)
            vector = lanes.load_masked(WORD_BITS, self._host(run, run.first), mask, vector)
        return vector

    def _host(self, run: Run, back: int) -> str:
        """Return where the word of the lane `back` lanes before a run would be, a ptr."""
        code, place = self._lanes.code, run.place
        # Not a distance from the buffer's address: to find that two of these may be equal would
        # take LLVM a fourth of the compile time.
        host = code.let(f"inttoptr i64 {self._address(place.anchor)} to ptr")
        for step, count in place.steps:
            apart = code.let(f"mul i64 {self._apart(step)}, {count}")
            host = code.let(f"getelementptr i8, ptr {host}, i64 {apart}")
        more = place.offset - WORD_BITS // 8 * back
        return code.let(f"getelementptr i8, ptr {host}, i64 {more}") if more else host

    def _apart(self, step: Step) -> str:
        """Return the bytes of a step, an i64."""

        def apart() -> str:
            code = self._lanes.code
            whole = code.let(f"sub i64 {self._address(step.end)}, {self._address(step.start)}")
            return code.let(f"sub i64 {whole}, {step.constant}") if step.constant else whole

        return self._once(step, apart)

    def _address(self, anchor: Anchor) -> str:
        """Return where a lane of a load has its word, an i64."""
        op, copy, number = anchor

        def address() -> str:
            return self._lanes.variables.load(("place", op, copy, number), ["i64"])[0]

        return self._once(anchor, address)

    def _once(self, key: Step | Anchor, computed: Callable[[], str]) -> str:
        """Return a scalar that is computed at its first use in a block."""
        block = self._lanes.code.current_block
        if block != self._block:
            self._block, self._known = block, {}
        if key not in self._known:
            self._known[key] = computed()
        return self._known[key]
