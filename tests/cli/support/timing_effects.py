"""What the options of `time`, `machines`, `policies` and `diff` change."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from simtlab.recording.recording import Recording

from ..conftest import SCALE_ARGS, Cli

TOY = ["--machine", "toy", "--set", "memory=ideal"]


def program(cli: Cli, *more: str) -> dict[str, Any]:
    done = cli("time", "saxpy", "--size", "tiny", "--json", *TOY, *more)
    assert done.status == 0, done
    return done.json


def file(cli: Cli, *more: str, name: str = "scale.sasm") -> dict[str, Any]:
    done = cli("time", name, "--items", "8", *SCALE_ARGS, "--json", *TOY, *more)
    assert done.status == 0, done
    return done.json


def machine(cli: Cli) -> None:
    assert program(cli)["machine"] == "toy"
    done = cli("time", "saxpy", "--size", "tiny", "--set", "memory=ideal", "--json")
    assert done.json["machine"] == "dws"
    Path("mine.toml").write_text("memory = 'ideal'\nwarps = 2\nwidth = 8\n")
    found = cli("time", "saxpy", "--size", "tiny", "--machine", "mine.toml", "--json").json
    assert (found["machine"], found["warp"]) == ("mine", 8)


def policy(cli: Cli) -> None:
    assert program(cli, "--policy", "conv")["policy"] == "conv"
    done = cli("time", "saxpy", "--policy", "konv")
    assert (done.status, done.err.partition("\n")[0]) == (
        2, "error[SIM602]: unknown policy 'konv'"
    )  # fmt: skip


def set_(cli: Cli) -> None:
    slow = program(cli, "--set", "l1d.hit_latency=50")
    assert slow["cycles"] > program(cli)["cycles"]
    assert slow["settings"] == {"memory": "ideal", "l1d.hit_latency": "50"}
    assert slow["statistics"]["instruction_mix"] == program(cli)["statistics"]["instruction_mix"]


YOUNGEST = Path(__file__).parents[3] / "docs" / "examples" / "youngest.py"


def checked(cli: Cli) -> None:
    text = YOUNGEST.read_text(encoding="utf-8")
    Path("never.py").write_text(text.replace("-group(S, g).seq", "1 << 62"))
    own = ["--set", "scheduler=never.py", "--set", "width=4", "--set", "warps=4"]
    done = cli("time", "saxpy", "--size", "tiny", *TOY, *own, "--checked")
    assert done.status == 1
    assert "hook rank (never.py:15) returns 4611686018427387904 for group " in done.err


def annotate(cli: Cli) -> None:
    done = cli("time", "scale.sasm", "--items", "8", *SCALE_ARGS, *TOY, "--annotate")
    assert "kernel scale (scale.sasm)" in done.out
    assert "cbr" in done.out
    assert "cbr" in file(cli, "--annotate")["annotated"]
    assert "annotated" not in file(cli)


def traced(name: str) -> dict[str, Any]:
    return json.loads(gzip.decompress(Path(name).read_bytes()))


def trace(cli: Cli) -> None:
    program(cli, "--trace", "t.json.gz")
    found = traced("t.json.gz")
    assert found["otherData"]["machine"]["name"] == "toy"
    assert {"command", "seed", "sources", "versions"} <= set(found["otherData"])
    assert any(e.get("name") == "ready" for e in found["traceEvents"])
    program(cli, "--trace", "t.kanata")
    assert Path("t.kanata").read_text().startswith("Kanata\t0004\n")
    done = cli("time", "saxpy", "--size", "tiny", *TOY, "--trace", "t.vcd")
    assert (done.status, "a trace ends in .json.gz" in done.err) == (2, True)
    done = cli("time", "saxpy", "--size", "tiny", *TOY, "--trace", "t.npz")
    assert (done.status, "--record t.npz" in done.err) == (2, True)
    assert not Path("t.npz").exists()


def trace_window(cli: Cli) -> None:
    program(cli, "--trace", "t.json.gz", "--trace-window", "100:200")
    times = [e["ts"] for e in traced("t.json.gz")["traceEvents"] if e["ph"] == "X"]
    assert 100 <= min(times) <= max(times) < 200
    program(cli, "--trace", "u.json.gz", "--record-window", "100:200")
    assert traced("u.json.gz")["traceEvents"] == traced("t.json.gz")["traceEvents"]
    for words in (
        ["--trace-window", "1:2"],
        ["--trace", "n.json.gz", "--trace-window", "12"],
        ["--trace", "n.json.gz", "--trace-window", "100:50"],
        ["--trace", "n.json.gz", "--trace-window", "1:50", "--record-window", "1:60"],
    ):
        assert cli("time", "saxpy", "--size", "tiny", *TOY, *words).status == 2
    assert not Path("n.json.gz").exists()


def why(cli: Cli) -> None:
    words = ["time", "saxpy", "--size", "tiny", *TOY, "--why"]
    done = cli(*words, "33")
    assert "work-item 1 of workgroup 1: WPU 0, warp context " in done.out
    assert cli(*words, "1:1").out.partition("work-item 1 of")[2] in done.out
    for item, message in (
        ("x", "--why takes a work-item, not 'x'"),
        ("1:2:3", "--why takes a work-item"),
        ("3@", "--why takes a work-item"),
        ("999999", "work-item 999999 is not in the launch: expected 0 to 2527"),
        ("79:0", "workgroup 79 is not in the launch"),
        ("0:32", "work-item 32 is not in workgroup 0: expected 0 to 31"),
        ("3@1", "launch 1 is not in this recording: expected 0 to 0"),
    ):
        done = cli(*words, item)
        assert (done.status, message in done.err) == (2, True), done
    assert "excludes it" in cli(*words, "3", "--json").out


def record(cli: Cli) -> None:
    program(cli, "--record", "r.npz")
    found = Recording.load("r.npz")
    assert (found.is_timing, found.facts["lost"], found.facts["seed"]) == (True, 0, 0)
    done = cli("time", "saxpy", "--size", "tiny", *TOY, "--record", "r.json")
    assert (done.status, "must end in .npz" in done.err) == (2, True)


def record_window(cli: Cli) -> None:
    program(cli, "--record", "r.npz", "--record-window", "100:200")
    found = Recording.load("r.npz")
    assert (found.begin, found.end) == (100, 200)
    assert 100 <= found.issues["t"].min() <= found.issues["t"].max() < 200
    done = cli("time", "saxpy", "--size", "tiny", *TOY, "--record-window", "1:2")
    assert (done.status, "has no effect without" in done.err) == (2, True)


def record_issues(cli: Cli) -> None:
    done = cli("time", "saxpy", "--size", "tiny", *TOY, "--record", "r.npz", "--record-issues", "9")
    found = Recording.load("r.npz")
    assert len(found.issues) == 9
    total = found.facts["statistics"]["warp_instructions"]
    assert found.facts["lost"] + int(found.issues["n"].sum()) == total
    assert "issues were not recorded" in done.err
    assert cli("time", "saxpy", *TOY, "--record-issues", "9").status == 2


def history(cli: Cli) -> None:
    done = cli("time", "scale.sasm", "--items", "8", *SCALE_ARGS, *TOY, "--history")
    assert "     0 stack   (" in done.out
    assert " run" in done.out


def kernel(cli: Cli) -> None:
    done = cli("time", "two.sasm", "--kernel", "set", "--items", "4", "--arg", "x=zeros:4",
               "--arg", "v=7", *TOY)  # fmt: skip
    assert done.rows["x"] == "u32[4] [7 7 7 7]"


def grid_and_block(cli: Cli) -> None:
    arguments = ["time", "two.sasm", "--kernel", "set", "--arg", "x=zeros:64", "--arg", "v=1",
                 "--json", *TOY]  # fmt: skip
    found = cli(*arguments, "--grid", "2").json
    assert (found["items"], found["group_size"]) == ([64, 1, 1], [32, 1, 1])  # what a WPU holds
    found = cli(*arguments, "--grid", "2", "--block", "8").json
    assert (found["items"], found["group_size"]) == ([16, 1, 1], [8, 1, 1])


def items(cli: Cli) -> None:
    assert file(cli)["items"] == [8, 1, 1]


def arg(cli: Cli) -> None:
    assert file(cli)["changed"] == ["y"]


def out(cli: Cli) -> None:
    file(cli, "--out", "y=y.npy")
    assert np.load("y.npy").tolist() == [2.0 * i for i in range(8)]


def size(cli: Cli) -> None:
    assert program(cli)["size"] == "tiny"


def param(cli: Cli) -> None:
    words = ["time", "table1", "--size", "tiny", "--json", *TOY, "--param", "instructions=100"]
    found = cli(*words).json
    assert found["parameters"] == {"instructions": 100}
    assert found["statistics"]["thread_instructions"] < 64 * 200


def picture(cli: Cli) -> None:
    done = cli("time", "mandelbrot", "--size", "tiny", "--picture", "m.png", "--machine",
               "gpu-small", "--set", "memory=ideal")  # fmt: skip
    assert done.status == 0, done
    assert Path("m.png").read_bytes().startswith(b"\x89PNG")


def seed(cli: Cli) -> None:
    assert program(cli)["memory_digest"] != program(cli, "--seed", "1")["memory_digest"]


def budget(cli: Cli) -> None:
    done = cli("time", "two.sasm", "--kernel", "spin", "--items", "8", "--budget", "100", *TOY)
    assert done.status == 1
    assert "a work-item has executed 100 instructions" in done.err
    assert "and one that did not finish" in done.out


def exited_arrive(cli: Cli) -> None:
    arguments = ["time", "two.sasm", "--kernel", "leave", "--grid", "1", "--block", "64",
                 "--machine", "toy", "--set", "memory=ideal", "--set", "warps=8"]  # fmt: skip
    assert cli(*arguments).status == 1
    assert cli(*arguments, "--exited-arrive").status == 0


def markers(cli: Cli) -> None:
    plain, marked = file(cli), file(cli, "--markers", "explicit")
    assert marked["warp_instructions"] > plain["warp_instructions"]


def subdivide_limit(cli: Cli) -> None:
    texts = [file(cli, "--subdivide-limit", n, "--dump", "joins")["dump"]["joins"] for n in "09"]
    assert texts[0] != texts[1]


def dump(cli: Cli) -> None:
    assert list(file(cli, "--dump", "parse")["dump"]) == ["parse"]


def json_(cli: Cli) -> None:
    found = file(cli)
    assert sum(found["stall_cycles"].values()) == found["cycles"] - found["warp_instructions"]
    assert found["statistics"]["cycles"] == found["cycles"]


def machines_area(cli: Cli) -> None:
    assert "decoders" not in cli("machines", "lwm").out
    assert "decoders" in cli("machines", "lwm", "--area").out


def machines_json(cli: Cli) -> None:
    names = [m["name"] for m in cli("machines", "--json").json]
    assert names == sorted(names)
    assert all(m["source"] for m in cli("machines", "--json").json)
    fields = {f["key"]: f for f in cli("machines", "dws", "--json").json["fields"]}
    assert fields["l1d.size"] == {
        "key": "l1d.size", "value": 32768, "unit": "bytes",
        "text": "capacity; 0: no cache", "source": "DWS Table 3",
    }  # fmt: skip


def policies_json(cli: Cli) -> None:
    listed = cli("policies", "--json").json
    assert {"conv"} <= {p["name"] for p in listed if p["source"] and p["title"]}
    found = cli("policies", "dws.revive-split", "--json").json
    assert found["text"].startswith("A group is split at an access")
    settings = {s["key"]: s for s in found["settings"]}
    assert settings["policy.pc-merge"] == {
        "key": "policy.pc-merge", "value": True, "values": ["true", "false"], "takes": "true false",
        "text": "splits of a warp that are ready at the same PC merge",
    }  # fmt: skip
    assert "revive" in settings["policy.memory-split"]["values"]
    assert "dws" in found["machines"]["switch-on-access"]


def results(cli: Cli) -> list[str]:
    Path("a.json").write_text(json.dumps(file(cli)))
    Path("b.json").write_text(json.dumps(file(cli, "--set", "l1d.hit_latency=9")))
    return ["a.json", "b.json"]


def diff_top(cli: Cli) -> None:
    done = cli("diff", *results(cli), "--top", "1")
    assert "more; --top " in done.out
    assert "speedup 0." in done.rows["cycles"]


def diff_json(cli: Cli) -> None:
    found = cli("diff", *results(cli), "--json").json
    (moved,) = [row for row in found["issue_slots"] if row["cause"] == "hit"]
    assert moved["change"] == moved["b"] - moved["a"] > 0
    assert found["lines"][0]["cause"] == "hit"
    assert found["differs"]["settings"][1]["l1d.hit_latency"] == "9"


EFFECTS: dict[tuple[str, str], Callable[[Cli], None]] = {
    ("time", "--machine"): machine,
    ("time", "--policy"): policy,
    ("time", "--set"): set_,
    ("time", "--annotate"): annotate,
    ("time", "--checked"): checked,
    ("time", "--trace"): trace,
    ("time", "--trace-window"): trace_window,
    ("time", "--why"): why,
    ("time", "--record"): record,
    ("time", "--record-window"): record_window,
    ("time", "--record-issues"): record_issues,
    ("time", "--history"): history,
    ("time", "--kernel"): kernel,
    ("time", "--grid"): grid_and_block,
    ("time", "--block"): grid_and_block,
    ("time", "--items"): items,
    ("time", "--arg"): arg,
    ("time", "--out"): out,
    ("time", "--size"): size,
    ("time", "--param"): param,
    ("time", "--picture"): picture,
    ("time", "--seed"): seed,
    ("time", "--budget"): budget,
    ("time", "--exited-arrive"): exited_arrive,
    ("time", "--markers"): markers,
    ("time", "--subdivide-limit"): subdivide_limit,
    ("time", "--dump"): dump,
    ("time", "--json"): json_,
    ("machines", "--area"): machines_area,
    ("machines", "--json"): machines_json,
    ("policies", "--json"): policies_json,
    ("diff", "--top"): diff_top,
    ("diff", "--json"): diff_json,
}
