"""Loads whose idle lanes may be beyond the end of an array.

Such are those of lanes that leave a loop in turn, and those that all rows of a grid share: a bias,
or a weight, for each column. In an array that ends with its row, the last warp of each row has idle
lanes beyond the end. They load zeros: numbers that happen to be there may be denormal, and an
addition then takes long.
"""

from __future__ import annotations

from typing import NamedTuple

from ....analysis.values.ssa import Op, Value, made_of
from ..lane_code import LaneCode
from .addressing.addresses import Addresses
from .addressing.forms import Form
from .addressing.windows import Place
from .site import Site


class Fall(NamedTuple):
    """An index that falls from lane to lane."""

    first: str
    """That of lane 0, an i64."""
    step: int
    """What each lane has less than the lane before."""
    least: int
    """The least number that the index may be."""

    @classmethod
    def of(cls, addresses: Addresses, form: Form, step: int) -> Fall:
        """Return the fall of a form's index, by a `step` from lane to lane."""
        first = addresses.first(form)
        assert first is not None
        return cls(first, step, -(1 << 31) if form.signed else 0)

    def fits(self, lanes: LaneCode) -> str:
        """Return whether the index does not wrap around on the way to the last lane, an i1."""
        least = self.step * (lanes.count - 1) + self.least
        return lanes.code.let(f"icmp sge i64 {self.first}, {least}")


def is_shared_by_rows(lanes: LaneCode, op: Op) -> bool:
    """Return whether a load outside of loops is the same in all rows of a grid of several."""
    if not op.ins.row.is_load or op.base is None or lanes.flow.loop_of[op.node] is not None:
        return False
    rows = {value for value in lanes.ssa.values() if _is_of_row(value)}
    return bool(rows) and rows.isdisjoint(made_of([op.base]))


def _is_of_row(value: Value) -> bool:
    """Return whether a value is the place of a work-item in another dimension than the first."""
    if not isinstance(value, Op) or not value.ins.row.is_identity:
        return False
    return "flat" in value.ins.row.stem or any(value.ins.literals)


def in_running_lanes(
    addresses: Addresses, site: Site, place: Place, also: str | None, fall: Fall | None
) -> str:
    """Return whether neighbours are inside in the lanes that run, and `also`; an i1.

    With a `fall` the last lane has the first element, and the index must not wrap around instead.
    """
    lanes, code, offset = addresses.lanes, addresses.lanes.code, place.offset()
    running = lanes.running()
    lowest, highest = lanes.lowest(running), lanes.highest(running)
    tests = [] if also is None else [also]
    if fall is not None:
        down = code.let(f"mul i64 {highest}, {fall.step}")
        tests = [
            code.let(f"icmp sge i64 {code.let(f'sub i64 {fall.first}, {down}')}, {fall.least}")
        ]
    for lane in (lowest, highest):
        at = lane if fall is None else code.let(f"sub i64 {lanes.count - 1}, {lane}")
        end = code.let(f"add i64 {offset}, {code.let(f'mul i64 {at}, {site.size}')}")
        tests.append(addresses.place_at(end, site.window, site.size, site.size).inside)
    return code.all_of(*tests)
