"""Results that are made once, though several threads ask for them at the same time."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Generic, TypeVar

T = TypeVar("T")


class Once(Generic[T]):
    """A function that keeps its results; a thread waits for a result that another one is making.

    `functools.cache` would make two, and drop one of them. Code must stay as long as its
    address is in use.
    """

    def __init__(self, function: Callable[..., T]) -> None:
        self._function = function
        self._kept: dict[tuple[object, ...], T] = {}
        self._lock = RLock()

    def __call__(self, *args: object) -> T:
        """Return the result for some arguments."""
        if args not in self._kept:
            with self._lock:
                if args not in self._kept:
                    self._kept[args] = self._function(*args)
        return self._kept[args]

    @property
    def is_made(self) -> bool:
        """Whether there is a result."""
        return bool(self._kept)

    def forget(self) -> None:
        """Make results anew, in tests: nothing may use the old ones any more."""
        self._kept.clear()
