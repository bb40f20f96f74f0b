"""Indices that are near each other at run time.

Lanes whose indices are those of lane 0, 1, 2, ... are served by one wide access. Where indices are
shuffled bits of a work-item's number (butterflies, transpositions) they often lie among the 64 from
lane 0's on: four wide loads and a permutation of their elements cost less than a gather.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from ......isa.table import Flags, Row, Unit
from ......isa.types import RegClass
from .....analysis.values.ssa import INDEX_ARITHMETIC, Const, Op, Value, made_of
from .....analysis.warps.uniformity import LaneShapes
from ....llvm.text import integer
from ....llvm.toolchain import host_has
from ...lane_code import LaneCode

TABLE = 64
"""Elements that a permutation chooses from."""

_BITWISE = frozenset({"and", "or", "xor", "shl", "shr", "div"})
_LINEAR = frozenset({"add", "sub", "mul", "mad"})
_ROUNDED = frozenset({"cvt", "fma", "floor", "ceil", "trunc", "rint", "div", "mov"})
LIMITS = frozenset({"min", "max"})
CLAMPS = LIMITS | {"select"}


@dataclass(frozen=True)
class Near:
    """Indices as that of lane 0 (an i64) and the lanes' distances from it (chunks of i32)."""

    core: Value
    """What the distances are of: the index without uniform terms."""
    first: str
    distances: Sequence[str]

    def neighbours(self, lanes: LaneCode) -> str:
        """Return whether each index is one more than that of the lane before; an i1."""
        v = integer(32, lanes.n)
        apart = []
        for distance, numbers in zip(self.distances, lanes.steps(32), strict=True):
            apart.append(lanes.code.let(f"icmp ne {v} {distance}, {numbers}"))
        return lanes.code.let(f"xor i1 {lanes.any(apart)}, true")

    def within(self, lanes: LaneCode, elements: int) -> str:
        """Return whether all running lanes' indices are among `elements` from the first; an i1."""
        v = integer(32, lanes.n)
        most = f"splat (i32 {elements - 1})"
        beyond = [lanes.code.let(f"icmp ugt {v} {d}, {most}") for d in self.distances]
        outside = lanes.any(lanes.combine("and", beyond, lanes.mask))
        return lanes.code.let(f"xor i1 {outside}, true")


def near_of(lanes: LaneCode, index: Value) -> Near:
    """Return the lanes' indices relative to that of lane 0."""
    code = lanes.code
    core, terms = _split(index, lanes.shapes)
    v, chunks = integer(32, lanes.n), lanes.vector(core)
    first = code.let(f"extractelement {v} {chunks[0]}, i32 0")
    start = lanes.chunk_of(32, first)
    for stem, term in terms:
        first = code.let(f"{stem} i32 {first}, {lanes.scalar(term)}")
    distances = [code.let(f"sub {v} {c}, {start}") for c in chunks]
    return Near(core, code.let(f"zext i32 {first} to i64"), distances)


def is_computed(index: Value, shapes: LaneShapes) -> bool:
    """Return whether an index was calculated; what was loaded by each lane has no order."""

    def ends(value: Value) -> bool:
        return _is_load(value) or value.cls is RegClass.C or shapes.is_uniform(value)

    return not any(_is_load(v) and not shapes.is_uniform(v) for v in made_of([index], ends))


def _is_load(value: Value) -> bool:
    return isinstance(value, Op) and value.ins.row.is_load


def is_shuffled(
    index: Value, shapes: LaneShapes, *, clamps: AbstractSet[str] = frozenset()
) -> bool:
    """Return whether bitwise operations make an index of work-item ids and uniform values.

    Some of the `CLAMPS` (minima, maxima, choices) may make it as well; with minima and maxima,
    choices that are one of these.
    """
    choices = {"select"} if clamps >= LIMITS else set[str]()
    ops = _made_by(index, shapes, _BITWISE | _LINEAR | clamps | choices)
    if "select" not in clamps and not all(map(_is_limit, ops)):
        return False
    return any(op.ins.row.stem in _BITWISE | clamps | choices for op in ops)


def _is_limit(op: Op) -> bool:
    """Return whether a choice, if an op is one, is between neighbours: `x == 0 ? 0 : x - 1`.

    One of the numbers is compared itself. On a torus, `x == 0 ? last : x - 1`, none is.
    """
    if op.ins.row.stem != "select":
        return True
    condition, *numbers = op.args
    compared = condition.args if isinstance(condition, Op) else []
    return any(_is_same(a, b) for a in numbers for b in compared)


def _is_same(a: Value, b: Value) -> bool:
    return a is b or (isinstance(a, Const) and isinstance(b, Const) and a.bits == b.bits)


def is_sampled(index: Value, shapes: LaneShapes, *, one_row: bool = False) -> bool:
    """Return whether a number calculated with floats, and converted, makes an index.

    So do kernels that scale an image. Work-item ids and uniform values make the number, so lanes
    that follow each other have places that do, or nearly. With `one_row` set, no lane may have a
    row of its own, as where an image is turned: no integer of each lane is multiplied.
    """
    ops = _made_by(index, shapes, _LINEAR | CLAMPS | _ROUNDED)
    if one_row and any(_multiplies_integers(op, shapes) for op in ops):
        return False
    return any(_makes_integers(op.ins.row) for op in ops)


def _made_by(index: Value, shapes: LaneShapes, stems: AbstractSet[str]) -> list[Op]:
    """Return the operations that make an index of work-item ids and uniform values.

    Empty if there are others than those of some stems.
    """
    found: list[Op] = []
    work, seen = [index], {index}
    while work:
        value = work.pop()
        if shapes.is_uniform(value):
            continue
        if not isinstance(value, Op):
            return []
        row = value.ins.row
        if row.stem in stems:
            found.append(value)
            args = [a for a in value.args[row.stem == "select" :] if a not in seen]
            work += args
            seen.update(args)
        elif row.unit is not Unit.ID or Flags.CROSS_LANE in row.flags:
            return []
    return found


def _multiplies_integers(op: Op, shapes: LaneShapes) -> bool:
    """Return whether an operation multiplies integers that lanes may have different."""
    row = op.ins.row
    if row.stem not in ("mul", "mad") or row.type is None or row.type.is_float:
        return False
    return not all(map(shapes.is_uniform, op.args[:2]))


def _makes_integers(row: Row) -> bool:
    """Return whether an instruction converts floats to integers."""
    a, b = row.source, row.type
    return row.stem == "cvt" and a is not None and b is not None and a.is_float and not b.is_float


def has_permutes(size: int, lanes: int) -> bool:
    """Return whether an instruction picks elements of `size` bytes from two vectors of `lanes`."""
    return size == 4 and lanes == 16 and host_has("avx512f")


def permuted(lanes: LaneCode, host: str, near: Near) -> list[str]:
    """Load a table of 32-bit elements from an address on, and from it the elements of all lanes."""
    code, v = lanes.code, integer(32, lanes.n)
    table = []
    for j in range(TABLE // lanes.n):
        place = code.let(f"getelementptr i32, ptr {host}, i64 {j * lanes.n}")
        table.append(code.let(f"load {v}, ptr {place}, align 4"))

    def pick(a: str, at: str, b: str) -> str:
        name = "llvm.x86.avx512.vpermi2var.d.512"
        return code.call(v, name, f"{v} {a}", f"{v} {at}", f"{v} {b}")

    values = []
    for at in near.distances:
        halves = pick(table[0], at, table[1]), pick(table[2], at, table[3])
        upper = code.let(f"icmp ugt {v} {at}, splat (i32 31)")
        values.append(
            code.let(f"select {lanes.mask_type} {upper}, {v} {halves[1]}, {v} {halves[0]}")
        )
    return values


def _split(index: Value, shapes: LaneShapes) -> tuple[Value, list[tuple[str, Value]]]:
    """Split a 32-bit index into another one and the uniform values added to or subtracted from it.

    The tests for `a[i]` and `a[i + n]` are then the same, and LLVM makes one of them.
    """
    terms: list[tuple[str, Value]] = []
    while isinstance(index, Op) and index.parts and index.ins.row.name in INDEX_ARITHMETIC:
        stem, (a, b) = index.ins.row.stem, index.args[:2]
        if shapes.is_uniform(b):
            index = a
            terms.append((stem, b))
        elif stem == "add" and shapes.is_uniform(a):
            index = b
            terms.append((stem, a))
        else:
            break
    return index, terms
