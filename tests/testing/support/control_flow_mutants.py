"""Mistakes in hooks of issue and control flow: turns, branches, merges, barriers, schedulers."""

from __future__ import annotations

from .mutant import hook as _hook
from .mutant import of_kind as _kind

_TURN = "grp.slot >= 0 and due(S, grp.slot).at <= t and grp.count < group(S, g).count"
_POP = "    return pop_at_join(S, g)"
_AT_JOIN = "group(S, g).seg == stack(S, top(S, group(S, g).warp)).rpc"
_ANSWER = "            g = h\n    return g\n"

MUTANTS = [
    *_kind(
        "turn",
        "maws.aggress",
        "policy/maws",
        (
            "data of the split have not arrived",
            _TURN,
            "grp.slot >= 0 and grp.count < group(S, g).count",
        ),
        (
            "data of the split arrive soon",
            "due(S, grp.slot).at <= t",
            "due(S, grp.slot).at <= t + 20",
        ),
        ("a split without a slot", _TURN, "grp.count < group(S, g).count"),
        ("the next group, whichever it is", _ANSWER, "            g = h\n    return g + 1\n"),
        ("minus one", _ANSWER, "            g = h\n    return -1\n"),
        ("a negative group", _ANSWER, "            g = h\n    return -g - 1\n"),
        (
            "a group after the last",
            _ANSWER,
            "            g = h\n    return S.wpus * S.warps * S.width\n",
        ),
        (
            "a group of another WPU",
            _ANSWER,
            "            g = h\n"
            "    return (g + S.warps * S.width) % (S.wpus * S.warps * S.width)\n",
        ),
        (
            "a group of another warp",
            _ANSWER,
            "            g = h\n"
            "    return w * S.warps * S.width + (g + S.width) % (S.warps * S.width)\n",
        ),
        (
            "the first group of the warp, dead or not",
            _ANSWER,
            "            g = h\n    return v * S.width\n",
        ),
    ),
    *_kind(
        "branch",
        "conv",
        "policy/conv",
        (
            "sides are swapped",
            "return diverge(S, g, taken)",
            "return diverge(S, g, group(S, g).mask & ~taken)",
        ),
        (
            "all lanes take it",
            "    if goes_one_way(S, g, taken) == 1:",
            "    taken = group(S, g).mask\n    if goes_one_way(S, g, taken) == 1:",
        ),
        (
            "answers two",
            "        return 1\n    return diverge",
            "        return 2\n    return diverge",
        ),
    ),
    *_kind(
        "branch",
        "dws.branch-only",
        "policy/dws",
        (
            "the split goes the way of the others",
            "branch_off(S, w, g, lanes, second, t)",
            "branch_off(S, w, g, lanes, first, t)",
        ),
        ("the others go the way of the split", "    grp.seg = first", "    grp.seg = second"),
        (
            "the split is woken before the branch has ended",
            "return wake(S, h, t, READY)",
            "return wake(S, h, t - 1, READY)",
        ),
        ("the split is never woken", "    return wake(S, h, t, READY)", "    return 0"),
        ("the split has all lanes", "split(S, w, g, lanes)", "split(S, w, g, grp.mask)"),
    ),
    *_kind(
        "branch",
        "per-thread",
        "policy/per_thread",
        (
            "lanes that fall through jump",
            "grp.mask & ~taken, row.next)",
            "grp.mask & ~taken, row.target)",
        ),
    ),
    *_kind(
        "branch",
        "ppc",
        "policy/ppc",
        ("a side has the lanes of both", "row.next, grp.mask & ~taken)", "row.next, grp.mask)"),
    ),
    *_kind(
        "merge",
        "dws.aggress-split",
        "policy/pc_merge",
        ("at different segments", "at_segment(S, first, others, grp.seg)", "others"),
    ),
    *_kind(
        "merge",
        "dws.aggress-split",
        "policy/splits",
        ("lanes are lost", "    grp.mask |= other.mask\n", ""),
        ("lanes access twice", "    grp.done |= other.done\n", ""),
        (
            "both groups stay",
            "    end_group(S, h)\n    return count_entries(S, grp.warp, 0)",
            "    return 0",
        ),
        ("lanes that part stay as well", "    grp.mask &= ~lanes\n", ""),
        ("lanes that part have not accessed", "child.done = grp.done & lanes", "child.done = 0"),
        (
            "lanes that part are elsewhere",
            "new_group(S, grp.warp, lanes, grp.seg)",
            "new_group(S, grp.warp, lanes, grp.seg + 1)",
        ),
    ),
    *_kind(
        "merge",
        "maws.aggress",
        "policy/splits",
        (
            "lanes that have met wait on",
            "    grp.mask = waits.waiting\n    grp.seg = waits.seg\n    waits.waiting = 0",
            "    grp.mask = waits.waiting\n    grp.seg = waits.seg",
        ),
        (
            "no lane waits for the others",
            "    if gathering(S, v).waiting != stack(S, top(S, v)).mask:",
            "    if 0 != 0:",
        ),
        ("lanes that wait are forgotten", "    gather(S, v, grp.mask, grp.seg)\n", ""),
        (
            "lanes that wait continue elsewhere",
            "    grp.seg = waits.seg\n    waits.waiting",
            "    grp.seg = waits.seg + 1\n    waits.waiting",
        ),
    ),
    *_kind(
        "barrier",
        "dws.aggress-split",
        "policy/splits",
        ("opens for a part of the warp", "    if waits.barrier != live:", "    if 0 != 0:"),
        ("a part of the warp continues", "    grp.mask = live\n", ""),
        ("lanes stay at it", "    grp.mask = live\n    waits.barrier = 0", "    grp.mask = live"),
        (
            "never opens",
            "    count_entries(S, v, 0)\n    return 1\n\n\n@device\ndef return_to_stack",
            "    count_entries(S, v, 0)\n    return 0\n\n\n@device\ndef return_to_stack",
        ),
        (
            "the last lanes to arrive count as all",
            "    waits.barrier |= lanes",
            "    waits.barrier = lanes",
        ),
        (
            "lanes that wait are a group as well",
            "        forget_lanes(S, v, lanes)\n        on_wait(S, g)\n        end_group(S, g)",
            "        forget_lanes(S, v, lanes)\n        on_wait(S, g)",
        ),
    ),
    *_kind(
        "barrier",
        "conv",
        "policy/lockstep",
        (
            "those that wait are woken",
            "    return 1\n",
            "    schedule(S, w, g)\n    wake(S, g, t, 0)\n    return 1\n",
        ),
        (
            "opens for the first warp",
            "    return 1\n",
            "    open_barrier(S, w, warp(S, grp.warp).workgroup, t)\n    return 1\n",
        ),
        ("answers two", "    return 1\n", "    return 2\n"),
        ("takes negative time", "", _hook("def on_barrier_open(S, w, t):", "return -5")),
        ("the group is back at its barrier", "    return 1\n", "    grp.seg -= 1\n    return 1\n"),
    ),
    *_kind(
        "wait",
        "conv",
        "policy/conv",
        (
            "no group is woken again",
            _POP,
            f"    if {_AT_JOIN}:\n        pop_at_join(S, g)\n        return 1\n    return 0",
        ),
        ("answers minus one", _POP, "    pop_at_join(S, g)\n    return -1"),
        (
            "a path begins again",
            _POP,
            f"    if {_AT_JOIN}:\n        follow_top(S, g)\n    return 0",
        ),
        (
            "a segment is skipped",
            _POP,
            f"    if {_AT_JOIN}:\n        pop_at_join(S, g)\n        group(S, g).seg += 1\n"
            "    return 0",
        ),
        (
            "ends in the past",
            _POP,
            "    if group(S, g).issued == 0:\n        group(S, g).issued = 1\n"
            f"        wake(S, g, S.now - 1, 0)\n        return 1\n{_POP}",
        ),
        (
            "the join is passed with those that wait",
            _POP,
            f"    group(S, g).mask = warp(S, group(S, g).warp).live\n{_POP}",
        ),
        ("instructions take negative time", "", _hook("def extra_slots(S, w, g, n):", "return -1")),
    ),
    *_kind(
        "wait",
        "conv",
        "policy/lockstep",
        (
            "the others end with those that return",
            "return follow_top(S, g)",
            "return 0 * follow_top(S, g)",
        ),
        ("lanes that have returned continue", "    forget_lanes(S, grp.warp, grp.mask)\n", ""),
        ("the last lanes continue", "return follow_top(S, g)", "return 1 | follow_top(S, g)"),
    ),
    *_kind(
        "wait",
        "maws.aggress",
        "policy/maws",
        (
            "the last lanes to arrive stop as well",
            "    if is_root(S, g) == 0 and wait_for_others(S, g) == 0:\n",
            "    if is_root(S, g) == 0:\n        wait_for_others(S, g)\n",
        ),
    ),
    *_kind(
        "scheduler",
        "",
        "schedule/gto",
        (
            "ranks no group",
            "return 0 if grp.warp == wpu(S, w).last else 1 + grp.seq",
            "return 1 << 62",
        ),
        (
            "never picks young groups",
            "return 0 if grp.warp == wpu(S, w).last else 1 + grp.seq",
            "return (1 << 62) if group(S, g).seq & 1 else 0",
        ),
        (
            "takes lanes while it ranks",
            "    return 0",
            "    group(S, g).mask &= group(S, g).mask - 1\n    return 0",
        ),
        (
            "gives all lanes while it ranks",
            "    return 0",
            "    group(S, g).mask = -1\n    return 0",
        ),
        ("moves what it ranks", "    return 0", "    group(S, g).seg += 1\n    return 0"),
        (
            "wakes the others",
            "",
            _hook(
                "def on_pick(S, w, g, t):",
                "for i in range(w * S.slots, (w + 1) * S.slots):",
                "    if slot(S, i).group >= 0:",
                "        wake(S, slot(S, i).group, t, 0)",
                "return 0",
            ),
        ),
        (
            "takes the slot",
            "",
            _hook("def on_pick(S, w, g, t):", "slot(S, group(S, g).slot).group = -1", "return 0"),
        ),
        ("ends what it picks", "", _hook("def on_pick(S, w, g, t):", "return end_group(S, g)")),
        ("wakes in the past", "", _hook("def on_pick(S, w, g, t):", "return wake(S, g, t - 1, 0)")),
        (
            "picks the first slot",
            "",
            _hook("def stand_in(S, w, g, t):", "return slot(S, w * S.slots).group"),
        ),
        (
            "picks the group of the last slot",
            "",
            _hook(
                "def stand_in(S, w, g, t):",
                "return slot(S, w * S.slots + wpu(S, w).slots_used - 1).group",
            ),
        ),
        (
            "picks the same group on every WPU",
            "",
            _hook("def stand_in(S, w, g, t):", "return g % (S.warps * S.width)"),
        ),
    ),
]
