"""A short launch once more: plain arguments are packed in place, and native code is called once.

A launch of a small kernel costs as much in Python as in native code. Where native code has swept
the caches, Python takes ten times as long: up to a seventh of a launch of a millisecond. So a
launch whose last call was short makes none of the objects that a first call needs. It writes its
arguments where native code reads them, unless they are those of the call before.
"""

from __future__ import annotations

import struct
import time
from dataclasses import replace
from typing import TYPE_CHECKING, cast
from weakref import ref

import numpy as np

from ...arguments import block_format, plain_types, unboxed
from ...engine import Interrupted, Work
from ...memory import Memory
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
        self._first = self._pointers[0][0] if self._pointers else 0

        self._rows: dict[tuple[int, ...], list[int]] = {}
        """Serial of a table, and buffers -> their slots. Launches often take two in turns."""

    def __call__(self, args: tuple[object, ...]) -> float | None:
        """Run; return the seconds of native code. Raises Trap and Interrupted.

        None if nothing has run, because other arguments were given or memory has changed.
        """
        try:
            return self._run(args)
        except KeyboardInterrupt:
            raise Interrupted(None) from None

    def _run(self, args: tuple[object, ...]) -> float | None:
        try:
            scratch = self._idle.pop()
        except IndexError:
            return None
        # `table` keeps host memory alive until native code has returned.
        table = self._same(args, scratch) or self._take(args, scratch)
        if table is None:
            self._idle.append(scratch)
            return None
        start = time.perf_counter()
        trapped = self._function(scratch.address, 0, self._n_groups)
        seconds = time.perf_counter() - start
        if trapped:
            raise self._trap(scratch, _memory_of(args[self._first]), seconds)
        self._idle.append(scratch)
        is_over = seconds > self._limit
        if self._calls_left is not None:
            self._calls_left -= 1
            is_over |= self._calls_left <= 0
        if is_over:
            self._work.kept.pop("again", None)
        return seconds

    def _same(self, args: tuple[object, ...], scratch: Scratch) -> Table | None:
        """Return the table of buffers if these are the very arguments that `scratch` has."""
        known = scratch.known
        if not known or len(known) != len(args):
            return None
        for value, before in zip(args, known, strict=True):
            if before is not value and (type(before) is not ref or before() is not value):
                return None
        memory = _memory_of(args[self._first])
        table = memory.table
        if table is None or table.version != memory.version or table.serial != scratch.buffers[0]:
            return None
        return table

    def _take(self, args: tuple[object, ...], scratch: Scratch) -> Table | None:
        """Write arguments into `scratch`; return the table of buffers, None for the longer way."""
        plain = unboxed(args, self._types)
        if plain is None or not self._pointers:
            return None
        values = list(plain)
        arrays = cast("list[DeviceArray]", values)
        memory = arrays[self._first].device.memory
        bases, known = [], list(args)
        for position, dtype in self._pointers:
            array = arrays[position]
            if array.device.memory is not memory or (
                array.dtype is not dtype and array.dtype != dtype
            ):
                return None
            base = values[position] = array.buffer.base
            bases.append(base)
            known[position] = ref(array)
        table = memory.table
        if table is None or table.version != memory.version:
            return None
        if table.size < self._least_bytes:
            return None
        scratch.known = ()
        try:
            self._pack(scratch.kernargs.data, 0, *values)
        except (struct.error, OverflowError):
            return None
        buffers = (table.serial, *bases)
        if scratch.buffers != buffers:
            scratch.point(table, self._slots(table, buffers))
            scratch.buffers = buffers
        scratch.known = tuple(known)
        return table

    def _slots(self, table: Table, buffers: tuple[int, ...]) -> list[int]:
        """Return the slots of buffers, which follow the serial of their table."""
        slots = self._rows.get(buffers)
        if slots is None:
            if len(self._rows) == MOST_ROWS:
                self._rows.clear()
            slots = [slot for base in buffers[1:] for slot in table.row_at(base)]
            self._rows[buffers] = slots
        return slots

    def _trap(self, scratch: Scratch, memory: Memory, seconds: float) -> Trap:
        """Return the trap that native code has left."""
        work = replace(self._work, kernargs=scratch.kernargs.tobytes(), memory=memory)
        trap = self._explain(work, scratch.context)
        trap.seconds = seconds
        self._idle.append(scratch)
        return trap


def _memory_of(array: object) -> Memory:
    return cast("DeviceArray", array).device.memory
