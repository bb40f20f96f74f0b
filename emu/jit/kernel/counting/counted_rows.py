"""Counts made of masks of whole iterations, of which many are counted at a time.

Nodes and branches only keep masks (analysis/counting/rows.py): each mask has a column, with an
element for each iteration and for each of the launch's warps in it. When the columns are full, and
at the end of a call, a function counts them (row_counts.py).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ....analysis.counting.rows import Mask, Rows
from ...llvm.text import integer
from ..lane_code import LaneCode
from .counted_warps import CountedWarps, Flags, Numbers
from .row_counts import DEPTHS, ITERATIONS, STARTS, Columns, NodeCounts, RowCounts
from .run_counts import RunCounts

STARTING = "starting"
"""The variable of the lanes that a warp has at its start."""


class CountedRows:
    """Emits the keeping of masks; `starting` are the lanes of a warp at its start.

    Without `starting` a warp has all of its lanes. Nodes that `run_outside` of iterations have no
    lanes there, and keep none: their columns belong to the last iteration. `version` precedes
    names. The loops `alone`, by number, keep no masks where lanes run them alone, which they may do
    or not if it `has_both`.
    """

    def __init__(
        self,
        lanes: LaneCode,
        rows: Rows,
        warps: CountedWarps,
        starting: Sequence[str] | None,
        counts: NodeCounts,
        run_outside: Collection[int],
        version: str,
        alone: Collection[int],
        *,
        has_both: bool,
    ) -> None:
        self.lanes, self.rows = lanes, rows
        self._warps, self._words = warps, lanes.variables
        self._starting, self._memory, self._version = starting, counts.memory, version
        self._run_outside = run_outside
        self._columns: dict[int | None, Columns] = {}
        self._blocks: dict[int | None, str] = {}
        self._functions: dict[int | None, str] = {}
        self._run_functions: dict[int, str] = {}
        entry = lanes.entry
        only_alone = () if has_both else alone
        joins = any(row.branches for row in rows.of.values())
        while any(entry.module.has(self._name(number)) for number in rows.of):
            self._version += "a"  # another version of the kernel may keep other masks
        for number, row in rows.of.items():
            if number in alone:
                assert number is not None
                run = RunCounts(entry.module, lanes.facts, lanes.ssa, rows, number, counts)
                self._run_functions[number] = run.define(self._run_name(number))
            if number in only_alone or not row.masks:
                continue
            columns = Columns(lanes.facts, row, has_starts=starting is not None)
            self._columns[number] = columns
            self._blocks[number] = entry.let(f"alloca [{columns.size} x i8], align 64")
            entry.zero(self._blocks[number], columns.size)
            (place,) = self._words.places(self._iteration(number), ["i64"])
            entry.line(f"store i64 0, ptr {place}")
            function = RowCounts(entry.module, columns, counts, joins=joins)
            self._functions[number] = function.define(self._name(number))

    def _name(self, number: int | None) -> str:
        return f"{self._version}count{'' if number is None else number}"

    def _run_name(self, number: int | None) -> str:
        return f"{self._version}run{number}"

    def _iteration(self, number: int | None) -> str:
        """Return the variable of the number of the present iteration of a row."""
        return f"iteration of row {number}"

    # --- what nodes do

    def enter(self, number: int) -> None:
        """Let a warp begin or resume at a node, where nothing is on its stack but itself."""
        if self._starting is not None:
            word = self._word(self._starting)
            self._words.store(STARTING, [self._word_type], [word])
        self._begin(None)
        for loop in self.lanes.flow.loops_around(number):
            self._begin(loop.number, self._warps.constant(1))

    def run(self, number: int) -> None:
        """Keep the running lanes of a node."""
        self._keep(number, number, self.lanes.mask)

    def branch(
        self, number: int, ways: tuple[int, int], sides: tuple[Sequence[str], Sequence[str]]
    ) -> None:
        """Keep the lanes of both sides of a branch, and note how deep the stack is for them."""
        leaving = self._leaving(number, ways)
        if leaving is None:
            self._keep_sides(number, (0, 1), sides)
        else:
            code = self.lanes.code
            self._keep(number, (number, 1 - leaving), sides[1 - leaving])
            some, go = code.fresh_label("leave"), code.fresh_label("leave")
            code.branch(self.lanes.any(sides[leaving]), some, go)
            code.block(some)
            self._keep_sides(number, (leaving,), sides)
            code.jump(go)
            code.block(go)
        for way in dict.fromkeys(ways):
            self._go_on(number, way)

    def _keep_sides(
        self, number: int, which: Collection[int], sides: tuple[Sequence[str], Sequence[str]]
    ) -> None:
        for side in which:
            self._keep(number, (number, side), sides[side])
        if number in self.rows.noted:
            fall, taken = (self._warps.some(self.lanes.all_masks(side)) for side in sides)
            self._note(number, self._warps.both(fall, taken))

    def _leaving(self, number: int, ways: tuple[int, int]) -> int | None:
        """Return the side of a branch by which lanes leave a loop, if that is worth a test.

        Then its mask need not be kept in iterations in which none leaves: columns have zeros. That
        saves the words of several warps of the launch.
        """
        flow, own = self.lanes.flow, self.lanes.flow.loop_of[number]
        if own is None or not self._warps.vector or number not in self.rows.noted:
            return None
        outside = [way not in flow.loops[own].nodes for way in ways]
        return outside.index(True) if outside.count(True) == 1 else None

    def follow(self, number: int, way: int) -> None:
        """Let all running lanes continue at a node, as one side of a branch if it is one."""
        flow = self.lanes.flow
        for side, to in enumerate(flow.nodes[number].successors):
            if flow.route(number, to) == way:
                self._keep(number, (number, side), self.lanes.mask)
        self._go_on(number, way)

    def _go_on(self, number: int, way: int) -> None:
        """Begin an iteration of the loops that lanes enter or repeat, where they do."""
        entry = self.rows.entry(number, way)
        if entry is None:
            return
        row, chain, loops = entry
        warps, depth = self._warps, self._depth(row)
        for branch, levels in chain:
            flags = self._words.load(self._noted(branch), warps.flag_types)
            more = warps.select(flags, warps.constant(levels), warps.constant(0))
            depth = warps.let("add", depth, more)
        for loop in loops:
            self._begin(loop.number, depth)

    def count_run(self, loop: int, made: str) -> None:
        """Count a loop that lanes have run alone, which have made so many iterations (a ptr)."""
        lanes, code = self.lanes, self.lanes.code
        start = self._start()
        (depth,) = self._depth(loop)
        given = f"ptr {made}, i64 {lanes.word(lanes.mask)}, i64 {start}, i64 {depth}"
        code.line(f"call void @{self._run_functions[loop]}({given}, ptr {self._memory})")
        (branch,) = self.rows.of[loop].branches
        flow = lanes.flow
        for to in flow.nodes[branch].successors:
            if flow.route(branch, to) not in flow.loops[loop].nodes:
                self._go_on(branch, flow.route(branch, to))

    def _start(self) -> str:
        """Return the lanes with which the warp has started, an i64."""
        if self._starting is None:
            return str((1 << self.lanes.facts.counts) - 1)
        t = self._word_type
        (word,) = self._words.load(STARTING, [t])
        return word if t == "i64" else self.lanes.code.let(f"zext {t} {word} to i64")

    # --- iterations

    def _begin(self, number: int | None, depth: Numbers | None = None) -> None:
        """Begin an iteration of a row, with the depth of the stack in a loop."""
        code, columns = self.lanes.code, self._columns.get(number)
        for branch in self.rows.of[number].branches:
            if branch in self.rows.noted:
                self._note(branch, self._warps.no_flags())
        if number is not None and depth is not None:
            self._words.store(self._depth_of(number), self._warps.types, depth)
        if columns is None:
            return
        name = self._iteration(number)
        following = code.let(f"add i64 {self._words.word(name)}, 1")
        self._words.set_word(name, following)
        full, go = code.fresh_label("full"), code.fresh_label("full")
        test = code.let(f"icmp eq i64 {following}, {ITERATIONS}")
        code.branch(test, full, go, rarely=True)
        code.block(full)
        self._count(number, following)
        self._words.set_word(name, "0")
        code.jump(go)
        code.block(go)
        if STARTS in columns.offsets:
            (word,) = self._words.load(STARTING, [self._word_type])
            place = self._place(number, STARTS)
            code.line(f"store {self._word_type} {word}, ptr {place}, align 1")
        if DEPTHS in columns.offsets and depth is not None:
            t = integer(32, self._warps.vector)
            place = self._place(number, DEPTHS)
            for at, (wide, value) in enumerate(zip(self._warps.types, depth, strict=True)):
                element = code.let(f"getelementptr i32, ptr {place}, i64 {at}") if at else place
                short = code.let(f"trunc {wide} {value} to {t}")
                code.line(f"store {t} {short}, ptr {element}, align 4")

    def _count(self, number: int | None, iterations: str) -> None:
        arguments = f"ptr {self._blocks[number]}, ptr {self._memory}, i64 {iterations}"
        self.lanes.code.line(f"call void @{self._functions[number]}({arguments})")

    def finish(self) -> None:
        """Count what is left at the end of a call."""
        for number in self._columns:
            last = self._words.word(self._iteration(number))
            self._count(number, self.lanes.code.let(f"add i64 {last}, 1"))

    # --- masks

    def _keep(self, number: int, mask: Mask, chunks: Sequence[str]) -> None:
        """Keep a mask of a node, if it is one that is kept."""
        row = self.lanes.flow.loop_of[number]
        if row not in self._columns or mask not in self._columns[row].offsets:
            return
        if number not in self._run_outside:
            self._store(row, mask, chunks)
            return
        code = self.lanes.code
        some, go = code.fresh_label("keep"), code.fresh_label("keep")
        code.branch(self.lanes.any(chunks), some, go)
        code.block(some)
        self._store(row, mask, chunks)
        code.jump(go)
        code.block(go)

    def _store(self, row: int | None, mask: Mask, chunks: Sequence[str]) -> None:
        """Store a mask where its column has the present iteration."""
        lanes, code, t = self.lanes, self.lanes.code, self._word_type
        place, chunks = self._place(row, mask), lanes.all_masks(chunks)
        if t != f"i{lanes.n * len(chunks)}" or lanes.n < 8:
            code.line(f"store {t} {self._word(chunks)}, ptr {place}, align 1")
            return
        # As a word it would take more operations on masks.
        for i, chunk in enumerate(chunks):
            at = code.let(f"getelementptr i{lanes.n}, ptr {place}, i64 {i}") if i else place
            bits = code.let(f"bitcast {lanes.mask_type} {chunk} to i{lanes.n}")
            code.line(f"store i{lanes.n} {bits}, ptr {at}, align 1")

    @property
    def _word_type(self) -> str:
        """The type of the masks of all warps of the launch together."""
        columns = next(iter(self._columns.values()))
        return f"i{columns.bits * columns.warps}"

    def _word(self, mask: Sequence[str]) -> str:
        lanes, t = self.lanes, self._word_type
        word = lanes.word(mask)
        if t == lanes.word_type:
            return word
        return lanes.code.let(f"trunc {lanes.word_type} {word} to {t}")

    def _place(self, number: int | None, column: Mask | str) -> str:
        """Return where a column has what belongs to the present iteration."""
        code, columns = self.lanes.code, self._columns[number]
        start = code.let(
            f"getelementptr i8, ptr {self._blocks[number]}, i64 {columns.offsets[column]}"
        )
        iteration = self._words.word(self._iteration(number))
        # An integer of 192 bits, for one, would lie in 256 bits of an array.
        row = f"[{columns.bytes_of(column)} x i8]"
        return code.let(f"getelementptr {row}, ptr {start}, i64 {iteration}")

    # --- how deep the stack is

    def _depth_of(self, loop: int) -> str:
        return f"depth of loop {loop}"

    def _depth(self, loop: int | None) -> Numbers:
        if loop is None:
            return self._warps.constant(1)
        return self._words.load(self._depth_of(loop), self._warps.types)

    def _noted(self, branch: int) -> str:
        return f"diverged {branch}"

    def _note(self, branch: int, flags: Flags) -> None:
        """Note for which warps a branch has diverged in this iteration."""
        self._words.store(self._noted(branch), self._warps.flag_types, flags)
