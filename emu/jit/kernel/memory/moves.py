"""Data movement that all memory instructions are made of.

Data between registers and memory, accesses of a chunk of lanes, and the choice between the fast and
the slow side of an access.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from .....isa.types import RegClass, Type
from ....analysis.values.ssa import Op
from ...arithmetic.widths import extended, narrowed
from ...llvm.text import floating, integer, register_type
from ...llvm.toolchain import host_has
from ...llvm.vectors import CHUNK, VectorCode
from ..lane_code import LaneCode

STALE = "stale"
"""The variable that says whether the cold side has stored to where blocks were loaded from, an i1.

That may be any buffer.
"""

FAILED = "failed"
"""The variable that says whether a test has failed in a row that is taken at once, an i1."""

WORD = 32
"""Bits of the smallest element that CPUs gather."""


class Moves:
    """Emits data movement for the running lanes of one kernel."""

    def __init__(self, lanes: LaneCode) -> None:
        self.lanes = lanes
        self._zeros: dict[str, str] = {}
        """Zeros that LLVM does not know of, by type."""
        self._nowhere = ""
        """A place for lanes that do not run, a ptr; made when it is needed."""

    # --- the fast and the slow side

    def either(
        self,
        good: str,
        fast: Callable[[], list[str]],
        slow: Callable[[], list[str]],
        cls: RegClass,
        n: int,
        floats: int = 0,
    ) -> list[str]:
        """Emit both sides of an access: the fast one runs if `good` (an i1) is true.

        Each side returns what it has loaded, in registers of a class: chunks of n lanes (0: a
        scalar). The result is that of the side that was taken. If these are `floats` of so many
        bits, LLVM keeps them in registers of floats.
        """
        if self.lanes.otherwise:
            self.lanes.rely_on(good)
            return fast()
        if self.lanes.notes_failures:
            self._note(good)
            return self.either_way(good, fast, lambda: ["0"], cls, n, floats)
        return self.either_way(good, fast, slow, cls, n, floats)

    def _note(self, holds: str) -> None:
        """Note if a condition (an i1) does not hold."""
        code, variables = self.lanes.code, self.lanes.variables
        (failed,) = variables.load(FAILED, ["i1"])
        fails = code.let(f"xor i1 {holds}, true")
        variables.store(FAILED, ["i1"], [code.let(f"or i1 {failed}, {fails}")])

    def either_way(
        self,
        good: str,
        fast: Callable[[], list[str]],
        slow: Callable[[], list[str]],
        cls: RegClass,
        n: int,
        floats: int = 0,
    ) -> list[str]:
        """Emit two sides as `either` does, also where other code is run unless all is fast."""
        code = self.lanes.code
        fast_label, slow_label, after = (code.fresh_label("m") for _ in range(3))
        known = dict(self.lanes.local)
        code.branch(good, fast_label, slow_label)
        values, ends = [], []
        for label, side in ((fast_label, fast), (slow_label, slow)):
            # What the other side has loaded is not known here.
            self.lanes.local = dict(known)
            code.block(label)
            found = side()
            # LLVM would make integers of 512 bits of a load if pieces load single elements from
            # where the vector is stored next.
            if n and self.lanes.facts.one_warp and self.lanes.facts.piece:
                found = [code.let(f"freeze {register_type(cls, n)} {x}") for x in found]
            if floats:
                found = [code.to_float(floats, x, n) for x in found]
            values.append(found)
            ends.append(code.current_block)
            code.jump(after)
        self.lanes.local = known
        code.block(after)
        t = floating(floats, n) if floats else register_type(cls, n)
        joined = (
            code.phi(t, *zip(sources, ends, strict=True)) for sources in zip(*values, strict=True)
        )
        return [code.from_float(floats, x, n) if floats else x for x in joined]

    # --- data

    def store_data(self, op: Op, type_: Type) -> list[str]:
        """Return what a store writes, chunk by chunk."""
        chunks = self.lanes.stored(op, self.lanes.vector(op.args[0]), self.lanes.n)
        return [narrowed(self.lanes.code, c, type_, self.lanes.n) for c in chunks]

    def store_scalar(self, op: Op, type_: Type) -> str:
        """Return what a store of a uniform value writes."""
        data = self.lanes.stored(op, [self.lanes.scalar(op.args[0])], 0)[0]
        return narrowed(self.lanes.code, data, type_, 0)

    # --- one address

    def nowhere(self) -> str:
        """Return a place for what lanes that do not run store, a ptr."""
        if not self._nowhere:
            entry = self.lanes.entry
            self._nowhere = entry.let("alloca i64, align 8")
            # LLVM would make a branch around a store to where it knows that nothing is loaded.
            entry.line(f"store volatile ptr {self._nowhere}, ptr {self._nowhere}")
        return self._nowhere

    def load(self, type_: Type, host: str, *, seldom: bool = False) -> str:
        """Load a scalar, as a register.

        LLVM would make one load of two places of a common one and one that is `seldom` made.
        """
        code, verb = self.lanes.code, "load volatile" if seldom else "load"
        if type_.is_float and type_.bits >= 32:
            number = code.let(f"{verb} {floating(type_.bits, 0)}, ptr {host}")
            return code.from_float(type_.bits, number, 0)
        return extended(code, code.let(f"{verb} i{type_.bits}, ptr {host}"), type_, 0)

    # --- neighbouring elements

    def load_wide(self, type_: Type, host: str, *, backwards: bool = False) -> list[str]:
        """Load the elements from an address on, one a lane, as registers.

        `backwards`: the last lane's element is the first one.
        """
        lanes, code = self.lanes, self.lanes.code
        values, t = [], integer(type_.bits, lanes.n)
        for j in range(lanes.k):
            place = code.let(f"getelementptr i8, ptr {host}, i64 {j * lanes.n * type_.size}")
            raw = code.let(f"load {t}, ptr {place}, align {type_.size}")
            raw = self._reversed(t, raw) if backwards else raw
            values.append(extended(code, raw, type_, lanes.n))
        return values[::-1] if backwards else values

    def _backwards(self, t: str, chunks: Sequence[str]) -> list[str]:
        """Return chunks of type `t` with the last lane first."""
        return [self._reversed(t, chunk) for chunk in chunks[::-1]]

    def _reversed(self, t: str, chunk: str) -> str:
        """Return a chunk of type `t` with the last lane's element first."""
        n = self.lanes.n
        order = ", ".join(f"i32 {lane}" for lane in range(n - 1, -1, -1))
        return self.lanes.code.let(f"shufflevector {t} {chunk}, {t} poison, <{n} x i32> <{order}>")

    def load_running(self, type_: Type, host: str, *, backwards: bool = False) -> list[str]:
        """Load the elements of the running lanes from an address on, as registers; others are 0.

        Nothing is read for other lanes. `backwards`: the last lane's element is the first one.
        """
        lanes, code, masks = self.lanes, self.lanes.code, self.lanes.mask
        places = lanes.chunk_places(host, 8, lanes.n * type_.size)
        if backwards:
            masks = self._backwards(lanes.mask_type, masks)
        loaded = [
            lanes.load_masked(type_.bits, place, mask)
            for place, mask in zip(places, masks, strict=True)
        ]
        if backwards:
            loaded = self._backwards(integer(type_.bits, lanes.n), loaded)
        return [extended(code, raw, type_, lanes.n) for raw in loaded]

    def store_wide(
        self, type_: Type, data: Sequence[str], host: str, *, backwards: bool = False
    ) -> None:
        """Store the elements of the running lanes from an address on.

        `backwards`: the last lane's element is the first one.
        """
        lanes, code, masks = self.lanes, self.lanes.code, self.lanes.mask
        t = integer(type_.bits, lanes.n)
        if backwards:
            data, masks = self._backwards(t, data), self._backwards(lanes.mask_type, masks)
        if type_.bits < 32 or (type_.bits == 32 and lanes.n < CHUNK):
            data = self.without_truncation(t, data)
        for j, (d, mask) in enumerate(zip(data, masks, strict=True)):
            place = code.let(f"getelementptr i8, ptr {host}, i64 {j * lanes.n * type_.size}")
            self.store_masked(lanes, type_, d, place, mask)

    def store_masked(
        self, vectors: VectorCode, type_: Type, data: str, place: str, mask: str
    ) -> None:
        """Store a chunk of running lanes, or a part of one that `vectors` computes with.

        For bytes of eight lanes LLVM 22 widens the mask to 16 lanes by `kmovb`. Where it spills the
        mask it takes that for a copy, and the other eight lanes are stored as well. So such a mask
        is widened as an integer of which LLVM does not know the upper bits.
        """
        code, n = self.lanes.code, vectors.n
        if type_.bits > 8 or not CHUNK // 4 < n < CHUNK:
            vectors.store_masked(type_.bits, data, place, mask)
            return
        order = ", ".join(f"i32 {lane if lane < n else 'poison'}" for lane in range(CHUNK))
        t, wide = integer(8, n), VectorCode(code, CHUNK, 1)
        widened = code.let(f"shufflevector {t} {data}, {t} poison, <{CHUNK} x i32> <{order}>")
        bits = code.let(f"bitcast {vectors.mask_type} {mask} to i{n}")
        bits = code.let(f"zext i{n} {bits} to i{CHUNK}")
        (bits,) = self._hidden(f"i{CHUNK}", [bits])
        running = code.let(f"bitcast i{CHUNK} {bits} to {wide.mask_type}")
        wide.store_masked(8, widened, place, running)

    def without_truncation(self, t: str, data: Sequence[str]) -> list[str]:
        """Hide from LLVM that data are a truncation.

        Where the mask of a masked store is known to have one lane, LLVM 22 makes a scalar store of
        it; if the data are the truncation of one vector register, that stores the wider element.
        Elements of 8 and 16 bits, and of 32 bits in fewer than 16 lanes, can be such truncations.
        """
        return self._hidden(t, data)

    def _hidden(self, t: str, data: Sequence[str]) -> list[str]:
        """Return operands whose bits LLVM knows nothing of."""
        if t not in self._zeros:
            entry = self.lanes.entry
            place = entry.let(f"alloca {t}, align 64")
            entry.line(f"store volatile {t} zeroinitializer, ptr {place}")
            self._zeros[t] = entry.let(f"load volatile {t}, ptr {place}")
        return [self.lanes.code.let(f"or {t} {chunk}, {self._zeros[t]}") for chunk in data]

    # --- any addresses

    def gathers_words(self, type_: Type) -> bool:
        """Return whether loads of a small element are better as gathers of words that it is in.

        CPUs gather words only: LLVM loads smaller elements lane by lane, with a branch for each.
        """
        return type_.bits < WORD and host_has("avx512f")

    def access_each(
        self, op: Op, type_: Type, places: Sequence[str], *, reads_on: bool = False
    ) -> list[str]:
        """Gather or scatter at addresses that are inside; return what was loaded, as registers.

        `reads_on` says that three bytes after an element may be read.
        """
        if op.ins.row.is_load:
            return self.load_each(type_, places, reads_on=reads_on)
        self.store_each(type_, self.store_data(op, type_), places)
        return []

    def load_each(self, type_: Type, places: Sequence[str], *, reads_on: bool = False) -> list[str]:
        """Load from an address a lane, given as chunks of pointers; as registers.

        `reads_on` says that three bytes after an element may be read.
        """
        lanes, code = self.lanes, self.lanes.code
        if reads_on and self.gathers_words(type_):
            return self.load_words(type_, places)
        loaded = (
            lanes.gather(type_.bits, p, m, "zeroinitializer")
            for p, m in self._masked(type_, places)
        )
        return [extended(code, raw, type_, lanes.n) for raw in loaded]

    def load_words(
        self, type_: Type, places: Sequence[str], shifts: Sequence[str] = ()
    ) -> list[str]:
        """Load a word per lane, and return the element that begins at a bit of it, if not at 0."""
        lanes, code = self.lanes, self.lanes.code
        wide, small = integer(WORD, lanes.n), integer(type_.bits, lanes.n)
        values = []
        for i, (place, mask) in enumerate(zip(places, lanes.mask, strict=True)):
            word = lanes.gather(WORD, place, mask, "zeroinitializer", 1 if shifts else type_.size)
            if shifts:
                word = code.let(f"lshr {wide} {word}, {shifts[i]}")
            raw = code.let(f"trunc {wide} {word} to {small}")
            values.append(extended(code, raw, type_, lanes.n))
        return values

    def store_each(self, type_: Type, data: Sequence[str], places: Sequence[str]) -> None:
        """Store to an address a lane; where two are the same the highest lane wins."""
        for d, (p, m) in zip(data, self._masked(type_, places), strict=True):
            if self.lanes.facts.stack:
                self._store_few(type_, d, p, m)
            else:
                self.lanes.scatter(type_.bits, d, p, m)

    def _store_few(self, type_: Type, data: str, places: str, mask: str) -> None:
        """Store a chunk that often has one lane or none, as where one stores for its warp.

        A scatter takes as long for them as for all lanes, also where LLVM knows the mask.
        """
        lanes, code, n = self.lanes, self.lanes.code, self.lanes.n
        bits = code.let(f"bitcast {lanes.mask_type} {mask} to i{n}")
        some, one, many, after = (code.fresh_label("k") for _ in range(4))
        code.branch(code.let(f"icmp eq i{n} {bits}, 0"), after, some)
        code.block(some)
        rest = code.let(f"and i{n} {bits}, {code.let(f'sub i{n} {bits}, 1')}")
        code.branch(code.let(f"icmp eq i{n} {rest}, 0"), one, many)
        code.block(one)
        lane = code.call(f"i{n}", f"llvm.cttz.i{n}", f"i{n} {bits}", "i1 true")
        value = code.let(f"extractelement {integer(type_.bits, n)} {data}, i{n} {lane}")
        place = code.let(f"extractelement <{n} x ptr> {places}, i{n} {lane}")
        code.line(f"store i{type_.bits} {value}, ptr {place}, align {type_.size}")
        code.jump(after)
        code.block(many)
        lanes.scatter(type_.bits, data, places, mask)
        code.jump(after)
        code.block(after)

    def _masked(self, type_: Type, places: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield chunks of pointers with their masks.

        LLVM accesses bytes and 16-bit numbers lane by lane, and makes a branch of each bit of a
        mask. So lanes that do not run access a place of their own, and no lane is masked.
        """
        lanes, code = self.lanes, self.lanes.code
        for chunk, mask in zip(places, lanes.mask, strict=True):
            if type_.bits >= 32:
                yield chunk, mask
                continue
            p = f"<{lanes.n} x ptr>"
            one = code.let(f"insertelement {p} poison, ptr {self.nowhere()}, i32 0")
            order = f"<{lanes.n} x i32> zeroinitializer"
            nowhere = code.let(f"shufflevector {p} {one}, {p} poison, {order}")
            chosen = code.let(f"select {lanes.mask_type} {mask}, {p} {chunk}, {p} {nowhere}")
            yield chosen, "splat (i1 true)"
