"""Rounds of a workgroup whose warps take turns: in each a warp runs to its next barrier."""

from __future__ import annotations

from ...llvm.function_text import FunctionText
from ...runtime.context import Slot, TrapCode
from ..context_code import load_slot, store_slot
from ..counting.counters import Counters
from ..variables import Variables
from .barriers import ENDED
from .identity import GROUP

WORDS = ("waiting", "returned", "barrier_pc", "unequal", "waiter", "fresh")
"""Variables of a workgroup: the number of warps that wait, and of lanes that have returned; the
barrier of this round, and whether warps wait at several; a work-item that waits; whether this is
the first round."""

TOGETHER_WORDS = ("fresh", "place", "resumes")
"""The same where all work-items reach each barrier together: the barrier at which this round
begins, and that at which the next one does, or `ENDED`."""


class Rounds:
    """Emits what begins and ends a round; all warps run between."""

    def __init__(self, code: FunctionText, words: Variables, *, together: bool) -> None:
        """`together`: whether all work-items of a workgroup reach each barrier together."""
        self._code = code
        self._words = words
        self._together = together

    def begin(self) -> None:
        """Begin a workgroup, and each of its rounds, in the block `round_head`."""
        code, words, together = self._code, self._words, self._together
        for name in TOGETHER_WORDS if together else WORDS:
            words.places(name, ["i64"])
        words.set_word("place" if together else "returned", "0")
        words.set_word("fresh", "1")
        code.jump("round_head")
        code.block("round_head")
        if not together:
            words.set_word("waiting", "0")
            words.set_word("barrier_pc", "-1")
            words.set_word("unequal", "0")

    def end(self, counters: Counters | None) -> None:
        """Begin the next round, end the workgroup, or trap if not all of it is at one barrier."""
        self._words.set_word("fresh", "0")
        if self._together:
            self._end_together()
        else:
            self._end_apart(counters)

    def _end_together(self) -> None:
        code, words = self._code, self._words
        resumes = words.word("resumes")
        words.set_word("place", resumes)
        over = code.let(f"icmp eq i64 {resumes}, {ENDED}")
        code.branch(over, "group_next", "round_head")

    def _end_apart(self, counters: Counters | None) -> None:
        code, words = self._code, self._words
        none = code.let(f"icmp eq i64 {words.word('waiting')}, 0")
        code.branch(none, "group_next", "round_check")
        code.block("round_check")
        if counters is not None:
            counters.barrier()
        returned = code.let(f"icmp ne i64 {words.word('returned')}, 0")
        allowed = code.let(f"icmp eq i64 {load_slot(code, Slot.EXITED_ARRIVE)}, 0")
        missing = code.let(f"and i1 {returned}, {allowed}")
        unequal = code.let(f"icmp ne i64 {words.word('unequal')}, 0")
        bad = code.let(f"or i1 {missing}, {unequal}")
        code.branch(bad, "round_divergent", "round_head")
        code.block("round_divergent")
        store_slot(code, Slot.TRAP_KIND, str(int(TrapCode.DIVERGENT_BARRIER)))
        store_slot(code, Slot.TRAP_PC, words.word("barrier_pc"))
        store_slot(code, Slot.TRAP_GROUP, GROUP)
        store_slot(code, Slot.TRAP_LOCAL, words.word("waiter"))
        code.jump("trapped")
