"""Addresses as sums, and the buffer in which each is expected.

An address that is a sum of uniform values, one 32-bit index times a constant, and a constant, with
one pointer parameter among the uniform values, is checked against the buffer of that parameter:
its limits are computed once per call, and no 64-bit arithmetic is left for each lane.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ......isa.program import Param
from .....analysis.values.ssa import Op, Value
from ....arithmetic.widths import element_number
from ....llvm.text import integer, integer_constant
from ....runtime.context import BASE, DELTA, SIZE, WRITABLE, Slot, owners_slot, param_slot
from ...context_code import load_slot
from ...lane_code import LaneCode
from .forms import Form, Forms
from .gathered import place_of_vector
from .pointers import Pointers
from .windows import LARGEST_WINDOW, Place, Row, Window

LARGEST_CELL = 8
"""The largest number of bytes by which a gather multiplies an index."""

MOST_BEFORE = 1 << 20
"""Bytes before a buffer from which indices may count; products of indices stay below 2^31."""

LARGEST_STEP = 1 << 20
"""The largest step of a row's elements."""


@dataclass(frozen=True)
class Limit:
    """What is tested in place of an index against the count of its row."""

    count: str
    first: Value | None = None
    """Another index, of 32 bits, that decides for this one; None: the index itself."""
    distance: int = 0
    """How far after that one it is."""


class Addresses:
    """The addresses of a kernel, taken apart."""

    def __init__(self, lanes: LaneCode, params: Sequence[Param], before: frozenset[int]) -> None:
        """Loads by the parameters `before` find what was in memory before their batch."""
        self.lanes = lanes
        self._params = params
        self._before = before
        self.pointers = Pointers(lanes.ssa, params)
        self._windows: dict[tuple[int, bool], Window] = {}
        self._atomic_windows: dict[int, Window] = {}
        self.forms = Forms(lanes)
        self.pinned: dict[int, str] = {}
        """Where the buffers of some parameters begin, for loads of the running warp, as ptr."""
        self.joint: Mapping[tuple[Value, str], Limit] = {}
        """(index, count of a row) -> what is tested in their place."""

    def form(self, value: Value) -> Form | None:
        """Return an address as a sum; None if it is not of that shape."""
        return self.forms.of(value)

    # --- windows

    def window(self, address: Value, form: Form | None, store: bool) -> Window | None:
        """Return the buffer that an address points into, if that is known from how it is made.

        For a `store`, a buffer that may not be written counts as empty.
        """
        position = self.pointers.position(address, form)
        if position is None:
            return None
        window = self.param_window(position, store)
        if store or position not in self.pinned:
            return window
        return replace(window, host=self.pinned[position])

    def window_of_atomic(self, address: Value) -> Window | None:
        """Return the buffer that the address of an atomic points into, if that is known.

        It counts as empty where another thread may change it during the call.
        """
        position = self.pointers.position(address, self.form(address))
        if position is None:
            return None
        if position not in self._atomic_windows:
            entry, window = self.lanes.entry, self.param_window(position, True)
            size = entry.let(f"mul i64 {window.size}, {load_slot(entry, Slot.PLAIN_ATOMICS)}")
            self._atomic_windows[position] = replace(
                window, size=size, limits={}, rows={}, outside={}, words={}
            )
        return self._atomic_windows[position]

    def param_window(self, position: int, store: bool) -> Window:
        """Return the buffer of the pointer parameter at a position."""
        found = self._windows.get((position, store))
        if found is None:
            entry = self.lanes.entry
            slots = (BASE, SIZE, DELTA, WRITABLE)
            base, size, delta, writable = (
                load_slot(entry, param_slot(position, which)) for which in slots
            )
            address = entry.let(f"add i64 {base}, {delta}")
            if position in self._before and not store:
                address = load_slot(entry, owners_slot(len(self._params), position))
            host = entry.let(f"inttoptr i64 {address} to ptr")
            size = entry.intrinsic("llvm.umin", "i64", f"i64 {size}", f"i64 {LARGEST_WINDOW}")
            if store:
                # Not by a select: LLVM would make a second test of it at each access.
                size = entry.let(f"mul i64 {size}, {writable}")
            found = self._windows[position, store] = Window(base, host, size, address)
        return found

    def places(self, window: Window, bytes_: int, size: int, *, in_words: bool = False) -> str:
        """Return how many multiples of `size` an access of `bytes_` bytes may begin at, an i64.

        With `in_words`, those whose words are not in the buffer's pages do not count. Computed once
        per call.
        """
        key = (bytes_, -size if in_words else size)
        known = window.limits.get(key)
        if known is None:
            entry = self.lanes.entry
            room = entry.let(f"add i64 {window.size}, {size}")
            room = entry.intrinsic("llvm.usub.sat", "i64", f"i64 {room}", f"i64 {bytes_}")
            known = entry.let(f"lshr i64 {room}, {size.bit_length() - 1}")
            if in_words:
                unread = window.words_of(entry, size).unread
                known = entry.intrinsic("llvm.usub.sat", "i64", f"i64 {known}", f"i64 {unread}")
            window.limits[key] = known
        return known

    # --- places

    def place(
        self, form: Form, window: Window, bytes_: int, size: int, *, in_vectors: bool = False
    ) -> Place:
        """Return where an access of `bytes_` bytes by elements of `size` begins.

        `in_vectors`: LLVM makes vectors of such places, which are tested.
        An index counts by its lane 0. Single places are elements of rows, where the form allows:
        their tests are the shortest. A row keeps three registers, which wide accesses, fewer in
        number, do not repay.
        """
        found = self.element(form, window, bytes_, size)
        if found is not None:
            row, index = found
            number, limit = self.lanes.scalar(index), self.joint.get((index, row.count))
            if limit is not None:
                row = replace(row, count=limit.count)
                if limit.first is not None:
                    return self._in_record(row, number, limit)
            if in_vectors and row.before is None:
                return place_of_vector(self.lanes, row, number)
            return self._in_row(row, number)
        return self.place_at(self._whole(form, window), window, bytes_, size)

    def element(
        self, form: Form, window: Window, bytes_: int, size: int
    ) -> tuple[Row, Value] | None:
        """Return a row and the 64-bit index into it, if one place for all is an element of one."""
        terms = sorted(form.uniform, key=lambda term: not self.pointers.is_param(term[0]))
        if form.index is not None or len(terms) != 2:
            return None
        (param, one), (index, step) = terms
        position = self.pointers.param_at(param)
        if position is None or one != 1 or not _is_step(step, size):
            return None
        row = self._row(position, form.constant, step, bytes_, size, window)
        if form.constant >= 0 and _is_unsigned(index):
            row = self._from_zero(row, window, (form.constant, step, bytes_, size))
        return row, index

    def place_at(self, offset: str, window: Window, bytes_: int, size: int) -> Place:
        """Return the place at an offset into a window, an i64."""
        places = self.places(window, bytes_, size)
        number = element_number(self.lanes.code, offset, size, 0)
        inside = self.lanes.code.let(f"icmp ult i64 {number}, {places}")
        return Place(inside, lambda: self.host(window, offset), lambda: offset)

    def host_inside(self, form: Form, window: Window) -> str:
        """Return the host address of a place that is inside, a ptr: that of lane 0's index.

        The constant comes last, so that places at constant distances share a register.
        """
        near = self.host(window, self._whole(replace(form, constant=0), window))
        return self.lanes.code.let(f"getelementptr i8, ptr {near}, i64 {form.constant}")

    def first(self, form: Form) -> str | None:
        """Return the index of lane 0, an i64; None without an index."""
        if form.index is None:
            return None
        how = "sext" if form.signed else "zext"
        return self.lanes.code.let(f"{how} i32 {self.lanes.lane0(form.index)} to i64")

    def _whole(self, form: Form, window: Window) -> str:
        """Return the offset of a form into a window with the index of lane 0, an i64."""
        offset, first = self.distance(form, window), self.first(form)
        if first is None:
            return offset
        return self.plus_scaled(offset, first, form.scale)

    def _in_record(self, row: Row, index: str, limit: Limit) -> Place:
        """Return the place of an index, an i64, if the first one of its record passes the test.

        Then it has not wrapped around, so LLVM may add the distance to the place of the first one.
        """
        code = self.lanes.code
        assert limit.first is not None
        first = code.let(f"zext i32 {self.lanes.scalar(limit.first)} to i64")
        near = self._in_row(row, code.let(f"add i64 {first}, {limit.distance}"))
        inside = code.let(f"icmp ult i64 {first}, {row.count}")
        return Place(inside, near.host, lambda: self.plus_scaled(row.offset, index, row.step))

    def _in_row(self, row: Row, index: str) -> Place:
        code, inside = self.lanes.code, self.is_inside(row, index)
        cell = f"[{row.step} x i8]"

        def host() -> str:
            return code.let(f"getelementptr {cell}, ptr {row.host}, i64 {index}")

        def offset() -> str:
            return self.plus_scaled(row.offset, index, row.step)

        return Place(inside, host, offset)

    def is_inside(self, row: Row, index: str) -> str:
        """Return whether the element of an index, an i64, lies inside the buffer; an i1."""
        if row.before is not None:
            index = self.lanes.code.let(f"add i64 {index}, {row.before}")
        return self.lanes.code.let(f"icmp ult i64 {index}, {row.count}")

    def _from_zero(self, row: Row, window: Window, key: tuple[int, ...]) -> Row:
        """Return a row for indices that are not negative: one instruction less tests them.

        A row that begins before its buffer has no elements then.
        """
        key = (*key, 0)
        if key not in window.rows:
            entry = self.lanes.entry
            # As an unsigned number it is larger than any count if the row begins before.
            rest = f"i64 {row.count}", f"i64 {row.before}"
            count = entry.intrinsic("llvm.usub.sat", "i64", *rest)
            window.rows[key] = replace(row, before=None, count=count)
        return window.rows[key]

    def _row(
        self, position: int, constant: int, step: int, bytes_: int, size: int, window: Window
    ) -> Row:
        """Return the row of accesses at a pointer parameter + a constant + an index * `step`."""
        key = (constant, step, bytes_, size)
        if key in window.rows:
            return window.rows[key]
        entry, shift = self.lanes.entry, step.bit_length() - 1
        offset = entry.let(f"add i64 {self.param_pointer(position)}, {constant}")
        offset = entry.let(f"sub i64 {offset}, {window.base}")
        before = entry.let(f"ashr i64 {offset}, {shift}")
        first = entry.let(f"and i64 {offset}, {step - 1}")
        # A misaligned row begins after the end of any window, so that it has no elements.
        rest = entry.let(f"and i64 {first}, {size - 1}")
        first = entry.let(f"add i64 {first}, {entry.let(f'shl i64 {rest}, 32')}")
        room = entry.let(f"add i64 {window.size}, {step}")
        first = entry.let(f"add i64 {first}, {bytes_}")
        room = entry.intrinsic("llvm.usub.sat", "i64", f"i64 {room}", f"i64 {first}")
        count = entry.let(f"lshr i64 {room}, {shift}")
        host = entry.let(f"getelementptr i8, ptr {window.host}, i64 {offset}")
        window.rows[key] = Row(before, count, host, offset, step)
        return window.rows[key]

    def param_pointer(self, position: int) -> str:
        """Return the pointer parameter at a position as it was given, an i64."""
        entry = self.lanes.entry
        block = entry.let(f"inttoptr i64 {load_slot(entry, Slot.KERNARG)} to ptr")
        place = entry.let(f"getelementptr i8, ptr {block}, i64 {self._params[position].offset}")
        return entry.let(f"load i64, ptr {place}")

    # --- offsets into a window

    def distance(self, form: Form, window: Window) -> str:
        """Return the sum without the index, from the start of the buffer, an i64.

        Parameters come first: what is left of them and the constant does not change in loops.
        """
        code = self.lanes.code
        params = [self.pointers.is_param(value) for value, _ in form.uniform]
        terms = sorted(zip(params, form.uniform, strict=True), key=lambda t: not t[0])
        total = code.let(f"sub i64 {form.constant}, {window.base}")
        for _, (value, factor) in terms:
            term = self.lanes.scalar(value)
            if factor != 1:
                term = code.let(f"mul i64 {term}, {factor}")
            total = code.let(f"add i64 {total}, {term}")
        return total

    def plus_scaled(self, offset: str, index: str, scale: int) -> str:
        """Return an offset and a scaled index together, an i64 like both."""
        code = self.lanes.code
        return code.let(f"add i64 {offset}, {code.let(f'mul i64 {index}, {scale}')}")

    def host(self, window: Window, offset: str) -> str:
        """Return the host address of an offset into a buffer, a ptr."""
        return self.lanes.code.let(f"getelementptr i8, ptr {window.host}, i64 {offset}")

    def hosts(self, host: str, form: Form, indices: Sequence[str]) -> list[str]:
        """Return the host addresses of chunks of indices inside the buffer, counted from `host` on.

        CPUs multiply the indices of a gather by 8 at most. The rest of the scale is multiplied in
        32 bits: tests have shown that products are smaller than a window.
        """
        code, v, n = self.lanes.code, integer(32, self.lanes.n), self.lanes.n
        cell = min(form.scale & -form.scale, LARGEST_CELL)
        if form.scale > cell:
            factor = integer_constant(form.scale // cell, 32, n)
            indices = [code.let(f"mul {v} {i}, {factor}") for i in indices]
        else:
            cell = form.scale
        return self.lanes.places(host, cell, indices)

    def _is_of_param(self, form: Form) -> bool:
        """Return whether an address is a pointer parameter, an index and a constant."""
        if len(form.uniform) != 1:
            return False
        ((value, factor),) = form.uniform
        return factor == 1 and self.pointers.is_param(value)

    def before(self, form: Form) -> int:
        """Return how many indices from 0 on lead before a pointer parameter, as 1 for `a[i - 1]`.

        0 if it is not known whether index 0 does.
        """
        if form.constant >= 0 or not self._is_of_param(form):
            return 0
        return -(form.constant // form.scale) if -form.constant <= MOST_BEFORE else 0

    def count_inside(
        self,
        offset: str,
        size: int,
        scale: int,
        window: Window,
        elements: int = 1,
        before: int = 0,
        *,
        in_words: bool = False,
    ) -> str:
        """Return how many indices from `before` on lead to elements in the buffer.

        This is an i64, and with `before` below 2^31. `offset` is that of index 0; `scale` is a
        multiple of `size`. All of `elements` must be inside, or in words of the buffer's pages.
        """
        code = self.lanes.code
        if before:
            offset = code.let(f"add i64 {offset}, {before * scale}")
        total = self.places(window, size * elements, size, in_words=in_words)
        here = element_number(code, offset, size, 0)
        count = code.intrinsic("llvm.usub.sat", "i64", f"i64 {total}", f"i64 {here}")
        stride = scale // size
        if stride > 1:
            count = code.let(f"add i64 {count}, {stride - 1}")
            count = code.let(f"udiv i64 {count}, {stride}")
        most = (1 << 31) - 1 - before
        return code.intrinsic("llvm.umin", "i64", f"i64 {count}", f"i64 {most}")

    def outside(self, indices: Sequence[str], count: str, before: int = 0) -> list[str]:
        """Return which of 32-bit indices are not among `count` (an i64) from `before` on, masks."""
        code, n = self.lanes.code, self.lanes.n
        v, limit = integer(32, n), self.lanes.chunk_of(32, code.let(f"trunc i64 {count} to i32"))
        if before:
            step = integer_constant(before, 32, n)
            indices = [code.let(f"sub {v} {i}, {step}") for i in indices]
        return [code.let(f"icmp uge {v} {i}, {limit}") for i in indices]


def _is_unsigned(index: Value) -> bool:
    """Return whether a 64-bit index is a 32-bit one that is not negative."""
    return isinstance(index, Op) and index.ins.row.name in ("cvt_u64_u32", "cvt_s64_u32")


def _is_step(step: int, size: int) -> bool:
    """Return whether elements of `size` may be a row: at steps of 2^k times their size."""
    return size <= step <= LARGEST_STEP and step.bit_count() == 1
