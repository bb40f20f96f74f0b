"""Accesses by lanes whose distances are known: wide accesses and shuffles.

A warp that goes down the columns of a tile, or takes every second word, accesses whole rows of
memory. With constant distances (`analysis/warps/distances.py`) the shuffles between these rows and
the lanes are planned before any code is written (`routes.py`); gathers and scatters cost more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ......isa.types import Segment, Type
from .....analysis.values.ssa import Op, Value
from .....analysis.warps.distances import Distances, Numbers
from ....arithmetic.widths import extended
from ....llvm.text import integer
from ....llvm.toolchain import host_has
from ....llvm.vectors import VectorCode
from ...lane_code import LaneCode
from ..addressing.extent import Extent
from ..pieces.accesses import Pieces
from .routes import LANES, Labels, Route, route, rows, windows

VECTOR = 64
"""Bytes of a vector of words or larger elements; smaller ones have `LANES` elements, too."""

LANES_OF_ACCESS = 4
"""Lanes that a wide access has to serve, on average."""

GATHER = 10
"""Shuffles and accesses that take about as long as one gather or scatter of 16 lanes, or less."""


@dataclass(frozen=True)
class Routed:
    """An access whose lanes are `places` elements from lane 0, and how it is made."""

    places: Numbers
    size: int
    """Bytes of an element."""
    windows: Sequence[tuple[int, int]]
    """(first element from lane 0, number of elements)"""
    route: Route

    @property
    def lanes(self) -> int:
        """Elements of a vector."""
        return vector_lanes(self.size)

    @property
    def lowest(self) -> int:
        """The distance of the lowest element from lane 0, in bytes."""
        return int(self.places.min()) * self.size

    @property
    def span(self) -> int:
        """Bytes from the lowest element to the highest one."""
        return int(self.places.max()) * self.size - self.lowest

    @property
    def cost(self) -> int:
        """The number of its accesses and shuffles."""
        return len(self.windows) + len(self.route.shuffles)


def vector_lanes(size: int) -> int:
    """Return how many elements of `size` bytes a vector has that is shuffled."""
    return min(LANES, VECTOR // size)


def found_for(lanes: LaneCode, pieces: Pieces, op: Op, extent: Extent) -> Routed | None:
    """Return how an access of group memory is made by wide ones; None if others are as fast."""
    if op.ins.row.segment is not Segment.GROUP:
        return None
    found = distances_in_elements(lanes, extent.base, extent.size, unit=extent.size)
    if found is None or found.multiples:
        return None
    places = found.constants[: lanes.count] // extent.size
    make = routed_load if op.ins.row.is_load else routed_store
    found = make(places, extent.size)
    if found is None or found.span > extent.span():
        return None
    step = pieces.step(op, extent.base)
    if step is None:
        return found
    # Single words come out of stores that are on their way; wider loads might wait for several.
    each = lanes.pieces.k * (2 if lanes.pieces.n < LANES else 1)
    return found if step and found.cost < each else None


def distances_in_elements(
    lanes: LaneCode, base: Value, size: int, *, unit: int
) -> Distances | None:
    """Return the lanes' distances if vectors of elements of `size` bytes can be shuffled.

    They are multiples of an element, which is `unit`, and the lane-0 scalar can be had.
    """
    # Vectors of 64 lanes are for bytes.
    if lanes.n not in (LANES, 2 * LANES) or not host_has("avx512f" if size >= 4 else "avx512bw"):
        return None
    found = lanes.shapes.distances_of(base)
    if found is None or (found.constants % unit).any():
        return None
    if found.chosen and not (lanes.is_counted(base) or lanes.is_pieced(base)):
        return None  # lane 0 of a vector is right only where it has run
    return found


def are_scattered(constants: Numbers, size: int) -> bool:
    """Return whether elements at these distances in bytes are in too many places for a route."""
    elements = [int(c) // size for c in constants]
    return len(rows(elements, vector_lanes(size))) > len(elements) // LANES_OF_ACCESS


def routed_load(places: Numbers, size: int) -> Routed | None:
    """Return how a load is made; None if gathers are as fast."""
    elements, n = [int(p) for p in places], vector_lanes(size)
    found = rows(elements, n)
    if len(found) > len(elements) // LANES_OF_ACCESS:
        return None
    given: list[Labels] = [
        [first + i if i < count else None for i in range(n)] for first, count in found
    ]
    wanted = [elements[at : at + n] for at in range(0, len(elements), n)]
    return _if_cheap(Routed(places, size, found, route(given, wanted)))


def routed_store(places: Numbers, size: int) -> Routed | None:
    """Return how a store by all lanes is made; None if scatters are as fast."""
    elements, n = [int(p) for p in places], vector_lanes(size)
    lane_of = {element: lane for lane, element in enumerate(elements)}
    found = windows(elements, exact=True, n=n)
    if len(lane_of) < len(elements) or len(found) > len(elements) // LANES_OF_ACCESS:
        return None
    given = [range(at, at + n) for at in range(0, len(elements), n)]
    wanted: list[Labels] = [
        [lane_of[first + i] if i < count else None for i in range(n)] for first, count in found
    ]
    return _if_cheap(Routed(places, size, found, route(given, wanted)))


def _if_cheap(routed: Routed) -> Routed | None:
    return routed if routed.cost <= len(routed.places) // routed.lanes * GATHER else None


def load(lanes: LaneCode, routed: Routed, place_of: Callable[[int], str]) -> list[str]:
    """Load the elements of all lanes, given the host address of each element."""
    code, given, n, bits = lanes.code, [], routed.lanes, 8 * routed.size
    for start, count in routed.windows:
        loaded = code.let(
            f"load {integer(bits, count)}, ptr {place_of(start)}, align {routed.size}"
        )
        given.append(_resized(lanes, loaded, count, n, bits))
    vectors = follow(lanes, given, routed.route, n, bits)
    while n < lanes.n:
        pairs = zip(vectors[::2], vectors[1::2], strict=True)
        vectors = [shuffle(lanes, a, b, n, range(2 * n), bits) for a, b in pairs]
        n *= 2
    return vectors


def load_extended(
    lanes: LaneCode, routed: Routed, type_: Type, place_of: Callable[[int], str]
) -> list[str]:
    """Load the elements of all lanes as registers."""
    return [extended(lanes.code, x, type_, lanes.n) for x in load(lanes, routed, place_of)]


def store(
    lanes: LaneCode, routed: Routed, data: Sequence[str], place_of: Callable[[int], str]
) -> None:
    """Store the elements of all lanes, given the host address of each element."""
    code, n, bits = lanes.code, routed.lanes, 8 * routed.size
    given = list(data)
    if lanes.n > n:
        parts = [range(at, at + n) for at in range(0, lanes.n, n)]
        given = [shuffle(lanes, c, "poison", lanes.n, part, bits) for c in data for part in parts]
    for (start, count), vector in zip(
        routed.windows, follow(lanes, given, routed.route, n, bits), strict=True
    ):
        part = _resized(lanes, vector, n, count, bits)
        code.line(
            f"store {integer(bits, count)} {part}, ptr {place_of(start)}, align {routed.size}"
        )


def places_from(lanes: LaneCode, host: str, size: int) -> Callable[[int], str]:
    """Return what gives the host addresses of elements of `size` bytes, from that of lane 0's."""
    return lambda at: lanes.code.let(f"getelementptr i8, ptr {host}, i64 {at * size}")


def follow(
    lanes: VectorCode, given: Sequence[str], plan: Route, n: int = LANES, bits: int = 32
) -> list[str]:
    """Return the results of a route from the given vectors of n elements."""
    vectors = list(given)
    for step in plan.shuffles:
        a, b = vectors[step.first], vectors[step.second]
        vectors.append(shuffle(lanes, a, b, n, step.order, bits))
    return [vectors[number] for number in plan.results]


def _resized(lanes: LaneCode, vector: str, have: int, want: int, bits: int) -> str:
    """Return the first elements of a vector, or the vector with any elements after its own."""
    if have == want:
        return vector
    order = [i if i < have else None for i in range(want)]
    return shuffle(lanes, vector, "poison", have, order, bits)


def shuffle(
    lanes: VectorCode, a: str, b: str, n: int, order: Sequence[int | None], bits: int
) -> str:
    """Return a vector of elements of two, which have n each."""
    t = integer(bits, n)
    numbers = ", ".join(f"i32 {'poison' if i is None else i}" for i in order)
    return lanes.code.let(f"shufflevector {t} {a}, {t} {b}, <{len(order)} x i32> <{numbers}>")
