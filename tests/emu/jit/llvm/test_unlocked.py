"""LLVM's calls without llvmlite's lock, and with it in a version of llvmlite that has others."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import pytest
from llvmlite.binding import ffi

from simtlab.emu.jit.llvm import unlocked
from simtlab.emu.jit.llvm.passes import Level
from simtlab.emu.jit.llvm.toolchain import compile_text

TEXT = """define i64 @kernel(i64 %n) #0 {
  %r = mul i64 %n, 3
  ret i64 %r
}
attributes #0 = { nounwind }
"""

NAMES = (
    "LLVMPY_RunNewModulePassManager",
    "LLVMPY_RunNewFunctionPassManager",
    "LLVMPY_TargetMachineEmitToMemory",
)


class Library:
    """A library of llvmlite that has one name fewer, or one argument more."""

    def __init__(self, without: str = "", longer: str = "") -> None:
        self._without, self._longer = without, longer

    def __getattribute__(self, name: str) -> Any:
        if name == object.__getattribute__(self, "_without"):
            raise AttributeError(name)
        found = getattr(LIBRARY, name)
        return Longer(found) if name == object.__getattribute__(self, "_longer") else found


class Longer:
    """A function of llvmlite whose library has another argument, of which only that one knows."""

    def __init__(self, function: Any) -> None:
        self.argtypes, self.restype = [*function.argtypes, ctypes.c_int], function.restype
        self._function = function

    def __call__(self, *arguments: Any) -> Any:
        return self._function(*arguments)


LIBRARY = ffi.lib


@pytest.fixture(autouse=True)
def anew() -> Iterator[None]:
    """Functions are looked for again."""
    unlocked._function.cache_clear()
    yield
    unlocked._function.cache_clear()


def asked(monkeypatch: pytest.MonkeyPatch, library: object) -> list[bool]:
    """Compile with a library; whether each function that was asked for goes without the lock."""
    monkeypatch.setattr(ffi, "lib", library)
    found = list[bool]()
    function = unlocked._function

    def noted(*arguments: Any, **returned: Any) -> Any:
        result = function(*arguments, **returned)
        found.append(result is not None)
        return result

    monkeypatch.setattr(unlocked, "_function", noted)
    compiled = compile_text(TEXT, ["kernel"], level=Level.KERNEL)
    assert ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(compiled["kernel"])(5) == 15
    return found


def test_this_version_has_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise threads would wait for each other."""
    assert set(asked(monkeypatch, LIBRARY)) == {True}


@pytest.mark.parametrize("name", ["_name", "_handle"])
def test_a_library_without_a_name_has_its_lock(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    assert set(asked(monkeypatch, Library(without=name))) == {False}


@pytest.mark.parametrize("name", NAMES)
def test_a_function_with_another_argument_has_its_lock(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    assert set(asked(monkeypatch, Library(longer=name))) == {True, False}
