"""The buffer that an access is expected in, and a place or a row of places in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .....hostmemory import PAGE
from ....llvm.function_text import FunctionText


@dataclass(frozen=True)
class Row:
    """Elements at equal steps in a buffer: operands that are computed once per call.

    The element of index i lies inside if i + `before` is below `count`, modulo 2^64. Without
    `before`, i must not be negative, and elements before that of index 0 are not looked for.
    """

    before: str | None
    count: str
    host: str
    """The host address of index 0, which may lie outside, a ptr."""
    offset: str
    """The offset of index 0 into the buffer."""
    step: int


@dataclass(frozen=True)
class Place:
    """Where an access begins: whether all of it is inside (an i1), and what its sides need."""

    inside: str
    host: Callable[[], str]
    """Its host address, a ptr; for the fast side."""
    offset: Callable[[], str]
    """Its offset into the window, an i64; for the cold side."""


@dataclass(frozen=True)
class Words:
    """Words in which small elements of a buffer are: operands that are computed once per call.

    A word ends with its element, or begins with it where the buffer begins with a page. So it is in
    a page of the buffer: reading it is no fault, whatever is beside the element.
    """

    start: str
    """How far a word begins from its element, an i64."""
    shift: str
    """The bit of a word at which its element begins, an i32."""
    unread: str
    """How many of the buffer's last elements are in words that end in another page, an i64."""


@dataclass
class Window:
    """The buffer that an access is expected in: operands that are computed once per call."""

    base: str
    host: str
    size: str
    address: str
    """`host` as an i64."""
    limits: dict[tuple[int, int], str] = field(default_factory=dict)
    rows: dict[tuple[int, ...], Row] = field(default_factory=dict)
    outside: dict[tuple[int, int], str] = field(default_factory=dict)
    words: dict[int, Words] = field(default_factory=dict)
    """Bytes of an element -> the words in which they are."""

    def left_of_page(self, code: FunctionText) -> str:
        """Return how many bytes of its last page follow the buffer, an i64."""
        end = code.let(f"add i64 {self.address}, {self.size}")
        return code.let(f"and i64 {code.let(f'sub i64 0, {end}')}, {PAGE - 1}")

    def words_of(self, entry: FunctionText, size: int) -> Words:
        """Return where the words begin in which elements are, of fewer bytes.

        Computed once per call, in its `entry`.
        """
        known = self.words.get(size)
        if known is None:
            rest = WORD_BYTES - size
            in_page = entry.let(f"and i64 {self.address}, {PAGE - 1}")
            ends = entry.let(f"icmp uge i64 {in_page}, {rest}")
            start = entry.let(f"select i1 {ends}, i64 {-rest}, i64 0")
            shift = entry.let(f"select i1 {ends}, i32 {8 * rest}, i32 0")
            left = self.left_of_page(entry)
            fits = entry.let(f"or i1 {ends}, {entry.let(f'icmp uge i64 {left}, {rest}')}")
            # An element of two bytes may be in the last three.
            unread = entry.let(f"select i1 {fits}, i64 0, i64 {-(-rest // size)}")
            known = self.words[size] = Words(start, shift, unread)
        return known


WORD_BYTES = 4
"""The bytes of the smallest elements that CPUs gather."""

LARGEST_WINDOW = (1 << 32) - (1 << 21)
"""Bytes of a buffer that the fast side accesses.

A 32-bit index that wraps around from one lane to the next cannot stay inside, even if a constant
below 2^20 is added to it, so that no test for that is needed.
"""
