"""What the options of `compare` change. Engines run uncompiled, so that nothing has to be made."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import simtlab
from simtlab.timing.simulation.simulator import Simulator

from ..conftest import SCALE_ARGS, Cli, Done

TOY = ["--machine", "toy", "--set", "memory=ideal"]
TWO = ["--policies", "conv,dws.branch-only"]
FILE = ["scale.sasm", "--items", "8", *SCALE_ARGS]


def compared(cli: Cli, *arguments: str) -> Done:
    """`compare` with engines that run uncompiled."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("simtlab.cli.jobs.time.Simulator", partial(Simulator, plain=True))
        return cli("compare", *arguments)


def listed(cli: Cli, *arguments: str) -> list[dict[str, Any]]:
    done = compared(cli, *arguments, "--json")
    assert done.status == 0, done
    return done.json


def policies(cli: Cli) -> None:
    found = listed(cli, *FILE, *TOY, "--policies", "dws.branch-only,conv")
    assert [(x["policy"], x["speedup"] >= 1) for x in found] == [
        ("dws.branch-only", True),
        ("conv", True),
    ]
    names = {x["policy"] for x in listed(cli, *FILE, *TOY, "--policies", "all")}
    assert {"conv", "dws.revive-split"} < names


def baseline(cli: Cli) -> None:
    first, second = listed(cli, *FILE, *TOY, *TWO, "--baseline", "dws.branch-only")
    assert second["speedup"] == 1.0
    assert first["speedup"] == second["cycles"] / first["cycles"]


def machine(cli: Cli) -> None:
    assert {x["machine"] for x in listed(cli, *FILE, *TOY, *TWO)} == {"toy"}
    assert {x["machine"] for x in listed(cli, *FILE, *TWO)} == {"dws"}


def set_(cli: Cli) -> None:
    before = listed(cli, *FILE, *TOY, *TWO)
    slow = listed(cli, *FILE, *TOY, *TWO, "--set", "l1d.hit_latency=50")
    assert all(x["cycles"] < y["cycles"] for x, y in zip(before, slow, strict=True))
    # A policy without the setting is as before.
    setting = "policy.branch-split"
    plain, split = listed(cli, *FILE, *TOY, *TWO, "--set", f"{setting}=false")
    assert (plain["cycles"], split["cycles"]) == (before[0]["cycles"], before[0]["cycles"])
    assert (setting in plain["settings"], setting in split["settings"]) == (False, True)


def picture(cli: Cli) -> None:
    pytest.importorskip("matplotlib")
    done = compared(cli, *FILE, *TOY, *TWO, "--picture", "c.png")
    assert done.rows["picture"] == "c.png"
    assert Path("c.png").read_bytes().startswith(b"\x89PNG")


def kernel(cli: Cli) -> None:
    arguments = ["--items", "8", "--arg", "x=zeros:8", "--arg", "v=7", *TOY, *TWO]
    done = compared(cli, "two.sasm", "--kernel", "set", *arguments)
    assert done.rows["kernel"] == "set"


def grid_and_block(cli: Cli) -> None:
    found = listed(cli, "scale.sasm", *SCALE_ARGS, *TOY, *TWO, "--grid", "2", "--block", "4")
    assert [x["items"] for x in found] == [[8, 1, 1]] * 2
    assert [x["group_size"] for x in found] == [[4, 1, 1]] * 2


def items(cli: Cli) -> None:
    assert [x["items"] for x in listed(cli, *FILE, *TOY, *TWO)] == [[8, 1, 1]] * 2


def arg(cli: Cli) -> None:
    assert [x["changed"] for x in listed(cli, *FILE, *TOY, *TWO)] == [["y"]] * 2


def size_and_seed(cli: Cli) -> None:
    program = ["saxpy", "--size", "tiny", *TOY, "--policies", "conv"]
    (first,), (second,) = listed(cli, *program), listed(cli, *program, "--seed", "1")
    assert (first["size"], first["checked"], second["seed"]) == ("tiny", True, 1)
    assert first["memory_digest"] != second["memory_digest"]


def param(cli: Cli) -> None:
    words = ["table1", "--size", "tiny", *TOY, "--policies", "conv", "--param", "n=16"]
    (found,) = listed(cli, *words)
    assert (found["parameters"], found["checked"]) == ({"n": 16}, True)


def budget(cli: Cli) -> None:
    spin = ["two.sasm", "--kernel", "spin", "--items", "8", *TOY, *TWO]
    done = compared(cli, *spin, "--budget", "100")
    assert (done.status, done.rows["dws.branch-only"]) == (1, "trapped (SIM406)")
    assert "error[SIM406]: conv, dws.branch-only: kernel spin: instruction budget" in done.err


def exited_arrive(cli: Cli) -> None:
    leave = ["two.sasm", "--kernel", "leave", "--grid", "1", "--block", "64", *TOY, *TWO,
             "--set", "warps=8"]  # fmt: skip
    assert compared(cli, *leave).status == 1
    assert compared(cli, *leave, "--exited-arrive").status == 0


def subdivide_limit(cli: Cli) -> None:
    (none,), (some,) = (
        listed(cli, *FILE, *TOY, "--policies", "dws.branch-only", "--subdivide-limit", limit)
        for limit in ("0", "50")
    )
    assert none["statistics"]["splits_branch"] == 0 < some["statistics"]["splits_branch"]


def json_(cli: Cli) -> None:
    first, second = listed(cli, *FILE, *TOY, *TWO)
    assert {"statistics", "energy", "digest", "stall_cycles", "speedup"} <= set(first)
    assert first["memory_digest"] == second["memory_digest"]


def checked(cli: Cli) -> None:
    example = Path(simtlab.__file__).parent / "docs" / "examples" / "catch_up.py"
    done = cli("compare", *FILE, *TOY, "--policies", str(example), "--checked")
    assert "checked lane by lane: catch_up.py" in done.out


EFFECTS: dict[tuple[str, str], Callable[[Cli], None]] = {
    ("compare", "--policies"): policies,
    ("compare", "--baseline"): baseline,
    ("compare", "--machine"): machine,
    ("compare", "--set"): set_,
    ("compare", "--picture"): picture,
    ("compare", "--checked"): checked,
    ("compare", "--kernel"): kernel,
    ("compare", "--grid"): grid_and_block,
    ("compare", "--block"): grid_and_block,
    ("compare", "--items"): items,
    ("compare", "--arg"): arg,
    ("compare", "--size"): size_and_seed,
    ("compare", "--param"): param,
    ("compare", "--seed"): size_and_seed,
    ("compare", "--budget"): budget,
    ("compare", "--exited-arrive"): exited_arrive,
    ("compare", "--subdivide-limit"): subdivide_limit,
    ("compare", "--json"): json_,
}
