"""A short launch once more: plain arguments are packed in place, and native code is called once.

A launch of a small kernel costs as much in Python as in native code, and more where the kernel
before it has filled the caches. So a launch whose last call was short makes none of the objects
that a first call needs: it writes its arguments where native code reads them, and the buffers of
its pointers only when they are others than in the call before.
"""

from __future__ import annotations

import struct
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arguments import block_format, plain_types, unboxed
from ...engine import Interrupted, Work
from ...memory import Memory
from .plan import Plan, Scratch

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...device import DeviceArray
    from ...traps import Trap

SHORT = 1e-3
"""Seconds of native code up to which a launch runs in one call, between two looks for Ctrl-C."""

MOST_ROWS = 16
"""Combinations of buffers whose slots are kept."""


class Again:
    """Runs one launch with arguments that are device arrays and numbers."""

    def __init__(self, plan: Plan, work: Work, explain: Callable[[Work, np.ndarray], Trap]) -> None:
        params = work.kernel.params
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
        plain = unboxed(args, self._types)
        if plain is None or not self._pointers:
            return None
        values: list[Any] = list(plain)
        memory: Memory | None = None
        bases = []
        for position, dtype in self._pointers:
            array: DeviceArray = values[position]
            if memory is None:
                memory = array.device.memory
            if array.device.memory is not memory or (
                array.dtype is not dtype and array.dtype != dtype
            ):
                return None
            base = values[position] = array.buffer.base
            bases.append(base)
        assert memory is not None
        table = memory.table
        if table is None or table.version != memory.version:
            return None
        try:
            scratch = self._idle.pop()
        except IndexError:
            return None
        try:
            self._pack(scratch.kernargs.data, 0, *values)
        except (struct.error, OverflowError):
            self._idle.append(scratch)
            return None
        buffers = (table.serial, *bases)
        if scratch.buffers != buffers:
            rows = self._rows.get(buffers)
            if rows is None:
                if len(self._rows) == MOST_ROWS:
                    self._rows.clear()
                rows = [slot for base in bases for slot in table.row_at(base)]
                self._rows[buffers] = rows
            scratch.point(table, rows)
            scratch.buffers = buffers
        # `table` keeps host memory alive until native code has returned.
        start = time.perf_counter()
        trapped = self._function(scratch.address, 0, self._n_groups)
        seconds = time.perf_counter() - start
        if trapped:
            raise self._trap(scratch, memory, seconds)
        self._idle.append(scratch)
        if seconds > SHORT:
            self._work.kept.pop("again", None)
        return seconds

    def _trap(self, scratch: Scratch, memory: Memory, seconds: float) -> Trap:
        """Return the trap that native code has left."""
        work = replace(self._work, kernargs=scratch.kernargs.tobytes(), memory=memory)
        trap = self._explain(work, scratch.context)
        trap.seconds = seconds
        self._idle.append(scratch)
        return trap
