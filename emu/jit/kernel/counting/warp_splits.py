"""The warp-splits of a warp in generated code: a block of memory, and what divides and joins them.

A *warp-split* is a set of lanes that share the top entry of the stack when they run. The block of a
warp has for each lane which lanes are in its warp-split. Blocks of re-convergence nodes have what
lanes had before a branch divided them.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...llvm.function_text import FunctionText, definition
from ...llvm.vectors import VectorCode
from ..lane_code import LaneCode

_ROWS = ("members", "depth", "deepest")
"""Rows of the block of a warp, with a number for each lane: the lanes of its warp-split, and the
depth of its stack, now and at most; the last two are bytes."""

_WORDS = ("shared", "first", "compared", "divergent", "open")
"""Words of a block: the lanes that are not alone in their warp-splits, the first lane of each, and
those whose entry has a PC to compare with; branches that have diverged. Of a block for a
re-convergence node: lanes that are on the way to it."""


class SplitBlock:
    """Places in a block: one has the state of a warp, others what lanes have again at a node."""

    def __init__(self, lanes: LaneCode) -> None:
        self.width, self.counts = lanes.facts.width, lanes.facts.counts
        self.n, self.k = lanes.n, lanes.most
        self.bits = 32 if self.counts <= 32 else 64
        self._stride = (1 << (self.n - 1).bit_length()) * self.bits // 8
        self._row = -(-self.k * self._stride // 64) * 64
        self.size = self._row * len(_ROWS) + 8 * len(_WORDS)
        self.vector = f"<{self.n} x i{self.bits}>"
        self._levels = max(1 << (self.n * self.k - 1).bit_length(), 8)
        """Depths in a row: with AVX2, LLVM 22 has wrong bytes for a mask of 24 bits."""
        self.bytes = f"<{self._levels} x i8>"

    def chunk(self, code: FunctionText, block: str, row: str, c: int) -> str:
        """Return where a vector of a row is."""
        at = _ROWS.index(row) * self._row + c * self._stride
        return code.let(f"getelementptr i8, ptr {block}, i64 {at}")

    def word(self, code: FunctionText, block: str, word: str) -> str:
        """Return where a word is."""
        at = self._row * len(_ROWS) + 8 * _WORDS.index(word)
        return code.let(f"getelementptr i8, ptr {block}, i64 {at}")

    def get(self, code: FunctionText, block: str, word: str) -> str:
        """Return a word."""
        return code.let(f"load i64, ptr {self.word(code, block, word)}")

    def put(self, code: FunctionText, block: str, word: str, value: str) -> None:
        """Set a word."""
        code.line(f"store i64 {value}, ptr {self.word(code, block, word)}")

    def load(self, code: FunctionText, block: str, row: str, c: int) -> str:
        """Return a vector of a row."""
        return code.let(f"load {self.vector}, ptr {self.chunk(code, block, row, c)}")

    def store(self, code: FunctionText, block: str, row: str, c: int, value: str) -> None:
        """Set a vector of a row.

        `volatile` lets LLVM store all of it: the next load would wait for a store with a mask.
        """
        code.line(f"store volatile {self.vector} {value}, ptr {self.chunk(code, block, row, c)}")

    def levels(self, code: FunctionText, block: str, row: str) -> str:
        """Return a row of bytes."""
        return code.let(f"load {self.bytes}, ptr {self.chunk(code, block, row, 0)}")

    def set_levels(self, code: FunctionText, block: str, row: str, value: str) -> None:
        """Set a row of bytes."""
        code.line(f"store volatile {self.bytes} {value}, ptr {self.chunk(code, block, row, 0)}")

    def of_bytes(self, code: FunctionText, word: str) -> str:
        """Return a mask for a row of bytes."""
        bits = self._levels
        word = word if bits == 64 else code.let(f"trunc i64 {word} to i{bits}")
        return code.let(f"bitcast i{bits} {word} to {self.some_bytes}")

    @property
    def some_bytes(self) -> str:
        """The type of a mask for a row of bytes."""
        return f"<{self._levels} x i1>"

    def spread_byte(self, code: FunctionText, byte: str) -> str:
        """Return a row of one byte."""
        return VectorCode(code, self._levels, 1).chunk_of(8, byte)

    def part(self, code: FunctionText, word: str, c: int) -> str:
        """Return a mask from the first lane of the launch's warp of a vector on, for each lane."""
        first = c * self.n // self.counts * self.counts
        own = code.let(f"lshr i64 {word}, {first}") if first else word
        if self.bits < 64:
            own = code.let(f"trunc i64 {own} to i{self.bits}")
        return VectorCode(code, self.n, 1).chunk_of(self.bits, own)

    def below(self, c: int) -> str:
        """Return the constant of the lanes of a warp that precede each lane."""
        first = c * self.n % self.counts if self.counts < self.width else c * self.n
        below = ((1 << (first + i)) - 1 for i in range(self.n))
        return f"<{', '.join(f'i{self.bits} {bits}' for bits in below)}>"

    def set_members(self, code: FunctionText, block: str, chunks: Sequence[str]) -> None:
        """Set the warp-splits of all lanes."""
        v, shared, first = self.vector, [], []
        for c, members in enumerate(chunks):
            self.store(code, block, "members", c, members)
            less = code.let(f"sub {v} {members}, splat (i{self.bits} 1)")
            both = code.let(f"and {v} {members}, {less}")
            shared.append(code.let(f"icmp ne {v} {both}, zeroinitializer"))
            earlier = code.let(f"and {v} {members}, {self.below(c)}")
            first.append(code.let(f"icmp eq {v} {earlier}, zeroinitializer"))
        for word, found in ("shared", shared), ("first", first):
            self.put(code, block, word, self.masks(code).word(found))

    def mates(self, code: FunctionText, block: str, mask: str) -> str:
        """Return the lanes in whose warp-splits lanes of a mask are."""
        v, found = self.vector, []
        for c in range(self.k):
            lanes = self.load(code, block, "members", c)
            lanes = code.let(f"and {v} {lanes}, {self.part(code, mask, c)}")
            found.append(code.let(f"icmp ne {v} {lanes}, zeroinitializer"))
        return self.masks(code).word(found)

    def masks(self, code: FunctionText) -> VectorCode:
        """Return the code for masks."""
        return VectorCode(code, self.n, self.k)


def count_lanes(code: FunctionText, mask: str) -> str:
    """Return how many lanes a mask has."""
    return code.call("i64", "llvm.ctpop.i64", f"i64 {mask}")


def split(block: SplitBlock, code: FunctionText) -> str:
    """Return the function that divides warp-splits at a branch.

    It takes the state of the warp, the block of the re-convergence node or null, the lanes that
    fall through and jump, those of the latter that leave others of their warp-split, and how much
    deeper the stack is while the first side runs.
    """
    v, masks = block.vector, block.masks(code)
    left = code.let(f"and i64 %fall, {block.mates(code, '%state', '%parted')}")
    word = code.let(f"or i64 %parted, {left}")
    first = block.get(code, "%state", "first")
    count = count_lanes(code, code.let(f"and i64 {first}, {word}"))
    divergent = block.get(code, "%state", "divergent")
    block.put(code, "%state", "divergent", code.let(f"add i64 {divergent}, {count}"))
    compared = block.get(code, "%state", "compared")
    has_join = code.let("icmp ne ptr %before, null")
    code.branch(has_join, "joins", "divided")
    code.block("joins")
    is_open = block.get(code, "%before", "open")
    new = code.let(f"and i64 {word}, {code.let(f'xor i64 {is_open}, -1')}")
    code.branch(code.let(f"icmp eq i64 {new}, 0"), "divided", "keep")
    code.block("keep")
    block.put(code, "%before", "open", code.let(f"or i64 {is_open}, {word}"))
    _move(block, code, "%state", "%before", new)
    code.jump("divided")
    code.block("divided")
    others = code.let(f"xor i64 {word}, -1")
    now = [code.let(f"{do} i64 {compared}, {w}") for do, w in (("or", word), ("and", others))]
    now.append(code.let(f"select i1 {has_join}, i64 {now[0]}, i64 {now[1]}"))
    block.put(code, "%state", "compared", now[2])
    # Lanes of a warp-split that is not divided keep it: all of them are on their side.
    t, members = masks.mask_type, []
    for c, sides in enumerate(zip(*(masks.chunks(w) for w in ("%fall", "%taken")), strict=True)):
        kept = f"splat (i{block.bits} -1)"
        for side, own in zip(sides, ("%fall", "%taken"), strict=True):
            kept = code.let(f"select {t} {side}, {v} {block.part(code, own, c)}, {v} {kept}")
        old = block.load(code, "%state", "members", c)
        members.append(code.let(f"and {v} {old}, {kept}"))
    block.set_members(code, "%state", members)
    _deepen(block, code, word)
    code.line("ret void")
    given = "ptr %state, ptr %before, i64 %fall, i64 %taken, i64 %parted, i64 %most"
    return definition(f"define internal void @split({given}) noinline", code)


def _deepen(block: SplitBlock, code: FunctionText, word: str) -> None:
    """Let the stacks of lanes grow that a branch has divided: the first side is on top."""
    v = block.bytes
    some, jump = (block.of_bytes(code, w) for w in (word, "%taken"))
    t = block.some_bytes
    depth = block.levels(code, "%state", "depth")
    most = code.let("trunc i64 %most to i8")
    most = block.spread_byte(code, most)
    highest = code.let(f"add {v} {depth}, {most}")
    highest = code.let(f"select {t} {some}, {v} {highest}, {v} zeroinitializer")
    known = block.levels(code, "%state", "deepest")
    highest = code.intrinsic("llvm.umax", v, f"{v} {known}", f"{v} {highest}")
    block.set_levels(code, "%state", "deepest", highest)
    more = code.let(f"select {t} {jump}, {v} splat (i8 1), {v} splat (i8 2)")
    more = code.let(f"select {t} {some}, {v} {more}, {v} zeroinitializer")
    block.set_levels(code, "%state", "depth", code.let(f"add {v} {depth}, {more}"))


def _move(block: SplitBlock, code: FunctionText, source: str, to: str, word: str) -> None:
    """Let lanes of a mask have in one block what they have in another one."""
    masks = block.masks(code)
    for c, some in enumerate(masks.chunks(word)):
        new, old = (block.load(code, b, "members", c) for b in (source, to))
        value = code.let(
            f"select {masks.mask_type} {some}, {block.vector} {new}, {block.vector} {old}"
        )
        block.store(code, to, "members", c, value)
    _move_entries(block, code, source, to, word)


def _move_entries(block: SplitBlock, code: FunctionText, source: str, to: str, word: str) -> None:
    """Let lanes have the depth of a stack and whether its top has a PC to compare with."""
    v = block.bytes
    new, old = (block.levels(code, b, "depth") for b in (source, to))
    some = block.of_bytes(code, word)
    value = code.let(f"select {block.some_bytes} {some}, {v} {new}, {v} {old}")
    block.set_levels(code, to, "depth", value)
    new, old = (block.get(code, b, "compared") for b in (source, to))
    changed = code.let(f"and i64 {code.let(f'xor i64 {new}, {old}')}, {word}")
    block.put(code, to, "compared", code.let(f"xor i64 {old}, {changed}"))


def rejoin(block: SplitBlock, code: FunctionText) -> str:
    """Return the function that gives lanes the warp-splits again that they had.

    It takes the state of the warp, the block of the re-convergence node, and the lanes.
    """
    is_open = block.get(code, "%before", "open")
    block.put(code, "%before", "open", code.let(f"xor i64 {is_open}, %back"))
    v, masks, members = block.vector, block.masks(code), []
    for c, some in enumerate(masks.chunks("%back")):
        new, old = (block.load(code, b, "members", c) for b in ("%before", "%state"))
        members.append(code.let(f"select {masks.mask_type} {some}, {v} {new}, {v} {old}"))
    _move_entries(block, code, "%before", "%state", "%back")
    block.set_members(code, "%state", members)
    code.line("ret void")
    given = "ptr %state, ptr %before, i64 %back"
    return definition(f"define internal void @rejoin({given}) noinline", code)
