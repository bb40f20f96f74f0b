"""Tables of cases whose rows say what they show, and the two ways to run them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest

BOTH = pytest.mark.parametrize("plain", [True, False], ids=["plain", "compiled"])
"""Marks a test that runs on the plain engine and on the compiled one."""


def described(rows: Iterable[Sequence[Any]]) -> list[Any]:
    """Return one parameter set per row; the last column becomes the test's ID, after the names.

    `("F4", "dws.branch-only", 20, 0, "one path issues")` has the ID
    `F4 dws.branch-only: one path issues`.
    """
    return [pytest.param(*row, id=_id(row, text)) for *row, text in rows]


def _id(row: Sequence[Any], text: str) -> str:
    names = " ".join(value for value in row if isinstance(value, str))
    return f"{names}: {text}" if names else text
