"""Titles of policies and of their settings, one line each.

Titles that a list prints together are written together, so that they stay distinct. The
description of a policy is in its family's file.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...isa.errors import either
from .policy import MOST, Policy

TITLES = {
    "conv": "one stack of paths per warp; a warp waits for its slowest lane",
    "dws.branch-only.stack": "both sides of a branch run; they merge only as the stack says",
    "dws.branch-only": "both sides of a branch run; they also merge at equal PCs",
    "dws.aggress-split.bl": "lanes that hit run ahead of those that miss, up to a branch",
    "dws.aggress-split": "as dws.branch-only, and lanes that hit run ahead of those that miss",
    "dws.lat-spec": "as dws.aggress-split, if lanes ahead will probably miss again soon",
    "dws.lazy-split.bl": "as dws.aggress-split.bl, if no other group hides the latency",
    "dws.lazy-split": "as dws.aggress-split, if no other group hides the latency",
    "dws.revive-split.bl": "as dws.lazy-split.bl, and also when the WPU stalls later",
    "dws.revive-split": "as dws.lazy-split, and also when the WPU stalls later",
    "maws.aggress": "lanes that hit run ahead on the same path, through loops",
    "maws.lazy-split": "as maws.aggress, if no other group hides the latency, or on a stall",
    "maws.lat-spec": "as maws.aggress, if lanes ahead will probably miss again soon",
    "slip": "lanes that miss are left behind and rejoin later; all wait at branches",
    "slip.branch-bypass": "as slip, but both sides of a branch run",
    "ppc": "PCs are compared in pairs: the smaller one runs, equal ones merge",
    "ppc-explicit": "as ppc, but PCs are compared at `reconverge` only",
    "dps": "both sides of the last branch can issue; they join at its post-dominator",
    "per-thread": "each lane has a PC; the lanes at the smallest one run",
    "lwm": "several warps share a PC and fill each other's inactive lanes",
    "two-level": "as conv; one fetch group issues until none of its warps can",
    "lwm+two-level": "as lwm; one fetch group issues until none of its large warps can",
    "dwf.majority": "warps split at branches and merge in a pool; fullest PC first",
    "dwf.pdom": "as dwf.majority, but the warp that has passed the fewest joins first",
    "lwm+dws": "as lwm, and lanes that hit run ahead up to a branch, also on a stall",
    "dwf+dws": "as dwf.majority, and lanes that hit run ahead, also on a stall",
    "conv-explicit": "as conv, but paths join at `reconverge` only",
    "predication": "as conv, but both sides of a short branch always issue",
    "density-time": "as conv, with fewer units than lanes, and inactive lanes skipped",
}
"""By name: what distinguishes a policy."""

SETTINGS = {
    "branch-limited": "splits of a warp wait for each other at every conditional branch",
    "branch-split": "branches that are marked `subdivide` split a warp",
    "cascade": "merged sides are compared with the entry below at once; false: one instruction "
    "later, as in the paper's pseudo-code",
    "compare-cycles": "cycles that a comparison of PCs takes in which no other group is ready",
    "compare-pcs": "splits merge by PC at memory instructions, before the access (at-access); of "
    "two that are not running, if both or neither have accessed (alike); only after both have "
    "(after-access)",
    "count-split": "later split decisions count the instructions that a new split can issue "
    "before it misses",
    "first-latency": "cycles that a group's first miss is expected to take",
    "hits-wait": "groups that wait for hits of the first level only count as waiting for memory, "
    "so that others are split",
    "interleave": "while one side waits for memory the other one issues",
    "laggard": "the split that has issued least takes the turns of its warp (in-turn), or goes "
    "before the splits of all warps (first)",
    "long-latency": "an access that waits at most this many cycles does not count as a miss",
    "loop-bypass": "splits pass the branch of a loop that all of them are in",
    "loop-test": "how the branch of the loop is recognised: by the branch itself, or only by its "
    "re-convergence point",
    "jump-once": "a jump takes one cycle for all rows of a large warp",
    "lower-above": "if the WPU issues in more than this per cent of cycles, one lane less may be "
    "left behind",
    "max-div": "lanes of a warp that may be left behind at the start",
    "memory-rows": "accesses of global memory take the rows of a large warp one by one",
    "memory-split": "accesses with hits and misses that split a group: all (aggressive); if no "
    "other group hides the latency (lazy); also on a later stall (revive)",
    "pc-merge": "splits of a warp that are ready at the same PC merge",
    "predicated": "forward branches are passed as if predicated: no lane waits at them",
    "predicate-up-to": "a forward branch is predicated if it has at most this many instructions "
    "up to its join",
    "priority": "which warps issue first: those at the PC with the most threads, or those that "
    "have passed the fewest re-convergence points",
    "push-uniform": "a branch that a whole warp takes one way is pushed too: it may close a loop",
    "raise-above": "if the WPU waits for memory in more than this per cent of cycles, one lane "
    "more may be left behind",
    "revive-first": "which suspended group a stalled WPU splits: the one with the most served "
    "lanes (widest), the first or last suspended (oldest, youngest), or one slot after the other",
    "revive-mask": "lanes of a suspended group that run ahead in a stall: those that hit at the "
    "access, or all that are served by now",
    "run-ahead": "lanes whose data have arrived run ahead of those that still wait",
    "slot-keeper": "the part of a divided group that keeps its scheduler slot if none is free",
    "skip-masked": "an instruction takes issue slots for its active lanes only",
    "units": "lanes that execute in one issue slot",
    "wst-full": "a split that has to divide while the warp-split table is full: runs its paths in "
    "turn on a stack of its own, takes an entry beyond the last (overflow), or waits for "
    "entries (stall)",
    "warp": "work-items of a large warp: a multiple of the machine's lanes, at most the contexts "
    "of a WPU",
}
"""By name: what `--set policy.NAME=VALUE` changes. A name means the same in every policy."""

WORDS = {"latency": "; if lanes that hit will probably miss again soon (latency)"}
"""By word: what is added to a setting's text in policies whose setting takes this word."""


@dataclass(frozen=True)
class Setting:
    """A setting of a policy: its value there, the values it takes, and what it changes.

    `values` are the words that it takes. Without any it takes whole numbers from `least` to
    `greatest`, or any text if its value is a text.
    """

    name: str
    value: bool | int | str
    values: tuple[str, ...]
    least: int
    greatest: int
    text: str

    @property
    def takes(self) -> str:
        """Return the values it takes as a list shows them: `true false`, `1…`, `0…100`."""
        if self.values or isinstance(self.value, str):
            return " ".join(self.values) or "a string"
        return f"{self.least}…{'' if self.greatest == MOST else self.greatest}"

    def wants(self, value: object) -> str:
        """Return what the setting takes if it does not take `value`, else an empty string."""
        if isinstance(self.value, bool):
            return "" if isinstance(value, bool) else either(self.values)
        if isinstance(self.value, str):
            fits = isinstance(value, str) and (not self.values or value in self.values)
            return "" if fits else either(self.values) or "a string"
        number = value if isinstance(value, int) and not isinstance(value, bool) else None
        if number is not None and self.least <= number <= self.greatest:
            return ""
        is_open = self.greatest == MOST and (number is None or number < MOST)
        return f"a whole number from {self.least} {'on' if is_open else f'to {self.greatest}'}"


def title_of(policy: Policy) -> str:
    """Return a policy's title; for a user's own policy, the first sentence of its text."""
    return TITLES.get(policy.name) or policy.text.partition(". ")[0].rstrip(".")


def settings_of(policy: Policy) -> list[Setting]:
    """Return the settings with their values in this policy; a user's own have no text."""
    found: list[Setting] = []
    for name, value in policy.settings.items():
        words = ("true", "false") if isinstance(value, bool) else policy.choices.get(name, ())
        text = SETTINGS.get(name, "") + "".join(WORDS.get(word, "") for word in words)
        found.append(Setting(name, value, words, *policy.ranges.get(name, (0, MOST)), text))
    return found
