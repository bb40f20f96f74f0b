"""The files of bench/, which are scripts that find each other in their own folder."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest

BENCH = Path(__file__).parents[2] / "bench"


@pytest.fixture
def peers(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The modules of bench/peers."""
    monkeypatch.syspath_prepend(str(BENCH))
    names = "problem", "job", "python", "columns", "rounds", "report", "worker"
    return SimpleNamespace(**{name: import_module(f"peers.{name}") for name in names})
