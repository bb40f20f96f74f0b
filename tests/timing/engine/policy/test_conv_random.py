"""The engine with Conv: the oracle's memory, the interpreter's counts, every cycle owned."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simtlab.emu.geometry import Geometry
from simtlab.emu.traps import Trap
from simtlab.testing import Case, kernels, run_case
from simtlab.timing.compiler.files import find
from simtlab.timing.machines import machine
from simtlab.timing.simulation.simulator import Simulator

CONV = find("conv")


def toy(**fields: object) -> machine.Machine:
    return machine.load("toy", {"memory": "ideal", **fields})


def simulate(
    case: Case, simulator: Simulator, *, budget: int = 1 << 20
) -> tuple[list[np.ndarray], Trap | None]:
    (function,) = case.module
    g = case.geometry
    launch = function.launch(items=g.items, group_size=g.group_size, budget=budget)
    arguments = case.arguments()
    trap = None
    try:
        launch.run_by(simulator.run, *arguments)
    except Trap as caught:
        trap = caught
    return [a for a in arguments if isinstance(a, np.ndarray)], trap


def owners(simulator: Simulator) -> None:
    """Every cycle has one owner."""
    m, rows = simulator.machine, simulator.state.rows
    assert rows["slot_cycles"]["cycles"].sum() == simulator.cycles * m.wpus
    assert rows["warp_cycles"]["cycles"].sum() == simulator.cycles * m.wpus * m.warps


def differences(a: Simulator, b: Simulator) -> list[str]:
    """Where two runs do not agree: header fields and tables, but for host addresses.

    What only a checked engine keeps (the plain one is checked) is not compared.
    """
    hidden = ("p_", "start_fn", "group_memory")
    fields = a.composition.fields.keys() & b.composition.fields.keys()
    found = [
        n
        for n in sorted(fields)
        if not n.startswith(hidden) and getattr(a.state.S, n) != getattr(b.state.S, n)
    ]
    addresses = {("warp", "block"), ("seg", "fn"), ("seg", "move")}
    for name in sorted(a.state.rows.keys() & b.state.rows.keys()):
        one, other = a.state.rows[name], b.state.rows[name]
        assert one.dtype == other.dtype, name
        found += [
            f"{name}.{field}"
            for field in one.dtype.names or ()
            if (name, field) not in addresses and (one[field] != other[field]).any()
        ]
    return found


@settings(max_examples=20)
@given(kernels(), st.integers(1, 3), st.sampled_from([1, 4, 7, 16]), st.integers(1, 9))
def test_random_kernels(case, wpus, width, latency):
    items = int(np.prod(case.geometry.group_size))
    m = toy(**{"wpus": wpus, "width": width, "warps": -(-items // width) + 1,
               "l1d.hit_latency": latency})  # fmt: skip
    compiled, plain = Simulator(m, CONV), Simulator(m, CONV, plain=True)
    _, expected, _ = run_case(case, "oracle")
    for simulator in (compiled, plain):
        arrays, trap = simulate(case, simulator)
        assert trap is None
        for got, want in zip(arrays, expected, strict=True):
            np.testing.assert_array_equal(got.view(np.uint8), want.view(np.uint8))
        owners(simulator)
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
    _, trap = simulate(case, Simulator(toy(), CONV, plain=engine == "plain"))
    assert trap is not None
    assert "divi" in str(trap)
