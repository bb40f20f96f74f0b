"""Exit statuses, JSON shapes, and what the command says when something ends it."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

from simtlab.cli import main
from simtlab.emu import engine as engines
from simtlab.emu.engine import Interrupted
from simtlab.emu.statistics import Statistics
from simtlab.programs.workload import Mismatch

from .conftest import SCALE, SCALE_ARGS, Cli

RUN_KEYS = {
    "kernel", "engine", "scheme", "warp_instructions", "thread_instructions", "activity_factor",
    "checked", "memory_digest", "digest", "host_seconds",
}  # fmt: skip
"""What scripts may rely on."""


def test_the_keys_of_a_run(cli):
    program = cli("run", "saxpy", "--size", "tiny", "--json").json
    file = cli("run", "scale.sasm", "--items", "8", *SCALE_ARGS, "--json").json
    assert set(program) >= RUN_KEYS | {"program", "size", "seed", "picture", "launches", "kernels"}
    assert set(file) >= RUN_KEYS | {"items", "group_size", "changed", "outputs"}
    assert (program["checked"], file["checked"]) == (True, False)


def test_the_digest_is_the_same_in_every_run_and_never_holds_times(cli):
    first, second = (cli("run", "scan", "--size", "tiny", "--json").json for _ in range(2))
    assert first["host_seconds"] > 0
    first["host_seconds"] = second["host_seconds"] = None
    assert first == second


def test_several_kernels_and_launches(cli):
    found = cli("run", "scan", "--size", "tiny", "--json").json
    assert found["kernel"] == "scan_blocks"
    assert found["kernels"] == ["scan_blocks", "add_sums"]
    assert found["launches"] == 3


def test_a_trap(cli):
    arguments = ["run", "scale.sasm", "--items", "8", "--arg", "a=2", "--arg", "n=8",
                 "--arg", "x=ones:8", "--arg", "y=ones:4"]  # fmt: skip
    done = cli(*arguments)
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("error[SIM401]: kernel scale: out-of-bounds store to global address")
    line = 1 + next(i for i, text in enumerate(SCALE.splitlines()) if "st_global" in text)
    assert f"--> scale.sasm:{line}:5" in done.err
    told = cli(*arguments, "--json")
    assert (told.status, told.err) == (1, "")
    assert set(told.json) == {"error", "diagnostics"}
    assert set(told.json["error"]) == {"code", "message", "file", "line", "column", "hint"}
    assert (told.json["error"]["code"], told.json["error"]["line"]) == ("SIM401", line)


def test_a_usage_error_under_json(cli):
    for arguments in (["run", "--json"], ["run", "saxpy", "--gird", "--json"], ["rnu", "--json"]):
        done = cli(*arguments)
        assert (done.status, done.err) == (2, "")
        assert done.json["error"]["code"] == "SIM514"


def test_a_wrong_result(cli, monkeypatch):
    wrong = Mismatch("y", "1 of 8 elements is wrong")
    monkeypatch.setattr("simtlab.programs.runner.check", lambda *_: [wrong])
    done = cli("run", "saxpy", "--size", "tiny")
    assert done.status == 1
    assert done.rows["checked"] == "wrong"
    assert done.err == (
        "error[SIM420]: basics/saxpy: the result differs from the reference in "
        "y: 1 of 8 elements is wrong\n"
    )
    told = cli("run", "saxpy", "--size", "tiny", "--json")
    assert (told.status, told.err, told.json["checked"]) == (1, "", True)
    assert told.json["error"]["code"] == "SIM420"


def stop_with(monkeypatch: pytest.MonkeyPatch, statistics: Statistics | None) -> None:
    def run(work):
        raise Interrupted(statistics)

    fake = SimpleNamespace(run=run, leaves=lambda *_, **__: False)
    monkeypatch.setattr(engines, "import_module", lambda *_: fake)


def test_an_interrupted_launch_shows_what_was_counted(cli: Cli, monkeypatch):
    stop_with(
        monkeypatch, Statistics(warp_instructions=123, thread_instructions=246, lane_slots=492)
    )
    done = cli("run", "scale.sasm", "--items", "8", *SCALE_ARGS)
    assert done.status == 130
    assert done.rows["warp-instructions"] == "123"
    assert done.rows["launches"] == "0, and one that was interrupted"
    assert done.err == "error[SIM430]: interrupted; the launch did not finish\n"
    told = cli("run", "saxpy", "--size", "tiny", "--json")
    assert (told.status, told.json["warp_instructions"]) == (130, 123)
    assert told.json["error"]["code"] == "SIM430"
    assert told.json["checked"] is False


@pytest.mark.parametrize(
    ("place", "arguments"),
    [
        ("simtlab.programs.runner.check", ["run", "saxpy", "--size", "tiny"]),
        ("simtlab.cli.inputs.sources.assemble", ["asm", "scale.sasm"]),
        ("simtlab.cli.guard.prepare_streams", ["programs"]),
    ],
)
def test_an_interrupt_anywhere_else(place, arguments, cli, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(place, interrupt)
    done = cli(*arguments)
    assert (done.status, done.out, done.err) == (130, "", "interrupted\n")


def test_an_interrupt_before_there_is_any_json(cli, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("simtlab.cli.inputs.sources.assemble", interrupt)
    done = cli("asm", "scale.sasm", "--json")
    assert (done.status, done.json["error"]["code"], done.err) == (130, "SIM430", "")


def test_a_bug_of_ours(cli, monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr("simtlab.cli.inputs.sources.assemble", fail)
    done = cli("asm", "scale.sasm")
    assert (done.status, done.out) == (70, "")
    assert done.err == (
        "this is a bug in simtlab: ZeroDivisionError: of all things\n"
        "Please report it with the command line, the source and what `simtlab doctor` prints.\n"
        "SIMTLAB_TRACEBACK=1 shows where it happened.\n"
    )
    monkeypatch.setenv("SIMTLAB_TRACEBACK", "1")
    assert cli("asm", "scale.sasm").err.startswith("Traceback (most recent call last)")


def test_out_of_memory(cli, monkeypatch):
    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr("simtlab.programs.runner.prepare", fail)
    done = cli("run", "saxpy", "--size", "tiny")
    assert (done.status, done.err) == (
        2,
        "error[SIM513]: out of memory\n = help: use a smaller size\n",
    )


def test_statistics_that_were_not_counted_are_null(cli, monkeypatch):
    fake = SimpleNamespace(run=lambda work: None, leaves=lambda *_, **__: False)
    monkeypatch.setattr(engines, "import_module", lambda *_: fake)
    found = cli("run", "scale.sasm", "--items", "8", *SCALE_ARGS, "--json").json
    assert [found[k] for k in ("warp_instructions", "thread_instructions", "activity_factor")] == (
        [None] * 3
    )


def test_no_arguments_show_the_help(capsys):
    assert main([]) == 0
    assert "Usage: simtlab" in capsys.readouterr().out


def test_json_has_no_nan(cli):
    found = cli("run", "scale.sasm", "--items", "8", "--arg", "a=nan", "--arg", "n=8",
                "--arg", "x=ones:8", "--arg", "y=ones:8", "--json").out  # fmt: skip
    json.loads(found, parse_constant=lambda name: pytest.fail(name))


def test_out_keeps_shape_and_name(cli):
    np.save("x.npy", np.arange(8, dtype=np.float32).reshape(2, 4).T.copy().T)
    done = cli("run", "scale.sasm", "--items", "8", "--arg", "a=0x1p1", "--arg", "n=8",
               "--arg", "x=@x.npy", "--arg", "y=zeros:2x4", "--out", "y=result")  # fmt: skip
    assert done.rows["y"] == "written to result"
    with open("result", "rb") as file:
        np.testing.assert_array_equal(np.load(file), 2 * np.load("x.npy"))
