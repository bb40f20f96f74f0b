"""Loops of the user's engine files, which must end: one that does not would hang the process.

Native code hears no Ctrl-C. So every `while` of a function that has the state counts its turns, and
a call that takes more than `MOST_TURNS` ends the simulation with the loop's line.
"""

from __future__ import annotations

import ast
from pathlib import Path

from ..engine.state import ENDLESS_LOOP

MOST_TURNS = 1 << 22
"""Turns of all `while` loops in one call of a function: no machine has as many groups, by far."""

_LEFT = "turns_left_"


def bound(tree: ast.Module) -> ast.Module:
    """Let the `while` loops of functions with a parameter S give up; return the tree."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and _has_state(function):
            loops = [node for node in ast.walk(function) if isinstance(node, ast.While)]
            for loop in loops:
                loop.body[:0] = _placed(_TEST.format(line=loop.lineno), loop.body[0])
            if loops:
                first = int(ast.get_docstring(function, clean=False) is not None)
                at = function.body[-1] if len(function.body) == first else function.body[first]
                function.body[first:first] = _placed(f"{_LEFT} = {MOST_TURNS}", at)
    return tree


_TEST = f"""
{_LEFT} -= 1
if {_LEFT} < 0:
    S.status = {ENDLESS_LOOP}
    S.endless_line = {{line}}
    break
"""


def has_loop(path: Path, line: int) -> bool:
    """Return whether a file has a `while` in a line."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return any(isinstance(node, ast.While) and node.lineno == line for node in ast.walk(tree))


def _has_state(function: ast.FunctionDef) -> bool:
    return "S" in (parameter.arg for parameter in function.args.args)


def _placed(text: str, at: ast.stmt) -> list[ast.stmt]:
    """Return the statements of a text, as if they were written at another one."""
    statements = ast.parse(text).body
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, (ast.stmt, ast.expr)):
                ast.copy_location(node, at)
    return statements
