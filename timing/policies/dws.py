"""Dynamic warp subdivision in the combinations of its paper's figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...isa.errors import UsageError
from .policy import Policy

if TYPE_CHECKING:
    from collections.abc import Mapping

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

COMPARING: dict[str, bool | int | str] = {"compare-pcs": "at-access", "compare-cycles": 0}
"""When PCs are compared, and what that costs."""
DIVIDING: dict[str, bool | int | str] = {
    "slot-keeper": "run-ahead",
    "hits-wait": False,
    "revive-mask": "access",
    "revive-first": "widest",
}
"""Which groups are divided at accesses and in stalls, and how."""
FULL: dict[str, bool | int | str] = {"wst-full": "own-stack"}
"""What a split does that has to divide while the warp-split table is full."""
WORDS = {
    "compare-pcs": ("at-access", "alike", "after-access"),
    "slot-keeper": ("run-ahead", "fall-behind"),
    "revive-mask": ("access", "served-now"),
    "revive-first": ("widest", "oldest", "youngest", "round-robin"),
    "wst-full": ("own-stack", "overflow", "stall"),
}
"""The words that these settings take."""
STALLED = {"wst-full=stall": ("policy/stalled",)}
"""The engine file that one of them adds."""


def words_of(settings: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
    """Return the words that those of the settings take which are named in `WORDS`."""
    return {name: words for name, words in WORDS.items() if name in settings}


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
    settings: dict[str, bool | int | str] = {
        "branch-split": branch,
        "memory-split": memory,
        "pc-merge": pc,
        "branch-limited": limited,
        **COMPARING,
        **DIVIDING,
        **FULL,
    }
    return Policy(
        name,
        tuple(f"policy/{f}" for f in files),
        text,
        source,
        settings=settings,
        finer=WAITING,
        choices={"memory-split": ("never", *_MEMORY), **words_of(settings)},
        check=sides_never_wait,
        extra=STALLED,
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
