"""Kernels of great size: time in proportion, no recursion, and Ctrl-C is heard while LLVM works."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from simtlab import assemble
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.suitability import limits
from simtlab.emu.jit.kernel.compile import _level, generate
from simtlab.emu.jit.llvm.cache import FOLDER_VARIABLE
from simtlab.emu.jit.llvm.toolchain import Level

from ..support.agreement import same


def kernel(body: str) -> str:
    return f"""
        kernel large(global u32* %x, u32 %n) {{
            workitemabsid_u32 $s0, 0
            cvt_u64_u32 $d0, $s0
            ld_kernarg_u64 $d1, [%x]
            ld_kernarg_u32 $s9, [%n]
            mad_u64 $d1, $d0, 4, $d1
            {body}
            st_global_u32 $s1, [$d1]
            ret
        }}"""


def additions(count: int) -> str:
    return "add_u32 $s1, $s1, $s0\n" * count


def pointers(count: int) -> str:
    return "add_u64 $d1, $d1, $d2\n" * count


def doublings(count: int) -> str:
    return "sub_u64 $d5, $d1, $d1\n" + "add_u64 $d5, $d5, $d5\n" * count + "add_u64 $d1, $d1, $d5\n"


def loads(count: int) -> str:
    step = "add_u64 $d1, $d1, 4\n sub_u64 $d1, $d1, 4\n"
    return f"ld_global_u32 $s2, [$d1]\n add_u32 $s1, $s1, 1\n {step}" * count


def loops(count: int) -> str:
    return "".join(
        f"""mov_u32 $s2, 0
        @loop{i}:
            add_u32 $s1, $s1, $s2
            add_u32 $s2, $s2, 1
            cmp_lt_u32 $c0, $s2, $s9
            cbr $c0, @loop{i}
        """
        for i in range(count)
    )


def nested_loops(depth: int) -> str:
    heads = "".join(f"@loop{i}:\n add_u32 $s1, $s1, {i}\n" for i in range(depth))
    ends = "".join(
        f"cmp_gt_u32 $c0, $s1, {1000 * i}\n and_u32 $s1, $s1, 1023\n cbr $c0, @loop{i}\n"
        for i in reversed(range(depth))
    )
    return heads + ends


def nested_branches(depth: int) -> str:
    heads = "".join(
        f"cmp_gt_u32 $c0, $s0, {i % 50}\n cbr $c0, @end{i}\n add_u32 $s1, $s1, {i}\n"
        for i in range(depth)
    )
    return heads + "".join(f"@end{i}:\n" for i in reversed(range(depth)))


@pytest.mark.parametrize(
    "body",
    [additions(2100), pointers(2100), doublings(500), loads(100), loops(40), nested_loops(8),
     nested_branches(60)],
    ids=["additions", "pointers", "doublings", "loads", "loops", "nest", "branches"],
)  # fmt: skip
def test_a_large_kernel_computes_what_the_oracle_says(body: str) -> None:
    same(kernel(body), [np.arange(64, dtype=np.uint32), 3], items=64, group_size=32)


@pytest.mark.parametrize("make", [additions, pointers, doublings, loads])
def test_code_grows_in_proportion_to_the_kernel(make) -> None:
    facts = Facts(32, (32, 1, 1), True)
    sizes = []
    for count in (400, 800):
        (program,) = assemble(kernel(make(count))).program.kernels
        sizes.append(len(generate(program, 0, facts)))
    assert sizes[1] < 2.5 * sizes[0]


@pytest.mark.parametrize(
    ("body", "level"),
    [
        (loops(limits.OPTIMISED_BACKWARD_BRANCHES), Level.QUICK),
        (loops(limits.OPTIMISED_BACKWARD_BRANCHES + 1), Level.PLAIN),
        (additions(limits.OPTIMISED_INSTRUCTIONS + 1), Level.PLAIN),
    ],
)
def test_llvm_optimises_what_it_can_in_time(body: str, level: Level) -> None:
    (program,) = assemble(kernel(body)).program.kernels
    assert _level(program, Facts(32, (32, 1, 1), True)) is level


@pytest.mark.parametrize(
    ("body", "engine"),
    [
        pytest.param(additions(20_000), "jit", marks=pytest.mark.slow),
        pytest.param(additions(limits.MOST_INSTRUCTIONS), "interp", marks=pytest.mark.slow),
        (nested_branches(2000), "interp"),
        (loads(limits.MOST_ACCESSES), "interp"),
        (loops(limits.MOST_BACKWARD_BRANCHES), "jit"),
        (loops(limits.MOST_BACKWARD_BRANCHES + 1), "interp"),
    ],
    ids=["20,000 additions", "more", "branches", "accesses", "loops", "more loops"],
)
def test_what_is_too_large_for_native_code_is_interpreted(body: str, engine: str) -> None:
    launch = assemble(kernel(body))["large"].launch(items=40, group_size=32)
    x = np.zeros(64, np.uint32)
    assert launch(x, 1).engine == engine


# --- Ctrl-C

CHILD = """
import sys
from simtlab.emu.jit.llvm import toolchain
from simtlab.emu.jit.llvm.toolchain import Level, compile_text
text = open(sys.argv[1]).read()
compiled, plain = False, toolchain._object

def announced(*arguments):  # in the thread that calls LLVM
    global compiled
    print("compiling", flush=True)
    found = plain(*arguments)
    compiled = True
    return found

toolchain._object = announced
try:
    compile_text(text, ["kernel"], level=Level.QUICK, key="interrupted")
except KeyboardInterrupt:
    print("heard", "too late" if compiled else "in time", flush=True)
    toolchain._object = plain
    small = "define i32 @answer() { ret i32 42 }"
    compile_text(small, ["answer"], key="small")
    print("alive", flush=True)
"""


def test_ctrl_c_is_heard_while_llvm_compiles(tmp_path: Path) -> None:
    """The process can still compile; the cache holds nothing but whole objects.

    A compilation of some seconds is interrupted as it begins.
    """
    (program,) = assemble(kernel(loads(1000))).program.kernels
    text = tmp_path / "large.ll"
    text.write_text(generate(program, 0, Facts(32, (32, 1, 1), True)))
    place = tmp_path / "cache"
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(text)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, FOLDER_VARIABLE: str(place)},
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "compiling\n"
    child.send_signal(signal.SIGINT)
    assert child.stdout.readline() == "heard in time\n"
    assert child.stdout.readline() == "alive\n"
    assert child.wait() == 0
    assert [path.suffix for path in (place / "jit").iterdir() if path.name != "swept"] == [".obj"]
