"""Calls that mix up options and arguments, or a kernel and a launch, have errors of ours."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.timing.simulate import simulate as simulate_kernel

program: Any = simtlab.assemble("kernel k(u32 %n, global u32* %x) {\n    ret\n}\n")
lab: Any = simtlab
k = program.k
x = np.zeros(4, np.uint32)

BY_NAME: dict[str, Callable[[], object]] = {
    "kernel.time takes its options by name, not ": lambda: k.time(x),
    "kernel.launch takes its options by name, not 1": lambda: k.launch(1, 32),
    "simtlab.simulate takes its options by name, not 'dws'": lambda: lab.simulate(k, "dws"),
    "simtlab.record takes its options by name, not ": lambda: lab.record(k, x),
    "simtlab.compare takes its options by name, not 'dws'": lambda: lab.compare(k, "conv", "dws"),
    "simtlab.compare lacks policies": lambda: lab.compare(k),
    "simtlab.simulate lacks kernel": lambda: lab.simulate(),
}

UNKNOWN: dict[str, tuple[Callable[[], object], str]] = {
    "simtlab.simulate has no option 'item'": (lambda: lab.simulate(k, item=4), "`items`"),
    "simtlab.simulate has no option 'sets'": (lambda: k.time(sets={}), "`set`"),
    "kernel.launch has no option 'grid'": (lambda: k.launch(grid=4), "it has groups, group_size"),
    "simtlab.record has no option 'group'": (lambda: lab.record(k, group=1), "`groups`"),
}

ATTRIBUTES: dict[str, tuple[Callable[[], object], str]] = {
    "time": (lambda: k[1, 32].time, "program.k.time(groups=1, group_size=32)(arguments)"),
    "launch": (lambda: k[(2, 3), 4].launch, "launch(groups=(2, 3, 1), group_size=4)(arguments)"),
    "run": (lambda: k[1, 32].run, "it is called with the arguments of the kernel"),
    "run of a kernel": (lambda: k.run, "it is launched as kernel[groups, group_size](arguments)"),
    "any": (lambda: k[1, 32].nonsense, "a launch has no attribute 'nonsense'"),
}


@pytest.mark.parametrize("message", BY_NAME)
def test_options_are_by_name(message: str) -> None:
    with pytest.raises(simtlab.ArgumentError) as found:
        BY_NAME[message]()
    assert message in str(found.value)
    assert "help: " in str(found.value)
    assert "(x, y)" in str(found.value)


@pytest.mark.parametrize("message", UNKNOWN)
def test_an_unknown_option_is_named(message: str) -> None:
    call, hint = UNKNOWN[message]
    with pytest.raises(simtlab.UsageError) as found:
        call()
    assert message in str(found.value)
    assert hint in str(found.value)


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_what_a_launch_does_not_have(name: str) -> None:
    call, hint = ATTRIBUTES[name]
    with pytest.raises(AttributeError) as found:
        call()
    assert hint in str(found.value)


def test_a_mistake_inside_of_a_call_stays_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise TypeError("inside")

    monkeypatch.setattr("simtlab.timing.simulate.load", broken)
    with pytest.raises(TypeError, match="inside"):
        simulate_kernel(k, items=4)


def test_launches_are_copied_and_pickled_as_before() -> None:
    launch = k[1, 4]
    for other in copy.copy(launch), copy.deepcopy(launch), pickle.loads(pickle.dumps(launch)):
        assert other(1, x).geometry == launch.geometry
    assert not hasattr(launch, "_repr_png_")
