"""The engine with Conv: the oracle's memory, the interpreter's counts, every cycle owned."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simtlab.emu.geometry import Geometry
from simtlab.testing import Case, kernels, run_case
from simtlab.timing.compiler.files import find
from simtlab.timing.machines import machine
from simtlab.timing.simulation.simulator import Simulator

from ....quick import examples
from ...support.random_runs import assert_every_cycle_has_an_owner, differences, outcome

CONV = find("conv")


def toy(**fields: object) -> machine.Machine:
    return machine.load("toy", {"memory": "ideal", **fields})


@examples(10, 20)
@given(kernels(), st.integers(1, 3), st.sampled_from([1, 4, 7, 16]), st.integers(1, 9))
def test_random_kernels(case, wpus, width, latency):
    items = int(np.prod(case.geometry.group_size))
    m = toy(**{"wpus": wpus, "width": width, "warps": -(-items // width) + 1,
               "l1d.hit_latency": latency})  # fmt: skip
    compiled, plain = Simulator(m, CONV), Simulator(m, CONV, plain=True)
    _, expected, _ = run_case(case, "oracle")
    for simulator in (compiled, plain):
        arrays, trap = outcome(case, simulator)
        assert trap is None
        for got, want in zip(arrays, expected, strict=True):
            np.testing.assert_array_equal(got.view(np.uint8), want.view(np.uint8))
        assert_every_cycle_has_an_owner(simulator)
    assert not differences(compiled, plain)
    assert counts(compiled) == interpreted(case, width)


def counts(simulator: Simulator) -> tuple[int, ...]:
    cores = simulator.state.rows["wpu"]
    names = ("n_warp_instr", "n_thread_instr", "n_branch_div")
    return tuple(int(cores[n].sum()) for n in names)


def interpreted(case: Case, width: int) -> tuple[int, ...]:
    """What the interpreter counts under the same scheme."""
    (function,) = case.module
    g = case.geometry
    launch = function.launch(
        items=g.items, group_size=g.group_size, warp=width, engine="interp", stats=True
    )
    s = launch(*case.arguments()).statistics
    assert s is not None
    return s.warp_instructions, s.thread_instructions, s.divergent_branches


@pytest.mark.parametrize("engine", ["compiled", "plain"])
def test_a_trap_in_mid_run(engine):
    case = Case(
        """
        kernel k(u32 %n, global u32* %x) {
            workitemabsid_u32 $s0, 0
            ld_kernarg_u64    $d0, [%x]
            cvt_u64_u32       $d1, $s0
            mad_u64           $d0, $d1, 4, $d0
            ld_global_u32     $s1, [$d0]
            div_u32           $s2, 100, $s1
            st_global_u32     $s2, [$d0]
            ret
        }
        """,
        Geometry((64, 1, 1), (32, 1, 1), 8),
        (64, np.arange(64, dtype=np.uint32)[::-1].copy()),
    )
    _, trap = outcome(case, Simulator(toy(), CONV, plain=engine == "plain"))
    assert trap is not None
    assert "divi" in str(trap)
