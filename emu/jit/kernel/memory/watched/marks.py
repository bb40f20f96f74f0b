"""Marks of places in memory: watched accesses outside of loops, warp by warp.

Owners (owners.py) say which work-item has a place. Where no watched access is in a loop, less does:
two bits for each place, whether an earlier warp has accessed it, and whether one has stored to it.
A warp runs first. At its end the places of all its accesses are compared with these bits and then
marked, 64 places at a time. Accesses at one address are marked together, so that a load and a store
of one lane do not meet.

This is stricter than need be where a lane has a place by two addresses, and where a load counts as
a store to its place (analysis/counting/known_places.py). A launch in which accesses meet starts
over less strictly, and at last owners decide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from .....analysis.counting.independence import Reliance
from .....analysis.values.ssa import Op
from ....llvm.parts import mask_of_bits
from ....llvm.text import integer
from ...lane_code import LaneCode
from ..addressing.addresses import Addresses
from ..addressing.forms import Form
from .mark_words import WORD, MarkWords
from .marked_groups import Group
from .owners import Owners


class Marks:
    """Emits the watching of a warp's accesses; `owners` watches those that only keep out."""

    def __init__(
        self,
        lanes: LaneCode,
        relied: Reliance,
        addresses: Addresses,
        owners: Owners,
        groups: dict[Op, Group],
        params: int,
    ) -> None:
        self.lanes = lanes
        self._addresses, self._owners, self._of = addresses, owners, groups
        self._marks = MarkWords(lanes, relied.unit, params)
        self._groups = list({g.number: g for g in groups.values()}.values())
        self._changed = {g.number for op, g in groups.items() if not op.ins.row.is_load}
        """The numbers of groups with stores."""
        self._words = lanes.variables

    def begin_warp(self) -> None:
        """Begin a warp, which has accessed nothing."""
        self._marks.begin()
        for group in self._groups:
            self._words.set_word(group.touched, "0")
            self._words.set_word(group.stored, "0")

    def begin_round(self) -> None:
        """Begin the time after a barrier: places of global memory are owned for the launch."""

    def watch(self, op: Op) -> None:
        """Note an access before it runs."""
        group = self._of.get(op)
        if group is None:
            self._owners.watch(op)
            return
        mask = self.lanes.word(self.lanes.mask)
        if op is group.first:
            self._words.set_word(group.touched, mask)
            self._note_place(group)
            if self.lanes.facts.strict and group.number in self._changed:
                self._words.set_word(group.stored, mask)
        if not op.ins.row.is_load:
            known = self._words.word(group.stored)
            mask = self.lanes.code.let(f"or i64 {known}, {mask}")
            self._words.set_word(group.stored, mask)

    # --- places

    def _note_place(self, group: Group) -> None:
        """Keep the place of index 0 (or of the first lanes), and the indices if lanes diverge."""
        lanes, code, form = self.lanes, self.lanes.code, group.form
        window = self._addresses.param_window(group.param, store=False)
        start = self._addresses.distance(form, window)
        start = code.let(f"ashr i64 {start}, {self._marks.shift}")
        firsts = self._firsts(group)
        if firsts is None:
            assert form.index is not None
            self._words.set_word(group.place, start)
            types = [integer(32, lanes.n)] * lanes.k
            self._words.store(f"{group.place} index", types, lanes.vector(form.index))
            return
        places = [start if i is None else self._first_place(form, start, i) for i in firsts]
        self._words.store(group.place, ["i64"] * len(places), places)

    def _firsts(self, group: Group) -> Sequence[str | None] | None:
        """Return the indices of lanes from which others count, None in place of no index.

        Return None if the indices of lanes have nothing in common.
        """
        lanes, index = self.lanes, group.form.index
        if index is None:
            return [None]
        if lanes.shapes.stride(index) == 1:
            return [lanes.lane0(index)]
        if lanes.is_pieced(index) and lanes.shapes.piece_stride(index) in (0, 1):
            return lanes.firsts(index)
        return None

    def _step(self, group: Group) -> int:
        """Return the step from lane to lane of a group with first places."""
        index = group.form.index
        if index is None:
            return 0
        shapes = self.lanes.shapes
        return 1 if shapes.stride(index) == 1 else shapes.piece_stride(index) or 0

    def _first_place(self, form: Form, start: str, index: str) -> str:
        """Return the place of an index; -1 if the indices that follow it wrap around."""
        code = self.lanes.code
        place = code.let(f"add i64 {start}, {self._widened(form, index)}")
        return code.let(f"select i1 {self._counts_on(form, index)}, i64 {place}, i64 -1")

    def _widened(self, form: Form, index: str) -> str:
        return self.lanes.code.let(f"{'sext' if form.signed else 'zext'} i32 {index} to i64")

    def _counts_on(self, form: Form, index: str) -> str:
        """Return whether none of the indices after one wraps around, an i1."""
        if form.signed:
            return self.lanes.code.let(f"icmp slt i32 {index}, {(1 << 31) - WORD}")
        return self.lanes.code.let(f"icmp ult i32 {index}, {(1 << 32) - WORD}")

    # --- the end of a warp

    def end_warp(self) -> None:
        """Compare the places of a warp with those of earlier ones, and mark them."""
        code = self.lanes.code
        for group in self._groups:
            touched, stored = (self._words.word(w) for w in (group.touched, group.stored))
            then = self._if_any(touched)
            self._mark(group, touched, stored)
            code.jump(then)
            code.block(then)
        self._marks.end(self._groups[0].first.pc)

    def _if_any(self, word: str) -> str:
        """Begin a block that runs if a word is not 0; return the label of what follows it."""
        code = self.lanes.code
        some, then = code.fresh_label("k"), code.fresh_label("k")
        code.branch(code.let(f"icmp ne i64 {word}, 0"), some, then)
        code.block(some)
        return then

    def _mark(self, group: Group, touched: str, stored: str) -> None:
        """Mark the places of a group, given its lanes."""
        lanes, code = self.lanes, self.lanes.code
        if self._is_scattered(group):
            self._mark_scattered(group, touched, stored)
            return
        step = self._step(group)
        index = group.form.index
        whole = index is None or lanes.shapes.stride(index) == 1
        n = lanes.facts.width if whole else lanes.pieces.n
        count = lanes.facts.width // n
        for i, place in enumerate(self._words.load(group.place, ["i64"] * count)):
            on, changed = (self._part(word, i, n) for word in (touched, stored))
            then = self._if_any(on)
            if step:
                self._marks.touch(group.param, place, on, changed)
            else:
                self._touch_one(group, place, on, changed)
            code.jump(then)
            code.block(then)

    def _is_scattered(self, group: Group) -> bool:
        lanes, index = self.lanes, group.form.index
        return not (
            index is None
            or lanes.shapes.stride(index) == 1
            or (lanes.is_pieced(index) and lanes.shapes.piece_stride(index) in (0, 1))
        )

    def _part(self, word: str, number: int, n: int) -> str:
        """Return the lanes of the `number`-th piece of `n` lanes, an i64."""
        code = self.lanes.code
        if n == self.lanes.facts.width:
            return word
        word = code.let(f"lshr i64 {word}, {number * n}") if number else word
        return code.let(f"and i64 {word}, {(1 << n) - 1}")

    def _touch_one(self, group: Group, place: str, on: str, changed: str) -> None:
        """Mark one place that all lanes access; if one stores, it must be the only one."""
        code = self.lanes.code
        several = code.let(f"and i64 {on}, {code.let(f'sub i64 {on}, 1')}")
        several = code.let(f"icmp ne i64 {several}, 0")
        stores = code.let(f"icmp ne i64 {changed}, 0")
        self._marks.refuse(code.let(f"zext i1 {code.let(f'and i1 {several}, {stores}')} to i64"))
        self._marks.touch(group.param, place, "1", code.let(f"zext i1 {stores} to i64"))

    def _mark_scattered(self, group: Group, touched: str, stored: str) -> None:
        """Mark the places of a group whose indices have nothing in common; they may be a row."""
        lanes, code, t = self.lanes, self.lanes.code, integer(32, self.lanes.n)
        start = self._words.word(group.place)
        chunks = self._words.load(f"{group.place} index", [t] * lanes.k)
        first = code.let(f"extractelement {t} {chunks[0]}, i32 0")
        row, others, after = (code.fresh_label("k") for _ in range(3))
        code.branch(self._is_row(group, first, chunks, touched), row, others)
        code.block(row)
        place = code.let(f"add i64 {start}, {self._widened(group.form, first)}")
        self._marks.touch(group.param, place, touched, stored)
        code.jump(after)
        code.block(others)

        def one_by_one() -> None:
            for j, indices in enumerate(chunks):
                on, changed = (self._part(word, j, lanes.n) for word in (touched, stored))
                then = self._if_any(on)
                each = partial(self._mark_each, group, start, indices, on, changed)
                self._mark_near(group, start, [indices], on, changed, each)
                code.jump(then)
                code.block(then)

        self._mark_near(group, start, chunks, touched, stored, one_by_one)
        code.jump(after)
        code.block(after)

    def _is_row(self, group: Group, first: str, chunks: Sequence[str], on: str) -> str:
        """Return whether the lanes that are on have indices that follow that of lane 0, an i1."""
        lanes, code, t = self.lanes, self.lanes.code, integer(32, self.lanes.n)
        apart = []
        for j, (indices, steps) in enumerate(zip(chunks, lanes.steps(32), strict=True)):
            origin = code.let(f"sub {t} {indices}, {steps}")
            differs = code.let(f"icmp ne {t} {origin}, {lanes.chunk_of(32, first)}")
            mask = self._chunk(self._part(on, j, lanes.n))
            apart.append(code.let(f"and {lanes.mask_type} {differs}, {mask}"))
        together = code.let(f"xor i1 {lanes.any(apart)}, true")
        return code.let(f"and i1 {together}, {self._counts_on(group.form, first)}")

    def _mark_near(
        self,
        group: Group,
        start: str,
        chunks: Sequence[str],
        on: str,
        changed: str,
        otherwise: Callable[[], None],
    ) -> None:
        """Mark places of which all are in a block of 64; `otherwise` emits what to do if not."""
        lanes, code, t = self.lanes, self.lanes.code, integer(32, self.lanes.n)
        some = code.let(f"extractelement {t} {chunks[0]}, i32 0")
        if len(chunks) == 1:
            lowest = code.call("i64", "llvm.cttz.i64", f"i64 {on}", "i1 false")
            some = code.let(f"extractelement {t} {chunks[0]}, i64 {lowest}")
        block = code.let(f"and i32 {some}, {-WORD}")
        inside, far = [], []
        for j, indices in enumerate(chunks):
            mask = self._chunk(self._part(on, j, lanes.n) if len(chunks) > 1 else on)
            inside.append(code.let(f"xor {t} {indices}, {lanes.chunk_of(32, block)}"))
            flags = code.let(f"icmp uge {t} {inside[-1]}, splat (i32 {WORD})")
            far.append(code.let(f"and {lanes.mask_type} {flags}, {mask}"))
        near, apart, then = (code.fresh_label("k") for _ in range(3))
        code.branch(lanes.any(far), apart, near)
        code.block(near)
        place = code.let(f"add i64 {start}, {self._widened(group.form, block)}")
        self._mark_block(group, place, inside, on, changed)
        code.jump(then)
        code.block(apart)
        otherwise()
        code.jump(then)
        code.block(then)

    def _mark_block(
        self, group: Group, place: str, inside: Sequence[str], on: str, changed: str
    ) -> None:
        """Mark places of a block of 64 that begins at `place`; `inside` are those of lanes."""
        lanes, code, t = self.lanes, self.lanes.code, integer(64, self.lanes.n)
        bits = []
        for chunk in inside:
            wide = code.let(f"zext {integer(32, lanes.n)} {chunk} to {t}")
            bits.append(code.let(f"shl {t} splat (i64 1), {wide}"))

        def places(word: str) -> str:
            total = ""
            for j, chunk in enumerate(bits):
                mask = self._chunk(self._part(word, j, lanes.n) if len(bits) > 1 else word)
                some = f"select {lanes.mask_type} {mask}, {t} {chunk}, {t} zeroinitializer"
                some = code.let(some)
                total = code.let(f"or {t} {total}, {some}") if total else some
            return code.call("i64", f"llvm.vector.reduce.or.v{lanes.n}i64", f"{t} {total}")

        loads, stores, then = (code.fresh_label("k") for _ in range(3))
        code.branch(code.let(f"icmp eq i64 {changed}, 0"), loads, stores)
        code.block(loads)
        self._marks.touch(group.param, place, places(on), "0")
        code.jump(then)
        code.block(stores)
        own = places(changed)
        others = places(code.let(f"xor i64 {on}, {changed}"))
        self._marks.refuse(code.let(f"and i64 {own}, {others}"))
        counts = (code.call("i64", "llvm.ctpop.i64", f"i64 {w}") for w in (own, changed))
        self._marks.refuse(code.let("xor i64 {}, {}".format(*counts)))
        self._marks.touch(group.param, place, code.let(f"or i64 {own}, {others}"), own)
        code.jump(then)
        code.block(then)

    def _mark_each(self, group: Group, start: str, indices: str, on: str, changed: str) -> None:
        """Mark the places of lanes one after the other."""
        code, t = self.lanes.code, integer(32, self.lanes.n)
        before, head, after = code.current_block, code.fresh_label("k"), code.fresh_label("k")
        rest, latch = code.fresh_name(), code.fresh_label("k")
        code.jump(head)
        code.block(head)
        left = code.phi("i64", (on, before), (rest, latch))
        lane = code.call("i64", "llvm.cttz.i64", f"i64 {left}", "i1 false")
        index = code.let(f"extractelement {t} {indices}, i64 {lane}")
        place = code.let(f"add i64 {start}, {self._widened(group.form, index)}")
        stores = code.let(f"and i64 {code.let(f'lshr i64 {changed}, {lane}')}, 1")
        self._marks.touch(group.param, place, "1", stores)
        code.jump(latch)
        code.block(latch)
        code.let(f"and i64 {left}, {code.let(f'sub i64 {left}, 1')}", rest)
        code.branch(code.let(f"icmp ne i64 {rest}, 0"), head, after)
        code.block(after)

    def _chunk(self, word: str) -> str:
        """Return the lanes of a chunk as its mask."""
        lanes, code = self.lanes, self.lanes.code
        if lanes.n != 64:
            word = code.let(f"trunc i64 {word} to i{lanes.n}")
        return mask_of_bits(code, lanes.n, word)
