"""Loads from rows: a loop in which each lane walks through a row of its own, element by element.

Gathers would take one element of each row in each iteration. Instead a block is loaded when its
first element is due: as many elements of every row as a vector has, which are transposed. The other
iterations load their vectors from the block.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .....analysis.values.ssa import Op
from ....llvm.function_text import FunctionText
from ....llvm.text import integer
from ....llvm.toolchain import host_has
from ....llvm.vectors import CHUNK, VectorCode
from ...lane_code import LaneCode
from ..moves import STALE
from ..shuffles.routed import follow
from ..shuffles.routes import Labels, route
from . import byte_columns

LINE = 64
"""Bytes of the longest vector, and of a line of caches."""

AHEAD = 2 * LINE
"""Bytes after a block that are fetched with it."""


@dataclass(frozen=True)
class RowAccess:
    """A load or store of rows, of which all that the loop accesses is inside in all lanes."""

    op: Op
    size: int
    iteration: Callable[[], str]
    """Emits the number of the present iteration, an i64."""
    last: str
    """The number of the last iteration, an i64."""
    starts: str
    """Where the host addresses of all lanes are, as of the first iteration: a ptr to i64."""
    running: str = ""
    """The lanes that run the loop, an i64, for stores."""

    @property
    def elements(self) -> int:
        """The elements of a row in a block."""
        return elements_of_block(self.size)


def elements_of_block(size: int) -> int:
    """Return how many elements of each row are loaded at once."""
    return min(LINE // size, CHUNK)


def may_block(lanes: LaneCode, size: int) -> bool:
    """Return whether blocks of such elements can be transposed."""
    feature = {1: "avx512vbmi", 2: "avx512bw"}.get(size, "avx512f")
    return lanes.n == CHUNK and host_has(feature)


def room_for_starts(lanes: LaneCode) -> str:
    """Return room for an i64 a lane, and for one of no lane at all; a ptr."""
    return lanes.entry.let(f"alloca [{max(64, lanes.facts.width) + 1} x i64], align 64")


def load(lanes: LaneCode, row: RowAccess, room: str) -> list[str]:
    """Return what the lanes load in this iteration, in chunks of integers of the elements' size.

    `room` is where the block is, a ptr.
    """
    code, n, size = lanes.code, row.elements, row.size
    # The last block ends with the row, so it may begin in the one before.
    now = row.iteration()
    due = code.let(f"and i64 {now}, {-n}")
    latest = code.let(f"sub i64 {row.last}, {n - 1}")
    begin = code.intrinsic("llvm.umin", "i64", f"i64 {due}", f"i64 {latest}")
    fill, use = code.fresh_label("f"), code.fresh_label("u")
    begins = code.let(f"icmp eq i64 {now}, {due}")
    is_stale = lanes.variables.load(STALE, ["i1"])[0]
    code.branch(code.let(f"or i1 {begins}, {is_stale}"), fill, use, rarely=True)
    code.block(fill)
    _fill(lanes, row, code.let(f"mul i64 {begin}, {size}"), room)
    code.jump(use)
    code.block(use)
    number = code.let(f"sub i64 {now}, {begin}")
    at = code.let(f"mul i64 {number}, {lanes.count * size}")
    here = code.let(f"getelementptr i8, ptr {room}, i64 {at}")
    t = integer(8 * size, lanes.n)
    return [
        code.let(f"load {t}, ptr {place}, align {CHUNK * size}")
        for place in lanes.chunk_places(here, 8 * size)
    ]


def room_for_block(lanes: LaneCode) -> str:
    """Return room for the largest block; a ptr."""
    return lanes.entry.let(f"alloca [{lanes.facts.width * LINE} x i8], align 64")


def _fill(lanes: LaneCode, row: RowAccess, way: str, room: str) -> None:
    """Load a block of the rows of all lanes, `way` bytes (an i64) after their starts."""
    code, n, size, width = lanes.code, row.elements, row.size, lanes.count
    bits, before, loop, done = 8 * size, code.current_block, *map(code.fresh_label, "bd")
    code.jump(loop)
    code.block(loop)
    following = code.fresh_name()
    lane = code.phi("i64", (0, before), (following, loop))
    places = code.let(f"getelementptr i64, ptr {row.starts}, i64 {lane}")
    given = []
    for i in range(n):
        place = code.let(f"getelementptr i64, ptr {places}, i64 {i}")
        start = code.let(f"add i64 {code.let(f'load i64, ptr {place}')}, {way}")
        host = code.let(f"inttoptr i64 {start} to ptr")
        given.append(code.let(f"load {integer(bits, n)}, ptr {host}, align {size}"))
        if n * size == LINE:
            # As many rows as a warp has lanes are more streams than CPUs follow by themselves.
            code.prefetch(code.let(f"getelementptr i8, ptr {host}, i64 {AHEAD}"))
    for column, vector in enumerate(columns(code, given, n, size)):
        at = code.let(f"add i64 {lane}, {column * width}")
        place = code.let(f"getelementptr i{bits}, ptr {room}, i64 {at}")
        code.line(f"store {integer(bits, n)} {vector}, ptr {place}, align {n * size}")
    code.let(f"add i64 {lane}, {n}", following)
    code.branch(code.let(f"icmp ult i64 {following}, {width}"), loop, done)
    code.block(done)


def columns(code: FunctionText, given: list[str], n: int, size: int) -> list[str]:
    """Return the columns of n rows of n elements."""
    if size == 1 and n == byte_columns.ROWS:
        return byte_columns.columns(code, given)
    labels: list[Labels] = [range(line * n, (line + 1) * n) for line in range(n)]
    wanted = [[line * n + column for line in range(n)] for column in range(n)]
    return follow(VectorCode(code, n, 1), given, route(labels, wanted), n, 8 * size)
