"""Random kernels on small machines: how they are simulated, and what is compared."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from hypothesis import strategies as st

from simtlab.emu.traps import Trap
from simtlab.testing import Case, kernels, run_case
from simtlab.timing.machines import machine
from simtlab.timing.simulation.simulator import Simulator

HOSTILE = (
    kernels(barriers_under_branches=True),
    st.sampled_from([1, 2, 5, 8, 16]),
    st.integers(1, 1000),
    st.sampled_from([0, 0, 1, 3, 8]),
    st.sampled_from([0, 0, 2, 5, 16]),
)
"""Case, warp width, seed of the memory, scheduler slots (0: no limit), table entries (0: none)."""


def machine_for(
    case: Case, width: int, seed: int, slots: int = 0, entries: int = 0
) -> machine.Machine:
    """Return a machine of two small WPUs on which a workgroup fits."""
    items = int(np.prod(case.geometry.group_size))
    fields = {
        "width": width,
        "wpus": 2,
        "warps": min(64, -(-items // width) + 1),
        "slots": slots,
        "wst_entries": entries,
        "adversary_seed": seed,
    }
    return machine.load("toy", fields)


MOST_IN_PLAIN_PYTHON = 16_000
"""Work-item instructions of a case for an engine that is not compiled, which runs some 5,000 a
second. One case in twenty has more, up to 70,000."""


def short_enough(case: Case, most: int = MOST_IN_PLAIN_PYTHON) -> bool:
    """Whether an engine that is not compiled runs a case within seconds."""
    result, _, _ = run_case(case, stats=True)
    assert result is not None
    assert result.statistics is not None
    return result.statistics.thread_instructions <= most


def simulate(case: Case, simulator: Simulator) -> list[np.ndarray]:
    """Simulate a case and return its arrays."""
    (function,) = case.module
    g = case.geometry
    launch = function.launch(items=g.items, group_size=g.group_size, budget=1 << 16)
    arguments = case.arguments()
    launch.run_by(simulator.run, *arguments)
    return [a for a in arguments if isinstance(a, np.ndarray)]


def outcome(
    case: Case, simulator: Simulator, *, budget: int = 1 << 20
) -> tuple[list[np.ndarray], Trap | None]:
    """Simulate a case; return its arrays, and the trap that ended it, if any."""
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


def counted(simulator: Simulator) -> int:
    """Return the number of instructions that work-items have executed."""
    return int(simulator.state.rows["wpu"]["n_thread_instr"].sum())


def assert_same(got: list[np.ndarray], expected: list[np.ndarray], policy: str) -> None:
    """Check that arrays have the expected bytes; a failure names the policy."""
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_array_equal(a.view(np.uint8), b.view(np.uint8), policy)


def assert_oracles_memory(
    case: Case, conv: Simulator, others: Iterable[tuple[str, Simulator]]
) -> None:
    """Check that Conv and the other simulators, given with names, leave the oracle's memory."""
    _, expected, trap = run_case(case, "oracle")
    assert trap is None
    assert_same(simulate(case, conv), expected, "conv")
    for name, simulator in others:
        try:
            got = simulate(case, simulator)
        except Trap as caught:
            raise AssertionError(f"{name}: {caught}") from caught
        assert_same(got, expected, name)
        # Every work-item executes the same instructions under every policy.
        assert counted(simulator) == counted(conv), name


def assert_every_cycle_has_an_owner(simulator: Simulator) -> None:
    """Check that slots and warps each account for every cycle."""
    m, rows = simulator.machine, simulator.state.rows
    assert rows["slot_cycles"]["cycles"].sum() == simulator.cycles * m.wpus
    assert rows["warp_cycles"]["cycles"].sum() == simulator.cycles * m.wpus * m.warps


def differences(a: Simulator, b: Simulator) -> list[str]:
    """Return the header fields and table columns in which two runs differ, host addresses excepted.

    Fields and tables that only one of the engines has are not compared.
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
