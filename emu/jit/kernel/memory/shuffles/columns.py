"""Accesses of global memory by lanes that go down columns: wide accesses of rows, and shuffles.

In a workgroup of 16 x 16, `x * n + y` is a multiple of n and a constant away from that of lane 0.
Lanes with the same multiple are neighbours, in another order: the warp accesses rows of memory,
which are transposed in registers (`routed.py`). So are planes whose elements come in turn, as
`x % 2 * n + x / 2`, in warps that lie in one row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .....analysis.values.ssa import Op, Value
from .....analysis.warps.distances import Distances
from ....arithmetic.widths import element_number
from ...lane_code import LaneCode
from ..addressing.addresses import Addresses
from ..addressing.forms import Form
from ..moves import Moves
from ..site import Site
from .routed import Routed, distances_in_elements, load_extended, routed_load, routed_store, store

LARGEST_STEP = 2
"""Elements of one row that are loaded for each that a lane asks for, at most."""

APART = 1 << 20
"""What numbers of different rows are apart in a plan."""


@dataclass(frozen=True)
class Columns:
    """A plan, in which `row * APART + column` is `row * stride + column` elements on."""

    routed: Routed
    stride: tuple[Value, ...]
    """The factors of the stride; none if there is one row."""
    rows: int
    """The highest row."""
    columns: int
    """The highest column; of one row, the last element that is loaded."""
    low: int
    """The lowest element's distance from that of lane 0; not above 0."""
    reads_on: bool
    """Whether the last element that is loaded is one that no lane asks for."""


def columns_of(lanes: LaneCode, form: Form, op: Op, size: int) -> Columns | None:
    """Return how an access of elements of `size` bytes is made; None if others are as fast."""
    if form.index is None or form.scale != size or not (lanes.facts.piece or lanes.facts.rows):
        return None
    found = distances_in_elements(lanes, form.index, size, unit=1)
    if found is None or len(found.multiples) > 1:
        return None
    if lanes.facts.rows and not (found.step is None and _is_same_in_parts(found, lanes)):
        return None
    columns = found.constants[: lanes.count]
    rows = next(iter(found.multiples.values()), np.zeros_like(columns))[: lanes.count]
    low = int(columns.min())
    columns = columns - low
    if rows.min() < 0 or max(rows.max(), columns.max()) >= APART // 2:
        return None
    places = rows * APART + columns
    routed = (routed_load if op.ins.row.is_load else routed_store)(places, size)
    if routed is None:
        return None
    stride = next(iter(found.multiples), ())
    loaded, asked = sum(count for _, count in routed.windows), len(set(places.tolist()))
    if loaded > (asked if stride else LARGEST_STEP * asked):
        return None  # there would be as many wide loads as lines, or some outside of all rows
    last = max(int(columns.max()), 0 if stride else max(map(sum, routed.windows)) - 1)
    for factor in stride:
        if isinstance(factor, Op) and factor.node != op.node and factor not in lanes.table.crossing:
            return None  # a part of the index, which is not kept
    return Columns(routed, stride, int(rows.max()), last, low, last > columns.max())


def _is_same_in_parts(found: Distances, lanes: LaneCode) -> bool:
    """Return whether distances are the same in each part of a warp, which may run by itself."""
    for numbers in (found.constants, *found.multiples.values()):
        parts = numbers.reshape(-1, lanes.count)
        if (parts - parts[:, :1] != parts[0]).any():
            return False
    return True


class ColumnAccess:
    """One such access: where lane 0 is, and how far rows are apart, as i64."""

    def __init__(
        self, lanes: LaneCode, addresses: Addresses, site: Site, form: Form, columns: Columns
    ) -> None:
        assert form.index is not None
        self._lanes, self._addresses = lanes, addresses
        self._site, self._form, self._columns = site, form, columns
        code = lanes.code
        how = "sext" if form.signed else "zext"
        self._number = code.let(f"{how} i32 {lanes.extracted0(form.index)} to i64")
        if columns.low:
            self._number = code.let(f"add i64 {self._number}, {columns.low}")
        self._stride = "0"
        if columns.stride:
            first, *others = map(lanes.scalar, columns.stride)
            for factor in others:
                first = code.let(f"mul i32 {first}, {factor}")
            self._stride = code.let(f"zext i32 {first} to i64")
        self._distance = addresses.distance(form, site.window)
        self._offset = self._plus_scaled(self._distance, self._number)

    def _plus_scaled(self, offset: str, number: str) -> str:
        code = self._lanes.code
        return code.let(f"add i64 {offset}, {code.let(f'mul i64 {number}, {self._form.scale}')}")

    def is_possible(self) -> str:
        """Return whether all elements are inside (an i1), and for a store whether all lanes run.

        Lanes of different rows must not store to one place. No index may wrap around. Places that
        are inside for all lanes are not tested again: without a test the lanes' indices, which only
        a gather needs, are not computed either.
        """
        lanes, code, site, columns = self._lanes, self._lanes.code, self._site, self._columns
        span = code.let(f"mul i64 {self._stride}, {columns.rows}")
        span = code.let(f"add i64 {span}, {columns.columns}")
        highest = code.let(f"add i64 {self._number}, {span}")
        largest = (1 << (31 if self._form.signed else 32)) - 1
        tests = [code.let(f"icmp sle i64 {highest}, {largest}")]
        if columns.low:
            least = -(1 << 31) if self._form.signed else 0
            tests.append(code.let(f"icmp sge i64 {self._number}, {least}"))
        if not site.is_inside or columns.reads_on:
            places = self._addresses.places(site.window, site.size, site.size)
            for at in (self._offset, self._plus_scaled(self._distance, highest)):
                element = element_number(code, at, site.size, 0)
                tests.append(code.let(f"icmp ult i64 {element}, {places}"))
        if not site.is_load:
            if columns.stride:
                tests.append(code.let(f"icmp ugt i64 {self._stride}, {columns.columns}"))
            absent = lanes.any(lanes.combine("xor", lanes.mask, ["splat (i1 true)"] * lanes.k))
            tests.append(code.let(f"xor i1 {absent}, true"))
        return code.all_of(*tests)

    def fast(self, moves: Moves) -> list[str]:
        """Emit the access; return what a load gives, in chunks."""
        lanes, site, routed = self._lanes, self._site, self._columns.routed
        if site.is_load:
            return load_extended(lanes, routed, site.type, self._host)
        store(lanes, routed, moves.store_data(site.op, site.type), self._host)
        return []

    def _host(self, element: int) -> str:
        """Return the host address of an element of the plan, a ptr."""
        code, (row, column) = self._lanes.code, divmod(element, APART)
        moved = code.let(f"add i64 {code.let(f'mul i64 {self._stride}, {row}')}, {column}")
        return self._addresses.host(self._site.window, self._plus_scaled(self._offset, moved))
