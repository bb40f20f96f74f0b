"""The identity of workgroups, warps and lanes in generated code."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from ....analysis.facts import Facts
from ....analysis.values.ssa import Op
from ...llvm.function_text import FunctionText
from ...llvm.text import integer
from ...llvm.vectors import Chunks, VectorCode
from ...runtime.context import GROUPS, ITEMS, Slot
from ..context_code import load_slot, load_slot_32, store_slot
from ..lane_code import POSITION, LaneCode

GROUP = "%g"
"""The flat number of the running workgroup, an i64."""

WARP = "%w"
"""The number of the running warp in its workgroup, an i64."""


@dataclass(frozen=True)
class Workgroup:
    """The running workgroup, as i32 operands."""

    position: tuple[str, str, str]
    """workgroupid."""
    size: tuple[str, str, str]
    """currentworkgroupsize."""
    items: str


def start_group(code: FunctionText, facts: Facts) -> Workgroup:
    """Append the computation of a workgroup's identity, where it begins."""
    x, y, z = POSITION
    nominal = facts.group_size
    if facts.whole:
        a, b, c = nominal
        return Workgroup((x, y, z), (str(a), str(b), str(c)), str(prod(nominal)))
    sizes = []
    for position, size, slot in zip((x, y, z), nominal, ITEMS, strict=True):
        if size == 1:
            sizes.append("1")
            continue
        before = code.let(f"mul i32 {position}, {size}")
        left = code.let(f"sub i32 {load_slot_32(code, slot)}, {before}")
        sizes.append(code.call("i32", "llvm.umin.i32", f"i32 {left}", f"i32 {size}"))
    a, b, c = sizes
    xy = code.let(f"mul i32 {a}, {b}")
    return Workgroup((x, y, z), (a, b, c), code.let(f"mul i32 {xy}, {c}"))


def items_of_first(entry: FunctionText, facts: Facts) -> str:
    """Return the work-items of the first workgroup of a row of the grid, an i64.

    A workgroup is a part of one row.
    """
    size = facts.group_size[0]
    if facts.whole:
        return str(size)
    return entry.intrinsic("llvm.umin", "i64", f"i64 {load_slot(entry, ITEMS[0])}", f"i64 {size}")


def count_warps(code: FunctionText, group: Workgroup, facts: Facts) -> str:
    """Return the number of warps of a workgroup, an i64."""
    if facts.whole:
        return str(prod(facts.group_size) // facts.width)
    more = code.let(f"add i32 {group.items}, {facts.width - 1}")
    return code.let(f"zext i32 {code.let(f'udiv i32 {more}, {facts.width}')} to i64")


@dataclass(frozen=True)
class Warp:
    """The running warp: operands that are i32, or chunks of i32."""

    group: Workgroup
    number: str
    """waveid, an i64."""
    first: str
    """Flat local id of lane 0."""
    lane: Chunks
    flat: Chunks
    """workitemflatid."""
    local0: tuple[str, str, str]
    """workitemid of lane 0."""
    local: tuple[Chunks, Chunks, Chunks]
    """workitemid; empty for a dimension in which the lanes agree, and where pieces have it."""
    firsts: tuple[Chunks, Chunks, Chunks]
    """workitemid of the first lane of each piece, if the warp has pieces."""
    existing: Chunks
    """The mask of the lanes that are work-items."""

    def report(self, code: FunctionText, lane: str) -> None:
        """Write into the context block that a lane (an i64) of this warp has trapped."""
        store_slot(code, Slot.TRAP_GROUP, GROUP)
        first = code.let(f"zext i32 {self.first} to i64")
        store_slot(code, Slot.TRAP_LOCAL, code.let(f"add i64 {first}, {lane}"))


def start_warp(vectors: VectorCode, group: Workgroup, facts: Facts) -> Warp:
    """Append the computation of the identity of warp `WARP`, where it begins or resumes."""
    code = vectors.code
    first = "0"
    if not facts.one_warp:
        first = code.let(f"mul i32 {code.let(f'trunc i64 {WARP} to i32')}, {facts.width}")
    return _warp(vectors, group, facts, WARP, first, None if facts.whole else group.items)


def start_warp_at(
    vectors: VectorCode, group: Workgroup, facts: Facts, item: str, end: str | None = None
) -> Warp:
    """Append the computation of the identity of a warp that begins at any work-item, an i64.

    Its lanes are work-items up to the one before `end` (an i64), or all.
    """
    code = vectors.code
    number = code.let(f"udiv i64 {item}, {facts.width}")
    first = code.let(f"trunc i64 {item} to i32")
    if end is not None:
        end = code.let(f"trunc i64 {end} to i32")
    return _warp(vectors, group, facts, number, first, end)


def _warp(
    vectors: VectorCode,
    group: Workgroup,
    facts: Facts,
    number: str,
    first: str,
    end: str | None,
) -> Warp:
    base, lane = vectors.spread(32, first), vectors.steps(32)
    flat = vectors.each("add", 32, base, lane)
    local0, local, firsts = _local_ids(vectors, group, facts, first, flat)
    existing = ["splat (i1 true)"] * vectors.k
    if end is not None:
        existing = vectors.each("icmp ult", 32, flat, vectors.spread(32, end))
    return Warp(group, number, first, lane, flat, local0, local, firsts, existing)


Ids = tuple[Chunks, Chunks, Chunks]


def _local_ids(
    vectors: VectorCode, group: Workgroup, facts: Facts, first: str, flat: Chunks
) -> tuple[tuple[str, str, str], Ids, Ids]:
    """Return workitemid: scalars for lane 0, chunks where lanes differ, scalars for pieces."""
    code = vectors.code
    x, y, _ = group.size
    none: Ids = [], [], []
    if facts.group_size[1:] == (1, 1):
        zero = ["zeroinitializer"] * vectors.k
        return (first, "0", "0"), (flat, zero, zero), none

    def scalars(flat_id: str) -> tuple[str, str, str]:
        row = code.let(f"udiv i32 {flat_id}, {x}")
        return (
            code.let(f"urem i32 {flat_id}, {x}"),
            code.let(f"urem i32 {row}, {y}"),
            code.let(f"udiv i32 {row}, {y}"),
        )

    local0 = scalars(first)
    if facts.rows:
        xs = vectors.each("add", 32, vectors.spread(32, local0[0]), vectors.steps(32))
        return local0, (xs, [], []), none
    if facts.piece:
        ids = [
            scalars(code.let(f"add i32 {first}, {lane}"))
            for lane in range(0, facts.width, facts.piece)
        ]
        by_x, by_y, by_z = (list(dimension) for dimension in zip(*ids, strict=True))
        return local0, none, (by_x, by_y, by_z)
    xs, ys = (vectors.spread(32, s) for s in (x, y))
    rows = vectors.each("udiv", 32, flat, xs)
    return (
        local0,
        (
            vectors.each("urem", 32, flat, xs),
            vectors.each("urem", 32, rows, ys),
            vectors.each("udiv", 32, rows, ys),
        ),
        none,
    )


class Identity:
    """The identity instructions of the lanes of a warp."""

    def __init__(self, lanes: LaneCode, warp: Warp) -> None:
        self.lanes = lanes
        self.warp = warp
        self.group = warp.group
        self.facts = lanes.facts
        self._in_pieces = lanes.facts.piece != 0 and not lanes.facts.rows
        """Whether the rows of a workgroup are pieces of warps."""

    def op(self, op: Op) -> None:
        """Define the value of an identity instruction."""
        lanes, code, warp, group = self.lanes, self.lanes.code, self.warp, self.group
        stem = op.ins.row.stem
        dim = op.ins.literals[0] if op.ins.literals else 0
        match stem:
            case "workgroupid":
                lanes.define(op, "value", [group.position[dim]])
            case "workgroupsize":
                lanes.define(op, "value", [str(self.facts.group_size[dim])])
            case "currentworkgroupsize":
                lanes.define(op, "value", [group.size[dim]])
            case "gridsize":
                lanes.define(op, "value", [load_slot_32(code, ITEMS[dim])])
            case "gridgroups":
                lanes.define(op, "value", [load_slot_32(code, GROUPS[dim])])
            case "wavesize":
                lanes.define(op, "value", [str(self.facts.width)])
            case "waveid":
                lanes.define(op, "value", [code.let(f"trunc i64 {warp.number} to i32")])
            case "laneid":
                self._define(op, "0", warp.lane)
            case "workitemflatid":
                self._define(op, warp.first, warp.flat)
            case "workitemid":
                if self._in_pieces:
                    self._define_pieces(op, warp.firsts[dim], dim == 0)
                else:
                    self._define(op, warp.local0[dim], warp.local[dim])
            case "workitemabsid":
                if self._in_pieces:
                    self._define_pieces(op, self._absolute_firsts(dim), dim == 0)
                else:
                    self._define(op, *self._absolute(dim))
            case "workitemflatabsid":
                if self._in_pieces:
                    self._define_pieces(op, self._flat_absolute_firsts(), True)
                else:
                    self._define(op, *self._flat_absolute())
            case _:
                raise NotImplementedError(stem)

    def _define(self, op: Op, first: str, chunks: Chunks) -> None:
        lanes = self.lanes
        if lanes.shapes.is_uniform(op):
            lanes.define(op, "value", [first])
            return
        lanes.define(op, "value", chunks[: lanes.k])
        if lanes.shapes.stride(op) is not None:
            lanes.define(op, "lane0", [first])

    def _define_pieces(self, op: Op, firsts: list[str], steps: bool) -> None:
        """Define a value by the scalars of the first lanes of pieces."""
        lanes = self.lanes
        if lanes.shapes.is_uniform(op):
            lanes.define(op, "value", [firsts[0]])
            return
        lanes.define(op, "value", lanes.from_firsts(32, lanes.pieces.n, firsts, int(steps)))
        lanes.define(op, "firsts", firsts)

    def _absolute_firsts(self, dim: int) -> list[str]:
        code, start = self.lanes.code, self._start(dim)
        return [code.let(f"add i32 {start}, {first}") for first in self.warp.firsts[dim]]

    def _flat_absolute_firsts(self) -> list[str]:
        code = self.lanes.code
        nx, ny = (load_slot_32(code, s) for s in (Slot.ITEMS_X, Slot.ITEMS_Y))
        found = []
        for x, y, z in zip(*map(self._absolute_firsts, range(3)), strict=True):
            row = code.let(f"add i32 {code.let(f'mul i32 {z}, {ny}')}, {y}")
            found.append(code.let(f"add i32 {code.let(f'mul i32 {row}, {nx}')}, {x}"))
        return found

    def _start(self, dim: int) -> str:
        """Return workitemabsid of the first work-item of the workgroup."""
        position, size = self.group.position[dim], self.facts.group_size[dim]
        return self.lanes.code.let(f"mul i32 {position}, {size}")

    def _absolute(self, dim: int) -> tuple[str, Chunks]:
        lanes, code, local = self.lanes, self.lanes.code, self.warp.local[dim][: self.lanes.k]
        start = self._start(dim)
        first = code.let(f"add i32 {start}, {self.warp.local0[dim]}")
        if not local:
            return first, []
        return first, lanes.each("add", 32, lanes.spread(32, start), local)

    def _flat_absolute(self) -> tuple[str, Chunks]:
        lanes, code = self.lanes, self.lanes.code
        x0, xs = self._absolute(0)
        if self.facts.group_size[1:] == (1, 1):
            # One row of workgroups at a time: y and z of a work-item are those of its workgroup.
            y0, z0 = self.group.position[1:]
            ys, zs = lanes.spread(32, y0), lanes.spread(32, z0)
        else:
            (y0, ys), (z0, zs) = self._absolute(1), self._absolute(2)
            ys = ys or lanes.spread(32, y0)
            zs = zs or lanes.spread(32, z0)
        nx, ny = (load_slot_32(code, s) for s in (Slot.ITEMS_X, Slot.ITEMS_Y))
        first = code.let(f"mul i32 {z0}, {ny}")
        first = code.let(f"add i32 {first}, {y0}")
        first = code.let(f"mul i32 {first}, {nx}")
        first = code.let(f"add i32 {first}, {x0}")
        nxs, nys = lanes.chunk_of(32, nx), lanes.chunk_of(32, ny)
        v = integer(32, lanes.n)
        chunks = []
        for x, y, z in zip(xs, ys, zs, strict=True):
            t = code.let(f"mul {v} {z}, {nys}")
            t = code.let(f"add {v} {t}, {y}")
            t = code.let(f"mul {v} {t}, {nxs}")
            chunks.append(code.let(f"add {v} {t}, {x}"))
        return first, chunks
