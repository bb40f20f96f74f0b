"""The memory that a kernel declares, and where a workgroup has it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .....isa.program import Kernel, Param
from .....isa.types import Segment, Type
from ....analysis.facts import Facts, OwnMemory
from ....analysis.group_memory.forwarded import Forwarded, forwarded
from ....analysis.group_memory.words import bytes_of_byte
from ....analysis.lanes.lane_plan import LanePlan
from ....analysis.lanes.read_first import read_first
from ....analysis.ranges.offset_ranges import Ranges
from ....analysis.values.ssa import Op
from ....analysis.warps.uniformity import Shapes
from ...llvm.function_text import FunctionText
from ...runtime.context import Slot, WatchedBy
from ..context_code import load_slot
from ..lane_code import vectors_of
from .group_cells import GroupCells, group_cells
from .shuffles.routed import are_scattered
from .shuffles.shifted import can_shift
from .shuffles.shuffled import READ_BEYOND, WORD

MOST_ON_STACK = 1 << 15
"""Bytes of group memory, or of a warp's private memory, that native code has on its stack."""

MOST_AFTER_GROUP = 1 << 12
"""Bytes after group memory that lanes that do not run may read, so that all lanes load alike."""

AFTER_PRIVATE = 8
"""Bytes after private memory on the stack: a gather of the last byte reads a word there."""

LEAST_CLEARED = 1 << 11
"""Bytes of a warp's private memory from which on it is found out which must be zero."""

MOST_PARTS = 4
"""Parts of private memory that are cleared one by one; more of them are one with those between."""

if TYPE_CHECKING:
    from ....analysis.counting.independence import Reliance


@dataclass(frozen=True)
class KernelMemory:
    """Parameters, and the bytes of group, private (of a work-item) and readonly memory."""

    params: tuple[Param, ...]
    group_bytes: int
    private_bytes: int
    readonly_bytes: int
    ranges: Ranges
    """Of the values of the kernel."""
    private_of: str
    """The warp (an i64) whose private memory is used: the running one if warps take turns."""
    private_element: int
    """Bytes of an element of private memory: those of its largest load or store.

    Byte b of lane l is at `(b - b % element) * width + l * element + b % element`, so that the
    lanes' elements at one offset are neighbours.
    """

    private_parts: tuple[tuple[int, int], ...] = ()
    """(First byte, number of bytes) of the private memory that must be zero at the start."""

    each_apart: bool = False
    """Whether each lane has its private memory in one piece instead, for loops that it runs alone:
    byte b of lane l is at `l * private_bytes + b`."""

    forwarded: Forwarded = field(default_factory=Forwarded)
    """Loads of group memory that take what has been stored from registers."""

    group_cells: GroupCells = field(default_factory=GroupCells)
    """Cells of atomics after group memory on the stack."""

    group_scale: int = 1
    """Bytes that each byte of group memory takes: small elements may have a word each."""

    group_type: Type | None = None
    """The type of all loads of such elements."""

    before_group: int = 0
    """Bytes before group memory on the stack that lanes that do not run may read."""

    after_group: int = READ_BEYOND
    """Bytes after group memory on the stack that may be read."""

    last_readers: frozenset[int] = frozenset()
    """Nodes whose private stores need no mask: other lanes load no private memory any more."""

    for_running: frozenset[Op] = frozenset()
    """Accesses of global memory that are inside in running lanes, and need not be in others."""

    signed: frozenset[Op] = frozenset()
    """Those of neighbours by indices that have a sign in other lanes, the first one among them."""

    relied: Reliance | None = None
    """What code that counts has to test about accesses."""

    watched_by: set[WatchedBy] = field(default_factory=set)
    """What watches accesses more strictly than need be, once the code is there."""

    _group_place: list[str] = field(default_factory=list)
    """Where that is, once it is known; all versions of the code share it."""

    _private_place: list[str] = field(default_factory=list)
    """The same for private memory on the stack."""

    @property
    def before(self) -> frozenset[int]:
        """Parameters by which loads find what was in memory before their batch."""
        return frozenset() if self.relied is None else self.relied.before

    @property
    def is_group_on_stack(self) -> bool:
        """Whether group memory is on the stack, where some bytes after it may be read."""
        return self.group_room <= MOST_ON_STACK

    @property
    def group_room(self) -> int:
        """The bytes that group memory takes."""
        return self.group_bytes * self.group_scale

    def group_place(self, entry: FunctionText) -> str:
        """Return where the group memory of the running workgroup is, a ptr that `entry` has.

        LLVM knows that no other pointer leads to a variable on the stack.
        """
        if not self._group_place:
            if self.is_group_on_stack:
                size = max(self.group_room + self.after_group, self.group_cells.end)
                size += self.before_group
                place = entry.let(f"alloca [{size} x i8], align 64")
                if self.before_group:
                    place = entry.let(f"getelementptr i8, ptr {place}, i64 {self.before_group}")
                self._group_place.append(place)
            else:
                slot = load_slot(entry, Slot.GROUP_MEMORY)
                self._group_place.append(entry.let(f"inttoptr i64 {slot} to ptr"))
        return self._group_place[0]

    def cells_after_group(self, name: str, entry: FunctionText) -> str | None:
        """Return where the cells of that name are, a ptr that `entry` has, if they are there."""
        offset = self.group_cells.offsets.get(name)
        if offset is None or not self.is_group_on_stack:
            return None
        return entry.let(f"getelementptr i8, ptr {self.group_place(entry)}, i64 {offset}")

    def is_private_on_stack(self, width: int) -> bool:
        """Return whether private memory is on the stack; one warp has it there after the other."""
        return self.private_of == "0" and self.private_bytes * width <= MOST_ON_STACK

    def private_place(self, entry: FunctionText, code: FunctionText, width: int) -> str:
        """Return where the private memory of the running warp is, a ptr.

        LLVM keeps parts of a variable on the stack in registers if all offsets are constants.
        """
        if self.is_private_on_stack(width):
            if not self._private_place:
                size = self.private_bytes * width + AFTER_PRIVATE
                self._private_place.append(entry.let(f"alloca [{size} x i8], align 64"))
            return self._private_place[0]
        memory = entry.let(f"inttoptr i64 {load_slot(entry, Slot.PRIVATE_MEMORY)} to ptr")
        if self.private_of == "0":
            return memory
        offset = code.let(f"mul i64 {self.private_of}, {self.private_bytes * width}")
        return code.let(f"getelementptr i8, ptr {memory}, i64 {offset}")

    def clear_private(self, entry: FunctionText, code: FunctionText, width: int) -> None:
        """Set the private memory of the running warp to zero where that may be seen."""
        if not self.private_bytes:
            return
        place = self.private_place(entry, code, width)
        parts = [(start * width, size * width) for start, size in self.private_parts]
        if self.is_private_on_stack(width):
            total = self.private_bytes * width
            if parts and sum(parts[-1]) == total:
                parts[-1] = (parts[-1][0], parts[-1][1] + AFTER_PRIVATE)
            else:
                parts.append((total, AFTER_PRIVATE))
        for start, size in parts:
            begin = code.let(f"getelementptr i8, ptr {place}, i64 {start}") if start else place
            code.zero(begin, size)


def memory_of(
    kernel: Kernel,
    readonly_bytes: int,
    shapes: Shapes,
    plan: LanePlan,
    *,
    private_of: str,
    relied: Reliance | None,
) -> KernelMemory:
    """Return the memory of a kernel in code of these shapes and this plan."""
    facts = shapes.facts
    n, k = vectors_of(facts)
    ranges = Ranges(shapes)
    waits = _waits_for_stores(shapes, plan, ranges, kernel.group_size)
    around = WORD * n * k if waits and can_shift(n, k, WORD) else 0
    each_apart = _each_apart(kernel, facts, plan)
    private_bytes = kernel.private_size if _accesses_private(shapes) else 0
    parts = _private_parts(kernel, shapes, private_bytes, each_apart=each_apart)
    taken = Forwarded() if plan.sparse else forwarded(shapes, kernel.group_size, n)
    scale, loaded = _in_words(shapes, plan, ranges, kernel.group_size)
    return KernelMemory(
        kernel.params,
        kernel.group_size,
        private_bytes,
        readonly_bytes,
        ranges,
        private_of,
        private_element(kernel),
        private_parts=parts,
        each_apart=each_apart,
        forwarded=taken,
        group_scale=1 if taken.loads or relied is not None else scale,
        group_type=loaded,
        group_cells=group_cells(kernel, facts.width, k),
        before_group=around,
        after_group=READ_BEYOND + max(around, _reach(shapes) if facts.slow_gathers else 0),
        last_readers=plan.last_readers,
        relied=relied,
    )


def _in_words(
    shapes: Shapes, plan: LanePlan, ranges: Ranges, total: int
) -> tuple[int, Type | None]:
    """Return how many bytes each byte of group memory takes, and the type of its loads."""
    scale = 1 if plan.sparse else bytes_of_byte(shapes, ranges, total)
    if scale == 1 or total * scale > MOST_ON_STACK:
        return 1, None
    ops = (op for found in shapes.ssa.ops.values() for op in found)
    return scale, next(op.element for op in ops if _is_of_group(op) and op.ins.row.is_load)


def _waits_for_stores(shapes: Shapes, plan: LanePlan, ranges: Ranges, total: int) -> bool:
    """Return whether a loop loads words that all its lanes store, where idle lanes are outside.

    Other loads of group memory in the loop would be made while one waits for the stores.
    """
    ops = shapes.ssa.ops
    for loop in shapes.flow.loops:
        inside = [op for n in loop.nodes for op in ops.get(n, ()) if _is_of_group(op)]
        loads = [op for op in inside if op.ins.row.is_load]
        stores = [op for op in inside if not op.ins.row.is_load]
        if len(loads) != 1 or not stores or loads[0].base is None:
            continue
        (load,), base = loads, loads[0].base
        if load.element.size != WORD or shapes.stride(base) != WORD:
            continue
        same = plan.masks.same
        if any(same.get(store.node) != same.get(loop.header) for store in stores):
            continue
        offset, all_lanes = load.address.offset, WORD * shapes.facts.width
        firsts = ranges.of_firsts(base, load.node)
        if not firsts.is_inside(offset, all_lanes, total):
            return ranges.of(base, load.node).is_inside(offset, WORD, total)
    return False


def _is_of_group(op: Op) -> bool:
    return op.ins.row.is_memory and op.ins.row.segment is Segment.GROUP


def _reach(shapes: Shapes) -> int:
    """Return how far lanes load group memory from lane 0's places, one by one."""
    reach = 0
    for ops in shapes.ssa.ops.values():
        for op in ops:
            row, base = op.ins.row, op.base
            if not (row.is_load and row.segment is Segment.GROUP) or base is None:
                continue
            found = shapes.distances_of(base)
            if found is None or found.multiples or found.step in (0, op.element.size):
                continue
            far = int(found.constants.max())
            if far <= MOST_AFTER_GROUP and are_scattered(found.constants, op.element.size):
                reach = max(reach, far)
    return reach


def private_element(kernel: Kernel) -> int:
    """Return the bytes of the largest private load or store of a kernel, 1 if it has none."""
    rows = (ins.row for ins in kernel.instructions)
    return max(
        (
            row.type.size
            for row in rows
            if row.is_memory and row.segment is Segment.PRIVATE and row.type is not None
        ),
        default=1,
    )


def _each_apart(kernel: Kernel, facts: Facts, plan: LanePlan) -> bool:
    """Return whether each lane has its private memory in one piece, where its elements fit."""
    alone = facts.own_memory is OwnMemory.ALONE and not plan.has_both
    return alone and bool(plan.sparse) and kernel.private_size % private_element(kernel) == 0


def _private_parts(
    kernel: Kernel, shapes: Shapes, total: int, *, each_apart: bool
) -> tuple[tuple[int, int], ...]:
    """Return (first byte, number of bytes) of the private memory that must be zero at the start."""
    if total * shapes.facts.width < LEAST_CLEARED:
        return ((0, total),) if total else ()
    needed, size = read_first(shapes.ssa, total), private_element(kernel)
    if needed and each_apart:
        return ((0, total),)
    of_element = (1 << size) - 1
    starts = [start for start in range(0, total, size) if needed >> start & of_element]
    parts: list[tuple[int, int]] = []
    for start in starts:
        end = min(start + size, total)
        if parts and sum(parts[-1]) == start:
            parts[-1] = (parts[-1][0], end - parts[-1][0])
        else:
            parts.append((start, end - start))
    if len(parts) > MOST_PARTS:
        parts = [(parts[0][0], sum(parts[-1]) - parts[0][0])]
    if 4 * sum(size for _, size in parts) > 3 * total:
        return ((0, total),)  # one piece of memory for LLVM, too
    return tuple(parts)


def _accesses_private(shapes: Shapes) -> bool:
    """Return whether private memory is in memory, and not all in registers."""
    return any(
        op.ins.row.is_memory and op.ins.row.segment is Segment.PRIVATE
        for ops in shapes.ssa.ops.values()
        for op in ops
    )
