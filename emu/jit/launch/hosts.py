"""Arrays of NumPy as arguments that native code looks up itself.

A launch maps them into a memory of its own, in which the addresses of buffers follow from their
sizes. So arrays of the same types and shapes at other places of the host differ in the distance to
these places only, unless they overlap.
"""

from __future__ import annotations

import ctypes
from array import array
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from ..runtime.context import BASE, BUFFER_SLOTS, DELTA, param_slot

if TYPE_CHECKING:
    from .plan import Scratch

DATA, DIMENSIONS, SHAPE, TYPE, FLAGS = 16, 24, 32, 56, 64
"""Bytes at which NumPy's C interface has the fields of an array."""

KIND = 0x501
"""Flags that must be the same: contiguous, aligned, writable."""


class Hosts:
    """Where an entry has its arrays.

    Fields of one are words: its address, dimensions, type, flags, bytes, and base in the memory of
    the launch; where the distance to the host is for any pointer and for its own parameter; where
    it is copied from, or 0; and its shape.
    """

    def __init__(self, scratch: Scratch) -> None:
        assert scratch.pointed is not None
        self._slots = scratch.slots
        self._context = scratch.context
        self._address = scratch.address
        self._copies = scratch.copies
        self._fields: list[array[int]] = []
        self.may_move = scratch.may_move
        """Whether the arrays do not overlap."""

    def fields_of(self, value: np.ndarray, position: int) -> int:
        """Return the address of the fields of an array that is the parameter at `position`."""
        at = param_slot(position, BASE)
        base, size, delta = self._context[at : at + DELTA + 1].tolist()
        address = value.ctypes.data
        is_alone = size == value.nbytes and delta == address - base
        self.may_move &= size > 0 and is_alone and base not in (f[5] for f in self._fields)
        everywhere = own = copied = 0
        if self.may_move:
            row = self._slots[BASE::BUFFER_SLOTS].index(base) * BUFFER_SLOTS
            everywhere = self._slots.buffer_info()[0] + 8 * (row + DELTA)
            own = self._address + 8 * (at + DELTA)
            copied = 0 if self._copies is None else self._copies.place_of(base)
        fields = array("q", (address, value.ndim, id(value.dtype), value.flags.num & KIND))
        fields.extend((value.nbytes, base, everywhere, own, copied, *value.shape))
        self._fields.append(fields)
        return fields.buffer_info()[0]


@cache
def are_known() -> bool:
    """Return whether arrays have their fields where native code looks for them."""
    value = np.zeros((2, 3, 4), np.int16)
    content = ctypes.string_at(id(value), FLAGS + 4)
    data, n, shape, type_, flags = (
        int.from_bytes(content[at : at + size], "little")
        for at, size in ((DATA, 8), (DIMENSIONS, 4), (SHAPE, 8), (TYPE, 8), (FLAGS, 4))
    )
    if (data, n, type_, flags) != (value.ctypes.data, 3, id(value.dtype), value.flags.num):
        return False
    return ctypes.string_at(shape, 24) == np.array(value.shape, np.int64).tobytes()
