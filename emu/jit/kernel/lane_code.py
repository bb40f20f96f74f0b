"""The code of one warp or one lane: operands of values, masks, and traps.

A value that another node uses is kept in a variable, so linearised control flow needs no repair of
dominance. A uniform value is a scalar. For a value with a stride the variable has the scalar of
lane 0, from which the other lanes are counted; for one with a stride within pieces of the warp
alone, the scalar of each piece's first lane.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ....isa.types import F32, F64, RegClass, mask_of
from ...analysis.facts import Facts
from ...analysis.flow.charges import Charges
from ...analysis.values.ssa import Const, Op, Phi, Value
from ...analysis.warps.uniformity import LaneShapes, OneLane
from ..arithmetic import emit as alu
from ..llvm.rare import RareLanes
from ..llvm.text import constant, integer, register_type
from ..llvm.vectors import Chunks, VectorCode
from ..runtime.context import Slot, TrapCode
from .context_code import store_slot
from .flag_ranks import FlagRanks
from .value_table import ValueTable
from .variables import Variables

LANE = "lane"
"""The variable that has the number of the lane that runs alone."""


def vectors_of(facts: Facts) -> tuple[int, int]:
    """Return (lanes of a vector, vectors of a value)."""
    n = facts.chunk if facts.width % facts.chunk == 0 else facts.width
    return n, facts.width // n


def pieces_of(facts: Facts) -> tuple[int, int]:
    """Return (lanes of a piece, pieces of a warp); vectors are pieces if there are none."""
    return (facts.piece, facts.width // facts.piece) if facts.piece else vectors_of(facts)


POSITION = ("%g.x", "%g.y", "%g.z")
"""workgroupid of the running workgroup, i32."""


class LaneCode(VectorCode):
    """The operands, masks and traps of the running lanes, for all code of a kernel.

    `report(lane)` writes into the context block which lane (an i64) has trapped. `width` is that
    of the warp, also where the code is for one of its lanes.
    """

    def __init__(
        self,
        variables: Variables,
        table: ValueTable,
        shapes: LaneShapes,
        facts: Facts,
        width: int,
        report: Callable[[str], None],
    ) -> None:
        super().__init__(variables.code, *vectors_of(facts))
        self.variables = variables
        variables.floats = table.float_phis
        self.table = table
        self.shapes = shapes
        self.facts = facts
        self.width = width
        self.report = report
        self.entry = variables.entry
        """The lines that are computed once per call."""
        self.ssa = shapes.ssa
        self.flow = shapes.ssa.flow
        self.pieces = VectorCode(self.code, *pieces_of(facts))
        """The code of vectors that are pieces of a warp."""
        self.charges = Charges({}, {}, {})
        """What lanes are charged in loops; set by `Nodes`."""
        self.charges_by_helper = False
        """Whether a helper charges work-items that have spent half of their budget."""
        self.copies: Mapping[int, int] = {}
        """Loop number -> the copy of the loop that is being written."""
        self.mask: Chunks = []
        """The running lanes."""
        self.one_lane: int | None = None
        """The node that is being written, if a variable has the only lane that runs it."""
        self.most, self._most_pieces = self.k, self.pieces.k
        """The vectors of all lanes of the warp."""
        self.local: dict[tuple[Value, str], list[str]] = {}
        """Operands that are known in the block that is being written."""
        self.rare = RareLanes(self)
        """Replaces what is wrong in lanes that hardly ever occur."""
        self._leaving = ""
        """The label of the block that ends the launch after a trap."""
        self.unread: frozenset[Value] = frozenset()
        """Values that nothing reads in this version of the code."""
        self.ranks = FlagRanks(self, variables)
        """Values that are counts of bits."""
        self.outside: dict[Value, str] = {}
        """Operands that are known in all blocks, whatever part is asked for."""
        self.otherwise = ""
        """The label of code that does the same with all cold sides, in code without them."""
        self.notes_failures = False
        """Whether the code continues where a test has failed, which is asked for later."""

    def use_vectors(self, count: int) -> None:
        """Compute with the first vectors only: no lane of the others may run."""
        self.k = count
        self.pieces.k = self._most_pieces * count // self.most

    def rely_on(self, holds: str, undo: Callable[[], None] = lambda: None) -> None:
        """Continue if a condition (an i1) holds, in code without cold sides; else at `otherwise`.

        `undo` emits what is to be done before that.
        """
        code = self.code
        fails, go = code.fresh_label("o"), code.fresh_label("o")
        code.branch(code.let(f"xor i1 {holds}, true"), fails, go, rarely=True)
        code.block(fails)
        # LLVM would take two jumps to one place for one, and put their conditions together.
        code.line('call void asm sideeffect "", ""()')
        undo()
        code.jump(self.otherwise)
        code.block(go)

    @property
    def is_alone(self) -> bool:
        """Whether the code is for one lane of a warp, whose number is the word `LANE`."""
        return isinstance(self.shapes, OneLane)

    @property
    def count(self) -> int:
        """The lanes of the vectors that are computed."""
        return self.n * self.k

    @property
    def word_type(self) -> str:
        """The type of a mask as one integer, also where not all vectors are computed."""
        return f"i{max(64, self.n * self.most)}"

    def all_masks(self, chunks: Sequence[str]) -> Chunks:
        """Return a mask with the vectors that are not computed, of which no lane is on."""
        return [*chunks, *["zeroinitializer"] * (self.most - len(chunks))]

    def store_mask(self, cells: str) -> None:
        """Store which lanes run to cells, a bit for each lane of the warp."""
        for at, chunk in enumerate(self.all_masks(self.mask)):
            place = self.code.let(f"getelementptr i{self.n}, ptr {cells}, i64 {at}")
            bits = self.code.let(f"bitcast {self.mask_type} {chunk} to i{self.n}")
            self.code.line(f"store i{self.n} {bits}, ptr {place}")

    # --- values

    def types_of(self, cls: RegClass, uniform: bool) -> list[str]:
        """Return the LLVM types of a value: one scalar, or the chunks."""
        return [register_type(cls, 0)] if uniform else [register_type(cls, self.n)] * self.k

    def parts(self, value: Value) -> list[tuple[str, list[str]]]:
        """Return (part, types) of a value's variables; a value with a stride has lane 0 alone."""
        if self.is_counted(value):
            return [("lane0", self.types_of(value.cls, True))]
        if self.is_pieced(value):
            return [("firsts", self._types_of_firsts(value.cls))]
        return [("value", self.types_of(value.cls, self.shapes.is_uniform(value)))]

    def scalar(self, value: Value) -> str:
        """Return the operand of a uniform value."""
        if isinstance(value, Const):
            return constant(value.cls, value.bits, 0)
        assert self.shapes.is_uniform(value)
        return self._get(value, "value")[0]

    def vector(self, value: Value) -> list[str]:
        """Return the operands of a value, chunk by chunk; a uniform one is in all lanes."""
        if isinstance(value, Const):
            return [constant(value.cls, value.bits, self.n)] * self.k
        if not self.shapes.is_uniform(value):
            return self._get(value, "value")
        known = self.local.get((value, "spread"))
        if known is None:
            known = self.spread(value.cls.bits, self.scalar(value))
            self.local[value, "spread"] = known
        return known

    def vector_again(self, value: Value) -> list[str]:
        """Return the operands of an integer for the cold side, made anew where they are counted.

        LLVM would else make them where the value is computed, if several cold sides need them.
        """
        if not self.is_pieced(value) or isinstance(value, Const):
            return self.vector(value)
        t = register_type(value.cls, 0)
        firsts = [self.code.let(f"freeze {t} {first}") for first in self.firsts(value)]
        step = self.shapes.piece_stride(value) or 0
        return self.from_firsts(value.cls.bits, self.pieces.n, firsts, step)

    def lane0(self, value: Value) -> str:
        """Return the scalar that a value with a stride has (or would have) in lane 0."""
        if isinstance(value, Const):
            return constant(value.cls, value.bits, 0)
        if self.shapes.is_uniform(value):
            return self.scalar(value)
        return self.firsts(value)[0] if self.is_pieced(value) else self._get(value, "lane0")[0]

    def extracted0(self, value: Value) -> str:
        """Return what a 32-bit value has in lane 0, which need not run, whatever its shape."""
        if self.shapes.is_uniform(value) or self.is_counted(value) or self.is_pieced(value):
            return self.lane0(value)
        chunk = self.vector(value)[0]
        return self.code.let(f"extractelement {integer(32, self.n)} {chunk}, i32 0")

    def firsts(self, value: Value) -> list[str]:
        """Return the scalars of the first lanes of all pieces; for values with a stride in them."""
        if self.is_pieced(value):
            return self._get(value, "firsts")
        first = self.lane0(value)
        if isinstance(value, Const) or not self.is_counted(value):
            return [first] * self.pieces.k
        step, t = self.shapes.stride(value) or 0, register_type(value.cls, 0)
        return [
            self.code.let(f"add {t} {first}, {j * self.pieces.n * step & mask_of(value.cls.bits)}")
            if j
            else first
            for j in range(self.pieces.k)
        ]

    def _get(self, value: Value, part: str) -> list[str]:
        if value in self.outside:
            return [self.outside[value]]
        known = self.local.get((value, part))
        if known is None:
            if value in self.ranks.found and not self.is_alone:
                known = self.ranks.value(value, self.k, self.most)
            elif part == "value" and self.is_counted(value):
                known = self._counted(value)
            elif part == "value" and self.is_pieced(value):
                step = self.shapes.piece_stride(value) or 0
                known = self.from_firsts(value.cls.bits, self.pieces.n, self.firsts(value), step)
            elif part == "firsts":
                types = self._types_of_firsts(value.cls)
                known = self.variables.load((value, part), types)
            else:
                uniform = part == "lane0" or self.shapes.is_uniform(value)
                known = self.variables.load((value, part), self.types_of(value.cls, uniform))
            self.local[value, part] = known
        return known

    def is_counted(self, value: Value) -> bool:
        """Return whether other nodes get a value's lanes by counting from its lane 0."""
        return not self.shapes.is_uniform(value) and self.shapes.stride(value) is not None

    def _counted(self, value: Value) -> list[str]:
        step = self.shapes.stride(value)
        assert step is not None
        code, bits, type_ = self.code, value.cls.bits, register_type(value.cls, self.n)
        base = self.chunk_of(bits, self.lane0(value))
        chunks = []
        for j in range(self.k):
            steps = (step * (j * self.n + i) & mask_of(bits) for i in range(self.n))
            apart = ", ".join(f"i{bits} {s}" for s in steps)
            chunks.append(code.let(f"add {type_} {base}, <{apart}>"))
        return chunks

    def is_pieced(self, value: Value) -> bool:
        """Return whether other nodes get a value's lanes by counting from the first of each piece.

        That is a value with a stride within pieces of the warp, and none across them.
        """
        shapes = self.shapes
        return shapes.stride(value) is None and shapes.piece_stride(value) is not None

    def _types_of_firsts(self, cls: RegClass) -> list[str]:
        return [register_type(cls, 0)] * self.pieces.k

    def define(self, op: Op, part: str, operands: list[str]) -> None:
        """Set a value (or its lane 0, or its first lanes) where it is computed."""
        self.local[op, part] = operands
        if op in self.table.crossing:
            for kept, types in self.parts(op):
                if kept == part:
                    self.variables.store((op, part), types, operands)

    def copy(
        self, key: object, types: Sequence[str], values: list[str], lanes: Sequence[str] | None
    ) -> None:
        """Set a variable, in all lanes unless `lanes` says in which."""
        if lanes is not None and types[0].startswith("<"):
            values = self.chosen(lanes, types, values, self.variables.load(key, types))
        self.variables.store(key, types, values)

    def chosen(
        self, lanes: Sequence[str], types: Sequence[str], values: list[str], others: list[str]
    ) -> list[str]:
        """Return vectors that have values in some lanes, and others in all other lanes."""
        return [
            self.code.let(f"select {self.mask_type} {m}, {t} {v}, {t} {o}")
            for m, t, v, o in zip(lanes, types, values, others, strict=True)
        ]

    def observed(self, value: Value, operands: list[str], n: int) -> list[str]:
        """Return operands of a value with canonical NaNs, for where its bits can be seen."""
        if value not in self.table.noncanonical:
            return operands
        type_ = F64 if value.cls is RegClass.D else F32

        def canonical() -> list[str]:
            return [alu.canonical(self.code, type_, o, n) for o in operands]

        # Of f64 each operand has more registers than one, which the branch in a loop would spill.
        pays = type_ is F32 or not self.ssa.flow.loops
        if n and pays and self.rare.may_test():
            # In one warp a workgroup, LLVM often knows which lanes run.
            running = self.mask if self.facts.one_warp else None
            return self.rare.without_nans(operands, canonical, type_.bits, running)
        return canonical()

    def stored(self, op: Op, operands: list[str], n: int) -> list[str]:
        """Return operands of what an op stores; NaNs are canonical where bits can be seen."""
        if op in self.table.unseen_stores:
            return operands
        return self.observed(op.args[0], operands, n)

    def incoming(self, phi: Phi | Op, value: Value, part: str) -> list[str]:
        """Return what a phi or copy gets from a value, as the operands of one of its parts."""
        if part == "lane0":
            return [self.lane0(value)]
        if part == "firsts":
            return self.firsts(value)
        if self.shapes.is_uniform(phi):
            operands, n = [self.scalar(value)], 0
        else:
            operands, n = self.vector(value), self.n
        if phi in self.table.noncanonical:
            return operands
        return self.observed(value, operands, n)

    # --- lanes as bits of an integer of `word_type`

    def running(self) -> str:
        """Return the running lanes."""
        return self.word(self.mask)

    def all_run(self) -> str:
        """Return whether all lanes run, an i1."""
        return self.code.let(f"icmp eq {self.word_type} {self.running()}, {(1 << self.width) - 1}")

    def lowest(self, word: str) -> str:
        """Return the number of the lowest of some lanes, an i64; the mask's width if none."""
        return self._counted_bits("cttz", word)

    def highest(self, word: str) -> str:
        """Return the number of the highest of some lanes, an i64; -1 if there are none."""
        zeros = self._counted_bits("ctlz", word)
        return self.code.let(f"sub i64 {int(self.word_type[1:]) - 1}, {zeros}")

    def _counted_bits(self, what: str, word: str) -> str:
        t = self.word_type
        count = self.code.call(t, f"llvm.{what}.{t}", f"{t} {word}", "i1 false")
        return count if t == "i64" else self.code.let(f"trunc {t} {count} to i64")

    # --- traps

    def trap(self, kind: TrapCode, pc: int, chunks: Sequence[str]) -> None:
        """End the block and the launch; report the lowest lane of a mask."""
        lane = self.lowest(self.word(chunks))
        store_slot(self.code, Slot.TRAP_KIND, str(int(kind)))
        store_slot(self.code, Slot.TRAP_PC, str(pc))
        self.report(lane)
        self.code.jump("trapped")

    def leave(self, result: str, pc: int) -> None:
        """End the block and the launch: `result` is the trapping lane's number plus one, an i32.

        What kind of trap it is, is in the context block. One block writes the rest for all of them.
        """
        code = self.code
        (result_place,) = self.variables.places("fault", ["i32"])
        (place,) = self.variables.places("fault_pc", ["i64"])
        code.line(f"store i32 {result}, ptr {result_place}")
        code.line(f"store i64 {pc}, ptr {place}")
        if self._leaving:
            code.jump(self._leaving)
            return
        self._leaving = code.fresh_label("faulted")
        code.jump(self._leaving)
        code.block(self._leaving)
        store_slot(code, Slot.TRAP_PC, code.let(f"load i64, ptr {place}"))
        lane = code.let(f"sub i32 {code.let(f'load i32, ptr {result_place}')}, 1")
        self.report(code.let(f"zext i32 {lane} to i64"))
        code.jump("trapped")
