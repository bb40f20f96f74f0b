"""What a loop of lanes one by one takes from the warp's vectors, and each lane's part of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .....isa.types import RegClass
from ....analysis.flow.order import Loop
from ....analysis.lanes.sparse import taken_in
from ....analysis.values.ssa import Const, Op, Phi, Value, same_value, uses
from ....analysis.warps.uniformity import OneLane
from ...llvm.text import constant, register_type
from ..lane_code import LANE, LaneCode
from ..variables import Variables
from .cells import LaneCells, cell_type

NEXT_LANE = "next lane"
"""The variable of the lane whose turn is next."""

MOST_AHEAD = 4
"""Most values of the next lane that are loaded while one lane runs."""


class LaneValues:
    """The values of a loop from outside, the phis of its header among them."""

    def __init__(self, lanes: LaneCode, loop: Loop, cells: LaneCells, *, has_both: bool) -> None:
        """Append what puts vectors into cells, before the loop.

        `has_both`: lanes may have run some iterations together.
        """
        self._lanes, self._loop, self._cells, self._has_both = lanes, loop, cells, has_both
        self._in_cells: set[Value] = set()
        needed = sorted(taken_in(lanes.ssa, loop), key=lanes.table.position)
        self._sources = {value: self._spill(value) for value in needed}
        """Where each lane finds its own value: a ptr to cells, or a scalar if it needs none."""
        self._kept: list[Value] = []
        """Those that a lane brings along to the version with cold sides, in variables."""
        self._ahead = self._loaded_early()
        """The values, and their cells, that are loaded for a lane while one before it runs."""

    def _spill(self, value: Value) -> str:
        lanes = self._lanes
        if lanes.shapes.is_uniform(value):
            return lanes.scalar(value)
        if lanes.is_counted(value):
            return lanes.lane0(value)
        constant_ = self._constant_of(value)
        if constant_ is not None:
            return constant_
        self._in_cells.add(value)
        return self._cells.spill(value)

    def _constant_of(self, value: Value) -> str | None:
        """Return the constant that a phi of the header has when lanes enter; None without one."""
        loop = self._loop
        if not isinstance(value, Phi) or value.node != loop.header or self._has_both:
            return None
        brought = [a for n, a in value.args.items() if n not in loop.nodes]
        first = brought[0]
        if not isinstance(first, Const) or len({same_value(a) for a in brought}) > 1:
            return None
        return constant(value.cls, first.bits, 0)

    def _loaded_early(self) -> dict[Value, str]:
        """Return some values and their cells.

        Those that decide branches come first. Where there are loops inside, registers are scarce:
        these values would be stored, and loaded once more.
        """
        ssa = self._lanes.ssa
        if not ssa.flow.is_innermost(self._loop):
            return {}
        first = set(ssa.phis.get(self._loop.header, ()))
        for number in self._loop.nodes:
            condition = ssa.conditions.get(number)
            if isinstance(condition, Op):
                first |= uses(condition)
        kept = [value for value in self._sources if value in self._in_cells]
        kept.sort(key=lambda value: value not in first)
        return {value: self._sources[value] for value in kept[:MOST_AHEAD]}

    def load_ahead(self, one: Variables, remaining: str) -> None:
        """Find the next of the `remaining` lanes (a ptr), and load what it needs.

        The branch that ends a lane's loop is often mispredicted. What follows it should not have to
        wait for these loads as well.
        """
        code = self._lanes.code
        left = code.let(f"load i64, ptr {remaining}")
        lane = code.call("i64", "llvm.cttz.i64", f"i64 {left}", "i1 false")
        one.set_word(NEXT_LANE, lane)
        for value, cells in self._ahead.items():
            own = self._cells.load(value.cls, cells, lane)
            one.store((value, "ahead"), [cell_type(value.cls)], [own])

    def loaded_ahead(self, one: Variables) -> dict[Value, str]:
        """Return what was loaded for the lane that begins."""
        return {v: one.load((v, "ahead"), [cell_type(v.cls)])[0] for v in self._ahead}

    def of_lane(self, lane: str, known: dict[Value, str]) -> Iterator[tuple[Value, str]]:
        """Yield the operands of a lane, an i64; what is `known` has been loaded from its cell."""
        for value in self._sources:
            loaded = known.get(value)
            yield value, self._own(value, lane) if loaded is None else self._loaded(value, loaded)

    def keep(self, one: LaneCode, value: Value, own: str, *, resumes: bool) -> None:
        """Let a lane have its `own` value from outside of the loop.

        It brings it along, in a variable, if it `resumes` in the version with cold sides.
        """
        one.outside[value] = own
        if resumes and value not in self._kept:
            self._kept.append(value)
        if value in self._kept:
            one.variables.store((value, "outside"), [register_type(value.cls, 0)], [own])

    def resume(self, one: LaneCode) -> str:
        """Find what is known of a lane that may come from another version; return the lane."""
        lane = one.variables.word(LANE)
        for value in self._kept:
            types = [register_type(value.cls, 0)]
            (one.outside[value],) = one.variables.load((value, "outside"), types)
        return lane

    def _loaded(self, value: Value, own: str) -> str:
        return self._lanes.code.let(f"trunc i8 {own} to i1") if value.cls is RegClass.C else own

    def _own(self, value: Op | Phi, lane: str) -> str:
        lanes, code, cls, source = self._lanes, self._lanes.code, value.cls, self._sources[value]
        if value not in self._in_cells and not lanes.is_counted(value):
            return source
        if lanes.is_counted(value):
            type_, step = register_type(cls, 0), lanes.shapes.stride(value) or 0
            number = lane if cls is RegClass.D else code.let(f"trunc i64 {lane} to i32")
            return code.let(f"add {type_} {source}, {code.let(f'mul {type_} {number}, {step}')}")
        return self._loaded(value, self._cells.load(cls, source, lane))


def code_of_lane(lanes: LaneCode) -> LaneCode:
    """Return what emits the code of the lane whose turn it is, beside that of its warp."""

    def report(lane: str) -> None:
        # Code that reports may be shared by both versions of the loop.
        (place,) = variables.places(LANE, ["i64"])
        running = lanes.code.let(f"load i64, ptr {place}")
        lanes.report(lanes.code.let(f"add i64 {lane}, {running}"))

    variables = Variables(lanes.entry, lanes.code)
    variables.share_word("budget", lanes.variables)
    facts = replace(lanes.facts, width=1)
    one = LaneCode(variables, lanes.table, OneLane(lanes.ssa), facts, lanes.width, report)
    one.charges = lanes.charges
    one.mask = ["splat (i1 true)"]
    return one
