"""The loop over workgroups: along the rows of the grid, or down in strips of rows.

The flat numbers of workgroups go along rows, and a call is for a range of them. In strips
(analysis/workgroup_steps.py), a call for whole rows goes down the columns of `STRIP` rows at a
time, and leaves in `Slot.STRIP_ROW` where the strip of a trap begins: runtime/strips.py then finds
the lowest workgroup that traps.
"""

from __future__ import annotations

from ....analysis.warps.uniformity import Shapes
from ....analysis.workgroup_steps import Strips, Terms, strips_of
from ...llvm.function_text import ENTRY, FunctionText
from ...runtime.context import Slot
from ..context_code import load_slot, load_slot_32, store_slot
from ..lane_code import POSITION
from .identity import GROUP

STRIP = 32
"""Rows of workgroups that one column after the other goes down."""

HEAD, BODY, NEXT, FINISHED, TRAPPED = (
    "group_head",
    "group_body",
    "group_next",
    "finished",
    "trapped",
)
"""Blocks of the loop over workgroups, and those after it."""

BELOW, BESIDE = "group_below", "group_beside"
"""Blocks that end it in strips: before a workgroup of the same column, or of the next one."""


class InRows:
    """workgroupid of the running workgroup, counted on from that of the first one of a call."""

    def __init__(self, entry: FunctionText) -> None:
        """Append the division that finds the first one, to the lines that run once per call."""
        self._entry = entry
        flat = entry.let("trunc i64 %first to i32")
        self._counts = [
            entry.intrinsic("llvm.umax", "i32", f"i32 {load_slot_32(entry, slot)}", "i32 1")
            for slot in (Slot.GROUPS_X, Slot.GROUPS_Y)
        ]
        gx, gy = self._counts
        self._row = entry.let(f"udiv i32 {flat}, {gx}")
        self._first = (
            entry.let(f"urem i32 {flat}, {gx}"),
            entry.let(f"urem i32 {self._row}, {gy}"),
            entry.let(f"udiv i32 {self._row}, {gy}"),
        )

    def head(self, code: FunctionText) -> None:
        """Append the head of the loop; the code of a workgroup follows."""
        code.block(HEAD)
        code.phi("i64", ("%first", ENTRY), ("%g.next", NEXT), name=GROUP)
        for name, first in zip(POSITION, self._first, strict=True):
            code.phi("i32", (first, ENTRY), (f"{name}.next", NEXT), name=name)
        self._more(code, GROUP)

    def _more(self, code: FunctionText, turn: str) -> None:
        code.let(f"icmp ult i64 {turn}, %last", "%g.more")
        code.branch("%g.more", BODY, FINISHED)
        code.block(BODY)

    def next(self, code: FunctionText) -> None:
        """Append the end of the loop, and the block where a trap ends the call."""
        code.block(NEXT)
        code.let(f"add i64 {GROUP}, 1", "%g.next")
        x, y, z = POSITION
        more = code.let(f"add i32 {x}, 1")
        for name, count, following in ((x, self._counts[0], y), (y, self._counts[1], z)):
            ends = code.let(f"icmp eq i32 {more}, {count}")
            code.let(f"select i1 {ends}, i32 0, i32 {more}", f"{name}.next")
            more = code.let(f"add i32 {following}, {code.let(f'zext i1 {ends} to i32')}")
        code.let(f"add i32 {more}, 0", f"{z}.next")
        code.jump(HEAD)
        code.block(TRAPPED)
        code.ret("i32", 1)


class InStrips(InRows):
    """The same, down the columns of strips where a call is for whole rows."""

    def __init__(self, entry: FunctionText, strips: Strips) -> None:
        super().__init__(entry)
        gx = self._counts[0]
        last = entry.let("trunc i64 %last to i32")
        rest = entry.let(f"or i32 {self._first[0]}, {entry.let(f'urem i32 {last}, {gx}')}")
        wanted = entry.let(f"icmp eq i32 {rest}, 0")
        if strips.conflict > 1:
            apart = entry.let(f"and i64 {sum_of(entry, strips.apart)}, {strips.conflict - 1}")
            is_multiple = entry.let(f"icmp eq i64 {apart}, 0")
            wanted = entry.let(f"and i1 {wanted}, {is_multiple}")
        self._height = entry.let(f"select i1 {wanted}, i32 {STRIP}, i32 1")
        before = entry.let(f"add i32 {last}, {entry.let(f'sub i32 {gx}, 1')}")
        self._end = entry.let(f"udiv i32 {before}, {gx}")

    def head(self, code: FunctionText) -> None:
        """Append the head of the loop; the code of a workgroup follows."""
        x, y, z = POSITION
        code.block(HEAD)
        code.phi("i64", ("%first", ENTRY), ("%g.next", BELOW), ("%g.next", BESIDE), name="%g.turn")
        (first_x, first_y, first_z), row = self._first, self._row
        for name, first, below, beside in (
            (x, first_x, x, "%g.x.next"),
            (y, first_y, "%g.y.next", "%g.top.y.next"),
            (z, first_z, "%g.z.next", "%g.top.z.next"),
            ("%g.row", row, "%g.row.next", "%g.top.next"),
            ("%g.top", row, "%g.top", "%g.top.next"),
            ("%g.top.y", first_y, "%g.top.y", "%g.top.y.next"),
            ("%g.top.z", first_z, "%g.top.z", "%g.top.z.next"),
        ):
            code.phi("i32", (first, ENTRY), (below, BELOW), (beside, BESIDE), name=name)
        self._more(code, "%g.turn")
        row, wide, at = (code.let(f"zext i32 {v} to i64") for v in ("%g.row", self._counts[0], x))
        code.let(f"add i64 {code.let(f'mul i64 {row}, {wide}')}, {at}", GROUP)

    def next(self, code: FunctionText) -> None:
        """Append the end of the loop, and the block where a trap ends the call."""
        (gx, gy), (x, y, z) = self._counts, POSITION
        code.block(NEXT)
        code.let("add i64 %g.turn, 1", "%g.next")
        end = code.let(f"add i32 %g.top, {self._height}")
        end = code.intrinsic("llvm.umin", "i32", f"i32 {end}", f"i32 {self._end}")
        code.let("add i32 %g.row, 1", "%g.row.next")
        more = code.let(f"add i32 {y}, 1")
        wraps = code.let(f"icmp eq i32 {more}, {gy}")
        code.let(f"select i1 {wraps}, i32 0, i32 {more}", "%g.y.next")
        code.let(f"add i32 {z}, {code.let(f'zext i1 {wraps} to i32')}", "%g.z.next")
        code.branch(code.let(f"icmp ult i32 %g.row.next, {end}"), BELOW, BESIDE)
        code.block(BELOW)
        code.jump(HEAD)
        code.block(BESIDE)
        # After the last column the row below is the next strip's first one.
        column = code.let(f"add i32 {x}, 1")
        is_over = code.let(f"icmp eq i32 {column}, {gx}")
        code.let(f"select i1 {is_over}, i32 0, i32 {column}", "%g.x.next")
        for top, following in (
            ("%g.top", "%g.row.next"),
            ("%g.top.y", "%g.y.next"),
            ("%g.top.z", "%g.z.next"),
        ):
            code.let(f"select i1 {is_over}, i32 {following}, i32 {top}", f"{top}.next")
        code.jump(HEAD)
        code.block(TRAPPED)
        store_slot(code, Slot.STRIP_ROW, code.let("zext i32 %g.top to i64"))
        code.ret("i32", 1)


def group_order(entry: FunctionText, shapes: Shapes) -> InRows:
    """Return the loop over the workgroups of a call; `entry` are lines that run once per call."""
    strips = strips_of(shapes.ssa, shapes.facts) if shapes.facts.strips else None
    return InRows(entry) if strips is None else InStrips(entry, strips)


def sum_of(entry: FunctionText, terms: Terms) -> str:
    """Return a sum of products of arguments, an i64."""
    block = entry.let(f"inttoptr i64 {load_slot(entry, Slot.KERNARG)} to ptr")
    total = "0"
    for product, factor in terms.items():
        value = str(factor)
        for offset, bits in product:
            place = entry.let(f"getelementptr i8, ptr {block}, i64 {offset}")
            argument = entry.let(f"load i{bits}, ptr {place}")
            if bits < 64:
                argument = entry.let(f"zext i{bits} {argument} to i64")
            value = entry.let(f"mul i64 {argument}, {value}")
        total = entry.let(f"add i64 {total}, {value}")
    return total
