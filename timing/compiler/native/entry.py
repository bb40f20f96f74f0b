"""Native code of an engine: its entry, and other functions of it."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Sequence

from ....emu.jit.llvm.toolchain import Compiled, Level, compile_text
from ..compose import LOCK, Composition
from ..inspection import CompositionError

ENTRY = "simtlab_engine"
"""The name of the function that is called from Python."""

PATIENCE = 1.0
"""Seconds for which an engine runs before it is compiled with all effort, which takes two."""


def finish(composition: Composition, fields: Sequence[str]) -> None:
    """Fix the layout of the header and make the entry function, once."""
    with LOCK:
        wanted = {name: word for word, name in enumerate(fields)}
        if composition.entry is not None:
            if wanted != composition.fields:
                raise CompositionError("the fields of the header depend on the machine")
            return
        composition.fields = wanted
        if composition.plain:
            composition.entry = vars(composition.namespace)["run"]
            return
        composition.entry = native(composition, "run")


class Native:
    """Engine code in memory: call it with the header's address and a number.

    Code that is not on disk is made with little effort at first: in a tenth of the time, and at
    half the speed. Once it has run for `PATIENCE` seconds, LLVM compiles it with all effort.
    """

    def __init__(self, ir: Callable[[], str], key: str) -> None:
        self._ir, self._key = ir, key
        self._seconds = 0.0
        try:
            self._use(self._compiled(not_kept, Level.WHOLE), Level.WHOLE)
        except NotKept:
            self._use(self._compiled(ir, Level.PLAIN), Level.PLAIN)
        # Other threads may be in it while this one continues with better code.
        self._first = self.code

    def _compiled(self, ir: Callable[[], str], level: Level) -> Compiled:
        return compile_text(ir, [ENTRY], level=level, key=self._key)

    def _use(self, code: Compiled, level: Level) -> None:
        self.code, self.level = code, level
        self._call = engine_function(code)

    def __call__(self, header: int, n: int) -> int:
        """Return the result of the function."""
        if self.level is Level.WHOLE:
            return self._call(header, n)
        if self._seconds > PATIENCE:
            self.optimise()
        start = time.thread_time()
        answer = self._call(header, n)
        self._seconds += time.thread_time() - start
        return answer

    def optimise(self) -> None:
        """Make the code with all effort now, if it is not."""
        with LOCK:
            if self.level is not Level.WHOLE:
                self._use(self._compiled(self._ir, Level.WHOLE), Level.WHOLE)


_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


def engine_function(code: Compiled) -> Callable[[int, int], int]:
    """Return the entry of compiled engine code, which must be kept alive."""
    return _FUNCTION(code[ENTRY])


class NotKept(Exception):
    """There is no such code on disk."""


def not_kept() -> str:
    """Raise NotKept: in place of IR, for code that is wanted only if it is on disk."""
    raise NotKept


def native(composition: Composition, what: str) -> Native:
    """Return the native function `what(S, n)` of an engine, from disk or newly compiled.

    Raises CompositionError for code that is not engine code.
    """

    def ir() -> str:
        from .translation import native_ir

        return native_ir(vars(composition.namespace), what, ENTRY, composition.fields)

    return Native(ir, f"{composition.name} {what} {composition.fields}")


def optimise(composition: Composition) -> None:
    """Compile an engine with all effort now, if it is not plain: for long runs, and to measure."""
    if isinstance(composition.entry, Native):
        composition.entry.optimise()
