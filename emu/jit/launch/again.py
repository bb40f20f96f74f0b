"""A short launch once more: plain arguments are packed in place, and native code is called.

A launch of a small kernel costs as much in Python as in native code. Where native code has swept
the caches, Python takes ten times as long: up to a seventh of a launch of a millisecond. So a
launch whose last call was short makes none of the objects that a first call needs. It writes its
arguments where native code reads them. From the second call with the same arrays on, native code
does that itself (`direct.py`), for the last few combinations of arrays.

A launch that may have to start over (`engine.py`) copies first what it may change. After a trap it
puts that back, and takes the longer way.
"""

from __future__ import annotations

import struct
import time
from dataclasses import replace
from operator import itemgetter
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from ...analysis.suitability.repeatable import is_repeatable
from ...arguments import BoundArguments, bind, block_format, plain_types, unboxed
from ...engine import Work
from ...memory import Memory
from ...result import Result
from ..runtime.context import NO_GROUP, SIZE, Slot, TrapCode
from .before import COPIED_BEFORE, changed_by
from .direct import Direct, is_supported, makes_results
from .parts import most_copied
from .plan import Plan, Pointed, Scratch
from .slices import Alone
from .table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...device import DeviceArray
    from ...traps import Trap

SHORT = 1e-3
"""Seconds of native code up to which a launch is short, whatever threads it may have."""

SHORT_ALONE = 20e-3
"""The same for a launch that gets one thread."""

SHORT_KNOWN = 1e-4
"""The same for a launch whose counts are known (`known_counts.py`): a longer one need not count."""

CALLS_ALONE = 100
"""Calls after which a launch that got one thread is asked again whether it gets several."""

MOST_ROWS = 64
"""Combinations of buffers whose slots are kept."""

MOST_SHAPES = 256
"""Combinations of shapes that are remembered."""

MOST_ENTRIES = 16
"""Combinations of arrays that stay written. Host loops mostly swap a few arrays."""

COPIED_TO_COUNT = 1 << 21
"""Bytes that are copied before a short launch whose counts may be refused."""

MOST_BYTES = 1 << 22
"""Bytes of memory that these have of their own. One combination may have any number."""


_MAKING = Lock()
"""Held while a `Direct` is made."""


class _Taken(NamedTuple):
    """Where arguments have been written, and what a launch with them needs alive."""

    memory: Memory
    table: Table
    bound: BoundArguments | None
    """NumPy arrays that were mapped for this launch."""
    is_repeated: bool
    """Whether an earlier launch had these buffers: an entry for temporary ones does not pay."""


class Again:
    """Runs one launch with arguments that are arrays and numbers."""

    def __init__(
        self,
        plan: Plan,
        work: Work,
        explain: Callable[[Work, np.ndarray], Trap],
        *,
        limit: float,
        calls: int | None = None,
    ) -> None:
        """Prepare for calls that take up to `limit` seconds, and `calls` of them."""
        params = work.kernel.params
        self._limit = limit
        self._calls_left = calls
        self._plan = plan
        self._work = replace(work, kernargs=b"", memory=Memory())
        self._explain = explain
        self._idle = plan.idle
        self._pack = struct.Struct(block_format(work.kernel)).pack_into
        self._types = plain_types(work.kernel)
        self._host_types = tuple(
            np.ndarray if p.is_pointer else plain
            for p, plain in zip(params, self._types, strict=True)
        )
        self._pointers = tuple(
            (position, np.dtype(p.type.numpy)) for position, p in enumerate(params) if p.is_pointer
        )
        places = [position for position, _ in self._pointers] or [0]
        self._first = places[0]
        self._arrays = itemgetter(*places, self._first)
        """Returns the arrays among the arguments: always a tuple, so one of them twice."""
        self._is_repeatable = is_repeatable(work.kernel)
        self._pointed: dict[tuple[int, ...], Pointed | None] = {}
        """Serial of a table, and buffers -> their slots. Launches often take two in turns."""
        self._shapes: set[tuple[tuple[int, ...], ...]] = set()
        """Shapes of arrays of NumPy in an earlier launch: for others an entry does not pay."""
        self._result: Result | None = None
        self._direct: Direct | None = None
        """Made once arguments are repeated: its code takes longer to compile than short kernels."""
        self._has_left = False
        """Whether the longer way has the next calls."""
        self.native: Callable[[tuple[object, ...]], Any] = _never
        """Runs a launch and returns its result, or what `finish` takes."""
        counts = plan.count_words > 0
        self._may_be_direct = (
            bool(self._pointers) and is_supported() and (makes_results() or not counts)
        )

    def _made_direct(self) -> Direct | None:
        """Return what looks arguments up, made when it is first asked for; None if it cannot."""
        if self._direct is None and self._may_be_direct:
            with _MAKING:
                if self._direct is None:
                    direct = Direct(self._plan, self._work.kernel, self._entries())
                    if self._calls_left is None:
                        assert self._result is not None
                        direct.make_results(self._result, self._limit)
                    self._direct, self.native = direct, direct.run
        return self._direct

    def _entries(self) -> int:
        own = self._plan.own_bytes
        if self._plan.is_in_parts:
            own += most_copied(self._plan.geometry)
        elif self._plan.is_tested:
            own += COPIED_TO_COUNT
        elif self._plan.may_wait and not self._is_repeatable:
            own += COPIED_BEFORE
        return min(MOST_ENTRIES, max(1, MOST_BYTES // max(own, 1)))

    @property
    def is_complete(self) -> bool:
        """Whether launches take this way."""
        return not self._has_left

    def make_results(self, like: Result) -> None:
        """Let results be like this one, but for their seconds."""
        if self._result is None:
            if self._plan.count_words:
                like = like.counted_by(self._plan.statistics_from())
            self._result = like

    def finish(self, args: tuple[object, ...], seconds: float | None) -> Result | None:
        """Return the result of a launch for which `native` has not made one, but has returned this.

        None if the longer way must run it: nothing has changed then. Raises Trap.
        """
        if seconds is None:
            return None if self._has_left else self._run_new(args)
        if seconds < 0:
            assert self._direct is not None
            scratch, seconds = self._direct.trapped(seconds)
            self._settle(scratch, self._memory_of(args), seconds)
            return self._in_order(args)
        return self._made(seconds)

    def _made(self, seconds: float, counts: bytes | None = None) -> Result:
        if seconds > self._limit or self._calls_left is not None:
            self._count(seconds)
        assert self._result is not None
        return self._result.again(seconds, counts)

    def _run_new(self, args: tuple[object, ...]) -> Result | None:
        """Run with arguments that native code does not know; let it know them."""
        if self._result is None:
            return None  # another thread has made this, and is about to say what results are like
        if self._direct is not None and self._direct.is_closed:
            self._leave()
            return None
        try:
            scratch = self._idle.pop()
        except IndexError:
            scratch = self._plan.scratch(self._work)
        taken = self._take(args, scratch)
        if taken is None:
            self._idle.append(scratch)
            return None
        try:
            scratch.clear()
            if scratch.copies is not None:
                scratch.copies.take()
            alone = Alone(self._plan.function, scratch, self._plan.n_groups, self._plan.row)
            start = time.perf_counter()
            alone.run()
            seconds = time.perf_counter() - start
            if alone.trapped:
                self._settle(scratch, taken.memory, seconds)
                return self._in_order(args) if taken.bound is None else None
        finally:
            if taken.bound is not None:
                taken.bound.finish()
        counts = None if scratch.counts is None else scratch.counts.tobytes()
        table = taken.table if taken.bound is None else None
        direct = self._made_direct() if taken.is_repeated else None
        if direct is None or not direct.enter(args, scratch, table):
            self._idle.append(scratch)
        return self._made(seconds, counts)

    def _count(self, seconds: float) -> None:
        """Leave the next calls to the longer way after a long one, and after many."""
        if self._calls_left is not None:
            self._calls_left -= 1
        if seconds > self._limit or self._calls_left == 0:
            self._leave()

    def _leave(self) -> None:
        """Leave the next call to the longer way."""
        self._has_left = True
        kept = self._work.kept
        kept.pop("order" if kept.get("order") is self else "again", None)
        if self._direct is not None:
            self._direct.clear()

    def _take(self, args: tuple[object, ...], scratch: Scratch) -> _Taken | None:
        """Write arguments into `scratch`; None for the longer way."""
        if not self._pointers:
            return None
        plain = unboxed(args, self._types)
        if plain is None:
            return self._take_hosts(args, scratch)
        values = list(plain)
        arrays = cast("list[DeviceArray]", values)
        memory = arrays[self._first].device.memory
        bases = []
        for position, dtype in self._pointers:
            array = arrays[position]
            if array.device.memory is not memory or (
                array.dtype is not dtype and array.dtype != dtype
            ):
                return None
            base = values[position] = array.buffer.base
            bases.append(base)
        table = Table.of(memory)
        try:
            self._pack(scratch.kernargs.data, 0, *values)
        except (struct.error, OverflowError):
            return None
        key = (table.serial, *bases)
        is_repeated = key in self._pointed
        if not is_repeated:
            if len(self._pointed) == MOST_ROWS:
                self._pointed.clear()
            self._pointed[key] = self._point(scratch, table, memory, bases)
        pointed = self._pointed[key]
        if pointed is None:
            return None
        if scratch.pointed is not pointed:
            scratch.point(pointed)
        return _Taken(memory, table, None, is_repeated)

    def _take_hosts(self, args: tuple[object, ...], scratch: Scratch) -> _Taken | None:
        """Write arguments whose arrays are NumPy's; None for the longer way."""
        if unboxed(args, self._host_types) is None:
            return None
        shapes = tuple([array.shape for array in self._arrays(args)])
        if shapes not in self._shapes:
            if len(self._shapes) == MOST_SHAPES:
                self._shapes.clear()
            self._shapes.add(shapes)
            return None
        if not all(
            array.flags.c_contiguous and array.dtype is dtype
            for array, (_, dtype) in zip(self._arrays(args), self._pointers, strict=False)
        ):
            return None
        bound = bind(self._work.kernel, args)
        table = Table.of(bound.memory)
        scratch.kernargs.data[: len(bound.kernargs)] = bound.kernargs
        addresses = self._plan.pointers_in(bound.kernargs)
        pointed = self._point(scratch, table, bound.memory, addresses)
        if pointed is None:
            bound.finish()
            return None
        scratch.point(pointed)
        return _Taken(bound.memory, table, bound, is_repeated=True)

    def _point(
        self, scratch: Scratch, table: Table, memory: Memory, addresses: Sequence[int]
    ) -> Pointed | None:
        """Return the slots of the buffers at `addresses`, and what is copied before a launch.

        None for the longer way.
        """
        plan, copied = self._plan, frozenset[int]()
        starts_over = plan.may_wait and self._is_repeatable
        changes = None
        if plan.is_guarded:
            kernargs = scratch.kernargs.tobytes()
            work = replace(self._work, kernargs=kernargs, memory=memory)
            guard, changes = plan.guarded(work, table, any_numbers=True)
            if guard is None:
                return None
            table = guard
        if changes is not None:
            starts_over, copied = True, changes
            if sum(table.rows[base][SIZE] for base in copied) > COPIED_TO_COUNT:
                return None
        elif plan.may_wait and not starts_over and table.size <= COPIED_BEFORE:
            starts_over, copied = True, frozenset(table.rows)
            if not plan.strays:
                copied = changed_by(self._work.kernel, scratch.kernargs, table, memory)
                table = table.changed(copied)
        rows = [slot for address in addresses for slot in table.row_at(address, memory)]
        return Pointed(table.slots, rows, tuple(table.rows[b] for b in copied), starts_over)

    def _settle(self, scratch: Scratch, memory: Memory, seconds: float) -> None:
        """Put back what a launch has changed that has trapped; raise the trap if it may not."""
        pointed = scratch.pointed
        assert pointed is not None
        if not scratch.has_run:
            self._idle.append(scratch)
            return
        if scratch.context[Slot.TRAP_GROUP] == NO_GROUP:
            self._leave()
            self._idle.append(scratch)
            return
        if pointed.starts_over:
            # Perhaps a pointer has left its buffer for one that is not copied, which is legal.
            self._plan.strays |= scratch.context[Slot.TRAP_KIND] != TrapCode.BUDGET
            if scratch.copies is not None:
                scratch.copies.restore(memory)
            if self._plan.is_refused_alone:
                # Perhaps it has stored too early (batch_rounds.py), and others do not.
                self._work.kept["refused"] = True
            else:
                self._leave()
        self._idle.append(scratch)
        if pointed.starts_over:
            return
        work = replace(self._work, kernargs=scratch.kernargs.tobytes(), memory=memory)
        trap = self._explain(work, scratch.context)
        trap.seconds = seconds
        raise trap

    def _in_order(self, args: tuple[object, ...]) -> Result | None:
        """Run a launch that was refused alone in the interpreter's order, as one before it.

        None for the longer way.
        """
        kept, order = self._work.kept, self._work.kept.get("order")
        if order is None or order is self or "refused" not in kept or self._result is None:
            return None
        order.make_results(self._result)
        result = run_again(order, args)
        if result is not None:
            kept.pop("refused", None)
        return result

    def _memory_of(self, args: tuple[object, ...]) -> Memory:
        """Return the memory of a launch that has run with these arguments."""
        first = args[self._first]
        if isinstance(first, np.ndarray):
            return bind(self._work.kernel, args).memory
        return cast("DeviceArray", first).device.memory


def run_again(again: Any, args: tuple[object, ...]) -> Result | None:
    """Return the result of a launch; None if the longer way must run it."""
    if again is None:
        return None
    result = again.native(args)
    return result if result.__class__ is Result else again.finish(args, result)


def _never(_args: tuple[object, ...]) -> float | None:
    """Run nothing, as native code does with arguments that it does not know."""
    return None
