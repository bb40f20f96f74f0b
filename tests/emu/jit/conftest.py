"""A cache folder for the tests of the JIT, so that the user's does not fill up."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from simtlab.emu.jit.llvm.cache import FOLDER_VARIABLE


@pytest.fixture(scope="session", autouse=True)
def a_cache_for_these_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Set a folder of this run, which the workers share: one compiles what several tests need."""
    place = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        place = place.parent  # the folder of the run; each worker has one below it
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDER_VARIABLE, str(place / "objects"))
        yield
