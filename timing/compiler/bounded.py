"""Loops of the user's engine files, which must end: one that does not would hang the process.

Native code hears no Ctrl-C. So every `while` of a function that has the state counts its turns, and
a call that takes more than `MOST_TURNS` ends the simulation with the loop's line. From then on no
other loop takes a turn, also of functions that the engine still calls before it stops.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path
from zlib import crc32

from ..engine.state import ENDLESS_LOOP

MOST_TURNS = 1 << 22
"""Turns of all `while` loops in one call of a function: no machine has as many groups, by far."""

_FIRST = "left = {turns} if S.endless == 0 else 0"
_TEST = f"""
left -= 1
if left < 0:
    if S.endless == 0:
        S.endless = {{mark}}
    S.status = {ENDLESS_LOOP}
    break
"""
_LINES = 31
"""Bits of a mark that hold a line; a hash of the file is above them."""


def bound(tree: ast.Module, path: str) -> ast.Module:
    """Let the `while` loops of functions with a parameter S give up; return the tree of a file."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and _has_state(function):
            loops = list(_loops(function))
            for loop in loops:
                mark = _hash(path) << _LINES | loop.lineno
                loop.body[:0] = _placed(_TEST.format(mark=mark), loop.body[0])
            if loops:
                first = int(ast.get_docstring(function, clean=False) is not None)
                text = _FIRST.format(turns=MOST_TURNS)
                function.body[first:first] = _placed(text, function.body[first])
    return tree


def place_of(mark: int, files: Iterable[str]) -> str:
    """Return the place of a loop that has given up, `file:line`."""
    line = mark & (1 << _LINES) - 1
    return next(f"{Path(f).name}:{line}" for f in files if _hash(f) == mark >> _LINES)


def _hash(path: str) -> int:
    return crc32(str(Path(path)).encode())


def _has_state(function: ast.FunctionDef) -> bool:
    arguments = function.args
    return "S" in (parameter.arg for parameter in (*arguments.posonlyargs, *arguments.args))


def _loops(node: ast.AST) -> Iterator[ast.While]:
    """Yield the loops of a function, without those of functions in it."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.While):
            yield part
        if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield from _loops(part)


def _placed(text: str, at: ast.stmt) -> list[ast.stmt]:
    """Return the statements of a text, as if they were written at another one."""
    statements = ast.parse(text).body
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, (ast.stmt, ast.expr)):
                ast.copy_location(node, at)
            if isinstance(node, ast.Name) and node.id == "left":
                node.id = ".left"  # no name of the user's
    return statements
