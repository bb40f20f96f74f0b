"""The object file `.sbc`: one binary container, little-endian throughout.

    magic     8 bytes: SIMTLAB and a zero
    versions  of the format u16, of the ISA u16
    checksum  u32, CRC-32 of the body, which is all that follows

    body      files, readonly, kernels
    files     u32 count, then strings
    readonly  symbols, u32 size, bytes
    kernels   u32 count, then per kernel:
              name string | parameters u16 count, each: name string, type u8, pointer u8
              | group symbols | private symbols
              | code u32 count, u64 words
              | locations u32 count (0 or one per word), each: file u16, line u32, column u16
              | labels u32 count, each: name string, pc u32
    symbols   u32 count, each: name string, type u8, elements u32
    string    u16 length, UTF-8 bytes

Offsets of parameters and symbols follow from the layout rules and are not stored. Bytes of the
readonly data that belong to no symbol are zero. Files are listed in the order in which the
locations first name them, and no others. So `loads` accepts exactly what `dumps` writes, any byte
string is either a valid program or an ObjectFileError, and a program has one object file.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterable

from .errors import ObjectFileError
from .program import (
    Kernel,
    Location,
    Program,
    Symbol,
    layout_params,
    layout_symbols,
    segment_size,
)
from .table import ISA_VERSION
from .types import TYPES, Segment, Type
from .verify import MAX_NAME, verify

MAGIC = b"SIMTLAB\0"
FORMAT_VERSION = 1

MAX_FILE_NAME = 4096
"""Most characters of the name of a source file."""

_HEADER = struct.Struct("<8sHHI")
_LOCATION = struct.Struct("<HIH")
_TYPE_LIST = tuple(TYPES.values())
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*\Z")


def is_file_name(name: str) -> bool:
    """Return whether this can name a source file: relative, and possible in quotation marks."""
    is_relative = bool(name) and name[0] not in "/\\" and name[1:2] != ":"
    return is_relative and name.isprintable() and '"' not in name and len(name) <= MAX_FILE_NAME


class _Writer:
    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def u8(self, value: int) -> None:
        self.parts.append(value.to_bytes(1, "little"))

    def u16(self, value: int) -> None:
        self.parts.append(value.to_bytes(2, "little"))

    def u32(self, value: int) -> None:
        self.parts.append(value.to_bytes(4, "little"))

    def string(self, text: str) -> None:
        data = text.encode()
        self.u16(len(data))
        self.parts.append(data)

    def symbols(self, symbols: Iterable[Symbol]) -> None:
        symbols = tuple(symbols)
        self.u32(len(symbols))
        for symbol in symbols:
            self.string(symbol.name)
            self.u8(_TYPE_LIST.index(symbol.type))
            self.u32(symbol.count)


class _Reader:
    """Takes items off a byte string; every read is checked against what is left."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, size: int) -> bytes:
        end = self.at + size
        if end > len(self.data):
            raise ObjectFileError(
                f"the object file ends in the middle: {size} bytes were expected at byte "
                f"{self.at} of the body, {len(self.data) - self.at} are left",
                code="SIM203",
            )
        part = self.data[self.at : end]
        self.at = end
        return part

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "little")

    def count(self, size: int, item_bytes: int) -> int:
        """Return a count of items of at least `item_bytes` each. Raises ObjectFileError."""
        value = self.number(size)
        if value * item_bytes > len(self.data) - self.at:
            raise ObjectFileError(
                f"the object file announces {value} items at byte {self.at} of the body, "
                "more than the rest of it can hold",
                code="SIM203",
            )
        return value

    def string(self) -> str:
        raw = self.take(self.number(2))
        try:
            return raw.decode()
        except UnicodeDecodeError:
            raise ObjectFileError(
                f"a name in the object file is not UTF-8 text: {raw!r}", code="SIM204"
            ) from None

    def name(self, what: str) -> str:
        name = self.string()
        if not _NAME.match(name) or len(name) > MAX_NAME:
            raise ObjectFileError(f"{name!r} is not the name of a {what}", code="SIM204")
        return name

    def file(self) -> str:
        """Return a relative file name that can be written in quotation marks in a source."""
        name = self.string()
        if not is_file_name(name):
            raise ObjectFileError(
                f"{name!r} is not the relative name of a source file", code="SIM204"
            )
        return name

    def type(self) -> Type:
        index = self.number(1)
        if index >= len(_TYPE_LIST):
            raise ObjectFileError(f"type number {index} does not exist", code="SIM204")
        return _TYPE_LIST[index]

    def symbols(self, segment: Segment) -> tuple[Symbol, ...]:
        declared = [
            (self.name("symbol"), self.type(), self.number(4)) for _ in range(self.count(4, 7))
        ]
        return layout_symbols(segment, declared)


def dumps(program: Program) -> bytes:
    """Return the object file of a program."""
    w = _Writer()
    w.u32(len(program.files))
    for file in program.files:
        w.string(file)
    w.symbols(program.readonly)
    w.u32(len(program.readonly_data))
    w.parts.append(program.readonly_data)
    w.u32(len(program.kernels))
    for kernel in program.kernels:
        _write_kernel(w, kernel)
    body = b"".join(w.parts)
    return _HEADER.pack(MAGIC, FORMAT_VERSION, ISA_VERSION, zlib.crc32(body)) + body


def _write_kernel(w: _Writer, kernel: Kernel) -> None:
    w.string(kernel.name)
    w.u16(len(kernel.params))
    for param in kernel.params:
        w.string(param.name)
        w.u8(_TYPE_LIST.index(param.type))
        w.u8(param.is_pointer)
    w.symbols(kernel.group)
    w.symbols(kernel.private)
    w.u32(len(kernel.words))
    w.parts.append(struct.pack(f"<{len(kernel.words)}Q", *kernel.words))
    w.u32(len(kernel.locations))
    w.parts += [_LOCATION.pack(p.file, p.line, p.column) for p in kernel.locations]
    w.u32(len(kernel.labels))
    for name, pc in kernel.labels:
        w.string(name)
        w.u32(pc)


def loads(data: bytes) -> Program:
    """Return the program of an object file, verified.

    Raises ObjectFileError: not an object file, damaged, of another version, or not a program.
    """
    if len(data) < _HEADER.size or data[: len(MAGIC)] != MAGIC:
        raise ObjectFileError(
            "this is not a simtlab object file: it does not begin with the bytes SIMTLAB\\0",
            code="SIM201",
            hint="assemble a source text first: simtlab asm F.sasm -o F.sbc",
        )
    _, version, isa, crc = _HEADER.unpack_from(data)
    if (version, isa) != (FORMAT_VERSION, ISA_VERSION):
        raise ObjectFileError(
            f"the object file has format {version} and ISA {isa}; this simtlab reads format "
            f"{FORMAT_VERSION} and ISA {ISA_VERSION}",
            code="SIM202",
            hint="assemble the source text again with this version",
        )
    body = data[_HEADER.size :]
    if zlib.crc32(body) != crc:
        raise ObjectFileError(
            "the object file is damaged: its checksum does not match", code="SIM203"
        )
    program = _read_program(_Reader(body))
    verify(program)
    return program


def _read_program(r: _Reader) -> Program:
    files = tuple(r.file() for _ in range(r.count(4, 3)))
    readonly = r.symbols(Segment.READONLY)
    size = r.number(4)
    if size != segment_size(readonly):
        raise ObjectFileError(
            f"the readonly data has {size} bytes, its symbols need {segment_size(readonly)}",
            code="SIM204",
        )
    data = r.take(size)
    kernels = tuple(_read_kernel(r, len(files), data) for _ in range(r.count(4, 24)))
    if r.at != len(r.data):
        raise ObjectFileError(f"{len(r.data) - r.at} bytes follow the last kernel", code="SIM203")
    used = dict.fromkeys(p.file for kernel in kernels for p in kernel.locations)
    if list(used) != list(range(len(files))) or len(set(files)) != len(files):
        raise ObjectFileError(
            "the source files are not in the order in which the code names them", code="SIM204"
        )
    return Program(kernels, readonly, data, files)


def _read_kernel(r: _Reader, n_files: int, readonly: bytes) -> Kernel:
    name = r.name("kernel")
    declared = []
    for _ in range(r.count(2, 4)):
        param, type_, pointer = r.name("parameter"), r.type(), r.number(1)
        if pointer > 1:
            raise ObjectFileError(
                f"parameter %{param}: the pointer mark is {pointer}", code="SIM204"
            )
        declared.append((param, type_, bool(pointer)))
    group = r.symbols(Segment.GROUP)
    private = r.symbols(Segment.PRIVATE)
    n = r.count(4, 8)
    words = struct.unpack(f"<{n}Q", r.take(8 * n))
    n_locations = r.count(4, _LOCATION.size)
    if n_locations not in (0, n):
        raise ObjectFileError(
            f"kernel {name} has {n} instructions and {n_locations} source locations",
            code="SIM204",
        )
    locations = tuple(
        Location(*_LOCATION.unpack(r.take(_LOCATION.size))) for _ in range(n_locations)
    )
    if any(p.file >= n_files or p.line < 1 or p.column < 1 for p in locations):
        raise ObjectFileError(
            f"kernel {name}: a source location has an impossible file, line or column",
            code="SIM204",
        )
    labels = tuple((r.name("label"), r.number(4)) for _ in range(r.count(4, 6)))
    return Kernel(name, layout_params(declared), words, group, private, labels, locations, readonly)
