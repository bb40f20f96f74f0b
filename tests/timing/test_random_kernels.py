"""Random kernels on every kind of machine: the oracle's memory, every cycle owned, no difference
between compiled and plain engines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from simtlab.testing import Case, kernels, run_case
from simtlab.timing.compiler.files import find
from simtlab.timing.machines import machine as machines
from simtlab.timing.simulation.simulator import Simulator

from ..quick import examples
from .support.random_runs import assert_every_cycle_has_an_owner, differences, outcome

KINDS: dict[str, dict[str, Any]] = {
    "coherent": {"name": "dws", "l1d.size": "1KiB", "l2.size": "16KiB", "l1d.mshrs": 3},
    "bulk": {"name": "maws-bulk", "l1d.size": "512B"},
    "gpu": {"name": "lwm", "l1d.size": "2KiB", "private": "cached"},
    "barrel": {"name": "toy", "issue": "barrel", "complex_units": 2, "scheduler": "two-level"},
    "adversary": {"name": "toy", "adversary_seed": 7, "wpus": 2},
}


def check(case: Case, kind: str, *, plain: bool) -> None:
    fields = dict(KINDS[kind])
    items = int(np.prod(case.geometry.group_size))
    machine = machines.load(fields.pop("name"), {**fields, "width": 8, "warps": -(-items // 8) + 1})
    simulators = [
        Simulator(machine, find("conv"), plain=p) for p in ((False, True) if plain else (False,))
    ]
    _, expected, _ = run_case(case, "oracle")
    for simulator in simulators:
        arrays, trap = outcome(case, simulator)
        assert trap is None
        for got, want in zip(arrays, expected, strict=True):
            np.testing.assert_array_equal(got.view(np.uint8), want.view(np.uint8))
        assert_every_cycle_has_an_owner(simulator)
    if plain:
        assert not differences(*simulators)


@pytest.mark.parametrize("kind", KINDS)
@examples(3, 8)
@given(case=kernels())
def test_some(kind: str, case: Case) -> None:
    check(case, kind, plain=True)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=500)
@given(case=kernels())
def test_many(kind: str, case: Case) -> None:
    check(case, kind, plain=False)
