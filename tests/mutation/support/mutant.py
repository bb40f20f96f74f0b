"""Seeded bugs: a piece of a module's text replaced, for as long as a test needs it.

The functions whose code the replacement changes get that code in place, so code that has
imported them runs the mutant.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any


@dataclass(frozen=True)
class Mutant:
    """A mistake, described by `why`: `new` replaces `old`, which the module's source has once."""

    module: str
    why: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.module}: {self.why}"

    @property
    def path(self) -> Path:
        """The module's file."""
        return Path(str(import_module(f"simtlab.{self.module}").__file__))

    @property
    def text(self) -> str:
        """The module's source with the mistake."""
        source = self.path.read_text(encoding="utf-8")
        assert source.count(self.old) == 1, f"{self}: {source.count(self.old)} places have the text"
        return source.replace(self.old, self.new)

    @contextmanager
    def seeded(self) -> Iterator[None]:
        """Run with the mistake."""
        module = import_module(f"simtlab.{self.module}")
        right = _codes(compile(self.path.read_text(encoding="utf-8"), str(self.path), "exec"))
        wrong = _codes(compile(self.text, str(self.path), "exec"))
        changed = [name for name in right if _differ(right[name], wrong[name])]
        functions = {name: _function(module, name) for name in changed}
        assert functions, f"{self}: no function has changed"
        kept = {name: function.__code__ for name, function in functions.items()}
        try:
            for name, function in functions.items():
                function.__code__ = wrong[name]
            yield
        finally:
            for name, function in functions.items():
                function.__code__ = kept[name]


def _codes(code: CodeType, prefix: str = "") -> dict[str, CodeType]:
    """Functions and methods of a module by qualified name, without those inside functions."""
    found: dict[str, CodeType] = {}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            name = f"{prefix}{constant.co_name}"
            if constant.co_flags & 2:  # a function has fast locals, the body of a class has none
                found[name] = constant
            else:
                found |= _codes(constant, f"{name}.")
    return found


def _differ(right: CodeType, wrong: CodeType) -> bool:
    return right.replace(co_firstlineno=0, co_linetable=b"") != wrong.replace(
        co_firstlineno=0, co_linetable=b""
    )


def _function(module: Any, name: str) -> FunctionType:
    found: Any = module
    for part in name.split("."):
        found = vars(found)[part]
    found = getattr(found, "fget", found)
    found = getattr(found, "__func__", found)
    found = getattr(found, "__wrapped__", found)
    assert isinstance(found, FunctionType), name
    return found


EXAMPLES = 100
"""Within so many a bug is to be found."""

PATIENCE = 20.0
"""Seconds of the CPU's time for an example; a mutant that takes more does not end."""


SURVIVED, FOUND, NOT_SEEDED = range(3)
"""Exit statuses of a child."""


def survives(seeded: AbstractContextManager[None], check: Callable[[int], object]) -> bool:
    """Whether no example finds a bug; in a process of its own, since native code may crash.

    A bug that could not be seeded, since the text that it replaces has changed, is an error.
    """
    child = os.fork()
    if not child:
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        outcome = NOT_SEEDED
        try:
            with seeded:
                outcome = FOUND
                for number in range(EXAMPLES):
                    signal.setitimer(signal.ITIMER_PROF, PATIENCE)  # ends the process
                    check(number)
                outcome = SURVIVED
        finally:
            os._exit(outcome)
    _, status = os.waitpid(child, 0)
    outcome = os.waitstatus_to_exitcode(status)
    assert outcome != NOT_SEEDED, "the text that the mutant replaces has changed"
    return outcome == SURVIVED
