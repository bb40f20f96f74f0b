"""Sweeps: what a file means, what is wrong with one, and where; tables, plots and exports."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

import simtlab
from simtlab.isa.errors import SimtError
from simtlab.lab import Run, Store
from simtlab.lab.sweep.definition import definition_of, read_definition
from simtlab.lab.sweep.sweep import Sweep, sweep

EXAMPLES = Path(simtlab.__file__).parent / "docs" / "examples"

GATHER = """\
kernel gather(u32 %n, global u32* %x, global u32* %y) {
    workitemabsid_u32  $s0, 0
    cvt_u64_u32        $d0, $s0
    ld_kernarg_u64     $d1, [%x]
    mad_u64            $d1, $d0, 4, $d1
    ld_global_u32      $s1, [$d1]
    ld_kernarg_u64     $d1, [%y]
    mad_u64            $d1, $d0, 4, $d1
    st_global_u32      $s1, [$d1]
    ret
}
"""

OWN_MACHINE = 'title = "small"\nwpus = 1\nwarps = 2\nwidth = 8\nmemory = "ideal"\n'

WORKLOAD = """\
import numpy as np
from simtlab.programs import Workload
import helper

def make(rng, n):
    x = rng.integers(0, 9, n, np.uint32) + helper.MORE
    return {"n": n, "x": x, "y": np.zeros_like(x)}

def launch(launcher, data):
    launcher("gather", items=data["n"], group_size=16)(data["n"], data["x"], data["y"])

WORKLOAD = Workload("copies", "", {"tiny": {"n": 64}}, make, launch, lambda d: {"y": d["x"]})
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "gather.sasm").write_text(GATHER)
    (inner / "work.sasm").write_text(GATHER)
    (inner / "work.py").write_text(WORKLOAD)
    (inner / "helper.py").write_text("MORE = 1\n")
    (inner / "mine.toml").write_text(OWN_MACHINE)
    # A link, so that the engine is that of the example, which is compiled once.
    (inner / "young.py").symlink_to(EXAMPLES / "youngest.py")
    return inner


def written(folder: Path, text: str) -> Path:
    path = folder / "sweep.toml"
    path.write_text(text)
    return path


PRODUCT = """\
title = "a product"
programs = ["lessons/nested", "saxpy"]
sizes = ["tiny"]
machines = ["dws", "mine.toml"]
policies = ["conv", "dws.branch-only"]
baseline = "conv"
seeds = [1, 2]

[fields]
"l1d.hit_latency" = [2, 3]
l2.hit_latency = 20
"policy.pc-merge" = [true, false]
"""


def test_a_sweep_is_a_product(folder):
    found = read_definition(written(folder, PRODUCT)).runs()
    # The setting is for one of the policies: the other one runs once, not twice.
    assert len(found) == 2 * 2 * 2 * 2 * (1 + 2)
    assert found[0] == Run(
        "lessons/nested", "tiny", "dws", "conv",
        (("l1d.hit_latency", 2), ("l2.hit_latency", 20)), 1,
    )  # fmt: skip
    assert found[1].policy == "dws.branch-only"
    assert dict(found[1].sets)["policy.pc-merge"] is True
    assert {run.machine for run in found} == {"dws", str((folder / "mine.toml").resolve())}


KERNEL = """\
machines = ["mine.toml"]
policies = ["conv"]

[fields]
scheduler = ["fifo", "young.py"]

[[kernels]]
file = "gather.sasm"
size = "few"
items = 32
group_size = 16
args = { n = 32, x = "rand:32", y = "zeros:32" }

[[kernels]]
file = "gather.sasm"
size = "many"
groups = [4, 2]
group_size = 16
args = { n = 128, x = "rand:128", y = "zeros:128" }
"""


def test_own_files_are_beside_the_toml(folder):
    results = sweep(written(folder, KERNEL), store="results.db")
    assert [row["size"] for row in results.rows] == ["few", "few", "many", "many"]
    assert all(row["cycles"] > 0 for row in results.rows)
    assert [row["program"] for row in results.rows] == ["gather.sasm"] * 4
    assert results.table().splitlines()[0].split() == ["size", "scheduler", "cycles"]
    assert {row["scheduler"] for row in results.rows} == {
        "fifo",
        "youngest",
    }  # to which young.py leads
    assert not any("/" in str(run) for run in results.runs)
    (few, *_, many, _) = results.outcomes()
    assert few.result.stats.thread_instructions < many.result.stats.thread_instructions


def test_own_workloads_are_checked_and_their_imports_count(folder, monkeypatch):
    text = 'programs = ["work.py"]\nsizes = ["tiny"]\nmachines = ["mine.toml"]\n'
    # Python takes the bytecode of a module as long as the second and the size of its source are the
    # same, and the helper changes within a second.
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    (first,) = sweep(written(folder, text), store="results.db").outcomes()
    (again,) = sweep(folder / "sweep.toml", store="results.db").outcomes()
    assert again.key == first.key
    (folder / "helper.py").write_text("MORE = 2\n")
    monkeypatch.delitem(__import__("sys").modules, "helper")
    (changed,) = sweep(folder / "sweep.toml", store="results.db").outcomes()
    assert changed.key != first.key
    assert changed.result.memory_digest != first.result.memory_digest


def test_lists_in_python_are_the_same_sweep(folder):
    plain = definition_of(
        {"programs": "lessons/nested, saxpy", "sizes": "tiny", "fields": {"l2.hit_latency": [1]}},
        folder,
    )
    assert len(plain.runs()) == 2
    lists: dict[str, Any] = {"programs": ["saxpy"], "sizes": ["tiny"]}
    lists["machines"] = ["inner/mine.toml"]
    found = sweep(store="results.db", **lists)
    assert found.rows[0]["machine"] == "mine"
    assert len(found.to_frame()) == 1
    replaced = sweep(written(folder, PRODUCT), store="results.db", **{
        **lists, "machines": ["mine.toml"], "policies": ["conv"], "seeds": [0], "fields": {},
        "baseline": "conv",
    })  # fmt: skip
    assert [row["key"] for row in replaced.rows] == [row["key"] for row in found.rows]


def assert_refused(path: Path, text: str, line: int) -> None:
    """A sweep's file is refused in these words, at this line of it."""
    with pytest.raises(SimtError) as caught:
        Sweep(read_definition(path), Store("results.db"))
    message = str(caught.value)
    assert text in message
    assert f"sweep.toml:{line}:" in message, message


@pytest.mark.parametrize(
    ("old", "new", "line", "text"),
    [
        ("title", "titel", 1, "no key 'titel'"),
        ('"saxpy"', '"saxpi"', 2, "did you mean `saxpy`?"),
        ('["tiny"]', '["tinny"]', 3, "did you mean `tiny`?"),
        ('"dws", "mine', '"dsw", "mine', 4, "did you mean `dws`?"),
        ('"mine.toml"', '"yours.toml"', 4, "cannot read machine file"),
        ('"conv", "dws.', '"conw", "dws.', 5, "did you mean `conv`?"),
        ('baseline = "conv"', 'baseline = "lwm"', 6, "not among the policies"),
        ("[1, 2]", "[1, -2]", 7, "whole numbers from 0 on"),
        ("[1, 2]", "[1, 1]", 7, "seeds has 1 twice"),
        ("[1, 2]", "[]", 7, "seeds has no values"),
        ('"l1d.hit_latency"', '"l1d.hit_latencies"', 10, "did you mean `l1d.hit_latency`?"),
        ("[2, 3]", "[2, {}]", 10, "must be a number, a string, true or false"),
        ("[2, 3]", "[2, 0]", 10, "no run can have l1d.hit_latency = 0"),
        ("l2.hit_latency = 20", 'l2.hit_latency = "x"', 11, "no run can have l2.hit_latency = x"),
        ("pc-merge", "pc-marge", 12, "did you mean `pc-merge`?"),
        ("[true, false]", "[true, 7]", 12, "no run can have policy.pc-merge = 7"),
        ('"a product"', '"a product', 1, "is not TOML"),
        ('"a product"', "7", 1, "title must be a string"),
    ],
)
def test_a_mistake_is_reported_with_its_line(folder, old, new, line, text):
    assert old in PRODUCT
    path = written(folder, PRODUCT.replace(old, new, 1))
    assert_refused(path, text, line)


@pytest.mark.parametrize(
    ("old", "new", "line", "text"),
    [
        ('file = "gather.sasm"\nsize = "few"', 'file = "gathr.sasm"', 8, "does not exist"),
        ('file = "gather.sasm"\nsize = "few"', 'file = "work.py"', 8, "is not a kernel"),
        ('file = "gather.sasm"\nsize = "few"', "", 7, "the file of a kernel is missing"),
        ("x = ", "xx = ", 7, "kernel gather has no parameter 'xx'"),
        ("items = 32", "item = 32", 10, "did you mean `items`?"),
        ("items = 32\n", "", 7, "needs one of items"),
        ("items = 32", "items = 0", 10, "one to three positive whole numbers"),
        ("items = 32", "items = [1, 2, 3, 4]", 10, "one to three positive whole numbers"),
        ("{ n = 32,", "{ n = [3],", 12, "args must be a table of numbers and texts"),
        ('size = "many"', 'size = "few"', 14, "two tables [[kernels]] are about gather.sasm"),
        ('"fifo"', '"fifa"', 5, "no run can have scheduler = fifa"),
        ('"young.py"', '"old.py"', 5, "does not exist"),
    ],
)
def test_a_mistake_about_a_kernel_is_reported_with_its_line(folder, old, new, line, text):
    assert old in KERNEL
    path = written(folder, KERNEL.replace(old, new, 1))
    assert_refused(path, text, line)


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ('x = "rand:32", ', "", "kernel gather needs x"),
        ('"rand:32"', '"rond:32"', "did you mean `rand`?"),
        ("n = 32", 'n = "many"', "takes a whole number"),
        ("group_size = 16\nargs = { n = 32", "group_size = 99\nargs = { n = 32", "does not fit"),
    ],
)
def test_a_launch_that_cannot_be_is_a_failure_of_its_runs(folder, old, new, text):
    assert old in KERNEL
    text_of_sweep = KERNEL.replace(old, new, 1).replace(', "young.py"', "")
    found = sweep(written(folder, text_of_sweep), store="results.db")
    assert text in str(found.failures[0].error)
    assert [row.get("cycles") is None for row in found.rows] == [True, False]


def test_mistakes_in_own_files_name_their_line(folder):
    text = 'programs = ["work.py"]\nsizes = ["tiny"]\nmachines = ["mine.toml"]\n'
    path = written(folder, text)
    (folder / "work.py").write_text(WORKLOAD.replace('data["n"], group', 'data["m"], group'))
    assert "work.py:10: KeyError: 'm'" in str(sweep(path, store="results.db").failures[0])
    (folder / "work.py").write_text(WORKLOAD.replace("rng.integers", "rng.integer"))
    with pytest.raises(SimtError, match=r"work.py:6: AttributeError"):
        sweep(path, store="results.db")
    (folder / "work.py").write_text("WORKLOAD = (\n")
    with pytest.raises(SimtError, match=r"work.py:1: SyntaxError"):
        sweep(path, store="results.db")
    (folder / "work.py").write_text("WORKLOAD = 3\n")
    with pytest.raises(SimtError, match="has no WORKLOAD"):
        sweep(path, store="results.db")


def test_speedups_are_over_the_baseline_of_the_same_run(folder):
    found = sweep(
        programs=["lessons/stragglers"], sizes=["tiny"], machines=["inner/mine.toml"],
        policies=["dws.branch-only", "conv"], baseline="conv", store="results.db",
        fields={"wpus": [1, 2], "policy.branch-split": [True]},
    )  # fmt: skip
    rows = found.rows
    for n in (0, 2):
        split, conv = rows[n], rows[n + 1]
        assert (split["wpus"], conv["policy"], conv["speedup"]) == (conv["wpus"], "conv", 1.0)
        assert split["speedup"] == conv["cycles"] / split["cycles"]


def test_parameters_are_for_the_programs_that_have_them(folder):
    table: dict[str, Any] = {
        "programs": ["lessons/table1", "saxpy"], "sizes": ["tiny"],
        "fields": {"param.miss_lanes": [0.1, 0.5], "param.n": [32]},
    }  # fmt: skip
    found = Sweep(definition_of(table, folder), Store("results.db"))
    assert [run.parameters for run in found.runs] == [
        {"miss_lanes": 0.1, "n": 32}, {"miss_lanes": 0.5, "n": 32}, {},
    ]  # fmt: skip
    few, many, _ = (found.resolved[run] for run in found.runs)
    assert few.key != many.key
    assert few.fields["param.miss_lanes"] == 0.1
    table["fields"] = {"param.miss_lines": [1]}
    with pytest.raises(SimtError, match="did you mean `miss_lanes`"):
        definition_of(table, folder)
    table["fields"] = {"param.miss_lanes": [0.1, 7]}
    with pytest.raises(SimtError, match=r"no run can have param\.miss_lanes = 7"):
        Sweep(definition_of(table, folder), Store("results.db"))


def test_all_policies_are_those_that_the_machine_can_run(folder):
    every = definition_of(
        {"programs": ["saxpy"], "sizes": ["tiny"], "policies": ["conv", "all"]}, folder
    )
    found = Sweep(every, Store("results.db"))
    assert not found.refused
    names = {run.policy for run in found.runs}
    assert {"conv", "dws.revive-split"} <= names
    assert not any(name.startswith("lwm") for name in names)


def test_tables_and_pictures(folder):
    plot = {"x": "wpus", "file": "plot.svg", "y": "ipc"}
    found = sweep(
        programs=["saxpy"], sizes=["tiny"], machines=["inner/mine.toml"], seeds=[0, 1],
        fields={"wpus": [1, 2, 4]}, store="results.db", plot=plot,
    )  # fmt: skip
    found.save_picture()
    first = Path("plot.svg").read_bytes()
    assert b"<svg" in first
    found.save_picture("again.svg")
    assert Path("again.svg").read_bytes() == first
    found.save_picture("plot.png")
    assert Path("plot.png").read_bytes().startswith(b"\x89PNG")
    found.save("all.csv")
    with open("all.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["cycles"]) for row in rows] == [row["cycles"] for row in found.rows]
    parquet = pytest.importorskip("pyarrow.parquet")
    found.save("all.parquet")
    table = parquet.read_table("all.parquet")
    assert table.column("cycles").to_pylist() == [row["cycles"] for row in found.rows]
    with pytest.raises(SimtError, match=r"ends in \.csv or \.parquet"):
        found.save("all.xlsx")
    with pytest.raises(SimtError, match=r"ends in \.png, \.svg, \.pdf"):
        found.save_picture("plot.bmp")


def test_over_names_a_picture_has_bars_and_no_lines(folder, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    found = sweep(
        programs=["saxpy", "collatz"], sizes=["tiny"], machines=["toy"], policies=["conv"],
        seeds=[0, 1], store="results.db", baseline="conv",
        plot={"x": "program", "lines": "policy", "y": "cycles"},
    )  # fmt: skip
    drawn = []
    save = matplotlib.figure.Figure.savefig
    monkeypatch.setattr(
        matplotlib.figure.Figure, "savefig",
        lambda figure, *args, **more: (drawn.append(figure), save(figure, *args, **more)),
    )  # fmt: skip
    found.save_picture("bars.png")
    (axes,) = drawn[0].axes
    means = [
        sum(row["cycles"] for row in found.rows if row["program"].endswith(name)) / 2
        for name in ("saxpy", "collatz")
    ]
    assert [bar.get_height() for bar in axes.patches] == pytest.approx(means)
    assert [text.get_text().split("/")[-1] for text in axes.get_xticklabels()] == [
        "saxpy", "collatz",
    ]  # fmt: skip
    assert not axes.lines


def test_the_legend_lies_beside_the_lines(folder, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    found = sweep(
        programs=["saxpy"], sizes=["tiny"], machines=["toy"], policies=["conv"],
        fields={"l2.hit_latency": [10, 20]}, store="results.db",
        plot={"x": "l2.hit_latency", "lines": "policy", "y": "cycles"},
    )  # fmt: skip
    drawn = []
    save = matplotlib.figure.Figure.savefig
    monkeypatch.setattr(
        matplotlib.figure.Figure, "savefig",
        lambda figure, *args, **more: (drawn.append(figure), save(figure, *args, **more)),
    )  # fmt: skip
    found.save_picture("lines.png")
    (axes,), (legend,) = drawn[0].axes, drawn[0].legends
    assert legend.get_window_extent().x0 >= axes.get_window_extent().x1


@pytest.mark.parametrize(
    ("plot", "text"),
    [
        ({"x": "wpu"}, "did you mean `wpus`?"),
        ({"y": "ipcs"}, "did you mean `ipc`?"),
        ({"y": "speedup"}, "speedups need a baseline"),
        ({"lines": "polices"}, "no axis"),
        ({"file": "plot.xyz"}, "ends in .png"),
        ({"colour": "red"}, "no key 'colour'"),
        ({"log": 3}, "log of a plot must be true or false"),
        (3, "plot must be a table"),
    ],
)
def test_mistakes_of_a_plot(folder, plot, text):
    table = {"programs": ["saxpy"], "sizes": ["tiny"], "fields": {"wpus": [1, 2]}, "plot": plot}
    with pytest.raises(SimtError) as caught:
        definition_of(table, folder)
    assert text in str(caught.value)


def test_a_file_that_changes_during_the_sweep_is_no_result(folder, monkeypatch):
    store = Store("results.db")
    planned = Sweep(read_definition(written(folder, KERNEL)), store)
    (folder / "gather.sasm").write_text(GATHER.replace("    ret", "    nop\n    ret"))
    found = planned.run()
    assert {f.code for f in found.failures} == {"SIM551"}
    assert "have changed since the sweep began: program" in str(found.failures[0])
    assert store.select() == []


def test_what_python_passes_wrongly(folder):
    with pytest.raises(SimtError, match="no option 'program'"):
        sweep(program=["saxpy"])
    with pytest.raises(SimtError, match="names no program"):
        sweep(store="results.db")
    with pytest.raises(SimtError, match="workers must be a whole number"):
        sweep(programs=["saxpy"], sizes=["tiny"], store="results.db", workers=0)
    with pytest.raises(SimtError, match="exclude each other"):
        sweep(programs=["saxpy"], sizes=["tiny"], store="r.db", workers=2, scheduler="tcp://x:1")
