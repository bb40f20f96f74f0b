"""Kernels whose work-items execute the same instructions whatever the schedule.

A branch may depend on a value that another work-item stores in the same launch. Which instructions
are executed may then depend on the schedule, and so do their counts. In an independent kernel no
branch does. A load that decides branches is safe in one of these ways:

- The launch does not change the buffer. The kernel says by which pointer parameters it loads and
  stores; whether these are different buffers is known when it is launched, and that accesses stay
  in them when it has run.
- It is from private memory, and what is stored there is safe.
- It is of a list in group memory to which work-items append, whose order does not show (lists.py).
- Its place is *owned*: while the launch runs (in group memory, from barrier to barrier), no other
  work-item accesses a place that one has stored to. Native code watches these accesses, if the
  places do not follow from the numbers of work-items (own_places.py, spaced.py).

The result of an atomic may decide a branch that goes the same way for all work-items
(one_sided.py).

Another kernel may still execute what it does in the interpreter's order if each batch of workgroups
loads what was in memory before it (loads_first.py).

What is stored to private or to watched memory decides branches as well, as soon as loads from there
do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from ....isa.program import Kernel
from ....isa.table import Flags
from ....isa.types import Segment
from ...geometry import Dim3
from ...recent import Recent
from ..analysis import analyse
from ..facts import Facts
from ..values.ssa import Op, Ssa, Value
from ..warps.influence import Influence
from .accesses import Accesses
from .lists import Lists
from .loads_first import AccessNames, LoopRounds, loads_first
from .one_sided import NONE, OneSided, one_sided
from .own_places import are_own, ends_of_loads
from .spaced import Spaced, spaced


@dataclass(frozen=True)
class Reliance:
    """What an independent kernel relies on, by positions of pointer parameters and by pcs.

    The launch changes no buffer of the parameters `loaded`, by which `loads` decide branches. It
    stores by the pointers `stored`; None: by any.
    """

    loaded: frozenset[int] = frozenset()
    stored: frozenset[int] | None = frozenset()
    loads: frozenset[int] = frozenset()
    owned: frozenset[int] = frozenset()
    """Parameters of owned places: branches depend on loads, and the launch stores.

    These are watched, unless each work-item has its own element by its number."""
    watched: Mapping[int, int | None] = field(default_factory=dict)
    """The loads and stores of owned places, with their parameter; None for group memory."""
    kept_out: Mapping[int, int] = field(default_factory=dict)
    """Other changes of global memory, and loads of owned elements.

    They must not leave the buffers of these parameters."""
    unit: int = 1
    """Bytes of an owned place in global memory: those of the smallest access."""
    ends: Mapping[int, int] = field(default_factory=dict)
    """Accesses of group memory that must be before these ends.

    They are stores to lists, and loads of places that no work-item stores to between barriers."""
    one_sided: Mapping[int, bool] = field(default_factory=dict)
    """The conditions of branches that must be the same for all work-items (one_sided.py)."""
    group_unit: int = 0
    """The same of group memory; 0 if it is not watched."""
    spaced: tuple[Spaced, ...] = ()
    """Elements that work-items have by their numbers in a grid, if steps are far enough apart."""
    spaced_at: int = 0
    """The pc of a store to one of them."""
    in_line: bool = False
    """Whether the grid must have one dimension: a buffer's places are those of numbers in it."""
    before: frozenset[int] = frozenset()
    """Parameters by which work-items load what was in memory before their batch."""
    loop: LoopRounds | None = None
    """The rounds of a batch with a loop, if it loads in one."""
    own: Mapping[int, int] = field(default_factory=dict)
    """Those of them by which each work-item stores to its own element -> bytes between these."""

    @property
    def is_tested(self) -> bool:
        """Whether a launch has conditions to meet."""
        has_loads = self.loaded or self.owned or self.watched or self.before
        return bool(has_loads or self.is_kept_to)

    @property
    def is_kept_to(self) -> bool:
        """Whether code refuses a launch for what it calculates, wherever its accesses are."""
        return bool(self.ends or self.one_sided)


def reliance_of(
    kernel: Kernel, group_size: Dim3, *, by_batches: bool = False, watches: bool = False
) -> Reliance | None:
    """Return what makes a kernel independent of the schedule; None if nothing does.

    Workgroups have `group_size` work-items, or fewer at the edge of a grid. With `by_batches`, each
    batch of workgroups must load before it stores, whatever else might do. With `watches`, places
    are watched that may not be as expected, in place of tests that they are.
    """
    key = kernel.key, kernel.params, group_size, by_batches, watches
    found = _FOUND.find(key)
    if found is None:
        proof = _reliance(kernel, group_size, by_batches=by_batches, watches=watches)
        found = _FOUND.keep(key, (proof,))
    return found[0]


_FOUND: Recent[tuple[object, ...], tuple[Reliance | None]] = Recent()


def reliance_as(kernel: Kernel, facts: Facts) -> Reliance | None:
    """Return what code that is compiled under some facts relies on."""
    by_batches, watches = facts.by_batches, facts.watches
    return reliance_of(kernel, facts.group_size, by_batches=by_batches, watches=watches)


def _reliance(
    kernel: Kernel, group_size: Dim3, *, by_batches: bool, watches: bool
) -> Reliance | None:
    rows = [ins.row for ins in kernel.instructions]
    if not any(row.is_store or row.is_atomic for row in rows):
        return Reliance()
    proof = _Proof(kernel, group_size, watches=watches)
    if any(Flags.CROSS_LANE in row.flags for row in rows):
        return None if by_batches else proof.independent()
    if by_batches:
        return proof.loads_first()
    found = proof.independent() or proof.loads_first()
    if found is None and (sides := one_sided(proof.ssa)).atomics:
        return _Proof(kernel, group_size, sides, watches=watches).independent()
    return found


class _Proof:
    """The search for what must be watched: a fixed point, since stored values may decide."""

    def __init__(
        self,
        kernel: Kernel,
        group_size: Dim3,
        sides: OneSided = NONE,
        *,
        watches: bool = False,
    ) -> None:
        """`sides` are branches that all work-items are to take the same way."""
        self._watches = watches
        self._kernel, self._code, self._ssa = kernel, kernel.instructions, analyse(kernel).ssa
        self._group_size, self._group_bytes = group_size, kernel.group_size
        self._accesses = accesses = Accesses(self._ssa, kernel)
        self._targets: set[Value] = set(self._ssa.conditions.values())
        """Values that decide branches, now or when they are loaded again."""
        self._loads = accesses.loads_by_param()
        self._influenced: dict[object, Influence] = {}
        self._lists = Lists(self._ssa, group_size, kernel.group_size, sides)
        self._sides = {c: sides.side(c) for c, a in sides.atomics.items() if self._is_counter(a)}
        self._counters = frozenset(sides.atomics[c] for c in self._sides)
        self._targets -= self._sides.keys()
        # Which counters there are must not depend on the schedule.
        self._targets |= {op.base for op in self._counters if op.base is not None}

    @property
    def ssa(self) -> Ssa:
        """The values of the kernel."""
        return self._ssa

    def _is_counter(self, atomic: Op) -> bool:
        """Return whether nothing else changes what an atomic adds to."""
        if atomic.ins.row.segment is Segment.GROUP:
            return atomic in self._lists.appends
        param = self._accesses.param(atomic)
        same = [pc for pc, other in self._accesses.params_of_stores().items() if other == param]
        return param is not None and same == [atomic.pc]

    def loads_first(self) -> Reliance | None:
        """Return that batches load before they store, and that other buffers are not changed."""
        accesses = self._accesses
        names = AccessNames(accesses.param, accesses.own_step)
        found = loads_first(self._code, self._ssa, names)
        if found is None:
            return None
        # What orders the stores of each parameter does not order those of two in one buffer.
        several = len(accesses.stored_params) > 1
        return Reliance(
            frozenset(self._loads) - found.params,
            accesses.stored_params,
            frozenset(op.pc for ops in self._loads.values() for op in ops),
            kept_out=accesses.params_of_stores() if several else {},
            in_line=bool(found.own),
            before=found.params,
            loop=found.loop,
            own={p: step for p, step in found.own.items() if p in found.params},
        )

    def independent(self) -> Reliance | None:
        """Return what makes the kernel independent of the schedule."""
        accesses, lists, owned = self._accesses, self._lists, set[int]()
        private, group = (
            accesses.loads_of(s) if accesses.stores_to(s) else frozenset[Op]()
            for s in (Segment.PRIVATE, Segment.GROUP)
        )
        counts_in_group = any(op.ins.row.segment is Segment.GROUP for op in self._counters)
        if counts_in_group:
            self._targets |= accesses.stored_values(Segment.GROUP, but_slots_of=lists.stores)
        follows_group, follows_private, grows = counts_in_group, False, True
        while grows:
            grows = False
            if not follows_private and self._decides("private", private):
                follows_private = grows = True
                self._targets |= accesses.stored_values(Segment.PRIVATE)
            if not follows_group and self._decides("group", group):
                follows_group = grows = True
                self._targets |= accesses.stored_values(Segment.GROUP, but_slots_of=lists.stores)
            for param in accesses.stored_params - owned:
                if self._decides(param, self._loads.get(param, frozenset())):
                    owned.add(param)
                    grows = True
                    self._targets |= accesses.stored_values(Segment.GLOBAL, param)
        deciding = {p for p, ops in self._loads.items() if self._decides(p, ops)}
        if self._decides("never", accesses.unsafe() - lists.appends):
            return None

        def decides(op: Op) -> bool:
            """Return whether branches may follow from what an access changes."""
            if op.ins.row.segment is Segment.GLOBAL:
                return not op.ins.row.is_load and accesses.param(op) in {None, *owned}
            changes = op.ins.row.is_memory and not op.ins.row.is_load
            return changes and (follows_private or op.ins.row.segment is not Segment.PRIVATE)

        if follows_group and not lists.are_in_any_order(self._targets, decides):
            return None
        if accesses.any_is_stored and (owned or deciding):
            return None
        ends: Mapping[int, int] | None = {}
        if follows_group:
            ends = self._ends_of_group()
        watches_group = ends is None
        if (owned & accesses.counted_params) or (watches_group and accesses.counts_in_group):
            return None
        others = frozenset(deciding) - owned
        if self._sides:
            return None if owned else self._found_with_sides(others, ends)
        identities = accesses.numbered_by(owned)
        if identities:
            found = self._found(frozenset(), others, ends)
            in_line = any(op.ins.row.stem == "workitemabsid" for op in identities)
            return self._with_others(replace(found, in_line=in_line), owned)
        if owned and not self._watches:
            elements = spaced(self._ssa, self._kernel, accesses, owned, self._group_size)
            if elements:
                stores = accesses.params_of_stores()
                first = min(pc for pc, param in stores.items() if param in owned)
                found = self._found(frozenset(), others, ends)
                found = replace(found, spaced=elements, spaced_at=first)
                return self._with_others(found, owned)
        return self._found(frozenset(owned), others, ends)

    def _with_others(self, found: Reliance, owned: Collection[int]) -> Reliance:
        """Return what is relied on where work-items have elements of their own."""
        accesses = self._accesses
        if accesses.stored_params == owned and len(owned) == 1:
            return found
        return replace(
            found,
            owned=frozenset(owned),
            stored=accesses.stored_params,
            kept_out=accesses.params_of_stores() | accesses.params_of_loads(owned),
        )

    def _ends_of_group(self) -> Mapping[int, int] | None:
        """Return the ends before which accesses of group memory must be; None if it is watched."""
        lists = self._lists
        place = self._ssa, self._group_size, self._group_bytes
        if are_own(*place, lists.appends, lists.places):
            return lists.ends
        windows = None if self._watches else ends_of_loads(*place, lists.appends, lists.places)
        return None if windows is None else {**lists.ends, **windows}

    def _found_with_sides(
        self, deciding: frozenset[int], ends: Mapping[int, int] | None
    ) -> Reliance | None:
        accesses = self._accesses
        if accesses.any_is_stored:
            return None
        params = (accesses.param(op) for op in self._counters if op.base is not None)
        counters = frozenset(param for param in params if param is not None)
        return replace(
            self._found(frozenset(), deciding, ends),
            owned=counters,
            stored=accesses.stored_params,
            kept_out=accesses.params_of_stores() if counters else {},
            one_sided={condition.pc: side for condition, side in self._sides.items()},
        )

    def _found(
        self,
        owned: frozenset[int],
        deciding: frozenset[int],
        ends: Mapping[int, int] | None,
    ) -> Reliance:
        """`ends` are those of group memory; None if it is watched."""
        accesses = self._accesses
        in_global = {
            op: param
            for op in accesses.of(Segment.GLOBAL)
            if (param := accesses.param(op)) in owned
        }
        in_group = accesses.of(Segment.GROUP) if ends is None else frozenset[Op]()
        if ends is None:
            ends = self._lists.ends
        others = accesses.params_of_stores() if owned else {}
        watched = {op.pc: param for op, param in in_global.items()}
        relied = bool(owned or deciding or in_group or ends)
        return Reliance(
            deciding,
            (None if accesses.any_is_stored else accesses.stored_params) if relied else frozenset(),
            frozenset(op.pc for p in deciding for op in self._loads[p]),
            owned,
            watched | {op.pc: None for op in in_group},
            {pc: param for pc, param in others.items() if pc not in watched},
            _smallest(in_global) or 1,
            ends,
            group_unit=_smallest(in_group),
        )

    def _decides(self, key: object, sources: frozenset[Op]) -> bool:
        """Return whether a target may depend on the result of one of these instructions."""
        if not sources:
            return False
        found = self._influenced.get(key)
        if found is None:
            found = self._influenced[key] = _Influenced(self._ssa, sources)
        return any(target in found.varying for target in self._targets)


def _smallest(ops: Iterable[Op]) -> int:
    """Return the bytes of the smallest of some accesses; 0 if there are none."""
    return min((op.ins.row.type.size for op in ops if op.ins.row.type is not None), default=0)


class _Influenced(Influence):
    """The values that the results of some instructions influence."""

    def __init__(self, ssa: Ssa, sources: frozenset[Op]) -> None:
        self._sources = sources
        super().__init__(ssa)

    def is_source(self, op: Op) -> bool:
        return op in self._sources
