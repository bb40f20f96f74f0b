"""Accesses of group memory by lanes whose distances are known: wide accesses and shuffles.

A warp that goes down the columns of a tile, or takes every second word, accesses whole rows of
memory. With constant distances (`analysis/distances.py`) the shuffles between these rows and the
lanes are planned before any code is written (`routes.py`); gathers and scatters cost more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .....isa.types import Segment
from ....analysis.distances import Numbers
from ....analysis.ssa import Op, Value
from ...llvm.text import integer
from ...llvm.toolchain import host_has
from ...llvm.vectors import VectorCode
from ..lane_code import LaneCode
from .extent import Extent
from .pieces import Pieces
from .routes import LANES, Labels, Route, route, rows, windows

WORD = 4
"""Bytes of the elements that are shuffled."""

GATHER = 10
"""Shuffles and accesses that take about as long as one gather or scatter of 16 lanes, or less."""


@dataclass(frozen=True)
class Routed:
    """An access whose lanes are `places` words from lane 0, and how it is made."""

    places: Numbers
    windows: Sequence[tuple[int, int]]
    """(first word from lane 0, number of words)"""
    route: Route

    @property
    def lowest(self) -> int:
        """The distance of the lowest word from lane 0, in bytes."""
        return int(self.places.min()) * WORD

    @property
    def span(self) -> int:
        """Bytes from the lowest word to the highest one."""
        return int(self.places.max()) * WORD - self.lowest

    @property
    def cost(self) -> int:
        """The number of its accesses and shuffles."""
        return len(self.windows) + len(self.route.shuffles)


def found_for(lanes: LaneCode, pieces: Pieces, op: Op, extent: Extent) -> Routed | None:
    """Return how an access of group memory is made by wide ones; None if others are as fast."""
    if op.ins.row.segment is not Segment.GROUP:
        return None
    places = distances_in_words(lanes, extent.base, extent.size)
    if places is None:
        return None
    found = routed_load(places) if op.ins.row.is_load else routed_store(places)
    if found is None or found.span > extent.span():
        return None
    step = pieces.step(op, extent.base)
    if step is None:
        return found
    # Single words come out of stores that are on their way; wider loads might wait for several.
    each = lanes.pieces.k * (2 if lanes.pieces.n < LANES else 1)
    return found if step and found.cost < each else None


def distances_in_words(lanes: LaneCode, base: Value, size: int) -> Numbers | None:
    """Return the lanes' distances if they are whole words and the lane-0 scalar can be had."""
    if size != WORD or lanes.n not in (LANES, 2 * LANES) or not host_has("avx512f"):
        return None  # vectors of 64 lanes are for bytes
    found = lanes.shapes.distances_of(base)
    if found is None or found.multiples or (found.constants % WORD).any():
        return None
    if found.chosen and not (lanes.is_counted(base) or lanes.is_pieced(base)):
        return None  # lane 0 of a vector is right only where it has run
    return found.constants // WORD


def routed_load(places: Numbers) -> Routed | None:
    """Return how a load is made; None if gathers are as fast."""
    elements = [int(p) for p in places]
    found = rows(elements)
    if len(found) > len(elements) // 4:
        return None
    given: list[Labels] = [
        [first + i if i < count else None for i in range(LANES)] for first, count in found
    ]
    wanted = [elements[at : at + LANES] for at in range(0, len(elements), LANES)]
    return _if_cheap(Routed(places, found, route(given, wanted)))


def routed_store(places: Numbers) -> Routed | None:
    """Return how a store by all lanes is made; None if scatters are as fast."""
    elements = [int(p) for p in places]
    lane_of = {element: lane for lane, element in enumerate(elements)}
    found = windows(elements, exact=True)
    if len(lane_of) < len(elements) or len(found) > len(elements) // 4:
        return None
    given = [range(at, at + LANES) for at in range(0, len(elements), LANES)]
    wanted: list[Labels] = [
        [lane_of[first + i] if i < count else None for i in range(LANES)] for first, count in found
    ]
    return _if_cheap(Routed(places, found, route(given, wanted)))


def _if_cheap(routed: Routed) -> Routed | None:
    return routed if routed.cost <= len(routed.places) // LANES * GATHER else None


def load(lanes: LaneCode, routed: Routed, first: str) -> list[str]:
    """Load the words of all lanes, given the host address of lane 0's."""
    code, given = lanes.code, []
    for start, count in routed.windows:
        place = code.let(f"getelementptr i8, ptr {first}, i64 {start * WORD}")
        loaded = code.let(f"load {integer(32, count)}, ptr {place}, align {WORD}")
        given.append(_resized(lanes, loaded, count, LANES))
    vectors = follow(lanes, given, routed.route)
    if lanes.n == LANES:
        return vectors
    return [
        shuffle(lanes, a, b, LANES, range(2 * LANES))
        for a, b in zip(vectors[::2], vectors[1::2], strict=True)
    ]


def store(lanes: LaneCode, routed: Routed, data: Sequence[str], first: str) -> None:
    """Store the words of all lanes, given the host address of lane 0's."""
    code = lanes.code
    given = list(data)
    if lanes.n > LANES:
        halves = range(LANES), range(LANES, 2 * LANES)
        given = [shuffle(lanes, c, "poison", lanes.n, half) for c in data for half in halves]
    for (start, count), vector in zip(
        routed.windows, follow(lanes, given, routed.route), strict=True
    ):
        place = code.let(f"getelementptr i8, ptr {first}, i64 {start * WORD}")
        part = _resized(lanes, vector, LANES, count)
        code.line(f"store {integer(32, count)} {part}, ptr {place}, align {WORD}")


def follow(
    lanes: VectorCode, given: Sequence[str], plan: Route, n: int = LANES, bits: int = 32
) -> list[str]:
    """Return the results of a route from the given vectors of n elements."""
    vectors = list(given)
    for step in plan.shuffles:
        a, b = vectors[step.first], vectors[step.second]
        vectors.append(shuffle(lanes, a, b, n, step.order, bits))
    return [vectors[number] for number in plan.results]


def _resized(lanes: LaneCode, vector: str, have: int, want: int) -> str:
    """Return the first elements of a vector, or the vector with any elements after its own."""
    if have == want:
        return vector
    order = [i if i < have else None for i in range(want)]
    return shuffle(lanes, vector, "poison", have, order)


def shuffle(
    lanes: VectorCode, a: str, b: str, n: int, order: Sequence[int | None], bits: int = 32
) -> str:
    """Return a vector of elements of two, which have n each."""
    t = integer(bits, n)
    numbers = ", ".join(f"i32 {'poison' if i is None else i}" for i in order)
    return lanes.code.let(f"shufflevector {t} {a}, {t} {b}, <{len(order)} x i32> <{numbers}>")
