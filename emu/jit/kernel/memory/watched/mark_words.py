"""The bits of places that earlier warps have accessed or stored to, 64 places at a time."""

from __future__ import annotations

from ....runtime.context import SIZE, TrapCode, owners_slot, param_slot
from ...context_code import load_slot
from ...lane_code import LaneCode

WORD = 64
"""Places whose marks are two words: those stored to, and those accessed."""

_REFUSED = "refused"
"""The variable of what must not be; 0 if nothing is."""


class MarkWords:
    """Compares and sets marks of the buffers of parameters, in places of `unit` bytes."""

    def __init__(self, lanes: LaneCode, unit: int, params: int) -> None:
        self.lanes = lanes
        self.shift = unit.bit_length() - 1
        self._params = params
        self._words = lanes.variables

    def begin(self) -> None:
        """Begin a warp, of which nothing is refused."""
        self._words.set_word(_REFUSED, "0")

    def end(self, pc: int) -> None:
        """End the launch if an access has been refused: it starts over, whatever it ends with."""
        lanes, code = self.lanes, self.lanes.code
        end, go = code.fresh_label("k"), code.fresh_label("k")
        refused = code.let(f"icmp ne i64 {self._words.word(_REFUSED)}, 0")
        code.branch(refused, end, go, rarely=True)
        code.block(end)
        lanes.trap(TrapCode.OUT_OF_BOUNDS, pc, ["splat (i1 true)"] * lanes.k)
        code.block(go)

    def refuse(self, word: str) -> None:
        """Refuse the launch if a word is not 0."""
        known = self._words.word(_REFUSED)
        self._words.set_word(_REFUSED, self.lanes.code.let(f"or i64 {known}, {word}"))

    def touch(self, param: int, place: str, on: str, changed: str) -> None:
        """Mark up to 64 places from one on: those with a bit in `on`, and in `changed` stored to.

        They must be places of the buffer. At least one is accessed.
        """
        code = self.lanes.code
        if on != "1":
            low = code.call("i64", "llvm.cttz.i64", f"i64 {on}", "i1 true")
            place = code.let(f"add i64 {place}, {low}")
            on, changed = (code.let(f"lshr i64 {w}, {low}") for w in (on, changed))
        zeros = "63" if on == "1" else code.call("i64", "llvm.ctlz.i64", f"i64 {on}", "i1 true")
        last = code.let(f"add i64 {place}, {code.let(f'sub i64 63, {zeros}')}")
        places = self._count(param)
        begins = code.let(f"icmp ult i64 {place}, {places}")
        ends = code.let(f"icmp ult i64 {last}, {places}")
        inside, outside, then = (code.fresh_label("k") for _ in range(3))
        code.branch(code.let(f"and i1 {begins}, {ends}"), inside, outside)
        code.block(outside)
        self._words.set_word(_REFUSED, "1")
        code.jump(then)
        code.block(inside)
        marks = self._marks(param)
        at = code.let(f"and i64 {code.let(f'lshr i64 {place}, 5')}, -2")
        shift = code.let(f"and i64 {place}, 63")
        words = [code.let(f"shl i64 {w}, {shift}") for w in (on, changed)]
        self._touch_words(code.let(f"getelementptr i64, ptr {marks}, i64 {at}"), *words)
        if on != "1":
            back = code.let(f"sub i64 63, {shift}")
            following = [
                code.let(f"lshr i64 {code.let(f'lshr i64 {w}, 1')}, {back}") for w in (on, changed)
            ]
            further = code.fresh_label("k")
            code.branch(code.let(f"icmp ne i64 {following[0]}, 0"), further, then)
            code.block(further)
            after = code.let(f"add i64 {at}, 2")
            self._touch_words(code.let(f"getelementptr i64, ptr {marks}, i64 {after}"), *following)
        code.jump(then)
        code.block(then)

    def _touch_words(self, stored: str, on: str, changed: str) -> None:
        code = self.lanes.code
        accessed = code.let(f"getelementptr i64, ptr {stored}, i64 1")
        stores, accesses = (code.let(f"load i64, ptr {p}") for p in (stored, accessed))
        meet = code.let(f"and i64 {stores}, {on}")
        self.refuse(code.let(f"or i64 {meet}, {code.let(f'and i64 {accesses}, {changed}')}"))
        code.line(f"store i64 {code.let(f'or i64 {stores}, {changed}')}, ptr {stored}")
        code.line(f"store i64 {code.let(f'or i64 {accesses}, {on}')}, ptr {accessed}")

    def _count(self, param: int) -> str:
        """Return how many places a buffer has, an i64."""
        entry = self.lanes.entry
        size = load_slot(entry, param_slot(param, SIZE))
        return entry.let(f"lshr i64 {size}, {self.shift}")

    def _marks(self, param: int) -> str:
        """Return where the marks of a buffer are, a ptr."""
        entry = self.lanes.entry
        slot = load_slot(entry, owners_slot(self._params, param))
        return entry.let(f"inttoptr i64 {slot} to ptr")
