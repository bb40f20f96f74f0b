"""The parts of a launch besides its arguments, made once: code, memory of its own, and addresses.

A small kernel runs for less time than NumPy takes to return one address. So what stays the same
from call to call is in a `Plan`, what depends on the device's buffers in a `Table` (table.py) that
lasts until they change, and a call packs its arguments into a block of memory.

Native code has addresses only. Each of these objects keeps alive the memory whose addresses it
hands out, and a running thread holds on to its `Scratch`, which holds on to the rest.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ....isa.program import Param
from ...analysis.suitability.spin import may_wait
from ...engine import Work
from ..kernel.compile import CompiledKernel, compiled, is_compiled
from ..kernel.launch_facts import facts_for_counting, facts_of
from ..runtime.aligned import aligned_bytes
from ..runtime.context import BUFFER_SLOTS, Slot, WatchedBy, set_geometry
from .copies import Copies
from .parts import InParts
from .regroup import as_run
from .slices import Function

if TYPE_CHECKING:
    from ...statistics import Statistics
    from .counting.contents import Contents
    from .counting.guarded import Guard
    from .counting.layouts import Layout
    from .counting.owners import Marks, Owners
    from .table import Table

SLACK = 128
"""Bytes after the memory of a kernel and its frames: none is empty, and wide loads may read on."""

LARGEST = (1 << 63) - 1
"""The largest value of a slot."""

_BUFFERS = struct.Struct("=2q")


class Pointed(NamedTuple):
    """The buffers of a launch without the table that keeps their memory alive."""

    slots: array[int]
    """Those of all buffers."""
    rows: list[int]
    """Slots of the buffers of the pointer parameters."""
    copied: tuple[tuple[int, ...], ...] = ()
    """Rows of the buffers that are copied before the launch."""
    starts_over: bool = False
    """Whether the launch may start over after a trap."""


class Scratch:
    """Memory for one thread that runs workgroups: context block, arguments, and their own memory.

    Native code is handed `address`; `context` is the same block as 64-bit slots.
    """

    def __init__(self, plan: Plan, work: Work) -> None:
        kernel, geometry, facts = work.kernel, plan.geometry, plan.facts
        relied = None if plan.layout is None else plan.layout.relied
        has_more = relied is not None and bool(relied.watched or relied.before)
        slots = (BUFFER_SLOTS + has_more) * len(kernel.params)
        self.context = np.zeros(Slot.PARAMS + slots, np.int64)
        self.address = self.context.ctypes.data
        self.kernargs = np.zeros(max(8, kernel.kernarg_size), np.uint8)
        self._params = plan.params
        self._code = plan.code
        self._table: Table | None = None
        self.pointed: Pointed | None = None
        """What `Again` has last pointed parameters at."""
        self.copies: Copies | None = None
        """Where a launch by `Again` that may start over copies what it may change."""
        self.cleared = array("q", (0,))
        """How many regions of memory such a launch clears, and the address and bytes of each."""
        self._memory = {
            Slot.KERNARG: self.kernargs,
            Slot.READONLY: plan.readonly,
            **{slot: aligned_bytes(size + SLACK) for slot, size in plan.own_memory.items()},
        }
        for slot, memory in self._memory.items():
            self.context[slot] = memory.ctypes.data
        self.context[Slot.BUDGET] = min(work.budget, LARGEST // facts.width)
        set_geometry(self.context, geometry)
        self.context[Slot.EXITED_ARRIVE] = work.exited_arrive
        self.counts: np.ndarray | None = None
        """What generated code counts, if it does."""
        if plan.layout is not None:
            self.counts = np.zeros(plan.layout.words, np.int64)
            self.context[Slot.COUNTS] = self.counts.ctypes.data
        self._owners: Owners | Marks | Contents | None = None
        self._contents: Contents | None = None
        self.slots = array("q")
        """Those of the table that accesses find, of a launch by `Again`."""
        if relied is not None and relied.before:
            from ...interp.interpreter import slots_of
            from .counting.contents import Contents

            self.context[Slot.BATCH] = slots_of(work)
            self._owners = self._contents = Contents(kernel, relied, self.context)
        elif relied is not None and has_more:
            from .counting.owners import Marks, Owners

            self._owners = (
                Marks(kernel, relied, self.context)
                if plan.code.watched_by == WatchedBy.MARKS
                else Owners(kernel, geometry, relied, self.context)
            )
        self._bytes = self.context.data.cast("B")

    @property
    def trapped_group(self) -> int:
        """The workgroup whose trap native code has left here."""
        return int(self.context[Slot.TRAP_GROUP])

    def fill(self, kernargs: bytes, table: Table, rows: list[int]) -> None:
        """Take the arguments of a call, and the buffers that its pointers point into."""
        self.pointed = None
        self.context[Slot.SEVERAL_THREADS] = 0
        self.kernargs.data[: len(kernargs)] = kernargs
        self.fill_table(table)
        self._params.pack_into(self._bytes, Slot.PARAMS * 8, *rows)
        self.clear()
        if self._contents is not None:
            self._use(table.slots)

    def fill_table(self, table: Table) -> None:
        """Take the table of buffers, in which pointers are looked up."""
        self._table = table
        _BUFFERS.pack_into(self._bytes, Slot.BUFFERS * 8, *table.place)

    def point(self, pointed: Pointed) -> None:
        """Set the table, and the slots of the buffers of all pointer parameters."""
        self.pointed = pointed
        self._params.pack_into(self._bytes, Slot.PARAMS * 8, *pointed.rows)
        self.copies = Copies(pointed.copied) if pointed.copied else None
        regions = []
        if self.counts is not None:
            regions.append((self.counts.ctypes.data, self.counts.nbytes))
        if self._owners is not None:
            self._owners.begin_launch()
            regions.append(self._owners.region)
        self.cleared = array("q", (len(regions), *chain.from_iterable(regions)))
        self._use(pointed.slots)

    @property
    def has_run(self) -> bool:
        """Whether a launch that has ended with a trap has run at all."""
        return True

    @property
    def has_parameters(self) -> bool:
        """Whether the context block has the slots of each parameter's buffer."""
        return True

    @property
    def may_move(self) -> bool:
        """Whether buffers may have other addresses in the next launch, if the table is changed."""
        return self._contents is None

    def _use(self, slots: array[int]) -> None:
        """Take the slots of a table in which pointers are looked up."""
        self.slots = slots if self._contents is None else self._contents.table(slots)
        place = self.slots.buffer_info()[0], len(self.slots) // BUFFER_SLOTS
        _BUFFERS.pack_into(self._bytes, Slot.BUFFERS * 8, *place)

    def clear(self) -> None:
        """Clear counts and owners before a launch."""
        if self.counts is not None:
            self.counts[:] = 0
        if self._owners is not None:
            self._owners.begin_launch()

    def release(self) -> None:
        """Release the buffers; no thread may still use them."""
        self._table = None
        if self._owners is not None:
            self._owners.end_launch()


class Plan:
    """One launch, ready for its arguments."""

    def __init__(
        self,
        work: Work,
        *,
        marks: bool = True,
        strict: bool = True,
        by_batches: bool = False,
        watches: bool = False,
        in_parts: bool = True,
        guard: Guard | None = None,
    ) -> None:
        """`guard` finds the buffers of a part of a launch that is counted apart."""
        self.kernel, self.geometry = work.kernel, work.geometry
        """The kernel and the launch in the workgroups that native code runs."""
        if not work.stats:
            run = as_run(work.kernel, work.geometry, in_parts=in_parts)
            self.kernel, self.geometry = run
        self.facts = (
            facts_for_counting(work.kernel, work.geometry, by_batches=by_batches, watches=watches)
            if work.stats
            else facts_of(self.kernel, self.geometry)
        )
        known_places = None
        if self.facts.marks and not marks:
            self.facts = replace(self.facts, marks=False)
        elif self.facts.marks and strict:
            from .counting.guarded import KnownPlaces

            known_places = KnownPlaces.of(work.kernel, self.facts)
            self.facts = replace(self.facts, strict=known_places is not None)
        self.code: CompiledKernel = compiled(replace(work, kernel=self.kernel), self.facts)
        warps = -(-self.geometry.largest_group // self.facts.width)
        self.own_memory = {
            Slot.GROUP_MEMORY: work.kernel.group_size,
            Slot.PRIVATE_MEMORY: work.kernel.private_size * self.facts.width * warps,
            Slot.FRAMES: self.code.frame_bytes * warps,
        }
        """Bytes that a thread needs for the workgroup that it runs."""
        self.layout: Layout | None = None
        """Where the code leaves its counts, if it counts."""
        self.is_in_parts = bool(work.kernel.group_size) and self.geometry != work.geometry
        """Whether parts of the launch's workgroups are workgroups."""
        self._guarded: Guard | None = None
        """What finds which buffers a launch may use that counts."""
        self.is_apart = guard is not None
        if self.is_in_parts:
            self._guarded = InParts(work.kernel, work.geometry)
        if self.facts.counts:
            from .counting.guarded import Guarded
            from .counting.layouts import layout_of

            self.layout = layout_of(work.kernel, self.facts)
            is_strict = self.code.watched_by == WatchedBy.MARKS
            self._guarded = Guarded(self.layout.relied, known_places if is_strict else None)
        if guard is not None:
            self._guarded = guard
        self.n_groups = self.geometry.n_groups
        self.may_wait = may_wait(work.kernel)
        self.strays = False
        """Whether a pointer of a launch that may wait has perhaps left its buffer."""
        self.row = self.geometry.groups[0] if self.facts.strips else 1
        """Workgroups that are better not divided among calls."""
        self.ordered: tuple[bytes, int] | bool = False
        """Arguments and table with which one thread must run all workgroups; True for any."""
        readonly = work.program.readonly_data
        self.readonly = aligned_bytes(len(readonly) + SLACK)
        self.readonly[: len(readonly)] = np.frombuffer(readonly, np.uint8)
        params = work.kernel.params
        skipped = BUFFER_SLOTS * 8
        self.params = struct.Struct(
            "=" + "".join(f"{BUFFER_SLOTS}q" if p.is_pointer else f"{skipped}x" for p in params)
        )
        self._pointers = struct_of_pointers(params)
        self.idle: list[Scratch] = []
        """Those that no thread uses."""

    @property
    def is_guarded(self) -> bool:
        """Whether launches use buffers as `guarded` returns them."""
        return self._guarded is not None

    @property
    def code_address(self) -> int:
        """Return the address of the code."""
        return self.code.compiled["kernel"]

    @property
    def function(self) -> Function:
        """Return the code as a function of a context block, the first workgroup and the last."""
        return self.code.function

    @property
    def count_words(self) -> int:
        """Return how many words of counts a launch leaves."""
        return 0 if self.layout is None else self.layout.words

    @property
    def is_tested(self) -> bool:
        """Whether a launch that counts may be refused, and copies first what it may change."""
        return self.layout is not None and self.layout.relied.is_tested

    @property
    def is_refused_alone(self) -> bool:
        """Whether a launch may be refused for what the next one may not do."""
        return self.layout is not None and self.layout.relied.loop is not None

    def statistics_from(self) -> Callable[[bytes], Statistics]:
        """Return the function that makes statistics of counts."""
        from .counting.layouts import statistics_from

        assert self.layout is not None
        return partial(statistics_from, self.layout, self.facts)

    def scratch(self, work: Work) -> Scratch:
        """Return memory for one thread."""
        return Scratch(self, work)

    @property
    def own_bytes(self) -> int:
        """Bytes of group, private and frame memory of a thread."""
        return sum(self.own_memory.values())

    @staticmethod
    def is_made(work: Work) -> bool:
        """Return whether an earlier call of the same launch has made a plan, or two."""
        apart = work.kept.get("apart")
        return "plan" in work.kept or (apart is not None and apart.kernel is not None)

    @classmethod
    def of(cls, work: Work) -> Plan:
        """Return the plan of an earlier call of the same launch, or a new one."""
        plan = work.kept.get("plan")
        return plan if plan is not None else work.kept.setdefault("plan", Plan(work))

    @staticmethod
    def is_compiled(work: Work) -> bool:
        """Return whether this process has the code that runs a launch without statistics."""
        kernel, geometry = as_run(work.kernel, work.geometry)
        return is_compiled(replace(work, kernel=kernel), facts_of(kernel, geometry))

    def guarded(
        self, work: Work, table: Table, *, any_numbers: bool = False
    ) -> tuple[Table | None, frozenset[int] | None]:
        """Return the buffers as a launch may use them; see `Guarded.of` and `InParts.of`.

        With `any_numbers` that holds whatever the numbers among the arguments are.
        """
        assert self._guarded is not None
        pointers = self.pointers_in(work.kernargs)
        return self._guarded.of(work, table, pointers, any_numbers=any_numbers)

    def passed(self, work: Work, table: Table) -> None:
        """Note that a launch which might have been refused was not."""
        if self._guarded is not None:
            self._guarded.passed(work, table)

    def less_strict(self, work: Work) -> Plan | None:
        """Return a plan for a launch that this one has refused; None if it refuses all others."""
        if self.is_in_parts:
            return Plan(work, in_parts=False)
        from .counting.refused import options_after

        options = options_after(self, work)
        return None if options is None else Plan(work, **options)

    def pointers_in(self, kernargs: bytes) -> tuple[int, ...]:
        """Return the pointers in a block of arguments."""
        return self._pointers.unpack_from(kernargs)

    def take(self, work: Work, table: Table, count: int = 1) -> list[Scratch]:
        """Return filled scratches, one a thread, for this call alone until `give_back`."""
        rows: list[int] = []
        for address in self.pointers_in(work.kernargs):
            rows += table.row_at(address, work.memory)
        taken = []
        for _ in range(count):
            try:
                scratch = self.idle.pop()
            except IndexError:
                scratch = self.scratch(work)
            scratch.fill(work.kernargs, table, rows)
            taken.append(scratch)
        return taken

    def give_back(self, taken: list[Scratch]) -> None:
        """Keep what `take` has returned for the next call; no thread may still use it."""
        for scratch in taken:
            scratch.release()
        self.idle += taken


def struct_of_pointers(params: Sequence[Param]) -> struct.Struct:
    """Return the pointers in a block of arguments."""
    text, end = "<", 0
    for param in params:
        if param.is_pointer:
            text += f"{param.offset - end}xQ"
            end = param.offset + param.size
    return struct.Struct(text)
