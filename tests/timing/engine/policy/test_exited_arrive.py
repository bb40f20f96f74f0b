"""Barriers that do not wait for those who have returned, under policies that split."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.timing.compiler import files as policies
from simtlab.timing.machines import machine
from simtlab.timing.simulation.simulator import Simulator

from ...support.scenarios import script
from ...support.toy import work_of

RETURNS = """
kernel k(global u64* %x) {
    workitemabsid_u32 $s0, 0
    ld_kernarg_u64    $d0, [%x]
    cvt_u64_u32       $d1, $s0
    mad_u64           $d0, $d1, 64, $d0
    ld_global_u32     $s1, [$d0]
    cmp_lt_u32        $c0, $s0, 1
    cbr               $c0, @returns
    barrier
    add_u32           $s1, $s1, 5
    st_global_u32     $s1, [$d0]
@returns:
    ret
}
"""


@pytest.mark.parametrize("first", ["hhhh", "hmmm", "mhhh", "hmhm"])
@pytest.mark.parametrize("policy", ["dws.revive-split", "dws.aggress-split"])
def test_the_lanes_that_return_last_open_the_barrier(policy: str, first: str) -> None:
    """The others go on behind it; they do not begin again."""
    x = np.zeros(32, np.uint64)
    m = machine.load("toy", {"width": 4, "warps": 1})
    sim = Simulator(m, policies.find(policy), plain=True, script=script(first))
    sim.run(work_of(RETURNS, [x], items=4, group_size=4, exited_arrive=True))
    assert x[::8].tolist() == [0, 5, 5, 5]
    assert sim.state.rows["wpu"]["n_thread_instr"].tolist() == [4 * 7 + 3 * 3 + 4]
