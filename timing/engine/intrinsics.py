"""The vocabulary of engine code: records, tables, bit operations and calls of native code.

Everything here exists twice. In compiled engine code the state `S` is a pointer to a block of
64-bit words, and a row of a table is a pointer to a record. Each function below is a few LLVM
instructions there (scalars.py, vectors.py and searches.py in compiler/native/). In plain engine
code the same names are Python objects and functions with the same results, so that the engine runs
uncompiled.

Engine code computes with 64-bit integers only: fields are sign-extended when they are read, and
masks are signed too (bit 63 is the sign, so test `mask != 0`, never `mask > 0`).
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ...emu.recent import KEPT
from .causes import BANK, L2, MSHR, READY
from .plain import PlainRow, row_class

if TYPE_CHECKING:
    from .hooks import State

_F = TypeVar("_F", bound=Callable[..., Any])

NEVER = (1 << 62) - 1
"""A cycle that is never reached."""

WORD = 8
"""Bytes of a word: a row of a table with one field of 64 bits."""

_WORD = 0xFFFF_FFFF_FFFF_FFFF


def device(f: _F) -> _F:
    """Mark f as engine code, which is compiled unless the engine runs plain."""
    vars(f)["is_device"] = True
    return f


def inlined(f: _F) -> _F:
    """Mark f as engine code that is compiled into each of its callers, however long it is."""
    vars(f)["is_inlined"] = True
    return device(f)


# --- records and tables


def record(**fields: str) -> np.dtype:
    """Return a record of integer fields, `name="i8"` (or i4, i2, i1), aligned as in C."""
    return np.dtype(list(fields.items()), align=True)


TABLES: dict[Callable[..., Any], tuple[str, np.dtype]] = {}
"""Accessor -> (table, record): all tables that have been declared."""


def table(name: str, layout: np.dtype) -> Callable[[State, int], Any]:
    """Declare a table; return its accessor, used as `rows(S, i).field`."""
    row = row_class(layout.names or ())

    def accessor(S: Any, i: int) -> PlainRow:
        return row(S._rows[name], i)

    accessor.__name__ = name
    TABLES[accessor] = (name, layout)
    return accessor


# --- bits


def bit(lane: int) -> int:
    """Return the mask of `lane`, 0 to 63."""
    return signed(1 << lane)


def low_bits(n: int) -> int:
    """Return the mask of the first n lanes, 0 to 64."""
    return signed((1 << n) - 1)


def ctz(mask: int) -> int:
    """Return the number of the lowest lane of a mask; 64 for an empty mask."""
    return ((mask & -mask).bit_length() - 1) & 127 if mask & _WORD else 64


def inverse_of(divisor: int) -> int:
    """Return the `inverse` with which `quotient` divides by a positive number; for setups."""
    return signed((1 << 63) // divisor + 1)


def quotient(n: int, inverse: int) -> int:
    """Return n // divisor by a product, exact for n from 0 to 2^63 / divisor."""
    return (2 * n & _WORD) * (inverse & _WORD) >> 64


def drop_lowest(mask: int) -> int:
    """Return a mask without its lowest lane."""
    return signed(mask & (mask - 1))


def popcount(mask: int) -> int:
    """Return the number of lanes of a mask."""
    return (mask & _WORD).bit_count()


def mix(a: int, b: int, c: int) -> int:
    """Return a pseudo-random number from 0 to 2^62 - 1 made of a, b, c (SplitMix64's finaliser)."""
    z = (a * 0x9E3779B97F4A7C15 + b * 0xC2B2AE3D27D4EB4F + c * 0x165667B19E3779F9) & _WORD
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
    return (z ^ (z >> 31)) >> 2


def signed(word: int) -> int:
    """Return a 64-bit pattern as the signed number with which engine code computes."""
    word &= _WORD
    return word - (1 << 64) if word >> 63 else word


# --- memory and native code


def call(function: int, block: int, mask: int) -> int:
    """Call a segment or mover of the JIT for lanes `mask`; return the lanes that trapped."""
    return signed(_function(function)(block & _WORD, mask & _WORD))


@lru_cache(maxsize=KEPT)
def _function(address: int) -> Callable[[int, int], int]:
    """Return the native code at an address as a function of a block and a mask."""
    return ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64)(address)


def call3(function: int, block: int, a: int, b: int) -> int:
    """Call native code with a block and two numbers, as to start a warp; return its result."""
    kind = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64)
    return signed(kind(function)(block & _WORD, a & _WORD, b & _WORD))


def word64(address: int, index: int) -> int:
    """Return the 64-bit word `index` after a host address: a `$c` row, a lane of a `$d` row."""
    return struct.unpack("<q", ctypes.string_at(address + 8 * index, 8))[0]


def word32(address: int, index: int) -> int:
    """Return the unsigned 32-bit word `index` after a host address: a lane of an `$s` row."""
    return struct.unpack("<I", ctypes.string_at(address + 4 * index, 4))[0]


def put64(address: int, index: int, value: int) -> None:
    """Store a 64-bit word at `index` after a host address."""
    ctypes.memmove(address + 8 * index, struct.pack("<q", value), 8)


def put_sums(address: int, width: int, base: int, to: int) -> None:
    """Store `base` plus each unsigned 32-bit word of an `$s` row as 64-bit words at address `to`.

    It may store further words, up to a multiple of eight.
    """
    words = struct.unpack(f"<{width}I", ctypes.string_at(address, 4 * width))
    sums = struct.pack(f"<{width}q", *(signed(base + word) for word in words))
    ctypes.memmove(to, sums, 8 * width)


def count_lanes(address: int, width: int, lanes: int) -> None:
    """Add 1 to those of `width` 64-bit words at a host address that are numbered in a mask."""
    for lane in range(width):
        put64(address, lane, word64(address, lane) + (lanes >> lane & 1))


def add_parts(
    dates: int, ready: int, end: int, cause: int, a: int, a1: int, a2: int, b: int, b1: int
) -> None:
    """Divide the spans from cycles a and b up to `end`, and add their parts to the causes'.

    They end at three dates in memory (BANK, MSHR, L2), at `ready` (the `cause`) and at `end`
    (READY). Rows of a word for each cause are at host addresses: a1 and a2 for a, b1 for b.
    """
    boundaries = zip((BANK, MSHR, L2, cause, READY), (*_words(dates, 3), ready, end), strict=True)
    for owner, date in boundaries:
        until = min(date, end)
        for row, waited in ((a1, until - a), (a2, until - a), (b1, until - b)):
            if waited > 0:
                put64(row, owner, word64(row, owner) + waited)
        a, b = max(a, until), max(b, until)


def put_in_chunk(address: int, index: int, value: int) -> None:
    """Store a 64-bit word at `index` after an address, together with the words beside it.

    A host gives a load of several words what a store has just written only if that was one store
    of all of them.
    """
    put64(address, index, value)


def prefetch(address: int) -> None:
    """Let the host fetch what is at an address, which need not be valid, without waiting for it."""


def lanes_of_line(address: int, width: int, offset: int, shift: int, line: int) -> int:
    """Return the lanes whose address (a `$d` row plus `offset`) lies in a line of 2^shift bytes."""
    words = struct.unpack(f"<{width}Q", ctypes.string_at(address, 8 * width))
    found = 0
    for lane, word in enumerate(words):
        if ((word + offset) & _WORD) >> shift == line & (_WORD >> shift):
            found |= 1 << lane
    return signed(found)


def line_starts(address: int, width: int, offset: int, shift: int) -> int:
    """Return lane 0 and the lanes whose address is in another line than that of the lane before.

    The addresses are a `$d` row plus `offset`; lines have 2^shift bytes, shift > 0.
    """
    words = struct.unpack(f"<{width}Q", ctypes.string_at(address, 8 * width))
    lines = [((word + offset) & _WORD) >> shift for word in words]
    return signed(sum(1 << i for i in range(width) if i == 0 or lines[i] != lines[i - 1]))


def lanes_in_steps(address: int, width: int, base: int, step: int) -> int:
    """Return the lanes whose word (of a `$d` row) is `base + step * lane`."""
    words = struct.unpack(f"<{width}Q", ctypes.string_at(address, 8 * width))
    found = 0
    for lane, word in enumerate(words):
        if word == (base + step * lane) & _WORD:
            found |= 1 << lane
    return signed(found)


def bits_of_words(address: int, width: int, offset: int, mask: int, lanes: int) -> int:
    """Return which 32-bit words `lanes` address (a `$d` row plus `offset`), as bits.

    Bit n is set if the low bits `mask` of a word's number are n.
    """
    numbers = _word_numbers(address, width, offset, mask)
    found = 0
    for lane, number in enumerate(numbers):
        if lanes >> lane & 1:
            found |= 1 << number
    return signed(found)


def most_in_a_bank(address: int, width: int, offset: int, mask: int, lanes: int) -> int:
    """Return how many of `lanes` address words in the bank that most of them address.

    The bank of a word is its number's low bits `mask`; lanes with the same word count each.
    """
    numbers = _word_numbers(address, width, offset, mask)
    banks = [number for lane, number in enumerate(numbers) if lanes >> lane & 1]
    return max(map(banks.count, banks), default=0)


def _word_numbers(address: int, width: int, offset: int, mask: int) -> list[int]:
    words = struct.unpack(f"<{width}Q", ctypes.string_at(address, 8 * width))
    return [((word + offset) & _WORD) >> 2 & mask for word in words]


def count_bits(address: int, bits: int) -> int:
    """Add each bit of a mask to one of 64 bytes at a host address; return 0."""
    counts = ctypes.string_at(address, 64)
    more = bytes(n + (bits >> i & 1) & 0xFF for i, n in enumerate(counts))
    ctypes.memmove(address, more, 64)
    return 0


def most_of_bytes(address: int) -> int:
    """Return the greatest of 64 bytes without signs at a host address."""
    return max(ctypes.string_at(address, 64))


def words_up_to(address: int, n: int, limit: int) -> int:
    """Return which of n words (1 to 64) after a host address are at most `limit`, as a mask."""
    words = _words(address, n)
    return signed(sum(1 << i for i, word in enumerate(words) if word <= limit))


def rows_with(address: int, step: int, width: int, rows: int, value: int) -> int:
    """Return those of `rows`, a mask of up to `width`, whose word is `value`.

    The word of row i is `step * i` bytes after a host address.
    """
    return signed(
        sum(
            1 << i for i in range(width) if rows >> i & 1 and word64(address + step * i, 0) == value
        )
    )


def find_word(address: int, n: int, value: int) -> int:
    """Return the index of the first of n > 0 words at a host address equal to `value`, or -1."""
    words = _words(address, n)
    return words.index(value) if value in words else -1


def least(address: int, n: int) -> int:
    """Return the least of n > 0 words at a host address."""
    return min(_words(address, n))


def first_least(address: int, n: int) -> int:
    """Return the index of the least of n > 0 words at a host address, the first of equal ones."""
    words = _words(address, n)
    return words.index(min(words))


def first_least_due(address: int, dates: int, n: int, t: int) -> int:
    """Return the index of the least of those of n > 0 words whose date is at most t, or -1.

    Words and dates are after two host addresses. Of equal words it is the first one.
    """
    words = _words(address, n)
    due = [i for i, date in enumerate(_words(dates, n)) if date <= t]
    return min(due, key=words.__getitem__, default=-1)


def _words(address: int, n: int) -> tuple[int, ...]:
    return struct.unpack(f"<{n}q", ctypes.string_at(address, 8 * n))
