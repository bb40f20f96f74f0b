"""Loads and stores of global memory.

The fast way of an access is one wide load or store, a scalar one, or a gather or scatter, behind
one test that every byte of it lies in the buffer of the pointer parameter that the address is made
of. Whatever fails the test goes to the cold side: pointers that leave their buffer for another one
are legal, and faults are told exactly there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...isa.instruction import Address
from ...isa.types import RegClass, Type
from .addresses import Addresses, Form, Window
from .cold import Cold
from .moves import Fork, Moves
from .ssa import Op, Value

if TYPE_CHECKING:
    from .instructions import Instructions


class GlobalMemory:
    """Emits the loads and stores of global memory of one kernel."""

    def __init__(self, lowering: Instructions, moves: Moves, cold: Cold) -> None:
        self.low = lowering
        self.moves = moves
        self.cold = cold
        self.addresses = Addresses(lowering)

    def op(self, op: Op) -> None:
        """Emit one load or store."""
        type_, address, base = op.ins.row.type, op.ins.address, op.base
        assert type_ is not None
        assert address is not None
        assert base is not None
        shapes, addresses = self.low.shapes, self.addresses
        form = addresses.form(base)
        window = addresses.window_of(base) if form is None else addresses.window(form)
        if window is None:
            self.cold.access(op, type_)
        elif shapes.is_uniform(base):
            self._uniform(op, type_, self._from(window, self.low.scalar(base), address), window)
        elif shapes.stride(base) == type_.size:
            self._run(op, type_, self._from(window, self.low.lane0(base), address), window)
        elif form is None or form.index is None:
            self._pointers(op, type_, address.offset, window)
        else:
            self._sum(op, type_, replace(form, constant=form.constant + address.offset), window)

    def _from(self, window: Window, base: str, address: Address) -> str:
        """Distance of an address from the start of a buffer, i64."""
        code = self.low.code
        here = code.let(f"add i64 {base}, {address.offset}") if address.offset else base
        return code.let(f"sub i64 {here}, {window.base}")

    def _sum(self, op: Op, type_: Type, form: Form, window: Window) -> None:
        """An address with a 32-bit index."""
        low, code, addresses = self.low, self.low.code, self.addresses
        assert form.index is not None
        step = low.shapes.stride(form.index)
        if step is not None and step * form.scale == type_.size and not form.signed:
            first = code.let(f"zext i32 {low.lane0(form.index)} to i64")
            scaled = code.let(f"mul i64 {first}, {form.scale}")
            offset = code.let(f"add i64 {addresses.offset(form, window)}, {scaled}")
            alone = len(form.uniform) == 1 and addresses.is_param(form.uniform[0][0])
            if alone and abs(form.constant) < 1 << 20:
                self._run(op, type_, offset, window)
                return
            # With other terms in the base, the index itself might wrap around inside the buffer.
            last = (1 << 32) - 1 - step * (low.facts.width - 1)
            self._run(op, type_, offset, window, code.let(f"icmp ule i64 {first}, {last}"))
        elif form.scale > 0 and form.scale % type_.size == 0 and form.scale.bit_count() == 1:
            self._indexed(op, type_, form, window)
        else:
            assert op.ins.address is not None
            self._pointers(op, type_, op.ins.address.offset, window)

    def _permitted(self, op: Op, window: Window, test: str) -> str:
        if op.ins.row.is_load:
            return test
        code = self.low.code
        may = code.let(f"icmp ne i64 {window.writable}, 0")
        return code.let(f"and i1 {test}, {may}")

    def _uniform(self, op: Op, type_: Type, offset: str, window: Window) -> None:
        """All lanes access one place."""
        low, code, moves, addresses = self.low, self.low.code, self.moves, self.addresses
        places = addresses.places(window, type_.size, type_.size)
        inside = code.let(f"icmp ult i64 {addresses.element(offset, type_.size)}, {places}")
        inside = self._permitted(op, window, inside)
        if op.ins.row.is_store and not low.shapes.is_uniform(op.args[0]):
            # The highest lane wins: the cold side stores lane after lane.
            self.cold.access(op, type_)
            return
        fork = moves.fork(inside)
        host = addresses.host(window, offset)
        if op.ins.row.is_load:
            value = moves.load(type_, host)
            fast_end = moves.other_side(fork)
            other = self.cold.first(self.cold.lanes(op, type_), type_)
            slow_end = moves.meet(fork)
            moves.merge(op, 0, [value], fast_end, [other], slow_end)
            return
        code.line(f"store i{type_.bits} {moves.store_scalar(op, type_)}, ptr {host}")
        moves.other_side(fork)
        self.cold.lanes(op, type_)
        moves.meet(fork)

    def _run(
        self, op: Op, type_: Type, offset: str, window: Window, also: str | None = None
    ) -> None:
        """Neighbouring lanes access neighbouring elements: one wide access, `also` permitting."""
        low, code, moves, addresses = self.low, self.low.code, self.moves, self.addresses
        places = addresses.places(window, type_.size * low.facts.width, type_.size)
        inside = code.let(f"icmp ult i64 {addresses.element(offset, type_.size)}, {places}")
        if also is not None:
            inside = code.let(f"and i1 {inside}, {also}")
        inside = self._permitted(op, window, inside)
        fork = moves.fork(inside)
        host = addresses.host(window, offset)
        if op.ins.row.is_load:
            self._join_load(op, type_, moves.load_wide(type_, host), fork)
            return
        moves.store_wide(type_, moves.store_data(op, type_), host)
        moves.other_side(fork)
        self.cold.lanes(op, type_)
        moves.meet(fork)

    def _indexed(self, op: Op, type_: Type, form: Form, window: Window) -> None:
        """Any index: one wide access if the lanes turn out to be neighbours, else each alone."""
        low, addresses = self.low, self.addresses
        assert form.index is not None
        if form.scale == type_.size and _is_computed(form.index):
            self._perhaps_run(op, type_, form, window)
            return
        offset = addresses.offset(form, window)
        count = addresses.elements_behind(offset, type_.size, form.scale, window)
        values = self._each_or_cold(op, type_, form, window, offset, count)
        if values:
            low.define(op, "value", values)

    def _perhaps_run(self, op: Op, type_: Type, form: Form, window: Window) -> None:
        """Look at the indices: neighbours are accessed as one, others by gather or scatter."""
        low, code, moves, addresses = self.low, self.low.code, self.moves, self.addresses
        assert form.index is not None
        v = f"<{low.n} x i32>"
        index = low.vector(form.index)
        offset = addresses.offset(form, window)
        count = addresses.elements_behind(offset, type_.size, form.scale, window)
        first = code.let(f"extractelement {v} {index[0]}, i32 0")
        base = low.spread_i32(first)
        apart = []
        for j, chunk in enumerate(index):
            lanes = ", ".join(f"i32 {j * low.n + i}" for i in range(low.n))
            there = code.let(f"add {v} {base}, <{lanes}>")
            apart.append(code.let(f"icmp ne {v} {chunk}, {there}"))
        neighbours = code.let(f"xor i1 {low.any(apart)}, true")
        wide = code.let(f"zext i32 {first} to i64")
        end = code.let(f"add i64 {wide}, {low.facts.width}")
        fits = code.let(f"icmp ule i64 {end}, {code.let(f'zext i32 {count} to i64')}")
        run = self._permitted(op, window, code.let(f"and i1 {neighbours}, {fits}"))
        fork = moves.fork(run)
        scaled = code.let(f"mul i64 {wide}, {form.scale}")
        host = addresses.host(window, code.let(f"add i64 {offset}, {scaled}"))
        if op.ins.row.is_load:
            values = moves.load_wide(type_, host)
            fast_end = moves.other_side(fork)
            others = self._each_or_cold(op, type_, form, window, offset, count)
            slow_end = moves.meet(fork)
            moves.merge(op, low.n, values, fast_end, others, slow_end)
            return
        moves.store_wide(type_, moves.store_data(op, type_), host)
        moves.other_side(fork)
        self._each_or_cold(op, type_, form, window, offset, count)
        moves.meet(fork)

    def _each_or_cold(
        self, op: Op, type_: Type, form: Form, window: Window, offset: str, count: str
    ) -> list[str]:
        """Gather or scatter on any index, or the cold side; what was loaded."""
        low, code, moves, addresses = self.low, self.low.code, self.moves, self.addresses
        assert form.index is not None
        v = f"<{low.n} x i32>"
        limit = low.spread_i32(count)
        index = low.vector(form.index)
        outside = [code.let(f"icmp uge {v} {i}, {limit}") for i in index]
        beyond = low.any(low.combine("and", outside, low.mask.chunks))
        inside = self._permitted(op, window, code.let(f"xor i1 {beyond}, true"))
        fork = moves.fork(inside)
        host = addresses.host(window, offset)
        cell = f"[{form.scale} x i8]"
        places = [code.let(f"getelementptr {cell}, ptr {host}, {v} {i}") for i in index]
        if not op.ins.row.is_load:
            moves.store_each(type_, moves.store_data(op, type_), places)
            moves.other_side(fork)
            self.cold.lanes(op, type_)
            moves.meet(fork)
            return []
        values = moves.load_each(type_, places)
        fast_end = moves.other_side(fork)
        others = self.cold.registers(self.cold.lanes(op, type_), type_)
        slow_end = moves.meet(fork)
        return moves.either(op.cls, low.n, values, fast_end, others, slow_end)

    def _pointers(self, op: Op, type_: Type, step: int, window: Window) -> None:
        """Whole 64-bit addresses, one a lane: gather or scatter."""
        low, code, moves, addresses = self.low, self.low.code, self.moves, self.addresses
        assert op.base is not None
        v = f"<{low.n} x i64>"
        start = low.spread(RegClass.D, code.let(f"sub i64 {window.base}, {step}"))
        places = low.spread(RegClass.D, addresses.places(window, type_.size, type_.size))
        shift = type_.size.bit_length() - 1
        offsets = [code.let(f"sub {v} {a}, {start}") for a in low.vector(op.base)]
        outside = []
        for offset in offsets:
            element = offset
            if shift:
                element = code.intrinsic(
                    "llvm.fshr", v, f"{v} {offset}", f"{v} {offset}", f"{v} splat (i64 {shift})"
                )
            outside.append(code.let(f"icmp uge {v} {element}, {places}"))
        beyond = low.any(low.combine("and", outside, low.mask.chunks))
        inside = self._permitted(op, window, code.let(f"xor i1 {beyond}, true"))
        fork = moves.fork(inside)
        host = addresses.host(window, "0")
        self._each(
            op, type_, [code.let(f"getelementptr i8, ptr {host}, {v} {o}") for o in offsets], fork
        )

    def _each(self, op: Op, type_: Type, places: list[str], fork: Fork) -> None:
        """A gather or scatter on the fast side of a fork."""
        moves = self.moves
        if op.ins.row.is_load:
            self._join_load(op, type_, moves.load_each(type_, places), fork)
            return
        moves.store_each(type_, moves.store_data(op, type_), places)
        moves.other_side(fork)
        self.cold.lanes(op, type_)
        moves.meet(fork)

    def _join_load(self, op: Op, type_: Type, values: list[str], fork: Fork) -> None:
        """After the fast side of a load: its cold side, and the value of either."""
        fast_end = self.moves.other_side(fork)
        others = self.cold.registers(self.cold.lanes(op, type_), type_)
        slow_end = self.moves.meet(fork)
        self.moves.merge(op, self.low.n, values, fast_end, others, slow_end)


def _is_computed(index: Value) -> bool:
    """Whether an index was calculated; of one that was loaded no order is to be expected."""
    return not (isinstance(index, Op) and index.ins.row.is_load)
