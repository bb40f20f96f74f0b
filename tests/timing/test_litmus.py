"""Forward progress: kernels that need a turn for every work-item, under every policy.

The table that they are held to is the one of docs/divergences.md.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import simtlab
from simtlab.isa.errors import SimtError
from simtlab.timing.compiler.choice import refusal
from simtlab.timing.compiler.files import POLICIES, Policy
from simtlab.timing.machines import machine
from simtlab.timing.simulation.simulator import Simulator

BUDGET = 120
LANES = 4

TAKE = """
@take:
    atomic_cas_global_u32 $s3, [$d0], $s1, $s2
    cmp_ne_u32      $c0, $s3, 0
    cbr             $c0, @take
"""
COUNT = """
    ld_global_u32   $s3, [$d1]
    add_u32         $s3, $s3, 1
    st_global_u32   $s3, [$d1]
    st_global_u32   $s1, [$d0]
"""
SEND = "    st_global_u32   $s2, [$d0]\n    br @out\n"
RECEIVE = """
    ld_global_u32   $s3, [$d0]
    cmp_eq_u32      $c0, $s3, 0
"""

KERNELS = {
    "a lock": f"{TAKE} {COUNT} ret",
    "a lock, released in the loop": f"""
    @again:
        atomic_cas_global_u32 $s4, [$d0], $s1, $s2
        cmp_ne_u32  $c0, $s4, 0
        cbr         $c0, @next
        {COUNT}
    @next:
        cbr         $c0, @again
        ret""",
    "a flag, sender first": f"""
        cmp_ne_u32  $c0, $s0, 0
        cbr         $c0, @receive
        {SEND}
    @receive:
        {RECEIVE}
        cbr         $c0, @receive
    @out:
        ret""",
    "a flag, receivers first": f"""
        cmp_eq_u32  $c0, $s0, 0
        cbr         $c0, @send
    @receive:
        {RECEIVE}
        cbr         $c0, @receive
        br          @out
    @send:
        {SEND}
    @out:
        ret""",
}
"""Among the lanes of a warp. $s0 is the lane of four, $d0 the lock or flag, $d1 what it guards."""

BETWEEN_WARPS = {
    # A lane of each; the others have nothing to do.
    "a lock between warps": f"""
        cmp_eq_u32  $c0, $s0, 0
        cbr         $c0, @take
        ret
        {TAKE} {COUNT}
        ret""",
    "a flag between warps": f"""
        cmp_ge_u32  $c0, $s5, 12
        cbr         $c0, @send
    @receive:
        {RECEIVE}
        cbr         $c0, @receive
        br          @out
    @send:
        {SEND}
    @out:
        ret""",
}

BEGIN = """kernel litmus(global u32* %lock, global u32* %count) {
    ld_kernarg_u64  $d0, [%lock]
    ld_kernarg_u64  $d1, [%count]
    workitemflatid_u32 $s5
    and_u32         $s0, $s5, 3
    mov_u32         $s1, 0
    mov_u32         $s2, 1
"""


ALL_HERE = """
    add_u32         $s4, $s0, 1
    shr_u32         $s4, $s4, 2
    mul_u32         $s4, $s4, 64
    cvt_u64_u32     $d2, $s4
    add_u64         $d2, $d2, $d1
    ld_global_u32   $s3, [$d1]
    ld_global_u32   $s3, [$d2]
    atomic_add_global_u32 $s3, [$d0], $s2
@wait:
    ld_global_u32   $s3, [$d0]
    cmp_lt_u32      $c0, $s3, 4
    cbr             $c0, @wait
    ret
"""
"""All lanes wait for each other; the last one misses on its way there, the others do not."""


def run(policy: Policy, name: str, **sets: object) -> tuple[str, str, np.ndarray]:
    """The outcome as the table has it, the message of an error, and what the lock guards."""
    warps = 4 if name in BETWEEN_WARPS else 1
    fields: dict[str, object] = {"width": LANES, "warps": warps, **sets}
    if "warp" in policy.settings:
        fields |= {"width": LANES // 2, "warps": 2 * warps, "policy.warp": LANES}
    m = machine.load("toy", fields)
    if refusal(m, policy):
        m = machine.load("lwm", fields)
    simulator = Simulator(m, policy, plain=True)
    body = {**KERNELS, **BETWEEN_WARPS, "all here": ALL_HERE}[name]
    (kernel,) = simtlab.assemble(BEGIN + body + "\n}\n")
    lock, count = np.zeros(1, np.uint32), np.zeros(32, np.uint32)
    items = LANES * warps
    launch = kernel.launch(items=items, group_size=items, budget=BUDGET, scheme=policy.scheme)
    try:
        launch.run_by(simulator.run, lock, count)
    except SimtError as error:
        return error.first.code, str(error), count
    return "ends", "", count


def documented() -> dict[tuple[str, str], str]:
    """(policy, kernel) -> outcome, as the page says."""
    page = Path(simtlab.__file__).parent / "docs" / "divergences.md"
    section = page.read_text(encoding="utf-8").partition("## Forward progress\n")[2]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in section.partition("\n## ")[0].splitlines()
        if line.startswith("|")
    ]
    (_, *kernels), _, *policies = rows
    return {
        (policy.strip("`"), kernel): outcome
        for names, *outcomes in policies
        for policy in names.split(", ")
        for kernel, outcome in zip(kernels, outcomes, strict=True)
    }


def test_the_table_has_every_policy_and_kernel():
    assert set(documented()) == {(p, k) for p in POLICIES for k in (*KERNELS, *BETWEEN_WARPS)}


@pytest.mark.parametrize("kernel", [*KERNELS, *BETWEEN_WARPS])
@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_progress(policy: Policy, kernel: str):
    outcome, message, count = run(policy, kernel)
    assert outcome == documented()[policy.name, kernel], message
    if outcome == "ends":
        assert count[0] in (0, LANES)
    elif kernel in KERNELS:
        assert " while lane" in message


def message(policy: str, kernel: str, **sets: object) -> str:
    return run(POLICIES[policy], kernel, **sets)[1]


def test_lanes_that_wait_in_the_stack_are_named():
    assert message("conv", "a lock").splitlines()[0] == (
        "error[SIM407]: kernel litmus: SIMT deadlock: a work-item has executed 120 instructions; "
        "lanes 1-3 of the warp repeat the loop at line 12 while lane 0 waits at line 14"
    )


def test_lanes_that_are_never_chosen_are_named():
    text = message("maws.lat-spec", "a lock between warps")
    assert " of workgroup 0 repeat" in text
    assert "groups are ready, and not all are chosen" in text
    assert "ready at cycle" in text


def test_another_scheduler_or_first_path_changes_which_lanes_wait():
    assert run(POLICIES["maws.lat-spec"], "a lock between warps", scheduler="rr")[0] == "ends"
    assert run(POLICIES["conv"], "a flag, receivers first", first="taken")[0] == "ends"
    assert run(POLICIES["conv"], "a flag, sender first", first="taken")[0] == "SIM407"


def test_slip_forgets_the_lanes_that_it_has_left_behind():
    for policy in ("conv", "dws.lazy-split", "slip"):
        assert run(POLICIES[policy], "all here")[0] == "ends"
    text = message("slip", "all here", **{"policy.max-div": 1})
    assert text.splitlines()[0] == (
        "error[SIM407]: kernel litmus: SIMT deadlock: a work-item has executed 120 instructions; "
        "lanes 0-2 of the warp repeat the loop at line 20 while lane 3 waits at line 15"
    )
    assert "lanes 0001: left behind until others come back" in text
