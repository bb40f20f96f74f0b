"""For users' own tests: random kernels, and the check that every engine agrees on one.

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
from .strategies import acyclic_kernels, kernels

__all__ = ["Case", "acyclic_kernels", "assert_all_agree", "kernels", "run_case"]
