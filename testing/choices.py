"""The choices of a random kernel: from hypothesis, which shrinks, or a plain generator.

Hypothesis takes milliseconds for what a generator draws in microseconds, so programs that try very
many kernels and need no shrinking take `Seeded`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


class Choices(Protocol):
    """Makes choices; the first option and the least number are the simplest ones."""

    def integer(self, least: int, most: int) -> int:
        """Return a whole number from `least` to `most`."""
        ...

    def one_of(self, options: Sequence[T]) -> T:
        """Return one of some options."""
        ...

    def boolean(self) -> bool:
        """Return True or False."""
        ...


class Drawn:
    """Choices that hypothesis draws."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def integer(self, least: int, most: int) -> int:
        return self._draw(st.integers(least, most))

    def one_of(self, options: Sequence[T]) -> T:
        return self._draw(st.sampled_from(options))

    def boolean(self) -> bool:
        return self._draw(st.booleans())


class Seeded:
    """Choices of a random number generator."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def integer(self, least: int, most: int) -> int:
        return self._rng.randint(least, most)

    def one_of(self, options: Sequence[T]) -> T:
        return self._rng.choice(options)

    def boolean(self) -> bool:
        return self._rng.random() < 0.5
