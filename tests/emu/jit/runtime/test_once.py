"""Results that threads share."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

from simtlab.emu.jit.runtime.once import Once


def test_threads_wait_for_one_result() -> None:
    made: list[object] = []
    asked, seen = Barrier(4), Event()

    def make(_key: int) -> object:
        seen.wait(0.05)  # the other threads ask meanwhile
        made.append(object())
        return made[-1]

    once = Once(make)

    def ask(_number: int) -> object:
        asked.wait()
        return once(1)

    assert not once.is_made
    with ThreadPoolExecutor(4) as pool:
        found = set(pool.map(ask, range(4)))
    assert found == set(made)
    assert len(made) == 1
    assert once(2) is made[1]
    once.forget()
    assert not once.is_made
