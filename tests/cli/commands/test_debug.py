"""`debug` in scripts, at a prompt and without Textual: what it prints, and its exit status."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from ..conftest import SCALE_ARGS

FILE = ["scale.sasm", "--items", "8", *SCALE_ARGS]


@pytest.fixture
def script():
    def write(*lines: str) -> str:
        Path("look.txt").write_text("\n".join(lines) + "\n")
        return "look.txt"

    return write


def test_a_script_prints_what_its_commands_show(cli, script):
    done = cli("debug", *FILE, "--script", script("# a look", "goto end", "", "memory y[0..3]"))
    assert done.status == 0
    assert done.out.splitlines()[-1].split() == ["0:", "0", "2", "4", "6"]
    assert done.err == ""


def test_a_script_may_come_from_stdin(cli, monkeypatch):
    class Stdin:
        buffer = io.BytesIO(b"echo hello\nquit\necho never\n")

    monkeypatch.setattr(sys, "stdin", Stdin())
    done = cli("debug", *FILE, "--script", "-")
    assert (done.status, done.out) == (0, "> echo hello\nhello\n> quit\n")


def test_a_failed_expectation_ends_the_script_with_1(cli, script):
    done = cli("debug", *FILE, "--script", script("goto end", "expect y[2] == 5", "echo never"))
    assert done.status == 1
    assert "error[SIM533]: `y[2] == 5` is not true (y[2] is 4)" in done.err
    assert "--> look.txt:2:1" in done.err
    assert "never" not in done.out


def test_a_mistake_ends_the_script_with_2_and_its_line(cli, script):
    done = cli("debug", *FILE, "--script", script("step", "stepp"))
    assert done.status == 2
    assert "error[SIM531]: unknown command 'stepp'" in done.err
    assert "--> look.txt:2:1" in done.err
    assert "did you mean `step`" in done.err


def test_a_trap_is_looked_at_where_it_happened(cli, script):
    arguments = ["scale.sasm", "--items", "8", "--arg", "a=2", "--arg", "n=8",
                 "--arg", "x=ones:8", "--arg", "y=ones:4"]  # fmt: skip
    done = cli("debug", *arguments, "--script", script("continue", "back", "print $d1.x", "info"))
    assert done.status == 0
    assert "out-of-bounds store" in done.out
    assert "out-of-bounds store" in done.err
    assert "st_global_f32" in done.out


def test_a_program_that_is_wrong_says_so_first(cli, script):
    done = cli("debug", "lessons/spinlock", "--size", "wrong", "--script", script("where"))
    assert done.status == 0
    assert "SIMT deadlock" in done.err


def test_recordings_of_run_and_time_are_debugged(cli, script):
    cli("run", *FILE, "--warp", "4", "--record", "run.npz")
    done = cli("debug", "run.npz", "--script", script("info"))
    assert done.status == 0
    assert "2 warps of 4 lanes" in done.out
    refused = cli("debug", "run.npz", "--warp", "8")
    assert refused.status == 2
    assert "--warp has no effect: run.npz is a recording of a run" in refused.err


def test_a_recording_that_begins_late_is_refused(cli):
    cli("run", *FILE, "--record", "late.npz", "--record-window", "3:9")
    done = cli("debug", "late.npz")
    assert done.status == 2
    assert "record from the start" in done.err


def test_a_prompt_without_a_terminal_reads_commands(cli, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("step\nnonsense\nprint pc\n"))
    done = cli("debug", *FILE)
    assert "pc = 1" in done.out
    assert "unknown command 'nonsense'" in done.err
    assert done.status == 2, "the mistake shows in the status"


def test_without_textual_there_is_a_way_to_go_on(cli, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("simtlab.cli.jobs.debug.on_terminal", lambda stream: True)
    for name in [m for m in sys.modules if m.startswith("simtlab.debugger.tui")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "textual", None)
    monkeypatch.setitem(sys.modules, "textual.app", None)
    done = cli("debug", *FILE)
    assert done.status == 2
    assert "error[SIM520]: the terminal interface needs the package textual" in done.err
    assert "--plain" in done.err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["debug"], "missing argument"),
        (["debug", *FILE, "--scheme", "ppc", "--policy", "conv"], "--policy and --machine exclude"),
        (["debug", *FILE, "--warp", "8", "--machine", "dws"], "--warp is for runs without a"),
        (["debug", *FILE, "--engine", "jit"], "the interpreter runs what is debugged"),
        (["debug", "scale.sasm"], "--items"),
        (["debug", "saxpy", "--items", "4"], "--items is for files"),
        (["debug", "nothing.npz"], "nothing.npz"),
        (["debug", *FILE, "--script", "none.txt"], "cannot read none.txt"),
        (["debug", "--dap-port", "x"], "--dap-port takes a whole number"),
    ],
)
def test_mistakes_on_the_command_line(cli, arguments, problem):
    done = cli(*arguments)
    assert done.status == 2
    assert problem in done.err
