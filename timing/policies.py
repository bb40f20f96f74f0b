"""Policies by name: which files they are made of, where they are from, what can be set."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

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
    settings: Mapping[str, bool | int | str] = field(default_factory=dict)
    """What `--set policy.NAME=VALUE` may change, and its value here."""


CONV = Policy(
    "conv",
    ("policy/conv",),
    "The baseline of all four papers: each warp has a stack of (PC, re-convergence PC, mask). A "
    "divergent branch runs one path, then the other, and lanes join again at the branch's "
    "immediate post-dominator. At a memory access the warp waits for its slowest lane.",
    "DWS-02, MAWS-01, PPC-01; LWM-03 keeps the same lanes together with another entry format",
)

_STACK = (
    "A group that reaches the re-convergence point at the top of the stack waits there for the "
    "others of its warp."
)
_PC = "Splits of a warp that are ready at the same PC merge, without anybody waiting."
_MEMORY = {
    "aggressive": "Every access of which some lanes hit and some miss splits its group.",
    "lazy": "An access of which some lanes hit and some miss splits its group if no other group "
    "can hide the latency.",
    "revive": "An access of which some lanes hit and some miss splits its group if no other group "
    "can hide the latency; when the WPU stalls later, a group that was suspended whole is split "
    "by the hit mask of its access.",
}


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
    files = ("splits", "local_stack", "dws", "pc_merge", "memory_split")
    return Policy(
        name,
        tuple(f"policy/{f}" for f in files),
        text,
        source,
        "branch" if limited else "segment",
        {
            "branch-split": branch,
            "memory-split": memory,
            "pc-merge": pc,
            "branch-limited": limited,
        },
    )


def _all_dws() -> list[Policy]:
    found = [
        _dws(
            "dws.branch-only.stack",
            "DWS-05, DWS-06, DWS-07; Figure 7",
            "Branches that are marked `subdivide` split a warp, so that one path hides the "
            f"other's latency. {_STACK}",
            branch=True,
            pc=False,
        ),
        _dws(
            "dws.branch-only",
            "DWS-05..08; Figures 7 and 13",
            f"Branches that are marked `subdivide` split a warp. {_PC} {_STACK}",
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
                f"{_MEMORY[mode]} Branches that are marked `subdivide` split a warp, and splits "
                f"pass branches by splitting again (BranchBypass). {_PC} {_STACK}",
                branch=True,
                memory=mode,
            ),
        ]
    return found


POLICIES: dict[str, Policy] = {p.name: p for p in (CONV, *_all_dws())}

_ALIASES = {
    "dws.branch-only.pc": "dws.branch-only",
    "dws.revive-split.mem-only": "dws.revive-split.bl",
}


def find(name: str) -> Policy:
    """The policy of a name, or that of a file outside the package; raises UsageError."""
    if name.endswith(".py"):
        return outside(name)
    name = _ALIASES.get(name, name)
    if name not in POLICIES:
        raise UsageError(
            f"there is no policy {name!r}",
            code="SIM602",
            hint=did_you_mean(name, list(POLICIES)) or f"there are {', '.join(POLICIES)}",
        )
    return POLICIES[name]


_FIRST_LEVEL = ("memory/addresses", "memory/lines", "memory/mshr", "memory/l1")
_BANKED = ("memory/coalesce", "memory/banked")
_CACHED = ("memory/icache", "memory/bus")
_MEMORIES = {
    "coherent": (*_FIRST_LEVEL, *_BANKED, *_CACHED, "memory/directory", "memory/crossbar"),
    "bulk": (*_FIRST_LEVEL, *_BANKED, *_CACHED, "memory/bulk", "memory/crossbar", "memory/seen"),
    "gpu": (*_FIRST_LEVEL, "memory/coalesce", "memory/serial", *_CACHED, "memory/direct"),
    "ideal": ("memory/ideal", "memory/perfect_fetch"),
    "adversary": (
        "memory/addresses",
        "memory/seen",
        "memory/adversary",
        "memory/perfect_fetch",
    ),  # fmt: skip,
}
_SCHEDULERS = {"two-level": "schedule/two_level"}
_ISSUE = {"switch-on-access": "issue/switch_on_access", "barrel": "issue/barrel"}


def outside(path: str) -> Policy:
    """A policy, scheduler or memory system of a user: an engine file with some constants.

    `EXTENDS` names files of this package that it builds upon, `SETTINGS` what can be set, `GRAIN`
    how long segments are; all may be missing. The file's docstring is the text. Raises UsageError.
    """
    try:
        tree = ast.parse(Path(path).read_text(encoding="utf-8"), path)
        constants = {
            target.id: ast.literal_eval(node.value)
            for node in tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name) and target.id in ("EXTENDS", "SETTINGS", "GRAIN")
        }
    except OSError as e:
        raise UsageError(f"cannot read engine file {path}: {e.strerror}", code="SIM602") from None
    except (SyntaxError, ValueError) as e:
        raise UsageError(f"{path} is no engine file: {e}", code="SIM602") from None
    return Policy(
        Path(path).stem,
        (*constants.get("EXTENDS", ()), str(Path(path).resolve())),
        " ".join((ast.get_docstring(tree) or "").split()),
        path,
        constants.get("GRAIN", "segment"),
        constants.get("SETTINGS", {}),
    )


def configured(machine: Machine, policy: Policy) -> Machine:
    """The machine with all of the policy's settings, its own replacing the policy's values."""
    unknown = sorted(set(machine.policy) - set(policy.settings))
    if unknown:
        raise UsageError(
            f"policy {policy.name} has no setting {unknown[0]!r}",
            code="SIM602",
            hint=did_you_mean(unknown[0], list(policy.settings))
            or f"it has {', '.join(policy.settings) or 'none'}",
        )
    return machine.model_copy(update={"policy": {**policy.settings, **machine.policy}})


def grain_of(machine: Machine, policy: Policy) -> str:
    """How long the segments are that the engine takes: a barrel issues single instructions."""
    return "instruction" if machine.issue == "barrel" else policy.grain


def files_of(machine: Machine, policy: Policy) -> tuple[str, ...]:
    """The engine files of a machine with a policy, in the order of composition."""
    memory = _MEMORIES.get(machine.memory) or outside(machine.memory).files
    if "memory/bus" in memory:
        memory = (*memory, f"memory/dram_{machine.dram.model}")
    if machine.scheduler.endswith(".py"):
        scheduler = outside(machine.scheduler).files
    else:
        scheduler = (_SCHEDULERS.get(machine.scheduler, f"schedule/{machine.scheduler}"),)
    return (
        _ISSUE[machine.issue],
        "memory/group",
        "memory/private",
        *memory,
        *scheduler,
        *policy.files,
    )
