"""History of a scenario on the toy machine, cycle by cycle, in the words of the papers.

    h = History(scenarios.F12, "dws.lazy-split")
    h.stack[1], h.groups[2], h.issued[3], h.entries[2]

See simtlab.recording.history for the texts.
"""

from __future__ import annotations

from typing import Any

from simtlab.recording import history
from simtlab.recording.timed import TimedRecorder

from . import scenarios
from .scenarios import Scenario
from .toy import Toy


class History(history.History):
    """A scenario that has run on the toy machine; `toy` has its totals."""

    def __init__(
        self, scenario: Scenario, policy: str = "conv", *, counts: bool = False, **fields: Any
    ) -> None:
        self.toy = Toy(scenario, policy, recorded=True, **fields)
        assert isinstance(self.toy.recorder, TimedRecorder)
        super().__init__(self.toy.recorder.finish(), counts=counts)


def inner_loop(begin: int, lanes: str, times: int = 6, beside: str = "") -> dict[int, str]:
    """Return the groups of `times` iterations of the inner loop of `X3_LISTED`, from `begin` on."""
    found = {}
    for t in range(begin, begin + 3 * times, 3):
        found |= {
            t: f"{lanes}@b ready{beside}",
            t + 1: f"{lanes}@I run{beside}",
            t + 2: f"{lanes}@b run{beside}",
        }
    return found


def history_of(name: str, policy: str, **fields: Any) -> History:
    """Return the history of a scenario of scenarios.py, on a machine with as little as it needs."""
    return History(getattr(scenarios, name), policy, **scenarios.SCARCE.get(name, {}), **fields)
