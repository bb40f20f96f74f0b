"""Branches on what atomics return that go the same way for all work-items of a launch.

A work-item takes a slot by an atomic addition, and looks whether there is one left. As long as
there are slots for all, none sees that there is not. Native code counts on that, and refuses a
launch in which a work-item goes the other way. If none does in one order, none does in any other:

- All additions to a counter are by one instruction, of one constant. So what they return is the
  same in any order, but for which work-item gets what.
- The branch depends on that and on what is the same for all work-items, and each work-item that
  takes a slot looks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ....isa.table import Flags
from ....isa.types import Segment
from ..values.ssa import Const, Op, Phi, Ssa, made_of


@dataclass(frozen=True)
class OneSided:
    """Conditions that are the same for all work-items."""

    atomics: Mapping[Op, Op]
    """The comparison that a branch asks for -> the addition whose result it looks at."""

    def side(self, condition: Op) -> bool:
        """Return what a condition is for the first slots."""
        is_below = condition.ins.row.stem in _BELOW
        return is_below == (self.atomics[condition] in made_of([condition.args[0]]))


NONE = OneSided({})


def one_sided(ssa: Ssa) -> OneSided:
    """Return the branches on results of atomics that a launch may have to take one way."""
    found: dict[Op, Op] = {}
    for condition in set(ssa.conditions.values()):
        if not isinstance(condition, Op) or condition.ins.row.stem not in _BELOW + _ABOVE:
            continue
        if any(n != condition.node for n, c in ssa.conditions.items() if c is condition):
            continue
        atomic = _atomic_of(condition)
        if atomic is not None and atomic.node == condition.node:
            found[condition] = atomic
    return OneSided(found)


def _atomic_of(condition: Op) -> Op | None:
    """Return the only addition that a condition depends on, beside constants and arguments."""
    atomics: list[Op] = []
    for value in made_of([condition], lambda v: isinstance(v, Op) and v.ins.row.is_memory):
        if isinstance(value, Const):
            continue
        if isinstance(value, Phi) or not isinstance(value, Op):
            return None
        row = value.ins.row
        if row.is_atomic:
            atomics.append(value)
        elif row.is_memory and row.segment is not Segment.KERNARG:
            return None
        elif row.is_identity or row.reads_clock or Flags.CROSS_LANE in row.flags:
            return None
    if len(atomics) != 1 or atomics[0].ins.row.stem != "atomic_add":
        return None
    return atomics[0] if isinstance(atomics[0].args[0], Const) else None


_BELOW = ("cmp_lt", "cmp_le")
_ABOVE = ("cmp_ge", "cmp_gt")
