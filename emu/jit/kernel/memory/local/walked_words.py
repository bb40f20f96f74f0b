"""Small elements of group memory that each lane walks along, a word at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ......isa.types import U32, Type
from .....analysis.values.ssa import Op
from ...lane_code import LaneCode
from ..addressing.extent import Extent
from ..moves import Moves
from ..records.row_words import RowWords
from .checks import LocalChecks


class WalkedWords:
    """Emits these loads, of which lanes keep words (records/row_words.py)."""

    def __init__(self, lanes: LaneCode, moves: Moves, checks: LocalChecks) -> None:
        self._lanes, self._checks = lanes, checks
        self._words = RowWords(lanes, moves)

    def walks(self, op: Op) -> bool:
        """Return whether each iteration of a loop loads the next element."""
        return op.ins.row.is_load and self._words.walks(op, None)

    def load(
        self,
        op: Op,
        type_: Type,
        extent: Extent,
        places: Callable[[], Sequence[str]],
        gather: Callable[[], list[str]],
    ) -> list[str]:
        """Load elements at `places`, or by `gather` where not all of a word is inside."""
        lanes = self._lanes

        def words() -> list[str]:
            return self._gathered(type_, places())

        def ahead(count: int) -> tuple[str, Callable[[], list[str]]]:
            span = extent.span() - (count - 1) * extent.size
            if span < 0:
                return "false", words
            aligned = self._checks.is_aligned(op, extent)
            beyond = [
                extent.outside(lanes.code, chunk, span, lanes.n, aligned=aligned)
                for chunk in lanes.vector(extent.base)
            ]
            outside = lanes.any(lanes.combine("and", beyond, lanes.mask))
            return lanes.code.let(f"xor i1 {outside}, true"), words

        return self._words.load(op, type_, ahead, gather)

    def _gathered(self, type_: Type, places: Sequence[str]) -> list[str]:
        """Load the word that begins with each element."""
        lanes = self._lanes
        return [
            lanes.gather(U32.bits, place, mask, "zeroinitializer", type_.size)
            for place, mask in zip(places, lanes.mask, strict=True)
        ]

    def end(self, op: Op) -> None:
        """End a load: if it was emitted in another way, no words are kept."""
        self._words.end(op)
