"""Engine files with one mistake each, which the contracts have to find.

A mutant is a file of the package with one piece of text replaced, or something appended, under a
policy, scheduler or memory system that uses the file.
"""

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
            "the split is woken before the branch is over",
            "wake(S, h, t, READY)",
            "wake(S, h, t - 1, READY)",
        ),
        ("the split is never woken", "        wake(S, h, t, READY)\n", ""),
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
        "memory",
        "dws.aggress-split",
        "policy/run_ahead",
        (
            "lanes that missed run ahead",
            "group(S, g).hits)\n    local",
            "group(S, g).mask & ~group(S, g).hits)\n    local",
        ),
    ),
    *_kind(
        "memory",
        "dws.aggress-split",
        "policy/memory_split",
        (
            "the split is ready in the cycle of the access",
            "    return wake(S, divide(S, w, g), until, HIT)",
            "    return wake(S, divide(S, w, g), t, HIT)",
        ),
        (
            "the split is ready in the past",
            "    return wake(S, divide(S, w, g), until, HIT)",
            "    return wake(S, divide(S, w, g), t - 1, HIT)",
        ),
        (
            "the split is never woken",
            "    return wake(S, divide(S, w, g), until, HIT)",
            "    return divide(S, w, g)",
        ),
        (
            "those that missed are woken instead",
            "    return wake(S, divide(S, w, g), until, HIT)",
            "    divide(S, w, g)\n    return wake(S, g, until, HIT)",
        ),
        (
            "the whole group is woken",
            "    return wake(S, divide(S, w, g), until, HIT)",
            "    return wake(S, g, until, HIT)",
        ),
        (
            "the access is forgotten",
            "    S.n_memory_split += 1",
            "    S.n_memory_split += 1\n    group(S, g).at_memory = 0",
        ),
        (
            "the group continues after the access",
            "    S.n_memory_split += 1",
            "    S.n_memory_split += 1\n    group(S, g).seg += 1",
        ),
        (
            "lanes that missed are lost",
            "    S.n_memory_split += 1",
            "    S.n_memory_split += 1\n    group(S, g).mask = group(S, g).hits\n    return 0",
        ),
        (
            "the slot has another date",
            "    S.n_memory_split += 1",
            "    S.n_memory_split += 1\n    due(S, group(S, g).slot).at = t + 1",
        ),
    ),
    *_kind(
        "memory",
        "slip",
        "policy/slip",
        ("lanes that hit are left behind", "missing = grp.mask & ~grp.hits", "missing = grp.hits"),
    ),
    *_kind(
        "completion",
        "dws.revive-split",
        "policy/memory_split",
        (
            "a stall ends without a reason",
            "    if S.memory_split != REVIVE:\n        return 0",
            "    if S.memory_split != REVIVE:\n        return 0\n    return 1",
        ),
        (
            "a stall wakes the whole group",
            "    until = suspended(S, best).until\n    h = divide",
            "    return 1 + wake(S, best, t, MEMORY)\n    h = divide",
        ),
        (
            "a stall wakes in the past",
            "        wake(S, h, t, MEMORY)",
            "        wake(S, h, t - 1, MEMORY)",
        ),
        (
            "a stall wakes none of the lanes that it has split",
            "        wake(S, h, t, MEMORY)",
            "        wake(S, best, t, MEMORY)",
        ),
        (
            "a stall answers minus one",
            "        wake(S, h, t, MEMORY)\n    return 1",
            "        wake(S, h, t, MEMORY)\n    return -1",
        ),
    ),
    *_kind(
        "completion",
        "dws.aggress-split",
        "policy/pc_merge",
        (
            "groups whose data have not arrived are merged",
            "    return rest & words_up_to(S.p_ready_at + WORD * first, S.width, t)\n",
            "    return rest\n",
        ),
        ("groups whose data arrive later are merged", "S.width, t)", "S.width, t + 9)"),
        (
            "groups before an access merge with those behind",
            "            n = merge_ready(S, w, g, t, 1, 0,",
            "            n = merge_ready(S, w, g, t, 1, 1,",
        ),
    ),
    *_kind(
        "completion",
        "conv",
        "policy/conv",
        (
            "a miss is over at once",
            "",
            _hook("def on_miss(S, w, g, t):", "return wake(S, g, t + 1, 0)"),
        ),
        (
            "an interval ends all waits",
            "",
            _hook(
                "def on_interval(S, w, t):",
                "for i in range(w * S.slots, (w + 1) * S.slots):",
                "    if slot(S, i).group >= 0:",
                "        wake(S, slot(S, i).group, t, 0)",
                "return 0",
            ),
        ),
        (
            "a turn ends the wait of the first slot",
            "",
            _hook(
                "def on_turn(S, w, t):",
                "if slot(S, w * S.slots).group >= 0:",
                "    wake(S, slot(S, w * S.slots).group, t, 0)",
                "return 0",
            ),
        ),
        (
            "the dispatched group takes the lanes of the warp",
            "",
            _hook("def on_dispatch(S, w, g, t):", "group(S, g).mask = -1", "return 0"),
        ),
    ),
    *_kind(
        "merge",
        "dws.aggress-split",
        "policy/pc_merge",
        ("at different segments", "if other.seg == grp.seg and is_serial", "if is_serial"),
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
            "the last lanes to arrive stop, too",
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
    *_kind(
        "memory system",
        "",
        "memory/adversary",
        ("answers at once", "    return completion", "    return t"),
        ("answers before it is asked", "    return completion", "    return t - 3"),
        ("answers never", "    return completion", "    return (1 << 62) - 1"),
        ("all lanes hit", "    return completion", "    S.access_hits = -1\n    return completion"),
        (
            "hits come after the answer",
            "    return completion",
            "    S.access_hits_at = completion + 5\n    return completion",
        ),
        (
            "hits come before the access",
            "    return completion",
            "    S.access_hits_at = t - 1\n    return completion",
        ),
        (
            "the wait for the second level is longer than all of it",
            "    return completion",
            "    S.access_until_l2 = completion + 1\n    return completion",
        ),
        (
            "banks end after the second level",
            "    return completion",
            "    S.access_until_l2 = t + 1\n    S.access_until_bank = completion + 2\n"
            "    return completion",
        ),
        (
            "bubbles are negative",
            "    return completion",
            "    S.access_bubbles = -1\n    return completion",
        ),
        (
            "other lanes than those that asked hit",
            "    return completion",
            "    S.access_hits = ~lanes\n    return completion",
        ),
    ),
]
"""At least ten of each kind; the first word says which kind of hook has the mistake."""
