"""Barriers that some work-items do not reach: the place of the trap, and the reported lane."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simtlab import Device, Trap, TrapKind
from simtlab.emu.launch import Launch

from .support.hostile_kernels import every_way, module, trap_of

BARRIERS = {
    "half of a warp returned": """\
kernel k(global u32* %x) {
    workitemflatid_u32 $s0
    cmp_lt_u32 $c0, $s0, 4
    cbr $c0, @out
    barrier // here
@out:
    ret
}
""",
    "half of a warp goes around": """\
kernel k(global u32* %x) {
    workitemflatid_u32 $s0
    and_u32 $s1, $s0, 1
    cvt_b1_u32 $c0, $s1
    cbr $c0, @out
    barrier // here
@out:
    nop
    ret
}
""",
    "two barriers": """\
kernel k(global u32* %x) {
    workitemflatid_u32 $s0
    cmp_ge_u32 $c0, $s0, 12
    cbr $c0, @other
    barrier // here
    ret
@other:
    barrier
    ret
}
""",
    "a whole warp returned": """\
kernel k(global u32* %x) {
    workitemflatid_u32 $s0
    cmp_lt_u32 $c0, $s0, 8
    cbr $c0, @out
    barrier // here
@out:
    ret
}
""",
    "a whole warp goes around": """\
kernel k(global u32* %x) {
    waveid_u32 $s0
    cmp_ne_u32 $c0, $s0, 1
    cbr $c0, @out
    barrier // here
@out:
    nop
    ret
}
""",
    "once more": """\
kernel k(global u32* %x) {
    workitemflatid_u32 $s0
    cmp_ge_u32 $c0, $s0, 8
@again:
    barrier // here
    cbr $c0, @again
    ret
}
""",
}


@every_way
@pytest.mark.parametrize("name", BARRIERS)
def test_a_barrier_that_not_all_come_to_traps(name: str, engine: str, scheme: str) -> None:
    text = BARRIERS[name]
    device = Device()
    x = device.to_device(np.arange(3, dtype=np.uint32))
    launch = module(text)["k"].launch(
        items=48, group_size=16, warp=8, engine=engine, scheme=scheme, budget=1000
    )
    trap = trap_of(launch, x)
    assert trap.record.kind is TrapKind.DIVERGENT_BARRIER
    assert trap.span is not None
    # Where work-items wait at two barriers, either one is where it went wrong.
    lines = [n for n, line in enumerate(text.splitlines(), 1) if "barrier" in line]
    assert trap.span.line in lines
    assert x.to_host().tolist() == [0, 1, 2]


DIVERGENT = """\
error[SIM405]: kernel k: divergent barrier: {}
 --> <text>:5:5
  |
5 |     barrier // here
  |     ^^^^^^^ barrier
  = note: work-item {item} (workgroup 0, warp {warp}, lane {lane}) at pc 3
  = help: every work-item of a workgroup must execute the same barrier equally often; move it out of the branch"""  # noqa: E501


@pytest.mark.parametrize(
    ("name", "engine", "scheme", "detail", "item"),
    [
        ("half of a warp returned", "oracle", "stack",
         "of the workgroup's work-items, 4-15 wait at pc 3 (line 5), 0-3 have returned", 4),
        ("half of a warp returned", "interp", "stack",
         "only lanes 4-7 of the warp reach this barrier, lanes 0-3 are at line 7", 4),
        ("half of a warp returned", "interp", "per-thread",
         "of the workgroup, 12 work-items wait at line 5, 4 have returned", 4),
        ("a whole warp returned", "interp", "ppc",
         "of the workgroup, 8 work-items wait at line 5, 8 have returned", 8),
        ("two barriers", "oracle", "stack",
         "of the workgroup's work-items, 0-11 wait at pc 3 (line 5), 12-15 wait at pc 5 (line 8)",
         0),
        ("two barriers", "interp", "per-thread",
         "of the workgroup, 12 work-items wait at line 5, 4 work-items wait at line 8", 0),
    ],
)  # fmt: skip
def test_the_report_of_a_divergent_barrier_lists_which_work_items_wait_where(
    name: str, engine: str, scheme: str, detail: str, item: int
) -> None:
    launch = module(BARRIERS[name])["k"].launch(
        items=48, group_size=16, warp=8, engine=engine, scheme=scheme
    )
    trap = trap_of(launch, np.zeros(1, np.uint32))
    assert str(trap) == DIVERGENT.format(detail, item=item, warp=item // 8, lane=item % 8)


EARLY_OUT = """\
kernel k(global u32* %x) {
    .group u32 t[16]
    workitemflatid_u32 $s0
    ld_kernarg_u64 $d1, [%x]
    mul_u32 $s1, $s0, 4
    st_group_u32 $s0, [t+$s1]
    cmp_lt_u32 $c0, $s0, LIMIT
    cbr $c0, @out
    barrier
    xor_u32 $s1, $s1, 4
    ld_group_u32 $s2, [t+$s1]
    workitemflatabsid_u32 $s3
    cvt_u64_u32 $d0, $s3
    mad_u64 $d1, $d0, 4, $d1
    st_global_u32 $s2, [$d1]
    ret
@out:
    ret
}
"""


ASSERTION = EARLY_OUT.replace("cbr $c0, @out", "cbr $c0, @fine\n    trap 3\n@fine:")


@every_way
def test_a_barrier_may_follow_an_assertion(engine: str, scheme: str) -> None:
    def launch(limit: int) -> Launch:
        text = ASSERTION.replace("LIMIT", str(limit))
        return module(text)["k"].launch(
            items=16, group_size=16, warp=8, engine=engine, scheme=scheme
        )

    x = np.zeros(16, np.uint32)
    launch(16)(x)
    assert x.tolist() == [i ^ 1 for i in range(16)]
    trap = trap_of(launch(11), x)
    assert (trap.record.kind, trap.record.code) == (TrapKind.TRAP, 3)


@every_way
@pytest.mark.parametrize("limit", [0, 3, 8, 12])
def test_with_exited_arrive_those_that_returned_are_not_waited_for(
    limit: int, engine: str, scheme: str
) -> None:
    # The early-outs stand behind the others, so that lock-step schemes must run them first.
    follows = engine == "interp" and scheme in ("stack", "ipdom-explicit")
    first_path = {"first-path": "taken"} if follows else {}
    x = np.full(32, 99, np.uint32)
    text = EARLY_OUT.replace("LIMIT", str(limit))
    launch = module(text)["k"].launch(
        items=32, group_size=16, warp=8, engine=engine, scheme=scheme, exited_arrive=True,
        knobs=first_path,
    )  # fmt: skip
    if limit in (3, 12) and (engine == "jit" or scheme in ("ppc", "ppc-explicit")):
        # The fall-through, or the side with the smaller PC, runs first: it reaches the barrier
        # before the others return.
        with pytest.raises(Trap, match=f"only lanes {limit % 8}-7 of the warp reach this barrier"):
            launch(x)
        return
    launch(x)
    local = np.arange(32) % 16
    assert x.tolist() == np.where(local < limit, 99, local ^ 1).tolist()
    if limit:
        strict = replace(launch, exited_arrive=False)
        assert trap_of(strict, x).record.kind is TrapKind.DIVERGENT_BARRIER
