"""Whether workgroups of a launch may run at the same time, and which of them.

They may if nothing shows in which order they run. Workgroups see each other in global memory only,
so a launch is divided into parts, ranges of workgroups, and for each part the addresses of the
kernel's accesses are bounded (`analysis/ranges/`). Inside a part the order is that of a single
thread. Between parts:

1. No part stores where another one stores or loads.
2. Atomics give no value that is used, and are all of one kind, whose order does not matter. No
   other access is to a buffer that has atomics.
3. A load whose addresses have no bounds is from a buffer without stores and atomics. That its
   pointer does not leave the buffer for one that has, is tested while it runs: threads get a table
   of buffers that refuses such accesses. The launch is then set back to where it was divided, and
   ends on one thread.

What cannot be shown runs on one thread. So does a launch with two buffers over the same memory of
the host, since an access to one is an access to the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ....isa.program import Kernel
from ....isa.types import Segment
from ...analysis.analysis import analyse
from ...analysis.ranges.guards import Guards
from ...analysis.ranges.launch_ranges import Range, Ranges
from ...analysis.values.commuting import commute
from ...analysis.values.ssa import Op, sources_of
from ...engine import Work
from ...memory import Buffer
from ...recent import Recent
from .slices import PER_THREAD, even_bounds

if TYPE_CHECKING:
    from .table import Table

COPY_RATE = 2e9
"""Bytes per second that are copied, estimated low, before a launch that may be set back."""


@dataclass(frozen=True)
class Access:
    """A load, store or atomic of global memory."""

    op: Op
    size: int
    pointers: frozenset[int]
    """Where in the argument block the pointers are that its address may be made of."""

    def extent(self, ranges: Ranges) -> Range | None:
        """Return the first and last byte that each part accesses, if that is known."""
        address, base = self.op.ins.address, self.op.base
        assert address is not None
        found = ranges.at(self.op.node).of(base) if base is not None else None
        if found is None or found.low.min() < 0:
            return None
        low, high = found.low + address.offset, found.high + (address.offset + self.size - 1)
        return Range(low, high)


class Accesses:
    """The accesses of a kernel to global memory."""

    def __init__(self, kernel: Kernel) -> None:
        form = analyse(kernel).ssa
        self.guards = Guards(form)
        self.loads: list[Access] = []
        self.stores: list[Access] = []
        self.atomics: list[Access] = []
        pointers = frozenset(p.offset for p in kernel.params if p.is_pointer)
        for value in form.values():
            if isinstance(value, Op) and value.ins.row.segment is Segment.GLOBAL:
                row = value.ins.row
                assert row.type is not None
                access = Access(value, row.type.size, _pointers_of(value, pointers))
                kinds = self.loads if row.is_load else self.stores
                (self.atomics if row.is_atomic else kinds).append(access)
        self.atomics_commute = commute([a.op for a in self.atomics], form)

    @classmethod
    def of(cls, kernel: Kernel) -> Accesses:
        """Return the accesses of a kernel, made once for a while."""
        return _LATEST.find(kernel.key) or _LATEST.keep(kernel.key, cls(kernel))


_LATEST: Recent[tuple[object, ...], Accesses] = Recent(64)


def _pointers_of(access: Op, pointers: frozenset[int]) -> frozenset[int]:
    """Return the places of the pointer arguments of which an address may be made."""
    found: set[int] = set()
    for value in sources_of(access.base) if access.base is not None else ():
        if isinstance(value, Op) and value.ins.row.segment is Segment.KERNARG:
            address = value.ins.address
            assert address is not None
            if value.base is not None:
                found |= pointers  # some argument
            elif address.offset in pointers:
                found.add(address.offset)
    return frozenset(found)


@dataclass
class Sharing:
    """How a launch is shared out."""

    bounds: list[int]
    """Where parts begin, and the end."""
    table: Table | None = None
    """The table of buffers for threads, if accesses have to be tested."""
    changed: Sequence[Buffer] = ()
    """The buffers that change, which are set back after such a test has failed."""

    @property
    def seconds(self) -> float:
        """About how long it takes to copy these buffers."""
        return sum(buffer.size for buffer in self.changed) / COPY_RATE


def sharing_of(work: Work, table: Table, first: int, threads: int) -> Sharing | None:
    """Return how the workgroups from `first` on may be shared out; None if one thread runs them."""
    accesses = Accesses.of(work.kernel)
    if not accesses.atomics_commute or table.overlaps:
        return None
    bounds = _bounds(work, first, threads)
    if len(bounds) < 3:
        return None
    found = _Decision(work, bounds, accesses)
    if not found.is_safe:
        return None
    if not found.is_tested:
        return Sharing(bounds)
    changed = [*found.stored, *found.counted]
    stored, counted = ([b.base for b in group] for group in (found.stored, found.counted))
    return Sharing(bounds, table.restricted(stored, counted), changed)


def _bounds(work: Work, first: int, threads: int) -> list[int]:
    """Return the bounds of parts: whole rows or layers of workgroups, if there are several."""
    geometry, last = work.geometry, work.geometry.n_groups
    x, y, z = geometry.groups
    unit = x * y if z > 1 else x if y > 1 else 1
    return even_bounds(first, last, PER_THREAD * threads, unit)


class _Decision:
    """Which accesses of a launch in parts are bounded, and what that allows."""

    def __init__(self, work: Work, bounds: list[int], accesses: Accesses) -> None:
        self._work = work
        self._has_atomics = bool(accesses.atomics)
        self.is_tested = False
        """Whether some access has to be tested while it runs."""
        ranges = Ranges(accesses.guards, work.kernargs, work.geometry, bounds)
        self.stored = self._buffers(accesses.stores)
        self.counted = self._buffers(accesses.atomics)
        extents = [store.extent(ranges) for store in accesses.stores]
        self._stores = [extent for extent in extents if extent is not None]
        self.is_safe = (
            len(self._stores) == len(extents)
            and not {b.base for b in self.stored} & {b.base for b in self.counted}
            and not any(_touches(store, b) for store in self._stores for b in self.counted)
            and _disjoint(self._stores, self._stores)
            and all(self._may_load(load, ranges) for load in accesses.loads)
        )
        for atomic in accesses.atomics:
            extent = atomic.extent(ranges)
            if extent is None or not any(_is_inside(extent, b) for b in self.counted):
                self.is_tested = True

    def _buffers(self, accesses: Iterable[Access]) -> list[Buffer]:
        """Return the buffers of the pointers of which addresses are made."""
        offsets = set().union(*(access.pointers for access in accesses))
        found = {}
        for offset in offsets:
            buffer = self._work.memory.find(pointer_at(self._work.kernargs, offset))
            if buffer is not None:
                found[buffer.base] = buffer
        return list(found.values())

    def _may_load(self, load: Access, ranges: Ranges) -> bool:
        extent = load.extent(ranges)
        if extent is not None and not any(_touches(extent, b) for b in self.counted):
            if _disjoint(self._stores, [extent]):
                return True
        if not self._stores and not self._has_atomics:
            return True
        changed = {b.base for b in (*self.stored, *self.counted)}
        self.is_tested = True
        return not changed & {b.base for b in self._buffers([load])}


def _touches(extent: Range, buffer: Buffer) -> bool:
    return bool(((extent.low < buffer.end) & (extent.high >= buffer.base)).any())


def _is_inside(extent: Range, buffer: Buffer) -> bool:
    return bool(extent.low.min() >= buffer.base and extent.high.max() < buffer.end)


def _disjoint(stores: list[Range], others: list[Range]) -> bool:
    """Return whether no part stores where another part has one of the other accesses."""
    if not stores or not others:
        return True
    low, high = (np.concatenate(ends) for ends in zip(*stores, strict=True))
    other_low, other_high = (np.concatenate(ends) for ends in zip(*others, strict=True))
    parts = len(stores[0].low)
    part, other_part = np.arange(len(low)) % parts, np.arange(len(other_low)) % parts
    meet = (low[:, None] <= other_high) & (other_low <= high[:, None])
    return not (meet & (part[:, None] != other_part)).any()


def pointer_at(kernargs: bytes | memoryview, offset: int) -> int:
    """Return the pointer at a place among the arguments of a launch."""
    return int.from_bytes(kernargs[offset : offset + 8], "little")
