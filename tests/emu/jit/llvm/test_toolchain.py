"""The way from text to code: what happens to it when nobody waits for it any more."""

from __future__ import annotations

import subprocess
import sys

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


def test_garbage_of_an_abandoned_compilation_is_no_crash() -> None:
    """LLVM's objects were freed in any order: a process died of it at its end, after Ctrl-C."""
    done = subprocess.run(
        [sys.executable, "-c", ABANDONED], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")
