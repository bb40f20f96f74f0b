"""Sentences of the papers and what our model says of them.

A claim compares a number with the paper's, or asks whether something is so. The verdict on a number
looks at the *effect*, its distance from `neutral` (a speedup of 1, a saving of 0): the claim holds
if our effect is between 2/3 and 3/2 of the paper's, and in direction only if it has the same sign
and at least a tenth of the size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from .results import NotMeasured, Results


class Verdict(StrEnum):
    """The outcome of a claim."""

    HOLDS = "holds"
    DIRECTION = "in direction only"
    NOT = "does not hold"
    OPEN = "not measured"


@dataclass(frozen=True)
class Finding:
    """The answer to a claim: our value in words and the verdict."""

    claim: Claim
    ours: str
    verdict: Verdict

    @property
    def why(self) -> str:
        """The reason why ours differs, where that is known and the claim does not hold."""
        return self.claim.why if self.verdict in (Verdict.DIRECTION, Verdict.NOT) else ""

    def to_dict(self) -> dict[str, Any]:
        """Return the finding for JSON."""
        return {
            "claim": self.claim.text,
            "paper": self.claim.paper,
            "ours": self.ours,
            "verdict": str(self.verdict),
            "why": self.why,
        }


@dataclass(frozen=True)
class Claim:
    """What a paper says: its text in our words, its value, and the judge of our results.

    `why` is the reason why ours may differ, as far as it is known.
    """

    text: str
    paper: str
    judge: Callable[[Results], tuple[str, Verdict]]
    why: str = ""

    def find(self, results: Results) -> Finding:
        """Return our value and the verdict."""
        try:
            ours, verdict = self.judge(results)
        except (NotMeasured, ZeroDivisionError):
            ours, verdict = "-", Verdict.OPEN
        return Finding(self, ours, verdict)


def unknown(tried: str) -> str:
    """Return the reason of a difference whose cause is not known: what was tried or is known."""
    return f"the cause is not known; {tried}"


def number(
    text: str,
    paper: float,
    ours: Callable[[Results], float],
    *,
    neutral: float | None = 1.0,
    form: str = ".2f",
    why: str = "",
) -> Claim:
    """Return a claim about one number; a `neutral` of None says that it has no direction."""

    def judge(results: Results) -> tuple[str, Verdict]:
        value = ours(results)
        verdict = verdict_on(value - (neutral or 0.0), paper - (neutral or 0.0))
        if neutral is None and verdict is Verdict.DIRECTION:
            verdict = Verdict.NOT
        return format(value, form), verdict

    return Claim(text, format(paper, form), judge, why)


def verdict_on(ours: float, paper: float) -> Verdict:
    """Return the verdict on an effect of ours beside the paper's, which is not 0."""
    share = ours / paper
    if 2 / 3 <= share <= 3 / 2:
        return Verdict.HOLDS
    return Verdict.DIRECTION if share >= 0.1 else Verdict.NOT


def at_most(
    text: str, paper: str, bound: float, ours: Callable[[Results], float], *,
    form: str = ".2f", why: str = "",
) -> Claim:  # fmt: skip
    """Return a claim that a number is at most `bound`."""

    def judge(results: Results) -> tuple[str, Verdict]:
        value = ours(results)
        return format(value, form), Verdict.HOLDS if value <= bound else Verdict.NOT

    return Claim(text, paper, judge, why)


def least(
    text: str,
    paper: str,
    numbers: Callable[[Results], Mapping[str, float]],
    bound: float = 1.0,
    *,
    slack: float = 0.0,
    why: str = "",
) -> Claim:
    """Return a claim that no number is below `bound`; those below it by `slack` are rounding.

    The answer names the least number and all that are below.
    """

    def judge(results: Results) -> tuple[str, Verdict]:
        found = numbers(results)
        name = min(found, key=lambda n: found[n])
        below = [n for n, value in found.items() if value < bound - slack]
        ours = f"least {found[name]:.2f} ({name})"
        if len(below) > 1:
            ours += f"; below: {', '.join(below)}"
        return ours, Verdict.NOT if below else Verdict.HOLDS

    return Claim(text, paper, judge, why)


def holds(
    text: str, paper: str, test: Callable[[Results], tuple[str, bool]], *, why: str = ""
) -> Claim:
    """Return a claim that something is so; `test` gives our values in words, and whether it is."""

    def judge(results: Results) -> tuple[str, Verdict]:
        ours, is_so = test(results)
        return ours, Verdict.HOLDS if is_so else Verdict.NOT

    return Claim(text, paper, judge, why)


def partly(
    text: str, paper: str, test: Callable[[Results], tuple[str, int, int]], *, why: str = ""
) -> Claim:
    """Return a claim about several programs: (our values, so many of them, of so many).

    It holds if it does for all, and in direction only if it does for more than half.
    """

    def judge(results: Results) -> tuple[str, Verdict]:
        ours, right, of = test(results)
        if right == of:
            return ours, Verdict.HOLDS
        return ours, Verdict.DIRECTION if 2 * right > of else Verdict.NOT

    return Claim(text, paper, judge, why)
