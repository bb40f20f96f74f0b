"""Plans for launches that native code has refused to count."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict

from ....analysis.counting.independence import reliance_as
from ....engine import Work
from ...runtime.context import WatchedBy
from .layouts import can_count

if TYPE_CHECKING:
    from ..plan import Plan


class Options(TypedDict, total=False):
    """What a plan relies on; see `Plan`."""

    strict: bool
    marks: bool
    watches: bool
    by_batches: bool


def options_after(plan: Plan, work: Work) -> Options | None:
    """Return the options of a plan that relies on less; None if it would refuse all others."""
    facts, layout = plan.facts, plan.layout
    if facts.strict and plan.code.watched_by == WatchedBy.MARKS:
        return {"strict": False, "watches": facts.watches}
    if plan.code.watched_by:
        return {"marks": False, "watches": facts.watches}
    if layout is None:
        return None
    relied = layout.relied
    if (relied.ends or relied.spaced) and not facts.watches:
        differs = reliance_as(work.kernel, replace(facts, watches=True)) != relied
        if differs and can_count(work.kernel, work.geometry, watches=True):
            return {"watches": True}
    if relied.watched and can_count(work.kernel, work.geometry, by_batches=True):
        return {"by_batches": True}
    return None
