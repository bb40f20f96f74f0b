"""What every policy and every memory system must keep, ours and yours.

    from simtlab.testing import policy_contract

    def test_my_policy():
        policy_contract("my_policy.py")

Each contract runs random kernels. What it finds is shrunk by hypothesis and shown as assembly text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from ..emu.schemes import SCHEMES
from ..emu.traps import Trap
from ..timing.machine import Machine, load
from ..timing.policies import Policy, find
from ..timing.simulate import Simulator
from ..timing.verdict import SimulationError
from .agreement import run_case
from .case import Case
from .strategies import kernels

BUDGET = 1 << 16
WIDTHS = (1, 2, 5, 8, 16)


def policy_contract(
    policy: Policy | str | Path, *, examples: int = 25, shrink: bool = True
) -> None:
    """A policy leaves the oracle's memory, runs every lane once, ends, and repeats itself.

    Random kernels run on small machines whose memory answers at random, with scarce scheduler
    slots and split tables, and short intervals: results equal the oracle's, every work-item
    executes as many instructions as under Conv (except with markers, which are instructions too),
    every cycle has one owner (which the engine checks itself), a second run takes the same cycles,
    and so does the engine without compiling.
    `shrink=False` shows the first kernel that fails as it is, at once. Raises AssertionError.
    """
    chosen = policy if isinstance(policy, Policy) else find(str(policy))
    fields: dict[str, st.SearchStrategy[Any]] = {
        "width": st.sampled_from(WIDTHS),
        "adversary_seed": st.integers(1, 1000),
        "slots": st.sampled_from([0, 3, 8]),
        "wst_entries": st.sampled_from([0, 2, 16]),
        "interval": st.sampled_from([20, 100_000]),
    }
    if chosen.issue:
        fields["issue"] = st.sampled_from(sorted(chosen.issue))
    if "warp" in chosen.settings:
        fields["rows"] = st.integers(1, 3)
    _check(chosen, st.fixed_dictionaries(fields), examples, shrink, _same_lanes)


def memory_contract(
    machine: Machine | str | Path, *, examples: int = 25, shrink: bool = True
) -> None:
    """A memory system answers no access before it issued, loses none, and repeats itself.

    `machine` names a preset or a file, or is a Machine; its memory is tried at several widths with
    random kernels. Besides what `policy_contract` checks: every access takes at least a cycle, the
    boundaries of its wait are in order, and lanes that hit are lanes that asked. Raises
    AssertionError.
    """
    chosen = machine if isinstance(machine, Machine) else load(str(machine))
    machines = st.fixed_dictionaries({"width": st.sampled_from([4, 8, 16])})
    _check(find("conv"), machines, examples, shrink, _orderly, chosen)


def _check(
    policy: Policy,
    fields: st.SearchStrategy[dict[str, Any]],
    examples: int,
    shrink: bool,
    also: Callable[[Case, Machine, Simulator], None],
    base: Machine | None = None,
) -> None:
    phases = [p for p in Phase if shrink or p not in (Phase.shrink, Phase.explain)]

    @settings(max_examples=examples, deadline=None, phases=phases)
    @given(kernels(), fields)
    def run(case: Case, chosen: Mapping[str, Any]) -> None:
        machine = _fitting(case, chosen, base)
        _, expected, trap = run_case(case, "oracle", budget=BUDGET)
        assert trap is None, f"the oracle traps: {trap}"
        # Plain first: what would crash the process compiled, as a wrong index, is an error there.
        plain = Simulator(machine, policy, plain=True)
        _assert_memory(policy.name, _run(case, plain, policy), expected)
        compiled, again = Simulator(machine, policy), Simulator(machine, policy)
        for simulator in (compiled, again):
            _assert_memory(policy.name, _run(case, simulator, policy), expected)
        assert compiled.cycles == again.cycles, "two runs take different cycles"
        assert compiled.cycles == plain.cycles, "compiled and plain engine take different cycles"
        also(case, machine, compiled)

    run()


def _fitting(case: Case, fields: Mapping[str, Any], base: Machine | None) -> Machine:
    """A machine on which the case's workgroups fit."""
    items = int(np.prod(case.geometry.group_size))
    warps = min(64, -(-items // fields["width"]) + 1)
    if base is None:
        like = {**fields, "wpus": 2, "warps": warps}
        if rows := like.pop("rows", 0):
            like["policy.warp"] = min(rows, warps) * like["width"]
        return load("toy", like)
    table = base.model_dump()
    table.update(fields, wpus=min(2, base.wpus), warps=max(warps, base.warps))
    return Machine.model_validate(table)


def _run(case: Case, simulator: Simulator, policy: Policy) -> list[np.ndarray]:
    (function,) = case.module
    g = case.geometry
    launch = function.launch(
        items=g.items, group_size=g.group_size, scheme=policy.scheme, budget=BUDGET
    )
    arguments = case.arguments()
    try:
        launch.run_by(simulator.run, *arguments)
    except (Trap, SimulationError) as stop:
        raise AssertionError(f"{policy.name}: {stop}") from stop
    return [a for a in arguments if isinstance(a, np.ndarray)]


def _assert_memory(who: str, got: list[np.ndarray], expected: list[np.ndarray]) -> None:
    for number, (a, b) in enumerate(zip(got, expected, strict=True)):
        np.testing.assert_array_equal(
            a.view(np.uint8), b.view(np.uint8), f"{who}: array {number} is not the oracle's"
        )


def _same_lanes(case: Case, machine: Machine, simulator: Simulator) -> None:
    if SCHEMES[simulator.policy.scheme].explicit:
        return  # markers are instructions, too
    conv = Simulator(machine.model_copy(update={"policy": {}}), find("conv"))
    _run(case, conv, find("conv"))
    assert _executed(simulator) == _executed(conv), "work-items execute more or less than alone"


def _executed(simulator: Simulator) -> int:
    return int(simulator.state.rows["wpu"]["n_thread_instr"].sum())


def _orderly(case: Case, machine: Machine, simulator: Simulator) -> None:
    """Run once more without compiling, looking at every access."""
    watched = Simulator(machine, find("conv"), plain=True)
    # An engine's namespace is shared by its simulators: the watch is taken off again.
    space = vars(watched.composition.namespace)
    access = space["simd_access"]

    def watch(S: Any, w: int, g: int, lanes: int, t: int) -> int:
        ready = access(S, w, g, lanes, t)
        assert ready > t, f"an access of cycle {t} is over in cycle {ready}"
        assert S.hits & ~lanes == 0, "lanes hit that asked for nothing"
        ends = [b for b in (S.until_bank, S.until_mshr, S.until_l2) if b > t]
        assert ends == sorted(ends), f"the parts of a wait are out of order: {ends}"
        assert not ends or ends[-1] <= ready, "a part of a wait is longer than all of it"
        return ready

    space["simd_access"] = watch
    try:
        _run(case, watched, find("conv"))
    finally:
        space["simd_access"] = access
    assert watched.cycles == simulator.cycles
