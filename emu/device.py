"""Device memory for users: arrays that stay on the device between launches."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import DTypeLike

from ..isa.errors import ArgumentError
from ..isa.expect import whole
from ..isa.quoting import shown
from .hostmemory import host_array
from .memory import Buffer, Memory

MAX_SIZE = (1 << 47) - 1
"""Most elements in a dimension: a host has no more bytes."""


class DeviceArray:
    """An array in device memory. Launches take it where they take a NumPy array.

    `to_host()` copies it out; until then the host sees none of its content.
    """

    def __init__(self, device: Device, buffer: Buffer, shape: tuple[int, ...], dtype: np.dtype):
        self.device = device
        self.buffer = buffer
        self.shape = shape
        self.dtype = dtype
        self._host: np.ndarray | None = None
        self._view: np.ndarray | None = None
        """The elements, as long as the buffer's memory is `_host`: host loops copy single flags."""

    def __getstate__(self) -> dict[str, object]:
        """Return the state for copies and pickles, without the view of memory."""
        return {**self.__dict__, "_host": None, "_view": None}

    @property
    def size(self) -> int:
        """Elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def address(self) -> int:
        """The simulated address of the first byte."""
        return self.buffer.base

    def _elements(self) -> np.ndarray:
        host, view = self.buffer.host, self._view
        if view is None or host is not self._host:
            if not self.buffer.alive:
                raise ArgumentError(
                    f"{self.buffer.name} was freed", code="SIM310", hint="allocate it again"
                )
            view = self._view = host.view(self.dtype).reshape(self.shape)
            self._host = host
        return view

    def to_host(self) -> np.ndarray:
        """Return a copy of the content."""
        return self._elements().copy()

    def copy_from(self, array: np.ndarray) -> None:
        """Overwrite the content. The shape and dtype must be those of this array."""
        source = array if type(array) is np.ndarray else _array_of(array)
        if source.shape != self.shape or source.dtype != self.dtype:
            raise ArgumentError(
                f"{self.buffer.name} holds {self.dtype} {self.shape}, not "
                f"{source.dtype} {source.shape}",
                code="SIM311",
            )
        elements = self._elements()
        if not elements.flags.writeable:
            raise ArgumentError(
                f"{self.buffer.name} is mapped from a NumPy array that is read-only", code="SIM311"
            )
        elements[...] = source
        self.buffer.given = True

    def free(self) -> None:
        """Free the memory; a kernel that still uses its address traps."""
        self._host = self._view = None
        self.device.memory.free(self.buffer)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        """Return a copy of the content, for NumPy functions."""
        return self.to_host() if dtype is None else self.to_host().astype(dtype)

    def __repr__(self) -> str:
        state = "" if self.buffer.alive else ", freed"
        return (
            f"DeviceArray({self.buffer.name}, {self.dtype}, {self.shape}, {self.address:#x}{state})"
        )


class Device:
    """One simulated memory. Arrays of different devices cannot be used in one launch."""

    def __init__(self) -> None:
        self.memory = Memory()

    def to_device(self, array: np.ndarray, name: str | None = None) -> DeviceArray:
        """Return a copy of `array` in device memory."""
        source = _array_of(array)
        host = host_array(source.shape, _storable(source.dtype))
        host[...] = source
        return self._add(host, host.shape, name)

    def empty(
        self, shape: int | Sequence[int], dtype: DTypeLike, name: str | None = None
    ) -> DeviceArray:
        """Return an array whose content is not given; `run --check` reports loads of it.

        It holds zeros, so that elements never written are the same in every run.
        """
        array = self.zeros(shape, dtype, name)
        array.buffer.given = False
        return array

    def zeros(
        self, shape: int | Sequence[int], dtype: DTypeLike, name: str | None = None
    ) -> DeviceArray:
        """Return an array of zeros."""
        element = _storable(_element_type(dtype))
        sizes = _shape(shape)
        try:
            host = host_array(sizes, element)
        except (ValueError, MemoryError):
            raise ArgumentError(
                f"not enough memory for an array of {element} with shape {shown(sizes)}",
                code="SIM312",
            ) from None
        return self._add(host, host.shape, name)

    def map(self, array: np.ndarray, name: str | None = None) -> DeviceArray:
        """Let kernels work on the bytes of a C-contiguous NumPy array itself."""
        if not isinstance(array, np.ndarray) or not array.flags.c_contiguous:
            raise ArgumentError(
                "only a C-contiguous NumPy array can be mapped",
                code="SIM312",
                hint="use to_device, which copies",
            )
        _refuse_mask(array)
        # A subclass may give `reshape` and indexing a meaning of its own.
        plain = array.view(np.ndarray)
        return self._add(plain, plain.shape, name, writable=plain.flags.writeable)

    def _add(
        self, host: np.ndarray, shape: tuple[int, ...], name: str | None, *, writable: bool = True
    ) -> DeviceArray:
        _storable(host.dtype)
        if not isinstance(name, str | None):
            raise ArgumentError(
                f"the name of a buffer must be a string, not {shown(name)}", code="SIM312"
            )
        label = name or f"buffer{self.memory.created}"
        buffer = self.memory.add(host, label, writable=writable)
        return DeviceArray(self, buffer, shape, host.dtype)


def _storable(dtype: np.dtype) -> np.dtype:
    """Return the type of an array that memory can hold. Raises ArgumentError for others."""
    if dtype.kind not in "biuf" or not dtype.isnative:
        raise ArgumentError(
            f"device memory holds integers and floats of this machine's byte order, not {dtype}",
            code="SIM307",
            hint="convert it, for example: x.astype(np.float32)",
        )
    return dtype


UNMASK = "masks are not kept: pass x.filled(value), or x.data for all elements"
"""What to do about a masked array."""


def is_masked(value: object) -> bool:
    """Return whether a value is a NumPy array with a mask."""
    masks = None if type(value) is np.ndarray else sys.modules.get("numpy.ma")
    return masks is not None and isinstance(value, masks.MaskedArray)


def described(value: object) -> str:
    """Return an argument for a message: arrays by type and shape."""
    if isinstance(value, np.ndarray):
        kind = "a masked array" if is_masked(value) else "an array"
        return f"{kind} of {value.dtype} with shape {value.shape}"
    if isinstance(value, DeviceArray):
        return f"a DeviceArray of {value.dtype} with shape {value.shape}"
    return f"{shown(value)} ({type(value).__name__})"


def _refuse_mask(value: object) -> None:
    """Raise ArgumentError for a masked array."""
    if is_masked(value):
        raise ArgumentError(
            "device memory holds arrays without a mask; it got a masked array",
            code="SIM307",
            hint=UNMASK,
        )


def _array_of(value: object) -> np.ndarray:
    """Return a value as a NumPy array. Raises ArgumentError where NumPy cannot convert it."""
    _refuse_mask(value)
    try:
        return np.asarray(value)
    except Exception as problem:  # whatever the object's own conversion raises
        raise ArgumentError(
            f"{shown(value)} is not an array: {problem}",
            code="SIM307",
            hint="pass a NumPy array, as np.zeros(n, np.float32)",
        ) from None


def _element_type(dtype: object) -> np.dtype:
    if dtype is not None:  # which would be float64 to NumPy
        try:
            return np.dtype(dtype)  # pyright: ignore[reportCallIssue, reportArgumentType]
        except Exception:  # NumPy asks objects for their attributes
            pass
    raise ArgumentError(
        f"{shown(dtype)} is not an element type",
        code="SIM312",
        hint='give NumPy\'s type or its name: np.float32 or "float32"',
    )


def _shape(shape: object) -> tuple[int, ...]:
    sizes = shape if isinstance(shape, (tuple, list)) else (shape,)
    return tuple(whole(size, "a size of an array", 0, MAX_SIZE) for size in sizes)
