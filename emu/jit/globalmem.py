"""Loads and stores of global memory.

The fast way of an access is one wide load or store, a scalar one, or a gather or scatter, behind
one test that every byte of it lies in the buffer of the pointer parameter that the address is made
of. Whatever fails the test goes to the cold side: pointers that leave their buffer for another one
are legal, and faults are told exactly there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...isa.types import Type
from .addresses import Addresses, Form, Window
from .cold import Cold
from .moves import Fork, Moves
from .ssa import Op

if TYPE_CHECKING:
    from .lower import Lowering


class GlobalMemory:
    """Emits the loads and stores of global memory of one kernel."""

    def __init__(self, lowering: Lowering, moves: Moves, cold: Cold) -> None:
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
        form = self.addresses.form(base)
        if form is not None:
            form = replace(form, constant=form.constant + address.offset)
        window = self.addresses.window(form) if form is not None else None
        if form is None or window is None:
            self.cold.access(op, type_)
        elif form.index is None:
            self._uniform(op, type_, form, window)
        else:
            step = self.low.shapes.stride(form.index)
            if step is not None and step * form.scale == type_.size and not form.signed:
                self._run(op, type_, form, window)
            elif form.scale > 0 and form.scale % type_.size == 0 and form.scale.bit_count() == 1:
                self._indexed(op, type_, form, window)
            else:
                self.cold.access(op, type_)

    def _permitted(self, op: Op, window: Window, test: str) -> str:
        if op.ins.row.is_load:
            return test
        code = self.low.code
        may = code.let(f"icmp ne i64 {window.writable}, 0")
        return code.let(f"and i1 {test}, {may}")

    def _uniform(self, op: Op, type_: Type, form: Form, window: Window) -> None:
        """All lanes access one place."""
        low, code, moves, addresses = self.low, self.low.code, self.moves, self.addresses
        offset = addresses.offset(form, window)
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

    def _run(self, op: Op, type_: Type, form: Form, window: Window) -> None:
        """Neighbouring lanes access neighbouring elements: one wide access."""
        low, code, moves, addresses = self.low, self.low.code, self.moves, self.addresses
        assert form.index is not None
        first = code.let(f"zext i32 {low.lane0(form.index)} to i64")
        scaled = code.let(f"mul i64 {first}, {form.scale}")
        offset = code.let(f"add i64 {addresses.offset(form, window)}, {scaled}")
        places = addresses.places(window, type_.size * low.facts.width, type_.size)
        inside = code.let(f"icmp ult i64 {addresses.element(offset, type_.size)}, {places}")
        if len(form.uniform) != 1 or abs(form.constant) >= 1 << 20:
            # With other terms in the base, the index itself might wrap around inside the buffer.
            last = (1 << 32) - low.facts.width
            steady = code.let(f"icmp ule i64 {first}, {last}")
            inside = code.let(f"and i1 {inside}, {steady}")
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
        """Any index: gather or scatter."""
        low, code, moves, addresses = self.low, self.low.code, self.moves, self.addresses
        assert form.index is not None
        v = f"<{low.n} x i32>"
        offset = addresses.offset(form, window)
        count = addresses.elements_behind(offset, type_.size, form.scale, window)
        limit = low.spread_i32(count)
        index = low.vector(form.index)
        outside = [code.let(f"icmp uge {v} {i}, {limit}") for i in index]
        beyond = low.any(low.combine("and", outside, low.mask.chunks))
        inside = self._permitted(op, window, code.let(f"xor i1 {beyond}, true"))
        fork = moves.fork(inside)
        host = addresses.host(window, offset)
        cell = f"[{form.scale} x i8]"
        places = [code.let(f"getelementptr {cell}, ptr {host}, {v} {i}") for i in index]
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
