"""Masks that are made of integers, which LLVM 22 extends wrongly without AVX-512.

`parts.mask_of_bits` says when. The first test shows the fault with LLVM alone. It fails once LLVM
is right; then both may go.
"""

from __future__ import annotations

import ctypes
import re

import llvmlite.binding as llvm
import numpy as np
import pytest

import simtlab
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_for_counting, facts_of
from simtlab.emu.jit.llvm import parts, toolchain
from simtlab.emu.jit.llvm.function_text import FunctionText
from simtlab.emu.jit.llvm.text import ModuleText, integer
from simtlab.emu.jit.llvm.toolchain import Level, compile_text, host_has

from ..launch.counting.test_split_counts import TWO_WAYS

WIDTHS = [3, 7, 9, 15, 17, 23, 24, 31, 32, 33, 40, 47, 48, 62, 63, 64]

needs_avx2 = pytest.mark.skipif(not host_has("avx2"), reason="the host has no AVX2")


@pytest.fixture
def without_avx512(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let code be for a CPU with AVX2 and no AVX-512."""
    monkeypatch.setattr(toolchain, "_cpu", lambda: ("x86-64-v3", ""))
    monkeypatch.setattr(toolchain, "function_attributes", lambda: "nounwind")
    monkeypatch.setattr(parts, "host_has", lambda feature: "avx512" not in feature)


def made(n: int) -> list[str]:
    """Return the instructions that make a mask of n lanes."""
    code = FunctionText(ModuleText())
    parts.mask_of_bits(code, n, "%bits")
    return code.lines


def extended(n: int, size: int, mask: list[str]) -> str:
    """Return `f(word, row)`: a row of n integers of `size` bits, with 1 where the word has one."""
    bits = f"%bits = trunc i64 %word to i{n}" if n < 64 else "%bits = or i64 %word, 0"
    t, name = integer(size, n), mask[-1].split()[0]
    return f"""
        define void @f(i64 %word, ptr %row) {{
          {bits}
        {chr(10).join(mask)}
          %flags = zext {integer(1, n)} {name} to {t}
          store {t} %flags, ptr %row, align 1
          ret void
        }}"""


def is_right(n: int, size: int, mask: list[str], level: Level = Level.FULL) -> bool:
    """Return whether some words have the right lanes in memory."""
    module = compile_text(extended(n, size, mask), ["f"], level=level)
    function = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_void_p)(module["f"])
    for word in np.random.default_rng(n).integers(0, 1 << 64, 8, np.uint64):
        row = np.zeros(2 * n, f"u{size // 8}")
        function(int(word), row.ctypes.data)
        if row[:n].tolist() != [int(word) >> lane & 1 for lane in range(n)]:
            return False
    return True


@needs_avx2
@pytest.mark.usefixtures("without_avx512")
@pytest.mark.skipif(llvm.llvm_version_info[0] != 22, reason="other versions may be right")
def test_llvm_extends_24_lanes_to_wrong_bytes() -> None:
    """Most other numbers of lanes end the process."""
    assert not is_right(24, 8, ["%m = bitcast i24 %bits to <24 x i1>"])


@needs_avx2
@pytest.mark.usefixtures("without_avx512")
@pytest.mark.parametrize("level", [Level.FULL, Level.KERNEL, Level.PLAIN])
@pytest.mark.parametrize("n", WIDTHS)
def test_masks_are_extended_to_their_lanes(n: int, level: Level) -> None:
    assert [size for size in (8, 16, 32, 64) if not is_right(n, size, made(n), level)] == []


def test_masks_are_cast_where_llvm_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    cast = {n: [f"  %t1 = bitcast i{n} %bits to <{n} x i1>"] for n in WIDTHS}
    for has in (False, True):
        monkeypatch.setattr(parts, "host_has", lambda feature, has=has: has)
        assert {n for n in WIDTHS if made(n) == cast[n]} == set(WIDTHS if has else (32, 64))


@pytest.mark.usefixtures("without_avx512")
@pytest.mark.parametrize("width", [7, 15, 24, 33, 40, 62])
def test_kernels_cast_powers_of_two(width: int) -> None:
    (kernel,) = simtlab.assemble(TWO_WAYS)
    launch = kernel.launch(items=150, group_size=75, warp=width)
    facts = facts_for_counting(kernel.kernel, launch.geometry)
    assert facts.splits
    for known in (facts, facts_of(kernel.kernel, launch.geometry)):
        text = generate(kernel.kernel, 0, known)
        cast = {int(n) for n in re.findall(r"bitcast i(\d+) \S+ to <\1 x i1>", text)}
        assert all(n & (n - 1) == 0 for n in cast)
        assert cast or known is not facts
