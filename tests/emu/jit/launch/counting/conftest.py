"""What tests of counted launches share."""

from __future__ import annotations

import pytest

from ...support.short_launches import short_at_any_time


@pytest.fixture
def any_time_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let launches be short however long they take."""
    short_at_any_time(monkeypatch)
