"""Kernels whose work-items execute the same instructions whatever the schedule.

A branch may depend on a value that another work-item stores in the same launch. Which instructions
are executed may then depend on the schedule, and so do their counts. In an independent kernel no
branch does. A load that decides branches is safe in one of four ways:

- The launch does not change the buffer. The kernel says by which pointer parameters it loads and
  stores; whether these are different buffers is known when it is launched, and that accesses stay
  in them when it has run.
- It is from private memory, and what is stored there is safe.
- It is of a list in group memory to which work-items append, whose order does not show (lists.py).
- Its place is *owned*: while the launch runs (in group memory, from barrier to barrier), no other
  work-item accesses a place that one has stored to. Native code watches these accesses, if the
  places in group memory do not follow from the numbers of work-items (own_places.py).

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
from ..values.numbering import numbering_of
from ..values.ssa import Const, Op, Ssa, Value, arguments_of
from ..warps.influence import Influence
from .lists import Lists
from .loads_first import AccessNames, LoopRounds, loads_first
from .own_places import are_own


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
    """Stores to group memory that must be before these ends: those of lists."""
    group_unit: int = 0
    """The same of group memory; 0 if it is not watched."""
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
        return bool(self.loaded or self.owned or self.watched or self.before or self.ends)


def reliance_of(kernel: Kernel, group_size: Dim3, *, by_batches: bool = False) -> Reliance | None:
    """Return what makes a kernel independent of the schedule; None if nothing does.

    Workgroups have `group_size` work-items, or fewer at the edge of a grid. With `by_batches`, each
    batch of workgroups must load before it stores, whatever else might do.
    """
    key = kernel.key, kernel.params, group_size, by_batches
    found = _FOUND.find(key)
    if found is None:
        found = _FOUND.keep(key, (_reliance(kernel, group_size, by_batches=by_batches),))
    return found[0]


_FOUND: Recent[tuple[object, ...], tuple[Reliance | None]] = Recent()


def _reliance(kernel: Kernel, group_size: Dim3, *, by_batches: bool) -> Reliance | None:
    rows = [ins.row for ins in kernel.instructions]
    if not any(row.is_store or row.is_atomic for row in rows):
        return Reliance()
    proof = _Proof(kernel, group_size)
    if any(Flags.CROSS_LANE in row.flags for row in rows):
        return None if by_batches else proof.independent()
    return proof.loads_first() if by_batches else proof.independent() or proof.loads_first()


class _Proof:
    """The search for what must be watched: a fixed point, since stored values may decide."""

    def __init__(self, kernel: Kernel, group_size: Dim3) -> None:
        self._code, self._ssa = kernel.instructions, analyse(kernel).ssa
        self._group_size, self._group_bytes = group_size, kernel.group_size
        self._accesses = accesses = _Accesses(self._ssa, kernel)
        self._targets: set[Value] = set(self._ssa.conditions.values())
        """Values that decide branches, now or when they are loaded again."""
        self._loads = accesses.loads_by_param()
        self._influenced: dict[object, Influence] = {}
        self._lists = Lists(self._ssa, group_size, kernel.group_size)

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
        follows_group, follows_private, grows = False, False, True
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
        watches_group = follows_group and not are_own(
            self._ssa, self._group_size, self._group_bytes, lists.appends, lists.places
        )
        if (owned & accesses.counted_params) or (watches_group and accesses.counts_in_group):
            return None
        others = frozenset(deciding) - owned
        identities = accesses.numbered_by(owned)
        if identities:
            found = self._found(frozenset(), others, watches_group, follows_group)
            in_line = any(op.ins.row.stem == "workitemabsid" for op in identities)
            if accesses.stored_params == owned and len(owned) == 1:
                return replace(found, in_line=in_line)
            return replace(
                found,
                owned=frozenset(owned),
                stored=accesses.stored_params,
                kept_out=accesses.params_of_stores() | accesses.params_of_loads(owned),
                in_line=in_line,
            )
        return self._found(frozenset(owned), others, watches_group, follows_group)

    def _found(
        self,
        owned: frozenset[int],
        deciding: frozenset[int],
        watches_group: bool,
        follows_group: bool,
    ) -> Reliance:
        accesses = self._accesses
        in_global = {
            op: param
            for op in accesses.of(Segment.GLOBAL)
            if (param := accesses.param(op)) in owned
        }
        in_group = accesses.of(Segment.GROUP) if watches_group else frozenset[Op]()
        others = accesses.params_of_stores() if owned else {}
        watched = {op.pc: param for op, param in in_global.items()}
        ends = self._lists.ends if follows_group else {}
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
            _smallest(in_group),
        )

    def _decides(self, key: object, sources: frozenset[Op]) -> bool:
        """Return whether a target may depend on the result of one of these instructions."""
        if not sources:
            return False
        found = self._influenced.get(key)
        if found is None:
            found = self._influenced[key] = _Influenced(self._ssa, sources)
        return any(target in found.varying for target in self._targets)


def _step(address: Value | None) -> tuple[Op | None, int]:
    """Return the number of work-items that an address counts by, and the bytes of each; 0 if none.

    It is the flat number, or that in the first dimension.
    """
    if not isinstance(address, Op) or address.ins.row.name != "mad_u64":
        return None, 0
    number, step, begin = address.args
    if not isinstance(number, Op) or number.ins.row.name != "cvt_u64_u32":
        return None, 0
    (identity,) = number.args
    if not isinstance(identity, Op) or not isinstance(step, Const):
        return None, 0
    stem, literals = identity.ins.row.stem, identity.ins.literals
    is_own = stem == "workitemflatabsid" or (stem == "workitemabsid" and literals[0] == 0)
    is_argument = isinstance(begin, Op) and begin.ins.row.segment is Segment.KERNARG
    is_up = step.bits < 1 << 31  # numbers of 32 bits do not come back to a place then
    return (identity, step.bits) if is_own and is_argument and is_up else (None, 0)


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


class _Accesses:
    """The memory instructions of a kernel, and the parameters that their addresses are made of."""

    def __init__(self, ssa: Ssa, kernel: Kernel) -> None:
        self._ssa = ssa
        self.ops = [op for ops in ssa.ops.values() for op in ops if op.ins.row.is_memory]
        self._positions = {p.offset: i for i, p in enumerate(kernel.params) if p.is_pointer}
        written = [op for op in self.ops if op.ins.row.is_store or op.ins.row.is_atomic]
        self._segments = {op.ins.row.segment for op in written}
        stored = [self.param(op) for op in written if op.ins.row.segment is Segment.GLOBAL]
        self.any_is_stored = None in stored
        """Whether some store may be to any buffer."""
        self.stored_params = frozenset(p for p in stored if p is not None)
        counts = [op for op in written if op.ins.row.is_atomic]
        self.counts_in_group = any(op.ins.row.segment is Segment.GROUP for op in counts)
        self.counted_params = frozenset(
            self.param(op) for op in counts if op.ins.row.segment is Segment.GLOBAL
        )
        """The parameters of atomics."""

    def of(self, segment: Segment) -> frozenset[Op]:
        """Return the instructions that access a segment."""
        return frozenset(op for op in self.ops if op.ins.row.segment is segment)

    def loads_of(self, segment: Segment) -> frozenset[Op]:
        """Return the loads from a segment."""
        return frozenset(op for op in self.of(segment) if op.ins.row.is_load)

    def stores_to(self, segment: Segment) -> bool:
        """Return whether something is stored to a segment."""
        return segment in self._segments

    def params_of_stores(self) -> dict[int, int]:
        """Return pc of each store and atomic of global memory -> its parameter, if it has one."""
        stores = (op for op in self.of(Segment.GLOBAL) if not op.ins.row.is_load)
        return {op.pc: param for op in stores if (param := self.param(op)) is not None}

    def params_of_loads(self, params: Collection[int]) -> dict[int, int]:
        """Return pc of each load by some parameters -> its parameter."""
        loads = self.loads_by_param()
        return {op.pc: param for param in params for op in loads.get(param, ())}

    def stored_values(
        self, segment: Segment, param: int | None = None, *, but_slots_of: Collection[Op] = ()
    ) -> set[Value]:
        """Return what is stored to a segment, or by a parameter's pointer, and at which places.

        Places that some stores have are left out.
        """
        return {
            value
            for op in self.of(segment)
            if not op.ins.row.is_load and (param is None or self.param(op) == param)
            for value in (op.args[:-1] if op in but_slots_of else op.args)
        }

    def numbered_by(self, params: Collection[int]) -> list[Op]:
        """Return the numbers from which the places of each work-item in buffers follow.

        There are none if places in one of the buffers may not be its own.
        """
        if self.any_is_stored:
            return []
        found = [self._numbered_by(param) for param in params]
        return [op for op in found if op is not None] if None not in found else []

    def _numbered_by(self, param: int) -> Op | None:
        ops = [op for op in self.of(Segment.GLOBAL) if self.param(op) == param]
        shared = numbering_of(self._ssa)
        bases = {op.base and shared[op.base] for op in ops}
        offsets = [op.ins.address.offset for op in ops if op.ins.address is not None]
        identity, step = _step(ops[0].base if len(bases) == 1 else None)
        largest = max(op.ins.row.type.size for op in ops if op.ins.row.type is not None)
        return identity if max(offsets) + largest - min(offsets) <= step else None

    def own_step(self, op: Op) -> int:
        """Return the bytes from one work-item's own element to the next, if an access is at it.

        Else 0.
        """
        _, step = _step(op.base)
        type_, address = op.ins.row.type, op.ins.address
        assert type_ is not None
        assert address is not None
        return step if 0 <= address.offset and address.offset + type_.size <= step else 0

    def unsafe(self) -> frozenset[Op]:
        """Return the atomics, and the loads by any pointer if something is stored."""
        stored = Segment.GLOBAL in self._segments
        return frozenset(
            op
            for op in self.ops
            if op.ins.row.is_atomic
            or (stored and op in self.loads_of(Segment.GLOBAL) and self.param(op) is None)
        )

    def loads_by_param(self) -> dict[int, frozenset[Op]]:
        """Return the loads of global memory by the parameter of their address."""
        found: dict[int, set[Op]] = {}
        for op in self.ops:
            if op.ins.row.is_load and op.ins.row.segment is Segment.GLOBAL:
                param = self.param(op)
                if param is not None:
                    found.setdefault(param, set()).add(op)
        return {param: frozenset(ops) for param, ops in found.items()}

    def param(self, op: Op) -> int | None:
        """Return the only pointer parameter that an address is computed from, None if not one."""
        found = {p for load in arguments_of(op) if (p := self._param_at(load)) is not None}
        return found.pop() if len(found) == 1 else None

    def _param_at(self, load: Op) -> int | None:
        address = load.ins.address
        return self._positions.get(address.offset) if address is not None else None
