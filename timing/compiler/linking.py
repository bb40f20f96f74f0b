"""The functions of an engine as one LLVM module.

numba makes a library of every function, in which it links, optimises and emits everything that the
function calls. For a hundred functions that call each other this is most of the compile time, and
functions that are not inlined are called across libraries. Here numba's libraries keep only their
IR, and one module links all of it, once, as internal functions. LLVM then sees the whole program:
it inlines functions with one caller and folds results that never differ.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from types import FunctionType
from typing import Any, cast

import numba
from llvmlite import binding as llvm
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target

from ...isa.collection import without_garbage_collection
from .inspection import is_device, is_table
from .numba_types import compile_device, register_table, state_at

_ENTRY = """\
def {name}(header, n):
    return {what}(state_at(header), n)
"""

# numba's functions return a status, which is 0 here, and write their result and exceptions.
_NATIVE = """\
declare i32 @"{inner}"(ptr, ptr, i64, i64)

define i64 @{name}(i64 %header, i64 %n) {{
    %answer = alloca i64
    %error = alloca ptr
    %status = call i32 @"{inner}"(ptr %answer, ptr %error, i64 %header, i64 %n)
    %result = load i64, ptr %answer
    ret i64 %result
}}
"""


_FOREIGN = ("Py", "numba_", "NRT_MemInfo_new", "NRT_Allocate")
"""Prefixes of functions that belong to Python, or make objects for numba."""


class ForeignCode(Exception):
    """An engine's function needs Python."""

    def __init__(self, function: str) -> None:
        self.function = function
        super().__init__(
            f"{function} makes or calls something of Python, as a list or print; that works where "
            "it runs uncompiled, with plain=True"
        )


class _NoEnvironments:
    """A code generator for functions that have no address yet, and hence no environment."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, env: object) -> None:
        """Do nothing: environments are for exceptions, and engine code raises none."""


class _Part(JITCodeLibrary):
    """A function of the engine, kept as IR."""

    @property
    def codegen(self) -> Any:
        return _NoEnvironments(self._codegen)

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0

    def _optimize_functions(self, ll_module: Any) -> None:
        """Do nothing: all functions are optimised together."""
        ll_module.data_layout = self._codegen._data_layout


def native_ir(space: dict[str, Any], what: str, name: str, fields: Mapping[str, int]) -> str:
    """Return the IR of engine code as `i64 name(i64 header, i64 n)`, which calls `what(S, n)`.

    Functions of the namespace that are marked as engine code become numba's. `fields` are the words
    of the header. Raises numba's errors.
    """
    for key, value in list(space.items()):
        if not isinstance(value, FunctionType):
            continue  # numba's already
        if is_device(value):
            space[key] = compile_device(value)
        elif is_table(value):
            register_table(value)
    space["state_at"] = state_at(fields)
    made: dict[str, Any] = {}
    exec(_ENTRY.format(name=name, what=what), space, made)
    entry = compile_device(made[name])
    functions = {name, *(n for n, f in space.items() if hasattr(f, "py_func"))}
    with _parts(functions), without_garbage_collection():
        entry.compile((numba.int64, numba.int64))
    (compiled,) = entry.overloads.values()
    inlined = {
        c.fndesc.llvm_func_name
        for f in space.values()
        if getattr(f, "is_inlined", False)
        for c in f.overloads.values()
    }
    return _linked(compiled.library, compiled.fndesc.llvm_func_name, name, inlined)


@contextmanager
def _parts(functions: Collection[str]) -> Iterator[None]:
    """Let numba keep the IR of these functions, within the context."""
    codegen = cast(Any, cpu_target).target_context.codegen()

    def create_library(name: str) -> JITCodeLibrary:
        return (_Part if name in functions else JITCodeLibrary)(codegen, name)

    with global_compiler_lock:
        codegen.create_library = create_library
        try:
            yield
        finally:
            del codegen.create_library


def _linked(entry: Any, inner: str, name: str, inlined: Collection[str]) -> str:
    """Return the IR of a library and all that it reaches, each once; only `name` can be called.

    `inlined` are the functions that are always inlined. Raises ForeignCode.
    """
    module = llvm.parse_assembly(_NATIVE.format(inner=inner, name=name))
    module.data_layout = entry._codegen._data_layout
    for library, _ in _reached(entry):
        module.link_in(library._final_module, preserve=True)
    for f in module.functions:
        if f.is_declaration and f.name.startswith(_FOREIGN):
            raise ForeignCode(_user_of(f.name, entry))
        if not f.is_declaration and f.name != name:
            f.linkage = "internal"
            if f.name in inlined:
                f.add_function_attribute("alwaysinline")
    return str(module)


def _reached(entry: Any) -> Iterator[tuple[Any, str]]:
    """Yield a library and all that it reaches, each once, with the engine function that uses it."""
    found: list[Any] = []
    todo = [(entry, entry.name)]
    while todo:
        library, user = todo.pop()
        if library not in found:
            found.append(library)
            user = library.name if isinstance(library, _Part) else user  # else it is numba's own
            yield library, user
            todo += [(other, user) for other in library._linking_libraries]


def _user_of(name: str, entry: Any) -> str:
    """Return the engine's function that needs a native one."""
    for library, user in _reached(entry):
        lines = str(library._final_module).splitlines()
        if any(name in line and not line.startswith("declare") for line in lines):
            return user
    return entry.name
