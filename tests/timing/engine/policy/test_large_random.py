"""Random kernels with large and formed warps: the oracle's memory, however lanes are combined.

The memory answers as a seed says, workgroups do not fill their large warps, and any width goes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from simtlab.testing import Case, kernels
from simtlab.timing.compiler.files import find
from simtlab.timing.engine.state import SEG_JUMP
from simtlab.timing.simulation.simulator import Simulator

from ....quick import examples
from ...support.random_packs import HOSTILE, assert_packs_leave_oracles_memory, machine_for
from ...support.random_runs import differences, short_enough, simulate

TWO_LEVEL = {"scheduler": "two-level"}
"""Conv and large warps are compared under one scheduler."""
LARGE: list[tuple[str, dict[str, Any]]] = [
    ("lwm", {**TWO_LEVEL, "policy.memory-rows": rows, "policy.jump-once": once})
    for rows in (True, False)
    for once in (True, False)
]
FORMED: list[tuple[str, dict[str, Any]]] = [("dwf.majority", {}), ("dwf.pdom", {})]


@contextmanager
def watched(simulator: Simulator) -> Iterator[None]:
    """Look at every sub-warp that is formed."""
    space = vars(simulator.composition.namespace)
    form = space["form"]
    parts, groups = simulator.state.rows["part"], simulator.state.rows["group"]
    once = simulator.machine.policy.get("jump-once", False)
    formed: dict[int, list[dict[int, int]]] = {}

    def chain(g: int) -> Iterator[int]:
        while g >= 0:
            yield g
            g = int(parts["next"][g])

    def look(S: Any, g: int, by_part: int) -> int:
        lanes = form(S, g, by_part)
        if lanes == 0:
            return 0
        assert lanes >> int(S.width) in (0, -1)
        mine = formed.setdefault(g, [])
        mine.append({h: int(parts["chosen"][h]) for h in chain(g) if parts["chosen"][h]})
        if simulator.state.rows["seg"]["kind"][groups["seg"][g]] == SEG_JUMP and once:
            assert len(mine) == 1
        elif any(parts["left"][h] for h in chain(g)):
            return lanes
        else:
            masks = {h: int(groups["mask"][h]) for h in chain(g) if groups["mask"][h]}
            columns = [sum(m >> i & 1 for m in masks.values()) for i in range(int(S.width))]
            assert len(mine) == (len(masks) if by_part else max(columns))
            for h, mask in masks.items():
                chosen = [sub[h] for sub in mine if h in sub]
                assert sum(chosen) == mask, "a thread is in no sub-warp, or in two"
        del formed[g]
        return lanes

    # An engine's namespace is shared by its simulators.
    with patch.dict(space, {"form": look}):
        yield


SOME = (kernels(), st.fixed_dictionaries(HOSTILE))


@examples(6, 15)
@given(*SOME)
def test_the_oracles_memory(case: Case, like: dict[str, int]) -> None:
    assert_packs_leave_oracles_memory(case, [*LARGE, *FORMED], like)


@pytest.mark.slow
@settings(max_examples=2000)
@given(*SOME)
def test_the_oracles_memory_at_length(case: Case, like: dict[str, int]) -> None:
    assert_packs_leave_oracles_memory(case, [*LARGE, *FORMED], like)


@examples(3, 8)
@given(*SOME, st.sampled_from([*LARGE, *FORMED]))
def test_sub_warps_have_each_thread_once(case, like, chosen) -> None:
    """As many as the fullest column has threads, none lost; the plain engine does the same."""
    assume(short_enough(case, 4_000))
    name, fields = chosen
    machine = machine_for(case, name, fields, **like)
    plain, compiled = Simulator(machine, find(name), plain=True), Simulator(machine, find(name))
    with watched(plain):
        simulate(case, plain)
    simulate(case, compiled)
    assert not differences(plain, compiled)


@examples(6, 15)
@given(*SOME)
def test_a_large_warp_of_one_row_is_a_warp(case: Case, like: dict[str, int]) -> None:
    """All that is counted is as under conv."""
    like = {**like, "rows": 1}
    found = []
    for name, fields in (("conv", TWO_LEVEL), LARGE[0], LARGE[-1]):
        simulator = Simulator(machine_for(case, name, fields, **like), find(name))
        simulate(case, simulator)
        found.append(simulator.statistics().to_dict())
    assert found[0] == found[1] == found[2]


@examples(6, 15)
@given(*SOME)
def test_one_fetch_group_is_round_robin(case: Case, like: dict[str, int]) -> None:
    cycles = set()
    for fields in ({"scheduler": "lrr"}, {"scheduler": "two-level", "fetch_group": 64}):
        machine = machine_for(case, "conv", {}, **like).replaced(fields)
        simulator = Simulator(machine, find("conv"))
        simulate(case, simulator)
        cycles.add(simulator.cycles)
    assert len(cycles) == 1
