"""What only a process of its own shows: pipes, signals, start-up, completion."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from .conftest import SCALE, TWO

PATIENCE = 600
"""Seconds until a process that does not end is a failure."""

SIMTLAB = [sys.executable, "-m", "simtlab"]
PATIENT = """\
import sys
from simtlab.cli import main
from simtlab.cli.output import progress
progress.PATIENCE = 3600
sys.exit(main(sys.argv[1:]))
"""
"""The command with progress that shows after an hour: a loaded machine may take a second."""

SPIN = ["run", "two.sasm", "--kernel", "spin", "--items", "32", "--budget", "1_000_000_000_000"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("scale.sasm").write_text(SCALE)
    Path("two.sasm").write_text(TWO)


def simtlab(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*SIMTLAB, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        **options,
    )


def test_the_installed_module_runs():
    done = simtlab("run", "saxpy", "--size", "tiny")
    assert (done.returncode, done.stderr) == (0, "")
    assert "equal to the reference" in done.stdout


def test_statuses_leave_the_process():
    assert simtlab("rnu").returncode == 2
    assert simtlab("run", "two.sasm", "--kernel", "leave", "--items", "64").returncode == 1


def test_an_object_file_through_a_pipe():
    data = subprocess.run(
        [*SIMTLAB, "asm", "-", "-o", "-"], input=SCALE.encode(), capture_output=True, check=True
    ).stdout
    done = subprocess.run([*SIMTLAB, "disasm", "-"], input=data, capture_output=True, check=True)
    assert b"kernel scale(" in done.stdout


def test_a_reader_that_goes_away():
    read, write = os.pipe()
    os.close(read)
    process = subprocess.run(
        [*SIMTLAB, "explain", "cvt"], stdout=write, stderr=subprocess.PIPE, check=False
    )
    os.close(write)
    assert (process.returncode, process.stderr) == (141, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*SIMTLAB, "programs"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr == ("error[SIM511]: cannot write the output: no space left on device\n")
    arguments = ["--items", "1", "--arg", "x=zeros:4", "--arg", "v=1", "--out", "x=/dev/full"]
    done = simtlab("run", "two.sasm", "--kernel", "set", *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("error[SIM511]: cannot write /dev/full: ")


def in_a_shell(line: str) -> subprocess.CompletedProcess[str]:
    """What a line does; `simtlab` is the command, and the status is its own in a pipeline."""
    return subprocess.run(
        ["bash", "-c", f"simtlab() {{ '{sys.executable}' -P -m simtlab \"$@\"; }}; {line}"],
        capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip


def test_a_closed_stdout():
    done = in_a_shell("simtlab check scale.sasm >&-")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_change_nothing_else(closed: str):
    assert in_a_shell("simtlab asm scale.sasm -o open.sbc").returncode == 0
    done = in_a_shell(f"simtlab asm scale.sasm -o closed.sbc {closed}")
    assert (done.returncode, done.stderr) == (0, "")
    assert Path("closed.sbc").read_bytes() == Path("open.sbc").read_bytes()
    assert in_a_shell(f"simtlab run nonsense {closed}").returncode == 2


def test_a_closed_stdin_that_is_wanted():
    done = in_a_shell("simtlab asm - -o x.sbc <&-")
    assert done.returncode == 2
    assert done.stderr == "error[SIM510]: cannot read standard input: it is closed\n"


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no /dev/zero")
def test_a_source_without_an_end():
    done = in_a_shell("simtlab asm - -o x.sbc </dev/zero")
    assert done.returncode == 2
    assert done.stderr == "error[SIM510]: standard input is larger than 256 MiB\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("simtlab run nonsense 2>/dev/full", ""),
        ("simtlab programs >/dev/full 2>/dev/full", ""),
        ("simtlab run nonsense --json >/dev/full", "error[SIM511]: cannot write the output: no"),
        ("simtlab --help >/dev/full", "error[SIM511]: cannot write the output: no"),
    ],
)
def test_streams_that_are_full(line: str, message: str):
    done = in_a_shell(line)
    assert done.returncode == 2
    assert done.stderr.startswith(message)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "command", ["--help", "programs", "run saxpy --size tiny", "asm scale.sasm -o -"]
)
def test_a_pipe_without_a_reader_ends_in_silence_with_the_status_of_a_signal(command: str):
    # The reader is gone before the first byte.
    done = in_a_shell(f"{{ sleep 0.2; simtlab {command}; echo $? >status; }} | true")
    assert done.stderr == ""
    assert Path("status").read_text() == "141\n"


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("simtlab run saxpy --size tiny", 0),
        ("simtlab asm '{place}/scale.sasm' -o '{place}/x.sbc'", 0),
        ("simtlab check '{place}/scale.sasm'", 0),
        ("simtlab programs saxpy", 0),
        ("simtlab asm scale.sasm", 2),
    ],
)
def test_a_working_folder_that_is_gone(command: str, status: int, tmp_path: Path):
    line = command.format(place=tmp_path)
    done = in_a_shell(f"mkdir gone && cd gone && rmdir ../gone && {line}")
    assert done.returncode == status
    assert done.stderr == (
        "error[SIM510]: cannot read scale.sasm: no such file or directory\n" * (status == 2)
    )


def test_an_encoding_that_lacks_our_characters():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    assert simtlab("run", "--help", env=environment).returncode == 0


COUNT = """\
kernel count() {
@again:
    add_u32     $s0, $s0, 1
    cmp_ne_u32  $c0, $s0, 4000000000
    cbr         $c0, @again
    ret
}
"""
"""A kernel that runs for hours, and that no engine takes for one that never ends."""

ANNOUNCED = """
import sys
from importlib import import_module
from simtlab.cli import main

engine = import_module(sys.argv.pop(1))
plain = engine.run

def run(work):
    print("running", file=sys.stderr, flush=True)
    return plain(work)

engine.run = run
sys.exit(main(sys.argv[1:]))
"""
"""The command, which reports that its launch has begun."""


@pytest.mark.parametrize(
    ("engine", "module"), [("interp", "interp.interpreter"), ("oracle", "oracle.oracle")]
)
def test_ctrl_c(engine, module):
    Path("count.sasm").write_text(COUNT)
    options = ["--items", "32", "--budget", "1_000_000_000_000", "--engine", engine]
    with subprocess.Popen(
        [sys.executable, "-c", ANNOUNCED, f"simtlab.emu.{module}", "run", "count.sasm", *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stderr is not None
        assert process.stderr.readline() == "running\n"
        process.send_signal(signal.SIGINT)
        try:
            out, err = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert "Traceback" not in err
    assert process.returncode == 130
    assert err in ("interrupted\n", "error[SIM430]: interrupted; the launch did not finish\n")
    assert "kernel" in out or err == "interrupted\n"


def test_a_plain_run_is_light():
    code = """
import sys
from simtlab.cli import main
status = main(["run", "saxpy", "--size", "tiny"])
heavy = ("matplotlib", "networkx", "numba", "pydantic", "rich", "scipy")
print("heavy:", *(name for name in heavy if name in sys.modules))
sys.exit(status)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "heavy:"


def complete(words: str) -> list[str]:
    """What bash would offer at the end of a line."""
    environment = {
        **os.environ,
        "_SIMTLAB_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    return simtlab(env=environment).stdout.split()


def test_completion():
    assert {"asm", "disasm", "check", "run", "programs", "explain", "doctor"} <= set(
        complete("simtlab ")
    )
    assert complete("simtlab run man") == ["mandelbrot"]
    assert complete("simtlab run sc") == ["scan", "scale.sasm"]
    assert complete("simtlab run dws/f") == ["dws/fft", "dws/filter"]
    assert complete("simtlab run saxpy --scheme ppc") == ["ppc", "ppc-explicit"]
    assert complete("simtlab run saxpy --engine o") == ["oracle"]
    assert complete("simtlab run saxpy --size p") == ["paper"]
    assert complete("simtlab asm scale.sasm --markers e") == ["explicit"]
    assert complete("simtlab explain fma_f3") == ["fma_f32"]


def on_terminal(
    *arguments: str,
    command: Sequence[str] = SIMTLAB,
    until: str = "",
    seconds: float = PATIENCE,
    **environment: str,
) -> str:
    """What the command shows on a terminal until a word comes or the time is over.

    It is interrupted then.
    """
    leader, follower = pty.openpty()
    # Whoever runs the tests may want no colours; these tests are about them.
    inherited = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    process = subprocess.Popen(
        [*command, *arguments], stdout=subprocess.DEVNULL, stderr=follower,
        env={**inherited, "TERM": "xterm", **environment},
    )  # fmt: skip
    os.close(follower)
    shown = b""
    end = time.monotonic() + seconds
    stopped = False
    try:
        while True:
            seen = until and until in shown.decode(errors="replace")
            if (seen or time.monotonic() > end) and not stopped:
                process.send_signal(signal.SIGINT)
                stopped = True
            has_ended = process.poll() is not None  # before the look for what it has written
            ready, _, _ = select.select([leader], [], [], 0.1)
            if ready:
                shown += os.read(leader, 65536)
            elif has_ended:
                break
    except OSError:
        pass  # the other end is closed
    finally:
        try:
            process.wait(timeout=PATIENCE)
        finally:
            process.kill()
            os.close(leader)
    return shown.decode()


def test_errors_have_colours_on_a_terminal_only():
    assert "\x1b[1;31merror[SIM514]" in on_terminal("rnu")
    assert "\x1b[1;31m" not in on_terminal("rnu", NO_COLOR="1")
    assert "\x1b" not in on_terminal("rnu", TERM="dumb")
    assert "\x1b" not in simtlab("rnu").stderr


COUNT = """kernel count() {
    mov_u64    $d0, 0
@again:
    add_u64    $d0, $d0, 1
    cmp_ne_u64 $c0, $d0, 0
    cbr        $c0, @again
    ret
}
"""


def test_progress_shows_after_a_while_and_only_on_a_terminal():
    Path("count.sasm").write_text(COUNT)
    count = ["run", "count.sasm", *SPIN[4:], "--engine", "oracle"]
    assert "count: " in on_terminal(*count, until="count: ")
    assert "count: " not in on_terminal(*count, seconds=4, TERM="dumb")
    patient = [sys.executable, "-c", PATIENT]
    assert on_terminal("run", "saxpy", "--size", "tiny", command=patient) == ""
