"""A short launch once more: plain arguments are packed in place, and native code is called once.

A launch of a small kernel costs as much in Python as in native code. Where native code has swept
the caches, Python takes ten times as long: up to a seventh of a launch of a millisecond. So a
launch whose last call was short makes none of the objects that a first call needs. It writes its
arguments where native code reads them, and keeps the last few of these blocks. So a host loop that
swaps its arrays only writes the numbers that have changed. From the second call with the same
arrays on, native code does that itself (`direct.py`).
"""

from __future__ import annotations

import struct
import time
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any, cast
from weakref import ref

import numpy as np

from ...arguments import block_format, plain_types, unboxed
from ...engine import Interrupted, Work
from ...memory import Memory
from ...result import Result
from .direct import Direct, is_supported
from .plan import Plan, Scratch, Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...device import DeviceArray
    from ...traps import Trap

SHORT = 1e-3
"""Seconds of native code up to which a launch runs in one call, whatever threads it may have."""

SHORT_ALONE = 20e-3
"""The same for a launch that gets one thread. Between two looks for Ctrl-C is one call."""

CALLS_ALONE = 100
"""Calls after which a launch that got one thread is asked again whether it gets several."""

MOST_ROWS = 16
"""Combinations of buffers whose slots are kept."""

MOST_WRITTEN = 4
"""Combinations of arrays that stay written. Host loops mostly swap two or three arrays."""

MOST_BYTES = 1 << 16
"""Bytes of a thread's own memory up to which a launch has several."""


@dataclass(slots=True)
class Written:
    """Arguments as a `Scratch` has them."""

    scratch: Scratch
    serial: int
    """That of the table of buffers. The table itself would keep host memory alive."""
    arrays: tuple[tuple[int, ref[DeviceArray]], ...]
    """Places among the arguments, and the arrays there."""
    given: list[object]
    """The numbers as they were given; None for arrays."""
    values: list[object]
    """What is packed: Python's numbers, and addresses."""

    def table_of(self, args: tuple[object, ...]) -> Table | None:
        """Return the table of buffers if the arrays are these, and buffers are as they were."""
        for place, array in self.arrays:
            if array() is not args[place]:
                return None
        table = _table(_memory_of(args[self.arrays[0][0]]))
        return table if table is not None and table.serial == self.serial else None


class Again:
    """Runs one launch with arguments that are device arrays and numbers."""

    def __init__(
        self,
        plan: Plan,
        work: Work,
        explain: Callable[[Work, np.ndarray], Trap],
        *,
        limit: float,
        calls: int | None = None,
        least_bytes: int = 0,
    ) -> None:
        """Prepare for calls that take up to `limit` seconds, and `calls` of them.

        Memory of less than `least_bytes` is left to the longer way.
        """
        params = work.kernel.params
        self._limit = limit
        self._calls_left = calls
        self._least_bytes = least_bytes
        self._plan = plan
        self._work = replace(work, kernargs=b"", memory=Memory())
        self._explain = explain
        self._function = plan.code.function
        self._n_groups = plan.n_groups
        self._idle = plan.idle
        self._pack = struct.Struct(block_format(work.kernel)).pack_into
        self._types = plain_types(work.kernel)
        self._pointers = tuple(
            (position, np.dtype(p.type.numpy)) for position, p in enumerate(params) if p.is_pointer
        )
        places = [position for position, _ in self._pointers] or [0]
        self._first = places[0]
        self._arrays = itemgetter(*places, self._first)
        """Returns the arrays among the arguments: always a tuple, so one of them twice."""
        self._numbers = tuple(
            (position, plain)
            for position, plain in enumerate(self._types)
            if not params[position].is_pointer
        )
        """Places of the numbers, and Python's types for them."""

        self._rows: dict[tuple[int, ...], list[int]] = {}
        """Serial of a table, and buffers -> their slots. Launches often take two in turns."""
        self._written: dict[tuple[int, ...], Written] = {}
        """The ids of arrays -> where they are written, the last used one at the end.

        What a thread uses is not in it meanwhile.
        """
        self._most_written = MOST_WRITTEN if plan.own_bytes <= MOST_BYTES else 1
        self._result: Result | None = None
        self._direct: Direct | None = None
        self._run: Callable[[tuple[object, ...]], Any] = _never
        if self._pointers and is_supported():
            self._direct = Direct(plan, work.kernel, self._most_written)
            self._run = self._direct.run

    def make_results(self, like: Result) -> None:
        """Let results be like this one, but for their seconds."""
        if self._result is None:
            self._result = like
            if self._direct is not None and self._calls_left is None:
                self._direct.make_results(like, self._limit)

    def run(self, args: tuple[object, ...]) -> Result | None:
        """Run and return the result. Raises Trap and Interrupted.

        None if nothing has run, because other arguments were given or memory has changed.
        """
        try:
            found = self._run(args)
            return found if found.__class__ is Result else self._finish(args, found)
        except KeyboardInterrupt:
            raise Interrupted(None) from None

    def _finish(self, args: tuple[object, ...], seconds: float | None) -> Result | None:
        """Return the result of a launch for which native code has not made one, as `run` does."""
        if seconds is None:
            seconds = self._run_longer(args)
            if seconds is None:
                return None
        elif seconds < 0:
            raise self._direct_trap(args, seconds)
        if seconds > self._limit or self._calls_left is not None:
            self._count(seconds)
        assert self._result is not None
        return self._result.again(seconds)

    def _run_longer(self, args: tuple[object, ...]) -> float | None:
        """Run with arguments that native code does not find itself."""
        if len(args) != len(self._types):
            return None
        key = tuple(map(id, self._arrays(args)))
        written = self._written.pop(key, None)
        # `table` keeps host memory alive until native code has returned.
        table = None
        if written is not None:
            table = written.table_of(args)
            if table is None or not self._write_numbers(args, written):
                self._idle.append(written.scratch)
                table = None
        is_new = written is None or table is None
        if written is None or table is None:
            scratch = self._scratch()
            taken = self._take(args, scratch)
            if taken is None:
                self._idle.append(scratch)
                return None
            written, table = taken
        start = time.perf_counter()
        trapped = self._function(written.scratch.address, 0, self._n_groups)
        seconds = time.perf_counter() - start
        if trapped:
            memory = _memory_of(args[self._first])
            raise self._trap(written.scratch, memory, seconds)
        if is_new or self._direct is None or not self._direct.enter(args, written.scratch, table):
            self._written[key] = written
        return seconds

    def _count(self, seconds: float) -> None:
        """Leave the next calls to the longer way after a long one, and after many."""
        is_over = seconds > self._limit
        if self._calls_left is not None:
            self._calls_left -= 1
            is_over |= self._calls_left <= 0
        if not is_over:
            return
        self._work.kept.pop("again", None)
        if self._direct is not None:
            self._direct.clear()
        while self._written:
            try:
                self._idle.append(self._written.popitem()[1].scratch)
            except KeyError:
                return

    def _scratch(self) -> Scratch:
        """Return a scratch to write arguments into."""
        if len(self._written) >= self._most_written:
            # `list` is one step for other threads.
            for key in list(self._written):
                oldest = self._written.pop(key, None)
                if oldest is not None:
                    return oldest.scratch
        try:
            return self._idle.pop()
        except IndexError:
            return Scratch(self._plan, self._work)

    def _write_numbers(self, args: tuple[object, ...], written: Written) -> bool:
        """Write the numbers that are not those of the call before; return whether that is enough.

        It is not where a number has another type, or cannot be written.
        """
        given, values = written.given, None
        for place, plain in self._numbers:
            number: Any = args[place]
            before = given[place]
            if number is before:
                continue
            kind = type(number)
            if kind is not type(before):
                return False
            values = written.values
            given[place] = number
            if kind is not plain:
                number = plain(number)
                if number != number:
                    return False
            values[place] = number
        if values is not None:
            try:
                self._pack(written.scratch.kernargs.data, 0, *values)
            except (struct.error, OverflowError):
                return False
        return True

    def _take(self, args: tuple[object, ...], scratch: Scratch) -> tuple[Written, Table] | None:
        """Write arguments into `scratch`; None for the longer way."""
        plain = unboxed(args, self._types)
        if plain is None or not self._pointers:
            return None
        values, given = list(plain), list(args)
        arrays = cast("list[DeviceArray]", values)
        memory = arrays[self._first].device.memory
        bases, references = [], []
        for position, dtype in self._pointers:
            array = arrays[position]
            if array.device.memory is not memory or (
                array.dtype is not dtype and array.dtype != dtype
            ):
                return None
            base = values[position] = array.buffer.base
            bases.append(base)
            references.append((position, ref(array)))
            given[position] = None
        table = _table(memory)
        if table is None or table.size < self._least_bytes:
            return None
        try:
            self._pack(scratch.kernargs.data, 0, *values)
        except (struct.error, OverflowError):
            return None
        buffers = (table.serial, *bases)
        if scratch.buffers != buffers:
            scratch.point(table, self._slots(table, buffers))
            scratch.buffers = buffers
        written = Written(scratch, table.serial, tuple(references), given, values)
        return written, table

    def _slots(self, table: Table, buffers: tuple[int, ...]) -> list[int]:
        """Return the slots of buffers, which follow the serial of their table."""
        slots = self._rows.get(buffers)
        if slots is None:
            if len(self._rows) == MOST_ROWS:
                self._rows.clear()
            slots = [slot for base in buffers[1:] for slot in table.row_at(base)]
            self._rows[buffers] = slots
        return slots

    def _direct_trap(self, args: tuple[object, ...], result: float) -> Trap:
        """Return the trap of native code that looked its arguments up itself."""
        assert self._direct is not None
        scratch, seconds = self._direct.trapped(result)
        return self._trap(scratch, _memory_of(args[self._first]), seconds)

    def _trap(self, scratch: Scratch, memory: Memory, seconds: float) -> Trap:
        """Return the trap that native code has left."""
        work = replace(self._work, kernargs=scratch.kernargs.tobytes(), memory=memory)
        trap = self._explain(work, scratch.context)
        trap.seconds = seconds
        self._idle.append(scratch)
        return trap


def _never(_args: tuple[object, ...]) -> float | None:
    """Run nothing, as native code does with arguments that it does not know."""
    return None


def _memory_of(array: object) -> Memory:
    return cast("DeviceArray", array).device.memory


def _table(memory: Memory) -> Table | None:
    """Return the table of a memory's buffers, if it is of today."""
    table = memory.table
    return table if table is not None and table.version == memory.version else None
