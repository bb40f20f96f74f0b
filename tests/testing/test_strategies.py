"""What the random kernels are like: a bug can only be found by a kernel that goes there."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import pytest
from hypothesis import HealthCheck, Phase, find, given, seed, settings
from hypothesis.internal.conjecture import engine

from simtlab.emu.schemes import IpdomStack
from simtlab.isa.table import TABLE
from simtlab.testing import Case, assert_all_agree, kernels, random_kernel, run_case

from .support.portrait import Portrait, portrait

KERNELS = 400
RUNS = 5
QUIET = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)
EVERYTHING = {"barriers_under_branches": True, "largest_group": 1024}

Drawn = tuple[tuple[Case, Portrait], ...]


@cache
def by_hypothesis() -> Drawn:
    """Kernels as tests of users meet them: some runs, since hypothesis likes to vary one kernel."""
    cases: list[Case] = []
    for run in range(RUNS):

        @seed(run)
        @settings(
            max_examples=KERNELS // RUNS, database=None, phases=[Phase.generate],
            suppress_health_check=QUIET,
        )  # fmt: skip
        @given(kernels(**EVERYTHING))
        def collect(case: Case) -> None:
            cases.append(case)

        collect()
    return tuple((case, portrait(case)) for case in cases)


@cache
def by_a_plain_generator() -> Drawn:
    """Kernels as the fuzzer meets them."""
    cases = [random_kernel(random.Random(number), **EVERYTHING) for number in range(KERNELS)]
    return tuple((case, portrait(case)) for case in cases)


def share(drawn: Drawn, is_so) -> float:
    return sum(bool(is_so(case, seen)) for case, seen in drawn) / len(drawn)


both = pytest.mark.parametrize("drawn", [by_hypothesis, by_a_plain_generator])


@both
def test_four_of_five_diverge_and_half_nest_two_divergent_branches(drawn) -> None:
    assert share(drawn(), lambda case, seen: seen.divergent) >= 0.8
    assert share(drawn(), lambda case, seen: seen.nesting >= 2) >= 0.5
    assert share(drawn(), lambda case, seen: seen.nesting >= 3) >= 0.2


@both
def test_control_flow_is_of_all_sorts(drawn) -> None:
    least = {
        "loops with several exits": (0.4, lambda case, seen: seen.exits >= 2),
        "exits of two loops at once": (0.01, lambda case, seen: seen.outer_exit),
        "loops with two entries": (0.1, lambda case, seen: seen.irreducible),
        "barriers in loops": (0.1, lambda case, seen: seen.barrier_in_loop),
        "barriers under branches": (0.05, lambda case, seen: seen.barrier_under_branch),
        "returns in the middle": (0.02, lambda case, seen: case.source.count(" ret\n") > 1),
    }
    found = {name: (share(drawn(), is_so), bound) for name, (bound, is_so) in least.items()}
    assert all(part >= bound for part, bound in found.values()), found


@both
def test_launches_are_of_all_sorts(drawn) -> None:
    least = {
        "workgroups of one": (0.005, lambda g: g.largest_group == 1),
        "up to 32": (0.5, lambda g: 2 <= g.largest_group <= 32),
        "more than 64": (0.02, lambda g: g.largest_group > 64),
        "more dimensions": (0.2, lambda g: g.group_size[1:] != (1, 1)),
        "partial workgroups": (0.4, lambda g: any(map(int.__mod__, g.items, g.group_size))),
        "warps of one": (0.005, lambda g: g.width == 1),
        "warps of 2 to 8": (0.15, lambda g: 2 <= g.width <= 8),
        "warps of 9 to 32": (0.15, lambda g: 9 <= g.width <= 32),
        "warps of 33 to 64": (0.1, lambda g: 33 <= g.width <= 64),
    }
    found = {
        name: (share(drawn(), lambda case, seen, is_so=is_so: is_so(case.geometry)), bound)
        for name, (bound, is_so) in least.items()
    }
    assert all(part >= bound for part, bound in found.values()), found


def test_a_workgroup_may_have_1024_work_items() -> None:
    assert max(case.geometry.largest_group for case, _ in by_a_plain_generator()) == 1024


def test_accesses_are_of_every_width_to_every_segment() -> None:
    seen = set().union(*(seen.accesses for drawn in (by_hypothesis(), by_a_plain_generator())
                         for _, seen in drawn))  # fmt: skip
    wanted = {
        row.name
        for row in TABLE
        if row.stem in ("ld", "st") and row.segment and row.segment.value != "kernarg"
    }
    missing = wanted - seen
    assert len(missing) <= len(wanted) // 10, missing
    sizes = {(row.stem, row.segment, row.type.size) for row in TABLE
             if row.name in seen and row.type}  # fmt: skip
    for segment in {row.segment for row in TABLE if row.name in wanted}:
        assert {n for stem, s, n in sizes if (stem, s) == ("ld", segment)} == {1, 2, 4, 8}


def test_the_same_seed_gives_the_same_kernel() -> None:
    first, again = (random_kernel(random.Random(7)) for _ in range(2))
    assert str(first) == str(again)


def test_options_leave_things_out() -> None:
    counts: Counter[str] = Counter()
    for number in range(100):
        rng = random.Random(number)
        case = random_kernel(rng, barriers=False, gotos=False, largest_group=4)
        counts["barriers"] += "barrier" in case.source
        counts["irreducible"] += portrait(case).irreducible
        counts["large"] += case.geometry.largest_group > 4
    assert not counts.total(), counts


# --- what hypothesis makes of a failure


def swapped(scheme: IpdomStack, taken: int, target: int, fall: int, join: int | None) -> None:
    """The two sides of a branch with each other's lanes."""
    right(scheme, scheme.mask & ~taken, target, fall, join)


right = IpdomStack.branch


def test_a_failure_shrinks_to_a_handful_of_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(IpdomStack, "branch", swapped)
    monkeypatch.setattr(engine, "MAX_SHRINKING_SECONDS", 1e9)  # a slow machine needs longer

    def fails(case: Case) -> bool:
        try:
            assert_all_agree(case, engines=["interp"], schemes=["stack"])
        except AssertionError:
            return True
        return False

    quiet = settings(
        max_examples=500, database=None, suppress_health_check=QUIET,
        phases=[Phase.generate, Phase.shrink],
    )  # fmt: skip
    smallest = find(kernels(), fails, settings=quiet, random=random.Random(0))
    assert len(smallest.source.splitlines()) <= 15, smallest


def test_the_frame_has_only_what_the_body_uses() -> None:
    for case, _ in by_a_plain_generator():
        head, _, body = case.source.partition("st_global")
        for name in ("swap", "tile", "counts", "mine", "TABLE"):
            declared = any(word in case.source for word in (f"u64 {name}[", f"u32 {name}["))
            assert declared == (f"[{name}+" in case.source), case
        assert "workitemflatabsid" in head, case
        assert body, case


def test_every_work_item_stores_something() -> None:
    """One that is lost leaves its row as it was."""
    for case, _ in by_a_plain_generator()[:50]:
        _, (out, *_rest), trap = run_case(case, "oracle")
        assert trap is None
        assert "ret\n" in case.source
        if case.source.count(" ret\n") == 1:
            row = out.reshape(case.geometry.n_items, -1)
            assert (row != row.dtype.type(0xA5A5_A5A5_A5A5_A5A5)).any(axis=1).all(), case
