"""LLVM's long calls, which several threads may make at the same time.

llvmlite has a lock around each call of LLVM, since its users may share one context. Modules here
have a context and a target machine each, and LLVM asks for no more: these calls go by the lock.
Where a version of llvmlite has other functions than these, they are its own calls, with the lock.
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
    _run(
        "LLVMPY_RunNewModulePassManager",
        ffi.LLVMModulePassManagerRef,
        ffi.LLVMModuleRef,
        (manager, module, builder),
    )


def run_function_passes(
    manager: llvm.FunctionPassManager, function: llvm.ValueRef, builder: llvm.PassBuilder
) -> None:
    """Run passes over a function."""
    _run(
        "LLVMPY_RunNewFunctionPassManager",
        ffi.LLVMFunctionPassManagerRef,
        ffi.LLVMValueRef,
        (manager, function, builder),
    )


def _run(name: str, manager: type, code: type, arguments: tuple[Any, Any, Any]) -> None:
    """Run the passes of a kind of manager over a kind of code."""
    run = _function(name, manager, code, ffi.LLVMPassBuilderRef)
    (run or type(arguments[0]).run)(*arguments)


def emit_object(machine: llvm.TargetMachine, module: llvm.ModuleRef) -> bytes:
    """Return the object code of a module."""
    emit = _function(
        "LLVMPY_TargetMachineEmitToMemory",
        ffi.LLVMTargetMachineRef,
        ffi.LLVMModuleRef,
        ctypes.c_int,
        ctypes.POINTER(ctypes.c_char_p),
        returned=ffi.LLVMMemoryBufferRef,
    )
    if emit is None:
        return machine.emit_object(module)
    with ffi.OutputString() as problem:
        buffer = emit(machine, module, 1, problem)
        if not buffer:
            raise RuntimeError(str(problem))
    try:
        start = ffi.lib.LLVMPY_GetBufferStart(buffer)
        return ctypes.string_at(start, ffi.lib.LLVMPY_GetBufferSize(buffer))
    finally:
        ffi.lib.LLVMPY_DisposeMemoryBuffer(buffer)


@remember
def _function(name: str, *arguments: type, returned: type = ctypes.c_int) -> Any | None:
    """Return a function of llvmlite's library without the lock; None if it is another one.

    What llvmlite does not say of a function, ctypes takes for an `int`. Each call here makes an
    object of its own, as others may be in use by threads.
    """
    try:
        locked = getattr(ffi.lib, name)
        function = ctypes.CDLL(ffi.lib._name, handle=ffi.lib._handle)[name]
        types = locked.restype, *locked.argtypes
    except (AttributeError, TypeError):
        return None
    if types != (returned, *arguments):
        return None
    function.argtypes, function.restype = locked.argtypes, locked.restype
    return function
