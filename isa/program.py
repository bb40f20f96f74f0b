"""Program and Kernel, immutable: the assembler makes them, and every executor takes them."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from .encoding import decode
from .errors import Span
from .instruction import Instruction
from .types import Segment, Type

MOST_TABLES = 4096
"""Bytes of the largest readonly data of which analyses know the numbers."""


def align(offset: int, alignment: int) -> int:
    """Return the next multiple of `alignment` at or above `offset`."""
    return -(-offset // alignment) * alignment


@dataclass(frozen=True, slots=True)
class Param:
    """A kernel parameter: a scalar of `type`, or a pointer to global memory that holds `type`.

    `offset` is its place in the argument block in bytes (C layout, declared order).
    """

    name: str
    type: Type
    is_pointer: bool
    offset: int

    @property
    def size(self) -> int:
        """Bytes in the argument block; a pointer is a u64."""
        return 8 if self.is_pointer else self.type.size

    def __str__(self) -> str:
        return (
            f"global {self.type}* %{self.name}" if self.is_pointer else f"{self.type} %{self.name}"
        )


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named array in a segment: `count` elements of `type` at byte `offset`."""

    name: str
    segment: Segment
    type: Type
    count: int
    offset: int

    @property
    def size(self) -> int:
        """Bytes that the array takes."""
        return self.count * self.type.size


def layout_params(declared: Iterable[tuple[str, Type, bool]]) -> tuple[Param, ...]:
    """Place (name, type, is pointer) in the argument block: C layout, natural alignment."""
    result: list[Param] = []
    end = 0
    for name, type_, is_pointer in declared:
        size = 8 if is_pointer else type_.size
        offset = align(end, size)
        result.append(Param(name, type_, is_pointer, offset))
        end = offset + size
    return tuple(result)


def layout_symbols(
    segment: Segment, declared: Iterable[tuple[str, Type, int]]
) -> tuple[Symbol, ...]:
    """Place (name, type, count) in a segment: declared order, natural alignment."""
    result: list[Symbol] = []
    end = 0
    for name, type_, count in declared:
        offset = align(end, type_.size)
        result.append(Symbol(name, segment, type_, count, offset))
        end = offset + count * type_.size
    return tuple(result)


def segment_size(symbols: tuple[Symbol, ...]) -> int:
    """Return bytes of a segment that holds these symbols, rounded up to 8."""
    return align(max((s.offset + s.size for s in symbols), default=0), 8)


@dataclass(frozen=True, slots=True)
class Location:
    """Where an instruction comes from: an index into `Program.files`, 1-based line and column."""

    file: int
    line: int
    column: int


@dataclass(frozen=True)
class Kernel:
    """One kernel: its code in 8-byte words, signature, memory needs and debug tables.

    `labels` are (name, pc) in ascending pc; `locations` has one entry per instruction, or none.
    """

    name: str
    params: tuple[Param, ...]
    words: tuple[int, ...]
    group: tuple[Symbol, ...] = ()
    private: tuple[Symbol, ...] = ()
    labels: tuple[tuple[str, int], ...] = ()
    locations: tuple[Location, ...] = ()
    readonly: bytes = field(default=b"", compare=False, repr=False)
    """The readonly data of its program."""

    @cached_property
    def tables(self) -> bytes:
        """The readonly data, of which analyses know the numbers; empty if large or not loaded."""
        is_small = 0 < len(self.readonly) <= MOST_TABLES
        loads = is_small and any(i.row.segment is Segment.READONLY for i in self.instructions)
        return self.readonly if loads else b""

    @cached_property
    def key(self) -> tuple[object, ...]:
        """What is found of kernels is the same for those with equal keys, but for parameters."""
        return self.words, self.group_size, self.private_size, self.tables

    @cached_property
    def instructions(self) -> tuple[Instruction, ...]:
        """The decoded code; index = pc."""
        return tuple(decode(word, pc) for pc, word in enumerate(self.words))

    @cached_property
    def kernarg_size(self) -> int:
        """Bytes of the argument block, rounded up to 8."""
        return align(max((p.offset + p.size for p in self.params), default=0), 8)

    @cached_property
    def group_size(self) -> int:
        """Bytes of group memory per workgroup."""
        return segment_size(self.group)

    @cached_property
    def private_size(self) -> int:
        """Bytes of private memory per work-item."""
        return segment_size(self.private)

    @cached_property
    def registers(self) -> dict[str, int]:
        """Registers in use per class: highest index plus one."""
        counts = {"s": 0, "d": 0, "c": 0}
        for ins in self.instructions:
            for reg in (*ins.reads(), *ins.writes()):
                counts[reg.cls.value] = max(counts[reg.cls.value], reg.index + 1)
        return counts

    def labels_at(self, pc: int) -> tuple[str, ...]:
        """Return the names of the labels at `pc`."""
        return self._labels_by_pc.get(pc, ())

    @cached_property
    def _labels_by_pc(self) -> dict[int, tuple[str, ...]]:
        by_pc: dict[int, tuple[str, ...]] = {}
        for name, pc in self.labels:
            by_pc[pc] = (*by_pc.get(pc, ()), name)
        return by_pc

    @property
    def signature(self) -> str:
        """The declaration as in the source."""
        return f"kernel {self.name}({', '.join(map(str, self.params))})"


@dataclass(frozen=True)
class Program:
    """Kernels that were assembled together, their constants and their debug information.

    `readonly_data` is the initial content of the readonly segment. `files` are the relative names
    that locations point into. `sources` maps such a name to its text where the program was
    assembled here; it is not stored in the object file and takes no part in equality.
    """

    kernels: tuple[Kernel, ...]
    readonly: tuple[Symbol, ...] = ()
    readonly_data: bytes = b""
    files: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    def kernel(self, name: str) -> Kernel:
        """Return the kernel of this name. Raises KeyError."""
        for kernel in self.kernels:
            if kernel.name == name:
                return kernel
        raise KeyError(name)

    def span(self, kernel: Kernel, pc: int) -> Span | None:
        """Return the source place of an instruction, with its line of text where that is known."""
        if not 0 <= pc < len(kernel.locations):
            return None
        place = kernel.locations[pc]
        file = self.files[place.file]
        text = None
        if file in self.sources:
            lines = self._lines(file)
            text = lines[place.line - 1] if place.line <= len(lines) else None
        length = 1
        if text is not None:
            rest = text[place.column - 1 :].split("//")[0].rstrip()
            length = max(1, len(rest))
        return Span(file, place.line, place.column, length, text)

    def line_of(self, kernel: Kernel, pc: int) -> str:
        """Return the source line of an instruction; its mnemonic where the line is not known."""
        span = self.span(kernel, pc)
        return span.source.strip() if span and span.source else kernel.instructions[pc].name

    def _lines(self, file: str) -> list[str]:
        return self._split_sources.setdefault(file, self.sources[file].splitlines())

    @cached_property
    def _split_sources(self) -> dict[str, list[str]]:
        return {}

    @cached_property
    def digest(self) -> str:
        """Eight hexadecimal digits over what the program computes (code, data, signatures)."""
        crc = zlib.crc32(self.readonly_data)
        for kernel in self.kernels:
            crc = zlib.crc32(kernel.signature.encode(), crc)
            crc = zlib.crc32(b"".join(w.to_bytes(8, "little") for w in kernel.words), crc)
            crc = zlib.crc32(repr((kernel.group_size, kernel.private_size)).encode(), crc)
        return f"{crc:08x}"
