"""Error codes for `explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .explanations import Explanation


def code_names() -> tuple[str, ...]:
    """Every code that can be explained."""
    return ()


def code_text(code: str) -> Explanation:
    """The explanation of a code that `code_names` has."""
    raise KeyError(code)
