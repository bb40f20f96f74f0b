"""Policies, schedulers and memory systems by name, and the engine files of a run."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...emu.jit.segments.table import Grain
from ...isa import expect
from ...isa.errors import UsageError, did_you_mean
from ...isa.quoting import shown
from ..machines.machine import Machine
from ..policies import ALIASES, POLICIES, Policy
from ..policies.settings import Setting, settings_of
from .inspection import DECLARATIONS, CompositionError


def find(name: str | Path) -> Policy:
    """Return the policy of a name, or of a file outside the package; raises UsageError."""
    name = expect.path(name, "a policy", "a name or the path of a file")
    if name.endswith(".py"):
        return outside(name)
    name = ALIASES.get(name, name)
    if name not in POLICIES:
        raise UsageError(
            f"unknown policy {name!r}",
            code="SIM602",
            hint=_near(name),
        )
    return POLICIES[name]


def _near(name: str) -> str:
    """Return a suggestion: the policies of a family, or one with a similar name."""
    family = [known for known in POLICIES if known.partition(".")[0] == name]
    if family:
        return f"{name} is a family of policies: {', '.join(family)}"
    return did_you_mean(name, list(POLICIES)) or f"there are {', '.join(POLICIES)}"


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
_SCHEDULERS = {
    "fifo": ("schedule/other_warp", "schedule/fifo"),
    "rr": ("schedule/other_warp", "schedule/rr"),
    "swf": ("schedule/miss_free", "schedule/other_warp", "schedule/swf"),
    "two-level": ("schedule/two_level",),
}
_ISSUE = {"switch-on-access": "issue/switch_on_access", "barrel": "issue/barrel"}


def outside(path: str) -> Policy:
    """Return a user's policy, scheduler or memory system: an engine file with some constants.

    `EXTENDS` names files of this package that it builds upon, `SETTINGS` its settings, `GRAIN` the
    length of segments, `SCHEDULER` its scheduler unless the user chooses one; all may be missing.
    The file's docstring is the text. Raises UsageError.
    """
    name = Path(path).name
    try:
        tree = ast.parse(Path(path).read_text(encoding="utf-8"), path)
        compile(tree, path, "exec")  # finds more mistakes than the parser
    except OSError as e:
        reason = (e.strerror or str(e)).lower()
        raise UsageError(f"cannot read engine file {path}: {reason}", code="SIM602") from None
    except SyntaxError as e:
        where = f"{name}:{e.lineno}" if e.lineno else name
        raise CompositionError(f"{where}: this is not an engine file: {e.msg}") from None
    except ValueError as e:
        raise CompositionError(f"{name}: this is not an engine file: {e}") from None
    constants = {
        target.id: _constant(target.id, node, name)
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id in DECLARATIONS
    }
    return Policy(
        Path(path).stem,
        (*constants.get("EXTENDS", ()), str(Path(path).resolve())),
        " ".join((ast.get_docstring(tree) or "").split()),
        path,
        constants.get("GRAIN", "segment"),
        constants.get("SETTINGS", {}),
        scheduler=constants.get("SCHEDULER"),
    )


def _are_files(value: object) -> bool:
    return isinstance(value, (tuple, list)) and all(isinstance(x, str) for x in value)


def _is_setting(name: object, value: object) -> bool:
    return isinstance(name, str) and isinstance(value, (bool, int, str))


def _are_settings(value: object) -> bool:
    return isinstance(value, dict) and all(_is_setting(k, v) for k, v in value.items())


_CONSTANTS: dict[str, tuple[Callable[[object], bool], str]] = {
    "EXTENDS": (_are_files, 'a tuple of engine files, as ("policy/splits",)'),
    "SETTINGS": (
        _are_settings,
        'a dictionary of names with true or false, whole numbers or texts, as {"limit": 4}',
    ),
    "GRAIN": (lambda value: value in list(Grain), " or ".join(repr(str(g.value)) for g in Grain)),
    "SCHEDULER": (lambda value: isinstance(value, str), 'the name of a scheduler, as "swf"'),
}
"""Constants that an engine file may define: a test of the value, and its description."""


def _constant(name: str, node: ast.Assign, file: str) -> Any:
    """Return a constant of an engine file; raises CompositionError for an invalid value."""
    is_right, expected = _CONSTANTS[name]
    try:
        value = ast.literal_eval(node.value)
    except (ValueError, TypeError):
        value = None
    if not is_right(value):
        shown = ast.unparse(node.value)
        if isinstance(value, dict):
            shown = str({k: v for k, v in value.items() if not _is_setting(k, v)})
        raise CompositionError(f"{file}:{node.lineno}: {name} is {expected}, not {shown}")
    return value


def configured(machine: Machine, policy: Policy) -> Machine:
    """Return the machine with all of the policy's settings, its own replacing the policy's values.

    It also has the policy's scheduler and fetch groups, where the policy names them and the user
    does not. Raises UsageError for settings that the policy does not have, and for machines that it
    cannot run on.
    """
    unknown = sorted(set(machine.policy) - set(policy.settings))
    if unknown:
        raise UsageError(
            f"policy {policy.name} has no setting {unknown[0]!r}",
            code="SIM602",
            hint=did_you_mean(unknown[0], list(policy.settings))
            or f"it has {', '.join(policy.settings) or 'none'}",
        )
    for setting in settings_of(policy):
        if setting.name in machine.policy:
            _check(policy, setting, machine.policy[setting.name])
    if policy.issue and machine.issue not in policy.issue:
        fitting = next(iter(policy.issue))
        raise UsageError(
            f"policy {policy.name} is for machines that issue by {fitting}; {machine.name!r} "
            f"issues by {machine.issue}",
            code="SIM602",
            hint=f"--set issue={fitting}, or --machine lwm",
        )
    sources = dict(machine.sources)
    update: dict[str, object] = {
        "policy": {**policy.settings, **machine.policy},
        "sources": sources,
    }
    for key in ("scheduler", "fetch_group"):
        wanted = getattr(policy, key)
        if wanted is not None and not machine.is_chosen(key):
            update[key] = wanted
            sources[key] = f"policy {policy.name}"
    result = machine.model_copy(update=update)
    policy.check(result)
    return result


def _check(policy: Policy, setting: Setting, value: object) -> None:
    wanted = setting.wants(value)
    if wanted:
        name = policy.source if policy.source.endswith(".py") else policy.name
        raise UsageError(
            f"policy {policy.name}: {setting.name} takes {wanted}, not {shown(value)}",
            code="SIM602",
            hint=did_you_mean(value, setting.values)
            or f"`simtlab policies {name}` lists its settings with what they take",
        )


def grain_of(machine: Machine, policy: Policy) -> str:
    """Return the length of the engine's segments: a barrel issues single instructions."""
    if machine.issue == "barrel":
        return "instruction"
    asked = (
        grain for name, (value, grain) in policy.finer.items() if machine.policy[name] == value
    )
    return next(asked, policy.grain)


def files_of(machine: Machine, policy: Policy) -> tuple[str, ...]:
    """Return the engine files of a machine with a policy, in the order of composition."""
    memory = _MEMORIES.get(machine.memory) or outside(machine.memory).files
    if "memory/bus" in memory:
        memory = (*memory, f"memory/dram_{machine.dram.model}")
    if machine.scheduler.endswith(".py"):
        scheduler = outside(machine.scheduler).files
    else:
        scheduler = _SCHEDULERS.get(machine.scheduler, (f"schedule/{machine.scheduler}",))
    names = (
        "issue/execute",
        policy.issue.get(machine.issue) or _ISSUE[machine.issue],
        "memory/group",
        "memory/private",
        *memory,
        *scheduler,
        *policy.files,
        *policy.extra_files(machine.policy),
    )
    return tuple(dict.fromkeys(names))  # a scheduler and a policy may build upon the same file
