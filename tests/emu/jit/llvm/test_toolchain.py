"""The way from text to code: what happens to it when nobody waits for it any more."""

from __future__ import annotations

import subprocess
import sys

import pytest

from simtlab.emu.jit.llvm.passes import Level

ABANDONED = """
import gc
from simtlab.emu.jit.llvm import toolchain

class Asked:
    # stands for an Event: set when it is asked the n-th time
    def __init__(self, n): self.left = n
    def is_set(self): self.left -= 1; return self.left == 0

gc.disable()
toolchain._initialise()
for n in 60 * [1, 2, 3]:
    kept = []
    try:
        toolchain._object("define i32 @f() { ret i32 0 }", toolchain.Level.FULL, Asked(n))
    except toolchain._Abandoned as problem:
        kept += [problem, kept]  # a cycle: frames and all they have are garbage
print(gc.collect() > 0)
"""

COMPILED_OFTEN = """
import resource, sys
from simtlab.emu.jit.llvm.passes import Level
from simtlab.emu.jit.llvm.toolchain import compile_text

def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()

level = Level(sys.argv[1])
lines = "\\n".join(f"  %v{i + 1} = add i64 %v{i}, %n" for i in range(200))
ir = f"define i64 @f(i64 %v0, i64 %n) {{\\n{lines}\\n  ret i64 %v200\\n}}\\n"
for _ in range(10):
    compile_text(ir, ["f"], level=level)
before = resident()
for _ in range(200):
    compile_text(ir, ["f"], level=level)
print(resident() - before)
"""


def test_garbage_of_an_abandoned_compilation_is_no_crash() -> None:
    """LLVM's objects were freed in any order: a process died of it at its end, after Ctrl-C."""
    done = subprocess.run(
        [sys.executable, "-c", ABANDONED], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("level", [Level.FULL, Level.KERNEL, Level.QUICK])
def test_what_a_compilation_needs_is_freed(level: Level) -> None:
    """In a process of its own: the heap of one that has run other tests grows by itself."""
    done = subprocess.run(
        [sys.executable, "-c", COMPILED_OFTEN, level.value],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    # llvmlite would leave 60 KiB of each pipeline, 12 MiB in all. The linker does leave 10 KiB of
    # each module, and the heap takes and gives back pieces of 2 MiB.
    assert int(done.stdout) < 7 << 20
