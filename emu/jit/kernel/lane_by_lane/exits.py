"""The nodes at which lanes wait after they have run a loop one by one, and what they bring."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .....isa.types import RegClass
from ....analysis.flow.order import Loop
from ....analysis.lanes.sparse import ways_out
from ....analysis.values.ssa import Phi
from ...llvm.text import register_type
from ..control.edges import Edges
from .cells import LaneCells


@dataclass
class _Exit:
    """A node at which lanes wait after the loop."""

    word: str
    """Where the mask of the lanes that have arrived is kept, a ptr."""
    brought: dict[Phi, tuple[object, str]] = field(default_factory=dict)
    """Phi -> its variable, and where each lane's value is kept meanwhile (a ptr)."""


class LaneExits:
    """Keeps the results of the lanes of a loop until all of them have left it."""

    def __init__(self, edges: Edges, loop: Loop, cells: LaneCells) -> None:
        """Append what prepares the exits, before the loop."""
        self._edges, self._lanes, self._loop, self._cells = edges, edges.lanes, loop, cells
        self._code = edges.lanes.code
        self._exits: dict[int, _Exit] = {}
        for source, target in ways_out(self._lanes.flow, loop):
            self._prepare(source, target)

    def _prepare(self, source: int, target: int) -> None:
        lanes = self._lanes
        way = lanes.flow.route(source, target)
        if way not in self._exits:
            self._exits[way] = _Exit(lanes.entry.let("alloca i64"))
            self._code.line(f"store i64 0, ptr {self._exits[way].word}")
        for phi in lanes.ssa.phis.get(target, ()):
            ((part, types),) = lanes.parts(phi)
            key = (phi, part) if way == target else (phi, part, "next")
            scalar = lanes.shapes.stride(phi) is not None
            cells = lanes.entry.let(f"alloca {types[0]}") if scalar else self._cells.new(phi.cls)
            self._exits[way].brought.setdefault(phi, (key, cells))

    def leave(self, way: int, values: Iterable[tuple[Phi, str]], lane: str) -> None:
        """Keep what a lane, an i64, brings to the node at which it waits."""
        code, exit_ = self._code, self._exits[way]
        for phi, value in values:
            self._bring(phi, exit_.brought[phi][1], value, lane)
        if len(self._exits) > 1:
            here = code.let(f"shl i64 1, {lane}")
            others = code.let(f"load i64, ptr {exit_.word}")
            code.line(f"store i64 {code.let(f'or i64 {others}, {here}')}, ptr {exit_.word}")

    def leave_together(self, values: Mapping[Phi, Sequence[str]]) -> None:
        """Keep what all lanes bring to the only node at which they wait, each its own."""
        (exit_,) = self._exits.values()
        for phi, chunks in values.items():
            self._cells.store_all(phi.cls, exit_.brought[phi][1], chunks)

    def _bring(self, phi: Phi, cells: str, value: str, lane: str) -> None:
        code, step = self._code, self._lanes.shapes.stride(phi)
        if step is None:
            self._cells.store(phi.cls, cells, lane, value)
            return
        # All lanes leave together with one scalar, or with one from which they are counted.
        type_ = register_type(phi.cls, 0)
        if step:
            number = lane if phi.cls is RegClass.D else code.let(f"trunc i64 {lane} to i32")
            value = code.let(f"sub {type_} {value}, {code.let(f'mul {type_} {number}, {step}')}")
        code.line(f"store {type_} {value}, ptr {cells}")

    def rejoin(self) -> None:
        """Let all lanes wait after the loop, and jump to the node that runs next."""
        lanes, code, edges = self._lanes, self._code, self._edges
        waits = edges.plan.waits[self._loop.header]
        lanes.local.clear()
        for way, exit_ in self._exits.items():
            chunks = lanes.mask
            if len(self._exits) > 1:
                chunks = lanes.chunks(code.let(f"load i64, ptr {exit_.word}"))
            spared = chunks if way in waits else None
            for phi, (key, cells) in exit_.brought.items():
                ((_, types),) = lanes.parts(phi)
                values = (
                    self._cells.vector(phi.cls, cells)
                    if lanes.shapes.stride(phi) is None
                    else [code.let(f"load {types[0]}, ptr {cells}")]
                )
                lanes.copy(key, types, values, spared)
            edges.wait_at(way, chunks, others_wait=way in waits)
        edges.end_node(self._loop.header, *self._exits)
