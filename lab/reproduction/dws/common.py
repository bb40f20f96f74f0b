"""The policies that most figures compare, machines of other shapes, and reasons."""

from __future__ import annotations

from collections.abc import Mapping

from ...runs.run import Scalar

CONV, DWS, BYPASS = "Conv", "DWS", "Slip.BranchBypass"
THREE = {CONV: "conv", DWS: "dws.revive-split", BYPASS: "slip.branch-bypass"}
TWO = {CONV: "conv", DWS: "dws.revive-split"}


def contexts(width: int, warps: Scalar) -> dict[str, Scalar]:
    """Return the fields of a WPU of so many contexts, with slots and table in proportion."""
    slots = max(8, 2 * int(warps))
    return {"width": width, "warps": warps, "slots": slots, "wst_entries": 2 * slots}


WAYS = (4, 8, 16, 32, 0)
"""Ways of the D-cache; 0 is full associativity."""


def ways_named(value: object) -> str:
    """Return the label of a number of ways."""
    return str(value or "full")


def listed(values: Mapping[str, float], digits: int = 2) -> str:
    """Return numbers with their names, as one text."""
    return ", ".join(f"{name} {value:.{digits}f}" for name, value in values.items())
