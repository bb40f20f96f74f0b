"""What a generator is: a source of examples, each of which runs and can be written down."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

Files = Mapping[str, str | bytes]
"""Files of a reproducer by name; `reproduce.py` is the one that is run."""


class Example(Protocol):
    """One thing to try."""

    def run(self) -> str:
        """Try it and return what came of it in a word, which is counted.

        Raises AssertionError for a wrong result. Any other exception is a finding as well.
        """
        ...

    def files(self) -> Files:
        """What it takes to try it again without the fuzzer."""
        ...

    def smaller(self) -> Iterable[Example]:
        """The same example with a part left out, large parts first; empty if it has no parts."""
        ...


class Draw(Protocol):
    """Makes an example from a source of randomness."""

    def __call__(self, rng: random.Random) -> Example: ...


@dataclass(frozen=True)
class Generator:
    """A kind of examples.

    `open` prepares a slice of them in a scratch folder of its own: what takes long to make is
    chosen once for all of its examples, from the slice's own randomness.
    """

    name: str
    open: Callable[[Path, random.Random], Draw]
    limit: float
    """Seconds within which every example must end, on a machine that is busy with others."""
    share: float
    """Its part of the time, relative to the others'."""


def without_lines(text: str, fixed: Callable[[str], bool]) -> list[str]:
    """The text without a run of lines, long runs first; lines that are `fixed` stay."""
    lines = text.splitlines()
    free = [i for i, line in enumerate(lines) if not fixed(line)]
    texts: list[str] = []
    size = len(free) // 2
    while size > 0:
        for start in range(0, len(free), size):
            gone = set(free[start : start + size])
            texts.append("\n".join(x for i, x in enumerate(lines) if i not in gone) + "\n")
        size //= 2
    return texts
