"""A pause ends a move where it is, and passes no hit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import simtlab
from simtlab.debugger.session import Session

from .support.dap_client import PATIENCE, DapClient
from .support.long_run import LOOP

ISSUES = 2 + 3 * 200 + 1


@pytest.fixture
def session() -> Session:
    kernel = simtlab.assemble(LOOP)["loop"]
    launch = simtlab.record(kernel, items=4, group_size=4, warp=4)
    return simtlab.debug(launch(200, np.zeros(4, np.uint32)))


def pause_after(session: Session, calls: int) -> None:
    """Ask for a pause once the session has asked `calls` times whether to go on."""
    left = calls

    def asked() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    session.asked = asked


def test_continue_without_breakpoints_stops_where_it_is(session) -> None:
    pause_after(session, 100)
    stop = session.resume()
    assert (stop.reason, stop.text) == ("pause", "interrupted")
    assert session.position == 101
    session.asked = lambda: False
    assert session.resume().reason == "end"
    assert session.position == ISSUES


def test_no_hit_is_passed_while_a_condition_is_looked_for(session) -> None:
    session.breakpoints.at_label("@again").set_condition("$s0 == 150")
    session.step(5)
    pause_after(session, 300)
    stop = session.resume()
    assert (stop.reason, stop.text, stop.breakpoint) == ("pause", "interrupted", None)
    assert 5 < session.position < 2 + 3 * 150
    reached = session.position
    session.asked = lambda: False
    assert session.value("$s0") < 150
    assert session.resume().reason == "breakpoint"
    assert session.value("$s0") == 150
    assert session.position > reached


@pytest.mark.parametrize("calls", [0, 50, 200, 500])
def test_with_two_breakpoints_a_pause_stays_before_the_hits_of_both(session, calls) -> None:
    for value in (140, 30):
        session.breakpoints.at_label("@again").set_condition(f"$s0 == {value}")
    pause_after(session, calls)
    session.resume()
    assert session.position <= 2 + 3 * 30
    session.asked = lambda: False
    while session.value("$s0") != 30:
        session.resume()
        assert session.value("$s0") in (30, 140)
        assert session.value("$s0") == 30


def test_a_pause_backwards_stays(session) -> None:
    session.goto(400)
    session.breakpoints.at_label("@again").set_condition("$s0 == 7")
    pause_after(session, 20)
    assert session.resume(back=True).text == "interrupted"
    assert session.position == 400
    session.asked = lambda: False
    session.resume(back=True)
    assert session.value("$s0") == 7


def test_goto_ends_where_it_is(session) -> None:
    pause_after(session, 10)
    assert session.goto(500).reason == "pause"
    assert session.position == 11


# --- faces

LONG = 12_000
"""Iterations: walking through them takes a hundred times as long as it takes to read a message."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tmp_path = tmp_path_factory.mktemp("long")
    (tmp_path / "loop.sasm").write_text(LOOP)
    kernel = simtlab.assemble(LOOP)["loop"]
    launch = simtlab.record(kernel, items=4, group_size=4, warp=4)
    launch(LONG, np.zeros(4, np.uint32)).save(tmp_path / "loop.npz")
    return tmp_path


def message(number: int, command: str, **arguments: object) -> bytes:
    request = {"seq": number, "type": "request", "command": command, "arguments": arguments}
    body = json.dumps(request).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def test_a_client_pauses_a_long_continue(folder: Path) -> None:
    client = DapClient(folder)
    client.begin(program="loop.npz", stopOnEntry=True)
    client.request("setFunctionBreakpoints",
                   breakpoints=[{"name": "@again", "condition": "$s0 == 11999"}])  # fmt: skip
    client.request("configurationDone")
    client.wait_for("stopped")
    # In one piece: the pause is there before the walk begins.
    client.send_raw(message(100, "continue", threadId=2) + message(101, "pause", threadId=2))
    seen = []
    while not any(m.get("request_seq") == 101 for m in seen):
        seen.append(client.receive())
    stops = [m["body"] for m in seen if m.get("event") == "stopped"]
    assert [(s["reason"], s["text"]) for s in stops] == [("pause", "interrupted")]
    assert all(m["success"] for m in seen if m["type"] == "response")
    # A pause while nothing runs is reported, and the next continue is not ended by it.
    client._seq = 101
    client.request("pause", threadId=2)
    assert client.wait_for("stopped")["reason"] == "pause"
    client.request("continue", threadId=2)
    assert client.wait_for("stopped")["reason"] == "breakpoint"
    assert client.close() == 0


INTERRUPTED = """
import os, signal, sys
from simtlab.cli import main
from simtlab.debugger.machine import Machine

steps, plain = 0, Machine.check_pause

def check_pause(machine):
    global steps
    steps += 1
    if steps == 1000:
        os.kill(os.getpid(), signal.SIGINT)
    plain(machine)

Machine.check_pause = check_pause
sys.exit(main(sys.argv[1:]))
"""
"""The command, which gets the signal of Ctrl-C in the middle of a walk."""


@pytest.mark.skipif(os.name == "nt", reason="a console's Ctrl-C cannot be sent to one process")
@pytest.mark.parametrize("script", [True, False], ids=["script", "prompt"])
def test_ctrl_c_ends_a_long_continue(folder: Path, script: bool) -> None:
    (folder / "walk.txt").write_text("continue\nwhere\n")
    options = ["--script", "walk.txt"] if script else ["--plain"]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, "debug", "loop.npz", *options],
        input="" if script else "continue\np $s0\n",
        capture_output=True, text=True, check=False, cwd=folder, timeout=PATIENCE,
    )  # fmt: skip
    out, err = done.stdout, done.stderr
    assert "interrupted\n" in out, err
    assert "step 1,00" in out.partition("interrupted\n")[2]
    assert "end of the run" not in out
    assert done.returncode == (130 if script else 0)
    assert ("> where" in out) is False
