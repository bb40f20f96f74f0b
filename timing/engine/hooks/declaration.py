"""The declaration of a hook: the marks and words of the state that its stub states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_F = TypeVar("_F", bound=Callable[..., int])

REQUIRED: set[str] = set()
"""Hooks that every engine must fill."""

WHERE_USED: set[str] = set()
"""Hooks that an engine must fill if one of its files calls them."""

ANSWERS: dict[str, dict[str, tuple[int | str, str]]] = {}
"""Hook -> word of the state -> its value before the hook runs (a number, or the name of a parameter
of the hook) and its meaning."""

GIVEN: dict[str, dict[str, str]] = {}
"""Hook -> word of the state that the caller sets -> its meaning."""


class State:
    """The state as engine code sees it: any field of the header, a whole number."""

    def __getattr__(self, name: str) -> int:
        raise NotImplementedError

    def __setattr__(self, name: str, value: int) -> None:
        raise NotImplementedError


Row = Any
"""A record of a table."""


def required(f: _F) -> _F:
    """Mark a hook that has no default and that every engine must fill."""
    REQUIRED.add(f.__name__)
    return f


def where_used(f: _F) -> _F:
    """Mark a hook that has no default and that only some engines call."""
    WHERE_USED.add(f.__name__)
    return f


def answers(**words: tuple[int | str, str]) -> Callable[[_F], _F]:
    """Declare the words of the state that a hook sets, as in `ANSWERS`."""

    def declare(f: _F) -> _F:
        ANSWERS[f.__name__] = words
        return f

    return declare


def given(**words: str) -> Callable[[_F], _F]:
    """Declare the words of the state that a hook's caller sets, as in `GIVEN`."""

    def declare(f: _F) -> _F:
        GIVEN[f.__name__] = words
        return f

    return declare
