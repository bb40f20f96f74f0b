"""Statistics come back from JSON as they were."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass

import pytest

from simtlab.lab import Run, simulate_run
from simtlab.timing.results.restored import restored, stored_form
from simtlab.timing.results.statistics import Statistics


def test_statistics_come_back_as_they_were():
    stats = simulate_run(Run("dws/merge", "tiny")).stats
    found = restored(json.loads(json.dumps(stored_form(stats))))
    assert found == stats
    assert found.digest("x") == stats.digest("x")
    tables = [f.name for f in fields(Statistics) if isinstance(getattr(stats, f.name), tuple)]
    filled = [name for name in tables if getattr(stats, name)]
    assert any(is_dataclass(getattr(found, name)[0]) for name in filled)


def test_what_are_no_statistics():
    with pytest.raises(ValueError, match="cycles"):
        restored({})
