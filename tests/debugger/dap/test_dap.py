"""The Debug Adapter Protocol, driven over pipes as an editor does it."""

from __future__ import annotations

import base64
import json
import socket
import subprocess
import sys

import numpy as np
import pytest

from ...emu.support.locks import SPIN_LOCK
from ..support.dap_client import PATIENCE, DapClient, RequestFailed
from ..support.kernels import AFFINE, X


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "affine.sasm").write_text(AFFINE)
    (tmp_path / "spin.sasm").write_text(SPIN_LOCK)
    np.save(tmp_path / "x.npy", X)
    return tmp_path


@pytest.fixture
def client(folder):
    found = DapClient(folder)
    yield found
    found.process.kill()
    found.process.communicate()


ARGUMENTS = {
    "program": "affine.sasm", "items": 8, "warp": 8,
    "args": {"a": 2, "b": 100, "x": "@x.npy", "y": "zeros:8"},
}  # fmt: skip


def line_of(text: str) -> int:
    (found,) = [n for n, line in enumerate(AFFINE.splitlines(), 1) if text in line]
    return found


def top(client: DapClient, thread: int) -> dict:
    return client.request("stackTrace", threadId=thread)["stackFrames"][0]


def scope(client: DapClient, frame: int, name: str) -> list[dict]:
    scopes = client.request("scopes", frameId=frame)["scopes"]
    (found,) = [s for s in scopes if s["name"].startswith(name)]
    return client.request("variables", variablesReference=found["variablesReference"])["variables"]


def test_stop_where_lane_3_gets_its_wrong_value(client, folder):
    """y[3] is 14 instead of 114: a data breakpoint, then back to what clobbered $s5."""
    client.begin(**ARGUMENTS, stopOnEntry=True)
    info = client.request("dataBreakpointInfo", name="y[3]")
    assert info["dataId"]
    assert info["accessTypes"] == ["write"]
    (point,) = client.request(
        "setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}]
    )["breakpoints"]
    assert point["verified"]
    client.request("configurationDone")
    assert client.wait_for("stopped")["reason"] == "entry"

    client.request("continue", threadId=2)
    stop = client.wait_for("stopped")
    assert (stop["reason"], stop["hitBreakpointIds"]) == ("data breakpoint", [point["id"]])
    threads = {t["id"]: t["name"] for t in client.request("threads")["threads"]}
    assert threads[1] == "lane 3 of warp 0 of workgroup 0"
    frame = top(client, stop["threadId"])
    assert frame["line"] == line_of("ret")
    assert client.request("evaluate", expression="y[3]", frameId=frame["id"])["result"] == "14"
    assert client.request("evaluate", expression="$s5", context="hover")["result"].startswith("0 ")

    # Who wrote $s5? The console has the command language.
    writer = client.request("evaluate", expression="writer $s5", context="repl")["result"]
    assert f"affine.sasm:{line_of('mov_u32            $s5, 0')}" in writer
    info = client.request("dataBreakpointInfo", name="$s5[3]")
    client.request("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"]}])
    client.request("reverseContinue", threadId=stop["threadId"])
    stop = client.wait_for("stopped")
    assert stop["reason"] == "data breakpoint"
    frame = top(client, stop["threadId"])
    assert frame["line"] == line_of("sub_s32")
    client.request("stepBack", threadId=stop["threadId"])
    stop = client.wait_for("stopped")
    frame = top(client, stop["threadId"])
    assert frame["line"] == line_of("mov_u32            $s5, 0")
    assert frame["source"]["path"] == str(folder / "affine.sasm")
    assert "lanes 3" in frame["name"]

    # Mended on the spot: the run is executed anew with b in $s5, once it is clobbered.
    client.request("next", threadId=stop["threadId"])
    stop = client.wait_for("stopped")
    client.request("next", threadId=stop["threadId"])
    stop = client.wait_for("stopped")
    frame = top(client, stop["threadId"])
    scopes = client.request("scopes", frameId=frame["id"])["scopes"]
    reference = next(s for s in scopes if s["name"] == "Registers $s")["variablesReference"]
    answer = client.request("setVariable", variablesReference=reference, name="$s5", value="100")
    assert answer["value"] == "100"
    assert client.wait_for("stopped")["reason"] == "goto"
    client.request("setDataBreakpoints", breakpoints=[])
    client.request("continue", threadId=2)
    client.wait_for("stopped")
    values = client.request("evaluate", expression="memory y", context="repl")["result"]
    assert values.split()[1:] == ["110", "102", "108", "114", "104", "112", "106", "116"]
    assert client.close() == 0


def test_breakpoints_move_and_have_conditions_and_counts(client, folder):
    client.begin(**ARGUMENTS)
    label = line_of("@positive:")
    answer = client.request(
        "setBreakpoints",
        source={"path": str(folder / "affine.sasm")},
        breakpoints=[
            {"line": label, "condition": "$s3 == 8"},
            {"line": 999},
            {"line": 5, "condition": "$s3 =="},
            {"line": 5, "hitCondition": "2"},
        ],
    )["breakpoints"]
    assert answer[0]["verified"]
    assert answer[0]["line"] == label + 1
    assert not answer[1]["verified"]
    assert "no instruction" in answer[1]["message"]
    assert not answer[2]["verified"]
    assert "column" in answer[2]["message"]
    assert answer[3]["verified"]
    client.request("configurationDone")
    stop = client.wait_for("stopped")
    assert stop["reason"] == "breakpoint"
    assert stop["hitBreakpointIds"] == [answer[0]["id"]]
    frame = top(client, 1)
    names = {v["name"]: v["value"] for v in scope(client, frame["id"], "Focus")}
    assert names["lane"] == "7"


def test_labels_are_functions(client):
    client.begin(**ARGUMENTS)
    answer = client.request(
        "setFunctionBreakpoints", breakpoints=[{"name": "@positive"}, {"name": "@positiv"}]
    )["breakpoints"]
    assert answer[0]["verified"]
    assert not answer[1]["verified"]
    assert "did you mean `@positive`" in answer[1]["message"]
    client.request("configurationDone")
    assert client.wait_for("stopped")["hitBreakpointIds"] == [answer[0]["id"]]


def test_paths_of_the_stack_are_frames_below(client):
    client.begin(**ARGUMENTS, stopOnEntry=True)
    client.request("configurationDone")
    client.wait_for("stopped")
    client.request("evaluate", expression="to divergence", context="repl")
    client.wait_for("stopped")
    frames = client.request("stackTrace", threadId=2)["stackFrames"]
    assert frames[0]["line"] == line_of("mov_u32            $s5, 0")
    assert "lanes 3)" in frames[0]["name"]
    assert "lanes 0-2, 4-7" in frames[1]["name"]
    assert frames[1]["presentationHint"] == "subtle"
    assert frames[1]["line"] == line_of("@positive:") + 1
    paged = client.request("stackTrace", threadId=2, startFrame=1, levels=1)
    assert [f["name"] for f in paged["stackFrames"]] == [frames[1]["name"]]
    assert paged["totalFrames"] == len(frames)


def test_memory_registers_and_code_are_read(client):
    client.begin(**ARGUMENTS, stopOnEntry=True)
    client.request("configurationDone")
    client.wait_for("stopped")
    client.request("stepIn", threadId=2)
    client.wait_for("stopped")
    frame = top(client, 2)
    arrays = scope(client, frame["id"], "Memory")
    x = next(v for v in arrays if v["name"] == "x")
    page = client.request(
        "variables", variablesReference=x["variablesReference"], start=2, count=3
    )["variables"]
    assert [(v["name"], v["value"]) for v in page] == [("[2]", "4"), ("[3]", "-7"), ("[4]", "2")]
    raw = client.request("readMemory", memoryReference=x["memoryReference"], count=40)
    content = base64.b64decode(raw["data"])
    assert np.frombuffer(content, np.int32).tolist() == X.tolist()
    assert raw["unreadableBytes"] == 40 - 32
    lanes = scope(client, frame["id"], "All lanes")
    s0 = next(v for v in lanes if v["name"] == "$s0")
    rows = client.request("variables", variablesReference=s0["variablesReference"])["variables"]
    assert [v["value"].split()[0] for v in rows] == [str(n) for n in range(8)]
    code = client.request(
        "disassemble", memoryReference=frame["instructionPointerReference"],
        instructionOffset=-2, instructionCount=4,
    )["instructions"]  # fmt: skip
    assert len(code) == 4
    assert code[0]["presentationHint"] == "invalid"
    assert code[2]["instruction"].startswith("cvt_u64_u32")


def test_a_hang_is_an_exception_at_its_end(client):
    client.begin(program="spin.sasm", items=4, warp=4, args=["mutex=zeros:1", "count=zeros:1"])
    client.request("configurationDone")
    stop = client.wait_for("stopped")
    assert stop["reason"] == "exception"
    assert client.request("exceptionInfo", threadId=2)["exceptionId"] == "SIM407"
    client.request("stepBack", threadId=2)
    assert client.wait_for("stopped")["reason"] == "step"


def test_a_simulation_refuses_edits_with_the_reason(client):
    client.begin(**{**ARGUMENTS, "warp": None, "policy": "conv"}, stopOnEntry=True)
    client.request("configurationDone")
    client.wait_for("stopped")
    with pytest.raises(RequestFailed, match="values of a simulation cannot be changed"):
        client.request("evaluate", expression="set y[0] = 1", context="repl")


@pytest.mark.parametrize(
    ("command", "arguments", "message"),
    [
        ("stackTrace", {"threadId": 2}, "send `launch` first"),
        ("fly", {}, "unsupported request 'fly'"),
        ("launch", {}, "`program` is missing"),
        ("launch", {"program": "nothing.sasm"}, "no such file"),
        ("launch", {"program": "affine.sasm", "items": "many"}, "--items takes"),
        ("launch", {"program": "affine.sasm", "items": 8, "args": 7}, "is a list of NAME=VALUE"),
    ],
)
def test_an_error_is_a_failed_response(client, command, arguments, message):
    client.request("initialize")
    with pytest.raises(RequestFailed, match=message):
        client.request(command, **arguments)
    assert client.close() == 0


def test_errors_in_a_session_leave_it_usable(client):
    client.begin(**ARGUMENTS, stopOnEntry=True)
    client.request("configurationDone")
    client.wait_for("stopped")
    for command, arguments in (
        ("variables", {"variablesReference": 77}),
        ("scopes", {"frameId": 99}),
        ("scopes", {}),
        ("stackTrace", {"threadId": 99}),
        ("stackTrace", {"threadId": "x"}),
        ("evaluate", {"expression": "$s99"}),
        ("evaluate", {"expression": "(" * 1000}),
        ("readMemory", {"memoryReference": "here", "count": 1}),
        ("launch", ARGUMENTS),
    ):
        with pytest.raises(RequestFailed) as failed:
            client.request(command, **arguments)
        assert "Traceback" not in str(failed.value)
        assert "bug in simtlab" not in str(failed.value)
    assert client.request("evaluate", expression="1 + 1")["result"] == "2"


def test_a_message_that_is_not_json_is_reported_and_passed_over(client):
    client.send_raw(b"Content-Length: 3\r\n\r\n{{{")
    assert client.request("initialize")["supportsStepBack"]
    assert "not JSON" in client.events[0]["body"]["output"]


def test_a_broken_header_ends_the_session(client):
    client.send_raw(b"Content-Length: lots\r\n\r\n")
    assert "length" in client.receive()["body"]["output"]
    assert client.process.wait(PATIENCE) == 0


def test_a_port_serves_one_client(folder):
    process = subprocess.Popen(
        [sys.executable, "-m", "simtlab", "debug", "--dap-port", "0"],
        stderr=subprocess.PIPE, cwd=folder, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    port = int(process.stderr.readline().split()[-1])
    with socket.create_connection(("127.0.0.1", port)) as connection:
        body = json.dumps({"seq": 1, "type": "request", "command": "disconnect"}).encode()
        connection.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        assert b'"success":true' in connection.makefile("rb").read()
    assert process.wait(PATIENCE) == 0
    process.stderr.close()
