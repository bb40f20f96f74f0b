"""Simulations, comparisons and experiments answer nonsense with one clear error of ours."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab import ArgumentError, UsageError
from simtlab.lab import find as find_experiment
from simtlab.lab import simulate_run
from simtlab.lab.experiment import check_scale
from simtlab.programs.index import find as find_program
from simtlab.recording.recording import Recording
from simtlab.testing import assert_all_agree, run_case
from simtlab.timing.compiler import files as policies
from simtlab.timing.machines import machine

from ..emu.support.hostile import each_value, must_refuse, refused_or_done

(kernel,) = simtlab.assemble("kernel k(u32 %n) {\n    add_u32 $s0, $s0, 1\n    ret\n}\n")
IDEAL = {"memory": "ideal"}


def simulate(**options: Any) -> Any:
    shape = {"items": 4} if "groups" not in options and "items" not in options else {}
    defaults = {"machine": "toy", "set": IDEAL, "plain": True}
    return simtlab.simulate(kernel, **shape, **{**defaults, **options})


def compared() -> simtlab.Comparison:
    return simtlab.compare(kernel, "conv", machine="toy", set=IDEAL, items=4, plain=True)(n=1)


REFUSED: dict[str, Callable[[Any], object]] = {
    "kernel": lambda v: simtlab.simulate(v, items=4),
    "kernel of compare": lambda v: simtlab.compare(v, "conv", items=4),
    "machine": lambda v: simulate(machine=v),
    "policy": lambda v: simulate(policy=v),
    "policies": lambda v: simtlab.compare(kernel, v, items=4),
    "list of policies": lambda v: simtlab.compare(kernel, ["conv", v], items=4),
    "unknown key": lambda v: simulate(set={"nonsense": v}),
    "unknown setting": lambda v: simulate(set={"policy.nonsense": v})(1),
    "contender": lambda v: compared()[v],
    "speedup": lambda v: compared().speedup(v),
    "picture": lambda v: compared().save_picture(v),
    "program": find_program,
    "experiment": find_experiment,
    "simulate_run": simulate_run,
    "scale": check_scale,
    "find policy": policies.find,
    "load machine": machine.load,
    "run_case": run_case,
    "assert_all_agree": assert_all_agree,
}
"""Calls that no value of the list makes right."""

KEYS = ("l1d.size", "clock_ghz", "memory", "policy", "l1d", "name", "store_buffer", "sources")

OPEN: dict[str, Callable[[Any], object]] = {
    "groups": lambda v: simulate(groups=v),
    "items": lambda v: simulate(items=v),
    "group_size": lambda v: simulate(group_size=v),
    "budget": lambda v: simulate(budget=v)(1),
    "exited_arrive": lambda v: simulate(exited_arrive=v),
    "plain": lambda v: simulate(plain=v),
    "set": lambda v: simulate(set=v),
    "set of compare": lambda v: simtlab.compare(kernel, "conv", set=v, items=4),
    "baseline": lambda v: simtlab.compare(kernel, "conv", baseline=v, items=4),
    "argument": lambda v: simulate()(v),
    "argument by name": lambda v: simulate()(n=v),
    "a setting": lambda v: simulate(policy="slip", set={**IDEAL, "policy.max-div": v})(1),
    **{f"set {key}": lambda v, key=key: simulate(set={key: v}) for key in KEYS},
}
"""Calls that some values make right."""


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_nonsense_is_refused_in_our_words(
    call: Callable[[Any], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    each_value(lambda value: must_refuse(call, value))


@pytest.mark.parametrize("call", OPEN.values(), ids=OPEN)
def test_a_value_is_taken_or_refused_in_our_words(
    call: Callable[[Any], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    each_value(lambda value: refused_or_done(call, value))


def test_a_policy_that_is_not_there_is_told() -> None:
    with pytest.raises(UsageError, match="a policy must be a name or the path of a file, not None"):
        simulate(policy=None)
    with pytest.raises(UsageError, match=r"simtlab\.compare takes a kernel, not 5") as found:
        simtlab.compare(5, "conv")  # pyright: ignore[reportArgumentType, reportCallIssue]
    assert "simtlab.assemble" in str(found.value)
    assert 'the name of a program, as "dws/merge"' in str(found.value)


def test_a_launch_in_the_place_of_a_kernel_is_refused() -> None:
    launch = simtlab.assemble("kernel k() {\n    ret\n}\n").k[1, 1]
    with pytest.raises(
        UsageError, match=r"simtlab\.simulate takes a kernel, not a launch"
    ) as found:
        simtlab.simulate(launch)  # pyright: ignore[reportArgumentType, reportCallIssue]
    assert 'pass program["k"]; groups=' in str(found.value)


def test_arguments_are_given_by_name_too() -> None:
    assert simulate()(n=1).digest == simulate()(1).digest
    assert [c.cycles for c in compared()] == [simulate()(1).cycles]
    with pytest.raises(ArgumentError, match="kernel k has no parameter 'm'"):
        simulate()(m=1)
    run = simtlab.compare(kernel, "conv", machine="toy", set=IDEAL, items=4, plain=True)
    with pytest.raises(ArgumentError, match="argument n is given twice"):
        run(1, n=1)


def test_a_damaged_recording_is_told(tmp_path: Path) -> None:
    path = tmp_path / "t.npz"
    simtlab.record(kernel, machine="toy", set=IDEAL, items=4)(1).save(path)
    good = path.read_bytes()
    Recording.load(path)
    refused = 0
    for seed in range(200):
        place = zlib.crc32(bytes([seed])) % (8 * len(good))
        damaged = bytearray(good)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(damaged if seed % 2 else good[: place // 8])
        error = refused_or_done(lambda _: Recording.load(path), None)
        refused += error is not None
    assert refused > 100
    np.save(tmp_path / "array.npy", np.zeros(3))
    for other in ("array.npy", "empty"):
        (tmp_path / "empty").touch()
        must_refuse(lambda name: Recording.load(tmp_path / name), other)
