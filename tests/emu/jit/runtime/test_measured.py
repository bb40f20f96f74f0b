"""Measurements that decide how code is generated: what is clear, what is kept. By a fake clock."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from simtlab.emu.jit.llvm.cache import FOLDER_VARIABLE
from simtlab.emu.jit.runtime.measured import BLOCKS, MOST_BLOCKS, Gain, compared, kept

TURNS = 4
LIMIT = 1.15
BUSY = 50.0
"""Seconds that something else runs during a call."""


class Host:
    """A host on which the second call takes a second, and the first as long as a block says."""

    def __init__(self, gains: Callable[[int], float], *, slower: Callable[[int], float]) -> None:
        self.now, self.turns = 0.0, 0
        self._gains, self._slower = gains, slower

    def first(self, turn: int) -> None:
        """Pass the time of the first call."""
        self.turns += 1
        self.now += self._slower(turn) * self._gains(turn // TURNS)

    def second(self, turn: int) -> None:
        """Pass the time of the second call."""
        self.now += self._slower(turn)


def blocks_and_gain(
    gains: Callable[[int], float],
    slower: Callable[[int], float] = lambda _: 1.0,
    limits: tuple[float, ...] = (LIMIT,),
    factor: float = 1.0,
) -> tuple[int, Gain]:
    """Return how many blocks are measured, and what they show."""
    host = Host(gains, slower=slower)
    found = compared(
        host.first,
        host.second,
        turns=TURNS,
        limits=limits,
        factor=factor,
        clock=lambda: host.now,
    )
    assert host.turns % TURNS == 0
    return host.turns // TURNS, found


@pytest.mark.parametrize("gain", [0.5, 1.0, 1.5])
def test_few_blocks_show_what_is_far_from_the_limit(gain: float) -> None:
    blocks, found = blocks_and_gain(lambda _: gain)
    assert (blocks, found.is_clear) == (BLOCKS, True)
    assert found.value == pytest.approx(gain)


@pytest.mark.parametrize("gain", [LIMIT, LIMIT * 1.04, LIMIT / 1.04])
def test_more_blocks_leave_a_doubt_near_the_limit(gain: float) -> None:
    blocks, found = blocks_and_gain(lambda _: gain)
    assert (blocks, found.is_clear) == (MOST_BLOCKS, False)


def test_the_least_turn_of_a_block_counts() -> None:
    quiet = blocks_and_gain(lambda _: 1.5)
    busy = blocks_and_gain(lambda _: 1.5, lambda turn: 1.0 if turn % TURNS == 2 else BUSY)
    assert busy[0] == quiet[0]
    assert busy[1].is_clear
    assert busy[1].value == pytest.approx(quiet[1].value)


def test_pairs_of_one_block_are_compared() -> None:
    """A host that becomes slower, block by block, changes no ratio."""
    blocks, found = blocks_and_gain(lambda _: 1.5, lambda turn: 1.0 + turn // TURNS)
    assert (blocks, found.is_clear) == (BLOCKS, True)
    assert found.value == pytest.approx(1.5)


@pytest.mark.parametrize("odd", [0.2, BUSY])
def test_one_odd_block_of_five_does_not_count(odd: float) -> None:
    blocks, found = blocks_and_gain(lambda block: odd if block == 1 else 1.5)
    assert (blocks, found.is_clear) == (BLOCKS, True)
    assert found.value == pytest.approx(1.5)


def test_later_blocks_resolve_a_doubt() -> None:
    blocks, found = blocks_and_gain(lambda block: 1.0 if block < 2 else 1.5)
    assert BLOCKS < blocks <= MOST_BLOCKS
    assert found.is_clear
    assert found.value == pytest.approx(1.5)


def test_blocks_on_both_sides_leave_a_doubt() -> None:
    blocks, found = blocks_and_gain(lambda block: 1.0 if block % 3 == 0 else 1.5)
    assert (blocks, found.is_clear) == (MOST_BLOCKS, False)


@pytest.mark.parametrize(("gain", "is_clear"), [(20, True), (42, False), (45, True), (90, True)])
def test_each_limit_counts_after_the_factor(gain: float, is_clear: bool) -> None:
    _, found = blocks_and_gain(lambda _: gain / 32, limits=(42, 48), factor=32)
    assert found.value == pytest.approx(gain)
    assert found.is_clear is is_clear


def test_calls_without_a_time_divide_by_nothing() -> None:
    _, found = blocks_and_gain(lambda _: 1.0, lambda _: 0.0)
    assert found == Gain(1.0, is_clear=True)


def decided(measure: Callable[[], Gain]) -> int:
    """Return what a process decides."""
    return kept("a test", measure, lambda value: int(value > LIMIT), default=7)


def test_what_two_processes_find_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "cache"))
    gains = [1.0, 1.5, 1.0, 1.5, 1.6]
    assert [decided(lambda gain=gain: Gain(gain)) for gain in gains] == [0, 1, 0, 1, 1]
    assert decided(lambda: pytest.fail("measured once more")) == 1


def test_a_doubt_is_not_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "cache"))
    for gain, is_clear, result in (
        (1.5, False, 7),
        (1.5, True, 1),
        (1.0, False, 7),
        (1.5, True, 1),
    ):
        assert decided(lambda gain=gain, is_clear=is_clear: Gain(gain, is_clear)) == result
    assert decided(lambda: pytest.fail("measured once more")) == 1


def test_the_median_decides_on_doubt_without_a_default(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "cache"))

    def found(gain: float) -> int:
        return kept("a doubt", lambda: Gain(gain, is_clear=False), lambda v: int(v > LIMIT))

    assert [found(gain) for gain in (1.5, 1.0, 1.5, 1.5, 1.0)] == [1, 0, 1, 1, 0]
