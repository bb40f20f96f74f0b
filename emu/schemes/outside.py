"""Divergence schemes from outside the package: a file with one subclass of `Scheme`, or the class.

    simtlab run filter --scheme my_scheme.py
    kernel.launch(items=64, scheme="my_scheme.py")(...)

Such a scheme is watched while it runs (watched.py).
"""

from __future__ import annotations

import hashlib
import inspect
import sys
import traceback
from functools import lru_cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from ...isa.errors import UsageError
from ..recent import Recent
from .base import Scheme
from .watched import watched

_EVENTS = ("branch", "exit", "arrive", "reconverge", "barrier", "release", "parked")

KEPT = 64
"""The most scheme files, and classes, that are kept for launches to come."""


class SchemeFileError(UsageError):
    """A file that should be a scheme and is not."""

    code = "SIM505"


def from_file(path: str) -> type[Scheme]:
    """Return the scheme of a file, watched. Raises SchemeFileError."""
    name = Path(path).name
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        raise SchemeFileError(
            f"cannot read scheme file {path}: {str(error.strerror).lower()}"
        ) from None
    return _from_text(name, str(Path(path).resolve()), text)


def _from_text(name: str, path: str, text: bytes) -> type[Scheme]:
    key = (name, path, text)
    kept = _FILES.find(key)
    if kept is not None:
        return kept[1]
    code = _code(name, path, text)
    digest = hashlib.sha256(b"\0".join((name.encode(), path.encode(), text))).hexdigest()
    module = ModuleType(f"simtlab_scheme_{digest[:16]}")
    module.__file__ = path
    sys.modules[module.__name__] = module  # dataclasses look there
    try:
        _execute(code, module, name)
        scheme = from_class(_own_class(module, name), name)
    except BaseException:
        _forget(module)
        raise
    return _FILES.keep(key, (module, scheme))[1]


def _forget(module: ModuleType) -> None:
    sys.modules.pop(module.__name__, None)


_FILES: Recent[tuple[str, str, bytes], tuple[ModuleType, type[Scheme]]] = Recent(
    KEPT, forget=lambda kept: _forget(kept[0])
)
"""Name, path and text of a scheme file -> its module and its scheme."""


def _code(name: str, path: str, text: bytes) -> CodeType:
    try:
        return compile(text, path, "exec")
    except SyntaxError as error:
        where = f"{name}:{error.lineno}" if error.lineno else name
        raise SchemeFileError(f"{where}: this is not a scheme file: {error.msg}") from None
    except ValueError as error:
        raise SchemeFileError(f"{name}: this is not a scheme file: {error}") from None


def _own_class(module: ModuleType, name: str) -> type[Scheme]:
    """Return the scheme that the module of a file defines."""
    own = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and value.__module__ == module.__name__
    ]
    found = [cls for cls in own if issubclass(cls, Scheme)]
    # A base class of another one in the file is not a scheme of its own.
    last = [cls for cls in found if not any(cls in c.__mro__[1:] for c in found)]
    if len(last) != 1:
        names = ", ".join(cls.__name__ for cls in last) or "none"
        raise SchemeFileError(
            f"{name}: a scheme file has one subclass of simtlab.emu.schemes.Scheme, not {names}",
            hint="`simtlab explain testing` has an example",
        )
    return last[0]


def _execute(code: CodeType, module: ModuleType, name: str) -> None:
    try:
        exec(code, vars(module))
    except (Exception, SystemExit) as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [f.lineno for f in frames if f.filename == code.co_filename]
        what = " ".join(str(error).split())
        raise SchemeFileError(
            f"{name}:{lines[-1] if lines else 1}: {type(error).__name__}: {what}"
        ) from None


@lru_cache(maxsize=KEPT)
def from_class(cls: type[Scheme], file: str = "") -> type[Scheme]:
    """Return a class of the user's as a scheme that is watched. Raises SchemeFileError."""
    file = file or cls.__name__
    missing = sorted(getattr(cls, "__abstractmethods__", ()))
    if missing:
        raise SchemeFileError(
            f"{_place(cls, file)}: {cls.__name__} has no {', '.join(missing)}",
            hint="every scheme has branch, exit, parked and depth (emu/schemes/base.py)",
        )
    for name in _EVENTS:
        wanted = _parameters(getattr(Scheme, name))
        given = _parameters(getattr(cls, name))
        if len(given) != len(wanted):
            raise SchemeFileError(
                f"{_place(getattr(cls, name), file)}: {name} takes ({', '.join(wanted)}), "
                f"not ({', '.join(given)})"
            )
    _check_knobs(cls, file)
    own = "name" in {key for c in cls.__mro__ if c.__module__ == cls.__module__ for key in vars(c)}
    return watched(cls, cls.name if own else Path(file).stem)


def _check_knobs(cls: type[Scheme], file: str) -> None:
    knobs: Any = cls.knobs
    fits = isinstance(knobs, dict) and all(
        isinstance(key, str)
        and isinstance(values, tuple)
        and values
        and all(isinstance(value, (str, int, bool)) for value in values)
        for key, values in knobs.items()
    )
    if not fits:
        raise SchemeFileError(
            f"{_place(cls, file)}: knobs is a dictionary of names with tuples of values, "
            f"the default first, not {knobs!r}"
        )


def _parameters(function: Any) -> list[str]:
    return list(inspect.signature(function).parameters)


def _place(what: Any, file: str) -> str:
    """Return where a class or function of a file begins, `file:line`."""
    try:
        if inspect.isfunction(what):
            return f"{Path(what.__code__.co_filename).name}:{what.__code__.co_firstlineno}"
        methods = [f for f in vars(what).values() if inspect.isfunction(f)]
        return f"{file}:{min(f.__code__.co_firstlineno for f in methods)}" if methods else file
    except (OSError, TypeError):
        return file
