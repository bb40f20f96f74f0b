"""Code that nothing holds is freed once enough other kernels have been compiled."""

from __future__ import annotations

import gc

import pytest

from simtlab.emu.jit.kernel import compile as code
from simtlab.emu.jit.launch.engine import execute
from simtlab.emu.jit.llvm import toolchain as build
from simtlab.emu.recent import Recent

from ...support.oracle_work import make


def test_the_one_asked_for_longest_ago_goes() -> None:
    recent: Recent[str, int] = Recent(2)
    recent.keep("a", 1)
    recent.keep("b", 2)
    assert recent.find("a") == 1
    assert recent.keep("c", 3) == 3
    assert (recent.find("a"), recent.find("b"), recent.find("c")) == (1, None, 3)


def test_a_process_may_go_through_any_number_of_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    recent: Recent[tuple[object, ...], code.CompiledKernel] = Recent(3)
    monkeypatch.setattr(code, "_COMPILED", recent)

    def run(number: int) -> None:
        execute(make(f"kernel k() {{\n mov_u32 $s0, {number}\n ret\n}}"))

    for number in range(5):
        run(number)
    gc.collect()  # what other tests have left
    before = len(build._alive)
    for number in range(5, 25):
        run(number)
    gc.collect()  # a launch refers to what runs it again, and that to the launch
    assert len(build._alive) == before
    assert len(recent) == 3
