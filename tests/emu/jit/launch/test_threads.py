"""Several threads of the host must give what one gives: memory, the trap, an end on Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab import ArgumentError, Trap, UsageError
from simtlab.emu.jit.launch import slices
from simtlab.emu.launch import Launch
from simtlab.programs import find
from simtlab.programs.index import catalogue
from simtlab.programs.runner import PlainLauncher, run_program

from ....quick import few

PROGRAM = simtlab.assemble("""
kernel work(u32 %n, global u32* %x, global u32* %total, u32 %bad) {
    .group   u32 shared[64]
    .private u32 own[1]
    workitemabsid_u32  $s0, 0
    workitemid_u32     $s1, 0
    st_private_u32     $s0, [own]
    mul_u32            $s2, $s1, 4
    st_group_u32       $s0, [shared+$s2]
    barrier
    xor_u32            $s2, $s2, 4
    ld_group_u32       $s3, [shared+$s2]
    ld_private_u32     $s4, [own]
    ld_kernarg_u32     $s5, [%n]
@loop:
    mad_u32            $s3, $s3, 5, $s4
    sub_u32            $s5, $s5, 1
    cmp_ne_u32         $c0, $s5, 0
    cbr                $c0, @loop
    ld_kernarg_u64     $d0, [%total]
    mov_u32            $s9, 1
    atomic_add_global_u32 $s6, [$d0], $s9
    ld_kernarg_u32     $s7, [%bad]
    cmp_lt_u32         $c0, $s0, $s7
    cbr                $c0, @store
    sub_u32            $s8, $s1, 9
    cmp_ne_u32         $c0, $s8, 0
    cbr                $c0, @store
    div_u32            $s8, $s1, $s8
@store:
    cvt_u64_u32        $d1, $s0
    ld_kernarg_u64     $d2, [%x]
    mad_u64            $d1, $d1, 4, $d2
    st_global_u32      $s3, [$d1]
    ret
}
""")
PATIENCE = 600
"""Seconds until what does not happen is a failure."""

GROUPS, GROUP = 200, 64
NEVER = 0xFFFF_FFFF


def launch(threads: int, groups: int = GROUPS) -> Launch:
    return PROGRAM["work"].launch(groups=groups, group_size=GROUP, threads=threads)


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """However short the launch, it is shared out."""
    monkeypatch.setattr(slices, "WORTH_A_THREAD", 0.0)


@pytest.mark.usefixtures("eager")
def test_memory_is_that_of_one_thread() -> None:
    found = []
    for threads in (1, 2, 3, 16):
        x, total = np.zeros(GROUPS * GROUP, np.uint32), np.zeros(1, np.uint32)
        launch(threads)(50, x, total, NEVER)
        assert total[0] == GROUPS * GROUP
        found.append(x.tobytes())
    assert len(set(found)) == 1
    x = np.zeros(3 * GROUP, np.uint32)
    launch(8, groups=3)(50, x, total, NEVER)
    assert x.tobytes() == found[0][: x.nbytes]


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("bad", [0, 1, 777, GROUPS * GROUP // 2, (GROUPS - 1) * GROUP])
def test_the_trap_is_that_of_the_lowest_workgroup(bad: int) -> None:
    """Each workgroup from `bad` on traps; so does a single thread in the first of them."""
    keys = set()
    for threads in (1, 2, 5, 5, 5):
        x, total = np.zeros(GROUPS * GROUP, np.uint32), np.zeros(1, np.uint32)
        with pytest.raises(Trap) as caught:
            launch(threads)(3, x, total, bad)
        keys.add(caught.value.record.key)
    ((_, _, group, local),) = keys
    assert (group, local) == (-(-(bad - 9) // GROUP) if bad > 9 else 0, 9)


@pytest.mark.usefixtures("eager")
def test_a_launch_that_has_trapped_can_be_called_again() -> None:
    run = launch(4)
    x, total = np.zeros(GROUPS * GROUP, np.uint32), np.zeros(1, np.uint32)
    run(9, x, total, NEVER)
    expected = x.copy()
    for _ in range(5):
        with pytest.raises(Trap):
            run(9, x, total, 5000)
        x[:] = 0
        run(9, x, total, NEVER)
        assert x.tobytes() == expected.tobytes()


@pytest.mark.usefixtures("eager")
def test_all_threads_take_part(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = set()
    all_have_begun = threading.Barrier(3, timeout=PATIENCE)
    plain = slices._Runner.run_one

    def run_one(self: Any) -> bool:
        if threading.get_ident() not in seen:
            seen.add(threading.get_ident())
            all_have_begun.wait()  # else one thread may do it all before the others begin
        return plain(self)

    monkeypatch.setattr(slices._Runner, "run_one", run_one)
    x, total = np.zeros(GROUPS * GROUP, np.uint32), np.zeros(1, np.uint32)
    launch(3)(50, x, total, NEVER)
    assert len(seen) == 3


@pytest.mark.usefixtures("eager")
def test_where_no_thread_can_be_started_one_does_it_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    x, total = np.zeros(GROUPS * GROUP, np.uint32), np.zeros(1, np.uint32)
    launch(3)(50, x, total, NEVER)
    assert total[0] == GROUPS * GROUP


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("name", few([e.name for e in catalogue()], 4, 2))
def test_programs_leave_the_same_memory(name: str) -> None:
    entry = find(name)
    module = simtlab.assemble(entry.path)
    one, many = (
        run_program(entry, PlainLauncher(module, threads=threads), size="tiny")
        for threads in (1, 4)
    )
    assert not many.mismatches
    assert many.memory_digest == one.memory_digest


def test_threads_that_cannot_be() -> None:
    for threads in (0, -1, 1.5, True, "2", "Auto", None):
        with pytest.raises(ArgumentError, match="SIM309"):
            PROGRAM["work"].launch(items=1, threads=threads)  # pyright: ignore[reportArgumentType]
    elsewhere: list[dict[str, Any]] = [
        {"engine": "interp"},
        {"engine": "oracle"},
        {"scheme": "ppc"},
    ]
    for options in elsewhere:
        with pytest.raises(UsageError, match="only jit runs on several"):
            PROGRAM["work"].launch(items=1, threads=2, **options)


INTERRUPTED = """
import threading, simtlab
(kernel,) = simtlab.assemble('''
kernel turn(u32 %n) {
    ld_kernarg_u32 $s0, [%n]
    mov_u32        $s2, 1
@loop:                                  // 2^20 numbers in an order that no compiler knows
    mad_u32        $s1, $s1, 5, $s2
    and_u32        $s1, $s1, 0xfffff
    cmp_ne_u32     $c0, $s1, $s0
    cbr            $c0, @loop
    ret
}
''')
kernel.launch(groups=1, group_size=32, threads=THREADS)(1)  # all is imported and compiled
run = kernel.launch(groups=1 << 22, group_size=32, threads=THREADS)

# Native code is about to run all workgroups, or those that are left for several threads.
from simtlab.emu.jit.launch import slices
alone, shared, announced = slices.Alone.run, slices._Runner.run_one, []

def announce():
    if threading.current_thread() is threading.main_thread() and not announced:
        announced.append(True)
        print("ready", flush=True)

def run_alone(self, enough=None):
    if enough is None:
        announce()
    return alone(self, enough)

def run_one(self):
    announce()
    return shared(self)

slices.Alone.run, slices._Runner.run_one = run_alone, run_one
try:
    run(0)
except simtlab.Interrupted as stop:
    print("interrupted", stop.statistics, stop.seconds > 0)
kernel.launch(groups=1, group_size=32, threads=THREADS)(1)
"""


@pytest.mark.parametrize("threads", [1, 3, "auto"])
def test_ctrl_c_ends_a_launch(threads: int | str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED.replace("THREADS", repr(threads))],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)  # from the line to native code, which then runs for hours
    process.send_signal(signal.SIGINT)
    try:
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert (process.returncode, out, err) == (0, "interrupted None True\n", "")
