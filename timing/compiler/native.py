"""Native code of an engine: its entry, and other functions of it."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from ...emu.jit.llvm.toolchain import Compiled, Level, compile_text
from .compose import LOCK, Composition
from .inspection import CompositionError

ENTRY = "simtlab_engine"
"""The name of the function that is called from Python."""


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
    """Engine code in memory: call it with the header's address and a number."""

    def __init__(self, code: Compiled, name: str) -> None:
        self.code = code
        self._call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(code[name])

    def __call__(self, header: int, n: int) -> int:
        """Return the result of the function."""
        return self._call(header, n)


def native(composition: Composition, what: str) -> Native:
    """Return the native function `what(S, n)` of an engine, from disk or newly compiled.

    Raises CompositionError for code that is not engine code.
    """

    def ir() -> str:
        from .translation import native_ir

        return native_ir(vars(composition.namespace), what, ENTRY, composition.fields)

    key = f"{composition.name} {what} {composition.fields}"
    return Native(compile_text(ir, [ENTRY], level=Level.WHOLE, key=key), ENTRY)
