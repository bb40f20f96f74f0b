"""Atomics of global memory: plain where no other thread runs, atomic instructions elsewhere."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

import numpy as np
import pytest

import simtlab
from simtlab import Trap
from simtlab.emu.jit.kernel import compile as kernels
from simtlab.emu.jit.llvm.cache import FOLDER_VARIABLE
from simtlab.emu.jit.runtime import helpers
from simtlab.emu.recent import Recent

ITEMS = 200
"""Work-items: a warp that is not whole at the end."""

HEAD = """
    workitemabsid_u32 $s0, 0
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    ld_kernarg_u64 $d2, [%sum]
    ld_kernarg_u64 $d3, [%old]
    mad_u64 $d4, $d0, 4, $d1
    ld_global_u32 $s1, [$d4]
    mad_u64 $d5, $d0, 4, $d3
    and_u32 $s2, $s1, 63
"""
PLACE = "cvt_u64_u32 $d6, $s2\n mad_u64 $d6, $d6, 4, $d2\n"
BODIES = {
    "an index": f"{PLACE} atomic_add_global_u32 $s5, [$d6], $s1\n st_global_u32 $s5, [$d5]",
    "an index and a constant": f"{PLACE} atomic_sub_global_u32 [$d6+32], $s1",
    "a signed index": "sub_s32 $s2, $s2, 8\n cvt_s64_s32 $d6, $s2\n mad_s64 $d6, $d6, 4, $d2\n"
    " atomic_max_global_s32 $s5, [$d6+32], $s1\n st_global_u32 $s5, [$d5]",
    "a pointer": "and_u32 $s2, $s2, 252\n cvt_u64_u32 $d6, $s2\n add_u64 $d6, $d6, $d2\n"
    " atomic_xor_global_u32 $s5, [$d6], $s1\n st_global_u32 $s5, [$d5]",
    "words of 64 bits": "and_u32 $s2, $s2, 31\n cvt_u64_u32 $d6, $s2\n mad_u64 $d6, $d6, 8, $d2\n"
    " atomic_add_global_u64 $d7, [$d6], $d0\n cvt_u32_u64 $s5, $d7\n st_global_u32 $s5, [$d5]",
    "one place": "atomic_add_global_u32 [$d2], $s1\n atomic_min_global_s32 [$d2+4], $s1\n"
    " atomic_and_global_u32 [$d2+8], $s1",
    "numbers from one place": "mov_u32 $s5, 1\n atomic_add_global_u32 $s5, [$d2], $s5\n"
    " st_global_u32 $s5, [$d5]",
    "exchanges at one place": "atomic_exch_global_u32 $s5, [$d2], $s1\n st_global_u32 $s5, [$d5]",
    "some lanes": f"cmp_lt_u32 $c0, $s2, 20\n cbr $c0, @out\n {PLACE}"
    " atomic_cas_global_u32 $s5, [$d6], $s0, $s1\n st_global_u32 $s5, [$d5]\n@out:",
    "a list of its own": """and_u32 $s3, $s1, 7
        cmp_eq_u32 $c0, $s3, 3
        cbr $c0, @out
    @top:
        and_u32 $s4, $s2, 63
        cvt_u64_u32 $d6, $s4
        mad_u64 $d6, $d6, 4, $d1
        ld_global_u32 $s4, [$d6]
        and_u32 $s4, $s4, 63
        cvt_u64_u32 $d6, $s4
        mad_u64 $d6, $d6, 4, $d2
        atomic_max_global_u32 [$d6], $s1
        atomic_max_global_u32 [$d2+252], $s0
        add_u32 $s2, $s2, 1
        sub_u32 $s3, $s3, 1
        cmp_lt_u32 $c0, $s3, 8
        cbr $c0, @top
    @out:""",
}


def text_of(body: str) -> str:
    return f"kernel k(global u32* %x, global u32* %sum, global u32* %old) {{{HEAD}{body}\n ret\n}}"


def arrays() -> list[np.ndarray]:
    numbers = np.random.default_rng(5).integers(0, 1 << 32, ITEMS, np.uint32)
    return [numbers, np.arange(72, dtype=np.uint32), np.zeros(ITEMS, np.uint32)]


@pytest.fixture
def first_thread() -> Iterator[None]:
    """Whatever ran before: this thread is the first one with atomics."""
    helpers.forget_threads()
    yield
    helpers.forget_threads()


def run_elsewhere(work: threading.Thread | None = None) -> None:
    """Let another thread run atomics."""
    work = work or threading.Thread(target=run, args=(BODIES["one place"],))
    work.start()
    work.join()


def run(body: str, *, items: int = ITEMS, group_size: int = 64) -> list[np.ndarray]:
    kernel = simtlab.assemble(text_of(body)).k
    given = arrays()
    kernel.launch(items=items, group_size=group_size, engine="jit")(*given)
    return given


def expected_of(body: str) -> list[np.ndarray]:
    """What the interpreter leaves: its warps run in the same order."""
    given = arrays()
    simtlab.assemble(text_of(body)).k.launch(items=ITEMS, group_size=64, engine="interp")(*given)
    return given


@pytest.mark.usefixtures("first_thread")
@pytest.mark.parametrize("others", [False, True], ids=["alone", "with others"])
@pytest.mark.parametrize(
    ("name", "loops"),
    [
        (name, loops)
        for name, body in BODIES.items()
        for loops in (("alone", "together") if "@top" in body else ("alone",))
    ],
)
def test_lanes_act_in_ascending_order(name: str, loops: str, others: bool, monkeypatch) -> None:
    monkeypatch.setenv("SIMTLAB_LOOPS", loops)
    monkeypatch.setattr(kernels, "_COMPILED", Recent())
    monkeypatch.setenv(FOLDER_VARIABLE, "/dev/null")
    if others:
        # This thread is first, another one later: from then on atomics are atomic.
        run(BODIES["one place"])
        run_elsewhere()
    for have, want in zip(run(BODIES[name]), expected_of(BODIES[name]), strict=True):
        np.testing.assert_array_equal(have, want)


@pytest.mark.parametrize("name", ["an index", "one place", "a list of its own"])
@pytest.mark.parametrize("loops", ["alone", "together"])
def test_a_place_outside_is_a_trap(name: str, loops: str, monkeypatch) -> None:
    monkeypatch.setenv("SIMTLAB_LOOPS", loops)
    monkeypatch.setattr(kernels, "_COMPILED", Recent())
    monkeypatch.setenv(FOLDER_VARIABLE, "/dev/null")
    kernel = simtlab.assemble(text_of(BODIES[name])).k
    given = arrays()
    given[1] = np.zeros(0 if name == "one place" else 3, np.uint32)
    with pytest.raises(Trap, match="SIM401"):
        kernel.launch(items=ITEMS, group_size=64, engine="jit")(*given)


def test_a_read_only_array_is_a_trap() -> None:
    kernel = simtlab.assemble(text_of(BODIES["an index"])).k
    given = arrays()
    given[1].flags.writeable = False
    with pytest.raises(Trap, match="SIM410"):
        kernel.launch(items=ITEMS, group_size=64, engine="jit")(*given)


ROUNDS = 60


@pytest.mark.usefixtures("first_thread")
def test_launches_of_several_threads_lose_no_addition() -> None:
    """The first thread's launches may be plain until others begin, in the middle of them."""
    text = """kernel count(global u32* %sum) {
        ld_kernarg_u64 $d0, [%sum]
        workitemid_u32 $s0, 0
        and_u32 $s0, $s0, 7
        cvt_u64_u32 $d1, $s0
        mad_u64 $d1, $d1, 4, $d0
        mov_u32 $s1, 1
        mov_u32 $s2, 100
    @top:
        atomic_add_global_u32 [$d1], $s1
        sub_u32 $s2, $s2, 1
        cmp_ne_u32 $c0, $s2, 0
        cbr $c0, @top
        ret
    }"""
    device = simtlab.Device()
    total = device.zeros(8, np.uint32)
    prepared = simtlab.assemble(text).count.launch(
        groups=16, group_size=64, engine="jit", threads=1
    )
    prepared(total)
    begun = threading.Event()

    def work() -> None:
        begun.wait()
        for _ in range(ROUNDS):
            prepared(total)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for i in range(ROUNDS):
        if i == ROUNDS // 4:
            begun.set()
        prepared(total)
    for thread in threads:
        thread.join()
    launches = 1 + 3 * ROUNDS
    np.testing.assert_array_equal(total.to_host(), launches * 16 * 64 * 100 // 8)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.usefixtures("first_thread")
def test_a_child_of_another_thread_runs() -> None:
    """After a fork by another thread than the first one, its threads are not waited for."""
    run(BODIES["one place"])
    codes: list[int] = []

    def fork() -> None:
        child = os.fork()
        if child == 0:
            os._exit(0 if (run(BODIES["an index"])[1] != arrays()[1]).any() else 1)
        codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

    run_elsewhere(threading.Thread(target=fork))
    assert codes == [0]
