"""Random kernels on small machines of large and formed warps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from simtlab.testing import Case
from simtlab.timing.compiler.files import find
from simtlab.timing.machines import machine as machines
from simtlab.timing.simulation.simulator import Simulator

from .random_runs import assert_oracles_memory

HOSTILE = {
    "width": st.sampled_from([1, 2, 5, 8, 16]),
    "rows": st.sampled_from([1, 2, 3, 4, 8]),
    "adversary_seed": st.integers(1, 1000),
    "slots": st.sampled_from([0, 0, 2, 7]),
    "complex_units": st.sampled_from([0, 2]),
}
"""The rows of a large warp, and fields of the machine; lanes and slots are of any number."""


def machine_for(
    case: Case, policy: str, chosen: Mapping[str, Any], *, rows: int, width: int, **fields: int
) -> machines.Machine:
    """Return a machine of two small WPUs on which a workgroup fits, and a large warp.

    `chosen` are fields for this policy, the others come from `HOSTILE`.
    """
    items = int(np.prod(case.geometry.group_size))
    large = {"policy.warp": width * rows} if "warp" in find(policy).settings else {}
    return machines.load(
        "toy",
        {
            "issue": "barrel",
            "wpus": 2,
            "width": width,
            "warps": min(64, max(-(-items // width), rows) + 1),
            **fields,
            **chosen,
            **large,
        },
    )


def assert_packs_leave_oracles_memory(
    case: Case, policies: Sequence[tuple[str, Mapping[str, Any]]], like: Mapping[str, int]
) -> None:
    """Check that policies, given with their fields, leave the oracle's memory, as Conv does."""
    conv = Simulator(machine_for(case, "conv", {}, **like), find("conv"))
    others = (
        (f"{name} {chosen}", Simulator(machine_for(case, name, chosen, **like), find(name)))
        for name, chosen in policies
    )
    assert_oracles_memory(case, conv, others)
