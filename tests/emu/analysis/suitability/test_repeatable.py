"""Kernels whose memory is copied before a launch: those that may wait and cannot start over."""

from __future__ import annotations

import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.suitability import repeatable, spin

HEAD = "kernel k(global u32* %p) {\n  ld_kernarg_u64 $d0, [%p]\n  mov_u32 $s0, 0\n"


def may_wait(body: str) -> bool:
    store = "  st_global_u32 $s0, [$d0]\n"
    return spin.may_wait(assemble(HEAD + body + store + "  ret\n}\n").kernels[0])


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # Nothing goes round.
        ("  ld_global_u32 $s1, [$d0]\n  st_global_u32 $s1, [$d0]\n", False),
        # It walks along memory.
        (
            "@next:\n  ld_global_u32 $s1, [$d0]\n  add_u64 $d0, $d0, 4\n  add_u32 $s0, $s0, 1\n"
            "  cmp_lt_u32 $c0, $s0, 9\n  cbr $c0, @next\n",
            False,
        ),
        # It counts only.
        ("@next:\n  add_u32 $s0, $s0, 1\n  cmp_lt_u32 $c0, $s0, 9\n  cbr $c0, @next\n", False),
        # A flag.
        ("@next:\n  ld_global_u32 $s1, [$d0]\n  cmp_eq_u32 $c0, $s1, 0\n  cbr $c0, @next\n", True),
        # A flag whose place is computed anew each time.
        (
            "@next:\n  ld_kernarg_u64 $d1, [%p]\n  add_u64 $d1, $d1, 8\n"
            "  ld_global_u32 $s1, [$d1]\n  cmp_eq_u32 $c0, $s1, 0\n  cbr $c0, @next\n",
            True,
        ),
        # A lock.
        (
            "@next:\n  mov_u32 $s2, 1\n  atomic_exch_global_u32 $s1, [$d0], $s2\n"
            "  cmp_ne_u32 $c0, $s1, 0\n  cbr $c0, @next\n",
            True,
        ),
    ],
)
def test_who_may_wait(body, expected):
    assert may_wait(body) == expected


LOAD, STORE = "  ld_global_u32 $s1, [$d0]\n", "  st_global_u32 $s0, [$d0]\n"
LOCAL = "  mov_u32 $s2, 0\n  st_private_u32 $s0, [$s2]\n  ld_private_u32 $s1, [$s2]\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("", True),
        (LOAD, True),
        (STORE, True),
        (LOAD + STORE, False),
        ("  mov_u32 $s2, 1\n  atomic_add_global_u32 [$d0], $s2\n", False),
        (LOCAL + STORE, True),
    ],
)
def test_whose_launch_can_start_over(body, expected):
    head = HEAD + "  .private u32 own[1]\n"
    kernel = assemble(head + body + "  ret\n}\n").kernels[0]
    assert repeatable.is_repeatable(kernel) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (LOAD, set()),
        (STORE, {0}),
        ("  add_u64 $d0, $d0, 8\n" + STORE, {0}),
        (STORE + "  st_global_u32 $s0, [$d1]\n", {0, 8}),
        ("  add_u64 $d0, $d0, $d2\n" + STORE, {0}),  # a number
        ("  add_u64 $d0, $d0, $d1\n" + STORE, None),  # two pointers
        ("  mov_u64 $d0, 4096\n" + STORE, None),
        ("  ld_global_u64 $d0, [$d1]\n" + STORE, None),  # a pointer in memory
        (STORE + "  mov_u32 $s2, 1\n  atomic_add_global_u32 [$d1], $s2\n", {0, 8}),
    ],
)
def test_by_which_pointers_a_kernel_stores(body, expected):
    loads = "".join(f"  ld_kernarg_u64 $d{i}, [%{p}]\n" for i, p in enumerate("pqn"))
    head = f"kernel k(global u32* %p, global u32* %q, u64 %n) {{\n{loads}  mov_u32 $s0, 0\n"
    assert repeatable.stored_through(assemble(head + body + "  ret\n}\n").kernels[0]) == expected
