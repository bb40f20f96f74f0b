"""What the options of `view` change, seen in the recordings that its page embeds."""

from __future__ import annotations

import base64
import io
import json
import re
import webbrowser
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simtlab.timing.simulation.simulator import Simulator

from ..conftest import SCALE_ARGS, Cli

FILE = ["scale.sasm", "--items", "8", *SCALE_ARGS]
TOY = ["--machine", "toy", "--set", "memory=ideal"]


def shown(cli: Cli, *arguments: str, status: int = 0) -> list[dict[str, Any]]:
    """Return the facts of the recordings of a page, with their issues; engines run uncompiled."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("simtlab.cli.jobs.time.Simulator", partial(Simulator, plain=True))
        done = cli("view", *arguments, "-o", "page.html")
    assert done.status == status, done
    return embedded(Path("page.html").read_text("utf-8"))


def embedded(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for data in re.findall(r'simtlab-recording" data-name="[^"]*">([^<]*)</script>', text):
        members = np.load(io.BytesIO(base64.b64decode(data)))
        facts = json.loads(members["facts"].tobytes())
        found.append(facts | {"masks": members["issue_mask"], "t": members["issue_t"]})
    return found


def output(cli: Cli) -> None:
    assert cli("view", *FILE, "-o", "other.html").status == 0
    assert embedded(Path("other.html").read_text("utf-8"))
    assert cli("view", *FILE).status == 0
    assert Path("scale.html").read_text("utf-8") == Path("other.html").read_text("utf-8")


def title(cli: Cli) -> None:
    shown(cli, *FILE, "--title", "two & a half")
    assert "<title>two &amp; a half</title>" in Path("page.html").read_text("utf-8")


def open_(cli: Cli) -> None:
    opened: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(webbrowser, "open", opened.append)
        shown(cli, *FILE)
        assert opened == []
        shown(cli, *FILE, "--open")
    assert opened == [Path("page.html").resolve().as_uri()]


def scheme(cli: Cli) -> None:
    assert [f["scheme"]["name"] for f in shown(cli, *FILE)] == ["stack"]
    assert [f["scheme"]["name"] for f in shown(cli, *FILE, "--scheme", "ppc")] == ["ppc"]


def warp(cli: Cli) -> None:
    assert [f["width"] for f in shown(cli, *FILE, "--warp", "4")] == [4]
    assert cli("view", *FILE, "--warp", "0").status == 2


def machine(cli: Cli) -> None:
    [facts] = shown(cli, *FILE, *TOY)
    assert (facts["kind"], facts["machine"]["name"], facts["policy"]) == ("timing", "toy", "conv")


def policy(cli: Cli) -> None:
    [facts] = shown(cli, *FILE, *TOY, "--policy", "dws.branch-only")
    assert facts["policy"] == "dws.branch-only"


def set_(cli: Cli) -> None:
    [before] = shown(cli, *FILE, *TOY)
    [slow] = shown(cli, *FILE, *TOY, "--set", "l1d.hit_latency=50")
    assert before["end"] < slow["end"]
    [knob] = shown(cli, *FILE, "--scheme", "ppc", "--set", "scheme.cascade=false")
    assert knob["scheme"]["knobs"] == {"cascade": False}


def compare(cli: Cli) -> None:
    both = shown(cli, *FILE, *TOY, "--compare", "conv,dws.branch-only")
    assert [f["policy"] for f in both] == ["conv", "dws.branch-only"]
    both = shown(cli, *FILE, *TOY, "--policy", "dws.branch-only", "--compare", "conv")
    assert [f["policy"] for f in both] == ["dws.branch-only", "conv"]
    both = shown(cli, *FILE, "--compare", "stack,ppc")
    assert [f["scheme"]["name"] for f in both] == ["stack", "ppc"]
    both = shown(cli, *FILE, "--scheme", "ppc", "--compare", "per-thread")
    assert [f["scheme"]["name"] for f in both] == ["ppc", "per-thread"]


def record_window(cli: Cli) -> None:
    [facts] = shown(cli, *FILE, "--record-window", "3:6")
    assert facts["t"].tolist() == [3, 4, 5]


def record_issues(cli: Cli) -> None:
    [facts] = shown(cli, *FILE, "--record-issues", "4")
    assert (len(facts["t"]), facts["lost"] > 0) == (4, True)


def kernel(cli: Cli) -> None:
    [facts] = shown(cli, "two.sasm", "--kernel", "set", "--items", "8", "--arg", "x=zeros:8",
                    "--arg", "v=3")  # fmt: skip
    assert [k["name"] for k in facts["kernels"]] == ["set"]


def grid_and_block(cli: Cli) -> None:
    [facts] = shown(cli, "scale.sasm", "--grid", "2", "--block", "4", *SCALE_ARGS)
    [launch] = facts["launches"]
    assert (launch["groups"], launch["group_size"]) == ([2, 1, 1], [4, 1, 1])


def items(cli: Cli) -> None:
    [facts] = shown(cli, "scale.sasm", "--items", "5", *SCALE_ARGS)
    assert int(facts["masks"][0]).bit_count() == 5


def arg(cli: Cli) -> None:
    [facts] = shown(cli, *FILE)
    values = {a["name"]: a["value"] for a in facts["launches"][0]["arguments"]}
    given = dict(word.split("=", 1) for word in SCALE_ARGS[1::2])
    assert values["n"] == int(given["n"])


def size_and_seed(cli: Cli) -> None:
    [first] = shown(cli, "merge", "--size", "tiny", "--record-issues", "9")
    [second] = shown(cli, "merge", "--size", "tiny", "--seed", "1", "--record-issues", "9")
    assert first["title"].startswith("merge")
    assert first["final"] != second["final"]


def param(cli: Cli) -> None:
    words = ["table1", "--size", "tiny", "--record-issues", "9"]
    [all_items] = shown(cli, *words)
    [one] = shown(cli, *words, "--param", "n=1")
    assert all_items["final"] != one["final"]


def budget(cli: Cli) -> None:
    [facts] = shown(cli, "two.sasm", "--kernel", "spin", "--items", "1", "--budget", "20", status=1)
    assert "a work-item has executed 20 instructions" in facts["outcome"]["text"]


def exited_arrive(cli: Cli) -> None:
    leave = ["two.sasm", "--kernel", "leave", "--items", "64", "--block", "64"]
    [facts] = shown(cli, *leave, status=1)
    assert facts["outcome"] is not None
    [facts] = shown(cli, *leave, "--exited-arrive")
    assert facts["outcome"] is None


def markers(cli: Cli) -> None:
    def stems(*more: str) -> set[str]:
        [facts] = shown(cli, *FILE, *more)
        return {i["stem"] for i in facts["kernels"][0]["instructions"]}

    assert "reconverge" not in stems()
    assert "reconverge" in stems("--markers", "explicit")


def subdivide_limit(cli: Cli) -> None:
    def splits(limit: str) -> int:
        [facts] = shown(cli, *FILE, *TOY, "--policy", "dws.branch-only", "--subdivide-limit", limit)
        return facts["statistics"]["branch_split"]

    assert splits("0") == 0 < splits("50")


def json_(cli: Cli) -> None:
    found = cli("view", *FILE, "-o", "page.html", "--json").json
    assert found["bytes"] == Path("page.html").stat().st_size
    assert [r["kind"] for r in found["recordings"]] == ["functional"]


EFFECTS: dict[tuple[str, str], Callable[[Cli], None]] = {
    ("view", "--output"): output,
    ("view", "--title"): title,
    ("view", "--open"): open_,
    ("view", "--scheme"): scheme,
    ("view", "--warp"): warp,
    ("view", "--machine"): machine,
    ("view", "--policy"): policy,
    ("view", "--set"): set_,
    ("view", "--compare"): compare,
    ("view", "--record-window"): record_window,
    ("view", "--record-issues"): record_issues,
    ("view", "--kernel"): kernel,
    ("view", "--grid"): grid_and_block,
    ("view", "--block"): grid_and_block,
    ("view", "--items"): items,
    ("view", "--arg"): arg,
    ("view", "--size"): size_and_seed,
    ("view", "--param"): param,
    ("view", "--seed"): size_and_seed,
    ("view", "--budget"): budget,
    ("view", "--exited-arrive"): exited_arrive,
    ("view", "--markers"): markers,
    ("view", "--subdivide-limit"): subdivide_limit,
    ("view", "--json"): json_,
}
