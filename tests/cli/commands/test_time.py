"""What `time` says when all goes well, when a kernel traps, and when it is interrupted."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from simtlab.timing.simulation.simulator import Simulator

from ..conftest import SCALE_ARGS

TOY = ["--machine", "toy", "--set", "memory=ideal"]
KEYS = {
    "kernel", "engine", "scheme", "warp_instructions", "thread_instructions", "activity_factor",
    "checked", "memory_digest", "digest", "host_seconds", "machine", "policy", "cycles",
    "simulated_warp_instructions_per_second", "stall_cycles", "statistics",
}  # fmt: skip
"""What scripts may rely on."""


def test_the_keys_of_a_simulation(cli):
    program = cli("time", "saxpy", "--size", "tiny", *TOY, "--json").json
    file = cli("time", "scale.sasm", "--items", "8", *SCALE_ARGS, *TOY, "--json").json
    assert set(program) >= KEYS | {"program", "size", "seed", "picture", "launches", "kernels"}
    assert set(file) >= KEYS | {"items", "group_size", "changed", "outputs"}
    assert (program["checked"], file["checked"]) == (True, False)
    assert program["engine"] == "timing"
    assert program["launches"] == 1


def test_memory_is_that_of_run_and_the_digest_never_holds_times(cli):
    run = cli("run", "bfs", "--size", "tiny", "--json").json
    first, second = (cli("time", "bfs", "--size", "tiny", *TOY, "--json").json for _ in range(2))
    assert run["memory_digest"] == first["memory_digest"]
    for found in (first, second):
        found["host_seconds"] = found["simulated_warp_instructions_per_second"] = None
        found["compiling_seconds"] = None
    assert first == second


def test_a_trap_tells_what_was_counted_until_then(cli):
    arguments = ["time", "scale.sasm", "--items", "8", "--arg", "a=2", "--arg", "n=8",
                 "--arg", "x=ones:8", "--arg", "y=ones:4", *TOY]  # fmt: skip
    done = cli(*arguments)
    assert done.status == 1
    assert done.rows["launches"] == "0, and one that did not finish"
    assert int(done.rows["cycles"]) > 0
    assert done.err.startswith("error[SIM401]: kernel scale: out-of-bounds store")
    told = cli(*arguments, "--json").json
    assert set(told) >= KEYS | {"error", "diagnostics"}
    assert told["error"]["code"] == "SIM401"
    assert told["host_seconds"] > 0
    assert told["simulated_warp_instructions_per_second"] > 0


def test_the_kernel_that_trapped_is_named(cli):
    """Also where it is not the first of its file, and no launch is over."""
    done = cli("time", "lessons/barrier", "--size", "wrong", *TOY)
    assert done.rows["kernel"] == "inside"
    assert done.err.startswith("error[SIM405]: kernel inside: divergent barrier")


@pytest.mark.parametrize("json", [(), ("--json",)])
def test_ctrl_c_tells_what_was_counted_until_then(cli, monkeypatch, json):
    def interrupted(self: Simulator, *launch: Any) -> int:
        advance(self, *launch)
        raise KeyboardInterrupt

    advance = Simulator._advance
    monkeypatch.setattr("simtlab.timing.simulation.simulator.EVENTS", 30)
    monkeypatch.setattr(Simulator, "_advance", interrupted)
    done = cli("time", "saxpy", "--size", "tiny", *TOY, *json)
    assert done.status == 130
    if json:
        assert done.json["error"]["code"] == "SIM430"
        assert done.json["cycles"] > 0
    else:
        assert int(done.rows["cycles"]) > 0
        assert done.rows["launches"] == "0, and one that was interrupted"


def test_a_workgroup_that_does_not_fit_is_wrong_usage(cli):
    done = cli("time", "scale.sasm", "--items", "64", "--block", "64", *SCALE_ARGS, *TOY)
    assert (done.status, done.out) == (2, "")
    assert "a workgroup of 64 work-items does not fit" in done.err


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("l1d.szie=3", "l1d.szie: unknown key (did you mean `l1d.size`?)"),
        ("warps", "--set takes KEY=VALUE, not 'warps'"),
        ("policy.fast=1", "has no setting 'fast'"),
        ("policy.pc-merge=", "`simtlab policies NAME` lists the settings"),
    ],
)
def test_settings_that_cannot_be(cli, setting, message):
    done = cli("time", "saxpy", "--size", "tiny", "--set", setting)
    assert (done.status, done.out) == (2, "")
    assert message in done.err


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "no such file"), ("{", "is not JSON"), ("{}", "is not the result of a simulation")],
)
def test_diff_of_what_is_no_result(cli, tmp_path, content, message):
    if content is not None:
        (tmp_path / "a.json").write_text(content)
    done = cli("diff", "a.json", "a.json")
    assert done.status == 2
    assert message in done.err


def test_the_time_to_compile_is_named_where_it_counts(cli, tmp_path, monkeypatch):
    monkeypatch.setenv("SIMTLAB_CACHE", str(tmp_path / "cache"))
    text = Path("scale.sasm").read_text()
    Path("other.sasm").write_text(text.replace("kernel scale", "kernel never_compiled_before"))
    for command in ("run", "time"):
        arguments = (command, "other.sasm", "--items", "8", *SCALE_ARGS)
        first = cli(*arguments).rows["host time"]
        again = cli(*arguments, "--json").json
        assert re.match(r"[\d.]+ s, compiling [\d.]+ s", first)
        assert again["compiling_seconds"] < again["host_seconds"]


def test_files_that_were_written_are_named(cli):
    done = cli("time", "saxpy", "--size", "tiny", *TOY, "--record", "r.npz", "--trace", "t.json")
    assert done.status == 0
    assert done.err.splitlines() == [
        "recording written to r.npz; simtlab view r.npz shows it",
        "trace written to t.json",
    ]
