"""What an address is made of, and the buffer that it is expected in.

An address that is a sum of uniform values, one 32-bit index times a constant, and a constant, with
one pointer parameter among the uniform values, is checked against the buffer of that parameter:
its limits are computed once per call, and no 64-bit arithmetic is left for each lane.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...isa.types import sign_extend
from .context import BASE, DELTA, SIZE, WRITABLE, param_slot
from .ssa import INDEX_ARITHMETIC, Const, Op, Phi, Value

if TYPE_CHECKING:
    from .instructions import Instructions
    from .shapes import Shapes


@dataclass(frozen=True)
class Form:
    """An address as a sum: uniform values times constants, one index times a scale, a constant."""

    uniform: tuple[tuple[Value, int], ...] = ()
    index: Value | None = None
    scale: int = 0
    signed: bool = False
    constant: int = 0

    def times(self, factor: int) -> Form | None:
        """The form times a constant; None where the index would count backwards."""
        if self.index is not None and factor < 0:
            return None
        return Form(
            tuple((v, f * factor) for v, f in self.uniform),
            self.index,
            self.scale * factor,
            self.signed,
            self.constant * factor,
        )

    def plus(self, other: Form) -> Form | None:
        """The sum of two forms; None where both have an index."""
        if self.index is not None and other.index is not None:
            return None
        index = self if self.index is not None else other
        return Form(
            self.uniform + other.uniform,
            index.index,
            index.scale,
            index.signed,
            self.constant + other.constant,
        )


@dataclass
class Window:
    """The buffer that an access is expected in: operands that are computed once per call."""

    base: str
    host: str
    size: str
    limits: dict[tuple[int, int], str] = field(default_factory=dict)


LARGEST_WINDOW = (1 << 32) - (1 << 21)
"""Bytes of a buffer that are looked for on the fast side.

A 32-bit index that wraps around from one lane to the next cannot stay inside, so that nobody has
to look for that, even if a constant below 2^20 is added to it.
"""


class Addresses:
    """Takes the addresses of a kernel apart and computes with the parts."""

    def __init__(self, lowering: Instructions) -> None:
        self.low = lowering
        self._windows: dict[tuple[int, bool], Window] = {}

    # --- forms

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
                return _plus(self.form(args[0]), self.form(args[1]))
            case "sub_u64" | "sub_s64":
                return _plus(self.form(args[0]), _times(self.form(args[1]), -1))
            case "mul_u64" | "mul_s64":
                return self._product(args[0], args[1])
            case "mad_u64" | "mad_s64":
                return _plus(self._product(args[0], args[1]), self.form(args[2]))
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

    # --- windows

    def window(self, address: Value, form: Form | None, store: bool) -> Window | None:
        """The buffer that an address points into, as far as the ways it is made tell.

        To a `store` a buffer that may not be written is an empty one.
        """
        found = self._params_of([address])
        if form is not None:
            # A pointer parameter may be anywhere in a sum; the other terms are distances.
            alone = (self._params_of([v]) for v, factor in form.uniform if factor == 1)
            found = next((params for params in alone if len(params) == 1), found)
        return self._param_window(found.pop(), store) if len(found) == 1 else None

    def _params_of(self, work: list[Value]) -> set[int]:
        """The pointer parameters from which addresses may be counted."""
        found: set[int] = set()
        seen: set[Value] = set()
        while work:
            value = work.pop()
            if value in seen:
                continue
            seen.add(value)
            if isinstance(value, Phi):
                work += value.args.values()
            elif isinstance(value, Op):
                match value.ins.row.stem:
                    case "add" | "sub" | "select":
                        work += value.args
                    case "mad":
                        work.append(value.args[2])
                    case "ld":
                        found |= self._param_at(value)
        return found

    def is_param(self, address: Value) -> bool:
        """Whether an address is a pointer parameter as it was given."""
        return isinstance(address, Op) and address.ins.row.is_load and bool(self._param_at(address))

    def _param_at(self, load: Op) -> set[int]:
        """The position of the pointer parameter that an instruction loads, if it does."""
        address = load.ins.address
        if load.ins.row.name != "ld_kernarg_u64" or address is None:
            return set()
        params = enumerate(self.low.kernel.params)
        return {i for i, p in params if p.is_pointer and p.offset == address.offset}

    def _param_window(self, position: int, store: bool) -> Window:
        found = self._windows.get((position, store))
        if found is None:
            entry = self.low.entry
            slots = (BASE, SIZE, DELTA, WRITABLE)
            base, size, delta, writable = (
                self.low.slot(param_slot(position, which), entry) for which in slots
            )
            host = entry.let(f"inttoptr i64 {entry.let(f'add i64 {base}, {delta}')} to ptr")
            size = entry.intrinsic("llvm.umin", "i64", f"i64 {size}", f"i64 {LARGEST_WINDOW}")
            if store:
                # Not by a select: LLVM would make a second test of it at each access.
                size = entry.let(f"mul i64 {size}, {writable}")
            found = self._windows[position, store] = Window(base, host, size)
        return found

    def places(self, window: Window, bytes_: int, size: int) -> str:
        """At how many multiples of `size` an access of `bytes_` bytes may begin, an i64.

        Computed once per call.
        """
        known = window.limits.get((bytes_, size))
        if known is None:
            entry = self.low.entry
            room = entry.let(f"add i64 {window.size}, {size}")
            room = entry.intrinsic("llvm.usub.sat", "i64", f"i64 {room}", f"i64 {bytes_}")
            known = entry.let(f"lshr i64 {room}, {size.bit_length() - 1}")
            window.limits[bytes_, size] = known
        return known

    # --- offsets into a window

    def distance(self, form: Form, window: Window) -> str:
        """The sum without the index, from the start of the buffer, an i64.

        Parameters come first: what is left of them and the constant does not change in loops.
        """
        code = self.low.code
        params = [self.is_param(value) for value, _ in form.uniform]
        terms = sorted(zip(params, form.uniform, strict=True), key=lambda t: not t[0])
        total = code.let(f"sub i64 {form.constant}, {window.base}")
        for _, (value, factor) in terms:
            term = self.low.scalar(value)
            if factor != 1:
                term = code.let(f"mul i64 {term}, {factor}")
            total = code.let(f"add i64 {total}, {term}")
        return total

    def host(self, window: Window, offset: str) -> str:
        """The host address of an offset into a buffer, a ptr."""
        return self.low.code.let(f"getelementptr i8, ptr {window.host}, i64 {offset}")

    def element(self, offset: str, size: int) -> str:
        """The number of the element at an offset; huge where the offset is misaligned."""
        if size == 1:
            return offset
        shift = size.bit_length() - 1
        return self.low.code.intrinsic(
            "llvm.fshr", "i64", f"i64 {offset}", f"i64 {offset}", f"i64 {shift}"
        )

    def elements_behind(self, offset: str, size: int, scale: int, window: Window) -> str:
        """How many indices from 0 on are inside, an i64 below 2^31; `scale` is 2^k * `size`."""
        code = self.low.code
        total, here = self.places(window, size, size), self.element(offset, size)
        count = code.intrinsic("llvm.usub.sat", "i64", f"i64 {total}", f"i64 {here}")
        stride = scale // size
        if stride > 1:
            count = code.let(f"add i64 {count}, {stride - 1}")
            count = code.let(f"lshr i64 {count}, {stride.bit_length() - 1}")
        return code.intrinsic("llvm.umin", "i64", f"i64 {count}", f"i64 {(1 << 31) - 1}")


def _times(form: Form | None, factor: int) -> Form | None:
    return None if form is None else form.times(factor)


def _plus(a: Form | None, b: Form | None) -> Form | None:
    return None if a is None or b is None else a.plus(b)


def split_index(index: Value, shapes: Shapes) -> tuple[Value, list[tuple[str, Value]]]:
    """A 32-bit index as another one and the uniform values added to it or subtracted from it.

    Of `a[i]` and `a[i + n]` the same is asked then, and LLVM asks once.
    """
    terms: list[tuple[str, Value]] = []
    while isinstance(index, Op) and index.ins.row.name in INDEX_ARITHMETIC:
        stem, (a, b) = index.ins.row.stem, index.args[:2]
        if shapes.is_uniform(b):
            index = a
            terms.append((stem, b))
        elif stem == "add" and shapes.is_uniform(a):
            index = b
            terms.append((stem, a))
        else:
            break
    return index, terms
