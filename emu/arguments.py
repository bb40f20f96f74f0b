"""The argument block of a launch: checks, mapping and packing of its arguments."""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, cast

import numpy as np

from ..isa.errors import ArgumentError, did_you_mean
from ..isa.program import Kernel, Param
from ..isa.types import Kind
from .device import UNMASK, DeviceArray, described, is_masked
from .memory import Buffer, Memory


@dataclass
class BoundArguments:
    """A packed argument block, the memory it points into, and what to undo after the launch."""

    kernargs: bytes
    memory: Memory
    copies: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)
    """(the user's array, the contiguous copy that the kernel worked on)."""
    temporary: list[Buffer] = field(default_factory=list)

    def finish(self) -> None:
        """Copy results back into arrays that could not be mapped, and unmap the others."""
        for original, copy in self.copies:
            if original.flags.writeable:
                original[...] = copy
        for buffer in self.temporary:
            self.memory.free(buffer)


class Binder:
    """Binds one kernel's arguments, launch after launch.

    Device arrays and numbers, which a host loop passes, are packed in one step. All other
    arguments, and all errors, go through `bind`, with the same result.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._format = block_format(kernel)
        self._types = plain_types(kernel)
        self._dtypes = tuple(
            np.dtype(p.type.numpy) if p.is_pointer else None for p in kernel.params
        )

    def __call__(self, args: Sequence[object]) -> BoundArguments:
        """Check the arguments and pack them. Raises ArgumentError."""
        return self._pack(args) or bind(self._kernel, args)

    def _pack(self, args: Sequence[object]) -> BoundArguments | None:
        plain = unboxed(args, self._types)
        if plain is None:
            return None
        device = None
        values: list[object] = []
        for dtype, value in zip(self._dtypes, plain, strict=True):
            if dtype is not None:
                array = cast(DeviceArray, value)
                if device is None:
                    device = array.device
                if array.dtype != dtype or array.device is not device:
                    return None
                value = array.buffer.base
            values.append(value)
        if device is None:
            return None
        try:
            return BoundArguments(struct.pack(self._format, *values), device.memory)
        except (struct.error, OverflowError):
            return None


_NUMPY_NUMBERS: dict[type, frozenset[type]] = {
    int: frozenset(np.dtype(code).type for code in "bhilqBHILQ"),
    float: frozenset((np.float16, np.float32, np.float64)),
}
"""Types of NumPy whose values are those of Python's own numbers."""


def plain_types(kernel: Kernel) -> tuple[type, ...]:
    """Return the types of arguments that are packed in one step."""
    return tuple(
        DeviceArray if p.is_pointer else float if p.type.is_float else int for p in kernel.params
    )


def unboxed(args: Sequence[object], types: tuple[type, ...]) -> Sequence[object] | None:
    """Return arguments of some types, with NumPy's numbers as Python's own.

    None if one has another type, or is a NaN of NumPy, whose bits would not survive.
    """
    given = tuple(map(type, args))
    if given == types:
        return args
    numbers = _boxed(given, types)
    if numbers is None:
        return None
    values = list(args)
    for place, plain in numbers:
        # A tenth of the time of `item`.
        number = values[place] = plain(values[place])
        if number != number:
            return None
    return values


@lru_cache(maxsize=1024)
def _boxed(
    given: tuple[type, ...], types: tuple[type, ...]
) -> tuple[tuple[int, Callable[[Any], object]], ...] | None:
    """Return the places of NumPy's numbers, with Python's own types; None for other types."""
    if len(given) != len(types):
        return None
    others = [i for i, pair in enumerate(zip(given, types, strict=True)) if pair[0] is not pair[1]]
    if any(given[i] not in _NUMPY_NUMBERS.get(types[i], ()) for i in others):
        return None
    return tuple((i, types[i]) for i in others)


def block_format(kernel: Kernel) -> str:
    """Return the argument block's format for `struct`: C layout, with explicit padding."""
    text, end = "<", 0
    for param in kernel.params:
        type_ = param.type
        if param.is_pointer:
            code = "Q"
        elif type_.is_float:
            code = {4: "f", 8: "d"}[type_.size]
        else:
            code = {1: "b", 2: "h", 4: "i", 8: "q"}[type_.size]
            code = code if type_.is_signed else code.upper()
        text += f"{param.offset - end}x{code}"
        end = param.offset + param.size
    return f"{text}{kernel.kernarg_size - end}x"


def in_order(
    kernel: Kernel, args: Sequence[object], named: Mapping[str, object]
) -> tuple[object, ...]:
    """Return the arguments in declared order, from those given by place and by name.

    Raises ArgumentError for a name that the kernel does not have, and for an argument that is given
    twice or not at all.
    """
    names = [param.name for param in kernel.params]
    signature = f"its signature: {kernel.signature}"
    for name in named:
        if name not in names:
            raise ArgumentError(
                f"kernel {kernel.name} has no parameter {name!r}",
                code="SIM305",
                hint=_option_hint(kernel, name) or did_you_mean(name, names) or signature,
            )
        if names.index(name) < len(args):
            raise ArgumentError(
                f"kernel {kernel.name}: argument {name} is given twice, as number "
                f"{names.index(name) + 1} and by its name",
                code="SIM305",
                hint=signature,
            )
    missing = [name for name in names[len(args) :] if name not in named]
    if missing:
        raise ArgumentError(
            f"kernel {kernel.name} lacks its argument {', '.join(missing)}",
            code="SIM305",
            hint=signature,
        )
    return (*args, *(named[name] for name in names[len(args) :]))


OPTIONS = (
    *("groups", "items", "group_size", "warp", "engine", "scheme", "knobs", "budget", "stats"),
    *("exited_arrive", "threads"),
)
"""Options of a launch by name, which some callers pass with the arguments."""


def _option_hint(kernel: Kernel, name: str) -> str:
    """Return where an option is given that was passed with the arguments; nothing for others."""
    if name in ("machine", "policy", "set"):
        return f"options are given before the arguments: {kernel.name}.time({name}=…)(arguments)"
    if name not in OPTIONS:
        return ""
    shape = "" if name in ("groups", "items", "group_size") else "groups=…, "
    return (
        f"options are given before the arguments: {kernel.name}.launch({shape}{name}=…)(arguments)"
    )


def bind(kernel: Kernel, args: Sequence[object]) -> BoundArguments:
    """Check `args` against the kernel's signature and pack them. Raises ArgumentError."""
    if len(args) != len(kernel.params):
        n = len(kernel.params)
        raise ArgumentError(
            f"kernel {kernel.name} needs {n} argument{'' if n == 1 else 's'}; it got {len(args)}",
            code="SIM305",
            hint=f"its signature: {kernel.signature}",
        )
    device_memories = {id(a.device): a.device.memory for a in args if isinstance(a, DeviceArray)}
    if len(device_memories) > 1:
        raise ArgumentError(
            f"kernel {kernel.name}: the arguments live on {len(device_memories)} devices",
            code="SIM306",
            hint="allocate them on one Device",
        )
    memory = next(iter(device_memories.values()), None) or Memory()
    bound = BoundArguments(b"", memory)
    block = bytearray(kernel.kernarg_size)
    arrays: dict[int, tuple[Param, np.ndarray]] = {}
    for position, (param, value) in enumerate(zip(kernel.params, args, strict=True)):
        problem = _Complaint(kernel, position, param, value)
        if not param.is_pointer:
            block[param.offset : param.offset + param.size] = _scalar(param, value, problem)
        elif isinstance(value, DeviceArray):
            _check_dtype(param, value.dtype, problem)
            struct.pack_into("<Q", block, param.offset, value.address)
        elif isinstance(value, np.ndarray):
            _check_dtype(param, value.dtype, problem)
            if is_masked(value):
                raise problem("needs an array without a mask", UNMASK)
            # A subclass may give indexing a meaning of its own.
            arrays[position] = (param, value.view(np.ndarray))
        else:
            raise problem(f"needs a NumPy array of {param.type.numpy} or a DeviceArray")
    _copy_strided(kernel, arrays, bound)
    for position, address in _map_arrays(arrays, bound).items():
        struct.pack_into("<Q", block, kernel.params[position].offset, address)
    bound.kernargs = bytes(block)
    return bound


@dataclass(slots=True)
class _Complaint:
    """Makes the error for one argument: its number, what it must be and what was passed."""

    kernel: Kernel
    position: int
    param: Param
    value: object

    def __call__(self, needs: str, hint: str = "") -> ArgumentError:
        return ArgumentError(
            f"kernel {self.kernel.name}, argument {self.position + 1} ({self.param}) {needs}; "
            f"it got {described(self.value)}",
            code="SIM307",
            hint=hint or f"the signature: {self.kernel.signature}",
        )


def _scalar(param: Param, value: object, problem: _Complaint) -> bytes:
    type_ = param.type
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if type_.is_float:
        if isinstance(value, (bool, np.bool_, np.timedelta64)) or not isinstance(
            value, (int, float, np.integer, np.floating)
        ):
            raise problem(f"needs a number for {type_}")
        with np.errstate(over="ignore"):
            packed = np.array(_as_float(value), type_.numpy)
        if np.isinf(packed) and not (isinstance(value, (float, np.floating)) and np.isinf(value)):
            largest = np.finfo(type_.numpy).max
            raise problem(f"needs a number from {-largest} to {largest}, or inf")
        return packed.tobytes()
    # NumPy's spans of time are whole numbers to it.
    wrong = (bool, np.bool_, np.timedelta64)
    if isinstance(value, wrong) or not isinstance(value, (int, np.integer)):
        raise problem(f"needs a whole number for {type_}")
    low = -(1 << (type_.bits - 1)) if type_.kind is Kind.SIGNED else 0
    high = (1 << (type_.bits - (type_.kind is Kind.SIGNED))) - 1
    if not low <= int(value) <= high:
        raise problem(f"needs a whole number from {low} to {high}")
    return int(value).to_bytes(type_.size, "little", signed=type_.is_signed)


def _as_float(value: int | float | np.integer | np.floating) -> float | np.floating:
    """Return a number as a float; infinite where a whole number is too large for one."""
    if isinstance(value, (float, np.floating)):
        return value
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _check_dtype(param: Param, dtype: np.dtype, problem: _Complaint) -> None:
    wanted = np.dtype(param.type.numpy)
    if dtype == wanted:
        return
    whole = dtype.kind in "biu" and wanted.kind in "iu"
    same_bits = whole and dtype.isnative and dtype.itemsize == wanted.itemsize
    way = f".view(np.{wanted})" if same_bits else f".astype(np.{wanted})"
    raise problem(f"needs an array of {wanted}", hint=f"pass it as x{way}")


def _copy_strided(
    kernel: Kernel, arrays: dict[int, tuple[Param, np.ndarray]], bound: BoundArguments
) -> None:
    """Replace every array that cannot be mapped by a contiguous copy.

    An array that overlaps another one is refused: a store through one would not be visible through
    the other.
    """
    originals = dict(arrays)
    for position, (param, array) in originals.items():
        if array.flags.c_contiguous:
            continue
        for other, (_, neighbour) in originals.items():
            if not _is_same(array, neighbour) and _shares_writable_memory(array, neighbour):
                raise ArgumentError(
                    f"kernel {kernel.name}, argument {position + 1} ({param}) is not contiguous "
                    f"and overlaps argument {other + 1}",
                    code="SIM307",
                    hint="pass a copy of one of them, for example: x.copy()",
                )
        copy = next((c for original, c in bound.copies if _is_same(original, array)), None)
        if copy is None:
            copy = np.ascontiguousarray(array)
            copy.flags.writeable = array.flags.writeable
            bound.copies.append((array, copy))
        arrays[position] = (param, copy)


def _is_same(a: np.ndarray, b: np.ndarray) -> bool:
    """Return whether two arrays are the same view of the same memory."""
    return a.__array_interface__ == b.__array_interface__


def _shares_writable_memory(a: np.ndarray, b: np.ndarray) -> bool:
    if not (a.flags.writeable or b.flags.writeable):
        return False
    try:
        # In many dimensions the question is NP-hard; NumPy's stubs do not know of a limit.
        return np.shares_memory(a, b, max_work=100_000)  # pyright: ignore[reportArgumentType]
    except np.exceptions.TooHardError:
        return True


def _map_arrays(
    arrays: dict[int, tuple[Param, np.ndarray]], bound: BoundArguments
) -> dict[int, int]:
    """Map the arrays of a launch in the order of its parameters; return addresses by position.

    Arrays that share memory (the same one twice, overlapping slices) become one buffer, so that
    a store through one is visible through the other, as on a real device.
    """
    starts = {position: array.ctypes.data for position, (_, array) in arrays.items()}
    spans = {p: (start, start + arrays[p][1].nbytes) for p, start in starts.items()}
    addresses: dict[int, int] = {}
    done: dict[tuple[int, int], Buffer] = {}
    for position, (param, array) in arrays.items():
        start, end = _cluster(spans, position)
        buffer = done.get((start, end)) if end > start else None
        if buffer is None:
            members = [a for p, (_, a) in arrays.items() if start <= spans[p][0] < end] or [array]
            host = array if (start, end) == spans[position] else _raw(start, end, members)
            writable = all(a.flags.writeable for a in members)
            buffer = bound.memory.add(host, param.name, writable=writable)
            bound.temporary.append(buffer)
            done[start, end] = buffer
        addresses[position] = buffer.base + spans[position][0] - start
    return addresses


def _cluster(spans: dict[int, tuple[int, int]], position: int) -> tuple[int, int]:
    """Return the union of all host ranges that are connected to one of them by overlaps."""
    start, end = spans[position]
    grown = start < end
    while grown:
        grown = False
        for low, high in spans.values():
            if low < end and start < high and (low < start or high > end):
                start, end = min(start, low), max(end, high)
                grown = True
    return start, end


def _raw(start: int, end: int, owners: list[np.ndarray]) -> np.ndarray:
    """Return the bytes of a host range that arrays cover without a gap; keep the arrays alive."""
    raw = (ctypes.c_uint8 * (end - start)).from_address(start)
    raw._owners = owners  # pyright: ignore[reportAttributeAccessIssue]
    return np.ctypeslib.as_array(raw)
