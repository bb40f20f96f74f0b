"""Native code looks up the arguments of a prepared launch, and runs what Python would have run."""

from __future__ import annotations

import gc
import pickle
import sys
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab import Device, Trap
from simtlab.emu.jit.launch import again, direct
from simtlab.emu.launch import Launch
from simtlab.emu.result import Result

from ..support.short_launches import PROGRAM, N, scale, short, shorter

pytestmark = pytest.mark.skipif(not direct.is_supported(), reason="another Python")

TYPES = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f32", "f64")
KINDS = {"u": "uint", "s": "int", "f": "float"}


@pytest.fixture(autouse=True)
def every_call_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is."""
    short(monkeypatch, 1e9)


def known(launch: Launch, *args: object) -> Any:
    """Launch until native code knows the arguments; return the function."""
    for _ in range(3):
        launch(*args)
    run = shorter(launch).native
    assert run(args) is not None
    return run


def one_number(type_: str) -> str:
    store = "u32" if type_[1:] in ("8", "16") else type_
    register = "$d1" if type_.endswith("64") else "$s1"
    return f"""
    kernel keep_{type_}({type_} %a, global {store}* %x) {{
        ld_kernarg_u64 $d0, [%x]
        ld_kernarg_{type_} {register}, [%a]
        st_global_{store} {register}, [$d0]
        ret
    }}"""


@pytest.mark.parametrize("type_", TYPES)
def test_numbers_of_every_type(type_: str) -> None:
    program, device = simtlab.assemble(one_number(type_)), Device()
    launch = program[f"keep_{type_}"].launch(groups=1, group_size=1)
    dtype = np.dtype(f"{KINDS[type_[0]]}{type_[1:]}")
    out = device.zeros(1, np.dtype("uint32") if dtype.itemsize < 4 else dtype)
    if dtype.kind == "f":
        values = [1.0, -0.0, 0.1, 3e38, 1e-45, float("inf"), float("nan"), -2.5]
        own, others = dtype.type(1), [7, True, "7"]
    else:
        info = np.iinfo(dtype)
        values = [1, int(info.min), int(info.max), 0, 77]
        own, others = dtype.type(1), [int(info.min) - 1, int(info.max) + 1, 1.0, True]
    for first in (values[0], own):
        run = known(launch, first, out)
        for value in values:
            given = value if type(first) in (int, float) else dtype.type(value)
            if run((given, out)) is None:
                launch(given, out)
            expected = np.array([value], dtype)
            if dtype.itemsize < 4:
                expected = expected.astype(np.int64).astype(np.uint32)
            np.testing.assert_array_equal(out.to_host(), expected)
        for value in others:
            assert run((value, out)) is None
        # The first number again, whose place has had others since.
        assert run((first, out)) is not None
        np.testing.assert_array_equal(out.to_host().astype(np.float64), 1)


def test_other_arguments_are_left_to_python() -> None:
    device, launch = Device(), scale()
    x, y, z = (device.zeros(N, np.float32) for _ in "xyz")
    run = known(launch, N, 1.0, 0, x, y)
    for args in ((), (N, 1.0, 0, x), (N, 1.0, 0, x, y, y), (N, 1.0, 0, x, z), (N, 1.0, 0, y, x)):
        assert run(args) is None
    references = sys.getrefcount(None)
    for _ in range(1000):
        run((N, 1.0, 0, x, z))
        run((N, "1", 0, x, y))
    assert abs(sys.getrefcount(None) - references) < 100
    with pytest.raises(TypeError):
        run()


def test_buffers_that_change_are_looked_up_again() -> None:
    device, launch = Device(), scale()
    x, y = (device.zeros(N, np.float32) for _ in "xy")
    run = known(launch, N, 1.0, 0, x, y)
    device.zeros(N, np.float32)
    assert run((N, 1.0, 0, x, y)) is None
    run = known(launch, N, 1.0, 0, x, y)
    y.free()
    assert run((N, 1.0, 0, x, y)) is None
    with pytest.raises(Trap, match="freed"):
        launch(N, 1.0, 0, x, y)


def test_an_array_in_the_place_of_one_that_has_ended() -> None:
    """It may have the same address in Python as the one before."""
    device, launch = Device(), scale()
    x = device.to_device(np.arange(N, dtype=np.float32))
    gone = []
    for turn in range(20):
        y = device.zeros(N, np.float32)
        known(launch, N, 1.0, turn, x, y)
        np.testing.assert_array_equal(y.to_host(), x.to_host() + turn)
        gone.append(weakref.ref(y))
        del y
        gc.collect()
    assert not any(reference() for reference in gone)


def test_traps_come_with_their_work_item_and_time() -> None:
    device, launch = Device(), scale()
    x, y = device.zeros(N, np.float32), device.zeros(20, np.float32)
    known(launch, 20, 1.0, 0, x, y)
    for _ in range(2 * again.MOST_ENTRIES):
        with pytest.raises(Trap) as caught:
            launch(N, 1.0, 0, x, y)
        assert caught.value.record.local == 4
        assert caught.value.record.group == 1
        assert caught.value.seconds > 0
        known(launch, 20, 1.0, 0, x, y)


def test_threads_do_not_share_an_entry() -> None:
    device, launch = Device(), scale()
    x = device.to_device(np.arange(N, dtype=np.float32))
    wrong: list[int] = []

    def work(number: int) -> None:
        y = device.zeros(N, np.float32)
        for turn in range(300):
            launch(N, 1.0, number, x, y)
            if not np.array_equal(y.to_host(), x.to_host() + number):
                wrong.append(turn)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_without_the_interface_python_looks_them_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(again, "is_supported", lambda: False)
    device, launch = Device(), scale()
    x, y = device.to_device(np.ones(N, np.float32)), device.zeros(N, np.float32)
    for turn in range(5):
        launch(N, 1.0, turn, x, y)
        assert y.to_host()[3] == 1 + turn
    assert shorter(launch)._direct is None


def test_it_is_made_once_arguments_are_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that launches once need not compile its code."""
    made: list[direct.Direct] = []

    class Noted(direct.Direct):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            made.append(self)

    monkeypatch.setattr(again, "Direct", Noted)
    short(monkeypatch, 1e9)
    device, launch = Device(), scale()
    x, y = device.to_device(np.ones(N, np.float32)), device.zeros(N, np.float32)
    for turn in range(5):
        launch(N, 1.0, turn, x, y)
        assert y.to_host()[3] == 1 + turn
        assert len(made) == (turn >= 2)
    assert type(shorter(launch).native((N, 1.0, 4, x, y))) is Result


def test_results_are_those_that_python_makes() -> None:
    device, launch = Device(), scale()
    x, y = (device.zeros(N, np.float32) for _ in "xy")
    first = launch(N, 1.0, 0, x, y)
    run = known(launch, N, 1.0, 0, x, y)
    made = run((N, 1.0, 0, x, y))
    assert type(made) is Result
    assert 0 < made.host_seconds < 10
    assert made == first.again(made.host_seconds)
    assert pickle.loads(pickle.dumps(made)) == made
    assert {made, first} == {first, made}


def test_results_are_freed_and_keep_nothing_alive() -> None:
    device, launch = Device(), scale()
    x, y = (device.zeros(N, np.float32) for _ in "xy")
    run = known(launch, N, 1.0, 0, x, y)
    kept = (launch._prepared.result.launched, None, Result)
    gc.collect()
    before = [sys.getrefcount(of) for of in kept]
    results = [run((N, 1.0, 0, x, y)) for _ in range(1000)]
    seconds = [result.host_seconds for result in results]
    del results
    gc.collect()
    assert all(abs(sys.getrefcount(of) - n) < 100 for of, n in zip(kept, before, strict=True))
    assert min(seconds) > 0


def test_python_makes_them_where_a_result_is_laid_out_in_another_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(direct, "_places", lambda: None)
    device, launch = Device(), scale()
    x, y = (device.zeros(N, np.float32) for _ in "xy")
    run = known(launch, N, 1.0, 0, x, y)
    assert type(run((N, 1.0, 0, x, y))) is float
    assert type(launch(N, 1.0, 0, x, y)) is Result


def test_seconds_of_a_long_launch_are_left_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    device, launch = Device(), scale()
    x, y = (device.zeros(N, np.float32) for _ in "xy")
    short(monkeypatch, 1e9)
    run = known(launch, N, 1.0, 0, x, y)
    quick = shorter(launch)
    quick._direct._book[direct.LIMIT] = 0
    quick._limit = 0.0
    assert type(run((N, 1.0, 0, x, y))) is float
    launch(N, 1.0, 0, x, y)
    assert shorter(launch) is None


def brief(launch: Launch, *args: object) -> tuple[int, int]:
    """Return up to how many nanoseconds calls keep Python's lock, and those of the last one."""
    known(launch, *args)
    book = shorter(launch)._direct._book
    first = direct.HEAD + direct.PER_PARAM * book[0]
    return book[direct.BRIEF], book[first + direct.SPENT]


def test_calls_that_are_brief_keep_the_lock() -> None:
    """Not those with loops, which may take any time, and atomics, which may wait."""
    device = Device()
    x, y = device.to_device(np.ones(N, np.float32)), device.zeros(N, np.float32)
    most, spent = brief(scale(), N, 2.0, 3, x, y)
    assert most == direct.MOST_BRIEF
    assert spent > 0
    total = device.zeros(1, np.uint32)
    turning = PROGRAM["turn"].launch(items=1, group_size=1)
    assert brief(turning, 3, total)[0] == 0
    adding = simtlab.assemble(
        """kernel add(global u32* %x) {
            ld_kernarg_u64 $d0, [%x]
            mov_u32 $s0, 1
            atomic_add_global_u32 [$d0], $s0
            ret
        }"""
    )
    assert brief(adding["add"].launch(items=1, group_size=1), total)[0] == 0


def test_calls_that_may_take_long_with_other_arguments_do_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    device = Device()
    x, y = device.to_device(np.ones(N, np.float32)), device.zeros(N, np.float32)
    assert brief(scale(), 0, 2.0, 3, x, y)[0]
    monkeypatch.setattr(direct, "MOST_EXECUTED", N)
    assert not brief(scale(), 0, 2.0, 3, x, y)[0]


def test_a_brief_call_may_trap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct, "MOST_BRIEF", 1 << 40)
    device, launch = Device(), scale()
    x, y = device.to_device(np.ones(N, np.float32)), device.zeros(N, np.float32)
    small = device.zeros(N // 2, np.float32)
    for target in (y, small, y, small):
        for _ in range(3):
            if target is small:
                with pytest.raises(Trap):
                    launch(N, 2.0, 3, x, target)
            else:
                launch(N, 2.0, 3, x, target)
    np.testing.assert_array_equal(y.to_host(), np.full(N, 5, np.float32))
