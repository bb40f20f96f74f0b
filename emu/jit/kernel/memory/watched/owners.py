"""Owners of places in memory: watched accesses, none at a place that another work-item stores to.

Code that counts watches accesses on which branches depend, where the launch stores as well
(analysis/counting/independence.py). Beside the memory is an array with an *owner* for each place:

    a number below the first of this launch or round    no access yet
    the first number + the work-item's                  its loads; with bit 31 also its stores
    the first number + the number of work-items         loads of several work-items

The first number grows from launch to launch, or for group memory from round to round, so that the
array need not be cleared. An access that finds another owner ends the launch, unless both are
loads. The interpreter then runs it.

A load is entered as a store if its lanes may store to the same place next (updates.py), unless the
launch has been refused so before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from ......isa.types import Segment
from .....analysis.facts import Facts
from .....analysis.values.ssa import Op
from ....llvm.function_text import FunctionText
from ....llvm.text import integer
from ....runtime.context import SIZE, Slot, owners_slot, param_slot
from ...context_code import load_slot, load_slot_32, store_slot
from ...lane_code import LaneCode
from ..kernel_memory import KernelMemory
from .kept_in import offsets_in, refuse

if TYPE_CHECKING:
    from .....analysis.counting.independence import Reliance

STORED = -1 << 31
"""The bit of an owner that has stored."""

NUMBER = (1 << 31) - 1
"""The other bits: the largest number of an owner."""


def bytes_of_owners(size: int, unit: int) -> int:
    """Return the bytes of the owners of `size` bytes of memory in places of `unit` bytes."""
    return -(-size // unit) * 4


def begin_round(code: FunctionText, memory: KernelMemory, facts: Facts) -> None:
    """Clear the owners of group memory: a workgroup begins, or all are at a barrier."""
    assert memory.relied is not None
    items = prod(facts.group_size) + 1
    following = code.let(f"add i64 {load_slot(code, Slot.GROUP_OWNER)}, {items}")
    over = code.let(f"icmp ugt i64 {following}, {NUMBER - items}")
    store_slot(code, Slot.GROUP_OWNER, code.let(f"select i1 {over}, i64 1, i64 {following}"))
    place = code.let(f"inttoptr i64 {load_slot(code, Slot.GROUP_OWNERS)} to ptr")
    room = bytes_of_owners(memory.group_bytes, memory.relied.group_unit)
    code.zero(place, code.let(f"select i1 {over}, i64 {room}, i64 0"))


@dataclass(frozen=True)
class _Room:
    """A piece of memory with owners; operands."""

    owners: str
    """Where they are, a ptr."""
    count: str
    """How many places there are, an i64."""
    unit: int
    """Bytes of a place."""
    first: str
    """The number of work-item 0, an i32."""
    own: Sequence[str]
    """Those of the lanes, chunks."""
    shared: str
    """The number of several work-items, an i32."""


class Owners:
    """Emits the watching of a warp's accesses.

    `group` is the flat number of its workgroup, an i64; its lanes have the flat local ids `flat`.
    `updates` has the loads that are entered in place of stores.
    """

    def __init__(
        self,
        lanes: LaneCode,
        memory: KernelMemory,
        relied: Reliance,
        group: str,
        flat: Sequence[str],
        first: str,
        updates: Mapping[Op, Op] | None = None,
    ) -> None:
        self.lanes = lanes
        self._updates = updates or {}
        self._updated = frozenset(self._updates.values())
        self._memory = memory
        self._relied = relied
        self._group, self._flat, self._first = group, flat, first

    def watch(self, op: Op) -> None:
        """Emit what comes before an access."""
        if op in self._updates:
            return  # the load before has been entered for it
        if op.pc in self._relied.watched:
            if op.ins.row.segment is Segment.GROUP:
                self._watch_group(op)
            else:
                self._watch_global(op, self._relied.watched[op.pc] or 0)
        elif op.pc in self._relied.kept_out:
            offsets_in(self.lanes, op, self._relied.kept_out[op.pc])

    def begin_warp(self) -> None:
        """Begin a warp: owners do not depend on it."""

    def end_warp(self) -> None:
        """End a warp: its accesses have been tested."""

    def begin_round(self) -> None:
        """Begin the time after a barrier, if group memory is watched."""
        if self._relied.group_unit:
            begin_round(self.lanes.code, self._memory, self.lanes.facts)

    # --- global memory

    def _watch_global(self, op: Op, param: int) -> None:
        lanes, code, entry = self.lanes, self.lanes.code, self.lanes.entry
        unit, items = self._relied.unit, prod(lanes.facts.group_size)
        offsets = offsets_in(self.lanes, op, param)
        size = load_slot(entry, param_slot(param, SIZE))
        slot = owners_slot(len(self._memory.params), param)
        first = load_slot_32(entry, Slot.OWNER)
        before = code.let(f"mul i32 {code.let(f'trunc i64 {self._group} to i32')}, {items}")
        room = _Room(
            entry.let(f"inttoptr i64 {load_slot(entry, slot)} to ptr"),
            entry.let(f"udiv i64 {size}, {unit}"),
            unit,
            first,
            self._numbers(code.let(f"add i32 {first}, {before}")),
            load_slot_32(entry, Slot.SHARED_OWNER),
        )
        wide, t = integer(64, lanes.n), integer(32, lanes.n)
        shift = unit.bit_length() - 1
        numbers = [code.let(f"lshr {wide} {o}, splat (i64 {shift})") for o in offsets]
        places = [code.let(f"trunc {wide} {number} to {t}") for number in numbers]
        self._access(op, room, places, lanes.mask)

    def _numbers(self, first: str) -> list[str]:
        """Return the owner's number of each lane, if work-item 0 of the workgroup has `first`."""
        return self.lanes.each("add", 32, self._flat, self.lanes.spread(32, first))

    # --- group memory

    def _watch_group(self, op: Op) -> None:
        lanes, code = self.lanes, self.lanes.code
        address, total, unit = op.ins.address, self._memory.group_bytes, self._relied.group_unit
        assert address is not None
        t, shift = integer(32, lanes.n), unit.bit_length() - 1
        base = lanes.vector(op.base) if op.base is not None else ["zeroinitializer"] * lanes.k
        moved = f"splat (i32 {address.offset & 0xFFFF_FFFF})"
        offsets = [code.let(f"add {t} {chunk}, {moved}") for chunk in base]
        # Lanes outside fault when they access it.
        inside = [code.let(f"icmp ult {t} {o}, splat (i32 {total})") for o in offsets]
        places = [code.let(f"lshr {t} {o}, splat (i32 {shift})") for o in offsets]
        first = load_slot_32(code, Slot.GROUP_OWNER)
        room = _Room(
            code.let(f"inttoptr i64 {load_slot(lanes.entry, Slot.GROUP_OWNERS)} to ptr"),
            str(total // unit),
            unit,
            first,
            self._numbers(first),
            code.let(f"add i32 {first}, {prod(lanes.facts.group_size)}"),
        )
        self._access(op, room, places, lanes.combine("and", inside, lanes.mask))

    # --- owners

    def _only_loads(self, op: Op) -> bool:
        """Return whether lanes are entered as those that load, and do not store."""
        return op.ins.row.is_load and op not in self._updated

    def _access(self, op: Op, room: _Room, places: Sequence[str], mask: Sequence[str]) -> None:
        """Enter the lanes of a mask as owners of the places (chunks of i32) that they access."""
        lanes, code, type_ = self.lanes, self.lanes.code, op.ins.row.type
        assert type_ is not None
        uniform = op.base is None or lanes.shapes.is_uniform(op.base)
        if type_.size == room.unit and uniform and self._only_loads(op):
            known = dict(lanes.local)
            first = code.let(f"extractelement {integer(32, lanes.n)} {places[0]}, i32 0")
            one, each, after = (code.fresh_label("o") for _ in range(3))
            code.branch(self._in_window(room, first, 1), one, each)
            code.block(one)
            self._one(op, room, first, mask)
            code.jump(after)
            lanes.local = dict(known)
            code.block(each)
            self._chunks(op, room, places, mask, 0)
            code.jump(after)
            lanes.local = known
            code.block(after)
            return
        for step in range(type_.size // room.unit):
            self._chunks(op, room, places, mask, step)

    def _chunks(
        self, op: Op, room: _Room, places: Sequence[str], mask: Sequence[str], step: int
    ) -> None:
        """Enter each lane as an owner of its place, or of that `step` places after it."""
        lanes, code, t = self.lanes, self.lanes.code, integer(32, self.lanes.n)
        refused = []
        for place, own, running in zip(places, room.own, mask, strict=True):
            at = code.let(f"add {t} {place}, splat (i32 {step})") if step else place
            if op.ins.row.type is not None and op.ins.row.type.size > room.unit:
                refused.append(self._each(op, room, at, own, running))
            else:
                refused.append(self._chunk(op, room, at, own, running))
        self._refuse(op, lanes.combine("and", refused, mask))

    def _chunk(self, op: Op, room: _Room, places: str, own: str, running: str) -> str:
        """Enter a chunk of lanes, which may be neighbours; return those that are refused."""
        lanes, code, flag = self.lanes, self.lanes.code, self.lanes.mask_type
        first = code.let(f"extractelement {integer(32, lanes.n)} {places}, i32 0")
        near = self._are_neighbours(places, first)
        inside = self._in_window(room, first, lanes.n)
        known = dict(lanes.local)
        wide, each, after = (code.fresh_label("o") for _ in range(3))
        code.branch(code.let(f"and i1 {near}, {inside}"), wide, each)
        code.block(wide)
        together = self._wide(op, room, first, own, running)
        code.jump(after)
        lanes.local = dict(known)
        code.block(each)
        alone = self._each(op, room, places, own, running)
        end = code.current_block
        code.jump(after)
        lanes.local = known
        code.block(after)
        return code.phi(flag, (together, wide), (alone, end))

    def _are_neighbours(self, places: str, first: str) -> str:
        lanes, t = self.lanes, integer(32, self.lanes.n)
        steps = ", ".join(f"i32 {lane}" for lane in range(lanes.n))
        expected = lanes.code.let(f"add {t} {lanes.chunk_of(32, first)}, <{steps}>")
        apart = lanes.code.let(f"icmp ne {t} {places}, {expected}")
        return lanes.code.let(f"xor i1 {lanes.any([apart])}, true")

    def _in_window(self, room: _Room, first: str, count: int) -> str:
        """Return whether `count` places from the first on have owners, an i1."""
        code = self.lanes.code
        end = code.let(f"add i64 {code.let(f'zext i32 {first} to i64')}, {count}")
        return code.let(f"icmp ule i64 {end}, {room.count}")

    def _one(self, op: Op, room: _Room, place: str, mask: Sequence[str]) -> None:
        """Enter all lanes as owners of one place, from which they load."""
        lanes, code = self.lanes, self.lanes.code
        word, t = lanes.word(mask), lanes.word_type
        several = code.let(f"and {t} {word}, {code.let(f'sub {t} {word}, 1')}")
        alone = code.let(f"icmp eq {t} {several}, 0")
        none = code.let(f"icmp eq {t} {word}, 0")
        lane = code.let(f"select i1 {none}, i64 0, i64 {lanes.lowest(word)}")
        number = code.let(f"trunc i64 {lane} to i32")
        least = code.let(f"extractelement {integer(32, lanes.n)} {room.own[0]}, i32 0")
        own = code.let(f"add i32 {least}, {number}")
        own = code.let(f"select i1 {alone}, i32 {own}, i32 {room.shared}")
        where = self._place(room, place)
        old = code.let(f"load i32, ptr {where}")
        new, bad = self._update(op, room, old, own, 0)
        code.line(f"store i32 {code.let(f'select i1 {none}, i32 {old}, i32 {new}')}, ptr {where}")
        all_bad = lanes.chunk_of(1, bad)
        self._refuse(op, lanes.combine("and", [all_bad] * lanes.k, mask))

    def _wide(self, op: Op, room: _Room, first: str, own: str, running: str) -> str:
        """Enter neighbouring lanes as owners of neighbouring places; return the refused ones."""
        lanes, code, t = self.lanes, self.lanes.code, integer(32, self.lanes.n)
        place = self._place(room, first)
        old = code.let(f"load {t}, ptr {place}, align 4")
        new, bad = self._update(op, room, old, own, lanes.n)
        lanes.store_masked(32, new, place, running)
        return bad

    def _each(self, op: Op, room: _Room, places: str, own: str, running: str) -> str:
        """Enter lanes that may be anywhere, two at one place; return those that are refused."""
        lanes, code, n = self.lanes, self.lanes.code, self.lanes.n
        t = integer(32, n)
        cells = code.let(f"getelementptr i32, ptr {room.owners}, {t} {places}")
        old = lanes.gather(32, cells, running, "zeroinitializer")
        new, bad = self._update(op, room, old, own, n)
        lost = self._put(op, room, (places, cells), running, (old, new))
        return bad if self._only_loads(op) else code.let(f"or {lanes.mask_type} {bad}, {lost}")

    def _put(
        self, op: Op, room: _Room, at: tuple[str, str], running: str, owners: tuple[str, str]
    ) -> str:
        """Write owners (old, new) of a chunk where they change; return the lanes that lost theirs.

        `at` are the places and where their owners are. Of several lanes that have one place, only
        one keeps it; after a load it is then shared.
        """
        lanes, code, (place, cells), (old, new) = self.lanes, self.lanes.code, at, owners
        t, flag = integer(32, lanes.n), lanes.mask_type
        write, meet, done = (code.fresh_label("o") for _ in range(3))
        changed = code.let(f"icmp ne {t} {old}, {new}")
        changed = code.let(f"and {flag} {changed}, {running}")
        known = dict(lanes.local)
        start = code.current_block
        code.branch(lanes.any([changed]), write, done)
        code.block(write)
        lanes.scatter(32, new, cells, changed)
        code.branch(self._ascend(place), done, meet)
        code.block(meet)
        left = lanes.gather(32, cells, running, new)
        found = code.let(f"icmp ne {t} {left}, {new}")
        lost = code.let(f"and {flag} {found}, {running}")
        if self._only_loads(op):
            lanes.scatter(32, lanes.chunk_of(32, room.shared), cells, lost)
        code.jump(done)
        code.block(done)
        lanes.local = known
        none = "zeroinitializer"
        return code.phi(flag, (none, start), (none, write), (lost, meet))

    def _ascend(self, places: str) -> str:
        """Return whether each lane's place comes after that of the lane before, an i1."""
        lanes, code = self.lanes, self.lanes.code
        t, n = integer(32, lanes.n), lanes.n
        if n == 1:
            return "true"
        order = ", ".join(f"i32 {max(lane - 1, 0)}" for lane in range(n))
        before = code.let(f"shufflevector {t} {places}, {t} poison, <{n} x i32> <{order}>")
        after = code.let(f"icmp ugt {t} {places}, {before}")
        first = ", ".join(f"i1 {'true' if lane == 0 else 'false'}" for lane in range(n))
        every = code.let(f"or {lanes.mask_type} {after}, <{first}>")
        others = code.let(f"xor {lanes.mask_type} {every}, splat (i1 true)")
        return code.let(f"xor i1 {lanes.any([others])}, true")

    def _update(self, op: Op, room: _Room, old: str, own: str, n: int) -> tuple[str, str]:
        """Return the new owner of a place, and whether the access is refused."""
        code, t, flag = self.lanes.code, integer(32, n), integer(1, n)

        def all_lanes(scalar: str) -> str:
            return self.lanes.chunk_of(32, scalar) if n else scalar

        def constant(number: int) -> str:
            return f"splat (i32 {number})" if n else str(number)

        number = code.let(f"and {t} {old}, {constant(NUMBER)}")
        owned = code.let(f"icmp uge {t} {number}, {all_lanes(room.first)}")
        foreign = code.let(f"icmp ne {t} {number}, {own}")
        others = code.let(f"and {flag} {owned}, {foreign}")
        if not self._only_loads(op):
            return code.let(f"or {t} {own}, {constant(STORED)}"), others
        stored = code.let(f"icmp slt {t} {old}, {constant(0)}")
        kept = code.let(f"select {flag} {foreign}, {t} {all_lanes(room.shared)}, {t} {old}")
        new = code.let(f"select {flag} {owned}, {t} {kept}, {t} {own}")
        return new, code.let(f"and {flag} {others}, {stored}")

    def _place(self, room: _Room, number: str) -> str:
        code = self.lanes.code
        wide = code.let(f"zext i32 {number} to i64")
        return code.let(f"getelementptr i32, ptr {room.owners}, i64 {wide}")

    def _refuse(self, op: Op, lanes_: Sequence[str]) -> None:
        refuse(self.lanes, op, lanes_)
