"""Kernels whose control flow depends on when other work-items store.

Generated code runs a warp from start to end, or to its next barrier. A warp that waits for a store
of a later warp would wait for ever. There are two tests, one certain and one cautious:

- `may_wait`: a branch, an address or a divisor may depend on a value that another work-item stores
  during the launch. In all other kernels each work-item executes the same instructions whatever
  the schedule, so a budget that runs out under one schedule runs out under all of them.
- `may_spin`: a loop is left by a condition on memory that the loop does not walk along: a load or
  atomic at an address that stays the same, of memory that the kernel changes. Such a kernel looks
  like one that polls. Adding a constant other than 0 does not: each iteration then gets another
  number, as from a queue. Nor does a compare-and-swap with what the loop has just seen there, if
  it leaves the loop where it succeeds: it fails only where another one has changed the place. Nor
  does a loop each of whose iterations passes a barrier poll group memory: all work-items of the
  workgroup come as far. But one of them may poll for all, and store there what it has seen.
  Memory is taken for unchanged if all stores are by the pointers of other parameters. Where these
  are to one buffer after all, the budget ends a launch that waits.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

from ....asm.flow.graph import reachable
from ....isa.program import Kernel
from ....isa.types import RegClass, Segment
from ...recent import Recent
from ..analysis import Analysis, analyse
from ..flow.barriers import ends_round, reached
from ..flow.order import Flow, Loop
from ..values.ssa import Const, Op, Phi, Ssa, Value, arguments_of
from ..warps.influence import Influence

_SHARED = (Segment.GLOBAL, Segment.GROUP)
_DIVISIONS = ("div", "rem")


def may_wait(kernel: Kernel) -> bool:
    """Return whether what some work-item executes may depend on when others store."""
    found = _WAITING.find(kernel.key)
    if found is None:
        found = False
        if _written(kernel) and any(i.target is not None for i in kernel.instructions):
            analysis = analyse(kernel)
            found = bool(analysis.flow.loops) and _is_decided_by_others(kernel, analysis)
        _WAITING.keep(kernel.key, found)
    return found


_WAITING: Recent[tuple[object, ...], bool] = Recent()
"""By the key of a kernel, which many launches share."""


def _written(kernel: Kernel) -> frozenset[Segment]:
    """Return the segments that work-items share and that the kernel changes."""
    stores = [i.row for i in kernel.instructions if i.row.is_store or i.row.is_atomic]
    return frozenset(s for s in _SHARED if any(row.segment is s for row in stores))


def _is_decided_by_others(kernel: Kernel, analysis: Analysis) -> bool:
    form = analysis.ssa
    foreign = _Foreign(form, _written(kernel)).varying
    return any(v in foreign for v in form.conditions.values()) or any(
        value in foreign for ops in form.ops.values() for op in ops for value in _deciding(op)
    )


def _deciding(op: Op) -> list[Value]:
    """Return the operands on which it depends whether an instruction traps."""
    row = op.ins.row
    if row.stem in _DIVISIONS and row.type is not None and not row.type.is_float:
        return op.args
    return [op.base] if op.base is not None else []


class _Foreign(Influence):
    """Values that may depend on when other work-items store into `written`."""

    def __init__(self, form: Ssa, written: frozenset[Segment]) -> None:
        self._written = written
        super().__init__(form)

    def is_source(self, op: Op) -> bool:
        row = op.ins.row
        if row.segment is Segment.PRIVATE and row.is_load:
            # The value may have been loaded from shared memory, or stored on one side of a branch.
            return True
        return row.segment in self._written and (row.is_load or row.is_atomic)


def may_spin(form: Ssa) -> bool:
    """Return whether some loop looks like one that polls until another work-item stores."""
    slices, changed = _Slices(form), _Changed(form)
    return any(_polls(slices, loop, changed) for loop in form.flow.loops)


class _Changed:
    """The memory that a kernel changes: segments, and pointers by which it stores."""

    def __init__(self, form: Ssa) -> None:
        written = [
            op
            for ops in form.ops.values()
            for op in ops
            if op.ins.row.is_store or op.ins.row.is_atomic
        ]
        self._segments = {op.ins.row.segment for op in written}
        self._pointers = {_pointer(op) for op in written if op.ins.row.segment is Segment.GLOBAL}

    def has(self, access: Op) -> bool:
        """Return whether the place of an access may be changed."""
        if access.ins.row.segment not in self._segments:
            return False
        if access.ins.row.segment is not Segment.GLOBAL or None in self._pointers:
            return True
        pointer = _pointer(access)
        return pointer is None or pointer in self._pointers


def _pointer(access: Op) -> int | None:
    """Return the place of the only 64-bit argument that an address is computed from, if it is."""
    found = {
        load.ins.address.offset
        for load in arguments_of(access)
        if load.ins.address is not None and load.cls is RegClass.D
    }
    return found.pop() if len(found) == 1 else None


def _polls(slices: _Slices, loop: Loop, changed: _Changed) -> bool:
    flow, conditions = slices.form.flow, slices.form.conditions
    exits = [
        number
        for number in loop.nodes
        if any(successor not in loop.nodes for successor in flow.nodes[number].successors)
        and flow.nodes[number].latch_of is None
    ]
    passes_barriers = _passes_barriers(flow, loop)
    followed = (Segment.PRIVATE, Segment.GROUP) if passes_barriers else (Segment.PRIVATE,)
    decide = {
        value
        for number in exits
        if number in conditions
        for value in slices.of(conditions[number], loop, followed)
    }
    reads = {
        value
        for value in decide
        if isinstance(value, Op) and _reads_the_same_place(value, slices, loop, changed)
    }
    if passes_barriers:
        reads = {op for op in reads if op.ins.row.segment is not Segment.GROUP}
    return bool(reads - _retried(slices.form, loop, reads))


def _passes_barriers(flow: Flow, loop: Loop) -> bool:
    """Return whether each iteration passes a barrier: then the whole workgroup has come as far."""
    if ends_round(flow, loop.header):
        return True
    return loop.header not in reached(flow, flow.nodes[loop.header].successors)


def _retried(form: Ssa, loop: Loop, reads: set[Op]) -> set[Value]:
    """Return the accesses by which a loop repeats a compare-and-swap until it succeeds.

    They are atomics that each iteration executes, and loads of what these expect.
    """
    found: set[Value] = set()
    for cas in reads:
        if cas.ins.row.stem != "atomic_cas":
            continue
        expected = cas.args[0]
        if _is_last_seen(expected, cas, form, loop) and _leaves_if_done(cas, form, loop):
            found |= {cas, expected}
    return found


def _is_last_seen(expected: Value, cas: Op, form: Ssa, loop: Loop) -> bool:
    """Return whether a value is what was at the place when this or the last iteration read it."""
    if isinstance(expected, Phi):
        ways = form.flow.back.items()
        found = [
            expected.args[before]
            for (before, header), latch in ways
            if header == expected.node and latch == loop.latch
        ]
        return bool(found) and all(value is cas for value in found)
    if not isinstance(expected, Op) or not expected.ins.row.is_load:
        return False
    here, there = expected.ins, cas.ins
    loaded, changed = here.row.type, there.row.type
    if loaded is None or changed is None or loaded.bits != changed.bits:
        return False  # it may wait until another one clears the bytes that are not loaded
    return (
        expected.node in loop.nodes
        and here.row.segment is there.row.segment
        and expected.base is cas.base
        and here.address == there.address
    )


def _leaves_if_done(cas: Op, form: Ssa, loop: Loop) -> bool:
    """Return whether a loop continues only after a compare-and-swap that found another value."""
    flow, test = form.flow, form.conditions.get(cas.node)
    ways = flow.nodes[cas.node].successors
    if len(ways) != 2:
        return False
    stays, goes = ways
    while isinstance(test, Op) and test.ins.row.name == "not_b1":
        test, stays, goes = test.args[0], goes, stays
    if not isinstance(test, Op) or cas not in test.args or cas.args[0] not in test.args:
        return False
    done = {"cmp_eq": goes, "cmp_ne": stays}.get(test.ins.row.stem)
    if done is None or test.ins.row.type is None or test.ins.row.type.is_float:
        return False
    return flow.route(cas.node, done) not in loop.nodes and not _misses(flow, cas.node, loop)


def _misses(flow: Flow, number: int, loop: Loop) -> bool:
    """Return whether an iteration may end without having been at a node."""
    others = loop.nodes - {number}
    ways = {n: [flow.route(n, to) for to in flow.nodes[n].successors] for n in others}
    return loop.latch in reachable(ways, [loop.header], others)


class _Slices:
    """Backward slices inside loops: through registers, memory, and branches that decide."""

    def __init__(self, form: Ssa) -> None:
        self.form = form

    def of(
        self, start: Value, loop: Loop, followed: Collection[Segment] = (Segment.PRIVATE,)
    ) -> set[Value]:
        """Return the values inside a loop that a value is made of.

        What the loop stores to the segments that are `followed` may be loaded there.
        """
        found: set[Value] = set()
        work = [start]
        while work:
            value = work.pop()
            if value in found or isinstance(value, Const) or not _inside(value, loop):
                continue
            found.add(value)
            if isinstance(value, Phi):
                work += value.args.values()
                work += self._choosers(value, loop)
            elif isinstance(value, Op):
                work += value.args
                segment = value.ins.row.segment
                if segment is not None and segment in followed:
                    work += self._stored(loop, segment)
        return found

    def _choosers(self, phi: Phi, loop: Loop) -> list[Value]:
        """Return the conditions inside a loop that choose among the values of a phi."""
        return [
            self.form.conditions[branch]
            for branch, joins in self._joins.items()
            if branch in loop.nodes and phi.node in joins
        ]

    @cached_property
    def _joins(self) -> dict[int, set[int]]:
        """Branch -> the nodes at which its sides join."""
        influence = Influence(self.form)
        return {branch: influence.join_nodes(branch) for branch in self.form.conditions}

    def _stored(self, loop: Loop, segment: Segment) -> list[Value]:
        """Return what a loop stores into a segment, where, and the conditions of its doing so."""
        stores = [
            op
            for number in loop.nodes
            for op in self.form.ops.get(number, ())
            if op.ins.row.segment is segment and not op.ins.row.is_load
        ]
        found = [value for op in stores for value in op.args]
        for number in {op.node for op in stores}:
            found += self._deciding(loop, number)
        return found

    def _deciding(self, loop: Loop, number: int) -> list[Value]:
        """Return the conditions inside a loop on which it depends whether a node is executed."""
        flow = self.form.flow
        ways = {n: [flow.route(n, to) for to in flow.nodes[n].successors] for n in loop.nodes}
        return [
            self.form.conditions[branch]
            for branch in self.form.conditions.keys() & loop.nodes - {number}
            if number in reachable(ways, [branch], loop.nodes, stop=(loop.latch,))
            and loop.latch in reachable(ways, [branch], loop.nodes - {number})
        ]


def _inside(value: Value, loop: Loop) -> bool:
    return isinstance(value, (Op, Phi)) and value.node in loop.nodes


def _reads_the_same_place(value: Op, slices: _Slices, loop: Loop, changed: _Changed) -> bool:
    row = value.ins.row
    if not (row.is_load or row.is_atomic) or row.segment not in _SHARED:
        return False
    if not changed.has(value):
        return False
    if row.is_atomic and _counts(value):
        return False
    base = slices.of(value.base, loop) if value.base is not None else set()
    return not any(_changes(v, slices.form, loop) for v in base)


def _counts(atomic: Op) -> bool:
    """Return whether an atomic adds or subtracts a constant other than 0."""
    step = atomic.args[0]
    stem = atomic.ins.row.stem
    return stem in ("atomic_add", "atomic_sub") and isinstance(step, Const) and step.bits != 0


def _changes(value: Value, form: Ssa, loop: Loop) -> bool:
    """Return whether a value may be another one in the next iteration of this very loop."""
    return isinstance(value, Phi) and any(
        value.args[before] is not value
        for (before, header), latch in form.flow.back.items()
        if header == value.node and latch == loop.latch
    )
