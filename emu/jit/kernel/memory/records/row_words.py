"""Small elements that each lane walks along, a word at a time.

In `while ((c = text[place++]) != ',')` lanes gather a byte in each iteration. The word that begins
with it has the next three bytes as well: it is kept, and shifted in the next iterations. A gather
takes a dozen cycles, a shift one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ......isa.types import RegClass, Type
from .....analysis.flow.order import Loop
from .....analysis.loops.word_walks import WORD, step_of, walk_of
from .....analysis.values.ssa import Op, Ssa
from ....arithmetic.widths import extended
from ....llvm.text import integer, integer_constant
from ...lane_code import LaneCode
from ..addressing.forms import Form
from ..moves import Moves

_BITS = 8 * WORD


def left_in_words(ssa: Ssa, op: Op) -> str:
    """Return the name of the variable that has how many more elements the words of a load have."""
    return f"left{op.node}_{ssa.ops[op.node].index(op)}"


class RowWords:
    """Emits the loads of small elements of which lanes keep words.

    Lanes that enter a loop set the number of elements that are left to 0 (`Edges`). All lanes that
    are in the loop begin an iteration together, so that they have as many left.
    """

    def __init__(self, lanes: LaneCode, moves: Moves) -> None:
        self._lanes, self._moves = lanes, moves
        self._loops: dict[Op, Loop | None] = {}
        self._kept: Op | None = None
        """The load of which words are kept by the code that was emitted last."""

    def loop_of(self, op: Op) -> Loop | None:
        """Return the loop in which lanes may keep words of a load."""
        if op not in self._loops:
            self._loops[op] = walk_of(self._lanes.ssa, op)
        return self._loops[op]

    def walks(self, op: Op, form: Form | None) -> bool:
        """Return whether each iteration of a loop loads the next element.

        That is so if a load's address, or the index of its form, steps by one element.
        """
        lanes, loop, type_ = self._lanes, self.loop_of(op), op.ins.row.type
        assert type_ is not None
        if loop is None or lanes.is_alone or not self._moves.gathers_words(type_):
            return False
        if loop.number in lanes.copies or lanes.variables.is_in_pass:
            return False
        if form is None:
            return op.base is not None and step_of(loop, op.base) == type_.size
        is_fixed = all(step_of(loop, value) == 0 for value, _ in form.uniform)
        index = form.index
        return (
            is_fixed
            and index is not None
            and form.scale == type_.size
            and index.cls is RegClass.S
            and step_of(loop, index) == 1
        )

    def load(
        self,
        op: Op,
        type_: Type,
        ahead: Callable[[int], tuple[str, Callable[[], list[str]]]],
        gather: Callable[[], list[str]],
    ) -> list[str]:
        """Load elements out of the words that are kept, or out of new ones.

        `ahead` gives whether so many elements are inside in running lanes (an i1), and loads the
        words that begin there. If they are not, `gather` loads the first one.
        """
        lanes, code, variables = self._lanes, self._lanes.code, self._lanes.variables
        n, name, key = lanes.n, left_in_words(lanes.ssa, op), ("words", op)
        t, types = integer(_BITS, n), [integer(_BITS, n)] * lanes.k
        elements = WORD // type_.size
        left = variables.word(name)

        def kept() -> list[str]:
            variables.set_word(name, code.let(f"sub i64 {left}, 1"))
            bits = integer_constant(type_.bits, _BITS, n)
            return [code.let(f"lshr {t} {w}, {bits}") for w in variables.load(key, types)]

        def anew() -> list[str]:
            fits, words = ahead(elements)

            def some() -> list[str]:
                variables.set_word(name, str(elements - 1))
                return words()

            def one() -> list[str]:
                variables.set_word(name, "0")
                return gather()

            return self._moves.either_way(fits, some, one, RegClass.S, n)

        has = code.let(f"icmp ne i64 {left}, 0")
        words = self._moves.either_way(has, kept, anew, RegClass.S, n)
        variables.store(key, types, words)
        self._kept = op
        return self._elements(type_, words)

    def _elements(self, type_: Type, words: Sequence[str]) -> list[str]:
        code, n = self._lanes.code, self._lanes.n
        wide, small = integer(_BITS, n), integer(type_.bits, n)
        raw = [code.let(f"trunc {wide} {word} to {small}") for word in words]
        return [extended(code, r, type_, n) for r in raw]

    def end(self, op: Op) -> None:
        """End a load: if it was emitted in another way, no words are kept."""
        if self._kept is not op and self.loop_of(op) is not None:
            self._lanes.variables.set_word(left_in_words(self._lanes.ssa, op), "0")
        self._kept = None
