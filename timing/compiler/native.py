"""Native code of an engine: its entry, other functions of it, and numba's reports in one line."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...emu.jit.llvm.toolchain import Compiled, Level, compile_text
from .compose import LOCK, Composition
from .inspection import COMPUTES, CompositionError, hook_names, own_files, place
from .wrappers import filler

ENTRY = "simtlab_engine"
"""The name of the function that is called from Python."""

_LITERAL = re.compile(r"Literal\[\w+\]\((.*?)\)")
"""How numba writes the type of a constant."""

_PLACE = re.compile(
    r'\b(?:at|from) (.+?\.py) \((\d+)\)|^File "(.+?\.py)", line (\d+):', re.MULTILINE
)
"""How numba names a place."""


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

    Raises CompositionError for code that numba refuses. numba is imported only to compile.
    """

    def ir() -> str:
        from numba.core.errors import NumbaError, UnsupportedBytecodeError

        from .linking import ForeignCode, native_ir

        space = vars(composition.namespace)
        try:
            return native_ir(space, what, ENTRY, composition.fields)
        except ForeignCode as e:
            reason = f"{place(space[e.function])}: {e}" if e.function in space else str(e)
        except (NumbaError, UnsupportedBytecodeError) as e:
            reason = reason_of(str(e), own_files(composition.files)) or _strange_answer(space)
            reason = reason or reason_of(str(e))
        raise CompositionError(reason, hint=COMPUTES)

    key = f"{composition.name} {what} {composition.fields}"
    return Native(compile_text(ir, [ENTRY], level=Level.WHOLE, key=key), ENTRY)


def reason_of(text: str, files: Sequence[str] = ()) -> str:
    """Return the innermost place and the reason of numba's report on engine code, in one line.

    With `files`, it is the innermost place in one of them, or "" if the report names none of them.
    """
    lines = [line.strip() for line in text.splitlines()]
    reason = next((x for x in lines if x and not x.startswith("Failed in ")), "numba refuses it")
    if reason.startswith("No implementation of function"):
        wanted = next((x[4:] for x in lines if x.startswith(">>> ")), "")
        reason = "there is no " + _LITERAL.sub(r"\1", wanted)
    elif match := re.match(r"Unknown attribute ('\w+') of type (\w+?)_", reason):
        reason = f"{match[2]} has no field {match[1]}"
    elif match := re.match(r"Cannot resolve setattr: \((\w+)_\w+\)\.(\w+)", reason):
        reason = f"{match[1]} has no field {match[2]!r}"
    elif match := re.search(r'due to "(?:TypeError: )?(.*?)\.?"\.?$', reason):
        reason = match[1]
    found = _PLACE.findall(text)
    places = [(Path(a or b), m or n) for a, m, b, n in found]
    shown = [f"{path.name}:{line}" for path, line in places]
    if not files:
        return f"{shown[0]}: {reason}" if shown else reason
    wanted = {Path(name).resolve() for name in files}
    own = next((i for i, (path, _) in enumerate(places) if path.resolve() in wanted), None)
    if own is None:
        return ""
    return f"{shown[own]}: {reason}" + (f" (in what it calls, {shown[0]})" if own else "")


def _strange_answer(space: Mapping[str, Any]) -> str:
    """Return a message on the first compiled hook whose result is not a number, "" for none."""
    from numba.core import types

    for name in hook_names():
        if name not in space:
            continue
        for compiled in getattr(space[name], "overloads", {}).values():
            kind = types.unliteral(compiled.signature.return_type)
            if not isinstance(kind, (types.Number, types.Boolean)):
                words = {"none": "nothing", "unicode_type": "a text"}
                what = words.get(str(kind), f"a {str(kind).rpartition('_')[0] or kind}")
                return f"{place(filler(space, name))}: {name} answers {what}, not a number"
    return ""
