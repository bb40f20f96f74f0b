"""The interpreter's rounds in native code: the same instructions in the same order, with counts.

Where the order of warps decides what work-items execute, only the interpreter's order has the
counts of the interpreter. So a helper (rounds.ll) chooses the warps of each round as the
interpreter does, and calls the segments of a block for them. It keeps the stack of each warp.
Traps, spent budgets and barriers that not all work-items reach end it: the interpreter explains
them.
"""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...engine import Work
from ...interp.interpreter import CHECK_ROUNDS, FAIR, slots_of
from ...recent import Recent
from ...statistics import Statistics
from ..llvm.toolchain import Compiled, compile_text, function_attributes
from ..runtime.aligned import LINE
from ..runtime.helpers import symbols
from ..runtime.once import Once
from ..runtime.spare import Spare
from .compile import SegmentContext, Segments
from .table import SegmentKind, Space
from .warp_block import HEADER_BYTES, Header

NO_PC = (1 << 31) - 1
"""The pc of a warp that cannot run, and a re-convergence point that is never met."""

VECTOR = 16
"""Warps that are looked at together."""

TOGETHER = 16
"""Warps that execute the last phase of a block before they are moved."""

_WORDS = (
    *("FIRST", "ROUNDS", "CHECK", "SLOTS", "PER_GROUP", "GROUPS", "PLACES", "TABLE", "START"),
    *("MEMORY", "BYTES", "PC", "WATCH", "STEPS", "DEPTH", "WAITS", "LIST", "MASKS", "LIVE"),
    *("STARTERS", "STACK", "STACK_BYTES", "LIMIT", "EXITED_ARRIVE", "ATOMICS_OF"),
    *("DIVERGENT", "BARRIERS", "COMPARISONS", "DEEPEST", "LANE_SLOTS", "WARPS"),
)
"""The words of a block: the state of the batch, its size, the launch, and what is counted.

`ATOMICS_OF` is the context block if work-items have atomics of global memory, else 0."""

_FIELDS = (
    *("FN", "MOVE", "KIND", "ENDS", "NEXT", "TARGET", "JOIN", "CONDITION"),
    *("PHASE_LAST", "LANE_LOOP", "MOST_LANES", "REPEATS", "EXECUTIONS", "LANES"),
)
"""The words of a segment. `ENDS` has the instructions of the block that ends with it, or 0. The
next three are those of the phase that begins with it: its last segment, its loop over lanes, and up
to how many lanes that runs it. The others are those of the block that begins with it: whether warps
may repeat it on their own, and its counts."""

_FROM_TABLE = {
    "FN": "fn",
    "MOVE": "move",
    "KIND": "kind",
    "NEXT": "next",
    "TARGET": "target",
    "JOIN": "rpc",
    "CONDITION": "cond_row",
}
_AT = {name: position for position, name in enumerate(_WORDS)}
_FIELD = {name: position for position, name in enumerate(_FIELDS)}
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
        "FAIR": FAIR,
        "CHECK_ROUNDS": CHECK_ROUNDS,
        "TOGETHER": TOGETHER,
        "RECORD_BYTES": 8 * len(_FIELDS),
        "ATTRIBUTES": function_attributes(),
    }
    for name, value in given.items():
        text = text.replace(f"@{name}@", str(value))
    return compile_text(text, ["simtlab_rounds"], key=text, symbols=symbols())


class Rounds:
    """One launch in the interpreter's order. `run` continues it; `statistics` are its counts."""

    def __init__(self, work: Work, segments: Segments, context: SegmentContext, limit: int) -> None:
        """`limit` is the most instructions that a warp may execute."""
        geometry, layout = work.geometry, segments.layout
        self._kept = segments, context
        self._run = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64)(
            _helper()["simtlab_rounds"]
        )
        slots, per_group = slots_of(work), -(-geometry.largest_group // geometry.width)
        warps = slots * per_group
        places = -(-warps // VECTOR) * VECTOR
        self._blocks = blocks = _blocks_of(segments)
        self._table = blocks.records.copy()
        shared, private = (-(-n // 8) * 8 for n in (layout.group_bytes, layout.private_bytes))
        # Each entry has lanes that those below have too, and fewer of them: two a lane at most.
        stack_bytes = _ENTRY * (2 * geometry.width + 2)
        sizes = {
            "MEMORY": warps * layout.total,
            **dict.fromkeys(("PC", "WATCH", "STEPS", "DEPTH", "WAITS"), 4 * places),
            **dict.fromkeys(("MASKS", "LIVE", "STARTERS"), 8 * places),
            "LIST": 4 * (places + VECTOR),
            "STACK": places * stack_bytes,
            "": slots * shared + warps * private,
        }
        self._memory = _SPARE.take(sum(map(_rounded, sizes.values())))
        self._words = np.zeros(len(_WORDS), np.int64)
        pieces, begin = {}, 0
        for name, size in sizes.items():
            pieces[name] = self._memory[begin : begin + size]
            begin += _rounded(size)
            if name:
                self._set(name, pieces[name].ctypes.data)
        pieces["PC"].view(np.int32)[:] = NO_PC
        headers = pieces["MEMORY"].reshape(warps, layout.total)[:, :HEADER_BYTES].view(np.int64)
        numbers = np.arange(warps)
        of_groups = pieces[""].ctypes.data
        headers[:, Header.GROUP_MEMORY] = of_groups + numbers // per_group * shared
        headers[:, Header.PRIVATE_MEMORY] = of_groups + slots * shared + numbers * private
        headers[:, Header.CONTEXT] = context.address
        for name, value in (
            ("FIRST", -1),
            ("CHECK", CHECK_ROUNDS),
            ("SLOTS", slots),
            ("PER_GROUP", per_group),
            ("GROUPS", geometry.n_groups),
            ("PLACES", places),
            ("TABLE", self._table.ctypes.data),
            ("START", segments.begin),
            ("BYTES", layout.total),
            ("STACK_BYTES", stack_bytes),
            ("LIMIT", limit),
            ("EXITED_ARRIVE", work.exited_arrive),
            ("ATOMICS_OF", context.address if blocks.has_atomics else 0),
        ):
            self._set(name, value)

    def _set(self, word: str, value: int) -> None:
        self._words[_AT[word]] = value

    def _get(self, word: str) -> int:
        return int(self._words[_AT[word]])

    def run(self, rounds: int) -> bool | None:
        """Run some rounds; return whether the launch has ended, or None if it must be given up."""
        return {0: True, 1: False, 2: None}[self._run(self._words.ctypes.data, rounds)]

    def release(self) -> None:
        """Give the memory back; `run` may no longer be called."""
        _SPARE.give(self._memory)

    def statistics(self) -> Statistics:
        """Return what has been counted; the lane slots of a batch only when it has ended."""
        executions, lanes = (
            self._table[self._blocks.of_pc, _FIELD[field]] for field in ("EXECUTIONS", "LANES")
        )
        return Statistics(
            warp_instructions=int(executions.sum()),
            thread_instructions=int(lanes.sum()),
            lane_slots=self._get("LANE_SLOTS"),
            branches=int(executions[self._blocks.branches].sum()),
            divergent_branches=self._get("DIVERGENT"),
            barriers=self._get("BARRIERS"),
            pc_comparisons=self._get("COMPARISONS"),
            max_depth=self._get("DEEPEST"),
            warps=self._get("WARPS"),
            executions=executions,
            lanes=lanes,
        )


def _rounded(size: int) -> int:
    """Return the bytes of a piece of memory after which one begins at a cache line."""
    return -(-size // LINE) * LINE


_SPARE = Spare()


class _Blocks(NamedTuple):
    """The table of segments with the blocks in it, and what the counts of a launch are made of."""

    segments: Segments
    records: np.ndarray
    of_pc: np.ndarray
    """The segment that begins the block of each pc."""
    branches: np.ndarray
    """The pcs of branches."""
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
    for phase, loop in zip(segments.phases, segments.lane_loops, strict=True):
        first, last = phase.number, phase.segments[-1]
        records[first, _FIELD["PHASE_LAST"]] = last.number
        records[first, _FIELD["LANE_LOOP"]] = loop
        records[first, _FIELD["MOST_LANES"]] = phase.most_lanes
        if phase.ends_block:
            pcs = slice(int(table["first_pc"][begin]), last.last + 1)
            of_pc[pcs] = begin
            records[last.number, _FIELD["ENDS"]] = pcs.stop - pcs.start
            may_repeat = first == begin and _may_repeat(table, last.number, first)
            records[begin, _FIELD["REPEATS"]] = may_repeat
            begin = last.number + 1
    branches = np.flatnonzero([ins.row.stem in ("br", "cbr") for ins in code])
    has_atomics = np.any((table["is_atomic"] != 0) & (table["space"] == Space.GLOBAL))
    return _Blocks(segments, records, of_pc, branches, bool(has_atomics))


def _may_repeat(table: np.ndarray, last: int, first: int) -> bool:
    """Return whether a block without stores is a loop that warps leave for higher pcs."""
    branch = table[last]
    leaves_for = [branch["next"], *([branch["rpc"]] if branch["rpc"] >= 0 else [])]
    is_loop = branch["kind"] == SegmentKind.BRANCH and branch["target"] == first
    return bool(is_loop and min(leaves_for) > first)
