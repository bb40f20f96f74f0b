"""The record of the ways that lanes go at branches, from which a helper counts (runtime/paths.ll).

Each branch adds an entry to the log: the lanes that are there, and those that jump. Lanes that run
a loop alone collect their branches in a word, and add it when it is full. Where a loop begins its
next iteration, a log that is nearly full is handed to the helper, as at the end of a warp.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..llvm.function_text import FunctionText
from ..runtime.context import Slot, TrapCode
from ..runtime.paths import ENTRY, HELPER, LIMIT, LOG, STARTING
from .context_code import load_slot
from .lane_code import LaneCode

_PLACE = "place in the log"
"""The variable that has the address of the next entry, an i64."""

_LANE = "branches of the lane"
"""The variable that has the last branches of a lane that runs alone, above the lowest bit set."""

MARKED = 1 << 32
"""A word without branches."""

OF_LANE = 40
"""Where the number of the lane is in a word."""


class RecordedPaths:
    """Emits the record of a warp; `starting` are its lanes at its start."""

    def __init__(self, lanes: LaneCode, starting: Sequence[str]) -> None:
        self.lanes = lanes
        self._words = lanes.variables
        self._starting = starting
        entry = lanes.entry
        self._block = entry.let(f"inttoptr i64 {load_slot(entry, Slot.PATHS)} to ptr")
        self._log = self._word_of_block(LOG)
        self._limit = self._word_of_block(LIMIT)
        helper = self._word_of_block(HELPER)
        self._helper = entry.let(f"inttoptr i64 {helper} to ptr")

    def _word_of_block(self, word: int) -> str:
        entry = self.lanes.entry
        return entry.let(f"load i64, ptr {self._place_in_block(entry, word)}")

    def _place_in_block(self, code: FunctionText, word: int) -> str:
        return code.let(f"getelementptr i64, ptr {self._block}, i64 {word}")

    # --- what other code asks of counters

    def begin_warp(self) -> None:
        """Begin a warp."""
        lanes, code = self.lanes, self.lanes.code
        starting = lanes.word(self._starting)
        code.line(f"store i64 {starting}, ptr {self._place_in_block(code, STARTING)}")
        self._words.set_word(_PLACE, self._log)

    def barrier(self) -> None:
        """Count a barrier: kernels with barriers are not recorded."""
        raise NotImplementedError

    def enter(self, number: int) -> None:
        """Let a warp begin at a node."""

    def run(self, number: int) -> None:
        """Run a node: nothing is recorded but its branch."""

    def follow(self, number: int, way: int) -> None:
        """Let all running lanes go on to another node; at a latch make room in the log."""
        if self.lanes.flow.nodes[number].latch_of is not None:
            self._make_room()

    def branch(
        self, number: int, ways: tuple[int, int], sides: tuple[Sequence[str], Sequence[str]]
    ) -> None:
        """Record the lanes that are at a branch, and those that jump."""
        lanes = self.lanes
        self._add(lanes.word(lanes.mask), lanes.word(sides[1]))

    def together(self, condition: str) -> None:
        """Record a branch at which all lanes go one way; `condition` says whether they jump."""
        lanes, code = self.lanes, self.lanes.code
        mask = lanes.word(lanes.mask)
        self._add(mask, code.let(f"select i1 {condition}, i64 {mask}, i64 0"))

    # --- lanes that run alone

    def begin_alone(self, one: LaneCode) -> None:
        """Begin a loop of one lane, which has executed no branch."""
        one.variables.set_word(_LANE, str(MARKED))

    def branch_alone(self, one: LaneCode, condition: str, lane: str) -> None:
        """Record the branch of a lane."""
        code, words = self.lanes.code, one.variables
        before = code.let(f"lshr i64 {words.word(_LANE)}, 1")
        bit = code.let(f"select i1 {condition}, i64 {MARKED}, i64 0")
        word = code.let(f"or i64 {before}, {bit}")
        words.set_word(_LANE, word)
        full, go = code.fresh_label("k"), code.fresh_label("k")
        is_full = code.let(f"trunc i64 {word} to i1")
        code.branch(is_full, full, go, rarely=True)
        code.block(full)
        self.end_alone(one, lane)
        self._make_room()
        words.set_word(_LANE, str(MARKED))
        code.jump(go)
        code.block(go)

    def end_alone(self, one: LaneCode, lane: str) -> None:
        """Add the last branches of a lane to the log."""
        code = self.lanes.code
        number = code.let(f"shl i64 {lane}, {OF_LANE}")
        self._add("0", code.let(f"or i64 {number}, {one.variables.word(_LANE)}"))

    # --- the log

    def _add(self, first: str, second: str) -> None:
        code = self.lanes.code
        place = self._words.word(_PLACE)
        entry = code.let(f"inttoptr i64 {place} to ptr")
        code.line(f"store i64 {first}, ptr {entry}")
        after = code.let(f"getelementptr i64, ptr {entry}, i64 1")
        code.line(f"store i64 {second}, ptr {after}")
        self._words.set_word(_PLACE, code.let(f"add i64 {place}, {ENTRY}"))

    def _make_room(self) -> None:
        """Hand a log that is nearly full to the helper."""
        code = self.lanes.code
        full, go = code.fresh_label("k"), code.fresh_label("k")
        place = self._words.word(_PLACE)
        code.branch(code.let(f"icmp ugt i64 {place}, {self._limit}"), full, go, rarely=True)
        code.block(full)
        self.hand_over(final=False)
        self._words.set_word(_PLACE, self._log)
        code.jump(go)
        code.block(go)

    def hand_over(self, *, final: bool) -> None:
        """Let the helper take the log, `final` if all branches of the warp are known.

        The launch ends, and is counted otherwise, if it has no room.
        """
        lanes, code = self.lanes, self.lanes.code
        end, go = code.fresh_label("k"), code.fresh_label("k")
        given = f"ptr {self._block}, i64 {self._words.word(_PLACE)}, i64 {int(final)}"
        failed = code.let(f"call i32 {self._helper}({given})")
        code.branch(code.let(f"icmp ne i32 {failed}, 0"), end, go, rarely=True)
        code.block(end)
        pc = lanes.flow.nodes[1].start
        lanes.trap(TrapCode.BUDGET, pc, ["splat (i1 true)"] * lanes.k)
        code.block(go)
