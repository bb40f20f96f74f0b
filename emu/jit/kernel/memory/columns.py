"""Accesses of global memory by lanes that go down columns: wide accesses of rows, and shuffles.

In a workgroup of 16 x 16, `x * n + y` is a multiple of n and a constant away from that of lane 0.
Lanes with the same multiple are neighbours, in another order: the warp accesses rows of memory,
which are transposed in registers (`routed.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....analysis.ssa import Value
from ..lane_code import LaneCode
from .forms import Form
from .routed import Routed, distances_in_elements, routed_load, routed_store

APART = 1 << 20
"""What numbers of different rows are apart in a plan."""


@dataclass(frozen=True)
class Columns:
    """A plan, in which `row * APART + column` is `row * stride + column` elements from lane 0."""

    routed: Routed
    stride: Value | None
    rows: int
    """The highest row."""
    columns: int
    """The highest column."""


def columns_of(lanes: LaneCode, form: Form, size: int, *, load: bool) -> Columns | None:
    """Return how an access of elements of `size` bytes is made; None if others are as fast."""
    if form.index is None or form.scale != size or not lanes.facts.piece:
        return None
    found = distances_in_elements(lanes, form.index, size, unit=1)
    if found is None or len(found.multiples) > 1:
        return None
    rows = next(iter(found.multiples.values()), np.zeros_like(found.constants))
    columns = found.constants
    if rows.min() < 0 or columns.min() < 0 or max(rows.max(), columns.max()) >= APART // 2:
        return None
    places = rows * APART + columns
    routed = (routed_load if load else routed_store)(places, size)
    if routed is None or sum(count for _, count in routed.windows) > len(set(places.tolist())):
        return None  # a wide load would read elements that no lane asks for
    stride = next(iter(found.multiples), None)
    return Columns(routed, stride, int(rows.max()), int(columns.max()))
