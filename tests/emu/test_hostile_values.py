"""Every public function answers nonsense with one clear error of ours, or does what it says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab import ArgumentError, Device, Module, UsageError
from simtlab.emu.engine import SchemeSpec

from .support.hostile import VALUES, Mute, each_value, must_refuse, refused_or_done

MIXED = """
kernel mixed(f32 %a, u64 %b, s8 %c, f64 %d, global f32* %x) {
    workitemabsid_u32 $s0, 0
    cmp_ge_u32 $c0, $s0, 1
    cbr $c0, @done
    ld_kernarg_u64 $d0, [%x]
    ld_kernarg_f32 $s1, [%a]
    st_global_f32 $s1, [$d0]
@done:
    ret
}
"""

program = simtlab.assemble(MIXED)
mixed = program["mixed"]
launch = mixed.launch(items=1, engine="interp")
x = np.zeros(64, np.float32)


def device() -> Device:
    return Device()


REFUSED: dict[str, Callable[[Any], object]] = {
    "Module": Module,
    "module[name]": lambda v: program[v],
    "kernel[shape]": lambda v: mixed[v],
    "groups": lambda v: mixed.launch(groups=v, group_size=0),
    "launch()": lambda v: mixed.launch(items=v, groups=v),
    "scheme": lambda v: mixed.launch(items=1, scheme=v),
    "SchemeSpec": lambda v: mixed.launch(items=1, scheme=SchemeSpec(v)),
    "knob": lambda v: mixed.launch(items=1, knobs={"first-path": v}),
    "unknown knob": lambda v: mixed.launch(items=1, knobs={"nonsense": v}),
    "engine": lambda v: mixed.launch(items=1, engine="" if v is None else v),  # None: the default
    "generated": lambda v: mixed[1, 1].generated(v),
    "called without dimensions": lambda v: mixed(v, named=v),
    "one argument": lambda v: launch(v),
    "pointer as a number": lambda v: launch(1, 1, 1, 1, int),
    "five by a wrong name": lambda v: launch(1, 1, 1, 1, nonsense=v),
    "engine of assemble": lambda v: simtlab.assemble(MIXED, markers=v),
}
"""Calls that no value of the list makes right."""

OPEN: dict[str, Callable[[Any], object]] = {
    "assemble": lambda v: simtlab.assemble(v),
    "subdivide_limit": lambda v: simtlab.assemble(MIXED, subdivide_limit=v),
    "load": lambda v: simtlab.load(v),
    "kernel[v, 1]": lambda v: mixed[v, 1],
    "kernel[1, v]": lambda v: mixed[1, v],
    "kernel[(v, v), 1]": lambda v: mixed[(v, v), 1],
    "groups": lambda v: mixed.launch(groups=v),
    "items": lambda v: mixed.launch(items=v),
    "group_size": lambda v: mixed.launch(items=1, group_size=v),
    "warp": lambda v: mixed.launch(items=1, warp=v),
    "knobs": lambda v: mixed.launch(items=1, knobs=v),
    "budget": lambda v: mixed.launch(items=1, engine="interp", budget=v)(1, 1, 1, 1, x),
    "budget of the jit": lambda v: mixed.launch(items=1, budget=v)(1, 1, 1, 1, x),
    "budget of the oracle": lambda v: mixed.launch(items=1, engine="oracle", budget=v)(
        1, 1, 1, 1, x
    ),
    "threads": lambda v: mixed.launch(items=1, threads=v)(1, 1, 1, 1, x),
    "stats": lambda v: mixed.launch(items=1, stats=v),
    "exited_arrive": lambda v: mixed.launch(items=1, exited_arrive=v),
    "f32": lambda v: launch(v, 1, 1, 1, x),
    "u64": lambda v: launch(1, v, 1, 1, x),
    "s8": lambda v: launch(1, 1, v, 1, x),
    "f64": lambda v: launch(1, 1, 1, v, x),
    "f32 by name": lambda v: launch(b=1, c=1, d=1, x=x, a=v),
    "pointer": lambda v: launch(1, 1, 1, 1, v),
    "to_device": lambda v: device().to_device(v),
    "to_device name": lambda v: device().to_device(x, v),
    "zeros shape": lambda v: device().zeros(v if v is not VALUES["2^31"] else -5, np.uint8),
    "zeros shapes": lambda v: device().zeros((v, v), np.uint8),
    "zeros dtype": lambda v: device().zeros(2, v),
    "zeros name": lambda v: device().zeros(2, np.uint8, v),
    "empty": lambda v: device().empty((1, v), np.uint8) if v is not VALUES["2^31"] else None,
    "map": lambda v: device().map(v),
    "copy_from": lambda v: device().zeros(2, np.float32).copy_from(v),
}
"""Calls that some values make right."""


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_nonsense_is_refused_in_our_words(call: Callable[[Any], object]) -> None:
    each_value(lambda value: must_refuse(call, value))


@pytest.mark.parametrize("call", OPEN.values(), ids=OPEN)
def test_a_value_is_taken_or_refused_in_our_words(
    call: Callable[[Any], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    each_value(lambda value: refused_or_done(call, value))


@pytest.mark.parametrize("value", [None, "interp", 1, VALUES["broken"]])
def test_an_executor_is_a_function(value: Any) -> None:
    must_refuse(lambda v: launch.run_by(v, 1, 1, 1, 1, x), value)


def test_an_object_file_is_saved_under_a_path_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    each_value(lambda value: refused_or_done(program.save, value))
    assert all(p.suffix == "" and p.stat().st_size > 100 for p in tmp_path.iterdir())


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (10**39, 0, r"argument 1 \(f32 %a\) needs a number from -3\.4.*; it got 10+ \(int\)"),
        (2**128, 0, r"argument 1 \(f32 %a\) needs a number from -3\.4"),
        (1.0, 10**5000, r"argument 2 \(u64 %b\) .*; it got a whole number of 16,610 bits \(int\)"),
        (10**5000, 0, r"argument 1 \(f32 %a\) .*; it got a whole number of 16,610 bits \(int\)"),
        (1.0, np.timedelta64(3), r"argument 2 \(u64 %b\) needs a whole number for u64; it got"),
        (np.timedelta64(3), 0, r"argument 1 \(f32 %a\) needs a number for f32; it got"),
        (1.0, np.array(-1), r"argument 2 \(u64 %b\) needs a whole number from 0 to"),
        (1.0, Mute(), r"argument 2 \(u64 %b\) .*; it got <Mute instance at"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_numbers_that_do_not_fit_are_told_by_parameter(a: Any, b: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        launch(a, b, 0, 0, x)


@pytest.mark.parametrize("value", [float("nan"), np.float16(2), np.array(2.5), 7])
def test_numbers_that_fit_arrive(value: Any) -> None:
    y = np.zeros(1, np.float32)
    for engine in ("jit", "interp", "oracle"):
        mixed.launch(items=1, engine=engine)(value, 2**64 - 1, -128, 1e300, y)
        np.testing.assert_array_equal(y[0], np.float32(value))


def test_a_read_only_mapping_cannot_be_overwritten() -> None:
    y = np.zeros(4, np.float32)
    y.flags.writeable = False
    with pytest.raises(ArgumentError, match="read-only"):
        Device().map(y).copy_from(np.ones(4, np.float32))


@pytest.mark.parametrize("shape", [-1, (2, -1), 1.5, None, True, (1 << 62, 1 << 62), 1 << 46])
def test_device_arrays_have_sizes_that_can_be(shape: Any) -> None:
    with pytest.raises(ArgumentError, match=r"a size of an array must be|not enough memory"):
        Device().zeros(shape, np.float64)


@pytest.mark.parametrize("name", ["a/b/c.sbc", "", "."])
def test_a_file_that_cannot_be_written_is_told(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError):
        program.save(name)


# --- arguments by name


def test_arguments_are_given_by_name_by_place_and_mixed() -> None:
    for run in (mixed[1, 1], mixed.launch(items=1, engine="oracle")):
        y = np.zeros((4, 1), np.float32)
        run(1, 2, 3, 4, y[0])
        run(2, 2, 3, 4, x=y[1])
        run(3, d=4, c=3, x=y[2], b=2)
        run(x=y[3], d=4, c=3, b=2, a=4)
        assert y.ravel().tolist() == [1, 2, 3, 4]


def test_a_parameter_may_have_any_name() -> None:
    names = ("self", "run", "args", "named", "work")
    params = ", ".join(f"u32 %{name}" for name in names)
    kernel = simtlab.assemble(f"kernel k({params}) {{\n ret\n}}\n")["k"]
    kernel[1, 1](**dict.fromkeys(names, 1))
    kernel.time(items=1, plain=True)(**dict.fromkeys(names, 1))


@pytest.mark.parametrize(
    ("args", "named", "message"),
    [
        ((1, 2, 3, 4), {"y": x}, "error[SIM305]: kernel mixed has no parameter 'y'\n = help: its"),
        (
            (1, 2, 3, 4),
            {"a": 1, "x": x},
            "kernel mixed: argument a is given twice, as number 1 and",
        ),
        (
            (1,),
            {"b": 2, "x": x},
            "error[SIM305]: kernel mixed lacks its argument c, d\n = help: its",
        ),
        ((1, 2, 3, 4, x, 5), {"x": x}, "argument x is given twice, as number 5"),
        ((), {"%a": 1}, "kernel mixed has no parameter '%a'\n = help: did you mean `a`?"),
    ],
)
def test_names_that_do_not_fit_are_told(
    args: tuple[object, ...], named: dict[str, object], message: str
) -> None:
    with pytest.raises(ArgumentError) as found:
        launch(*args, **named)
    assert message in str(found.value)
