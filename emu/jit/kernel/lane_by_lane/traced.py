"""Traces of the branches of lanes that run a loop alone, and code that counts what they say.

A lane puts the outcome of each branch into a word, as the bit above those before it; another bit
marks the end. A word ends at a latch, or where the lane leaves the loop. The words of a lane are
kept side by side. When all lanes have left the loop, or have no room for more, the nodes of the
loop are run once more in their linear order, with masks, as if lanes ran together: without
instructions, and with branches that look at a bit of each lane. That counts what the stack would
execute. Where a lane has no words left, it runs alone again from the latch at which it has stopped.

A branch looks at the same bit of all lanes, as often as all ways to it have as many branches: bits
that have been read are only removed at latches, and where ways meet that have more of them than
others. So the masks of a node, which are integers, do not wait for vectors.
"""

from __future__ import annotations

from collections.abc import Callable

from .....isa.types import RegClass
from ....analysis.flow.order import Loop
from ....analysis.lanes.traced import bits_of, bits_read
from ....analysis.values.ssa import Value
from ...llvm.text import integer
from ..counting.counters import Counters
from ..lane_code import LaneCode
from .cells import LaneCells

WORDS = 32
"""Words of a lane's trace: together they stay in the first-level cache."""

BITS = 32
"""Bits of a word: one marks the end."""

_PRESENT = "words that are read"
"""The variable of the words that all lanes read."""

_BITS, _KEPT = "trace", "words of the trace"
"""Variables of a lane alone: the word that is written, and how many are kept."""


class TracedRun:
    """Emits the traces of a loop and its counts; `one` is the code of the lane that runs it."""

    def __init__(self, counters: Counters, loop: Loop, one: LaneCode, cells: LaneCells) -> None:
        """Append what precedes the loop: no lane has a trace."""
        lanes = cells.lanes
        self._counters, self._loop, self._one, self._cells = counters, loop, one, cells
        self._lanes, self._code, self._flow = lanes, lanes.code, lanes.flow
        flow, entry, w = lanes.flow, lanes.entry, lanes.width
        self._most = bits_of(lanes.flow, loop)
        self._read = bits_read(lanes.flow, loop)
        """Node -> how many bits of the words of its lanes have been read before it."""
        self._words = entry.let(f"alloca [{w * WORDS} x i{BITS}], align 64")
        self._present = entry.let(f"alloca [{w} x i{BITS}], align 64")
        """Where lanes get their next words."""
        self._kept = cells.new(RegClass.D)
        """How many words of each lane are kept."""
        self._next = cells.new(RegClass.D)
        """Which of them is read next."""
        loops = [inner for inner in flow.loops if inner.latch in loop.nodes]
        self._headers = {inner.header: number for number, inner in enumerate(loops, 1)}
        """Header -> its number, of the loops in which a lane may stop."""
        self._at = cells.new(RegClass.D)
        """The number of the header at which each lane continues; 0 before it has begun."""
        own: list[Value] = [phi for n in loop.nodes for phi in lanes.ssa.phis.get(n, ())]
        ops = (op for n in loop.nodes for op in lanes.ssa.ops.get(n, ()))
        own += [op for op in ops if op in lanes.table.crossing]
        self._own = {value: cells.new(value.cls) for value in own}
        """What a lane that stops has computed in the loop, and where it is kept."""
        for number in loop.nodes:
            lanes.variables.set_word(self._waiting(number), "0")
        lanes.variables.set_word(self._waiting(loop.header), lanes.word(lanes.mask))
        self._set_bits([f"splat (i{BITS} 1)"] * lanes.k)
        for j in range(lanes.k):
            for cell in self._kept, self._next, self._at:
                place = self._code.let(f"getelementptr i64, ptr {cell}, i64 {j * lanes.n}")
                zeros = f"{integer(64, lanes.n)} zeroinitializer"
                self._code.line(f"store {zeros}, ptr {place}, align 8")

    @property
    def _bits(self) -> list[str]:
        """The words that are read, of all lanes; 1 where all bits have been."""
        return self._lanes.variables.load(_PRESENT, [integer(BITS, self._lanes.n)] * self._lanes.k)

    def _set_bits(self, chunks: list[str]) -> None:
        types = [integer(BITS, self._lanes.n)] * self._lanes.k
        self._lanes.variables.store(_PRESENT, types, chunks)

    def _waiting(self, number: int) -> str:
        return f"lanes at {number} by their traces"

    def _chunk(self, j: int) -> str:
        at = j * self._lanes.n
        return self._code.let(f"getelementptr i{BITS}, ptr {self._present}, i64 {at}")

    # --- a lane alone

    def begin(self) -> None:
        """Let a lane begin or continue the loop, without words that are kept."""
        self._one.variables.set_word(_BITS, str(1 << BITS - 1))
        self._one.variables.set_word(_KEPT, "0")

    def branch(self, taken: str) -> None:
        """Note the outcome of a branch, an i1."""
        code, words = self._code, self._one.variables
        bit = code.let(f"shl i64 {code.let(f'zext i1 {taken} to i64')}, {BITS - 1}")
        others = code.let(f"lshr i64 {words.word(_BITS)}, 1")
        words.set_word(_BITS, code.let(f"or disjoint i64 {others}, {bit}"))

    def resume(self, lane: str, begin: str, label: Callable[[int], str]) -> None:
        """Let a lane begin the loop, at a label, or continue at the `label` of another header."""
        code, words = self._code, self._one.variables
        at, again = self._cells.load(RegClass.D, self._at, lane), code.fresh_label("trace")
        code.branch(code.let(f"icmp eq i64 {at}, 0"), begin, again)
        code.block(again)
        for value, cells in self._own.items():
            known = self._cells.load(value.cls, cells, lane)
            if value.cls is RegClass.C:
                known = code.let(f"trunc i8 {known} to i1")
            words.store((value, "value"), self._one.types_of(value.cls, True), [known])
        code.switch(at, begin, {number: label(h) for h, number in self._headers.items()})

    def next_iteration(self, lane: str, header: int, following: str) -> None:
        """Keep the word of a lane if it may not have room for another iteration.

        A lane that has no more room for words stops before the header, and the code continues at
        `following`.
        """
        code, words = self._code, self._one.variables
        full, stop, go = (code.fresh_label("trace") for _ in range(3))
        end = code.let(f"and i64 {words.word(_BITS)}, {(1 << self._most) - 1}")
        code.branch(code.let(f"icmp ne i64 {end}, 0"), full, go)
        code.block(full)
        kept = self._keep(lane)
        words.set_word(_BITS, str(1 << BITS - 1))
        code.branch(code.let(f"icmp eq i64 {kept}, {WORDS}"), stop, go)
        code.block(stop)
        self._cells.store(RegClass.D, self._kept, lane, kept)
        self._cells.store(RegClass.D, self._at, lane, str(self._headers[header]))
        for value, cells in self._own.items():
            (known,) = words.load((value, "value"), self._one.types_of(value.cls, True))
            self._cells.store(value.cls, cells, lane, known)
        code.jump(following)
        code.block(go)

    def leave(self, lane: str) -> None:
        """Keep the last word of a lane, which leaves the loop."""
        self._cells.store(RegClass.D, self._kept, lane, self._keep(lane))

    def _keep(self, lane: str) -> str:
        """Keep the word of a lane; return how many are kept then."""
        code, words = self._code, self._one.variables
        bits, kept = words.word(_BITS), words.word(_KEPT)
        end = code.call("i64", "llvm.cttz.i64", f"i64 {bits}", "i1 true")
        bits = code.let(f"lshr i64 {code.let(f'lshr i64 {bits}, {end}')}, 1")
        mark = code.let(f"shl i64 1, {code.let(f'sub i64 {BITS - 1}, {end}')}")
        bits = code.let(f"trunc i64 {code.let(f'or disjoint i64 {bits}, {mark}')} to i{BITS}")
        code.line(f"store i{BITS} {bits}, ptr {self._word(lane, kept)}")
        kept = code.let(f"add i64 {kept}, 1")
        words.set_word(_KEPT, kept)
        return kept

    def _word(self, lane: str, number: str) -> str:
        code = self._code
        at = code.let(f"add i64 {code.let(f'mul i64 {lane}, {WORDS}')}, {number}")
        return code.let(f"getelementptr i{BITS}, ptr {self._words}, i64 {at}")

    # --- all lanes, by their traces

    def count(self, remaining: str, resume: str) -> None:
        """Count what the traces say.

        Where lanes have to run on, put them into `remaining`, a ptr, and continue at `resume`.
        """
        lanes, code, header = self._lanes, self._code, self._loop.header
        mask = lanes.mask
        numbers = [n for n in self._flow.order if n in self._loop.nodes]
        assert numbers[0] == header
        ends = code.fresh_label("traced")
        labels = {n: code.fresh_label("traced") for n in numbers}
        code.jump(labels[header])
        for number, following in zip(numbers, [*numbers[1:], None], strict=True):
            after = ends if following is None else labels[following]
            code.block(labels[number])
            running = lanes.variables.word(self._waiting(number))
            go = code.fresh_label("traced")
            code.branch(code.let(f"icmp eq i64 {running}, 0"), after, go)
            code.block(go)
            if number in self._headers:
                self._refill(running, remaining, resume)
            lanes.variables.set_word(self._waiting(number), "0")
            lanes.mask = lanes.chunks(running)
            self._run(number, running)
            latch_of = self._flow.nodes[number].latch_of
            code.jump(after if latch_of is None else labels[self._flow.loops[latch_of].header])
        code.block(ends)
        lanes.mask = mask

    def _run(self, number: int, running: str) -> None:
        """Append a run of a node by the running lanes, an i64."""
        lanes, code, node = self._lanes, self._code, self._flow.nodes[number]
        read = self._read[number]
        self._counters.run(number)
        if len(node.successors) == 1:
            way = self._flow.route(number, node.successors[0])
            self._counters.follow(number, way)
            self._wait(way, running, read)
        elif node.successors:
            taken = code.let(f"and i64 {running}, {self._lanes_with(read)}")
            sides = code.let(f"xor i64 {running}, {taken}"), taken
            ways = tuple(self._flow.route(number, to) for to in node.successors)
            fall, taken_chunks = (lanes.chunks(side) for side in sides)
            self._counters.branch(number, (ways[0], ways[1]), (fall, taken_chunks))
            for way, side in zip(ways, sides, strict=True):
                self._wait(way, side, read + 1)

    def _wait(self, way: int, side: str, read: int) -> None:
        """Let lanes that have read so many bits wait at a node; out of the loop they do already."""
        if way in self._loop.nodes:
            self._remove(side, read - self._read[way])
            name = self._waiting(way)
            others = self._lanes.variables.word(name)
            here = self._code.let(f"or i64 {others}, {side}")
            self._lanes.variables.set_word(name, here)

    def _lanes_with(self, bit: int) -> str:
        """Return the lanes with a bit in their words."""
        lanes, code, t = self._lanes, self._code, integer(BITS, self._lanes.n)
        found = []
        for bits in self._bits:
            own = code.let(f"and {t} {bits}, splat (i{BITS} {1 << bit})")
            found.append(code.let(f"icmp ne {t} {own}, zeroinitializer"))
        return lanes.word(found)

    def _remove(self, running: str, read: int) -> None:
        """Remove bits that lanes have read."""
        if read:
            lanes, code, t = self._lanes, self._code, integer(BITS, self._lanes.n)
            left = []
            for bits, mask in zip(self._bits, lanes.chunks(running), strict=True):
                others = code.let(f"lshr {t} {bits}, splat (i{BITS} {read})")
                left.append(code.let(f"select {lanes.mask_type} {mask}, {t} {others}, {t} {bits}"))
            self._set_bits(left)

    def _refill(self, running: str, remaining: str, resume: str) -> None:
        """Give the running lanes their next words, where they have read all bits."""
        lanes, code, t = self._lanes, self._code, integer(BITS, self._lanes.n)
        present = self._bits
        ended = [code.let(f"icmp eq {t} {bits}, splat (i{BITS} 1)") for bits in present]
        first = code.let(f"and i64 {running}, {lanes.word(ended)}")
        before, each, found, lacks, over, stop, go = (code.fresh_label("traced") for _ in range(7))
        code.branch(code.let(f"icmp eq i64 {first}, 0"), go, before)
        code.block(before)
        words = lanes.variables
        words.set_word("lanes without bits", first)
        for j, bits in enumerate(present):
            code.line(f"store {t} {bits}, ptr {self._chunk(j)}, align 4")
        code.line(f"store i64 0, ptr {remaining}")
        code.jump(each)
        code.block(each)
        left = words.word("lanes without bits")
        lane = code.call("i64", "llvm.cttz.i64", f"i64 {left}", "i1 true")
        others = code.let(f"and i64 {left}, {code.let(f'sub i64 {left}, 1')}")
        words.set_word("lanes without bits", others)
        number = self._cells.load(RegClass.D, self._next, lane)
        kept = self._cells.load(RegClass.D, self._kept, lane)
        code.branch(code.let(f"icmp ult i64 {number}, {kept}"), found, lacks)
        code.block(found)
        bits = code.let(f"load i{BITS}, ptr {self._word(lane, number)}")
        place = code.let(f"getelementptr i{BITS}, ptr {self._present}, i64 {lane}")
        code.line(f"store i{BITS} {bits}, ptr {place}")
        self._cells.store(RegClass.D, self._next, lane, code.let(f"add i64 {number}, 1"))
        code.jump(over)
        code.block(lacks)
        self._cells.store(RegClass.D, self._next, lane, "0")
        lacking = code.let(f"load i64, ptr {remaining}")
        here = code.let(f"or i64 {lacking}, {code.let(f'shl i64 1, {lane}')}")
        code.line(f"store i64 {here}, ptr {remaining}")
        code.jump(over)
        code.block(over)
        code.branch(code.let(f"icmp eq i64 {others}, 0"), stop, each)
        code.block(stop)
        chunks = [code.let(f"load {t}, ptr {self._chunk(j)}, align 4") for j in range(lanes.k)]
        self._set_bits(chunks)
        lacking = code.let(f"load i64, ptr {remaining}")
        code.branch(code.let(f"icmp eq i64 {lacking}, 0"), go, resume)
        code.block(go)
