"""Random kernels: every scheme leaves the oracle's memory, and counts obey the papers' ordering."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from simtlab.testing import Case, acyclic_kernels, assert_all_agree, kernels, run_case


@given(kernels())
def test_every_scheme_leaves_the_oracles_memory(case: Case):
    results = assert_all_agree(case)
    # Lock-step or not, each work-item executes its own instructions: only grouping differs.
    implicit = {
        scheme: result.statistics.thread_instructions
        for (_, scheme, _), result in results.items()
        if "explicit" not in scheme and result.statistics is not None
    }
    assert len(set(implicit.values())) == 1, implicit


@given(kernels())
def test_the_warp_width_does_not_matter(case: Case):
    assert_all_agree(case, schemes=["stack", "ppc"], widths=[1, 3, 64])


@given(acyclic_kernels())
def test_s_ppc_per_thread_never_issues_more_than_ppc_and_ppc_never_more_than_the_stack(case: Case):
    counts = [warp_instructions(case, scheme) for scheme in ("per-thread", "ppc", "stack")]
    assert counts == sorted(counts), counts


def warp_instructions(case: Case, scheme: str) -> int:
    result, _, trap = run_case(case, scheme=scheme)
    assert result is not None, trap
    assert result.statistics is not None
    return result.statistics.warp_instructions


@pytest.mark.slow
@settings(max_examples=2000)
@given(kernels())
def test_every_scheme_leaves_the_oracles_memory_in_thousands_of_kernels(case: Case):
    assert_all_agree(case)


@pytest.mark.slow
@settings(max_examples=3000)
@given(acyclic_kernels())
def test_the_ordering_of_schemes_holds_in_thousands_of_kernels(case: Case):
    counts = [warp_instructions(case, scheme) for scheme in ("per-thread", "ppc", "stack")]
    assert counts == sorted(counts), counts
