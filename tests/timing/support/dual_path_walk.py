"""A scenario under paired paths, instruction by instruction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

from simtlab.timing.simulation.simulator import Simulator

from .scenarios import Scenario
from .toy import Toy


class Walk:
    """A scenario instruction by instruction, on the plain engine.

    `issued` has a text for each: address, mask, and the entries of the dual-path stack, the top
    last, with the running side's PC that of the instruction.
    """

    def __init__(self, scenario: Scenario, policy: str, **fields: Any) -> None:
        self.issued: list[str] = []
        self.toy = Toy(scenario, policy, prepare=self._watch, **fields)

    def _watch(self, sim: Simulator) -> None:
        self._sim, self._space = sim, vars(sim.composition.namespace)
        self._run, sim.state.run = sim.state.run, self._watched

    def _watched(self, events: int) -> int:
        self._charge = self._space["charge_issue"]
        with patch.dict(self._space, charge_issue=self._issue):
            return self._run(events)

    def _issue(self, S: Any, w: int, g: int, s: int, n: int, lanes: int, t: int) -> int:
        first = int(self._sim.state.rows["seg"][s]["first_pc"])
        for pc in range(first, first + n):
            entries = "".join(self._entries(S, g, pc))
            self.issued.append(f"{8 * pc:02x} {self._mask(S, g)}{entries}")
        return self._charge(S, w, g, s, n, lanes, t)

    def _entries(self, S: Any, g: int, pc: int) -> Iterator[str]:
        rows = self._sim.state.rows
        v = int(rows["group"][g]["warp"])
        for e in range(v * S.entries, v * S.entries + int(rows["warp"][v]["depth"])):
            sides = []
            for i in (2 * e + 1, 2 * e):
                s = self._space["side_pc"](S, i)
                at = pc if rows["side"][i]["group"] == g else int(rows["seg"][s]["first_pc"])
                mask = self._lanes(S, int(rows["side"][i]["mask"]))
                sides.append(f"{8 * at:02x}/{mask}")
            yield f" {{{sides[0]},{sides[1]},{'NT'[int(rows['pair'][e]['current'])]}}}"

    def _mask(self, S: Any, g: int) -> str:
        return self._lanes(S, int(self._sim.state.rows["group"][g]["mask"]))

    def _lanes(self, S: Any, mask: int) -> str:
        return "".join("1" if mask >> lane & 1 else "0" for lane in range(S.width))
