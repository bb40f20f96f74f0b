"""Neighbouring elements that several loads of a node share, as the cells beside a stencil's own.

`a[i - 1]`, `a[i]` and `a[i + 1]` of a warp are nearly the same elements. All but one of these loads
cross lines of the cache, each of which takes two accesses. So the row from the first element to the
last one is loaded once, a vector at a time, and the loads are shifts of two of its vectors. Nothing
outside of these loads is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ......isa.table import Flags
from ......isa.types import Segment, sign_extend
from .....analysis.values.numbering import Numbering, numbering_of
from .....analysis.values.ssa import Const, Op, Value
from ....arithmetic.widths import extended
from ....llvm.text import integer
from ...lane_code import LaneCode
from ..addressing.addresses import Addresses

LINE = 64
"""Bytes of a vector that is shifted, and of a line of the cache."""

MOST_TERMS = 8
"""Parts of an index that wait to be looked at."""

_PRODUCTS = ("mad_u32", "mad_s32")

_ADDED = {"add_u32": 1, "add_s32": 1, "sub_u32": -1, "sub_s32": -1}


@dataclass(frozen=True, eq=False)
class SharedRow:
    """Loads of one row: of elements that are a constant number of bytes apart."""

    first: Op
    """The load that runs first. It loads the row."""
    offsets: Mapping[Op, int]
    """How far each load begins after the first one, in bytes; it may be before it."""

    @property
    def low(self) -> int:
        """Where the row begins, counted as `offsets` are."""
        return min(self.offsets.values())

    @property
    def high(self) -> int:
        """Where the last of its loads begins."""
        return max(self.offsets.values())


class SharedRows:
    """Emits the loads of shared rows in the code of interior warps."""

    def __init__(self, lanes: LaneCode, addresses: Addresses) -> None:
        self._lanes, self._addresses = lanes, addresses
        self._nodes: dict[int, dict[Op, SharedRow]] = {}

    def of(self, op: Op, is_wide: Callable[[Op], bool]) -> SharedRow | None:
        """Return the row that a wide load shares with others for which `is_wide` holds."""
        lanes, type_ = self._lanes, op.ins.row.type
        assert type_ is not None
        least = lanes.facts.shares_rows
        if not 0 < least <= type_.size or lanes.is_alone or lanes.n * type_.size != LINE:
            return None
        if op.node not in self._nodes:
            found: dict[Op, SharedRow] = {}
            for loads in self._between_stores(lanes.ssa.ops[op.node]):
                for row in self._rows(loads, is_wide):
                    found |= dict.fromkeys(row.offsets, row)
            self._nodes[op.node] = found
        return self._nodes[op.node].get(op)

    def load(self, row: SharedRow, op: Op, host: Callable[[], str]) -> list[str] | None:
        """Return the elements of a load, as registers; `host` is where the first one of it is.

        None if the row has not been loaded where the code is.
        """
        lanes, code, key, type_ = self._lanes, self._lanes.code, (row.first, "row"), op.ins.row.type
        assert type_ is not None
        if op is row.first:
            lanes.local[key] = self._vectors(row, host())
        # A version may have its first load from elsewhere: what others have loaded is not here.
        vectors = lanes.local.get(key, ())
        if len(vectors) != lanes.k + 1:
            return None
        size, values = type_.size, list[str]()
        t, count = integer(type_.bits, lanes.n), lanes.n
        after, span = (row.offsets[op] - row.low) // size, (row.high - row.low) // size
        for j in range(lanes.k):
            a, b = vectors[j], vectors[j + 1]
            # The last vector ends where the last load does, so less far after the one before.
            apart = count if j < lanes.k - 1 else span
            if after in (0, apart):
                shifted = b if after else a
            else:
                order = (i if i < count else count + i - apart for i in range(after, after + count))
                numbers = ", ".join(f"i32 {i}" for i in order)
                shifted = code.let(f"shufflevector {t} {a}, {t} {b}, <{count} x i32> <{numbers}>")
            values.append(extended(code, shifted, type_, count))
        return values

    def _vectors(self, row: SharedRow, host: str) -> list[str]:
        """Load a row, of which `host` is where its first load begins."""
        lanes, code, type_ = self._lanes, self._lanes.code, row.first.ins.row.type
        assert type_ is not None
        t = integer(type_.bits, lanes.n)
        places = [row.low + j * LINE for j in range(lanes.k)]
        places.append(row.high + (lanes.k - 1) * LINE)
        loaded = []
        for place in places:
            at = code.let(f"getelementptr i8, ptr {host}, i64 {place}")
            loaded.append(code.let(f"load {t}, ptr {at}, align {type_.size}"))
        return loaded

    def _between_stores(self, ops: Sequence[Op]) -> Iterator[list[Op]]:
        """Yield the loads of global memory between which nothing else may change it."""
        loads: list[Op] = []
        for op in ops:
            row = op.ins.row
            if row.is_load and row.segment is Segment.GLOBAL:
                loads.append(op)
            elif (row.is_memory and not row.is_load) or Flags.SYNC in row.flags:
                yield loads
                loads = []
        yield loads

    def _rows(self, loads: list[Op], is_wide: Callable[[Op], bool]) -> Iterator[SharedRow]:
        """Yield the rows that several loads share, all of them wide."""
        alike: dict[object, list[tuple[Op, int]]] = {}
        for op in loads:
            key, constant = self._place(op)
            if key is not None:
                alike.setdefault(key, []).append((op, constant))
        for places in alike.values():
            if len(places) > 1:
                yield from self._near([place for place in places if is_wide(place[0])])

    def _near(self, places: list[tuple[Op, int]]) -> Iterator[SharedRow]:
        """Yield the rows of loads whose addresses differ by constants."""
        left = sorted(places, key=lambda place: place[1])
        while left:
            low = left[0][1]
            row = {op: at for op, at in left if at - low <= LINE}
            left = left[len(row) :]
            # A row is a vector more than a load has.
            if len(set(row.values())) * self._lanes.k > self._lanes.k + 1:
                first = next(op for op, _ in places if op in row)
                yield SharedRow(first, {op: at - row[first] for op, at in row.items()})

    def _place(self, op: Op) -> tuple[object, int]:
        """Return what loads share that are a constant apart, and that constant; None: nothing."""
        form = None if op.base is None else self._addresses.form(op.base)
        type_ = op.ins.row.type
        if form is None or form.index is None or type_ is None:
            return None, 0
        more, terms = self._terms(form.index)
        uniform = frozenset((self._number(value), factor) for value, factor in form.uniform)
        key = uniform, terms, form.scale, form.signed, type_.size
        return key, form.constant + op.address.offset + more * form.scale

    def _terms(self, index: Value) -> tuple[int, frozenset[tuple[object, int]]]:
        """Return an index as a constant and a sum of other numbers, with how often each is added.

        The sum may wrap around. Two places in one buffer that are a constant apart then are so
        modulo 2^32, and no buffer has room for more.
        """
        constant, terms = 0, Counter[object]()
        work = [(index, 1)]
        while work:
            value, sign = work.pop()
            if isinstance(value, Const):
                constant += sign * sign_extend(value.bits, 32)
                continue
            if not isinstance(value, Op) or len(work) >= MOST_TERMS:
                terms[self._number(value)] += sign
                continue
            name = value.ins.row.name
            if name in _ADDED:
                a, b = value.args[:2]
                work += [(a, sign), (b, sign * _ADDED[name])]
            elif name in _PRODUCTS:
                factors = frozenset(Counter(self._number(f) for f in value.args[:2]).items())
                terms[factors] += sign
                work.append((value.args[2], sign))
            else:
                terms[self._number(value)] += sign
        return sign_extend(constant & 0xFFFFFFFF, 32), frozenset(terms.items())

    def _number(self, value: Value) -> object:
        return self._numbers.get(value, value)

    @cached_property
    def _numbers(self) -> Numbering:
        return numbering_of(self._lanes.ssa)
