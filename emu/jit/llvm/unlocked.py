"""LLVM's long calls, which several threads may make at the same time.

llvmlite has a lock around each call of LLVM, since its users may share one context. Modules here
have a context and a target machine each, and LLVM asks for no more: these calls go by the lock.
"""

from __future__ import annotations

import ctypes
from functools import cache as remember
from typing import Any

import llvmlite.binding as llvm
from llvmlite.binding import ffi


def run_passes(
    manager: llvm.ModulePassManager, module: llvm.ModuleRef, builder: llvm.PassBuilder
) -> None:
    """Run passes over a module."""
    _function("LLVMPY_RunNewModulePassManager")(manager, module, builder)


def run_function_passes(
    manager: llvm.FunctionPassManager, function: llvm.ValueRef, builder: llvm.PassBuilder
) -> None:
    """Run passes over a function."""
    _function("LLVMPY_RunNewFunctionPassManager")(manager, function, builder)


def emit_object(machine: llvm.TargetMachine, module: llvm.ModuleRef) -> bytes:
    """Return the object code of a module."""
    with ffi.OutputString() as problem:
        buffer = _function("LLVMPY_TargetMachineEmitToMemory")(machine, module, 1, problem)
        if not buffer:
            raise RuntimeError(str(problem))
    try:
        start = ffi.lib.LLVMPY_GetBufferStart(buffer)
        return ctypes.string_at(start, ffi.lib.LLVMPY_GetBufferSize(buffer))
    finally:
        ffi.lib.LLVMPY_DisposeMemoryBuffer(buffer)


@remember
def _function(name: str) -> Any:
    """Return a function of llvmlite's library, as it is without the lock."""
    locked = getattr(ffi.lib, name)
    function = getattr(_library(), name)
    function.argtypes, function.restype = locked.argtypes, locked.restype
    return function


@remember
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(ffi.lib._name, handle=ffi.lib._handle)
