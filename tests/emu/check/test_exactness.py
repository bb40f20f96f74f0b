"""The shadow memory finds the race of a location if and only if full vector clocks do.

Random histories: loads, stores and atomics of several lanes at a time, barriers and fences.
"""

from __future__ import annotations

import random
from types import SimpleNamespace

import numpy as np
import pytest

from simtlab.emu.check.clocks import Clocks
from simtlab.emu.check.order import Order
from simtlab.emu.check.races import Races, Touch
from simtlab.emu.check.shadow import Shadow
from simtlab.emu.check.timeline import Timeline

from .support.naive import Naive

Array = np.ndarray


class Recorded(Races):
    """Races that are kept as lanes, not as findings."""

    found: set[int]

    def _report(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, t: Touch, action: str, found: Array, *rest: object
    ) -> None:
        self.found |= set((found // t.times).tolist())


class History:
    """The checker's view and the naive one of the same launch."""

    def __init__(self, groups: int, size: int, cells: int, *, local: bool, fences: bool) -> None:
        self.naive = Naive(groups, size)
        self.size = size
        self.timeline = Timeline()
        self.clocks = Clocks(size) if fences else None
        floor = self.timeline.begin(None, size)  # pyright: ignore[reportArgumentType]
        self.order = Order(floor, size, self.clocks)
        log = SimpleNamespace(wants_unread=False)
        self.races = Recorded(None, log, self.timeline, self.order)  # pyright: ignore
        self.shadow = Shadow(1, cells * 4, 4, is_local=local, given=True)
        self.floors = np.full(groups * size, self.timeline.floor)
        self.elements = np.zeros(cells, np.uint32)
        self.spoilt: set[int] = set()
        """Cells that had a race: what is found there later is not promised."""

    def access(self, kind: str, pairs: list[tuple[int, int]]) -> None:
        """Let work-items access cells in one instruction, and compare both views."""
        items = np.array([item for item, _ in pairs])
        index = np.array([cell for _, cell in pairs])
        me = items + self.timeline.tick(0)
        touch = Touch.of(
            self.shadow, self.elements, index, 4, me, self.floors[items], slice(None)
        )  # fmt: skip
        self.races.found = set()
        values = np.arange(items.size, dtype=np.uint32)
        if kind == "load":
            self.races.load(touch)
        elif kind == "store":
            self.races.store(touch, values)
            self.elements[index] = values
            self.races.collisions(touch, values)
        else:
            if self.clocks is not None:
                wrote = np.ones(items.size, bool)
                self.clocks.atomics(1, items, 4 * index, wrote, returns=True)
            self.races.atomic(touch)
        found = {pairs[lane][1] for lane in self.races.found}
        expected = set()
        for item, cell in pairs:
            if kind == "atomic" and self.clocks is not None:
                self.naive.synchronise(item, cell)
            if self.naive.races(kind, item, cell):
                expected.add(cell)
        assert found - self.spoilt == expected - self.spoilt, (kind, pairs)
        self.spoilt |= expected

    def barrier(self, group: int) -> None:
        self.floors[group * self.size : (group + 1) * self.size] = self.timeline.floor
        if self.clocks is not None:
            self.clocks.barrier(group)
        self.naive.barrier(group)

    def fence(self, item: int) -> None:
        now = self.timeline.tick(0)
        assert self.clocks is not None
        self.clocks.fence(np.array([item]), now, self.floors[[item]])
        self.naive.fence(item)


def pass_a_message(history: History, rng: random.Random, cells: int) -> None:
    """Store, fence, atomic; atomic, barrier, load: most of it, by work-items that may be others."""
    everyone = range(history.floors.size)
    sender, receiver = rng.choice(everyone), rng.choice(everyone)
    group = receiver // history.size
    reader = rng.choice([receiver, group * history.size + rng.randrange(history.size)])
    data, flag = rng.randrange(cells // 2, cells), rng.randrange(cells // 2)
    parts = [
        lambda: history.access("store", [(sender, data)]),
        lambda: history.fence(sender),
        lambda: history.access("atomic", [(sender, flag)]),
        lambda: history.access("store", [(sender, flag)]),
        lambda: history.access("atomic", [(receiver, flag)]),
        lambda: history.barrier(group),
        lambda: history.access(rng.choice(["load", "store"]), [(reader, data)]),
    ]
    chances = (1, 0.9, 0.9, 0.2, 0.9, 0.7, 1)
    for part, chance in zip(parts, chances, strict=True):
        if rng.random() < chance:
            part()


@pytest.mark.parametrize("fences", [False, True])
@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_a_race_is_found_if_and_only_if_there_is_one(seed: int, local: bool, fences: bool) -> None:
    rng = random.Random(f"{seed} {local} {fences}")
    groups, size = (1 if local else rng.choice((1, 2, 3))), rng.choice((2, 3, 5))
    cells = rng.choice((2, 4, 12, 40))
    history = History(groups, size, cells, local=local, fences=fences)
    # Mostly loads, and stores mostly to cells of one's own, so that histories stay long.
    kinds = rng.choice((["load"] * 6 + ["store"], ["load", "store"], ["load", "load", "atomic"]))
    kinds = [*kinds, *(["atomic"] * 3 if fences else [])]
    for _ in range(150):
        what = rng.random()
        if what < 0.2:
            history.barrier(rng.randrange(groups))
        elif what < 0.3 and fences:
            pass_a_message(history, rng, cells)
        elif what < 0.4 and fences:
            history.fence(rng.randrange(groups * size))
        else:
            kind = rng.choice(kinds)
            items = sorted(rng.sample(range(groups * size), rng.randint(1, groups * size)))
            items = items if kind == "load" else items[: rng.choice((1, 1, 1, len(items)))]
            pool = range(cells // 2) if kind == "atomic" else range(cells)
            history.access(kind, [(item, rng.choice(pool)) for item in items])


def test_histories_have_cells_with_and_without_a_race() -> None:
    """A barrier between a store and a load of another work-item; then none."""
    history = History(1, 4, 4, local=True, fences=False)
    history.access("store", [(0, 0), (1, 1)])
    history.barrier(0)
    history.access("load", [(1, 0), (2, 0), (3, 1)])
    assert not history.spoilt
    history.access("store", [(1, 0)])
    assert history.spoilt == {0}
