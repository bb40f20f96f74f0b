"""The block of memory that generated code and Python share: 64-bit slots.

Fixed slots first, then four per kernel parameter that describe the buffer a pointer points into:
its simulated base, size, the distance from simulated to host addresses, and whether it may be
written. Table entries of all buffers have the same four slots; those for threads can permit less.

After these, some code that counts has one more slot per parameter: the address of the owners of its
places (kernel/memory/watched/owners.py), or of its content before the batch
(launch/counting/contents.py).

Segments have four such slots per memory instruction in place of those per parameter:
the buffer that the instruction was in last. GROUP_SIZE is theirs too; the code of a whole kernel is
compiled for one size.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from ...geometry import Geometry
from ...memory import Buffer


class Slot(IntEnum):
    """Index of a slot; all values are i64."""

    KERNARG = 0
    READONLY = 1
    BUFFERS = 2
    N_BUFFERS = 3
    GROUP_MEMORY = 4
    PRIVATE_MEMORY = 5
    FRAMES = 6
    BUDGET = 7
    ITEMS_X = 8
    ITEMS_Y = 9
    ITEMS_Z = 10
    GROUPS_X = 11
    GROUPS_Y = 12
    GROUPS_Z = 13
    TRAP_KIND = 14
    TRAP_PC = 15
    TRAP_GROUP = 16
    TRAP_LOCAL = 17
    TRAP_ADDRESS = 18
    EXITED_ARRIVE = 19
    GROUP_SIZE_X = 20
    GROUP_SIZE_Y = 21
    GROUP_SIZE_Z = 22
    COUNTS = 23
    OWNER = 24
    SHARED_OWNER = 25
    GROUP_OWNERS = 26
    GROUP_OWNER = 27
    STRIP_ROW = 28
    SEVERAL_THREADS = 29
    PLAIN_ATOMICS = 30
    BATCH = 31
    PARAMS = 32  # those of a parameter are in one cache line


NO_GROUP = -1
"""The workgroup of a trap by which code refuses a launch before any workgroup runs."""

ITEMS = (Slot.ITEMS_X, Slot.ITEMS_Y, Slot.ITEMS_Z)
GROUPS = (Slot.GROUPS_X, Slot.GROUPS_Y, Slot.GROUPS_Z)
GROUP_SIZE = (Slot.GROUP_SIZE_X, Slot.GROUP_SIZE_Y, Slot.GROUP_SIZE_Z)
"""The slots of a size by dimension."""

BUFFER_SLOTS = 4
BASE, SIZE, DELTA, WRITABLE = range(BUFFER_SLOTS)

LOADS_ONLY, EVERYTHING, STORES_ONLY, ATOMICS_ONLY = 0, 1, 4, 8
"""Values of WRITABLE in a table; the slots of parameters have the first two only.

The latter two may be joined."""


def buffer_row(buffer: Buffer, host: np.ndarray) -> tuple[int, ...]:
    """Return the four slots of a buffer with its memory in the host."""
    row = [0] * BUFFER_SLOTS
    row[BASE], row[SIZE], row[WRITABLE] = buffer.base, buffer.size, buffer.writable
    row[DELTA] = host.ctypes.data - buffer.base
    return tuple(row)


def set_geometry(context: np.ndarray | list[int], geometry: Geometry) -> None:
    """Write the size of a launch into a context block."""
    context[Slot.ITEMS_X : Slot.ITEMS_Z + 1] = geometry.items
    context[Slot.GROUPS_X : Slot.GROUPS_Z + 1] = geometry.groups


def param_slot(position: int, which: int) -> int:
    """Return a slot of the buffer of the parameter at this position."""
    return Slot.PARAMS + BUFFER_SLOTS * position + which


def owners_slot(params: int, position: int) -> int:
    """Return the slot with what code that counts has for the buffer of a parameter, of `params`."""
    return Slot.PARAMS + BUFFER_SLOTS * params + position


class Count(IntEnum):
    """Index of a count in the memory at COUNTS, 64-bit words; then two words for each node.

    Those are how often warps have executed the node, and with how many lanes. The four before them
    are bounds of a loop's iterations in a batch, and of the rounds before it (batch_rounds.py).
    """

    DIVERGENT = 0
    COMPARISONS = 1
    DEPTH = 2
    LANE_SLOTS = 3
    BARRIERS = 4
    FEWEST_ITERATIONS = 5
    MOST_ITERATIONS = 6
    FEWEST_ROUNDS = 7
    MOST_ROUNDS = 8
    NODES = 9


class WatchedBy(IntEnum):
    """Ways to watch accesses that refuse some launches which owners would not."""

    MARKS = 1
    """Marks of places (kernel/memory/watched/marks.py)."""
    UPDATES = 2
    """Owners that take a load for the store after it (analysis/counting/updates.py)."""


class TrapCode(IntEnum):
    """Values of TRAP_KIND; 0 means that nothing happened."""

    NONE = 0
    OUT_OF_BOUNDS = 1
    MISALIGNED = 2
    FREED = 3
    DIVIDE_BY_ZERO = 4
    DIVERGENT_BARRIER = 5
    BUDGET = 6
    TRAP = 9
    READ_ONLY = 10
