"""Every program on every engine and scheme: right results, equal memory, few instructions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

from simtlab.emu.engine import engine_names
from simtlab.emu.schemes import SCHEMES
from simtlab.programs import Entry, catalogue, find

ENTRIES = catalogue()
TINY_LIMIT = 50_000
WAYS = [
    *((name, "stack") for name in engine_names()),
    *(("interp", scheme) for scheme in SCHEMES if scheme != "stack"),
]

each_program = pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)

TABLE1 = find("table1").workload.sizes["tiny"]

MORE_SIZES: list[tuple[str, Mapping[str, float]]] = [
    ("saxpy", {"n": 1}),
    ("vectorsum", {"n": 1, "groups": 1}),
    ("vectorsum", {"n": 5_000, "groups": 9}),
    ("matmul", {"m": 16, "k": 16, "n": 16}),
    ("matmul", {"m": 33, "k": 17, "n": 40}),
    ("matmul", {"m": 1, "k": 1, "n": 1}),
    ("transpose", {"width": 1, "height": 50}),
    ("transpose", {"width": 32, "height": 48}),
    ("scan", {"n": 1}),
    ("scan", {"n": 128}),
    ("scan", {"n": 128 * 128 + 1}),
    ("histogram", {"n": 10, "groups": 3}),
    ("mandelbrot", {"width": 5, "height": 5, "limit": 0}),
    ("mandelbrot", {"width": 40, "height": 30, "limit": 100}),
    ("collatz", {"n": 1}),
    ("bfs", {"nodes": 1, "edges": 0}),
    ("bfs", {"nodes": 300, "edges": 320}),
    ("kmeans", {"n": 1, "dims": 1, "k": 1}),
    ("kmeans", {"n": 300, "dims": 3, "k": 40}),
    ("bitonic", {"n": 1}),
    ("bitonic", {"n": 2}),
    ("bitonic", {"n": 1024}),
    ("filter", {"width": 1, "height": 1}),
    ("filter", {"width": 3, "height": 40}),
    ("hotspot", {"width": 1, "height": 1, "iterations": 1}),
    ("hotspot", {"width": 1, "height": 9, "iterations": 2}),
    ("merge", {"n": 1}),
    ("merge", {"n": 2}),
    ("merge", {"n": 1000}),
    ("fft", {"n": 1}),
    ("fft", {"n": 2}),
    ("fft", {"n": 1024}),
    ("lu", {"n": 1}),
    ("lu", {"n": 2}),
    ("lu", {"n": 33}),
    ("short", {"steps": 1, "choices": 1}),
    ("short", {"steps": 4, "choices": 2}),
    ("dws/kmeans", {"n": 1, "dims": 1, "k": 1, "iterations": 1}),
    ("dws/kmeans", {"n": 300, "dims": 4, "k": 40, "iterations": 3}),
    ("svm", {"n": 1, "dims": 1, "columns": 1}),
    ("svm", {"n": 300, "dims": 3, "columns": 2}),
    ("lwm/reduction", {"n": 1}),
    ("lwm/reduction", {"n": 9_001}),
    ("lwm/histogram", {"n": 3}),
    ("lwm/histogram", {"n": 9_002}),
    ("lwm/matrixmult", {"m": 1, "k": 1, "n": 1}),
    ("lwm/matrixmult", {"m": 40, "k": 5, "n": 70}),
    ("lwm/blackscholes", {"n": 1}),
    ("lwm/blackscholes", {"n": 1_500}),
    ("lwm/kmeans", {"n": 1, "dims": 1, "k": 1, "iterations": 1}),
    ("lwm/kmeans", {"n": 1_300, "dims": 32, "k": 5, "iterations": 2}),
    ("lwm/hotspot", {"width": 1, "height": 1, "iterations": 1}),
    ("lwm/hotspot", {"width": 70, "height": 16, "iterations": 2}),
    ("lwm/bfs", {"nodes": 1, "edges": 0}),
    ("lwm/bfs", {"nodes": 3_000, "edges": 6_000}),
    ("lwm/blackjack", {"players": 1, "hands": 1}),
    ("lwm/blackjack", {"players": 1_100, "hands": 3}),
    ("lwm/needleman", {"pairs": 1, "n": 1}),
    ("lwm/needleman", {"pairs": 3, "n": 37}),
    ("lwm/needleman", {"pairs": 1, "n": 300}),
    ("lwm/viterbi", {"frames": 1, "bits": 1}),
    ("lwm/viterbi", {"frames": 1_100, "bits": 60}),
    ("lwm/decrypt", {"blocks": 1}),
    ("lwm/decrypt", {"blocks": 1_100}),
    ("lwm/sort", {"n": 1, "buckets": 1, "small": 1}),
    ("lwm/sort", {"n": 3_000, "buckets": 4, "small": 128}),
    ("lwm/sort", {"n": 9_000, "buckets": 1, "small": 1024}),
    ("ppc/shortcircuit", {"channels": 1}),
    ("ppc/shortcircuit", {"channels": 300}),
    ("ppc/gotoerror", {"n": 1}),
    ("ppc/gotoerror", {"n": 300}),
    ("ppc/exits", {"n": 1, "bits": 1}),
    ("ppc/exits", {"n": 50, "bits": 2}),
    ("ppc/exits", {"n": 2_000, "bits": 7}),
    ("ppc/fallthrough", {"n": 1}),
    ("ppc/fallthrough", {"n": 300}),
    ("ppc/pathfinder", {"cols": 1, "rows": 2, "pyramid": 1}),
    ("ppc/pathfinder", {"cols": 700, "rows": 30, "pyramid": 20}),
    ("ppc/pathfinder", {"cols": 5, "rows": 128, "pyramid": 127}),
    ("ppc/binarysearch", {"n": 1, "size": 1, "parts": 1}),
    ("ppc/binarysearch", {"n": 60, "size": 9, "parts": 7}),
    ("ppc/floydwarshall", {"n": 2}),
    ("ppc/floydwarshall", {"n": 40}),
    ("ppc/scan", {"n": 1}),
    ("ppc/scan", {"n": 128}),
    ("ppc/scan", {"n": 128 * 128 + 1}),
    ("ppc/dct", {"width": 1, "height": 1}),
    ("ppc/dct", {"width": 40, "height": 24}),
    ("ppc/nw", {"tiles": 1}),
    ("ppc/nw", {"tiles": 5}),
    ("nested", {"n": 1, "shift": 0}),
    ("nested", {"n": 77, "shift": 2}),
    ("trips", {"n": 1, "most": 1, "ascending": 0}),
    ("trips", {"n": 77, "most": 9, "ascending": 1}),
    ("missing", {"n": 1, "trips": 1}),
    ("missing", {"n": 77, "trips": 6}),
    ("runahead", {"n": 1, "trips": 1}),
    ("runahead", {"n": 77, "trips": 6}),
    ("stragglers", {"n": 1, "group": 1, "trips": 1}),
    ("stragglers", {"n": 77, "group": 32, "trips": 6}),
    ("splinters", {"n": 1, "trips": 1, "words": 1}),
    ("splinters", {"n": 77, "trips": 6, "words": 64}),
    ("table1", {**TABLE1, "n": 1}),
    ("table1", {**TABLE1, "n": 77, "instructions": 2_000}),
    ("table1", {**TABLE1, "instructions": 1, "barrier_every": 0}),
    ("table1", {**TABLE1, "miss_lanes": 0, "miss_divergence": 1, "barrier_every": 1}),
    ("table1", {**TABLE1, "miss_lanes": 1, "branch_divergence": 0.2, "miss_every": 50}),
    ("table1", {**TABLE1, "miss_every": 100_000, "branch_every": 60}),
    ("spinlock", {"locks": 1, "naive": 0}),
    ("barrier", {"n": 1, "inside": 0}),
    ("barrier", {"n": 33, "inside": 0}),
    ("barrier", {"n": 64, "inside": 1}),
    ("lockstep", {"sums": 1, "hoping": 0}),
    ("banks", {"tiles": 2, "line": 32}),
    ("rows", {"n": 32, "trips": 1, "across": 0}),
    ("rows", {"n": 96, "trips": 7, "across": 1}),
]
"""Edges of the programs: sizes of one, sizes that divide nothing, one level more."""


def assert_right(result: Any) -> None:
    mismatches = result.mismatches
    assert not mismatches, "\n".join(map(str, mismatches))


@pytest.fixture(scope="module")
def usual(run: Callable[..., Any]) -> Callable[[str], Any]:
    """Return a function that runs a program at size tiny, once; tests only read what it returns."""
    return cache(lambda name: run(name, "tiny"))


def warp_instructions(result: Any) -> int:
    return sum(s.warp_instructions for s in result.launches)


@each_program
@pytest.mark.parametrize(("engine", "scheme"), WAYS)
def test_tiny_is_right_everywhere_and_leaves_the_same_memory(
    run: Callable[..., Any], usual: Callable[[str], Any], entry: Entry, engine: str, scheme: str
) -> None:
    result = run(entry.name, "tiny", engine=engine, scheme=scheme)
    assert_right(result)
    assert result.memory() == usual(entry.name).memory()


@each_program
def test_tiny_is_small_enough_for_the_oracle(usual: Callable[[str], Any], entry: Entry) -> None:
    assert 0 < usual(entry.name).instructions <= TINY_LIMIT


@each_program
@pytest.mark.parametrize("width", [1, 16, 64])
def test_results_do_not_depend_on_the_warp_width(
    run: Callable[..., Any], entry: Entry, width: int
) -> None:
    assert_right(run(entry.name, "tiny", warp=width))


@pytest.mark.parametrize(("contexts", "core_contexts"), [(1, 1), (16, 8), (64, 16), (24, 24)])
@pytest.mark.parametrize("name", [e.name for e in ENTRIES if e.folder in ("dws", "lwm")])
def test_persistent_kernels_are_right_on_any_number_of_contexts(
    run: Callable[..., Any], name: str, contexts: int, core_contexts: int
) -> None:
    result = run(name, "tiny", warp=8, contexts=contexts, core_contexts=core_contexts)
    assert_right(result)
    assert all(s.warps <= max(1, contexts // 8) for s in result.launches)


@pytest.mark.parametrize(("name", "size"), MORE_SIZES)
def test_other_sizes_are_right(
    run: Callable[..., Any], name: str, size: Mapping[str, float]
) -> None:
    assert_right(run(name, size))


@pytest.mark.slow
@each_program
def test_small_is_right_in_the_interpreter(run: Callable[..., Any], entry: Entry) -> None:
    assert_right(run(entry.name, "small"))


@each_program
def test_pictures_are_images(usual: Callable[[str], Any], entry: Entry) -> None:
    picture = entry.workload.picture
    if picture is None:
        pytest.skip("no picture")
    image = picture(usual(entry.name).data)
    assert image.dtype == np.uint8
    assert image.ndim == 2 or image.shape[2:] == (3,)
    assert len(np.unique(image)) > 1


@pytest.mark.parametrize("width", [1, 16, 32])
def test_collatz_counts_follow_the_closed_form(run: Callable[..., Any], width: int) -> None:
    """The loop of a warp: eight instructions a trip, as many trips as its longest number.

    The form 8 * sum(max(steps)) + constant * warps is what GPGPU-Sim counts for this kernel too.
    """
    n = 256
    result = run("collatz", {"n": n}, warp=width)
    (statistics,) = result.launches
    steps = result.data["steps"].astype(np.int64)
    warps = n // width
    outside = 14  # instructions before and behind the loop, all of which the warp passes once
    longest = steps.reshape(warps, width).max(axis=1)
    assert statistics.warp_instructions == 8 * longest.sum() + outside * warps
    assert statistics.thread_instructions == 8 * steps.sum() + outside * n


@pytest.mark.parametrize("name", ["shortcircuit", "gotoerror", "exits", "fallthrough"])
def test_paired_paths_meet_early_where_control_flow_has_no_structure(
    run: Callable[..., Any], name: str
) -> None:
    """PPC-10: fewer instructions than with post-dominators, by the same lanes."""
    stack, paired = (
        run(f"ppc/{name}", "tiny", scheme=scheme, warp=16) for scheme in ("stack", "ppc")
    )
    assert paired.instructions == stack.instructions
    assert warp_instructions(paired) < warp_instructions(stack)


@pytest.mark.parametrize("name", ["pathfinder", "floydwarshall", "scan", "dct", "nw"])
def test_paired_paths_are_the_stack_where_control_flow_has_structure(
    run: Callable[..., Any], name: str
) -> None:
    stack, paired, explicit = (
        run(f"ppc/{name}", "tiny", scheme=scheme, warp=16)
        for scheme in ("stack", "ppc", "ppc-explicit")
    )
    assert warp_instructions(paired) == warp_instructions(stack)
    assert warp_instructions(paired) < warp_instructions(explicit)
