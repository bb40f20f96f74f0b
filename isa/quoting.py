"""Quotations in messages: values and texts, cut if they are long.

A message is read by a person. A source line of a megabyte, a list of ten thousand names or a number
of five thousand digits (which Python refuses to write at all) is shown by its beginning.
"""

from __future__ import annotations

import reprlib

MAX_VALUE = 80
"""Characters of a value."""

MAX_LINE = 1000
"""Characters of a line of a message."""

MAX_LINES = 200
"""Lines of a message."""


class _Values(reprlib.Repr):
    """Python's own abbreviated form of values, and one for numbers that it does not write."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = MAX_VALUE
        self.maxtuple = self.maxlist = self.maxdict = self.maxset = 6
        self.maxlong = 50

    def repr_int(self, x: int, level: int) -> str:
        if x.bit_length() > 1 << 12:
            return f"a whole number of {x.bit_length():,} bits"
        return super().repr_int(x, level)


_VALUES = _Values()


def shown(value: object) -> str:
    """Return a value as a message quotes it."""
    return cut(_VALUES.repr(value).replace("\n", " "), 4 * MAX_VALUE)


def cut(text: str, length: int) -> str:
    """Return the beginning of a text, with an ellipsis where something is left out."""
    return text if len(text) <= length else text[: length - 1] + "…"


def cut_message(text: str) -> str:
    """Return a message whose lines, and number of lines, are bounded."""
    if len(text) <= MAX_LINE:
        return text
    lines = text.split("\n")
    kept = [cut(line, MAX_LINE) for line in lines[:MAX_LINES]]
    return "\n".join(kept if len(lines) <= MAX_LINES else [*kept, "…"])
