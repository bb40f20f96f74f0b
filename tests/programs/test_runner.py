"""Launchers of programs: launches of equal dimensions are prepared once."""

from __future__ import annotations

import numpy as np

from simtlab.asm.assemble import assemble
from simtlab.emu.launch import Launch
from simtlab.emu.module import LAUNCHES_KEPT, Module
from simtlab.programs import find
from simtlab.programs.runner import PlainLauncher


def launches_of(launcher: PlainLauncher, *items: int) -> list[Launch]:
    """Return the launches that the launcher makes for so many work-items each."""
    seen: list[Launch] = []
    launcher.before_launch = seen.append
    x, y = np.zeros(64, np.float32), np.ones(64, np.float32)
    for n in items:
        launcher("saxpy", items=n, group_size=8)(np.float32(2), n, y, x)
    assert x[0] == 2 * len(items)
    return seen


def saxpy() -> PlainLauncher:
    return PlainLauncher(Module(assemble(find("basics/saxpy").path)), engine="interp")


def test_launches_of_equal_dimensions_are_one_launch() -> None:
    first, other, again = launches_of(saxpy(), 32, 64, 32)
    assert first is again
    assert other.geometry.items == (64, 1, 1)
    assert first.geometry.items == (32, 1, 1)


def test_so_many_launches_are_kept() -> None:
    launcher = saxpy()
    for n in range(1, LAUNCHES_KEPT + 3):
        launcher("saxpy", items=n, group_size=8)
    assert len(launcher._launches) <= LAUNCHES_KEPT
