"""What lists say of policies and their settings, a line each.

Lines that stand below each other in a list are written below each other, so that they can be told
apart. The paragraph about a policy is in its family's file.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...isa.errors import either
from .policy import MOST, Policy

TITLES = {
    "conv": "a stack of paths; the whole warp waits for its slowest lane",
    "dws.branch-only.stack": "both sides of a branch run; they join at the stack's points only",
    "dws.branch-only": "both sides of a branch run; they also join at equal PCs",
    "dws.aggress-split.bl": "lanes that hit run ahead of those that miss, up to a branch",
    "dws.aggress-split": "as dws.branch-only, and lanes that hit run ahead of those that miss",
    "dws.lat-spec": "as dws.aggress-split, where they will probably miss again in time",
    "dws.lazy-split.bl": "as dws.aggress-split.bl, where no other group hides the latency",
    "dws.lazy-split": "as dws.aggress-split, where no other group hides the latency",
    "dws.revive-split.bl": "as dws.lazy-split.bl, and when the WPU stalls later",
    "dws.revive-split": "as dws.lazy-split, and when the WPU stalls later",
    "maws.aggress": "lanes that hit run ahead on the same path, through loops",
    "maws.lazy-split": "as maws.aggress, where no other group hides the latency, or on a stall",
    "maws.lat-spec": "as maws.aggress, where they will probably miss again in time",
    "slip": "lanes that miss are left behind and rejoin later; all wait at branches",
    "slip.branch-bypass": "as slip, and both sides of a branch run",
    "ppc": "PCs in pairs: the smaller one runs, equal ones join",
    "ppc-explicit": "as ppc, but PCs are compared at `reconverge` only",
    "dps": "both sides of the last branch can issue; they join at its post-dominator",
    "per-thread": "a PC for each lane, the smallest one runs",
    "lwm": "several warps share a PC and fill each other's lanes",
    "two-level": "as conv, and one fetch group issues until none of its warps can",
    "lwm+two-level": "as lwm, and one fetch group issues until none of its large warps can",
    "dwf.majority": "warps part at branches, and merge in the pool; the fullest PC first",
    "dwf.pdom": "as dwf.majority, but the warp that has passed the fewest joins first",
    "lwm+dws": "as lwm, and lanes that hit run ahead up to a branch, also on a stall",
    "dwf+dws": "as dwf.majority, and lanes that hit run ahead, also on a stall",
    "conv-explicit": "as conv, but paths join at `reconverge` only",
    "predication": "as conv, but both sides of a short branch always issue",
    "density-time": "as conv, with fewer units than lanes, and masked lanes skipped",
}
"""By name: what sets a policy apart."""

SETTINGS = {
    "branch-limited": "splits of a warp wait for each other at every conditional branch",
    "branch-split": "branches that are marked `subdivide` split a warp",
    "cascade": "sides that merge are at once compared with the entry below; false: an instruction "
    "later, as in the paper's pseudo-code",
    "count-split": "what a new split may issue before it misses counts for those after it",
    "first-latency": "cycles that a group's first miss is expected to take",
    "interleave": "while one side waits for memory the other one issues",
    "long-latency": "cycles of waiting up to which an access does not count as a miss",
    "loop-bypass": "splits pass the branch of a loop that all of them are in",
    "loop-test": "what makes a branch that of the loop: the branch itself, or just its "
    "re-convergence point",
    "jump-once": "a jump takes one cycle for all rows of a large warp",
    "lower-above": "per cent of cycles with an issue above which a lane less may be left behind",
    "max-div": "lanes of a warp that may be left behind at the beginning",
    "memory-rows": "accesses of global memory take the rows of a large warp one by one",
    "memory-split": "accesses with hits and misses that split a group: all (aggressive); where no "
    "other group hides the latency (lazy); also on a later stall (revive)",
    "pc-merge": "splits of a warp that are ready at the same PC merge",
    "predicated": "forward branches are passed as if predicated: no lane waits at them",
    "predicate-up-to": "instructions up to its join with which a forward branch is predicated",
    "priority": "who goes first: the PC with the most threads, or whoever has passed the fewest "
    "re-convergence points",
    "push-uniform": "a branch that a whole warp takes one way is pushed too: it may close a loop",
    "raise-above": "per cent of cycles waiting for memory above which a lane more may be left "
    "behind",
    "run-ahead": "lanes that an access has served leave those behind that wait",
    "skip-masked": "an instruction takes issue slots for its active lanes only",
    "units": "lanes that execute in one issue slot",
    "warp": "work-items of a large warp: a multiple of the machine's lanes, at most what a WPU "
    "holds",
}
"""By name: what `--set policy.NAME=VALUE` changes. A name means the same in every policy."""

WORDS = {"latency": "; where the hits will probably miss again in time (latency)"}
"""By word: what the text of a setting goes on with where it takes the word; not all policies do."""


@dataclass(frozen=True)
class Setting:
    """A setting of a policy with its value there: what it takes, and what it changes.

    `values` are the words that it takes; where there are none it takes whole numbers from `least`
    to `greatest`, or, if its value is a text, any text.
    """

    name: str
    value: bool | int | str
    values: tuple[str, ...]
    least: int
    greatest: int
    text: str

    @property
    def takes(self) -> str:
        """What it takes, for a list: `true false`, `1…`, `0…100`."""
        if self.values or isinstance(self.value, str):
            return " ".join(self.values) or "a text"
        return f"{self.least}…{'' if self.greatest == MOST else self.greatest}"

    def wants(self, value: object) -> str:
        """What it takes, for a message about a value that it does not take; else nothing."""
        if isinstance(self.value, bool):
            return "" if isinstance(value, bool) else either(self.values)
        if isinstance(self.value, str):
            fits = isinstance(value, str) and (not self.values or value in self.values)
            return "" if fits else either(self.values) or "a text"
        number = value if isinstance(value, int) and not isinstance(value, bool) else None
        if number is not None and self.least <= number <= self.greatest:
            return ""
        is_open = self.greatest == MOST and (number is None or number < MOST)
        return f"a whole number from {self.least} {'on' if is_open else f'to {self.greatest}'}"


def title_of(policy: Policy) -> str:
    """What sets a policy apart, in a line; of a user's own, the first sentence of its text."""
    return TITLES.get(policy.name) or policy.text.partition(". ")[0].rstrip(".")


def settings_of(policy: Policy) -> list[Setting]:
    """The settings with their values in this policy; those of a user's own have no text."""
    found: list[Setting] = []
    for name, value in policy.settings.items():
        words = ("true", "false") if isinstance(value, bool) else policy.choices.get(name, ())
        text = SETTINGS.get(name, "") + "".join(WORDS.get(word, "") for word in words)
        found.append(Setting(name, value, words, *policy.ranges.get(name, (0, MOST)), text))
    return found
