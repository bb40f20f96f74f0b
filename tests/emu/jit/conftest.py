"""A cache folder for the tests of the JIT, so that the user's does not fill up."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from simtlab.emu.jit.llvm.cache import FOLDER_VARIABLE


@pytest.fixture(scope="session", autouse=True)
def a_cache_for_these_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDER_VARIABLE, str(tmp_path_factory.mktemp("objects")))
        yield
