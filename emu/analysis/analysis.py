"""The analyses of a kernel, each made once and shared by all that ask for it."""

from __future__ import annotations

from functools import cached_property

from ...isa.instruction import Instruction
from ...isa.program import Kernel
from ..recent import Recent
from .facts import Facts
from .flow import order
from .flow.order import Flow, Node
from .lanes.lane_plan import LanePlan
from .loops.copies import copied
from .loops.decided_loops import decided
from .loops.merging import to_merge
from .loops.short_loops import MOST_ITERATIONS, short_loops
from .loops.unrolled import unrolled
from .loops.walks import split, walks_of
from .values import construction
from .values.folding import fold
from .values.reloads import may_reload, reloads_of, remove_reloads
from .values.ssa import Ssa
from .warps.uniformity import Shapes

MOST_NESTED = 4
"""Loops of a nest in which pointers are split: inner ones begin with those of outer ones."""


class Analysis:
    """What is known about a kernel's code; each pass runs when it is first asked for."""

    def __init__(
        self, code: tuple[Instruction, ...], private_bytes: int = 0, tables: bytes = b""
    ) -> None:
        self._code = code
        self._private_bytes = private_bytes
        self._tables = tables
        self._shapes: dict[Facts, Shapes] = {}
        self._plans: dict[Facts, LanePlan] = {}

    @cached_property
    def flow(self) -> Flow:
        """The nodes in their linear order, and the loops."""
        nodes, _ = self._copied
        flow = order.rearranged(self._code, nodes)
        pairs = to_merge(self._code, flow)
        return order.rearranged(self._code, nodes, pairs) if pairs else flow

    @cached_property
    def _copied(self) -> tuple[list[Node], bool]:
        """The nodes, with loops copied for each iteration, and whether some along rows are."""
        flow = order.build(self._code)
        if self._private_bytes:
            found = unrolled(self._code, flow, self._private_bytes, self._tables)
            if found is not None:
                return found, False
        straight = decided(self._code, flow, self._tables)
        if straight is not None:
            return straight, False
        short, along_rows = short_loops(self._code, flow)
        nodes = copied(self._code, flow, short, MOST_ITERATIONS, self._tables)
        # Those that cannot be copied are no longer in it.
        return nodes, nodes is not flow.nodes and not along_rows.isdisjoint(short)

    @property
    def copies_rows(self) -> bool:
        """Whether loops along rows have copies, whose loads may share vectors."""
        return self._copied[1]

    @cached_property
    def ssa(self) -> Ssa:
        """The registers of one work-item as values."""
        return self._values()

    @cached_property
    def nested(self) -> Ssa:
        """The values if no loops are merged: with the loops of the source."""
        if not any(loop.is_merged for loop in self.flow.loops):
            return self.ssa
        return construction.build(self._code, order.build(self._code))

    def _values(self) -> Ssa:
        """Return the values anew: passes may change them."""
        form = construction.build(self._code, self.flow)
        fold(form)
        return form

    @cached_property
    def generated(self) -> Ssa:
        """The values that code is generated for: a node loads no element twice."""
        if not may_reload(self._code) or not reloads_of(self.ssa):
            return self.ssa
        form = self._values()
        remove_reloads(form)
        return form

    def _generated_anew(self) -> Ssa:
        """Return these values anew: passes may change them."""
        form = self._values()
        if self.generated is not self.ssa:
            remove_reloads(form)
        return form

    def shapes(self, facts: Facts) -> Shapes:
        """Return which values are uniform or step from lane to lane, for launches of a shape."""
        if facts not in self._shapes:
            self._shapes[facts] = self._with_walks(Shapes(self.generated, facts))
        return self._shapes[facts]

    def _with_walks(self, shapes: Shapes) -> Shapes:
        """Return the shapes of the code in which pointers that loops step have a step of lanes."""
        for _ in range(MOST_NESTED):
            walks = walks_of(shapes)
            if not walks:
                break
            apart = shapes.ssa
            if apart is self.generated:
                apart = self._generated_anew()
            split(apart, walks)
            shapes = Shapes(apart, shapes.facts)
        return shapes

    def lane_plan(self, facts: Facts) -> LanePlan:
        """Return where lanes wait and which masks nodes have, for launches of a shape."""
        if facts not in self._plans:
            self._plans[facts] = LanePlan(self.shapes(facts))
        return self._plans[facts]


def analyse(kernel: Kernel) -> Analysis:
    """Return the analysis of a kernel: the same one for kernels with the same key, for a while.

    A cold launch asks several times: whether the interpreter must run the kernel, which width its
    warps have, and for its code.
    """
    found = _LATEST.find(kernel.key)
    return found or _LATEST.keep(
        kernel.key, Analysis(kernel.instructions, kernel.private_size, kernel.tables)
    )


KEPT = 4
"""Kernels of which analyses are kept: they take much more room than their results."""

_LATEST: Recent[tuple[object, ...], Analysis] = Recent(KEPT)
