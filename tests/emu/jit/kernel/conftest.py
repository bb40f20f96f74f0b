"""How sparse loops run."""

from __future__ import annotations

import pytest

from simtlab.emu.analysis.lanes import sparse
from simtlab.emu.jit.kernel import compile as code
from simtlab.emu.jit.llvm.cache import FOLDER_VARIABLE
from simtlab.emu.recent import Recent


@pytest.fixture(params=["alone", "together", "measured", "2", "9", "32"])
def loops(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How sparse loops run, whatever the host's CPU is good at; chains are among them."""
    monkeypatch.setenv("SIMTLAB_LOOPS", request.param)
    monkeypatch.setattr(sparse, "gains_alone", lambda shapes, loop: True)
    monkeypatch.setattr(code, "_COMPILED", Recent())
    monkeypatch.setenv(FOLDER_VARIABLE, "/dev/null")
    return request.param
