"""Counts of kernels whose loads are entered as the stores that follow.

Where that refuses a launch which exact owners would not, native code counts with these.
"""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab.emu.jit.runtime.context import WatchedBy
from simtlab.emu.launch import Launch

from ....support.counts import ORDER, WIDTHS, engines

ITEMS, GROUP = 150, 50


def kernel(element: str, between: str = "", store: str = "$s2") -> str:
    """Load element $s2 of group memory by the bytes, and store there if it is odd.

    $s1 is the work-item in its group.
    """
    return f"""
    kernel k(global u32* %x) {{
        .group u32 block[64]
        workitemid_u32 $s1, 0
        ld_kernarg_u64 $d2, [%x]    // its last bit is 0, so that places cannot be calculated
        cvt_u32_u64 $s8, $d2
        and_u32 $s8, $s8, 1
        add_u32 $s1, $s1, $s8
        workitemflatabsid_u32 $s0
        ld_kernarg_u64 $d0, [%x]
        cvt_u64_u32 $d1, $s0
        mad_u64 $d1, $d1, 4, $d0
        ld_global_u32 $s3, [$d1]
        shl_u32 $s4, $s1, 2
        st_group_u32 $s3, [block+$s4]
        mov_u32 $s7, 3
    @pass:
        barrier
        {element}
        shl_u32 $s2, $s2, 2
        ld_group_u32 $s3, [block+$s2]
        {between}
        and_u32 $s6, $s3, 1
        cmp_eq_u32 $c0, $s6, 0
        cbr $c0, @even
        add_u32 $s3, $s3, $s1
        st_group_u32 $s3, [block+{store}]
    @even:
        sub_u32 $s7, $s7, 1
        cmp_ne_u32 $c0, $s7, 0
        cbr $c0, @pass
        barrier
        ld_group_u32 $s3, [block+$s4]
        st_global_u32 $s3, [$d1]
        ret
    }}"""


def watched_by(launch: Launch) -> int:
    """How the code of a launch watches its accesses."""
    plan = launch._prepared.kept.get("plan")
    assert plan is not None
    return plan.code.watched_by


def counted(text: str, x: np.ndarray) -> tuple[str, int]:
    """Return the engine that counts, and how accesses are watched afterwards."""
    (function,) = simtlab.assemble(text)
    launch = function.launch(items=ITEMS, group_size=GROUP, engine="jit", stats=True)
    return launch(x.copy()).engine, watched_by(launch)


NUMBERS = np.random.default_rng(4).integers(0, 200, ITEMS).astype(np.uint32)
OWN = {
    "neighbours": "mov_u32 $s2, $s1",
    "backwards": "sub_u32 $s2, 49, $s1",
    "pairs": "xor_u32 $s2, $s1, 1",
    "from pass to pass": "add_u32 $s2, $s1, $s7",
}


@pytest.mark.parametrize("place", OWN)
def test_updates_of_own_elements(place: str) -> None:
    text = kernel(OWN[place])
    assert engines(text, NUMBERS, widths=WIDTHS, items=ITEMS, group_size=GROUP) == {"jit"}
    assert counted(text, NUMBERS) == ("jit", WatchedBy.UPDATES)


def test_a_place_that_several_load_and_none_stores_to() -> None:
    """As stores the loads meet; as loads they do not."""
    text, even = kernel("shr_u32 $s2, $s1, 1"), NUMBERS & ~np.uint32(1)
    assert engines(text, even, items=ITEMS, group_size=GROUP) == {"jit"}
    assert counted(text, even) == ("jit", 0)


@pytest.mark.parametrize("element", ["shr_u32 $s2, $s1, 1", "mov_u32 $s2, 5"])
def test_places_that_are_shared_and_stored_to(element: str) -> None:
    text = kernel(element)
    assert engines(text, NUMBERS, items=ITEMS, group_size=GROUP) == {ORDER}


@pytest.mark.parametrize(
    ("between", "store"),
    [
        ("barrier\n add_u32 $s5, $s2, 4\n ld_group_u32 $s8, [block+$s5]", "$s2"),
        ("", "$s4"),
        ("add_u32 $s2, $s2, 4", "$s2"),
        ("", "$s2+4"),
    ],
    ids=["after a barrier", "another base", "a base that has changed", "another offset"],
)
def test_stores_that_have_no_load_before_them(between: str, store: str) -> None:
    """Each is entered, so that it meets the access of another work-item."""
    text = kernel("add_u32 $s2, $s1, 1" if store == "$s4" else "mov_u32 $s2, $s1", between, store)
    assert engines(text, NUMBERS, items=ITEMS, group_size=GROUP) == {ORDER}
