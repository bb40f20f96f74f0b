"""History of a scenario on the toy machine's WPU, cycle by cycle, in the words of the papers.

    h = History(scenarios.F12, "dws.lazy-split")
    h.stack[1]    "(D,-,11111111)(C,D,00000110)(B,D,11111001)"   block, rpc block, mask; top right
    h.groups[2]   "11100000@B ready, 00011001@x wait"            mask, place, status
    h.issued[3]   "11100000@B"                                   "-" where nothing issues
    h.entries[2]  2                                              of the warp-split table

Each is a dict of changes: cycle -> the value from the *end* of that cycle on (for `issued`: in the
cycle). Labels in capitals name blocks, others a single instruction. A place is the instruction that
a group issues next, or the access that it waits for. Statuses are run, ready, wait,
held (by slip), slotless, rpc-wait, branch-wait, barrier-wait and parked. Texts of several warps are
joined by "; ". Masks have lane 0 on the left.

The engine runs plain, one event at a time. One event may issue many segments; History sees each
issue where the engine charges for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar
from unittest.mock import patch

import numpy as np

from simtlab.timing.engine.causes import BARRIER
from simtlab.timing.engine.groups import NO_SLOT, WAITS_FOR_SLOT
from simtlab.timing.engine.intrinsics import NEVER
from simtlab.timing.engine.state import ACCESS, ISSUE
from simtlab.timing.simulation.books import groups_of
from simtlab.timing.simulation.simulator import Simulator

from .scenarios import Scenario
from .toy import Toy

_T = TypeVar("_T")


@dataclass(frozen=True)
class Standing:
    """A group, or lanes that wait for others: mask, place, and the first cycle to issue in."""

    lanes: int
    mask: str
    place: str
    status: str
    """Empty if `ready` alone decides between ready and wait."""
    ready: int = NEVER

    def at(self, cycle: int) -> str:
        status = self.status or ("ready" if self.ready <= cycle + 1 else "wait")
        return f"{self.mask}@{self.place} {status}"


@dataclass(frozen=True)
class Moment:
    """The state at the end of a cycle, and from then on until the next moment."""

    stacks: tuple[str, ...]
    groups: tuple[tuple[Standing, ...], ...]
    entries: int

    def stack(self) -> str:
        return "; ".join(self.stacks)

    def groups_at(self, cycle: int) -> str:
        return "; ".join(", ".join(g.at(cycle) for g in mine) or "-" for mine in self.groups)


class History:
    """A scenario that has run on the toy machine; `toy` has its totals."""

    def __init__(self, scenario: Scenario, policy: str = "conv", **fields: Any) -> None:
        self._moments: dict[int, Moment] = {}
        self._issues: dict[int, str] = {}
        self._has_issued = self._goes_on = False
        with ExitStack() as undo:
            self.toy = Toy(scenario, policy, prepare=partial(self._watch, undo), **fields)
        cycles = range(self.toy.cycles)
        now = self._moments[min(self._moments)]
        moments = [now := self._moments.get(c, now) for c in cycles]
        self.issued = _changes(self._issues.get(c, "-") for c in cycles)
        self.stack = _changes(m.stack() for m in moments)
        self.groups = _changes(m.groups_at(c) for c, m in enumerate(moments))
        self.entries = _changes(m.entries for m in moments)

    def __str__(self) -> str:
        views = ("issued", "stack", "groups", "entries")
        changed = [(c, name) for c in range(self.toy.cycles) for name in views]
        return "\n".join(
            f"{c:4} {name:8}{getattr(self, name)[c]}"
            for c, name in changed
            if c in getattr(self, name)
        )

    # --- watching

    def _watch(self, undo: ExitStack, sim: Simulator) -> None:
        self._sim, self._state, self._all = sim, sim.state, sim.state.run
        self._space = vars(sim.composition.namespace)
        self._charge = self._space["charge_issue"]
        # An engine's namespace is shared by its simulators: it gets its function back.
        undo.enter_context(patch.dict(self._space, charge_issue=self._issue))
        sim.state.run = self._run

    def _run(self, events: int) -> int:
        """Replace the engine's loop: take one event at a time, and record the state after each."""
        status = 0
        while status == 0 and events > 0:
            core = self._state.rows["wpu"][0]
            self._goes_on = core["event"] == ISSUE
            self._has_issued = False
            status = self._all(1)
            if not self._has_issued:
                self._keep(int(self._state.S.now))
            elif core["event"] not in (ACCESS, ISSUE):
                self._keep(int(self._state.rows["next_event"]["at"][0]) - 1)
            events -= 1
        return status

    def _issue(self, S: Any, w: int, g: int, s: int, n: int, lanes: int, t: int) -> int:
        """Replace `charge_issue`: record that g issues n instructions of segment s from t on."""
        first = int(self._segment(s)["first_pc"])
        mask = self._mask(self._state.rows["group"][g]["mask"])
        for i in range(n):
            self._issues[t + i] = f"{mask}@{self._place(first + i)}"
        if self._goes_on:
            # The segment before has had its consequences: branches, joins.
            self._keep(t - 1, g)
        self._keep(t, g)
        self._goes_on = self._has_issued = True
        return self._charge(S, w, g, s, n, lanes, t)

    # --- the state in words

    def _keep(self, cycle: int, running: int = -1) -> None:
        rows, space = self._state.rows, self._space
        warps = range(int(self._state.S.warps))
        entries = space["entries_of"] if "entries_of" in space else lambda S, v: 0
        self._moments[cycle] = Moment(
            tuple("".join(self._stack(v)) or "-" for v in warps),
            tuple(
                tuple(sorted(self._standings(v, running), key=lambda g: g.lanes & -g.lanes))
                for v in warps
            ),
            sum(entries(self._state.S, v) for v in warps if rows["warp"]["live"][v]),
        )

    def _stack(self, v: int) -> Iterator[str]:
        depth, room = int(self._state.rows["warp"]["depth"][v]), int(self._state.S.stack_depth)
        if self._state.rows["warp"]["live"][v]:
            for row in self._state.rows["stack"][v * room : v * room + depth]:
                yield self._entry(row)

    def _entry(self, row: np.void) -> str:
        return f"({self._block(row['seg'])},{self._block(row['rpc'])},{self._mask(row['mask'])})"

    def _standings(self, v: int, running: int) -> Iterator[Standing]:
        rows = self._state.rows
        for g in groups_of(self._state, v):
            it, ready = rows["group"][g], int(rows["ready_at"]["t"][g])
            pc = int(self._segment(it["seg"])["last_pc" if it["at_memory"] else "first_pc"])
            status = "" if ready < NEVER else "parked"
            if g == running:
                status = "run"
            elif it["slot"] == WAITS_FOR_SLOT:
                status = "slotless"
            elif status and it["cause"] == BARRIER:
                status = "barrier-wait"
            elif it["slot"] == NO_SLOT:
                status = "held"
            local = "".join(self._local(g))
            yield self._standing(it["mask"], self._place(pc) + local, status, ready)
        if "gathering" in rows and rows["warp"]["live"][v]:
            yield from self._gathered(v, rows["gathering"][v])

    def _gathered(self, v: int, gathered: np.void) -> Iterator[Standing]:
        if gathered["waiting"]:
            top = v * int(self._state.S.stack_depth) + int(self._state.rows["warp"]["depth"][v]) - 1
            joins = self._state.rows["stack"][top]["rpc"] == gathered["seg"]
            status = "rpc-wait" if joins else "branch-wait"
            yield self._standing(gathered["waiting"], self._block(gathered["seg"]), status)
        if gathered["barrier"]:
            pc = int(self._segment(gathered["barrier_seg"])["last_pc"])
            yield self._standing(gathered["barrier"], self._place(pc), "barrier-wait")

    def _standing(self, mask: int, place: str, status: str, ready: int = NEVER) -> Standing:
        return Standing(int(mask), self._mask(mask), place, status, ready)

    def _local(self, g: int) -> Iterator[str]:
        """Return the stack of a group that has its own."""
        rows = self._state.rows
        if "local_level" in rows:
            room = int(self._state.S.local_depth)
            for row in rows["local"][g * room : g * room + int(rows["local_level"][g]["n"])]:
                yield self._entry(row)

    def _mask(self, mask: int) -> str:
        return "".join("1" if int(mask) >> i & 1 else "0" for i in range(int(self._state.S.width)))

    def _segment(self, s: int) -> np.void:
        return self._state.rows["seg"][s]

    def _block(self, s: int) -> str:
        """Return the name of a segment's block; "-" for none."""
        return "-" if s < 0 else self._block_of(int(self._segment(s)["first_pc"]))

    def _place(self, pc: int) -> str:
        """Return the instruction's own label, else its block's."""
        own = [label for label, at in self._labels() if at == pc and not label.isupper()]
        return own[0] if own else self._block_of(pc)

    def _block_of(self, pc: int) -> str:
        names = [label for label, at in self._labels() if at <= pc and label.isupper()]
        return names[-1] if names else str(pc)

    def _labels(self) -> Iterable[tuple[str, int]]:
        (code,) = self._sim.codes
        return code.segments.kernel.labels


def _changes(values: Iterable[_T]) -> Mapping[int, _T]:
    """Return cycle -> value for the cycles in which the value changes."""
    found: dict[int, _T] = {}
    last: object = object()
    for cycle, value in enumerate(values):
        if value != last:
            found[cycle] = last = value
    return found
