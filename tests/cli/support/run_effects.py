"""What the options of `run` change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from ..conftest import SCALE_ARGS, Cli

PNG = b"\x89PNG\r\n\x1a\n"


def scale(cli: Cli, *more: str) -> dict:
    done = cli("run", "scale.sasm", "--items", "8", *SCALE_ARGS, "--json", "--stats", *more)
    assert done.status == 0, done
    return done.json


def saxpy(cli: Cli, *more: str) -> dict:
    done = cli("run", "saxpy", "--size", "tiny", "--json", *more)
    assert done.status == 0, done
    return done.json


def run_kernel(cli: Cli) -> None:
    done = cli(
        "run", "two.sasm", "--kernel", "set", "--items", "4", "--arg", "x=zeros:4", "--arg", "v=7"
    )
    assert done.rows["x"] == "u32[4] [7 7 7 7]"


def run_grid_and_block(cli: Cli) -> None:
    arguments = [
        "run",
        "two.sasm",
        "--kernel",
        "set",
        "--arg",
        "x=zeros:512",
        "--arg",
        "v=1",
        "--json",
    ]
    done = cli(*arguments, "--grid", "3,2", "--block", "4x2")
    assert done.json["items"] == [12, 4, 1]
    assert done.json["group_size"] == [4, 2, 1]
    assert cli(*arguments, "--grid", "2").json["items"] == [512, 1, 1]


def run_items(cli: Cli) -> None:
    assert scale(cli)["items"] == [8, 1, 1]


def run_arg(cli: Cli) -> None:
    assert scale(cli)["changed"] == ["y"]


def run_out(cli: Cli) -> None:
    assert scale(cli, "--out", "y=y.dat")["outputs"] == {"y": "y.dat"}
    np.testing.assert_array_equal(np.load("y.dat"), 2 * np.arange(8, dtype=np.float32))


def run_size(cli: Cli) -> None:
    assert "n=2500" in cli("programs", "saxpy").rows["size tiny"]
    assert saxpy(cli, "--stats")["warp_instructions"] == 1190


def run_param(cli: Cli) -> None:
    line = ("run", "table1", "--size", "tiny", "--param", "miss_every=30.5")
    assert cli(*line).rows["program"] == "lessons/table1, size tiny, miss_every=30.5, seed 0"
    found = cli(*line, "--param", "n=0x10", "--json", "--stats").json
    assert found["parameters"] == {"miss_every": 30.5, "n": 16}
    assert found["warps"] == 1
    assert "n: work-items; a whole number from 1" in cli("programs", "table1").rows["parameters"]
    for words, expected in (
        (["n"], "--param takes NAME=VALUE with a number, not 'n'"),
        (["n=x"], "--param takes NAME=VALUE with a number, not 'n=x'"),
        (["=3"], "--param takes NAME=VALUE with a number, not '=3'"),
        (["n=3", "--param", "n=4"], "--param n is given twice"),
        (["n=1.5"], "cannot have n=1.5: expected a whole number from 1 to 65,536"),
        (["m=1"], "has no parameter 'm'; it has n, "),
        (["branch_every=7.2"], "branch_every=7.2 with this branch_divergence"),
        (["miss_every=2"], "miss_every=2 with branch_every=16: expected at least "),
    ):
        done = cli("run", "table1", "--size", "tiny", "--param", *words)
        assert done.status == 2
        assert expected in done.err
    none = cli("run", "saxpy", "--param", "n=3")
    assert (none.status, "basics/saxpy has no parameters" in none.err) == (2, True)
    file = cli("run", "scale.sasm", "--param", "n=3")
    assert (file.status, "--param is for programs" in file.err) == (2, True)


def run_picture(cli: Cli) -> None:
    done = cli("run", "mandelbrot", "--size", "tiny", "--picture", "m.png")
    assert done.rows["picture"] == "m.png"
    assert Path("m.png").read_bytes().startswith(PNG)


def run_seed(cli: Cli) -> None:
    one, other = (saxpy(cli, "--seed", seed) for seed in "12")
    assert one["memory_digest"] != other["memory_digest"]
    one, other = (scale(cli, "--seed", seed) for seed in "12")
    assert one["memory_digest"] == other["memory_digest"]
    for each in (one, other):
        each["memory_digest"] = None
    rand = [
        "--items",
        "8",
        "--arg",
        "a=2",
        "--arg",
        "n=8",
        "--arg",
        "x=rand:8",
        "--arg",
        "y=ones:8",
    ]
    digests = [
        cli("run", "scale.sasm", *rand, "--json", "--seed", seed).json["memory_digest"]
        for seed in ("1", "1", "2")
    ]
    assert digests[0] == digests[1] != digests[2]


def run_engine(cli: Cli) -> None:
    engines = ("jit", "interp", "oracle")
    found = [saxpy(cli, "--engine", engine) for engine in engines]
    assert tuple(one["engine"] for one in found) == engines
    assert len({one["memory_digest"] for one in found}) == 1
    assert saxpy(cli)["engine"] == "jit"
    assert saxpy(cli, "--stats")["engine"] == "jit"
    assert saxpy(cli, "--stats", "--scheme", "ppc")["engine"] == "interp"


def run_scheme(cli: Cli) -> None:
    stack, threads = scale(cli), scale(cli, "--scheme", "per-thread")
    assert (stack["scheme"], threads["scheme"]) == ("stack", "per-thread")
    assert stack["memory_digest"] == threads["memory_digest"]
    assert stack["pc_comparisons"] != threads["pc_comparisons"]


def run_set(cli: Cli) -> None:
    found = scale(cli, "--scheme", "ppc", "--set", "scheme.cascade=false")
    assert found["knobs"] == {"cascade": False}
    first = scale(cli, "--set", "scheme.first-path=taken")
    assert first["knobs"] == {"first-path": "taken"}


def run_warp(cli: Cli) -> None:
    assert scale(cli, "--warp", "4")["warps"] == 2
    assert scale(cli, "--warp", "0x20")["warps"] == 1


def run_budget(cli: Cli) -> None:
    done = cli("run", "two.sasm", "--kernel", "spin", "--items", "1", "--budget", "1000")
    assert done.status == 1
    assert done.err.startswith("error[SIM406]")


def run_exited_arrive(cli: Cli) -> None:
    arguments = ["run", "two.sasm", "--kernel", "leave", "--items", "64"]
    strict = cli(*arguments)
    assert (strict.status, strict.err[:14]) == (1, "error[SIM405]:")
    assert cli(*arguments, "--exited-arrive").status == 0


def run_threads(cli: Cli) -> None:
    two = cli("run", "collatz", "--size", "tiny", "--threads", "2")
    assert two.rows["run by"].endswith(", 2 threads")
    one, two = (
        cli("run", "collatz", "--size", "tiny", "--json", "--threads", n).json for n in "12"
    )
    usual = cli("run", "collatz", "--size", "tiny", "--json").json
    assert (one["threads"], two["threads"], usual["threads"]) == (1, 2, "auto")
    assert one["digest"] == two["digest"] == usual["digest"]
    wrong = cli("run", "collatz", "--size", "tiny", "--threads", "many")
    assert "--threads takes a positive whole number or auto, not 'many'" in wrong.err


def run_stats(cli: Cli) -> None:
    without, with_stats = (
        cli("run", "saxpy", "--size", "tiny"),
        cli("run", "saxpy", "--size", "tiny", "--stats"),
    )
    assert "divergent branches" not in without.rows
    assert with_stats.rows["divergent branches"] == "1"
    assert with_stats.rows["run by"].startswith("jit, ")
    lock = "run", "lessons/spinlock", "--size", "tiny"
    assert cli(*lock).rows["run by"].startswith("interp in place of jit, ")
    assert cli(*lock, "--stats").rows["run by"].startswith("jit, ")


NEXT = """\
kernel next(global u32* %y) {
    .group u32 tile[4]
    .group u32 other[4]
    workitemid_u32   $s0, 0
    mul_u32          $s1, $s0, 4
    st_group_u32     $s0, [tile+$s1]
    cvt_u64_u32      $d1, $s0
    ld_kernarg_u64   $d0, [%y]
    mad_u64          $d0, $d1, 4, $d0
    st_global_u32    $s0, [$d0]
    ret
}
"""


def run_check(cli: Cli) -> None:
    Path("next.sasm").write_text(NEXT)
    line = ("run", "next.sasm", "--items", "6", "--arg", "y=zeros:6")
    done = cli(*line, "--check")
    assert done.status == 1
    assert done.err.startswith("error[SIM411]: kernel next: the store names tile[4] and reaches")
    assert "check" not in cli(*line, "--json").json
    assert saxpy(cli, "--check")["check"]["findings"] == []


def run_check_unread(cli: Cli) -> None:
    (finding,) = saxpy(cli, "--check-unread")["check"]["findings"]
    assert (finding["code"], finding["place"], finding["count"]) == ("SIM457", "y", 2500)


def run_check_arrays(cli: Cli) -> None:
    Path("next.sasm").write_text(NEXT)
    plain = ("run", "next.sasm", "--items", "6", "--arg", "y=zeros:6")
    assert cli(*plain).status == 0
    done = cli(*plain, "--check-arrays")
    assert done.status == 1
    assert done.err.startswith(
        "error[SIM411]: kernel next: store to group address 16 (4 bytes): outside of tile[4], the "
        "array that the address names; it reaches other[4]\n --> next.sasm:6:5\n"
    )
    assert (
        cli("run", "next.sasm", "--items", "4", "--arg", "y=zeros:4", "--check-arrays").status == 0
    )
    cli("asm", "next.sasm")
    done = cli("run", "next.sbc", "--items", "4", "--arg", "y=zeros:4", "--check-arrays")
    assert done.status == 2
    assert "--check-arrays is for sources" in done.err


def run_check_coverage(cli: Cli) -> None:
    Path("next.sasm").write_text(NEXT)
    line = ("run", "next.sasm", "--items", "5", "--arg", "y=zeros:3x4", "--check-coverage")
    assert cli(*line).rows["written"] == "y: 5 of 12 elements; 7 never, the first is y[1, 1]"
    assert cli(*line, "--json").json["coverage"] == [
        {"array": "y", "elements": 12, "written": 5, "first_gap": [1, 1]}
    ]
    program = saxpy(cli, "--check-coverage")
    assert [(c["array"], c["written"]) for c in program["coverage"]] == [("x", 0), ("y", 2500)]
    assert "coverage" not in saxpy(cli)
    oracle = cli("run", "saxpy", "--size", "tiny", "--check-coverage", "--engine", "oracle")
    assert oracle.status == 2
    assert "needs the interpreter" in oracle.err


def run_lines(cli: Cli) -> None:
    lines = scale(cli, "--lines")["lines"]
    by_line = {line["line"]: line for line in lines}
    assert by_line[3]["executions"] == 1
    assert by_line[10] == {
        "kernel": "scale", "file": "scale.sasm", "line": 10, "text": "nop",
        "executions": 1, "lanes": 4,
    }  # fmt: skip
    text = cli("run", "scale.sasm", "--items", "8", *SCALE_ARGS, "--lines").out
    assert "\n    10            1         4.0  nop\n" in text


def run_markers(cli: Cli) -> None:
    more = [scale(cli, "--markers", m)["warp_instructions"] for m in ("auto", "explicit", "none")]
    assert more[1] > more[0] == more[2]


def run_subdivide_limit(cli: Cli) -> None:
    none = scale(cli, "--subdivide-limit", "0", "--dump", "joins")["dump"]["joins"]
    assert none != scale(cli, "--dump", "joins")["dump"]["joins"]


def run_dump(cli: Cli) -> None:
    done = cli("run", "scale.sasm", "--items", "8", *SCALE_ARGS, "--dump", "encode")
    assert done.out.startswith("kernel scale\n0x0000  ")
    assert done.rows["y"].startswith("f32[8]")
    assert " @kernel(" in saxpy(cli, "--dump", "llvm")["dump"]["llvm"]
    done = cli("run", "scan", "--size", "tiny", "--dump", "llvm=k.ll,asm,joins=k.txt")
    assert done.status == 0
    assert ".text" in done.out
    assert "--- " not in done.out
    shown = Path("k.ll").read_text()
    assert shown.startswith("; kernel scan_blocks, workgroups of ")
    assert "\n; kernel add_sums, workgroups of " in shown
    assert Path("k.txt").read_text().startswith("kernel ")
    assert "\nn0    own mask\n" in saxpy(cli, "--dump", "masks")["dump"]["masks"]
    # Object files have no passes, but native code as any other.
    cli("asm", "scale.sasm")
    done = cli("run", "scale.sbc", "--items", "8", *SCALE_ARGS, "--dump", "asm")
    assert done.out.startswith("# kernel scale, workgroups of 256x1x1\n")


def run_json(cli: Cli) -> None:
    assert scale(cli)["kernel"] == "scale"


EFFECTS: dict[tuple[str, str], Callable[[Cli], None]] = {
    ("run", "--kernel"): run_kernel,
    ("run", "--grid"): run_grid_and_block,
    ("run", "--block"): run_grid_and_block,
    ("run", "--items"): run_items,
    ("run", "--arg"): run_arg,
    ("run", "--out"): run_out,
    ("run", "--size"): run_size,
    ("run", "--param"): run_param,
    ("run", "--picture"): run_picture,
    ("run", "--seed"): run_seed,
    ("run", "--engine"): run_engine,
    ("run", "--scheme"): run_scheme,
    ("run", "--set"): run_set,
    ("run", "--warp"): run_warp,
    ("run", "--budget"): run_budget,
    ("run", "--exited-arrive"): run_exited_arrive,
    ("run", "--threads"): run_threads,
    ("run", "--stats"): run_stats,
    ("run", "--lines"): run_lines,
    ("run", "--check"): run_check,
    ("run", "--check-unread"): run_check_unread,
    ("run", "--check-arrays"): run_check_arrays,
    ("run", "--check-coverage"): run_check_coverage,
    ("run", "--markers"): run_markers,
    ("run", "--subdivide-limit"): run_subdivide_limit,
    ("run", "--dump"): run_dump,
    ("run", "--json"): run_json,
}
