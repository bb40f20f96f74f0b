"""The text of a random kernel under construction, and the frame that makes a kernel of it.

The frame has what the body uses and nothing else: it gives each working register that occurs its
first value, and ends by storing each of them to the work-item's own row of `out`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..emu.geometry import Geometry
from ..isa.program import align
from ..isa.types import RegClass
from .case import Case
from .choices import Choices

WORKING = {RegClass.S: 6, RegClass.D: 3, RegClass.C: 3}
"""Working registers per class: few, so that statements share them."""

INPUT_WORDS = 64
"""u32 elements of the input array."""

CONSTANTS = (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x3F800000, 0x7FC00001, 0xC0490FDB)
"""The readonly array: u32 patterns that are interesting as integers and as floats."""

PRIVATE_WORDS = 8
"""u64 elements of private memory."""

FUEL = 24
"""Backward branches that a work-item may take."""

# Registers with a fixed use, above the working ones.
ID, LOCAL, FUEL_LEFT, SCRATCH, FLAG, GROUP = 40, 41, 42, 43, 44, 45
COUNTERS, UNIFORM_COUNTERS = 20, 30
ROW, ADDRESS, INPUT, SHARED, WIDE_SCRATCH, MEMORY = 40, 41, 42, 43, 44, 45
TEST, OTHER_TEST = 40, 41

FOLD = 31
"""What a number is multiplied by before the next register is added to it."""

UNWRITTEN = 0xA5A5_A5A5_A5A5_A5A5
"""What a row of `out` holds before: a work-item that stores nothing is noticed."""

Statement = Callable[[Choices, "Writer"], None]


class Loop(NamedTuple):
    """The labels of a loop that a branch inside it may go to."""

    next: str
    end: str


@dataclass
class Layout:
    """Places in an array of which every work-item has its own, dealt out in order of use.

    A region holds elements of one size in one pattern, of `n` work-items: a power of two.
    """

    n: int
    offsets: dict[tuple[int, str], int] = field(default_factory=dict)
    bytes: int = 0

    def offset(self, size: int, pattern: str) -> int:
        """Return where the region for elements of this size and pattern begins."""
        key = (size, pattern)
        if key not in self.offsets:
            self.offsets[key] = self.bytes
            self.bytes = align(self.bytes + size * self.n * (3 if pattern == "strided" else 1), 8)
        return self.offsets[key]


@dataclass
class Writer:
    """The body under construction; labels are numbered in order of use."""

    geometry: Geometry
    seed: int = 0
    """Of the input array."""
    branching: tuple[Statement, ...] = ()
    """Statements with branches that may be nested in others."""
    lines: list[str] = field(default_factory=list)
    far: list[str] = field(default_factory=list)
    """Blocks after the end of the kernel."""
    labels: int = 0
    depth: int = 0
    deepest: int = 3
    """Statements inside each other."""
    loops: list[Loop] = field(default_factory=list)
    """Loops that a work-item may leave here, the innermost last."""
    counters: list[str] = field(default_factory=list)
    """Registers that count the iterations of the loops around."""
    uniform: list[str] = field(default_factory=list)
    """Those which are equal in all work-items of a workgroup."""
    counts: set[int] = field(default_factory=set)
    """Places of `counts` in group memory that atomics have worked on."""

    def __post_init__(self) -> None:
        self.memory = Layout(_power(self.geometry.n_items))
        self.tile = Layout(_power(self.geometry.largest_group))

    def emit(self, text: str) -> None:
        self.lines.append("    " + text)

    def label(self) -> str:
        self.labels += 1
        return f"@L{self.labels}"

    def place(self, label: str) -> None:
        self.lines.append(f"{label}:")

    def case(self) -> Case:
        """Return the kernel with its frame, its arguments and its launch."""
        stored = self._stored()
        row = self._rows(stored)
        body = [*self.lines, *row.lines, "    ret", *self.far]
        symbols = _names(body)
        head = [*self._declarations(symbols), *_beginnings(_registers(body), row.bytes)]
        arrays = self._arrays(row.bytes)
        used = {name: a for name, a in arrays.items() if f"%{name}" in "\n".join([*head, *body])}
        parameters = ", ".join(f"{_PARAMETERS[name]} %{name}" for name in used)
        text = [
            *([_TABLE] if "TABLE" in symbols else ()),
            f"kernel random({parameters}) {{",
            *head,
            *body,
            "}",
        ]
        return Case("\n".join(text) + "\n", self.geometry, tuple(used.values()))

    def _stored(self) -> list[str]:
        """Return the working registers that occur, or one where none does."""
        used = _registers([*self.lines, *self.far])
        working = [
            name
            for cls in (RegClass.D, RegClass.S, RegClass.C)
            for name in (f"${cls.value}{i}" for i in range(WORKING[cls]))
            if name in used
        ]
        return working or ["$s0"]

    def _rows(self, stored: list[str]) -> _Row:
        """Store registers in a row, those of a class as one number if there are several."""
        lines: list[str] = []
        size = 0
        for cls, bits, total in (("d", 64, f"$d{ADDRESS}"), ("s", 32, f"$s{SCRATCH}")):
            values = [name for name in stored if name[1] == cls]
            flags = [name for name in stored if name[1] == "c"] if cls == "s" else []
            if len(values) == 1 and not flags:
                total = values[0]
            else:
                for i, name in enumerate(values):
                    how = f"mad_u{bits} {total}, {total}, {FOLD}," if i else f"mov_u{bits} {total},"
                    lines.append(f"    {how} {name}")
            for i, name in enumerate(flags):
                if not values and i == 0:
                    lines.append(f"    cvt_u32_b1 {total}, {name}")
                    continue
                lines.append(f"    cvt_u32_b1 $s{FLAG}, {name}")
                lines.append(f"    mad_u32 {total}, {total}, {FOLD}, $s{FLAG}")
            if values or flags:
                lines.append(f"    st_global_u{bits} {total}, [$d{ROW}+{size}]")
                size += bits // 8
        return _Row(lines, align(size, 8))

    def _declarations(self, symbols: set[str]) -> list[str]:
        sizes = {
            "swap": f"    .group u64 swap[{self.tile.n}]",
            "tile": f"    .group u64 tile[{self.tile.bytes // 8}]",
            "counts": f"    .group u64 counts[{COUNTS}]",
            "mine": f"    .private u64 mine[{PRIVATE_WORDS}]",
        }
        return [text for name, text in sizes.items() if name in symbols]

    def _arrays(self, row_bytes: int) -> dict[str, object]:
        items = self.geometry.n_items
        rng = np.random.default_rng(self.seed)
        return {
            "out": np.full(items * row_bytes // 8, UNWRITTEN, np.uint64),
            "input": rng.integers(0, 2**32, INPUT_WORDS, np.uint32),
            "shared": np.zeros(COUNTS, np.uint64),
            "memory": np.zeros(max(8, self.memory.bytes) // 8, np.uint64),
        }


class _Row(NamedTuple):
    lines: list[str]
    bytes: int


COUNTS = 64
"""u64 places that atomics work on, in group memory and in `shared`."""

_TABLE = f".readonly u32 TABLE[{len(CONSTANTS)}] = {{ {', '.join(f'{c:#x}' for c in CONSTANTS)} }}"
_PARAMETERS = {
    "out": "global u64*",
    "input": "global u32*",
    "shared": "global u64*",
    "memory": "global u64*",
}

_FIRST: tuple[tuple[str, tuple[str, ...]], ...] = (
    (f"$s{ID}", ("workitemflatabsid_u32 {0}",)),
    (f"$s{LOCAL}", ("workitemflatid_u32 {0}",)),
    (f"$s{GROUP}", ("workgroupid_u32 {0}, 0",)),
    (f"$s{FUEL_LEFT}", (f"mov_u32 {{0}}, {FUEL}",)),
    (f"$d{INPUT}", ("ld_kernarg_u64 {0}, [%input]",)),
    (f"$d{SHARED}", ("ld_kernarg_u64 {0}, [%shared]",)),
    (f"$d{MEMORY}", ("ld_kernarg_u64 {0}, [%memory]",)),
    ("$s0", (f"mov_u32 {{0}}, $s{ID}",)),
    (
        "$s1",
        (
            f"and_u32 {{0}}, $s{ID}, {INPUT_WORDS - 1}",
            f"cvt_u64_u32 $d{ADDRESS}, {{0}}",
            f"mad_u64 $d{ADDRESS}, $d{ADDRESS}, 4, $d{INPUT}",
            f"ld_global_u32 {{0}}, [$d{ADDRESS}]",
        ),
    ),
    ("$s2", ("mov_u32 {0}, 0x3f8a5a5a",)),
    ("$s3", (f"mul_u32 {{0}}, $s{ID}, 0x9e3779b1",)),
    ("$s4", (f"mov_u32 {{0}}, $s{GROUP}",)),
    ("$s5", (f"mul_u32 {{0}}, $s{LOCAL}, 0xc2b2ae35",)),
    ("$d0", (f"cvt_f64_u32 {{0}}, $s{ID}",)),
    ("$d1", (f"cvt_u64_u32 {{0}}, $s{GROUP}", "mad_u64 {0}, {0}, 0x7fffffff, {0}")),
    ("$c0", (f"and_u32 $s{SCRATCH}, $s{ID}, 1", f"cmp_ne_u32 {{0}}, $s{SCRATCH}, 0")),
    ("$c2", (f"cmp_gt_u32 {{0}}, $s{LOCAL}, 2",)),
    ("$c1", (f"mul_u32 $s{SCRATCH}, $s{ID}, 0x85ebca6b", f"cmp_lt_s32 {{0}}, $s{SCRATCH}, 0")),
)
"""How registers begin, in this order; the others begin as zero.

Some differ from lane to lane by a constant, some by data, and some are the same in a workgroup.
"""

_REGISTER = re.compile(r"\$[sdc]\d+")
_NAME = re.compile(r"\[([A-Za-z]+)")


def _registers(lines: Iterable[str]) -> set[str]:
    return set(_REGISTER.findall("\n".join(lines)))


def _names(lines: Iterable[str]) -> set[str]:
    return set(_NAME.findall("\n".join(lines)))


def _beginnings(used: set[str], row_bytes: int) -> list[str]:
    """Return the lines that give registers their first values, and the address of the row."""
    lines = [
        f"    ld_kernarg_u64 $d{ROW}, [%out]",
        f"    cvt_u64_u32 $d{ADDRESS}, $s{ID}",
        f"    mad_u64 $d{ROW}, $d{ADDRESS}, {row_bytes}, $d{ROW}",
    ]
    used = used | _registers(lines)
    first: list[str] = []
    for register, texts in reversed(_FIRST):
        if register in used:
            made = ["    " + text.format(register) for text in texts]
            used |= _registers(made)
            first[:0] = made
    # The row's address needs the id, and what follows may use the same scratch register.
    place = next(i for i, line in enumerate(first) if f"$s{ID}" in line) + 1
    return [*first[:place], *lines, *first[place:]]


def _power(n: int) -> int:
    """Return the least power of two that is not below n."""
    return 1 << (n - 1).bit_length()
