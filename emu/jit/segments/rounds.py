"""The interpreter's rounds in native code: the same instructions in the same order, with counts.

Where the order of warps decides what work-items execute, only the interpreter's order has the
counts of the interpreter. So a helper (rounds.ll) chooses the warps of each round as the
interpreter does, and calls the segments of a block for them. It keeps the stack of each warp.
Traps, spent budgets and barriers that not all work-items reach end it: the interpreter explains
them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...engine import Work
from ...interp.interpreter import CHECK_ROUNDS, FAIR, slots_of
from ...recent import Recent
from ...statistics import Statistics
from ..llvm.toolchain import Compiled, compile_text, function_attributes
from ..runtime.aligned import LINE, huge_bytes
from ..runtime.context import Slot
from ..runtime.helpers import symbols
from ..runtime.once import Once
from ..runtime.spare import SpareOf
from .compile import Segments, empty_context
from .table import SegmentKind, Space
from .warp_block import Header

BUSY = -1
"""What is at `Slot.TRAP_KIND` of a launch that has not run: another thread has the memory."""

NO_PC = (1 << 31) - 1
"""The pc of a warp that cannot run, and a re-convergence point that is never met."""

MOST_ROUNDS = 1 << 10
"""Rounds of a launch that native code begins itself: Python sees no interrupt before its end."""

VECTOR = 16
"""Warps that are looked at together."""

TOGETHER = 16
"""Warps that execute the last phase of a block before they are moved."""

_PIECES = (
    *("MEMORY", "PC", "WATCH", "STEPS", "DEPTH", "WAITS", "MASKS", "LIVE", "STARTERS", "LIST"),
    *("STACK", "SHARED", "PRIVATE", "BRIEF"),
)
"""The words with places in the memory of a batch."""

_WORDS = (
    *("FIRST", "ROUNDS", "CHECK", "SLOTS", "PER_GROUP", "GROUPS", "PLACES", "TABLE", "START"),
    *_PIECES,
    *("BYTES", "STACK_BYTES", "SHARED_BYTES", "PRIVATE_BYTES"),
    *("LIMIT", "EXITED_ARRIVE", "CONTEXT", "ATOMICS_OF", "SEGMENTS", "AT_FIRST", "ROOM"),
    *("DIVERGENT", "BARRIERS", "COMPARISONS", "DEEPEST", "LANE_SLOTS", "WARPS"),
)
"""The words of a block: the state of the batch, its size, the launch, and what is counted.

`ATOMICS_OF` is the context block if work-items have atomics of global memory, else 0. `AT_FIRST`
has the words as they are before a launch, with offsets for places; `ROOM` is where native code
takes the memory, if it begins launches itself. After the words are the records of segments."""

_FIELDS = (
    *("RUN", "KIND", "ENDS", "NEXT", "TARGET", "JOIN", "CONDITION"),
    *("PHASE_LAST", "LANE_LOOP", "MOST_LANES", "REPEATS", "EXECUTIONS", "LANES"),
)
"""The words of a segment. `RUN` and the four from `PHASE_LAST` on are those of the phase or block
that begins with it: what runs its segments in turn, or 0; its last segment, its loop over lanes, up
to how many lanes that runs it, and whether warps may repeat the block on their own. The last two
are the block's counts. `ENDS` has the instructions of the block that ends with it, or 0."""

_FROM_TABLE = {
    "KIND": "kind",
    "NEXT": "next",
    "TARGET": "target",
    "JOIN": "rpc",
    "CONDITION": "cond_row",
}
_AT = {name: position for position, name in enumerate(_WORDS)}
_PLACES = slice(_AT[_PIECES[0]], _AT[_PIECES[-1]] + 1)
_FIELD = {name: position for position, name in enumerate(_FIELDS)}
_COUNTS = slice(_FIELD["EXECUTIONS"], _FIELD["LANES"] + 1)
_ENTRY = 16
"""Bytes of an entry of a stack."""


@Once
def _helper() -> Compiled:
    text = Path(__file__).with_name("rounds.ll").read_text(encoding="utf-8")
    given: dict[str, object] = {
        **_AT,
        **_FIELD,
        **{kind.name: int(kind) for kind in SegmentKind if kind.name not in _FIELD},
        "NO": NO_PC,
        "GROUP_MEMORY": Header.GROUP_MEMORY.value,
        "PRIVATE_MEMORY": Header.PRIVATE_MEMORY.value,
        "HEADER_CONTEXT": Header.CONTEXT.value,
        "HEADER_BRIEF": Header.BRIEF.value,
        "FAIR": FAIR,
        "CHECK_ROUNDS": CHECK_ROUNDS,
        "TOGETHER": TOGETHER,
        "RECORD_BYTES": 8 * len(_FIELDS),
        "WORD_BYTES": 8 * len(_WORDS),
        "FIRST_PIECE": _PLACES.start,
        "PIECES": len(_PIECES),
        "OF_CONTEXT": Slot.COUNTS.value,
        "TRAP_KIND": Slot.TRAP_KIND.value,
        "BUSY": BUSY,
        "MOST_ROUNDS": MOST_ROUNDS,
        "ATTRIBUTES": function_attributes(),
    }
    for name, value in given.items():
        text = text.replace(f"@{name}@", str(value))
    names = ["simtlab_rounds", "simtlab_begin_rounds", "simtlab_launch_in_order"]
    return compile_text(text, names, key=text, symbols=symbols())


@Once
def _function() -> Callable[[int, int], int]:
    of_type = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64)
    return of_type(_helper()["simtlab_rounds"])


@Once
def _begin() -> Callable[[int, int], None]:
    of_type = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
    return of_type(_helper()["simtlab_begin_rounds"])


@Once
def begins_itself() -> tuple[int, Callable[[int, int, int], int]]:
    """Return the function that runs a whole launch, as the code of a kernel: its address, and it.

    Its context block has that of a `Batch` at `Slot.COUNTS`. It returns 0, or 1 if it gives up.
    """
    address = _helper()["simtlab_launch_in_order"]
    of_type = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    return address, of_type(address)


class Rounds:
    """One launch in the interpreter's order. `run` continues it; `statistics` are its counts."""

    def __init__(self, work: Work, segments: Segments, place: tuple[int, int], limit: int) -> None:
        """`place` has the buffers (`SegmentContext.begin`), `limit` the most steps of a warp."""
        shape = _shape_of(work)
        self._key = id(segments), *shape
        self._batch = batch = _BATCHES.pop(self._key, None) or Batch(segments, *shape)
        batch.prepare(work, limit)
        batch.begin(work, place)

    def run(self, rounds: int) -> bool | None:
        """Run some rounds; return whether the launch has ended, or None if it must be given up."""
        return {0: True, 1: False, 2: None}[_function()(self._batch.address, rounds)]

    @property
    def count(self) -> int:
        """Return how many rounds have run."""
        return int(self._batch.block[_AT["ROUNDS"]])

    def release(self) -> None:
        """Give the memory back; `run` may no longer be called."""
        self._batch.release()
        _BATCHES.keep(self._key, self._batch)

    def statistics(self) -> Statistics:
        """Return what has been counted; the lane slots of a batch only when it has ended."""
        return self._batch.statistics(self._batch.block)


def _shape_of(work: Work) -> tuple[int, int, int]:
    geometry = work.geometry
    per_group = -(-geometry.largest_group // geometry.width)
    return slots_of(work), per_group, work.kernel.kernarg_size


class Batch:
    """A batch of workgroups, ready for launches of one shape, one at a time.

    Batches of all shapes have the same memory in turns: it stays in the host's caches.
    """

    def __init__(self, segments: Segments, slots: int, per_group: int, kernarg_bytes: int) -> None:
        """`slots` workgroups of `per_group` warps run at once."""
        layout, warps = segments.layout, slots * per_group
        self.context = context = empty_context(segments, kernarg_bytes)
        self._blocks = blocks = _blocks_of(segments)
        self.block = np.concatenate([np.zeros(len(_WORDS), np.int64), blocks.records.ravel()])
        """The words and the records of segments, as a launch leaves them."""
        self.address = self.block.ctypes.data
        places = -(-warps // VECTOR) * VECTOR
        shared, private = (-(-n // 8) * 8 for n in (layout.group_bytes, layout.private_bytes))
        # Each entry has lanes that those below have too, and fewer of them: two a lane at most.
        stack_bytes = _ENTRY * (2 * segments.width + 2)
        self._first_words = first_words = np.zeros(len(_WORDS), np.int64)
        self.bytes = 0
        """Bytes of memory that a launch needs."""
        sizes = (
            warps * layout.total,
            *(4 * places,) * 5,
            *(8 * places,) * 3,
            4 * (places + VECTOR),
            places * stack_bytes,
            slots * shared,
            warps * private,
            layout.brief_bytes,
        )
        for name, size in zip(_PIECES, sizes, strict=True):
            first_words[_AT[name]] = self.bytes
            self.bytes += -(-size // LINE) * LINE
        for name, value in (
            ("FIRST", -1),
            ("CHECK", CHECK_ROUNDS),
            ("SLOTS", slots),
            ("PER_GROUP", per_group),
            ("PLACES", places),
            ("TABLE", self.address + 8 * len(_WORDS)),
            ("START", segments.begin),
            ("BYTES", layout.total),
            ("SHARED_BYTES", shared),
            ("PRIVATE_BYTES", private),
            ("STACK_BYTES", stack_bytes),
            ("CONTEXT", context.address),
            ("ATOMICS_OF", context.address if blocks.has_atomics else 0),
            ("SEGMENTS", len(blocks.records)),
            ("AT_FIRST", first_words.ctypes.data),
        ):
            first_words[_AT[name]] = value

    @classmethod
    def of(cls, work: Work, segments: Segments) -> Batch:
        """Return a batch for launches of the shape of one."""
        return cls(segments, *_shape_of(work))

    def prepare(self, work: Work, limit: int, room: int = 0) -> None:
        """Take what is the same in all calls of a launch; `room` is for `begins_itself`."""
        words = self._first_words
        words[_AT["GROUPS"]] = work.geometry.n_groups
        words[_AT["LIMIT"]] = limit
        words[_AT["EXITED_ARRIVE"]] = work.exited_arrive
        words[_AT["ROOM"]] = room
        self.block[_AT["AT_FIRST"]] = words[_AT["AT_FIRST"]]
        self.block[_AT["ROOM"]] = room

    def begin(self, work: Work, place: tuple[int, int]) -> None:
        """Begin a launch, in which nothing has run and nothing is counted yet."""
        self.context.begin(work, place)
        self._memory = memory = _SPARE.take(self.bytes)
        _begin()(self.address, memory.ctypes.data)

    def release(self) -> None:
        """Give the memory back."""
        _SPARE.give(self._memory)
        del self._memory

    def statistics(self, block: np.ndarray) -> Statistics:
        """Return what a launch has counted that has left its block so."""
        words, records = block[: len(_WORDS)], block[len(_WORDS) :].reshape(-1, len(_FIELDS))
        blocks, counts = self._blocks, records[:, _COUNTS]
        (issued, active), (branches, _) = blocks.sums.dot(counts).tolist()
        executions, lanes = counts.T[:, blocks.of_pc]
        return Statistics(
            warp_instructions=issued,
            thread_instructions=active,
            lane_slots=int(words[_AT["LANE_SLOTS"]]),
            branches=branches,
            divergent_branches=int(words[_AT["DIVERGENT"]]),
            barriers=int(words[_AT["BARRIERS"]]),
            pc_comparisons=int(words[_AT["COMPARISONS"]]),
            max_depth=int(words[_AT["DEEPEST"]]),
            warps=int(words[_AT["WARPS"]]),
            executions=executions,
            lanes=lanes,
        )


_BATCHES: Recent[tuple[int, ...], Batch] = Recent(64)
_SPARE = SpareOf(huge_bytes)


class _Blocks(NamedTuple):
    """The table of segments with the blocks in it, and what the counts of a launch are made of."""

    segments: Segments
    records: np.ndarray
    of_pc: np.ndarray
    """The segment that begins the block of each pc."""
    sums: np.ndarray
    """How often the counts of each segment are in the sums over all pcs, and over branches."""
    has_atomics: bool
    """Whether work-items have atomics of memory that other threads may change as well."""


_BLOCKS: Recent[int, _Blocks] = Recent(64)


def _blocks_of(segments: Segments) -> _Blocks:
    found = _BLOCKS.find(id(segments))
    if found is None or found.segments is not segments:
        found = _BLOCKS.keep(id(segments), _blocks(segments))
    return found


def _blocks(segments: Segments) -> _Blocks:
    table, code = segments.table, segments.kernel.instructions
    records = np.zeros((len(table), len(_FIELDS)), np.int64)
    for field, name in _FROM_TABLE.items():
        records[:, _FIELD[field]] = table[name]
    of_pc = np.zeros(len(code), np.int64)
    begin = 0
    found = zip(segments.phases, segments.lane_loops, segments.in_turn, strict=True)
    for phase, loop, in_turn in found:
        first, last = phase.number, phase.segments[-1]
        records[first, _FIELD["PHASE_LAST"]] = last.number
        records[first, _FIELD["LANE_LOOP"]] = loop
        records[first, _FIELD["RUN"]] = in_turn
        records[first, _FIELD["MOST_LANES"]] = phase.most_lanes
        if phase.ends_block:
            pcs = slice(int(table["first_pc"][begin]), last.last + 1)
            of_pc[pcs] = begin
            records[last.number, _FIELD["ENDS"]] = pcs.stop - pcs.start
            may_repeat = first == begin and _may_repeat(table, last.number, first)
            records[begin, _FIELD["REPEATS"]] = may_repeat
            begin = last.number + 1
    branches = [ins.row.stem in ("br", "cbr") for ins in code]
    sums = [np.bincount(pcs, minlength=len(table)) for pcs in (of_pc, of_pc[branches])]
    has_atomics = np.any((table["is_atomic"] != 0) & (table["space"] == Space.GLOBAL))
    return _Blocks(segments, records, of_pc, np.array(sums), bool(has_atomics))


def _may_repeat(table: np.ndarray, last: int, first: int) -> bool:
    """Return whether a block without stores is a loop that warps leave for higher pcs."""
    branch = table[last]
    leaves_for = [branch["next"], *([branch["rpc"]] if branch["rpc"] >= 0 else [])]
    is_loop = branch["kind"] == SegmentKind.BRANCH and branch["target"] == first
    return bool(is_loop and min(leaves_for) > first)
