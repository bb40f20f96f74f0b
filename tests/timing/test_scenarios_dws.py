"""The worked scenarios of the DWS paper under dynamic warp subdivision (checked cycle by cycle)."""

from __future__ import annotations

import pytest

from . import scenarios
from .toy import Toy

CASES = [
    # scenario, policy, cycles, idle
    ("F4", "dws.branch-only", 20, 0),
    ("F4", "dws.branch-only.stack", 20, 0),
    ("F5", "dws.branch-only", 31, 10),
    ("F6", "dws.branch-only", 26, 0),
    ("F6", "dws.branch-only.stack", 26, 0),
    ("F6B", "dws.branch-only.stack", 32, 6),
    ("F6B", "dws.branch-only", 27, 6),
    *(("F8", f"dws.{m}-split", 28, 15) for m in ("aggress", "lazy", "revive")),
    *(("F8", f"dws.{m}-split.bl", 28, 15) for m in ("aggress", "lazy", "revive")),
    *(("F9", f"dws.{m}-split", 28, 15) for m in ("aggress", "lazy", "revive")),
    ("F10", "dws.lazy-split", 62, 62 - 56),
    ("F10", "dws.revive-split", 62, 62 - 59),
    ("F12", "dws.lazy-split", 24, 5),
    ("X1", "dws.lazy-split.bl", 30, 8),
    ("X1", "dws.lazy-split", 30, 0),
    ("X2", "dws.lazy-split", 47, 29),
    ("X2", "dws.revive-split", 36, None),
    ("X3", "dws.lazy-split", 72, None),
    ("X9", "dws.lazy-split", 26, 13),
    ("X10", "dws.lazy-split", 47, None),
    ("X10", "dws.revive-split", 47, None),
]


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "compiled"])
@pytest.mark.parametrize(("name", "policy", "cycles", "idle"), CASES)
def test_cycles(name: str, policy: str, cycles: int, idle: int | None, plain: bool) -> None:
    toy = Toy(getattr(scenarios, name), policy, plain=plain)
    assert (toy.cycles, toy.idle) == (cycles, toy.idle if idle is None else idle)
