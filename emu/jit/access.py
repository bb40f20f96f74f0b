"""Memory instructions in generated code: cheap checks, wide accesses, and a cold side.

The fast way of an access is one wide load or store, a scalar one, or a gather or scatter, behind
one test that every byte of it lies in the buffer of the pointer parameter that the address is made
of. Whatever fails the test goes to a helper that looks at every lane alone (helpers.ll): pointers
that leave their buffer for another one are legal, and faults are told exactly there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ...isa.types import RegClass, Segment, Type, sign_extend
from .context import BASE, DELTA, SIZE, WRITABLE, Slot, param_slot
from .runtime import atomic_name
from .ssa import Const, Op, Value
from .text import register_type

if TYPE_CHECKING:
    from .lower import Lowering


@dataclass(frozen=True)
class Form:
    """An address as a sum: uniform values times constants, one index times a scale, a constant."""

    uniform: tuple[tuple[Value, int], ...] = ()
    index: Value | None = None
    scale: int = 0
    signed: bool = False
    constant: int = 0


@dataclass
class Window:
    """The buffer that an access is expected in: operands that are computed once per call."""

    base: str
    size: str
    delta: str
    writable: str
    limits: dict[int, str] = field(default_factory=dict)


class Access:
    """Emits the memory instructions of one kernel."""

    def __init__(self, lowering: Lowering) -> None:
        self.low = lowering
        self._arguments: dict[tuple[int, str], str] = {}
        self._windows: dict[int, Window] = {}
        self._scratch: dict[str, str] = {}
        self._known: dict[tuple[Value, str], list[str]] = {}

    def op(self, op: Op) -> None:
        """Emit one instruction."""
        row = op.ins.row
        if row.stem == "lda":
            self._lda(op)
        elif row.segment is Segment.KERNARG:
            self._argument(op)
        elif row.is_atomic:
            self._atomic(op)
        elif row.segment is Segment.GLOBAL:
            self._global(op)
        else:
            self._local(op)

    # --- addresses

    def form(self, value: Value) -> Form | None:
        """An address as a sum; None where it is none of the known shapes."""
        if isinstance(value, Const):
            return Form(constant=sign_extend(value.bits, 64))
        if self.low.shapes.is_uniform(value):
            inner = self._sum(value) if isinstance(value, Op) else None
            return inner or Form(uniform=((value, 1),))
        return self._sum(value) if isinstance(value, Op) else None

    def _sum(self, op: Op) -> Form | None:
        args = op.args
        match op.ins.row.name:
            case "add_u64" | "add_s64":
                return _add(self.form(args[0]), self.form(args[1]))
            case "sub_u64" | "sub_s64":
                return _add(self.form(args[0]), _times(self.form(args[1]), -1))
            case "mul_u64" | "mul_s64":
                return self._product(args[0], args[1])
            case "mad_u64" | "mad_s64":
                return _add(self._product(args[0], args[1]), self.form(args[2]))
            case "shl_u64" | "shl_s64" if isinstance(args[1], Const):
                return _times(self.form(args[0]), 1 << (args[1].bits & 63))
            case "cvt_u64_u32" | "cvt_s64_u32" if not self.low.shapes.is_uniform(op):
                return Form(index=args[0], scale=1)
            case "cvt_u64_s32" | "cvt_s64_s32" if not self.low.shapes.is_uniform(op):
                return Form(index=args[0], scale=1, signed=True)
        return None

    def _product(self, a: Value, b: Value) -> Form | None:
        if isinstance(a, Const):
            a, b = b, a
        return _times(self.form(a), sign_extend(b.bits, 64)) if isinstance(b, Const) else None

    def _base(self, form: Form) -> str:
        """The sum without the index, an i64 operand."""
        code = self.low.code
        total = str(form.constant)
        for value, factor in form.uniform:
            term = self.low.scalar(value)
            if factor != 1:
                term = code.let(f"mul i64 {term}, {factor}")
            total = code.let(f"add i64 {term}, {total}")
        return total

    def _window(self, form: Form) -> Window | None:
        """The buffer of the pointer parameter in an address."""
        kernel = self.low.kernel
        for value, factor in form.uniform:
            if factor == 1 and isinstance(value, Op) and value.ins.row.name == "ld_kernarg_u64":
                assert value.ins.address is not None
                for position, param in enumerate(kernel.params):
                    if param.is_pointer and param.offset == value.ins.address.offset:
                        return self._param_window(position)
        return None

    def _param_window(self, position: int) -> Window:
        found = self._windows.get(position)
        if found is None:
            entry = self.low.entry
            base, size, delta, writable = (
                self.low.slot(param_slot(position, which), entry)
                for which in (BASE, SIZE, DELTA, WRITABLE)
            )
            found = self._windows[position] = Window(base, size, delta, writable)
        return found

    def _places(self, window: Window, bytes_: int, size: int) -> str:
        """At how many multiples of `size` an access of `bytes_` bytes may begin.

        Computed once per call. 0 for buffers of 4 GiB and more, whose indices could wrap around
        unseen: they always take the cold side.
        """
        known = window.limits.get((bytes_ << 8) + size)
        if known is None:
            entry = self.low.entry
            room = entry.let(f"sub i64 {window.size}, {bytes_}")
            fits = entry.let(f"icmp uge i64 {window.size}, {bytes_}")
            small = entry.let(f"icmp ult i64 {window.size}, {1 << 32}")
            both = entry.let(f"and i1 {fits}, {small}")
            shift = size.bit_length() - 1
            last = entry.let(f"lshr i64 {room}, {shift}")
            count = entry.let(f"add i64 {last}, 1")
            known = entry.let(f"select i1 {both}, i64 {count}, i64 0")
            window.limits[(bytes_ << 8) + size] = known
        return known

    # --- arguments and lda

    def _argument(self, op: Op) -> None:
        type_ = op.ins.row.type
        assert type_ is not None and op.ins.address is not None
        key = (op.ins.address.offset, type_.name)
        if key not in self._arguments:
            entry = self.low.entry
            block = entry.let(f"inttoptr i64 {self.low.slot(Slot.KERNARG, entry)} to ptr")
            place = entry.let(f"getelementptr i8, ptr {block}, i64 {op.ins.address.offset}")
            raw = entry.let(f"load i{type_.bits}, ptr {place}")
            if type_.bits < 32:
                how = "sext" if type_.is_signed else "zext"
                raw = entry.let(f"{how} i{type_.bits} {raw} to i32")
            self._arguments[key] = raw
        self.low.define(op, "value", [self._arguments[key]])

    def _lda(self, op: Op) -> None:
        low, code = self.low, self.low.code
        assert op.ins.address is not None
        offset = op.ins.address.offset & 0xFFFF_FFFF
        if op.base is None:
            low.define(op, "value", [str(offset)])
            return
        if low.shapes.is_uniform(op):
            low.define(op, "value", [code.let(f"add i32 {low.scalar(op.base)}, {offset}")])
            return
        v = f"<{low.n} x i32>"
        low.define(
            op,
            "value",
            [code.let(f"add {v} {c}, splat (i32 {offset})") for c in low.vector(op.base)],
        )

    # --- global memory

    def _global(self, op: Op) -> None:
        low = self.low
        type_, address, base = op.ins.row.type, op.ins.address, op.base
        assert type_ is not None and address is not None and base is not None
        form = self.form(base)
        if form is not None:
            form = replace(form, constant=form.constant + address.offset)
        window = self._window(form) if form is not None else None
        if form is None or window is None:
            self._cold_global(op, type_)
        elif form.index is None:
            self._global_uniform(op, type_, form, window)
        else:
            step = low.shapes.stride(form.index)
            if step is not None and step * form.scale == type_.size and not form.signed:
                self._global_run(op, type_, form, window)
            elif form.scale > 0 and form.scale % type_.size == 0 and form.scale.bit_count() == 1:
                self._global_indexed(op, type_, form, window)
            else:
                self._cold_global(op, type_)

    def _offset(self, form: Form, window: Window) -> str:
        """Distance of the uniform part of an address from the start of the buffer, i64."""
        return self.low.code.let(f"sub i64 {self._base(form)}, {window.base}")

    def _host(self, window: Window, offset: str) -> str:
        """The host address of an offset into a buffer, a ptr."""
        code = self.low.code
        start = code.let(f"add i64 {window.base}, {window.delta}")
        host = code.let(f"inttoptr i64 {start} to ptr")
        return code.let(f"getelementptr i8, ptr {host}, i64 {offset}")

    def _element(self, offset: str, size: int) -> str:
        """The number of the element at an offset; huge where the offset is misaligned."""
        if size == 1:
            return offset
        shift = size.bit_length() - 1
        return self.low.code.call(
            "i64", "llvm.fshr.i64", f"i64 {offset}", f"i64 {offset}", f"i64 {shift}"
        )

    def _permitted(self, op: Op, window: Window, test: str) -> str:
        if op.ins.row.is_load:
            return test
        code = self.low.code
        may = code.let(f"icmp ne i64 {window.writable}, 0")
        return code.let(f"and i1 {test}, {may}")

    def _global_uniform(self, op: Op, type_: Type, form: Form, window: Window) -> None:
        low, code = self.low, self.low.code
        offset = self._offset(form, window)
        places = self._places(window, type_.size, type_.size)
        inside = code.let(f"icmp ult i64 {self._element(offset, type_.size)}, {places}")
        inside = self._permitted(op, window, inside)
        if op.ins.row.is_store and not low.shapes.is_uniform(op.args[0]):
            # The highest lane wins: the cold side stores lane after lane.
            self._cold_global(op, type_)
            return
        fast, slow, go = self._fork(inside)
        self._at(fast)
        host = self._host(window, offset)
        if op.ins.row.is_load:
            value = self._extended(code.let(f"load i{type_.bits}, ptr {host}"), type_, 0)
            code.line(f"br label %{go}")
            self._at(slow)
            cold = self._cold_lanes(op, type_)
            lane = code.call("i64", "llvm.cttz.i64", f"i64 {self._mask_word()}", "i1 false")
            cell = code.let(f"getelementptr i64, ptr {cold}, i64 {lane}")
            other = self._extended(code.let(f"load i{type_.bits}, ptr {cell}"), type_, 0)
            end = self._end()
            code.line(f"br label %{go}")
            self._at(go)
            t = register_type(type_.reg, 0)
            low.define(
                op, "value", [code.let(f"phi {t} [ {value}, %{fast} ], [ {other}, %{end} ]")]
            )
            return
        data = low.observed(op.args[0], [low.scalar(op.args[0])], 0)[0]
        data = self._narrowed(data, type_, 0)
        code.line(f"store i{type_.bits} {data}, ptr {host}")
        code.line(f"br label %{go}")
        self._at(slow)
        self._cold_lanes(op, type_)
        code.line(f"br label %{go}")
        self._at(go)

    def _global_run(self, op: Op, type_: Type, form: Form, window: Window) -> None:
        """Neighbouring lanes access neighbouring elements: one wide access."""
        low, code = self.low, self.low.code
        assert form.index is not None
        first = code.let(f"zext i32 {low.lane0(form.index)} to i64")
        scaled = code.let(f"mul i64 {first}, {form.scale}")
        offset = code.let(f"add i64 {self._offset(form, window)}, {scaled}")
        places = self._places(window, type_.size * low.facts.width, type_.size)
        inside = code.let(f"icmp ult i64 {self._element(offset, type_.size)}, {places}")
        if len(form.uniform) != 1 or abs(form.constant) >= 1 << 20:
            # With other terms in the base, the index itself might wrap around inside the buffer.
            last = (1 << 32) - low.facts.width
            steady = code.let(f"icmp ule i64 {first}, {last}")
            inside = code.let(f"and i1 {inside}, {steady}")
        inside = self._permitted(op, window, inside)
        self._wide(op, type_, inside, lambda: self._host(window, offset))

    def _wide(self, op: Op, type_: Type, inside: str, host_of: Callable[[], str]) -> None:
        low, code = self.low, self.low.code
        fast, slow, go = self._fork(inside)
        element = f"<{low.n} x i{type_.bits}>"
        step = low.n * type_.size
        self._at(fast)
        host = host_of()
        if op.ins.row.is_load:
            values = []
            for j in range(low.k):
                place = code.let(f"getelementptr i8, ptr {host}, i64 {j * step}")
                raw = code.let(f"load {element}, ptr {place}, align {type_.size}")
                values.append(self._extended(raw, type_, low.n))
            self._join_load(op, type_, values, slow, go)
            return
        for j, data in enumerate(self._store_data(op, type_)):
            place = code.let(f"getelementptr i8, ptr {host}, i64 {j * step}")
            self._masked_store(type_, data, place, low.mask.chunks[j])
        code.line(f"br label %{go}")
        self._at(slow)
        self._cold_lanes(op, type_)
        code.line(f"br label %{go}")
        self._at(go)

    def _masked_store(self, type_: Type, data: str, place: str, mask: str) -> None:
        low = self.low
        t = f"<{low.n} x i{type_.bits}>"
        name = f"llvm.masked.store.v{low.n}i{type_.bits}.p0"
        low.module.declare(name, f"declare void @{name}({t}, ptr, i32, {low.mask_type})")
        low.code.line(
            f"call void @{name}({t} {data}, ptr {place}, i32 {type_.size}, {low.mask_type} {mask})"
        )

    def _global_indexed(self, op: Op, type_: Type, form: Form, window: Window) -> None:
        """Any index: gather or scatter, or one wide access if the lanes turn out to be neighbours."""
        low, code = self.low, self.low.code
        assert form.index is not None
        v = f"<{low.n} x i32>"
        offset = self._offset(form, window)
        count = self._elements_behind(offset, type_, form.scale, window)
        limit = low.spread_i32(count)
        index = low.vector(form.index)
        outside = [code.let(f"icmp uge {v} {i}, {limit}") for i in index]
        beyond = low.any(low.combine("and", outside, low.mask.chunks))
        inside = self._permitted(op, window, code.let(f"xor i1 {beyond}, true"))
        fast, slow, go = self._fork(inside)
        self._at(fast)
        host = self._host(window, offset)
        cell = f"[{form.scale} x i8]"
        places = [code.let(f"getelementptr {cell}, ptr {host}, {v} {i}") for i in index]
        if op.ins.row.is_load:
            values = [
                self._extended(self._gather(type_, place, m), type_, low.n)
                for place, m in zip(places, low.mask.chunks, strict=True)
            ]
            self._join_load(op, type_, values, slow, go)
            return
        for data, place, m in zip(
            self._store_data(op, type_), places, low.mask.chunks, strict=True
        ):
            self._scatter(type_, data, place, m)
        code.line(f"br label %{go}")
        self._at(slow)
        self._cold_lanes(op, type_)
        code.line(f"br label %{go}")
        self._at(go)

    def _elements_behind(self, offset: str, type_: Type, scale: int, window: Window) -> str:
        """How many indices from 0 on are inside, an i32 below 2^31."""
        code = self.low.code
        room = code.let(f"sub i64 {window.size}, {offset}")
        room = code.let(f"sub i64 {room}, {type_.size}")
        misplaced = self._element(offset, type_.size)
        fits = code.let(f"icmp sge i64 {room}, 0")
        starts = code.let(f"icmp ule i64 {misplaced}, {window.size}")
        good = code.let(f"and i1 {fits}, {starts}")
        count = code.let(f"lshr i64 {room}, {scale.bit_length() - 1}")
        count = code.let(f"add i64 {count}, 1")
        count = code.call("i64", "llvm.umin.i64", f"i64 {count}", f"i64 {(1 << 31) - 1}")
        count = code.let(f"select i1 {good}, i64 {count}, i64 0")
        return code.let(f"trunc i64 {count} to i32")

    def _gather(self, type_: Type, places: str, mask: str) -> str:
        low = self.low
        t, p = f"<{low.n} x i{type_.bits}>", f"<{low.n} x ptr>"
        return low.code.call(
            t,
            f"llvm.masked.gather.v{low.n}i{type_.bits}.v{low.n}p0",
            f"{p} {places}",
            f"i32 {type_.size}",
            f"{low.mask_type} {mask}",
            f"{t} zeroinitializer",
        )

    def _scatter(self, type_: Type, data: str, places: str, mask: str) -> None:
        low = self.low
        t, p = f"<{low.n} x i{type_.bits}>", f"<{low.n} x ptr>"
        name = f"llvm.masked.scatter.v{low.n}i{type_.bits}.v{low.n}p0"
        low.module.declare(name, f"declare void @{name}({t}, {p}, i32, {low.mask_type})")
        low.code.line(
            f"call void @{name}({t} {data}, {p} {places}, i32 {type_.size}, {low.mask_type} {mask})"
        )

    # --- the cold side

    def _cold_global(self, op: Op, type_: Type) -> None:
        """Every lane alone, always."""
        low, code = self.low, self.low.code
        cells = self._cold_lanes(op, type_)
        if not op.ins.row.is_load:
            return
        if low.shapes.is_uniform(op):
            lane = code.call("i64", "llvm.cttz.i64", f"i64 {self._mask_word()}", "i1 false")
            cell = code.let(f"getelementptr i64, ptr {cells}, i64 {lane}")
            raw = code.let(f"load i{type_.bits}, ptr {cell}")
            low.define(op, "value", [self._extended(raw, type_, 0)])
            return
        low.define(op, "value", self._cells(cells, type_))

    def _cold_lanes(self, op: Op, type_: Type) -> str:
        """Call the helper for all running lanes; returns the cells with what was loaded."""
        low, code = self.low, self.low.code
        assert op.ins.address is not None and op.base is not None
        addresses, cells = self._room("addresses"), self._room("cells")
        step = op.ins.address.offset
        for j, chunk in enumerate(low.vector(op.base)):
            t = f"<{low.n} x i64>"
            moved = code.let(f"add {t} {chunk}, splat (i64 {step})") if step else chunk
            place = code.let(f"getelementptr i64, ptr {addresses}, i64 {j * low.n}")
            code.line(f"store {t} {moved}, ptr {place}, align 8")
        is_store = not op.ins.row.is_load
        if is_store:
            self._fill(cells, low.observed(op.args[0], low.vector(op.args[0]), low.n), type_.reg)
        result = code.call(
            "i32",
            "simtlab_move",
            "ptr %ctx",
            f"i64 {self._mask_word()}",
            f"ptr {addresses}",
            f"ptr {cells}",
            f"i64 {type_.size}",
            f"i32 {int(is_store)}",
        )
        self._check(result, op.pc)
        return cells

    def _fill(self, cells: str, chunks: Sequence[str], cls: RegClass) -> None:
        """Put a register into 64-bit cells."""
        low, code = self.low, self.low.code
        for j, chunk in enumerate(chunks):
            wide = chunk
            if cls is not RegClass.D:
                t = register_type(cls, low.n)
                wide = code.let(f"zext {t} {chunk} to <{low.n} x i64>")
            place = code.let(f"getelementptr i64, ptr {cells}, i64 {j * low.n}")
            code.line(f"store <{low.n} x i64> {wide}, ptr {place}, align 8")

    def _cells(self, cells: str, type_: Type) -> list[str]:
        """Registers out of 64-bit cells of which a load has filled the low bytes."""
        low, code = self.low, self.low.code
        chunks = []
        for j in range(low.k):
            place = code.let(f"getelementptr i64, ptr {cells}, i64 {j * low.n}")
            wide = code.let(f"load <{low.n} x i64>, ptr {place}, align 8")
            if type_.bits < 64:
                wide = code.let(f"trunc <{low.n} x i64> {wide} to <{low.n} x i{type_.bits}>")
            chunks.append(self._extended(wide, type_, low.n))
        return chunks

    def _check(self, result: str, pc: int) -> None:
        """Leave if a helper has met a fault: it returned the lane plus one."""
        low, code = self.low, self.low.code
        fault, go = code.name("x")[1:], code.name("x")[1:]
        code.line(f"br i1 {code.let(f'icmp ne i32 {result}, 0')}, label %{fault}, label %{go}")
        code.label(fault)
        low.set_slot(Slot.TRAP_PC, str(pc))
        lane = code.let(f"zext i32 {code.let(f'sub i32 {result}, 1')} to i64")
        low.lanes.report(lane)
        code.line("br label %trapped")
        code.label(go)

    def _room(self, name: str) -> str:
        """Space on the stack for 64 bits a lane."""
        if name not in self._scratch:
            entry = self.low.entry
            self._scratch[name] = entry.let(f"alloca [{self.low.facts.width} x i64], align 64")
        return self._scratch[name]

    def _mask_word(self) -> str:
        return self.low.mask_word(self.low.mask.chunks)

    # --- group, private and readonly memory

    def _local(self, op: Op) -> None:
        low, code = self.low, self.low.code
        row, address, type_ = op.ins.row, op.ins.address, op.ins.row.type
        assert address is not None and type_ is not None
        total = {
            Segment.GROUP: low.group_bytes,
            Segment.PRIVATE: low.private_bytes,
            Segment.READONLY: low.readonly_bytes,
        }[address.segment]
        lowest = max(0, -address.offset)
        span = total - type_.size - address.offset - lowest
        private = address.segment is Segment.PRIVATE
        memory = self._memory(address.segment)
        base: Value = op.base if op.base is not None else Const(RegClass.S, 0)
        uniform = low.shapes.is_uniform(base) and not private
        if span < 0:
            self._local_fault(op, base, total, type_)
            code.label(code.name("u")[1:])
            self._define_anything(op)
            return
        if uniform:
            one = low.scalar(base)
            bad = self._local_test(one, lowest, span, address.offset, type_.size, 0)
            self._local_guard(op, bad, base, total, type_)
            place = self._local_place(memory, one, address.offset)
            if row.is_load:
                raw = code.let(f"load i{type_.bits}, ptr {place}")
                low.define(op, "value", [self._extended(raw, type_, 0)])
                return
            if low.shapes.is_uniform(op.args[0]):
                data = low.observed(op.args[0], [low.scalar(op.args[0])], 0)[0]
                code.line(f"store i{type_.bits} {self._narrowed(data, type_, 0)}, ptr {place}")
                return
            places = [self._spread_ptr(place)] * low.k
        else:
            step = low.shapes.stride(base)
            if step == type_.size and not private:
                self._local_run(op, base, memory, total, lowest, type_)
                return
            chunks = low.vector(base)
            wrong = [
                self._local_test(c, lowest, span, address.offset, type_.size, low.n) for c in chunks
            ]
            bad = low.any(low.combine("and", wrong, low.mask.chunks))
            self._local_guard(op, bad, base, total, type_)
            places = self._local_places(memory, chunks, address.offset, private)
        self._scattered(op, type_, places)

    def _scattered(self, op: Op, type_: Type, places: Sequence[str]) -> None:
        low = self.low
        if op.ins.row.is_load:
            low.define(
                op,
                "value",
                [
                    self._extended(self._gather(type_, p, m), type_, low.n)
                    for p, m in zip(places, low.mask.chunks, strict=True)
                ],
            )
            return
        data = self._store_data(op, type_)
        for d, p, m in zip(data, places, low.mask.chunks, strict=True):
            self._scatter(type_, d, p, m)

    def _memory(self, segment: Segment) -> str:
        low = self.low
        if segment is Segment.PRIVATE:
            return low.private_memory("%w" if low.has_barrier else "0")
        slot = Slot.GROUP_MEMORY if segment is Segment.GROUP else Slot.READONLY
        return low.code.let(f"inttoptr i64 {low.slot(slot)} to ptr")

    def _local_test(self, base: str, lowest: int, span: int, offset: int, size: int, n: int) -> str:
        """Whether base + offset is outside the segment or misaligned (i1 or a mask)."""
        code = self.low.code
        t = f"<{n} x i32>" if n else "i32"

        def k(value: int) -> str:
            value &= 0xFFFF_FFFF
            return f"splat (i32 {value})" if n else str(value)

        far = code.let(f"sub {t} {base}, {k(lowest)}") if lowest else base
        bad = code.let(f"icmp ugt {t} {far}, {k(span)}")
        if size > 1:
            moved = code.let(f"add {t} {base}, {k(offset)}") if offset % size else base
            low_bits = code.let(f"and {t} {moved}, {k(size - 1)}")
            odd = code.let(f"icmp ne {t} {low_bits}, {'zeroinitializer' if n else '0'}")
            flag = f"<{n} x i1>" if n else "i1"
            bad = code.let(f"or {flag} {bad}, {odd}")
        return bad

    def _local_guard(self, op: Op, bad: str, base: Value, total: int, type_: Type) -> None:
        code = self.low.code
        fault, go = code.name("l")[1:], code.name("l")[1:]
        code.line(f"br i1 {bad}, label %{fault}, label %{go}")
        known = dict(self.low.local)
        code.label(fault)
        self._local_fault(op, base, total, type_)
        code.label(go)
        self.low.local = known

    def _local_fault(self, op: Op, base: Value, total: int, type_: Type) -> None:
        """Some lane is outside: find out which, and leave."""
        low, code = self.low, self.low.code
        assert op.ins.address is not None
        offsets = self._room("addresses")
        for j, chunk in enumerate(low.vector(base)):
            t = f"<{low.n} x i64>"
            wide = code.let(f"zext <{low.n} x i32> {chunk} to {t}")
            moved = code.let(f"add {t} {wide}, splat (i64 {op.ins.address.offset})")
            place = code.let(f"getelementptr i64, ptr {offsets}, i64 {j * low.n}")
            code.line(f"store {t} {moved}, ptr {place}, align 8")
        result = code.call(
            "i32",
            "simtlab_local_fault",
            "ptr %ctx",
            f"i64 {self._mask_word()}",
            f"ptr {offsets}",
            f"i64 {total}",
            f"i64 {type_.size}",
        )
        low.set_slot(Slot.TRAP_PC, str(op.pc))
        lane = code.let(f"zext i32 {code.let(f'sub i32 {result}, 1')} to i64")
        low.lanes.report(lane)
        code.line("br label %trapped")

    def _define_anything(self, op: Op) -> None:
        """A value for an access that always faults; nothing ever uses it."""
        low = self.low
        if op.ins.row.is_load:
            types = low.types_of(op.cls, low.shapes.is_uniform(op))
            low.define(op, "value", ["zeroinitializer" if "<" in t else "0" for t in types])

    def _local_place(self, memory: str, base: str, offset: int) -> str:
        code = self.low.code
        wide = code.let(f"zext i32 {base} to i64")
        moved = code.let(f"add i64 {wide}, {offset}")
        return code.let(f"getelementptr i8, ptr {memory}, i64 {moved}")

    def _local_places(
        self, memory: str, chunks: Sequence[str], offset: int, private: bool
    ) -> list[str]:
        """Host addresses of checked offsets, a chunk of pointers each.

        Private memory is interleaved by 8 bytes: equal offsets of a warp's lanes are neighbours.
        """
        low, code = self.low, self.low.code
        v = f"<{low.n} x i32>"
        places = []
        for j, chunk in enumerate(chunks):
            at = code.let(f"add {v} {chunk}, splat (i32 {offset & 0xFFFFFFFF})")
            if private:
                cell = code.let(f"lshr {v} {at}, splat (i32 3)")
                row = code.let(f"mul {v} {cell}, splat (i32 {8 * low.facts.width})")
                inner = code.let(f"and {v} {at}, splat (i32 7)")
                lane = ", ".join(f"i32 {8 * (j * low.n + i)}" for i in range(low.n))
                mine = code.let(f"add {v} {row}, <{lane}>")
                at = code.let(f"add {v} {mine}, {inner}")
            places.append(code.let(f"getelementptr i8, ptr {memory}, {v} {at}"))
        return places

    def _spread_ptr(self, place: str) -> str:
        code, n = self.low.code, self.low.n
        one = code.let(f"insertelement <{n} x ptr> poison, ptr {place}, i32 0")
        zero = f"<{n} x i32> zeroinitializer"
        return code.let(f"shufflevector <{n} x ptr> {one}, <{n} x ptr> poison, {zero}")

    def _local_run(
        self, op: Op, base: Value, memory: str, total: int, lowest: int, type_: Type
    ) -> None:
        """Neighbouring elements: one wide access if all lanes fit, else gather or scatter."""
        low, code = self.low, self.low.code
        assert op.ins.address is not None
        offset, size = op.ins.address.offset, type_.size
        first = low.lane0(base)
        span = total - size * low.facts.width - offset - lowest
        good = "false"
        if span >= 0:
            bad = self._local_test(first, lowest, span, offset, size, 0)
            good = code.let(f"xor i1 {bad}, true")
        fast, slow, go = self._fork(good)
        self._at(fast)
        host = self._local_place(memory, first, offset)
        element = f"<{low.n} x i{type_.bits}>"
        values = []
        data = [] if op.ins.row.is_load else self._store_data(op, type_)
        for j in range(low.k):
            place = code.let(f"getelementptr i8, ptr {host}, i64 {j * low.n * size}")
            if op.ins.row.is_load:
                raw = code.let(f"load {element}, ptr {place}, align {size}")
                values.append(self._extended(raw, type_, low.n))
            else:
                self._masked_store(type_, data[j], place, low.mask.chunks[j])
        fast_end = self._end()
        code.line(f"br label %{go}")
        self._at(slow)
        chunks = low.vector(base)
        all_span = total - size - offset - lowest
        wrong = [self._local_test(c, lowest, max(all_span, 0), offset, size, low.n) for c in chunks]
        bad = low.any(low.combine("and", wrong, low.mask.chunks))
        self._local_guard(op, bad, base, total, type_)
        places = self._local_places(memory, chunks, offset, private=False)
        others = []
        if op.ins.row.is_load:
            others = [
                self._extended(self._gather(type_, p, m), type_, low.n)
                for p, m in zip(places, low.mask.chunks, strict=True)
            ]
        else:
            data = self._store_data(op, type_)
            for d, p, m in zip(data, places, low.mask.chunks, strict=True):
                self._scatter(type_, d, p, m)
        slow_end = self._end()
        code.line(f"br label %{go}")
        self._at(go)
        if op.ins.row.is_load:
            self._merge(op, type_, values, fast_end, others, slow_end)

    # --- atomics

    def _atomic(self, op: Op) -> None:
        low, code = self.low, self.low.code
        row, address, type_ = op.ins.row, op.ins.address, op.ins.row.type
        assert address is not None and type_ is not None
        addresses, old = self._room("addresses"), self._room("cells")
        t = f"<{low.n} x i64>"
        base: Value = op.base if op.base is not None else Const(RegClass.S, 0)
        known = address.segment is Segment.GROUP
        if known:
            lowest = max(0, -address.offset)
            span = low.group_bytes - type_.size - address.offset - lowest
            if span < 0:
                self._local_fault(op, base, low.group_bytes, type_)
                code.label(code.name("u")[1:])
            else:
                wrong = [
                    self._local_test(c, lowest, span, address.offset, type_.size, low.n)
                    for c in low.vector(base)
                ]
                bad = low.any(low.combine("and", wrong, low.mask.chunks))
                self._local_guard(op, bad, base, low.group_bytes, type_)
        for j, chunk in enumerate(low.vector(base)):
            wide = code.let(f"zext <{low.n} x i32> {chunk} to {t}") if known else chunk
            moved = code.let(f"add {t} {wide}, splat (i64 {address.offset})")
            if known:
                memory = low.slot(Slot.GROUP_MEMORY)
                moved = code.let(f"add {t} {moved}, {low.spread(RegClass.D, memory)}")
            place = code.let(f"getelementptr i64, ptr {addresses}, i64 {j * low.n}")
            code.line(f"store {t} {moved}, ptr {place}, align 8")
        cells = []
        for i, name in enumerate(("as", "bs")):
            cell = self._room(name)
            if i < len(row.srcs):
                self._fill(cell, low.vector(op.args[i]), type_.reg)
            cells.append(cell)
        result = code.call(
            "i32",
            atomic_name(row.stem.removeprefix("atomic_"), type_.name),
            "ptr %ctx",
            f"i64 {self._mask_word()}",
            f"ptr {addresses}",
            f"ptr {cells[0]}",
            f"ptr {cells[1]}",
            f"ptr {old}",
            f"i32 {int(known)}",
        )
        self._check(result, op.pc)
        if op.ins.dst is not None:
            low.define(op, "value", self._cells(old, type_))

    # --- shared

    def _at(self, label: str) -> None:
        """Begin a block after a fork: what the other side has loaded is not known here."""
        self.low.code.label(label)
        self.low.local = dict(self._known)

    def _fork(self, good: str) -> tuple[str, str, str]:
        """Branch on a test; (label of the fast side, of the slow side, of where both go on)."""
        code = self.low.code
        self._known = dict(self.low.local)
        fast, slow, go = (code.name("m")[1:] for _ in range(3))
        code.line(f"br i1 {good}, label %{fast}, label %{slow}")
        return fast, slow, go

    def _end(self) -> str:
        """The label of the block that is being written."""
        for line in reversed(self.low.code.lines):
            if line.endswith(":"):
                return line[:-1]
        raise AssertionError("no block has begun")

    def _join_load(self, op: Op, type_: Type, values: list[str], slow: str, go: str) -> None:
        """After the fast side of a load: its cold side, and the value of either."""
        low, code = self.low, self.low.code
        fast_end = self._end()
        code.line(f"br label %{go}")
        self._at(slow)
        others = self._cells(self._cold_lanes(op, type_), type_)
        slow_end = self._end()
        code.line(f"br label %{go}")
        self._at(go)
        self._merge(op, type_, values, fast_end, others, slow_end)

    def _merge(
        self, op: Op, type_: Type, a: list[str], a_end: str, b: list[str], b_end: str
    ) -> None:
        low = self.low
        t = register_type(type_.reg, low.n)
        low.define(
            op,
            "value",
            [
                low.code.let(f"phi {t} [ {x}, %{a_end} ], [ {y}, %{b_end} ]")
                for x, y in zip(a, b, strict=True)
            ],
        )

    def _store_data(self, op: Op, type_: Type) -> list[str]:
        low = self.low
        chunks = low.observed(op.args[0], low.vector(op.args[0]), low.n)
        return [self._narrowed(c, type_, low.n) for c in chunks]

    def _extended(self, raw: str, type_: Type, n: int) -> str:
        """What was loaded, as a register."""
        if type_.bits >= 32:
            return raw
        how = "sext" if type_.is_signed else "zext"
        narrow = f"<{n} x i{type_.bits}>" if n else f"i{type_.bits}"
        wide = f"<{n} x i32>" if n else "i32"
        return self.low.code.let(f"{how} {narrow} {raw} to {wide}")

    def _narrowed(self, value: str, type_: Type, n: int) -> str:
        """A register, as what is stored."""
        if type_.bits >= 32:
            return value
        narrow = f"<{n} x i{type_.bits}>" if n else f"i{type_.bits}"
        wide = f"<{n} x i32>" if n else "i32"
        return self.low.code.let(f"trunc {wide} {value} to {narrow}")


def _times(form: Form | None, factor: int) -> Form | None:
    if form is None or (form.index is not None and factor < 0):
        return None
    return Form(
        tuple((v, f * factor) for v, f in form.uniform),
        form.index,
        form.scale * factor,
        form.signed,
        form.constant * factor,
    )


def _add(a: Form | None, b: Form | None) -> Form | None:
    if a is None or b is None or (a.index is not None and b.index is not None):
        return None
    index = a if a.index is not None else b
    return Form(
        a.uniform + b.uniform, index.index, index.scale, index.signed, a.constant + b.constant
    )
