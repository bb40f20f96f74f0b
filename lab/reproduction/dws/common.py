"""The policies that most figures compare, machines of other shapes, and reasons."""

from __future__ import annotations

from collections.abc import Mapping

from ...runs.run import Scalar

CONV, DWS, BYPASS = "Conv", "DWS", "Slip.BranchBypass"
THREE = {CONV: "conv", DWS: "dws.revive-split", BYPASS: "slip.branch-bypass"}
TWO = {CONV: "conv", DWS: "dws.revive-split"}

PERSISTENT = (
    "with the tasks of a warp on neighbouring elements, few misses are divergent and Conv waits "
    "half as long as in the paper; lessons/table1 has the paper's rates, and its gain "
    "(`simtlab explain divergences`)"
)
NEVER_MEET = (
    "the programs are persistent loops, in which splits of a warp have no point to meet but equal "
    "PCs; `simtlab explain divergences`, 'Unrelenting subdivision'"
)

LOW_LATENCY = (
    "four warps hide most of a miss that takes as long as the paper's latencies add up to; with "
    "the rates of its Table 1 and a second level of 300 cycles Conv waits as long as the paper "
    "says, and the gain is there (`simtlab explain what-splitting-needs`)"
)


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
