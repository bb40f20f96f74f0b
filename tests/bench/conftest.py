"""The files of bench/, which are scripts that find each other in their own folder."""

from __future__ import annotations

from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

BENCH = Path(__file__).parents[2] / "bench"


@pytest.fixture
def column() -> ModuleType:
    """bench/peers_column.py, loaded as the harness does it: a bare file that no import finds."""
    spec = spec_from_file_location("peer_column", BENCH / "peers_column.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def seven(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """bench/seven.py."""
    monkeypatch.syspath_prepend(str(BENCH))
    return import_module("seven")


@pytest.fixture
def compare(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """bench/compare.py."""
    monkeypatch.syspath_prepend(str(BENCH))
    return import_module("compare")
