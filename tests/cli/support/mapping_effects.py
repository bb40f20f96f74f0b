"""What `--mapping` and `--data` change, in every command that runs programs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from simtlab.timing.simulation.simulator import Simulator

from ..conftest import Cli
from . import compare_effects, debug_effects, view_effects

SVM = ["svm", "--size", "tiny"]
TOY = ["--machine", "toy", "--set", "memory=ideal"]


def ran(cli: Cli, *more: str) -> dict[str, Any]:
    done = cli("run", *SVM, "--stats", "--json", *more)
    assert done.status == 0, done
    return done.json


def timed(cli: Cli, *more: str) -> dict[str, Any]:
    """`time` with an engine that runs uncompiled."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("simtlab.cli.jobs.time.Simulator", partial(Simulator, plain=True))
        done = cli("time", *SVM, *TOY, "--json", *more)
    assert done.status == 0, done
    return done.json


def compared(cli: Cli, *more: str) -> dict[str, Any]:
    (found,) = compare_effects.listed(cli, *SVM, *TOY, "--policies", "conv", *more)
    return found


Runs = Callable[..., dict[str, Any]]


def mapping_of(run: Runs, cli: Cli) -> None:
    usual, blocks = run(cli), run(cli, "--mapping", "blocks")
    assert blocks["checked"] is True
    assert blocks["mapping"] == "blocks"
    assert "mapping" not in usual
    assert blocks["memory_digest"] == usual["memory_digest"]
    assert blocks["warp_instructions"] > usual["warp_instructions"], "a block must be computed"
    assert run(cli, "--mapping", "cyclic")["digest"] == usual["digest"]


def data_of(run: Runs, cli: Cli) -> None:
    usual, double = run(cli), run(cli, "--data", "f64")
    assert double["checked"] is True
    assert double["data"] == "f64"
    assert double["memory_digest"] != usual["memory_digest"]
    assert run(cli, "--data", "f32")["digest"] == usual["digest"]


def run_mapping(cli: Cli) -> None:
    mapping_of(ran, cli)
    done = cli("run", "fft", "--mapping", "tiles")
    assert done.status == 2
    assert "dws/fft has no mapping 'tiles', because its tasks are not the cells of a" in done.err
    assert "it has cyclic, affinity, blocks, tasks" in done.err
    done = cli("run", "scale.sasm", "--items", "8", "--mapping", "blocks")
    assert (done.status, "--mapping is for programs" in done.err) == (2, True)
    assert "mapping blocks" in cli("run", *SVM, "--mapping", "blocks").rows["program"]
    assert cli("programs", "svm").rows["mappings"].startswith("cyclic: ")
    assert "mappings" not in cli("programs", "saxpy").rows
    assert cli("programs", "svm", "--json").json["mappings"][2] == "blocks"


def run_data(cli: Cli) -> None:
    data_of(ran, cli)
    done = cli("run", "svm", "--data", "f16")
    assert (done.status, "it has f32, f64" in done.err) == (2, True)
    done = cli("run", "scale.sasm", "--items", "8", "--data", "f64")
    assert (done.status, "--data is for programs" in done.err) == (2, True)
    assert cli("programs", "svm").rows["data"] == "f32, f64"
    assert cli("programs", "svm", "--json").json["data"] == ["f32", "f64"]


def debug_mapping(cli: Cli) -> None:
    """The set-up of a block takes more instructions."""
    usual = debug_effects.shown(cli, *SVM)
    assert usual != debug_effects.shown(cli, *SVM, "--mapping", "blocks")
    assert usual == debug_effects.shown(cli, *SVM, "--mapping", "cyclic")


def debug_data(cli: Cli) -> None:
    script = "print x[0]"
    assert "x[0] = 0.27392337\n" in debug_effects.shown(cli, *SVM, script=script)
    double = debug_effects.shown(cli, *SVM, "--data", "f64", script=script)
    assert "x[0] = 0.2739233746" in double


def view_mapping(cli: Cli) -> None:
    (usual,) = view_effects.shown(cli, *SVM)
    (blocks,) = view_effects.shown(cli, *SVM, "--mapping", "blocks")
    assert len(blocks["t"]) > len(usual["t"])


def view_data(cli: Cli) -> None:
    (usual,) = view_effects.shown(cli, *SVM)
    (double,) = view_effects.shown(cli, *SVM, "--data", "f64")
    assert "svm_f64.sasm" in double["sources"]
    assert "svm_f64.sasm" not in usual["sources"]


EFFECTS: dict[tuple[str, str], Callable[[Cli], None]] = {
    ("run", "--mapping"): run_mapping,
    ("run", "--data"): run_data,
    ("time", "--mapping"): partial(mapping_of, timed),
    ("time", "--data"): partial(data_of, timed),
    ("compare", "--mapping"): partial(mapping_of, compared),
    ("compare", "--data"): partial(data_of, compared),
    ("debug", "--mapping"): debug_mapping,
    ("debug", "--data"): debug_data,
    ("view", "--mapping"): view_mapping,
    ("view", "--data"): view_data,
}
