"""Kernels that trap in native code: the trap is one that the oracle finds."""

from __future__ import annotations

import pytest

from simtlab.emu.jit.launch.engine import depends_on_schedule, execute
from simtlab.emu.oracle import oracle
from simtlab.emu.traps import Trap, TrapKind

from .support.hostile_work import GROUP, HOSTILE, ITEMS, hostile_work


@pytest.mark.parametrize("name", HOSTILE)
def test_a_trap_is_one_that_a_work_item_alone_has(name: str) -> None:
    body, kind = HOSTILE[name]
    for group in (GROUP, ITEMS, 21):
        work = hostile_work(body, group=group)
        found = oracle.all_traps(work)
        assert kind in {k for k, *_ in found} or group != GROUP
        if not found:
            execute(work)
            continue
        with pytest.raises(Trap) as caught:
            execute(work)
        assert caught.value.record.key in found


@pytest.mark.parametrize("name", [n for n in HOSTILE if "barrier" not in n])
def test_lanes_that_are_off_do_not_trap(name: str) -> None:
    guard = "cmp_ge_u32 $c5, $s0, %d\n cbr $c5, @out"
    body, _ = HOSTILE[name]
    for bound in (0, 1, 17, 37, 40):
        work = hostile_work(f"{guard % bound}\n{body}")
        found = oracle.all_traps(work)
        if not found:
            execute(work)
            continue
        with pytest.raises(Trap) as caught:
            execute(work)
        assert caught.value.record.key in found


def test_a_freed_buffer_traps_as_such() -> None:
    for body in (
        "ld_global_u32 $s9, [$d4]",
        "st_global_u32 $s9, [$d1]",
        "xor_u32 $s9, $s0, 5\n cvt_u64_u32 $d6, $s9\n mad_u64 $d6, $d6, 4, $d1\n"
        " ld_global_u32 $s9, [$d6]",
        "ld_global_u64 $d6, [$d5]\n ld_global_u32 $s9, [$d6]",
    ):
        work = hostile_work(body)
        work.memory.free(work.memory.buffers[0])
        with pytest.raises(Trap) as caught:
            execute(work)
        assert caught.value.record.kind is TrapKind.FREED
        assert caught.value.record.key in oracle.all_traps(work)


def test_work_items_that_have_returned_may_count_as_arrived() -> None:
    body = "cmp_lt_u32 $c0, $s1, 7\n cbr $c0, @out\n barrier\n st_global_u32 $s2, [$d4]"
    work = hostile_work(body, exited_arrive=True)
    execute(work)
    words = work.memory.buffers[0].view("uint32").reshape(-1, GROUP)
    assert (words[:, 7:] == 3).all()
    assert (words[:, :7] < 64).all()
    with pytest.raises(Trap) as caught:
        execute(hostile_work(body))
    assert caught.value.record.kind is TrapKind.DIVERGENT_BARRIER


ENDLESS = {
    "loop": "@top:\n add_u32 $s9, $s9, 1\n br @top",
    "some lanes": "@top:\n add_u32 $s9, $s9, 1\n cmp_ne_u32 $c0, $s0, 40\n cbr $c0, @out\n br @top",
    "stores": "@top:\n add_u32 $s9, $s9, 1\n st_global_u32 $s9, [$d4]\n br @top",
    "barrier": "@top:\n barrier\n add_u32 $s9, $s9, 1\n br @top",
    "barrier and stores": "@top:\n barrier\n st_global_u32 $s9, [$d4]\n"
    " add_u32 $s9, $s9, 1\n br @top",
    "nested": "@top:\n mov_u32 $s9, 3\n@inner:\n sub_u32 $s9, $s9, 1\n cmp_ne_u32 $c0, $s9, 0\n"
    " cbr $c0, @inner\n br @top",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_an_endless_kernel_exhausts_its_budget(name: str) -> None:
    work = hostile_work(ENDLESS[name], budget=2000)
    assert not depends_on_schedule(work.kernel)
    with pytest.raises(Trap) as caught:
        execute(work)
    # The interpreter may have found that nothing ever changes, which is a better answer.
    record = caught.value.record
    assert record.kind in (TrapKind.BUDGET, TrapKind.LIVELOCK)
    spent = {(group, local) for kind, _, group, local in oracle.all_traps(work)}
    assert (record.group, record.local) in spent
