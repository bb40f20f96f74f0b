"""The texts of engine code, and the syntax trees of its functions.

A namespace keeps the text of every file that was executed in it: what is compiled is what was
executed, even if the file on disk has changed since.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from .bounded import bound
from .inspection import ENGINE

_TEXTS = "__texts__"
"""The name of the texts in a namespace."""

KEPT = 512
"""The most texts whose code and syntax trees are kept: those of this package are about 100."""


def code_of(path: str, text: str, space: dict[str, Any]) -> CodeType:
    """Return the code of a file that is to be executed in a namespace."""
    space.setdefault(_TEXTS, {})[path] = text
    return _compiled(path, text)


@lru_cache(maxsize=KEPT)
def _compiled(path: str, text: str) -> CodeType:
    """Return the code of a text, which all engines share that have it."""
    return compile(_tree(path, text), path, "exec")


def _tree(path: str, text: str) -> ast.Module:
    """Return the syntax tree of a text; in a file of the user, loops count their turns."""
    tree = ast.parse(text, path)
    is_own = path.endswith(".py") and not Path(path).is_relative_to(ENGINE)
    return bound(tree, path) if is_own else tree


def tree_of(function: FunctionType) -> ast.FunctionDef:
    """Return the syntax tree of a function of engine code."""
    code = function.__code__
    text = function.__globals__.get(_TEXTS, {}).get(code.co_filename)
    first = code.co_firstlineno, code.co_name
    if text is None:  # the default of a hook, which Python has imported
        return _imported(code.co_filename)[first]
    return _functions(code.co_filename, text)[first]


def parameters_of(tree: ast.FunctionDef) -> list[ast.arg]:
    """Return the parameters that a call gives by place."""
    return [*tree.args.posonlyargs, *tree.args.args]


@lru_cache(maxsize=KEPT)
def _functions(path: str, text: str) -> Mapping[tuple[int, str], ast.FunctionDef]:
    """Return the functions of a text by first line, that of a decorator, and name."""
    return _by_line(_tree(path, text))


@lru_cache(maxsize=KEPT)
def _imported(path: str) -> Mapping[tuple[int, str], ast.FunctionDef]:
    """Return the functions of a module as _functions does, as they are in its file."""
    return _by_line(ast.parse(Path(path).read_text(encoding="utf-8"), path))


def _by_line(tree: ast.Module) -> Mapping[tuple[int, str], ast.FunctionDef]:
    found: dict[tuple[int, str], ast.FunctionDef] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            first = min(part.lineno for part in (node, *node.decorator_list))
            found[first, node.name] = node
    return found
