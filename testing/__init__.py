"""For users' own tests: random kernels, the check that every engine agrees on one, contracts.

from hypothesis import given
from simtlab.testing import assert_all_agree, kernels

@given(kernels())
def test_my_scheme(case):
    assert_all_agree(case)
"""

from __future__ import annotations

try:
    import hypothesis as _hypothesis  # noqa: F401
except ModuleNotFoundError:
    raise ModuleNotFoundError(
        "simtlab.testing needs the package hypothesis: pip install hypothesis"
    ) from None

from .agreement import assert_all_agree, run_case
from .case import Case
from .contracts import memory_contract, policy_contract, scheduler_contract, scheme_contract
from .strategies import acyclic_kernels, kernels, random_kernel

__all__ = [
    "Case",
    "acyclic_kernels",
    "assert_all_agree",
    "kernels",
    "memory_contract",
    "policy_contract",
    "random_kernel",
    "run_case",
    "scheduler_contract",
    "scheme_contract",
]
