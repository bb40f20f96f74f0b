"""Signs of vectors in the registers 16 to 31, which LLVM 22 moves from another register.

`toolchain._moves_signs` says when and why. The first test shows the fault with LLVM alone. It fails
once LLVM is right; then both may go.
"""

from __future__ import annotations

import ctypes

import llvmlite.binding as llvm
import numpy as np
import pytest

from simtlab.emu.jit.llvm import toolchain
from simtlab.emu.jit.llvm.toolchain import Compiled, Level, compile_text, host_has

VECTORS, LANES = 24, 7


def signs_of_many_vectors() -> str:
    """Return `f(vectors, words)`: the signs of each vector, all of which are in use to the end."""
    loads, signs, stores = [], [], []
    for k in range(VECTORS):
        loads.append(f"""
            %p{k} = getelementptr <8 x i32>, ptr %vectors, i64 {k}
            %v{k} = load volatile <{LANES} x i32>, ptr %p{k}, align 4""")
        signs.append(f"""
            %m{k} = icmp slt <{LANES} x i32> %v{k}, zeroinitializer
            %b{k} = bitcast <{LANES} x i1> %m{k} to i{LANES}
            %w{k} = zext i{LANES} %b{k} to i32
            %q{k} = getelementptr i32, ptr %words, i64 {k}
            store volatile i32 %w{k}, ptr %q{k}""")
        stores.append(f"""
            store volatile <{LANES} x i32> %v{k}, ptr %p{k}, align 4""")
    body = "".join(loads + signs + stores)
    return f"define void @f(ptr %vectors, ptr %words) {{{body}\n  ret void\n}}\n"


def wrong(module: Compiled) -> int:
    """Return for how many vectors the signs are wrong."""
    vectors = np.random.default_rng(1).integers(-9, 9, (VECTORS, 8)).astype(np.int32)
    words = np.zeros(VECTORS, np.uint32)
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(module["f"])
    function(vectors.ctypes.data, words.ctypes.data)
    right = ((vectors[:, :LANES] < 0) << np.arange(LANES)).sum(axis=1)
    return int((words != right).sum())


@pytest.mark.skipif(
    llvm.llvm_version_info[0] != 22 or not (host_has("avx512vl") and host_has("avx512dq")),
    reason="LLVM 22 moves signs wrongly with AVX-512 only",
)
def test_llvm_moves_signs_from_another_register(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "_moves_signs", lambda code: False)
    assert wrong(compile_text(signs_of_many_vectors(), ["f"]))


@pytest.mark.parametrize("level", Level)
def test_signs_are_those_of_the_vector(level: Level) -> None:
    assert wrong(compile_text(signs_of_many_vectors(), ["f"], level=level)) == 0
