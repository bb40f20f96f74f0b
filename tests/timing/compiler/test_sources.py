"""The texts of engine code: what is kept of them."""

from __future__ import annotations

import gc
import weakref
from types import CodeType, FunctionType
from typing import Any

from simtlab.timing.compiler.sources import KEPT, code_of, tree_of


def execute(number: int) -> tuple[CodeType, FunctionType]:
    """Execute a text of its own; return its code and its function."""
    space: dict[str, Any] = {}
    code = code_of("mine.py", f"def mine():\n    return {number}\n", space)
    exec(code, space)
    return code, space["mine"]


def test_engines_share_code_and_trees() -> None:
    (code, function), (again, other) = execute(-1), execute(-1)
    assert code is again
    assert function is not other
    assert tree_of(function) is tree_of(other)


def test_texts_are_forgotten_when_many_others_have_been_used() -> None:
    code, function = execute(0)
    dropped = weakref.ref(code), weakref.ref(tree_of(function))
    del code, function
    for number in range(1, KEPT + 1):
        tree_of(execute(number)[1])
    gc.collect()
    assert [ref() for ref in dropped] == [None, None]
