"""Lists in group memory to which work-items append: their order is that of the schedule.

A work-item takes a slot by an atomic addition and stores an element to it, as where a workgroup
lists what reaches its tile. What is in the list is the same in any order. So is what the launch
executes, if each warp that looks at the list looks at all of it, element by element, and executes
for an element what depends on that alone:

- A loop counts from zero to the counter's value. Nothing else leaves it.
- No branch in it depends on what it takes from one iteration to the next, but for the one that
  leaves it, and no branch elsewhere depends on an element.
- It stores nothing from which branches follow.

Then each element adds the same to the counts, in whichever iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod

from ....isa.table import Flags
from ....isa.types import Segment
from ...geometry import Dim3
from ..flow.barriers import ends_round, reached
from ..flow.order import START, Loop
from ..ranges.trips import only_exit
from ..values.ssa import Const, Op, Phi, Ssa, Value, operands_of
from ..warps.influence import Influence
from .item_places import Places
from .one_sided import NONE, OneSided
from .round_counter import steps_of


@dataclass(frozen=True)
class AppendedList:
    """A list and its counter, which has the slots that are taken, times `step`."""

    counter: int
    """The counter's place in group memory."""
    step: int
    factor: int
    """Bytes from slot to slot, over `step`."""
    appends: frozenset[Op]
    """The atomics that take slots."""
    stores: frozenset[Op]
    """The stores to them."""
    places: range
    """The bytes that the list may have."""
    is_bounded: bool
    """Whether it cannot get longer without a trap."""
    most: int | None
    """The most slots that are taken, if a one-sided branch sees to that."""

    def has(self, first: int, end: int) -> bool:
        """Return whether some bytes may be the list's."""
        return first < self.places.stop and self.places.start < end


class Lists:
    """The lists of a kernel."""

    def __init__(
        self, ssa: Ssa, group_size: Dim3, group_bytes: int, sides: OneSided = NONE
    ) -> None:
        """`sides` are branches that always go one way, so that all slots may be stored to."""
        self._ssa, self._sides = ssa, sides
        self._size, self._bytes = group_size, group_bytes
        ops = [op for ops in ssa.ops.values() for op in ops]
        may_have_some = any(op.ins.row.name in _APPENDS for op in ops) and not any(
            Flags.CROSS_LANE in op.ins.row.flags for op in ops
        )
        in_group = (op for op in ops if op.ins.row.is_memory)
        self._accesses = [op for op in in_group if op.ins.row.segment is Segment.GROUP]
        self.lists = self._found() if may_have_some else ()
        self.appends = frozenset(op for each in self.lists for op in each.appends)
        self.stores = {op: each.places for each in self.lists for op in each.stores}
        """The stores of elements, and where these may be."""
        self._loops = {
            op: (each, loop)
            for each in self.lists
            for op in self._accesses
            if op.ins.row.is_load and (loop := self._loop_over(each, op))
        }

    @property
    def ends(self) -> dict[int, int]:
        """The pcs of stores that must be before these ends, or the list is another array, too."""
        unbounded = [each for each in self.lists if not each.is_bounded]
        return {op.pc: each.places.stop for each in unbounded for op in each.stores}

    @property
    def places(self) -> dict[Op, range]:
        """The accesses of elements, and where these may be."""
        return self.stores | {op: each.places for op, (each, _) in self._loops.items()}

    # --- what is a list

    def _found(self) -> tuple[AppendedList, ...]:
        by_counter: dict[int, list[Op]] = {}
        for op in self._accesses:
            if op.ins.row.name in _APPENDS and op.base is None and self._users.get(op):
                by_counter.setdefault(op.address.offset, []).append(op)
        lists = [self._list_of(counter, ops) for counter, ops in by_counter.items()]
        found = tuple(each for each in lists if each is not None)
        # Slots that are taken for no list have their order show.
        is_apart = len(found) == len(lists) and all(self._is_apart(a, found) for a in found)
        return found if is_apart else ()

    def _list_of(self, counter: int, appends: list[Op]) -> AppendedList | None:
        elements: list[dict[Op, tuple[int, int]]] = []
        for append in appends:
            found = self._elements_of(append)
            if not found:
                return None
            elements.append(found)
        steps = {op.args[0].bits if isinstance(op.args[0], Const) else 0 for op in appends}
        factors = {factor for found in elements for factor, _ in found.values()}
        fields = {frozenset((at, op.element.size) for op, (_, at) in e.items()) for e in elements}
        if len(steps) != 1 or len(factors) != 1 or len(fields) != 1:
            return None
        if len(appends) > 1 and not set(appends).isdisjoint(self._sides.atomics.values()):
            return None  # what two instructions return differs
        (step,), (factor,), (of_slot,) = steps, factors, fields
        first, end = min(at for at, _ in of_slot), max(at + size for at, size in of_slot)
        width = step * factor
        if step >= _MOST_STEP or not 0 <= first <= end - 1 < first + width:
            return None
        stores = frozenset(op for found in elements for op in found)
        limit = self._bytes
        if all(self._ssa.flow.loop_of[op.node] is None for op in appends):
            limit = min(limit, first + width * prod(self._size) * len(appends))
        caps = [self._slots_of(op) for op in appends] if step == 1 else [None]
        most = max((cap for cap in caps if cap is not None), default=None)
        if most is not None and None not in caps:
            limit = min(limit, first + factor * most)
        others = (self._bytes_of(op).start for op in self._accesses if op not in stores)
        after = min((start for start in others if start >= first + width), default=limit)
        return AppendedList(
            counter,
            step,
            factor,
            frozenset(appends),
            stores,
            range(first, max(min(limit, after), end)),
            is_bounded=limit <= after,
            most=None if None in caps else most,
        )

    def _slots_of(self, append: Op) -> int | None:
        """Return how many slots a branch that always goes one way leaves; None if unknown."""
        for condition, atomic in self._sides.atomics.items():
            if atomic is append and condition.args[0] is append:
                least = condition.args[1]
                is_less = condition.ins.row.name in ("cmp_lt_u32", "cmp_ge_u32")
                return least.bits if is_less and isinstance(least, Const) else None
        return None

    def _elements_of(self, append: Op) -> dict[Op, tuple[int, int]]:
        """Return the stores to a slot, with the factor and the place of slot 0; {} if it shows.

        A slot that is taken is stored to.
        """
        found: dict[Op, tuple[int, int]] = {}
        nodes, flow = {append.node}, self._ssa.flow
        for condition, atomic in self._sides.atomics.items():
            after = flow.nodes[append.node].successors[self._sides.side(condition)]
            if atomic is append and flow.nodes[after].predecessors == (append.node,):
                nodes.add(after)
        work: list[Op] = [append]
        while work:
            value = work.pop()
            for user in self._users[value]:
                if not isinstance(user, Op) or user.node not in nodes:
                    return {}
                if self._sides.atomics.get(user) is append:
                    continue
                if user in self._accesses:
                    scaled = _scaled(user.base)
                    is_store = user.ins.row.is_store and value not in user.args[:-1]
                    if not is_store or scaled is None or scaled[0] is not append:
                        return {}
                    found[user] = scaled[1], scaled[2] + user.address.offset
                elif user.ins.row.name in _SCALES:
                    work.append(user)
                else:
                    return {}
        return found

    @cached_property
    def _places(self) -> Places:
        return Places(self._ssa, self._size, self._bytes, None)

    @cached_property
    def _users(self) -> Mapping[Value, list[Value | None]]:
        """What values are used by; None for a branch."""
        users: dict[Value, list[Value | None]] = {}
        for value in self._ssa.values():
            users.setdefault(value, [])
            for arg in operands_of(value):
                users.setdefault(arg, []).append(value)
        for condition in self._ssa.conditions.values():
            users.setdefault(condition, []).append(None)
        return users

    def _is_apart(self, each: AppendedList, lists: Collection[AppendedList]) -> bool:
        """Return whether nothing else changes a list, or its counter but to zero."""
        counter = range(each.counter, each.counter + 4)
        if each.has(counter.start, counter.stop):
            return False
        for op in self._accesses:
            if op.ins.row.is_load or op in each.stores or op in each.appends:
                continue
            other = next((a.places for a in lists if op in a.stores), None) or self._bytes_of(op)
            if each.has(other.start, other.stop):
                return False
            clears = op.ins.row.is_store and op.base is None and op.address.offset == counter.start
            clears = clears and isinstance(op.args[0], Const) and not op.args[0].bits
            clears = clears and op.element.size >= len(counter)
            if other.start < counter.stop and counter.start < other.stop and not clears:
                return False
        return True

    def _bytes_of(self, op: Op) -> range:
        places = self._places.of(op).places
        return range(int(places.min()), int(places.max()) + 1) if places.size else range(0)

    # --- loops over lists

    def are_in_any_order(self, targets: Collection[Value], decides: Callable[[Op], bool]) -> bool:
        """Return whether the order of elements does not show in the branches that are executed.

        `targets` are the values from which branches follow, some of them by the memory to which
        they are stored. `decides` returns whether branches may follow from what a store changes.
        """
        by_loop: dict[int | None, set[Op]] = {}
        for op in self._accesses:
            if op in self._loops:
                by_loop.setdefault(self._loops[op][1].number, set()).add(op)
            elif op.ins.row.is_load and any(self._may_load(op, each) for each in self.lists):
                by_loop.setdefault(None, set()).add(op)
        loops = {loop.number: loop for _, loop in self._loops.values()}
        return all(
            self._is_in_any_order(None if n is None else loops[n], loads, targets, decides)
            for n, loads in by_loop.items()
        )

    def _may_load(self, op: Op, each: AppendedList) -> bool:
        places = self._bytes_of(op)
        return each.has(places.start, places.stop)

    def _loop_over(self, each: AppendedList, load: Op) -> Loop | None:
        """Return the loop in which a load has each element of a list in turn."""
        scaled, flow = _scaled(load.base), self._ssa.flow
        if scaled is None or not isinstance(scaled[0], Phi) or scaled[1] != each.factor:
            return None
        phi, place = scaled[0], scaled[2] + load.address.offset - each.places.start
        if not 0 <= place <= each.step * each.factor - load.element.size:
            return None
        loop = next((loop for loop in flow.loops if loop.header == phi.node), None)
        if loop is None or load.node not in loop.nodes:
            return None
        is_plain = flow.has_own_header(loop) and flow.has_one_entry(loop) and not loop.is_merged
        if (
            not is_plain
            or not only_exit(flow, loop)
            or any(ends_round(flow, n) for n in loop.nodes)
        ):
            return None
        return loop if self._counts(each, phi, loop) else None

    def _counts(self, each: AppendedList, phi: Phi, loop: Loop) -> bool:
        """Return whether a phi counts all slots of a list, after the header's test."""
        steps, flow = steps_of(phi, loop), self._ssa.flow
        if steps is None:
            return False
        begin, following = steps
        if not isinstance(begin, Const) or begin.bits or not isinstance(following, Op):
            return False
        if following.ins.row.name not in _ADDITIONS or phi not in following.args:
            return False
        if not any(isinstance(a, Const) and a.bits == each.step for a in following.args):
            return False
        condition = self._ssa.conditions.get(loop.header)
        if not isinstance(condition, Op) or phi not in condition.args:
            return False
        sides = flow.nodes[loop.header].successors
        leaving = [flow.route(loop.header, side) not in loop.nodes for side in sides]
        if sum(leaving) != 1:
            return False
        stem = condition.ins.row.stem
        name = stem if leaving[1] else _OPPOSITE.get(stem)
        if name not in ("cmp_ge", "cmp_eq") and condition.args[0] is phi:
            return False
        if name not in ("cmp_le", "cmp_eq") and condition.args[1] is phi:
            return False
        if condition.ins.row.type is None or condition.ins.row.type.size != 4:
            return False
        (count,) = [a for a in condition.args if a is not phi] or [phi]
        return isinstance(count, Op) and self._is_counted(each, count, loop)

    def _is_counted(self, each: AppendedList, count: Op, loop: Loop) -> bool:
        """Return whether a value is that of the counter, loaded since the last barrier."""
        if count.ins.row.name == "min_u32" and each.most is not None:
            loads = [arg for arg in count.args if isinstance(arg, Op)]
            limits = [arg.bits for arg in count.args if isinstance(arg, Const)]
            if len(loads) == len(limits) == 1 and each.most <= limits[0]:
                (count,) = loads
        flow, row = self._ssa.flow, count.ins.row
        is_load = row.is_load and row.segment is Segment.GROUP and count.element.size == 4
        if not is_load or count.base is not None or count.address.offset != each.counter:
            return False
        if count.node in loop.nodes:
            return False  # such a loop polls (suitability/spin.py)
        barriers = [n.number for n in flow.nodes if ends_round(flow, n.number)]
        begins = {START, *(s for n in barriers for s in flow.nodes[n].successors)}
        return loop.header not in reached(flow, begins - {count.node}, but=count.node)

    def _is_in_any_order(
        self,
        loop: Loop | None,
        loads: Collection[Op],
        targets: Collection[Value],
        decides: Callable[[Op], bool],
    ) -> bool:
        """Return whether branches do not show which of these loads has which element."""
        ssa = self._ssa
        follows = _Follows(ssa, loads, ()).varying
        stored = set(targets) - set(ssa.conditions.values())
        branches = {n for n, condition in ssa.conditions.items() if condition in follows}
        if not branches:
            return not stored & follows
        if loop is None or stored & follows or not branches <= loop.nodes - {loop.header}:
            return False
        if any(decides(op) for n in loop.nodes for op in ssa.ops.get(n, ())):
            return False
        carried = _Follows(ssa, ssa.phis.get(loop.header, ()), loads).varying
        inside = (loop.nodes - {loop.header}) & ssa.conditions.keys()
        return not any(ssa.conditions[n] in carried for n in inside)


class _Follows(Influence):
    """The values that follow from some values, but for those that follow by others only."""

    def __init__(self, ssa: Ssa, sources: Collection[Value], others: Collection[Value]) -> None:
        self._sources, self._others = frozenset(sources), frozenset(others)
        super().__init__(ssa)

    def _varies(self, value: Value) -> bool:
        if value in self._others:
            return False
        return value in self._sources or super()._varies(value)

    def _find_strides(self, in_pieces: bool) -> dict[Value, int | None]:
        # Numbers that count iterations are the same in all lanes; here they are sources.
        return {}


def _scaled(value: Value | None) -> tuple[Value, int, int] | None:
    """Return (x, a, b) where a value is x * a + b; x is not calculated so."""
    if not isinstance(value, Op) or value.ins.row.name not in _SCALES:
        return (value, 1, 0) if value is not None else None
    others = [arg for arg in value.args if not isinstance(arg, Const)]
    numbers = [arg.bits for arg in value.args if isinstance(arg, Const)]
    if len(others) != 1 or len(numbers) != len(value.args) - 1:
        return None
    found = _scaled(others[0])
    if found is None:
        return None
    x, a, b = found
    stem = value.ins.row.stem
    if stem == "shl":
        if value.args[0] is not others[0]:
            return None
        a, b = a << (numbers[0] & 31), b << (numbers[0] & 31)
    elif stem == "add":
        b += numbers[0]
    else:
        if value.args[-1] is others[0] and stem == "mad":
            return None
        a, b = a * numbers[0], b * numbers[0]
        b += numbers[1] if stem == "mad" else 0
    return (x, a, b) if a < _MOST_STEP and b < _MOST_STEP else None


_MOST_STEP = 1 << 16
"""Steps and places are less; so slots do not come back to a place without a trap before."""

_APPENDS = ("atomic_add_group_u32", "atomic_add_group_s32")
_ADDITIONS = ("add_u32", "add_s32")
_SCALES = frozenset(f"{stem}_{t}" for stem in ("shl", "mul", "mad", "add") for t in ("u32", "s32"))
_OPPOSITE = {"cmp_lt": "cmp_ge", "cmp_gt": "cmp_le", "cmp_ne": "cmp_eq"}
