"""Stores to rows: a loop in which each lane writes a row of its own, element by element.

Scatters would write one element of each row in each iteration, and each line of a row as often as
it has elements; rows that are a power of two apart share a few sets of the first-level cache, and
their lines are evicted in between. Instead vectors are kept until a block is complete: as many
elements of every row as a vector has, which are transposed and stored row by row.

What is kept must be in memory before another access could see it. So all accesses of the loop that
may be to the same buffer are on cold sides, which write what is kept before. Traps need not do so:
what buffers hold that a launch has written is unspecified then.
"""

from __future__ import annotations

from collections.abc import Mapping

from .....analysis.values.ssa import Op
from ....llvm.parts import mask_of_bits
from ....llvm.text import integer
from ....llvm.vectors import CHUNK
from ...lane_code import LaneCode
from .row_blocks import RowAccess, columns


def _begin(op: Op) -> tuple[str, Op]:
    """Return the variable that has the first iteration of which a store's element is kept."""
    return "kept from", op


def _end(op: Op) -> tuple[str, Op]:
    """Return the variable that has the iteration after the last one whose element is kept."""
    return "kept to", op


def begin(lanes: LaneCode, row: RowAccess) -> None:
    """Begin a loop: no element is kept."""
    for key in (_begin(row.op), _end(row.op)):
        lanes.variables.store(key, ["i64"], ["0"])


def store(lanes: LaneCode, row: RowAccess, data: list[str], room: str) -> None:
    """Keep what the lanes store in this iteration; write the block that it completes, or the last.

    `data` are chunks of integers of the elements' size. `room` is where the block is, a ptr.
    """
    code, n, size, width = lanes.code, row.elements, row.size, lanes.count
    now = row.iteration()
    number = code.let(f"and i64 {now}, {n - 1}")
    at = code.let(f"mul i64 {number}, {width * size}")
    here = code.let(f"getelementptr i8, ptr {room}, i64 {at}")
    t = integer(8 * size, lanes.n)
    for place, chunk in zip(lanes.chunk_places(here, 8 * size), data, strict=True):
        code.line(f"store {t} {chunk}, ptr {place}, align {CHUNK * size}")
    end = code.let(f"add i64 {now}, 1")
    lanes.variables.store(_end(row.op), ["i64"], [end])
    write, after = code.fresh_label("f"), code.fresh_label("u")
    is_full = code.let(f"icmp eq i64 {number}, {n - 1}")
    is_last = code.let(f"icmp eq i64 {now}, {row.last}")
    code.branch(code.let(f"or i1 {is_full}, {is_last}"), write, after, rarely=True)
    code.block(write)
    _write_block(lanes, row, code.let(f"sub i64 {now}, {number}"), end, room)
    lanes.variables.store(_begin(row.op), ["i64"], [end])
    code.jump(after)
    code.block(after)


def _write_block(lanes: LaneCode, row: RowAccess, first: str, end: str, room: str) -> None:
    """Write what is kept of a block, whose first element is that of the iteration `first`."""
    code, n, size, width = lanes.code, row.elements, row.size, lanes.count
    bits, t, m = 8 * size, integer(8 * size, n), integer(1, n)
    way = code.let(f"mul i64 {first}, {size}")
    (kept,) = lanes.variables.load(_begin(row.op), ["i64"])
    below = [
        code.let(f"shl i64 -1, {code.let(f'sub i64 {place}, {first}')}") for place in (kept, end)
    ]
    chosen = code.let(f"trunc i64 {code.let(f'xor i64 {below[0]}, {below[1]}')} to i{n}")
    elements = mask_of_bits(code, n, chosen)
    before, loop, done = code.current_block, *map(code.fresh_label, "bd")
    code.jump(loop)
    code.block(loop)
    following = code.fresh_name()
    lane = code.phi("i64", (0, before), (following, loop))
    given = []
    for column in range(n):
        at = code.let(f"add i64 {lane}, {column * width}")
        place = code.let(f"getelementptr i{bits}, ptr {room}, i64 {at}")
        given.append(code.let(f"load {t}, ptr {place}, align {n * size}"))
    places = code.let(f"getelementptr i64, ptr {row.starts}, i64 {lane}")
    running = code.let(f"lshr i64 {row.running}, {lane}")
    name = f"llvm.masked.store.v{n}i{bits}.p0"
    for i, vector in enumerate(columns(code, given, n, size)):
        place = code.let(f"getelementptr i64, ptr {places}, i64 {i}")
        start = code.let(f"add i64 {code.let(f'load i64, ptr {place}')}, {way}")
        host = code.let(f"inttoptr i64 {start} to ptr")
        runs = code.let(f"trunc i64 {code.let(f'lshr i64 {running}, {i}')} to i1")
        mask = code.let(f"select i1 {runs}, {m} {elements}, {m} zeroinitializer")
        code.call_void(name, f"{t} {vector}", f"ptr {host}", f"i32 {size}", f"{m} {mask}")
    code.let(f"add i64 {lane}, {n}", following)
    code.branch(code.let(f"icmp ult i64 {following}, {width}"), loop, done)
    code.block(done)


def write_kept(lanes: LaneCode, stores: Mapping[RowAccess, str]) -> None:
    """Write all that stores, each with its room, have kept, before an access that could see it."""
    for row, room in stores.items():
        _write_kept(lanes, row, room)


def _write_kept(lanes: LaneCode, row: RowAccess, room: str) -> None:
    """Write what is kept, an iteration after the other: this is a cold side."""
    code, n, size, width = lanes.code, row.elements, row.size, lanes.count
    t, name = integer(8 * size, lanes.n), f"llvm.masked.scatter.v{lanes.n}i{8 * size}"
    (kept,) = lanes.variables.load(_begin(row.op), ["i64"])
    (end,) = lanes.variables.load(_end(row.op), ["i64"])
    before, loop, body, done = code.current_block, *map(code.fresh_label, "hbd")
    code.jump(loop)
    code.block(loop)
    following = code.fresh_name()
    now = code.phi("i64", (kept, before), (following, body))
    code.branch(code.let(f"icmp ult i64 {now}, {end}"), body, done)
    code.block(body)
    at = code.let(f"mul i64 {code.let(f'and i64 {now}, {n - 1}')}, {width * size}")
    here = code.let(f"getelementptr i8, ptr {room}, i64 {at}")
    (way,) = lanes.spread(64, code.let(f"mul i64 {now}, {size}"))[:1]
    v, p = integer(64, lanes.n), f"<{lanes.n} x ptr>"
    for place, starts, mask in zip(
        lanes.chunk_places(here, 8 * size),
        lanes.chunk_places(row.starts, 64),
        lanes.chunks(row.running),
        strict=True,
    ):
        data = code.let(f"load {t}, ptr {place}, align {CHUNK * size}")
        places = code.let(f"add {v} {code.let(f'load {v}, ptr {starts}, align 8')}, {way}")
        hosts = code.let(f"inttoptr {v} {places} to {p}")
        given = f"{t} {data}", f"{p} {hosts}", f"i32 {size}", f"{lanes.mask_type} {mask}"
        code.call_void(f"{name}.v{lanes.n}p0", *given)
    code.let(f"add i64 {now}, 1", following)
    code.jump(loop)
    code.block(done)
    lanes.variables.store(_begin(row.op), ["i64"], [end])
