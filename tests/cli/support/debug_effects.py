"""What the options of `debug` change, seen by scripts of commands."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from simtlab.timing.simulation.simulator import Simulator

from ..conftest import SCALE_ARGS, Cli, Done

FILE = ["scale.sasm", "--items", "8", *SCALE_ARGS]
TOY = ["--machine", "toy", "--set", "memory=ideal"]


def debugged(cli: Cli, *arguments: str, script: str = "info") -> Done:
    """`debug` with a script; engines of simulations run uncompiled."""
    Path("script.txt").write_text(script)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("simtlab.cli.jobs.time.Simulator", partial(Simulator, plain=True))
        return cli("debug", *arguments, "--script", "script.txt")


def shown(cli: Cli, *arguments: str, script: str = "info") -> str:
    done = debugged(cli, *arguments, script=script)
    assert done.status == 0, done
    return done.out


def scheme(cli: Cli) -> None:
    assert "scale.sasm under stack" in shown(cli, *FILE)
    assert "scale.sasm under ppc" in shown(cli, *FILE, "--scheme", "ppc")


def set_(cli: Cli) -> None:
    done = debugged(cli, *FILE, "--scheme", "ppc", "--set", "scheme.nothing=1")
    assert done.status == 2
    assert "SIM502" in done.err
    assert "scale.sasm" in shown(cli, *FILE, *TOY, "--set", "width=4")
    assert "warps of 4 lanes" in shown(cli, *FILE, *TOY, "--set", "width=4")


def warp(cli: Cli) -> None:
    assert "2 warps of 4 lanes" in shown(cli, *FILE, "--warp", "4")
    assert "1 warps of 32 lanes" in shown(cli, *FILE)


def policy(cli: Cli) -> None:
    assert "with dws.branch-only" in shown(cli, *FILE, *TOY, "--policy", "dws.branch-only")
    assert debugged(cli, *FILE, "--policy", "conv", "--scheme", "ppc").status == 2


def machine(cli: Cli) -> None:
    assert "cycles" in shown(cli, *FILE, *TOY)
    assert "steps" in shown(cli, *FILE)


def script_(cli: Cli) -> None:
    assert shown(cli, *FILE, script="print 6 * 7") == "> print 6 * 7\n6 * 7 = 42\n"


def plain(cli: Cli) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.StringIO("print 6 * 7\nquit\n"))
        done = cli("debug", *FILE, "--plain")
    assert done.status == 0
    assert "6 * 7 = 42" in done.out


def dap(cli: Cli) -> None:
    """tests/debugger/dap drives both; here is what they exclude."""
    done = cli("debug", *FILE, "--dap")
    assert done.status == 2
    assert "a target has no effect with --dap" in done.err


def dap_port(cli: Cli) -> None:
    assert "--dap-port takes 0 to 65535" in cli("debug", "--dap-port", "70000").err


def record_issues(cli: Cli) -> None:
    done = debugged(cli, *FILE, "--record-issues", "5", script="goto end\ninfo")
    assert done.status == 0
    assert "5 instructions" in done.out
    assert "the recording is full" in done.err


def kernel(cli: Cli) -> None:
    two = ["two.sasm", "--kernel", "set", "--items", "4", "--arg", "x=zeros:4", "--arg", "v=7"]
    assert "set, warp 0" in shown(cli, *two, script="where")


def grid_and_block(cli: Cli) -> None:
    two = ["scale.sasm", "--grid", "2", "--block", "4", *SCALE_ARGS]
    assert "workgroup 1" in shown(cli, *two, script="warp")


def items(cli: Cli) -> None:
    twelve = [*FILE[:2], "6", *SCALE_ARGS]
    assert "work-item 5" in shown(cli, *twelve, script="lane 5")
    assert "no work-item" in shown(cli, *twelve, script="lane 6")


def arg(cli: Cli) -> None:
    assert "x[3] = 3" in shown(cli, *FILE, script="print x[3]")


def size_and_seed(cli: Cli) -> None:
    tiny = shown(cli, "saxpy", "--size", "tiny", script="info\nprint x[0].x")
    assert tiny == shown(cli, "saxpy", script="info\nprint x[0].x"), "what one can look at"
    small = debugged(cli, "saxpy", "--size", "small")
    assert small.status == 2
    assert "too large to be replayed" in small.err
    other = shown(cli, "saxpy", "--size", "tiny", "--seed", "1", script="info\nprint x[0].x")
    assert tiny.splitlines()[:2] == other.splitlines()[:2]
    assert tiny != other


def param(cli: Cli) -> None:
    one = ["table1", "--param", "n=1", "--param", "instructions=20"]
    shown(cli, *one, script="print y[0]")
    assert debugged(cli, *one, script="print y[1]").status == 2


def budget(cli: Cli) -> None:
    done = debugged(cli, "two.sasm", "--kernel", "spin", "--items", "1", "--budget", "100")
    assert done.status == 0
    assert "SIM406" in done.err
    assert "ended by" in done.out


def exited_arrive(cli: Cli) -> None:
    leave = ["two.sasm", "--kernel", "leave", "--grid", "1", "--block", "64"]
    assert "ended by" in shown(cli, *leave)
    assert "ended by" not in shown(cli, *leave, "--exited-arrive")


def markers(cli: Cli) -> None:
    def instructions(*more: str) -> int:
        text = shown(cli, *FILE, *more)
        return int(text.split("; ")[1].split()[0].replace(",", ""))

    assert instructions("--markers", "explicit") > instructions("--markers", "none")


EFFECTS: dict[tuple[str, str], Callable[[Cli], None]] = {
    ("debug", "--scheme"): scheme,
    ("debug", "--set"): set_,
    ("debug", "--warp"): warp,
    ("debug", "--policy"): policy,
    ("debug", "--machine"): machine,
    ("debug", "--script"): script_,
    ("debug", "--plain"): plain,
    ("debug", "--dap"): dap,
    ("debug", "--dap-port"): dap_port,
    ("debug", "--record-issues"): record_issues,
    ("debug", "--kernel"): kernel,
    ("debug", "--grid"): grid_and_block,
    ("debug", "--block"): grid_and_block,
    ("debug", "--items"): items,
    ("debug", "--arg"): arg,
    ("debug", "--size"): size_and_seed,
    ("debug", "--param"): param,
    ("debug", "--seed"): size_and_seed,
    ("debug", "--budget"): budget,
    ("debug", "--exited-arrive"): exited_arrive,
    ("debug", "--markers"): markers,
}
