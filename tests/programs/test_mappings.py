"""Mappings of tasks to work-items: every task once, by the work-item that it should be."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simtlab.programs
from simtlab.asm.assemble import assemble
from simtlab.emu.module import Module
from simtlab.emu.schemes import SCHEMES
from simtlab.isa.errors import UsageError
from simtlab.programs import Entry, catalogue, find
from simtlab.programs.mappings import CYCLIC, MAPPINGS, OF_GRIDS, OF_LINES
from simtlab.programs.runner import PlainLauncher, run_program
from simtlab.programs.workload import persistent

VISITS = """\
.include "tasks/cyclic.sinc"
.include "grids/line.sinc"
.macro visit i                          // count the visit, and note who was here
    cvt_u64_u32         $d2, \\i
    mad_u64             $d3, $d2, 4, $d0
    mov_u32             $s8, 1
    atomic_add_global_u32 [$d3], $s8
    mad_u64             $d3, $d2, 4, $d1
    workitemabsid_u32   $s9, 0
    st_global_u32       $s9, [$d3]
.endmacro
.macro arrays
    ld_kernarg_u64      $d0, [%seen]
    ld_kernarg_u64      $d1, [%owner]
.endmacro
kernel from(u32 %from, u32 %end, global u32* %seen, global u32* %owner) {
    ld_kernarg_u32      $s2, [%from]
    ld_kernarg_u32      $s3, [%end]
    arrays
    first_task_from     $s0, $s1, $s2, $s3, @done
@task:
    visit               $s0
    next_task           $s0, $s1, $s3, @task
@done:
    ret
}
kernel by(u32 %unit, u32 %end, global u32* %seen, global u32* %owner) {
    ld_kernarg_u32      $s2, [%unit]
    ld_kernarg_u32      $s3, [%end]
    arrays
    first_task_by       $s0, $s1, $s2, $s3, @done
@task:
    visit               $s0
    next_task           $s0, $s1, $s3, @task
@done:
    ret
}
kernel cells(u32 %width, u32 %height, global u32* %seen, global u32* %owner) {
    ld_kernarg_u32      $s2, [%width]
    ld_kernarg_u32      $s3, [%height]
    mul_u32             $s4, $s2, $s3
    arrays
    first_cell          $s0, $s1, $s2, $s3, $s4, @done
@cell:
    this_cell           $s0, $s2, $s3, @next
    visit               $s0
@next:
    next_cell           $s0, $s1, $s2, $s4, @cell
@done:
    ret
}
"""

DWS = [e for e in catalogue() if e.folder == "dws"]
VARIANTS = [
    entry.variant(mapping, data)
    for entry in DWS
    for data in entry.data_names
    for mapping in entry.workload.mappings
    if mapping != "cyclic" or data != entry.data_names[0]
]

each_mapping = pytest.mark.parametrize("name", MAPPINGS)


def words(entry: Entry) -> str:
    return f"{entry.short}-{entry.data}-{entry.mapping.name}"


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Module]:
    """The kernels above under a mapping; they need no more than the folders of macros."""
    folder = tmp_path_factory.mktemp("visits")
    for macros in ("tasks", "grids"):
        shutil.copytree(Path(simtlab.programs.__file__).parent / "dws" / macros, folder / macros)
    source = folder / "visits.sasm"
    source.write_text(VISITS)
    return cache(lambda name: Module(assemble(source, includes=MAPPINGS[name].includes)))


def visits(
    module: Module,
    name: str,
    kernel: str,
    first: int,
    second: int,
    *,
    tasks: int,
    width: int | None = None,
    contexts: int = 64,
    core_contexts: int = 16,
    warp: int = 16,
) -> tuple[np.ndarray, np.ndarray]:
    """How often each place was visited, and by which work-item last."""
    seen, owner = np.zeros((2, 2_000), np.uint32)
    seen, owner = seen.copy(), owner.copy()
    launcher = PlainLauncher(
        module, engine="interp", warp=warp, contexts=contexts, core_contexts=core_contexts,
        mapping=MAPPINGS[name],
    )  # fmt: skip
    persistent(launcher, kernel, tasks, width)(first, second, seen, owner)
    return seen, owner


def assert_once(seen: np.ndarray, places: Any) -> None:
    expected = np.zeros_like(seen)
    expected[places] = 1
    wrong = np.flatnonzero(seen != expected)
    assert not len(wrong), f"{wrong[:8]} visited {seen[wrong[:8]]} times"


machines = st.tuples(st.integers(1, 5), st.integers(1, 9), st.sampled_from([1, 4, 16]))
"""Cores, warps of a core, lanes of a warp."""


@each_mapping
@settings(max_examples=12, deadline=None)
@given(data=st.data(), machine=machines)
def test_each_task_is_visited_once(
    module: Callable[[str], Module], name: str, data: st.DataObject, machine: tuple[int, int, int]
) -> None:
    cores, warps, warp = machine
    sizes = {"contexts": cores * warps * warp, "core_contexts": warps * warp, "warp": warp}
    count = data.draw(st.integers(0, 300), "tasks")
    offset = data.draw(st.integers(0, 40), "from")
    seen, _ = visits(module(name), name, "from", offset, offset + count, tasks=count, **sizes)
    assert_once(seen, slice(offset, offset + count))
    unit, end = data.draw(st.integers(1, 9), "unit"), count
    seen, _ = visits(module(name), name, "by", unit, end, tasks=-(-end // unit), **sizes)
    assert_once(seen, slice(0, end, unit))
    width, height = data.draw(st.tuples(st.integers(1, 40), st.integers(1, 40)), "grid")
    seen, _ = visits(
        module(name), name, "cells", width, height, tasks=width * height, width=width, **sizes
    )
    assert_once(seen, slice(0, width * height))


def owners_of_cells(module: Module, name: str, width: int, height: int) -> np.ndarray:
    """Which of 64 work-items on four cores has each cell."""
    cells = width * height
    _, owner = visits(module, name, "cells", width, height, tasks=cells, width=width)
    return owner[:cells].reshape(height, width)


def tiled(width: int, height: int, columns: int, rows: int) -> np.ndarray:
    """The number of each cell, tile by tile, for a grid of whole tiles."""
    tiles = np.arange(width * height).reshape(height // rows, width // columns, rows, columns)
    return tiles.transpose(0, 2, 1, 3).reshape(height, width)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cyclic", lambda i, x, y: i % 64),
        ("affinity", lambda i, x, y: i // 192 * 16 + i % 192 % 16),
        ("blocks", lambda i, x, y: i // 12),
        ("tasks", lambda i, x, y: i),
        ("rows", lambda i, x, y: y),
        ("row-tasks", lambda i, x, y: y),
        ("tiles", lambda i, x, y: tiled(24, 32, 4, 4) % 64),
        ("tile-tasks", lambda i, x, y: tiled(24, 32, 4, 4)),
        ("columns", lambda i, x, y: tiled(24, 32, 1, 16) % 64),
    ],
)
def test_who_has_which_cell(
    module: Callable[[str], Module], name: str, expected: Callable[..., np.ndarray]
) -> None:
    y, x = np.indices((32, 24))
    owner = owners_of_cells(module(name), name, 24, 32)
    np.testing.assert_array_equal(owner, expected(y * 24 + x, x, y))


def test_rows_go_round_where_there_are_more_of_them_than_work_items(
    module: Callable[[str], Module],
) -> None:
    owner = owners_of_cells(module("rows"), "rows", 3, 150)
    np.testing.assert_array_equal(owner[:, 0], np.arange(150) % 64)


def test_a_work_item_a_task_comes_in_workgroups_of_a_warp(module: Callable[[str], Module]) -> None:
    launcher = PlainLauncher(module("tasks"), warp=8, mapping=MAPPINGS["tasks"], engine="interp")
    arrays = np.zeros(100, np.uint32), np.zeros(100, np.uint32)
    persistent(launcher, "from", 100)(0, 100, *arrays)
    geometry = launcher.results[0].geometry
    assert (geometry.items[0], geometry.group_size[0]) == (100, 8)


def test_every_mapping_is_there_for_grids_and_none_is_named_twice() -> None:
    assert set(OF_GRIDS) == set(MAPPINGS)
    assert set(OF_LINES) == {"cyclic", "affinity", "blocks", "tasks"}
    assert not CYCLIC.includes
    titles = [m.title for m in MAPPINGS.values()]
    assert len(set(titles)) == len(titles)


# --- the programs


@pytest.mark.parametrize("entry", VARIANTS, ids=words)
def test_programs_are_right_under_every_mapping_and_with_all_data(entry: Entry) -> None:
    # The JIT compiles for a tenth of a second and more: it has those of two programs only.
    engine = "jit" if entry.name in ("dws/lu", "dws/merge") else "interp"
    launcher = PlainLauncher(
        Module(entry.assemble()), engine=engine, warp=8, contexts=64, core_contexts=16
    )
    run = run_program(entry, launcher, size="tiny", seed=1)
    assert run.error is None, f"{engine}: {run.error}"


def test_a_kernel_of_another_mapping_than_its_launch_is_found_wrong() -> None:
    """The check of the tests above: work-items that end after a task, where there are more."""
    entry = find("dws/short")
    launcher = PlainLauncher(Module(entry.variant("tasks").assemble()))
    run = run_program(entry, launcher, size="small")
    assert run.error is not None


@each_mapping
def test_memory_is_the_same_under_every_scheme_and_mapping(name: str) -> None:
    entry = find("dws/hotspot")
    usual = run_program(entry, size="tiny").memory_digest
    variant = entry.variant(name)
    for scheme in SCHEMES:
        markers = "explicit" if scheme.endswith("explicit") else "auto"
        module = Module(variant.assemble(markers=markers))
        launcher = PlainLauncher(module, engine="interp", scheme=scheme, warp=8, contexts=64)
        run = run_program(variant, launcher, size="tiny")
        assert run.error is None
        assert run.memory_digest == usual


def test_the_usual_variant_is_the_program_itself() -> None:
    entry = find("dws/hotspot")
    assert entry.variant() == entry.variant("cyclic", "f32") == entry
    assert entry.variant("blocks", "f64") == entry.variant(data="f64").variant(mapping="blocks")
    assert entry.variant("blocks", "f64").path.name == "hotspot_f64.sasm"
    assert entry.variant("blocks", "f64").variant("cyclic", "f32") == entry


def test_a_mapping_changes_nothing_but_the_loop_over_tasks() -> None:
    entry = find("dws/lu")
    kernels = [
        [k.signature for k in entry.variant(m).assemble().kernels] for m in entry.workload.mappings
    ]
    assert all(signatures == kernels[0] for signatures in kernels)


@pytest.mark.parametrize(
    ("program", "mapping", "data", "text"),
    [
        ("fft", "tiles", None, "dws/fft has no mapping 'tiles', because its tasks are not the "
         "cells of a grid; it has cyclic, affinity, blocks, tasks"),
        ("merge", "rows", None, "because its tasks are not the cells of a grid"),
        ("dws/hotspot", "block", None, "dws/hotspot has no mapping 'block'; it has cyclic, "),
        ("dws/hotspot", "", None, "dws/hotspot has no mapping ''; it has cyclic, "),
        ("saxpy", "blocks", None, "basics/saxpy has one mapping only"),
        ("saxpy", None, "f64", "basics/saxpy has one data only"),
        ("dws/hotspot", None, "f16", "dws/hotspot has no data 'f16'; it has f32, f64"),
        ("lu", None, "f32", "dws/lu has no data 'f32'; it has f64"),
    ],
)  # fmt: skip
def test_what_a_program_does_not_have_is_refused(
    program: str, mapping: str | None, data: str | None, text: str
) -> None:
    with pytest.raises(UsageError) as error:
        find(program).variant(mapping, data)
    assert text in str(error.value)


def test_a_near_miss_is_suggested() -> None:
    with pytest.raises(UsageError) as error:
        find("svm").variant("blokcs")
    assert "blocks" in str(error.value.diagnostics[0].hint)


def test_names_of_variants_are_of_the_right_type() -> None:
    with pytest.raises(UsageError):
        find("svm").variant(3)  # pyright: ignore[reportArgumentType]


def test_data_of_a_variant_have_its_types() -> None:
    for name, array, dtype in (
        ("dws/hotspot", "temp", np.float64), ("filter", "image", np.int32), ("svm", "x", np.float64)
    ):  # fmt: skip
        entry = find(name)
        variant = entry.variant(data=entry.data_names[1])
        assert run_program(variant, size="tiny").data[array].dtype == dtype
        assert replace(variant, data="") == entry
