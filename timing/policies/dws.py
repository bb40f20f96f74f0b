"""Dynamic warp subdivision in the combinations of its paper's figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...isa.errors import UsageError
from .policy import Policy

if TYPE_CHECKING:
    from ..machines.machine import Machine

_STACK = (
    "A group that reaches the re-convergence point at the top of the stack waits there for the "
    "other groups of its warp."
)
_PC = "Splits of a warp that are ready at the same PC merge; none waits for it."
_MEMORY = {
    "aggressive": "A group is split at every access at which some of its lanes hit and some miss.",
    "lazy": "A group is split at an access at which some of its lanes hit and some miss, if no "
    "other group can hide the latency.",
    "revive": "A group is split at an access at which some of its lanes hit and some miss, if no "
    "other group can hide the latency. When the WPU stalls later, a group that was suspended as a "
    "whole is split by the hit mask of its access.",
}


WAITING = {"branch-limited": (True, "branch")}
"""The setting that makes groups wait at branches, so that segments have to end before them."""


def sides_never_wait(machine: Machine) -> None:
    """Refuse settings under which the sides of a branch would wait for each other for ever.

    Each side reaches another branch next. Raises UsageError.
    """
    if machine.policy["branch-split"] and machine.policy["branch-limited"]:
        raise UsageError(
            "policy.branch-split and policy.branch-limited exclude each other: the sides of a "
            "branch reach different branches, where they would wait for each other",
            code="SIM602",
            hint="--set policy.branch-split=false, or --set policy.branch-limited=false",
        )


def _dws(
    name: str,
    source: str,
    text: str,
    *,
    branch: bool,
    memory: str = "never",
    pc: bool = True,
    limited: bool = False,
) -> Policy:
    files = ("splits", "local_stack", "dws", "pc_merge", "memory_split", "run_ahead")
    return Policy(
        name,
        tuple(f"policy/{f}" for f in files),
        text,
        source,
        settings={
            "branch-split": branch,
            "memory-split": memory,
            "pc-merge": pc,
            "branch-limited": limited,
        },
        finer=WAITING,
        choices={"memory-split": ("never", *_MEMORY)},
        check=sides_never_wait,
    )


def _all_dws() -> list[Policy]:
    found = [
        _dws(
            "dws.branch-only.stack",
            "DWS-05, DWS-06, DWS-07; Figure 7",
            "Branches marked `subdivide` split a warp, so that one path hides the latency of the "
            f"other. {_STACK}",
            branch=True,
            pc=False,
        ),
        _dws(
            "dws.branch-only",
            "DWS-05..08; Figures 7 and 13",
            f"Branches marked `subdivide` split a warp. {_PC} {_STACK}",
            branch=True,
        ),
    ]
    for stem, mode in (("aggress", "aggressive"), ("lazy", "lazy"), ("revive", "revive")):
        found += [
            _dws(
                f"dws.{stem}-split.bl",
                "DWS-09..13; Figure 11",
                f"{_MEMORY[mode]} Splits wait for each other at every conditional branch, so that "
                f"the stack stays usable (BranchLimited). {_PC}",
                branch=False,
                memory=mode,
                limited=True,
            ),
            _dws(
                f"dws.{stem}-split",
                "DWS-09..12, DWS-14, DWS-15; Figure 13",
                f"{_MEMORY[mode]} Branches marked `subdivide` split a warp, and splits pass "
                f"branches by splitting again (BranchBypass). {_PC} {_STACK}",
                branch=True,
                memory=mode,
            ),
        ]
    return found


POLICIES = tuple(_all_dws())

ALIASES = {
    "dws.branch-only.pc": "dws.branch-only",
    "dws.revive-split.mem-only": "dws.revive-split.bl",
}
