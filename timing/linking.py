"""One LLVM module for the whole engine, optimised once.

numba makes a library of every function, in which it links, optimises and emits everything that the
function calls: for a hundred functions that call each other this is most of the time of compiling,
and what is not inlined is called across libraries. While an engine is compiled, the libraries of
its functions keep their IR only; the entry's takes all of it in, once, as internal functions, so
that LLVM sees the whole program. What is called from one place is inlined, and results that are
always alike vanish.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any, cast

from llvmlite import binding
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target

INLINING = 100
"""How much LLVM inlines, in its own measure, of which 225 is usual. Less keeps the loop near the
size of a host's first-level cache for code, and takes less time to compile."""

ENTRY = "entry"
"""The name of the function that is to be called from Python."""


class _NoEnvironments:
    """A code generator for functions that have no address yet, and hence no environment."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, env: object) -> None:
        """Nothing: engine code raises nothing, which is what environments are for."""


class _Part(JITCodeLibrary):
    """A function of the engine, which is IR until the whole takes it in."""

    @property
    def codegen(self) -> Any:
        return _NoEnvironments(self._codegen)

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0


class _Whole(JITCodeLibrary):
    """The engine: its entry, with every function that it reaches."""

    def finalize(self) -> None:
        self.take_in()
        super().finalize()

    def _optimize_final_module(self) -> None:
        # numba's cheap passes come first for reference counts, which engine code has none of.
        options = binding.PipelineTuningOptions(3)
        options.loop_vectorization = True
        options.inlining_threshold = INLINING
        builder = binding.create_pass_builder(self._codegen._tm, options)
        builder.getModulePassManager().run(self._final_module, builder)

    def take_in(self) -> None:
        """Link the IR of all parts, each once; nobody else can call them."""
        own = {f.name for f in self._final_module.functions}
        parts: list[_Part] = []
        others: list[Any] = []
        todo = list(self._linking_libraries)
        while todo:
            library = todo.pop()
            found = parts if isinstance(library, _Part) else others
            if library not in found:
                found.append(library)
                todo += library._linking_libraries if found is parts else ()
        for part in parts:
            self._final_module.link_in(part._final_module, preserve=True)
        for f in self._final_module.functions:
            if not f.is_declaration and f.name not in own:
                f.linkage = "internal"
        self._linking_libraries = others


@contextmanager
def whole_program(functions: Collection[str]) -> Iterator[None]:
    """While this is open, numba compiles these functions as parts, and `entry` as their whole."""
    codegen = cast(Any, cpu_target).target_context.codegen()

    def create_library(name: str) -> JITCodeLibrary:
        kind = _Whole if name == ENTRY else _Part if name in functions else JITCodeLibrary
        return kind(codegen, name)

    with global_compiler_lock:
        codegen.create_library = create_library
        try:
            yield
        finally:
            del codegen.create_library
