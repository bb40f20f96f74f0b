"""The function that counts a loop which lanes run alone, from the iterations of each lane.

Lanes go one way through such a loop (analysis/lanes/one_way.py), and on the stack together: in each
iteration those run that have made as many, and those return that have made more. So all that is
counted follows from a word with a bit for each number of iterations after which a lane leaves, for
64 iterations at a time.
"""

from __future__ import annotations

from ....analysis.counting.rows import Rows
from ....analysis.facts import Facts
from ....analysis.lanes.one_way import times_in
from ....analysis.values.ssa import Ssa
from ...llvm.function_text import FunctionText, definition
from ...llvm.parts import mask_of_bits
from ...llvm.text import ModuleText, integer, mangled
from ...runtime.context import Count
from ..variables import Variables
from .row_counts import NodeCounts

STRETCH = 64
"""Iterations that are counted at a time."""

PARAMETERS = "ptr %made, i64 %entered, i64 %start, i64 %depth, ptr %counts"


class RunCounts:
    """Generates `void <name>(made, entered, start, depth, counts)`.

    `made` has for each lane how often it has returned to the header. `entered` are the lanes that
    have run the loop, `start` those with which the warp has started, and `depth` is that of the
    stack where they entered.
    """

    def __init__(
        self, module: ModuleText, facts: Facts, ssa: Ssa, rows: Rows, loop: int, counts: NodeCounts
    ) -> None:
        self._entry = FunctionText(module)
        self._code = self._entry.elsewhere()
        self._words = Variables(self._entry, self._code)
        self._facts, self._counts = facts, counts
        flow, row = ssa.flow, rows.of[loop]
        (branch,) = row.branches
        times = times_in(ssa, flow.loops[loop])
        assert times is not None
        nodes = [n for each in rows.of.values() for n in each.nodes if n in times]
        self._times = {n: times[n] for n in nodes}
        """Node with counts of its own -> how often it runs in an iteration."""
        self._before = {n: flow.position[n] <= flow.position[branch] for n in nodes}
        """Whether these run in an iteration that leaves."""
        self._levels = sum(levels for _, levels in row.after)
        """What an iteration that diverges adds to the depth of the next one."""
        _, self._most = row.deepest[branch]

    def define(self, name: str) -> str:
        """Add the function to the module unless it has it; return its name."""
        code, entry, words = self._code, self._entry, self._words
        w = self._facts.width
        made = entry.let(f"load <{w} x i64>, ptr %made, align 8")
        for word, value in ("base", "0"), ("here", "%entered"), ("deep", "%depth"):
            (place,) = words.places(word, ["i64"])
            entry.line(f"store i64 {value}, ptr {place}")
        entry.branch(entry.let("icmp eq i64 %entered, 0"), "over", "stretch")
        code.block("stretch")
        here = words.word("here")
        longer = self._count(made, here)
        words.set_word("here", longer)
        base = code.let(f"add i64 {words.word('base')}, {STRETCH}")
        words.set_word("base", base)
        code.branch(code.let(f"icmp eq i64 {longer}, 0"), "over", "stretch")
        code.block("over")
        code.line("ret void")
        head = f"define internal void @{name}({PARAMETERS}) noinline"
        return code.module.define_once(name, definition(head, entry, code))

    def _count(self, made: str, here: str) -> str:
        """Count a stretch of iterations that begins with some lanes; return those that stay."""
        code, t = self._code, f"<{self._facts.width} x i64>"
        base = self._spread(self._words.word("base"))
        # What lanes have that do not run is not used.
        left = code.let(f"select {self._flags} {self._lanes(here)}, {t} {made}, {t} {base}")
        left = code.let(f"sub {t} {left}, {base}")
        stay = code.let(f"icmp uge {t} {left}, splat (i64 {STRETCH})")
        stay = code.let(f"and {self._flags} {stay}, {self._lanes(here)}")
        last = code.let(f"xor {self._flags} {stay}, {self._lanes(here)}")
        returns = code.intrinsic("llvm.umin", t, f"{t} {left}", f"{t} splat (i64 {STRETCH})")
        within = code.let(f"and {t} {returns}, splat (i64 {STRETCH - 1})")
        bits = code.let(f"shl {t} splat (i64 1), {within}")
        bits = code.let(f"select {self._flags} {last}, {t} {bits}, {t} zeroinitializer")
        bits = code.call("i64", f"llvm.vector.reduce.or.{mangled(t)}", f"{t} {bits}")
        total = code.call("i64", f"llvm.vector.reduce.add.{mangled(t)}", f"{t} {returns}")
        staying = self._word(stay)
        leave = self._lanes_of(code.let(f"xor i64 {here}, {staying}"))
        stays = code.let(f"icmp ne i64 {staying}, 0")
        above = code.call("i64", "llvm.ctlz.i64", f"i64 {bits}", "i1 false")
        highest = code.let(f"sub i64 63, {above}")
        lowest = code.call("i64", "llvm.cttz.i64", f"i64 {bits}", "i1 false")
        returned = code.let(f"select i1 {stays}, i64 {STRETCH}, i64 {highest}")
        ran = code.let(f"add i64 {highest}, 1")
        ran = code.let(f"select i1 {stays}, i64 {STRETCH}, i64 {ran}")
        # All lanes are there until the first ones have left.
        is_whole = code.let(f"icmp eq i64 {here}, %start")
        whole = code.let(f"select i1 {is_whole}, i64 {lowest}, i64 0")
        one_more = code.let(f"add i64 {lowest}, 1")
        whole_ran = code.let(f"select i1 {is_whole}, i64 {one_more}, i64 0")
        self._add_nodes(True, ran, code.let(f"add i64 {total}, {leave}"), whole_ran)
        self._add_nodes(False, returned, total, whole)
        others = code.let(f"zext i1 {code.let(f'xor i1 {stays}, true')} to i64")
        diverged = code.let(f"sub i64 {self._lanes_of(bits)}, {others}")
        self._add(Count.DIVERGENT, diverged)
        self._deepen(diverged)
        return staying

    def _add_nodes(self, before: bool, runs: str, lanes: str, whole: str) -> None:
        """Add to the counts of nodes, of whose runs the first `whole` miss no lane of the warp."""
        code = self._code
        least = code.intrinsic("llvm.umin", "i64", f"i64 {whole}", f"i64 {runs}")
        missing = code.let(f"sub i64 {runs}, {least}")
        for node, is_before in self._before.items():
            if is_before != before:
                continue
            times = self._times[node]
            for place in self._counts.places_of(node):
                self._add(place, code.let(f"mul i64 {runs}, {times}"))
                self._add(place + 1, code.let(f"mul i64 {lanes}, {times}"))
            length = times * self._counts.lengths[node]
            self._add(Count.COMPARISONS, code.let(f"mul i64 {missing}, {length}"))
            if not self._facts.whole:
                slots = code.let(f"mul i64 {self._lanes_of('%start')}, {length}")
                self._add(Count.LANE_SLOTS, code.let(f"mul i64 {slots}, {runs}"))

    def _deepen(self, diverged: str) -> None:
        """Let the stack grow with each iteration that diverges."""
        code, depth = self._code, self._words.word("deep")
        deeper = code.let(f"mul i64 {diverged}, {self._levels}")
        deeper = code.let(f"add i64 {depth}, {deeper}")
        self._words.set_word("deep", deeper)
        most = code.let(f"add i64 {deeper}, {self._most - self._levels}")
        some = code.let(f"icmp ne i64 {diverged}, 0")
        most = code.let(f"select i1 {some}, i64 {most}, i64 0")
        place = code.let(f"getelementptr i64, ptr %counts, i64 {int(Count.DEPTH)}")
        known = code.let(f"load i64, ptr {place}")
        new = code.call("i64", "llvm.umax.i64", f"i64 {known}", f"i64 {most}")
        code.line(f"store i64 {new}, ptr {place}")

    def _add(self, count: int, more: str) -> None:
        """Add an i64 to a count in memory."""
        code = self._code
        place = code.let(f"getelementptr i64, ptr %counts, i64 {int(count)}")
        known = code.let(f"load i64, ptr {place}")
        code.line(f"store i64 {code.let(f'add i64 {known}, {more}')}, ptr {place}")

    # --- masks

    @property
    def _flags(self) -> str:
        return integer(1, self._facts.width)

    def _spread(self, value: str) -> str:
        code, w = self._code, self._facts.width
        one = code.let(f"insertelement <{w} x i64> poison, i64 {value}, i32 0")
        zero = f"<{w} x i32> zeroinitializer"
        return code.let(f"shufflevector <{w} x i64> {one}, <{w} x i64> poison, {zero}")

    def _lanes(self, word: str) -> str:
        """Return the lanes of a word, an i64."""
        code, w = self._code, self._facts.width
        if w < 64:
            word = code.let(f"trunc i64 {word} to i{w}")
        return mask_of_bits(code, w, word)

    def _word(self, flags: str) -> str:
        """Return lanes as a word, an i64."""
        code, w = self._code, self._facts.width
        word = code.let(f"bitcast {self._flags} {flags} to i{w}")
        return code.let(f"zext i{w} {word} to i64") if w < 64 else word

    def _lanes_of(self, word: str) -> str:
        return self._code.call("i64", "llvm.ctpop.i64", f"i64 {word}")
