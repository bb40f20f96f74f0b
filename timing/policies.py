"""Policies by name: which files they are made of, where they are from, what can be set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..isa.errors import UsageError, did_you_mean
from .machine import Machine


@dataclass(frozen=True)
class Policy:
    """What warps do at branches, misses and joins: engine files, and a paragraph about it."""

    name: str
    files: tuple[str, ...]
    text: str
    source: str
    grain: str = "segment"
    """`instruction` where the policy looks at every instruction."""
    parameters: Mapping[str, str] = field(default_factory=dict)


CONV = Policy(
    "conv",
    ("policy/conv",),
    "The baseline of all four papers: each warp has a stack of (PC, re-convergence PC, mask). A "
    "divergent branch runs one path, then the other, and lanes join again at the branch's "
    "immediate post-dominator. At a memory access the warp waits for its slowest lane.",
    "DWS-02, MAWS-01, PPC-01; LWM-03 keeps the same lanes together with another entry format",
)

POLICIES: dict[str, Policy] = {p.name: p for p in (CONV,)}


def find(name: str) -> Policy:
    """The policy of a name; raises UsageError."""
    if name not in POLICIES:
        raise UsageError(
            f"there is no policy {name!r}",
            code="SIM602",
            hint=did_you_mean(name, list(POLICIES)) or f"there are {', '.join(POLICIES)}",
        )
    return POLICIES[name]


_FIRST_LEVEL = ("memory/addresses", "memory/lines", "memory/mshr", "memory/l1")
_BANKED = ("memory/coalesce", "memory/banked")
_MEMORIES = {
    "coherent": (
        *_FIRST_LEVEL,
        *_BANKED,
        "memory/icache",
        "memory/directory",
        "memory/crossbar",
        "memory/bus",
        "memory/dram_flat",
    ),
    "ideal": ("memory/ideal", "memory/perfect_fetch"),
    "adversary": ("memory/addresses", "memory/adversary", "memory/perfect_fetch"),
}
_SCHEDULERS = {"two-level": "schedule/two_level"}
_ISSUE = {"switch-on-access": "issue/switch_on_access", "barrel": "issue/barrel"}


def grain_of(machine: Machine, policy: Policy) -> str:
    """How long the segments are that the engine takes: a barrel issues single instructions."""
    return "instruction" if machine.issue == "barrel" else policy.grain


def files_of(machine: Machine, policy: Policy) -> tuple[str, ...]:
    """The engine files of a machine with a policy, in the order of composition."""
    scheduler = _SCHEDULERS.get(machine.scheduler, f"schedule/{machine.scheduler}")
    return (
        _ISSUE[machine.issue],
        "memory/group",
        "memory/private",
        *_MEMORIES[machine.memory],
        scheduler,
        *policy.files,
    )
