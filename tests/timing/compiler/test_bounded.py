"""Loops of a user's engine files that do not end: an error with the line, not a hang."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import simtlab
from simtlab.timing.compiler import bounded
from simtlab.timing.compiler.files import find
from simtlab.timing.machines import machine as machines
from simtlab.timing.simulation.failures import SimulationError
from simtlab.timing.simulation.simulator import Simulator

from ..support.kernels import INCREMENT

POLICY = """\
from simtlab.timing.engine.intrinsics import device
EXTENDS = ("policy/lockstep", "policy/conv")
@device
def on_memory_pc(S, w, g, t):
    \"\"\"Be called at each access.\"\"\"
{body}
    return 0
"""
RANK = POLICY.replace("EXTENDS", "# not").replace("on_memory_pc", "rank")
ENDS = """\
    left = 1
    while left < 4:
        left += 1
        if left == 2:
            continue
        if left == w + 100:
            break
    else:
        left = 0
    while left < 1:
        left += 1
"""
ENDLESS = """\
    while t >= 0:
        while S.launch == 1:
            w += 1
        t = -1
    while w > 0:
        w = 0
"""
SEARCHES = """\
    while search(S, w) == 0:
        t += 1
    return 0
@device
def search(S, w, /):
    while w >= 0:
        w += 1
"""
NESTED = """\
    def search(n):
        while n > 0:
            n -= 1
        return n
    while search(t) > 0:
        t += 1
"""
TRAPS = "kernel k() {\n trap 3\n}"

Make = Callable[..., Simulator]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """A machine whose policy, and whose scheduler, have these statements in their hook."""
    monkeypatch.setattr(bounded, "MOST_TURNS", 10_000)

    def made(body: str, order: str = "", *, plain: bool = True, checked: bool = False) -> Simulator:
        policy, scheduler = tmp_path / "mine.py", tmp_path / "order.py"
        policy.write_text(POLICY.format(body=body))
        scheduler.write_text(RANK.format(body=order))
        fields = {"scheduler": str(scheduler)} if order else {}
        machine = machines.load("toy", fields)
        return Simulator(machine, find(str(policy)), plain=plain, checked=checked)

    return made


def error_of(simulator: Simulator, text: str = INCREMENT) -> str:
    """The message for a launch, "" if it ends."""
    (kernel,) = simtlab.assemble(text)
    arrays = [np.zeros(8, np.uint32)] * (text == INCREMENT)
    try:
        kernel.launch(items=8, group_size=4).run_by(simulator.run, *arrays)
    except (SimulationError, simtlab.Trap) as error:
        return str(error)
    return ""


def test_loops_that_end_change_nothing(make: Make) -> None:
    simulators = [make("    pass"), make(ENDS), make(ENDS, plain=False), make(NESTED)]
    assert [error_of(simulator) for simulator in simulators] == [""] * 4
    assert len({simulator.cycles for simulator in simulators}) == 1


@pytest.mark.parametrize(
    "how", [{"plain": True}, {"plain": False}, {"plain": False, "checked": True}]
)
def test_the_first_loop_that_does_not_end_is_named_and_later_launches_run(how, make: Make) -> None:
    """Native code hears no Ctrl-C. Loops around it and after it give up, too, without a mention."""
    simulator = make(ENDLESS, "    while w < 0:\n        while t < 0:\n            t = 0\n", **how)
    found = error_of(simulator)
    assert "SIM442" in found
    assert "kernel increment: the loop of mine.py:7 does not end (cycle " in found
    assert error_of(simulator) == ""
    assert "trap 3" in error_of(simulator, TRAPS)


def test_a_loop_in_a_scheduler_is_told_from_one_at_the_same_line_of_a_policy(make: Make) -> None:
    endless = "    while S.launch == 1:\n        w += 1\n"
    simulator = make(endless.replace("==", "<"), endless)
    for file in simulator.files[-2:]:
        Path(file).unlink(missing_ok=True)  # nothing depends on what is on disk by now
    assert "the loop of order.py:6 does not end" in error_of(simulator)


def test_a_function_that_gives_up_takes_no_turn_when_it_is_called_again(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The square of the turns would take hours."""
    monkeypatch.setattr(bounded, "MOST_TURNS", 1 << 18)
    assert "the loop of mine.py:11 does not end" in error_of(make(SEARCHES))
