"""Which group is picked: first in first out, and a preference for another warp (DWS 4.5)."""

from __future__ import annotations

from typing import Any

import pytest

from simtlab.isa.errors import UsageError
from simtlab.timing.compiler.compose import compose
from simtlab.timing.compiler.engine_state import EngineState
from simtlab.timing.compiler.files import configured, files_of, find
from simtlab.timing.engine.causes import HIT, MEMORY, READY
from simtlab.timing.machines.machine import load


class Picker:
    """Groups on one WPU of four warps, made and picked by the engine's own functions."""

    def __init__(self, scheduler: str, **fields: Any) -> None:
        machine = load("toy", {"memory": "ideal", "slots": 8, "scheduler": scheduler, **fields})
        policy = find("dws.revive-split")
        machine = configured(machine, policy)
        self.space = compose(files_of(machine, policy), plain=True).namespace
        state = EngineState(compose(files_of(machine, policy), plain=True), machine)
        state.rows["slot"]["group"] = -1
        self.state, self.S = state, state.S

    def ready(self, warp: int, t: int, cause: int = READY, lanes: int = 1) -> int:
        """Make a group of `warp` that is ready at t."""
        g = self.space.new_group(self.S, warp, lanes, 0)
        assert self.space.schedule(self.S, 0, g) == 1
        self.space.wake(self.S, g, t, cause)
        return g

    def picks(self, t: int, n: int) -> list[int]:
        """Pick n times at t; a group that was picked waits for its data then."""
        found = []
        for _ in range(n):
            g = self.space.pick(self.S, 0, t)
            found.append(g)
            self.state.rows["wpu"][0]["last"] = self.state.rows["group"][g]["warp"]
            self.space.park(self.S, g, MEMORY)
        return found


def test_the_ready_queue_is_first_in_first_out():
    queue = Picker("fifo")
    late = queue.ready(0, 9)
    early = queue.ready(3, 5)
    other = queue.ready(0, 7)  # a split of warp 0, resumed before its other part
    assert queue.picks(10, 3) == [early, other, late]


def test_groups_that_are_queued_in_the_same_cycle():
    queue = Picker("fifo")
    resumed = queue.ready(0, 5, MEMORY)
    hit = queue.ready(2, 5, HIT)
    lower = queue.ready(1, 5, HIT)
    assert queue.picks(5, 3) == [lower, hit, resumed]


@pytest.mark.parametrize("scheduler", ["fifo", "rr", "swf"])
def test_another_warp_goes_first_if_one_is_ready(scheduler):
    def order(**fields: Any) -> list[int]:
        machine = Picker(scheduler, **fields)
        splits = [machine.ready(0, 1), machine.ready(0, 1)]
        other = machine.ready(1, 2)
        return [(*splits, other).index(g) for g in machine.picks(4, 3)]

    assert order() == [0, 1, 2]  # both splits of warp 0, then warp 1
    assert order(other_warp_first=True) == [0, 2, 1]


def test_the_order_of_three_warps_with_splits():
    machine = Picker("fifo", other_warp_first=True)
    machine.state.rows["wpu"][0]["last"] = 3
    a, b = machine.ready(0, 1), machine.ready(0, 2)
    c, d = machine.ready(1, 3), machine.ready(1, 4)
    # 0 first; then 1 although the split b is older; then b; then d.
    assert machine.picks(5, 4) == [a, c, b, d]


def test_a_group_of_the_same_warp_is_picked_if_no_other_one_is_ready():
    machine = Picker("rr", other_warp_first=True)
    a, b = machine.ready(0, 1), machine.ready(0, 1)
    machine.ready(1, 100)
    assert machine.picks(5, 2) == [a, b]


@pytest.mark.parametrize("scheduler", ["gto", "lrr", "two-level"])
def test_schedulers_that_have_an_order_of_warps_do_not_take_it(scheduler):
    with pytest.raises(UsageError, match=f"for the schedulers fifo, rr, swf, not {scheduler}"):
        load("dws", {"scheduler": scheduler, "other_warp_first": "true"})
