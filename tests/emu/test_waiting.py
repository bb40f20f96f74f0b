"""Kernels that wait legally finish under every engine; none is called endless that is not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simtlab
from simtlab.emu.engine import DEFAULT_BUDGET, engine_names
from simtlab.emu.interp.interpreter import Interpreter
from simtlab.emu.jit.launch import engine as jit
from simtlab.emu.jit.launch import order
from simtlab.emu.traps import TrapKind

ITEMS = 96
GROUP = 32

FRAME = """\
kernel k(global u32* %flags, global u32* %out) {
    .private u32 own[1]
    .group u32 near[4]
    workitemabsid_u32 $s0, 0
    ld_kernarg_u64 $d0, [%flags]
    ld_kernarg_u64 $d1, [%out]
    cvt_u64_u32 $d2, $s0
    mad_u64 $d1, $d2, 4, $d1
    mov_u32 $s20, 0
    mov_u32 $s21, 1
    SENDER
    cbr $c0, @send
    WAIT
    st_global_u32 $s0, [$d1]
    ret
@send:
    SEND
    st_global_u32 $s0, [$d1]
    ret
}
"""

LATER = "cmp_ge_u32 $c0, $s0, 64"
EARLIER = "cmp_lt_u32 $c0, $s0, 32"
SEND = "atomic_exch_global_u32 [$d0], $s21"

PLAIN = "@l:\n ld_global_u32 $s2, [$d0]\n cmp_eq_u32 $c1, $s2, 0\n cbr $c1, @l"
CONTROL = (
    "@l:\n ld_global_u32 $s2, [$d0]\n cmp_eq_u32 $c1, $s2, 0\n mov_u32 $s3, 1\n cbr $c1, @m\n"
    " mov_u32 $s3, 0\n@m:\n cmp_ne_u32 $c2, $s3, 0\n cbr $c2, @l"
)
PRIVATE = (
    "@l:\n ld_global_u32 $s2, [$d0]\n st_private_u32 $s2, [own]\n ld_private_u32 $s3, [own]\n"
    " cmp_eq_u32 $c1, $s3, 0\n cbr $c1, @l"
)
ALTERNATE = (
    "mov_u64 $d5, $d0\n@l:\n ld_global_u32 $s2, [$d5]\n xor_u64 $d5, $d5, 4\n"
    " cmp_eq_u32 $c1, $s2, 0\n cbr $c1, @l"
)
RING = (
    "mov_u64 $d5, 0\n@l:\n add_u64 $d6, $d0, $d5\n ld_global_u32 $s2, [$d6]\n"
    " add_u64 $d5, $d5, 4\n and_u64 $d5, $d5, 12\n cmp_eq_u32 $c1, $s2, 0\n cbr $c1, @l"
)
ATOMIC = "@l:\n atomic_add_global_u32 $s2, [$d0], $s20\n cmp_eq_u32 $c1, $s2, 0\n cbr $c1, @l"
NESTED = (
    "mov_u32 $s4, 0\n@outer:\n mov_u64 $d5, 0\n@l:\n add_u64 $d6, $d0, $d5\n"
    " ld_global_u32 $s2, [$d6]\n add_u64 $d5, $d5, 4\n and_u64 $d5, $d5, 12\n"
    " cmp_eq_u32 $c1, $s2, 0\n cbr $c1, @l\n add_u32 $s4, $s4, 1\n cmp_lt_u32 $c1, $s4, 3\n"
    " cbr $c1, @outer"
)
COUNTING = (
    "mov_u32 $s4, 0\n mov_u64 $d5, 0\n@l:\n add_u64 $d6, $d0, $d5\n ld_global_u32 $s2, [$d6]\n"
    " add_u32 $s4, $s4, 1\n add_u64 $d5, $d5, 4\n and_u64 $d5, $d5, 12\n"
    " cmp_eq_u32 $c1, $s2, 0\n cbr $c1, @l\n st_private_u32 $s4, [own]"
)
LINKS = (
    # A list whose end is the flag: it leads in a circle until that is set.
    "mov_u32 $s4, 1\n@l:\n cvt_u64_u32 $d5, $s4\n mad_u64 $d5, $d5, 4, $d0\n"
    " ld_global_u32 $s2, [$d5+16]\n xor_u32 $s4, $s4, 1\n ld_global_u32 $s3, [$d0]\n"
    " add_u32 $s2, $s2, $s3\n cmp_eq_u32 $c1, $s2, 0\n cbr $c1, @l"
)

FORMS = {
    "plain": (LATER, PLAIN, SEND),
    "through a branch": (LATER, CONTROL, SEND),
    "through private memory": (LATER, PRIVATE, SEND),
    "at two addresses in turn": (LATER, ALTERNATE, SEND),
    "along a ring": (LATER, RING, SEND),
    "with an atomic that adds nothing": (LATER, ATOMIC, SEND),
    "in a nested loop": (LATER, NESTED, SEND),
    "while it counts": (LATER, COUNTING, SEND),
    "in circles": (LATER, LINKS, SEND),
    "along a ring, for an earlier workgroup": (EARLIER, RING, SEND),
    "plain, for an earlier workgroup": (EARLIER, PLAIN, SEND),
    "through group memory": (
        # The second warp of a workgroup sends to the first.
        "and_u32 $s1, $s0, 31\n cmp_ge_u32 $c0, $s1, 16",
        "mov_u32 $s5, 0\n@l:\n ld_group_u32 $s2, [near+$s5]\n add_u32 $s5, $s5, 4\n"
        " and_u32 $s5, $s5, 12\n cmp_eq_u32 $c1, $s2, 0\n cbr $c1, @l",
        "st_group_u32 $s21, [near]",
    ),
    "a handshake over two variables": (
        # Each side says that it is there, and waits for the other.
        LATER,
        "atomic_exch_global_u32 [$d0+32], $s21\n" + RING,
        "@w:\n ld_global_u32 $s2, [$d0+32]\n cmp_eq_u32 $c1, $s2, 0\n cbr $c1, @w\n" + SEND,
    ),
    "a ticket lock": (
        # One work-item of each workgroup takes a ticket and waits until it is served.
        "and_u32 $s1, $s0, 31\n cmp_ne_u32 $c0, $s1, 0",
        "atomic_add_global_u32 $s5, [$d0], $s21\n@l:\n ld_global_u32 $s2, [$d0+4]\n"
        " cmp_ne_u32 $c1, $s2, $s5\n cbr $c1, @l\n atomic_add_global_u32 [$d0+4], $s21",
        "nop",
    ),
}


def launch(form: str, engine: str, budget: int = 1 << 18, room: int = 16):
    """The flags and the output after a launch of a polling form."""
    sender, wait, send = FORMS[form]
    text = FRAME.replace("SENDER", sender).replace("WAIT", wait).replace("SEND\n", send + "\n")
    flags, out = np.zeros(room, np.uint32), np.zeros(ITEMS, np.uint32)
    result = simtlab.assemble(text)["k"].launch(
        items=ITEMS, group_size=GROUP, warp=16, engine=engine, budget=budget
    )(flags, out)
    return result, out


@pytest.mark.parametrize("engine", engine_names())
@pytest.mark.parametrize("form", FORMS)
def test_a_kernel_that_polls_finishes_as_in_the_oracle(form: str, engine: str) -> None:
    for _ in range(2):  # the second launch may know more
        _, out = launch(form, engine)
        assert out.tolist() == list(range(ITEMS))


def test_the_result_names_the_engine_that_started_over() -> None:
    order._SCHEDULED.clear()
    assert launch("along a ring", "jit")[0].engine == "interp"
    assert launch("along a ring", "jit")[0].engine == "interp"


@pytest.mark.parametrize("form", ["along a ring", "in a nested loop", "while it counts"])
def test_where_memory_is_too_large_to_start_over_the_message_says_what_is_known(form: str) -> None:
    order._SCHEDULED.clear()
    with pytest.raises(simtlab.Trap) as caught:
        launch(form, "jit", room=jit.COPIED_BEFORE)
    assert caught.value.record.kind is TrapKind.UNDECIDED
    assert "it may be waiting for a store of another work-item" in str(caught.value)
    assert "--engine interp" in str(caught.value)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(form=st.sampled_from(sorted(FORMS)), budget=st.integers(20, 3000))
def test_no_budget_is_called_spent_that_is_enough_in_the_oracle(form: str, budget: int) -> None:
    order._SCHEDULED.clear()
    check_budget(form, budget)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("budget", [60, 150, 400])
def test_a_tight_budget_is_called_spent_only_where_the_oracle_spends_it(
    form: str, budget: int
) -> None:
    order._SCHEDULED.clear()
    check_budget(form, budget)


def check_budget(form: str, budget: int) -> None:
    try:
        launch(form, "oracle", budget)
    except simtlab.Trap:
        return
    try:
        _, out = launch(form, "jit", budget)
    except simtlab.Trap as trap:
        found = trap.record.kind
    else:
        assert out.tolist() == list(range(ITEMS))
        return
    assert found in (TrapKind.UNDECIDED, TrapKind.SIMT_DEADLOCK)


ENDLESS = {
    "nothing": ("br @l", TrapKind.LIVELOCK),
    "a counter that is never read": ("add_u32 $s1, $s1, 1\n br @l", TrapKind.LIVELOCK),
    "a counter that misses its end": (
        "add_u32 $s1, $s1, 2\n cmp_ne_u32 $c0, $s1, 1\n cbr $c0, @l", TrapKind.BUDGET),
    "a counter that is stored": (
        "add_u32 $s1, $s1, 1\n st_global_u32 $s1, [$d0]\n br @l", TrapKind.BUDGET),
    "a flag that is never set": (
        "ld_global_u32 $s1, [$d0]\n add_u32 $s2, $s2, 1\n cmp_eq_u32 $c0, $s1, 0\n"
        " cbr $c0, @l\n st_global_u32 $s2, [$d0]", TrapKind.LIVELOCK),
}  # fmt: skip


@pytest.mark.parametrize("engine", ["interp", "jit"])
@pytest.mark.parametrize("name", ENDLESS)
def test_an_endless_loop_is_found_with_the_usual_budget(
    name: str, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    body, kind = ENDLESS[name]
    rounds = 0
    plain = Interpreter.round

    def counted(self: Interpreter) -> bool:
        nonlocal rounds
        rounds += 1
        return plain(self)

    monkeypatch.setattr(Interpreter, "round", counted)
    text = f"kernel k(global u32* %x) {{\n ld_kernarg_u64 $d0, [%x]\n@l:\n {body}\n ret\n}}\n"
    with pytest.raises(simtlab.Trap) as caught:
        simtlab.assemble(text)["k"].launch(items=8, group_size=8, engine=engine)(
            np.zeros(1, np.uint32)
        )
    assert caught.value.record.kind is kind
    assert caught.value.seconds is not None
    # A detector that spends the budget in the interpreter would take minutes.
    assert rounds < DEFAULT_BUDGET // 100


def test_what_clock_reads_is_no_repetition() -> None:
    text = """\
kernel k(global u32* %x) {
    ld_kernarg_u64 $d0, [%x]
@l:
    clock_u64 $d1
    cmp_lt_u64 $c0, $d1, 30000
    mov_u64 $d1, 0
    cbr $c0, @l
    mov_u32 $s0, 1
    st_global_u32 $s0, [$d0]
    ret
}
"""
    x = np.zeros(1, np.uint32)
    simtlab.assemble(text)["k"].launch(items=1, group_size=1, engine="interp")(x)
    assert x[0] == 1
