"""Mistakes in hooks about memory: accesses, their completion, and memory systems."""

from __future__ import annotations

from .mutant import hook as _hook
from .mutant import of_kind as _kind

MUTANTS = [
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
            "groups before an access merge with those after it",
            "            n = merge_ready(S, w, g, others, 1, 0,",
            "            n = merge_ready(S, w, g, others, 1, 1,",
        ),
    ),
    *_kind(
        "completion",
        "conv",
        "policy/conv",
        (
            "a miss ends at once",
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
