"""Plans of wide accesses and shuffles, carried out on lists of numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from simtlab.emu.jit.kernel.memory.shuffles.routes import LANES, Route, route, rows, windows

FLAT = np.arange(256)
TILES = {
    "down the columns of 16 x 17": FLAT % 16 * 17 + FLAT // 16,
    "down the columns of 32 x 33": FLAT % 32 * 33 + FLAT // 32,
    "backwards": 255 - FLAT,
    "every second one": 2 * FLAT,
    "every third one": 3 * FLAT + 5,
    "pairs swapped": FLAT ^ 1,
    "one for all": 0 * FLAT,
    "one for each row": FLAT // 16 * 20,
    "rows of a cube": FLAT % 8 + FLAT // 64 * 64,
}


def carried_out(plan: Route, given: Sequence[Sequence[int | None]]) -> list[list[int | None]]:
    """The results of a plan: what its shuffles make of the given vectors."""
    vectors = [list(v) for v in given]
    for step in plan.shuffles:
        both = [*vectors[step.first], *vectors[step.second]]
        vectors.append([None if i is None else both[i] for i in step.order])
    return [vectors[number] for number in plan.results]


def loaded(found: Sequence[tuple[int, int]]) -> list[list[int | None]]:
    return [[first + i if i < n else None for i in range(LANES)] for first, n in found]


@pytest.mark.parametrize("name", TILES)
def test_each_lane_gets_its_element(name: str):
    elements = [int(x) for x in TILES[name]]
    given = loaded(rows(elements))
    wanted = [elements[at : at + LANES] for at in range(0, len(elements), LANES)]
    assert carried_out(route(given, wanted), given) == wanted


@pytest.mark.parametrize("seed", range(20))
def test_each_lane_gets_any_element(seed: int):
    rng = np.random.default_rng(seed)
    lanes = int(rng.choice([16, 32, 64, 128]))
    elements = [int(x) for x in rng.integers(0, rng.integers(1, 300), lanes)]
    for found in (rows(elements), windows(elements, exact=False), windows(elements, exact=True)):
        given = loaded(found)
        wanted = [elements[at : at + LANES] for at in range(0, lanes, LANES)]
        assert carried_out(route(given, wanted), given) == wanted


def test_a_tile_is_transposed_by_a_butterfly():
    elements = [int(x) for x in TILES["down the columns of 16 x 17"]]
    found = rows(elements)
    assert found == [(17 * row, 16) for row in range(16)]
    wanted = [elements[at : at + LANES] for at in range(0, 256, LANES)]
    assert len(route(loaded(found), wanted).shuffles) == 64


def test_neighbours_need_no_shuffle():
    elements = list(range(64))
    found = rows(elements)
    wanted = [elements[at : at + LANES] for at in range(0, 64, LANES)]
    plan = route(loaded(found), wanted)
    assert (found, plan.shuffles, plan.results) == (
        [(0, 16), (16, 16), (32, 16), (48, 16)],
        [],
        [0, 1, 2, 3],
    )


@pytest.mark.parametrize("seed", range(20))
def test_exact_windows_have_each_element_once(seed: int):
    rng = np.random.default_rng(seed)
    elements = {int(x) for x in rng.integers(0, 200, 80)}
    found = windows(list(elements), exact=True)
    covered = [first + i for first, n in found for i in range(n)]
    assert sorted(covered) == sorted(elements)
    assert all(n in (1, 2, 4, 8, 16) for _, n in found)


@pytest.mark.parametrize("seed", range(20))
def test_windows_have_all_elements(seed: int):
    rng = np.random.default_rng(seed)
    elements = {int(x) for x in rng.integers(0, 200, 40)}
    for found in (windows(list(elements), exact=False), rows(list(elements))):
        covered = {first + i for first, n in found for i in range(n)}
        assert elements <= covered
        assert max(covered) - max(elements) < LANES
        assert min(covered) == min(elements)
