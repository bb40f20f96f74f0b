"""Workgroups are shared out by default where their order does not show, and only there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab import Device, Trap
from simtlab.emu.jit.launch import engine as jit
from simtlab.emu.jit.launch.sharing import Sharing
from simtlab.emu.launch import Launch
from simtlab.programs import find
from simtlab.programs.index import catalogue
from simtlab.programs.runner import PlainLauncher, run_program

from ....quick import few
from ..support.order import shared_at_once

GROUPS, GROUP = 480, 32  # several of the rows that native code makes of them
ITEMS = GROUPS * GROUP
FRAME = """
kernel k(u32 %n, global u32* %x, global u32* %y, u64 %where) {{
    workitemabsid_u32   $s0, 0
    workitemabsid_u32   $s1, 1
    ld_kernarg_u32      $s2, [%n]
    ld_kernarg_u64      $d0, [%x]
    ld_kernarg_u64      $d1, [%y]
    ld_kernarg_u64      $d5, [%where]
    cvt_u64_u32         $d2, $s0
    mad_u64             $d3, $d2, 4, $d0        // &x[i]
    mad_u64             $d4, $d2, 4, $d1        // &y[i]
    mov_u32             $s9, 3
    {body}
@done:
    ret
}}
"""
PLANE = "mad_u32 $s3, $s1, $s2, $s0\n cvt_u64_u32 $d6, $s3\n mad_u64 $d6, $d6, 4, $d1\n"
LOADED = "ld_global_u32 $s3, [$d3]\n cvt_u64_u32 $d6, $s3\n"

PROVEN = {
    "another array": "ld_global_u32 $s3, [$d3]\n st_global_u32 $s3, [$d4]",
    "in place": "ld_global_u32 $s3, [$d3]\n add_u32 $s3, $s3, 7\n st_global_u32 $s3, [$d3]",
    "neighbours of another array": "ld_global_u32 $s3, [$d3+8]\n st_global_u32 $s3, [$d4]",
    "below a limit": "cmp_ge_u32 $c0, $s0, $s2\n cbr $c0, @done\n st_global_u32 $s0, [$d4]",
    "above a limit": "cmp_lt_u32 $c0, $s0, 40\n cbr $c0, @done\n sub_u32 $s3, $s0, 40\n"
    " cvt_u64_u32 $d6, $s3\n mad_u64 $d6, $d6, 4, $d1\n st_global_u32 $s0, [$d6]",
    "counted": "atomic_add_global_u32 [$d1], $s0\n atomic_sub_global_u32 [$d1], $s9",
    "loads only": f"{LOADED} mad_u64 $d6, $d6, 4, $d1\n ld_global_u32 $s4, [$d6]",
    "four in a loop": "mov_u32 $s5, 0\n shl_u32 $s6, $s0, 1\n@l:\n add_u32 $s7, $s5, $s6\n"
    " cvt_u64_u32 $d6, $s7\n mad_u64 $d6, $d6, 4, $d1\n st_global_u32 $s7, [$d6]\n"
    " add_u32 $s5, $s5, 1\n cmp_lt_u32 $c0, $s5, 2\n cbr $c0, @l",
    "two in a loop tested first": "mov_u32 $s5, 0\n shl_u32 $s6, $s0, 1\n@l:\n"
    " cmp_ge_u32 $c0, $s5, 2\n cbr $c0, @done\n add_u32 $s7, $s5, $s6\n"
    " cvt_u64_u32 $d6, $s7\n mad_u64 $d6, $d6, 4, $d1\n st_global_u32 $s7, [$d6]\n"
    " add_u32 $s5, $s5, 1\n br @l",
    "halves": "shr_u32 $s3, $s0, 6\n shl_u32 $s3, $s3, 6\n and_u32 $s4, $s0, 63\n"
    " add_u32 $s3, $s3, $s4\n cvt_u64_u32 $d6, $s3\n mad_u64 $d6, $d6, 4, $d1\n"
    " ld_global_u32 $s5, [$d6]",
}
TESTED = {
    "a table": f"{LOADED} mad_u64 $d6, $d6, 4, $d0\n ld_global_u32 $s4, [$d6]\n"
    " st_global_u32 $s4, [$d4]",
    "a histogram": f"{LOADED} mad_u64 $d6, $d6, 4, $d1\n atomic_add_global_u32 [$d6], $s9",
    "an address": "ld_global_u32 $s3, [$d5]\n add_u32 $s3, $s3, $s0\n st_global_u32 $s3, [$d4]"
    f"\n {LOADED} mad_u64 $d6, $d6, 4, $d0\n ld_global_u32 $s4, [$d6]",
}
ORDERED = {
    "one place": "st_global_u32 $s0, [$d1]",
    "the next one": "ld_global_u32 $s3, [$d3+4]\n st_global_u32 $s3, [$d3]",
    "a table that changes": f"{LOADED} mad_u64 $d6, $d6, 4, $d1\n ld_global_u32 $s4, [$d6]\n"
    " st_global_u32 $s4, [$d4]",
    "scattered": f"{LOADED} mad_u64 $d6, $d6, 4, $d1\n st_global_u32 $s0, [$d6]",
    "a queue": "atomic_add_global_u32 $s3, [$d1], $s9\n st_global_u32 $s3, [$d3]",
    "exchanged": "atomic_exch_global_u32 [$d1], $s0",
    "two kinds": "atomic_add_global_u32 [$d1], $s9\n atomic_max_global_u32 [$d1], $s0",
    "two sizes": "atomic_add_global_u32 [$d1], $s9\n atomic_add_global_u64 [$d1], $d2",
    "signed and unsigned": "atomic_min_global_u32 [$d1], $s9\n atomic_min_global_s32 [$d1], $s0",
    "a sum that is read": "atomic_add_global_u32 [$d1], $s9\n ld_global_u32 $s3, [$d1]\n"
    " st_global_u32 $s3, [$d3]",
    "a sum that is set": "atomic_add_global_u32 [$d1], $s9\n st_global_u32 $s0, [$d4]",
    "one of two arrays": "and_u32 $s3, $s0, 1\n cmp_eq_u32 $c0, $s3, 0\n"
    " select_u64 $d6, $c0, $d3, $d1\n st_global_u32 $s0, [$d6]",
    "steps of the grid": "@l:\n cvt_u64_u32 $d6, $s0\n mad_u64 $d6, $d6, 4, $d1\n"
    " st_global_u32 $s0, [$d6]\n gridsize_u32 $s4, 0\n add_u32 $s0, $s0, $s4\n"
    " cmp_lt_u32 $c0, $s0, $s2\n cbr $c0, @l",
    "perhaps below zero": "and_u32 $s3, $s0, 32\n sub_u32 $s3, $s0, $s3\n"
    " cvt_u64_u32 $d6, $s3\n mad_u64 $d6, $d6, 4, $d1\n st_global_u32 $s0, [$d6]",
    "no room between": "shr_u32 $s3, $s0, 13\n cvt_u64_u32 $d6, $s3\n mad_u64 $d6, $d6, 4, $d1\n"
    " st_global_u32 $s0, [$d6]",
}


def launch_of(body: str, **options: Any) -> Launch:
    source = FRAME.format(body=body)
    (kernel,) = simtlab.assemble(source)
    shape = {"groups": GROUPS, "group_size": GROUP} if "groups" not in options else {}
    return kernel.launch(**shape, **options)


class Decisions:
    """What was decided about each launch."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.found: list[Sharing | None] = []
        decide = jit.sharing_of

        def noted(*args: Any) -> Sharing | None:
            self.found.append(decide(*args))
            return self.found[-1]

        monkeypatch.setattr(jit, "sharing_of", noted)

    def words(self) -> list[str]:
        return [
            "ordered" if s is None else "proven" if s.table is None else "tested"
            for s in self.found
        ]


@pytest.fixture
def decisions(monkeypatch: pytest.MonkeyPatch) -> Decisions:
    return Decisions(monkeypatch)


def arrays(device: Device) -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    x = rng.integers(0, ITEMS, 2 * ITEMS, np.uint32)
    return device.to_device(x), device.to_device(np.arange(2 * ITEMS, dtype=np.uint32))


def memory_after(launch: Launch, n: int = ITEMS, where: int | None = None) -> list[bytes]:
    device = Device()
    x, y = arrays(device)
    launch(n, x, y, x.address if where is None else where)
    return [a.to_host().tobytes() for a in (x, y)]


ALL = [
    *(pytest.param(body, "proven", id=name) for name, body in PROVEN.items()),
    *(pytest.param(body, "tested", id=name) for name, body in TESTED.items()),
    *(pytest.param(body, "ordered", id=name) for name, body in ORDERED.items()),
]


@pytest.mark.parametrize(("body", "decision"), ALL)
def test_what_may_be_shared_out(body: str, decision: str, decisions: Decisions) -> None:
    expected = memory_after(launch_of(body, threads=1))
    assert decisions.found == []
    for order in ("threads", "backwards"):
        with shared_at_once(order):
            assert memory_after(launch_of(body)) == expected
    assert decisions.words() == [decision] * 2


@pytest.mark.parametrize(
    ("body", "n", "decision"),
    [
        (PLANE + "st_global_u32 $s0, [$d6]", 64, "proven"),
        (PLANE + "st_global_u32 $s0, [$d6]", 63, "ordered"),
        ("cmp_ge_u32 $c0, $s0, $s2\n cbr $c0, @done\n" + PLANE + "st_global_u32 $s0, [$d6]", 50,
         "proven"),
        ("cmp_ge_u32 $c0, $s0, $s2\n cmp_ge_u32 $c1, $s1, $s2\n or_b1 $c0, $c0, $c1\n"
         " cbr $c0, @done\n" + PLANE + "st_global_u32 $s1, [$d6]", 40, "proven"),
        ("cmp_gt_u32 $c0, $s0, $s2\n cbr $c0, @done\n" + PLANE + "st_global_u32 $s0, [$d6]", 50,
         "ordered"),
    ],
)  # fmt: skip
def test_planes_are_shared_out_by_rows(
    body: str, n: int, decision: str, decisions: Decisions
) -> None:
    shape = {"groups": (4, 8), "group_size": (16, 4)}
    expected = memory_after(launch_of(body, threads=1, **shape), n)
    with shared_at_once("backwards"):
        assert memory_after(launch_of(body, **shape), n) == expected
    assert decisions.words() == [decision]


@pytest.mark.parametrize("name", few([e.name for e in catalogue()], 4, 1))
def test_programs_leave_the_same_memory(name: str) -> None:
    entry = find(name)
    module = simtlab.assemble(entry.path)
    expected = run_program(entry, PlainLauncher(module, threads=1), size="tiny").memory_digest
    for order in ("threads", "backwards"):
        with shared_at_once(order):
            found = run_program(entry, PlainLauncher(module), size="tiny")
        assert (found.mismatches, found.memory_digest) == ([], expected)


STRAY = f"""{LOADED} mad_u64 $d6, $d6, 4, $d0
    ld_global_u32 $s4, [$d6]
    add_u32 $s4, $s4, 1
    st_global_u32 $s4, [$d4]"""


@pytest.mark.parametrize("order", ["threads", "backwards"])
def test_a_pointer_that_leaves_its_array_for_one_that_changes(
    order: str, decisions: Decisions
) -> None:
    """The launch is set back and ends on one thread, and later ones begin there."""

    def memory(launch: Launch) -> bytes:
        device = Device()
        x, y = arrays(device)
        indices = x.to_host()
        # From the fourth workgroup on, x[i] leads to y[i - 1], which a work-item before has stored.
        far = (y.address - x.address) // 4
        indices[3 * GROUP : ITEMS] = far + np.arange(3 * GROUP - 1, ITEMS - 1)
        x.copy_from(indices)
        launch(ITEMS, x, y, 0)
        return y.to_host().tobytes()

    expected = memory(launch_of(STRAY, threads=1))
    launch = launch_of(STRAY)
    with shared_at_once(order):
        for _ in range(3):
            assert memory(launch) == expected
    assert decisions.words() == ["tested"]


def test_two_buffers_over_one_array(decisions: Decisions) -> None:
    """`y` is `x` from its second element on, at another address."""

    def memory(launch: Launch) -> bytes:
        device, host = Device(), np.arange(ITEMS + 1, dtype=np.uint32)
        launch(ITEMS, device.map(host[:-1]), device.map(host[1:]), 0)
        return host.tobytes()

    body = PROVEN["another array"]
    expected = memory(launch_of(body, threads=1))
    with shared_at_once("backwards"):
        assert memory(launch_of(body)) == expected
    assert decisions.words() == ["ordered"]


BAD = "ld_global_u32 $s3, [$d3]\n cmp_lt_u32 $c0, $s0, $s2\n cbr $c0, @fine\n DO\n@fine:\n"
TRAPS = {
    "outside": BAD.replace("DO", "st_global_u32 $s3, [$d4+1000000]"),
    "outside, through a table": BAD.replace("DO", f"{LOADED} mad_u64 $d6, $d6, 4, $d0\n"
                                            " ld_global_u32 $s4, [$d6+1000000]"),
    "by zero": BAD.replace("DO", "mov_u32 $s4, 0\n div_u32 $s3, $s3, $s4"),
    "trap": BAD.replace("DO", "trap 7"),
    "budget": BAD.replace("DO", "@e:\n add_u32 $s9, $s9, 2\n cmp_ne_u32 $c1, $s9, 0\n cbr $c1, @e"),
}  # fmt: skip


@pytest.mark.parametrize("body", TRAPS.values(), ids=TRAPS)
@pytest.mark.parametrize("first", [0, 1, GROUP + 5, ITEMS // 2 + 3, ITEMS - 1])
def test_the_trap_is_that_of_one_thread(body: str, first: int) -> None:
    body += "st_global_u32 $s3, [$d4]"
    found = set()
    for threads in (1, "auto", "auto"):
        launch = launch_of(body, threads=threads, budget=5000)
        for order in ("threads", "backwards"):
            with shared_at_once(order), pytest.raises(Trap) as caught:
                memory_after(launch, first)
            found.add((caught.value.record.key, str(caught.value)))
    assert len(found) == 1


def test_a_busy_host_gets_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit.os, "cpu_count", lambda: 4)
    monkeypatch.setattr(jit.os, "sched_getaffinity", lambda _: {0, 1, 2}, raising=False)
    monkeypatch.setattr(jit.os, "getloadavg", lambda: (7.9, 0.0, 0.0), raising=False)
    assert jit.host_threads() == 3
    monkeypatch.setattr(jit.os, "getloadavg", lambda: (8.1, 0.0, 0.0), raising=False)
    assert jit.host_threads() == 1
