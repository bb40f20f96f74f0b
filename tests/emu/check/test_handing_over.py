"""Order by fences and atomics: locks, flags, the last workgroup; each right, and nearly so."""

from __future__ import annotations

import pytest

from .support.kernels import found

LOCK = """\
kernel k(global u32* %x) {{
    ld_kernarg_u64 $d0, [%x]
    mov_u32 $s0, 0
    mov_u32 $s1, 1
@try:
    {acquire}
    cmp_ne_u32 $c0, $s2, 0
    cbr $c0, @next
    ld_global_u32 $s3, [$d0+4] // A
    add_u32 $s3, $s3, 1
    st_global_u32 $s3, [$d0+4] // B
    {fence}
    {release}
@next:
    cbr $c0, @try
    ret
}}
"""

CAS = "atomic_cas_global_u32 $s2, [$d0], $s0, $s1 // C"
SWAP = "atomic_exch_global_u32 $s2, [$d0], $s0 // D"

LOCKS = {
    "right": (CAS, "memfence", SWAP, set()),
    "released without a result": (
        CAS,
        "memfence",
        "atomic_and_global_u32 [$d0], $s0 // D",
        set(),
    ),
    "no fence": (CAS, "nop", SWAP, {"SIM450 AB", "SIM450 BB"}),
    "released by a plain store": (
        CAS,
        "memfence",
        "st_global_u32 $s0, [$d0] // D",
        {"SIM450 AB", "SIM450 BB", "SIM450 DD", "SIM452 CD"},
    ),
    "a fence that comes too late": (
        CAS,
        "atomic_exch_global_u32 $s2, [$d0], $s0",
        "memfence",
        {"SIM450 AB", "SIM450 BB"},
    ),
}


@pytest.mark.parametrize("scheme", ["stack", "per-thread"])
@pytest.mark.parametrize("name", LOCKS)
def test_lock(name: str, scheme: str) -> None:
    acquire, fence, release, expected = LOCKS[name]
    source = LOCK.format(acquire=acquire, fence=fence, release=release)
    assert found(source, groups=2, items=8, scheme=scheme) == expected


FLAG = """\
kernel k(global u32* %x) {{
    ld_kernarg_u64 $d0, [%x]
    workgroupid_u32 $s0, 0
    workitemid_u32 $s1, 0
    mov_u32 $s2, 1
    mov_u32 $s3, 0
    cmp_ne_u32 $c0, $s0, 0
    cbr $c0, @receiver
    {before}
    cmp_ne_u32 $c0, $s1, 0
    cbr $c0, @done
    st_global_u32 $s2, [$d0+4] // A
    {fence}
    {send}
@done:
    ret
@receiver:
    cmp_ne_u32 $c0, $s1, 0
    cbr $c0, @wait
@poll:
    {receive}
    cmp_eq_u32 $c0, $s4, 0
    cbr $c0, @poll
@wait:
    {after}
    ld_global_u32 $s5, [$d0+{data}] // B
    ret
}}
"""

SEND = "atomic_exch_global_u32 $s6, [$d0], $s2 // C"
RECEIVE = "atomic_or_global_u32 $s4, [$d0], $s3 // D"
PLAIN_SEND = "st_global_u32 $s2, [$d0] // C"
PLAIN_RECEIVE = "ld_global_u32 $s4, [$d0] // D"
STORE_ALL = """shl_u32 $s7, $s1, 2
    cvt_u64_u32 $d1, $s7
    add_u64 $d1, $d1, $d0
    st_global_u32 $s2, [$d1+64] // E
    {}"""

FLAGS = {
    "right, and shared with the workgroup": ("nop", "memfence", SEND, RECEIVE, "barrier", 4, set()),
    "no fence": ("nop", "nop", SEND, RECEIVE, "barrier", 4, {"SIM450 AB"}),
    "no barrier for the others": ("nop", "memfence", SEND, RECEIVE, "nop", 4, {"SIM450 AB"}),
    "a plain flag, with a fence": (
        "nop", "memfence", PLAIN_SEND, PLAIN_RECEIVE, "barrier", 4, {"SIM450 AB", "SIM450 CD"},
    ),
    "a plain load of an atomic's flag": (
        "nop", "memfence", SEND, PLAIN_RECEIVE, "barrier", 4, {"SIM450 AB", "SIM452 CD"},
    ),
    "a whole workgroup's stores, collected by a barrier": (
        STORE_ALL.format("barrier"), "memfence", SEND, RECEIVE, "barrier", 68, set(),
    ),
    "a whole workgroup's stores, not collected": (
        STORE_ALL.format("nop"), "memfence", SEND, RECEIVE, "barrier", 68, {"SIM450 BE"},
    ),
    "an atomic that does not look": (
        "nop", "memfence", SEND, "atomic_or_global_u32 [$d0], $s3 // D\n mov_u32 $s4, 1",
        "barrier", 4, {"SIM450 AB"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FLAGS)
def test_flag(name: str) -> None:
    before, fence, send, receive, after, data, expected = FLAGS[name]
    source = FLAG.format(
        before=before, fence=fence, send=send, receive=receive, after=after, data=data
    )
    assert found(source, groups=2, items=8) == expected


LAST = """\
kernel k(global u32* %x) {{
    .group u32 is_last[1]
    ld_kernarg_u64 $d0, [%x]
    workgroupid_u32 $s0, 0
    workitemid_u32 $s1, 0
    mov_u32 $s2, 1
    cmp_ne_u32 $c0, $s1, 0
    cbr $c0, @wait
    cvt_u64_u32 $d1, $s0
    mad_u64 $d1, $d1, 4, $d0
    st_global_u32 $s2, [$d1+4] // A
    {fence}
    atomic_add_global_u32 $s3, [$d0], $s2
    st_group_u32 $s3, [is_last]
@wait:
    barrier
    ld_group_u32 $s3, [is_last]
    cmp_ne_u32 $c0, $s3, 3
    cbr $c0, @done
    and_u32 $s1, $s1, 3
    cvt_u64_u32 $d1, $s1
    mad_u64 $d1, $d1, 4, $d0
    ld_global_u32 $s4, [$d1+4] // B
@done:
    ret
}}
"""


@pytest.mark.parametrize(("fence", "expected"), [("memfence", set()), ("nop", {"SIM450 AB"})])
def test_the_last_workgroup_reads_the_results_of_all(fence: str, expected: set[str]) -> None:
    assert found(LAST.format(fence=fence), groups=4, items=8) == expected
