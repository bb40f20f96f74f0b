"""Checked engines: how hooks are watched, and the errors for the rules that they break.

`interpose` puts a function before every hook that a file fills. It calls the hook and checks its
answer; where the engine, and not another hook, called the hook, it also checks the state that the
hook has left (checking.py). An engine that is not checked has none of this.
"""

from __future__ import annotations

import traceback
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ...emu.wording import mask_text
from ...isa.errors import Diagnostic, Note
from ..engine import intrinsics
from .inspection import ENGINE, hook_names, is_table, parameters_of, place
from .wrappers import UNCHECKED, filler, wrap

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...emu.engine import Work
    from .engine_state import EngineState
    from .launched import Code

    # What engine code uses of this file.
    HOOK_ON_START = HOOK_ON_SYNC = HOOK_RANK = HOOK_SIMD_ACCESS = 0
    IN_PACKS = OWN_SCHEDULER = 0
    _Checked = Callable[..., int]
    unchecked_compute: _Checked
    unchecked_enter_barrier: _Checked
    unchecked_make_group: _Checked
    unchecked_move: _Checked
    unchecked_on_lanes_served: _Checked
    unchecked_on_start: _Checked
    unchecked_open_barrier: _Checked
    unchecked_pick: _Checked
    unchecked_simd_access: _Checked
    unchecked_wake: _Checked

FILES = ("faults", "checking")
"""The engine files that follow every lane; functions of the second one replace those of others."""

REPLACED = ("on_start", "pick", "compute", "move", "simd_access", "on_lanes_served",
            "enter_barrier", "open_barrier", "wake", "make_group")  # fmt: skip
"""Functions of other files that it replaces."""

_ANSWERS = {
    **dict.fromkeys(("on_branch", "on_arrival", "on_exit", "on_sync", "on_stall"), "check_flag"),
    **dict.fromkeys(("may_pass", "on_bypass", "on_full_table", "gathers", "leaves"), "check_flag"),
    **dict.fromkeys(("has_room", "speculate"), "check_flag"),
    **dict.fromkeys(
        ("extra_slots", "on_barrier_open", "on_dispatch", "on_launch_end", "lanes_ahead"),
        "check_count",
    ),
    **dict.fromkeys(("fetch", "line_access", "next_level", "dram_access"), "check_date"),
    "rank": "check_place",
    "stand_in": "check_chosen",
}
"""Hook -> the function of faults.py that checks its result; other hooks return nothing."""

_OWN = ("on_start", "simd_access", "on_lanes_served", "on_event", "issue")
"""Hooks that checking.py itself replaces, or that change nothing."""

_LEAVES_ALONE = ("rank", "fetch", "line_access", "next_level", "forget_line", "write_back",
                 "dram_access", "extra_slots", "on_move", "on_served",
                 "has_room", "run_ahead", "on_revival", "split_chosen")  # fmt: skip
"""Hooks after which groups are not checked: called often, or while an access is half done. `pick`
checks them later."""


def interpose(module: ModuleType, before: dict[str, Any], filled: set[str]) -> None:
    """Put the functions of checking.py, and one for each hook, before those of a namespace.

    `before` is the namespace without checking.py, `filled` are the hooks that some file fills.
    """
    space = vars(module)
    space.update({UNCHECKED + name: before[name] for name in REPLACED})
    space["IN_PACKS"] = int(is_table(space.get("part")))
    space["OWN_SCHEDULER"] = int(
        not Path(space["rank"].__code__.co_filename).is_relative_to(ENGINE)
    )
    for number, name in enumerate(hook_names(), 1):
        space[f"HOOK_{name.upper()}"] = number
        if name in filled and name not in _OWN:
            wrap(space, name, UNCHECKED, _watch(name, number))


def _watch(name: str, number: int) -> list[str]:
    """Return the lines of the function that is put before a hook."""
    parameters = parameters_of(hook_names()[name])
    w = "w" if "w" in parameters else "0"
    g = "g" if "g" in parameters else "-1"
    lines = ["outer = S.hook", f"S.hook = {number}"]
    if name == "on_stall":
        lines.append("wakes = S.wakes")
    lines.append("answer = {call}")
    if name in _ANSWERS:
        kind = _ANSWERS[name]
        t = ", t" if kind in ("check_date", "check_chosen") else ""
        lines.append(f"answer = {kind}(S, {w}, {g}, answer{t})")
    if name not in _LEAVES_ALONE and "w" in parameters:
        # A group that has returned ends when the hook answers 0.
        leaving = "g if answer == 0 else -1" if name == "on_exit" else "-1"
        whole = g if name != "on_pick" else "-1"
        look = f"check_groups(S, w, {whole}, {leaving})"
        lines.append(f"{look} if outer == 0 and S.status == RUNNING else 0")
    if name == "on_stall":
        lines.append("answer = check_woken(S, w, wakes, answer)")
    elif name == "on_exit":
        lines.append("answer = check_left(S, w, g, answer)")
    return [*lines, "S.hook = outer", "return answer"]


# --- what is wrong

_FAULTS = {
    1: ("returns {found}", "0 or 1"),
    2: ("returns {found} for group {g}, which is never picked then", "a number less than NEVER"),
    3: ("returns {found}", "a number of cycles or slots, from 0"),
    4: ("returns cycle {found}, which is past", "cycle {wanted} or later"),
    5: ("names group {found}, which does not exist", "a group of this WPU"),
    6: ("returns group {found}, which is not of this WPU", "a group of the same warp as {g}"),
    7: ("returns group {found}, which has ended", "a group of the same warp as {g}"),
    8: ("returns group {found}, which has no scheduler slot", "a group that can be picked"),
    9: ("returns group {found}, which is not ready before {when}",
        "a group that is ready at this cycle"),
    10: ("wakes group {g} at cycle {found}, which is past", "cycle {wanted} or later"),
    11: ("leaves lanes {lanes} in group {g}, which have returned or do not exist",
         "lanes of its warp that have not returned"),
    12: ("leaves lanes {lanes} in group {g} and in another one", "every lane in at most one group"),
    13: ("leaves lanes {lanes} in group {g}, which is at {segment}", "lanes that are at {there}"),
    14: ("leaves group {g} to be picked at cycle {found}, before lanes {lanes} are ready",
         "no cycle before {when}, at which their data arrive"),
    15: ("leaves group {g} in slot {found}, which is not its own", "a slot of its WPU that has it"),
    16: ("leaves lanes {lanes} to issue with group {g} at {segment}",
         "lanes that are at {there}"),
    17: ("leaves lanes {lanes} to issue with group {g}, which are not ready",
         "no issue before {when}"),
    18: ("leaves lanes {lanes} to issue {segment}, which the previous access has not served",
         "one access to memory for each access that a lane issues"),
    19: ("leaves lanes {lanes} to access memory again at {segment}",
         "one access to memory for each access that a lane issues"),
    20: ("lets a barrier open, or a warp enter it, without lanes {lanes}",
         "all live lanes of a warp, and of its workgroup, at the barrier"),
    21: ("sets lanes {lanes} in S.access_hits, which have not accessed memory",
         "lanes of the access"),
    22: ("sets S.access_hits_at to {found}",
         "a cycle from that of the access to cycle {wanted}, the result"),
    23: ("sets a boundary of the wait to {found}",
         "access_until_bank, _mshr and _l2 in order, none after cycle {wanted}, the result"),
    24: ("returns 1, and has not woken or made a group", "0 if nothing was woken"),
    25: ("makes more groups of a warp than it has lanes", "a group for each lane at most"),
    26: ("returns 0, although lanes {lanes} of group {g} have not returned",
         "1, or the lanes in another group or in a table of waiting lanes"),
    27: ("leaves group {g} with the lead {found}, which does not exist",
         "itself, or that of its pack"),
    28: ("leaves group {g} at segment {found}, which does not exist", "a segment of the kernel"),
    29: ("names group {found}, which is of another warp", "a group of the same warp as {g}"),
}  # fmt: skip
"""By number in faults.py: what a hook does, and what was expected."""


def fault_of(state: EngineState, work: Work, code: Code) -> Diagnostic:
    """Return the diagnostic for a checked engine's fault; the caller adds the code."""
    S, space = state.S, vars(state.composition.namespace)
    w, g, warps, width = int(S.fault_w), int(S.fault_g), int(S.warps), int(S.width)
    wanted, found = int(S.fault_wanted), int(S.fault_found)
    name = list(hook_names())[int(S.fault_hook) - 1] if S.fault_hook else ""
    own = (Path(file).name for file in state.composition.files if file.endswith(".py"))
    culprit = (
        f"hook {name} ({filled_by(space, name)})" if name else f"an engine with {', '.join(own)}"
    )
    words = {
        "g": g,
        "found": found,
        "wanted": f"{wanted:,}" if 0 <= wanted < intrinsics.NEVER else wanted,
        "lanes": mask_text(int(S.fault_lanes), width),
        "when": f"cycle {wanted:,}",
        "segment": _line(work, code, found),
        "there": _line(work, code, wanted),
    }
    if wanted >= intrinsics.NEVER:
        # No cycle is known: nothing has woken the group, or its lanes wait at a barrier.
        words["when"] = "something wakes it" if int(S.fault) == 9 else "their barrier opens"
    does, expected = (text.format(**words) for text in _FAULTS[int(S.fault)])
    where = f"cycle {int(S.now):,}, WPU {w}"
    if g >= 0:
        where += f", warp context {g // width % warps}, group {g}"
    return Diagnostic(
        "",
        f"kernel {work.kernel.name}: {culprit} {does} ({where})",
        notes=(Note(f"expected: {expected}"),),
        hint="simtlab.testing.policy_contract finds a small kernel that shows it",
    )


def filled_by(space: dict[str, Any], name: str) -> str:
    """Return the place of the function that fills a hook, as `file:line`."""
    return place(filler(space, name))


def _line(work: Work, code: Code, segment: int) -> str:
    """Return the name of a segment in a message: the line of its first instruction."""
    if segment == -2:
        return "the end, because they have returned"
    if not 0 <= segment < len(code.segments.table):
        return f"segment {segment}"
    span = work.program.span(work.kernel, int(code.segments.table[segment]["first_pc"]))
    return f"line {span.line}" if span is not None else f"segment {segment}"


def raised(error: Exception, state: EngineState, files: Sequence[str]) -> str:
    """Return the text for an exception in a plain engine, at the line of the user's file."""
    what = f"{type(error).__name__}: {' '.join(str(error).split())}"
    wanted = {str(Path(file).resolve()) for file in files}
    own = [
        f"{Path(frame.filename).name}:{frame.lineno}"
        for frame in traceback.extract_tb(error.__traceback__)
        if str(Path(frame.filename).resolve()) in wanted
    ]
    if own:
        return f"{own[-1]}: {what}"
    names = ", ".join(Path(file).name for file in files)
    at = f"cycle {int(state.S.now):,}"
    return f"the engine cannot continue from the state that {names} has left at {at}: {what}"
