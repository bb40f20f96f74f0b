"""Inspection of engine code: mistakes by file and line, before the code is translated.

So they are found in plain engines too, and in functions that nothing calls. Bytecode is inspected,
which has no constant expressions and no unreachable code.
"""

from __future__ import annotations

import builtins
import dis
import inspect
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, TypeGuard

from ...isa.errors import Suggestion, UsageError, did_you_mean
from ..engine import hooks, intrinsics
from ..engine.intrinsics import TABLES

ENGINE = Path(intrinsics.__file__).parent
"""The folder of the engine files."""

DECLARATIONS = ("EXTENDS", "SETTINGS", "GRAIN", "SCHEDULER")
"""The constants by which a user's file declares what it is (files.py reads them)."""


class CompositionError(UsageError):
    """Files that do not fit together, or code that is not engine code."""

    code = "SIM610"


COMPUTES = (
    "engine code may use 64-bit integers, fields of records and functions of the engine only "
    "(`simtlab explain timing`)"
)
"""The hint for code that cannot be compiled."""

_MARK = "write @device above it, from simtlab.timing.engine.intrinsics"

_PYTHON = {
    "BUILD_LIST": "makes a list",
    "BUILD_MAP": "makes a dictionary",
    "BUILD_CONST_KEY_MAP": "makes a dictionary",
    "BUILD_SET": "makes a set",
    "BUILD_STRING": "makes a string",
    "FORMAT_VALUE": "makes a string",
    "FORMAT_SIMPLE": "makes a string",
    "FORMAT_WITH_SPEC": "makes a string",
    "LOAD_ASSERTION_ERROR": "asserts",
    "RAISE_VARARGS": "raises an exception",
    "BEFORE_WITH": "has a `with`",
    "IMPORT_NAME": "imports a module",
    "STORE_GLOBAL": "changes a global name",
    "DELETE_FAST": "deletes a name",
    "MAKE_FUNCTION": "makes a function",
    "LOAD_BUILD_CLASS": "makes a class",
    "RETURN_GENERATOR": "is a generator",
}
"""CPython's instructions that engine code must not have, and what the source does there."""


def own_files(files: Iterable[str]) -> list[str]:
    """Return an engine's files that are the user's, not of this package."""
    return [name for name in files if name.endswith(".py")]


def is_device(value: object) -> bool:
    """Return whether a value is engine code."""
    return getattr(value, "is_device", False)


def is_inlined(value: object) -> bool:
    """Return whether a function is compiled into each of its callers."""
    return getattr(value, "is_inlined", False)


def is_table(value: object) -> TypeGuard[FunctionType]:
    """Return whether a value is the accessor of a table."""
    return isinstance(value, FunctionType) and value in TABLES


@cache
def hook_names() -> Mapping[str, FunctionType]:
    """Return name -> default function of every hook."""
    return {
        n: f
        for family in hooks.FAMILIES
        for n, f in vars(family).items()
        if isinstance(f, FunctionType) and f.__module__ == family.__name__
    }


def parameters_of(function: FunctionType) -> tuple[str, ...]:
    """Return the names of a function's parameters."""
    code = function.__code__
    return code.co_varnames[: code.co_argcount]


def first_user(space: Mapping[str, Any], name: str) -> str:
    """Return the place of the first function that uses a global name, "" for none."""
    for function in space.values():
        if (
            isinstance(function, FunctionType)
            and function.__globals__ is space
            and name in function.__code__.co_names
        ):
            for where, step in _steps(function):
                if step.opname == "LOAD_GLOBAL" and step.argval == name:
                    return where
    return ""


def place(function: FunctionType) -> str:
    """Return where a function is defined, `file:line`; below its decorators."""
    code: CodeType = function.__code__
    path, first = Path(code.co_filename), code.co_firstlineno
    lines = path.read_text(encoding="utf-8").splitlines()[first - 1 :]
    below = next((n for n, line in enumerate(lines) if line.lstrip().startswith("def ")), 0)
    return f"{path.name}:{first + below}"


def check(space: Mapping[str, Any], *, plain: bool) -> None:
    """Check all functions of a namespace; raise CompositionError for the first mistake.

    Where the engine runs uncompiled its code may use Python, for example to print.
    """
    own = [
        (name, value)
        for name, value in space.items()
        if isinstance(value, FunctionType) and value.__globals__ is space
    ]
    for name, function in own:
        _check_hook(name, function)
    for name, function in own:
        _check_names(name, function, space)
        if is_device(function):
            _check_hidden(name, function, space)
            _check_answers(name, function)
            if not plain:
                _check_compilable(name, function, space)


def _check_hook(name: str, function: FunctionType) -> None:
    """Check that a hook exists, takes the right parameters, and is engine code."""
    known = hook_names()
    if name not in known:
        if name.startswith("on_"):
            raise CompositionError(
                f"{place(function)}: {name!r} is not a hook of the engine",
                hint=did_you_mean(name, list(known)),
            )
        return
    wanted = list(inspect.signature(known[name]).parameters)
    given = list(inspect.signature(function).parameters)
    if len(wanted) != len(given):
        raise CompositionError(
            f"{place(function)}: hook {name!r} takes ({', '.join(wanted)}), "
            f"not ({', '.join(given)})"
        )
    if not is_device(function):
        raise CompositionError(
            f"{place(function)}: hook {name!r} is not marked as engine code",
            hint=_MARK,
        )


_ELSEWHERE = {
    **dict.fromkeys(("bitcount", "bit_count", "countbits", "popc", "popcnt", "ctpop"), "popcount"),
    **dict.fromkeys(("ffs", "cttz", "trailing_zeros", "count_trailing_zeros", "lowest"), "ctz"),
}
"""What other languages call an intrinsic."""


def meant(word: str, names: Iterable[str]) -> str:
    """Return a hint with the intrinsic that a word of another language means, or a near name."""
    known = _ELSEWHERE.get(word.lower().strip("_"), "")
    if known:
        return Suggestion.of(f"the intrinsic is called `{known}` here", known)
    return did_you_mean(word, list(names))


def _check_names(name: str, function: FunctionType, space: Mapping[str, Any]) -> None:
    """Check that every global name exists that a function uses."""
    for where, step in _steps(function):
        if step.opname == "LOAD_GLOBAL" and step.argval not in space:
            if hasattr(builtins, str(step.argval)):
                continue
            raise CompositionError(
                f"{where}: {name} uses {step.argval!r}, which no file of this engine defines",
                hint=meant(step.argval, space),
            )


def _check_hidden(name: str, function: FunctionType, space: Mapping[str, Any]) -> None:
    """Refuse a parameter with the name of a table, which the function could not reach."""
    for parameter in parameters_of(function):
        if is_table(space.get(parameter)):
            raise CompositionError(
                f"{place(function)}: the parameter {parameter!r} of {name} hides the table "
                f"{parameter!r}",
                hint="give the parameter another name",
            )


def _check_answers(name: str, function: FunctionType) -> None:
    """Check that a hook returns a number on every path, and others on all paths or none."""
    nothing, number = "", name in hook_names()
    before = None
    for where, step in _steps(function):
        if step.opname in ("RETURN_VALUE", "RETURN_CONST"):
            result = before if step.opname == "RETURN_VALUE" else step
            assert result is not None
            if result.opname in ("LOAD_CONST", "RETURN_CONST") and result.argval is None:
                nothing = nothing or where
            else:
                number = True
        before = step
    if nothing and number:
        what = "a hook returns a number" if name in hook_names() else "elsewhere it returns one"
        raise CompositionError(
            f"{nothing}: {name} may end here without returning a number; {what}",
            hint="return 0 if the result is not used",
        )


def _check_compilable(name: str, function: FunctionType, space: Mapping[str, Any]) -> None:
    """Check that a function makes no Python objects, and calls engine code only."""
    for where, step in _steps(function):
        does = _PYTHON.get(step.opname)
        if step.opname == "LOAD_GLOBAL":
            other = space.get(step.argval)
            if step.argval == "print" and other is None:
                does = "calls print"
            elif (
                isinstance(other, FunctionType)
                and other.__globals__ is space
                and not is_device(other)
            ):
                raise CompositionError(
                    f"{where}: {name} uses {step.argval!r} ({place(other)}), which is not marked "
                    "as engine code",
                    hint=_MARK,
                )
        if does:
            raise CompositionError(
                f"{where}: {name} {does}, which engine code cannot do; a plain engine can "
                "(plain=True)",
                hint=COMPUTES,
            )


def _steps(function: FunctionType) -> tuple[tuple[str, dis.Instruction], ...]:
    """Return the instructions of a function, each with its place."""
    return _steps_of(function.__code__)


@lru_cache(maxsize=1 << 13)  # this package has about 1,000 functions of engine code
def _steps_of(code: CodeType) -> tuple[tuple[str, dis.Instruction], ...]:
    """Return the same of a code object, which engines share that are composed of one file."""
    file = Path(code.co_filename).name
    line = code.co_firstlineno
    found = []
    for step in dis.get_instructions(code):
        line = (step.positions and step.positions.lineno) or line
        found.append((f"{file}:{line}", step))
    return tuple(found)
